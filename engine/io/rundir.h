/* The run directory: runs/NAME/ with config.ini, metrics.jsonl, log.txt, event file, checkpoints/,
 * final/. One live run at a time, told by a lock that dies with its process. */
#ifndef TT_IO_RUNDIR_H
#define TT_IO_RUNDIR_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/err.h"
#include "engine/base/file.h"
#include "engine/base/str.h"

struct rundir {
    char *path; /* absolute */
    char *name; /* last part */
    int lock;   /* descriptor, -1: not held */
};

/* What a run directory says about its run; for the launcher, resume and compare. */
struct run_summary {
    char name[128], config[64]; /* config: stem it was started from */
    /* "training" (lock held), "finished", "stopped", "diverged", "early", "failed", "killed" */
    char state[16];
    char optimizer[32], model[32], best_metric[48];
    double best; /* NaN: none */
    int64_t step, max_steps, mtime;
};

/* Name for a run: `wanted` (config run.name) or, when NULL, stem, stem-2, stem-3 ... the first that
 * does not exist. A given name that exists: TT_ECONFIG naming the two ways out. Control characters,
 * slashes, "." and ".." are refused. Nothing is made. Caller frees *name. */
int rundir_choose(const char *dir, const char *wanted, const char *stem, char **name,
                  struct err *e);

/* Make it (with parents) and take the lock; or open an existing one (for a resume), which removes
 * what interrupted writes left in it. In use, there already, or not to be made: TT_ECONFIG saying
 * so. On failure nothing new is left. (Of two processes that chose the same name one is refused, and
 * may choose again.) */
int rundir_create(struct rundir *r, const char *dir, const char *name, struct err *e);
int rundir_open(struct rundir *r, const char *path, struct err *e);
void rundir_close(struct rundir *r); /* gives the lock back */

/* RUN of a command: a run directory, or the name of one below `dir`. Caller frees *path. */
int rundir_resolve(const char *dir, const char *run, char **path, struct err *e);
/* The newest run of that stem below dir (stem, stem-2 ...) by its number, or NULL; `unfinished`: of
 * those that a resume would still have something to do for. */
char *rundir_newest(const char *dir, const char *stem, bool unfinished);
bool rundir_in_use(const char *path);
/* Remove what interrupted writes left in a folder of the run: names that begin with ".tmp-". */
void rundir_sweep(const char *folder);

/* run.json, written by the trainer at state changes, evaluations and checkpoints:
 * {"state":..,"step":..,...}; atomic. Without one a run is "training" or "killed"; such a run's step is
 * that of metrics.jsonl, if it is larger; mtime is that of the newest of its files. */
int rundir_write_summary(const struct rundir *r, const struct run_summary *s, struct err *e);
/* The state is checked against the lock. */
int rundir_read_summary(const char *path, struct run_summary *s, struct err *e);
bool run_summary_over(const struct run_summary *s); /* finished or stopped early */

/* Checkpoints. A checkpoint folder is made under a temporary name and renamed when whole. Its files
 * are written by file_create, file_write_all or st_write, which sync them; state.json is one of
 * them. */
struct ckpt_writer {
    char *temp, *final;
    int64_t step;
};
int ckpt_begin(struct ckpt_writer *w, const struct rundir *r, int64_t step, struct err *e);
/* Path of a file inside the unfinished folder; caller frees. */
char *ckpt_path(const struct ckpt_writer *w, const char *name);
/* Adds the manifest to state.json ("files": name -> bytes), syncs, renames; an older one of that
 * step is replaced. `*bytes` (may be NULL) is the size of all files. The writer is released,
 * whatever the result; after a failure nothing of it is left. */
int ckpt_commit(struct ckpt_writer *w, int64_t *bytes, struct err *e);
void ckpt_abort(struct ckpt_writer *w);

/* Steps of complete checkpoints, ascending by number (exactly step-<digits>, complete: all of
 * model.safetensors, optimizer.safetensors, state.json with sizes as state.json's manifest lists).
 * Incomplete ones are told in `skipped` (may be NULL): path and what is missing. Returns the count;
 * caller frees *steps. */
int ckpt_list(const char *run_path, int64_t **steps, struct strlist *skipped);
char *ckpt_dir(const char *run_path, int64_t step); /* caller frees */
/* Remove all complete ones but the newest `keep` (<= 0: keep all) and `best` (or -1), which is kept
 * besides them. Names removed are added to `removed` (may be NULL). */
int ckpt_rotate(const char *run_path, int64_t keep, int64_t best, struct strlist *removed,
                struct err *e);

#endif
