/* States of common shapes. */
#include "optimizers/rows.h"

#include <string.h>

struct state_desc state_like(const struct segment *seg, const char *name, double fill)
{
    struct state_desc d = {
        .name = name,
        .dtype = DT_F32,
        .ndim = seg->ndim,
        .formula = "4 B x elements",
        .fill = fill,
    };
    memcpy(d.dim, seg->dim, sizeof d.dim);
    return d;
}

struct state_desc state_step(void)
{
    return (struct state_desc){.name = "step", .dtype = DT_F32, .formula = "4 B x tensors"};
}

void write_step(const struct optim_step *s, float *step)
{
    for (int i = 0; i < s->nseg; i++)
        step[i] = (float)s->t;
}
