/* Parsing options by their tables: --opt value, --opt=value, -o value, -ovalue; -- ends them. */
#include "../base/suggest.h"
#include "shell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 64u

struct parser {
    const struct cli_syntax *syntax;
    void *values;
    int argc;
    char **argv;
    int next;
    const struct cli_option *given[NAMES_MAX]; /* those that hold one value */
    uint32_t given_count;
};

/* Its value goes where the syntax says. */
static const struct cli_option help_option = {.name = "help", .letter = 'h', .kind = CLI_FLAG};

static void *member_of(const struct parser *parser, const struct cli_option *option)
{
    size_t offset = option == &help_option ? parser->syntax->help_offset : option->offset;
    return (char *)parser->values + offset;
}

static struct cli_list *operands_of(const struct parser *parser)
{
    return (struct cli_list *)(void *)((char *)parser->values + parser->syntax->operands_offset);
}

/* By name (of `length` characters), or by letter when name is NULL. */
static const struct cli_option *find_option(const struct cli_syntax *syntax, const char *name,
                                            size_t length, char letter)
{
    for (uint32_t s = 0; s < CLI_SETS_MAX && syntax->sets[s] != NULL; s++) {
        for (uint32_t i = 0; i < syntax->sets[s]->count; i++) {
            const struct cli_option *option = &syntax->sets[s]->options[i];
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
    const struct cli_syntax *syntax = parser->syntax;
    for (uint32_t s = 0; s < CLI_SETS_MAX && syntax->sets[s] != NULL; s++) {
        for (uint32_t i = 0; i < syntax->sets[s]->count && count + 1 < NAMES_MAX; i++)
            names[count++] = syntax->sets[s]->options[i].name;
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
        cli_usage(syntax->command, "unknown option \"%.*s\"; did you mean \"--%s\"?", (int)length,
                  text, near);
    else
        cli_usage(syntax->command, "unknown option \"%.*s\"", (int)length, text);
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

/* As the library refuses other numbers that are no power of two; to it, 0 means that none was
 * chosen. */
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
    if (digits && value == 0 && option->kind == CLI_NODES)
        return refuse_no_nodes();
    if (!digits || value < option->min || value > option->max) {
        cli_usage(parser->syntax->command,
                  "--%s is \"%s\", expected an integer from %" PRIu64 " to %" PRIu64, option->name,
                  text, option->min, option->max);
        return CM_USAGE;
    }
    *(uint64_t *)member_of(parser, option) = value;
    return CM_OK;
}

/* A second value would silently win over the first. */
static enum cm_status note_given(struct parser *parser, const struct cli_option *option)
{
    if (option->kind == CLI_LIST)
        return CM_OK;
    for (uint32_t i = 0; i < parser->given_count; i++) {
        if (parser->given[i] == option) {
            cli_usage(parser->syntax->command, "--%s is given twice", option->name);
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
    void *member = member_of(parser, option);
    if (text[0] == '\0') {
        cli_usage(parser->syntax->command, "--%s is empty, expected %s", option->name,
                  option->argument);
        return CM_USAGE;
    }
    if (option->kind == CLI_NUMBER || option->kind == CLI_NODES)
        return read_number(parser, option, text);
    if (option->kind == CLI_STRING) {
        *(const char **)member = text;
    } else if (!append_item(member, text)) {
        cli_usage(parser->syntax->command, "out of memory");
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
            cli_usage(parser->syntax->command, "--%s takes no value", option->name);
            return CM_USAGE;
        }
        *(bool *)member_of(parser, option) = true;
        return CM_OK;
    }
    if (value == NULL) {
        if (parser->next >= parser->argc) {
            cli_usage(parser->syntax->command, "--%s needs %s", option->name, option->argument);
            return CM_USAGE;
        }
        /* An option in its place: the value was forgotten. One that begins with dashes is given
         * with "=". */
        if (strncmp(parser->argv[parser->next], "--", 2) == 0) {
            cli_usage(parser->syntax->command, "--%s needs %s, found \"%s\"", option->name,
                      option->argument, parser->argv[parser->next]);
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
        const struct cli_option *option = find_option(parser->syntax, name, length, 0);
        if (option == NULL)
            return refuse_option(parser, word, length + 2);
        return take_option(parser, option, equals != NULL ? equals + 1 : NULL);
    }
    const struct cli_option *option = find_option(parser->syntax, NULL, 0, word[1]);
    if (option == NULL || (option->kind == CLI_FLAG && word[2] != '\0'))
        return refuse_option(parser, word, strlen(word));
    return take_option(parser, option, word[2] != '\0' ? word + 2 : NULL);
}

static enum cm_status check_operands(const struct parser *parser)
{
    const struct cli_syntax *syntax = parser->syntax;
    const struct cli_list *operands = operands_of(parser);
    if (operands->count < syntax->operands_min) {
        cli_usage(syntax->command, "%s is missing", syntax->operands);
        return CM_USAGE;
    }
    if (operands->count > syntax->operands_max) {
        cli_usage(syntax->command,
                  syntax->operands_max > 0 ? "\"%s\" is one file too many"
                                           : "\"%s\" is no option, and no file is read",
                  operands->items[syntax->operands_max]);
        return CM_USAGE;
    }
    for (uint32_t i = 0; i < operands->count; i++) {
        if (operands->items[i][0] == '\0') {
            cli_usage(syntax->command, "the name of a file is empty, expected %s",
                      syntax->operands);
            return CM_USAGE;
        }
    }
    return CM_OK;
}

enum cm_status cli_parse_options(const struct cli_syntax *syntax, int argc, char **argv,
                                 void *values)
{
    struct parser parser = {.syntax = syntax, .values = values, .argc = argc, .argv = argv};
    const bool *help = member_of(&parser, &help_option);
    bool options = true;
    while (parser.next < argc) {
        const char *word = argv[parser.next++];
        enum cm_status status = CM_OK;
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1] != '\0')
            status = parse_option(&parser, word);
        else if (!append_item(operands_of(&parser), word))
            status = CM_NO_MEMORY;
        if (status != CM_OK)
            return status;
        if (*help)
            return CM_OK;
    }
    return check_operands(&parser);
}
