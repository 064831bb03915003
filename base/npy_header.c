/*
 * The header dictionary of a .npy file: a Python literal such as
 *     {'descr': '<f8', 'fortran_order': True, 'shape': (64, 64), }
 * with exactly these three keys in any order (NEP 1; numpy.lib.format). Nothing else of Python is
 * understood.
 */
#include "npy_header.h"

#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct parser {
    const char *name;
    const char *at;
    const char *end;
    struct cm_npy *npy;
    struct cm_error *err;
};

/* A string literal's content. */
struct literal {
    const char *text;
    size_t length;
};

static enum cm_status fail(const struct parser *p, const char *format, ...) CM_PRINTF(2, 3);

static enum cm_status fail(const struct parser *p, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return cm_error_at(p->err, CM_BAD_INPUT, p->name, 0, 0, "not a valid .npy header: %s", message);
}

static void skip_space(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

/* The next character behind white space; '\0' at the end. */
static char peek(struct parser *p)
{
    skip_space(p);
    return p->at < p->end ? *p->at : '\0';
}

static bool accept(struct parser *p, char c)
{
    if (peek(p) != c || p->at == p->end)
        return false;
    p->at++;
    return true;
}

static enum cm_status fail_expected(struct parser *p, const char *what)
{
    skip_space(p);
    if (p->at == p->end)
        return fail(p, "expected %s, found its end", what);
    size_t left = (size_t)(p->end - p->at);
    return fail(p, "expected %s, found %s", what, cm_text_quote(p->at, left < 16 ? left : 16).text);
}

static enum cm_status parse_string(struct parser *p, const char *what, struct literal *out)
{
    char quote = peek(p);
    if (quote != '\'' && quote != '"')
        return fail_expected(p, what);
    const char *start = ++p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\' && *p->at != '\n')
        p->at++;
    if (p->at == p->end || *p->at != quote)
        return fail(p, "a string that is not closed, or has an escape in it");
    *out = (struct literal){start, (size_t)(p->at - start)};
    p->at++;
    return CM_OK;
}

static bool literal_is(struct literal literal, const char *text)
{
    return literal.length == strlen(text) && memcmp(literal.text, text, literal.length) == 0;
}

static enum cm_status parse_descr(struct parser *p)
{
    struct literal descr;
    if (peek(p) == '[') {
        cm_error_at(p->err, CM_BAD_INPUT, p->name, 0, 0, "structured elements cannot be read");
        cm_error_hint(p->err, "save each field as an array of its own");
        return CM_BAD_INPUT;
    }
    enum cm_status status = parse_string(p, "an element type such as '<f8'", &descr);
    if (status != CM_OK)
        return status;
    for (int type = CM_NPY_F4; type <= CM_NPY_B1; type++) {
        if (literal_is(descr, cm_npy_type_descr((enum cm_npy_type)type))) {
            p->npy->type = (enum cm_npy_type)type;
            return CM_OK;
        }
    }
    struct cm_quote shown = cm_text_clip(descr.text, descr.length);
    bool big_endian = descr.length > 1 && descr.text[0] == '>';
    cm_error_at(p->err, CM_BAD_INPUT, p->name, 0, 0,
                big_endian ? "elements of type '%s' are big-endian; expected little-endian ones"
                           : "elements of type '%s' cannot be read",
                shown.text);
    cm_error_hint(p->err, "types that can: <f4, <f8, <c8, <c16, <i4, |b1; "
                          "convert in NumPy, for example with a.astype('<f8')");
    return CM_BAD_INPUT;
}

static enum cm_status parse_order(struct parser *p)
{
    skip_space(p);
    size_t left = (size_t)(p->end - p->at);
    if (left >= 4 && memcmp(p->at, "True", 4) == 0) {
        p->npy->fortran_order = true;
        p->at += 4;
    } else if (left >= 5 && memcmp(p->at, "False", 5) == 0) {
        p->npy->fortran_order = false;
        p->at += 5;
    } else {
        return fail_expected(p, "True or False behind 'fortran_order'");
    }
    return CM_OK;
}

static enum cm_status parse_extent(struct parser *p)
{
    skip_space(p);
    const char *start = p->at;
    uint64_t value = 0;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        uint64_t digit = (uint64_t)(*p->at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return fail(p, "an extent of the shape is beyond 64 bits");
        value = value * 10 + digit;
        p->at++;
    }
    if (p->at == start)
        return fail_expected(p, "an extent of the shape (a whole number, not negative)");
    if (*start == '0' && p->at - start > 1)
        return fail(p, "an extent of the shape begins with a zero");
    if (p->at < p->end && *p->at == 'L') /* a long of Python 2, which wrote version 1.0 files so */
        p->at++;
    if (p->npy->rank == CM_NPY_MAX_RANK)
        return cm_error_at(p->err, CM_BAD_INPUT, p->name, 0, 0,
                           "the array has more than %u dimensions", CM_NPY_MAX_RANK);
    p->npy->shape[p->npy->rank++] = value;
    return CM_OK;
}

/* A tuple: (), (3,), (3, 4) or (3, 4,). (3) is a number to Python, and NumPy refuses it too. */
static enum cm_status parse_shape(struct parser *p)
{
    bool comma = false;
    p->npy->rank = 0;
    if (!accept(p, '('))
        return fail_expected(p, "a tuple such as (3, 4) behind 'shape'");
    while (!accept(p, ')')) {
        if (p->npy->rank > 0 && !comma)
            return fail_expected(p, "',' or ')' in the shape");
        enum cm_status status = parse_extent(p);
        if (status != CM_OK)
            return status;
        comma = accept(p, ',');
    }
    if (p->npy->rank == 1 && !comma)
        return fail(p, "the shape is a number, not a tuple; one extent is written (3,)");
    return CM_OK;
}

/* One "key: value"; `seen` has a bit for each key that came before. */
static enum cm_status parse_member(struct parser *p, unsigned *seen)
{
    static const struct {
        const char *key;
        enum cm_status (*parse)(struct parser *p);
    } members[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
    struct literal key;
    enum cm_status status = parse_string(p, "a key in quotes", &key);
    if (status != CM_OK)
        return status;
    struct cm_quote shown = cm_text_clip(key.text, key.length);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (!literal_is(key, members[i].key))
            continue;
        if (*seen & 1u << i)
            return fail(p, "the key '%s' stands twice", shown.text);
        *seen |= 1u << i;
        if (!accept(p, ':'))
            return fail_expected(p, "':' behind a key");
        return members[i].parse(p);
    }
    return fail(p, "unknown key '%s'; expected 'descr', 'fortran_order' and 'shape'", shown.text);
}

static enum cm_status check_complete(const struct parser *p, unsigned seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    for (unsigned i = 0; i < 3; i++)
        if (!(seen & 1u << i))
            return fail(p, "the key '%s' is missing", keys[i]);
    return CM_OK;
}

bool cm_npy_shape_bytes(const struct cm_npy *npy, uint64_t *count, uint64_t *bytes)
{
    uint64_t most = (uint64_t)INT64_MAX / cm_npy_type_size(npy->type);
    uint64_t product = 1;
    bool empty = false;
    for (uint32_t i = 0; i < npy->rank; i++) {
        if (npy->shape[i] == 0) {
            empty = true;
            continue;
        }
        if (npy->shape[i] > most / product)
            return false;
        product *= npy->shape[i];
    }
    *count = empty ? 0 : product;
    *bytes = *count * cm_npy_type_size(npy->type);
    return true;
}

enum cm_status cm_npy_header_parse(const char *name, const char *text, size_t length,
                                   struct cm_npy *npy, struct cm_error *err)
{
    struct parser p = {name, text, text + length, npy, err};
    unsigned seen = 0;
    bool comma = true;
    uint64_t bytes;
    if (!accept(&p, '{'))
        return fail_expected(&p, "'{'");
    while (!accept(&p, '}')) {
        if (!comma)
            return fail_expected(&p, "',' or '}'");
        enum cm_status status = parse_member(&p, &seen);
        if (status != CM_OK)
            return status;
        comma = accept(&p, ',');
    }
    skip_space(&p);
    if (p.at != p.end)
        return fail_expected(&p, "nothing behind '}'");
    enum cm_status status = check_complete(&p, seen);
    if (status == CM_OK && !cm_npy_shape_bytes(npy, &npy->count, &bytes))
        status = cm_error_at(err, CM_BAD_INPUT, name, 0, 0,
                             "the array's shape has more elements than 63 bits can address");
    return status;
}
