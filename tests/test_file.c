/* Reading, whole writing under failures, growing files, folders, paths. */
#include "tests/support.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

static void test_read(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    const char *dir = test_temp_dir(), *path = test_write_file(dir, "f", "twelve bytes");
    char *data;
    size_t n;
    assert_int_equal(file_read(path, 12, &data, &n, &e), 0);
    assert_int_equal(n, 12);
    assert_string_equal(data, "twelve bytes");
    free(data);
    assert_int_equal(file_read(test_write_file(dir, "empty", ""), 12, &data, &n, &e), 0);
    assert_int_equal(n, 0);
    assert_string_equal(data, "");
    free(data);
    assert_int_equal(file_read("/proc/self/stat", 1 << 20, &data, &n, &e), 0);
    assert_true(n > 0);
    free(data);

    assert_int_equal(file_read(path, 11, &data, &n, &e), TT_EDATA);
    assert_non_null(strstr(e.msg, "too large (at most 11 B)"));
    assert_int_equal(file_read("/dev/zero", 100000, &data, &n, &e), TT_EDATA);
    assert_int_equal(file_read(dir, 12, &data, &n, &e), TT_EDATA);
    assert_non_null(strstr(e.msg, "is a folder (a file)"));
    assert_int_equal(file_read(test_path_in(dir, "none"), 12, &data, &n, &e), TT_EDATA);
    assert_non_null(strstr(e.msg, "none: No such file or directory"));

    const char *pipe_path = test_path_in(dir, "pipe"); /* without a writer: empty, no waiting */
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(file_read(pipe_path, 12, &data, &n, &e), 0);
    assert_int_equal(n, 0);
    free(data);
}

static size_t gzip(const char *text, size_t n, char *dst, size_t room)
{
    z_stream z = {.next_in = (Bytef *)text, .avail_in = (uInt)n};
    z.next_out = (Bytef *)dst;
    z.avail_out = (uInt)room;
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static int read_gz_of(const char *path, const char *bytes, size_t n, size_t limit,
                      struct strbuf *out)
{
    struct err e = ERR_INIT;
    char *data;
    size_t size;
    assert_int_equal(file_write_all(path, bytes, n, &e), 0);
    int rc = file_read_gz(path, limit, &data, &size, &e);
    strbuf_clear(out);
    if (rc == 0) {
        strbuf_add(out, data, size);
        free(data);
    } else {
        assert_int_equal(e.code, rc);
        strbuf_adds(out, e.msg);
    }
    return rc;
}

static void test_gzip(void **state)
{
    (void)state;
    char text[3000], packed[4096];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * i % 23);
    size_t n = gzip(text, sizeof text, packed, sizeof packed);
    const char *path = test_path_in(test_temp_dir(), "data.csv");
    struct strbuf out = STRBUF_INIT;

    assert_int_equal(read_gz_of(path, text, 100, 100, &out), 0); /* told by its bytes */
    assert_memory_equal(out.s, text, 100);
    assert_int_equal(read_gz_of(path, packed, n, sizeof text, &out), 0);
    assert_int_equal(out.len, sizeof text);
    assert_memory_equal(out.s, text, sizeof text);

    for (size_t cut = 2; cut < n; cut++)
        assert_int_equal(read_gz_of(path, packed, cut, sizeof text, &out), TT_EDATA);
    assert_non_null(strstr(out.s, "the gzip data ends too early"));
    assert_int_equal(read_gz_of(path, packed, n, sizeof text - 1, &out), TT_EDATA);
    assert_non_null(strstr(out.s, "too large"));
    packed[n] = 'x';
    assert_int_equal(read_gz_of(path, packed, n + 1, sizeof text, &out), TT_EDATA);
    assert_non_null(strstr(out.s, "1 bytes after the end"));
    packed[n - 6] ^= 1; /* the checksum */
    assert_int_equal(read_gz_of(path, packed, n, sizeof text, &out), TT_EDATA);
    assert_non_null(strstr(out.s, "broken gzip data"));
    strbuf_release(&out);
}

static void test_head(void **state)
{
    (void)state;
    char text[3000], packed[4096], head[5];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * i % 23);
    size_t size = gzip(text, sizeof text, packed, sizeof packed), n;
    const char *dir = test_temp_dir(), *path = test_path_in(dir, "data");
    struct err e = ERR_INIT;
    assert_int_equal(file_write_all(path, packed, size, &e), 0);
    assert_int_equal(file_read_head(path, head, sizeof head, &n, &e), 0);
    assert_int_equal(n, 5);
    assert_memory_equal(head, text, 5);
    assert_int_equal(file_read_head(test_write_file(dir, "abc", "abc"), head, 5, &n, &e), 0);
    assert_int_equal(n, 3);
    assert_memory_equal(head, "abc", 3);
    assert_int_equal(file_read_head(dir, head, 5, &n, &e), TT_EDATA);
    assert_int_equal(file_read_head(test_path_in(dir, "none"), head, 5, &n, &e), TT_EDATA);
}

static void test_checksum(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t sum; /* of the page of FNV's authors */
    } cases[] = {
        {"", 0xcbf29ce484222325}, {"a", 0xaf63dc4c8601ec8c}, {"foobar", 0x85944171f73967e8}};
    const char *dir = test_temp_dir();
    uint64_t sum;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(file_checksum(test_write_file(dir, "f", cases[i].text), &sum, NULL), 0);
        assert_true(sum == cases[i].sum);
    }
    assert_int_equal(file_checksum(dir, &sum, NULL), TT_EDATA);
    assert_true(sum == 0);
}

static int write_large(const char *path, const unsigned char *data, size_t n, struct err *e)
{
    struct outfile f;
    int rc = file_create(&f, path, e);
    if (rc)
        return rc;
    file_write(&f, data, 10);
    file_write(&f, data + 10, n - 30); /* larger than the buffer */
    file_write(&f, data + n - 20, 20);
    file_printf(&f, "%s %*d", "end", 600, 7);
    if (!f.err.code)
        assert_int_equal(f.size, n + 604);
    return file_commit(&f, e);
}

static size_t entries(const char *dir)
{
    struct strlist names = STRLIST_INIT;
    assert_int_equal(file_list(dir, NULL, &names, NULL), 0);
    size_t n = names.n;
    strlist_release(&names);
    return n;
}

/* Each operation fails in turn: the old text stays, nothing is left over, the file is named. */
static void test_write_failures(void **state)
{
    (void)state;
    enum { n = 200000 };
    unsigned char *data = xmalloc(n);
    for (size_t i = 0; i < n; i++)
        data[i] = (unsigned char)(i * 7 % 251);
    const char *dir = test_temp_dir(), *path = test_write_file(dir, "f", "old");
    assert_int_equal(chmod(path, 0640), 0);

    long before = file_ops();
    struct err e = ERR_INIT;
    assert_int_equal(write_large(test_path_in(dir, "g"), data, n, &e), 0);
    long operations = file_ops() - before;
    assert_in_range(operations, 6, 12); /* writes, sync, rename, sync of the folder */

    for (long at = 1; at < operations; at++) {
        file_fail_at(at, at % 2 ? ENOSPC : EIO);
        assert_int_equal(write_large(path, data, n, &e), TT_EFAIL);
        assert_non_null(strstr(e.msg, path));
        assert_non_null(strstr(e.msg, at % 2 ? "No space left" : "Input/output error"));
        assert_string_equal(test_read_file(path, NULL), "old");
        assert_int_equal(entries(dir), 2);
    }
    file_fail_at(operations, EIO); /* the file is there; that it stays is not known */
    assert_int_equal(write_large(path, data, n, &e), TT_EFAIL);
    file_fail_at(0, 0);
    assert_int_equal(write_large(path, data, n, &e), 0);

    size_t size;
    const char *whole = test_read_file(path, &size);
    assert_int_equal(size, n + 604);
    assert_memory_equal(whole, data, n);
    assert_int_equal(file_size(path), size);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    free(data);
}

static void test_write_refused(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct outfile f;
    const char *dir = test_temp_dir();
    assert_int_equal(file_create(&f, test_path_in(dir, "none/f"), &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, "No such file"));
    file_abort(&f); /* harmless */
    assert_int_equal(file_write_all(dir, "x", 1, &e), TT_EFAIL);
    assert_int_equal(file_create(&f, test_path_in(dir, "f"), &e), 0);
    file_write(&f, "x", 1);
    file_abort(&f);
    assert_int_equal(entries(dir), 0);
}

static void test_appender(void **state)
{
    (void)state;
    struct appender a;
    struct err e = ERR_INIT;
    const char *path = test_path_in(test_temp_dir(), "log");
    assert_int_equal(appender_open(&a, path, &e), 0);
    long heap = test_heap_calls(), before = file_ops();
    appender_line(&a, "one", 3);
    appender_line(&a, "", 0);
    appender_bytes(&a, "\0\1", 2);
    assert_int_equal(file_ops() - before, 3);
    assert_int_equal(appender_error(&a, &e), 0);
    file_fail_at(1, ENOSPC);
    appender_line(&a, "lost", 4);
    assert_int_equal(test_heap_calls(), heap);
    appender_line(&a, "two", 3);
    assert_int_equal(appender_error(&a, &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, path));
    assert_int_equal(appender_error(&a, &e), 0);
    appender_close(&a);
    appender_line(&a, "late", 4);

    size_t n;
    const char *text = test_read_file(path, &n);
    assert_int_equal(n, 11);
    assert_memory_equal(text, "one\n\n\0\1two\n", 11);
    assert_int_equal(appender_open(&a, path, &e), 0);
    appender_line(&a, "more", 4);
    appender_close(&a);
    assert_int_equal(file_size(path), 16);
}

/* A file-size limit cuts a line: the half is taken back. In a child, because the limit stays. */
static void test_no_half_lines(void **state)
{
    (void)state;
    const char *path = test_path_in(test_temp_dir(), "log");
    pid_t pid = fork();
    if (pid == 0) {
        struct appender a;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){20, 20});
        appender_open(&a, path, NULL);
        for (int i = 0; i < 4; i++)
            appender_line(&a, "1234567", 7);
        _exit(appender_error(&a, NULL) == TT_EFAIL ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_string_equal(test_read_file(path, NULL), "1234567\n1234567\n");
}

static bool is_ini(const char *name)
{
    return str_ends(name, ".ini");
}

static void test_folders(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    const char *dir = test_temp_dir(), *deep = test_path_in(dir, "a/b//c");
    assert_int_equal(file_mkdirs(deep, &e), 0);
    assert_int_equal(file_mkdirs(deep, &e), 0);
    assert_true(file_is_dir(deep) && file_exists(deep));
    const char *file = test_write_file(deep, "b.ini", "");
    test_write_file(deep, "a.ini", "");
    test_write_file(deep, "._a.ini", "");
    test_write_file(deep, "\xc3\xa9.ini", "");
    test_write_file(deep, "Z.txt", "");
    assert_false(file_is_dir(file));
    assert_int_equal(file_mkdirs(test_path_in(file, "d"), &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, "Not a directory"));

    struct strlist names = STRLIST_INIT;
    assert_int_equal(file_list(deep, is_ini, &names, &e), 0);
    assert_int_equal(names.n, 3);
    assert_string_equal(names.s[0], "a.ini");
    assert_string_equal(names.s[1], "b.ini");
    assert_string_equal(names.s[2], "\xc3\xa9.ini");
    strlist_release(&names);
    assert_int_equal(file_list(test_path_in(dir, "none"), NULL, &names, &e), TT_EDATA);

    const char *moved = test_path_in(dir, "moved");
    file_fail_at(1, EIO);
    assert_int_equal(file_rename(deep, moved, &e), TT_EFAIL);
    assert_true(file_is_dir(deep));
    assert_int_equal(file_rename(deep, moved, &e), 0);
    assert_true(file_is_dir(moved) && !file_exists(deep));
    assert_int_equal(file_size(deep), -1);
    assert_int_equal(file_mtime(deep), -1);

    const char *kept = test_write_file(dir, "kept", "x");
    assert_int_equal(symlink(dir, test_path_in(moved, "link")), 0); /* not followed */
    assert_int_equal(file_remove_tree(moved, &e), 0);
    assert_false(file_exists(moved));
    assert_true(file_exists(kept) && file_mtime(kept) > 1500000000);
    assert_int_equal(file_remove_tree(moved, &e), 0);
}

static void assert_owned(char *got, const char *expected)
{
    assert_string_equal(got, expected);
    free(got);
}

static void test_paths(void **state)
{
    (void)state;
    assert_owned(file_join("a", "b"), "a/b");
    assert_owned(file_join("a/", "b"), "a/b");
    assert_owned(file_join("a", "/b"), "/b");
    assert_owned(file_join("", "b"), "b");
    assert_string_equal(file_base("/a/b.ini"), "b.ini");
    assert_string_equal(file_base("b"), "b");
    assert_owned(file_dir("/a/b.ini"), "/a");
    assert_owned(file_dir("a//b"), "a");
    assert_owned(file_dir("/a"), "/");
    assert_owned(file_dir("a"), ".");
    assert_owned(file_stem("x/sst2.v1.ini"), "sst2.v1");
    assert_owned(file_stem("x.d/sst2"), "sst2");
    assert_owned(file_stem(".hidden"), ".hidden");
    assert_owned(file_absolute("/a/./b//../c/"), "/a/c");
    assert_owned(file_absolute("/../.."), "/");
    assert_owned(file_absolute("/..a/.b"), "/..a/.b");
    char *here = getcwd(NULL, 0);
    assert_owned(file_absolute("."), here);
    assert_owned(file_absolute("x/../y"), test_path_in(here, "y"));
    free(here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),           cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_head),           cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_write_failures), cmocka_unit_test(test_write_refused),
        cmocka_unit_test(test_appender),       cmocka_unit_test(test_no_half_lines),
        cmocka_unit_test(test_folders),        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
