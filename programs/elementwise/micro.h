/*
 * Micro code: the instructions for one element of an array statement, before registers are
 * allocated. Each entry makes one value of at most 64 bits, or stores such a value. Equal entries
 * are merged into one entry.
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
    /* loads a part of the element that is `source 0` words after an array's element */
    CM_MICRO_LOOKUP,
    CM_MICRO_PLAIN,  /* FPU instruction on sources 0 to 2 */
    CM_MICRO_TEST,   /* makes a condition into a value 0 or 1 */
    CM_MICRO_SELECT, /* selects source 0 if a condition holds, or else source 1 */
    /* stores source 0 to a part of an array's element, if a condition holds. If `reach` is not 0,
     * the element is `source 1` words after the array's element. */
    CM_MICRO_STORE
};

#define CM_MICRO_SOURCES 5u

/*
 * Entry of micro code. An entry with a condition has a comparison `test`, whose operands are
 * sources 3 and 4. With test CTXREST the condition is that source 3 is not 0. With test HALT the
 * entry has no condition. The struct has no padding, so that entries can be compared by their
 * bytes.
 */
struct cm_micro {
    uint32_t kind;
    uint32_t op;   /* instruction, an enum cm_op */
    uint32_t test; /* comparison of the condition, an enum cm_op */
    uint32_t negated;
    uint32_t sources[CM_MICRO_SOURCES]; /* numbers of the source entries. 0: no source */
    uint32_t number;                    /* number of the scalar slot or array */
    uint32_t offset; /* number of words from the start of the element to the part */
    uint32_t wide;   /* 1 if the value has 64 bits */
    uint32_t reach;  /* number of words among which an index selects. 0: no index */
};

/* Scalar argument of the IMP, called a slot: a part of a scalar of the call, or a constant. */
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
    /* entries of the micro code, by their numbers. Entry 0 is unused */
    CM_LIST(struct cm_micro) code;
    uint32_t *buckets;
    uint32_t bucket_count;
    CM_LIST(struct cm_slot_value) slots; /* slots of the call's scalars, then slots of constants */
    uint32_t scalar_slots[CM_EXPRESSION_SCALARS_MAX];
    CM_LIST(uint32_t) roots; /* numbers of the entries that store */
    uint32_t (*values)[2];   /* entries of the parts of each node. 0: not made yet */
    bool failed;             /* true if memory ran out */
};

/* Makes the micro code of an expression. Returns false if memory runs out. The caller finishes
 * `lower` in any case. */
bool cm_lower_init(struct cm_lower *lower, const struct cm_expression *expression);
void cm_lower_finish(struct cm_lower *lower);

/* These functions add an entry, or find an equal entry, and return its number. If memory runs out
 * they return 0 and set lower->failed. */
uint32_t cm_micro_add(struct cm_lower *lower, const struct cm_micro *entry);
uint32_t cm_micro_plain(struct cm_lower *lower, enum cm_op op, uint32_t a, uint32_t b, uint32_t c);
uint32_t cm_micro_test(struct cm_lower *lower, enum cm_op op, uint32_t a, uint32_t b);
uint32_t cm_micro_not(struct cm_lower *lower, uint32_t condition);
uint32_t cm_micro_select(struct cm_lower *lower, bool wide, uint32_t condition, uint32_t yes,
                         uint32_t no);
uint32_t cm_micro_word(struct cm_lower *lower, uint32_t bits);
uint32_t cm_micro_single(struct cm_lower *lower, float value);
uint32_t cm_micro_double(struct cm_lower *lower, double value);
uint32_t cm_micro_bits(struct cm_lower *lower, uint64_t bits); /* `bits` of a double */
#define CM_MICRO1(lower, op, a)       cm_micro_plain(lower, CM_OP_##op, a, 0, 0)
#define CM_MICRO2(lower, op, a, b)    cm_micro_plain(lower, CM_OP_##op, a, b, 0)
#define CM_MICRO3(lower, op, a, b, c) cm_micro_plain(lower, CM_OP_##op, a, b, c)

/* FPU instructions for real or integer numbers of one type. */
struct cm_type_ops {
    enum cm_op load, store, scalar, add, subtract, multiply, multiply_add, divide, root, negate,
        magnitude, least, greatest, equal, less, less_equal;
    bool wide;
};
const struct cm_type_ops *cm_type_ops(enum cm_type type);

/* Adds a constant of the real type of `ops`. */
uint32_t cm_micro_real(struct cm_lower *lower, const struct cm_type_ops *ops, double value);

/* Numbers of the entries that make the parts of a node's value. A value that is not complex has
 * only `re`. */
struct cm_parts {
    uint32_t re, im;
};

/* These functions make the entries of one operation and return the entry of its result. Each family
 * of operations has its own file. */
uint32_t cm_lower_real(struct cm_lower *lower, enum cm_expression_op op, enum cm_type type,
                       uint32_t x, uint32_t y);
uint32_t cm_lower_integer(struct cm_lower *lower, enum cm_expression_op op, uint32_t x, uint32_t y);
struct cm_parts cm_lower_complex(struct cm_lower *lower, enum cm_expression_op op,
                                 enum cm_type part, struct cm_parts x, struct cm_parts y);
struct cm_parts cm_lower_convert(struct cm_lower *lower, enum cm_type from, enum cm_type to,
                                 struct cm_parts x);

/* Makes the entries of x ** y. `node` is the operation. */
struct cm_parts cm_lower_power(struct cm_lower *lower, const struct cm_node *node,
                               struct cm_parts x, struct cm_parts y);
/* Makes the entries of MOD or MODULO of real numbers. */
uint32_t cm_lower_remainder(struct cm_lower *lower, enum cm_expression_op op,
                            const struct cm_type_ops *ops, uint32_t x, uint32_t y);
/* Makes the entries of EXP and the other functions of routines.h. */
uint32_t cm_lower_function(struct cm_lower *lower, enum cm_expression_op op,
                           const struct cm_type_ops *ops, uint32_t x, uint32_t y);

/* Makes the entries of x ** y for real numbers. */
uint32_t cm_lower_real_power(struct cm_lower *lower, const struct cm_type_ops *ops, uint32_t x,
                             uint32_t y);

/* These functions make entries that several families of operations share. */
struct cm_parts cm_lower_product(struct cm_lower *lower, enum cm_type part, struct cm_parts x,
                                 struct cm_parts y);
struct cm_parts cm_lower_quotient(struct cm_lower *lower, enum cm_type part, struct cm_parts x,
                                  struct cm_parts y);
uint32_t cm_lower_truncate(struct cm_lower *lower, const struct cm_type_ops *ops, uint32_t x);
uint32_t cm_lower_sign(struct cm_lower *lower, const struct cm_type_ops *ops, uint32_t x,
                       uint32_t sign);

#endif
