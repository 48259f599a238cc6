/* How long texts are, in the data view: the picture of the design, narrow and other places, what was cut,
 * batches by length, and the way to a viewer. */
#include "tests/shot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/data/loader.h"
#include "engine/train/row_order.h"
#include "engine/train/text_setup.h"
#include "optimizers/table.h"
#include "tests/config_support.h"
#include "tests/screen_check.h"
#include "tests/train_support.h"
#include "tui/data_tokens.h"
#include "tui/session.h"
#include "tui/snapshot.h"
#include "tui/wire.h"

/* ---- a run like that of the design ------------------------------------------------------------ */

/* Lengths around their mean that add up to `tokens`, the first of them `longest`. */
static void make_lengths(struct token_counts *t, int64_t rows, int64_t tokens, int64_t longest,
                         int64_t max_length, int64_t cut)
{
    struct dataset ds = {.rows = rows, .max_length = max_length, .cut = cut};
    int64_t mean = tokens / rows, left = tokens - longest;
    int64_t *n = xcalloc((size_t)rows, sizeof *n);
    n[0] = longest;
    for (int64_t i = 1; i < rows; i++) {
        n[i] = 1 + (i * 7919) % (2 * mean - 1);
        left -= n[i];
    }
    for (int64_t i = 1; left; i = i + 1 < rows ? i + 1 : 1) {
        int64_t by = left > 0 && n[i] < longest ? 1 : left < 0 && n[i] > 1 ? -1 : 0;
        n[i] += by;
        left -= by;
    }
    ds.spec.longest = longest;
    ds.at = xcalloc((size_t)rows + 1, sizeof *ds.at);
    for (int64_t i = 0; i < rows; i++)
        ds.at[i + 1] = ds.at[i] + n[i];
    token_counts_make(t, &ds);
    free(ds.at);
    free(n);
}

static void write_rows(const char *name, int64_t negative, int64_t positive)
{
    struct strbuf s = STRBUF_INIT;
    strbuf_adds(&s, "sentence\tlabel\n");
    for (int64_t i = 0; i < negative + positive; i++)
        strbuf_adds(&s, i < negative ? "flat and noisy\tnegative\n" : "a small triumph\tpositive\n");
    test_write_file("data/sst2", name, s.s);
    strbuf_release(&s);
}

static void sst2_run(struct run_fixture *f)
{
    assert_int_equal(chdir(test_temp_dir()), 0);
    mkdir("data", 0777);
    mkdir("data/sst2", 0777);
    write_rows("train.tsv", 29780, 37569);
    write_rows("dev.tsv", 428, 444);
    fixture_fresh(f, "[run]\nname = sst2-adamw\n[model]\ntype = distilbert\n[data]\n"
                     "train = data/sst2/train.tsv\neval = data/sst2/dev.tsv\n"
                     "[train]\nbatch_size = 32\n");
    f->st.state = RUN_TRAINING;
    f->st.max_steps = 6315;
    f->st.step = 3742;
    f->st.steps_per_epoch = 2105;
    f->st.epochs = 3;
    make_lengths(&f->m.tokens[0], 67349, 897018, 66, 128, 0);
    make_lengths(&f->m.tokens[1], 872, 21952, 55, 128, 0);
    fixture_poll(f);
}

static void wait_for_data(struct shot *s)
{
    fixture_draw(&s->f, "d", &s->c);
    for (int i = 0; i < 2000 && strstr(screen_row(&s->c, 2), "looking at"); i++) {
        dashboard_poll(&s->f.dash, &s->f.m, NULL);
        fixture_draw(&s->f, "d", &s->c);
        usleep(5000);
    }
    dashboard_poll(&s->f.dash, &s->f.m, NULL);
}

static void picture(void **state)
{
    static const struct {
        int w, h;
        enum glyph_level level;
    } sizes[] = {{80, 24, GLYPHS_BRAILLE}, {80, 24, GLYPHS_BLOCK},   {80, 24, GLYPHS_ASCII},
                 {40, 12, GLYPHS_BRAILLE}, {120, 40, GLYPHS_BRAILLE}, {200, 50, GLYPHS_BRAILLE}};
    struct shot s;
    struct canvas drawn;
    (void)state;
    shot_start(&s, sst2_run, 80, 24, GLYPHS_BRAILLE);
    wait_for_data(&s);
    shot_take(&s, "d");
    screen_load(&drawn, "data-80x24-braille");
    assert_screen(&s.c, &drawn, ((struct rect){0, 1, 80, 7})); /* files, labels, the rule of the lengths */
    assert_screen(&s.c, &drawn, ((struct rect){0, 8, 7, 5}));
    assert_screen(&s.c, &drawn, ((struct rect){0, 12, 80, 1})); /* one whole number a column */
    assert_screen(&s.c, &drawn, ((struct rect){0, 14, 80, 1}));
    canvas_release(&drawn);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        canvas_resize(&s.c, sizes[i].w, sizes[i].h);
        s.c.level = sizes[i].level;
        shot_take(&s, "d");
        shot_keep(&s, "sst2-data");
    }
    for (int w = 1; w < 200; w += 7)
        for (int h = 1; h < 60; h += 3) {
            canvas_resize(&s.c, w, h);
            shot_take(&s, "d");
        }
    shot_finish(&s);
}

static void large_and_cut(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, sst2_run, 80, 24, GLYPHS_BRAILLE);
    wait_for_data(&s);
    make_lengths(&s.f.m.tokens[0], 67349, 12345678, 512, 512, 1204);
    shot_take(&s, "d");
    shot_row(&s, 2, "   67,349    67,349 12,345,678 183.3  longest 512 ");
    shot_somewhere(&s, "── tokens per row train, rows by 8 ─────────── max_length 512: 1,204 rows cut ──");
    canvas_resize(&s.c, 120, 40);
    shot_take(&s, "d");
    shot_somewhere(&s, " 1,204 cut at 512 ──");
    make_lengths(&s.f.m.tokens[0], 67349, 12345678, 512, 512, 1);
    canvas_resize(&s.c, 80, 24);
    shot_take(&s, "d");
    shot_somewhere(&s, " max_length 512: 1 row cut ──");
    s.f.m.tokens[0].at[1] = 0; /* of the first row */
    shot_act(&s, ACTION_NEXT_PART, 1);
    shot_take(&s, "d");
    shot_somewhere(&s, ">       0       55  negative   flat and noisy");
    shot_finish(&s);
}

/* ---- figures ---------------------------------------------------------------------------------- */

static void padding(void **state)
{
    static int64_t at[] = {0, 3, 10, 12, 20, 21};
    static const int64_t rows[] = {4, 0, 1, 3, 2};
    struct dataset ds = {.rows = 5, .max_length = 8, .at = at};
    struct token_counts t = {0};
    char text[128];
    (void)state;
    ds.spec.longest = 8;
    token_counts_make(&t, &ds);
    assert_int_equal(t.tokens, 21);
    assert_int_equal(t.count[1] + t.count[2] + t.count[3] + t.count[7] + t.count[8], 5);
    assert_int_equal(token_counts_of_row(&t, 3), 8);
    assert_int_equal(token_counts_of_row(&t, 5), -1);
    assert_string_equal(batch_tokens(&t, rows, 5, 8, text, sizeof text),
                        "5 rows, 21 tokens; padded: 40");
    assert_string_equal(batch_tokens(&t, rows, 5, 2, text, sizeof text), /* 2x3, 2x8, 1x2 */
                        "5 rows, 21 tokens; padded: 24");
    ds.rows = TOKENS_ROWS_KEPT + 1; /* too many to keep them one by one */
    ds.at = xcalloc((size_t)ds.rows + 1, sizeof *ds.at);
    for (int64_t i = 0; i < ds.rows; i++)
        ds.at[i + 1] = ds.at[i] + 1 + i % 8;
    token_counts_make(&t, &ds);
    assert_int_equal(t.count[1] + t.count[8], 2 * (TOKENS_ROWS_KEPT / 8) + 1);
    assert_null(t.at);
    assert_int_equal(token_counts_of_row(&t, 3), -1);
    free(ds.at);
    ds.max_length = 0; /* not tokenised */
    token_counts_make(&t, &ds);
    assert_int_equal(t.rows, 0);
    assert_int_equal(token_counts_of_row(&t, 0), -1);
}

/* The rows that are told of an update whose batches are grouped by length are those of the loader. */
static void grouped_batches(void **state)
{
    static char config[4600];
    struct run_config rc;
    struct dataset train, eval;
    struct tokenizer *tok;
    struct row_order order = {0};
    struct token_counts t = {0};
    struct strbuf text = STRBUF_INIT;
    struct err e = ERR_INIT;
    const int64_t *first;
    (void)state;
    strbuf_adds(&text, "sentence\tlabel\n");
    for (int i = 0; i < 500; i++) {
        for (int k = 0; k <= (i * 37) % 11; k++)
            strbuf_adds(&text, k % 2 ? "noisy " : "flat ");
        strbuf_adds(&text, i % 2 ? "\tgood\n" : "\tbad\n");
    }
    snprintf(config, sizeof config,
             "[model]\ntype = distilbert\ndim = 32\nn_heads = 2\nn_layers = 1\nhidden_dim = 32\n[data]\n"
             "train = %s\nmax_length = 10\n[tokenizer]\nvocab_size = 100\n[train]\nbatch_size = 4\n"
             "gradient_accumulation_steps = 2\ngroup_by_length = yes\n",
             test_write_file(test_temp_dir(), "train.tsv", text.s));
    strbuf_release(&text);
    config_good(&rc, config);
    assert_int_equal(dataset_open(&rc.data, 42, &train, &eval, &e), 0);
    assert_int_equal(text_prepare(&rc, NULL, &train, &eval, &tok, &e), 0);
    token_counts_make(&t, &train);
    assert_int_equal(t.max_length, 10);
    assert_true(t.cut > 0 && t.longest == 10 && t.rows == 500);
    struct loader_opts o = {.batch_size = 4, .accumulation = 2, .shuffle = true, .group_by_length = true,
                            .seed = (uint64_t)rc.run.seed, .endless = true};
    struct loader *l = loader_new(&train, &o);
    for (int update = 0; update < 130; update++) { /* into the third epoch */
        int64_t n = row_order_of(&order, &rc, train.rows, t.at, update, &first), at = 0;
        assert_true(n > 0);
        while (at < n) {
            const struct batch *b = loader_next(l, NULL);
            for (int i = 0; i < b->n; i++)
                assert_int_equal(first[at++], b->row[i]);
        }
        assert_int_equal(at, n);
    }
    assert_int_equal(row_order_of(&order, &rc, train.rows, NULL, 0, &first), 0);
    loader_free(l);
    row_order_release(&order);
    token_counts_release(&t);
    tokenizer_free(tok);
    dataset_release(&train);
    dataset_release(&eval);
    run_config_release(&rc);
}

/* ---- a run that is over ------------------------------------------------------------------------ */

static const char *words_run(const char *dir)
{
    static char config[9000];
    struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "sentence\tlabel\n");
    for (int i = 0; i < 60; i++)
        strbuf_adds(&text, i % 3 ? "flat and noisy\tbad\n" : "a warm and quietly funny film\tgood\n");
    snprintf(config, sizeof config,
             "[run]\nname = words\ndir = %s/runs\n[model]\ntype = distilbert\ndim = 16\nn_heads = 2\n"
             "n_layers = 1\nhidden_dim = 16\n[data]\ntrain = %s\nmax_length = 7\n[tokenizer]\n"
             "vocab_size = 100\n[train]\nbatch_size = 10\nmax_steps = 3\n",
             dir, test_write_file(dir, "words.tsv", text.s));
    strbuf_release(&text);
    return test_write_file(dir, "words.ini", config);
}

/* Nobody has its texts in memory: they are read again and tokenised as its checkpoint says. */
static void run_that_is_over(void **state)
{
    struct outcome out;
    struct session *s;
    struct canvas c;
    struct err e = ERR_INIT;
    const char *dir = test_temp_dir();
    bool there = false;
    (void)state;
    train_run(words_run(dir), false, &out);
    if (out.code)
        fail_msg("%s", out.msg);
    assert_int_equal(session_load(&s, test_path_in(dir, "runs/words"), optim_classes, &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    dashboard_action(&s->dash, ACTION_VIEW_DATA, &s->model);
    for (int i = 0; i < 2000 && !there; i++) {
        dashboard_poll(&s->dash, &s->model, NULL);
        canvas_clear(&c);
        dashboard_draw(&s->dash, &c, &s->model);
        there = strstr(screen_row(&c, 2), "longest 7") != NULL;
        usleep(5000);
    }
    assert_true(there); /* of 60 rows 20 had eight, and the others have five with both ends */
    assert_non_null(strstr(screen_row(&c, 2), " 60        60      340   5.7  longest 7 "));
    screen_check(&c, true);
    canvas_release(&c);
    session_free(s);
}

/* ---- the way to a viewer ---------------------------------------------------------------------- */

/* The message of that kind in what a run sends first. */
static struct wire_message message_of(const struct strbuf *sent, enum wire_kind kind)
{
    struct wire_message msg = {.size = 0};
    for (size_t at = 0; at < sent->len; at += msg.total) {
        assert_int_equal(wire_next(sent->s + at, sent->len - at, WIRE_MOST, &msg), 1);
        if (msg.kind == kind)
            return msg;
    }
    fail_msg("no message of kind %d", kind);
    return msg;
}

static void lengths_arrive(void **state)
{
    struct shot s;
    struct strbuf sent = STRBUF_INIT;
    struct uimodel there;
    struct err e = ERR_INIT;
    (void)state;
    shot_start(&s, sst2_run, 80, 24, GLYPHS_BRAILLE);
    snapshot_put(&sent, &s.f.m);
    uimodel_init(&there);
    struct wire_message msg = message_of(&sent, WIRE_TOKENS);
    assert_int_equal(snapshot_take(&there, &msg, &e), 0);
    const struct token_counts *a = &s.f.m.tokens[0], *b = &there.tokens[0];
    assert_int_equal(b->rows, a->rows);
    assert_int_equal(b->tokens, a->tokens);
    assert_int_equal(b->longest, a->longest);
    assert_memory_equal(b->at, a->at, ((size_t)a->rows + 1) * sizeof *a->at);
    assert_memory_equal(b->count, a->count, ((size_t)a->longest + 1) * sizeof *a->count);
    for (size_t n = 0; n < msg.size; n += n < 64 ? 1 : msg.size / 7 + 1) { /* cut anywhere */
        struct wire_message part = msg;
        part.size = n;
        assert_int_not_equal(snapshot_take(&there, &part, &e), 0);
    }
    char *bytes = (char *)msg.data;
    for (size_t i = 0; i < 48; i++) { /* its head, with other bytes: refused or at least harmless */
        char was = bytes[i];
        bytes[i] = (char)~was;
        snapshot_take(&there, &msg, &e);
        bytes[i] = was;
    }
    assert_int_equal(snapshot_take(&there, &msg, &e), 0);
    uimodel_release(&there);
    strbuf_release(&sent);
    shot_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture),         cmocka_unit_test(large_and_cut),
        cmocka_unit_test(padding),         cmocka_unit_test(grouped_batches),
        cmocka_unit_test(run_that_is_over), cmocka_unit_test(lengths_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
