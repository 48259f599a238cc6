/* config.json of a model directory: written for every final/ and checkpoint, kept whole when
 * read. */
#ifndef TT_IO_HF_CONFIG_H
#define TT_IO_HF_CONFIG_H

#include <stdbool.h>

#include "engine/base/err.h"
#include "engine/base/str.h"

/* A JSON object kept with unknown keys and order. Zeroed memory may be released too. */
struct hf_config {
    void *json; /* json_t * */
};

/* TT_EDATA with path and line; a Git LFS pointer, an HTML page are named as what they are. Whole numbers
 * beyond 64 bits are read as real ones. */
int hf_config_read(struct hf_config *c, const char *path, struct err *e);
void hf_config_new(struct hf_config *c); /* empty object */
/* Deep; `src` may be zeroed memory, then an empty object. */
void hf_config_copy(struct hf_config *dst, const struct hf_config *src);
void hf_config_release(struct hf_config *c);
/* Order kept, 2 blanks, newline at the end; real numbers never look like whole ones. */
int hf_config_write(const struct hf_config *c, const char *path, struct err *e);

const char *hf_config_str(const struct hf_config *c, const char *key); /* or NULL */
/* true is 1; a real number without a fraction counts, clamped to 64 bits. */
int64_t hf_config_int(const struct hf_config *c, const char *key, int64_t absent);
double hf_config_real(const struct hf_config *c, const char *key, double absent);
/* The value as an INI file spells it: "" for null, JSON for a list or an object; NULL when there is none.
 * Caller frees. */
char *hf_config_text(const struct hf_config *c, const char *key);
bool hf_config_has(const struct hf_config *c, const char *key);
void hf_config_remove(struct hf_config *c, const char *key);
void hf_config_put_str(struct hf_config *c, const char *key, const char *v); /* NULL: null */
void hf_config_put_int(struct hf_config *c, const char *key, int64_t v);
void hf_config_put_real(struct hf_config *c, const char *key, double v);
void hf_config_put_bool(struct hf_config *c, const char *key, int v);
void hf_config_put_list(struct hf_config *c, const char *key, const struct strlist *texts);
/* The texts of a list; false, and none, when there is no such list. */
bool hf_config_list(const struct hf_config *c, const char *key, struct strlist *out);
/* id2label and label2id from names in order; and back. */
void hf_config_put_labels(struct hf_config *c, const char *const *label, int n);
/* Sorted by id; 0..n-1 must all be there. Without id2label from label2id; none without either. */
int hf_config_labels(const struct hf_config *c, struct strlist *out, struct err *e);

#endif
