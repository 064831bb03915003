/* What the options of all subcommands are parsed into. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum cm_status cli_parse(const struct cli_command *command, int argc, char **argv,
                         struct cli_values *values)
{
    struct cli_syntax syntax = {
        .command = command->name,
        .operands = command->operands,
        .operands_min = command->operands_min,
        .operands_max = command->operands_max,
        .operands_offset = CLI_OPTION(operands),
        .help_offset = CLI_OPTION(help),
    };
    memcpy(syntax.sets, command->sets, sizeof syntax.sets);
    memset(values, 0, sizeof *values);
    return cli_parse_options(&syntax, argc, argv, values);
}

void cli_values_finish(struct cli_values *values)
{
    free(values->sets.items);
    free(values->saves.items);
    free(values->operands.items);
}
