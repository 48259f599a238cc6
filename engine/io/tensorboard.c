/* TensorBoard's event files. The protobuf messages are written by hand: of all their fields only
 * five are needed, and a record is built in a small buffer and handed over with one write. */
#include "engine/io/tensorboard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/base/sys.h"

#define TAG_MAX 192

/* Tags of protobuf: field number << 3 | wire type (0 varint, 1 fixed64, 2 bytes, 5 fixed32). */
enum {
    EVENT_WALL_TIME = 0x09,
    EVENT_STEP = 0x10,
    EVENT_FILE_VERSION = 0x1a,
    EVENT_SUMMARY = 0x2a,
    SUMMARY_VALUE = 0x0a,
    VALUE_TAG = 0x0a,
    VALUE_SIMPLE = 0x15
};

struct message {
    unsigned char s[TAG_MAX + 64];
    size_t n;
};

/* Castagnoli's polynomial, bit by bit: a record has some fifty bytes. */
uint32_t crc32c(const void *data, size_t n)
{
    const unsigned char *p = data;
    uint32_t crc = 0xffffffffu;

    while (n--) {
        crc ^= *p++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static uint32_t masked_crc(const void *data, size_t n)
{
    uint32_t crc = crc32c(data, n);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void put(struct message *m, const void *data, size_t n)
{
    memcpy(m->s + m->n, data, n);
    m->n += n;
}

static void put_byte(struct message *m, int v)
{
    m->s[m->n++] = (unsigned char)v;
}

static void put_varint(struct message *m, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        put_byte(m, (int)(v & 0x7f) | 0x80);
    put_byte(m, (int)v);
}

static void put_bytes(struct message *m, int tag, const void *data, size_t n)
{
    put_byte(m, tag);
    put_varint(m, n);
    put(m, data, n);
}

static void put_wall_time(struct message *m, double wall_time)
{
    put_byte(m, EVENT_WALL_TIME);
    put(m, &wall_time, sizeof wall_time);
}

/* u64 length, its masked crc, the data, their masked crc; little-endian like the host. */
static void append_record(struct appender *out, const struct message *event)
{
    unsigned char record[sizeof event->s + 16];
    uint64_t length = event->n;
    uint32_t length_crc = masked_crc(&length, sizeof length);
    uint32_t data_crc = masked_crc(event->s, event->n);

    memcpy(record, &length, 8);
    memcpy(record + 8, &length_crc, 4);
    memcpy(record + 12, event->s, event->n);
    memcpy(record + 12 + event->n, &data_crc, 4);
    appender_bytes(out, record, event->n + 16);
}

int tb_open(struct tb_writer *w, const char *dir, struct err *e)
{
    static const char version[] = "brain.Event:2";
    struct message event = {.n = 0};
    char host[256] = "localhost";

    gethostname(host, sizeof host - 1);
    char *name =
        xasprintf("events.out.tfevents.%010" PRId64 ".%s.%ld", sys_unix(), host, (long)getpid());
    char *path = file_join(dir, name);
    int rc = appender_open(&w->out, path, e);
    if (!rc) {
        put_wall_time(&event, sys_unix_f());
        put_bytes(&event, EVENT_FILE_VERSION, version, sizeof version - 1);
        append_record(&w->out, &event);
    }
    free(path);
    free(name);
    return rc;
}

void tb_scalar(struct tb_writer *w, int64_t step, double wall_time, const char *tag, double value)
{
    struct message event = {.n = 0}, scalar = {.n = 0}, summary = {.n = 0};
    float simple = (float)value;
    char name[TAG_MAX];

    str_copy(name, sizeof name, tag);
    put_bytes(&scalar, VALUE_TAG, name, strlen(name));
    put_byte(&scalar, VALUE_SIMPLE);
    put(&scalar, &simple, sizeof simple);
    put_bytes(&summary, SUMMARY_VALUE, scalar.s, scalar.n);
    put_wall_time(&event, wall_time);
    put_byte(&event, EVENT_STEP);
    put_varint(&event, (uint64_t)step);
    put_bytes(&event, EVENT_SUMMARY, summary.s, summary.n);
    append_record(&w->out, &event);
}

void tb_close(struct tb_writer *w)
{
    appender_close(&w->out);
}
