/* Tensors of a run under the modules they belong to: "distilbert.transformer.layer.4" heads
 * "attention.q_lin.weight". Headings are not selected; the one above the first row in sight stays.
 * */
#ifndef TT_TUI_TENSOR_TREE_H
#define TT_TUI_TENSOR_TREE_H

#include "tui/keys.h"
#include "tui/uimodel.h"
#include "tui/widgets.h"

struct tensor_tree {      /* zeroed at first */
    struct strlist names; /* in declared order */
    int *shown;           /* numbers of those that the filter lets through */
    struct list list;     /* over `shown` */
    bool known;
};

/* Names of the run's tensors, once: from the plan, else from its newest checkpoint. */
void tensor_tree_fill(struct tensor_tree *t, const struct uimodel *m);
void tensor_tree_release(struct tensor_tree *t);
/* "" where there is none. */
const char *tensor_tree_selected(const struct tensor_tree *t);
void tensor_tree_show(struct tensor_tree *t, const char *name);
bool tensor_tree_action(struct tensor_tree *t, enum action a);
bool tensor_tree_key(struct tensor_tree *t, const struct key_event *k);
/* With its rule. */
void draw_tensor_tree(struct canvas *c, struct rect r, struct tensor_tree *t);

#endif
