/* The only place where threads meet. The trainer publishes at step borders and acts on commands there;
 * the screen copies once per frame. Under the lock: memory is copied, nothing else. */
#ifndef TT_TRAIN_HUB_H
#define TT_TRAIN_HUB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/base/log.h"
#include "engine/train/metrics.h"

enum run_state {
    RUN_STARTING, RUN_TRAINING, RUN_EVALUATING, RUN_SAVING, RUN_PAUSED, RUN_STOPPING,
    RUN_FINISHED, /* all steps done, or stopped early */
    RUN_STOPPED,  /* by the user */
    RUN_DIVERGED, RUN_FAILED
};
const char *run_state_name(enum run_state s);
static inline bool run_state_over(enum run_state s) { return s >= RUN_FINISHED; }

enum phase { PHASE_DATA, PHASE_FORWARD, PHASE_BACKWARD, PHASE_CLIP, PHASE_OPTIMIZER, PHASE_SYNC,
             PHASE_OTHER, PHASE_COUNT };
const char *phase_name(enum phase p); /* "data wait", "forward" ... */

/* Means over the last step_windows[] steps, or over as many as there were. */
#define STEP_WINDOWS 3
#define STEP_WINDOW_TOLD 1 /* the one of all figures where none is chosen */
extern const int step_windows[STEP_WINDOWS]; /* 10, 100, 1,000 */
struct step_means {
    double step_seconds, phase_seconds[PHASE_COUNT]; /* these add up to that */
    double samples_per_second, tokens_per_second;    /* tokens NaN: none */
};

/* Everything a screen shows of one moment: plain data, below 4 KiB, belongs to one step. */
struct run_status {
    enum run_state state;
    char name[128], model[32], optimizer[32], schedule[48], device[16];
    int64_t step, max_steps, steps_per_epoch, epochs_total_steps;
    double epoch, epochs;
    double loss, loss_ema, lr, grad_norm, max_grad_norm, lr_scale;
    double samples_per_second, tokens_per_second; /* mean of the last 100 steps; tokens NaN: none */
    double step_seconds;                          /* mean of the last 100 steps */
    double phase_seconds[PHASE_COUNT];            /* likewise; add up to step_seconds */
    struct step_means means[STEP_WINDOWS];        /* likewise, over each of the windows */
    int64_t timed_steps;                          /* steps of this session */
    double train_seconds;   /* active time of the whole run, without pauses */
    double session_seconds; /* of this session, without pauses */
    double eval_seconds, save_seconds; /* mean of one; NaN: none yet */
    double paused_at;       /* sys_now() of the pause; 0: not paused */
    int64_t eval_rows_done, eval_rows; /* while evaluating */
    int64_t next_eval, next_save;      /* steps; -1: none */
    int64_t evals_left, saves_left;    /* until the end */
    int64_t saved_step;     /* -1: no checkpoint */
    double saved_at;        /* sys_now(); 0: in an earlier session or never */
    int64_t saved_bytes;
    int64_t checkpoint_interval; /* steps; 0: none */
    int64_t skipped, nonfinite;  /* updates skipped; of these with nan or inf */
    int64_t bad_from, bad_to;    /* diverged: the steps of the last streak */
    char best_metric[32];        /* "accuracy"; "" none asked for */
    double best;                 /* NaN: none yet */
    int64_t best_step;           /* -1 */
    double best_values[METRIC_COUNT]; /* best of each metric so far, NaN */
    int64_t best_steps[METRIC_COUNT];
    int64_t evals;               /* evaluations so far */
    int64_t params_bytes, grads_bytes, activation_bytes, workspace_bytes, state_bytes; /* allocated */
    int64_t rss_peak;
    char message[200];  /* of the last command or event, for the message line */
    int64_t message_id; /* grows with each message */
    bool message_bad;
    int exit_code;      /* enum tt_code once the run is over */
    bool next_run;      /* it was stopped for the next one of its queue */
    char error[512];    /* why it failed */
};

/* Series of the sample ring: one row here, one push where it arises. */
enum series {
    SERIES_LOSS, SERIES_LR, SERIES_GRAD_NORM, SERIES_SAMPLES_PER_SECOND, SERIES_EVAL_FIRST,
    SERIES_COUNT = SERIES_EVAL_FIRST + METRIC_COUNT /* eval_ metrics follow */
};
const char *series_name(int s); /* "loss", "learning_rate", "eval_accuracy" */

struct sample {
    int32_t series;
    int64_t step;
    double epoch, seconds, value; /* seconds: active time of the run */
};

enum command_kind {
    COMMAND_PAUSE, COMMAND_RESUME, COMMAND_STEP_ONCE, COMMAND_EVALUATE, COMMAND_SAVE,
    COMMAND_SAVE_AND_STOP, COMMAND_STOP,
    COMMAND_NEXT_RUN, /* save and stop this run of a queue, go on with the next */
    COMMAND_SET,    /* a live option: "section.key", "value" */
    COMMAND_INSPECT /* a report on a tensor: its name, its state, the first of the leading values */
};
struct command {
    enum command_kind kind;
    char key[160], value[64];
    int64_t first, asker; /* of COMMAND_INSPECT: see inspect_request */
};

#define HUB_LINE 16384
#define HUB_INSPECTS 4

struct hub;
struct inspect_report;

struct hub *hub_new(void);
void hub_free(struct hub *h);

/* Trainer side. hub_publish copies; a full sample ring counts and drops. */
void hub_publish(struct hub *h, const struct run_status *s);
void hub_sample(struct hub *h, const struct sample *s);
void hub_log(struct hub *h, const struct log_line *l);
/* One line of metrics.jsonl, for who prints them; a full ring counts and drops the newest. */
void hub_line(struct hub *h, const char *text, size_t n);
/* Size the report slot (once, before training), then publish evaluations of that shape into it. */
void hub_report_init(struct hub *h, const struct eval_report *like);
void hub_report(struct hub *h, const struct eval_report *r);
/* The answer to COMMAND_INSPECT. The newest HUB_INSPECTS are kept. */
void hub_inspect(struct hub *h, const struct inspect_report *r);
bool hub_receive(struct hub *h, struct command *c); /* false: none */
/* Wait for a command at most `seconds`; for a paused run. */
bool hub_wait(struct hub *h, struct command *c, double seconds);

/* Asked for from anywhere, also from a signal handler: 1 soft (finish the step, save), 2 at once. */
extern atomic_int hub_stop_request;
extern atomic_int hub_save_request; /* SIGUSR1 */

/* Screen side. */
void hub_status(struct hub *h, struct run_status *out);
int hub_samples(struct hub *h, struct sample *out, int max); /* taken out; single consumer */
int64_t hub_dropped(struct hub *h);
int hub_logs(struct hub *h, struct log_line *out, int max);
/* The oldest line not yet taken, terminated; its length, 0: none. Lines are below HUB_LINE bytes. */
size_t hub_line_get(struct hub *h, char *dst);
bool hub_report_get(struct hub *h, struct eval_report **out); /* *out made or refilled; false: nothing new */
/* The next one after `*seen` (0 at first), which grows; false: nothing new. Any number of readers. */
bool hub_inspect_get(struct hub *h, int64_t *seen, struct inspect_report *out);
int hub_send(struct hub *h, const struct command *c);         /* fails at once when full */
/* Who takes things out shows them to another reader, on its own thread: the viewers of a run. */
enum hub_item { HUB_SAMPLES, HUB_LOGS, HUB_REPORT };
typedef void hub_tap(void *user, enum hub_item item, const void *what, int n);
void hub_set_tap(struct hub *h, hub_tap *tap, void *user); /* NULL: none */
int hub_wake_fd(struct hub *h); /* readable when something was published; drained by hub_status */

#endif
