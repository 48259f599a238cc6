/* The action table, names of keys, and which key means what now. */
#include "tui/keys.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "engine/base/str.h"

#define MAX_KEYS 4 /* of one action */

const struct action_desc action_descs[ACTION_COUNT] = {
#define X(id, word, keys, group, help) [ACTION_##id] = {word, keys, group, help},
#include "tui/action_list.h"
#undef X
};

static const struct {
    const char *name;
    uint32_t code;
} key_names[] = {
    {"Space", ' '},           {"Enter", KEY_ENTER_KEY}, {"Esc", KEY_ESCAPE},
    {"Tab", KEY_TAB_KEY},     {"S-Tab", KEY_BACK_TAB},  {"Up", KEY_UP_ARROW},
    {"Down", KEY_DOWN_ARROW}, {"Left", KEY_LEFT_ARROW}, {"Right", KEY_RIGHT_ARROW},
    {"PgUp", KEY_PAGE_UP},    {"PgDn", KEY_PAGE_DOWN},  {"Home", KEY_HOME_KEY},
    {"End", KEY_END_KEY},     {"Del", KEY_DELETE_KEY},  {"Backspace", KEY_BACKSPACE_KEY},
    {"F1", KEY_F1},           {"F2", KEY_F2},           {"F5", KEY_F5},
};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

struct keymap {
    uint32_t key[ACTION_COUNT][MAX_KEYS];
    char first[ACTION_COUNT][16]; /* name of the first key */
};
static struct keymap current;
static bool ready;

uint32_t key_parse(const char *name)
{
    for (size_t i = 0; i < LENGTH(key_names); i++)
        if (!strcmp(name, key_names[i].name))
            return key_names[i].code;
    if (name[0] == '^' && name[1] >= '@' && name[1] <= '_' && !name[2])
        return (uint32_t)KEY_CTRL(name[1]);
    utf8proc_int32_t ch;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)name, -1, &ch);
    return n > 0 && ch > ' ' && ch != 0x7f && !name[n] ? (uint32_t)ch : KEY_NONE;
}

const char *key_label(uint32_t code, char dst[16])
{
    for (size_t i = 0; i < LENGTH(key_names); i++)
        if (key_names[i].code == code)
            return key_names[i].name;
    if (code < 0x20) {
        snprintf(dst, 16, "^%c", (char)(code + '@'));
        return dst;
    }
    utf8proc_ssize_t n = 0;
    if (code < KEY_FIRST)
        n = utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)dst);
    dst[n] = '\0';
    return dst;
}

/* Keys by blanks into one row of the map; the first that is no key comes back, NULL: all are. */
static const char *bind(uint32_t row[MAX_KEYS], const char *keys, char name[16])
{
    memset(row, 0, MAX_KEYS * sizeof *row);
    for (int n = 0; *(keys += strspn(keys, " \t")); n++) {
        size_t len = strcspn(keys, " \t");
        snprintf(name, 16, "%.*s", (int)len, keys);
        uint32_t code = key_parse(name);
        if (code == KEY_NONE || n == MAX_KEYS)
            return name;
        row[n] = code;
        keys += len;
    }
    return NULL;
}

static void name_keys(struct keymap *map)
{
    char name[16];
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++)
        str_copy(map->first[a], sizeof map->first[a], key_label(map->key[a][0], name));
}

void keys_reset(void)
{
    char name[16];
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++)
        bind(current.key[a], action_descs[a].keys, name);
    name_keys(&current);
    ready = true;
}

static const struct keymap *keymap(void)
{
    if (!ready)
        keys_reset();
    return &current;
}

static enum action find(const struct keymap *map, uint32_t code, enum action but)
{
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT && code != KEY_NONE; a++)
        for (int i = 0; i < MAX_KEYS && a != but; i++)
            if (map->key[a][i] == code)
                return a;
    return ACTION_NONE;
}

enum action key_action(uint32_t code)
{
    return find(keymap(), code, ACTION_NONE);
}

const char *action_key(enum action a)
{
    return keymap()->first[a];
}

static enum action action_by_word(const char *word)
{
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++)
        if (!strcmp(action_descs[a].word, word))
            return a;
    return ACTION_NONE;
}

static int unknown_action(const char *where, const char *word, struct err *e)
{
    const char *words[ACTION_COUNT - 1];
    char all[1024] = "";
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
        words[a - 1] = action_descs[a].word;
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, " %s", action_descs[a].word);
    }
    int nearest = str_nearest(word, words, LENGTH(words));
    if (nearest >= 0)
        return err_set(e, TT_ECONFIG, "%s: unknown action \"%s\" (nearest: %s)", where, word,
                       words[nearest]);
    return err_set(e, TT_ECONFIG, "%s: unknown action \"%s\" (actions:%s)", where, word, all);
}

/* One line of [keys] into the map. */
static int apply(struct keymap *map, const char *where, const struct ini_entry *entry,
                 struct err *e)
{
    enum action a = action_by_word(entry->key);
    if (a == ACTION_NONE)
        return unknown_action(where, entry->key, e);
    char name[16];
    const char *bad = bind(map->key[a], entry->value, name);
    if (bad)
        return err_set(e, TT_ECONFIG,
                       "%s: \"%s\" is no key, or one too many (a character, ^X, Space, Enter, Esc, "
                       "Tab, S-Tab, Up, Down, Left, Right, PgUp, PgDn, Home, End, Del, F1, F2, F5)",
                       where, bad);
    if (map->key[a][0] == KEY_NONE)
        return err_set(e, TT_ECONFIG, "%s: no key for %s (at least one)", where, entry->key);
    return 0;
}

/* After all lines: a key of this line must mean nothing else. */
static int check(const struct keymap *map, const char *where, const struct ini_entry *entry,
                 struct err *e)
{
    enum action a = action_by_word(entry->key);
    for (int i = 0; i < MAX_KEYS; i++) {
        enum action other = find(map, map->key[a][i], a);
        char name[16];
        if (other != ACTION_NONE)
            return err_set(e, TT_ECONFIG, "%s: key %s of %s is that of %s (one meaning each)",
                           where, key_label(map->key[a][i], name), entry->key,
                           action_descs[other].word);
    }
    return 0;
}

int keys_configure(const struct ini *ini, struct err *e)
{
    struct keymap map = *keymap();
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < ini->n; i++) {
            const struct ini_entry *entry = &ini->e[i];
            char where[4200];
            if (strcmp(entry->section, "keys"))
                continue;
            ini_where(ini, entry, where, sizeof where);
            int rc = pass ? check(&map, where, entry, e) : apply(&map, where, entry, e);
            if (rc)
                return rc;
        }
    }
    name_keys(&map);
    current = map;
    return 0;
}
