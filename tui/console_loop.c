/* One turn: wait, take what came, let the app look at it, show a frame when something changed. */
#include "tui/console_loop.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>

#include "engine/base/sys.h"
#include "tui/capture.h"
#include "tui/screen_guard.h"
#include "tui/signals.h"

struct loop {
    struct app *app;
    struct canvas canvas;
    struct ui_opts applied; /* of app->ui */
    double frame_at;        /* of the last frame */
    bool key_came;          /* its effect is shown at once, not with the next frame */
};

static double frame_seconds(const struct app *a)
{
    return 1 / (a->ui.fps > 0 ? a->ui.fps : 10);
}

/* A run that publishes at each of its fast steps wakes us once a frame, not more. */
static void wait_for_something(struct loop *l)
{
    struct app *a = l->app;
    double left = l->frame_at + frame_seconds(a) - sys_now();
    bool due = left <= 0;
    int captured[2];
    capture_fds(captured);
    struct pollfd fds[] = {{.fd = a->lost ? -1 : term_fd(), .events = POLLIN},
                           {.fd = signals_fd(), .events = POLLIN},
                           {.fd = captured[0], .events = POLLIN},
                           {.fd = captured[1], .events = POLLIN},
                           {.fd = -1, .events = POLLIN}};
    if (due && app_run_is_live(a))
        fds[4].fd = hub_wake_fd(a->session->thread.hub);
    double timeout = due && (a->lost || !a->dirty) ? frame_seconds(a) : fmax(left, 0);
    if (a->hurry)
        timeout = 0;
    poll(fds, sizeof fds / sizeof fds[0], (int)ceil(timeout * 1000));
}

static void suspend(struct loop *l)
{
    screen_suspend();
    l->app->dirty = true;
}

static void take_signals(struct loop *l)
{
    struct app *a = l->app;
    unsigned came = signals_take();
    if (came & SIGNAL_HANGUP)
        app_terminal_lost(a);
    if (came & SIGNAL_STOP)
        app_signal_stop(a, atomic_load(&hub_stop_request));
    if (a->lost)
        return;
    if (came & SIGNAL_SUSPEND)
        suspend(l);
    else if (came & SIGNAL_CONTINUE)
        term_resume();
    a->dirty |= came != 0;
}

static void take_keys(struct loop *l)
{
    struct key_event k;
    while (!l->app->lost && !l->app->leave && term_read_key(&k)) {
        app_key(l->app, &k);
        l->key_came = true;
    }
}

static void apply_ui(struct loop *l)
{
    const struct ui_opts *now = &l->app->ui;
    if (now->glyphs != l->applied.glyphs)
        term_set_glyphs((enum term_glyphs)now->glyphs);
    if (now->theme != l->applied.theme && term_colours() > 0)
        term_set_theme((enum theme)now->theme);
    l->applied = *now;
}

static void serve_requests(struct loop *l)
{
    struct app *a = l->app;
    unsigned wanted = a->requests;
    a->requests = 0;
    apply_ui(l);
    if (wanted & APP_NEXT_GLYPHS)
        term_set_glyphs((enum term_glyphs)(TERM_BRAILLE + ((int)term_glyph_level() + 1) % 3));
    if (wanted & APP_NEXT_THEME)
        term_set_theme((enum theme)(((int)term_theme() + 1) % THEME_COUNT));
    if (wanted & APP_REPAINT)
        term_repaint();
    if (wanted & APP_BELL)
        term_bell();
    if (wanted & APP_SUSPEND)
        suspend(l);
    a->dirty |= wanted != 0;
}

static void show(struct loop *l)
{
    struct app *a = l->app;
    int w, h;
    double now = sys_now();
    bool at_once = l->key_came || a->hurry;
    l->key_came = false;
    a->dirty |= term_resized();
    if (!a->dirty || !(at_once || now - l->frame_at >= frame_seconds(a)))
        return;
    term_size(&w, &h);
    l->canvas.level = term_glyph_level();
    if (w != l->canvas.w || h != l->canvas.h)
        canvas_resize(&l->canvas, w, h);
    app_draw(a, &l->canvas);
    if (!term_show(&l->canvas))
        a->dirty = true;
    l->frame_at = now;
}

void console_loop(struct app *a)
{
    struct loop l = {.app = a, .applied = a->ui};
    canvas_init(&l.canvas, 1, 1, term_glyph_level());
    app_poll(a, sys_now());
    while (!a->leave) {
        if (!a->lost) {
            serve_requests(&l);
            show(&l);
        }
        wait_for_something(&l);
        take_signals(&l);
        a->dirty |= capture_read();
        take_keys(&l);
        if (a->lost)
            screen_abandon();
        app_poll(a, sys_now());
    }
    canvas_release(&l.canvas);
}
