/* The axes of `cm200 sweep`, from the texts of --over: NAME=A,B,C or NAME=FIRST:LAST:STEP or
 * NAME=FIRST:LAST:*FACTOR. This file also prints mistakes in them. */
#include "sweep_axes.h"

#include "../base/range.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *over, const char *why)
{
    return shell_usage("sweep", "--over %s: %s", shell_shown(over).text, why);
}

static int refuse_range(const char *over, enum cm_range_fault fault)
{
    struct cm_error err;
    cm_error_set(&err, CM_USAGE, "--over %s: %s", shell_shown(over).text, cm_range_explain(fault));
    cm_error_hint(&err,
                  "FIRST:LAST:STEP or FIRST:LAST:*FACTOR, upwards, at most %u values, both ends "
                  "in: 0.1:0.9:0.1 or 128:4096:*2",
                  CM_SWEEP_RUNS_MAX);
    return shell_refuse("sweep", &err);
}

/* Appends the values of an axis with commas between them. A range is replaced by its values. */
static enum cm_range_fault expand(const char *values, struct cm_buffer *list)
{
    struct cm_range range;
    if (!cm_range_is_meant(values)) {
        cm_buffer_printf(list, "%s", values);
        return CM_RANGE_GOOD;
    }
    enum cm_range_fault fault = cm_range_read(values, &range);
    return fault == CM_RANGE_GOOD ? cm_range_expand(&range, CM_SWEEP_RUNS_MAX, list) : fault;
}

/* Splits the list "a,b,c" into the values of an axis. Values and name share one block of memory. A
 * value that appears twice is refused, in lists of at most 1000 values. */
static int split(struct cm_sweep_axis *axis, const char *over, size_t name, const char *list)
{
    size_t length = strlen(list);
    uint32_t count = 1;
    for (const char *c = list; *c != '\0'; c++)
        count += *c == ',';
    axis->values = calloc(1, count * sizeof *axis->values + name + length + 2);
    if (axis->values == NULL)
        return shell_no_memory();
    axis->name = (char *)(axis->values + count);
    memcpy(axis->name, over, name);
    char *at = axis->name + name + 1;
    memcpy(at, list, length + 1);
    for (axis->count = 0; axis->count < count; axis->count++) {
        char *comma = strchr(at, ',');
        axis->values[axis->count] = at;
        if (comma != NULL)
            *comma = '\0';
        if (*at == '\0')
            return refuse(over, "a value is empty");
        for (uint32_t i = 0; i < axis->count && count <= 1000; i++)
            if (strcmp(axis->values[i], at) == 0)
                return refuse(over, "a value appears twice");
        at = comma != NULL ? comma + 1 : at;
    }
    return 0;
}

/* Determines from the name of an axis what the axis changes, and checks the values of option.nodes.
 */
static int find_kind(struct cm_sweep_axis *axis, const char *over)
{
    const char *name = axis->name;
    axis->kind = strchr(name, '/') != NULL             ? CM_SWEEP_PLACE
                 : strncmp(name, "param.", 6) == 0     ? CM_SWEEP_PARAMETER
                 : strcmp(name, "option.nodes") == 0   ? CM_SWEEP_NODES
                 : strcmp(name, "option.machine") == 0 ? CM_SWEEP_FILE
                                                       : CM_SWEEP_MACHINE;
    if (axis->kind == CM_SWEEP_MACHINE && strncmp(name, "option.", 7) == 0)
        return refuse(over, "the options that can be axes are option.nodes and option.machine");
    for (uint32_t i = 0; axis->kind == CM_SWEEP_NODES && i < axis->count; i++) {
        uint64_t nodes;
        if (shell_read_numbers(axis->values[i], ',', &nodes, 1) != 1 || nodes == 0 ||
            nodes > UINT32_MAX)
            return refuse(over, "nodes are whole numbers from 1");
    }
    return 0;
}

static int read_axis(struct cli_sweep_axes *axes, const char *over)
{
    struct cm_sweep_axis *axis = &axes->items[axes->count];
    const char *equals = strchr(over, '=');
    struct cm_buffer list;
    if (equals == NULL || equals == over || equals[1] == '\0')
        return refuse(over,
                      "expected NAME=LIST, as in memory.page_words=256,512 or param.L=8:64:8");
    axes->count++;
    cm_buffer_init(&list);
    enum cm_range_fault fault = expand(equals + 1, &list);
    int code = !cm_buffer_ok(&list)     ? shell_no_memory()
               : fault != CM_RANGE_GOOD ? refuse_range(over, fault)
                                        : split(axis, over, (size_t)(equals - over), list.data);
    cm_buffer_finish(&list);
    if (code == 0)
        code = find_kind(axis, over);
    for (uint32_t a = 0; code == 0 && a + 1 < axes->count; a++)
        if (strcmp(axes->items[a].name, axis->name) == 0)
            code = refuse(over, "the name appears twice");
    return code;
}

int cli_sweep_axes_read(const struct shell_list *over, struct cli_sweep_axes *axes)
{
    int code = 0;
    uint32_t runs = 1;
    *axes = (struct cli_sweep_axes){0};
    if (over->count == 0)
        return shell_usage("sweep", "no axis is given: add --over NAME=LIST");
    if (over->count > CM_SWEEP_AXES_MAX)
        return shell_usage("sweep", "--over may be given %u times", CM_SWEEP_AXES_MAX);
    for (uint32_t i = 0; code == 0 && i < over->count; i++)
        code = read_axis(axes, over->items[i]);
    for (uint32_t a = 0; code == 0 && a < axes->count; a++) {
        if (axes->items[a].count > CM_SWEEP_RUNS_MAX / runs)
            return shell_usage("sweep", "the grid has more than %u runs", CM_SWEEP_RUNS_MAX);
        runs *= axes->items[a].count;
    }
    return code;
}

void cli_sweep_axes_finish(struct cli_sweep_axes *axes)
{
    for (uint32_t a = 0; a < axes->count; a++)
        free(axes->items[a].values);
}
