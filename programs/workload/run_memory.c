/* Memory of a run, and the state that all steps of a kind share. */
#include "step.h"

void *cm_run_allocate(struct cm_run *run, size_t count, size_t size, struct cm_error *err)
{
    void *memory = cm_blocks_allocate(&run->blocks, count * size);
    if (memory == NULL)
        cm_error_no_memory(err);
    return memory;
}

void *cm_run_common(const struct cm_run *run, const struct cm_step_kind *kind)
{
    for (const struct cm_run_common *common = run->commons; common != NULL; common = common->next)
        if (common->kind == kind)
            return common->state;
    return NULL;
}
