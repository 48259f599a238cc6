/* `traintui plan`: what a run will take, before it starts and without reading weights. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/train/plan.h"
#include "engine/train/pretrained.h"
#include "tui/cmd.h"

static json_t *optim_json(const struct plan_optim *o)
{
    if (o->refused)
        return json_pack("{s:s}", "refused", o->states);
    json_t *states = json_object();
    for (int i = 0; i < o->nstate; i++)
        json_object_set_new(states, o->state[i].name, json_integer(o->state[i].bytes));
    return json_pack("{s:I,s:I,s:o}", "state_elements", (json_int_t)o->elements, "state_bytes",
                     (json_int_t)o->bytes, "states", states);
}

static void print_plan_json(const struct memory_plan *p, const struct run_config *rc)
{
    json_t *optims = json_object();
    for (int i = 0; i < p->noptim; i++)
        json_object_set_new(optims, p->optim[i].name, optim_json(&p->optim[i]));
    json_t *root = json_pack(
        "{s:s,s:I,s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:s,s:I,s:I,s:b,s:I,s:I,s:I,s:I,s:o}", "model",
        rc->model_cls->name, "parameters", (json_int_t)p->parameters, "tensors", p->tensors,
        "weight_bytes", (json_int_t)p->weight_bytes, "gradient_bytes",
        (json_int_t)p->gradient_bytes, "activation_bytes", (json_int_t)p->activation_bytes,
        "workspace_bytes", (json_int_t)p->workspace_bytes, "state_bytes",
        (json_int_t)p->state_bytes, "total_bytes", (json_int_t)p->total_bytes, "optimizer",
        rc->optim_cls->name, "data_bytes", (json_int_t)p->data_bytes, "free_bytes",
        (json_int_t)p->free_bytes, "fits", p->fits, "largest_batch", (json_int_t)p->largest_batch,
        "steps_per_epoch", (json_int_t)p->length.updates_per_epoch, "max_steps",
        (json_int_t)p->length.max_steps, "warmup_steps", (json_int_t)p->length.warmup, "optimizers",
        optims);
    cmd_print_json(root);
}

static void print_line(const char *name, const char *type, int64_t elements, int64_t bytes)
{
    char count[32], exact[32], shown[32];
    printf("  %-18s %-5s %16s %18s B  %10s\n", name, type,
           elements < 0 ? "" : str_commas(count, sizeof count, elements),
           str_commas(exact, sizeof exact, bytes), str_bytes(shown, sizeof shown, (double)bytes));
}

static void print_ledger(const struct memory_plan *p)
{
    printf("  %-18s %-5s %16s %20s\n", "", "type", "elements", "bytes");
    print_line("parameters", "f32", p->parameters, p->weight_bytes);
    print_line("gradients", "f32", p->parameters, p->gradient_bytes);
    for (int i = 0; i < p->nstate; i++)
        print_line(p->state[i].name, p->state[i].type, p->state[i].elements, p->state[i].bytes);
    print_line("activations", "", -1, p->activation_bytes);
    print_line("workspace", "", -1, p->workspace_bytes);
    print_line("total", "", -1, p->total_bytes);
    print_line("data in memory", "", -1, p->data_bytes);
}

static void print_optims(const struct memory_plan *p, const struct run_config *rc)
{
    int64_t rest = p->total_bytes - p->state_bytes;
    printf("\n  %-20s %12s %8s %12s  %s\n", "optimizer", "state", "B/param", "run", "states");
    for (int i = 0; i < p->noptim; i++) {
        const struct plan_optim *o = &p->optim[i];
        char state[32], run[32];
        if (o->refused) {
            printf("  %-20s not for this model: %s\n", o->name, o->states);
            continue;
        }
        printf("%c %-20s %12s %8.2f %12s  %s\n", strcmp(o->name, rc->optim_cls->name) ? ' ' : '*',
               o->name, str_bytes(state, sizeof state, (double)o->bytes),
               (double)o->bytes / (double)p->parameters,
               str_bytes(run, sizeof run, (double)(rest + o->bytes)), o->states);
    }
}

static void print_plan(const struct memory_plan *p, const struct run_config *rc,
                       const struct dataset *train, const struct dataset *eval)
{
    char a[32], b[32], c[32];
    if (*train->note)
        printf("%s\n", train->note);
    printf("model      %s, %s parameters in %d tensors\n", rc->model_cls->name,
           str_commas(a, sizeof a, p->parameters), p->tensors);
    printf("data       %s train rows, %s eval rows, %d labels\n",
           str_commas(a, sizeof a, train->rows), str_commas(b, sizeof b, eval->rows),
           train->spec.num_labels);
    printf("run        %s steps of %lld rows, %s a epoch; schedule %s, warm-up %s steps\n\n",
           str_commas(a, sizeof a, p->length.max_steps),
           (long long)(rc->train.batch_size * rc->train.gradient_accumulation_steps),
           str_commas(b, sizeof b, p->length.updates_per_epoch), rc->sched_cls->name,
           str_commas(c, sizeof c, p->length.warmup));
    print_ledger(p);
    print_optims(p, rc);
    printf("\nneeds %s of %s free: %s; largest batch %s\n",
           str_bytes(a, sizeof a, (double)(p->total_bytes + p->data_bytes)),
           str_bytes(b, sizeof b, (double)p->free_bytes), p->fits ? "fits" : "does not fit",
           str_commas(c, sizeof c, p->largest_batch));
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct run_config rc;
    struct dataset train = {0}, eval = {0};
    struct memory_plan plan;
    struct pretrained start;
    int code = cmd_load_config(a, a->pos[0], &rc, e);
    if (code)
        return code;
    if (!(code = pretrained_open(&start, &rc, NULL, e)) &&
        !(code = dataset_peek(&rc.data, (uint64_t)rc.run.seed, &train, &eval, e)) &&
        !(code = plan_make(&plan, &rc, &train, &eval, e))) {
        if (a->json)
            print_plan_json(&plan, &rc);
        else
            print_plan(&plan, &rc, &train, &eval);
        for (size_t i = 0; i < rc.warnings.n; i++)
            fprintf(stderr, "traintui: warning: %s\n", rc.warnings.s[i]);
        plan_release(&plan);
    }
    if (code == TT_ECONFIG)
        run_config_blame(&rc, e);
    dataset_release(&train);
    dataset_release(&eval);
    pretrained_release(&start);
    run_config_release(&rc);
    return code;
}

const struct cmd cmd_plan = {
    .name = "plan",
    .synopsis = "FILE.ini [--set s.k=v]... [--json]",
    .summary = "bytes by kind and by optimizer state, and whether it fits",
    .flags = CMD_TAKES_SET | CMD_TAKES_JSON,
    .min_pos = 1,
    .max_pos = 1,
    .run = run,
};
