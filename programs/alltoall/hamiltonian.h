/*
 * This header finds edge-disjoint Hamiltonian cycles of a cube of d dimensions. There are floor(d /
 * 2) of them. If d is even, they use every edge. If d is odd, one edge of each node is left over.
 * The cycles are found by a search with fixed random numbers, so each run finds the same cycles.
 */
#ifndef CM_PROGRAMS_ALLTOALL_HAMILTONIAN_H
#define CM_PROGRAMS_ALLTOALL_HAMILTONIAN_H

#include "../../base/error.h"

/*
 * Finds the Hamiltonian cycles of a cube of two dimensions or more. next[c * n + x] is the
 * dimension over which cycle c leaves node x, of n = 2^dimensions nodes. The caller frees *next by
 * free(). Fails with CM_NO_MEMORY, or with CM_BAD_INPUT if the search finds no cycles. The tests
 * check that it finds cycles for 2 to 11 dimensions.
 */
enum cm_status cm_hamiltonian_cycles(uint32_t dimensions, uint8_t **next, struct cm_error *err);

#endif
