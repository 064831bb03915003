/* Checks runs without copies of their arrays on the host: first values and expected elements are
 * computed one by one from formulas (formula.h). */
#include "../../base/processes.h"
#include "../system/visit.h"
#include "step.h"

#include <inttypes.h>
#include <string.h>

/* Returns true if every step has a formula and every array starts in its canonical layout. */
static bool have_formulas(const struct cm_run *run)
{
    const struct cm_workload *workload = run->workload;
    if (workload->step_count > CM_FORMULA_SHIFTS)
        return false;
    for (uint32_t i = 0; i < workload->step_count; i++) {
        const struct cm_step_kind *kind = workload->steps[i].kind;
        if (kind->has_formula == NULL || !kind->has_formula(&workload->steps[i]))
            return false;
    }
    for (uint32_t i = 0; i < workload->array_count; i++)
        if (workload->arrays[i].allocated)
            return false;
    return true;
}

/* Maps the .npy files of first values. Sets *all to false if a file cannot be mapped. */
static enum cm_status map_files(struct cm_run *run, bool *all, struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    enum cm_status status = CM_OK;
    *all = true;
    run->maps = cm_run_allocate(run, workload->array_count + 1u, sizeof *run->maps, err);
    if (run->maps == NULL)
        return CM_NO_MEMORY;
    for (uint32_t i = 0; status == CM_OK && i < workload->array_count; i++) {
        const struct cm_init *init = &workload->arrays[i].init;
        if (init->kind != CM_INIT_NPY)
            continue;
        status = cm_init_map(init, &run->arrays[i]->layout, &run->maps[i], err);
        *all = *all && run->maps[i].memory != NULL;
        if (status != CM_OK)
            cm_workload_place(init->json, err);
    }
    return status;
}

enum cm_status cm_run_check_maps(const struct cm_run *run, struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; run->maps != NULL && status == CM_OK && i < workload->array_count; i++)
        if (run->maps[i].memory != NULL)
            status = cm_npy_map_check(&run->maps[i], workload->arrays[i].init.file->path, err);
    return status;
}

enum cm_status cm_run_create_formulas(struct cm_run *run, struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    bool all;
    if (!have_formulas(run))
        return CM_OK;
    enum cm_status status = map_files(run, &all, err);
    if (status != CM_OK || !all)
        return status;
    run->formulas = cm_run_allocate(run, workload->array_count + 1u, sizeof *run->formulas, err);
    for (uint32_t i = 0; run->formulas != NULL && i < workload->array_count; i++) {
        struct cm_formula *formula = &run->formulas[i];
        const struct cm_layout_request *request = &workload->arrays[i].request;
        formula->init = &workload->arrays[i].init;
        formula->map = run->maps[i].memory != NULL ? &run->maps[i] : NULL;
        formula->type = request->type;
        formula->rank = request->rank;
        memcpy(formula->shape, request->shape, sizeof formula->shape);
    }
    return run->formulas == NULL ? CM_NO_MEMORY : CM_OK;
}

static void store(void *context, uint64_t e, void *element)
{
    cm_formula_element(context, e, element);
}

enum cm_status cm_run_fill_by_formula(struct cm_run *run, uint32_t array, struct cm_error *err)
{
    const struct cm_array_visit visit = {.context = &run->formulas[array], .store = store};
    return cm_array_visit(run->system, run->arrays[array], &visit, err);
}

struct comparison {
    const struct cm_formula *formula;
    uint64_t differ, first;
    /* expected value and found value of the first element that differs, in the host's format */
    uint64_t expected[2], found[2];
};

static void compare(void *context, uint64_t e, const void *element)
{
    struct comparison *c = context;
    uint64_t expected[2] = {0}, ignored = 0;
    cm_formula_element(c->formula, e, expected);
    if (cm_reference_compare(c->formula->type, 1, expected, element, &ignored) == 0)
        return;
    c->differ++;
    if (e >= c->first)
        return;
    c->first = e;
    memcpy(c->expected, expected, sizeof expected);
    memcpy(c->found, element, cm_type_host_bytes(c->formula->type));
}

/* Combines the comparisons of all processes and finds the first element that differs anywhere. */
static enum cm_status combine(struct comparison *c, struct cm_error *err)
{
    const struct cm_process_link *link = cm_processes();
    uint64_t first = c->first;
    enum cm_status status = cm_processes_sum(link, &c->differ, 1, err);
    if (status == CM_OK)
        status = cm_processes_min(link, &first, 1, err);
    if (first != c->first) {
        memset(c->expected, 0, sizeof c->expected);
        memset(c->found, 0, sizeof c->found);
    }
    c->first = first;
    if (status == CM_OK)
        status = cm_processes_or(link, c->expected, 2, err);
    return status == CM_OK ? cm_processes_or(link, c->found, 2, err) : status;
}

enum cm_status cm_run_check_formula(struct cm_run *run, const struct cm_run_step *step,
                                    uint32_t array, struct cm_step_result *result,
                                    struct cm_error *err)
{
    struct comparison c = {.formula = &run->formulas[array], .first = UINT64_MAX};
    const struct cm_array_visit visit = {.context = &c, .read = compare};
    result->checked = true;
    enum cm_status status = cm_array_visit(run->system, run->arrays[array], &visit, err);
    if (status == CM_OK)
        status = combine(&c, err);
    if (status != CM_OK || c.differ == 0)
        return status;
    if (run->result.mismatches == 0)
        cm_run_describe_mismatch(run, step,
                                 &(struct cm_mismatch){.array = array,
                                                       .first = c.first,
                                                       .differ = c.differ,
                                                       .expected = c.expected,
                                                       .found = c.found},
                                 err);
    result->mismatches += c.differ;
    run->result.mismatches += c.differ;
    return CM_OK;
}
