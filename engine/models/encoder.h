/* The encoder that DistilBERT and BERT share: embeddings, then layers of attention and a feed-forward
 * part, each with its residual added before the norm. Texts are packed: tensors have one row per real
 * token, attention runs within each text, there is no mask. */
#ifndef TT_MODELS_ENCODER_H
#define TT_MODELS_ENCODER_H

#include "engine/models/model.h"
#include "engine/nn/layers.h"

/* What a class's options come to. */
struct encoder_shape {
    int64_t vocab, positions, types; /* types 0: no token types */
    int64_t dim, layers, heads, hidden;
    int64_t padding; /* the id of [PAD]: its row gets no gradient */
    enum act act;
    float eps, std;
    float dropout, attention_dropout;
    float output_dropout; /* after the attention's projection */
    bool sinusoidal;      /* first values of the positions */
};

/* How a class spells it. Layer i's tensors are LAYER.i.QUERY.weight ... */
struct encoder_names {
    const char *embeddings, *layer;
    const char *query, *key, *value, *output, *attention_norm, *up, *down, *norm;
    const char *dim_key, *heads_key; /* options, for messages */
};

struct encoder_layer {
    struct linear_layer query, key, value, output, up, down;
    struct layernorm_layer attention_norm, norm;
};

struct encoder {
    struct encoder_shape shape;
    struct embedding_layer word, position, type;
    struct layernorm_layer norm;
    struct encoder_layer *layer;
};

/* Options: the activations by Hugging Face's names; those with "gelu" alone are
 * the exact one. A size left open is the data's. */
#define ENCODER_ACTIVATIONS                                                                        \
    "gelu|gelu_python|gelu_new|gelu_pytorch_tanh|gelu_python_tanh|gelu_accurate|gelu_fast|relu|tanh|" \
    "silu|swish|quick_gelu"
enum act encoder_act(int choice);
static inline int64_t encoder_vocab(int64_t option, const struct data_spec *spec)
{
    return option == OPT_INT_UNSET ? spec->vocab_size : option;
}

/* Limits of sizes, so that no product of them overflows. */
#define ENCODER_VOCAB_MAX (1 << 24)
#define ENCODER_POSITIONS_MAX (1 << 20)
#define ENCODER_LAYERS_MAX 1000

/* Sizes against each other and the data: TT_ECONFIG naming the option. */
int encoder_check(const struct encoder_shape *s, const struct encoder_names *names,
                  const struct data_spec *spec, struct err *e);
/* Declares all its tensors, in the order of a saved file, into m->ps; memory from m->arena. */
void encoder_declare(struct encoder *enc, struct model *m, const struct encoder_shape *s,
                     const struct encoder_names *names);
/* What the last layer makes of each text's first token, [b->n, dim]; its other rows are not computed.
 * Recomputes each layer in backward when m->recompute. An id or a text beyond the tables: NULL with
 * TT_EDATA in t->err, naming the row. */
struct tensor *encoder_first(const struct encoder *enc, struct model *m, struct tape *t,
                             const struct batch *b);

#endif
