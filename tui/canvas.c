/* The grid of cells: drawing inside the clip, wide characters kept whole, the grid as text. */
#include "tui/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "engine/base/mem.h"
#include "tui/glyph.h"
#include "tui/text.h"

static const struct cell blank = {.ch = ' ', .role = ROLE_TEXT};

void canvas_init(struct canvas *c, int w, int h, enum glyph_level level)
{
    *c = (struct canvas){.level = level};
    canvas_resize(c, w, h);
}

void canvas_resize(struct canvas *c, int w, int h)
{
    c->w = w > 0 ? w : 0;
    c->h = h > 0 ? h : 0;
    c->cell = xreallocarray(c->cell, (size_t)c->w * (size_t)c->h + 1, sizeof *c->cell);
    canvas_clear(c);
}

void canvas_release(struct canvas *c)
{
    free(c->cell);
    *c = (struct canvas){0};
}

void canvas_clear(struct canvas *c)
{
    for (int i = 0; i < c->w * c->h; i++)
        c->cell[i] = blank;
    c->clip = (struct rect){0, 0, c->w, c->h};
    c->cursor_x = c->cursor_y = -1;
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

static struct rect intersect(struct rect a, struct rect b)
{
    struct rect r = {max(a.x, b.x), max(a.y, b.y), 0, 0};
    r.w = max(min(a.x + a.w, b.x + b.w) - r.x, 0);
    r.h = max(min(a.y + a.h, b.y + b.h) - r.y, 0);
    return r;
}

void canvas_clip(struct canvas *c, struct rect r)
{
    c->clip = intersect((struct rect){0, 0, c->w, c->h}, r);
}

static bool inside(const struct canvas *c, int x, int y)
{
    return x >= c->clip.x && x < c->clip.x + c->clip.w && y >= c->clip.y &&
           y < c->clip.y + c->clip.h;
}

static struct cell *at(const struct canvas *c, int x, int y)
{
    return &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
}

const struct cell *canvas_at(const struct canvas *c, int x, int y)
{
    return x < 0 || y < 0 || x >= c->w || y >= c->h ? &blank : at(c, x, y);
}

/* A cell about to be overwritten takes the other half of its wide character with it. */
static void split_wide(struct canvas *c, int x, int y)
{
    if (!at(c, x, y)->ch && x > 0)
        at(c, x - 1, y)->ch = ' ';
    if (x + 1 < c->w && !at(c, x + 1, y)->ch)
        at(c, x + 1, y)->ch = ' ';
}

static void set(struct canvas *c, int x, int y, enum role role, uint32_t ch)
{
    if (!inside(c, x, y))
        return;
    split_wide(c, x, y);
    *at(c, x, y) = (struct cell){.ch = ch, .role = (uint8_t)role};
}

static void set_wide(struct canvas *c, int x, int y, enum role role, uint32_t ch)
{
    bool left = inside(c, x, y), right = inside(c, x + 1, y);
    bool shown = c->level == GLYPHS_BRAILLE && left && right;
    uint32_t other = c->level == GLYPHS_BRAILLE ? ' ' : '?';
    set(c, x, y, role, other);
    set(c, x + 1, y, role, other);
    if (shown) {
        at(c, x, y)->ch = ch;
        at(c, x + 1, y)->ch = 0;
    }
}

static void add_mark(struct canvas *c, int x, int y, uint32_t mark)
{
    if (c->level != GLYPHS_BRAILLE || !inside(c, x, y))
        return;
    if (!at(c, x, y)->ch && x > 0)
        x--;
    if (!at(c, x, y)->mark)
        at(c, x, y)->mark = mark;
}

void canvas_code(struct canvas *c, int x, int y, enum role role, uint32_t ch)
{
    set(c, x, y, role, glyph_fit(c->level, ch));
}

int canvas_put(struct canvas *c, int x, int y, enum role role, const char *text)
{
    int start = x;
    for (struct text_unit u; text_next(&text, &u); x += u.width) {
        if (!u.ch)
            for (int i = 0; u.shown[i]; i++)
                set(c, x + i, y, role, (unsigned char)u.shown[i]);
        else if (u.width == 2)
            set_wide(c, x, y, role, u.ch);
        else if (u.width == 1)
            canvas_code(c, x, y, role, u.ch);
        else if (u.combining && x > start)
            add_mark(c, x - 1, y, u.ch);
    }
    return x - start;
}

int canvas_printf(struct canvas *c, int x, int y, enum role role, const char *fmt, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return canvas_put(c, x, y, role, text);
}

int canvas_right(struct canvas *c, int x_end, int y, enum role role, const char *text)
{
    return canvas_put(c, x_end - text_width(text), y, role, text);
}

int canvas_glyph(struct canvas *c, int x, int y, enum role role, enum glyph g)
{
    uint32_t ch = glyph_code(c->level, g);
    if (ch)
        set(c, x, y, role, ch);
    return ch ? 1 : 0;
}

void canvas_fill(struct canvas *c, struct rect r, enum role role, uint32_t ch)
{
    r = intersect(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            canvas_code(c, x, y, role, ch);
}

void canvas_select(struct canvas *c, struct rect r)
{
    r = intersect(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            at(c, x, y)->select = true;
}

static void add_code(struct strbuf *out, uint32_t ch)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t n = utf8proc_encode_char((utf8proc_int32_t)ch, bytes);
    strbuf_add(out, (const char *)bytes, (size_t)n);
}

void canvas_text(const struct canvas *c, struct strbuf *out)
{
    for (int y = 0; y < c->h; y++) {
        for (int x = 0; x < c->w; x++) {
            const struct cell *cell = at(c, x, y);
            if (cell->ch)
                add_code(out, cell->ch);
            if (cell->mark)
                add_code(out, cell->mark);
        }
        strbuf_adds(out, "\n");
    }
}

void canvas_roles(const struct canvas *c, struct strbuf *out)
{
    static const char letters[ROLE_COUNT + 1] = ".dt-fowbr123456scSWBk";
    for (int y = 0; y < c->h; y++) {
        for (int x = 0; x < c->w; x++) {
            const struct cell *cell = at(c, x, y);
            strbuf_add(out, cell->select ? "#" : &letters[cell->role], 1);
        }
        strbuf_adds(out, "\n");
    }
}
