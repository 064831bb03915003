/*
 * Workloads by their grammar: the input decides between what the tables of keys allow, so that most
 * of them are read, prepared and run. A kind of step or a key that is added is here without further
 * ado; only a key with a form of its own needs a line in `forms`. CM_FUZZ_PRINT=1 in the
 * environment prints the workload.
 */
#include "programs/elementwise/expression.h"
#include "programs/workload/step.h"
#include "report/json_writer.h"
#include "run_workload.h"
#include "target.h"

#include <stdio.h>

#define ARRAYS_MAX   5u
#define ELEMENTS_MAX 4096u
#define DEPTH_MAX    2u

struct writer {
    const uint8_t *data; /* of the input that is left */
    size_t size;
    struct cm_json_writer json;
    uint32_t arrays, rank, depth;
};

/* One of `count`; 0, the simplest, when the input is used up. */
static uint32_t pick(struct writer *w, uint32_t count)
{
    if (w->size == 0)
        return 0;
    w->size--;
    return *w->data++ % count;
}

static const char *pick_array(struct writer *w)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    return names[pick(w, w->arrays)];
}

static uint64_t pick_length(struct writer *w)
{
    static const uint64_t lengths[] = {8, 4, 2, 16, 8, 4, 32, 2, 1, 64, 3, 5};
    return lengths[pick(w, CM_COUNT_OF(lengths))];
}

static double pick_number(struct writer *w, const char *schema)
{
    static const double numbers[] = {1, 0, 1, 0, 2, -1, 2.5, 7, -0.125, 1e300};
    static const double rates[] = {0.25, 1, 0.01, 0.7};
    if (schema != NULL && strcmp(schema, "rate") == 0)
        return rates[pick(w, CM_COUNT_OF(rates))];
    double number = numbers[pick(w, CM_COUNT_OF(numbers))];
    return schema != NULL && number < 0 ? -number : number;
}

static void write_lengths(struct writer *w, const char *name)
{
    uint64_t elements = 1;
    w->rank = 1 + pick(w, 3);
    cm_json_write_list(&w->json, name);
    for (uint32_t a = 0; a < w->rank; a++) {
        uint64_t length = pick_length(w);
        length = elements * length > ELEMENTS_MAX ? 1 : length;
        elements *= length;
        cm_json_write_u64(&w->json, NULL, length);
    }
    cm_json_write_end(&w->json);
}

static void write_orders(struct writer *w, const char *name)
{
    cm_json_write_list(&w->json, name);
    for (uint32_t a = 0; a < w->rank; a++)
        cm_json_write_string(&w->json, NULL, cm_order_name((enum cm_order)pick(w, CM_ORDER_COUNT)));
    cm_json_write_end(&w->json);
}

static void write_integers(struct writer *w, const char *name, uint32_t count, uint32_t from,
                           uint32_t choices)
{
    cm_json_write_list(&w->json, name);
    for (uint32_t i = 0; i < count; i++)
        cm_json_write_u64(&w->json, NULL, from + pick(w, choices));
    cm_json_write_end(&w->json);
}

static void write_per_axis(struct writer *w, const char *name)
{
    write_integers(w, name, w->rank, 1, 5);
}

static void write_axes(struct writer *w, const char *name)
{
    write_integers(w, name, 1 + pick(w, w->rank), 1, w->rank);
}

static void write_dimensions(struct writer *w, const char *name)
{
    write_integers(w, name, pick(w, 6), 0, 8);
}

static void write_processors(struct writer *w, const char *name)
{
    static const char *const rules[] = {"high", "canonical"};
    uint32_t choice = pick(w, 3);
    if (choice < 2)
        cm_json_write_string(&w->json, name, rules[choice]);
    else
        write_dimensions(w, name);
}

static void write_init(struct writer *w, const char *name)
{
    cm_json_write_object(&w->json, name);
    uint32_t choice = pick(w, 3);
    if (choice == 0)
        cm_json_write_u64(&w->json, "random", pick(w, 256));
    else if (choice == 1)
        cm_json_write_bool(&w->json, "index", true);
    else
        cm_json_write_f64(&w->json, "constant", pick_number(w, NULL));
    cm_json_write_end(&w->json);
}

static void write_mapping(struct writer *w, const char *name)
{
    static const char *const mappings[] = {"identical", "shuffle", "random:3", "bits:0,1,2",
                                           "bits:2,1,0"};
    cm_json_write_string(&w->json, name, mappings[pick(w, CM_COUNT_OF(mappings))]);
}

/* A number, a scalar, an array, or a complex number. */
static void write_value(struct writer *w, const char *name)
{
    static const char *const scalars[] = {"s", "z"};
    uint32_t choice = pick(w, 4);
    if (choice == 1)
        cm_json_write_string(&w->json, name, scalars[pick(w, 2)]);
    else if (choice == 2)
        cm_json_write_string(&w->json, name, pick_array(w));
    else if (choice == 0)
        cm_json_write_f64(&w->json, name, pick_number(w, NULL));
    else {
        cm_json_write_list(&w->json, name);
        cm_json_write_f64(&w->json, NULL, pick_number(w, NULL));
        cm_json_write_f64(&w->json, NULL, pick_number(w, NULL));
        cm_json_write_end(&w->json);
    }
}

static void write_terms(struct writer *w, const char *name)
{
    cm_json_write_list(&w->json, name);
    for (uint32_t i = 1 + pick(w, 4); i > 0; i--) {
        cm_json_write_list(&w->json, NULL);
        write_value(w, NULL);
        cm_json_write_string(&w->json, NULL, pick_array(w));
        cm_json_write_end(&w->json);
    }
    cm_json_write_end(&w->json);
}

static void write_rates(struct writer *w, const char *name)
{
    double rate = 0.1;
    cm_json_write_list(&w->json, name);
    for (uint32_t i = 1 + pick(w, 3); i > 0; i--, rate += 0.1 * (1 + pick(w, 3)))
        cm_json_write_f64(&w->json, NULL, rate);
    cm_json_write_end(&w->json);
}

static void write_pair(struct writer *w, const char *name)
{
    write_integers(w, name, 2, 1, 8);
}

static void write_nothing(struct writer *w, const char *name)
{
    cm_json_write_object(&w->json, name);
    cm_json_write_end(&w->json);
}

/* Of each axis: first, last and perhaps a stride. */
static void write_section(struct writer *w, const char *name)
{
    cm_json_write_list(&w->json, name);
    for (uint32_t a = 0; a < w->rank; a++)
        write_integers(w, NULL, 2 + pick(w, 2), 1, 4);
    cm_json_write_end(&w->json);
}

static void write_mesh(struct writer *w, const char *name);
static void write_steps(struct writer *w, const char *name);

static void add_expression(struct writer *w, struct cm_buffer *text, uint32_t depth);

static void add_operation(struct writer *w, struct cm_buffer *text, uint32_t depth)
{
    static const char *const signs[] = {
        "+", "-", "*", "/", "**", "==", "/=", "<", ">=", ".and.", ".eqv.", ".or."};
    cm_buffer_printf(text, "(");
    add_expression(w, text, depth);
    cm_buffer_printf(text, " %s ", signs[pick(w, CM_COUNT_OF(signs))]);
    add_expression(w, text, depth);
    cm_buffer_printf(text, ")");
}

static void add_call(struct writer *w, struct cm_buffer *text, uint32_t depth)
{
    static const char *const names[] = {"real", "int", "dble", "cmplx", "-", ".not."};
    const uint32_t op = pick(w, CM_EXPRESSION_OP_COUNT + CM_COUNT_OF(names));
    const bool listed = op >= CM_EXPRESSION_MERGE && op < CM_EXPRESSION_OP_COUNT;
    const uint32_t count = listed ? cm_expression_operands((enum cm_expression_op)op) : 1;
    const char *name =
        listed ? cm_expression_op_name((enum cm_expression_op)op) : names[op % CM_COUNT_OF(names)];
    cm_buffer_printf(text, "%s(", name);
    for (uint32_t i = 0; i < count; i++) {
        cm_buffer_printf(text, "%s", i > 0 ? ", " : "");
        add_expression(w, text, depth);
    }
    cm_buffer_printf(text, ")");
}

static void add_expression(struct writer *w, struct cm_buffer *text, uint32_t depth)
{
    static const char *const leaves[] = {"1",        "2.5",    "0.0",  "-3",
                                         "index(1)", ".true.", "1e30", ")"};
    const uint32_t which = pick(w, 8);
    if (depth == 0 || which < 3)
        cm_buffer_printf(text, "%s", pick_array(w));
    else if (which == 3)
        cm_buffer_printf(text, "%s", leaves[pick(w, CM_COUNT_OF(leaves))]);
    else if (which < 6)
        add_operation(w, text, depth - 1);
    else
        add_call(w, text, depth - 1);
}

static void write_expression(struct writer *w, const char *name)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    add_expression(w, &text, 4);
    cm_json_write_string(&w->json, name, cm_buffer_ok(&text) ? text.data : "");
    cm_buffer_finish(&text);
}

static const struct {
    const char *schema;
    void (*write)(struct writer *w, const char *name);
} forms[] = {
    {"lengths", write_lengths},
    {"orders", write_orders},
    {"weights", write_per_axis},
    {"init", write_init},
    {"processor_dimensions", write_processors},
    {"mesh", write_mesh},
    {"mapping", write_mapping},
    {"dims", write_axes},
    {"indices", write_per_axis},
    {"expression", write_expression},
    {"terms", write_terms},
    {"dimensions", write_dimensions},
    {"rates", write_rates},
    {"rows_columns", write_pair},
    {"arguments", write_nothing},
    {"inner_steps", write_steps},
};

static void write_form(struct writer *w, const struct cm_key *key)
{
    for (uint32_t i = 0; i < CM_COUNT_OF(forms); i++)
        if (strcmp(forms[i].schema, key->schema) == 0) {
            forms[i].write(w, key->name);
            return;
        }
    write_section(w, key->name);
}

/* Large numbers would only make runs longer. */
static uint64_t pick_integer(struct writer *w, const struct cm_key *key)
{
    uint64_t choice = pick(w, 16), range = key->max - key->min;
    if (choice == 15 && (key->max == UINT64_MAX || key->max < 1000))
        return key->max;
    uint64_t number = choice < 12 ? choice % 3 : pick(w, 256);
    return key->min + (number < range ? number : range);
}

static void write_key(struct writer *w, const struct cm_key *key)
{
    static const int64_t distances[] = {1, -1, 0, 2, -3, 5, -8, 100, INT64_MAX, INT64_MIN};
    uint32_t names = 0;
    switch (key->type) {
    case CM_KEY_INTEGER:
        cm_json_write_u64(&w->json, key->name, pick_integer(w, key));
        break;
    case CM_KEY_SIGNED:
        cm_json_write_i64(&w->json, key->name, distances[pick(w, CM_COUNT_OF(distances))]);
        break;
    case CM_KEY_NUMBER:
        cm_json_write_f64(&w->json, key->name, pick_number(w, key->schema));
        break;
    case CM_KEY_FLAG:
        cm_json_write_bool(&w->json, key->name, pick(w, 2) == 0);
        break;
    case CM_KEY_FILE:
        cm_json_write_string(&w->json, key->name, "none");
        break;
    case CM_KEY_NAME:
        while (cm_key_name_at(key, names) != NULL)
            names++;
        cm_json_write_string(&w->json, key->name, cm_key_name_at(key, pick(w, names)));
        break;
    case CM_KEY_ARRAY:
        cm_json_write_string(&w->json, key->name, pick_array(w));
        break;
    case CM_KEY_VALUE:
        write_value(w, key->name);
        break;
    case CM_KEY_OTHER:
        write_form(w, key);
        break;
    }
}

/* A file is named rarely: its workload is not run. */
static void write_keys(struct writer *w, const struct cm_key *keys, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (keys[k].required || pick(w, keys[k].type == CM_KEY_FILE ? 64 : 6) == 1)
            write_key(w, &keys[k]);
}

static void write_mesh(struct writer *w, const char *name)
{
    uint32_t rank = w->rank;
    cm_json_write_object(&w->json, name);
    write_keys(w, cm_workload_mesh_keys, cm_workload_mesh_key_count);
    cm_json_write_end(&w->json);
    w->rank = rank;
}

static void write_body(struct writer *w, const struct cm_step_kind *kind)
{
    uint32_t entries = kind->is_list ? 1 + pick(w, 4) : 1;
    if (kind->is_list)
        cm_json_write_list(&w->json, kind->name);
    for (uint32_t i = 0; i < entries; i++) {
        cm_json_write_object(&w->json, kind->is_list ? NULL : kind->name);
        write_keys(w, kind->keys, kind->key_count);
        cm_json_write_end(&w->json);
    }
    if (kind->is_list)
        cm_json_write_end(&w->json);
}

static const struct cm_step_kind *pick_kind(struct writer *w)
{
    uint32_t kinds = 0;
    while (cm_step_kind_at(kinds) != NULL)
        kinds++;
    const struct cm_step_kind *kind = cm_step_kind_at(pick(w, kinds));
    return kind->holds_steps && w->depth == DEPTH_MAX ? cm_step_kind_at(0) : kind;
}

static void write_steps(struct writer *w, const char *name)
{
    w->depth++;
    cm_json_write_list(&w->json, name);
    for (uint32_t i = 1 + pick(w, w->depth == 1 ? 4 : 2); i > 0; i--) {
        const struct cm_step_kind *kind = pick_kind(w);
        cm_json_write_object(&w->json, NULL);
        write_body(w, kind);
        write_keys(w, kind->outer_keys, kind->outer_count);
        cm_json_write_end(&w->json);
    }
    cm_json_write_end(&w->json);
    w->depth--;
}

/* The first array; the others are mostly like it. */
static void write_arrays(struct writer *w)
{
    static const char *const names[ARRAYS_MAX] = {"a", "b", "c", "d", "e"};
    w->arrays = 1 + pick(w, ARRAYS_MAX);
    cm_json_write_object(&w->json, "arrays");
    for (uint32_t i = 0; i < w->arrays; i++) {
        bool like = i > 0 && pick(w, 4) != 3;
        cm_json_write_object(&w->json, names[i]);
        if (like)
            cm_json_write_string(&w->json, "like", "a");
        for (uint32_t k = 0; k < cm_workload_array_key_count; k++) {
            const struct cm_key *key = &cm_workload_array_keys[k];
            bool needed = strcmp(key->name, "shape") == 0 || strcmp(key->name, "type") == 0;
            bool init = strcmp(key->name, "init") == 0;
            if (strcmp(key->name, "like") != 0 && (like ? init : needed || pick(w, 8) == 1 || init))
                write_key(w, key);
        }
        cm_json_write_end(&w->json);
    }
    cm_json_write_end(&w->json);
}

static void write_workload(struct writer *w)
{
    cm_json_write_object(&w->json, NULL);
    cm_json_write_string(&w->json, "format", "cm200-workload/1");
    cm_json_write_u64(&w->json, "nodes", UINT64_C(8) >> pick(w, 4));
    cm_json_write_bool(&w->json, "check", pick(w, 4) != 3);
    write_arrays(w);
    cm_json_write_object(&w->json, "scalars");
    cm_json_write_f64(&w->json, "s", pick_number(w, NULL));
    cm_json_write_numbers(&w->json, "z", (const uint64_t[]){2, 3}, 2);
    cm_json_write_end(&w->json);
    write_steps(w, "steps");
    cm_json_write_end(&w->json);
}

FUZZ_TARGET(fuzz_steps)
{
    struct writer w = {.data = data, .size = size};
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_json_writer_begin(&w.json, &text);
    write_workload(&w);
    if (cm_buffer_ok(&text)) {
        if (getenv("CM_FUZZ_PRINT") != NULL)
            fputs(text.data, stderr);
        run_workload(text.data, text.length);
    }
    cm_buffer_finish(&text);
    return 0;
}
