/* Attention in blocks against plain loops; texts that don't know of each other; threads that don't
 * change a bit; the rows of a table and their gradient. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend/backend.h"
#include "engine/base/mem.h"

/* Shorter and longer than a block of queries (64) and of keys (128). */
static const int32_t lengths[] = {1, 300, 64, 2, 129, 65, 128, 13};
#define TEXTS ((int)(sizeof lengths / sizeof *lengths))
enum { HEADS = 3 };

struct inputs {
    struct attention_dims d;
    int32_t at[TEXTS + 1];
    size_t n;               /* elements of each of the following */
    float *q, *k, *v, *dy;
    float *y, *lse, *dq, *dk, *dv;
};

static float *values(size_t n, uint64_t number)
{
    float *x = xmalloc(n * sizeof *x);
    rng_uniform((struct rng_key){3, RNG_SYNTHETIC, number}, x, n, -2, 2);
    return x;
}

static void make(struct inputs *in, int texts, int size, float p)
{
    *in = (struct inputs){.d = {.texts = texts, .heads = HEADS, .size = size, .p = p,
                                .key = {7, RNG_DROPOUT, 9}}};
    for (int i = 0; i < texts; i++)
        in->at[i + 1] = in->at[i] + lengths[i];
    in->d.at = in->at;
    in->d.tokens = in->at[texts];
    in->n = (size_t)in->d.tokens * HEADS * (size_t)size;
    in->q = values(in->n, 0);
    in->k = values(in->n, 1);
    in->v = values(in->n, 2);
    in->dy = values(in->n, 3);
    in->y = xcalloc(in->n, sizeof *in->y);
    in->lse = xcalloc((size_t)in->d.tokens * HEADS, sizeof *in->lse);
    in->dq = xcalloc(in->n, sizeof *in->dq);
    in->dk = xcalloc(in->n, sizeof *in->dk);
    in->dv = xcalloc(in->n, sizeof *in->dv);
}

static void release(struct inputs *in)
{
    float *all[] = {in->q, in->k, in->v, in->dy, in->y, in->lse, in->dq, in->dk, in->dv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void run(struct inputs *in, int threads, bool add)
{
    struct backend be;
    struct err e = ERR_INIT;
    float *d[3] = {in->dq, in->dk, in->dv};
    bool adds[3] = {add, add, add};
    assert_int_equal(backend_open(&be, "cpu", threads, &e), 0);
    be.k->attention_fwd(&be, in->y, in->lse, in->q, in->k, in->v, &in->d);
    be.k->attention_bwd(&be, d, adds, in->dy, in->y, in->lse, in->q, in->k, in->v, &in->d);
    backend_close(&be);
}

/* One head of one text in double: y, and what it adds to the gradients. */
static void plain_head(const struct inputs *in, int text, int head, double *y, double *dq, double *dk,
                       double *dv)
{
    int first = in->at[text], n = in->at[text + 1] - first, size = in->d.size, step = HEADS * size;
    double *prob = xmalloc((size_t)n * sizeof *prob), *dprob = xmalloc((size_t)n * sizeof *dprob);
    double scale = 1 / sqrt(size);
    for (int i = 0; i < n; i++) {
        size_t qi = (size_t)(first + i) * (size_t)step + (size_t)(head * size);
        double max = -INFINITY, sum = 0, mean = 0;
        for (int j = 0; j < n; j++) {
            size_t kj = (size_t)(first + j) * (size_t)step + (size_t)(head * size);
            prob[j] = 0;
            for (int c = 0; c < size; c++)
                prob[j] += scale * in->q[qi + (size_t)c] * in->k[kj + (size_t)c];
            max = fmax(max, prob[j]);
        }
        for (int j = 0; j < n; j++)
            sum += prob[j] = exp(prob[j] - max);
        for (int j = 0; j < n; j++) {
            size_t vj = (size_t)(first + j) * (size_t)step + (size_t)(head * size);
            prob[j] /= sum;
            dprob[j] = 0;
            for (int c = 0; c < size; c++) {
                y[qi + (size_t)c] += prob[j] * in->v[vj + (size_t)c];
                dv[vj + (size_t)c] += prob[j] * in->dy[qi + (size_t)c];
                dprob[j] += (double)in->dy[qi + (size_t)c] * in->v[vj + (size_t)c];
            }
            mean += prob[j] * dprob[j];
        }
        for (int j = 0; j < n; j++) {
            size_t kj = (size_t)(first + j) * (size_t)step + (size_t)(head * size);
            double ds = prob[j] * (dprob[j] - mean) * scale;
            for (int c = 0; c < size; c++) {
                dq[qi + (size_t)c] += ds * in->k[kj + (size_t)c];
                dk[kj + (size_t)c] += ds * in->q[qi + (size_t)c];
            }
        }
    }
    free(prob);
    free(dprob);
}

/* Within 3e-6 of the largest. */
static void compare(const float *got, const double *right, size_t n)
{
    double most = 0;
    float *r = xmalloc(n * sizeof *r);
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(right[i]));
        r[i] = (float)right[i];
    }
    assert_close_f32(got, r, n, 0, 3e-6 * most);
    free(r);
}

static void check_plain(int size)
{
    struct inputs in;
    double *right[4];
    make(&in, TEXTS, size, 0);
    for (int i = 0; i < 4; i++)
        right[i] = xcalloc(in.n, sizeof **right);
    for (int text = 0; text < TEXTS; text++)
        for (int head = 0; head < HEADS; head++)
            plain_head(&in, text, head, right[0], right[1], right[2], right[3]);
    run(&in, 2, false);
    compare(in.y, right[0], in.n);
    compare(in.dq, right[1], in.n);
    compare(in.dk, right[2], in.n);
    compare(in.dv, right[3], in.n);
    run(&in, 2, true); /* the same again */
    for (size_t i = 0; i < in.n; i++)
        right[2][i] *= 2;
    compare(in.dk, right[2], in.n);
    for (int i = 0; i < 4; i++)
        free(right[i]);
    release(&in);
}

static void plain_loops(void **state)
{
    (void)state;
    check_plain(1);
    check_plain(8);
    check_plain(17);
    check_plain(64);
}

static void assert_same(const float *a, const float *b, size_t n)
{
    assert_memory_equal(a, b, n * sizeof *a);
}

static void threads(void **state)
{
    struct inputs one, more;
    (void)state;
    make(&one, TEXTS, 32, 0.1f);
    run(&one, 1, false);
    for (int n = 2; n <= 5; n++) {
        make(&more, TEXTS, 32, 0.1f);
        run(&more, n, false);
        assert_same(one.y, more.y, one.n);
        assert_same(one.dq, more.dq, one.n);
        assert_same(one.dk, more.dk, one.n);
        assert_same(one.dv, more.dv, one.n);
        release(&more);
    }
    release(&one);
}

/* A text gives the same rows whoever stands beside it. */
static void alone(void **state)
{
    struct inputs all, few;
    (void)state;
    make(&all, TEXTS, 16, 0);
    run(&all, 2, false);
    for (int n = 1; n < TEXTS; n++) {
        make(&few, n, 16, 0);
        memcpy(few.q, all.q, few.n * sizeof *few.q);
        memcpy(few.k, all.k, few.n * sizeof *few.k);
        memcpy(few.v, all.v, few.n * sizeof *few.v);
        run(&few, 2, false);
        assert_close_f32(few.y, all.y, few.n, 0, 1e-6);
        release(&few);
    }
    release(&all);
}

/* With equal keys every probability is 1/n: y is the mean of the values that live, scaled. */
static void dropped_share(void **state)
{
    struct inputs in;
    const float p = 0.25f;
    (void)state;
    make(&in, 2, 8, p);
    memset(in.k, 0, in.n * sizeof *in.k);
    for (size_t i = 0; i < in.n; i++)
        in.v[i] = 1;
    run(&in, 2, false);
    double sum = 0, rows = 0, n = lengths[1];
    for (size_t i = (size_t)in.at[1] * HEADS * 8; i < in.n; i += 8, rows++) {
        double living = in.y[i] * (1 - p) * n;
        assert_close(living, round(living), 0, 1e-3);
        sum += living;
    }
    double expected = rows * n * (1 - p);
    assert_close(sum, expected, 0, 5 * sqrt(rows * n * p * (1 - p)));
    release(&in);
}

/* Scores of thousands: the largest wins, nothing overflows. */
static void sharp(void **state)
{
    struct inputs in;
    (void)state;
    make(&in, TEXTS, 8, 0);
    for (size_t i = 0; i < in.n; i++)
        in.q[i] *= 5000;
    run(&in, 2, false);
    for (size_t i = 0; i < in.n; i++)
        assert_true(isfinite(in.y[i]) && isfinite(in.dq[i]) && isfinite(in.dk[i]));
    release(&in);
}

/* ---- rows of a table ---- */

static void gather(void **state)
{
    enum { ROWS = 50, COLS = 130, N = 400 };
    struct backend be;
    struct err e = ERR_INIT;
    int32_t id[N];
    float *w = values(ROWS * COLS, 4), *dy = values(N * COLS, 5), *y = xcalloc(N * COLS, sizeof *y);
    float *dw = values(ROWS * COLS, 6), *right = xcalloc(ROWS * COLS, sizeof *right);
    (void)state;
    for (int i = 0; i < N; i++) {
        id[i] = i * 7 % ROWS;
        for (int c = 0; c < COLS && id[i] != 3; c++)
            right[id[i] * COLS + c] += dy[i * COLS + c];
    }
    for (int n = 1; n <= 3; n++) {
        assert_int_equal(backend_open(&be, "cpu", n, &e), 0);
        be.k->gather_fwd(&be, y, w, id, N, COLS);
        for (int i = 0; i < N; i++)
            assert_memory_equal(y + i * COLS, w + id[i] * COLS, COLS * sizeof *y);
        be.k->gather_bwd(&be, dw, dy, id, N, ROWS, COLS, 3, false);
        assert_same(dw, right, ROWS * COLS);
        be.k->gather_bwd(&be, dw, dy, id, N, ROWS, COLS, 3, true);
        assert_close(dw[COLS], 2 * right[COLS], 1e-5, 1e-5);
        assert_close(dw[3 * COLS], 0, 0, 0);
        backend_close(&be);
    }
    float *all[] = {w, dy, y, dw, right};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_loops),   cmocka_unit_test(threads), cmocka_unit_test(alone),
        cmocka_unit_test(dropped_share), cmocka_unit_test(sharp),   cmocka_unit_test(gather),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
