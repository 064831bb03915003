/* The help of a subcommand and of the program. */
#include "cli.h"

#include <stdio.h>

void cli_help_command(const struct cli_command *command, struct cm_buffer *text)
{
    cm_buffer_printf(text, "usage: cm200 %s [OPTIONS]%s%s\n\n%s\n\noptions:\n", command->name,
                     command->operands[0] != '\0' ? " " : "", command->operands, command->about);
    cli_help_options(command->sets, text);
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
        cli_help_entry(text, left, commands[i]->summary);
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
