/* Counts heap calls: linked into a test that asks for the count, it stands in front of the C
 * library's allocator. Sanitizers have their own, so that there nothing is counted. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/support.h"

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static atomic_long calls;

void *malloc(size_t n)
{
    atomic_fetch_add(&calls, 1);
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    atomic_fetch_add(&calls, 1);
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    atomic_fetch_add(&calls, 1);
    return __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    atomic_fetch_add(&calls, 1);
    return __libc_memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
    void *got = aligned_alloc(alignment, n);
    if (!got)
        return ENOMEM;
    *p = got;
    return 0;
}

long test_heap_calls(void)
{
    return atomic_load(&calls);
}

#else

long test_heap_calls(void)
{
    return -1;
}

#endif
