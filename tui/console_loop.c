/* One turn: wait, take what came, let the app look at it, show a frame when something changed. */
#include "tui/console_loop.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>

#include "engine/base/sys.h"
#include "tui/capture.h"
#include "tui/leave.h"
#include "tui/screen_guard.h"
#include "tui/signals.h"

struct loop {
    struct app *app;
    struct canvas canvas;
    struct ui_opts applied; /* of app->ui */
    double frame_at;        /* of the last frame, or of the last look where there is no screen */
    bool key_came;          /* its effect is shown at once, not with the next frame */
    bool suspended;         /* the job is stopped, the screen given back; the run goes on */
    bool continued;         /* the job is not stopped any more */
};

static bool has_screen(const struct loop *l)
{
    return !l->app->lost && !l->suspended;
}

/* As often as wanted, or as the link takes them. */
static double frame_seconds(const struct app *a)
{
    return fmax(1 / (a->ui.fps > 0 ? a->ui.fps : 10), term_pace());
}

/* A run that publishes at each of its fast steps wakes us once a frame, not more. */
static void wait_for_something(struct loop *l)
{
    struct app *a = l->app;
    double left = l->frame_at + frame_seconds(a) - sys_now();
    bool due = left <= 0;
    int captured[2], run[2] = {-1, -1};
    capture_fds(captured);
    if (a->session)
        session_fds(a->session, run);
    struct pollfd fds[] = {{.fd = has_screen(l) ? term_fd() : -1, .events = POLLIN},
                           {.fd = has_screen(l) ? term_busy_fd() : -1, .events = POLLOUT},
                           {.fd = signals_fd(), .events = POLLIN},
                           {.fd = captured[0], .events = POLLIN},
                           {.fd = captured[1], .events = POLLIN},
                           {.fd = run[1], .events = POLLIN},
                           {.fd = due ? run[0] : -1, .events = POLLIN}};
    double timeout = due && (!has_screen(l) || !a->dirty) ? frame_seconds(a) : fmax(left, 0);
    if (a->hurry)
        timeout = 0;
    poll(fds, sizeof fds / sizeof fds[0], (int)ceil(timeout * 1000));
}

static void suspend(struct loop *l)
{
    l->suspended = screen_suspend();
    l->continued = false;
    l->app->dirty = true;
}

/* In the background, where `bg` continues a job, the terminal is the shell's. */
static void end_suspension(struct loop *l)
{
    if (!l->suspended || !l->continued || !screen_in_front())
        return;
    l->suspended = false;
    screen_take_back();
    l->app->dirty = true;
}

/* The terminal goes back to the shell, with what there is to say; the run goes on without it. */
static void detach(struct loop *l)
{
    struct app *a = l->app;
    if (!app_run_is_own(a))
        return;
    screen_close();
    leave_print_page(a, l->canvas.level);
    leave_terminal(a);
}

/* The terminal has gone its own way. */
static void lose_terminal(struct loop *l)
{
    screen_abandon();
    leave_terminal(l->app);
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
    if (came & SIGNAL_SUSPEND && !l->suspended)
        suspend(l);
    else if (came & SIGNAL_CONTINUE && !l->suspended)
        term_resume();
    l->continued |= (came & SIGNAL_CONTINUE) != 0;
    end_suspension(l);
    a->dirty |= came != 0;
}

static void take_keys(struct loop *l)
{
    struct key_event k;
    while (has_screen(l) && !l->app->leave && term_read_key(&k)) {
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
    if (now->mouse != l->applied.mouse)
        term_set_mouse(now->mouse);
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
    if (wanted & APP_DETACH)
        detach(l);
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
        if (has_screen(&l))
            serve_requests(&l);
        if (has_screen(&l))
            show(&l);
        wait_for_something(&l);
        bool lost = a->lost;
        take_signals(&l);
        if (has_screen(&l))
            term_pump();
        a->dirty |= capture_read();
        take_keys(&l);
        if (a->lost && !lost)
            lose_terminal(&l);
        app_poll(a, sys_now());
        if (!has_screen(&l))
            l.frame_at = sys_now();
    }
    if (l.suspended)
        screen_abandon();
    canvas_release(&l.canvas);
}
