/* Scores of each class, and the confusion matrix: rows are true classes, columns predicted ones. */
#ifndef TT_TUI_CLASS_TABLE_H
#define TT_TUI_CLASS_TABLE_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

struct class_table {
    struct list list;  /* of classes */
    int first_column;  /* of the matrix */
    int column;        /* of the cell that is chosen, once one is */
    bool chosen;       /* else it is the one that the class is most often taken for */
    int columns;       /* that the last drawing had room for */
};

void draw_class_table(struct canvas *c, struct rect r, const struct uimodel *m,
                      struct class_table *t);
/* Choose the cell beside; false: there is no matrix. */
bool class_table_choose(struct class_table *t, const struct uimodel *m, int by);
/* The chosen cell; false: there is no matrix. */
bool class_table_cell(const struct class_table *t, const struct uimodel *m, int *row, int *column);
/* The chosen cell in words, else the largest off the diagonal, as many as fit. */
void draw_confused(struct canvas *c, struct rect r, const struct uimodel *m,
                   const struct class_table *t);

#endif
