/* `traintui train`: the same engine without a screen. Lines of metrics go to stderr, aligned, or as JSON
 * to stdout; the last page to stdout. */
#include "tui/cmd_train.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "tui/exit_page.h"
#include "tui/run_thread.h"
#include "tui/signals.h"

#define HARD_STOP_SECONDS 0.5

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* One aligned line for a line of metrics.jsonl. */
static void print_line(const char *text, int64_t max_steps)
{
    json_t *o = json_loads(text, 0, NULL);
    if (!json_object_get(o, "step")) {
        json_decref(o);
        return;
    }
    char line[256];
    size_t n = (size_t)snprintf(line, sizeof line, "step %*lld/%lld  epoch %7.3f",
                                (int)snprintf(NULL, 0, "%lld", (long long)max_steps),
                                (long long)json_integer_value(json_object_get(o, "step")),
                                (long long)max_steps, number(o, "epoch"));
    if (json_object_get(o, "eval_loss"))
        n += (size_t)snprintf(line + n, sizeof line - n, "  eval_loss %8.4f", number(o, "eval_loss"));
    for (int i = METRIC_ACCURACY; i < METRIC_COUNT; i++) {
        const struct metric_desc *d = &metric_descs[i];
        if (json_object_get(o, d->series) && n < sizeof line)
            n += (size_t)snprintf(line + n, sizeof line - n, "  %s %.4f", d->name,
                                  number(o, d->series));
    }
    if (json_object_get(o, "loss"))
        n += (size_t)snprintf(line + n, sizeof line - n,
                              "  loss %8.4f  lr %.2e  grad_norm %8.4f  %8.1f samples/s",
                              number(o, "loss"), number(o, "learning_rate"), number(o, "grad_norm"),
                              number(o, "samples_per_second"));
    if (json_integer_value(json_object_get(o, "skipped")) && n < sizeof line)
        snprintf(line + n, sizeof line - n, "  skipped %lld",
                 (long long)json_integer_value(json_object_get(o, "skipped")));
    fprintf(stderr, "%s\n", line);
    json_decref(o);
}

/* What the log has to say besides evaluations, which have their line; with --json what is wrong. */
static void print_log(const struct uimodel *m, bool json, int64_t *seen)
{
    for (; *seen < m->log_end; ++*seen) {
        const struct log_line *l = uimodel_log(m, *seen);
        if (l && (json ? l->kind == LOG_WARN || l->kind == LOG_ERROR : l->kind != LOG_EVAL))
            fprintf(stderr, "%s: %s\n", log_kind_name(l->kind), l->text);
    }
}

/* Output that is full or gone ends no run, and there is none from then on. */
static void flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "warn: can't write the output: %s\n", strerror(errno));
    (void)!freopen("/dev/null", "w", stdout);
}

static void drain(struct run_thread *r, struct uimodel *m, bool json, int64_t *seen)
{
    static char line[HUB_LINE];
    uimodel_poll(m, r->hub, sys_now());
    print_log(m, json, seen);
    while (hub_line_get(r->hub, line)) {
        if (json)
            puts(line);
        else
            print_line(line, m->st.max_steps);
    }
    flush_output();
}

/* Wait until the run is over; false: told twice to stop, and it did not within its time. */
static bool watch(struct run_thread *r, struct uimodel *m, bool json, int64_t *seen)
{
    double told = 0;
    while (!run_thread_over(r)) {
        struct pollfd fds[2] = {{.fd = hub_wake_fd(r->hub), .events = POLLIN},
                                {.fd = signals_fd(), .events = POLLIN}};
        char bytes[16];
        poll(fds, 2, 200);
        if (fds[1].revents)
            (void)!read(signals_fd(), bytes, sizeof bytes);
        drain(r, m, json, seen);
        double now = sys_now();
        if (atomic_load(&hub_stop_request) > 1 && told == 0)
            told = now;
        if (told > 0 && now - told > HARD_STOP_SECONDS)
            return false;
        usleep(20000); /* a fast run wakes us at each step: fifty looks a second are enough */
    }
    drain(r, m, json, seen);
    return true;
}

/* The exit page, or the one of its lines that has no place in metrics.jsonl. */
static void last_words(const struct uimodel *m, bool json, int code)
{
    struct strbuf page = STRBUF_INIT;
    if (json && code == TT_ESTOPPED) {
        fprintf(stderr, "continue: traintui train %s/config.ini --resume\n", m->path);
    } else if (!json) {
        exit_page(m, sys_locale() ? GLYPHS_BRAILLE : GLYPHS_ASCII, &page);
        fputs(page.s ? page.s : "", stdout);
    }
    strbuf_release(&page);
    flush_output();
}

int train_headless(const struct cmd_args *a, struct err *e)
{
    struct run_config rc;
    struct run_thread r;
    struct uimodel m;
    char *resume = NULL;
    int64_t seen = 0;
    int code = cmd_load_config(a, a->pos[0], &rc, e);
    if (code)
        return code;
    if (a->resume)
        code = trainer_find_resume(&rc, &resume, e);
    signals_install();
    if (!code)
        code = run_thread_build(&r, &rc, resume, e);
    uimodel_init(&m);
    uimodel_start(&m, &rc, NULL, NULL);
    if (!code) {
        str_copy(m.path, sizeof m.path, trainer_run_path(r.trainer));
        code = run_thread_go(&r, e);
    }
    free(resume);
    if (code) {
        uimodel_release(&m);
        run_config_release(&rc);
        return code;
    }
    if (!watch(&r, &m, a->json, &seen))
        _exit(1);
    code = run_thread_join(&r, e);
    last_words(&m, a->json, code);
    if (code == TT_ESTOPPED && atomic_load(&hub_stop_request) > 1)
        code = TT_EFAIL; /* told twice, however far it came */
    else if (code == TT_ESTOPPED)
        *e->msg = 0; /* the page has said it */
    uimodel_release(&m);
    run_thread_release(&r);
    run_config_release(&rc);
    return code;
}

const struct cmd cmd_train = {
    .name = "train",
    .synopsis = "FILE.ini [--set s.k=v]... [--resume] [--json]",
    .summary = "train without a screen",
    .flags = CMD_TAKES_SET | CMD_TAKES_JSON | CMD_TAKES_RESUME,
    .min_pos = 1,
    .max_pos = 1,
    .run = train_headless,
};
