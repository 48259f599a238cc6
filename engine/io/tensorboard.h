/* TensorBoard event files: TFRecord framing with masked CRC-32C around Event protobufs, scalars
 * only. */
#ifndef TT_IO_TENSORBOARD_H
#define TT_IO_TENSORBOARD_H

#include <stdint.h>

#include "engine/base/file.h"

struct tb_writer {
    struct appender out;
};

/* events.out.tfevents.<unix>.<host>.<pid> in `dir`, begun with the file_version event. */
int tb_open(struct tb_writer *w, const char *dir, struct err *e);
void tb_scalar(struct tb_writer *w, int64_t step, double wall_time, const char *tag, double value);
void tb_close(struct tb_writer *w);

uint32_t crc32c(const void *data, size_t n);

#endif
