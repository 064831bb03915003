/*
 * The table of circular shifts (programs/network/survey.h) against the step itself: every q by
 * every method on 2 to 64 nodes, run with its data; the loads of channels against a count of every
 * path by hand; and the crossover against all lengths of messages.
 */
#include "../../programs/network/survey.h"
#include "../../programs/workload/steps/network.h"
#include "../harness/program.h"
#include "../harness/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number;
static bool all_good = true;
static char why[400];

static void report(const char *what, bool good)
{
    tap_report(++number, good, what);
    if (!good)
        printf("# %s\n", why);
    all_good = all_good && good;
}

static bool fail(enum cm_survey_method method, uint32_t p, uint32_t q, const char *what)
{
    snprintf(why, sizeof why, "%s, p %" PRIu32 ", q %" PRIu32 ": %.300s",
             cm_survey_method_name(method), p, q, what);
    return false;
}

/* The step that a row is of, as a workload has it. */
static const char *const members[CM_SURVEY_COUNT] = {
    [CM_SURVEY_RING] = "\"topology\": \"ring\"",
    [CM_SURVEY_MESH_FORWARD] = "\"topology\": \"mesh\", \"method\": \"forward\"",
    [CM_SURVEY_MESH] = "\"topology\": \"mesh\"",
    [CM_SURVEY_LINEAR] = "\"topology\": \"linear\"",
    [CM_SURVEY_PHASES] = "\"method\": \"phases\"",
    [CM_SURVEY_SIGNED] = "\"method\": \"signed\"",
    [CM_SURVEY_ECUBE] = "\"method\": \"e-cube\"",
    [CM_SURVEY_ECUBE_GRAY] = "\"method\": \"e-cube\", \"labels\": \"gray\"",
};

static bool is_mesh(enum cm_survey_method method)
{
    return method == CM_SURVEY_MESH || method == CM_SURVEY_MESH_FORWARD;
}

static bool is_routed(enum cm_survey_method method)
{
    return method == CM_SURVEY_ECUBE || method == CM_SURVEY_ECUBE_GRAY;
}

static void write_workload(const struct cm_survey_task *task, enum cm_survey_method method,
                           uint32_t q, struct cm_buffer *text)
{
    uint32_t cube = 1, side[2] = {1, 1};
    while (cube < task->nodes)
        cube *= 2;
    for (; side[0] < task->rows; side[0] *= 2)
        ;
    for (; side[1] < task->columns; side[1] *= 2)
        ;
    if (is_mesh(method))
        cube = side[0] * side[1];
    cm_buffer_printf(text,
                     "{\"format\": \"cm200-workload/1\", \"check\": true, \"nodes\": %" PRIu32
                     ", \"arrays\": {}, \"steps\": [{\"shift\": {\"by\": %" PRIu32
                     ", \"nodes\": %" PRIu32 ", \"words\": %" PRIu32 ", %s, \"ts\": %g, \"tw\": %g",
                     cube, q, task->nodes, task->words, members[method], task->ts, task->tw);
    if (is_routed(method))
        cm_buffer_printf(text, ", \"th\": %g", task->th);
    if (is_mesh(method))
        cm_buffer_printf(text, ", \"shape\": [%" PRIu32 ", %" PRIu32 "]", task->rows,
                         task->columns);
    cm_buffer_printf(text, "}}]}");
}

static bool same_row(const struct cm_survey_row *row, const struct cm_result *result)
{
    const struct cm_network_report *run = cm_step_network_report(&result->steps[0]);
    return row->cycles == result->steps[0].counters.cycles && row->steps == run->steps &&
           row->congestion == run->congestion && row->path_max == run->path_length_max &&
           row->word_times == run->word_times && row->unit_cycles == run->unit_cycles &&
           row->time_units == run->time_units && row->formula_units == run->formula_units;
}

static bool compare(const struct cm_config *config, struct cm_survey *survey,
                    enum cm_survey_method method, uint32_t q)
{
    const struct cm_survey_task *task = cm_survey_task(survey);
    const struct cm_run_options options = {.config = config, .threads = 1};
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_survey_row row;
    struct cm_buffer text;
    struct cm_error err = {0};
    cm_buffer_init(&text);
    write_workload(task, method, q, &text);
    enum cm_status status = cm_workload_parse("q", text.data, text.length, &workload, &err);
    if (status == CM_OK)
        status = cm_run_create(workload, &options, &run, &err);
    if (status == CM_OK)
        status = cm_run_execute(run, &err);
    if (status == CM_OK)
        status = cm_survey_row(survey, method, q, &row, &err);
    bool good = status == CM_OK || fail(method, task->nodes, q, err.message);
    if (good && !same_row(&row, cm_run_result(run)))
        good = fail(method, task->nodes, q, "the row is not the step's report");
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    cm_buffer_finish(&text);
    return good;
}

/* All q by all methods that serve these nodes; `rows` 0: the mesh that the survey chooses. */
static bool compare_all(const struct cm_config *config, uint32_t p, uint32_t rows, uint32_t words)
{
    const struct cm_survey_task task = {.nodes = p,
                                        .words = words,
                                        .rows = rows,
                                        .columns = rows > 0 ? p / rows : 0,
                                        .timed = true,
                                        .ts = 100,
                                        .tw = 3,
                                        .th = 2};
    struct cm_survey *survey;
    struct cm_error err = {0};
    bool good = cm_survey_create(config, &task, &survey, &err) == CM_OK;
    uint32_t served = 0;
    for (uint32_t m = 0; good && m < CM_SURVEY_COUNT; m++) {
        struct cm_circular shift;
        if (cm_survey_shift(survey, (enum cm_survey_method)m, 1, &shift, &err) != CM_OK)
            continue;
        served++;
        for (uint32_t q = 1; good && q < p; q++)
            good = compare(config, survey, (enum cm_survey_method)m, q);
    }
    cm_survey_destroy(survey);
    bool power = (p & (p - 1)) == 0;
    uint32_t expected = power ? CM_SURVEY_COUNT : p % 2 == 0 ? 4 : 1;
    return good && (served == expected || fail(CM_SURVEY_RING, p, served, "methods that serve"));
}

static void check_rows(const struct cm_config *config)
{
    bool good = true;
    for (uint32_t p = 2; good && p <= 16; p += p < 8 ? 1 : 2)
        good = compare_all(config, p, 0, p % 3 + 1);
    report("every q by every method on 2 to 16 nodes: the step's counts, with its data", good);
    report("on 32 nodes, a mesh of 2 x 16, messages of 5 words", compare_all(config, 32, 2, 5));
    report("on 64 nodes, messages of 1 and of 6 words",
           compare_all(config, 64, 0, 1) && compare_all(config, 64, 0, 6));
}

/* Runs of steps are cut short: pages that change within a step, exchanges behind other work, one
 * channel, and packets longer than the router's buffers must not matter. */
static void check_machines(const struct cm_config *config)
{
    static const char *const sets[][2] = {{"memory.page_words=4", "exchange.overlap=1"},
                                          {"network.channels_per_dimension=1", NULL},
                                          {"router.header_words=3", "router.buffer_words=2"}};
    bool good = true;
    for (size_t i = 0; good && i < sizeof sets / sizeof *sets; i++) {
        struct cm_config other = *config;
        struct cm_error err = {0};
        good = cm_config_set(&other, sets[i], sets[i][1] != NULL ? 2 : 1, &err) == CM_OK;
        if (!good)
            snprintf(why, sizeof why, "%.300s", err.message);
        good = good && compare_all(&other, 32, 0, 7);
    }
    report("on machines with other pages, exchanges, channels and routers", good);
}

static uint32_t gray(uint32_t i)
{
    return i ^ i >> 1;
}

/* Loads of e-cube counted channel by channel: how many sources have a path over it. */
static uint32_t load_of(uint32_t d, uint32_t q, bool gray_labels, uint32_t node, uint32_t k)
{
    uint32_t p = 1u << d, low = (1u << k) - 1, load = 0;
    for (uint32_t i = 0; i < p; i++) {
        uint32_t from = gray_labels ? gray(i) : i;
        uint32_t to = gray_labels ? gray((i + q) % p) : (i + q) % p;
        uint32_t at = (from & ~low) | (to & low);
        load += at == node && ((from ^ to) >> k & 1) != 0;
    }
    return load;
}

static void check_loads(const struct cm_config *config)
{
    bool good = true;
    for (uint32_t d = 1; good && d <= 6; d++) {
        const struct cm_survey_task task = {.nodes = 1u << d, .words = 1};
        struct cm_survey *survey;
        struct cm_error err = {0};
        good = cm_survey_create(config, &task, &survey, &err) == CM_OK;
        for (uint32_t q = 1; good && q < 1u << d; q++)
            for (uint32_t labels = 0; good && labels < 2; labels++) {
                enum cm_survey_method method = labels ? CM_SURVEY_ECUBE_GRAY : CM_SURVEY_ECUBE;
                struct cm_survey_row row;
                uint32_t most = 0;
                for (uint32_t c = 0; c < d << d; c++) {
                    uint32_t load = load_of(d, q, labels != 0, c / d, c % d);
                    most = load > most ? load : most;
                }
                good = cm_survey_row(survey, method, q, &row, &err) == CM_OK &&
                       (row.congestion == most || fail(method, task.nodes, q, "congestion"));
            }
        cm_survey_destroy(survey);
    }
    report("e-cube on 2 to 64 nodes: the load of every channel, source by source", good);
}

/* Whether e-cube takes no longer than phases for messages of so many words. */
static bool ahead(const struct cm_config *config, uint32_t p, uint32_t words, uint32_t q)
{
    const struct cm_survey_task task = {.nodes = p, .words = words};
    struct cm_survey *survey;
    struct cm_survey_row phases = {0}, ecube = {0};
    bool good = cm_survey_create(config, &task, &survey, NULL) == CM_OK &&
                cm_survey_row(survey, CM_SURVEY_PHASES, q, &phases, NULL) == CM_OK &&
                cm_survey_row(survey, CM_SURVEY_ECUBE, q, &ecube, NULL) == CM_OK;
    cm_survey_destroy(survey);
    return good && ecube.cycles <= phases.cycles;
}

/* From the crossover on e-cube is ahead, and for one word less it is not. */
static bool right_crossover(const struct cm_config *config, struct cm_survey *survey, uint32_t q,
                            uint32_t *words)
{
    uint32_t p = cm_survey_task(survey)->nodes;
    struct cm_survey_crossover crossover;
    struct cm_error err = {0};
    if (cm_survey_crossover(survey, q, &crossover, &err) != CM_OK)
        return fail(CM_SURVEY_ECUBE, p, q, err.message);
    *words = crossover.words;
    if (crossover.words == 0)
        return !ahead(config, p, 1000, q) || fail(CM_SURVEY_ECUBE, p, q, "there is a crossover");
    if (crossover.words > 1 && ahead(config, p, crossover.words - 1, q))
        return fail(CM_SURVEY_ECUBE, p, q, "e-cube is ahead before");
    for (uint32_t m = crossover.words; m < crossover.words + 24; m++)
        if (!ahead(config, p, m, q))
            return fail(CM_SURVEY_ECUBE, p, q, "e-cube is behind again");
    return true;
}

static void check_crossovers(const struct cm_config *config)
{
    static const char *const cheap[] = {"exchange.cycles=20", "router.word_cycles=64"};
    const struct cm_survey_task task = {.nodes = 512, .words = 1};
    struct cm_survey *survey;
    struct cm_config other = *config;
    struct cm_error err = {0};
    uint32_t words, later = 0, none = 0;
    bool good = cm_survey_create(config, &task, &survey, &err) == CM_OK;
    for (uint32_t q = 1; good && q < 512; q = q * 2 + q % 3) {
        good = right_crossover(config, survey, q, &words);
        later += words > 1;
    }
    cm_survey_destroy(survey);
    good = good && cm_config_set(&other, cheap, 2, &err) == CM_OK &&
           cm_survey_create(&other, &task, &survey, &err) == CM_OK;
    for (uint32_t q = 1; good && q < 512; q = q * 2 + q % 3) {
        good = right_crossover(&other, survey, q, &words);
        none += words == 0;
    }
    if (good)
        cm_survey_destroy(survey);
    snprintf(why + strlen(why), sizeof why - strlen(why), " later %" PRIu32 ", none %" PRIu32,
             later, none);
    report("the crossover of e-cube and phases, length by length", good && later > 0 && none > 0);
}

/* By hand, in the units ts, tw, th = 100, 3, 40: 32 nodes, q = 4, so a path of 5 - 2 channels.
 * (100 + 3 m) 9 = 100 + 3 m + 40 * 3: never above m = 0. With ts = 1: m = (120 - 8) / 24. */
static void check_equations(const struct cm_config *config)
{
    static const double ts[] = {100, 1}, expected[] = {0, 112.0 / 24};
    bool good = true;
    for (int i = 0; i < 2; i++) {
        const struct cm_survey_task task = {
            .nodes = 32, .words = 1, .timed = true, .ts = ts[i], .tw = 3, .th = 40};
        struct cm_survey *survey;
        struct cm_survey_crossover crossover = {0};
        good = cm_survey_create(config, &task, &survey, NULL) == CM_OK &&
               cm_survey_crossover(survey, 4, &crossover, NULL) == CM_OK && good &&
               crossover.formula_words > expected[i] - 1e-9 &&
               crossover.formula_words < expected[i] + 1e-9;
        cm_survey_destroy(survey);
    }
    report("the crossover of equations 4.11 and 4.12, by hand", good);
}

CM_PROGRAM(survey)
{
    struct cm_config config;
    struct tap_options options = {.machine = TAP_MACHINE};
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..7\n");
    check_rows(&config);
    check_machines(&config);
    check_loads(&config);
    check_crossovers(&config);
    check_equations(&config);
    return all_good ? 0 : 1;
}
