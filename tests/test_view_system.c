/* The system view against its picture, its keys, a run without figures; the sampler itself. */
#include "tests/shot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "tui/view_system.h"

#define GIB 1073741824.0

static struct system_view *state_of(struct shot *s)
{
    for (int i = 0; i < s->f.dash.nviews; i++)
        if (!strcmp(s->f.dash.view[i].cls->name, "system"))
            return s->f.dash.view[i].state;
    fail_msg("no system view");
    return NULL;
}

/* The machine of the picture. */
static void bring_reading(struct shot *s)
{
    struct system_view *v = state_of(s);
    v->reading = (struct machine_reading){.at = s->f.m.clock - 0.4,
                                          .cpu = 1.96,
                                          .cpus = 2,
                                          .threads = 4,
                                          .resident = (int64_t)(1250.9 * 1048576),
                                          .free = (int64_t)(22.1 * GIB),
                                          .total = (int64_t)(23.4 * GIB),
                                          .disk_used = (int64_t)(2.2 * GIB),
                                          .disk_free = (int64_t)(197 * GIB),
                                          .blas = "OpenBLAS 0.3.29, openmp, SkylakeX kernels"};
    v->cost = (struct console_cost){.cpu = 0.006, .frames = 10, .bytes = 1.4 * 1024};
    v->cost_at = 1;
    s->f.rc.run.threads = 2;
    str_copy(s->f.st.device, sizeof s->f.st.device, "cpu");
    s->f.m.text = s->f.m.st = s->f.st;
}

static void picture(void **state)
{
    struct shot s;
    struct canvas picture;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    bring_reading(&s);
    shot_take(&s, "8");
    screen_load(&picture, "system-80x24-braille");
    assert_screen(&s.c, &picture, ((struct rect){0, 1, 80, 10}));
    assert_screen(&s.c, &picture, ((struct rect){0, 13, 80, 3}));
    assert_screen(&s.c, &picture,
                  ((struct rect){45, 16, 35, 1})); /* the disk: its bar is never empty */
    assert_screen(&s.c, &picture, ((struct rect){0, 16, 23, 1}));
    assert_screen(&s.c, &picture, ((struct rect){0, 17, 80, 6}));
    shot_row(&s, 11, " compute-bound  forward, backward 91.8 % of a step; data 0.1 % ");
    assert_screen(&s.c, &picture, ((struct rect){0, 23, 80, 1}));
    shot_keep(&s, "sst2-system");
    canvas_release(&picture);
    shot_finish(&s);
}

static void other_sizes(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 120, 40, GLYPHS_BLOCK);
    bring_reading(&s);
    s.f.m.plan.flops_per_step = 1.2e11;
    struct system_view *v = state_of(&s);
    history_init(&v->cpu);
    v->have_history = true;
    for (int i = 1; i <= 100; i++)
        history_add(&v->cpu, i, 0, i, 150 + i % 40);
    shot_take(&s, "8");
    shot_row(&s, 12, " GFLOP/s; data 0.1 %");
    shot_keep(&s, "sst2-system");
    canvas_resize(&s.c, 40, 12);
    shot_take(&s, "8");
    shot_keep(&s, "sst2-system");
    s.c.level = GLYPHS_BRAILLE;
    canvas_resize(&s.c, 120, 40);
    shot_take(&s, "8");
    shot_keep(&s, "sst2-system");
    canvas_resize(&s.c, 200, 50);
    shot_take(&s, "8");
    shot_keep(&s, "sst2-system");
    for (int w = 40; w < 220; w += 9)
        for (int h = 12; h < 60; h += 5) {
            canvas_resize(&s.c, w, h);
            shot_take(&s, "8");
        }
    shot_finish(&s);
}

static void frozen_figures_stay(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    bring_reading(&s);
    shot_take(&s, "8");
    shot_act(&s, ACTION_FOLLOW, 1);
    s.f.st.step_seconds = 0.05;
    fixture_poll(&s.f);
    shot_take(&s, "8");
    shot_row(&s, 9, " step       0.742 s ");
    shot_row(&s, 1, " frozen ");
    shot_act(&s, ACTION_FOLLOW, 1);
    shot_take(&s, "8");
    shot_row(&s, 9, " step       50.0 ms ");
    shot_finish(&s);
}

/* [ and ] choose how many steps the means are of. */
static void windows(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    bring_reading(&s);
    for (int w = 0; w < STEP_WINDOWS; w++) {
        struct step_means *m = &s.f.st.means[w];
        *m = (struct step_means){.step_seconds = 0.8 + w, .samples_per_second = 40, .tokens_per_second = 500};
        m->phase_seconds[PHASE_FORWARD] = 0.6 + w;
        m->phase_seconds[PHASE_OTHER] = 0.2;
    }
    fixture_poll(&s.f);
    shot_take(&s, "8");
    shot_act(&s, ACTION_PREV_PART, 2); /* there is none before the first */
    shot_take(&s, "8");
    shot_row(&s, 1, " mean of the last 10 steps ");
    shot_row(&s, 3, " forward    0.600 s   75.0 % ");
    shot_row(&s, 9, " step       0.800 s  100.0 %  = 400 tokens: 40.0 samples/s, 500 tokens/s");
    shot_act(&s, ACTION_NEXT_PART, 5);
    shot_take(&s, "8");
    shot_row(&s, 1, " mean of the last 1,000 steps ");
    shot_row(&s, 3, " forward    2.600 s   92.9 % ");
    shot_act(&s, ACTION_PREV_PART, 1);
    shot_take(&s, "8");
    shot_row(&s, 9, " step       0.742 s ");
    shot_finish(&s);
}

/* Parts as shown add up to the step as shown. */
static void parts_add_up(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    for (int i = 0; i < 50; i++) {
        double sum = 0, share = 0, value, percent;
        char unit[8];
        for (int k = 0; k < PHASE_SYNC; k++)
            s.f.st.phase_seconds[k] = 0.0301 + 0.0137 * ((i * 7 + k * 13) % 11);
        s.f.st.phase_seconds[PHASE_OTHER] = 0.0123;
        s.f.st.step_seconds = 0;
        for (int k = 0; k < PHASE_COUNT; k++)
            s.f.st.step_seconds += s.f.st.phase_seconds[k];
        fixture_poll(&s.f);
        shot_take(&s, "8");
        for (int y = 2; y < 9; y++)
            if (sscanf(screen_row(&s.c, y) + 11, "%lf %7s %lf", &value, unit, &percent) == 3) {
                sum += value;
                share += percent;
            }
        assert_int_equal(sscanf(screen_row(&s.c, 9) + 11, "%lf %7s %lf", &value, unit, &percent),
                         3);
        assert_close(sum, value, 0, 1e-9);
        assert_close(share, 100, 0, 1e-9);
    }
    shot_finish(&s);
}

/* No phase that took time reads 0. */
static void quick_steps(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    s.f.st.phase_seconds[PHASE_DATA] = 0.4e-6;
    s.f.st.phase_seconds[PHASE_FORWARD] = 31.2e-6;
    s.f.st.step_seconds = 96.9e-6;
    fixture_poll(&s.f);
    shot_take(&s, "8");
    shot_row(&s, 2, " data wait    <1 µs ");
    shot_row(&s, 3, " forward      31 µs ");
    shot_row(&s, 9, " step         97 µs ");
    canvas_release(&s.c);
    canvas_init(&s.c, 80, 24, GLYPHS_ASCII);
    s.f.st.phase_seconds[PHASE_DATA] = 0.04e-3;
    s.f.st.step_seconds = 0.0124;
    fixture_poll(&s.f);
    shot_take(&s, "8");
    shot_row(&s, 2, " data wait  <0.1 ms ");
    shot_finish(&s);
}

static void little_is_known(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    s.f.st.timed_steps = 5;
    fixture_poll(&s.f);
    shot_take(&s, "8");
    shot_row(&s, 11, " no verdict before 100 steps ");
    shot_row(&s, 14, " sampled once a second ");
    s.f.m.live = false;
    shot_take(&s, "8");
    shot_row(&s, 14, " this run does not go on here ");
    shot_finish(&s);
}

static void the_sampler_samples(void **state)
{
    const char *dir = test_temp_dir();
    struct machine_reading r = {0};
    (void)state;
    test_write_file(dir, "file", "0123456789");
    struct machine *m = machine_start(dir, 0);
    for (int i = 0; i < 500 && r.at == 0; i++) {
        usleep(10000);
        machine_read(m, &r);
    }
    assert_true(r.at > 0 && sys_now() - r.at < 5);
    assert_true(isnan(r.cpu)); /* needs two */
    assert_true(r.cpus >= 1 && r.threads >= 2 && r.resident > 0 && r.free > 0 &&
                r.total > r.resident);
    assert_int_equal(r.disk_used, 10);
    assert_true(r.disk_free > 0);
    assert_non_null(strstr(r.blas, "BLAS"));
    machine_stop(m);
    machine_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture),
        cmocka_unit_test(other_sizes),
        cmocka_unit_test(frozen_figures_stay),
        cmocka_unit_test(windows),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(quick_steps),
        cmocka_unit_test(little_is_known),
        cmocka_unit_test(the_sampler_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
