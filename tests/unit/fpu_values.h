/* Operations of the FPU on values written out, for the tests that include a file of sim/fpu*.c:
 * every case in every place of a vector, on ranges of nodes of every length. */
#ifndef CM_TESTS_UNIT_FPU_VALUES_H
#define CM_TESTS_UNIT_FPU_VALUES_H

#include "sim/fpu_vectors.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#define VALUE_NODES 64u
#define NAN32       UINT32_C(0x7fc00000)
#define NAN64       UINT64_C(0x7ff8000000000000)

/* One case. A result that is a NaN may be any, unless `exact`. */
struct value {
    enum cm_op op;
    uint64_t a, b;
    uint64_t result;
};

struct value_table {
    const struct value *values;
    size_t count;
    bool wide;  /* the results have 64 bits */
    bool exact; /* of results that are NaNs too */
};

static inline bool is_same_value(const struct value_table *table, uint64_t a, uint64_t b)
{
    float single[2];
    double twice[2];
    uint32_t low[2] = {(uint32_t)a, (uint32_t)b};
    if (a == b || table->exact)
        return a == b;
    memcpy(twice, (uint64_t[]){a, b}, sizeof twice);
    memcpy(single, low, sizeof single);
    return table->wide ? isnan(twice[0]) && isnan(twice[1])
                       : a >> 32 == b >> 32 && isnan(single[0]) && isnan(single[1]);
}

/* Planes of three registers: the result, then a and b. */
struct value_planes {
    uint32_t low[3][VALUE_NODES], high[3][VALUE_NODES];
};

#define OLD_LOW  UINT32_C(0x0badcafe)
#define OLD_HIGH UINT32_C(0x5eedface)

/* The cases `first` and after of one operation, a case a node, `shift` nodes on. */
static inline void check_placed(const operation *operations, const struct value_table *table,
                                size_t first, uint32_t shift, struct cm_lanes lanes)
{
    const enum cm_op op = table->values[first].op;
    struct value_planes planes;
    struct planes p = {0};
    uint32_t cases = 0;
    while (first + cases < table->count && table->values[first + cases].op == op)
        cases++;
    for (uint32_t n = 0; n < VALUE_NODES; n++) {
        const struct value *value = &table->values[first + (n + shift) % cases];
        const uint64_t words[] = {OLD_LOW | (uint64_t)OLD_HIGH << 32, value->a, value->b};
        for (uint32_t i = 0; i < 3; i++) {
            planes.low[i][n] = (uint32_t)words[i];
            planes.high[i][n] = (uint32_t)(words[i] >> 32);
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        p.low[i] = planes.low[i];
        p.high[i] = planes.high[i];
    }
    operations[op](p, lanes);
    for (uint32_t n = 0; n < VALUE_NODES; n++) {
        const struct value *value = &table->values[first + (n + shift) % cases];
        const bool is_in = n >= lanes.first && n < lanes.last;
        const uint64_t found = planes.low[0][n] | (uint64_t)planes.high[0][n] << 32;
        uint64_t expected = is_in ? value->result : OLD_LOW;
        if (!is_in || !table->wide)
            expected |= (uint64_t)OLD_HIGH << 32;
        ck_assert_msg(is_same_value(table, found, expected),
                      "%s %" PRIx64 ", %" PRIx64 ": expected %" PRIx64 ", found %" PRIx64
                      " (nodes %u to %u, node %u)",
                      cm_op_info(op)->mnemonic, value->a, value->b, expected, found, lanes.first,
                      lanes.last, n);
    }
}

static inline void check_values(const operation *operations, const struct value_table *table)
{
    for (size_t first = 0; first < table->count; first++) {
        if (first > 0 && table->values[first].op == table->values[first - 1].op)
            continue;
        for (uint32_t length = VALUE_NODES; length > 0; length /= 2)
            for (uint32_t shift = 0; shift < 20; shift++)
                check_placed(operations, table, first, shift,
                             (struct cm_lanes){shift % (VALUE_NODES / length) * length,
                                               (shift % (VALUE_NODES / length) + 1) * length,
                                               VALUE_NODES});
    }
}

/* The tables, for every kind of host that this one can be. */
static inline void check_on_all_hosts(const operation *const hosts[CM_HOST_COUNT],
                                      const struct value_table *tables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int host = 0; host <= (int)cm_host(); host++)
            check_values(hosts[host], &tables[i]);
}

#define TABLE(list, is_wide, is_exact)                                                             \
    {                                                                                              \
        .values = list, .count = sizeof list / sizeof *list, .wide = is_wide, .exact = is_exact    \
    }

#endif
