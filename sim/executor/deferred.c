/*
 * Deferred operations: the queue, its operands, and registers that alias memory words or constants.
 */
#include "../lanes/code.h"
#include "deferred_private.h"

#include <stdlib.h>

bool cm_deferred_init(struct cm_deferred *deferred, uint32_t capacity)
{
    struct cm_lane_queue *queue = &deferred->queue;
    queue->operations = calloc(capacity, sizeof *queue->operations);
    queue->chains = calloc(capacity, sizeof *queue->chains);
    queue->capacity = capacity;
    queue->enough = capacity;
    queue->enough_planes = UINT32_MAX;
    queue->most_planes = UINT32_MAX;
    queue->chain_kernels[false] = cm_chain_kernel_choose(false);
    queue->chain_kernels[true] = cm_chain_kernel_choose(true);
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++)
        deferred->registers[reg].kind = CM_VALUE_REGISTER;
    deferred->changed = UINT32_MAX;
    return queue->operations && queue->chains;
}

void cm_deferred_finish(struct cm_deferred *deferred)
{
    free(deferred->queue.operations);
    free(deferred->queue.chains);
    cm_lane_code_destroy(deferred->queue.code);
}

struct cm_lane_operation *cm_deferred_begin(struct cm_worker *worker, cm_lane_kernel kernel)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    struct cm_lane_operation *operation = &queue->operations[queue->count];
    operation->kernel = kernel;
    /* a valid pointer for operands that are not set */
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        operation->operands[i] = (struct cm_lane_operand){.at = worker->context};
    operation->word = 0;
    operation->word_step = 0;
    operation->joined = 0;
    operation->result = CM_RESULT_OTHER;
    operation->product = false;
    operation->wide = false;
    return operation;
}

void cm_deferred_add(struct cm_worker *worker)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    if (++queue->count == queue->capacity ||
        (queue->planes >= queue->most_planes && !queue->collects))
        cm_execute_deferred(worker);
}

void cm_deferred_add_or_execute(struct cm_worker *worker)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    struct cm_lane_operation *operation = &queue->operations[queue->count];
    uint32_t *at[CM_LANE_OPERANDS];
    if (queue->count > 0 || queue->collects) {
        cm_deferred_add(worker);
        return;
    }
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        at[i] = operation->operands[i].at;
    operation->kernel(at, worker->lanes.last - worker->lanes.first, operation->word);
    queue->first++;
}

void cm_deferred_plane(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                       uint32_t *words)
{
    operation->operands[i] = cm_deferred_plane_operand(worker, words);
    worker->deferred.queue.planes++;
}

void cm_deferred_read(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                      uint64_t address)
{
    cm_deferred_plane(worker, operation, i, cm_worker_plane(worker, address));
    cm_deferred_record_use(worker, address, 1, cm_deferred_next_number(worker), false);
}

void cm_deferred_write(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                       uint64_t address)
{
    cm_deferred_plane(worker, operation, i, cm_worker_plane(worker, address));
    cm_deferred_record_use(worker, address, 1, cm_deferred_next_number(worker), true);
}

void cm_deferred_result(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                        uint32_t reg)
{
    operation->operands[i] = cm_deferred_register_operand(worker, reg);
    cm_deferred_register(worker, reg)->written = cm_deferred_next_number(worker);
}

/* ---- registers that alias memory words or constants ---- */

/* Loads the value that a register aliases into the register. */
static void load(struct cm_worker *worker, uint32_t reg)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    bool memory = r->kind == CM_VALUE_MEMORY;
    struct cm_lane_operation *operation;
    if (memory) {
        operation = cm_deferred_begin(worker, r->wide ? worker->machine->memory_kernels->load
                                                      : cm_kernel_copy);
        cm_deferred_read(worker, operation, 1, r->address);
        if (r->wide)
            cm_deferred_read(worker, operation, 2, r->address + 1);
    } else {
        operation = cm_deferred_begin(worker, r->wide ? cm_kernel_fill64 : cm_kernel_fill);
        operation->word = r->constant;
    }
    cm_deferred_result(worker, operation, 0, reg);
    operation->result = r->wide ? CM_RESULT_WIDE : CM_RESULT_LOW;
    cm_deferred_set_kind(r, CM_VALUE_REGISTER);
    if (r->wide)
        r->joined = true;
    cm_deferred_add(worker);
}

void cm_deferred_need(struct cm_worker *worker, uint32_t reg, bool joined)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    if (r->kind != CM_VALUE_REGISTER)
        load(worker, reg);
    if (r->joined == joined)
        return;
    struct cm_lane_operation *operation =
        cm_deferred_begin(worker, joined ? cm_fpu_join : cm_fpu_split);
    cm_deferred_result(worker, operation, 0, reg);
    r->joined = joined;
    cm_deferred_add(worker);
}

void cm_deferred_overwrite(struct cm_worker *worker, uint32_t reg, bool wide)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    if (wide) {
        cm_deferred_set_kind(r, CM_VALUE_REGISTER);
        r->joined = true;
        return;
    }
    /* A 32-bit result keeps the high half. */
    if (r->kind != CM_VALUE_REGISTER && !r->wide)
        cm_deferred_set_kind(r, CM_VALUE_REGISTER);
    cm_deferred_need(worker, reg, false);
}

void cm_deferred_drop(struct cm_worker *worker, uint32_t reg, bool wide)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    const struct cm_register *r = cm_deferred_const_register(worker, reg);
    if (cm_lane_queue_code(queue) || r->kind != CM_VALUE_REGISTER || r->written <= queue->first ||
        r->read > r->written)
        return;
    struct cm_lane_operation *operation = &queue->operations[r->written - queue->first - 1];
    if (operation->result != CM_RESULT_LOW && (operation->result != CM_RESULT_WIDE || !wide))
        return;
    operation->kernel = cm_kernel_nothing;
    operation->result = CM_RESULT_OTHER;
    operation->product = false;
}

void cm_deferred_load_aliases(struct cm_worker *worker, uint64_t address, uint64_t words)
{
    for (uint32_t left = worker->deferred.aliases; left; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctz(left);
        const struct cm_register *r = cm_deferred_const_register(worker, reg);
        if (r->kind == CM_VALUE_MEMORY && !cm_deferred_overlaps(r, address, words))
            continue;
        if (r->kind == CM_VALUE_MEMORY)
            load(worker, reg);
        worker->deferred.aliases &= ~(UINT32_C(1) << reg);
    }
}

/* Begins to make a register an alias. For a 32-bit alias it splits the register, whose high half
 * stays. */
static struct cm_register *begin_alias(struct cm_worker *worker, uint32_t reg, bool wide)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    cm_deferred_drop(worker, reg, wide);
    if (!wide)
        cm_deferred_overwrite(worker, reg, false);
    r->wide = wide;
    return r;
}

void cm_deferred_alias_memory(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide)
{
    struct cm_register *r = begin_alias(worker, reg, wide);
    cm_deferred_set_kind(r, CM_VALUE_MEMORY);
    r->address = address;
    worker->deferred.aliases |= UINT32_C(1) << reg;
    worker->deferred.queue.planes += wide ? 2 : 1;
}

void cm_deferred_alias_constant(struct cm_worker *worker, uint32_t reg, uint64_t constant,
                                bool wide)
{
    struct cm_register *r = begin_alias(worker, reg, wide);
    cm_deferred_set_kind(r, CM_VALUE_CONSTANT);
    r->constant = constant;
}

void cm_deferred_prepare_low(struct cm_worker *worker, uint32_t reg)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    if (r->kind != CM_VALUE_MEMORY || r->wide)
        cm_deferred_need(worker, reg, false);
}

void cm_deferred_prepare(struct cm_worker *worker, uint32_t reg, bool wide)
{
    const struct cm_register *r = cm_deferred_const_register(worker, reg);
    const bool copy = r->kind != CM_VALUE_REGISTER && r->wide == wide;
    if (!copy ||
        (!cm_lane_queue_code(&worker->deferred.queue) && (wide || r->kind == CM_VALUE_CONSTANT)))
        cm_deferred_need(worker, reg, wide);
}

/* Computes for generated code where a register's value is, and the number of its plane. The result
 * is valid for the current queue until the register changes. */
static void find_place(struct cm_worker *worker, struct cm_register *r, uint32_t reg)
{
    const struct cm_lane_queue *queue = &worker->deferred.queue;
    const struct cm_lane_operand operand = r->kind == CM_VALUE_MEMORY
                                               ? cm_deferred_aliased_operand(worker, r)
                                               : cm_deferred_register_operand(worker, reg);
    r->stamp = queue->plane_numbers->stamp;
    r->at = operand.at;
    r->step = operand.step;
    r->plane = 0;
    if (r->kind == CM_VALUE_MEMORY)
        r->plane = 1 + cm_lane_number(queue->plane_numbers, (uintptr_t)operand.at);
}

static void take_place(struct cm_worker *worker, struct cm_lane_operand *operand,
                       struct cm_register *r, uint32_t reg)
{
    if (r->stamp != worker->deferred.queue.plane_numbers->stamp)
        find_place(worker, r, reg);
    operand->at = r->at;
    operand->step = r->step;
    operand->kind = (uint8_t)r->kind;
    operand->plane = (uint16_t)r->plane;
}

void cm_deferred_take(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                      uint32_t reg, bool wide)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    const uint64_t number = cm_deferred_next_number(worker);
    r->read = number;
    operation->joined |= (uint32_t)(wide && r->kind != CM_VALUE_REGISTER) << i;
    if (r->kind == CM_VALUE_CONSTANT) {
        operation->operands[i].constant = r->constant;
        operation->operands[i].kind = CM_VALUE_CONSTANT;
    } else if (cm_lane_queue_code(&worker->deferred.queue)) {
        take_place(worker, &operation->operands[i], r, reg);
    } else if (r->kind == CM_VALUE_REGISTER) {
        operation->operands[i] = cm_deferred_register_operand(worker, reg);
    } else {
        operation->operands[i] = cm_deferred_aliased_operand(worker, r);
        cm_deferred_record_use(worker, r->address, wide ? 2 : 1, number, false);
    }
}

void cm_deferred_source(struct cm_worker *worker, struct cm_lane_operation *operation, uint32_t i,
                        uint32_t reg)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    r->read = cm_deferred_next_number(worker);
    if (r->kind == CM_VALUE_MEMORY)
        cm_deferred_read(worker, operation, i, r->address);
    else
        operation->operands[i] = cm_deferred_register_operand(worker, reg);
}
