/* What the screen keeps of a run: the pace of its text, the time to go, journal and log, and the
 * same read back from a run directory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "optimizers/table.h"
#include "tests/config_support.h"
#include "tests/train_support.h"
#include "tui/uimodel.h"

struct rig {
    struct hub *hub;
    struct uimodel m;
    struct run_status st;
    double now;
};

static void rig_open(struct rig *r)
{
    r->hub = hub_new();
    r->now = 100;
    uimodel_init(&r->m);
    r->st = r->m.st;
    r->st.state = RUN_TRAINING;
    r->st.max_steps = 10000;
    r->st.lr_scale = 1;
}

static void rig_close(struct rig *r)
{
    uimodel_release(&r->m);
    hub_free(r->hub);
}

static bool poll_after(struct rig *r, double seconds)
{
    r->now += seconds;
    hub_publish(r->hub, &r->st);
    return uimodel_poll(&r->m, r->hub, r->now);
}

/* ---- text ----------------------------------------------------------------------------------- */

static void nothing_is_known_at_first(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r);
    uimodel_start(&r.m, NULL, NULL, NULL);
    uimodel_poll(&r.m, r.hub, r.now); /* the trainer has said nothing */
    assert_true(isnan(r.m.text.loss) && isnan(r.m.text.lr) && isnan(r.m.eta));
    assert_int_equal(r.m.text.saved_step, -1);
    assert_int_equal(r.m.text.best_step, -1);
    assert_false(r.m.have_report || r.m.have_plan || r.m.have_sched);
    assert_null(uimodel_log(&r.m, 0));
    rig_close(&r);
}

/* A run that steps a hundred times a second changes the text four times a second at most. */
static void text_changes_four_times_a_second(void **state)
{
    struct rig r;
    int changes = 0;
    int64_t shown = -1;
    (void)state;
    rig_open(&r);
    for (int i = 0; i < 300; i++) {
        r.st.step++;
        poll_after(&r, 0.01);
        changes += r.m.text.step != shown;
        shown = r.m.text.step;
        assert_int_equal(r.m.st.step, r.st.step);
    }
    assert_in_range(changes, 11, 13);
    poll_after(&r, 0.3); /* the last value is shown in the end */
    assert_int_equal(r.m.text.step, r.st.step);
    assert_false(poll_after(&r, 0.3)); /* nothing new */
    rig_close(&r);
}

/* ---- time to go ----------------------------------------------------------------------------- */

static void step_on(struct rig *r, double seconds)
{
    r->st.step++;
    r->st.timed_steps++;
    r->st.session_seconds += seconds;
    r->st.train_seconds += seconds;
    poll_after(r, seconds);
}

static void eta_waits_for_ten_steps_and_ten_seconds(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r);
    r.st.step_seconds = 2;
    for (int i = 0; i < 9; i++)
        step_on(&r, 2);
    assert_true(isnan(r.m.eta)); /* 18 s, but 9 steps */
    step_on(&r, 2);
    assert_close(r.m.eta, 2 * (10000 - 10), 0, 1e-9);
    rig_close(&r);
    rig_open(&r);
    r.st.step_seconds = 0.5;
    for (int i = 0; i < 19; i++)
        step_on(&r, 0.5);
    assert_true(isnan(r.m.eta)); /* 19 steps, but 9.5 s */
    step_on(&r, 0.5);
    step_on(&r, 0.5);
    assert_false(isnan(r.m.eta));
    rig_close(&r);
}

static void eta_counts_evaluations_and_saves(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r);
    r.st.step_seconds = 1;
    r.st.evals_left = 3;
    r.st.saves_left = 2;
    r.st.eval_seconds = 10;
    r.st.save_seconds = NAN; /* none was made yet */
    for (int i = 0; i < 10; i++)
        step_on(&r, 1);
    assert_close(r.m.eta, 9990 + 30, 0, 1e-9);
    rig_close(&r);
}

/* Means that waver by 1 % don't touch the estimate; a real change moves it by 2 % a second at
 * most. */
static void eta_is_calm(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r);
    r.st.step_seconds = 1;
    for (int i = 0; i < 20; i++)
        step_on(&r, 1);
    for (int i = 0; i < 50; i++) {
        double before = r.m.eta;
        r.st.step_seconds = i % 2 ? 1.01 : 0.99;
        step_on(&r, 1);
        assert_close(r.m.eta, before - 1, 0, 1e-9);
    }
    r.st.step_seconds = 2;
    for (int i = 0; i < 200; i++) {
        double before = r.m.eta;
        step_on(&r, 1);
        assert_true(fabs(r.m.eta - before) <= 0.02 * fmax(before, r.m.eta) * 1.03 + 1);
    }
    double right = 2.0 * (double)(r.st.max_steps - r.st.step);
    assert_close(r.m.eta, right, 0.021, 0);
    r.st.max_steps = 500; /* a live edit is taken at once */
    step_on(&r, 1);
    assert_close(r.m.eta, 2.0 * (double)(500 - r.st.step), 0.021, 0);
    rig_close(&r);
}

static void eta_rests_while_paused(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r);
    r.st.step_seconds = 1;
    for (int i = 0; i < 20; i++)
        step_on(&r, 1);
    double before = r.m.eta;
    r.st.state = RUN_PAUSED;
    r.st.paused_at = r.now;
    for (int i = 0; i < 300; i++)
        poll_after(&r, 1);
    assert_close(r.m.eta, before, 0.021, 0);
    r.st.state = RUN_FINISHED;
    poll_after(&r, 1);
    assert_true(r.m.eta == 0);
    rig_close(&r);
}

/* ---- samples, log, journal ------------------------------------------------------------------ */

static void samples_reach_their_series(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r);
    for (int i = 1; i <= 1000; i++) {
        struct sample s = {.series = SERIES_LOSS, .step = i, .value = i == 500 ? NAN : 1.0 / i};
        hub_sample(r.hub, &s);
        s.series = SERIES_EVAL_FIRST + METRIC_F1;
        s.value = 0.5;
        if (i % 100 == 0)
            hub_sample(r.hub, &s);
    }
    poll_after(&r, 1);
    assert_int_equal(r.m.series[SERIES_LOSS].points, 999);
    assert_int_equal(r.m.series[SERIES_LOSS].nonfinite, 1);
    assert_int_equal(uimodel_metric(&r.m, METRIC_F1)->points, 10);
    rig_close(&r);
}

static void send_log(struct rig *r, enum log_kind kind, int64_t step, const char *text)
{
    struct log_line l = {.kind = kind, .step = step};
    str_copy(l.text, sizeof l.text, text);
    hub_log(r->hub, &l);
}

static void edits_come_from_the_log(void **state)
{
    struct rig r;
    struct run_config rc;
    (void)state;
    rig_open(&r);
    config_good(&rc, MLP "[data]\nformat = synthetic\n[optimizer]\nlr = 1e-3\n");
    uimodel_start(&r.m, &rc, NULL, NULL);
    r.st.train_seconds = 77;
    send_log(&r, LOG_INFO, 3, "schedule.scale 1 -> 2 is only talked about");
    send_log(&r, LOG_EDIT, 20, "schedule.scale 1 -> 0.8");
    send_log(&r, LOG_EDIT, 30, "train.max_steps 10000 -> 12000, from the console");
    send_log(&r, LOG_EDIT, 40, "eval.every epoch -> 500");
    r.st.lr_scale = 0.8;
    poll_after(&r, 1);
    assert_int_equal(r.m.nedits, 3);
    assert_string_equal(r.m.edits[0].key, "schedule.scale");
    assert_string_equal(r.m.edits[0].from, "1.00");
    assert_string_equal(r.m.edits[0].to, "0.80");
    assert_int_equal(r.m.edits[0].step, 20);
    assert_true(r.m.edits[0].seconds == 77);
    assert_string_equal(r.m.edits[1].to, "12,000");
    assert_string_equal(r.m.edits[2].from, "epoch");
    assert_string_equal(r.m.edits[2].to, "500");
    /* The preview follows the status. */
    assert_true(r.m.have_sched);
    assert_close(sched_lr_at(&r.m.sched, 0), 0.8e-3, 1e-12, 0);
    r.st.max_steps = 12000;
    poll_after(&r, 1);
    assert_int_equal(r.m.sched.args.total, 12000);
    rig_close(&r);
    run_config_release(&rc);
}

static void log_keeps_the_newest_lines(void **state)
{
    struct rig r;
    char text[32];
    (void)state;
    rig_open(&r);
    for (int i = 0; i < UIMODEL_LOG + 100; i++) {
        snprintf(text, sizeof text, "line %d", i);
        send_log(&r, LOG_INFO, i, text);
        if (i % 100 == 0)
            poll_after(&r, 0.1);
    }
    poll_after(&r, 0.1);
    assert_int_equal(r.m.log_end, UIMODEL_LOG + 100);
    assert_int_equal(r.m.log_first, 100);
    assert_null(uimodel_log(&r.m, 99));
    assert_string_equal(uimodel_log(&r.m, 100)->text, "line 100");
    assert_null(uimodel_log(&r.m, UIMODEL_LOG + 100));
    rig_close(&r);
}

static void labels_and_names(void **state)
{
    static const char *const names[] = {"cat", "dog"};
    struct dataset train = {.spec = {.num_labels = 2, .label = names}};
    struct rig r;
    char text[32];
    (void)state;
    rig_open(&r);
    uimodel_start(&r.m, NULL, NULL, &train);
    assert_string_equal(uimodel_label(&r.m, 1, text), "dog");
    assert_string_equal(uimodel_label(&r.m, 7, text), "LABEL_7");
    str_copy(r.st.name, sizeof r.st.name, "pets");
    poll_after(&r, 1);
    assert_string_equal(uimodel_name(&r.m), "pets");
    rig_close(&r);
}

/* ---- a run directory ------------------------------------------------------------------------ */

static const char *trained(const char *dir, const char *more, int code)
{
    struct outcome o;
    char path[4096];
    train_run(train_config(dir, "done", more), false, &o);
    assert_int_equal(o.code, code);
    snprintf(path, sizeof path, "%s/runs/done", dir);
    return test_path_in(path, "");
}

static void finished_run_is_read_back(void **state)
{
    const char *dir = test_temp_dir();
    const char *run = trained(dir, "[train]\nmax_steps = 20\n[log]\nevery = 1\n[eval]\nevery = 10\n"
                                   "best = accuracy\n", 0);
    struct uimodel m;
    struct err e = ERR_INIT;
    char label[32];
    (void)state;
    uimodel_init(&m);
    assert_int_equal(uimodel_load(&m, run, optim_classes, &e), 0);
    assert_false(m.live);
    assert_int_equal(m.text.state, RUN_FINISHED);
    assert_int_equal(m.text.step, 20);
    assert_int_equal(m.text.max_steps, 20);
    assert_int_equal(m.series[SERIES_LOSS].points, 20);
    assert_int_equal(uimodel_metric(&m, METRIC_ACCURACY)->points, 2);
    assert_string_equal(m.text.best_metric, "accuracy");
    assert_true(m.text.best == uimodel_metric(&m, METRIC_ACCURACY)->max);
    assert_true(m.log_end > 3);
    assert_true(m.have_plan && m.plan.nstate > 0 && m.plan.tensors > 0);
    assert_true(m.have_sched);
    assert_string_equal(uimodel_label(&m, 0, label), m.labels.s[0]);
    assert_int_equal(m.labels.n, 3);
    assert_int_equal(m.text.saved_step, 20);
    assert_true(m.text.train_seconds > 0 && m.eta == 0);
    uimodel_release(&m);
}

static void stopped_and_cut_runs_are_read(void **state)
{
    const char *dir = test_temp_dir();
    const char *run = trained(dir, "[train]\nmax_steps = 6\n[log]\nevery = 2\n", 0);
    const char *metrics = test_path_in(run, "metrics.jsonl");
    struct uimodel m;
    struct err e = ERR_INIT;
    size_t n;
    (void)state;
    const char *text = test_read_file(metrics, &n);
    assert_int_equal(file_write_all(metrics, text, n - 9, &e), 0); /* the last line is torn */
    uimodel_init(&m);
    assert_int_equal(uimodel_load(&m, run, optim_classes, &e), 0);
    assert_true(m.series[SERIES_LOSS].points >= 2);
    uimodel_release(&m);
    uimodel_init(&m);
    assert_int_not_equal(uimodel_load(&m, test_path_in(dir, "nowhere"), optim_classes, &e), 0);
    uimodel_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(text_changes_four_times_a_second),
        cmocka_unit_test(eta_waits_for_ten_steps_and_ten_seconds),
        cmocka_unit_test(eta_counts_evaluations_and_saves),
        cmocka_unit_test(eta_is_calm),
        cmocka_unit_test(eta_rests_while_paused),
        cmocka_unit_test(samples_reach_their_series),
        cmocka_unit_test(edits_come_from_the_log),
        cmocka_unit_test(log_keeps_the_newest_lines),
        cmocka_unit_test(labels_and_names),
        cmocka_unit_test(finished_run_is_read_back),
        cmocka_unit_test(stopped_and_cut_runs_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
