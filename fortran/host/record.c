/* Reads and writes records: lines of formatted files and of the standard streams, records of
 * unformatted and direct-access files, and elements of internal files. Sequential unformatted files
 * have the form of gfortran: each record is between two 4-byte lengths. */
#include "io.h"

#include <errno.h>
#include <string.h>

/* Number of bytes of a list on its way to a standard stream that gather before they are passed. */
#define GATHERED_BYTES ((size_t)1 << 16)
#define INPUT_BYTES    ((size_t)4096)

static struct cm_source_place place_of(const struct cm_fortran_transfer *t)
{
    return t->statement->place;
}

/* Returns the buffer of a standard stream for output, or NULL for a file or an internal file. */
static struct cm_buffer *standard_of(struct cm_fortran_transfer *t)
{
    if (t->unit == NULL || t->unit->file != NULL)
        return NULL;
    return t->unit->number == 0 ? &t->run->errors : &t->run->output;
}

enum cm_status cm_fortran_record_check(struct cm_fortran_transfer *t)
{
    enum cm_status status = cm_fortran_go_on(t->run);
    if (status != CM_OK)
        return status;
    if (t->position > CM_FORTRAN_LINE_MAX)
        return cm_fortran_condition(t, CM_IO_BAD_FORMAT,
                                    "the format makes a line that is too long");
    if (t->reads || !cm_fortran_prints_too_much(t->run, t->line.length))
        return CM_OK;
    struct cm_buffer *standard = standard_of(t);
    if (standard == NULL)
        return cm_fortran_refuse_output(t->run, place_of(t));
    cm_buffer_append(standard, t->line.data, t->line.length);
    return cm_fortran_end_print(t->run, place_of(t));
}

enum cm_status cm_fortran_put(struct cm_fortran_transfer *t, const char *text, size_t length)
{
    struct cm_buffer *line = &t->line;
    while (line->length < t->position && cm_buffer_ok(line))
        cm_buffer_append(line, " ", 1);
    if (!cm_buffer_ok(line))
        return cm_fortran_no_memory(t->run);
    size_t over = line->length - t->position;
    if (over > length)
        over = length;
    if (over > 0)
        memcpy(line->data + t->position, text, over);
    cm_buffer_append(line, text + over, length - over);
    t->position += length;
    return cm_buffer_ok(line) ? CM_OK : cm_fortran_no_memory(t->run);
}

static enum cm_status system_error(struct cm_fortran_transfer *t, const char *doing)
{
    int code = errno != 0 ? errno : EIO;
    return cm_fortran_condition(t, code, "cannot %s unit %" PRId32 ": %s", doing, t->unit->number,
                                strerror(code));
}

/* ---- output ---- */

static enum cm_status write_bytes(struct cm_fortran_transfer *t, const void *bytes, size_t length)
{
    if (cm_fortran_prints_too_much(t->run, length))
        return cm_fortran_refuse_output(t->run, place_of(t));
    t->run->forgotten += length;
    errno = 0;
    if (length > 0 && fwrite(bytes, 1, length, t->unit->file) != length)
        return system_error(t, "write to");
    return CM_OK;
}

/* Moves to the record of a direct-access file that is transferred next. */
static enum cm_status seek_record(struct cm_fortran_transfer *t)
{
    const struct cm_fortran_connection *unit = t->unit;
    uint64_t most = t->run->options.max_output > 0 ? t->run->options.max_output : CM_OUTPUT_BYTES;
    if (!t->reads && unit->next_record > most / unit->record_bytes)
        return cm_fortran_refuse_output(t->run, place_of(t));
    if (unit->next_record - 1 > (uint64_t)INT64_MAX / unit->record_bytes)
        return cm_fortran_condition(t, CM_IO_BAD_SPECIFIER, "there is no record %" PRIu64,
                                    unit->next_record);
    errno = 0;
    if (fseeko(unit->file, (off_t)((unit->next_record - 1) * unit->record_bytes), SEEK_SET) != 0)
        return system_error(t, "position");
    return CM_OK;
}

static enum cm_status write_direct(struct cm_fortran_transfer *t)
{
    struct cm_fortran_connection *unit = t->unit;
    if (t->line.length > unit->record_bytes)
        return cm_fortran_condition(t, CM_IO_AT_RECORD_END,
                                    "the items take more than the %" PRIu64 " bytes of a record",
                                    unit->record_bytes);
    const size_t used = t->line.length, rest = (size_t)unit->record_bytes - used;
    if (!cm_buffer_room(&t->line, rest))
        return cm_fortran_no_memory(t->run);
    memset(t->line.data + used, unit->is_unformatted ? '\0' : ' ', rest);
    enum cm_status status = seek_record(t);
    if (status == CM_OK)
        status = write_bytes(t, t->line.data, (size_t)unit->record_bytes);
    unit->next_record++;
    return status;
}

static enum cm_status write_sequential(struct cm_fortran_transfer *t)
{
    struct cm_fortran_connection *unit = t->unit;
    const uint32_t length = (uint32_t)t->line.length;
    enum cm_status status = CM_OK;
    if (!unit->has_written && fseeko(unit->file, 0, SEEK_CUR) != 0)
        return system_error(t, "position");
    unit->has_written = true;
    if (unit->is_unformatted)
        status = write_bytes(t, &length, sizeof length);
    if (status == CM_OK)
        status = write_bytes(t, t->line.data, t->line.length);
    if (status == CM_OK && unit->is_unformatted)
        status = write_bytes(t, &length, sizeof length);
    else if (status == CM_OK && !t->keeps_line)
        status = write_bytes(t, "\n", 1);
    return status;
}

static enum cm_status write_internal(struct cm_fortran_transfer *t)
{
    const uint32_t length = t->internal.length;
    if (t->internal.next >= t->internal.count)
        return cm_fortran_condition(
            t, CM_IO_AT_END, "the internal file has only %" PRIu64 " records", t->internal.count);
    if (t->line.length > length)
        return cm_fortran_condition(t, CM_IO_AT_RECORD_END,
                                    "the record has %zu characters, and the internal file %" PRIu32,
                                    t->line.length, length);
    const struct cm_fortran_text from = {t->line.data, (uint32_t)t->line.length};
    const struct cm_fortran_text to = {t->internal.text.bytes + t->internal.next++ * length,
                                       length};
    cm_fortran_text_fill(&to, &from);
    return CM_OK;
}

enum cm_status cm_fortran_record_write(struct cm_fortran_transfer *t)
{
    struct cm_buffer *standard = standard_of(t);
    enum cm_status status = CM_OK;
    if (standard != NULL) {
        cm_buffer_append(standard, t->line.data != NULL ? t->line.data : "", t->line.length);
        if (!t->keeps_line)
            cm_buffer_append(standard, "\n", 1);
        status = cm_fortran_pass_lines(t->run);
    } else if (t->unit == NULL) {
        status = write_internal(t);
    } else {
        status = t->unit->is_direct ? write_direct(t) : write_sequential(t);
    }
    t->line.length = t->position = 0;
    return status;
}

enum cm_status cm_fortran_record_pass(struct cm_fortran_transfer *t)
{
    struct cm_buffer *standard = standard_of(t);
    enum cm_status status = cm_fortran_record_check(t);
    if (status != CM_OK || standard == NULL || t->line.length < GATHERED_BYTES)
        return status;
    cm_buffer_append(standard, t->line.data, t->line.length);
    t->line.length = t->position = 0;
    return cm_fortran_pass_lines(t->run);
}

/* ---- input ---- */

static enum cm_status at_end(struct cm_fortran_transfer *t)
{
    if (t->unit != NULL)
        t->unit->at_end = true;
    return cm_fortran_condition(t, CM_IO_AT_END, "the end of the file was reached");
}

/* Takes the next character of the standard input. *next is EOF at the end. */
static enum cm_status next_input(struct cm_fortran_transfer *t, int *next)
{
    struct cm_fortran_connection *unit = t->unit;
    const struct cm_fortran_run_options *options = &t->run->options;
    if (unit->ahead_at == unit->ahead.length) {
        size_t got = 0;
        unit->ahead.length = unit->ahead_at = 0;
        if (!cm_buffer_room(&unit->ahead, INPUT_BYTES))
            return cm_fortran_no_memory(t->run);
        enum cm_status status = cm_fortran_pass_output(t->run);
        if (status == CM_OK && options->input != NULL)
            status = options->input(options->input_context, unit->ahead.data, INPUT_BYTES, &got,
                                    t->run->err);
        if (status != CM_OK)
            return status == CM_INTERRUPTED ? cm_fortran_interrupted(t->run) : status;
        unit->ahead.length = got;
    }
    *next = unit->ahead.length > 0 ? (unsigned char)unit->ahead.data[unit->ahead_at++] : EOF;
    return CM_OK;
}

/* Reads a line of a formatted file or of the standard input, without the end of the line. */
static enum cm_status read_line(struct cm_fortran_transfer *t)
{
    int next = EOF;
    bool is_empty = true;
    for (;;) {
        enum cm_status status = CM_OK;
        if (t->unit->file != NULL)
            next = getc(t->unit->file);
        else
            status = next_input(t, &next);
        if (status == CM_OK)
            status = cm_fortran_go_on(t->run);
        if (status != CM_OK)
            return status;
        if (next == EOF && t->unit->file != NULL && ferror(t->unit->file))
            return system_error(t, "read");
        if (next == EOF || next == '\n')
            break;
        is_empty = false;
        cm_buffer_append(&t->line, &(char){(char)next}, 1);
        if (t->line.length > CM_FORTRAN_RECORD_MAX)
            return cm_fortran_condition(t, CM_IO_BAD_VALUE, "a line of the file is too long");
    }
    if (!cm_buffer_ok(&t->line))
        return cm_fortran_no_memory(t->run);
    if (t->line.length > 0 && t->line.data[t->line.length - 1] == '\r')
        t->line.length--;
    return next == EOF && is_empty ? at_end(t) : CM_OK;
}

/* Reads bytes of the file to the record. Sets *got to their number. */
static enum cm_status read_bytes(struct cm_fortran_transfer *t, uint64_t length, size_t *got)
{
    if (length > CM_FORTRAN_RECORD_MAX)
        return cm_fortran_condition(t, CM_IO_DAMAGED, "a record of the file is too long");
    if (!cm_buffer_room(&t->line, (size_t)length))
        return cm_fortran_no_memory(t->run);
    *got = fread(t->line.data, 1, (size_t)length, t->unit->file);
    t->line.length = *got;
    return *got < length && ferror(t->unit->file) ? system_error(t, "read") : CM_OK;
}

static enum cm_status read_direct(struct cm_fortran_transfer *t)
{
    size_t got;
    enum cm_status status = seek_record(t);
    if (status == CM_OK)
        status = read_bytes(t, t->unit->record_bytes, &got);
    if (status == CM_OK && got == 0)
        return cm_fortran_condition(t, CM_IO_BAD_SPECIFIER, "the file has no record %" PRIu64,
                                    t->unit->next_record);
    t->unit->next_record++;
    return status;
}

static enum cm_status read_unformatted(struct cm_fortran_transfer *t)
{
    uint32_t length = 0, again = 0;
    size_t got = fread(&length, 1, sizeof length, t->unit->file);
    if (got == 0 && !ferror(t->unit->file))
        return at_end(t);
    enum cm_status status = CM_OK;
    if (got == sizeof length)
        status = read_bytes(t, length, &got);
    if (status != CM_OK)
        return status;
    if (got != length || fread(&again, 1, sizeof again, t->unit->file) != sizeof again ||
        again != length)
        return cm_fortran_condition(t, CM_IO_DAMAGED,
                                    "unit %" PRId32 " is not at a record of an unformatted file",
                                    t->unit->number);
    return CM_OK;
}

static enum cm_status read_internal(struct cm_fortran_transfer *t)
{
    if (t->internal.next >= t->internal.count)
        return at_end(t);
    cm_buffer_append(&t->line, t->internal.text.bytes + t->internal.next++ * t->internal.length,
                     t->internal.length);
    return cm_buffer_ok(&t->line) ? CM_OK : cm_fortran_no_memory(t->run);
}

enum cm_status cm_fortran_record_read(struct cm_fortran_transfer *t)
{
    struct cm_fortran_connection *unit = t->unit;
    t->line.length = t->position = 0;
    if (unit == NULL)
        return read_internal(t);
    if (unit->is_direct)
        return read_direct(t);
    if (unit->at_end && unit->file != NULL)
        return cm_fortran_condition(t, CM_IO_CONFLICT,
                                    "unit %" PRId32 " is behind its end; REWIND or BACKSPACE it",
                                    unit->number);
    enum cm_status status = unit->file != NULL ? cm_fortran_unit_settle(t, unit) : CM_OK;
    if (status != CM_OK)
        return status;
    return unit->is_unformatted ? read_unformatted(t) : read_line(t);
}

enum cm_status cm_fortran_record_end(struct cm_fortran_transfer *t)
{
    return t->reads ? cm_fortran_record_read(t) : cm_fortran_record_write(t);
}
