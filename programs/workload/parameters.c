/*
 * Parameters of a workload. A parameter is a named integer (key "parameters"). Strings that begin
 * with $ stand for numbers: "$NAME", or "$(...)" with integers, names, + - * /, signs and
 * parentheses. Each such string is replaced by its number in the parsed document before any other
 * reader runs. So every number of a workload can be an expression, and error messages keep their
 * places.
 */
#include "../../base/suggest.h"
#include "../../base/text.h"
#include "workload_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NESTING_MAX 32u /* deepest nesting of parentheses and signs */

/* Members of a workload that do not contain numbers. Their strings may begin with $, as names of
 * files do. */
static const char *const plain_members[] = {"$schema", "format", "name",
                                            "machine", "save",   "parameters"};

/* Parser of an expression. The token is the JSON string with its quotes. */
struct expression {
    const struct cm_workload *workload;
    struct cm_reader *reader;
    struct cm_json json;
    const char *token;
    size_t length; /* number of bytes before the closing quote */
    size_t at;
    uint32_t nesting;
};

CM_PRINTF(3, 4)
static int64_t fail(struct expression *e, size_t at, const char *format, ...)
{
    char message[sizeof e->reader->err->message];
    va_list arguments;
    if (!cm_reader_ok(e->reader))
        return 0;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cm_reader_take(e->reader, cm_json_error_inside(e->json, at, e->reader->err, "%s", message));
    return 0;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the next character that is not blank, or '\0' at the end. */
static char next(struct expression *e)
{
    while (e->at < e->length && e->token[e->at] == ' ')
        e->at++;
    return e->at < e->length ? e->token[e->at] : '\0';
}

/* Adds the hint "known parameters: L, N" to an error, with as many names as fit. */
static void list_names(const struct cm_workload *workload, struct cm_error *err)
{
    char list[256];
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < workload->parameter_count; i++) {
        const char *name = workload->parameters[i].name;
        if (used + strlen(name) + 8 > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", name);
    }
    if (workload->parameter_count > 0)
        cm_error_hint(err, "known parameters: %s", list);
    else
        cm_error_hint(err, "parameters are named integers, which may use earlier parameters: "
                           "\"parameters\": {\"L\": 64}");
}

static const struct cm_parameter *find(const struct cm_workload *workload, const char *name,
                                       size_t length)
{
    for (uint32_t i = 0; i < workload->parameter_count; i++) {
        const struct cm_parameter *parameter = &workload->parameters[i];
        if (strncmp(parameter->name, name, length) == 0 && parameter->name[length] == '\0')
            return parameter;
    }
    return NULL;
}

static const char *nearest(const struct cm_workload *workload, const char *name)
{
    const char *names[CM_WORKLOAD_PARAMETERS_MAX];
    for (uint32_t i = 0; i < workload->parameter_count; i++)
        names[i] = workload->parameters[i].name;
    return cm_suggest(name, names, workload->parameter_count);
}

static int64_t read_name(struct expression *e)
{
    size_t begin = e->at;
    while (e->at < e->length && (is_letter(e->token[e->at]) || is_digit(e->token[e->at])))
        e->at++;
    const struct cm_parameter *parameter = find(e->workload, e->token + begin, e->at - begin);
    if (parameter != NULL)
        return parameter->value;
    struct cm_quote name = cm_text_clip(e->token + begin, e->at - begin);
    bool failed_here = cm_reader_ok(e->reader);
    const char *near = nearest(e->workload, name.text);
    if (near != NULL)
        fail(e, begin, "unknown parameter \"%s\"; did you mean \"%s\"?", name.text, near);
    else
        fail(e, begin, "unknown parameter \"%s\"", name.text);
    if (failed_here && near == NULL)
        list_names(e->workload, e->reader->err);
    return 0;
}

static int64_t read_integer(struct expression *e)
{
    int64_t value = 0;
    size_t begin = e->at;
    for (; e->at < e->length && is_digit(e->token[e->at]); e->at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, e->token[e->at] - '0', &value))
            return fail(e, begin, "the number is larger than 2^63 - 1");
    }
    return value;
}

static int64_t read_sum(struct expression *e);

/* Reads an operand: a number, a name, a sign and an operand, or an expression in parentheses. */
static int64_t read_operand(struct expression *e)
{
    char c = next(e);
    size_t begin = e->at;
    int64_t value = 0;
    if (is_letter(c))
        return read_name(e);
    if (is_digit(c))
        return read_integer(e);
    if (c != '-' && c != '(')
        return fail(e, begin, "expected a number, a parameter, - or (");
    if (e->nesting == NESTING_MAX)
        return fail(e, begin, "more than %u parentheses and signs are nested", NESTING_MAX);
    e->nesting++;
    e->at++;
    if (c == '-') {
        if (__builtin_sub_overflow(0, read_operand(e), &value))
            fail(e, begin, "the result is not within 64 bits");
    } else {
        value = read_sum(e);
        if (next(e) != ')')
            fail(e, e->at, "expected an operator or )");
        e->at++;
    }
    e->nesting--;
    return value;
}

static int64_t divide(struct expression *e, size_t at, int64_t a, int64_t b)
{
    if (b == 0)
        return fail(e, at, "%" PRId64 " is divided by 0", a);
    if (b == -1 && a == INT64_MIN)
        return fail(e, at, "the result is not within 64 bits");
    if (a % b != 0)
        return fail(e, at, "%" PRId64 " / %" PRId64 " is not an integer", a, b);
    return a / b;
}

static int64_t read_product(struct expression *e)
{
    int64_t value = read_operand(e);
    for (char c = next(e); cm_reader_ok(e->reader) && (c == '*' || c == '/'); c = next(e)) {
        size_t at = e->at++;
        int64_t factor = read_operand(e);
        if (!cm_reader_ok(e->reader))
            return 0;
        if (c == '/')
            value = divide(e, at, value, factor);
        else if (__builtin_mul_overflow(value, factor, &value))
            fail(e, at, "the result is not within 64 bits");
    }
    return value;
}

static int64_t read_sum(struct expression *e)
{
    int64_t value = read_product(e);
    for (char c = next(e); cm_reader_ok(e->reader) && (c == '+' || c == '-'); c = next(e)) {
        size_t at = e->at++;
        int64_t term = read_product(e);
        if (c == '+' ? __builtin_add_overflow(value, term, &value)
                     : __builtin_sub_overflow(value, term, &value))
            fail(e, at, "the result is not within 64 bits");
    }
    return value;
}

/* Returns the value of a string that begins with $. */
static int64_t evaluate(const struct cm_workload *workload, struct cm_reader *reader,
                        struct cm_json json)
{
    struct expression e = {.workload = workload, .reader = reader, .json = json, .at = 2};
    cm_json_token(json, &e.token, &e.length);
    e.length--;
    char first = e.at < e.length ? e.token[e.at] : '\0';
    if (first != '(' && !is_letter(first))
        return fail(&e, 1, "expected \"$NAME\" or \"$(...)\"");
    int64_t value = read_operand(&e);
    if (cm_reader_ok(reader) && e.at < e.length) {
        fail(&e, e.at, "expected the end of the expression");
        if (first != '(')
            cm_error_hint(reader->err, "with operators it is in parentheses, as in \"$(2*L)\"");
    }
    return cm_reader_ok(reader) ? value : 0;
}

static bool is_expression(struct cm_json json)
{
    const char *token;
    size_t length;
    cm_json_token(json, &token, &length);
    return cm_json_kind(json) == CM_JSON_STRING && length > 2 && token[1] == '$';
}

/* Replaces every string that is an expression in `json`, which may be such a string itself. */
static void substitute(struct cm_workload *workload, struct cm_reader *reader, struct cm_json json)
{
    for (uint32_t i = 0; cm_reader_ok(reader) && i < cm_json_count(json); i++)
        substitute(workload, reader, cm_json_at(json, i, NULL));
    if (!cm_reader_ok(reader) || !is_expression(json))
        return;
    int64_t value = evaluate(workload, reader, json);
    if (cm_reader_ok(reader))
        cm_reader_take(reader, cm_json_set_integer(workload->document, json, value, reader->err));
}

static bool is_name(const char *name)
{
    if (!is_letter(name[0]) || strlen(name) > 64)
        return false;
    while (is_letter(*name) || is_digit(*name))
        name++;
    return *name == '\0';
}

/* Returns the last entry of `set` for a parameter, or NULL if there is no entry. Sets *value to the
 * text after the "=". */
static const char *find_set(const char *name, const char *const *set, uint32_t count,
                            const char **value)
{
    size_t length = strlen(name);
    for (uint32_t i = count; i-- > 0;) {
        *value = set[i] + length + 1;
        if (strncmp(set[i], name, length) == 0 && set[i][length] == '=')
            return set[i];
    }
    return NULL;
}

/* Reads the value after NAME=. Returns false if it is not a 64-bit integer. */
static bool read_set(const char *text, int64_t *value)
{
    bool negative = text[0] == '-';
    uint64_t size;
    const char *end = cm_text_number(text + negative, &size);
    if (end == NULL || *end != '\0' || size > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

/* Reads a parameter: an integer, or an expression of parameters that come before it. */
static void read_parameter(struct cm_workload *workload, struct cm_reader *reader,
                           struct cm_json json, const char *name, const char *const *set,
                           uint32_t set_count)
{
    struct cm_parameter parameter = {.name = name};
    const char *text, *value;
    if (!is_name(name)) {
        cm_reader_fail(reader, json, "%s is not a name for a parameter",
                       cm_text_quote(name, strlen(name)).text);
        cm_reader_hint(reader, "a name has at most 64 letters, digits and _, no digit first");
        return;
    }
    if ((text = find_set(name, set, set_count, &value)) != NULL) {
        if (!read_set(value, &parameter.value))
            cm_reader_take(reader, cm_error_refuse(reader->err, "for example --param L=128",
                                                   "--param %s: expected NAME=INTEGER",
                                                   cm_text_clip(text, strlen(text)).text));
    } else if (is_expression(json)) {
        parameter.value = evaluate(workload, reader, json);
    } else {
        parameter.value = cm_read_i64(reader, json, "a parameter", INT64_MIN, INT64_MAX);
    }
    if (cm_reader_ok(reader))
        workload->parameters[workload->parameter_count++] = parameter;
}

/* Refuses an entry of the option --param that does not name a parameter of the workload. */
static void check_set(const struct cm_workload *workload, struct cm_reader *reader,
                      const char *text)
{
    size_t length = strcspn(text, "=");
    struct cm_quote shown = cm_text_clip(text, strlen(text));
    struct cm_quote name = cm_text_clip(text, length);
    if (!cm_reader_ok(reader) || (text[length] == '=' && find(workload, text, length) != NULL))
        return;
    const char *near = nearest(workload, name.text);
    enum cm_status status;
    if (text[length] != '=') {
        status =
            cm_error_set(reader->err, CM_USAGE, "--param %s: expected NAME=INTEGER", shown.text);
        cm_error_hint(reader->err, "for example --param L=128");
    } else if (near != NULL) {
        status = cm_error_set(reader->err, CM_BAD_INPUT,
                              "--param %s: unknown parameter \"%s\"; did you mean \"%s\"?",
                              shown.text, name.text, near);
    } else {
        status = cm_error_set(reader->err, CM_BAD_INPUT, "--param %s: unknown parameter \"%s\"",
                              shown.text, name.text);
        list_names(workload, reader->err);
    }
    cm_reader_take(reader, status);
}

static bool is_plain(const char *key)
{
    for (uint32_t i = 0; i < CM_COUNT_OF(plain_members); i++)
        if (strcmp(key, plain_members[i]) == 0)
            return true;
    return false;
}

void cm_workload_read_parameters(struct cm_workload *workload, struct cm_reader *reader,
                                 struct cm_json root, const char *const *set, uint32_t set_count)
{
    struct cm_json list;
    const char *key;
    bool found = cm_read_optional(reader, root, "parameters", &list);
    if (found) {
        cm_read_kind(reader, list, CM_JSON_OBJECT, "parameters");
        uint32_t count = cm_reader_ok(reader) ? cm_json_count(list) : 0;
        if (count > CM_WORKLOAD_PARAMETERS_MAX)
            cm_reader_fail(reader, list, "there are %" PRIu32 " parameters, expected at most %u",
                           count, CM_WORKLOAD_PARAMETERS_MAX);
        workload->parameters =
            cm_workload_allocate(workload, reader, count, sizeof *workload->parameters);
        for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++) {
            struct cm_json json = cm_json_at(list, i, &key);
            read_parameter(workload, reader, json, key, set, set_count);
        }
    }
    for (uint32_t i = 0; i < set_count; i++)
        check_set(workload, reader, set[i]);
    /* In a workload without "parameters", names may contain $. */
    for (uint32_t i = 0; found && cm_reader_ok(reader) && i < cm_json_count(root); i++) {
        struct cm_json json = cm_json_at(root, i, &key);
        if (!is_plain(key))
            substitute(workload, reader, json);
    }
}
