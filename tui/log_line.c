/* Drawing a line of the log. */
#include "tui/log_line.h"

#include <string.h>
#include <time.h>

enum role log_role(enum log_kind k)
{
    static const enum role roles[LOG_KINDS] = {
        [LOG_INFO] = ROLE_DIM,   [LOG_EVAL] = ROLE_SERIES2, [LOG_SAVE] = ROLE_OK,
        [LOG_EDIT] = ROLE_FOCUS, [LOG_WARN] = ROLE_WARN,    [LOG_ERROR] = ROLE_BAD,
        [LOG_OUT] = ROLE_DIM,
    };
    return roles[k];
}

/* Columns of a step: as wide as the last one, and never narrower than usual. */
static int step_width(const struct uimodel *m)
{
    enum { USUAL = 7 };
    char text[32];
    int n = (int)strlen(str_commas(text, sizeof text, m->text.max_steps));
    return n > USUAL ? n : USUAL;
}

void draw_log_line(struct canvas *c, int x, int y, int w, const struct uimodel *m,
                   const struct log_line *l)
{
    char text[LOG_TEXT * 4], step[32];
    time_t at = (time_t)l->time;
    struct tm tm;
    int step_end = x + 10 + step_width(m), text_x = step_end + 7;
    if (localtime_r(&at, &tm) && strftime(text, sizeof text, "%H:%M:%S", &tm))
        canvas_put(c, x + 1, y, ROLE_DIM, text);
    str_copy(step, sizeof step, glyph_text(c->level, GLYPH_MISSING));
    if (l->step >= 0)
        str_commas(step, sizeof step, l->step);
    canvas_right(c, step_end, y, ROLE_TEXT, step);
    canvas_put(c, step_end + 1, y, log_role(l->kind), log_kind_name(l->kind));
    text_cut_end(c->level, text, sizeof text, l->text, x + w - text_x);
    canvas_put(c, text_x, y, ROLE_TEXT, text);
}
