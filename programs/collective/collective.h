/*
 * This header declares collective operations on arrays: reductions, scans and spreads.
 * docs/programs/collective.md has the method, the order of the operations and the counts.
 *
 * A reduction along an axis combines the elements that differ only in the index of that axis. Its
 * result goes to the element at one place of the axis, or to all places (Paris: reduce-with and
 * spread-with). A reduction of the whole array gives one value to the front end and, if wanted, to
 * an array of one element. In a scan along an axis, each element gets the combination of the
 * elements before it, with or without itself. A spread copies the element at one place of an axis
 * to all places.
 *
 * A program compiles an operation for a layout ahead (cm_collective_setup), calls it with arrays as
 * often as it likes, and deallocates it, as with PSHIFT. The IMP of an operation works in three
 * parts: it folds the elements of each node into items (partial results), combines items over the
 * cube, and writes the result.
 *
 * Invariants:
 *
 *   - The order in which elements are combined depends only on the layout and the arguments of the
 *     operation, so results have the same bits in every run.
 *   - Elements of padding, and elements whose mask is false, take no part.
 *   - In every exchange a channel carries at most one word.
 *
 * Files: collective.c (checks, compilation, calls), fold.c and scan.c (computation within nodes),
 * columns.c (walks over elements), items.c (operations on two elements), cube.c (the combination
 * over the cube).
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLLECTIVE_H
#define CM_PROGRAMS_COLLECTIVE_COLLECTIVE_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* Kind of collective operation along the axis. */
enum cm_collective_kind { CM_COLLECTIVE_REDUCE, CM_COLLECTIVE_SPREAD, CM_COLLECTIVE_SCAN };

/* Operation that combines two elements. Elements of a logical array count as 0 and 1. */
enum cm_collective_op {
    CM_COLLECTIVE_SUM,     /* for real, complex and int32 (modulo 2^32) elements */
    CM_COLLECTIVE_PRODUCT, /* for the types of the sum */
    CM_COLLECTIVE_MIN,     /* for real and int32 elements */
    CM_COLLECTIVE_MAX,     /* for real and int32 elements */
    CM_COLLECTIVE_AND,     /* for int32 elements, bit by bit, and for logical elements */
    CM_COLLECTIVE_OR,
    CM_COLLECTIVE_XOR,
    CM_COLLECTIVE_COUNT,  /* number of true elements of a logical array, as an int32 */
    CM_COLLECTIVE_MINLOC, /* index of the minimum, as an int32 */
    CM_COLLECTIVE_MAXLOC,
    CM_COLLECTIVE_OPS
};
CM_API const char *cm_collective_op_name(enum cm_collective_op op); /* returns "sum" and so on */

/* Value of `axis` that means all axes, and value of `place` that means all places. */
#define CM_COLLECTIVE_WHOLE UINT32_MAX
#define CM_COLLECTIVE_ALL   UINT64_MAX

/* Arguments of a reduction, scan or spread. */
struct cm_collective_task {
    enum cm_collective_kind kind; /* reduction, scan or spread */
    /* operation of a reduction or scan. A scan cannot compute locations */
    enum cm_collective_op op;
    struct cm_layout layout; /* layout of the source array */
    /* number of the axis, from 0. CM_COLLECTIVE_WHOLE: a reduction along all axes */
    uint32_t axis;
    /* Index along the axis, from 0. A reduction stores its result at this place (CM_COLLECTIVE_ALL:
     * at all places). A spread copies from this place. */
    uint64_t place;
    bool masked; /* true if a reduction or scan leaves out elements whose mask is false */
    /* For scans. exclusive: an element's result leaves out the element itself. downward: the scan
     * goes from the last place to the first. segmented: the scan begins again at each place where a
     * segment begins. */
    bool exclusive, downward, segmented;
};

/* Arrays of a call of a collective operation. */
struct cm_collective_arrays {
    /* destination, may be src. NULL is allowed if the whole array is reduced */
    struct cm_array *dst;
    const struct cm_array *src; /* source, with the layout of the arguments */
    /* Logical array, true where elements take part. NULL unless the operation is masked. A scan's
     * mask must not be its dst. */
    const struct cm_array *mask;
    /* Logical array, true where a segment begins. NULL unless the scan is segmented. */
    const struct cm_array *segments;
};

/*
 * Result of a reduction of a whole array. A location is the number of an element in Fortran order,
 * from 1. It is 0 if no element takes part or all elements are NaN.
 */
struct cm_collective_value {
    enum cm_type type;        /* type of the value. Counts and locations are int32 */
    struct cm_scalar bits;    /* value of this type */
    struct cm_scalar extreme; /* for a location: minimum or maximum, of the source's type */
};

struct cm_collective;

/* Returns the type of the operation's result, or CM_TYPE_COUNT if the operation does not take
 * elements of the source's type. */
CM_API enum cm_type cm_collective_result_type(enum cm_collective_op op, enum cm_type source);

/* Compiles the IMP and the tables of a collective operation. Fails with CM_BAD_INPUT if the
 * operation does not take the type, if the axis or the place does not exist, or if node memory is
 * too small. */
CM_API enum cm_status cm_collective_setup(struct cm_system *system,
                                          const struct cm_collective_task *task,
                                          struct cm_collective **collective, struct cm_error *err);
/*
 * Performs a compiled collective operation. The result of a reduction of a whole array goes to
 * `value`, which may be NULL. On a machine without data it is zeros. The arrays have the layout for
 * which the operation was compiled, and dst has the result's type. The destination of a reduction
 * of a whole array has one element. Padding in dst is overwritten.
 */
CM_API enum cm_status cm_collective_call(struct cm_system *system,
                                         const struct cm_collective *collective,
                                         const struct cm_collective_arrays *arrays,
                                         struct cm_collective_value *value, struct cm_error *err);
/* Frees a compiled operation with its IMPs and node memory. `collective` may be NULL. */
CM_API void cm_collective_deallocate(struct cm_system *system, struct cm_collective *collective);

/* Sizes and counts of a compiled operation, for people and tests. */
struct cm_collective_info {
    /* number of partial results of a node, which it sends over every dimension */
    uint64_t values;
    uint32_t dimensions; /* number of cube dimensions that the partial results cross */
    uint64_t exchanges;  /* number of exchanges of a call */
    /* number of words of SRAM, of node memory for tables, and of node memory as a work area */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_collective_info cm_collective_info(const struct cm_collective *collective);
/* Returns IMP `i` of a compiled operation, from 0, or NULL after the last IMP. */
CM_API const struct cm_imp *cm_collective_imp(const struct cm_collective *collective, uint32_t i);
/*
 * Returns the number of exchanges in which K = `values` items (partial results) of `words` words
 * cross d = `dimensions` cube dimensions of `channels` channels. This number is
 * (ceil(K / g) + d - 1) e, where a group of g items fills e exchanges. It is 0 if an argument is 0.
 */
CM_API uint64_t cm_collective_exchanges(uint64_t values, uint32_t words, uint32_t dimensions,
                                        uint32_t channels);

CM_END_DECLS

#endif
