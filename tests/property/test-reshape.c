/*
 * Random reshapes on the machine, judged by an oracle of their own: every element's place, the
 * counts of the theorems, what lemma 4 says of unused links, any permutation of dimensions, and
 * that a channel for two words is a fault. Prints TAP.
 *
 *   property reshape [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/reshape/reshape.h"
#include "../../programs/reshape/reshape_emit.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"
#include "reshape_check.h"
#include "reshape_oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    uint32_t cases, refused;
    uint32_t by_algorithm[CM_RESHAPE_ALGORITHM_COUNT];
    uint32_t swapped, paired; /* of pairs: with controls that depend on memory */
    uint32_t below;           /* fewer steps than the theorem */
};

struct scene {
    struct oracle_shape from, to;
    uint32_t dimensions, node_bits;
    enum cm_encoding encoding;
    enum cm_processor_rule rule;
    uint64_t list, list_after; /* of processor dimensions; afterwards if consistent */
    bool consistent;
    bool ordered, has_start; /* an order of the test's choice; gray-binary from one dimension */
    uint32_t start;
    enum cm_type type;
    enum cm_reshape_algorithm algorithm;
    uint32_t order[64];
    uint32_t order_count; /* 0: none given */
};

static void draw_shape(struct cm_random *random, uint32_t bits, struct oracle_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    shape->rank = 1 + cm_random_below(random, 7);
    for (uint32_t b = 0; b < bits; b++)
        shape->bits[cm_random_below(random, shape->rank)]++;
}

static void draw_scene(struct cm_random *random, struct scene *scene)
{
    static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_COMPLEX128};
    memset(scene, 0, sizeof *scene);
    scene->dimensions = 1 + cm_random_below(random, 12);
    scene->node_bits = cm_random_below(random, scene->dimensions + 1);
    scene->node_bits = scene->node_bits > 7 ? 7 : scene->node_bits;
    draw_shape(random, scene->dimensions, &scene->from);
    draw_shape(random, scene->dimensions, &scene->to);
    scene->rule = cm_random_below(random, 2) ? CM_PROCESSOR_HIGH
                                             : (enum cm_processor_rule)cm_random_below(random, 3);
    if (cm_random_below(random, 4) == 0)
        scene->rule = CM_PROCESSOR_LIST;
    scene->encoding = cm_random_below(random, 2) ? CM_ENCODING_GRAY
                                                 : (enum cm_encoding)cm_random_below(random, 3);
    while (scene->rule == CM_PROCESSOR_LIST &&
           (uint32_t)__builtin_popcountll(scene->list) < scene->node_bits)
        scene->list |= UINT64_C(1) << cm_random_below(random, scene->dimensions);
    scene->consistent = cm_random_below(random, 2);
    scene->type = types[cm_random_below(random, 3)];
    scene->algorithm =
        (enum cm_reshape_algorithm)cm_random_below(random, CM_RESHAPE_ALGORITHM_COUNT);
    if (scene->algorithm == CM_RESHAPE_GRAY_BINARY) {
        scene->from = (struct oracle_shape){.rank = 1, .bits = {scene->dimensions}};
        scene->encoding = CM_ENCODING_GRAY;
        scene->has_start = scene->dimensions > 1 && cm_random_below(random, 2);
        scene->start = scene->has_start ? cm_random_below(random, scene->dimensions - 1) : 0;
    }
    scene->ordered = cm_random_below(random, 2);
    scene->list_after = scene->list;
    if (scene->rule == CM_PROCESSOR_LIST && cm_random_below(random, 2))
        for (scene->list_after = 0;
             (uint32_t)__builtin_popcountll(scene->list_after) < scene->node_bits;)
            scene->list_after |= UINT64_C(1) << cm_random_below(random, scene->dimensions);
}

static void shape_of(const struct oracle_shape *shape, uint64_t *lengths)
{
    for (uint32_t a = 0; a < shape->rank; a++)
        lengths[a] = UINT64_C(1) << shape->bits[a];
}

static enum cm_status make_task(const struct scene *scene, struct cm_reshape_task *task,
                                struct cm_error *err)
{
    uint64_t from[8], to[8];
    uint32_t nodes = UINT32_C(1) << scene->node_bits;
    /* gray-binary goes to binary code */
    enum cm_encoding after =
        scene->algorithm == CM_RESHAPE_GRAY_BINARY ? CM_ENCODING_BINARY : scene->encoding;
    shape_of(&scene->from, from);
    shape_of(&scene->to, to);
    memset(task, 0, sizeof *task);
    task->algorithm = scene->algorithm;
    task->slices = cm_type_slices(scene->type);
    task->order_count = scene->order_count;
    memcpy(task->order, scene->order, sizeof task->order);
    enum cm_status status = cm_allocation_create(
        &(struct cm_allocation_request){from, scene->from.rank, nodes, scene->encoding, scene->rule,
                                        scene->list},
        &task->from, err);
    if (status == CM_OK)
        status = cm_allocation_create(
            &(struct cm_allocation_request){to, scene->to.rank, nodes, after,
                                            scene->consistent ? scene->rule : CM_PROCESSOR_LIST,
                                            scene->consistent ? scene->list_after
                                                              : task->from.processor},
            &task->to, err);
    task->has_start = scene->has_start;
    task->start = scene->start;
    /* In an order that is neither up nor down: every third dimension, then the others. */
    for (uint32_t i = 0; i < 3 * scene->dimensions && scene->ordered; i++) {
        uint32_t d = i % scene->dimensions;
        bool third = d % 3 == i / scene->dimensions;
        if (third && ((task->from.coupled ^ task->to.coupled) >> d & 1))
            task->order[task->order_count++] = d;
    }
    return status;
}

/* A word for slice s of element e. */
static uint32_t word_of(uint64_t e, uint32_t s)
{
    return (uint32_t)(e * 7 + s) * 2654435761u;
}

static struct cm_planes planes_of(struct cm_system *system, const struct cm_array *array)
{
    struct cm_planes planes;
    if (cm_machine_planes(cm_system_machine(system), array->address, array->layout.local_words,
                          &planes, NULL) != CM_OK)
        abort();
    return planes;
}

/* Writes, or compares, the words of all elements by the oracle's places; returns how many
 * differ. */
static uint64_t visit(struct cm_system *system, const struct cm_array *array,
                      const struct scene *scene, const struct oracle_shape *shape,
                      enum cm_encoding encoding, uint64_t processors, bool write)
{
    uint32_t slices = array->layout.slices;
    const struct cm_planes planes = planes_of(system, array);
    uint64_t differ = 0, all = (UINT64_C(1) << scene->dimensions) - 1;
    for (uint64_t e = 0; e <= all; e++) {
        uint64_t address = oracle_address(shape, (enum oracle_code)encoding, processors, e);
        uint64_t node = oracle_gather(address, processors);
        uint64_t local = oracle_gather(address, all & ~processors);
        for (uint32_t s = 0; s < slices; s++) {
            uint32_t *word = cm_planes_word(&planes, local * slices + s, (uint32_t)node);
            differ += !write && *word != word_of(e, s);
            if (write)
                *word = word_of(e, s);
        }
    }
    return differ;
}

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The theorems' counts, written out again. */
static bool check_counts(const struct scene *scene, const struct cm_reshape_plan *plan,
                         struct tally *tally)
{
    uint64_t k = UINT64_C(1) << (scene->dimensions - scene->node_bits);
    uint64_t d = plan->delta, half = d ? up(k, 2 * d) : 0;
    uint64_t shop = (up(k, 2) > 2 * d ? up(k, 2) : 2 * d) + 2; /* two paths as an open shop */
    if (plan->elements != k || plan->lower_bound != (d ? up(k, 2) : 0) ||
        plan->steps < plan->lower_bound)
        return false;
    tally->by_algorithm[plan->algorithm]++;
    switch (plan->algorithm) {
    case CM_RESHAPE_DETOUR:
        return plan->steps <= d * k && plan->bound == plan->steps;
    case CM_RESHAPE_SINGLE_PATH:
        return plan->steps == (d ? k + d - 1 : 0) && plan->bound == plan->steps;
    case CM_RESHAPE_OPEN_SHOP:
        tally->paired += plan->steps < k;
        return plan->steps <= (k > d ? k : d) && plan->bound == plan->steps;
    case CM_RESHAPE_PIPELINE:
        if (plan->steps == plan->bound && plan->steps < up(k, 2) + 2 * d - 1)
            tally->paired++;
        return plan->steps <= up(k, 2) + 2 * d && plan->bound == plan->steps;
    case CM_RESHAPE_TWO_PATH:
        tally->paired += plan->partners;
        tally->below += plan->steps < plan->bound;
        if (plan->partners)
            return plan->steps <= shop && plan->bound == plan->steps;
        return plan->steps == (shop < d * half + 1 ? shop : d * half + 1) &&
               plan->bound == d * half + 1;
    case CM_RESHAPE_GRAY_BINARY:
        if (scene->has_start)
            return plan->steps == d * k && plan->bound == d * k;
        return plan->steps == (d ? d * up(k, d) : 0) && plan->bound == plan->steps;
    default:
        return plan->steps == (d ? d * up(k, d) : 0) && plan->bound == plan->steps;
    }
}

static bool check_dimensions(const struct scene *scene, const struct cm_reshape_plan *plan)
{
    if (scene->encoding != CM_ENCODING_GRAY || scene->algorithm == CM_RESHAPE_GRAY_BINARY)
        return true;
    return plan->dimensions == oracle_dimensions(&scene->from, &scene->to);
}

static const char *run_scene(const struct cm_config *config, const struct scene *scene,
                             struct tally *tally, struct cm_error *err)
{
    struct cm_reshape_task task;
    struct cm_reshape_plan plan, units;
    struct cm_system *system = NULL;
    struct cm_array *array = NULL;
    struct cm_layout layout;
    struct cm_machine_options options = {.nodes = UINT32_C(1) << scene->node_bits, .threads = 1};
    struct cm_layout_request request = {.type = scene->type, .rank = scene->from.rank};
    const char *wrong = NULL;
    memset(&units, 0, sizeof units);
    shape_of(&scene->from, request.shape);
    for (uint32_t a = 0; a < request.rank; a++)
        request.weights[a] = 1;
    if (make_task(scene, &task, err) != CM_OK || cm_reshape_weigh(config, &task, err) != CM_OK)
        return "no allocation or algorithm";
    enum cm_status status = cm_reshape_plan_elements(&task, &plan, err);
    if (status == CM_BAD_INPUT && scene->algorithm >= CM_RESHAPE_TWO_PATH) {
        tally->refused++;
        wrong = strlen(err->message) > 20 ? NULL : "a refusal without a reason";
        goto out;
    }
    if (status != CM_OK || !check_counts(scene, &plan, tally) || !check_dimensions(scene, &plan) ||
        check_plan(&plan, err) != CM_OK) {
        wrong = "the plan";
        goto out;
    }
    if (cm_reshape_plan_units(&task, config->network_channels_per_dimension, &units, err) !=
            CM_OK ||
        cm_system_create(config, &options, &system, err) != CM_OK ||
        cm_layout_create(&request, options.nodes, &layout, err) != CM_OK ||
        cm_array_create(system, "a", &layout, &array, err) != CM_OK) {
        wrong = "the machine";
        goto out;
    }
    if (err->message[0] != '\0') {
        wrong = "an error told of what went well";
        goto out;
    }
    visit(system, array, scene, &scene->from, scene->encoding, task.from.processor, true);
    if (cm_reshape(system, &task, array, err) != CM_OK)
        wrong = "the run";
    else if (visit(system, array, scene, &scene->to,
                   scene->algorithm == CM_RESHAPE_GRAY_BINARY ? CM_ENCODING_BINARY
                                                              : scene->encoding,
                   task.to.processor, false) != 0)
        wrong = "an element's place";
    else if (cm_machine_counters(cm_system_machine(system)).exchanges !=
             units.steps + units.swap_steps)
        wrong = "the exchanges";
    tally->swapped += units.swap_count > 0;
    tally->cases++;
out:
    cm_array_destroy(system, array);
    cm_system_destroy(system);
    cm_reshape_plan_finish(&plan);
    cm_reshape_plan_finish(&units);
    return wrong;
}

static void describe(const struct scene *scene)
{
    printf("# dimensions %" PRIu32 ", nodes 2^%" PRIu32 ", encoding %d, rule %d, list %" PRIx64
           ", after %" PRIx64
           ", consistent %d, type %d, algorithm %d, ordered %d, start %d %" PRIu32 "\n# from",
           scene->dimensions, scene->node_bits, scene->encoding, scene->rule, scene->list,
           scene->list_after, scene->consistent, scene->type, scene->algorithm, scene->ordered,
           scene->has_start, scene->start);
    for (uint32_t a = 0; a < scene->from.rank; a++)
        printf(" %" PRIu32, scene->from.bits[a]);
    printf(" to");
    for (uint32_t a = 0; a < scene->to.rank; a++)
        printf(" %" PRIu32, scene->to.bits[a]);
    printf("\n");
}

static bool test_random(const struct cm_config *config, uint32_t cases, uint64_t seed)
{
    struct tally tally = {0};
    struct cm_error err;
    struct cm_random random = {seed};
    for (uint32_t drawn = 0; tally.cases < cases && drawn < 20 * cases; drawn++) {
        struct scene scene;
        draw_scene(&random, &scene);
        memset(&err, 0, sizeof err);
        const char *wrong = run_scene(config, &scene, &tally, &err);
        if (wrong != NULL) {
            printf("# case %" PRIu32 ": %s: %s\n", drawn, wrong, err.message);
            describe(&scene);
            return false;
        }
    }
    printf("# %" PRIu32 " run, %" PRIu32 " refused; rotate %" PRIu32 ", two-path %" PRIu32
           ", pipeline %" PRIu32 ", gray-binary %" PRIu32 ", open-shop %" PRIu32 "; %" PRIu32
           " of pairs; %" PRIu32 " with a second phase\n",
           tally.cases, tally.refused, tally.by_algorithm[CM_RESHAPE_ROTATE],
           tally.by_algorithm[CM_RESHAPE_TWO_PATH], tally.by_algorithm[CM_RESHAPE_PIPELINE],
           tally.by_algorithm[CM_RESHAPE_GRAY_BINARY], tally.by_algorithm[CM_RESHAPE_OPEN_SHOP],
           tally.paired, tally.swapped);
    return tally.cases >= cases;
}

/* Where bit m of an element's number lies afterwards: dimension place[m]. */
static uint64_t permuted_address(uint64_t index, const uint8_t *place, uint32_t dimensions)
{
    uint64_t address = 0;
    for (uint32_t m = 0; m < dimensions; m++)
        address |= (index >> m & 1) << place[m];
    return address;
}

static uint64_t count_misplaced(struct cm_system *system, const struct cm_array *array,
                                const struct cm_allocation *to)
{
    uint32_t slices = array->layout.slices;
    const struct cm_planes planes = planes_of(system, array);
    uint64_t misplaced = 0, all = (UINT64_C(1) << to->dimensions) - 1;
    for (uint64_t e = 0; e <= all; e++) {
        uint64_t address = permuted_address(e, to->place, to->dimensions);
        uint64_t node = oracle_gather(address, to->processor);
        uint64_t local = oracle_gather(address, all & ~to->processor);
        for (uint32_t s = 0; s < slices; s++)
            misplaced +=
                *cm_planes_word(&planes, local * slices + s, (uint32_t)node) != word_of(e, s);
    }
    return misplaced;
}

static const char *run_permutation(const struct cm_config *config, const struct scene *scene,
                                   const struct cm_reshape_task *task, struct cm_error *err)
{
    struct cm_system *system = NULL;
    struct cm_array *array = NULL;
    struct cm_layout layout;
    struct cm_machine_options options = {.nodes = UINT32_C(1) << scene->node_bits, .threads = 1};
    struct cm_layout_request request = {.type = scene->type,
                                        .rank = 1,
                                        .shape = {UINT64_C(1) << scene->dimensions},
                                        .weights = {1}};
    const char *wrong = NULL;
    if (cm_system_create(config, &options, &system, err) != CM_OK ||
        cm_layout_create(&request, options.nodes, &layout, err) != CM_OK ||
        cm_array_create(system, "a", &layout, &array, err) != CM_OK) {
        wrong = "the machine";
        goto out;
    }
    visit(system, array, scene, &scene->from, scene->encoding, task->from.processor, true);
    if (cm_reshape(system, task, array, err) != CM_OK)
        wrong = "the run";
    else if (count_misplaced(system, array, &task->to) != 0)
        wrong = "an element's place";
out:
    cm_array_destroy(system, array);
    cm_system_destroy(system);
    return wrong;
}

/* Any permutation of the dimensions, after the code has become binary. */
static bool test_permutations(const struct cm_config *config, uint32_t cases, uint64_t seed)
{
    struct cm_random random = {seed};
    printf("# seed %" PRIu64 "\n", seed);
    for (uint32_t i = 0; i < cases; i++) {
        struct scene scene;
        struct cm_reshape_task task;
        struct cm_error err;
        memset(&err, 0, sizeof err);
        do
            draw_scene(&random, &scene);
        while (scene.algorithm == CM_RESHAPE_GRAY_BINARY);
        scene.algorithm = CM_RESHAPE_AUTO;
        scene.ordered = false;
        const char *wrong = make_task(&scene, &task, &err) == CM_OK ? NULL : "no allocation";
        task.to.coupled = 0;
        task.to.permuted = true;
        for (uint32_t m = 0; m < scene.dimensions; m++) {
            uint32_t other = cm_random_below(&random, m + 1);
            task.to.place[m] = task.to.place[other];
            task.to.place[other] = (uint8_t)m;
        }
        if (wrong == NULL)
            wrong = run_permutation(config, &scene, &task, &err);
        if (wrong != NULL) {
            printf("# case %" PRIu32 ": %s: %s\n", i, wrong, err.message);
            describe(&scene);
            return false;
        }
    }
    return true;
}

/* Counts alone, for K and delta beyond what runs quickly: no two elements on a channel, and the
 * theorems' numbers. */
static bool test_plans(uint64_t seed)
{
    struct tally tally = {0};
    struct cm_error err;
    struct cm_random random = {seed};
    for (uint32_t i = 0; i < 4000; i++) {
        struct scene scene;
        struct cm_reshape_task task;
        struct cm_reshape_plan plan;
        draw_scene(&random, &scene);
        scene.node_bits = 1 + cm_random_below(&random, 11);
        scene.dimensions = scene.node_bits + cm_random_below(&random, 10);
        scene.rule = CM_PROCESSOR_HIGH;
        draw_shape(&random, scene.dimensions, &scene.from);
        draw_shape(&random, scene.dimensions, &scene.to);
        scene.encoding = CM_ENCODING_GRAY;
        scene.algorithm =
            (enum cm_reshape_algorithm)cm_random_below(&random, CM_RESHAPE_GRAY_BINARY);
        scene.has_start = false;
        bool good = make_task(&scene, &task, &err) == CM_OK;
        if (good && cm_reshape_plan_elements(&task, &plan, &err) == CM_OK)
            good = check_counts(&scene, &plan, &tally) && check_dimensions(&scene, &plan) &&
                   check_plan(&plan, &err) == CM_OK;
        else
            good = good && scene.algorithm >= CM_RESHAPE_TWO_PATH;
        cm_reshape_plan_finish(&plan);
        if (!good) {
            printf("# %s\n", err.message);
            describe(&scene);
            return false;
        }
    }
    printf("# two-path %" PRIu32 ", pipeline %" PRIu32 "\n",
           tally.by_algorithm[CM_RESHAPE_TWO_PATH], tally.by_algorithm[CM_RESHAPE_PIPELINE]);
    return tally.by_algorithm[CM_RESHAPE_TWO_PATH] > 100 &&
           tally.by_algorithm[CM_RESHAPE_PIPELINE] > 100;
}

/* Theorem 3 on the machine, with delta up to 5, any order, and few elements: K up to 64. */
static bool test_two_path(const struct cm_config *config, uint64_t seed)
{
    static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64};
    struct tally tally = {0};
    struct cm_error err;
    struct cm_random random = {seed};
    for (uint32_t i = 0; i < 150; i++) {
        struct scene scene;
        uint64_t ends[2], both, local_bits = 3 + cm_random_below(&random, 4);
        memset(&scene, 0, sizeof scene);
        scene.node_bits = 4 + cm_random_below(&random, 8);
        scene.dimensions = scene.node_bits + (uint32_t)local_bits;
        both = cm_random_below(&random, UINT32_C(1) << local_bits) &
               cm_random_below(&random, UINT32_C(1) << local_bits);
        both &= UINT64_C(0x11);
        ends[0] = ends[1] = both;
        for (uint32_t m = cm_random_below(&random, 2); m + 1 < scene.node_bits; m += 2)
            ends[cm_random_below(&random, 2)] |= (cm_random_below(&random, 8) ? UINT64_C(1) : 0)
                                                 << (m + local_bits);
        oracle_shape_of_ends(scene.dimensions, ends[0], &scene.from);
        oracle_shape_of_ends(scene.dimensions, ends[1], &scene.to);
        for (uint32_t m = 0, ordered = cm_random_below(&random, 2); ordered && m < 64; m++)
            if ((ends[0] ^ ends[1]) >> m & 1) {
                uint32_t at = cm_random_below(&random, scene.order_count + 1u);
                scene.order[scene.order_count++] = scene.order[at];
                scene.order[at] = m;
            }
        scene.encoding = CM_ENCODING_GRAY;
        scene.rule = CM_PROCESSOR_HIGH;
        scene.algorithm = CM_RESHAPE_TWO_PATH;
        scene.type = types[cm_random_below(&random, 2)];
        memset(&err, 0, sizeof err);
        const char *wrong = run_scene(config, &scene, &tally, &err);
        if (wrong != NULL) {
            printf("# case %" PRIu32 ": %s: %s\n", i, wrong, err.message);
            describe(&scene);
            return false;
        }
    }
    printf("# %" PRIu32 " run, %" PRIu32 " refused, %" PRIu32 " in fewer steps than the theorem\n",
           tally.cases, tally.refused, tally.below);
    return tally.cases >= 100 && tally.below > 0;
}

/* Lemma 4, on one axis: where the link in dimension m - 1 is used, it is not after complementing
 * any bit from m on. */
static bool test_lemma_4(void)
{
    for (uint32_t n = 2; n <= 9; n++)
        for (uint32_t m = 1; m < n; m++) {
            uint64_t lengths[2] = {UINT64_C(1) << n, 1};
            uint8_t used[512];
            struct cm_allocation from;
            cm_allocation_create(&(struct cm_allocation_request){lengths, 1, UINT32_C(1) << n,
                                                                 CM_ENCODING_GRAY,
                                                                 CM_PROCESSOR_HIGH, 0},
                                 &from, NULL);
            struct cm_reshape_control control = cm_reshape_control(&from, from.coupled, m - 1);
            for (uint64_t i = 0; i < UINT64_C(1) << n; i++)
                used[oracle_gray(n, i)] = i >> m & 1;
            for (uint64_t a = 0; a < UINT64_C(1) << n; a++) {
                if (control_value(&control, a, 0) != (used[a] != 0))
                    return false;
                for (uint32_t j = m; j < n; j++)
                    if (used[a] && used[a ^ UINT64_C(1) << j])
                        return false;
            }
        }
    return true;
}

/* Where canonical dimensions and the mixed code are asked for, elements lie as the geometry manager
 * lays them. */
static bool test_canonical(uint64_t seed)
{
    struct cm_random random = {seed};
    for (uint32_t i = 0; i < 300; i++) {
        struct oracle_shape shape;
        struct cm_layout layout;
        struct cm_allocation allocation;
        struct cm_layout_request request = {.type = CM_TYPE_REAL32};
        uint32_t bits = 1 + cm_random_below(&random, 10);
        uint32_t nodes = UINT32_C(1) << cm_random_below(&random, bits + 1);
        draw_shape(&random, bits, &shape);
        shape_of(&shape, request.shape);
        request.rank = shape.rank;
        for (uint32_t a = 0; a < shape.rank; a++)
            request.weights[a] = 1;
        if (cm_layout_create(&request, nodes, &layout, NULL) != CM_OK ||
            cm_reshape_canonical(&layout, &allocation, NULL) != CM_OK)
            return false;
        for (uint64_t e = 0; e < UINT64_C(1) << bits; e++) {
            uint64_t index[CM_RANK_MAX], rest = e, local, place;
            uint32_t node, wanted;
            for (uint32_t a = 0; a < shape.rank; a++) {
                index[a] = rest % request.shape[a];
                rest /= request.shape[a];
            }
            cm_layout_place(&layout, index, &wanted, &place);
            cm_allocation_place(&allocation, e, &node, &local);
            if (node != wanted || local != place)
                return false;
        }
    }
    return true;
}

/* A plan that puts two elements on one channel: its check says so, and the machine faults. */
static bool test_fault(const struct cm_config *config)
{
    uint64_t from[1] = {64}, to[3] = {4, 4, 4};
    struct cm_reshape_task task = {.algorithm = CM_RESHAPE_ROTATE, .slices = 2};
    struct cm_reshape_plan plan;
    struct cm_compiled *compiled = calloc(1, sizeof *compiled);
    struct cm_system *system = NULL;
    struct cm_error err;
    struct cm_machine_options options = {.nodes = 16, .threads = 1};
    memset(&plan, 0, sizeof plan);
    memset(&err, 0, sizeof err);
    bool good = compiled != NULL &&
                cm_allocation_create(&(struct cm_allocation_request){from, 1, 16, CM_ENCODING_GRAY,
                                                                     CM_PROCESSOR_HIGH, 0},
                                     &task.from, &err) == CM_OK &&
                cm_allocation_create(&(struct cm_allocation_request){to, 3, 16, CM_ENCODING_GRAY,
                                                                     CM_PROCESSOR_LIST,
                                                                     task.from.processor},
                                     &task.to, &err) == CM_OK &&
                cm_reshape_plan_units(&task, 2, &plan, &err) == CM_OK && plan.stream_count >= 1 &&
                cm_system_create(config, &options, &system, &err) == CM_OK;
    if (good) {
        /* Twice the same stream, of other elements. */
        struct cm_reshape_stream streams[2] = {plan.streams[0], plan.streams[0]};
        streams[0].count = streams[1].count = 1;
        streams[1].first_element++;
        struct cm_reshape_plan broken = plan;
        broken.streams = streams;
        broken.stream_count = 2;
        struct cm_actual actuals[] = {{0}, {.address = 1024}, {0}};
        good = check_plan(&plan, &err) == CM_OK && check_plan(&broken, &err) == CM_INTERNAL &&
               cm_reshape_compile(system, task.slices, &broken, compiled, &err) == CM_OK &&
               cm_compiled_run(system, compiled, actuals, CM_ENTRY_IMP, &err) == CM_FAULT;
    }
    if (!good)
        printf("# %s\n", err.message);
    cm_compiled_drop(system, compiled);
    cm_reshape_plan_finish(&plan);
    cm_system_destroy(system);
    return good;
}

/* Makes a mistake in the second phase of a plan; a plan without room for it is left as it is. */
static void break_rounds(struct cm_reshape_plan *plan, enum cm_reshape_round_kind kind)
{
    for (uint32_t i = 0; i < plan->round_count; i++) {
        struct cm_reshape_round *round = &plan->rounds[i];
        if (round->kind != kind)
            continue;
        if (kind == CM_RESHAPE_ROUND_CUBE) {
            /* the second hop over the dimension of the first, which its nodes use in the step
             * before */
            plan->swap_streams[round->first_stream + 1].first_step =
                plan->swap_streams[round->first_stream].first_step;
            plan->swap_streams[round->first_stream + 1].dimension =
                plan->swap_streams[round->first_stream].dimension;
            plan->swap_streams[round->first_stream + 1].sender = true;
        } else if (round->swap_count > 1) {
            struct cm_reshape_swap *swaps = &plan->swaps[round->first_swap];
            uint32_t cube = swaps[0].first_is_local ? swaps[0].second : swaps[0].first;
            *(swaps[1].first_is_local ? &swaps[1].second : &swaps[1].first) = cube;
        }
    }
}

/* Swaps of one round that share a dimension, and hops of one pair at one step over one channel:
 * likewise. */
static bool test_round_fault(const struct cm_config *config, enum cm_reshape_round_kind kind,
                             uint64_t before, uint64_t after, uint32_t node_bits)
{
    uint64_t shape[1] = {2048};
    struct cm_reshape_task task = {.algorithm = CM_RESHAPE_ROTATE, .slices = 2};
    struct cm_reshape_plan plan;
    struct cm_compiled *compiled = calloc(1, sizeof *compiled);
    struct cm_system *system = NULL;
    struct cm_error err;
    struct cm_machine_options options = {.nodes = UINT32_C(1) << node_bits, .threads = 1};
    struct cm_actual actuals[] = {{0}, {.address = 8192}, {0}};
    memset(&plan, 0, sizeof plan);
    memset(&err, 0, sizeof err);
    bool good = compiled != NULL &&
                cm_allocation_create(&(struct cm_allocation_request){shape, 1, options.nodes,
                                                                     CM_ENCODING_BINARY,
                                                                     CM_PROCESSOR_LIST, before},
                                     &task.from, &err) == CM_OK &&
                cm_allocation_create(&(struct cm_allocation_request){shape, 1, options.nodes,
                                                                     CM_ENCODING_BINARY,
                                                                     CM_PROCESSOR_LIST, after},
                                     &task.to, &err) == CM_OK &&
                cm_reshape_plan_units(&task, 2, &plan, &err) == CM_OK &&
                check_plan(&plan, &err) == CM_OK &&
                cm_system_create(config, &options, &system, &err) == CM_OK;
    break_rounds(&plan, kind);
    good = good && check_plan(&plan, &err) == CM_INTERNAL &&
           cm_reshape_compile(system, task.slices, &plan, compiled, &err) == CM_OK &&
           cm_compiled_run(system, compiled, actuals, CM_ENTRY_IMP, &err) == CM_FAULT;
    if (!good)
        printf("# kind %d: %s\n", (int)kind, err.message);
    cm_compiled_drop(system, compiled);
    cm_reshape_plan_finish(&plan);
    cm_system_destroy(system);
    return good;
}

/* All cube dimensions change places with local bits, up to nine at once; every word's place. */
static bool test_wide(const struct cm_config *config, uint32_t node_bits, enum cm_type type)
{
    struct tally tally = {0};
    struct cm_error err;
    uint64_t low = (UINT64_C(1) << node_bits) - 1;
    struct scene scene = {.from = {.rank = 1, .bits = {2 * node_bits}},
                          .to = {.rank = 1, .bits = {2 * node_bits}},
                          .dimensions = 2 * node_bits,
                          .node_bits = node_bits,
                          .encoding = CM_ENCODING_BINARY,
                          .rule = CM_PROCESSOR_LIST,
                          .list = low,
                          .list_after = low << node_bits,
                          .consistent = true,
                          .type = type,
                          .algorithm = CM_RESHAPE_ROTATE};
    memset(&err, 0, sizeof err);
    const char *wrong = run_scene(config, &scene, &tally, &err);
    if (wrong != NULL) {
        printf("# %s: %s\n", wrong, err.message);
        describe(&scene);
    }
    return wrong == NULL && tally.swapped == 1;
}

CM_PROGRAM(reshape)
{
    struct cm_config config;
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 2500, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    uint32_t cases = (uint32_t)options.cases;
    uint64_t seed = options.seed;
    tap_config_read(&options, &config);
    printf("1..10\n");
    tap_report(1, test_random(&config, cases, seed),
               "reshapes on the machine: every element's place, the theorems' counts");
    tap_report(2, test_plans(seed + 1), "plans: counts, and one element a channel and step");
    tap_report(3, test_lemma_4(), "lemma 4: unused links");
    tap_report(4, test_canonical(seed + 2), "canonical allocations are those of the layout");
    tap_report(5, test_fault(&config), "two elements on one channel are a fault");
    /* Eight cube dimensions go each to the next: with three local bits, pairs of cube dimensions
     * change places. */
    bool mixed = test_round_fault(&config, CM_RESHAPE_ROUND_MIXED, 0x00f, 0x3c0, 4);
    bool cube = test_round_fault(&config, CM_RESHAPE_ROUND_CUBE, 0x0ff, 0x7f8, 8);
    tap_report(6, mixed && cube, "and so in the second phase");
    bool wide = true;
    for (uint32_t n = 1; n <= 9 && wide; n++)
        wide = test_wide(&config, n, CM_TYPE_REAL32) && test_wide(&config, n, CM_TYPE_COMPLEX128);
    tap_report(7, wide, "many dimensions change places at once");
    struct cm_config lesser = config;
    lesser.network_channels_per_dimension = 1;
    lesser.sequencer_loop_depth = 2;
    lesser.sequencer_sram_words = 4096;
    tap_report(8,
               test_random(&lesser, cases / 5, seed + 3) && test_wide(&lesser, 6, CM_TYPE_REAL64),
               "one channel a dimension, two loops, little SRAM");
    tap_report(9, test_two_path(&config, seed + 3), "two-path on up to 2,048 nodes");
    tap_report(10,
               test_permutations(&config, cases / 4, seed + 4) &&
                   test_permutations(&lesser, cases / 8, seed + 5),
               "any permutation of dimensions");
    return 0; /* TAP tells of failures; a program that tells its tale has done its work */
}
