/* Commands: one file cmd_NAME.c each, ended by its constant `cmd_NAME`; cmd_list.h names them. A command
 * gets its parsed arguments and returns 0 or the negative code that is the exit status; main prints the
 * message. */
#ifndef TT_TUI_CMD_H
#define TT_TUI_CMD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/err.h"

#define CMD_SET 64
#define CMD_POSITIONAL 16

struct cmd_args {
    const char *pos[CMD_POSITIONAL];
    int npos;
    const char *set[CMD_SET]; /* section.key=value */
    size_t nset;
    bool json, csv, resume, start, read_only, pair;
    const char *metrics; /* --metrics FILE */
    int64_t labels;      /* --labels N; 0: not given */
    int64_t max_length;  /* --max-length N; 0: not given */
};

enum cmd_flag { CMD_TAKES_SET = 1, CMD_TAKES_JSON = 2, CMD_TAKES_RESUME = 4, CMD_TAKES_START = 8,
                CMD_TAKES_METRICS = 16, CMD_TAKES_LABELS = 32, CMD_TAKES_CSV = 64,
                CMD_TAKES_READ_ONLY = 128, CMD_DETACHES = 256 /* has two processes: tui/process.h */,
                CMD_TAKES_PAIR = 512, CMD_TAKES_MAX_LENGTH = 1024 };

struct cmd {
    const char *name;     /* "" is the console */
    const char *synopsis; /* what follows the name: "FILE.ini [--json]" */
    const char *summary;
    unsigned flags;
    int min_pos, max_pos;
    int (*run)(const struct cmd_args *a, struct err *e);
};

extern const struct cmd *const cmds[]; /* in the order of --help, ended by NULL; cmds[0] is the console */
const struct cmd *cmd_by_name(const char *name); /* or NULL */

/* argv without program and command name. TT_ECONFIG on an unknown or misplaced argument. */
int cmd_parse(const struct cmd *c, int argc, char **argv, struct cmd_args *a, struct err *e);
void cmd_help(const struct cmd *c, FILE *out); /* NULL: all commands */

/* The table of optimizers, handed in by main: nothing else in tui/ names it. */
struct optim_class;
extern const struct optim_class *const *cmd_optimizers;

/* The config of a command: FILE.ini with --set, or a run directory's config.ini. */
struct run_config;
int cmd_load_config(const struct cmd_args *a, const char *path, struct run_config *rc, struct err *e);
/* RUN: a run directory or the name of one in runs/; its config too. Caller frees *path. */
int cmd_load_run(const struct cmd_args *a, const char *run, char **path, struct run_config *rc,
                 struct err *e);

/* JSON text to stdout, a newline after it; takes `root` over. */
void cmd_print_json(void *root);

#endif
