/* Activations and the bias before them: one row of the table per member of enum act. A derivative
 * is written in the input (gelus and silu) or in the output (the others). Comparisons are such that a
 * NaN comes through. */
#include "engine/backend/cpu/cpu.h"

#include <string.h>

#include "engine/backend/cpu/vmath.h"

#define SQRT_HALF 0.707106781f
#define INV_SQRT_2PI 0.398942280f
#define SQRT_2_PI 0.797884561f
#define GELU_CUBE 0.044715f
#define QUICK 1.702f
#define UNUSED __attribute__((unused))

typedef float value_fn(float x, float slope);
typedef float grad_fn(float dy, float v, float slope);

CPU_INLINE float none(float x, UNUSED float slope)
{
    return x;
}

CPU_INLINE float none_grad(float dy, UNUSED float y, UNUSED float slope)
{
    return dy;
}

CPU_INLINE float relu(float x, UNUSED float slope)
{
    return x <= 0 ? 0 : x;
}

CPU_INLINE float relu_grad(float dy, float y, UNUSED float slope)
{
    return y <= 0 ? 0 : dy;
}

CPU_INLINE float leaky(float x, float slope)
{
    return x > 0 ? x : x * slope;
}

CPU_INLINE float leaky_grad(float dy, float y, float slope)
{
    return y > 0 ? dy : dy * slope;
}

CPU_INLINE float gelu(float x, UNUSED float slope)
{
    return 0.5f * x * (1 + verf(x * SQRT_HALF));
}

CPU_INLINE float gelu_grad(float dy, float x, UNUSED float slope)
{
    float cdf = 0.5f * (1 + verf(x * SQRT_HALF)), pdf = INV_SQRT_2PI * vexp(-0.5f * x * x);
    return dy * (cdf + x * pdf);
}

CPU_INLINE float gelu_tanh(float x, UNUSED float slope)
{
    return 0.5f * x * (1 + vtanh(SQRT_2_PI * (x + GELU_CUBE * x * x * x)));
}

CPU_INLINE float gelu_tanh_grad(float dy, float x, UNUSED float slope)
{
    float t = vtanh(SQRT_2_PI * (x + GELU_CUBE * x * x * x));
    float inner = SQRT_2_PI * (1 + 3 * GELU_CUBE * x * x);
    return dy * 0.5f * (1 + t + x * (1 - t * t) * inner);
}

CPU_INLINE float hyptan(float x, UNUSED float slope)
{
    return vtanh(x);
}

CPU_INLINE float hyptan_grad(float dy, float y, UNUSED float slope)
{
    return dy * (1 - y * y);
}

CPU_INLINE float sigmoid(float x, UNUSED float slope)
{
    return vsigmoid(x);
}

CPU_INLINE float sigmoid_grad(float dy, float y, UNUSED float slope)
{
    return dy * y * (1 - y);
}

CPU_INLINE float swish(float x, float k)
{
    return x * vsigmoid(k * x);
}

CPU_INLINE float swish_grad(float dy, float x, float k)
{
    float s = vsigmoid(k * x);
    return dy * (s + k * x * s * (1 - s));
}

CPU_INLINE float silu(float x, UNUSED float slope)
{
    return swish(x, 1);
}

CPU_INLINE float silu_grad(float dy, float x, UNUSED float slope)
{
    return swish_grad(dy, x, 1);
}

CPU_INLINE float quick(float x, UNUSED float slope)
{
    return swish(x, QUICK);
}

CPU_INLINE float quick_grad(float dy, float x, UNUSED float slope)
{
    return swish_grad(dy, x, QUICK);
}

CPU_INLINE void map(float *y, const float *x, size_t n, float slope, value_fn *f)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = f(x[i], slope);
}

CPU_INLINE void map_grad(float *dx, const float *dy, const float *v, size_t n, float slope,
                         bool add, grad_fn *f)
{
    if (add) {
#pragma omp simd
        for (size_t i = 0; i < n; i++)
            dx[i] += f(dy[i], v[i], slope);
    } else {
#pragma omp simd
        for (size_t i = 0; i < n; i++)
            dx[i] = f(dy[i], v[i], slope);
    }
}

/* name_fwd and name_bwd: the loops with name and name_grad inlined. */
#define ACT_LOOPS(name)                                                                            \
    CPU_CLONES static void name##_fwd(float *y, const float *x, size_t n, float slope)             \
    {                                                                                              \
        map(y, x, n, slope, name);                                                                 \
    }                                                                                              \
    CPU_CLONES static void name##_bwd(float *dx, const float *dy, const float *v, size_t n,        \
                                      float slope, bool add)                                       \
    {                                                                                              \
        map_grad(dx, dy, v, n, slope, add, name##_grad);                                           \
    }

ACT_LOOPS(none)
ACT_LOOPS(relu)
ACT_LOOPS(leaky)
ACT_LOOPS(gelu)
ACT_LOOPS(gelu_tanh)
ACT_LOOPS(hyptan)
ACT_LOOPS(sigmoid)
ACT_LOOPS(silu)
ACT_LOOPS(quick)

static const struct activation {
    void (*fwd)(float *y, const float *x, size_t n, float slope);
    void (*bwd)(float *dx, const float *dy, const float *v, size_t n, float slope, bool add);
} activations[ACT_COUNT] = {
    [ACT_NONE] = {none_fwd, none_bwd},
    [ACT_RELU] = {relu_fwd, relu_bwd},
    [ACT_LEAKY_RELU] = {leaky_fwd, leaky_bwd},
    [ACT_GELU] = {gelu_fwd, gelu_bwd},
    [ACT_GELU_TANH] = {gelu_tanh_fwd, gelu_tanh_bwd},
    [ACT_TANH] = {hyptan_fwd, hyptan_bwd},
    [ACT_SIGMOID] = {sigmoid_fwd, sigmoid_bwd},
    [ACT_SILU] = {silu_fwd, silu_bwd},
    [ACT_QUICK_GELU] = {quick_fwd, quick_bwd},
};

void act_apply(float *y, const float *x, size_t n, enum act act, float slope)
{
    if (act != ACT_NONE || y != x)
        activations[act].fwd(y, x, n, slope);
}

struct forward {
    float *y;
    const float *x;
    enum act act;
    float slope;
};

static void fwd_range(const void *arg, size_t from, size_t to)
{
    const struct forward *f = arg;
    activations[f->act].fwd(f->y + from, f->x + from, to - from, f->slope);
}

void cpu_act_fwd(struct backend *be, float *y, const float *x, size_t n, enum act act, float slope)
{
    cpu_each_chunk(be, n, fwd_range, &(struct forward){y, x, act, slope});
}

struct backward {
    float *dx;
    const float *dy, *v; /* v: input or output */
    enum act act;
    float slope;
    bool add;
};

static void bwd_range(const void *arg, size_t from, size_t to)
{
    const struct backward *b = arg;
    activations[b->act].bwd(b->dx + from, b->dy + from, b->v + from, to - from, b->slope, b->add);
}

void cpu_act_bwd(struct backend *be, float *dx, const float *dy, const float *x, const float *y,
                 size_t n, enum act act, float slope, bool add)
{
    const float *v = act_reads_input(act) ? x : y;
    if (act == ACT_NONE)
        v = dy; /* neither is read */
    cpu_each_chunk(be, n, bwd_range, &(struct backward){dx, dy, v, act, slope, add});
}

CPU_CLONES static void add_bias(float *y, const float *bias, size_t rows, int cols)
{
    for (size_t r = 0; r < rows; r++, y += cols) {
#pragma omp simd
        for (int j = 0; j < cols; j++)
            y[j] += bias[j];
    }
}

struct bias_act {
    float *y, *z;
    const float *bias;
    size_t rows, block; /* block: rows of one piece */
    int cols;
    enum act act;
    float slope;
};

static void bias_act_block(const void *arg, size_t i)
{
    const struct bias_act *b = arg;
    size_t r = i * b->block, rows = b->rows - r < b->block ? b->rows - r : b->block;
    size_t n = rows * b->cols;
    float *y = b->y + r * b->cols;
    add_bias(y, b->bias, rows, b->cols);
    if (b->z)
        memcpy(b->z + r * b->cols, y, n * sizeof *y);
    act_apply(y, y, n, b->act, b->slope);
}

/* In blocks of rows, so that bias and activation meet their numbers in the cache. */
void cpu_bias_act_fwd(struct backend *be, float *y, float *z, const float *bias, int rows, int cols,
                      enum act act, float slope)
{
    size_t block = cols < CPU_CHUNK ? CPU_CHUNK / cols : 1;
    const struct bias_act b = {y, z, bias, (size_t)rows, block, cols, act, slope};
    cpu_each(be, b.rows * cols, (b.rows + block - 1) / block, bias_act_block, &b);
}
