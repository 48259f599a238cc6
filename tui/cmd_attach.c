/* `traintui attach RUN`: the dashboard of a run that is going on in another process. */
#include <stdlib.h>
#include <unistd.h>

#include "tui/cmd.h"
#include "tui/console.h"

/* How the screen looks is what the run's config says, and --set. */
static int attach(const char *path, const struct run_config *rc, bool reads_only, struct err *e)
{
    struct app app;
    app_init(&app, cmd_optimizers);
    int code = keys_configure(&rc->ini, e);
    if (!code)
        code = app_attach_run(&app, path, reads_only, e);
    if (!code) {
        app.ui = rc->ui;
        code = console_run(&app, e);
    }
    app_release(&app);
    return code;
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct run_config rc;
    char *path;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(e, TT_ECONFIG, "attach needs a terminal (traintui compare RUN prints figures)");
    int code = cmd_load_run(a, a->pos[0], &path, &rc, e);
    if (code)
        return code;
    code = attach(path, &rc, a->read_only, e);
    run_config_release(&rc);
    free(path);
    return code;
}

const struct cmd cmd_attach = {
    .name = "attach",
    .synopsis = "RUN [--read-only] [--set s.k=v]...",
    .summary = "look at and steer a run that is going on elsewhere",
    .flags = CMD_TAKES_READ_ONLY | CMD_TAKES_SET,
    .min_pos = 1,
    .max_pos = 1,
    .run = run,
};
