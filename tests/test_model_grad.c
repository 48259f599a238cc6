/* Every registered model: its gradient along random directions against forwards alone, and plain
 * gradient descent to near-zero loss on one batch. A model without a case fails. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/ops/ops.h"
#include "tests/built_model.h"

enum { ROWS = 12, LABELS = 3, PIXELS = 2 * 7 * 8, LONGEST = 6, VOCABULARY = 40, DIRECTIONS = 3, MOST = 1 << 16 };

#define CHANGE 2e-3 /* of the loss in one step: rounding is small beside it */
#define TOLERANCE 3e-4

struct model_case {
    const char *model, *name;
    enum problem problem;
    const char *opts[20];
    double rate; /* of descent */
    bool smooth; /* no kinks: directions are checked */
};

static const struct model_case cases[] = {
    {"distilbert", "two layers", PROBLEM_CLASSES,
     {"dim", "12", "n_layers", "2", "n_heads", "3", "hidden_dim", "20", "dropout", "0",
      "attention_dropout", "0", "seq_classif_dropout", "0", "initializer_range", "0.4"},
     0.1, false},
    {"distilbert", "multi-label", PROBLEM_MULTI_LABEL,
     {"dim", "8", "n_layers", "1", "n_heads", "2", "hidden_dim", "16", "dropout", "0",
      "attention_dropout", "0", "seq_classif_dropout", "0", "initializer_range", "0.2"},
     0.5, false},
    {"mlp", "defaults", PROBLEM_CLASSES, {NULL}, 0.1, false},
    {"mlp", "gelu", PROBLEM_CLASSES, {"hidden", "9,7", "activation", "gelu"}, 0.3, true},
    {"mlp", "linear", PROBLEM_CLASSES, {"hidden", "none"}, 0.3, true},
    {"mlp", "regression", PROBLEM_REGRESSION, {"hidden", "12", "activation", "tanh"}, 0.05, true},
    {"mlp", "multi-label", PROBLEM_MULTI_LABEL, {"activation", "gelu_tanh"}, 0.5, true},
    {"bert", "pairs", PROBLEM_CLASSES,
     {"hidden_size", "12", "num_hidden_layers", "2", "num_attention_heads", "3",
      "intermediate_size", "20", "hidden_dropout_prob", "0", "attention_probs_dropout_prob", "0",
      "initializer_range", "0.4"},
     0.1, true},
    {"bert", "regression", PROBLEM_REGRESSION,
     {"hidden_size", "8", "num_hidden_layers", "1", "num_attention_heads", "2",
      "intermediate_size", "16", "hidden_dropout_prob", "0", "attention_probs_dropout_prob", "0",
      "initializer_range", "0.4"},
     0.05, true},
    {"convnet", "defaults", PROBLEM_CLASSES, {NULL}, 0.1, false},
    {"convnet", "gelu", PROBLEM_CLASSES,
     {"channels", "4,6", "kernel", "3,2", "padding", "1,0", "hidden", "10", "activation", "gelu",
      "pool", "0"},
     0.2, true},
    {"convnet", "regression", PROBLEM_REGRESSION,
     {"channels", "4", "hidden", "none", "activation", "tanh"}, 0.05, false},
    {"convnet", "multi-label", PROBLEM_MULTI_LABEL,
     {"channels", "8", "kernel", "5", "pool", "3", "activation", "sigmoid"}, 2, true},
};

#define N_CASES (sizeof(cases) / sizeof(*cases))

static float pixels[ROWS * PIXELS], target[ROWS * LABELS];
static int32_t label[ROWS], ids[LONGEST * ROWS], types[LONGEST * ROWS], at[ROWS + 1];

/* The same made-up images, or texts of up to LONGEST tokens, for all, with answers that nothing explains. */
static struct batch make_batch(void)
{
    rng_normal((struct rng_key){1, RNG_SYNTHETIC, 0}, pixels, ROWS * PIXELS, 0, 1);
    for (int i = 0; i < ROWS; i++)
        label[i] = (int32_t)(rng_u64((struct rng_key){1, RNG_SYNTHETIC, 1}, (uint64_t)i) % LABELS);
    for (int i = 0; i < ROWS * LABELS; i++)
        target[i] = (float)(rng_u64((struct rng_key){1, RNG_SYNTHETIC, 2}, (uint64_t)i) % 2);
    for (int i = 0; i < ROWS; i++)
        at[i + 1] = at[i] + 1 + 5 * i % LONGEST;
    for (int i = 0; i < LONGEST * ROWS; i++) {
        uint64_t random = rng_u64((struct rng_key){1, RNG_SYNTHETIC, 3}, (uint64_t)i);
        ids[i] = 1 + (int32_t)(random % (VOCABULARY - 1)); /* 0 is [PAD], which learns nothing */
        types[i] = i % 2;
    }
    return (struct batch){.n = ROWS, .x = pixels, .ids = ids, .types = types, .at = at,
                          .tokens = at[ROWS], .label = label, .target = target};
}

static struct data_spec make_spec(const struct model_case *c)
{
    return (struct data_spec){.kind = model_by_name(c->model, NULL)->kind, .problem = c->problem,
                              .ndim = 3, .dim = {2, 7, 8}, .vocab_size = VOCABULARY,
                              .longest = LONGEST, .pairs = true,
                              .num_labels = c->problem == PROBLEM_REGRESSION ? 1 : LABELS};
}

static struct tensor *loss_of(struct built_model *b, const struct batch *batch)
{
    tape_begin(&b->tape, true, 11, 0);
    struct tensor *y = model_logits(&b->model, &b->tape, batch), *loss = NULL;
    switch (b->model.spec.problem) {
    case PROBLEM_CLASSES: loss = op_softmax_xent(&b->tape, y, batch->label, NULL, 0, 0); break;
    case PROBLEM_REGRESSION: loss = op_mse(&b->tape, y, batch->target, 0); break;
    case PROBLEM_MULTI_LABEL: loss = op_bce(&b->tape, y, batch->target, NULL, 0); break;
    }
    if (!loss)
        fail_msg("%s", b->tape.err.msg);
    return loss;
}

static double gradient(struct built_model *b, const struct batch *batch)
{
    struct err e = ERR_INIT;
    param_clear_grads(&b->ps);
    struct tensor *loss = loss_of(b, batch);
    if (tape_backward(&b->tape, loss, 1, &e) < 0)
        fail_msg("%s", e.msg);
    param_finish_grads(&b->ps);
    return (double)loss->data[0];
}

/* A random direction, all of it uphill, so that nothing cancels; returns the slope along it. */
static double make_direction(const struct param_set *ps, uint64_t number, float *dir)
{
    double slope = 0;
    rng_uniform((struct rng_key){2, RNG_NOISE, number}, dir, ps->n, 0, 1);
    for (size_t i = 0; i < ps->n; i++) {
        if (ps->g[i] < 0)
            dir[i] = -dir[i];
        slope += (double)dir[i] * (double)ps->g[i];
    }
    return slope;
}

/* The loss at w + step * dir; w is put back to the bit. */
static double loss_along(struct built_model *b, const struct batch *batch, const float *dir,
                         double step)
{
    static float saved[MOST];
    size_t bytes = b->ps.n * sizeof(float);
    memcpy(saved, b->ps.w, bytes);
    b->be.k->axpy(&b->be, b->ps.w, (float)step, dir, b->ps.n);
    double loss = (double)loss_of(b, batch)->data[0];
    memcpy(b->ps.w, saved, bytes);
    return loss;
}

static void check_directions(struct built_model *b, const struct batch *batch)
{
    static float dir[MOST];
    assert_true(b->ps.n <= MOST);
    double loss = gradient(b, batch);
    for (uint64_t k = 0; k < DIRECTIONS; k++) {
        double slope = make_direction(&b->ps, k, dir), step = CHANGE * loss / slope;
        assert_true(slope > 0);
        double up = loss_along(b, batch, dir, step), down = loss_along(b, batch, dir, -step);
        assert_close(slope, (up - down) / (2 * step), TOLERANCE, 0);
    }
}

static void test_direction(void **state)
{
    const struct model_case *c = *state;
    struct data_spec spec = make_spec(c);
    struct batch batch = make_batch();
    struct built_model b;
    build_model(&b, c->model, c->opts, &spec);
    check_directions(&b, &batch);
    release_model(&b);
}

/* Dropout's mask is the same in every forward of a micro-batch. */
static void test_direction_dropout(void **state)
{
    const struct model_case *c = *state;
    struct data_spec spec = make_spec(c);
    struct batch batch = make_batch();
    struct built_model b;
    const char *opts[40];
    int n = 0;
    for (; c->opts[n]; n++)
        opts[n] = c->opts[n];
    for (const struct opt_desc *d = model_by_name(c->model, NULL)->opts; d->key; d++)
        if (strstr(d->key, "dropout")) {
            opts[n++] = d->key;
            opts[n++] = "0.3";
        }
    opts[n] = NULL;
    build_model(&b, c->model, opts, &spec);
    check_directions(&b, &batch);
    release_model(&b);
}

static void test_overfit(void **state)
{
    enum { STEPS = 400 };
    const struct model_case *c = *state;
    struct data_spec spec = make_spec(c);
    struct batch batch = make_batch();
    struct built_model b;
    build_model(&b, c->model, c->opts, &spec);
    double first = gradient(&b, &batch), last = first;
    for (int i = 0; i < STEPS && last > 0.01; i++) {
        b.be.k->axpy(&b.be, b.ps.w, -(float)c->rate, b.ps.g, b.ps.n);
        last = gradient(&b, &batch);
    }
    if (!(last <= 0.01))
        fail_msg("loss %g at first, %g after %d steps", first, last, STEPS);
    release_model(&b);
}

static void test_every_model(void **state)
{
    (void)state;
    for (int i = 0; model_classes[i]; i++) {
        size_t n = 0;
        for (size_t k = 0; k < N_CASES; k++)
            n += !strcmp(cases[k].model, model_classes[i]->name);
        if (!n)
            fail_msg("model %s has no case", model_classes[i]->name);
    }
}

int main(void)
{
    static char names[3 * N_CASES][80];
    struct CMUnitTest tests[3 * N_CASES + 1] = {cmocka_unit_test(test_every_model)};
    size_t n = 1;
    for (size_t i = 0; i < N_CASES; i++) {
        const struct {
            const char *what;
            CMUnitTestFunction run;
            bool wanted;
        } kinds[] = {{"overfit", test_overfit, true},
                     {"direction", test_direction, cases[i].smooth},
                     {"direction with dropout", test_direction_dropout, cases[i].smooth}};
        for (size_t k = 0; k < 3; k++) {
            char *name = names[n - 1];
            if (!kinds[k].wanted)
                continue;
            snprintf(name, sizeof(names[0]), "%s %s: %s", cases[i].model, cases[i].name,
                     kinds[k].what);
            tests[n++] = (struct CMUnitTest){name, kinds[k].run, NULL, NULL, (void *)&cases[i]};
        }
    }
    return _cmocka_run_group_tests("models", tests, n, NULL, NULL);
}
