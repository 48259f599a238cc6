/* What the screen costs: the same run headless and in the console on a pseudo-terminal, in turns.
 * usage: console TRAINTUI CONFIG.ini [STEPS [ROUNDS [COLUMNS ROWS]]]
 * Throughput is the mean of metrics.jsonl's samples_per_second without its first tenth; the console's own
 * thread is read from /proc, bytes to the terminal are counted at the other end. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/io/metrics_file.h"
#include "engine/io/rundir.h"

#define ROUNDS_MAX 64
#define START_SECONDS 1.5 /* reading data, opening the screen: not counted */

struct setup {
    char *program, *config, *dir;
    char set_steps[64], set_dir[512];
    struct winsize size;
};

struct sum {
    double samples;
    int lines, seen, skip;
};

static int add_line(void *user, const struct metrics_value *v, int n)
{
    struct sum *s = user;
    for (int i = 0; i < n; i++)
        if (!strcmp(v[i].key, "samples_per_second") && s->seen++ >= s->skip) {
            s->samples += v[i].value;
            s->lines++;
        }
    return 0;
}

static double throughput(const struct setup *s, const char *name, int steps)
{
    struct sum sum = {.skip = steps / 100};
    struct err e = ERR_INIT;
    char *path = xasprintf("%s/%s/metrics.jsonl", s->dir, name);
    if (metrics_read(path, add_line, &sum, &e)) {
        fprintf(stderr, "console: %s\n", e.msg);
        exit(1);
    }
    free(path);
    return sum.lines ? sum.samples / sum.lines : NAN;
}

static void exec_run(const struct setup *s, const char *name, bool screen)
{
    char set_name[64];
    snprintf(set_name, sizeof set_name, "run.name=%s", name);
    setenv("TERM", "xterm-256color", 1);
    if (screen)
        execl(s->program, s->program, s->config, "--start", "--set", s->set_steps, "--set",
              s->set_dir, "--set", set_name, (char *)NULL);
    execl(s->program, s->program, "train", s->config, "--set", s->set_steps, "--set", s->set_dir,
          "--set", set_name, (char *)NULL);
    _exit(127);
}

static void headless(const struct setup *s, const char *name)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3; i++)
            dup2(null, i);
        exec_run(s, name, false);
    }
    waitpid(pid, NULL, 0);
}

/* The process that draws: what the shell starts only waits for it. */
static pid_t child_of(pid_t pid)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%d", &child) != 1)
        child = 0;
    if (f)
        fclose(f);
    return child ? child : pid;
}

/* Seconds of processor time of a process' first thread. */
static double thread_seconds(pid_t pid)
{
    char path[64], text[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    const char *line = fgets(text, sizeof text, f), *after = line ? strrchr(line, ')') : NULL;
    if (after)
        sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static bool run_is_over(const struct setup *s, const char *name)
{
    struct run_summary sum;
    struct err e = ERR_INIT;
    char *path = xasprintf("%s/%s", s->dir, name);
    bool over = !rundir_read_summary(path, &sum, &e) && !strcmp(sum.state, "finished");
    free(path);
    return over;
}

/* Reads what the console sends until its run is over, then leaves it. */
static void on_screen(struct setup *s, const char *name, double *cpu, double *bytes)
{
    int master;
    char text[65536];
    pid_t pid = forkpty(&master, NULL, NULL, &s->size), drawing = pid;
    if (pid == 0)
        exec_run(s, name, true);
    double start = sys_now(), before = -1, looked = 0;
    int64_t count = 0;
    bool over = false;
    for (;;) {
        struct pollfd p = {.fd = master, .events = POLLIN};
        poll(&p, 1, 100);
        ssize_t n = p.revents & POLLIN ? read(master, text, sizeof text) : 0;
        if ((p.revents & POLLHUP) && n <= 0)
            break;
        if (before < 0 && sys_now() - start > START_SECONDS) {
            start = sys_now();
            drawing = child_of(pid);
            before = thread_seconds(drawing);
        }
        count += n > 0 && before >= 0 && !over ? n : 0;
        if (!over && before >= 0 && sys_now() - looked > 0.2) {
            looked = sys_now();
            *cpu = (thread_seconds(drawing) - before) / (looked - start);
            *bytes = (double)count / (looked - start);
            if ((over = run_is_over(s, name)))
                usleep(300000);
        }
        if (over)
            (void)!write(master, "q", 1);
    }
    close(master);
    waitpid(pid, NULL, 0);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: console TRAINTUI CONFIG.ini [STEPS [ROUNDS [COLUMNS ROWS]]]\n");
        return 2;
    }
    int steps = argc > 3 ? atoi(argv[3]) : 3000, rounds = argc > 4 ? atoi(argv[4]) : 5;
    char dir[] = "/tmp/traintui-bench-XXXXXX";
    struct setup s = {.program = argv[1], .config = argv[2], .dir = mkdtemp(dir),
                      .size = {.ws_col = argc > 6 ? (unsigned short)atoi(argv[5]) : 80,
                               .ws_row = argc > 6 ? (unsigned short)atoi(argv[6]) : 24}};
    double ratio[ROUNDS_MAX], cpu[ROUNDS_MAX], bytes[ROUNDS_MAX];
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    snprintf(s.set_steps, sizeof s.set_steps, "train.max_steps=%d", steps);
    snprintf(s.set_dir, sizeof s.set_dir, "run.dir=%s", s.dir);
    for (int i = 0; i < rounds; i++) {
        char a[32], b[32];
        snprintf(a, sizeof a, "headless-%d", i);
        snprintf(b, sizeof b, "console-%d", i);
        for (int k = 0; k < 2; k++) /* each goes first in turn */
            if ((i + k) % 2)
                on_screen(&s, b, &cpu[i], &bytes[i]);
            else
                headless(&s, a);
        double plain = throughput(&s, a, steps), shown = throughput(&s, b, steps);
        ratio[i] = shown / plain;
        printf("headless %9.0f  console %9.0f samples/s  ratio %.4f  screen thread %4.2f %%  %.1f KiB/s\n",
               plain, shown, ratio[i], 100 * cpu[i], bytes[i] / 1024);
        fflush(stdout);
    }
    printf("median ratio %.4f, screen thread %.2f %% of a core, %.1f KiB/s to the terminal\n",
           median(ratio, rounds), 100 * median(cpu, rounds), median(bytes, rounds) / 1024);
    struct err e = ERR_INIT;
    return file_remove_tree(s.dir, &e) ? 1 : 0;
}
