/* Queues of runs: sweeps multiplied out, folders in order, names, mistakes before the first start. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/train/run_queue.h"
#include "optimizers/table.h"

#define BASE "[model]\ntype = mlp\nhidden = 8\n[data]\nformat = synthetic\n"

static const char *write_config(const char *dir, const char *name, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text, BASE "%s", more);
    return test_write_file(dir, name, text);
}

static void assert_item(const struct run_queue *q, size_t i, const char *stem, const char *optimizer,
                        double lr)
{
    struct run_config rc;
    struct err e = ERR_INIT;
    assert_int_equal(run_queue_config(q, i, optim_classes, &rc, &e), 0);
    assert_string_equal(rc.stem, stem);
    assert_string_equal(rc.optim_cls->name, optimizer);
    assert_close(((const struct optim_common *)rc.optim_own)->lr, lr, 1e-12, 0);
    struct strbuf effective = STRBUF_INIT;
    run_config_format(&rc, &effective);
    assert_null(strstr(effective.s, "[sweep]"));
    strbuf_release(&effective);
    run_config_release(&rc);
}

static void one_config(void **state)
{
    struct run_queue q;
    struct err e = ERR_INIT;
    (void)state;
    const char *path = write_config(test_temp_dir(), "one.ini", "[optimizer]\nlr = 0.5\n");
    assert_int_equal(run_queue_open(&q, path, NULL, 0, optim_classes, &e), 0);
    assert_int_equal(q.n, 1);
    assert_item(&q, 0, "one", "adamw", 0.5);
    run_queue_release(&q);
}

static void every_combination(void **state)
{
    static const struct {
        const char *stem, *optimizer;
        double lr;
    } right[] = {{"s-adamw-0.1", "adamw", 0.1},       {"s-adamw-0.2", "adamw", 0.2},
                 {"s-sgd-0.1", "sgd", 0.1},           {"s-sgd-0.2", "sgd", 0.2},
                 {"s-adamw8bit-0.1", "adamw8bit", 0.1}, {"s-adamw8bit-0.2", "adamw8bit", 0.2}};
    struct run_queue q;
    struct err e = ERR_INIT;
    (void)state;
    const char *path = write_config(test_temp_dir(), "s.ini",
                                    "[sweep]\noptimizer.name = adamw, sgd,adamw8bit\n"
                                    "optimizer.lr = 0.1,0.2\n");
    assert_int_equal(run_queue_open(&q, path, NULL, 0, optim_classes, &e), 0);
    assert_int_equal(q.n, 6);
    for (size_t i = 0; i < q.n; i++)
        assert_item(&q, i, right[i].stem, right[i].optimizer, right[i].lr);
    run_queue_release(&q);
}

/* --set adds an axis, and its values hold for every run. */
static void assignments(void **state)
{
    const char *set[] = {"sweep.optimizer.name=sgd,lion", "optimizer.lr=0.25"};
    struct run_queue q;
    struct err e = ERR_INIT;
    (void)state;
    const char *path = write_config(test_temp_dir(), "a.ini", "[run]\nname = mine\n");
    assert_int_equal(run_queue_open(&q, path, set, 2, optim_classes, &e), 0);
    assert_int_equal(q.n, 2);
    assert_item(&q, 0, "mine-sgd", "sgd", 0.25);
    assert_item(&q, 1, "mine-lion", "lion", 0.25);
    assert_string_equal(ini_get(&q.item[1].ini, "run", "name"), "mine-lion");
    run_queue_release(&q);
}

static void folder(void **state)
{
    const char *dir = test_temp_dir();
    struct run_queue q;
    struct err e = ERR_INIT;
    (void)state;
    write_config(dir, "b.ini", "[sweep]\noptimizer.lr = 0.1,0.2\n");
    write_config(dir, "a.ini", "[optimizer]\nname = sgd\nlr = 0.3\n");
    write_config(dir, "._a.ini", "");
    test_write_file(dir, "notes.txt", "no config");
    assert_int_equal(run_queue_open(&q, dir, NULL, 0, optim_classes, &e), 0);
    assert_int_equal(q.n, 3);
    assert_item(&q, 0, "a", "sgd", 0.3);
    assert_item(&q, 1, "b-0.1", "adamw", 0.1);
    assert_item(&q, 2, "b-0.2", "adamw", 0.2);
    run_queue_release(&q);
}

static void names_of_values(void **state)
{
    struct run_queue q;
    struct err e = ERR_INIT;
    (void)state;
    const char *path = write_config(test_temp_dir(), "n.ini",
                                    "[sweep]\ndata.train = some/file one.csv,b.csv\n");
    assert_int_equal(run_queue_open(&q, path, NULL, 0, optim_classes, &e), 0);
    assert_string_equal(q.item[0].stem, "n-some_file_one.csv");
    run_queue_release(&q);
}

static void refused(void **state)
{
    static const struct {
        const char *more, *message;
    } wrong[] = {
        {"[sweep]\noptimizer.name = adamw,adamx\n", "sweep optimizer.name: unknown optimizer \"adamx\""},
        {"[sweep]\noptimizer.lr = 0.1,-1\n", "sweep optimizer.lr: \"-1\""},
        {"[sweep]\nlr = 0.1\n", "bad.ini:7: sweep.lr (an option as section.key)"},
        {"[sweep]\noptimizer.lr = 0.1,,1\n", "bad.ini:7: sweep.optimizer.lr: an empty value"},
        {"[sweep]\noptimizer.lr = 0.1,0.1\n", "bad.ini:7: sweep.optimizer.lr: 0.1 is there twice"},
        {"[sweep]\noptimizer.learning = 1,2\n", "sweep optimizer.learning: unknown"},
    };
    const char *dir = test_temp_dir();
    struct run_queue q;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err e = ERR_INIT;
        const char *path = write_config(dir, "bad.ini", wrong[i].more);
        assert_int_equal(run_queue_open(&q, path, NULL, 0, optim_classes, &e), TT_ECONFIG);
        if (!strstr(e.msg, wrong[i].message))
            fail_msg("\"%s\" does not say \"%s\"", e.msg, wrong[i].message);
        assert_int_equal(q.n, 0);
    }
    struct err e = ERR_INIT;
    assert_int_equal(run_queue_open(&q, test_temp_dir(), NULL, 0, optim_classes, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "no config in this folder"));
}

static void too_many(void **state)
{
    struct strbuf more = STRBUF_INIT;
    struct run_queue q;
    struct err e = ERR_INIT;
    (void)state;
    strbuf_addf(&more, "[sweep]\n");
    for (const char *key = "run.seed"; key; key = strcmp(key, "run.seed") ? NULL : "train.batch_size") {
        strbuf_addf(&more, "%s = 1", key);
        for (int i = 2; i <= 40; i++)
            strbuf_addf(&more, ",%d", i);
        strbuf_addf(&more, "\n");
    }
    const char *path = write_config(test_temp_dir(), "many.ini", more.s);
    assert_int_equal(run_queue_open(&q, path, NULL, 0, optim_classes, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "[sweep] makes over 1000 runs"));
    strbuf_release(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_config),     cmocka_unit_test(every_combination),
        cmocka_unit_test(assignments),    cmocka_unit_test(folder),
        cmocka_unit_test(names_of_values), cmocka_unit_test(refused),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
