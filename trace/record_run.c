/* Recording of steps, source lines and array places. */
#include "record_private.h"

#define LINE_BYTES 160u /* bytes of a source line, at most */

uint32_t cm_recorder_string(struct cm_recorder *r, const char *text)
{
    r->text.length = 0;
    cm_put_text(&r->text, text);
    return cm_recorder_number(r, &r->string_numbers, CM_DEFINE_STRING, &r->text);
}

void cm_recorder_step_begins(void *context, const char *op, const char *where,
                             const struct cm_counters *counters)
{
    struct cm_recorder *r = context;
    if (r->failed)
        return;
    uint32_t op_string = cm_recorder_string(r, op);
    uint32_t where_string = cm_recorder_string(r, where);
    cm_put(&r->definitions, CM_DEFINE_STEP, op_string, where_string, counters->cycles);
    memcpy(r->step_causes, counters->by_cause, sizeof r->step_causes);
    r->in_step = true;
}

/* Returns the string number of a source line in the form that the viewer shows: without leading and
 * trailing blanks, and cut to LINE_BYTES. */
static uint32_t show_line(struct cm_recorder *r, const struct cm_observed_line *line)
{
    const char *at = line->source, *end = at + line->length;
    char shown[LINE_BYTES + 1];
    for (uint32_t i = 1; i < line->line && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    size_t length = 0, shows = 0;
    while (at + length < end && at[length] != '\n' && length < LINE_BYTES) {
        unsigned char byte = (unsigned char)at[length];
        shown[length++] = (char)(byte >= ' ' && byte < 0x7f ? byte : ' ');
        if (shown[length - 1] != ' ')
            shows = length;
    }
    shown[shows] = '\0';
    return cm_recorder_string(r, shown);
}

static uint32_t line_string(struct cm_recorder *r, const struct cm_observed_line *line)
{
    if (r->lines == NULL)
        r->lines = calloc(CM_RECORDER_CACHE, sizeof *r->lines);
    if (r->lines == NULL)
        return show_line(r, line);
    struct cm_recorded_line *place = &r->lines[line->line % CM_RECORDER_CACHE];
    if (place->source != line->source || place->line != line->line)
        *place = (struct cm_recorded_line){line->source, line->line, show_line(r, line)};
    return place->text;
}

/* Writes the current source line of the program if cycles were spent on it. */
static void close_line(struct cm_recorder *r, uint64_t cycle)
{
    const struct cm_observed_line *line = &r->line;
    if (line->file == NULL || r->line_written || cycle == line->cycle)
        return;
    uint32_t file = cm_recorder_string(r, line->file);
    uint32_t text = line_string(r, line);
    cm_put(&r->definitions, CM_DEFINE_LINE, file, line->line, text, line->cycle);
    r->line_written = true;
}

void cm_recorder_line_begins(void *context, const struct cm_observed_line *line)
{
    struct cm_recorder *r = context;
    if (r->failed || !r->in_step)
        return;
    close_line(r, line->cycle);
    if (r->line_written && r->line.file == line->file && r->line.line == line->line)
        return; /* the line is in the trace already, and goes on */
    r->line = *line;
    r->line_written = false;
}

void cm_recorder_step_ends(void *context, const struct cm_counters *counters)
{
    struct cm_recorder *r = context;
    if (r->failed || !r->in_step)
        return;
    close_line(r, counters->cycles);
    r->line.file = NULL;
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        r->step_causes[i] = counters->by_cause[i] - r->step_causes[i];
    cm_put(&r->definitions, CM_DEFINE_STEP_END, counters->cycles);
    cm_put_causes(&r->definitions, r->step_causes);
    r->in_step = false;
}

static void put_move(struct cm_buffer *bytes, uint64_t from, uint64_t to)
{
    cm_put(bytes, cm_zigzag((to & UINT32_MAX) - (from & UINT32_MAX)),
           cm_zigzag((to >> 32) - (from >> 32)));
}

/* Writes the places (node and address) of an array's elements as runs. Within a run, node and
 * address advance by constant steps from element to element. */
static void put_runs(struct cm_buffer *bytes, const uint64_t *places, uint64_t count)
{
    uint64_t last = 0, first = 0;
    while (first < count) {
        uint64_t step = places[first] - last, end = first + 1;
        while (end < count && places[end] - places[end - 1] == step)
            end++;
        cm_put(bytes, end - first);
        put_move(bytes, last, places[first]);
        last = places[end - 1];
        first = end;
    }
}

static void put_all_places(struct cm_recorder *r, const struct cm_observed_array *array,
                           struct cm_buffer *bytes)
{
    if (r->places == NULL)
        r->places = malloc(CM_TRACE_PLACES_MAX * sizeof *r->places);
    if (r->places == NULL) {
        bytes->failed = true;
        return;
    }
    array->places(array->layout, r->places);
    put_runs(bytes, r->places, array->elements);
}

static void put_places(struct cm_recorder *r, const struct cm_observed_array *array,
                       struct cm_buffer *bytes)
{
    cm_put(bytes, array->elements, array->linear);
    if (!array->linear)
        put_all_places(r, array, bytes);
    for (uint64_t bit = 1; bit < array->elements && array->linear; bit *= 2) {
        const uint64_t place = array->place(array->layout, bit);
        cm_put(bytes, place & UINT32_MAX, place >> 32);
    }
}

/* Returns the number + 1 of the places (node and address) of the array's elements, or 0 if the
 * places are not recorded. */
static uint32_t places_of(struct cm_recorder *r, const struct cm_observed_array *array)
{
    if (array->elements == 0 || array->elements > CM_TRACE_PLACES_MAX)
        return 0;
    if (array->like < array->number && array->like < r->array_places.count)
        return r->array_places.items[array->like];
    r->text.length = 0;
    put_places(r, array, &r->text);
    return cm_recorder_number(r, &r->place_numbers, CM_DEFINE_PLACES, &r->text) + 1;
}

void cm_recorder_array_lies(void *context, const struct cm_observed_array *array)
{
    struct cm_recorder *r = context;
    struct cm_buffer *definitions = &r->definitions;
    if (r->failed)
        return;
    uint32_t name = cm_recorder_string(r, array->name);
    uint32_t places = places_of(r, array);
    bool is_new = array->number >= r->array_places.count;
    if (!cm_list_extend(&r->array_places, (uint64_t)array->number + 1)) {
        cm_recorder_fail(r);
        return;
    }
    r->array_places.items[array->number] = places;
    cm_put(definitions, CM_DEFINE_ARRAY, array->number, name,
           cm_machine_counters(r->machine).cycles, array->rank);
    for (uint32_t a = 0; a < array->rank; a++)
        cm_put(definitions, array->shape[a]);
    cm_put(definitions, array->elements, array->slices, array->address, array->words, places);
    if (is_new && array->type != NULL) {
        uint32_t type = cm_recorder_string(r, array->type);
        cm_put(&r->types, array->number, type);
    }
}
