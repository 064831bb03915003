/*
 * Traffic patterns: the rule for the destination of each source. Node numbers are cube addresses of
 * d bits. b is the number of the source, p the number of nodes.
 *
 *   shift          (b + by) mod p, a circular shift of binary labels
 *   bit-reversal   bits in reverse order
 *   transpose      bits rotated by d / 2, rounded down: the halves change places
 *   complement     all bits flipped
 *   shuffle        bits rotated left by one (perfect shuffle)
 *   tornado        (b + p / 2 - 1) mod p
 *   butterfly      highest and lowest bit change places
 *   neighbour      (b + 1) mod p
 *   random         uniform over the other nodes, drawn for each packet
 *   hot-spot       one packet in four, or another share, goes to hot nodes, and the others are
 *                  random
 *   all-to-all     every node to every other node, in the order (b + 1), (b + 2), ... mod p
 *   list           the packets of a CSV file
 *   flows          source, destination, rate and size of each flow, of a CSV file
 */
#ifndef CM_PROGRAMS_NETWORK_PATTERN_H
#define CM_PROGRAMS_NETWORK_PATTERN_H

#include "../../sim/router/router.h"

CM_BEGIN_DECLS

/* Pattern of traffic. */
enum cm_pattern {
    CM_PATTERN_SHIFT,
    CM_PATTERN_BIT_REVERSAL,
    CM_PATTERN_TRANSPOSE,
    CM_PATTERN_COMPLEMENT,
    CM_PATTERN_SHUFFLE,
    CM_PATTERN_TORNADO,
    CM_PATTERN_BUTTERFLY,
    CM_PATTERN_NEIGHBOUR,
    CM_PATTERN_RANDOM,
    CM_PATTERN_HOT_SPOT,
    CM_PATTERN_ALL_TO_ALL,
    CM_PATTERN_LIST,
    CM_PATTERN_FLOWS,
    CM_PATTERN_COUNT
};

/* Divisor of the hot nodes' share, if no share is given: one packet in this many goes to them, at
 * random. */
#define CM_PATTERN_HOT_SHARE 4u

/* Returns the name of a pattern, as in workloads and options. */
CM_API const char *cm_pattern_name(enum cm_pattern pattern);

/* Returns the destination of a source for the patterns that are permutations, which are those up to
 * neighbour. `by` is used for the pattern shift only. */
CM_API uint32_t cm_pattern_destination(enum cm_pattern pattern, uint32_t dimensions,
                                       uint32_t source, uint32_t by);

/*
 * Reads a list of packets: lines "source,destination" or "source,destination,time". A header line
 * is allowed. If it names "source" and "destination" (or "source_node", "destination_node"), it
 * chooses columns, with times under "time", "created" or "created_cycle", the latter in cycles of
 * one word time. Blank lines and lines that begin with # are skipped, and so is a byte-order mark.
 * Fails with CM_BAD_INPUT, line and column for a node that is not below `nodes`, and for decreasing
 * times. A permutation must
 * repeat no source and no destination, and has no times, because its packets are one batch. It may
 * leave nodes out. The caller frees the list.
 */
CM_API enum cm_status cm_pattern_read(const char *file, uint32_t nodes, bool permutation,
                                      struct cm_router_packet **packets, uint64_t *count,
                                      struct cm_error *err);

CM_END_DECLS

#endif
