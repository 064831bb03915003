/* Stores the files of a program, and finds included files and built-in headers (source.h). */
#include "source.h"

#include "../../base/file.h"
#include "../../base/input.h"
#include "../../base/text.h"
#include "headers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcasecmp(name + length - end, suffix) == 0;
}

static bool ends_with_any(const char *name, const char *const *suffixes)
{
    for (; *suffixes; suffixes++)
        if (ends_with(name, *suffixes))
            return true;
    return false;
}

bool cm_source_is_fortran_90(const char *name)
{
    static const char *const suffixes[] = {".f90", ".f95", ".f03", ".f08", NULL};
    return ends_with_any(name, suffixes);
}

bool cm_fortran_is_source_name(const char *name)
{
    static const char *const others[] = {".fcm", ".f", ".for", NULL};
    return cm_source_is_fortran_90(name) || ends_with_any(name, others);
}

bool cm_shift_order_read(const char *name, enum cm_shift_order *order)
{
    *order = !name                      ? CM_SHIFT_ORDER_BY_SUFFIX
             : strcmp(name, "f90") == 0 ? CM_SHIFT_ORDER_F90
                                        : CM_SHIFT_ORDER_CM;
    return *order != CM_SHIFT_ORDER_CM || strcmp(name, "cm") == 0;
}

enum cm_shift_order cm_shift_order_of(enum cm_shift_order order, const struct cm_source *source)
{
    if (order != CM_SHIFT_ORDER_BY_SUFFIX)
        return order;
    return cm_source_is_fortran_90(cm_source_name(source, 0)) ? CM_SHIFT_ORDER_F90
                                                              : CM_SHIFT_ORDER_CM;
}

/* Reads a file that INCLUDE names. Refuses names with control characters, because a program may
 * come from a stranger. */
static enum cm_status read_file(void *context, const char *path, char **text, size_t *length,
                                struct cm_error *err)
{
    (void)context;
    if (!cm_text_is_clean(path))
        return cm_error_set(err, CM_BAD_INPUT, "the name has a character that cannot be shown");
    return cm_file_read_stored(path, CM_FORTRAN_MAX_BYTES, text, length, err);
}

/* Adds a file to the source. Takes ownership of the text `owned`, also on failure. `text` is used
 * if `owned` is NULL. */
static bool add_file(struct cm_source *source, const char *name, char *owned, const char *text,
                     size_t length)
{
    const char *mark = "\xef\xbb\xbf"; /* byte-order mark of UTF-8, which is not part of the text */
    size_t skipped = owned && length >= 3 && memcmp(owned, mark, 3) == 0 ? 3 : 0;
    struct cm_source_file file = {.name = strdup(name),
                                  .owned = owned,
                                  .text = owned ? owned + skipped : text,
                                  .length = length - skipped,
                                  .is_builtin = owned == NULL};
    if (file.name && cm_list_push(&source->files, file))
        return true;
    free(file.name);
    free(owned);
    return false;
}

struct cm_source *cm_source_create(const char *name, const char *text, size_t length,
                                   const struct cm_syntax_reader *reader)
{
    struct cm_source *source = calloc(1, sizeof *source);
    char *copy = source ? malloc(length + 1) : NULL;
    if (copy) {
        if (length > 0)
            memcpy(copy, text, length);
        copy[length] = '\0';
        source->reader = reader ? *reader : (struct cm_syntax_reader){.line_length = 0};
        if (!source->reader.read)
            source->reader.read = read_file;
        if (source->reader.line_length == 0)
            source->reader.line_length = CM_FORTRAN_LINE_LENGTH;
        if (add_file(source, name, copy, NULL, length))
            return source;
    }
    cm_source_destroy(source);
    return NULL;
}

void cm_source_destroy(struct cm_source *source)
{
    if (!source)
        return;
    for (uint32_t i = 0; i < source->files.count; i++) {
        free(source->files.items[i].name);
        free(source->files.items[i].owned);
    }
    cm_list_finish(&source->files);
    free(source);
}

enum cm_status cm_source_include(struct cm_source *source, uint32_t from, const char *path,
                                 uint32_t *file, struct cm_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *builtin = cm_header_text(slash ? slash + 1 : path);
    char *text = NULL, *place = NULL;
    size_t length = 0;
    enum cm_status status = CM_OK;
    *file = source->files.count;
    if (builtin)
        return add_file(source, path, NULL, builtin, strlen(builtin)) ? CM_OK
                                                                      : cm_error_no_memory(err);
    place = cm_path_beside(source->files.items[from].name, path);
    if (!place)
        return cm_error_no_memory(err);
    status = source->reader.read(source->reader.context, place, &text, &length, err);
    if (status == CM_OK && !add_file(source, place, text, NULL, length))
        status = cm_error_no_memory(err);
    free(place);
    return status;
}

const char *cm_source_name(const struct cm_source *source, uint32_t file)
{
    return source->files.items[file].name;
}

const char *cm_source_text(const struct cm_source *source, uint32_t file, size_t *length)
{
    *length = source->files.items[file].length;
    return source->files.items[file].text;
}

bool cm_source_is_builtin(const struct cm_source *source, uint32_t file)
{
    return source->files.items[file].is_builtin;
}
