/* A run and its viewers over a real socket, the run on a thread of this program: the past and what happens
 * join without gap or repetition, who stalls or talks nonsense is dropped, the trainer waits for nobody. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/rng.h"
#include "engine/base/sys.h"
#include "engine/train/inspect.h"
#include "tests/support.h"
#include "tui/link.h"
#include "tui/run_socket.h"
#include "tui/server.h"
#include "tui/wire.h"

/* The process of a run: a hub, what its screen knows, the server; polled by a thread of its own. */
struct process {
    struct hub *hub;
    struct uimodel m;
    struct server *server;
    pthread_t thread;
    atomic_bool stop;
    atomic_int viewers;
    atomic_llong taken; /* samples */
    char path[4096];
    int64_t step;
};

/* A viewer as the console has one. */
struct screen {
    struct hub *hub;
    struct uimodel m;
    struct link *link;
};

static void *poll_server(void *user)
{
    struct process *p = user;
    while (!atomic_load(&p->stop)) {
        uimodel_poll(&p->m, p->hub, sys_now());
        server_poll(p->server, &p->m, sys_now());
        atomic_store(&p->viewers, p->m.viewers);
        atomic_store(&p->taken, p->m.series[SERIES_LOSS].points);
        usleep(500);
    }
    return NULL;
}

static void say_status(struct process *p, enum run_state state)
{
    struct run_status s = {.state = state, .step = p->step, .max_steps = 10000000, .lr = 1e-3};
    str_copy(s.name, sizeof s.name, "run");
    hub_publish(p->hub, &s);
}

static void begin_with(struct process *p, const char *path, void (*past)(struct uimodel *))
{
    struct err e = ERR_INIT;
    memset(p, 0, sizeof *p);
    str_copy(p->path, sizeof p->path, path);
    p->hub = hub_new();
    uimodel_init(&p->m);
    if (past)
        past(&p->m);
    say_status(p, RUN_TRAINING);
    p->server = server_open(path, p->hub, &e);
    if (!p->server)
        fail_msg("%s", e.msg);
    pthread_create(&p->thread, NULL, poll_server, p);
}

static void begin(struct process *p, const char *path)
{
    begin_with(p, path, NULL);
}

static void finish(struct process *p)
{
    if (!atomic_exchange(&p->stop, true))
        pthread_join(p->thread, NULL);
    server_close(p->server, &p->m);
    uimodel_release(&p->m);
    hub_free(p->hub);
}

/* As the trainer does it; waits for room, which the trainer does not. */
static void train(struct process *p, int64_t steps)
{
    for (int64_t i = 0; i < steps; i++) {
        struct sample s = {.series = SERIES_LOSS, .step = ++p->step, .value = (double)(p->step % 977)};
        while (p->step - atomic_load(&p->taken) > 30000)
            usleep(1000);
        hub_sample(p->hub, &s);
        if (p->step % 1000 == 0) {
            struct log_line l = {.kind = LOG_INFO, .step = p->step};
            snprintf(l.text, sizeof l.text, "line %lld", (long long)p->step);
            hub_log(p->hub, &l);
            say_status(p, RUN_TRAINING);
        }
    }
    say_status(p, RUN_TRAINING);
}

static void attach(struct screen *s, const struct process *p, bool reads_only)
{
    struct err e = ERR_INIT;
    s->hub = hub_new();
    uimodel_init(&s->m);
    if (link_open(&s->link, p->path, reads_only, &s->m, s->hub, &e))
        fail_msg("%s", e.msg);
}

/* One turn of its console; false: the run has closed. */
static bool turn(struct screen *s)
{
    bool there = link_poll(s->link, &s->m, sys_now());
    uimodel_poll(&s->m, s->hub, sys_now());
    return there;
}

static void close_screen(struct screen *s)
{
    link_close(s->link);
    uimodel_release(&s->m);
    hub_free(s->hub);
}

static void wait_for_step(struct screen *s, int64_t step)
{
    double until = sys_now() + 10;
    while (s->m.series[SERIES_LOSS].last_step < step && sys_now() < until && turn(s))
        usleep(1000);
    assert_int_equal(s->m.series[SERIES_LOSS].last_step, step);
}

static void wait_for_lines(struct screen *s, int64_t n)
{
    double until = sys_now() + 10;
    while (s->m.log_end < n && sys_now() < until && turn(s))
        usleep(1000);
    assert_int_equal(s->m.log_end - s->m.log_first, n);
}

static void wait_for_viewers(struct process *p, int n)
{
    double until = sys_now() + 20;
    while (atomic_load(&p->viewers) != n && sys_now() < until)
        usleep(1000);
    assert_int_equal(atomic_load(&p->viewers), n);
}

/* ---- the past and the present --------------------------------------------------------------- */

static void assert_same_history(const struct history *a, const struct history *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->points, b->points);
    assert_memory_equal(a->b, b->b, (size_t)a->n * sizeof *a->b);
}

static void test_no_gap_no_repetition(void **state)
{
    (void)state;
    static struct process p;
    struct screen early, late;
    begin(&p, test_temp_dir());
    train(&p, 50000);
    attach(&early, &p, false);
    train(&p, 30000);
    attach(&late, &p, true);
    train(&p, 20001);
    wait_for_step(&early, 100001);
    wait_for_step(&late, 100001);
    assert_int_equal(early.m.series[SERIES_LOSS].points, 100001);
    assert_same_history(&early.m.series[SERIES_LOSS], &late.m.series[SERIES_LOSS]);
    wait_for_lines(&early, 100);
    wait_for_lines(&late, 100);
    assert_string_equal(uimodel_log(&late.m, 99)->text, "line 100000");
    assert_string_equal(late.m.st.name, "run");
    assert_int_equal(late.m.pid, getpid());
    finish(&p);
    assert_same_history(&late.m.series[SERIES_LOSS], &early.m.series[SERIES_LOSS]);
    close_screen(&early);
    close_screen(&late);
}

static void long_past(struct uimodel *m)
{
    struct log_line l = {.kind = LOG_INFO, .text = "a line"};
    for (int i = 0; i < SERIES_COUNT; i++)
        for (int64_t step = 1; step <= 1000000; step += i == SERIES_LOSS ? 1 : 50)
            history_add(&m->series[i], step, 0, 0, (double)step);
    for (int i = 0; i < UIMODEL_LOG; i++)
        uimodel_add_log(m, &l, 0);
}

static void test_long_run_at_once(void **state)
{
    (void)state;
    static struct process p;
    struct screen s;
    begin_with(&p, test_temp_dir(), long_past);
    double start = sys_now();
    attach(&s, &p, false);
    double took = sys_now() - start;
    print_message("# attached to 1,000,000 steps in %.0f ms\n", 1000 * took);
    assert_true(took < (test_heap_calls() < 0 ? 3 : 0.3)); /* sanitizers take their time */
    assert_int_equal(s.m.series[SERIES_LOSS].points, 1000000);
    finish(&p);
    close_screen(&s);
}

static void test_report_and_end(void **state)
{
    (void)state;
    static struct process p;
    struct screen s;
    struct eval_report *r = eval_report_new(PROBLEM_CLASSES, 3, 0);
    begin(&p, test_temp_dir());
    hub_report_init(p.hub, r);
    r->step = 5;
    r->confusion[4] = 77;
    hub_report(p.hub, r);
    train(&p, 10);
    attach(&s, &p, false);
    r->step = 10;
    r->cls[2].support = 9;
    hub_report(p.hub, r);
    for (int i = 0; i < 2000 && (!s.m.have_report || s.m.report->step < 10); i++, usleep(1000))
        turn(&s);
    assert_int_equal(s.m.report->step, 10);
    assert_int_equal(s.m.report->confusion[4], 77);
    assert_int_equal(s.m.report->cls[2].support, 9);
    say_status(&p, RUN_FINISHED);
    usleep(20000);
    finish(&p);
    while (turn(&s))
        usleep(1000);
    assert_int_equal(s.m.st.state, RUN_FINISHED);
    eval_report_free(r);
    close_screen(&s);
}

/* ---- what viewers ask ----------------------------------------------------------------------- */

static bool receive(struct process *p, struct command *c)
{
    bool got = false;
    for (int i = 0; i < 1000 && !(got = hub_receive(p->hub, c)); i++)
        usleep(1000);
    return got;
}

static void ask(struct screen *s, enum command_kind kind)
{
    struct command c = {.kind = kind, .key = "schedule.scale", .value = "2", .first = 7};
    assert_int_equal(hub_send(s->hub, &c), 0);
    turn(s);
}

static void test_commands(void **state)
{
    (void)state;
    static struct process p;
    static struct inspect_report r;
    struct screen master, guest;
    struct command c;
    begin(&p, test_temp_dir());
    attach(&master, &p, false);
    attach(&guest, &p, true);
    ask(&master, COMMAND_SET);
    assert_true(receive(&p, &c));
    assert_int_equal(c.kind, COMMAND_SET);
    assert_string_equal(c.key, "schedule.scale");
    ask(&guest, COMMAND_PAUSE);
    ask(&guest, COMMAND_INSPECT);
    assert_true(receive(&p, &c));
    assert_int_equal(c.kind, COMMAND_INSPECT);
    r = (struct inspect_report){.of = {.tensor = "w", .asker = c.asker}, .step = 3};
    hub_inspect(p.hub, &r);
    int64_t seen[2] = {0, 0};
    for (int i = 0; i < 100; i++, usleep(1000)) {
        turn(&master);
        turn(&guest);
    }
    assert_true(hub_inspect_get(guest.hub, &seen[0], &r));
    assert_string_equal(r.of.tensor, "w");
    assert_int_equal(r.of.asker, 0);
    assert_false(hub_inspect_get(master.hub, &seen[1], &r));
    atomic_store(&hub_stop_request, 0);
    ask(&master, COMMAND_SAVE_AND_STOP);
    assert_true(receive(&p, &c));
    assert_int_equal(atomic_load(&hub_stop_request), 1);
    ask(&master, COMMAND_STOP);
    assert_true(receive(&p, &c));
    assert_int_equal(atomic_load(&hub_stop_request), 2);
    atomic_store(&hub_stop_request, 0);
    finish(&p);
    close_screen(&master);
    close_screen(&guest);
}

/* ---- bad company ---------------------------------------------------------------------------- */

static int connect_raw(const struct process *p)
{
    struct err e = ERR_INIT;
    int fd;
    if (run_socket_connect(&fd, p->path, &e))
        fail_msg("%s", e.msg);
    return fd;
}

static void say_hello(int fd, uint32_t version)
{
    struct strbuf b = STRBUF_INIT;
    struct wire_hello hello;
    wire_hello(&hello, false);
    hello.version = version;
    wire_put(&b, WIRE_HELLO, &hello, sizeof hello);
    assert_int_equal(send(fd, b.s, b.len, MSG_NOSIGNAL), b.len);
    strbuf_release(&b);
}

static void test_stalled_viewer(void **state)
{
    (void)state;
    static struct process p;
    struct screen good;
    begin(&p, test_temp_dir());
    attach(&good, &p, false);
    int fd = connect_raw(&p);
    say_hello(fd, WIRE_VERSION);
    wait_for_viewers(&p, 2);
    for (int i = 0; i < 600 && atomic_load(&p.viewers) == 2; i++) {
        train(&p, 1000); /* about 40 KB */
        wait_for_step(&good, p.step);
    }
    wait_for_viewers(&p, 1);
    train(&p, 1000);
    wait_for_step(&good, p.step);
    assert_int_equal(good.m.series[SERIES_LOSS].points, p.step);
    close(fd);
    finish(&p);
    close_screen(&good);
}

static uint64_t word(int seed, uint64_t *at)
{
    return rng_u64((struct rng_key){.seed = (uint64_t)seed}, (*at)++);
}

/* Everything a program may say that is not ours, or is ours and broken. */
static size_t nonsense(unsigned char *dst, int seed)
{
    struct wire_hello hello;
    struct command c;
    struct strbuf b = STRBUF_INIT;
    uint64_t at = 0;
    memset(&c, 'x', sizeof c); /* no text of it ends */
    c.kind = (enum command_kind)(word(seed, &at) % 12);
    wire_hello(&hello, seed % 3 == 0);
    if (seed % 2)
        wire_put(&b, WIRE_HELLO, &hello, sizeof hello);
    for (int i = 0; seed % 4 > 1 && i < 8; i++)
        wire_put(&b, WIRE_COMMAND, &c, sizeof c - (word(seed, &at) % 8 == 0));
    while (b.len < 600) {
        uint64_t random = word(seed, &at);
        strbuf_add(&b, (const char *)&random, sizeof random);
    }
    for (int i = 0; i < seed % 5; i++)
        b.s[word(seed, &at) % b.len] ^= (char)(1 << word(seed, &at) % 8);
    size_t n = word(seed, &at) % b.len;
    memcpy(dst, b.s, n);
    strbuf_release(&b);
    return n;
}

static void test_malformed_viewers(void **state)
{
    (void)state;
    static struct process p;
    unsigned char bytes[4096];
    struct screen good;
    struct command c;
    begin(&p, test_temp_dir());
    attach(&good, &p, false);
    for (int seed = 0; seed < 1500; seed++) {
        int fd = connect_raw(&p);
        size_t n = nonsense(bytes, seed);
        (void)!send(fd, bytes, n, MSG_NOSIGNAL);
        if (seed % 16 == 0)
            train(&p, 100);
        while (hub_receive(p.hub, &c)) {
            assert_true(memchr(c.key, 0, sizeof c.key) && memchr(c.value, 0, sizeof c.value));
            assert_in_range(c.kind, COMMAND_PAUSE, COMMAND_INSPECT);
        }
        close(fd);
        turn(&good);
    }
    atomic_store(&hub_stop_request, 0);
    wait_for_viewers(&p, 1);
    wait_for_step(&good, p.step);
    int flood = connect_raw(&p);
    say_hello(flood, WIRE_VERSION);
    wait_for_viewers(&p, 2);
    struct strbuf b = STRBUF_INIT;
    struct command set = {.kind = COMMAND_SET};
    for (int i = 0; i < 600; i++)
        wire_put(&b, WIRE_COMMAND, &set, sizeof set);
    (void)!send(flood, b.s, b.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    wait_for_viewers(&p, 1); /* more than it may have waiting */
    strbuf_release(&b);
    close(flood);
    finish(&p);
    close_screen(&good);
}

static void test_other_version(void **state)
{
    (void)state;
    static struct process p;
    char bytes[1024];
    struct wire_message m;
    struct wire_hello hello;
    begin(&p, test_temp_dir());
    int fd = connect_raw(&p);
    say_hello(fd, WIRE_VERSION + 1);
    size_t n = 0;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    for (ssize_t got; poll(&wait, 1, 2000) == 1 && (got = recv(fd, bytes + n, sizeof bytes - n, 0)) > 0;)
        n += (size_t)got;
    assert_int_equal(wire_next(bytes, n, sizeof bytes, &m), 1);
    assert_int_equal(m.kind, WIRE_HELLO); /* it is told whom it met, and nothing else */
    assert_int_equal(m.total, n);
    assert_true(wire_take(&m, &hello, sizeof hello));
    assert_int_equal(hello.version, WIRE_VERSION);
    close(fd);
    finish(&p);
}

/* ---- places --------------------------------------------------------------------------------- */

static void attach_and_look(const char *path)
{
    static struct process p;
    struct screen s;
    begin(&p, path);
    train(&p, 100);
    attach(&s, &p, false);
    wait_for_step(&s, 100);
    finish(&p);
    close_screen(&s);
}

static void test_places(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct run_socket none;
    struct stat st;
    char *path = xstrdup(test_temp_dir());
    for (int i = 0; i < 12; i++) {
        char *deeper = file_join(path, "a-folder-with-a-name");
        free(path);
        path = deeper;
        assert_int_equal(mkdir(path, 0777), 0);
    }
    assert_true(strlen(path) > 200);
    attach_and_look(path);

    char *taken = file_join(path, ".socket"), *runtime = xstrdup(test_temp_dir());
    assert_int_equal(lstat(taken, &st), -1);
    assert_int_equal(mkdir(taken, 0777), 0); /* as good as a file system without sockets */
    unsetenv("XDG_RUNTIME_DIR");
    assert_int_equal(run_socket_listen(&none, path, &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, "attach is not possible"));
    setenv("XDG_RUNTIME_DIR", runtime, 1);
    attach_and_look(path);
    unsetenv("XDG_RUNTIME_DIR");

    int fd;
    assert_int_equal(run_socket_connect(&fd, path, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "is not going on"));
    free(taken);
    free(runtime);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_gap_no_repetition),
        cmocka_unit_test(test_long_run_at_once),
        cmocka_unit_test(test_report_and_end),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_stalled_viewer),
        cmocka_unit_test(test_malformed_viewers),
        cmocka_unit_test(test_other_version),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
