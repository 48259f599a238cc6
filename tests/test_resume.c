/* Runs that must be equal to the last byte: the same seed twice, and a run cut anywhere and resumed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/io/rundir.h"
#include "engine/io/safetensors.h"
#include "optimizers/table.h"
#include "tests/train_support.h"

static void assert_same_file(const char *dir, const char *a, const char *b, const char *file)
{
    char *pa = xasprintf("%s/runs/%s/%s", dir, a, file), *pb = xasprintf("%s/runs/%s/%s", dir, b, file);
    size_t na, nb;
    const char *da = test_read_file(pa, &na), *db = test_read_file(pb, &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(da, db, na);
    free(pa);
    free(pb);
}

static struct strlist metrics_lines(const char *dir, const char *name)
{
    struct strlist lines = STRLIST_INIT;
    char *text = train_metrics(dir, name);
    strlist_split(&lines, text, '\n');
    free(text);
    return lines;
}

static void assert_same_run(const char *dir, const char *a, const char *b, int64_t step)
{
    char file[96];
    struct strlist ma = metrics_lines(dir, a), mb = metrics_lines(dir, b);
    for (size_t i = 0; i < ma.n && i < mb.n; i++)
        assert_string_equal(ma.s[i], mb.s[i]);
    assert_int_equal(ma.n, mb.n);
    static const char *const files[] = {"model.safetensors", "optimizer.safetensors"};
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "checkpoints/step-%lld/%s", (long long)step, files[i]);
        assert_same_file(dir, a, b, file);
    }
    assert_same_file(dir, a, b, "final/model.safetensors");
    strlist_release(&ma);
    strlist_release(&mb);
}

static const char *const text = "dropout = 0.2\n[train]\nmax_steps = 20\nbatch_size = 4\n"
                                "gradient_accumulation_steps = 2\n[log]\nevery = 3\n"
                                "[eval]\nevery = 7\nbest = loss\n[checkpoint]\nevery = 20\n";

/* 60 rows, batch 4, accumulation 2: 8 updates an epoch, the last of them short. */
static const char *config(const char *dir, const char *name, const char *optimizer, const char *more)
{
    struct strbuf b = STRBUF_INIT;
    strbuf_addf(&b, "[model]\n%s[optimizer]\nname = %s\n%s", text, optimizer, more);
    const char *path = train_config(dir, name, b.s);
    strbuf_release(&b);
    return path;
}

static void test_same_seed_same_run(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run(config(dir, "one", "adamw", ""), false, &o);
    assert_int_equal(o.code, 0);
    train_run(config(dir, "two", "adamw", ""), false, &o);
    assert_int_equal(o.code, 0);
    assert_same_run(dir, "one", "two", 20);
}

/* Bug-cases 5, 55: wherever the run is cut, also at the last batch of an epoch and in mid-log. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run(config(dir, "whole", "adamw", ""), false, &o);
    assert_int_equal(o.code, 0);
    for (train_cut_at = 0; train_cut_at < 20; train_cut_at++) {
        char name[32];
        snprintf(name, sizeof name, "cut%lld", (long long)train_cut_at);
        const char *path = config(dir, name, "adamw", "");
        train_run_with(path, false, train_cut, &o);
        assert_int_equal(o.code, TT_ESTOPPED);
        assert_true(o.st.step >= train_cut_at && o.st.step <= train_cut_at + 1);
        train_run(path, true, &o);
        assert_int_equal(o.code, 0);
        assert_same_run(dir, "whole", name, 20);
    }
}

static const char *lr_line(const char *optimizer)
{
    return strcmp(optimizer, "muon") ? "" : "lr = 1e-2\n";
}

static void test_every_optimizer_resumes(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    for (int i = 0; optim_classes[i]; i++) {
        struct outcome o;
        char whole[64], part[64];
        const char *name = optim_classes[i]->name;
        snprintf(whole, sizeof whole, "%s-whole", name);
        snprintf(part, sizeof part, "%s-part", name);
        train_run(config(dir, whole, name, lr_line(name)), false, &o);
        assert_int_equal(o.code, 0);
        train_cut_at = 11;
        const char *path = config(dir, part, name, lr_line(name));
        train_run_with(path, false, train_cut, &o);
        assert_int_equal(o.code, TT_ESTOPPED);
        train_run(path, true, &o);
        assert_int_equal(o.code, 0);
        assert_same_run(dir, whole, part, 20);
    }
}

/* The same tensors, the last one first. */
static void turn_round(const char *path)
{
    struct err e = ERR_INIT;
    struct st_file f;
    struct strbuf head = STRBUF_INIT, data = STRBUF_INIT;
    assert_int_equal(st_open(&f, path, &e), 0);
    assert_true(f.n > 2);
    strbuf_adds(&head, "{");
    for (size_t i = f.n; i-- > 0;) {
        const struct st_tensor *t = &f.t[i];
        strbuf_addf(&head, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[", head.len > 1 ? "," : "", t->name,
                    t->type);
        for (int d = 0; d < t->ndim; d++)
            strbuf_addf(&head, "%s%lld", d ? "," : "", (long long)t->dim[d]);
        strbuf_addf(&head, "],\"data_offsets\":[%zu,%zu]}", data.len, data.len + t->bytes);
        void *bytes = xmalloc(t->bytes);
        assert_int_equal(st_read(&f, t, bytes, &e), 0);
        strbuf_add(&data, bytes, t->bytes);
        free(bytes);
    }
    strbuf_adds(&head, "}");
    uint64_t len = head.len;
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(&len, sizeof len, 1, out), 1);
    assert_int_equal(fwrite(head.s, 1, head.len, out), head.len);
    assert_int_equal(fwrite(data.s, 1, data.len, out), data.len);
    assert_int_equal(fclose(out), 0);
    st_close(&f);
    strbuf_release(&head);
    strbuf_release(&data);
}

/* States are found by name, wherever they lie in their file. */
static void test_states_by_name(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run(config(dir, "whole", "adamw", ""), false, &o);
    assert_int_equal(o.code, 0);
    train_cut_at = 7;
    const char *path = config(dir, "turned", "adamw", "");
    train_run_with(path, false, train_cut, &o);
    assert_int_equal(o.code, TT_ESTOPPED);
    char *file = xasprintf("%s/runs/turned/checkpoints/step-%lld/optimizer.safetensors", dir,
                           (long long)o.st.step);
    turn_round(file);
    free(file);
    train_run(path, true, &o);
    assert_int_equal(o.code, 0);
    assert_same_run(dir, "whole", "turned", 20);
}

/* Decision D8: what may change on a resume is said and holds; the rest is refused by name. */
static void test_changed_options(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_cut_at = 5;
    train_run_with(config(dir, "changed", "adamw", ""), false, train_cut, &o);
    assert_int_equal(o.code, TT_ESTOPPED);
    train_run(config(dir, "changed", "sgd", ""), true, &o);
    assert_int_equal(o.code, TT_ECONFIG);
    assert_non_null(strstr(o.msg, "optimizer.name"));
    train_run(config(dir, "changed", "adamw", "lr = 1e-2\n"), true, &o);
    assert_int_equal(o.code, 0);
    char *log = xasprintf("%s/runs/changed/log.txt", dir);
    assert_non_null(strstr(test_read_file(log, NULL), "optimizer.lr 5e-05 -> 0.01"));
    free(log);
}

/* A schedule that follows a metric goes on from where it was, in proportion to another base rate. */
static void test_changed_rate_of_a_follower(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    const char *more = "[schedule]\nname = reduce_lr_on_plateau\npatience = 0\nthreshold = 10\n"
                       "threshold_mode = abs\nfactor = 0.5\n";
    char lr[256];
    train_cut_at = 15; /* evaluations at 7 and 14: the second one halves the rate */
    snprintf(lr, sizeof lr, "lr = 1e-3\n%s", more);
    train_run_with(config(dir, "follow", "adamw", lr), false, train_cut, &o);
    assert_int_equal(o.code, TT_ESTOPPED);
    assert_close(o.st.lr, 5e-4, 1e-12, 0);
    snprintf(lr, sizeof lr, "lr = 2e-3\n%s", more);
    train_run(config(dir, "follow", "adamw", lr), true, &o);
    assert_int_equal(o.code, 0);
    assert_close(o.st.lr, 1e-3, 1e-12, 0);
}

static void test_other_data_is_refused(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    char more[512];
    const char *csv = test_write_file(dir, "x.csv", "a,b,label\n1,2,x\n2,3,y\n3,4,x\n4,5,y\n");
    snprintf(more, sizeof more,
             "[run]\nname = other\ndir = %s/runs\n[model]\ntype = mlp\n[data]\ntrain = %s\n"
             "[train]\nmax_steps = 9\n",
             dir, csv);
    const char *path = test_write_file(dir, "other.ini", more);
    train_cut_at = 2;
    train_run_with(path, false, train_cut, &o);
    assert_int_equal(o.code, TT_ESTOPPED);
    test_write_file(dir, "x.csv", "a,b,label\n1,2,x\n2,3,y\n3,4,x\n9,5,y\n");
    train_run(path, true, &o);
    assert_int_equal(o.code, TT_ECONFIG);
    assert_non_null(strstr(o.msg, "checksum"));
}

/* Bug-case 44: a truncated checkpoint is passed over, the one before is taken. */
static void test_broken_checkpoint_is_passed_over(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    const char *path = train_config(dir, "broken",
                                    "[train]\nmax_steps = 20\n[eval]\nevery = no\n"
                                    "[checkpoint]\nevery = 5\n");
    train_cut_at = 12;
    train_run_with(path, false, train_cut, &o);
    assert_int_equal(o.code, TT_ESTOPPED);
    char *run = xasprintf("%s/runs/broken", dir);
    int64_t *steps;
    int n = ckpt_list(run, &steps, NULL);
    assert_true(n >= 2);
    char *file = xasprintf("%s/checkpoints/step-%lld/model.safetensors", run, (long long)steps[n - 1]);
    FILE *f = fopen(file, "r+");
    assert_int_equal(ftruncate(fileno(f), 100), 0);
    fclose(f);
    train_run(path, true, &o);
    assert_int_equal(o.code, 0);
    char *log = xasprintf("%s/log.txt", run), want[64];
    snprintf(want, sizeof want, "resumed at step %lld", (long long)steps[n - 2]);
    assert_non_null(strstr(test_read_file(log, NULL), want));
    char *m = train_metrics(dir, "broken");
    assert_int_equal(train_count(m, "loss"), 2); /* log.every 10: steps 10 and 20, each once */
    free(steps);
    free(run);
    free(file);
    free(log);
    free(m);
}

/* One thread against two: losses within 1e-4 relative over 40 steps. */
static void test_threads(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    char *m[2];
    for (int i = 0; i < 2; i++) {
        struct outcome o;
        struct strbuf b = STRBUF_INIT;
        char name[16];
        snprintf(name, sizeof name, "t%d", i + 1);
        strbuf_addf(&b, "[run]\nname = %s\ndir = %s/runs\nthreads = %d\n[model]\ntype = convnet\n"
                        "channels = 4,8\nhidden = 16\n[data]\nformat = synthetic\nrows = 600\n"
                        "[optimizer]\nlr = 1e-3\n[train]\nmax_steps = 40\nbatch_size = 64\n"
                        "[log]\nevery = 1\n[eval]\nevery = no\n", name, dir, i + 1);
        train_run(test_write_file(dir, "threads.ini", b.s), false, &o);
        assert_int_equal(o.code, 0);
        strbuf_release(&b);
        m[i] = train_metrics(dir, name);
    }
    for (int k = 0; k < 40; k++)
        assert_close(train_value(m[1], "loss", k), train_value(m[0], "loss", k), 1e-4, 0);
    free(m[0]);
    free(m[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_seed_same_run),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_every_optimizer_resumes),
        cmocka_unit_test(test_states_by_name),
        cmocka_unit_test(test_changed_options),
        cmocka_unit_test(test_changed_rate_of_a_follower),
        cmocka_unit_test(test_other_data_is_refused),
        cmocka_unit_test(test_broken_checkpoint_is_passed_over),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
