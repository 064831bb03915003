/* Executes OPEN, CLOSE, INQUIRE, REWIND, BACKSPACE and ENDFILE. */
#include "../../base/file.h"
#include "io.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define WORD_BYTES 24u

/* Evaluates a specifier with a word, such as STATUS='OLD', without blanks at its end and in upper
 * case. `word` is "" if the specifier is absent. */
static enum cm_status word_of(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                              char word[WORD_BYTES])
{
    struct cm_fortran_text text = {0};
    size_t length = 0;
    word[0] = '\0';
    if (t->io->values[specifier] == NULL)
        return CM_OK;
    enum cm_status status = cm_fortran_text_copy(t->run, t->io->values[specifier], &text);
    if (status != CM_OK)
        return status;
    for (; length < text.length && length < WORD_BYTES - 1; length++)
        word[length] = (char)toupper((unsigned char)text.bytes[length]);
    while (length > 0 && word[length - 1] == ' ')
        length--;
    word[length] = '\0';
    free(text.bytes);
    return CM_OK;
}

enum cm_status cm_fortran_choose(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                                 const char *const *words, uint32_t count, uint32_t *choice)
{
    char word[WORD_BYTES];
    enum cm_status status = word_of(t, specifier, word);
    *choice = 0;
    if (status != CM_OK || word[0] == '\0')
        return status;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) {
            *choice = i;
            return CM_OK;
        }
    return cm_fortran_condition(t, CM_IO_BAD_SPECIFIER,
                                "'%s' is not a value of this specifier; "
                                "'%s' is one",
                                word, words[0]);
}

static enum cm_status unit_number(struct cm_fortran_transfer *t, int32_t *number)
{
    int64_t value;
    enum cm_status status = cm_fortran_integer(t->run, t->io->unit, &value);
    *number = (int32_t)value;
    return status;
}

/* Evaluates FILE= without the blanks at its end, as a new string. */
static enum cm_status file_name(struct cm_fortran_transfer *t, char **name)
{
    struct cm_fortran_text text = {0};
    *name = NULL;
    if (t->io->values[CM_IO_FILE] == NULL)
        return CM_OK;
    enum cm_status status = cm_fortran_text_copy(t->run, t->io->values[CM_IO_FILE], &text);
    if (status != CM_OK)
        return status;
    while (text.length > 0 && text.bytes[text.length - 1] == ' ')
        text.length--;
    *name = strndup(text.bytes, text.length);
    free(text.bytes);
    return *name != NULL ? CM_OK : cm_fortran_no_memory(t->run);
}

/* ---- OPEN ---- */

/* Values of an OPEN statement that are not properties of the connection. */
struct opening {
    uint32_t status; /* 0: UNKNOWN, OLD, NEW, SCRATCH, REPLACE */
    bool appends;
    char *name; /* FILE=, or NULL */
};

static enum cm_status read_record_length(struct cm_fortran_transfer *t,
                                         struct cm_fortran_connection *unit)
{
    int64_t length = 0;
    if (t->io->values[CM_IO_RECL] == NULL)
        return unit->is_direct
                   ? cm_fortran_condition(t, CM_IO_BAD_SPECIFIER, "ACCESS='DIRECT' needs RECL=")
                   : CM_OK;
    enum cm_status status = cm_fortran_integer(t->run, t->io->values[CM_IO_RECL], &length);
    if (status == CM_OK && (length < 1 || length > (int64_t)CM_FORTRAN_RECORD_MAX))
        return cm_fortran_condition(t, CM_IO_BAD_SPECIFIER, "RECL is %" PRId64, length);
    unit->record_bytes = unit->is_direct ? (uint64_t)length : 0;
    return status;
}

static enum cm_status read_properties(struct cm_fortran_transfer *t, struct opening *opening,
                                      struct cm_fortran_connection *unit)
{
    uint32_t access, form, action = 0, blank = 0, delim = 0, pad = 0, position = 0, control;
    enum cm_status status =
        CHOOSE(t, CM_IO_STATUS, &opening->status, "UNKNOWN", "OLD", "NEW", "SCRATCH", "REPLACE");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_ACCESS, &access, "SEQUENTIAL", "DIRECT", "APPEND");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_FORM, &form, "FORMATTED", "UNFORMATTED");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_ACTION, &action, "READWRITE", "READ", "WRITE");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_BLANK, &blank, "NULL", "ZERO");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_DELIM, &delim, "NONE", "APOSTROPHE", "QUOTE");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_PAD, &pad, "YES", "NO");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_POSITION, &position, "ASIS", "REWIND", "APPEND");
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_CARRIAGECONTROL, &control, "LIST", "FORTRAN", "NONE");
    if (status != CM_OK)
        return status;
    unit->is_direct = access == 1;
    unit->is_unformatted = t->io->values[CM_IO_FORM] != NULL ? form == 1 : unit->is_direct;
    unit->may_read = action != 2;
    unit->may_write = action != 1;
    unit->blank_zero = blank == 1;
    unit->quote = "\0'\""[delim];
    unit->pads = pad == 0;
    opening->appends = access == 2 || position == 2;
    return read_record_length(t, unit);
}

/* Returns true if an OPEN names the file that the unit already has, or no file. The OPEN then only
 * changes properties of the connection. */
static bool is_reopening(struct cm_fortran_transfer *t, const struct cm_fortran_connection *unit,
                         const struct opening *opening)
{
    bool is_same = false;
    if (unit == NULL || (unit->file == NULL && opening->name != NULL))
        return false;
    if (opening->name == NULL)
        return opening->status != 3;
    char *place = cm_fortran_unit_place(t->run, opening->name);
    if (place != NULL && unit->place != NULL)
        (void)cm_file_same(place, unit->place, &is_same, NULL);
    free(place);
    return is_same;
}

static enum cm_status connect(struct cm_fortran_transfer *t, int32_t number,
                              struct opening *opening, const struct cm_fortran_connection *wanted)
{
    static const enum cm_fortran_opening ways[] = {CM_OPEN_UNKNOWN, CM_OPEN_OLD, CM_OPEN_NEW,
                                                   CM_OPEN_UNKNOWN, CM_OPEN_REPLACE};
    struct cm_fortran_connection *unit;
    char name[32];
    enum cm_status status = cm_fortran_unit_add(t, number, &unit);
    if (status != CM_OK)
        return status;
    const struct cm_fortran_connection kept = *unit;
    *unit = *wanted;
    unit->number = kept.number;
    unit->next_record = kept.next_record;
    snprintf(name, sizeof name, "fort.%" PRId32, number);
    if (opening->status != 3) {
        unit->path = opening->name != NULL ? opening->name : strdup(name);
        opening->name = NULL;
        if (unit->path == NULL)
            status = cm_fortran_no_memory(t->run);
    }
    if (status == CM_OK)
        status = cm_fortran_unit_open(t, unit, ways[opening->status]);
    if (status == CM_OK && opening->appends && fseeko(unit->file, 0, SEEK_END) != 0)
        status = cm_fortran_condition(t, errno, "cannot position unit %" PRId32, number);
    if (status != CM_OK) {
        int32_t code = t->code;
        (void)cm_fortran_unit_close(t, unit, false);
        t->code = code;
    }
    return status;
}

static enum cm_status open_unit(struct cm_fortran_transfer *t)
{
    int32_t number;
    struct opening opening = {0};
    struct cm_fortran_connection wanted = {0};
    enum cm_status status = unit_number(t, &number);
    if (status == CM_OK)
        status = read_properties(t, &opening, &wanted);
    if (status == CM_OK)
        status = file_name(t, &opening.name);
    if (status == CM_OK && opening.status == 3 && opening.name != NULL)
        status = cm_fortran_condition(t, CM_IO_BAD_SPECIFIER, "a scratch file has no name");
    if (status != CM_OK) {
        free(opening.name);
        return status;
    }
    struct cm_fortran_connection *unit = cm_fortran_unit_find(t->run, number);
    if (is_reopening(t, unit, &opening)) {
        unit->blank_zero = wanted.blank_zero;
        unit->quote = wanted.quote;
        unit->pads = wanted.pads;
    } else {
        if (unit != NULL)
            status = cm_fortran_unit_close(t, unit, false);
        if (status == CM_OK)
            status = connect(t, number, &opening, &wanted);
    }
    free(opening.name);
    return status;
}

/* ---- CLOSE and positions ---- */

static enum cm_status close_unit(struct cm_fortran_transfer *t)
{
    int32_t number;
    uint32_t how;
    enum cm_status status = unit_number(t, &number);
    if (status == CM_OK)
        status = CHOOSE(t, CM_IO_STATUS, &how, "KEEP", "DELETE", "SAVE");
    struct cm_fortran_connection *unit =
        status == CM_OK ? cm_fortran_unit_find(t->run, number) : NULL;
    return unit != NULL ? cm_fortran_unit_close(t, unit, how == 1) : status;
}

/* Moves back in front of the formatted record before the present place. */
static bool step_back_line(FILE *file)
{
    off_t at = ftello(file) - 1;
    int c = '\0';
    while (at > 0 && (fseeko(file, at - 1, SEEK_SET) == 0) && (c = getc(file)) != '\n' && c != EOF)
        at--;
    return fseeko(file, at > 0 ? at : 0, SEEK_SET) == 0;
}

/* Moves back in front of the unformatted record before the present place. */
static bool step_back_record(FILE *file)
{
    uint32_t length = 0;
    off_t at = ftello(file);
    if (at < 4)
        return fseeko(file, 0, SEEK_SET) == 0;
    if (fseeko(file, at - 4, SEEK_SET) != 0 || fread(&length, 1, 4, file) != 4 ||
        (off_t)length + 8 > at)
        return false;
    return fseeko(file, at - 8 - (off_t)length, SEEK_SET) == 0;
}

static enum cm_status backspace(struct cm_fortran_transfer *t, struct cm_fortran_connection *unit)
{
    enum cm_status status = cm_fortran_unit_settle(t, unit);
    if (status != CM_OK)
        return status;
    /* the end of the file counts as a record, if a READ or an ENDFILE has passed it */
    bool was_at_end = unit->at_end;
    unit->at_end = unit->is_partial = false;
    if (was_at_end)
        return CM_OK;
    errno = 0;
    bool is_good = unit->is_unformatted ? step_back_record(unit->file) : step_back_line(unit->file);
    return is_good ? CM_OK
                   : cm_fortran_condition(t, CM_IO_DAMAGED, "cannot go back in unit %" PRId32,
                                          unit->number);
}

static enum cm_status position_unit(struct cm_fortran_transfer *t)
{
    int32_t number;
    struct cm_fortran_connection *unit;
    enum cm_status status = unit_number(t, &number);
    if (status == CM_OK)
        status = cm_fortran_unit_need(t, number, &unit);
    if (status != CM_OK || unit->file == NULL)
        return status;
    if (unit->is_direct)
        return cm_fortran_condition(t, CM_IO_CONFLICT, "unit %" PRId32 " has direct access",
                                    number);
    if (t->io->statement == CM_IO_BACKSPACE)
        return backspace(t, unit);
    if (t->io->statement == CM_IO_ENDFILE) {
        if (!unit->may_write)
            return cm_fortran_condition(t, CM_IO_BAD_ACTION, "unit %" PRId32 " is read only",
                                        number);
        unit->has_written = true;
    }
    status = cm_fortran_unit_settle(t, unit);
    unit->is_partial = false;
    unit->at_end = t->io->statement == CM_IO_ENDFILE;
    if (status == CM_OK && t->io->statement == CM_IO_REWIND)
        rewind(unit->file);
    return status;
}

/* ---- INQUIRE ---- */

static enum cm_status give_text(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                                const char *text)
{
    const struct cm_fortran_expression *target = t->io->values[specifier];
    const struct cm_fortran_text from = {(char *)text, text != NULL ? (uint32_t)strlen(text) : 0};
    struct cm_fortran_text to;
    if (target == NULL || text == NULL)
        return CM_OK;
    enum cm_status status = cm_fortran_text_place(t->run, target, &to);
    if (status == CM_OK)
        cm_fortran_text_fill(&to, &from);
    return status;
}

static enum cm_status give_value(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                                 union cm_fortran_value value)
{
    const struct cm_fortran_expression *target = t->io->values[specifier];
    return target != NULL ? cm_fortran_assign_scalar(t->run, target, &value) : CM_OK;
}

static enum cm_status give_logical(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                                   bool value)
{
    return give_value(t, specifier, (union cm_fortran_value){.logical = value});
}

static enum cm_status give_integer(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                                   int32_t value)
{
    return give_value(t, specifier, (union cm_fortran_value){.integer = value});
}

/* Finds the connection and the existence of what INQUIRE asks about. */
static enum cm_status find_inquired(struct cm_fortran_transfer *t, char *name,
                                    struct cm_fortran_connection **unit, bool *exists)
{
    struct stat about;
    int32_t number;
    *unit = NULL;
    if (name == NULL) {
        enum cm_status status = unit_number(t, &number);
        if (status == CM_OK)
            *unit = cm_fortran_unit_find(t->run, number);
        *exists = status == CM_OK && number >= 0;
        return status;
    }
    char *place = cm_fortran_unit_place(t->run, name);
    if (place == NULL)
        return cm_fortran_no_memory(t->run);
    enum cm_status status = cm_fortran_unit_guard(t, name, place);
    *exists = status == CM_OK && stat(place, &about) == 0;
    (void)cm_fortran_unit_find(t->run, 0);
    for (uint32_t i = 0; status == CM_OK && t->run->units != NULL && i < t->run->units->count;
         i++) {
        bool is_same = false;
        struct cm_fortran_connection *other = t->run->units->items[i];
        if (other->place != NULL)
            status = cm_file_same(other->place, place, &is_same, t->run->err);
        *unit = is_same ? other : *unit;
    }
    free(place);
    return status;
}

/* Answers the questions about the form and the use of a connection, which may be NULL. */
static enum cm_status answer_properties(struct cm_fortran_transfer *t,
                                        const struct cm_fortran_connection *unit)
{
    const bool opened = unit != NULL;
    const struct {
        enum cm_io_specifier specifier;
        const char *answer;
    } answers[] = {
        {CM_IO_ACCESS, !opened           ? "UNDEFINED"
                       : unit->is_direct ? "DIRECT"
                                         : "SEQUENTIAL"},
        {CM_IO_FORM, !opened                ? "UNDEFINED"
                     : unit->is_unformatted ? "UNFORMATTED"
                                            : "FORMATTED"},
        {CM_IO_SEQUENTIAL, !opened           ? "UNKNOWN"
                           : unit->is_direct ? "NO"
                                             : "YES"},
        {CM_IO_DIRECT, !opened           ? "UNKNOWN"
                       : unit->is_direct ? "YES"
                                         : "NO"},
        {CM_IO_FORMATTED, !opened                ? "UNKNOWN"
                          : unit->is_unformatted ? "NO"
                                                 : "YES"},
        {CM_IO_UNFORMATTED, !opened                ? "UNKNOWN"
                            : unit->is_unformatted ? "YES"
                                                   : "NO"},
        {CM_IO_CAN_READ, !opened          ? "UNKNOWN"
                         : unit->may_read ? "YES"
                                          : "NO"},
        {CM_IO_CAN_WRITE, !opened           ? "UNKNOWN"
                          : unit->may_write ? "YES"
                                            : "NO"},
        {CM_IO_CAN_READWRITE, !opened                             ? "UNKNOWN"
                              : unit->may_read && unit->may_write ? "YES"
                                                                  : "NO"},
        {CM_IO_ACTION, !opened           ? "UNDEFINED"
                       : !unit->may_read ? "WRITE"
                       : unit->may_write ? "READWRITE"
                                         : "READ"},
        {CM_IO_BLANK, !opened            ? "UNDEFINED"
                      : unit->blank_zero ? "ZERO"
                                         : "NULL"},
        {CM_IO_DELIM, !opened               ? "UNDEFINED"
                      : unit->quote == '\0' ? "NONE"
                      : unit->quote == '"'  ? "QUOTE"
                                            : "APOSTROPHE"},
        {CM_IO_PAD, !opened || unit->pads ? "YES" : "NO"},
        {CM_IO_POSITION, !opened        ? "UNDEFINED"
                         : unit->at_end ? "APPEND"
                                        : "ASIS"},
    };
    enum cm_status status = CM_OK;
    for (size_t i = 0; status == CM_OK && i < sizeof answers / sizeof answers[0]; i++)
        status = give_text(t, answers[i].specifier, answers[i].answer);
    return status;
}

static enum cm_status inquire(struct cm_fortran_transfer *t)
{
    char *name;
    bool exists = false;
    struct cm_fortran_connection *unit = NULL;
    enum cm_status status = file_name(t, &name);
    if (status == CM_OK)
        status = find_inquired(t, name, &unit, &exists);
    if (status == CM_OK)
        status = give_logical(t, CM_IO_EXIST, exists);
    if (status == CM_OK)
        status = give_logical(t, CM_IO_OPENED, unit != NULL);
    if (status == CM_OK)
        status = give_logical(t, CM_IO_NAMED, name != NULL || (unit != NULL && unit->path != NULL));
    if (status == CM_OK)
        status = give_integer(t, CM_IO_NUMBER, unit != NULL ? unit->number : -1);
    if (status == CM_OK)
        status = give_text(t, CM_IO_NAME, name != NULL ? name : unit != NULL ? unit->path : NULL);
    if (status == CM_OK && unit != NULL && unit->is_direct) {
        status = give_integer(t, CM_IO_RECL, (int32_t)unit->record_bytes);
        if (status == CM_OK)
            status = give_integer(t, CM_IO_NEXTREC, (int32_t)unit->next_record);
    }
    if (status == CM_OK)
        status = answer_properties(t, unit);
    free(name);
    return status;
}

enum cm_status cm_fortran_file_statement(struct cm_fortran_transfer *t)
{
    switch (t->io->statement) {
    case CM_IO_OPEN:
        return open_unit(t);
    case CM_IO_CLOSE:
        return close_unit(t);
    case CM_IO_INQUIRE:
        return inquire(t);
    default:
        return position_unit(t);
    }
}
