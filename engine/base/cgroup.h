/* Limits of the control groups this process is in, version 1 and 2. For sys.c and its tests. */
#ifndef TT_BASE_CGROUP_H
#define TT_BASE_CGROUP_H

#include <stdint.h>

/* HUGE_VAL and INT64_MAX where nothing is limited. */
struct cgroup_limits {
    double cpus;       /* CPU quota in processors */
    int64_t mem_total; /* bytes */
    int64_t mem_free;  /* limit - usage + inactive_file, least over the groups we are in */
};

/* `root` stands before "/proc" and "/sys": "" for the machine itself. */
void cgroup_read(const char *root, struct cgroup_limits *out);

#endif
