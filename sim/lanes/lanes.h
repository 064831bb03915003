/*
 * Lane blocks: the data loops of the executor, without any knowledge of the machine.
 *
 * Between two barriers no data go from one node to another, so operations on planes and registers
 * can be deferred. A worker queues operations with resolved addresses, and then executes the whole
 * queue for one block of nodes after the other. The registers of a block, and the words they are
 * loaded from, stay in the host's first-level cache. Loops of the sequencer are unrolled in the
 * queue.
 *
 * Data: a queue of operations, whose operands are FPU registers, memory words in planes, or
 * constants. A queue is executed in one of two ways, with bit-identical results: by a compiled loop
 * for each operation, or by generated machine code for the whole queue (x86-64 with AVX2 or
 * AVX-512).
 *
 * Invariants:
 * - Operations take effect in the order of the queue, in each node.
 * - The nodes of a block and the length of a plane are powers of two.
 * - Nothing here depends on the clock, on channels or on other nodes, except cm_kernel_exchange.
 *
 * Files:
 *   lanes            the queue, and its execution by loops
 *   kernels          loops that move data (also nontemporal, indirect)
 *   fpu              loops of arithmetic (also fpu_chain, fpu_context, fpu_convert, fpu_memory)
 *   code             cache of generated code, by signature
 *   signature        description of a queue, and translation rules
 *   compile          makes code from a signature, with the files below
 *   ir, ir_build     intermediate representation (also ir_values)
 *   ir_schedule      order of operations, and loops over nodes
 *   allocate         host registers
 *   encoder          what all encoders have in common
 *   encode_avx2      host instructions, as encode_avx512 (also encode_x86)
 */
#ifndef CM_SIM_LANES_H
#define CM_SIM_LANES_H

#include "../../base/page.h"
#include "kernels.h"

#include <string.h>

#define CM_LANE_OPERANDS 5u
/* nodes of a lane block with generated code: 32-bit words in a host vector */
#define CM_LANE_CODE_NODES 16u
#define CM_CHAIN_TERMS     10u

/* Kind of an operand. */
enum cm_value_kind {
    CM_VALUE_NONE,
    CM_VALUE_REGISTER, /* FPU register. Joined if the operand has 64 bits. */
    /* Memory word. If the operand has 64 bits, two planes of low and high words. */
    CM_VALUE_MEMORY,
    CM_VALUE_CONSTANT, /* one or two words, the same in all nodes */
};

/* Operand of an operation. It has an address in the worker's first lane block and the distance to
 * the next block in words, or it is the value of a constant. */
struct cm_lane_operand {
    union {
        uint32_t *at;
        uint64_t constant;
    };
    uint32_t step;
    uint8_t kind; /* enum cm_value_kind */
    /* 1 + number of the plane in the queue, known only with generated code, else 0 */
    uint16_t plane;
};

/* Numbering of 64-bit values in order of first use, with lookup by hash. */
struct cm_lane_numbers {
    uint64_t *values; /* value of number n at values[n * step] */
    ptrdiff_t step;
    uint32_t count, most;
    struct {
        uint64_t value;
        uint32_t stamp; /* Stamp of the queue that made the entry. Other stamps mean empty. */
        uint32_t number;
    } * entries;
    uint32_t stamp, bits; /* Stamp of the current queue. The table has 2^bits entries. */
    uint32_t shift;       /* values are multiples of 2^shift, and often consecutive multiples */
};

/* Initialises a numbering of at most `most` values. The caller sets `values`, `step` and `shift`.
 * Returns false when out of memory. */
bool cm_lane_numbers_init(struct cm_lane_numbers *numbers, uint32_t most);
/* Forgets all values, so that numbers begin at 0. */
void cm_lane_numbers_begin(struct cm_lane_numbers *numbers);

/* Returns the number of a value. A new value gets the next number. */
static inline uint32_t cm_lane_number(struct cm_lane_numbers *numbers, uint64_t value)
{
    const uint64_t mask = (UINT64_C(1) << numbers->bits) - 1, low = value >> numbers->shift;
    /* Consecutive values get consecutive entries, in the same cache lines. */
    uint64_t at = (low + ((low >> numbers->bits) * UINT64_C(0x9e3779b97f4a7c15) >> 32)) & mask;
    for (; numbers->entries[at].stamp == numbers->stamp; at = (at + 1) & mask)
        if (numbers->entries[at].value == value)
            return numbers->entries[at].number;
    numbers->entries[at].value = value;
    numbers->entries[at].stamp = numbers->stamp;
    numbers->entries[at].number = numbers->count;
    numbers->values[(ptrdiff_t)numbers->count * numbers->step] = value;
    return numbers->count++;
}

/* Returns a hash of symbols. It takes 16 bytes at a time and multiplies their halves in two
 * independent chains of products, because each product of a chain must wait for the product before
 * it. */
static inline uint64_t cm_lane_hash(const void *symbols, size_t bytes)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t even = bytes, odd = 0;
    for (size_t at = 0; at < bytes; at += 16) {
        uint64_t halves[2] = {0};
        memcpy(halves, (const char *)symbols + at, bytes - at < 16 ? bytes - at : 16);
        even = (even ^ halves[0]) * factor;
        odd = (odd ^ halves[1]) * factor;
        even ^= even >> 32;
        odd ^= odd >> 32;
    }
    even ^= odd * factor;
    return even ^ even >> 29;
}

/*
 * Chain: a sum of products in one register, out = init + a[0] * b[0] + a[1] * b[1] ..., in that
 * order. Each product and each sum is rounded. Without init (CM_VALUE_NONE) the first product is
 * the first sum. The sum stays in host registers, and operands may be read from memory.
 */
struct cm_chain {
    struct cm_lane_operand out, init, a[CM_CHAIN_TERMS], b[CM_CHAIN_TERMS];
    uint32_t terms;
    uint32_t nodes; /* words of a plane */
};
typedef void (*cm_chain_kernel)(const struct cm_chain *chain, uint32_t block, uint32_t count);

/* Returns the loop for chains of 32 or 64 bits (fpu_chain.c) for this host. */
cm_chain_kernel cm_chain_kernel_choose(bool wide);

/* Kind of result that an operation writes to its operand 0. */
enum cm_lane_result {
    CM_RESULT_OTHER,
    CM_RESULT_LOW,    /* the low half of a register, and nothing else */
    CM_RESULT_WIDE,   /* a joined register, and nothing else */
    CM_RESULT_HALVES, /* a split register, and perhaps a second one, operand 4 */
};

/* Deferred operation: a loop over nodes. */
struct cm_lane_operation {
    cm_lane_kernel kernel; /* NULL if the operation is a chain */
    struct cm_lane_operand operands[CM_LANE_OPERANDS];
    uint64_t word;
    uint32_t word_step; /* increment of `word` from a block to the next */
    /* 64-bit operands, a bit each, that the kernel reads or writes joined and that are not in
     * registers. */
    uint32_t joined;
    enum cm_lane_result result;
    /* `product`: true for a product or multiply-add that may begin a chain. `wide`: true if its
     * operands have 64 bits */
    bool product, wide;
};

struct cm_lane_code;

/* Queue of deferred operations, in order. Operations are numbered consecutively. Executed
 * operations have numbers below `first`. */
struct cm_lane_queue {
    struct cm_lane_operation *operations;
    struct cm_chain *chains; /* chain of each operation that is a chain */
    uint32_t count, capacity;
    uint64_t first;
    cm_chain_kernel chain_kernels[2]; /* loops for chains of 32 and of 64 bits */
    /* Code generator, or NULL if kernels execute the operations. With generated code, an operand
     * may be memory or a constant wherever it may be a register. */
    struct cm_lane_code *code;
    struct cm_lane_numbers *plane_numbers; /* with generated code: numbering of plane addresses */
    uint32_t planes; /* number of accesses to planes by the queued operations */
    /* Limits that make the worker execute the queue. At the end of a loop iteration: `enough`
     * operations or `enough_planes` accesses to planes. Anywhere: `most_planes` accesses. */
    uint32_t enough, enough_planes, most_planes;
    bool crowded; /* true if generated code of this run had loops that access too many planes */
    /* true to defer every operation while the queue has room, so that the code of a whole block can
     * be cached. Limits on planes are then ignored, and even the first operation is deferred */
    bool collects;
};

/* Returns the code generator of a queue. A browser page has none. */
static inline struct cm_lane_code *cm_lane_queue_code(const struct cm_lane_queue *queue)
{
    return CM_FOR_A_PAGE ? NULL : queue->code;
}

/* Executes the queued operations in blocks of `block_nodes` nodes. */
void cm_lanes_execute(const struct cm_lane_queue *queue, struct cm_lanes lanes,
                      uint32_t block_nodes);

#endif
