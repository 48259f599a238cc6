/* Speed of tokenizing on one core: megabytes a second of a text, beside memchr() over its bytes.
 * usage: tokenizer MODEL_DIR|vocab.txt FILE [SECONDS]
 * "ascii" is the file without other bytes; "mixed" has every tenth space made an accented word. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/data/tokenizer.h"

struct job {
    const struct tokenizer *t; /* NULL: only look for line ends */
    struct token_list list;
    const char *text;
    size_t n;
};

static size_t run_once(struct job *j)
{
    size_t tokens = 0;
    const char *end = j->text + j->n;
    for (const char *p = j->text, *stop; p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        j->list.n = 0;
        tokens += j->t ? tokenizer_encode(j->t, &j->list, p, (size_t)(stop - p), NULL, 0, 0) : 1;
    }
    return tokens;
}

/* The best of as many rounds as there is time for. */
static void measure(const char *name, struct job *j, double seconds)
{
    double best = 0, until = sys_now() + seconds;
    size_t tokens;
    do {
        double start = sys_now();
        tokens = run_once(j);
        double rate = (double)j->n / (sys_now() - start) / 1e6;
        best = rate > best ? rate : best;
    } while (sys_now() < until);
    printf("%-8s %10.1f MB/s %12zu bytes %10zu %s\n", name, best, j->n, tokens,
           j->t ? "tokens" : "lines");
}

static void split_kinds(const char *text, size_t n, struct strbuf *ascii, struct strbuf *mixed)
{
    size_t spaces = 0;
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < 0x80)
            strbuf_add(ascii, text + i, 1);
        if (text[i] == ' ' && ++spaces % 10 == 0)
            strbuf_adds(mixed, " \xc3\x89l\xc3\xa8ve na\xc3\xafve \xe4\xb8\xad\xe6\x96\x87 ");
        else
            strbuf_add(mixed, text + i, 1);
    }
}

int main(int argc, char **argv)
{
    struct tokenizer *t;
    struct err e = ERR_INIT;
    char *text;
    size_t n;
    struct strbuf ascii = STRBUF_INIT, mixed = STRBUF_INIT;
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: tokenizer MODEL_DIR|vocab.txt FILE [SECONDS]\n");
        return 2;
    }
    double seconds = argc > 3 ? strtod(argv[3], NULL) : 2;
    int code = file_is_dir(argv[1]) ? tokenizer_open_dir(&t, argv[1], CASE_AUTO, &e)
                                    : tokenizer_open_vocab(&t, argv[1], CASE_AUTO, &e);
    if (code || (code = file_read_gz(argv[2], (size_t)1 << 34, &text, &n, &e))) {
        fprintf(stderr, "tokenizer: %s\n", e.msg);
        return err_exit_status(code);
    }
    split_kinds(text, n, &ascii, &mixed);
    struct job job = {.text = ascii.s, .n = ascii.len};
    measure("memchr", &job, seconds / 4);
    job.t = t;
    measure("ascii", &job, seconds);
    job.text = mixed.s;
    job.n = mixed.len;
    measure("mixed", &job, seconds);
    token_list_release(&job.list);
    strbuf_release(&ascii);
    strbuf_release(&mixed);
    free(text);
    tokenizer_free(t);
    return 0;
}
