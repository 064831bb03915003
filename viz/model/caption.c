/* Captions: sentences that describe the events at the cursor. */
#include "model_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct words {
    char *text;
    size_t size, length;
};

static void CM_PRINTF(2, 3) put(struct words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more =
        vsnprintf(words->text + words->length, words->size - words->length, format, arguments);
    va_end(arguments);
    if (more > 0)
        words->length += (size_t)more;
    if (words->length >= words->size)
        words->length = words->size - 1;
}

/* Returns the slots that an event's pattern uses in any node, as a bit set, and the number of nodes
 * that use a slot. */
static uint64_t slots_of(const struct cm_view_run *run, const struct cm_trace_event *event,
                         uint32_t *nodes)
{
    uint64_t all = 0;
    *nodes = 0;
    for (uint32_t node = 0; node < run->info->nodes && event->pattern != CM_TRACE_NONE; node++) {
        uint64_t slots = cm_trace_pattern_slots(run->trace, event->pattern, node);
        all |= slots;
        *nodes += slots != 0;
    }
    return all;
}

static void put_nodes(struct words *words, const struct cm_view_run *run, uint32_t nodes)
{
    if (nodes == 0 || nodes == run->info->nodes)
        put(words, "every node");
    else
        put(words, "%" PRIu32 " of %" PRIu32 " nodes", nodes, run->info->nodes);
}

/* Writes the dimensions of some slots as a list, such as "dimensions 0, 2 and 5". */
static void put_dimensions(struct words *words, const struct cm_trace_info *info, uint64_t slots)
{
    uint32_t used = 0, count = 0, done = 0;
    for (uint32_t d = 0; d < info->dimensions; d++)
        for (uint32_t c = 0; c < info->channels; c++)
            if (slots >> cm_slot_of_channel(info->slots, d, c) & 1)
                used |= 1u << d;
    for (uint32_t rest = used; rest != 0; rest &= rest - 1)
        count++;
    put(words, count == 1 ? "dimension" : "dimensions");
    for (uint32_t d = 0; d < info->dimensions; d++)
        if (used >> d & 1) {
            done++;
            put(words, "%s %" PRIu32, done == 1 ? "" : done == count ? " and" : ",", d);
        }
}

/* Writes a slot and its dimension, such as "slot 3 of A, which carries dimension 2". Writes the
 * name of the transposer alone if there are several slots. */
static void put_slot(struct words *words, const struct cm_trace_info *info, uint64_t slots,
                     const char *transposer)
{
    for (uint32_t d = 0; d < info->dimensions; d++)
        for (uint32_t c = 0; c < info->channels; c++) {
            uint32_t slot = cm_slot_of_channel(info->slots, d, c);
            if (slots == UINT64_C(1) << slot) {
                put(words, "slot %" PRIu32 " of %s, which carries dimension %" PRIu32, slot,
                    transposer, d);
                return;
            }
        }
    put(words, "%s", transposer);
}

/* Writes a memory word as its position in an array, such as "word 3 of src", or as an address if it
 * is in no array. */
static void put_word(struct words *words, const struct cm_view_run *run, uint64_t address,
                     uint64_t cycle)
{
    for (uint32_t i = 0; i < run->info->arrays; i++) {
        const struct cm_trace_array *array = cm_trace_array_then(run->trace, i, cycle);
        if (address >= array->address && address - array->address < array->words) {
            put(words, "word %" PRIu64 " of %s", address - array->address, array->name);
            return;
        }
    }
    put(words, "memory word %" PRIu64, address);
}

/* Returns the number of words that the busiest node sends in an exchange. */
static int most_words(const struct cm_view_run *run, const struct cm_trace_event *event)
{
    int most = 0;
    for (uint32_t node = 0; node < run->info->nodes; node++) {
        uint64_t slots = cm_trace_pattern_slots(run->trace, event->pattern, node);
        int words = __builtin_popcountll(slots);
        most = words > most ? words : most;
    }
    return most;
}

static void put_exchange(struct words *words, const struct cm_view_run *run,
                         const struct cm_trace_event *event)
{
    uint32_t nodes;
    uint64_t slots = slots_of(run, event, &nodes);
    if (slots == 0) {
        put(words, "an exchange in which no node sends");
        return;
    }
    put_nodes(words, run, nodes);
    put(words, nodes == run->info->nodes ? " sends over " : " send over ");
    put_dimensions(words, run->info, slots);
    put(words, ", %d words at once, in %" PRIu64 " cycles", most_words(run, event),
        event->end_cycle - event->first_cycle);
}

static void put_transfer(struct words *words, const struct cm_view_run *run,
                         const struct cm_trace_event *event)
{
    uint32_t nodes;
    uint64_t slots = slots_of(run, event, &nodes);
    bool load = event->phase == CM_TRACE_LOAD;
    put_nodes(words, run, nodes);
    put(words, load ? " puts " : " stores what came in ");
    if (load) {
        put_word(words, run, event->address, event->first_cycle);
        put(words, " into ");
        put_slot(words, run->info, slots, "transposer A");
    } else {
        put_slot(words, run->info, slots, "transposer B");
        put(words, " as ");
        put_word(words, run, event->address, event->first_cycle);
    }
}

static void put_event(struct words *words, const struct cm_view_run *run,
                      const struct cm_trace_event *event)
{
    switch (event->phase) {
    case CM_TRACE_START:
        put(words, "the front end starts the microprogram %s",
            event->imp != CM_TRACE_NONE ? cm_trace_imp_name(run->trace, event->imp) : "");
        break;
    case CM_TRACE_MOVE:
        put(words, "every node copies within its own memory, to ");
        put_word(words, run, event->address, event->first_cycle);
        put(words, "; nothing crosses a channel");
        break;
    case CM_TRACE_LOAD:
    case CM_TRACE_UNLOAD:
        put_transfer(words, run, event);
        break;
    case CM_TRACE_EXCHANGE:
        put_exchange(words, run, event);
        break;
    case CM_TRACE_BOUNDARY:
        put(words, "nodes at the edge of the array put the boundary value there");
        break;
    case CM_TRACE_FPU:
        put(words, "every node computes with its own elements");
        break;
    case CM_TRACE_ROUTER:
        put(words, "the router carries packets from node to node, a word in %" PRIu64 " cycles",
            run->info->word_cycles);
        break;
    case CM_TRACE_CONTROL:
    default:
        put(words, "the sequencer counts loops and computes addresses; no data moves");
        break;
    }
}

void cm_view_caption(const struct cm_view_model *model, const struct cm_view_state *state,
                     char *text, size_t size)
{
    const struct cm_view_run *run = &model->runs[state->run];
    struct words words = {text, size, 0};
    struct cm_trace_event event;
    text[0] = '\0';
    uint32_t step = cm_view_step_after(run, state->cycle);
    if (state->cycle >= run->info->cycles) {
        put(&words, "the run has ended");
        return;
    }
    if (step < run->info->steps)
        put(&words, "%s: ", cm_trace_step_at(run->trace, step)->op);
    if (!cm_view_event(run, state->cycle, &event) || event.first_cycle > state->cycle)
        put(&words, "the sequencer counts loops and computes addresses; no data moves");
    else
        put_event(&words, run, &event);
}
