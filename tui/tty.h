/* The terminal as a file: what needs no curses. */
#ifndef TT_TUI_TTY_H
#define TT_TUI_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A copy of the terminal at `fd`, or of the controlling terminal when fd is none, to read from; NULL:
 * neither. */
FILE *tty_open(int fd);
/* The same to write to, opened anew: that a write does not wait is its own affair, not that of all who
 * share the terminal. -1: none. A terminal that is neither ours nor may be opened is copied; only there a
 * write can wait. */
int tty_open_own(int fd);
/* False when the size is unknown or 0, as that of a terminal on its way out. */
bool tty_size(int fd, int *w, int *h);
/* True when a byte would be taken within the time. Async-signal-safe, like the next two. */
bool tty_writable(int fd, int timeout_ms);
/* What a terminal that has stopped did not read yet is thrown away. */
void tty_make_room(int fd);
void tty_write(int fd, const char *text, size_t n); /* as much as it takes */
/* After a read that gave nothing: true when nothing will ever come (hang-up, end of file, EIO). */
bool tty_gone(int fd, int read_errno);
/* A terminfo string without its padding ($<5>), added to dst at *n. */
void tty_add_capability(char *dst, size_t size, size_t *n, const char *text);

#endif
