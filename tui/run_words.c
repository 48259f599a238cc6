/* Words about a config. */
#include "tui/run_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"

#define GIB 1073741824.0

static bool is_made_up(const struct data_opts *o)
{
    return o->format > 0 && !data_formats[o->format - 1]->suffixes;
}

/* A folder's name tells what the data is, unless it is one for data of all kinds. */
static bool tells_something(const char *folder)
{
    static const char *const plain[] = {"", ".", "..", "data", "/"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (!strcmp(folder, plain[i]))
            return false;
    return true;
}

char *words_data(const struct run_config *rc, char *dst, size_t size)
{
    if (is_made_up(&rc->data) || !rc->data.train) {
        str_copy(dst, size, rc->data.train || is_made_up(&rc->data) ? "synthetic" : "none");
        return dst;
    }
    char *dir = file_dir(rc->data.train), *stem = file_stem(rc->data.train);
    str_copy(dst, size, tells_something(file_base(dir)) ? file_base(dir) : stem);
    free(dir);
    free(stem);
    return dst;
}

char *words_lack(const struct run_config *rc, char *dst, size_t size)
{
    const char *lack = "";
    if (rc->model.pretrained && !file_is_dir(rc->model.pretrained))
        lack = "needs a model";
    else if (!is_made_up(&rc->data) && rc->data.fallback == FALLBACK_NO &&
             !(rc->data.train && file_exists(rc->data.train)))
        lack = "needs a file";
    str_copy(dst, size, lack);
    return dst;
}

/* The value of a model's own option, "" when it has none of that name. */
static char *model_value(const struct run_config *rc, const char *key, char *dst, size_t size)
{
    const struct opt_desc *d = rc->model_cls->opts ? opt_find(rc->model_cls->opts, key) : NULL;
    *dst = 0;
    if (d)
        opt_format(d, rc->model_own, dst, size);
    return dst;
}

char *words_model(const struct run_config *rc, char *dst, size_t size)
{
    static const char *const shapes[] = {"channels", "hidden"};
    char layers[64], dim[64];
    size_t n = (size_t)snprintf(dst, size, "%s", rc->model_cls->name);
    if (*model_value(rc, "n_layers", layers, sizeof layers) &&
        *model_value(rc, "dim", dim, sizeof dim)) {
        snprintf(dst + n, size - n, " %s x %s", layers, dim);
        return dst;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && n < size; i++)
        if (*model_value(rc, shapes[i], dim, sizeof dim))
            n += (size_t)snprintf(dst + n, size - n, " %s", dim);
    return dst;
}

char *words_gib(double bytes, char *dst, size_t size)
{
    double v = bytes / GIB;
    snprintf(dst, size, "%.*f", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
    return dst;
}

char *words_need(const struct memory_plan *p, char *dst, size_t size)
{
    char need[32], have[32];
    double bytes = (double)p->total_bytes;
    words_gib((double)p->free_bytes, have, sizeof have);
    if (bytes >= GIB / 10)
        snprintf(dst, size, "%s of %s GiB", words_gib(bytes, need, sizeof need), have);
    else
        snprintf(dst, size, "%s of %s GiB", str_bytes(need, sizeof need, bytes), have);
    return dst;
}

char *words_verdict(const struct memory_plan *p, char *dst, size_t size)
{
    char data[32];
    str_copy(dst, size, p->fits ? "fits" : "does not fit");
    if (!p->fits && p->total_bytes <= p->free_bytes)
        snprintf(dst, size, "does not fit with %s of data",
                 str_bytes(data, sizeof data, (double)p->data_bytes));
    return dst;
}
