/*
 * Block signature: the key under which generated code is cached. It describes a queue of deferred
 * operations as a stream of 16-bit symbols.
 *
 * The first four symbols are a bit set of FPU register vectors that are not needed afterwards, low
 * bits first. Each operation follows as the number of its rule and the symbols of its operands.
 * Planes and constants are numbered in order of first use. So queues with equal signatures use the
 * same plane in the same places, and the same code serves both. Two lists give the addresses of the
 * planes and the values of the constants.
 */
#ifndef CM_SIM_SIGNATURE_H
#define CM_SIM_SIGNATURE_H

#include "../host/host.h"
#include "lanes.h"

/* Symbols of operands. Symbols below CM_LANE_CELLS are vectors of FPU registers: register r has
 * vectors 2 r and 2 r + 1. A 64-bit register operand is its first vector. A 64-bit memory operand
 * is two planes. */
enum cm_lane_symbol {
    CM_LANE_CELLS = 64,
    CM_LANE_CONTEXT = CM_LANE_CELLS, /* the words of the context flag */
    CM_LANE_NOTHING,
    CM_LANE_CONSTANT = 0x1000, /* plus the number of the constant */
    CM_LANE_PLANE = 0x4000,
    /* plus the number of a plane whose stores bypass the host's caches */
    CM_LANE_STREAMED = 0x8000,
};
#define CM_LANE_CONSTANTS_MAX ((uint32_t)CM_LANE_PLANE - CM_LANE_CONSTANT)
#define CM_LANE_PLANES_MAX    ((uint32_t)CM_LANE_STREAMED - CM_LANE_PLANE)

/* Form of an operation on the operands out, a, b, c, d. */
enum cm_lane_form {
    CM_LANE_CALL, /* Calls the kernel. The kernel's address and its word are two constants. */
    /* as CALL, with the number of the lane block's first node added to the word */
    CM_LANE_CALL_NUMBER,
    CM_LANE_COPY,
    CM_LANE_COPY_64,
    CM_LANE_COPY_MASKED, /* out = a where the context is set */
    CM_LANE_FILL,        /* the word is a constant */
    CM_LANE_FILL_64,
    CM_LANE_LOAD_64,         /* a, b: low and high words */
    CM_LANE_STORE_64,        /* out and a are planes, b is a register */
    CM_LANE_STORE_64_MASKED, /* as STORE_64, where the context is set */
    CM_LANE_JOIN,            /* out: split before, joined after */
    CM_LANE_SPLIT,
    CM_LANE_HIGH_HALF,
    CM_LANE_HALVES,
    CM_LANE_WORDS_TO_MASK, /* context = words a that are not 0 */
    CM_LANE_MASK_AND_WORDS,
    CM_LANE_BIT_TO_MASK, /* the bit is a constant */
    CM_LANE_MASK_AND_BIT,
    CM_LANE_MASK_NOT,
    CM_LANE_MASK_TO_WORDS, /* the value 1 is a constant */
    CM_LANE_UNARY_32,
    CM_LANE_UNARY_64,
    CM_LANE_BINARY_32,
    CM_LANE_BINARY_64,
    CM_LANE_BITS_32, /* the second source is a constant, a mask */
    CM_LANE_BITS_64,
    CM_LANE_PRODUCT_32, /* a * b + c */
    CM_LANE_PRODUCT_64,
    CM_LANE_COMPARE_32, /* context = result of comparing a and b */
    CM_LANE_COMPARE_64,
    CM_LANE_SELECT_32, /* a where the context is set, else b */
    CM_LANE_SELECT_64,
    /* Selection of 64-bit values that are stored as low and high words. If the operation has an
     * operand d, the values that are not selected are stored there. */
    CM_LANE_SELECT_HALVES,
    CM_LANE_WIDEN,  /* 32-bit values to 64-bit values in a split register */
    CM_LANE_NARROW, /* 64-bit values of a split register to 32-bit values */
    CM_LANE_FORM_COUNT,
};

/* Operand kinds of each form: w words of 32 bits, d joined values of 64 bits, h split values of 64
 * bits, - none. */
extern const char cm_lane_form_kinds[CM_LANE_FORM_COUNT][CM_LANE_OPERANDS + 1];

/* Operations on host vectors. */
enum cm_vector_op {
#define X(name) CM_VECTOR_OP_##name,
#include "vector_ops.def"
#undef X
    CM_VECTOR_OP_COUNT,
};

struct cm_lane_rule {
    cm_lane_kernel kernel;
    enum cm_lane_form form;
    enum cm_vector_op op;
    uint64_t bits; /* constant operand of the forms CM_LANE_BITS_32 and CM_LANE_BITS_64 */
};

#define CM_LANE_RULES_MAX 96u

/* Translation rules, found by kernel. */
struct cm_lane_rules {
    struct cm_lane_rule rules[CM_LANE_RULES_MAX];
    uint32_t count;
    uint8_t index[256]; /* 1 + index of a rule, by a hash of the kernel's address, or 0 if empty */
};
void cm_lane_rules_init(struct cm_lane_rules *rules);

/* Number of symbols before the symbols of the operations. */
#define CM_LANE_SYMBOLS_FIRST 4u
/* Most symbols of an operation. */
#define CM_LANE_SYMBOLS_MAX (2u + 2u * CM_LANE_OPERANDS)

struct cm_signature {
    uint16_t *symbols;
    uint32_t count;
    /* Addresses of the worker's first word in each plane. Number 0 is the context flag. */
    struct cm_lane_numbers planes;
    /* numbering of constants, where constant n is stored n elements before constant 0 */
    struct cm_lane_numbers constants;
    uint64_t *parameters; /* memory of both lists: the constants, then the planes */
};
/* Initialises a signature for queues of at most `capacity` operations on planes of `plane_words`.
 * Returns false when out of memory. */
bool cm_signature_init(struct cm_signature *signature, uint32_t capacity, uint32_t plane_words);
void cm_signature_finish(struct cm_signature *signature);

struct cm_lane_place;
/* Begins a queue: numbers of planes and constants begin again, and plane 0 is the context flag. */
void cm_signature_begin(struct cm_signature *signature, const uint32_t *context);
/* Describes a queue. Returns false when the queue has too many planes or constants. */
bool cm_signature_describe(struct cm_signature *signature, const struct cm_lane_rules *rules,
                           const struct cm_lane_queue *queue, const struct cm_lane_place *place);

/* Memory for the code of a signature. */
struct cm_lane_area {
    enum cm_host host; /* vector unit that the code may use, not CM_HOST_PLAIN */
    uint8_t *to;
    size_t room;  /* number of bytes */
    bool crowded; /* set to true when shorter queues would be faster */
};
/* Compiles a signature to machine code. Returns the number of bytes written, or 0 when room or
 * memory was insufficient. */
size_t cm_lane_compile(const struct cm_signature *signature, const struct cm_lane_rules *rules,
                       const struct cm_lane_place *place, struct cm_lane_area *area);

#endif
