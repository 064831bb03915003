/*
 * Random property tests: cases drawn from a seed, run on the simulated machine, compared with an
 * oracle that knows nothing of nodes. Prints TAP, one line a property.
 *
 *     property property [--machine FILE] [--cases N] [--seed S] [--case K] [--print] [--failures N]
 */
#include "../harness/program.h"
#include "../harness/tap.h"
#include "properties.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CASES UINT64_C(4000)
#define DEFAULT_SEED  UINT64_C(1994)
/* The laws and the interface take their own arrays; every so many cases one of each is enough. */
#define LAW_EVERY       2u
#define INTERFACE_EVERY 4u

struct options {
    const char *machine;
    uint64_t cases;
    uint64_t seed;
    uint64_t only;
    bool one;   /* --case */
    bool print; /* --print: the case as a workload on stdout, nothing run */
    uint64_t failures;
};

static bool read_number(const char *text, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return errno == 0 && *text != '\0' && *text != '-' && *end == '\0';
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        bool good = true;
        if (strcmp(argv[i], "--print") == 0) {
            options->print = true;
            continue;
        }
        if (strcmp(argv[i], "--machine") == 0) {
            options->machine = value;
        } else if (strcmp(argv[i], "--cases") == 0) {
            good = read_number(value, &options->cases);
        } else if (strcmp(argv[i], "--seed") == 0) {
            good = read_number(value, &options->seed);
        } else if (strcmp(argv[i], "--failures") == 0) {
            good = read_number(value, &options->failures);
        } else if (strcmp(argv[i], "--case") == 0) {
            options->one = good = read_number(value, &options->only);
        } else {
            good = false;
        }
        if (!good)
            return false;
        i++;
    }
    return options->machine != NULL;
}

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

static int print_case(struct cm_case *c, const struct options *options)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_case_generate(c, options->seed, options->only);
    cm_case_emit(c, options->machine, &text);
    const bool ok = cm_buffer_ok(&text) && fputs(text.data, stdout) >= 0;
    cm_buffer_finish(&text);
    return ok ? 0 : 1;
}

CM_PROGRAM(property)
{
    struct options options = {.machine = TAP_MACHINE,
                              .cases = tap_cases(DEFAULT_CASES),
                              .seed = DEFAULT_SEED,
                              .failures = 3};
    struct cm_report report = {0};
    struct cm_bench bench = {.report = &report};
    struct cm_error error;
    struct cm_case *c = malloc(sizeof(*c));
    int code = 0;
    if (c == NULL || !read_options(argc, argv, &options)) {
        (void)fprintf(stderr,
                      "usage: %s --machine FILE [--cases N] [--seed S] [--case K] "
                      "[--print] [--failures N]\n",
                      argv[0]);
        free(c);
        return 2;
    }
    report.machine = bench.machine = options.machine;
    report.print_limit = options.failures;
    if (options.print) {
        code = print_case(c, &options);
    } else if (cm_config_read(options.machine, &bench.config, &error) != CM_OK) {
        char text[2048];
        (void)cm_error_format(&error, text, sizeof(text));
        (void)printf("Bail out! %s\n", text);
        code = 1;
    } else {
        (void)printf("# seed %" PRIu64 "; one case again: --seed %" PRIu64 " --case K\n",
                     options.seed, options.seed);
        const uint64_t first = options.one ? options.only : 0;
        const uint64_t count = options.one ? 1 : options.cases;
        for (uint64_t k = first; k < first + count; k++)
            run_case(&bench, c, options.seed, k);
        (void)cm_report_finish(&report); /* "not ok" tells; the exit code of a TAP program is 0 */
    }
    free(c);
    return code;
}
