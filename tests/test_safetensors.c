/* safetensors: the crafted files of the goldens, the bytes of the reference writer, damaged files,
 * conversions, and files that can't be written. */
#include "tests/support.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/io/safetensors.h"

#define INFO_F32_2 "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"

/* A file made of a header and zeros; returns its path. */
static const char *crafted(const char *dir, const char *header, size_t zeros)
{
    static const char zero[256];
    const char *path = test_path_in(dir, "crafted.safetensors");
    uint64_t n = strlen(header);
    struct err e = ERR_INIT;
    struct outfile out;

    assert_true(zeros <= sizeof zero);
    assert_int_equal(file_create(&out, path, &e), 0);
    file_write(&out, &n, 8);
    file_write(&out, header, n);
    file_write(&out, zero, zeros);
    assert_int_equal(file_commit(&out, &e), 0);
    return path;
}

static void assert_refused(const char *path, const char *reason)
{
    struct st_file f;
    struct err e = ERR_INIT;

    if (st_open(&f, path, &e) != TT_EDATA)
        fail_msg("%s: accepted", path);
    if (!strstr(e.msg, path) || !strstr(e.msg, reason))
        fail_msg("\"%s\" does not name %s, \"%s\"", e.msg, path, reason);
}

static void assert_opens(struct st_file *f, const char *path)
{
    struct err e = ERR_INIT;
    if (st_open(f, path, &e) != 0)
        fail_msg("%s", e.msg);
}

static void crafted_files(void **state)
{
    char text[8192], *line, *rest = text;
    int rows = 0;

    (void)state;
    assert_true(strlen(test_golden("safetensors/cases.tsv", NULL)) < sizeof text);
    strcpy(text, test_golden("safetensors/cases.tsv", NULL));
    strtok_r(text, "\n", &rest);
    while ((line = strtok_r(NULL, "\n", &rest))) {
        char name[128] = "tests/golden/safetensors/", *verdict = strchr(line, '\t');
        *verdict++ = '\0';
        strcat(name, line);
        const char *path = test_path(name);
        if (str_starts(verdict, "accept\t")) {
            struct st_file f;
            assert_opens(&f, path);
            st_close(&f);
        } else {
            assert_true(str_starts(verdict, "reject\t"));
            assert_refused(path, "");
        }
        rows++;
    }
    assert_int_equal(rows, 55);
}

static void more_headers(void **state)
{
    static const struct {
        const char *header, *reason; /* NULL: accepted */
    } cases[] = {
        {"{\"a\":" INFO_F32_2 "}", NULL},
        {" \t\r\n{\"a\":" INFO_F32_2 "}\t", NULL},
        {"{\"a\":" INFO_F32_2 ",\"a\":" INFO_F32_2 "}", "duplicate tensor name \"a\""},
        {"{\"a\":" INFO_F32_2 ",\"\\u0061\":" INFO_F32_2 "}", "duplicate tensor name \"a\""},
        {"{\"a\":" INFO_F32_2 ",}", "closing bracket"},
        {"{\"a\":{\"dtype\":\"f32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
         "unknown dtype \"f32\""},
        {"{\"a\":{\"dtype\":{\"F32\":null},\"shape\":[2],\"data_offsets\":[0,8]}}", "quotes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[\"2\"],\"data_offsets\":[0,8]}}", "whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[+2],\"data_offsets\":[0,8]}}", "whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[18446744073709551616],\"data_offsets\":[0,8]}}",
         "above 64 bits"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[18446744073709551615,2,0],\"data_offsets\":[0,0]}}",
         "overflows"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,2],\"data_offsets\":[0,8]}}",
         "8 dimensions"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,8]}}", "two numbers"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,8]}}", "do not fit"},
        {"{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", "dtype is missing"},
        {"{\"a\":{\"dtype\":\"F4\",\"shape\":[16],\"data_offsets\":[0,8]}}", NULL},
        {"{\"a\":{\"dtype\":\"F4\",\"shape\":[15],\"data_offsets\":[0,8]}}", "within a byte"},
        {"{\"__metadata__\":{\"k\":null},\"a\":" INFO_F32_2 "}", "quotes"},
        {"{\"__metadata__\":{},\"__metadata__\":{},\"a\":" INFO_F32_2 "}", "given twice"},
        {"{\"a\tb\":" INFO_F32_2 "}", "control character"},
        {"{\"a\\x\":" INFO_F32_2 "}", "escape"},
        {"{\"\\ude00\\ud83d\":" INFO_F32_2 "}", "surrogate"},
        {"{\"a\":{\"x\":{\"y\":[1,-0.5e+3,true,null,\"\\n\"]},\"dtype\":\"F32\",\"shape\":[2],"
         "\"data_offsets\":[0,8]}}",
         NULL},
        {"{\"a\":{\"x\":01}}", "leading zero"},
        {"{\"a\":{\"x\":nul}}", "digit"},
        {"[]", "object"},
    };
    const char *dir = test_temp_dir();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = crafted(dir, cases[i].header, 8);
        struct st_file f;
        if (cases[i].reason) {
            assert_refused(path, cases[i].reason);
        } else {
            assert_opens(&f, path);
            assert_int_equal(f.n, 1);
            st_close(&f);
        }
    }
}

static void deep_fields(void **state)
{
    const char *dir = test_temp_dir();
    char header[512];
    struct st_file f;

    (void)state;
    for (int depth = 60; depth <= 130; depth += 70) {
        char open[160], close[160];
        memset(open, '[', sizeof open);
        memset(close, ']', sizeof close);
        snprintf(header, sizeof header, "{\"a\":{\"x\":%.*s%.*s,%s}", depth, open, depth, close,
                 INFO_F32_2 + 1);
        if (depth > 64) {
            assert_refused(crafted(dir, header, 8), "too deep");
        } else {
            assert_opens(&f, crafted(dir, header, 8));
            st_close(&f);
        }
    }
}

static void foreign_files(void **state)
{
    const char *dir = test_temp_dir();

    (void)state;
    assert_refused(test_path("tests/golden/safetensors/76_lfs_pointer.safetensors"), "Git LFS");
    assert_refused(test_path("tests/golden/safetensors/78_zip_pickle.safetensors"), "ZIP");
    assert_refused(test_write_file(dir, "a", "<!DOCTYPE html><html>"), "HTML");
    assert_refused(test_write_file(dir, "b", "<html><body>no</body>"), "HTML");
    assert_refused(test_write_file(dir, "c", "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j"), "pickle");
    assert_refused(test_write_file(dir, "d", "GGUF\x03 and more"), "GGUF");
    assert_refused(dir, "not a regular file");
    assert_refused(test_path_in(dir, "absent"), "No such file");
}

static void names_and_metadata(void **state)
{
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"pt\",\"k\":\"\\u00e9\\n\"},"
        "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]},"
        "\"a\\u0000\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[0,4]},"
        "\"\\ud83d\\ude00\":{\"dtype\":\"F32\",\"shape\":[0,18446744073709551615],"
        "\"data_offsets\":[4,4]}}";
    struct st_file f;

    (void)state;
    assert_opens(&f, crafted(test_temp_dir(), header, 8));
    assert_int_equal(f.n, 3);
    assert_string_equal(f.t[0].name, "a\xc0\x80");
    assert_string_equal(f.t[1].name, "\xf0\x9f\x98\x80");
    assert_string_equal(f.t[2].name, "b");
    assert_int_equal(f.t[0].dtype, DT_U8);
    assert_string_equal(f.t[2].type, "F32");
    assert_int_equal(st_elements(&f.t[0]), 4);
    assert_int_equal(st_elements(&f.t[1]), 0);
    assert_int_equal(st_elements(&f.t[2]), 1);
    assert_ptr_equal(st_find(&f, "b"), &f.t[2]);
    assert_null(st_find(&f, "c"));
    assert_string_equal(st_meta(&f, "format"), "pt");
    assert_string_equal(st_meta(&f, "k"), "\xc3\xa9\n");
    assert_null(st_meta(&f, "pt"));
    st_close(&f);
}

/* A small valid file with two tensors and metadata. */
static const char *sample(const char *dir)
{
    static const float w[6] = {1, 2, 3, -4, 0.5f, INFINITY};
    static const int64_t ids[2] = {7, -1};
    const struct st_tensor t[] = {
        {.name = "w", .dtype = DT_F32, .ndim = 2, .dim = {2, 3}, .data = w, .bytes = 24},
        {.name = "ids", .dtype = DT_I64, .ndim = 1, .dim = {2}, .data = ids, .bytes = 16},
    };
    const char *path = test_path_in(dir, "sample.safetensors");
    struct err e = ERR_INIT;

    assert_int_equal(st_write(path, t, 2, NULL, &e), 0);
    return path;
}

static void every_truncation(void **state)
{
    const char *path = sample(test_temp_dir());

    (void)state;
    for (int64_t n = file_size(path) - 1; n >= 0; n--) {
        assert_int_equal(truncate(path, n), 0);
        assert_refused(path, "");
    }
}

/* Whatever a byte of the header becomes: refused, or the same amount of data under another name. */
static void every_header_byte(void **state)
{
    const char *path = sample(test_temp_dir());
    unsigned char head[1024], bad;
    int fd = open(path, O_RDWR), accepted = 0;
    ssize_t n = pread(fd, head, sizeof head, 0) - 40;

    (void)state;
    for (ssize_t at = 0; at < n; at++) {
        for (int v = 1; v < 256; v++) {
            struct st_file f;
            bad = (unsigned char)(head[at] ^ v);
            assert_int_equal(pwrite(fd, &bad, 1, at), 1);
            if (st_open(&f, path, NULL) != 0)
                continue;
            accepted++;
            assert_int_equal(f.n, 2);
            assert_int_equal(f.t[0].bytes + f.t[1].bytes, 40);
            st_close(&f);
        }
        assert_int_equal(pwrite(fd, &head[at], 1, at), 1);
    }
    close(fd);
    assert_true(accepted > 0);
}

static void golden_bytes(void **state)
{
    static const char first[] = "\x40\0\0\0\0\0\0\0{\"test\":{\"dtype\":\"I32\",\"shape\":[2,2],"
                                "\"data_offsets\":[0,16]}}    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const uint16_t bf16[] = {0x4010, 0x3f80, 0x3f80, 0x3f80};
    static const int32_t zeros[4];
    const struct strlist none = STRLIST_INIT;
    struct st_tensor t = {
        .name = "test", .dtype = DT_I32, .ndim = 2, .dim = {2, 2}, .data = zeros, .bytes = 16};
    const char *path = test_path_in(test_temp_dir(), "x"), *data;
    struct err e = ERR_INIT;
    size_t n;

    (void)state;
    assert_int_equal(st_write(path, &t, 1, &none, &e), 0);
    data = test_read_file(path, &n);
    assert_int_equal(n, sizeof first);
    assert_memory_equal(data, first, n);

    assert_int_equal(st_write(path, NULL, 0, &none, &e), 0);
    data = test_read_file(path, &n);
    assert_int_equal(n, 16);
    assert_memory_equal(data, "\x08\0\0\0\0\0\0\0{}      ", 16);

    t.dtype = DT_BF16;
    t.data = bf16;
    t.bytes = 8;
    assert_int_equal(st_write(path, &t, 1, NULL, &e), 0);
    data = test_read_file(path, &n);
    assert_true(str_starts(data + 8, "{\"__metadata__\":{\"format\":\"pt\"},\"test\":"));
    assert_int_equal(data[0] % 8, 0);
    assert_memory_equal(data + n - 8, "\x10\x40\x80\x3f\x80\x3f\x80\x3f", 8);
}

static void order_of_tensors(void **state)
{
    static const double data[1];
    static const char *const names[] = {"l.2", "l.10", "pos", "\"q\"\\\n\x01\xc3\xa9", "u"};
    static const enum dtype types[] = {DT_F32, DT_F32, DT_I64, DT_F32, DT_U8};
    static char *meta_texts[] = {"b", "1", "a", "\""};
    const struct strlist meta = {meta_texts, 4, 4};
    struct st_tensor t[5];
    const char *path = test_path_in(test_temp_dir(), "x");
    struct err e = ERR_INIT;

    (void)state;
    for (int i = 0; i < 5; i++)
        t[i] = (struct st_tensor){
            .name = names[i], .dtype = types[i], .data = data, .bytes = dtype_size(types[i])};
    assert_int_equal(st_write(path, t, 5, &meta, &e), 0);
    assert_true(str_starts(test_read_file(path, NULL) + 8,
                           "{\"__metadata__\":{\"b\":\"1\",\"a\":\"\\\"\"},"
                           "\"pos\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
                           "\"\\\"q\\\"\\\\\\n\\u0001\xc3\xa9\":{\"dtype\":\"F32\",\"shape\":[],"
                           "\"data_offsets\":[8,12]},"
                           "\"l.10\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[12,16]},"
                           "\"l.2\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[16,20]},"
                           "\"u\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[20,21]}}"));
}

static void round_trip(void **state)
{
    struct st_file f;
    struct err e = ERR_INIT;
    float w[6];
    int64_t ids[2];

    (void)state;
    assert_opens(&f, sample(test_temp_dir()));
    assert_int_equal(st_read(&f, st_find(&f, "ids"), ids, &e), 0);
    assert_int_equal(ids[0], 7);
    assert_int_equal(ids[1], -1);
    assert_int_equal(st_read_f32(&f, st_find(&f, "w"), w, &e), 0);
    assert_true(w[0] == 1 && w[3] == -4 && w[5] == INFINITY);
    assert_int_equal(st_read_f32(&f, st_find(&f, "ids"), w, &e), TT_EDATA);
    assert_non_null(strstr(e.msg, "\"ids\" is I64"));
    st_close(&f);
}

static void write_over_open_file(void **state)
{
    static const float other[1] = {9};
    const struct st_tensor t = {.name = "z", .dtype = DT_F32, .data = other, .bytes = 4};
    const char *path = sample(test_temp_dir());
    struct st_file f;
    struct err e = ERR_INIT;
    float w[6];

    (void)state;
    assert_opens(&f, path);
    assert_int_equal(st_write(path, &t, 1, NULL, &e), 0);
    assert_int_equal(st_read_f32(&f, st_find(&f, "w"), w, &e), 0);
    assert_true(w[2] == 3);
    st_close(&f);
    assert_opens(&f, path);
    assert_non_null(st_find(&f, "z"));
    st_close(&f);
}

/* More elements than one chunk, at an odd offset. */
static void conversions(void **state)
{
    enum { N = 40000 };
    static uint16_t half[N], bf[N];
    static double wide[N];
    static float got[N];
    static const uint8_t odd[3];
    struct st_tensor t[] = {
        {.name = "odd", .dtype = DT_U8, .ndim = 1, .dim = {3}, .data = odd, .bytes = 3},
        {.name = "half",
         .dtype = DT_F16,
         .ndim = 1,
         .dim = {N},
         .data = half,
         .bytes = sizeof half},
        {.name = "bf", .dtype = DT_BF16, .ndim = 1, .dim = {N}, .data = bf, .bytes = sizeof bf},
        {.name = "wide",
         .dtype = DT_F64,
         .ndim = 1,
         .dim = {N},
         .data = wide,
         .bytes = sizeof wide},
    };
    const char *path = test_path_in(test_temp_dir(), "x");
    struct st_file f;
    struct err e = ERR_INIT;

    (void)state;
    for (int i = 0; i < N; i++) {
        half[i] = (uint16_t)(0x3c00 + i % 1024); /* 1 + k / 1024 */
        bf[i] = bf16_from_f32((float)(i % 256));
        wide[i] = i * 0.25;
    }
    half[1] = 0x0001;
    half[2] = 0xfc00;
    wide[3] = NAN;
    assert_int_equal(st_write(path, t, 4, NULL, &e), 0);
    assert_opens(&f, path);
    assert_int_equal(st_read_f32(&f, st_find(&f, "half"), got, &e), 0);
    assert_true(got[1] == 0x1p-24f && got[2] == -INFINITY && got[39999] == 1 + 63 / 1024.0f);
    assert_int_equal(st_read_f32(&f, st_find(&f, "bf"), got, &e), 0);
    assert_true(got[39999] == 39999 % 256);
    assert_int_equal(st_read_f32(&f, st_find(&f, "wide"), got, &e), 0);
    assert_true(got[39999] == 39999 * 0.25f && isnan(got[3]));
    st_close(&f);

    wide[N - 1] = 1e39;
    assert_int_equal(st_write(path, t, 4, NULL, &e), 0);
    assert_opens(&f, path);
    assert_int_equal(st_read_f32(&f, st_find(&f, "wide"), got, &e), TT_EDATA);
    assert_non_null(strstr(e.msg, "\"wide\" holds a number beyond float32"));
    st_close(&f);
}

static void writer_refuses(void **state)
{
    static const float w[2];
    const struct st_tensor good = {
        .name = "w", .dtype = DT_F32, .ndim = 1, .dim = {2}, .data = w, .bytes = 8};
    struct st_tensor t[2] = {good, good};
    const char *path = test_path_in(test_temp_dir(), "x");
    struct err e = ERR_INIT;

    (void)state;
    t[1].dtype = DT_I32;
    assert_int_equal(st_write(path, t, 2, NULL, &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, "\"w\" is there twice"));
    t[0].bytes = 4;
    assert_int_equal(st_write(path, t, 1, NULL, &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, "fit its shape"));
    t[0] = good;
    t[0].name = "__metadata__";
    assert_int_equal(st_write(path, t, 1, NULL, &e), TT_EFAIL);
    t[0].name = "\xff";
    assert_int_equal(st_write(path, t, 1, NULL, &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, "\"\\xff\" is no name"));
    assert_false(file_exists(path));
}

/* A full disk at any operation leaves the file of before, and nothing else. */
static void failing_writes(void **state)
{
    const char *dir = test_temp_dir(), *path = sample(dir);
    const struct st_tensor t = {.name = "z", .dtype = DT_F32, .data = &(float){9}, .bytes = 4};
    struct strlist names = STRLIST_INIT;
    struct st_file f;
    struct err e = ERR_INIT;
    int rc = -1, n = 0;

    (void)state;
    while (rc != 0) {
        file_fail_at(++n, ENOSPC);
        rc = st_write(path, &t, 1, NULL, &e);
        file_fail_at(0, 0);
        assert_opens(&f, path);
        if (rc && !strstr(e.msg, "sync folder")) /* the last one: renamed already */
            assert_non_null(st_find(&f, "w"));
        st_close(&f);
        assert_true(n < 20);
    }
    assert_true(n > 3);
    assert_int_equal(file_list(dir, NULL, &names, &e), 0);
    assert_int_equal(names.n, 1);
    strlist_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crafted_files),        cmocka_unit_test(more_headers),
        cmocka_unit_test(deep_fields),          cmocka_unit_test(foreign_files),
        cmocka_unit_test(names_and_metadata),   cmocka_unit_test(every_truncation),
        cmocka_unit_test(every_header_byte),    cmocka_unit_test(golden_bytes),
        cmocka_unit_test(order_of_tensors),     cmocka_unit_test(round_trip),
        cmocka_unit_test(write_over_open_file), cmocka_unit_test(conversions),
        cmocka_unit_test(writer_refuses),       cmocka_unit_test(failing_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
