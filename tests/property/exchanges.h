/* How many exchanges a PSHIFT call must make: the formula of section 6.2, and a bound from what the
 * channels can carry. */
#ifndef CM_TESTS_PROPERTY_EXCHANGES_H
#define CM_TESTS_PROPERTY_EXCHANGES_H

#include "case.h"

/*
 * P 6.2: max over axes of (V / L_i) S_i ceil(N_sl / 2), for calls in which every shift is within
 * |S| <= L on an unpadded NEWS axis of more than two nodes, at most one in each direction of an
 * axis. Shifts within one node, or by 0, add nothing. False when the call is of another kind.
 */
bool cm_exchanges_by_formula(const struct cm_case_step *step, const struct cm_layout *layout,
                             uint64_t *exchanges);

/*
 * No fewer exchanges can do. An exchange carries one word over each channel, so `channels` words
 * from a node over one cube dimension. A word whose node and destination differ in bit d must cross
 * dimension d (a word that several shifts want is counted once, since it may travel together). So
 * the exchanges are at least
 *   - for each dimension and each side of it: words that must cross / (channels * nodes / 2);
 *   - for each node: words that must leave it / (channels * dimensions);
 *   - the most dimensions in which a word's node and destination differ.
 * UINT64_MAX when out of memory.
 */
uint64_t cm_exchanges_at_least(const struct cm_case *c, const struct cm_case_step *step,
                               const struct cm_layout *layout, uint32_t channels);

#endif
