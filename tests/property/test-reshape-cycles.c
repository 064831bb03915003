/*
 * `auto` weighs cycles: where elements of one node could share channels as partners, its plan takes
 * at most 2 % more cycles than rotate's on the machine, and no more steps. Reshapes with random
 * processor dimensions, of elements of one, two and four words, and some that have been slower.
 * Prints TAP.
 *
 *   property reshape-cycles [--machine FILE] [--cases N] [--seed S]
 */
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include "../../programs/reshape/reshape.h"

#include <stdio.h>

struct problem {
    uint32_t bits, node_bits, slices;
    uint64_t from, to; /* where axes end */
    uint64_t processors;
};

struct tally {
    uint32_t partners, apart;
};

static enum cm_status allocate(const struct problem *problem, uint64_t ends,
                               struct cm_allocation *allocation, struct cm_error *err)
{
    uint64_t shape[8] = {1};
    uint32_t rank = 0;
    for (uint32_t d = 0; d < problem->bits; d++) {
        shape[rank] *= 2;
        if ((ends >> d & 1) && d + 1 < problem->bits)
            shape[++rank] = 1;
    }
    return cm_allocation_create(shape, rank + 1, UINT32_C(1) << problem->node_bits,
                                CM_ENCODING_GRAY, CM_PROCESSOR_LIST, problem->processors,
                                allocation, err);
}

/* Cycles on a machine that moves no data; 0: failed. */
static uint64_t cycles_of(const struct cm_config *config, const struct problem *problem,
                          const struct cm_reshape_task *task, struct cm_error *err)
{
    struct cm_machine_options options = {
        .nodes = UINT32_C(1) << problem->node_bits, .threads = 1, .timing_only = true};
    struct cm_layout_request request = {.type = problem->slices == 1   ? CM_TYPE_REAL32
                                                : problem->slices == 2 ? CM_TYPE_REAL64
                                                                       : CM_TYPE_COMPLEX128,
                                        .rank = 1,
                                        .shape = {UINT64_C(1) << problem->bits},
                                        .weights = {1}};
    struct cm_system *system = NULL;
    struct cm_array *array = NULL;
    struct cm_layout layout;
    uint64_t cycles = 0;
    if (cm_system_create(config, &options, &system, err) == CM_OK &&
        cm_layout_create(&request, options.nodes, &layout, err) == CM_OK &&
        cm_array_create(system, "a", &layout, &array, err) == CM_OK &&
        cm_reshape(system, task, array, err) == CM_OK)
        cycles = cm_machine_counters(cm_system_machine(system)).cycles;
    cm_array_destroy(system, array);
    cm_system_destroy(system);
    return cycles;
}

/* By rotate: cycles, and steps. */
static bool rotate(const struct cm_config *config, const struct problem *problem,
                   const struct cm_reshape_task *task, uint64_t *cycles, uint64_t *steps,
                   struct cm_error *err)
{
    struct cm_reshape_task rotated = *task;
    struct cm_reshape_plan plan;
    rotated.algorithm = CM_RESHAPE_ROTATE;
    bool good = cm_reshape_plan_elements(&rotated, &plan, err) == CM_OK;
    *steps = plan.steps;
    cm_reshape_plan_finish(&plan);
    *cycles = good ? cycles_of(config, problem, &rotated, err) : 0;
    return *cycles > 0;
}

static const char *judge(const struct cm_config *config, const struct problem *problem,
                         struct tally *tally, struct cm_error *err)
{
    struct cm_reshape_task task = {.slices = problem->slices};
    struct cm_reshape_plan plan;
    uint64_t cycles, rotated = 0, most = 0;
    if (allocate(problem, problem->from, &task.from, err) != CM_OK ||
        allocate(problem, problem->to, &task.to, err) != CM_OK)
        return "no allocation";
    if (cm_reshape_weigh(config, &task, err) != CM_OK)
        return "not weighed";
    enum cm_status status = cm_reshape_plan_elements(&task, &plan, err);
    bool partners = plan.partners,
         apart = task.no_partners || task.auto_algorithm != CM_RESHAPE_AUTO;
    uint64_t steps = plan.steps;
    cm_reshape_plan_finish(&plan);
    if (status != CM_OK)
        return "no plan";
    if (!partners && !apart)
        return NULL;
    tally->partners += partners;
    tally->apart += apart;
    cycles = cycles_of(config, problem, &task, err);
    if (cycles == 0 || !rotate(config, problem, &task, &rotated, &most, err))
        return "the machine";
    if (steps > most)
        return "more steps than rotate's";
    return 100 * cycles > 102 * rotated ? "more cycles than rotate's" : NULL;
}

static bool judged(const struct cm_config *config, const struct problem *problem,
                   struct tally *tally)
{
    struct cm_error err;
    memset(&err, 0, sizeof err);
    const char *wrong = judge(config, problem, tally, &err);
    if (wrong != NULL)
        printf("# %s: %s: %" PRIu32 " dimensions, %" PRIu32 " words, processors %" PRIx64
               ", ends %" PRIx64 " to %" PRIx64 "\n",
               wrong, err.message, problem->bits, problem->slices, problem->processors,
               problem->from, problem->to);
    return wrong == NULL;
}

/* Fewer steps by partners, but for elements of one word 2 to 15 % more cycles. */
static bool test_known(const struct cm_config *config)
{
    static const struct problem problems[] = {
        {10, 6, 1, 0x047, 0x010, 0x137}, /* 8x16x2x2x2 to 32x32 */
        {10, 6, 1, 0x17a, 0x0de, 0x1ec}, /* 2x4x2x2x2x4x4 to 4x2x4x2x2x2x4 */
        {10, 6, 1, 0x04d, 0x0a2, 0x39c}, /* 8x8x2x4x2 to 4x4x16x4 */
    };
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (!judged(config, &problems[i], &tally))
            return false;
    printf("# with partners %" PRIu32 ", apart %" PRIu32 "\n", tally.partners, tally.apart);
    return tally.apart > 0;
}

static uint64_t draw_ends(struct cm_random *random, uint32_t bits)
{
    uint64_t ends;
    do
        ends = cm_random_below(random, UINT32_C(1) << (bits - 1));
    while (__builtin_popcountll(ends) > 6);
    return ends;
}

static bool test_random(const struct cm_config *config, uint32_t cases, uint64_t seed)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < cases; i++) {
        struct cm_random random = cm_random_of_case(seed, i);
        struct problem problem = {.node_bits = 1 + cm_random_below(&random, 6)};
        problem.bits = problem.node_bits + 1 + cm_random_below(&random, 6);
        problem.slices = UINT32_C(1) << cm_random_below(&random, 3);
        problem.from = draw_ends(&random, problem.bits);
        problem.to = draw_ends(&random, problem.bits);
        while ((uint32_t)__builtin_popcountll(problem.processors) < problem.node_bits)
            problem.processors |= UINT64_C(1) << cm_random_below(&random, problem.bits);
        if (!judged(config, &problem, &tally)) {
            printf("# seed %" PRIu64 ", case %" PRIu32 "\n", seed, i);
            return false;
        }
    }
    printf("# seed %" PRIu64 ": with partners %" PRIu32 ", apart %" PRIu32 "\n", seed,
           tally.partners, tally.apart);
    return tally.partners > cases / 10 && tally.apart > 0;
}

CM_PROGRAM(reshape_cycles)
{
    struct cm_config config;
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 1200, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..2\n");
    tap_report(1, test_known(&config), "plans that were slower than rotate's");
    tap_report(2, test_random(&config, (uint32_t)options.cases, options.seed),
               "random lists of processor dimensions");
    return 0;
}
