/* Makes JSON pointers (RFC 6901): the path from the root of a document to a value. */
#include "json.h"

#include "json_document.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

struct writer {
    char *buffer;
    size_t size;
    size_t length;
};

static void put(struct writer *w, char c)
{
    if (w->length + 1 < w->size)
        w->buffer[w->length] = c;
    w->length++;
}

static void put_key(struct writer *w, const char *key)
{
    for (; *key; key++) {
        if (*key == '~' || *key == '/') {
            put(w, '~');
            put(w, *key == '~' ? '0' : '1');
        } else {
            put(w, *key);
        }
    }
}

/* Returns the position of a value among its siblings, by binary search in their ordered list. */
static uint32_t ordinal(const struct cm_json_document *document, uint32_t index)
{
    uint32_t parent = document->scan.values[index].parent;
    const uint32_t *children = document->children + document->first[parent];
    uint32_t low = 0, high = document->scan.values[parent].count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (children[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t cm_json_path(struct cm_json value, char *buffer, size_t size)
{
    const struct cm_json_document *document = value.document;
    const struct cm_json_value *values = document->scan.values;
    uint32_t chain[CM_JSON_MAX_DEPTH + 1], depth = 0;
    for (uint32_t i = value.index; values[i].parent != CM_JSON_NONE; i = values[i].parent)
        chain[depth++] = i;
    struct writer w = {buffer, size, 0};
    while (depth > 0) {
        uint32_t index = chain[--depth];
        put(&w, '/');
        if (values[index].key != CM_JSON_NONE) {
            put_key(&w, document->nodes[index]->string);
            continue;
        }
        char digits[16];
        snprintf(digits, sizeof digits, "%u", (unsigned)ordinal(document, index));
        put_key(&w, digits);
    }
    if (size > 0)
        buffer[w.length < size ? w.length : size - 1] = '\0';
    return w.length;
}

struct cm_quote cm_json_in_path(struct cm_json value)
{
    struct cm_quote in = {""};
    char path[1024];
    size_t length = cm_json_path(value, path, sizeof path);
    if (length == 0)
        return in;
    if (length >= sizeof path)
        length = sizeof path - 1;
    memcpy(in.text, " in ", 4);
    cm_text_clean(in.text + 4, sizeof in.text - 4, path, length);
    return in;
}
