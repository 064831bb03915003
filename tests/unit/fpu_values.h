/* Operations of the FPU on values written out, for the tests that include a file of sim/fpu*.c:
 * every case in every place of a vector, on ranges of nodes of every length. */
#ifndef CM_TESTS_UNIT_FPU_VALUES_H
#define CM_TESTS_UNIT_FPU_VALUES_H

#include "sim/lanes/fpu_vectors.h"

#include "quick_check.h"
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

/* A register of some nodes, as 64-bit operations have it or as others do. */
struct value_register {
    bool joined;
    uint32_t nodes;
    uint32_t *words; /* 2 for each node, and two more that nothing may touch */
};

#define OLD_LOW  UINT32_C(0x0badcafe)
#define OLD_HIGH UINT32_C(0x5eedface)

static inline uint32_t *value_half(const struct value_register *r, uint32_t node, uint32_t half)
{
    return r->words + (r->joined ? 2 * node + half : half * r->nodes + node);
}

static inline uint64_t value_of(const struct value_register *r, uint32_t node)
{
    return *value_half(r, node, 0) | (uint64_t)*value_half(r, node, 1) << 32;
}

static inline void set_value(const struct value_register *r, uint32_t node, uint64_t value)
{
    *value_half(r, node, 0) = (uint32_t)value;
    *value_half(r, node, 1) = (uint32_t)(value >> 32);
}

static inline bool is_comparison(enum cm_op op)
{
    return cm_op_info(op)->cost == CM_COST_FPU_COMPARE;
}

/* The cases `first` and after of one operation, a case a node, `shift` nodes on. */
static inline void check_placed(const cm_lane_kernel *operations, const struct value_table *table,
                                size_t first, uint32_t shift, uint32_t nodes)
{
    const enum cm_op op = table->values[first].op;
    uint32_t words[3][2 * VALUE_NODES + 2];
    struct value_register registers[3];
    uint32_t cases = 0;
    while (first + cases < table->count && table->values[first + cases].op == op)
        cases++;
    for (uint32_t i = 0; i < 3; i++)
        registers[i] =
            (struct value_register){.joined = cm_fpu_is_wide(op) && !(i == 0 && is_comparison(op)),
                                    .nodes = nodes,
                                    .words = words[i]};
    for (uint32_t n = 0; n < nodes; n++) {
        const struct value *value = &table->values[first + (n + shift) % cases];
        set_value(&registers[0], n, OLD_LOW | (uint64_t)OLD_HIGH << 32);
        set_value(&registers[1], n, value->a);
        set_value(&registers[2], n, value->b);
    }
    for (uint32_t i = 0; i < 3; i++)
        words[i][2 * nodes] = words[i][2 * nodes + 1] = OLD_LOW;
    operations[op]((uint32_t *const[]){words[0], words[1], words[2], words[2]}, nodes, 0);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert(words[i][2 * nodes] == OLD_LOW && words[i][2 * nodes + 1] == OLD_LOW);
    for (uint32_t n = 0; n < nodes; n++) {
        const struct value *value = &table->values[first + (n + shift) % cases];
        const uint64_t found = value_of(&registers[0], n);
        const uint64_t expected = value->result | (table->wide ? 0 : (uint64_t)OLD_HIGH << 32);
        ck_assert_msg(is_same_value(table, found, expected),
                      "%s %" PRIx64 ", %" PRIx64 ": expected %" PRIx64 ", found %" PRIx64
                      " (node %u of %u)",
                      cm_op_info(op)->mnemonic, value->a, value->b, expected, found, n, nodes);
    }
}

static inline void check_values(const cm_lane_kernel *operations, const struct value_table *table)
{
    for (size_t first = 0; first < table->count; first++) {
        if (first > 0 && table->values[first].op == table->values[first - 1].op)
            continue;
        for (uint32_t nodes = VALUE_NODES; nodes > 0; nodes /= 2)
            for (uint32_t shift = 0; shift < 20; shift++)
                check_placed(operations, table, first, shift, nodes);
    }
}

/* The tables, for every kind of host that this one can be. */
static inline void check_on_all_hosts(const cm_lane_kernel *const hosts[CM_HOST_COUNT],
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
