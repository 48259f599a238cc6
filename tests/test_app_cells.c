/* From a cell of the confusion to the rows behind it, on a run that goes on. */
#include "tests/app_rig.h"

#include <stdio.h>
#include <string.h>

static const char config[] = "[model]\ntype = mlp\nhidden = 16\n[data]\nformat = synthetic\nrows = 600\n"
                             "[optimizer]\nlr = 1e-3\n[train]\nmax_steps = 10000000\nbatch_size = 20\n"
                             "[eval]\nevery = 100\n[checkpoint]\nevery = no\n[log]\ntensorboard = no\n";

enum { LIST_ROWS = 5 }; /* at 80x24 */

static bool has_scores(struct rig *r)
{
    return r->app.session && r->app.session->model.have_report;
}

static bool is_paused(struct rig *r)
{
    return r->app.session->model.text.state == RUN_PAUSED;
}

static bool shows_rows(struct rig *r)
{
    return rig_shows(r, " rows ──");
}

static void start(struct rig *r)
{
    rig_open(r, 80, 24, GLYPHS_BRAILLE, config);
    rig_form(r);
    rig_press(r, "r");
    rig_wait(r, has_scores, 20);
    rig_press(r, "Space");
    rig_wait(r, is_paused, 10);
}

/* Rows of the list below the head "row". */
static int rows_listed(struct rig *r)
{
    int n = 0, y = 0;
    while (y < r->c.h && !strstr(screen_row(&r->c, y), "label "))
        y++;
    for (y++; y < r->c.h - 2; y++)
        n += canvas_at(&r->c, 8, y)->ch >= '0' && canvas_at(&r->c, 8, y)->ch <= '9';
    return n;
}

static void rows_are_those_of_the_cell(void **state)
{
    struct rig r;
    (void)state;
    start(&r);
    const struct eval_report *rep = r.app.session->model.report;
    assert_int_equal(rep->kept, 100);
    rig_press(&r, "5 Down");
    for (int column = 0; column < rep->n; column++) {
        char title[32], total[32];
        int count = (int)rep->confusion[rep->n + column];
        rig_press(&r, column ? "Right" : "Left Left Left Left Left Left Left Left Left Left");
        assert_true(rig_shows(&r, " this cell "));
        rig_press(&r, "Enter");
        assert_true(rig_shows(&r, "[d data]"));
        rig_wait(&r, shows_rows, 10);
        snprintf(title, sizeof title, "1 → %d ", column);
        assert_true(rig_shows(&r, title));
        snprintf(total, sizeof total, " %d rows ", count);
        assert_true(rig_shows(&r, total));
        assert_int_equal(rows_listed(&r), count < LIST_ROWS ? count : LIST_ROWS);
        rig_press(&r, "Esc");
        assert_true(rig_shows(&r, "[5 eval]"));
    }
    rig_close(&r);
}

/* Without a choice it is the cell that the class is most often taken for; the filter of the list is one
 * layer of its own. */
static void keys(void **state)
{
    struct rig r;
    (void)state;
    start(&r);
    rig_press(&r, "5");
    assert_true(rig_shows(&r, "←→ columns  Enter rows of a cell"));
    assert_false(rig_shows(&r, " this cell "));
    rig_press(&r, "Enter");
    rig_wait(&r, shows_rows, 10);
    assert_true(rig_shows(&r, " 0 → "));
    rig_press(&r, "/ z z Enter");
    assert_true(rig_shows(&r, "no such row in the newest evaluation"));
    rig_press(&r, "Esc");
    assert_true(rig_shows(&r, "[d data]"));
    rig_press(&r, "Esc");
    assert_true(rig_shows(&r, "[5 eval]"));
    rig_press(&r, "Enter ]");
    assert_false(rig_shows(&r, " 0 → "));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_cell),
        cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
