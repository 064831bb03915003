/* Runs a case through the library: as a workload (the way that every run goes) or shift by shift
 * through its C interface. */
#ifndef CM_TESTS_PROPERTY_RUN_H
#define CM_TESTS_PROPERTY_RUN_H

#include "../../programs/pshift/runtime.h"
#include "../../programs/workload/workload.h"
#include "case.h"

struct cm_outcome {
    enum cm_status status;
    struct cm_error error;
    bool created;               /* the workload was accepted; `status` is that of its execution */
    void *data[CM_CASE_ARRAYS]; /* every array after the run; NULL in a timing-only run */
    struct cm_counters total;
    struct cm_channel_use channels;
    /* `op`, `where` and `path` are not to be read: their run is gone */
    struct cm_step_result *steps;
    uint32_t step_count;
    bool checked;
    uint64_t mismatches;
};

struct cm_run_how {
    const char *machine; /* path of the machine description */
    uint32_t nodes;      /* 0: the case's */
    uint32_t threads;
    bool timing_only;
    bool check;
    bool sparing;
};

/* Runs the case; the outcome says what became of it. False when out of memory. */
bool cm_outcome_run(struct cm_outcome *outcome, const struct cm_case *c,
                    const struct cm_run_how *how);
void cm_outcome_finish(struct cm_outcome *outcome);

/* Whether a refusal says that an unrolled setup doesn't fit the SRAM, and to use the looped one. */
bool cm_error_is_sram_overflow(const struct cm_error *error);

/* A system with the arrays of a case, for calls of the C interface. */
struct cm_session {
    struct cm_system *system;
    struct cm_array *arrays[CM_CASE_ARRAYS];
    uint32_t array_count;
};

enum cm_status cm_session_open(struct cm_session *session, const struct cm_case *c,
                               const struct cm_config *config, bool timing_only,
                               struct cm_error *error);
void cm_session_close(struct cm_session *session);
/* A shift of the case on the session's arrays. */
struct cm_shift cm_session_shift(const struct cm_session *session, const struct cm_case *c,
                                 const struct cm_case_shift *shift);
/* What a setup is told of a shift. */
struct cm_pshift_pattern cm_pattern_of(const struct cm_case_shift *shift);

#endif
