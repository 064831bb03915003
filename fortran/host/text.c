/*
 * CHARACTER values: variables, substrings, arrays, and functions.
 *
 * CHARACTER values are stored in the front end alone. A CHARACTER array has an array struct for its
 * bounds, and one text with the characters of all elements, one after the other.
 */
#include "host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* largest number of characters that REPEAT may make */
#define REPEAT_MAX 1000000u

/* ---- places ---- */

static enum cm_status part_of(struct cm_fortran_run *run,
                              const struct cm_fortran_expression *expression,
                              struct cm_fortran_text *text)
{
    int64_t first = 1, last = text->length;
    enum cm_status status = CM_OK;
    if (expression->args[0] != NULL)
        status = cm_fortran_integer(run, expression->args[0], &first);
    if (status == CM_OK && expression->args[1] != NULL)
        status = cm_fortran_integer(run, expression->args[1], &last);
    if (status != CM_OK)
        return status;
    if (last < first) {
        text->length = 0;
        return CM_OK;
    }
    if (first < 1 || last > (int64_t)text->length)
        return cm_fortran_fail(run, expression->place,
                               "characters %" PRId64 ":%" PRId64
                               " are not all in the text, which has %" PRIu32,
                               first, last, text->length);
    text->bytes += first - 1;
    text->length = (uint32_t)(last - first + 1);
    return CM_OK;
}

uint32_t cm_fortran_text_length(const struct cm_fortran_variable *variable,
                                const struct cm_fortran_array *array,
                                const struct cm_fortran_text *text)
{
    if (variable->length >= 0)
        return (uint32_t)variable->length;
    return array->elements > 0 ? (uint32_t)(text->length / array->elements) : 0;
}

void cm_fortran_text_element(const struct cm_fortran_variable *variable,
                             const struct cm_fortran_array *array, uint64_t index,
                             struct cm_fortran_text *text)
{
    text->length = cm_fortran_text_length(variable, array, text);
    text->bytes += index * text->length;
}

/* Narrows `text` from the characters of an array to the characters of the array element that an
 * expression names. */
static enum cm_status element_of(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *element,
                                 struct cm_fortran_text *text)
{
    struct cm_fortran_array *array;
    uint64_t index = 0;
    enum cm_status status = cm_fortran_array_of(run, element->variable, element->place, &array);
    if (status == CM_OK)
        status = cm_fortran_offset(run, element, array, &index);
    if (status == CM_OK)
        cm_fortran_text_element(element->variable, array, index, text);
    return status;
}

enum cm_status cm_fortran_text_place(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_text *text)
{
    union cm_fortran_value *variable;
    enum cm_status status =
        cm_fortran_scalar_of(run, expression->variable, expression->place, &variable);
    if (status != CM_OK)
        return status;
    *text = variable->text;
    if (expression->kind == CM_FORTRAN_ELEMENT)
        return element_of(run, expression, text);
    if (expression->kind != CM_FORTRAN_SUBSTRING)
        return CM_OK;
    if (expression->args[2] != NULL)
        status = element_of(run, expression->args[2], text);
    return status == CM_OK ? part_of(run, expression, text) : status;
}

/* ---- values ---- */

static uint32_t trimmed(const char *bytes, size_t length)
{
    while (length > 0 && bytes[length - 1] == ' ')
        length--;
    return (uint32_t)length;
}

static void adjust(const char *bytes, size_t length, bool left, struct cm_buffer *out)
{
    size_t blanks = 0;
    if (left)
        while (blanks < length && bytes[blanks] == ' ')
            blanks++;
    else
        blanks = length - trimmed(bytes, length);
    if (!left)
        cm_buffer_printf(out, "%*s", (int)blanks, "");
    cm_buffer_append(out, left ? bytes + blanks : bytes, length - blanks);
    if (left)
        cm_buffer_printf(out, "%*s", (int)blanks, "");
}

static enum cm_status repeat(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             const struct cm_buffer *text, struct cm_buffer *out)
{
    int64_t copies;
    enum cm_status status = cm_fortran_integer(run, call->args[1], &copies);
    if (status != CM_OK)
        return status;
    if (copies < 0 || (text->length > 0 && (uint64_t)copies > REPEAT_MAX / text->length))
        return cm_fortran_fail(run, call->args[1]->place,
                               "NCOPIES of REPEAT is %" PRId64 "; at most %u characters are made",
                               copies, REPEAT_MAX);
    for (int64_t i = 0; i < copies; i++)
        cm_buffer_append(out, text->data, text->length);
    return CM_OK;
}

static enum cm_status character(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *call, struct cm_buffer *out)
{
    int64_t code;
    enum cm_status status = cm_fortran_integer(run, call->args[0], &code);
    if (status != CM_OK)
        return status;
    if (code < 0 || code > 255)
        return cm_fortran_fail(run, call->place, "there is no character %" PRId64, code);
    cm_buffer_append(out, &(char){(char)code}, 1);
    return CM_OK;
}

/* Evaluates TRIM, ADJUSTL, ADJUSTR, REPEAT, CHAR or ACHAR, and appends the characters to `out`. */
static enum cm_status function(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                               struct cm_buffer *out)
{
    struct cm_buffer text;
    if (call->intrinsic == CM_FORTRAN_CHAR || call->intrinsic == CM_FORTRAN_ACHAR)
        return character(run, call, out);
    cm_buffer_init(&text);
    enum cm_status status = cm_fortran_text(run, call->args[0], &text);
    if (status == CM_OK && call->intrinsic == CM_FORTRAN_TRIM)
        cm_buffer_append(out, text.data, trimmed(text.data, text.length));
    else if (status == CM_OK && call->intrinsic == CM_FORTRAN_REPEAT)
        status = repeat(run, call, &text, out);
    else if (status == CM_OK)
        adjust(text.data, text.length, call->intrinsic == CM_FORTRAN_ADJUSTL, out);
    cm_buffer_finish(&text);
    return status;
}

enum cm_status cm_fortran_text(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression,
                               struct cm_buffer *out)
{
    struct cm_fortran_text text = {(char *)expression->text, expression->text_length};
    enum cm_status status = CM_OK;
    switch (expression->kind) {
    case CM_FORTRAN_OPERATION: /* concatenation */
        status = cm_fortran_text(run, expression->args[0], out);
        return status == CM_OK ? cm_fortran_text(run, expression->args[1], out) : status;
    case CM_FORTRAN_CONVERT:
        return cm_fortran_text(run, expression->args[0], out);
    case CM_FORTRAN_INTRINSIC:
        status = function(run, expression, out);
        break;
    case CM_FORTRAN_TEXT:
        cm_buffer_append(out, text.bytes, text.length);
        break;
    default:
        if (expression->variable != NULL)
            status = cm_fortran_text_place(run, expression, &text);
        else
            status = part_of(run, expression, &text);
        if (status == CM_OK)
            cm_buffer_append(out, text.bytes, text.length);
        break;
    }
    return status == CM_OK && !cm_buffer_ok(out) ? cm_fortran_no_memory(run) : status;
}

enum cm_status cm_fortran_text_copy(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *expression,
                                    struct cm_fortran_text *copy)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    enum cm_status status = cm_fortran_text(run, expression, &text);
    copy->bytes = status == CM_OK ? malloc(text.length + 1) : NULL;
    copy->length = (uint32_t)text.length;
    if (status == CM_OK && copy->bytes == NULL)
        status = cm_fortran_no_memory(run);
    if (status == CM_OK && text.length > 0)
        memcpy(copy->bytes, text.data, text.length);
    cm_buffer_finish(&text);
    return status;
}

/* ---- variables ---- */

void cm_fortran_text_fill(const struct cm_fortran_text *to, const struct cm_fortran_text *from)
{
    uint32_t common = from->length < to->length ? from->length : to->length;
    if (common > 0)
        memmove(to->bytes, from->bytes, common);
    if (to->length > common)
        memset(to->bytes + common, ' ', to->length - common);
}

enum cm_status cm_fortran_text_make(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    const struct cm_fortran_array *array,
                                    struct cm_fortran_text *text)
{
    static const struct cm_fortran_text nothing;
    uint64_t length = variable->length > 0 ? (uint64_t)variable->length : 0;
    uint64_t elements = array != NULL ? array->elements : 1;
    if (length > 0 && elements > UINT32_MAX / length)
        return cm_fortran_fail(run, variable->place, "%s has too many characters", variable->name);
    text->length = (uint32_t)(elements * length);
    text->bytes = malloc((size_t)text->length + 1);
    if (text->bytes == NULL)
        return cm_fortran_no_memory(run);
    cm_fortran_text_fill(text, &nothing);
    return CM_OK;
}

/* Returns the characters, within the variable, of element `i` of a section. */
static struct cm_fortran_text section_element(struct cm_fortran_run *run,
                                              const struct cm_fortran_expression *expression,
                                              const struct cm_fortran_section *section, uint64_t i)
{
    const struct cm_fortran_binding *binding = cm_fortran_binding_of(run, expression->variable);
    struct cm_fortran_text place = binding->scalar->text;
    cm_fortran_text_element(expression->variable, binding->array,
                            cm_fortran_section_index(section, i), &place);
    return place;
}

enum cm_status cm_fortran_text_section(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_text *text,
                                       struct cm_fortran_array **array)
{
    const struct cm_fortran_binding *binding = cm_fortran_binding_of(run, expression->variable);
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(run, expression, &section);
    uint64_t length = 0;
    text->bytes = NULL;
    if (status == CM_OK) {
        length =
            cm_fortran_text_length(expression->variable, binding->array, &binding->scalar->text);
        if (length > 0 && section.elements > UINT32_MAX / length)
            status = cm_fortran_fail(run, expression->place, "%s has too many characters",
                                     expression->variable->name);
    }
    if (status == CM_OK)
        status = cm_fortran_array_host(run, CM_TYPE_LOGICAL, section.rank, section.extent, array);
    if (status == CM_OK) {
        text->length = (uint32_t)(section.elements * length);
        text->bytes = malloc((size_t)text->length + 1);
        if (text->bytes == NULL)
            status = cm_fortran_no_memory(run);
    }
    for (uint64_t i = 0; status == CM_OK && length > 0 && i < section.elements; i++)
        memcpy(text->bytes + i * length, section_element(run, expression, &section, i).bytes,
               length);
    cm_fortran_section_finish(&section);
    return status;
}

enum cm_status cm_fortran_text_section_put(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *expression,
                                           const char *bytes)
{
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(run, expression, &section);
    for (uint64_t i = 0; status == CM_OK && i < section.elements; i++) {
        struct cm_fortran_text place = section_element(run, expression, &section, i);
        if (place.length > 0)
            memcpy(place.bytes, bytes + i * place.length, place.length);
    }
    cm_fortran_section_finish(&section);
    return status;
}

/* Assigns the same text to each element of an array or a section. */
static enum cm_status assign_all(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *target,
                                 const struct cm_fortran_text *from)
{
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(run, target, &section);
    for (uint64_t i = 0; status == CM_OK && i < section.elements; i++) {
        struct cm_fortran_text place = section_element(run, target, &section, i);
        cm_fortran_text_fill(&place, from);
    }
    cm_fortran_section_finish(&section);
    return status;
}

enum cm_status cm_fortran_text_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value)
{
    struct cm_fortran_text from, to;
    enum cm_status status = cm_fortran_text_copy(run, value, &from);
    if (status != CM_OK)
        return status;
    if (target->kind == CM_FORTRAN_VARIABLE && target->variable->length < 0 &&
        /* variable that holds the value of a SELECT CASE, and that is as long as this value */
        target->variable->storage == CM_FORTRAN_LOCAL) {
        struct cm_fortran_text *own = &cm_fortran_binding_of(run, target->variable)->scalar->text;
        free(own->bytes);
        *own = from;
        return CM_OK;
    }
    if (target->rank > 0) {
        status = assign_all(run, target, &from);
    } else {
        status = cm_fortran_text_place(run, target, &to);
        if (status == CM_OK)
            cm_fortran_text_fill(&to, &from);
    }
    free(from.bytes);
    return status;
}

/* ---- functions of texts with an INTEGER or LOGICAL value ---- */

int cm_fortran_text_compare(const struct cm_fortran_text *a, const struct cm_fortran_text *b)
{
    uint32_t length = a->length > b->length ? a->length : b->length;
    for (uint32_t i = 0; i < length; i++) {
        unsigned char x = i < a->length ? (unsigned char)a->bytes[i] : ' ';
        unsigned char y = i < b->length ? (unsigned char)b->bytes[i] : ' ';
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static bool holds(enum cm_fortran_op op, int order)
{
    switch (op) {
    case CM_FORTRAN_EQ:
        return order == 0;
    case CM_FORTRAN_NE:
        return order != 0;
    case CM_FORTRAN_LT:
        return order < 0;
    case CM_FORTRAN_LE:
        return order <= 0;
    case CM_FORTRAN_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* Returns the position, from 1, at which `part` begins in `text`, or 0 if it does not occur.
 * Searches from the end if `back` is true. */
static int32_t find(const struct cm_fortran_text *text, const struct cm_fortran_text *part,
                    bool back)
{
    if (part->length > text->length)
        return 0;
    uint32_t places = text->length - part->length + 1;
    for (uint32_t i = 0; i < places; i++) {
        uint32_t at = back ? places - 1 - i : i;
        if (memcmp(text->bytes + at, part->bytes, part->length) == 0)
            return (int32_t)at + 1;
    }
    return 0;
}

/* Returns the first position, from 1, of a character that is in `set` if `wanted` is true, or that
 * is not in `set` if it is false. Returns 0 if the text has no such character. Searches from the
 * end if `back` is true. */
static int32_t scan(const struct cm_fortran_text *text, const struct cm_fortran_text *set,
                    bool wanted, bool back)
{
    for (uint32_t i = 0; i < text->length; i++) {
        uint32_t at = back ? text->length - 1 - i : i;
        bool is_in = set->length > 0 && memchr(set->bytes, text->bytes[at], set->length) != NULL;
        if (is_in == wanted)
            return (int32_t)at + 1;
    }
    return 0;
}

/* Evaluates INDEX, SCAN or VERIFY of the texts `a` and `b`, with the optional argument BACK of the
 * call. */
static enum cm_status search(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             const struct cm_fortran_text *a, const struct cm_fortran_text *b,
                             union cm_fortran_value *value)
{
    bool back = false;
    enum cm_status status = CM_OK;
    if (call->args[2] != NULL)
        status = cm_fortran_logical(run, call->args[2], &back);
    value->integer = call->intrinsic == CM_FORTRAN_INDEX_OF
                         ? find(a, b, back)
                         : scan(a, b, call->intrinsic == CM_FORTRAN_SCAN, back);
    return status;
}

static enum cm_status number(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             const struct cm_fortran_text *text, union cm_fortran_value *value)
{
    if (call->intrinsic == CM_FORTRAN_LEN)
        value->integer = (int32_t)text->length;
    else if (call->intrinsic == CM_FORTRAN_LEN_TRIM)
        value->integer = (int32_t)trimmed(text->bytes, text->length);
    else if (text->length != 1)
        return cm_fortran_fail(run, call->place, "%s takes one character, not %" PRIu32,
                               cm_fortran_intrinsic_name(call->intrinsic), text->length);
    else
        value->integer = (unsigned char)text->bytes[0];
    return CM_OK;
}

enum cm_status cm_fortran_text_number(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      union cm_fortran_value *value)
{
    struct cm_fortran_text texts[2] = {{0}};
    bool compares = expression->kind == CM_FORTRAN_OPERATION;
    bool has_two = compares || expression->count > 1;
    enum cm_status status = cm_fortran_text_copy(run, expression->args[0], &texts[0]);
    if (status == CM_OK && has_two)
        status = cm_fortran_text_copy(run, expression->args[1], &texts[1]);
    if (status == CM_OK && compares)
        value->logical = holds(expression->op, cm_fortran_text_compare(&texts[0], &texts[1]));
    else if (status == CM_OK)
        status = has_two ? search(run, expression, &texts[0], &texts[1], value)
                         : number(run, expression, &texts[0], value);
    free(texts[0].bytes);
    free(texts[1].bytes);
    return status;
}
