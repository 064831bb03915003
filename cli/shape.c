/* Reading shapes, lists and names from options. */
#include "shape.h"

#include "../base/suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_read_numbers(const char *text, char separator, uint64_t *numbers, uint32_t most,
                      uint32_t *count)
{
    *count = 0;
    for (;;) {
        char *end;
        if (*text < '0' || *text > '9' || *count == most)
            return false;
        /* A number too large becomes the largest, which nothing takes. */
        numbers[(*count)++] = strtoull(text, &end, 10);
        if (*end == '\0')
            return true;
        if (*end != separator)
            return false;
        text = end + 1;
    }
}

enum cm_status cli_read_shape(const char *option, const char *text, struct cli_shape *shape,
                              struct cm_error *err)
{
    uint64_t numbers[CM_LOGIC_DIMENSIONS_MAX + 1];
    uint64_t size = 1;
    bool good = cli_read_numbers(text, 'x', numbers, CM_LOGIC_DIMENSIONS_MAX + 1, &shape->rank);
    for (uint32_t a = 0; good && a < shape->rank; a++) {
        if (numbers[a] == 0) {
            cm_error_set(err, CM_BAD_INPUT,
                         "--%s is \"%.100s\", but an axis of length 0 has no element", option,
                         text);
            return cm_error_hint(err, "an axis of length 1 is the shortest");
        }
    }
    if (!good) {
        cm_error_set(err, CM_BAD_INPUT, "--%s is \"%.100s\", expected lengths with x between them",
                     option, text);
        return cm_error_hint(err, "as in 32x4x16x8, the most significant axis first");
    }
    for (uint32_t a = 0; a < shape->rank; a++) {
        shape->lengths[a] = numbers[shape->rank - 1 - a];
        if (shape->lengths[a] > (UINT64_C(1) << CM_LOGIC_DIMENSIONS_MAX) / size) {
            cm_error_set(err, CM_BAD_INPUT, "--%s %.100s is too large: more than 2^%u elements",
                         option, text, CM_LOGIC_DIMENSIONS_MAX);
            return cm_error_hint(err, "use a smaller shape");
        }
        size *= shape->lengths[a];
    }
    return CM_OK;
}

enum cm_status cli_read_name(const char *option, const char *text, const char *const *names,
                             uint32_t count, uint32_t *index, struct cm_error *err)
{
    char list[160] = "";
    size_t used = 0;
    if (text == NULL)
        return CM_OK;
    for (*index = 0; *index < count; (*index)++)
        if (strcmp(text, names[*index]) == 0)
            return CM_OK;
    for (uint32_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    cm_error_set(err, CM_BAD_INPUT, "unknown %s \"%.60s\", expected %s", option, text, list);
    const char *near = cm_suggest(text, names, count);
    if (near != NULL)
        cm_error_hint(err, "did you mean \"%s\"?", near);
    return CM_BAD_INPUT;
}

uint64_t cli_shape_size(const struct cli_shape *shape)
{
    uint64_t size = 1;
    for (uint32_t a = 0; a < shape->rank; a++)
        size *= shape->lengths[a];
    return size;
}

void cli_append_shape(struct cm_buffer *text, const struct cli_shape *shape)
{
    for (uint32_t a = 0; a < shape->rank; a++)
        cm_buffer_printf(text, "%s%" PRIu64, a ? ", " : "", shape->lengths[a]);
}
