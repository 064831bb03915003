/*
 * The trace file format, shared by the recorder and the reader. docs/trace-file.md describes the
 * format byte by byte.
 *
 *   file    "CM200TRC", u32 version, then blocks
 *   block   u8 type, u32 length, u32 CRC-32 of type, length and payload, then the payload
 *   number  unsigned LEB128, signed numbers as zigzag
 *
 * Events are compressed by prediction. For each instruction, the recorder and the reader keep a
 * history within the block. The history predicts that the instruction has the same event template
 * and pattern as the last time. It predicts that each address moves by the step seen the last
 * times. A correct prediction is only counted. A wrong prediction writes the fields that differ.
 *
 * Invariant: recorder and reader update the predictor by the same functions, so they always hold
 * the same predictions.
 *
 * The alternative is columns of differences for a compressor. Measured on the example that issues
 * most instructions (docs/trace.md): prediction adds 46.8 % to the host instructions and writes 259
 * kB. zlib would add 68.8 % and write 246 kB, lz4 would add 55.7 % and write 291 kB. On 2,048 nodes
 * zlib would halve the events of an FFT (111 kB of 241 kB) at 60 ns an event.
 */
#ifndef CM_TRACE_FORMAT_H
#define CM_TRACE_FORMAT_H

#include "trace.h"

#define CM_TRACE_MAGIC       "CM200TRC"
#define CM_TRACE_MAGIC_BYTES 8u
#define CM_TRACE_VERSION     2u
/* oldest format version that the reader accepts. It has no source lines */
#define CM_TRACE_VERSION_MIN  1u
#define CM_TRACE_HEADER_BYTES 12u
#define CM_TRACE_FRAME_BYTES  9u
#define CM_TRACE_EVENTS_MAX   16384u              /* largest number of events in a block */
#define CM_TRACE_HOPS_KEPT    (UINT64_C(1) << 20) /* limit on hops that are recorded individually */
/* limit on packets that are recorded individually */
#define CM_TRACE_PACKETS_KEPT (UINT64_C(1) << 20)
#define CM_TRACE_PLACES_MAX   65536u /* largest array whose places are recorded, in elements */
/* limit on the cycles of a run. A file with a larger number is damaged */
#define CM_TRACE_CYCLES_MAX (UINT64_C(1) << 62)
#define CM_TRACE_SLOTS_MAX  64u
#define CM_TRACE_NODES_MAX  65536u

enum cm_trace_block {
    CM_BLOCK_INFO = 1,
    CM_BLOCK_DEFINITIONS,
    CM_BLOCK_EVENTS,
    CM_BLOCK_ROUTER,
    CM_BLOCK_WIRES,
    CM_BLOCK_END,
    CM_BLOCK_TYPES, /* element types of arrays. Older readers skip this block */
};

enum cm_trace_definition {
    CM_DEFINE_STRING = 1,
    CM_DEFINE_IMP,
    CM_DEFINE_SET,
    CM_DEFINE_PATTERN,
    CM_DEFINE_TEMPLATE,
    CM_DEFINE_PLACES,
    CM_DEFINE_ARRAY,
    CM_DEFINE_STEP,
    CM_DEFINE_STEP_END,
    CM_DEFINE_LINE,
};

/* Codes of events. A code from 0x01 to 0x1f stands for an instruction. The bits of the code say
 * which fields differ from the prediction, and the values of these fields follow the code. */
enum cm_trace_code {
    CM_CODE_PC = 0x01,
    CM_CODE_TEMPLATE = 0x02,
    CM_CODE_ADDRESS = 0x04,
    CM_CODE_OTHER = 0x08,
    CM_CODE_PATTERN = 0x10,
    CM_CODE_START = 0x20,  /* the front end starts an IMP */
    CM_CODE_ROUTER = 0x21, /* a run of the router */
    CM_CODE_END = 0x22,    /* work of the sequencer after the last instruction */
    CM_CODE_AGAIN = 0x23,  /* correct predictions. Their number follows */
    CM_CODE_ENTER = 0x24,  /* an IMP starts in 0 cycles, which makes no event */
    /* codes CM_CODE_RIGHT + n stand for n + 1 correct predictions, with n below
     * CM_CODE_RIGHT_MAX */
    CM_CODE_RIGHT = 0x40,
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

/* History of an instruction within a block of events. The predictor expects the next execution of
 * the instruction to continue the history. */
struct cm_history {
    uint32_t successor; /* index of the instruction that followed the last time */
    uint32_t template, template_seen;
    uint32_t pattern;
    /* Each line has a pair of members that are adjacent in memory, so that the host can process
     * both with one instruction. */
    uint64_t address, other;
    uint64_t address_step, other_step;
    uint64_t address_seen, other_seen;
};

/* State of the predictor after the previous event. */
struct cm_predictor {
    uint32_t block;
    uint32_t pc; /* index of the expected next instruction */
    uint32_t template;
    uint64_t address, other;
};

/* Prediction state of an IMP. */
struct cm_prediction {
    uint32_t length;
    /* next[pc + 1] is the index of the first instruction after pc that is not control flow. next[0]
     * is the index of the first such instruction of the IMP. */
    uint32_t *next;
    /* For each instruction: its history, and the number of the block for which the history is
     * valid. Block numbers begin with 1. */
    struct cm_history *history;
    uint32_t *blocks;
};

/* Memory for the prediction states of all IMPs. All of the memory is freed in one call. */
struct cm_prediction_memory {
    struct cm_prediction_chunk *chunks;
    char *at; /* unused rest of the latest chunk */
    size_t left;
};

/* Creates the prediction state of an IMP. Defined in predict.c. Returns false when out of
 * memory. */
bool cm_prediction_init(struct cm_prediction *prediction, const struct cm_imp *imp,
                        struct cm_prediction_memory *memory);
void cm_prediction_memory_finish(struct cm_prediction_memory *memory);

/* Returns the history of an instruction. A history of an earlier block is reset first. */
static inline struct cm_history *cm_history_at(struct cm_prediction *prediction,
                                               const struct cm_predictor *predictor, uint32_t pc)
{
    struct cm_history *history = &prediction->history[pc];
    if (prediction->blocks[pc] != predictor->block) {
        prediction->blocks[pc] = predictor->block;
        *history = (struct cm_history){.successor = prediction->next[pc + 1],
                                       .template = predictor->template,
                                       .template_seen = predictor->template,
                                       .address = predictor->address,
                                       .other = predictor->other};
    }
    return history;
}

/* Updates an instruction's last address and the predicted step to the next address. A step is
 * predicted once it has been seen twice in a row. */
static inline void cm_learn_address(uint64_t now, uint64_t *last, uint64_t *step, uint64_t *seen)
{
    uint64_t moved = now - *last;
    if (moved == *seen)
        *step = moved;
    *seen = moved;
    *last = now;
}

static inline void cm_learn(struct cm_predictor *predictor, struct cm_history *history,
                            uint32_t template, uint32_t pattern, uint64_t address, uint64_t other)
{
    if (template == history->template_seen)
        history->template = template;
    history->template_seen = template;
    history->pattern = pattern;
    cm_learn_address(address, &history->address, &history->address_step, &history->address_seen);
    cm_learn_address(other, &history->other, &history->other_step, &history->other_seen);
    predictor->template = template;
    predictor->address = address;
    predictor->other = other;
}

/* Updates the predictor after a correct prediction. */
static inline void cm_learn_right(struct cm_predictor *predictor, struct cm_history *history,
                                  uint64_t address, uint64_t other)
{
    history->template_seen = history->template;
    history->address = address;
    history->address_seen = history->address_step;
    history->other = other;
    history->other_seen = history->other_step;
    predictor->template = history->template;
    predictor->address = address;
    predictor->other = other;
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

/* Sets *is_trace to whether a file begins like a trace file. Only regular files are read, because
 * the bytes of a pipe can be read only once. A file that does not exist is not a trace. Fails with
 * CM_IO if reading fails. */
enum cm_status cm_trace_recognize(const char *path, bool *is_trace, struct cm_error *err);

#endif
