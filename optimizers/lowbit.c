/* States and scalars of torchao's low-bit AdamW, and its float32 side. */
#include "optimizers/lowbit.h"

#include <string.h>

/* The rule of torchao; embeddings keep float32 unless their group says otherwise. */
static bool has_codes(const struct lowbit_opts *o, const struct segment *seg, int state_bits)
{
    if (seg->len % (size_t)o->block_size != 0)
        return false;
    return state_bits ? state_bits < 32 : !seg->embedding && seg->len >= LOWBIT_LEAST;
}

/* Of each moment: in float32, its codes, their scales. */
static const char *const name[2][3] = {
    {"exp_avg", "exp_avg_codes", "exp_avg_scale"},
    {"exp_avg_sq", "exp_avg_sq_codes", "exp_avg_sq_scale"},
};

int lowbit_states(const struct lowbit_opts *o, const struct segment *seg, int state_bits,
                  int per_byte, struct state_desc out[OPTIM_MAX_STATES])
{
    int n = 0;
    out[n++] = state_step();
    for (int i = 0; i < 2; i++) {
        if (!has_codes(o, seg, state_bits)) {
            out[n++] = state_like(seg, name[i][0], 0);
            continue;
        }
        struct state_desc *codes = &out[n++];
        *codes = state_like(seg, name[i][1], 0);
        codes->dtype = DT_U8;
        codes->formula = "1 B x elements";
        if (per_byte == 2) {
            codes->ndim = 1;
            codes->dim[0] = (int64_t)(seg->len / 2);
            codes->formula = "1/2 B x elements";
        }
        out[n++] = (struct state_desc){.name = name[i][2],
                                       .dtype = DT_F32,
                                       .ndim = 1,
                                       .dim = {(int64_t)seg->len / o->block_size},
                                       .formula = "4 B x blocks"};
    }
    return n;
}

bool lowbit_codes(const struct lowbit_opts *o, const char *state, int bits, const float *const map[2],
                  struct state_codes *out)
{
    for (int i = 0; i < 2; i++)
        if (strcmp(state, name[i][1]) == 0) {
            *out = (struct state_codes){
                .scale = name[i][2], .bits = bits, .block = (size_t)o->block_size, .value = map[i]};
            return true;
        }
    return false;
}

VECTOR static void full_chunk(const void *arg, size_t from, size_t to)
{
    const struct lowbit_pass a = *(const struct lowbit_pass *)arg;
    float *restrict w = a.w, *restrict m = a.m, *restrict v = a.v;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        lowbit_update(&a, &w[i], g[i], &m[i], &v[i]);
}

/* Rate and bias corrections are float32, as torchao's tensors of them are. */
UNFUSED static struct lowbit_pass scalars(const struct optim_step *s)
{
    const struct lowbit_opts *o = s->opts;
    float lr = (float)s->lr, c1 = 1.0f - (float)pow(o->beta1, (double)s->t);
    float c2 = sqrtf(1.0f - (float)pow(o->beta2, (double)s->t));
    return (struct lowbit_pass){
        .w = s->w,
        .g = s->g,
        .block = (size_t)o->block_size,
        .decay = lr * (float)s->weight_decay,
        .o1 = (float)(1 - o->beta1),
        .o2 = (float)(1 - o->beta2),
        .rate = lr / c1,
        .root = 1.0f / c2,
        .eps = (float)o->eps,
    };
}

void lowbit_step(const struct optim_step *s, void (*block)(const void *pass, size_t i))
{
    const struct lowbit_opts *o = s->opts;
    struct lowbit_pass a = scalars(s);
    write_step(s, s->state[0]);
    if (has_codes(o, s->seg, s->state_bits)) {
        a.code1 = s->state[1];
        a.scale1 = s->state[2];
        a.code2 = s->state[3];
        a.scale2 = s->state[4];
        for_each(s->n / a.block, s->n, block, &a);
    } else {
        a.m = s->state[1];
        a.v = s->state[2];
        for_chunks(s->n, full_chunk, &a);
    }
}
