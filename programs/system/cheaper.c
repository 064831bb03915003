/* Counts the cycles of two IMPs before they run, and takes the cheaper one. */
#include "cheaper.h"

/* Sets *cycles to the cycles that an IMP takes. Returns false if the IMP cannot be run. */
static bool count_cycles(struct cm_system *system, const struct cm_imp *imp,
                         const struct cm_actual *actuals, uint64_t *cycles)
{
    const struct cm_machine_options options = {
        .nodes = cm_machine_nodes(system->machine), .threads = 1, .timing_only = true};
    struct cm_machine *machine = NULL;
    enum cm_status status =
        cm_machine_create(cm_machine_config(system->machine), &options, &machine, NULL);
    if (status == CM_OK)
        status = cm_machine_load_imp(machine, imp, NULL);
    if (status == CM_OK)
        status = cm_machine_run(machine, imp, actuals, CM_ENTRY_CHAINED, NULL);
    if (status == CM_OK)
        *cycles = cm_machine_counters(machine).cycles;
    cm_machine_destroy(machine);
    return status == CM_OK;
}

struct cm_imp *cm_cheaper_imp(struct cm_system *system, struct cm_imp *first, struct cm_imp *second,
                              const struct cm_actual *actuals)
{
    uint64_t one, other;
    const bool better = second != NULL && count_cycles(system, first, actuals, &one) &&
                        count_cycles(system, second, actuals, &other) && other < one;
    cm_imp_destroy(better ? first : second);
    return better ? second : first;
}
