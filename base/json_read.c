/* Reading values as what they should be; every message says what was expected and what was
 * found. */
#include "json.h"

#include "json_document.h"
#include "json_number.h"
#include "suggest.h"
#include "text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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

static enum cm_status fail_at(const struct cm_json_document *document, uint32_t offset,
                              struct cm_error *err, const char *format, va_list arguments)
    CM_PRINTF(4, 0);

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

static enum cm_status fail_at_key(struct cm_json member, struct cm_error *err, const char *format,
                                  ...) CM_PRINTF(3, 4);

static enum cm_status fail_at_key(struct cm_json member, struct cm_error *err, const char *format,
                                  ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum cm_status status =
        fail_at(member.document, cm_json_value_of(member)->key, err, format, arguments);
    va_end(arguments);
    return status;
}

/* The value as it is shown in "found ...": a short token itself, or the kind of a container. */
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

enum cm_status cm_json_expect(struct cm_json value, enum cm_json_kind kind, const char *what,
                              struct cm_error *err)
{
    if (cm_json_kind(value) == kind)
        return CM_OK;
    return cm_json_error(value, err, "%s must be %s, found %s", what, cm_json_kind_name(kind),
                         found(value).text);
}

/* Sign and magnitude of a value that must be an integer; *fits is false when 64 bits do not hold
 * it. */
static enum cm_status read_integer(struct cm_json value, const char *what, bool *negative,
                                   uint64_t *magnitude, bool *fits, struct cm_error *err)
{
    const char *token;
    size_t length;
    *fits = *negative = false;
    *magnitude = 0;
    cm_json_token(value, &token, &length);
    if (cm_json_kind(value) != CM_JSON_NUMBER)
        return cm_json_error(value, err, "%s must be an integer, found %s", what,
                             found(value).text);
    enum cm_number_result result = cm_number_integer(token, length, negative, magnitude);
    if (result == CM_NUMBER_NOT_INTEGER)
        return cm_json_error(value, err, "%s must be an integer, found %s", what,
                             found(value).text);
    *fits = result == CM_NUMBER_OK;
    return CM_OK;
}

enum cm_status cm_json_u64(struct cm_json value, const char *what, uint64_t min, uint64_t max,
                           uint64_t *out, struct cm_error *err)
{
    bool negative, fits;
    uint64_t magnitude;
    enum cm_status status = read_integer(value, what, &negative, &magnitude, &fits, err);
    if (status != CM_OK)
        return status;
    if (fits && !negative && magnitude >= min && magnitude <= max) {
        *out = magnitude;
        return CM_OK;
    }
    if (max == UINT64_MAX && fits)
        return cm_json_error(value, err, "%s must be at least %" PRIu64 ", found %s", what, min,
                             found(value).text);
    return cm_json_error(value, err, "%s must be from %" PRIu64 " to %" PRIu64 ", found %s", what,
                         min, max, found(value).text);
}

enum cm_status cm_json_i64(struct cm_json value, const char *what, int64_t min, int64_t max,
                           int64_t *out, struct cm_error *err)
{
    bool negative, fits;
    uint64_t magnitude;
    enum cm_status status = read_integer(value, what, &negative, &magnitude, &fits, err);
    if (status != CM_OK)
        return status;
    int64_t number = 0;
    fits = fits && magnitude <= (uint64_t)INT64_MAX + negative;
    if (fits && negative)
        number = -(int64_t)(magnitude - 1) -
                 1; /* the magnitude is not 0, and INT64_MIN has no positive twin */
    else if (fits)
        number = (int64_t)magnitude;
    if (fits && number >= min && number <= max) {
        *out = number;
        return CM_OK;
    }
    return cm_json_error(value, err, "%s must be from %" PRId64 " to %" PRId64 ", found %s", what,
                         min, max, found(value).text);
}

enum cm_status cm_json_f64(struct cm_json value, const char *what, double *out,
                           struct cm_error *err)
{
    const char *token;
    size_t length;
    enum cm_status status = cm_json_expect(value, CM_JSON_NUMBER, what, err);
    if (status != CM_OK)
        return status;
    cm_json_token(value, &token, &length);
    *out = cm_number_double(token); /* finite: the scanner has refused what is too large */
    return CM_OK;
}

enum cm_status cm_json_bool(struct cm_json value, const char *what, bool *out, struct cm_error *err)
{
    enum cm_status status = cm_json_expect(value, CM_JSON_BOOL, what, err);
    if (status == CM_OK)
        *out = cJSON_IsTrue(value.document->nodes[value.index]);
    return status;
}

enum cm_status cm_json_string(struct cm_json value, const char *what, const char **out,
                              struct cm_error *err)
{
    enum cm_status status = cm_json_expect(value, CM_JSON_STRING, what, err);
    if (status != CM_OK)
        return status;
    if (cm_json_value_of(value)->has_nul)
        return cm_json_error(value, err, "%s must not have \\u0000 in it", what);
    *out = value.document->nodes[value.index]->valuestring;
    return CM_OK;
}

/* Lists the names in the hint: "known keys: a, b, c", as many as fit. */
static void hint_names(struct cm_error *err, const char *intro, const char *const *names,
                       uint32_t count)
{
    char list[sizeof err->hint];
    size_t used = 0;
    if (!err || count == 0)
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
    cm_error_hint(err, "%s%s", intro, list);
}

static bool is_among(const char *name, const char *const *names, uint32_t count, uint32_t *index)
{
    for (*index = 0; *index < count; (*index)++)
        if (strcmp(name, names[*index]) == 0)
            return true;
    return false;
}

enum cm_status cm_json_enum(struct cm_json value, const char *what, const char *const *names,
                            uint32_t count, uint32_t *out, struct cm_error *err)
{
    const char *name = NULL;
    uint32_t index;
    enum cm_status status = cm_json_string(value, what, &name, err);
    if (status != CM_OK)
        return status;
    if (is_among(name, names, count, &index)) {
        *out = index;
        return CM_OK;
    }
    const char *near = cm_suggest(name, names, count);
    struct cm_quote quoted = cm_text_quote(name, strlen(name));
    if (near)
        return cm_json_error(value, err, "unknown %s %s; did you mean \"%s\"?", what, quoted.text,
                             near);
    cm_json_error(value, err, "unknown %s %s", what, quoted.text);
    hint_names(err, "one of: ", names, count);
    return CM_BAD_INPUT;
}

enum cm_status cm_json_keys(struct cm_json value, const char *what, const char *const *keys,
                            uint32_t count, struct cm_error *err)
{
    enum cm_status status = cm_json_expect(value, CM_JSON_OBJECT, what, err);
    if (status != CM_OK)
        return status;
    for (uint32_t i = 0; i < cm_json_count(value); i++) {
        const char *key;
        uint32_t index;
        struct cm_json member = cm_json_at(value, i, &key);
        if (is_among(key, keys, count, &index))
            continue;
        const char *near = cm_suggest(key, keys, count);
        struct cm_quote quoted = cm_text_quote(key, strlen(key));
        struct cm_quote in = cm_json_in_path(value);
        if (near)
            return fail_at_key(member, err, "unknown key %s%s; did you mean \"%s\"?", quoted.text,
                               in.text, near);
        fail_at_key(member, err, "unknown key %s%s", quoted.text, in.text);
        hint_names(err, "known keys: ", keys, count);
        return CM_BAD_INPUT;
    }
    return CM_OK;
}

enum cm_status cm_json_require(struct cm_json object, const char *key, struct cm_json *member,
                               struct cm_error *err)
{
    if (cm_json_kind(object) == CM_JSON_OBJECT && cm_json_member(object, key, member))
        return CM_OK;
    return cm_json_error(object, err, "missing key \"%s\"%s", key, cm_json_in_path(object).text);
}
