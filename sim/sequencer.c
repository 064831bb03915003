/*
 * The sequencer: issues one instruction after the other to all nodes.
 *
 *   address registers   64 of them, in 32-bit words of node memory
 *   loop stack          sequencer.loop_depth entries; a loop instruction pushes, its next pops when
 *                       the count runs out
 *   order of things     addresses are resolved and checked, the clock charged, channels accounted,
 *                       then data moves
 *   faults              an address outside node memory; a table that names no slot; two words for
 *                       one channel
 *
 * Not modelled: pipelines in the node, data-dependent branches (the CM's global-OR line).
 */
#include "machine_private.h"

/* Words that an instruction accesses from its first memory operand on. */
static uint64_t access_words(enum cm_op op)
{
    switch (op) {
    case CM_OP_FLOAD64:
    case CM_OP_FSTORE64:
        return 2;
    default:
        return 1;
    }
}

static bool fail(struct cm_worker *worker, enum cm_fault_kind kind, int64_t detail0,
                 int64_t detail1)
{
    worker->fault = kind;
    worker->fault_pc = worker->pc;
    worker->fault_detail[0] = detail0;
    worker->fault_detail[1] = detail1;
    return false;
}

static bool in_memory(struct cm_worker *worker, int64_t address, uint64_t words)
{
    if (address >= 0 && cm_memory_has(&worker->machine->memory, (uint64_t)address, words))
        return true;
    return fail(worker, CM_FAULT_ADDRESS, address, (int64_t)words);
}

/* Registers count modulo 2^64: an argument may be any number, and what counts is where an access
 * goes. */
static int64_t add(int64_t address, int64_t words)
{
    return (int64_t)((uint64_t)address + (uint64_t)words);
}

static int64_t operand_address(const struct cm_worker *worker, struct cm_operand operand)
{
    return add(worker->address[operand.reg], operand.value);
}

/* A move touches the words from `address` on, `count` of them, `stride` apart. */
static bool walk_in_memory(struct cm_worker *worker, int64_t address, int64_t count, int64_t stride)
{
    return in_memory(worker, address, 1) && in_memory(worker, address + stride * (count - 1), 1);
}

static bool resolve_move(struct cm_worker *worker, const struct cm_instruction *instruction,
                         struct cm_effective *at)
{
    const struct cm_operand *operands = instruction->operands;
    int64_t dst = operand_address(worker, operands[0]);
    int64_t src = operand_address(worker, operands[1]);
    int64_t count = operands[2].value;
    *at = (struct cm_effective){.data = (uint64_t)dst, .other = (uint64_t)src};
    return walk_in_memory(worker, dst, count, operands[3].value) &&
           walk_in_memory(worker, src, count, operands[4].value);
}

/* Works out and checks the addresses that an instruction touches. */
static bool resolve(struct cm_worker *worker, const struct cm_instruction *instruction,
                    struct cm_effective *at)
{
    if (instruction->op == CM_OP_MOVE)
        return resolve_move(worker, instruction, at);
    const struct cm_op_info *info = cm_op_info(instruction->op);
    uint64_t *slots[2] = {&at->data, &at->other};
    uint32_t found = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        if (info->operands[i] != CM_OPERAND_MEM)
            continue;
        int64_t address = operand_address(worker, instruction->operands[i]);
        if (!in_memory(worker, address, found == 0 ? access_words(instruction->op) : 1))
            return false;
        *slots[found++] = (uint64_t)address;
    }
    return true;
}

static bool traffic_ok(struct cm_worker *worker, enum cm_channels_status status,
                       struct cm_channels_fault fault)
{
    switch (status) {
    case CM_CHANNELS_OK:
        return true;
    case CM_CHANNELS_BAD_SLOT:
        return fail(worker, CM_FAULT_SLOT, fault.slot, fault.node);
    case CM_CHANNELS_CONFLICT:
        return fail(worker, CM_FAULT_CONFLICT, fault.slot, fault.node);
    case CM_CHANNELS_NO_MEMORY:
        break;
    }
    return fail(worker, CM_FAULT_MEMORY, 0, 0);
}

/* The way through a communication table. A new one is read while no worker writes memory. */
static bool find_way(struct cm_worker *worker, const struct cm_instruction *instruction,
                     uint64_t table, uint32_t *key)
{
    uint32_t field = (uint32_t)instruction->operands[3].value;
    uint32_t half = (uint32_t)instruction->operands[4].value;
    struct cm_pool *pool = worker->machine->pool;
    struct cm_channels_fault fault = {0};
    bool known = cm_channels_known(&worker->traffic, table, field, half);
    if (!known && !cm_pool_barrier(pool))
        return fail(worker, CM_FAULT_INTERRUPT, 0, 0);
    enum cm_channels_status status =
        cm_channels_find(&worker->traffic, table, field, half, key, &fault);
    if (!known && !cm_pool_barrier(pool))
        return fail(worker, CM_FAULT_INTERRUPT, 0, 0);
    return traffic_ok(worker, status, fault);
}

/* Accounts for a word that goes into transposer A; the other transposers drive no channels. */
static bool account_load(struct cm_worker *worker, enum cm_transposer transposer, uint32_t key)
{
    struct cm_channels_fault fault = {0};
    if (transposer != CM_TRANSPOSER_A)
        return true;
    return traffic_ok(worker, cm_channels_load(&worker->traffic, key, &fault), fault);
}

static bool account_direct(struct cm_worker *worker, struct cm_operand slot)
{
    uint32_t key = 0;
    struct cm_channels_fault none = {0};
    if (slot.reg != CM_TRANSPOSER_A)
        return true;
    return traffic_ok(worker, cm_channels_find_slot(&worker->traffic, (uint32_t)slot.value, &key),
                      none) &&
           account_load(worker, CM_TRANSPOSER_A, key);
}

/* Communication tables that an instruction may have overwritten are read again at their next
 * use. */
static bool account_write(struct cm_worker *worker, uint64_t address, uint64_t words)
{
    struct cm_channels_fault none = {0};
    return traffic_ok(worker, cm_channels_touch(&worker->traffic, address, words), none);
}

static bool account_move(struct cm_worker *worker, const struct cm_instruction *instruction,
                         uint64_t dst)
{
    int64_t span = (int64_t)instruction->operands[3].value * (instruction->operands[2].value - 1);
    uint64_t first = span < 0 ? dst - (uint64_t)-span : dst;
    return account_write(worker, first, (uint64_t)(span < 0 ? -span : span) + 1);
}

static bool account_loads(struct cm_worker *worker, const struct cm_instruction *instruction,
                          const struct cm_effective *at, struct cm_indirect *way, uint32_t *key)
{
    const struct cm_operand *operands = instruction->operands;
    switch (cm_op_info(instruction->op)->cost) {
    case CM_COST_LOAD:
    case CM_COST_CONSTANT:
        return account_direct(worker, operands[0]);
    case CM_COST_LOAD_INDIRECT:
        if (!find_way(worker, instruction, at->other, key) ||
            !account_load(worker, (enum cm_transposer)operands[0].reg, *key))
            return false;
        *way = cm_channels_indirect(&worker->traffic, *key);
        return true;
    case CM_COST_UNLOAD_INDIRECT:
        if (!find_way(worker, instruction, at->other, key))
            return false;
        *way = cm_channels_indirect(&worker->traffic, *key);
        return true;
    default:
        return true;
    }
}

static bool account_writes(struct cm_worker *worker, const struct cm_instruction *instruction,
                           const struct cm_effective *at)
{
    switch (cm_op_info(instruction->op)->cost) {
    case CM_COST_UNLOAD:
    case CM_COST_UNLOAD_INDIRECT:
    case CM_COST_FPU_STORE:
        return account_write(worker, at->data, access_words(instruction->op));
    case CM_COST_MOVE:
        return account_move(worker, instruction, at->data);
    default:
        return true;
    }
}

static void begin_loop(struct cm_worker *worker, int32_t count)
{
    worker->loops[worker->loop_depth].start = worker->pc;
    worker->loops[worker->loop_depth].left = count;
    worker->loop_depth++;
}

static void end_iteration(struct cm_worker *worker)
{
    uint32_t innermost = worker->loop_depth - 1;
    if (--worker->loops[innermost].left > 0)
        worker->pc = worker->loops[innermost].start;
    else
        worker->loop_depth--;
}

/* Loops and address registers. The verifier has seen to it that loops nest and fit the stack. */
static void control(struct cm_worker *worker, const struct cm_instruction *instruction)
{
    const struct cm_operand *operands = instruction->operands;
    switch (instruction->op) {
    case CM_OP_LOOP:
        begin_loop(worker, operands[0].value);
        break;
    case CM_OP_NEXT:
        end_iteration(worker);
        break;
    case CM_OP_ASET:
        worker->address[operands[0].reg] = operands[1].value;
        break;
    case CM_OP_AADD:
        worker->address[operands[0].reg] = add(worker->address[operands[0].reg], operands[1].value);
        break;
    case CM_OP_ACOPY:
        worker->address[operands[0].reg] = add(worker->address[operands[1].reg], operands[2].value);
        break;
    case CM_OP_AARG:
        worker->address[operands[0].reg] =
            (int64_t)worker->machine->actuals[operands[1].value].address;
        break;
    default:
        break;
    }
}

/* Which slots an instruction uses; `key` is its way's where it has one. */
static void describe_slots(const struct cm_instruction *instruction, uint32_t key,
                           struct cm_observed_issue *issue)
{
    switch (cm_op_info(instruction->op)->cost) {
    case CM_COST_LOAD:
    case CM_COST_CONSTANT:
        issue->slots = CM_SLOTS_ONE;
        issue->number = (uint32_t)instruction->operands[0].value;
        break;
    case CM_COST_UNLOAD:
        issue->slots = CM_SLOTS_ONE;
        issue->number = (uint32_t)instruction->operands[1].value;
        break;
    case CM_COST_LOAD_INDIRECT:
    case CM_COST_UNLOAD_INDIRECT:
        issue->slots = CM_SLOTS_WAY;
        issue->number = key;
        break;
    default:
        break;
    }
}

static void tell(const struct cm_worker *worker, struct cm_observed_issue *issue)
{
    const struct cm_observer *observer = worker->machine->observer;
    issue->counters = &worker->clock->counters;
    issue->pc = worker->pc;
    issue->generation = worker->traffic.generation;
    if (observer->issued != NULL)
        observer->issued(observer->context, issue);
}

/* While no worker loads: transposer A holds what goes over the channels. */
static void tell_exchange(struct cm_worker *worker)
{
    struct cm_observed_issue issue = {
        .first_cycle = worker->exchange_cycle,
        .slots = CM_SLOTS_PENDING,
        .number = cm_channels_pending(&worker->traffic),
        .wires = worker->machine->transposers[CM_TRANSPOSER_A],
    };
    tell(worker, &issue);
}

/* Charges an instruction and tells of it; of an exchange when it takes place. */
static void issue_observed(struct cm_worker *worker, const struct cm_instruction *instruction,
                           const struct cm_effective *at, uint32_t key)
{
    struct cm_observed_issue issue = {
        .first_cycle = worker->clock->counters.cycles, .address = at->data, .other = at->other};
    cm_clock_issue(worker->clock, instruction, at);
    worker->exchange_cycle = issue.first_cycle;
    if (instruction->op == CM_OP_EXCHANGE)
        return;
    describe_slots(instruction, key, &issue);
    tell(worker, &issue);
}

/* All workers have loaded before any copies, and all have copied before any loads again. */
static bool exchange(struct cm_worker *worker, const struct cm_instruction *instruction,
                     const struct cm_effective *at, bool observed)
{
    struct cm_machine *machine = worker->machine;
    if (!machine->timing_only) {
        if (!cm_pool_barrier(machine->pool))
            return fail(worker, CM_FAULT_INTERRUPT, 0, 0);
        cm_execute(worker, instruction, at, (struct cm_indirect){0});
    }
    if (observed)
        tell_exchange(worker);
    if (!machine->timing_only) {
        if (!cm_pool_barrier(machine->pool))
            return fail(worker, CM_FAULT_INTERRUPT, 0, 0);
    }
    worker->words_sent += cm_channels_exchange(&worker->traffic);
    return true;
}

/* `observed` is a constant where this is called, so that nothing is asked where nobody looks. */
static inline bool step(struct cm_worker *worker, const struct cm_instruction *instruction,
                        bool observed)
{
    struct cm_effective at = {0};
    struct cm_indirect way = {0};
    uint32_t key = 0;
    if (!resolve(worker, instruction, &at) || !account_loads(worker, instruction, &at, &way, &key))
        return false;
    if (observed)
        issue_observed(worker, instruction, &at, key);
    else if (worker->clock)
        cm_clock_issue(worker->clock, instruction, &at);
    control(worker, instruction);
    if (instruction->op == CM_OP_EXCHANGE)
        return exchange(worker, instruction, &at, observed);
    if (!worker->machine->timing_only)
        cm_execute(worker, instruction, &at, way);
    return account_writes(worker, instruction, &at);
}

/* Until halt or fault. */
static inline void run(struct cm_worker *worker, bool observed)
{
    const struct cm_instruction *code = worker->machine->imp->code;
    for (worker->pc = 0;; worker->pc++) {
        if (atomic_load_explicit(&worker->machine->interrupted, memory_order_relaxed))
            fail(worker, CM_FAULT_INTERRUPT, 0, 0);
        else if (code[worker->pc].op == CM_OP_HALT)
            return;
        else if (step(worker, &code[worker->pc], observed))
            continue;
        cm_pool_give_up(worker->machine->pool);
        return;
    }
}

void cm_sequencer_run(struct cm_worker *worker)
{
    const bool observed = worker->clock != NULL && worker->machine->observer != NULL;
    worker->loop_depth = 0;
    worker->context_full = true;
    worker->fault = CM_FAULT_NONE;
    if (observed)
        run(worker, true);
    else
        run(worker, false);
    if (worker->clock != NULL && worker->fault == CM_FAULT_NONE)
        cm_clock_issue(worker->clock, &worker->machine->imp->code[worker->pc],
                       &(struct cm_effective){0});
}
