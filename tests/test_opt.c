/* Option tables: defaults, parsing with bounds and messages, text of values. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/opt.h"

struct values {
    bool amsgrad;
    int64_t batch, seed, max_steps;
    double lr, beta, momentum, warmup;
    char *name, *dir, *label;
    int device, format;
    struct every log, save, eval;
};

#define AT(field) .at = offsetof(struct values, field)

static const struct opt_desc table[] = {
    {"amsgrad", "keep the maximum", NULL, OPT_BOOL, AT(amsgrad)},
    {"batch", "rows", "rows", OPT_INT, AT(batch), .def = 8, .min = 1, .max = 4096},
    {"seed", "seed", NULL, OPT_INT, AT(seed), .def = 42, .max = HUGE_VAL},
    {"max_steps", "end", NULL, OPT_INT, AT(max_steps), .min = 1, .max = 100, .flags = OPT_UNSET},
    {"lr", "rate", NULL, OPT_REAL, AT(lr), .def = 5e-5, .max = HUGE_VAL, .flags = OPT_MIN_OPEN},
    {"beta", "decay", NULL, OPT_REAL, AT(beta), .def = 0.9, .max = 1, .flags = OPT_MAX_OPEN},
    {"momentum", "any", NULL, OPT_REAL, AT(momentum), .def = -1},
    {"warmup", "ratio", NULL, OPT_REAL, AT(warmup), .max = 1, .flags = OPT_UNSET},
    {"name", "of the run", NULL, OPT_STR, AT(name)},
    {"dir", "of the runs", NULL, OPT_PATH, AT(dir), .choices = "runs"},
    {"label", "column", NULL, OPT_STR, AT(label), .flags = OPT_UNSET},
    {"device", "where", NULL, OPT_CHOICE, AT(device), .choices = "auto|cpu|cuda"},
    {"format", "of data", NULL, OPT_CHOICE, AT(format), .choices = "csv", .flags = OPT_UNSET},
    {"log", "lines", "steps", OPT_EVERY, AT(log), .def = 10},
    {"save", "checkpoints", "steps", OPT_EVERY, AT(save), .def = -1},
    {"eval", "never by epoch", "steps", OPT_EVERY, AT(eval), .flags = OPT_NO_EPOCH},
    {.key = NULL},
};

static int set(struct values *v, const char *key, const char *text, struct err *e)
{
    const struct opt_desc *d = opt_find(table, key);
    assert_non_null(d);
    return opt_parse(d, v, text, e);
}

static void assert_text(const struct values *v, const char *key, const char *file,
                        const char *shown)
{
    char text[64];
    const struct opt_desc *d = opt_find(table, key);
    assert_string_equal(opt_format(d, v, text, sizeof text), file);
    assert_string_equal(opt_show(d, v, text, sizeof text), shown);
}

static void test_defaults(void **state)
{
    (void)state;
    struct values v;
    opt_defaults(table, &v);
    assert_false(v.amsgrad);
    assert_true(v.batch == 8 && v.seed == 42 && v.max_steps == OPT_INT_UNSET);
    assert_true(v.lr == 5e-5 && v.beta == 0.9 && v.momentum == -1 && isnan(v.warmup));
    assert_null(v.name);
    assert_null(v.label);
    assert_string_equal(v.dir, "runs");
    assert_true(v.device == 0 && v.format == -1);
    assert_true(v.log.kind == EVERY_N && v.log.n == 10);
    assert_true(v.save.kind == EVERY_EPOCH && v.eval.kind == EVERY_NO);
    for (const struct opt_desc *d = table; d->key; d++) {
        char now[64], normal[64];
        assert_true(opt_is_default(d, &v));
        assert_string_equal(opt_format(d, &v, now, sizeof now),
                            opt_format_default(d, normal, sizeof normal));
    }
    opt_release(table, &v);
    assert_null(v.dir);
}

static void test_texts(void **state)
{
    (void)state;
    struct values v;
    opt_defaults(table, &v);
    assert_text(&v, "amsgrad", "no", "no");
    assert_text(&v, "batch", "8", "8");
    assert_text(&v, "max_steps", "", "—");
    assert_text(&v, "lr", "5e-05", "5.00e-05");
    assert_text(&v, "beta", "0.9", "0.9");
    assert_text(&v, "warmup", "", "—");
    assert_text(&v, "name", "", "—");
    assert_text(&v, "dir", "runs", "runs");
    assert_text(&v, "device", "auto", "auto");
    assert_text(&v, "format", "", "—");
    assert_text(&v, "log", "10", "10");
    assert_text(&v, "save", "epoch", "epoch");
    assert_text(&v, "eval", "no", "no");
    assert_int_equal(set(&v, "seed", "1234567", NULL), 0);
    assert_text(&v, "seed", "1234567", "1,234,567");
    assert_int_equal(set(&v, "name", "a\x1b[0m", NULL), 0);
    assert_text(&v, "name", "a\x1b[0m", "a^[[0m");
    opt_release(table, &v);
}

/* What is written is read back, and only the option parsed changes. */
static void test_good_values(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text, *format;
    } cases[] = {
        {"amsgrad", "yes", "yes"},
        {"amsgrad", "false", "no"},
        {"amsgrad", "on", "yes"},
        {"amsgrad", "0", "no"},
        {"batch", "4096", "4096"},
        {"seed", "0", "0"},
        {"max_steps", "100", "100"},
        {"max_steps", "", ""},
        {"lr", "2E-5", "2e-05"},
        {"lr", ".5", "0.5"},
        {"beta", "0", "0"},
        {"momentum", "-3.25", "-3.25"},
        {"warmup", "1", "1"},
        {"warmup", "", ""},
        {"name", "sst2 run", "sst2 run"},
        {"name", "", ""},
        {"dir", "/x", "/x"},
        {"label", "y", "y"},
        {"label", "", ""},
        {"device", "cuda", "cuda"},
        {"format", "csv", "csv"},
        {"format", "", ""},
        {"log", "epoch", "epoch"},
        {"log", "500", "500"},
        {"save", "no", "no"},
        {"eval", "7", "7"},
    };
    struct values v;
    opt_defaults(table, &v);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        struct err e = ERR_INIT;
        const struct opt_desc *d = opt_find(table, cases[i].key);
        assert_int_equal(opt_parse(d, &v, cases[i].text, &e), 0);
        assert_int_equal(e.code, 0);
        assert_string_equal(opt_format(d, &v, text, sizeof text), cases[i].format);
        assert_int_equal(opt_parse(d, &v, text, &e), 0);
    }
    opt_release(table, &v);
}

static void test_refused_values(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text, *message;
    } cases[] = {
        {"amsgrad", "maybe", "\"maybe\" (yes or no)"},
        {"amsgrad", "", "\"\" (yes or no)"},
        {"batch", "0", "\"0\" (a whole number from 1 to 4096)"},
        {"batch", "4097", "\"4097\" (a whole number from 1 to 4096)"},
        {"batch", "1e3", "\"1e3\" (a whole number from 1 to 4096)"},
        {"batch", "", "\"\" (a whole number from 1 to 4096)"},
        {"seed", "-1", "\"-1\" (a whole number from 0 up)"},
        {"seed", "1_000", "\"1_000\" (a whole number from 0 up)"},
        {"max_steps", "-9223372036854775808",
         "\"-9223372036854775808\" (a whole number from 1 to 100)"},
        {"lr", "0", "\"0\" (a number above 0)"},
        {"lr", "2e-5x", "\"2e-5x\" (a number above 0)"},
        {"lr", "inf", "\"inf\" (a number above 0)"},
        {"lr", "1e999", "\"1e999\" (a number above 0)"},
        {"beta", "1", "\"1\" (a number from 0 to below 1)"},
        {"beta", "nan", "\"nan\" (a number from 0 to below 1)"},
        {"momentum", "x\x1b", "\"x^[\" (a number)"},
        {"dir", "", "\"\" (a path)"},
        {"device", "cudo", "\"cudo\" (auto, cpu or cuda; did you mean cuda)"},
        {"device", "tpu-v4", "\"tpu-v4\" (auto, cpu or cuda)"},
        {"device", "", "\"\" (auto, cpu or cuda)"},
        {"log", "0", "\"0\" (a whole number above 0, epoch or no)"},
        {"log", "", "\"\" (a whole number above 0, epoch or no)"},
        {"eval", "epoch", "\"epoch\" (a whole number above 0, or no)"},
    };
    struct values v;
    opt_defaults(table, &v);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = ERR_INIT;
        assert_int_equal(set(&v, cases[i].key, cases[i].text, &e), TT_ECONFIG);
        assert_string_equal(e.msg, cases[i].message);
        for (const struct opt_desc *d = table; d->key; d++)
            assert_true(opt_is_default(d, &v));
    }
    opt_release(table, &v);
}

static void test_allowed(void **state)
{
    (void)state;
    static const struct {
        double min, max;
        unsigned flags;
        const char *text;
    } cases[] = {
        {0, 0, 0, "a number"},
        {-HUGE_VAL, 1, 0, "a number up to 1"},
        {-HUGE_VAL, 1, OPT_MAX_OPEN, "a number below 1"},
        {0.5, HUGE_VAL, 0, "a number from 0.5 up"},
        {0, HUGE_VAL, OPT_MIN_OPEN, "a number above 0"},
        {0, 1, 0, "a number from 0 to 1"},
        {0, 1, OPT_MIN_OPEN, "a number above 0 to 1"},
        {0, 1, OPT_MIN_OPEN | OPT_MAX_OPEN, "a number above 0 to below 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[96];
        struct opt_desc d = {
            .type = OPT_REAL, .min = cases[i].min, .max = cases[i].max, .flags = cases[i].flags};
        assert_string_equal(opt_allowed(&d, text, sizeof text), cases[i].text);
    }
}

static void test_copy(void **state)
{
    (void)state;
    struct values a, b;
    opt_defaults(table, &a);
    set(&a, "name", "one", NULL);
    set(&a, "log", "3", NULL);
    opt_copy(table, &b, &a);
    set(&a, "name", "two", NULL);
    assert_string_equal(b.name, "one");
    assert_null(b.label);
    assert_string_equal(b.dir, "runs");
    assert_int_equal(b.log.n, 3);
    opt_release(table, &a);
    opt_release(table, &b);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const known[] = {"adafactor", "adam", "adamw"};
    struct err e = ERR_INIT;
    assert_int_equal(opt_unknown("optimizer", "adamq", known, 3, &e), TT_ECONFIG);
    assert_string_equal(e.msg, "unknown optimizer \"adamq\" "
                               "(adafactor, adam or adamw; did you mean adam)");
    opt_unknown("optimizer", "sgd", known, 3, &e);
    assert_string_equal(e.msg, "unknown optimizer \"sgd\" (adafactor, adam or adamw)");

    char name[8];
    const struct opt_desc *d = opt_find(table, "device");
    assert_true(opt_choice(d, 2, name, sizeof name));
    assert_string_equal(name, "cuda");
    assert_false(opt_choice(d, 3, name, sizeof name));
    assert_false(opt_choice(d, -1, name, sizeof name));
    assert_null(opt_find(table, "lrr"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_texts),
        cmocka_unit_test(test_good_values), cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_allowed),     cmocka_unit_test(test_copy),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
