/*
 * What random tests share: their options, the end of a test that cannot go on, and a line of TAP
 * for each result.
 *
 * The number of cases that a test sets in `cases` is that of a thorough run. The variable
 * CM_TEST_PERCENT takes a share of it, and --cases N takes N.
 */
#ifndef CM_TESTS_HARNESS_TAP_H
#define CM_TESTS_HARNESS_TAP_H

#include "../../sim/machine/config.h"
#include "options.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_MACHINE "configs/cm200.json" /* from the source folder, where tests run */

struct tap_options {
    const char *machine; /* --machine FILE */
    uint64_t cases;      /* --cases N */
    uint64_t seed;       /* --seed N */
    bool cases_given;    /* true if --cases has set `cases` */
};

/* Reads the command line into `options` and the test's own options `more` (or NULL), which hold the
 * default values. --machine and --cases are options of a test that sets a default for them. Scales
 * `options->cases` if there is no --cases. Exits with 2 for a mistake. */
void tap_options_read(int argc, char **argv, struct tap_options *options,
                      const struct test_option *more);

/* Reads options up to the first other word, and returns its index, or argc. */
int tap_options_read_first(int argc, char **argv, struct tap_options *options,
                           const struct test_option *more);

/* Returns CM_TEST_PERCENT percent of `cases`, at least 1. */
uint64_t tap_cases(uint64_t cases);

/* Returns true in a run of all cases. Long exhaustive loops end earlier in any other. */
bool tap_thorough(void);

/* Prints "Bail out!" with the reason, and ends the program. */
_Noreturn void die(const char *what);
/* Dies with the error's message unless `status` is CM_OK. */
void must(enum cm_status status, const struct cm_error *err);
/* Reads the machine that the options name, or dies. */
void tap_config_read(const struct tap_options *options, struct cm_config *config);

/* Prints the line of result `number`. */
void tap_report(uint32_t number, bool good, const char *what);

/* Prints the number and seed of a case that is not good. Returns `good`. */
bool tap_case(const struct tap_options *options, uint64_t number, bool good);

/* Prints result `number`: whether each of the `forms` was in one of `part` cases at least. `found`
 * has the cases of each form. Fewer than 5 * `part` cases may leave a form out by chance. They pass
 * with a comment. */
bool tap_report_shares(uint32_t number, const uint32_t *found, size_t forms, uint64_t cases,
                       uint64_t part);

#endif
