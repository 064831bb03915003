/*
 * What the viewer draws from: one trace, or two to compare, and the answers that they gave. Keeping
 * answers changes nothing but speed.
 */
#ifndef CM_VIZ_MODEL_MODEL_H
#define CM_VIZ_MODEL_MODEL_H

#include "state.h"

#define CM_VIEW_RUNS_MAX 2u

struct cm_view_answers; /* kept answers of one trace */
struct cm_view_packets; /* packets.h */
struct cm_view_program; /* program.h */

struct cm_view_run {
    struct cm_trace *trace;
    const struct cm_trace_info *info;
    uint32_t channel_count; /* nodes * dimensions * channels */
    /* Top of the colour scale: a busy part, 0..1; one for all intervals, and for both runs. */
    double top_share;
    const char *file; /* as it was named; NULL: not known */
    struct cm_view_answers *answers;
    struct cm_view_packets *packets;
};

struct cm_view_model {
    struct cm_view_run runs[CM_VIEW_RUNS_MAX];
    uint32_t run_count;
    /* Of two runs: how many steps at their beginning and at their end are of the same kinds. */
    uint32_t steps_first, steps_last;
    const struct cm_view_program *program; /* that is stepped through; NULL: none is */
};

/* Of a trace, or two (`second` not NULL), which belong to the model from here on, also when this
 * fails. CM_NO_MEMORY. */
enum cm_status cm_view_model_create(struct cm_trace *first, struct cm_trace *second,
                                    struct cm_view_model **model, struct cm_error *err);
void cm_view_model_free(struct cm_view_model *model); /* NULL is taken */

/* align.c: finds the steps that two runs have in common. */
void cm_view_align_begin(struct cm_view_model *model);
/* The cycle of run `to` that is as far in the same step as a cycle of run `from`. */
uint64_t cm_view_aligned(const struct cm_view_model *model, uint32_t from, uint32_t to,
                         uint64_t cycle);
/* The first step that ends after a cycle; the number of steps: none. */
uint32_t cm_view_step_after(const struct cm_view_run *run, uint64_t cycle);

/* Whether an answer was wrong or missing because memory ran out: the picture must not be shown. */
bool cm_view_model_failed(const struct cm_view_model *model);

/* Busy cycles of every channel in [first, end), as cm_trace_channel_busy has them; valid until
 * another interval is asked for. */
const uint64_t *cm_view_busy(const struct cm_view_run *run, uint64_t first, uint64_t end);
/* What the grid and the cube show of each node in [first, end), without hidden dimensions. */
const uint64_t *cm_view_node_loads(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                   uint32_t hidden_dimensions, enum cm_view_load load,
                                   uint32_t dimension);
/* What a load of 1, the whole of it, is; 0: loads are counts of cycles or words, not parts. */
double cm_view_load_whole(const struct cm_view_run *run, uint64_t first, uint64_t end,
                          uint32_t hidden_dimensions, enum cm_view_load load);
/* The top of a scale of counts: the next of 1, 2, 5, 10, ... that is not less. */
uint64_t cm_view_round_top(uint64_t most);
/*
 * cm_trace_dimension_use, likewise; of *columns, fewer on return when there are more columns than
 * cycles.
 */
const struct cm_trace_use *cm_view_use(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                       uint32_t *columns);
/* Cycles by phase in *columns equal parts, likewise: [column * CM_TRACE_PHASE_COUNT + phase]. */
const uint64_t *cm_view_phases(const struct cm_view_run *run, uint64_t first, uint64_t end,
                               uint32_t *columns);
/* Cycles by cause and by phase in an interval. */
const uint64_t *cm_view_causes(const struct cm_view_run *run, uint64_t first, uint64_t end);
const uint64_t *cm_view_phase_sums(const struct cm_view_run *run, uint64_t first, uint64_t end);

/* Slots of the transposers in use, a bit each: A loaded and not sent yet, or being sent; B arrived
 * or being unloaded. */
struct cm_view_slots {
    uint64_t a, b;
};
#define CM_VIEW_CUBE_NODES 64u /* as many as the panel "cube" shows */
/*
 * Of the nodes from `base` on, at most CM_VIEW_CUBE_NODES; base a multiple of that. An interval may
 * hold a million events: only the last few hundred before its end count.
 */
const struct cm_view_slots *cm_view_slots(const struct cm_view_run *run, uint64_t first,
                                          uint64_t end, uint32_t base);

/* Where an element of an array is at the end of an interval, and where it came from. */
struct cm_view_element {
    uint32_t node, before; /* CM_TRACE_NONE: not recorded */
    /* Copies that cross channels: the neighbour that its words are sent to (CM_TRACE_NONE: none),
     * and whether words arrive for it. */
    uint32_t leaves;
    bool arrives;
    bool moved; /* to another node or another word */
};
struct cm_view_places {
    struct cm_view_element *element; /* of each element of the array */
    uint64_t elements, moved_count;
    bool no_memory;       /* what could not be kept is missing */
    bool crossings_known; /* not those of intervals with thousands of instructions */
    uint64_t leave_count, arrive_count;
};
/* NULL: no such array, its places are not recorded then, or memory ran out. */
const struct cm_view_places *cm_view_places(const struct cm_view_run *run, uint32_t array,
                                            uint64_t first, uint64_t end);

#define CM_VIEW_BUSIEST 16u
/* The busiest channels of an interval, in falling order, equals by number; returns how many are
 * busy, at most CM_VIEW_BUSIEST. */
uint32_t cm_view_busiest(const struct cm_view_run *run, uint64_t first, uint64_t end,
                         uint32_t hidden_dimensions, const uint32_t **channels);

/* The event at a cycle; false: none, the run is over. */
bool cm_view_event(const struct cm_view_run *run, uint64_t cycle, struct cm_trace_event *event);

/* The word on a channel at a cycle, and whether it carries one; false: it is not recorded. */
bool cm_view_word(const struct cm_view_run *run, uint64_t cycle, uint32_t channel, uint32_t *word,
                  bool *sent);

/* What happens at the cursor, in plain words; cut where it is too long. */
void cm_view_caption(const struct cm_view_model *model, const struct cm_view_state *state,
                     char *text, size_t size);

/* Parts of a channel's index. */
struct cm_view_channel {
    uint32_t node, dimension, channel;
};
struct cm_view_channel cm_view_channel_parts(const struct cm_view_run *run, uint32_t index);
/* The node of a mark, which the run need not have; CM_TRACE_NONE: nothing is marked. */
uint32_t cm_view_mark_node(const struct cm_view_run *run, struct cm_view_mark mark);

/* Which place a number has in Gray order. */
uint32_t cm_view_gray_place(uint32_t code);

/* Columns and rows of the grid of nodes in Gray order (64 x 32 at 2,048), and a node's place. */
void cm_view_grid_size(const struct cm_view_run *run, uint32_t *columns, uint32_t *rows);
void cm_view_grid_place(const struct cm_view_run *run, uint32_t node, uint32_t *column,
                        uint32_t *row);
uint32_t cm_view_grid_node(const struct cm_view_run *run, uint32_t column, uint32_t row);

#endif
