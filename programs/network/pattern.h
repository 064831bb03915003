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
 *   hot-spot       one packet in four, or another given share, goes to hot nodes. The other packets
 *                  go to random nodes
 *   all-to-all     every node to every other node, in the order (b + 1), (b + 2), ... mod p
 *   list           the packets of a CSV file
 *   flows          the flows of a CSV file, which have source, destination, rate and message size
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

/* Divisor of the share of packets that go to hot nodes, if no share is given. One packet in this
 * many packets goes to a hot node, drawn at random. */
#define CM_PATTERN_HOT_SHARE 4u

/* Returns the name of a pattern, as in workloads and options. */
CM_API const char *cm_pattern_name(enum cm_pattern pattern);

/* Returns the destination of a source for the patterns that are permutations, which are those up to
 * neighbour. `by` is used for the pattern shift only. */
CM_API uint32_t cm_pattern_destination(enum cm_pattern pattern, uint32_t dimensions,
                                       uint32_t source, uint32_t by);

/*
 * Reads a list of packets: lines "source,destination" or "source,destination,time". A header line
 * is allowed. If it names "source" and "destination" (or "source_node" and "destination_node"), it
 * chooses the columns. Times are word times in a column "time" or "created". In a column
 * "created_cycle" they are cycles from the first packet on, and a word time is taken as one cycle.
 * Blank lines, lines that begin with #, and a byte-order mark are skipped.
 *
 * Fails with CM_BAD_INPUT, line and column, if a node is not below `nodes` or times decrease. A
 * permutation must not repeat a source or a destination, and must not have times other than 0,
 * because its packets are one batch. It may leave nodes out. The caller frees the list.
 */
CM_API enum cm_status cm_pattern_read(const char *file, uint32_t nodes, bool permutation,
                                      struct cm_router_packet **packets, uint64_t *count,
                                      struct cm_error *err);

CM_END_DECLS

#endif
