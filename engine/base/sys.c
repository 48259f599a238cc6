/* Cores, memory and clocks of the machine. */
#define _GNU_SOURCE 1 /* CPU_ALLOC, sched_getaffinity */
#include "engine/base/sys.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/cgroup.h"
#include "engine/base/str.h"

#define MAX_THREADS 4096

/* Size of the affinity mask; machines with more than 1,024 processors need a larger set. */
static int affinity_cpus(void)
{
    for (int room = 1024; room <= 1 << 20; room *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)room);
        if (!set)
            break;
        size_t size = CPU_ALLOC_SIZE((size_t)room);
        int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int sys_cpus(void)
{
    struct cgroup_limits limits;
    cgroup_read("", &limits);
    double quota = ceil(limits.cpus);
    int cpus = affinity_cpus();
    if (quota < cpus)
        cpus = (int)quota;
    return cpus < 1 ? 1 : cpus;
}

int sys_threads(int64_t wanted, char *warning, size_t size)
{
    if (warning)
        warning[0] = '\0';
    if (wanted > 0)
        return wanted < MAX_THREADS ? (int)wanted : MAX_THREADS;
    int cpus = sys_cpus();
    const char *text = getenv("OMP_NUM_THREADS");
    if (!text || !*text)
        return cpus;

    char first[32], visible[64]; /* "4,2" is one number for each nesting level */
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ","), text);
    int64_t n;
    if (str_to_i64(str_strip(first), &n) && n > 0 && n <= MAX_THREADS)
        return (int)n;
    if (warning)
        snprintf(warning, size, "OMP_NUM_THREADS=%s (a whole number from 1 to %d): using %d",
                 str_visible(visible, sizeof visible, text), MAX_THREADS, cpus);
    return cpus;
}

/* "KEY:   N kB" of a file under /proc in bytes, -1 when it is not there. */
static int64_t proc_kilobytes(const char *path, const char *key)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    char line[256];
    int64_t value = -1;
    size_t n = strlen(key);
    while (value < 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, key, n) && line[n] == ':')
            value = (int64_t)strtoll(line + n + 1, NULL, 10) * 1024;
    fclose(f);
    return value;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t sys_mem_free(void)
{
    struct cgroup_limits limits;
    cgroup_read("", &limits);
    int64_t available = proc_kilobytes("/proc/meminfo", "MemAvailable");
    if (available < 0)
        available = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    return smaller(available, limits.mem_free);
}

int64_t sys_mem_total(void)
{
    struct cgroup_limits limits;
    cgroup_read("", &limits);
    return smaller((int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), limits.mem_total);
}

int64_t sys_rss(void)
{
    return proc_kilobytes("/proc/self/status", "VmRSS");
}

int64_t sys_rss_peak(void)
{
    return proc_kilobytes("/proc/self/status", "VmHWM");
}

int64_t sys_rss_of(int64_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/status", (long long)pid);
    return proc_kilobytes(path, "VmRSS");
}

int64_t sys_disk_free(const char *path)
{
    struct statvfs st;
    return statvfs(path, &st) == 0 ? (int64_t)st.f_bavail * (int64_t)st.f_frsize : -1;
}

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double sys_now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

int64_t sys_unix(void)
{
    return time(NULL);
}

double sys_unix_f(void)
{
    return clock_seconds(CLOCK_REALTIME);
}

double sys_cpu_seconds(void)
{
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double sys_cpu_seconds_of(int64_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid((pid_t)pid, &clock) == 0 ? clock_seconds(clock) : 0;
}

bool sys_locale(void)
{
    static const char *const names[] = {"", "C.UTF-8", "C"};
    size_t i = 0;
    while (i < 3 && !setlocale(LC_CTYPE, names[i]))
        i++;
    return !strcmp(nl_langinfo(CODESET), "UTF-8");
}
