/* Front and back. The front handles no signal but takes each by sigwaitinfo, so nothing of it runs at
 * an odd moment; as process 1 it also buries orphans, and does not end when the run detaches. */
#include "tui/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGE SIGRTMIN /* from the back to the front */

enum message { STOP_FRONT, DETACHED };

static pid_t front;

/* With the default action, which a process group without a shell ignores. */
static void stop_self(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, NULL);
    sigprocmask(SIG_BLOCK, &stop, NULL);
}

static void stop_and_continue(pid_t back)
{
    stop_self();
    kill(back, SIGCONT);
}

/* A child has stopped or ended: the back, or an orphan of process 1. */
static void look_at_children(pid_t back)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
        if (pid != back)
            continue;
        if (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP) /* which is for the back alone */
            stop_and_continue(back);
        else if (!WIFSTOPPED(status))
            _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
}

static void obey(pid_t back, enum message m)
{
    if (m == STOP_FRONT)
        stop_and_continue(back);
    else if (getpid() != 1)
        _exit(0);
}

static void wait_for(pid_t back, const sigset_t *all)
{
    for (;;) {
        siginfo_t info;
        int sig = sigwaitinfo(all, &info);
        if (sig == SIGCHLD)
            look_at_children(back);
        else if (sig == MESSAGE && info.si_pid == back)
            obey(back, (enum message)info.si_value.sival_int);
        else if (sig > 0)
            kill(back, sig);
    }
}

void process_fork(void)
{
    sigset_t all, before;
    pid_t self = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    signal(SIGCHLD, SIG_DFL); /* an inherited SIG_IGN would take the status away */
    pid_t back = fork();
    if (back > 0)
        wait_for(back, &all);
    if (back == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* what kills the front is meant for the run */
        if (getppid() != self)
            _exit(1);
        front = self;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

pid_t process_front(void)
{
    return front;
}

static void tell(enum message m)
{
    sigqueue(front, MESSAGE, (union sigval){.sival_int = m});
}

static int open_or_null(const char *path, int flags)
{
    int fd = path ? open(path, flags | O_CLOEXEC) : -1;
    return fd >= 0 ? fd : open("/dev/null", flags | O_CLOEXEC);
}

/* Where it is a terminal, which does not answer to isatty any more when it has hung up. A file or a pipe
 * stays. */
static void replace(int fd, const char *path, int flags)
{
    struct stat st;
    int other;
    if (fstat(fd, &st) || !S_ISCHR(st.st_mode) || (other = open_or_null(path, flags)) < 0)
        return;
    dup2(other, fd);
    close(other);
}

void process_detach(const char *log)
{
    replace(STDIN_FILENO, NULL, O_RDONLY);
    replace(STDOUT_FILENO, log, O_WRONLY | O_APPEND);
    replace(STDERR_FILENO, log, O_WRONLY | O_APPEND);
    signal(SIGHUP, SIG_IGN);
    setsid();
    if (!front)
        return;
    prctl(PR_SET_PDEATHSIG, 0);
    tell(DETACHED);
    kill(front, SIGCONT); /* it may be stopped */
    front = 0;
}

bool process_stop_front(void)
{
    if (front)
        tell(STOP_FRONT);
    return front != 0;
}
