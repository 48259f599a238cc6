/* The options that every run has, whatever model, optimizer or schedule it names. */
#include "engine/train/run_tables.h"

#include <math.h>
#include <stddef.h>

#define AT(type, field) offsetof(struct type, field)

const struct opt_desc run_table[] = {
    {.key = "name", .help = "name of the run directory; unset: the config file's stem",
     .type = OPT_STR, .at = AT(run_opts, name), .flags = OPT_UNSET | OPT_ANYTIME},
    {.key = "dir", .help = "folder that holds run directories", .type = OPT_PATH,
     .at = AT(run_opts, dir), .choices = "runs", .flags = OPT_ANYTIME},
    {.key = "seed", .help = "start of every random number: weights, data order, dropout",
     .type = OPT_INT, .at = AT(run_opts, seed), .def = 42, .min = 0, .max = 4294967295.0,
     .flags = OPT_COMMON},
    {.key = "threads", .help = "compute threads; unset: OMP_NUM_THREADS, else the cores given to us",
     .type = OPT_INT, .at = AT(run_opts, threads), .def = OPT_INT_UNSET, .min = 1, .max = 1024,
     .flags = OPT_UNSET | OPT_ANYTIME},
    {.key = "device", .help = "where to compute: auto, cpu, cuda or cuda:N", .type = OPT_STR,
     .at = AT(run_opts, device), .choices = "auto", .flags = OPT_ANYTIME},
    {.key = "precision", .help = "type of weights and products", .type = OPT_CHOICE,
     .at = AT(run_opts, precision), .choices = "fp32|bf16"},
    {0}};

const struct opt_desc model_table[] = {
    {.key = "type", .help = "architecture; unset: what config.json of model.pretrained says",
     .type = OPT_STR, .at = AT(model_opts, type), .flags = OPT_UNSET | OPT_COMMON | OPT_MEMORY},
    {.key = "pretrained", .help = "Hugging Face directory to start from", .type = OPT_PATH,
     .at = AT(model_opts, pretrained), .flags = OPT_UNSET | OPT_MEMORY},
    {.key = "num_labels", .help = "outputs of the head; unset: as many as the data has labels",
     .type = OPT_INT, .at = AT(model_opts, num_labels), .def = OPT_INT_UNSET, .min = 1,
     .max = 1000000, .flags = OPT_UNSET | OPT_MEMORY},
    {0}};

const struct opt_desc train_table[] = {
    {.key = "epochs", .help = "passes over the training rows; may be a fraction", .type = OPT_REAL,
     .at = AT(train_opts, epochs), .def = 3, .min = 0, .max = 1e6,
     .flags = OPT_COMMON | OPT_MIN_OPEN | OPT_RESUME},
    {.key = "max_steps", .help = "updates of the whole run, in place of epochs", .unit = "steps",
     .type = OPT_INT, .at = AT(train_opts, max_steps), .def = OPT_INT_UNSET, .min = 1, .max = 1e12,
     .flags = OPT_UNSET | OPT_LIVE},
    {.key = "batch_size", .help = "rows of a micro-batch", .unit = "rows", .type = OPT_INT,
     .at = AT(train_opts, batch_size), .def = 8, .min = 1, .max = 1048576,
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "gradient_accumulation_steps", .help = "micro-batches of one update", .type = OPT_INT,
     .at = AT(train_opts, gradient_accumulation_steps), .def = 1, .min = 1, .max = 65536},
    {.key = "max_grad_norm", .help = "gradients are scaled down to this 2-norm; 0: never",
     .type = OPT_REAL, .at = AT(train_opts, max_grad_norm), .def = 1, .min = 0, .max = HUGE_VAL,
     .flags = OPT_LIVE},
    {.key = "label_smoothing_factor", .help = "share of the target spread over all classes",
     .type = OPT_REAL, .at = AT(train_opts, label_smoothing_factor), .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN},
    {.key = "class_weights", .help = "weight of each class in the loss, by commas", .type = OPT_STR,
     .at = AT(train_opts, class_weights), .flags = OPT_UNSET},
    {.key = "shuffle", .help = "a new row order each epoch", .type = OPT_BOOL,
     .at = AT(train_opts, shuffle), .def = 1},
    {.key = "group_by_length", .help = "put texts of like length into one batch", .type = OPT_BOOL,
     .at = AT(train_opts, group_by_length)},
    {.key = "gradient_checkpointing", .help = "keep less of the forward pass, compute it again",
     .type = OPT_BOOL, .at = AT(train_opts, gradient_checkpointing), .flags = OPT_MEMORY | OPT_ANYTIME},
    {.key = "drop_last", .help = "leave out an epoch's last batch when it is not full",
     .type = OPT_BOOL, .at = AT(train_opts, drop_last)},
    {.key = "max_nonfinite", .help = "updates with nan or inf in a row that end the run as diverged",
     .unit = "steps", .type = OPT_INT, .at = AT(train_opts, max_nonfinite), .def = 3, .min = 1,
     .max = HUGE_VAL, .flags = OPT_RESUME},
    {0}};

const struct opt_desc eval_table[] = {
    {.key = "every", .help = "evaluate after each epoch, every N steps, or no", .unit = "steps",
     .type = OPT_EVERY, .at = AT(eval_opts, every), .def = -1, .flags = OPT_LIVE | OPT_COMMON},
    {.key = "batch_size", .help = "rows of an evaluation batch", .unit = "rows", .type = OPT_INT,
     .at = AT(eval_opts, batch_size), .def = 8, .min = 1, .max = 1048576,
     .flags = OPT_MEMORY | OPT_ANYTIME},
    {.key = "best", .help = "metric that decides which weights are kept as the best",
     .type = OPT_STR, .at = AT(eval_opts, best), .flags = OPT_UNSET | OPT_COMMON},
    {.key = "early_stopping_patience", .help = "evaluations without a new best that end the run",
     .type = OPT_INT, .at = AT(eval_opts, early_stopping_patience), .def = OPT_INT_UNSET, .min = 1,
     .max = 1e9, .flags = OPT_UNSET | OPT_RESUME},
    {.key = "early_stopping_threshold", .help = "a smaller change does not count for patience",
     .type = OPT_REAL, .at = AT(eval_opts, early_stopping_threshold), .min = 0, .max = HUGE_VAL,
     .flags = OPT_RESUME},
    {.key = "average", .help = "how precision, recall and F1 of the classes become one",
     .type = OPT_CHOICE, .at = AT(eval_opts, average), .choices = "macro|binary|micro|weighted"},
    {0}};

const struct opt_desc checkpoint_table[] = {
    {.key = "every", .help = "save after each epoch, every N steps, or no", .unit = "steps",
     .type = OPT_EVERY, .at = AT(checkpoint_opts, every), .def = -1,
     .flags = OPT_LIVE | OPT_COMMON},
    {.key = "keep", .help = "newest checkpoints kept; the best is kept besides; 0: all",
     .type = OPT_INT, .at = AT(checkpoint_opts, keep), .def = 3, .min = 0, .max = 1e9,
     .flags = OPT_RESUME},
    {0}};

const struct opt_desc log_table[] = {
    {.key = "every", .help = "a line of metrics every N steps, each epoch, or no", .unit = "steps",
     .type = OPT_EVERY, .at = AT(log_opts, every), .def = 10, .flags = OPT_LIVE | OPT_COMMON},
    {.key = "tensorboard", .help = "write an event file for TensorBoard", .type = OPT_BOOL,
     .at = AT(log_opts, tensorboard), .def = 1, .flags = OPT_ANYTIME},
    {0}};

const struct opt_desc ui_table[] = {
    {.key = "theme", .help = "colours", .type = OPT_CHOICE, .at = AT(ui_opts, theme),
     .choices = "any|dark|light|mono", .flags = OPT_ANYTIME},
    {.key = "glyphs", .help = "characters of plots and frames", .type = OPT_CHOICE,
     .at = AT(ui_opts, glyphs), .choices = "auto|braille|block|ascii", .flags = OPT_ANYTIME},
    {.key = "fps", .help = "frames a second at most", .type = OPT_REAL, .at = AT(ui_opts, fps),
     .def = 10, .min = 0.5, .max = 60, .flags = OPT_ANYTIME},
    {.key = "mouse", .help = "click and wheel", .type = OPT_BOOL, .at = AT(ui_opts, mouse),
     .flags = OPT_ANYTIME},
    {.key = "bell", .help = "ring when a run ends", .type = OPT_BOOL, .at = AT(ui_opts, bell),
     .flags = OPT_ANYTIME},
    {0}};

const struct opt_desc group_table[] = {
    {.key = "match", .help = "globs against tensor names, by commas", .type = OPT_STR,
     .at = AT(group_opts, match), .flags = OPT_REQUIRED},
    {.key = "lr_scale", .help = "factor on the learning rate", .type = OPT_REAL,
     .at = AT(group_opts, lr_scale), .def = 1, .min = 0, .max = HUGE_VAL},
    {.key = "weight_decay", .help = "in place of the optimizer's", .type = OPT_REAL,
     .at = AT(group_opts, weight_decay), .def = NAN, .min = 0, .max = 1e3, .flags = OPT_UNSET},
    {.key = "state_bits", .help = "32: full-precision state for low-bit optimizers; 0: their choice",
     .type = OPT_INT, .at = AT(group_opts, state_bits), .def = 0, .min = 0, .max = 32,
     .flags = OPT_MEMORY},
    {.key = "freeze", .help = "no gradient, no state, no update", .type = OPT_BOOL,
     .at = AT(group_opts, freeze), .flags = OPT_MEMORY},
    {0}};
