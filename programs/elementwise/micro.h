/*
 * Micro code: the instructions for one element of an array statement, before registers are
 * allocated. Each entry makes one value of at most 64 bits, or stores one. Equal entries are one.
 *
 * The micro code is a DAG. An entry names its sources by their numbers, and sources come before
 * their users. lower.c and the other lower_*.c files make the entries of each kind of operation.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_MICRO_H
#define CM_PROGRAMS_ELEMENTWISE_MICRO_H

#include "../../isa/imp.h"
#include "expression_private.h"

enum cm_micro_kind {
    CM_MICRO_NONE,
    CM_MICRO_SCALAR, /* scalar argument of the IMP, the same for all elements */
    CM_MICRO_LOAD,   /* loads a part of an array's element */
    CM_MICRO_LOOKUP, /* loads a part of an element `source 0` words after an array's element */
    CM_MICRO_PLAIN,  /* FPU instruction on sources 0 to 2 */
    CM_MICRO_TEST,   /* condition as a value 0 or 1 */
    CM_MICRO_SELECT, /* source 0 if a condition holds, else source 1 */
    /* stores source 0 to a part of an array's element, if a condition holds. With a reach it is
     * the element source 1 words after it. */
    CM_MICRO_STORE
};

#define CM_MICRO_SOURCES 5u

/*
 * Entry of micro code. Its condition is a comparison `test` of sources 3 and 4. With test CTXREST
 * the condition is that source 3 is not 0, and with test HALT the entry has no condition. The
 * struct has no padding, so that entries compare by their bytes.
 */
struct cm_micro {
    uint32_t kind;
    uint32_t op;   /* enum cm_op */
    uint32_t test; /* enum cm_op */
    uint32_t negated;
    uint32_t sources[CM_MICRO_SOURCES]; /* entries, 0 for none */
    uint32_t number;                    /* scalar slot or array */
    uint32_t offset;                    /* words from the begin of the element to the part */
    uint32_t wide;                      /* 1 if the value has 64 bits */
    uint32_t reach;                     /* words among which an index selects, or 0 */
};

/* Scalar argument of the IMP: a part of a scalar of the call, or a constant. */
struct cm_slot_value {
    uint64_t bits; /* value of a constant */
    uint32_t wide;
    bool is_constant;
};

/* Numbers of an IMP's arrays: first the arrays of the expression, then the tables of indices. */
#define CM_MICRO_INDEX  CM_EXPRESSION_ARRAYS_MAX
#define CM_MICRO_ARRAYS (CM_EXPRESSION_ARRAYS_MAX + CM_RANK_MAX)

struct cm_lower {
    const struct cm_expression *expression;
    CM_LIST(struct cm_micro) code; /* entry 0 is unused */
    uint32_t *buckets;
    uint32_t bucket_count;
    CM_LIST(struct cm_slot_value) slots; /* scalars of the call, then constants */
    uint32_t scalar_slots[CM_EXPRESSION_SCALARS_MAX];
    CM_LIST(uint32_t) roots; /* entries that store */
    uint32_t (*values)[2];   /* parts of each node, 0 if not made */
    bool failed;             /* out of memory */
};

/* Makes the micro code of an expression. Returns false when out of memory. The caller finishes
 * `lower` in any case. */
bool cm_lower_init(struct cm_lower *lower, const struct cm_expression *expression);
void cm_lower_finish(struct cm_lower *lower);

/* Add an entry, or find an equal one, and return its number. On failure they return 0 and set
 * lower->failed. */
uint32_t cm_micro_add(struct cm_lower *lower, const struct cm_micro *entry);
uint32_t cm_micro_plain(struct cm_lower *lower, enum cm_op op, uint32_t a, uint32_t b, uint32_t c);
uint32_t cm_micro_test(struct cm_lower *lower, enum cm_op op, uint32_t a, uint32_t b);
uint32_t cm_micro_not(struct cm_lower *lower, uint32_t condition);
uint32_t cm_micro_select(struct cm_lower *lower, bool wide, uint32_t condition, uint32_t yes,
                         uint32_t no);
uint32_t cm_micro_word(struct cm_lower *lower, uint32_t bits);
uint32_t cm_micro_single(struct cm_lower *lower, float value);
uint32_t cm_micro_double(struct cm_lower *lower, double value);
uint32_t cm_micro_bits(struct cm_lower *lower, uint64_t bits); /* bits of a double */
#define CM_MICRO1(lower, op, a)       cm_micro_plain(lower, CM_OP_##op, a, 0, 0)
#define CM_MICRO2(lower, op, a, b)    cm_micro_plain(lower, CM_OP_##op, a, b, 0)
#define CM_MICRO3(lower, op, a, b, c) cm_micro_plain(lower, CM_OP_##op, a, b, c)

/* FPU instructions for one type of real or integer parts. */
struct cm_type_ops {
    enum cm_op load, store, scalar, add, subtract, multiply, multiply_add, divide, root, negate,
        magnitude, least, greatest, equal, less, less_equal;
    bool wide;
};
const struct cm_type_ops *cm_type_ops(enum cm_type type);

/* Adds a constant of the real type of `ops`. */
uint32_t cm_micro_real(struct cm_lower *lower, const struct cm_type_ops *ops, double value);

/* Entries that make the parts of a node's value. A real value has `re` only. */
struct cm_parts {
    uint32_t re, im;
};

/* Make the entries of one operation. Each family of operations has its own file. */
uint32_t cm_lower_real(struct cm_lower *lower, enum cm_expression_op op, enum cm_type type,
                       uint32_t x, uint32_t y);
uint32_t cm_lower_integer(struct cm_lower *lower, enum cm_expression_op op, uint32_t x, uint32_t y);
struct cm_parts cm_lower_complex(struct cm_lower *lower, enum cm_expression_op op,
                                 enum cm_type part, struct cm_parts x, struct cm_parts y);
struct cm_parts cm_lower_convert(struct cm_lower *lower, enum cm_type from, enum cm_type to,
                                 struct cm_parts x);

/* Makes x ** y, where `node` is the operation. */
struct cm_parts cm_lower_power(struct cm_lower *lower, const struct cm_node *node,
                               struct cm_parts x, struct cm_parts y);
/* Makes MOD or MODULO of real numbers. */
uint32_t cm_lower_remainder(struct cm_lower *lower, enum cm_expression_op op,
                            const struct cm_type_ops *ops, uint32_t x, uint32_t y);
/* Makes EXP and the other functions of routines.h. */
uint32_t cm_lower_function(struct cm_lower *lower, enum cm_expression_op op,
                           const struct cm_type_ops *ops, uint32_t x, uint32_t y);

/* Makes x ** y of real numbers. */
uint32_t cm_lower_real_power(struct cm_lower *lower, const struct cm_type_ops *ops, uint32_t x,
                             uint32_t y);

/* Make entries that several families share. */
struct cm_parts cm_lower_product(struct cm_lower *lower, enum cm_type part, struct cm_parts x,
                                 struct cm_parts y);
struct cm_parts cm_lower_quotient(struct cm_lower *lower, enum cm_type part, struct cm_parts x,
                                  struct cm_parts y);
uint32_t cm_lower_truncate(struct cm_lower *lower, const struct cm_type_ops *ops, uint32_t x);
uint32_t cm_lower_sign(struct cm_lower *lower, const struct cm_type_ops *ops, uint32_t x,
                       uint32_t sign);

#endif
