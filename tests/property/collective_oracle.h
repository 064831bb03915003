/* Reductions and scans of whole arrays on the host, by plain recursion. */
#ifndef CM_TESTS_PROPERTY_COLLECTIVE_ORACLE_H
#define CM_TESTS_PROPERTY_COLLECTIVE_ORACLE_H

#include "../../programs/collective/collective.h"

/* A number of any type, and where it was found (from 1; 0: nowhere). */
struct oracle_value {
    double re, im;
    int64_t at;
};

struct oracle_array {
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[4];
    uint64_t segment[4]; /* elements of each axis in one block */
    uint32_t bits[4];    /* log2 of the blocks of each axis */
    const struct oracle_value *elements;
    const unsigned char *mask; /* NULL: all */
};

/* a o b, rounded to the type. */
struct oracle_value oracle_operation(enum cm_collective_op op, enum cm_type type,
                                     struct oracle_value a, struct oracle_value b);
struct oracle_value oracle_identity(enum cm_collective_op op, enum cm_type type);

/* In the order that docs/programs/collective.md describes. `index`: of a column, its entry for
 * `axis` ignored. */
struct oracle_value oracle_column(const struct oracle_array *array, enum cm_collective_op op,
                                  uint32_t axis, const uint64_t *index);
struct oracle_value oracle_whole(const struct oracle_array *array, enum cm_collective_op op);
/* One element after the other, as the indices go: for data that no order rounds. */
struct oracle_value oracle_plain(const struct oracle_array *array, enum cm_collective_op op,
                                 uint32_t axis, const uint64_t *index);

struct oracle_scan {
    bool exclusive, downward;
    const unsigned char *segments; /* NULL: one segment */
};
/* A column of a scan, place by place, in the documented order; one element after the other. */
void oracle_scan_column(const struct oracle_array *array, enum cm_collective_op op, uint32_t axis,
                        const uint64_t *index, const struct oracle_scan *scan,
                        struct oracle_value *column);
void oracle_scan_plain(const struct oracle_array *array, enum cm_collective_op op, uint32_t axis,
                       const uint64_t *index, const struct oracle_scan *scan,
                       struct oracle_value *column);

#endif
