/*
 * A random case: arrays and steps, drawn from a seed, and its text as a workload file. What is
 * drawn is legal: the properties say what must come out of it.
 */
#ifndef CM_TESTS_PROPERTY_CASE_H
#define CM_TESTS_PROPERTY_CASE_H

#include "../../base/buffer.h"
#include "../../programs/pshift/pshift.h"
#include "random.h"

#define CM_CASE_ARRAYS  40u
#define CM_CASE_SCALARS 6u
#define CM_CASE_STEPS   16u
#define CM_CASE_SHIFTS  14u /* two for each of seven axes */
#define CM_CASE_TERMS   5u

enum cm_case_init { CM_CASE_ZERO, CM_CASE_INDEX, CM_CASE_CONSTANT, CM_CASE_RANDOM };

struct cm_case_array {
    char name[16];
    struct cm_layout_request request;
    /* the array whose layout it takes by "like"; its own number when it spells its own */
    uint32_t like;
    uint32_t group; /* arrays of one group have one layout */
    enum cm_case_init init;
    double constant;
    uint64_t seed;
    uint64_t elements;
};

/* A number as workloads write it: complex ones as a pair when im is not 0. */
struct cm_case_number {
    double re;
    double im;
};

enum cm_case_boundary { CM_CASE_NO_BOUNDARY, CM_CASE_NUMBER, CM_CASE_SCALAR, CM_CASE_ARRAY };

struct cm_case_shift {
    enum cm_shift_type type;
    uint32_t dst;
    uint32_t src;
    uint32_t axis; /* from 0 */
    int64_t distance;
    enum cm_case_boundary boundary;
    uint32_t boundary_index; /* of the scalar or the array */
    struct cm_case_number boundary_number;
    enum cm_shift_path path; /* of a cshift or eoshift of its own */
};

struct cm_case_term {
    enum cm_case_boundary coefficient; /* CM_CASE_NUMBER, _SCALAR or _ARRAY */
    uint32_t index;
    struct cm_case_number number;
    uint32_t array;
};

enum cm_case_op {
    CM_CASE_PSHIFT,
    CM_CASE_CSHIFT,
    CM_CASE_EOSHIFT,
    CM_CASE_COPY,
    CM_CASE_COMBINE,
    CM_CASE_REPEAT,
};

struct cm_case_step {
    enum cm_case_op op;
    enum cm_setup_kind setup;
    /* pshift: shift_count; cshift, eoshift and copy: one */
    struct cm_case_shift shifts[CM_CASE_SHIFTS];
    uint32_t shift_count;
    uint32_t dst; /* of combine */
    struct cm_case_term terms[CM_CASE_TERMS];
    uint32_t term_count;
    uint32_t times; /* of repeat */
    uint32_t body;  /* of repeat: how many of the following entries are its steps */
};

struct cm_case {
    uint64_t seed;
    uint64_t number;
    uint32_t nodes;
    struct cm_case_array arrays[CM_CASE_ARRAYS];
    uint32_t array_count;
    struct cm_case_number scalars[CM_CASE_SCALARS]; /* s0, s1, ... */
    uint32_t scalar_count;
    struct cm_case_step steps[CM_CASE_STEPS];
    uint32_t step_count; /* entries, bodies of repeats included */
};

/* Draws case `number` of `seed`. */
void cm_case_generate(struct cm_case *c, uint64_t seed, uint64_t number);

/* Draws a case of two pshift steps with the same shifts, each on its own arrays. */
void cm_case_generate_sets(struct cm_case *c, uint64_t seed, uint64_t number);

/* Laws of shifts: array 2 is array 0 shifted twice and must equal array 3, which is array 0 shifted
 * at once. */
enum cm_case_law {
    CM_CASE_LAW_INVERSE, /* circular, by s, then by -s: nothing */
    CM_CASE_LAW_WHOLE,   /* circular, by multiples of the length: nothing */
    CM_CASE_LAW_SUM,     /* circular, by s, then by t: by s + t */
    CM_CASE_LAW_END_OFF, /* end-off with zeros, s and t of one sign: by s + t */
    CM_CASE_LAW_COUNT
};
enum cm_case_law cm_case_generate_law(struct cm_case *c, uint64_t seed, uint64_t number);

/* A random layout request of at most `limit_elements` elements; `nodes` divides many of them
 * evenly. */
void cm_case_draw_request(struct cm_random *random, uint32_t nodes, uint64_t limit_elements,
                          struct cm_layout_request *request);
/* A random node count, 1 .. 2,048, small and large ones alike often. */
uint32_t cm_case_draw_nodes(struct cm_random *random);
/* A distance for an axis: near the borders that matter (0, L, 2L, L 2^k, the whole length,
 * beyond). */
int64_t cm_case_draw_distance(struct cm_random *random, const struct cm_axis *axis);

/* The case as the text of a workload file; `machine` is the path of its machine description. */
void cm_case_emit(const struct cm_case *c, const char *machine, struct cm_buffer *text);

/* The first entry that is a pshift, or -1. */
int cm_case_find_pshift(const struct cm_case *c);

/* Bytes that array `a` takes on the host. */
size_t cm_case_array_bytes(const struct cm_case *c, uint32_t a);

#endif
