/* What a trace gives back of hops of the router with numbers of all sizes, and of words that are
 * pending while a communication table changes. */
#include "imps.h"
#include "machines.h"
#include "random.h"
#include "sim/router/router.h"
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

/* Mostly the packets and channels next to the one before; now and then any. Few or many hops begin
 * in the same word time. */
static void draw_hops(struct random_source *random, struct hop *hops)
{
    static const uint32_t steps[] = {1, 1, 1, 2, 63, 64, 127, 128, 300, 100000};
    static const uint32_t together[] = {1, 1, 2, 10, 300, 600};
    static const uint32_t waits[] = {1, 1, 1, 2, 127, 128, 129, 20000};
    static const uint32_t gaps[] = {1, 1, 1, 1, 2, 63, 64, 65, 20000};
    static const uint32_t moves[] = {2, 64, 8192, 8193, CHANNELS};
    static uint32_t packets[PACKETS];
    uint64_t first = 20000, end = 0, channel = 0;
    uint32_t next = 0;
    shuffle(random, packets, PACKETS);
    for (uint32_t i = 0; i < PACKETS; i++) {
        if (i == next) {
            first += number_of_any_size(random, steps, sizeof steps / sizeof *steps);
            end = first + WORDS + number_of_any_size(random, gaps, sizeof gaps / sizeof *gaps);
            next += 1 + (uint32_t)number_of_any_size(random, together,
                                                     sizeof together / sizeof *together);
        }
        channel += number_of_any_size(random, moves, sizeof moves / sizeof *moves);
        channel %= CHANNELS;
        hops[i] = (struct hop){
            .packet = i < PACKETS / 2 ? packets[i] : i, /* in any order, then one by one */
            .node = (uint32_t)(channel / 22),
            .dimension = (uint32_t)(channel / 2 % 11),
            .channel = (uint32_t)(channel % 2),
            .asked = first - number_of_any_size(random, waits, sizeof waits / sizeof *waits),
            .first = first,
            .end = end,
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

static const struct cm_router_options options = {.dimensions = 11,
                                                 .channels = 2,
                                                 .words = WORDS,
                                                 .header_words = 1,
                                                 .buffer_words = WORDS,
                                                 .switching = CM_SWITCHING_CUT_THROUGH};

static void tell(const struct cm_observer *observer, struct cm_machine *machine,
                 const struct hop *hops)
{
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

/* A machine that is recorded, and its trace. */
struct bench {
    struct cm_config config;
    struct cm_system *system;
    struct cm_machine *machine;
    struct cm_recorder *recorder;
    const struct cm_observer *observer;
    struct cm_trace *trace;
};

static void bench_create(struct bench *bench, uint32_t nodes, bool timing_only)
{
    const struct cm_recorder_options recording = {.workload = "travel"};
    struct cm_error err;
    bench->config = cm200_config();
    bench->system = system_of(&bench->config, nodes, timing_only);
    bench->machine = cm_system_machine(bench->system);
    ck_assert_int_eq(cm_recorder_create(bench->machine, &recording, &bench->recorder, &err), CM_OK);
    bench->observer = cm_recorder_observer(bench->recorder);
    cm_machine_observe(bench->machine, bench->observer);
}

static void bench_read(struct bench *bench)
{
    struct cm_error err;
    const void *bytes;
    ck_assert_int_eq(cm_recorder_finish(bench->recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(bench->recorder, &bytes);
    enum cm_status status = cm_trace_open_memory(bytes, length, "travel", &bench->trace, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    ck_assert(cm_trace_information(bench->trace)->complete);
}

static void bench_destroy(struct bench *bench)
{
    cm_trace_close(bench->trace);
    cm_machine_observe(bench->machine, NULL);
    cm_recorder_destroy(bench->recorder);
    cm_system_destroy(bench->system);
}

START_TEST(hops_of_all_sizes_are_read_as_they_were_told)
{
    static struct hop hops[PACKETS];
    static uint64_t holders[CHANNELS];
    struct random_source random = random_begin("hops");
    struct bench bench;
    bench_create(&bench, NODES, true);
    draw_hops(&random, hops);
    tell(bench.observer, bench.machine, hops);
    bench_read(&bench);
    ck_assert_uint_eq(cm_trace_information(bench.trace)->packets, PACKETS);
    for (uint32_t c = 0; c < CHANNELS; c++)
        holders[c] = UINT64_MAX;
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint64_t *holder = &holders[(hops[i].node * 11 + hops[i].dimension) * 2 + hops[i].channel];
        check_hop(bench.trace, &bench.config, &hops[i], *holder);
        *holder = hops[i].packet;
    }
    bench_destroy(&bench);
}
END_TEST

/* A million hops are recorded one by one, the others are counted: the border is within a word time.
 */
#define TOGETHER 4099u /* hops that begin in one word time */
#define ROUNDS   270u

START_TEST(hops_beyond_the_first_million_are_counted)
{
    static uint32_t channels[TOGETHER];
    static uint64_t packets[TOGETHER], asked[TOGETHER], used[CHANNELS], busy[CHANNELS];
    struct bench bench;
    bench_create(&bench, NODES, true);
    cm_machine_route_begins(bench.machine, &options);
    for (uint32_t p = 0; p < TOGETHER; p++)
        bench.observer->packet_sent(bench.observer->context, p, p % NODES, p / 7 % NODES, 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint64_t first = (uint64_t)round * WORDS;
        for (uint32_t i = 0; i < TOGETHER; i++) {
            channels[i] = (uint32_t)(((uint64_t)round * 977 + i * UINT64_C(7)) % CHANNELS);
            packets[i] = i;
            asked[i] = first;
            used[channels[i]] += WORDS;
        }
        const struct cm_observed_hops hops = {.first = first,
                                              .end = first + WORDS,
                                              .count = TOGETHER,
                                              .channels = channels,
                                              .asked = asked,
                                              .packets = packets};
        bench.observer->packets_hop(bench.observer->context, &hops);
    }
    cm_machine_route(bench.machine, (uint64_t)ROUNDS * WORDS, (uint64_t)ROUNDS * TOGETHER * WORDS);
    bench_read(&bench);
    const struct cm_trace_info *info = cm_trace_information(bench.trace);
    cm_trace_channel_busy(bench.trace, 0, info->cycles, busy);
    for (uint32_t c = 0; c < CHANNELS; c++)
        ck_assert_uint_eq(busy[c], used[c] * bench.config.router_word_cycles);
    uint64_t recorded = 0;
    for (uint32_t p = 0; p < TOGETHER; p++)
        recorded += cm_trace_hops_of_packet(bench.trace, p, NULL, 0);
    ck_assert_uint_eq(recorded, UINT64_C(1) << 20);
    bench_destroy(&bench);
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
    struct cm_imp *imp = assembled(changes_table);
    struct cm_trace_event event;
    struct cm_error err;
    struct bench bench;
    uint32_t exchanges = 0;
    bench_create(&bench, 4, false);
    ck_assert_int_eq(cm_machine_write_plane(bench.machine, 2, before, NULL), CM_OK);
    ck_assert_int_eq(cm_machine_write_plane(bench.machine, 3, after, NULL), CM_OK);
    ck_assert_msg(run_once(bench.machine, imp, NULL, &err) == CM_OK, "%s", err.message);
    bench_read(&bench);
    struct cm_trace_cursor cursor = cm_trace_seek(bench.trace, 0);
    while (cm_trace_next(&cursor, &event)) {
        if (event.phase != CM_TRACE_EXCHANGE)
            continue;
        exchanges++;
        for (uint32_t node = 0; node < 4; node++)
            ck_assert_uint_eq(cm_trace_pattern_slots(bench.trace, event.pattern, node),
                              UINT64_C(1) << before[node] | UINT64_C(1) << after[node] |
                                  UINT64_C(1) << 17);
    }
    ck_assert_uint_eq(exchanges, 1);
    bench_destroy(&bench);
    cm_imp_destroy(imp);
}
END_TEST

CM_PROGRAM(test_trace_travel)
{
    Suite *suite = suite_create("trace of what travels");
    TCase *tests = tcase_create("hops and pending words");
    tcase_add_test(tests, hops_of_all_sizes_are_read_as_they_were_told);
    tcase_add_test(tests, hops_beyond_the_first_million_are_counted);
    tcase_add_test(tests, a_table_that_changes_leaves_pending_words);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
