/*
 * This header sorts along an axis of an array. A column is the elements that differ only in the
 * index of that axis. Each column is brought into ascending or descending order. Other arrays may
 * be carried along: their elements are permuted in the same way as the keys. docs/programs/sort.md
 * has the method, the order and the counts.
 *
 * A program compiles a sort for a layout ahead (cm_sort_setup), calls it with arrays as often as it
 * likes, and deallocates it, as with PSHIFT. A record is a key with everything that moves with it.
 * IMPs make records from arrays, sort the records within nodes and over the cube, and write the
 * results back.
 *
 * Invariants:
 *
 *   - Numbers are ordered by value, with -0 before +0 (descending: after).
 *   - NaNs come last in both directions, without their sign, in ascending order of their bits.
 *   - If other arrays or ranks are wanted, the sort is stable: equal keys keep their order.
 *   - The result does not depend on the method, and the cycles of the bitonic sort do not depend on
 *     the keys.
 *
 * Files: sort.c (checks, compilation, calls), sort_records.c and sort_record.c (records in memory
 * and in registers), sort_local.c (within nodes), sort_cube.c (over the cube), sort_choice.c (which
 * method is faster). The sort by samples also uses sort_sample.c, sort_split.c and sort_route.c.
 */
#ifndef CM_PROGRAMS_SORT_SORT_H
#define CM_PROGRAMS_SORT_SORT_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Limit on the number of arrays that are carried along with the keys. */
#define CM_SORT_CARRIED_MAX 8u

/* Method of sorting over the nodes. */
enum cm_sort_method {
    CM_SORT_BITONIC, /* compares and exchanges records over the cube's dimensions */
    /* Sorts in the nodes, sends each record through the router to the node of its range of keys,
     * and sorts there. The cycles depend on the keys, so a machine without data refuses this
     * method. */
    CM_SORT_SAMPLE,
    CM_SORT_AUTO, /* chooses the method that is estimated to be faster */
    CM_SORT_METHODS
};
/* returns "bitonic" and so on */
CM_API const char *cm_sort_method_name(enum cm_sort_method method);

/* Arguments of a sort. */
struct cm_sort_task {
    struct cm_layout layout; /* layout of the keys, which are real32, real64, int32 or logical */
    uint32_t axis;           /* number of the axis, from 0 */
    bool descending;         /* true to sort the largest key to the first place */
    bool keyless;            /* true if the sorted keys are not wanted */
    bool ranked;             /* true if the ranks are wanted */
    uint32_t carried;        /* number of arrays that are permuted in the same way as the keys */
    /* types of the carried arrays, in their order */
    enum cm_type carried_types[CM_SORT_CARRIED_MAX];
    /* requested method, which has no influence on the result */
    enum cm_sort_method method;
};

/*
 * Arrays of a call of a sort, each with its own type and with the layout for which the sort was
 * compiled. A destination may be any of the sources, because all sources are read before a
 * destination is written. The destinations are different arrays. Their padding is overwritten.
 */
struct cm_sort_arrays {
    struct cm_array *dst;       /* the sorted keys. NULL if they are not wanted (keyless) */
    const struct cm_array *src; /* the keys to sort */
    /* int32 array of ranks: for the key at each place, its former index along the axis, from 1.
     * NULL if ranks are not wanted. */
    struct cm_array *rank;
    struct {
        struct cm_array *dst;
        const struct cm_array *src;
    } carried[CM_SORT_CARRIED_MAX]; /* pairs of carried arrays, as many as in the arguments */
};

struct cm_sort;

/* Returns true if keys may have this type. */
CM_API bool cm_sort_takes(enum cm_type type);
/* Compiles the IMPs of a sort. Fails with CM_BAD_INPUT if the type has no order, the axis does not
 * exist, the registers do not hold the carried words, node memory or SRAM is too small, or a sort
 * by samples is requested on a machine without data. */
CM_API enum cm_status cm_sort_setup(struct cm_system *system, const struct cm_sort_task *task,
                                    struct cm_sort **sort, struct cm_error *err);
CM_API enum cm_status cm_sort_call(struct cm_system *system, const struct cm_sort *sort,
                                   const struct cm_sort_arrays *arrays, struct cm_error *err);
/* Frees a compiled sort with its IMPs and node memory. `sort` may be NULL. */
CM_API void cm_sort_deallocate(struct cm_system *system, struct cm_sort *sort);

/* Sizes and counts of a compiled sort and of its last call, for people and tests. */
struct cm_sort_info {
    uint64_t values;       /* number of records of a node */
    uint32_t record_words; /* number of words of a record: key, index, carried words */
    uint32_t dimensions;   /* number of cube dimensions that the records cross */
    uint64_t exchanges;    /* number of exchanges of a call */
    /* number of words of SRAM, of node memory for tables, and of node memory as a work area */
    uint64_t sram_words, table_words, work_words;
    enum cm_sort_method method; /* method in use, CM_SORT_BITONIC or CM_SORT_SAMPLE */
    /* Reason why the sort is bitonic although the requested method is sample or auto. NULL
     * otherwise. */
    const char *reason;
    /* For the method sample: number of samples of a node, and number of records that fit into a
     * node. */
    uint64_t samples, capacity;
    /* For the method sample, in the last call: largest number of records that came to a node. */
    uint64_t most;
    bool overflowed; /* true if so many records did not fit and the bitonic sort ran instead */
};
CM_API struct cm_sort_info cm_sort_info(const struct cm_sort *sort);
/*
 * Returns the number of exchanges in which K = `values` records of `words` words are sorted over d
 * = `dimensions` cube dimensions of `channels` channels. This number is e (d G + d (d - 1) / 2),
 * where a group of g records fills e exchanges and G = ceil(K / g) is the number of groups. It is 0
 * if an argument is 0.
 */
CM_API uint64_t cm_sort_exchanges(uint64_t values, uint32_t words, uint32_t dimensions,
                                  uint32_t channels);

CM_END_DECLS

#endif
