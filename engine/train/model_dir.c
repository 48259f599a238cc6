/* config.json of a network: says what it is, so that predictions need neither the training data nor the
 * run's config, and so that Hugging Face's library opens what is one of its models. */
#include "engine/train/model_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"

static const char *const problem_types[] = {"single_label_classification", "regression",
                                            "multi_label_classification"};

int model_dir_problem(const struct hf_config *c, int *problem, struct err *e)
{
    const char *text = hf_config_str(c, "problem_type");
    char known[160];
    *problem = -1;
    for (int i = 0; text && i < 3; i++)
        if (!strcmp(text, problem_types[i]))
            *problem = i;
    if (!text || *problem >= 0)
        return 0;
    return err_set(e, TT_EDATA, "problem_type is \"%s\" (%s)", text,
                   str_alternatives(known, sizeof known, problem_types, 3));
}

const char *model_dir_problem_name(int problem)
{
    return problem_types[problem];
}

/* -- saving -------------------------------------------------------------------------------- */

/* Only we read these: Hugging Face's library takes the number of labels from id2label, and texts have no
 * shape. */
static void put_dense(struct hf_config *c, const struct data_spec *spec)
{
    struct strbuf shape = STRBUF_INIT;
    hf_config_put_int(c, "num_labels", spec->num_labels);
    for (int i = 0; i < spec->ndim; i++)
        strbuf_addf(&shape, "%s%lld", i ? "x" : "", (long long)spec->dim[i]);
    hf_config_put_str(c, "input_shape", shape.s ? shape.s : "");
    strbuf_release(&shape);
    if (spec->features)
        hf_config_put_list(c, "features", spec->features);
}

static void put_architecture(struct hf_config *c, const char *architecture)
{
    struct strlist list = STRLIST_INIT;
    strlist_add(&list, architecture);
    hf_config_put_list(c, "architectures", &list);
    strlist_release(&list);
    hf_config_remove(c, "num_labels");
}

/* A number to predict has no name but the one it came with. */
static void put_labels(struct hf_config *c, const struct data_spec *spec)
{
    const char *only = "LABEL_0";
    struct strlist kept = STRLIST_INIT;
    if (spec->label)
        hf_config_put_labels(c, spec->label, spec->num_labels);
    else if (hf_config_labels(c, &kept, NULL) || kept.n != 1)
        hf_config_put_labels(c, &only, 1);
    strlist_release(&kept);
}

static void describe(struct hf_config *c, const struct model_class *cls, const void *opts,
                     const struct data_spec *spec)
{
    hf_config_put_str(c, "model_type", cls->name);
    if (cls->hf)
        put_architecture(c, cls->hf->architecture);
    if (!cls->hf || spec->problem != PROBLEM_CLASSES || hf_config_has(c, "problem_type"))
        hf_config_put_str(c, "problem_type", problem_types[spec->problem]);
    if (spec->kind == BATCH_DENSE)
        put_dense(c, spec);
    model_options_put(c, cls, opts, spec);
    put_labels(c, spec);
    if (hf_config_has(c, "dtype"))
        hf_config_put_str(c, "dtype", "float32");
    hf_config_put_str(c, "torch_dtype", "float32");
}

int model_dir_save(const char *dir, struct network *net, const struct run_config *rc,
                   const struct hf_config *from, struct err *e)
{
    struct hf_config c;
    hf_config_copy(&c, from);
    describe(&c, rc->model_cls, rc->model_own, &net->model.spec);
    char *config = file_join(dir, "config.json"), *weights = file_join(dir, "model.safetensors");
    int code = hf_config_write(&c, config, e);
    if (!code)
        code = model_weights_save(weights, net, e);
    free(config);
    free(weights);
    hf_config_release(&c);
    return code;
}

/* -- reading ------------------------------------------------------------------------------- */

/* "1x28x28" into the dense shape. */
static int parse_shape(const char *text, struct data_spec *spec, struct err *e)
{
    struct strlist parts = STRLIST_INIT;
    strlist_split(&parts, text ? text : "", 'x');
    int code = 0;
    spec->ndim = (int)parts.n;
    if (parts.n != 1 && parts.n != 3)
        code = err_set(e, TT_EDATA, "input_shape: \"%s\" (N or CxHxW)", text ? text : "");
    for (size_t i = 0; !code && i < parts.n; i++)
        if (!str_to_i64(parts.s[i], &spec->dim[i]) || spec->dim[i] < 1)
            code = err_set(e, TT_EDATA, "input_shape: \"%s\" (N or CxHxW)", text);
    strlist_release(&parts);
    return code;
}

/* What the rows are: a text model's class says it, the others' files have a shape. */
static int read_input(const struct hf_config *c, struct data_spec *spec, struct spec_names *names,
                      struct err *e)
{
    const char *type = hf_config_str(c, "model_type");
    const struct model_class *cls = type ? model_by_name(type, e) : NULL;
    if (type && !cls)
        return err_set(e, TT_EDATA, "model_type is \"%s\" (traintui list models)", type);
    if (cls && cls->kind == BATCH_TEXT) {
        spec->kind = BATCH_TEXT;
        spec->vocab_size = hf_config_int(c, "vocab_size", 0);
        return 0;
    }
    if (hf_config_list(c, "features", &names->features))
        spec->features = &names->features;
    return parse_shape(hf_config_str(c, "input_shape"), spec, e);
}

/* Without a problem_type one label is a number; without labels Hugging Face's library has two. */
static int read_labels(const struct hf_config *c, struct data_spec *spec, struct spec_names *names,
                       struct err *e)
{
    int problem, code = model_dir_problem(c, &problem, e);
    if (code || (code = hf_config_labels(c, &names->own, e)))
        return code;
    spec->num_labels = names->own.n ? (int)names->own.n
                                    : (int)hf_config_int(c, "num_labels",
                                                         spec->kind == BATCH_TEXT ? 2 : 0);
    if (spec->num_labels < 1)
        return err_set(e, TT_EDATA, "num_labels is missing");
    spec->problem = problem >= 0           ? (enum problem)problem
                    : spec->num_labels > 1 ? PROBLEM_CLASSES
                                           : PROBLEM_REGRESSION;
    if (spec->problem == PROBLEM_REGRESSION)
        return 0;
    for (int i = (int)names->own.n; i < spec->num_labels; i++) {
        char name[32];
        snprintf(name, sizeof name, "LABEL_%d", i);
        strlist_add(&names->own, name);
    }
    names->label = xcalloc(names->own.n, sizeof *names->label);
    for (size_t i = 0; i < names->own.n; i++)
        names->label[i] = names->own.s[i];
    spec->label = names->label;
    return 0;
}

int model_dir_spec(const char *dir, struct data_spec *spec, struct spec_names *names, struct err *e)
{
    memset(names, 0, sizeof *names);
    memset(spec, 0, sizeof *spec);
    char *path = file_join(dir, "config.json");
    struct hf_config c;
    int code = hf_config_read(&c, path, e);
    if (!code && ((code = read_input(&c, spec, names, e)) ||
                  (code = read_labels(&c, spec, names, e)))) {
        err_prefix(e, "%s: ", path);
        spec_names_release(names);
    }
    hf_config_release(&c);
    free(path);
    return code;
}
