/* Writes the text that Fortran programs print to the standard output while they run. */
#include "../base/processes.h"
#include "job.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MILLISECONDS 100 /* milliseconds between two checks whether a signal has come */

/* Number of bytes that are collected before they are written. A terminal gets the text of every
 * statement without delay. */
#define GATHERED_BYTES ((size_t)1 << 16)

void cli_stream_begin(struct cli_stream *stream, struct shell_progress *progress)
{
    *stream = (struct cli_stream){.progress = progress, .at_once = isatty(STDOUT_FILENO)};
    cm_buffer_init(&stream->text);
}

static enum cm_status write_text(struct cli_stream *stream, struct cm_error *err)
{
    shell_progress_end(stream->progress);
    stream->code = shell_write(NULL, &stream->text);
    stream->text.length = 0;
    return stream->code == 0 ? CM_OK : cm_error_set(err, CM_IO, "cannot write to standard output");
}

enum cm_status cli_stream_print(void *context, const char *text, size_t length,
                                struct cm_error *err)
{
    struct cli_stream *stream = context;
    const struct cm_process_link *link = cm_processes();
    /* every process executes the program, but only process 0 prints */
    if (link != NULL && link->rank > 0)
        return CM_OK;
    shell_add_foreign(&stream->text, text, length);
    if (!stream->at_once && stream->text.length < GATHERED_BYTES && cm_buffer_ok(&stream->text))
        return CM_OK;
    return write_text(stream, err);
}

enum cm_status cli_stream_print_error(void *context, const char *text, size_t length,
                                      struct cm_error *err)
{
    struct cli_stream *stream = context;
    const struct cm_process_link *link = cm_processes();
    if (link != NULL && link->rank > 0)
        return CM_OK;
    enum cm_status status = stream->text.length > 0 ? write_text(stream, err) : CM_OK;
    if (status == CM_OK) {
        shell_progress_end(stream->progress);
        shell_complain(text, length);
    }
    return status;
}

enum cm_status cli_stream_input(void *context, char *bytes, size_t size, size_t *got,
                                struct cm_error *err)
{
    struct cli_stream *stream = context;
    struct pollfd standard = {.fd = STDIN_FILENO, .events = POLLIN};
    *got = 0;
    if (cm_processes() != NULL)
        return CM_OK;
    enum cm_status status = stream->text.length > 0 ? write_text(stream, err) : CM_OK;
    shell_progress_end(stream->progress);
    while (status == CM_OK) {
        if (poll(&standard, 1, LOOK_MILLISECONDS) <= 0) {
            if (shell_interrupt_came())
                status = cm_error_set(err, CM_INTERRUPTED, "interrupted");
            continue;
        }
        ssize_t n = read(STDIN_FILENO, bytes, size);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return cm_error_set(err, CM_IO, "standard input: %s", strerror(errno));
        *got = (size_t)n;
        break;
    }
    return status;
}

int cli_stream_end(struct cli_stream *stream)
{
    if (stream->code == 0 && stream->text.length > 0)
        write_text(stream, NULL);
    cm_buffer_finish(&stream->text);
    return stream->code;
}
