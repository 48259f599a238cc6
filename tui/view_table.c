/* The views in tab order. */
#include "tui/view.h"

#define X(name) extern const struct view_class view_##name;
#include "tui/view_list.h"
#undef X

const struct view_class *const view_classes[] = {
#define X(name) &view_##name,
#include "tui/view_list.h"
#undef X
    NULL};
