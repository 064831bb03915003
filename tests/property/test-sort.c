/*
 * Random sorts on the machine, judged by an oracle of their own: keys, ranks and carried arrays bit
 * for bit, with ties, zeros of both signs, infinities, NaNs and padding; every sequence of zeros
 * and ones on small networks; the counts of exchanges against a queue played by hand, the words of
 * every channel, and the same cycles without data. Prints TAP.
 *
 *   property sort [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/sort/sort.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"
#include "sort_oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX 8192u
#define CARRIED_MAX  3u

struct scene {
    struct cm_config config;
    struct cm_sort_task task;
    struct cm_layout_request request;
    uint32_t nodes, threads, kind; /* of the keys */
    bool in_place, carried_in_place[CARRIED_MAX];
};

/* The host's arrays: keys, then what is carried. */
struct data {
    uint64_t count;
    void *keys, *carried[CARRIED_MAX];
};

struct tally {
    uint32_t cases, stable, padded, descending, crossed, sampled, overflowed;
};

static void *room(uint64_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (!memory)
        die("out of memory");
    return memory;
}

static void draw_shape(struct cm_random *random, struct scene *scene)
{
    struct cm_layout_request *request = &scene->request;
    uint64_t left = ELEMENTS_MAX;
    request->rank = cm_random_chance(random, 40) ? 1 : 1 + cm_random_below(random, 4);
    for (uint32_t a = 0; a < request->rank; a++) {
        const uint64_t most = left < 64 || cm_random_chance(random, 40) ? left : 64;
        uint64_t length = 1 + cm_random_below(random, (uint32_t)most);
        if (cm_random_chance(random, 40))
            for (length = 1; 2 * length <= most && cm_random_chance(random, 85);)
                length *= 2;
        request->shape[a] = length;
        request->orders[a] = cm_random_chance(random, 60)
                                 ? CM_ORDER_NEWS
                                 : (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
        request->weights[a] = 1 + cm_random_below(random, 3);
        left /= length;
    }
}

/* One column over all nodes, mostly long enough for samples. */
static void draw_line(struct cm_random *random, struct scene *scene)
{
    scene->nodes = UINT32_C(1) << cm_random_below(random, 8);
    scene->request.rank = 1;
    scene->request.shape[0] = ELEMENTS_MAX / 2 + cm_random_below(random, ELEMENTS_MAX / 2) + 1;
    scene->request.orders[0] = cm_random_chance(random, 50) ? CM_ORDER_NEWS : CM_ORDER_SEND;
    scene->request.weights[0] = 1;
}

static void draw_scene(struct cm_random *random, const struct cm_config *config,
                       struct scene *scene)
{
    static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_INT32,
                                         CM_TYPE_LOGICAL};
    struct cm_sort_task *task = &scene->task;
    struct cm_error err;
    memset(scene, 0, sizeof *scene);
    scene->config = *config;
    if (cm_random_chance(random, 20))
        scene->config.network_channels_per_dimension = 1;
    scene->nodes = UINT32_C(1) << cm_random_below(random, 12);
    scene->threads = 1 + cm_random_below(random, 2);
    scene->kind = cm_random_below(random, 4);
    draw_shape(random, scene);
    if (cm_random_chance(random, 50))
        task->method = cm_random_chance(random, 80) ? CM_SORT_SAMPLE : CM_SORT_AUTO;
    if (task->method != CM_SORT_BITONIC && cm_random_chance(random, 80))
        draw_line(random, scene);
    scene->request.type = types[cm_random_below(random, 4)];
    must(cm_layout_create(&scene->request, scene->nodes, &task->layout, &err), &err);
    task->axis = cm_random_below(random, task->layout.rank);
    task->descending = cm_random_chance(random, 50);
    task->ranked = cm_random_chance(random, 40);
    task->carried = cm_random_chance(random, 60) ? 0 : 1 + cm_random_below(random, CARRIED_MAX);
    task->keyless = (task->ranked || task->carried > 0) && cm_random_chance(random, 20);
    scene->in_place = !task->keyless && cm_random_chance(random, 40);
    for (uint32_t i = 0; i < task->carried; i++) {
        task->carried_types[i] = (enum cm_type)cm_random_below(random, CM_TYPE_COUNT);
        scene->carried_in_place[i] = cm_random_chance(random, 40);
    }
}

static double draw_number(struct cm_random *random, uint32_t kind)
{
    static const double odd[] = {-0.0, 0.0, INFINITY, -INFINITY, 1e-42, -1e-42};
    if (kind == 0 || (kind == 1 && cm_random_chance(random, 50)))
        return (double)cm_random_range(random, -3, 3);
    if (kind == 1)
        return odd[cm_random_below(random, 6)];
    return (double)cm_random_range(random, -1000000, 1000000) / 65537.0;
}

static void draw_key(struct cm_random *random, enum cm_type type, uint32_t kind, void *at)
{
    const uint64_t bits = cm_random_next(random);
    const double number = draw_number(random, kind);
    const float single = (float)number;
    const int32_t integer =
        kind == 3 ? (int32_t)(uint32_t)bits : (int32_t)fmax(-9, fmin(9, number));
    const bool raw = kind == 3 || (kind == 1 && cm_random_chance(random, 10));
    /* mostly NaNs of any sign and fraction */
    const uint64_t nan_wide = kind == 1 ? bits | UINT64_C(0x7ff) << 52 : bits;
    const uint32_t nan_single = kind == 1 ? (uint32_t)bits | 0x7f800000u : (uint32_t)bits;
    if (type == CM_TYPE_LOGICAL)
        *(unsigned char *)at = bits & 1;
    else if (type == CM_TYPE_INT32)
        memcpy(at, &integer, sizeof integer);
    else if (type == CM_TYPE_REAL32)
        memcpy(at, raw ? (const void *)&nan_single : (const void *)&single, sizeof single);
    else
        memcpy(at, raw ? (const void *)&nan_wide : (const void *)&number, sizeof number);
}

static void make_data(struct cm_random *random, const struct scene *scene, struct data *data)
{
    const struct cm_sort_task *task = &scene->task;
    const uint64_t count = data->count = task->layout.elements;
    data->keys = room(count, 16);
    for (uint64_t e = 0; e < count; e++)
        draw_key(random, task->layout.type, scene->kind,
                 (char *)data->keys + e * cm_type_host_bytes(task->layout.type));
    for (uint32_t i = 0; i < task->carried; i++) {
        const size_t bytes = cm_type_host_bytes(task->carried_types[i]);
        unsigned char *to = data->carried[i] = room(count, 16);
        for (uint64_t b = 0; b < count * bytes; b++)
            to[b] = (unsigned char)cm_random_below(random, bytes == 1 ? 2 : 256);
    }
}

static void free_data(const struct scene *scene, struct data *data)
{
    free(data->keys);
    for (uint32_t i = 0; i < scene->task.carried; i++)
        free(data->carried[i]);
}

/* The machine's side of a case. */
struct made {
    struct cm_system *system;
    struct cm_array *src, *dst, *rank;
    struct cm_array *from[CARRIED_MAX], *to[CARRIED_MAX];
    struct cm_sort *sort;
};

static struct cm_array *array_of(struct cm_system *system, const struct scene *scene,
                                 enum cm_type type, const void *elements)
{
    struct cm_layout_request request = scene->request;
    struct cm_layout layout;
    struct cm_array *array;
    struct cm_error err;
    request.type = type;
    must(cm_layout_create(&request, scene->nodes, &layout, &err), &err);
    must(cm_array_create(system, "array", &layout, &array, &err), &err);
    if (elements)
        must(cm_array_scatter(system, array, elements, &err), &err);
    return array;
}

static void print_scene(const struct scene *scene)
{
    const struct cm_sort_task *task = &scene->task;
    printf("# %s sort of %s on %" PRIu32 " nodes, axis %" PRIu32 "%s%s%s%s, carried:",
           cm_sort_method_name(task->method), cm_type_name(task->layout.type), scene->nodes,
           task->axis, task->descending ? ", descending" : "", task->keyless ? ", keyless" : "",
           task->ranked ? ", ranked" : "", scene->in_place ? ", in place" : "");
    for (uint32_t i = 0; i < task->carried; i++)
        printf(" %s", cm_type_name(task->carried_types[i]));
    printf("; shape");
    for (uint32_t a = 0; a < task->layout.rank; a++)
        printf(" %" PRIu64 " %s (%" PRIu64 " x 2^%" PRIu32 ")", task->layout.axes[a].length,
               cm_order_name(task->layout.axes[a].order), task->layout.axes[a].local_length,
               task->layout.axes[a].node_bits);
    printf("\n");
}

static void make(const struct scene *scene, const struct data *data, bool timing_only,
                 struct made *made)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = scene->threads, .timing_only = timing_only};
    const struct cm_sort_task *task = &scene->task;
    struct cm_error err;
    memset(made, 0, sizeof *made);
    must(cm_system_create(&scene->config, &options, &made->system, &err), &err);
    made->src = array_of(made->system, scene, task->layout.type, data->keys);
    if (!task->keyless)
        made->dst =
            scene->in_place ? made->src : array_of(made->system, scene, task->layout.type, NULL);
    if (task->ranked)
        made->rank = array_of(made->system, scene, CM_TYPE_INT32, NULL);
    for (uint32_t i = 0; i < task->carried; i++) {
        const enum cm_type type = task->carried_types[i];
        made->from[i] = array_of(made->system, scene, type, data->carried[i]);
        made->to[i] =
            scene->carried_in_place[i] ? made->from[i] : array_of(made->system, scene, type, NULL);
    }
    const enum cm_status status = cm_sort_setup(made->system, task, &made->sort, &err);
    if (status != CM_OK)
        print_scene(scene);
    must(status, &err);
}

static void unmake(const struct scene *scene, struct made *made)
{
    cm_sort_deallocate(made->system, made->sort);
    if (made->dst != made->src)
        cm_array_destroy(made->system, made->dst);
    cm_array_destroy(made->system, made->src);
    cm_array_destroy(made->system, made->rank);
    for (uint32_t i = 0; i < scene->task.carried; i++) {
        if (made->to[i] != made->from[i])
            cm_array_destroy(made->system, made->to[i]);
        cm_array_destroy(made->system, made->from[i]);
    }
    cm_system_destroy(made->system);
}

static void call(const struct scene *scene, const struct made *made)
{
    struct cm_sort_arrays arrays = {.dst = made->dst, .src = made->src, .rank = made->rank};
    struct cm_error err;
    for (uint32_t i = 0; i < scene->task.carried; i++) {
        arrays.carried[i].src = made->from[i];
        arrays.carried[i].dst = made->to[i];
    }
    must(cm_sort_call(made->system, made->sort, &arrays, &err), &err);
}

/* Whether an array's elements along a column are those of `from`, or of the keys, in the order. */
static bool judge_column(const struct scene *scene, const struct cm_array *array, const void *found,
                         const void *from, uint64_t first, const uint64_t *order)
{
    const struct cm_sort_task *task = &scene->task;
    const enum cm_type type = array->layout.type;
    const size_t bytes = cm_type_host_bytes(type);
    uint64_t step = 1;
    for (uint32_t a = 0; a < task->axis; a++)
        step *= task->layout.axes[a].length;
    for (uint64_t i = 0; i < task->layout.axes[task->axis].length; i++) {
        const int32_t rank = (int32_t)order[i] + 1;
        const uint64_t source = first + order[i] * step;
        unsigned char wanted[16];
        if (from == NULL)
            memcpy(wanted, &rank, sizeof rank);
        else
            memcpy(wanted, (const char *)from + source * bytes, bytes);
        if (from != NULL && found == NULL)
            return false;
        if (memcmp((const char *)found + (first + i * step) * bytes, wanted, bytes) != 0) {
            printf("# place %" PRIu64 " of the column at element %" PRIu64 " is wrong\n", i, first);
            return false;
        }
    }
    return true;
}

static bool judge_array(const struct scene *scene, const struct made *made, const struct data *data,
                        const struct cm_array *array, const void *from)
{
    const struct cm_sort_task *task = &scene->task;
    const uint64_t length = task->layout.axes[task->axis].length;
    void *found = room(data->count, 16);
    uint64_t *order = room(length, sizeof *order), step = 1;
    struct cm_error err;
    bool good = true;
    must(cm_array_gather(made->system, array, found, &err), &err);
    for (uint32_t a = 0; a < task->axis; a++)
        step *= task->layout.axes[a].length;
    for (uint64_t e = 0; good && e < data->count; e++) {
        if (e / step % length != 0)
            continue;
        oracle_order(task->layout.type, data->keys, e, step, length, task->descending, order);
        good = judge_column(scene, array, found, from, e, order);
    }
    free(found);
    free(order);
    return good;
}

static bool judge(const struct scene *scene, const struct made *made, const struct data *data)
{
    const struct cm_sort_task *task = &scene->task;
    bool good = true;
    if (!task->keyless) {
        const size_t bytes = cm_type_host_bytes(task->layout.type);
        unsigned char *keys = room(data->count, 16);
        for (uint64_t e = 0; e < data->count; e++)
            oracle_key(task->layout.type, data->keys, e, keys + e * bytes);
        good = judge_array(scene, made, data, made->dst, keys);
        free(keys);
    }
    if (good && task->ranked)
        good = judge_array(scene, made, data, made->rank, NULL);
    for (uint32_t i = 0; good && i < task->carried; i++)
        good = judge_array(scene, made, data, made->to[i], data->carried[i]);
    return good;
}

/*
 * Steps of a phase by playing: groups wait before each dimension, the highest first; a step moves
 * the first that waits at each.
 */
static uint64_t play_phase(uint64_t groups, uint32_t phase)
{
    uint64_t waiting[17] = {groups}, steps = 0;
    while (waiting[phase] < groups) {
        uint64_t moves[17] = {0};
        for (uint32_t stage = 0; stage < phase; stage++)
            moves[stage] = waiting[stage] > 0;
        for (uint32_t stage = 0; stage < phase; stage++) {
            waiting[stage] -= moves[stage];
            waiting[stage + 1] += moves[stage];
        }
        steps++;
    }
    return steps;
}

/* Words of a record, by the table of docs/programs/sort.md. */
static uint32_t words_of(const struct cm_sort_task *task)
{
    uint32_t words = cm_type_slices(task->layout.type) + (task->ranked || task->carried > 0);
    for (uint32_t i = 0; i < task->carried; i++)
        words += cm_type_slices(task->carried_types[i]);
    return words;
}

static uint64_t together_of(uint64_t values, uint32_t words, uint32_t channels)
{
    uint64_t together = 1;
    while (together * words % channels != 0 && together < values)
        together++;
    return together;
}

/* Every node sends every group over dimension k of the axis in phases k + 1 to d. */
static bool channels_agree(struct cm_system *system, const struct cm_axis *axis, uint64_t words,
                           uint64_t exchanges, uint32_t channels)
{
    struct cm_machine *machine = cm_system_machine(system);
    const uint32_t nodes = cm_machine_nodes(machine), dimensions = cm_machine_dimensions(machine);
    uint64_t *sent = room((size_t)nodes * dimensions * 2 + 1, sizeof *sent);
    struct cm_error err;
    bool good = true;
    must(cm_machine_channel_words(machine, sent, &err), &err);
    for (uint64_t i = 0; i < (uint64_t)nodes * dimensions; i++) {
        const uint32_t k = (uint32_t)(i % dimensions) - axis->first_dimension;
        const uint64_t phases = k < axis->node_bits ? axis->node_bits - k : 0;
        good = good && sent[2 * i] + sent[2 * i + 1] == phases * words &&
               sent[2 * i] <= exchanges && sent[2 * i + 1] <= (channels == 1 ? 0 : sent[2 * i]);
    }
    free(sent);
    return good;
}

/*
 * Exchanges of a sort by samples: of the bitonic sort of the samples, by play; n - 1 steps of the
 * broadcast of a splitter, in parts of as many words as there are channels, d at a time; the scan
 * of two words. If too many records came to a node, the bitonic sort follows.
 */
static uint64_t sampling_exchanges(const struct scene *scene, const struct made *made,
                                   uint64_t bitonic)
{
    const struct cm_sort_info info = cm_sort_info(made->sort);
    const uint32_t channels = scene->config.network_channels_per_dimension, d = info.dimensions;
    const uint32_t words = cm_type_slices(scene->task.layout.type) + 1;
    const uint64_t together = together_of(info.samples, words, channels);
    const uint64_t groups = (info.samples + together - 1) / together;
    uint64_t all =
        (channels == 1 ? 2 : 1) * (uint64_t)cm_machine_dimensions(cm_system_machine(made->system));
    for (uint32_t phase = 1; phase <= d; phase++)
        all += play_phase(groups, phase) * ((together * words + channels - 1) / channels);
    for (uint32_t left = words; left > 0; left -= left < d * channels ? left : d * channels)
        all += (UINT64_C(1) << d) - 1;
    return all + (info.overflowed ? bitonic : 0);
}

/* Exchanges, and the records that came to the node with the most. */
static bool sampled_well(const struct scene *scene, const struct made *made, uint64_t counted,
                         uint64_t bitonic)
{
    const struct cm_sort_info info = cm_sort_info(made->sort);
    const uint64_t nodes = UINT64_C(1) << info.dimensions;
    const uint64_t wanted = sampling_exchanges(scene, made, bitonic);
    /* between splitters are s samples; beyond them a gap in each node */
    const uint64_t gap = (info.values + info.samples - 1) / info.samples;
    const uint64_t bound = (info.samples + nodes) * gap;
    const bool good = counted == wanted && info.most >= info.values && info.most <= bound &&
                      info.overflowed == (info.most > info.capacity);
    if (!good)
        printf("# by samples: %" PRIu64 " exchanges, %" PRIu64 " by play; %" PRIu64
               " records came to a node of %" PRIu64 ", with room for %" PRIu64 "\n",
               counted, wanted, info.most, info.values, info.capacity);
    return good;
}

static bool judge_counts(const struct scene *scene, const struct made *made)
{
    const struct cm_sort_info info = cm_sort_info(made->sort);
    const struct cm_layout *layout = &scene->task.layout;
    const struct cm_axis *axis = &layout->axes[scene->task.axis];
    const uint32_t words = words_of(&scene->task);
    const uint32_t channels = scene->config.network_channels_per_dimension;
    const uint64_t together = together_of(layout->local_elements, words, channels);
    const uint64_t groups = (layout->local_elements + together - 1) / together;
    const uint64_t counted = cm_machine_counters(cm_system_machine(made->system)).exchanges;
    uint64_t played = 0;
    for (uint32_t phase = 1; phase <= axis->node_bits; phase++)
        played += play_phase(groups, phase) * ((together * words + channels - 1) / channels);
    if (info.method == CM_SORT_SAMPLE)
        return sampled_well(scene, made, counted, played);
    const bool good =
        counted == played && info.exchanges == played && info.record_words == words &&
        played == cm_sort_exchanges(layout->local_elements, words, axis->node_bits, channels) &&
        channels_agree(made->system, axis, groups * together * words, counted, channels);
    if (!good)
        printf("# %" PRIu64 " exchanges, %" PRIu64 " by play, the setup says %" PRIu64
               "; or the words of channels are wrong\n",
               counted, played, info.exchanges);
    return good;
}

static void count_case(const struct scene *scene, struct tally *tally)
{
    const struct cm_axis *axis = &scene->task.layout.axes[scene->task.axis];
    tally->cases++;
    tally->stable += scene->task.ranked || scene->task.carried > 0;
    tally->padded += axis->padded;
    tally->descending += scene->task.descending;
    tally->crossed += axis->node_bits > 0;
}

/* A setup on a machine without data, which must fail. */
static bool refused_without_data(const struct scene *scene)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = 1, .timing_only = true};
    struct cm_system *system;
    struct cm_sort *sort;
    struct cm_error err;
    must(cm_system_create(&scene->config, &options, &system, &err), &err);
    const bool refused = cm_sort_setup(system, &scene->task, &sort, &err) == CM_BAD_INPUT &&
                         strstr(err.message, "depend on the keys") != NULL;
    cm_system_destroy(system);
    if (!refused)
        printf("# a sort by samples is not refused without data\n");
    return refused;
}

/* Whether a run without data has the same counters, or is refused. */
static bool judge_timing(const struct scene *scene, const struct data *data,
                         const struct made *made)
{
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(made->system));
    struct made timed;
    if (scene->task.method != CM_SORT_BITONIC)
        return refused_without_data(scene);
    make(scene, data, true, &timed);
    call(scene, &timed);
    const struct cm_counters dry = cm_machine_counters(cm_system_machine(timed.system));
    unmake(scene, &timed);
    if (memcmp(&counters, &dry, sizeof counters) == 0)
        return true;
    printf("# without data: %" PRIu64 " cycles instead of %" PRIu64 "\n", dry.cycles,
           counters.cycles);
    return false;
}

static bool run_case(struct cm_random *random, const struct cm_config *config, struct tally *tally)
{
    struct scene scene;
    struct data data;
    struct made made;
    draw_scene(random, config, &scene);
    make_data(random, &scene, &data);
    make(&scene, &data, false, &made);
    call(&scene, &made);
    bool good = judge(&scene, &made, &data);
    good = judge_counts(&scene, &made) && good;
    good = judge_timing(&scene, &data, &made) && good;
    if (!good)
        print_scene(&scene);
    const struct cm_sort_info info = cm_sort_info(made.sort);
    tally->sampled += info.method == CM_SORT_SAMPLE;
    tally->overflowed += info.overflowed;
    count_case(&scene, tally);
    unmake(&scene, &made);
    free_data(&scene, &data);
    return good;
}

/* Sorts every sequence of `length` zeros and ones: 2^length columns. By the 0-1 principle the
 * network then sorts everything. */
static bool sort_bits(const struct cm_config *config, uint32_t length, uint32_t nodes,
                      enum cm_order order)
{
    const struct cm_machine_options options = {.nodes = nodes, .threads = 1};
    const uint64_t columns = UINT64_C(1) << length;
    const struct cm_layout_request request = {.type = CM_TYPE_INT32,
                                              .rank = 2,
                                              .shape = {length, columns},
                                              .orders = {order, CM_ORDER_SERIAL},
                                              .weights = {1, 1}};
    struct cm_sort_task task = {.axis = 0};
    int32_t *bits = room(columns * length, sizeof *bits);
    struct cm_system *system;
    struct cm_array *array;
    struct cm_sort *sort;
    struct cm_error err;
    bool good = true;
    for (uint64_t e = 0; e < columns * length; e++)
        bits[e] = (int32_t)(e / length >> e % length & 1);
    must(cm_layout_create(&request, nodes, &task.layout, &err), &err);
    must(cm_system_create(config, &options, &system, &err), &err);
    must(cm_array_create(system, "bits", &task.layout, &array, &err), &err);
    must(cm_array_scatter(system, array, bits, &err), &err);
    must(cm_sort_setup(system, &task, &sort, &err), &err);
    const struct cm_sort_arrays arrays = {.dst = array, .src = array};
    must(cm_sort_call(system, sort, &arrays, &err), &err);
    must(cm_array_gather(system, array, bits, &err), &err);
    for (uint64_t e = 0; e < columns * length; e++) {
        uint32_t zeros = length;
        for (uint64_t rest = e / length; rest > 0; rest &= rest - 1)
            zeros--;
        good = good && bits[e] == (e % length >= zeros);
    }
    if (!good)
        printf("# %" PRIu32 " zeros and ones on %" PRIu32 " nodes are not sorted\n", length, nodes);
    free(bits);
    cm_sort_deallocate(system, sort);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
    return good;
}

static bool check_bits(const struct cm_config *config)
{
    bool good = true;
    for (uint32_t nodes = 1; nodes <= 16; nodes *= 2)
        for (uint32_t length = 1; length <= 12; length++)
            for (uint32_t order = CM_ORDER_NEWS; order <= CM_ORDER_SEND; order++)
                good = sort_bits(config, length, nodes, (enum cm_order)order) && good;
    /* longer lists than the registers hold */
    for (uint32_t length = 13; length <= 15; length++)
        good = sort_bits(config, length, 1, CM_ORDER_NEWS) && good;
    return good;
}

/* The formula against the play, for all cubes of up to eight dimensions. */
static bool check_counts(void)
{
    bool good = true;
    for (uint32_t channels = 1; channels <= 2; channels++)
        for (uint32_t words = 1; words <= 7; words++)
            for (uint64_t values = 1; values <= 33; values++) {
                const uint64_t together = together_of(values, words, channels);
                const uint64_t groups = (values + together - 1) / together;
                uint64_t played = 0;
                for (uint32_t d = 0; d <= 8; d++) {
                    if (d > 0)
                        played +=
                            play_phase(groups, d) * ((together * words + channels - 1) / channels);
                    good = good && cm_sort_exchanges(values, words, d, channels) == played;
                }
            }
    return good;
}

/* One key of at most two words on every node: d (d + 1) / 2 exchanges. */
static bool check_one_value(void)
{
    bool good = true;
    for (uint32_t d = 0; d <= 11; d++)
        good = good && cm_sort_exchanges(1, 2, d, 2) == (uint64_t)d * (d + 1) / 2;
    return good && cm_sort_exchanges(1, 1, 11, 2) == 66;
}

CM_PROGRAM(sort)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 150, .seed = 20261122};
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
    printf("# %" PRIu32 " cases: %" PRIu32 " stable, %" PRIu32 " padded, %" PRIu32
           " descending, %" PRIu32 " over several nodes, %" PRIu32 " by samples, %" PRIu32
           " of them with too many records in a node\n",
           tally.cases, tally.stable, tally.padded, tally.descending, tally.crossed, tally.sampled,
           tally.overflowed);
    tap_report(1, good, "random sorts equal the oracle; exchanges and channels as played");
    const bool bits = check_bits(&config), one = check_one_value();
    tap_report(2, bits, "every sequence of zeros and ones is sorted on small networks");
    tap_report(3, one, "one key on each of 2,048 nodes takes 66 exchanges");
    const bool counts = check_counts();
    tap_report(4, counts, "exchanges as played, for cubes of up to eight dimensions");
    return good && bits && one && counts ? 0 : 1;
}
