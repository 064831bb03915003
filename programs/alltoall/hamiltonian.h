/*
 * Edge-disjoint Hamiltonian cycles of the cube: d / 2 of them, which use every edge if d is even;
 * if d is odd, one edge of each node, a matching, is left. Found by search, the same in each run.
 */
#ifndef CM_PROGRAMS_ALLTOALL_HAMILTONIAN_H
#define CM_PROGRAMS_ALLTOALL_HAMILTONIAN_H

#include "../../base/error.h"

/*
 * next[c * n + x] is the dimension over which cycle c leaves node x, of n = 2^dimensions; two
 * dimensions or more. Free *next with free(). CM_NO_MEMORY; CM_BAD_INPUT when the search found no
 * such cycles (it does for 2 to 11 dimensions, which the tests check).
 */
enum cm_status cm_hamiltonian_cycles(uint32_t dimensions, uint8_t **next, struct cm_error *err);

#endif
