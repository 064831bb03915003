/* Parsing the options of a subcommand by its tables: --opt value, --opt=value, -o value, -ovalue;
 * -- ends them. */
#include "../base/suggest.h"
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 64u

struct parser {
    const struct cli_command *command;
    struct cli_values *values;
    int argc;
    char **argv;
    int next;
    const struct cli_option *given[NAMES_MAX]; /* those that hold one value */
    uint32_t given_count;
};

static const struct cli_option help_option = {
    .name = "help", .letter = 'h', .kind = CLI_FLAG, .offset = CLI_OPTION(help)};

static void *member_of(struct cli_values *values, const struct cli_option *option)
{
    return (char *)values + option->offset;
}

/* By name (of `length` characters), or by letter when name is NULL. */
static const struct cli_option *find_option(const struct cli_command *command, const char *name,
                                            size_t length, char letter)
{
    for (uint32_t s = 0; s < CLI_SETS_MAX && command->sets[s] != NULL; s++) {
        for (uint32_t i = 0; i < command->sets[s]->count; i++) {
            const struct cli_option *option = &command->sets[s]->options[i];
            if (name != NULL
                    ? strlen(option->name) == length && memcmp(option->name, name, length) == 0
                    : option->letter == letter)
                return option;
        }
    }
    if (name != NULL ? length == 4 && memcmp(name, "help", 4) == 0 : letter == 'h')
        return &help_option;
    return NULL;
}

static enum cm_status refuse_option(const struct parser *parser, const char *text, size_t length)
{
    const char *names[NAMES_MAX];
    char name[64];
    size_t count = 0;
    const struct cli_command *command = parser->command;
    for (uint32_t s = 0; s < CLI_SETS_MAX && command->sets[s] != NULL; s++) {
        for (uint32_t i = 0; i < command->sets[s]->count && count + 1 < NAMES_MAX; i++)
            names[count++] = command->sets[s]->options[i].name;
    }
    names[count++] = "help";
    size_t dashes = length >= 2 && text[1] == '-' ? 2 : 1;
    const char *near = NULL;
    if (length - dashes < sizeof name) {
        memcpy(name, text + dashes, length - dashes);
        name[length - dashes] = '\0';
        near = cm_suggest(name, names, count);
    }
    if (near != NULL)
        cli_usage(command->name, "unknown option \"%.*s\"; did you mean \"--%s\"?", (int)length,
                  text, near);
    else
        cli_usage(command->name, "unknown option \"%.*s\"", (int)length, text);
    return CM_USAGE;
}

static bool append_item(struct cli_list *list, const char *item)
{
    const char **items = realloc(list->items, (list->count + 1u) * sizeof *items);
    if (items == NULL)
        return false;
    items[list->count] = item;
    *list = (struct cli_list){.items = items, .count = list->count + 1};
    return true;
}

/* As the library refuses other numbers that are no power of two; to it, 0 means that none was chosen. */
static enum cm_status refuse_no_nodes(void)
{
    struct cm_error err;
    cm_error_set(&err, CM_BAD_INPUT, "nodes is 0, expected a power of two");
    cm_error_hint(&err, "at most as many as the machine has");
    cli_error(&err);
    return CM_BAD_INPUT;
}

static enum cm_status read_number(const struct parser *parser, const struct cli_option *option,
                                  const char *text)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    if (digits && value == 0 && option->offset == CLI_OPTION(nodes))
        return refuse_no_nodes();
    if (!digits || value < option->min || value > option->max) {
        cli_usage(parser->command->name,
                  "--%s is \"%s\", expected an integer from %" PRIu64 " to %" PRIu64, option->name,
                  text, option->min, option->max);
        return CM_USAGE;
    }
    *(uint64_t *)member_of(parser->values, option) = value;
    return CM_OK;
}

/* A second value would silently win over the first. */
static enum cm_status note_given(struct parser *parser, const struct cli_option *option)
{
    if (option->kind == CLI_LIST)
        return CM_OK;
    for (uint32_t i = 0; i < parser->given_count; i++) {
        if (parser->given[i] == option) {
            cli_usage(parser->command->name, "--%s is given twice", option->name);
            return CM_USAGE;
        }
    }
    if (parser->given_count < NAMES_MAX)
        parser->given[parser->given_count++] = option;
    return CM_OK;
}

static enum cm_status read_value(const struct parser *parser, const struct cli_option *option,
                                 const char *text)
{
    void *member = member_of(parser->values, option);
    if (text[0] == '\0') {
        cli_usage(parser->command->name, "--%s is empty, expected %s", option->name,
                  option->argument);
        return CM_USAGE;
    }
    if (option->kind == CLI_NUMBER)
        return read_number(parser, option, text);
    if (option->kind == CLI_STRING) {
        *(const char **)member = text;
    } else if (!append_item(member, text)) {
        cli_usage(parser->command->name, "out of memory");
        return CM_USAGE;
    }
    return CM_OK;
}

/* `value` is what stands after the option in the same word, NULL when nothing does. */
static enum cm_status take_option(struct parser *parser, const struct cli_option *option,
                                  const char *value)
{
    if (option->kind == CLI_FLAG) {
        if (value != NULL) {
            cli_usage(parser->command->name, "--%s takes no value", option->name);
            return CM_USAGE;
        }
        *(bool *)member_of(parser->values, option) = true;
        return CM_OK;
    }
    if (value == NULL) {
        if (parser->next >= parser->argc) {
            cli_usage(parser->command->name, "--%s needs %s", option->name, option->argument);
            return CM_USAGE;
        }
        value = parser->argv[parser->next++];
    }
    enum cm_status status = note_given(parser, option);
    return status == CM_OK ? read_value(parser, option, value) : status;
}

static enum cm_status parse_option(struct parser *parser, const char *word)
{
    if (word[1] == '-') {
        const char *name = word + 2;
        const char *equals = strchr(name, '=');
        size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
        const struct cli_option *option = find_option(parser->command, name, length, 0);
        if (option == NULL)
            return refuse_option(parser, word, length + 2);
        return take_option(parser, option, equals != NULL ? equals + 1 : NULL);
    }
    const struct cli_option *option = find_option(parser->command, NULL, 0, word[1]);
    if (option == NULL || (option->kind == CLI_FLAG && word[2] != '\0'))
        return refuse_option(parser, word, strlen(word));
    return take_option(parser, option, word[2] != '\0' ? word + 2 : NULL);
}

static enum cm_status check_operands(const struct cli_command *command,
                                     const struct cli_values *values)
{
    if (values->operands.count < command->operands_min) {
        cli_usage(command->name, "%s is missing", command->operands);
        return CM_USAGE;
    }
    if (values->operands.count > command->operands_max) {
        cli_usage(command->name,
                  command->operands_max > 0 ? "\"%s\" is one file too many"
                                            : "\"%s\" is no option, and no file is read",
                  values->operands.items[command->operands_max]);
        return CM_USAGE;
    }
    for (uint32_t i = 0; i < values->operands.count; i++) {
        if (values->operands.items[i][0] == '\0') {
            cli_usage(command->name, "the name of a file is empty, expected %s", command->operands);
            return CM_USAGE;
        }
    }
    return CM_OK;
}

enum cm_status cli_parse(const struct cli_command *command, int argc, char **argv,
                         struct cli_values *values)
{
    struct parser parser = {.command = command, .values = values, .argc = argc, .argv = argv};
    bool options = true;
    memset(values, 0, sizeof *values);
    while (parser.next < argc) {
        const char *word = argv[parser.next++];
        enum cm_status status = CM_OK;
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1] != '\0')
            status = parse_option(&parser, word);
        else if (!append_item(&values->operands, word))
            status = CM_NO_MEMORY;
        if (status != CM_OK)
            return status;
        if (values->help)
            return CM_OK;
    }
    return check_operands(command, values);
}

void cli_values_finish(struct cli_values *values)
{
    free(values->sets.items);
    free(values->saves.items);
    free(values->operands.items);
}
