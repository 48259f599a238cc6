/* Building models for tests. */
#include "tests/built_model.h"

#include <stdlib.h>

#include "engine/base/mem.h"
#include "tests/support.h"

void *model_opts(const struct model_class *cls, const char *const *pairs)
{
    struct err e = ERR_INIT;
    void *opts = xcalloc(1, cls->opts_size);
    opt_defaults(cls->opts, opts);
    for (; pairs && *pairs; pairs += 2) {
        const struct opt_desc *d = opt_find(cls->opts, pairs[0]);
        assert_non_null(d);
        if (opt_parse(d, opts, pairs[1], &e) < 0)
            fail_msg("%s", e.msg);
    }
    return opts;
}

void model_opts_free(const struct model_class *cls, void *opts)
{
    opt_release(cls->opts, opts);
    free(opts);
}

void build_model(struct built_model *b, const char *name, const char *const *pairs,
                 const struct data_spec *spec)
{
    struct err e = ERR_INIT;
    const struct model_class *cls = model_by_name(name, &e);
    assert_non_null(cls);
    b->opts = model_opts(cls, pairs);
    if (backend_open(&b->be, "cpu", 1, &e) < 0)
        fail_msg("%s", e.msg);
    param_init(&b->ps, &b->be);
    if (model_init(&b->model, cls, b->opts, spec, &b->ps, &e) < 0 ||
        param_build(&b->ps, 3, &e) < 0 || tape_init(&b->tape, &b->be, 0, &e) < 0)
        fail_msg("%s", e.msg);
    b->tape.mem.poison = true;
}

void release_model(struct built_model *b)
{
    const struct model_class *cls = b->model.cls;
    model_release(&b->model);
    tape_release(&b->tape);
    param_release(&b->ps);
    assert_int_equal(b->be.allocated, 0);
    backend_close(&b->be);
    model_opts_free(cls, b->opts);
}
