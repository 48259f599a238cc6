/* A vocabulary: entries by id, and a trie over their bytes that finds an entry or the longest one
 * that a text begins with. */
#ifndef TT_DATA_VOCAB_H
#define TT_DATA_VOCAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/err.h"

#define VOCAB_IDS_MAX (1 << 22)
#define VOCAB_BYTES_MAX (1 << 24) /* of all entries: a trie node and a byte make 32 bits */
#define VOCAB_ROOT 1u

struct vocab_edge {
    uint32_t key, node; /* key: node << 8 | byte; 0: free */
};

struct vocab {
    const char **entry; /* NULL where there is none */
    int32_t size;       /* largest id + 1 */
    size_t entry_cap, node_cap, edges; /* edges: a power of 2 */
    struct vocab_edge *edge;
    int32_t *id; /* of node; -1: no entry ends there */
    uint32_t nodes;
    struct arena text;
};

void vocab_init(struct vocab *v);
void vocab_release(struct vocab *v);

/* TT_EDATA without file or line: an id out of range or in use, an entry there already (an empty one
 * may come again), too many bytes. */
int vocab_add(struct vocab *v, const char *entry, size_t len, int64_t id, struct err *e);
int32_t vocab_find(const struct vocab *v, const char *entry, size_t len); /* -1: none */

/* The node that `text` leads to from `node`; 0: none. */
uint32_t vocab_walk(const struct vocab *v, uint32_t node, const char *text, size_t len);
/* Bytes of the longest entry, seen from `node`, that `text` begins with, and its id; 0: none. */
size_t vocab_longest(const struct vocab *v, uint32_t node, const char *text, size_t len,
                     int32_t *id);

/* A vocab.txt in memory: one entry a line, parted at LF, or at CR LF where all lines are so. */
int vocab_read(struct vocab *v, const char *path, const char *text, size_t n, struct err *e);

#endif
