/* `traintui inspect`: header, metadata and tensors of a safetensors file; a bad one is refused with its
 * reason. */
#include <stdlib.h>

#include "engine/base/str.h"
#include "engine/io/safetensors.h"
#include "tui/cmd.h"

static int run(const struct cmd_args *a, struct err *e)
{
    struct st_file f;
    int code = st_open(&f, a->pos[0], e);
    if (code)
        return code;
    char shown[256], bytes[32], count[32];
    int64_t elements = 0;
    for (size_t i = 0; i < f.n; i++)
        elements += st_elements(&f.t[i]);
    printf("%s: %zu tensor%s, %s elements, %s\n", str_visible(shown, sizeof shown, f.path), f.n,
           f.n == 1 ? "" : "s",
           str_commas(count, sizeof count, elements), str_bytes(bytes, sizeof bytes, (double)f.size));
    printf("header %lld bytes, data from byte %lld\n", (long long)f.data_at - 8, (long long)f.data_at);
    for (size_t i = 0; i + 1 < f.meta.n; i += 2) {
        printf("metadata %s", str_visible(shown, sizeof shown, f.meta.s[i]));
        printf(" = %s\n", str_visible(shown, sizeof shown, f.meta.s[i + 1]));
    }
    for (size_t i = 0; i < f.n; i++) {
        const struct st_tensor *t = &f.t[i];
        struct strbuf shape = STRBUF_INIT;
        for (int k = 0; k < t->ndim; k++)
            strbuf_addf(&shape, "%s%lld", k ? "," : "", (long long)t->dim[k]);
        printf("%-8s [%s]\t%lld bytes at %lld\t%s\n", t->type, shape.s ? shape.s : "",
               (long long)t->bytes, (long long)t->at, str_visible(shown, sizeof shown, t->name));
        strbuf_release(&shape);
    }
    st_close(&f);
    return 0;
}

const struct cmd cmd_inspect = {
    .name = "inspect",
    .synopsis = "FILE.safetensors",
    .summary = "header, metadata and tensors of a file",
    .min_pos = 1,
    .max_pos = 1,
    .run = run,
};
