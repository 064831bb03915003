/*
 * The model of the viewer, and the main header of viz/model/.
 *
 * The model answers every question that a picture asks about one trace, or about two traces that
 * are compared. The folders above ask the model: draw/ turns its answers into pixels, and control/
 * turns keys into states. The model neither draws nor knows a window, a file or a debugger.
 *
 * Data: one cm_view_run for each trace, with the trace reader (trace/trace.h) and the last answer
 * to each kind of question. A still picture repeats its questions, so only the last answer is
 * stored. The state of the view (state.h) is a separate plain value.
 *
 * Invariants: an answer depends only on the trace and the arguments. Stored answers change the
 * speed and nothing else. A pointer to an answer is valid until the same question is asked with
 * other arguments. When memory runs out, cm_view_model_failed is true and the picture must not be
 * shown.
 *
 * Files:
 *   model.c         open traces and stored answers
 *   model_*.c       answers about nodes, packets, arrays, slots and words
 *   state*.c        functions that change the state: time, marks, cube, packets
 *   align.c         common steps of two runs
 *   caption.c       the event at the cursor in words
 *   tour.c          stations of the guided tour
 *   names.c         names of choices for the command line
 *   *.def           panels, stations, runs and facts of the tour
 */
#ifndef CM_VIZ_MODEL_MODEL_H
#define CM_VIZ_MODEL_MODEL_H

#include "state.h"

#define CM_VIEW_RUNS_MAX 2u

struct cm_view_answers; /* answers of one trace, stored by model.c */
struct cm_view_packets; /* packets.h */
struct cm_view_program; /* program.h */

struct cm_view_run {
    struct cm_trace *trace;
    const struct cm_trace_info *info;
    uint32_t channel_count; /* number of channels: nodes * dimensions * channels */
    const char *file;       /* name of the trace file as the user gave it. NULL: not known */
    struct cm_view_answers *answers;
    struct cm_view_packets *packets;
};

struct cm_view_model {
    struct cm_view_run runs[CM_VIEW_RUNS_MAX];
    uint32_t run_count;
    /* Number of steps at the beginning of both runs, and number at their end, whose kinds agree in
     * the two runs. */
    uint32_t steps_first, steps_last;
    /* program of --debug, which the user steps through. NULL: no such program */
    const struct cm_view_program *program;
};

/* Creates a model of one trace, or of two if `second` is not NULL. From this call on the model owns
 * the traces, even if the call fails with CM_NO_MEMORY. */
enum cm_status cm_view_model_create(struct cm_trace *first, struct cm_trace *second,
                                    struct cm_view_model **model, struct cm_error *err);
void cm_view_model_free(struct cm_view_model *model); /* frees a model, which may be NULL */

/* Finds the steps that two runs have in common. Defined in align.c. */
void cm_view_align_begin(struct cm_view_model *model);
/* Returns the cycle of run `to` that is as far within the same step as `cycle` of run `from`. */
uint64_t cm_view_aligned(const struct cm_view_model *model, uint32_t from, uint32_t to,
                         uint64_t cycle);
/* Returns the number of the first step that ends after a cycle, or the number of steps if no step
 * does. */
uint32_t cm_view_step_after(const struct cm_view_run *run, uint64_t cycle);

/* Returns true if memory ran out, so that an answer is wrong or missing. The picture must not be
 * shown then. */
bool cm_view_model_failed(const struct cm_view_model *model);

/* Returns the busy cycles of every channel in [first, end), by channel index. The result is valid
 * until the next call with another interval. */
const uint64_t *cm_view_busy(const struct cm_view_run *run, uint64_t first, uint64_t end);
/* Returns the load of every node in [first, end), by which the panels colour the nodes. Channels of
 * hidden dimensions do not count. */
const uint64_t *cm_view_node_loads(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                   uint32_t hidden_dimensions, enum cm_view_load load,
                                   uint32_t dimension);
/* Returns the load of a node that is busy throughout the interval, for loads that are fractions of
 * the interval. Returns 0 for loads that are counts of cycles or words. */
double cm_view_load_whole(const struct cm_view_run *run, uint64_t first, uint64_t end,
                          uint32_t hidden_dimensions, enum cm_view_load load);
/* Returns the top of a scale for counts: the smallest of 1, 2, 5, 10, 20, 50, ... that is not below
 * `most`. */
uint64_t cm_view_round_top(uint64_t most);
/* Returns the use of every dimension's channels in *columns equal parts of [first, end), as
 * cm_trace_dimension_use does. Sets *columns to the number of cycles if this is smaller. */
const struct cm_trace_use *cm_view_use(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                       uint32_t *columns);
/* Returns the cycles by phase in *columns equal parts of [first, end), at [column *
 * CM_TRACE_PHASE_COUNT + phase]. Sets *columns to the number of cycles if this is smaller. */
const uint64_t *cm_view_phases(const struct cm_view_run *run, uint64_t first, uint64_t end,
                               uint32_t *columns);
/* These functions return the cycles of an interval by cause, and by phase. */
const uint64_t *cm_view_causes(const struct cm_view_run *run, uint64_t first, uint64_t end);
const uint64_t *cm_view_phase_sums(const struct cm_view_run *run, uint64_t first, uint64_t end);

/* Slots in use of a node's transposers A and B, as bit sets. A slot of A is in use from its load
 * until its exchange ends. A slot of B is in use while its word arrives or is unloaded. */
struct cm_view_slots {
    uint64_t a, b;
};
#define CM_VIEW_CUBE_NODES 64u /* number of nodes that the panel "cube" shows */
/* Returns the slots in use of at most CM_VIEW_CUBE_NODES nodes from node `base` on, which is a
 * multiple of CM_VIEW_CUBE_NODES. Looks only at the last few hundred events before the interval's
 * end, because an interval may have a million events. */
const struct cm_view_slots *cm_view_slots(const struct cm_view_run *run, uint64_t first,
                                          uint64_t end, uint32_t base);

/* Place of an array element at the end of an interval, and its movement within the interval. */
struct cm_view_element {
    /* node that holds the element at the end of the interval, and at its beginning. CM_TRACE_NONE:
     * not recorded */
    uint32_t node, before;
    /* Neighbour node to which a copy of the element's words is sent (CM_TRACE_NONE: no words are
     * sent), and whether words arrive for the element. */
    uint32_t leaves;
    bool arrives;
    /* true if the element's node or address at the end of the interval differs from before */
    bool moved;
};
struct cm_view_places {
    struct cm_view_element *element; /* place of each element of the array */
    uint64_t elements, moved_count;
    bool no_memory; /* true if places are missing because memory ran out */
    /* false if the interval has too many instructions to compute `leaves` and `arrives` */
    bool crossings_known;
    uint64_t leave_count, arrive_count;
};
/* Returns the places (node and address) of an array's elements. Returns NULL if the array does not
 * exist, if its places are not recorded at that time, or if memory ran out. */
const struct cm_view_places *cm_view_places(const struct cm_view_run *run, uint32_t array,
                                            uint64_t first, uint64_t end);

/* Returns the busy fraction at which the colour scale ends for intervals of `length` cycles. This
 * is 1 if the scale is absolute. Otherwise the runs are divided into equal parts of about this
 * length, and the result is the largest fraction of a part in which one channel is busy. So all
 * intervals of a length, and both runs, have one scale. */
double cm_view_scale_top(const struct cm_view_model *model, enum cm_view_range range,
                         uint64_t length);

#define CM_VIEW_BUSIEST 16u
/* Finds the busiest channels of an interval, in falling order of busy cycles. Channels that are
 * equally busy are in order of their indices. Returns the number of channels found, at most
 * CM_VIEW_BUSIEST. */
uint32_t cm_view_busiest(const struct cm_view_run *run, uint64_t first, uint64_t end,
                         uint32_t hidden_dimensions, const uint32_t **channels);

/* Returns the hot spot of the run's packets, and sets *share to its share of them. A hot spot is a
 * node to which at least CM_VIEW_HOT_PACKETS packets go, and CM_VIEW_HOT_TIMES times the mean over
 * the nodes. Returns CM_TRACE_NONE if there is no hot spot. */
#define CM_VIEW_HOT_PACKETS 16u
#define CM_VIEW_HOT_TIMES   4u
uint32_t cm_view_hot_spot(const struct cm_view_run *run, double *share);

/* Finds the event at a cycle, or the next event after it. Returns false after the last event. */
bool cm_view_event(const struct cm_view_run *run, uint64_t cycle, struct cm_trace_event *event);

/* Finds the word on a channel at a cycle. Sets *sent to true if the channel carries a word. Returns
 * false if the words of this cycle's exchange are not recorded. */
bool cm_view_word(const struct cm_view_run *run, uint64_t cycle, uint32_t channel, uint32_t *word,
                  bool *sent);

/* Writes what happens at the cursor in plain words, cut to `size`. */
void cm_view_caption(const struct cm_view_model *model, const struct cm_view_state *state,
                     char *text, size_t size);

/* Node, dimension and channel of a channel index. */
struct cm_view_channel {
    uint32_t node, dimension, channel;
};
struct cm_view_channel cm_view_channel_parts(const struct cm_view_run *run, uint32_t index);
/* Returns the index of a channel in trace.h. */
uint32_t cm_view_channel_index(const struct cm_view_run *run, uint32_t node, uint32_t dimension,
                               uint32_t channel);
/* Returns the node of a mark: the marked node, or the node from which the marked channel leads.
 * Returns CM_TRACE_NONE if nothing is marked. The run may have fewer nodes. */
uint32_t cm_view_mark_node(const struct cm_view_run *run, struct cm_view_mark mark);

/* Returns the position of a number in the sequence of Gray codes. */
uint32_t cm_view_gray_place(uint32_t code);

/* These functions return the size of the grid of nodes in Gray order (64 columns and 32 rows for
 * 2,048 nodes), the position of a node in the grid, and the node at a position. */
void cm_view_grid_size(const struct cm_view_run *run, uint32_t *columns, uint32_t *rows);
void cm_view_grid_place(const struct cm_view_run *run, uint32_t node, uint32_t *column,
                        uint32_t *row);
uint32_t cm_view_grid_node(const struct cm_view_run *run, uint32_t column, uint32_t row);

#endif
