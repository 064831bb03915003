/* The data part of each instruction: what it does to planes, transposers and registers. No time in
 * here. */
#include "machine_private.h"

#define MOVE_PIECE INT64_C(16384) /* words moved between looks at the interrupt flag */

#define EXECUTE(name)                                                                              \
    static void name(struct cm_worker *worker, const struct cm_instruction *instruction,           \
                     const struct cm_effective *at, struct cm_indirect way)

static uint32_t *plane(const struct cm_worker *worker, uint64_t address)
{
    return cm_memory_plane(&worker->machine->memory, address);
}

static uint32_t *slot_plane(const struct cm_worker *worker, struct cm_operand operand)
{
    return worker->machine->transposers[operand.reg] +
           (size_t)operand.value * worker->machine->nodes;
}

/* Writes to memory: only where the context flag is set. */
static void store_plane(struct cm_worker *worker, uint64_t address, const uint32_t *words)
{
    if (worker->context_full)
        cm_kernel_copy(worker->lanes, plane(worker, address), words);
    else
        cm_kernel_copy_masked(worker->lanes, plane(worker, address), words,
                              worker->machine->context);
}

EXECUTE(execute_load)
{
    (void)way;
    cm_kernel_copy(worker->lanes, slot_plane(worker, instruction->operands[0]),
                   plane(worker, at->data));
}

EXECUTE(execute_unload)
{
    (void)way;
    store_plane(worker, at->data, slot_plane(worker, instruction->operands[1]));
}

EXECUTE(execute_loadi)
{
    worker->machine->way_kernels->scatter(
        worker->lanes, worker->machine->transposers[instruction->operands[0].reg], way,
        plane(worker, at->data));
}

EXECUTE(execute_unloadi)
{
    const uint32_t *registers = worker->machine->transposers[instruction->operands[1].reg];
    const struct cm_indirect_kernels *kernels = worker->machine->way_kernels;
    if (worker->context_full)
        kernels->gather(worker->lanes, plane(worker, at->data), registers, way);
    else
        kernels->gather_masked(worker->lanes, plane(worker, at->data), registers, way,
                               worker->machine->context);
}

EXECUTE(execute_const)
{
    (void)at, (void)way;
    cm_kernel_fill(worker->lanes, slot_plane(worker, instruction->operands[0]),
                   (uint32_t)instruction->operands[1].value);
}

static uint32_t scalar_word(const struct cm_worker *worker, int32_t argument, int32_t slice)
{
    return (uint32_t)(worker->machine->actuals[argument].scalar >> (32 * slice));
}

EXECUTE(execute_bcast)
{
    (void)at, (void)way;
    const struct cm_operand *operands = instruction->operands;
    cm_kernel_fill(worker->lanes, slot_plane(worker, operands[0]),
                   scalar_word(worker, operands[1].value, operands[2].value));
}

/* Only slots loaded since the last exchange carry anything new; B keeps what earlier exchanges
 * brought. */
EXECUTE(execute_exchange)
{
    (void)instruction, (void)at, (void)way;
    const struct cm_machine *machine = worker->machine;
    uint32_t half = machine->config.transposer_slots / 2;
    const uint32_t *a = machine->transposers[CM_TRANSPOSER_A];
    uint32_t *b = machine->transposers[CM_TRANSPOSER_B];
    for (uint64_t left = cm_channels_loaded_slots(&worker->traffic); left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t channel = slot % half;
        const uint32_t *from = a + (size_t)slot * machine->nodes;
        if (channel == 0) /* the chip-to-chip wire crosses to the other set */
            cm_kernel_copy(worker->lanes, b + (size_t)(slot ^ half) * machine->nodes, from);
        else if (machine->channel_slots >> slot & 1)
            cm_kernel_exchange(worker->lanes, b + (size_t)slot * machine->nodes, from, channel - 1);
    }
}

static bool is_interrupted(const struct cm_worker *worker)
{
    return atomic_load_explicit(&worker->machine->interrupted, memory_order_relaxed);
}

static void move_masked(struct cm_worker *worker, const struct cm_instruction *instruction,
                        const struct cm_effective *at)
{
    const struct cm_operand *operands = instruction->operands;
    int64_t dst = (int64_t)at->data;
    int64_t src = (int64_t)at->other;
    for (int32_t k = 0; k < operands[2].value && !is_interrupted(worker); k++) {
        store_plane(worker, (uint64_t)dst, plane(worker, (uint64_t)src));
        dst += operands[3].value;
        src += operands[4].value;
    }
}

/* In pieces, so that a run can be stopped within a long move; what is left undone then is of no use
 * to anyone. */
static void move_in_pieces(struct cm_worker *worker, const struct cm_instruction *instruction,
                           const struct cm_effective *at)
{
    const struct cm_operand *operands = instruction->operands;
    int64_t dst = (int64_t)at->data;
    int64_t src = (int64_t)at->other;
    for (int64_t left = operands[2].value; left > 0 && !is_interrupted(worker);) {
        int64_t count = left < MOVE_PIECE ? left : MOVE_PIECE;
        cm_kernel_move(worker->lanes, plane(worker, (uint64_t)dst), plane(worker, (uint64_t)src),
                       (uint64_t)count, operands[3].value, operands[4].value,
                       worker->machine->stream);
        dst += count * operands[3].value;
        src += count * operands[4].value;
        left -= count;
    }
}

EXECUTE(execute_move)
{
    (void)way;
    if (!worker->context_full) {
        move_masked(worker, instruction, at);
        return;
    }
    move_in_pieces(worker, instruction, at);
}

EXECUTE(execute_fpu_load)
{
    (void)way;
    const struct cm_fpu *fpu = &worker->machine->fpu;
    uint32_t reg = instruction->operands[0].reg;
    cm_kernel_copy(worker->lanes, cm_fpu_low(fpu, reg), plane(worker, at->data));
    if (instruction->op == CM_OP_FLOAD64)
        cm_kernel_copy(worker->lanes, cm_fpu_high(fpu, reg), plane(worker, at->data + 1));
}

EXECUTE(execute_fpu_store)
{
    (void)way;
    const struct cm_fpu *fpu = &worker->machine->fpu;
    uint32_t reg = instruction->operands[1].reg;
    store_plane(worker, at->data, cm_fpu_low(fpu, reg));
    if (instruction->op == CM_OP_FSTORE64)
        store_plane(worker, at->data + 1, cm_fpu_high(fpu, reg));
}

EXECUTE(execute_fpu_scalar)
{
    (void)at, (void)way;
    const struct cm_fpu *fpu = &worker->machine->fpu;
    const struct cm_operand *operands = instruction->operands;
    cm_kernel_fill(worker->lanes, cm_fpu_low(fpu, operands[0].reg),
                   scalar_word(worker, operands[1].value, 0));
    if (instruction->op == CM_OP_FSCAL64)
        cm_kernel_fill(worker->lanes, cm_fpu_high(fpu, operands[0].reg),
                       scalar_word(worker, operands[1].value, 1));
}

EXECUTE(execute_arithmetic)
{
    (void)at, (void)way;
    cm_fpu_execute(&worker->machine->fpu, worker->lanes, instruction);
}

EXECUTE(execute_ctxall)
{
    (void)instruction, (void)at, (void)way;
    worker->context_full = true;
}

EXECUTE(execute_ctxload)
{
    (void)way;
    cm_kernel_bit_to_mask(worker->lanes, worker->machine->context, plane(worker, at->data),
                          (uint32_t)instruction->operands[1].value);
    worker->context_full = false;
}

EXECUTE(execute_ctxand)
{
    if (worker->context_full) {
        execute_ctxload(worker, instruction, at, way);
        return;
    }
    cm_kernel_mask_and_bit(worker->lanes, worker->machine->context, plane(worker, at->data),
                           (uint32_t)instruction->operands[1].value);
}

EXECUTE(execute_ctxnot)
{
    (void)instruction, (void)at, (void)way;
    if (worker->context_full)
        cm_kernel_fill(worker->lanes, worker->machine->context, 0);
    else
        cm_kernel_mask_not(worker->lanes, worker->machine->context);
    worker->context_full = false;
}

typedef void (*execute_function)(struct cm_worker *worker, const struct cm_instruction *instruction,
                                 const struct cm_effective *at, struct cm_indirect way);

/* NULL: the sequencer does all of it. */
static const execute_function functions[CM_OP_COUNT] = {
    [CM_OP_LOAD] = execute_load,          [CM_OP_UNLOAD] = execute_unload,
    [CM_OP_LOADI] = execute_loadi,        [CM_OP_UNLOADI] = execute_unloadi,
    [CM_OP_CONST] = execute_const,        [CM_OP_BCAST] = execute_bcast,
    [CM_OP_EXCHANGE] = execute_exchange,  [CM_OP_MOVE] = execute_move,
    [CM_OP_FLOAD32] = execute_fpu_load,   [CM_OP_FLOAD64] = execute_fpu_load,
    [CM_OP_FSTORE32] = execute_fpu_store, [CM_OP_FSTORE64] = execute_fpu_store,
    [CM_OP_FSCAL32] = execute_fpu_scalar, [CM_OP_FSCAL64] = execute_fpu_scalar,
    [CM_OP_FADD32] = execute_arithmetic,  [CM_OP_FADD64] = execute_arithmetic,
    [CM_OP_FSUB32] = execute_arithmetic,  [CM_OP_FSUB64] = execute_arithmetic,
    [CM_OP_FMUL32] = execute_arithmetic,  [CM_OP_FMUL64] = execute_arithmetic,
    [CM_OP_FMA32] = execute_arithmetic,   [CM_OP_FMA64] = execute_arithmetic,
    [CM_OP_IADD] = execute_arithmetic,    [CM_OP_ISUB] = execute_arithmetic,
    [CM_OP_IMUL] = execute_arithmetic,    [CM_OP_CTXALL] = execute_ctxall,
    [CM_OP_CTXLOAD] = execute_ctxload,    [CM_OP_CTXAND] = execute_ctxand,
    [CM_OP_CTXNOT] = execute_ctxnot,
};

void cm_execute(struct cm_worker *worker, const struct cm_instruction *instruction,
                const struct cm_effective *at, struct cm_indirect way)
{
    execute_function function = functions[instruction->op];
    if (function)
        function(worker, instruction, at, way);
}
