/* Options on the command line of tests and benchmarks. */
#ifndef CM_TESTS_HARNESS_OPTIONS_H
#define CM_TESTS_HARNESS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* An option, and where its value goes: one of the pointers. A list ends with a name of NULL. */
struct test_option {
    const char *name;  /* without "--" */
    const char **text; /* --NAME TEXT */
    uint32_t *count;   /* --NAME N */
    uint64_t *number;  /* --NAME N */
    double *real;      /* --NAME X */
    bool *flag;        /* --NAME alone */
};

/* Reads the options of the command line. Prints the known ones and exits with 2 if a word is not an
 * option, or its value is missing or not a number. */
void options_read(int argc, char **argv, const struct test_option *known);

/* Reads options up to the first word that does not begin with "--", and returns the index of that
 * word, or argc. Other mistakes end the program as above. */
int options_read_first(int argc, char **argv, const struct test_option *known);

#endif
