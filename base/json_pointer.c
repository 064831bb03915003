/* RFC 6901 pointers: from the root to a value, and back. */
#include "json.h"

#include "json_document.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* Whether the reference token [token, end) is the escaped form of `key`. */
static bool token_is(const char *token, const char *end, const char *key)
{
    for (; token < end; token++, key++) {
        char c = *token;
        if (c == '~' && token + 1 < end && (token[1] == '0' || token[1] == '1'))
            c = *++token == '0' ? '~' : '/';
        if (*key != c)
            return false;
    }
    return *key == '\0';
}

/* An array index as RFC 6901 section 4 has it: digits without a leading zero. */
static bool token_index(const char *token, const char *end, uint32_t count, uint32_t *index)
{
    uint64_t value = 0;
    if (token == end || (*token == '0' && end - token > 1))
        return false;
    for (; token < end; token++) {
        if (*token < '0' || *token > '9')
            return false;
        value = value * 10 + (uint64_t)(*token - '0');
        if (value >= count)
            return false;
    }
    *index = (uint32_t)value;
    return true;
}

static bool step(struct cm_json *at, const char *token, const char *end)
{
    uint32_t count = cm_json_count(*at), index;
    if (cm_json_kind(*at) == CM_JSON_ARRAY) {
        if (!token_index(token, end, count, &index))
            return false;
        *at = cm_json_at(*at, index, NULL);
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *key;
        struct cm_json member = cm_json_at(*at, i, &key);
        if (token_is(token, end, key)) {
            *at = member;
            return true;
        }
    }
    return false;
}

bool cm_json_pointer(const struct cm_json_document *document, const char *pointer,
                     struct cm_json *value)
{
    struct cm_json at = cm_json_root(document);
    while (*pointer == '/') {
        const char *token = pointer + 1;
        const char *end = token + strcspn(token, "/");
        if (!step(&at, token, end))
            return false;
        pointer = end;
    }
    if (*pointer != '\0')
        return false;
    *value = at;
    return true;
}

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

/* The position of a value among its siblings: they lie in order, so it is found by halving. */
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
