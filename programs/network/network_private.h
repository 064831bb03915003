/* The steps "shift" and "route" between reading and running; shared by the files that do so. */
#ifndef CM_PROGRAMS_NETWORK_NETWORK_PRIVATE_H
#define CM_PROGRAMS_NETWORK_NETWORK_PRIVATE_H

#include "../../base/json.h"
#include "../../report/report.h"
#include "../system/payloads.h"
#include "../system/system_private.h"
#include "network.h"
#include "traffic.h"

/* Made with `words` and payloads.words, one more; and what blocks need. */
struct cm_cargo {
    struct cm_payloads payloads;
    uint32_t words; /* of a packet */
    uint32_t nodes; /* of a plane */
    /* Blocks: packet k of a node has the words k * words ... of its block, and takes them to
     * another's. */
    struct cm_planes src; /* no words: they are made up */
    struct cm_planes dst;
    uint64_t block_words;
    /* nodes that send, which take turns; UINT32_MAX for messages: one packet each */
    uint32_t senders;
    /* Made up: */
    uint64_t loaded, unloaded; /* packets */
    uint64_t wrong;            /* words that differ from what was sent there */
};

/* For load and unload of struct cm_traffic_task. */
uint32_t cm_cargo_load(void *cargo, const struct cm_router_packet *packet, uint64_t serial);
void cm_cargo_unload(void *cargo, const struct cm_router_delivery *delivery);

/* A step as read. */
struct cm_network_step {
    bool is_shift;
    bool nodes_given; /* shift: else the whole machine */
    struct cm_circular shift;
    double *rates; /* several; task.rate is 0 then */
    uint32_t rate_count;
    bool past_saturation; /* rates beyond the first saturated one are run too */
    bool words_given;
    bool has_array;              /* route: blocks of an array go to another one */
    struct cm_traffic_task task; /* router.channels and buffer_words 0: the machine's */
    const char *list;            /* as written; NULL: none */
    struct cm_json list_json;
    bool timed;
    double ts, tw, th;
};

/* A step ready to run, and what it reports (network_run.c). */
struct cm_network {
    const struct cm_network_step *step;
    struct cm_traffic_task task;
    struct cm_circular_plan plan;
    struct cm_router_packet *list;
    struct cm_imp *imp;                           /* of a plan with steps */
    const struct cm_array *src_array, *dst_array; /* route: NULL: none */
    uint64_t word_cycles;                         /* of the router: a word over a channel */
    bool verify;          /* packets without data carry words that are compared on arrival */
    uint64_t mismatches;  /* of these */
    uint64_t table;       /* address of the plan's communication table */
    uint64_t source;      /* address of the messages, and of where they arrive */
    uint64_t destination; /* of a linear array, what goes back is behind it */
    bool allocated;
    struct cm_network_report report;
    uint64_t blocked_capacity; /* of report.blocked */
};

/* What a step needs of the run that it is part of. */
struct cm_network_place {
    const char *file; /* the workload's file; lists are in its folder */
    const struct cm_array *src_array, *dst_array;
    bool verify;
};
enum cm_status cm_network_create(struct cm_system *system, const struct cm_network_step *step,
                                 const struct cm_network_place *place, struct cm_network **network,
                                 struct cm_error *err);
void cm_network_destroy(struct cm_system *system, struct cm_network *network);
/* Callbacks: `stop` is asked now and then; `progress` is called after each rate of a sweep, and now
 * and then with the packets of a batch. */
struct cm_network_watch {
    bool (*stop)(void *context);
    void (*progress)(void *context, const char *unit, uint64_t done, uint64_t total);
    void *context;
};
enum cm_status cm_network_run(struct cm_system *system, struct cm_network *network,
                              const struct cm_network_watch *watch, struct cm_error *err);
/* The microprogram of a plan with steps, on messages without data. */
enum cm_status cm_network_run_plan(struct cm_system *system, const struct cm_circular_plan *plan,
                                   struct cm_error *err);
/* E-cube: the packet of a label, and the router's options for messages of so many words; then what
 * the machine says of them. */
struct cm_router_packet cm_network_message(const struct cm_circular_plan *plan, uint32_t label);
struct cm_router_options cm_network_message_options(uint32_t words);
void cm_network_complete_options(const struct cm_config *config, struct cm_router_options *router);
/* network_route.c: by the router. */
enum cm_status cm_network_route(struct cm_system *system, struct cm_network *network,
                                const struct cm_network_watch *watch, struct cm_error *err);
/*
 * After a plan has run: what each channel of the machine carried meanwhile, as
 * cm_machine_channel_words gives it for a machine of `dimensions` cube dimensions.
 */
enum cm_status cm_network_take_words(struct cm_network *network, const uint64_t *words,
                                     uint32_t dimensions, uint32_t channels, struct cm_error *err);
/*
 * Words of messages that did not arrive where they belong. For route without an array: words of
 * packets that arrived wrong, and of packets that should have arrived and did not.
 */
enum cm_status cm_network_check(struct cm_system *system, const struct cm_network *network,
                                uint64_t *mismatches, struct cm_error *err);

/* network_report.c: what matters most in two or three lines for people; all members for
 * programs. */
void cm_network_report_write(const struct cm_network_report *network, struct cm_report *report);

/* network_compile.c: the IMP of a plan, and its table: a word per run, way and node. */
uint32_t cm_network_ways(const struct cm_circular_plan *plan);
struct cm_imp *cm_network_compile(const struct cm_config *config,
                                  const struct cm_circular_plan *plan);
uint32_t *cm_network_table(const struct cm_config *config, const struct cm_circular_plan *plan,
                           uint32_t nodes);

#endif
