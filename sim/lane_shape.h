/*
 * The shape of a queue of lane work: a stream of 16-bit symbols. The first one is 1 if the code
 * reads ahead, else 0. Each work is the number of its rule and a symbol for each operand; a chain is CM_LANE_CHAIN_32 or CM_LANE_CHAIN_64, the number
 * of terms, and symbols for the result, the first summand and the factors. What differs between
 * queues of one shape is in the list of parameters, in the order of the symbols that take one.
 */
#ifndef CM_SIM_LANE_SHAPE_H
#define CM_SIM_LANE_SHAPE_H

#include "host.h"
#include "lanes.h"

/* Operands. Numbers below are vectors of FPU registers: 2 r and 2 r + 1 of register r. */
enum cm_lane_symbol {
    CM_LANE_PLANE = 64, /* takes a parameter: the address of the worker's first word */
    CM_LANE_CONTEXT,    /* the plane of the context flag; the same */
    CM_LANE_CONSTANT,   /* takes a parameter: the value */
    CM_LANE_NOTHING,
    CM_LANE_STREAMED, /* as CM_LANE_PLANE, of a result: its store bypasses the host's caches */
};

/* What is done with the operands out, a, b, c, d. Forms with 64 in their name work on joined
 * registers, two vectors each; words of 64-bit memory operands are two planes. */
enum cm_lane_form {
    CM_LANE_CALL,        /* calls the kernel; takes two parameters: its address, its word */
    CM_LANE_CALL_NUMBER, /* the same, with the number of the block's first node added to the word */
    CM_LANE_CHAIN_32,
    CM_LANE_CHAIN_64,
    CM_LANE_COPY,
    CM_LANE_COPY_64,
    CM_LANE_COPY_MASKED, /* out = a where b is set */
    CM_LANE_FILL,        /* takes a parameter: the word */
    CM_LANE_FILL_64,
    CM_LANE_LOAD_64,
    CM_LANE_STORE_64,        /* out, a: planes; b: register */
    CM_LANE_STORE_64_MASKED, /* the same where c is set */
    CM_LANE_JOIN,            /* out: split, then joined */
    CM_LANE_SPLIT,
    CM_LANE_HIGH_HALF,
    CM_LANE_HALVES,
    CM_LANE_WORDS_TO_MASK, /* out = context, a = words */
    CM_LANE_MASK_AND_WORDS,
    CM_LANE_MASK_NOT,
    CM_LANE_MASK_TO_WORDS, /* takes a parameter: the word, 1 */
    CM_LANE_UNARY_32,
    CM_LANE_UNARY_64,
    CM_LANE_BINARY_32,
    CM_LANE_BINARY_64,
    CM_LANE_BITS_32, /* takes a parameter: a mask, second source of the operation */
    CM_LANE_BITS_64,
    CM_LANE_PRODUCT_32, /* a * b + c */
    CM_LANE_PRODUCT_64,
    CM_LANE_COMPARE_32, /* out = context */
    CM_LANE_COMPARE_64,
    CM_LANE_SELECT_32, /* a where c is set, else b */
    CM_LANE_SELECT_64,
    CM_LANE_SELECT_HALVES, /* a where c is set, else b; d the other way round, if there is
                            * one. Of 64 bits, split; planes take a second parameter, that of
                            * the high words */
    CM_LANE_WIDEN,         /* 32-bit values to 64-bit ones in a split register */
    CM_LANE_NARROW,        /* and back */
};

/* An instruction of the host: EVEX map and prefix, W, opcode; `immediate` is a comparison. */
struct cm_host_instruction {
    uint8_t map, prefix, wide, opcode;
    uint8_t immediate;
    bool has_immediate;
};

struct cm_lane_rule {
    cm_lane_kernel kernel;
    enum cm_lane_form form;
    struct cm_host_instruction instruction;
    uint64_t bits; /* the parameter of CM_LANE_BITS_... */
};

#define CM_LANE_RULES_MAX 96u

/* The rules, found by kernel. */
struct cm_lane_rules {
    struct cm_lane_rule rules[CM_LANE_RULES_MAX];
    uint32_t count;
    uint8_t index[256]; /* rule + 1 by a hash of the kernel's address; 0: none */
};
void cm_lane_rules_init(struct cm_lane_rules *rules);

/* Symbols of a work, at most; parameters, too. */
#define CM_LANE_SYMBOLS_MAX    (6u + 2u * CM_CHAIN_TERMS)
#define CM_LANE_PARAMETERS_MAX (4u * CM_CHAIN_TERMS + 10u)

struct cm_lane_shape {
    uint16_t *symbols;
    uint32_t count;
    uint64_t *parameters;
    uint32_t parameter_count;
    uintptr_t first_plane; /* of node memory that the queue touches; 0: none */
};

struct cm_lane_place;
/* Describes a queue. */
void cm_lane_shape_describe(struct cm_lane_shape *shape, const struct cm_lane_rules *rules,
                            const struct cm_lane_queue *queue, const struct cm_lane_place *place);

/* Writes machine code for a shape to `to`, of `room` bytes. Returns the bytes written, 0 when there
 * is not enough room or no memory. */
size_t cm_lane_compile(const struct cm_lane_shape *shape, const struct cm_lane_rules *rules,
                       const struct cm_lane_place *place, uint8_t *to, size_t room);

#endif
