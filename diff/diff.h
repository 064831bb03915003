/*
 * Compares two results (format "cm200-result/1") or two traces, for `cm200 diff`: every value in
 * which they differ, by group, and for traces also the first event in which they differ.
 *
 * Both sides are compared as JSON. A trace becomes JSON with the members of a result. Every
 * difference has the JSON pointer of its value. The member "host" of a result, which says what ran
 * it, is not compared. A difference is listed once, in its group, and within a group the biggest
 * come first.
 *
 * diff.c  reads both files, finds all differences and sorts them.
 * trace.c describes traces as JSON.
 * event.c finds the first event or packet in which two traces differ.
 * text.c  writes the differences, for people and as JSON.
 *
 * The room prints nothing.
 */
#ifndef CM_DIFF_DIFF_H
#define CM_DIFF_DIFF_H

#include "../base/buffer.h"
#include "../base/json.h"
#include "../report/value.h"
#include "../trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* Groups of differences, in the order in which they are printed. */
enum cm_diff_group {
    CM_DIFF_MADE_OF, /* machine, workload, nodes: reasons why the results differ */
    CM_DIFF_TOTALS,
    CM_DIFF_CAUSES,
    CM_DIFF_STEPS,
    CM_DIFF_CHANNELS,
    CM_DIFF_OTHER,
    CM_DIFF_GROUPS,
};

#define CM_DIFF_NO_STEP UINT32_MAX

/* Value on one side of a difference. It may be missing there. */
struct cm_diff_side {
    bool present;
    struct cm_json json;
};

struct cm_diff_item {
    enum cm_diff_group group;
    /* number of the step: in the order of the first result, then steps that only the second has */
    uint32_t step;
    uint32_t order; /* position in which the comparison found the difference */
    size_t path;    /* offset of the JSON pointer in cm_diff.paths */
    size_t name;    /* offset of the part of the pointer that the group does not imply */
    struct cm_diff_side sides[2];
    /* Change of two numbers that count something: second minus first, exact for integers. */
    bool has_change;
    struct cm_value change;
    double change_f64;
    /* Change divided by the first value. Not there if the first value is 0. */
    bool has_ratio;
    double ratio;
    double major, minor; /* keys by which the differences of a group are sorted */
};

/* First event, or packet of the router, in which two traces differ. */
struct cm_diff_first {
    const char *what; /* name of the property that differs. NULL: the traces are equal. */
    uint64_t cycle;
    uint32_t node; /* node of the event. CM_TRACE_NONE: all nodes. */
    bool is_packet;
    uint64_t packet; /* number of the packet */
    bool present[2]; /* true if that trace has an event here. False: the trace has ended. */
    struct cm_trace_event events[2];
    const char *where[2]; /* JSON pointer of the step. "": the event belongs to no step. */
};
#define CM_DIFF_INSTRUCTION_BYTES 160u

struct cm_diff {
    struct cm_trace *traces[2]; /* NULL: two results are compared */
    struct cm_diff_first first;
    struct cm_json_document *documents[2];
    struct cm_buffer differences; /* items of struct cm_diff_item */
    struct cm_buffer paths;       /* JSON pointers of the items, terminated */
    uint32_t steps;               /* steps that were compared */
};

/* Reads both files and compares them. CM_BAD_INPUT if a file is neither a result nor a trace, or if
 * the files are of different kinds. The caller finishes `diff` in either case. */
enum cm_status cm_diff_make(struct cm_diff *diff, const char *const paths[2], struct cm_error *err);
void cm_diff_finish(struct cm_diff *diff);

/* Returns true if there is no difference. */
bool cm_diff_same(const struct cm_diff *diff);
/* Return the number of differences, and difference `i`: group by group, the biggest first. */
uint32_t cm_diff_count(const struct cm_diff *diff);
const struct cm_diff_item *cm_diff_at(const struct cm_diff *diff, uint32_t i);
const char *cm_diff_text_at(const struct cm_diff *diff, size_t offset);
/* Returns a value for a writer of JSON or text. A list or an object becomes a word for its kind. */
struct cm_value cm_diff_value(const struct cm_diff_side *side);

/* trace.c: appends both traces as JSON with the members of results. */
void cm_diff_describe(const struct cm_trace *const traces[2], struct cm_buffer texts[2]);
/* event.c: finds the first difference of two traces. `first` refers to the traces. */
enum cm_status cm_diff_find_first(const struct cm_trace *const traces[2],
                                  struct cm_diff_first *first, struct cm_error *err);
/* Writes the instruction of an event. "": the event has no instruction. */
void cm_diff_instruction(const struct cm_trace *trace, const struct cm_trace_event *event,
                         char *text, size_t size);

/* text.c: append the differences for people, and as JSON. `style` is a set of CM_STYLE_... bits. */
void cm_diff_text(const struct cm_diff *diff, const char *const paths[2], unsigned style,
                  struct cm_buffer *text);
void cm_diff_json(const struct cm_diff *diff, const char *const paths[2], struct cm_buffer *text);

#endif
