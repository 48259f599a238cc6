/* Messages between a run and its viewers, over a Unix socket: a head, then plain structs as the program
 * has them in memory. Both ends are this program on one machine; the first message of each side, whose
 * form never changes, tells them whether they are of one version. */
#ifndef TT_TUI_WIRE_H
#define TT_TUI_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/str.h"

#define WIRE_VERSION 2 /* grows when a message changes its meaning */
#define WIRE_MOST ((size_t)1 << 28)

enum wire_kind {
    WIRE_HELLO,   /* first, both ways: struct wire_hello */
    WIRE_REFUSED, /* a line that says why there is no more to come */
    /* From the run. Its past: */
    WIRE_FACTS,   /* snapshot.c has the form of these five */
    WIRE_TOKENS,
    WIRE_SERIES,
    WIRE_EDITS,
    WIRE_REPORT,  /* the newest evaluation; later every one */
    WIRE_LOG,     /* struct log_line, several; later every one */
    WIRE_STATUS,  /* struct run_status, later whenever it changed */
    WIRE_READY,   /* that was the past */
    /* Then as it happens, besides what is above: */
    WIRE_SAMPLES, /* struct sample, several */
    WIRE_INSPECT, /* struct inspect_report: the answer to this viewer's question */
    WIRE_PULSE,   /* struct wire_pulse, once a second at least */
    /* From a viewer. */
    WIRE_COMMAND, /* struct command */
    WIRE_KINDS
};

struct wire_head {
    uint32_t kind, size; /* size of what follows */
};

struct wire_hello {
    char magic[8];    /* WIRE_MAGIC */
    uint32_t version, layout;
    char program[32]; /* its version in words */
    int64_t pid;
    uint32_t reads_only; /* of a viewer: it will ask for nothing but to look */
    char host[68];
};
#define WIRE_MAGIC "traintui"

struct wire_pulse {
    int32_t viewers; /* screens that show the run */
};

struct wire_message {
    enum wire_kind kind;
    const char *data; /* borrowed, not aligned */
    size_t size, total; /* total: with its head */
};

void wire_put(struct strbuf *out, enum wire_kind kind, const void *data, size_t n);
/* Open a message whose parts are then added with strbuf_add; wire_end closes it. */
size_t wire_begin(struct strbuf *out, enum wire_kind kind);
void wire_end(struct strbuf *out, size_t begun);

/* The message that `in` begins with: 1 it is whole, 0 bytes are missing, -1 it is none, or larger than
 * `most`. */
int wire_next(const char *in, size_t n, size_t most, struct wire_message *m);
/* Exactly one struct of that size; false: the message has another. */
bool wire_take(const struct wire_message *m, void *dst, size_t size);

void wire_hello(struct wire_hello *h, bool reads_only);
/* Whoever said this speaks our language; else `why` says which. */
bool wire_understands(const struct wire_hello *h, char *why, size_t size);

#endif
