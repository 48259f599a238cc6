/* A window that is dragged about while a run goes on and keys are typed: nothing crashes, and no screen has
 * a defect. */
#include "tests/app_rig.h"

#include <stdlib.h>
#include <string.h>

#include "tests/screen_check.h"

static const char config[] = "[model]\ntype = mlp\nhidden = 32\n[data]\nformat = synthetic\nrows = 600\n"
                             "[optimizer]\nname = adamw8bit\nlr = 1e-3\n[train]\nmax_steps = 1000000\n"
                             "batch_size = 20\n[eval]\nevery = 200\nbest = accuracy\n"
                             "[checkpoint]\nevery = no\n[log]\ntensorboard = no\n";

static const char *const keys[] = {
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "d", "1", "2", "3", "4", "5", "6", "7", "8", "9", "d",
    "Up", "Down", "Left", "Right", "PgUp", "PgDn", "Home", "End", "Enter", "Esc", "Esc", "Esc", "Tab",
    "S-Tab", "Space", "Space", ".", "?", "/", "n", "N", "[", "]", "+", "-", "0", "<", ">", "f", "y", "x",
    "m", "o", "e", "b"};

static bool is_training(struct rig *r)
{
    return r->app.session && r->app.session->model.st.step > 100;
}

static void look(struct rig *r)
{
    bool dashboard = !strcmp(rig_top(r), "run");
    if (!screen_defect(&r->c, dashboard))
        return;
    print_error("%s at %dx%d\n", rig_top(r), r->c.w, r->c.h);
    for (int y = 0; y < r->c.h; y++)
        print_error("%s\n", screen_row(&r->c, y));
    screen_check(&r->c, dashboard);
}

static void storm(unsigned seed, int n)
{
    struct rig r;
    srand(seed);
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, config);
    rig_form(&r);
    rig_press(&r, "r");
    rig_wait(&r, is_training, 20);
    for (int i = 0; i < n && !r.app.leave; i++) {
        rig_resize(&r, 1 + rand() % 250, 1 + rand() % 80, (enum glyph_level)(rand() % 3));
        look(&r);
        if (rand() % 3)
            continue;
        rig_press(&r, keys[(size_t)rand() % (sizeof keys / sizeof *keys)]);
        look(&r);
    }
    rig_close(&r);
}

static void test_storm(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 4; seed++)
        storm(seed, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
