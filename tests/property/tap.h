/* What the property tests that are programs of their own share: their options, and a line of TAP
 * for each result. */
#ifndef CM_TESTS_PROPERTY_TAP_H
#define CM_TESTS_PROPERTY_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tap_options {
    const char *machine; /* --machine FILE */
    uint64_t cases;      /* --cases N */
    uint64_t seed;       /* --seed N */
};

/* Reads what is given into `options`, which holds what is not. */
static inline void tap_options_read(int argc, char **argv, struct tap_options *options)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--machine") == 0)
            options->machine = argv[i + 1];
        else if (strcmp(argv[i], "--cases") == 0)
            options->cases = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            options->seed = strtoull(argv[i + 1], NULL, 10);
    }
}

static inline void tap_report(uint32_t number, bool good, const char *what)
{
    printf("%sok %" PRIu32 " - %s\n", good ? "" : "not ", number, what);
    fflush(stdout);
}

#endif
