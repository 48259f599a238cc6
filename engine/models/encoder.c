/* The shared encoder: its checks, its tensors, its forward. */
#include "engine/models/encoder.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/ops/ops.h"

#define NAME_SIZE 160

enum act encoder_act(int choice)
{
    static const enum act acts[] = {ACT_GELU,      ACT_GELU,      ACT_GELU_TANH,
                                    ACT_GELU_TANH, ACT_GELU_TANH, ACT_GELU_TANH,
                                    ACT_GELU_TANH, ACT_RELU,      ACT_TANH,
                                    ACT_SILU,      ACT_SILU,      ACT_QUICK_GELU};
    return acts[choice];
}

/* -- checks -------------------------------------------------------------------------------- */

int encoder_check(const struct encoder_shape *s, const struct encoder_names *names,
                  const struct data_spec *spec, struct err *e)
{
    if (s->vocab < 1)
        return err_set(e, TT_ECONFIG, "model.vocab_size is missing (the data does not tell it)");
    if (spec->vocab_size > s->vocab)
        return err_set(e, TT_ECONFIG, "model.vocab_size: %" PRId64 ", the data has token ids up to %"
                       PRId64, s->vocab, spec->vocab_size - 1);
    if (s->padding >= s->vocab)
        return err_set(e, TT_ECONFIG, "model.pad_token_id: %" PRId64 " (below model.vocab_size, %"
                       PRId64 ")", s->padding, s->vocab);
    if (s->dim % s->heads)
        return err_set(e, TT_ECONFIG, "model.%s: %" PRId64 " does not divide model.%s, %" PRId64,
                       names->heads_key, s->heads, names->dim_key, s->dim);
    if (spec->longest > s->positions)
        return err_set(e, TT_ECONFIG, "model.max_position_embeddings: %" PRId64 ", the longest text "
                       "has %" PRId64 " tokens (data.max_length cuts texts)", s->positions,
                       spec->longest);
    return 0;
}

/* The whole batch before the first kernel reads it; ids are NULL in a dry run. */
static int check_batch(const struct encoder_shape *s, const struct batch *b, struct err *e)
{
    for (int i = 0; i < b->n; i++) {
        int64_t row = (b->row ? b->row[i] : i) + 1, n = b->at[i + 1] - b->at[i];
        if (n < 1 || n > s->positions)
            return err_set(e, TT_EDATA, "row %" PRId64 " has %" PRId64 " tokens (1 to %" PRId64 ")",
                           row, n, s->positions);
        for (int32_t k = b->at[i]; k < b->at[i + 1]; k++) {
            if (b->ids && (b->ids[k] < 0 || b->ids[k] >= s->vocab))
                return err_set(e, TT_EDATA, "row %" PRId64 ": token id %" PRId32 " (0 to %" PRId64 ")",
                               row, b->ids[k], s->vocab - 1);
            if (b->types && s->types && (b->types[k] < 0 || b->types[k] >= s->types))
                return err_set(e, TT_EDATA, "row %" PRId64 ": token type %" PRId32 " (0 to %" PRId64
                               ")", row, b->types[k], s->types - 1);
        }
    }
    return 0;
}

/* -- tensors ------------------------------------------------------------------------------- */

static char *join(char *dst, const char *prefix, const char *part)
{
    snprintf(dst, NAME_SIZE, "%s.%s", prefix, part);
    return dst;
}

static void declare_layer(struct encoder_layer *l, struct param_set *ps,
                          const struct encoder_shape *s, const struct encoder_names *names, int i)
{
    struct layer_init init = layer_init_normal(s->std);
    char layer[NAME_SIZE / 2], name[NAME_SIZE];
    snprintf(layer, sizeof layer, "%s.%d", names->layer, i);
    linear_declare(&l->query, ps, join(name, layer, names->query), s->dim, s->dim, init);
    linear_declare(&l->key, ps, join(name, layer, names->key), s->dim, s->dim, init);
    linear_declare(&l->value, ps, join(name, layer, names->value), s->dim, s->dim, init);
    linear_declare(&l->output, ps, join(name, layer, names->output), s->dim, s->dim, init);
    layernorm_declare(&l->attention_norm, ps, join(name, layer, names->attention_norm), s->dim,
                      s->eps);
    linear_declare(&l->up, ps, join(name, layer, names->up), s->dim, s->hidden, init);
    linear_declare(&l->down, ps, join(name, layer, names->down), s->hidden, s->dim, init);
    layernorm_declare(&l->norm, ps, join(name, layer, names->norm), s->dim, s->eps);
}

void encoder_declare(struct encoder *enc, struct model *m, const struct encoder_shape *s,
                     const struct encoder_names *names)
{
    struct param_set *ps = m->ps;
    char name[NAME_SIZE];
    struct init normal = {INIT_NORMAL, s->std}, sines = {INIT_SINUSOID, 0};
    enc->shape = *s;
    embedding_declare(&enc->word, ps, join(name, names->embeddings, "word_embeddings"), s->vocab,
                      s->dim, normal, (int32_t)s->padding);
    embedding_declare(&enc->position, ps, join(name, names->embeddings, "position_embeddings"),
                      s->positions, s->dim, s->sinusoidal ? sines : normal, -1);
    if (s->types)
        embedding_declare(&enc->type, ps, join(name, names->embeddings, "token_type_embeddings"),
                          s->types, s->dim, normal, -1);
    layernorm_declare(&enc->norm, ps, join(name, names->embeddings, "LayerNorm"), s->dim, s->eps);
    enc->layer = arena_alloc(&m->arena, (size_t)s->layers * sizeof(*enc->layer));
    for (int i = 0; i < s->layers; i++)
        declare_layer(&enc->layer[i], ps, s, names, i);
}

/* -- forward ------------------------------------------------------------------------------- */

/* Each token's place in its text. */
static const int32_t *positions(struct tape *t, const struct batch *b)
{
    int32_t *place = arena_alloc(&t->meta, (size_t)b->at[b->n] * sizeof(*place));
    for (int i = 0; i < b->n; i++)
        for (int32_t k = b->at[i]; k < b->at[i + 1]; k++)
            place[k] = k - b->at[i];
    return place;
}

/* [tokens, dim] */
static struct tensor *embed(const struct encoder *enc, struct param_set *ps, struct tape *t,
                            const struct batch *b)
{
    int64_t n = b->at[b->n];
    struct tensor *x = embedding_apply(&enc->word, ps, t, b->ids, n);
    if (enc->shape.types) {
        const int32_t *types = b->types;
        if (!types)
            types = arena_alloc(&t->meta, (size_t)n * sizeof(*types)); /* all of the first text */
        x = op_add(t, x, embedding_apply(&enc->type, ps, t, types, n));
    }
    x = op_add(t, x, embedding_apply(&enc->position, ps, t, positions(t, b), n));
    return op_dropout(t, layernorm_apply(&enc->norm, ps, t, x), enc->shape.dropout);
}

/* What one layer needs, copied into the tape when it is to be run twice. */
struct layer_run {
    const struct encoder *enc;
    const struct encoder_layer *layer;
    struct param_set *ps;
    const int32_t *at;
    int n;
    bool last;
};

/* x [tokens, dim] -> [tokens, dim]; the last layer -> [texts, dim]: of its rows only the first of each
 * text is ever read, and a row needs the others in its attention alone. */
static struct tensor *run_layer(struct tape *t, const void *arg, struct tensor *x)
{
    const struct layer_run *r = arg;
    const struct encoder_layer *l = r->layer;
    const struct encoder_shape *s = &r->enc->shape;
    struct param_set *ps = r->ps;
    struct tensor *q = linear_apply(&l->query, ps, t, x, ACT_NONE, 0);
    struct tensor *k = linear_apply(&l->key, ps, t, x, ACT_NONE, 0);
    struct tensor *v = linear_apply(&l->value, ps, t, x, ACT_NONE, 0);
    struct tensor *y = op_attention(t, q, k, v, r->at, r->n, (int)s->heads, s->attention_dropout);
    if (r->last) {
        x = op_first_tokens(t, x, r->at, r->n);
        y = op_first_tokens(t, y, r->at, r->n);
    }
    y = op_dropout(t, linear_apply(&l->output, ps, t, y, ACT_NONE, 0), s->output_dropout);
    x = layernorm_apply(&l->attention_norm, ps, t, op_add(t, y, x));
    y = linear_apply(&l->up, ps, t, x, s->act, 0);
    y = op_dropout(t, linear_apply(&l->down, ps, t, y, ACT_NONE, 0), s->dropout);
    return layernorm_apply(&l->norm, ps, t, op_add(t, y, x));
}

struct tensor *encoder_first(const struct encoder *enc, struct model *m, struct tape *t,
                             const struct batch *b)
{
    if (check_batch(&enc->shape, b, &t->err))
        return NULL;
    struct tensor *x = embed(enc, m->ps, t, b);
    for (int i = 0; i < enc->shape.layers; i++) {
        struct layer_run r = {.enc = enc, .layer = &enc->layer[i], .ps = m->ps, .at = b->at,
                              .n = b->n, .last = i + 1 == enc->shape.layers};
        x = m->recompute ? tape_recompute(t, run_layer, &r, sizeof r, x) : run_layer(t, &r, x);
    }
    return x;
}
