/* The structure of a JSON text: a state machine over its tokens, whose stack is the chain of
 * parents. */
#include "json_scan.h"

#include "json_lexer.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum state {
    WANT_VALUE, /* a value, and nothing else */
    WANT_FIRST, /* behind an opening bracket: a member, or the end */
    WANT_KEY,
    WANT_COMMA, /* behind a member: a comma, or the end */
    DONE,       /* behind the root */
};

struct scanner {
    struct cm_json_lexer lexer;
    enum state state;
    uint32_t parent; /* the innermost open container */
    uint32_t depth;  /* open containers */
    uint32_t key;    /* of the value to come */
};

void cm_json_scan_finish(struct cm_json_scan *scan)
{
    free(scan->values);
    free(scan->lines);
    *scan = (struct cm_json_scan){0};
}

void cm_json_scan_position(const struct cm_json_scan *scan, uint32_t offset, uint32_t *line,
                           uint32_t *column)
{
    uint32_t low = 0, high = scan->line_count; /* lines[low] <= offset < lines[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (scan->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = low + 1;
    *column = offset - scan->lines[low] + 1;
}

static bool in_object(const struct scanner *s)
{
    return s->parent != CM_JSON_NONE && s->lexer.scan->values[s->parent].kind == CM_JSON_OBJECT;
}

/* Where an open container began, for the message about its missing end. */
static enum cm_status fail_unclosed(struct scanner *s, const char *expected)
{
    const struct cm_json_scan *scan = s->lexer.scan;
    uint32_t line, column;
    cm_json_lexer_fail(&s->lexer, s->lexer.at, "expected %s, found %s", expected,
                       cm_json_lexer_found(&s->lexer, s->lexer.at).text);
    if (s->lexer.at == s->lexer.length && s->parent != CM_JSON_NONE) {
        cm_json_scan_position(scan, scan->values[s->parent].start, &line, &column);
        cm_error_hint(s->lexer.err, "the %s that begins at line %u, column %u is not closed",
                      in_object(s) ? "object" : "array", (unsigned)line, (unsigned)column);
    }
    return CM_BAD_INPUT;
}

static enum cm_status add_value(struct scanner *s, struct cm_json_value **value)
{
    struct cm_json_scan *scan = s->lexer.scan;
    if (scan->count == scan->capacity) {
        uint32_t capacity = scan->capacity > 0 ? scan->capacity * 2 : 64;
        struct cm_json_value *values = realloc(scan->values, capacity * sizeof *values);
        if (!values)
            return cm_json_lexer_no_memory(&s->lexer);
        scan->values = values;
        scan->capacity = capacity;
    }
    if (s->parent != CM_JSON_NONE)
        scan->values[s->parent].count++;
    if (s->key != CM_JSON_NONE)
        scan->member_count++;
    *value = &scan->values[scan->count++];
    **value = (struct cm_json_value){.start = s->lexer.at, .key = s->key, .parent = s->parent};
    s->key = CM_JSON_NONE;
    return CM_OK;
}

static enum cm_status open_container(struct scanner *s, struct cm_json_value *value,
                                     enum cm_json_kind kind)
{
    if (s->depth == CM_JSON_MAX_DEPTH)
        return cm_json_lexer_fail(&s->lexer, s->lexer.at, "nested deeper than %u levels",
                                  CM_JSON_MAX_DEPTH);
    value->kind = (uint8_t)kind;
    s->parent = s->lexer.scan->count - 1;
    s->depth++;
    s->lexer.at++;
    s->state = WANT_FIRST;
    return CM_OK;
}

static void close_container(struct scanner *s)
{
    struct cm_json_value *container = &s->lexer.scan->values[s->parent];
    container->end = ++s->lexer.at;
    s->parent = container->parent;
    s->depth--;
    s->state = s->depth > 0 ? WANT_COMMA : DONE;
}

static enum cm_status scan_value(struct scanner *s)
{
    struct cm_json_value *value = NULL;
    enum cm_status status = add_value(s, &value);
    if (status != CM_OK)
        return status;
    char c = s->lexer.text[s->lexer.at];
    if (c == '{' || c == '[')
        return open_container(s, value, c == '{' ? CM_JSON_OBJECT : CM_JSON_ARRAY);
    enum cm_json_kind kind = CM_JSON_STRING;
    if (c == '"') {
        status = cm_json_lexer_string(&s->lexer, &value->has_nul);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        kind = CM_JSON_NUMBER;
        status = cm_json_lexer_number(&s->lexer);
    } else {
        status = cm_json_lexer_word(&s->lexer, &kind);
    }
    value->kind = (uint8_t)kind;
    value->end = s->lexer.at;
    s->state = s->depth > 0 ? WANT_COMMA : DONE;
    return status;
}

static enum cm_status scan_key(struct scanner *s)
{
    struct cm_json_lexer *lexer = &s->lexer;
    bool has_nul = false;
    if (lexer->text[lexer->at] != '"') {
        enum cm_status status = fail_unclosed(s, "a key in double quotes");
        if (lexer->text[lexer->at] == '}')
            cm_error_hint(lexer->err, "JSON does not allow a comma behind the last member");
        return status;
    }
    s->key = lexer->at;
    enum cm_status status = cm_json_lexer_string(lexer, &has_nul);
    if (status == CM_OK && has_nul)
        return cm_json_lexer_fail(lexer, s->key, "a key with \\u0000 in it");
    if (status == CM_OK)
        status = cm_json_lexer_space(lexer);
    if (status != CM_OK)
        return status;
    if (lexer->text[lexer->at] != ':')
        return fail_unclosed(s, "\":\" behind the key");
    lexer->at++;
    s->state = WANT_VALUE;
    return CM_OK;
}

/* Behind an opening bracket, or behind a member. */
static enum cm_status scan_separator(struct scanner *s)
{
    char c = s->lexer.text[s->lexer.at];
    bool object = in_object(s);
    if (s->lexer.at < s->lexer.length && c == (object ? '}' : ']')) {
        close_container(s);
        return CM_OK;
    }
    if (s->state == WANT_COMMA) {
        if (c != ',')
            return fail_unclosed(s, object ? "\",\" or \"}\"" : "\",\" or \"]\"");
        s->lexer.at++;
    } else if (s->lexer.at == s->lexer.length) {
        return fail_unclosed(s, object ? "a key in double quotes or \"}\"" : "a value or \"]\"");
    }
    s->state = object ? WANT_KEY : WANT_VALUE;
    return CM_OK;
}

static enum cm_status scan_tokens(struct scanner *s)
{
    for (;;) {
        enum cm_status status = cm_json_lexer_space(&s->lexer);
        if (status == CM_OK && s->state == DONE) {
            if (s->lexer.at == s->lexer.length)
                return CM_OK;
            return cm_json_lexer_fail(&s->lexer, s->lexer.at,
                                      "expected the end of the file, found %s",
                                      cm_json_lexer_found(&s->lexer, s->lexer.at).text);
        }
        if (status == CM_OK)
            status = s->state == WANT_VALUE ? scan_value(s)
                     : s->state == WANT_KEY ? scan_key(s)
                                            : scan_separator(s);
        if (status != CM_OK)
            return status;
    }
}

/* What is not JSON from its first bytes on: nothing at all, and other encodings. */
static enum cm_status check_start(const struct cm_json_lexer *lexer)
{
    const char *text = lexer->text;
    if (lexer->length == 0)
        return cm_json_lexer_fail(lexer, 0, "the file is empty; expected a JSON value");
    if (lexer->length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        cm_json_lexer_fail(lexer, 0,
                           "the file begins with a byte order mark (0xef 0xbb 0xbf), "
                           "which JSON does not allow");
    else if (lexer->length >= 2 &&
             (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        cm_json_lexer_fail(lexer, 0, "the file is UTF-16; JSON must be UTF-8");
    else
        return CM_OK;
    cm_error_hint(lexer->err, "save it as UTF-8 without a byte order mark");
    return CM_BAD_INPUT;
}

enum cm_status cm_json_scan(const char *name, const char *text, size_t length,
                            struct cm_json_scan *scan, struct cm_error *err)
{
    *scan = (struct cm_json_scan){0};
    if (length > CM_JSON_MAX_BYTES) /* the position would not help */
        return cm_error_at(err, CM_BAD_INPUT, name, 0, 0,
                           "the file has %zu bytes; at most %u can be read", length,
                           CM_JSON_MAX_BYTES);
    struct scanner s = {
        .lexer = {.name = name, .text = text, .length = (uint32_t)length, .scan = scan, .err = err},
        .state = WANT_VALUE,
        .parent = CM_JSON_NONE,
        .key = CM_JSON_NONE,
    };
    enum cm_status status = cm_json_lexer_line(&s.lexer, 0);
    if (status == CM_OK)
        status = check_start(&s.lexer);
    if (status == CM_OK)
        status = scan_tokens(&s);
    if (status != CM_OK)
        cm_json_scan_finish(scan);
    return status;
}
