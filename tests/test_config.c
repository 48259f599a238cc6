/* Configs: those we ship, what is refused and how it is told, keys of other choices, the effective
 * config that loads to the same run. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/train/run_config.h"
#include "optimizers/table.h"
#include "tests/config_support.h"
#include "tests/sched_support.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void assert_refused(const char *text, const char *message)
{
    struct run_config rc;
    struct err e = ERR_INIT;
    assert_int_equal(config_load(&rc, text, &e), TT_ECONFIG);
    if (!strstr(e.msg, message))
        fail_msg("\"%s\" is not in \"%s\"", message, e.msg);
    assert_int_equal(rc.nparts, 0); /* empty after a failure */
    run_config_release(&rc);
}

/* ---- the effective config -------------------------------------------------------------------- */

/* Formats, loads, formats again: the same text, the same value of every option. */
static void assert_round_trip(const struct run_config *rc)
{
    struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
    struct run_config again;
    run_config_format(rc, &first);
    config_good(&again, first.s);
    run_config_format(&again, &second);
    assert_string_equal(first.s, second.s);
    assert_int_equal(again.warnings.n, 0);
    assert_int_equal(again.nparts, rc->nparts);
    for (int i = 0; i < rc->nparts; i++)
        for (const struct opt_desc *d = rc->part[i].opts; d->key; d++) {
            char was[512], is[512];
            if (d->type == OPT_PATH || rc->part[i].values == &rc->sched)
                continue; /* made absolute; without a warm-up that is not used */
            opt_format(d, rc->part[i].values, was, sizeof was);
            opt_format(d, again.part[i].values, is, sizeof is);
            assert_string_equal(was, is);
        }
    run_config_release(&again);
    strbuf_release(&first);
    strbuf_release(&second);
}

static bool is_ini(const char *name)
{
    return str_ends(name, ".ini");
}

static bool is_folder(const char *name)
{
    return !strchr(name, '.');
}

/* Every config in a folder of configs/; their number. */
static size_t load_all(const char *dir)
{
    struct err e = ERR_INIT;
    struct strlist names = STRLIST_INIT;
    assert_int_equal(file_list(dir, is_ini, &names, &e), 0);
    for (size_t i = 0; i < names.n; i++) {
        struct run_config rc;
        if (run_config_load(&rc, test_path_in(dir, names.s[i]), NULL, 0, optim_classes, &e))
            fail_msg("%s", e.msg);
        if (rc.warnings.n)
            fail_msg("%s", rc.warnings.s[0]);
        assert_round_trip(&rc);
        run_config_release(&rc);
    }
    size_t n = names.n;
    strlist_release(&names);
    return n;
}

static void test_shipped_configs(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct strlist folders = STRLIST_INIT;
    const char *dir = test_path("configs");
    assert_true(load_all(dir) >= 3);
    assert_int_equal(file_list(dir, is_folder, &folders, &e), 0);
    size_t below = 0;
    for (size_t i = 0; i < folders.n; i++)
        below += load_all(test_path_in(dir, folders.s[i]));
    assert_true(below >= 3);
    strlist_release(&folders);
}

static void test_round_trip_of_every_choice(void **state)
{
    (void)state;
    struct run_config rc;
    char text[512];
    for (const struct optim_class *const *o = optim_classes; *o; o++) {
        snprintf(text, sizeof text, MLP "[optimizer]\nname = %s\n", (*o)->name);
        config_good(&rc, text);
        assert_ptr_equal(rc.optim_cls, *o);
        assert_round_trip(&rc);
        run_config_release(&rc);
    }
    for (const struct sched_class *const *s = sched_classes; *s; s++) {
        snprintf(text, sizeof text, MLP "[schedule]\nname = %s\n%s\n", (*s)->name, sched_needs(*s));
        config_good(&rc, text);
        assert_ptr_equal(rc.sched_cls, *s);
        assert_round_trip(&rc);
        run_config_release(&rc);
    }
    for (const struct model_class *const *m = model_classes; *m; m++) {
        snprintf(text, sizeof text, "[model]\ntype = %s\n", (*m)->name);
        config_good(&rc, text);
        assert_round_trip(&rc);
        run_config_release(&rc);
    }
}

static void test_round_trip_of_odd_values(void **state)
{
    (void)state;
    struct run_config rc;
    config_good(&rc,
              "; a comment\n" MLP
              "[run]\nname = \"a ; \\\"b\\\" \\\\ c\" ; not this\ndir = some/../runs\nseed = 0\n"
              "[data]\ntrain = #1 = x.csv\nlabel = \" padded \"\n"
              "[optimizer]\nlr = 0.1\nbeta2 = 0.99999999999999989\n"
              "[train]\nmax_steps = 1000000000000\nshuffle = off\n"
              "[eval]\nevery = no\n[checkpoint]\nevery = 7\n"
              "[group.head]\nmatch = *.bias, linear.1.*\nlr_scale = 0.5\n"
              "[group.rest]\nmatch = *\nweight_decay = 0\nfreeze = yes\n"
              "[keys]\nquit = x\n[sweep]\noptimizer.lr = 1e-3, 1e-4\n");
    assert_string_equal(config_value(&rc, "run", "name"), "a ; \"b\" \\ c");
    assert_string_equal(config_value(&rc, "data", "train"), "#1 = x.csv");
    assert_int_equal(rc.ngroup, 2);
    assert_string_equal(rc.group[1].match, "*");
    assert_true(isnan(rc.group[0].weight_decay) && rc.group[1].weight_decay == 0);
    assert_round_trip(&rc);

    struct strbuf text = STRBUF_INIT;
    run_config_format(&rc, &text);
    char *runs = file_absolute("runs"), line[4200];
    snprintf(line, sizeof line, "\ndir = %s\n", runs);
    assert_non_null(strstr(text.s, line));
    assert_non_null(strstr(text.s, "[keys]\nquit = x\n"));
    assert_non_null(strstr(text.s, "[sweep]\noptimizer.lr = 1e-3, 1e-4\n"));
    free(runs);
    strbuf_release(&text);
    run_config_release(&rc);
}

/* The configs of a comparison differ in the optimizer alone. */
static void test_comparison_is_fair(void **state)
{
    static const char *const names[] = {"adamw", "adafactor", "adamw8bit"};
    (void)state;
    char *first = NULL;
    for (size_t i = 0; i < N(names); i++) {
        struct run_config rc;
        struct err e = ERR_INIT;
        char file[64];
        snprintf(file, sizeof file, "configs/compare-optimizers/%s.ini", names[i]);
        assert_int_equal(run_config_load(&rc, test_path(file), NULL, 0, optim_classes, &e), 0);
        assert_string_equal(rc.optim_cls->name, names[i]);
        struct strbuf text = STRBUF_INIT;
        run_config_format(&rc, &text);
        char *from = strstr(text.s, "[optimizer]"), *to = strstr(from, "\n[");
        memmove(from, to, strlen(to) + 1);
        if (first)
            assert_string_equal(first, text.s);
        else
            first = xstrdup(text.s);
        strbuf_release(&text);
        run_config_release(&rc);
    }
    free(first);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {MLP "[train]\nepoch = 3\n", "run.ini:4: unknown key of [train] \"epoch\" ("},
        {MLP "[train]\nepoch = 3\n", "did you mean epochs)"},
        {MLP "[schedule]\nnum_cycle = 1\nname = cosine\n", "run.ini:4: unknown key of [schedule]"},
        {MLP "[schedule]\nnum_cycle = 1\nname = cosine\n", "did you mean num_cycles)"},
        {MLP "[shedule]\nname = cosine\n", "run.ini:4: unknown section \"shedule\" ("},
        {MLP "[shedule]\nname = cosine\n", "did you mean schedule)"},
        {MLP "[group.x]\nfreeze = yes\n", "run.ini: group.x.match is missing ("},
        {MLP "[optimizer]\nname = adamx\n", "run.ini:4: unknown optimizer \"adamx\" ("},
        {MLP "[schedule]\nname = liner\n", "did you mean linear)"},
        {"[model]\ntype = mpl\n", "run.ini:2: "},
        {"[model]\ntype = mpl\n", "\"mpl\""},
        {"[train]\nepochs = 3\n", "run.ini: model.type is missing ("},
        {MLP "[train]\nepochs = 0\n",
         "run.ini:4: train.epochs: \"0\" (a number above 0 to 1000000)"},
        {MLP "[train]\nepochs = nan\n", "run.ini:4: train.epochs: \"nan\" ("},
        {MLP "[train]\nbatch_size = 8.5\n", "run.ini:4: train.batch_size: \"8.5\" (a whole number"},
        {MLP "[train]\nbatch_size =\n", "run.ini:4: train.batch_size: \"\" (a whole number"},
        {MLP "[eval]\nbest = acuracy\n", "run.ini:4: eval.best: unknown metric \"acuracy\" ("},
        {MLP "[eval]\nevery = 0\n",
         "run.ini:4: eval.every: \"0\" (a whole number above 0, epoch or no)"},
        {MLP "[schedule]\nwarmup_ratio = 0.1\nwarmup_steps = 1\n",
         "run.ini:5: schedule.warmup_steps and schedule.warmup_ratio are both given"},
        {MLP "[schedule]\nname = cosine_with_min_lr\nmin_lr_rate = 0.1\nmin_lr = 0\n",
         "run.ini:6: schedule.min_lr and schedule.min_lr_rate are both given (one of them)"},
        {MLP "[schedule]\nname = cosine_with_min_lr\n",
         "run.ini: neither schedule.min_lr nor schedule.min_lr_rate is given (one of them)"},
        {MLP "[schedule]\nname = warmup_stable_decay\n",
         "run.ini: schedule.num_decay_steps is missing (updates of the decay at the end)"},
        {MLP "[schedule]\nname = warmup_stable_decay\nnum_decay_steps =\n",
         "run.ini:5: schedule.num_decay_steps: \"\" (a whole number"},
        {MLP "[optimizer]\nname = adafactor\nlr = 1e-3\nrelative_step = true\n", /* bug-case 32 */
         "run.ini:6: optimizer.lr together with optimizer.relative_step = true"},
        {MLP "[optimizer]\nname = adafactor\nlr = 1e-3\nwarmup_init = true\n",
         "run.ini:6: optimizer.warmup_init without optimizer.relative_step ("},
        {MLP "[optimizer]\nname = adafactor\nrelative_step = false\n",
         "run.ini:5: optimizer.relative_step = false without optimizer.lr ("},
        {MLP "[optimizer]\nname = sgd\nnesterov = yes\n",
         "run.ini:5: optimizer.nesterov with optimizer.momentum = 0 ("},
        {MLP "[optimizer]\nnesterov = yes\ndampening = 0.1\nmomentum = 0.9\nname = sgd\n",
         "run.ini:5: optimizer.nesterov with optimizer.dampening = 0.1 ("},
    };
    for (size_t i = 0; i < N(rows); i++)
        assert_refused(rows[i].text, rows[i].message);
}

/* Allowed and hardly meant: one warning, at its place. */
static void test_doubtful(void **state)
{
    (void)state;
    static const struct {
        const char *options, *warning;
    } rows[] = {
        {"name = adam8bit\nweight_decay = 0.1\n",
         "run.ini:5: optimizer.weight_decay with adam8bit decays the weights directly"},
        {"name = sgd\ndampening = 0.1\n",
         "run.ini:5: optimizer.dampening does nothing while optimizer.momentum is 0"},
        {"name = muon\nmomentum = 0\n",
         "run.ini:5: optimizer.nesterov does nothing while optimizer.momentum is 0"},
        {"name = adam8bit\n", NULL},
        {"name = adamw8bit\nweight_decay = 0.1\n", NULL},
        {"name = muon\nmomentum = 0\nnesterov = no\n", NULL},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct run_config rc;
        char text[256];
        snprintf(text, sizeof text, MLP "[optimizer]\n%s", rows[i].options);
        config_good(&rc, text);
        assert_int_equal(rc.warnings.n, rows[i].warning != NULL);
        if (rows[i].warning && !strstr(rc.warnings.s[0], rows[i].warning))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].warning, rc.warnings.s[0]);
        run_config_release(&rc);
    }
}

static void test_too_many_groups(void **state)
{
    (void)state;
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, MLP);
    for (int i = 0; i <= CONFIG_GROUPS; i++)
        strbuf_addf(&text, "[group.g%d]\nmatch = *\n", i);
    assert_refused(text.s, "more than 16 [group.NAME] sections");
    strbuf_release(&text);
}

static void test_assignments(void **state)
{
    (void)state;
    struct run_config rc;
    struct err e = ERR_INIT;
    const char *path = test_write_file(test_temp_dir(), "set.ini", MLP "[train]\nepochs = 3\n");
    const char *good[] = {"train.epochs=5", "group.head.match = *.bias", "train.epochs=6"};
    assert_int_equal(run_config_load(&rc, path, good, 3, optim_classes, &e), 0);
    assert_string_equal(config_value(&rc, "train", "epochs"), "6");
    assert_string_equal(config_value(&rc, "group.head", "match"), "*.bias");
    assert_string_equal(rc.stem, "set");
    run_config_release(&rc);

    static const char *const bad[][2] = {
        {"train.epoch=5", "--set train.epoch: unknown key of [train] \"epoch\""},
        {"train.epochs=x", "--set train.epochs: \"x\""},
        {"optimizer.name=", "" /* removed: the default again */},
    };
    assert_int_equal(run_config_load(&rc, path, &bad[0][0], 1, optim_classes, &e), TT_ECONFIG);
    assert_true(str_starts(e.msg, bad[0][1]));
    assert_int_equal(run_config_load(&rc, path, &bad[1][0], 1, optim_classes, &e), TT_ECONFIG);
    assert_true(str_starts(e.msg, bad[1][1]));
    assert_int_equal(run_config_load(&rc, path, &bad[2][0], 1, optim_classes, &e), 0);
    assert_string_equal(rc.optim_cls->name, "adamw");
    run_config_release(&rc);
}

/* ---- keys of another choice ------------------------------------------------------------------ */

static void test_keys_of_another_choice(void **state)
{
    (void)state;
    struct run_config rc;
    struct strbuf text = STRBUF_INIT;
    config_good(&rc,
              "[model]\ntype = mlp\nchannels = 4\n[optimizer]\nnesterov = yes\nmomentum = 0.9\n"
              "[schedule]\nname = constant\nnum_cycles = 2\nwarmup_ratio = 0.1\n");
    assert_int_equal(rc.warnings.n, 5);
    assert_string_equal(rc.warnings.s[0],
                        "run.ini:3: model.channels belongs to convnet, not to mlp: not used");
    assert_string_equal(rc.warnings.s[1],
                        "run.ini:5: optimizer.nesterov belongs to muon or sgd, not to adamw: "
                        "not used");
    assert_non_null(strstr(rc.warnings.s[2], "rmsprop or sgd, not to adamw"));
    assert_non_null(strstr(rc.warnings.s[3], "belongs to cosine, "));
    assert_string_equal(rc.warnings.s[4],
                        "run.ini:10: schedule.warmup_ratio belongs to schedules with "
                        "a warm-up, not to constant: not used");
    run_config_format(&rc, &text);
    static const char *const gone[] = {"channels", "nesterov", "momentum", "num_cycles", "warmup"};
    for (size_t i = 0; i < N(gone); i++)
        assert_null(strstr(text.s, gone[i]));
    assert_round_trip(&rc);
    strbuf_release(&text);
    run_config_release(&rc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_configs),
        cmocka_unit_test(test_comparison_is_fair),
        cmocka_unit_test(test_round_trip_of_every_choice),
        cmocka_unit_test(test_round_trip_of_odd_values),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_doubtful),
        cmocka_unit_test(test_too_many_groups),
        cmocka_unit_test(test_assignments),
        cmocka_unit_test(test_keys_of_another_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
