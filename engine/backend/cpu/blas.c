/* The only file that calls BLAS: products, threads, the choice of kernels, the check. OpenBLAS' own
 * functions are weak, so that any other cblas does as well. */
#include "engine/backend/cpu/cpu.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
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

void cpu_gemm(struct backend *be, bool ta, bool tb, int m, int n, int k, float alpha,
              const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
    (void)be;
    cblas_sgemm(CblasRowMajor, transpose(ta), transpose(tb), m, n, k, alpha, a, lda, b, ldb, beta,
                c, ldc);
}

/* The pthread build has a pool of its own, which does not know of OpenMP. */
static bool own_threads(void)
{
    return openblas_get_parallel && openblas_get_parallel() == PARALLEL_PTHREAD;
}

void blas_enter_region(const struct backend *be)
{
    if (be->threads > 1 && own_threads())
        openblas_set_num_threads(1);
}

void blas_leave_region(const struct backend *be)
{
    if (be->threads > 1 && own_threads())
        openblas_set_num_threads(be->threads);
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

int blas_open(const struct backend *be, struct err *e)
{
    blas_choose_core();
    omp_set_num_threads(be->threads);
    if (own_threads())
        openblas_set_num_threads(be->threads);
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

enum { CHECK_MAX = 8192 }; /* elements of the largest matrix below */

struct product {
    bool ta, tb;
    int m, n, k;
    float beta;
};

/* Forward, gradient of the input, gradient of the weight; small, odd, one row, and one that is
 * large enough for two threads. */
static const struct product products[] = {
    {false, true, 1, 5, 7, 0},     {false, true, 33, 17, 65, 0}, {false, false, 31, 70, 9, 0},
    {false, false, 16, 49, 36, 1}, {true, false, 29, 37, 23, 0}, {true, false, 64, 50, 64, 1},
    {false, true, 10, 64, 128, 1}, {false, true, 90, 91, 83, 0}, {true, false, 83, 90, 91, 1},
};

static void fill(float *x, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
}

/* Largest error of a product in units of its rounding bound (k+3) eps sum|a||b|; NaN: infinite. */
static double worst_error(const struct product *p, const float *a, const float *b, const float *c0,
                          const float *c)
{
    double worst = 0;
    for (int i = 0; i < p->m; i++) {
        for (int j = 0; j < p->n; j++) {
            size_t at = (size_t)i * p->n + j;
            double sum = p->beta * c0[at], size = fabs(sum);
            for (int l = 0; l < p->k; l++) {
                double t = (double)(p->ta ? a[l * p->m + i] : a[i * p->k + l]) *
                           (p->tb ? b[j * p->k + l] : b[l * p->n + j]);
                sum += t;
                size += fabs(t);
            }
            double error = fabs(c[at] - sum) / ((p->k + 3) * 0x1p-24 * size);
            if (!(error <= worst))
                worst = isnan(error) ? INFINITY : error;
        }
    }
    return worst;
}

static double check_product(const struct product *p)
{
    static float a[CHECK_MAX], b[CHECK_MAX], c[CHECK_MAX], c0[CHECK_MAX];
    size_t n = (size_t)p->m * p->n;
    fill(a, (size_t)p->m * p->k, 1);
    fill(b, (size_t)p->k * p->n, 2);
    fill(c0, n, 3);
    for (size_t i = 0; i < n; i++)
        c[i] = p->beta == 0 ? NAN : c0[i]; /* with beta 0 nothing of c may be read */
    cpu_gemm(NULL, p->ta, p->tb, p->m, p->n, p->k, 1, a, p->ta ? p->m : p->k, b,
             p->tb ? p->k : p->n, p->beta, c, p->n);
    return worst_error(p, a, b, c0, c);
}

int blas_check(struct err *e)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct product *p = &products[i];
        double error = check_product(p);
        char blas[96];
        if (error <= 1)
            continue;
        blas_describe(blas, sizeof blas);
        return err_set(e, TT_ERESOURCE,
                       "%s computes wrong products here: %d x %d x %d is off by %.3g times what "
                       "rounding allows (set OPENBLAS_CORETYPE=Haswell, or install another BLAS: "
                       "libopenblas0-openmp, libblas3)",
                       blas, p->m, p->n, p->k, error);
    }
    return 0;
}
