/* Which tensors weight decay leaves alone, told by their names. */
#include "engine/nn/param.h"

#include <ctype.h>
#include <string.h>

#include "engine/base/str.h"

/* "layernorm", "sa_layer_norm", "norm1", "bn2", "ln_f", "normalization": a module that normalises.
 * A number at the end does not count. */
static bool part_normalises(const char *part, size_t n)
{
    while (n && (isdigit((unsigned char)part[n - 1]) || part[n - 1] == '_'))
        n--;
    if (n >= 4 && !memcmp(part + n - 4, "norm", 4))
        return true;
    static const char *const names[] = {"bn", "ln", "ln_f", "normalization"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (n == strlen(names[i]) && !memcmp(part, names[i], n))
            return true;
    return false;
}

bool param_name_decays(const char *name)
{
    char low[256];
    str_copy(low, sizeof(low), name);
    for (char *c = low; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (strstr(low, "bias") || strstr(low, "layernorm") || strstr(low, "rmsnorm"))
        return false;
    const char *part = low;
    for (;;) {
        size_t n = strcspn(part, ".");
        if (part_normalises(part, n))
            return false;
        if (!part[n]) /* gamma and beta are the scale and shift of old checkpoints */
            return strcmp(part, "gamma") != 0 && strcmp(part, "beta") != 0;
        part += n + 1;
    }
}
