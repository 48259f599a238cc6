/* Runs side by side: reading their directories as they grow, and the command. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "tests/compare_support.h"
#include "tui/cmd.h"
#include "tui/compare_data.h"

/* In a fresh folder. */
static void begin(void)
{
    assert_int_equal(chdir(test_temp_dir()), 0);
}

/* ---- reading -------------------------------------------------------------------------------- */

static struct compare_run *read_run(struct compare *c, const char *name)
{
    struct err e = ERR_INIT;
    struct compare_run *r = compare_add(c, test_path_in("runs", name), &e);
    assert_non_null(r);
    assert_int_equal(compare_read(r, &e), 0);
    r->slot = 0;
    return r;
}

/* A run read from its file is as smooth as one that was watched step by step. */
static void test_same_smoothing(void **state)
{
    (void)state;
    struct history each, lines;
    history_init(&each);
    history_init(&lines);
    for (int s = 1; s <= 1000; s++) {
        double v = floor((s - 1) / 10.0) * 0.01;
        history_add(&each, s, 0, 0, v);
        if (s % 10 == 0)
            history_add_mean(&lines, s, 0, 0, v, 10);
    }
    assert_close(lines.ema95, each.ema95, 1e-9, 0);
    assert_close(lines.ema99, each.ema99, 1e-9, 0);
    assert_int_equal(lines.points, 100);
    history_release(&each);
    history_release(&lines);
}

static void test_growing_file(void **state)
{
    (void)state;
    struct compare c = {0};
    struct err e = ERR_INIT;
    struct made m = made_adafactor;
    begin();
    m.steps = 100;
    make_run(&m);
    struct compare_run *r = read_run(&c, m.name);
    assert_int_equal(r->series[SERIES_LOSS].points, 10);
    assert_int_equal(r->step, 100);
    assert_int_equal(r->state_bytes, llrint(0.7 * 1048576 - 1000) + 1000);
    assert_close(r->samples, 43.5, 1e-9, 0);
    assert_close(r->tokens, 582, 1e-9, 0);
    assert_close(r->seconds, 100 * (67349 / 2105.0) / 43.5, 1e-9, 0);
    FILE *f = fopen(r->metrics, "a");
    put_line(f, &m, 110);
    fputs("{\"step\":120,\"loss\":0.", f); /* not whole yet */
    fflush(f);
    assert_int_equal(compare_read(r, &e), 0);
    assert_int_equal(r->series[SERIES_LOSS].points, 11);
    fputs("25,\"epoch\":1}\nnonsense\n", f);
    fclose(f);
    assert_int_equal(compare_read(r, &e), 0);
    assert_int_equal(r->series[SERIES_LOSS].points, 12);
    assert_true(r->series[SERIES_LOSS].last == 0.25);
    m.steps = 50; /* cut back, as a resume does */
    make_run(&m);
    assert_int_equal(compare_read(r, &e), 0);
    assert_int_equal(r->series[SERIES_LOSS].points, 5);
    assert_int_equal(r->series[SERIES_LOSS].last_step, 50);
    compare_release(&c);
}

/* ---- the command ---------------------------------------------------------------------------- */

static const char *output(int argc, char **argv)
{
    const struct cmd *cmd = cmd_by_name("compare");
    struct cmd_args a;
    struct err e = ERR_INIT;
    fflush(stdout);
    int kept = dup(1), file = open("out", O_CREAT | O_TRUNC | O_WRONLY, 0666);
    dup2(file, 1);
    close(file);
    int code = cmd_parse(cmd, argc, argv, &a, &e);
    if (!code)
        code = cmd->run(&a, &e);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    if (code)
        fail_msg("%s", e.msg);
    return test_read_file("out", NULL);
}

static void test_command(void **state)
{
    (void)state;
    struct made m = made_adamw8bit;
    begin();
    make_run(&made_adafactor);
    m.seed = 7;
    make_run(&m);
    char *argv[] = {"sst2-adafactor", "runs/sst2-adamw8bit", NULL};
    const char *text = output(2, argv);
    assert_non_null(
        strstr(text, "A sst2-adafactor  adafactor                   734,003    0.9014 @4,500"));
    assert_non_null(strstr(text, "at step 6,000   A 0.8601  B 0.8642  accuracy; seeds differ\n"));
    assert_non_null(strstr(text, "least state  A 0.7 MiB, best accuracy 0.0034 below B\n"));

    char *json_args[] = {"sst2-adafactor", "sst2-adamw8bit", "--json", NULL};
    json_t *root = json_loads(output(3, json_args), 0, NULL), *run;
    assert_non_null(root);
    run = json_array_get(json_object_get(root, "runs"), 1);
    assert_int_equal(json_integer_value(json_object_get(run, "optimizer_state_bytes")),
                     llrint(256.8 * 1048576 - 1000) + 1000);
    json_t *best = json_object_get(json_object_get(run, "best"), "eval_accuracy");
    assert_close(json_number_value(json_object_get(best, "value")), 0.9048, 1e-12, 0);
    assert_int_equal(json_integer_value(json_object_get(best, "step")), 4500);
    assert_true(json_is_false(json_object_get(root, "same_seed")));
    json_decref(root);

    char *csv_args[] = {"sst2-adafactor", "sst2-adamw8bit", "--csv", NULL};
    const char *csv = output(3, csv_args);
    assert_true(
        str_starts(csv, "run,state,model,optimizer,optimizer_state_bytes,seed,step,max_steps,"));
    assert_non_null(strstr(csv, "\nsst2-adafactor,finished,distilbert,adafactor,"));
    assert_non_null(strstr(csv, ",0.9014,4500,"));
}

static void test_command_refuses(void **state)
{
    (void)state;
    struct cmd_args a;
    struct err e = ERR_INIT;
    const struct cmd *cmd = cmd_by_name("compare");
    char *none[] = {"nothing", NULL}, *both[] = {"x", "--json", "--csv", NULL};
    begin();
    assert_int_equal(cmd_parse(cmd, 1, none, &a, &e), 0);
    assert_int_equal(cmd->run(&a, &e), TT_ECONFIG);
    assert_int_equal(cmd_parse(cmd, 3, both, &a, &e), 0);
    assert_int_equal(cmd->run(&a, &e), TT_ECONFIG);
    assert_int_equal(cmd_parse(cmd, 0, none, &a, &e), TT_ECONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_smoothing),
        cmocka_unit_test(test_growing_file),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_command_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
