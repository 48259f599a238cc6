/* Everything the screen knows of one run: a copy per frame of what the hub published, plus what
 * the screen keeps of it (histories, log, evaluations). Views read it and never change it. UI
 * thread only. */
#ifndef TT_TUI_UIMODEL_H
#define TT_TUI_UIMODEL_H

#include "engine/train/token_counts.h"
#include "engine/train/hub.h"
#include "engine/train/plan.h"
#include "engine/train/run_config.h"
#include "tui/history.h"

#define UIMODEL_LOG 4096

struct live_edit { /* a line of the journal */
    int64_t step;
    double seconds;
    char key[64], from[32], to[32];
};

struct uimodel {
    struct run_status st;
    char path[4096];    /* of the run directory; "" until it is known */
    double now;         /* sys_now() of this frame */
    int64_t unix_now;
    bool live;          /* a trainer of this process; false: read from a run directory */
    struct history series[SERIES_COUNT];
    struct eval_report *report; /* newest; read it when have_report */
    bool have_report;
    struct log_line *log;       /* ring of UIMODEL_LOG */
    int64_t log_first, log_end; /* numbers of the lines kept: index = number % UIMODEL_LOG */
    struct live_edit *edits;
    int nedits;
    const struct run_config *rc;
    struct memory_plan plan;    /* formula; the allocated bytes are in st */
    bool have_plan;
    struct sched sched;         /* for the drawn preview */
    bool have_sched;
    struct strlist labels;      /* names of classes */
    struct token_counts tokens[2]; /* of training and evaluation; rows 0: no texts, or not known */
    enum problem problem;       /* of the head; classes until it is known */
    int64_t rss;                /* resident bytes, sampled once a second */
    bool watched;       /* there is a screen in the process of the run */
    int viewers;        /* screens that show the run, this one among them */
    bool attached;      /* the run is in another process, reached through its socket */
    bool reads_only;    /* ... and is only looked at */
    int64_t pid;        /* attached: process of the run; 0: this one */
    char host[64];      /* attached: where it is */
    double heard_at;    /* attached: sys_now() of the last word of the run */
    int queue, queued; /* number of this run in its queue, and how many are in it; 0: none */
    double eta;                 /* seconds; NaN: not yet (screens.md principle 21) */
    /* Pace (principle 20): text fields follow `text`, refreshed at most 4 times a second; ages,
     * ETA and resident bytes follow `clock`, once a second. */
    struct run_status text;     /* status as the text fields show it */
    double text_at, clock;
    double step_at;             /* sys_now() when st.step last changed */
    int64_t eta_steps;          /* max_steps that eta was made for */
    size_t edits_cap;
    struct run_config *own_rc;  /* what uimodel_load read; rc points to it */
};

void uimodel_init(struct uimodel *m);
void uimodel_release(struct uimodel *m);
/* Facts of a run about to start: its config, plan, labels. rc is borrowed, the rest copied; plan
 * and train may be NULL. */
void uimodel_start(struct uimodel *m, const struct run_config *rc, const struct memory_plan *plan,
                   const struct dataset *train);
/* How long the texts of a run about to start are. */
void uimodel_count_tokens(struct uimodel *m, const struct dataset *train,
                          const struct dataset *eval);
/* Take what the hub has; true when something changed. */
bool uimodel_poll(struct uimodel *m, struct hub *h, double now);
/* What metrics.jsonl of a run directory tells into the series, for a run that goes on. Absent:
 * nothing. */
int uimodel_read_series(struct uimodel *m, const char *run_path, struct err *e);
/* A run on disk: metrics.jsonl, log.txt, summary, config. `m` as after uimodel_init. */
int uimodel_load(struct uimodel *m, const char *run_path,
                 const struct optim_class *const *optims, struct err *e);
/* Make the preview, or bring it up to the status. */
void uimodel_follow_schedule(struct uimodel *m);
void uimodel_add_log(struct uimodel *m, const struct log_line *l, double seconds);
const struct log_line *uimodel_log(const struct uimodel *m, int64_t number); /* NULL: not kept */
/* Name of the run; of a class, "LABEL_3" where the data has none. */
const char *uimodel_name(const struct uimodel *m);
const char *uimodel_label(const struct uimodel *m, int i, char dst[32]);
/* The run directory, or a file below it (else ""), as seen from the current folder. */
char *uimodel_path(const struct uimodel *m, char *dst, size_t size, const char *below);
const struct history *uimodel_metric(const struct uimodel *m, enum metric k);

#endif
