/* Opening safetensors files: the header is read and checked whole, the data only when asked for,
 * with pread into the caller's memory (a mapping would die of a file that another process cuts
 * short). */
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/io/foreign_file.h"
#include "engine/io/safetensors_header.h"

#define CHUNK 65536

/* st_file.priv */
struct index {
    char *header;                     /* owns the names */
    const struct st_tensor **by_name; /* sorted, n of them */
};

int64_t st_elements(const struct st_tensor *t)
{
    uint64_t n = 1; /* an empty tensor may have dimensions whose product wraps on the way to 0 */

    for (int i = 0; i < t->ndim; i++)
        n *= (uint64_t)t->dim[i];
    return (int64_t)n;
}

static int open_regular(struct st_file *f, struct err *e)
{
    struct stat st;

    f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not stop us here */
    if (f->fd < 0 || fstat(f->fd, &st) != 0)
        return err_errno(e, TT_EDATA, "can't read %s", f->path);
    if (!S_ISREG(st.st_mode))
        return err_set(e, TT_EDATA, "%s: not a regular file", f->path);
    f->size = st.st_size;
    return 0;
}

static int read_at(const struct st_file *f, void *dst, size_t n, int64_t at, struct err *e)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(f->fd, (char *)dst + done, n - done, (off_t)(at + (int64_t)done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_errno(e, TT_EDATA, "can't read %s", f->path);
        if (got == 0)
            return err_set(e, TT_EDATA, "%s: ends at byte %" PRId64 " (it had %" PRId64 ")",
                           f->path, at + (int64_t)done, f->size);
        done += (size_t)got;
    }
    return 0;
}

/* The length of the header, known to lie within the limit and the file. */
static int header_length(struct st_file *f, uint64_t *n, struct err *e)
{
    char head[33] = "";
    size_t got = f->size < 32 ? (size_t)f->size : 32;

    int rc = read_at(f, head, got, 0, e);
    if (rc)
        return rc;
    memcpy(n, head, sizeof *n);
    if (got >= 8 && *n <= ST_HEADER_MAX && *n <= (uint64_t)f->size - 8)
        return 0;
    const char *kind = foreign_file(head);
    if (kind)
        return err_set(e, TT_EDATA, "%s: %s", f->path, kind);
    if (got < 8)
        return err_set(e, TT_EDATA, "%s: %zu bytes (8 at least, the length of the header)", f->path,
                       got);
    if (*n > ST_HEADER_MAX)
        return err_set(e, TT_EDATA, "%s: header of %" PRIu64 " bytes (at most %u)", f->path, *n,
                       ST_HEADER_MAX);
    return err_set(e, TT_EDATA, "%s: header of %" PRIu64 " bytes in a file of %" PRId64, f->path,
                   *n, f->size);
}

static int by_name(const void *a, const void *b)
{
    const struct st_tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int by_offset(const void *a, const void *b)
{
    const struct st_tensor *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->bytes != y->bytes) /* empty tensors come first where they share an offset */
        return x->bytes < y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int index_names(struct st_file *f, struct index *x, struct err *e)
{
    char shown[160];

    x->by_name = xcalloc(f->n, sizeof(const struct st_tensor *));
    for (size_t i = 0; i < f->n; i++)
        x->by_name[i] = &f->t[i];
    if (f->n)
        qsort(x->by_name, f->n, sizeof(const struct st_tensor *), by_name);
    for (size_t i = 1; i < f->n; i++) {
        if (strcmp(x->by_name[i - 1]->name, x->by_name[i]->name) == 0)
            return err_set(e, TT_EDATA, "%s: duplicate tensor name \"%s\"", f->path,
                           str_visible(shown, sizeof shown, x->by_name[i]->name));
    }
    return 0;
}

/* The tensors, in the order of their offsets, cover the data without a gap or an overlap. */
static int check_chain(const struct st_file *f, struct err *e)
{
    char shown[160];
    int64_t at = 0;

    for (size_t i = 0; i < f->n; at += (int64_t)f->t[i++].bytes) {
        if (f->t[i].at != at)
            return err_set(e, TT_EDATA,
                           "%s: tensor \"%s\" begins at offset %" PRId64 " (%" PRId64
                           ": no gaps, no shared bytes)",
                           f->path, str_visible(shown, sizeof shown, f->t[i].name), f->t[i].at, at);
    }
    if (f->data_at + at != f->size)
        return err_set(e, TT_EDATA, "%s: file of %" PRId64 " bytes (its header says %" PRId64 ")",
                       f->path, f->size, f->data_at + at);
    return 0;
}

static int read_header(struct st_file *f, struct err *e)
{
    struct index *x = f->priv;
    uint64_t n;

    int rc = header_length(f, &n, e);
    if (rc)
        return rc;
    x->header = xmalloc(n + 1);
    rc = read_at(f, x->header, n, 8, e);
    if (rc)
        return rc;
    if (!str_is_valid_utf8(x->header, n))
        return err_set(e, TT_EDATA, "%s: header is not UTF-8", f->path);
    f->data_at = 8 + (int64_t)n;
    rc = st_header_parse(f, x->header, n, e);
    if (rc)
        return rc;
    if (f->n)
        qsort(f->t, f->n, sizeof *f->t, by_offset);
    rc = index_names(f, x, e);
    return rc ? rc : check_chain(f, e);
}

int st_open(struct st_file *f, const char *path, struct err *e)
{
    *f =
        (struct st_file){.path = xstrdup(path), .fd = -1, .priv = xcalloc(1, sizeof(struct index))};
    int rc = open_regular(f, e);
    if (!rc)
        rc = read_header(f, e);
    if (rc)
        st_close(f);
    return rc;
}

void st_close(struct st_file *f)
{
    struct index *x = f->priv;

    if (x) {
        free(x->header);
        free(x->by_name);
        free(x);
    }
    if (f->fd >= 0)
        close(f->fd);
    free(f->t);
    free(f->path);
    strlist_release(&f->meta);
    *f = (struct st_file){.fd = -1};
}

const struct st_tensor *st_find(const struct st_file *f, const char *name)
{
    const struct index *x = f->priv;
    const struct st_tensor key = {.name = name}, *want = &key;

    const struct st_tensor **at =
        f->n ? bsearch(&want, x->by_name, f->n, sizeof want, by_name) : NULL;
    return at ? *at : NULL;
}

const char *st_meta(const struct st_file *f, const char *key)
{
    for (size_t i = f->meta.n; i >= 2; i -= 2) { /* of two with one key the later one counts */
        if (strcmp(f->meta.s[i - 2], key) == 0)
            return f->meta.s[i - 1];
    }
    return NULL;
}

int st_read(const struct st_file *f, const struct st_tensor *t, void *dst, struct err *e)
{
    return read_at(f, dst, t->bytes, f->data_at + t->at, e);
}

/* n elements at `src`, which has no alignment, to float32; false when one is beyond its range. */
static bool to_f32(enum dtype from, const char *src, float *dst, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t half;
        double wide;
        if (from == DT_F64) {
            memcpy(&wide, src + i * sizeof wide, sizeof wide);
            if (isfinite(wide) && fabs(wide) > FLT_MAX)
                return false;
            dst[i] = (float)wide;
            continue;
        }
        memcpy(&half, src + i * sizeof half, sizeof half);
        dst[i] = from == DT_F16 ? f32_from_f16(half) : f32_from_bf16(half);
    }
    return true;
}

int st_read_f32(const struct st_file *f, const struct st_tensor *t, float *dst, struct err *e)
{
    char shown[160], chunk[CHUNK];

    str_visible(shown, sizeof shown, t->name);
    if (t->dtype == DT_F32)
        return st_read(f, t, dst, e);
    if (t->dtype != DT_F16 && t->dtype != DT_BF16 && t->dtype != DT_F64)
        return err_set(e, TT_EDATA,
                       "%s: tensor \"%s\" is %s (F32, F16, BF16 or F64; no quantised checkpoints)",
                       f->path, shown, t->type);
    size_t size = dtype_size(t->dtype);
    for (size_t done = 0; done < t->bytes;) {
        size_t n = t->bytes - done < CHUNK ? t->bytes - done : CHUNK;
        int rc = read_at(f, chunk, n, f->data_at + t->at + (int64_t)done, e);
        if (rc)
            return rc;
        if (!to_f32(t->dtype, chunk, dst + done / size, n / size))
            return err_set(e, TT_EDATA, "%s: tensor \"%s\" holds a number beyond float32", f->path,
                           shown);
        done += n;
    }
    return 0;
}
