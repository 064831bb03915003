/*
 * Cycles of a workload on the machines of a file. If the machines differ only in costs, the first
 * machine is the reference. One more run for each key, with the key's value increased by one, gives
 * the cycles for each unit of the key. Cycles are linear in costs, so the cycles of all other
 * machines follow. A run on the machine whose cycles differ most from the reference checks the
 * linearity. If the machines differ in other keys, such as sizes, every machine has a run.
 */
#include "intervals.h"

#include "../../base/list.h"
#include "../../base/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX     32u
#define MACHINES_MAX 10000u
#define SET_BYTES    96u /* most bytes of a setting "section.key=value" */

static const char *const key_names[] = {
#define CM_CONFIG(section, key, type, min, max, what) #section "." #key,
#include "../../sim/machine/config.def"
#undef CM_CONFIG
};
static const uint64_t key_ranges[][2] = {
#define CM_CONFIG(section, key, type, min, max, what) {min, max},
#include "../../sim/machine/config.def"
#undef CM_CONFIG
};

/* Cycles of a run: the cycles of each step, then the total. */
typedef CM_LIST(uint64_t) cycle_list;

struct machines {
    const struct cm_intervals_options *options;
    const struct cm_workload *workload;
    uint32_t key_count, count;
    uint32_t keys[KEYS_MAX]; /* keys of the file, each an enum cm_config_key */
    uint64_t *values;        /* values of the keys, as [machine * key_count + key] */
    cycle_list *cycles;      /* cycles of each machine */
    struct cm_intervals *out;
};

/* Returns true if a key is the cost of an event, so that cycles are linear in it. Returns false for
 * sizes, for refresh, and for the router, where a cost changes when packets meet. */
static bool is_cost(uint32_t key)
{
    const char *name = key_names[key];
    size_t length = strlen(name);
    return length > 6 && strcmp(name + length - 6, "cycles") == 0 &&
           strstr(name, "refresh") == NULL && strncmp(name, "router.", 7) != 0;
}

static void read_keys(struct cm_reader *reader, struct cm_json root, struct machines *machines)
{
    struct cm_json keys = cm_read_member(reader, root, "keys");
    machines->key_count = cm_read_list(reader, keys, "keys", 1, KEYS_MAX);
    for (uint32_t k = 0; cm_reader_ok(reader) && k < machines->key_count; k++) {
        struct cm_json entry = cm_json_at(keys, k, NULL);
        machines->keys[k] = cm_read_name(reader, entry, "key", key_names, CM_CONFIG_KEY_COUNT);
        for (uint32_t i = 0; cm_reader_ok(reader) && i < k; i++)
            if (machines->keys[i] == machines->keys[k])
                cm_reader_fail(reader, entry, "\"%s\" is given twice",
                               key_names[machines->keys[k]]);
    }
}

static void read_machines(struct cm_reader *reader, struct cm_json root, struct machines *machines)
{
    struct cm_json list = cm_read_member(reader, root, "machines");
    machines->count = cm_read_list(reader, list, "machines", 2, MACHINES_MAX);
    if (!cm_reader_ok(reader))
        return;
    size_t values = (size_t)machines->count * machines->key_count;
    machines->values = cm_reader_allocate(reader, values, sizeof *machines->values);
    for (uint32_t m = 0; cm_reader_ok(reader) && m < machines->count; m++) {
        struct cm_json row = cm_json_at(list, m, NULL);
        cm_read_kind(reader, row, CM_JSON_ARRAY, "a machine");
        if (cm_reader_ok(reader) && cm_json_count(row) != machines->key_count)
            cm_reader_fail(reader, row,
                           "a machine has %" PRIu32 " values, but there are %" PRIu32 " keys",
                           cm_json_count(row), machines->key_count);
        for (uint32_t k = 0; cm_reader_ok(reader) && k < machines->key_count; k++)
            machines->values[(size_t)m * machines->key_count + k] =
                cm_read_u64(reader, cm_json_at(row, k, NULL), key_names[machines->keys[k]],
                            key_ranges[machines->keys[k]][0], key_ranges[machines->keys[k]][1]);
    }
}

static double read_part(struct cm_reader *reader, struct cm_json root, const char *key)
{
    struct cm_json member = cm_read_member(reader, root, key);
    double part = cm_read_f64(reader, member, key);
    if (cm_reader_ok(reader) && !(part > 0 && part <= 1))
        cm_reader_fail(reader, member, "%s is %g, expected more than 0 and at most 1", key, part);
    return part;
}

static void read_widening(struct cm_reader *reader, struct cm_json root, double widening[2])
{
    struct cm_json list = cm_read_member(reader, root, "widening");
    cm_read_list(reader, list, "widening", 2, 2);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < 2; i++)
        widening[i] = cm_read_f64(reader, cm_json_at(list, i, NULL), "widening");
    if (cm_reader_ok(reader) &&
        !(widening[0] > -1 && widening[0] <= 0 && widening[1] >= 0 && widening[1] <= 10))
        cm_reader_fail(reader, list,
                       "widening is [%g, %g], expected more than -1 to 0, and 0 to 10", widening[0],
                       widening[1]);
}

static enum cm_status read_root(struct machines *machines, struct cm_json root,
                                struct cm_error *err)
{
    static const char *const keys[] = {"$schema",  "format",   "made_by", "level",
                                       "coverage", "widening", "keys",    "machines"};
    static const char *const formats[] = {"cm200-machines/1"};
    struct cm_reader reader = cm_reader_make(err);
    struct cm_json comment;
    cm_read_kind(&reader, root, CM_JSON_OBJECT, "a file of machines");
    cm_read_name(&reader, cm_read_member(&reader, root, "format"), "format", formats, 1);
    cm_read_keys(&reader, root, "a file of machines", keys, sizeof keys / sizeof *keys);
    if (cm_read_optional(&reader, root, "made_by", &comment))
        cm_read_title(&reader, comment, "made_by");
    machines->out->level = read_part(&reader, root, "level");
    machines->out->coverage = read_part(&reader, root, "coverage");
    read_widening(&reader, root, machines->out->widening);
    read_keys(&reader, root, machines);
    read_machines(&reader, root, machines);
    return reader.status;
}

static enum cm_status read_file(struct machines *machines, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    enum cm_status status = cm_json_read(machines->options->path, &document, err);
    if (status == CM_OK)
        status = read_root(machines, cm_json_root(document), err);
    cm_json_destroy(document);
    return status;
}

enum cm_status cm_machines_check(struct cm_json root, uint32_t *count, uint32_t *keys,
                                 struct cm_error *err)
{
    struct cm_intervals unused = {0};
    struct machines machines = {.out = &unused};
    enum cm_status status = read_root(&machines, root, err);
    *count = machines.count;
    *keys = machines.key_count;
    free(machines.values);
    return status;
}

/* Returns the settings of machine `m`, followed by the caller's settings. The value of key number
 * `raised` is one higher, unless `raised` is UINT32_MAX. Returns NULL if memory runs out. The
 * caller frees the result with free(). */
static const char **make_sets(const struct machines *machines, uint32_t m, uint32_t raised)
{
    const struct cm_run_options *run = &machines->options->run;
    size_t count = machines->key_count + run->set_count;
    const char **sets = malloc(count * sizeof *sets + machines->key_count * SET_BYTES);
    if (sets == NULL)
        return NULL;
    char *text = (char *)(sets + count);
    for (uint32_t k = 0; k < machines->key_count; k++, text += SET_BYTES) {
        uint64_t value = machines->values[(size_t)m * machines->key_count + k] + (k == raised);
        snprintf(text, SET_BYTES, "%s=%" PRIu64, key_names[machines->keys[k]], value);
        sets[k] = text;
    }
    for (uint32_t i = 0; i < run->set_count; i++) /* later settings take precedence */
        sets[machines->key_count + i] = run->sets[i];
    return sets;
}

static bool take_cycles(const struct cm_result *result, cycle_list *cycles)
{
    cycles->count = 0;
    for (uint32_t i = 0; i < result->step_count; i++)
        cm_list_push(cycles, result->steps[i].counters.cycles);
    cm_list_push(cycles, result->total.cycles);
    return !cycles->failed;
}

/* Returns the options of a run on one machine, without the machine's settings. */
static struct cm_run_options bare_options(const struct machines *machines)
{
    struct cm_run_options options = machines->options->run;
    options.timing_only = true;
    options.progress = NULL;
    options.print = options.print_error = NULL;
    options.save_count = options.output_count = 0;
    return options;
}

/* Executes the workload with `options`. Sets *cycles to the cycles of the run, unless `cycles` is
 * NULL. */
static enum cm_status count_cycles(const struct machines *machines,
                                   const struct cm_run_options *options, cycle_list *cycles,
                                   struct cm_error *err)
{
    struct cm_run *run = NULL;
    enum cm_status status = cm_run_create(machines->workload, options, &run, err);
    if (status == CM_OK)
        status =
            cm_run_execute_watched(run, machines->options->watch, machines->options->context, err);
    if (status == CM_OK && cycles != NULL && !take_cycles(cm_run_result(run), cycles))
        status = cm_error_no_memory(err);
    cm_run_destroy(run);
    return status;
}

/* Explains why a machine of the file is refused. If the workload is also refused without the
 * machine's values, it needs its data, and its own error is reported. Otherwise the error names the
 * file first: its values are probably at fault, and the user gave none of them by --set. */
static enum cm_status name_machine(const struct machines *machines, uint32_t m,
                                   struct cm_error *err)
{
    const struct cm_run_options bare = bare_options(machines);
    struct cm_error plain = {0};
    if (count_cycles(machines, &bare, NULL, &plain) == CM_BAD_INPUT) {
        *err = plain;
        return cm_error_hint(err, "--intervals counts the cycles of other machines without data");
    }
    struct cm_error inner = *err;
    cm_error_at(err, CM_BAD_INPUT, machines->options->path, 0, 0, "machine %" PRIu32 ": %s", m + 1,
                inner.message);
    return cm_error_hint(err, "its values are set as by --set");
}

/* Runs the workload on machine `m` without data. The value of key number `raised` is one higher,
 * unless `raised` is UINT32_MAX. */
static enum cm_status simulate(struct machines *machines, uint32_t m, uint32_t raised,
                               cycle_list *cycles, struct cm_error *err)
{
    struct cm_run_options options = bare_options(machines);
    const char **sets = make_sets(machines, m, raised);
    options.sets = sets;
    options.set_count += machines->key_count;
    enum cm_status status =
        sets != NULL ? count_cycles(machines, &options, cycles, err) : cm_error_no_memory(err);
    machines->out->runs++;
    free(sets);
    return status == CM_BAD_INPUT ? name_machine(machines, m, err) : status;
}

/* Computes the cycles of every machine from the cycles of the first machine and the slopes of the
 * keys. Returns the machine whose cycles differ most from those of the first machine. */
static uint32_t extrapolate(struct machines *machines, const cycle_list *slopes)
{
    const cycle_list *first = &machines->cycles[0];
    uint32_t furthest = 0;
    uint64_t distance = 0;
    for (uint32_t m = 1; m < machines->count; m++) {
        const uint64_t *values = machines->values + (size_t)m * machines->key_count;
        cycle_list *cycles = &machines->cycles[m];
        if (!cm_list_extend(cycles, first->count))
            return 0;
        for (uint32_t i = 0; i < first->count; i++) {
            cycles->items[i] = first->items[i];
            for (uint32_t k = 0; k < machines->key_count;
                 k++) /* The sum is exact modulo 2^64, also for negative terms. */
                cycles->items[i] +=
                    (values[k] - machines->values[k]) * (slopes[k].items[i] - first->items[i]);
        }
        uint64_t total = cycles->items[first->count - 1], base = first->items[first->count - 1];
        uint64_t off = total > base ? total - base : base - total;
        furthest = off > distance ? m : furthest;
        distance = off > distance ? off : distance;
    }
    return furthest;
}

static bool equal(const cycle_list *a, const cycle_list *b)
{
    return a->count == b->count && memcmp(a->items, b->items, a->count * sizeof *a->items) == 0;
}

static bool varies(const struct machines *machines, uint32_t key)
{
    for (uint32_t m = 1; m < machines->count; m++)
        if (machines->values[(size_t)m * machines->key_count + key] != machines->values[key])
            return true;
    return false;
}

/* Returns true if the machines differ only in costs. */
static bool costs_alone(const struct machines *machines)
{
    for (uint32_t k = 0; k < machines->key_count; k++)
        if (!is_cost(machines->keys[k]) && varies(machines, k))
            return false;
    return true;
}

/* Computes the cycles of all machines from slopes. Sets *linear to false if each machine must be
 * run instead. */
static enum cm_status try_slopes(struct machines *machines, bool *linear, struct cm_error *err)
{
    cycle_list slopes[KEYS_MAX] = {{0}}, seen = {0};
    enum cm_status status = simulate(machines, 0, UINT32_MAX, &machines->cycles[0], err);
    *linear = false;
    if (!costs_alone(machines))
        return status;
    for (uint32_t k = 0; status == CM_OK && k < machines->key_count; k++) {
        if (!varies(machines, k))
            continue;
        status = simulate(machines, 0, k, &slopes[k], err);
        /* true if the increased value is above the key's range */
        bool refused = status == CM_BAD_INPUT;
        status = refused ? CM_OK : status;
        if (refused || (status == CM_OK && slopes[k].count != machines->cycles[0].count))
            goto done;
    }
    if (status != CM_OK)
        goto done;
    uint32_t furthest = extrapolate(machines, slopes);
    for (uint32_t m = 0; m < machines->count; m++)
        if (machines->cycles[m].failed)
            status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = simulate(machines, furthest, UINT32_MAX, &seen, err);
    *linear = status == CM_OK && equal(&seen, &machines->cycles[furthest]);
done:
    for (uint32_t k = 0; k < machines->key_count; k++)
        cm_list_finish(&slopes[k]);
    cm_list_finish(&seen);
    return status;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the interval of the cycles of step `i`, or of the total after all steps. The same
 * fraction of machines is left out at both ends, and the interval is then widened. */
static struct cm_interval interval_of(const struct machines *machines, uint32_t i, uint64_t *sorted)
{
    const double *widening = machines->out->widening;
    for (uint32_t m = 0; m < machines->count; m++)
        sorted[m] = machines->cycles[m].items[i];
    qsort(sorted, machines->count, sizeof *sorted, compare);
    uint32_t out = (uint32_t)((1 - machines->out->level) / 2 * machines->count);
    return (struct cm_interval){
        .low = (uint64_t)floor((double)sorted[out] * (1 + widening[0])),
        .high = (uint64_t)ceil((double)sorted[machines->count - 1 - out] * (1 + widening[1])),
    };
}

static enum cm_status make_intervals(struct machines *machines, struct cm_error *err)
{
    struct cm_intervals *out = machines->out;
    uint32_t steps = machines->cycles[0].count - 1;
    uint64_t *sorted = malloc(machines->count * sizeof *sorted);
    out->steps = calloc(steps + 1u, sizeof *out->steps);
    out->cycles = calloc(machines->count, sizeof *out->cycles);
    out->step_count = steps;
    out->machines = machines->count;
    for (uint32_t i = 0; sorted != NULL && out->steps != NULL && i < steps; i++)
        out->steps[i] = interval_of(machines, i, sorted);
    bool made = sorted != NULL && out->steps != NULL && out->cycles != NULL;
    if (made)
        out->total = interval_of(machines, steps, sorted);
    for (uint32_t m = 0; made && m < machines->count; m++)
        out->cycles[m] = machines->cycles[m].items[steps];
    free(sorted);
    return made ? CM_OK : cm_error_no_memory(err);
}

static enum cm_status run_machines(struct machines *machines, struct cm_error *err)
{
    bool linear;
    machines->cycles = calloc(machines->count, sizeof *machines->cycles);
    if (machines->cycles == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = try_slopes(machines, &linear, err);
    for (uint32_t m = 1; status == CM_OK && !linear && m < machines->count; m++) {
        status = simulate(machines, m, UINT32_MAX, &machines->cycles[m], err);
        if (status == CM_OK && machines->cycles[m].count != machines->cycles[0].count)
            status = cm_error_set(err, CM_INTERNAL, "machines of \"%s\" ran different steps",
                                  machines->options->path);
    }
    if (status == CM_OK)
        status = make_intervals(machines, err);
    for (uint32_t m = 0; m < machines->count; m++)
        cm_list_finish(&machines->cycles[m]);
    free(machines->cycles);
    return status;
}

enum cm_status cm_intervals_run(const struct cm_workload *workload,
                                const struct cm_intervals_options *options,
                                struct cm_intervals **intervals, struct cm_error *err)
{
    struct machines *machines = calloc(1, sizeof *machines);
    *intervals = calloc(1, sizeof **intervals);
    if (machines == NULL || *intervals == NULL) {
        free(machines);
        cm_intervals_destroy(*intervals);
        *intervals = NULL;
        return cm_error_no_memory(err);
    }
    machines->options = options;
    machines->workload = workload;
    machines->out = *intervals;
    enum cm_status status = read_file(machines, err);
    if (status == CM_OK)
        status = run_machines(machines, err);
    if (status != CM_OK) {
        cm_intervals_destroy(*intervals);
        *intervals = NULL;
    }
    free(machines->values);
    free(machines);
    return status;
}

void cm_intervals_destroy(struct cm_intervals *intervals)
{
    if (intervals == NULL)
        return;
    free(intervals->steps);
    free(intervals->cycles);
    free(intervals);
}
