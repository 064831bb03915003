/* What the program prints, with every failure to print noticed. */
#include "../base/file.h"
#include "../base/input.h"
#include "../base/text.h"
#include "shell.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX_BYTES (16u * 1024u * 1024u) /* of a text whose line is shown */

/* Faults of a running IMP know their line, but not its text. */
static void add_source(struct cm_error *err)
{
    char *text = NULL;
    size_t length = 0;
    if (err->file[0] == '\0' || err->line == 0 || err->source[0] != '\0' ||
        cm_file_read_stored(err->file, SOURCE_MAX_BYTES, &text, &length, NULL) != CM_OK)
        return;
    cm_error_source(err, text, length);
    size_t blanks = strspn(err->source, " \t");
    if (err->column == 0 && err->source[blanks] != '\0') {
        err->column = (uint32_t)blanks + 1;
        err->caret = (uint32_t)blanks;
    }
    free(text);
}

static void begin_message(const char *command)
{
    fprintf(stderr, "%s%s%s: ", cli_program_name, command != NULL ? " " : "",
            command != NULL ? command : "");
}

static void hint_help(const char *command)
{
    fprintf(stderr, "hint: %s %s%s--help shows what there is\n", cli_program_name,
            command != NULL ? command : "", command != NULL ? " " : "");
}

static int show_error(const char *command, const struct cm_error *err)
{
    char text[3072];
    struct cm_error shown = *err;
    add_source(&shown);
    cm_error_format(&shown, text, sizeof text);
    size_t length = strlen(text);
    if (err->file[0] == '\0')
        begin_message(command);
    fprintf(stderr, "%s%s", text, length > 0 && text[length - 1] == '\n' ? "" : "\n");
    return err->status == CM_INTERRUPTED ? cli_interrupt_code() : cm_status_exit_code(err->status);
}

int cli_error(const struct cm_error *err)
{
    return show_error(NULL, err);
}

struct cli_shown cli_shown(const char *text)
{
    struct cli_shown shown;
    cm_text_clean(shown.text, sizeof shown.text, text, strlen(text));
    return shown;
}

int cli_no_memory(void)
{
    struct cm_error err;
    cm_error_no_memory(&err);
    return cli_error(&err);
}

int cli_refuse(const char *command, const struct cm_error *err)
{
    int code = show_error(command, err);
    if (err->hint[0] == '\0' && err->status == CM_USAGE)
        hint_help(command);
    return code;
}

int cli_usage(const char *command, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    begin_message(command);
    fprintf(stderr, "%s\n", cli_shown(message).text);
    hint_help(command);
    return cm_status_exit_code(CM_USAGE);
}

void cli_add_foreign(struct cm_buffer *text, const char *bytes, size_t length)
{
    if (isatty(STDOUT_FILENO))
        cm_text_clean_lines(text, bytes, length);
    else
        cm_buffer_append(text, bytes, length);
}

/* Returns the length of the style code at `text`, or 0. A code of report/style.h is ESC [ DIGIT m.
 */
static size_t style_code(const char *text)
{
    return text[0] == '\033' && text[1] == '[' && text[2] >= '0' && text[2] <= '9' && text[3] == 'm'
               ? 4
               : 0;
}

/* Adds `text` as a terminal may get it: control characters are escaped, except those of a style. */
static void clean(const struct cm_buffer *text, struct cm_buffer *shown)
{
    for (size_t at = 0, next; at < text->length; at = next) {
        size_t code = style_code(text->data + at);
        next = at + (code > 0 ? code : 1);
        while (code == 0 && next < text->length && text->data[next] != '\033')
            next++;
        if (code > 0)
            cm_buffer_append(shown, text->data + at, code);
        else
            cm_text_clean_lines(shown, text->data + at, next - at);
    }
}

static enum cm_status write_standard(const struct cm_buffer *text, struct cm_error *err)
{
    for (size_t at = 0; at < text->length;) {
        ssize_t n = write(STDOUT_FILENO, text->data + at, text->length - at);
        bool cut = n < 0 ? errno == EINTR : (size_t)n < text->length - at;
        if (cut && cli_interrupt_waits()) /* whoever reads may never go on */
            return cm_error_set(err, CM_INTERRUPTED, "interrupted");
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* a device that takes nothing would keep us here for ever */
            return cm_error_set(err, CM_IO, "standard output: %s", strerror(n < 0 ? errno : EIO));
        at += (size_t)n;
    }
    return CM_OK;
}

/* Writes to the standard output. A terminal gets no control characters of files from others, while
 * a file or a pipe gets the bytes as they are. */
static enum cm_status show(const struct cm_buffer *text, struct cm_error *err)
{
    struct cm_buffer shown;
    if (!isatty(STDOUT_FILENO)) {
        errno = 0; /* isatty has set it */
        return write_standard(text, err);
    }
    cm_buffer_init(&shown);
    clean(text, &shown);
    enum cm_status status =
        cm_buffer_ok(&shown) ? write_standard(&shown, err) : cm_error_no_memory(err);
    cm_buffer_finish(&shown);
    return status;
}

static enum cm_status write_file(const char *path, const struct cm_buffer *text,
                                 struct cm_error *err)
{
    cli_interrupt_hold(true);
    enum cm_status status = cm_file_write(path, text->data, text->length, err);
    cli_interrupt_hold(false);
    return status;
}

int cli_write(const char *path, const struct cm_buffer *text)
{
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    errno = 0;
    if (!cm_buffer_ok(text))
        status = cm_error_no_memory(&err);
    else if (cli_names_file(path))
        status = write_file(path, text, &err);
    else
        status = show(text, &err);
    /* Whoever read the pipe has seen enough; to say so would be noise. */
    if (status == CM_IO && errno == EPIPE && !cli_names_file(path))
        return cm_status_exit_code(CM_IO);
    return status == CM_OK ? 0 : cli_error(&err);
}

int cli_deliver(const char *path, struct cm_buffer *text, enum cm_status status,
                const struct cm_error *err)
{
    int code = status == CM_OK ? cli_write(path, text) : cli_error(err);
    cm_buffer_finish(text);
    return code;
}

int cli_first_of(int code, int next)
{
    return code != 0 ? code : next;
}
