/*
 * Finding loops: writes a sequence of symbols as nested repetitions. Looped setups use it: a symbol
 * is a group of exchanges with its address steps, and the repetitions become the sequencer's loops.
 */
#ifndef CM_PROGRAMS_SYSTEM_REPEAT_H
#define CM_PROGRAMS_SYSTEM_REPEAT_H

#include "../../base/error.h"
#include "../../base/list.h"

enum cm_repeat_kind { CM_REPEAT_SYMBOL, CM_REPEAT_BEGIN, CM_REPEAT_END };

struct cm_repeat_token {
    enum cm_repeat_kind kind;
    uint32_t value; /* SYMBOL: which; BEGIN: how many times */
};

/* The tokens, as a list (base/list.h). */
struct cm_repeat {
    struct cm_repeat_token *items;
    uint32_t count, capacity;
    bool failed;
};

/* Loops nest at most `max_depth` deep. Free with cm_list_finish. CM_NO_MEMORY is the only
 * failure. */
enum cm_status cm_repeat_find(const uint32_t *symbols, size_t count, uint32_t max_depth,
                              struct cm_repeat *repeat, struct cm_error *err);

#endif
