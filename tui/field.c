/* One line of text being edited. */
#include <string.h>
#include <utf8proc.h>

#include "tui/keys.h"
#include "tui/widgets.h"

void field_set(struct field *f, const char *text)
{
    str_copy(f->text, sizeof f->text, text);
    f->len = f->at = (int)strlen(f->text);
}

/* Byte before or after the character at `at`. */
static int step(const struct field *f, int at, int by)
{
    do
        at += by;
    while (at > 0 && at < f->len && (f->text[at] & 0xc0) == 0x80);
    return at < 0 ? 0 : at > f->len ? f->len : at;
}

static void cut(struct field *f, int from, int to)
{
    memmove(f->text + from, f->text + to, (size_t)(f->len - to) + 1);
    f->len -= to - from;
    f->at = from;
}

static void insert(struct field *f, uint32_t ch)
{
    utf8proc_uint8_t bytes[4];
    int n = (int)utf8proc_encode_char((utf8proc_int32_t)ch, bytes);
    if (n < 1 || f->len + n >= (int)sizeof f->text)
        return;
    memmove(f->text + f->at + n, f->text + f->at, (size_t)(f->len - f->at) + 1);
    memcpy(f->text + f->at, bytes, (size_t)n);
    f->len += n;
    f->at += n;
}

bool field_key(struct field *f, const struct key_event *k)
{
    bool control = k->code < 0x20 || (k->code >= 0x7f && k->code < 0xa0);
    if (k->pasted) { /* a pasted Enter or arrow must not do what the key would */
        if (!control && k->code < KEY_FIRST)
            insert(f, k->code);
        return k->code < KEY_PASTE_BEGIN;
    }
    switch (k->code) {
    case KEY_LEFT_ARROW: f->at = step(f, f->at, -1); return true;
    case KEY_RIGHT_ARROW: f->at = step(f, f->at, 1); return true;
    case KEY_HOME_KEY: f->at = 0; return true;
    case KEY_END_KEY: f->at = f->len; return true;
    case KEY_BACKSPACE_KEY: cut(f, step(f, f->at, -1), f->at); return true;
    case KEY_DELETE_KEY: cut(f, f->at, step(f, f->at, 1)); return true;
    case KEY_CTRL('U'): cut(f, 0, f->len); return true;
    }
    if (control || k->code >= KEY_FIRST)
        return false;
    insert(f, k->code);
    return true;
}
