/* The beginning of a file, plain or gzip, for formats that say at the front what they hold. */
#include <zlib.h>

#include "engine/base/file.h"

int file_read_head(const char *path, void *dst, size_t size, size_t *n, struct err *e)
{
    if (file_is_dir(path))
        return err_set(e, TT_EDATA, "%s: is a folder (a file)", path);
    gzFile file = gzopen(path, "rbe");
    if (!file)
        return err_errno(e, TT_EDATA, "can't open %s", path);
    int got = gzread(file, dst, (unsigned)size), state, rc = 0;
    gzerror(file, &state);
    if (got < 0 && state == Z_ERRNO)
        rc = err_errno(e, TT_EDATA, "can't read %s", path);
    else if (got < 0 || state == Z_BUF_ERROR)
        rc = err_set(e, TT_EDATA, "%s: broken gzip data", path);
    else
        *n = (size_t)got;
    gzclose(file);
    return rc;
}
