/* Every code point against the measured tables, by a straightforward reading of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/unicode_map.h"
#include "tests/support.h"

enum { REMOVED, SPACE, IDEOGRAPH, BLANK, PUNCTUATION, MARK, UNCASED, LOWER, SECTIONS };

static const char *const sections[SECTIONS] = {
    "[removed_by_clean_text]",
    "[mapped_to_space_by_clean_text]",
    "[cjk_spaced]",
    "[split_whitespace_of_BertPreTokenizer]",
    "[punctuation_of_BertPreTokenizer]",
    "[dropped_Mn_by_strip_accents]",
    "[uncased_map]",
    "[lowercase_map]",
};

static unsigned char *in[SECTIONS];
static char **mapped[SECTIONS]; /* of code point: UTF-8 */

static void read_ranges(int s, const char *p)
{
    for (char *end; *p != '\n'; p = end) {
        unsigned long first = strtoul(p, &end, 16), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 16);
        for (unsigned long c = first; c <= last; c++)
            in[s][c] = 1;
        while (*end == ' ')
            end++;
    }
}

static void read_mapping(int s, const char *p)
{
    char *end, text[64];
    size_t n = 0;
    unsigned long from = strtoul(p, &end, 16);
    while (*end == ' ')
        n += utf8_encode(text + n, (uint32_t)strtoul(end, &end, 16));
    mapped[s][from] = xstrndup(text, n);
}

static int read_tables(void **state)
{
    (void)state;
    int s = -1;
    for (int i = 0; i < SECTIONS; i++) {
        in[i] = xcalloc(UNICODE_CODES, 1);
        mapped[i] = xcalloc(UNICODE_CODES, sizeof *mapped[i]);
    }
    for (const char *p = test_golden("tokenizer/bert-unicode-tables.txt", NULL); *p;
         p += strcspn(p, "\n") + 1) {
        for (int i = 0; i < SECTIONS && *p == '['; i++)
            if (!strncmp(p, sections[i], strlen(sections[i])))
                s = i;
        if (strchr("[#\n", *p))
            continue;
        if (s < UNCASED)
            read_ranges(s, p);
        else
            read_mapping(s, p);
    }
    return 0;
}

static int free_tables(void **state)
{
    (void)state;
    for (int i = 0; i < SECTIONS; i++) {
        for (uint32_t c = 0; c < UNICODE_CODES; c++)
            free(mapped[i][c]);
        free(in[i]);
        free(mapped[i]);
    }
    return 0;
}

/* Hangul, which the table leaves out, falls apart by rule. */
static size_t jamo(uint32_t code, char *text)
{
    uint32_t s = code - 0xac00;
    size_t n = utf8_encode(text, 0x1100 + s / 588);
    n += utf8_encode(text + n, 0x1161 + s % 588 / 28);
    if (s % 28)
        n += utf8_encode(text + n, 0x11a7 + s % 28);
    return n;
}

/* What the code point becomes by the table of section `map` (0: itself). */
static void become(uint32_t code, int map, char text[64])
{
    size_t n = utf8_encode(text, code);
    if (map == UNCASED && in[MARK][code])
        n = 0;
    else if (map && mapped[map][code]) {
        n = strlen(mapped[map][code]);
        memcpy(text, mapped[map][code], n);
    } else if (map == UNCASED && code >= 0xac00 && code <= 0xd7a3)
        n = jamo(code, text);
    text[n] = '\0';
}

static bool is_punctuation(const char *text)
{
    uint32_t code;
    bool bad = false;
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    return *text && utf8_decode(p, end, &code, &bad) == strlen(text) && in[PUNCTUATION][code];
}

/* Words of `x CODE y` without the blanks: "xy", "x|y", "x|,|y". */
static void expected(uint32_t code, int map, char *out)
{
    char text[64];
    become(code, map, text);
    if (in[REMOVED][code])
        strcpy(out, "xy");
    else if (in[SPACE][code] || in[BLANK][code])
        strcpy(out, "x|y");
    else if (in[IDEOGRAPH][code] || is_punctuation(text))
        sprintf(out, "x|%s|y", text);
    else
        sprintf(out, "x%sy", text);
}

static void found(const struct unicode_map *m, uint32_t code, char *out)
{
    char text[8] = "x", word[4 * 16];
    size_t n = 1 + utf8_encode(text + 1, code);
    text[n++] = 'y';
    struct word_scan s = {.map = m, .p = (unsigned char *)text, .word = word, .most = 16};
    s.end = s.p + n;
    for (const char *bar = ""; word_next(&s); bar = "|")
        out += sprintf(out, "%s%.*s", bar, (int)s.len, s.word);
    assert_false(s.invalid);
}

static void check_all(const struct unicode_rules *rules, int map)
{
    struct unicode_map m;
    unicode_map_init(&m, rules);
    for (uint32_t code = 0; code < UNICODE_CODES; code++) {
        char right[128], now[128];
        if (code >= 0xd800 && code < 0xe000)
            continue;
        expected(code, map, right);
        found(&m, code, now);
        if (strcmp(now, right))
            fail_msg("U+%04X: \"%s\", not \"%s\"", (unsigned)code, now, right);
    }
    unicode_map_release(&m);
}

static void uncased(void **state)
{
    (void)state;
    check_all(
        &(struct unicode_rules){.clean = true, .ideographs = true, .lower = true, .strip = true},
        UNCASED);
}

static void cased(void **state)
{
    (void)state;
    check_all(&(struct unicode_rules){.clean = true, .ideographs = true}, 0);
}

static void lower_with_accents(void **state)
{
    (void)state;
    check_all(&(struct unicode_rules){.clean = true, .ideographs = true, .lower = true}, LOWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uncased),
        cmocka_unit_test(cased),
        cmocka_unit_test(lower_with_accents),
    };
    return cmocka_run_group_tests(tests, read_tables, free_tables);
}
