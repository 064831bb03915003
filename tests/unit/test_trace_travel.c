/* What a trace gives back of hops of the router with numbers of all sizes, and of words that are
 * pending while a communication table changes. */
#include "imps.h"
#include "machines.h"
#include "random.h"
#include "sim/router.h"
#include "suite.h"
#include "trace/record.h"
#include "trace/trace.h"

#define NODES    2048u
#define PACKETS  40000u /* their numbers take one to three bytes */
#define WORDS    8u
#define CHANNELS (NODES * 11 * 2)

/* A number of a size that is drawn first. */
static uint64_t number_of_any_size(struct random_source *random, const uint32_t *bounds,
                                   uint32_t count)
{
    return random_below(random, bounds[random_below(random, count)]);
}

static void shuffle(struct random_source *random, uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = random_below(random, i), number = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = number;
    }
}

/* A hop, in word times. */
struct hop {
    uint64_t packet;
    uint32_t node, dimension, channel;
    uint64_t asked, first, end;
};

/* Mostly the packets and channels next to the one before; now and then any. */
static void draw_hops(struct random_source *random, struct hop *hops)
{
    static const uint32_t steps[] = {1, 1, 1, 2, 63, 64, 127, 128, 300, 100000};
    static const uint32_t waits[] = {1, 1, 1, 2, 127, 128, 129, 20000};
    static const uint32_t gaps[] = {1, 1, 1, 1, 2, 63, 64, 65, 20000};
    static const uint32_t moves[] = {2, 64, 8192, 8193, CHANNELS};
    static uint32_t packets[PACKETS];
    uint64_t first = 20000, channel = 0;
    shuffle(random, packets, PACKETS);
    for (uint32_t i = 0; i < PACKETS; i++) {
        first += number_of_any_size(random, steps, sizeof steps / sizeof *steps);
        channel += number_of_any_size(random, moves, sizeof moves / sizeof *moves);
        channel %= CHANNELS;
        hops[i] = (struct hop){
            .packet = i < PACKETS / 2 ? packets[i] : i, /* in any order, then one by one */
            .node = (uint32_t)(channel / 22),
            .dimension = (uint32_t)(channel / 2 % 11),
            .channel = (uint32_t)(channel % 2),
            .asked = first - number_of_any_size(random, waits, sizeof waits / sizeof *waits),
            .first = first,
            .end = first + WORDS + number_of_any_size(random, gaps, sizeof gaps / sizeof *gaps),
        };
    }
}

/* Those that begin in the same word time, and end in another; returns how many. */
static uint32_t tell_hops(const struct cm_observer *observer, const struct hop *hops, uint32_t most)
{
    static uint64_t packets[PACKETS], asked[PACKETS];
    static uint32_t channels[PACKETS];
    struct cm_observed_hops all = {.first = hops[0].first,
                                   .end = hops[0].end,
                                   .channels = channels,
                                   .asked = asked,
                                   .packets = packets};
    while (all.count < most && hops[all.count].first == all.first &&
           hops[all.count].end == all.end) {
        const struct hop *hop = &hops[all.count];
        channels[all.count] = (hop->node * 11 + hop->dimension) * 2 + hop->channel;
        asked[all.count] = hop->asked;
        packets[all.count++] = hop->packet;
    }
    observer->packets_hop(observer->context, &all);
    return all.count;
}

static void tell(const struct cm_observer *observer, struct cm_machine *machine,
                 const struct hop *hops)
{
    const struct cm_router_options options = {.dimensions = 11,
                                              .channels = 2,
                                              .words = WORDS,
                                              .header_words = 1,
                                              .buffer_words = WORDS,
                                              .switching = CM_SWITCHING_CUT_THROUGH};
    cm_machine_route_begins(machine, &options);
    for (uint32_t p = 0; p < PACKETS; p++)
        observer->packet_sent(observer->context, p, p % NODES, p / 7 % NODES, p / 100);
    for (uint32_t i = 0, count; i < PACKETS; i += count)
        count = tell_hops(observer, hops + i, PACKETS - i);
    cm_machine_route(machine, hops[PACKETS - 1].end, (uint64_t)PACKETS * WORDS);
}

/* The trace's hop of a packet that this one is. */
static void check_hop(const struct cm_trace *trace, const struct cm_config *config,
                      const struct hop *want, uint64_t blocker)
{
    static struct cm_trace_hop found[PACKETS];
    const uint64_t word = config->router_word_cycles, start = config->router_start_cycles;
    const uint64_t channel = ((uint64_t)want->node * 11 + want->dimension) * 2 + want->channel;
    const uint64_t first = start + want->first * word;
    uint64_t count = cm_trace_hops_of_packet(trace, want->packet, found, PACKETS), at = 0;
    while (at < count && (found[at].first_cycle != first || found[at].channel != channel))
        at++;
    ck_assert_uint_lt(at, count);
    ck_assert_uint_eq(found[at].packet, want->packet);
    ck_assert_uint_eq(found[at].asked_cycle, start + want->asked * word);
    ck_assert_uint_eq(found[at].end_cycle, start + want->end * word);
    ck_assert_uint_eq(found[at].blocked_by, want->asked == want->first ? UINT64_MAX : blocker);
}

START_TEST(hops_of_all_sizes_are_read_as_they_were_told)
{
    static struct hop hops[PACKETS];
    static uint64_t holders[CHANNELS];
    struct random_source random = random_begin("hops");
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, NODES, true);
    struct cm_machine *machine = cm_system_machine(system);
    const struct cm_recorder_options recording = {.workload = "hops"};
    struct cm_recorder *recorder;
    struct cm_trace *trace;
    struct cm_error err;
    const void *bytes;
    draw_hops(&random, hops);
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
    cm_machine_observe(machine, cm_recorder_observer(recorder));
    tell(cm_recorder_observer(recorder), machine, hops);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    enum cm_status status = cm_trace_open_memory(bytes, length, "hops", &trace, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    ck_assert(cm_trace_information(trace)->complete);
    ck_assert_uint_eq(cm_trace_information(trace)->packets, PACKETS);
    for (uint32_t c = 0; c < CHANNELS; c++)
        holders[c] = UINT64_MAX;
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint64_t *holder = &holders[(hops[i].node * 11 + hops[i].dimension) * 2 + hops[i].channel];
        check_hop(trace, &config, &hops[i], *holder);
        *holder = hops[i].packet;
    }
    cm_trace_close(trace);
    cm_machine_observe(machine, NULL);
    cm_recorder_destroy(recorder);
    cm_system_destroy(system);
}
END_TEST

/* Words go into slots by a table, which changes while they are pending, and by the new one. */
static const char *const changes_table = "    aset r0, 0\n"
                                         "    loadi A, [r0], [r0+2], 0, 0\n"
                                         "    load A.17, [r0+1]\n"
                                         "    fload32 f0, [r0+3]\n"
                                         "    fstore32 [r0+2], f0\n"
                                         "    loadi A, [r0+1], [r0+2], 0, 0\n"
                                         "    exchange\n"
                                         "    halt\n";

START_TEST(a_table_that_changes_leaves_pending_words)
{
    const uint32_t before[] = {1, 2, 1, 2}, after[] = {2, 18, 2, 18};
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_machine *machine = cm_system_machine(system);
    struct cm_imp *imp = assembled(changes_table);
    const struct cm_recorder_options recording = {.workload = "tables"};
    struct cm_recorder *recorder;
    struct cm_trace *trace;
    struct cm_trace_event event;
    struct cm_error err;
    const void *bytes;
    uint32_t exchanges = 0;
    ck_assert_int_eq(cm_machine_write_plane(machine, 2, before, NULL), CM_OK);
    ck_assert_int_eq(cm_machine_write_plane(machine, 3, after, NULL), CM_OK);
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
    cm_machine_observe(machine, cm_recorder_observer(recorder));
    ck_assert_msg(run_once(machine, imp, NULL, &err) == CM_OK, "%s", err.message);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "tables", &trace, &err), CM_OK);
    struct cm_trace_cursor cursor = cm_trace_seek(trace, 0);
    while (cm_trace_next(&cursor, &event)) {
        if (event.phase != CM_TRACE_EXCHANGE)
            continue;
        exchanges++;
        for (uint32_t node = 0; node < 4; node++)
            ck_assert_uint_eq(cm_trace_pattern_slots(trace, event.pattern, node),
                              UINT64_C(1) << before[node] | UINT64_C(1) << after[node] |
                                  UINT64_C(1) << 17);
    }
    ck_assert_uint_eq(exchanges, 1);
    cm_trace_close(trace);
    cm_machine_observe(machine, NULL);
    cm_recorder_destroy(recorder);
    cm_imp_destroy(imp);
    cm_system_destroy(system);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace of what travels");
    TCase *tests = tcase_create("hops and pending words");
    tcase_add_test(tests, hops_of_all_sizes_are_read_as_they_were_told);
    tcase_add_test(tests, a_table_that_changes_leaves_pending_words);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
