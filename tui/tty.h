/* The terminal as a file: what needs no curses. */
#ifndef TT_TUI_TTY_H
#define TT_TUI_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A copy of the terminal at `fd`, or of the controlling terminal when fd is none; NULL: neither. */
FILE *tty_open(int fd, const char *mode);
/* False when the size is unknown or 0, as that of a terminal on its way out. */
bool tty_size(int fd, int *w, int *h);
/* True when a byte would be taken within the time. Async-signal-safe, like tty_write. */
bool tty_writable(int fd, int timeout_ms);
void tty_write(int fd, const char *text, size_t n);
/* After a read that gave nothing: true when nothing will ever come (hang-up, end of file, EIO). */
bool tty_gone(int fd, int read_errno);
/* A terminfo string without its padding ($<5>), added to dst at *n. */
void tty_add_capability(char *dst, size_t size, size_t *n, const char *text);

/* Bytes that the calling thread has written so far, read from `io`; tty_io_open gives -1 where the
 * system does not tell. */
int tty_io_open(void);
int64_t tty_io_written(int io);

#endif
