/* Made-up runs with the figures of the pictures. */
#include "tests/run_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "tests/config_support.h"
#include "tests/support.h"

#define MIB 1048576.0

/* ---- frame ---------------------------------------------------------------------------------- */

void fixture_poll(struct run_fixture *f)
{
    f->now += 1;
    hub_publish(f->hub, &f->st);
    uimodel_poll(&f->m, f->hub, f->now);
    f->m.rss = (int64_t)(1250.9 * MIB);
}

static void begin(struct run_fixture *f, const char *config)
{
    memset(f, 0, sizeof *f);
    setenv("TZ", "UTC", 1);
    config_good(&f->rc, config);
    f->hub = hub_new();
    f->now = 10000;
    uimodel_init(&f->m);
    dashboard_init(&f->dash);
    f->st = f->m.st;
    f->st.checkpoint_interval = 500;
}

static void name_run(struct run_fixture *f, const char *name, const char *model,
                     const char *optimizer)
{
    char here[256];
    str_copy(f->st.name, sizeof f->st.name, name);
    snprintf(f->m.path, sizeof f->m.path, "%s/runs/%s", getcwd(here, sizeof here), name);
    str_copy(f->st.model, sizeof f->st.model, model);
    str_copy(f->st.optimizer, sizeof f->st.optimizer, optimizer);
    str_copy(f->st.schedule, sizeof f->st.schedule, "linear");
    str_copy(f->st.best_metric, sizeof f->st.best_metric, "accuracy");
}

void fixture_release(struct run_fixture *f)
{
    dashboard_release(&f->dash);
    uimodel_release(&f->m);
    hub_free(f->hub);
    plan_release(&f->plan);
    run_config_release(&f->rc);
}

void fixture_draw(struct run_fixture *f, const char *key, struct canvas *c)
{
    for (int i = 0; i < f->dash.nviews; i++)
        if (!strcmp(f->dash.view[i].cls->key, key))
            f->dash.open = i;
    dashboard_draw(&f->dash, c, &f->m);
}

void fixture_eval(struct run_fixture *f, int64_t step, enum metric k, double v)
{
    struct run_status *s = &f->st;
    double epoch = (double)step / (double)s->steps_per_epoch;
    history_add(&f->m.series[SERIES_EVAL_FIRST + k], step, epoch, 0.7688 * (double)step, v);
    bool better = isnan(s->best_values[k]) ||
                  (metric_descs[k].larger ? v > s->best_values[k] : v < s->best_values[k]);
    if (!better)
        return;
    s->best_values[k] = v;
    s->best_steps[k] = step;
    if (k == METRIC_ACCURACY) {
        s->best = v;
        s->best_step = step;
    }
}

void fixture_log(struct run_fixture *f, int hour, int minute, int second, int64_t step,
                 enum log_kind kind, const char *text)
{
    static const int64_t midnight = 1763078400; /* 14 Nov 2025 */
    struct log_line l = {
        .time = midnight + 3600 * hour + 60 * minute + second, .step = step, .kind = kind};
    str_copy(l.text, sizeof l.text, text);
    uimodel_add_log(&f->m, &l, (double)(l.time - midnight - 14 * 3600 - 2 * 60 - 15));
}

void fixture_fresh(struct run_fixture *f, const char *text)
{
    begin(f, text);
    f->st.state = RUN_STARTING;
    uimodel_start(&f->m, &f->rc, NULL, NULL);
}

/* ---- DistilBERT ----------------------------------------------------------------------------- */

static void add_tensor(struct memory_plan *p, const char *name, int64_t rows, int64_t cols)
{
    struct plan_tensor *t = &p->tensor[p->tensors++];
    *t = (struct plan_tensor){.ndim = rows ? 2 : 1, .dim = {rows ? rows : cols, cols}};
    str_copy(t->name, sizeof t->name, name);
    t->len = (rows ? rows : 1) * cols;
    for (int k = 0; k < PLAN_STATES; k++)
        t->state_bytes[k] = k < 2 ? 4 * t->len : k == 2 ? 4 : -1;
    p->parameters += t->len;
}

static void add_layer(struct memory_plan *p, const char *name, int64_t rows, int64_t cols)
{
    char full[128];
    snprintf(full, sizeof full, "%s.weight", name);
    add_tensor(p, full, rows, cols);
    snprintf(full, sizeof full, "%s.bias", name);
    add_tensor(p, full, 0, rows ? rows : cols);
}

static void add_block(struct memory_plan *p, int i)
{
    static const struct {
        const char *name;
        int rows, cols;
    } parts[] = {{"attention.q_lin", 768, 768},   {"attention.k_lin", 768, 768},
                 {"attention.v_lin", 768, 768},   {"attention.out_lin", 768, 768},
                 {"sa_layer_norm", 0, 768},       {"ffn.lin1", 3072, 768},
                 {"ffn.lin2", 768, 3072},         {"output_layer_norm", 0, 768}};
    char name[96];
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        snprintf(name, sizeof name, "distilbert.transformer.layer.%d.%s", i, parts[k].name);
        add_layer(p, name, parts[k].rows, parts[k].cols);
    }
}

static void add_optim(struct memory_plan *p, const char *name, double mib)
{
    struct plan_optim *o = &p->optim[p->noptim++];
    str_copy(o->name, sizeof o->name, name);
    o->bytes = (int64_t)(mib * MIB);
}

static void add_optims(struct memory_plan *p)
{
    static const struct {
        const char *name;
        double mib;
    } others[] = {{"sgd", 0},
                  {"adafactor", 0.7},
                  {"adafactor_torch", 0.7},
                  {"adamw4bit", 67.1},
                  {"adamw_fp8", 127.8},
                  {"lion8bit", 128.4},
                  {"lion", 250.945},
                  {"adagrad", 250.945},
                  {"rmsprop", 250.945},
                  {"muon", 251.2},
                  {"adam8bit", 256.8},
                  {"adamw8bit", 256.8},
                  {"adam", 501.886},
                  {"adamw", 501.886},
                  {"lamb", 501.886},
                  {"schedulefree_adamw", 501.886},
                  {"stableadamw", 501.886},
                  {"ademamix", 752.83}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_optim(p, others[i].name, others[i].mib);
}

static void distilbert_plan(struct memory_plan *p)
{
    static const char *const states[] = {"exp_avg", "exp_avg_sq", "step"};
    p->tensor = xcalloc(128, sizeof *p->tensor);
    add_tensor(p, "distilbert.embeddings.word_embeddings.weight", 28996, 768);
    add_tensor(p, "distilbert.embeddings.position_embeddings.weight", 512, 768);
    add_layer(p, "distilbert.embeddings.LayerNorm", 0, 768);
    for (int i = 0; i < 6; i++)
        add_block(p, i);
    add_layer(p, "pre_classifier", 768, 768);
    add_layer(p, "classifier", 2, 768);
    p->weight_bytes = p->gradient_bytes = 4 * p->parameters;
    for (int k = 0; k < 3; k++) {
        struct plan_row *row = &p->state[p->nstate++];
        str_copy(row->name, sizeof row->name, states[k]);
        str_copy(row->type, sizeof row->type, "f32");
        row->tensors = p->tensors;
        row->elements = k < 2 ? p->parameters : p->tensors;
        row->bytes = 4 * row->elements;
        p->state_bytes += row->bytes;
    }
    p->activation_bytes = 196706304;
    p->workspace_bytes = 13107200;
    p->total_bytes = p->weight_bytes + p->gradient_bytes + p->state_bytes + p->activation_bytes +
                     p->workspace_bytes;
    add_optims(p);
}

/* ---- sst2 ----------------------------------------------------------------------------------- */

enum { TOTAL = 6315, NOW = 3742, SPIKE = 2871 };

static const char sst2_config[] =
    "[run]\nname = sst2-adamw\n[model]\ntype = mlp\n[data]\nformat = synthetic\n"
    "[optimizer]\nname = adamw\nlr = 2e-5\nweight_decay = 0.01\n"
    "[schedule]\nname = linear\nwarmup_ratio = 0.1\n"
    "[train]\nbatch_size = 32\nepochs = 3\n[eval]\nevery = 500\nbest = accuracy\n"
    "[checkpoint]\nevery = 500\nkeep = 2\n";

static double noise(int step)
{
    uint32_t x = (uint32_t)step * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)x / 4294967296.0;
}

static double seconds_of(int step)
{
    return step <= SPIKE ? step * 2202.5 / SPIKE
                         : 2202.5 + (step - SPIKE) * (2877.0 - 2202.5) / (NOW - SPIKE);
}

static double average_of(const double *loss, int n)
{
    double ema = 0, weight = 0;
    for (int i = 1; i <= n; i++) {
        ema = 0.95 * ema + 0.05 * loss[i];
        weight = 0.95 * weight + 0.05;
    }
    return ema / weight;
}

/* Shift the twenty losses before `step` so that the average after it is as wanted. */
static void aim(double *loss, int step, double wanted)
{
    double share = 0, weight = 0.05;
    for (int i = 1; i <= 20; i++)
        share += weight *= 0.95;
    double shift = (wanted - average_of(loss, step)) / share;
    for (int i = step - 20; i < step; i++)
        loss[i] += shift;
}

static void sst2_losses(double loss[NOW + 1])
{
    for (int s = 1; s <= NOW; s++) {
        double mean = 0.08 + 0.42 * exp(-s / 180.0) + 0.2 * exp(-s / 900.0);
        loss[s] = fmin(0.78, fmax(0.012, mean * (0.35 + 1.3 * noise(s))));
    }
    loss[138] = 0.8488;
    loss[151] = 0.8122;
    loss[440] = 0.7601;
    loss[1703] = 0.4951;
    loss[SPIKE - 25] = 0.0322;
    for (int s = SPIKE - 31; s <= SPIKE + 3; s++)
        loss[s] = s == SPIKE - 25 ? 0.0322 : fmax(loss[s], 0.06);
    loss[SPIKE] = 0.7134;
    aim(loss, SPIKE, 0.1312);
    loss[NOW] = 0.1075;
    aim(loss, NOW, 0.0876);
}

static void add_step(struct run_fixture *f, int s, double loss, double scale)
{
    double epoch = s / 2105.0, at = seconds_of(s), total = TOTAL;
    double factor = s <= 632 ? (s - 1) / 632.0 : (total - (s - 1)) / (total - 632);
    history_add(&f->m.series[SERIES_LOSS], s, epoch, at, loss);
    history_add(&f->m.series[SERIES_LR], s, epoch, at, 2e-5 * factor * scale);
    history_add(&f->m.series[SERIES_GRAD_NORM], s, epoch, at,
                s == NOW ? 5.0134 : 1 + 5 * noise(7 * s));
    history_add(&f->m.series[SERIES_SAMPLES_PER_SECOND], s, epoch, at, 42 + 2 * noise(3 * s));
}

static void sst2_evaluations(struct run_fixture *f, int64_t last)
{
    static const struct {
        int step;
        double loss, accuracy, f1;
    } rows[] = {{500, 0.3214, 0.8670, 0.8720},  {1000, 0.2846, 0.8853, 0.8884},
                {1500, 0.2701, 0.8945, 0.8971}, {2000, 0.2668, 0.8979, 0.9012},
                {2500, 0.2655, 0.9037, 0.9056}, {3000, 0.2689, 0.9060, 0.9085},
                {3500, 0.2812, 0.9025, 0.9059}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && rows[i].step <= last; i++) {
        fixture_eval(f, rows[i].step, METRIC_LOSS, rows[i].loss);
        fixture_eval(f, rows[i].step, METRIC_ACCURACY, rows[i].accuracy);
        fixture_eval(f, rows[i].step, METRIC_F1, rows[i].f1);
        fixture_eval(f, rows[i].step, METRIC_PRECISION, rows[i].f1 - 0.004);
        fixture_eval(f, rows[i].step, METRIC_RECALL, rows[i].f1 + 0.003);
        f->st.evals++;
    }
}

static void sst2_log(struct run_fixture *f)
{
    static const struct {
        int h, m, s;
        int64_t step;
        enum log_kind kind;
        const char *text;
    } lines[] = {
        {14, 2, 10, -1, LOG_INFO, "distilbert: 65,783,042 parameters in 104 tensors, cpu"},
        {14, 2, 11, -1, LOG_INFO, "train 67349 rows, eval 872 rows, 2 labels"},
        {14, 2, 12, -1, LOG_INFO, "adamw: 501.9 MiB of state"},
        {14, 2, 13, -1, LOG_INFO, "OpenBLAS 0.3.29, openmp, check passed"},
        {14, 2, 13, -1, LOG_INFO,
         "schedule linear: warm-up 632 of 6,315 steps, peak 2.00e-05, then down to 0"},
        {14, 2, 14, 1, LOG_INFO, "first step 2.9 s after start"},
        {14, 8, 37, 500, LOG_EVAL, "loss 0.3214  accuracy 0.8670  f1 0.8720  best"},
        {14, 8, 39, 500, LOG_SAVE, "step-500, 752.8 MiB in 1.8 s"},
        {14, 15, 2, 1000, LOG_EVAL, "loss 0.2846  accuracy 0.8853  f1 0.8884  best"},
        {14, 15, 4, 1000, LOG_SAVE, "step-1000, 752.8 MiB in 1.8 s"},
        {14, 19, 25, 1352, LOG_OUT, "[stderr] libnuma: no policy set, going on without"},
        {14, 21, 28, 1500, LOG_EVAL, "loss 0.2701  accuracy 0.8945  f1 0.8971  best"},
        {14, 21, 30, 1500, LOG_SAVE, "step-1500, 752.8 MiB in 1.8 s; removed step-500"},
        {14, 27, 53, 2000, LOG_EVAL, "loss 0.2668  accuracy 0.8979  f1 0.9012  best"},
        {14, 27, 55, 2000, LOG_SAVE, "step-2000, 752.8 MiB in 1.8 s; removed step-1000"},
        {14, 27, 56, 2000, LOG_EDIT, "schedule.scale 1.00 -> 0.80, from the console"},
        {14, 34, 19, 2500, LOG_EVAL, "loss 0.2655  accuracy 0.9037  f1 0.9056  best"},
        {14, 34, 20, 2500, LOG_SAVE, "step-2500, 752.8 MiB in 1.8 s; removed step-1500"},
        {14, 35, 35, 2600, LOG_EDIT, "train.max_grad_norm 1.00 -> 0.50, from the console"},
        {14, 38, 56, 2871, LOG_WARN, "loss 0.7134 is 7.1 times its average"},
        {14, 40, 44, 3000, LOG_EVAL, "loss 0.2689  accuracy 0.9060  f1 0.9085  best"},
        {14, 40, 46, 3000, LOG_SAVE, "step-3000, 752.8 MiB in 1.8 s; removed step-2000"},
        {14, 47, 9, 3500, LOG_EVAL, "loss 0.2812  accuracy 0.9025  f1 0.9059"},
        {14, 47, 11, 3500, LOG_SAVE, "step-3500, 752.8 MiB in 1.8 s; removed step-2500"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        fixture_log(f, lines[i].h, lines[i].m, lines[i].s, lines[i].step, lines[i].kind,
                    lines[i].text);
    f->m.edits[1].seconds = 2001; /* active time: the log has the clock */
}

static void sst2_status(struct run_fixture *f)
{
    static const double phase[PHASE_COUNT] = {0.001, 0.229, 0.452, 0.011, 0.047, 0, 0.002};
    struct run_status *s = &f->st;
    s->state = RUN_TRAINING;
    s->step = NOW;
    s->max_steps = TOTAL;
    s->steps_per_epoch = 2105;
    s->epoch = NOW / 2105.0;
    s->epochs = 3;
    s->loss = 0.1075;
    s->loss_ema = 0.0876;
    s->lr = 0.8 * 2e-5 * (TOTAL - (NOW - 1)) / (TOTAL - 632);
    s->grad_norm = 5.0134;
    s->max_grad_norm = 0.5;
    s->lr_scale = 0.8;
    s->samples_per_second = 43.1;
    s->tokens_per_second = 574;
    s->step_seconds = 0.742;
    memcpy(s->phase_seconds, phase, sizeof phase);
    s->timed_steps = NOW;
    s->train_seconds = s->session_seconds = 2877;
    s->eval_seconds = 12.51;
    s->save_seconds = 1.8;
    s->next_eval = s->next_save = 4000;
    s->evals_left = s->saves_left = 6;
    s->saved_step = 3500;
    s->saved_at = f->now + 1 - 179.5;
    s->saved_bytes = (int64_t)(752.8 * MIB);
    s->rss_peak = (int64_t)(1250.9 * MIB);
}

static void allocate(struct run_fixture *f)
{
    struct run_status *s = &f->st;
    s->params_bytes = f->plan.weight_bytes;
    s->grads_bytes = f->plan.gradient_bytes;
    s->state_bytes = f->plan.state_bytes;
    s->activation_bytes = f->plan.activation_bytes;
    s->workspace_bytes = f->plan.workspace_bytes;
}

static void begin_sst2(struct run_fixture *f)
{
    static const char *const labels[] = {"negative", "positive"};
    begin(f, sst2_config);
    name_run(f, "sst2-adamw", "distilbert", "adamw");
    distilbert_plan(&f->plan);
    f->train.spec.num_labels = 2;
    f->train.spec.label = labels;
    uimodel_start(&f->m, &f->rc, &f->plan, &f->train);
}

void fixture_sst2(struct run_fixture *f)
{
    static double loss[NOW + 1];
    begin_sst2(f);
    sst2_losses(loss);
    sst2_status(f);
    for (int s = 1; s <= NOW; s++)
        add_step(f, s, loss[s], s > 2000 ? 0.8 : 1);
    sst2_evaluations(f, NOW);
    sst2_log(f);
    allocate(f);
    fixture_poll(f);
}

void fixture_diverged(struct run_fixture *f)
{
    static double loss[NOW + 1];
    struct run_status *s = &f->st;
    begin_sst2(f);
    name_run(f, "sst2-lr5e-4", "distilbert", "adamw");
    sst2_losses(loss);
    sst2_status(f);
    loss[SPIKE] = 0.1;
    for (int i = 2700; i < 2979; i++)
        loss[i] = 0.1 + 1.6 * pow((i - 2700) / 279.0, 2) * (0.5 + noise(i));
    loss[2940] = loss[2979] = loss[2980] = loss[2981] = NAN;
    for (int i = 1; i <= 2981; i++)
        add_step(f, i, loss[i], 1);
    sst2_evaluations(f, 2500);
    allocate(f);
    s->state = RUN_DIVERGED;
    s->step = 2981;
    s->loss = NAN;
    s->loss_ema = 1.4;
    s->lr_scale = 1;
    s->nonfinite = s->skipped = 4;
    s->bad_from = 2979;
    s->bad_to = 2981;
    s->saved_step = 2500;
    s->next_eval = s->next_save = -1;
    s->exit_code = TT_EDIVERGED;
    str_copy(s->error, sizeof s->error,
             "loss nan at steps 2979 to 2981: train.max_nonfinite 3 reached");
    fixture_poll(f);
}

/* ---- Fashion-MNIST -------------------------------------------------------------------------- */

static const char fashion_config[] =
    "[run]\nname = fashion-convnet\n[model]\ntype = convnet\n[data]\nformat = synthetic\nshape = "
    "1x28x28\n"
    "[optimizer]\nname = adamw\nlr = 1e-3\n[train]\nbatch_size = 64\nepochs = 5\n"
    "[eval]\nevery = epoch\nbest = accuracy\n";

static const int confusion[10][10] = {
    {876, 1, 14, 13, 3, 1, 87, 0, 5, 0}, {1, 987, 0, 9, 1, 0, 1, 0, 1, 0},
    {15, 1, 876, 7, 52, 0, 48, 0, 1, 0}, {13, 5, 8, 936, 19, 0, 18, 0, 1, 0},
    {1, 0, 38, 21, 885, 0, 54, 0, 1, 0}, {0, 0, 0, 0, 0, 984, 0, 12, 0, 4},
    {88, 1, 47, 21, 58, 0, 779, 0, 6, 0}, {0, 0, 0, 0, 0, 7, 0, 977, 0, 16},
    {2, 1, 2, 2, 2, 1, 3, 1, 986, 0},    {0, 0, 0, 0, 0, 4, 0, 34, 0, 962}};

static void fashion_report(struct run_fixture *f)
{
    struct metrics counts;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_CLASSES, 10, 0);
    metrics_init(&counts, PROBLEM_CLASSES, 10, 10000);
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++)
            for (int k = 0; k < confusion[i][j]; k++)
                metrics_add_class(&counts, i, j);
    metrics_add_loss(&counts, 2204, 10000);
    assert_int_equal(metrics_finish(&counts, AVERAGE_MACRO, r, &e), 0);
    r->step = 3752;
    hub_report_init(f->hub, r);
    hub_report(f->hub, r);
    metrics_release(&counts);
    eval_report_free(r);
}

static void fashion_evaluations(struct run_fixture *f)
{
    static const double rows[4][5] = {{0.8891, 0.8884, 0.8897, 0.8891, 0.3019},
                                      {0.9079, 0.9074, 0.9081, 0.9079, 0.2526},
                                      {0.9168, 0.9166, 0.9170, 0.9168, 0.2311},
                                      {0.9248, 0.9247, 0.9248, 0.9248, 0.2204}};
    static const enum metric columns[] = {METRIC_ACCURACY, METRIC_F1, METRIC_PRECISION,
                                          METRIC_RECALL, METRIC_LOSS};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 5; k++)
            fixture_eval(f, 938 * (i + 1), columns[k], rows[i][k]);
        f->st.evals++;
    }
}

void fixture_fashion(struct run_fixture *f)
{
    static const char *const labels[] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                         "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};
    struct run_status *s = &f->st;
    begin(f, fashion_config);
    name_run(f, "fashion-convnet", "convnet", "adamw");
    f->train.spec.num_labels = 10;
    f->train.spec.label = labels;
    uimodel_start(&f->m, &f->rc, NULL, &f->train);
    s->steps_per_epoch = s->checkpoint_interval = 938;
    for (int i = 1; i <= 3790; i++)
        history_add(&f->m.series[SERIES_LOSS], i, i / 938.0, 0.0245 * i,
                    (0.2 + 0.6 * exp(-i / 500.0)) * (0.5 + noise(i)));
    fashion_evaluations(f);
    fashion_report(f);
    s->state = RUN_TRAINING;
    s->step = 3790;
    s->max_steps = 4690;
    s->epoch = 3790 / 938.0;
    s->epochs = 5;
    s->loss = 0.1822;
    s->loss_ema = 0.2011;
    s->lr = 1.92e-4;
    s->lr_scale = s->max_grad_norm = 1;
    s->grad_norm = 0.8;
    s->samples_per_second = 2612;
    s->step_seconds = 0.0243;
    s->timed_steps = 3790;
    s->train_seconds = s->session_seconds = 93;
    s->eval_seconds = 0.6;
    s->save_seconds = 0.1;
    s->evals_left = s->saves_left = 1;
    s->next_eval = s->next_save = 4690;
    s->saved_step = 3752;
    s->saved_at = f->now + 0.6;
    fixture_poll(f);
}
