/* `traintui tokenize`: the ids of every line of a file. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/data/tokenizer.h"
#include "tui/cmd.h"

#define FILE_LIMIT ((size_t)1 << 38) /* bytes after unpacking */

static void print_ids(const struct token_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        printf("%s%ld", i ? "," : "[", (long)l->ids[i]);
    puts("]");
}

/* With --pair the text ends at the first tab; without a tab the pair is empty. */
static void encode_line(const struct tokenizer *t, const struct cmd_args *a, struct token_list *l,
                        const char *line, const char *end)
{
    const char *pair = NULL, *stop = end;
    if (a->pair) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        stop = tab ? tab : end;
        pair = tab ? tab + 1 : end;
    }
    l->n = 0;
    tokenizer_encode(t, l, line, (size_t)(stop - line), pair, pair ? (size_t)(end - pair) : 0,
                     a->max_length);
}

static void encode_lines(const struct tokenizer *t, const struct cmd_args *a, const char *text,
                         size_t n)
{
    struct token_list l = {0};
    const char *end = text + n;
    if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    for (const char *stop; text < end; text = stop + 1) {
        stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        encode_line(t, a, &l, text, stop);
        print_ids(&l);
    }
    if (l.invalid)
        fprintf(stderr, "traintui: warning: %s: bytes that are no UTF-8 left out (lines: %lld)\n",
                a->pos[1], (long long)l.invalid);
    if (l.truncated)
        fprintf(stderr, "traintui: warning: %s: cut to %lld tokens (lines: %lld)\n", a->pos[1],
                (long long)a->max_length, (long long)l.truncated);
    token_list_release(&l);
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct tokenizer *t = NULL;
    char *text = NULL;
    size_t n;
    int least = a->pair ? 4 : 3;
    if (a->max_length && a->max_length < least)
        return err_set(e, TT_ECONFIG, "--max-length %lld (a whole number from %d)",
                       (long long)a->max_length, least);
    int code = file_is_dir(a->pos[0]) ? tokenizer_open_dir(&t, a->pos[0], CASE_AUTO, e)
                                      : tokenizer_open_vocab(&t, a->pos[0], CASE_AUTO, e);
    if (!code)
        code = file_read_gz(a->pos[1], FILE_LIMIT, &text, &n, e);
    if (!code)
        encode_lines(t, a, text, n);
    free(text);
    tokenizer_free(t);
    return code;
}

const struct cmd cmd_tokenize = {
    .name = "tokenize",
    .synopsis = "MODEL_DIR FILE [--pair] [--max-length N]",
    .summary = "ids of every line of a text, as one JSON array a line",
    .flags = CMD_TAKES_PAIR | CMD_TAKES_MAX_LENGTH,
    .min_pos = 2,
    .max_pos = 2,
    .run = run,
};
