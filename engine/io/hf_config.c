/* config.json and its relatives (tokenizer_config.json): read whole, changed by key, written whole.
 * The writer is ours because real numbers must stay real, short and exact: 0.1, 1e-12, 1.0. */
#include "engine/io/hf_config.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/io/foreign_file.h"
#include "engine/io/json_text.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define INT_LIMIT 9223372036854775808.0 /* 2^63 */

/* Length of the JSON text in quotes at `s`, the quotes included. */
static size_t quoted_length(const char *s)
{
    size_t n = 1;

    while (s[n] && s[n] != '"')
        n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return s[n] ? n + 1 : n;
}

static bool exceeds_64_bits(const char *number, size_t n)
{
    char digits[24] = "";
    int64_t v;

    if (strcspn(number, ".eE") < n)
        return false;
    if (n >= sizeof digits)
        return true;
    memcpy(digits, number, n);
    return !str_to_i64(digits, &v);
}

/* Whole numbers beyond 64 bits (model_max_length is often 10^30) get a ".0", so that jansson takes
 * them, as real numbers. */
static void widen_integers(struct strbuf *out, const char *s)
{
    size_t n;

    for (; *s; s += n) {
        bool number = *s == '-' || (*s >= '0' && *s <= '9');
        if (number)
            n = strspn(s, "+-.0123456789eE");
        else
            n = *s == '"' ? quoted_length(s) : strcspn(s, "\"-0123456789");
        strbuf_add(out, s, n);
        if (number && exceeds_64_bits(s, n))
            strbuf_adds(out, ".0");
    }
}

int hf_config_read(struct hf_config *c, const char *path, struct err *e)
{
    struct strbuf text = STRBUF_INIT;
    json_error_t at;
    char *data;
    size_t n;

    c->json = NULL;
    int rc = file_read(path, FILE_LIMIT, &data, &n, e);
    if (rc)
        return rc;
    widen_integers(&text, data + (str_starts(data, "\xef\xbb\xbf") ? 3 : 0));
    json_t *json = json_loads(text.s ? text.s : "", 0, &at);
    if (!json && foreign_file(data))
        rc = err_set(e, TT_EDATA, "%s: %s", path, foreign_file(data));
    else if (!json)
        rc = err_set(e, TT_EDATA, "%s:%d: %s", path, at.line, at.text);
    else if (!json_is_object(json))
        rc = err_set(e, TT_EDATA, "%s:1: not a JSON object", path);
    if (rc)
        json_decref(json);
    else
        c->json = json;
    strbuf_release(&text);
    free(data);
    return rc;
}

void hf_config_new(struct hf_config *c)
{
    c->json = json_object();
}

void hf_config_copy(struct hf_config *dst, const struct hf_config *src)
{
    dst->json = src->json ? json_deep_copy(src->json) : json_object();
}

void hf_config_release(struct hf_config *c)
{
    json_decref(c->json);
    c->json = NULL;
}

static void add_real(struct strbuf *b, double v)
{
    char text[40];

    if (fabs(v) >= INT_LIMIT && v == trunc(v)) { /* what widen_integers made of an integer */
        strbuf_addf(b, "%.0f", v);
        return;
    }
    strbuf_adds(b, str_f64(text, sizeof text, v));
    if (!strpbrk(text, ".e"))
        strbuf_adds(b, ".0");
}

static void add_value(struct strbuf *b, const json_t *v, int indent);

/* Between two members, and before the first. */
static void add_break(struct strbuf *b, size_t before, int indent)
{
    strbuf_addf(b, "%s\n%*s", before ? "," : "", indent, "");
}

static void add_object(struct strbuf *b, const json_t *v, int indent)
{
    json_t *object = (json_t *)v, *member;
    const char *key;
    size_t n = 0;

    strbuf_adds(b, "{");
    json_object_foreach(object, key, member) {
        add_break(b, n++, indent + 2);
        json_add_text(b, key);
        strbuf_adds(b, ": ");
        add_value(b, member, indent + 2);
    }
    if (n)
        add_break(b, 0, indent);
    strbuf_adds(b, "}");
}

static void add_array(struct strbuf *b, const json_t *v, int indent)
{
    size_t n = json_array_size(v);

    strbuf_adds(b, "[");
    for (size_t i = 0; i < n; i++) {
        add_break(b, i, indent + 2);
        add_value(b, json_array_get(v, i), indent + 2);
    }
    if (n)
        add_break(b, 0, indent);
    strbuf_adds(b, "]");
}

static void add_value(struct strbuf *b, const json_t *v, int indent)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: add_object(b, v, indent); break;
    case JSON_ARRAY: add_array(b, v, indent); break;
    case JSON_STRING: json_add_text(b, json_string_value(v)); break;
    case JSON_INTEGER: strbuf_addf(b, "%" PRId64, (int64_t)json_integer_value(v)); break;
    case JSON_REAL: add_real(b, json_real_value(v)); break;
    case JSON_TRUE:
    case JSON_FALSE: strbuf_adds(b, json_is_true(v) ? "true" : "false"); break;
    case JSON_NULL: strbuf_adds(b, "null"); break;
    }
}

int hf_config_write(const struct hf_config *c, const char *path, struct err *e)
{
    struct strbuf text = STRBUF_INIT;

    add_value(&text, c->json, 0);
    strbuf_adds(&text, "\n");
    int rc = file_write_all(path, text.s, text.len, e);
    strbuf_release(&text);
    return rc;
}

const char *hf_config_str(const struct hf_config *c, const char *key)
{
    return json_string_value(json_object_get(c->json, key));
}

int64_t hf_config_int(const struct hf_config *c, const char *key, int64_t absent)
{
    const json_t *v = json_object_get(c->json, key);
    double real = json_real_value(v);

    if (json_is_boolean(v))
        return json_is_true(v);
    if (json_is_real(v) && real == trunc(real))
        return fabs(real) < INT_LIMIT ? (int64_t)real : real > 0 ? INT64_MAX : INT64_MIN;
    return json_is_integer(v) ? json_integer_value(v) : absent;
}

double hf_config_real(const struct hf_config *c, const char *key, double absent)
{
    const json_t *v = json_object_get(c->json, key);
    return json_is_number(v) ? json_number_value(v) : absent;
}

char *hf_config_text(const struct hf_config *c, const char *key)
{
    const json_t *v = json_object_get(c->json, key);
    struct strbuf text = STRBUF_INIT;
    char number[40];

    if (!v)
        return NULL;
    if (json_is_string(v))
        strbuf_adds(&text, json_string_value(v));
    else if (json_is_real(v))
        strbuf_adds(&text, str_f64(number, sizeof number, json_real_value(v)));
    else if (!json_is_null(v))
        add_value(&text, v, 0);
    return strbuf_take(&text);
}

bool hf_config_has(const struct hf_config *c, const char *key)
{
    return json_object_get(c->json, key) != NULL;
}

void hf_config_remove(struct hf_config *c, const char *key)
{
    json_object_del(c->json, key);
}

/* Text that is no UTF-8 can't be in a JSON file: its broken bytes are shown as \x9b. */
static json_t *text_value(const char *text)
{
    char shown[256];
    json_t *v = json_string(text);
    return v ? v : json_string(str_visible(shown, sizeof shown, text));
}

void hf_config_put_str(struct hf_config *c, const char *key, const char *v)
{
    json_object_set_new(c->json, key, v ? text_value(v) : json_null());
}

void hf_config_put_int(struct hf_config *c, const char *key, int64_t v)
{
    json_object_set_new(c->json, key, json_integer(v));
}

void hf_config_put_real(struct hf_config *c, const char *key, double v)
{
    json_object_set_new(c->json, key, json_real(v));
}

void hf_config_put_bool(struct hf_config *c, const char *key, int v)
{
    json_object_set_new(c->json, key, json_boolean(v));
}

void hf_config_put_list(struct hf_config *c, const char *key, const struct strlist *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->n; i++)
        json_array_append_new(list, text_value(texts->s[i]));
    json_object_set_new(c->json, key, list);
}

bool hf_config_list(const struct hf_config *c, const char *key, struct strlist *out)
{
    const json_t *list = json_object_get(c->json, key);
    size_t n = json_array_size(list), texts = 0;
    while (texts < n && json_is_string(json_array_get(list, texts)))
        texts++;
    if (!n || texts < n)
        return false;
    for (size_t i = 0; i < n; i++)
        strlist_add(out, json_string_value(json_array_get(list, i)));
    return true;
}

void hf_config_put_labels(struct hf_config *c, const char *const *label, int n)
{
    json_t *id2label = json_object(), *label2id = json_object();
    char id[16];

    for (int i = 0; i < n; i++) {
        json_t *name = text_value(label[i]);
        snprintf(id, sizeof id, "%d", i);
        json_object_set_new(label2id, json_string_value(name), json_integer(i));
        json_object_set_new(id2label, id, name);
    }
    json_object_set_new(c->json, "id2label", id2label);
    json_object_set_new(c->json, "label2id", label2id);
}

/* An id, which the wild writes as a number or as a text. */
static int64_t id_value(const json_t *v)
{
    int64_t id = -1;

    if (json_is_integer(v))
        return json_integer_value(v);
    return json_is_string(v) && str_to_i64(json_string_value(v), &id) ? id : -1;
}

/* label2id turned round, for a file that has no id2label. */
static json_t *labels_by_id(json_t *label2id)
{
    json_t *by_id = json_object(), *v;
    const char *label;
    char id[24];

    json_object_foreach(label2id, label, v) {
        snprintf(id, sizeof id, "%" PRId64, id_value(v));
        json_object_set_new(by_id, id, json_string(label));
    }
    return by_id;
}

int hf_config_labels(const struct hf_config *c, struct strlist *out, struct err *e)
{
    json_t *id2label = json_object_get(c->json, "id2label");
    json_t *label2id = json_object_get(c->json, "label2id");
    size_t n = json_object_size(id2label ? id2label : label2id);
    char id[24];
    int rc = 0;

    json_t *by_id = id2label ? json_incref(id2label) : labels_by_id(label2id);
    for (size_t i = 0; i < n && !rc; i++) {
        snprintf(id, sizeof id, "%zu", i);
        const json_t *label = json_object_get(by_id, id);
        if (json_is_string(label))
            strlist_add(out, json_string_value(label));
        else
            rc = err_set(e, TT_EDATA, "config.json: %s has %zu entries and no text for id %zu",
                         id2label ? "id2label" : "label2id", n, i);
    }
    json_decref(by_id);
    return rc;
}
