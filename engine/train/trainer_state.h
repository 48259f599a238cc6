/* The inside of a trainer, shared by the files that make it up: trainer.c (the loop), trainer_setup.c
 * (checks and building), trainer_eval.c, trainer_report.c (what is told), checkpoint.c. */
#ifndef TT_TRAIN_TRAINER_STATE_H
#define TT_TRAIN_TRAINER_STATE_H

#include "engine/data/loader.h"
#include "engine/io/metrics_file.h"
#include "engine/io/rundir.h"
#include "engine/io/tensorboard.h"
#include "engine/train/accelerator.h"
#include "engine/train/loss.h"
#include "engine/train/model_dir.h"
#include "engine/train/plan.h"
#include "engine/train/pretrained.h"
#include "engine/train/step_times.h"
#include "engine/train/trainer.h"

/* What a run has done: with weights, optimizer and schedule this is all that a resume needs. Everything
 * in it is written to state.json. */
struct progress {
    int64_t step;            /* updates used up, skipped ones too */
    int64_t epoch, micro;    /* place of the next micro-batch */
    int64_t micro_total;     /* training micro-batches so far: dropout key */
    int64_t skipped, nonfinite;
    int64_t streak;          /* non-finite updates in a row */
    double window_loss;      /* since the last training line: sum of losses */
    int64_t window_updates;  /* of this many updates */
    int64_t window_samples;
    int64_t window_tokens;
    double loss_ema, loss_weight; /* bias-corrected, 0.95 */
    double last_loss, last_lr, last_norm;
    double train_seconds;    /* without pauses */
    double best;             /* of eval.best, NaN: none yet */
    int64_t best_step;       /* -1 */
    int64_t bad_evals;       /* patience used up */
    double best_values[METRIC_COUNT];
    int64_t best_steps[METRIC_COUNT];
    int64_t evals;
    bool over;               /* finished or stopped early */
};

/* A data file as it was read; a resume with another one is refused. */
struct data_file {
    const char *path;
    int64_t bytes, rows;
    uint64_t sum;
};

struct trainer {
    struct run_config rc; /* its own copy: live options change it */
    struct hub *hub;
    struct dataset train, eval;
    struct pretrained start;  /* the model to start from */
    struct tokenizer *tokenizer; /* of texts, else NULL */
    struct data_file file[4]; /* rows and labels of either side */
    int nfile;
    struct run_length length;
    struct memory_plan plan;
    struct rundir dir;
    bool resumed, fresh_dir;
    bool ended;               /* a resumed run that was over and has its final/ */
    int watch;                /* enum metric that decides the best, or -1 */
    int patience_metric;      /* watch, else the loss */
    struct accelerator acc;
    struct network net;
    struct loss_rule loss;
    float *class_weight;
    struct loader *loader;
    struct metrics metrics;
    struct eval_report *report;
    struct progress p;
    struct run_status st;
    struct step_times times;  /* of this session */
    struct appender metrics_out, log_out;
    struct tb_writer tb;
    bool have_tb;
    struct json_line json;
    double session_start, paused_seconds, window_start;
    int64_t saved_step;       /* newest whole checkpoint; -1 */
    struct spec_names names;
    struct err failure;       /* a save or a line of a file that could not be written */
    bool want_eval, want_save, want_stop, want_stop_now, step_once, paused;
};

/* trainer_report.c: what the run says of itself. */
int report_open(struct trainer *t, struct err *e); /* log, metrics, events; after the run directory */
void report_close(struct trainer *t);
void report_description(struct trainer *t);        /* first line of metrics.jsonl */
void report_step(struct trainer *t, const struct step_info *info); /* samples; a line when it is due */
void report_evaluation(struct trainer *t, bool best);
void report_status(struct trainer *t, enum run_state state);       /* to the hub */
void report_message(struct trainer *t, bool bad, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void report_summary(struct trainer *t, const char *state);         /* for the launcher */

/* trainer_build.c: take all memory, restore, open files; and give it back. */
int trainer_build(struct trainer *t, struct err *e);
void trainer_teardown(struct trainer *t);

/* What final/ and every checkpoint hold of the network, its vocabulary among it. */
int trainer_save_model(struct trainer *t, const char *dir, struct err *e);

/* trainer_commands.c: act on what was asked for; stays inside while the run is paused. */
void commands_handle(struct trainer *t);

/* trainer.c: evaluate and save as asked for. */
int trainer_serve(struct trainer *t, struct err *e);

/* trainer_eval.c */
/* Fills t->report and the best; scheduled evaluations also move patience and schedules that follow a
 * metric. TT_ESTOPPED when a stop cut it short. */
int evaluate(struct trainer *t, bool scheduled, struct err *e);
bool patience_is_over(const struct trainer *t);

/* checkpoint.c: model.safetensors, optimizer.safetensors, state.json. */
int checkpoint_note_data(struct trainer *t, struct err *e); /* the data files, for state.json */
int checkpoint_save(struct trainer *t, struct err *e);
int checkpoint_load(struct trainer *t, const char *dir, struct err *e);
/* state.json alone, before anything is built: progress, and that the data files are the same. */
int checkpoint_read_state(struct trainer *t, const char *dir, struct err *e);

/* Steps between checkpoints etc. of an `every` option: 0 for no. */
int64_t every_steps(const struct every *v, int64_t updates_per_epoch);
/* Is step `s` one of them? The end of each epoch, or a multiple of n. */
bool every_due(const struct every *v, int64_t s, int64_t updates_per_epoch);
int64_t every_next(const struct every *v, int64_t s, int64_t updates_per_epoch, int64_t end); /* -1: none */

#endif
