/* IDX, the format of MNIST: big-endian, two zero bytes, a type, the number of dimensions, the
 * dimensions, the data. Images stay one byte a pixel; labels lie in a second file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/data/labels.h"
#include "engine/data/text_file.h"

#define IDX_MAX_DIMS 4
#define IDX_UBYTE 0x08

struct idx {
    int ndim;
    uint64_t dim[IDX_MAX_DIMS];
    size_t header; /* bytes before the data */
    size_t row;    /* bytes of a row */
};

/* What a file may be. */
struct idx_kind {
    int min_dims, max_dims;
    const char *allowed;
};
static const struct idx_kind images = {2, 4,
                                       "0x00000803: bytes in 3 dimensions; 2 and 4 are read too"};
static const struct idx_kind labels = {1, 1, "0x00000801: bytes in one dimension"};

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Reads the header in the first n bytes of a file. */
static int parse_header(struct idx *idx, const char *path, const struct idx_kind *kind,
                        const void *data, size_t n, struct err *e)
{
    const unsigned char *p = data;
    if (n < 4)
        return err_set(e, TT_EDATA, "%s: %zu bytes (an IDX header)", path, n);
    uint32_t magic = big_endian(p);
    idx->ndim = (int)(magic & 0xff);
    if (magic >> 8 != IDX_UBYTE || idx->ndim < kind->min_dims || idx->ndim > kind->max_dims)
        return err_set(e, TT_EDATA, "%s: magic 0x%08x (%s)", path, magic, kind->allowed);
    idx->header = 4 + 4 * (size_t)idx->ndim;
    if (n < idx->header)
        return err_set(e, TT_EDATA, "%s: %zu bytes (%zu, the IDX header alone)", path, n,
                       idx->header);
    idx->row = 1;
    for (int i = 0; i < idx->ndim; i++) {
        idx->dim[i] = big_endian(p + 4 + 4 * i);
        if (idx->dim[i] == 0)
            return err_set(e, TT_EDATA, "%s: dimension %d is 0 (1 at least)", path, i);
        if (i > 0 && __builtin_mul_overflow(idx->row, idx->dim[i], &idx->row))
            return err_set(e, TT_EDATA, "%s: the dimensions are too large", path);
    }
    return 0;
}

static int read_file(struct idx *idx, const char *path, const struct idx_kind *kind, char **data,
                     struct err *e)
{
    size_t n, size;
    *data = NULL;
    int rc = file_read_gz(path, DATA_FILE_LIMIT, data, &n, e);
    if (!rc)
        rc = parse_header(idx, path, kind, *data, n, e);
    if (rc)
        return rc;
    if (__builtin_mul_overflow(idx->row, idx->dim[0], &size) || size != n - idx->header)
        rc = err_set(e, TT_EDATA, "%s: %zu bytes of data (%llu x %zu, says its header)", path,
                     n - idx->header, (unsigned long long)idx->dim[0], idx->row);
    return rc;
}

/* A plane is given its one channel; rows of two-dimensional data are plain features. */
static void set_shape(struct dataset *ds, const struct idx *idx)
{
    struct data_spec *spec = &ds->spec;
    spec->kind = BATCH_DENSE;
    spec->ndim = idx->ndim == 2 ? 1 : 3;
    spec->dim[0] = 1;
    for (int from = 1, to = idx->ndim == 3; from < idx->ndim; from++, to++)
        spec->dim[to] = (int64_t)idx->dim[from];
    ds->rows = (int64_t)idx->dim[0];
    ds->row_len = idx->row;
}

static int check_shape(const struct dataset *ds, const struct data_spec *base, struct err *e)
{
    char found[80], allowed[80];
    const struct data_spec *both[] = {&ds->spec, base};
    char *texts[] = {found, allowed};
    for (int i = 0; i < 2; i++) {
        const struct data_spec *s = both[i];
        snprintf(texts[i], sizeof found, "%lld", (long long)s->dim[0]);
        for (int d = 1; d < s->ndim; d++) {
            size_t used = strlen(texts[i]);
            snprintf(texts[i] + used, sizeof found - used, " x %lld", (long long)s->dim[d]);
        }
    }
    if (!strcmp(found, allowed))
        return 0;
    return err_set(e, TT_EDATA, "%s: rows of %s (%s, as in training)", ds->path, found, allowed);
}

static int read_labels(struct dataset *ds, const struct data_opts *o, const struct dataset *base,
                       struct err *e)
{
    struct idx idx;
    struct labels l = {0};
    char *data;
    int rc = read_file(&idx, ds->path_labels, &labels, &data, e);
    if (!rc && idx.dim[0] != (uint64_t)ds->rows)
        rc = err_set(e, TT_EDATA, "%s: %llu labels (%lld, the images of %s)", ds->path_labels,
                     (unsigned long long)idx.dim[0], (long long)ds->rows, ds->path);
    for (int64_t i = 0; i < ds->rows && !rc; i++) {
        labels_row(&l, false);
        labels_number(&l, (unsigned char)data[idx.header + (size_t)i]);
    }
    if (!rc)
        rc = labels_settle(ds, &l, o, base, e);
    labels_release(&l);
    free(data);
    return rc;
}

/* Both files of a side; `head` reads no more of the images than their header. */
static int read_side(struct dataset *ds, const struct data_opts *o, bool eval,
                     const struct dataset *base, bool head, struct err *e)
{
    bool predict = base && !eval;
    const char *path = eval ? o->eval : o->train;
    const char *path_labels = eval ? o->eval_labels : o->train_labels;
    if (!predict && !path_labels)
        return err_set(e, TT_ECONFIG, "data.%s_labels is not given (the IDX file of the labels)",
                       eval ? "eval" : "train");
    struct idx idx = {0};
    char start[4 + 4 * IDX_MAX_DIMS], *data = NULL;
    size_t n = 0;
    int rc = head ? file_read_head(path, start, sizeof start, &n, e)
                  : read_file(&idx, path, &images, &data, e);
    if (!rc && head)
        rc = parse_header(&idx, path, &images, start, n, e);
    ds->x8 = (uint8_t *)data;
    if (rc)
        return rc;
    if (data)
        memmove(data, data + idx.header, idx.row * idx.dim[0]);
    ds->x8_scale = 255;
    ds->path = xstrdup(path);
    set_shape(ds, &idx);
    rc = base ? check_shape(ds, &base->spec, e) : 0;
    if (rc || predict)
        return rc;
    ds->path_labels = xstrdup(path_labels);
    return read_labels(ds, o, base, e);
}

static int idx_read(struct dataset *ds, const struct data_opts *o, bool eval,
                    const struct dataset *base, uint64_t seed, struct err *e)
{
    (void)seed;
    return read_side(ds, o, eval, base, false, e);
}

static int idx_peek(struct dataset *ds, const struct data_opts *o, bool eval,
                    const struct dataset *base, uint64_t seed, struct err *e)
{
    (void)seed;
    return read_side(ds, o, eval, base, true, e);
}

const struct data_format data_idx = {
    .name = "idx",
    .summary = "images and labels in two files, as MNIST has them; plain or gzip",
    .suffixes = "-ubyte .idx",
    .read = idx_read,
    .peek = idx_peek,
};
