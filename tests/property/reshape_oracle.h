/*
 * Where the elements of an array lie, straight from definitions 1 to 3 of Johnsson and Ho (1990):
 * axis by axis, the Gray code by reflection. Shares no code with what it judges.
 */
#ifndef CM_TESTS_RESHAPE_ORACLE_H
#define CM_TESTS_RESHAPE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum oracle_code { ORACLE_GRAY, ORACLE_BINARY, ORACLE_MIXED };

struct oracle_shape {
    uint32_t rank;
    uint32_t bits[8]; /* log2 of the axes, the least significant axis first */
};

/* The code of an index in `bits` bits, by definition 1; and the index of a code. */
uint64_t oracle_gray(uint32_t bits, uint64_t index);

/* All bits of the physical address of element `index`, each where its logic dimension is. */
uint64_t oracle_address(const struct oracle_shape *shape, enum oracle_code code,
                        uint64_t processors, uint64_t index);

/* Gathers the address bits that `mask` names, the lowest first. */
uint64_t oracle_gather(uint64_t address, uint64_t mask);

/* The shape with `bits` dimensions in all whose axes end at the dimensions of the set `ends`, and
 * at the highest. */
void oracle_shape_of_ends(uint32_t bits, uint64_t ends, struct oracle_shape *shape);

/* The most significant dimensions of a shape's axes, the most significant axis left out. */
uint64_t oracle_ends(const struct oracle_shape *shape);

/* D by definition 3. */
uint64_t oracle_dimensions(const struct oracle_shape *from, const struct oracle_shape *to);

#endif
