/* The program cm200: finds the command that the first word names, and passes it the other words. */
#include "../base/suggest.h"
#include "../fortran/run/step.h"
#include "../programs/workload/step.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* largest number of names to suggest: commands and two options, or kinds of steps */
#define NAMES_MAX 64u

static int refuse_command(const char *name)
{
    const char *names[NAMES_MAX] = {0};
    uint32_t count = 0;
    for (; count < cli_command_count && count + 2 < NAMES_MAX; count++)
        names[count] = cli_commands[count]->syntax.command;
    names[count++] = "--help";
    names[count++] = "--version";
    const char *near = cm_suggest(name, names, count);
    const char *what = name[0] == '-' ? "option" : "command";
    if (near != NULL)
        return shell_usage(NULL, "unknown %s \"%s\"; did you mean \"%s\"?", what, name, near);
    return shell_usage(NULL, "unknown %s \"%s\"", what, name);
}

static int help_step(const char *name)
{
    const char *names[NAMES_MAX] = {0};
    uint32_t count = 0;
    const struct cm_step_kind *kind;
    struct cm_buffer text;
    while (count + 1 < NAMES_MAX && (kind = cm_step_kind_at(count)) != NULL &&
           strcmp(kind->name, name) != 0)
        names[count++] = kind->name;
    if (kind == NULL) {
        const char *near = cm_suggest(name, names, count);
        if (near != NULL)
            return shell_usage(NULL, "unknown step \"%s\"; did you mean \"%s\"?", name, near);
        return shell_usage(NULL, "unknown step \"%s\"; cm200 help steps lists them", name);
    }
    cm_buffer_init(&text);
    cm_step_kind_help(kind, &text);
    return shell_deliver(NULL, &text, CM_OK, NULL);
}

/* Reports that a name which was given as a command is a kind of step, and how to ask for its help.
 */
static int refuse_topic(const char *topic)
{
    const struct cm_step_kind *kind;
    for (uint32_t i = 0; (kind = cm_step_kind_at(i)) != NULL; i++)
        if (strcmp(kind->name, topic) == 0)
            return shell_usage(NULL, "unknown command \"%s\"; did you mean \"help step %s\"?",
                               topic, topic);
    return refuse_command(topic);
}

/* Runs the forms of cm200 help: without a word, with --json, COMMAND, steps, and step NAME. */
static int help(int argc, char **argv)
{
    const char *topic = argc > 0 ? argv[0] : NULL;
    if (topic == NULL || strcmp(topic, "help") == 0 || strcmp(topic, "--help") == 0 ||
        strcmp(topic, "-h") == 0)
        return cli_print_text(cli_help, NULL);
    if (!CM_FOR_A_PAGE && strcmp(topic, "--json") == 0)
        return cli_print_text(cli_help_json, NULL);
    if (strcmp(topic, "steps") == 0 || (strcmp(topic, "step") == 0 && argc == 1))
        return cli_print_text(cli_help_steps, NULL);
    if (strcmp(topic, "step") == 0)
        return help_step(argv[1]);
    const struct cli_command *command = cli_command_named(topic);
    return command != NULL ? cli_print_text(cli_help, command) : refuse_topic(topic);
}

static int start(int argc, char **argv)
{
    if (!cm_fortran_register())
        return shell_no_memory();
    if (argc < 2) {
        struct cm_buffer text;
        cm_buffer_init(&text);
        cli_help(NULL, &text);
        int code = cm_status_exit_code(CM_USAGE);
        if (cm_buffer_ok(&text))
            fputs(text.data, stderr);
        else
            code = shell_no_memory();
        cm_buffer_finish(&text);
        return code;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return cli_print_text(cli_help, NULL);
    if (strcmp(name, "--version") == 0)
        return cli_print_text(cli_version, NULL);
    if (strcmp(name, "help") == 0)
        return help(argc - 2, argv + 2);
    const struct cli_command *command = cli_command_named(name);
    return command != NULL ? cli_command_start(command, argc - 2, argv + 2) : refuse_command(name);
}

int main(int argc, char **argv)
{
    shell_begin();
    int code = cli_processes_begin();
    return cli_processes_end(code == 0 ? start(argc, argv) : code);
}
