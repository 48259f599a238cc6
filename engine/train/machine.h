/* The machine as a run meets it, sampled once a second by a thread of its own: the screen never
 * waits for a slow disk. */
#ifndef TT_TRAIN_MACHINE_H
#define TT_TRAIN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct machine_reading {
    double at;                      /* sys_now() of the sample; 0: none yet */
    double cpu; /* cores that the process kept busy since the one before; NaN: first */
    int cpus;                       /* cores it may use */
    int threads;                    /* of the process */
    int64_t resident, free, total;  /* memory, bytes */
    int64_t disk_used, disk_free;   /* of the run directory; -1: unknown */
    char blas[128];                 /* name, threading, kernels */
};

struct machine;

/* `run_path` is copied, `pid` the process of the run, 0: this one. Never NULL; without a thread there are
 * no readings. */
struct machine *machine_start(const char *run_path, int64_t pid);
void machine_read(struct machine *m, struct machine_reading *out); /* the newest */
void machine_stop(struct machine *m); /* NULL is fine */

#endif
