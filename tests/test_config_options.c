/* What a resume may change of a config, and the tables of options: complete, with defaults within
 * their ranges. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/train/run_config.h"
#include "optimizers/table.h"
#include "tests/config_support.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static int compare(const char *old_text, const char *now_text, struct strlist *changed,
                   struct err *e)
{
    struct run_config old, now;
    config_good(&old, old_text);
    config_good(&now, now_text);
    int code = run_config_compare(&old, &now, changed, e);
    run_config_release(&old);
    run_config_release(&now);
    return code;
}

/* Decision D8: listed old -> new, and then they hold. */
static void test_changes_that_a_resume_allows(void **state)
{
    (void)state;
    static const struct {
        const char *old, *now, *line; /* NULL: without a word */
    } rows[] = {
        {"[optimizer]\nlr = 1e-3\n", "[optimizer]\nlr = 2e-3\n", "optimizer.lr 0.001 -> 0.002"},
        {"[train]\nmax_steps = 10\n", "[train]\nmax_steps = 20\n", "train.max_steps 10 -> 20"},
        {"", "[train]\nmax_steps = 20\n", "train.max_steps unset -> 20"},
        {"", "[train]\nepochs = 4.5\n", "train.epochs 3 -> 4.5"},
        {"", "[eval]\nevery = 100\n", "eval.every epoch -> 100"},
        {"", "[log]\nevery = no\n", "log.every 10 -> no"},
        {"", "[checkpoint]\nevery = 5\n", "checkpoint.every epoch -> 5"},
        {"", "[schedule]\nscale = 0.5\n", "schedule.scale 1 -> 0.5"},
        {"", "[train]\nmax_grad_norm = 0\n", "train.max_grad_norm 1 -> 0"},
        {"", "[eval]\nearly_stopping_patience = 2\n", "eval.early_stopping_patience unset -> 2"},
        {"", "[run]\nthreads = 1\nname = other\ndir = elsewhere\n", NULL},
        {"", "[ui]\ntheme = dark\nfps = 5\n", NULL},
        {"", "[data]\ntrain = moved.csv\n", NULL}, /* told by its checksum, not by its place */
        {"[train]\nepochs = 3\n", "[train]\nepochs = 3.0\n", NULL},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct strlist changed = STRLIST_INIT;
        struct err e = ERR_INIT;
        char old[256], now[256];
        snprintf(old, sizeof old, MLP "%s", rows[i].old);
        snprintf(now, sizeof now, MLP "%s", rows[i].now);
        if (compare(old, now, &changed, &e))
            fail_msg("%s", e.msg);
        assert_int_equal(changed.n, rows[i].line != NULL);
        if (rows[i].line)
            assert_string_equal(changed.s[0], rows[i].line);
        strlist_release(&changed);
    }
}

static void test_changes_that_a_resume_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *old, *now, *message;
    } rows[] = {
        {"", "[train]\nbatch_size = 16\n", "train.batch_size changed from 8 to 16 ("},
        {"", "[train]\ngradient_accumulation_steps = 2\n",
         "train.gradient_accumulation_steps changed"},
        {"", "[run]\nseed = 1\n", "run.seed changed from 42 to 1 ("},
        {"", "[optimizer]\nname = sgd\n", "optimizer.name changed from adamw to sgd ("},
        {"", "[optimizer]\nbeta1 = 0.8\n", "optimizer.beta1 changed from 0.9 to 0.8 ("},
        {"", "[optimizer]\nweight_decay = 0.1\n", "optimizer.weight_decay changed from 0 to 0.1 ("},
        {"", "[schedule]\nname = cosine\n", "schedule.name changed from linear to cosine ("},
        {"", "[schedule]\nwarmup_steps = 2\n", "schedule.warmup_steps changed from unset to 2 ("},
        {"[schedule]\nname = cosine\n", "[schedule]\nname = cosine\nnum_cycles = 1\n",
         "schedule.num_cycles changed from 0.5 to 1 ("},
        {"", "[train]\nshuffle = no\n", "train.shuffle changed from yes to no ("},
        {"", "[group.a]\nmatch = *\n", "group.a.match changed from unset to * ("},
        {"[group.a]\nmatch = *\n", "", "group.a.match changed from * to unset ("},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct strlist changed = STRLIST_INIT;
        struct err e = ERR_INIT;
        char old[256], now[256];
        snprintf(old, sizeof old, MLP "%s", rows[i].old);
        snprintf(now, sizeof now, MLP "%s", rows[i].now);
        assert_int_equal(compare(old, now, &changed, &e), TT_ECONFIG);
        if (!str_starts(e.msg, rows[i].message))
            fail_msg("%s, not %s", e.msg, rows[i].message);
        strlist_release(&changed);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void test_class_weights(void **state)
{
    (void)state;
    struct run_config rc;
    struct err e = ERR_INIT;
    float *w;
    config_good(&rc, MLP);
    assert_int_equal(run_config_class_weights(&rc, 3, &w, &e), 0);
    assert_null(w);
    run_config_release(&rc);
    config_good(&rc, MLP "[train]\nclass_weights = 1, 0.5,3\n");
    assert_int_equal(run_config_class_weights(&rc, 3, &w, &e), 0);
    assert_true(w[0] == 1 && w[1] == 0.5f && w[2] == 3);
    free(w);
    assert_int_equal(run_config_class_weights(&rc, 2, &w, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "train.class_weights has 3 numbers (one for each of 2 classes)"));
    run_config_release(&rc);
    static const char *const bad[] = {"1,x", "1,-1", "1,nan", "1,", "inf,1"};
    for (size_t i = 0; i < N(bad); i++) {
        char text[128];
        snprintf(text, sizeof text, MLP "[train]\nclass_weights = %s\n", bad[i]);
        config_good(&rc, text);
        assert_int_equal(run_config_class_weights(&rc, 2, &w, &e), TT_ECONFIG);
        assert_null(w);
        run_config_release(&rc);
    }
}

static void check_row(void *user, const char *section, const char *owner, const struct opt_desc *d)
{
    struct strlist *seen = user;
    char name[256], text[512], here[4096];
    snprintf(name, sizeof name, "%s %s.%s", owner ? owner : "", section, d->key);
    if (strlist_find(seen, name) >= 0)
        fail_msg("%s twice", name);
    strlist_add(seen, name);
    if (!d->help || strlen(d->help) < 4 || d->help[strlen(d->help) - 1] == '.')
        fail_msg("%s: help \"%s\"", name, d->help ? d->help : "");
    opt_format_default(d, text, sizeof text);
    struct opt_desc row = *d;
    row.at = 0;
    memset(here, 0, sizeof here);
    struct err e = ERR_INIT;
    if (*text && opt_parse(&row, here, text, &e))
        fail_msg("%s: default %s", name, e.msg);
    opt_release((struct opt_desc[]){row, {0}}, here);
}

/* Every option is listed once, has help, and a default within its own range. */
static void test_every_option(void **state)
{
    (void)state;
    struct strlist seen = STRLIST_INIT;
    run_config_each_option(optim_classes, check_row, &seen);
    static const char *const some[] = {
        " run.seed",     " group.NAME.match",      "sgd optimizer.nesterov", "mlp model.hidden",
        " train.epochs", "greedy schedule.smooth", " schedule.warmup_ratio"};
    for (size_t i = 0; i < N(some); i++)
        assert_true(strlist_find(&seen, some[i]) >= 0);
    strlist_release(&seen);
}

/* trainer-semantics 1.3, design.md section 5. */
static void test_defaults(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"optimizer", "name", "adamw"}, {"optimizer", "lr", "5e-05"},
        {"optimizer", "weight_decay", "0"}, {"optimizer", "beta1", "0.9"},
        {"optimizer", "beta2", "0.999"}, {"optimizer", "eps", "1e-08"},
        {"train", "batch_size", "8"}, {"train", "epochs", "3"}, {"train", "max_steps", ""},
        {"train", "max_grad_norm", "1"}, {"train", "gradient_accumulation_steps", "1"},
        {"train", "label_smoothing_factor", "0"}, {"train", "shuffle", "yes"},
        {"train", "drop_last", "no"}, {"train", "max_nonfinite", "3"}, {"run", "seed", "42"},
        {"run", "dir", "runs"}, {"schedule", "name", "linear"}, {"schedule", "scale", "1"},
        {"schedule", "warmup_steps", ""}, {"eval", "every", "epoch"}, {"eval", "batch_size", "8"},
        {"eval", "average", "macro"}, {"checkpoint", "every", "epoch"}, {"checkpoint", "keep", "3"},
        {"log", "every", "10"}};
    struct run_config rc;
    config_good(&rc, MLP);
    for (size_t i = 0; i < N(rows); i++)
        assert_string_equal(config_value(&rc, rows[i][0], rows[i][1]), rows[i][2]);
    static const char *const live[][2] = {{"schedule", "scale"}, {"train", "max_grad_norm"},
                                          {"train", "max_steps"}, {"eval", "every"},
                                          {"log", "every"}, {"checkpoint", "every"}};
    size_t found = 0;
    for (int i = 0; i < rc.nparts; i++)
        for (const struct opt_desc *d = rc.part[i].opts; d->key; d++)
            found += (d->flags & OPT_LIVE) != 0;
    assert_int_equal(found, N(live));
    for (size_t i = 0; i < N(live); i++) {
        void *values;
        assert_true(run_config_find(&rc, live[i][0], live[i][1], &values)->flags & OPT_LIVE);
    }
    run_config_release(&rc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_that_a_resume_allows),
        cmocka_unit_test(test_changes_that_a_resume_refuses),
        cmocka_unit_test(test_class_weights),
        cmocka_unit_test(test_every_option),
        cmocka_unit_test(test_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
