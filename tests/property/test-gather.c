/*
 * Random gets and sends on the machine, element by element against loops over the host's arrays:
 * every type and operation, ranks 1 to 4, all orders, padded lengths, masks, collisions; packets
 * and words against counts by hand, the same cycles without data, and subscripts that are out of
 * range. Prints TAP.
 *
 *   property gather [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/gather/gather.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include <math.h>

#define ELEMENTS_MAX 2048u

struct scene {
    struct cm_config config;
    struct cm_gather_task task;
    struct cm_layout_request dst, src;
    uint32_t nodes, threads;
    bool faulty; /* a subscript is out of range */
};

/* The host's arrays. */
struct data {
    unsigned char *src, *dst, *expected, *found, *mask;
    int32_t *subscripts[CM_RANK_MAX];
    uint64_t elements, collisions, words; /* counted by the oracle */
};

struct tally {
    uint32_t cases, gets, sends, collided, faulty;
};

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (!memory)
        die("out of memory");
    return memory;
}

static void draw_shape(struct cm_random *random, struct cm_layout_request *request)
{
    uint64_t left = cm_random_chance(random, 10) ? ELEMENTS_MAX : 300;
    request->rank = 1 + cm_random_below(random, 4);
    for (uint32_t a = 0; a < request->rank; a++) {
        request->shape[a] = 1 + cm_random_below(random, (uint32_t)(left < 40 ? left : 40));
        if (cm_random_chance(random, 20))
            request->shape[a] = 1 + cm_random_below(random, (uint32_t)left);
        request->orders[a] = cm_random_chance(random, 50)
                                 ? CM_ORDER_NEWS
                                 : (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
        request->weights[a] = 1 + cm_random_below(random, 3);
        left /= request->shape[a];
    }
}

static void draw_scene(struct cm_random *random, const struct cm_config *config,
                       struct scene *scene)
{
    struct cm_gather_task *task = &scene->task;
    struct cm_error err;
    memset(scene, 0, sizeof *scene);
    scene->config = *config;
    if (cm_random_chance(random, 20))
        scene->config.network_channels_per_dimension = 1;
    scene->nodes = UINT32_C(1) << cm_random_below(random, cm_random_chance(random, 30) ? 12 : 7);
    scene->threads = 1 + cm_random_below(random, 2);
    draw_shape(random, &scene->src);
    draw_shape(random, &scene->dst);
    task->kind = cm_random_chance(random, 40) ? CM_GATHER_GET : CM_GATHER_SEND;
    do {
        task->op = (enum cm_gather_op)cm_random_below(random, CM_GATHER_OPS);
        scene->src.type = scene->dst.type = (enum cm_type)cm_random_below(random, CM_TYPE_COUNT);
    } while (!cm_gather_takes(task->op, scene->src.type));
    task->masked = cm_random_chance(random, 40);
    task->first = cm_random_below(random, 2);
    scene->faulty = cm_random_chance(random, 8);
    must(cm_layout_create(&scene->src, scene->nodes, &task->src, &err), &err);
    must(cm_layout_create(&scene->dst, scene->nodes, &task->dst, &err), &err);
}

static const struct cm_layout *indexed(const struct scene *scene)
{
    return scene->task.kind == CM_GATHER_GET ? &scene->task.src : &scene->task.dst;
}

static const struct cm_layout *indexing(const struct scene *scene)
{
    return scene->task.kind == CM_GATHER_GET ? &scene->task.dst : &scene->task.src;
}

static void draw_element(struct cm_random *random, enum cm_type type, unsigned char *at)
{
    static const double odd[] = {-0.0, 0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30};
    const uint32_t parts = cm_type_components(type), bytes = cm_type_host_bytes(type) / parts;
    for (uint32_t part = 0; part < parts; part++, at += bytes) {
        double wide = (double)cm_random_range(random, -1000000, 1000000) / 65537.0;
        if (cm_random_chance(random, 3))
            wide = odd[cm_random_below(random, 7)];
        const float single = (float)wide;
        const int32_t integer = (int32_t)(uint32_t)cm_random_next(random);
        if (type == CM_TYPE_LOGICAL)
            *at = (unsigned char)cm_random_below(random, 2);
        else if (type == CM_TYPE_INT32)
            memcpy(at, &integer, bytes);
        else if (bytes == 4)
            memcpy(at, &single, bytes);
        else
            memcpy(at, &wide, bytes);
    }
}

static void draw_elements(struct cm_random *random, const struct cm_layout *layout,
                          unsigned char *elements)
{
    for (uint64_t e = 0; e < layout->elements; e++)
        draw_element(random, layout->type, elements + e * cm_type_host_bytes(layout->type));
}

/* Anywhere, or at few places, so that many elements meet. */
static void draw_subscripts(struct cm_random *random, const struct scene *scene, struct data *data)
{
    const uint64_t count = indexing(scene)->elements;
    const bool few = cm_random_chance(random, 30);
    for (uint32_t a = 0; a < indexed(scene)->rank; a++) {
        const uint64_t length = indexed(scene)->axes[a].length;
        data->subscripts[a] = room(count, sizeof *data->subscripts[a]);
        for (uint64_t e = 0; e < count; e++)
            data->subscripts[a][e] =
                (int32_t)(scene->task.first +
                          cm_random_below(random, (uint32_t)(few && length > 2 ? 2 : length)));
    }
}

/* One subscript below or above, of an element that takes part. */
static void spoil(struct cm_random *random, const struct scene *scene, struct data *data)
{
    const uint32_t a = cm_random_below(random, indexed(scene)->rank);
    const uint64_t e = cm_random_below(random, (uint32_t)indexing(scene)->elements);
    const int64_t first = scene->task.first;
    const int64_t wrong =
        cm_random_chance(random, 50) ? first - 1 : first + (int64_t)indexed(scene)->axes[a].length;
    data->subscripts[a][e] = (int32_t)(cm_random_chance(random, 20) ? INT32_MIN : wrong);
    data->mask[e] = 1;
}

static void make_data(struct cm_random *random, const struct scene *scene, struct data *data)
{
    const struct cm_gather_task *task = &scene->task;
    const uint64_t count = indexing(scene)->elements;
    const uint32_t share = cm_random_below(random, 101);
    memset(data, 0, sizeof *data);
    data->src = room(task->src.elements, 16);
    data->dst = room(task->dst.elements, 16);
    data->expected = room(task->dst.elements, 16);
    data->found = room(task->dst.elements, 16);
    data->mask = room(count, 1);
    draw_elements(random, &task->src, data->src);
    draw_elements(random, &task->dst, data->dst);
    for (uint64_t e = 0; e < count; e++)
        data->mask[e] = cm_random_chance(random, share);
    draw_subscripts(random, scene, data);
    if (scene->faulty)
        spoil(random, scene, data);
}

static void free_data(struct data *data)
{
    free(data->src);
    free(data->dst);
    free(data->expected);
    free(data->found);
    free(data->mask);
    for (uint32_t a = 0; a < CM_RANK_MAX; a++)
        free(data->subscripts[a]);
}

static double real_of(const unsigned char *at, bool single)
{
    float narrow;
    double wide;
    memcpy(&narrow, at, sizeof narrow);
    if (single)
        return (double)narrow;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* The sum of two singles is exact in double, up to its rounding to single. */
static void combine_real(enum cm_gather_op op, unsigned char *there, const unsigned char *came,
                         bool single)
{
    const double a = real_of(there, single), b = real_of(came, single);
    const double result = op == CM_GATHER_ADD   ? a + b
                          : op == CM_GATHER_MIN ? (a < b) ? a : b
                          : (a > b)             ? a
                                                : b;
    const float narrow = (float)result;
    if (single)
        memcpy(there, &narrow, sizeof narrow);
    else
        memcpy(there, &result, sizeof result);
}

static void combine(enum cm_gather_op op, enum cm_type type, unsigned char *there,
                    const unsigned char *came)
{
    const size_t bytes = cm_type_host_bytes(type);
    const bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    int32_t a = *there, b = *came;
    if (op == CM_GATHER_OVERWRITE) {
        memcpy(there, came, bytes);
        return;
    }
    if (type != CM_TYPE_INT32 && type != CM_TYPE_LOGICAL) {
        for (size_t at = 0; at < bytes; at += single ? 4 : 8)
            combine_real(op, there + at, came + at, single);
        return;
    }
    if (type == CM_TYPE_INT32) {
        memcpy(&a, there, bytes);
        memcpy(&b, came, bytes);
    }
    const int64_t sum = (int64_t)a + b;
    const uint32_t results[CM_GATHER_OPS] = {
        [CM_GATHER_ADD] = (uint32_t)(uint64_t)sum,   [CM_GATHER_MIN] = (uint32_t)(a < b ? a : b),
        [CM_GATHER_MAX] = (uint32_t)(a > b ? a : b), [CM_GATHER_AND] = (uint32_t)a & (uint32_t)b,
        [CM_GATHER_OR] = (uint32_t)a | (uint32_t)b,  [CM_GATHER_XOR] = (uint32_t)a ^ (uint32_t)b,
    };
    if (type == CM_TYPE_LOGICAL)
        *there = (unsigned char)results[op];
    else
        memcpy(there, &results[op], bytes);
}

static void index_of(const struct cm_layout *layout, uint64_t e, uint64_t *index)
{
    for (uint32_t a = 0; a < layout->rank; a++) {
        index[a] = e % layout->axes[a].length;
        e /= layout->axes[a].length;
    }
}

/* Channels that an element crosses to all copies of the destination; a source of which every node
 * has a copy is there already. */
static uint64_t hops_of(const struct cm_gather_task *task, const uint64_t *from, const uint64_t *to)
{
    uint32_t source, first;
    uint64_t local, hops = 0;
    cm_layout_place(&task->src, from, &source, &local);
    cm_layout_place(&task->dst, to, &first, &local);
    for (uint32_t node = 0; node < task->dst.nodes; node++)
        if ((node & ((UINT32_C(1) << task->dst.used_bits) - 1)) == first &&
            task->src.used_bits == task->src.node_bits)
            hops += (uint64_t)__builtin_popcount(node ^ source);
    return hops;
}

/* What dst holds, in the order of the elements; counts what crosses channels. */
static void evaluate(const struct scene *scene, struct data *data)
{
    const struct cm_gather_task *task = &scene->task;
    const size_t bytes = cm_type_host_bytes(task->src.type);
    unsigned char *taken = room(task->dst.elements, 1);
    memcpy(data->expected, data->dst, task->dst.elements * bytes);
    for (uint64_t e = 0; e < indexing(scene)->elements; e++) {
        uint64_t own[CM_RANK_MAX], other[CM_RANK_MAX], number = 0;
        if (task->masked && !data->mask[e])
            continue;
        for (uint32_t a = indexed(scene)->rank; a-- > 0;) {
            other[a] = (uint64_t)data->subscripts[a][e] - task->first;
            number = number * indexed(scene)->axes[a].length + other[a];
        }
        index_of(indexing(scene), e, own);
        data->elements++;
        if (task->kind == CM_GATHER_GET) {
            memcpy(data->expected + e * bytes, data->src + number * bytes, bytes);
            data->words += hops_of(task, other, own) * (1 + task->src.slices);
            continue;
        }
        combine(task->op, task->dst.type, data->expected + number * bytes, data->src + e * bytes);
        data->words += hops_of(task, own, other) * task->src.slices;
        data->collisions += taken[number];
        taken[number] = 1;
    }
    free(taken);
}

/* The machine's side of a case. */
struct made {
    struct cm_system *system;
    struct cm_gather_arrays arrays;
    struct cm_array *made[CM_RANK_MAX + 3];
    uint32_t count;
    struct cm_gather *gather;
};

static struct cm_array *make_array(struct made *made, const char *name,
                                   const struct cm_layout *layout, enum cm_type type, bool held,
                                   const void *elements)
{
    struct cm_layout own = *layout;
    struct cm_array *array;
    struct cm_error err;
    own.type = type;
    own.slices = cm_type_slices(type);
    own.local_words = own.local_elements * own.slices;
    must(cm_array_create(made->system, name, &own, &array, &err), &err);
    array->held = held;
    must(cm_array_scatter(made->system, array, elements, &err), &err);
    made->made[made->count++] = array;
    return array;
}

static void make(const struct scene *scene, const struct data *data, bool timing_only,
                 struct made *made)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = scene->threads, .timing_only = timing_only};
    const struct cm_gather_task *task = &scene->task;
    struct cm_error err;
    memset(made, 0, sizeof *made);
    must(cm_system_create(&scene->config, &options, &made->system, &err), &err);
    made->arrays.src = make_array(made, "src", &task->src, task->src.type, false, data->src);
    made->arrays.dst = make_array(made, "dst", &task->dst, task->dst.type, false, data->dst);
    for (uint32_t a = 0; a < indexed(scene)->rank; a++)
        made->arrays.subscripts[a] = make_array(made, "subscript", indexing(scene), CM_TYPE_INT32,
                                                true, data->subscripts[a]);
    if (task->masked)
        made->arrays.mask =
            make_array(made, "mask", indexing(scene), CM_TYPE_LOGICAL, true, data->mask);
    must(cm_gather_setup(made->system, task, &made->gather, &err), &err);
}

static void unmake(struct made *made)
{
    cm_gather_deallocate(made->gather);
    for (uint32_t i = 0; i < made->count; i++)
        cm_array_destroy(made->system, made->made[i]);
    cm_system_destroy(made->system);
}

static bool same(enum cm_type type, const unsigned char *a, const unsigned char *b)
{
    const bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    const size_t bytes = cm_type_host_bytes(type), part = single ? 4 : 8;
    if (memcmp(a, b, bytes) == 0)
        return true;
    for (size_t at = 0; at < bytes; at += part) {
        if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL)
            return false;
        if (memcmp(a + at, b + at, part) != 0 &&
            !(isnan(real_of(a + at, single)) && isnan(real_of(b + at, single))))
            return false;
    }
    return true;
}

static bool judge_data(const struct scene *scene, struct data *data, const struct made *made)
{
    const enum cm_type type = scene->task.dst.type;
    const size_t bytes = cm_type_host_bytes(type);
    struct cm_error err;
    must(cm_array_gather(made->system, made->arrays.dst, data->found, &err), &err);
    for (uint64_t e = 0; e < scene->task.dst.elements; e++)
        if (!same(type, data->expected + e * bytes, data->found + e * bytes)) {
            printf("# element %" PRIu64 " of the destination is wrong\n", e);
            return false;
        }
    return true;
}

static bool judge_counts(const struct scene *scene, const struct data *data,
                         const struct made *made, const struct cm_counters *counters)
{
    const struct cm_gather_info info = cm_gather_info(made->gather);
    const uint64_t copies = scene->nodes >> scene->task.dst.used_bits;
    const uint64_t packets = data->elements * copies * (scene->task.kind == CM_GATHER_GET ? 2 : 1);
    const bool good = info.elements == data->elements && info.packets == packets &&
                      info.collisions == data->collisions && counters->words_sent == data->words;
    if (!good)
        printf("# %" PRIu64 " elements, %" PRIu64 " packets, %" PRIu64 " collisions, %" PRIu64
               " words; by hand %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
               info.elements, info.packets, info.collisions, counters->words_sent, data->elements,
               packets, data->collisions, data->words);
    return good;
}

static void print_scene(const struct scene *scene)
{
    const struct cm_gather_task *task = &scene->task;
    printf("# %s %s of %s on %" PRIu32 " nodes%s%s, from %" PRIu32 ":",
           task->kind == CM_GATHER_GET ? "get" : "send", cm_gather_op_name(task->op),
           cm_type_name(task->dst.type), scene->nodes, task->masked ? ", masked" : "",
           scene->faulty ? ", faulty" : "", task->first);
    for (uint32_t side = 0; side < 2; side++) {
        const struct cm_layout *layout = side == 0 ? &task->src : &task->dst;
        for (uint32_t a = 0; a < layout->rank; a++)
            printf(" %" PRIu64 " %s (%" PRIu64 " x 2^%" PRIu32 ")", layout->axes[a].length,
                   cm_order_name(layout->axes[a].order), layout->axes[a].local_length,
                   layout->axes[a].node_bits);
        printf(side == 0 ? " ->" : "\n");
    }
}

/* A fault changes nothing and costs nothing. */
static bool judge_fault(const struct scene *scene, struct data *data, struct made *made)
{
    struct cm_error err;
    const enum cm_status status = cm_gather_call(made->system, made->gather, &made->arrays, &err);
    memcpy(data->expected, data->dst,
           scene->task.dst.elements * cm_type_host_bytes(scene->task.dst.type));
    const bool good = status == CM_FAULT && strstr(err.message, "has indices") != NULL &&
                      cm_machine_counters(cm_system_machine(made->system)).cycles == 0;
    if (!good)
        printf("# a subscript out of range is not a fault\n");
    return judge_data(scene, data, made) && good;
}

static bool judge(const struct scene *scene, struct data *data, struct made *made,
                  struct made *timed)
{
    struct cm_error err;
    if (scene->faulty)
        return judge_fault(scene, data, made);
    must(cm_gather_call(made->system, made->gather, &made->arrays, &err), &err);
    must(cm_gather_call(timed->system, timed->gather, &timed->arrays, &err), &err);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(made->system));
    const struct cm_counters dry = cm_machine_counters(cm_system_machine(timed->system));
    evaluate(scene, data);
    bool good = judge_data(scene, data, made);
    good = judge_counts(scene, data, made, &counters) && good;
    if (memcmp(&counters, &dry, sizeof counters) != 0) {
        printf("# without data: %" PRIu64 " cycles instead of %" PRIu64 "\n", dry.cycles,
               counters.cycles);
        good = false;
    }
    return good;
}

static bool run_case(struct cm_random *random, const struct cm_config *config, struct tally *tally)
{
    struct scene scene;
    struct data data;
    struct made made, timed;
    draw_scene(random, config, &scene);
    make_data(random, &scene, &data);
    make(&scene, &data, false, &made);
    make(&scene, &data, true, &timed);
    const bool good = judge(&scene, &data, &made, &timed);
    if (!good)
        print_scene(&scene);
    tally->cases++;
    tally->gets += scene.task.kind == CM_GATHER_GET;
    tally->sends += scene.task.kind == CM_GATHER_SEND;
    tally->collided += data.collisions > 0;
    tally->faulty += scene.faulty;
    unmake(&made);
    unmake(&timed);
    free_data(&data);
    return good;
}

CM_PROGRAM(gather)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 600, .seed = 20261124};
    struct tally tally = {0};
    struct cm_config config;
    bool good = true;
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..1\n# seed %" PRIu64 "\n", options.seed);
    for (uint64_t i = 0; good && i < options.cases; i++) {
        struct cm_random random = cm_random_of_case(options.seed, i);
        good = tap_case(&options, i, run_case(&random, &config, &tally));
    }
    printf("# %" PRIu32 " cases: %" PRIu32 " gets, %" PRIu32 " sends, of which %" PRIu32
           " with collisions; %" PRIu32 " with a subscript out of range\n",
           tally.cases, tally.gets, tally.sends, tally.collided, tally.faulty);
    tap_report(1, good, "random gets and sends equal loops over the host's arrays");
    return good ? 0 : 1;
}
