/* The two processes of a run. The one that the shell started, the front, only waits: it passes its
 * signals on and ends with the status of the other, the back, which is the program. So the back can
 * leave the terminal while the run goes on, and the shell has its prompt. */
#ifndef TT_TUI_PROCESS_H
#define TT_TUI_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns in the back, once; where there can be no second process, in the only one. Call it before any
 * thread, BLAS or OpenMP call. */
void process_fork(void);
/* The front, as long as it waits for this process; 0: there is none. */
pid_t process_front(void);

/* Leave the terminal's session, give the shell its prompt. Where they are a terminal
 * descriptor 0 becomes /dev/null, 1 and 2 the file `log`, or /dev/null too. */
void process_detach(const char *log);
/* Stop the job as ^Z would, for the shell: the front stops, this process goes on, SIGCONT tells when the
 * job is continued. False: there is no front to stop. */
bool process_stop_front(void);

#endif
