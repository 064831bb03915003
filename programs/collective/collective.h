/*
 * Reductions, scans and spreads of arrays. The interface is PSHIFT's: a setup for a layout and a
 * task, calls with arrays, deallocation. docs/programs/collective.md has the method, the order of
 * the operations and the counts.
 *
 * A reduction along an axis combines the elements that differ in that axis's index alone; its
 * result goes to the element at one place of the axis, or to all of them (Paris: reduce-with and
 * spread-with). A reduction of the whole array gives one value to the front end and, if wanted, to
 * an array of one element. In a scan along an axis, each element gets the combination of those
 * before it, itself included or not. A spread copies the element at one place of an axis to all
 * places.
 */
#ifndef CM_PROGRAMS_COLLECTIVE_COLLECTIVE_H
#define CM_PROGRAMS_COLLECTIVE_COLLECTIVE_H

#include "../system/scalar.h"
#include "../system/system.h"

CM_BEGIN_DECLS

/* What is done along the axis. */
enum cm_collective_kind { CM_COLLECTIVE_REDUCE, CM_COLLECTIVE_SPREAD, CM_COLLECTIVE_SCAN };

/* Bits and numbers of a logical array are 0 and 1. */
enum cm_collective_op {
    CM_COLLECTIVE_SUM,     /* real, complex, int32 modulo 2^32 */
    CM_COLLECTIVE_PRODUCT, /* the same */
    CM_COLLECTIVE_MIN,     /* real, int32 */
    CM_COLLECTIVE_MAX,     /* real, int32 */
    CM_COLLECTIVE_AND,     /* int32, bit by bit, and logical */
    CM_COLLECTIVE_OR,
    CM_COLLECTIVE_XOR,
    CM_COLLECTIVE_COUNT,  /* of the true elements of a logical array: int32 */
    CM_COLLECTIVE_MINLOC, /* where the minimum is: int32 */
    CM_COLLECTIVE_MAXLOC,
    CM_COLLECTIVE_OPS
};
CM_API const char *cm_collective_op_name(enum cm_collective_op op); /* "sum", ... */

/* For axis: all axes. For place: all places. */
#define CM_COLLECTIVE_WHOLE UINT32_MAX
#define CM_COLLECTIVE_ALL   UINT64_MAX

/* A reduction, scan or spread. */
struct cm_collective_task {
    enum cm_collective_kind kind; /* which of them */
    enum cm_collective_op op;     /* of a reduction or scan; locations are for reductions */
    struct cm_layout layout;      /* of the source */
    uint32_t axis;                /* from 0; of a reduction, CM_COLLECTIVE_WHOLE for all */
    /* Index from 0 along the axis: where the result of a reduction goes (CM_COLLECTIVE_ALL: to all
     * places), where a spread takes its values. */
    uint64_t place;
    bool masked; /* of a reduction or scan: elements whose mask is false are left out */
    /* of a scan: without the element itself; from the last place to the first; beginning again at
     * each place where a segment begins */
    bool exclusive, downward, segmented;
};

/* The arrays of a call. */
struct cm_collective_arrays {
    struct cm_array *dst;        /* may be src; may be NULL where the whole array is reduced */
    const struct cm_array *src;  /* laid out as the task says */
    const struct cm_array *mask; /* logical; NULL unless the task is masked; not dst of a scan */
    const struct cm_array *segments; /* logical, true where one begins; likewise */
};

/*
 * What a reduction of a whole array gave. A location is the element's number in Fortran order from
 * 1, or 0 where no element takes part (or all are NaN).
 */
struct cm_collective_value {
    enum cm_type type;        /* int32 for counts and locations */
    struct cm_scalar bits;    /* the value, of that type */
    struct cm_scalar extreme; /* of a location: the value there, of the source's type */
};

struct cm_collective;

/* The type of the result; CM_TYPE_COUNT where the operation does not take the source's type. */
CM_API enum cm_type cm_collective_result_type(enum cm_collective_op op, enum cm_type source);

/* Compiles the IMP and its tables. CM_BAD_INPUT for a type that the operation does not take, an
 * axis or a place that does not exist, too little node memory. */
CM_API enum cm_status cm_collective_setup(struct cm_system *system,
                                          const struct cm_collective_task *task,
                                          struct cm_collective **collective, struct cm_error *err);
/*
 * Runs it. `value` (may be NULL) is for reductions of a whole array; without data it gets zeros.
 * The arrays are laid out as the setup's layout (the result's type for dst); an array for a whole
 * reduction has one element. Padding in dst is overwritten.
 */
CM_API enum cm_status cm_collective_call(struct cm_system *system,
                                         const struct cm_collective *collective,
                                         const struct cm_collective_arrays *arrays,
                                         struct cm_collective_value *value, struct cm_error *err);
/* Gives back its IMP and node memory; NULL is allowed. */
CM_API void cm_collective_deallocate(struct cm_system *system, struct cm_collective *collective);

/* What a setup made, for people and tests. */
struct cm_collective_info {
    uint64_t values;     /* that each node sends over every dimension: the results of a node */
    uint32_t dimensions; /* of the cube that they cross */
    uint64_t exchanges;  /* of a call */
    /* words of SRAM; of node memory for tables, and to work in */
    uint64_t sram_words, table_words, work_words;
};
CM_API struct cm_collective_info cm_collective_info(const struct cm_collective *collective);
/* Its IMPs from 0; NULL past the last. */
CM_API const struct cm_imp *cm_collective_imp(const struct cm_collective *collective, uint32_t i);
/*
 * Exchanges for `values` items of `words` words over `dimensions` cube dimensions of `channels`
 * channels: (ceil(K / g) + d - 1) e for groups of g items that fill e exchanges; 0 for no
 * dimension.
 */
CM_API uint64_t cm_collective_exchanges(uint64_t values, uint32_t words, uint32_t dimensions,
                                        uint32_t channels);

CM_END_DECLS

#endif
