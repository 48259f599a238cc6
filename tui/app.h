/* The console without its terminal: a stack of layers that take keys and draw on a canvas, and the run
 * they are about. A loop with a terminal (console_loop.c) or a test drives it. UI thread only. */
#ifndef TT_TUI_APP_H
#define TT_TUI_APP_H

#include "tui/hot.h"
#include "tui/layer.h"
#include "tui/queue.h"
#include "tui/session.h"

#define APP_LAYERS 8

/* What only the owner of the terminal can do; it clears the bits. */
enum app_request {
    APP_REPAINT = 1, APP_SUSPEND = 2, APP_NEXT_GLYPHS = 4, APP_NEXT_THEME = 8, APP_BELL = 16,
    APP_DETACH = 32
};

struct app {
    const struct optim_class *const *optims;
    const char *installed;   /* folder of the configs that came with the program; NULL: none */
    struct layer *layer[APP_LAYERS]; /* bottom first */
    struct layer *dead[APP_LAYERS];  /* popped in this turn */
    int nlayers, ndead;
    struct session *session; /* the run that the dashboard shows; NULL: none */
    struct queue queue;      /* runs to come after that of the session */
    struct strlist queue_paths; /* directories of its runs so far */
    bool queue_on;           /* the session is one of its runs, and its end was not seen yet */
    int queue_turns;         /* of the loop since that end; 0: no other run is due */
    double queue_looked_at;  /* sys_now() of the last look for the next run of an attached queue */
    struct ui_opts ui;       /* of the config in hand */
    double now;              /* sys_now() of this turn */
    bool dirty;              /* something to draw */
    struct hots hots;        /* of the picture that was drawn last */
    bool hurry;              /* the next turn should follow at once */
    bool leave;              /* the loop ends */
    bool leave_when_over;    /* ... as soon as the run has ended */
    bool lost;               /* the terminal is gone, or was left: there is nothing to draw on */
    int interrupts;          /* ^C without a run, in a row */
    unsigned requests;       /* enum app_request */
    struct err err;          /* why it ends, with its code */
    char message[256];       /* of launcher and form, in the hint row */
    bool message_bad;
    double message_until;
};

void app_init(struct app *a, const struct optim_class *const *optims);
void app_release(struct app *a);

void app_key(struct app *a, const struct key_event *k);
/* Take what the run, its threads and the clock have brought; true: draw. */
bool app_poll(struct app *a, double now);
void app_draw(struct app *a, struct canvas *c);

/* For layers. A pushed layer is owned by the app. */
void app_push(struct app *a, struct layer *l);
void app_pop(struct app *a);
struct layer *app_top(const struct app *a);
void app_bury(struct app *a); /* free what was popped; at the end of a turn */
void app_say(struct app *a, bool bad, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Row H-1 of launcher and form: the message, else the hints. */
void app_hints(const struct app *a, struct canvas *c, const char *hints);

/* The dashboard of `s`, which is taken over, above the launcher and in the place of all else. */
void app_show_session(struct app *a, struct session *s);
/* Begin a run with its dashboard on top, or show one from its directory. The launcher stays below. */
int app_start_run(struct app *a, const struct run_config *rc, const char *resume, struct err *e);
/* Runs one after the other; q is taken over, whatever comes of it. A mistake of the first is told, what
 * keeps a later one from starting is said, and the others go on. */
int app_start_queue(struct app *a, struct queue *q, struct err *e);
/* Between two runs of a queue: the next one reads its data in this turn or the next. */
bool app_queue_due(const struct app *a);
/* Start what is due, in the place of a run that has ended; follow the queue of another process. */
void app_poll_queue(struct app *a);
void app_release_queue(struct app *a);
/* A run from its directory, now or when it is read; what can't be is told as a message. */
void app_show_run(struct app *a, const char *run_path);
/* One that is going on in another process. */
int app_attach_run(struct app *a, const char *run_path, bool reads_only, struct err *e);

bool app_run_is_live(const struct app *a); /* in whatever process */
bool app_run_is_own(const struct app *a);  /* a live one of this process: leaving ends it */
/* Finish the step, save, leave; a second time: stop at once. */
void app_interrupt(struct app *a);
/* What a signal asked for. */
void app_signal_stop(struct app *a, int level);
/* The run goes on without a screen, and the program until it is over; without a run it ends. */
void app_terminal_lost(struct app *a);
void app_help(struct app *a); /* the page of keys, over whatever is open; away again */

#endif
