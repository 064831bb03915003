/*
 * How instructions become work on lane blocks (lanes.h): registers and planes as operands, loads
 * that wait until they are needed, products that join a chain.
 *
 *   load      only notes what the register is a copy of, a memory word or a constant. Chains,
 *             selections and 32-bit operations take it from there; a use that needs it in the
 *             register loads it. Memory words are loaded before they change.
 *   chain     a multiply-add onto a sum that is waiting as a chain joins it, if it gives the same
 *             there: nothing has read the sum or written the operands since.
 *   store     of a result that is waiting, and that nothing has read: the work that makes it writes
 *             to memory itself, and the register becomes a copy of the memory word.
 *   dead      work whose only result is overwritten before anything reads it is left out.
 *
 * Machine code (ir.h) finds chains, and what is not needed, itself. There a register becomes a
 * copy of the memory word at every store.
 */
#ifndef CM_SIM_PENDING_H
#define CM_SIM_PENDING_H

#include "fpu.h"
#include "lanes.h"

struct cm_worker;

/* What a worker knows of an FPU register of its nodes. */
struct cm_register {
    enum cm_value_kind kind; /* CM_VALUE_REGISTER, or what it is a copy of, not loaded yet */
    bool joined;             /* its words, when loaded */
    bool wide;               /* the copy is of 64 bits, else of the low half */
    uint64_t address;        /* of the memory word that it is a copy of */
    uint64_t constant;
    uint64_t written, read; /* 1 + number of the last work that does; 0: none */
    /* With code: where that is, and 1 + the plane's number, in the queue whose numbers have the
     * stamp. */
    uint32_t *at;
    uint32_t step, plane;
    uint32_t stamp;
};

/* Of memory words whose addresses have one hash: 1 + number of the last work that reads or writes
 * one, and of the last that writes one; 0: none. */
#define CM_PENDING_WORD_BITS 10u
struct cm_word_use {
    uint64_t used, written;
};

struct cm_pending {
    struct cm_lane_queue queue;
    struct cm_register registers[CM_FPU_REGISTERS];
    /* Registers, a bit each. */
    uint32_t changed; /* since the last task for parts, perhaps */
    uint32_t copies;  /* of memory words, perhaps */
    struct cm_word_use words[1u << CM_PENDING_WORD_BITS];
    struct {
        uint64_t number; /* of the last selection of halves; 0: none */
        uint32_t regs[3];
    } selection;
};

/* False when out of memory; then too it must be finished. */
bool cm_pending_init(struct cm_pending *pending, uint32_t capacity);
void cm_pending_finish(struct cm_pending *pending);

/* The next work, without operands. */
struct cm_lane_work *cm_pending_begin(struct cm_worker *worker, cm_lane_kernel kernel);
/* It is complete, and waits. */
void cm_pending_add(struct cm_worker *worker);
/* The same for work without registers: it waits only for work before it; alone it is played in one
 * piece. */
void cm_pending_add_behind(struct cm_worker *worker);

/* Operand i of a work: a plane outside node memory, a memory word that it reads or writes, or a
 * register that it reads or writes. */
void cm_pending_plane(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                      uint32_t *words);
void cm_pending_read(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                     uint64_t address);
void cm_pending_write(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                      uint64_t address);
void cm_pending_source(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                       uint32_t reg);
void cm_pending_result(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                       uint32_t reg);

/* The same for a source that is prepared (cm_pending_prepare): what the register is a copy of. */
void cm_pending_take(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i, uint32_t reg,
                     bool wide);

/* Before cm_pending_begin. The next work can take the low half of the register, or its 64 bits,
 * joined; with code from what it is a copy of, else in the register. */
void cm_pending_prepare(struct cm_worker *worker, uint32_t reg, bool wide);
/*
 * The register is loaded, and joined or split:
 */
void cm_pending_need(struct cm_worker *worker, uint32_t reg, bool joined);
/* The low half of the register is loaded, or the next work can read it from memory. */
void cm_pending_prepare_low(struct cm_worker *worker, uint32_t reg);
/* What the register holds will be overwritten by what does not read it. */
void cm_pending_drop(struct cm_worker *worker, uint32_t reg, bool wide);
/* A register whose low half, or whose 64 bits, will be overwritten. */
void cm_pending_overwrite(struct cm_worker *worker, uint32_t reg, bool wide);
/* Memory words that will change: copies of them are loaded. */
void cm_pending_change(struct cm_worker *worker, uint64_t address, uint64_t words);

/* Loads. */
void cm_pending_copy_memory(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide);
void cm_pending_copy_constant(struct cm_worker *worker, uint32_t reg, uint64_t constant, bool wide);

/* deferred_store.c. Memory word `address`, or two from there on, = a register, where the context
 * flag is set. */
void cm_pending_store(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide);
/* Work that writes a memory word where the context flag is set; operand 1 is still to be set. */
struct cm_lane_work *cm_pending_begin_store(struct cm_worker *worker, uint64_t address);

/* regs[0] = regs[1] where the context flag is set, else regs[2], of 64 bits: half by half, without
 * joining them. False when the sources are joined anyway. */
bool cm_pending_select(struct cm_worker *worker, const uint32_t *regs);

/* deferred_chain.c. regs[0] = regs[1] * regs[2] (+ regs[3], if there are four). */
void cm_pending_product(struct cm_worker *worker, cm_lane_kernel kernel, const uint32_t *regs,
                        uint32_t count, bool wide);

#endif
