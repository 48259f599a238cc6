/* `traintui doctor`: terminal, locale, BLAS, device, threads: what works, what was downgraded and why. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/backend/backend.h"
#include "engine/base/file.h"
#include "engine/base/str.h"
#include "engine/base/sys.h"
#include "tui/cmd.h"
#include "tui/term_type.h"
#include "tui/tty.h"

static const char *or_unset(const char *v)
{
    return v && *v ? v : "unset";
}

/* "80x24, taken for xterm" */
static void screen(const char *term)
{
    const char *type = term;
    int w, h, colours = term_type_colours(&type);
    if (tty_size(STDOUT_FILENO, &w, &h))
        printf("%dx%d, ", w, h);
    if (colours < 0)
        printf("no screen with this TERM: set TERM=xterm-256color, or use traintui train\n");
    else if (type != term)
        printf("unknown here, taken for %s\n", type);
    else
        printf("a screen is possible\n");
    bool none = getenv("NO_COLOR") && *getenv("NO_COLOR");
    if (none)
        printf("colours    none: NO_COLOR is set\n");
    else if (colours > 0)
        printf("colours    %d\n", colours);
    else
        printf("colours    none: TERM has none\n");
}

static const char *locale_name(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++)
        if (getenv(names[i]) && *getenv(names[i]))
            return getenv(names[i]);
    return "unset";
}

static void glyphs(const char *term)
{
    bool utf8 = sys_locale(), console = term && !strcmp(term, "linux");
    printf("locale     %s, %sUTF-8\n", locale_name(), utf8 ? "" : "no ");
    if (!utf8) {
        printf("glyphs     ascii: the locale has no UTF-8 (set LC_ALL=C.UTF-8)\n");
        return;
    }
    printf("glyphs     %s\n", console ? "block: TERM is linux, whose font has no braille" : "braille");
    printf("           braille ⡇⣿⠒⢕  block ▀▄█░  lines ─│┌┘; unreadable: set [ui] glyphs\n");
}

static void terminal(void)
{
    const char *term = getenv("TERM");
    printf("terminal   TERM %s; ", or_unset(term));
    if (isatty(0) && isatty(1))
        screen(term);
    else
        printf("stdin or stdout is no terminal: runs print lines instead of a screen\n");
    glyphs(term);
}

static void machine(void)
{
    char free_text[32], total[32], warning[256];
    int threads = sys_threads(0, warning, sizeof warning);
    printf("cores      %d usable, %d threads by default\n", sys_cpus(), threads);
    if (*warning)
        printf("           %s\n", warning);
    printf("memory     %s free of %s\n",
           str_bytes(free_text, sizeof free_text, (double)sys_mem_free()),
           str_bytes(total, sizeof total, (double)sys_mem_total()));
    printf("disk       %s free here\n",
           str_bytes(free_text, sizeof free_text, (double)sys_disk_free(".")));
}

/* The check of the BLAS runs when the backend is opened. */
static int compute(struct err *e)
{
    struct backend be;
    char text[256];
    int code = backend_open(&be, "cpu", sys_threads(0, NULL, 0), e);
    blas_describe(text, sizeof text);
    printf("blas       %s, check %s\n", text, code ? "FAILED" : "passed");
    const char *core = getenv("OPENBLAS_CORETYPE");
    if (core)
        printf("           OPENBLAS_CORETYPE %s is set: it decides the kernels\n", core);
    if (!code)
        backend_close(&be);
    printf("devices   ");
    for (const struct backend_class *const *c = backend_classes; *c; c++)
        if (*c != &backend_null)
            printf(" %s", (*c)->name);
    printf("\n");
    return code;
}

static void data(void)
{
    static const char *const files[] = {"/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz",
                                        "/usr/share/wordnet/data.noun"};
    static const char *const packages[] = {"dataset-fashion-mnist", "wordnet-base"};
    for (int i = 0; i < 2; i++)
        printf("%s %s %s\n", i ? "          " : "data      ", packages[i],
               file_exists(files[i]) ? "is installed" : "is not installed (apt-get install it)");
}

static int run(const struct cmd_args *a, struct err *e)
{
    (void)a;
    printf("traintui   %s\n", PACKAGE_VERSION);
    terminal();
    machine();
    data();
    return compute(e);
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .synopsis = "",
    .summary = "what works here, what was downgraded and why",
    .run = run,
};
