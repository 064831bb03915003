/* Executes PRINT and WRITE: collects the items of a statement, then writes them by its format, or
 * in the list-directed form of gfortran. */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum cm_status collect(struct cm_fortran_run *run,
                              const struct cm_fortran_expression *expression,
                              struct cm_fortran_items *items);

static void add(struct cm_fortran_items *items, enum cm_type type,
                const union cm_fortran_value *value)
{
    cm_list_push(items, (struct cm_fortran_item){.type = (uint8_t)type, .value = *value});
}

/* Fails if `more` further items would make too many items for one PRINT or WRITE statement. */
static enum cm_status refuse_many(struct cm_fortran_run *run, struct cm_source_place place,
                                  const struct cm_fortran_items *items, uint64_t more)
{
    return more > CM_FORTRAN_ITEMS_MAX - items->count
               ? cm_fortran_fail(run, place, "more than %" PRIu32 " items in one statement",
                                 CM_FORTRAN_ITEMS_MAX)
               : CM_OK;
}

static enum cm_status collect_array(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *expression,
                                    struct cm_fortran_items *items)
{
    struct cm_fortran_array *array;
    union cm_fortran_value value;
    enum cm_status status = cm_fortran_host_value(run, expression, &array);
    if (status == CM_OK)
        status = refuse_many(run, expression->place, items, array->elements);
    for (uint64_t e = 0; status == CM_OK && e < array->elements; e++) {
        cm_fortran_load(array->type, array->host, e, &value);
        add(items, array->type, &value);
        status = cm_fortran_go_on(run);
    }
    cm_fortran_array_destroy(run, array);
    return status;
}

static enum cm_status collect_loop(struct cm_fortran_run *run,
                                   const struct cm_fortran_expression *loop,
                                   struct cm_fortran_items *items)
{
    int64_t first, last, step = 1;
    enum cm_status status = cm_fortran_integer(run, loop->args[0], &first);
    if (status == CM_OK)
        status = cm_fortran_integer(run, loop->args[1], &last);
    if (status == CM_OK && loop->args[2] != NULL)
        status = cm_fortran_integer(run, loop->args[2], &step);
    if (status == CM_OK && step == 0)
        status = cm_fortran_fail(run, loop->place, "the step of the implied DO is 0");
    union cm_fortran_value *variable = NULL;
    if (status == CM_OK)
        status = cm_fortran_scalar_of(run, loop->variable, loop->place, &variable);
    if (status != CM_OK)
        return status;
    variable->integer = (int32_t)first;
    for (int64_t i = first; status == CM_OK && (step > 0 ? i <= last : i >= last); i += step) {
        variable->integer = (int32_t)i;
        status = cm_fortran_go_on(run);
        for (uint32_t k = 3; k < loop->count && status == CM_OK; k++)
            status = collect(run, loop->args[k], items);
        variable->integer = (int32_t)(i + step);
    }
    return status;
}

/* Adds a CHARACTER value as an item, which owns a copy of the characters. */
static enum cm_status collect_text(struct cm_fortran_run *run,
                                   const struct cm_fortran_expression *expression,
                                   struct cm_fortran_items *items)
{
    struct cm_fortran_text text = {0};
    enum cm_status status = cm_fortran_text_copy(run, expression, &text);
    if (status != CM_OK)
        return status;
    if (cm_list_room(items, (uint64_t)items->count + 1))
        items->items[items->count++] = (struct cm_fortran_item){.type = CM_FORTRAN_CHARACTER,
                                                                .value.text = text,
                                                                .text = text.bytes,
                                                                .length = text.length};
    else
        free(text.bytes);
    return CM_OK;
}

/* Adds each element of a CHARACTER array or section as an item. */
static enum cm_status collect_texts(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *expression,
                                    struct cm_fortran_items *items)
{
    const struct cm_fortran_binding *binding = cm_fortran_binding_of(run, expression->variable);
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(run, expression, &section);
    if (status == CM_OK)
        status = refuse_many(run, expression->place, items, section.elements);
    for (uint64_t i = 0; status == CM_OK && i < section.elements; i++) {
        struct cm_fortran_text text = binding->scalar->text;
        cm_fortran_text_element(expression->variable, binding->array,
                                cm_fortran_section_index(&section, i), &text);
        const struct cm_fortran_expression element = {.kind = CM_FORTRAN_TEXT,
                                                      .type = CM_FORTRAN_CHARACTER,
                                                      .text = text.bytes,
                                                      .text_length = text.length};
        status = collect_text(run, &element, items);
    }
    cm_fortran_section_finish(&section);
    return status;
}

static enum cm_status collect(struct cm_fortran_run *run,
                              const struct cm_fortran_expression *expression,
                              struct cm_fortran_items *items)
{
    union cm_fortran_value value;
    enum cm_status status = refuse_many(run, expression->place, items, 1);
    if (status != CM_OK)
        return status;
    if (expression->kind == CM_FORTRAN_IMPLIED_DO)
        return collect_loop(run, expression, items);
    if (expression->kind == CM_FORTRAN_TEXT) {
        cm_list_push(items, (struct cm_fortran_item){.type = CM_FORTRAN_CHARACTER,
                                                     .text = expression->text,
                                                     .length = expression->text_length});
        return CM_OK;
    }
    if (expression->rank > 0 && expression->type == CM_FORTRAN_CHARACTER)
        return collect_texts(run, expression, items);
    if (expression->rank > 0)
        return collect_array(run, expression, items);
    if (expression->type == CM_FORTRAN_CHARACTER)
        return collect_text(run, expression, items);
    status = cm_fortran_scalar(run, expression, &value);
    if (status == CM_OK)
        add(items, (enum cm_type)expression->type, &value);
    return status;
}

/* ---- list-directed output ---- */

static void put_real_of(const struct cm_fortran_item *item, uint32_t part, bool in_width,
                        struct cm_buffer *text)
{
    bool is_wide = item->type == CM_TYPE_REAL64 || item->type == CM_TYPE_COMPLEX128;
    double value = item->type == CM_TYPE_REAL32      ? (double)item->value.real
                   : item->type == CM_TYPE_REAL64    ? item->value.real64
                   : item->type == CM_TYPE_COMPLEX64 ? (double)item->value.complex[part]
                                                     : item->value.complex128[part];
    cm_fortran_list_real(is_wide, value, in_width, text);
}

/* Writes a complex number in list-directed form, right-justified in the width of two real numbers,
 * two parentheses and a comma. */
static void put_complex(const struct cm_fortran_item *item, struct cm_buffer *text)
{
    size_t width = item->type == CM_TYPE_COMPLEX64 ? 35 : 53;
    struct cm_buffer parts;
    cm_buffer_init(&parts);
    cm_buffer_append(&parts, "(", 1);
    put_real_of(item, 0, false, &parts);
    cm_buffer_append(&parts, ",", 1);
    put_real_of(item, 1, false, &parts);
    cm_buffer_append(&parts, ")", 1);
    if (cm_buffer_ok(&parts))
        cm_buffer_printf(text, " %*s", (int)width, parts.data);
    else
        text->failed = true;
    cm_buffer_finish(&parts);
}

static void put_item(const struct cm_fortran_item *item, struct cm_buffer *text)
{
    switch (item->type) {
    case CM_TYPE_INT32:
        cm_buffer_printf(text, " %11" PRId32, item->value.integer);
        break;
    case CM_TYPE_LOGICAL:
        cm_buffer_printf(text, " %c", item->value.logical ? 'T' : 'F');
        break;
    case CM_TYPE_REAL32:
    case CM_TYPE_REAL64:
        cm_buffer_append(text, " ", 1);
        put_real_of(item, 0, true, text);
        break;
    case CM_FORTRAN_CHARACTER:
        cm_buffer_append(text, item->text, item->length);
        break;
    default:
        put_complex(item, text);
        break;
    }
}

static enum cm_status write_list(struct cm_fortran_run *run, const struct cm_fortran_items *items)
{
    struct cm_buffer *output = &run->output;
    enum cm_status status = CM_OK;
    bool was_text = false;
    for (uint32_t i = 0; i < items->count && status == CM_OK; i++) {
        struct cm_buffer text;
        status = cm_fortran_go_on(run);
        if (status == CM_OK)
            status = cm_fortran_pass_lines(run);
        if (cm_fortran_prints_too_much(run, 0))
            break;
        cm_buffer_init(&text);
        bool is_text = items->items[i].type == CM_FORTRAN_CHARACTER;
        put_item(&items->items[i], &text);
        if (is_text && (i == 0 || !was_text))
            cm_buffer_append(output, " ", 1);
        was_text = is_text;
        if (text.data != NULL)
            cm_buffer_append(output, text.data, text.length);
        if (!cm_buffer_ok(&text))
            output->failed = true;
        cm_buffer_finish(&text);
    }
    cm_buffer_append(output, "\n", 1);
    return status;
}

/* Replaces each complex item by two real items, because a format has an edit descriptor for each
 * part. */
static void split_complex(struct cm_fortran_items *items)
{
    struct cm_fortran_items parts = {0};
    for (uint32_t i = 0; i < items->count; i++) {
        struct cm_fortran_item item = items->items[i];
        if (item.type != CM_TYPE_COMPLEX64 && item.type != CM_TYPE_COMPLEX128) {
            cm_list_push(&parts, item);
            if (parts.failed && item.type == CM_FORTRAN_CHARACTER)
                free(item.value.text.bytes);
            continue;
        }
        for (uint32_t part = 0; part < 2; part++) {
            struct cm_fortran_item half = {.type = CM_TYPE_REAL32};
            half.value.real = item.value.complex[part];
            if (item.type == CM_TYPE_COMPLEX128) {
                half.type = CM_TYPE_REAL64;
                half.value.real64 = item.value.complex128[part];
            }
            cm_list_push(&parts, half);
        }
    }
    bool failed = items->failed || parts.failed;
    cm_list_finish(items);
    *items = parts;
    items->failed = failed;
}

enum cm_status cm_fortran_print(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement)
{
    struct cm_fortran_items items = {0};
    const char *fault = NULL;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < statement->count && status == CM_OK; i++)
        status = collect(run, statement->args[i], &items);
    if (statement->format != NULL)
        split_complex(&items);
    if (status == CM_OK && items.failed)
        status = cm_fortran_no_memory(run);
    if (status == CM_OK && statement->format == NULL)
        status = write_list(run, &items);
    else if (status == CM_OK)
        status = cm_fortran_write_format(run, statement->format, &items, &fault);
    if (status == CM_OK && fault == NULL && statement->keeps_line && run->output.length > 0)
        run->output.length--; /* removes the newline */
    for (uint32_t i = 0; i < items.count; i++)
        if (items.items[i].type == CM_FORTRAN_CHARACTER)
            free(items.items[i].value.text.bytes);
    cm_list_finish(&items);
    if (fault != NULL)
        return cm_fortran_fail(run, statement->place, "%s", fault);
    return status == CM_OK ? cm_fortran_end_print(run, statement->place) : status;
}
