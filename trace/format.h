/*
 * The trace file: what writer and reader have in common (docs/trace.md has it byte by byte).
 *
 *   file    "CM200TRC", u32 version, then blocks
 *   block   u8 type, u32 length, u32 CRC-32 of type, length and payload; the payload
 *   number  unsigned LEB128; signed ones as zigzag
 *
 * Events are written against a guess: what the instruction did the last time within the block, its
 * addresses moved on by what they moved the last times. Guesses that are right are counted; of the
 * others only what differs is written. Measured against columns of differences for a compressor
 * (docs/trace.md): recording adds 46.8 % to the host instructions of the example that issues most,
 * 259 kB; with zlib it would be 68.8 % and 246 kB, with lz4 55.7 % and 291 kB. On 2,048 nodes zlib
 * would halve the events of an FFT (111 kB of 241 kB), and take 60 ns an event for it.
 */
#ifndef CM_TRACE_FORMAT_H
#define CM_TRACE_FORMAT_H

#include "trace.h"

#define CM_TRACE_MAGIC        "CM200TRC"
#define CM_TRACE_MAGIC_BYTES  8u
#define CM_TRACE_VERSION      2u
#define CM_TRACE_VERSION_MIN  1u /* without lines; read too */
#define CM_TRACE_HEADER_BYTES 12u
#define CM_TRACE_FRAME_BYTES  9u
#define CM_TRACE_EVENTS_MAX   16384u              /* of a block */
#define CM_TRACE_HOPS_KEPT    (UINT64_C(1) << 20) /* hops recorded one by one */
#define CM_TRACE_PACKETS_KEPT (UINT64_C(1) << 20) /* packets, likewise */
#define CM_TRACE_PLACES_MAX   65536u /* elements of an array whose places are recorded */
#define CM_TRACE_CYCLES_MAX   (UINT64_C(1) << 62) /* more is damage */
#define CM_TRACE_SLOTS_MAX    64u
#define CM_TRACE_NODES_MAX    65536u

enum cm_trace_block {
    CM_BLOCK_INFO = 1,
    CM_BLOCK_DEFINITIONS,
    CM_BLOCK_EVENTS,
    CM_BLOCK_ROUTER,
    CM_BLOCK_WIRES,
    CM_BLOCK_END,
    CM_BLOCK_TYPES, /* of arrays; readers of older releases skip it */
};

enum cm_trace_definition {
    CM_DEFINE_STRING = 1,
    CM_DEFINE_IMP,
    CM_DEFINE_SET,
    CM_DEFINE_PATTERN,
    CM_DEFINE_SHAPE,
    CM_DEFINE_PLACES,
    CM_DEFINE_ARRAY,
    CM_DEFINE_STEP,
    CM_DEFINE_STEP_END,
    CM_DEFINE_LINE,
};

/* Of events. 0x01 to 0x1f: an instruction, with the fields that differ from the guess. */
enum cm_trace_code {
    CM_CODE_PC = 0x01,
    CM_CODE_SHAPE = 0x02,
    CM_CODE_ADDRESS = 0x04,
    CM_CODE_OTHER = 0x08,
    CM_CODE_PATTERN = 0x10,
    CM_CODE_START = 0x20,  /* the front end starts an IMP */
    CM_CODE_ROUTER = 0x21, /* a run of the router */
    CM_CODE_END = 0x22,    /* what the sequencer did after the last instruction */
    CM_CODE_AGAIN = 0x23,  /* a number of right guesses */
    CM_CODE_ENTER = 0x24,  /* as START, without cycles: no event */
    CM_CODE_RIGHT = 0x40,  /* + n: n + 1 right guesses, n below 0xc0 */
};
#define CM_CODE_RIGHT_MAX 0xc0u

enum cm_trace_routed {
    CM_ROUTED_BEGIN = 1,
    CM_ROUTED_SENT,
    CM_ROUTED_HOP,
    CM_ROUTED_ARRIVED,
    CM_ROUTED_WINDOW,
    CM_ROUTED_END,
};

/* What an instruction did in this block so far. */
struct cm_history {
    uint32_t successor; /* instruction that came next */
    uint32_t shape, shape_seen;
    uint32_t pattern;
    /* By twos, as the host can take in two at once. */
    uint64_t address, other;
    uint64_t address_step, other_step;
    uint64_t address_seen, other_seen;
};

/* What is known of the event before. */
struct cm_guess {
    uint32_t block;
    uint32_t pc; /* expected next */
    uint32_t shape;
    uint64_t address, other;
};

/* An IMP as guessing needs it. */
struct cm_path {
    uint32_t length;
    /* [pc + 1]: first instruction after pc that is not control flow; [0]: the first of all */
    uint32_t *next;
    /* Of each instruction, what it did, and the block, from 1, in which that is true. */
    struct cm_history *history;
    uint32_t *blocks;
};

/* Memory of the paths of all IMPs, freed at once. */
struct cm_path_memory {
    struct cm_path_chunk *chunks;
    char *at; /* the rest of the last one */
    size_t left;
};

/* predict.c: false when out of memory. */
bool cm_path_init(struct cm_path *path, const struct cm_imp *imp, struct cm_path_memory *memory);
void cm_path_memory_finish(struct cm_path_memory *memory);

/* The history of an instruction, begun again in each block. */
static inline struct cm_history *cm_path_at(struct cm_path *path, const struct cm_guess *guess,
                                            uint32_t pc)
{
    struct cm_history *history = &path->history[pc];
    if (path->blocks[pc] != guess->block) {
        path->blocks[pc] = guess->block;
        *history = (struct cm_history){.successor = path->next[pc + 1],
                                       .shape = guess->shape,
                                       .shape_seen = guess->shape,
                                       .address = guess->address,
                                       .other = guess->other};
    }
    return history;
}

/* Takes in a new address: a step is believed when it is seen twice. */
static inline void cm_learn_address(uint64_t now, uint64_t *last, uint64_t *step, uint64_t *seen)
{
    uint64_t moved = now - *last;
    if (moved == *seen)
        *step = moved;
    *seen = moved;
    *last = now;
}

static inline void cm_learn(struct cm_guess *guess, struct cm_history *history, uint32_t shape,
                            uint32_t pattern, uint64_t address, uint64_t other)
{
    if (shape == history->shape_seen)
        history->shape = shape;
    history->shape_seen = shape;
    history->pattern = pattern;
    cm_learn_address(address, &history->address, &history->address_step, &history->address_seen);
    cm_learn_address(other, &history->other, &history->other_step, &history->other_seen);
    guess->shape = shape;
    guess->address = address;
    guess->other = other;
}

/* The same where all was as guessed. */
static inline void cm_learn_right(struct cm_guess *guess, struct cm_history *history,
                                  uint64_t address, uint64_t other)
{
    history->shape_seen = history->shape;
    history->address = address;
    history->address_seen = history->address_step;
    history->other = other;
    history->other_seen = history->other_step;
    guess->shape = history->shape;
    guess->address = address;
    guess->other = other;
}

static inline uint64_t cm_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t cm_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t cm_zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t cm_unzigzag(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

#endif
