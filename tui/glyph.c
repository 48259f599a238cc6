/* The glyphs of screens.md 1.2 at the three levels, and what stands for characters that a level
 * lacks. */
#include "tui/glyph.h"

#include <stddef.h>
#include <stdlib.h>
#include <utf8proc.h>

static const char *const glyphs[GLYPH_COUNT][3] = {
    [GLYPH_HLINE] = {"─", "─", "-"},        [GLYPH_VLINE] = {"│", "│", "|"},
    [GLYPH_TEE_DOWN] = {"┬", "┬", "+"},     [GLYPH_TEE_UP] = {"┴", "┴", "+"},
    [GLYPH_TEE_RIGHT] = {"├", "├", "+"},    [GLYPH_TEE_LEFT] = {"┤", "┤", "+"},
    [GLYPH_CROSS] = {"┼", "┼", "+"},        [GLYPH_TOP_LEFT] = {"┌", "┌", "+"},
    [GLYPH_TOP_RIGHT] = {"┐", "┐", "+"},    [GLYPH_BOTTOM_LEFT] = {"└", "└", "+"},
    [GLYPH_BOTTOM_RIGHT] = {"┘", "┘", "+"}, [GLYPH_Y_AXIS] = {"│", "│", "|"},
    [GLYPH_Y_TICK] = {"┤", "┤", "+"},       [GLYPH_CORNER] = {"└", "└", "+"},
    [GLYPH_X_AXIS] = {"─", "─", "-"},       [GLYPH_X_TICK] = {"┬", "┬", "|"},
    [GLYPH_EVAL] = {"◆", "♦", "o"},         [GLYPH_BEST] = {"*", "*", "*"},
    [GLYPH_HERE] = {"●", "@", "@"},         [GLYPH_EDIT] = {"▲", "▲", "^"},
    [GLYPH_ABOVE] = {"↑", "↑", "^"},        [GLYPH_BELOW] = {"↓", "↓", "v"},
    [GLYPH_NONFINITE] = {"×", "x", "x"},    [GLYPH_CURSOR] = {"│", "│", "|"},
    [GLYPH_CURSOR_FOOT] = {"┼", "┼", "+"},  [GLYPH_DONE] = {"━", "■", "#"},
    [GLYPH_DONE_HALF] = {"╸", "", ""},      [GLYPH_REST] = {"─", "─", "."},
    [GLYPH_AMOUNT] = {"━", "■", "#"},       [GLYPH_AMOUNT_HALF] = {"╸", "", ""},
    [GLYPH_DOT] = {"●", "*", "*"},          [GLYPH_SELECTED] = {">", ">", ">"},
    [GLYPH_CUT] = {"…", "~", "~"},          [GLYPH_MISSING] = {"—", "-", "-"},
    [GLYPH_ZERO] = {"·", "·", "."},         [GLYPH_TIMES] = {"×", "x", "x"},
};

/* Characters outside the table that texts use: {character, block, ascii}. */
static const uint32_t others[][3] = {
    {0x2190, 0x2190, '<'},                     /* arrows */
    {0x2192, 0x2192, '>'}, {0x2013, '-', '-'}, /* en dash */
    {0x2018, '\'', '\''},  {0x2019, '\'', '\''},  {0x201c, '"', '"'},
    {0x201d, '"', '"'},    {0x2022, 0x2022, '*'}, /* bullet */
};

/* Code page 437 beyond ASCII, sorted. */
static const uint16_t cp437[] = {
    0x00a0, 0x00a1, 0x00a2, 0x00a3, 0x00a5, 0x00a7, 0x00aa, 0x00ab, 0x00ac, 0x00b0, 0x00b1, 0x00b2,
    0x00b5, 0x00b6, 0x00b7, 0x00ba, 0x00bb, 0x00bc, 0x00bd, 0x00bf, 0x00c4, 0x00c5, 0x00c6, 0x00c7,
    0x00c9, 0x00d1, 0x00d6, 0x00dc, 0x00df, 0x00e0, 0x00e1, 0x00e2, 0x00e4, 0x00e5, 0x00e6, 0x00e7,
    0x00e8, 0x00e9, 0x00ea, 0x00eb, 0x00ec, 0x00ed, 0x00ee, 0x00ef, 0x00f1, 0x00f2, 0x00f3, 0x00f4,
    0x00f6, 0x00f7, 0x00f9, 0x00fa, 0x00fb, 0x00fc, 0x00ff, 0x0192, 0x0393, 0x0398, 0x03a3, 0x03a6,
    0x03a9, 0x03b1, 0x03b4, 0x03b5, 0x03c0, 0x03c3, 0x03c4, 0x03c6, 0x2022, 0x203c, 0x207f, 0x20a7,
    0x2190, 0x2191, 0x2192, 0x2193, 0x2194, 0x2195, 0x21a8, 0x2219, 0x221a, 0x221e, 0x221f, 0x2229,
    0x2248, 0x2261, 0x2264, 0x2265, 0x2302, 0x2310, 0x2320, 0x2321, 0x2500, 0x2502, 0x250c, 0x2510,
    0x2514, 0x2518, 0x251c, 0x2524, 0x252c, 0x2534, 0x253c, 0x2550, 0x2551, 0x2552, 0x2553, 0x2554,
    0x2555, 0x2556, 0x2557, 0x2558, 0x2559, 0x255a, 0x255b, 0x255c, 0x255d, 0x255e, 0x255f, 0x2560,
    0x2561, 0x2562, 0x2563, 0x2564, 0x2565, 0x2566, 0x2567, 0x2568, 0x2569, 0x256a, 0x256b, 0x256c,
    0x2580, 0x2584, 0x2588, 0x258c, 0x2590, 0x2591, 0x2592, 0x2593, 0x25a0, 0x25ac, 0x25b2, 0x25ba,
    0x25bc, 0x25c4, 0x25cb, 0x25d8, 0x25d9, 0x263a, 0x263b, 0x263c, 0x2640, 0x2642, 0x2660, 0x2663,
    0x2665, 0x2666, 0x266a, 0x266b,
};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

const char *glyph_text(enum glyph_level level, enum glyph g)
{
    return glyphs[g][level];
}

static uint32_t first_code(const char *s)
{
    utf8proc_int32_t ch = 0;
    utf8proc_iterate((const utf8proc_uint8_t *)s, -1, &ch);
    return (uint32_t)ch;
}

uint32_t glyph_code(enum glyph_level level, enum glyph g)
{
    return *glyphs[g][level] ? first_code(glyphs[g][level]) : 0;
}

static int compare(const void *key, const void *element)
{
    uint32_t ch = *(const uint32_t *)key;
    uint16_t other = *(const uint16_t *)element;
    return (ch > other) - (ch < other);
}

static bool has(enum glyph_level level, uint32_t ch)
{
    if (ch < 0x80 || level == GLYPHS_BRAILLE)
        return true;
    return level == GLYPHS_BLOCK && bsearch(&ch, cp437, LENGTH(cp437), sizeof *cp437, compare);
}

uint32_t glyph_fit(enum glyph_level level, uint32_t ch)
{
    if (has(level, ch))
        return ch;
    for (size_t i = 0; i < LENGTH(others); i++)
        if (others[i][0] == ch)
            return others[i][level];
    for (enum glyph g = 0; g < GLYPH_COUNT; g++) {
        uint32_t form = glyph_code(level, g);
        if (form && (glyph_code(GLYPHS_BRAILLE, g) == ch || glyph_code(GLYPHS_BLOCK, g) == ch))
            return form;
    }
    return '?';
}
