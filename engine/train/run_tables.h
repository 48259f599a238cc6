/* Option tables of the sections that every run has; used by run_config only. */
#ifndef TT_TRAIN_RUN_TABLES_H
#define TT_TRAIN_RUN_TABLES_H

#include "engine/train/run_config.h"

extern const struct opt_desc run_table[], model_table[], train_table[], eval_table[],
    checkpoint_table[], log_table[], ui_table[], group_table[];

#endif
