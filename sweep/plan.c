/* What a sweep is to do: the axes of its grid, and the signature that distinguishes it from
 * others. */
#include "../base/file.h"
#include "../base/sha256.h"
#include "../base/text.h"
#include "../base/version.h"
#include "../programs/workload/files.h"
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKLOAD_MAX_BYTES (64u * 1024u * 1024u)
#define VALUES_MAX         CM_SWEEP_RUNS_MAX

const char *cm_sweep_value(const struct cm_sweep *sweep, uint32_t run, uint32_t axis)
{
    for (uint32_t a = sweep->axis_count - 1; a > axis; a--)
        run /= sweep->axes[a].count;
    return sweep->axes[axis].values[run % sweep->axes[axis].count];
}

/* FIRST:LAST:STEP, or FIRST:LAST:*FACTOR. */
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

static uint64_t next_of(const struct range *range, uint64_t value)
{
    uint64_t next;
    bool wraps = range->factor ? __builtin_mul_overflow(value, range->step, &next)
                               : __builtin_add_overflow(value, range->step, &next);
    return wraps || next <= value ? UINT64_MAX : next;
}

/* Its values with commas between them; "" when the range makes no sense or has too many. */
static void expand(const struct range *range, struct cm_buffer *list)
{
    uint32_t count = 0;
    bool grows = range->factor ? range->step >= 2 && range->first >= 1 : range->step >= 1;
    if (!grows || range->first > range->last || range->last == UINT64_MAX)
        return;
    for (uint64_t v = range->first; v <= range->last && count <= VALUES_MAX;
         v = next_of(range, v), count++)
        cm_buffer_printf(list, "%s%" PRIu64, count > 0 ? "," : "", v);
    if (count > VALUES_MAX)
        list->length = 0;
}

static int refuse(const char *over, const char *why)
{
    return shell_usage("sweep", "--over %s: %s", shell_shown(over).text, why);
}

/* Splits "a,b,c" into axis->values. */
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

static int read_axis(struct cm_sweep *sweep, const char *over)
{
    struct cm_sweep_axis *axis = &sweep->axes[sweep->axis_count];
    const char *equals = strchr(over, '=');
    struct range range;
    struct cm_buffer list;
    if (equals == NULL || equals == over || equals[1] == '\0')
        return refuse(over,
                      "expected NAME=LIST, as in memory.page_words=256,512 or param.L=8:64:8");
    sweep->axis_count++;
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
    for (uint32_t a = 0; code == 0 && a + 1 < sweep->axis_count; a++)
        if (strcmp(sweep->axes[a].name, axis->name) == 0)
            code = refuse(over, "the name is there twice");
    return code;
}

static int read_axes(struct cm_sweep *sweep)
{
    const struct shell_list *over = &sweep->values->over;
    int code = 0;
    if (over->count == 0)
        return shell_usage("sweep", "there is nothing to go over: give --over NAME=LIST");
    if (over->count > CM_SWEEP_AXES_MAX)
        return shell_usage("sweep", "--over may be given %u times", CM_SWEEP_AXES_MAX);
    for (uint32_t i = 0; code == 0 && i < over->count; i++)
        code = read_axis(sweep, over->items[i]);
    sweep->runs = 1;
    for (uint32_t a = 0; code == 0 && a < sweep->axis_count; a++) {
        if (sweep->axes[a].count > CM_SWEEP_RUNS_MAX / sweep->runs)
            return shell_usage("sweep", "these are more than %u runs", CM_SWEEP_RUNS_MAX);
        sweep->runs *= sweep->axes[a].count;
    }
    return code;
}

/* Whatever the file is called: its bytes. One that cannot be read, its runs tell. */
static void add_file(struct cm_sha256 *hash, const char *path)
{
    char *data = NULL;
    size_t length = 0;
    if (cm_file_read(path, WORKLOAD_MAX_BYTES, &data, &length, NULL) == CM_OK)
        cm_sha256_add(hash, data, length);
    free(data);
}

static void add_text(struct cm_sha256 *hash, const char *text)
{
    cm_sha256_add(hash, text, strlen(text) + 1);
}

static void add_list(struct cm_sha256 *hash, const struct shell_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        add_text(hash, list->items[i]);
    add_text(hash, "");
}

/* By the release, the workload and the files that it reads, machines, options and the grid. */
static void sign(struct cm_sweep *sweep, const struct cm_workload *workload)
{
    const struct cm_sweep_values *values = sweep->values;
    struct cm_sha256 hash;
    char nodes[32];
    cm_sha256_begin(&hash);
    add_text(&hash, cm_version());
    cm_sha256_add(&hash, sweep->text, sweep->length);
    for (const struct cm_workload_file *f = cm_workload_files(workload); f != NULL; f = f->next)
        if (f->kind != CM_WORKLOAD_SAVE)
            add_file(&hash, f->path);
    if (values->machine.machine != NULL)
        add_file(&hash, values->machine.machine);
    for (uint32_t a = 0; a < sweep->axis_count; a++)
        for (uint32_t i = 0; sweep->axes[a].kind == CM_SWEEP_FILE && i < sweep->axes[a].count; i++)
            add_file(&hash, sweep->axes[a].values[i]);
    add_list(&hash, &values->machine.sets);
    add_list(&hash, &values->param.params);
    add_list(&hash, &values->over);
    snprintf(nodes, sizeof nodes, "%" PRIu64 " %d", values->machine.nodes, values->timing_only);
    add_text(&hash, nodes);
    struct cm_sha256_text digits = cm_sha256_end(&hash);
    memcpy(sweep->signature, digits.text, sizeof sweep->signature);
}

static int read_workload(struct cm_sweep *sweep)
{
    const char *path = sweep->values->common.operands.items[0];
    struct cm_error err = {0};
    struct cm_workload *workload = NULL;
    enum cm_status status =
        cm_file_read(path, WORKLOAD_MAX_BYTES, &sweep->text, &sweep->length, &err);
    if (status == CM_OK)
        status = cm_workload_parse_with(path, sweep->text, sweep->length,
                                        sweep->values->param.params.items,
                                        sweep->values->param.params.count, &workload, &err);
    if (status != CM_OK)
        return shell_error(&err);
    sign(sweep, workload);
    cm_workload_destroy(workload);
    return 0;
}

int cm_sweep_plan(const struct cm_sweep_values *values, struct cm_sweep *sweep)
{
    *sweep = (struct cm_sweep){.values = values};
    cm_buffer_init(&sweep->command);
    cm_buffer_init(&sweep->journal);
    int code = read_axes(sweep);
    if (code == 0)
        code = read_workload(sweep);
    shell_command_line(&values->common, &sweep->command);
    cm_buffer_printf(&sweep->journal, "%s.journal", values->csv);
    bool whole = cm_buffer_ok(&sweep->command) && cm_buffer_ok(&sweep->journal);
    return code == 0 && !whole ? shell_no_memory() : code;
}

void cm_sweep_finish(struct cm_sweep *sweep)
{
    for (uint32_t a = 0; a < sweep->axis_count; a++)
        free(sweep->axes[a].values);
    free(sweep->text);
    cm_buffer_finish(&sweep->command);
    cm_buffer_finish(&sweep->journal);
}
