/* Evaluation and prediction with the weights that a run left behind. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/io/hf_weights.h"
#include "engine/io/rundir.h"
#include "engine/train/evaluate.h"
#include "engine/train/model_dir.h"
#include "engine/train/text_setup.h"
#include "engine/train/trainer.h"

struct saved {
    struct accelerator acc;
    struct network net;
    struct data_spec spec;
    struct spec_names names;
    char *dir; /* where the weights are from */
};

/* final/, else the newest checkpoint, of a run directory; or a model directory itself. Caller frees. */
static int model_dir_of(const char *run_path, char **dir, struct err *e)
{
    *dir = hf_weights_exist(run_path) ? xstrdup(run_path) : file_join(run_path, "final");
    if (file_is_dir(*dir))
        return 0;
    free(*dir);
    int64_t *steps;
    int n = ckpt_list(run_path, &steps, NULL);
    *dir = n > 0 ? ckpt_dir(run_path, steps[n - 1]) : NULL;
    free(steps);
    return *dir ? 0 : err_set(e, TT_EDATA, "%s: no final/ and no whole checkpoint", run_path);
}

static void saved_close(struct saved *s)
{
    network_release(&s->net);
    accelerator_close(&s->acc);
    spec_names_release(&s->names);
    free(s->dir);
}

static int saved_open(struct saved *s, const struct run_config *rc, const char *run_path,
                      struct err *e)
{
    memset(s, 0, sizeof *s);
    int code = model_dir_of(run_path, &s->dir, e);
    if (code)
        return code;
    int threads = sys_threads(rc->run.threads == OPT_INT_UNSET ? 0 : rc->run.threads, NULL, 0);
    if (!(code = model_dir_spec(s->dir, &s->spec, &s->names, e)) &&
        !(code = accelerator_open(&s->acc, rc->run.device, threads, (uint64_t)rc->run.seed, 0, e)) &&
        !(code = network_from_config(&s->net, &s->acc.be, rc, &s->spec, e)) &&
        !(code = param_alloc(&s->net.ps, e)))
        code = model_weights_load(s->dir, &s->net, e);
    if (code)
        saved_close(s);
    return code;
}

/* The data must be what the model was made for. */
static int check_spec(const struct data_spec *model, const struct dataset *train, struct err *e)
{
    const struct data_spec *data = &train->spec;
    if (model->ndim != data->ndim ||
        memcmp(model->dim, data->dim, (size_t)model->ndim * sizeof *model->dim))
        return err_set(e, TT_EDATA, "the data's rows have another shape than the model's input");
    if (model->problem != data->problem)
        return err_set(e, TT_EDATA, "the labels are for %s, the model is for %s",
                       model_dir_problem_name((int)data->problem),
                       model_dir_problem_name((int)model->problem));
    if (data->problem != PROBLEM_REGRESSION && !train->head_kept)
        return err_set(e, TT_EDATA, "the data has %d labels that are not all among the model's %d",
                       data->num_labels, model->num_labels);
    return 0;
}

int trainer_evaluate(const struct run_config *rc, const char *run_path, struct eval_report **out,
                     struct err *e)
{
    struct saved s;
    struct dataset train = {0}, eval = {0};
    struct metrics metrics = {0};
    int code = saved_open(&s, rc, run_path, e);
    if (code)
        return code;
    struct data_opts data = rc->data;
    data.head = &s.names.own;
    if (!(code = dataset_open(&data, (uint64_t)rc->run.seed, &train, &eval, e)) &&
        !(code = check_spec(&s.spec, &train, e)) && eval.rows == 0)
        code = err_set(e, TT_ECONFIG, "no evaluation rows (data.eval or data.eval_fraction)");
    if (!code)
        code = text_prepare_saved(rc, s.dir, s.spec.vocab_size, &eval, e);
    if (!code) {
        struct eval_job job = {.acc = &s.acc, .net = &s.net, .data = &eval,
                               .batch_size = rc->eval.batch_size,
                               .smoothing = (float)rc->train.label_smoothing_factor,
                               .average = (enum average)rc->eval.average, .metrics = &metrics};
        metrics_init(&metrics, s.spec.problem, s.spec.num_labels, eval.rows);
        *out = eval_report_new(s.spec.problem, s.spec.num_labels, 0);
        double start = sys_now();
        code = evaluate_rows(&job, *out, e);
        (*out)->seconds = sys_now() - start;
        if (code) {
            eval_report_free(*out);
            *out = NULL;
        }
    }
    metrics_release(&metrics);
    dataset_release(&train);
    dataset_release(&eval);
    saved_close(&s);
    return code;
}

int trainer_predict(const struct run_config *rc, const char *run_path, const char *file,
                    int (*row)(void *user, int64_t row, const float *logits, const struct data_spec *),
                    void *user, struct err *e)
{
    struct saved s;
    struct dataset ds = {0};
    int code = saved_open(&s, rc, run_path, e);
    if (code)
        return code;
    if ((code = dataset_open_predict(&rc->data, file, &s.spec, &ds, e)) ||
        (code = text_prepare_saved(rc, s.dir, s.spec.vocab_size, &ds, e))) {
        dataset_release(&ds);
        saved_close(&s);
        return code;
    }
    struct loader_opts o = {.batch_size = (int)rc->eval.batch_size, .accumulation = 1};
    size_t n = (size_t)s.spec.num_labels;
    float *logits = xcalloc((size_t)o.batch_size * n, sizeof *logits);
    struct loader *l = loader_new(&ds, &o);
    const struct batch *b;
    while (!code && (b = loader_next(l, NULL))) {
        code = predict_batch(&s.acc, &s.net, b, logits, e);
        for (int i = 0; !code && i < b->n; i++)
            code = row(user, b->row[i], logits + (size_t)i * n, &s.spec);
    }
    loader_free(l);
    free(logits);
    dataset_release(&ds);
    saved_close(&s);
    return code;
}
