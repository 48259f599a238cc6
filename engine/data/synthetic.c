/* Made-up rows that can be learned but not at once. Each class has a few prototypes: smooth random
 * fields on a torus. A row is one of them, shifted, mixed with a weaker one of another class, plus
 * noise. A row depends on (seed, side, number) only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/rng.h"
#include "engine/data/labels.h"

#define STYLES 2      /* prototypes of a class */
#define GRID 4        /* knots of a field along each side */
#define MAX_ROW 65536 /* elements of a row */

/* Numbers of Philox steps, so that rows and prototypes never share any. */
#define STEP_EVAL ((uint64_t)1 << 40)
#define STEP_PROTOTYPE ((uint64_t)1 << 41)

struct maker {
    uint64_t seed;
    int64_t dim[3]; /* C, H, W */
    int ndim;
    int64_t classes;
    double noise;
    size_t len;
    float *prototype; /* [classes, STYLES, C, H, W] */
};

/* "784", "28x28" or "3x32x32". */
static int parse_shape(struct maker *m, const char *text, struct err *e)
{
    struct strlist part = STRLIST_INIT;
    int rc = 0;
    strlist_split(&part, text ? text : "", 'x');
    m->dim[0] = m->dim[1] = m->dim[2] = 1;
    m->len = 1;
    m->ndim = part.n == 1 ? 1 : 3;
    for (size_t i = 0; i < part.n && part.n <= 3 && !rc; i++) {
        int64_t *dim = &m->dim[3 - part.n + i];
        if (!str_to_i64(part.s[i], dim) || *dim < 1 || *dim > MAX_ROW ||
            (m->len *= (size_t)*dim) > MAX_ROW)
            rc = TT_ECONFIG;
    }
    if (rc || part.n == 0 || part.n > 3)
        rc = err_set(e, TT_ECONFIG,
                     "data.shape \"%s\" (a number of features, HxW or CxHxW, %d values at most)",
                     text ? text : "", MAX_ROW);
    strlist_release(&part);
    return rc;
}

/* Bilinear between GRID x GRID normal knots; the edges meet. */
static void draw_plane(const float knot[GRID][GRID], int64_t h, int64_t w, float *out)
{
    for (int64_t y = 0; y < h; y++) {
        double v = (double)y * GRID / (double)h;
        int y0 = (int)v, y1 = (y0 + 1) % GRID;
        for (int64_t x = 0; x < w; x++) {
            double u = (double)x * GRID / (double)w;
            int x0 = (int)u, x1 = (x0 + 1) % GRID;
            double a = u - x0, b = v - y0;
            out[y * w + x] = (float)((1 - b) * ((1 - a) * knot[y0][x0] + a * knot[y0][x1]) +
                                     b * ((1 - a) * knot[y1][x0] + a * knot[y1][x1]));
        }
    }
}

static void draw_prototypes(struct maker *m)
{
    size_t plane = (size_t)(m->dim[1] * m->dim[2]), n = (size_t)m->classes * STYLES;
    m->prototype = xmalloc(n * m->len * sizeof *m->prototype);
    for (size_t i = 0; i < n; i++) {
        float *to = m->prototype + i * m->len;
        struct rng_key key = {m->seed, RNG_SYNTHETIC, STEP_PROTOTYPE + i * (size_t)m->dim[0]};
        if (m->ndim == 1) {
            rng_normal(key, to, m->len, 0, 1);
            continue;
        }
        for (int64_t c = 0; c < m->dim[0]; c++, key.step++) {
            float knot[GRID][GRID];
            rng_normal(key, &knot[0][0], GRID * GRID, 0, 1);
            draw_plane((const float(*)[GRID])knot, m->dim[1], m->dim[2], to + (size_t)c * plane);
        }
    }
}

/* What the words of a row's key decide. */
struct recipe {
    int64_t class, other; /* the stronger and the weaker */
    const float *from, *distractor;
    int64_t dy, dx;
    float weight; /* of the stronger: 0.55 to 1 */
};

/* A number below n from one word. */
static int64_t choose(uint32_t word, int64_t n)
{
    return (int64_t)((uint64_t)word * (uint64_t)n >> 32);
}

static struct rng_key row_key(const struct maker *m, bool eval, int64_t row)
{
    return (struct rng_key){m->seed, RNG_SYNTHETIC, (eval ? STEP_EVAL : 0) + 2 * (uint64_t)row};
}

static struct recipe row_recipe(const struct maker *m, bool eval, int64_t row)
{
    uint32_t a[4], b[4];
    struct rng_key key = row_key(m, eval, row);
    rng_block(key, 0, a);
    rng_block(key, 1, b);
    struct recipe r = {.class = choose(a[0], m->classes)};
    r.other = (r.class + 1 + choose(a[2], m->classes - 1)) % m->classes;
    r.weight = 0.55f + 0.45f * rng_to_unit(b[0]);
    if (m->prototype) {
        r.from = m->prototype + (size_t)(r.class * STYLES + choose(a[1], STYLES)) * m->len;
        r.distractor = m->prototype + (size_t)(r.other * STYLES + choose(a[3], STYLES)) * m->len;
    }
    if (m->ndim == 3) { /* up to a tenth of the side, either way */
        r.dy = choose(b[1], m->dim[1] / 5 + 1) + m->dim[1] - m->dim[1] / 10;
        r.dx = choose(b[2], m->dim[2] / 5 + 1) + m->dim[2] - m->dim[2] / 10;
    }
    return r;
}

static void draw_row(const struct maker *m, bool eval, int64_t row, float *x)
{
    struct recipe r = row_recipe(m, eval, row);
    struct rng_key key = row_key(m, eval, row);
    key.step++;
    rng_normal(key, x, m->len, 0, (float)m->noise);
    for (int64_t c = 0; c < m->dim[0]; c++)
        for (int64_t y = 0; y < m->dim[1]; y++) {
            size_t to = (size_t)((c * m->dim[1] + y) * m->dim[2]);
            size_t from = (size_t)((c * m->dim[1] + (y + r.dy) % m->dim[1]) * m->dim[2]);
            for (int64_t i = 0; i < m->dim[2]; i++) {
                size_t shifted = from + (size_t)((i + r.dx) % m->dim[2]);
                x[to + (size_t)i] +=
                    r.weight * r.from[shifted] + (1 - r.weight) * r.distractor[shifted];
            }
        }
    for (size_t i = 0; i < m->len && m->ndim == 3; i++) /* as pixels are: 0 to 1 */
        x[i] = fminf(fmaxf(0.5f + 0.2f * x[i], 0), 1);
}

static int make(struct dataset *ds, const struct data_opts *o, bool eval, uint64_t seed,
                bool features, struct err *e)
{
    struct maker m = {.seed = seed, .classes = o->classes, .noise = o->noise};
    int rc = parse_shape(&m, o->shape, e);
    if (!rc)
        rc = labels_numbered(ds, m.classes, o, e);
    if (rc)
        return rc;
    ds->rows = eval ? (o->rows + 5) / 6 : o->rows;
    ds->labelled = ds->rows;
    ds->row_len = m.len;
    ds->spec.kind = BATCH_DENSE;
    ds->spec.ndim = m.ndim;
    memcpy(ds->spec.dim, m.ndim == 1 ? &m.dim[2] : m.dim, (size_t)m.ndim * sizeof *m.dim);
    ds->label = xmalloc((size_t)ds->rows * sizeof *ds->label);
    for (int64_t i = 0; i < ds->rows; i++)
        ds->label[i] = (int32_t)row_recipe(&m, eval, i).class;
    if (!features)
        return 0;
    draw_prototypes(&m);
    ds->x = xmalloc((size_t)ds->rows * m.len * sizeof *ds->x);
    for (int64_t i = 0; i < ds->rows; i++)
        draw_row(&m, eval, i, ds->x + (size_t)i * m.len);
    free(m.prototype);
    return 0;
}

static int synthetic_read(struct dataset *ds, const struct data_opts *o, bool eval,
                          const struct dataset *base, uint64_t seed, struct err *e)
{
    (void)base;
    return make(ds, o, eval, seed, true, e);
}

static int synthetic_peek(struct dataset *ds, const struct data_opts *o, bool eval,
                          const struct dataset *base, uint64_t seed, struct err *e)
{
    (void)base;
    return make(ds, o, eval, seed, false, e);
}

const struct data_format data_synthetic = {
    .name = "synthetic",
    .summary = "made-up rows of data.shape, for trying things out",
    .read = synthetic_read,
    .peek = synthetic_peek,
};
