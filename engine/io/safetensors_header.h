/* The JSON header of a safetensors file, for the reader and the writer only. */
#ifndef TT_IO_SAFETENSORS_HEADER_H
#define TT_IO_SAFETENSORS_HEADER_H

#include "engine/io/safetensors.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensor data are not swapped");

#define ST_HEADER_MAX 100000000u
#define ST_META_KEY "__metadata__"

/* An element type of the format. */
struct st_type {
    const char *name;
    int bits;
    enum dtype dtype; /* DT_COUNT: not one of ours */
};

/* The writer's order, narrow types first; ended by a row without a name. */
extern const struct st_type st_types[];

/* Bytes of a tensor of that shape; false when the count or its bits overflow or are no whole
 * bytes. */
bool st_shape_bytes(const struct st_type *type, int ndim, const uint64_t *dim, uint64_t *bytes);

/* Fill f->t (in the order of the header) and f->meta from `text`, which is valid UTF-8, has room
 * for a NUL at text[n], is changed in place and must live as long as `f`. Each entry is checked for
 * itself, not against the others. */
int st_header_parse(struct st_file *f, char *text, size_t n, struct err *e);

#endif
