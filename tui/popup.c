/* Places and lines of popups. */
#include "tui/popup.h"

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
