/*
 * Collective operations on arrays: reductions, scans and spreads. docs/programs/collective.md has
 * the method, the order of the operations and the counts.
 *
 * A reduction along an axis combines the elements that differ only in the index of that axis. Its
 * result goes to the element at one place of the axis, or to all places (Paris: reduce-with and
 * spread-with). A reduction of the whole array gives one value to the front end and, if wanted, to
 * an array of one element. In a scan along an axis, each element gets the combination of the
 * elements before it, with or without itself. A spread copies the element at one place of an axis
 * to all places.
 *
 * The interface is that of PSHIFT: a setup for a layout and a task, calls with arrays,
 * deallocation. An IMP works in three parts: it folds the elements of each node into items,
 * combines items over the cube, and writes the result.
 *
 * Invariants:
 *
 *   - The order of the operations depends on the layout and the task only, so results have the same
 *     bits in every run.
 *   - Elements of padding, and elements whose mask is false, take no part.
 *   - In every exchange a channel carries at most one word.
 *
 * Files: collective.c (tasks, setups, calls), fold.c and scan.c (work within nodes), columns.c
 * (walks over elements), items.c (operations), cube.c (the combination over the cube).
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLLECTIVE_H
#define CM_PROGRAMS_COLLECTIVE_COLLECTIVE_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* Kind of operation along the axis. */
enum cm_collective_kind { CM_COLLECTIVE_REDUCE, CM_COLLECTIVE_SPREAD, CM_COLLECTIVE_SCAN };

/* Operation on two elements. Elements of a logical array count as 0 and 1. */
enum cm_collective_op {
    CM_COLLECTIVE_SUM,     /* real, complex, int32 modulo 2^32 */
    CM_COLLECTIVE_PRODUCT, /* types as for the sum */
    CM_COLLECTIVE_MIN,     /* real, int32 */
    CM_COLLECTIVE_MAX,     /* real, int32 */
    CM_COLLECTIVE_AND,     /* int32, bit by bit, and logical */
    CM_COLLECTIVE_OR,
    CM_COLLECTIVE_XOR,
    CM_COLLECTIVE_COUNT,  /* number of true elements of a logical array: int32 */
    CM_COLLECTIVE_MINLOC, /* index of the minimum: int32 */
    CM_COLLECTIVE_MAXLOC,
    CM_COLLECTIVE_OPS
};
CM_API const char *cm_collective_op_name(enum cm_collective_op op); /* "sum", ... */

/* Values of `axis` for all axes, and of `place` for all places. */
#define CM_COLLECTIVE_WHOLE UINT32_MAX
#define CM_COLLECTIVE_ALL   UINT64_MAX

/* Parameters of a reduction, scan or spread. */
struct cm_collective_task {
    enum cm_collective_kind kind; /* reduction, scan or spread */
    enum cm_collective_op op;     /* operation of a reduction or scan. A scan has no locations */
    struct cm_layout layout;      /* layout of the source */
    uint32_t axis;                /* axis from 0. CM_COLLECTIVE_WHOLE: a reduction of all axes */
    /* Index from 0 along the axis. A reduction stores its result there (CM_COLLECTIVE_ALL: at all
     * places). A spread copies from there. */
    uint64_t place;
    bool masked; /* True if a reduction or scan leaves out elements whose mask is false */
    /* For scans. exclusive: the element itself is left out. downward: from the last place to the
     * first. segmented: the scan begins again at each place where a segment begins. */
    bool exclusive, downward, segmented;
};

/* Arrays of a call. */
struct cm_collective_arrays {
    struct cm_array *dst;       /* may be src. NULL is allowed if the whole array is reduced */
    const struct cm_array *src; /* source, laid out as the task says */
    /* logical array. NULL unless the task is masked. Not the dst of a scan */
    const struct cm_array *mask;
    /* logical array, true where a segment begins. NULL unless segmented */
    const struct cm_array *segments;
};

/*
 * Result of a reduction of a whole array. A location is the element's number in Fortran order from
 * 1, or 0 if no element takes part or all are NaN.
 */
struct cm_collective_value {
    enum cm_type type;        /* int32 for counts and locations */
    struct cm_scalar bits;    /* value, of that type */
    struct cm_scalar extreme; /* a location's extreme value, of the source's type */
};

struct cm_collective;

/* Returns the type of the result, or CM_TYPE_COUNT if the operation does not take the source's
 * type. */
CM_API enum cm_type cm_collective_result_type(enum cm_collective_op op, enum cm_type source);

/* Compiles the IMP and its tables. Fails with CM_BAD_INPUT for a type that the operation does not
 * take, an axis or a place that does not exist, and too little node memory. */
CM_API enum cm_status cm_collective_setup(struct cm_system *system,
                                          const struct cm_collective_task *task,
                                          struct cm_collective **collective, struct cm_error *err);
/*
 * Performs the operation. `value` (may be NULL) receives the result of a reduction of a whole
 * array, and zeros on a machine without data. The arrays are laid out as the setup's layout, with
 * the result's type for dst. The destination of a whole reduction has one element. Padding in dst
 * is overwritten.
 */
CM_API enum cm_status cm_collective_call(struct cm_system *system,
                                         const struct cm_collective *collective,
                                         const struct cm_collective_arrays *arrays,
                                         struct cm_collective_value *value, struct cm_error *err);
/* Frees the setup with its IMPs and node memory. NULL is allowed. */
CM_API void cm_collective_deallocate(struct cm_system *system, struct cm_collective *collective);

/* Description of a setup, for people and tests. */
struct cm_collective_info {
    /* values that each node sends over every dimension: the results of a node */
    uint64_t values;
    uint32_t dimensions; /* cube dimensions that the values cross */
    uint64_t exchanges;  /* exchanges of a call */
    /* words of SRAM, of node memory for tables, and of working memory */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_collective_info cm_collective_info(const struct cm_collective *collective);
/* Returns IMP `i` of the setup, from 0, or NULL past the last. */
CM_API const struct cm_imp *cm_collective_imp(const struct cm_collective *collective, uint32_t i);
/*
 * Returns the exchanges for `values` items of `words` words over `dimensions` cube dimensions of
 * `channels` channels: (ceil(K / g) + d - 1) e for groups of g items that fill e exchanges, and 0
 * if an argument is 0.
 */
CM_API uint64_t cm_collective_exchanges(uint64_t values, uint32_t words, uint32_t dimensions,
                                        uint32_t channels);

CM_END_DECLS

#endif
