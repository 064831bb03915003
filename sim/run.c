/* Loading IMPs into the sequencer's SRAM and running them. */
#include "machine_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t cm_machine_sram_free(const struct cm_machine *machine)
{
    return machine->config.sequencer_sram_words - machine->sram_used;
}

/* The place of a loaded IMP, or loaded_count. */
static uint32_t find_loaded(const struct cm_machine *machine, const struct cm_imp *imp)
{
    uint32_t i = 0;
    while (i < machine->loaded_count && machine->loaded[i].imp != imp)
        i++;
    return i;
}

static enum cm_status sram_full(const struct cm_machine *machine, const struct cm_imp *imp,
                                uint64_t words, struct cm_error *err)
{
    cm_error_set(err, CM_BAD_INPUT,
                 "IMP \"%s\" takes %" PRIu64 " words of the sequencer's SRAM; %" PRIu64
                 " of %" PRIu64 " are free",
                 imp->name, words, cm_machine_sram_free(machine),
                 machine->config.sequencer_sram_words);
    cm_error_hint(err, "deallocate setups that are done");
    return CM_BAD_INPUT;
}

/* Words that the moves of a verified IMP move in each node, loops counted. */
static double words_moved(const struct cm_imp *imp)
{
    double moved = 0;
    double times = 1; /* that the instruction at hand is issued */
    for (uint32_t i = 0; i < imp->length; i++) {
        const struct cm_instruction *instruction = &imp->code[i];
        if (instruction->op == CM_OP_LOOP)
            times *= instruction->operands[0].value;
        else if (instruction->op == CM_OP_NEXT)
            times /= imp->code[instruction->operands[0].value].operands[0].value;
        else if (instruction->op == CM_OP_MOVE)
            moved += times * instruction->operands[2].value;
    }
    return moved;
}

/* Takes an IMP in that was found to verify and to fit. */
static enum cm_status take_in(struct cm_machine *machine, const struct cm_imp *imp, uint64_t words,
                              struct cm_error *err)
{
    if (machine->loaded_count == machine->loaded_capacity) {
        uint32_t capacity = machine->loaded_capacity ? machine->loaded_capacity * 2 : 8;
        struct cm_loaded_imp *larger = realloc(machine->loaded, capacity * sizeof *larger);
        if (!larger)
            return cm_error_set(err, CM_NO_MEMORY, "out of memory for loaded IMPs");
        machine->loaded = larger;
        machine->loaded_capacity = capacity;
    }
    machine->loaded[machine->loaded_count++] = (struct cm_loaded_imp){
        .imp = imp, .load = ++machine->loads, .words = words, .moved_words = words_moved(imp)};
    machine->sram_used += words;
    return CM_OK;
}

enum cm_status cm_machine_overlay_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                      struct cm_error *err)
{
    struct cm_imp_limits limits = cm_config_imp_limits(&machine->config);
    if (find_loaded(machine, imp) < machine->loaded_count)
        return CM_OK;
    enum cm_status status = cm_imp_verify(imp, &limits, err);
    if (status != CM_OK)
        return status;
    if (cm_imp_words(imp) > machine->config.sequencer_sram_words)
        return cm_error_set(err, CM_BAD_INPUT,
                            "IMP \"%s\" takes %" PRIu64 " words; the sequencer's SRAM has %" PRIu64,
                            imp->name, cm_imp_words(imp), machine->config.sequencer_sram_words);
    return take_in(machine, imp, 0, err);
}

enum cm_status cm_machine_load_imp(struct cm_machine *machine, const struct cm_imp *imp,
                                   struct cm_error *err)
{
    if (find_loaded(machine, imp) < machine->loaded_count)
        return CM_OK;
    struct cm_imp_limits limits = cm_config_imp_limits(&machine->config);
    enum cm_status status = cm_imp_verify(imp, &limits, err);
    if (status != CM_OK)
        return status;
    uint64_t words = cm_imp_words(imp);
    if (words > cm_machine_sram_free(machine))
        return sram_full(machine, imp, words, err);
    return take_in(machine, imp, words, err);
}

void cm_machine_unload_imp(struct cm_machine *machine, const struct cm_imp *imp)
{
    uint32_t i = find_loaded(machine, imp);
    if (i == machine->loaded_count)
        return;
    machine->sram_used -= machine->loaded[i].words;
    machine->loaded[i] = machine->loaded[--machine->loaded_count];
}

static void describe_fault(const struct cm_worker *worker, char *text, size_t size)
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
    default:
        snprintf(text, size, "stopped");
        break;
    }
}

static enum cm_status report_fault(const struct cm_worker *worker, struct cm_error *err)
{
    const struct cm_imp *imp = worker->machine->imp;
    char what[256];
    char instruction[160];
    if (worker->fault == CM_FAULT_INTERRUPT)
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    if (worker->fault == CM_FAULT_MEMORY)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for channel counters");
    describe_fault(worker, what, sizeof what);
    cm_instruction_format(imp, worker->fault_pc, instruction, sizeof instruction);
    return cm_error_at(err, CM_FAULT, imp->source_name ? imp->source_name : "",
                       imp->code[worker->fault_pc].line, 0,
                       "IMP \"%s\" faulted at instruction %" PRIu32 " (%s): %s", imp->name,
                       worker->fault_pc, instruction, what);
}

static void run_worker(void *context, uint32_t index)
{
    struct cm_machine *machine = context;
    cm_sequencer_run(&machine->workers[index]);
}

/* The fault to report: a real one before "the others stopped too". */
static const struct cm_worker *faulted_worker(const struct cm_machine *machine)
{
    const struct cm_worker *found = NULL;
    for (uint32_t i = 0; i < machine->worker_count; i++) {
        const struct cm_worker *worker = &machine->workers[i];
        if (worker->fault == CM_FAULT_NONE)
            continue;
        if (!found || found->fault == CM_FAULT_INTERRUPT)
            found = worker;
    }
    return found;
}

static void tell_start(const struct cm_machine *machine, const struct cm_observed_start *start)
{
    const struct cm_observer *observer = machine->observer;
    if (observer != NULL && observer->run_begins != NULL)
        observer->run_begins(observer->context, start);
}

static void tell_end(const struct cm_machine *machine)
{
    const struct cm_observer *observer = machine->observer;
    if (observer != NULL && observer->run_ends != NULL)
        observer->run_ends(observer->context, &machine->clock.counters);
}

enum cm_status cm_machine_run(struct cm_machine *machine, const struct cm_imp *imp,
                              const struct cm_actual *actuals, enum cm_entry entry,
                              struct cm_error *err)
{
    uint32_t loaded = find_loaded(machine, imp);
    if (loaded == machine->loaded_count)
        return cm_error_set(err, CM_INTERNAL, "IMP \"%s\" is not loaded", imp->name);
    machine->stream = cm_nontemporal_pays(machine->loaded[loaded].moved_words * machine->nodes *
                                          sizeof(uint32_t));
    machine->imp = imp;
    machine->actuals = actuals;
    uint64_t first_cycle = machine->clock.counters.cycles;
    cm_clock_enter(&machine->clock, entry);
    tell_start(machine, &(struct cm_observed_start){.imp = imp,
                                                    .load = machine->loaded[loaded].load,
                                                    .entry = entry,
                                                    .first_cycle = first_cycle,
                                                    .counters = &machine->clock.counters});
    cm_pool_run(machine->pool, run_worker, machine);
    machine->clock.counters.words_sent += machine->workers[0].words_sent;
    for (uint32_t i = 0; i < machine->worker_count; i++)
        machine->workers[i].words_sent = 0;
    tell_end(machine);
    const struct cm_worker *faulted = faulted_worker(machine);
    if (!faulted)
        return CM_OK;
    /* The workers may have stopped at different places; nothing of that may reach the next run. */
    for (uint32_t i = 0; i < machine->worker_count; i++)
        cm_channels_abandon(&machine->workers[i].traffic);
    return report_fault(faulted, err);
}
