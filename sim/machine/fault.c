/* Error messages for a run whose worker stopped before the halt. */
#include "machine_private.h"

#include <inttypes.h>
#include <stdio.h>

/* Describes an index that selects words outside the array of an indexed load or store. */
static void describe_index(const struct cm_worker *worker, char *text, size_t size)
{
    const struct cm_instruction *instruction = &worker->machine->imp->code[worker->fault_pc];
    const struct cm_operand array =
        instruction->operands[cm_op_accesses[instruction->op].memory[0]];
    const int64_t index = worker->fault_detail[0];
    const int64_t address = worker->address[array.reg] + array.value + index;
    const int64_t last = (int64_t)cm_reach_words(instruction) - cm_access_words(instruction->op);
    snprintf(text, size,
             "node %" PRId64 " has index %" PRId64 ", address %" PRId64
             "; indices are 0 to %" PRId64,
             worker->fault_detail[1], index, address, last);
}

static void describe(const struct cm_worker *worker, char *text, size_t size)
{
    const struct cm_machine *machine = worker->machine;
    int64_t first = worker->fault_detail[0];
    int64_t second = worker->fault_detail[1];
    switch (worker->fault) {
    case CM_FAULT_ADDRESS:
        snprintf(text, size, "address %" PRId64 " is outside node memory (0 to %" PRIu64 ")", first,
                 machine->memory.words - 1);
        break;
    case CM_FAULT_SLOT:
        snprintf(text, size,
                 "the communication table of node %" PRId64 " names slot %" PRId64
                 "; a transposer has slots 0 to %" PRIu32,
                 second, first, machine->config.transposer_slots - 1);
        break;
    case CM_FAULT_CONFLICT:
        snprintf(text, size,
                 "node %" PRId64 " loads slot %" PRId64
                 " of transposer A twice before an exchange: two words for one channel",
                 second, first);
        break;
    case CM_FAULT_INDEX:
        describe_index(worker, text, size);
        break;
    default:
        snprintf(text, size, "stopped");
        break;
    }
}

enum cm_status cm_fault_report(const struct cm_worker *worker, struct cm_error *err)
{
    const struct cm_imp *imp = worker->machine->imp;
    char what[256];
    char instruction[160];
    if (worker->fault == CM_FAULT_INTERRUPT)
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    if (worker->fault == CM_FAULT_LOST)
        return cm_processes_lost(worker->machine->link, err);
    if (worker->fault == CM_FAULT_MEMORY)
        return cm_error_no_memory(err);
    describe(worker, what, sizeof what);
    cm_instruction_format(imp, worker->fault_pc, instruction, sizeof instruction);
    return cm_error_at(err, CM_FAULT, imp->source_name ? imp->source_name : "",
                       imp->code[worker->fault_pc].line, 0,
                       "IMP \"%s\" faulted at instruction %" PRIu32 " (%s): %s", imp->name,
                       worker->fault_pc, instruction, what);
}
