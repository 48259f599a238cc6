/* Signals of a run: handlers set flags and write one byte, nothing more. */
#ifndef TT_TUI_SIGNALS_H
#define TT_TUI_SIGNALS_H

#include <stdbool.h>

/* What came since it was last asked. */
enum signal_flag {
    SIGNAL_STOP = 1,     /* hub_stop_request says how soon */
    SIGNAL_HANGUP = 2,   /* the terminal went away */
    SIGNAL_SUSPEND = 4,  /* with signals_install_screen only */
    SIGNAL_CONTINUE = 8, /* likewise: stopped and started again behind our back */
};

/* SIGTERM, or SIGINT once: finish the step and save; SIGINT twice: stop at once; SIGUSR1: save and go on.
 * SIGHUP is told, unless it was ignored when the program began (nohup). */
void signals_install(void);
/* Besides, for who has a screen: SIGTSTP and SIGCONT, to give it back and take it again. */
void signals_install_screen(void);
/* Readable after a signal, so that a poll wakes up; signals_take drains it. */
int signals_fd(void);
unsigned signals_take(void);
/* What ^Z does to a job: true, its front has stopped, we go on, and SIGNAL_CONTINUE will tell when the
 * job does; false, there was no front, all stopped and go on again. */
bool signals_stop_job(void);

#endif
