/* `traintui train`: the same engine without a screen. Lines of metrics go to stderr, aligned, or as JSON
 * to stdout; the last page to stdout. */
#include "tui/cmd_train.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "tui/exit_page.h"
#include "tui/process.h"
#include "tui/queue.h"
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
    if (json_object_get(o, "tokens_per_second") && n < sizeof line)
        n += (size_t)snprintf(line + n, sizeof line - n, "  %.0f tokens/s",
                              number(o, "tokens_per_second"));
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

/* A run that is watched by lines of text. */
struct headless {
    struct run_thread run;
    struct uimodel model;
    bool json;
    bool has_terminal; /* whose end may be told by SIGHUP */
    int64_t seen;      /* lines of the log that were printed */
    double told;       /* sys_now() of the order to stop at once; 0: none */
};

static void drain(struct headless *h)
{
    static char line[HUB_LINE];
    run_thread_poll(&h->run, &h->model, sys_now());
    print_log(&h->model, h->json, &h->seen);
    while (hub_line_get(h->run.hub, line)) {
        if (h->json)
            puts(line);
        else
            print_line(line, h->model.st.max_steps);
    }
    flush_output();
}

static bool has_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* The end of the terminal is not that of the run. Without one SIGHUP comes from somebody who means the
 * process. */
static void take_signals(struct headless *h)
{
    int none = 0;
    if (!(signals_take() & SIGNAL_HANGUP))
        return;
    if (h->has_terminal)
        process_detach(NULL);
    else
        atomic_compare_exchange_strong(&hub_stop_request, &none, 1);
    h->has_terminal = false;
}

/* Wait until the run is over; false: told twice to stop, and it did not within its time. */
static bool watch(struct headless *h)
{
    while (!run_thread_over(&h->run)) {
        struct pollfd fds[3] = {{.fd = run_thread_server_fd(&h->run), .events = POLLIN},
                                {.fd = signals_fd(), .events = POLLIN},
                                {.fd = hub_wake_fd(h->run.hub), .events = POLLIN}};
        poll(fds, 3, 200);
        take_signals(h);
        drain(h);
        double now = sys_now();
        if (atomic_load(&hub_stop_request) > 1 && h->told == 0)
            h->told = now;
        if (h->told > 0 && now - h->told > HARD_STOP_SECONDS)
            return false;
        poll(fds, 2, 20); /* a fast run wakes us at each step: fifty looks a second are enough */
    }
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

/* The run built and going, its past in the model. */
static int begin(struct headless *h, const struct run_config *rc, const char *resume,
                 const struct queue *q, struct err *e)
{
    struct err unread = ERR_INIT;
    int code = run_thread_build(&h->run, rc, resume, e);
    if (code)
        return code;
    str_copy(h->model.path, sizeof h->model.path, trainer_run_path(h->run.trainer));
    uimodel_start(&h->model, rc, trainer_plan(h->run.trainer), trainer_data(h->run.trainer));
    uimodel_count_tokens(&h->model, trainer_data(h->run.trainer), trainer_eval_data(h->run.trainer));
    queue_tell(q, &h->model);
    if (resume)
        uimodel_read_series(&h->model, h->model.path, &unread);
    return run_thread_go(&h->run, e);
}

static int see_through(struct headless *h, struct err *e)
{
    if (!watch(h)) {
        run_thread_abandon(&h->run, &h->model);
        _exit(1);
    }
    int code = run_thread_join(&h->run, &h->model, e);
    drain(h);
    last_words(&h->model, h->json, code);
    run_thread_release(&h->run);
    if (code == TT_ESTOPPED && atomic_load(&hub_stop_request) > 1)
        return TT_EFAIL; /* told twice, however far it came */
    if (code == TT_ESTOPPED)
        *e->msg = 0; /* the page has said it */
    return code;
}

static int train_one(struct queue *q, const struct cmd_args *a, bool *next_run, struct err *e)
{
    struct run_config rc;
    struct headless h = {.json = a->json, .has_terminal = has_terminal()};
    char *resume;
    bool over;
    int code = queue_take(q, cmd_optimizers, &rc, &resume, &over, e);
    if (code)
        return code;
    if (q->runs.n > 1)
        fprintf(stderr, "queue: run %zu of %zu, %s%s\n", q->next, q->runs.n,
                q->runs.item[q->next - 1].stem, over ? ": over" : "");
    uimodel_init(&h.model);
    if (!over && !(code = begin(&h, &rc, resume, q, e)))
        code = see_through(&h, e);
    *next_run = h.model.st.next_run;
    free(resume);
    uimodel_release(&h.model);
    run_config_release(&rc);
    return code;
}

/* The first failure is that of the whole; what the last run has to say is left to the caller. */
static int train_all(struct queue *q, const struct cmd_args *a, struct err *e)
{
    for (;;) {
        bool next_run = false;
        int code = train_one(q, a, &next_run, e);
        if (!queue_goes_on(q, code, e, next_run))
            return q->code;
        if (*e->msg)
            fprintf(stderr, "traintui: %s\n", e->msg);
        *e = (struct err)ERR_INIT;
    }
}

int train_headless(const struct cmd_args *a, struct err *e)
{
    struct queue q = {.resumes = a->resume};
    int code = run_queue_open(&q.runs, a->pos[0], a->set, a->nset, cmd_optimizers, e);
    if (code)
        return code;
    signals_install();
    code = train_all(&q, a, e);
    queue_release(&q);
    return code;
}

const struct cmd cmd_train = {
    .name = "train",
    .synopsis = "FILE.ini|FOLDER [--set s.k=v]... [--resume] [--json]",
    .summary = "train without a screen; a folder of configs or a [sweep] one after the other",
    .flags = CMD_TAKES_SET | CMD_TAKES_JSON | CMD_TAKES_RESUME | CMD_DETACHES,
    .min_pos = 1,
    .max_pos = 1,
    .run = train_headless,
};
