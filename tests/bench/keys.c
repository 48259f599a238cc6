/* From a key to the screen: the console on a pseudo-terminal, a view opened by its key, until its tab is seen
 * to be open.
 * usage: keys TRAINTUI CONFIG.ini [KEYS [COLUMNS ROWS]]
 * A config with long steps shows that the screen does not wait for them. */
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/str.h"
#include "engine/base/sys.h"

#define PATIENCE 60.0 /* seconds */

static struct strbuf sent;

/* Reads until `text` has come; seconds it took, NAN: it never came. */
static double wait_for(int master, const char *text)
{
    char part[65536];
    double start = sys_now();
    strbuf_clear(&sent);
    strbuf_adds(&sent, "");
    while (sys_now() - start < PATIENCE) {
        struct pollfd p = {.fd = master, .events = POLLIN};
        if (poll(&p, 1, 1000) <= 0)
            continue;
        ssize_t n = read(master, part, sizeof part);
        if (n <= 0)
            break;
        strbuf_add(&sent, part, (size_t)n);
        if (strstr(sent.s, text))
            return sys_now() - start;
    }
    return NAN;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void press_keys(int master, int n)
{
    static const char *const keys[] = {"2", "4", "9", "1"};
    static const char *const tabs[] = {"[2 loss]", "[4 memory]", "[9 log]", "[1 overview]"};
    double *took = calloc((size_t)n, sizeof *took);
    for (int i = 0; i < n; i++) {
        usleep(100000 + 37000 * (unsigned)(i % 9)); /* at any moment between two frames */
        if (write(master, keys[i % 4], 1) != 1)
            break;
        took[i] = wait_for(master, tabs[i % 4]);
    }
    qsort(took, (size_t)n, sizeof *took, by_value);
    printf("key to screen: median %.1f ms, worst of %d %.1f ms\n", 1e3 * took[n / 2], n, 1e3 * took[n - 1]);
    free(took);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: keys TRAINTUI CONFIG.ini [KEYS [COLUMNS ROWS]]\n");
        return 2;
    }
    int n = argc > 3 ? atoi(argv[3]) : 40, master;
    char dir[] = "/tmp/traintui-bench-XXXXXX", set_dir[512];
    struct winsize size = {.ws_col = argc > 5 ? (unsigned short)atoi(argv[4]) : 80,
                           .ws_row = argc > 5 ? (unsigned short)atoi(argv[5]) : 24};
    struct err e = ERR_INIT;
    snprintf(set_dir, sizeof set_dir, "run.dir=%s", mkdtemp(dir));
    pid_t pid = forkpty(&master, NULL, NULL, &size);
    if (pid == 0) {
        setenv("TERM", "xterm-256color", 1);
        execl(argv[1], argv[1], argv[2], "--start", "--set", set_dir, (char *)NULL);
        _exit(127);
    }
    if (isnan(wait_for(master, "training"))) {
        fprintf(stderr, "keys: no run starts\n");
        return 1;
    }
    sleep(3);
    press_keys(master, n < 1 ? 1 : n);
    if (write(master, "qx", 2) == 2)
        wait_for(master, "stopped");
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    return file_remove_tree(dir, &e) ? 1 : 0;
}
