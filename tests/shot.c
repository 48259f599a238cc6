/* Screens of made-up runs. */
#include "tests/shot.h"

#include <string.h>

#include "tests/screen_check.h"

void shot_start(struct shot *s, void (*make)(struct run_fixture *), int w, int h,
                enum glyph_level level)
{
    make(&s->f);
    canvas_init(&s->c, w, h, level);
}

void shot_finish(struct shot *s)
{
    canvas_release(&s->c);
    fixture_release(&s->f);
}

void shot_take(struct shot *s, const char *key)
{
    fixture_draw(&s->f, key, &s->c);
    screen_check(&s->c, true);
}

void shot_keep(struct shot *s, const char *name)
{
    screen_golden(&s->c, name);
}

void shot_act(struct shot *s, enum action a, int times)
{
    for (int i = 0; i < times; i++)
        dashboard_action(&s->f.dash, a, &s->f.m);
}

void shot_key(struct shot *s, uint32_t code)
{
    assert_true(dashboard_key(&s->f.dash, &(struct key_event){.code = code}, &s->f.m));
}

void shot_type(struct shot *s, const char *text)
{
    for (; *text; text++)
        shot_key(s, (unsigned char)*text);
}

void shot_row(struct shot *s, int y, const char *text)
{
    if (!strstr(screen_row(&s->c, y), text))
        fail_msg("row %d lacks \"%s\"\n  %s", y, text, screen_row(&s->c, y));
}

void shot_somewhere(struct shot *s, const char *text)
{
    for (int y = 0; y < s->c.h; y++)
        if (strstr(screen_row(&s->c, y), text))
            return;
    fail_msg("nowhere \"%s\"", text);
}
