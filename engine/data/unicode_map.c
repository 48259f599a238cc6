/* The table of unicode_map.h, from utf8proc's decompositions and small letters and the reference's
 * classes (unicode_ranges.c). */
#include "engine/data/unicode_map.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/data/unicode_ranges.h"

enum { REMOVED = 1, SPACE = 2, IDEOGRAPH = 4, PUNCTUATION = 8, MARK = 16, WHOLE = 32 };

#define LONGEST 8 /* code points that one becomes; 4 in today's tables */

static const uint32_t unchanged[UNICODE_PAGE]; /* words of themselves */

static void add_class(uint8_t *class, const struct code_range *r, uint8_t bit)
{
    for (; r->last; r++)
        for (uint32_t c = r->first; c <= r->last; c++)
            class[c] |= bit;
}

static uint8_t *classes(void)
{
    uint8_t *class = xcalloc(UNICODE_CODES, 1);
    add_class(class, unicode_removed, REMOVED);
    add_class(class, unicode_space, SPACE);
    add_class(class, unicode_ideograph, IDEOGRAPH);
    add_class(class, unicode_punctuation, PUNCTUATION);
    add_class(class, unicode_mark, MARK);
    add_class(class, unicode_whole, WHOLE);
    return class;
}

/* Canonical decomposition without marks. */
static int strip(const uint8_t *class, uint32_t code, utf8proc_int32_t out[LONGEST])
{
    utf8proc_int32_t all[LONGEST] = {(utf8proc_int32_t)code};
    int kept = 0, n = 1;
    if (!(class[code] & WHOLE))
        n = (int)utf8proc_decompose_char(all[0], all, LONGEST, UTF8PROC_DECOMPOSE, NULL);
    BUG_ON(n < 1 || n > LONGEST);
    for (int i = 0; i < n; i++)
        if (!(class[all[i]] & MARK))
            out[kept++] = all[i];
    return kept;
}

static utf8proc_int32_t small_letter(utf8proc_int32_t code)
{
    for (const struct case_range *r = unicode_capital; r->last; r++)
        if ((uint32_t)code >= r->first && (uint32_t)code <= r->last)
            return (utf8proc_int32_t)(r->lower + ((uint32_t)code - r->first));
    return utf8proc_tolower(code);
}

static int lower(utf8proc_int32_t *code, int n)
{
    if (n == 1 && code[0] == 0x130) { /* the one letter whose small form is two code points */
        code[0] = 'i';
        code[1] = 0x307;
        return 2;
    }
    for (int i = 0; i < n; i++)
        code[i] = small_letter(code[i]);
    return n;
}

static uint32_t keep_text(struct unicode_map *m, const utf8proc_int32_t *code, int n)
{
    size_t at = m->text_len, end = at + 2;
    m->text = xgrow(m->text, &m->text_cap, at + 2 + LONGEST * 4, 1);
    for (int i = 0; i < n; i++)
        end += utf8_encode(m->text + end, (uint32_t)code[i]);
    m->text[at] = (char)n;
    m->text[at + 1] = (char)(end - at - 2);
    m->text_len = end;
    return (uint32_t)at;
}

static uint32_t make_cell(struct unicode_map *m, const uint8_t *class, uint32_t code)
{
    const struct unicode_rules *r = &m->rules;
    utf8proc_int32_t now[LONGEST] = {(utf8proc_int32_t)code};
    int n = 1;
    if (r->clean && (class[code] & REMOVED))
        return CHAR_DROP;
    if (class[code] & SPACE)
        return CHAR_SPACE;
    if (r->strip)
        n = strip(class, code, now);
    if (r->lower)
        n = lower(now, n);
    if (n == 0)
        return CHAR_DROP;
    bool alone =
        (r->ideographs && (class[code] & IDEOGRAPH)) || (n == 1 && (class[now[0]] & PUNCTUATION));
    uint32_t kind = alone ? CHAR_ALONE : CHAR_WORD;
    bool same = n == 1 && (uint32_t)now[0] == code;
    return same ? kind : kind | keep_text(m, now, n) << 2;
}

static void make_page(struct unicode_map *m, const uint8_t *class, size_t page)
{
    uint32_t cell[UNICODE_PAGE];
    for (uint32_t i = 0; i < UNICODE_PAGE; i++)
        cell[i] = make_cell(m, class, (uint32_t)page * UNICODE_PAGE + i);
    const uint32_t *like[] = {unchanged, page ? m->page[page - 1] : unchanged};
    for (int i = 0; i < 2 && !m->page[page]; i++)
        if (!memcmp(like[i], cell, sizeof cell))
            m->page[page] = like[i];
    if (!m->page[page])
        m->page[page] = memcpy(arena_alloc(&m->pages, sizeof cell), cell, sizeof cell);
}

void unicode_map_init(struct unicode_map *m, const struct unicode_rules *rules)
{
    memset(m, 0, sizeof *m);
    m->rules = *rules;
    m->text_len = 1; /* place 0 means "itself" */
    m->text = xgrow(NULL, &m->text_cap, 4096, 1);
    arena_init(&m->pages, 256 * sizeof unchanged);
    uint8_t *class = classes();
    for (size_t page = 0; page < UNICODE_CODES / UNICODE_PAGE; page++)
        make_page(m, class, page);
    free(class);
    for (uint32_t c = 0; c < 128; c++) {
        uint32_t cell = unicode_map_cell(m, c);
        m->ascii[c].kind = cell & 3;
        m->ascii[c].byte = cell >> 2 ? (uint8_t)m->text[(cell >> 2) + 2] : (uint8_t)c;
    }
}

void unicode_map_release(struct unicode_map *m)
{
    free(m->text);
    arena_release(&m->pages);
}
