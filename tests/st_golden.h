/* Tensors of a golden safetensors file, by name, in memory until golden_close. */
#ifndef TT_TESTS_ST_GOLDEN_H
#define TT_TESTS_ST_GOLDEN_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/io/safetensors.h"

struct golden {
    struct st_file file;
    struct arena arena;
};

struct golden_tensor {
    float *v; /* NULL: the file has no such tensor */
    int ndim;
    int64_t dim[ST_DIMS];
    size_t len;
};

/* "tests/golden/REL". The test fails when it can't be read; so do the others. */
void golden_open(struct golden *g, const char *rel);
void golden_close(struct golden *g);

/* Tensor GROUP/NAME; group NULL: NAME. Shape [1] for a single number. */
struct golden_tensor golden_f32(struct golden *g, const char *group, const char *name);
const int32_t *golden_i32(struct golden *g, const char *group, const char *name); /* of int64 */

/* The largest difference is at most `tolerance` times the largest value. */
void golden_check(const float *v, const struct golden_tensor *right, double tolerance,
                  const char *what);

#endif
