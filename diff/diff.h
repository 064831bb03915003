/*
 * Compares two results (format "cm200-result/1") or two traces for the command `cm200 diff`. Lists
 * all values in which they differ, by group, and for traces also finds the first event in which
 * they differ.
 *
 * Results are JSON, and a trace is first turned into JSON with the members of a result. Every
 * difference has the JSON pointer of its value. The member "host" of a result, which describes the
 * computer that ran the simulator, is not compared. Each difference is listed once, in its group,
 * and the biggest differences of a group are listed first.
 *
 * diff.c  reads both files, finds all differences and sorts them.
 * trace.c describes traces as JSON.
 * event.c finds the first event or packet in which two traces differ.
 * text.c  writes the differences, for people and as JSON.
 *
 * The functions print nothing.
 */
#ifndef CM_DIFF_DIFF_H
#define CM_DIFF_DIFF_H

#include "../base/buffer.h"
#include "../base/json.h"
#include "../report/value.h"
#include "../trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* Groups into which differences are divided, in the order in which they are printed. */
enum cm_diff_group {
    /* what the results were made of (machine, workload, nodes), which may explain why they
     * differ */
    CM_DIFF_MADE_OF,
    CM_DIFF_TOTALS,
    CM_DIFF_CAUSES,
    CM_DIFF_STEPS,
    CM_DIFF_CHANNELS,
    CM_DIFF_OTHER,
    CM_DIFF_GROUPS,
};

#define CM_DIFF_NO_STEP UINT32_MAX

/* Value on one side of a difference. It may be missing on this side. */
struct cm_diff_side {
    bool present;
    struct cm_json json;
};

struct cm_diff_item {
    enum cm_diff_group group;
    /* number of the step that has the value. Steps count in the order of the first result, then
     * those that only the second result has */
    uint32_t step;
    uint32_t order; /* number of differences found before this one */
    size_t path;    /* offset of the JSON pointer in cm_diff.paths */
    /* offset in cm_diff.paths of the part of the JSON pointer that the group does not imply */
    size_t name;
    struct cm_diff_side sides[2];
    /* Change of a number that counts something: second minus first, exact for integers. Other
     * values have no change. */
    bool has_change;
    struct cm_value change;
    double change_f64;
    /* Change divided by the magnitude of the first value. There is no ratio if the first value is
     * 0. */
    bool has_ratio;
    double ratio;
    /* keys by which the differences of a group are sorted, the largest first */
    double major, minor;
};

/* First event, or packet of the router, in which two traces differ. */
struct cm_diff_first {
    /* description of the property that differs, such as "the phase". NULL: the traces are equal */
    const char *what;
    uint64_t cycle;
    uint32_t node; /* node in which the event differs. CM_TRACE_NONE: not one node */
    bool is_packet;
    uint64_t packet; /* number of the packet, if `is_packet` is true */
    bool present[2]; /* true if trace 0 or 1 has an event here. False: this trace has ended */
    struct cm_trace_event events[2];
    /* JSON pointer of the event's step in each trace. "": the event belongs to no step */
    const char *where[2];
};
#define CM_DIFF_INSTRUCTION_BYTES 160u

struct cm_diff {
    struct cm_trace *traces[2]; /* the two traces. NULL: two results are compared */
    struct cm_diff_first first;
    struct cm_json_document *documents[2];
    struct cm_buffer differences; /* array of struct cm_diff_item */
    struct cm_buffer paths;       /* JSON pointers of the differences, each ended by a 0 byte */
    uint32_t steps;               /* number of steps that were compared */
};

/* Reads two files and compares them. Fails with CM_BAD_INPUT if a file is neither a result nor a
 * trace, or if one is a result and the other a trace. The caller calls cm_diff_finish even after a
 * failure. */
enum cm_status cm_diff_make(struct cm_diff *diff, const char *const paths[2], struct cm_error *err);
void cm_diff_finish(struct cm_diff *diff);

/* Returns true if the two results or traces have no difference. */
bool cm_diff_same(const struct cm_diff *diff);
/* These functions return the number of differences, and difference `i`, in the order group by
 * group, the biggest first. */
uint32_t cm_diff_count(const struct cm_diff *diff);
const struct cm_diff_item *cm_diff_at(const struct cm_diff *diff, uint32_t i);
const char *cm_diff_text_at(const struct cm_diff *diff, size_t offset);
/* Returns the value of one side for printing. Lists and objects are returned as the name of their
 * kind. */
struct cm_value cm_diff_value(const struct cm_diff_side *side);

/* Appends both traces as JSON with the members of results. Defined in trace.c. */
void cm_diff_describe(const struct cm_trace *const traces[2], struct cm_buffer texts[2]);
/* Finds the first event or packet in which two traces differ. `first` has pointers into the traces.
 * Defined in event.c. */
enum cm_status cm_diff_find_first(const struct cm_trace *const traces[2],
                                  struct cm_diff_first *first, struct cm_error *err);
/* Writes the text of an event's instruction, or "" if the event has no instruction. */
void cm_diff_instruction(const struct cm_trace *trace, const struct cm_trace_event *event,
                         char *text, size_t size);

/* These functions of text.c append the differences as text for people, and as JSON. `style` is a
 * set of CM_STYLE_... bits. */
void cm_diff_text(const struct cm_diff *diff, const char *const paths[2], unsigned style,
                  struct cm_buffer *text);
void cm_diff_json(const struct cm_diff *diff, const char *const paths[2], struct cm_buffer *text);

#endif
