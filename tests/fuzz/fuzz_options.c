/*
 * libFuzzer target: any text as a command line, a word a line: the subcommand, then its options.
 * Options are read or refused with a message; what `--set` and `--nodes` say is tried on the
 * built-in machine. The one-step commands, which read words of their own, make their workload
 * (--emit), and the workload must be readable; a table is printed into memory.
 */
#include "caught.h"
#include "cli/cli.h"
#include "target.h"

#define INPUT_MAX 4096u /* bytes; longer command lines say nothing new */
#define WORDS_MAX 128u

/* A refusal has its exit code, says so on one side only, and ends its line. */
static void require_refusal(const struct caught *caught, int code)
{
    size_t length = caught->length[1];
    require(code == cm_status_exit_code(CM_USAGE) || code == cm_status_exit_code(CM_BAD_INPUT));
    require(length > 0 && caught->text[1][length - 1] == '\n' && caught->length[0] == 0);
}

/* Where an option's value is; NULL when the command has no such option. */
static void *value_of(const struct cli_command *command, struct shell_values *values,
                      const char *name)
{
    size_t offset;
    if (shell_option_named(&command->syntax, name, &offset) == NULL)
        return NULL;
    return (char *)values + offset;
}

static void try_sets(const struct shell_list *sets)
{
    struct cm_config config;
    struct cm_error err;
    enum cm_status status = cm_config_read("cm200", &config, &err);
    require(status == CM_OK);
    memset(&err, 0, sizeof err);
    status = cm_config_set(&config, sets->items, sets->count, &err);
    require(status == CM_OK || (status == CM_BAD_INPUT && err.message[0] != '\0') ||
            (status == CM_USAGE && err.message[0] != '\0'));
}

/* What is printed was read before. */
static void try_workload(const struct caught *caught)
{
    struct cm_workload *workload = NULL;
    struct cm_error err;
    require(cm_workload_parse("fuzz.json", caught->text[0], caught->length[0], &workload, &err) ==
            CM_OK);
    cm_workload_destroy(workload);
}

/* The commands that make a workload print it, or a table of it. Whatever file --machine names is
 * not part of the test. */
static void try_command(const struct cli_command *command, struct shell_values *values)
{
    struct caught caught;
    bool *emit = value_of(command, values, "emit"), *table = value_of(command, values, "table");
    if (emit == NULL)
        return;
    bool instead = table != NULL && *table && strcmp(command->syntax.command, "shift") != 0;
    *emit = !instead || *emit;
    *(const char **)value_of(command, values, "machine") = NULL;
    catch_output(&caught);
    int code = command->run(values);
    release_output(&caught);
    if (code != 0)
        require_refusal(&caught, code);
    else if (!instead)
        try_workload(&caught);
    free(caught.text[0]);
    free(caught.text[1]);
}

static void try_words(int count, char **words)
{
    const struct cli_command *command = NULL;
    struct caught caught;
    for (uint32_t i = 0; i < cli_command_count && count > 0; i++)
        if (strcmp(words[0], cli_commands[i]->syntax.command) == 0)
            command = cli_commands[i];
    if (command == NULL)
        return;
    struct shell_values *values = calloc(1, command->values_size);
    require(values != NULL);
    catch_output(&caught);
    int code = shell_parse_options(&command->syntax, count - 1, words + 1, values);
    release_output(&caught);
    if (code != 0)
        require_refusal(&caught, code);
    free(caught.text[0]);
    free(caught.text[1]);
    struct shell_list *sets = value_of(command, values, "set");
    if (code == 0 && !values->help && sets != NULL)
        try_sets(sets);
    if (code == 0 && !values->help)
        try_command(command, values);
    shell_values_finish(&command->syntax, values);
    free(values);
}

FUZZ_TARGET(fuzz_options)
{
    char *words[WORDS_MAX];
    int count = 0;
    if (size > INPUT_MAX)
        return 0;
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; at < text + size && count < (int)WORDS_MAX; at += strlen(at) + 1) {
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end = '\0';
        words[count++] = at;
    }
    try_words(count, words);
    free(text);
    return 0;
}
