/* When something that happens "every N steps, every epoch or never" happens. */
#include "engine/train/trainer_state.h"

int64_t every_steps(const struct every *v, int64_t updates_per_epoch)
{
    if (v->kind == EVERY_NO)
        return 0;
    return v->kind == EVERY_N ? v->n : updates_per_epoch;
}

bool every_due(const struct every *v, int64_t s, int64_t updates_per_epoch)
{
    int64_t n = every_steps(v, updates_per_epoch);
    return n > 0 && s > 0 && s % n == 0;
}

int64_t every_next(const struct every *v, int64_t s, int64_t updates_per_epoch, int64_t end)
{
    int64_t n = every_steps(v, updates_per_epoch);
    if (n == 0 || s >= end)
        return -1;
    int64_t next = (s / n + 1) * n;
    return next < end ? next : end;
}
