/* Max-pooling. As in torch a NaN beats every number, so that it comes through; among equal numbers
 * the first in row order wins. */
#include "engine/backend/cpu/cpu.h"

#include <math.h>
#include <string.h>

CPU_INLINE void pick(float *best, int32_t *at, const float *x, int32_t i)
{
    bool better = x[i] > *best || x[i] != x[i];
    *at = better ? i : *at;
    *best = better ? x[i] : *best;
}

/* One window, clipped to the picture. */
static void window(float *y, int32_t *arg, const float *x, int oy, int ox,
                   const struct pool_dims *d)
{
    int y0 = oy * d->stride - d->pad, x0 = ox * d->stride - d->pad;
    int y1 = y0 + d->k < d->h ? y0 + d->k : d->h, x1 = x0 + d->k < d->w ? x0 + d->k : d->w;
    y0 = y0 > 0 ? y0 : 0;
    x0 = x0 > 0 ? x0 : 0;
    *y = -INFINITY;
    *arg = y0 * d->w + x0;
    for (int i = y0; i < y1; i++) {
        for (int j = x0; j < x1; j++)
            pick(y, arg, x, i * d->w + j);
    }
}

/* Windows of 2 x 2 side by side, the first one's corner at `corner`. */
CPU_INLINE void windows2(float *y, int32_t *arg, const float *x, int corner, int w, int lanes)
{
#pragma omp simd
    for (int l = 0; l < lanes; l++) {
        int32_t i = corner + 2 * l, at = i;
        float best = x[i];
        pick(&best, &at, x, i + 1);
        pick(&best, &at, x, i + w);
        pick(&best, &at, x, i + w + 1);
        y[l] = best;
        arg[l] = at;
    }
}

/* A row of them, `lanes` at a time; the last group may overlap the one before. */
CPU_INLINE void row2(float *y, int32_t *arg, const float *x, int corner, int w, int ow, int lanes)
{
    for (int o = 0; o < ow; o += lanes) {
        int at = o + lanes < ow ? o : ow - lanes;
        windows2(y + at, arg + at, x, corner + 2 * at, w, lanes);
    }
}

CPU_CLONES static void plane2(float *y, int32_t *arg, const float *x, const struct pool_dims *d)
{
    for (int oy = 0; oy < d->oh; oy++, y += d->ow, arg += d->ow) {
        int corner = 2 * oy * d->w;
        if (d->ow >= 8)
            row2(y, arg, x, corner, d->w, d->ow, 8);
        else if (d->ow >= 4)
            row2(y, arg, x, corner, d->w, d->ow, 4);
        else
            row2(y, arg, x, corner, d->w, d->ow, 1);
    }
}

static void any_plane(float *y, int32_t *arg, const float *x, const struct pool_dims *d)
{
    for (int oy = 0; oy < d->oh; oy++) {
        for (int ox = 0; ox < d->ow; ox++)
            window(y++, arg++, x, oy, ox, d);
    }
}

struct forward {
    float *y;
    int32_t *at;
    const float *x;
    const struct pool_dims *d;
};

static void plane_fwd(const void *arg, size_t p)
{
    const struct forward *f = arg;
    const struct pool_dims *d = f->d;
    size_t in = (size_t)d->h * d->w, out = (size_t)d->oh * d->ow;
    bool usual = d->k == 2 && d->stride == 2 && d->pad == 0;
    (usual ? plane2 : any_plane)(f->y + p * out, f->at + p * out, f->x + p * in, d);
}

void cpu_maxpool_fwd(struct backend *be, float *y, int32_t *arg, const float *x,
                     const struct pool_dims *d)
{
    size_t planes = (size_t)d->n * d->c;
    cpu_each(be, planes * d->h * d->w, planes, plane_fwd, &(struct forward){y, arg, x, d});
}

struct backward {
    float *dx;
    const float *dy;
    const int32_t *at;
    const struct pool_dims *d;
    bool add;
};

static void plane_bwd(const void *arg, size_t p)
{
    const struct backward *b = arg;
    size_t in = (size_t)b->d->h * b->d->w, out = (size_t)b->d->oh * b->d->ow;
    const float *dy = b->dy + p * out;
    const int32_t *at = b->at + p * out;
    float *dx = b->dx + p * in;
    if (!b->add)
        memset(dx, 0, in * sizeof *dx);
    for (size_t i = 0; i < out; i++)
        dx[at[i]] += dy[i];
}

void cpu_maxpool_bwd(struct backend *be, float *dx, const float *dy, const int32_t *arg,
                     const struct pool_dims *d, bool add)
{
    size_t planes = (size_t)d->n * d->c;
    cpu_each(be, planes * d->h * d->w, planes, plane_bwd, &(struct backward){dx, dy, arg, d, add});
}
