/* Prints messages, and writes files and the standard output. Every failure to write becomes an exit
 * code. */
#include "../base/file.h"
#include "../base/input.h"
#include "../base/text.h"
#include "shell.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* largest file, in bytes, of which an error shows the source line */
#define SOURCE_MAX_BYTES (16u * 1024u * 1024u)

/* Largest number of bytes of one write. It is PIPE_BUF of Linux: a pipe that is ready takes this
 * many bytes without blocking. */
#define PIECE_BYTES       ((size_t)4096)
#define LOOK_MILLISECONDS 100 /* milliseconds between two checks whether a signal has come */

/* Adds the text of the source line to an error that has only the number of the line. Faults of a
 * running IMP are such errors. */
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
    fprintf(stderr, "%s%s%s: ", shell_program_name, command != NULL ? " " : "",
            command != NULL ? command : "");
}

static void hint_help(const char *command)
{
    fprintf(stderr, "hint: %s %s%s--help shows what there is\n", shell_program_name,
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
    return err->status == CM_INTERRUPTED ? shell_interrupt_code()
                                         : cm_status_exit_code(err->status);
}

int shell_error(const struct cm_error *err)
{
    return show_error(NULL, err);
}

struct shell_shown shell_shown(const char *text)
{
    struct shell_shown shown;
    cm_text_clean(shown.text, sizeof shown.text, text, strlen(text));
    return shown;
}

int shell_no_memory(void)
{
    struct cm_error err;
    cm_error_no_memory(&err);
    return shell_error(&err);
}

int shell_refuse(const char *command, const struct cm_error *err)
{
    int code = show_error(command, err);
    if (err->hint[0] == '\0' && err->status == CM_USAGE)
        hint_help(command);
    return code;
}

int shell_usage(const char *command, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    begin_message(command);
    fprintf(stderr, "%s\n", shell_shown(message).text);
    hint_help(command);
    return cm_status_exit_code(CM_USAGE);
}

void shell_add_foreign(struct cm_buffer *text, const char *bytes, size_t length)
{
    if (isatty(STDOUT_FILENO))
        cm_text_clean_lines(text, bytes, length);
    else
        cm_buffer_append(text, bytes, length);
}

void shell_complain(const char *bytes, size_t length)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    if (isatty(STDERR_FILENO))
        cm_text_clean_lines(&text, bytes, length);
    else
        cm_buffer_append(&text, bytes, length);
    if (cm_buffer_ok(&text) && text.length > 0)
        fwrite(text.data, 1, text.length, stderr);
    cm_buffer_finish(&text);
}

/* Returns the length of the style code at the beginning of `text`, or 0 if the text begins
 * differently. A style code (report/style.h) is ESC [ DIGIT m. */
static size_t style_code(const char *text)
{
    return text[0] == '\033' && text[1] == '[' && text[2] >= '0' && text[2] <= '9' && text[3] == 'm'
               ? 4
               : 0;
}

/* Appends `text` to `shown` in a form that is safe for a terminal: control characters are escaped,
 * except those of style codes. */
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

/* Waits until the standard output can take bytes. Fails if a signal comes in the meantime, because
 * the reader of a pipe may never read again. */
static enum cm_status wait_for_reader(struct cm_error *err)
{
    struct pollfd standard = {.fd = STDOUT_FILENO, .events = POLLOUT};
    while (poll(&standard, 1, LOOK_MILLISECONDS) <= 0)
        if (shell_interrupt_came())
            return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    return CM_OK;
}

static enum cm_status write_standard(const struct cm_buffer *text, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (size_t at = 0; at < text->length && status == CM_OK;) {
        size_t left = text->length - at;
        status = wait_for_reader(err);
        if (status != CM_OK)
            break;
        ssize_t n = write(STDOUT_FILENO, text->data + at, left < PIECE_BYTES ? left : PIECE_BYTES);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0) /* A device may take no bytes, and the loop would then never end. */
            return cm_error_set(err, CM_IO, "standard output: %s", strerror(n < 0 ? errno : EIO));
        at += (size_t)n;
    }
    return status;
}

/* Writes to the standard output. On a terminal, control characters of the text are escaped. A file
 * or a pipe gets the bytes unchanged. */
static enum cm_status show(const struct cm_buffer *text, struct cm_error *err)
{
    struct cm_buffer shown;
    if (!isatty(STDOUT_FILENO)) {
        errno = 0; /* isatty sets errno if the stream is not a terminal */
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
    shell_interrupt_hold(true);
    enum cm_status status = cm_file_write(path, text->data, text->length, err);
    shell_interrupt_hold(false);
    return status;
}

bool shell_names_file(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

int shell_write(const char *path, const struct cm_buffer *text)
{
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    errno = 0;
    if (!cm_buffer_ok(text))
        status = cm_error_no_memory(&err);
    else if (shell_names_file(path))
        status = write_file(path, text, &err);
    else
        status = show(text, &err);
    /* The program that reads the pipe has ended, as `head` does, so no message is printed. */
    if (status == CM_IO && errno == EPIPE && !shell_names_file(path))
        return SHELL_EXIT_SIGNAL + SIGPIPE;
    return status == CM_OK ? 0 : shell_error(&err);
}

int shell_deliver(const char *path, struct cm_buffer *text, enum cm_status status,
                  const struct cm_error *err)
{
    int code = status == CM_OK ? shell_write(path, text) : shell_error(err);
    cm_buffer_finish(text);
    return code;
}

int shell_first_of(int code, int next)
{
    return code != 0 ? code : next;
}
