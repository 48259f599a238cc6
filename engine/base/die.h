/* Ends of the process that are nobody's choice: a broken invariant, no host memory. The hook gives
 * the terminal back before the message is printed; the console installs it. */
#ifndef TT_BASE_DIE_H
#define TT_BASE_DIE_H

/* Called once, before a dying process prints. Must be callable from any thread. */
void die_set_hook(void (*hook)(void));

/* Print "traintui: ..." on stderr and exit with `status`. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Our fault: print place and message, abort(). Always compiled in. */
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_ON(cond)                                                                               \
    do {                                                                                           \
        if (cond)                                                                                  \
            BUG("%s", #cond);                                                                      \
    } while (0)

#endif
