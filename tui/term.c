/* The terminal through ncurses: opening and giving back, keys, and sending cells that changed. */
#include "config.h"

#include "tui/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "tui/term_type.h"
#include "tui/tty.h"
#include "tui/tty_queue.h"

#define ESC_DELAY_MS 50
#define MOUSE_EVENTS (BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED)
#define PASTE_IDLE 1.0 /* seconds without a byte that end a paste whose end was lost */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"

enum { CODE_PASTE_BEGIN = 0x4001, CODE_PASTE_END }; /* above curses' own key codes */

struct appearance {
    attr_t attr;
    int pair;
};

static struct {
    SCREEN *screen; /* NULL: not open */
    WINDOW *keys;   /* a pad: reading from it never draws */
    FILE *in;
    struct tty_queue out;
    struct termios saved, raw;
    struct sigaction old_winch;
    struct canvas shown;
    bool all; /* send everything next time */
    bool mouse, pasting;
    double paste_at;
    enum theme theme;
    enum term_glyphs glyphs;
    int colours;
    struct appearance role[ROLE_COUNT], selected[ROLE_COUNT];
    char note[160];
} term = {.out.fd = -1};

/* What a signal handler may use. */
static volatile sig_atomic_t resized, emergency_fd = -1;
static char restore[512];
static size_t restore_len;

static void on_winch(int sig)
{
    (void)sig;
    resized = 1;
}

/* ---- what the terminal can do ---- */

static bool is_utf8(void)
{
    return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

enum glyph_level term_glyph_level(void)
{
    const char *name = getenv("TERM");
    if (term.glyphs != TERM_AUTO)
        return (enum glyph_level)(term.glyphs - TERM_BRAILLE);
    if (!is_utf8())
        return GLYPHS_ASCII;
    return name && !strcmp(name, "linux") ? GLYPHS_BLOCK : GLYPHS_BRAILLE;
}

static bool can_address_cells(void)
{
    const char *cup = tigetstr("cup");
    return cup && cup != (const char *)-1;
}

/* ncurses' own handlers would draw and exit; ours stay. */
static SCREEN *new_screen(const char *type)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    enum { N = sizeof signals / sizeof *signals };
    struct sigaction old[N];
    for (int i = 0; i < N; i++)
        sigaction(signals[i], NULL, &old[i]);
    SCREEN *s = newterm(type, term.out.drawn, term.in);
    for (int i = 0; i < N; i++)
        sigaction(signals[i], &old[i], NULL);
    return s;
}

/* ---- colours ---- */

static struct appearance appearance_of(struct look look, int pair)
{
    struct appearance a = {A_NORMAL, 0};
    if (look.attr & LOOK_BOLD)
        a.attr |= A_BOLD;
    if (look.attr & LOOK_DIM)
        a.attr |= A_DIM;
    if (look.attr & LOOK_REVERSE)
        a.attr |= A_REVERSE;
    if (look.fg >= 0 && init_extended_pair(pair, look.fg, -1) == OK)
        a.pair = pair;
    return a;
}

static void build_roles(void)
{
    for (enum role r = 0; r < ROLE_COUNT; r++) {
        term.role[r] = appearance_of(theme_look(term.theme, term.colours, r), (int)r + 1);
        term.selected[r] = appearance_of(theme_selected(r), 0);
    }
}

static void start_colours(void)
{
    const char *no_color = getenv("NO_COLOR");
    bool usable = has_colors() && start_color() == OK && use_default_colors() == OK;
    term.colours = usable ? COLORS : 0;
    if (no_color && *no_color)
        term.theme = THEME_MONO;
    build_roles();
}

enum theme term_theme(void)
{
    return term.theme;
}

void term_set_theme(enum theme t)
{
    term.theme = t;
    if (term.screen) {
        build_roles();
        term.all = true;
    }
}

void term_set_mouse(bool on)
{
    term.mouse = on;
    if (term.screen)
        mousemask(on ? MOUSE_EVENTS : 0, NULL);
}

void term_set_glyphs(enum term_glyphs g)
{
    term.glyphs = g;
}

int term_colours(void)
{
    return term.theme == THEME_MONO ? 0 : term.colours;
}

const char *term_note(void)
{
    return term.note;
}

/* ---- size ---- */

void term_size(int *w, int *h)
{
    *w = term.screen && COLS > 0 ? COLS : 1;
    *h = term.screen && LINES > 0 ? LINES : 1;
}

/* True: curses has another size now. */
static bool fit_terminal(void)
{
    int w, h;
    if (!tty_size(term.out.fd, &w, &h))
        return false;
    term.all = true;
    return (w != COLS || h != LINES) && resizeterm(h, w) == OK;
}

bool term_resized(void)
{
    if (!term.screen || !resized)
        return false;
    resized = 0;
    return fit_terminal();
}

/* ---- opening and giving back ---- */

static void prepare_emergency(void)
{
    static const char *const capabilities[] = {"rmkx", "sgr0", "cnorm", "rmcup"};
    restore_len = 0;
    tty_add_capability(restore, sizeof restore, &restore_len, PASTE_OFF MOUSE_OFF);
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        tty_add_capability(restore, sizeof restore, &restore_len, tigetstr(capabilities[i]));
    emergency_fd = term.out.fd;
}

void term_emergency(void)
{
    int fd = emergency_fd;
    if (fd < 0)
        return;
    emergency_fd = -1;
    tty_make_room(fd);
    tty_write(fd, restore, restore_len);
    tcsetattr(fd, TCSANOW, &term.saved);
}

static void close_files(void)
{
    if (term.in)
        fclose(term.in);
    term.in = NULL;
    tty_queue_close(&term.out);
}

/* Curses has no terminal, only a file in memory: the modes of the line are our own affair. */
static void take_modes(void)
{
    tcsetattr(term.out.fd, TCSANOW, &term.raw);
    tty_queue_add(&term.out, PASTE_ON, sizeof PASTE_ON - 1);
    if (term.mouse)
        mousemask(MOUSE_EVENTS, NULL);
}

static void set_modes(void)
{
    term.raw = term.saved;
    cfmakeraw(&term.raw); /* no signals from keys, no ^S ^Q */
    raw();
    noecho();
    nonl();
    typeahead(-1); /* a frame is sent whole */
    set_escdelay(ESC_DELAY_MS);
    mouseinterval(0);
    define_key("\033[200~", CODE_PASTE_BEGIN);
    define_key("\033[201~", CODE_PASTE_END);
    term.keys = newpad(1, 1);
    if (term.keys) {
        keypad(term.keys, TRUE);
        nodelay(term.keys, TRUE);
        meta(term.keys, TRUE);
    }
    take_modes();
}

static void watch_size(void)
{
    struct sigaction act = {.sa_handler = on_winch, .sa_flags = SA_RESTART};
    sigemptyset(&act.sa_mask);
    sigaction(SIGWINCH, &act, &term.old_winch);
}

static int refuse(struct err *e, const char *type)
{
    char shown[64];
    close_files();
    return err_set(e, TT_ECONFIG,
                   "TERM is \"%s\": no screen can be drawn (set TERM to the terminal's name, for "
                   "example TERM=xterm-256color, or run without a screen: traintui train FILE.ini)",
                   str_visible(shown, sizeof shown, type ? type : ""));
}

int term_open(const struct term_opts *o, struct err *e)
{
    const char *type = getenv("TERM");
    if (!type || !*type || !strcmp(type, "dumb"))
        return refuse(e, type);
    term.in = tty_open(STDIN_FILENO);
    if (!term.in || !tty_queue_open(&term.out, STDOUT_FILENO) ||
        tcgetattr(term.out.fd, &term.saved)) {
        close_files();
        return err_set(e, TT_ECONFIG,
                       "no terminal (run without a screen: traintui train FILE.ini)");
    }
    term.note[0] = '\0';
    use_env(FALSE);
    use_tioctl(TRUE);
    const char *known = term_type_known(type);
    if (known && known != type)
        snprintf(term.note, sizeof term.note, "TERM=%.60s is unknown on this machine; treated as %s", type,
                 known);
    term.screen = known ? new_screen(known) : NULL;
    if (!term.screen)
        return refuse(e, type);
    if (!can_address_cells()) {
        endwin();
        delscreen(term.screen);
        term.screen = NULL;
        return refuse(e, type);
    }
    term.theme = o->theme;
    term.glyphs = o->glyphs;
    term.mouse = o->mouse;
    term.pasting = false;
    term.all = true;
    set_modes();
    start_colours();
    prepare_emergency();
    watch_size();
    fit_terminal();
    canvas_init(&term.shown, COLS, LINES, GLYPHS_BRAILLE);
    return 0;
}

bool term_is_open(void)
{
    return term.screen != NULL;
}

/* Back to the normal screen; what is still to be drawn on the other one is thrown away. */
static void leave(void)
{
    tty_queue_drop(&term.out);
    if (term.mouse)
        mousemask(0, NULL);
    tty_queue_add(&term.out, PASTE_OFF, sizeof PASTE_OFF - 1);
    endwin();
    tty_queue_finish(&term.out);
    tcsetattr(term.out.fd, TCSANOW, &term.saved);
}

void term_close(void)
{
    if (!term.screen)
        return;
    leave();
    emergency_fd = -1;
    sigaction(SIGWINCH, &term.old_winch, NULL);
    canvas_release(&term.shown);
    if (term.keys)
        delwin(term.keys);
    term.keys = NULL;
    delscreen(term.screen);
    term.screen = NULL;
    close_files();
}

void term_suspend(void)
{
    if (term.screen)
        leave();
}

void term_resume(void)
{
    if (!term.screen)
        return;
    take_modes();
    resized = 1;
    term.all = true;
}

/* ---- keys ---- */

int term_fd(void)
{
    return term.screen ? fileno(term.in) : -1;
}

static bool mouse_event(struct key_event *k)
{
    MEVENT m;
    if (getmouse(&m) != OK)
        return false;
    k->x = m.x;
    k->y = m.y;
    k->code = m.bstate & BUTTON4_PRESSED   ? KEY_WHEEL_UP
              : m.bstate & BUTTON5_PRESSED ? KEY_WHEEL_DOWN
              : m.bstate & BUTTON1_PRESSED ? KEY_CLICK
                                           : KEY_NONE;
    return k->code != KEY_NONE;
}

/* Curses' code of a function key; false: none of ours. */
static bool function_key(struct key_event *k, wint_t code)
{
    static const struct {
        int curses;
        uint32_t code;
    } keys[] = {
        {KEY_UP, KEY_UP_ARROW},
        {KEY_DOWN, KEY_DOWN_ARROW},
        {KEY_LEFT, KEY_LEFT_ARROW},
        {KEY_RIGHT, KEY_RIGHT_ARROW},
        {KEY_PPAGE, KEY_PAGE_UP},
        {KEY_NPAGE, KEY_PAGE_DOWN},
        {KEY_HOME, KEY_HOME_KEY},
        {KEY_END, KEY_END_KEY},
        {KEY_DC, KEY_DELETE_KEY},
        {KEY_BTAB, KEY_BACK_TAB},
        {KEY_BACKSPACE, KEY_BACKSPACE_KEY},
        {KEY_ENTER, KEY_ENTER_KEY},
        {KEY_F(1), KEY_F1},
        {KEY_F(2), KEY_F2},
        {KEY_F(5), KEY_F5},
        {CODE_PASTE_BEGIN, KEY_PASTE_BEGIN},
        {CODE_PASTE_END, KEY_PASTE_END},
    };
    if (code == KEY_MOUSE)
        return mouse_event(k);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].curses == (int)code)
            k->code = keys[i].code;
    return k->code != KEY_NONE;
}

static bool character(struct key_event *k, wint_t ch)
{
    k->code = ch == '\n' ? KEY_ENTER_KEY : ch == '\b' ? KEY_BACKSPACE_KEY : (uint32_t)ch;
    return k->code != KEY_NONE;
}

/* After an Esc: a sequence that terminfo does not name is swallowed, for it must not act as Esc and
 * letters. False: the Esc stands alone. */
static bool skip_sequence(void)
{
    wint_t ch;
    int rc = wget_wch(term.keys, &ch);
    if (rc == KEY_CODE_YES)
        ungetch((int)ch);
    else if (rc == OK && ch != '[')
        unget_wch((wchar_t)ch);
    if (rc != OK || ch != '[')
        return false;
    while (wget_wch(term.keys, &ch) == OK && (ch < '@' || ch > '~'))
        ;
    return true;
}

/* Marks what arrives between the begin and the end of a paste. */
static void track_paste(struct key_event *k)
{
    double now = sys_now();
    if (k->code == KEY_PASTE_BEGIN)
        term.pasting = true;
    else if (k->code == KEY_PASTE_END || now - term.paste_at > PASTE_IDLE)
        term.pasting = false;
    term.paste_at = now;
    k->pasted = term.pasting && k->code != KEY_PASTE_BEGIN;
}

bool term_read_key(struct key_event *k)
{
    bool known = false;
    *k = (struct key_event){0};
    if (!term.screen || !term.keys)
        return false;
    while (!known) {
        wint_t ch = 0;
        errno = 0;
        int rc = wget_wch(term.keys, &ch);
        if (rc == ERR) {
            k->code = tty_gone(fileno(term.in), errno) ? KEY_GONE : KEY_NONE;
            return k->code != KEY_NONE;
        }
        if (rc == KEY_CODE_YES)
            known = function_key(k, ch);
        else if (ch != KEY_ESCAPE || !skip_sequence())
            known = character(k, ch);
    }
    track_paste(k);
    return true;
}

/* ---- showing ---- */

int64_t term_bytes(void)
{
    return term.out.bytes;
}

double term_pace(void)
{
    return term.out.pace;
}

void term_pump(void)
{
    if (term_busy_fd() >= 0)
        tty_queue_send(&term.out);
}

int term_busy_fd(void)
{
    return term.screen && term.out.stuck_since > 0 ? term.out.fd : -1;
}

static struct appearance cell_appearance(const struct cell *cell)
{
    struct appearance a = cell->select ? term.selected[cell->role] : term.role[cell->role];
    bool grey = (cell->fg || cell->bg) && term_colours() >= 256;
    if (grey)
        a.pair = alloc_pair(cell->fg ? 231 + cell->fg : -1, cell->bg ? 231 + cell->bg : -1);
    return a;
}

static void send_cell(int x, int y, const struct cell *cell)
{
    struct appearance a = cell_appearance(cell);
    wchar_t text[3] = {(wchar_t)cell->ch, (wchar_t)cell->mark, 0};
    cchar_t cc;
    setcchar(&cc, text, a.attr, 0, &a.pair);
    mvadd_wch(y, x, &cc);
}

/* Hand over the cells that differ from what is shown; returns how many. */
static int send_changes(const struct canvas *c)
{
    int sent = 0;
    for (int y = 0; y < c->h && y < LINES; y++) {
        for (int x = 0; x < c->w && x < COLS; x++) {
            const struct cell *cell = canvas_at(c, x, y);
            if (!term.all && !memcmp(cell, canvas_at(&term.shown, x, y), sizeof *cell))
                continue;
            if (cell->ch)
                send_cell(x, y, cell);
            sent++;
        }
    }
    return sent;
}

static bool same_cursor(const struct canvas *a, const struct canvas *b)
{
    return a->cursor_x == b->cursor_x && a->cursor_y == b->cursor_y;
}

static void remember(const struct canvas *c)
{
    if (term.shown.w != c->w || term.shown.h != c->h)
        canvas_resize(&term.shown, c->w, c->h);
    memcpy(term.shown.cell, c->cell, (size_t)c->w * (size_t)c->h * sizeof *c->cell);
    term.shown.cursor_x = c->cursor_x;
    term.shown.cursor_y = c->cursor_y;
    term.all = false;
}

bool term_show(const struct canvas *c)
{
    if (!term.screen)
        return true;
    if (!tty_queue_send(&term.out))
        return false;
    term.all |= term.shown.w != c->w || term.shown.h != c->h;
    if (term.all)
        clear();
    if (!send_changes(c) && same_cursor(c, &term.shown))
        return true;
    bool cursor = c->cursor_x >= 0 && c->cursor_x < COLS && c->cursor_y >= 0 && c->cursor_y < LINES;
    curs_set(cursor);
    if (cursor)
        move(c->cursor_y, c->cursor_x);
    refresh();
    tty_queue_send(&term.out);
    remember(c);
    return true;
}

void term_repaint(void)
{
    term.all = true;
}

void term_bell(void)
{
    if (!term.screen || !tty_queue_send(&term.out))
        return;
    beep();
    tty_queue_send(&term.out);
}
