/* Times of the phases of a step. */
#include "tui/phases.h"

#include <math.h>
#include <stdio.h>

static void draw_phase(struct canvas *c, int x, int y, int end, enum phase k, const struct run_status *s)
{
    char text[32];
    double seconds = s->phase_seconds[k], share = seconds / s->step_seconds;
    canvas_put(c, x, y, ROLE_DIM, phase_name(k));
    if (!(s->step_seconds > 0) || (k == PHASE_SYNC && seconds == 0)) {
        canvas_right(c, x + 18, y, ROLE_TEXT, glyph_text(c->level, GLYPH_MISSING));
        canvas_put(c, x + 20, y, ROLE_DIM, k == PHASE_SYNC ? "one process" : "");
        return;
    }
    snprintf(text, sizeof text, s->step_seconds < 0.1 ? "%.1f ms" : "%.3f s",
             s->step_seconds < 0.1 ? 1000 * seconds : seconds);
    canvas_right(c, x + 18, y, ROLE_TEXT, text);
    canvas_right(c, x + 27, y, ROLE_TEXT, fmt_percent(text, sizeof text, share));
    draw_amount(c, x + 29, y, end - x - 29, share, ROLE_SERIES1);
}

void draw_phase_lines(struct canvas *c, int x, int y, int rows, int end, const struct uimodel *m)
{
    for (int k = 0; k < PHASE_COUNT && k < rows; k++)
        draw_phase(c, x, y + k, end, (enum phase)k, &m->text);
}

/* The largest share decides. */
void make_verdict(const struct uimodel *m, struct verdict *v)
{
    const struct run_status *s = &m->text;
    char a[32], b[32];
    *v = (struct verdict){.word = ""};
    if (s->timed_steps < VERDICT_STEPS || !(s->step_seconds > 0)) {
        snprintf(v->evidence, sizeof v->evidence, "no verdict before %d steps", VERDICT_STEPS);
        return;
    }
    const double *t = s->phase_seconds;
    double data = t[PHASE_DATA] / s->step_seconds;
    double compute = (t[PHASE_FORWARD] + t[PHASE_BACKWARD]) / s->step_seconds;
    double update = (t[PHASE_CLIP] + t[PHASE_OPTIMIZER]) / s->step_seconds;
    const char *word = data >= compute && data >= update ? "data-bound"
                       : update > compute                ? "optimizer-bound"
                                                         : "compute-bound";
    snprintf(v->word, sizeof v->word, "%s", word);
    if (update > compute && update > data)
        snprintf(v->evidence, sizeof v->evidence, "clip, optimizer %s of a step",
                 fmt_percent(a, sizeof a, update));
    else
        snprintf(v->evidence, sizeof v->evidence, "forward, backward %s of a step",
                 fmt_percent(a, sizeof a, compute));
    snprintf(v->more, sizeof v->more, "data waits %s", fmt_percent(b, sizeof b, data));
}
