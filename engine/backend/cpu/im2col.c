/* Pictures to matrices and back. The usual convolution (stride 1, output as wide as the input)
 * moves whole planes: a row of the matrix is the plane, shifted, with zeros where it left the
 * picture. */
#include "engine/backend/cpu/im2col.h"

#include "engine/backend/cpu/cpu.h"

/* One row of the matrix: output place (oy, ox) meets input place (oy stride + dy, ox stride + dx),
 * which is inside the picture for oy in [y0, y1) and ox in [x0, x1). */
struct tap {
    int dy, dx, y0, y1, x0, x1;
};

/* Output places in front of the first that meets one of n inputs. */
static int places_before(int shift, int stride, int out)
{
    int n = shift < 0 ? (-shift + stride - 1) / stride : 0;
    return n < out ? n : out;
}

/* Output places in front of the first that lies past all n inputs. */
static int places_until(int n, int shift, int stride, int out)
{
    int m = shift < n ? (n - shift + stride - 1) / stride : 0;
    return m < out ? m : out;
}

static struct tap tap_of(const struct conv_dims *d, int ky, int kx)
{
    int dy = ky - d->pad, dx = kx - d->pad;
    struct tap t = {
        dy,
        dx,
        places_before(dy, d->stride, d->oh),
        places_until(d->h, dy, d->stride, d->oh),
        places_before(dx, d->stride, d->ow),
        places_until(d->w, dx, d->stride, d->ow),
    };
    return t;
}

static bool whole_planes(const struct conv_dims *d)
{
    return d->stride == 1 && d->ow == d->w;
}

/* Stretch [lo, hi) of a row that can be moved at once: place i of the row meets place i + shift of
 * the plane. It may wrap around the picture's sides, where the row is cleared. */
struct stretch {
    int lo, hi, shift;
};

static struct stretch stretch_of(const struct conv_dims *d, const struct tap *t)
{
    struct stretch s = {t->y0 * d->w, t->y1 * d->w, t->dy * d->w + t->dx};
    s.lo = s.lo < -s.shift ? -s.shift : s.lo;
    s.hi = s.hi > d->h * d->w - s.shift ? d->h * d->w - s.shift : s.hi;
    return s;
}

CPU_INLINE void clear_column(float *column, int ow, const struct tap *t)
{
    for (int oy = t->y0; oy < t->y1; oy++)
        column[oy * ow] = 0;
}

/* Zeros where a row lies outside the picture. */
CPU_INLINE void clear_outside(float *row, const struct conv_dims *d, const struct tap *t)
{
    int ow = d->ow;
    for (int i = 0; i < t->y0 * ow; i++)
        row[i] = 0;
    for (int i = t->y1 * ow; i < d->oh * ow; i++)
        row[i] = 0;
    for (int ox = 0; ox < t->x0; ox++)
        clear_column(row + ox, ow, t);
    for (int ox = t->x1; ox < ow; ox++)
        clear_column(row + ox, ow, t);
}

CPU_INLINE void row_from_plane(float *row, const float *plane, const struct conv_dims *d,
                               const struct tap *t)
{
    if (whole_planes(d)) {
        struct stretch s = stretch_of(d, t);
#pragma omp simd
        for (int i = s.lo; i < s.hi; i++)
            row[i] = plane[i + s.shift];
    } else {
        for (int oy = t->y0; oy < t->y1; oy++) {
            const float *from = plane + (oy * d->stride + t->dy) * d->w + t->dx;
#pragma omp simd
            for (int ox = t->x0; ox < t->x1; ox++)
                row[oy * d->ow + ox] = from[ox * d->stride];
        }
    }
    clear_outside(row, d, t);
}

CPU_INLINE void plane_from_row(float *plane, float *row, const struct conv_dims *d,
                               const struct tap *t)
{
    if (whole_planes(d)) {
        struct stretch s = stretch_of(d, t);
        clear_outside(row, d, t);
#pragma omp simd
        for (int i = s.lo; i < s.hi; i++)
            plane[i + s.shift] += row[i];
    } else {
        for (int oy = t->y0; oy < t->y1; oy++) {
            float *to = plane + (oy * d->stride + t->dy) * d->w + t->dx;
#pragma omp simd
            for (int ox = t->x0; ox < t->x1; ox++)
                to[ox * d->stride] += row[oy * d->ow + ox];
        }
    }
}

CPU_CLONES void im2col(float *col, const float *x, const struct conv_dims *d)
{
    int taps = d->kh * d->kw;
    size_t plane = (size_t)d->h * d->w, row = (size_t)d->oh * d->ow;
    for (int k = 0; k < taps; k++) {
        struct tap t = tap_of(d, k / d->kw, k % d->kw);
        for (size_t c = 0; c < (size_t)d->c; c++)
            row_from_plane(col + (c * taps + k) * row, x + c * plane, d, &t);
    }
}

CPU_CLONES void col2im(float *x, float *col, const struct conv_dims *d)
{
    int taps = d->kh * d->kw;
    size_t plane = (size_t)d->h * d->w, row = (size_t)d->oh * d->ow;
    for (int k = 0; k < taps; k++) {
        struct tap t = tap_of(d, k / d->kw, k % d->kw);
        for (size_t c = 0; c < (size_t)d->c; c++)
            plane_from_row(x + c * plane, col + (c * taps + k) * row, d, &t);
    }
}
