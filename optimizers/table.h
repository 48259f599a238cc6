/* The table of optimizer classes, handed to the engine by those who run it. Ended by NULL. */
#ifndef TT_OPTIMIZERS_TABLE_H
#define TT_OPTIMIZERS_TABLE_H

#include "engine/nn/optim.h"

extern const struct optim_class *const optim_classes[];

#endif
