/* Parses options by their tables: --opt value, --opt=value, -o value, -ovalue, and several
 * one-letter flags in one word, of which the last may take a value, such as -qo value. "--" ends
 * the options. */
#include "../base/suggest.h"
#include "../base/text.h"
#include "shell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 64u

struct parser {
    const struct shell_syntax *syntax;
    void *values;
    int argc;
    char **argv;
    int next;
    /* for each option, true if the command line has it. The index is the option's number
     * (shell_option_at) */
    bool given[NAMES_MAX];
};

static const struct shell_option help_option = {"help", SHELL_FLAG,
                                                offsetof(struct shell_values, help), .letter = 'h',
                                                .help = "show this text"};

const struct shell_option *shell_option_at(const struct shell_syntax *syntax, uint32_t i,
                                           size_t *offset)
{
    const struct shell_option_set *set = syntax->sets;
    while (set < syntax->sets + SHELL_SETS_MAX && i >= set->count)
        i -= set++->count;
    bool in_set = set < syntax->sets + SHELL_SETS_MAX;
    const struct shell_option *option = in_set ? &set->options[i] : i == 0 ? &help_option : NULL;
    if (option != NULL)
        *offset = option->offset + (in_set ? set->offset : 0);
    return option;
}

const struct shell_option *shell_option_named(const struct shell_syntax *syntax, const char *name,
                                              size_t *offset)
{
    const struct shell_option *option;
    for (uint32_t i = 0; (option = shell_option_at(syntax, i, offset)) != NULL; i++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static int refuse_option(const struct parser *parser, const char *text, size_t length)
{
    const char *names[NAMES_MAX];
    char name[64] = "";
    size_t count = 0, offset, dashes = strspn(text, "-");
    const struct shell_option *option;
    while (count < NAMES_MAX &&
           (option = shell_option_at(parser->syntax, (uint32_t)count, &offset)) != NULL)
        names[count++] = option->name;
    snprintf(name, sizeof name, "%.*s", (int)(length - dashes), text + dashes);
    const char *near = cm_suggest(name, names, count);
    if (near != NULL)
        return shell_usage(parser->syntax->command,
                           "unknown option \"%.*s\"; did you mean \"--%s\"?", (int)length, text,
                           near);
    return shell_usage(parser->syntax->command, "unknown option \"%.*s\"", (int)length, text);
}

int shell_list_add(struct shell_list *list, const char *item)
{
    const char **items = realloc(list->items, (list->count + 1u) * sizeof *items);
    if (items == NULL)
        return shell_no_memory();
    items[list->count] = item;
    *list = (struct shell_list){.items = items, .count = list->count + 1};
    return 0;
}

/* Refuses --nodes 0 in the same way as the library refuses other numbers that are not powers of
 * two. For the library itself, 0 means that the user has not chosen a number. */
static int refuse_no_nodes(void)
{
    struct cm_error err;
    cm_error_refuse(&err, "at most as many as the machine has",
                    "nodes is 0, expected a power of two");
    return shell_error(&err);
}

static int read_number(const struct parser *parser, const struct shell_option *option,
                       const char *text, uint64_t *number)
{
    const char *end = cm_text_number(text, number);
    bool digits = end != NULL && *end == '\0';
    if (digits && *number == 0 && option->kind == SHELL_NODES)
        return refuse_no_nodes();
    if (digits && *number >= option->min && *number <= option->max)
        return 0;
    return shell_usage(parser->syntax->command,
                       "--%s is \"%s\", expected an integer from %" PRIu64 " to %" PRIu64,
                       option->name, text, option->min, option->max);
}

/* Reads a number of bytes, such as 4096, 64k, 10M or 1G. */
static int read_size(const struct parser *parser, const struct shell_option *option,
                     const char *text, uint64_t *bytes)
{
    static const char units[] = "kMG";
    const char *end = cm_text_number(text, bytes), *unit = NULL;
    if (end != NULL && *end != '\0')
        unit = strchr(units, *end);
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    bool whole = end != NULL && (unit != NULL ? end[1] : *end) == '\0';
    if (whole && *bytes <= option->max >> shift && *bytes << shift >= option->min) {
        *bytes <<= shift;
        return 0;
    }
    return shell_usage(parser->syntax->command,
                       "--%s is \"%s\", expected bytes from %" PRIu64 " to %" PRIu64
                       ", as in 4096, 64k, 10M or 1G",
                       option->name, text, option->min, option->max);
}

/* Reads `text` as the value of option `number`, and stores the result in `value`. */
static int take_value(struct parser *parser, const struct shell_option *option, uint32_t number,
                      const char *text, void *value)
{
    const char *command = parser->syntax->command;
    /* An option that is given twice is refused, because the second value would silently replace the
     * first. */
    if (parser->given[number] && option->kind != SHELL_LIST)
        return shell_usage(command, "--%s is given twice", option->name);
    parser->given[number] = true;
    if (text[0] == '\0')
        return shell_usage(command, "--%s is empty, expected %s", option->name, option->argument);
    if (option->kind == SHELL_NUMBER || option->kind == SHELL_NODES)
        return read_number(parser, option, text, value);
    if (option->kind == SHELL_SIZE)
        return read_size(parser, option, text, value);
    if (option->kind == SHELL_LIST)
        return shell_list_add(value, text);
    *(const char **)value = text;
    return 0;
}

/* Reads option number `i` and its value. `value` is the part of the word after "=". NULL: the word
 * has no such part. */
static int take_option(struct parser *parser, uint32_t i, const char *value)
{
    const struct shell_syntax *syntax = parser->syntax;
    size_t offset;
    const struct shell_option *option = shell_option_at(syntax, i, &offset);
    if (option->kind == SHELL_FLAG && value != NULL)
        return shell_usage(syntax->command, "--%s takes no value", option->name);
    if (option->kind == SHELL_FLAG) {
        *(bool *)((char *)parser->values + offset) = true;
        return 0;
    }
    void *member = (char *)parser->values + offset;
    if (value != NULL)
        return take_value(parser, option, i, value, member);
    if (option->optional) {
        if (parser->given[i])
            return shell_usage(syntax->command, "--%s is given twice", option->name);
        parser->given[i] = true;
        *(const char **)member = "";
        return 0;
    }
    if (parser->next == parser->argc)
        return shell_usage(syntax->command, "--%s needs %s", option->name, option->argument);
    value = parser->argv[parser->next++];
    /* An option in place of a value means that the user forgot the value. A value that begins with
     * dashes must be written after "=". */
    if (strncmp(value, "--", 2) == 0)
        return shell_usage(syntax->command, "--%s needs %s, found \"%s\"", option->name,
                           option->argument, value);
    return take_value(parser, option, i, value, member);
}

/* Returns the number of the option with this letter, or NAMES_MAX if no option has it. */
static uint32_t option_of_letter(const struct parser *parser, char letter)
{
    const struct shell_option *option;
    size_t offset;
    for (uint32_t i = 0; (option = shell_option_at(parser->syntax, i, &offset)) != NULL; i++)
        if (option->letter == letter)
            return i;
    return NAMES_MAX;
}

/* Parses a word of one-letter options. Every letter is a flag, up to an option with a value. The
 * value is the rest of the word, or the next word. If a letter is unknown, nothing of the word is
 * used. */
static int parse_letters(struct parser *parser, const char *word)
{
    size_t offset, count = 1;
    for (bool flag = true; flag && word[count] != '\0'; count++) {
        uint32_t i = option_of_letter(parser, word[count]);
        if (i == NAMES_MAX)
            return refuse_option(parser, word, strlen(word));
        flag = shell_option_at(parser->syntax, i, &offset)->kind == SHELL_FLAG;
    }
    int code = 0;
    for (size_t k = 1; k < count && code == 0; k++)
        code = take_option(parser, option_of_letter(parser, word[k]),
                           k + 1 == count && word[count] != '\0' ? word + count : NULL);
    return code;
}

static int parse_option(struct parser *parser, const char *word)
{
    const struct shell_option *option;
    size_t offset, length = strcspn(word, "=");
    if (word[1] != '-')
        return parse_letters(parser, word);
    for (uint32_t i = 0; (option = shell_option_at(parser->syntax, i, &offset)) != NULL; i++)
        if (strlen(option->name) == length - 2 && memcmp(option->name, word + 2, length - 2) == 0)
            return take_option(parser, i, word[length] == '=' ? word + length + 1 : NULL);
    return refuse_option(parser, word, length);
}

/* Checks that all required options are given, and that the number of operands is right. */
static int check_complete(const struct parser *parser)
{
    const struct shell_syntax *syntax = parser->syntax;
    const struct shell_list *operands = &((const struct shell_values *)parser->values)->operands;
    const struct shell_option *option;
    size_t offset;
    if (operands->count < syntax->operands_min)
        return shell_usage(syntax->command, "%s is missing", syntax->operands);
    if (operands->count > syntax->operands_max)
        return shell_usage(syntax->command,
                           syntax->operands_max > 0
                               ? "\"%s\" is one file too many"
                               : "\"%s\" is not an option, and no file is read",
                           operands->items[syntax->operands_max]);
    for (uint32_t i = 0; i < operands->count; i++)
        if (operands->items[i][0] == '\0')
            return shell_usage(syntax->command, "the name of a file is empty, expected %s",
                               syntax->operands);
    for (uint32_t i = 0; (option = shell_option_at(syntax, i, &offset)) != NULL; i++)
        if (option->required && !parser->given[i])
            return shell_usage(syntax->command, "--%s is missing", option->name);
    return 0;
}

int shell_parse_options(const struct shell_syntax *syntax, int argc, char **argv, void *values)
{
    struct parser parser = {.syntax = syntax, .values = values, .argc = argc, .argv = argv};
    struct shell_values *common = values;
    bool options = true;
    int code = 0;
    common->syntax = syntax;
    common->words = argv;
    common->word_count = argc;
    while (code == 0 && parser.next < argc && !common->help) {
        const char *word = argv[parser.next++];
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1] != '\0')
            code = parse_option(&parser, word);
        else
            code = shell_list_add(&common->operands, word);
    }
    return code == 0 && !common->help ? check_complete(&parser) : code;
}

static void append_word(struct cm_buffer *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,:/@%^";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        cm_buffer_printf(text, " %s", word);
        return;
    }
    cm_buffer_printf(text, " '");
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'')
            cm_buffer_printf(text, "'\\''");
        else
            cm_buffer_append(text, c, 1);
    }
    cm_buffer_printf(text, "'");
}

void shell_command_line(const struct shell_values *values, struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s", shell_program_name);
    if (values->syntax->command != NULL)
        cm_buffer_printf(text, " %s", values->syntax->command);
    for (int i = 0; i < values->word_count; i++)
        append_word(text, values->words[i]);
}

void shell_values_finish(const struct shell_syntax *syntax, void *values)
{
    const struct shell_option *option;
    size_t offset;
    for (uint32_t i = 0; (option = shell_option_at(syntax, i, &offset)) != NULL; i++)
        if (option->kind == SHELL_LIST)
            free(((struct shell_list *)(void *)((char *)values + offset))->items);
    struct shell_values *common = values;
    free(common->operands.items);
    free(common->outputs.items);
    free(common->part);
}

int shell_choose(const char *command, const char *option, const char *text,
                 const char *const *names, uint32_t count, uint32_t *index)
{
    char list[128] = "";
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(list);
        *index = i;
        if (strcmp(text, names[i]) == 0)
            return 0;
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = cm_suggest(text, names, count);
    if (near != NULL)
        return shell_usage(command, "--%s is \"%s\", expected one of %s; did you mean \"%s\"?",
                           option, text, list, near);
    return shell_usage(command, "--%s is \"%s\", expected one of %s", option, text, list);
}

uint32_t shell_read_numbers(const char *text, char separator, uint64_t *numbers, uint32_t most)
{
    for (uint32_t count = 0; count < most; text++) {
        text = cm_text_number(text, &numbers[count++]);
        if (text == NULL || (*text != '\0' && *text != separator))
            return 0;
        if (*text == '\0')
            return count;
    }
    return 0;
}
