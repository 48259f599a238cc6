/* Text models for tests. */
#include "tests/text_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/hf_weights.h"
#include "optimizers/table.h"
#include "tests/support.h"

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != 0)                                                                           \
            fail_msg("%s", e.msg);                                                                 \
    } while (0)

void text_model_open_dir(struct text_model *m, const char *dir, int num_labels)
{
    const struct optim_class *adamw = optim_by_name(optim_classes, "adamw", NULL);
    struct err e = ERR_INIT;
    *m = (struct text_model){0};
    MUST(model_dir_class(dir, &m->cls, &e));
    assert_non_null(m->cls);
    m->opts = xcalloc(1, m->cls->opts_size);
    opt_defaults(m->cls->opts, m->opts);
    MUST(model_dir_options(dir, m->cls, m->opts, &e));
    MUST(model_dir_spec(dir, &m->spec, &m->names, &e));
    bool head = !num_labels || num_labels == m->spec.num_labels;
    if (!head)
        m->spec.num_labels = num_labels;
    m->optim_opts = xcalloc(1, adamw->opts_size);
    opt_defaults(adamw->opts, m->optim_opts);
    ((struct optim_common *)m->optim_opts)->lr = 1e-3;
    ((struct optim_common *)m->optim_opts)->weight_decay = 0.01;
    MUST(accelerator_open(&m->acc, "cpu", 1, 42, 0, &e));
    m->acc.tape.mem.poison = true;
    MUST(network_init(&m->net, &m->acc.be, m->cls, m->opts, &m->spec, &e));
    bool weights = hf_weights_exist(dir);
    MUST(weights ? network_alloc(&m->net, adamw, m->optim_opts, &e)
                 : network_build(&m->net, 42, adamw, m->optim_opts, &e));
    if (weights)
        MUST(model_weights_start(dir, &m->net, head, 42, &m->report, &e));
}

void text_model_open(struct text_model *m, const char *name, int num_labels)
{
    char path[160];
    snprintf(path, sizeof path, "tests/golden/models/%s", name);
    text_model_open_dir(m, test_path(path), num_labels);
}

void text_model_close(struct text_model *m)
{
    network_release(&m->net);
    accelerator_close(&m->acc);
    spec_names_release(&m->names);
    weights_report_release(&m->report);
    opt_release(m->cls->opts, m->opts);
    opt_release(optim_by_name(optim_classes, "adamw", NULL)->opts, m->optim_opts);
    free(m->opts);
    free(m->optim_opts);
}

void golden_file(const char *from, const char *dir, const char *name)
{
    struct err e = ERR_INIT;
    size_t n;
    const char *data = test_read_file(from, &n);
    assert_int_equal(file_write_all(test_path_in(dir, name), data, n, &e), 0);
}

const char *golden_dir(const char *name)
{
    static const char *const files[] = {"config.json", "model.safetensors",
                                        "model.safetensors.index.json",
                                        "model-00001-of-00003.safetensors",
                                        "model-00002-of-00003.safetensors",
                                        "model-00003-of-00003.safetensors"};
    const char *dir = test_temp_dir();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        snprintf(path, sizeof path, "tests/golden/models/%s/%s", name, files[i]);
        if (file_exists(test_path(path)))
            golden_file(test_path(path), dir, files[i]);
    }
    return dir;
}

void expect_error(const struct err *e, int code, const char *says)
{
    if (e->code != code || !strstr(e->msg, says))
        fail_msg("%d \"%s\" (%d, says %s)", e->code, e->msg, code, says);
}

/* The values at the places that the mask shows. */
static int32_t *pack(struct golden *g, const int32_t *padded, const int32_t *mask, int64_t n)
{
    int32_t *out = arena_alloc(&g->arena, (size_t)n * sizeof *out), *next = out;
    for (int64_t i = 0; padded && i < n; i++)
        if (mask[i])
            *next++ = padded[i];
    return padded ? out : NULL;
}

struct batch golden_batch(struct golden *g, const char *group, int k)
{
    char name[64];
    snprintf(name, sizeof name, "%s%sinput_ids", group ? group : "", group ? "/" : "");
    const struct st_tensor *t = st_find(&g->file, name);
    int rows = (int)t->dim[t->ndim - 2], width = (int)t->dim[t->ndim - 1];
    int64_t n = (int64_t)rows * width, from = k * n;
    const int32_t *mask = golden_i32(g, group, "attention_mask") + from;
    const int32_t *types = golden_i32(g, group, "token_type_ids");
    const int32_t *label = golden_i32(g, group, "labels");
    int32_t *at = arena_alloc(&g->arena, ((size_t)rows + 1) * sizeof *at);
    for (int i = 0; i < rows; i++) {
        at[i + 1] = at[i];
        for (int j = 0; j < width; j++)
            at[i + 1] += mask[i * width + j];
    }
    struct batch b = {.n = rows, .at = at, .tokens = at[rows], .labelled = rows, .group_n = 1,
                      .group_labelled = rows, .group_weight = rows};
    b.ids = pack(g, golden_i32(g, group, "input_ids") + from, mask, n);
    b.types = pack(g, types ? types + from : NULL, mask, n);
    b.label = label ? label + k * rows : NULL;
    b.target = label ? NULL : golden_f32(g, group, "labels").v;
    return b;
}

double text_model_step(struct text_model *m, const struct batch *b, const struct loss_rule *r,
                       struct tensor **logits)
{
    struct err e = ERR_INIT;
    struct tape *t = accelerator_begin(&m->acc, true);
    *logits = model_logits(&m->net.model, t, b);
    struct tensor *loss = loss_of_group(t, *logits, b, r);
    MUST(accelerator_backward(&m->acc, &m->net, loss, &e));
    param_finish_grads(&m->net.ps);
    return (double)loss->data[0];
}
