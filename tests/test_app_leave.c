/* A run that loses its screen: detached by a key, or with its terminal. */
#include "tests/app_rig.h"

static const char endless[] = "[model]\ntype = mlp\nhidden = 64\n[data]\nformat = synthetic\nrows = 600\n"
                              "[optimizer]\nlr = 1e-3\n[train]\nmax_steps = 10000000\nbatch_size = 20\n"
                              "[eval]\nevery = no\n[checkpoint]\nevery = no\n[log]\nevery = 100\n"
                              "tensorboard = no\n";

static int64_t goal; /* a step */

static bool makes_steps(struct rig *r)
{
    return r->app.session && r->app.session->model.st.step > goal;
}

static bool leaves(struct rig *r)
{
    return r->app.leave;
}

static void start_run(struct rig *r)
{
    rig_open(r, 80, 24, GLYPHS_BRAILLE, endless);
    rig_form(r);
    rig_press(r, "r");
    goal = 10;
    rig_wait(r, makes_steps, 20);
}

static void test_detach_key(void **state)
{
    (void)state;
    struct rig r;
    start_run(&r);
    rig_press(&r, "q");
    assert_true(rig_shows(&r, "d  detach                         training goes on"));
    rig_press(&r, "d");
    assert_true(r.app.requests & APP_DETACH); /* the owner of the terminal does it */
    assert_true(app_run_is_own(&r.app) && !r.app.leave && !r.app.leave_when_over);
    rig_press(&r, "q s");
    rig_wait(&r, leaves, 10);
    rig_close(&r);
}

/* Only the screen ends; the run goes on and is still to be reached. */
static void test_lost_terminal(void **state)
{
    (void)state;
    struct rig r;
    start_run(&r);
    app_key(&r.app, &(struct key_event){.code = KEY_GONE});
    assert_true(r.app.lost);
    goal = r.app.session->model.st.step + 50;
    rig_wait(&r, makes_steps, 10);
    assert_true(app_run_is_own(&r.app) && !r.app.leave);
    atomic_store(&hub_stop_request, 1); /* as SIGTERM does */
    rig_wait(&r, leaves, 10);
    assert_int_equal(r.app.err.code, TT_ESTOPPED);
    rig_close(&r);
}

static void test_lost_without_a_run(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, endless);
    app_key(&r.app, &(struct key_event){.code = KEY_GONE});
    assert_true(r.app.lost && r.app.leave);
    rig_turn(&r);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detach_key),
        cmocka_unit_test(test_lost_terminal),
        cmocka_unit_test(test_lost_without_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
