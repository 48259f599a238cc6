/* Bytes on their way to the terminal. Curses draws into a file in memory, and what the terminal does not
 * take at once stays here until it does: nothing waits for a reader that is slow or has stopped. */
#ifndef TT_TUI_TTY_QUEUE_H
#define TT_TUI_TTY_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/str.h"

struct tty_queue {
    FILE *drawn;           /* for curses */
    int fd;                /* the terminal */
    struct strbuf waiting; /* of which `sent` bytes have gone */
    size_t sent;
    int64_t bytes;      /* sent in all */
    double stuck_since; /* the terminal takes nothing more; 0: it does */
    double pace;        /* seconds between frames that leave it time to read; 0: any number */
};

/* To the terminal at `fd`, or the controlling one when fd is none. False: neither is there, or no memory
 * file. */
bool tty_queue_open(struct tty_queue *q, int fd);
/* What waits is lost. */
void tty_queue_close(struct tty_queue *q);

void tty_queue_add(struct tty_queue *q, const char *text, size_t n); /* after what was drawn so far */
/* Send what was drawn and added, as far as the terminal takes it. True: it took all, and has room. */
bool tty_queue_send(struct tty_queue *q);
/* Make way for something that must arrive: what waits is dropped, and what a stopped terminal has not
 * read. */
void tty_queue_drop(struct tty_queue *q);
/* Send it, with some patience. */
void tty_queue_finish(struct tty_queue *q);

#endif
