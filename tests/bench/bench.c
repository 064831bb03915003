/* The options of benchmarks. */
#include "bench.h"

#include <string.h>

static _Noreturn void refuse(const char *word, const struct bench_option *known)
{
    fprintf(stderr, "'%s' is not understood; options:", word);
    for (; known->name; known++)
        fprintf(stderr, known->flag ? " [--%s]" : " [--%s VALUE]", known->name);
    fprintf(stderr, "\n");
    exit(2);
}

/* Stores an option's value; returns false if the text is no number where one is wanted. */
static bool store(const struct bench_option *option, const char *text)
{
    char *end = NULL;
    if (option->text) {
        *option->text = text;
        return true;
    }
    if (option->real)
        *option->real = strtod(text, &end);
    else if (option->number)
        *option->number = strtoull(text, &end, 10);
    else
        *option->count = (uint32_t)strtoul(text, &end, 10);
    return end != text && *end == '\0';
}

void bench_options_read(int argc, char **argv, const struct bench_option *known)
{
    for (int i = 1; i < argc; i++) {
        const struct bench_option *option = known;
        while (option->name &&
               (strncmp(argv[i], "--", 2) != 0 || strcmp(argv[i] + 2, option->name) != 0))
            option++;
        if (!option->name)
            refuse(argv[i], known);
        if (option->flag)
            *option->flag = true;
        else if (++i == argc || !store(option, argv[i]))
            refuse(i == argc ? argv[i - 1] : argv[i], known);
    }
}
