/* The stack of layers, keys that mean the same in all of them, messages, and the end of the program. */
#include "tui/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/sys.h"
#include "tui/list_keys.h"
#include "tui/opening.h"
#include "tui/plot_window.h"
#include "tui/run_layer.h"

#define MESSAGE_SECONDS 4

void app_init(struct app *a, const struct optim_class *const *optims)
{
    memset(a, 0, sizeof *a);
    a->optims = optims;
    a->ui.fps = 10;
    a->now = sys_now();
    a->dirty = true;
}

void app_release(struct app *a)
{
    while (a->nlayers)
        app_pop(a);
    app_bury(a);
    session_free(a->session);
    a->session = NULL;
    app_release_queue(a);
}

/* -- layers --------------------------------------------------------------------------------- */

void app_push(struct app *a, struct layer *l)
{
    BUG_ON(a->nlayers == APP_LAYERS);
    a->layer[a->nlayers++] = l;
    a->hots.n = 0;
    a->dirty = true;
}

/* A layer may pop itself: it lives until its turn is over. */
void app_pop(struct app *a)
{
    if (!a->nlayers)
        return;
    if (a->ndead == APP_LAYERS)
        app_bury(a);
    a->dead[a->ndead++] = a->layer[--a->nlayers];
    a->hots.n = 0;
    a->dirty = true;
}

void app_bury(struct app *a)
{
    while (a->ndead) {
        struct layer *l = a->dead[--a->ndead];
        l->cls->free(l);
    }
}

struct layer *app_top(const struct app *a)
{
    return a->nlayers ? a->layer[a->nlayers - 1] : NULL;
}

/* The topmost layer that fills the screen. */
static int base_index(const struct app *a)
{
    int i = a->nlayers - 1;
    while (i > 0 && a->layer[i]->cls->popup)
        i--;
    return i;
}

static void pop_popups(struct app *a)
{
    while (a->nlayers && app_top(a)->cls->popup)
        app_pop(a);
}

/* -- messages -------------------------------------------------------------------------------- */

static bool shows_run(const struct app *a)
{
    return a->nlayers && a->session && a->layer[base_index(a)]->cls == &run_layer_class;
}

void app_say(struct app *a, bool bad, const char *fmt, ...)
{
    char text[sizeof a->message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    a->dirty = true;
    if (shows_run(a)) {
        dashboard_say(&a->session->dash, bad, a->now, "%s", text);
        return;
    }
    str_copy(a->message, sizeof a->message, text);
    a->message_bad = bad;
    a->message_until = a->now + MESSAGE_SECONDS;
}

void app_hints(const struct app *a, struct canvas *c, const char *hints)
{
    char text[sizeof a->message + 8];
    if (!*a->message) {
        draw_hints(c, hints, true);
        return;
    }
    canvas_fill(c, (struct rect){0, c->h - 1, c->w, 1}, ROLE_TEXT, ' ');
    text_cut_end(c->level, text, sizeof text, a->message, c->w - 2);
    canvas_put(c, 1, c->h - 1, a->message_bad ? ROLE_BAD : ROLE_TEXT, text);
}

static void clear_message(struct app *a)
{
    a->dirty |= *a->message != 0;
    a->message[0] = 0;
}

static void expire_message(struct app *a)
{
    if (*a->message && !a->message_bad && a->now > a->message_until)
        clear_message(a);
}

/* -- runs ------------------------------------------------------------------------------------ */

bool app_run_is_live(const struct app *a)
{
    return session_live(a->session) || app_queue_due(a);
}

bool app_run_is_own(const struct app *a)
{
    return session_own_live(a->session) || app_queue_due(a);
}

void app_show_session(struct app *a, struct session *s)
{
    session_free(a->session);
    a->session = s;
    while (a->nlayers > 1)
        app_pop(a);
    app_push(a, run_layer_new(a));
}

int app_start_run(struct app *a, const struct run_config *rc, const char *resume, struct err *e)
{
    struct session *s;
    atomic_store(&hub_stop_request, 0);
    int code = session_start(&s, rc, resume, e);
    if (!code) {
        app_release_queue(a);
        a->ui = rc->ui;
        app_show_session(a, s);
    }
    return code;
}

static void show_opened(struct app *a, struct session *s, const struct err *e)
{
    if (s)
        app_show_session(a, s);
    else
        app_say(a, true, "%s", e->msg);
}

void app_show_run(struct app *a, const char *run_path)
{
    opening_start(a, run_path, show_opened);
}

int app_attach_run(struct app *a, const char *run_path, bool reads_only, struct err *e)
{
    struct session *s;
    int code = session_attach(&s, run_path, reads_only, a->optims, e);
    if (!code)
        app_show_session(a, s);
    return code;
}

/* -- ends ------------------------------------------------------------------------------------ */

void app_interrupt(struct app *a)
{
    if (app_run_is_live(a) && !app_run_is_own(a)) { /* leaving a run of another process ends nothing */
        a->leave = true;
        return;
    }
    if (!app_run_is_live(a)) {
        if (a->interrupts++)
            a->leave = true;
        else
            app_say(a, false, "^C again leaves");
        return;
    }
    pop_popups(a);
    a->leave_when_over = true;
    if (a->session->stops) {
        session_stop_now(a->session);
        app_say(a, true, "stopping at once, without saving");
    } else {
        session_save_and_stop(a->session);
        app_say(a, false, "finishing the step, saving, then leaving; ^C again stops at once");
    }
}

void app_signal_stop(struct app *a, int level)
{
    if (!app_run_is_own(a)) {
        a->leave = true;
        return;
    }
    if (a->session->stops < level) {
        a->session->stops = level - 1;
        app_interrupt(a);
    }
}

void app_terminal_lost(struct app *a)
{
    if (a->lost)
        return;
    a->lost = true;
    a->leave_when_over = true;
    a->leave |= !app_run_is_own(a);
    if (a->session)
        session_unwatch(a->session);
}

/* -- the turn of the loop --------------------------------------------------------------------- */

/* Keys that every layer obeys. */
static bool common_key(struct app *a, enum action action)
{
    switch (action) {
    case ACTION_INTERRUPT: app_interrupt(a); return true;
    case ACTION_REPAINT: a->requests |= APP_REPAINT; return true;
    case ACTION_SUSPEND: a->requests |= APP_SUSPEND; return true;
    case ACTION_GLYPHS: a->requests |= APP_NEXT_GLYPHS; return true;
    case ACTION_THEME: a->requests |= APP_NEXT_THEME; return true;
    case ACTION_HELP: app_help(a); return true;
    default: return false;
    }
}

/* The wheel moves as the arrows do. */
static enum action action_of(const struct key_event *k)
{
    if (k->code == KEY_WHEEL_UP)
        return ACTION_UP;
    return k->code == KEY_WHEEL_DOWN ? ACTION_DOWN : key_action(k->code);
}

/* The first click on a row selects it, another one is Enter. */
static void click_row(struct app *a, struct layer *top, const struct hot *h)
{
    struct list *l = h->owner;
    bool again = a->hots.last == l && a->hots.last_item == h->item && l->selected == h->item;
    a->hots.last = l;
    a->hots.last_item = h->item;
    l->clicked = true;
    if (again)
        top->cls->key(top, ACTION_ENTER, &(struct key_event){.code = KEY_ENTER_KEY});
    else
        list_select(l, h->item);
}

static void click(struct app *a, struct layer *top, int x, int y)
{
    const struct hot *h = hot_at(&a->hots, x, y);
    if (!h)
        return;
    a->dirty = true;
    switch (h->kind) {
    case HOT_ROW: click_row(a, top, h); break;
    case HOT_TAB:
        top->cls->key(top, ACTION_VIEW_1 + (enum action)h->item, &(struct key_event){.code = KEY_CLICK});
        break;
    case HOT_PLOT: plot_window_click(h->owner, h->r, x); break;
    }
}

void app_key(struct app *a, const struct key_event *k)
{
    struct layer *top = app_top(a);
    if (k->code == KEY_GONE) {
        app_terminal_lost(a);
        return;
    }
    if (!top)
        return;
    if (k->code == KEY_CLICK) {
        click(a, top, k->x, k->y);
        app_bury(a);
        return;
    }
    a->hots.last = NULL;
    bool taken = top->cls->text && top->cls->text(top, k);
    enum action action = taken || k->pasted ? ACTION_NONE : action_of(k);
    if (!k->pasted)
        clear_message(a);
    if (action != ACTION_INTERRUPT)
        a->interrupts = 0;
    a->dirty |= taken || !k->pasted;
    if (!taken && !k->pasted && !common_key(a, action))
        top->cls->key(top, action, k);
    app_bury(a);
}

static void look_at_end(struct app *a, bool was_live)
{
    bool live = app_run_is_live(a);
    if (was_live && !live && a->ui.bell)
        a->requests |= APP_BELL;
    if (a->session && session_overdue(a->session, a->now))
        a->leave = true;
    if (a->leave_when_over && !live)
        a->leave = true;
    if (a->leave && a->session && a->session->joined && !a->err.code)
        a->err = a->queue.code ? a->queue.err : a->session->err;
}

/* A run of another process is followed while it is shown. */
static void drop_link(struct app *a)
{
    bool shown = false;
    for (int i = 0; i < a->nlayers; i++)
        shown |= a->layer[i]->cls == &run_layer_class;
    if (shown || !a->session || !a->session->attached)
        return;
    a->hots.n = 0;
    session_free(a->session);
    a->session = NULL;
}

bool app_poll(struct app *a, double now)
{
    bool was_live = app_run_is_live(a);
    a->dirty |= was_live && (int64_t)now != (int64_t)a->now; /* ages and clocks */
    a->now = now;
    a->hurry = false;
    drop_link(a);
    if (a->session)
        a->dirty |= session_poll(a->session, now);
    app_poll_queue(a);
    for (int i = 0; i < a->nlayers; i++)
        if (a->layer[i]->cls->poll)
            a->dirty |= a->layer[i]->cls->poll(a->layer[i]);
    app_bury(a);
    expire_message(a);
    look_at_end(a, was_live);
    return a->dirty;
}

static void draw_too_small(struct canvas *c)
{
    canvas_printf(c, 0, 0, ROLE_TEXT, "too small: %dx%d, needs 40x12", c->w, c->h);
    canvas_put(c, 0, 2, ROLE_DIM, "^C ^C leaves");
}

void app_draw(struct app *a, struct canvas *c)
{
    int base = base_index(a);
    canvas_clear(c);
    a->hots.n = 0;
    c->hots = &a->hots;
    a->dirty = false;
    if (a->lost)
        return;
    if (size_class_of(c->w, c->h) == SIZE_TOO_SMALL && !shows_run(a)) {
        draw_too_small(c);
        return;
    }
    bool small = size_class_of(c->w, c->h) == SIZE_TOO_SMALL;
    for (int i = base; i >= 0 && i < a->nlayers && !(small && i > base); i++)
        a->layer[i]->cls->draw(a->layer[i], c);
}
