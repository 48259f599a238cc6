/* The table of data formats and the choices of data.format, both made of one list. */
#include "engine/data/dataset.h"

#define X(name) extern const struct data_format data_##name;
#include "engine/data/format_list.h"
#undef X

const struct data_format *const data_formats[] = {
#define X(name) &data_##name,
#include "engine/data/format_list.h"
#undef X
    NULL,
};

const char data_format_choices[] = "auto"
#define X(name) "|" #name
#include "engine/data/format_list.h"
#undef X
    ;
