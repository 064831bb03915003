/* The sequencer's SRAM: which IMPs are loaded, and how many words they take. */
#include "machine_private.h"

#include "../../base/list.h"

#include <inttypes.h>
#include <string.h>

uint64_t cm_machine_sram_free(const struct cm_machine *machine)
{
    return machine->config.sequencer_sram_words - machine->sram_used;
}

struct cm_loaded_imp *cm_machine_find_loaded(const struct cm_machine *machine,
                                             const struct cm_imp *imp)
{
    for (uint32_t i = 0; i < machine->loaded_count; i++)
        if (machine->loaded[i].imp == imp)
            return &machine->loaded[i];
    return NULL;
}

/* Returns the number of words that an instruction stores in each node. Moves and indexed
 * stores do not count. */
static uint32_t words_stored(const struct cm_instruction *instruction)
{
    switch (instruction->op) {
    case CM_OP_FSTORE64:
        return 2;
    case CM_OP_FSTORE32:
    case CM_OP_UNLOAD:
        return 1;
    default:
        return 0;
    }
}

/* Memory traffic of a verified IMP in each node, with loop iterations counted: words moved, words
 * stored, and the address arguments that the IMP stores to and reads from, a bit each. Bit
 * ELSEWHERE is for other addresses. */
struct traffic {
    double moved, stored;
    uint64_t stores, reads;
};
#define ELSEWHERE 63u

/* Records, for an instruction of the address registers, which address argument its register now
 * points into. */
static void follow_address(const struct cm_instruction *instruction, uint8_t *argument_of)
{
    const struct cm_operand *operands = instruction->operands;
    if (instruction->op == CM_OP_AARG)
        argument_of[operands[0].reg] =
            (uint8_t)(operands[1].value < (int32_t)ELSEWHERE ? (uint32_t)operands[1].value
                                                             : ELSEWHERE);
    else if (instruction->op == CM_OP_ACOPY)
        argument_of[operands[0].reg] = argument_of[operands[1].reg];
    else if (instruction->op == CM_OP_ASET)
        argument_of[operands[0].reg] = ELSEWHERE;
}

static struct traffic find_traffic(const struct cm_imp *imp)
{
    struct traffic traffic = {0};
    double times = 1; /* number of times that the current instruction is issued */
    uint8_t argument_of[CM_ADDRESS_REGISTERS];
    memset(argument_of, ELSEWHERE, sizeof argument_of);
    for (uint32_t i = 0; i < imp->length; i++) {
        const struct cm_instruction *instruction = &imp->code[i];
        const struct cm_op_info *info = cm_op_info(instruction->op);
        const uint32_t stored = words_stored(instruction);
        if (instruction->op == CM_OP_LOOP)
            times *= instruction->operands[0].value;
        else if (instruction->op == CM_OP_NEXT)
            times /= imp->code[instruction->operands[0].value].operands[0].value;
        else if (instruction->op == CM_OP_MOVE)
            traffic.moved += times * instruction->operands[2].value;
        traffic.stored += times * stored;
        for (uint32_t k = 0; k < info->operand_count; k++)
            if (info->operands[k] == CM_OPERAND_MEM)
                *(stored > 0 ? &traffic.stores : &traffic.reads) |=
                    UINT64_C(1) << argument_of[instruction->operands[k].reg];
        follow_address(instruction, argument_of);
    }
    return traffic;
}

bool cm_imp_names_c(const struct cm_imp *imp)
{
    for (uint32_t i = 0; i < imp->length; i++) {
        const struct cm_operand *operands = imp->code[i].operands;
        const struct cm_op_info *info = cm_op_info(imp->code[i].op);
        for (uint32_t k = 0; k < info->operand_count; k++)
            if ((info->operands[k] == CM_OPERAND_TRANS || info->operands[k] == CM_OPERAND_SLOT) &&
                operands[k].reg == CM_TRANSPOSER_C)
                return true;
    }
    return false;
}

static enum cm_status does_not_fit(const struct cm_machine *machine, const struct cm_imp *imp,
                                   bool overlay, struct cm_error *err)
{
    uint64_t words = cm_imp_words(imp);
    uint64_t all = machine->config.sequencer_sram_words;
    if (overlay)
        return cm_error_set(err, CM_BAD_INPUT,
                            "IMP \"%s\" takes %" PRIu64 " words; the sequencer's SRAM has %" PRIu64,
                            imp->name, words, all);
    cm_error_set(err, CM_BAD_INPUT,
                 "IMP \"%s\" takes %" PRIu64 " words of the sequencer's SRAM; %" PRIu64
                 " of %" PRIu64 " are free",
                 imp->name, words, cm_machine_sram_free(machine), all);
    cm_error_hint(err, "deallocate setups that are no longer used");
    return CM_BAD_INPUT;
}

static enum cm_status load(struct cm_machine *machine, const struct cm_imp *imp, bool overlay,
                           struct cm_error *err)
{
    struct cm_imp_limits limits = cm_config_imp_limits(&machine->config);
    if (cm_machine_find_loaded(machine, imp) != NULL)
        return CM_OK;
    enum cm_status status = cm_imp_verify(imp, &limits, err);
    if (status != CM_OK)
        return status;
    uint64_t words = cm_imp_words(imp);
    if (words > (overlay ? machine->config.sequencer_sram_words : cm_machine_sram_free(machine)))
        return does_not_fit(machine, imp, overlay, err);
    if (!cm_array_room(machine->loaded, machine->loaded_count, machine->loaded_capacity))
        return cm_error_no_memory(err);
    words = overlay ? 0 : words;
    const struct traffic traffic = find_traffic(imp);
    machine->loaded[machine->loaded_count++] = (struct cm_loaded_imp){
        .imp = imp,
        .load = ++machine->loads,
        .words = words,
        .names_c = cm_imp_names_c(imp),
        .moved_words = traffic.moved,
        .streamed_words = traffic.stores & traffic.reads ? 0 : traffic.stored,
    };
    machine->sram_used += words;
    return CM_OK;
}

enum cm_status cm_machine_load_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                   struct cm_error *err)
{
    return load(machine, imp, false, err);
}

enum cm_status cm_machine_overlay_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                      struct cm_error *err)
{
    return load(machine, imp, true, err);
}

void cm_machine_unload_imp(struct cm_machine *machine, const struct cm_imp *imp)
{
    struct cm_loaded_imp *found = cm_machine_find_loaded(machine, imp);
    if (!found)
        return;
    machine->sram_used -= found->words;
    *found = machine->loaded[--machine->loaded_count];
}
