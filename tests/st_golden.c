/* Reading and comparing golden tensors. */
#include "tests/st_golden.h"

#include <math.h>
#include <stdio.h>

#include "engine/base/mem.h"
#include "tests/support.h"

void golden_open(struct golden *g, const char *rel)
{
    struct err e = ERR_INIT;
    char path[256];
    snprintf(path, sizeof(path), "tests/golden/%s", rel);
    arena_init(&g->arena, 1 << 16);
    if (st_open(&g->file, test_path(path), &e) < 0)
        fail_msg("%s", e.msg);
}

void golden_close(struct golden *g)
{
    st_close(&g->file);
    arena_release(&g->arena);
}

static const struct st_tensor *find(struct golden *g, const char *group, const char *name)
{
    char full[256];
    snprintf(full, sizeof(full), "%s%s%s", group ? group : "", group ? "/" : "", name);
    return st_find(&g->file, full);
}

struct golden_tensor golden_f32(struct golden *g, const char *group, const char *name)
{
    const struct st_tensor *t = find(g, group, name);
    struct golden_tensor x = {.ndim = 1, .dim = {1}};
    struct err e = ERR_INIT;
    if (!t)
        return x;
    for (int i = 0; i < t->ndim; i++)
        x.dim[i] = t->dim[i];
    if (t->ndim)
        x.ndim = t->ndim;
    x.len = (size_t)st_elements(t);
    x.v = arena_alloc(&g->arena, x.len * sizeof(float));
    if (st_read_f32(&g->file, t, x.v, &e) < 0)
        fail_msg("%s", e.msg);
    return x;
}

const int32_t *golden_i32(struct golden *g, const char *group, const char *name)
{
    const struct st_tensor *t = find(g, group, name);
    struct err e = ERR_INIT;
    if (!t || t->dtype != DT_I64)
        return NULL;
    size_t n = (size_t)st_elements(t);
    int64_t *wide = arena_alloc(&g->arena, n * sizeof(*wide));
    int32_t *v = arena_alloc(&g->arena, n * sizeof(*v));
    if (st_read(&g->file, t, wide, &e) < 0)
        fail_msg("%s", e.msg);
    for (size_t i = 0; i < n; i++)
        v[i] = (int32_t)wide[i];
    return v;
}

void golden_check(const float *v, const struct golden_tensor *right, double tolerance,
                  const char *what)
{
    double largest = 0;
    for (size_t i = 0; i < right->len; i++)
        largest = fmax(largest, fabs((double)right->v[i]));
    test_close_f32(v, right->v, right->len, 0, tolerance * largest, what, __FILE__, __LINE__);
}
