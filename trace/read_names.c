/* Looking things up: names and texts, patterns, arrays, steps, the words on the wires. */
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
    return step < trace->steps.count ? &CM_ITEMS(trace->steps, struct cm_read_step)[step].step
                                     : NULL;
}

static const struct cm_imp *imp_at(const struct cm_trace *trace, uint32_t imp)
{
    return imp < trace->imps.count ? CM_ITEMS(trace->imps, struct cm_read_imp)[imp].imp : NULL;
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
    if (imp >= trace->imps.count)
        return NULL;
    uint32_t source = CM_ITEMS(trace->imps, struct cm_read_imp)[imp].source;
    return source != 0 ? CM_ITEMS(trace->strings, char *)[source - 1] : NULL;
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
    const struct cm_read_pattern *pattern =
        &CM_ITEMS(trace->patterns, struct cm_read_pattern)[number];
    const struct cm_read_entry *entries = trace->entries.items;
    const uint64_t *sets = trace->sets.items;
    for (uint32_t i = 0; i < pattern->count; i++) {
        const struct cm_read_entry *entry = &entries[pattern->first + i];
        if (entry->set == 0 ||
            sets[(size_t)(entry->set - 1) * trace->set_words + node / 64] >> node % 64 & 1)
            slots |= UINT64_C(1) << entry->slot;
    }
    return slots;
}

/* The array as it lay at a cycle: the last that was recorded until then, else the first; NULL:
 * unknown. */
static const struct cm_read_array *find_array(const struct cm_trace *trace, uint32_t number,
                                              uint64_t cycle)
{
    const struct cm_read_array *arrays = CM_ITEMS(trace->arrays, struct cm_read_array);
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
    const struct cm_read_places *places =
        &CM_ITEMS(trace->places, struct cm_read_places)[found->places - 1];
    const struct cm_read_run *all = trace->runs.items;
    const struct cm_read_run *runs = places->count > 0 ? all + places->first : NULL;
    if (places->linear) {
        uint64_t place[2] = {0, 0};
        for (uint32_t bit = 0; bit < places->count; bit++)
            if (element >> bit & 1) {
                place[0] ^= runs[bit].node;
                place[1] ^= runs[bit].local;
            }
        *node = (uint32_t)place[0];
        *address = found->array.address + place[1] * found->array.slices;
        return place[0] < trace->info.nodes;
    }
    uint32_t low = 0, high = places->count; /* runs before low begin at or before the element */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (runs[middle].first <= element)
            low = middle + 1;
        else
            high = middle;
    }
    const struct cm_read_run *run = &runs[low - 1];
    uint64_t steps = element - run->first;
    *node = (uint32_t)(run->node + steps * run->node_step);
    *address = found->array.address + (run->local + steps * run->local_step) * found->array.slices;
    return *node < trace->info.nodes;
}

static const struct cm_read_wires *find_wires(const struct cm_trace *trace, uint64_t cycle)
{
    const struct cm_read_wires *wires = CM_ITEMS(trace->wires, struct cm_read_wires);
    uint64_t low = 0, high = trace->wires.count; /* those before low begin at or before the cycle */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (wires[middle].cycle <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || cycle - wires[low - 1].cycle >= trace->info.exchange_cycles)
        return NULL;
    return &wires[low - 1];
}

bool cm_trace_wires(const struct cm_trace *trace, uint64_t cycle, uint32_t *words, bool *sent)
{
    const struct cm_trace_info *info = &trace->info;
    const struct cm_read_wires *wires = find_wires(trace, cycle);
    size_t count = (size_t)info->dimensions * info->channels;
    if (wires == NULL)
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
