/* DistilBERT for sequence classification: the encoder without token types, then two linear layers over
 * each text's first token. Tensors, options and dropouts are those of
 * DistilBertForSequenceClassification. */
#include <stddef.h>

#include "engine/models/encoder.h"
#include "engine/ops/ops.h"

#define EPS 1e-12f /* of every layer norm; no option in config.json */

struct distilbert_opts {
    int64_t vocab_size, max_position_embeddings, dim, n_layers, n_heads, hidden_dim, pad_token_id;
    double dropout, attention_dropout, seq_classif_dropout, initializer_range;
    int activation;
    bool sinusoidal_pos_embds;
};

#define AT(field) offsetof(struct distilbert_opts, field)

static const struct opt_desc distilbert_opts_table[] = {
    {.key = "vocab_size", .help = "rows of the word table; unset: as many as the vocabulary has",
     .unit = "tokens", .type = OPT_INT, .at = AT(vocab_size), .min = 1, .max = ENCODER_VOCAB_MAX,
     .flags = OPT_UNSET | OPT_MEMORY},
    {.key = "max_position_embeddings", .help = "tokens of the longest text", .unit = "tokens",
     .type = OPT_INT, .at = AT(max_position_embeddings), .def = 512, .min = 1,
     .max = ENCODER_POSITIONS_MAX, .flags = OPT_MEMORY},
    {.key = "dim", .help = "width of every token's row", .type = OPT_INT, .at = AT(dim), .def = 768,
     .min = 1, .max = MODEL_WIDTH_MAX, .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "n_layers", .help = "encoder layers", .type = OPT_INT, .at = AT(n_layers), .def = 6,
     .min = 1, .max = ENCODER_LAYERS_MAX, .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "n_heads", .help = "attention heads; must divide dim", .type = OPT_INT,
     .at = AT(n_heads), .def = 12, .min = 1, .max = MODEL_WIDTH_MAX,
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "hidden_dim", .help = "width between the two feed-forward layers", .type = OPT_INT,
     .at = AT(hidden_dim), .def = 3072, .min = 1, .max = MODEL_WIDTH_MAX,
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "dropout", .help = "share of embedded and feed-forward values set to zero",
     .type = OPT_REAL, .at = AT(dropout), .def = 0.1, .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN | OPT_MEMORY},
    {.key = "attention_dropout", .help = "share of attention weights set to zero", .type = OPT_REAL,
     .at = AT(attention_dropout), .def = 0.1, .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN | OPT_MEMORY},
    {.key = "seq_classif_dropout", .help = "share of values before the classifier set to zero",
     .type = OPT_REAL, .at = AT(seq_classif_dropout), .def = 0.2, .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN | OPT_MEMORY},
    {.key = "activation", .help = "between the feed-forward layers", .type = OPT_CHOICE,
     .at = AT(activation), .choices = ENCODER_ACTIVATIONS},
    {.key = "sinusoidal_pos_embds", .help = "positions begin as sines", .type = OPT_BOOL,
     .at = AT(sinusoidal_pos_embds)},
    {.key = "initializer_range", .help = "standard deviation of new weights", .type = OPT_REAL,
     .at = AT(initializer_range), .def = 0.02, .min = 0, .max = 1},
    {.key = "pad_token_id", .help = "id of [PAD], whose row is not trained", .type = OPT_INT,
     .at = AT(pad_token_id), .min = 0, .max = ENCODER_VOCAB_MAX},
    {0},
};

static const struct encoder_names encoder_names = {
    .embeddings = "distilbert.embeddings",
    .layer = "distilbert.transformer.layer",
    .query = "attention.q_lin",
    .key = "attention.k_lin",
    .value = "attention.v_lin",
    .output = "attention.out_lin",
    .attention_norm = "sa_layer_norm",
    .up = "ffn.lin1",
    .down = "ffn.lin2",
    .norm = "output_layer_norm",
    .dim_key = "dim",
    .heads_key = "n_heads",
};

static const struct hf_names hf_names = {
    .architecture = "DistilBertForSequenceClassification",
    .prefix = "distilbert.",
    .alias = {{"dim", "hidden_size"}, {"n_heads", "num_attention_heads"},
              {"n_layers", "num_hidden_layers"}, {NULL, NULL}},
    .may_differ = {"dropout", "attention_dropout", "seq_classif_dropout", "initializer_range", NULL},
    .may_miss = {"pre_classifier.*", "classifier.*", NULL},
    .ignored = {"*embeddings.position_ids", "*embeddings.token_type_ids", "vocab_transform.*",
                "vocab_layer_norm.*", "vocab_projector.*", "qa_outputs.*", NULL},
};

struct distilbert {
    struct encoder encoder;
    struct linear_layer pre_classifier, classifier;
};

static struct encoder_shape shape_of(const struct distilbert_opts *o, const struct data_spec *spec)
{
    return (struct encoder_shape){.vocab = encoder_vocab(o->vocab_size, spec),
                                  .positions = o->max_position_embeddings,
                                  .dim = o->dim,
                                  .layers = o->n_layers,
                                  .heads = o->n_heads,
                                  .hidden = o->hidden_dim,
                                  .padding = o->pad_token_id,
                                  .act = encoder_act(o->activation),
                                  .eps = EPS,
                                  .std = (float)o->initializer_range,
                                  .dropout = (float)o->dropout,
                                  .attention_dropout = (float)o->attention_dropout,
                                  .sinusoidal = o->sinusoidal_pos_embds};
}

static int distilbert_check(const void *opts, const struct data_spec *spec, struct err *e)
{
    struct encoder_shape s = shape_of(opts, spec);
    return encoder_check(&s, &encoder_names, spec, e);
}

static int distilbert_declare(struct model *m, struct err *e)
{
    const struct distilbert_opts *o = m->opts;
    struct distilbert *d = m->priv = arena_alloc(&m->arena, sizeof(*d));
    struct encoder_shape s = shape_of(o, &m->spec);
    struct layer_init init = layer_init_normal(s.std);
    (void)e;
    encoder_declare(&d->encoder, m, &s, &encoder_names);
    linear_declare(&d->pre_classifier, m->ps, "pre_classifier", s.dim, s.dim, init);
    linear_declare(&d->classifier, m->ps, "classifier", s.dim, m->spec.num_labels, init);
    return 0;
}

static struct tensor *distilbert_logits(struct model *m, struct tape *t, const struct batch *b)
{
    const struct distilbert *d = m->priv;
    const struct distilbert_opts *o = m->opts;
    struct tensor *x = encoder_first(&d->encoder, m, t, b);
    x = linear_apply(&d->pre_classifier, m->ps, t, x, ACT_RELU, 0);
    x = op_dropout(t, x, (float)o->seq_classif_dropout);
    return linear_apply(&d->classifier, m->ps, t, x, ACT_NONE, 0);
}

const struct model_class model_distilbert = {
    .name = "distilbert",
    .summary = "DistilBERT: a transformer encoder over texts, without token types",
    .opts = distilbert_opts_table,
    .opts_size = sizeof(struct distilbert_opts),
    .kind = BATCH_TEXT,
    .hf = &hf_names,
    .check = distilbert_check,
    .declare = distilbert_declare,
    .logits = distilbert_logits,
};
