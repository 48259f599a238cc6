/* Configs from text. */
#include "tests/support.h"

#include <string.h>

#include "optimizers/table.h"
#include "tests/config_support.h"

int config_load(struct run_config *rc, const char *text, struct err *e)
{
    struct ini ini;
    int code = ini_read_text(&ini, "run.ini", text, strlen(text), e);
    return code ? code : run_config_resolve(rc, &ini, optim_classes, e);
}

void config_good(struct run_config *rc, const char *text)
{
    struct err e = ERR_INIT;
    if (config_load(rc, text, &e))
        fail_msg("%s", e.msg);
}

const char *config_value(const struct run_config *rc, const char *section, const char *key)
{
    static char text[512];
    void *values;
    const struct opt_desc *d = run_config_find(rc, section, key, &values);
    if (!d)
        fail_msg("no option %s.%s", section, key);
    return opt_format(d, values, text, sizeof text);
}
