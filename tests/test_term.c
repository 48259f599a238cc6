/* The terminal: a pseudo-terminal stands for it, whose other end the test reads and writes. */
#include "tests/support.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "engine/base/str.h"
#include "tui/term.h"

static struct {
    int master, slave;
    struct termios modes; /* of the terminal before */
    struct strbuf out;    /* what arrived there */
    int old_in, old_out;
} pty;

/* 0 and 1 are the terminal only while it is opened, as in the console. */
static int open_terminal(const char *type, struct err *e)
{
    const struct term_opts opts = {.theme = THEME_ANY, .glyphs = TERM_AUTO, .mouse = true};
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    setenv("TERM", type, 1);
    unsetenv("NO_COLOR");
    assert_int_equal(openpty(&pty.master, &pty.slave, NULL, NULL, &size), 0);
    fcntl(pty.master, F_SETFL, O_NONBLOCK);
    tcgetattr(pty.slave, &pty.modes);
    pty.old_in = dup(0);
    pty.old_out = dup(1);
    dup2(pty.slave, 0);
    dup2(pty.slave, 1);
    int rc = term_open(&opts, e);
    dup2(pty.old_in, 0);
    dup2(pty.old_out, 1);
    close(pty.old_in);
    close(pty.old_out);
    return rc;
}

/* The kernel hands bytes over by a thread of its own: the last ones come a moment after they were written. */
static void receive_more(void)
{
    char part[4096];
    struct pollfd p = {.fd = pty.master, .events = POLLIN};
    while (poll(&p, 1, 50) > 0) {
        ssize_t n = read(pty.master, part, sizeof part);
        if (n <= 0)
            break;
        strbuf_add(&pty.out, part, (size_t)n);
    }
}

/* Until the terminal has taken what was sent before. */
static void show(const struct canvas *c)
{
    for (int i = 0; !term_show(c); i++) {
        assert_true(i < 5000);
        usleep(1000);
    }
}

static const char *received(void)
{
    strbuf_clear(&pty.out);
    strbuf_adds(&pty.out, "");
    receive_more();
    return pty.out.s;
}

static void close_pty(void)
{
    close(pty.master);
    close(pty.slave);
    strbuf_release(&pty.out);
}

static void assert_modes_restored(void)
{
    struct termios now;
    tcgetattr(pty.slave, &now);
    assert_int_equal(now.c_lflag, pty.modes.c_lflag);
    assert_int_equal(now.c_iflag, pty.modes.c_iflag);
    assert_int_equal(now.c_oflag, pty.modes.c_oflag);
}

static void test_screen_comes_and_goes(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    struct termios raw;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    tcgetattr(pty.slave, &raw);
    assert_false(raw.c_lflag & (ICANON | ECHO | ISIG));
    assert_false(raw.c_iflag & IXON);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    canvas_put(&c, 3, 3, ROLE_TEXT, "loss ⠒⠒");
    show(&c);
    const char *out = received();
    assert_non_null(strstr(out, "\033[?1049h"));
    assert_non_null(strstr(out, "\033[?2004h"));
    assert_non_null(strstr(out, "loss ⠒⠒"));
    int64_t bytes = term_bytes();
    assert_true(bytes > 0 || bytes == -1);
    term_close();
    out = received();
    assert_non_null(strstr(out, "\033[?1049l"));
    assert_non_null(strstr(out, "\033[?2004l"));
    assert_non_null(strstr(out, "\033[?1006;1000l"));
    assert_modes_restored();
    term_close();
    assert_string_equal(received(), "");
    assert_false(term_is_open());
    assert_int_equal(term_fd(), -1);
    canvas_release(&c);
    close_pty();
}

static void test_only_changes_are_sent(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    canvas_put(&c, 0, 0, ROLE_KEY, "[1 overview]");
    canvas_put(&c, 70, 23, ROLE_TEXT, "日本 quit x");
    show(&c);
    received();
    show(&c);
    assert_string_equal(received(), "");
    canvas_put(&c, 10, 10, ROLE_BAD, "nan");
    show(&c);
    assert_non_null(strstr(received(), "nan"));
    assert_true(pty.out.len < 60);
    term_repaint();
    show(&c);
    assert_non_null(strstr(received(), "[1 overview]"));
    c.cursor_x = 5;
    c.cursor_y = 5;
    show(&c);
    assert_non_null(strstr(received(), "\033[6;6H"));
    term_close();
    canvas_release(&c);
    close_pty();
}

static uint32_t next_key(void)
{
    struct key_event k;
    return term_read_key(&k) ? k.code : KEY_NONE;
}

static void type(const char *bytes)
{
    assert_int_equal(write(pty.master, bytes, strlen(bytes)), strlen(bytes));
}

static void test_keys(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t code;
    } cases[] = {
        {"q", 'q'},
        {"\r", KEY_ENTER_KEY},
        {"\n", KEY_ENTER_KEY},
        {"\t", KEY_TAB_KEY},
        {" ", ' '},
        {"\003", KEY_CTRL('C')},
        {"\032", KEY_CTRL('Z')},
        {"\023", KEY_CTRL('S')},
        {"\021", KEY_CTRL('Q')},
        {"\014", KEY_CTRL('L')},
        {"\177", KEY_BACKSPACE_KEY},
        {"\010", KEY_BACKSPACE_KEY},
        {"\033OA", KEY_UP_ARROW},
        {"\033OD", KEY_LEFT_ARROW},
        {"\033[5~", KEY_PAGE_UP},
        {"\033[6~", KEY_PAGE_DOWN},
        {"\033OH", KEY_HOME_KEY},
        {"\033[3~", KEY_DELETE_KEY},
        {"\033[Z", KEY_BACK_TAB},
        {"\033OP", KEY_F1},
        {"\033[15~", KEY_F5},
        {"é", 0xe9},
        {"日", 0x65e5},
        {"\033", KEY_ESCAPE},
    };
    struct err e = ERR_INIT;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    assert_int_equal(next_key(), KEY_NONE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        type(cases[i].bytes);
        assert_int_equal(next_key(), cases[i].code);
        assert_int_equal(next_key(), KEY_NONE);
    }
    term_close();
    close_pty();
}

static void test_sequences(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    type("\033[97;5;3uq"); /* a key that terminfo does not name */
    assert_int_equal(next_key(), 'q');
    type("\033q");
    assert_int_equal(next_key(), KEY_ESCAPE);
    assert_int_equal(next_key(), 'q');
    type("\033\033OA");
    assert_int_equal(next_key(), KEY_ESCAPE);
    assert_int_equal(next_key(), KEY_UP_ARROW);
    assert_int_equal(next_key(), KEY_NONE);
    term_close();
    close_pty();
}

static void test_paste(void **state)
{
    (void)state;
    static const struct key_event right[] = {{KEY_PASTE_BEGIN, false, 0, 0},
                                             {'a', true, 0, 0},
                                             {KEY_ENTER_KEY, true, 0, 0},
                                             {KEY_PASTE_END, false, 0, 0},
                                             {'b', false, 0, 0}};
    struct err e = ERR_INIT;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    type("\033[200~a\r\033[201~b");
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        struct key_event k;
        assert_true(term_read_key(&k));
        assert_int_equal(k.code, right[i].code);
        assert_int_equal(k.pasted, right[i].pasted);
    }
    type("\033[<0;11;6M");
    struct key_event k;
    assert_true(term_read_key(&k));
    assert_int_equal(k.code, KEY_CLICK);
    assert_int_equal(k.x, 10);
    assert_int_equal(k.y, 5);
    term_close();
    close_pty();
}

static void test_a_lost_terminal(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    close(pty.master);
    assert_int_equal(next_key(), KEY_GONE);
    assert_int_equal(next_key(), KEY_GONE);
    assert_false(term_show(&c));
    assert_false(term_resized());
    term_close();
    close(pty.slave);
    canvas_release(&c);
}

static void test_resize(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    struct winsize size = {.ws_row = 40, .ws_col = 120};
    int w, h;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    assert_false(term_resized());
    ioctl(pty.master, TIOCSWINSZ, &size);
    raise(SIGWINCH);
    assert_true(term_resized());
    assert_false(term_resized());
    term_size(&w, &h);
    assert_int_equal(w, 120);
    assert_int_equal(h, 40);
    canvas_init(&c, w, h, GLYPHS_BRAILLE);
    canvas_put(&c, 110, 39, ROLE_TEXT, "q quit");
    show(&c);
    assert_non_null(strstr(received(), "q quit"));
    size = (struct winsize){0}; /* a terminal on its way out */
    ioctl(pty.master, TIOCSWINSZ, &size);
    raise(SIGWINCH);
    assert_false(term_resized());
    term_size(&w, &h);
    assert_int_equal(w, 120);
    term_close();
    canvas_release(&c);
    close_pty();
}

/* A reader that has stopped costs frames, not the program. */
static void test_a_stopped_terminal(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    char filler[1024];
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    show(&c);
    memset(filler, 'x', sizeof filler);
    fcntl(pty.slave, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 20; i++, usleep(5000)) /* what the kernel still hands over makes room again */
        while (write(pty.slave, filler, sizeof filler) > 0)
            ;
    fcntl(pty.slave, F_SETFL, 0);
    canvas_put(&c, 0, 0, ROLE_TEXT, "later");
    alarm(10);
    assert_false(term_show(&c));
    received();
    while (!term_show(&c)) /* the alarm ends it */
        receive_more();
    receive_more();
    assert_non_null(strstr(pty.out.s, "later"));
    term_close();
    alarm(0);
    canvas_release(&c);
    close_pty();
}

static void test_emergency(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    show(&c);
    received();
    term_emergency();
    const char *out = received();
    assert_non_null(strstr(out, "\033[?1049l"));
    assert_non_null(strstr(out, "\033[?2004l"));
    assert_modes_restored();
    term_emergency();
    assert_string_equal(received(), "");
    term_close();
    canvas_release(&c);
    close_pty();
}

static void test_suspend(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    canvas_put(&c, 0, 0, ROLE_TEXT, "loss");
    show(&c);
    received();
    term_suspend();
    assert_non_null(strstr(received(), "\033[?1049l"));
    assert_modes_restored();
    term_resume();
    show(&c);
    const char *out = received();
    assert_non_null(strstr(out, "\033[?1049h"));
    assert_non_null(strstr(out, "\033[?2004h"));
    assert_non_null(strstr(out, "loss"));
    term_close();
    canvas_release(&c);
    close_pty();
}

static void check_refused(const char *type)
{
    struct err e = ERR_INIT;
    assert_int_equal(open_terminal(type, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "traintui train FILE.ini"));
    assert_non_null(strstr(e.msg, "TERM=xterm-256color"));
    assert_false(term_is_open());
    assert_modes_restored();
    assert_string_equal(received(), "");
    close_pty();
}

static void test_terminals_without_a_screen(void **state)
{
    (void)state;
    check_refused("dumb");
    check_refused("");
}

static void test_unknown_terminal(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    assert_int_equal(open_terminal("xterm-of-tomorrow", &e), 0);
    assert_non_null(strstr(term_note(), "xterm-of-tomorrow"));
    assert_non_null(strstr(term_note(), "xterm-256color"));
    term_close();
    close_pty();
}

static void test_glyph_level(void **state)
{
    (void)state;
    term_set_glyphs(TERM_AUTO);
    setenv("TERM", "xterm", 1);
    assert_int_equal(term_glyph_level(), GLYPHS_BRAILLE);
    setenv("TERM", "linux", 1);
    assert_int_equal(term_glyph_level(), GLYPHS_BLOCK);
    setlocale(LC_CTYPE, "C");
    assert_int_equal(term_glyph_level(), GLYPHS_ASCII);
    setlocale(LC_CTYPE, "C.UTF-8");
    term_set_glyphs(TERM_BRAILLE);
    assert_int_equal(term_glyph_level(), GLYPHS_BRAILLE);
    term_set_glyphs(TERM_AUTO);
}

static void test_themes(void **state)
{
    (void)state;
    assert_int_equal(theme_look(THEME_ANY, 256, ROLE_SERIES1).fg, 31);
    assert_int_equal(theme_look(THEME_DARK, 256, ROLE_SERIES1).fg, 75);
    assert_int_equal(theme_look(THEME_LIGHT, 256, ROLE_BAD).fg, 160);
    assert_int_equal(theme_look(THEME_ANY, 16, ROLE_WARN).fg, 3);
    for (enum theme t = 0; t < THEME_COUNT; t++) {
        assert_int_equal(theme_parse(theme_name(t)), t);
        for (enum role r = 0; r < ROLE_COUNT; r++) {
            static const int colours[] = {0, 8, 16, 256};
            for (size_t i = 0; i < 4; i++) {
                struct look look = theme_look(t, colours[i], r);
                assert_true(look.fg != 8 && look.fg != 4 &&
                            look.fg != 0); /* no colour 8, plain blue, black */
                assert_false((look.attr & LOOK_DIM) && (look.attr & LOOK_REVERSE));
            }
            assert_false(theme_selected(r).attr & LOOK_DIM);
        }
    }
    assert_int_equal(theme_look(THEME_MONO, 256, ROLE_BAD).fg, -1);
}

static void test_no_color(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct canvas c;
    assert_int_equal(open_terminal("xterm-256color", &e), 0);
    assert_int_equal(term_colours(), 256);
    term_set_theme(THEME_MONO);
    assert_int_equal(term_colours(), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    canvas_put(&c, 0, 0, ROLE_SERIES2, "curve");
    show(&c);
    assert_null(strstr(received(), "38;5"));
    term_close();
    canvas_release(&c);
    close_pty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_screen_comes_and_goes),
        cmocka_unit_test(test_only_changes_are_sent),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_paste),
        cmocka_unit_test(test_a_lost_terminal),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_a_stopped_terminal),
        cmocka_unit_test(test_emergency),
        cmocka_unit_test(test_suspend),
        cmocka_unit_test(test_terminals_without_a_screen),
        cmocka_unit_test(test_unknown_terminal),
        cmocka_unit_test(test_glyph_level),
        cmocka_unit_test(test_themes),
        cmocka_unit_test(test_no_color),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("term", tests, NULL, NULL);
}
