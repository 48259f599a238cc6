/* `traintui [FILE.ini]`: the console. Without a terminal it is `traintui train`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "tui/capture.h"
#include "tui/cmd.h"
#include "tui/cmd_train.h"
#include "tui/console.h"
#include "tui/console_loop.h"
#include "tui/form.h"
#include "tui/launcher.h"
#include "tui/leave.h"
#include "tui/screen_guard.h"
#include "tui/signals.h"

static int without_terminal(const struct cmd_args *a, struct err *e)
{
    if (a->npos)
        return train_headless(a, e);
    return err_set(e, TT_ECONFIG, "no terminal and no FILE.ini (traintui train FILE.ini trains "
                                  "without a screen; traintui --help)");
}

static int find_resume(const struct cmd_args *a, char **path, struct err *e)
{
    struct run_config rc;
    int code = cmd_load_config(a, a->pos[0], &rc, e);
    if (code)
        return code;
    code = trainer_find_resume(&rc, path, e);
    run_config_release(&rc);
    return code;
}

/* *is: a folder of configs, or a config with a [sweep]. Its runs start at once, or after a question. */
static int open_queue(struct app *app, const struct cmd_args *a, bool *is, struct err *e)
{
    struct queue q = {.resumes = a->resume};
    bool folder = file_is_dir(a->pos[0]);
    int code = run_queue_open(&q.runs, a->pos[0], a->set, a->nset, app->optims, e);
    if (code)
        return code;
    *is = folder || q.runs.n > 1;
    if (*is && (a->start || a->resume))
        return app_start_queue(app, &q, e);
    queue_release(&q);
    if (folder)
        launcher_ask_queue((struct launcher *)app_top(app), a->pos[0], a->set, a->nset);
    return 0;
}

/* The form of the file that was named, over the launcher. */
static int open_file(struct app *app, const struct cmd_args *a, struct err *e)
{
    char *resume = NULL;
    bool queue = false;
    if (a->start || a->resume || file_is_dir(a->pos[0])) {
        int code = open_queue(app, a, &queue, e);
        if (code || queue)
            return code;
    }
    int code = a->resume ? find_resume(a, &resume, e) : 0;
    struct form_spec s = {.path = a->pos[0], .set = a->set, .nset = a->nset, .resume = resume,
                          .start = a->start, .leave_on_failure = a->start};
    if (!code)
        code = form_open(app, &s, e);
    free(resume);
    return code;
}

static int fill(struct app *app, const struct cmd_args *a, struct err *e)
{
    app->installed = PKGDATADIR "/configs";
    app_push(app, launcher_new(app));
    if (a->npos)
        return open_file(app, a, e);
    if (a->nset || a->start || a->resume)
        return err_set(e, TT_ECONFIG, "%s needs FILE.ini",
                       a->nset ? "--set" : a->start ? "--start" : "--resume");
    return 0;
}

/* What is left to say and the exit status, when the loop has ended. */
static int finish(struct app *app, enum glyph_level level, struct err *e)
{
    struct session *s = app->session;
    if (!app->lost)
        screen_close();
    capture_close();
    if (session_own_live(s)) {
        run_thread_abandon(&s->thread, &s->model);
        fprintf(stderr, "traintui: stopped at once, within a step; nothing was saved\n");
        _exit(1);
    }
    if (app->lost) { /* nobody is there to read it */
        *e = (struct err){.code = app->err.code};
        return app->err.code;
    }
    if (s && (s->own || s->attached))
        leave_print_page(app, level);
    *e = app->err;
    if (e->code == TT_ESTOPPED)
        *e->msg = 0; /* the page has said it */
    return e->code;
}

int console_run(struct app *app, struct err *e)
{
    struct term_opts o = {.theme = (enum theme)app->ui.theme,
                          .glyphs = (enum term_glyphs)app->ui.glyphs, .mouse = app->ui.mouse};
    signals_install_screen();
    int code = screen_open(&o, e);
    if (code)
        return code;
    if (*term_note())
        app_say(app, true, "%s", term_note());
    console_loop(app);
    return finish(app, term_glyph_level(), e);
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct app app;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return without_terminal(a, e);
    app_init(&app, cmd_optimizers);
    int code = fill(&app, a, e);
    if (!code)
        code = console_run(&app, e);
    app_release(&app);
    return code;
}

const struct cmd cmd_console = {
    .name = "",
    .synopsis = "[FILE.ini|FOLDER] [--set s.k=v]... [--start] [--resume]",
    .summary = "the console: choose, start and watch a run",
    .flags = CMD_TAKES_SET | CMD_TAKES_START | CMD_TAKES_RESUME | CMD_DETACHES,
    .max_pos = 1,
    .run = run,
};
