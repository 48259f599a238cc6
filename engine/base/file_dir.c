/* Folders: making, listing, moving, removing, and what a path is. */
#define _GNU_SOURCE 1 /* nftw */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/file_ops.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

int file_sync_dir(const char *dir, struct err *e)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(e, TT_EFAIL, "can't open folder %s", dir);
    int rc = 0;
    if (op_fsync(fd) != 0 && errno != EINVAL) /* EINVAL: a file system without such a thing */
        rc = err_errno(e, TT_EFAIL, "can't sync folder %s", dir);
    close(fd);
    return rc;
}

static int make_dir(const char *dir, struct err *e)
{
    if (mkdir(dir, 0777) == 0)
        return 0;
    int errnum = errno;
    if (file_is_dir(dir))
        return 0;
    errno = errnum == EEXIST ? ENOTDIR : errnum;
    return err_errno(e, TT_EFAIL, "can't make folder %s", dir);
}

int file_mkdirs(const char *dir, struct err *e)
{
    char *path = xstrdup(dir);
    int rc = 0;
    for (char *slash = path; rc == 0 && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        rc = make_dir(path, e);
        *slash = '/';
    }
    if (rc == 0)
        rc = make_dir(path, e);
    free(path);
    return rc;
}

int file_rename(const char *from, const char *to, struct err *e)
{
    if (op_rename(from, to) != 0)
        return err_errno(e, TT_EFAIL, "can't rename %s to %s", from, to);
    char *dir = file_dir(to);
    int rc = file_sync_dir(dir, e);
    free(dir);
    return rc;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    return remove(path);
}

int file_remove_tree(const char *dir, struct err *e)
{
    if (nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        return err_errno(e, TT_EFAIL, "can't remove %s", dir);
    return 0;
}

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int64_t file_size(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_size : -1;
}

int64_t file_mtime(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_mtime : -1;
}

static bool is_listed(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !str_starts(name, "._");
}

int file_list(const char *dir, bool (*pass)(const char *name), struct strlist *out, struct err *e)
{
    DIR *d = opendir(dir);
    if (!d)
        return err_errno(e, TT_EDATA, "can't open folder %s", dir);
    struct dirent *entry;
    for (errno = 0; (entry = readdir(d)); errno = 0)
        if (is_listed(entry->d_name) && (!pass || pass(entry->d_name)))
            strlist_add(out, entry->d_name);
    int rc = errno ? err_errno(e, TT_EDATA, "can't read folder %s", dir) : 0;
    closedir(d);
    strlist_sort(out);
    return rc;
}
