/* Reader of lists of steps. Each step is read by the key table and the read function of its kind.
 * Errors that follow from shapes and types alone are found here, before any array is laid out. */
#include "../../base/suggest.h"
#include "step.h"

#include <stdio.h>
#include <string.h>

#define KINDS_MAX            64u
#define KINDS_REGISTERED_MAX 16u

static const struct cm_step_kind *const kinds[] = {
#define CM_STEP(name) &cm_step_##name,
#include "steps.def"
#undef CM_STEP
};

static const struct cm_step_kind *registered[KINDS_REGISTERED_MAX];
static uint32_t registered_count;

bool cm_step_kind_register(const struct cm_step_kind *kind)
{
    if (registered_count == KINDS_REGISTERED_MAX)
        return false;
    registered[registered_count++] = kind;
    return true;
}

const struct cm_step_kind *cm_step_kind_at(uint32_t i)
{
    if (i < CM_COUNT_OF(kinds))
        return kinds[i];
    i -= CM_COUNT_OF(kinds);
    return i < registered_count ? registered[i] : NULL;
}

/* Keys that a step can have: the names of the kinds, then the keys that stand next to a kind's
 * name. */
struct vocabulary {
    const char *names[2 * KINDS_MAX];
    uint32_t kind_count;
    uint32_t count;
};

static struct vocabulary make_vocabulary(void)
{
    struct vocabulary words = {.count = 0};
    const struct cm_step_kind *kind;
    for (uint32_t i = 0; (kind = cm_step_kind_at(i)) != NULL; i++)
        words.names[words.kind_count++] = kind->name;
    words.count = words.kind_count;
    for (uint32_t i = 0; i < words.kind_count; i++) {
        kind = cm_step_kind_at(i);
        for (uint32_t k = 0; k < kind->outer_count; k++)
            words.names[words.count++] = kind->outer_keys[k].name;
    }
    return words;
}

/* Adds the list of kinds to an error about an unknown key, and names the key. */
static void describe_unknown(const struct vocabulary *words, struct cm_reader *reader,
                             struct cm_json json)
{
    char list[CM_LIST_BYTES];
    struct cm_error *err = reader->err;
    for (uint32_t i = 0; i < cm_json_count(json); i++) {
        const char *key;
        bool known = false;
        cm_json_at(json, i, &key);
        for (uint32_t k = 0; k < words->count; k++)
            known = known || strcmp(key, words->names[k]) == 0;
        if (known)
            continue;
        const char *near = cm_suggest(key, words->names, words->count);
        snprintf(err->message, sizeof err->message, "unknown step \"%.64s\"%s%s%s", key,
                 near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                 near != NULL ? "\"?" : "");
        break;
    }
    cm_error_hint(err, "this version knows the steps %s",
                  cm_names_join(words->names, words->kind_count, " and ", list));
}

/* Refuses a key that may stand only next to the name of another kind. */
static void refuse_outer_keys(struct cm_reader *reader, struct cm_json json,
                              const struct cm_step_kind *kind)
{
    const struct cm_step_kind *owner;
    for (uint32_t i = 0; (owner = cm_step_kind_at(i)) != NULL; i++) {
        for (uint32_t k = 0; owner != kind && k < owner->outer_count; k++) {
            struct cm_json member;
            if (!cm_read_optional(reader, json, owner->outer_keys[k].name, &member))
                continue;
            cm_reader_fail(reader, member, "%s takes no %s", kind->name, owner->outer_keys[k].name);
            cm_reader_hint(reader, "only %s does", owner->name);
        }
    }
}

/* Finds the kind of a step from its keys. An unknown key gives an error with the list of kinds.
 * Returns NULL after an error. */
static const struct cm_step_kind *read_kind(struct cm_reader *reader, struct cm_json json)
{
    char list[CM_LIST_BYTES];
    const struct vocabulary words = make_vocabulary();
    const struct cm_step_kind *found = NULL, *kind;
    struct cm_json ignored;
    cm_read_kind(reader, json, CM_JSON_OBJECT, "a step");
    if (!cm_reader_ok(reader))
        return NULL;
    cm_read_keys(reader, json, "a step", words.names, words.count);
    if (!cm_reader_ok(reader)) {
        describe_unknown(&words, reader, json);
        return NULL;
    }
    for (uint32_t i = 0; (kind = cm_step_kind_at(i)) != NULL; i++) {
        if (!cm_json_member(json, kind->name, &ignored))
            continue;
        if (found != NULL) {
            cm_reader_fail(reader, json, "a step has one kind, but this one has both %s and %s",
                           found->name, kind->name);
            cm_reader_hint(reader, "make two steps of it");
        }
        found = kind;
    }
    if (found == NULL) {
        cm_reader_fail(reader, json, "the step has no kind");
        cm_reader_hint(reader, "one of %s",
                       cm_names_join(words.names, words.kind_count, ", ", list));
        return NULL;
    }
    refuse_outer_keys(reader, json, found);
    return cm_reader_ok(reader) ? found : NULL;
}

static const char *pointer_to(struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json json)
{
    size_t length = cm_json_path(json, NULL, 0);
    char *where = cm_workload_allocate(workload, reader, length + 1, 1);
    if (where != NULL)
        cm_json_path(json, where, length + 1);
    return where;
}

/* Shape and layout of an array before a repeat. */
struct before {
    struct cm_layout_request now;
    bool displaced;
};

/* Refuses the steps of a repeat if they leave an array in another layout than it had before. */
static void expect_unchanged(const struct cm_workload *workload, struct cm_reader *reader,
                             const struct before *before, struct cm_json json)
{
    for (uint32_t i = 0; i < workload->array_count; i++) {
        const struct cm_workload_array *array = &workload->arrays[i];
        const struct cm_layout_request *was = &before[i].now, *is = &array->now;
        if (was->rank == is->rank && before[i].displaced == array->displaced &&
            memcmp(was->shape, is->shape, was->rank * sizeof *was->shape) == 0)
            continue;
        cm_reader_fail(reader, json,
                       "the layout of \"%s\" changes in these steps, so they cannot repeat",
                       array->name);
        cm_reader_hint(reader, "reshape it back, consistently, at the end of the steps");
    }
}

static void read_inner_steps(struct cm_workload *workload, struct cm_reader *reader,
                             struct cm_workload_step *step)
{
    struct cm_json steps = cm_read_member(reader, step->body, "steps");
    struct before *before =
        cm_workload_allocate(workload, reader, workload->array_count, sizeof *before);
    for (uint32_t i = 0; before != NULL && i < workload->array_count; i++)
        before[i] = (struct before){workload->arrays[i].now, workload->arrays[i].displaced};
    cm_workload_read_steps(workload, reader, steps, &step->steps, &step->step_count);
    if (!cm_reader_ok(reader))
        return;
    if (step->step_count == 0)
        cm_reader_fail(reader, steps, "there is nothing to repeat: steps is empty");
    expect_unchanged(workload, reader, before, steps);
}

static void read_step(struct cm_workload *workload, struct cm_reader *reader, struct cm_json json,
                      struct cm_workload_step *step)
{
    if (workload->steps_total >= CM_WORKLOAD_STEPS_MAX) {
        cm_reader_fail(reader, json, "there are more than %u steps", CM_WORKLOAD_STEPS_MAX);
        cm_reader_hint(reader, "use repeat");
        return;
    }
    workload->steps_total++;
    step->json = json;
    step->times = 1;
    step->kind = read_kind(reader, json);
    if (step->kind == NULL)
        return;
    const struct cm_step_kind *kind = step->kind;
    step->where = pointer_to(workload, reader, json);
    step->body = cm_read_member(reader, json, kind->name);
    step->own = cm_workload_allocate(workload, reader, 1, kind->own_bytes);
    if (!cm_reader_ok(reader))
        return; /* memory for `own` is missing, or the step has no body */
    if (!kind->holds_steps)
        step->leaf = workload->leaf_count++;
    if (!kind->is_list)
        cm_keys_read(workload, reader, step->body,
                     &(struct cm_key_table){kind->name, kind->keys, kind->key_count}, step->own);
    if (cm_reader_ok(reader) && kind->read != NULL)
        kind->read(workload, step, reader);
    cm_keys_read_members(workload, reader, json, kind->outer_keys, kind->outer_count, step->own);
    if (kind->holds_steps)
        read_inner_steps(workload, reader, step);
}

void cm_workload_read_steps(struct cm_workload *workload, struct cm_reader *reader,
                            struct cm_json list, struct cm_workload_step **steps, uint32_t *count)
{
    cm_read_kind(reader, list, CM_JSON_ARRAY, "steps");
    if (!cm_reader_ok(reader))
        return;
    *count = cm_json_count(list);
    if (*count > CM_WORKLOAD_STEPS_MAX) {
        cm_reader_fail(reader, list, "there are more than %u steps", CM_WORKLOAD_STEPS_MAX);
        cm_reader_hint(reader, "use repeat");
    }
    *steps = cm_workload_allocate(workload, reader, *count, sizeof **steps);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < *count; i++)
        read_step(workload, reader, cm_json_at(list, i, NULL), &(*steps)[i]);
}
