/*
 * Random transposes on the machine, element by element against loops over the host's arrays: every
 * type, rank, order and length, by exchanges and by the router, in place and not; the exchanges
 * against the setup's number and the counts that docs/programs/transpose.md derives, the words of
 * every channel, and the same cycles without data. Prints TAP.
 *
 *   property transpose [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/transpose/transpose.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#define ELEMENTS_MAX 16384u

struct scene {
    struct cm_config config;
    struct cm_transpose_task task;
    struct cm_layout_request src, dst;
    uint32_t nodes, threads;
    bool in_place;
};

struct tally {
    uint32_t cases, exchanges, met, near, routed, in_place, refused;
};

static void draw_axis(struct cm_random *random, struct cm_layout_request *request, uint32_t a,
                      bool powers, uint64_t *room)
{
    const uint64_t most = *room < 128 || cm_random_chance(random, 20) ? *room : 128;
    uint64_t length = 1 + cm_random_below(random, (uint32_t)most);
    if (powers)
        for (length = 1; 2 * length <= most && cm_random_chance(random, 85);)
            length *= 2;
    request->shape[a] = length;
    request->orders[a] = cm_random_chance(random, 50)
                             ? CM_ORDER_NEWS
                             : (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
    request->weights[a] = 1 + cm_random_below(random, 3);
    *room /= length;
}

static void exchange_axes(const struct cm_transpose_task *task, const uint64_t *from, uint64_t *to)
{
    for (uint32_t a = 0; a < CM_RANK_MAX; a++)
        to[a] = from[a];
    to[task->axes[0]] = from[task->axes[1]];
    to[task->axes[1]] = from[task->axes[0]];
}

/* The orders and weights of dst: those of src in their places, those that went with their axes, or
 * any. */
static void draw_destination(struct cm_random *random, struct scene *scene)
{
    const uint32_t first = scene->task.axes[0], second = scene->task.axes[1];
    scene->dst = scene->src;
    exchange_axes(&scene->task, scene->src.shape, scene->dst.shape);
    const uint32_t kind = cm_random_below(random, 100);
    if (kind < 40)
        return;
    scene->dst.orders[first] = scene->src.orders[second];
    scene->dst.orders[second] = scene->src.orders[first];
    scene->dst.weights[first] = scene->src.weights[second];
    scene->dst.weights[second] = scene->src.weights[first];
    for (uint32_t a = 0; kind >= 75 && a < scene->dst.rank; a++) {
        scene->dst.orders[a] = (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
        scene->dst.weights[a] = 1 + cm_random_below(random, 3);
    }
}

static void draw_scene(struct cm_random *random, const struct cm_config *config,
                       struct scene *scene)
{
    struct cm_transpose_task *task = &scene->task;
    const bool powers = cm_random_chance(random, 75);
    uint64_t room = powers || cm_random_chance(random, 20) ? ELEMENTS_MAX : 2048;
    struct cm_error err;
    memset(scene, 0, sizeof *scene);
    scene->config = *config;
    if (cm_random_chance(random, 20))
        scene->config.network_channels_per_dimension = 1;
    scene->nodes = UINT32_C(1) << cm_random_below(random, cm_random_chance(random, 30) ? 12 : 8);
    scene->threads = 1 + cm_random_below(random, 2);
    scene->src.type = (enum cm_type)cm_random_below(random, CM_TYPE_COUNT);
    scene->src.rank = 2 + cm_random_below(random, 3);
    for (uint32_t a = 0; a < scene->src.rank; a++)
        draw_axis(random, &scene->src, a, powers, &room);
    task->axes[0] = cm_random_below(random, scene->src.rank);
    do
        task->axes[1] = cm_random_below(random, scene->src.rank);
    while (task->axes[1] == task->axes[0]);
    uint64_t *first = &scene->src.shape[task->axes[0]], *second = &scene->src.shape[task->axes[1]];
    if (cm_random_chance(random, 25))
        *first = *second = *first < *second ? *first : *second;
    task->algorithm = cm_random_chance(random, 15) ? CM_TRANSPOSE_ROUTER : CM_TRANSPOSE_AUTO;
    draw_destination(random, scene);
    must(cm_layout_create(&scene->src, scene->nodes, &task->src, &err), &err);
    must(cm_layout_create(&scene->dst, scene->nodes, &task->dst, &err), &err);
    scene->in_place = cm_layout_equal(&task->src, &task->dst) && cm_random_chance(random, 50);
}

/* Random bytes; logicals are 0 or 1. */
static void *draw_elements(struct cm_random *random, const struct cm_layout *layout)
{
    const size_t bytes = (size_t)layout->elements * cm_type_host_bytes(layout->type);
    unsigned char *elements = malloc(bytes + 8);
    if (!elements)
        die("out of memory");
    for (size_t i = 0; i < bytes; i += 8) {
        const uint64_t word = cm_random_next(random);
        memcpy(elements + i, &word, 8);
    }
    for (size_t i = 0; layout->type == CM_TYPE_LOGICAL && i < bytes; i++)
        elements[i] &= 1;
    return elements;
}

static uint64_t number_of(const struct cm_layout *layout, const uint64_t *index)
{
    uint64_t number = 0;
    for (uint32_t a = layout->rank; a-- > 0;)
        number = number * layout->axes[a].length + index[a];
    return number;
}

static bool judge_data(const struct cm_transpose_task *task, const unsigned char *src,
                       const unsigned char *found)
{
    const size_t bytes = cm_type_host_bytes(task->src.type);
    for (uint64_t e = 0; e < task->src.elements; e++) {
        uint64_t index[CM_RANK_MAX] = {0}, turned[CM_RANK_MAX], rest = e;
        for (uint32_t a = 0; a < task->src.rank; a++) {
            index[a] = rest % task->src.axes[a].length;
            rest /= task->src.axes[a].length;
        }
        exchange_axes(task, index, turned);
        const uint64_t to = number_of(&task->dst, turned);
        if (memcmp(src + e * bytes, found + to * bytes, bytes) == 0)
            continue;
        printf("# element %" PRIu64 " of the source is not at %" PRIu64 "\n", e, to);
        return false;
    }
    return true;
}

struct made {
    struct cm_system *system;
    struct cm_array *src, *dst; /* the same in place */
    struct cm_transpose *transpose;
};

static void make(const struct scene *scene, const void *elements, bool timing_only,
                 struct made *made)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = scene->threads, .timing_only = timing_only};
    struct cm_error err;
    must(cm_system_create(&scene->config, &options, &made->system, &err), &err);
    must(cm_array_create(made->system, "src", &scene->task.src, &made->src, &err), &err);
    must(cm_array_scatter(made->system, made->src, elements, &err), &err);
    made->dst = made->src;
    if (!scene->in_place)
        must(cm_array_create(made->system, "dst", &scene->task.dst, &made->dst, &err), &err);
    must(cm_transpose_setup(made->system, &scene->task, &made->transpose, &err), &err);
    must(cm_transpose_call(made->system, made->transpose, made->dst, made->src, &err), &err);
}

static void unmake(struct made *made)
{
    cm_transpose_deallocate(made->system, made->transpose);
    if (made->dst != made->src)
        cm_array_destroy(made->system, made->dst);
    cm_array_destroy(made->system, made->src);
    cm_system_destroy(made->system);
}

/*
 * Cube dimensions that must be crossed: those where the addresses of some element differ, found
 * from all elements. Returns their number; counts the elements that differ in each.
 */
static uint32_t crossed_dimensions(const struct cm_transpose_task *task, uint64_t differ[32])
{
    uint32_t count = 0;
    memset(differ, 0, 32 * sizeof *differ);
    for (uint64_t e = 0; e < task->src.elements; e++) {
        uint64_t index[CM_RANK_MAX] = {0}, turned[CM_RANK_MAX], rest = e, place;
        uint32_t from, to;
        for (uint32_t a = 0; a < task->src.rank; a++) {
            index[a] = rest % task->src.axes[a].length;
            rest /= task->src.axes[a].length;
        }
        exchange_axes(task, index, turned);
        cm_layout_place(&task->src, index, &from, &place);
        cm_layout_place(&task->dst, turned, &to, &place);
        for (uint32_t d = 0; d < 32; d++)
            differ[d] += (from ^ to) >> d & 1;
    }
    for (uint32_t d = 0; d < 32; d++)
        count += differ[d] > 0;
    return count;
}

/* The exchanges are those of the setup, at least the bound, and half of all elements differ in each
 * dimension that the bound counts; no channel carries more words than there are exchanges. */
static bool judge_exchanges(const struct scene *scene, const struct made *made,
                            const struct cm_counters *counters, struct tally *tally)
{
    const struct cm_transpose_info info = cm_transpose_info(made->transpose);
    const uint32_t channels = scene->config.network_channels_per_dimension;
    uint64_t differ[32];
    const uint32_t dimensions = crossed_dimensions(&scene->task, differ);
    const uint64_t words = scene->task.src.local_words;
    const uint64_t bound = dimensions == 0 ? 0 : (words + 2 * channels - 1) / (2 * channels);
    bool good = counters->exchanges == info.exchanges && info.exchanges >= bound &&
                info.lower_bound == bound && info.dimensions == dimensions &&
                (dimensions > 0 || info.exchanges == 0);
    for (uint32_t d = 0; d < 32; d++)
        good = good && (differ[d] == 0 || 2 * differ[d] == scene->task.src.elements);
    tally->exchanges++;
    tally->met += info.exchanges == bound;
    tally->near += info.exchanges <= bound + bound / 8 + 1;
    if (!good)
        printf("# %" PRIu64 " exchanges, the setup says %" PRIu64 ", bounds %" PRIu64
               " and %" PRIu64 ", dimensions %" PRIu32 " and %" PRIu32 "\n",
               counters->exchanges, info.exchanges, bound, info.lower_bound, dimensions,
               info.dimensions);
    return good;
}

static bool judge_channels(const struct made *made, uint64_t exchanges)
{
    struct cm_machine *machine = cm_system_machine(made->system);
    const size_t count = (size_t)cm_machine_nodes(machine) * cm_machine_dimensions(machine) * 2;
    uint64_t *words = calloc(count + 1, sizeof *words);
    struct cm_error err;
    bool good = true;
    if (!words)
        die("out of memory");
    must(cm_machine_channel_words(machine, words, &err), &err);
    for (size_t i = 0; i < count; i++)
        good = good && words[i] <= exchanges;
    free(words);
    if (!good)
        printf("# a channel carried more words than there were exchanges\n");
    return good;
}

static bool is_power(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* The router is taken where it is asked for or exchanges cannot do it: lengths that are not powers
 * of two or are padded, all axes serial on one side alone. */
static bool judge_choice(const struct scene *scene, const struct cm_transpose_info *info)
{
    const struct cm_transpose_task *task = &scene->task;
    bool plain = task->src.used_bits == task->dst.used_bits;
    for (uint32_t a = 0; a < task->src.rank; a++)
        plain = plain && is_power(task->src.axes[a].length) && !task->src.axes[a].padded &&
                !task->dst.axes[a].padded;
    const bool router = task->algorithm == CM_TRANSPOSE_ROUTER || !plain;
    const uint64_t copies = scene->nodes >> task->dst.used_bits;
    bool good = (info->algorithm == CM_TRANSPOSE_ROUTER) == router;
    good = good && (info->reason[0] != '\0') == (router && task->algorithm == CM_TRANSPOSE_AUTO);
    good = good && info->packets == (router ? task->src.elements * copies : 0);
    if (!good)
        printf("# %s, %" PRIu64 " packets: %s\n", cm_transpose_algorithm_name(info->algorithm),
               info->packets, info->reason);
    return good;
}

static void print_scene(const struct scene *scene)
{
    printf("# %s on %" PRIu32 " nodes, axes %" PRIu32 " and %" PRIu32 "%s, %s:",
           cm_type_name(scene->src.type), scene->nodes, scene->task.axes[0] + 1,
           scene->task.axes[1] + 1, scene->in_place ? ", in place" : "",
           cm_transpose_algorithm_name(scene->task.algorithm));
    for (uint32_t side = 0; side < 2; side++) {
        const struct cm_layout *layout = side == 0 ? &scene->task.src : &scene->task.dst;
        for (uint32_t a = 0; a < layout->rank; a++)
            printf(" %" PRIu64 " %s (%" PRIu64 " x 2^%" PRIu32 ")", layout->axes[a].length,
                   cm_order_name(layout->axes[a].order), layout->axes[a].local_length,
                   layout->axes[a].node_bits);
        printf(side == 0 ? " ->" : "\n");
    }
}

static bool judge(const struct scene *scene, const struct made *made, const struct made *timed,
                  const void *elements, struct tally *tally)
{
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(made->system));
    const struct cm_counters dry = cm_machine_counters(cm_system_machine(timed->system));
    const struct cm_transpose_info info = cm_transpose_info(made->transpose);
    const struct cm_layout *layout = &scene->task.dst;
    unsigned char *found = malloc((size_t)layout->elements * cm_type_host_bytes(layout->type));
    struct cm_error err;
    if (!found)
        die("out of memory");
    must(cm_array_gather(made->system, made->dst, found, &err), &err);
    bool good = judge_data(&scene->task, elements, found) && judge_choice(scene, &info);
    free(found);
    if (info.algorithm == CM_TRANSPOSE_EXCHANGE)
        good = judge_exchanges(scene, made, &counters, tally) &&
               judge_channels(made, counters.exchanges) && good;
    else
        tally->routed++;
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
    struct made made, timed;
    draw_scene(random, config, &scene);
    void *elements = draw_elements(random, &scene.task.src);
    make(&scene, elements, false, &made);
    make(&scene, elements, true, &timed);
    const bool good = judge(&scene, &made, &timed, elements, tally);
    if (!good)
        print_scene(&scene);
    tally->cases++;
    tally->in_place += scene.in_place;
    unmake(&made);
    unmake(&timed);
    free(elements);
    return good;
}

/* Exchanges of a transpose of a matrix on 2^d nodes, after its data are right. */
static struct cm_transpose_info count_one(const struct cm_config *config, uint32_t d,
                                          uint64_t length, enum cm_order first, bool *good)
{
    struct scene scene = {.config = *config, .nodes = UINT32_C(1) << d, .threads = 1};
    struct cm_random random = cm_random_of_case(d, length);
    struct tally tally = {0};
    struct made made, timed;
    struct cm_error err;
    scene.src = (struct cm_layout_request){.type = CM_TYPE_REAL32,
                                           .rank = 2,
                                           .shape = {length, length},
                                           .orders = {first, CM_ORDER_NEWS},
                                           .weights = {1, 1}};
    scene.dst = scene.src;
    scene.task.axes[1] = 1;
    must(cm_layout_create(&scene.src, scene.nodes, &scene.task.src, &err), &err);
    scene.task.dst = scene.task.src;
    void *elements = draw_elements(&random, &scene.task.src);
    make(&scene, elements, false, &made);
    make(&scene, elements, true, &timed);
    *good = judge(&scene, &made, &timed, elements, &tally);
    const struct cm_transpose_info info = cm_transpose_info(made.transpose);
    unmake(&made);
    unmake(&timed);
    free(elements);
    return info;
}

/*
 * The counts of docs/programs/transpose.md: a serial axis and one on all nodes meet the bound; a
 * square on a square of nodes, d / 2 pairs of dimensions, takes a round of pairs at most, p ceil(K
 * / 2p) + 1 units of an exchange; on twice a square, one dimension and p pairs, less than two
 * rounds.
 */
static bool check_counts(const struct cm_config *config)
{
    bool all = true;
    for (uint32_t channels = 1; channels <= 2; channels++) {
        struct cm_config machine = *config;
        machine.network_channels_per_dimension = channels;
        for (uint32_t d = 1; d <= 8; d++) {
            const uint64_t length = UINT64_C(4) << d, pairs = d / 2;
            bool good, square_good;
            const struct cm_transpose_info serial =
                count_one(&machine, d, length, CM_ORDER_SERIAL, &good);
            const struct cm_transpose_info square =
                count_one(&machine, d, length, CM_ORDER_NEWS, &square_good);
            good = good && square_good && serial.exchanges == serial.lower_bound;
            good = good && square.exchanges <= (d % 2 == 0 ? square.lower_bound + pairs + 1
                                                           : 2 * square.lower_bound + pairs + 1);
            if (!good)
                printf("# d = %" PRIu32 ": %" PRIu64 " exchanges of a serial axis, bound %" PRIu64
                       "; %" PRIu64 " of a square, bound %" PRIu64 "\n",
                       d, serial.exchanges, serial.lower_bound, square.exchanges,
                       square.lower_bound);
            all = all && good;
        }
    }
    return all;
}

CM_PROGRAM(transpose)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 400, .seed = 20261123};
    struct tally tally = {0};
    struct cm_config config;
    bool good = true;
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..2\n# seed %" PRIu64 "\n", options.seed);
    for (uint64_t i = 0; good && i < options.cases; i++) {
        struct cm_random random = cm_random_of_case(options.seed, i);
        good = tap_case(&options, i, run_case(&random, &config, &tally));
    }
    printf("# %" PRIu32 " cases, %" PRIu32 " in place: %" PRIu32 " by exchanges, of which %" PRIu32
           " meet the bound and %" PRIu32 " are within 1/8 and one of it; %" PRIu32
           " through the router\n",
           tally.cases, tally.in_place, tally.exchanges, tally.met, tally.near, tally.routed);
    tap_report(1, good, "random transposes equal loops over the host's arrays");
    const bool counts = check_counts(&config);
    tap_report(2, counts, "serial axes meet the bound, squares take a round of pairs at most");
    return good && counts ? 0 : 1;
}
