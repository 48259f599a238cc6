/* Defects of a screen. */
#include "tests/screen_check.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "tests/screen.h"
#include "tui/glyph.h"

/* The first one that is found. */
static struct {
    int number, row;
    char what[128];
} found;

static void defect(const struct canvas *c, int y, int number, const char *what)
{
    (void)c;
    if (found.number)
        return;
    found.number = number;
    found.row = y;
    str_copy(found.what, sizeof found.what, what);
}

/* ---- single cells --------------------------------------------------------------------------- */

/* 1: nothing reaches beyond the last column; 25: no control character, no half of a wide one; 26: only
 * what the level has. */
static void check_cells(const struct canvas *c)
{
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            uint32_t ch = canvas_at(c, x, y)->ch;
            if ((ch && ch < ' ') || (ch >= 0x7f && ch < 0xa0))
                defect(c, y, 25, "a control character");
            if (!ch && (x == 0 || !canvas_at(c, x - 1, y)->ch))
                defect(c, y, 25, "half of a wide character");
            if (x == c->w - 1 && ch && utf8proc_charwidth((utf8proc_int32_t)ch) > 1)
                defect(c, y, 1, "a wide character in the last column");
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
    } known[32];
    size_t i = 0;
    while (known[i].pattern && known[i].pattern != pattern)
        i++;
    assert_true(i + 1 < sizeof known / sizeof *known);
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
        "^([0-9]{1,3}(,[0-9]{3})*|[0-9]+)(\\.[0-9]+)?(e[-+][0-9]{1,2})?[?*%+]?[,;.):]*$"
        "|^[0-9]+:[0-9]{2}:[0-9]{2}$|^[0-9,]+[-/][0-9,]+$|^[0-9]+\\.[0-9]{1,3}\\.[0-9]+,?$";
    char row[2048];
    str_copy(row, sizeof row, screen_row(c, y));
    bool is_spelled = strstr(row, " -> "); /* values as a file has them */
    char *save = NULL;
    for (char *word = strtok_r(row, " ", &save); word; word = strtok_r(NULL, " ", &save))
        if (matches("^[0-9][-0-9.,:e@/%()?]*$", word) && !matches(numbers, word) && !is_spelled)
            defect(c, y, 2, word);
}

/* Its axis has what its title names: "── values ───". */
static bool is_histogram(const struct canvas *c, int y)
{
    while (y > 1 && !matches("(──|--) (values|block scales) ", screen_row(c, y)))
        y--;
    return y > 1;
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
    if (matches("└┬|\\+\\|0", row) && !matches(" (step|s|min|h|epoch|tokens)( *$|│|\\|)", row) &&
        !is_histogram(c, y))
        defect(c, y, 17, "an x axis without its unit");
}

/* A figure with places behind its point: columns of both ends and of the point, and its unit. */
struct figure {
    int from, end, point;
    char unit[8];
};

static uint32_t char_at(const struct canvas *c, int x, int y)
{
    return x < c->w ? canvas_at(c, x, y)->ch : ' ';
}

static bool is_digit(const struct canvas *c, int x, int y)
{
    return char_at(c, x, y) >= '0' && char_at(c, x, y) <= '9';
}

/* The next one at or after column x; two blanks before it, else it is part of a sentence. */
static bool next_figure(const struct canvas *c, int x, int y, struct figure *f)
{
    for (; x < c->w; x++) {
        int end = x, point = 0;
        if (!is_digit(c, x, y) || x < 2 || canvas_at(c, x - 1, y)->ch != ' ' ||
            canvas_at(c, x - 2, y)->ch != ' ')
            continue;
        for (; is_digit(c, end, y) || char_at(c, end, y) == ',' || char_at(c, end, y) == '.'; end++)
            point = char_at(c, end, y) == '.' ? end : point;
        if (!point || char_at(c, end, y) != ' ')
            continue;
        *f = (struct figure){x, end, point, ""};
        for (int i = 0; i < 7 && char_at(c, end + 1 + i, y) > ' ' && char_at(c, end + 1 + i, y) < 0x80; i++)
            f->unit[i] = (char)char_at(c, end + 1 + i, y);
        return true;
    }
    return false;
}

/* 8: figures of one unit, one below the other, have their points in one column. */
static void check_points(const struct canvas *c, int y)
{
    struct figure a, b;
    for (int x = 0; next_figure(c, x, y, &a); x = a.end)
        for (int z = 0; next_figure(c, z, y + 1, &b); z = b.end) {
            bool same_column = b.from < a.end && a.from < b.end && !strcmp(a.unit, b.unit);
            if (same_column && a.end - a.point == b.end - b.point && a.point != b.point)
                defect(c, y, 8, "a point that is not above the next one");
        }
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

static bool is_of_number(const struct canvas *c, int x, int y)
{
    uint32_t ch = canvas_at(c, x, y)->ch;
    return ch < 0x80 && ch && (isdigit((int)ch) || (strchr(",.-", (int)ch)) ||
                               (ch == 'e' && isdigit((int)canvas_at(c, x - 1, y)->ch & 0x7f)));
}

/* 16: labels of an x axis follow their tick; 5: labels of a y axis are whole numbers. */
static void check_axes(const struct canvas *c, int y)
{
    uint32_t corner = glyph_code(c->level, GLYPH_CORNER), tick = glyph_code(c->level, GLYPH_Y_TICK);
    for (int x = 0; x < c->w; x++) {
        uint32_t ch = canvas_at(c, x, y)->ch;
        bool x_axis = ch == corner && canvas_at(c, x, y)->role == ROLE_BORDER && x + 1 < c->w &&
                      is_tick(c, x + 1, y) && canvas_at(c, x + 1, y)->role == ROLE_BORDER;
        for (int i = x + 1; x_axis && i < c->w - 1 && canvas_at(c, i, y)->role != ROLE_FOCUS; i++) {
            bool first = is_of_number(c, i, y) && !is_of_number(c, i - 1, y);
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

/* ---- boxes and rules ------------------------------------------------------------------------ */

static bool is_at(const struct canvas *c, int x, int y, enum glyph g)
{
    return canvas_at(c, x, y)->ch == glyph_code(c->level, g) && canvas_at(c, x, y)->role == ROLE_FOCUS;
}

static bool is_blank(const struct canvas *c, int x, int y)
{
    return x < 0 || x >= c->w || canvas_at(c, x, y)->ch == ' ';
}

/* 3: beside a box there is a blank, not the half of a word. The topmost box is drawn last, and whole. */
static void check_box(const struct canvas *c, int x, int y, struct rect *box)
{
    int right = x + 1, end = y + 1;
    while (right < c->w && !is_at(c, right, y, GLYPH_TOP_RIGHT))
        right++;
    while (end < c->h && !is_at(c, x, end, GLYPH_BOTTOM_LEFT))
        end++;
    for (int row = y; right < c->w && end < c->h && row <= end; row++)
        if (!is_blank(c, x - 1, row) || !is_blank(c, right + 1, row))
            defect(c, row, 3, "something touches the box");
    if (right < c->w && end < c->h)
        *box = (struct rect){x, y, right - x + 1, end - y + 1};
}

/* 4: a title stands between blanks, and a unit is whole. */
static void check_rule(const struct canvas *c, int y)
{
    uint32_t line = glyph_code(c->level, GLYPH_HLINE);
    bool is_axis = has_in_row(c, y, glyph_text(c->level, GLYPH_CORNER)); /* or what a box leaves of one */
    for (int x = 0; x < c->w - 1; x++)
        is_axis |= is_tick(c, x, y) && is_of_number(c, x + 1, y);
    for (int x = 2; c->level != GLYPHS_ASCII && !is_axis && x < c->w - 1; x++) {
        uint32_t before = canvas_at(c, x - 1, y)->ch;
        bool is_word = before > ' ' && before < 0x2500 && canvas_at(c, x - 1, y)->role != ROLE_BORDER;
        if (is_word && canvas_at(c, x, y)->ch == line && canvas_at(c, x + 1, y)->ch == line)
            defect(c, y, 4, "a title that runs into its rule");
    }
    if (matches("[0-9] [KMGT]i?( |$|│)", screen_row(c, y)))
        defect(c, y, 4, "half of a unit");
}

static double number_of(const char *text)
{
    double x = 0;
    for (; *text; text++)
        x = *text == ',' ? x : 10 * x + (*text - '0');
    return x;
}

/* 12: the share of the run is that of the status row's steps. */
static void check_share(const struct canvas *c)
{
    const char *status = strstr(screen_row(c, c->h - 2), "step ");
    double step = 0, of = 0, share;
    char a[32], b[32];
    if (!status || sscanf(status, "step %31[0-9,]/%31[0-9,]", a, b) != 2)
        return;
    step = number_of(a);
    of = number_of(b);
    for (int y = 2; y < c->h - 2; y++)
        if (sscanf(screen_row(c, y), " run %*[^0-9]%lf %%", &share) == 1 &&
            fabs(share - 100 * step / of) > 0.11)
            defect(c, y, 12, "another share than in the status row");
}

/* ---- lists and the frame -------------------------------------------------------------------- */

static bool is_selected(const struct canvas *c, struct rect r, int y)
{
    for (int x = r.x; x < r.x + r.w; x++)
        if (canvas_at(c, x, y)->select)
            return true;
    return false;
}

/* 29: one selected row in the topmost list, marked by its sign as well (23). */
static void check_selection(const struct canvas *c, struct rect top)
{
    int selected = 0;
    for (int y = top.y; y < top.y + top.h; y++) {
        if (!is_selected(c, top, y))
            continue;
        selected++;
        if (!has_in_row(c, y, ">"))
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

static void look(const struct canvas *c, bool dashboard)
{
    check_cells(c);
    if (c->w < 40 || c->h < 12)
        return;
    struct rect top = {0, 1, c->w, c->h - 3};
    for (int y = 1; y < c->h - 1; y++) {
        check_units(c, y);
        check_bar(c, y);
        check_points(c, y);
        check_axes(c, y);
        check_rule(c, y);
        for (int x = 0; x < c->w; x++)
            if (is_at(c, x, y, GLYPH_TOP_LEFT))
                check_box(c, x, y, &top);
        if (y == c->h - 2 || canvas_at(c, 1, y)->ch != 0x2500)
            check_numbers(c, y);
    }
    check_selection(c, top);
    if (!dashboard)
        return;
    check_frame(c);
    if (has_in_row(c, 0, "[2 loss]"))
        check_loss_plot(c);
    check_share(c);
}

int screen_defect(const struct canvas *c, bool dashboard)
{
    found.number = 0;
    look(c, dashboard);
    return found.number;
}

void screen_check(const struct canvas *c, bool dashboard)
{
    if (screen_defect(c, dashboard))
        fail_msg("defect %d in row %d: %s\n  %s\n  %s", found.number, found.row, found.what,
                 screen_row(c, found.row), found.row + 1 < c->h ? screen_row(c, found.row + 1) : "");
}

/* ---- two screens ---------------------------------------------------------------------------- */

static bool is_frame(const struct cell *cell)
{
    return cell->role == ROLE_BORDER &&
           (cell->ch == 0x2502 || cell->ch == 0x2524 || cell->ch == 0x251c || cell->ch == 0x2514);
}

/* A head or a name: a word of letters that is no value. */
static bool begins_word(const struct canvas *c, int x, int y)
{
    const struct cell *cell = canvas_at(c, x, y);
    return cell->role == ROLE_DIM && cell->ch < 0x80 && isalpha((int)cell->ch) &&
           (x == 0 || canvas_at(c, x - 1, y)->ch == ' ') && x + 1 < c->w &&
           isalpha((int)canvas_at(c, x + 1, y)->ch & 0x7f);
}

static void same_at(const struct canvas *a, const struct canvas *b, int x, int y)
{
    if (is_frame(canvas_at(a, x, y)) != is_frame(canvas_at(b, x, y)))
        fail_msg("defect 7 in row %d, column %d\n  %s\n  %s", y, x, screen_row(a, y), screen_row(b, y));
    if (a->w < 72) /* there lines are sentences */
        return;
    bool has_gone = canvas_at(b, x, y)->ch == ' '; /* with its figure, which has no room */
    if (begins_word(a, x, y) && !has_gone && canvas_at(a, x, y)->ch != canvas_at(b, x, y)->ch)
        fail_msg("defect 6 in row %d, column %d\n  %s\n  %s", y, x, screen_row(a, y), screen_row(b, y));
}

void screen_same_frame(const struct canvas *a, const struct canvas *b)
{
    for (int y = 0; y < a->h; y++)
        for (int x = 0; x < a->w; x++)
            same_at(a, b, x, y);
}
