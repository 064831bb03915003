/* cm200: finds the subcommand and hands it its options. */
#include "../base/suggest.h"
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifndef CM200_VERSION
#error "CM200_VERSION comes from the build: the project's version"
#endif

const char cli_program_name[] = "cm200";

static const struct cli_command *const commands[] = {
    &cli_command_run,   &cli_command_check,    &cli_command_layout,  &cli_command_compile,
    &cli_command_asm,   &cli_command_disasm,   &cli_command_reshape, &cli_command_shift,
    &cli_command_route, &cli_command_validate,
};
#define COMMAND_COUNT ((uint32_t)(sizeof commands / sizeof *commands))

static int print_help(const struct cli_command *command)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    if (command != NULL)
        cli_help_command(command, &text);
    else
        cli_help_program(commands, COMMAND_COUNT, &text);
    int code = cli_write(&text);
    cm_buffer_finish(&text);
    return code;
}

static int print_version(void)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "cm200 %s\n", CM200_VERSION);
    int code = cli_write(&text);
    cm_buffer_finish(&text);
    return code;
}

static const struct cli_command *find_command(const char *name)
{
    for (uint32_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static int refuse_command(const char *name)
{
    const char *names[COMMAND_COUNT + 2] = {0};
    uint32_t count = 0;
    for (; count < COMMAND_COUNT; count++)
        names[count] = commands[count]->name;
    names[count++] = "--help";
    names[count++] = "--version";
    const char *near = cm_suggest(name, names, count);
    const char *what = name[0] == '-' ? "option" : "command";
    if (near != NULL)
        return cli_usage(NULL, "unknown %s \"%s\"; did you mean \"%s\"?", what, name, near);
    return cli_usage(NULL, "unknown %s \"%s\"", what, name);
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli_values values;
    enum cm_status status = cli_parse(command, argc, argv, &values);
    if (status != CM_OK) {
        cli_values_finish(&values);
        return cm_status_exit_code(status);
    }
    int code = 0;
    if (values.help)
        code = print_help(command);
    else
        code = cli_check_outputs(command, &values);
    if (code == 0 && !values.help)
        code = command->run(&values);
    cli_values_finish(&values);
    return code;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file too large for its limit is an error that writing reports */
    if (argc < 2) {
        struct cm_buffer text;
        cm_buffer_init(&text);
        cli_help_program(commands, COMMAND_COUNT, &text);
        if (text.data != NULL)
            fputs(text.data, stderr);
        cm_buffer_finish(&text);
        return cm_status_exit_code(CM_USAGE);
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_help(NULL);
    if (strcmp(name, "--version") == 0)
        return print_version();
    if (strcmp(name, "help") == 0 && argc < 3)
        return print_help(NULL);
    const struct cli_command *command = find_command(strcmp(name, "help") == 0 ? argv[2] : name);
    if (command == NULL)
        return refuse_command(strcmp(name, "help") == 0 ? argv[2] : name);
    if (strcmp(name, "help") == 0)
        return print_help(command);
    return run_command(command, argc - 2, argv + 2);
}
