/* Places of words at the beginning of their step. The search follows many words at once back in
 * time, through the moves, exchanges, loads and unloads of the step. */
#include "holds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* number of events searched back in time, at most. Takes about a millisecond */
#define EVENTS_MAX       8192
#define INSTRUCTIONS_MAX 100000u /* number of instructions of the longest IMP that is examined */

/* State that all words of a search share: properties of the current IMP, and the current move. */
struct pass {
    const struct cm_view_run *run;
    uint32_t imp; /* IMP to which `contexts` belongs */
    bool contexts;
    /* number + 1 of the move event that the next members describe. 0: no move */
    uint64_t parsed;
    /* number of words that the move copies, and the strides of destination and source */
    int64_t count, to, from;
};

static const char *operand(const struct cm_view_run *run, const struct cm_trace_event *event,
                           uint32_t number, char *text, size_t size)
{
    const char *at = text;
    text[0] = '\0';
    if (event->imp != CM_TRACE_NONE && event->pc != CM_TRACE_NONE)
        cm_trace_instruction(run->trace, event->imp, event->pc, text, size);
    at = strchr(at, ' ');
    for (; at != NULL && number > 0; number--) {
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL ? at + strspn(at, " ") : "";
}

bool cm_view_loads_a(const struct cm_view_run *run, const struct cm_trace_event *event)
{
    char text[160];
    return operand(run, event, 0, text, sizeof text)[0] == 'A';
}

/* Returns true if an IMP may store in some nodes only, because it uses context flags. */
static bool find_contexts(const struct cm_view_run *run, uint32_t imp)
{
    static const char *const names[] = {"ctxload ", "ctxand ", "ctxnot", "feq", "flt", "fle"};
    char text[160] = " ";
    for (uint32_t pc = 0; text[0] != '\0' && pc < INSTRUCTIONS_MAX; pc++) {
        cm_trace_instruction(run->trace, imp, pc, text, sizeof text);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(text, names[i], strlen(names[i])) == 0)
                return true;
    }
    return false;
}

static bool has_contexts(struct pass *pass, uint32_t imp)
{
    if (imp != pass->imp)
        pass->contexts = find_contexts(pass->run, imp);
    pass->imp = imp;
    return pass->contexts;
}

static uint64_t slots_in(const struct cm_view_run *run, const struct cm_trace_event *event,
                         uint32_t node)
{
    return event->pattern != CM_TRACE_NONE
               ? cm_trace_pattern_slots(run->trace, event->pattern, node)
               : 0;
}

/* Moves a word in memory back to the slot of the transposer from which it was unloaded. */
static void before_unload(const struct cm_view_run *run, const struct cm_trace_event *event,
                          struct cm_view_origin *word)
{
    uint64_t slots = slots_in(run, event, word->node);
    char text[160];
    if (word->at != CM_VIEW_AT_MEMORY || word->address != event->address || slots == 0)
        return;
    word->slot = (uint32_t)__builtin_ctzll(slots);
    word->at = operand(run, event, 1, text, sizeof text)[0] == 'A' ? CM_VIEW_AT_A : CM_VIEW_AT_B;
}

static void before_load(const struct cm_view_run *run, const struct cm_trace_event *event,
                        struct cm_view_origin *word)
{
    if (word->at == CM_VIEW_AT_MEMORY || !(slots_in(run, event, word->node) >> word->slot & 1) ||
        cm_view_loads_a(run, event) != (word->at == CM_VIEW_AT_A))
        return;
    word->at = CM_VIEW_AT_MEMORY;
    word->address = event->address;
}

/* Moves a word in transposer B back to transposer A of the neighbour that sent it. A slot without a
 * channel gets its word from the other half of the same node's slots. */
static void before_exchange(const struct cm_view_run *run, const struct cm_trace_event *event,
                            struct cm_view_origin *word)
{
    const struct cm_trace_info *info = run->info;
    if (word->at != CM_VIEW_AT_B)
        return;
    for (uint32_t d = 0; d < info->dimensions; d++)
        for (uint32_t c = 0; c < info->channels; c++) {
            uint32_t from = word->node ^ UINT32_C(1) << d;
            if (cm_slot_of_channel(info->slots, d, c) != word->slot)
                continue;
            if (slots_in(run, event, from) >> word->slot & 1) {
                word->node = from;
                word->at = CM_VIEW_AT_A;
            }
            return;
        }
    word->slot = (word->slot + info->slots / 2) % (info->slots > 0 ? info->slots : 1);
    word->at = CM_VIEW_AT_A;
}

/* Parses count and strides of an instruction "move [r1], [r2], count, stride, stride". */
static void parse_move(struct pass *pass, const struct cm_trace_event *event)
{
    char text[160], *end;
    const char *rest = operand(pass->run, event, 2, text, sizeof text);
    pass->parsed = event->number + 1;
    pass->count = strtoll(rest, &end, 10);
    pass->to = *end == ',' ? strtoll(end + 1, &end, 10) : 0;
    pass->from = *end == ',' ? strtoll(end + 1, &end, 10) : 0;
}

static void before_move(struct pass *pass, const struct cm_trace_event *event,
                        struct cm_view_origin *word)
{
    int64_t apart = (int64_t)(word->address - event->address);
    if (word->at != CM_VIEW_AT_MEMORY)
        return;
    if (pass->parsed != event->number + 1)
        parse_move(pass, event);
    int64_t turn = pass->to != 0 ? apart / pass->to : 0;
    if (turn >= 0 && turn < pass->count && turn * pass->to == apart)
        word->address = event->other + (uint64_t)(turn * pass->from);
}

static void step_back(struct pass *pass, const struct cm_trace_event *event,
                      struct cm_view_origin *word)
{
    const struct cm_view_run *run = pass->run;
    struct cm_view_origin before = *word;
    switch (event->phase) {
    case CM_TRACE_UNLOAD:
        before_unload(run, event, word);
        break;
    case CM_TRACE_LOAD:
        before_load(run, event, word);
        break;
    case CM_TRACE_EXCHANGE:
        before_exchange(run, event, word);
        break;
    case CM_TRACE_MOVE:
        before_move(pass, event, word);
        break;
    case CM_TRACE_FPU:
    /* these events compute the word at their address. A load into the FPU has an address as well */
    case CM_TRACE_BOUNDARY:
        word->made =
            word->made || (word->at == CM_VIEW_AT_MEMORY && word->address == event->address);
        break;
    default:
        break;
    }
    bool stored = before.at == CM_VIEW_AT_MEMORY &&
                  (word->at != CM_VIEW_AT_MEMORY || word->address != before.address || word->made);
    word->lost = word->lost || (stored && has_contexts(pass, event->imp));
}

bool cm_view_find_origins(const struct cm_view_run *run, struct cm_view_origin *words,
                          uint32_t count)
{
    struct pass pass = {.run = run, .imp = CM_TRACE_NONE};
    uint64_t last = 0;
    struct cm_trace_event event;
    for (uint32_t i = 0; i < count; i++)
        last = words[i].number > last ? words[i].number : last;
    struct cm_trace_cursor cursor = cm_trace_seek_event(run->trace, last);
    uint32_t step = CM_TRACE_NONE;
    for (int events = 0; cm_trace_previous(&cursor, &event); events++) {
        step = events == 0 ? event.step : step;
        if (event.step != step)
            return true;
        if (events == EVENTS_MAX)
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (event.number < words[i].number && !words[i].made && !words[i].lost)
                step_back(&pass, &event, &words[i]);
    }
    return true;
}
