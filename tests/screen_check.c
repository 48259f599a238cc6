/* Defects of a screen. */
#include "tests/screen_check.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/screen.h"
#include "tui/glyph.h"

static void defect(const struct canvas *c, int y, int number, const char *what)
{
    fail_msg("defect %d in row %d: %s\n  %s", number, y, what, screen_row(c, y));
}

/* ---- single cells --------------------------------------------------------------------------- */

/* 25: no control character, no half of a wide one; 26: only what the level has. */
static void check_cells(const struct canvas *c)
{
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            uint32_t ch = canvas_at(c, x, y)->ch;
            if ((ch && ch < ' ') || (ch >= 0x7f && ch < 0xa0))
                defect(c, y, 25, "a control character");
            if (!ch && (x == 0 || !canvas_at(c, x - 1, y)->ch))
                defect(c, y, 25, "half of a wide character");
            if (ch && glyph_fit(c->level, ch) != ch)
                defect(c, y, 26, "a character that the level lacks");
        }
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Compiled once for each pattern, which is a literal. */
static bool matches(const char *pattern, const char *text)
{
    static struct {
        const char *pattern;
        regex_t re;
    } known[16];
    size_t i = 0;
    while (i < 15 && known[i].pattern && known[i].pattern != pattern)
        i++;
    if (!known[i].pattern) {
        known[i].pattern = pattern;
        if (regcomp(&known[i].re, pattern, REG_EXTENDED | REG_NOSUB))
            fail_msg("bad pattern %s", pattern);
    }
    return regexec(&known[i].re, text, 0, NULL, 0) == 0;
}

/* 2, 5: what begins like a number is one, not two run together or one cut off. */
static void check_numbers(const struct canvas *c, int y)
{
    static const char numbers[] =
        "^([0-9]{1,3}(,[0-9]{3})*|[0-9]+)(\\.[0-9]+)?(e[-+][0-9]{2})?[?*%+]?[,;.):]*$"
        "|^[0-9]+:[0-9]{2}:[0-9]{2}$|^[0-9,]+[-/][0-9,]+$|^[0-9]+\\.[0-9]{1,3}\\.[0-9]+,?$";
    char row[2048];
    str_copy(row, sizeof row, screen_row(c, y));
    char *save = NULL;
    for (char *word = strtok_r(row, " ", &save); word; word = strtok_r(NULL, " ", &save))
        if (matches("^[0-9][-0-9.,:e@/%()?]*$", word) && !matches(numbers, word))
            defect(c, y, 2, word);
}

/* 10: units of the design; 17: an x axis says what it counts. */
static void check_units(const struct canvas *c, int y)
{
    const char *row = screen_row(c, y);
    if (matches("[0-9] ?(KB|MB|GB)( |$)", row))
        defect(c, y, 10, "decimal units for bytes");
    if (matches("(accuracy|f1|acc) +[0-9.]+ %", row))
        defect(c, y, 10, "a score in percent");
    if (matches("step [0-9.,]+[kM]( |$)", row))
        defect(c, y, 10, "a step with k or M");
    if (matches("└┬|\\+\\|0", row) && !matches(" (step|s|min|h|epoch|tokens)( *$|│|\\|)", row))
        defect(c, y, 17, "an x axis without its unit");
}

/* ---- bars ----------------------------------------------------------------------------------- */

/* 13: a progress bar is full at 100.0 % alone, and not empty above 0. */
static void check_bar(const struct canvas *c, int y)
{
    uint32_t done = glyph_code(c->level, GLYPH_DONE), half = glyph_code(c->level, GLYPH_DONE_HALF);
    uint32_t rest = glyph_code(c->level, GLYPH_REST);
    const char *row = screen_row(c, y), *percent = strstr(row, " %");
    if (!percent || (strncmp(row + 1, "run ", 4) && strncmp(row + 1, "ep", 2)))
        return;
    while (percent > row && (isdigit((unsigned char)percent[-1]) || percent[-1] == '.'))
        percent--;
    double share = strtod(percent, NULL);
    int full = 0, empty = 0;
    for (int x = 5; x < c->w && canvas_at(c, x, y)->ch != 0x2502; x++) {
        uint32_t ch = canvas_at(c, x, y)->ch;
        full += ch == done || (half && ch == half);
        empty += ch == rest || (half && ch == half);
    }
    if (!empty && share < 100)
        defect(c, y, 13, "a full bar below 100 %");
    if (!full && share > 0)
        defect(c, y, 13, "an empty bar above 0 %");
}

/* ---- plots ---------------------------------------------------------------------------------- */

static bool is_tick(const struct canvas *c, int x, int y)
{
    uint32_t ch = canvas_at(c, x, y)->ch;
    return ch == glyph_code(c->level, GLYPH_X_TICK) || ch == glyph_code(c->level, GLYPH_EDIT) ||
           ch == glyph_code(c->level, GLYPH_CURSOR_FOOT);
}

static bool has_in_row(const struct canvas *c, int y, const char *text)
{
    return strstr(screen_row(c, y), text) != NULL;
}

/* 16: labels of an x axis follow their tick; 5: labels of a y axis are whole numbers. */
static void check_axes(const struct canvas *c, int y)
{
    uint32_t corner = glyph_code(c->level, GLYPH_CORNER), tick = glyph_code(c->level, GLYPH_Y_TICK);
    for (int x = 0; x < c->w; x++) {
        uint32_t ch = canvas_at(c, x, y)->ch;
        bool x_axis = ch == corner && canvas_at(c, x, y)->role == ROLE_BORDER && x + 1 < c->w &&
                      is_tick(c, x + 1, y);
        for (int i = x + 1; x_axis && i < c->w - 1; i++) {
            bool digit =
                isdigit((int)canvas_at(c, i, y)->ch & 0x7f) && canvas_at(c, i, y)->ch < 0x80;
            bool first = digit && canvas_at(c, i - 1, y)->ch != ',' &&
                         canvas_at(c, i - 1, y)->ch != '.' &&
                         !isdigit((int)canvas_at(c, i - 1, y)->ch & 0x7f);
            if (first && !is_tick(c, i - 1, y))
                defect(c, y, 16, "a label without its tick");
        }
        bool y_axis = ch == tick && c->level != GLYPHS_ASCII && x > 0 &&
                      canvas_at(c, x, y)->role == ROLE_BORDER &&
                      canvas_at(c, x - 1, y)->role != ROLE_BORDER; /* else the joint of a rule */
        if (y_axis && !isdigit((int)canvas_at(c, x - 1, y)->ch))
            defect(c, y, 5, "a tick without a whole label");
    }
}

/* 18: signs of the legend occur below; 21: arrows and crosses in a loss plot are counted in its
 * rule. */
static void check_loss_plot(const struct canvas *c)
{
    static const enum glyph counted[] = {GLYPH_ABOVE, GLYPH_BELOW, GLYPH_NONFINITE};
    const char *eval = glyph_text(c->level, GLYPH_EVAL);
    char legend[32];
    bool shown = false;
    snprintf(legend, sizeof legend, "%s eval", eval);
    for (int y = 2; y < c->h - 2; y++)
        shown = shown || has_in_row(c, y, eval);
    if (has_in_row(c, 1, legend) && !shown)
        defect(c, 1, 18, "a legend without its points");
    for (size_t i = 0; i < 3 && c->level != GLYPHS_ASCII; i++)
        if (has_in_row(c, 2, glyph_text(c->level, counted[i])) &&
            !has_in_row(c, 1, glyph_text(c->level, counted[i])))
            defect(c, 1, 21, "values out of view without a count");
}

/* ---- lists and the frame -------------------------------------------------------------------- */

/* 29: one selected row, marked by its sign as well (23). */
static void check_selection(const struct canvas *c)
{
    int selected = 0;
    for (int y = 1; y < c->h - 2; y++)
        for (int x = 0; x < c->w; x++) {
            if (!canvas_at(c, x, y)->select || (x && canvas_at(c, x - 1, y)->select))
                continue;
            selected++;
            if (canvas_at(c, x, y)->ch != '>')
                defect(c, y, 23, "a selected row without >");
        }
    if (selected > 1)
        defect(c, 0, 29, "two selected rows");
}

/* 23: the open tab has brackets, the state a word; 27: help and quit stand in the hints. */
static void check_frame(const struct canvas *c)
{
    const char *hints = screen_row(c, c->h - 1);
    if (!has_in_row(c, 0, "[") || !has_in_row(c, 0, "]"))
        defect(c, 0, 23, "no open tab");
    if (!matches("(starting|training|evaluating|saving|paused|stopping|finished|stopped|diverged|"
                 "failed)",
                 screen_row(c, c->h - 2)))
        defect(c, c->h - 2, 23, "no state");
    if (!strstr(hints, "? help") && !strstr(hints, "q quit"))
        defect(c, c->h - 1, 27, "neither help nor quit");
}

void screen_check(const struct canvas *c, bool dashboard)
{
    check_cells(c);
    if (c->w < 40 || c->h < 12)
        return;
    for (int y = 1; y < c->h - 1; y++) {
        check_units(c, y);
        check_bar(c, y);
        check_axes(c, y);
        if (y == c->h - 2 || canvas_at(c, 1, y)->ch != 0x2500)
            check_numbers(c, y);
    }
    check_selection(c);
    if (!dashboard)
        return;
    check_frame(c);
    if (has_in_row(c, 0, "[2 loss]"))
        check_loss_plot(c);
}

/* ---- two screens ---------------------------------------------------------------------------- */

static bool is_frame(const struct cell *cell)
{
    return cell->role == ROLE_BORDER &&
           (cell->ch == 0x2502 || cell->ch == 0x2524 || cell->ch == 0x251c || cell->ch == 0x2514);
}

void screen_same_frame(const struct canvas *a, const struct canvas *b)
{
    for (int y = 0; y < a->h; y++)
        for (int x = 0; x < a->w; x++)
            if (is_frame(canvas_at(a, x, y)) != is_frame(canvas_at(b, x, y)))
                fail_msg("defect 7 in row %d, column %d\n  %s\n  %s", y, x, screen_row(a, y),
                         screen_row(b, y));
}
