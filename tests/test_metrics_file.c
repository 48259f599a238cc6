/* Lines of JSON built in a fixed buffer, and metrics.jsonl read back and cut for a resume. */
#include "tests/support.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/io/metrics_file.h"

static struct json_line line;

static void a_line(void **state)
{
    (void)state;
    json_begin(&line);
    json_i64(&line, "step", 12);
    json_f64(&line, "learning_rate", 4.5e-05);
    json_f64(&line, "tenth", 0.1);
    json_f64(&line, "third", 1.0 / 3);
    json_f64(&line, "whole", 9800);
    json_f64(&line, "loss", NAN);
    json_f64(&line, "norm", -INFINITY);
    json_bool(&line, "flag", 1);
    json_i64(&line, "min", INT64_MIN);
    assert_string_equal(json_end(&line),
                        "{\"step\":12,\"learning_rate\":4.5e-05,\"tenth\":0.1,"
                        "\"third\":0.3333333333333333,\"whole\":9800,\"loss\":null,\"norm\":null,"
                        "\"flag\":true,\"min\":-9223372036854775808}");
    json_begin(&line);
    assert_string_equal(json_end(&line), "{}");
}

static void nested(void **state)
{
    (void)state;
    json_begin(&line);
    json_open_object(&line, "bytes");
    json_close(&line, '}');
    json_open_object(&line, "states");
    json_i64(&line, "exp_avg", 4);
    json_i64(&line, "step", 8);
    json_close(&line, '}');
    json_open_array(&line, "logits");
    json_f32(&line, NULL, 0.1f);
    json_f32(&line, NULL, -1.5);
    json_f32(&line, NULL, NAN);
    json_open_array(&line, NULL);
    json_str(&line, NULL, "a");
    json_str(&line, NULL, NULL);
    json_close(&line, ']');
    json_close(&line, ']');
    json_bool(&line, "end", 0);
    assert_string_equal(json_end(&line),
                        "{\"bytes\":{},\"states\":{\"exp_avg\":4,\"step\":8},"
                        "\"logits\":[0.100000001,-1.5,null,[\"a\",null]],\"end\":false}");
}

static void texts(void **state)
{
    (void)state;
    json_begin(&line);
    json_str(&line, "a\"b", "\\ \" / \b\f\n\r\t \x01\x1b[2J\x7f");
    json_str(&line, "u", "\xc3\xa9 \xf0\x9f\x98\x80 \xc2\x9b \xc2\xa0");
    json_str(&line, "bad", "x\xff\xc3");
    assert_string_equal(json_end(&line),
                        "{\"a\\\"b\":\"\\\\ \\\" / \\b\\f\\n\\r\\t \\u0001\\u001b[2J\\u007f\","
                        "\"u\":\"\xc3\xa9 \xf0\x9f\x98\x80 \\u009b \xc2\xa0\","
                        "\"bad\":\"x\\ufffd\\ufffd\"}");
}

/* Whatever the last member is that finds no room, the line is valid and ends with the one
 * before. */
static void a_full_line(void **state)
{
    char text[40];

    (void)state;
    for (size_t room = 0; room < 80; room++) {
        json_begin(&line);
        json_open_array(&line, "list");
        while (line.n < sizeof line.s - 100 - room)
            json_i64(&line, NULL, 1);
        json_close(&line, ']');
        memset(text, '\x01', sizeof text);
        text[room % 16] = '\0';
        json_str(&line, "text", text);
        json_open_object(&line, "more");
        json_open_array(&line, "deep");
        json_i64(&line, NULL, 123456789);
        json_close(&line, ']');
        json_f64(&line, "x", 0.1);
        json_close(&line, '}');
        json_bool(&line, "last", 1);
        bool full = line.full;

        json_t *object = json_loads(json_end(&line), 0, NULL);
        assert_non_null(object);
        assert_true(line.n < sizeof line.s);
        assert_int_equal(json_object_get(object, "last") != NULL, !full);
        if (room == 0)
            assert_false(json_object_get(object, "text") == NULL);
        json_decref(object);
    }
}

static void no_heap_calls(void **state)
{
    (void)state;
    long before = test_heap_calls();
    for (int i = 0; i < 100; i++) {
        json_begin(&line);
        json_i64(&line, "step", i);
        json_f64(&line, "loss", 1.0 / i);
        json_f32(&line, "x", 0.1);
        json_str(&line, "s", "text\n");
        json_end(&line);
    }
    assert_int_equal(test_heap_calls(), before);
}

/* Every double comes back as it was. */
static void numbers_round_trip(void **state)
{
    uint64_t bits = 1;
    char text[64];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double v, back;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        json_begin(&line);
        json_f64(&line, "v", v);
        str_copy(text, sizeof text, json_end(&line) + 5);
        text[strlen(text) - 1] = '\0';
        assert_true(str_to_f64(text, &back));
        assert_memory_equal(&v, &back, sizeof v);
    }
}

#define FIRST "{\"parameters\":3,\"optimizer\":\"adamw\",\"step\":0}\n"

static void truncation(void **state)
{
    const char *dir = test_temp_dir(), *path = test_path_in(dir, "m");
    struct err e = ERR_INIT;

    (void)state;
    assert_int_equal(metrics_truncate(path, 3, &e), 0);
    assert_false(file_exists(path));
    test_write_file(dir, "m",
                    FIRST "{\"step\":1,\"loss\":0.10}\n{\"step\":2,\"loss\":null}\n"
                          "{\"step\":2,\"eval_loss\":1}\n{\"note\":\"resumed\"}\n"
                          "{\"step\":3,\"loss\":1}\n{\"step\":30,\"loss\":1}\n{\"step\":4,\"lo");
    assert_int_equal(metrics_truncate(path, 2, &e), 0);
    assert_string_equal(test_read_file(path, NULL),
                        FIRST "{\"step\":1,\"loss\":0.10}\n{\"step\":2,\"loss\":null}\n"
                              "{\"step\":2,\"eval_loss\":1}\n{\"note\":\"resumed\"}\n");
    assert_int_equal(metrics_truncate(path, -1, &e), 0);
    assert_string_equal(test_read_file(path, NULL), FIRST "{\"note\":\"resumed\"}\n");

    test_write_file(dir, "m", "{\"step\":1}\n{\"step\":2}"); /* whole but for its newline */
    assert_int_equal(metrics_truncate(path, 9, &e), 0);
    assert_string_equal(test_read_file(path, NULL), "{\"step\":1}\n{\"step\":2}\n");
    test_write_file(dir, "m", "{\"param");
    assert_int_equal(metrics_truncate(path, 9, &e), 0);
    assert_string_equal(test_read_file(path, NULL), "");
}

static void failing_truncation(void **state)
{
    const char *dir = test_temp_dir(), *text = FIRST "{\"step\":1}\n{\"step\":2}\n";
    const char *path = test_write_file(dir, "m", text);
    struct err e = ERR_INIT;

    (void)state;
    for (int n = 1; n <= 3; n++) {
        file_fail_at(n, ENOSPC);
        assert_int_equal(metrics_truncate(path, 1, &e), TT_EFAIL);
        file_fail_at(0, 0);
        assert_string_equal(test_read_file(path, NULL), text);
    }
    assert_int_equal(metrics_truncate(path, 1, &e), 0);
    assert_string_equal(test_read_file(path, NULL), FIRST "{\"step\":1}\n");
}

/* What metrics_read hands over, as text. */
struct seen {
    char text[512];
    int stop_after;
};

static int note(void *user, const struct metrics_value *v, int n)
{
    struct seen *s = user;
    size_t used = strlen(s->text);

    for (int i = 0; i < n; i++)
        used +=
            (size_t)snprintf(s->text + used, sizeof s->text - used, "%s=%g ", v[i].key, v[i].value);
    snprintf(s->text + used, sizeof s->text - used, "| ");
    return --s->stop_after == 0;
}

static void reading(void **state)
{
    const char *dir = test_temp_dir();
    struct seen s = {.text = ""};
    struct err e = ERR_INIT;
    const char *path = test_write_file(
        dir, "m",
        FIRST "{\"step\":1,\"loss\":0.5,\"kind\":\"x\",\"flag\":true,\"deep\":{\"a\":1}}\n"
              "[1]\nnonsense\n{\"step\":2,\"loss\":null}\n{\"step\":3}\n{\"step\":4,");

    (void)state;
    assert_int_equal(metrics_read(path, note, &s, &e), 0);
    assert_string_equal(s.text, "step=1 loss=0.5 | step=2 loss=nan | step=3 | ");
    s = (struct seen){.stop_after = 1};
    assert_int_equal(metrics_read(path, note, &s, &e), 0);
    assert_string_equal(s.text, "step=1 loss=0.5 | ");
    assert_int_equal(metrics_read(test_path_in(dir, "absent"), note, &s, &e), TT_EDATA);
}

static void many_values(void **state)
{
    const char *dir = test_temp_dir();
    struct seen s = {.text = ""};
    struct err e = ERR_INIT;

    (void)state;
    json_begin(&line);
    for (int i = 0; i < 100; i++)
        json_i64(&line, (char[]){'a', (char)('0' + i / 10), (char)('0' + i % 10), '\0'}, i);
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "{}\n%s\n", json_end(&line));
    const char *path = test_write_file(dir, "m", text.s);
    strbuf_release(&text);
    assert_int_equal(metrics_read(path, note, &s, &e), 0);
    assert_true(str_starts(s.text, "a00=0 a01=1 "));
    assert_true(str_ends(s.text, " a63=63 | ")); /* METRICS_VALUES of them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line),        cmocka_unit_test(nested),
        cmocka_unit_test(texts),         cmocka_unit_test(a_full_line),
        cmocka_unit_test(no_heap_calls), cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(truncation),    cmocka_unit_test(failing_truncation),
        cmocka_unit_test(reading),       cmocka_unit_test(many_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
