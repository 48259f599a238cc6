/* A matrix product as pieces of c, which the team shares out and BLAS computes one by one. (Its own
 * threads don't pay before 512 x 512 x 512, its copies into blocks not before 256 x 256 x 512.) */
#include "engine/backend/cpu/cpu.h"

enum {
    ALONE = 1 << 18, /* multiplications of a product that isn't worth two threads */
    FEW = 1 << 25,   /* of one that is better made of small ones */
    UNIT = 16,       /* rows and columns of other pieces are multiples of this, */
    UNIT_ROWS = 24,  /* or rows of this where columns are not to be cut; */
    MANY_ROWS = 9600, /* of more, BLAS would make parts of its own */
};

struct pieces {
    const struct product *p;
    int rows, cols;   /* of one piece; the last ones may have less */
    int down, across; /* pieces among and beside each other */
};

static int ceil_div(int n, int by)
{
    return (n + by - 1) / by;
}

static double work_of(const struct product *p)
{
    return (double)p->m * p->n * p->k;
}

/* Pieces that BLAS computes without copies, where that is faster; 32 x 32 is the most that it does
 * so with b transposed. */
static bool small_ones(struct pieces *s)
{
    const struct product *p = s->p;
    s->rows = 32;
    s->cols = p->tb || p->k > BLAS_SMALL / (32 * 64) ? 32 : 64;
    return blas_likes_small() && work_of(p) <= FEW && p->k <= BLAS_SMALL / (32 * 32) &&
           !(p->tb && (p->ta || p->k < 32));
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int piece_of(int n, int among, int unit)
{
    return ceil_div(ceil_div(n, among), unit) * unit;
}

/* One for each thread, with the shortest edges: these are what BLAS copies. */
static void large_ones(struct pieces *s, int threads)
{
    const struct product *p = s->p;
    double best = 0;
    s->rows = least(piece_of(p->m, threads, UNIT_ROWS), MANY_ROWS);
    s->cols = p->n;
    for (int down = 1; down <= threads && blas_cuts_columns(); down++) {
        double edges = (double)p->m / down + (double)p->n * down / threads;
        if (threads % down || (down > 1 && edges >= best))
            continue;
        best = edges;
        s->rows = piece_of(p->m, down, UNIT);
        s->cols = piece_of(p->n, threads / down, UNIT);
    }
}

static void piece(const void *arg, size_t i)
{
    const struct pieces *s = arg;
    struct product p = *s->p;
    bool flat = p.m < p.n; /* along the short side first: the other matrix is read once */
    int r = (int)(flat ? i % s->down : i / s->across) * s->rows;
    int c = (int)(flat ? i / s->down : i % s->across) * s->cols;
    p.m = least(p.m - r, s->rows);
    p.n = least(p.n - c, s->cols);
    p.a += p.ta ? (size_t)r : (size_t)r * p.lda;
    p.b += p.tb ? (size_t)c * p.ldb : (size_t)c;
    p.c += (size_t)r * p.ldc + c;
    blas_product(&p);
}

void cpu_gemm(struct backend *be, bool ta, bool tb, int m, int n, int k, float alpha,
              const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
    const struct product p = {ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
    struct pieces s = {.p = &p};
    int threads = work_of(&p) < ALONE ? 1 : cpu_threads(be);
    if (!small_ones(&s))
        large_ones(&s, threads);
    s.down = ceil_div(m, s.rows);
    s.across = ceil_div(n, s.cols);
    cpu_each(be, threads > 1 ? SIZE_MAX : 0, (size_t)s.down * s.across, piece, &s);
}
