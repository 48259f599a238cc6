/* The class of the CPU backend: host memory, and every kernel of the table. */
#include "engine/backend/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/base/sys.h"

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20, LARGE_BYTES = 16 << 20, CHECKED_BYTES = 64 << 20 };

static int cpu_open(struct backend *be, struct err *e)
{
    cpu_open_team(be);
    return blas_open(e);
}

static void cpu_close(struct backend *be)
{
    (void)be;
}

/* The system hands out memory it does not have and kills later: large blocks are refused here. */
static void *cpu_alloc(struct backend *be, size_t bytes)
{
    (void)be;
    if (bytes > SIZE_MAX - ALIGNMENT || (bytes >= CHECKED_BYTES && (int64_t)bytes > sys_mem_free()))
        return NULL;
    size_t align = bytes < LARGE_BYTES ? ALIGNMENT : HUGE_PAGE;
    size_t whole = (bytes + align - 1) / align * align;
    void *p = aligned_alloc(align, whole ? whole : align);
#ifdef MADV_HUGEPAGE
    if (p && align == HUGE_PAGE)
        madvise(p, whole, MADV_HUGEPAGE); /* only a wish: passes over slabs miss the TLB less */
#endif
    return p;
}

static void cpu_free(struct backend *be, void *p, size_t bytes)
{
    (void)be;
    (void)bytes;
    free(p);
}

static void cpu_copy(struct backend *be, void *dst, const void *src, size_t bytes)
{
    (void)be;
    if (bytes)
        memmove(dst, src, bytes);
}

static void cpu_zero(struct backend *be, void *dst, size_t bytes)
{
    (void)be;
    if (bytes)
        memset(dst, 0, bytes);
}

static void cpu_sync(struct backend *be)
{
    (void)be;
}

static void cpu_mem_info(struct backend *be, int64_t *free_bytes, int64_t *total_bytes)
{
    (void)be;
    *free_bytes = sys_mem_free();
    *total_bytes = sys_mem_total();
}

const struct backend_class backend_cpu = {
    .name = "cpu",
    .summary = "this machine's processors, through BLAS and OpenMP",
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .upload = cpu_copy,
    .download = cpu_copy,
    .copy = cpu_copy,
    .zero = cpu_zero,
    .sync = cpu_sync,
    .mem_info = cpu_mem_info,
    .host_memory = true,
    .k =
        {
#define SLOT(result, name, args) .name = cpu_##name,
            KERNELS(SLOT)
#undef SLOT
        },
};
