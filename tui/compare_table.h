/* The table of runs and the lines below it. */
#ifndef TT_TUI_COMPARE_TABLE_H
#define TT_TUI_COMPARE_TABLE_H

#include "tui/compare_data.h"
#include "tui/plot.h"
#include "tui/widgets.h"

/* Role and pattern of a slot's curve, and its letter. */
enum role compare_role(int slot);
enum plot_pattern compare_pattern(int slot);
char compare_letter(int slot);

/* cursor: the list has a selected row. */
void draw_compare_table(struct canvas *c, struct rect r, const struct compare *cmp, struct list *l,
                        bool cursor);
/* The same step, and what the least state costs. */
void draw_compare_text(struct canvas *c, struct rect r, const struct compare *cmp);
/* "B 0.7 MiB, best accuracy 0.0046 below A" */
char *compare_least_words(const struct compare *cmp, enum metric k, char *dst, size_t size,
                          enum glyph_level level);
/* "acc", "f1", "pearson". */
const char *compare_head(enum metric k);

#endif
