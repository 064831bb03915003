/* Collects the messages about a program (place.h). */
#include "../../base/list.h"
#include "place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cm_messages_init(struct cm_messages *messages, const struct cm_source *source)
{
    *messages = (struct cm_messages){.source = source};
}

void cm_messages_finish(struct cm_messages *messages)
{
    free(messages->items);
    messages->items = NULL;
    messages->count = messages->capacity = 0;
}

/* Returns whether the message that was added last is about the same character. */
static bool is_repeated(const struct cm_messages *messages, struct cm_source_place place)
{
    return messages->count > 0 && place.line > 0 && messages->last.file == place.file &&
           messages->last.line == place.line && messages->last.column == place.column;
}

/* Fills `err` with a message, its place and the text of its source line. */
static void describe(const struct cm_messages *messages, struct cm_source_place place,
                     const char *text, struct cm_error *err)
{
    size_t length;
    *err = (struct cm_error){0};
    cm_error_at(err, CM_BAD_INPUT, cm_source_name(messages->source, place.file), place.line,
                place.column, "%s", text);
    const char *source = cm_source_text(messages->source, place.file, &length);
    cm_error_source(err, source, length);
}

void cm_messages_add(struct cm_messages *messages, struct cm_source_place place, const char *format,
                     ...)
{
    char text[768];
    va_list arguments;
    messages->added = false;
    messages->found++;
    if (messages->status == CM_NO_MEMORY || is_repeated(messages, place))
        return;
    messages->status = CM_BAD_INPUT;
    if (messages->count == CM_MESSAGES_MAX) {
        messages->more++;
        return;
    }
    if (!cm_array_room(messages->items, messages->count, messages->capacity)) {
        messages->status = CM_NO_MEMORY;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    describe(messages, place, text, &messages->items[messages->count++]);
    messages->last = place;
    messages->added = true;
}

void cm_messages_hint(struct cm_messages *messages, const char *format, ...)
{
    char text[384];
    va_list arguments;
    if (!messages->added)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cm_error_hint(&messages->items[messages->count - 1], "%s", text);
}

void cm_messages_warn(struct cm_messages *messages, struct cm_source_place place, const char *text,
                      const char *hint)
{
    describe(messages, place, text, &messages->warning);
    cm_error_hint(&messages->warning, "%s", hint);
    messages->has_warning = true;
}

/* Returns whether message `a` comes after message `b` in the order of cm_messages_sort(). */
static bool is_behind(const struct cm_messages *messages, const struct cm_error *a,
                      const struct cm_error *b)
{
    const char *main = cm_source_name(messages->source, 0);
    bool a_included = strcmp(a->file, main) != 0, b_included = strcmp(b->file, main) != 0;
    int files = strcmp(a->file, b->file);
    if (a_included != b_included)
        return a_included;
    if (files != 0)
        return files > 0;
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

/* Sorts by insertion, because there are few messages and most are already in order. */
void cm_messages_sort(struct cm_messages *messages)
{
    messages->added = false;
    for (uint32_t i = 1; i < messages->count; i++) {
        struct cm_error moved = messages->items[i];
        uint32_t to = i;
        for (; to > 0 && is_behind(messages, &messages->items[to - 1], &moved); to--)
            messages->items[to] = messages->items[to - 1];
        messages->items[to] = moved;
    }
}
