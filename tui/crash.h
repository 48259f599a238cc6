/* Fatal signals: give the terminal back, say so in one line, then die of the same signal, so that the
 * shell sees 128 + its number. */
#ifndef TT_TUI_CRASH_H
#define TT_TUI_CRASH_H

/* `restore` must be async-signal-safe and is called on whatever thread crashed. */
void crash_guard(void (*restore)(void));

#endif
