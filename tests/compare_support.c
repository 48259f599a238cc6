/* Made-up runs on disk. */
#include "tests/compare_support.h"

#include <math.h>
#include <string.h>

#include "engine/base/file.h"

const struct made made_adafactor = {"sst2-adafactor", "adafactor", 0.7,   582,  0.8601, 0.8968,
                                    0.9014,           0.9043,      0.095, 6315, 42};
const struct made made_adamw8bit = {"sst2-adamw8bit", "adamw8bit", 256.8, 577,  0.8642, 0.9002,
                                    0.9048,           0.9073,      0.07,  6315, 42};

const char *make_dir(const char *name)
{
    struct err e = ERR_INIT;
    const char *path = test_path_in("runs", name);
    assert_int_equal(file_mkdirs(path, &e), 0);
    return path;
}

void put_first_line(FILE *f, const char *name, const char *optimizer, double mib, int steps,
                    int seed)
{
    fprintf(
        f,
        "{\"run\":\"%s\",\"model\":\"distilbert\",\"parameters\":65783042,\"tensors\":104,"
        "\"optimizer\":\"%s\",\"optimizer_state_bytes\":{\"a\":%.0f,\"b\":1000},"
        "\"schedule\":\"linear\",\"max_steps\":%d,\"steps_per_epoch\":2105,\"train_rows\":67349,"
        "\"eval_rows\":872,\"seed\":%d}\n",
        name, optimizer, mib * 1048576 - 1000, steps, seed);
}

void put_line(FILE *f, const struct made *m, int step)
{
    double loss = m->floor + 0.62 * exp(-step / 350.0) + 0.01 * sin(step / 40.0);
    fprintf(f,
            "{\"step\":%d,\"epoch\":%.4f,\"loss\":%.4f,\"learning_rate\":1e-05,\"grad_norm\":2.5,"
            "\"samples_per_second\":43.5,\"tokens_per_second\":%g,\"skipped\":0}\n",
            step, step / 2105.0, loss, m->tokens);
}

static void put_eval(FILE *f, const struct made *m, int step)
{
    double accuracy = step == 3500 ? m->at_3500 : step == 4500 ? m->best_accuracy : m->at_500;
    fprintf(
        f,
        "{\"step\":%d,\"epoch\":%.4f,\"eval_loss\":0.27,\"eval_accuracy\":%.4f,\"eval_f1\":%.4f,"
        "\"eval_samples\":872,\"eval_undefined\":[\"mcc\"]}\n",
        step, step / 2105.0, accuracy, step == 4500 ? m->best_f1 : accuracy);
}

void make_summary(const char *dir, const struct made *m, const char *state)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"state\":\"%s\",\"name\":\"%s\",\"config\":\"x\",\"optimizer\":\"%s\","
             "\"model\":\"distilbert\",\"step\":%d,\"max_steps\":%d,\"best_metric\":\"accuracy\","
             "\"best\":%.4f}\n",
             state, m->name, m->optimizer, m->steps, m->steps, m->best_accuracy);
    test_write_file(dir, "run.json", text);
}

void make_run(const struct made *m)
{
    const char *dir = make_dir(m->name), *path = test_path_in(dir, "metrics.jsonl");
    FILE *f = fopen(path, "w");
    put_first_line(f, m->name, m->optimizer, m->mib, m->steps, m->seed);
    for (int s = 1; s <= m->steps; s++) {
        if (s % 10 == 0 || s == m->steps)
            put_line(f, m, s);
        if (s % 500 == 0)
            put_eval(f, m, s);
    }
    fclose(f);
    test_write_file(dir, "config.ini", "");
    make_summary(dir, m, "finished");
}
