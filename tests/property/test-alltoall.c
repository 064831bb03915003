/*
 * Random all-to-all communication on the machine, judged by the schedules played word by word on a
 * cube: every word of the result, the words of every channel, the exchanges, and the same cycles
 * without data. Then the counts against the play for all cubes of up to 8 dimensions, and for the
 * rotated Gray code up to 11. Prints TAP.
 *
 *   property alltoall [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/alltoall/alltoall.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "alltoall_oracle.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX (UINT64_C(1) << 19) /* of the result, in all nodes */

struct scene {
    struct cm_config config;
    struct cm_alltoall_task task;
    enum cm_type type;
    uint32_t nodes, threads;
};

struct made {
    struct cm_system *system;
    struct cm_array *src, *dst;
    struct cm_alltoall *alltoall;
};

struct tally {
    uint32_t cases, personalised, by_source, departures, largest, subsets;
};

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        die("out of memory");
    return memory;
}

static bool is_broadcast_alone(enum cm_alltoall_algorithm algorithm)
{
    return algorithm == CM_ALLTOALL_GRAY || algorithm == CM_ALLTOALL_HAMILTONIAN;
}

static bool is_of_one(enum cm_alltoall_kind kind)
{
    return kind == CM_ALLTOALL_ONE_TO_ALL || kind == CM_ALLTOALL_ONE_TO_EACH;
}

static void draw_algorithm(struct cm_random *random, struct cm_alltoall_task *task)
{
    const uint32_t algorithms = CM_ALLTOALL_ALGORITHMS;
    const uint32_t kind = cm_random_below(random, 100);
    task->kind = kind < 50   ? CM_ALLTOALL_BROADCAST
                 : kind < 75 ? CM_ALLTOALL_PERSONALISED
                 : kind < 88 ? CM_ALLTOALL_ONE_TO_ALL
                             : CM_ALLTOALL_ONE_TO_EACH;
    do
        task->algorithm = (enum cm_alltoall_algorithm)cm_random_below(random, algorithms);
    while (task->kind == CM_ALLTOALL_PERSONALISED && is_broadcast_alone(task->algorithm));
    task->order = (enum cm_alltoall_order)cm_random_below(random, CM_ALLTOALL_ORDERS);
    if (task->algorithm == CM_ALLTOALL_ROUTER && cm_random_chance(random, 70))
        task->algorithm = CM_ALLTOALL_ROTATED; /* packets take long */
    if (is_of_one(task->kind))
        task->algorithm = CM_ALLTOALL_ROTATED;
    if (task->algorithm == CM_ALLTOALL_HAMILTONIAN && cm_random_chance(random, 40))
        task->order = CM_ALLTOALL_BY_DEPARTURE;
    if (task->algorithm != CM_ALLTOALL_HAMILTONIAN && task->order == CM_ALLTOALL_BY_DEPARTURE)
        task->order = CM_ALLTOALL_BY_ARRIVAL;
}

static void draw_scene(struct cm_random *random, const struct cm_config *config,
                       struct scene *scene)
{
    struct cm_alltoall_task *task = &scene->task;
    memset(scene, 0, sizeof *scene);
    scene->config = *config;
    if (cm_random_chance(random, 20))
        scene->config.network_channels_per_dimension = 1;
    if (cm_random_chance(random, 30)) /* so that the Gray code needs its table */
        scene->config.sequencer_sram_words = 3000 + cm_random_below(random, 4000);
    const uint32_t bits = cm_random_chance(random, 3) ? 11 : cm_random_below(random, 9);
    scene->nodes = UINT32_C(1) << bits;
    scene->threads = 1 + cm_random_below(random, 2);
    scene->type = (enum cm_type)cm_random_below(random, CM_TYPE_COUNT);
    draw_algorithm(random, task);
    task->dimensions = bits == 11                     ? 9 + cm_random_below(random, 3)
                       : cm_random_chance(random, 50) ? bits
                                                      : cm_random_below(random, bits + 1);
    if (task->dimensions < 2 && task->algorithm == CM_ALLTOALL_HAMILTONIAN)
        task->algorithm = CM_ALLTOALL_GRAY;
    if (task->algorithm == CM_ALLTOALL_GRAY && task->order == CM_ALLTOALL_BY_DEPARTURE)
        task->order = CM_ALLTOALL_BY_ARRIVAL;
    task->first_dimension = cm_random_below(random, bits - task->dimensions + 1);
    task->root = cm_random_below(random, UINT32_C(1) << task->dimensions);
    const uint32_t slices = cm_type_slices(scene->type);
    uint64_t most = WORDS_MAX >> bits >> task->dimensions;
    most = most < slices ? 1 : most / slices;
    task->words = (1 + cm_random_below(random, most < 40 ? (uint32_t)most : 40)) * slices;
}

static struct cm_array *array_of(struct cm_system *system, const char *name,
                                 const struct scene *scene, uint64_t words)
{
    const uint64_t elements = words / cm_type_slices(scene->type);
    const struct cm_layout_request request = {.type = scene->type,
                                              .rank = 2,
                                              .shape = {elements, scene->nodes},
                                              .orders = {CM_ORDER_SERIAL, CM_ORDER_SEND},
                                              .weights = {1, 1}};
    struct cm_layout layout;
    struct cm_array *array;
    struct cm_error err;
    must(cm_layout_create(&request, scene->nodes, &layout, &err), &err);
    must(cm_array_create(system, name, &layout, &array, &err), &err);
    return array;
}

static uint64_t src_words(const struct cm_alltoall_task *task)
{
    const bool many =
        task->kind == CM_ALLTOALL_PERSONALISED || task->kind == CM_ALLTOALL_ONE_TO_EACH;
    return many ? task->words << task->dimensions : task->words;
}

static uint64_t dst_words(const struct cm_alltoall_task *task)
{
    return is_of_one(task->kind) ? task->words : task->words << task->dimensions;
}

/* False where the code does not fit a small SRAM, which is not a fault. */
static bool make(const struct scene *scene, bool timing_only, struct made *made)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = scene->threads, .timing_only = timing_only};
    struct cm_error err;
    must(cm_system_create(&scene->config, &options, &made->system, &err), &err);
    made->src = array_of(made->system, "src", scene, src_words(&scene->task));
    made->dst = array_of(made->system, "dst", scene, dst_words(&scene->task));
    enum cm_status status = cm_alltoall_setup(made->system, &scene->task, &made->alltoall, &err);
    if (status == CM_BAD_INPUT && strstr(err.message, "SRAM") != NULL)
        return false;
    must(status, &err);
    return true;
}

static void unmake(struct made *made)
{
    cm_alltoall_deallocate(made->system, made->alltoall);
    cm_array_destroy(made->system, made->src);
    cm_array_destroy(made->system, made->dst);
    cm_system_destroy(made->system);
}

/* Between planes, a word of all nodes each, and nodes, all words each. */
static void exchange_words(struct made *made, const struct cm_array *array, uint32_t *words,
                           bool write)
{
    struct cm_machine *machine = cm_system_machine(made->system);
    const uint32_t nodes = cm_machine_nodes(machine);
    const uint64_t count = array->layout.local_words;
    struct cm_planes planes;
    struct cm_error err;
    must(cm_machine_planes(machine, array->address, count, &planes, &err), &err);
    for (uint64_t w = 0; w < count; w++)
        for (uint32_t node = 0; node < nodes; node++)
            if (write)
                *cm_planes_word(&planes, w, node) = words[node * count + w];
            else
                words[node * count + w] = *cm_planes_word(&planes, w, node);
}

/* Around Hamiltonian cycles: over which dimension words come, from where the setup says that the
 * first of them come from; and whether each part goes once through all nodes. */
static uint8_t *paths_of(const struct scene *scene, const struct made *made, uint32_t parts)
{
    const uint32_t n = UINT32_C(1) << scene->task.dimensions;
    const uint32_t channels = scene->config.network_channels_per_dimension;
    uint8_t *came = room((size_t)n * parts, 1);
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t steps = 0, at = 0;
        for (uint32_t address = 0; address < n; address++) {
            const uint32_t from =
                cm_alltoall_arrival(made->alltoall, address, 1, (uint64_t)part * channels);
            while (from != (address ^ 1u << came[part * n + address]))
                if (++came[part * n + address] >= scene->task.dimensions)
                    die("words come from a node that is not a neighbour");
        }
        do
            at ^= 1u << came[part * n + at];
        while (++steps < n && at != 0);
        if (at != 0 || steps != n)
            die("a path is not a Hamiltonian cycle");
    }
    return came;
}

/* The same, from a setup by arrival, which numbers words by their parts. */
static uint8_t *paths_by_arrival(const struct scene *scene, const struct made *made, uint32_t parts)
{
    struct cm_alltoall_task task = scene->task;
    struct made other = *made;
    struct cm_error err;
    task.order = CM_ALLTOALL_BY_ARRIVAL;
    must(cm_alltoall_setup(made->system, &task, &other.alltoall, &err), &err);
    uint8_t *came = paths_of(scene, &other, parts);
    cm_alltoall_deallocate(made->system, other.alltoall);
    return came;
}

/* The part that a node sends over a dimension. It comes to the neighbour over the same one. */
static uint32_t part_over(const struct oracle_alltoall *oracle, uint32_t address,
                          uint32_t dimension)
{
    const uint32_t n = 1u << oracle->dimensions;
    uint32_t part = 0;
    while (part < oracle->parts &&
           oracle->came[part * n + (address ^ 1u << dimension)] != dimension)
        part++;
    return part;
}

/* Puts the words of full chunks, which the play has by parts, into the order of the dimensions over
 * which the node sends them on; the last dimension takes the place of the one that has no part.
 * Over that one a word goes that nobody keeps. */
static void order_departures(struct oracle_alltoall *oracle)
{
    const uint32_t n = 1u << oracle->dimensions, channels = oracle->channels;
    const uint32_t chunk = oracle->parts * channels;
    const uint64_t full = oracle->words - oracle->words % chunk;
    uint32_t *block = room(oracle->words, sizeof *block);
    for (uint32_t node = 0; node < oracle->nodes; node++) {
        const uint32_t address = node >> oracle->first & (n - 1);
        for (uint32_t b = 0; b < n; b++) {
            uint32_t *dst = &oracle->dst[((size_t)node * n + b) * oracle->words];
            memcpy(block, dst, oracle->words * sizeof *block);
            for (uint64_t w = 0; w < full; w++) {
                uint32_t part = part_over(oracle, address, (uint32_t)(w % chunk / channels));
                if (part == oracle->parts)
                    part = part_over(oracle, address, oracle->dimensions - 1);
                dst[w] = block[w - w % chunk + part * channels + w % channels];
            }
        }
        for (uint32_t k = 0; k < oracle->dimensions; k++)
            for (uint32_t c = 0; c < channels && part_over(oracle, address, k) == oracle->parts;
                 c++) {
                const size_t link = (size_t)node * oracle->machine_dimensions + oracle->first + k;
                oracle->carried[link * 2 + c] += full / chunk * (n - 1);
            }
    }
    free(block);
}

static void play(const struct scene *scene, const struct made *made, const uint32_t *src,
                 struct oracle_alltoall *oracle)
{
    const struct cm_alltoall_task *task = &scene->task;
    const enum oracle_schedule schedules[] = {[CM_ALLTOALL_GRAY] = ORACLE_GRAY,
                                              [CM_ALLTOALL_ROTATED] = ORACLE_ROTATED,
                                              [CM_ALLTOALL_BUTTERFLY] = ORACLE_ONE_DIMENSION,
                                              [CM_ALLTOALL_HAMILTONIAN] = ORACLE_PATHS,
                                              [CM_ALLTOALL_ROUTER] = ORACLE_PACKETS};
    uint32_t bits = 0;
    uint8_t *came = NULL;
    while (UINT32_C(1) << bits < scene->nodes)
        bits++;
    const uint32_t parts = task->dimensions / 2 * 2;
    if (task->algorithm == CM_ALLTOALL_HAMILTONIAN)
        came = paths_by_arrival(scene, made, parts);
    enum oracle_schedule schedule = schedules[task->algorithm];
    if (is_of_one(task->kind))
        schedule = task->kind == CM_ALLTOALL_ONE_TO_ALL ? ORACLE_TREES : ORACLE_HALVES;
    *oracle = (struct oracle_alltoall){
        .schedule = schedule,
        .personalised = src_words(task) > task->words,
        .root = task->root,
        .by_source = task->order == CM_ALLTOALL_BY_SOURCE,
        .nodes = scene->nodes,
        .first = task->first_dimension,
        .dimensions = task->dimensions,
        .channels = scene->config.network_channels_per_dimension,
        .words = task->words,
        .src = src,
        .came = came,
        .parts = parts,
        .buffer_words = scene->config.router_buffer_words,
        .machine_dimensions = bits,
    };
    oracle->dst = room((size_t)scene->nodes * (task->words << task->dimensions), sizeof *src);
    oracle->carried = room((size_t)scene->nodes * bits * 2, sizeof *oracle->carried);
    if (!oracle_alltoall_play(oracle))
        die("out of memory");
    if (task->order == CM_ALLTOALL_BY_DEPARTURE)
        order_departures(oracle);
    free(came);
}

/* Of the router's words, those of all channels of a dimension: which one, is up to the traffic. */
static bool packets_agree(struct made *made, const struct oracle_alltoall *oracle)
{
    const uint64_t *words = cm_system_routed_words(made->system);
    bool good = words != NULL || oracle->dimensions == 0; /* then the router is not used */
    for (size_t i = 0;
         good && words != NULL && i < (size_t)oracle->nodes * oracle->machine_dimensions; i++)
        good = words[2 * i] + words[2 * i + 1] == oracle->carried[2 * i];
    if (!good)
        printf("# the router's channels carried other words than in the play\n");
    return good;
}

static bool channels_agree(struct made *made, const struct oracle_alltoall *oracle)
{
    struct cm_machine *machine = cm_system_machine(made->system);
    const size_t count = (size_t)oracle->nodes * oracle->machine_dimensions * 2;
    uint64_t *words = room(count, sizeof *words);
    struct cm_error err;
    if (oracle->schedule == ORACLE_PACKETS) {
        free(words);
        return packets_agree(made, oracle);
    }
    must(cm_machine_channel_words(machine, words, &err), &err);
    const bool good = memcmp(words, oracle->carried, count * sizeof *words) == 0;
    free(words);
    if (!good)
        printf("# channels carried other words than in the play\n");
    return good && !oracle->collided;
}

/* Exchanges by the machine, the setup, the formula and the play; never fewer than the bound. */
static bool exchanges_agree(const struct scene *scene, struct made *made,
                            const struct oracle_alltoall *oracle)
{
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(made->system));
    const struct cm_alltoall_info info = cm_alltoall_info(made->alltoall);
    const uint64_t formula = cm_alltoall_exchanges(&scene->task, oracle->channels);
    if (counters.exchanges == oracle->exchanges && info.exchanges == formula &&
        formula == oracle->exchanges &&
        (info.bound <= formula || scene->task.algorithm == CM_ALLTOALL_ROUTER))
        return true;
    printf("# %" PRIu64 " exchanges, %" PRIu64 " by the formula, %" PRIu64
           " by play, at least %" PRIu64 "\n",
           counters.exchanges, formula, oracle->exchanges, info.bound);
    return false;
}

static bool data_agree(const struct scene *scene, struct made *made,
                       const struct oracle_alltoall *oracle)
{
    const size_t count = (size_t)scene->nodes * dst_words(&scene->task);
    uint32_t *found = room(count, sizeof *found);
    exchange_words(made, made->dst, found, false);
    size_t at = 0;
    while (at < count && found[at] == oracle->dst[at])
        at++;
    free(found);
    if (at < count)
        printf("# word %zu of %zu differs\n", at, count);
    return at == count;
}

static void print_scene(const struct scene *scene)
{
    const struct cm_alltoall_task *task = &scene->task;
    printf(
        "# %s by %s, order of %s: %" PRIu64 " words of %s, %" PRIu32 " nodes, dimensions %" PRIu32
        " from %" PRIu32 ", %" PRIu32 " channels, SRAM of %" PRIu64 " words\n",
        cm_alltoall_kind_name(task->kind), cm_alltoall_algorithm_name(task->algorithm),
        cm_alltoall_order_name(task->order), task->words, cm_type_name(scene->type), scene->nodes,
        task->dimensions, task->first_dimension, scene->config.network_channels_per_dimension,
        (uint64_t)scene->config.sequencer_sram_words);
}

static bool judge(const struct scene *scene, struct made *made, struct made *timed,
                  struct cm_random *random)
{
    const size_t count = (size_t)scene->nodes * src_words(&scene->task);
    uint32_t *src = room(count, sizeof *src);
    struct oracle_alltoall oracle;
    struct cm_error err;
    for (size_t i = 0; i < count; i++)
        src[i] = (uint32_t)cm_random_next(random);
    play(scene, made, src, &oracle);
    exchange_words(made, made->src, src, true);
    must(cm_alltoall_call(made->system, made->alltoall, made->dst, made->src, &err), &err);
    must(cm_alltoall_call(timed->system, timed->alltoall, timed->dst, timed->src, &err), &err);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(made->system));
    const struct cm_counters dry = cm_machine_counters(cm_system_machine(timed->system));
    bool good = data_agree(scene, made, &oracle);
    good = exchanges_agree(scene, made, &oracle) && good;
    good = channels_agree(made, &oracle) && channels_agree(timed, &oracle) && good;
    if (memcmp(&counters, &dry, sizeof counters) != 0) {
        printf("# without data: %" PRIu64 " cycles instead of %" PRIu64 "\n", dry.cycles,
               counters.cycles);
        good = false;
    }
    free(src);
    free(oracle.dst);
    free(oracle.carried);
    return good;
}

static bool run_case(struct cm_random *random, const struct cm_config *config, struct tally *tally)
{
    struct scene scene;
    struct made made, timed;
    draw_scene(random, config, &scene);
    if (!make(&scene, false, &made)) {
        cm_array_destroy(made.system, made.src);
        cm_array_destroy(made.system, made.dst);
        cm_system_destroy(made.system);
        return true;
    }
    if (!make(&scene, true, &timed))
        die("a setup fits with data, but not without");
    const bool good = judge(&scene, &made, &timed, random);
    if (!good)
        print_scene(&scene);
    tally->cases++;
    tally->personalised += scene.task.kind == CM_ALLTOALL_PERSONALISED;
    tally->by_source += scene.task.order == CM_ALLTOALL_BY_SOURCE;
    tally->departures += scene.task.order == CM_ALLTOALL_BY_DEPARTURE;
    tally->largest += scene.task.dimensions == 11;
    tally->subsets += UINT32_C(1) << scene.task.dimensions < scene.nodes;
    unmake(&made);
    unmake(&timed);
    return good;
}

/* One task on a whole cube, timing only, against the play. */
static bool count_one(const struct cm_config *config, const struct cm_alltoall_task *task)
{
    struct scene scene = {
        .config = *config, .task = *task, .nodes = UINT32_C(1) << task->dimensions, .threads = 1};
    struct oracle_alltoall oracle;
    struct made made;
    struct cm_error err;
    if (!make(&scene, true, &made))
        die("a setup does not fit the SRAM");
    uint32_t *src = room((size_t)scene.nodes * src_words(task), sizeof *src);
    play(&scene, &made, src, &oracle);
    must(cm_alltoall_call(made.system, made.alltoall, made.dst, made.src, &err), &err);
    const bool good = exchanges_agree(&scene, &made, &oracle) && channels_agree(&made, &oracle);
    if (!good)
        print_scene(&scene);
    free(src);
    free(oracle.dst);
    free(oracle.carried);
    unmake(&made);
    return good;
}

static bool check_counts(const struct cm_config *config)
{
    static const uint64_t words[] = {1, 3, 8, 14, 33};
    bool good = true;
    for (uint32_t channels = 1; channels <= 2; channels++) {
        struct cm_config machine = *config;
        machine.network_channels_per_dimension = channels;
        for (uint32_t d = 1; d <= 8; d++)
            for (uint32_t a = 0; a < CM_ALLTOALL_ALGORITHMS; a++)
                for (uint32_t kind = 0; kind < CM_ALLTOALL_KINDS; kind++)
                    for (uint32_t k = 0; k < (d > 6 ? 2 : 5); k++) {
                        const struct cm_alltoall_task task = {.kind = (enum cm_alltoall_kind)kind,
                                                              .algorithm =
                                                                  (enum cm_alltoall_algorithm)a,
                                                              .order = CM_ALLTOALL_BY_ARRIVAL,
                                                              .words = words[k],
                                                              .dimensions = d};
                        if (is_of_one(task.kind) && a != CM_ALLTOALL_ROTATED)
                            continue;
                        const bool alone = is_broadcast_alone(task.algorithm);
                        if ((kind == CM_ALLTOALL_PERSONALISED && alone) ||
                            (a == CM_ALLTOALL_HAMILTONIAN && d < 2))
                            continue;
                        good = count_one(&machine, &task) && good;
                    }
    }
    return good;
}

/* The rotations of the Gray code: in every step each part crosses a dimension of its own, and after
 * all steps every part of every node has been everywhere once. */
static bool rotations_are_right(const struct cm_alltoall *alltoall, uint32_t d)
{
    const uint32_t n = UINT32_C(1) << d;
    unsigned char *seen = room((size_t)n * d, 1);
    bool good = true;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t used = 0;
        for (uint32_t part = 0; part < d; part++) {
            const uint32_t now = cm_alltoall_arrival(alltoall, 0, t, 2 * part);
            good = good && now < n && !seen[(size_t)part * n + now] && (t > 0 || now == 0);
            seen[(size_t)part * n + now] = 1;
            if (t > 0)
                used ^= now ^ cm_alltoall_arrival(alltoall, 0, t - 1, 2 * part);
        }
        good = good && (t == 0 || used == n - 1);
    }
    free(seen);
    return good;
}

/* In every exchange all but the matching's channels carry a word: 20 of 22 for 11 dimensions. */
static bool cycles_fill_channels(const struct cm_config *config, uint32_t d)
{
    const uint64_t busy = d / 2 * 2 * 2, n = UINT64_C(1) << d;
    const struct cm_alltoall_task task = {.algorithm = CM_ALLTOALL_HAMILTONIAN,
                                          .order = CM_ALLTOALL_BY_ARRIVAL,
                                          .words = 2 * busy,
                                          .dimensions = d};
    const struct scene scene = {
        .config = *config, .task = task, .nodes = UINT32_C(1) << d, .threads = 1};
    struct made made;
    struct cm_error err;
    if (!make(&scene, true, &made))
        die("a setup does not fit the SRAM");
    free(paths_of(&scene, &made, d / 2 * 2));
    struct cm_machine *machine = cm_system_machine(made.system);
    uint64_t *words = room((size_t)n * d * 2, sizeof *words), idle = 0;
    must(cm_alltoall_call(made.system, made.alltoall, made.dst, made.src, &err), &err);
    must(cm_machine_channel_words(machine, words, &err), &err);
    bool good = cm_machine_counters(machine).exchanges == (n - 1) * 2;
    for (uint64_t i = 0; i < n * d * 2; i++) {
        good = good && (words[i] == 0 || words[i] == (n - 1) * 2);
        idle += words[i] == 0;
    }
    free(words);
    unmake(&made);
    return good && idle == n * (2 * d - busy);
}

static bool check_cycles(const struct cm_config *config)
{
    bool good = true;
    for (uint32_t d = 2; d <= 11; d++)
        if (!cycles_fill_channels(config, d)) {
            printf("# the Hamiltonian cycles of %" PRIu32 " dimensions\n", d);
            good = false;
        }
    return good;
}

/* A block of as many words as there are channels: n - 1 exchanges, in which no channel is idle. */
static bool channels_are_all_busy(const struct cm_config *config, uint32_t d)
{
    const struct scene scene = {.config = *config,
                                .task = {.algorithm = CM_ALLTOALL_GRAY,
                                         .order = CM_ALLTOALL_BY_ARRIVAL,
                                         .words = 2 * (uint64_t)d,
                                         .dimensions = d},
                                .nodes = UINT32_C(1) << d,
                                .threads = 1};
    const uint64_t steps = scene.nodes - 1;
    struct made made;
    struct cm_error err;
    if (!make(&scene, true, &made))
        die("a setup does not fit the SRAM");
    struct cm_machine *machine = cm_system_machine(made.system);
    uint64_t *words = room((size_t)scene.nodes * d * 2, sizeof *words);
    must(cm_alltoall_call(made.system, made.alltoall, made.dst, made.src, &err), &err);
    must(cm_machine_channel_words(machine, words, &err), &err);
    bool good = cm_machine_counters(machine).exchanges == steps &&
                cm_alltoall_info(made.alltoall).bound == steps;
    for (size_t i = 0; i < (size_t)scene.nodes * d * 2; i++)
        good = good && words[i] == steps;
    good = rotations_are_right(made.alltoall, d) && good;
    free(words);
    unmake(&made);
    return good;
}

static bool check_rotations(const struct cm_config *config)
{
    bool good = true;
    for (uint32_t d = 1; d <= 11; d++)
        if (!channels_are_all_busy(config, d)) {
            printf("# the rotated Gray code of %" PRIu32 " dimensions\n", d);
            good = false;
        }
    return good;
}

CM_PROGRAM(alltoall)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 400, .seed = 20261122};
    struct tally tally = {0};
    struct cm_config config;
    bool good = true;
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..4\n# seed %" PRIu64 "\n", options.seed);
    for (uint64_t i = 0; i < options.cases && good; i++) {
        struct cm_random random = cm_random_of_case(options.seed, i);
        good = tap_case(&options, i, run_case(&random, &config, &tally));
    }
    printf("# %" PRIu32 " cases: %" PRIu32 " personalised, %" PRIu32 " by source, %" PRIu32
           " by departure, %" PRIu32 " on all 2,048 nodes, %" PRIu32 " in groups\n",
           tally.cases, tally.personalised, tally.by_source, tally.departures, tally.largest,
           tally.subsets);
    tap_report(1, good, "random all-to-all communication equals the play");
    const bool counts = check_counts(&config), rotations = check_rotations(&config);
    tap_report(2, counts, "exchanges and words of channels equal the play for all cubes");
    tap_report(3, rotations, "the rotated Gray code keeps all channels busy, 1 to 11 dimensions");
    const bool cycles = check_cycles(&config);
    tap_report(4, cycles, "Hamiltonian cycles use each edge once, 2 to 11 dimensions");
    return good && counts && rotations && cycles ? 0 : 1;
}
