/* Reads and writes the groups of NAMELIST, in the form of gfortran: &NAME OBJECT = values / */
#include "io.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES 128u

/* ---- output ---- */

/* Returns the length of the run of equal values from element `first` on. */
static uint64_t equal_run(const struct cm_buffer *texts, const size_t *ends, uint64_t first,
                          uint64_t count)
{
    uint64_t next = first + 1;
    size_t begin = first > 0 ? ends[first - 1] : 0, length = ends[first] - begin;
    while (next < count && ends[next] - ends[next - 1] == length &&
           memcmp(texts->data + ends[next - 1], texts->data + begin, length) == 0)
        next++;
    return next - first;
}

/* The values of one object, as text. */
struct object {
    struct cm_buffer texts;
    CM_LIST(size_t) ends; /* end of each value in `texts` */
};

static enum cm_status add_value(struct cm_fortran_transfer *t, uint8_t type,
                                union cm_fortran_value *value)
{
    struct object *object = t->object;
    cm_fortran_list_put(type, value, true, &object->texts);
    cm_list_push(&object->ends, object->texts.length);
    return cm_buffer_ok(&object->texts) && !object->ends.failed ? cm_fortran_record_check(t)
                                                                : cm_fortran_no_memory(t->run);
}

static enum cm_status put_object(struct cm_fortran_transfer *t, const char *name,
                                 const struct object *object)
{
    struct cm_buffer line;
    enum cm_status status = CM_OK;
    cm_buffer_init(&line);
    cm_buffer_printf(&line, " ");
    for (const char *c = name; *c != '\0'; c++)
        cm_buffer_printf(&line, "%c", toupper((unsigned char)*c));
    cm_buffer_printf(&line, "=");
    for (uint64_t i = 0; status == CM_OK && i < object->ends.count;) {
        uint64_t equal = equal_run(&object->texts, object->ends.items, i, object->ends.count);
        size_t begin = i > 0 ? object->ends.items[i - 1] : 0;
        size_t blanks = 0, length = object->ends.items[i] - begin;
        if (equal > 1)
            cm_buffer_printf(&line, " %" PRIu64 "*", equal);
        while (equal > 1 && blanks < length && object->texts.data[begin + blanks] == ' ')
            blanks++;
        cm_buffer_append(&line, object->texts.data + begin + blanks, length - blanks);
        cm_buffer_printf(&line, "%*s", (int)blanks, "");
        cm_buffer_append(&line, ",", 1);
        i += equal;
        status = cm_fortran_record_check(t);
    }
    if (status == CM_OK && !cm_buffer_ok(&line))
        status = cm_fortran_no_memory(t->run);
    if (status == CM_OK)
        status = cm_fortran_put(t, line.data, line.length);
    cm_buffer_finish(&line);
    return status == CM_OK ? cm_fortran_record_write(t) : status;
}

enum cm_status cm_fortran_namelist_write(struct cm_fortran_transfer *t)
{
    const struct cm_fortran_statement *statement = t->statement;
    enum cm_status status = cm_fortran_put(t, "&", 1);
    for (const char *c = t->io->group; *c != '\0' && status == CM_OK; c++) {
        const char letter = (char)toupper((unsigned char)*c);
        status = cm_fortran_put(t, &letter, 1);
    }
    if (status == CM_OK)
        status = cm_fortran_record_write(t);
    for (uint32_t i = 0; status == CM_OK && i < statement->count; i++) {
        struct object object = {0};
        cm_buffer_init(&object.texts);
        t->object = &object;
        status = cm_fortran_each_item(t, statement->args[i], add_value);
        if (status == CM_OK)
            status = put_object(t, statement->args[i]->variable->name, &object);
        t->object = NULL;
        cm_buffer_finish(&object.texts);
        cm_list_finish(&object.ends);
    }
    return status == CM_OK ? cm_fortran_put(t, " /", 2) : status;
}

/* ---- input ---- */

static enum cm_status fail(struct cm_fortran_transfer *t, const char *what, const char *name)
{
    return cm_fortran_condition(t, CM_IO_BAD_VALUE, "NAMELIST input: %s%s", what, name);
}

/* Reads a name at the present position, in lower case. */
static void read_name(struct cm_fortran_transfer *t, char name[NAME_BYTES])
{
    size_t used = 0;
    for (char c = cm_fortran_peek(t); isalnum((unsigned char)c) || c == '_';
         c = cm_fortran_peek(t)) {
        if (used < NAME_BYTES - 1)
            name[used++] = (char)tolower((unsigned char)c);
        t->position++;
    }
    name[used] = '\0';
}

/* Moves behind &NAME, over records and groups before it. */
static enum cm_status find_group(struct cm_fortran_transfer *t)
{
    char name[NAME_BYTES];
    for (;;) {
        enum cm_status status = cm_fortran_skip_blanks(t);
        if (status != CM_OK)
            return status;
        char c = cm_fortran_peek(t);
        if (c == '&' || c == '$') {
            t->position++;
            read_name(t, name);
            if (strcasecmp(name, t->io->group) == 0)
                return CM_OK;
        }
        t->position = t->line.length;
    }
}

/* Reads an integer and the blanks around it. */
static bool read_subscript(struct cm_fortran_transfer *t, int64_t *value)
{
    char text[24];
    size_t used = 0;
    int32_t number = 0;
    while (cm_fortran_peek(t) == ' ')
        t->position++;
    for (char c = cm_fortran_peek(t);
         used < sizeof text - 1 && (isdigit((unsigned char)c) || c == '-' || c == '+');
         c = cm_fortran_peek(t)) {
        text[used++] = c;
        t->position++;
    }
    while (cm_fortran_peek(t) == ' ')
        t->position++;
    bool is_good = cm_fortran_read_integer(text, used, &number);
    *value = number;
    return is_good;
}

/* Reads the subscripts of an element behind '('. Sets *first to the number of the element, from
 * 0. */
static enum cm_status read_element(struct cm_fortran_transfer *t,
                                   const struct cm_fortran_variable *variable, uint64_t *first)
{
    struct cm_fortran_array *array;
    uint64_t stride = 1;
    enum cm_status status = cm_fortran_array_of(t->run, variable, t->statement->place, &array);
    if (status != CM_OK)
        return status;
    t->position++;
    for (uint32_t i = 0; i < array->rank; i++) {
        int64_t subscript = 0;
        if (!read_subscript(t, &subscript) ||
            cm_fortran_peek(t) != (i + 1 < array->rank ? ',' : ')'))
            return fail(t, "expected whole numbers as subscripts of ", variable->name);
        t->position++;
        if (subscript < array->lower[i] || subscript >= array->lower[i] + (int64_t)array->extent[i])
            return fail(t, "a subscript is out of bounds: ", variable->name);
        *first += (uint64_t)(subscript - array->lower[i]) * stride;
        stride *= array->extent[i];
    }
    return CM_OK;
}

/* Reads one value, unless it is for an element before the first one that is named, or the values
 * have ended. */
static enum cm_status take_value(struct cm_fortran_transfer *t, uint8_t type,
                                 union cm_fortran_value *value)
{
    t->item++;
    if (t->skipped > 0) {
        t->skipped--;
        return CM_OK;
    }
    return cm_fortran_list_read(t, t->reader, type, value);
}

/* Reads the values of one object, whose name was read, up to the next name or the end. */
static enum cm_status read_object(struct cm_fortran_transfer *t,
                                  const struct cm_fortran_expression *object)
{
    uint64_t first = 0;
    enum cm_status status = CM_OK;
    struct cm_fortran_list_reader *reader = t->reader;
    if (cm_fortran_peek(t) == '(' && object->rank > 0)
        status = read_element(t, object->variable, &first);
    if (status == CM_OK)
        status = cm_fortran_skip_blanks(t);
    if (status == CM_OK && cm_fortran_peek(t) != '=')
        status = fail(t, "expected '=' behind ", object->variable->name);
    if (status != CM_OK)
        return status;
    t->position++;
    reader->is_ended = reader->at_name = reader->wants_comma = false;
    reader->left = 0;
    t->skipped = first;
    t->item = 0;
    status = cm_fortran_each_item(t, object, take_value);
    if (status == CM_OK && reader->left > 0)
        status = fail(t, "too many values for ", object->variable->name);
    return status;
}

enum cm_status cm_fortran_namelist_read(struct cm_fortran_transfer *t)
{
    char name[NAME_BYTES];
    enum cm_status status = find_group(t);
    t->reader->is_namelist = true;
    while (status == CM_OK) {
        status = cm_fortran_skip_blanks(t);
        char c = cm_fortran_peek(t);
        if (status != CM_OK || c == '/' || c == '&' || c == '$')
            return status;
        if (c == ',') {
            t->position++;
            continue;
        }
        read_name(t, name);
        const struct cm_fortran_expression *object = NULL;
        for (uint32_t i = 0; i < t->statement->count; i++)
            if (strcmp(t->statement->args[i]->variable->name, name) == 0)
                object = t->statement->args[i];
        while (cm_fortran_peek(t) == ' ')
            t->position++;
        status = object != NULL ? read_object(t, object)
                                : fail(t, "the group has no object ", name[0] ? name : "here");
    }
    return status;
}
