/* Options on the command line of tests and benchmarks. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void refuse(const char *word, const struct test_option *known)
{
    fprintf(stderr, "'%s' is not understood; options:", word);
    for (; known->name; known++)
        fprintf(stderr, known->flag ? " [--%s]" : " [--%s VALUE]", known->name);
    fprintf(stderr, "\n");
    exit(2);
}

/* Stores an option's value. Returns false if the text is not a number where one is wanted. */
static bool store(const struct test_option *option, const char *text)
{
    char *end = NULL;
    uint64_t number = 0;
    if (option->text) {
        *option->text = text;
        return true;
    }
    errno = 0;
    if (option->real)
        *option->real = strtod(text, &end);
    else
        number = strtoull(text, &end, 0);
    if (option->number)
        *option->number = number;
    if (option->count)
        *option->count = (uint32_t)number;
    return errno == 0 && end != text && *end == '\0' && *text != '-' &&
           (!option->count || number <= UINT32_MAX);
}

int options_read_first(int argc, char **argv, const struct test_option *known)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const struct test_option *option = known;
        while (option->name && strcmp(argv[i] + 2, option->name) != 0)
            option++;
        if (!option->name)
            refuse(argv[i], known);
        if (option->flag)
            *option->flag = true;
        else if (++i == argc || !store(option, argv[i]))
            refuse(argv[i == argc ? i - 1 : i], known);
    }
    return i;
}

void options_read(int argc, char **argv, const struct test_option *known)
{
    const int first = options_read_first(argc, argv, known);
    if (first < argc)
        refuse(argv[first], known);
}
