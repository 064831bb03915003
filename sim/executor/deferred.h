/*
 * Deferred operations: an instruction becomes operations on lane blocks (lanes.h), whose operands
 * are FPU registers and planes. Deferring them allows four savings:
 *
 *   load     A load only records which memory word or constant the register aliases. Chains,
 *            selections and 32-bit operations read the word directly. Any other use loads the
 *            register first. Aliased words are loaded before they change.
 *   chain    A multiply-add onto a deferred sum joins the chain of that sum. The result must be the
 *            same: nothing has read the sum or written the operands since.
 *   store    A store of a deferred result that nothing has read is merged into the operation that
 *            makes the result. The register becomes an alias of the memory word.
 *   dead     An operation is dropped when its only result is overwritten before it is read.
 *
 * Generated code (ir.h) finds chains and dead operations itself. With generated code, a register
 * becomes an alias of the memory word at every store.
 */
#ifndef CM_SIM_DEFERRED_H
#define CM_SIM_DEFERRED_H

#include "../lanes/fpu.h"
#include "../lanes/lanes.h"

struct cm_worker;

/* State of an FPU register, the same for all nodes of a worker. */
struct cm_register {
    /* CM_VALUE_REGISTER if the register is loaded, else the kind of value that it aliases */
    enum cm_value_kind kind;
    /* true if the loaded register has a 64-bit value for each node, false if it has the low halves
     * of all nodes before the high halves */
    bool joined;
    /* true if the aliased value has 64 bits, false if it is the low half */
    bool wide;
    uint64_t address; /* address of the aliased memory word */
    uint64_t constant;
    /* 1 + number of the last operation that writes or reads the register, or 0 if none */
    uint64_t written, read;
    /* With generated code: location of the value in the first lane block, distance to the next
     * block in words, and 1 + number of its plane or 0 without one. They are valid while the
     * queue's numbering of planes has this stamp. */
    uint32_t *at;
    uint32_t step, plane;
    uint32_t stamp;
};

/* Last uses of the memory words whose addresses share a hash. `used` is 1 + number of the last
 * operation that reads or writes one of these words. `written` is 1 + number of the last operation
 * that writes one of them. 0 means that no operation does. */
#define CM_DEFERRED_WORD_BITS 10u
struct cm_word_use {
    uint64_t used, written;
};

struct cm_deferred {
    struct cm_lane_queue queue;
    struct cm_register registers[CM_FPU_REGISTERS];
    /* Sets of registers, a bit each. */
    /* registers whose state may have changed since work was last repeated for each partition */
    uint32_t changed;
    uint32_t aliases; /* registers that may alias memory words */
    struct cm_word_use words[1u << CM_DEFERRED_WORD_BITS];
    struct {
        /* 1 + number of the last 64-bit selection on separate halves, or 0 if none */
        uint64_t number;
        uint32_t regs[3];
    } selection;
};

/* Initialises an empty queue of at most `capacity` operations. Returns false when out of memory.
 * cm_deferred_finish must be called even after a failure. */
bool cm_deferred_init(struct cm_deferred *deferred, uint32_t capacity);
void cm_deferred_finish(struct cm_deferred *deferred);

/* Returns the next free operation of the queue. The caller sets its operands. */
struct cm_lane_operation *cm_deferred_begin(struct cm_worker *worker, cm_lane_kernel kernel);
/* Completes the operation that cm_deferred_begin returned, and defers it. */
void cm_deferred_add(struct cm_worker *worker);
/* Completes an operation that uses no FPU register. It is deferred only if operations before it are
 * deferred. Otherwise it is executed immediately on all nodes of the worker. */
void cm_deferred_add_or_execute(struct cm_worker *worker);

/* These functions set operand i of an operation: a plane outside node memory, a memory word that
 * the operation reads or writes, or a register that it reads or writes. */
void cm_deferred_plane(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                       uint32_t *words);
void cm_deferred_read(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                      uint64_t address);
void cm_deferred_write(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                       uint64_t address);
void cm_deferred_source(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                        uint32_t reg);
void cm_deferred_result(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                        uint32_t reg);

/* Sets operand i to a source register that cm_deferred_prepare prepared. The operand is the aliased
 * value if the register is an alias. */
void cm_deferred_take(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                      uint32_t reg, bool wide);

/* Makes the low half of a register, or its 64 joined bits, available to the next operation. With
 * generated code the value may stay aliased. Must be called before cm_deferred_begin. */
void cm_deferred_prepare(struct cm_worker *worker, uint32_t reg, bool wide);
/* Loads a register if it is an alias, then joins or splits its halves. */
void cm_deferred_need(struct cm_worker *worker, uint32_t reg, bool joined);
/* Makes the low half of a register available, loaded or aliasing a memory word. */
void cm_deferred_prepare_low(struct cm_worker *worker, uint32_t reg);
/* Drops the deferred operation that made the register's value, if nothing reads the value before it
 * is overwritten. */
void cm_deferred_drop(struct cm_worker *worker, uint32_t reg, bool wide);
/* Prepares a register for an operation that overwrites its low half, or all its 64 bits. */
void cm_deferred_overwrite(struct cm_worker *worker, uint32_t reg, bool wide);
/* Loads all registers that alias the given memory words, before the words change. */
void cm_deferred_load_aliases(struct cm_worker *worker, uint64_t address, uint64_t words);

/* These functions make a register an alias of a memory word or of a constant. */
void cm_deferred_alias_memory(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide);
void cm_deferred_alias_constant(struct cm_worker *worker, uint32_t reg, uint64_t constant,
                                bool wide);

/* deferred_store.c: stores a register where the context flag is set. A 32-bit value goes to memory
 * word `address`, a 64-bit value to this word and the next. */
void cm_deferred_store(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide);
/* Begins an operation that writes a memory word where the context flag is set. The caller sets
 * operand 1, the source. */
struct cm_lane_operation *cm_deferred_begin_store(struct cm_worker *worker, uint64_t address);

/* Defers a 64-bit selection: regs[0] = regs[1] where the context flag is set, else regs[2]. The
 * operation works on low and high halves separately. Returns false, with no effect, when a source
 * register is joined or aliases a constant. */
bool cm_deferred_select(struct cm_worker *worker, const uint32_t *regs);

/* deferred_chain.c: defers regs[0] = regs[1] * regs[2], plus regs[3] if `count` is 4. */
void cm_deferred_product(struct cm_worker *worker, cm_lane_kernel kernel, const uint32_t *regs,
                         uint32_t count, bool wide);

#endif
