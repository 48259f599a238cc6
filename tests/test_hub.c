/* Two threads at the hub: nothing torn, nothing lost but what is counted. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/train/hub.h"
#include "tests/support.h"

#define SAMPLES 1000000
#define LINES 2000

struct trainer_side {
    struct hub *hub;
    atomic_bool done;
};

/* Every field of a status says its step, so that a torn copy shows. */
static void *publish(void *user)
{
    struct trainer_side *t = user;
    struct run_status s = {0};
    for (int64_t i = 1; i <= SAMPLES; i++) {
        struct sample x = {.series = SERIES_LOSS, .step = i, .value = (double)i};
        hub_sample(t->hub, &x);
        if (i % 10 == 0) {
            s.step = s.max_steps = s.best_step = i;
            s.loss = s.lr = (double)i;
            memset(s.error, (int)(i % 26) + 'a', sizeof s.error);
            hub_publish(t->hub, &s);
        }
    }
    atomic_store(&t->done, true);
    return NULL;
}

static void check_status(const struct run_status *s)
{
    assert_int_equal(s->step, s->max_steps);
    assert_true(s->step == 0 || s->step == s->best_step);
    assert_true(s->loss == (double)s->step && s->lr == s->loss);
    for (size_t i = 1; i < sizeof s->error; i++)
        assert_int_equal(s->error[i], s->error[0]);
}

static void test_no_tear_and_counted_loss(void **state)
{
    (void)state;
    struct trainer_side t = {.hub = hub_new()};
    pthread_t thread;
    static struct sample got[4096];
    int64_t taken = 0, last = 0;
    pthread_create(&thread, NULL, publish, &t);
    for (bool over = false; !over;) {
        over = atomic_load(&t.done);
        struct run_status s;
        hub_status(t.hub, &s);
        if (s.step)
            check_status(&s);
        int n;
        while ((n = hub_samples(t.hub, got, 4096)) > 0)
            for (int i = 0; i < n; i++, taken++) {
                assert_true(got[i].step > last && got[i].value == (double)got[i].step);
                last = got[i].step;
            }
    }
    pthread_join(thread, NULL);
    assert_int_equal(taken + hub_dropped(t.hub), SAMPLES);
    hub_free(t.hub);
}

static void test_lines_come_whole_and_in_order(void **state)
{
    (void)state;
    struct hub *h = hub_new();
    static char line[HUB_LINE];
    char text[64];
    for (int i = 0; i < LINES; i++) {
        int n = snprintf(text, sizeof text, "line %d", i);
        hub_line(h, text, (size_t)n);
        if (i % 3 == 2)
            for (int k = i - 2; k <= i; k++) {
                snprintf(text, sizeof text, "line %d", k);
                assert_int_equal(hub_line_get(h, line), strlen(text));
                assert_string_equal(line, text);
            }
    }
    hub_free(h);
}

static void test_commands_are_bounded(void **state)
{
    (void)state;
    struct hub *h = hub_new();
    struct command c = {.kind = COMMAND_SAVE};
    int sent = 0;
    while (!hub_send(h, &c))
        sent++;
    assert_int_equal(sent, 32);
    for (int i = 0; i < sent; i++)
        assert_true(hub_receive(h, &c));
    assert_false(hub_receive(h, &c));
    assert_false(hub_wait(h, &c, 0.01));
    hub_free(h);
}

static void test_wakes_once(void **state)
{
    (void)state;
    struct hub *h = hub_new();
    struct run_status s = {0};
    char bytes[8];
    for (int i = 0; i < 100; i++)
        hub_publish(h, &s);
    assert_int_equal(read(hub_wake_fd(h), bytes, sizeof bytes), 1);
    hub_status(h, &s);
    hub_publish(h, &s);
    assert_int_equal(read(hub_wake_fd(h), bytes, sizeof bytes), 1);
    hub_free(h);
}

int main(void)
{
    _Static_assert(sizeof(struct run_status) < 4096, "copied at every step");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_tear_and_counted_loss),
        cmocka_unit_test(test_lines_come_whole_and_in_order),
        cmocka_unit_test(test_commands_are_bounded),
        cmocka_unit_test(test_wakes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
