/* The table of all commands, in the order in which the help lists them. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

const char shell_program_name[] = "cm200";

/* A web page loads a second program with all commands when it needs one of the others. */
#if CM_FOR_A_PAGE && !defined CM_MORE_COMMANDS
#define ALL_COMMANDS 0
#else
#define ALL_COMMANDS 1
#endif

const struct cli_command *const cli_commands[] = {
    &cli_command_run,
#if ALL_COMMANDS
    &cli_command_check,
#endif
    &cli_command_layout,
#if ALL_COMMANDS
    &cli_command_compile, &cli_command_debug,  &cli_command_asm,   &cli_command_disasm,
#endif
    &cli_command_reshape, &cli_command_shift,  &cli_command_route, &cli_command_fft,
#if ALL_COMMANDS
    &cli_command_export,  &cli_command_sweep,  &cli_command_diff,  &cli_command_validate,
    &cli_command_figure,  &cli_command_lesson,
#endif
};
const uint32_t cli_command_count = (uint32_t)(sizeof cli_commands / sizeof *cli_commands);

const struct cli_command *cli_command_named(const char *name)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i]->syntax.command, name) == 0)
            return cli_commands[i];
    }
    return NULL;
}

int cli_print_text(void (*append)(const struct cli_command *command, struct cm_buffer *text),
                   const struct cli_command *command)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    append(command, &text);
    return shell_deliver(NULL, &text, CM_OK, NULL);
}

int cli_command_start(const struct cli_command *command, int argc, char **argv)
{
    struct shell_values *values = calloc(1, command->values_size);
    if (values == NULL)
        return shell_no_memory();
    int code = shell_parse_options(&command->syntax, argc, argv, values);
    if (code == 0 && values->help)
        code = cli_print_text(cli_help, command);
    else if (code == 0)
        code = shell_first_of(cli_processes_allow(command),
                              shell_check_files(&command->syntax, values));
    if (code == 0 && !values->help)
        code = command->run(values);
    shell_values_finish(&command->syntax, values);
    free(values);
    return code;
}
