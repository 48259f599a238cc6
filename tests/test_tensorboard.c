/* Event files: the checksum's published vectors, the golden records, every record of a file re-read
 * as TensorBoard frames it. */
#include "tests/support.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/str.h"
#include "engine/base/sys.h"
#include "engine/io/tensorboard.h"

static uint32_t masked(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void crc_vectors(void **state)
{
    unsigned char bytes[32] = {0};

    (void)state;
    assert_int_equal(crc32c("123456789", 9), 0xe3069283u);
    assert_int_equal(crc32c(bytes, 32), 0x8a9136aau);
    assert_int_equal(crc32c("", 0), 0);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(crc32c(bytes, 32), 0x62a8ab43u);
    for (int i = 0; i < 32; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(crc32c(bytes, 32), 0x46dd794eu);
    assert_int_equal(masked(crc32c("\x18\0\0\0\0\0\0\0", 8)), 0x224b7fa3u);
    assert_int_equal(masked(crc32c("\x1a\x11"
                                   "CRC test, one two",
                                   19)),
                     0x5794d08au);
}

/* The one event file of a folder. */
static const char *event_file(const char *dir)
{
    struct strlist names = STRLIST_INIT;
    long seconds, pid;
    char host[256];

    assert_int_equal(file_list(dir, NULL, &names, NULL), 0);
    assert_int_equal(names.n, 1);
    assert_int_equal(sscanf(names.s[0], "events.out.tfevents.%10ld.%255s", &seconds, host), 2);
    assert_true(labs(seconds - (long)sys_unix()) < 60);
    assert_int_equal(sscanf(strrchr(host, '.'), ".%ld", &pid), 1);
    assert_int_equal(pid, getpid());
    const char *path = test_path_in(dir, names.s[0]);
    strlist_release(&names);
    return path;
}

/* Checks the frame at `data` and returns the length of the record. */
static size_t check_frame(const char *data, size_t rest)
{
    uint64_t n;
    uint32_t crc;

    assert_true(rest >= 16);
    memcpy(&n, data, 8);
    assert_true(n <= rest - 16);
    memcpy(&crc, data + 8, 4);
    assert_int_equal(crc, masked(crc32c(data, 8)));
    memcpy(&crc, data + 12 + n, 4);
    assert_int_equal(crc, masked(crc32c(data + 12, n)));
    return n + 16;
}

static void golden_records(void **state)
{
    static const char first[] = "\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09";
    static const char version[] = "\x1a\x0d"
                                  "brain.Event:2";
    static const char scalar[] = "\x21\0\0\0\0\0\0\0\x01\x7b\xec\xf6\x09\0\0\x20\x40\xfc\x54\xd9"
                                 "\x41\x10\xac\x02\x2a\x13\x0a\x11"
                                 "\x0a\x0atrain/loss\x15\0\0\x80\x3e\x0d\xa1\x2f\x0e";
    const char *dir = test_temp_dir(), *data;
    struct tb_writer w;
    struct err e = ERR_INIT;
    double wall_time;
    size_t n;

    (void)state;
    assert_int_equal(tb_open(&w, dir, &e), 0);
    tb_scalar(&w, 300, 1700000000.5, "train/loss", 0.25);
    tb_close(&w);
    data = test_read_file(event_file(dir), &n);
    assert_int_equal(n, 40 + 49);
    assert_memory_equal(data, first, sizeof first - 1);
    memcpy(&wall_time, data + 13, sizeof wall_time);
    assert_true(fabs(wall_time - sys_unix_f()) < 60);
    assert_memory_equal(data + 21, version, sizeof version - 1);
    assert_int_equal(check_frame(data, n), 40);
    assert_memory_equal(data + 40, scalar, 49);
}

/* Long steps, long tags, values that are none: every record is framed and as long as it must be. */
static void records(void **state)
{
    const char *dir = test_temp_dir(), *data;
    char tag[1000];
    struct tb_writer w;
    struct err e = ERR_INIT;
    size_t n, at, count = 0;

    (void)state;
    memset(tag, 't', sizeof tag);
    tag[sizeof tag - 1] = '\0';
    assert_int_equal(tb_open(&w, dir, &e), 0);
    tb_scalar(&w, 0, 1, "a", NAN);
    tb_scalar(&w, 127, 1, "a", 1e300);
    tb_scalar(&w, 128, 1, "", 1);
    tb_scalar(&w, INT64_MAX, 1, tag, 1);
    tb_close(&w);
    data = test_read_file(event_file(dir), &n);
    for (at = 0; at < n; count++)
        at += check_frame(data + at, n - at);
    assert_int_equal(count, 5);
    assert_int_equal(at, n);
    /* 9 wall time, 2 step, 2 + 2 summary and value, 3 tag, 5 number */
    assert_int_equal(check_frame(data + 40, n - 40), 16 + 23);
}

static void no_heap_calls(void **state)
{
    const char *dir = test_temp_dir();
    struct tb_writer w;
    struct err e = ERR_INIT;

    (void)state;
    assert_int_equal(tb_open(&w, dir, &e), 0);
    long before = test_heap_calls();
    for (int i = 0; i < 100; i++)
        tb_scalar(&w, i, i, "train/loss", i);
    assert_int_equal(test_heap_calls(), before);
    tb_close(&w);
}

/* A full disk is kept for later, whole records stay. */
static void a_full_disk(void **state)
{
    const char *dir = test_temp_dir(), *data;
    struct tb_writer w;
    struct err e = ERR_INIT;
    size_t n;

    (void)state;
    assert_int_equal(tb_open(&w, dir, &e), 0);
    file_fail_at(1, ENOSPC);
    tb_scalar(&w, 1, 1, "a", 1);
    file_fail_at(0, 0);
    assert_int_equal(w.out.err.code, TT_EFAIL);
    tb_scalar(&w, 2, 1, "a", 1);
    tb_close(&w);
    data = test_read_file(event_file(dir), &n);
    for (size_t at = 0; at < n;)
        at += check_frame(data + at, n - at);
    assert_int_equal(tb_open(&w, test_path_in(dir, "absent"), &e), TT_EFAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_vectors), cmocka_unit_test(golden_records),
        cmocka_unit_test(records),     cmocka_unit_test(no_heap_calls),
        cmocka_unit_test(a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
