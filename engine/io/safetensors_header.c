/* What a safetensors header says, entry by entry. The names stay in the header's own text, so that
 * a million tensors cost no allocation each. */
#include "engine/io/safetensors_header.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/io/json_scan.h"

const struct st_type st_types[] = {
    {"BOOL", 8, DT_BOOL},
    {"F4", 4, DT_COUNT},
    {"F6_E2M3", 6, DT_COUNT},
    {"F6_E3M2", 6, DT_COUNT},
    {"U8", 8, DT_U8},
    {"I8", 8, DT_I8},
    {"F8_E5M2", 8, DT_F8_E5M2},
    {"F8_E4M3", 8, DT_F8_E4M3},
    {"F8_E8M0", 8, DT_COUNT},
    {"F8_E4M3FNUZ", 8, DT_COUNT},
    {"F8_E5M2FNUZ", 8, DT_COUNT},
    {"I16", 16, DT_I16},
    {"U16", 16, DT_U16},
    {"F16", 16, DT_F16},
    {"BF16", 16, DT_BF16},
    {"I32", 32, DT_I32},
    {"U32", 32, DT_U32},
    {"F32", 32, DT_F32},
    {"C64", 64, DT_COUNT},
    {"F64", 64, DT_F64},
    {"I64", 64, DT_I64},
    {"U64", 64, DT_U64},
    {NULL, 0, DT_COUNT},
};

bool st_shape_bytes(const struct st_type *type, int ndim, const uint64_t *dim, uint64_t *bytes)
{
    uint64_t n = 1, bits;

    for (int i = 0; i < ndim; i++) {
        if (__builtin_mul_overflow(n, dim[i], &n))
            return false;
    }
    if (__builtin_mul_overflow(n, (uint64_t)type->bits, &bits) || bits % 8 != 0)
        return false;
    *bytes = bits / 8;
    return true;
}

static int bad_tensor(const struct json_scan *c, const struct st_tensor *t, const char *why)
{
    char name[160];
    return err_set(c->e, TT_EDATA, "%s: tensor \"%s\": %s", c->path,
                   str_visible(name, sizeof name, t->name), why);
}

/* What an entry says, before it is checked. */
struct info {
    char *dtype;
    uint64_t dim[ST_DIMS], offset[2];
    int ndim, n_offsets; /* -1: field not seen */
};

static int parse_field(struct json_scan *c, const struct st_tensor *t, const char *key,
                       struct info *in)
{
    if (strcmp(key, "dtype") == 0)
        return in->dtype ? bad_tensor(c, t, "dtype is given twice") : scan_string(c, &in->dtype);
    if (strcmp(key, "shape") == 0)
        return in->ndim >= 0 ? bad_tensor(c, t, "shape is given twice")
                             : scan_numbers(c, in->dim, ST_DIMS, &in->ndim);
    if (strcmp(key, "data_offsets") == 0)
        return in->n_offsets >= 0 ? bad_tensor(c, t, "data_offsets is given twice")
                                  : scan_numbers(c, in->offset, 2, &in->n_offsets);
    return scan_skip(c, 1);
}

static const struct st_type *find_type(const char *name)
{
    for (const struct st_type *k = st_types; k->name; k++) {
        if (strcmp(k->name, name) == 0)
            return k;
    }
    return NULL;
}

/* Checks an entry for itself and moves it into the tensor. */
static int check_info(const struct json_scan *c, struct st_tensor *t, const struct info *in)
{
    const struct st_type *type;
    uint64_t bytes;

    if (!in->dtype || in->ndim < 0 || in->n_offsets < 0)
        return bad_tensor(c, t,
                          !in->dtype     ? "dtype is missing"
                          : in->ndim < 0 ? "shape is missing"
                                         : "data_offsets is missing");
    type = find_type(in->dtype);
    if (!type) {
        char shown[64], why[128];
        snprintf(why, sizeof why, "unknown dtype \"%s\" (F32, F16, BF16, I64, U8 ...)",
                 str_visible(shown, sizeof shown, in->dtype));
        return bad_tensor(c, t, why);
    }
    if (in->ndim > ST_DIMS)
        return bad_tensor(c, t, "more than 8 dimensions");
    if (in->n_offsets != 2)
        return bad_tensor(c, t, "data_offsets are not two numbers");
    if (in->offset[0] > in->offset[1] || in->offset[1] > INT64_MAX)
        return bad_tensor(c, t, "data_offsets are not begin <= end");
    if (!st_shape_bytes(type, in->ndim, in->dim, &bytes))
        return bad_tensor(c, t, "shape overflows 64 bits or ends within a byte");
    if (in->offset[1] - in->offset[0] != bytes)
        return bad_tensor(c, t, "data_offsets do not fit its dtype and shape");
    t->dtype = type->dtype;
    t->type = type->name;
    t->ndim = in->ndim;
    for (int i = 0; i < in->ndim; i++) /* a dimension above 63 bits is that of an empty tensor */
        t->dim[i] = in->dim[i] > INT64_MAX ? INT64_MAX : (int64_t)in->dim[i];
    t->bytes = bytes;
    t->at = (int64_t)in->offset[0];
    return 0;
}

static int parse_tensor(struct json_scan *c, struct st_tensor *t)
{
    struct info in = {.ndim = -1, .n_offsets = -1};
    bool first = true;
    char *key;
    int rc;

    if (!scan_take(c, '{'))
        return bad_tensor(c, t, "its entry is not an object");
    while ((rc = scan_member(c, &first, &key)) > 0) {
        rc = parse_field(c, t, key, &in);
        if (rc)
            return rc;
    }
    return rc ? rc : check_info(c, t, &in);
}

static int parse_meta(struct json_scan *c, struct strlist *meta)
{
    bool first = true;
    char *key, *value;
    int rc;

    if (scan_word(c, "null"))
        return 0;
    if (!scan_take(c, '{'))
        return scan_bad(c, ST_META_KEY " is not an object of texts");
    while ((rc = scan_member(c, &first, &key)) > 0) {
        rc = scan_string(c, &value);
        if (rc)
            return rc;
        strlist_add(meta, key);
        strlist_add(meta, value);
    }
    return rc;
}

int st_header_parse(struct st_file *f, char *text, size_t n, struct err *e)
{
    struct json_scan c = {text, text, text + n, f->path, e};
    bool first = true, meta_seen = false;
    size_t cap = 0;
    char *key;
    int rc;

    text[n] = '\0';
    if (!scan_take(&c, '{'))
        return scan_bad(&c, "a JSON object expected");
    while ((rc = scan_member(&c, &first, &key)) > 0) {
        if (strcmp(key, ST_META_KEY) == 0) {
            rc = meta_seen ? scan_bad(&c, ST_META_KEY " is given twice") : parse_meta(&c, &f->meta);
            meta_seen = true;
        } else {
            f->t = xgrow(f->t, &cap, f->n + 1, sizeof *f->t);
            f->t[f->n] = (struct st_tensor){.name = key};
            rc = parse_tensor(&c, &f->t[f->n++]);
        }
        if (rc)
            return rc;
    }
    if (rc)
        return rc;
    scan_blanks(&c);
    return c.p == c.end ? 0 : scan_bad(&c, "something after the header's object");
}
