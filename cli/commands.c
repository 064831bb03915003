/* All subcommands, in the order in which help lists them. */
#include "cli.h"

const char cli_program_name[] = "cm200";

const struct cli_command *const cli_commands[] = {
    &cli_command_run,   &cli_command_check,    &cli_command_layout,  &cli_command_compile,
    &cli_command_asm,   &cli_command_disasm,   &cli_command_reshape, &cli_command_shift,
    &cli_command_route, &cli_command_fft,      &cli_command_export,  &cli_command_sweep,
    &cli_command_diff,  &cli_command_validate,
};
const uint32_t cli_command_count = (uint32_t)(sizeof cli_commands / sizeof *cli_commands);
