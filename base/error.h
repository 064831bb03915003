/*
 * Errors, and the main header of base/.
 *
 * Errors are values. A function that can fail returns enum cm_status. If the caller gave a struct
 * cm_error, the function fills it with the place, the message and a hint. The library never prints
 * or exits.
 *
 * The room base/ has what the other rooms need and C lacks. It knows nothing of the machine, and it
 * includes no other room.
 *
 *     error, text, suggest, wrap, markup   messages and text for people
 *     buffer, list, huge                   memory that grows, large areas
 *     file, input, output                  files, read whole, written whole or not at all
 *     json*, reader                        strict JSON with positions, read key by key
 *     npy, npy_parts                       arrays of NumPy
 *     crc32, sha256, random                checksums, random numbers
 *     processes                            exchanges between processes
 *     export, page, version                build: visible symbols, web page, release
 */
#ifndef CM_BASE_ERROR_H
#define CM_BASE_ERROR_H

#include "export.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status of a call. */
enum cm_status {
    CM_OK = 0,
    /* a check found wrong data, or an error of a validation exceeds its bound (exit 1) */
    CM_CHECK_FAILED,
    CM_USAGE,       /* the command line is wrong (exit 2) */
    CM_BAD_INPUT,   /* a machine, workload, program or data file is bad (exit 3) */
    CM_FAULT,       /* the simulated program made a fault, not the simulator (exit 3) */
    CM_IO,          /* reading or writing failed (exit 4) */
    CM_NO_MEMORY,   /* the host refused memory (exit 5) */
    CM_INTERNAL,    /* the simulator has found a mistake of its own (exit 5) */
    CM_INTERRUPTED, /* the user asked to stop (exit 130) */
};

/* Description of a failure: what, where, and what to do. Each text ends with NUL and is cut to fit
 * its array. */
struct cm_error {
    enum cm_status status; /* CM_OK: no failure */
    char file[512];        /* name of the file. "": no file */
    uint32_t line;         /* number of the line, from 1. 0: not known */
    uint32_t column;       /* number of the byte in the line, from 1 */
    char message[768];     /* one sentence, no trailing full stop or newline */
    char hint[384];        /* advice. "": no advice */
    char source[256];      /* source line, cut to the text around the column. "": no line */
    uint32_t caret;        /* offset of the caret in `source`, in characters */
};

/* Returns the process exit code of a status, as `cm200 --help` lists them. */
CM_API int cm_status_exit_code(enum cm_status status);

/* Fills *err (which may be NULL) with a status and a message without position. Returns the status.
 */
CM_API enum cm_status cm_error_set(struct cm_error *err, enum cm_status status, const char *format,
                                   ...) CM_PRINTF(3, 4);

/* Reports that the host refused memory. Returns CM_NO_MEMORY. */
CM_API enum cm_status cm_error_no_memory(struct cm_error *err);

/* Fills *err with CM_BAD_INPUT, a formatted message, and `hint` as advice, which is copied
 * unformatted. Returns CM_BAD_INPUT. */
CM_API enum cm_status cm_error_refuse(struct cm_error *err, const char *hint, const char *format,
                                      ...) CM_PRINTF(3, 4);

/* Fills *err like cm_error_set, and with the place of the failure. `line` and `column` count from
 * 1, and 0 means unknown. */
CM_API enum cm_status cm_error_at(struct cm_error *err, enum cm_status status, const char *file,
                                  uint32_t line, uint32_t column, const char *format, ...)
    CM_PRINTF(6, 7);

/* Sets the hint of an error that is already filled. Returns err->status. If err is NULL, it returns
 * CM_INTERNAL. */
CM_API enum cm_status cm_error_hint(struct cm_error *err, const char *format, ...) CM_PRINTF(2, 3);

/* Copies line err->line of `text` into err->source and places the caret at err->column. */
CM_API void cm_error_source(struct cm_error *err, const char *text, size_t length);

/*
 * Writes the error for people: "file:line:column: message", the source line, a caret, "hint: ...",
 * each line ended by a newline. All fields are printable, because the functions above escape
 * control characters. Like snprintf it always terminates the text (size > 0) and returns the length
 * that the whole text needs.
 */
CM_API size_t cm_error_format(const struct cm_error *err, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
