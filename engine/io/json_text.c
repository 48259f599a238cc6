/* The escapes of JSON, the shortest form of each: what serde and Python write. */
#include "engine/io/json_text.h"

#include <stdio.h>
#include <string.h>

size_t json_escape(char out[8], unsigned char byte)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *at = byte ? strchr(plain, byte) : NULL;

    if (at) {
        out[0] = '\\';
        out[1] = letter[at - plain];
        return 2;
    }
    if (byte < 0x20)
        return (size_t)snprintf(out, 8, "\\u%04x", byte);
    out[0] = (char)byte;
    return 1;
}

void json_add_text(struct strbuf *b, const char *text)
{
    char out[8];

    strbuf_add(b, "\"", 1);
    for (; *text; text++)
        strbuf_add(b, out, json_escape(out, (unsigned char)*text));
    strbuf_add(b, "\"", 1);
}
