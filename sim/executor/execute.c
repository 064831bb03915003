/*
 * This file has one function for each instruction that moves or computes data.
 *
 * Exchanges, transfers through communication tables, and indexed loads and stores (indexed.c) are
 * executed immediately. So are moves, unless they copy much data (moves.h). Any other instruction
 * becomes operations on lane blocks (lanes/lanes.h). They are deferred until the next barrier if
 * they use FPU registers or if operations are deferred already. Otherwise they are executed
 * immediately.
 */
#include "../lanes/code.h"
#include "../machine/remote.h"

#include <assert.h>
#include <string.h>

#define MOVE_PIECE INT64_C(16384) /* most words moved between two tests of the interrupt flag */

static uint32_t *plane(const struct cm_worker *worker, uint64_t address)
{
    return cm_worker_plane(worker, address);
}

/* Returns the plane of the first memory operand. */
static uint32_t *data_plane(const struct cm_worker *worker, const struct cm_issue *issue)
{
    return plane(worker, issue->at.data);
}

static struct cm_operand operand(const struct cm_issue *issue, unsigned number)
{
    return issue->instruction->operands[number];
}

static uint32_t *slot_plane(const struct cm_worker *worker, struct cm_operand operand)
{
    return worker->transposers[operand.reg] + (size_t)operand.value * worker->lanes.nodes;
}

/* Returns the vectors of FPU registers that generated code need not write, a bit each, because the
 * register is an alias of a memory word or a constant. */
static uint64_t find_dead(const struct cm_worker *worker)
{
    uint64_t dead = 0;
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++) {
        const struct cm_register *r = &worker->deferred.registers[reg];
        if (r->kind != CM_VALUE_REGISTER)
            dead |= (r->wide ? UINT64_C(3) : UINT64_C(1)) << 2 * reg;
    }
    return dead;
}

static bool execute_code(struct cm_worker *worker)
{
    const struct cm_machine *machine = worker->machine;
    struct cm_lane_queue *queue = &worker->deferred.queue;
    const struct cm_lanes lanes = worker->lanes;
    const struct cm_lane_place place = {
        .registers = cm_fpu_register(&machine->fpu, cm_worker_node(worker), 0),
        .context = worker->context + lanes.first,
        .block_words = (uint32_t)cm_fpu_block_words(&machine->fpu),
        .nodes = lanes.last - lanes.first,
        .least_nodes = machine->own_nodes / machine->worker_count,
        .plane_words = lanes.nodes,
        .streams = machine->streams,
        .dead = find_dead(worker),
        .slots = {worker->transposers[0], worker->transposers[1], worker->transposers[2]},
        .slot_words = (size_t)machine->config.transposer_slots * lanes.nodes,
    };
    struct cm_lane_code *code = cm_lane_queue_code(queue);
    return code && cm_lane_code_execute(code, queue, &place, &queue->crowded);
}

bool cm_execute_queue(struct cm_worker *worker)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    queue->planes = 0;
    if (queue->count == 0)
        return false;
    const bool by_code = execute_code(worker);
    if (!by_code)
        cm_lanes_execute(queue, worker->lanes, worker->machine->fpu.block_nodes);
    queue->first += queue->count;
    queue->count = 0;
    if (cm_lane_queue_code(queue))
        cm_lane_code_begin(queue->code, worker->context + worker->lanes.first);
    return by_code;
}

static struct cm_block_cache *block_cache_of(const struct cm_worker *worker)
{
    return CM_FOR_A_PAGE ? NULL : worker->block_cache;
}

/* Task: a function that is repeated for each partition of a worker's nodes, with its arguments. */
struct task {
    void (*function)(struct cm_worker *worker, const struct task *task);
    const struct cm_issue *issue;
    /* address and number of memory words, or in `count` the number of a register */
    uint64_t address, count;
};

static void copy_registers(struct cm_register *to, const struct cm_register *from, uint32_t which)
{
    for (; which; which &= which - 1) {
        const uint32_t reg = (uint32_t)__builtin_ctz(which);
        to[reg] = from[reg];
    }
}

/* Runs a task for one partition after the other. The state of registers that the worker knows must
 * be the same before each partition. worker->before stores this state, and only registers that
 * changed since the previous task are copied to it. A task must not begin another task. */
static void do_partitions(struct cm_worker *worker, const struct task *task)
{
    struct cm_deferred *deferred = &worker->deferred;
    assert(worker->partition == worker->first_partition && deferred->queue.count == 0);
    const uint32_t aliases = deferred->aliases;
    const bool context_full = worker->context_full;
    copy_registers(worker->before, deferred->registers, deferred->changed);
    deferred->changed = 0;
    for (uint32_t i = 0; i < worker->partition_count; i++) {
        if (i > 0) {
            cm_worker_select_partition(worker, worker->first_partition + i);
            copy_registers(deferred->registers, worker->before, deferred->changed);
            deferred->aliases = aliases;
            worker->context_full = context_full;
        }
        task->function(worker, task);
        (void)cm_execute_queue(worker);
    }
    cm_worker_select_partition(worker, worker->first_partition);
}

static void do_task(struct cm_worker *worker, const struct task *task)
{
    if (CM_FOR_A_PAGE || worker->partition_count == 1)
        task->function(worker, task);
    else
        do_partitions(worker, task);
}

static void execute_block(struct cm_worker *worker, const struct task *task)
{
    (void)task;
    cm_block_cache_execute(worker);
}

void cm_execute_deferred(struct cm_worker *worker)
{
    const struct cm_block_cache *cache = block_cache_of(worker);
    if (cache && cache->count > 0)
        do_task(worker, &(struct task){.function = execute_block});
    else
        (void)cm_execute_queue(worker);
}

static void load_aliases(struct cm_worker *worker, const struct task *task)
{
    cm_deferred_load_aliases(worker, task->address, task->count);
    (void)cm_execute_queue(worker);
}

void cm_execute_load_aliases(struct cm_worker *worker, uint64_t address, uint64_t count)
{
    cm_execute_deferred(worker);
    do_task(worker, &(struct task){.function = load_aliases, .address = address, .count = count});
}

static void need_register(struct cm_worker *worker, const struct task *task)
{
    cm_deferred_need(worker, (uint32_t)task->count, false);
    (void)cm_execute_queue(worker);
}

void cm_execute_need_register(struct cm_worker *worker, uint32_t reg)
{
    cm_execute_deferred(worker);
    do_task(worker, &(struct task){.function = need_register, .count = reg});
}

static void execute_load(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_lane_operation *operation = cm_deferred_begin(worker, cm_kernel_copy);
    cm_deferred_plane(worker, operation, 0, slot_plane(worker, operand(issue, 0)));
    cm_deferred_read(worker, operation, 1, issue->at.data);
    cm_deferred_add_or_execute(worker);
}

static void execute_unload(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_lane_operation *operation = cm_deferred_begin_store(worker, issue->at.data);
    cm_deferred_plane(worker, operation, 1, slot_plane(worker, operand(issue, 1)));
    cm_deferred_add_or_execute(worker);
}

static uint32_t scalar_word(const struct cm_worker *worker, int32_t argument, int32_t slice)
{
    return (uint32_t)(worker->machine->actuals[argument].scalar >> (32 * slice));
}

static void fill_slot(struct cm_worker *worker, const struct cm_issue *issue, uint32_t word)
{
    struct cm_lane_operation *operation = cm_deferred_begin(worker, cm_kernel_fill);
    cm_deferred_plane(worker, operation, 0, slot_plane(worker, operand(issue, 0)));
    operation->word = word;
    cm_deferred_add_or_execute(worker);
}

static void execute_const(struct cm_worker *worker, const struct cm_issue *issue)
{
    fill_slot(worker, issue, (uint32_t)operand(issue, 1).value);
}

static void execute_bcast(struct cm_worker *worker, const struct cm_issue *issue)
{
    fill_slot(worker, issue, scalar_word(worker, operand(issue, 1).value, operand(issue, 2).value));
}

/* ---- FPU registers ---- */

static void execute_fload32(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_alias_memory(worker, operand(issue, 0).reg, issue->at.data, false);
}

static void execute_fload64(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_alias_memory(worker, operand(issue, 0).reg, issue->at.data, true);
}

static void execute_fstore32(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_store(worker, operand(issue, 1).reg, issue->at.data, false);
}

static void execute_fstore64(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_store(worker, operand(issue, 1).reg, issue->at.data, true);
}

static void execute_fscal32(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_alias_constant(worker, operand(issue, 0).reg,
                               scalar_word(worker, operand(issue, 1).value, 0), false);
}

static void execute_fscal64(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_alias_constant(worker, operand(issue, 0).reg,
                               worker->machine->actuals[operand(issue, 1).value].scalar, true);
}

static void execute_fconst(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_alias_constant(worker, operand(issue, 0).reg, (uint32_t)operand(issue, 1).value,
                               false);
}

static void execute_nodeid(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_drop(worker, operand(issue, 0).reg, false);
    cm_deferred_overwrite(worker, operand(issue, 0).reg, false);
    struct cm_lane_operation *operation = cm_deferred_begin(worker, cm_kernel_number);
    cm_deferred_result(worker, operation, 0, operand(issue, 0).reg);
    operation->result = CM_RESULT_LOW;
    operation->word = cm_worker_node(worker);
    operation->word_step = worker->machine->fpu.block_nodes;
    cm_deferred_add(worker);
}

/* Sets operands of an operation to registers of an instruction. Operand `first` of the instruction
 * becomes operand `from` of the operation, and the next operands follow. */
static void set_sources(struct cm_worker *worker, const struct cm_issue *issue,
                        struct cm_lane_operation *operation, uint32_t first, uint32_t from,
                        bool wide)
{
    uint32_t count = cm_op_info(issue->instruction->op)->operand_count;
    for (uint32_t i = first; i < count; i++)
        cm_deferred_take(worker, operation, from + i - first, operand(issue, i).reg, wide);
}

/* Prepares the source registers of an instruction before its operation begins. A source that is
 * also a 32-bit result must be in its register. */
static void prepare_sources(struct cm_worker *worker, const struct cm_issue *issue, uint32_t first,
                            bool wide)
{
    uint32_t count = cm_op_info(issue->instruction->op)->operand_count;
    for (uint32_t i = first; i < count; i++)
        if (!wide && first > 0 && operand(issue, i).reg == operand(issue, 0).reg)
            cm_deferred_need(worker, operand(issue, i).reg, false);
        else
            cm_deferred_prepare(worker, operand(issue, i).reg, wide);
}

static void need_operands(struct cm_worker *worker, const struct cm_issue *issue, uint32_t first,
                          bool joined)
{
    uint32_t count = cm_op_info(issue->instruction->op)->operand_count;
    for (uint32_t i = first; i < count; i++)
        cm_deferred_need(worker, operand(issue, i).reg, joined);
}

/* Begins the operation of an instruction on registers, whose first register gets the result. */
static struct cm_lane_operation *begin_in_registers(struct cm_worker *worker,
                                                    const struct cm_issue *issue,
                                                    cm_lane_kernel kernel, bool wide)
{
    if (!wide)
        cm_deferred_overwrite(worker, operand(issue, 0).reg, false);
    struct cm_lane_operation *operation = cm_deferred_begin(worker, kernel);
    set_sources(worker, issue, operation, 1, 1, wide);
    if (wide) /* for a 64-bit result this call adds no operation to the queue */
        cm_deferred_overwrite(worker, operand(issue, 0).reg, true);
    cm_deferred_result(worker, operation, 0, operand(issue, 0).reg);
    return operation;
}

static void execute_arithmetic64(struct cm_worker *worker, const struct cm_issue *issue)
{
    prepare_sources(worker, issue, 1, true);
    begin_in_registers(worker, issue, worker->machine->kernels[issue->instruction->op], true)
        ->result = CM_RESULT_WIDE;
    cm_deferred_add(worker);
}

static void execute_arithmetic32(struct cm_worker *worker, const struct cm_issue *issue)
{
    prepare_sources(worker, issue, 1, false);
    begin_in_registers(worker, issue, worker->machine->kernels[issue->instruction->op], false)
        ->result = CM_RESULT_LOW;
    cm_deferred_add(worker);
}

/* Executes an integer division, whose kernels read only registers and planes. */
static void execute_division(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 1, false);
    execute_arithmetic32(worker, issue);
}

static void execute_product(struct cm_worker *worker, const struct cm_issue *issue)
{
    enum cm_op op = issue->instruction->op;
    uint32_t regs[CM_LANE_OPERANDS];
    uint32_t count = cm_op_info(op)->operand_count;
    for (uint32_t i = 0; i < count; i++)
        regs[i] = operand(issue, i).reg;
    cm_deferred_product(worker, worker->machine->kernels[op], regs, count, cm_fpu_is_wide(op));
}

/* Executes a conversion. Conversions work on split registers, and their result may have 64 bits. */
static void execute_convert(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 0, false);
    begin_in_registers(worker, issue, worker->machine->kernels[issue->instruction->op], false);
    cm_deferred_add(worker);
}

static void execute_fhigh(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 0, false);
    begin_in_registers(worker, issue, cm_kernel_high_half, false)->result = CM_RESULT_LOW;
    cm_deferred_add(worker);
}

static void execute_fjoin(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 0, false);
    begin_in_registers(worker, issue, cm_kernel_halves, false);
    cm_deferred_add(worker);
}

/* ---- the context flag ---- */

static void execute_ctxall(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    worker->context_full = true;
}

/* Sets the context flag by a bit of a memory word. */
static void context_by_bit(struct cm_worker *worker, const struct cm_issue *issue,
                           cm_lane_kernel kernel)
{
    struct cm_lane_operation *operation = cm_deferred_begin(worker, kernel);
    cm_deferred_plane(worker, operation, 0, worker->context);
    cm_deferred_read(worker, operation, 1, issue->at.data);
    operation->word = (uint32_t)operand(issue, 1).value;
    worker->context_full = false;
    cm_deferred_add_or_execute(worker);
}

static void execute_ctxload(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_bit(worker, issue, cm_kernel_bit_to_mask);
}

static void execute_ctxand(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_bit(worker, issue,
                   worker->context_full ? cm_kernel_bit_to_mask : cm_kernel_mask_and_bit);
}

static void execute_ctxnot(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    struct cm_lane_operation *operation =
        cm_deferred_begin(worker, worker->context_full ? cm_kernel_fill : cm_kernel_mask_not);
    cm_deferred_plane(worker, operation, 0, worker->context);
    worker->context_full = false;
    cm_deferred_add_or_execute(worker);
}

static void execute_compare(struct cm_worker *worker, const struct cm_issue *issue)
{
    enum cm_op op = issue->instruction->op;
    prepare_sources(worker, issue, 0, cm_fpu_is_wide(op));
    struct cm_lane_operation *operation = cm_deferred_begin(worker, worker->machine->kernels[op]);
    cm_deferred_plane(worker, operation, 0, worker->context);
    set_sources(worker, issue, operation, 0, 1, cm_fpu_is_wide(op));
    worker->context_full = false;
    cm_deferred_add(worker);
}

static void execute_ctxsave(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_overwrite(worker, operand(issue, 0).reg, false);
    struct cm_lane_operation *operation =
        cm_deferred_begin(worker, worker->context_full ? cm_kernel_fill : cm_kernel_mask_to_words);
    cm_deferred_result(worker, operation, 0, operand(issue, 0).reg);
    cm_deferred_plane(worker, operation, 1, worker->context);
    operation->result = CM_RESULT_LOW;
    operation->word = 1;
    cm_deferred_add(worker);
}

static void context_by_register(struct cm_worker *worker, const struct cm_issue *issue,
                                cm_lane_kernel kernel)
{
    cm_deferred_need(worker, operand(issue, 0).reg, false);
    struct cm_lane_operation *operation = cm_deferred_begin(worker, kernel);
    cm_deferred_plane(worker, operation, 0, worker->context);
    cm_deferred_source(worker, operation, 1, operand(issue, 0).reg);
    worker->context_full = false;
    cm_deferred_add(worker);
}

static void execute_ctxrest(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_register(worker, issue, cm_kernel_words_to_mask);
}

static void execute_ctxandr(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_register(worker, issue,
                        worker->context_full ? cm_kernel_words_to_mask : cm_kernel_mask_and_words);
}

/* Executes fsel32 or fsel64. Where the context flag is set in every node, the selection is a
 * copy. */
static void execute_select(struct cm_worker *worker, const struct cm_issue *issue)
{
    enum cm_op op = issue->instruction->op;
    bool wide = cm_fpu_is_wide(op);
    const uint32_t regs[] = {operand(issue, 0).reg, operand(issue, 1).reg, operand(issue, 2).reg};
    if (wide && !worker->context_full && cm_deferred_select(worker, regs))
        return;
    prepare_sources(worker, issue, 1, wide);
    struct cm_lane_operation *operation =
        begin_in_registers(worker, issue,
                           !worker->context_full ? worker->machine->kernels[op]
                           : wide                ? cm_kernel_copy64
                                                 : cm_kernel_copy,
                           wide);
    cm_deferred_plane(worker, operation, 3, worker->context);
    operation->result = wide ? CM_RESULT_WIDE : CM_RESULT_LOW;
    cm_deferred_add(worker);
}

/* ---- instructions executed immediately ---- */

/* Returns the slots that a communication table names for the nodes of the current partition. */
static struct cm_indirect choice_of(const struct cm_worker *worker, const struct cm_issue *issue)
{
    const size_t first = cm_worker_node(worker) - worker->lanes.first;
    return (struct cm_indirect){.slots = issue->choice.slots + first,
                                .present = issue->choice.present + first / CM_INDIRECT_BLOCK};
}

static void execute_loadi(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_execute_deferred(worker);
    worker->machine->indirect_kernels->scatter(worker->lanes,
                                               worker->transposers[operand(issue, 0).reg],
                                               choice_of(worker, issue), data_plane(worker, issue));
}

static void execute_unloadi(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_deferred_load_aliases(worker, issue->at.data, 1);
    cm_execute_deferred(worker);
    const uint32_t *registers = worker->transposers[operand(issue, 1).reg];
    const struct cm_indirect_kernels *kernels = worker->machine->indirect_kernels;
    if (worker->context_full)
        kernels->gather(worker->lanes, data_plane(worker, issue), registers,
                        choice_of(worker, issue));
    else
        kernels->gather_masked(worker->lanes, data_plane(worker, issue), registers,
                               choice_of(worker, issue), worker->context);
}

static void copy_plane(struct cm_worker *worker, uint32_t *to, const uint32_t *from)
{
    const struct cm_lanes lanes = worker->lanes;
    memcpy(to + lanes.first, from + lanes.first, (lanes.last - lanes.first) * sizeof *to);
}

/* Returns which of `slots` are exchanged with other processes, a bit each. Worker 0 exchanges them
 * for all workers. */
static uint64_t far_slots(const struct cm_machine *machine, uint64_t slots)
{
    uint32_t half = machine->config.transposer_slots / 2;
    uint64_t far = 0;
    for (uint64_t left = slots & machine->channel_slots; left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        if (cm_remote_is_far(machine, slot % half - 1))
            far |= UINT64_C(1) << slot;
    }
    return far;
}

/* Begins the exchange of slots with other processes, which continues while other slots are
 * exchanged. */
static void begin_far(struct cm_machine *machine, uint64_t slots)
{
    uint32_t half = machine->config.transposer_slots / 2;
    for (; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        size_t at = (size_t)slot * machine->nodes;
        cm_remote_begin(machine, machine->transposers[CM_TRANSPOSER_B] + at,
                        machine->transposers[CM_TRANSPOSER_A] + at, slot % half - 1);
    }
    cm_remote_push(machine);
}

/* Exchanges the words of a slot over a cube dimension: within the worker's partition, or with a
 * whole other partition. */
static void exchange_dimension(struct cm_worker *worker, uint32_t slot, uint32_t dimension)
{
    const struct cm_machine *machine = worker->machine;
    const uint32_t partition_bits = (uint32_t)__builtin_ctz(machine->partition_nodes);
    const size_t at = (size_t)slot * worker->lanes.nodes;
    uint32_t *to = worker->transposers[CM_TRANSPOSER_B] + at;
    if (CM_FOR_A_PAGE || dimension < partition_bits)
        cm_kernel_exchange(worker->lanes, to, worker->transposers[CM_TRANSPOSER_A] + at, dimension);
    else
        copy_plane(worker, to,
                   cm_transposer(machine,
                                 worker->partition ^ UINT32_C(1) << (dimension - partition_bits),
                                 CM_TRANSPOSER_A) +
                       at);
}

static void exchange_near(struct cm_worker *worker, uint64_t slots)
{
    const struct cm_machine *machine = worker->machine;
    const uint32_t half = machine->config.transposer_slots / 2, nodes = worker->lanes.nodes;
    for (uint64_t left = slots; left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t channel = slot % half;
        if (channel == 0) /* the chip-to-chip wire crosses to the other set of slots */
            copy_plane(worker, worker->transposers[CM_TRANSPOSER_B] + (size_t)(slot ^ half) * nodes,
                       worker->transposers[CM_TRANSPOSER_A] + (size_t)slot * nodes);
        else if (machine->channel_slots >> slot & 1)
            exchange_dimension(worker, slot, channel - 1);
    }
}

/* Executes an exchange. Only slots loaded since the last exchange carry new words. Transposer B
 * keeps words of earlier exchanges. */
static void execute_exchange(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    struct cm_machine *machine = worker->machine;
    uint64_t slots = cm_channels_loaded_slots(&worker->channels);
    uint64_t far = machine->link ? far_slots(machine, slots) : 0;
    if (far && worker->clock)
        begin_far(machine, far);
    exchange_near(worker, slots & ~far);
    if (far && worker->clock)
        cm_remote_finish(machine);
}

static bool is_interrupted(const struct cm_worker *worker)
{
    return atomic_load_explicit(&worker->machine->interrupted, memory_order_relaxed);
}

static void move_masked(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    int64_t dst = (int64_t)issue->at.data;
    int64_t src = (int64_t)issue->at.other;
    for (int32_t k = 0; k < operands[2].value && !is_interrupted(worker); k++) {
        struct cm_lane_operation *operation = cm_deferred_begin_store(worker, (uint64_t)dst);
        cm_deferred_read(worker, operation, 1, (uint64_t)src);
        cm_deferred_add_or_execute(worker);
        dst += operands[3].value;
        src += operands[4].value;
    }
}

/* Executes a move in pieces, so that a run can be interrupted within a long move. Memory is
 * undefined after an interrupt. */
static void move_in_pieces(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    int64_t dst = (int64_t)issue->at.data;
    int64_t src = (int64_t)issue->at.other;
    for (int64_t left = operands[2].value; left > 0 && !is_interrupted(worker);) {
        int64_t count = left < MOVE_PIECE ? left : MOVE_PIECE;
        cm_kernel_move(worker->lanes,
                       &(struct cm_plane_move){plane(worker, (uint64_t)dst),
                                               plane(worker, (uint64_t)src), (uint64_t)count,
                                               operands[3].value, operands[4].value,
                                               worker->machine->nontemporal});
        dst += count * operands[3].value;
        src += count * operands[4].value;
        left -= count;
    }
}

static void execute_move(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    int64_t span = (int64_t)operands[3].value * (operands[2].value - 1);
    uint64_t first = span < 0 ? issue->at.data - (uint64_t)-span : issue->at.data;
    cm_deferred_load_aliases(worker, first, (uint64_t)(span < 0 ? -span : span) + 1);
    if (cm_moves_may_defer(worker, issue->instruction)) {
        if (worker->partition == worker->first_partition)
            cm_moves_add(worker, issue);
        return;
    }
    cm_execute_deferred(worker);
    if (worker->context_full)
        move_in_pieces(worker, issue);
    else
        move_masked(worker, issue);
}

typedef void (*execute_function)(struct cm_worker *worker, const struct cm_issue *issue);

/* Functions that execute the data part of each instruction. NULL means that the sequencer does
 * everything that the instruction does. */
static const execute_function functions[CM_OP_COUNT] = {
    [CM_OP_LOAD] = execute_load,
    [CM_OP_UNLOAD] = execute_unload,
    [CM_OP_LOADI] = execute_loadi,
    [CM_OP_UNLOADI] = execute_unloadi,
    [CM_OP_CONST] = execute_const,
    [CM_OP_BCAST] = execute_bcast,
    [CM_OP_EXCHANGE] = execute_exchange,
    [CM_OP_MOVE] = execute_move,
    [CM_OP_FLOAD32] = execute_fload32,
    [CM_OP_FLOAD64] = execute_fload64,
    [CM_OP_FSTORE32] = execute_fstore32,
    [CM_OP_FSTORE64] = execute_fstore64,
    [CM_OP_FSCAL32] = execute_fscal32,
    [CM_OP_FSCAL64] = execute_fscal64,
    [CM_OP_FADD32] = execute_arithmetic32,
    [CM_OP_FADD64] = execute_arithmetic64,
    [CM_OP_FSUB32] = execute_arithmetic32,
    [CM_OP_FSUB64] = execute_arithmetic64,
    [CM_OP_FMUL32] = execute_product,
    [CM_OP_FMUL64] = execute_product,
    [CM_OP_FMA32] = execute_product,
    [CM_OP_FMA64] = execute_product,
    [CM_OP_IADD] = execute_arithmetic32,
    [CM_OP_ISUB] = execute_arithmetic32,
    [CM_OP_IMUL] = execute_arithmetic32,
    [CM_OP_CTXALL] = execute_ctxall,
    [CM_OP_CTXLOAD] = execute_ctxload,
    [CM_OP_CTXAND] = execute_ctxand,
    [CM_OP_CTXNOT] = execute_ctxnot,
    [CM_OP_FDIV32] = execute_arithmetic32,
    [CM_OP_FDIV64] = execute_arithmetic64,
    [CM_OP_FSQRT32] = execute_arithmetic32,
    [CM_OP_FSQRT64] = execute_arithmetic64,
    [CM_OP_FNEG32] = execute_arithmetic32,
    [CM_OP_FNEG64] = execute_arithmetic64,
    [CM_OP_FABS32] = execute_arithmetic32,
    [CM_OP_FABS64] = execute_arithmetic64,
    [CM_OP_FMIN32] = execute_arithmetic32,
    [CM_OP_FMIN64] = execute_arithmetic64,
    [CM_OP_FMAX32] = execute_arithmetic32,
    [CM_OP_FMAX64] = execute_arithmetic64,
    [CM_OP_IMIN] = execute_arithmetic32,
    [CM_OP_IMAX] = execute_arithmetic32,
    [CM_OP_IDIV] = execute_division,
    [CM_OP_IMOD] = execute_division,
    [CM_OP_IAND] = execute_arithmetic32,
    [CM_OP_IOR] = execute_arithmetic32,
    [CM_OP_IXOR] = execute_arithmetic32,
    [CM_OP_ISHL] = execute_arithmetic32,
    [CM_OP_ISHR] = execute_arithmetic32,
    [CM_OP_ISAR] = execute_arithmetic32,
    [CM_OP_FEQ32] = execute_compare,
    [CM_OP_FLT32] = execute_compare,
    [CM_OP_FLE32] = execute_compare,
    [CM_OP_FEQ64] = execute_compare,
    [CM_OP_FLT64] = execute_compare,
    [CM_OP_FLE64] = execute_compare,
    [CM_OP_IEQ] = execute_compare,
    [CM_OP_ILT] = execute_compare,
    [CM_OP_ILE] = execute_compare,
    [CM_OP_CTXSAVE] = execute_ctxsave,
    [CM_OP_CTXREST] = execute_ctxrest,
    [CM_OP_CTXANDR] = execute_ctxandr,
    [CM_OP_FSEL32] = execute_select,
    [CM_OP_FSEL64] = execute_select,
    [CM_OP_I2F32] = execute_convert,
    [CM_OP_I2F64] = execute_convert,
    [CM_OP_F2I32] = execute_convert,
    [CM_OP_F2I64] = execute_convert,
    [CM_OP_F32TO64] = execute_convert,
    [CM_OP_F64TO32] = execute_convert,
    [CM_OP_FHIGH] = execute_fhigh,
    [CM_OP_FJOIN] = execute_fjoin,
    [CM_OP_FCONST] = execute_fconst,
    [CM_OP_NODEID] = execute_nodeid,
    [CM_OP_FLOADX32] = cm_execute_load_indexed,
    [CM_OP_FLOADX64] = cm_execute_load_indexed,
    [CM_OP_FSTOREX32] = cm_execute_store_indexed,
    [CM_OP_FSTOREX64] = cm_execute_store_indexed,
};

bool cm_executes_nothing(enum cm_op op)
{
    return functions[op] == NULL;
}

void cm_execute_now(struct cm_worker *worker, const struct cm_issue *issue)
{
    execute_function function = functions[issue->instruction->op];
    if (function)
        function(worker, issue);
}

static void execute_now(struct cm_worker *worker, const struct task *task)
{
    cm_execute_now(worker, task->issue);
}

void cm_execute(struct cm_worker *worker, const struct cm_issue *issue)
{
    if (CM_FOR_A_PAGE)
        cm_execute_now(worker, issue);
    else if (!worker->block_cache || !cm_block_cache_record(worker, issue))
        do_task(worker, &(struct task){.function = execute_now, .issue = issue});
}
