/*
 * Random property tests: cases drawn from a seed, run on the simulated machine, compared with an
 * oracle that knows nothing of nodes. Prints TAP, one line a property.
 *
 *     property property [--machine FILE] [--cases N] [--seed S] [--case K] [--print] [--failures N]
 */
#include "../harness/program.h"
#include "../harness/tap.h"
#include "properties.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CASES UINT64_C(4000)
#define DEFAULT_SEED  UINT64_C(1994)
/* The laws and the interface take their own arrays; every so many cases one of each is enough. */
#define LAW_EVERY       2u
#define INTERFACE_EVERY 4u

static void run_case(const struct cm_bench *bench, struct cm_case *c, uint64_t seed,
                     uint64_t number)
{
    cm_case_generate(c, seed, number);
    cm_check_workload(bench, c);
    cm_check_exchanges(bench, c);
    if (number % LAW_EVERY == 0)
        cm_check_law(bench, seed, number);
    if (number % INTERFACE_EVERY == 0)
        cm_check_interface(bench, seed, number);
}

/* Prints a case as a workload. */
static int print_case(struct cm_case *c, const struct tap_options *options, uint64_t number)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_case_generate(c, options->seed, number);
    cm_case_emit(c, options->machine, &text);
    const bool ok = cm_buffer_ok(&text) && fputs(text.data, stdout) >= 0;
    cm_buffer_finish(&text);
    return ok ? 0 : 1;
}

CM_PROGRAM(property)
{
    struct tap_options options = {
        .machine = TAP_MACHINE, .cases = DEFAULT_CASES, .seed = DEFAULT_SEED};
    struct cm_report report = {.print_limit = 3};
    struct cm_bench bench = {.report = &report};
    uint64_t only = UINT64_MAX;
    bool print = false;
    const struct test_option more[] = {{"case", .number = &only},
                                       {"print", .flag = &print},
                                       {"failures", .number = &report.print_limit},
                                       {.name = NULL}};
    tap_options_read(argc, argv, &options, more);
    const bool one = only != UINT64_MAX;
    const uint64_t first = one ? only : 0, count = one ? 1 : options.cases;
    struct cm_case *c = malloc(sizeof(*c));
    if (c == NULL)
        die("out of memory");
    if (print) {
        const int code = print_case(c, &options, first);
        free(c);
        return code;
    }
    report.machine = bench.machine = options.machine;
    tap_config_read(&options, &bench.config);
    (void)printf("# seed %" PRIu64 "; one case again: --seed %" PRIu64 " --case K\n", options.seed,
                 options.seed);
    for (uint64_t k = first; k < first + count; k++)
        run_case(&bench, c, options.seed, k);
    (void)cm_report_finish(&report); /* "not ok" tells; the exit code of a TAP program is 0 */
    free(c);
    return 0;
}
