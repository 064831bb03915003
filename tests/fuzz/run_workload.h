/*
 * What the fuzz targets of workloads do with one: the reader refuses it with a place, or it can be
 * prepared on a small machine. Those with few steps are run: the causes must add up to the cycles,
 * and with "check" the data must be right.
 */
#ifndef CM_TESTS_FUZZ_RUN_WORKLOAD_H
#define CM_TESTS_FUZZ_RUN_WORKLOAD_H

#include "caught.h"
#include "programs/workload/run_private.h"

#define STEPS_MAX 64u /* more would only take longer */

static inline void require_error(enum cm_status status, const struct cm_error *err)
{
    require(err->status == status && err->message[0] != '\0');
    require(status == CM_BAD_INPUT || status == CM_USAGE || status == CM_NO_MEMORY);
}

/* Eight nodes, little memory; a key that nothing is said about takes its least value. */
static inline struct cm_config small_machine(void)
{
    struct cm_config config = {.name = "small", .clock_hz = 1000000};
#define CM_CONFIG(section, key, type, min, max, what) config.section##_##key = min;
#include "sim/machine/config.def"
#undef CM_CONFIG
    config.network_dimensions = 3;
    config.network_channels_per_dimension = 2;
    config.memory_words = 8192;
    config.memory_page_words = 64;
    config.memory_load_cycles = 1;
    config.memory_store_cycles = 1;
    config.transposer_slots = 32;
    config.sequencer_sram_words = 4096;
    config.sequencer_loop_depth = 8;
    require(cm_config_check(&config, NULL) == CM_OK);
    return config;
}

/* Other than the machine, which the options give, and those that are only written. */
static inline bool reads_files(const struct cm_workload *workload)
{
    const struct cm_workload_file *file = cm_workload_files(workload);
    while (file != NULL && file->kind != CM_WORKLOAD_VALUES && file->kind != CM_WORKLOAD_DATA)
        file = file->next;
    return file != NULL;
}

static inline void execute(struct cm_run *run)
{
    struct cm_error err = {0};
    const struct cm_result *result = cm_run_result(run);
    uint64_t sum = 0;
    enum cm_status status = cm_run_execute(run, &err);
    require(status == CM_OK || status == CM_NO_MEMORY || status == CM_BAD_INPUT ||
            status == CM_FAULT); /* a route that is given up */
    for (int i = 0; i < CM_CAUSE_COUNT; i++)
        sum += result->total.by_cause[i];
    require(sum == result->total.cycles && result->mismatches == 0);
}

static inline void run_workload(const char *text, size_t size)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_error err = {0};
    enum cm_status status = cm_workload_parse("fuzz.json", text, size, &workload, &err);
    if (status != CM_OK) {
        require_error(status, &err);
        return;
    }
    struct cm_config config = small_machine();
    struct cm_run_options options = {
        .config = &config,
        .threads = 1,
        .nodes = workload->nodes > 8 ? 8 : 0,
        .timing_only = !workload->check,
    };
    if (!reads_files(workload)) {
        status = cm_run_create(workload, &options, &run, &err);
        if (status != CM_OK)
            require_error(status, &err);
        else if (run->total <= STEPS_MAX)
            execute(run);
    }
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}

#endif
