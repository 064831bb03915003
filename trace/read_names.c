/* Questions about names, texts, patterns, arrays, steps, and the words of an exchange. */
#include "read_private.h"

#include <stdio.h>

static const char *const phase_names[CM_TRACE_PHASE_COUNT] = {
    [CM_TRACE_START] = "start",       [CM_TRACE_CONTROL] = "control",
    [CM_TRACE_MOVE] = "local move",   [CM_TRACE_LOAD] = "load",
    [CM_TRACE_EXCHANGE] = "exchange", [CM_TRACE_UNLOAD] = "unload",
    [CM_TRACE_BOUNDARY] = "boundary", [CM_TRACE_FPU] = "FPU",
    [CM_TRACE_ROUTER] = "router",
};

const char *cm_trace_phase_name(enum cm_trace_phase phase)
{
    return phase_names[phase];
}

const struct cm_trace_step *cm_trace_step_at(const struct cm_trace *trace, uint32_t step)
{
    return step < trace->steps.count ? &trace->steps.items[step].step : NULL;
}

const struct cm_trace_line *cm_trace_line_at(const struct cm_trace *trace, uint32_t number)
{
    return number < trace->lines.count ? &trace->lines.items[number] : NULL;
}

const struct cm_trace_line *cm_trace_find_line(const struct cm_trace *trace, uint64_t cycle)
{
    uint64_t count = cm_read_until(trace->lines, first_cycle, cycle);
    const struct cm_trace_line *line = count > 0 ? &trace->lines.items[count - 1] : NULL;
    return line != NULL && cycle < line->end_cycle ? line : NULL;
}

static const struct cm_imp *imp_at(const struct cm_trace *trace, uint32_t imp)
{
    return imp < trace->imps.count ? trace->imps.items[imp].imp : NULL;
}

void cm_trace_instruction(const struct cm_trace *trace, uint32_t imp, uint32_t pc, char *text,
                          size_t size)
{
    const struct cm_imp *found = imp_at(trace, imp);
    if (size > 0)
        text[0] = '\0';
    if (found != NULL && pc < found->length)
        cm_instruction_format(found, pc, text, size);
}

const char *cm_trace_imp_name(const struct cm_trace *trace, uint32_t imp)
{
    const struct cm_imp *found = imp_at(trace, imp);
    return found != NULL ? found->name : "";
}

const char *cm_trace_imp_source(const struct cm_trace *trace, uint32_t imp)
{
    uint32_t source = imp < trace->imps.count ? trace->imps.items[imp].source : 0;
    return source != 0 ? trace->strings.items[source - 1] : NULL;
}

uint32_t cm_trace_imp_line(const struct cm_trace *trace, uint32_t imp, uint32_t pc)
{
    const struct cm_imp *found = imp_at(trace, imp);
    return found != NULL && pc < found->length ? found->code[pc].line : 0;
}

uint64_t cm_trace_pattern_slots(const struct cm_trace *trace, uint32_t number, uint32_t node)
{
    uint64_t slots = 0;
    if (number >= trace->patterns.count || node >= trace->info.nodes)
        return 0;
    const struct cm_read_pattern *pattern = &trace->patterns.items[number];
    for (uint32_t i = pattern->first; i < pattern->first + pattern->count; i++) {
        const struct cm_read_entry *entry = &trace->entries.items[i];
        if (entry->set == 0 || cm_read_in_set(trace, entry->set - 1, node))
            slots |= UINT64_C(1) << entry->slot;
    }
    return slots;
}

/* Returns the description of an array that is valid at a cycle: the last one up to the cycle,
 * otherwise the first one. Returns NULL for an unknown array. */
static const struct cm_read_array *find_array(const struct cm_trace *trace, uint32_t number,
                                              uint64_t cycle)
{
    const struct cm_read_array *arrays = trace->arrays.items;
    const struct cm_read_array *found = NULL;
    for (uint64_t i = 0; i < trace->arrays.count; i++)
        if (arrays[i].number == number && (found == NULL || arrays[i].cycle <= cycle))
            found = &arrays[i];
    return found;
}

const struct cm_trace_array *cm_trace_array_then(const struct cm_trace *trace, uint32_t array,
                                                 uint64_t cycle)
{
    const struct cm_read_array *found = find_array(trace, array, cycle);
    return found != NULL ? &found->array : NULL;
}

const struct cm_trace_array *cm_trace_array_at(const struct cm_trace *trace, uint32_t array)
{
    return cm_trace_array_then(trace, array, 0);
}

bool cm_trace_array_place(const struct cm_trace *trace, uint32_t array, uint64_t element,
                          uint64_t cycle, uint32_t *node, uint64_t *address)
{
    const struct cm_read_array *found = find_array(trace, array, cycle);
    if (found == NULL || found->places == 0 || element >= found->array.elements)
        return false;
    const struct cm_read_places *places = &trace->places.items[found->places - 1];
    const struct cm_read_run *run = trace->runs.items + places->first;
    uint64_t at = 0, local = 0;
    if (places->linear) {
        for (uint64_t bits = element; bits; bits &= bits - 1) {
            at ^= run[__builtin_ctzll(bits)].node;
            local ^= run[__builtin_ctzll(bits)].local;
        }
    } else {
        run += cm_read_rank(&run->first, sizeof *run, places->count, element) - 1;
        at = run->node + (element - run->first) * run->node_step;
        local = run->local + (element - run->first) * run->local_step;
    }
    *node = (uint32_t)at;
    *address = found->array.address + local * found->array.slices;
    return at < trace->info.nodes;
}

bool cm_trace_wires(const struct cm_trace *trace, uint64_t cycle, uint32_t *words, bool *sent)
{
    const struct cm_trace_info *info = &trace->info;
    size_t count = (size_t)info->dimensions * info->channels;
    uint64_t until = cm_read_until(trace->wires, cycle, cycle);
    const struct cm_read_wires *wires = until > 0 ? &trace->wires.items[until - 1] : NULL;
    if (wires == NULL || cycle - wires->cycle >= info->exchange_cycles)
        return false;
    const unsigned char *at = wires->words.at;
    for (size_t i = 0; i < info->nodes * count; i++) {
        uint32_t dimension = (uint32_t)(i % count / info->channels);
        uint32_t slot =
            cm_slot_of_channel(info->slots, dimension, (uint32_t)(i % count % info->channels));
        sent[i] = i % count % info->channels < trace->exchange_channels &&
                  cm_trace_pattern_slots(trace, wires->pattern, (uint32_t)(i / count)) >> slot & 1;
        words[i] = 0;
        for (unsigned b = 0; sent[i] && b < 4; b++)
            words[i] |= (uint32_t)*at++ << 8 * b;
    }
    return true;
}
