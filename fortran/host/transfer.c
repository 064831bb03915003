/*
 * Executes READ, WRITE and PRINT, and the conditions of all statements of input and output.
 *
 * A WRITE first evaluates all its items, so that a failure among them leaves no half of a record. A
 * READ stores each item before it evaluates the next one, because later items may depend on it.
 * Both then pass item by item to one of three forms: by a format, list-directed, or unformatted.
 */
#include "../check/format.h"
#include "io.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum cm_status cm_fortran_condition(struct cm_fortran_transfer *t, int32_t code, const char *format,
                                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->message, sizeof t->message, format, arguments);
    va_end(arguments);
    if (code == ENOMEM)
        return cm_fortran_no_memory(t->run);
    t->code = code;
    return CM_IO;
}

/* ---- items by a format ---- */

static bool fits(char letter, uint8_t type)
{
    switch (letter) {
    case 'I':
        return type == CM_TYPE_INT32;
    case 'L':
        return type == CM_TYPE_LOGICAL;
    case 'A':
        return type == CM_FORTRAN_CHARACTER;
    case 'G':
        return true;
    case 'Z':
    case 'O':
    case 'B':
        return type != CM_FORTRAN_CHARACTER;
    default:
        return type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
    }
}

static enum cm_status write_text(struct cm_fortran_transfer *t, const struct cm_fortran_text *text,
                                 uint32_t width)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = text->length; status == CM_OK && i < width; i++)
        status = cm_fortran_put(t, " ", 1);
    if (status != CM_OK)
        return status;
    return cm_fortran_put(t, text->bytes, width > 0 && text->length > width ? width : text->length);
}

/* Reads a text. If the field is wider than the text, the text gets the last characters of the
 * field. */
static void read_text(struct cm_fortran_transfer *t, const struct cm_fortran_text *text,
                      uint32_t width)
{
    if (width == 0)
        width = text->length;
    size_t left = t->line.length > t->position ? t->line.length - t->position : 0;
    uint32_t skipped = width > text->length ? width - text->length : 0;
    uint32_t taken = left < width ? (uint32_t)left : width;
    const struct cm_fortran_text from = {t->line.data + t->position + skipped,
                                         taken > skipped ? taken - skipped : 0};
    cm_fortran_text_fill(text, &from);
    t->position += width;
    t->size += (int32_t)taken;
}

/* Fails if the record ends within the field that follows, where this is a condition. */
static enum cm_status check_record_end(struct cm_fortran_transfer *t, uint32_t width)
{
    bool is_short = t->position + width > t->line.length;
    if (!is_short || t->unit == NULL || (t->unit->pads && !t->keeps_line))
        return CM_OK;
    return cm_fortran_condition(t, CM_IO_AT_RECORD_END, "the end of the record was reached");
}

static enum cm_status read_by_format(struct cm_fortran_transfer *t, uint8_t type,
                                     union cm_fortran_value *value)
{
    const struct cm_fortran_edit *edit = &t->format.edit;
    uint32_t width =
        edit->width > 0 || type != CM_FORTRAN_CHARACTER ? edit->width : value->text.length;
    enum cm_status status = check_record_end(t, width), read = CM_OK;
    if (status != CM_OK && t->unit != NULL && !t->unit->pads)
        return status;
    if (type == CM_FORTRAN_CHARACTER)
        read_text(t, &value->text, edit->width);
    else
        read = cm_fortran_read_field(t, edit, (enum cm_type)type, value);
    return status != CM_OK ? status : read;
}

static enum cm_status write_by_format(struct cm_fortran_transfer *t, uint8_t type,
                                      const union cm_fortran_value *value)
{
    struct cm_buffer text;
    if (type == CM_FORTRAN_CHARACTER)
        return write_text(t, &value->text, t->format.edit.width);
    cm_buffer_init(&text);
    cm_fortran_edit_number(&t->format.edit, (enum cm_type)type, value, &text);
    enum cm_status status = CM_OK;
    if (text.data != NULL)
        status = cm_fortran_put(t, text.data, text.length);
    if (!cm_buffer_ok(&text))
        status = cm_fortran_no_memory(t->run);
    cm_buffer_finish(&text);
    return status;
}

/* Transfers a number by A, as Fortran 66 did: its bytes are characters. */
static enum cm_status by_characters(struct cm_fortran_transfer *t, uint8_t type,
                                    union cm_fortran_value *value)
{
    union cm_fortran_value bytes = {.text = {(char *)value, type == CM_TYPE_REAL64 ? 8 : 4}};
    enum cm_status status = t->reads ? read_by_format(t, CM_FORTRAN_CHARACTER, &bytes)
                                     : write_by_format(t, CM_FORTRAN_CHARACTER, &bytes);
    return status == CM_OK ? cm_fortran_record_check(t) : status;
}

/* Transfers a value that is not complex by the next edit descriptor. */
static enum cm_status by_format(struct cm_fortran_transfer *t, uint8_t type,
                                union cm_fortran_value *value)
{
    enum cm_status status = cm_fortran_format_next(t, &t->format);
    if (status != CM_OK)
        return status;
    const char letter = t->format.edit.letter;
    if (letter == 'A' && type != CM_FORTRAN_CHARACTER && type != CM_TYPE_LOGICAL)
        return by_characters(t, type, value);
    if (!fits(letter, type))
        return cm_fortran_condition(t, CM_IO_BAD_FORMAT,
                                    "item %" PRIu64 " is %s, which the edit descriptor %s%c does "
                                    "not take",
                                    t->item, cm_fortran_type_text(type),
                                    letter == 'S' || letter == 'N' ? "E" : "", letter);
    status = t->reads ? read_by_format(t, type, value) : write_by_format(t, type, value);
    return status == CM_OK ? cm_fortran_record_check(t) : status;
}

/* Transfers an item by the format, which has an edit descriptor for each part of a complex
 * number. */
static enum cm_status visit_format(struct cm_fortran_transfer *t, uint8_t type,
                                   union cm_fortran_value *value)
{
    t->item++;
    enum cm_status status = CM_OK;
    if (type != CM_TYPE_COMPLEX64 && type != CM_TYPE_COMPLEX128)
        return by_format(t, type, value);
    for (uint32_t part = 0; status == CM_OK && part < 2; part++) {
        union cm_fortran_value half = {0};
        if (type == CM_TYPE_COMPLEX64)
            half.real = value->complex[part];
        else
            half.real64 = value->complex128[part];
        status = by_format(t, type == CM_TYPE_COMPLEX64 ? CM_TYPE_REAL32 : CM_TYPE_REAL64, &half);
        if (type == CM_TYPE_COMPLEX64)
            value->complex[part] = half.real;
        else
            value->complex128[part] = half.real64;
    }
    return status;
}

/* ---- items without a format ---- */

static enum cm_status visit_list(struct cm_fortran_transfer *t, uint8_t type,
                                 union cm_fortran_value *value)
{
    t->item++;
    return t->reads ? cm_fortran_list_read(t, t->reader, type, value)
                    : cm_fortran_list_write(t, type, value);
}

/* Transfers the bytes of an item. A LOGICAL has 4 bytes. */
static enum cm_status visit_bytes(struct cm_fortran_transfer *t, uint8_t type,
                                  union cm_fortran_value *value)
{
    static const uint32_t sizes[] = {
        [CM_TYPE_REAL32] = 4,      [CM_TYPE_REAL64] = 8, [CM_TYPE_COMPLEX64] = 8,
        [CM_TYPE_COMPLEX128] = 16, [CM_TYPE_INT32] = 4,  [CM_TYPE_LOGICAL] = 4,
    };
    int32_t logical = type == CM_TYPE_LOGICAL ? value->logical : 0;
    char *bytes = type == CM_FORTRAN_CHARACTER ? value->text.bytes
                  : type == CM_TYPE_LOGICAL    ? (char *)&logical
                                               : (char *)value;
    uint32_t size = type == CM_FORTRAN_CHARACTER ? value->text.length : sizes[type];
    t->item++;
    if (!t->reads) {
        enum cm_status status = cm_fortran_put(t, bytes, size);
        return status == CM_OK ? cm_fortran_record_check(t) : status;
    }
    if (t->position + size > t->line.length)
        return cm_fortran_condition(t, CM_IO_SHORT_RECORD,
                                    "the record has %zu bytes, too few for item %" PRIu64,
                                    t->line.length, t->item);
    memcpy(bytes, t->line.data + t->position, size);
    if (type == CM_TYPE_LOGICAL)
        value->logical = logical != 0;
    t->position += size;
    return CM_OK;
}

/* ---- unit and form ---- */

static enum cm_status choose_internal(struct cm_fortran_transfer *t)
{
    const struct cm_fortran_expression *unit = t->io->unit;
    struct cm_fortran_array *array = NULL;
    enum cm_status status;
    t->internal.count = 1;
    if (unit->rank == 0) {
        status = cm_fortran_text_place(t->run, unit, &t->internal.text);
        t->internal.length = t->internal.text.length;
        return status;
    }
    status = cm_fortran_text_section(t->run, unit, &t->internal.text, &array);
    t->internal.is_copy = t->internal.text.bytes != NULL;
    if (status == CM_OK) {
        t->internal.count = array->elements;
        t->internal.length =
            array->elements > 0 ? (uint32_t)(t->internal.text.length / array->elements) : 0;
    }
    cm_fortran_array_destroy(t->run, array);
    return status;
}

static enum cm_status check_unit(struct cm_fortran_transfer *t)
{
    const struct cm_fortran_connection *unit = t->unit;
    const char *why = NULL;
    if (t->reads ? !unit->may_read : !unit->may_write)
        return cm_fortran_condition(t, CM_IO_BAD_ACTION, "unit %" PRId32 " cannot be %s",
                                    unit->number, t->reads ? "read" : "written");
    if (t->io->is_unformatted != unit->is_unformatted)
        why = unit->is_unformatted ? "is unformatted, and the statement has a format"
                                   : "is formatted, and the statement has no format";
    else if (unit->is_direct && t->io->values[CM_IO_REC] == NULL)
        why = "has direct access, which needs REC=";
    else if (!unit->is_direct && t->io->values[CM_IO_REC] != NULL)
        why = "has sequential access, and REC= needs direct access";
    if (why == NULL)
        return CM_OK;
    return cm_fortran_condition(t, CM_IO_CONFLICT, "unit %" PRId32 " %s", unit->number, why);
}

static enum cm_status choose_unit(struct cm_fortran_transfer *t)
{
    int64_t number = t->reads ? 5 : 6, record = 1;
    if (t->io->unit != NULL && t->io->unit->type == CM_FORTRAN_CHARACTER)
        return choose_internal(t);
    enum cm_status status = CM_OK;
    if (t->io->unit != NULL)
        status = cm_fortran_integer(t->run, t->io->unit, &number);
    if (status == CM_OK)
        status = cm_fortran_unit_need(t, (int32_t)number, &t->unit);
    if (status == CM_OK)
        status = check_unit(t);
    if (status != CM_OK || !t->unit->is_direct)
        return status;
    status = cm_fortran_integer(t->run, t->io->values[CM_IO_REC], &record);
    if (status == CM_OK && record < 1)
        return cm_fortran_condition(t, CM_IO_BAD_SPECIFIER, "REC is %" PRId64, record);
    t->unit->next_record = (uint64_t)record;
    return status;
}

/* Evaluates a format that is not constant, as a new string. Elements of an array are joined. */
static enum cm_status evaluate_format(struct cm_fortran_transfer *t, char **made)
{
    const struct cm_fortran_expression *expression = t->io->format;
    struct cm_fortran_array *array = NULL;
    struct cm_fortran_text text = {0};
    char fault[CM_FORTRAN_FAULT_BYTES];
    enum cm_status status = expression->rank > 0
                                ? cm_fortran_text_section(t->run, expression, &text, &array)
                                : cm_fortran_text_copy(t->run, expression, &text);
    cm_fortran_array_destroy(t->run, array);
    *made = status == CM_OK ? strndup(text.bytes, text.length) : NULL;
    free(text.bytes);
    if (status != CM_OK || *made == NULL)
        return status != CM_OK ? status : cm_fortran_no_memory(t->run);
    return cm_fortran_format_check(*made, fault)
               ? CM_OK
               : cm_fortran_condition(t, CM_IO_BAD_FORMAT, "%s", fault);
}

/* ---- READ and WRITE ---- */

/* The items of a WRITE. Texts are copies. Macros of base/list.h work on this struct. */
struct items {
    struct item {
        uint8_t type;
        union cm_fortran_value value;
    } * items;
    uint32_t count, capacity;
    bool failed;
};

static enum cm_status collect(struct cm_fortran_transfer *t, uint8_t type,
                              union cm_fortran_value *value)
{
    struct items *items = t->items;
    struct item item = {.type = type, .value = *value};
    if (items->count == CM_FORTRAN_ITEMS_MAX)
        return cm_fortran_fail(t->run, t->statement->place,
                               "more than %" PRIu32 " items in one statement",
                               CM_FORTRAN_ITEMS_MAX);
    if (type == CM_FORTRAN_CHARACTER) {
        item.value.text.bytes = malloc((size_t)value->text.length + 1);
        if (item.value.text.bytes == NULL)
            return cm_fortran_no_memory(t->run);
        memcpy(item.value.text.bytes, value->text.bytes, value->text.length);
    }
    if (cm_list_push(items, item))
        return CM_OK;
    if (type == CM_FORTRAN_CHARACTER)
        free(item.value.text.bytes);
    return cm_fortran_no_memory(t->run);
}

static enum cm_status each(struct cm_fortran_transfer *t, cm_fortran_visit visit)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < t->statement->count && status == CM_OK; i++)
        status = cm_fortran_each_item(t, t->statement->args[i], visit);
    return status;
}

static enum cm_status write_items(struct cm_fortran_transfer *t, const struct items *items,
                                  cm_fortran_visit visit)
{
    enum cm_status status = CM_OK;
    if (t->io->group != NULL)
        status = cm_fortran_namelist_write(t);
    for (uint32_t i = 0; i < items->count && status == CM_OK; i++)
        status = visit(t, items->items[i].type, &items->items[i].value);
    if (status == CM_OK && visit == visit_format)
        status = cm_fortran_format_end(t, &t->format);
    return status == CM_OK ? cm_fortran_record_write(t) : status;
}

static enum cm_status write_statement(struct cm_fortran_transfer *t, cm_fortran_visit visit)
{
    struct items items = {0};
    t->items = &items;
    enum cm_status status = t->io->group == NULL ? each(t, collect) : CM_OK;
    if (status == CM_OK)
        status = write_items(t, &items, visit);
    for (uint32_t i = 0; i < items.count; i++)
        if (items.items[i].type == CM_FORTRAN_CHARACTER)
            free(items.items[i].value.text.bytes);
    cm_list_finish(&items);
    return status;
}

/* Begins with the rest of the record that the READ before has left, or with the next record. */
static enum cm_status begin_record(struct cm_fortran_transfer *t)
{
    struct cm_fortran_connection *unit = t->unit;
    if (unit == NULL || !unit->is_partial)
        return cm_fortran_record_read(t);
    cm_buffer_append(&t->line, unit->record.data, unit->record.length);
    t->position = unit->at;
    unit->is_partial = false;
    return cm_buffer_ok(&t->line) ? CM_OK : cm_fortran_no_memory(t->run);
}

/* Keeps the rest of the record for the next READ, after ADVANCE='NO'. */
static enum cm_status keep_record(struct cm_fortran_transfer *t)
{
    struct cm_fortran_connection *unit = t->unit;
    if (unit == NULL || !t->keeps_line)
        return CM_OK;
    unit->record.length = 0;
    cm_buffer_append(&unit->record, t->line.data, t->line.length);
    unit->at = t->position;
    unit->is_partial = true;
    return cm_buffer_ok(&unit->record) ? CM_OK : cm_fortran_no_memory(t->run);
}

static enum cm_status read_statement(struct cm_fortran_transfer *t, cm_fortran_visit visit)
{
    struct cm_fortran_list_reader reader = {.left = 0};
    cm_buffer_init(&reader.value);
    t->reader = &reader;
    enum cm_status status = begin_record(t);
    if (status == CM_OK)
        status = t->io->group != NULL ? cm_fortran_namelist_read(t) : each(t, visit);
    if (status == CM_OK && visit == visit_format)
        status = cm_fortran_format_end(t, &t->format);
    if (status == CM_OK)
        status = keep_record(t);
    cm_buffer_finish(&reader.value);
    return status;
}

static enum cm_status transfer(struct cm_fortran_transfer *t)
{
    char *made = NULL;
    uint32_t keeps_line = 0;
    bool has_format = t->statement->format != NULL || t->io->format != NULL;
    enum cm_status status = choose_unit(t);
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_ADVANCE, &keeps_line, "YES", "NO");
    t->keeps_line = keeps_line == 1;
    if (status == CM_OK && t->io->format != NULL)
        status = evaluate_format(t, &made);
    if (status == CM_OK) {
        if (has_format)
            cm_fortran_format_begin(&t->format, made != NULL ? made : t->statement->format,
                                    t->unit != NULL && t->unit->blank_zero);
        cm_fortran_visit visit = has_format              ? visit_format
                                 : t->io->is_unformatted ? visit_bytes
                                                         : visit_list;
        status = t->reads ? read_statement(t, visit) : write_statement(t, visit);
    }
    if (t->internal.is_copy && !t->reads && (status == CM_OK || status == CM_IO)) {
        enum cm_status put =
            cm_fortran_text_section_put(t->run, t->io->unit, t->internal.text.bytes);
        status = put != CM_OK ? put : status;
    }
    if (t->internal.is_copy)
        free(t->internal.text.bytes);
    free(made);
    return status;
}

/* ---- conditions ---- */

static enum cm_status set_integer(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                                  int32_t value)
{
    const union cm_fortran_value made = {.integer = value};
    return t->io->values[specifier] != NULL
               ? cm_fortran_assign_scalar(t->run, t->io->values[specifier], &made)
               : CM_OK;
}

/* Gives IOSTAT, IOMSG and SIZE their values. */
static enum cm_status set_variables(struct cm_fortran_transfer *t)
{
    enum cm_status status = set_integer(t, CM_IO_IOSTAT, t->code);
    if (status == CM_OK)
        status = set_integer(t, CM_IO_SIZE, t->size);
    if (status != CM_OK || t->code == 0 || t->io->values[CM_IO_IOMSG] == NULL)
        return status;
    const struct cm_fortran_text from = {t->message, (uint32_t)strlen(t->message)};
    struct cm_fortran_text to;
    status = cm_fortran_text_place(t->run, t->io->values[CM_IO_IOMSG], &to);
    if (status == CM_OK)
        cm_fortran_text_fill(&to, &from);
    return status;
}

/* Ends the program because of a condition that the statement does not handle. A failure of the
 * system is an error of input or output. */
static enum cm_status end_program(struct cm_fortran_transfer *t)
{
    enum cm_status status = cm_fortran_fail(t->run, t->statement->place, "%s", t->message);
    bool is_system = t->code > 0 && t->code < 5000 && t->code != ENOENT && t->code != EEXIST &&
                     t->code != EACCES;
    if (!is_system)
        return status;
    if (t->run->err != NULL)
        t->run->err->status = CM_IO;
    return CM_IO;
}

enum cm_status cm_fortran_io(struct cm_fortran_run *run,
                             const struct cm_fortran_statement *statement, uint32_t *next)
{
    struct cm_fortran_transfer t = {.run = run,
                                    .statement = statement,
                                    .io = statement->io,
                                    .reads = statement->io->statement == CM_IO_READ};
    cm_buffer_init(&t.line);
    enum cm_status status =
        t.io->statement & CM_IO_TRANSFER ? transfer(&t) : cm_fortran_file_statement(&t);
    cm_buffer_finish(&t.line);
    if (status == CM_IO && t.code == 0)
        return status; /* the standard output failed */
    if (status != CM_OK && status != CM_IO)
        return status;
    status = set_variables(&t);
    if (status != CM_OK)
        return status;
    enum cm_io_specifier label = t.code == CM_IO_AT_END          ? CM_IO_END
                                 : t.code == CM_IO_AT_RECORD_END ? CM_IO_EOR
                                                                 : CM_IO_ERR;
    if (t.code != 0 && t.io->jumps & 1u << label)
        *next = statement->targets[label];
    else if (t.code != 0 && t.io->values[CM_IO_IOSTAT] == NULL)
        return end_program(&t);
    return cm_fortran_end_print(run, statement->place);
}
