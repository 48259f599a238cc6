/* The exit page, and the program that goes on behind it. */
#include "tui/leave.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/file.h"
#include "tui/capture.h"
#include "tui/exit_page.h"
#include "tui/process.h"

void leave_print_page(const struct session *s, enum glyph_level level)
{
    struct strbuf page = STRBUF_INIT;
    exit_page(&s->model, level, &page);
    if (page.s)
        fputs(page.s, stdout);
    fflush(stdout);
    strbuf_release(&page);
}

void leave_terminal(struct app *a)
{
    struct err ignored = ERR_INIT;
    app_terminal_lost(a);
    if (!app_run_is_own(a))
        return;
    char *log = file_join(a->session->model.path, "log.txt");
    process_detach(log);
    capture_open(&ignored);
    free(log);
}
