/*
 * The shape of a queue of lane work: a stream of 16-bit symbols. The first four have the vectors of
 * FPU registers that are not needed afterwards, a bit each, low bits first. Each work is the number
 * of its rule and symbols for its operands. Planes and constants are numbered in the order of their
 * first use, so that queues of one shape use the same plane at the same places; two lists say which
 * planes and constants these are.
 */
#ifndef CM_SIM_LANE_SHAPE_H
#define CM_SIM_LANE_SHAPE_H

#include "../host/host.h"
#include "lanes.h"

/* Symbols of operands. Numbers below are vectors of FPU registers: 2 r and 2 r + 1 of register r;
 * one of 64 bits has the first. A 64-bit operand in memory is two planes. */
enum cm_lane_symbol {
    CM_LANE_CELLS = 64,
    CM_LANE_CONTEXT = CM_LANE_CELLS, /* the words of the context flag */
    CM_LANE_NOTHING,
    CM_LANE_CONSTANT = 0x1000, /* and its number */
    CM_LANE_PLANE = 0x4000,
    CM_LANE_STREAMED = 0x8000, /* a plane that is stored past the host's caches */
};
#define CM_LANE_CONSTANTS_MAX ((uint32_t)CM_LANE_PLANE - CM_LANE_CONSTANT)
#define CM_LANE_PLANES_MAX    ((uint32_t)CM_LANE_STREAMED - CM_LANE_PLANE)

/* What is done with the operands out, a, b, c, d. */
enum cm_lane_form {
    CM_LANE_CALL,        /* calls the kernel; two constants: its address, its word */
    CM_LANE_CALL_NUMBER, /* the same, with the number of the block's first node added to the word */
    CM_LANE_COPY,
    CM_LANE_COPY_64,
    CM_LANE_COPY_MASKED, /* out = a where the context is set */
    CM_LANE_FILL,        /* a constant: the word */
    CM_LANE_FILL_64,
    CM_LANE_LOAD_64,         /* a, b: low and high words */
    CM_LANE_STORE_64,        /* out, a: planes; b: register */
    CM_LANE_STORE_64_MASKED, /* the same where the context is set */
    CM_LANE_JOIN,            /* out: split, then joined */
    CM_LANE_SPLIT,
    CM_LANE_HIGH_HALF,
    CM_LANE_HALVES,
    CM_LANE_WORDS_TO_MASK, /* the context = whether words a are not 0 */
    CM_LANE_MASK_AND_WORDS,
    CM_LANE_BIT_TO_MASK, /* a constant: the bit */
    CM_LANE_MASK_AND_BIT,
    CM_LANE_MASK_NOT,
    CM_LANE_MASK_TO_WORDS, /* a constant: 1 */
    CM_LANE_UNARY_32,
    CM_LANE_UNARY_64,
    CM_LANE_BINARY_32,
    CM_LANE_BINARY_64,
    CM_LANE_BITS_32, /* a constant: a mask, second source of the operation */
    CM_LANE_BITS_64,
    CM_LANE_PRODUCT_32, /* a * b + c */
    CM_LANE_PRODUCT_64,
    CM_LANE_COMPARE_32, /* the context = whether a and b compare so */
    CM_LANE_COMPARE_64,
    CM_LANE_SELECT_32, /* a where the context is set, else b */
    CM_LANE_SELECT_64,
    CM_LANE_SELECT_HALVES, /* the same of 64 bits, split; d is the other of the two, if there is one
                            */
    CM_LANE_WIDEN,         /* 32-bit values to 64-bit ones in a split register */
    CM_LANE_NARROW,        /* and back */
    CM_LANE_FORM_COUNT,
};

/* The operands of a form: w words of 32 bits, d joined values of 64 bits, h split ones, - none. */
extern const char cm_lane_signatures[CM_LANE_FORM_COUNT][CM_LANE_OPERANDS + 1];

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
    uint64_t bits; /* the constant of CM_LANE_BITS_... */
};

#define CM_LANE_RULES_MAX 96u

/* The rules, found by kernel. */
struct cm_lane_rules {
    struct cm_lane_rule rules[CM_LANE_RULES_MAX];
    uint32_t count;
    uint8_t index[256]; /* rule + 1 by a hash of the kernel's address; 0: none */
};
void cm_lane_rules_init(struct cm_lane_rules *rules);

/* Symbols in front of those of works. */
#define CM_LANE_SYMBOLS_FIRST 4u
/* Symbols of a work, at most. */
#define CM_LANE_SYMBOLS_MAX (2u + 2u * CM_LANE_OPERANDS)

struct cm_lane_shape {
    uint16_t *symbols;
    uint32_t count;
    struct cm_lane_numbers planes;    /* addresses of the worker's first word; 0: the context */
    struct cm_lane_numbers constants; /* in the order opposite to that in memory */
    uint64_t *parameters;             /* the planes, and before them the constants */
};
/* For queues of at most `capacity` works; planes have `plane_words`. False when out of memory. */
bool cm_lane_shape_init(struct cm_lane_shape *shape, uint32_t capacity, uint32_t plane_words);
void cm_lane_shape_finish(struct cm_lane_shape *shape);

struct cm_lane_place;
/* A queue begins: planes and constants are numbered again; plane 0 is that of the context flag. */
void cm_lane_shape_begin(struct cm_lane_shape *shape, const uint32_t *context);
/* Describes a queue; false when it has too many planes or constants. */
bool cm_lane_shape_describe(struct cm_lane_shape *shape, const struct cm_lane_rules *rules,
                            const struct cm_lane_queue *queue, const struct cm_lane_place *place);

/* Writes machine code for a shape to `to`, of `room` bytes. Returns the bytes written, 0 when there
 * is not enough room or no memory. *crowded: shorter queues would be faster. */
size_t cm_lane_compile(const struct cm_lane_shape *shape, const struct cm_lane_rules *rules,
                       const struct cm_lane_place *place, uint8_t *to, size_t room, bool *crowded);

#endif
