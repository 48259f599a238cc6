/* IDX images and labels: a small pair, broken pairs, and Debian's Fashion-MNIST where it is
 * installed. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tests/data_support.h"

static void test_images(void **state)
{
    (void)state;
    static const uint8_t first[] = {0, 51, 255, 1, 2, 3};
    static const int32_t label[] = {2, 0, 1, 2, 0, 0};
    struct opened d;
    data_open(&d, "train = %s\ntrain_labels = %s", data_golden("images-idx3-ubyte.gz"),
              data_golden("labels-idx1-ubyte"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 6);
    assert_int_equal(d.train.labelled, 6);
    assert_int_equal(d.train.spec.ndim, 3);
    assert_int_equal(d.train.spec.dim[0], 1);
    assert_int_equal(d.train.spec.dim[1], 2);
    assert_int_equal(d.train.spec.dim[2], 3);
    assert_memory_equal(d.train.x8, first, sizeof first);
    assert_memory_equal(d.train.label, label, sizeof label);
    assert_string_equal(d.train.spec.label[0], "1");
    float x[12];
    dataset_gather(&d.train, (const int64_t[]){5, 0}, 2, x, NULL, NULL);
    for (int i = 0; i < 6; i++) {
        assert_true(x[i] == (float)(24 + i) / 255.0f);
        assert_true(x[6 + i] == (float)first[i] / 255.0f);
    }
    assert_true(x[8] == 1);
    data_close(&d);
}

/* A file of 4-byte big-endian words followed by `n` bytes 0, 1, 0, 1, ... */
static const char *idx_file(const char *name, const uint32_t *word, size_t words, size_t n)
{
    unsigned char data[256];
    for (size_t i = 0; i < 4 * words; i++)
        data[i] = (unsigned char)(word[i / 4] >> (24 - 8 * (i % 4)));
    for (size_t i = 0; i < n; i++)
        data[4 * words + i] = i & 1;
    return data_file(name, (const char *)data, 4 * words + n);
}

#define WORDS(...)                                                                                 \
    (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static void test_shapes(void **state)
{
    (void)state;
    const char *labels = idx_file("l-ubyte", WORDS(0x801, 2), 2);
    struct opened d;
    data_open(&d, "train_labels = %s\ntrain = %s", labels,
              idx_file("i-ubyte", WORDS(0x802, 2, 5), 10));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.spec.ndim, 1);
    assert_int_equal(d.train.spec.dim[0], 5);
    data_close(&d);
    data_open(&d, "train_labels = %s\ntrain = %s", labels,
              idx_file("i-ubyte", WORDS(0x804, 2, 3, 2, 4), 48));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.spec.dim[0], 3);
    assert_int_equal(d.train.spec.dim[1], 2);
    assert_int_equal(d.train.spec.dim[2], 4);
    data_close(&d);
}

static void assert_refused(const char *images, const char *labels, const char *end)
{
    struct opened d;
    data_open(&d, "train = %s\ntrain_labels = %s\nformat = idx", images, labels);
    assert_int_equal(d.rc, TT_EDATA);
    if (!str_ends(d.e.msg, end))
        assert_string_equal(d.e.msg, end);
    data_close(&d);
}

static void test_refused(void **state)
{
    (void)state;
    const char *images = idx_file("i", WORDS(0x803, 2, 1, 2), 4);
    const char *labels = idx_file("l", WORDS(0x801, 2), 2);
    assert_refused(
        idx_file("i", WORDS(0x801, 4), 4), labels,
        "/i: magic 0x00000801 (0x00000803: bytes in 3 dimensions; 2 and 4 are read too)");
    assert_refused(
        idx_file("i", WORDS(0xd03, 2, 1, 2), 16), labels,
        "/i: magic 0x00000d03 (0x00000803: bytes in 3 dimensions; 2 and 4 are read too)");
    assert_refused(images, images, "/i: magic 0x00000803 (0x00000801: bytes in one dimension)");
    assert_refused(idx_file("i", WORDS(0x803, 2, 1, 2), 3), labels,
                   "/i: 3 bytes of data (2 x 2, says its header)");
    assert_refused(idx_file("i", WORDS(0x803, 2, 1, 2), 5), labels,
                   "/i: 5 bytes of data (2 x 2, says its header)");
    assert_refused(idx_file("i", WORDS(0x803, 3, 0x80000000, 0x80000000), 5), labels,
                   "/i: 5 bytes of data (3 x 4611686018427387904, says its header)");
    assert_refused(idx_file("i", WORDS(0x804, 3, ~0u, ~0u, ~0u), 5), labels,
                   "/i: the dimensions are too large");
    assert_refused(idx_file("i", WORDS(0x803, 2), 0), labels,
                   "/i: 8 bytes (16, the IDX header alone)");
    assert_refused(idx_file("i", WORDS(0x803, 0, 1, 2), 0), labels,
                   "/i: dimension 0 is 0 (1 at least)");
    assert_refused(data_file("i", "ab", 0), labels, "/i: 2 bytes (an IDX header)");
    assert_refused(images, idx_file("l", WORDS(0x801, 3), 3), "/i)");
    assert_refused(images, idx_file("l", WORDS(0x801, 2), 1),
                   "/l: 1 bytes of data (2 x 1, says its header)");
    assert_refused(test_temp_dir(), labels, ": is a folder (a file)");
    assert_refused("no/such-ubyte", labels, "no/such-ubyte: no such file");
    assert_refused(test_write_file(test_temp_dir(), "._i", "x"), labels,
                   "._i: names that begin with ._ are never read");
    struct opened d;
    data_open(&d, "train = %s\nformat = idx", images);
    assert_int_equal(d.rc, TT_ECONFIG);
    assert_string_equal(d.e.msg, "data.train_labels is not given (the IDX file of the labels)");
    data_close(&d);
}

static void test_truncated_gzip(void **state)
{
    (void)state;
    size_t n;
    const char *gz = test_golden("data/images-idx3-ubyte.gz", &n);
    assert_refused(data_file("i.gz", gz, n - 3), data_golden("labels-idx1-ubyte"),
                   "/i.gz: the gzip data ends too early");
    assert_refused(data_file("i.gz", gz, 12), data_golden("labels-idx1-ubyte"),
                   "/i.gz: the gzip data ends too early");
}

static void test_eval(void **state)
{
    (void)state;
    struct opened d;
    const char *images = idx_file("i-ubyte", WORDS(0x803, 4, 1, 2), 8);
    const char *labels = idx_file("l-ubyte", WORDS(0x801, 4), 4);
    data_open(&d, "train = %s\ntrain_labels = %s\neval = %s\neval_labels = %s", images, labels,
              idx_file("e-ubyte", WORDS(0x803, 2, 2, 1), 4), labels);
    assert_int_equal(d.rc, TT_EDATA);
    assert_true(str_ends(d.e.msg, "e-ubyte: rows of 1 x 2 x 1 (1 x 1 x 2, as in training)"));
    data_close(&d);
    static const uint8_t other[] = {0, 0, 8, 1, 0, 0, 0, 4, 0, 1, 12, 1};
    data_open(&d, "train = %s\ntrain_labels = %s\neval = %s\neval_labels = %s", images, labels,
              images, data_file("f-ubyte", (const char *)other, sizeof other));
    assert_int_equal(d.rc, TT_EDATA);
    assert_true(str_ends(d.e.msg, "f-ubyte: row 2: label 12 (0 or 1)"));
    data_close(&d);
}

static void test_peek(void **state)
{
    (void)state;
    struct opened d;
    data_peek(&d, "train = %s\ntrain_labels = %s\neval_fraction = 0.4",
              data_golden("images-idx3-ubyte.gz"), data_golden("labels-idx1-ubyte"));
    assert_string_equal(d.e.msg, "");
    assert_null(d.train.x8);
    assert_int_equal(d.train.rows, 3);
    assert_int_equal(d.eval.rows, 3);
    assert_int_equal(d.eval.labelled, 3);
    assert_int_equal(d.train.spec.num_labels, 3);
    assert_int_equal(d.train.spec.dim[2], 3);
    data_close(&d);
    data_peek(&d, "train = %s\ntrain_labels = %s\nformat = idx", test_temp_dir(),
              data_golden("labels-idx1-ubyte"));
    assert_true(str_ends(d.e.msg, ": is a folder (a file)"));
    data_close(&d);
}

static void test_fashion_mnist(void **state)
{
    (void)state;
#define FOLDER "/usr/share/datasets/fashion-mnist/"
    static const char options[] =
        "train = " FOLDER "train-images-idx3-ubyte.gz\ntrain_labels = " FOLDER
        "train-labels-idx1-ubyte.gz\neval = " FOLDER
        "t10k-images-idx3-ubyte.gz\neval_labels = " FOLDER
        "t10k-labels-idx1-ubyte.gz\nlabel_names = T-shirt/top, Trouser, Pullover, Dress, Coat, "
        "Sandal, Shirt, Sneaker, Bag, Ankle boot\n";
    if (!file_exists(FOLDER "train-images-idx3-ubyte.gz"))
        skip();
    struct opened d;
    data_open(&d, "%s", options);
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 60000);
    assert_int_equal(d.eval.rows, 10000);
    assert_int_equal(d.train.row_len, 784);
    assert_string_equal(d.train.spec.label[9], "Ankle boot");
    static const int32_t first[] = {9, 0, 0, 3, 0, 2, 7, 2, 5, 5};
    assert_memory_equal(d.train.label, first, sizeof first);
    int64_t count[10] = {0};
    uint64_t sum = 0;
    for (int64_t i = 0; i < d.train.rows; i++)
        count[d.train.label[i]]++;
    for (int i = 0; i < 10; i++)
        assert_int_equal(count[i], 6000);
    for (size_t i = 0; i < (size_t)d.train.rows * 784; i++)
        sum += d.train.x8[i];
    /* The mean pixel that everyone subtracts: 0.2860. */
    assert_close((double)sum / 255 / 784 / 60000, 0.2860, 0, 5e-5);
    data_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images),        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_truncated_gzip),
        cmocka_unit_test(test_eval),          cmocka_unit_test(test_peek),
        cmocka_unit_test(test_fashion_mnist),
    };
    return cmocka_run_group_tests_name("data_idx", tests, NULL, NULL);
}
