/* Configs for tests, from text. */
#ifndef TT_TESTS_CONFIG_SUPPORT_H
#define TT_TESTS_CONFIG_SUPPORT_H

#include "engine/train/run_config.h"

#define MLP "[model]\ntype = mlp\n" /* lines 1 and 2 of a config */

/* Resolve `text`, called run.ini. */
int config_load(struct run_config *rc, const char *text, struct err *e);
/* The same; the test fails when it is refused. */
void config_good(struct run_config *rc, const char *text);
/* The value of an option as a config spells it, valid until the next call. */
const char *config_value(const struct run_config *rc, const char *section, const char *key);

#endif
