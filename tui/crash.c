/* Handlers of SEGV, ABRT, BUS, FPE, ILL. */
#include "tui/crash.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define STACK_BYTES 65536

static void (*restore_screen)(void);
static char stack[STACK_BYTES]; /* for a stack overflow of the thread that installs */

static const struct {
    int sig;
    const char *name;
} fatal[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
    {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
};

static void say(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* The action was reset when the handler began: the signal sent again is the default one. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
    (void)context;
    restore_screen();
    say("traintui: crashed, ");
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        if (fatal[i].sig == sig)
            say(fatal[i].name);
    say(info->si_code == SI_USER ? " sent by a process" : "");
    say("; log.txt of the run has its last lines\n");
    raise(sig);
}

void crash_guard(void (*restore)(void))
{
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa = {.sa_sigaction = on_crash,
                           .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER | SA_ONSTACK};
    restore_screen = restore;
    sigaltstack(&alternate, NULL);
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        sigaction(fatal[i].sig, &sa, NULL);
}
