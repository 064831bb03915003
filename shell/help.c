/* Help texts, made from the tables that the parser reads. */
#include "shell.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26

void cli_help_entry(struct cm_buffer *text, const char *left, const char *help)
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
    for (const char *line = help;;) {
        const char *end = strchr(line, '\n');
        cm_buffer_append(text, line, end != NULL ? (size_t)(end - line) : strlen(line));
        cm_buffer_printf(text, "\n");
        if (end == NULL)
            break;
        cm_buffer_printf(text, "%*s", HELP_COLUMN, "");
        line = end + 1;
    }
}

static void append_option(struct cm_buffer *text, const struct cli_option *option)
{
    char left[80];
    snprintf(left, sizeof left, "%s%c%s--%s%s%s", option->letter ? "-" : "",
             option->letter ? option->letter : ' ', option->letter ? ", " : "   ", option->name,
             option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
    cli_help_entry(text, left, option->help);
}

void cli_help_options(const struct cli_option_set *const *sets, struct cm_buffer *text)
{
    for (uint32_t s = 0; s < CLI_SETS_MAX && sets[s] != NULL; s++) {
        for (uint32_t i = 0; i < sets[s]->count; i++)
            append_option(text, &sets[s]->options[i]);
    }
    cli_help_entry(text, "-h, --help", "show this text");
}
