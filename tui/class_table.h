/* Scores of each class, and the confusion matrix: rows are true classes, columns predicted ones. */
#ifndef TT_TUI_CLASS_TABLE_H
#define TT_TUI_CLASS_TABLE_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

struct class_table {
    struct list list;  /* of classes */
    int first_column;  /* of the matrix */
    int columns;       /* that the last drawing had room for */
};

void draw_class_table(struct canvas *c, struct rect r, const struct uimodel *m,
                      struct class_table *t);
/* Scroll the matrix; false: all columns are in view. */
bool class_table_scroll(struct class_table *t, const struct uimodel *m, int by);
bool class_table_scrolls(const struct class_table *t, const struct uimodel *m);
/* The largest cells off the diagonal in words, as many as fit. */
void draw_confused(struct canvas *c, struct rect r, const struct uimodel *m);

#endif
