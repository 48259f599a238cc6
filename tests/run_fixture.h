/* The runs of the pictures in tests/screens as a screen would know them: made up, but of the
 * same shape, with every figure that the pictures write. Pictures with curves can't be met dot
 * by dot. */
#ifndef TT_TESTS_RUN_FIXTURE_H
#define TT_TESTS_RUN_FIXTURE_H

#include "tui/dashboard.h"

struct run_fixture {
    struct run_config rc;
    struct memory_plan plan;
    struct dataset train; /* its spec alone */
    struct hub *hub;
    struct run_status st; /* what the next poll publishes */
    struct uimodel m;
    struct dashboard dash;
    double now;
};

/* DistilBERT on sst2 with AdamW after step 3,742; edits at 2,000 and 2,600. */
void fixture_sst2(struct run_fixture *f);
/* The same diverged at step 2,981. */
void fixture_diverged(struct run_fixture *f);
/* A convnet on Fashion-MNIST after step 3,790, evaluated at 3,752. */
void fixture_fashion(struct run_fixture *f);
/* Before the first step: `text` is its config. */
void fixture_fresh(struct run_fixture *f, const char *text);
void fixture_release(struct run_fixture *f);

/* Publish st and take it, a second later. */
void fixture_poll(struct run_fixture *f);
/* Open a view by its key and draw the dashboard. */
void fixture_draw(struct run_fixture *f, const char *key, struct canvas *c);
void fixture_eval(struct run_fixture *f, int64_t step, enum metric k, double v);
void fixture_log(struct run_fixture *f, int hour, int minute, int second, int64_t step,
                 enum log_kind kind, const char *text);

#endif
