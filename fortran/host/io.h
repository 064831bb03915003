/*
 * This header declares the state of a statement of input or output while it is executed, and the
 * functions that its files share.
 *
 *   transfer.c     READ and WRITE: chooses the unit, the items and the form
 *   items.c        walk of the items, for both directions
 *   format.c       walk of a format, for both directions
 *   print_number.c, read_number.c   numbers by edit descriptors
 *   list.c, read_list.c, namelist.c list-directed output and input, NAMELIST
 *   record.c       records of files, of internal files and of the standard streams
 *   units.c        units and their files
 *   open.c         OPEN, CLOSE, INQUIRE, REWIND, BACKSPACE, ENDFILE
 *
 * A function that fails with CM_IO has set the condition (`code` and `message`) of the transfer,
 * which IOSTAT, ERR, END and EOR handle. Other failures end the program. This header is not
 * installed.
 */
#ifndef CM_FORTRAN_IO_H
#define CM_FORTRAN_IO_H

#include "host.h"

#include <inttypes.h>
#include <stdio.h>

/* Codes of conditions, which are the values that gfortran gives IOSTAT. Smaller positive numbers
 * are those of the system (errno). */
enum {
    CM_IO_AT_END = -1,          /* end of the file */
    CM_IO_AT_RECORD_END = -2,   /* end of the record */
    CM_IO_CONFLICT = 5001,      /* the statement does not fit the file */
    CM_IO_BAD_SPECIFIER = 5002, /* a specifier has a wrong value, or is missing */
    CM_IO_IN_USE = 5004,        /* another unit has the file */
    CM_IO_BAD_UNIT = 5005,      /* number of a unit */
    CM_IO_BAD_FORMAT = 5006,    /* the format is wrong, or does not fit the item */
    CM_IO_BAD_ACTION = 5007,    /* the file may not be read, or not be written */
    CM_IO_BAD_VALUE = 5010,     /* a field is not a value of the item's type */
    CM_IO_SHORT_RECORD = 5016,  /* the record has fewer bytes than the items */
    CM_IO_DAMAGED = 5017,       /* the record marks of an unformatted file are wrong */
};

/* Largest number of characters of a record that is read, and number of open units. */
#define CM_FORTRAN_RECORD_MAX (UINT64_C(1) << 28)
#define CM_FORTRAN_UNITS_MAX  200u

/* A unit that is connected to a file, or to a standard stream. */
struct cm_fortran_connection {
    int32_t number;
    FILE *file;  /* file, or NULL for a standard stream */
    char *path;  /* path as the program wrote it, or NULL for a scratch file */
    char *place; /* path of the file on this host, or NULL */
    bool is_direct, is_unformatted, may_read, may_write, blank_zero;
    char quote;            /* quote of texts in list-directed output, or 0 without quotes */
    bool pads;             /* true if a record that is too short is filled with blanks */
    uint64_t record_bytes; /* length of a record of a direct-access file, else 0 */
    uint64_t next_record;
    /* true if the last READ met the end of the file, or a WRITE or ENDFILE made the present place
     * the end */
    bool at_end, has_written;
    /* record that READ with ADVANCE='NO' has read in part, and the place in it */
    struct cm_buffer record;
    size_t at;
    bool is_partial;
    struct cm_buffer ahead; /* bytes of the standard input that are not used yet */
    size_t ahead_at;
};

/* Units of a program, which run->units points to. */
struct cm_fortran_units {
    struct cm_fortran_connection *items[CM_FORTRAN_UNITS_MAX];
    uint32_t count;
};

/* An edit descriptor for a value, such as F8.3. */
struct cm_fortran_edit {
    /* letter of the descriptor: I, F, E, D, G, L, A, Z, O or B, with S for ES and N for EN */
    char letter;
    bool has_width;
    uint32_t width;  /* width in characters, or 0 for as many as the value needs */
    uint32_t digits; /* digits behind the point, or the least number of digits of an integer */
    bool has_digits;
    uint32_t exponent_digits; /* digits of the exponent, or 0 if not given */
    int32_t scale;            /* scale factor that the descriptor P has set */
    bool plus;                /* true after SP: positive numbers have a sign */
    bool blank_zero;          /* true after BZ: blanks in a number that is read are zeros */
};

#define CM_FORTRAN_FORMAT_DEPTH 20u

/* Place in a format while the items of a statement are transferred. */
struct cm_fortran_format {
    const char *at,
        *revert; /* place, and where the format continues if items are left at its end */
    struct {
        const char *inside; /* first character within the parentheses */
        uint32_t left;      /* number of times that the group is still executed, with this time */
    } groups[CM_FORTRAN_FORMAT_DEPTH];
    uint32_t depth;
    struct cm_fortran_edit edit;
    uint32_t pending; /* number of items that `edit` still takes */
    int32_t scale;
    bool plus, blank_zero;
    bool has_taken; /* true if an item was taken since the format began or continued */
};

/* A reader of list-directed input, in the statement's record. */
struct cm_fortran_list_reader {
    struct cm_buffer value; /* characters of the last value */
    uint32_t left;          /* number of further items that have the same value */
    bool is_null, is_text;  /* true for a missing value, and for a text in quotes */
    bool is_ended;          /* true after a slash */
    bool wants_comma;       /* true if a comma may follow the last value in the next record */
    bool is_namelist;       /* true if NAME = ends the values of a NAMELIST */
    bool at_name;           /* true if the values ended so */
};
struct items;  /* transfer.c */
struct object; /* namelist.c */

/* A READ, WRITE or another statement that is being executed. */
struct cm_fortran_transfer {
    struct cm_fortran_run *run;
    const struct cm_fortran_statement *statement;
    const struct cm_fortran_io *io;
    bool reads;
    struct cm_fortran_connection *unit; /* NULL for an internal file */
    /* Internal file: the characters of its records, which have equal lengths. `next` is the number
     * of the record that is read or written next. */
    struct {
        struct cm_fortran_text text;
        uint32_t length;
        uint64_t next, count;
        bool is_copy; /* true if `text` is a copy of an array section, which is stored back */
    } internal;
    /* the record, and the position in it of the next character, from 0 */
    struct cm_buffer line;
    size_t position;
    bool keeps_line;
    bool was_text; /* true if the last item of list-directed output was a text */
    uint64_t item; /* number of the item, from 1 */
    /* number of elements in front of the first one that NAMELIST input names */
    uint64_t skipped;
    struct cm_fortran_format format;
    struct cm_fortran_list_reader *reader;
    struct items *items;   /* items of a WRITE while they are evaluated */
    struct object *object; /* object of a NAMELIST while it is written */
    int32_t size;          /* number of characters that edit descriptors have read */
    int32_t code;          /* condition, or 0 */
    char message[256];
};

/* Sets the condition of a transfer. Returns CM_IO, or CM_NO_MEMORY for the code ENOMEM. */
enum cm_status cm_fortran_condition(struct cm_fortran_transfer *t, int32_t code, const char *format,
                                    ...) CM_PRINTF(3, 4);

/* ---- items.c ---- */

/* A function that takes an item: one scalar value or text. If the transfer reads, the function may
 * change the value, and for a text the characters. */
typedef enum cm_status (*cm_fortran_visit)(struct cm_fortran_transfer *t, uint8_t type,
                                           union cm_fortran_value *value);
/* Passes each value of an expression of the item list to `visit`. If the transfer reads, stores the
 * values back. */
enum cm_status cm_fortran_each_item(struct cm_fortran_transfer *t,
                                    const struct cm_fortran_expression *expression,
                                    cm_fortran_visit visit);

/* ---- format.c ---- */

void cm_fortran_format_begin(struct cm_fortran_format *format, const char *text, bool blank_zero);
/* Executes the format up to the edit descriptor for the next item, and stores the descriptor in
 * format->edit. At the end of the format, a new record begins, and the format is executed again
 * from its last group in parentheses on. */
enum cm_status cm_fortran_format_next(struct cm_fortran_transfer *t,
                                      struct cm_fortran_format *format);
/* Executes the rest of the format behind the last item: up to a descriptor for an item, a colon, or
 * the end. */
enum cm_status cm_fortran_format_end(struct cm_fortran_transfer *t,
                                     struct cm_fortran_format *format);

/* ---- print_number.c, read_number.c ---- */

/* Appends a value to `out`, in the form that an edit descriptor asks for, right-justified in its
 * width. A number that does not fit becomes asterisks. */
void cm_fortran_edit_number(const struct cm_fortran_edit *edit, enum cm_type type,
                            const union cm_fortran_value *value, struct cm_buffer *out);
/* Appends a real number to `out` in the form of list-directed output. It is right-justified in the
 * usual width if `in_width` is true. `is_wide` is true for 64-bit numbers. */
void cm_fortran_list_real(bool is_wide, double value, bool in_width, struct cm_buffer *out);
/* Reads a value other than a text from the next field of the record. */
enum cm_status cm_fortran_read_field(struct cm_fortran_transfer *t,
                                     const struct cm_fortran_edit *edit, enum cm_type type,
                                     union cm_fortran_value *value);
/* These functions read a number, without blanks around it, from the whole of a text. They return
 * false for another text. */
bool cm_fortran_read_integer(const char *text, size_t length, int32_t *value);
bool cm_fortran_read_real(const char *text, size_t length, double *value);
bool cm_fortran_read_logical(const char *text, size_t length, uint8_t *value);

/* ---- list.c, read_list.c, namelist.c ---- */

/* Appends an item to the record in the list-directed form of gfortran. */
enum cm_status cm_fortran_list_write(struct cm_fortran_transfer *t, uint8_t type,
                                     union cm_fortran_value *value);
/* Appends a value as NAMELIST writes it. */
void cm_fortran_list_put(uint8_t type, const union cm_fortran_value *value, bool is_quoted,
                         struct cm_buffer *text);

/* Reads the next value, and converts it to the type of an item. A missing value leaves the item
 * unchanged. */
enum cm_status cm_fortran_list_read(struct cm_fortran_transfer *t,
                                    struct cm_fortran_list_reader *reader, uint8_t type,
                                    union cm_fortran_value *value);
/* Moves to the next character that is not a blank, also in later records. */
enum cm_status cm_fortran_skip_blanks(struct cm_fortran_transfer *t);
/* Returns the character at the position of the record, or '\n' behind its last one. */
char cm_fortran_peek(const struct cm_fortran_transfer *t);

enum cm_status cm_fortran_namelist_write(struct cm_fortran_transfer *t);
enum cm_status cm_fortran_namelist_read(struct cm_fortran_transfer *t);

/* ---- record.c ---- */

/* Writes text at the current position of the record, over characters that are there. Fills a gap
 * before the text with blanks. */
enum cm_status cm_fortran_put(struct cm_fortran_transfer *t, const char *text, size_t length);
/* Reads the next record of the unit. */
enum cm_status cm_fortran_record_read(struct cm_fortran_transfer *t);
/* Writes the record to the unit, and begins a new one. */
enum cm_status cm_fortran_record_write(struct cm_fortran_transfer *t);
/* Ends the record, in the direction of the transfer: writes it, or reads the next one. */
enum cm_status cm_fortran_record_end(struct cm_fortran_transfer *t);
/* Writes the first part of a long record to a standard stream, so that the record takes little
 * memory. */
enum cm_status cm_fortran_record_pass(struct cm_fortran_transfer *t);
/* Fails if the statement has written too much, or if the program was interrupted. */
enum cm_status cm_fortran_record_check(struct cm_fortran_transfer *t);

/* ---- open.c ---- */

/* Evaluates a specifier that is one of `count` words. Sets *choice to the number of the word, or to
 * 0 if the specifier is absent. CHOOSE takes the words as further arguments. */
enum cm_status cm_fortran_choose(struct cm_fortran_transfer *t, enum cm_io_specifier specifier,
                                 const char *const *words, uint32_t count, uint32_t *choice);
#define CHOOSE(t, specifier, choice, ...)                                                          \
    cm_fortran_choose(t, specifier, (const char *const[]){__VA_ARGS__},                            \
                      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), choice)

/* ---- units.c ---- */

/* Returns the connection of a unit, or NULL. */
struct cm_fortran_connection *cm_fortran_unit_find(struct cm_fortran_run *run, int32_t number);
/* Finds the connection of a unit. If unit N is not connected, connects it to the file fort.N. */
enum cm_status cm_fortran_unit_need(struct cm_fortran_transfer *t, int32_t number,
                                    struct cm_fortran_connection **unit);
/* Adds a connection without a file, whose members are those of a file that was just opened. */
enum cm_status cm_fortran_unit_add(struct cm_fortran_transfer *t, int32_t number,
                                   struct cm_fortran_connection **unit);
/* Ways to open a file. */
enum cm_fortran_opening { CM_OPEN_OLD, CM_OPEN_NEW, CM_OPEN_REPLACE, CM_OPEN_UNKNOWN };
/* Opens the file unit->path, after a check that the program may use it. */
enum cm_status cm_fortran_unit_open(struct cm_fortran_transfer *t,
                                    struct cm_fortran_connection *unit,
                                    enum cm_fortran_opening how);
/* Returns the path on this host of a file that the program names, as a new string. Returns NULL if
 * memory is exhausted. */
char *cm_fortran_unit_place(const struct cm_fortran_run *run, const char *path);
/* Fails if the program may not use a file. */
enum cm_status cm_fortran_unit_guard(struct cm_fortran_transfer *t, const char *path,
                                     const char *place);
/* Ends a connection. Deletes its file if `deletes` is true. */
enum cm_status cm_fortran_unit_close(struct cm_fortran_transfer *t,
                                     struct cm_fortran_connection *unit, bool deletes);
/* Ends a file at the present place, before a REWIND or a CLOSE, if the last transfer wrote. */
enum cm_status cm_fortran_unit_settle(struct cm_fortran_transfer *t,
                                      struct cm_fortran_connection *unit);

/* ---- open.c ---- */

/* Executes a statement other than READ and WRITE. */
enum cm_status cm_fortran_file_statement(struct cm_fortran_transfer *t);

#endif
