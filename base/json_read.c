/* Reads JSON values as the types that callers expect. Every message says what was expected and what
 * was found. */
#include "reader.h"

#include "json_document.h"
#include "suggest.h"
#include "text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cm_json_kind_name(enum cm_json_kind kind)
{
    static const char *const names[] = {
        [CM_JSON_NULL] = "null",       [CM_JSON_BOOL] = "true or false",
        [CM_JSON_NUMBER] = "a number", [CM_JSON_STRING] = "a string",
        [CM_JSON_ARRAY] = "an array",  [CM_JSON_OBJECT] = "an object",
    };
    return names[kind];
}

CM_PRINTF(4, 0)
static enum cm_status fail_at(const struct cm_json_document *document, uint32_t offset,
                              struct cm_error *err, const char *format, va_list arguments)
{
    char message[sizeof err->message];
    uint32_t line, column;
    if (!err)
        return CM_BAD_INPUT;
    vsnprintf(message, sizeof message, format, arguments);
    cm_json_scan_position(&document->scan, offset, &line, &column);
    cm_error_at(err, CM_BAD_INPUT, document->name, line, column, "%s", message);
    cm_error_source(err, document->text, document->length);
    return CM_BAD_INPUT;
}

enum cm_status cm_json_error(struct cm_json value, struct cm_error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum cm_status status =
        fail_at(value.document, cm_json_value_of(value)->start, err, format, arguments);
    va_end(arguments);
    return status;
}

enum cm_status cm_json_error_inside(struct cm_json value, size_t offset, struct cm_error *err,
                                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    uint32_t start = cm_json_value_of(value)->start + (uint32_t)offset;
    enum cm_status status = fail_at(value.document, start, err, format, arguments);
    va_end(arguments);
    return status;
}

struct cm_reader cm_reader_make(struct cm_error *err)
{
    return (struct cm_reader){.status = CM_OK, .err = err};
}

bool cm_reader_ok(const struct cm_reader *reader)
{
    return reader->status == CM_OK;
}

void cm_reader_fail(struct cm_reader *reader, struct cm_json value, const char *format, ...)
{
    reader->failed_now = reader->status == CM_OK;
    if (!reader->failed_now)
        return;
    va_list arguments;
    va_start(arguments, format);
    reader->status =
        fail_at(value.document, cm_json_value_of(value)->start, reader->err, format, arguments);
    va_end(arguments);
}

/* Reports an error at the key of a member, with a formatted message. */
CM_PRINTF(3, 4)
static void fail_at_key(struct cm_reader *reader, struct cm_json member, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    reader->status =
        fail_at(member.document, cm_json_value_of(member)->key, reader->err, format, arguments);
    va_end(arguments);
    reader->failed_now = true;
}

void cm_reader_hint(struct cm_reader *reader, const char *format, ...)
{
    char hint[2 * sizeof reader->err->hint];
    if (!reader->failed_now || !reader->err)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(hint, sizeof hint, format, arguments);
    va_end(arguments);
    cm_error_hint(reader->err, "%s", hint);
}

void cm_reader_take(struct cm_reader *reader, enum cm_status status)
{
    reader->failed_now = false;
    if (reader->status == CM_OK)
        reader->status = status;
}

void *cm_reader_allocate(struct cm_reader *reader, size_t count, size_t size)
{
    if (reader->status != CM_OK)
        return NULL;
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        cm_reader_take(reader, cm_error_set(reader->err, CM_NO_MEMORY, "out of memory"));
    return memory;
}

/* Returns the value in the form in which messages quote it: a short token, or the kind of a
 * container. */
static struct cm_quote found(struct cm_json value)
{
    const char *token;
    size_t length;
    struct cm_quote quote;
    enum cm_json_kind kind = cm_json_kind(value);
    cm_json_token(value, &token, &length);
    if (kind != CM_JSON_ARRAY && kind != CM_JSON_OBJECT)
        return cm_text_clip(token, length);
    snprintf(quote.text, sizeof quote.text, "%s", cm_json_kind_name(kind));
    return quote;
}

void cm_read_kind(struct cm_reader *reader, struct cm_json value, enum cm_json_kind kind,
                  const char *what)
{
    if (reader->status == CM_OK && cm_json_kind(value) != kind)
        cm_reader_fail(reader, value, "%s must be %s, found %s", what, cm_json_kind_name(kind),
                       found(value).text);
}

/* Reads sign and magnitude of an integer. Fails if the value is not an integer of 64 bits. */
static bool read_integer(struct cm_reader *reader, struct cm_json value, const char *what,
                         bool *negative, uint64_t *magnitude)
{
    const char *token;
    size_t length;
    enum cm_number_result result = CM_NUMBER_NOT_INTEGER;
    *negative = false;
    *magnitude = 0;
    cm_json_token(value, &token, &length);
    if (cm_json_kind(value) == CM_JSON_NUMBER)
        result = cm_number_integer(token, length, negative, magnitude);
    if (result == CM_NUMBER_NOT_INTEGER)
        cm_reader_fail(reader, value, "%s must be an integer, found %s", what, found(value).text);
    return result == CM_NUMBER_OK;
}

uint64_t cm_read_u64(struct cm_reader *reader, struct cm_json value, const char *what, uint64_t min,
                     uint64_t max)
{
    bool negative;
    uint64_t magnitude;
    if (reader->status != CM_OK)
        return 0;
    bool fits = read_integer(reader, value, what, &negative, &magnitude);
    if (fits && !negative && magnitude >= min && magnitude <= max)
        return magnitude;
    if (max == UINT64_MAX && fits)
        cm_reader_fail(reader, value, "%s must be at least %" PRIu64 ", found %s", what, min,
                       found(value).text);
    else
        cm_reader_fail(reader, value, "%s must be from %" PRIu64 " to %" PRIu64 ", found %s", what,
                       min, max, found(value).text);
    return 0;
}

int64_t cm_read_i64(struct cm_reader *reader, struct cm_json value, const char *what, int64_t min,
                    int64_t max)
{
    bool negative;
    uint64_t magnitude;
    int64_t number = 0;
    if (reader->status != CM_OK)
        return 0;
    bool fits = read_integer(reader, value, what, &negative, &magnitude) &&
                magnitude <= (uint64_t)INT64_MAX + negative;
    /* a negative number has a magnitude of at least 1, and INT64_MIN has no positive counterpart */
    if (fits)
        number = negative ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    if (fits && number >= min && number <= max)
        return number;
    cm_reader_fail(reader, value, "%s must be from %" PRId64 " to %" PRId64 ", found %s", what, min,
                   max, found(value).text);
    return 0;
}

double cm_read_f64(struct cm_reader *reader, struct cm_json value, const char *what)
{
    const char *token;
    size_t length;
    cm_read_kind(reader, value, CM_JSON_NUMBER, what);
    if (reader->status != CM_OK)
        return 0;
    cm_json_token(value, &token, &length);
    /* the number is finite, because the scanner refuses larger numbers */
    return cm_number_double(token);
}

bool cm_read_bool(struct cm_reader *reader, struct cm_json value, const char *what)
{
    cm_read_kind(reader, value, CM_JSON_BOOL, what);
    return reader->status == CM_OK && cJSON_IsTrue(value.document->nodes[value.index]);
}

const char *cm_read_string(struct cm_reader *reader, struct cm_json value, const char *what)
{
    cm_read_kind(reader, value, CM_JSON_STRING, what);
    if (reader->status == CM_OK && cm_json_value_of(value)->has_nul)
        cm_reader_fail(reader, value, "%s must not have \\u0000 in it", what);
    return reader->status == CM_OK ? value.document->nodes[value.index]->valuestring : NULL;
}

const char *cm_read_title(struct cm_reader *reader, struct cm_json value, const char *what)
{
    const char *title = cm_read_string(reader, value, what);
    if (title != NULL && !cm_text_is_clean(title))
        cm_reader_fail(reader, value, "%s must not contain control characters", what);
    return reader->status == CM_OK ? title : NULL;
}

/* Sets the hint to an introduction and a list of names, such as "known keys: a, b, c", with as many
 * names as fit. */
static void hint_names(struct cm_reader *reader, const char *intro, const char *const *names,
                       uint32_t count)
{
    char list[sizeof reader->err->hint];
    size_t used = 0;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (used + length + 8 + strlen(intro) > sizeof list) {
            memcpy(list + used, ", ...", 6);
            break;
        }
        int n = snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += (size_t)n;
    }
    cm_reader_hint(reader, "%s%s", intro, list);
}

static bool is_among(const char *name, const char *const *names, uint32_t count, uint32_t *index)
{
    for (*index = 0; *index < count; (*index)++)
        if (strcmp(name, names[*index]) == 0)
            return true;
    return false;
}

uint32_t cm_read_name(struct cm_reader *reader, struct cm_json value, const char *what,
                      const char *const *names, uint32_t count)
{
    uint32_t index;
    const char *name = cm_read_string(reader, value, what);
    if (name == NULL)
        return 0;
    if (is_among(name, names, count, &index))
        return index;
    const char *nearest = cm_suggest(name, names, count);
    struct cm_quote quoted = cm_text_quote(name, strlen(name));
    if (nearest) {
        cm_reader_fail(reader, value, "unknown %s %s; did you mean \"%s\"?", what, quoted.text,
                       nearest);
    } else {
        cm_reader_fail(reader, value, "unknown %s %s", what, quoted.text);
        hint_names(reader, "one of: ", names, count);
    }
    return 0;
}

uint32_t cm_read_list(struct cm_reader *reader, struct cm_json value, const char *what,
                      uint32_t min, uint32_t max)
{
    cm_read_kind(reader, value, CM_JSON_ARRAY, what);
    if (reader->status != CM_OK)
        return 0;
    uint32_t count = cm_json_count(value);
    if (count >= min && count <= max)
        return count;
    cm_reader_fail(reader, value, "%s has %" PRIu32 " entr%s, expected %" PRIu32 " to %" PRIu32,
                   what, count, count == 1 ? "y" : "ies", min, max);
    return 0;
}

void cm_read_keys(struct cm_reader *reader, struct cm_json value, const char *what,
                  const char *const *keys, uint32_t count)
{
    cm_read_kind(reader, value, CM_JSON_OBJECT, what);
    for (uint32_t i = 0; reader->status == CM_OK && i < cm_json_count(value); i++) {
        const char *key;
        uint32_t index;
        struct cm_json member = cm_json_at(value, i, &key);
        if (is_among(key, keys, count, &index))
            continue;
        const char *nearest = cm_suggest(key, keys, count);
        struct cm_quote quoted = cm_text_quote(key, strlen(key));
        struct cm_quote in = cm_json_in_path(value);
        if (nearest) {
            fail_at_key(reader, member, "unknown key %s%s; did you mean \"%s\"?", quoted.text,
                        in.text, nearest);
        } else {
            fail_at_key(reader, member, "unknown key %s%s", quoted.text, in.text);
            hint_names(reader, "known keys: ", keys, count);
        }
    }
}

struct cm_json cm_read_member(struct cm_reader *reader, struct cm_json object, const char *key)
{
    struct cm_json member = object;
    if (reader->status == CM_OK &&
        (cm_json_kind(object) != CM_JSON_OBJECT || !cm_json_member(object, key, &member)))
        cm_reader_fail(reader, object, "missing key \"%s\"%s", key, cm_json_in_path(object).text);
    return member;
}

bool cm_read_optional(const struct cm_reader *reader, struct cm_json object, const char *key,
                      struct cm_json *member)
{
    return reader->status == CM_OK && cm_json_member(object, key, member);
}
