/* Words about a bad end. */
#include "tui/end_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool ended_badly(const struct uimodel *m)
{
    return m->text.state == RUN_DIVERGED || m->text.state == RUN_FAILED;
}

static const char *nonfinite_word(double v)
{
    return isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
}

char *end_cause(const struct uimodel *m, char *dst, size_t size)
{
    const struct run_status *s = &m->text;
    char from[32], to[32], limit[32];
    if (s->state != RUN_DIVERGED || s->bad_to <= 0) {
        str_copy(dst, size, s->error);
        return dst;
    }
    bool norm = isfinite(s->loss);
    str_commas(from, sizeof from, s->bad_from);
    str_commas(to, sizeof to, s->bad_to);
    str_commas(limit, sizeof limit, s->bad_to - s->bad_from + 1);
    snprintf(dst, size, "%s %s at %s %s%s%s: train.max_nonfinite %s reached",
             norm ? "gradient norm" : "loss", nonfinite_word(norm ? s->grad_norm : s->loss),
             s->bad_to > s->bad_from ? "steps" : "step", from,
             s->bad_to > s->bad_from ? " to " : "", s->bad_to > s->bad_from ? to : "", limit);
    return dst;
}

char *end_safe(const struct uimodel *m, char *dst, size_t size)
{
    const struct run_status *s = &m->text;
    char step[32];
    int n = 0;
    dst[0] = '\0';
    if (s->state == RUN_DIVERGED && s->bad_from > 0)
        n = snprintf(dst, size, "weights are as after step %s; ",
                     str_commas(step, sizeof step, s->bad_from - 1));
    if (s->saved_step > 0)
        snprintf(dst + n, size - (size_t)n, "nothing saved since step %s",
                 str_commas(step, sizeof step, s->saved_step));
    else
        snprintf(dst + n, size - (size_t)n, "nothing was saved");
    return dst;
}

void draw_end_words(struct canvas *c, struct rect r, const struct uimodel *m)
{
    char text[640], shown[640];
    canvas_put(c, r.x + 1, r.y, ROLE_BAD, run_state_name(m->text.state));
    end_cause(m, text, sizeof text);
    canvas_put(c, r.x + 11, r.y, ROLE_TEXT,
               text_cut_end(c->level, shown, sizeof shown, text, r.w - 12));
    end_safe(m, text, sizeof text);
    if (r.h > 1)
        canvas_put(c, r.x + 11, r.y + 1, ROLE_TEXT,
                   text_cut_end(c->level, shown, sizeof shown, text, r.w - 12));
}
