/*
 * Random matrix products on the machine, judged by an oracle of their own: every element, bit for
 * bit in the documented order, and in plain order where nothing rounds; exchanges against a count
 * from the grids alone, the words of every channel, what the router copies, and the same counters
 * without data. Prints TAP.
 *
 *   property matmul [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/matmul/matmul.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include <math.h>

struct scene {
    struct cm_config config;
    struct cm_matmul_task task;
    struct cm_layout_request requests[3]; /* A, B, C */
    uint32_t nodes, threads;
    bool exact;  /* data that no order rounds */
    bool square; /* A and B are one array */
};

/* The grid, from the layouts and the text of docs/programs/matmul.md. */
struct grid {
    uint64_t p, q, chunks, depth, groups;
    uint64_t rows, columns; /* of C in a node */
    bool aligned[2];
};

struct tally {
    uint32_t cases, refused, cannon, broadcast, alltoall, copied, padded, plain;
};

static uint64_t quotient(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t draw_length(struct cm_random *random, uint32_t most)
{
    uint64_t length = 1 + cm_random_below(random, most);
    if (cm_random_chance(random, 40))
        for (length = 1; 2 * length <= most && cm_random_chance(random, 80);)
            length *= 2;
    return length;
}

static enum cm_order draw_order(struct cm_random *random)
{
    return cm_random_chance(random, 70) ? CM_ORDER_NEWS
                                        : (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
}

static void draw_scene(struct cm_random *random, const struct cm_config *config,
                       struct scene *scene)
{
    static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_COMPLEX64,
                                         CM_TYPE_COMPLEX128, CM_TYPE_INT32};
    const enum cm_type type = types[cm_random_below(random, 5)];
    const bool equal = cm_random_chance(random, 40), alike = cm_random_chance(random, 60);
    uint64_t lengths[3]; /* m, k, n */
    struct cm_error err;
    memset(scene, 0, sizeof *scene);
    scene->config = *config;
    if (cm_random_chance(random, 20))
        scene->config.network_channels_per_dimension = 1;
    scene->nodes = UINT32_C(1) << cm_random_below(random, 12);
    scene->threads = 1 + cm_random_below(random, 2);
    for (uint32_t i = 0; i < 3; i++)
        lengths[i] =
            equal && i > 0 ? lengths[0] : draw_length(random, scene->nodes > 256 ? 40 : 70);
    for (uint32_t i = 0; i < 3; i++) {
        struct cm_layout_request *request = &scene->requests[i];
        request->type = type;
        request->rank = 2;
        request->shape[0] = lengths[i == 1 ? 1 : 0];
        request->shape[1] = lengths[i == 0 ? 1 : 2];
        for (uint32_t a = 0; a < 2; a++) {
            request->orders[a] = alike && i > 0 ? scene->requests[0].orders[a] : draw_order(random);
            request->weights[a] =
                alike && i > 0 ? scene->requests[0].weights[a] : 1 + cm_random_below(random, 3);
        }
    }
    must(cm_layout_create(&scene->requests[0], scene->nodes, &scene->task.a, &err), &err);
    must(cm_layout_create(&scene->requests[1], scene->nodes, &scene->task.b, &err), &err);
    must(cm_layout_create(&scene->requests[2], scene->nodes, &scene->task.c, &err), &err);
    scene->task.algorithm = (enum cm_matmul_algorithm)cm_random_below(random, CM_MATMUL_ALGORITHMS);
    scene->exact = cm_random_chance(random, 40);
    scene->square = cm_random_chance(random, 20) && cm_layout_equal(&scene->task.a, &scene->task.b);
}

static bool same_cut(const struct cm_axis *axis, const struct cm_axis *wanted, uint64_t local)
{
    return axis->node_bits == wanted->node_bits && axis->local_length == local &&
           (axis->node_bits == 0 || axis->order == wanted->order);
}

static struct grid grid_of(const struct scene *scene)
{
    const struct cm_matmul_task *task = &scene->task;
    const struct cm_axis *c = task->c.axes;
    struct grid grid = {.p = UINT64_C(1) << c[0].node_bits,
                        .q = UINT64_C(1) << c[1].node_bits,
                        .rows = c[0].local_length,
                        .columns = c[1].local_length};
    grid.chunks = larger(grid.p, grid.q);
    grid.depth = quotient(task->a.axes[1].length, grid.chunks);
    grid.aligned[0] = same_cut(&task->a.axes[0], &c[0], c[0].local_length) &&
                      same_cut(&task->a.axes[1], &c[1], grid.chunks / grid.q * grid.depth);
    grid.aligned[1] = same_cut(&task->b.axes[1], &c[1], c[1].local_length) &&
                      same_cut(&task->b.axes[0], &c[0], grid.chunks / grid.p * grid.depth);
    return grid;
}

/* Hops to the node `distance` (a power of two) back along an axis. */
static uint64_t hops(const struct cm_axis *axis, uint64_t distance)
{
    uint64_t zeros = 0;
    if (distance >> axis->node_bits != 0)
        return 0;
    while (distance >> zeros > 1)
        zeros++;
    if (axis->order == CM_ORDER_SEND)
        return axis->node_bits - zeros;
    return distance == 1 ? 1 : 2;
}

/* The exchanges when the nodes form `groups` groups along k. */
static uint64_t count(const struct scene *scene, const struct grid *grid, uint64_t groups)
{
    const struct cm_axis *axes[2] = {&scene->task.c.axes[1], &scene->task.c.axes[0]};
    const uint64_t nodes[2] = {grid->q, grid->p}, lines[2] = {grid->rows, grid->columns};
    const uint64_t channels = scene->config.network_channels_per_dimension;
    uint64_t spread[2], block[2], distance[2], sum = 0;
    for (uint32_t s = 0; s < 2; s++) {
        const uint64_t words = grid->depth * lines[s] * scene->task.c.slices;
        uint64_t dimensions = 0;
        distance[s] = nodes[s] / groups;
        while (distance[s] >> dimensions > 1)
            dimensions++;
        spread[s] = dimensions == 0 ? 0 : quotient(words, channels) + dimensions - 1;
        block[s] = quotient(words * (grid->chunks / nodes[s]), channels);
    }
    sum = grid->chunks * larger(spread[0], spread[1]);
    for (uint64_t step = 1; step < groups; step *= 2)
        for (uint64_t h = 0;; h++) {
            const uint64_t a = h < hops(axes[0], step * distance[0]) ? block[0] : 0;
            const uint64_t b = h < hops(axes[1], step * distance[1]) ? block[1] : 0;
            if (a == 0 && b == 0)
                break;
            /* each step of the skew, and the first distance in the steps between groups */
            sum += larger(a, b) * (step == 1 ? groups : 1);
        }
    return sum;
}

/* The same of all-to-all broadcasts of whole blocks, first along the rows of the grid. A block is
 * cut into a part for each dimension; in each of n - 1 steps every dimension carries a part. */
static uint64_t count_alltoall(const struct scene *scene, const struct grid *grid)
{
    const uint64_t channels = scene->config.network_channels_per_dimension;
    const uint64_t nodes[2] = {grid->q, grid->p}, lines[2] = {grid->rows, grid->columns};
    uint64_t sum = 0;
    for (uint32_t s = 0; s < 2; s++) {
        const uint64_t words =
            grid->depth * lines[s] * scene->task.c.slices * (grid->chunks / nodes[s]);
        uint64_t dimensions = 0;
        while (nodes[s] >> dimensions > 1)
            dimensions++;
        if (dimensions > 0)
            sum += (nodes[s] - 1) * quotient(words, dimensions * channels);
    }
    return sum;
}

struct number {
    double re, im;
};

static double round_to(enum cm_type type, double x)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64 ? (double)(float)x : x;
}

/* Products and sums of two floats in double and rounded once are those of floats. */
static struct number add_product(enum cm_type type, struct number c, struct number a,
                                 struct number b)
{
    if (type == CM_TYPE_INT32) {
        const uint32_t product = (uint32_t)(int32_t)a.re * (uint32_t)(int32_t)b.re;
        c.re = (double)(int32_t)((uint32_t)(int32_t)c.re + product);
        return c;
    }
    c.re = round_to(type, c.re + round_to(type, a.re * b.re));
    if (type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64)
        return c;
    c.re = round_to(type, c.re - round_to(type, a.im * b.im));
    c.im = round_to(type, c.im + round_to(type, a.re * b.im));
    c.im = round_to(type, c.im + round_to(type, a.im * b.re));
    return c;
}

static void put(enum cm_type type, void *array, uint64_t e, struct number value)
{
    const float single[2] = {(float)value.re, (float)value.im};
    const double wide[2] = {value.re, value.im};
    const int32_t integer = type == CM_TYPE_INT32 ? (int32_t)value.re : 0;
    const size_t bytes = cm_type_host_bytes(type);
    const void *from = type == CM_TYPE_INT32 ? (const void *)&integer
                       : type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64 ? (const void *)single
                                                                             : (const void *)wide;
    memcpy((unsigned char *)array + e * bytes, from, bytes);
}

static struct number draw_number(struct cm_random *random, const struct scene *scene)
{
    const enum cm_type type = scene->requests[0].type;
    struct number x = {0, 0};
    for (uint32_t part = 0; part < cm_type_components(type); part++) {
        double value = scene->exact ? (double)cm_random_range(random, -8, 8)
                                    : (double)cm_random_range(random, -1000000, 1000000) / 65537.0;
        if (type == CM_TYPE_INT32 && !scene->exact)
            value = (double)(int32_t)(uint32_t)cm_random_next(random);
        if (!scene->exact && type != CM_TYPE_INT32 && cm_random_chance(random, 1))
            value = cm_random_chance(random, 50) ? -0.0 : INFINITY;
        *(part == 0 ? &x.re : &x.im) = round_to(type, value);
    }
    return x;
}

struct data {
    struct number *factors[2];
    void *host[2], *found;
};

static void make_data(struct cm_random *random, const struct scene *scene, struct data *data)
{
    const struct cm_layout *layouts[2] = {&scene->task.a, &scene->task.b};
    for (uint32_t s = 0; s < 2; s++) {
        data->factors[s] = calloc(layouts[s]->elements, sizeof *data->factors[s]);
        data->host[s] = calloc(layouts[s]->elements, 16);
        if (!data->factors[s] || !data->host[s])
            die("out of memory");
        for (uint64_t e = 0; e < layouts[s]->elements; e++) {
            data->factors[s][e] =
                s == 1 && scene->square ? data->factors[0][e] : draw_number(random, scene);
            put(layouts[s]->type, data->host[s], e, data->factors[s][e]);
        }
    }
    data->found = calloc(scene->task.c.elements, 16);
    if (!data->found)
        die("out of memory");
}

static void free_data(struct data *data)
{
    for (uint32_t s = 0; s < 2; s++) {
        free(data->factors[s]);
        free(data->host[s]);
    }
    free(data->found);
}

/* Element (i, j): k from the range that the node's place in its group names on, cyclically. */
static struct number product(const struct scene *scene, const struct data *data,
                             const struct grid *grid, uint64_t i, uint64_t j, bool plain)
{
    const uint64_t m = scene->task.a.axes[0].length, k = scene->task.a.axes[1].length;
    const uint64_t range = grid->chunks / grid->groups * grid->depth;
    const uint64_t row_group = i / grid->rows / (grid->p / grid->groups);
    const uint64_t column_group = j / grid->columns / (grid->q / grid->groups);
    const uint64_t all = range * grid->groups;
    const uint64_t begin = plain ? 0 : (row_group + column_group) % grid->groups * range;
    struct number sum = {0, 0};
    for (uint64_t step = 0; step < all; step++) {
        const uint64_t t = (begin + step) % all;
        if (t < k)
            sum = add_product(scene->task.c.type, sum, data->factors[0][i + m * t],
                              data->factors[1][t + k * j]);
    }
    return sum;
}

static bool same_part(double a, double b, bool equal)
{
    return (isnan(a) && isnan(b)) || (a == b && (equal || signbit(a) == signbit(b)));
}

static struct number element(enum cm_type type, const void *array, uint64_t e)
{
    const uint32_t parts = cm_type_components(type);
    struct number x = {0, 0};
    for (uint32_t part = 0; part < parts; part++) {
        const uint64_t at = e * parts + part;
        *(part == 0 ? &x.re : &x.im) = type == CM_TYPE_INT32 ? (double)((const int32_t *)array)[at]
                                       : type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64
                                           ? (double)((const float *)array)[at]
                                           : ((const double *)array)[at];
    }
    return x;
}

static bool judge(const struct scene *scene, const struct data *data, const struct grid *grid,
                  bool plain)
{
    const struct cm_layout *c = &scene->task.c;
    for (uint64_t j = 0; j < c->axes[1].length; j++)
        for (uint64_t i = 0; i < c->axes[0].length; i++) {
            const struct number wanted = product(scene, data, grid, i, j, plain);
            const struct number found = element(c->type, data->found, i + c->axes[0].length * j);
            if (same_part(wanted.re, found.re, plain) && same_part(wanted.im, found.im, plain))
                continue;
            printf("# element (%" PRIu64 ", %" PRIu64 ") is %.17g %.17g, expected %.17g %.17g%s\n",
                   i, j, found.re, found.im, wanted.re, wanted.im, plain ? ", plain" : "");
            return false;
        }
    return true;
}

struct made {
    struct cm_system *system;
    struct cm_array *a, *b, *c;
    struct cm_matmul *matmul;
    enum cm_status status; /* of the setup */
};

static void make(const struct scene *scene, const struct data *data, bool timing_only,
                 struct made *made)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = scene->threads, .timing_only = timing_only};
    struct cm_error err;
    memset(made, 0, sizeof *made);
    must(cm_system_create(&scene->config, &options, &made->system, &err), &err);
    must(cm_array_create(made->system, "a", &scene->task.a, &made->a, &err), &err);
    must(cm_array_create(made->system, "b", &scene->task.b, &made->b, &err), &err);
    must(cm_array_create(made->system, "c", &scene->task.c, &made->c, &err), &err);
    must(cm_array_scatter(made->system, made->a, data->host[0], &err), &err);
    must(cm_array_scatter(made->system, made->b, data->host[1], &err), &err);
    made->status = cm_matmul_setup(made->system, &scene->task, &made->matmul, &err);
    if (made->status != CM_BAD_INPUT)
        must(made->status, &err);
}

static void unmake(struct made *made)
{
    cm_matmul_deallocate(made->system, made->matmul);
    cm_array_destroy(made->system, made->a);
    cm_array_destroy(made->system, made->b);
    cm_array_destroy(made->system, made->c);
    cm_system_destroy(made->system);
}

static void call(const struct scene *scene, const struct made *made)
{
    struct cm_error err;
    must(cm_matmul_call(made->system, made->matmul, made->c, made->a,
                        scene->square ? made->a : made->b, &err),
         &err);
}

static bool judge_counts(const struct scene *scene, const struct grid *grid,
                         const struct made *made, const struct cm_counters *counters)
{
    const struct cm_matmul_info info = cm_matmul_info(made->matmul);
    struct cm_machine *machine = cm_system_machine(made->system);
    const uint64_t channels =
        (uint64_t)cm_machine_nodes(machine) * cm_machine_dimensions(machine) * 2;
    const uint64_t least = grid->p < grid->q ? grid->p : grid->q;
    const uint64_t cannon = count(scene, grid, least), broadcast = count(scene, grid, 1);
    const uint64_t alltoall = count_alltoall(scene, grid);
    uint64_t wanted = info.algorithm == CM_MATMUL_CANNON      ? cannon
                      : info.algorithm == CM_MATMUL_BROADCAST ? broadcast
                                                              : alltoall;
    if (scene->task.algorithm == CM_MATMUL_AUTO) {
        wanted = cannon < broadcast ? cannon : broadcast;
        wanted = alltoall < wanted ? alltoall : wanted;
    }
    uint64_t *words = calloc(channels + 1, sizeof *words);
    struct cm_error err;
    if (!words)
        die("out of memory");
    must(cm_machine_channel_words(machine, words, &err), &err);
    bool good = counters->exchanges == wanted && info.exchanges == wanted;
    for (uint64_t i = 0; i < channels; i++)
        good = good && words[i] <= wanted;
    free(words);
    good = good && info.align_a == !grid->aligned[0] && info.align_b == !grid->aligned[1] &&
           (scene->nodes == 1 || grid->p * grid->q < scene->nodes ||
            (cm_system_routed_words(made->system) != NULL) == (info.align_a || info.align_b));
    if (!good)
        printf("# %" PRIu64 " exchanges, the setup says %" PRIu64 ", expected %" PRIu64 "\n",
               counters->exchanges, info.exchanges, wanted);
    return good;
}

static void print_scene(const struct scene *scene)
{
    const struct cm_layout *layouts[3] = {&scene->task.a, &scene->task.b, &scene->task.c};
    printf("# %s, %s on %" PRIu32 " nodes%s%s:", cm_matmul_algorithm_name(scene->task.algorithm),
           cm_type_name(scene->task.c.type), scene->nodes, scene->exact ? ", exact" : "",
           scene->square ? ", one factor" : "");
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t a = 0; a < 2; a++) {
            const struct cm_axis *axis = &layouts[i]->axes[a];
            printf(" %s%" PRIu64 " %s (%" PRIu64 " x 2^%" PRIu32 ")", a == 0 ? "; " : "x ",
                   axis->length, cm_order_name(axis->order), axis->local_length, axis->node_bits);
        }
    printf("\n");
}

/* The setup refuses arrays that only the router could bring together, if the result has copies. */
static bool refusal_is_due(const struct scene *scene, const struct grid *grid)
{
    return grid->p * grid->q < scene->nodes && !(grid->aligned[0] && grid->aligned[1]);
}

static bool judge_run(const struct scene *scene, const struct data *data, struct grid *grid,
                      struct made *made, struct made *timed, struct tally *tally)
{
    struct cm_error err;
    const struct cm_matmul_info info = cm_matmul_info(made->matmul);
    call(scene, made);
    call(scene, timed);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(made->system));
    const struct cm_counters dry = cm_machine_counters(cm_system_machine(timed->system));
    must(cm_array_gather(made->system, made->c, data->found, &err), &err);
    grid->groups = info.algorithm == CM_MATMUL_CANNON ? (grid->p < grid->q ? grid->p : grid->q) : 1;
    bool good = judge(scene, data, grid, false);
    if (scene->exact || scene->task.c.type == CM_TYPE_INT32) {
        good = judge(scene, data, grid, true) && good;
        tally->plain++;
    }
    good = judge_counts(scene, grid, made, &counters) && good;
    if (memcmp(&counters, &dry, sizeof counters) != 0) {
        printf("# without data: %" PRIu64 " cycles instead of %" PRIu64 "\n", dry.cycles,
               counters.cycles);
        good = false;
    }
    tally->cannon += grid->groups > 1;
    tally->broadcast += info.algorithm == CM_MATMUL_BROADCAST;
    tally->alltoall += info.algorithm == CM_MATMUL_ALLTOALL;
    tally->copied += info.align_a || info.align_b;
    tally->padded += scene->task.a.axes[1].length % grid->chunks != 0;
    return good;
}

static bool run_case(struct cm_random *random, const struct cm_config *config, struct tally *tally)
{
    struct scene scene;
    struct data data;
    struct made made, timed;
    draw_scene(random, config, &scene);
    struct grid grid = grid_of(&scene);
    make_data(random, &scene, &data);
    make(&scene, &data, false, &made);
    make(&scene, &data, true, &timed);
    bool good = made.status == timed.status &&
                (made.status == CM_BAD_INPUT) == refusal_is_due(&scene, &grid);
    if (good && made.status == CM_OK)
        good = judge_run(&scene, &data, &grid, &made, &timed, tally);
    else
        tally->refused++;
    if (!good)
        print_scene(&scene);
    tally->cases++;
    unmake(&made);
    unmake(&timed);
    free_data(&data);
    return good;
}

CM_PROGRAM(matmul)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 100, .seed = 1};
    struct cm_config config;
    struct tally tally = {0};
    uint64_t failures = 0;
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..2\n");
    for (uint64_t i = 0; i < options.cases && failures < 5; i++) {
        struct cm_random random = cm_random_of_case(options.seed, i);
        if (!tap_case(&options, i, run_case(&random, &config, &tally)))
            failures++;
    }
    tap_report(1, failures == 0, "matrix products are those of the oracle");
    printf("# %" PRIu32 " cases: %" PRIu32 " refused, %" PRIu32 " by Cannon, %" PRIu32
           " by broadcast, %" PRIu32 " all-to-all, %" PRIu32 " copied by the router, %" PRIu32
           " padded along k, %" PRIu32 " also in plain order\n",
           tally.cases, tally.refused, tally.cannon, tally.broadcast, tally.alltoall, tally.copied,
           tally.padded, tally.plain);
    const uint32_t found[] = {tally.cannon, tally.broadcast, tally.alltoall,
                              tally.copied, tally.padded,    tally.plain};
    const bool covered =
        tap_report_shares(2, found, sizeof found / sizeof *found, options.cases, 20);
    return failures > 0 || !covered;
}
