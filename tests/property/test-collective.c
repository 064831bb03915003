/*
 * Random reductions, scans and spreads on the machine, judged by an oracle of their own: every
 * element, bit for bit in the documented order, and in plain order where nothing rounds; the counts
 * of exchanges against a queue played by hand, the words of every channel, and the same cycles
 * without data. Prints TAP.
 *
 *   property collective [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/collective/collective.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "collective_oracle.h"
#include "random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX 4096u

struct scene {
    struct cm_config config;
    struct cm_collective_task task;
    struct cm_layout_request request;
    uint32_t nodes, threads;
    bool exact;    /* data that no order rounds */
    bool in_place; /* dst is src */
    bool stored;   /* a whole reduction goes to an array, too */
};

/* What a case works on: the host's arrays. */
struct data {
    struct oracle_value *elements;
    unsigned char *mask, *segments;
    void *src, *dst, *expected, *found;
    uint64_t count;
};

struct tally {
    uint32_t cases, reductions, whole, spreads, scans, plain;
};

static void draw_shape(struct cm_random *random, struct scene *scene)
{
    struct cm_layout_request *request = &scene->request;
    uint64_t room = ELEMENTS_MAX;
    request->rank = 1 + cm_random_below(random, 4);
    for (uint32_t a = 0; a < request->rank; a++) {
        const uint64_t most = room < 64 || cm_random_chance(random, 20) ? room : 64;
        uint64_t length = 1 + cm_random_below(random, (uint32_t)most);
        if (cm_random_chance(random, 40))
            for (length = 1; 2 * length <= most && cm_random_chance(random, 80);)
                length *= 2;
        request->shape[a] = length;
        request->orders[a] = cm_random_chance(random, 50)
                                 ? CM_ORDER_NEWS
                                 : (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
        request->weights[a] = 1 + cm_random_below(random, 3);
        room /= length;
    }
}

static bool is_location(enum cm_collective_op op)
{
    return op == CM_COLLECTIVE_MINLOC || op == CM_COLLECTIVE_MAXLOC;
}

static void draw_operation(struct cm_random *random, struct scene *scene)
{
    struct cm_collective_task *task = &scene->task;
    do {
        task->op = (enum cm_collective_op)cm_random_below(random, CM_COLLECTIVE_OPS);
        scene->request.type = (enum cm_type)cm_random_below(random, CM_TYPE_COUNT);
    } while (task->kind != CM_COLLECTIVE_SPREAD &&
             (cm_collective_result_type(task->op, scene->request.type) == CM_TYPE_COUNT ||
              (task->kind == CM_COLLECTIVE_SCAN && is_location(task->op))));
}

static void draw_scene(struct cm_random *random, const struct cm_config *config,
                       struct scene *scene)
{
    struct cm_collective_task *task = &scene->task;
    struct cm_error err;
    memset(scene, 0, sizeof *scene);
    scene->config = *config;
    if (cm_random_chance(random, 20))
        scene->config.network_channels_per_dimension = 1;
    scene->nodes = UINT32_C(1) << cm_random_below(random, 12);
    scene->threads = 1 + cm_random_below(random, 2);
    const uint32_t kind = cm_random_below(random, 100);
    task->kind = kind < 45   ? CM_COLLECTIVE_REDUCE
                 : kind < 85 ? CM_COLLECTIVE_SCAN
                             : CM_COLLECTIVE_SPREAD;
    draw_shape(random, scene);
    draw_operation(random, scene);
    must(cm_layout_create(&scene->request, scene->nodes, &task->layout, &err), &err);
    const bool reduce = task->kind == CM_COLLECTIVE_REDUCE;
    task->axis = cm_random_below(random, task->layout.rank);
    task->place = (uint64_t)cm_random_below(random, (uint32_t)scene->request.shape[task->axis]);
    if (reduce && cm_random_chance(random, 60))
        task->place = CM_COLLECTIVE_ALL;
    if (reduce && cm_random_chance(random, 40))
        task->axis = CM_COLLECTIVE_WHOLE;
    task->masked = task->kind != CM_COLLECTIVE_SPREAD && cm_random_chance(random, 40);
    if (task->kind == CM_COLLECTIVE_SCAN) {
        task->exclusive = cm_random_chance(random, 50);
        task->downward = cm_random_chance(random, 50);
        task->segmented = cm_random_chance(random, 50);
    }
    scene->exact = cm_random_chance(random, 40);
    scene->stored = cm_random_chance(random, 50);
    scene->in_place = cm_random_chance(random, 30);
}

static enum cm_type result_type(const struct scene *scene)
{
    const struct cm_collective_task *task = &scene->task;
    return task->kind == CM_COLLECTIVE_SPREAD
               ? task->layout.type
               : cm_collective_result_type(task->op, task->layout.type);
}

static double draw_number(struct cm_random *random, const struct scene *scene)
{
    static const double odd[] = {-0.0, 0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30};
    const enum cm_type type = scene->request.type;
    if (type == CM_TYPE_LOGICAL)
        return cm_random_below(random, 2);
    if (scene->exact && scene->task.op == CM_COLLECTIVE_PRODUCT)
        return cm_random_chance(random, 1) ? 2 : cm_random_chance(random, 50) ? 1 : -1;
    if (scene->exact)
        return (double)cm_random_range(random, -8, 8) + 0.0;
    if (type == CM_TYPE_INT32)
        return (double)(int32_t)(uint32_t)cm_random_next(random);
    double x = (double)cm_random_range(random, -1000000, 1000000) / 65537.0;
    if (cm_random_chance(random, 2))
        x = odd[cm_random_below(random, 7)];
    if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64)
        x = (double)(float)x;
    return x;
}

static void put(enum cm_type type, void *array, uint64_t e, struct oracle_value value)
{
    const float single[2] = {(float)value.re, (float)value.im};
    const double wide[2] = {value.re, value.im};
    const int32_t integer = type == CM_TYPE_INT32 ? (int32_t)value.re : 0;
    const size_t bytes = cm_type_host_bytes(type);
    unsigned char *at = (unsigned char *)array + e * bytes;
    if (type == CM_TYPE_LOGICAL)
        *at = value.re != 0;
    else if (type == CM_TYPE_INT32)
        memcpy(at, &integer, bytes);
    else if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64)
        memcpy(at, single, bytes);
    else
        memcpy(at, wide, bytes);
}

/* Whether two elements have the same bits; a NaN equals any NaN. `equal`: or are equal numbers. */
static bool same_part(const unsigned char *a, const unsigned char *b, bool single, bool equal)
{
    float f[2] = {0};
    double d[2] = {0};
    const size_t bytes = single ? 4 : 8;
    memcpy(single ? (void *)&f[0] : (void *)&d[0], a, bytes);
    memcpy(single ? (void *)&f[1] : (void *)&d[1], b, bytes);
    const double x = single ? (double)f[0] : d[0], y = single ? (double)f[1] : d[1];
    return memcmp(a, b, bytes) == 0 || (isnan(x) && isnan(y)) || (equal && x == y);
}

static bool same(enum cm_type type, const void *a, const void *b, uint64_t e, bool equal)
{
    const size_t bytes = cm_type_host_bytes(type);
    const unsigned char *x = (const unsigned char *)a + e * bytes;
    const unsigned char *y = (const unsigned char *)b + e * bytes;
    if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL)
        return memcmp(x, y, bytes) == 0;
    const bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    for (size_t part = 0; part < bytes; part += single ? 4 : 8)
        if (!same_part(x + part, y + part, single, equal))
            return false;
    return true;
}

static void make_data(struct cm_random *random, const struct scene *scene, struct data *data)
{
    const enum cm_type type = scene->request.type;
    const uint64_t count = data->count = scene->task.layout.elements;
    data->elements = calloc(count, sizeof *data->elements);
    data->mask = calloc(count, 1);
    data->segments = calloc(count, 1);
    data->src = calloc(count, 16);
    data->dst = calloc(count, 16);
    data->expected = calloc(count, 16);
    data->found = calloc(count, 16);
    if (!data->elements || !data->mask || !data->segments || !data->src || !data->dst ||
        !data->expected || !data->found)
        die("out of memory");
    const uint32_t share = cm_random_below(random, 101);
    const uint32_t beginnings = cm_random_below(random, 30);
    for (uint64_t e = 0; e < count; e++) {
        struct oracle_value value = {.re = draw_number(random, scene)};
        if (cm_type_components(type) == 2)
            value.im = scene->exact && scene->task.op == CM_COLLECTIVE_PRODUCT
                           ? 0
                           : draw_number(random, scene);
        data->elements[e] = value;
        data->mask[e] = cm_random_chance(random, share);
        data->segments[e] = cm_random_chance(random, beginnings);
        put(type, data->src, e, value);
        put(result_type(scene), data->dst, e, (struct oracle_value){.re = 1, .im = 1});
    }
}

static void free_data(struct data *data)
{
    free(data->elements);
    free(data->mask);
    free(data->segments);
    free(data->src);
    free(data->dst);
    free(data->expected);
    free(data->found);
}

static void describe_array(const struct scene *scene, const struct data *data,
                           struct oracle_array *array)
{
    const struct cm_layout *layout = &scene->task.layout;
    *array = (struct oracle_array){.type = layout->type,
                                   .rank = layout->rank,
                                   .elements = data->elements,
                                   .mask = scene->task.masked ? data->mask : NULL};
    for (uint32_t a = 0; a < layout->rank; a++) {
        array->shape[a] = layout->axes[a].length;
        array->segment[a] = layout->axes[a].local_length;
        array->bits[a] = layout->axes[a].node_bits;
    }
}

static void index_of(const struct cm_layout *layout, uint64_t e, uint64_t *index)
{
    memset(index, 0, 4 * sizeof *index);
    for (uint32_t a = 0; a < layout->rank; a++) {
        index[a] = e % layout->axes[a].length;
        e /= layout->axes[a].length;
    }
}

/* The number of the element at index `place` of the axis, else as e. */
static uint64_t number_at(const struct cm_layout *layout, uint64_t e, uint32_t axis, uint64_t place)
{
    uint64_t index[4], number = 0;
    index_of(layout, e, index);
    index[axis] = place;
    for (uint32_t a = layout->rank; a-- > 0;)
        number = number * layout->axes[a].length + index[a];
    return number;
}

/* What dst holds after a scan. */
static void expect_scan(const struct scene *scene, const struct data *data, bool plain)
{
    const struct cm_collective_task *task = &scene->task;
    const struct cm_layout *layout = &task->layout;
    const struct oracle_scan scan = {task->exclusive, task->downward,
                                     task->segmented ? data->segments : NULL};
    struct oracle_value column[ELEMENTS_MAX];
    struct oracle_array array;
    uint64_t index[4];
    describe_array(scene, data, &array);
    for (uint64_t e = 0; e < data->count; e++) {
        index_of(layout, e, index);
        if (index[task->axis] != 0)
            continue;
        if (plain)
            oracle_scan_plain(&array, task->op, task->axis, index, &scan, column);
        else
            oracle_scan_column(&array, task->op, task->axis, index, &scan, column);
        for (uint64_t i = 0; i < layout->axes[task->axis].length; i++)
            put(result_type(scene), data->expected, number_at(layout, e, task->axis, i), column[i]);
    }
}

/* What dst holds after a reduction along an axis or a spread; `plain`: in plain order. */
static void expect(const struct scene *scene, const struct data *data, bool plain)
{
    const struct cm_collective_task *task = &scene->task;
    const struct cm_layout *layout = &task->layout;
    const size_t bytes = cm_type_host_bytes(result_type(scene));
    struct oracle_array array;
    uint64_t index[4];
    if (task->kind == CM_COLLECTIVE_SCAN) {
        expect_scan(scene, data, plain);
        return;
    }
    describe_array(scene, data, &array);
    memcpy(data->expected, scene->in_place ? data->src : data->dst, data->count * bytes);
    for (uint64_t e = 0; e < data->count; e++) {
        index_of(layout, e, index);
        const uint64_t first = number_at(layout, e, task->axis, 0);
        if (task->kind == CM_COLLECTIVE_SPREAD) {
            put(layout->type, data->expected, e,
                data->elements[number_at(layout, e, task->axis, task->place)]);
        } else if (index[task->axis] == 0) {
            struct oracle_value value = plain ? oracle_plain(&array, task->op, task->axis, index)
                                              : oracle_column(&array, task->op, task->axis, index);
            if (is_location(task->op))
                value.re = (double)value.at;
            const bool all = task->place == CM_COLLECTIVE_ALL;
            put(result_type(scene), data->expected,
                all ? e : number_at(layout, e, task->axis, task->place), value);
        } else if (task->place == CM_COLLECTIVE_ALL) {
            memcpy((char *)data->expected + e * bytes, (char *)data->expected + first * bytes,
                   bytes);
        }
    }
}

/* The machine's side of a case. */
struct made {
    struct cm_system *system;
    struct cm_array *src, *dst, *mask, *segments;
    struct cm_collective *collective;
};

static void make(const struct scene *scene, const struct data *data, bool timing_only,
                 struct made *made)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = scene->threads, .timing_only = timing_only};
    const bool whole = scene->task.axis == CM_COLLECTIVE_WHOLE;
    struct cm_layout_request request = scene->request;
    struct cm_layout layout = scene->task.layout;
    struct cm_error err;
    memset(made, 0, sizeof *made);
    must(cm_system_create(&scene->config, &options, &made->system, &err), &err);
    must(cm_array_create(made->system, "src", &layout, &made->src, &err), &err);
    must(cm_array_scatter(made->system, made->src, data->src, &err), &err);
    request.type = CM_TYPE_LOGICAL;
    must(cm_layout_create(&request, scene->nodes, &layout, &err), &err);
    must(cm_array_create(made->system, "mask", &layout, &made->mask, &err), &err);
    must(cm_array_scatter(made->system, made->mask, data->mask, &err), &err);
    must(cm_array_create(made->system, "segments", &layout, &made->segments, &err), &err);
    must(cm_array_scatter(made->system, made->segments, data->segments, &err), &err);
    request.type = result_type(scene);
    if (whole) {
        request.rank = 1;
        request.shape[0] = 1;
    }
    must(cm_layout_create(&request, scene->nodes, &layout, &err), &err);
    if (!scene->in_place || whole) {
        must(cm_array_create(made->system, "dst", &layout, &made->dst, &err), &err);
        must(cm_array_scatter(made->system, made->dst, data->dst, &err), &err);
    }
    must(cm_collective_setup(made->system, &scene->task, &made->collective, &err), &err);
}

static void unmake(struct made *made)
{
    cm_collective_deallocate(made->system, made->collective);
    cm_array_destroy(made->system, made->src);
    cm_array_destroy(made->system, made->dst);
    cm_array_destroy(made->system, made->mask);
    cm_array_destroy(made->system, made->segments);
    cm_system_destroy(made->system);
}

static void call(const struct scene *scene, const struct made *made,
                 struct cm_collective_value *value)
{
    const bool whole = scene->task.axis == CM_COLLECTIVE_WHOLE;
    struct cm_collective_arrays arrays = {
        .src = made->src, .mask = made->mask, .segments = made->segments};
    struct cm_error err;
    arrays.dst = made->dst ? made->dst : made->src;
    if (whole && !scene->stored)
        arrays.dst = NULL;
    must(cm_collective_call(made->system, made->collective, &arrays, value, &err), &err);
}

static bool judge_array(const struct scene *scene, const struct data *data, bool plain)
{
    expect(scene, data, plain);
    for (uint64_t e = 0; e < data->count; e++)
        if (!same(result_type(scene), data->expected, data->found, e, plain)) {
            printf("# element %" PRIu64 " is wrong%s\n", e, plain ? " in plain order" : "");
            return false;
        }
    return true;
}

static bool judge_whole(const struct scene *scene, const struct data *data,
                        const struct cm_collective_value *value, bool plain)
{
    const struct cm_collective_task *task = &scene->task;
    struct oracle_array array;
    unsigned char found[16], expected[16];
    describe_array(scene, data, &array);
    struct oracle_value wanted =
        plain ? oracle_plain(&array, task->op, task->axis, NULL) : oracle_whole(&array, task->op);
    if (is_location(task->op) && wanted.at > 0) {
        const size_t bytes = cm_type_host_bytes(task->layout.type);
        const char *at = (const char *)data->src + (uint64_t)(wanted.at - 1) * bytes;
        if (memcmp(at, value->extreme.words, bytes) != 0) {
            printf("# the extreme is wrong\n");
            return false;
        }
    }
    if (is_location(task->op))
        wanted.re = (double)wanted.at;
    put(value->type, expected, 0, wanted);
    memcpy(found, value->bits.words, sizeof found);
    bool good = value->type == result_type(scene) && same(value->type, expected, found, 0, plain);
    if (good && scene->stored)
        good = same(value->type, expected, data->found, 0, plain);
    if (!good)
        printf("# the value is wrong%s\n", plain ? " in plain order" : "");
    return good;
}

static bool judge(const struct scene *scene, const struct data *data,
                  const struct cm_collective_value *value, bool plain)
{
    return scene->task.axis == CM_COLLECTIVE_WHOLE ? judge_whole(scene, data, value, plain)
                                                   : judge_array(scene, data, plain);
}

/* No channel carries more words than there are exchanges; the counters say what the setup did. */
static bool judge_counts(const struct made *made, const struct cm_counters *counters)
{
    const struct cm_collective_info info = cm_collective_info(made->collective);
    struct cm_machine *machine = cm_system_machine(made->system);
    const uint32_t nodes = cm_machine_nodes(machine), dimensions = cm_machine_dimensions(machine);
    uint64_t *words = calloc((size_t)nodes * dimensions * 2 + 1, sizeof *words);
    struct cm_error err;
    if (!words)
        die("out of memory");
    must(cm_machine_channel_words(machine, words, &err), &err);
    bool good = counters->exchanges == info.exchanges;
    for (uint64_t i = 0; i < (uint64_t)nodes * dimensions * 2; i++)
        good = good && words[i] <= info.exchanges;
    free(words);
    if (!good)
        printf("# %" PRIu64 " exchanges, the setup says %" PRIu64 "\n", counters->exchanges,
               info.exchanges);
    return good;
}

static void print_scene(const struct scene *scene)
{
    static const char *const kinds[] = {"reduce", "spread", "scan"};
    const struct cm_collective_task *task = &scene->task;
    printf("# %s %s of %s on %" PRIu32 " nodes, axis %d, place %" PRId64 "%s%s%s%s%s%s; shape",
           kinds[task->kind], cm_collective_op_name(task->op), cm_type_name(task->layout.type),
           scene->nodes, (int)task->axis, (int64_t)task->place, task->masked ? ", masked" : "",
           scene->in_place ? ", in place" : "", scene->exact ? ", exact" : "",
           task->exclusive ? ", exclusive" : "", task->downward ? ", downward" : "",
           task->segmented ? ", segmented" : "");
    for (uint32_t a = 0; a < task->layout.rank; a++)
        printf(" %" PRIu64 " %s (%" PRIu64 " x 2^%" PRIu32 ")", task->layout.axes[a].length,
               cm_order_name(task->layout.axes[a].order), task->layout.axes[a].local_length,
               task->layout.axes[a].node_bits);
    printf("\n");
}

/* Whether plain order gives the same numbers: nothing rounds, or all is modulo 2^32. */
static bool is_plain(const struct scene *scene)
{
    const bool real =
        scene->request.type != CM_TYPE_INT32 && scene->request.type != CM_TYPE_LOGICAL;
    return scene->task.kind != CM_COLLECTIVE_SPREAD && (scene->exact || !real);
}

static bool run_case(struct cm_random *random, const struct cm_config *config, struct tally *tally)
{
    struct scene scene;
    struct data data;
    struct made made, timed;
    struct cm_collective_value value, nothing;
    struct cm_error err;
    draw_scene(random, config, &scene);
    const bool whole = scene.task.axis == CM_COLLECTIVE_WHOLE;
    scene.in_place = scene.in_place && !whole && result_type(&scene) == scene.request.type;
    make_data(random, &scene, &data);
    make(&scene, &data, false, &made);
    make(&scene, &data, true, &timed);
    call(&scene, &made, &value);
    call(&scene, &timed, &nothing);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(made.system));
    const struct cm_counters dry = cm_machine_counters(cm_system_machine(timed.system));
    must(cm_array_gather(made.system, made.dst ? made.dst : made.src, data.found, &err), &err);
    bool good = judge(&scene, &data, &value, false);
    if (good && is_plain(&scene)) {
        good = judge(&scene, &data, &value, true);
        tally->plain++;
    }
    good = judge_counts(&made, &counters) && good;
    if (memcmp(&counters, &dry, sizeof counters) != 0) {
        printf("# without data: %" PRIu64 " cycles instead of %" PRIu64 "\n", dry.cycles,
               counters.cycles);
        good = false;
    }
    if (!good)
        print_scene(&scene);
    tally->cases++;
    tally->whole += whole;
    tally->scans += scene.task.kind == CM_COLLECTIVE_SCAN;
    tally->spreads += scene.task.kind == CM_COLLECTIVE_SPREAD;
    tally->reductions += scene.task.kind == CM_COLLECTIVE_REDUCE && !whole;
    unmake(&made);
    unmake(&timed);
    free_data(&data);
    return good;
}

/*
 * Exchanges by playing: groups of items wait before each dimension of the cube; a step moves the
 * first that waits at each, and those that rest wait from the next but one on. An exchange carries
 * `channels` words over a dimension.
 */
static uint64_t play(uint64_t values, uint32_t words, uint32_t dimensions, uint32_t channels,
                     bool rest)
{
    uint64_t waiting[17] = {0}, resting[17] = {0}, exchanges = 0;
    uint64_t together = 1;
    while (together * words % channels != 0 && together < values)
        together++;
    for (uint64_t left = values; left > 0; left -= left < together ? left : together)
        waiting[0]++;
    if (dimensions == 0)
        return 0;
    for (uint64_t arrived = 0, all = waiting[0]; arrived < all;) {
        uint64_t moves[17] = {0};
        for (uint32_t d = 0; d < dimensions; d++)
            moves[d] = waiting[d] > 0;
        for (uint32_t d = 0; d < dimensions; d++) {
            const bool stops = rest && d + 1 < dimensions;
            waiting[d] -= moves[d];
            waiting[d + 1] += stops ? resting[d + 1] : moves[d];
            resting[d + 1] = stops ? moves[d] : 0;
        }
        arrived = waiting[dimensions];
        for (uint64_t sent = 0; sent < together * words; sent += channels)
            exchanges++;
    }
    return exchanges;
}

/* The words that each node sent over each dimension: all items, in whole groups. */
static bool channels_agree(struct cm_system *system, uint64_t words_a_dimension, uint64_t exchanges)
{
    struct cm_machine *machine = cm_system_machine(system);
    const uint32_t nodes = cm_machine_nodes(machine), dimensions = cm_machine_dimensions(machine);
    uint64_t *words = calloc((size_t)nodes * dimensions * 2 + 1, sizeof *words);
    struct cm_error err;
    bool good = true;
    if (!words)
        die("out of memory");
    must(cm_machine_channel_words(machine, words, &err), &err);
    for (uint64_t i = 0; i < (uint64_t)nodes * dimensions; i++)
        good = good && words[2 * i] + words[2 * i + 1] == words_a_dimension &&
               words[2 * i] <= exchanges && words[2 * i + 1] <= words[2 * i];
    free(words);
    return good;
}

/* Makes the task of a count: `values` values of each node along an axis over all nodes. */
static struct cm_collective_task task_of(enum cm_collective_kind kind, enum cm_type type,
                                         uint32_t nodes, uint64_t values)
{
    const struct cm_layout_request request = {.type = type,
                                              .rank = 2,
                                              .shape = {values, nodes},
                                              .orders = {CM_ORDER_SERIAL, CM_ORDER_NEWS},
                                              .weights = {1, 1}};
    struct cm_collective_task task = {.kind = kind, .axis = 1, .place = 0};
    struct cm_error err;
    must(cm_layout_create(&request, nodes, &task.layout, &err), &err);
    return task;
}

/* Runs a task on its own machine. Sets whether channels carried their shares of the words. */
static struct cm_counters run_counted(const struct cm_config *config,
                                      const struct cm_collective_task *task, uint32_t nodes,
                                      uint64_t words_a_dimension, bool *agree)
{
    const struct cm_machine_options options = {.nodes = nodes, .threads = 1};
    struct cm_system *system;
    struct cm_array *array;
    struct cm_collective *collective;
    struct cm_error err;
    must(cm_system_create(config, &options, &system, &err), &err);
    must(cm_array_create(system, "a", &task->layout, &array, &err), &err);
    must(cm_collective_setup(system, task, &collective, &err), &err);
    const struct cm_collective_arrays arrays = {.dst = array, .src = array};
    must(cm_collective_call(system, collective, &arrays, NULL, &err), &err);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(system));
    *agree = channels_agree(system, words_a_dimension, counters.exchanges);
    cm_collective_deallocate(system, collective);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
    return counters;
}

/* Compares the exchanges of a task with the pipeline played. If exchanges overlap, the pipeline may
 * rest between dimensions, but must not take more cycles than without overlap. */
static bool count_one(const struct cm_config *config, enum cm_collective_kind kind,
                      enum cm_type type, uint32_t dimensions, uint64_t values)
{
    const uint32_t nodes = UINT32_C(1) << dimensions, words = cm_type_slices(type);
    const uint32_t channels = config->network_channels_per_dimension;
    const struct cm_collective_task task = task_of(kind, type, nodes, values);
    uint64_t together = 1;
    while (together * words % channels != 0 && together < values)
        together++;
    const uint64_t groups = (values + together - 1) / together;
    const uint64_t words_a_dimension = groups * together * words;
    bool agree;
    const struct cm_counters counters =
        run_counted(config, &task, nodes, words_a_dimension, &agree);
    const uint64_t played = play(values, words, dimensions, channels, false);
    bool good = agree && played == cm_collective_exchanges(values, words, dimensions, channels);
    if (config->exchange_overlap == 0) {
        good = good && counters.exchanges == played;
    } else {
        struct cm_config plain = *config;
        plain.exchange_overlap = 0;
        const bool may_rest = dimensions > 1 && groups >= (uint64_t)2 * dimensions;
        good =
            good &&
            (counters.exchanges == played ||
             (may_rest && counters.exchanges == play(values, words, dimensions, channels, true)));
        good = run_counted(&plain, &task, nodes, words_a_dimension, &agree).cycles >=
                   counters.cycles &&
               agree && good;
    }
    if (!good)
        printf("# %" PRIu64 " values of %s over %" PRIu32 " dimensions: %" PRIu64
               " exchanges in %" PRIu64 " cycles, %" PRIu64 " by play\n",
               values, cm_type_name(type), dimensions, counters.exchanges, counters.cycles, played);
    return good;
}

static bool check_counts(const struct cm_config *config)
{
    static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_COMPLEX128};
    static const uint64_t values[] = {1, 2, 3, 7, 8, 16, 33};
    bool good = true;
    for (uint32_t channels = 1; channels <= 2; channels++) {
        struct cm_config machine = *config;
        machine.network_channels_per_dimension = channels;
        for (uint32_t d = 1; d <= 8; d++)
            for (uint32_t t = 0; t < 3; t++)
                for (uint32_t k = 0; k < 7; k++)
                    for (uint32_t kind = 0; kind < 3; kind++)
                        good = count_one(&machine, (enum cm_collective_kind)kind, types[t], d,
                                         values[k]) &&
                               good;
    }
    return good;
}

/* One value of two words: as many exchanges as the cube has dimensions. */
static bool check_one_value(const struct cm_config *config)
{
    bool good = true;
    for (uint32_t d = 0; d <= 8; d++)
        good = good && cm_collective_exchanges(1, 2, d, 2) == d &&
               count_one(config, CM_COLLECTIVE_REDUCE, CM_TYPE_REAL64, d, 1);
    return good;
}

CM_PROGRAM(collective)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 800, .seed = 20261122};
    struct tally tally = {0};
    struct cm_config config;
    bool good = true;
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..3\n# seed %" PRIu64 "\n", options.seed);
    for (uint64_t i = 0; i < options.cases && good; i++) {
        struct cm_random random = cm_random_of_case(options.seed, i);
        good = tap_case(&options, i, run_case(&random, &config, &tally));
    }
    printf("# %" PRIu32 " cases: %" PRIu32 " along an axis, %" PRIu32 " whole, %" PRIu32
           " spreads, %" PRIu32 " scans; %" PRIu32 " in plain order too\n",
           tally.cases, tally.reductions, tally.whole, tally.spreads, tally.scans, tally.plain);
    tap_report(1, good, "random reductions, scans and spreads equal the oracle");
    const bool counts = check_counts(&config), one = check_one_value(&config);
    tap_report(2, counts, "exchanges and words of channels equal those of the pipeline played");
    tap_report(3, one, "one value of two words takes an exchange a dimension");
    return good && counts && one ? 0 : 1;
}
