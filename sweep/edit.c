/* Changes one value in the text of a workload, and keeps the rest of the text, with its comments
 * and spacing. It serves axes whose values are put into the workload. */
#include "../base/json.h"
#include "../base/json_document.h"
#include "../report/json_writer.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

/* Value that a path in the workload leads to, or member that an object of the workload lacks. */
struct target {
    struct cm_json parent, value;
    char key[128];
    bool exists;
};

static bool step_into(struct cm_json from, const char *part, struct cm_json *to)
{
    char *end;
    unsigned long index = strtoul(part, &end, 10);
    if (cm_json_kind(from) == CM_JSON_OBJECT)
        return cm_json_member(from, part, to);
    if (cm_json_kind(from) != CM_JSON_ARRAY || *part == '\0' || *end != '\0' ||
        index >= cm_json_count(from))
        return false;
    *to = cm_json_at(from, (uint32_t)index, NULL);
    return true;
}

/* Finds the value at a path in the workload. The value of a step's key, such as "pshift", may be a
 * list of arrays. The next key of the path, such as "setup", is then a member of the step itself.
 */
static bool find(struct cm_json root, const char *place, struct target *target)
{
    struct cm_json at = root, above = root;
    const char *part = place + (*place == '/');
    for (;;) {
        size_t length = strcspn(part, "/");
        if (length == 0 || length >= sizeof target->key)
            return false;
        memcpy(target->key, part, length);
        target->key[length] = '\0';
        struct cm_json parent = at;
        bool last = part[length] == '\0';
        target->exists = step_into(at, target->key, &at);
        if (!target->exists && last && cm_json_kind(at) == CM_JSON_ARRAY) {
            parent = above;
            target->exists = step_into(above, target->key, &at);
        }
        if (last) {
            target->parent = parent;
            target->value = at;
            return target->exists || cm_json_kind(parent) == CM_JSON_OBJECT;
        }
        if (!target->exists)
            return false;
        above = parent;
        part += length + 1;
    }
}

/* Appends a value of an axis as JSON. Numbers, true, false and null are not changed, and all other
 * texts become strings. */
static void append_value(struct cm_buffer *made, const char *value)
{
    struct cm_json_document *document = NULL;
    bool plain = cm_json_parse("value", value, strlen(value), &document, NULL) == CM_OK &&
                 cm_json_kind(cm_json_root(document)) != CM_JSON_OBJECT &&
                 cm_json_kind(cm_json_root(document)) != CM_JSON_ARRAY &&
                 cm_json_kind(cm_json_root(document)) != CM_JSON_STRING;
    cm_json_destroy(document);
    if (plain) {
        cm_buffer_printf(made, "%s", value);
        return;
    }
    cm_buffer_append(made, "\"", 1);
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            cm_buffer_append(made, "\\", 1);
        if ((unsigned char)*c < 0x20)
            cm_buffer_printf(made, "\\u%04x", (unsigned)*c);
        else
            cm_buffer_append(made, c, 1);
    }
    cm_buffer_append(made, "\"", 1);
}

static void replace(const struct cm_json_document *document, const struct target *target,
                    const char *value, struct cm_buffer *made)
{
    const char *token;
    size_t length;
    cm_json_token(target->exists ? target->value : target->parent, &token, &length);
    size_t first = (size_t)(token - document->text) + !target->exists;
    cm_buffer_append(made, document->text, first);
    if (!target->exists)
        cm_buffer_printf(made, "\"%s\": ", target->key);
    append_value(made, value);
    if (!target->exists && cm_json_count(target->parent) > 0)
        cm_buffer_printf(made, ", ");
    size_t behind = target->exists ? first + length : first;
    cm_buffer_append(made, document->text + behind, document->length - behind);
}

enum cm_status cm_sweep_edit(const char *name, char **text, size_t *length, const char *place,
                             const char *value, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    struct target target;
    struct cm_buffer made;
    enum cm_status status = cm_json_parse(name, *text, *length, &document, err);
    if (status != CM_OK)
        return status;
    cm_buffer_init(&made);
    if (!find(cm_json_root(document), place, &target)) {
        status =
            cm_error_set(err, CM_USAGE, "--over %.200s: the workload has no such place", place);
        cm_error_hint(err,
                      "for example steps/0/pshift/setup, arrays/src/type or nodes; lists count "
                      "from 0");
    } else {
        replace(document, &target, value, &made);
        if (!cm_buffer_ok(&made))
            status = cm_error_no_memory(err);
    }
    cm_json_destroy(document);
    if (status != CM_OK) {
        cm_buffer_finish(&made);
        return status;
    }
    free(*text);
    *text = made.data;
    *length = made.length;
    return CM_OK;
}
