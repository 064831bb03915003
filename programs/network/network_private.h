/* The steps "shift" and "route" between reading and running, for the files that do both. This
 * header is not installed. */
#ifndef CM_PROGRAMS_NETWORK_NETWORK_PRIVATE_H
#define CM_PROGRAMS_NETWORK_NETWORK_PRIVATE_H

#include "../../base/json.h"
#include "../../report/csv.h"
#include "../../report/report.h"
#include "../system/payloads.h"
#include "../system/system_private.h"
#include "network.h"
#include "traffic.h"

/* Contents of packets: blocks of an array, or generated words. */
struct cm_cargo {
    struct cm_payloads payloads;
    uint32_t words; /* number of words of a packet */
    uint32_t nodes; /* number of nodes, which is the number of words of a plane */
    /* For packets that carry blocks of an array: packet k of a node carries the words of the node's
     * block from k * words on, for the block of the other node. */
    struct cm_planes src; /* planes of the source array. Without words the contents are generated */
    struct cm_planes dst;
    uint64_t block_words;
    /* Number of senders of a batch, which alternate packet by packet. A packet's serial number
     * divided by this number is its place in the sender's block. UINT32_MAX: each message is one
     * packet. */
    uint32_t senders;
    /* numbers of packets that were sent, and that arrived or were lost */
    uint64_t loaded, unloaded;
    uint64_t wrong; /* number of generated words that arrived with another value */
};

/* Callbacks `load` and `unload` of struct cm_traffic_task. */
uint32_t cm_cargo_load(void *cargo, const struct cm_router_packet *packet, uint64_t serial);
void cm_cargo_unload(void *cargo, const struct cm_router_delivery *delivery);
/* Frees the payload of a lost packet: callback `lose` of struct cm_traffic_task. */
void cm_cargo_lose(void *cargo, const struct cm_router_packet *packet);

#define CM_NETWORK_ALL UINT32_MAX
/* Failed node, wire or channel as it was read. For a node, `dimension` and `channel` are
 * CM_NETWORK_ALL. For a wire, `channel` is CM_NETWORK_ALL. */
struct cm_network_without {
    uint32_t node, dimension, channel;
};

/* Keys of a step "shift" or "route", as they were read. */
struct cm_network_step {
    bool is_shift;
    /* for a shift: true if the number of nodes is given, false if the whole machine takes part */
    bool nodes_given;
    struct cm_circular shift;
    double *rates; /* rates of a route with several rates, whose task.rate is 0 */
    uint32_t rate_count;
    /* wanted half width of the latency's interval, as a share of the mean. 0: no wish */
    double until;
    double find_saturation; /* tolerance of the search for saturation. 0: no search */
    uint32_t seeds;         /* number of seeds with which a rate is run. 0 or 1: no replications */
    /* true if the step gives the limit of word times, false if the limit is computed from the
     * measured time */
    bool limit_given;
    bool past_saturation; /* true if rates beyond the first saturated rate are also run */
    struct cm_network_without *without;
    uint32_t without_count;
    uint32_t fail_random; /* number of wires that are drawn to fail */
    bool words_given;
    bool has_array; /* for a route: true if blocks of an array go to another array */
    /* traffic of the step. Where router.channels or router.buffer_words is 0, the machine's number
     * is used */
    struct cm_traffic_task task;
    const char *list; /* path of the list of packets as written. NULL: no list */
    struct cm_json list_json;
    bool timed;
    double ts, tw, th;
};

/* A step that is ready to run, and its report (network_run.c). */
struct cm_network {
    const struct cm_network_step *step;
    struct cm_traffic_task task;
    struct cm_circular_plan plan;
    struct cm_router_packet *list;
    uint32_t *list_packets;             /* number of packets of each message of the list */
    struct cm_traffic_flow *flows;      /* flows that `task` points to */
    struct cm_router_failure *failures; /* failed channels that task.router points to */
    struct cm_imp *imp;                 /* IMP of a plan with steps, or NULL */
    const struct cm_array *src_array, *dst_array; /* for a route: arrays of the blocks, or NULL */
    uint64_t word_cycles;                         /* cycles that a word takes over a channel */
    bool verify;         /* True if packets carry generated words that are compared on arrival */
    uint64_t mismatches; /* number of words that arrived wrong */
    uint64_t table;      /* word address of the plan's communication table */
    uint64_t source;     /* word address of the messages to send */
    /* word address where arriving messages are stored. On a linear array, the messages that go back
     * are stored after the messages that go forward */
    uint64_t destination;
    bool allocated;
    struct cm_network_report report;
    uint64_t blocked_capacity; /* number of entries allocated for report.blocked */
};

/* Facts that a step needs from the workload which contains it. */
struct cm_network_place {
    const char *file; /* path of the workload's file. Paths of lists are relative to its folder */
    const struct cm_array *src_array, *dst_array;
    bool verify;
};
enum cm_status cm_network_create(struct cm_system *system, const struct cm_network_step *step,
                                 const struct cm_network_place *place, struct cm_network **network,
                                 struct cm_error *err);
void cm_network_destroy(struct cm_system *system, struct cm_network *network);
/* Callbacks of a run. `stop` is called from time to time and may end the run by returning true.
 * `progress` is called after each of several rates, and from time to time with the number of
 * packets of a batch. */
struct cm_network_watch {
    bool (*stop)(void *context);
    void (*progress)(void *context, const char *unit, uint64_t done, uint64_t total);
    void *context;
};
enum cm_status cm_network_run(struct cm_system *system, struct cm_network *network,
                              const struct cm_network_watch *watch, struct cm_error *err);
/* Runs the microprogram of a plan with steps, on messages without contents. */
enum cm_status cm_network_run_plan(struct cm_system *system, const struct cm_circular_plan *plan,
                                   struct cm_error *err);
/* These functions make the packets and options of a shift by e-cube. They return the packet for the
 * message of a label, return the router's options for messages of `words` words, and complete
 * options by the machine's values. */
struct cm_router_packet cm_network_message(const struct cm_circular_plan *plan, uint32_t label);
struct cm_router_options cm_network_message_options(uint32_t words);
void cm_network_complete_options(const struct cm_config *config, struct cm_router_options *router);
/* network_list.c: reads the step's list of packets or flows, whose path is relative to the folder
 * of the workload's `file`. */
enum cm_status cm_network_read_list(struct cm_system *system, struct cm_network *network,
                                    const char *file, struct cm_error *err);
/* failures.c: stores the failed channels in the options of the task's router. All other options
 * must be complete. */
enum cm_status cm_network_fail(struct cm_network *network, struct cm_error *err);
/* saturation.c: searches for the rate at which the network saturates. The callback `run` runs the
 * task at its present rate, and adds a point to the report. After the search the points of the
 * report are in ascending order of rates. */
typedef enum cm_status (*cm_network_run_rate)(void *context, struct cm_error *err);
enum cm_status cm_network_search(struct cm_network *network, const struct cm_network_watch *watch,
                                 cm_network_run_rate run, void *context, struct cm_error *err);
/* failures.c: these functions write the number of failed channels and the lost packets. They write
 * nothing if no channel has failed. */
void cm_network_append_losses(const struct cm_network_report *report, struct cm_buffer *text);
void cm_network_write_losses(const struct cm_network_report *report, struct cm_json_writer *json);
/* saturation.c: these functions write the result of the search for saturation, if there was a
 * search. */
void cm_network_append_saturation(const struct cm_network_report *report, struct cm_buffer *text);
void cm_network_write_saturation(const struct cm_network_report *report,
                                 struct cm_json_writer *json);
/* Runs a step that uses the router (network_route.c). */
enum cm_status cm_network_route(struct cm_system *system, struct cm_network *network,
                                const struct cm_network_watch *watch, struct cm_error *err);
/* Lengthens the measurement of the task's rate (network_rate.c), until the interval of the mean
 * latency is as small as the step wants or the network is not in a steady state. */
enum cm_status cm_network_lengthen(struct cm_network *network, struct cm_error *err);
/* Returns whether half the width of the interval of the mean latency is at most the share `until`
 * of the mean. */
bool cm_network_is_narrow(const struct cm_traffic_result *result, double until);
/* Runs the task with the step's other seeds, and adds the means over all seeds to the result of the
 * first seed. */
enum cm_status cm_network_replicate(const struct cm_network *network,
                                    struct cm_traffic_result *first, struct cm_error *err);
/* Returns the number of word times after which a run at a rate is given up, unless the step has a
 * limit. */
uint64_t cm_network_default_limit(const struct cm_traffic_task *task);
#define CM_NETWORK_MEASURE_MAX 1000000000u /* longest measured time in word times */
/*
 * Stores the number of words that each channel of the machine carried during a plan. `words` is an
 * array as in cm_machine_channel_words for a machine of `dimensions` cube dimensions.
 */
enum cm_status cm_network_take_words(struct cm_network *network, const uint64_t *words,
                                     uint32_t dimensions, uint32_t channels, struct cm_error *err);
/*
 * Sets *mismatches to the number of wrong words at the receivers of messages. For a route without
 * an array, counts the words of packets that arrived wrong or not at all.
 */
enum cm_status cm_network_check(struct cm_system *system, const struct cm_network *network,
                                uint64_t *mismatches, struct cm_error *err);

/* Writes the report of a step (network_report.c): the two or three most important lines for people,
 * and all members for programs. */
void cm_network_report_write(const struct cm_network_report *network, struct cm_report *report);

/* These functions (network_report_rate.c) write, as text and as JSON, the verdict about the last
 * rate, or a line for each of the step's rates. */
void cm_network_append_rate(const struct cm_network_report *report, struct cm_buffer *text);
void cm_network_append_points(const struct cm_network_report *report, struct cm_buffer *text);
void cm_network_write_rate(const struct cm_network_report *report, struct cm_json_writer *json);
void cm_network_write_points(const struct cm_network_report *report, struct cm_json_writer *json);
/* Returns the answer to the question whether there is a steady state: "yes", "no" or
 * "undecided". */
const char *cm_network_answer(enum cm_verdict verdict);
/* Writes a latency as JSON. `steady` has the interval of the latency, or is NULL for a batch or a
 * plan. */
void cm_network_write_latency(const struct cm_traffic_latency *latency,
                              const struct cm_traffic_steady *steady, struct cm_json_writer *json);

/* These functions (network_compile.c) turn a plan into a microprogram. They return the number of
 * directions in which the plan moves messages, the plan's IMP, and its communication table. The
 * table has one word for each run, direction and node. */
uint32_t cm_network_ways(const struct cm_circular_plan *plan);
struct cm_imp *cm_network_compile(const struct cm_config *config,
                                  const struct cm_circular_plan *plan);
uint32_t *cm_network_table(const struct cm_config *config, const struct cm_circular_plan *plan,
                           uint32_t nodes);

#endif
