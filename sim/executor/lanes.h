/*
 * Lane blocks. Between two meetings of the workers nothing crosses lanes, so what instructions do
 * to planes and registers can wait: a worker collects it, addresses worked out, and then plays all
 * of it for one block of nodes after the other. The registers of a block and what they are loaded
 * from stay in the host's first-level cache. Loops of the sequencer are unrolled on the way.
 */
#ifndef CM_SIM_LANES_H
#define CM_SIM_LANES_H

#include "../../base/page.h"
#include "kernels.h"

#include <string.h>

#define CM_LANE_OPERANDS   5u
#define CM_LANE_CODE_NODES 16u /* of a lane block with code: words in a vector of the host */
#define CM_CHAIN_TERMS     10u

/* What an operand is. */
enum cm_value_kind {
    CM_VALUE_NONE,
    CM_VALUE_REGISTER, /* of 64 bits: joined */
    CM_VALUE_MEMORY,   /* of 64 bits: two planes, low words and high words */
    CM_VALUE_CONSTANT, /* a word or two, the same in all nodes */
};

/* Where an operand is in the worker's first block, and how many words further in the next; or the
 * value of a constant. */
struct cm_lane_operand {
    union {
        uint32_t *at;
        uint64_t constant;
    };
    uint32_t step;
    uint8_t kind;   /* enum cm_value_kind */
    uint16_t plane; /* 1 + its number in the queue, where there is code and it is known, else 0 */
};

/* Values, numbered through as they come; found by hash. */
struct cm_lane_numbers {
    uint64_t *values; /* of number n at values[n * step] */
    ptrdiff_t step;
    uint32_t count, most;
    struct {
        uint64_t value;
        uint32_t stamp; /* the entry is of this queue when it is that of the numbers */
        uint32_t number;
    } * entries;
    uint32_t stamp, bits; /* entries: 2^bits */
    uint32_t shift;       /* values are multiples of 2^shift, often of a sequence */
};

/* Of at most so many; `values`, `step` and `shift` are still to be set. False when out of memory.
 */
bool cm_lane_numbers_init(struct cm_lane_numbers *numbers, uint32_t most);
/* Numbers begin again. */
void cm_lane_numbers_begin(struct cm_lane_numbers *numbers);

/* The number of a value; the next one for a new value. */
static inline uint32_t cm_lane_number(struct cm_lane_numbers *numbers, uint64_t value)
{
    const uint64_t mask = (UINT64_C(1) << numbers->bits) - 1, low = value >> numbers->shift;
    /* Values that follow each other have entries that do, too, in the same lines of the caches. */
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

/* The hash of symbols: 16 bytes at a time, of which each half goes by itself, since a product waits
 * for the one before it. */
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
 * Products that add up in one register: out = init + a[0] * b[0] + a[1] * b[1] ..., in that order,
 * each product and each sum rounded; without init (CM_VALUE_NONE) the first product is the first
 * sum. The sum stays in the host's registers, and operands need not be loaded before.
 */
struct cm_chain {
    struct cm_lane_operand out, init, a[CM_CHAIN_TERMS], b[CM_CHAIN_TERMS];
    uint32_t terms;
    uint32_t nodes; /* words of a plane */
};
typedef void (*cm_chain_kernel)(const struct cm_chain *chain, uint32_t block, uint32_t count);

/* The loops for chains of 32 and 64 bits (fpu_chain.c), for this host. */
cm_chain_kernel cm_chain_kernel_choose(bool wide);

/* What a work writes, its operand 0. */
enum cm_lane_result {
    CM_RESULT_OTHER,
    CM_RESULT_LOW,    /* the low half of a register, and nothing else */
    CM_RESULT_WIDE,   /* a joined register, and nothing else */
    CM_RESULT_HALVES, /* a split register, and perhaps another one, operand 4 */
};

/* What an instruction does: a loop over nodes. */
struct cm_lane_work {
    cm_lane_kernel kernel; /* NULL: a chain */
    struct cm_lane_operand operands[CM_LANE_OPERANDS];
    uint64_t word;
    uint32_t word_step; /* what a block adds to word */
    /* Operands of 64 bits that the kernel takes, or puts, joined, and that are not in registers; a
     * bit each. */
    uint32_t joined;
    enum cm_lane_result result;
    bool product, wide; /* a product or multiply-add, which may begin a chain */
};

struct cm_lane_code;

/* What a worker has collected, in order. Work is numbered through; what has been played has numbers
 * below `first`. */
struct cm_lane_queue {
    struct cm_lane_work *work;
    struct cm_chain *chains; /* of the work that is one */
    uint32_t count, capacity;
    uint64_t first;
    cm_chain_kernel chain_kernels[2]; /* of 32 and 64 bits */
    /* Plays the work; NULL: the kernels do. With code, operands may be memory or constants wherever
     * a register may be. */
    struct cm_lane_code *code;
    struct cm_lane_numbers *plane_numbers; /* with code: of the addresses of planes */
    uint32_t planes; /* that the work reads or writes, each as often as it does */
    /* From so much work, or so many planes, on it is played at the end of a loop's iteration; with
     * most_planes, anywhere. */
    uint32_t enough, enough_planes, most_planes;
    bool crowded;  /* some code of the run had loops with too many planes */
    bool collects; /* work waits, if there is room for it */
};

/* A page has none. */
static inline struct cm_lane_code *cm_lane_queue_code(const struct cm_lane_queue *queue)
{
    return CM_FOR_A_PAGE ? NULL : queue->code;
}

/* Plays the work of the queue in blocks of `block_nodes`. */
void cm_lanes_play(const struct cm_lane_queue *queue, struct cm_lanes lanes, uint32_t block_nodes);

#endif
