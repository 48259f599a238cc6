/* Loops over the elements of a tensor: fixed chunks shared out among the OpenMP team, so that a result
 * never depends on the number of threads. */
#ifndef TT_OPTIMIZERS_LOOP_H
#define TT_OPTIMIZERS_LOOP_H

#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* No fused multiply-add. */
#if defined(__GNUC__) && !defined(__clang__)
#define UNFUSED __attribute__((optimize("fp-contract=off")))
#else
#define UNFUSED
#endif

/* In front of a function that holds inner loops: built once per vector width, and unfused so that, sums
 * aside, every processor gives the same bits. The body of a parallel region would not be cloned: the
 * loop goes into a function of its own. (The thread sanitizer's runtime is not up yet when the loader
 * picks the clone.) */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    __GNUC__ >= 12 && !defined(__SANITIZE_THREAD__)
#define VECTOR UNFUSED __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define VECTOR UNFUSED
#endif

/* The same for `static inline name(const void *arg, size_t i)` that lives on table look-ups: defines
 * name_best(), which gives the clone for this processor. Written out because the compiler uses gather
 * instructions only where it tunes for a certain processor, which target_clones can't ask for. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define LOOKUP_CLONE(name, level)                                                                  \
    UNFUSED                                                                                        \
    __attribute__((target("arch=x86-64-" #level ",tune=haswell"))) static void name##_##level(     \
        const void *arg, size_t i)                                                                 \
    {                                                                                              \
        name(arg, i);                                                                              \
    }
#define LOOKUP_CLONES(name)                                                                        \
    LOOKUP_CLONE(name, v4)                                                                         \
    LOOKUP_CLONE(name, v3)                                                                         \
    UNFUSED static void name##_v1(const void *arg, size_t i)                                       \
    {                                                                                              \
        name(arg, i);                                                                              \
    }                                                                                              \
    static void (*name##_best(void))(const void *, size_t)                                         \
    {                                                                                              \
        return __builtin_cpu_supports("x86-64-v4")   ? name##_v4                                   \
               : __builtin_cpu_supports("x86-64-v3") ? name##_v3                                   \
                                                     : name##_v1;                                  \
    }
#else
#define LOOKUP_CLONES(name)                                                                        \
    static void (*name##_best(void))(const void *, size_t)                                         \
    {                                                                                              \
        return name;                                                                               \
    }
#endif

/* Asks for what comes 8 KiB behind these n floats. The processor's own prefetching does not keep memory
 * busy where a loop reads a single array or computes long between two reads. */
INLINE void prefetch_behind(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += 16)
        __builtin_prefetch(x + i + 2048, 0, 2);
}

/* Bytes as int and back: a loop that looks codes up then has elements of one width. */
INLINE void widen(const uint8_t *code, size_t n, int32_t *restrict wide)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        wide[i] = code[i];
}

INLINE void narrow(const int32_t *wide, size_t n, uint8_t *restrict code)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        code[i] = (uint8_t)wide[i];
}

/* fn(arg, from, to) over [0, n) in chunks. */
void for_chunks(size_t n, void (*fn)(const void *arg, size_t from, size_t to), const void *arg);

/* Two sums over [0, n): those of each chunk, added in the order of the chunks. */
struct sums {
    double x, y;
};
struct sums sum_chunks(size_t n, struct sums (*fn)(const void *arg, size_t from, size_t to),
                       const void *arg);

/* fn(arg, i) for i in [0, n), shared out in equal runs; `elements` of a tensor in all. */
void for_each(size_t n, size_t elements, void (*fn)(const void *arg, size_t i), const void *arg);
/* The same with each run from its end: finds in the cache what for_each has left there. */
void for_each_back(size_t n, size_t elements, void (*fn)(const void *arg, size_t i),
                   const void *arg);

#endif
