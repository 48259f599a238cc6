/* What BERT's normaliser and pre-tokenizer do with a code point, as one table: it is dropped, it
 * parts words, it is a word alone, or it belongs to a word, as itself or as other code points. */
#ifndef TT_DATA_UNICODE_MAP_H
#define TT_DATA_UNICODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"

struct unicode_rules {
    bool clean, ideographs, lower, strip; /* strip: decompose, drop marks */
};

enum char_kind { CHAR_WORD, CHAR_ALONE, CHAR_SPACE, CHAR_DROP };

#define UNICODE_CODES 0x110000u
#define UNICODE_PAGE 256

struct unicode_map {
    struct unicode_rules rules;
    /* Cells: kind in two bits, above it the place in `text`, 0: the code point itself. */
    const uint32_t *page[UNICODE_CODES / UNICODE_PAGE];
    struct {
        uint8_t kind, byte;
    } ascii[128];
    char *text; /* what code points become: count of code points, count of bytes, bytes */
    size_t text_len, text_cap;
    struct arena pages;
};

void unicode_map_init(struct unicode_map *m, const struct unicode_rules *rules);
void unicode_map_release(struct unicode_map *m);

static inline uint32_t unicode_map_cell(const struct unicode_map *m, uint32_t code)
{
    return m->page[code / UNICODE_PAGE][code % UNICODE_PAGE];
}

/* Words of a text, normalised, in order. */
struct word_scan {
    const struct unicode_map *map;
    const unsigned char *p, *end;
    char *word; /* room for `most` code points of 4 bytes */
    size_t most;
    size_t len, chars; /* of the word; beyond `most` code points they are counted, not kept */
    bool invalid;      /* bytes that are no UTF-8 were met; each bad sequence is U+FFFD */
};
bool word_next(struct word_scan *s);

/* Bytes of the character at `p`, or of what is none: then *code is U+FFFD and *bad is set. */
size_t utf8_decode(const unsigned char *p, const unsigned char *end, uint32_t *code, bool *bad);
size_t utf8_encode(char dst[4], uint32_t code);

#endif
