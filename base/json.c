/*
 * JSON documents: the scanner's positions and cJSON's tree, paired value by value. cJSON's own
 * look-up is not used, because it ignores case and walks all members for every key.
 */
#include "json.h"

#include "file.h"
#include "json_document.h"
#include "text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns a copy of the text in which number tokens that are too long for cJSON are replaced by 0.
 * Values of numbers are always taken from the original tokens. Returns NULL when out of memory.
 */
static char *text_for_cjson(const struct cm_json_document *document)
{
    char *copy = malloc(document->length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, document->text, document->length + 1);
    for (uint32_t i = 0; i < document->scan.count; i++) {
        const struct cm_json_value *value = &document->scan.values[i];
        if (value->kind != CM_JSON_NUMBER || value->end - value->start <= CM_JSON_LONG_NUMBER)
            continue;
        memset(copy + value->start, ' ', value->end - value->start);
        copy[value->start] = '0';
    }
    return copy;
}

static enum cm_status build_tree(struct cm_json_document *document, struct cm_error *err)
{
    char *copy = document->scan.has_long_number ? text_for_cjson(document) : NULL;
    const char *text = document->scan.has_long_number ? copy : document->text;
    if (text)
        document->tree = cJSON_ParseWithLengthOpts(text, document->length + 1, NULL, true);
    free(copy);
    /* cJSON accepts whatever the scanner accepts, so only memory can be missing */
    return document->tree ? CM_OK : cm_error_no_memory(err);
}

/* Pairs every scanned value with its node of cJSON by walking the tree in preorder. */
static enum cm_status pair_nodes(struct cm_json_document *document, struct cm_error *err)
{
    const struct cm_json_scan *scan = &document->scan;
    document->nodes = malloc(scan->count * sizeof(cJSON *));
    if (!document->nodes)
        return cm_error_no_memory(err);
    cJSON *open[CM_JSON_MAX_DEPTH];
    uint32_t depth = 0, index = 0;
    cJSON *node = document->tree;
    while (node && index < scan->count) {
        document->nodes[index++] = node;
        if (node->child && depth < CM_JSON_MAX_DEPTH) {
            open[depth++] = node;
            node = node->child;
            continue;
        }
        while (depth > 0 && !node->next)
            node = open[--depth];
        node = depth > 0 ? node->next : NULL;
    }
    if (!node && index == scan->count)
        return CM_OK;
    return cm_error_at(err, CM_INTERNAL, document->name, 0, 0,
                       "cJSON and the scanner disagree about value %u", (unsigned)index);
}

/* Lists the children of every container in document->children, side by side and in document
 * order. */
static enum cm_status list_children(struct cm_json_document *document, struct cm_error *err)
{
    const struct cm_json_scan *scan = &document->scan;
    uint32_t end = 0;
    document->first = malloc(scan->count * sizeof(uint32_t));
    document->children = malloc(scan->count * sizeof(uint32_t));
    if (!document->first || !document->children)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < scan->count; i++)
        document->first[i] = end += scan->values[i].count;
    for (uint32_t i = scan->count; i-- > 1;) /* from the last child to the first */
        document->children[--document->first[scan->values[i].parent]] = i;
    return CM_OK;
}

/* Returns a hash of a member: FNV-1a over the key (Fowler, Noll, Vo, 64-bit parameters), started
 * from the parent, with a final mix for the low bits. */
static uint64_t hash_member(uint32_t parent, const char *key)
{
    uint64_t hash = (14695981039346656037u ^ parent) * 1099511628211u;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    hash ^= hash >> 32;
    return hash * 0x9e3779b97f4a7c15u >> 16;
}

uint32_t cm_json_find_slot(const struct cm_json_document *document, uint32_t object,
                           const char *key)
{
    uint32_t mask = document->slot_count - 1;
    uint32_t slot = (uint32_t)hash_member(object, key) & mask;
    for (; document->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t index = document->slots[slot] - 1;
        if (document->scan.values[index].parent == object &&
            strcmp(document->nodes[index]->string, key) == 0)
            break;
    }
    return slot;
}

static enum cm_status fail_duplicate(const struct cm_json_document *document, uint32_t index,
                                     uint32_t earlier, struct cm_error *err)
{
    const struct cm_json_value *value = &document->scan.values[index];
    const char *key = document->nodes[index]->string;
    uint32_t line, column, first_line, first_column;
    cm_json_scan_position(&document->scan, value->key, &line, &column);
    cm_json_scan_position(&document->scan, document->scan.values[earlier].key, &first_line,
                          &first_column);
    cm_error_at(err, CM_BAD_INPUT, document->name, line, column,
                "duplicate key %s%s; it is already at line %u, column %u",
                cm_text_quote(key, strlen(key)).text,
                cm_json_in_path((struct cm_json){document, value->parent}).text,
                (unsigned)first_line, (unsigned)first_column);
    cm_error_source(err, document->text, document->length);
    return CM_BAD_INPUT;
}

/* Fills the hash table of members, and fails for a duplicate key. Keys are compared after
 * unescaping. */
static enum cm_status index_members(struct cm_json_document *document, struct cm_error *err)
{
    const struct cm_json_scan *scan = &document->scan;
    document->slot_count = 2;
    while (document->slot_count / 2 < scan->member_count)
        document->slot_count *= 2;
    document->slots = calloc(document->slot_count, sizeof(uint32_t));
    if (!document->slots)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < scan->count; i++) {
        if (scan->values[i].key == CM_JSON_NONE)
            continue;
        uint32_t slot =
            cm_json_find_slot(document, scan->values[i].parent, document->nodes[i]->string);
        if (document->slots[slot] != 0)
            return fail_duplicate(document, i, document->slots[slot] - 1, err);
        document->slots[slot] = i + 1;
    }
    return CM_OK;
}

/* Parses `text`, which the document owns from now on. */
static enum cm_status parse_owned(const char *name, char *text, size_t length,
                                  struct cm_json_document **out, struct cm_error *err)
{
    struct cm_json_document *document = calloc(1, sizeof *document);
    if (!document) {
        free(text);
        return cm_error_no_memory(err);
    }
    document->text = text;
    document->length = length;
    document->name = strdup(name);
    enum cm_status status = document->name ? CM_OK : cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_json_scan(name, text, length, &document->scan, err);
    if (status == CM_OK)
        status = build_tree(document, err);
    if (status == CM_OK)
        status = pair_nodes(document, err);
    if (status == CM_OK)
        status = list_children(document, err);
    if (status == CM_OK)
        status = index_members(document, err);
    if (status == CM_OK)
        *out = document;
    else
        cm_json_destroy(document);
    return status;
}

enum cm_status cm_json_parse(const char *name, const char *text, size_t length,
                             struct cm_json_document **document, struct cm_error *err)
{
    *document = NULL;
    /* text that is too long is refused by its length and need not be copied */
    size_t copied = length <= CM_JSON_MAX_BYTES ? length : 0;
    char *copy = malloc(copied + 1);
    if (!copy)
        return cm_error_no_memory(err);
    if (copied > 0)
        memcpy(copy, text, copied);
    copy[copied] = '\0';
    return parse_owned(name, copy, length, document, err);
}

enum cm_status cm_json_read(const char *path, struct cm_json_document **document,
                            struct cm_error *err)
{
    char *text;
    size_t length;
    *document = NULL;
    enum cm_status status = cm_file_read(path, CM_JSON_MAX_BYTES, &text, &length, err);
    if (status != CM_OK)
        return status;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return parse_owned(name, text, length, document, err);
}

void cm_json_destroy(struct cm_json_document *document)
{
    if (!document)
        return;
    for (uint32_t i = 0; document->tokens != NULL && i < document->scan.count; i++)
        free(document->tokens[i]);
    free(document->tokens);
    cJSON_Delete(document->tree);
    cm_json_scan_finish(&document->scan);
    free(document->nodes);
    free(document->children);
    free(document->first);
    free(document->slots);
    free(document->text);
    free(document->name);
    free(document);
}

const char *cm_json_name(const struct cm_json_document *document)
{
    return document->name;
}

struct cm_json cm_json_root(const struct cm_json_document *document)
{
    return (struct cm_json){document, 0};
}

enum cm_json_kind cm_json_kind(struct cm_json value)
{
    return (enum cm_json_kind)cm_json_value_of(value)->kind;
}

uint32_t cm_json_count(struct cm_json value)
{
    return cm_json_value_of(value)->count;
}

struct cm_json cm_json_at(struct cm_json value, uint32_t i, const char **key)
{
    assert(i < cm_json_count(value));
    const struct cm_json_document *document = value.document;
    uint32_t index = document->children[document->first[value.index] + i];
    if (key)
        *key = document->nodes[index]->string;
    return (struct cm_json){document, index};
}

bool cm_json_member(struct cm_json object, const char *key, struct cm_json *member)
{
    const struct cm_json_document *document = object.document;
    uint32_t found = document->slots[cm_json_find_slot(document, object.index, key)];
    if (found == 0)
        return false;
    *member = (struct cm_json){document, found - 1};
    return true;
}

void cm_json_position(struct cm_json value, uint32_t *line, uint32_t *column)
{
    cm_json_scan_position(&value.document->scan, cm_json_value_of(value)->start, line, column);
}

void cm_json_token(struct cm_json value, const char **token, size_t *length)
{
    const struct cm_json_value *v = cm_json_value_of(value);
    const char *changed =
        value.document->tokens != NULL ? value.document->tokens[value.index] : NULL;
    *token = changed != NULL ? changed : value.document->text + v->start;
    *length = changed != NULL ? strlen(changed) : v->end - v->start;
}

enum cm_status cm_json_set_integer(struct cm_json_document *document, struct cm_json value,
                                   int64_t number, struct cm_error *err)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    if (document->tokens == NULL)
        document->tokens = calloc(document->scan.count, sizeof *document->tokens);
    char *token = document->tokens != NULL ? strdup(digits) : NULL;
    if (token == NULL)
        return cm_error_no_memory(err);
    free(document->tokens[value.index]);
    document->tokens[value.index] = token;
    document->scan.values[value.index].kind = CM_JSON_NUMBER;
    return CM_OK;
}
