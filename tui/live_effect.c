/* What the next step would make of a new value: one row per live option. */
#include "tui/live_effect.h"

#include <stdio.h>
#include <string.h>

static void effect_plain(const struct uimodel *m, const char *now, const char *next, char *dst,
                         size_t size)
{
    char step[32];
    snprintf(dst, size, "step %s on: %s -> %s", str_commas(step, sizeof step, m->st.step + 1), now,
             next);
}

static void effect_scale(const struct uimodel *m, const char *now, const char *next, char *dst,
                         size_t size)
{
    char step[32];
    double scale;
    if (!m->have_sched || !str_to_f64(next, &scale)) {
        effect_plain(m, now, next, dst, size);
        return;
    }
    struct sched other = m->sched;
    other.scale = scale;
    snprintf(dst, size, "step %s on: lr %.2e -> %.2e", str_commas(step, sizeof step, m->st.step + 1),
             sched_lr_at(&m->sched, m->st.step), sched_lr_at(&other, m->st.step));
}

static void effect_length(const struct uimodel *m, const char *now, const char *next, char *dst,
                          size_t size)
{
    (void)m;
    snprintf(dst, size, "ends at step %s, not %s; the schedule follows", next, now);
}

/* In the order of the dialog; live options that are not named here follow. */
static const struct {
    const char *key;
    void (*effect)(const struct uimodel *, const char *now, const char *next, char *dst, size_t size);
} effects[] = {
    {"schedule.scale", effect_scale},  {"train.max_grad_norm", effect_plain},
    {"train.max_steps", effect_length}, {"eval.every", effect_plain},
    {"log.every", effect_plain},       {"checkpoint.every", effect_plain},
};
#define EFFECTS (sizeof effects / sizeof effects[0])

size_t live_effect_order(const char *key)
{
    size_t i = 0;
    while (i < EFFECTS && strcmp(effects[i].key, key))
        i++;
    return i;
}

void live_effect_describe(const struct uimodel *m, const char *key, const char *now, const char *next,
                          char *dst, size_t size)
{
    size_t i = live_effect_order(key);
    (i < EFFECTS ? effects[i].effect : effect_plain)(m, now, next, dst, size);
}
