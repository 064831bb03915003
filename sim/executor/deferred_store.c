/*
 * This file defers stores of registers to memory, which are merged into the operation that makes
 * the value if possible. It also defers 64-bit selections, which usually move values from memory to
 * memory.
 */
#include "deferred_private.h"

/* Returns the deferred operation that writes a register, if nothing else has read its value, else
 * NULL. */
static struct cm_lane_operation *find_source(struct cm_worker *worker, const struct cm_register *r)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    if (r->kind != CM_VALUE_REGISTER || r->written <= queue->first || r->read > r->written)
        return NULL;
    return &queue->operations[r->written - queue->first - 1];
}

/* Returns true if neither operation `number` nor a later one uses the memory words, and no register
 * aliases them. */
static bool is_free(struct cm_worker *worker, uint64_t address, uint32_t words, uint64_t number)
{
    for (uint32_t i = 0; i < words; i++)
        if (cm_deferred_word(worker, address + i)->used > number ||
            cm_deferred_word(worker, address + i)->written >= number)
            return false;
    for (uint32_t left = worker->deferred.aliases; left; left &= left - 1) {
        const struct cm_register *r =
            cm_deferred_const_register(worker, (uint32_t)__builtin_ctz(left));
        if (r->kind == CM_VALUE_MEMORY && cm_deferred_overlaps(r, address, words))
            return false;
    }
    return true;
}

static uint32_t shift_of(uint32_t words)
{
    return (uint32_t)__builtin_ctz(words);
}

/* Sets the distance between the low and the high words of an operand of a selection. */
static void set_halves(const struct cm_worker *worker, struct cm_lane_operation *operation,
                       uint32_t i, bool memory)
{
    uint32_t apart = memory ? worker->lanes.nodes : worker->machine->fpu.block_nodes;
    uint32_t place = CM_HALVES_BITS * i;
    operation->word &= ~(((UINT64_C(1) << CM_HALVES_BITS) - 1) << place);
    operation->word |= (uint64_t)shift_of(apart) << place;
}

/* Redirects the result of an operation from a register to memory. Returns false when that is
 * impossible. */
static bool redirect(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t reg,
                     struct cm_lane_operand to, bool wide)
{
    uint32_t i = 0;
    if (operation->result == CM_RESULT_HALVES && wide) {
        if (operation->operands[0].at != cm_deferred_register_operand(worker, reg).at)
            i = CM_LANE_OPERANDS - 1;
        set_halves(worker, operation, i, true);
    } else if (wide ? !operation->product || !operation->wide
                    : operation->result != CM_RESULT_LOW) {
        return false;
    }
    if (wide && operation->product)
        cm_deferred_make_chain(worker, operation);
    if (operation->kernel)
        operation->operands[i] = to;
    else
        worker->deferred.queue.chains[operation - worker->deferred.queue.operations].out = to;
    return true;
}

/* Makes a register whose value has been stored an alias of the memory word. */
static void make_alias(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    cm_deferred_set_kind(r, CM_VALUE_MEMORY);
    r->wide = wide;
    r->address = address;
    worker->deferred.aliases |= UINT32_C(1) << reg;
}

/* Merges a store into the deferred operation that makes the value. Returns false, with no effect,
 * when that is impossible. */
static bool forward(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    struct cm_lane_operation *operation = find_source(worker, r);
    uint32_t words = wide ? 2 : 1;
    struct cm_lane_operand to = cm_deferred_plane_operand(worker, cm_worker_plane(worker, address));
    if (!operation || !is_free(worker, address, words, r->written) ||
        !redirect(worker, operation, reg, to, wide))
        return false;
    cm_deferred_record_use(worker, address, words, r->written, true);
    make_alias(worker, reg, address, wide);
    return true;
}

struct cm_lane_operation *cm_deferred_begin_store(struct cm_worker *worker, uint64_t address)
{
    cm_deferred_load_aliases(worker, address, 1);
    struct cm_lane_operation *operation =
        cm_deferred_begin(worker, worker->context_full ? cm_kernel_copy : cm_kernel_copy_masked);
    cm_deferred_write(worker, operation, 0, address);
    if (!worker->context_full)
        cm_deferred_plane(worker, operation, 2, worker->context);
    return operation;
}

/* Stores a 64-bit value whose halves are separate, one word after the other. */
static void store_halves(struct cm_worker *worker, uint32_t reg, uint64_t address)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    for (uint32_t half = 0; half < 2; half++) {
        struct cm_lane_operation *operation = cm_deferred_begin_store(worker, address + half);
        r->read = cm_deferred_next_number(worker);
        if (r->kind == CM_VALUE_MEMORY) {
            cm_deferred_read(worker, operation, 1, r->address + half);
        } else {
            operation->operands[1] = cm_deferred_register_operand(worker, reg);
            operation->operands[1].at += half * (size_t)worker->machine->fpu.block_nodes;
        }
        cm_deferred_add(worker);
    }
}

static void store_wide(struct cm_worker *worker, uint32_t reg, uint64_t address)
{
    const struct cm_fpu_memory_kernels *kernels = worker->machine->memory_kernels;
    struct cm_register *r = cm_deferred_register(worker, reg);
    cm_deferred_load_aliases(worker, address, 2);
    if (r->kind == CM_VALUE_MEMORY && !r->wide)
        cm_deferred_need(worker, reg, false);
    if (r->kind == CM_VALUE_MEMORY || (r->kind == CM_VALUE_REGISTER && !r->joined)) {
        store_halves(worker, reg, address);
        return;
    }
    cm_deferred_need(worker, reg, true);
    struct cm_lane_operation *operation =
        cm_deferred_begin(worker, worker->context_full ? kernels->store : kernels->store_masked);
    cm_deferred_write(worker, operation, 0, address);
    cm_deferred_write(worker, operation, 1, address + 1);
    cm_deferred_source(worker, operation, 2, reg);
    cm_deferred_plane(worker, operation, 3, worker->context);
    cm_deferred_add(worker);
}

static void store_narrow(struct cm_worker *worker, uint32_t reg, uint64_t address)
{
    cm_deferred_load_aliases(worker, address, 1);
    cm_deferred_prepare(worker, reg, false);
    struct cm_lane_operation *operation = cm_deferred_begin_store(worker, address);
    cm_deferred_take(worker, operation, 1, reg, false);
    cm_deferred_add(worker);
}

void cm_deferred_store(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide)
{
    const bool code = cm_lane_queue_code(&worker->deferred.queue) != NULL;
    if (!CM_FOR_A_PAGE && !code && worker->context_full && forward(worker, reg, address, wide))
        return;
    (wide ? store_wide : store_narrow)(worker, reg, address);
    if (code && worker->context_full &&
        cm_deferred_const_register(worker, reg)->kind == CM_VALUE_REGISTER)
        make_alias(worker, reg, address, wide);
}

/* ---- selections ---- */

/* Merges a selection into the last operation of the queue, if this operation selects the opposite
 * way from the same two sources. Returns false when it does not. */
static bool select_other(struct cm_worker *worker, const uint32_t *regs)
{
    struct cm_deferred *deferred = &worker->deferred;
    struct cm_lane_queue *queue = &deferred->queue;
    const uint32_t *last = deferred->selection.regs;
    struct cm_register *r = cm_deferred_register(worker, regs[0]);
    if (queue->count == 0 || deferred->selection.number != queue->first + queue->count ||
        regs[1] != last[2] || regs[2] != last[1] || last[0] == last[1] || last[0] == last[2] ||
        regs[0] == last[0])
        return false;
    struct cm_lane_operation *operation = &queue->operations[queue->count - 1];
    const uint32_t second = CM_LANE_OPERANDS - 1;
    operation->kernel = cm_fpu_select_kernel(true);
    operation->operands[second] = cm_deferred_register_operand(worker, regs[0]);
    set_halves(worker, operation, second, false);
    *r = (struct cm_register){
        .kind = CM_VALUE_REGISTER, .read = r->read, .written = deferred->selection.number};
    deferred->selection.number = 0;
    return true;
}

/* True if the low and the high half of a source register are separate. */
static bool is_apart(struct cm_worker *worker, uint32_t reg)
{
    const struct cm_register *r = cm_deferred_const_register(worker, reg);
    return (r->kind == CM_VALUE_MEMORY && r->wide) || (r->kind != CM_VALUE_CONSTANT && !r->joined);
}

static void set_source(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                       uint32_t reg)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    bool memory = r->kind == CM_VALUE_MEMORY;
    cm_deferred_source(worker, operation, i, reg);
    if (memory)
        cm_deferred_record_use(worker, r->address + 1, 1, r->read, false);
    set_halves(worker, operation, i, memory);
}

bool cm_deferred_select(struct cm_worker *worker, const uint32_t *regs)
{
    struct cm_register *r = cm_deferred_register(worker, regs[0]);
    if (CM_FOR_A_PAGE)
        return false;
    if (select_other(worker, regs))
        return true;
    if (!is_apart(worker, regs[1]) || !is_apart(worker, regs[2]))
        return false;
    for (uint32_t i = 1; i < 3; i++)
        if (!(cm_deferred_const_register(worker, regs[i])->kind == CM_VALUE_MEMORY &&
              cm_deferred_const_register(worker, regs[i])->wide))
            cm_deferred_need(worker, regs[i], false);
    if (regs[1] != regs[0] && regs[2] != regs[0])
        cm_deferred_drop(worker, regs[0], true);
    struct cm_lane_operation *operation = cm_deferred_begin(worker, cm_fpu_select_kernel(false));
    set_source(worker, operation, 1, regs[1]);
    set_source(worker, operation, 2, regs[2]);
    cm_deferred_plane(worker, operation, 3, worker->context);
    cm_deferred_result(worker, operation, 0, regs[0]);
    set_halves(worker, operation, 0, false);
    operation->result = CM_RESULT_HALVES;
    cm_deferred_set_kind(r, CM_VALUE_REGISTER);
    r->joined = false;
    worker->deferred.selection.number = r->written;
    for (uint32_t i = 0; i < 3; i++)
        worker->deferred.selection.regs[i] = regs[i];
    cm_deferred_add(worker);
    return true;
}
