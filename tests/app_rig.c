/* Driving the console from a test. */
#include "tests/app_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "optimizers/table.h"
#include "tests/screen_check.h"

void rig_open(struct rig *r, int w, int h, enum glyph_level level, const char *config)
{
    const char *dir = test_temp_dir();
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(mkdir("configs", 0777), 0);
    test_write_file("configs", "run.ini", config);
    keys_reset();
    atomic_store(&hub_stop_request, 0);
    app_init(&r->app, optim_classes);
    app_push(&r->app, launcher_new(&r->app));
    canvas_init(&r->c, w, h, level);
    rig_turn(r);
}

void rig_close(struct rig *r)
{
    if (app_run_is_live(&r->app))
        session_stop_now(r->app.session);
    app_release(&r->app);
    canvas_release(&r->c);
    assert_int_equal(chdir("/"), 0);
}

void rig_turn(struct rig *r)
{
    app_poll(&r->app, sys_now());
    app_draw(&r->app, &r->c);
}

void rig_press(struct rig *r, const char *keys)
{
    while (*(keys += strspn(keys, " "))) {
        char name[16];
        size_t n = strcspn(keys, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, keys);
        struct key_event k = {.code = key_parse(name)};
        if (k.code == KEY_NONE)
            fail_msg("no key is called \"%s\"", name);
        app_key(&r->app, &k);
        rig_turn(r);
        keys += n;
    }
}

void rig_type(struct rig *r, const char *text)
{
    for (; *text; text++)
        app_key(&r->app, &(struct key_event){.code = (unsigned char)*text});
    rig_turn(r);
}

void rig_wait(struct rig *r, bool (*until)(struct rig *), double seconds)
{
    double end = sys_now() + seconds;
    rig_turn(r);
    while (!until(r)) {
        if (sys_now() > end) {
            for (int y = 0; y < r->c.h; y++)
                print_error("%s\n", screen_row(&r->c, y));
            fail_msg("waited for %g s", seconds);
        }
        usleep(5000);
        rig_turn(r);
    }
}

static bool form_is_ready(struct rig *r)
{
    return !rig_form_of(r)->facts.reading;
}

struct form *rig_form_of(struct rig *r)
{
    for (int i = r->app.nlayers; i-- > 0;)
        if (!strcmp(r->app.layer[i]->cls->name, "form"))
            return (struct form *)r->app.layer[i];
    fail_msg("no form is open");
    return NULL;
}

struct form *rig_form(struct rig *r)
{
    struct err e = ERR_INIT;
    if (form_open(&r->app, &(struct form_spec){.path = "configs/run.ini"}, &e))
        fail_msg("%s", e.msg);
    rig_wait(r, form_is_ready, 20);
    return rig_form_of(r);
}

const char *rig_top(struct rig *r)
{
    return app_top(&r->app)->cls->name;
}

bool rig_shows(struct rig *r, const char *text)
{
    for (int y = 0; y < r->c.h; y++)
        if (strstr(screen_row(&r->c, y), text))
            return true;
    return false;
}

void rig_resize(struct rig *r, int w, int h, enum glyph_level level)
{
    canvas_resize(&r->c, w, h);
    r->c.level = level;
    rig_turn(r);
}

void rig_golden(struct rig *r, const char *name)
{
    screen_check(&r->c, !strcmp(rig_top(r), "run"));
    screen_golden(&r->c, name);
}
