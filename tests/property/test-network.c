/*
 * Circular shift and the router against what the textbook says and what can be counted without
 * them: every q on 2 to 1,024 nodes by every method, in plans, in data on the machine, and in
 * congestion.
 */
#include "../../programs/workload/steps/network.h"
#include "../harness/program.h"
#include "../harness/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number;
static bool all_good = true;
static char why[400];

static void report(const char *what, bool good)
{
    tap_report(++number, good, what);
    if (!good)
        printf("# %s\n", why);
    all_good = all_good && good;
}

static uint32_t log2_of(uint32_t p)
{
    uint32_t bits = 0;
    while (UINT32_C(1) << bits < p)
        bits++;
    return bits;
}

static bool fail(const struct cm_circular *task, const char *what, uint64_t found)
{
    snprintf(why, sizeof why,
             "p %" PRIu32 " (%" PRIu32 " x %" PRIu32 ") q %" PRIu32 ": %.200s (%" PRIu64 ")",
             task->nodes, task->rows, task->columns, task->by, what, found);
    return false;
}

/* Follows every message by hand; each step must go to neighbours, and no node may get two. */
static bool follow(const struct cm_circular_plan *plan, uint32_t *held, uint32_t *next)
{
    const struct cm_circular *task = &plan->task;
    uint32_t nodes = UINT32_C(1) << plan->dimensions;
    memset(held, 0xff, nodes * sizeof *held);
    for (uint32_t label = 0; label < task->nodes; label++) {
        if (plan->node_of[label] >= nodes || held[plan->node_of[label]] != UINT32_MAX)
            return fail(task, "two labels on one node", label);
        held[plan->node_of[label]] = label;
    }
    for (uint32_t i = 0; i < plan->run_count; i++) {
        for (uint32_t t = 0; t < plan->runs[i].times; t++) {
            memset(next, 0xee, nodes * sizeof *next);
            for (uint32_t node = 0; node < nodes; node++) {
                uint32_t to = plan->runs[i].to[node];
                uint32_t crossed = node ^ to;
                if (to >= nodes || (crossed & (crossed - 1) & (crossed != 0 ? ~0u : 0)) != 0)
                    return fail(task, "a step to no neighbour", node);
                if (next[to] != 0xeeeeeeee)
                    return fail(task, "two messages at one node", to);
                next[to] = held[node];
            }
            memcpy(held, next, nodes * sizeof *held);
        }
    }
    for (uint32_t label = 0; label < task->nodes; label++) {
        if (held[plan->node_of[(label + task->by) % task->nodes]] != label)
            return fail(task, "a message at the wrong place", label);
    }
    return true;
}

/* One way of a linear array: the messages [first, end) go `times` places by `direction`. A step is
 * from a neighbour, and what leaves the line is lost. */
static bool follow_way(const struct cm_circular_plan *plan, const uint32_t *to, uint32_t *held,
                       uint32_t *next)
{
    uint32_t nodes = UINT32_C(1) << plan->dimensions;
    memset(next, 0xff, nodes * sizeof *next);
    for (uint32_t node = 0; node < nodes; node++) {
        if (held[node] == UINT32_MAX || to[node] == CM_CIRCULAR_NOBODY)
            continue;
        uint32_t from = plan->label_of[node], label = plan->label_of[to[node]];
        if (label != from && label + 1 != from && label != from + 1)
            return fail(&plan->task, "a step to no neighbour of the line", node);
        if (next[to[node]] != UINT32_MAX)
            return fail(&plan->task, "two messages one way at one node", to[node]);
        next[to[node]] = held[node];
    }
    memcpy(held, next, nodes * sizeof *held);
    return true;
}

/* A message goes forward if its destination is above its source, else back; at the end each node
 * takes what is for it. */
static bool follow_line(const struct cm_circular_plan *plan)
{
    static uint32_t held[2][1024], next[1024];
    const struct cm_circular *task = &plan->task;
    uint32_t p = task->nodes, q = task->by;
    bool good = plan->steps == (q > p - q ? q : p - q) || fail(task, "steps", plan->steps);
    memset(held, 0xff, sizeof held);
    for (uint32_t label = 0; label < p; label++)
        held[(label + q) % p < label][plan->node_of[label]] = label;
    for (uint32_t i = 0; good && i < plan->run_count; i++)
        for (uint32_t t = 0; good && t < plan->runs[i].times; t++)
            good =
                (plan->runs[i].to == NULL || follow_way(plan, plan->runs[i].to, held[0], next)) &&
                (plan->runs[i].back == NULL || follow_way(plan, plan->runs[i].back, held[1], next));
    for (uint32_t label = 0; good && label < p; label++) {
        uint32_t to = (label + q) % p;
        if (held[to < label][plan->node_of[to]] != label)
            good = fail(task, "a message at the wrong place", label);
    }
    return good && (plan->runs[plan->run_count - 1].last || fail(task, "the last step", 0));
}

/* Steps that the textbook allows; ring and forward phases exactly. */
static bool right_steps(const struct cm_circular_plan *plan)
{
    const struct cm_circular *task = &plan->task;
    uint32_t p = task->nodes, q = task->by, d = log2_of(p);
    if (task->topology == CM_TOPOLOGY_RING)
        return plan->steps == (q < p - q ? q : p - q) || fail(task, "steps", plan->steps);
    if (task->topology == CM_TOPOLOGY_MESH && task->method == CM_CIRCULAR_FORWARD) {
        uint32_t along = q % task->columns;
        uint32_t all = along + q / task->columns + (along > 0 && task->rows > 1);
        return plan->steps == all || fail(task, "steps", plan->steps);
    }
    if (task->topology == CM_TOPOLOGY_MESH)
        return plan->steps <= task->rows / 2 + task->columns / 2 + 1 ||
               fail(task, "steps", plan->steps);
    if (task->method == CM_CIRCULAR_SIGNED)
        return plan->steps <= d || fail(task, "steps", plan->steps);
    uint32_t exact = 2 * (uint32_t)__builtin_popcount(q) - (q & 1);
    return (plan->steps == exact && exact <= 2 * d - 1) || fail(task, "steps", plan->steps);
}

static bool every_q(struct cm_circular task)
{
    static uint32_t held[1024], next[1024];
    bool good = true;
    for (task.by = 1; good && task.by < task.nodes; task.by++) {
        struct cm_circular_plan plan;
        struct cm_error err;
        good = cm_circular_plan(&task, &plan, &err) == CM_OK || fail(&task, err.message, 0);
        if (good && task.topology == CM_TOPOLOGY_LINEAR)
            good = follow_line(&plan);
        else
            good = good && right_steps(&plan) && follow(&plan, held, next);
        cm_circular_plan_finish(&plan);
    }
    return good;
}

static void check_plans(void)
{
    bool good = true;
    for (uint32_t p = 2; good && p <= 1024; p += p < 64 ? 2 : p)
        good = every_q((struct cm_circular){.topology = CM_TOPOLOGY_RING, .nodes = p, .words = 1});
    report("ring: every q, min(q, p - q) steps, every message at its place", good);
    good = true;
    for (uint32_t p = 2; good && p <= 1024; p += p < 64 ? 1 : p)
        good =
            every_q((struct cm_circular){.topology = CM_TOPOLOGY_LINEAR, .nodes = p, .words = 1});
    report("linear array: every q, max(q, p - q) steps, every message at its place", good);
    good = true;
    for (uint32_t rows = 1; good && rows <= 32; rows += rows == 1 ? 1 : 2)
        for (uint32_t columns = 2; good && columns <= 32; columns += columns < 8 ? 2 : 8)
            good = every_q((struct cm_circular){.topology = CM_TOPOLOGY_MESH,
                                                .method = CM_CIRCULAR_FORWARD,
                                                .nodes = rows * columns,
                                                .rows = rows,
                                                .columns = columns,
                                                .words = 1});
    report("mesh, forward only: every q, the steps of figure 4.22", good);
    good = true;
    for (uint32_t side = 2; good && side <= 32; side += side < 16 ? 2 : 16)
        good = every_q((struct cm_circular){.topology = CM_TOPOLOGY_MESH,
                                            .nodes = side * side,
                                            .rows = side,
                                            .columns = side,
                                            .words = 1});
    report("square mesh: every q, at most 2 floor(sqrt(p) / 2) + 1 steps", good);
    good = true;
    static const uint32_t shapes[][2] = {{1, 16}, {16, 1}, {2, 8}, {8, 2},  {4, 6},
                                         {6, 10}, {10, 4}, {2, 2}, {16, 64}};
    for (size_t i = 0; good && i < sizeof shapes / sizeof *shapes; i++)
        good = every_q((struct cm_circular){.topology = CM_TOPOLOGY_MESH,
                                            .nodes = shapes[i][0] * shapes[i][1],
                                            .rows = shapes[i][0],
                                            .columns = shapes[i][1],
                                            .words = 1});
    report("rectangular mesh: every q", good);
    for (int method = CM_CIRCULAR_PHASES; method <= CM_CIRCULAR_SIGNED; method++) {
        good = true;
        for (uint32_t p = 2; good && p <= 1024; p *= 2)
            good = every_q((struct cm_circular){.topology = CM_TOPOLOGY_HYPERCUBE,
                                                .method = (enum cm_circular_method)method,
                                                .nodes = p,
                                                .words = 1});
        report(method == CM_CIRCULAR_PHASES ? "phases: every q, at most 2 log p - 1 steps"
                                            : "signed phases: every q, at most log p steps",
               good);
    }
}

/* The textbook's formulas by hand: 64 nodes, q = 20, ts 100, tw 3, th 2, messages of 10 words. */
static void check_formulas(void)
{
    static const struct {
        struct cm_circular task;
        double time;
    } cases[] = {
        {{.topology = CM_TOPOLOGY_RING}, 20 * 130},
        {{.topology = CM_TOPOLOGY_LINEAR}, 20 * 130},
        {{.topology = CM_TOPOLOGY_MESH, .method = CM_CIRCULAR_FORWARD, .rows = 8, .columns = 8},
         (4 + 1 + 2) * 130},
        {{.topology = CM_TOPOLOGY_MESH, .rows = 8, .columns = 8}, 9 * 130},
        {{.topology = CM_TOPOLOGY_MESH, .rows = 4, .columns = 16}, 11 * 130},
        {{.topology = CM_TOPOLOGY_HYPERCUBE, .method = CM_CIRCULAR_PHASES}, 11 * 130},
        {{.topology = CM_TOPOLOGY_HYPERCUBE, .method = CM_CIRCULAR_SIGNED}, 6 * 130},
        {{.topology = CM_TOPOLOGY_HYPERCUBE, .method = CM_CIRCULAR_ECUBE}, 130 + 2 * 4},
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof cases / sizeof *cases; i++) {
        struct cm_circular task = cases[i].task;
        task.nodes = 64;
        task.by = 20;
        task.words = 10;
        double time = cm_circular_formula_time(&task, 100, 3, 2);
        good = time == cases[i].time || fail(&task, "formula", (uint64_t)time);
    }
    report("the textbook's formulas have its values", good);
}

/* One workload with a step for every q; the machine moves the words, the check compares them. */
static bool move_data(const struct cm_config *config, uint32_t p, const char *members)
{
    struct cm_buffer text;
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_error err;
    const struct cm_run_options options = {.config = config, .threads = 1};
    cm_buffer_init(&text);
    cm_buffer_printf(&text,
                     "{\"format\": \"cm200-workload/1\", \"check\": true, \"nodes\": %" PRIu32
                     ", \"arrays\": {}, \"steps\": [",
                     p);
    for (uint32_t q = 1; q < p; q++)
        cm_buffer_printf(&text, "%s{\"shift\": {\"by\": %" PRIu32 ", \"words\": 3, %s}}",
                         q > 1 ? ", " : "", q, members);
    cm_buffer_printf(&text, "]}");
    memset(&err, 0, sizeof err);
    enum cm_status status = cm_workload_parse("q", text.data, text.length, &workload, &err);
    if (status == CM_OK)
        status = cm_run_create(workload, &options, &run, &err);
    if (status == CM_OK)
        status = cm_run_execute(run, &err);
    bool good =
        status == CM_OK && cm_run_result(run)->checked && cm_run_result(run)->mismatches == 0;
    if (!good)
        snprintf(why, sizeof why, "p %" PRIu32 ": %.300s", p, err.message);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    cm_buffer_finish(&text);
    return good;
}

static void check_data(const struct cm_config *config)
{
    static const char *const kinds[] = {
        "\"topology\": \"ring\"",   "\"topology\": \"mesh\"",
        "\"topology\": \"linear\"", "\"topology\": \"mesh\", \"method\": \"forward\"",
        "\"method\": \"phases\"",   "\"method\": \"signed\"",
        "\"method\": \"e-cube\"",   "\"method\": \"e-cube\", \"labels\": \"gray\"",
    };
    char what[100];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bool good = true, few = strstr(kinds[k], "linear") != NULL;
        const uint32_t most = few ? 64 : tap_thorough() ? 1024 : 128;
        for (uint32_t p = 2; good && p <= most; p *= 2) {
            if (strstr(kinds[k], "mesh") == NULL || log2_of(p) % 2 == 0)
                good = move_data(config, p, kinds[k]);
        }
        snprintf(what, sizeof what, "data on the machine, every q on 2 to %" PRIu32 " nodes: %s",
                 most, kinds[k]);
        report(what, good);
    }
}

static uint32_t gray(uint32_t i)
{
    return i ^ i >> 1;
}

/* Most paths over one channel, and the longest, when node from[i] sends to node to[i] by e-cube;
 * counted by hand. */
static uint32_t count_paths(uint32_t d, const uint32_t *from, const uint32_t *to, uint32_t *longest)
{
    static uint32_t load[2048][11];
    uint32_t most = 0;
    memset(load, 0, sizeof load);
    *longest = 0;
    for (uint32_t i = 0; i < 1u << d; i++) {
        uint32_t node = from[i], length = 0;
        for (uint32_t k = 0; k < d; k++) {
            if (((node ^ to[i]) >> k & 1) == 0)
                continue;
            uint32_t count = ++load[node][k];
            most = count > most ? count : most;
            node ^= 1u << k;
            length++;
        }
        *longest = length > *longest ? length : *longest;
    }
    return most;
}

struct feed {
    const uint32_t *from, *to;
    uint32_t count, next;
};

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct feed *feed = context;
    if (feed->next == feed->count)
        return false;
    *packet = (struct cm_router_packet){.source = feed->from[feed->next],
                                        .destination = feed->to[feed->next]};
    feed->next++;
    return true;
}

static bool run_router(uint32_t d, const uint32_t *from, const uint32_t *to,
                       enum cm_routing routing, struct cm_router_result *result)
{
    struct cm_router *router;
    struct cm_error err;
    struct feed feed = {from, to, 1u << d, 0};
    const struct cm_router_traffic traffic = {.context = &feed, .next = next_packet};
    const struct cm_router_options options = {
        .dimensions = d,
        .channels = 1,
        .words = 8,
        .header_words = 1,
        .buffer_words = 65536, /* room for all, so that Valiant cannot deadlock on one channel */
        .switching = CM_SWITCHING_CUT_THROUGH,
        .routing = routing,
        .seed = 1,
    };
    if (cm_router_create(&options, &router, &err) != CM_OK)
        return false;
    enum cm_status status = cm_router_run(router, &traffic, result, &err);
    cm_router_destroy(router);
    return status == CM_OK && result->end == CM_ROUTER_DONE;
}

static void check_ecube_shift(void)
{
    static uint32_t from[2048], to[2048];
    bool binary = true, alike = true;
    uint32_t gray_most = 0, longest;
    for (uint32_t d = 1; d <= (tap_thorough() ? 11 : 9); d++) {
        uint32_t p = 1u << d;
        for (uint32_t q = 1; q < p; q++) {
            struct cm_router_result result;
            for (uint32_t i = 0; i < p; i++) {
                from[i] = i;
                to[i] = (i + q) % p;
            }
            uint32_t most = count_paths(d, from, to, &longest);
            binary = binary && most == 1 && longest == d - (uint32_t)__builtin_ctz(q);
            if (d <= 8 || q % 97 == 1)
                alike = alike && run_router(d, from, to, CM_ROUTING_ECUBE, &result) &&
                        result.congestion == most && result.path_max == longest &&
                        result.word_times == 8 + 2 * (longest - 1);
            for (uint32_t i = 0; i < p; i++) {
                from[i] = gray(i);
                to[i] = gray((i + q) % p);
            }
            most = count_paths(d, from, to, &longest);
            gray_most = most > gray_most ? most : gray_most;
            if (d <= 7)
                alike = alike && run_router(d, from, to, CM_ROUTING_ECUBE, &result) &&
                        result.congestion == most;
        }
    }
    snprintf(why, sizeof why, "Gray: %" PRIu32, gray_most);
    report("e-cube shift, binary labels: congestion 1, longest path log p - gamma(q), d to 11 (9)",
           binary);
    report("e-cube shift, Gray labels: congestion 2 for some q, never more", gray_most == 2);
    report("the router's congestion, paths and times are those counted by hand", alike);
}

static void check_bit_reversal(void)
{
    static uint32_t from[2048], to[2048];
    bool good = true, below = true;
    char what[160];
    uint32_t last[2] = {0, 0};
    for (uint32_t d = 2; d <= 11; d++) {
        struct cm_router_result ecube, valiant;
        uint32_t longest;
        for (uint32_t i = 0; i < 1u << d; i++) {
            from[i] = i;
            to[i] = 0;
            for (uint32_t b = 0; b < d; b++)
                to[i] |= (i >> b & 1) << (d - 1 - b);
        }
        uint32_t most = count_paths(d, from, to, &longest);
        good = good && run_router(d, from, to, CM_ROUTING_ECUBE, &ecube) &&
               run_router(d, from, to, CM_ROUTING_VALIANT, &valiant) && ecube.congestion == most &&
               most == 1u << (d / 2 - 1);
        if (d >= 10)
            below = below && 2 * valiant.congestion < ecube.congestion + 1;
        last[0] = ecube.congestion;
        last[1] = valiant.congestion;
    }
    report("bit reversal by e-cube: congestion 2^(floor(d/2) - 1), d = 2..11", good);
    snprintf(what, sizeof what,
             "bit reversal by Valiant: well below (d = 11: %" PRIu32 " against %" PRIu32 ")",
             last[1], last[0]);
    report(what, below);
}

/* Where a permutation sends node b of d bits, from its description in pattern.h, bit by bit. */
static uint32_t permuted(const char *pattern, uint32_t d, uint32_t b)
{
    uint32_t p = 1u << d, to = 0;
    if (strcmp(pattern, "shift") == 0)
        return (b + p - 1) % p;
    if (strcmp(pattern, "complement") == 0)
        return p - 1 - b;
    if (strcmp(pattern, "tornado") == 0)
        return (b + p / 2 - 1) % p;
    if (strcmp(pattern, "neighbour") == 0)
        return (b + 1) % p;
    for (uint32_t i = 0; i < d; i++) {
        uint32_t at = i;
        if (strcmp(pattern, "bit-reversal") == 0)
            at = d - 1 - i;
        else if (strcmp(pattern, "transpose") == 0)
            at = (i + d / 2) % d;
        else if (strcmp(pattern, "shuffle") == 0)
            at = (i + 1) % d;
        else if (i == 0 || i == d - 1) /* butterfly */
            at = d - 1 - i;
        to |= (b >> i & 1) << at;
    }
    return to;
}

/* Runs a workload to its end; false, with why, when it doesn't come to one, or a check fails. */
static bool run_text(const struct cm_config *config, const struct cm_buffer *text,
                     struct cm_workload **workload, struct cm_run **run)
{
    struct cm_error err;
    const struct cm_run_options options = {.config = config, .threads = 1};
    memset(&err, 0, sizeof err);
    *workload = NULL;
    *run = NULL;
    enum cm_status status = cm_workload_parse("w", text->data, text->length, workload, &err);
    if (status == CM_OK)
        status = cm_run_create(*workload, &options, run, &err);
    if (status == CM_OK)
        status = cm_run_execute(*run, &err);
    if (status != CM_OK)
        snprintf(why, sizeof why, "%.300s", err.message);
    return status == CM_OK && cm_run_result(*run)->checked && cm_run_result(*run)->mismatches == 0;
}

/* Element i of a SEND axis lies in node i / L: an array's elements say where their node's block has
 * gone. */
static bool move_blocks(const struct cm_config *config, const char *pattern, uint32_t d,
                        uint32_t local, const char *how)
{
    struct cm_buffer text;
    struct cm_workload *workload;
    struct cm_run *run;
    uint32_t count = local << d;
    int32_t *found = calloc(count, sizeof *found);
    cm_buffer_init(&text);
    cm_buffer_printf(
        &text,
        "{\"format\": \"cm200-workload/1\", \"check\": true, \"nodes\": %u, \"arrays\": {\"a\": "
        "{\"shape\": [%" PRIu32
        "], \"type\": \"int32\", \"axes\": [\"send\"], \"init\": {\"index\": "
        "true}}, \"b\": {\"like\": \"a\"}}, \"steps\": [{\"route\": {\"pattern\": \"%s\", "
        "\"array\": "
        "\"a\", \"dst\": \"b\"%s%s}}]}",
        1u << d, count, pattern, strcmp(pattern, "shift") == 0 ? ", \"by\": " : "", how);
    bool good = found != NULL && run_text(config, &text, &workload, &run) &&
                cm_array_gather(cm_run_system(run), cm_run_array(run, "b"), found, NULL) == CM_OK;
    for (uint32_t e = 0; good && e < count; e++) {
        uint32_t at = permuted(pattern, d, e / local) * local + e % local;
        good = found[at] == (int32_t)e;
        if (!good)
            snprintf(why, sizeof why, "%s on 2^%" PRIu32 " nodes: %" PRId32 " at %" PRIu32, pattern,
                     d, found[at], at);
    }
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    cm_buffer_finish(&text);
    free(found);
    return good;
}

static void check_blocks(const struct cm_config *config)
{
    static const char *const patterns[] = {"shift",   "bit-reversal", "transpose", "complement",
                                           "shuffle", "tornado",      "butterfly", "neighbour"};
    static const char *const hows[] = {
        "", ", \"words\": 2", ", \"words\": 3, \"routing\": \"adaptive\"",
        ", \"switching\": \"wormhole\", \"buffer\": 1", ", \"words\": 1, \"routing\": \"valiant\""};
    bool good = true;
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        for (uint32_t d = 1; good && d <= 7; d++) {
            char how[100];
            const char *rest = hows[(k + d) % 5];
            uint32_t local = 1 + ((uint32_t)k + d) % 7;
            if (k == 0)
                snprintf(how, sizeof how, "%u%s", (1u << d) - 1, rest);
            else
                snprintf(how, sizeof how, "%s", rest);
            good = move_blocks(config, patterns[k], d, local, how);
        }
    }
    report("an array's blocks go where each permutation says, on 2 to 128 nodes", good);
}

static void append_route(struct cm_buffer *text, const char *rate)
{
    cm_buffer_printf(
        text,
        "{\"route\": {\"pattern\": \"random\", \"words\": 4, \"seed\": 5, \"warmup\": 100, "
        "\"measure\": 400, %s}}",
        rate);
}

/* A sweep is its rates one by one: the same latencies, and their cycles added up. */
static void check_sweep(const struct cm_config *config)
{
    static const char *const rates[] = {"\"rate\": 0.2", "\"rate\": 0.7", "\"rate\": 1"};
    struct cm_buffer text;
    struct cm_workload *workload;
    struct cm_run *run;
    uint64_t cycles = 0;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "{\"format\": \"cm200-workload/1\", \"check\": true, \"nodes\": 32, "
                            "\"arrays\": {}, \"steps\": [");
    for (int i = 0; i < 3; i++) {
        append_route(&text, rates[i]);
        cm_buffer_printf(&text, ", ");
    }
    append_route(&text, "\"rates\": [0.2, 0.7, 1], \"past_saturation\": true");
    cm_buffer_printf(&text, "]}");
    bool good = run_text(config, &text, &workload, &run);
    const struct cm_step_result *steps = good ? cm_run_result(run)->steps : NULL;
    good = good && cm_step_network_report(&steps[3])->point_count == 3;
    for (int i = 0; good && i < 3; i++) {
        const struct cm_network_point *point = &cm_step_network_report(&steps[3])->points[i];
        const struct cm_traffic_latency *one = &cm_step_network_report(&steps[i])->latency,
                                        *other = &point->latency;
        cycles += steps[i].counters.cycles;
        good = one->p50 == other->p50 && one->p99 == other->p99 && one->max == other->max &&
               !(one->mean < other->mean) && !(one->mean > other->mean) &&
               point->saturated == cm_step_network_report(&steps[i])->saturated;
        if (!good)
            snprintf(why, sizeof why, "rate %d differs", i);
    }
    report("several rates in one step come to the same as one by one",
           good && cycles == steps[3].counters.cycles);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    cm_buffer_finish(&text);
}

CM_PROGRAM(network)
{
    struct cm_config config;
    struct tap_options options = {.machine = TAP_MACHINE};
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..23\n");
    check_plans();
    check_formulas();
    check_data(&config);
    check_ecube_shift();
    check_bit_reversal();
    check_blocks(&config);
    check_sweep(&config);
    return all_good ? 0 : 1;
}
