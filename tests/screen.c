/* Loading pictures and comparing cells. */
#include "tests/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

static const char *picture_text(const char *name)
{
    char *rel = xasprintf("tests/screens/%s.txt", name);
    const char *text = test_read_file(test_path(rel), NULL);
    free(rel);
    return text;
}

static void set_roles(struct canvas *c)
{
    for (int i = 0; i < c->w * c->h; i++) {
        uint32_t ch = c->cell[i].ch;
        if (ch >= 0x2500 && ch < 0x25a0)
            c->cell[i].role = ROLE_BORDER;
        else if (ch >= 0x2800 && ch < 0x2900)
            c->cell[i].role = ROLE_RAW;
    }
}

void screen_load(struct canvas *picture, const char *name)
{
    int w = 0, h = 0, y = 0;
    for (const char *part = strchr(name, '-'); part && sscanf(part, "-%dx%d-", &w, &h) != 2;)
        part = strchr(part + 1, '-');
    canvas_init(picture, w, h, GLYPHS_BRAILLE);
    const char *text = picture_text(name);
    for (const char *end; (end = strchr(text, '\n')); text = end + 1, y++) {
        char *row = xstrndup(text, (size_t)(end - text));
        assert_int_equal(canvas_put(picture, 0, y, ROLE_TEXT, row), w);
        free(row);
    }
    assert_int_equal(y, h);
    set_roles(picture);
}

const char *screen_row(const struct canvas *c, int y)
{
    static struct strbuf rows[8];
    static size_t next;
    struct strbuf *row = &rows[next++ % 8];
    struct canvas one = *c;
    one.cell = c->cell + (size_t)y * (size_t)c->w;
    one.h = 1;
    strbuf_clear(row);
    canvas_text(&one, row);
    row->s[row->len - 1] = '\0';
    return row->s;
}

void screen_compare(const struct canvas *c, const struct canvas *picture, struct rect r,
                    const char *file, int line)
{
    for (int y = r.y; y < r.y + r.h; y++) {
        for (int x = r.x; x < r.x + r.w; x++) {
            if (canvas_at(c, x, y)->ch == canvas_at(picture, x, y)->ch)
                continue;
            print_error("row %d, column %d\n  is    %s\n  right %s\n", y, x, screen_row(c, y),
                        screen_row(picture, y));
            _fail(file, line);
        }
    }
}

static void write_picture(const struct canvas *c, const char *full)
{
    struct strbuf text = STRBUF_INIT;
    struct err e = ERR_INIT;
    char *rel = xasprintf("tests/screens/%s.txt", full);
    canvas_text(c, &text);
    assert_int_equal(file_write_all(test_path(rel), text.s, text.len, &e), 0);
    strbuf_release(&text);
    free(rel);
}

void screen_golden(const struct canvas *c, const char *name)
{
    static const char *const levels[] = {"braille", "block", "ascii"};
    char *full = xasprintf("%s-%dx%d-%s", name, c->w, c->h, levels[c->level]);
    if (getenv("UPDATE_SCREENS")) {
        write_picture(c, full);
    } else {
        struct canvas picture;
        screen_load(&picture, full);
        assert_screen(c, &picture, ((struct rect){0, 0, c->w, c->h}));
        canvas_release(&picture);
    }
    free(full);
}
