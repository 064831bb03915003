/* Compiles the IMPs of a sort from the parts that other files emit. */
#include "sort_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Begins an IMP that has the first `arguments` of the possible arguments. */
static struct cm_imp *begin_imp(const char *name, uint32_t arguments)
{
    char names[ARGUMENTS * (CM_IMP_NAME_MAX + 1)] = "work tables src dst rank";
    size_t length = strlen(names);
    if (arguments <= ADDRESS_SRC)
        return cm_emit_begin(name, "work tables");
    for (uint32_t i = 0; ADDRESS_CARRIED + 2 * i < arguments; i++)
        length += (size_t)snprintf(names + length, sizeof names - length,
                                   " from%" PRIu32 " to%" PRIu32, i, i);
    return cm_emit_begin(name, names);
}

static void emit_begin(struct cm_sorter *c, uint32_t number)
{
    cm_sort_prepare(c);
    cm_sort_local_level(c, number);
}

static void emit_phase_end(struct cm_sorter *c, uint32_t phase)
{
    cm_sort_phase_drain(c, phase);
    cm_sort_local_merge(c);
}

static void emit_end(struct cm_sorter *c, uint32_t number)
{
    (void)number;
    cm_sort_deliver(c);
}

enum cm_status cm_sort_add(const struct cm_config *config, const struct cm_sort *own,
                           struct cm_compiled *compiled, const struct cm_sort_imp *imp,
                           struct cm_error *err)
{
    char name[CM_IMP_NAME_MAX + 1];
    snprintf(name, sizeof name, "%s-%" PRIu32, imp->what, imp->number);
    struct cm_sorter c = {
        .imp = begin_imp(name, imp->arrays ? ADDRESS_CARRIED + 2 * own->task.carried : ADDRESS_SRC),
        .config = config,
        .own = own,
        .record = &own->record};
    if (c.imp)
        imp->emit(&c, imp->number);
    return cm_compiled_add(compiled, cm_emit_end(c.imp), err);
}

enum cm_status cm_sort_add_levels(const struct cm_config *config, const struct cm_sort *own,
                                  struct cm_compiled *compiled, struct cm_error *err)
{
    const struct cm_sorter c = {.own = own, .record = &own->record};
    enum cm_status status = CM_OK;
    for (uint32_t level = 1; status == CM_OK && level < cm_sort_local_levels(&c); level++)
        status = cm_sort_add(config, own, compiled,
                             &(struct cm_sort_imp){"sort", cm_sort_local_level, level, false}, err);
    return status;
}

enum cm_status cm_sort_add_phases(const struct cm_config *config, const struct cm_sort *own,
                                  struct cm_compiled *compiled, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t phase = 1; status == CM_OK && phase <= own->dimensions; phase++) {
        status = cm_sort_add(config, own, compiled,
                             &(struct cm_sort_imp){"cube", cm_sort_phase_fill, phase, false}, err);
        if (status == CM_OK)
            status = cm_sort_add(config, own, compiled,
                                 &(struct cm_sort_imp){"merge", emit_phase_end, phase, false}, err);
    }
    return status;
}

enum cm_status cm_sort_add_begin(const struct cm_config *config, const struct cm_sort *own,
                                 struct cm_compiled *compiled, struct cm_error *err)
{
    const enum cm_status status =
        cm_sort_add(config, own, compiled, &(struct cm_sort_imp){"sort", emit_begin, 0, true}, err);
    return status == CM_OK ? cm_sort_add_levels(config, own, compiled, err) : status;
}

enum cm_status cm_sort_add_end(const struct cm_config *config, const struct cm_sort *own,
                               struct cm_compiled *compiled, struct cm_error *err)
{
    return cm_sort_add(config, own, compiled, &(struct cm_sort_imp){"deliver", emit_end, 0, true},
                       err);
}
