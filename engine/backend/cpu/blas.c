/* The only file that calls BLAS: a product by one thread, the choice of kernels, the check. OpenBLAS'
 * own functions are weak, so that any other cblas does as well. */
#include "engine/backend/cpu/cpu.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/log.h"

enum { PARALLEL_NONE, PARALLEL_PTHREAD, PARALLEL_OPENMP };

char *openblas_get_config(void);
char *openblas_get_corename(void);
int openblas_get_parallel(void);
void openblas_set_num_threads(int n);
void gotoblas_dynamic_init(void);
void gotoblas_dynamic_quit(void);
#pragma weak openblas_get_config
#pragma weak openblas_get_corename
#pragma weak openblas_get_parallel
#pragma weak openblas_set_num_threads
#pragma weak gotoblas_dynamic_init
#pragma weak gotoblas_dynamic_quit

static enum CBLAS_TRANSPOSE transpose(bool t)
{
    return t ? CblasTrans : CblasNoTrans;
}

static void sgemm(const struct product *p)
{
    cblas_sgemm(CblasRowMajor, transpose(p->ta), transpose(p->tb), p->m, p->n, p->k, p->alpha, p->a,
                p->lda, p->b, p->ldb, p->beta, p->c, p->ldc);
}

/* Columns that OpenBLAS' kernel for small products would copy to heap memory: up to 8 behind the
 * last whole 16, where neither matrix is transposed. */
static int heap_columns(const struct product *p)
{
    int rest = p->n % 16;
    bool small = (double)p->m * p->n * p->k <= BLAS_SMALL && p->k >= 32;
    return rest <= 8 && small && !p->ta && !p->tb && blas_likes_small() ? rest : 0;
}

/* The last `cols` columns, up to 8, with those of b copied to the stack as rows. */
static void last_columns(const struct product *p, int cols)
{
    enum { DEPTH = 256 };
    float rows[8 * DEPTH];
    struct product q = *p;
    q.tb = true;
    q.b = rows;
    q.ldb = DEPTH;
    q.n = cols;
    q.c += p->n - cols;
    for (int at = 0; at < p->k; at += DEPTH) {
        const float *b = p->b + (size_t)at * p->ldb + p->n - cols;
        q.k = p->k - at < DEPTH ? p->k - at : DEPTH;
        for (int l = 0; l < q.k; l++, b += p->ldb) {
            for (int j = 0; j < cols; j++)
                rows[j * DEPTH + l] = b[j];
        }
        sgemm(&q);
        q.a += DEPTH;
        q.beta = 1;
    }
}

void blas_product(const struct product *p)
{
    int cols = heap_columns(p);
    struct product whole = *p;
    whole.n -= cols;
    if (whole.n > 0)
        sgemm(&whole);
    if (cols > 0)
        last_columns(p, cols);
}

/* What the processor and the system can run, as OPENBLAS_CORETYPE spells it; NULL: nothing
 * special. */
static const char *processor_core(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

static bool core_is(const char *name)
{
    return openblas_get_corename && strcmp(openblas_get_corename(), name) == 0;
}

/* The library reads the variable when it is loaded, before main. Its two functions are those that
 * it calls at load and at exit: they set one pointer to a table of kernels. */
void blas_choose_core(void)
{
    const char *core = processor_core();
    if (!core || !core_is("Prescott") || getenv("OPENBLAS_CORETYPE"))
        return;
    if (gotoblas_dynamic_init && gotoblas_dynamic_quit) {
        setenv("OPENBLAS_CORETYPE", core, 1);
        gotoblas_dynamic_quit();
        gotoblas_dynamic_init();
    }
    if (!core_is(core))
        log_line(LOG_WARN,
                 "OpenBLAS does not know this processor and uses its slowest kernels: "
                 "set OPENBLAS_CORETYPE=%s before the start",
                 core);
}

bool blas_likes_small(void)
{
    return core_is("SkylakeX") || core_is("Cooperlake") || core_is("SapphireRapids");
}

/* The AVX2 kernels round by how far an element is from the last of 24 rows and from the last column. */
bool blas_cuts_columns(void)
{
    return !core_is("Haswell") && !core_is("Zen");
}

/* The pthread build has a pool of its own, which does not know of OpenMP: it stays asleep. */
int blas_open(struct err *e)
{
    blas_choose_core();
    if (openblas_get_parallel && openblas_get_parallel() == PARALLEL_PTHREAD)
        openblas_set_num_threads(1);
    return blas_check(e);
}

void blas_describe(char *dst, size_t size)
{
    static const char *const threading[] = {
        [PARALLEL_NONE] = "serial", [PARALLEL_PTHREAD] = "pthread", [PARALLEL_OPENMP] = "openmp"};
    if (!openblas_get_config || !openblas_get_corename || !openblas_get_parallel) {
        snprintf(dst, size, "cblas, not OpenBLAS");
        return;
    }
    /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": two words are wanted */
    const char *config = openblas_get_config();
    size_t name = strcspn(config, " "), version = strspn(config + name, " ");
    version += strcspn(config + name + version, " ");
    snprintf(dst, size, "%.*s, %s, core %s", (int)(name + version), config,
             threading[openblas_get_parallel()], openblas_get_corename());
}

/* ---- the check ---- */

enum { CHECK_MAX = 12288 }; /* elements of the largest matrix below */

struct shape {
    bool ta, tb;
    int m, n, k;
    float beta;
};

/* Forward, gradient of the input, gradient of the weight; small, odd, one row, and some that are
 * large enough for the copies into blocks. */
static const struct shape shapes[] = {
    {false, true, 1, 5, 7, 0},        {false, true, 33, 17, 65, 0},
    {false, false, 31, 70, 9, 0},     {false, false, 16, 49, 36, 1},
    {true, false, 29, 37, 23, 0},     {true, false, 64, 50, 64, 1},
    {false, true, 10, 64, 128, 1},    {false, true, 103, 101, 107, 0},
    {false, false, 107, 103, 101, 0}, {true, false, 101, 103, 107, 1},
};

static void fill(float *x, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
}

/* Largest error of a product in units of its rounding bound (k+3) eps sum|a||b|; NaN: infinite. */
static double worst_error(const struct shape *s, const float *a, const float *b, const float *c0,
                          const float *c)
{
    double worst = 0;
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->n; j++) {
            size_t at = (size_t)i * s->n + j;
            double sum = s->beta * c0[at], size = fabs(sum);
            for (int l = 0; l < s->k; l++) {
                double t = (double)(s->ta ? a[l * s->m + i] : a[i * s->k + l]) *
                           (s->tb ? b[j * s->k + l] : b[l * s->n + j]);
                sum += t;
                size += fabs(t);
            }
            double error = fabs(c[at] - sum) / ((s->k + 3) * 0x1p-24 * size);
            if (!(error <= worst))
                worst = isnan(error) ? INFINITY : error;
        }
    }
    return worst;
}

static double check_shape(const struct shape *s)
{
    static float a[CHECK_MAX], b[CHECK_MAX], c[CHECK_MAX], c0[CHECK_MAX];
    size_t n = (size_t)s->m * s->n;
    fill(a, (size_t)s->m * s->k, 1);
    fill(b, (size_t)s->k * s->n, 2);
    fill(c0, n, 3);
    for (size_t i = 0; i < n; i++)
        c[i] = s->beta == 0 ? NAN : c0[i]; /* with beta 0 nothing of c may be read */
    blas_product(&(struct product){s->ta, s->tb, s->m, s->n, s->k, 1, a, s->ta ? s->m : s->k, b,
                                   s->tb ? s->k : s->n, s->beta, c, s->n});
    return worst_error(s, a, b, c0, c);
}

int blas_check(struct err *e)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        double error = check_shape(s);
        char blas[96];
        if (error <= 1)
            continue;
        blas_describe(blas, sizeof blas);
        return err_set(e, TT_ERESOURCE,
                       "%s computes wrong products here: %d x %d x %d is off by %.3g times what "
                       "rounding allows (set OPENBLAS_CORETYPE=Haswell, or install another BLAS: "
                       "libopenblas0-openmp, libblas3)",
                       blas, s->m, s->n, s->k, error);
    }
    return 0;
}
