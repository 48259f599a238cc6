/* BERT for sequence classification, MiniLM among its shapes: the encoder with token types, the pooler
 * over each text's first token, a linear layer. Tensors, options and dropouts are those of
 * BertForSequenceClassification. */
#include <math.h>
#include <stddef.h>

#include "engine/models/encoder.h"
#include "engine/ops/ops.h"

struct bert_opts {
    int64_t vocab_size, max_position_embeddings, type_vocab_size, hidden_size, num_hidden_layers,
        num_attention_heads, intermediate_size, pad_token_id;
    double hidden_dropout_prob, attention_probs_dropout_prob;
    double classifier_dropout; /* NaN: hidden_dropout_prob */
    double layer_norm_eps, initializer_range;
    int hidden_act, position_embedding_type;
};

#define AT(field) offsetof(struct bert_opts, field)

static const struct opt_desc bert_opts_table[] = {
    {.key = "vocab_size", .help = "rows of the word table; unset: as many as the vocabulary has",
     .unit = "tokens", .type = OPT_INT, .at = AT(vocab_size), .min = 1, .max = ENCODER_VOCAB_MAX,
     .flags = OPT_UNSET | OPT_MEMORY},
    {.key = "max_position_embeddings", .help = "tokens of the longest text", .unit = "tokens",
     .type = OPT_INT, .at = AT(max_position_embeddings), .def = 512, .min = 1,
     .max = ENCODER_POSITIONS_MAX, .flags = OPT_MEMORY},
    {.key = "type_vocab_size", .help = "token types: 2 tell the texts of a pair apart",
     .type = OPT_INT, .at = AT(type_vocab_size), .def = 2, .min = 1, .max = MODEL_WIDTH_MAX,
     .flags = OPT_MEMORY},
    {.key = "hidden_size", .help = "width of every token's row", .type = OPT_INT,
     .at = AT(hidden_size), .def = 768, .min = 1, .max = MODEL_WIDTH_MAX,
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "num_hidden_layers", .help = "encoder layers", .type = OPT_INT,
     .at = AT(num_hidden_layers), .def = 12, .min = 1, .max = ENCODER_LAYERS_MAX,
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "num_attention_heads", .help = "attention heads; must divide hidden_size",
     .type = OPT_INT, .at = AT(num_attention_heads), .def = 12, .min = 1, .max = MODEL_WIDTH_MAX,
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "intermediate_size", .help = "width between the two feed-forward layers",
     .type = OPT_INT, .at = AT(intermediate_size), .def = 3072, .min = 1, .max = MODEL_WIDTH_MAX,
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "hidden_act", .help = "between the feed-forward layers", .type = OPT_CHOICE,
     .at = AT(hidden_act), .choices = ENCODER_ACTIVATIONS},
    {.key = "hidden_dropout_prob", .help = "share of values set to zero after every block",
     .type = OPT_REAL, .at = AT(hidden_dropout_prob), .def = 0.1, .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN | OPT_MEMORY},
    {.key = "attention_probs_dropout_prob", .help = "share of attention weights set to zero",
     .type = OPT_REAL, .at = AT(attention_probs_dropout_prob), .def = 0.1, .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN | OPT_MEMORY},
    {.key = "classifier_dropout",
     .help = "share of values before the classifier set to zero; unset: hidden_dropout_prob",
     .type = OPT_REAL, .at = AT(classifier_dropout), .min = 0, .max = 1,
     .flags = OPT_UNSET | OPT_MAX_OPEN | OPT_MEMORY},
    {.key = "layer_norm_eps", .help = "added to the variance of every layer norm", .type = OPT_REAL,
     .at = AT(layer_norm_eps), .def = 1e-12, .min = 0, .max = 1},
    {.key = "position_embedding_type", .help = "how a token's place is told", .type = OPT_CHOICE,
     .at = AT(position_embedding_type), .choices = "absolute"},
    {.key = "initializer_range", .help = "standard deviation of new weights", .type = OPT_REAL,
     .at = AT(initializer_range), .def = 0.02, .min = 0, .max = 1},
    {.key = "pad_token_id", .help = "id of [PAD], whose row is not trained", .type = OPT_INT,
     .at = AT(pad_token_id), .min = 0, .max = ENCODER_VOCAB_MAX},
    {0},
};

static const struct encoder_names encoder_names = {
    .embeddings = "bert.embeddings",
    .layer = "bert.encoder.layer",
    .query = "attention.self.query",
    .key = "attention.self.key",
    .value = "attention.self.value",
    .output = "attention.output.dense",
    .attention_norm = "attention.output.LayerNorm",
    .up = "intermediate.dense",
    .down = "output.dense",
    .norm = "output.LayerNorm",
    .dim_key = "hidden_size",
    .heads_key = "num_attention_heads",
};

static const struct hf_names hf_names = {
    .architecture = "BertForSequenceClassification",
    .prefix = "bert.",
    .alias = {{NULL, NULL}},
    .may_differ = {"hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout",
                   "initializer_range", NULL},
    .may_miss = {"bert.pooler.*", "classifier.*", NULL},
    .ignored = {"*embeddings.position_ids", "*embeddings.token_type_ids", "cls.predictions.*",
                "cls.seq_relationship.*", "qa_outputs.*", NULL},
    .must_be_off = {"is_decoder", "add_cross_attention", NULL},
};

struct bert {
    struct encoder encoder;
    struct linear_layer pooler, classifier;
};

static struct encoder_shape shape_of(const struct bert_opts *o, const struct data_spec *spec)
{
    return (struct encoder_shape){.vocab = encoder_vocab(o->vocab_size, spec),
                                  .positions = o->max_position_embeddings,
                                  .types = o->type_vocab_size,
                                  .dim = o->hidden_size,
                                  .layers = o->num_hidden_layers,
                                  .heads = o->num_attention_heads,
                                  .hidden = o->intermediate_size,
                                  .padding = o->pad_token_id,
                                  .act = encoder_act(o->hidden_act),
                                  .eps = (float)o->layer_norm_eps,
                                  .std = (float)o->initializer_range,
                                  .dropout = (float)o->hidden_dropout_prob,
                                  .attention_dropout = (float)o->attention_probs_dropout_prob,
                                  .output_dropout = (float)o->hidden_dropout_prob};
}

static int bert_check(const void *opts, const struct data_spec *spec, struct err *e)
{
    const struct bert_opts *o = opts;
    struct encoder_shape s = shape_of(o, spec);
    if (spec->pairs && o->type_vocab_size < 2)
        return err_set(e, TT_ECONFIG, "model.type_vocab_size: 1, the data has pairs of texts (2)");
    return encoder_check(&s, &encoder_names, spec, e);
}

static int bert_declare(struct model *m, struct err *e)
{
    const struct bert_opts *o = m->opts;
    struct bert *d = m->priv = arena_alloc(&m->arena, sizeof(*d));
    struct encoder_shape s = shape_of(o, &m->spec);
    struct layer_init init = layer_init_normal(s.std);
    (void)e;
    encoder_declare(&d->encoder, m, &s, &encoder_names);
    linear_declare(&d->pooler, m->ps, "bert.pooler.dense", s.dim, s.dim, init);
    linear_declare(&d->classifier, m->ps, "classifier", s.dim, m->spec.num_labels, init);
    return 0;
}

static struct tensor *bert_logits(struct model *m, struct tape *t, const struct batch *b)
{
    const struct bert *d = m->priv;
    const struct bert_opts *o = m->opts;
    double dropout = isnan(o->classifier_dropout) ? o->hidden_dropout_prob : o->classifier_dropout;
    struct tensor *x = encoder_first(&d->encoder, m, t, b);
    x = linear_apply(&d->pooler, m->ps, t, x, ACT_TANH, 0);
    return linear_apply(&d->classifier, m->ps, t, op_dropout(t, x, (float)dropout), ACT_NONE, 0);
}

const struct model_class model_bert = {
    .name = "bert",
    .summary = "BERT: a transformer encoder over texts and pairs of texts; MiniLM too",
    .opts = bert_opts_table,
    .opts_size = sizeof(struct bert_opts),
    .kind = BATCH_TEXT,
    .hf = &hf_names,
    .check = bert_check,
    .declare = bert_declare,
    .logits = bert_logits,
};
