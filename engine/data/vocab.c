/* Entries in an arena; the trie is one hash table of edges, linear probing, at most half full. */
#include "engine/data/vocab.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/data/text_file.h"

void vocab_init(struct vocab *v)
{
    memset(v, 0, sizeof *v);
    arena_init(&v->text, 1 << 18);
    v->edges = 1 << 12;
    v->edge = xcalloc(v->edges, sizeof *v->edge);
    v->nodes = VOCAB_ROOT + 1;
    v->id = xgrow(NULL, &v->node_cap, v->nodes, sizeof *v->id);
    v->id[0] = v->id[VOCAB_ROOT] = -1;
}

void vocab_release(struct vocab *v)
{
    free(v->entry);
    free(v->edge);
    free(v->id);
    arena_release(&v->text);
}

/* The place of an edge, or the free one where it belongs. */
static struct vocab_edge *edge_at(const struct vocab *v, uint32_t key)
{
    uint32_t hash = key * 0x9e3779b1u;
    size_t i = (hash ^ hash >> 15) & (v->edges - 1);
    while (v->edge[i].key && v->edge[i].key != key)
        i = (i + 1) & (v->edges - 1);
    return &v->edge[i];
}

static void double_edges(struct vocab *v)
{
    struct vocab_edge *old = v->edge;
    size_t n = v->edges;
    v->edges = 2 * n;
    v->edge = xcalloc(v->edges, sizeof *v->edge);
    for (size_t i = 0; i < n; i++)
        if (old[i].key)
            *edge_at(v, old[i].key) = old[i];
    free(old);
}

static uint32_t step(const struct vocab *v, uint32_t node, char byte)
{
    return edge_at(v, node << 8 | (unsigned char)byte)->node;
}

static uint32_t grow_path(struct vocab *v, const char *entry, size_t len)
{
    uint32_t node = VOCAB_ROOT;
    for (size_t i = 0; i < len; i++) {
        uint32_t next = step(v, node, entry[i]);
        if (!next) {
            if (2 * (size_t)v->nodes >= v->edges)
                double_edges(v);
            next = v->nodes++;
            v->id = xgrow(v->id, &v->node_cap, v->nodes, sizeof *v->id);
            v->id[next] = -1;
            uint32_t key = node << 8 | (unsigned char)entry[i];
            *edge_at(v, key) = (struct vocab_edge){key, next};
        }
        node = next;
    }
    return node;
}

int vocab_add(struct vocab *v, const char *entry, size_t len, int64_t id, struct err *e)
{
    char shown[TEXT_QUOTE];
    char *text = arena_alloc(&v->text, len + 1);
    memcpy(text, entry, len);
    if (id < 0 || id >= VOCAB_IDS_MAX)
        return err_set(e, TT_EDATA, "entry %s has id %lld (0 to %d)", text_quote(shown, text),
                       (long long)id, VOCAB_IDS_MAX - 1);
    if (len > VOCAB_BYTES_MAX - 2 || v->nodes > VOCAB_BYTES_MAX - 2 - len)
        return err_set(e, TT_EDATA, "more entries than a vocabulary can hold (%d bytes)",
                       VOCAB_BYTES_MAX);
    v->entry = xgrow(v->entry, &v->entry_cap, (size_t)id + 1, sizeof *v->entry);
    while (v->size <= id)
        v->entry[v->size++] = NULL;
    if (v->entry[id])
        return err_set(e, TT_EDATA, "id %lld belongs to two entries (to one)", (long long)id);
    uint32_t node = grow_path(v, text, len);
    if (v->id[node] >= 0 && len)
        return err_set(e, TT_EDATA, "entry %s is there twice, ids %ld and %lld (once)",
                       text_quote(shown, text), (long)v->id[node], (long long)id);
    v->entry[id] = text;
    v->id[node] = (int32_t)id;
    return 0;
}

uint32_t vocab_walk(const struct vocab *v, uint32_t node, const char *text, size_t len)
{
    for (size_t i = 0; i < len && node; i++)
        node = step(v, node, text[i]);
    return node;
}

int32_t vocab_find(const struct vocab *v, const char *entry, size_t len)
{
    return v->id[vocab_walk(v, VOCAB_ROOT, entry, len)];
}

size_t vocab_longest(const struct vocab *v, uint32_t node, const char *text, size_t len,
                     int32_t *id)
{
    size_t longest = 0;
    for (size_t i = 0; i < len && node; i++) {
        node = step(v, node, text[i]);
        if (v->id[node] >= 0) {
            longest = i + 1;
            *id = v->id[node];
        }
    }
    return longest;
}

/* -- vocab.txt ------------------------------------------------------------------------------ */

static const char *line_end(const char *p, const char *end)
{
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    return lf ? lf : end;
}

/* Does every LF follow a CR? The last line may have neither. */
static bool all_crlf(const char *p, const char *end)
{
    bool any = false;
    for (const char *lf; (lf = memchr(p, '\n', (size_t)(end - p))); p = lf + 1) {
        if (lf == p || lf[-1] != '\r')
            return false;
        any = true;
    }
    return any;
}

int vocab_read(struct vocab *v, const char *path, const char *text, size_t n, struct err *e)
{
    const char *p = text, *end = text + n;
    int64_t id = 0;
    if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
        p += 3;
    bool crlf = all_crlf(p, end);
    for (const char *stop; p < end; p = stop + 1, id++) {
        stop = line_end(p, end);
        size_t len = (size_t)(stop - p) - (crlf && stop > p && stop[-1] == '\r');
        if (memchr(p, '\0', len) || !str_is_valid_utf8(p, len))
            return err_set(e, TT_EDATA, "%s:%lld: bytes that are no text (UTF-8 without NUL)", path,
                           (long long)id + 1);
        if (vocab_add(v, p, len, id, e))
            return err_prefix(e, "%s:%lld: ", path, (long long)id + 1);
    }
    return 0;
}
