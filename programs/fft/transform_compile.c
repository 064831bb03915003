/* Code of a transform: it is compiled once and kept in the cache. This file also has code that the
 * IMPs of all passes share. */
#include "transform_private.h"

/* number of points in the innermost loop of a local pass, if the SRAM is large enough */
#define UNROLL_POINTS 32u

/* Compiles all passes of a transform. Tries shorter pipelines, less unrolling and smaller
 * butterflies until each pass fits the SRAM. */
static enum cm_status compile(const struct cm_fft_transform_task *task,
                              const struct cm_config *config, struct cm_fft_plan *plan,
                              struct cm_compiled *compiled, struct cm_error *err)
{
    uint32_t group = CM_FFT_GROUP_MAX, radix_bits = CM_FFT_RADIX_BITS_MAX, unroll = UNROLL_POINTS;
    enum cm_status status = CM_OK;
    for (;;) {
        cm_fft_plan_make(task, config, group, radix_bits, plan);
        for (uint32_t p = 0; status == CM_OK && p < plan->pass_count; p++) {
            const struct cm_fft_pass *pass = &plan->passes[p];
            status = cm_compiled_add(compiled,
                                     pass->local ? cm_fft_compile_local(plan, pass, unroll)
                                                 : cm_fft_compile_pipeline(plan, pass),
                                     err);
        }
        if (status != CM_OK || cm_compiled_words(compiled) <= config->sequencer_sram_words ||
            group == 1)
            return status; /* the machine refuses code that still does not fit */
        cm_compiled_drop_imps(NULL, compiled);
        group /= 2;
        unroll /= 2;
        radix_bits -= radix_bits > 1;
    }
}

/* Returns the alignment of the table in words: a page, if the words of a pipeline's steady loop fit
 * in a page, otherwise 1. */
static uint64_t alignment(const struct cm_fft_plan *plan)
{
    bool fits = plan->room_words > 0 && plan->steady_words <= plan->config->memory_page_words;
    return fits ? plan->config->memory_page_words : 1;
}

static enum cm_status make_table(struct cm_system *system, const struct cm_fft_plan *plan,
                                 struct cm_compiled *compiled, struct cm_error *err)
{
    if (plan->table_words == 0)
        return CM_OK;
    enum cm_status status = cm_compiled_reserve(system, compiled, plan->table_words,
                                                alignment(plan), "the FFT's table", err);
    if (status != CM_OK || cm_machine_timing_only(system->machine))
        return status;
    struct cm_planes planes;
    status = cm_machine_planes(system->machine, compiled->table, plan->table_words, &planes, err);
    return status == CM_OK
               ? cm_fft_table_fill(plan, cm_machine_nodes(system->machine), &planes, err)
               : status;
}

/* Makes the code of a transform. This function is a cm_compiled_make. */
static enum cm_status make(struct cm_system *system, const void *task, struct cm_compiled *compiled,
                           struct cm_error *err)
{
    struct cm_fft_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return cm_error_no_memory(err);
    enum cm_status status = compile(task, cm_machine_config(system->machine), plan, compiled, err);
    if (status == CM_OK)
        status = make_table(system, plan, compiled, err);
    compiled->variant = (int)plan->decimation;
    compiled->count = plan->factors;
    free(plan);
    return status;
}

enum cm_status cm_fft_transform_compile(struct cm_system *system,
                                        const struct cm_fft_transform_task *task,
                                        const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_FFT);
    CM_CACHE_KEY(&key, task->type, task->order, task->decimation, task->axes, task->inverse,
                 task->stepwise);
    cm_fft_mapping_key(&task->mapping, &key);
    return cm_compiled_get(system, &key, make, task, compiled, err);
}
