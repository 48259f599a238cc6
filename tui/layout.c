/* Rectangles of the views: each layout takes its panes off the content rectangle, so that they
 * lie inside and apart at any size. */
#include "tui/layout.h"

#include "tui/plot.h"

static int min(int a, int b)
{
    return a < b ? a : b;
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

static int class_of(int v, int compact, int normal, int wide, int huge)
{
    return (v >= compact) + (v >= normal) + (v >= wide) + (v >= huge);
}

enum size_class size_class_of(int w, int h)
{
    return (enum size_class)min(class_of(w, 40, 72, 110, 170), class_of(h, 12, 20, 34, 46));
}

struct rect layout_content(int w, int h)
{
    return (struct rect){0, 1, max(w, 0), max(h - 3, 0)};
}

static struct rect take_top(struct rect *rest, int h)
{
    struct rect r = *rest;
    r.h = max(min(h, rest->h), 0);
    rest->y += r.h;
    rest->h -= r.h;
    return r;
}

static struct rect take_bottom(struct rect *rest, int h)
{
    struct rect r = *rest;
    r.h = max(min(h, rest->h), 0);
    rest->h -= r.h;
    r.y += rest->h;
    return r;
}

static struct rect take_left(struct rect *rest, int w)
{
    struct rect r = *rest;
    r.w = max(min(w, rest->w), 0);
    rest->x += r.w;
    rest->w -= r.w;
    return r;
}

/* Rule, plot and x axis where n rows are there for the plot. */
static int pane_of_plot(int n)
{
    return plot_rows(n) + 2;
}

/* The lower half of the normal overview: progress beside memory over eval. */
static void overview_halves(struct layout_overview *l, struct rect rest)
{
    l->progress = take_left(&rest, rest.w / 2);
    l->eval = take_bottom(&rest, 4);
    l->memory = rest;
}

/* loss | lr over accuracy, then thirds: progress | memory over eval | phases over verdict, then
 * the log. */
static void overview_wide(struct layout_overview *l, struct rect rest)
{
    int w = rest.w, log_lines = l->size == SIZE_HUGE ? 8 : 4;
    struct rect upper = take_top(&rest, pane_of_plot(rest.h - 2 - 12 - (log_lines + 1)));
    l->loss = take_left(&upper, l->size == SIZE_HUGE ? 3 * w / 5 : 5 * w / 8);
    l->lr = take_top(&upper, pane_of_plot((upper.h - 5) / 2) + 1);
    l->accuracy = upper;
    struct rect middle = take_top(&rest, 12);
    l->progress = take_left(&middle, w / 3);
    struct rect centre = take_left(&middle, 2 * w / 3 - w / 3);
    l->memory = take_top(&centre, 8);
    l->eval = centre;
    l->phases = take_top(&middle, 8);
    l->verdict = middle;
    l->log = rest;
}

struct layout_overview layout_overview(int w, int h)
{
    struct layout_overview l = {.size = size_class_of(w, h)};
    struct rect rest = layout_content(w, h);
    if (l.size >= SIZE_WIDE) {
        overview_wide(&l, rest);
    } else if (l.size == SIZE_NORMAL) {
        l.loss = take_top(&rest, pane_of_plot(h - 15));
        overview_halves(&l, rest);
    } else {
        l.loss = take_top(&rest, pane_of_plot(h - 9));
        l.progress = rest;
    }
    return l;
}

struct layout_loss layout_loss(int w, int h)
{
    struct layout_loss l = {0};
    struct rect rest = layout_content(w, h);
    if (size_class_of(w, h) <= SIZE_COMPACT) {
        l.plot = take_top(&rest, pane_of_plot(h - 6));
        l.reading = rest;
    } else if (h < 30) {
        l.plot = take_top(&rest, pane_of_plot(h - 7));
        l.reading = rest;
    } else {
        l.plot = take_top(&rest, 8 * ((h - 12) / 8) + 1 + 2);
        l.reading = take_top(&rest, 2);
        l.series = rest;
    }
    return l;
}

struct layout_lr layout_lr(int w, int h)
{
    struct layout_lr l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    l.plot = take_top(&rest, pane_of_plot(size <= SIZE_COMPACT ? h - 6 : h - 11));
    l.now = take_top(&rest, size <= SIZE_COMPACT ? rest.h : 1);
    if (size >= SIZE_WIDE)
        l.edits = take_left(&rest, w / 2);
    else
        l.edits = take_top(&rest, rest.h - 2);
    l.text = rest;
    return l;
}

struct layout_memory layout_memory(int w, int h, int states)
{
    struct layout_memory l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    if (size <= SIZE_COMPACT) {
        l.ledger = rest;
        return l;
    }
    l.ledger = take_top(&rest, min(states + 8, rest.h - 4));
    if (size >= SIZE_WIDE) {
        l.lower = take_left(&rest, 7 * w / 12);
        l.lower2 = rest;
    } else {
        l.lower = rest;
    }
    return l;
}

struct layout_eval layout_eval(int w, int h, int classes)
{
    struct layout_eval l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    if (size <= SIZE_COMPACT) {
        l.history = take_top(&rest, 4);
        l.table = rest;
        return l;
    }
    l.history = take_top(&rest, size >= SIZE_WIDE ? pane_of_plot(9) : 7);
    if (size >= SIZE_WIDE) {
        struct rect row = l.history;
        l.history = take_left(&row, w / 2);
        l.plot = row;
    }
    l.table = take_top(&rest, min(classes + 2, rest.h - 1));
    l.confused = take_top(&rest, 1);
    return l;
}

struct layout_samples layout_samples(int w, int h)
{
    struct layout_samples l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    if (size >= SIZE_NORMAL)
        l.networks = take_bottom(&rest, 3);
    l.pictures = take_left(&rest, size >= SIZE_WIDE ? 2 * w / 3 : w);
    if (size >= SIZE_WIDE)
        l.plot = rest;
    return l;
}

struct layout_state layout_state(int w, int h)
{
    struct layout_state l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    const int values = 6 + 2, scales = 2 + 2; /* rule, bars, x axis */
    if (size >= SIZE_NORMAL)
        l.tree = take_left(&rest, size >= SIZE_WIDE ? 45 : 31);
    l.facts = take_top(&rest, 5);
    if (size >= SIZE_NORMAL)
        l.block = take_bottom(&rest, 4);
    int spare = rest.h - values - scales;
    if (size >= SIZE_NORMAL && spare >= 0)
        l.scales = take_bottom(&rest, scales + spare / 2);
    l.values = rest;
    return l;
}

struct layout_compare layout_compare(int w, int h, int runs)
{
    struct layout_compare l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    runs = min(max(runs, 1), 6);
    if (size == SIZE_NORMAL)
        l.plot = take_top(&rest, pane_of_plot(h - 3 - runs - 5));
    else if (size >= SIZE_WIDE)
        l.plot = take_left(&rest, w / 2);
    l.runs = take_top(&rest, size <= SIZE_COMPACT ? rest.h : runs + 1);
    l.text = rest;
    return l;
}

struct layout_system layout_system(int w, int h)
{
    struct layout_system l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    if (size <= SIZE_COMPACT) {
        l.verdict = take_bottom(&rest, 3);
        l.phases = rest;
        return l;
    }
    struct rect upper = take_top(&rest, 9 + 3);
    struct rect left = size >= SIZE_WIDE ? take_left(&upper, w / 2) : upper;
    l.phases = take_top(&left, 9);
    l.verdict = left;
    if (size >= SIZE_WIDE) {
        l.machine = upper;
        l.history = rest;
    } else {
        l.machine = rest;
    }
    return l;
}

struct layout_data layout_data(int w, int h, int labels)
{
    struct layout_data l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    const int tokens = 4 + 2; /* rule, bars, x axis */
    int label_rows = min(max(labels, 1), 4) + 1;
    l.files = take_top(&rest, 3);
    if (size <= SIZE_COMPACT) {
        l.labels = rest;
    } else if (size >= SIZE_WIDE) {
        l.tokens = take_top(&rest, tokens + 4);
        l.labels = take_left(&l.tokens, w / 2);
        l.batch = rest;
    } else {
        l.labels = take_top(&rest, label_rows);
        if (rest.h >= tokens + 4)
            l.tokens = take_top(&rest, tokens);
        l.batch = rest;
    }
    return l;
}

struct layout_launcher layout_launcher(int w, int h, int configs, int runs)
{
    struct layout_launcher l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    if (size <= SIZE_COMPACT) {
        l.configs = rest;
        return l;
    }
    if (size >= SIZE_WIDE) {
        struct rect lists = take_left(&rest, 5 * w / 8);
        l.detail = rest;
        rest = lists;
    } else {
        l.detail = take_bottom(&rest, 4);
    }
    int least = max(rest.h / 2, rest.h - (max(runs, 3) + 1));
    l.configs = take_top(&rest, min(max(configs, 3) + 1, least));
    l.runs = rest;
    return l;
}

struct layout_form layout_form(int w, int h)
{
    struct layout_form l = {0};
    struct rect rest = layout_content(w, h);
    enum size_class size = size_class_of(w, h);
    l.help = take_bottom(&rest, size <= SIZE_COMPACT ? 1 : 3);
    if (size >= SIZE_WIDE)
        l.choices = take_left(&rest, 36);
    l.settings = take_left(&rest, size >= SIZE_WIDE ? 44 : size == SIZE_NORMAL ? 42 : w);
    if (size >= SIZE_WIDE)
        l.optimizer = take_top(&rest, min(18 + 1, rest.h - 9));
    else if (size == SIZE_NORMAL)
        l.optimizer = take_top(&rest, h < 24 ? rest.h : 8 + 1);
    l.schedule = rest;
    return l;
}
