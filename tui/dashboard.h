/* The dashboard of one run: tabs, the open view, status and hint rows (screens.md "Frame").
 * Drawing is pure in the model and the dashboard's state; no terminal is needed. */
#ifndef TT_TUI_DASHBOARD_H
#define TT_TUI_DASHBOARD_H

#include "tui/view.h"

#define VIEWS_MAX 12

struct dashboard {
    struct view view[VIEWS_MAX];
    int nviews, open;
    char message[256];   /* hint row, left, until message_until or a key */
    bool message_bad;    /* stays until a key */
    double message_until;
    int64_t message_id;  /* last one taken from the status */
    int messages_waiting;
    double message_at; /* when the run said something last */
    bool asked;        /* it was told to do something, and did not answer yet */
    char open_run[VIEW_MESSAGE]; /* directory that REACT_OPEN_RUN is about */
    bool end_said;       /* that the run ended badly */
};

void dashboard_init(struct dashboard *d);
void dashboard_release(struct dashboard *d);
/* Another run comes in the place of that of `old`: its open view stays open, and views of several runs go
 * on with what they have. */
void dashboard_take_over(struct dashboard *d, struct dashboard *old);

/* The whole canvas: "too small" page below 40x12, else tabs, view, status, hints. */
void dashboard_draw(struct dashboard *d, struct canvas *c, const struct uimodel *m);
/* Rows H-2 and H-1 alone, for popups that bring their own hints. */
void dashboard_status_row(struct canvas *c, const struct uimodel *m);
void draw_hints(struct canvas *c, const char *hints, bool quit); /* "? help  q quit" pinned right */

/* The open view's poll, once a turn of the loop; true: draw. hub: of a run that goes on, else
 * NULL. */
bool dashboard_poll(struct dashboard *d, const struct uimodel *m, struct hub *hub);
/* View switching, then the open view's own actions. 0: not handled (pause, save, quit ... are
 * the app's). */
unsigned dashboard_action(struct dashboard *d, enum action a, const struct uimodel *m);
/* A key while the open view has a text field; true: taken. */
bool dashboard_key(struct dashboard *d, const struct key_event *k, const struct uimodel *m);
/* A key was hit: the message goes. Every action does so. */
void dashboard_quiet(struct dashboard *d);
void dashboard_say(struct dashboard *d, bool bad, double now, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
