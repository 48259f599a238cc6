/* How often each class occurs in a set, and how its answers lie where they are numbers. */
#ifndef TT_TUI_LABEL_COUNTS_H
#define TT_TUI_LABEL_COUNTS_H

#include "engine/train/run_config.h"

struct label_counts { /* starts as {0} */
    int64_t *count;   /* [n] rows of each class */
    int n;
    double min, max, mean; /* of numbers */
};

/* Of a set without features; `n` classes. */
void label_counts_make(struct label_counts *k, const struct dataset *ds, int n);
void label_counts_release(struct label_counts *k);
/* The answer of a row in words: its class, several by commas, a number; the missing mark. */
char *label_words(const struct dataset *ds, const struct strlist *names, int64_t row,
                  const char *missing, char *dst, size_t size);

#endif
