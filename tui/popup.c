/* Places and lines of popups. */
#include "tui/popup.h"

#include <string.h>

#include "tui/glyph.h"
#include "tui/layout.h"

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

struct rect popup_rect(const struct canvas *c, int w, int h)
{
    struct rect all = layout_content(c->w, c->h);
    w = smaller(w, all.w - 2);
    h = smaller(h, all.h);
    return (struct rect){(all.w - w) / 2, all.y + (all.h - h) / 2, w, h};
}

void popup_rule(struct canvas *c, struct rect box, int y)
{
    canvas_fill(c, (struct rect){box.x + 1, y, box.w - 2, 1}, ROLE_BORDER,
                glyph_code(c->level, GLYPH_HLINE));
}

void popup_select(struct canvas *c, struct rect box, int y)
{
    canvas_select(c, (struct rect){box.x + 1, y, box.w - 2, 1});
}

/* Bytes of the words at the start of `text` that fit in `cols`; at least one word. */
static size_t line_bytes(const char *text, int cols)
{
    char part[WRAP_SIZE];
    size_t fit = strcspn(text, " ");
    for (size_t next = fit; text[next];) {
        next += 1 + strcspn(text + next + 1, " ");
        str_copy(part, next + 1 < sizeof part ? next + 1 : sizeof part, text);
        if (text_width(part) > cols)
            break;
        fit = next;
    }
    return fit;
}

int text_wrap(enum glyph_level level, const char *text, int cols, char line[][WRAP_SIZE], int n)
{
    int used = 0;
    while (*text && used < n - 1) {
        size_t bytes = line_bytes(text, cols);
        str_copy(line[used++], bytes + 1 < WRAP_SIZE ? bytes + 1 : WRAP_SIZE, text);
        text += bytes;
        text += strspn(text, " ");
    }
    if (*text)
        text_cut_end(level, line[used++], WRAP_SIZE, text, cols);
    return used;
}
