/*
 * The header dictionary of a .npy file: a Python literal such as
 *     {'descr': '<f8', 'fortran_order': True, 'shape': (64, 64), }
 * with exactly these three keys in any order (NEP 1; numpy.lib.format). Nothing else of Python is
 * understood.
 */
#include "npy_header.h"

#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* After the first error nothing is read any more. */
struct parser {
    const char *name;
    const char *at, *end; /* *end is NUL */
    struct cm_npy *npy;
    enum cm_status status;
    struct cm_error *err;
};

#define INVALID "not a valid .npy header: "
#define fail(p, ...)                                                                               \
    ((p)->status = (p)->status != CM_OK                                                            \
                       ? (p)->status                                                               \
                       : cm_error_at((p)->err, CM_BAD_INPUT, (p)->name, 0, 0, __VA_ARGS__))

static void expected(struct parser *p, const char *what)
{
    size_t left = (size_t)(p->end - p->at);
    if (left == 0)
        fail(p, INVALID "expected %s, found its end", what);
    else
        fail(p, INVALID "expected %s, found %s", what,
             cm_text_quote(p->at, left < 16 ? left : 16).text);
}

/* Takes a word that is there, behind white space. */
static bool accept(struct parser *p, const char *word)
{
    p->at += p->status == CM_OK ? strspn(p->at, " \t\n\r") : 0;
    bool found = p->status == CM_OK && strncmp(p->at, word, strlen(word)) == 0;
    p->at += found ? strlen(word) : 0;
    return found;
}

/* A string literal's content; NULL after an error. */
static const char *get_string(struct parser *p, const char *what, size_t *length)
{
    bool single = accept(p, "'");
    if (!single && !accept(p, "\""))
        expected(p, what);
    const char *text = p->at, *end = text + strcspn(text, single ? "'\\\n" : "\"\\\n");
    if (*end != (single ? '\'' : '"'))
        fail(p, INVALID "a string that is not closed, or has an escape in it");
    if (p->status != CM_OK)
        return NULL;
    *length = (size_t)(end - text);
    p->at = end + 1;
    return text;
}

static bool is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static void get_type(struct parser *p)
{
    size_t length;
    if (accept(p, "[")) {
        fail(p, "structured elements cannot be read");
        cm_error_hint(p->err, "save each field as an array of its own");
    }
    const char *descr = get_string(p, "an element type such as '<f8'", &length);
    for (int type = CM_NPY_F4; descr && type <= CM_NPY_B1; type++) {
        p->npy->type = (enum cm_npy_type)type;
        if (is(descr, length, cm_npy_type_descr(p->npy->type)))
            return;
    }
    if (!descr)
        return;
    fail(p,
         length > 1 && descr[0] == '>'
             ? "elements of type '%s' are big-endian; expected little-endian ones"
             : "elements of type '%s' cannot be read",
         cm_text_clip(descr, length).text);
    cm_error_hint(p->err, "types that can: <f4, <f8, <c8, <c16, <i4, |b1; "
                          "convert in NumPy, for example with a.astype('<f8')");
}

static void get_order(struct parser *p)
{
    p->npy->fortran_order = accept(p, "True");
    if (!p->npy->fortran_order && !accept(p, "False"))
        expected(p, "True or False behind 'fortran_order'");
}

static void get_extent(struct parser *p)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(p->at, &end, 10);
    if (p->at[0] < '0' || p->at[0] > '9')
        expected(p, "an extent of the shape (a whole number, not negative)");
    else if (errno == ERANGE)
        fail(p, INVALID "an extent of the shape is beyond 64 bits");
    else if (p->at[0] == '0' && end - p->at > 1)
        fail(p, INVALID "an extent of the shape begins with a zero");
    else if (p->npy->rank == CM_NPY_MAX_RANK)
        fail(p, "the array has more than %u dimensions", CM_NPY_MAX_RANK);
    else
        p->npy->shape[p->npy->rank++] = value;
    p->at = *end == 'L' ? end + 1 : end; /* a long of Python 2, which wrote version 1.0 files so */
}

/* A tuple: (), (3,), (3, 4) or (3, 4,). (3) is a number to Python, and NumPy refuses it too. */
static void get_shape(struct parser *p)
{
    bool comma = true;
    if (!accept(p, "("))
        expected(p, "a tuple such as (3, 4) behind 'shape'");
    while (!accept(p, ")") && p->status == CM_OK) {
        if (comma)
            get_extent(p);
        else
            expected(p, "',' or ')' in the shape");
        comma = accept(p, ",");
    }
    if (p->npy->rank == 1 && !comma)
        fail(p, INVALID "the shape is a number, not a tuple; one extent is written (3,)");
}

static const struct {
    const char *key;
    void (*get)(struct parser *p);
} members[] = {{"descr", get_type}, {"fortran_order", get_order}, {"shape", get_shape}};

/* One "key: value"; `seen` has a bit for each key that came before. */
static void get_member(struct parser *p, unsigned *seen)
{
    size_t length, i = 0;
    const char *key = get_string(p, "a key in quotes", &length);
    while (key && i < 3 && !is(key, length, members[i].key))
        i++;
    if (!key)
        return;
    if (i == 3)
        fail(p, INVALID "unknown key '%s'; expected 'descr', 'fortran_order' and 'shape'",
             cm_text_clip(key, length).text);
    else if (*seen & 1u << i)
        fail(p, INVALID "the key '%s' stands twice", members[i].key);
    else if (!accept(p, ":"))
        expected(p, "':' behind a key");
    else
        members[i].get(p);
    *seen |= 1u << i;
}

bool cm_npy_shape_bytes(const struct cm_npy *npy, uint64_t *count, uint64_t *bytes)
{
    uint64_t most = (uint64_t)INT64_MAX / cm_npy_type_size(npy->type), product = 1;
    bool empty = false;
    for (uint32_t i = 0; i < npy->rank; i++) {
        uint64_t extent = npy->shape[i] > 0 ? npy->shape[i] : 1;
        empty = empty || npy->shape[i] == 0;
        if (extent > most / product)
            return false;
        product *= extent;
    }
    *count = empty ? 0 : product;
    *bytes = *count * cm_npy_type_size(npy->type);
    return true;
}

enum cm_status cm_npy_header_parse(const char *name, const char *text, size_t length,
                                   struct cm_npy *npy, struct cm_error *err)
{
    struct parser p = {name, text, text + length, npy, CM_OK, err};
    unsigned seen = 0;
    bool comma = true;
    uint64_t bytes;
    if (!accept(&p, "{"))
        expected(&p, "'{'");
    while (!accept(&p, "}") && p.status == CM_OK) {
        if (comma)
            get_member(&p, &seen);
        else
            expected(&p, "',' or '}'");
        comma = accept(&p, ",");
    }
    accept(&p, ""); /* white space */
    if (p.at != p.end)
        expected(&p, "nothing behind '}'");
    for (unsigned i = 0; i < 3; i++)
        if (!(seen & 1u << i))
            fail(&p, INVALID "the key '%s' is missing", members[i].key);
    if (p.status == CM_OK && !cm_npy_shape_bytes(npy, &npy->count, &bytes))
        fail(&p, "the array's shape has more elements than 63 bits can address");
    return p.status;
}
