/* What the program prints, with every failure to print noticed. */
#include "../base/file.h"
#include "shell.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_MAX_BYTES (16u * 1024u * 1024u) /* of a text whose line is shown */

/* Faults of a running IMP know their line, but not its text. */
static void add_source(struct cm_error *err)
{
    struct stat about;
    char *text = NULL;
    size_t length = 0;
    if (err->file[0] == '\0' || err->line == 0 || err->source[0] != '\0' ||
        stat(err->file, &about) != 0 || !S_ISREG(about.st_mode) ||
        cm_file_read(err->file, SOURCE_MAX_BYTES, &text, &length, NULL) != CM_OK)
        return;
    cm_error_source(err, text, length);
    size_t blanks = strspn(err->source, " \t");
    if (err->column == 0 && err->source[blanks] != '\0') {
        err->column = (uint32_t)blanks + 1;
        err->caret = (uint32_t)blanks;
    }
    free(text);
}

int cli_error(const struct cm_error *err)
{
    char text[3072];
    struct cm_error shown = *err;
    add_source(&shown);
    cm_error_format(&shown, text, sizeof text);
    size_t length = strlen(text);
    if (err->file[0] == '\0')
        fprintf(stderr, "%s: ", cli_program_name);
    fprintf(stderr, "%s%s", text, length > 0 && text[length - 1] == '\n' ? "" : "\n");
    return cm_status_exit_code(err->status);
}

int cli_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s%s%s: ", cli_program_name, command != NULL ? " " : "",
            command != NULL ? command : "");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nhint: %s %s%s--help shows what there is\n", cli_program_name,
            command != NULL ? command : "", command != NULL ? " " : "");
    va_end(arguments);
    return cm_status_exit_code(CM_USAGE);
}

int cli_write(const struct cm_buffer *text)
{
    struct cm_error err;
    if (!cm_buffer_ok(text)) {
        cm_error_set(&err, CM_NO_MEMORY, "out of memory for the output");
        return cli_error(&err);
    }
    if (text->length == 0)
        return 0;
    errno = 0;
    if (fwrite(text->data, 1, text->length, stdout) == text->length && fflush(stdout) == 0)
        return 0;
    cm_error_set(&err, CM_IO, "standard output: %s", strerror(errno != 0 ? errno : EIO));
    return cli_error(&err);
}

int cli_write_to(const char *path, const struct cm_buffer *text)
{
    struct cm_error err;
    if (path == NULL || strcmp(path, "-") == 0)
        return cli_write(text);
    memset(&err, 0, sizeof err);
    enum cm_status status = CM_OK;
    if (!cm_buffer_ok(text))
        status = cm_error_set(&err, CM_NO_MEMORY, "out of memory for the output");
    if (status == CM_OK)
        status = cm_file_write(path, text->data, text->length, &err);
    return status == CM_OK ? 0 : cli_error(&err);
}
