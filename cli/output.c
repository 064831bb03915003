/* What the program prints, with every failure to print noticed. */
#include "../base/file.h"
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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
    fprintf(stderr, "%s%s%s", err->file[0] == '\0' ? "cm200: " : "", text,
            length > 0 && text[length - 1] == '\n' ? "" : "\n");
    return cm_status_exit_code(err->status);
}

int cli_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "cm200%s%s: ", command != NULL ? " " : "", command != NULL ? command : "");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nhint: cm200 %s%s--help shows what there is\n",
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

int cli_render_to(const char *path, cli_render render, const struct cli_values *values,
                  const void *what)
{
    struct cm_buffer text;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    cm_buffer_init(&text);
    int code =
        render(values, what, &text, &err) == CM_OK ? cli_write_to(path, &text) : cli_error(&err);
    cm_buffer_finish(&text);
    return code;
}

int cli_print(const struct cli_values *values, cli_render text, cli_render json, const void *what)
{
    if (values->quiet && !values->json)
        return 0;
    return cli_render_to(NULL, values->json ? json : text, values, what);
}

int cli_write_stats(const struct cli_values *values, cli_render json, const void *what)
{
    return values->stats != NULL ? cli_render_to(values->stats, json, values, what) : 0;
}

int cli_first_of(int code, int next)
{
    return code != 0 ? code : next;
}

static bool locale_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

unsigned cli_summary_style(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    unsigned style = CM_SUMMARY_PLAIN;
    if (isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
        strcmp(term, "dumb") != 0)
        style |= CM_SUMMARY_COLOUR;
    if (locale_is_utf8())
        style |= CM_SUMMARY_UTF8;
    return style;
}
