/*
 * What every Check program of ours ends with. Under Meson's TAP protocol (CK_TAP_LOG_FILE_NAME=-,
 * CK_VERBOSITY=silent) a program returns 0 even when tests fail, or Meson loses the count of
 * subtests; the TAP output tells the failures.
 */
#ifndef CM_TESTS_UNIT_SUITE_H
#define CM_TESTS_UNIT_SUITE_H

#include "../harness/program.h"
#include "quick_check.h"
#include <stdint.h>
#include <stdlib.h>

/* Assertions for inner loops: Check's own write a mark to a file each time they hold. Arguments are
 * evaluated twice when they fail. */
#define require(condition)                                                                         \
    do                                                                                             \
        if (!(condition))                                                                          \
            ck_abort_msg("not held: %s", #condition);                                              \
    while (0)
#define require_uint_eq(found, expected)                                                           \
    do                                                                                             \
        if ((uintmax_t)(found) != (uintmax_t)(expected))                                           \
            ck_assert_uint_eq(found, expected);                                                    \
    while (0)

/* Runs the suite in this process, which debuggers and sanitizers like best; CK_FORK=yes isolates
 * each test in its own. */
static inline int cm_run_suite(Suite *s)
{
    SRunner *runner = srunner_create(s);
    const char *fork_wanted = getenv("CK_FORK");
    if (!fork_wanted)
        srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 || getenv("CK_TAP_LOG_FILE_NAME") ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
