/* Rehearsals (rehearsal.h): a sequencer that issues instructions to the clock alone. */
#include "rehearsal.h"

#include "accesses.h"
#include "machine_private.h"

#include <stdlib.h>
#include <string.h>

/* State of a sequencer in a rehearsal. */
struct sequence {
    const struct cm_memory *memory;
    const struct cm_actual *actuals;
    int64_t address[CM_ADDRESS_REGISTERS];
    struct {
        uint32_t start;
        int32_t left;
    } * loops;
    uint32_t depth;
    uint32_t pc;
};

void cm_rehearsal_begin(struct cm_rehearsal *rehearsal, const struct cm_machine *machine)
{
    *rehearsal = (struct cm_rehearsal){.machine = machine, .clock = machine->clock};
}

uint64_t cm_rehearsal_cycles(const struct cm_rehearsal *rehearsal)
{
    const struct cm_counters *counters = &rehearsal->clock.counters;
    return counters->cycles - counters->by_cause[CM_CAUSE_REFRESH];
}

static bool find_address(const struct sequence *sequence, struct cm_operand operand, uint64_t words,
                         uint64_t *address)
{
    *address = (uint64_t)sequence->address[operand.reg] + (uint64_t)operand.value;
    return *address <= INT64_MAX && cm_memory_has(sequence->memory, *address, words);
}

/* Computes the addresses that an instruction accesses. Returns false for an address outside node
 * memory. */
static bool resolve(const struct sequence *sequence, const struct cm_instruction *instruction,
                    struct cm_effective *at)
{
    const struct cm_op_accesses *accesses = &cm_op_accesses[instruction->op];
    const struct cm_operand *operands = instruction->operands;
    if (instruction->op == CM_OP_MOVE)
        return find_address(sequence, operands[0], 1, &at->data) &&
               find_address(sequence, operands[1], 1, &at->other);
    for (uint32_t i = 0; i < accesses->memory_count; i++)
        if (!find_address(sequence, operands[accesses->memory[i]],
                          i == 0 ? cm_access_words(instruction->op) : 1,
                          i == 0 ? &at->data : &at->other))
            return false;
    return true;
}

static void control(struct sequence *sequence, const struct cm_instruction *instruction)
{
    if (instruction->op == CM_OP_LOOP) {
        sequence->loops[sequence->depth].start = sequence->pc;
        sequence->loops[sequence->depth++].left = instruction->operands[0].value;
    } else if (instruction->op == CM_OP_NEXT) {
        if (--sequence->loops[sequence->depth - 1].left > 0)
            sequence->pc = sequence->loops[sequence->depth - 1].start;
        else
            sequence->depth--;
    } else {
        cm_address_control(sequence->address, instruction, sequence->actuals);
    }
}

static enum cm_status issue_all(struct cm_rehearsal *rehearsal, struct sequence *sequence,
                                const struct cm_imp *imp, struct cm_error *err)
{
    for (;; sequence->pc++) {
        const struct cm_instruction *instruction = &imp->code[sequence->pc];
        struct cm_effective at = {0};
        if (atomic_load_explicit(&rehearsal->machine->interrupted, memory_order_relaxed))
            return cm_error_set(err, CM_INTERRUPTED, "interrupted");
        if (!resolve(sequence, instruction, &at))
            return cm_error_set(err, CM_FAULT, "IMP \"%s\": an address is outside node memory",
                                imp->name);
        cm_clock_issue(&rehearsal->clock, instruction, &at);
        if (instruction->op == CM_OP_HALT)
            return CM_OK;
        if (cm_op_accesses[instruction->op].controls)
            control(sequence, instruction);
    }
}

enum cm_status cm_rehearse(struct cm_rehearsal *rehearsal, const struct cm_imp *imp,
                           const struct cm_actual *actuals, enum cm_entry entry,
                           struct cm_error *err)
{
    const struct cm_machine *machine = rehearsal->machine;
    const struct cm_imp_limits limits = cm_config_imp_limits(&machine->config);
    struct sequence sequence = {.memory = &machine->memory, .actuals = actuals};
    enum cm_status status = cm_imp_verify(imp, &limits, err);
    if (status != CM_OK)
        return status;
    memcpy(sequence.address, machine->workers[0].address, sizeof sequence.address);
    sequence.loops =
        calloc((size_t)machine->config.sequencer_loop_depth + 1, sizeof *sequence.loops);
    if (sequence.loops == NULL)
        return cm_error_no_memory(err);
    rehearsal->clock.second_buffer = !cm_imp_names_c(imp);
    cm_clock_enter(&rehearsal->clock, entry);
    status = issue_all(rehearsal, &sequence, imp, err);
    free(sequence.loops);
    return status;
}
