/* The router by itself: what it refuses, the times of a packet that nothing blocks, observers.
 * tests/lockstep compares whole runs with a slow router. */
#include "suite.h"

#include "sim/machine/observer.h"
#include "sim/router/router.h"

#include <string.h>

#define NODES 8u

static const struct cm_router_options usual = {.dimensions = 3,
                                               .channels = 1,
                                               .words = 4,
                                               .header_words = 1,
                                               .buffer_words = 8,
                                               .switching = CM_SWITCHING_CUT_THROUGH};

static void expect_refused(const struct cm_router_options *options, const char *message)
{
    struct cm_router *router;
    struct cm_error err;
    ck_assert_int_eq(cm_router_create(options, &router, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, message);
    ck_assert_ptr_null(router);
}

START_TEST(options_out_of_range_are_refused)
{
    struct cm_router_options options = usual;
    options.dimensions = 21;
    expect_refused(&options, "the cube's dimensions is 21, expected 0 to 20");
    options = usual;
    options.channels = 0;
    expect_refused(&options, "channels of a dimension is 0, expected 1 to 2");
    options.channels = 3;
    expect_refused(&options, "channels of a dimension is 3, expected 1 to 2");
    options = usual;
    options.words = 0;
    expect_refused(&options, "words of a packet is 0, expected 1 to 65536");
    options.words = 65537;
    expect_refused(&options, "words of a packet is 65537, expected 1 to 65536");
    options = usual;
    options.header_words = 1025;
    expect_refused(&options, "header words is 1025, expected 0 to 1024");
    options = usual;
    options.buffer_words = 0;
    expect_refused(&options, "words of a buffer is 0, expected 1 to 4294967295");
    options.buffer_words = 3;
    expect_refused(&options, "buffers of 3 words cannot hold packets of 4 words");
    options.switching = CM_SWITCHING_WORMHOLE;
    struct cm_router *router;
    ck_assert_int_eq(cm_router_create(&options, &router, NULL), CM_OK);
    cm_router_destroy(router);
    cm_router_destroy(NULL);
}
END_TEST

START_TEST(failed_channels_outside_the_cube_are_refused)
{
    struct cm_router_options options = usual;
    struct cm_router_failure failure = {8, 0, 0};
    options.failures = &failure;
    options.failure_count = 1;
    expect_refused(&options, "failed channel 0 of node 8 in dimension 0, but there are 8 nodes, 3 "
                             "dimensions and 1 channels of each");
    failure = (struct cm_router_failure){7, 3, 0};
    expect_refused(&options, "failed channel 0 of node 7 in dimension 3, but there are 8 nodes, 3 "
                             "dimensions and 1 channels of each");
    failure = (struct cm_router_failure){7, 2, 1};
    expect_refused(&options, "failed channel 1 of node 7 in dimension 2, but there are 8 nodes, 3 "
                             "dimensions and 1 channels of each");
}
END_TEST

struct feed {
    const struct cm_router_packet *packets;
    uint32_t count, next;
    uint64_t arrived, deliveries;
};

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct feed *feed = context;
    if (feed->next == feed->count)
        return false;
    *packet = feed->packets[feed->next++];
    return true;
}

static void delivered(void *context, const struct cm_router_delivery *delivery)
{
    struct feed *feed = context;
    feed->arrived = delivery->arrived;
    feed->deliveries++;
}

static enum cm_status run(const struct cm_router_options *options, struct feed *feed,
                          const struct cm_observer *observer, struct cm_router_result *result,
                          struct cm_error *err)
{
    struct cm_router *router;
    const struct cm_router_traffic traffic = {
        .context = feed, .next = next_packet, .delivered = delivered, .observer = observer};
    ck_assert_int_eq(cm_router_create(options, &router, err), CM_OK);
    enum cm_status status = cm_router_run(router, &traffic, result, err);
    cm_router_destroy(router);
    return status;
}

START_TEST(packets_that_cannot_be_sent_are_refused)
{
    static const struct {
        struct cm_router_packet packets[2];
        const char *message;
    } cases[] = {
        {{{.source = NODES}}, "a packet from node 8 to 0, but the nodes are 0 to 7"},
        {{{.destination = NODES}}, "a packet from node 0 to 8, but the nodes are 0 to 7"},
        {{{.destination = 1}, {.source = 9}},
         "a packet from node 9 to 0, but the nodes are 0 to 7"},
        {{{.destination = 1, .created = 5}, {.destination = 1, .created = 4}},
         "packets must be sent in order of time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct feed feed = {.packets = cases[i].packets, .count = 2};
        struct cm_router_result result;
        struct cm_error err;
        ck_assert_int_eq(run(&usual, &feed, NULL, &result, &err), CM_BAD_INPUT);
        ck_assert_str_eq(err.message, cases[i].message);
    }
}
END_TEST

/* Packets of 4 words and headers of 1, that nothing blocks: the header of each channel but the
 * first waits for its routing, and store-and-forward for the whole packet at each node. */
START_TEST(a_packet_alone_takes_the_time_of_its_header_and_body)
{
    static const uint64_t expected[][4] = {/* hops 0 to 3 */
                                           [CM_SWITCHING_STORE_AND_FORWARD] = {0, 4, 9, 14},
                                           [CM_SWITCHING_CUT_THROUGH] = {0, 4, 6, 8},
                                           [CM_SWITCHING_WORMHOLE] = {0, 4, 6, 8}};
    for (unsigned s = CM_SWITCHING_STORE_AND_FORWARD; s <= CM_SWITCHING_WORMHOLE; s++) {
        for (uint32_t hops = 0; hops <= 3; hops++) {
            struct cm_router_options options = usual;
            struct cm_router_packet packet = {.destination = (1u << hops) - 1};
            struct feed feed = {.packets = &packet, .count = 1};
            struct cm_router_result result;
            struct cm_error err;
            options.switching = (enum cm_switching)s;
            ck_assert_int_eq(run(&options, &feed, NULL, &result, &err), CM_OK);
            ck_assert_uint_eq(feed.arrived, expected[s][hops]);
            ck_assert_uint_eq(feed.deliveries, 1);
            ck_assert_uint_eq(cm_router_header_time(&options, hops) +
                                  cm_router_body_time(&options, hops),
                              expected[s][hops]);
        }
    }
}
END_TEST

START_TEST(an_observer_that_listens_to_nothing_changes_nothing)
{
    static const struct cm_observer deaf = {0};
    struct cm_router_packet packets[4 * NODES];
    for (uint32_t i = 0; i < 4 * NODES; i++)
        packets[i] = (struct cm_router_packet){
            .source = i % NODES, .destination = i % NODES ^ 7, .created = i / NODES};
    for (unsigned s = CM_SWITCHING_STORE_AND_FORWARD; s <= CM_SWITCHING_WORMHOLE; s++) {
        struct cm_router_options options = usual;
        struct cm_router_result results[2];
        struct cm_error err;
        options.switching = (enum cm_switching)s;
        if (s == CM_SWITCHING_WORMHOLE)
            options.buffer_words = 2;
        for (int watched = 0; watched < 2; watched++) {
            struct feed feed = {.packets = packets, .count = 4 * NODES};
            ck_assert_int_eq(run(&options, &feed, watched ? &deaf : NULL, &results[watched], &err),
                             CM_OK);
            ck_assert_uint_eq(feed.deliveries, 4 * NODES);
        }
        ck_assert_mem_eq(&results[0], &results[1], sizeof results[0]);
        ck_assert_uint_eq(results[0].hops, 4 * NODES * 3);
        ck_assert_uint_eq(results[0].path_max, 3);
    }
}
END_TEST

CM_PROGRAM(test_sim_router)
{
    Suite *s = suite_create("router");
    TCase *tests = tcase_create("router");
    tcase_add_test(tests, options_out_of_range_are_refused);
    tcase_add_test(tests, failed_channels_outside_the_cube_are_refused);
    tcase_add_test(tests, packets_that_cannot_be_sent_are_refused);
    tcase_add_test(tests, a_packet_alone_takes_the_time_of_its_header_and_body);
    tcase_add_test(tests, an_observer_that_listens_to_nothing_changes_nothing);
    suite_add_tcase(s, tests);
    return cm_run_suite(s);
}
