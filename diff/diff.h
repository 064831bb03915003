/*
 * Two results (format "cm200-result/1") or two traces compared, for cm200 diff: every value in
 * which they differ, by group; of traces also where they differ first. Of "host", which says what
 * ran them, nothing is compared.
 */
#ifndef CM_DIFF_DIFF_H
#define CM_DIFF_DIFF_H

#include "../base/buffer.h"
#include "../base/json.h"
#include "../report/value.h"
#include "../trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are printed. */
enum cm_diff_group {
    CM_DIFF_MADE_OF, /* machine, workload, nodes: what made the results differ */
    CM_DIFF_TOTALS,
    CM_DIFF_CAUSES,
    CM_DIFF_STEPS,
    CM_DIFF_CHANNELS,
    CM_DIFF_OTHER,
    CM_DIFF_GROUPS,
};

#define CM_DIFF_NO_STEP UINT32_MAX

/* One value of one result; none if the result lacks it. */
struct cm_diff_side {
    bool present;
    struct cm_json json;
};

struct cm_diff_item {
    enum cm_diff_group group;
    uint32_t step;  /* in the order of the first result, then those of the second alone */
    uint32_t order; /* in which it was found */
    size_t path;    /* where its JSON pointer begins in cm_diff.paths */
    size_t name;    /* where the part begins that its group does not say */
    struct cm_diff_side sides[2];
    /* Of two numbers that count something: second less first, exact for integers. */
    bool has_change;
    struct cm_value change;
    double change_f64;
    /* The change by the first value; not there when that is 0. */
    bool has_ratio;
    double ratio;
    double major, minor; /* what differences of a group are sorted by */
};

/* The event, or packet of the router, in which two traces differ first. */
struct cm_diff_first {
    const char *what; /* differs; NULL: nothing does */
    uint64_t cycle;
    uint32_t node; /* CM_TRACE_NONE: all alike */
    bool is_packet;
    uint64_t packet; /* its number */
    bool present[2]; /* events; false: that trace has no more of them */
    struct cm_trace_event events[2];
    const char *where[2]; /* of the step; "": none */
};
#define CM_DIFF_INSTRUCTION_BYTES 160u

struct cm_diff {
    struct cm_trace *traces[2]; /* NULL: results are compared */
    struct cm_diff_first first;
    struct cm_json_document *documents[2];
    struct cm_buffer differences; /* struct cm_diff_item */
    struct cm_buffer paths;       /* strings */
    uint32_t steps;               /* that were compared */
};

/* Reads both files and compares them. Finish it in either case. */
enum cm_status cm_diff_make(struct cm_diff *diff, const char *const paths[2], struct cm_error *err);
void cm_diff_finish(struct cm_diff *diff);

/* Whether no difference was found. */
bool cm_diff_same(const struct cm_diff *diff);
/* Biggest first, group by group. */
uint32_t cm_diff_count(const struct cm_diff *diff);
const struct cm_diff_item *cm_diff_at(const struct cm_diff *diff, uint32_t i);
const char *cm_diff_text_at(const struct cm_diff *diff, size_t offset);
/* A value as the writers take it; of a container its kind. */
struct cm_value cm_diff_value(const struct cm_diff_side *side);

/* trace.c: both traces as JSON that has the members of results. */
void cm_diff_describe(const struct cm_trace *const traces[2], struct cm_buffer texts[2]);
/* event.c: what differs first; `first` refers to the traces. */
enum cm_status cm_diff_find_first(const struct cm_trace *const traces[2],
                                  struct cm_diff_first *first, struct cm_error *err);
/* The instruction of an event; "": it has none. */
void cm_diff_instruction(const struct cm_trace *trace, const struct cm_trace_event *event,
                         char *text, size_t size);

/* text.c: for people, and as JSON. */
void cm_diff_text(const struct cm_diff *diff, const char *const paths[2], unsigned style,
                  struct cm_buffer *text);
void cm_diff_json(const struct cm_diff *diff, const char *const paths[2], struct cm_buffer *text);

#endif
