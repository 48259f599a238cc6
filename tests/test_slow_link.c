/* The console at the end of a link that is slow or stands still: a pseudo-terminal whose other end is read
 * as the link would carry it. */
#include "tests/support.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/str.h"
#include "engine/base/sys.h"

static const char config[] = "[model]\ntype = mlp\nhidden = 16\n[data]\nformat = synthetic\nrows = 600\n"
                             "[optimizer]\nlr = 1e-3\n[train]\nmax_steps = 1000000\nbatch_size = 20\n"
                             "[eval]\nevery = no\n[checkpoint]\nevery = no\n[log]\ntensorboard = no\n";

static struct {
    int master;
    pid_t pid;
    struct strbuf out; /* all that came */
} line;

/* Its screen is large: a whole frame is more than a pseudo-terminal holds. */
static void start(void)
{
    const char *program = getenv("TRAINTUI");
    struct winsize size = {.ws_row = 50, .ws_col = 200};
    if (!program || access(program, X_OK))
        skip();
    char *path = realpath(program, NULL);
    assert_int_equal(chdir(test_temp_dir()), 0);
    assert_int_equal(mkdir("configs", 0777), 0);
    test_write_file("configs", "run.ini", config);
    strbuf_adds(&line.out, "");
    line.pid = forkpty(&line.master, NULL, NULL, &size);
    assert_true(line.pid >= 0);
    if (line.pid == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        execl(path, path, "configs/run.ini", "--start", (char *)NULL);
        _exit(127);
    }
    free(path);
}

/* What the link carries in that time, at most `rate` bytes a second; until `text` has come, where given. */
static bool carry(double seconds, double rate, const char *text)
{
    char part[4096];
    double begin = sys_now(), now;
    size_t before = line.out.len;
    while ((now = sys_now()) < begin + seconds) {
        double room = rate * (now - begin) - (double)(line.out.len - before);
        size_t most = room < 0 ? 0 : room < sizeof part ? (size_t)room : sizeof part;
        struct pollfd p = {.fd = line.master, .events = most ? POLLIN : 0};
        if (poll(&p, 1, 10) > 0 && most) {
            ssize_t n = read(line.master, part, most);
            if (n <= 0)
                break;
            strbuf_add(&line.out, part, (size_t)n);
        }
        if (text && strstr(line.out.s + before, text))
            return true;
    }
    return !text;
}

static void type(const char *keys)
{
    assert_int_equal(write(line.master, keys, strlen(keys)), strlen(keys));
}

static int64_t metrics_size(void)
{
    struct stat st;
    return stat("runs/run/metrics.jsonl", &st) ? 0 : st.st_size;
}

static bool ends(double seconds, int *status)
{
    for (double end = sys_now() + seconds; sys_now() < end; usleep(10000))
        if (waitpid(line.pid, status, WNOHANG) == line.pid)
            return true;
    return false;
}

static void stop(void)
{
    int status;
    type("qs");
    carry(2, 1e9, NULL);
    if (!ends(20, &status))
        kill(line.pid, SIGKILL);
    close(line.master);
    strbuf_release(&line.out);
}

static const double FAST = 1e9;

/* A frame stands half sent: steps go on, and keys do what they do. */
static void test_stalled(void **state)
{
    (void)state;
    int status;
    start();
    assert_true(carry(20, FAST, "training"));
    type("\f");
    int64_t before = metrics_size();
    sleep(2);
    assert_true(metrics_size() > before);
    type("9qs");
    assert_true(ends(20, &status));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 5);
    close(line.master);
    strbuf_release(&line.out);
}

/* What comes after a halt is the newest frame, not the past. */
static void test_goes_on(void **state)
{
    (void)state;
    start();
    assert_true(carry(20, FAST, "training"));
    type("\f");
    sleep(3);
    type("9\f");
    size_t before = line.out.len;
    assert_true(carry(10, FAST, "[9 log]"));
    assert_true(line.out.len - before < 48 * 1024);
    carry(1, FAST, NULL);
    stop();
}

/* The rate of frames falls until the link carries them: what a key shows is not behind a queue of them. */
static void test_slow(void **state)
{
    (void)state;
    const double rate = 4000;
    start();
    assert_true(carry(30, FAST, "training"));
    carry(6, rate, NULL);
    int64_t before = metrics_size();
    type("9\f");
    assert_true(carry(15, rate, "[9 log]"));
    assert_true(metrics_size() > before);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stalled),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
