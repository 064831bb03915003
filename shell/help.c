/* Help texts, made from the tables that the parser of options reads. */
#include "../base/wrap.h"
#include "shell.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HELP_COLUMN   26
#define COLUMNS_LEAST 60u
#define COLUMNS_MOST  100u /* widest help text, because longer lines are hard to read */

uint32_t shell_columns(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return CM_WRAP_COLUMNS;
    return size.ws_col < COLUMNS_LEAST  ? COLUMNS_LEAST
           : size.ws_col > COLUMNS_MOST ? COLUMNS_MOST
                                        : size.ws_col;
}

void shell_help_entry(struct cm_buffer *text, const char *left, const char *help)
{
    size_t length = strlen(left);
    cm_buffer_printf(text, "  %s", left);
    if (length + 2 >= HELP_COLUMN) {
        cm_buffer_printf(text, "\n");
        length = 0;
        cm_buffer_printf(text, "%*s", HELP_COLUMN, "");
    } else {
        cm_buffer_printf(text, "%*s", (int)(HELP_COLUMN - 2 - length), "");
    }
    cm_text_wrap(text, help, HELP_COLUMN, shell_columns());
}

void shell_help_option(struct cm_buffer *text, const struct shell_option *option, const char *help)
{
    const char *argument = option->argument != NULL ? option->argument : "";
    const char *before = option->optional ? "[=" : option->argument != NULL ? " " : "";
    char left[80];
    snprintf(left, sizeof left, "%s%c%s--%s%s%s%s", option->letter ? "-" : "",
             option->letter ? option->letter : ' ', option->letter ? ", " : "   ", option->name,
             before, argument, option->optional ? "]" : "");
    shell_help_entry(text, left, help);
}
