/* What a signal asks of the run, as flags in the hub and here. */
#define _GNU_SOURCE 1 /* pipe2 */
#include "tui/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/die.h"
#include "engine/train/hub.h"
#include "tui/process.h"

static int wake[2] = {-1, -1};
static atomic_uint came; /* enum signal_flag */

static void ask_to_stop(void)
{
    int none = 0;
    atomic_compare_exchange_strong(&hub_stop_request, &none, 1);
}

/* One that goes to both processes of a run comes here twice, directly and by the front: it is one. */
static bool is_new_interrupt(pid_t sender)
{
    static atomic_int direct, passed_on, most;
    pid_t front = process_front();
    int n = atomic_fetch_add(sender == front ? &passed_on : &direct, 1) + 1;
    if (front && n <= atomic_load(&most))
        return false;
    atomic_store(&most, n);
    return true;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)context;
    switch (sig) {
    case SIGUSR1: atomic_store(&hub_save_request, 1); break;
    case SIGTSTP: atomic_fetch_or(&came, SIGNAL_SUSPEND); break;
    case SIGCONT: atomic_fetch_or(&came, SIGNAL_CONTINUE); break;
    case SIGHUP: atomic_fetch_or(&came, SIGNAL_HANGUP); break;
    case SIGINT:
        if (is_new_interrupt(info->si_pid))
            atomic_fetch_add(&hub_stop_request, 1);
        atomic_fetch_or(&came, SIGNAL_STOP);
        break;
    default:
        ask_to_stop();
        atomic_fetch_or(&came, SIGNAL_STOP);
        break;
    }
    (void)!write(wake[1], "", 1);
    errno = saved;
}

static void watch(int sig)
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&sa.sa_mask);
    sigaction(sig, &sa, NULL);
}

static bool is_ignored(int sig)
{
    struct sigaction sa;
    return sigaction(sig, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN;
}

void signals_install(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};
    if (wake[0] < 0 && pipe2(wake, O_NONBLOCK | O_CLOEXEC))
        die(6, "no pipe: %s", strerror(errno));
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        watch(signals[i]);
    if (!is_ignored(SIGHUP))
        watch(SIGHUP);
}

void signals_install_screen(void)
{
    signals_install();
    watch(SIGTSTP);
    watch(SIGCONT);
}

int signals_fd(void)
{
    return wake[0];
}

unsigned signals_take(void)
{
    char bytes[64];
    while (read(wake[0], bytes, sizeof bytes) > 0)
        ;
    return atomic_exchange(&came, 0);
}

bool signals_stop_job(void)
{
    if (process_stop_front())
        return true;
    signal(SIGTSTP, SIG_DFL);
    signal(SIGCONT, SIG_DFL);
    kill(0, SIGTSTP);
    watch(SIGTSTP);
    watch(SIGCONT);
    return false;
}
