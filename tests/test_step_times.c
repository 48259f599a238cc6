/* Means over the last 10, 100 and 1,000 steps against sums over all of them. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/train/step_times.h"

#define STEPS 3456
#define STALL_ROUNDING 1e-10 /* s: what a step of ten minutes leaves in a sum when it falls out */

static struct step_time step_at(int i)
{
    struct step_time s = {.samples = 32 + i % 7, .tokens = i % 1000 > 500 ? 100 + i % 13 : 0};
    for (int k = 0; k < PHASE_COUNT; k++)
        if (k != PHASE_SYNC) {
            s.phase[k] = 1e-6 * (1 + (i * 31 + k * 17) % 101) * (i == 1700 ? 1e9 : 1); /* one that stood */
            s.seconds += s.phase[k];
        }
    return s;
}

static void assert_means(const struct step_times *t, int w)
{
    struct step_means m;
    struct step_time sum = {0};
    int64_t n = t->n < step_windows[w] ? t->n : step_windows[w];
    for (int64_t i = t->n - n; i < t->n; i++) {
        struct step_time s = step_at((int)i);
        sum.seconds += s.seconds;
        sum.samples += s.samples;
        sum.tokens += s.tokens;
        for (int k = 0; k < PHASE_COUNT; k++)
            sum.phase[k] += s.phase[k];
    }
    step_times_means(t, w, &m);
    assert_close(m.step_seconds, sum.seconds / (double)n, 1e-9, STALL_ROUNDING);
    assert_close(m.samples_per_second, (double)sum.samples / sum.seconds, 1e-6, 0);
    if (sum.tokens)
        assert_close(m.tokens_per_second, (double)sum.tokens / sum.seconds, 1e-6, 0);
    else
        assert_true(isnan(m.tokens_per_second));
    for (int k = 0; k < PHASE_COUNT; k++)
        assert_close(m.phase_seconds[k], sum.phase[k] / (double)n, 1e-9, STALL_ROUNDING);
    assert_true(m.phase_seconds[PHASE_SYNC] == 0); /* exactly: it is told as a phase that there is not */
}

static void windows_move(void **state)
{
    static struct step_times t;
    (void)state;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < STEPS; i++) {
        struct step_time s = step_at(i);
        step_times_add(&t, &s);
        if (i < 1200 || i % 97 == 0)
            for (int w = 0; w < STEP_WINDOWS; w++)
                assert_means(&t, w);
    }
    assert_int_equal(t.n, STEPS);
}

static void nothing_yet(void **state)
{
    static struct step_times t;
    struct step_means m;
    (void)state;
    step_times_means(&t, STEP_WINDOW_TOLD, &m);
    assert_true(isnan(m.step_seconds) && isnan(m.samples_per_second) && isnan(m.tokens_per_second));
    assert_true(m.phase_seconds[PHASE_FORWARD] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_move),
        cmocka_unit_test(nothing_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
