/* The data view: what it says of files and labels, the rows of the batch, its keys; the order of
 * rows against the loader's. */
#include "tests/shot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/data/loader.h"
#include "engine/train/row_order.h"
#include "tests/config_support.h"

/* ---- order ---------------------------------------------------------------------------------- */

/* The rows of every update of two epochs are those that the loader brings. */
static void order_is(const char *config, int64_t rows)
{
    struct run_config rc;
    struct dataset train, eval;
    struct row_order order = {0};
    struct err e = ERR_INIT;
    const int64_t *first;
    config_good(&rc, config);
    assert_int_equal(dataset_open(&rc.data, (uint64_t)rc.run.seed, &train, &eval, &e), 0);
    assert_int_equal(train.rows, rows);
    struct loader_opts o = {.batch_size = (int)rc.train.batch_size,
                            .accumulation = (int)rc.train.gradient_accumulation_steps,
                            .shuffle = rc.train.shuffle,
                            .drop_last = rc.train.drop_last,
                            .seed = (uint64_t)rc.run.seed,
                            .endless = true};
    struct loader *l = loader_new(&train, &o);
    const struct batch *b = loader_next(l, NULL);
    for (int64_t update = 0; b->epoch < 2; update++) {
        int64_t n = row_order_of(&order, &rc, rows, NULL, update, &first), at = 0;
        bool last;
        do {
            assert_true(at + b->n <= n);
            for (int i = 0; i < b->n; i++)
                assert_int_equal(first[at++], b->row[i]);
            last = b->group_at + 1 == b->group_n;
            b = loader_next(l, NULL);
        } while (!last);
        assert_int_equal(at, n);
    }
    loader_free(l);
    row_order_release(&order);
    dataset_release(&train);
    dataset_release(&eval);
    run_config_release(&rc);
}

#define MADE_UP MLP "[data]\nformat = synthetic\nshape = 4\nrows = 50\n"

static void rows_of_an_update(void **state)
{
    (void)state;
    order_is(MADE_UP "[train]\nbatch_size = 8\n", 50);
    order_is(MADE_UP "[train]\nbatch_size = 8\ngradient_accumulation_steps = 3\n", 50);
    order_is(MADE_UP "[train]\nbatch_size = 8\ndrop_last = yes\ngradient_accumulation_steps = 2\n",
             50);
    order_is(MADE_UP "[train]\nbatch_size = 64\nshuffle = no\n", 50);
}

/* ---- the view ------------------------------------------------------------------------------- */

static char config[9000];

static void csv_run(struct run_fixture *f)
{
    static const char *const names[] = {"ant", "bee", "cat"};
    struct strbuf train = STRBUF_INIT, eval = STRBUF_INIT;
    const char *dir = test_temp_dir();
    strbuf_adds(&train, "a,b,kind\n");
    strbuf_adds(&eval, "a,b,kind\n");
    for (int i = 0; i < 60; i++)
        strbuf_addf(&train, "%d,%d,%s\n", i, 60 - i, names[i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2]);
    for (int i = 0; i < 1200; i++)
        strbuf_addf(&eval, "%d,%d,%s\n", i, 9 - i, names[i % 3]);
    snprintf(config, sizeof config,
             "[run]\nname = zoo\n[model]\ntype = mlp\n[data]\ntrain = %s\neval = %s\nlabel = kind\n"
             "[train]\nbatch_size = 8\n",
             test_write_file(dir, "train.csv", train.s), test_write_file(dir, "eval.csv", eval.s));
    strbuf_release(&train);
    strbuf_release(&eval);
    fixture_fresh(f, config);
    f->st.state = RUN_TRAINING;
    f->st.max_steps = 24;
    f->st.step = 9;
    f->st.steps_per_epoch = 8;
    f->st.epochs = 3;
    fixture_poll(f);
}

static void regression_run(struct run_fixture *f)
{
    const char *dir = test_temp_dir();
    snprintf(config, sizeof config, "[model]\ntype = mlp\n[data]\ntrain = %s\nlabel = y\n",
             test_write_file(dir, "line.csv", "x,y\n1,0.5\n2,1.5\n3,2.5\n4,4.25\n"));
    fixture_fresh(f, config);
    f->st.state = RUN_TRAINING;
    f->st.max_steps = 3;
    f->st.step = 1;
    fixture_poll(f);
}

/* Turns of the loop until the files were read. */
static void wait_for_data(struct shot *s)
{
    fixture_draw(&s->f, "d", &s->c);
    for (int i = 0; i < 1000; i++) {
        dashboard_poll(&s->f.dash, &s->f.m, NULL);
        fixture_draw(&s->f, "d", &s->c);
        if (!strstr(screen_row(&s->c, 2), "looking at"))
            return;
        usleep(5000);
    }
    fail_msg("the data never came");
}

static void files_labels_and_batch(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, csv_run, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "d");
    shot_row(&s, 2, " looking at the data files");
    wait_for_data(&s);
    shot_take(&s, "d");
    shot_row(&s, 1,
             "── data file ─────────────────── rows  labelled ───────────────────────── zoo ──");
    shot_row(&s, 2, "train.csv        60        60   2 features ");
    shot_row(&s, 3, "eval.csv     1,200     1,200   2 features ");
    shot_row(&s, 4,
             "── labels ─────────── train ────── share ──────────────── eval ─────── share ───");
    shot_row(&s, 5,
             " 0 ant                   30       50.0 % ━━━━━━━           400        33.3 %    ");
    shot_row(&s, 6,
             " 1 bee                   20       33.3 % ━━━━╸             400        33.3 %    ");
    shot_somewhere(&s, "── batch of step 10 ──");
    shot_somewhere(&s, "      row     line  label ");
    shot_row(&s, 23, " ↑↓ row  [ ] train/eval  / filter  f freeze ");
    shot_finish(&s);
}

static void batch_follows_freezes_and_filters(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, csv_run, 80, 24, GLYPHS_BRAILLE);
    wait_for_data(&s);
    s.f.st.step = 11;
    fixture_poll(&s.f);
    dashboard_poll(&s.f.dash, &s.f.m, NULL);
    shot_take(&s, "d");
    shot_somewhere(&s, "── batch of step 12 ─");
    shot_act(&s, ACTION_FOLLOW, 1);
    s.f.st.step = 14;
    fixture_poll(&s.f);
    dashboard_poll(&s.f.dash, &s.f.m, NULL);
    shot_take(&s, "d");
    shot_somewhere(&s, "── batch of step 12 ─");
    shot_somewhere(&s, " 8 rows, frozen ──");
    shot_act(&s, ACTION_NEXT_PART, 1);
    shot_take(&s, "d");
    shot_somewhere(&s, "── eval rows 1-12 of 1,200 ─");
    shot_act(&s, ACTION_FILTER, 1);
    shot_type(&s, "cat");
    shot_key(&s, KEY_ENTER_KEY);
    shot_take(&s, "d");
    shot_somewhere(&s, "── eval rows 400 of 1,200 /cat ─");
    shot_somewhere(&s, ">       2        4  cat");
    shot_act(&s, ACTION_LAST, 1);
    shot_take(&s, "d");
    shot_somewhere(&s, ">   1,199    1,201  cat");
    shot_finish(&s);
}

static void other_data(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, regression_run, 80, 24, GLYPHS_BRAILLE);
    wait_for_data(&s);
    shot_take(&s, "d");
    shot_row(&s, 3, " eval   —");
    shot_row(&s, 4, "── labels numbers ─");
    shot_row(&s, 5, " train  0.5 to 4.25, mean 2.188");
    shot_row(&s, 6, " eval   —");
    shot_finish(&s);
    shot_start(&s, fixture_fashion, 80, 24, GLYPHS_BRAILLE); /* made-up data of many classes */
    wait_for_data(&s);
    shot_take(&s, "d");
    shot_row(&s, 2, " train  made up ");
    shot_row(&s, 2, " 1×28×28 ");
    shot_row(&s, 14, " 9 ");
    shot_keep(&s, "fashion-data");
    for (int w = 1; w < 200; w += 7)
        for (int h = 1; h < 60; h += 3) {
            canvas_resize(&s.c, w, h);
            shot_take(&s, "d");
        }
    canvas_resize(&s.c, 40, 14);
    shot_take(&s, "d");
    shot_row(&s, 4, "── 1-7 of 10 ─");
    shot_act(&s, ACTION_RIGHT, 20);
    shot_take(&s, "d");
    shot_row(&s, 4, "── 4-10 of 10 ─");
    shot_finish(&s);
}

static void text_run(struct run_fixture *f)
{
    const char *dir = test_temp_dir();
    snprintf(config, sizeof config,
             "[model]\ntype = distilbert\n[data]\ntrain = %s\n[train]\nshuffle = no\n",
             test_write_file(dir, "train.tsv",
                             "sentence\tlabel\na quiet film\tgood\nflat and noisy\tbad\n"));
    fixture_fresh(f, config);
    f->st.state = RUN_TRAINING;
    f->st.max_steps = 3;
    f->st.step = 1;
    fixture_poll(f);
}

static void texts_of_the_batch(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, text_run, 80, 24, GLYPHS_BRAILLE);
    wait_for_data(&s);
    shot_take(&s, "d");
    shot_row(&s, 2, " texts");
    shot_somewhere(&s, "label      text");
    shot_somewhere(&s, "2  good       a quiet film");
    shot_somewhere(&s, "3  bad        flat and noisy");
    shot_act(&s, ACTION_FILTER, 1);
    shot_type(&s, "noisy");
    shot_key(&s, KEY_ENTER_KEY);
    shot_take(&s, "d");
    shot_somewhere(&s, ">       1        3  bad        flat and noisy");
    shot_finish(&s);
}

static void missing_run(struct run_fixture *f)
{
    fixture_fresh(f, "[model]\ntype = mlp\n[data]\ntrain = nowhere.csv\nlabel = y\n");
    f->st.state = RUN_TRAINING;
    f->st.max_steps = 3;
    fixture_poll(f);
}

static void data_that_is_gone(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, missing_run, 80, 24, GLYPHS_BRAILLE);
    wait_for_data(&s);
    shot_take(&s, "d");
    shot_row(&s, 2, "nowhere.csv");
    assert_int_equal(canvas_at(&s.c, 1, 2)->role, ROLE_BAD);
    shot_act(&s, ACTION_DOWN, 1);
    shot_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_an_update),
        cmocka_unit_test(files_labels_and_batch),
        cmocka_unit_test(batch_follows_freezes_and_filters),
        cmocka_unit_test(other_data),
        cmocka_unit_test(texts_of_the_batch),
        cmocka_unit_test(data_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
