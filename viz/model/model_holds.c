/* Origins of the words in the slots of transposers. The loads and exchanges before a cycle
 * determine them: a load says which word of memory went into which slots, and the next exchange
 * says which of these words crossed channels. */
#include "holds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EVENTS_MAX 512 /* number of events searched back in time, at most */

struct walk {
    const struct cm_view_run *run;
    uint64_t cycle;
    uint32_t node;
    struct cm_view_held *held;
    uint32_t count;
    bool arrived;     /* true while the search looks for words that the last exchange brought */
    uint32_t pattern; /* pattern of the words that this exchange sent */
};

static bool has(const struct walk *walk, uint32_t slot)
{
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->held[i].slot == slot && walk->held[i].arrived == walk->arrived)
            return true;
    return false;
}

/* Records the words that a load brought into the slots of the node. Loads are visited from the last
 * to the first, so a slot that already has a word is skipped. */
static void take_load(struct walk *walk, const struct cm_trace_event *load)
{
    const struct cm_trace_info *info = walk->run->info;
    if (!cm_view_loads_a(walk->run, load))
        return;
    for (uint32_t d = 0; d < info->dimensions; d++)
        for (uint32_t c = 0; c < info->channels; c++) {
            uint32_t slot = cm_slot_of_channel(info->slots, d, c);
            uint32_t peer = walk->node ^ UINT32_C(1) << d;
            uint32_t loader = walk->arrived ? peer : walk->node;
            uint64_t loaded = cm_trace_pattern_slots(walk->run->trace, load->pattern, loader);
            uint64_t sent = walk->arrived
                                ? cm_trace_pattern_slots(walk->run->trace, walk->pattern, loader)
                                : UINT64_MAX;
            if ((loaded & sent) >> slot & 1 && !has(walk, slot) && walk->count < CM_VIEW_HELD_MAX)
                walk->held[walk->count++] =
                    (struct cm_view_held){.arrived = walk->arrived,
                                          .slot = slot,
                                          .channel = cm_view_channel_index(walk->run, loader, d, c),
                                          .peer = peer,
                                          .address = load->address,
                                          .load = load->number,
                                          .array = CM_TRACE_NONE,
                                          .element = UINT64_MAX};
        }
}

/* Searches back from the cycle for the words in the node's transposers: first words that wait in A
 * since the previous exchange, then words that this exchange brought into B. If an exchange is in
 * progress at the cycle, the words in A are being sent. */
static void go_back(struct walk *walk)
{
    struct cm_trace_cursor cursor = cm_trace_seek(walk->run->trace, walk->cycle);
    struct cm_trace_event event;
    bool now = cm_trace_next(&cursor, &event) && event.first_cycle <= walk->cycle;
    bool sends = now && event.phase == CM_TRACE_EXCHANGE;
    if (now && event.phase == CM_TRACE_LOAD && event.pattern != CM_TRACE_NONE)
        take_load(walk, &event);
    cursor = cm_trace_seek(walk->run->trace, walk->cycle);
    for (int i = 0; i < EVENTS_MAX && cm_trace_previous(&cursor, &event); i++) {
        if (event.phase == CM_TRACE_EXCHANGE) {
            if (walk->arrived || sends || event.pattern == CM_TRACE_NONE)
                return;
            walk->arrived = true;
            walk->pattern = event.pattern;
        } else if (event.phase == CM_TRACE_LOAD && event.pattern != CM_TRACE_NONE) {
            take_load(walk, &event);
        } else if (event.phase == CM_TRACE_START) {
            return;
        }
    }
}

static uint32_t array_of(const struct cm_view_run *run, uint64_t address, uint64_t cycle)
{
    for (uint32_t i = 0; i < run->info->arrays; i++) {
        const struct cm_trace_array *array = cm_trace_array_then(run->trace, i, cycle);
        if (address >= array->address && address - array->address < array->words)
            return i;
    }
    return CM_TRACE_NONE;
}

/* Finds for all words of one array the elements to which they belong, in one pass over the array's
 * elements. */
static void find_elements(const struct walk *walk, const struct cm_view_origin *words,
                          uint32_t number, uint64_t cycle)
{
    const struct cm_view_run *run = walk->run;
    const struct cm_trace_array *array = cm_trace_array_then(run->trace, number, cycle);
    for (uint64_t e = 0; e < array->elements; e++) {
        uint32_t node;
        uint64_t address;
        if (!cm_trace_array_place(run->trace, number, e, cycle, &node, &address))
            return;
        for (uint32_t i = 0; i < walk->count; i++)
            if (walk->held[i].array == number && words[i].node == node &&
                words[i].address >= address && words[i].address - address < array->slices) {
                walk->held[i].element = e;
                walk->held[i].slice = (uint32_t)(words[i].address - address);
            }
    }
}

/* Finds where the words were at the beginning of their step. In a step with too many events, finds
 * where they were loaded. Returns the cycle of these places. */
static uint64_t find_words(const struct walk *walk, struct cm_view_origin *words)
{
    uint32_t step = cm_view_step_after(walk->run, walk->cycle);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < walk->count; i++) {
            const struct cm_view_held *held = &walk->held[i];
            words[i] = (struct cm_view_origin){.number = held->load,
                                               .at = CM_VIEW_AT_MEMORY,
                                               .node = held->arrived ? held->peer : walk->node,
                                               .address = held->address};
        }
        if (turn == 0 && step < walk->run->info->steps &&
            cm_view_find_origins(walk->run, words, walk->count))
            return cm_trace_step_at(walk->run->trace, step)->first_cycle;
    }
    return walk->cycle;
}

uint32_t cm_view_holds(const struct cm_view_run *run, uint64_t cycle, uint32_t node,
                       struct cm_view_held held[CM_VIEW_HELD_MAX])
{
    struct walk walk = {.run = run, .cycle = cycle, .node = node, .held = held};
    struct cm_view_origin words[CM_VIEW_HELD_MAX];
    go_back(&walk);
    uint64_t then = find_words(&walk, words);
    for (uint32_t i = 0; i < walk.count; i++)
        if (words[i].at == CM_VIEW_AT_MEMORY && !words[i].lost)
            held[i].array = array_of(run, words[i].address, then);
    for (uint32_t a = 0; a < run->info->arrays; a++) {
        bool wanted = false;
        for (uint32_t i = 0; i < walk.count; i++)
            wanted = wanted || held[i].array == a;
        if (wanted && cm_trace_array_then(run->trace, a, then)->placed)
            find_elements(&walk, words, a, then);
    }
    return walk.count;
}

void cm_view_print_held(const struct cm_view_run *run, uint64_t cycle,
                        const struct cm_view_held *held, char *text, size_t size)
{
    if (held->array == CM_TRACE_NONE || held->element == UINT64_MAX) {
        uint32_t array = array_of(run, held->address, cycle);
        const struct cm_trace_array *there =
            array != CM_TRACE_NONE ? cm_trace_array_then(run->trace, array, cycle) : NULL;
        snprintf(text, size, "word %" PRIu64 "%s%s",
                 held->address - (there != NULL ? there->address : 0), there != NULL ? " of " : "",
                 there != NULL ? there->name : "");
        return;
    }
    uint32_t step = cm_view_step_after(run, cycle);
    cycle = step < run->info->steps ? cm_trace_step_at(run->trace, step)->first_cycle : cycle;
    const struct cm_trace_array *array = cm_trace_array_then(run->trace, held->array, cycle);
    uint64_t rest = held->element;
    int length = snprintf(text, size, "%s", array->name);
    for (uint32_t i = 0; i < array->rank && length >= 0 && (size_t)length < size; i++) {
        uint64_t side = array->shape[i] > 0 ? array->shape[i] : 1;
        length += snprintf(text + length, size - (size_t)length, "%s%" PRIu64 "%s",
                           i == 0 ? "(" : ",", rest % side + 1, i + 1 == array->rank ? ")" : "");
        rest /= side;
    }
}

/* Word that crosses a channel, with the origins of all words in the sending node's transposers. */
struct crossing {
    const struct cm_view_run *run;
    uint64_t cycle;
    const struct cm_view_held *held; /* origins of the words in the node's transposers */
    uint32_t count;                  /* number of words in `held` */
    const struct cm_view_held *one;  /* origin of the crossing word */
    uint32_t word;
};

/* The program on a web page must be small, so it does not print the values of real64 and complex
 * numbers. */
#ifndef __EMSCRIPTEN__

/* Finds the other half of a number of two words, if it crosses a channel in the same exchange. */
static bool find_other_half(const struct crossing *crossing, uint32_t *word)
{
    const struct cm_view_held *half = crossing->one;
    bool sent = false;
    for (uint32_t i = 0; i < crossing->count; i++) {
        const struct cm_view_held *other = &crossing->held[i];
        if (other->array == half->array && other->element == half->element &&
            other->slice == (half->slice ^ 1) &&
            cm_view_word(crossing->run, crossing->cycle, other->channel, word, &sent) && sent)
            return true;
    }
    return false;
}

static void print_real64(const struct crossing *crossing, const char *of, char *text, size_t size)
{
    const struct cm_view_held *half = crossing->one;
    bool upper = half->slice % 2 == 1;
    uint32_t word = crossing->word, other = 0;
    bool whole = find_other_half(crossing, &other);
    uint64_t bits = upper ? (uint64_t)word << 32 | other : (uint64_t)other << 32 | word;
    double value;
    memcpy(&value, &bits, sizeof value);
    if (half->element == UINT64_MAX || (!whole && !upper))
        snprintf(text, size, "%s of a real64%s",
                 half->element == UINT64_MAX ? "a half" : "the lower half", of);
    else
        snprintf(text, size, whole ? "%.15g (real64%s)" : "%.6g (real64%s, by its upper half)",
                 value, of);
}

static void print_wide(const struct crossing *crossing, const char *type, char *text, size_t size)
{
    const struct cm_view_held *one = crossing->one;
    bool complex = strncmp(type, "complex", 7) == 0;
    uint32_t words = strcmp(type, "complex128") == 0 ? 2 : 1;
    const char *of = !complex                     ? ""
                     : one->element == UINT64_MAX ? ", of a complex number"
                     : one->slice / words == 0    ? ", real part"
                                                  : ", imaginary part";
    float narrow;
    memcpy(&narrow, &crossing->word, sizeof narrow);
    if (strcmp(type, "real64") == 0 || strcmp(type, "complex128") == 0)
        print_real64(crossing, of, text, size);
    else if (complex)
        snprintf(text, size, "%.9g (real32%s)", (double)narrow, of);
}

#else
#define print_wide(crossing, ...) (void)(crossing)
#endif

/* Prints a number that takes one word. Returns false for types of more words. */
static bool print_narrow(const char *type, uint32_t word, char *text, size_t size)
{
    float narrow;
    memcpy(&narrow, &word, sizeof narrow);
    if (strcmp(type, "real32") == 0)
        snprintf(text, size, "%.9g (real32)", (double)narrow);
    else if (strcmp(type, "int32") == 0)
        snprintf(text, size, "%" PRId32 " (int32)", (int32_t)word);
    else if (strcmp(type, "logical") == 0)
        snprintf(text, size, "%s (logical)", word != 0 ? "true" : "false");
    else
        return false;
    return true;
}

static void print_value(const struct crossing *crossing, char *text, size_t size)
{
    const struct cm_view_run *run = crossing->run;
    const struct cm_view_held *one = crossing->one;
    uint32_t number =
        one->array != CM_TRACE_NONE ? one->array : array_of(run, one->address, crossing->cycle);
    const char *type = number != CM_TRACE_NONE ? cm_trace_array_at(run->trace, number)->type : "";
    text[0] = '\0';
    if (!print_narrow(type, crossing->word, text, size))
        print_wide(crossing, type, text, size);
}

void cm_view_print_word(const struct cm_view_run *run, uint64_t cycle, uint32_t channel,
                        uint32_t word, char *text, size_t size)
{
    struct cm_view_held held[CM_VIEW_HELD_MAX];
    uint32_t node = cm_view_channel_parts(run, channel).node, i = 0;
    uint32_t count = cm_view_holds(run, cycle, node, held);
    text[0] = '\0';
    while (i < count && (held[i].arrived || held[i].channel != channel))
        i++;
    if (i < count) {
        const struct crossing crossing = {run, cycle, held, count, &held[i], word};
        print_value(&crossing, text, size);
    }
}
