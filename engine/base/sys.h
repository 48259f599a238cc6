/* What the machine gives: cores, memory, time. cgroup limits count. */
#ifndef TT_BASE_SYS_H
#define TT_BASE_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Affinity mask, cut by the cgroup's CPU quota rounded up; at least 1. */
int sys_cpus(void);
/* run.threads when above 0, else OMP_NUM_THREADS, else sys_cpus(). An unusable OMP_NUM_THREADS is
 * told in `warning` (else ""), which may be NULL. */
int sys_threads(int64_t wanted, char *warning, size_t size);

/* Bytes: the smaller of MemAvailable and the cgroup's limit - usage + inactive_file; likewise the
 * total. */
int64_t sys_mem_free(void);
int64_t sys_mem_total(void);
int64_t sys_rss(void);      /* resident bytes of this process */
int64_t sys_rss_peak(void);
int64_t sys_rss_of(int64_t pid); /* of another process; -1: it is gone */
int64_t sys_disk_free(const char *path);

double sys_now(void);      /* monotonic seconds */
int64_t sys_unix(void);    /* Unix seconds */
double sys_unix_f(void);
double sys_cpu_seconds(void); /* user + system time of the process */
double sys_cpu_seconds_of(int64_t pid); /* of another one; 0: it is gone */

/* LC_CTYPE from the environment; falls back to C.UTF-8, then C. Returns true when UTF-8. */
bool sys_locale(void);

#endif
