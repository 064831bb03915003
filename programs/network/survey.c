/* Counts the costs of circular shifts by all methods, without moving data. */
#include "survey.h"

#include "../../base/list.h"
#include "network_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* most repetitions of a run's steps that are executed. Each further repetition costs as much as the
 * last one */
#define REPETITIONS 4u

/* Microprogram of a plan, and its cost in cycles. Plans with equal words, and with equal times and
 * directions of all runs, have equal microprograms. */
struct program {
    uint32_t run_count, words;
    uint32_t times[CM_CIRCULAR_RUNS_MAX];
    uint8_t ways[CM_CIRCULAR_RUNS_MAX]; /* directions of each run: a sum of WAY_ numbers */
    uint64_t cycles;
};
enum { WAY_FORWARD = 1, WAY_BACK = 2, WAY_LAST = 4 };

struct cm_survey {
    const struct cm_config *config;
    struct cm_survey_task task;
    struct cm_system *routed; /* system whose router counts shifts by e-cube */
    CM_LIST(struct program) programs;
    /* load of each wire at [node * dimensions + dimension]. It is zero between the computations of
     * rows */
    uint16_t *load;
    /* for each distance q of a shift, the word times that the router takes with Gray labels. 0: not
     * yet computed */
    uint64_t *gray_times;
};

static const struct {
    const char *name;
    struct cm_circular shift;
} methods[CM_SURVEY_COUNT] = {
    [CM_SURVEY_RING] = {"ring", {.topology = CM_TOPOLOGY_RING}},
    [CM_SURVEY_MESH_FORWARD] = {"mesh-forward",
                                {.topology = CM_TOPOLOGY_MESH, .method = CM_CIRCULAR_FORWARD}},
    [CM_SURVEY_MESH] = {"mesh", {.topology = CM_TOPOLOGY_MESH, .method = CM_CIRCULAR_SHORTER}},
    [CM_SURVEY_LINEAR] = {"linear", {.topology = CM_TOPOLOGY_LINEAR}},
    [CM_SURVEY_PHASES] = {"phases",
                          {.topology = CM_TOPOLOGY_HYPERCUBE,
                           .method = CM_CIRCULAR_PHASES,
                           .labels = CM_LABELS_GRAY}},
    [CM_SURVEY_SIGNED] = {"signed",
                          {.topology = CM_TOPOLOGY_HYPERCUBE,
                           .method = CM_CIRCULAR_SIGNED,
                           .labels = CM_LABELS_GRAY}},
    [CM_SURVEY_ECUBE] = {"e-cube",
                         {.topology = CM_TOPOLOGY_HYPERCUBE, .method = CM_CIRCULAR_ECUBE}},
    [CM_SURVEY_ECUBE_GRAY] = {"e-cube-gray",
                              {.topology = CM_TOPOLOGY_HYPERCUBE,
                               .method = CM_CIRCULAR_ECUBE,
                               .labels = CM_LABELS_GRAY}},
};

const char *cm_survey_method_name(enum cm_survey_method method)
{
    return (unsigned)method < CM_SURVEY_COUNT ? methods[method].name : "?";
}

static bool fits_cube(uint32_t length)
{
    return length == 1 || length % 2 == 0;
}

/* Chooses the squarest mesh that fits the cube. If there is no such mesh, chooses a single row,
 * which is refused later. */
static void choose_mesh(struct cm_survey_task *task)
{
    if (task->rows != 0)
        return;
    task->rows = 1;
    for (uint32_t rows = 1; (uint64_t)rows * rows <= task->nodes; rows++)
        if (task->nodes % rows == 0 && fits_cube(rows) && fits_cube(task->nodes / rows))
            task->rows = rows;
    task->columns = task->nodes / task->rows;
}

static uint32_t cube_bits(uint32_t nodes)
{
    uint32_t bits = 0;
    while (UINT32_C(1) << bits < nodes)
        bits++;
    return bits;
}

enum cm_status cm_survey_create(const struct cm_config *config, const struct cm_survey_task *task,
                                struct cm_survey **out, struct cm_error *err)
{
    struct cm_survey *survey = *out = calloc(1, sizeof *survey);
    if (survey == NULL)
        return cm_error_no_memory(err);
    survey->config = config;
    survey->task = *task;
    if (task->nodes < 2 || task->nodes > CM_CIRCULAR_NODES_MAX)
        return cm_error_refuse(err, "a circular shift needs two nodes or more",
                               "nodes is %" PRIu32 ", expected 2 to %u", task->nodes,
                               CM_CIRCULAR_NODES_MAX);
    choose_mesh(&survey->task);
    uint32_t bits = cube_bits(task->nodes);
    survey->load = calloc(((size_t)bits << bits) + 1, sizeof *survey->load);
    survey->gray_times = calloc(task->nodes, sizeof *survey->gray_times);
    if (survey->load == NULL || survey->gray_times == NULL)
        return cm_error_no_memory(err);
    const struct cm_machine_options options = {.nodes = 1, .threads = 1, .timing_only = true};
    return cm_system_create(config, &options, &survey->routed, err);
}

void cm_survey_destroy(struct cm_survey *survey)
{
    if (survey == NULL)
        return;
    cm_system_destroy(survey->routed);
    free(survey->programs.items);
    free(survey->load);
    free(survey->gray_times);
    free(survey);
}

const struct cm_survey_task *cm_survey_task(const struct cm_survey *survey)
{
    return &survey->task;
}

/* Returns the router's options for a message, which must equal those of the step `shift`. */
static struct cm_router_options message_options(const struct cm_survey *survey, uint32_t dimensions,
                                                uint32_t words)
{
    struct cm_router_options options = cm_network_message_options(words);
    cm_network_complete_options(survey->config, &options);
    options.dimensions = dimensions;
    return options;
}

struct cm_survey_times cm_survey_times(const struct cm_survey *survey)
{
    struct cm_router_options options = message_options(survey, 2, 1);
    return (struct cm_survey_times){
        .exchange_word = survey->config->exchange_cycles,
        .router_word = survey->config->router_word_cycles,
        .router_hop = (cm_router_header_time(&options, 2) - cm_router_header_time(&options, 1)) *
                      survey->config->router_word_cycles,
    };
}

static struct cm_circular shift_of(const struct cm_survey *survey, enum cm_survey_method method,
                                   uint32_t by)
{
    struct cm_circular shift = methods[method].shift;
    shift.nodes = survey->task.nodes;
    shift.words = survey->task.words;
    shift.by = by;
    if (shift.topology == CM_TOPOLOGY_MESH) {
        shift.rows = survey->task.rows;
        shift.columns = survey->task.columns;
    }
    return shift;
}

/* Makes the plan of a shift. Fails if a machine cannot have so many nodes. */
static enum cm_status make_plan(const struct cm_survey *survey, const struct cm_circular *shift,
                                struct cm_circular_plan *plan, struct cm_error *err)
{
    enum cm_status status = cm_circular_plan(shift, plan, err);
    if (status != CM_OK || plan->dimensions <= survey->config->network_dimensions)
        return status;
    return cm_error_refuse(err, "choose fewer nodes, or a larger machine",
                           "the shift needs a cube of %" PRIu32 " nodes; the machine has %" PRIu32,
                           UINT32_C(1) << plan->dimensions,
                           UINT32_C(1) << survey->config->network_dimensions);
}

enum cm_status cm_survey_shift(const struct cm_survey *survey, enum cm_survey_method method,
                               uint32_t by, struct cm_circular *shift, struct cm_error *err)
{
    struct cm_circular_plan plan;
    *shift = shift_of(survey, method, by);
    enum cm_status status = make_plan(survey, shift, &plan, err);
    cm_circular_plan_finish(&plan);
    return status;
}

/* Returns the description of a plan's microprogram, without its cost. */

static struct program program_of(const struct cm_circular_plan *plan)
{
    struct program program = {.run_count = plan->run_count, .words = plan->task.words};
    for (uint32_t i = 0; i < plan->run_count; i++) {
        const struct cm_circular_run *run = &plan->runs[i];
        program.times[i] = run->times;
        program.ways[i] =
            (uint8_t)((run->to != NULL ? WAY_FORWARD : 0) | (run->back != NULL ? WAY_BACK : 0) |
                      (run->last ? WAY_LAST : 0));
    }
    return program;
}

static bool same_program(const struct program *a, const struct program *b)
{
    return a->run_count == b->run_count && a->words == b->words &&
           memcmp(a->times, b->times, sizeof a->times) == 0 &&
           memcmp(a->ways, b->ways, sizeof a->ways) == 0;
}

/* Runs a plan on a new machine, with the numbers of repetitions in `program`, and sets
 * program->cycles. */
static enum cm_status run_program(struct cm_survey *survey, const struct cm_circular_plan *plan,
                                  struct program *program, struct cm_error *err)
{
    const struct cm_machine_options options = {
        .nodes = UINT32_C(1) << plan->dimensions, .threads = 1, .timing_only = true};
    struct cm_circular_plan shorter = *plan;
    struct cm_system *system;
    enum cm_status status = cm_system_create(survey->config, &options, &system, err);
    for (uint32_t i = 0; i < plan->run_count; i++)
        shorter.runs[i].times = program->times[i];
    if (status == CM_OK)
        status = cm_network_run_plan(system, &shorter, err);
    if (status == CM_OK)
        program->cycles = cm_machine_counters(system->machine).cycles;
    cm_system_destroy(system);
    return status;
}

static enum cm_status cycles_of(struct cm_survey *survey, const struct cm_circular_plan *plan,
                                struct program *program, struct cm_error *err)
{
    for (uint32_t i = 0; i < survey->programs.count; i++)
        if (same_program(&survey->programs.items[i], program)) {
            program->cycles = survey->programs.items[i].cycles;
            return CM_OK;
        }
    enum cm_status status = run_program(survey, plan, program, err);
    if (status != CM_OK)
        return status;
    cm_list_push(&survey->programs, *program);
    return survey->programs.failed ? cm_error_no_memory(err) : CM_OK;
}

/* Counts the cycles of a plan. A few steps of each run are executed. For the rest of a longer run,
 * the cost of one more step is added for each step. */
static enum cm_status count_plan(struct cm_survey *survey, const struct cm_circular_plan *plan,
                                 uint64_t *cycles, struct cm_error *err)
{
    struct program few = program_of(plan);
    for (uint32_t i = 0; i < few.run_count; i++)
        if (few.times[i] > REPETITIONS)
            few.times[i] = REPETITIONS;
    enum cm_status status = cycles_of(survey, plan, &few, err);
    *cycles = few.cycles;
    for (uint32_t i = 0; status == CM_OK && i < few.run_count; i++) {
        uint64_t left = plan->runs[i].times - few.times[i];
        struct program more = few;
        if (left == 0)
            continue;
        more.times[i]++;
        status = cycles_of(survey, plan, &more, err);
        *cycles += left * (more.cycles - few.cycles);
    }
    return status;
}

/* Returns the largest number of messages that cross one channel in one step. A node sends at most
 * one message in each direction. */
static uint32_t count_steps(const struct cm_circular_plan *plan)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < plan->run_count; i++) {
        const struct cm_circular_run *run = &plan->runs[i];
        for (uint32_t node = 0; node < UINT32_C(1) << plan->dimensions; node++) {
            const uint32_t none = CM_CIRCULAR_NOBODY;
            uint32_t to = run->to != NULL ? run->to[node] : none;
            uint32_t back = run->back != NULL ? run->back[node] : none;
            uint32_t sends = to != none && to != node, too = back != none && back != node;
            uint32_t messages = sends && too && to == back ? 2 : sends || too;
            most = messages > most ? messages : most;
        }
    }
    return most;
}

static enum cm_status describe_plan(struct cm_survey *survey, const struct cm_circular_plan *plan,
                                    struct cm_survey_row *row, struct cm_error *err)
{
    const struct cm_survey_task *task = &survey->task;
    uint32_t channels = survey->config->network_channels_per_dimension;
    uint64_t a_step = (plan->task.words + channels - 1) / channels;
    row->steps = row->path_max = plan->steps;
    row->congestion = count_steps(plan);
    row->word_times = plan->steps * a_step;
    row->unit_cycles = survey->config->exchange_cycles;
    row->time_units = (double)plan->steps * (task->ts + task->tw * (double)a_step);
    return count_plan(survey, plan, &row->cycles, err);
}

/* Follows every message of e-cube from the lowest dimension up, and counts the loads of
 * channels. */
static void count_paths(struct cm_survey *survey, const struct cm_circular_plan *plan,
                        struct cm_survey_row *row)
{
    uint32_t p = plan->task.nodes, d = plan->dimensions;
    row->congestion = row->path_max = 0;
    for (uint32_t label = 0; label < p; label++) {
        uint32_t node = plan->node_of[label], length = 0;
        uint32_t rest = node ^ plan->node_of[(label + plan->task.by) % p];
        for (; rest != 0; rest &= rest - 1, length++) {
            uint32_t dimension = (uint32_t)__builtin_ctz(rest);
            uint32_t load = ++survey->load[(size_t)node * d + dimension];
            row->congestion = load > row->congestion ? load : row->congestion;
            node ^= UINT32_C(1) << dimension;
        }
        row->path_max = length > row->path_max ? length : row->path_max;
    }
    memset(survey->load, 0, ((size_t)d << d) * sizeof *survey->load);
}

struct feed {
    const struct cm_circular_plan *plan;
    uint32_t label;
};

static bool next_message(void *context, struct cm_router_packet *packet)
{
    struct feed *feed = context;
    if (feed->label == feed->plan->task.nodes)
        return false;
    *packet = cm_network_message(feed->plan, feed->label++);
    return true;
}

/* Runs the router for the messages of a shift, and sets *word_times to the time that it takes. */
static enum cm_status route(const struct cm_circular_plan *plan,
                            const struct cm_router_options *options, uint64_t *word_times,
                            struct cm_error *err)
{
    struct feed feed = {plan, 0};
    const struct cm_router_traffic traffic = {.context = &feed, .next = next_message};
    struct cm_router_result result;
    struct cm_router *router;
    enum cm_status status = cm_router_create(options, &router, err);
    if (status == CM_OK)
        status = cm_router_run(router, &traffic, &result, err);
    cm_router_destroy(router);
    if (status == CM_OK)
        *word_times = result.word_times;
    return status;
}

/*
 * Sets *word_times to the time of a shift by e-cube with Gray labels. Label p - 1 - i has the Gray
 * code of label i except for the highest bit. So the paths of a shift by p - q are those of a shift
 * by q in the other half of the cube, over the same dimensions. The router decides by times and
 * dimensions alone, so both shifts take the same time.
 */
static enum cm_status route_gray(struct cm_survey *survey, const struct cm_circular_plan *plan,
                                 const struct cm_router_options *options, uint64_t *word_times,
                                 struct cm_error *err)
{
    uint64_t *known = &survey->gray_times[plan->task.nodes - plan->task.by];
    enum cm_status status = CM_OK;
    if (*known == 0)
        status = route(plan, options, known, err);
    *word_times = survey->gray_times[plan->task.by] = *known;
    return status;
}

static uint64_t routed_cycles(struct cm_survey *survey, uint64_t word_times)
{
    struct cm_machine *machine = survey->routed->machine;
    uint64_t before = cm_machine_counters(machine).cycles;
    cm_machine_route(machine, word_times, 0);
    return cm_machine_counters(machine).cycles - before;
}

static uint64_t time_alone(const struct cm_router_options *options, uint32_t hops)
{
    return cm_router_header_time(options, hops) + cm_router_body_time(options, hops);
}

static enum cm_status describe_routed(struct cm_survey *survey, const struct cm_circular_plan *plan,
                                      struct cm_survey_row *row, struct cm_error *err)
{
    const struct cm_survey_task *task = &survey->task;
    struct cm_router_options options = message_options(survey, plan->dimensions, plan->task.words);
    enum cm_status status = CM_OK;
    count_paths(survey, plan, row);
    row->word_times = time_alone(&options, row->path_max);
    /* Packets wait only if paths share a channel, which never happens with binary labels. */
    if (row->congestion > 1)
        status = route_gray(survey, plan, &options, &row->word_times, err);
    row->steps = 1;
    row->unit_cycles = survey->config->router_word_cycles;
    row->cycles = routed_cycles(survey, row->word_times);
    row->time_units =
        task->ts + task->th * row->path_max +
        task->tw * (double)(row->word_times + 1 - cm_router_header_time(&options, row->path_max));
    return status;
}

enum cm_status cm_survey_row(struct cm_survey *survey, enum cm_survey_method method, uint32_t by,
                             struct cm_survey_row *row, struct cm_error *err)
{
    const struct cm_survey_task *task = &survey->task;
    const struct cm_survey_times times = cm_survey_times(survey);
    struct cm_circular shift = shift_of(survey, method, by);
    struct cm_circular_plan plan;
    bool routed = shift.method == CM_CIRCULAR_ECUBE;
    *row = (struct cm_survey_row){.by = by, .method = method};
    enum cm_status status = make_plan(survey, &shift, &plan, err);
    if (status == CM_OK)
        status = routed ? describe_routed(survey, &plan, row, err)
                        : describe_plan(survey, &plan, row, err);
    cm_circular_plan_finish(&plan);
    if (status != CM_OK)
        return status;
    row->formula_units = cm_circular_formula_time(&shift, task->ts, task->tw, task->th);
    row->formula_cycles = cm_circular_formula_time(
        &shift, 0, (double)(routed ? times.router_word : times.exchange_word),
        (double)times.router_hop);
    return CM_OK;
}

/* Returns the length m of messages at which two formulas of the textbook give the same time. Solves
 * (ts + tx m) (2 log p - 1) = ts + tr m + th l for m, where tx is the word time of a step, tr the
 * word time of the router, and l the longest path. */
static double equations_cross(const struct cm_survey *survey, uint32_t path_max)
{
    const struct cm_survey_task *task = &survey->task;
    const struct cm_survey_times times = cm_survey_times(survey);
    double steps = 2.0 * cube_bits(task->nodes) - 1;
    double ts = task->timed ? task->ts : 0;
    double tx = task->timed ? task->tw : (double)times.exchange_word;
    double tr = task->timed ? task->tw : (double)times.router_word;
    double th = task->timed ? task->th : (double)times.router_hop;
    double more = th * path_max - ts * (steps - 1), word = tx * steps - tr;
    if (more <= 0 && word >= 0)
        return 0;
    return word > 0 ? more / word : -1;
}

/* Sets *more to the cycles that phases take in addition to those of e-cube, for messages of `words`
 * words. */
static enum cm_status compare(struct cm_survey *survey, struct cm_circular_plan *plan,
                              uint32_t path_max, uint32_t words, int64_t *more,
                              struct cm_error *err)
{
    struct cm_router_options options = message_options(survey, plan->dimensions, words);
    uint64_t cycles;
    plan->task.words = words;
    enum cm_status status = count_plan(survey, plan, &cycles, err);
    *more = (int64_t)cycles - (int64_t)routed_cycles(survey, time_alone(&options, path_max));
    return status;
}

/*
 * Finds the length of messages from which on e-cube takes no longer than phases. The last exchange
 * of a message may leave channels idle, so the difference of cycles has a period of as many words
 * as there are channels. E-cube must be ahead for a whole period. The search ends if e-cube does
 * not gain from one period to the next.
 */
static enum cm_status find_crossing(struct cm_survey *survey, struct cm_circular_plan *plan,
                                    struct cm_survey_crossover *crossover, struct cm_error *err)
{
    uint32_t period = survey->config->network_channels_per_dimension, ahead = 0;
    int64_t before = 0, more;
    enum cm_status status = CM_OK;
    for (uint32_t words = 1; status == CM_OK && words <= CM_SURVEY_WORDS_MAX; words++) {
        status = compare(survey, plan, crossover->path_max, words, &more, err);
        ahead = more >= 0 ? ahead + 1 : 0;
        if (ahead == period) {
            crossover->words = words - period + 1;
            return status;
        }
        if (words % period != 0)
            continue;
        if (words > 4 * period && more <= before)
            return status; /* E-cube will never catch up. */
        before = more;
    }
    return status;
}

enum cm_status cm_survey_crossover(struct cm_survey *survey, uint32_t by,
                                   struct cm_survey_crossover *crossover, struct cm_error *err)
{
    struct cm_circular shift = shift_of(survey, CM_SURVEY_ECUBE, by);
    struct cm_circular_plan plan;
    struct cm_survey_row row;
    *crossover = (struct cm_survey_crossover){.by = by};
    enum cm_status status = make_plan(survey, &shift, &plan, err);
    if (status == CM_OK)
        count_paths(survey, &plan, &row);
    cm_circular_plan_finish(&plan);
    if (status != CM_OK)
        return status;
    crossover->path_max = row.path_max;
    crossover->formula_words = equations_cross(survey, row.path_max);
    shift = shift_of(survey, CM_SURVEY_PHASES, by);
    status = make_plan(survey, &shift, &plan, err);
    crossover->phases_steps = plan.steps;
    if (status == CM_OK)
        status = find_crossing(survey, &plan, crossover, err);
    cm_circular_plan_finish(&plan);
    return status;
}
