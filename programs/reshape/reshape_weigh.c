/*
 * Choice among plans for CM_RESHAPE_AUTO if partners could share channels. Partners save steps, but
 * every node moves the crossing elements to a buffer. If several elements cross in one exchange,
 * partners save fewer exchanges than steps, or none. So the plans are compiled and their cycles
 * counted.
 */
#include "reshape.h"

#include <string.h>

struct choice {
    enum cm_reshape_algorithm algorithm;
    uint64_t steps, cycles;
};

static const enum cm_reshape_algorithm sharing[] = {
    /* Algorithms that can have partners. */
    CM_RESHAPE_OPEN_SHOP, CM_RESHAPE_TWO_PATH, CM_RESHAPE_PIPELINE};
#define SHARING (sizeof sharing / sizeof *sharing)

struct choices {
    struct choice items[1 + SHARING]; /* candidate plans, of which the first has no partners */
    uint32_t count;
};

/* Adds the plan of a task and its number of steps to the candidates. Leaves out an impossible plan,
 * a plan with partners if `partners` is false, and a plan without partners if `partners` is
 * true. */
static enum cm_status add_choice(struct choices *choices, const struct cm_reshape_task *task,
                                 bool partners, struct cm_error *err)
{
    struct cm_reshape_plan plan;
    struct cm_error reason; /* error of an impossible plan, which is left out */
    memset(&reason, 0, sizeof reason);
    enum cm_status status = cm_reshape_plan_elements(task, &plan, &reason);
    if (status == CM_OK && plan.partners == partners)
        choices->items[choices->count++] =
            (struct choice){.algorithm = plan.algorithm, .steps = plan.steps};
    cm_reshape_plan_finish(&plan);
    if (status == CM_NO_MEMORY && err != NULL)
        *err = reason;
    return status == CM_NO_MEMORY ? status : CM_OK;
}

static enum cm_status add_choices(struct choices *choices, const struct cm_reshape_task *task,
                                  struct cm_error *err)
{
    struct cm_reshape_task tried = *task;
    tried.no_partners = true;
    enum cm_status status = add_choice(choices, &tried, false, err);
    tried.no_partners = false;
    for (size_t i = 0; i < SHARING && status == CM_OK && choices->count > 0; i++) {
        tried.algorithm = sharing[i];
        status = add_choice(choices, &tried, true, err);
    }
    return status;
}

/* Counts the cycles of each candidate plan by executing it on a machine that moves no data. */
static enum cm_status count_cycles(struct cm_system *system, const struct cm_reshape_task *task,
                                   struct choices *choices, struct cm_error *err)
{
    struct cm_machine *machine = cm_system_machine(system);
    struct cm_layout_request request = {.type = CM_TYPE_REAL32, .rank = 1, .weights = {1}};
    struct cm_reshape_task tried = *task;
    struct cm_layout layout;
    struct cm_array *array = NULL;
    request.shape[0] = (UINT64_C(1) << task->from.dimensions) * task->slices;
    enum cm_status status = cm_layout_create(&request, cm_machine_nodes(machine), &layout, err);
    if (status == CM_OK)
        status = cm_array_create(system, "a", &layout, &array, err);
    for (uint32_t i = 0; i < choices->count && status == CM_OK; i++) {
        uint64_t before = cm_machine_counters(machine).cycles;
        tried.algorithm = choices->items[i].algorithm;
        tried.no_partners = i == 0;
        status = cm_reshape(system, &tried, array, err);
        choices->items[i].cycles = cm_machine_counters(machine).cycles - before;
    }
    cm_array_destroy(system, array);
    return status;
}

/* Returns the candidate plan with the fewest steps, among the plans that cm_reshape_weigh
 * admits. */
static const struct choice *choose(const struct choices *choices)
{
    const struct choice *alone = &choices->items[0], *taken = alone;
    uint64_t fewest = UINT64_MAX;
    for (const struct choice *c = alone; c < alone + choices->count; c++)
        if (c->steps <= alone->steps && c->cycles < fewest)
            fewest = c->cycles;
    for (const struct choice *c = alone; c < alone + choices->count; c++) {
        bool quick = c->steps <= alone->steps && c->cycles <= fewest + fewest / 50;
        bool was_quick = taken->cycles <= fewest + fewest / 50;
        if (quick && (!was_quick || c->steps < taken->steps))
            taken = c;
    }
    return taken;
}

static enum cm_status weigh(struct cm_system *system, struct cm_reshape_task *task,
                            struct cm_error *err)
{
    struct choices choices = {.count = 0};
    enum cm_status status = add_choices(&choices, task, err);
    if (status != CM_OK || choices.count < 2)
        return status;
    status = count_cycles(system, task, &choices, err);
    if (status != CM_OK)
        return status;
    const struct choice *taken = choose(&choices);
    task->no_partners = taken == &choices.items[0];
    task->auto_algorithm = task->no_partners ? CM_RESHAPE_AUTO : taken->algorithm;
    return CM_OK;
}

enum cm_status cm_reshape_weigh(const struct cm_config *config, struct cm_reshape_task *task,
                                struct cm_error *err)
{
    struct cm_machine_options options = {
        .nodes = UINT32_C(1) << task->from.node_bits, .threads = 1, .timing_only = true};
    struct cm_reshape_plan plan;
    struct cm_system *system = NULL;
    task->no_partners = false;
    task->auto_algorithm = CM_RESHAPE_AUTO;
    if (task->algorithm != CM_RESHAPE_AUTO)
        return CM_OK;
    enum cm_status status = cm_reshape_plan_elements(task, &plan, err);
    bool partners = status == CM_OK && plan.partners;
    cm_reshape_plan_finish(&plan);
    if (partners)
        status = cm_system_create(config, &options, &system, err);
    if (partners && status == CM_OK)
        status = weigh(system, task, err);
    cm_system_destroy(system);
    return status;
}
