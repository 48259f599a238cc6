/* `traintui compare`: runs side by side, what their optimizers keep and what came of it. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/cmd.h"
#include "tui/compare_data.h"
#include "tui/compare_table.h"

static int load(struct compare *c, const struct cmd_args *a, struct err *e)
{
    int code = 0;
    for (int i = 0; !code && i < a->npos; i++) {
        char *path = NULL, *whole = NULL;
        struct compare_run *r = NULL;
        if (!(code = rundir_resolve("runs", a->pos[i], &path, e))) {
            whole = file_absolute(path);
            r = compare_add(c, whole, e);
            code = r ? compare_read(r, e) : e->code;
        }
        if (r && r->slot < 0)
            r->slot = i;
        free(path);
        free(whole);
    }
    return code;
}

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *best_json(const struct compare_run *r)
{
    json_t *best = json_object();
    for (int k = 0; k < METRIC_COUNT; k++)
        if (isfinite(r->best[k]))
            json_object_set_new(best, metric_descs[k].series,
                                json_pack("{s:o,s:I}", "value", number(r->best[k]), "step",
                                          (json_int_t)r->best_step[k]));
    return best;
}

static json_t *run_json(const struct compare_run *r, enum metric k, int64_t step)
{
    json_t *o =
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I}", "run", r->name, "path", r->path,
                  "state", r->state, "model", r->about.model, "optimizer", r->about.optimizer,
                  "optimizer_state_bytes", (json_int_t)r->state_bytes, "parameters",
                  (json_int_t)r->about.parameters, "seed", (json_int_t)r->about.seed, "step",
                  (json_int_t)r->step, "max_steps", (json_int_t)r->max_steps);
    json_object_set_new(o, "seconds", number(r->seconds));
    json_object_set_new(o, "samples_per_second", number(r->samples));
    json_object_set_new(o, "tokens_per_second", number(r->tokens));
    json_object_set_new(o, "loss", number(r->reader.loss));
    json_object_set_new(o, "best", best_json(r));
    json_object_set_new(o, "at_common_step", number(step < 0 ? NAN : compare_score_at(r, k, step)));
    return o;
}

static void print_compare_json(const struct compare *c, enum metric k, int64_t step)
{
    const struct compare_run *best = compare_best(c, k), *least = compare_least(c);
    json_t *runs = json_array();
    for (int slot = 0; slot < COMPARE_SLOTS; slot++) {
        const struct compare_run *r = compare_slot(c, slot);
        if (r)
            json_array_append_new(runs, run_json(r, k, step));
    }
    cmd_print_json(json_pack(
        "{s:o,s:s,s:o,s:b,s:s?,s:s}", "runs", runs, "metric", metric_descs[k].series, "common_step",
        step < 0 ? json_null() : json_integer(step), "same_seed", compare_same_seed(c), "best",
        best ? best->name : NULL, "least_state", least->name));
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void put_text(const char *s)
{
    bool quote = strpbrk(s, ",\"\r\n") != NULL;
    if (quote)
        putchar('"');
    for (; *s; s++) {
        if (*s == '"')
            putchar('"');
        putchar(*s);
    }
    if (quote)
        putchar('"');
}

/* Nothing where there is no number. */
static void put_number(double v)
{
    char text[32];
    printf(",%s", isfinite(v) ? str_f64(text, sizeof text, v) : "");
}

static bool some_run_has(const struct compare *c, int k)
{
    for (int i = 0; i < c->n; i++)
        if (isfinite(c->run[i]->best[k]))
            return true;
    return false;
}

static void print_csv(const struct compare *c)
{
    printf("run,state,model,optimizer,optimizer_state_bytes,seed,step,max_steps,seconds,"
           "samples_per_second,tokens_per_second");
    for (int k = 0; k < METRIC_COUNT; k++)
        if (some_run_has(c, k))
            printf(",best_%s,best_%s_step", metric_descs[k].series, metric_descs[k].series);
    printf("\n");
    for (int slot = 0; slot < COMPARE_SLOTS; slot++) {
        const struct compare_run *r = compare_slot(c, slot);
        if (!r)
            continue;
        put_text(r->name);
        printf(",%s,%s,%s,%lld,%lld,%lld,%lld", r->state, r->about.model, r->about.optimizer,
               (long long)r->state_bytes, (long long)r->about.seed, (long long)r->step,
               (long long)r->max_steps);
        put_number(r->seconds);
        put_number(r->samples);
        put_number(r->tokens);
        for (int k = 0; k < METRIC_COUNT; k++)
            if (some_run_has(c, k)) {
                put_number(r->best[k]);
                put_number(isfinite(r->best[k]) ? (double)r->best_step[k] : NAN);
            }
        printf("\n");
    }
}

/* ---- table ---------------------------------------------------------------------------------- */

/* "0.9060 @3,000" */
static char *best_text(char *dst, size_t size, const struct compare_run *r, enum metric k)
{
    char value[32], at[32];
    if (isfinite(r->best[k]) && r->best_step[k] > 0)
        snprintf(dst, size, "%s @%s", fmt_loss(value, sizeof value, r->best[k], GLYPHS_BRAILLE),
                 str_commas(at, sizeof at, r->best_step[k]));
    else
        fmt_loss(dst, size, r->best[k], GLYPHS_BRAILLE);
    return dst;
}

/* Right-aligned by columns, not bytes: a dash has three of these. */
static void put_right(const char *text, int cols)
{
    printf("  %*s%s", cols - text_width(text), "", text);
}

static void print_row(const struct compare_run *r, const enum metric k[2], int name)
{
    char shown[128], text[64];
    str_visible(shown, sizeof shown, r->name);
    printf("%c %s%*s", compare_letter(r->slot), shown, name - text_width(shown), "");
    printf("  %-18s", r->about.optimizer);
    put_right(str_commas(text, sizeof text, r->state_bytes), 15);
    put_right(best_text(text, sizeof text, r, k[0]), 15);
    put_right(best_text(text, sizeof text, r, k[1]), 15);
    put_right(str_commas(text, sizeof text, r->step), 9);
    put_right(str_duration(text, sizeof text, r->seconds), 9);
    put_right(fmt_speed(text, sizeof text, r->samples, GLYPHS_BRAILLE), 9);
    put_right(fmt_speed(text, sizeof text, r->tokens, GLYPHS_BRAILLE), 9);
    printf("  %s\n", r->state);
}

static void print_table(const struct compare *c, const enum metric k[2], int64_t step)
{
    char value[64], number_text[32];
    int name = 3;
    for (int i = 0; i < c->n; i++) {
        int w = text_width(str_visible(value, sizeof value, c->run[i]->name));
        name = w > name ? w : name;
    }
    printf("  %-*s  %-18s  %15s  %15s  %15s  %9s  %9s  %9s  %9s  %s\n", name, "run", "optimizer",
           "state bytes", compare_head(k[0]), compare_head(k[1]), "step", "time", "samples/s",
           "tok/s", "run is");
    for (int slot = 0; slot < COMPARE_SLOTS; slot++)
        if (compare_slot(c, slot))
            print_row(compare_slot(c, slot), k, name);
    if (c->n < 2)
        return;
    if (step >= 0) {
        printf("\nat step %s ", str_commas(number_text, sizeof number_text, step));
        for (int slot = 0; slot < COMPARE_SLOTS; slot++) {
            const struct compare_run *r = compare_slot(c, slot);
            if (r)
                printf(
                    "  %c %s", compare_letter(slot),
                    fmt_loss(value, sizeof value, compare_score_at(r, k[0], step), GLYPHS_BRAILLE));
        }
        printf("  %s; %s", metric_descs[k[0]].name,
               compare_same_seed(c) ? "same seed" : "seeds differ");
    }
    char words[160];
    compare_least_words(c, k[0], words, sizeof words, GLYPHS_BRAILLE);
    printf("\nleast state  %s\n", words);
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct compare c = {0};
    enum metric k[2];
    if (a->json && a->csv)
        return err_set(e, TT_ECONFIG, "--json with --csv (one of them)");
    int code = load(&c, a, e);
    if (!code) {
        compare_scores(&c, k);
        int64_t step = compare_common_step(&c, k[0]);
        if (a->json)
            print_compare_json(&c, k[0], step);
        else if (a->csv)
            print_csv(&c);
        else
            print_table(&c, k, step);
    }
    compare_release(&c);
    return code;
}

const struct cmd cmd_compare = {
    .name = "compare",
    .synopsis = "RUN... [--json|--csv]",
    .summary = "optimizers side by side: state bytes, best scores, speed",
    .flags = CMD_TAKES_JSON | CMD_TAKES_CSV,
    .min_pos = 1,
    .max_pos = CMD_POSITIONAL,
    .run = run,
};
