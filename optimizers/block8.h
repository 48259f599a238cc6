/* bitsandbytes' 8-bit states (optimizers.md 3): blocks of a flattened tensor, each with the largest
 * magnitude of its values (absmax), and one byte a value: the number of the nearest entry of a map of
 * 256 fractions. The maps are the closed form; 0 is an entry, so what is 0 stays 0. */
#ifndef TT_OPTIMIZERS_BLOCK8_H
#define TT_OPTIMIZERS_BLOCK8_H

#include <stdint.h>
#include <string.h>

#include "engine/nn/optim.h"
#include "optimizers/loop.h"
#include "optimizers/rows.h"

#define BLOCK8_MAX 4096 /* values of a block, at most */

/* A fraction's key is its bits, all turned over where it is negative: of two fractions of one sign the
 * greater one has the greater key. A cell is the keys that share their upper bits, so few that no two
 * of a map's midpoints fall into one. The cells run from +2^-23 to +1 and on from -1 to -2^-23; nearer
 * to 0 than that the first and the last stand in. */
enum {
    BLOCK8_SHIFT = 16,
    BLOCK8_LOW = (1 << BLOCK8_SHIFT) - 1,
    BLOCK8_FIRST = (127 - 23) << (23 - BLOCK8_SHIFT),
    BLOCK8_LAST = (INT32_MAX >> BLOCK8_SHIFT) - BLOCK8_FIRST,
};

struct block8_map {
    float value[256]; /* rising */
    int zero;         /* the code of 0 */
    /* Code << 24 of the first key of a cell, and the largest lower bits that still have it; greater
     * ones have the next code. */
    int32_t cell[BLOCK8_LAST - BLOCK8_FIRST + 1];
};

const struct block8_map *block8_signed(void);
const struct block8_map *block8_unsigned(void);

/* The code nearest to x, |x| <= 1, in the lower 8 bits; the lower one of two as near. */
INLINE int32_t block8_code(const struct block8_map *map, float x)
{
    int32_t key;
    memcpy(&key, &x, sizeof key);
    key ^= key >> 31;
    int32_t cell = key >> BLOCK8_SHIFT;
    cell = cell > BLOCK8_FIRST ? cell : BLOCK8_FIRST;
    cell = cell < BLOCK8_LAST ? cell : BLOCK8_LAST;
    int32_t entry = map->cell[cell - BLOCK8_FIRST];
    return (entry >> 24) + ((key & BLOCK8_LOW) > (entry & BLOCK8_LOW));
}

struct block8_opts {
    struct optim_common common;
    double beta1, beta2, eps;
    int64_t block_size, min_8bit_size;
};

#define BLOCK8_ROWS                                                                                \
    INT_ROW(block8_opts, block_size, 256, 16, BLOCK8_MAX, OPT_MEMORY,                              \
            "values that share a scale"),                                                          \
        INT_ROW(block8_opts, min_8bit_size, 4096, 1, HUGE_VAL, OPT_MEMORY,                         \
                "smaller tensors keep float32 states")

/* True: bytes. Embeddings and small tensors keep float32 unless their group says otherwise. */
bool block8_wanted(const struct block8_opts *o, const struct segment *seg, int state_bits);
size_t block8_blocks(const struct block8_opts *o, size_t n);

/* state1 and absmax1, of two moments state2 and absmax2 too; float32: state1, state2. */
int block8_states(const struct block8_opts *o, const struct segment *seg, int state_bits,
                  int moments, struct state_desc out[OPTIM_MAX_STATES]);
/* The class's codes slot; opts: struct block8_opts. */
bool block8_codes(const void *opts, const char *state, struct state_codes *out);

#endif
