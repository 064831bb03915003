/* Help texts, made from the tables that the parser reads. */
#include "shell.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26
#define HELP_WIDTH  100u

void shell_help_text(struct cm_buffer *text, const char *words, int column)
{
    const size_t width = HELP_WIDTH - (size_t)column;
    while (*words != '\0') {
        size_t end = strcspn(words, "\n"), cut = end > width ? width : end;
        while (cut < end && cut > 0 && words[cut] != ' ')
            cut--;
        cut = cut > 0 ? cut : end;
        cm_buffer_append(text, words, cut);
        words += cut + (words[cut] != '\0');
        cm_buffer_printf(text, "\n%*s", *words != '\0' ? column : 0, "");
    }
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
    shell_help_text(text, help, HELP_COLUMN);
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
