/*
 * Units of a running program, and the files that they are connected to.
 *
 * Units 0, 5 and 6 are the standard streams at first. Files are in the folder of the program,
 * unless options.files_anywhere is true. No name leads out of the folder. Devices, pipes and the
 * program's own source are refused always.
 */
#include "../../base/file.h"
#include "../../base/input.h"
#include "../../base/processes.h"
#include "../../base/text.h"
#include "../source/source.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_unit(struct cm_fortran_connection *unit)
{
    if (unit->file != NULL)
        fclose(unit->file);
    free(unit->path);
    free(unit->place);
    cm_buffer_finish(&unit->record);
    cm_buffer_finish(&unit->ahead);
    free(unit);
}

/* Adds a connection, without a file, to the table. Returns NULL if the table is full or memory is
 * exhausted. */
static struct cm_fortran_connection *add(struct cm_fortran_units *units, int32_t number)
{
    struct cm_fortran_connection *unit =
        units->count < CM_FORTRAN_UNITS_MAX ? calloc(1, sizeof *unit) : NULL;
    if (unit == NULL)
        return NULL;
    unit->number = number;
    unit->may_read = unit->may_write = unit->pads = true;
    unit->next_record = 1;
    units->items[units->count++] = unit;
    return unit;
}

static void free_units(struct cm_fortran_units *units)
{
    for (uint32_t i = 0; i < units->count; i++)
        free_unit(units->items[i]);
    free(units);
}

/* Makes the table of units, with the standard streams. Returns NULL if memory is exhausted. */
static struct cm_fortran_units *make_units(void)
{
    static const int32_t numbers[] = {0, 5, 6};
    struct cm_fortran_units *units = calloc(1, sizeof *units);
    for (size_t i = 0; units != NULL && i < 3; i++) {
        struct cm_fortran_connection *unit = add(units, numbers[i]);
        if (unit == NULL) {
            free_units(units);
            return NULL;
        }
        unit->may_read = numbers[i] == 5;
        unit->may_write = numbers[i] != 5;
    }
    return units;
}

struct cm_fortran_connection *cm_fortran_unit_find(struct cm_fortran_run *run, int32_t number)
{
    if (run->units == NULL)
        run->units = make_units();
    for (uint32_t i = 0; run->units != NULL && i < run->units->count; i++)
        if (run->units->items[i]->number == number)
            return run->units->items[i];
    return NULL;
}

enum cm_status cm_fortran_unit_add(struct cm_fortran_transfer *t, int32_t number,
                                   struct cm_fortran_connection **unit)
{
    if (number < 0)
        return cm_fortran_condition(t, CM_IO_BAD_UNIT, "there is no unit %" PRId32, number);
    *unit = t->run->units != NULL ? add(t->run->units, number) : NULL;
    if (*unit != NULL)
        return CM_OK;
    if (t->run->units != NULL && t->run->units->count == CM_FORTRAN_UNITS_MAX)
        return cm_fortran_condition(t, CM_IO_BAD_UNIT, "more than %u units are open",
                                    CM_FORTRAN_UNITS_MAX);
    return cm_fortran_no_memory(t->run);
}

static void remove_unit(struct cm_fortran_run *run, struct cm_fortran_connection *unit)
{
    struct cm_fortran_units *units = run->units;
    uint32_t i = 0;
    while (units->items[i] != unit)
        i++;
    units->items[i] = units->items[--units->count];
    free_unit(unit);
}

char *cm_fortran_unit_place(const struct cm_fortran_run *run, const char *path)
{
    return cm_path_beside(cm_source_name(run->program->source, 0), path);
}

/* ---- rules for files ---- */

static bool is_empty_file(const char *place)
{
    struct stat about;
    return stat(place, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

static enum cm_status refuse(struct cm_fortran_transfer *t, const char *path, const char *why)
{
    return cm_fortran_condition(t, EACCES, "%.150s %s", path, why);
}

enum cm_status cm_fortran_unit_guard(struct cm_fortran_transfer *t, const char *path,
                                     const char *place)
{
    bool is_inside = true;
    if (!cm_text_is_clean(path) || path[0] == '\0')
        return refuse(t, path,
                      path[0] != '\0' ? "has a character that cannot be shown"
                                      : "is not the name of a file");
    if (t->run->options.no_files)
        return refuse(t, path, "cannot be used: this run has no files");
    enum cm_status status = CM_OK;
    if (!t->run->options.files_anywhere)
        status = cm_file_is_inside(place, cm_source_name(t->run->program->source, 0), &is_inside,
                                   t->run->err);
    if (status != CM_OK)
        return status;
    if (!is_inside)
        return refuse(t, path, "is outside the program's folder; --allow-anywhere allows it");
    const char *why = cm_file_refusal(place);
    if (why != NULL && !is_empty_file(place))
        return refuse(t, path, why);
    return CM_OK;
}

/* Fails if a file that is to be written is one of the program's own source files. */
static enum cm_status spare_source(struct cm_fortran_transfer *t, const char *path,
                                   const char *place)
{
    const struct cm_source *source = t->run->program->source;
    for (uint32_t i = 0; i < source->files.count; i++) {
        bool is_same = false;
        if (cm_source_is_builtin(source, i))
            continue;
        enum cm_status status =
            cm_file_same(place, cm_source_name(source, i), &is_same, t->run->err);
        if (status != CM_OK)
            return status;
        if (is_same)
            return refuse(t, path, "is the program's source");
    }
    return CM_OK;
}

/* Returns whether several processes execute the program. They would all write a file. */
static bool is_shared(void)
{
    const struct cm_process_link *link = cm_processes();
    return link != NULL && link->count > 1;
}

static enum cm_status open_scratch(struct cm_fortran_transfer *t,
                                   struct cm_fortran_connection *unit)
{
    unit->file = tmpfile();
    return unit->file != NULL
               ? CM_OK
               : cm_fortran_condition(t, errno, "cannot make a scratch file: %s", strerror(errno));
}

/* Opens the file in a way that waits for no pipe. Without the right to write, an existing file is
 * opened for reading. */
static int open_descriptor(struct cm_fortran_connection *unit, enum cm_fortran_opening how,
                           bool may_fall_back)
{
    const int common = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int flags = common | (unit->may_write ? O_RDWR : O_RDONLY);
    flags |= how == CM_OPEN_NEW       ? O_CREAT | O_EXCL
             : how == CM_OPEN_REPLACE ? O_CREAT | O_TRUNC
             : how == CM_OPEN_UNKNOWN ? O_CREAT
                                      : 0;
    int descriptor = open(unit->place, flags, 0666);
    if (descriptor < 0 && (errno == EACCES || errno == EROFS) && may_fall_back) {
        unit->may_write = false;
        descriptor = open(unit->place, common | O_RDONLY);
    }
    return descriptor;
}

/* Fails if another unit is connected to the file of `unit`. */
static enum cm_status look_for_file(struct cm_fortran_transfer *t,
                                    const struct cm_fortran_connection *unit)
{
    const struct cm_fortran_units *units = t->run->units;
    for (uint32_t i = 0; i < units->count; i++) {
        const struct cm_fortran_connection *other = units->items[i];
        bool is_same = false;
        if (other == unit || other->place == NULL || unit->place == NULL)
            continue;
        enum cm_status status = cm_file_same(other->place, unit->place, &is_same, t->run->err);
        if (status != CM_OK)
            return status;
        if (is_same)
            return cm_fortran_condition(t, CM_IO_IN_USE, "%.150s is open as unit %" PRId32,
                                        unit->path, other->number);
    }
    return CM_OK;
}

enum cm_status cm_fortran_unit_open(struct cm_fortran_transfer *t,
                                    struct cm_fortran_connection *unit, enum cm_fortran_opening how)
{
    struct stat about;
    if (unit->path == NULL)
        return open_scratch(t, unit);
    unit->place = cm_fortran_unit_place(t->run, unit->path);
    if (unit->place == NULL)
        return cm_fortran_no_memory(t->run);
    enum cm_status status = cm_fortran_unit_guard(t, unit->path, unit->place);
    if (status == CM_OK)
        status = look_for_file(t, unit);
    if (status == CM_OK && unit->may_write)
        status = spare_source(t, unit->path, unit->place);
    if (status != CM_OK)
        return status;
    bool may_fall_back = unit->may_read && (how == CM_OPEN_OLD || how == CM_OPEN_UNKNOWN);
    if (is_shared() && unit->may_write) {
        if (!may_fall_back || stat(unit->place, &about) != 0)
            return refuse(t, unit->path, "cannot be written by several processes");
        unit->may_write = false;
    }
    int descriptor = open_descriptor(unit, unit->may_write ? how : CM_OPEN_OLD, may_fall_back);
    if (descriptor < 0)
        return cm_fortran_condition(t, errno, "cannot open %.150s: %s", unit->path,
                                    strerror(errno));
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(descriptor);
        return refuse(t, unit->path, "is a device, a pipe or a folder, expected a file");
    }
    unit->file = fdopen(descriptor, unit->may_write ? "r+" : "r");
    if (unit->file != NULL)
        return CM_OK;
    close(descriptor);
    return cm_fortran_no_memory(t->run);
}

enum cm_status cm_fortran_unit_need(struct cm_fortran_transfer *t, int32_t number,
                                    struct cm_fortran_connection **unit)
{
    char name[32];
    *unit = cm_fortran_unit_find(t->run, number);
    if (*unit != NULL)
        return CM_OK;
    enum cm_status status = cm_fortran_unit_add(t, number, unit);
    if (status != CM_OK)
        return status;
    snprintf(name, sizeof name, "fort.%" PRId32, number);
    (*unit)->path = strdup(name);
    (*unit)->is_unformatted = t->io->is_unformatted;
    status = (*unit)->path != NULL ? cm_fortran_unit_open(t, *unit, CM_OPEN_UNKNOWN)
                                   : cm_fortran_no_memory(t->run);
    if (status != CM_OK)
        remove_unit(t->run, *unit);
    return status;
}

/* ---- ends ---- */

enum cm_status cm_fortran_unit_settle(struct cm_fortran_transfer *t,
                                      struct cm_fortran_connection *unit)
{
    if (!unit->has_written || unit->file == NULL)
        return CM_OK;
    unit->has_written = false;
    errno = 0;
    if (fflush(unit->file) != 0 || ftruncate(fileno(unit->file), ftello(unit->file)) != 0)
        return cm_fortran_condition(t, errno != 0 ? errno : EIO,
                                    "cannot write to unit %" PRId32 ": %s", unit->number,
                                    strerror(errno));
    return fseeko(unit->file, 0, SEEK_CUR) == 0
               ? CM_OK
               : cm_fortran_condition(t, errno, "cannot position unit %" PRId32, unit->number);
}

static enum cm_status delete_file(struct cm_fortran_transfer *t,
                                  const struct cm_fortran_connection *unit)
{
    enum cm_status status = spare_source(t, unit->path, unit->place);
    if (status != CM_OK)
        return status;
    if (is_shared())
        return refuse(t, unit->path, "cannot be deleted by several processes");
    return unlink(unit->place) == 0 ? CM_OK
                                    : cm_fortran_condition(t, errno, "cannot delete %.150s: %s",
                                                           unit->path, strerror(errno));
}

enum cm_status cm_fortran_unit_close(struct cm_fortran_transfer *t,
                                     struct cm_fortran_connection *unit, bool deletes)
{
    enum cm_status status = cm_fortran_unit_settle(t, unit);
    errno = 0;
    if (status == CM_OK && unit->file != NULL && fflush(unit->file) != 0)
        status = cm_fortran_condition(t, errno, "cannot write to unit %" PRId32 ": %s",
                                      unit->number, strerror(errno));
    if (status == CM_OK && deletes && unit->place != NULL)
        status = delete_file(t, unit);
    remove_unit(t->run, unit);
    return status;
}

enum cm_status cm_fortran_units_flush(struct cm_fortran_run *run)
{
    for (uint32_t i = 0; run->units != NULL && i < run->units->count; i++) {
        struct cm_fortran_connection *unit = run->units->items[i];
        if (unit->file == NULL || !unit->may_write)
            continue;
        errno = 0;
        bool is_good = fflush(unit->file) == 0;
        if (is_good && unit->has_written)
            is_good = ftruncate(fileno(unit->file), ftello(unit->file)) == 0;
        if (!is_good)
            return cm_error_set(run->err, CM_IO, "cannot write %.200s: %s",
                                unit->path != NULL ? unit->path : "a scratch file",
                                strerror(errno != 0 ? errno : EIO));
    }
    return CM_OK;
}

void cm_fortran_units_finish(struct cm_fortran_run *run)
{
    if (run->units != NULL)
        free_units(run->units);
    run->units = NULL;
}
