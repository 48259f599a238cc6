/* Constant tables of unicode_map.c: inclusive ranges of code points, ended by {0, 0}. */
#ifndef TT_DATA_UNICODE_RANGES_H
#define TT_DATA_UNICODE_RANGES_H

#include <stdint.h>

struct code_range {
    uint32_t first, last;
};
struct case_range {
    uint32_t first, last, lower; /* lower: small letter of `first`; the others follow in order */
};

extern const struct code_range unicode_removed[], unicode_space[], unicode_ideograph[],
    unicode_punctuation[], unicode_mark[], unicode_whole[];
extern const struct case_range unicode_capital[];

#endif
