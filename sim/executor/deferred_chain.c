/* Chains: sums of products in one register, extended term by term. */
#include "deferred_private.h"

/* Sets an operand of a chain, which is operation `number` - 1. The operand is built in its place,
 * because copying it there takes the host longer than building it. */
static void set_operand(struct cm_lane_operand *operand, struct cm_worker *worker, uint32_t reg,
                        uint64_t number)
{
    struct cm_register *r = cm_deferred_register(worker, reg);
    struct cm_lane_operand place = {0};
    r->read = r->read > number ? r->read : number;
    if (r->kind == CM_VALUE_MEMORY) {
        place = cm_deferred_aliased_operand(worker, r);
        cm_deferred_record_use(worker, r->address, r->wide ? 2 : 1, number, false);
    } else if (r->kind == CM_VALUE_CONSTANT) {
        place.constant = r->constant;
    } else {
        place = cm_deferred_register_operand(worker, reg);
    }
    operand->constant = place.constant;
    operand->step = place.step;
    operand->kind = (uint8_t)r->kind;
}

/* Loads a register, unless a chain can read the aliased value. */
static void prepare(struct cm_worker *worker, uint32_t reg, bool wide)
{
    const struct cm_register *r = cm_deferred_const_register(worker, reg);
    if (r->kind == CM_VALUE_REGISTER || r->wide != wide)
        cm_deferred_need(worker, reg, wide);
}

/* True if the register's value was made before operation `number` - 1. */
static bool is_older(struct cm_worker *worker, uint32_t reg, uint64_t number)
{
    const struct cm_register *r = cm_deferred_const_register(worker, reg);
    switch (r->kind) {
    case CM_VALUE_MEMORY:
        return cm_deferred_word(worker, r->address)->written < number &&
               (!r->wide || cm_deferred_word(worker, r->address + 1)->written < number);
    case CM_VALUE_CONSTANT:
        return true;
    default:
        return r->written < number;
    }
}

/* Returns the deferred chain whose sum is in the register, or the product that can become a chain.
 * Returns NULL if no such operation is deferred, or if something has read the sum. */
static struct cm_lane_operation *find_sum(struct cm_worker *worker, uint32_t reg, bool wide)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    const struct cm_register *r = cm_deferred_const_register(worker, reg);
    if (r->kind != CM_VALUE_REGISTER || r->written <= queue->first || r->read > r->written)
        return NULL;
    struct cm_lane_operation *operation = &queue->operations[r->written - queue->first - 1];
    return operation->product && operation->wide == wide ? operation : NULL;
}

static struct cm_chain *chain_of(struct cm_worker *worker,
                                 const struct cm_lane_operation *operation)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    return &queue->chains[operation - queue->operations];
}

struct cm_chain *cm_deferred_make_chain(struct cm_worker *worker,
                                        struct cm_lane_operation *operation)
{
    struct cm_chain *chain = chain_of(worker, operation);
    const struct cm_lane_operand *operands = operation->operands;
    if (!operation->kernel)
        return chain;
    chain->out = operands[0];
    chain->a[0] = operands[1];
    chain->b[0] = operands[2];
    chain->init = operands[3];
    chain->terms = 1;
    chain->nodes = worker->lanes.nodes;
    operation->kernel = NULL;
    return chain;
}

/* Adds a product to the deferred sum in regs[0]. Returns false, with no effect, when the result
 * would differ. */
static bool extend(struct cm_worker *worker, const uint32_t *regs, bool wide)
{
    struct cm_lane_operation *operation = find_sum(worker, regs[0], wide);
    uint64_t number = cm_deferred_const_register(worker, regs[0])->written;
    if (!operation || !is_older(worker, regs[1], number) || !is_older(worker, regs[2], number) ||
        (!operation->kernel && chain_of(worker, operation)->terms == CM_CHAIN_TERMS))
        return false;
    struct cm_chain *chain = cm_deferred_make_chain(worker, operation);
    set_operand(&chain->a[chain->terms], worker, regs[1], number);
    set_operand(&chain->b[chain->terms++], worker, regs[2], number);
    return true;
}

static bool is_loaded(struct cm_worker *worker, uint32_t reg)
{
    return cm_deferred_const_register(worker, reg)->kind == CM_VALUE_REGISTER;
}

/* Begins a chain of one term, out = init + a * b, or without init if `count` is 3. */
static struct cm_lane_operation *begin_chain(struct cm_worker *worker, const uint32_t *regs,
                                             uint32_t count)
{
    uint64_t number = cm_deferred_next_number(worker);
    struct cm_lane_operation *operation = cm_deferred_begin(worker, NULL);
    struct cm_chain *chain = chain_of(worker, operation);
    set_operand(&chain->a[0], worker, regs[1], number);
    set_operand(&chain->b[0], worker, regs[2], number);
    chain->init.kind = CM_VALUE_NONE;
    if (count == 4)
        set_operand(&chain->init, worker, regs[3], number);
    chain->out = cm_deferred_register_operand(worker, regs[0]);
    chain->terms = 1;
    chain->nodes = worker->lanes.nodes;
    return operation;
}

static struct cm_lane_operation *begin_product(struct cm_worker *worker, cm_lane_kernel kernel,
                                               const uint32_t *regs, uint32_t count, bool wide)
{
    bool loaded = true;
    for (uint32_t i = 1; i < count; i++)
        loaded = loaded && is_loaded(worker, regs[i]);
    if (!loaded && !cm_lane_queue_code(&worker->deferred.queue))
        return begin_chain(worker, regs, count);
    struct cm_lane_operation *operation = cm_deferred_begin(worker, kernel);
    for (uint32_t i = 1; i < count; i++)
        cm_deferred_take(worker, operation, i, regs[i], wide);
    return operation;
}

void cm_deferred_product(struct cm_worker *worker, cm_lane_kernel kernel, const uint32_t *regs,
                         uint32_t count, bool wide)
{
    /* true if the result register is also a source, so that its value must not be dropped first */
    bool reads_itself = false;
    for (uint32_t i = 1; i < 3; i++) {
        prepare(worker, regs[i], wide);
        reads_itself = reads_itself || regs[i] == regs[0];
    }
    /* generated code finds chains itself */
    const bool chains = !cm_lane_queue_code(&worker->deferred.queue);
    if (chains && count == 4 && regs[3] == regs[0] && extend(worker, regs, wide))
        return;
    if (count == 4) {
        prepare(worker, regs[3], wide);
        reads_itself = reads_itself || regs[3] == regs[0];
    }
    if (!reads_itself) {
        cm_deferred_drop(worker, regs[0], wide);
        cm_deferred_overwrite(worker, regs[0], wide);
    }
    struct cm_lane_operation *operation = begin_product(worker, kernel, regs, count, wide);
    if (reads_itself)
        cm_deferred_overwrite(worker, regs[0], wide);
    cm_deferred_result(worker, operation, 0, regs[0]);
    operation->result = wide ? CM_RESULT_WIDE : CM_RESULT_LOW;
    operation->product = chains;
    operation->wide = wide;
    cm_deferred_add(worker);
}
