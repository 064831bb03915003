/* The tables of the guided tour, and the computation of the numbers in its texts. */
#include "tour.h"

#include "packets.h"

#include "../../report/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct cm_tour_station cm_tour_stations[] = {
#define CM_STATION(name, run, seconds, first, again, every, title, text)                           \
    {#name, CM_TOUR_##run, seconds, first, again, every, title, text},
#include "stations.def"
#undef CM_STATION
};
const uint32_t cm_tour_station_count = sizeof cm_tour_stations / sizeof *cm_tour_stations;

bool cm_tour_find(const char *name, uint32_t *station)
{
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    *station = 0;
    if (end != name && *end == '\0' && number >= 1 && number <= cm_tour_station_count)
        *station = (uint32_t)number;
    for (uint32_t i = 0; i < cm_tour_station_count; i++)
        if (strcmp(cm_tour_stations[i].name, name) == 0)
            *station = i + 1;
    return *station > 0;
}

/* Returns how many words the busiest node sends in the exchange that sends most words. */
static uint64_t words_at_once(const struct cm_view_run *run)
{
    uint64_t most = 0, cycle = cm_trace_find_exchange(run->trace, 0, 1);
    struct cm_trace_event event;
    for (; cycle != UINT64_MAX; cycle = cm_trace_find_exchange(run->trace, cycle + 1, 1)) {
        if (!cm_view_event(run, cycle, &event) || event.pattern == CM_TRACE_NONE)
            continue;
        for (uint32_t node = 0; node < run->info->nodes; node++) {
            uint64_t slots = cm_trace_pattern_slots(run->trace, event.pattern, node);
            uint64_t words = (uint64_t)__builtin_popcountll(slots);
            most = words > most ? words : most;
        }
    }
    return most;
}

static uint64_t phase_cycles(const struct cm_view_run *run, enum cm_trace_phase phase)
{
    uint64_t cycles[CM_TRACE_PHASE_COUNT];
    cm_trace_by_phase(run->trace, 0, run->info->cycles, cycles);
    return cycles[phase];
}

/* Returns the number of packets that the step at the cursor sends. */
static uint64_t packets_of_step(const struct cm_view_run *run, const struct cm_view_model *model,
                                const struct cm_view_state *state)
{
    uint32_t number = cm_view_step_after(&model->runs[state->run], state->cycle);
    uint64_t count = 0;
    if (number >= run->info->steps)
        return run->info->packets;
    const struct cm_trace_step *step = cm_trace_step_at(run->trace, number);
    for (uint64_t i = 0; i < run->info->packets; i++) {
        uint64_t created = cm_trace_packet_at(run->trace, i)->created_cycle;
        count += created >= step->first_cycle && created < step->end_cycle;
    }
    return count;
}

/* Returns the pinned packet, or the packet at the end of the chain that is shown. */
static uint64_t packet_shown(const struct cm_view_state *state)
{
    uint64_t packet = state->walk.shown ? state->walk.packet : state->packet;
    return packet > 0 ? packet - 1 : 0;
}

static const struct cm_trace_packet *packet_of(const struct cm_view_run *run,
                                               const struct cm_view_state *state)
{
    static const struct cm_trace_packet none;
    uint64_t packet = packet_shown(state);
    return packet < run->info->packets ? cm_trace_packet_at(run->trace, packet) : &none;
}

/* Returns the number of links in the chain of the pinned packet, or in the chain that is shown. */
static uint64_t chain_links(const struct cm_view_run *run, const struct cm_view_state *state)
{
    uint64_t cycle = state->walk.shown ? state->walk.cycle : UINT64_MAX;
    const struct cm_why *chain = cm_view_chain(run, packet_shown(state), cycle);
    return chain != NULL ? chain->links.count : 0;
}

const char *const cm_tour_fact_names[] = {
#define CM_FACT(name, value) #name,
#include "facts.def"
#undef CM_FACT
    NULL,
};

enum fact {
#define CM_FACT(name, value) FACT_##name,
#include "facts.def"
#undef CM_FACT
};

uint64_t cm_tour_fact(const struct cm_view_model *model, const struct cm_view_state *state,
                      uint32_t fact)
{
    const struct cm_view_run *a = &model->runs[0], *b = &model->runs[model->run_count - 1];
    switch ((enum fact)fact) {
#define CM_FACT(name, value)                                                                       \
    case FACT_##name:                                                                              \
        return value;
#include "facts.def"
#undef CM_FACT
    }
    return 0;
}

/* Finds the fact whose name is the `length` characters from `name` on. Returns false if there is no
 * such fact. */
static bool find_fact(const char *name, size_t length, uint32_t *fact)
{
    for (*fact = 0; cm_tour_fact_names[*fact] != NULL; ++*fact)
        if (strlen(cm_tour_fact_names[*fact]) == length &&
            strncmp(cm_tour_fact_names[*fact], name, length) == 0)
            return true;
    return false;
}

bool cm_tour_text(const struct cm_view_model *model, const struct cm_view_state *state, char *text,
                  size_t size)
{
    const char *from = cm_tour_stations[state->tour.station - 1].text;
    size_t length = 0;
    bool known = true;
    while (*from != '\0' && length + 1 < size) {
        size_t plain = strcspn(from, "{"), name = 0;
        uint32_t fact;
        int more = snprintf(text + length, size - length, "%.*s", (int)plain, from);
        length += (size_t)more;
        from += plain;
        if (*from == '\0' || length + 1 >= size)
            break;
        name = strcspn(from, "}");
        known = find_fact(from + 1, name - 1, &fact) && known;
        more = snprintf(text + length, size - length, "%s",
                        cm_format_count(cm_tour_fact(model, state, fact)).text);
        length += (size_t)more;
        from += name + (from[name] != '\0');
    }
    text[length < size ? length : size - 1] = '\0';
    return known;
}
