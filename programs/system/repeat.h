/*
 * Finds loops: writes a sequence of symbols as nested repetitions. A looped setup of PSHIFT uses
 * this for its code. Each symbol is then a group of exchanges, and the repetitions become loops of
 * the sequencer.
 */
#ifndef CM_PROGRAMS_SYSTEM_REPEAT_H
#define CM_PROGRAMS_SYSTEM_REPEAT_H

#include "../../base/error.h"
#include "../../base/list.h"

enum cm_repeat_kind { CM_REPEAT_SYMBOL, CM_REPEAT_BEGIN, CM_REPEAT_END };

struct cm_repeat_token {
    enum cm_repeat_kind kind;
    /* for a symbol its number, for the begin of a loop the number of iterations. Unused for an
     * end */
    uint32_t value;
};

/* Result of the search: tokens in order, as a list (base/list.h). */
struct cm_repeat {
    struct cm_repeat_token *items;
    uint32_t count, capacity;
    bool failed;
};

/* Finds the repetitions in `symbols`, nested at most `max_depth` deep. The caller frees the tokens
 * by cm_list_finish. Fails only with CM_NO_MEMORY. */
enum cm_status cm_repeat_find(const uint32_t *symbols, size_t count, uint32_t max_depth,
                              struct cm_repeat *repeat, struct cm_error *err);

#endif
