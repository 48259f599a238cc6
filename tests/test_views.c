/* Keys of the dashboard and its views. */
#include "tests/shot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/help.h"
#include "tui/hints.h"
#include "tui/ledger.h"

/* ---- the frame ------------------------------------------------------------------------------ */

static void views_by_digit_and_tab(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_act(&s, ACTION_VIEW_4, 1);
    assert_string_equal(s.f.dash.view[s.f.dash.open].cls->name, "memory");
    shot_act(&s, ACTION_NEXT_VIEW, 1);
    assert_string_equal(s.f.dash.view[s.f.dash.open].cls->name, "eval");
    shot_act(&s, ACTION_VIEW_1, 1);
    shot_act(&s, ACTION_PREV_VIEW, 1); /* round the end */
    assert_int_equal(s.f.dash.open, s.f.dash.nviews - 1);
    shot_take(&s, "4");
    shot_row(&s, 0, " lr[4 memory]5 eval");
    canvas_resize(&s.c, 60, 20);
    shot_take(&s, "4");
    shot_row(&s, 0, " 1 2 3[4 memory]5 ");
    shot_finish(&s);
}

static void messages_come_and_go(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    str_copy(s.f.st.message, sizeof s.f.st.message, "saved step-3742, 752.8 MiB in 1.8 s");
    s.f.st.message_id = 1;
    fixture_poll(&s.f);
    shot_take(&s, "1");
    shot_row(&s, 23, " saved step-3742, 752.8 MiB in 1.8 s  ");
    shot_row(&s, 23, "? help  q quit ");
    for (int i = 0; i < 5; i++)
        fixture_poll(&s.f);
    shot_take(&s, "1");
    shot_row(&s, 23, " Space pause"); /* after four seconds */
    dashboard_say(&s.f.dash, true, s.f.now, "no room on the disk");
    dashboard_say(&s.f.dash, true, s.f.now, "still no room");
    for (int i = 0; i < 9; i++)
        fixture_poll(&s.f);
    shot_take(&s, "1");
    shot_row(&s, 23, " still no room (1 more, 9 log)");
    assert_int_equal(canvas_at(&s.c, 1, 23)->role, ROLE_BAD);
    dashboard_say(&s.f.dash, false, s.f.now, "something good");
    shot_take(&s, "1");
    shot_row(&s, 23, " still no room (2 more, 9 log)");
    dashboard_say(&s.f.dash, true, s.f.now, "%052d", 7);
    shot_take(&s, "1");
    shot_row(&s, 23, "0007    "); /* whole, without the count that has no room */
    shot_act(&s, ACTION_UP, 1);
    shot_take(&s, "1");
    shot_row(&s, 23, " Space pause");
    shot_finish(&s);
}

static void run_says(struct shot *s, const char *text, double later)
{
    str_copy(s->f.st.message, sizeof s->f.st.message, text);
    s->f.st.message_id++;
    s->f.now += later;
    fixture_poll(&s->f);
    shot_take(s, "1");
}

/* Saves every few seconds leave the hints where they are; the answer to a command and what is bad do not wait. */
static void chatter_is_left_to_the_log(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    run_says(&s, "saved step-1", 0);
    shot_row(&s, 23, " saved step-1 ");
    for (int i = 0; i < 9; i++) {
        run_says(&s, "saved again", 5);
        shot_row(&s, 23, " Space pause");
    }
    s.f.dash.asked = true;
    run_says(&s, "saved step-2", 2);
    shot_row(&s, 23, " saved step-2 ");
    run_says(&s, "saved again", 6);
    shot_row(&s, 23, " Space pause");
    s.f.st.message_bad = true;
    run_says(&s, "no room", 1);
    shot_row(&s, 23, " no room ");
    s.f.st.message_bad = false;
    dashboard_quiet(&s.f.dash);
    run_says(&s, "saved step-3", 30);
    shot_row(&s, 23, " saved step-3 ");
    shot_finish(&s);
}

/* A figure that has no room goes whole, and a long count of epochs moves the bars. */
static void overview_cuts_no_figure(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    s.f.st.epochs = 4788;
    s.f.st.samples_per_second = 616454;
    fixture_poll(&s.f);
    shot_take(&s, "1");
    shot_somewhere(&s, " e    2/4788 ━");
    canvas_resize(&s.c, 40, 12);
    shot_take(&s, "1");
    shot_row(&s, 7, " loss 0.0876 lr 7.25e-06                ");
    shot_finish(&s);
}

static void bad_end_is_told_in_other_views(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_diverged, 120, 24, GLYPHS_BRAILLE);
    shot_take(&s, "4");
    shot_row(&s, 23, " diverged: loss nan at steps 2,979 to 2,981");
    shot_act(&s, ACTION_VIEW_1, 1);
    shot_take(&s, "1");
    shot_row(&s, 23, " r resume from 2,500  o options first");
    shot_finish(&s);
}

/* Defect 12: one figure, one value, however fast the run is. */
static void one_figure_in_all_places(void **state)
{
    struct shot s;
    char step[32], status[48], reading[48];
    (void)state;
    shot_start(&s, fixture_sst2, 120, 40, GLYPHS_BRAILLE);
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
        shot_take(&s, "2");
        shot_row(&s, 38, status);
        shot_row(&s, 28, reading);
        snprintf(status, sizeof status, "loss %.4f ", s.f.m.text.loss_ema);
        snprintf(reading, sizeof reading, " loss        %.4f  last", s.f.m.text.loss_ema);
        shot_take(&s, "1");
        shot_row(&s, 38, status);
        shot_row(&s, 24, reading);
    }
    shot_finish(&s);
}

/* Defect 11: parts add up to the sums shown. */
static void ledger_adds_up(void **state)
{
    struct ledger_row row[LEDGER_ROWS];
    struct shot s;
    int64_t part = 0, whole = 0;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
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
    shot_take(&s, "4"); /* a difference is marked, and no state is said to have its bytes */
    shot_row(&s, 2, " 263,132,168               —   20.8 %");
    shot_row(&s, 5, " 526,264,752 !   526,264,753   41.7 %");
    shot_finish(&s);
}

static void risk_is_told_by_colour_and_number(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    s.f.st.saved_step = 2500;
    fixture_poll(&s.f);
    shot_take(&s, "1");
    shot_row(&s, 22, "  1,242 at risk");
    assert_int_equal(canvas_at(&s.c, 70, 22)->role, ROLE_STATUS_WARN);
    shot_finish(&s);
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
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "2");
    shot_row(&s, 20, " step      3,742   EMA     0.0876"); /* the newest step */
    shot_act(&s, ACTION_LEFT, 1);
    shot_act(&s, ACTION_LEFT, 1);
    shot_take(&s, "2");
    shot_row(&s, 20, " step      3,708"); /* a dot column of 34 steps back */
    shot_act(&s, ACTION_ZOOM_IN, 1);
    shot_take(&s, "2");
    shot_row(&s, 20, " step      3,708");
    shot_row(&s, 21, "steps/dot  17");
    shot_row(&s, 1, " frozen ");
    shot_act(&s, ACTION_LEFT, 1);
    shot_take(&s, "2");
    shot_row(&s, 20, " step      3,691");
    shot_act(&s, ACTION_ZOOM_RESET, 1);
    shot_act(&s, ACTION_BACK, 1);
    shot_act(&s, ACTION_X_AXIS, 1);
    shot_take(&s, "2");
    shot_row(&s, 19, "─── min");
    shot_act(&s, ACTION_X_AXIS, 1);
    shot_take(&s, "2");
    shot_row(&s, 19, "─── epoch");
    shot_act(&s, ACTION_X_AXIS, 1);
    shot_act(&s, ACTION_SMOOTH, 1);
    shot_take(&s, "2");
    shot_row(&s, 1, " EMA 0.99 ");
    shot_act(&s, ACTION_SMOOTH, 1);
    shot_act(&s, ACTION_LOG_SCALE, 1);
    shot_take(&s, "2");
    shot_row(&s, 1, "── loss, log  ⠒⠒ mean ");
    shot_finish(&s);
}

static void follow_and_freeze(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "2");
    shot_act(&s, ACTION_ZOOM_IN, 1);
    shot_take(&s, "2");
    shot_act(&s, ACTION_PAN_LEFT, 1);
    shot_take(&s, "2");
    shot_row(&s, 1, " frozen ");
    shot_act(&s, ACTION_FOLLOW, 1);
    shot_take(&s, "2");
    assert_null(strstr(screen_row(&s.c, 1), "frozen"));
    shot_act(&s, ACTION_FOLLOW, 1);
    shot_take(&s, "2");
    shot_row(&s, 1, " frozen ");
    shot_finish(&s);
}

static void marks_can_be_jumped_to(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_diverged, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "2");
    shot_act(&s, ACTION_NEW, 1);
    shot_take(&s, "2");
    shot_row(&s, 20, " step        500"); /* the first evaluation */
    for (int i = 0; i < 5; i++)
        shot_act(&s, ACTION_NEW, 1);
    shot_take(&s, "2");
    shot_row(&s, 20, " step      2,940   EMA");
    shot_row(&s, 20, "raw  nan");
    shot_finish(&s);
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "3");
    shot_act(&s, ACTION_NEW, 1);
    shot_take(&s, "3");
    shot_row(&s, 16, " step 2,000 1.52e-05   peak"); /* the last one at the old scale */
    shot_act(&s, ACTION_NEW, 1);
    shot_act(&s, ACTION_RIGHT, 1);
    shot_take(&s, "3");
    shot_row(&s, 16, " step 2,645 1.03e-05   peak");
    shot_finish(&s);
}

static void metrics_are_chosen(void **state)
{
    static const char *const titles[] = {"── eval_loss  ◆ eval ", "── eval_accuracy  ◆ eval "};
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    for (int i = 0; i < 2; i++) {
        shot_act(&s, ACTION_VIEW_2, 1);
        shot_act(&s, ACTION_NEXT_PART, 1);
        shot_take(&s, "2");
        shot_row(&s, 1, titles[i]);
    }
    shot_act(&s, ACTION_PREV_PART, 1);
    shot_act(&s, ACTION_PREV_PART, 1);
    shot_act(&s, ACTION_PREV_PART, 1);
    shot_take(&s, "2");
    shot_row(&s, 1, "── samples_per_second  ⠒⠒ EMA 0.95 ");
    canvas_resize(&s.c, 100, 34);
    shot_take(&s, "2");
    for (int i = 0; i < 2; i++)
        shot_act(&s, ACTION_DOWN, 1);
    shot_act(&s, ACTION_ENTER, 1);
    shot_take(&s, "2");
    shot_row(&s, 1, "── eval_accuracy ");
    shot_finish(&s);
}

/* A label is never cut by the tick of an edit. */
static void ticks_leave_no_half_label(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    for (int64_t step = 950; step < 1200; step += 10) {
        s.f.m.edits[0].step = step;
        shot_take(&s, "2");
        const char *row = screen_row(&s.c, 19);
        if (!strstr(row, "1,000") && (strstr(row, "─1") || strstr(row, "┬1") || strstr(row, "▲0") ||
                                      strstr(row, "0▲") || strstr(row, ",▲")))
            fail_msg("%s", row);
    }
    shot_finish(&s);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void tensors_are_filtered(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "4");
    shot_act(&s, ACTION_FILTER, 1);
    shot_type(&s, "LIN2");
    shot_take(&s, "4");
    shot_row(&s, 23, " /LIN2_ ");
    shot_row(&s, 12, "── tensors 12 of 104 /LIN2 ─");
    shot_row(&s, 13, ">…transformer.layer.0.ffn.lin2.weight");
    shot_key(&s, KEY_ENTER_KEY);
    shot_act(&s, ACTION_DOWN, 1);
    shot_take(&s, "4");
    shot_row(&s, 14, ">…transformer.layer.1.ffn.lin2.weight");
    shot_act(&s, ACTION_BACK, 1); /* the filter goes, the selection stays */
    shot_take(&s, "4");
    shot_row(&s, 12, " of 104 ─");
    shot_somewhere(&s, ">…transformer.layer.1.ffn.lin2.weight");
    shot_act(&s, ACTION_FILTER, 1);
    shot_type(&s, "xyz");
    shot_take(&s, "4");
    shot_row(&s, 13, " no name contains \"xyz\"");
    shot_key(&s, KEY_ESCAPE);
    shot_act(&s, ACTION_NEXT_PART, 1);
    shot_take(&s, "4");
    shot_act(&s, ACTION_LAST, 1);
    shot_take(&s, "4");
    shot_row(&s, 12, "── other optimizers 10-18 of 18 ─");
    shot_row(&s, 21,
             ">  ademamix                       752.8 MiB      12.00      250.9  1,454.8 MiB");
    shot_finish(&s);
}

static void log_is_read(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "9");
    shot_act(&s, ACTION_UP, 1);
    shot_take(&s, "9");
    shot_row(&s, 1, " 24 frozen ");
    shot_row(&s, 20, ">14:47:09   3,500 eval");
    shot_act(&s, ACTION_PREV_MARK, 1);
    shot_take(&s, "9");
    shot_somewhere(&s, ">14:38:56   2,871 warn");
    shot_act(&s, ACTION_NEXT_PART, 1);
    shot_act(&s, ACTION_NEXT_PART, 1);
    shot_act(&s, ACTION_NEXT_PART, 1);
    shot_take(&s, "9");
    shot_row(&s, 1, " frozen ── warn, error ─");
    shot_row(&s, 2, ">14:38:56   2,871 warn");
    shot_act(&s, ACTION_PREV_PART, 1);
    shot_act(&s, ACTION_PREV_PART, 1);
    shot_act(&s, ACTION_PREV_PART, 1);
    shot_act(&s, ACTION_FOLLOW, 1);
    shot_act(&s, ACTION_FILTER, 1);
    shot_type(&s, "schedule");
    shot_key(&s, KEY_ENTER_KEY);
    shot_take(&s, "9");
    shot_row(&s, 1, "── log 1-2 of 24 following ── all levels ── /schedule ─");
    shot_act(&s, ACTION_FIRST, 1);
    shot_act(&s, ACTION_ENTER, 1);
    shot_take(&s, "9");
    shot_somewhere(&s, "│ schedule linear: warm-up 632 of 6,315 steps, peak 2.00e-05, then down");
    shot_somewhere(&s, "│ to 0 ");
    shot_act(&s, ACTION_BACK, 1);
    shot_act(&s, ACTION_BACK, 1);
    shot_act(&s, ACTION_BACK, 1);
    shot_take(&s, "9");
    shot_row(&s, 1, "── log 5-24 of 24 following ── all levels ─");
    shot_finish(&s);
}

static void help_finds_keys(void **state)
{
    struct shot s;
    struct list l = {0};
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    fixture_draw(&s.f, "1", &s.c);
    help_draw(&s.c, &l);
    help_action(&l, ACTION_PAGE_DOWN);
    help_draw(&s.c, &l);
    shot_somewhere(&s, " launcher, form");
    help_action(&l, ACTION_LAST);
    help_draw(&s.c, &l);
    shot_somewhere(&s, " 9 log");
    help_action(&l, ACTION_FILTER);
    for (const char *p = "checkpoint"; *p; p++)
        help_key(&l, &(struct key_event){.code = (unsigned char)*p});
    help_draw(&s.c, &l);
    shot_row(&s, 1, "── help: keys /checkpoint ─");
    shot_row(&s, 2, "  s             save a checkpoint now ");
    help_key(&l, &(struct key_event){.code = KEY_ESCAPE});
    assert_false(help_action(&l, ACTION_BACK));
    shot_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_by_digit_and_tab),
        cmocka_unit_test(messages_come_and_go),
        cmocka_unit_test(chatter_is_left_to_the_log),
        cmocka_unit_test(overview_cuts_no_figure),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
