/* Times of the phases of a step. */
#include "tui/phases.h"

#include <math.h>
#include <stdio.h>

/* Times in the last digit of the step's unit, shares in tenths of a percent. */
struct figures {
    int64_t time[PHASE_COUNT], share[PHASE_COUNT];
    const struct time_unit *unit;
};

/* `other` is what the rounded parts leave of the rounded whole. */
static struct figures round_phases(const struct run_status *s)
{
    struct figures f = {.unit = time_unit_of(s->step_seconds)};
    double digits = f.unit->per_second * pow(10, f.unit->decimals);
    int64_t time = llround(s->step_seconds * digits), share = 1000;
    for (int k = 0; k < PHASE_OTHER; k++) {
        f.time[k] = llround(s->phase_seconds[k] * digits);
        f.share[k] = llround(s->phase_seconds[k] / s->step_seconds * 1000);
        time -= f.time[k];
        share -= f.share[k];
    }
    f.time[PHASE_OTHER] = time > 0 ? time : 0;
    f.share[PHASE_OTHER] = share > 0 ? share : 0;
    return f;
}

static void draw_phase(struct canvas *c, int x, int y, int end, enum phase k,
                       const struct run_status *s, const struct figures *f)
{
    char text[32];
    double digits = pow(10, f->unit->decimals);
    bool below = f->time[k] == 0 && s->phase_seconds[k] > 0; /* the last digit */
    snprintf(text, sizeof text, "%s%.*f %s", below ? "<" : "", f->unit->decimals,
             (double)(below ? 1 : f->time[k]) / digits, time_unit_name(f->unit, c->level));
    canvas_right(c, x + 18, y, ROLE_TEXT, text);
    snprintf(text, sizeof text, "%.1f %%", (double)f->share[k] / 10);
    canvas_right(c, x + 27, y, ROLE_TEXT, text);
    draw_amount(c, x + 29, y, end - x - 29, s->phase_seconds[k] / s->step_seconds, ROLE_SERIES1);
}

void draw_phase_lines(struct canvas *c, int x, int y, int rows, int end, const struct run_status *s)
{
    bool known = s->step_seconds > 0;
    struct figures f = {0};
    if (known)
        f = round_phases(s);
    for (int k = 0; k < PHASE_COUNT && k < rows; k++) {
        bool alone = k == PHASE_SYNC && s->phase_seconds[k] == 0;
        canvas_put(c, x, y + k, ROLE_DIM, phase_name((enum phase)k));
        if (known && !alone)
            draw_phase(c, x, y + k, end, (enum phase)k, s, &f);
        else
            canvas_right(c, x + 18, y + k, ROLE_TEXT, glyph_text(c->level, GLYPH_MISSING));
        if (alone)
            canvas_put(c, x + 20, y + k, ROLE_DIM, "one process");
    }
}

/* The largest share decides. */
void make_verdict(const struct run_status *s, struct verdict *v)
{
    const double *t = s->phase_seconds;
    char share[32];
    *v = (struct verdict){.word = ""};
    if (s->timed_steps < VERDICT_STEPS || !(s->step_seconds > 0)) {
        snprintf(v->evidence, sizeof v->evidence, "no verdict before %d steps", VERDICT_STEPS);
        return;
    }
    v->data = t[PHASE_DATA] / s->step_seconds;
    v->compute = (t[PHASE_FORWARD] + t[PHASE_BACKWARD]) / s->step_seconds;
    v->update = (t[PHASE_CLIP] + t[PHASE_OPTIMIZER]) / s->step_seconds;
    bool data = v->data >= v->compute && v->data >= v->update, update = v->update > v->compute;
    str_copy(v->word, sizeof v->word, data     ? "data-bound"
                                      : update ? "optimizer-bound"
                                               : "compute-bound");
    fmt_percent(share, sizeof share, data ? v->data : update ? v->update : v->compute);
    snprintf(v->evidence, sizeof v->evidence, "%s %s of a step",
             data ? "waiting for data" : update ? "clip, optimizer" : "forward, backward", share);
}
