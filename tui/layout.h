/* Rectangles as a pure function of the terminal's size, the view and counts fixed while it is
 * open (screens.md 4). Tested over all sizes: inside, no overlap.
 *
 * A rectangle begins with the row of its pane's rule. A pane to the right of another begins with
 * the column of the separator, where the joint of its rule stands. h 0: not shown at this size.
 * A pane with a plot has its rule, plot_rows(...) rows, the x axis, then text lines. */
#ifndef TT_TUI_LAYOUT_H
#define TT_TUI_LAYOUT_H

#include "tui/canvas.h"

enum size_class { SIZE_TOO_SMALL, SIZE_COMPACT, SIZE_NORMAL, SIZE_WIDE, SIZE_HUGE };

/* The smaller of the classes of the columns and of the rows. */
enum size_class size_class_of(int w, int h);

/* The content rectangle between tabs and status row: x 0, y 1, h - 3 rows. */
struct rect layout_content(int w, int h);

struct layout_overview {
    enum size_class size;
    struct rect loss, progress, memory, eval; /* compact: loss; progress = the four lines */
    struct rect lr, accuracy, phases, verdict, log; /* wide and up */
};
struct layout_overview layout_overview(int w, int h);

struct layout_loss {
    struct rect plot, reading, series; /* plot: rule, rows, x axis, as everywhere below */
};
struct layout_loss layout_loss(int w, int h);

struct layout_lr {
    struct rect plot, now, edits, text;
};
struct layout_lr layout_lr(int w, int h);

struct layout_memory {
    struct rect ledger, lower, lower2;
};
struct layout_memory layout_memory(int w, int h, int states);

struct layout_eval {
    struct rect history, table, confused, plot;
};
struct layout_eval layout_eval(int w, int h, int classes);

struct layout_samples {
    struct rect pictures, networks, plot;
};
struct layout_samples layout_samples(int w, int h);

struct layout_state {
    struct rect tree, facts, values, scales, block;
};
struct layout_state layout_state(int w, int h);

struct layout_compare {
    struct rect plot, runs, text; /* text: the two lines below the table, without a rule */
};
struct layout_compare layout_compare(int w, int h, int runs);

struct layout_system {
    struct rect phases, verdict, machine, history;
};
struct layout_system layout_system(int w, int h);

struct layout_data {
    struct rect files, labels, tokens, batch;
};
struct layout_data layout_data(int w, int h, int labels);

struct layout_launcher {
    struct rect configs, runs, detail;
};
struct layout_launcher layout_launcher(int w, int h, int configs, int runs);

struct layout_form {
    struct rect choices, settings, optimizer, schedule, help;
};
struct layout_form layout_form(int w, int h);

#endif
