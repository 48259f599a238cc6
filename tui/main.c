/* The program: descriptors, locale, the worker threads' patience, then the command. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/backend/backend.h"
#include "engine/base/file.h"
#include "engine/base/opt.h"
#include "engine/base/str.h"
#include "engine/base/sys.h"
#include "optimizers/table.h"
#include "tui/cmd.h"
#include "tui/process.h"

/* Under its own name: /proc/self/exe would show as "exe" in every list of processes. */
static void start_anew(char **argv)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = 0;
        execv(path, argv);
        execv("/proc/self/exe", argv);
    }
}

/* Descriptors 0-2 that were closed at the start would be taken by the next file that is opened. */
static void open_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd ? O_WRONLY : O_RDONLY);
}

static int report(const struct err *e, int code)
{
    if (code && *e->msg)
        fprintf(stderr, "traintui: %s\n", e->msg);
    return err_exit_status(code);
}

/* What printf left behind: output that could not be written is a failure that has to be told. */
static int flush_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "traintui: can't write the output: %s\n", strerror(errno));
    return status ? status : 1;
}

/* A first word that is neither a command nor a config was meant to be a command. */
static int check_command(const char *word, struct err *e)
{
    const char *names[32];
    size_t n = 0;
    if (*word == '-' || str_ends(word, ".ini") || file_exists(word))
        return 0;
    for (const struct cmd *const *c = cmds; *c; c++)
        if (*(*c)->name)
            names[n++] = (*c)->name;
    return opt_unknown("command", word, names, n, e);
}

int main(int argc, char **argv)
{
    open_standard_descriptors();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* The workers' patience is read when the library is loaded: it has to be in the environment before. */
    if (openmp_spin_briefly())
        start_anew(argv);
    sys_locale();
    cmd_optimizers = optim_classes;
    struct err e = ERR_INIT;
    struct cmd_args args;
    const struct cmd *c = argc > 1 ? cmd_by_name(argv[1]) : NULL;
    int skip = c ? 2 : 1;
    if (!c)
        c = cmds[0];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            cmd_help(skip == 2 ? c : NULL, stdout);
            return flush_output(0);
        }
        if (!strcmp(argv[i], "--version")) {
            printf("traintui %s\n", PACKAGE_VERSION);
            return flush_output(0);
        }
    }
    int code = skip == 1 && argc > 1 ? check_command(argv[1], &e) : 0;
    if (!code)
        code = cmd_parse(c, argc - skip, argv + skip, &args, &e);
    if (!code && c->flags & CMD_DETACHES)
        process_fork();
    blas_choose_core();
    return flush_output(report(&e, code ? code : c->run(&args, &e)));
}
