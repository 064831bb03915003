/*
 * Sorting along an axis: each column of an array (the elements that differ in that axis's index
 * alone) is brought into ascending or descending order, alone or with other arrays that are
 * permuted alike. The interface is PSHIFT's: a setup for a layout and a task, calls with arrays,
 * deallocation. docs/programs/sort.md has the method, the order and the counts.
 *
 * The order: numbers by value, -0 before +0 (descending: after); NaNs come last in both directions,
 * without their sign, in ascending order of their bits. Where other arrays or ranks are asked for,
 * equal keys stay in the order in which they were: the sort is stable.
 */
#ifndef CM_PROGRAMS_SORT_SORT_H
#define CM_PROGRAMS_SORT_SORT_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Arrays that are carried along, at most. */
#define CM_SORT_CARRIED_MAX 8u

/* How the elements are sorted. */
enum cm_sort_method {
    CM_SORT_BITONIC, /* compares and exchanges records over the cube's dimensions */
    /* sorts in the nodes, sends each record to the node of its range through the router, sorts
     * there. Its cycles depend on the keys: refused on a machine without data */
    CM_SORT_SAMPLE,
    CM_SORT_AUTO, /* the one that is estimated to be faster */
    CM_SORT_METHODS
};
CM_API const char *cm_sort_method_name(enum cm_sort_method method); /* "bitonic", ... */

/* A sort. */
struct cm_sort_task {
    struct cm_layout layout; /* of the keys: real32, real64, int32 or logical */
    uint32_t axis;           /* from 0 */
    bool descending;         /* the largest first */
    bool keyless;            /* the sorted keys are not wanted */
    bool ranked;             /* the ranks are */
    uint32_t carried;        /* arrays that are permuted as the keys are, of these types */
    enum cm_type carried_types[CM_SORT_CARRIED_MAX]; /* of the arrays carried, in their order */
    enum cm_sort_method method;                      /* the result is the same */
};

/*
 * All laid out as the setup's layout, each with its type. A dst may be any src, as everything is
 * read before anything is written; dsts differ. Padding in them is overwritten.
 */
struct cm_sort_arrays {
    struct cm_array *dst;       /* the sorted keys; NULL if the task is keyless */
    const struct cm_array *src; /* the keys */
    /* int32: the index along the axis, from 1, at which the key of this place was; NULL if the task
     * is not ranked */
    struct cm_array *rank;
    struct {
        struct cm_array *dst;
        const struct cm_array *src;
    } carried[CM_SORT_CARRIED_MAX]; /* as many as the task carries */
};

struct cm_sort;

/* Whether keys may have a type. */
CM_API bool cm_sort_takes(enum cm_type type);
/* Compiles the IMPs. CM_BAD_INPUT for a type without an order, an axis that does not exist, more
 * carried words than the registers hold, too little node memory or SRAM, and for a sort by samples
 * on a machine without data. */
CM_API enum cm_status cm_sort_setup(struct cm_system *system, const struct cm_sort_task *task,
                                    struct cm_sort **sort, struct cm_error *err);
CM_API enum cm_status cm_sort_call(struct cm_system *system, const struct cm_sort *sort,
                                   const struct cm_sort_arrays *arrays, struct cm_error *err);
/* Gives back its IMPs and node memory; NULL is allowed. */
CM_API void cm_sort_deallocate(struct cm_system *system, struct cm_sort *sort);

/* What a setup made, for people and tests. */
struct cm_sort_info {
    uint64_t values;       /* records of a node */
    uint32_t record_words; /* of a record: key, index, what is carried */
    uint32_t dimensions;   /* of the cube that they cross */
    uint64_t exchanges;    /* of a call */
    /* words of SRAM; of node memory for tables, and to work in */
    uint64_t sram_words, table_words, work_words;
    enum cm_sort_method method; /* bitonic or sample */
    const char *reason;         /* why it is not by samples although the task asks; NULL */
    uint64_t samples, capacity; /* by samples: of a node; records that it has room for */
    /* by samples, of the last call: the most records that came to a node; whether they were more
     * than its room, so that the bitonic sort was run */
    uint64_t most;
    bool overflowed; /* see above */
};
CM_API struct cm_sort_info cm_sort_info(const struct cm_sort *sort);
/*
 * Exchanges for `values` records of `words` words over `dimensions` cube dimensions of `channels`
 * channels: e (d G + d (d - 1) / 2) for G = ceil(K / g) groups of g records that fill e exchanges.
 */
CM_API uint64_t cm_sort_exchanges(uint64_t values, uint32_t words, uint32_t dimensions,
                                  uint32_t channels);

CM_END_DECLS

#endif
