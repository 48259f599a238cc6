/* The frame around a view: tabs, messages and hints, the page for a terminal that is too small. */
#include "tui/dashboard.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/end_words.h"
#include "tui/hints.h"
#include "tui/hot.h"

#define MESSAGE_SECONDS 4
#define CHATTER_SECONDS 20 /* between messages of a run that are not */

void dashboard_init(struct dashboard *d)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; view_classes[i] && i < VIEWS_MAX; i++) {
        d->view[i].cls = view_classes[i];
        d->view[i].state = xcalloc(1, view_classes[i]->state_size + 1);
        d->nviews++;
    }
}

void dashboard_release(struct dashboard *d)
{
    for (int i = 0; i < d->nviews; i++) {
        if (d->view[i].cls->release)
            d->view[i].cls->release(&d->view[i]);
        free(d->view[i].state);
    }
    memset(d, 0, sizeof *d);
}

void dashboard_take_over(struct dashboard *d, struct dashboard *old)
{
    d->open = old->open;
    for (int i = 0; i < d->nviews && i < old->nviews; i++)
        if (d->view[i].cls->of_several) {
            void *state = d->view[i].state;
            d->view[i].state = old->view[i].state;
            old->view[i].state = state;
        }
}

/* ---- tabs ----------------------------------------------------------------------------------- */

/* The brackets of the open tab take the place of the blanks on both sides. */
static int draw_tab(struct canvas *c, int x, const struct view_class *cls, bool open, bool named)
{
    int start = x;
    x += 1 + canvas_put(c, x + 1, 0, open ? ROLE_SELECT : ROLE_KEY, cls->key);
    if (named || open) {
        x += canvas_put(c, x, 0, open ? ROLE_SELECT : ROLE_DIM, " ");
        x += canvas_put(c, x, 0, open ? ROLE_SELECT : ROLE_DIM, cls->name);
    }
    if (open) {
        canvas_put(c, start, 0, ROLE_SELECT, "[");
        canvas_put(c, x, 0, ROLE_SELECT, "]");
    }
    return x - start;
}

static int tabs_width(const struct dashboard *d)
{
    int width = 1;
    for (int i = 0; i < d->nviews; i++)
        width += 2 + text_width(d->view[i].cls->key) + text_width(d->view[i].cls->name);
    return width;
}

static void draw_tabs(const struct dashboard *d, struct canvas *c)
{
    int x = 0, open_x = 0;
    bool named = tabs_width(d) <= c->w && size_class_of(c->w, c->h) >= SIZE_NORMAL;
    for (int i = 0; i < d->nviews; i++) {
        if (i == d->open)
            open_x = x;
        int w = draw_tab(c, x, d->view[i].cls, false, named || i == d->open);
        hot_add(c, (struct rect){x, 0, w, 1}, HOT_TAB, d, i);
        x += w;
    }
    draw_tab(c, open_x, d->view[d->open].cls, true, true);
}

/* ---- messages ------------------------------------------------------------------------------- */

static bool message_shown(const struct dashboard *d, double now)
{
    return d->message[0] && (d->message_bad || now < d->message_until);
}

void dashboard_say(struct dashboard *d, bool bad, double now, const char *fmt, ...)
{
    va_list ap;
    d->messages_waiting = message_shown(d, now) ? d->messages_waiting + 1 : 0;
    if (d->messages_waiting && d->message_bad && !bad)
        return; /* what is bad stays until a key */
    va_start(ap, fmt);
    vsnprintf(d->message, sizeof d->message, fmt, ap);
    va_end(ap);
    d->message_bad = bad;
    d->message_until = now + MESSAGE_SECONDS;
}

void dashboard_quiet(struct dashboard *d)
{
    d->message[0] = '\0';
    d->message_bad = false;
    d->messages_waiting = 0;
}

/* The newest message of the run, once. */
/* A run that saves every few seconds would hide the hints for good: what is no answer to a command, and no
 * mistake, is left to the log then. */
static bool is_chatter(struct dashboard *d, const struct uimodel *m)
{
    bool often = d->message_at > 0 && m->now - d->message_at < CHATTER_SECONDS;
    d->message_at = m->now;
    return often && !d->asked && !m->st.message_bad;
}

static void take_message(struct dashboard *d, const struct uimodel *m)
{
    const struct run_status *s = &m->st;
    if (s->message_id == d->message_id)
        return;
    int64_t missed = s->message_id - d->message_id - 1;
    d->message_id = s->message_id;
    if (is_chatter(d, m))
        return;
    d->asked = false;
    dashboard_say(d, s->message_bad, m->now, "%s", s->message);
    d->messages_waiting += missed > 0 && missed < 100 ? (int)missed : 0;
}

/* How the run ended badly, once, where the view does not say it. */
static void tell_end(struct dashboard *d, const struct uimodel *m)
{
    char cause[640], safe[128];
    if (!ended_badly(m) || d->end_said)
        return;
    d->end_said = true;
    if (!d->view[d->open].cls->tells_end)
        dashboard_say(d, true, m->now, "%s: %s; %s", run_state_name(m->text.state),
                      end_cause(m, cause, sizeof cause), end_safe(m, safe, sizeof safe));
}

static void draw_message(const struct dashboard *d, struct canvas *c)
{
    char more[64] = "", text[256];
    int y = c->h - 1, room;
    draw_hints(c, "", true);
    if (d->messages_waiting)
        snprintf(more, sizeof more, " (%d more, %s log)", d->messages_waiting,
                 action_key(ACTION_VIEW_9));
    room = c->w - 20 - text_width(more);
    if (text_width(d->message) > room && text_width(d->message) <= c->w - 20) {
        room = c->w - 20; /* the message whole, before how many there were */
        more[0] = '\0';
    }
    enum role role = d->message_bad ? ROLE_BAD : ROLE_TEXT;
    if (d->message_bad && strchr(d->message, '/')) /* a path, and behind it the reason */
        text_cut_middle(c->level, text, sizeof text, d->message, room);
    else
        text_cut_end(c->level, text, sizeof text, d->message, room);
    int x = 1 + canvas_put(c, 1, y, role, text);
    canvas_put(c, x, y, ROLE_DIM, more);
}

static void draw_last_row(const struct dashboard *d, struct canvas *c, const struct uimodel *m)
{
    const struct view *v = &d->view[d->open];
    char words[256] = "";
    if (message_shown(d, m->now)) {
        draw_message(d, c);
        return;
    }
    if (v->cls->hints)
        v->cls->hints(v, m, words, sizeof words);
    draw_hints(c, words, true);
}

/* ---- too small ------------------------------------------------------------------------------ */

static void draw_too_small(struct canvas *c, const struct uimodel *m)
{
    const struct run_status *s = &m->text;
    char a[32], b[32], hints[64] = "";
    int64_t risk = s->step - (s->saved_step > 0 ? s->saved_step : 0);
    if (c->w < 2 && c->h < 2)
        return;
    canvas_printf(c, 0, 0, ROLE_TITLE, "too small: %dx%d, needs 40x12", c->w, c->h);
    canvas_printf(c, 0, 2, ROLE_TEXT, "%s, %s", uimodel_name(m), run_state_name(s->state));
    canvas_printf(c, 0, 3, ROLE_TEXT, "step %s/%s", str_commas(a, sizeof a, s->step),
                  str_commas(b, sizeof b, s->max_steps));
    canvas_printf(c, 0, 4, ROLE_TEXT, "loss %s", fmt_loss(a, sizeof a, s->loss_ema, c->level));
    canvas_printf(c, 0, 5, ROLE_TEXT, "ETA %s", fmt_age(a, sizeof a, m->eta, c->level));
    canvas_printf(c, 0, 6, ROLE_TEXT, "%s steps at risk", str_commas(a, sizeof a, risk));
    if (run_takes_commands(m))
        hint_add(hints, sizeof hints, ACTION_SAVE, "save");
    hint_add(hints, sizeof hints, ACTION_QUIT, "quit");
    hint_add(hints, sizeof hints, ACTION_HELP, "help");
    canvas_put(c, 0, 7, ROLE_DIM, hints);
}

/* ---- the whole ------------------------------------------------------------------------------ */

void dashboard_draw(struct dashboard *d, struct canvas *c, const struct uimodel *m)
{
    canvas_clear(c);
    take_message(d, m);
    tell_end(d, m);
    if (size_class_of(c->w, c->h) == SIZE_TOO_SMALL) {
        draw_too_small(c, m);
        return;
    }
    struct view *v = &d->view[d->open];
    struct rect all = c->clip;
    v->last = layout_content(c->w, c->h);
    canvas_clip(c, v->last);
    v->cls->draw(v, c, v->last, m);
    c->clip = all;
    draw_tabs(d, c);
    dashboard_status_row(c, m);
    draw_last_row(d, c, m);
}

static unsigned open_view(struct dashboard *d, int i)
{
    d->open = (i + d->nviews) % d->nviews;
    return REACT_REDRAW | REACT_RELAYOUT;
}

static int view_of_key(const struct dashboard *d, enum action a)
{
    for (int i = 0; i < d->nviews; i++)
        if (!strcmp(d->view[i].cls->key, action_descs[a].keys))
            return i;
    return -1;
}

bool dashboard_poll(struct dashboard *d, const struct uimodel *m, struct hub *hub)
{
    struct view *v = &d->view[d->open];
    return v->cls->poll && v->cls->poll(v, m, hub);
}

/* A view asks for another one, or for another run. */
static unsigned follow(struct dashboard *d, unsigned reaction, const char *item)
{
    if (reaction & REACT_OPEN_RUN)
        str_copy(d->open_run, sizeof d->open_run, item);
    size_t key = strcspn(item, " ");
    for (int i = 0; i < d->nviews && reaction & REACT_SHOW; i++) {
        const struct view_class *cls = d->view[i].cls;
        if (strncmp(cls->key, item, key) || cls->key[key])
            continue;
        if (cls->show)
            cls->show(&d->view[i], item + key + (item[key] == ' '));
        return reaction | open_view(d, i);
    }
    return reaction;
}

unsigned dashboard_action(struct dashboard *d, enum action a, const struct uimodel *m)
{
    struct view *v = &d->view[d->open];
    char message[VIEW_MESSAGE] = "";
    dashboard_quiet(d);
    if (a == ACTION_NEXT_VIEW || a == ACTION_PREV_VIEW)
        return open_view(d, d->open + (a == ACTION_NEXT_VIEW ? 1 : -1));
    if (a != ACTION_NONE && action_descs[a].group == GROUP_VIEWS && view_of_key(d, a) >= 0)
        return open_view(d, view_of_key(d, a));
    unsigned reaction = v->cls->action ? v->cls->action(v, a, m, message) : 0;
    if (reaction & REACT_MESSAGE)
        dashboard_say(d, false, m->now, "%s", message);
    return follow(d, reaction, message);
}

bool dashboard_key(struct dashboard *d, const struct key_event *k, const struct uimodel *m)
{
    struct view *v = &d->view[d->open];
    return v->cls->key_event && v->cls->key_event(v, k, m);
}
