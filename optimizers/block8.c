/* The 8-bit maps and their cells, made once; states of 8-bit optimizers. */
#include "optimizers/block8.h"

#include <math.h>
#include <pthread.h>

#include "engine/base/die.h"

static struct block8_map map_signed, map_unsigned;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Entry j of `half`, from 1: decade i has 2^i levels, each in the middle of its share of the decade. */
static float level(int j, int decades)
{
    int i = 31 - __builtin_clz((unsigned)j), levels = 1 << i;
    return (float)(pow(10, i - decades) * (0.1 + 0.9 * (2 * (j - levels) + 1) / (2.0 * levels)));
}

/* The number of midpoints below x. */
UNFUSED static int nearest(const struct block8_map *map, float x)
{
    int low = -1, high = 255; /* of midpoints: one that is below x, one that is not */
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if ((map->value[mid] + map->value[mid + 1]) * 0.5f < x)
            low = mid;
        else
            high = mid;
    }
    return high;
}

/* The code of the fraction with this key; the cells of the positive ones come first. */
static int code_of(const struct block8_map *map, int32_t key)
{
    int32_t bits = key >> BLOCK8_SHIFT < (BLOCK8_FIRST + BLOCK8_LAST) / 2 + 1 ? key : ~key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return nearest(map, x);
}

static int32_t cell_entry(const struct block8_map *map, int32_t first)
{
    int32_t low = 0, high = BLOCK8_LOW + 1; /* lower bits with the first code; with the next */
    int code = code_of(map, first), last = code_of(map, first + BLOCK8_LOW);
    BUG_ON(last != code && last != code + 1);
    while (high - low > 1) {
        int32_t mid = (low + high) / 2;
        if (code_of(map, first + mid) == code)
            low = mid;
        else
            high = mid;
    }
    return (int32_t)((uint32_t)code << 24 | (uint32_t)low);
}

static void make_cells(struct block8_map *map)
{
    for (int32_t i = BLOCK8_FIRST; i <= BLOCK8_LAST; i++)
        map->cell[i - BLOCK8_FIRST] = cell_entry(map, i << BLOCK8_SHIFT);
    map->zero = nearest(map, 0);
}

static void make_maps(void)
{
    for (int j = 1; j < 128; j++) {
        map_signed.value[127 + j] = level(j, 6);
        map_signed.value[127 - j] = -level(j, 6);
    }
    for (int j = 2; j < 256; j++)
        map_unsigned.value[j - 1] = level(j, 7);
    map_signed.value[255] = map_unsigned.value[255] = 1;
    make_cells(&map_signed);
    make_cells(&map_unsigned);
}

const struct block8_map *block8_signed(void)
{
    pthread_once(&once, make_maps);
    return &map_signed;
}

const struct block8_map *block8_unsigned(void)
{
    pthread_once(&once, make_maps);
    return &map_unsigned;
}

/* ---- states -------------------------------------------------------------------------------- */

bool block8_wanted(const struct block8_opts *o, const struct segment *seg, int state_bits)
{
    if (state_bits)
        return state_bits < 32;
    return !seg->embedding && seg->len >= (size_t)o->min_8bit_size;
}

size_t block8_blocks(const struct block8_opts *o, size_t n)
{
    size_t block = (size_t)o->block_size;
    return (n + block - 1) / block;
}

static const char *const state_name[] = {"state1", "state2"};
static const char *const absmax_name[] = {"absmax1", "absmax2"};

int block8_states(const struct block8_opts *o, const struct segment *seg, int state_bits,
                  int moments, struct state_desc out[OPTIM_MAX_STATES])
{
    bool bytes = block8_wanted(o, seg, state_bits);
    int n = 0;
    for (int i = 0; i < moments; i++) {
        struct state_desc *d = &out[n++];
        *d = state_like(seg, state_name[i], 0);
        if (!bytes)
            continue;
        d->dtype = DT_U8;
        d->formula = "1 B x elements";
        d->fill = i == 0 ? block8_signed()->zero : block8_unsigned()->zero;
        out[n++] = (struct state_desc){.name = absmax_name[i],
                                       .dtype = DT_F32,
                                       .ndim = 1,
                                       .dim = {(int64_t)block8_blocks(o, seg->len)},
                                       .formula = "4 B x blocks"};
    }
    return n;
}

bool block8_codes(const void *opts, const char *state, struct state_codes *out)
{
    const struct block8_opts *o = opts;
    for (int i = 0; i < 2; i++)
        if (strcmp(state, state_name[i]) == 0) {
            *out = (struct state_codes){.scale = absmax_name[i],
                                        .bits = 8,
                                        .block = (size_t)o->block_size,
                                        .value = (i ? block8_unsigned() : block8_signed())->value,
                                        .high = 255};
            return true;
        }
    return false;
}
