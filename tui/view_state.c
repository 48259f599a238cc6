/* The state inspector: the tensors of the run by module, and of the selected one what a state of
 * its optimizer, its weights or its gradients hold. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/hints.h"
#include "tui/inspect_feed.h"
#include "tui/run_plot.h"
#include "tui/state_panes.h"
#include "tui/tensor_tree.h"
#include "tui/view.h"

#define STATES_MAX (PLAN_STATES + 2)

struct state_view {
    struct tensor_tree tree;
    struct inspect_feed feed;
    struct inspect_request want;
    char state[48];     /* chosen; may be one that the selected tensor has under a like name */
    struct history rms; /* of the copies of what is shown */
    bool linear;        /* counts */
    bool picking;       /* compact: the tree stands in the place of the panes */
    bool compact;       /* as last drawn */
    int leading;        /* values that were shown at once */
};

/* ---- states of a tensor --------------------------------------------------------------------- */

static const struct plan_tensor *find_tensor(const struct uimodel *m, const char *name)
{
    for (int i = 0; m->plan.tensor && i < m->plan.tensors; i++)
        if (!strcmp(m->plan.tensor[i].name, name))
            return &m->plan.tensor[i];
    return NULL;
}

/* Scales are shown with the state that they belong to. */
static bool is_scale(const struct uimodel *m, const char *state)
{
    const struct optim_class *cls = m->rc ? m->rc->optim_cls : NULL;
    struct state_codes codes = {0};
    for (int k = 0; k < m->plan.nstate && cls && cls->codes; k++)
        if (cls->codes(m->rc->optim_own, m->plan.state[k].name, &codes) &&
            !strcmp(codes.scale, state))
            return true;
    return false;
}

/* What can be looked at of a tensor: its states, the weights, of a run that goes on the gradients.
 * */
static int states_of(const struct uimodel *m, const char *tensor, const char *out[STATES_MAX])
{
    const struct plan_tensor *t = find_tensor(m, tensor);
    int n = 0;
    for (int k = 0; k < m->plan.nstate; k++)
        if ((!t || t->state_bytes[k] >= 0) && !is_scale(m, m->plan.state[k].name))
            out[n++] = m->plan.state[k].name;
    out[n++] = INSPECT_WEIGHTS;
    if (m->live && !run_state_over(m->st.state))
        out[n++] = INSPECT_GRADIENTS;
    return n;
}

/* The chosen state, or the one that this tensor has in its place: exp_avg for exp_avg_codes. */
static int find_state(const char *const *states, int n, const char *wanted)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(states[i], wanted))
            return i;
    int best = 0;
    size_t longest = 0;
    for (int i = 0; i < n && *wanted; i++) {
        size_t len = strlen(states[i]), other = strlen(wanted), both = len < other ? len : other;
        if (both > longest && !strncmp(states[i], wanted, both)) {
            best = i;
            longest = both;
        }
    }
    return best;
}

static void want_first(struct state_view *v, const struct uimodel *m)
{
    const char *states[STATES_MAX], *tensor = tensor_tree_selected(&v->tree);
    int n = states_of(m, tensor, states);
    const char *state = states[find_state(states, n, v->state)];
    if (!strcmp(v->want.tensor, tensor) && !strcmp(v->want.state, state))
        return;
    v->want.first = 0;
    str_copy(v->want.tensor, sizeof v->want.tensor, tensor);
    str_copy(v->want.state, sizeof v->want.state, state);
    history_clear(&v->rms);
}

static void next_state(struct state_view *v, const struct uimodel *m, int direction)
{
    const char *states[STATES_MAX];
    int n = states_of(m, v->want.tensor, states), at = find_state(states, n, v->want.state);
    str_copy(v->state, sizeof v->state, states[(at + direction + n) % n]);
    want_first(v, m);
}

static bool state_poll(struct view *view, const struct uimodel *m, struct hub *hub)
{
    struct state_view *v = view->state;
    const struct inspect_report *p = &v->feed.report;
    if (!v->rms.span)
        history_init(&v->rms);
    tensor_tree_fill(&v->tree, m);
    want_first(v, m);
    bool created = m->st.step > 0 || run_state_over(m->st.state);
    if (!created || !inspect_feed_poll(&v->feed, &v->want, m, hub))
        return false;
    if (inspect_feed_answers(&v->feed, &v->want) && !p->error[0] && p->step > v->rms.last_step)
        history_add(&v->rms, p->step, 0, 0, p->rms);
    return true;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Why there is nothing to see yet; NULL: there is. */
static const char *lack(const struct state_view *v, const struct uimodel *m)
{
    if (m->st.step == 0 && !run_state_over(m->st.state))
        return "states are created with the first step";
    if (!*v->want.tensor)
        return v->tree.names.n ? "no tensor is selected" : "the tensors of this run are not known";
    if (v->feed.have && !strcmp(v->feed.report.of.tensor, v->want.tensor) &&
        !strcmp(v->feed.report.of.state, v->want.state))
        return *v->feed.report.error ? v->feed.report.error : NULL;
    return m->live && !run_state_over(m->st.state) ? "comes at the end of this step" : "reading";
}

static void draw_lack(struct canvas *c, struct rect r, const struct state_view *v,
                      const char *words, const char *run)
{
    char text[256];
    int x = r.x + (r.x > 0) + 1;
    if (r.x > 0)
        draw_separator(c, r.x, r.y, r.h);
    draw_rule(c, r.x, r.y, r.w, *v->want.state ? v->want.state : "state", NULL, run);
    if (r.x > 0)
        canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
    canvas_put(c, x, r.y + 1, ROLE_DIM,
               text_cut_end(c->level, text, sizeof text, words, r.x + r.w - x));
}

static void draw_panes(struct canvas *c, const struct layout_state *l, struct state_view *v,
                       const char *run)
{
    const struct inspect_report *p = &v->feed.report;
    draw_facts_pane(c, l->facts, p, run);
    draw_values_pane(c, l->values, p, v->linear);
    if (l->scales.h && p->bits)
        draw_scales_pane(c, l->scales, p);
    else if (l->scales.h)
        draw_rms_pane(c, l->scales, &v->rms);
    if (l->block.h)
        v->leading = draw_block_pane(c, l->block, p);
}

static void state_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct state_view *v = view->state;
    struct layout_state l = layout_state(c->w, c->h);
    char run[128];
    v->compact = l.tree.w == 0;
    if (v->compact && v->picking)
        l.tree = r;
    if (l.tree.w)
        draw_tensor_tree(c, l.tree, &v->tree);
    if (v->compact && v->picking)
        return;
    run_title(m, c->level, run, sizeof run, (r.w - l.facts.x) / 3);
    const char *words = lack(v, m);
    struct rect right = {l.facts.x, r.y, l.facts.w, r.h};
    if (words)
        draw_lack(c, right, v, words, run);
    else
        draw_panes(c, &l, v, run);
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* Blocks of codes, else as many values as are shown. */
static void move_leading(struct state_view *v, int direction)
{
    const struct inspect_report *p = &v->feed.report;
    int64_t step = p->bits ? p->block : v->leading > 0 ? v->leading : 1;
    int64_t last = p->n > 0 ? (p->n - 1) / step * step : 0;
    int64_t first = v->want.first + direction * step;
    v->want.first = first < 0 ? 0 : first > last ? last : first;
}

static unsigned state_action(struct view *view, enum action a, const struct uimodel *m,
                             char *message)
{
    struct state_view *v = view->state;
    (void)message;
    switch (a) {
    case ACTION_NEXT_PART: next_state(v, m, 1); return REACT_REDRAW;
    case ACTION_PREV_PART: next_state(v, m, -1); return REACT_REDRAW;
    case ACTION_LOG_SCALE: v->linear = !v->linear; return REACT_REDRAW;
    case ACTION_START: v->feed.again = true; return REACT_REDRAW;
    case ACTION_LEFT: move_leading(v, -1); return REACT_REDRAW;
    case ACTION_RIGHT: move_leading(v, 1); return REACT_REDRAW;
    case ACTION_ENTER:
        v->picking = v->compact && !v->picking;
        return v->compact ? REACT_REDRAW : REACT_NONE;
    default: break;
    }
    if (a == ACTION_BACK && v->compact && v->picking && !v->tree.list.filter[0]) {
        v->picking = false;
        return REACT_REDRAW;
    }
    if (!tensor_tree_action(&v->tree, a))
        return REACT_NONE;
    v->picking |= a == ACTION_FILTER;
    want_first(v, m);
    return REACT_REDRAW;
}

static bool state_key(struct view *view, const struct key_event *k, const struct uimodel *m)
{
    struct state_view *v = view->state;
    bool taken = tensor_tree_key(&v->tree, k);
    if (taken)
        want_first(v, m);
    return taken;
}

static void state_show(struct view *view, const char *item)
{
    struct state_view *v = view->state;
    tensor_tree_show(&v->tree, item);
    v->picking = false;
}

static void state_release(struct view *view)
{
    struct state_view *v = view->state;
    tensor_tree_release(&v->tree);
    inspect_feed_release(&v->feed);
    history_release(&v->rms);
}

static void state_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    const struct state_view *v = view->state;
    if (v->tree.list.typing) {
        snprintf(dst, size, "/%s", v->tree.list.filter);
        return;
    }
    bool ended = hint_ended(dst, size, m);
    if (v->compact)
        hint_add(dst, size, ACTION_ENTER, v->picking ? "take" : "tensors");
    hint_pair(dst, size, ACTION_UP, ACTION_DOWN, "", "tensor");
    hint_pair(dst, size, ACTION_PREV_PART, ACTION_NEXT_PART, " ", "state");
    hint_add(dst, size, ACTION_FILTER, "filter");
    hint_add(dst, size, ACTION_LOG_SCALE, "log");
    if (!ended)
        hint_add(dst, size, ACTION_START, "read again");
}

static const struct view_key state_keys[] = {
    {ACTION_UP, ACTION_DOWN, "another tensor"},
    {ACTION_PREV_PART, ACTION_NEXT_PART, "state, weights, gradients"},
    {ACTION_LEFT, ACTION_RIGHT, "another block"},
    {ACTION_LOG_SCALE, ACTION_NONE, "counts by decades or linear"},
    {ACTION_START, ACTION_NONE, "read the tensor again"},
    {ACTION_FILTER, ACTION_NONE, "tensors by name"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_state = {
    .name = "state",
    .key = "6",
    .state_size = sizeof(struct state_view),
    .draw = state_draw,
    .action = state_action,
    .key_event = state_key,
    .hints = state_hints,
    .poll = state_poll,
    .release = state_release,
    .show = state_show,
    .keys = state_keys,
};
