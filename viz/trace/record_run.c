/* Steps, and where the elements of small arrays lie. */
#include "record_private.h"

uint32_t cm_recorder_string(struct cm_recorder *r, const char *text)
{
    bool is_new;
    uint32_t number = cm_numbers_of(&r->string_numbers, text, strlen(text), &is_new);
    if (number == UINT32_MAX) {
        cm_recorder_fail(r);
        return 0;
    }
    if (is_new) {
        cm_put_byte(&r->definitions, CM_DEFINE_STRING);
        cm_put_text(&r->definitions, text);
    }
    return number;
}

void cm_recorder_step_begins(void *context, const char *op, const char *where,
                             const struct cm_counters *counters)
{
    struct cm_recorder *r = context;
    if (r->failed)
        return;
    uint32_t op_string = cm_recorder_string(r, op);
    uint32_t where_string = cm_recorder_string(r, where);
    cm_put_byte(&r->definitions, CM_DEFINE_STEP);
    cm_put(&r->definitions, op_string);
    cm_put(&r->definitions, where_string);
    cm_put(&r->definitions, counters->cycles);
    memcpy(r->step_causes, counters->by_cause, sizeof r->step_causes);
    r->in_step = true;
}

void cm_recorder_step_ends(void *context, const struct cm_counters *counters)
{
    struct cm_recorder *r = context;
    if (r->failed || !r->in_step)
        return;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        r->step_causes[i] = counters->by_cause[i] - r->step_causes[i];
    cm_put_byte(&r->definitions, CM_DEFINE_STEP_END);
    cm_put(&r->definitions, counters->cycles);
    cm_put_causes(&r->definitions, r->step_causes);
    r->in_step = false;
}

/* Runs of elements that move by the same node and place within it from one to the next. */
static void put_places(struct cm_bytes *bytes, const struct cm_observed_array *array)
{
    uint64_t node_step = 0, local_step = 0, last_node = 0, last_local = 0, run = 0;
    cm_put(bytes, array->elements);
    for (uint64_t i = 0; i < array->elements; i++) {
        uint32_t node;
        uint64_t local;
        array->place(array->layout, i, &node, &local);
        if (run > 0 && (node - last_node != node_step || local - last_local != local_step)) {
            cm_put(bytes, run);
            cm_put(bytes, cm_zigzag(node_step));
            cm_put(bytes, cm_zigzag(local_step));
            run = 0;
        }
        if (run++ == 0) {
            node_step = node - last_node;
            local_step = local - last_local;
        }
        last_node = node;
        last_local = local;
    }
    cm_put(bytes, run);
    cm_put(bytes, cm_zigzag(node_step));
    cm_put(bytes, cm_zigzag(local_step));
}

/* Number of the places + 1; 0: not recorded. */
static uint32_t places_of(struct cm_recorder *r, const struct cm_observed_array *array)
{
    struct cm_bytes bytes = {0};
    bool is_new;
    if (array->elements == 0 || array->elements > CM_TRACE_PLACES_MAX)
        return 0;
    put_places(&bytes, array);
    uint32_t number = bytes.failed
                          ? UINT32_MAX
                          : cm_numbers_of(&r->place_numbers, bytes.data, bytes.length, &is_new);
    if (number == UINT32_MAX) {
        cm_recorder_fail(r);
    } else if (is_new) {
        cm_put_byte(&r->definitions, CM_DEFINE_PLACES);
        cm_put_raw(&r->definitions, bytes.data, bytes.length);
    }
    cm_bytes_finish(&bytes);
    return number + 1;
}

void cm_recorder_array_lies(void *context, const struct cm_observed_array *array)
{
    struct cm_recorder *r = context;
    struct cm_bytes *definitions = &r->definitions;
    if (r->failed)
        return;
    uint32_t name = cm_recorder_string(r, array->name);
    uint32_t places = places_of(r, array);
    cm_put_byte(definitions, CM_DEFINE_ARRAY);
    cm_put(definitions, array->number);
    cm_put(definitions, name);
    cm_put(definitions, cm_machine_counters(r->machine).cycles);
    cm_put(definitions, array->rank);
    for (uint32_t a = 0; a < array->rank; a++)
        cm_put(definitions, array->shape[a]);
    cm_put(definitions, array->elements);
    cm_put(definitions, array->slices);
    cm_put(definitions, array->address);
    cm_put(definitions, array->words);
    cm_put(definitions, places);
}
