/* safetensors files: an 8-byte little-endian header length, a JSON header, raw tensor bytes. The
 * reader refuses everything hf-formats section 1 lists, with the reason; the writer makes the bytes
 * that the reference library makes. Nothing here knows a model: named arrays in, named arrays out.
 *
 * Names and metadata are UTF-8 with JSON's escapes undone. U+0000, which a file may hold, is kept
 * as the bytes C0 80 (never valid UTF-8 otherwise), so that every text stays a C string. */
#ifndef TT_IO_SAFETENSORS_H
#define TT_IO_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/dtype.h"
#include "engine/base/err.h"
#include "engine/base/str.h"

#define ST_DIMS 8

struct st_tensor {
    const char *name;
    enum dtype dtype; /* DT_COUNT: a type only files know (F4, C64 ...), listed, read raw only */
    const char *type; /* reading: the type as the file spells it */
    int ndim;
    int64_t dim[ST_DIMS];
    const void *data; /* to write: borrowed. Reading: NULL */
    size_t bytes;
    int64_t at; /* offset from the start of the data part */
};

struct st_file {
    char *path;
    int fd;
    struct st_tensor *t; /* in the order of their offsets */
    size_t n;
    struct strlist meta; /* the __metadata__ object: key, value, key, value ... */
    int64_t data_at, size;
    void *priv;
};

/* Reads and checks the header only. TT_EDATA with the path and the reason: a Git LFS pointer, a
 * pickle, an HTML page are named as what they are. */
int st_open(struct st_file *f, const char *path, struct err *e);
void st_close(struct st_file *f);
const struct st_tensor *st_find(const struct st_file *f, const char *name); /* or NULL */
const char *st_meta(const struct st_file *f, const char *key);              /* or NULL */
/* Raw bytes of one tensor: dst has t->bytes. */
int st_read(const struct st_file *f, const struct st_tensor *t, void *dst, struct err *e);
/* Widened or narrowed to float32 (from F16, BF16, F64, F32): dst has elements floats. */
int st_read_f32(const struct st_file *f, const struct st_tensor *t, float *dst, struct err *e);
int64_t st_elements(const struct st_tensor *t);

/* A whole file, atomically. Order of tensors, padding and header as the reference library writes
 * it. meta: pairs, none for no metadata, NULL for {"format":"pt"}. `bytes` of each tensor is
 * checked against its shape, names must be UTF-8 and each its own. */
int st_write(const char *path, const struct st_tensor *t, size_t n, const struct strlist *meta,
             struct err *e);

#endif
