/* Convolution, picture by picture: im2col into a small matrix that stays in the cache, then a
 * product. Threads share the pictures out and each calls BLAS alone.
 *
 * Sizes below: K = c kh kw, weights of one output channel; P = oh ow, output places of one plane.
 * forward    y[oc,P]  = w[oc,K] col[K,P]
 * weights    dw[oc,K] = sum over pictures dy[oc,P] col[K,P]'
 * input      dx       = col2im(w[oc,K]' dy[oc,P])
 * The pictures are split into parts that depend on the sizes only; each part sums its own dw and
 * db, and these are added in their order. */
#include "engine/backend/cpu/cpu.h"

#include <omp.h>
#include <string.h>

#include "engine/backend/cpu/im2col.h"

enum { MAX_PARTS = 16, PART_BYTES = 8 << 20 }; /* bytes of all parts' dw, about */

/* Where things lie in the scratch, in floats; db is in double. */
struct layout {
    size_t k, p;   /* K, P */
    size_t col;    /* one thread's matrix */
    size_t dw, db; /* of one part */
    int parts;
};

static size_t aligned(size_t floats)
{
    return (floats + 15) / 16 * 16;
}

static struct layout layout_of(const struct conv_dims *d)
{
    struct layout l = {.k = (size_t)d->c * d->kh * d->kw, .p = (size_t)d->oh * d->ow};
    l.col = aligned(l.k * l.p);
    l.dw = aligned(l.k * d->oc);
    l.db = aligned(2 * (size_t)d->oc);
    size_t parts = PART_BYTES / (l.dw * sizeof(float));
    parts = parts < MAX_PARTS ? parts : MAX_PARTS;
    parts = parts < (size_t)d->n ? parts : (size_t)d->n;
    l.parts = parts > 0 ? (int)parts : 1;
    return l;
}

size_t cpu_conv2d_scratch(struct backend *be, const struct conv_dims *d)
{
    struct layout l = layout_of(d);
    return (l.col * be->threads + (l.dw + l.db) * l.parts) * sizeof(float);
}

/* One picture alone is left to the threads of BLAS. */
static bool shared_out(const struct backend *be, const struct conv_dims *d, const struct layout *l)
{
    return d->n > 1 && cpu_parallel(be, d->n * l->k * l->p);
}

CPU_CLONES static void add_channel_bias(float *y, const float *bias, int channels, size_t p)
{
    for (int c = 0; c < channels; c++, y += p) {
#pragma omp simd
        for (size_t i = 0; i < p; i++)
            y[i] += bias[c];
    }
}

CPU_CLONES static void add_plane_sums(double *db, const float *dy, int channels, size_t p)
{
    for (int c = 0; c < channels; c++, dy += p) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < p; i++)
            sum += dy[i];
        db[c] += sum;
    }
}

void cpu_conv2d_fwd(struct backend *be, float *y, const float *x, const float *w, const float *bias,
                    const struct conv_dims *d, enum act act, float slope, void *scratch)
{
    struct layout l = layout_of(d);
    size_t x_size = (size_t)d->c * d->h * d->w, y_size = d->oc * l.p;
    float *cols = scratch;
    blas_enter_region(be);
#pragma omp parallel for schedule(dynamic) num_threads(be->threads) if (shared_out(be, d, &l))
    for (int i = 0; i < d->n; i++) {
        float *col = cols + l.col * omp_get_thread_num(), *out = y + i * y_size;
        im2col(col, x + i * x_size, d);
        cpu_gemm(be, false, false, d->oc, (int)l.p, (int)l.k, 1, w, (int)l.k, col, (int)l.p, 0, out,
                 (int)l.p);
        if (bias)
            add_channel_bias(out, bias, d->oc, l.p);
        act_apply(out, out, y_size, act, slope);
    }
    blas_leave_region(be);
}

/* What one call of conv2d_bwd works on. */
struct backward {
    struct backend *be;
    const struct conv_dims *d;
    struct layout l;
    float *dx, *cols, *dws;
    double *dbs;
    const float *dy, *x, *w;
    bool want_dw, want_db, add_dx;
};

/* One picture of a part; `first`: the part's sums start here. */
static void picture_bwd(const struct backward *b, int i, bool first, float *dw, double *db)
{
    const struct conv_dims *d = b->d;
    int k = (int)b->l.k, p = (int)b->l.p;
    size_t x_size = (size_t)d->c * d->h * d->w;
    const float *dy = b->dy + (size_t)i * d->oc * p;
    float *col = b->cols + b->l.col * omp_get_thread_num();
    if (b->want_db)
        add_plane_sums(db, dy, d->oc, b->l.p);
    if (b->want_dw) {
        im2col(col, b->x + i * x_size, d);
        cpu_gemm(b->be, false, true, d->oc, k, p, 1, dy, p, col, p, !first, dw, k);
    }
    if (b->dx) {
        float *dx = b->dx + i * x_size;
        cpu_gemm(b->be, true, false, k, p, d->oc, 1, b->w, k, dy, p, 0, col, p);
        if (!b->add_dx)
            memset(dx, 0, x_size * sizeof *dx);
        col2im(dx, col, d);
    }
}

static void part_bwd(const struct backward *b, int part)
{
    float *dw = b->dws + b->l.dw * part;
    double *db = b->dbs + b->l.db / 2 * part;
    size_t first = cpu_part(b->d->n, b->l.parts, part);
    size_t end = cpu_part(b->d->n, b->l.parts, part + 1);
    memset(db, 0, b->d->oc * sizeof *db);
    for (size_t i = first; i < end; i++)
        picture_bwd(b, (int)i, i == first, dw, db);
}

CPU_CLONES static void add_parts(float *out, const float *part, size_t stride, int parts, size_t n,
                                 bool add)
{
    for (int p = 0; p < parts; p++, part += stride) {
        bool sum = add || p > 0;
#pragma omp simd
        for (size_t i = 0; i < n; i++)
            out[i] = sum ? out[i] + part[i] : part[i];
    }
}

static void add_parts_db(float *out, const double *part, size_t stride, int parts, int n, bool add)
{
    for (int i = 0; i < n; i++) {
        double sum = add ? out[i] : 0;
        for (int p = 0; p < parts; p++)
            sum += part[p * stride + i];
        out[i] = (float)sum;
    }
}

void cpu_conv2d_bwd(struct backend *be, float *dx, float *dw, float *db, const float *dy,
                    const float *x, const float *w, const struct conv_dims *d, bool add_dx,
                    bool add_dw, bool add_db, void *scratch)
{
    struct backward b = {.be = be,
                         .d = d,
                         .l = layout_of(d),
                         .dx = dx,
                         .cols = scratch,
                         .dy = dy,
                         .x = x,
                         .w = w,
                         .want_dw = dw,
                         .want_db = db,
                         .add_dx = add_dx};
    b.dws = b.cols + b.l.col * be->threads;
    b.dbs = (double *)(b.dws + b.l.dw * b.l.parts);
    blas_enter_region(be);
#pragma omp parallel for schedule(dynamic) num_threads(be->threads) if (shared_out(be, d, &b.l))
    for (int part = 0; part < b.l.parts; part++)
        part_bwd(&b, part);
    blas_leave_region(be);
    size_t n = b.l.k * d->oc;
    if (dw) {
#pragma omp parallel for schedule(static) if (cpu_parallel(be, n * b.l.parts))
        for (size_t at = 0; at < n; at += CPU_CHUNK)
            add_parts(dw + at, b.dws + at, b.l.dw, b.l.parts, cpu_chunk(n, at), add_dw);
    }
    if (db)
        add_parts_db(db, b.dbs, b.l.db / 2, b.l.parts, d->oc, add_db);
}
