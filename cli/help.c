/* The help texts, made from the tables that the parser reads. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26

/* `help` may have several lines; the further ones begin in the same column. */
static void append_entry(struct cm_buffer *text, const char *left, const char *help)
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
    append_entry(text, left, option->help);
}

void cli_help_command(const struct cli_command *command, struct cm_buffer *text)
{
    cm_buffer_printf(text, "usage: cm200 %s [OPTIONS]%s%s\n\n%s\n\noptions:\n", command->name,
                     command->operands[0] != '\0' ? " " : "", command->operands, command->about);
    for (uint32_t s = 0; s < CLI_SETS_MAX && command->sets[s] != NULL; s++) {
        for (uint32_t i = 0; i < command->sets[s]->count; i++)
            append_option(text, &command->sets[s]->options[i]);
    }
    append_entry(text, "-h, --help", "show this text");
    cm_buffer_printf(text, "\nexamples:\n%s", command->examples);
}

void cli_help_program(const struct cli_command *const *commands, uint32_t count,
                      struct cm_buffer *text)
{
    cm_buffer_printf(text, "usage: cm200 COMMAND [OPTIONS] [FILE...]\n\n"
                           "Simulates a Thinking Machines CM-200, cycle by cycle, with real data "
                           "moving.\n\ncommands:\n");
    for (uint32_t i = 0; i < count; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s%s%s", commands[i]->name,
                 commands[i]->operands[0] != '\0' ? " " : "", commands[i]->operands);
        append_entry(text, left, commands[i]->summary);
    }
    cm_buffer_printf(text,
                     "\noptions:\n"
                     "  -h, --help              show this text; cm200 COMMAND --help shows more\n"
                     "      --version           print the version\n"
                     "\nexamples:\n"
                     "  cm200 run programs/examples/five-point-pshift.json\n"
                     "  cm200 run --json --nodes 2048 workload.json > result.json\n"
                     "  cm200 check configs/*.json\n"
                     "  cm200 validate\n"
                     "\nexit codes: 0 done; 1 a check failed; 2 wrong usage; 3 a bad machine, "
                     "workload or program;\n4 input or output failed; 5 a fault of cm200; 130 "
                     "interrupted\n");
}
