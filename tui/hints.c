/* Words of the hint row, and the row itself. */
#include "tui/hints.h"

#include <stdio.h>
#include <string.h>

#include "tui/dashboard.h"

static void append(char *dst, size_t size, const char *keys, const char *word)
{
    size_t n = strlen(dst);
    snprintf(dst + n, size - n, "%s%s %s", n ? "  " : "", keys, word);
}

void hint_add(char *dst, size_t size, enum action a, const char *word)
{
    append(dst, size, action_key(a), word);
}

void hint_pair(char *dst, size_t size, enum action a, enum action b, const char *sep,
               const char *word)
{
    static const char *const arrows[][3] = {{"Up", "Down", "↑↓"}, {"Left", "Right", "←→"}};
    char keys[64];
    snprintf(keys, sizeof keys, "%s%s%s", action_key(a), sep, action_key(b));
    for (int i = 0; i < 2; i++)
        if (!strcmp(action_key(a), arrows[i][0]) && !strcmp(action_key(b), arrows[i][1]))
            str_copy(keys, sizeof keys, arrows[i][2]);
    append(dst, size, keys, word);
}

bool run_takes_commands(const struct uimodel *m)
{
    return m->live && !m->reads_only && !run_state_over(m->text.state) && m->text.state != RUN_STOPPING;
}

bool run_evaluates(const struct uimodel *m)
{
    return m->text.next_eval >= 0 || m->text.evals > 0;
}

void hint_run(char *dst, size_t size, const struct uimodel *m)
{
    if (hint_ended(dst, size, m) || !run_takes_commands(m))
        return;
    bool paused = m->text.state == RUN_PAUSED;
    hint_add(dst, size, ACTION_PAUSE, paused ? "resume" : "pause");
    if (paused)
        hint_add(dst, size, ACTION_STEP_ONCE, "one step");
    hint_add(dst, size, ACTION_SAVE, "save");
    if (run_evaluates(m))
        hint_add(dst, size, ACTION_EVALUATE, "evaluate");
    hint_add(dst, size, ACTION_OPTIONS, "options");
}

bool hint_ended(char *dst, size_t size, const struct uimodel *m)
{
    const struct run_status *s = &m->text;
    char words[64], step[32];
    if (!run_state_over(s->state) || s->state == RUN_FINISHED || !*m->path)
        return false;
    str_copy(words, sizeof words, "resume");
    if (s->saved_step > 0)
        snprintf(words, sizeof words, "resume from %s",
                 str_commas(step, sizeof step, s->saved_step));
    hint_add(dst, size, ACTION_START, words);
    hint_add(dst, size, ACTION_OPTIONS, "options first");
    return true;
}

/* ---- the row -------------------------------------------------------------------------------- */

/* Bytes up to the next blank. */
static size_t token(const char *s)
{
    return strcspn(s, " ");
}

static bool is_single(const char *s, size_t n)
{
    char one[8];
    snprintf(one, sizeof one, "%.*s", (int)n, s);
    return n && n < sizeof one && text_width(one) == 1;
}

/* Bytes of the keys of an item: its first token, and the next where both are one character ("n
 * N"). */
static size_t key_bytes(const char *item)
{
    size_t n = token(item);
    if (is_single(item, n) && item[n] == ' ' && is_single(item + n + 1, token(item + n + 1)))
        n += 1 + token(item + n + 1);
    return n;
}

static int put_bytes(struct canvas *c, int x, int y, enum role role, const char *s, size_t n)
{
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)n, s);
    return canvas_put(c, x, y, role, text);
}

/* Arrows as the ascii level spells them. */
static void spell(char *dst, size_t size, const char *item, size_t n, enum glyph_level level)
{
    static const char *const ascii[][2] = {{"↑↓", "Up Dn"}, {"←→", "<- ->"}};
    snprintf(dst, size, "%.*s", (int)n, item);
    for (int i = 0; i < 2 && level == GLYPHS_ASCII; i++)
        if (str_starts(item, ascii[i][0]))
            snprintf(dst, size, "%s%.*s", ascii[i][1], (int)(n - strlen(ascii[i][0])),
                     item + strlen(ascii[i][0]));
}

static int draw_item(struct canvas *c, int x, int y, const char *item, size_t n, int room)
{
    char text[128];
    spell(text, sizeof text, item, n, c->level);
    size_t keys = n < sizeof text ? strlen(text) - (n - key_bytes(item)) : 0;
    if (text_width(text) > room)
        return 0;
    int took = put_bytes(c, x, y, ROLE_KEY, text, keys);
    return took + canvas_put(c, x + took, y, ROLE_DIM, text + keys);
}

/* Items parted by two blanks, as many as fit before column `end`. */
static void draw_items(struct canvas *c, int x, int end, int y, const char *items)
{
    while (*items) {
        const char *stop = strstr(items, "  ");
        size_t n = stop ? (size_t)(stop - items) : strlen(items);
        int took = draw_item(c, x, y, items, n, end - x);
        if (!took)
            return;
        x += took + 2;
        items += n;
        items += strspn(items, " ");
    }
}

/* The open filter: "/adam_". */
static void draw_filter(struct canvas *c, int y, const char *text)
{
    int x = 1 + canvas_put(c, 1, y, ROLE_TEXT, text);
    canvas_put(c, x, y, ROLE_CURSOR, "_");
    c->cursor_x = x;
    c->cursor_y = y;
}

void draw_pinned(struct canvas *c, const char *hints, const char *pinned)
{
    int y = c->h - 1, right = c->w - 1 - text_width(pinned);
    canvas_fill(c, (struct rect){0, y, c->w, 1}, ROLE_TEXT, ' ');
    draw_items(c, right > 0 ? right : 0, c->w, y, pinned);
    if (hints[0] == '/' && hints[1] != ' ')
        draw_filter(c, y, hints);
    else
        draw_items(c, 1, right - 2, y, hints);
}

void draw_hints(struct canvas *c, const char *hints, bool quit)
{
    char pinned[64] = "";
    hint_add(pinned, sizeof pinned, ACTION_HELP, "help");
    if (quit)
        hint_add(pinned, sizeof pinned, ACTION_QUIT, "quit");
    draw_pinned(c, hints, pinned);
}
