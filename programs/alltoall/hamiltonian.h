/*
 * Edge-disjoint Hamiltonian cycles of the cube. The d / 2 cycles use every edge if d is even. If d
 * is odd, one edge of each node is left, and these edges are a matching. The cycles are found by a
 * search that is the same in each run.
 */
#ifndef CM_PROGRAMS_ALLTOALL_HAMILTONIAN_H
#define CM_PROGRAMS_ALLTOALL_HAMILTONIAN_H

#include "../../base/error.h"

/*
 * Finds the cycles of a cube of two or more dimensions. next[c * n + x] is the dimension over which
 * cycle c leaves node x, of n = 2^dimensions. The caller frees *next with free(). Fails with
 * CM_NO_MEMORY, or with CM_BAD_INPUT if the search finds no cycles. It finds them for 2 to 11
 * dimensions, which tests check.
 */
enum cm_status cm_hamiltonian_cycles(uint32_t dimensions, uint8_t **next, struct cm_error *err);

#endif
