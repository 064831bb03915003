/* What each class of instruction costs: the one table between isa.def and the machine
 * description. */
#include "clock.h"

typedef void (*charge_function)(struct cm_clock *clock, const struct cm_instruction *instruction,
                                const struct cm_effective *at);

#define CHARGE(name)                                                                               \
    static void name(struct cm_clock *clock, const struct cm_instruction *instruction,             \
                     const struct cm_effective *at)

CHARGE(charge_none)
{
    (void)clock, (void)instruction, (void)at;
}

CHARGE(charge_loop)
{
    (void)instruction, (void)at;
    cm_clock_charge(clock, CM_CAUSE_LOOP, clock->config->sequencer_loop_start_cycles);
}

CHARGE(charge_next)
{
    (void)instruction, (void)at;
    cm_clock_charge(clock, CM_CAUSE_LOOP, clock->config->sequencer_loop_iteration_cycles);
}

CHARGE(charge_address)
{
    (void)instruction, (void)at;
    cm_clock_charge(clock, CM_CAUSE_ADDRESS, clock->config->sequencer_address_cycles);
}

CHARGE(charge_load)
{
    (void)instruction;
    cm_clock_read(clock, at->data);
    cm_clock_charge(clock, CM_CAUSE_TRANSPOSER, clock->config->transposer_load_cycles);
}

CHARGE(charge_unload)
{
    (void)instruction;
    cm_clock_write(clock, at->data);
    cm_clock_charge(clock, CM_CAUSE_TRANSPOSER, clock->config->transposer_unload_cycles);
}

/* The communication table word comes first: it names the slot. */
CHARGE(charge_load_indirect)
{
    (void)instruction;
    cm_clock_read(clock, at->other);
    cm_clock_read(clock, at->data);
    cm_clock_charge(clock, CM_CAUSE_INDIRECT, clock->config->transposer_indirect_load_cycles);
}

CHARGE(charge_unload_indirect)
{
    (void)instruction;
    cm_clock_read(clock, at->other);
    cm_clock_write(clock, at->data);
    cm_clock_charge(clock, CM_CAUSE_INDIRECT, clock->config->transposer_indirect_unload_cycles);
}

CHARGE(charge_constant)
{
    (void)instruction, (void)at;
    cm_clock_charge(clock, CM_CAUSE_TRANSPOSER, clock->config->transposer_constant_cycles);
}

CHARGE(charge_exchange)
{
    (void)instruction, (void)at;
    clock->counters.exchanges++;
    cm_clock_charge(clock, CM_CAUSE_EXCHANGE, clock->config->exchange_cycles);
}

CHARGE(charge_move)
{
    const struct cm_operand *operands = instruction->operands;
    cm_clock_move(clock, at->data, at->other, (uint64_t)operands[2].value, operands[3].value,
                  operands[4].value);
}

/* Words that an FPU instruction moves or works on: the 64-bit forms take two. */
static uint64_t fpu_words(const struct cm_instruction *instruction)
{
    switch (instruction->op) {
    case CM_OP_FLOAD64:
    case CM_OP_FSTORE64:
    case CM_OP_FSCAL64:
        return 2;
    default:
        return 1;
    }
}

CHARGE(charge_fpu_load)
{
    for (uint64_t word = 0; word < fpu_words(instruction); word++)
        cm_clock_read(clock, at->data + word);
}

CHARGE(charge_fpu_store)
{
    for (uint64_t word = 0; word < fpu_words(instruction); word++)
        cm_clock_write(clock, at->data + word);
}

CHARGE(charge_fpu_scalar)
{
    (void)at;
    cm_clock_charge(clock, CM_CAUSE_SCALAR,
                    fpu_words(instruction) * clock->config->front_end_scalar_cycles);
}

static bool is_integer(const struct cm_instruction *instruction)
{
    return instruction->op == CM_OP_IADD || instruction->op == CM_OP_ISUB ||
           instruction->op == CM_OP_IMUL;
}

CHARGE(charge_fpu_add)
{
    (void)at;
    clock->counters.flops += is_integer(instruction) ? 0 : 1;
    cm_clock_charge(clock, CM_CAUSE_FPU, clock->config->fpu_add_cycles);
}

CHARGE(charge_fpu_multiply)
{
    (void)at;
    clock->counters.flops += is_integer(instruction) ? 0 : 1;
    cm_clock_charge(clock, CM_CAUSE_FPU, clock->config->fpu_multiply_cycles);
}

CHARGE(charge_fpu_multiply_add)
{
    (void)instruction, (void)at;
    clock->counters.flops += 2;
    cm_clock_charge(clock, CM_CAUSE_FPU, clock->config->fpu_multiply_add_cycles);
}

CHARGE(charge_context)
{
    (void)instruction, (void)at;
    cm_clock_charge(clock, CM_CAUSE_CONTEXT, clock->config->fpu_context_cycles);
}

CHARGE(charge_context_load)
{
    (void)instruction;
    cm_clock_read(clock, at->data);
    cm_clock_charge(clock, CM_CAUSE_CONTEXT, clock->config->fpu_context_cycles);
}

static const charge_function charges[CM_COST_CLASS_COUNT] = {
    [CM_COST_NONE] = charge_none,
    [CM_COST_LOOP] = charge_loop,
    [CM_COST_NEXT] = charge_next,
    [CM_COST_ADDRESS] = charge_address,
    [CM_COST_LOAD] = charge_load,
    [CM_COST_UNLOAD] = charge_unload,
    [CM_COST_LOAD_INDIRECT] = charge_load_indirect,
    [CM_COST_UNLOAD_INDIRECT] = charge_unload_indirect,
    [CM_COST_CONSTANT] = charge_constant,
    [CM_COST_EXCHANGE] = charge_exchange,
    [CM_COST_MOVE] = charge_move,
    [CM_COST_FPU_LOAD] = charge_fpu_load,
    [CM_COST_FPU_STORE] = charge_fpu_store,
    [CM_COST_FPU_SCALAR] = charge_fpu_scalar,
    [CM_COST_FPU_ADD] = charge_fpu_add,
    [CM_COST_FPU_MULTIPLY] = charge_fpu_multiply,
    [CM_COST_FPU_MULTIPLY_ADD] = charge_fpu_multiply_add,
    [CM_COST_CONTEXT] = charge_context,
    [CM_COST_CONTEXT_LOAD] = charge_context_load,
};

void cm_clock_issue(struct cm_clock *clock, const struct cm_instruction *instruction,
                    const struct cm_effective *at)
{
    clock->counters.instructions++;
    charges[cm_op_info(instruction->op)->cost](clock, instruction, at);
}
