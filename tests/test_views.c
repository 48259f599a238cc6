/* Keys of the views, and runs that are unlike those of the pictures: no evaluation, one class, two hundred,
 * regression, optimizers without or with many states, long runs, numbers that are none. */
#include "tests/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/run_fixture.h"
#include "tests/screen_check.h"
#include "tui/help.h"
#include "tui/hints.h"
#include "tui/ledger.h"

struct shot {
    struct run_fixture f;
    struct canvas c;
};

static void start(struct shot *s, void (*make)(struct run_fixture *), int w, int h)
{
    make(&s->f);
    canvas_init(&s->c, w, h, GLYPHS_BRAILLE);
}

static void shoot(struct shot *s, const char *key)
{
    fixture_draw(&s->f, key, &s->c);
    screen_check(&s->c, true);
}

static void finish(struct shot *s)
{
    canvas_release(&s->c);
    fixture_release(&s->f);
}

static unsigned act(struct shot *s, enum action a)
{
    return dashboard_action(&s->f.dash, a, &s->f.m);
}

static void type(struct shot *s, const char *text)
{
    for (; *text; text++)
        assert_true(dashboard_key(&s->f.dash, &(struct key_event){.code = (unsigned char)*text}, &s->f.m));
}

static void key(struct shot *s, uint32_t code)
{
    assert_true(dashboard_key(&s->f.dash, &(struct key_event){.code = code}, &s->f.m));
}

static void assert_row(struct shot *s, int y, const char *text)
{
    if (!strstr(screen_row(&s->c, y), text))
        fail_msg("row %d lacks \"%s\"\n  %s", y, text, screen_row(&s->c, y));
}

static void assert_somewhere(struct shot *s, const char *text)
{
    for (int y = 0; y < s->c.h; y++)
        if (strstr(screen_row(&s->c, y), text))
            return;
    fail_msg("nowhere \"%s\"", text);
}

/* ---- the frame ------------------------------------------------------------------------------ */

static void views_by_digit_and_tab(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    act(&s, ACTION_VIEW_4);
    assert_string_equal(s.f.dash.view[s.f.dash.open].cls->name, "memory");
    act(&s, ACTION_NEXT_VIEW);
    assert_string_equal(s.f.dash.view[s.f.dash.open].cls->name, "eval");
    act(&s, ACTION_VIEW_1);
    act(&s, ACTION_PREV_VIEW); /* round the end */
    assert_int_equal(s.f.dash.open, s.f.dash.nviews - 1);
    shoot(&s, "4");
    assert_row(&s, 0, " lr[4 memory]5 eval");
    canvas_resize(&s.c, 60, 20);
    shoot(&s, "4");
    assert_row(&s, 0, " 1 2 3[4 memory]5 ");
    finish(&s);
}

static void messages_come_and_go(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    str_copy(s.f.st.message, sizeof s.f.st.message, "saved step-3742, 752.8 MiB in 1.8 s");
    s.f.st.message_id = 1;
    fixture_poll(&s.f);
    shoot(&s, "1");
    assert_row(&s, 23, " saved step-3742, 752.8 MiB in 1.8 s  ");
    assert_row(&s, 23, "? help  q quit ");
    for (int i = 0; i < 5; i++)
        fixture_poll(&s.f);
    shoot(&s, "1");
    assert_row(&s, 23, " Space pause"); /* after four seconds */
    dashboard_say(&s.f.dash, true, s.f.now, "no room on the disk");
    dashboard_say(&s.f.dash, true, s.f.now, "still no room");
    for (int i = 0; i < 9; i++)
        fixture_poll(&s.f);
    shoot(&s, "1");
    assert_row(&s, 23, " still no room (1 more, 9 log)");
    assert_int_equal(canvas_at(&s.c, 1, 23)->role, ROLE_BAD);
    act(&s, ACTION_UP);
    shoot(&s, "1");
    assert_row(&s, 23, " Space pause");
    finish(&s);
}

static void bad_end_is_told_in_other_views(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_diverged, 120, 24);
    shoot(&s, "4");
    assert_row(&s, 23, " diverged: loss nan at steps 2,979 to 2,981");
    act(&s, ACTION_VIEW_1);
    shoot(&s, "1");
    assert_row(&s, 23, " r resume from 2,500  o options first");
    finish(&s);
}

/* Defect 12: one figure, one value, however fast the run is. */
static void one_figure_in_all_places(void **state)
{
    struct shot s;
    char step[32], status[48], reading[48];
    (void)state;
    start(&s, fixture_sst2, 120, 40);
    for (int i = 0; i < 30; i++) {
        s.f.st.step++;
        s.f.st.loss_ema += 0.001;
        history_add(&s.f.m.series[SERIES_LOSS], s.f.st.step, 2, 2900, 0.1);
        s.f.now += 0.1;
        hub_publish(s.f.hub, &s.f.st);
        uimodel_poll(&s.f.m, s.f.hub, s.f.now);
        str_commas(step, sizeof step, s.f.m.text.step);
        snprintf(status, sizeof status, "step %s/6,315", step);
        snprintf(reading, sizeof reading, " step      %s  ", step);
        shoot(&s, "2");
        assert_row(&s, 38, status);
        assert_row(&s, 28, reading);
        snprintf(status, sizeof status, "loss %.4f ", s.f.m.text.loss_ema);
        snprintf(reading, sizeof reading, " loss        %.4f  last", s.f.m.text.loss_ema);
        shoot(&s, "1");
        assert_row(&s, 38, status);
        assert_row(&s, 23, reading);
    }
    finish(&s);
}

/* Defect 11: parts add up to the sums shown. */
static void ledger_adds_up(void **state)
{
    struct ledger_row row[LEDGER_ROWS];
    struct shot s;
    int64_t part = 0, whole = 0;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    int n = ledger_rows(&s.f.m, row);
    for (int i = 0; i < n; i++) {
        assert_int_equal(row[i].formula, row[i].allocated);
        if (!row[i].sum)
            part += row[i].formula;
        else
            whole = row[i].formula;
        if (i == 3)
            assert_int_equal(part, row[i].formula);
    }
    assert_int_equal(part, whole);
    s.f.st.state_bytes++;
    fixture_poll(&s.f);
    shoot(&s, "4"); /* a difference is marked, and no state is said to have its bytes */
    assert_row(&s, 2, " 263,132,168             —   20.8 %");
    assert_row(&s, 5, " 526,264,752 !   526,264,753   41.7 %");
    finish(&s);
}

static void risk_is_told_by_colour_and_number(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    s.f.st.saved_step = 2500;
    fixture_poll(&s.f);
    shoot(&s, "1");
    assert_row(&s, 22, "  1,242 at risk");
    assert_int_equal(canvas_at(&s.c, 70, 22)->role, ROLE_STATUS_WARN);
    finish(&s);
}

static void hints_follow_the_keys(void **state)
{
    char hints[128] = "";
    (void)state;
    hint_pair(hints, sizeof hints, ACTION_UP, ACTION_DOWN, "", "move");
    hint_pair(hints, sizeof hints, ACTION_PREV_PART, ACTION_NEXT_PART, " ", "other");
    hint_add(hints, sizeof hints, ACTION_SAVE, "save");
    assert_string_equal(hints, "↑↓ move  [ ] other  s save");
    struct canvas c;
    canvas_init(&c, 24, 2, GLYPHS_ASCII);
    draw_hints(&c, hints, false);
    assert_string_equal(screen_row(&c, 1), " Up Dn move      ? help ");
    assert_int_equal(canvas_at(&c, 5, 1)->role, ROLE_KEY);
    assert_int_equal(canvas_at(&c, 7, 1)->role, ROLE_DIM);
    canvas_release(&c);
}

/* ---- plots ---------------------------------------------------------------------------------- */

static void cursor_zoom_and_axis(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    shoot(&s, "2");
    assert_row(&s, 20, " step      3,742   EMA     0.0876"); /* the newest step */
    act(&s, ACTION_LEFT);
    act(&s, ACTION_LEFT);
    shoot(&s, "2");
    assert_row(&s, 20, " step      3,708"); /* a dot column of 34 steps back */
    act(&s, ACTION_ZOOM_IN);
    shoot(&s, "2");
    assert_row(&s, 20, " step      3,708");
    assert_row(&s, 21, "steps/dot  17");
    assert_row(&s, 1, " frozen ");
    act(&s, ACTION_LEFT);
    shoot(&s, "2");
    assert_row(&s, 20, " step      3,691");
    act(&s, ACTION_ZOOM_RESET);
    act(&s, ACTION_BACK);
    act(&s, ACTION_X_AXIS);
    shoot(&s, "2");
    assert_row(&s, 19, "─── min");
    act(&s, ACTION_X_AXIS);
    shoot(&s, "2");
    assert_row(&s, 19, "─── epoch");
    act(&s, ACTION_X_AXIS);
    act(&s, ACTION_SMOOTH);
    shoot(&s, "2");
    assert_row(&s, 1, " EMA 0.99 ");
    act(&s, ACTION_SMOOTH);
    act(&s, ACTION_LOG_SCALE);
    shoot(&s, "2");
    assert_row(&s, 1, "── loss, log  ⠒⠒ mean ");
    finish(&s);
}

static void follow_and_freeze(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    shoot(&s, "2");
    act(&s, ACTION_ZOOM_IN);
    shoot(&s, "2");
    act(&s, ACTION_PAN_LEFT);
    shoot(&s, "2");
    assert_row(&s, 1, " frozen ");
    act(&s, ACTION_FOLLOW);
    shoot(&s, "2");
    assert_null(strstr(screen_row(&s.c, 1), "frozen"));
    act(&s, ACTION_FOLLOW);
    shoot(&s, "2");
    assert_row(&s, 1, " frozen ");
    finish(&s);
}

static void marks_can_be_jumped_to(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_diverged, 80, 24);
    shoot(&s, "2");
    act(&s, ACTION_NEW);
    shoot(&s, "2");
    assert_row(&s, 20, " step        500"); /* the first evaluation */
    for (int i = 0; i < 5; i++)
        act(&s, ACTION_NEW);
    shoot(&s, "2");
    assert_row(&s, 20, " step      2,940   EMA");
    assert_row(&s, 20, "raw  nan");
    finish(&s);
    start(&s, fixture_sst2, 80, 24);
    shoot(&s, "3");
    act(&s, ACTION_NEW);
    shoot(&s, "3");
    assert_row(&s, 16, " step 2,000 1.52e-05   peak"); /* the last one at the old scale */
    act(&s, ACTION_NEW);
    act(&s, ACTION_RIGHT);
    shoot(&s, "3");
    assert_row(&s, 16, " step 2,645 1.03e-05   peak");
    finish(&s);
}

static void metrics_are_chosen(void **state)
{
    static const char *const titles[] = {"── eval_loss  ◆ eval ", "── eval_accuracy  ◆ eval "};
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    for (int i = 0; i < 2; i++) {
        act(&s, ACTION_VIEW_2);
        act(&s, ACTION_NEXT_PART);
        shoot(&s, "2");
        assert_row(&s, 1, titles[i]);
    }
    act(&s, ACTION_PREV_PART);
    act(&s, ACTION_PREV_PART);
    act(&s, ACTION_PREV_PART);
    shoot(&s, "2");
    assert_row(&s, 1, "── samples_per_second  ⠒⠒ EMA 0.95 ");
    canvas_resize(&s.c, 100, 34);
    shoot(&s, "2");
    for (int i = 0; i < 2; i++)
        act(&s, ACTION_DOWN);
    act(&s, ACTION_ENTER);
    shoot(&s, "2");
    assert_row(&s, 1, "── eval_accuracy ");
    finish(&s);
}

/* A label is never cut by the tick of an edit. */
static void ticks_leave_no_half_label(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    for (int64_t step = 950; step < 1200; step += 10) {
        s.f.m.edits[0].step = step;
        shoot(&s, "2");
        const char *row = screen_row(&s.c, 19);
        if (!strstr(row, "1,000") && (strstr(row, "─1") || strstr(row, "┬1") || strstr(row, "▲0") ||
                                      strstr(row, "0▲") || strstr(row, ",▲")))
            fail_msg("%s", row);
    }
    finish(&s);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void tensors_are_filtered(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    shoot(&s, "4");
    act(&s, ACTION_FILTER);
    type(&s, "LIN2");
    shoot(&s, "4");
    assert_row(&s, 23, " /LIN2_ ");
    assert_row(&s, 12, "── tensors 12 of 104 /LIN2 ─");
    assert_row(&s, 13, ">…transformer.layer.0.ffn.lin2.weight");
    key(&s, KEY_ENTER_KEY);
    act(&s, ACTION_DOWN);
    shoot(&s, "4");
    assert_row(&s, 14, ">…transformer.layer.1.ffn.lin2.weight");
    act(&s, ACTION_BACK); /* the filter goes, the selection stays */
    shoot(&s, "4");
    assert_row(&s, 12, " of 104 ─");
    assert_somewhere(&s, ">…transformer.layer.1.ffn.lin2.weight");
    act(&s, ACTION_FILTER);
    type(&s, "xyz");
    shoot(&s, "4");
    assert_row(&s, 13, " no name contains \"xyz\"");
    key(&s, KEY_ESCAPE);
    act(&s, ACTION_NEXT_PART);
    shoot(&s, "4");
    act(&s, ACTION_LAST);
    shoot(&s, "4");
    assert_row(&s, 12, "── other optimizers 10-18 of 18 ─");
    assert_row(&s, 21, ">  ademamix                       752.8 MiB      12.00      250.9  1,454.8 MiB");
    finish(&s);
}

static void log_is_read(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    shoot(&s, "9");
    act(&s, ACTION_UP);
    shoot(&s, "9");
    assert_row(&s, 1, " 24 frozen ");
    assert_row(&s, 20, ">14:47:09   3,500 eval");
    act(&s, ACTION_PREV_MARK);
    shoot(&s, "9");
    assert_somewhere(&s, ">14:38:56   2,871 warn");
    act(&s, ACTION_NEXT_PART);
    act(&s, ACTION_NEXT_PART);
    act(&s, ACTION_NEXT_PART);
    shoot(&s, "9");
    assert_row(&s, 1, " frozen ── warn, error ─");
    assert_row(&s, 2, ">14:38:56   2,871 warn");
    act(&s, ACTION_PREV_PART);
    act(&s, ACTION_PREV_PART);
    act(&s, ACTION_PREV_PART);
    act(&s, ACTION_FOLLOW);
    act(&s, ACTION_FILTER);
    type(&s, "schedule");
    key(&s, KEY_ENTER_KEY);
    shoot(&s, "9");
    assert_row(&s, 1, "── log 1-2 of 24 following ── all levels ── /schedule ─");
    act(&s, ACTION_FIRST);
    act(&s, ACTION_ENTER);
    shoot(&s, "9");
    assert_somewhere(&s, "│ schedule linear: warm-up 632 of 6,315 steps, peak 2.00e-05, then down");
    assert_somewhere(&s, "│ to 0 ");
    act(&s, ACTION_BACK);
    act(&s, ACTION_BACK);
    act(&s, ACTION_BACK);
    shoot(&s, "9");
    assert_row(&s, 1, "── log 5-24 of 24 following ── all levels ─");
    finish(&s);
}

static void help_finds_keys(void **state)
{
    struct shot s;
    struct list l = {0};
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    fixture_draw(&s.f, "1", &s.c);
    help_draw(&s.c, &l);
    help_action(&l, ACTION_LAST);
    help_draw(&s.c, &l);
    assert_somewhere(&s, " launcher, form");
    assert_somewhere(&s, " 9 log");
    help_action(&l, ACTION_FILTER);
    for (const char *p = "checkpoint"; *p; p++)
        help_key(&l, &(struct key_event){.code = (unsigned char)*p});
    help_draw(&s.c, &l);
    assert_row(&s, 1, "── help: keys /checkpoint ─");
    assert_row(&s, 2, "  s             save a checkpoint now ");
    help_key(&l, &(struct key_event){.code = KEY_ESCAPE});
    assert_false(help_action(&l, ACTION_BACK));
    finish(&s);
}

/* ---- other runs ----------------------------------------------------------------------------- */

static void states(struct run_fixture *f, int n, const char *const *names)
{
    struct memory_plan *p = &f->m.plan;
    p->nstate = n;
    p->state_bytes = 0;
    for (int i = 0; i < n; i++) {
        p->state[i] = (struct plan_row){.type = "f32", .tensors = p->tensors, .elements = p->parameters,
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
    static const char *const many[] = {"exp_avg", "exp_avg_sq", "exp_avg_slow", "max_exp_avg_sq", "step"};
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    states(&s.f, 0, NULL);
    shoot(&s, "1");
    assert_row(&s, 14, "│ no state            0 B ");
    shoot(&s, "4");
    assert_row(&s, 2, " optimizer                          0             0 =             0    0.0 %");
    assert_row(&s, 9, "── tensors 1-12 of 104 ");
    states(&s.f, 5, many);
    shoot(&s, "1");
    assert_row(&s, 15, "│ exp_avg_sq      250.9 MiB");
    assert_row(&s, 16, "│ 3 more          752.8 MiB");
    shoot(&s, "4");
    assert_row(&s, 5, " ma…p_avg_sq"); /* a long name loses its middle */
    canvas_resize(&s.c, 72, 24);
    shoot(&s, "4");
    assert_somewhere(&s, " exp_avg_slow");
    assert_somewhere(&s, " sum"); /* states from the right give way to it */
    finish(&s);
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
    start(&s, without_evaluation, 80, 24);
    shoot(&s, "1");
    assert_row(&s, 22, " step 1,234,001/1,234,567 ");
    assert_row(&s, 18, "├── eval ─────────────────────────────");
    assert_row(&s, 19, "│ accuracy  —        off");
    assert_row(&s, 16, " loss");
    assert_row(&s, 23, " Space pause  s save  o options  Tab next view");
    shoot(&s, "5");
    assert_row(&s, 2, " evaluation is off: [eval] every = no");
    shoot(&s, "2");
    assert_row(&s, 20, " step  1,234,001   EMA");
    assert_row(&s, 20, "eval  —");
    shoot(&s, "9");
    finish(&s);
}

static void regression(struct run_fixture *f)
{
    struct eval_report *r = eval_report_new(PROBLEM_REGRESSION, 1);
    fixture_sst2(f);
    f->m.problem = PROBLEM_REGRESSION;
    for (int i = 500; i <= 3500; i += 500) {
        fixture_eval(f, i, METRIC_PEARSON, 0.1 + i / 5000.0);
        fixture_eval(f, i, METRIC_MAE, 1.0 / i);
    }
    r->step = 3500;
    r->rows = 872;
    r->problem = PROBLEM_REGRESSION;
    hub_report_init(f->hub, PROBLEM_REGRESSION, 1);
    hub_report(f->hub, r);
    eval_report_free(r);
    fixture_poll(f);
}

static void regression_has_no_classes(void **state)
{
    struct shot s;
    (void)state;
    start(&s, regression, 80, 24);
    shoot(&s, "1");
    assert_row(&s, 19, "│ pearson   0.8000   best 0.8000 @3,500 ");
    assert_row(&s, 20, "│ mae       2.86e-04 best 2.86e-04");
    shoot(&s, "5");
    assert_row(&s, 1, "── evaluation 872 rows, * best accuracy ─");
    assert_row(&s, 3, " pearson  ");
    act(&s, ACTION_DOWN);
    canvas_resize(&s.c, 40, 12);
    shoot(&s, "1");
    shoot(&s, "5");
    finish(&s);
}

static void classes(struct run_fixture *f, int n)
{
    struct metrics counts;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_CLASSES, n);
    fixture_sst2(f);
    strlist_release(&f->m.labels);
    metrics_init(&counts, PROBLEM_CLASSES, n, 100000);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 40 + i && i != 3; k++) /* class 3 has no row */
            metrics_add_class(&counts, i, k % 5 ? i : (i * 7 + k) % n);
    metrics_add_loss(&counts, 1, 1);
    assert_int_equal(metrics_finish(&counts, AVERAGE_MACRO, r, &e), 0);
    hub_report_init(f->hub, PROBLEM_CLASSES, n);
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
    start(&s, two_hundred, 80, 24);
    shoot(&s, "5");
    assert_row(&s, 8, "── 1-11 of 200 ─ prec ");
    assert_row(&s, 8, " true by predicted, 10 columns of 200 ");
    assert_row(&s, 10, ">0 LABEL_0 ");
    assert_row(&s, 13, " 3 LABEL_3     0.0000  0.0000? 0.0000│");
    for (int i = 0; i < 199; i++)
        act(&s, ACTION_DOWN);
    for (int i = 0; i < 300; i++)
        act(&s, ACTION_RIGHT);
    shoot(&s, "5");
    assert_row(&s, 20, ">199 LABEL_199 ");
    assert_row(&s, 9, " 199");
    assert_row(&s, 23, "←→ columns");
    canvas_resize(&s.c, 200, 50);
    shoot(&s, "5");
    finish(&s);
    start(&s, one, 80, 24);
    shoot(&s, "5");
    assert_row(&s, 10, ">0 LABEL_0 ");
    assert_somewhere(&s, " most confused  none");
    finish(&s);
}

static void numbers_that_are_none(void **state)
{
    struct shot s;
    (void)state;
    start(&s, fixture_sst2, 80, 24);
    s.f.st.loss = NAN;
    s.f.st.grad_norm = INFINITY;
    s.f.st.nonfinite = 2;
    for (int i = 0; i < METRIC_COUNT; i++)
        history_add(&s.f.m.series[SERIES_EVAL_FIRST + i], 3700, 1.7, 2850, NAN);
    fixture_poll(&s.f);
    shoot(&s, "1");
    assert_row(&s, 16, " loss        0.0876  2 non-finite");
    assert_int_equal(canvas_at(&s.c, 21, 16)->role, ROLE_BAD);
    assert_row(&s, 18, " grad norm      inf ");
    assert_int_equal(canvas_at(&s.c, 17, 18)->role, ROLE_BAD);
    assert_row(&s, 19, "│ accuracy  —        best 0.9060 @3,000");
    shoot(&s, "5");
    assert_row(&s, 3, " —  ");
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_by_digit_and_tab),
        cmocka_unit_test(messages_come_and_go),
        cmocka_unit_test(bad_end_is_told_in_other_views),
        cmocka_unit_test(one_figure_in_all_places),
        cmocka_unit_test(ledger_adds_up),
        cmocka_unit_test(risk_is_told_by_colour_and_number),
        cmocka_unit_test(hints_follow_the_keys),
        cmocka_unit_test(cursor_zoom_and_axis),
        cmocka_unit_test(follow_and_freeze),
        cmocka_unit_test(marks_can_be_jumped_to),
        cmocka_unit_test(metrics_are_chosen),
        cmocka_unit_test(ticks_leave_no_half_label),
        cmocka_unit_test(tensors_are_filtered),
        cmocka_unit_test(log_is_read),
        cmocka_unit_test(help_finds_keys),
        cmocka_unit_test(no_state_and_many),
        cmocka_unit_test(no_evaluation_seven_digits),
        cmocka_unit_test(regression_has_no_classes),
        cmocka_unit_test(many_classes_scroll),
        cmocka_unit_test(numbers_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
