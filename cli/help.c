/* The help of a command and of the program, for people and as JSON. */
#include "../base/wrap.h"
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_SHOWN 1000000u /* the help does not show a range whose end is larger than this */

/* Appends the help of an option. An option that stands for a key of a workload has the help of the
 * key. */
static void describe(const struct cli_command *command, const struct shell_option *option,
                     struct cm_buffer *text)
{
    if (option->help != NULL) {
        cm_buffer_printf(text, "%s", option->help);
        return;
    }
    const struct cm_key *key = cli_step_key(command, option);
    cm_buffer_printf(text, "%s", key->meaning);
    if (key->type == CM_KEY_INTEGER && key->max < RANGE_SHOWN)
        cm_buffer_printf(text, ": %" PRIu64 " to %" PRIu64, key->min, key->max);
    if (key->type == CM_KEY_NAME) {
        cm_buffer_printf(text, ": ");
        cm_key_form(key, text);
    }
    if (!key->required &&
        (key->type == CM_KEY_NAME || key->type == CM_KEY_INTEGER || key->otherwise != NULL)) {
        cm_buffer_printf(text, "; default: ");
        cm_key_default(key, text);
    }
}

/* Appends examples. Paths of the source tree are replaced by the paths of the installed files. */
static void append_examples(struct cm_buffer *text, const char *examples)
{
    while (*examples != '\0') {
        char word[256];
        size_t length = strcspn(examples, " \n"), blanks = strspn(examples + length, " \n");
        char *path = NULL;
        if (length > 0 && length < sizeof word && memchr(examples, '/', length) != NULL) {
            snprintf(word, sizeof word, "%.*s", (int)length, examples);
            path = cli_installed_path(word);
        }
        if (path != NULL)
            cm_buffer_printf(text, "%s", path);
        else
            cm_buffer_append(text, examples, length);
        free(path);
        cm_buffer_append(text, examples + length, blanks);
        examples += length + blanks;
    }
}

static void help_command(const struct cli_command *command, struct cm_buffer *text)
{
    const struct shell_syntax *syntax = &command->syntax;
    const struct shell_option *option;
    size_t offset;
    cm_buffer_printf(text, "usage: cm200 %s [OPTIONS]%s%s\n\n", syntax->command,
                     syntax->operands[0] != '\0' ? " " : "", syntax->operands);
    cm_text_wrap(text, command->about, 0, shell_columns());
    cm_buffer_printf(text, "\noptions:\n");
    for (uint32_t i = 0; (option = shell_option_at(syntax, i, &offset)) != NULL; i++) {
        struct cm_buffer help;
        cm_buffer_init(&help);
        describe(command, option, &help);
        text->failed = text->failed || !cm_buffer_ok(&help);
        shell_help_option(text, option, help.data != NULL ? help.data : "");
        cm_buffer_finish(&help);
    }
    cm_buffer_printf(text, "\nexamples:\n");
    append_examples(text, command->examples);
}

static void help_program(struct cm_buffer *text)
{
    cm_buffer_printf(text, "usage: cm200 COMMAND [OPTIONS] [FILE...]\n\n"
                           "Simulates a Thinking Machines CM-200, cycle by cycle, with real data "
                           "moving.\n\ncommands:\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        char left[80];
        const struct shell_syntax *syntax = &cli_commands[i]->syntax;
        snprintf(left, sizeof left, "%s%s%s", syntax->command,
                 syntax->operands[0] != '\0' ? " " : "", syntax->operands);
        shell_help_entry(text, left, cli_commands[i]->summary);
    }
    cm_buffer_printf(
        text, "\noptions:\n"
              "  -h, --help              show this text; cm200 COMMAND --help shows more\n"
              "      --version           print the version, the commit, and what this build has\n"
              "\nhelp:\n"
              "  cm200 help COMMAND      the same as cm200 COMMAND --help\n"
              "  cm200 help steps        list the kinds of steps of a workload\n"
              "  cm200 help step NAME    show the keys of a step, as pshift\n"
              "  cm200 help --json       commands, options, steps and keys for other programs\n"
              "\nexamples:\n");
    append_examples(text, "  cm200 run programs/examples/five-point-pshift.json\n"
                          "  cm200 run --json --nodes 2048 workload.json > result.json\n"
                          "  cm200 check configs/cm200.json\n"
                          "  cm200 validate\n");
    cm_buffer_printf(text, "\nexit codes: 0 done; 1 a check failed; 2 wrong usage;\n"
                           "3 a bad machine, workload or program; 4 input or output failed;\n"
                           "5 out of memory, or a fault of cm200; 128 + N ended by signal N:\n"
                           "130 by Ctrl-C, 141 by a pipe that nobody reads\n");
}

void cli_help(const struct cli_command *command, struct cm_buffer *text)
{
    if (command != NULL)
        help_command(command, text);
    else
        help_program(text);
}

static const char *const kind_names[] = {
    [SHELL_FLAG] = "flag",          [SHELL_STRING] = "text", [SHELL_INPUT] = "input file",
    [SHELL_OUTPUT] = "output file", [SHELL_LIST] = "text",   [SHELL_NUMBER] = "integer",
    [SHELL_NODES] = "integer",      [SHELL_SIZE] = "size",
};

static void write_option(struct cm_json_writer *json, const struct cli_command *command,
                         const struct shell_option *option)
{
    char letter[] = {option->letter, '\0'};
    struct cm_buffer help;
    cm_buffer_init(&help);
    describe(command, option, &help);
    cm_json_write_object(json, NULL);
    cm_json_write_string(json, "name", option->name);
    if (option->letter != 0)
        cm_json_write_string(json, "letter", letter);
    cm_json_write_members(json, {"kind", cm_text(kind_names[option->kind])},
                          {"argument", cm_text(option->argument)},
                          {"required", cm_bool(option->required)},
                          {"repeatable", cm_bool(option->kind == SHELL_LIST)});
    if (option->max > 0)
        cm_json_write_members(json, {"min", cm_u64(option->min)}, {"max", cm_u64(option->max)});
    if (option->member != NULL)
        cm_json_write_string(json, "key", option->member->key);
    json->text->failed = json->text->failed || !cm_buffer_ok(&help);
    cm_json_write_string(json, "help", help.data);
    cm_json_write_end(json);
    cm_buffer_finish(&help);
}

static void write_command(struct cm_json_writer *json, const struct cli_command *command)
{
    const struct shell_option *option;
    size_t offset;
    cm_json_write_object(json, NULL);
    cm_json_write_members(json, {"name", cm_text(command->syntax.command)},
                          {"operands", cm_text(command->syntax.operands)},
                          {"summary", cm_text(command->summary)});
    cm_json_write_list(json, "steps");
    for (uint32_t i = 0; i < 2 && command->kinds[i] != NULL; i++)
        cm_json_write_string(json, NULL, command->kinds[i]->name);
    cm_json_write_end(json);
    cm_json_write_list(json, "options");
    for (uint32_t i = 0; (option = shell_option_at(&command->syntax, i, &offset)) != NULL; i++)
        write_option(json, command, option);
    cm_json_write_end(json);
    cm_json_write_end(json);
}

void cli_help_json(const struct cli_command *command, struct cm_buffer *text)
{
    struct cm_json_writer json;
    (void)command;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-help/1");
    cm_json_write_list(&json, "commands");
    for (uint32_t c = 0; c < cli_command_count; c++)
        write_command(&json, cli_commands[c]);
    cm_json_write_end(&json);
    cm_json_write_object(&json, "keys");
    cm_array_keys_json(&json);
    cm_json_write_end(&json);
    cm_json_write_object(&json, "steps");
    cm_step_kinds_json(&json);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

void cli_help_steps(const struct cli_command *command, struct cm_buffer *text)
{
    (void)command;
    cm_buffer_printf(text, "Steps of a workload (cm200 help step NAME shows the keys of one):\n\n");
    cm_step_kinds_help(text);
}
