/* The list of backends, and what is the same for all of them: choice by name, count of bytes, names
 * of kernels. */
#include "engine/backend/backend.h"

#include <limits.h>
#include <string.h>

#include "engine/base/str.h"

const struct backend_class *const backend_classes[] = {&backend_cpu, &backend_null, NULL};

static int open_class(struct backend *be, const struct backend_class *cls, int threads, int index,
                      struct err *e)
{
    memset(be, 0, sizeof *be);
    be->cls = cls;
    be->k = &cls->k;
    be->threads = threads > 0 ? threads : 1;
    be->index = index;
    int rc = cls->open(be, e);
    if (rc != 0)
        memset(be, 0, sizeof *be);
    return rc;
}

/* The first that is there; the null backend is no device. The last failure stays in `e`. */
static int open_auto(struct backend *be, int threads, struct err *e)
{
    int rc = TT_ERESOURCE;
    for (int i = 0; backend_classes[i] && rc != 0; i++) {
        if (backend_classes[i] != &backend_null)
            rc = open_class(be, backend_classes[i], threads, 0, e);
    }
    return rc;
}

/* "cuda:1" is class cuda, index 1. */
static bool split_name(const char *name, char *cls, size_t size, int *index)
{
    const char *colon = strchr(name, ':');
    int64_t n = 0;
    if (colon && (!str_to_i64(colon + 1, &n) || n < 0 || n > INT_MAX))
        return false;
    str_copy(cls, size, name);
    cls[strcspn(cls, ":")] = '\0';
    *index = (int)n;
    return true;
}

static const struct backend_class *class_by_name(const char *name)
{
    for (int i = 0; backend_classes[i]; i++)
        if (strcmp(backend_classes[i]->name, name) == 0)
            return backend_classes[i];
    return NULL;
}

int backend_check_name(const char *name, struct err *e)
{
    char cls[32];
    int index;
    if (!split_name(name, cls, sizeof cls, &index))
        return err_set(e, TT_ECONFIG, "device \"%s\" (a name, or a name and a number: cuda:1)",
                       name);
    const struct backend_class *found = class_by_name(cls);
    if (strcmp(name, "auto") == 0 || (found && found != &backend_null))
        return 0;
    /* a device that other builds have, or no device at all */
    int code = strcmp(cls, "cuda") == 0 ? TT_ERESOURCE : TT_ECONFIG;
    struct strbuf known = STRBUF_INIT;
    for (int i = 0; backend_classes[i]; i++)
        if (backend_classes[i] != &backend_null)
            strbuf_addf(&known, ", %s", backend_classes[i]->name);
    err_set(e, code, "device \"%s\" %s (auto%s)", name,
            code == TT_ERESOURCE ? "is not in this build" : "is unknown", known.s);
    strbuf_release(&known);
    return code;
}

int backend_open(struct backend *be, const char *name, int threads, struct err *e)
{
    char cls[32];
    int index = 0;
    if (strcmp(name, "auto") == 0)
        return open_auto(be, threads, e);
    const struct backend_class *found =
        split_name(name, cls, sizeof cls, &index) ? class_by_name(cls) : NULL;
    return found ? open_class(be, found, threads, index, e) : backend_check_name(name, e);
}

void backend_close(struct backend *be)
{
    if (be->cls)
        be->cls->close(be);
    memset(be, 0, sizeof *be);
}

void *backend_alloc(struct backend *be, size_t bytes, struct err *e)
{
    void *p = be->cls->alloc(be, bytes);
    if (!p) {
        int64_t avail = 0, total = 0;
        char wanted[32], left[32];
        be->cls->mem_info(be, &avail, &total);
        err_set(e, TT_ERESOURCE, "no memory on %s: %s wanted, %s free", be->cls->name,
                str_bytes(wanted, sizeof wanted, (double)bytes),
                str_bytes(left, sizeof left, (double)avail));
        return NULL;
    }
    be->allocated += bytes;
    if (be->peak < be->allocated)
        be->peak = be->allocated;
    return p;
}

void backend_free(struct backend *be, void *p, size_t bytes)
{
    if (!p)
        return;
    be->cls->free(be, p, bytes);
    be->allocated -= bytes;
}

const char *kernel_name(enum kernel_id id)
{
    static const char *const names[KERNEL_COUNT] = {
#define NAME(result, name, args) #name,
        KERNELS(NAME)
#undef NAME
    };
    return names[id];
}

int backend_check_kernels(const struct backend *be, const struct backend *dry, const char *model,
                          struct err *e)
{
    const bool offered[KERNEL_COUNT] = {
#define OFFERED(result, name, args) be->k->name != NULL,
        KERNELS(OFFERED)
#undef OFFERED
    };
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (dry->used[i] && !offered[i])
            return err_set(e, TT_ERESOURCE, "backend %s has no kernel %s, needed by %s",
                           be->cls->name, kernel_name(i), model);
    }
    return 0;
}
