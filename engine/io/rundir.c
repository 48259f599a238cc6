/* Run directories: their names, and the lock that says whether a run is alive. */
#include "engine/io/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/mem.h"

#define LOCK_NAME ".lock"
#define LOCK_TRIES 50        /* rundir_in_use() of another process, or a killed one, holds it for a moment */
#define LOCK_PAUSE 20000000L /* ns */

static int check_name(const char *name, struct err *e)
{
    char shown[4 * NAME_MAX + 1];
    const char *why = NULL;

    str_visible(shown, sizeof shown, name);
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        why = "is no name";
    else if (strlen(name) > NAME_MAX)
        why = "is too long";
    else if (strchr(name, '/'))
        why = "has a slash (run.dir says where it lies)";
    else if (strcmp(name, shown) != 0)
        why = "has control characters or is not UTF-8";
    else if (str_starts(name, "._"))
        why = "begins with \"._\" (such folders are never read)";
    return why ? err_set(e, TT_ECONFIG, "run.name: \"%.300s\" %s", shown, why) : 0;
}

static int name_taken(const char *dir, const char *name, struct err *e)
{
    return err_set(
        e, TT_ECONFIG,
        "run.name: \"%s\" exists in %s (--resume goes on with it, another name starts anew)", name,
        dir);
}

static bool exists_in(const char *dir, const char *name)
{
    char *path = file_join(dir, name);
    bool yes = file_exists(path);
    free(path);
    return yes;
}

int rundir_choose(const char *dir, const char *wanted, const char *stem, char **name, struct err *e)
{
    *name = NULL;
    int rc = check_name(wanted ? wanted : stem, e);
    if (rc)
        return rc;
    if (wanted && exists_in(dir, wanted))
        return name_taken(dir, wanted, e);
    *name = xstrdup(wanted ? wanted : stem);
    for (int n = 2; exists_in(dir, *name); n++) {
        free(*name);
        *name = xasprintf("%s-%d", stem, n);
    }
    return 0;
}

/* The lock of a run directory: a descriptor, or -1 and errno. */
static int take_lock(const char *path)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE};
    char *lock = file_join(path, LOCK_NAME);

    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    free(lock);
    for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
        int why = errno;
        if (why == EWOULDBLOCK && i < LOCK_TRIES) {
            nanosleep(&pause, NULL);
            continue;
        }
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

static int lock_run(struct rundir *r, struct err *e)
{
    r->lock = take_lock(r->path);
    if (r->lock >= 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return err_set(e, TT_ECONFIG, "%s is in use by a run that is going on (wait for it, or stop it)",
                       r->path);
    return err_errno(e, TT_ECONFIG, "can't lock %s", r->path);
}

/* Length of the part of `path` that is there. */
static size_t existing_length(const char *path)
{
    char *part = xstrdup(path), *slash;

    while (!file_exists(part) && (slash = strrchr(part, '/')) && slash > part)
        *slash = '\0';
    size_t n = strlen(part);
    free(part);
    return n;
}

/* Take back the empty folders that were made below the first `keep` bytes of `path`. */
static void remove_new(const char *path, size_t keep)
{
    char *part = xstrdup(path), *lock = file_join(path, LOCK_NAME);

    unlink(lock);
    for (; strlen(part) > keep; *strrchr(part, '/') = '\0')
        rmdir(part);
    free(lock);
    free(part);
}

/* The folder, which must be new, and its parents. */
static int make_folder(const char *path, const char *dir, const char *name, struct err *e)
{
    char *parent = file_dir(path);

    int rc = file_mkdirs(parent, e);
    if (!rc && mkdir(path, 0777) != 0)
        rc = errno == EEXIST ? name_taken(dir, name, e)
                             : err_errno(e, TT_ECONFIG, "can't make run directory %s", path);
    free(parent);
    return rc;
}

static int make_run(struct rundir *r, const char *dir, const char *name, struct err *e)
{
    size_t there = existing_length(r->path);
    if (there == strlen(r->path))
        return name_taken(dir, name, e);
    int rc = make_folder(r->path, dir, name, e);
    if (rc && file_exists(r->path)) /* another process was faster */
        return rc;
    if (!rc)
        rc = lock_run(r, e);
    if (!rc) {
        char *parent = file_dir(r->path);
        rc = file_sync_dir(parent, e);
        free(parent);
    }
    if (rc)
        remove_new(r->path, there);
    return rc;
}

int rundir_create(struct rundir *r, const char *dir, const char *name, struct err *e)
{
    *r = (struct rundir){.lock = -1};
    int rc = check_name(name, e);
    if (rc)
        return rc;
    char *joined = file_join(dir, name);
    r->path = file_absolute(joined);
    r->name = xstrdup(name);
    free(joined);
    if (make_run(r, dir, name, e) == 0)
        return 0;
    rundir_close(r);
    if (e)
        e->code = TT_ECONFIG; /* whatever stood in the way, another place must be chosen */
    return TT_ECONFIG;
}

static int no_such_run(const char *run, struct err *e)
{
    return err_set(e, TT_ECONFIG, "no such run: %s", run);
}

int rundir_open(struct rundir *r, const char *path, struct err *e)
{
    *r = (struct rundir){.lock = -1};
    if (!file_is_dir(path))
        return no_such_run(path, e);
    r->path = file_absolute(path);
    r->name = xstrdup(file_base(r->path));
    int rc = lock_run(r, e);
    if (rc)
        rundir_close(r);
    else
        rundir_sweep(r->path);
    return rc;
}

void rundir_close(struct rundir *r)
{
    if (r->lock >= 0)
        close(r->lock);
    free(r->path);
    free(r->name);
    *r = (struct rundir){.lock = -1};
}

bool rundir_in_use(const char *path)
{
    char *lock = file_join(path, LOCK_NAME);
    int fd = open(lock, O_RDONLY | O_CLOEXEC);

    free(lock);
    if (fd < 0)
        return false;
    bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return held;
}

static bool is_temporary(const char *name)
{
    return str_starts(name, ".tmp-");
}

void rundir_sweep(const char *folder)
{
    struct strlist names = STRLIST_INIT;

    file_list(folder, is_temporary, &names, NULL);
    for (size_t i = 0; i < names.n; i++) {
        char *path = file_join(folder, names.s[i]);
        file_remove_tree(path, NULL);
        free(path);
    }
    strlist_release(&names);
}

static bool is_run(const char *path)
{
    return exists_in(path, "config.ini") || exists_in(path, LOCK_NAME);
}

int rundir_resolve(const char *dir, const char *run, char **path, struct err *e)
{
    char *named = file_join(dir, run);
    const char *found = is_run(run) ? run : is_run(named) ? named : NULL;

    *path = found ? file_absolute(found) : NULL;
    free(named);
    return found ? 0
                 : err_set(e, TT_ECONFIG,
                           "no such run: %s (a run directory, or the name of one in %s)", run, dir);
}

/* stem is 1, stem-2 is 2 ...; 0: not a run of that stem. */
static int64_t run_number(const char *name, const char *stem)
{
    int64_t n;

    if (!str_starts(name, stem))
        return 0;
    name += strlen(stem);
    if (!*name)
        return 1;
    return name[0] == '-' && name[1] >= '1' && name[1] <= '9' && str_to_i64(name + 1, &n) ? n : 0;
}

static bool is_of_config(const struct run_summary *s, const char *stem)
{
    return !s->config[0] || strncmp(s->config, stem, sizeof s->config - 1) == 0;
}

char *rundir_newest(const char *dir, const char *stem, bool unfinished)
{
    struct strlist names = STRLIST_INIT;
    struct run_summary s;
    int64_t newest = 0;
    char *found = NULL;

    file_list(dir, NULL, &names, NULL);
    for (size_t i = 0; i < names.n; i++) {
        int64_t n = run_number(names.s[i], stem);
        if (n <= newest)
            continue;
        char *path = file_join(dir, names.s[i]);
        if (is_run(path) && !rundir_read_summary(path, &s, NULL) && is_of_config(&s, stem) &&
            !(unfinished && run_summary_over(&s))) {
            free(found);
            found = file_absolute(path);
            newest = n;
        }
        free(path);
    }
    strlist_release(&names);
    return found;
}
