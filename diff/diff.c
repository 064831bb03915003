/* Reads two results or traces, and finds and sorts the values in which they differ. Visits both
 * JSON trees at the same time. The path of the visit is the JSON pointer of the current value. */
#include "diff.h"

#include "../base/reader.h"
#include "../trace/format.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_FORMAT "cm200-result/1"

static bool is_among(const char *key, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}
#define IS_AMONG(key, keys) is_among(key, keys, sizeof(keys) / sizeof *(keys))

/* Members of a result that say what it was made of, such as machine and options. */
static const char *const made_of[] = {
    "workload",        "machine",    "nodes",   "clock_hz", "timing_only", "overlap",
    "program",         "overrides",  "version", "seed",     "parameters",  "machine_values",
    "workload_sha256", "max_cycles", "files",   "methods",
};
/* Members whose numbers are names, so that subtracting two of them means nothing. */
static const char *const names[] = {"node", "dimension", "channel", "level", "seed", "line"};

/* ---- reading ---- */

static enum cm_status read_result(const char *path, struct cm_json_document **document,
                                  struct cm_error *err)
{
    enum cm_status status = cm_json_read(path, document, err);
    if (status != CM_OK)
        return status;
    struct cm_reader reader = cm_reader_make(err);
    struct cm_json root = cm_json_root(*document);
    cm_read_kind(&reader, root, CM_JSON_OBJECT, "a result");
    struct cm_json member = cm_read_member(&reader, root, "format");
    const char *format = cm_read_string(&reader, member, "\"format\"");
    if (format != NULL && strcmp(format, RESULT_FORMAT) != 0)
        cm_reader_fail(&reader, member, "\"format\" must be \"" RESULT_FORMAT "\"");
    if (reader.status == CM_BAD_INPUT)
        cm_error_hint(err, "a result is what cm200 run WORKLOAD.json --json prints");
    return reader.status;
}

/* ---- values ---- */

struct cm_value cm_diff_value(const struct cm_diff_side *side)
{
    enum cm_json_kind kind = cm_json_kind(side->json);
    if (!side->present || kind == CM_JSON_NULL)
        return cm_text(NULL);
    struct cm_reader reader = cm_reader_make(NULL);
    if (kind == CM_JSON_BOOL)
        return cm_bool(cm_read_bool(&reader, side->json, ""));
    if (kind == CM_JSON_STRING) {
        const char *string = cm_read_string(&reader, side->json, "");
        return cm_text(string != NULL ? string : "a string with \\u0000");
    }
    if (kind != CM_JSON_NUMBER)
        return cm_text(cm_json_kind_name(kind));
    uint64_t whole = cm_read_u64(&reader, side->json, "", 0, UINT64_MAX);
    if (cm_reader_ok(&reader))
        return cm_u64(whole);
    reader = cm_reader_make(NULL);
    int64_t negative = cm_read_i64(&reader, side->json, "", INT64_MIN, -1);
    if (cm_reader_ok(&reader))
        return cm_i64(negative);
    reader = cm_reader_make(NULL);
    return cm_f64(cm_read_f64(&reader, side->json, ""));
}

static double as_f64(struct cm_value value)
{
    return value.type == CM_VALUE_U64   ? (double)value.as.u64
           : value.type == CM_VALUE_I64 ? (double)value.as.i64
                                        : value.as.f64;
}

/* Returns b - a, as an integer if the difference fits into 64 bits. */
static struct cm_value subtract(struct cm_value b, struct cm_value a)
{
    if (a.type == CM_VALUE_U64 && b.type == CM_VALUE_U64) {
        uint64_t size = b.as.u64 > a.as.u64 ? b.as.u64 - a.as.u64 : a.as.u64 - b.as.u64;
        if (size <= INT64_MAX)
            return cm_i64(b.as.u64 > a.as.u64 ? (int64_t)size : -(int64_t)size);
    } else if (a.type != CM_VALUE_F64 && b.type != CM_VALUE_F64) {
        int64_t change;
        bool fits = (a.type != CM_VALUE_U64 || a.as.u64 <= INT64_MAX) &&
                    (b.type != CM_VALUE_U64 || b.as.u64 <= INT64_MAX);
        if (fits && !__builtin_sub_overflow(b.as.i64, a.as.i64, &change))
            return cm_i64(change);
    }
    return cm_f64(as_f64(b) - as_f64(a));
}

static bool same_value(const struct cm_diff_side sides[2])
{
    if (!sides[0].present || !sides[1].present)
        return sides[0].present == sides[1].present;
    enum cm_json_kind kind = cm_json_kind(sides[0].json);
    if (kind != cm_json_kind(sides[1].json))
        return false;
    struct cm_value a = cm_diff_value(&sides[0]), b = cm_diff_value(&sides[1]);
    if (kind == CM_JSON_STRING)
        return strcmp(a.as.text, b.as.text) == 0;
    if (kind == CM_JSON_NUMBER)
        return a.type == b.type && as_f64(a) == as_f64(b) &&
               (a.type != CM_VALUE_U64 || a.as.u64 == b.as.u64) &&
               (a.type != CM_VALUE_I64 || a.as.i64 == b.as.i64);
    return kind == CM_JSON_NULL || a.as.u64 == b.as.u64;
}

/* ---- the walk over both results ---- */

struct walk {
    struct cm_diff *diff;
    enum cm_diff_group group;
    uint32_t step;
    struct cm_buffer path; /* JSON pointer of the values being compared */
    /* offset in `path` of the part of the pointer that the group does not imply */
    size_t name;
};

static const char *last_key(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void set_change(struct cm_diff_item *difference, const char *key)
{
    const struct cm_diff_side *sides = difference->sides;
    if (!sides[0].present || !sides[1].present || cm_json_kind(sides[0].json) != CM_JSON_NUMBER ||
        cm_json_kind(sides[1].json) != CM_JSON_NUMBER || IS_AMONG(key, names))
        return;
    struct cm_value a = cm_diff_value(&sides[0]);
    difference->has_change = true;
    difference->change = subtract(cm_diff_value(&sides[1]), a);
    difference->change_f64 = as_f64(difference->change);
    difference->has_ratio = as_f64(a) != 0;
    if (difference->has_ratio)
        difference->ratio = difference->change_f64 / fabs(as_f64(a));
}

static void add_difference(struct walk *walk, const struct cm_diff_side sides[2])
{
    if (!cm_buffer_ok(&walk->path))
        return;
    struct cm_diff *diff = walk->diff;
    struct cm_diff_item difference = {
        .group = walk->group,
        .step = walk->step,
        .order = cm_diff_count(diff),
        .path = diff->paths.length,
        .name = diff->paths.length + walk->name,
        .sides = {sides[0], sides[1]},
    };
    set_change(&difference, last_key(walk->path.data));
    cm_buffer_append(&diff->paths, walk->path.data, walk->path.length + 1);
    cm_buffer_append(&diff->differences, &difference, sizeof difference);
}

/* Appends a key to the path of the visit. Returns the previous length of the path, which the caller
 * passes to `leave`. */
static size_t enter(struct walk *walk, const char *key)
{
    size_t length = walk->path.length;
    cm_buffer_append(&walk->path, "/", 1);
    for (; *key != '\0'; key++) {
        /* escape sequences of JSON pointers (RFC 6901) */
        bool escaped = *key == '~' || *key == '/';
        cm_buffer_append(&walk->path, !escaped ? key : *key == '~' ? "~0" : "~1", escaped ? 2 : 1);
    }
    return length;
}

static void leave(struct walk *walk, size_t length)
{
    if (cm_buffer_ok(&walk->path)) {
        walk->path.length = length;
        walk->path.data[length] = '\0';
    }
}

/* Returns true if the members of two values are compared one by one: the values that are present
 * are containers of the kind `kind`. An empty container that only one result has is compared as a
 * whole. */
static bool are_walked(const struct cm_diff_side sides[2], enum cm_json_kind kind)
{
    uint32_t entries = 0, present = 0;
    for (int s = 0; s < 2; s++) {
        if (!sides[s].present)
            continue;
        if (cm_json_kind(sides[s].json) != kind)
            return false;
        present++;
        entries += cm_json_count(sides[s].json);
    }
    return present == 2 || entries > 0;
}

static bool both_are(const struct cm_diff_side sides[2], enum cm_json_kind kind)
{
    return sides[0].present && sides[1].present && cm_json_kind(sides[0].json) == kind &&
           cm_json_kind(sides[1].json) == kind;
}

static struct cm_diff_side member_of(const struct cm_diff_side *object, const char *key)
{
    struct cm_diff_side side = {.json = object->json};
    side.present = object->present && cm_json_member(object->json, key, &side.json);
    return side;
}

static void compare(struct walk *walk, const struct cm_diff_side sides[2]);

/* Calls `each` for every key that one or both objects have, with the values of both sides. */
static void for_members(struct walk *walk, const struct cm_diff_side sides[2],
                        void (*each)(struct walk *, const char *, const struct cm_diff_side *))
{
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; sides[s].present && i < cm_json_count(sides[s].json); i++) {
            const char *key;
            (void)cm_json_at(sides[s].json, i, &key);
            struct cm_diff_side members[2] = {member_of(&sides[0], key), member_of(&sides[1], key)};
            if (s == 0 || !members[0].present)
                each(walk, key, members);
        }
    }
}

static void compare_member(struct walk *walk, const char *key, const struct cm_diff_side sides[2])
{
    size_t length = enter(walk, key);
    compare(walk, sides);
    leave(walk, length);
}

static struct cm_diff_side element_of(const struct cm_diff_side *list, uint32_t i)
{
    if (!list->present || i >= cm_json_count(list->json))
        return (struct cm_diff_side){.json = list->json};
    return (struct cm_diff_side){true, cm_json_at(list->json, i, NULL)};
}

static void compare(struct walk *walk, const struct cm_diff_side sides[2])
{
    if (are_walked(sides, CM_JSON_OBJECT)) {
        for_members(walk, sides, compare_member);
    } else if (are_walked(sides, CM_JSON_ARRAY)) {
        for (uint32_t i = 0;; i++) {
            struct cm_diff_side entries[2] = {element_of(&sides[0], i), element_of(&sides[1], i)};
            char digits[16];
            if (!entries[0].present && !entries[1].present)
                return;
            snprintf(digits, sizeof digits, "%u", (unsigned)i);
            compare_member(walk, digits, entries);
        }
    } else if (!same_value(sides)) {
        add_difference(walk, sides);
    }
}

/* Returns true if two steps have the same JSON pointer into their workloads. */
static bool same_step(struct cm_diff_side a, struct cm_diff_side b)
{
    struct cm_diff_side where[2] = {member_of(&a, "where"), member_of(&b, "where")};
    return a.present && b.present && same_value(where);
}

/* Finds the step of the second result with which step `i` of the first is compared: the next one at
 * the same place of the workload that is not in `taken`. The result is not present if there is no
 * such step. */
static struct cm_diff_side partner(const struct cm_diff_side *list, struct cm_diff_side step,
                                   uint32_t i, bool *taken)
{
    uint32_t count = cm_json_count(list->json);
    for (uint32_t n = 0; n < count; n++) {
        /* begins at the same position, where the step mostly is */
        uint32_t other = (i + n) % count;
        struct cm_diff_side found = element_of(list, other);
        if (!taken[other] && same_step(step, found)) {
            taken[other] = true;
            return found;
        }
    }
    return (struct cm_diff_side){.json = list->json};
}

/* Compares a member of two steps. The member "settings" belongs to the group CM_DIFF_MADE_OF,
 * because it says what the step was made of. */
static void compare_part(struct walk *walk, const char *key, const struct cm_diff_side sides[2])
{
    const enum cm_diff_group group = walk->group;
    const size_t name = walk->name;
    const uint32_t step = walk->step;
    if (strcmp(key, "settings") == 0) {
        walk->group = CM_DIFF_MADE_OF;
        walk->step = CM_DIFF_NO_STEP;
        walk->name = 1;
    }
    compare_member(walk, key, sides);
    walk->group = group;
    walk->name = name;
    walk->step = step;
}

static void compare_step(struct walk *walk, uint32_t number, const struct cm_diff_side sides[2])
{
    const struct cm_diff_side *named = sides[0].present ? &sides[0] : &sides[1];
    struct cm_diff_side where = member_of(named, "where");
    struct cm_value place = cm_diff_value(&where);
    char digits[16];
    snprintf(digits, sizeof digits, "/steps/%u", (unsigned)number);
    const char *path = place.type == CM_VALUE_TEXT ? place.as.text : digits;
    cm_buffer_append(&walk->path, path, strlen(path));
    walk->name = walk->path.length + 1;
    walk->step = walk->diff->steps++;
    /* If only one result contains the step, the difference is that of its cycles, if it has
     * cycles. */
    struct cm_diff_side cycles[2] = {member_of(&sides[0], "cycles"),
                                     member_of(&sides[1], "cycles")};
    if (both_are(sides, CM_JSON_OBJECT)) {
        for_members(walk, sides, compare_part);
    } else if (cycles[0].present != cycles[1].present) {
        compare_member(walk, "cycles", cycles);
    } else {
        walk->name = 1; /* shows the whole path of the step, because the step itself may differ */
        compare(walk, sides);
    }
    leave(walk, 0);
}

static void compare_steps(struct walk *walk, const struct cm_diff_side lists[2])
{
    uint32_t counts[2] = {cm_json_count(lists[0].json), cm_json_count(lists[1].json)};
    bool *taken = calloc(counts[1] + 1, sizeof *taken);
    if (taken == NULL) {
        walk->path.failed = true;
        return;
    }
    for (uint32_t i = 0; i < counts[0]; i++) {
        struct cm_diff_side step = element_of(&lists[0], i);
        struct cm_diff_side sides[2] = {step, partner(&lists[1], step, i, taken)};
        compare_step(walk, i, sides);
    }
    for (uint32_t i = 0; i < counts[1]; i++) {
        struct cm_diff_side sides[2] = {{.json = lists[0].json}, element_of(&lists[1], i)};
        if (!taken[i])
            compare_step(walk, i, sides);
    }
    free(taken);
}

/* Returns true if both results have all values of the machine description. In this case the member
 * "overrides" only repeats some of them. */
static bool both_have_values(const struct walk *walk)
{
    for (int s = 0; s < 2; s++) {
        struct cm_json values;
        if (!cm_json_member(cm_json_root(walk->diff->documents[s]), "machine_values", &values))
            return false;
    }
    return true;
}

/* Assigns a top-level member of the results to its group, and compares it. */
static void compare_top(struct walk *walk, const char *key, const struct cm_diff_side sides[2])
{
    enum cm_json_kind kind = cm_json_kind(sides[sides[0].present ? 0 : 1].json);
    walk->step = CM_DIFF_NO_STEP;
    walk->name = 1;
    if (strcmp(key, "host") == 0)
        return;
    if (strcmp(key, "overrides") == 0 && both_have_values(walk))
        return;
    if (strcmp(key, "steps") == 0 && both_are(sides, CM_JSON_ARRAY)) {
        walk->group = CM_DIFF_STEPS;
        leave(walk, 0);
        compare_steps(walk, sides);
        return;
    }
    walk->group = IS_AMONG(key, made_of)                           ? CM_DIFF_MADE_OF
                  : strcmp(key, "cycles_by_cause") == 0            ? CM_DIFF_CAUSES
                  : strcmp(key, "channels") == 0                   ? CM_DIFF_CHANNELS
                  : strcmp(key, "cycles_by_phase") == 0            ? CM_DIFF_CAUSES
                  : kind == CM_JSON_NUMBER || kind == CM_JSON_BOOL ? CM_DIFF_TOTALS
                                                                   : CM_DIFF_OTHER;
    if ((strcmp(key, "cycles_by_cause") == 0 || walk->group == CM_DIFF_CHANNELS) &&
        both_are(sides, CM_JSON_OBJECT))
        walk->name = strlen(key) + 2;
    compare_member(walk, key, sides);
}

/* ---- sorting ---- */

static int by_size(const void *a, const void *b)
{
    const struct cm_diff_item *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->major != y->major)
        return x->major > y->major ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->minor != y->minor)
        return x->minor > y->minor ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_cycles(const struct cm_diff *diff, const struct cm_diff_item *difference)
{
    return strcmp(last_key(cm_diff_text_at(diff, difference->path)), "cycles") == 0;
}

/* Returns the size by which a difference is sorted within its group or step. Groups whose values
 * are all in cycles are sorted by the change in cycles, others by the relative change. The total
 * number of cycles is the first. */
static double size_of(const struct cm_diff *diff, const struct cm_diff_item *difference)
{
    if (difference->group == CM_DIFF_MADE_OF || difference->group == CM_DIFF_OTHER)
        return 0;
    if (is_cycles(diff, difference))
        return INFINITY;
    if (!difference->has_change)
        return -1;
    if (difference->group == CM_DIFF_CAUSES || difference->group == CM_DIFF_STEPS ||
        (difference->group == CM_DIFF_CHANNELS && diff->traces[0] != NULL))
        return fabs(difference->change_f64);
    return difference->has_ratio ? fabs(difference->ratio) : DBL_MAX;
}

/* Returns by how many cycles a step changed. If only one result has the step, returns the cycles of
 * the step. */
static double step_size(const struct cm_diff_item *cycles)
{
    if (cycles->has_change)
        return fabs(cycles->change_f64);
    struct cm_value value = cm_diff_value(&cycles->sides[cycles->sides[0].present ? 0 : 1]);
    return value.type == CM_VALUE_U64 ? (double)value.as.u64 : 0;
}

static enum cm_status sort(struct cm_diff *diff, struct cm_error *err)
{
    void *data = diff->differences.data;
    struct cm_diff_item *all = data;
    double *steps = calloc((size_t)diff->steps + 1, sizeof *steps);
    if (steps == NULL)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < cm_diff_count(diff); i++) {
        all[i].minor = size_of(diff, &all[i]);
        if (all[i].group == CM_DIFF_STEPS && is_cycles(diff, &all[i]))
            steps[all[i].step] = step_size(&all[i]);
    }
    for (uint32_t i = 0; i < cm_diff_count(diff); i++)
        if (all[i].group == CM_DIFF_STEPS)
            all[i].major = steps[all[i].step];
    free(steps);
    if (cm_diff_count(diff) > 0)
        qsort(all, cm_diff_count(diff), sizeof *all, by_size);
    return CM_OK;
}

/* Opens both traces, finds their first difference, and turns both into JSON documents. */
static enum cm_status read_traces(struct cm_diff *diff, const char *const paths[2],
                                  struct cm_error *err)
{
    struct cm_buffer texts[2];
    enum cm_status status = CM_OK;
    for (int s = 0; s < 2 && status == CM_OK; s++)
        status = cm_trace_open(paths[s], &diff->traces[s], err);
    if (status != CM_OK)
        return status;
    const struct cm_trace *const traces[2] = {diff->traces[0], diff->traces[1]};
    status = cm_diff_find_first(traces, &diff->first, err);
    cm_buffer_init(&texts[0]);
    cm_buffer_init(&texts[1]);
    if (status == CM_OK)
        cm_diff_describe(traces, texts);
    for (int s = 0; s < 2 && status == CM_OK; s++) {
        if (!cm_buffer_ok(&texts[s]) || cm_trace_failed(traces[s]))
            status = cm_error_no_memory(err);
        else
            status =
                cm_json_parse(paths[s], texts[s].data, texts[s].length, &diff->documents[s], err);
    }
    cm_buffer_finish(&texts[0]);
    cm_buffer_finish(&texts[1]);
    return status;
}

static enum cm_status read_both(struct cm_diff *diff, const char *const paths[2],
                                struct cm_error *err)
{
    bool traces[2] = {false, false};
    enum cm_status status = cm_trace_recognize(paths[0], &traces[0], err);
    if (status == CM_OK)
        status = cm_trace_recognize(paths[1], &traces[1], err);
    if (status == CM_OK && traces[0] && traces[1])
        return read_traces(diff, paths, err);
    for (int s = 0; s < 2 && status == CM_OK; s++)
        if (!traces[s])
            status = read_result(paths[s], &diff->documents[s], err);
    if (status != CM_OK || (!traces[0] && !traces[1]))
        return status;
    cm_error_at(err, CM_BAD_INPUT, paths[traces[0] ? 0 : 1], 0, 0,
                "this is a trace, the other file is a result");
    return cm_error_hint(err, "compare two results (cm200 run --json) or two traces "
                              "(cm200 run --trace FILE)");
}

enum cm_status cm_diff_make(struct cm_diff *diff, const char *const paths[2], struct cm_error *err)
{
    struct cm_diff_side roots[2];
    struct walk walk = {.diff = diff};
    *diff = (struct cm_diff){0};
    cm_buffer_init(&diff->differences);
    cm_buffer_init(&diff->paths);
    enum cm_status status = read_both(diff, paths, err);
    if (status != CM_OK)
        return status;
    for (int s = 0; s < 2; s++)
        roots[s] = (struct cm_diff_side){true, cm_json_root(diff->documents[s])};
    cm_buffer_init(&walk.path);
    for_members(&walk, roots, compare_top);
    bool whole =
        cm_buffer_ok(&walk.path) && cm_buffer_ok(&diff->differences) && cm_buffer_ok(&diff->paths);
    cm_buffer_finish(&walk.path);
    return whole ? sort(diff, err) : cm_error_no_memory(err);
}

void cm_diff_finish(struct cm_diff *diff)
{
    for (int s = 0; s < 2; s++)
        cm_json_destroy(diff->documents[s]);
    for (int s = 0; s < 2; s++)
        cm_trace_close(diff->traces[s]);
    cm_buffer_finish(&diff->differences);
    cm_buffer_finish(&diff->paths);
}

bool cm_diff_same(const struct cm_diff *diff)
{
    return cm_diff_count(diff) == 0 && diff->first.what == NULL;
}

uint32_t cm_diff_count(const struct cm_diff *diff)
{
    return (uint32_t)(diff->differences.length / sizeof(struct cm_diff_item));
}

const struct cm_diff_item *cm_diff_at(const struct cm_diff *diff, uint32_t i)
{
    const void *data = diff->differences.data;
    return (const struct cm_diff_item *)data + i;
}

const char *cm_diff_text_at(const struct cm_diff *diff, size_t offset)
{
    return diff->paths.data + offset;
}
