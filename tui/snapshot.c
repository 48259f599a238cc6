/* Facts, lengths of texts, series, edits, report, log and status of a model, there and back. */
#include "tui/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

#define CLASSES_MOST 65536
#define CONFUSION_MOST 1024 /* classes; a larger matrix stays with the run */

struct facts {
    int32_t problem, queue, queued;
    uint32_t have_plan;
    struct memory_plan plan; /* its tensors follow, then the labels, each with its NUL */
};

struct tokens_head {
    int32_t side;       /* 0 training, 1 evaluation */
    uint32_t by_row;    /* what `at` has follows, too */
    int64_t rows, max_length, cut, longest; /* then `count` */
};

struct series_head {
    int32_t series;
    struct history history; /* its buckets follow */
};

static int malformed(struct err *e)
{
    return err_set(e, TT_EDATA, "the run sent a message that makes no sense");
}

static void add(struct strbuf *out, const void *data, size_t n)
{
    if (n)
        strbuf_add(out, data, n);
}

/* ---- there ---------------------------------------------------------------------------------- */

static void put_facts(struct strbuf *out, const struct uimodel *m)
{
    struct facts f;
    memset(&f, 0, sizeof f);
    f.problem = (int32_t)m->problem;
    f.queue = m->queue;
    f.queued = m->queued;
    f.have_plan = m->have_plan;
    if (m->have_plan)
        f.plan = m->plan;
    f.plan.tensor = NULL;
    size_t begun = wire_begin(out, WIRE_FACTS);
    add(out, &f, sizeof f);
    add(out, m->plan.tensor, m->have_plan ? (size_t)m->plan.tensors * sizeof *m->plan.tensor : 0);
    for (size_t i = 0; i < m->labels.n; i++)
        add(out, m->labels.s[i], strlen(m->labels.s[i]) + 1);
    wire_end(out, begun);
}

static void put_tokens(struct strbuf *out, int side, const struct token_counts *k)
{
    struct tokens_head head = {.side = side, .by_row = k->at != NULL, .rows = k->rows,
                               .max_length = k->max_length, .cut = k->cut, .longest = k->longest};
    size_t begun = wire_begin(out, WIRE_TOKENS);
    add(out, &head, sizeof head);
    add(out, k->count, ((size_t)k->longest + 1) * sizeof *k->count);
    add(out, k->at, head.by_row ? ((size_t)k->rows + 1) * sizeof *k->at : 0);
    wire_end(out, begun);
}

static void put_series(struct strbuf *out, int series, const struct history *h)
{
    struct series_head head;
    memset(&head, 0, sizeof head);
    head.series = series;
    head.history = *h;
    head.history.b = NULL;
    size_t begun = wire_begin(out, WIRE_SERIES);
    add(out, &head, sizeof head);
    add(out, h->b, (size_t)h->n * sizeof *h->b);
    wire_end(out, begun);
}

static void put_log(struct strbuf *out, const struct uimodel *m)
{
    size_t begun = wire_begin(out, WIRE_LOG);
    for (int64_t i = m->log_first; i < m->log_end; i++)
        add(out, uimodel_log(m, i), sizeof *m->log);
    wire_end(out, begun);
}

/* Cells of the confusion matrix that are sent. */
static size_t cells(size_t n)
{
    return n <= CONFUSION_MOST ? n * n : 0;
}

void snapshot_put_report(struct strbuf *out, const struct eval_report *r)
{
    struct eval_report plain = *r;
    size_t n = (size_t)r->n, begun = wire_begin(out, WIRE_REPORT);
    plain.cls = NULL;
    plain.confusion = NULL;
    plain.cell = NULL;
    add(out, &plain, sizeof plain);
    add(out, r->cls, n * sizeof *r->cls);
    add(out, r->confusion, cells(n) * sizeof *r->confusion);
    add(out, r->cell, (size_t)r->kept * sizeof *r->cell);
    wire_end(out, begun);
}

void snapshot_put(struct strbuf *out, const struct uimodel *m)
{
    put_facts(out, m);
    for (int side = 0; side < 2; side++)
        if (m->tokens[side].rows)
            put_tokens(out, side, &m->tokens[side]);
    for (int i = 0; i < SERIES_COUNT; i++)
        if (m->series[i].n)
            put_series(out, i, &m->series[i]);
    if (m->nedits)
        wire_put(out, WIRE_EDITS, m->edits, (size_t)m->nedits * sizeof *m->edits);
    if (m->have_report)
        snapshot_put_report(out, m->report);
    put_log(out, m);
    wire_put(out, WIRE_STATUS, &m->st, sizeof m->st);
    wire_put(out, WIRE_READY, "", 0);
}

/* ---- and back ------------------------------------------------------------------------------- */

/* The first `size` bytes of what is left of a message, copied; false: it has fewer. */
static bool take(struct wire_message *rest, void *dst, size_t size)
{
    if (rest->size < size)
        return false;
    if (size)
        memcpy(dst, rest->data, size);
    rest->data += size;
    rest->size -= size;
    return true;
}

static int take_facts(struct uimodel *m, struct wire_message rest, struct err *e)
{
    struct facts f;
    if (!take(&rest, &f, sizeof f) || f.plan.nstate < 0 || f.plan.nstate > PLAN_STATES ||
        f.plan.noptim < 0 || f.plan.noptim > PLAN_OPTIMS)
        return malformed(e);
    size_t tensors = f.have_plan ? (size_t)f.plan.tensors : 0;
    if (tensors > rest.size / sizeof(struct plan_tensor))
        return malformed(e);
    struct plan_tensor *tensor = xreallocarray(NULL, tensors + 1, sizeof *tensor);
    take(&rest, tensor, tensors * sizeof *tensor);
    m->plan = f.plan;
    m->plan.tensor = tensor;
    m->have_plan = f.have_plan;
    m->problem = (enum problem)f.problem;
    m->queue = f.queue;
    m->queued = f.queued;
    for (const char *end; rest.size && (end = memchr(rest.data, 0, rest.size));) {
        strlist_add(&m->labels, rest.data);
        rest.size -= (size_t)(end + 1 - rest.data);
        rest.data = end + 1;
    }
    return rest.size ? malformed(e) : 0;
}

/* Lengths must add up to what is said of them. */
static bool tokens_agree(struct token_counts *k)
{
    int64_t rows = 0;
    for (int64_t i = 0; i <= k->longest; i++) {
        if (k->count[i] < 0 || k->count[i] > k->rows - rows)
            return false;
        rows += k->count[i];
        k->tokens += i * k->count[i];
    }
    for (int64_t i = 0; k->at && i < k->rows; i++)
        if (k->at[i + 1] < k->at[i] || k->at[i + 1] - k->at[i] > k->longest)
            return false;
    return rows == k->rows && (!k->at || (k->at[0] == 0 && k->at[rows] == k->tokens));
}

static int take_tokens(struct uimodel *m, struct wire_message rest, struct err *e)
{
    struct tokens_head head;
    if (!take(&rest, &head, sizeof head) || head.side < 0 || head.side > 1 || head.longest < 0 ||
        head.longest > TOKENS_A_ROW_MOST || head.rows < 1 || head.rows > ((int64_t)1 << 40) ||
        (head.by_row && head.rows > TOKENS_ROWS_KEPT))
        return malformed(e);
    size_t counts = (size_t)head.longest + 1, ends = head.by_row ? (size_t)head.rows + 1 : 0;
    struct token_counts *k = &m->tokens[head.side];
    if (rest.size != counts * sizeof *k->count + ends * sizeof *k->at)
        return malformed(e);
    token_counts_release(k);
    *k = (struct token_counts){.rows = head.rows, .max_length = head.max_length, .cut = head.cut,
                               .longest = head.longest};
    k->count = xreallocarray(NULL, counts, sizeof *k->count);
    k->at = ends ? xreallocarray(NULL, ends, sizeof *k->at) : NULL;
    take(&rest, k->count, counts * sizeof *k->count);
    take(&rest, k->at, ends * sizeof *k->at);
    if (tokens_agree(k))
        return 0;
    token_counts_release(k);
    return malformed(e);
}

static int take_series(struct uimodel *m, struct wire_message rest, struct err *e)
{
    struct series_head head;
    if (!take(&rest, &head, sizeof head) || head.series < 0 || head.series >= SERIES_COUNT ||
        head.history.n < 1 || head.history.n > HISTORY_BUCKETS ||
        rest.size != (size_t)head.history.n * sizeof(struct hist_bucket))
        return malformed(e);
    struct history *h = &m->series[head.series];
    history_release(h);
    *h = head.history;
    h->b = xmalloc(HISTORY_BUCKETS * sizeof *h->b);
    take(&rest, h->b, rest.size);
    return 0;
}

static int take_edits(struct uimodel *m, struct wire_message rest, struct err *e)
{
    size_t n = rest.size / sizeof *m->edits;
    if (rest.size % sizeof *m->edits)
        return malformed(e);
    m->edits = xgrow(m->edits, &m->edits_cap, n, sizeof *m->edits);
    take(&rest, m->edits, rest.size);
    m->nedits = (int)n;
    return 0;
}

/* As they are: what they say of edits has come with the edits. */
static int take_log(struct uimodel *m, struct wire_message rest, struct err *e)
{
    size_t n = rest.size / sizeof *m->log;
    if (rest.size % sizeof *m->log || n > UIMODEL_LOG)
        return malformed(e);
    take(&rest, m->log, rest.size);
    m->log_first = 0;
    m->log_end = (int64_t)n;
    return 0;
}

int snapshot_take_report(struct eval_report **r, const struct wire_message *msg, struct err *e)
{
    struct wire_message rest = *msg;
    struct eval_report plain;
    if (!take(&rest, &plain, sizeof plain) || plain.n < 1 || plain.n > CLASSES_MOST ||
        plain.kept < 0 || plain.kept > EVAL_ROWS_KEPT ||
        (*r && ((*r)->n != plain.n || (*r)->kept != plain.kept)))
        return malformed(e);
    size_t n = (size_t)plain.n, kept = (size_t)plain.kept;
    if (rest.size != n * sizeof *plain.cls + cells(n) * sizeof *plain.confusion + kept * sizeof *plain.cell)
        return malformed(e);
    if (!*r)
        *r = eval_report_like(&plain);
    if ((*r)->kept != plain.kept)
        return malformed(e);
    plain.cls = (*r)->cls;
    plain.confusion = (*r)->confusion;
    plain.cell = (*r)->cell;
    **r = plain;
    take(&rest, plain.cls, n * sizeof *plain.cls);
    take(&rest, plain.confusion, cells(n) * sizeof *plain.confusion);
    take(&rest, plain.cell, kept * sizeof *plain.cell);
    return 0;
}

int snapshot_take(struct uimodel *m, const struct wire_message *msg, struct err *e)
{
    int code = 0;
    switch (msg->kind) {
    case WIRE_FACTS: return take_facts(m, *msg, e);
    case WIRE_TOKENS: return take_tokens(m, *msg, e);
    case WIRE_SERIES: return take_series(m, *msg, e);
    case WIRE_EDITS: return take_edits(m, *msg, e);
    case WIRE_LOG: return take_log(m, *msg, e);
    case WIRE_REPORT:
        code = snapshot_take_report(&m->report, msg, e);
        m->have_report = !code;
        return code;
    case WIRE_STATUS: return wire_take(msg, &m->st, sizeof m->st) ? 0 : malformed(e);
    default: return malformed(e);
    }
}
