/* Checkpoint folders: checkpoints/step-N is whole or absent. All of it is written as .tmp-step-N,
 * its sizes are listed in state.json, and one rename makes it valid. */
#define _GNU_SOURCE 1 /* renameat2 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/mem.h"
#include "engine/io/rundir.h"

#define STATE_NAME "state.json"
#define STATE_LIMIT ((size_t)64 << 20)

static const char *const required[] = {"model.safetensors", "optimizer.safetensors"};

static char *checkpoints_of(const char *run_path)
{
    return file_join(run_path, "checkpoints");
}

char *ckpt_dir(const char *run_path, int64_t step)
{
    return xasprintf("%s/checkpoints/step-%" PRId64, run_path, step);
}

/* state.json, an object, or NULL. */
static json_t *load_state(const char *dir, struct err *e)
{
    char *path = file_join(dir, STATE_NAME), *text;
    json_error_t at;
    json_t *state = NULL;
    size_t n;

    if (file_read(path, STATE_LIMIT, &text, &n, e) == 0) {
        state = json_loadb(text, n, 0, &at);
        if (!state)
            err_set(e, TT_EDATA, "%s:%d: %s", path, at.line, at.text);
        else if (!json_is_object(state))
            err_set(e, TT_EDATA, "%s:1: not a JSON object", path);
        free(text);
    }
    free(path);
    if (json_is_object(state))
        return state;
    json_decref(state);
    return NULL;
}

/* Every file of the manifest is there with its size. */
static int check_files(const char *dir, json_t *files, struct err *e)
{
    const char *name;
    json_t *size;

    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (!json_object_get(files, required[i]))
            return err_set(e, TT_EDATA, "%s: " STATE_NAME " does not list %s", dir, required[i]);
    }
    json_object_foreach(files, name, size) {
        char *path = file_join(dir, name);
        int64_t want = json_integer_value(size), have = file_size(path);
        free(path);
        if (have < 0)
            return err_set(e, TT_EDATA, "%s: %s is missing", dir, name);
        if (have != want)
            return err_set(e, TT_EDATA, "%s: %s has %" PRId64 " bytes (%" PRId64 ")", dir, name,
                           have, want);
    }
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void release(struct ckpt_writer *w)
{
    free(w->temp);
    free(w->final);
    *w = (struct ckpt_writer){.step = -1};
}

/* The folder that holds all checkpoints. */
static int make_parent(const struct rundir *r, const char *dir, struct err *e)
{
    if (file_is_dir(dir)) {
        rundir_sweep(dir);
        return 0;
    }
    int rc = file_mkdirs(dir, e);
    return rc ? rc : file_sync_dir(r->path, e);
}

int ckpt_begin(struct ckpt_writer *w, const struct rundir *r, int64_t step, struct err *e)
{
    char *dir = checkpoints_of(r->path);

    *w = (struct ckpt_writer){
        .temp = xasprintf("%s/.tmp-step-%" PRId64, dir, step),
        .final = ckpt_dir(r->path, step),
        .step = step,
    };
    int rc = make_parent(r, dir, e);
    if (!rc && mkdir(w->temp, 0777) != 0)
        rc = err_errno(e, TT_EFAIL, "can't make folder %s", w->temp);
    if (rc)
        release(w);
    free(dir);
    return rc;
}

char *ckpt_path(const struct ckpt_writer *w, const char *name)
{
    return file_join(w->temp, name);
}

void ckpt_abort(struct ckpt_writer *w)
{
    if (w->temp)
        file_remove_tree(w->temp, NULL);
    release(w);
}

static bool is_listed(const char *name)
{
    return strcmp(name, STATE_NAME) != 0;
}

/* Name and size of every file beside state.json. */
static int make_manifest(const char *dir, json_t *files, int64_t *bytes, struct err *e)
{
    struct strlist names = STRLIST_INIT;

    int rc = file_list(dir, is_listed, &names, e);
    for (size_t i = 0; i < names.n; i++) {
        char *path = file_join(dir, names.s[i]);
        int64_t size = file_size(path);
        json_object_set_new(files, names.s[i], json_integer(size));
        *bytes += size;
        free(path);
    }
    strlist_release(&names);
    return rc ? rc : check_files(dir, files, e);
}

static int write_manifest(const char *dir, int64_t *bytes, struct err *e)
{
    json_t *state = load_state(dir, e), *files;

    if (!state)
        return TT_EFAIL;
    json_object_set_new(state, "files", files = json_object());
    int rc = make_manifest(dir, files, bytes, e);
    if (!rc) {
        char *text = json_dumps(state, JSON_INDENT(1)), *path = file_join(dir, STATE_NAME);
        *bytes += (int64_t)strlen(text);
        rc = file_write_all(path, text, strlen(text), e);
        free(path);
        free(text);
    }
    json_decref(state);
    return rc;
}

/* Put the new folder in the place of an older one. One exchange where the file system can;
 * elsewhere the older one steps aside, and back when the new one can't take its place (a process
 * that ends between the two renames loses this step, not the ones before). */
static int replace(const struct ckpt_writer *w, struct err *e)
{
    if (renameat2(AT_FDCWD, w->temp, AT_FDCWD, w->final, RENAME_EXCHANGE) == 0) {
        char *dir = file_dir(w->final);
        int rc = file_sync_dir(dir, e);
        free(dir);
        return rc;
    }
    char *aside = xasprintf("%s.old", w->temp);
    int rc = file_rename(w->final, aside, e);
    if (!rc)
        rc = file_rename(w->temp, w->final, e);
    if (!file_exists(w->final))
        rename(aside, w->final);
    if (file_exists(w->final))
        file_remove_tree(aside, NULL);
    free(aside);
    return rc;
}

int ckpt_commit(struct ckpt_writer *w, int64_t *bytes, struct err *e)
{
    int64_t total = 0;

    int rc = write_manifest(w->temp, &total, e);
    if (!rc)
        rc = file_sync_dir(w->temp, e);
    if (!rc)
        rc = file_exists(w->final) ? replace(w, e) : file_rename(w->temp, w->final, e);
    if (!rc && bytes)
        *bytes = total;
    ckpt_abort(w); /* what is left under the temporary name: nothing, or the one replaced */
    return rc;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* The step of a folder named exactly step-<digits>, else -1. */
static int64_t step_of(const char *name)
{
    int64_t step;
    char same[32];

    if (!str_starts(name, "step-") || !str_to_i64(name + 5, &step) || step < 0)
        return -1;
    snprintf(same, sizeof same, "step-%" PRId64, step); /* no sign, no leading zeros */
    return strcmp(name, same) == 0 ? step : -1;
}

static bool is_checkpoint(const char *name)
{
    return step_of(name) >= 0;
}

static int check_complete(const char *dir, struct err *e)
{
    json_t *state = load_state(dir, e);

    if (!state)
        return TT_EDATA;
    int rc = check_files(dir, json_object_get(state, "files"), e);
    json_decref(state);
    return rc;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int ckpt_list(const char *run_path, int64_t **steps, struct strlist *skipped)
{
    char *parent = checkpoints_of(run_path);
    struct strlist names = STRLIST_INIT;
    int n = 0;

    file_list(parent, is_checkpoint, &names, NULL);
    *steps = xcalloc(names.n, sizeof **steps);
    for (size_t i = 0; i < names.n; i++) {
        struct err why = ERR_INIT;
        char *dir = file_join(parent, names.s[i]);
        if (check_complete(dir, &why) == 0)
            (*steps)[n++] = step_of(names.s[i]);
        else if (skipped)
            strlist_add(skipped, why.msg);
        free(dir);
    }
    if (n > 1)
        qsort(*steps, (size_t)n, sizeof **steps, by_number);
    strlist_release(&names);
    free(parent);
    return n;
}

/* Under a temporary name first: half a folder must never look like a checkpoint. */
static int remove_checkpoint(const char *run_path, int64_t step, struct err *e)
{
    char *dir = ckpt_dir(run_path, step);
    char *gone = xasprintf("%s/checkpoints/.tmp-step-%" PRId64, run_path, step);

    int rc = file_rename(dir, gone, e);
    if (!rc)
        rc = file_remove_tree(gone, e);
    free(gone);
    free(dir);
    return rc;
}

int ckpt_rotate(const char *run_path, int64_t keep, int64_t best, struct strlist *removed,
                struct err *e)
{
    int64_t *steps;
    int rc = 0, n = ckpt_list(run_path, &steps, NULL);

    for (int i = 0; keep > 0 && i < n - keep && !rc; i++) {
        if (steps[i] == best)
            continue;
        rc = remove_checkpoint(run_path, steps[i], e);
        if (!rc && removed) {
            char name[32];
            snprintf(name, sizeof name, "step-%" PRId64, steps[i]);
            strlist_add(removed, name);
        }
    }
    free(steps);
    return rc;
}
