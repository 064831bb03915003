/* The messages about a program. */
#include "../base/list.h"
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

/* Whether the message added last is about the same character. */
static bool is_repeated(const struct cm_messages *messages, struct cm_source_place place)
{
    return messages->count > 0 && place.line > 0 && messages->last.file == place.file &&
           messages->last.line == place.line && messages->last.column == place.column;
}

void cm_messages_add(struct cm_messages *messages, struct cm_source_place place, const char *format,
                     ...)
{
    char text[768];
    va_list arguments;
    messages->added = false;
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
    struct cm_error *err = &messages->items[messages->count++];
    *err = (struct cm_error){0};
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cm_error_at(err, CM_BAD_INPUT, cm_source_name(messages->source, place.file), place.line,
                place.column, "%s", text);
    size_t length;
    const char *source = cm_source_text(messages->source, place.file, &length);
    cm_error_source(err, source, length);
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
