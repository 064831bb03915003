/* Functions that all readers of a workload share: memory, places of errors, and names of arrays and
 * scalars. */
#include "../../base/suggest.h"
#include "workload_private.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *cm_blocks_allocate(struct cm_block **list, size_t bytes)
{
    struct cm_block *block = calloc(1, sizeof *block + bytes);
    if (block == NULL)
        return NULL;
    block->next = *list;
    *list = block;
    return block->memory;
}

void cm_blocks_free(struct cm_block *list)
{
    for (struct cm_block *next; list != NULL; list = next) {
        next = list->next;
        free(list);
    }
}

void *cm_workload_allocate(struct cm_workload *workload, struct cm_reader *reader, size_t count,
                           size_t size)
{
    if (!cm_reader_ok(reader))
        return NULL;
    void *memory = cm_blocks_allocate(&workload->blocks, count * size);
    if (memory == NULL)
        cm_reader_take(reader, cm_error_no_memory(reader->err));
    return memory;
}

enum cm_status cm_workload_place(struct cm_json json, struct cm_error *err)
{
    if (err == NULL)
        return CM_INTERNAL;
    if (err->line != 0 || err->file[0] != '\0' || json.document == NULL ||
        err->status == CM_INTERRUPTED || err->status == CM_NO_MEMORY)
        return err->status;
    struct cm_error place;
    memset(&place, 0, sizeof place);
    cm_json_error(json, &place, "%s", err->message);
    place.status = err->status;
    memcpy(place.hint, err->hint, sizeof place.hint);
    *err = place;
    return err->status;
}

void cm_workload_hint_place(struct cm_json json, struct cm_error *err)
{
    uint32_t line, column;
    if (err == NULL || err->hint[0] != '\0' || json.document == NULL)
        return;
    cm_json_position(json, &line, &column);
    cm_error_hint(err, "named at %.200s:%u:%u", cm_json_name(json.document), line, column);
}

void cm_workload_take(struct cm_reader *reader, struct cm_json json, enum cm_status status)
{
    if (!cm_reader_ok(reader) || status == CM_OK)
        return;
    cm_workload_place(json, reader->err);
    cm_reader_take(reader, status);
}

const char *cm_shape_text(const uint64_t *shape, uint32_t rank, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    if (rank == 0)
        snprintf(buffer, size, "()");
    for (uint32_t i = 0; rank > 0 && i <= rank && used < size; i++) {
        int n = i == rank
                    ? snprintf(buffer + used, size - used, ")")
                    : snprintf(buffer + used, size - used, "%s%" PRIu64, i ? ", " : "(", shape[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return buffer;
}

uint32_t cm_workload_find_array(const struct cm_workload *workload, const char *name)
{
    for (uint32_t i = 0; i < workload->array_count; i++) {
        if (strcmp(workload->arrays[i].name, name) == 0)
            return i;
    }
    return CM_NO_ARRAY;
}

uint32_t cm_workload_find_scalar(const struct cm_workload *workload, const char *name)
{
    for (uint32_t i = 0; i < workload->scalar_count; i++) {
        if (strcmp(workload->scalars[i].name, name) == 0)
            return i + 1;
    }
    return 0;
}

/* Returns the name of an array that is most similar to `name`, or the name of a scalar if `scalars`
 * is true. Returns NULL if no name is similar. */
static const char *suggest_name(const struct cm_workload *workload, const char *name, bool scalars)
{
    const char *names[CM_WORKLOAD_ARRAYS_MAX + CM_WORKLOAD_SCALARS_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < workload->array_count; i++)
        names[count++] = workload->arrays[i].name;
    for (uint32_t i = 0; scalars && i < workload->scalar_count; i++)
        names[count++] = workload->scalars[i].name;
    return cm_suggest(name, names, count);
}

const char *cm_workload_suggest_array(const struct cm_workload *workload, const char *name)
{
    return suggest_name(workload, name, false);
}

uint32_t cm_workload_read_array_name(const struct cm_workload *workload, struct cm_reader *reader,
                                     struct cm_json json, const char *what)
{
    const char *name = cm_read_string(reader, json, what);
    if (name == NULL)
        return 0;
    uint32_t array = cm_workload_find_array(workload, name);
    if (array != CM_NO_ARRAY)
        return array;
    const char *near = cm_workload_suggest_array(workload, name);
    cm_reader_fail(reader, json, "%s names \"%.64s\", but there is no such array", what, name);
    if (near != NULL)
        cm_reader_hint(reader, "did you mean \"%s\"?", near);
    else if (cm_workload_find_scalar(workload, name) != 0)
        cm_reader_hint(reader, "\"%.64s\" is a scalar, expected an array", name);
    else
        cm_reader_hint(reader, "declare it under \"arrays\"");
    return 0;
}

struct cm_number cm_workload_read_number(struct cm_reader *reader, struct cm_json json,
                                         const char *what)
{
    struct cm_number number = {0};
    if (!cm_reader_ok(reader))
        return number;
    if (cm_json_kind(json) == CM_JSON_NUMBER) {
        number.re = cm_read_f64(reader, json, what);
    } else if (cm_json_kind(json) != CM_JSON_ARRAY) {
        cm_reader_fail(reader, json, "%s is %s, expected a number or [re, im]", what,
                       cm_json_kind_name(cm_json_kind(json)));
    } else if (cm_json_count(json) != 2) {
        cm_reader_fail(reader, json, "%s is a list of %" PRIu32 ", expected a number or [re, im]",
                       what, cm_json_count(json));
    } else {
        number.complex = true;
        number.re = cm_read_f64(reader, cm_json_at(json, 0, NULL), "the real part");
        number.im = cm_read_f64(reader, cm_json_at(json, 1, NULL), "the imaginary part");
    }
    return number;
}

/* Reads a value that is the name of a scalar or array. */
static void read_named_value(const struct cm_workload *workload, struct cm_reader *reader,
                             struct cm_json json, const char *what, struct cm_workload_value *value)
{
    const char *name = cm_read_string(reader, json, what);
    if (name == NULL)
        return;
    value->scalar = cm_workload_find_scalar(workload, name);
    if (value->scalar != 0) {
        value->number = workload->scalars[value->scalar - 1].number;
        return;
    }
    value->array = cm_workload_find_array(workload, name);
    if (value->array != CM_NO_ARRAY)
        return;
    const char *near = suggest_name(workload, name, true);
    cm_reader_fail(reader, json, "%s names \"%.64s\", but there is no such scalar or array", what,
                   name);
    if (near != NULL)
        cm_reader_hint(reader, "did you mean \"%s\"?", near);
    else
        cm_reader_hint(reader, "declare it under \"scalars\" or \"arrays\", or write the number");
}

void cm_workload_read_value(const struct cm_workload *workload, struct cm_reader *reader,
                            struct cm_json json, const char *what, struct cm_workload_value *value)
{
    *value = (struct cm_workload_value){.json = json, .array = CM_NO_ARRAY};
    if (!cm_reader_ok(reader))
        return;
    enum cm_json_kind kind = cm_json_kind(json);
    if (kind == CM_JSON_NUMBER || kind == CM_JSON_ARRAY)
        value->number = cm_workload_read_number(reader, json, what);
    else if (kind == CM_JSON_STRING)
        read_named_value(workload, reader, json, what, value);
    else
        cm_reader_fail(reader, json,
                       "%s is %s, expected a number, [re, im], or the name of a scalar or an array",
                       what, cm_json_kind_name(kind));
}

void cm_workload_check_number(struct cm_reader *reader, struct cm_json json,
                              const struct cm_number *number, enum cm_type type, const char *what)
{
    bool complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    double limit = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64 ? (double)FLT_MAX : DBL_MAX;
    char scalar[80];
    if (!cm_reader_ok(reader))
        return;
    if (cm_json_kind(json) == CM_JSON_STRING) {
        snprintf(scalar, sizeof scalar, "the scalar \"%.63s\"", cm_read_string(reader, json, what));
        what = scalar;
    }
    if (number->complex && !complex) {
        cm_reader_fail(reader, json, "%s is complex, but the array's type is %s", what,
                       cm_type_name(type));
        cm_reader_hint(reader, "write one number, or use complex64 or complex128");
    } else if (type == CM_TYPE_INT32 && (number->re != floor(number->re) ||
                                         number->re < INT32_MIN || number->re > INT32_MAX)) {
        cm_reader_fail(reader, json,
                       "%s is %.17g, but int32 holds integers from -2147483648 to 2147483647", what,
                       number->re);
    } else if (type == CM_TYPE_LOGICAL && number->re != 0 && number->re != 1) {
        cm_reader_fail(reader, json, "%s is %.17g, but logical holds 0 (false) or 1 (true)", what,
                       number->re);
    } else if (fabs(number->re) > limit || fabs(number->im) > limit) {
        cm_reader_fail(reader, json, "%s is too large for %s: at most %.8g", what,
                       cm_type_name(type), limit);
    }
}

const struct cm_layout_request *cm_workload_array_now(const struct cm_workload *workload,
                                                      struct cm_array_reference array)
{
    return &workload->arrays[array.number].now;
}

void cm_workload_expect_same_type(const struct cm_workload *workload, struct cm_reader *reader,
                                  struct cm_array_reference array, struct cm_array_reference model)
{
    cm_workload_expect_same_shape(workload, reader, array, model,
                                  cm_workload_array_now(workload, model)->type);
}

void cm_workload_expect_same_shape(const struct cm_workload *workload, struct cm_reader *reader,
                                   struct cm_array_reference array, struct cm_array_reference model,
                                   enum cm_type type)
{
    char a_shape[200], m_shape[200];
    if (!cm_reader_ok(reader))
        return;
    const struct cm_workload_array *one = &workload->arrays[array.number];
    const struct cm_workload_array *other = &workload->arrays[model.number];
    const struct cm_layout_request *a = &one->now, *m = &other->now;
    if (one->allocated || one->displaced) {
        cm_reader_fail(reader, array.json, "\"%s\" is not in its canonical layout here", one->name);
        cm_reader_hint(reader, "an array with an encoding, or after a reshape that is not "
                               "consistent, is for reshape; one with a mesh for fft and "
                               "broadcast");
        return;
    }
    if (a->rank != m->rank || memcmp(a->shape, m->shape, a->rank * sizeof *a->shape) != 0)
        cm_reader_fail(reader, array.json, "\"%s\" has shape %s, but \"%s\" has %s", one->name,
                       cm_shape_text(a->shape, a->rank, a_shape, sizeof a_shape), other->name,
                       cm_shape_text(m->shape, m->rank, m_shape, sizeof m_shape));
    else if (a->type != type && type == m->type)
        cm_reader_fail(reader, array.json, "\"%s\" is %s, but \"%s\" is %s", one->name,
                       cm_type_name(a->type), other->name, cm_type_name(m->type));
    else if (a->type != type)
        cm_reader_fail(reader, array.json, "\"%s\" is %s, expected %s", one->name,
                       cm_type_name(a->type), cm_type_name(type));
    else
        return;
    if (type == m->type)
        cm_reader_hint(reader,
                       "arrays of one step need the same shape, type and layout; {\"like\": "
                       "\"%s\"} makes another such array",
                       other->name);
    else
        cm_reader_hint(reader, "it needs the shape and layout of \"%s\", and the type %s",
                       other->name, cm_type_name(type));
}

void cm_workload_read_product(const struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json term, const char *form, struct cm_array_reference dst,
                              struct cm_workload_product *product)
{
    struct cm_workload_value *coefficient = &product->coefficient;
    struct cm_json first = cm_json_at(term, 0, NULL), second = cm_json_at(term, 1, NULL);
    if (cm_json_kind(second) != CM_JSON_STRING) {
        cm_reader_fail(reader, second,
                       "the second entry of a term is %s, expected the name of an array",
                       cm_json_kind_name(cm_json_kind(second)));
        cm_reader_hint(reader, "a term is %s", form);
    }
    cm_workload_read_value(workload, reader, first, "the coefficient", coefficient);
    if (coefficient->array != CM_NO_ARRAY)
        cm_workload_expect_same_type(workload, reader,
                                     (struct cm_array_reference){first, coefficient->array}, dst);
    else
        cm_workload_check_number(reader, first, &coefficient->number,
                                 cm_workload_array_now(workload, dst)->type, "the coefficient");
    product->array = (struct cm_array_reference){
        second, cm_workload_read_array_name(workload, reader, second, "a term")};
    cm_workload_expect_same_type(workload, reader, product->array, dst);
}
