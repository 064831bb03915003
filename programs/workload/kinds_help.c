/* Help on kinds of steps and their keys, as text and as JSON. All of it is generated from the
 * kinds' tables. */
#include "../../base/json.h"
#include "step.h"

#include <inttypes.h>
#include <string.h>

static const char *const type_names[] = {
    [CM_KEY_INTEGER] = "integer",
    [CM_KEY_SIGNED] = "integer of either sign",
    [CM_KEY_NUMBER] = "number",
    [CM_KEY_FLAG] = "true or false",
    [CM_KEY_FILE] = "text",
    [CM_KEY_NAME] = "name",
    [CM_KEY_ARRAY] = "name of an array",
    [CM_KEY_VALUE] = "number, scalar or array",
    [CM_KEY_OTHER] = "see its form",
};

void cm_key_form(const struct cm_key *key, struct cm_buffer *text)
{
    if (key->form != NULL) {
        cm_buffer_printf(text, "%s", key->form);
    } else if (key->type == CM_KEY_NAME) {
        const char *name;
        for (uint32_t i = 0; (name = cm_key_name_at(key, i)) != NULL; i++)
            cm_buffer_printf(text, "%s%s", i > 0 ? ", " : "", name);
    } else if (key->type == CM_KEY_INTEGER && key->max == UINT64_MAX) {
        cm_buffer_printf(text, "integer from %" PRIu64, key->min);
    } else if (key->type == CM_KEY_INTEGER) {
        cm_buffer_printf(text, "integer from %" PRIu64 " to %" PRIu64, key->min, key->max);
    } else {
        cm_buffer_printf(text, "%s", type_names[key->type]);
    }
}

void cm_key_default(const struct cm_key *key, struct cm_buffer *text)
{
    if (key->required)
        return;
    if (key->otherwise != NULL)
        cm_buffer_printf(text, "%s", key->otherwise);
    else if (key->type == CM_KEY_NAME)
        cm_buffer_printf(text, "%s", cm_key_name_at(key, (uint32_t)key->initial));
    else if (key->type == CM_KEY_FLAG)
        cm_buffer_printf(text, "%s", key->initial != 0 ? "true" : "false");
    else if (key->type == CM_KEY_INTEGER || key->type == CM_KEY_NUMBER)
        cm_buffer_printf(text, "%" PRIu64, key->initial);
}

static void append_key(const struct cm_key *key, struct cm_buffer *text)
{
    struct cm_buffer missing;
    cm_buffer_init(&missing);
    cm_key_default(key, &missing);
    text->failed = text->failed || !cm_buffer_ok(&missing);
    cm_buffer_printf(text, "  %-20s %s\n  %20s ", key->name, key->meaning, "");
    cm_key_form(key, text);
    if (key->required)
        cm_buffer_printf(text, "; must be there");
    else if (missing.length > 0)
        cm_buffer_printf(text, "; default: %s", missing.data);
    cm_buffer_printf(text, "\n");
    cm_buffer_finish(&missing);
}

void cm_step_kinds_help(struct cm_buffer *text)
{
    const struct cm_step_kind *kind;
    for (uint32_t i = 0; (kind = cm_step_kind_at(i)) != NULL; i++)
        cm_buffer_printf(text, "  %-12s %s\n", kind->name, kind->summary);
}

void cm_step_kind_help(const struct cm_step_kind *kind, struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s: %s.\n\n  %s\n\n%s\n", kind->name, kind->summary, kind->example,
                     kind->is_list ? "Keys of each entry of the list:" : "Keys:");
    for (uint32_t k = 0; k < kind->key_count; k++)
        append_key(&kind->keys[k], text);
    if (kind->outer_count > 0)
        cm_buffer_printf(text, "\nNext to \"%s\":\n", kind->name);
    for (uint32_t k = 0; k < kind->outer_count; k++)
        append_key(&kind->outer_keys[k], text);
}

static void write_buffer(struct cm_json_writer *json, const char *key, const struct cm_key *of,
                         void (*append)(const struct cm_key *, struct cm_buffer *))
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    append(of, &text);
    if (!cm_buffer_ok(&text))
        json->text->failed = true;
    cm_json_write_string(json, key, text.length > 0 ? text.data : NULL);
    cm_buffer_finish(&text);
}

static void write_key(struct cm_json_writer *json, const struct cm_key *key)
{
    const char *name;
    cm_json_write_object(json, key->name);
    cm_json_write_string(json, "type", type_names[key->type]);
    cm_json_write_string(json, "schema", key->schema);
    cm_json_write_bool(json, "required", key->required);
    if (key->type == CM_KEY_INTEGER) {
        cm_json_write_u64(json, "min", key->min);
        cm_json_write_u64(json, "max", key->max);
    }
    if (key->type == CM_KEY_NAME) {
        cm_json_write_list(json, "names");
        for (uint32_t i = 0; (name = cm_key_name_at(key, i)) != NULL; i++)
            cm_json_write_string(json, NULL, name);
        cm_json_write_end(json);
    }
    write_buffer(json, "form", key, cm_key_form);
    write_buffer(json, "default", key, cm_key_default);
    cm_json_write_string(json, "meaning", key->meaning);
    cm_json_write_end(json);
}

static void write_keys(struct cm_json_writer *json, const char *name, const struct cm_key *keys,
                       uint32_t count)
{
    cm_json_write_object(json, name);
    for (uint32_t k = 0; k < count; k++)
        write_key(json, &keys[k]);
    cm_json_write_end(json);
}

void cm_step_kinds_json(struct cm_json_writer *json)
{
    const struct cm_step_kind *kind;
    for (uint32_t i = 0; (kind = cm_step_kind_at(i)) != NULL; i++) {
        cm_json_write_object(json, kind->name);
        cm_json_write_members(json, {"summary", cm_text(kind->summary)},
                              {"example", cm_text(kind->example)}, {"list", cm_bool(kind->is_list)},
                              {"entries_max", cm_u64(kind->entries_max)},
                              {"rules", cm_text(kind->rules)});
        write_keys(json, "keys", kind->keys, kind->key_count);
        write_keys(json, "outer_keys", kind->outer_keys, kind->outer_count);
        cm_json_write_end(json);
    }
}

void cm_array_keys_json(struct cm_json_writer *json)
{
    write_keys(json, "array", cm_workload_array_keys, cm_workload_array_key_count);
    write_keys(json, "mesh", cm_workload_mesh_keys, cm_workload_mesh_key_count);
}
