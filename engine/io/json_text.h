/* Texts as JSON spells them. */
#ifndef TT_IO_JSON_TEXT_H
#define TT_IO_JSON_TEXT_H

#include <stddef.h>

#include "engine/base/str.h"

/* One byte of a UTF-8 text: a quote, a backslash and what is below U+0020 escaped, the rest itself.
 * Returns its length in `out`. */
size_t json_escape(char out[8], unsigned char byte);

/* A UTF-8 text in its quotes. */
void json_add_text(struct strbuf *b, const char *text);

#endif
