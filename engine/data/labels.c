/* Collects the labels of a file; equal ones are kept once. */
#include "engine/data/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"

static size_t hash_text(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

const char *labels_text(const struct labels *l, int32_t key)
{
    return l->text.s + l->key[key].text;
}

/* The slot that holds the key, or the free one where it belongs. */
static int32_t *find_slot(const struct labels *l, enum label_kind kind, const char *text)
{
    size_t i = hash_text(text) & (l->nslot - 1);
    for (; l->slot[i]; i = (i + 1) & (l->nslot - 1)) {
        int32_t key = l->slot[i] - 1;
        if (l->key[key].kind == kind && !strcmp(labels_text(l, key), text))
            break;
    }
    return &l->slot[i];
}

int32_t labels_find(const struct labels *l, enum label_kind kind, const char *text)
{
    return l->nslot ? *find_slot(l, kind, text) - 1 : -1;
}

/* Keep at least half of the slots free. */
static void grow_slots(struct labels *l)
{
    if (2 * (l->nkey + 1) <= l->nslot)
        return;
    BUG_ON(l->nkey >= INT32_MAX / 2);
    free(l->slot);
    l->nslot = l->nslot ? 2 * l->nslot : 64;
    l->slot = xcalloc(l->nslot, sizeof *l->slot);
    for (size_t i = 0; i < l->nkey; i++)
        *find_slot(l, l->key[i].kind, labels_text(l, (int32_t)i)) = (int32_t)i + 1;
}

static void add(struct labels *l, enum label_kind kind, double number, const char *text)
{
    grow_slots(l);
    int32_t *slot = find_slot(l, kind, text);
    if (!*slot) {
        l->key = xgrow(l->key, &l->key_cap, l->nkey + 1, sizeof *l->key);
        l->key[l->nkey++] = (struct label_key){kind, number, l->text.len};
        strbuf_add(&l->text, text, strlen(text) + 1);
        *slot = (int32_t)l->nkey;
    }
    l->item = xgrow(l->item, &l->item_cap, l->nitem + 1, sizeof *l->item);
    l->item[l->nitem++] = *slot - 1;
}

void labels_row(struct labels *l, bool list)
{
    l->row = xgrow(l->row, &l->row_cap, l->nrow + 1, sizeof *l->row);
    l->row[l->nrow++] = (struct label_row){l->nitem, list};
}

void labels_number(struct labels *l, double v)
{
    char text[32];
    if (fabs(v) < 0x1p53 && v == floor(v))
        snprintf(text, sizeof text, "%lld", (long long)v);
    else
        snprintf(text, sizeof text, "%.15g", v); /* finer than the float it becomes */
    add(l, LABEL_NUMBER, v, text);
}

void labels_string(struct labels *l, const char *s)
{
    char *copy = xstrdup(s);
    add(l, LABEL_STRING, NAN, str_strip(copy));
    free(copy);
}

void labels_bool(struct labels *l, bool v)
{
    add(l, LABEL_BOOL, NAN, v ? "true" : "false");
}

void labels_cell(struct labels *l, const char *s)
{
    double v;
    if (str_to_f64(s, &v) && isfinite(v))
        labels_number(l, v);
    else
        labels_string(l, s);
}

const char *labels_kind_word(int kind)
{
    static const char *const words[] = {
        [LABEL_NUMBER] = "a number",
        [LABEL_STRING] = "a string",
        [LABEL_BOOL] = "true or false",
        [LABEL_LIST] = "a list",
    };
    return words[kind];
}

bool labels_key_is_none(const struct labels *l, int32_t key)
{
    const char *text = labels_text(l, key);
    return !strcmp(text, "-1") || !strcmp(text, "-100");
}

const int32_t *labels_items(const struct labels *l, int64_t row, size_t *n)
{
    size_t first = l->row[row].first;
    *n = ((size_t)row + 1 < l->nrow ? l->row[row + 1].first : l->nitem) - first;
    return l->item + first;
}

bool labels_row_is_none(const struct labels *l, int64_t row)
{
    const struct label_row *r = &l->row[row];
    return !r->list && labels_key_is_none(l, l->item[r->first]);
}

enum label_kind labels_row_kind(const struct labels *l, int64_t row)
{
    const struct label_row *r = &l->row[row];
    return r->list ? LABEL_LIST : l->key[l->item[r->first]].kind;
}

char *labels_show_key(const struct labels *l, int32_t key, char dst[TEXT_QUOTE])
{
    if (l->key[key].kind == LABEL_STRING)
        return text_quote(dst, labels_text(l, key));
    str_copy(dst, TEXT_QUOTE, labels_text(l, key));
    return dst;
}

char *labels_show_row(const struct labels *l, int64_t row, char dst[TEXT_QUOTE])
{
    if (!l->row[row].list)
        return labels_show_key(l, l->item[l->row[row].first], dst);
    str_copy(dst, TEXT_QUOTE, labels_kind_word(LABEL_LIST));
    return dst;
}

void labels_release(struct labels *l)
{
    free(l->key);
    free(l->slot);
    free(l->item);
    free(l->row);
    strbuf_release(&l->text);
    *l = (struct labels){0};
}
