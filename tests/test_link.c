/* The viewer's end of a socket: whom it does not understand, and the socket itself. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "tests/support.h"
#include "tui/link.h"
#include "tui/run_socket.h"
#include "tui/wire.h"

/* ---- a run that is not what it should be ----------------------------------------------------- */

struct impostor {
    struct run_socket socket;
    const char *say;
    size_t n;
};

static void *answer(void *user)
{
    struct impostor *i = user;
    char heard[512];
    struct pollfd wait = {.fd = i->socket.fd, .events = POLLIN};
    poll(&wait, 1, 5000);
    int fd = accept(i->socket.fd, NULL, NULL);
    (void)!recv(fd, heard, sizeof heard, 0);
    (void)!send(fd, i->say, i->n, MSG_NOSIGNAL);
    close(fd);
    return NULL;
}

static void meet_impostor(const char *say, size_t n, const char *message)
{
    struct impostor i = {.say = say, .n = n};
    struct err e = ERR_INIT;
    struct uimodel m;
    struct hub *hub = hub_new();
    struct link *l = NULL;
    pthread_t thread;
    const char *path = test_temp_dir();
    assert_int_equal(run_socket_listen(&i.socket, path, &e), 0);
    uimodel_init(&m);
    pthread_create(&thread, NULL, answer, &i);
    assert_int_equal(link_open(&l, path, false, &m, hub, &e), TT_ECONFIG);
    if (!strstr(e.msg, message))
        fail_msg("\"%s\" does not say \"%s\"", e.msg, message);
    pthread_join(thread, NULL);
    run_socket_close(&i.socket);
    uimodel_release(&m);
    hub_free(hub);
}

static void test_impostors(void **state)
{
    (void)state;
    struct strbuf b = STRBUF_INIT;
    struct wire_hello hello;
    wire_hello(&hello, false);
    hello.version = 99;
    str_copy(hello.program, sizeof hello.program, "9.9");
    wire_put(&b, WIRE_HELLO, &hello, sizeof hello);
    meet_impostor(b.s, b.len, "the run is of traintui 9.9");
    meet_impostor("", 0, "it closed the connection");
    meet_impostor("HTTP/1.1 400 Bad Request\r\n\r\n", 28, "makes no sense");
    strbuf_clear(&b);
    wire_put(&b, WIRE_REFUSED, "because", 7);
    meet_impostor(b.s, b.len, "because");
    for (int kind = WIRE_FACTS; kind < WIRE_KINDS; kind++) {
        if (kind == WIRE_READY)
            continue;
        strbuf_clear(&b);
        wire_put(&b, (enum wire_kind)kind, "\xff\xff\xff\xff\xff\xff\xff", 7);
        meet_impostor(b.s, b.len, "makes no sense");
    }
    strbuf_release(&b);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void test_framing(void **state)
{
    (void)state;
    struct strbuf b = STRBUF_INIT;
    struct wire_message m;
    int64_t number = 42, got = 0;
    char text[8];
    wire_put(&b, WIRE_PULSE, &number, sizeof number);
    size_t first = b.len, begun = wire_begin(&b, WIRE_LOG);
    strbuf_adds(&b, "two");
    strbuf_adds(&b, "parts");
    wire_end(&b, begun);
    for (size_t n = 0; n < first; n++)
        assert_int_equal(wire_next(b.s, n, 64, &m), 0);
    assert_int_equal(wire_next(b.s, b.len, 64, &m), 1);
    assert_int_equal(m.kind, WIRE_PULSE);
    assert_int_equal(m.total, first);
    assert_false(wire_take(&m, &got, sizeof got - 1));
    assert_true(wire_take(&m, &got, sizeof got) && got == 42);
    assert_int_equal(wire_next(b.s + first, b.len - first, 64, &m), 1);
    assert_true(m.kind == WIRE_LOG && wire_take(&m, text, 8) && !memcmp(text, "twoparts", 8));
    assert_int_equal(wire_next(b.s, b.len, 7, &m), -1); /* larger than is allowed */
    b.s[0] = WIRE_KINDS;
    assert_int_equal(wire_next(b.s, b.len, 64, &m), -1);
    strbuf_release(&b);
}

/* ---- the socket ----------------------------------------------------------------------------- */

static void test_mode_and_stale_socket(void **state)
{
    (void)state;
    struct run_socket first, second;
    struct err e = ERR_INIT;
    struct stat st;
    const char *path = test_temp_dir();
    mode_t mask = umask(0);
    assert_int_equal(run_socket_listen(&first, path, &e), 0);
    assert_int_equal(run_socket_listen(&second, path, &e), 0);
    umask(mask);
    char *name = file_join(path, ".socket");
    assert_int_equal(stat(name, &st), 0);
    assert_true(S_ISSOCK(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);
    run_socket_close(&second);
    assert_int_equal(stat(name, &st), -1);
    run_socket_close(&first);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impostors),
        cmocka_unit_test(test_framing),
        cmocka_unit_test(test_mode_and_stale_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
