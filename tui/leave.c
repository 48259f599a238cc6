/* The exit page, and the program that goes on behind it. */
#include "tui/leave.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/file.h"
#include "engine/io/rundir.h"
#include "tui/capture.h"
#include "tui/exit_page.h"
#include "tui/paths.h"
#include "tui/process.h"

static void print_run(const char *path)
{
    struct run_summary sum;
    struct err ignored = ERR_INIT;
    char step[32], max[32];
    if (rundir_read_summary(path, &sum, &ignored))
        return;
    printf("%s: %s at step %s of %s, %s", sum.name, sum.state, str_commas(step, sizeof step, sum.step),
           str_commas(max, sizeof max, sum.max_steps), sum.optimizer);
    if (*sum.best_metric && !isnan(sum.best))
        printf(", best %s %.4f", sum.best_metric, sum.best);
    putchar('\n');
}

static void print_queue(const struct app *a)
{
    const struct strlist *paths = &a->queue_paths;
    for (size_t i = 0; i + 1 < paths->n; i++)
        print_run(paths->s[i]);
    if (paths->n > 1)
        putchar('\n');
}

/* How the runs of the queue are looked at together, and what is left of it. */
static void print_after(const struct app *a)
{
    const struct strlist *paths = &a->queue_paths;
    char here[4200];
    if (paths->n < 2)
        return;
    printf("  all of them traintui compare");
    for (size_t i = 0; i < paths->n; i++)
        printf(" %s", path_from_here(here, sizeof here, paths->s[i]));
    putchar('\n');
}

void leave_print_page(const struct app *a, enum glyph_level level)
{
    struct strbuf page = STRBUF_INIT;
    print_queue(a);
    exit_page(&a->session->model, level, &page);
    if (page.s)
        fputs(page.s, stdout);
    print_after(a);
    fflush(stdout);
    strbuf_release(&page);
}

void leave_terminal(struct app *a)
{
    struct err ignored = ERR_INIT;
    app_terminal_lost(a);
    if (!app_run_is_own(a))
        return;
    char *log = file_join(a->session->model.path, "log.txt");
    process_detach(log);
    capture_open(&ignored);
    free(log);
}
