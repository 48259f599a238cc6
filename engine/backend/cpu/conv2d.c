/* Convolution, picture by picture: im2col into a small matrix that stays in the cache, then a
 * product. Threads share the pictures out.
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

/* What one call of conv2d_fwd works on. */
struct forward {
    struct backend *be;
    const struct conv_dims *d;
    struct layout l;
    float *y, *cols;
    const float *x, *w, *bias;
    enum act act;
    float slope;
};

static void picture_fwd(const void *arg, size_t i)
{
    const struct forward *f = arg;
    const struct conv_dims *d = f->d;
    int k = (int)f->l.k, p = (int)f->l.p;
    size_t x_size = (size_t)d->c * d->h * d->w, y_size = d->oc * f->l.p;
    float *col = f->cols + f->l.col * omp_get_thread_num(), *y = f->y + i * y_size;
    im2col(col, f->x + i * x_size, d);
    cpu_gemm(f->be, false, false, d->oc, p, k, 1, f->w, k, col, p, 0, y, p);
    if (f->bias)
        add_channel_bias(y, f->bias, d->oc, f->l.p);
    act_apply(y, y, y_size, f->act, f->slope);
}

void cpu_conv2d_fwd(struct backend *be, float *y, const float *x, const float *w, const float *bias,
                    const struct conv_dims *d, enum act act, float slope, void *scratch)
{
    const struct forward f = {.be = be,
                              .d = d,
                              .l = layout_of(d),
                              .y = y,
                              .cols = scratch,
                              .x = x,
                              .w = w,
                              .bias = bias,
                              .act = act,
                              .slope = slope};
    cpu_each(be, d->n * f.l.k * f.l.p, (size_t)d->n, picture_fwd, &f);
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
static void picture_bwd(const struct backward *b, size_t i, bool first, float *dw, double *db)
{
    const struct conv_dims *d = b->d;
    int k = (int)b->l.k, p = (int)b->l.p;
    size_t x_size = (size_t)d->c * d->h * d->w;
    const float *dy = b->dy + i * d->oc * p;
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

static void part_bwd(const void *arg, size_t part)
{
    const struct backward *b = arg;
    float *dw = b->dws + b->l.dw * part;
    double *db = b->dbs + b->l.db / 2 * part;
    size_t first = cpu_part(b->d->n, b->l.parts, part);
    size_t end = cpu_part(b->d->n, b->l.parts, part + 1);
    memset(db, 0, b->d->oc * sizeof *db);
    for (size_t i = first; i < end; i++)
        picture_bwd(b, i, i == first, dw, db);
}

/* The parts' sums of the weights, which lie `stride` apart. */
struct dw_sum {
    float *out;
    const float *part;
    size_t stride;
    int parts;
    bool add;
};

CPU_CLONES static void sum_dw_range(const void *arg, size_t from, size_t to)
{
    const struct dw_sum a = *(const struct dw_sum *)arg;
    const float *part = a.part;
    for (int p = 0; p < a.parts; p++, part += a.stride) {
        bool sum = a.add || p > 0;
#pragma omp simd
        for (size_t i = from; i < to; i++)
            a.out[i] = sum ? a.out[i] + part[i] : part[i];
    }
}

static void sum_db(float *out, const double *part, size_t stride, int parts, int n, bool add)
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
    cpu_each(be, d->n * b.l.k * b.l.p, (size_t)b.l.parts, part_bwd, &b);
    if (dw) {
        const struct dw_sum a = {dw, b.dws, b.l.dw, b.l.parts, add_dw};
        cpu_each_chunk(be, b.l.k * d->oc, sum_dw_range, &a);
    }
    if (db)
        sum_db(db, b.dbs, b.l.db / 2, b.l.parts, d->oc, add_db);
}
