/* Patterns of traffic, packets that follow them, and what is measured of packets: values written
 * out by hand, shares of what is drawn, and lists of packets from files. */
#include "folder.h"
#include "programs/network/traffic.h"
#include "suite.h"

#include <string.h>

/* ---- patterns ---- */

START_TEST(permutations_send_where_the_textbook_says)
{
    static const struct {
        enum cm_pattern pattern;
        uint32_t of_0001, of_0110, of_1011; /* on 16 nodes; a shift is by 3 */
    } cases[] = {
        {CM_PATTERN_SHIFT, 4, 9, 14},     {CM_PATTERN_BIT_REVERSAL, 8, 6, 13},
        {CM_PATTERN_TRANSPOSE, 4, 9, 14}, {CM_PATTERN_COMPLEMENT, 14, 9, 4},
        {CM_PATTERN_SHUFFLE, 2, 12, 7},   {CM_PATTERN_TORNADO, 8, 13, 2},
        {CM_PATTERN_BUTTERFLY, 8, 6, 11}, {CM_PATTERN_NEIGHBOUR, 2, 7, 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum cm_pattern pattern = cases[i].pattern;
        ck_assert_uint_eq(cm_pattern_destination(pattern, 4, 1, 3), cases[i].of_0001);
        ck_assert_uint_eq(cm_pattern_destination(pattern, 4, 6, 3), cases[i].of_0110);
        ck_assert_uint_eq(cm_pattern_destination(pattern, 4, 11, 3), cases[i].of_1011);
    }
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_SHIFT, 4, 15, 3), 2);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_TRANSPOSE, 3, 1, 0), 2);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_TRANSPOSE, 3, 4, 0), 1);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_SHUFFLE, 3, 4, 0), 1);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_BUTTERFLY, 4, 9, 0), 9);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_BUTTERFLY, 4, 8, 0), 1);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_BUTTERFLY, 2, 1, 0), 2);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_BUTTERFLY, 1, 1, 0), 1);
    ck_assert_uint_eq(cm_pattern_destination(CM_PATTERN_NEIGHBOUR, 4, 15, 0), 0);
}
END_TEST

START_TEST(each_node_gets_one_packet_of_a_permutation)
{
    for (int pattern = CM_PATTERN_SHIFT; pattern <= CM_PATTERN_NEIGHBOUR; pattern++)
        for (uint32_t d = 0; d <= 7; d++) {
            bool got[128] = {false};
            for (uint32_t node = 0; node < UINT32_C(1) << d; node++) {
                uint32_t to = cm_pattern_destination((enum cm_pattern)pattern, d, node, 1);
                require(to < UINT32_C(1) << d && !got[to]);
                got[to] = true;
            }
        }
}
END_TEST

START_TEST(patterns_have_names_of_their_own)
{
    ck_assert_str_eq(cm_pattern_name(CM_PATTERN_SHIFT), "shift");
    ck_assert_str_eq(cm_pattern_name(CM_PATTERN_HOT_SPOT), "hot-spot");
    ck_assert_str_eq(cm_pattern_name(CM_PATTERN_LIST), "list");
    ck_assert_ptr_null(cm_pattern_name(CM_PATTERN_COUNT));
}
END_TEST

/* ---- batches ---- */

static struct cm_traffic_task task_of(enum cm_pattern pattern, uint32_t words)
{
    return (struct cm_traffic_task){
        .pattern = pattern,
        .seed = 1990,
        .keep = 1000000,
        .router = {.dimensions = 4,
                   .channels = 2,
                   .words = words,
                   .buffer_words = words,
                   .switching = CM_SWITCHING_CUT_THROUGH},
    };
}

static struct cm_traffic_result sent(const struct cm_traffic_task *task)
{
    struct cm_router *router;
    struct cm_traffic_result result;
    struct cm_error err;
    ck_assert_msg(cm_router_create(&task->router, &router, &err) == CM_OK, "%s", err.message);
    ck_assert_msg(cm_traffic_send(router, task, &result, &err) == CM_OK, "%s", err.message);
    cm_router_destroy(router);
    return result;
}

START_TEST(a_batch_has_a_packet_of_each_node_and_round_in_turn)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_COMPLEMENT, 3);
    for (task.rounds = 0; task.rounds < 4; task.rounds++) {
        struct cm_traffic_result result = sent(&task);
        uint64_t rounds = task.rounds > 0 ? task.rounds : 1;
        ck_assert_uint_eq(result.packet_count, 16 * rounds);
        ck_assert_uint_eq(result.measured, 16 * rounds);
        for (uint64_t i = 0; i < result.packet_count; i++) {
            ck_assert_uint_eq(result.packets[i].serial, i);
            ck_assert_uint_eq(result.packets[i].source, i % 16);
            ck_assert_uint_eq(result.packets[i].destination, 15 - i % 16);
            ck_assert_uint_eq(result.packets[i].created, 0);
        }
        free(result.packets);
    }
}
END_TEST

START_TEST(all_to_all_takes_the_others_in_order)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_ALL_TO_ALL, 1);
    struct cm_traffic_result result = sent(&task);
    ck_assert_uint_eq(result.packet_count, 16 * 15);
    for (uint64_t i = 0; i < result.packet_count; i++)
        require_uint_eq(result.packets[i].destination, (i % 16 + 1 + i / 16) % 16);
    free(result.packets);
}
END_TEST

/* 3,200 packets: 213 to each node if uniform, with a standard deviation of 14. */
START_TEST(random_packets_go_to_all_others_alike)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_RANDOM, 1);
    uint32_t to[16] = {0}, pairs[16][16] = {{0}}, met = 0;
    task.rounds = 200;
    struct cm_traffic_result result = sent(&task);
    ck_assert_uint_eq(result.packet_count, 3200);
    for (uint64_t i = 0; i < result.packet_count; i++) {
        const struct cm_router_delivery *packet = &result.packets[i];
        require(packet->destination != packet->source);
        to[packet->destination]++;
        met += pairs[packet->source][packet->destination]++ == 0;
    }
    for (int node = 0; node < 16; node++)
        ck_assert(to[node] > 140 && to[node] < 260);
    ck_assert_uint_eq(met, 16 * 15); /* a pair is left out with probability 10^-6 */
    free(result.packets);
    task.seed++;
    struct cm_traffic_result other = sent(&task);
    uint32_t differ = 0;
    for (uint64_t i = 0; i < other.packet_count; i++)
        differ += other.packets[i].destination != (other.packets[i].source + 1) % 16;
    ck_assert_uint_gt(differ, 2000);
    free(other.packets);
}
END_TEST

/* A quarter, and what random packets bring there: 1/4 + 3/4 x 1/15 of the others' packets. */
START_TEST(every_fourth_packet_goes_to_the_hot_node)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_HOT_SPOT, 1);
    uint32_t hot = 0, colder = 0;
    task.hot_node = 5;
    task.rounds = 200;
    struct cm_traffic_result result = sent(&task);
    for (uint64_t i = 0; i < result.packet_count; i++) {
        hot += result.packets[i].destination == 5;
        colder += result.packets[i].destination == 6;
    }
    ck_assert(hot > 860 && hot < 1040);      /* 949 */
    ck_assert(colder > 100 && colder < 220); /* 158 */
    free(result.packets);
}
END_TEST

START_TEST(one_node_sends_to_itself)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_RANDOM, 2);
    task.router.dimensions = 0;
    struct cm_traffic_result result = sent(&task);
    ck_assert_uint_eq(result.packet_count, 1);
    ck_assert_uint_eq(result.packets[0].destination, 0);
    ck_assert_uint_eq(result.latency.max, 0);
    free(result.packets);
}
END_TEST

/* ---- what is measured ---- */

/* Packets of 4 words over one channel, one after the other: they arrive after 4, 8 and 12 word
 * times, of which the header takes 1 and the body 3. */
START_TEST(latencies_are_split_and_ranked)
{
    const struct cm_router_packet list[] = {{.source = 2, .destination = 3},
                                            {.source = 2, .destination = 3},
                                            {.source = 2, .destination = 3}};
    struct cm_traffic_task task = task_of(CM_PATTERN_LIST, 4);
    task.router.channels = 1;
    task.list = list;
    task.list_count = 3;
    struct cm_traffic_result result = sent(&task);
    ck_assert_uint_eq(result.router.word_times, 12);
    ck_assert_uint_eq(result.measured, 3);
    ck_assert(result.latency.mean == 8 && result.latency.queueing == 4);
    ck_assert(result.latency.header == 1 && result.latency.body == 3);
    ck_assert_uint_eq(result.latency.p50, 8);
    ck_assert_uint_eq(result.latency.p99, 12);
    ck_assert_uint_eq(result.latency.max, 12);
    ck_assert(result.throughput == 12.0 / (16 * 12));
    ck_assert(!result.saturated);
    ck_assert_uint_eq(result.packet_count, 3);
    free(result.packets);
    task.keep = 2; /* the first to arrive */
    result = sent(&task);
    ck_assert_uint_eq(result.packet_count, 2);
    ck_assert_uint_eq(result.packets[1].arrived, 8);
    free(result.packets);
}
END_TEST

/* The latency that 1 % exceed, and half, of 200 packets: sent one after the other. */
START_TEST(percentiles_are_latencies_of_packets)
{
    static struct cm_router_packet list[200];
    struct cm_traffic_task task = task_of(CM_PATTERN_LIST, 1);
    task.router.channels = 1;
    task.list = list;
    task.list_count = 200;
    for (int i = 0; i < 200; i++)
        list[i] = (struct cm_router_packet){.source = 0, .destination = 1};
    struct cm_traffic_result result = sent(&task);
    ck_assert_uint_eq(result.latency.p50, 100);
    ck_assert_uint_eq(result.latency.p99, 198);
    ck_assert_uint_eq(result.latency.max, 200);
    free(result.packets);
    /* Latencies too large to be counted are sorted. */
    for (int i = 0; i < 200; i++)
        list[i].created = i < 199 ? 0 : 5000000;
    list[0].created = 0;
    task.router.words = task.router.buffer_words = 20000;
    result = sent(&task);
    ck_assert_uint_eq(result.latency.p50, 99 * 20000);
    ck_assert_uint_eq(result.latency.max, 199 * 20000);
    free(result.packets);
}
END_TEST

/* ---- open loop ---- */

/* 16 nodes that create a packet of 4 words in one word time of 16 on average: 4,000 packets in
 * 4,000 word times, with a standard deviation of 61. */
START_TEST(packets_are_created_at_the_rate)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_NEIGHBOUR, 4);
    uint32_t of_node[16] = {0}, together = 0;
    task.rate = 0.25;
    task.warmup = 100;
    task.measure = 4000;
    struct cm_traffic_result result = sent(&task);
    ck_assert(result.measured > 3750 && result.measured < 4250);
    ck_assert_uint_eq(result.packet_count, result.measured);
    for (uint64_t i = 0; i < result.packet_count; i++) {
        const struct cm_router_delivery *packet = &result.packets[i];
        require(packet->created >= 100 && packet->created < 4100);
        require(i == 0 || packet->created >= packet[-1].created);
        together += i > 0 && packet->created == packet[-1].created;
        of_node[packet->source]++;
    }
    for (int node = 0; node < 16; node++)
        ck_assert(of_node[node] > 180 && of_node[node] < 320); /* 250 */
    /* A word time has no packet with probability (15/16)^16 = 0.356, so 2,576 have a first one. */
    ck_assert(together > 1280 && together < 1570); /* 4000 - 2576 */
    ck_assert(result.throughput > 0.235 && result.throughput < 0.265);
    ck_assert(!result.saturated);
    free(result.packets);
}
END_TEST

/* Every pattern that chooses a destination, also all-to-all, which has no other node to choose. */
START_TEST(one_node_sends_to_itself_at_a_rate)
{
    for (int pattern = CM_PATTERN_SHIFT; pattern <= CM_PATTERN_ALL_TO_ALL; pattern++) {
        struct cm_traffic_task task = task_of((enum cm_pattern)pattern, 2);
        task.router.dimensions = 0;
        task.rate = 0.5;
        task.measure = 100;
        struct cm_traffic_result result = sent(&task);
        ck_assert_uint_gt(result.packet_count, 0);
        for (uint64_t i = 0; i < result.packet_count; i++)
            ck_assert_uint_eq(result.packets[i].destination, 0);
        free(result.packets);
    }
}
END_TEST

START_TEST(at_one_word_a_word_time_every_node_always_sends)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_NEIGHBOUR, 1);
    task.rate = 1;
    task.warmup = 10;
    task.measure = 20;
    struct cm_traffic_result result = sent(&task);
    ck_assert_uint_eq(result.measured, 16 * 20);
    for (uint64_t i = 0; i < result.packet_count; i++)
        require(result.packets[i].created == 10 + i / 16 && result.packets[i].source == i % 16);
    free(result.packets);
}
END_TEST

START_TEST(a_network_that_takes_less_than_it_is_offered_is_saturated)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_HOT_SPOT, 4);
    task.router.channels = 1;
    task.warmup = 200;
    task.measure = 2000;
    task.rate = 0.05;
    struct cm_traffic_result result = sent(&task);
    ck_assert(!result.saturated);
    free(result.packets);
    task.pattern = CM_PATTERN_TORNADO;
    task.rate = 1;
    result = sent(&task);
    ck_assert(result.saturated);
    ck_assert(result.throughput < 0.95);
    free(result.packets);
}
END_TEST

/* ---- cargo, stopping ---- */

static uint32_t load(void *cargo, const struct cm_router_packet *packet, uint64_t serial)
{
    uint64_t *loads = cargo;
    ck_assert_uint_eq(serial, *loads);
    return ++*loads > 20 ? UINT32_MAX : packet->source;
}

static void unload(void *cargo, const struct cm_router_delivery *delivery)
{
    (void)cargo;
    require_uint_eq(delivery->payload, delivery->source);
}

START_TEST(what_cannot_be_loaded_ends_the_traffic)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_COMPLEMENT, 1);
    struct cm_router *router;
    struct cm_traffic_result result;
    struct cm_error err;
    uint64_t loads = 0;
    task.load = load;
    task.unload = unload;
    task.cargo = &loads;
    result = sent(&task);
    ck_assert_uint_eq(loads, 16);
    free(result.packets);
    loads = 0;
    task.rounds = 2;
    ck_assert_int_eq(cm_router_create(&task.router, &router, &err), CM_OK);
    ck_assert_int_eq(cm_traffic_send(router, &task, &result, &err), CM_NO_MEMORY);
    ck_assert_uint_eq(loads, 21);
    cm_router_destroy(router);
}
END_TEST

static bool stop(void *context)
{
    return ++*(int *)context == 2;
}

START_TEST(traffic_is_stopped)
{
    struct cm_traffic_task task = task_of(CM_PATTERN_NEIGHBOUR, 1);
    int asked = 0;
    task.rounds = 100000;
    task.stop = stop;
    task.stop_context = &asked;
    struct cm_traffic_result result = sent(&task);
    ck_assert_int_eq(result.router.end, CM_ROUTER_STOPPED);
    ck_assert_int_eq(asked, 2);
    free(result.packets);
}
END_TEST

/* ---- lists ---- */

/* A list in a folder of its own; the file's path. */
static const char *write_list(struct folder *folder, const char *text)
{
    folder_create(folder);
    const char *path = folder_path(folder, 0, "list.csv");
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    fclose(file);
    return path;
}

START_TEST(lists_are_read_line_by_line)
{
    struct folder folder;
    struct cm_router_packet *packets;
    struct cm_error err;
    uint64_t count;
    const char *file =
        write_list(&folder, "source,destination,time\n# first\n0,3\n\n 2 , 1 , 7 \r\n3,0,7\n"
                            "3,1\n1,2,1000000000000");
    ck_assert_msg(cm_pattern_read(file, 4, false, &packets, &count, &err) == CM_OK, "%s",
                  err.message);
    static const struct cm_router_packet expected[] = {
        {.source = 0, .destination = 3},
        {.source = 2, .destination = 1, .created = 7},
        {.source = 3, .destination = 0, .created = 7},
        {.source = 3, .destination = 1, .created = 7},
        {.source = 1, .destination = 2, .created = 1000000000000}};
    ck_assert_uint_eq(count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(packets[i].source, expected[i].source);
        ck_assert_uint_eq(packets[i].destination, expected[i].destination);
        ck_assert_uint_eq(packets[i].created, expected[i].created);
    }
    free(packets);
    folder_remove(&folder);
}
END_TEST

START_TEST(a_header_of_a_list_chooses_columns)
{
    struct folder folder;
    struct cm_router_packet *packets;
    struct cm_error err;
    uint64_t count;
    const char *file = write_list(&folder, "\xef\xbb\xbfhops,created ,destination, source,rate\r\n"
                                           "x,3,1,2,\r\n,5,0,3,0.5\r\n");
    ck_assert_msg(cm_pattern_read(file, 4, false, &packets, &count, &err) == CM_OK, "%s",
                  err.message);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(packets[0].source, 2);
    ck_assert_uint_eq(packets[0].destination, 1);
    ck_assert_uint_eq(packets[0].created, 3);
    ck_assert_uint_eq(packets[1].source, 3);
    ck_assert_uint_eq(packets[1].destination, 0);
    ck_assert_uint_eq(packets[1].created, 5);
    free(packets);
    folder_remove(&folder);
}
END_TEST

static const struct {
    const char *text;
    uint32_t line, column;
    const char *message;
} bad_lists[] = {
    {"0,4\n", 1, 3, "expected a comma and a destination, a node from 0 to 3"},
    {"4,0\n", 1, 1, "expected a source, a node from 0 to 3"},
    {"a,b\n-1,0\n", 2, 1, "expected a source, a node from 0 to 3"},
    {"0,1\n0;1\n", 2, 2, "expected a comma and a destination, a node from 0 to 3"},
    {"0,1,9\n0,2,8\n", 2, 5, "the time is 8, but a line before has 9"},
    {"0,1,1000000000001\n", 1, 5,
     "expected the end of the line, or a comma and a word time from 0 to 1000000000000"},
    {"0,1,2,3,4\n", 1, 8, "expected the end of the line"},
    {"0,1,2,65537\n", 1, 7, "expected the end of the line, or a comma and words from 0 to 65536"},
    {"time,destination,source\n2,1,4\n", 2, 5, "expected a source, a node from 0 to 3"},
    {"0,1,\n", 1, 5,
     "expected the end of the line, or a comma and a word time from 0 to 1000000000000"},
    {"0,18446744073709551616\n", 1, 3, "expected a comma and a destination, a node from 0 to 3"},
};

START_TEST(a_bad_line_of_a_list_has_its_place)
{
    struct folder folder;
    struct cm_router_packet *packets;
    struct cm_error err;
    uint64_t count;
    const char *file = write_list(&folder, bad_lists[_i].text);
    ck_assert_int_eq(cm_pattern_read(file, 4, false, &packets, &count, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, bad_lists[_i].message);
    ck_assert_uint_eq(err.line, bad_lists[_i].line);
    ck_assert_uint_eq(err.column, bad_lists[_i].column);
    ck_assert_ptr_null(packets);
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_nonnull(strstr(err.hint, "line"));
    folder_remove(&folder);
}
END_TEST

/* Lists that are fine as traffic, but not as a permutation. */
static const struct {
    const char *text;
    uint32_t line;
    const char *message;
} not_permutations[] = {
    {"0,1\n1,2\n0,3\n", 3, "source 0 is already on line 1"},
    {"# sources differ\n0,1\n\n3,1\n", 4, "destination 1 is already on line 2"},
    {"0,1\n1,0\n2,3\n3,2\n3,2\n", 5, "source 3 is already on line 4"},
    {"0,1\n1,0,7\n", 2, "the time is 7, but the blocks of an array are sent in one batch"},
};

START_TEST(a_list_of_blocks_repeats_no_node_and_has_no_times)
{
    struct folder folder;
    const char *file = write_list(&folder, not_permutations[_i].text);
    struct cm_router_packet *packets = NULL;
    struct cm_error err = {0};
    uint64_t count = 0;
    ck_assert_int_eq(cm_pattern_read(file, 4, false, &packets, &count, &err), CM_OK);
    free(packets);
    ck_assert_int_eq(cm_pattern_read(file, 4, true, &packets, &count, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, not_permutations[_i].message);
    ck_assert_uint_eq(err.line, not_permutations[_i].line);
    ck_assert_ptr_null(packets);
    folder_remove(&folder);
}
END_TEST

CM_PROGRAM(test_traffic)
{
    Suite *s = suite_create("traffic");
    TCase *tests = tcase_create("traffic");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, permutations_send_where_the_textbook_says);
    tcase_add_test(tests, each_node_gets_one_packet_of_a_permutation);
    tcase_add_test(tests, patterns_have_names_of_their_own);
    tcase_add_test(tests, a_batch_has_a_packet_of_each_node_and_round_in_turn);
    tcase_add_test(tests, all_to_all_takes_the_others_in_order);
    tcase_add_test(tests, random_packets_go_to_all_others_alike);
    tcase_add_test(tests, every_fourth_packet_goes_to_the_hot_node);
    tcase_add_test(tests, one_node_sends_to_itself);
    tcase_add_test(tests, latencies_are_split_and_ranked);
    tcase_add_test(tests, percentiles_are_latencies_of_packets);
    tcase_add_test(tests, packets_are_created_at_the_rate);
    tcase_add_test(tests, one_node_sends_to_itself_at_a_rate);
    tcase_add_test(tests, at_one_word_a_word_time_every_node_always_sends);
    tcase_add_test(tests, a_network_that_takes_less_than_it_is_offered_is_saturated);
    tcase_add_test(tests, what_cannot_be_loaded_ends_the_traffic);
    tcase_add_test(tests, traffic_is_stopped);
    tcase_add_test(tests, a_header_of_a_list_chooses_columns);
    tcase_add_test(tests, lists_are_read_line_by_line);
    tcase_add_loop_test(tests, a_bad_line_of_a_list_has_its_place, 0,
                        (int)(sizeof bad_lists / sizeof *bad_lists));
    tcase_add_loop_test(tests, a_list_of_blocks_repeats_no_node_and_has_no_times, 0,
                        (int)(sizeof not_permutations / sizeof *not_permutations));
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
