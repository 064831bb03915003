/*
 * Circular q-shifts (Grama et al., section 4.6). Label i of 0 to p - 1 sends its message to label
 * (i + q) mod p. A plan is a list of steps. In each step every node sends its message to a cube
 * neighbour, or keeps it. No channel carries two messages. Rings and meshes are laid on the cube in
 * Gray code, so all methods use the same channels.
 *
 *   ring         min(q, p - q) steps to the next node, in the shorter direction. The cube has no
 *                rings of odd length, so p is even
 *   linear       a line without wraparound, of any length. p - q messages go q places forward, and
 *                q messages p - q places back, at the same time: max(q, p - q) steps
 *   mesh         with wraparound, labels row by row. First q mod columns steps along the rows, then
 *                one compensating column step for messages that crossed the end of their row, then
 *                q div columns steps along the columns. Rows and columns are even, or 1
 *     shorter    rows and columns in the shorter direction. The compensating step may instead move
 *                the messages that did not cross one step back, if that saves steps
 *     forward    all steps forward, as in figure 4.22
 *   hypercube    label i at node gray(i). A phase for each digit of q: a shift by 2^k takes two
 *                steps, over dimension k - 1 in all nodes, and then to the Gray neighbour of the
 *                upper bits. A shift by 1 takes one step
 *     phases     binary digits of q, forward only: at most 2 log p - 1 steps
 *     signed     signed digits of q or q - p, whichever takes fewer steps: at most log p
 *     e-cube     no plan: every message goes through the router, by e-cube and cut-through
 */
#ifndef CM_PROGRAMS_NETWORK_CIRCULAR_H
#define CM_PROGRAMS_NETWORK_CIRCULAR_H

#include "../../base/buffer.h"
#include "../../base/error.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Network that connects the labels. */
enum cm_topology { CM_TOPOLOGY_RING, CM_TOPOLOGY_MESH, CM_TOPOLOGY_HYPERCUBE, CM_TOPOLOGY_LINEAR };
/* Method of a shift on the hypercube or mesh. */
enum cm_circular_method {
    CM_CIRCULAR_PHASES,
    CM_CIRCULAR_SIGNED,
    CM_CIRCULAR_ECUBE,
    CM_CIRCULAR_FORWARD, /* all steps forward. For meshes only */
    CM_CIRCULAR_SHORTER
};
/* Numbering of the cube's nodes. */
enum cm_labels { CM_LABELS_BINARY, CM_LABELS_GRAY };

/* A circular shift: label i sends its message to label i + by modulo nodes. */
struct cm_circular {
    enum cm_topology topology;      /* network of the labels */
    enum cm_circular_method method; /* used for the hypercube and the mesh only */
    /* numbering of the nodes for e-cube only. The methods phases and signed always use Gray code */
    enum cm_labels labels;
    uint32_t nodes;         /* number of labels p */
    uint32_t rows, columns; /* shape of a mesh, with rows * columns = p */
    uint32_t by;            /* distance q of the shift, 0 < q < p */
    uint32_t words;         /* number of words of a message */
};

/* Limits of a plan, and the label of an unused node. */
#define CM_CIRCULAR_NODES_MAX 65536u
#define CM_CIRCULAR_NOBODY    UINT32_MAX
#define CM_CIRCULAR_RUNS_MAX  64u
#define CM_CIRCULAR_HOW_MAX   48u

/*
 * Run of a plan: one step, made several times. On a linear array a node holds up to two messages,
 * of which one goes forward and one goes back. In the last run, which has one step, each node
 * receives only the message that is addressed to it.
 */
struct cm_circular_run {
    /* for each cube node: the node to which it sends its message, or its own number if it keeps the
     * message */
    uint32_t *to;
    /* Table like `to` for the messages that go back on a linear array, while `to` is for the
     * messages that go forward. An entry CM_CIRCULAR_NOBODY means that the node's message is no
     * longer needed. NULL: no message goes back any more. */
    uint32_t *back;
    uint32_t times; /* number of times that the step is made */
    bool last;      /* True for the last run of a linear array */
    /* description of the step for people, such as "row shift by +1" */
    char how[CM_CIRCULAR_HOW_MAX];
};

/* A shift as a list of steps between neighbours. */
struct cm_circular_plan {
    struct cm_circular task; /* the shift that is planned */
    uint32_t dimensions;     /* number of dimensions of the cube */
    uint32_t *node_of;       /* cube node of each label */
    uint32_t *label_of;      /* label of each cube node. CM_CIRCULAR_NOBODY: the node is unused */
    struct cm_circular_run runs[CM_CIRCULAR_RUNS_MAX]; /* runs of steps in their order */
    uint32_t run_count;                                /* number of runs */
    uint32_t steps; /* number of steps of all runs, repetitions counted */
};

/* Makes the plan of a shift. A plan for e-cube has only labels and no steps. Fails with
 * CM_BAD_INPUT for a number out of range. The caller calls cm_circular_plan_finish, also after a
 * failure. */
CM_API enum cm_status cm_circular_plan(const struct cm_circular *task,
                                       struct cm_circular_plan *plan, struct cm_error *err);
CM_API void cm_circular_plan_finish(struct cm_circular_plan *plan);

/* Writes the textbook's formula for the time of the shift (Grama et al.). */
CM_API void cm_circular_formula(const struct cm_circular *task, struct cm_buffer *text);

/* Evaluates the textbook's formula, for one channel between neighbours. ts is the start-up time of
 * a message, tw the time of a word and th the time of a hop. The result has the unit of these
 * times. */
CM_API double cm_circular_formula_time(const struct cm_circular *task, double ts, double tw,
                                       double th);

/* Writes figures 4.22 to 4.24 of the textbook as text: which node holds whose message after each
 * step, or for e-cube the path of every message. */
CM_API void cm_circular_table(const struct cm_circular_plan *plan, struct cm_buffer *text);

CM_END_DECLS

#endif
