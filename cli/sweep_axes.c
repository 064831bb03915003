/* The axes of `cm200 sweep`, from the texts of --over: NAME=A,B,C or NAME=FIRST:LAST:STEP or
 * NAME=FIRST:LAST:*FACTOR. A mistake is printed here. */
#include "sweep_axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The range FIRST:LAST:STEP, or FIRST:LAST:*FACTOR. Both ends belong to the range. */
struct range {
    uint64_t first, last, step;
    bool factor;
};

static bool read_range(const char *list, struct range *range)
{
    uint64_t numbers[3];
    char plain[128];
    const char *star = strchr(list, '*');
    snprintf(plain, sizeof plain, "%.*s%s",
             (int)(star != NULL ? star - list : (ptrdiff_t)strlen(list)), list,
             star != NULL ? star + 1 : "");
    if (strlen(list) >= sizeof plain || (star != NULL && (star == list || star[-1] != ':')) ||
        shell_read_numbers(plain, ':', numbers, 3) != 3)
        return false;
    *range = (struct range){numbers[0], numbers[1], numbers[2], star != NULL};
    return true;
}

/* Returns the value after `value` in the range, or UINT64_MAX at the end of 64-bit numbers. */
static uint64_t next_of(const struct range *range, uint64_t value)
{
    uint64_t next;
    bool wraps = range->factor ? __builtin_mul_overflow(value, range->step, &next)
                               : __builtin_add_overflow(value, range->step, &next);
    return wraps || next <= value ? UINT64_MAX : next;
}

/* Appends the values of a range with commas between them. The list stays empty if the range does
 * not rise, or has more than CM_SWEEP_RUNS_MAX values. */
static void expand(const struct range *range, struct cm_buffer *list)
{
    uint32_t count = 0;
    bool grows = range->factor ? range->step >= 2 && range->first >= 1 : range->step >= 1;
    if (!grows || range->first > range->last || range->last == UINT64_MAX)
        return;
    for (uint64_t v = range->first; v <= range->last && count <= CM_SWEEP_RUNS_MAX;
         v = next_of(range, v), count++)
        cm_buffer_printf(list, "%s%" PRIu64, count > 0 ? "," : "", v);
    if (count > CM_SWEEP_RUNS_MAX)
        list->length = 0;
}

static int refuse(const char *over, const char *why)
{
    return shell_usage("sweep", "--over %s: %s", shell_shown(over).text, why);
}

/* Splits the list "a,b,c" into the values of an axis. The values and the name share one allocation.
 * Lists of more than 1000 values are not searched for equal ones. */
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
                return refuse(over, "a value is there twice");
        at = comma != NULL ? comma + 1 : at;
    }
    return 0;
}

/* Finds out from its name what an axis changes, and checks values that only options have. */
static int find_kind(struct cm_sweep_axis *axis, const char *over)
{
    const char *name = axis->name;
    axis->kind = strchr(name, '/') != NULL             ? CM_SWEEP_PLACE
                 : strncmp(name, "param.", 6) == 0     ? CM_SWEEP_PARAMETER
                 : strcmp(name, "option.nodes") == 0   ? CM_SWEEP_NODES
                 : strcmp(name, "option.machine") == 0 ? CM_SWEEP_FILE
                                                       : CM_SWEEP_MACHINE;
    if (axis->kind == CM_SWEEP_MACHINE && strncmp(name, "option.", 7) == 0)
        return refuse(over, "the options to go over are option.nodes and option.machine");
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
    struct range range;
    struct cm_buffer list;
    if (equals == NULL || equals == over || equals[1] == '\0')
        return refuse(over,
                      "expected NAME=LIST, as in memory.page_words=256,512 or param.L=8:64:8");
    axes->count++;
    cm_buffer_init(&list);
    if (read_range(equals + 1, &range))
        expand(&range, &list);
    else
        cm_buffer_printf(&list, "%s", equals + 1);
    int code = !cm_buffer_ok(&list) ? shell_no_memory()
               : list.length == 0
                   ? refuse(over, "a range is FIRST:LAST:STEP or FIRST:LAST:*FACTOR, "
                                  "upwards, both ends in")
                   : split(axis, over, (size_t)(equals - over), list.data);
    cm_buffer_finish(&list);
    if (code == 0)
        code = find_kind(axis, over);
    for (uint32_t a = 0; code == 0 && a + 1 < axes->count; a++)
        if (strcmp(axes->items[a].name, axis->name) == 0)
            code = refuse(over, "the name is there twice");
    return code;
}

int cli_sweep_axes_read(const struct shell_list *over, struct cli_sweep_axes *axes)
{
    int code = 0;
    uint32_t runs = 1;
    *axes = (struct cli_sweep_axes){0};
    if (over->count == 0)
        return shell_usage("sweep", "there is nothing to go over: give --over NAME=LIST");
    if (over->count > CM_SWEEP_AXES_MAX)
        return shell_usage("sweep", "--over may be given %u times", CM_SWEEP_AXES_MAX);
    for (uint32_t i = 0; code == 0 && i < over->count; i++)
        code = read_axis(axes, over->items[i]);
    for (uint32_t a = 0; code == 0 && a < axes->count; a++) {
        if (axes->items[a].count > CM_SWEEP_RUNS_MAX / runs)
            return shell_usage("sweep", "these are more than %u runs", CM_SWEEP_RUNS_MAX);
        runs *= axes->items[a].count;
    }
    return code;
}

void cli_sweep_axes_finish(struct cli_sweep_axes *axes)
{
    for (uint32_t a = 0; a < axes->count; a++)
        free(axes->items[a].values);
}
