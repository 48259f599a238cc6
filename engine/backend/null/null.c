/* A backend that computes nothing: a dry run on it counts bytes and notes the kernels that a model
 * calls. Its addresses are distinct and point nowhere. */
#include "engine/backend/backend.h"

#include <string.h>

#include "engine/backend/cpu/cpu.h"

enum { ALIGNMENT = 64 };

/* priv: an address in the last unit that was handed out. Every block takes one more, an empty one
 * too. */
static int null_open(struct backend *be, struct err *e)
{
    (void)e;
    be->priv = NULL;
    return 0;
}

static void null_close(struct backend *be)
{
    (void)be;
}

static void *null_alloc(struct backend *be, size_t bytes)
{
    uintptr_t p = (uintptr_t)be->priv + ALIGNMENT;
    if (bytes > UINTPTR_MAX - p - ALIGNMENT)
        return NULL;
    be->priv = (void *)(p + bytes / ALIGNMENT * ALIGNMENT);
    return (void *)p;
}

static void null_free(struct backend *be, void *p, size_t bytes)
{
    (void)be;
    (void)p;
    (void)bytes;
}

static void null_copy(struct backend *be, void *dst, const void *src, size_t bytes)
{
    (void)be;
    (void)dst;
    (void)src;
    (void)bytes;
}

static void null_download(struct backend *be, void *host, const void *dev, size_t bytes)
{
    (void)be;
    (void)dev;
    memset(host, 0, bytes);
}

static void null_zero(struct backend *be, void *dst, size_t bytes)
{
    (void)be;
    (void)dst;
    (void)bytes;
}

static void null_sync(struct backend *be)
{
    (void)be;
}

static void null_mem_info(struct backend *be, int64_t *free_bytes, int64_t *total_bytes)
{
    (void)be;
    *free_bytes = *total_bytes = INT64_MAX;
}

/* One function per kernel, which notes its call; scratch is what the CPU needs. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define RETURN_void
#define RETURN_size_t return cpu_conv2d_scratch(be, d);
#define NULL_KERNEL(result, name, args)                                                            \
    static result null_##name args                                                                 \
    {                                                                                              \
        be->used[KERNEL_##name] = true;                                                            \
        RETURN_##result                                                                            \
    }
KERNELS(NULL_KERNEL)

const struct backend_class backend_null = {
    .name = "null",
    .summary = "computes nothing: counts the bytes of a dry run",
    .open = null_open,
    .close = null_close,
    .alloc = null_alloc,
    .free = null_free,
    .upload = null_copy,
    .download = null_download,
    .copy = null_copy,
    .zero = null_zero,
    .sync = null_sync,
    .mem_info = null_mem_info,
    .k =
        {
#define SLOT(result, name, args) .name = null_##name,
            KERNELS(SLOT)
#undef SLOT
        },
};
