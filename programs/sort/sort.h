/*
 * Sorting along an axis of an array. A column is the elements that differ only in the index of that
 * axis. Each column is brought into ascending or descending order. Other arrays may be carried
 * along: they are permuted like the keys. docs/programs/sort.md has the method, the order and the
 * counts.
 *
 * The interface is that of PSHIFT: a setup for a layout and a task, calls with arrays,
 * deallocation. A record is a key with everything that moves with it. IMPs make records from
 * arrays, sort them within nodes and over the cube, and write the results back.
 *
 * Invariants:
 *
 *   - Numbers are ordered by value, with -0 before +0 (descending: after).
 *   - NaNs come last in both directions, without their sign, in ascending order of their bits.
 *   - If other arrays or ranks are wanted, the sort is stable: equal keys keep their order.
 *   - The result does not depend on the method, and the cycles of the bitonic sort do not depend on
 *     the keys.
 *
 * Files: sort.c (tasks, setups, calls), sort_records.c and sort_record.c (records in memory and in
 * registers), sort_local.c (within nodes), sort_cube.c (over the cube), sort_choice.c (which method
 * is faster). For the sort by samples: sort_sample.c, sort_split.c, sort_route.c.
 */
#ifndef CM_PROGRAMS_SORT_SORT_H
#define CM_PROGRAMS_SORT_SORT_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Largest number of arrays that are carried along. */
#define CM_SORT_CARRIED_MAX 8u

/* Method of sorting. */
enum cm_sort_method {
    CM_SORT_BITONIC, /* compares and exchanges records over the cube's dimensions */
    /* Sorts in the nodes, sends each record through the router to the node of its range, and sorts
     * there. The cycles depend on the keys, so a machine without data refuses it. */
    CM_SORT_SAMPLE,
    CM_SORT_AUTO, /* the method that is estimated to be faster */
    CM_SORT_METHODS
};
CM_API const char *cm_sort_method_name(enum cm_sort_method method); /* "bitonic", ... */

/* Parameters of a sort. */
struct cm_sort_task {
    struct cm_layout layout; /* layout of the keys: real32, real64, int32 or logical */
    uint32_t axis;           /* from 0 */
    bool descending;         /* True: the largest key first */
    bool keyless;            /* True if the sorted keys are not wanted */
    bool ranked;             /* True if the ranks are wanted */
    uint32_t carried;        /* number of arrays that are permuted like the keys */
    enum cm_type carried_types[CM_SORT_CARRIED_MAX]; /* their types, in their order */
    enum cm_sort_method method;                      /* The result does not depend on it */
};

/*
 * Arrays of a call, all laid out as the setup's layout, each with its type. A dst may be any src,
 * because all sources are read before a destination is written. Destinations differ. Padding in
 * them is overwritten.
 */
struct cm_sort_arrays {
    struct cm_array *dst;       /* the sorted keys. NULL if the task is keyless */
    const struct cm_array *src; /* the keys */
    /* int32: former index along the axis, from 1, of the key at each place. NULL if the task is not
     * ranked */
    struct cm_array *rank;
    struct {
        struct cm_array *dst;
        const struct cm_array *src;
    } carried[CM_SORT_CARRIED_MAX]; /* as many pairs as the task carries */
};

struct cm_sort;

/* Returns whether keys may have a type. */
CM_API bool cm_sort_takes(enum cm_type type);
/* Compiles the IMPs of a sort. Fails with CM_BAD_INPUT for a type without an order, an axis that
 * does not exist, more carried words than the registers hold, too little node memory or SRAM, and
 * for a sort by samples on a machine without data. */
CM_API enum cm_status cm_sort_setup(struct cm_system *system, const struct cm_sort_task *task,
                                    struct cm_sort **sort, struct cm_error *err);
CM_API enum cm_status cm_sort_call(struct cm_system *system, const struct cm_sort *sort,
                                   const struct cm_sort_arrays *arrays, struct cm_error *err);
/* Frees the setup with its IMPs and node memory. NULL is allowed. */
CM_API void cm_sort_deallocate(struct cm_system *system, struct cm_sort *sort);

/* Description of a setup and of its last call, for people and tests. */
struct cm_sort_info {
    uint64_t values;       /* records of a node */
    uint32_t record_words; /* words of a record: key, index, carried words */
    uint32_t dimensions;   /* cube dimensions that the records cross */
    uint64_t exchanges;    /* exchanges of a call */
    /* words of SRAM, of node memory for tables, and of working memory */
    uint64_t sram_words, table_words, work_words;
    enum cm_sort_method method; /* bitonic or sample */
    /* why the sort is not by samples although the task asks for it, else NULL */
    const char *reason;
    /* for the method sample: samples of a node, and the records that a node has room for */
    uint64_t samples, capacity;
    /* For the method sample, of the last call: the most records that came to a node, and whether
     * they exceeded its room, so that the bitonic sort ran instead. */
    uint64_t most;
    bool overflowed; /* True if `most` exceeded the room. */
};
CM_API struct cm_sort_info cm_sort_info(const struct cm_sort *sort);
/*
 * Returns the exchanges for `values` records of `words` words over `dimensions` cube dimensions of
 * `channels` channels: e (d G + d (d - 1) / 2), for G = ceil(K / g) groups of g records that fill e
 * exchanges, and 0 if an argument is 0.
 */
CM_API uint64_t cm_sort_exchanges(uint64_t values, uint32_t words, uint32_t dimensions,
                                  uint32_t channels);

CM_END_DECLS

#endif
