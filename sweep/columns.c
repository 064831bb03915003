/* Selects the columns that a sweep's table shows: the default columns, or those that the user
 * names. */
#include "sweep.h"

#include <string.h>

/* The end of a column's name that is its unit, which users may leave out. */
#define UNIT "_words_per_node_cycle"

/* Columns that a table has if the user names none. '*' stands for any part of a name between
 * slashes. */
static const char *const usual[] = {
    "nodes",
    "cycles",
    "seconds",
    "cycles_by_cause",
    "steps/*/op",
    "steps/*/path",
    "steps/*/cycles",
    "steps/*/latency/mean",
    "steps/*/latency/interval",
    "steps/*/throughput_words_per_node_cycle",
    "steps/*/throughput_interval",
    "steps/*/throughput_bound",
    "steps/*/saturated",
    "steps/*/saturation",
    "steps/*/steady",
    "checked",
    "mismatches",
    "version",
    "workload_sha256",
};
#define USUAL_COUNT ((uint32_t)(sizeof usual / sizeof *usual))

/* Columns that describe the inputs that a row was made of. The value that all rows share is written
 * next to the table. */
static const char *const made_of[] = {
    "workload",        "machine",    "nodes",      "clock_hz",       "timing_only",
    "overlap",         "program",    "parameters", "machine_values", "overrides",
    "workload_sha256", "max_cycles", "seed",       "version",        "steps/*/settings",
};

/* Returns true if a pattern selects a column: if the pattern is the name of the column, or of a
 * part of the result that contains the column. */
static bool matches(const char *pattern, const char *name)
{
    while (*pattern != '\0') {
        if (*pattern == '*') {
            pattern++;
            name += strcspn(name, "/");
        } else if (*pattern++ != *name++) {
            return false;
        }
    }
    return *name == '\0' || *name == '/' || strcmp(name, UNIT) == 0;
}

bool cm_sweep_is_named(const char *pattern, const char *name)
{
    return strcmp(pattern, "all") == 0 || matches(pattern, name);
}

bool cm_sweep_is_shown(const struct cm_sweep *sweep, const char *name)
{
    const struct cm_sweep_settings *settings = &sweep->settings;
    const char *const *patterns = settings->column_count > 0 ? settings->columns : usual;
    uint32_t count = settings->column_count > 0 ? settings->column_count : USUAL_COUNT;
    if (strcmp(name, "run") == 0 || strcmp(name, "error") == 0 || strcmp(name, "partial") == 0)
        return true;
    for (uint32_t a = 0; a < settings->axis_count; a++)
        if (strcmp(settings->axes[a].name, name) == 0)
            return true;
    for (uint32_t i = 0; i < count; i++)
        if (cm_sweep_is_named(patterns[i], name))
            return true;
    return false;
}

bool cm_sweep_is_made_of(const char *name)
{
    for (uint32_t i = 0; i < sizeof made_of / sizeof *made_of; i++)
        if (matches(made_of[i], name))
            return true;
    return false;
}
