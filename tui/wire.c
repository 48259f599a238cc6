/* Framing, and the first message. */
#include "config.h"

#include "tui/wire.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/die.h"
#include "engine/train/inspect.h"
#include "tui/uimodel.h"

size_t wire_begin(struct strbuf *out, enum wire_kind kind)
{
    size_t begun = out->len;
    struct wire_head head = {.kind = kind};
    strbuf_add(out, (const char *)&head, sizeof head);
    return begun;
}

void wire_end(struct strbuf *out, size_t begun)
{
    struct wire_head head;
    size_t size = out->len - begun - sizeof head;
    BUG_ON(size > WIRE_MOST);
    memcpy(&head, out->s + begun, sizeof head);
    head.size = (uint32_t)size;
    memcpy(out->s + begun, &head, sizeof head);
}

void wire_put(struct strbuf *out, enum wire_kind kind, const void *data, size_t n)
{
    size_t begun = wire_begin(out, kind);
    strbuf_add(out, data, n);
    wire_end(out, begun);
}

int wire_next(const char *in, size_t n, size_t most, struct wire_message *m)
{
    struct wire_head head;
    if (n < sizeof head)
        return 0;
    memcpy(&head, in, sizeof head);
    if (head.kind >= WIRE_KINDS || head.size > most)
        return -1;
    *m = (struct wire_message){.kind = head.kind, .data = in + sizeof head, .size = head.size,
                               .total = sizeof head + head.size};
    return n >= m->total;
}

bool wire_take(const struct wire_message *m, void *dst, size_t size)
{
    if (m->size != size)
        return false;
    memcpy(dst, m->data, size);
    return true;
}

/* The sizes of all that is sent: two builds of one version may differ. */
static uint32_t layout(void)
{
    static const size_t sizes[] = {
        sizeof(struct run_status),     sizeof(struct sample),      sizeof(struct log_line),
        sizeof(struct command),        sizeof(struct history),     sizeof(struct hist_bucket),
        sizeof(struct inspect_report), sizeof(struct live_edit),   sizeof(struct memory_plan),
        sizeof(struct plan_tensor),    sizeof(struct eval_report), sizeof(struct class_score),
        SERIES_COUNT,                  PHASE_COUNT,                METRIC_COUNT,
    };
    uint32_t sum = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        sum = (sum ^ (uint32_t)sizes[i]) * 16777619u;
    return sum;
}

void wire_hello(struct wire_hello *h, bool reads_only)
{
    *h = (struct wire_hello){.version = WIRE_VERSION, .layout = layout(), .pid = getpid(),
                             .reads_only = reads_only};
    memcpy(h->magic, WIRE_MAGIC, sizeof h->magic);
    str_copy(h->program, sizeof h->program, PACKAGE_VERSION);
    gethostname(h->host, sizeof h->host - 1);
}

bool wire_understands(const struct wire_hello *h, char *why, size_t size)
{
    if (memcmp(h->magic, WIRE_MAGIC, sizeof h->magic)) {
        snprintf(why, size, "whoever answers there is no traintui");
        return false;
    }
    if (h->version == WIRE_VERSION && h->layout == layout())
        return true;
    snprintf(why, size,
             "the run is of traintui %.31s (messages %u-%08x), this is %s (messages %d-%08x): attach "
             "with the program that started it",
             h->program, h->version, h->layout, PACKAGE_VERSION, WIRE_VERSION, layout());
    return false;
}
