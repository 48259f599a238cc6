/* Runs that are unlike those of the pictures: no evaluation, one class, two hundred, regression,
 * optimizers without or with many states, long runs, numbers that are none. */
#include "tests/shot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void states(struct run_fixture *f, int n, const char *const *names)
{
    struct memory_plan *p = &f->m.plan;
    p->nstate = n;
    p->state_bytes = 0;
    for (int i = 0; i < n; i++) {
        p->state[i] = (struct plan_row){.type = "f32",
                                        .tensors = p->tensors,
                                        .elements = p->parameters,
                                        .bytes = 4 * p->parameters};
        str_copy(p->state[i].name, sizeof p->state[i].name, names[i]);
        p->state_bytes += p->state[i].bytes;
        for (int k = 0; k < p->tensors; k++)
            p->tensor[k].state_bytes[i] = 4 * p->tensor[k].len;
    }
    p->total_bytes = p->weight_bytes + p->gradient_bytes + p->state_bytes + p->activation_bytes +
                     p->workspace_bytes;
    f->st.state_bytes = p->state_bytes;
    fixture_poll(f);
}

static void no_state_and_many(void **state)
{
    static const char *const many[] = {"exp_avg", "exp_avg_sq", "exp_avg_slow", "max_exp_avg_sq",
                                       "step"};
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    states(&s.f, 0, NULL);
    shot_take(&s, "1");
    shot_row(&s, 14, "│ no state            0 B ");
    shot_take(&s, "4");
    shot_row(&s, 2, " optimizer                          0             0 =             0    0.0 %");
    shot_row(&s, 9, "── tensors 1-12 of 104 ");
    states(&s.f, 5, many);
    shot_take(&s, "1");
    shot_row(&s, 15, "│ exp_avg_sq      250.9 MiB");
    shot_row(&s, 16, "│ 3 more          752.8 MiB");
    shot_take(&s, "4");
    shot_row(&s, 5, " ma…p_avg_sq"); /* a long name loses its middle */
    canvas_resize(&s.c, 72, 24);
    shot_take(&s, "4");
    shot_somewhere(&s, " exp_avg_slow");
    shot_somewhere(&s, " sum"); /* states from the right give way to it */
    shot_finish(&s);
}

static void without_evaluation(struct run_fixture *f)
{
    fixture_fresh(f, "[model]\ntype = mlp\n[data]\nformat = synthetic\n[eval]\nevery = no\n");
    f->st.state = RUN_TRAINING;
    f->st.max_steps = 1234567;
    f->st.step = 1234001;
    f->st.steps_per_epoch = 1000;
    f->st.epochs = 1234.567;
    f->st.epoch = 1234.001;
    f->st.loss = f->st.loss_ema = 1234.5;
    f->st.checkpoint_interval = 0;
    for (int i = 1; i <= 12340; i++)
        history_add(&f->m.series[SERIES_LOSS], 100 * i, i / 10.0, i, 1000 + i % 7);
    fixture_poll(f);
}

static void no_evaluation_seven_digits(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, without_evaluation, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    shot_row(&s, 22, " step 1,234,001/1,234,567 ");
    shot_row(&s, 18, "├── eval ─────────────────────────────");
    shot_row(&s, 19, "│ accuracy  —        off");
    shot_row(&s, 16, " loss");
    shot_row(&s, 23, " Space pause  s save  o options  Tab next view");
    shot_take(&s, "5");
    shot_row(&s, 2, " evaluation is off: [eval] every = no");
    shot_take(&s, "2");
    shot_row(&s, 20, " step  1,234,001   EMA");
    shot_row(&s, 20, "eval  —");
    shot_take(&s, "9");
    shot_finish(&s);
}

static void regression(struct run_fixture *f)
{
    struct eval_report *r = eval_report_new(PROBLEM_REGRESSION, 1, 0);
    fixture_sst2(f);
    f->m.problem = PROBLEM_REGRESSION;
    for (int i = 500; i <= 3500; i += 500) {
        fixture_eval(f, i, METRIC_PEARSON, 0.1 + i / 5000.0);
        fixture_eval(f, i, METRIC_MAE, 1.0 / i);
    }
    r->step = 3500;
    r->rows = 872;
    r->problem = PROBLEM_REGRESSION;
    hub_report_init(f->hub, r);
    hub_report(f->hub, r);
    eval_report_free(r);
    fixture_poll(f);
}

static void regression_has_no_classes(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, regression, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    shot_row(&s, 19, "│ pearson   0.8000   best 0.8000 @3,500 ");
    shot_row(&s, 20, "│ mae       2.86e-04 best 2.86e-04");
    shot_take(&s, "5");
    shot_row(&s, 1, "── evaluation 872 rows, * best accuracy ─");
    shot_row(&s, 3, " pearson  ");
    shot_act(&s, ACTION_DOWN, 1);
    canvas_resize(&s.c, 40, 12);
    shot_take(&s, "1");
    shot_take(&s, "5");
    shot_finish(&s);
}

static void classes(struct run_fixture *f, int n)
{
    struct metrics counts;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_CLASSES, n, 0);
    fixture_sst2(f);
    strlist_release(&f->m.labels);
    metrics_init(&counts, PROBLEM_CLASSES, n, 100000);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 40 + i && i != 3; k++) /* class 3 has no row */
            metrics_add_class(&counts, i, k % 5 ? i : (i * 7 + k) % n);
    metrics_add_loss(&counts, 1, 1);
    assert_int_equal(metrics_finish(&counts, AVERAGE_MACRO, r, &e), 0);
    hub_report_init(f->hub, r);
    hub_report(f->hub, r);
    metrics_release(&counts);
    eval_report_free(r);
    fixture_poll(f);
}

static void two_hundred(struct run_fixture *f)
{
    classes(f, 200);
}

static void one(struct run_fixture *f)
{
    classes(f, 1);
}

static void many_classes_scroll(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, two_hundred, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "5");
    shot_row(&s, 8, "── 1-11 of 200 ─ prec ");
    shot_row(&s, 8, " true by predicted, 10 columns of 200 ");
    shot_row(&s, 10, ">0 LABEL_0 ");
    shot_row(&s, 13, " 3 LABEL_3     0.0000  0.0000? 0.0000│");
    for (int i = 0; i < 199; i++)
        shot_act(&s, ACTION_DOWN, 1);
    for (int i = 0; i < 300; i++)
        shot_act(&s, ACTION_RIGHT, 1);
    shot_take(&s, "5");
    shot_row(&s, 20, ">199 LABEL_199 ");
    shot_row(&s, 9, " 199");
    shot_row(&s, 23, "←→ columns");
    canvas_resize(&s.c, 200, 50);
    shot_take(&s, "5");
    shot_finish(&s);
    shot_start(&s, one, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "5");
    shot_row(&s, 10, ">0 LABEL_0 ");
    shot_somewhere(&s, " most confused  none");
    shot_finish(&s);
}

static void numbers_that_are_none(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    s.f.st.loss = NAN;
    s.f.st.grad_norm = INFINITY;
    s.f.st.nonfinite = 2;
    for (int i = 0; i < METRIC_COUNT; i++)
        history_add(&s.f.m.series[SERIES_EVAL_FIRST + i], 3700, 1.7, 2850, NAN);
    fixture_poll(&s.f);
    shot_take(&s, "1");
    shot_row(&s, 16, " loss        0.0876  2 non-finite");
    assert_int_equal(canvas_at(&s.c, 21, 16)->role, ROLE_BAD);
    shot_row(&s, 18, " grad norm      inf ");
    assert_int_equal(canvas_at(&s.c, 17, 18)->role, ROLE_BAD);
    shot_row(&s, 19, "│ accuracy  nan      best 0.9060 @3,000");
    assert_int_equal(canvas_at(&s.c, 53, 19)->role, ROLE_BAD);
    shot_take(&s, "5");
    shot_row(&s, 3, " nan  ");
    shot_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_state_and_many),
        cmocka_unit_test(no_evaluation_seven_digits),
        cmocka_unit_test(regression_has_no_classes),
        cmocka_unit_test(many_classes_scroll),
        cmocka_unit_test(numbers_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
