/* Breaking text into rows. */
#include "tui/wrap.h"

#include <stdio.h>
#include <string.h>

#include "tui/text.h"
#include "tui/widgets.h"

size_t wrap_bytes(const char *text, int cols)
{
    const char *at = text, *blank = NULL;
    int width = 0;
    for (struct text_unit u; *at;) {
        const char *next = at;
        text_next(&next, &u);
        if (*at == ' ')
            blank = at;
        if (width + u.width > cols && at > text)
            return (size_t)((blank && blank > text ? blank : at) - text);
        width += u.width;
        at = next;
    }
    return (size_t)(at - text);
}

int draw_wrapped(struct canvas *c, struct rect r, enum role role, const char *text)
{
    int rows = 0;
    char row[1024];
    while (*text && r.w > 0) {
        size_t n = wrap_bytes(text, r.w);
        snprintf(row, sizeof row, "%.*s", (int)n, text);
        if (c && rows < r.h)
            canvas_put(c, r.x, r.y + rows, role, row);
        rows++;
        text += n;
        text += strspn(text, " ");
    }
    return rows;
}

void draw_text_box(struct canvas *c, struct rect r, const char *title, const char *text)
{
    struct rect box = {r.x + 3, r.y, r.w - 6, 0};
    struct rect inside = {box.x + 2, 0, box.w - 4, 0};
    if (inside.w < 8)
        return;
    inside.h = draw_wrapped(NULL, inside, ROLE_TEXT, text);
    inside.h = inside.h > r.h - 4 ? r.h - 4 : inside.h;
    box.h = inside.h + 2;
    box.y = r.y + (r.h - box.h) / 2;
    inside.y = box.y + 1;
    draw_box(c, box, title, NULL);
    draw_wrapped(c, inside, ROLE_TEXT, text);
}
