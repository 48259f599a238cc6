/* Paths as text. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

char *file_join(const char *dir, const char *name)
{
    if (name[0] == '/' || dir[0] == '\0')
        return xstrdup(name);
    return xasprintf(str_ends(dir, "/") ? "%s%s" : "%s/%s", dir, name);
}

const char *file_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *file_dir(const char *path)
{
    size_t n = (size_t)(file_base(path) - path);
    if (n == 0)
        return xstrdup(".");
    while (n > 1 && path[n - 1] == '/')
        n--;
    return xstrndup(path, n);
}

char *file_stem(const char *path)
{
    const char *base = file_base(path), *dot = strrchr(base, '.');
    return dot && dot > base ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);
}

/* Put the parts of `path` behind `out`, which is absolute and folded already. */
static void add_folded(struct strbuf *out, const char *path)
{
    for (size_t n; *path; path += n) {
        n = strcspn(path, "/");
        if (n == 0) {
            n = 1;
        } else if (n == 2 && path[0] == '.' && path[1] == '.') {
            char *slash = out->len ? strrchr(out->s, '/') : NULL;
            out->len = slash ? (size_t)(slash - out->s) : 0;
            if (out->s)
                out->s[out->len] = '\0';
        } else if (n != 1 || path[0] != '.') {
            strbuf_adds(out, "/");
            strbuf_add(out, path, n);
        }
    }
}

char *file_absolute(const char *path)
{
    struct strbuf out = STRBUF_INIT;
    if (path[0] != '/') {
        char *here = getcwd(NULL, 0);
        add_folded(&out, here ? here : "/");
        free(here);
    }
    add_folded(&out, path);
    if (!out.len)
        strbuf_adds(&out, "/");
    return strbuf_take(&out);
}
