/*
 * Scenarios of which each allocation fails once: what they come to is the same as without a fault,
 * or CM_NO_MEMORY with a message. Programs that include this link failing.c.
 */
#ifndef CM_TESTS_UNIT_OUTCOME_H
#define CM_TESTS_UNIT_OUTCOME_H

#include "failing.h"
#include "machines.h"
#include "suite.h"

#include "base/buffer.h"

#include <string.h>

/* What a scenario came to: a digest of its results, and the error of what failed first. */
struct outcome {
    uint64_t digest;
    enum cm_status status;
    struct cm_error err;
};

static inline bool ok(struct outcome *outcome, enum cm_status status)
{
    if (outcome->status == CM_OK)
        outcome->status = status;
    return status == CM_OK;
}

static inline void mix(struct outcome *outcome, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        outcome->digest = (outcome->digest ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
}

static inline void mix_text(struct outcome *outcome, struct cm_buffer *text)
{
    if (outcome->status == CM_OK && !cm_buffer_ok(text))
        outcome->status = cm_error_no_memory(&outcome->err);
    if (outcome->status == CM_OK)
        mix(outcome, text->data, text->length);
    cm_buffer_finish(text);
}

static struct cm_config shipped; /* the CM-200 */

/* One fault after the other, alone and with all that follow. */
static inline void fail_each(void (*scenario)(struct outcome *outcome))
{
    struct outcome expected = {.err = {.status = CM_OK}};
    shipped = cm200_config();
    failing_begin(0, false);
    scenario(&expected);
    unsigned long calls = failing_end();
    ck_assert_msg(expected.status == CM_OK, "%s", expected.err.message);
    ck_assert_uint_gt(calls, 2);
    for (unsigned long call = 1; call <= calls; call++)
        for (int stays = 0; stays < 2; stays++) {
            struct outcome found = {.err = {.status = CM_OK}};
            failing_begin(call, stays);
            scenario(&found);
            failing_end();
            if (found.status == CM_OK && found.digest == expected.digest)
                continue;
            if (found.status != CM_NO_MEMORY || !found.err.message[0])
                ck_abort_msg("allocation %lu%s: status %d, \"%s\"%s", call,
                             stays ? " and later" : "", (int)found.status, found.err.message,
                             found.status == CM_OK ? ", another result" : "");
        }
}

#endif
