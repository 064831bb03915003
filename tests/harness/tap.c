/* Options, scale and results of random tests. */
#include "tap.h"

#include "../../base/error.h"

#include <assert.h>

#define OPTIONS_MAX      10u
#define NOT_GIVEN        UINT64_MAX
#define THOROUGH_PERCENT 100
#define SHARES_LEAST     UINT64_C(5) /* cases expected of a form; chance can leave out fewer */

static uint64_t percent(void)
{
    const char *text = getenv("CM_TEST_PERCENT");
    char *end = NULL;
    const uint64_t value = text ? strtoull(text, &end, 10) : THOROUGH_PERCENT;
    if (text && (end == text || *end)) {
        fprintf(stderr, "CM_TEST_PERCENT is '%s'; it must be a number\n", text);
        exit(2);
    }
    return value;
}

uint64_t tap_cases(uint64_t cases)
{
    const uint64_t share = cases * percent() / 100;
    return share > 0 ? share : 1;
}

bool tap_thorough(void)
{
    return percent() >= THOROUGH_PERCENT;
}

bool tap_report_shares(uint32_t number, const uint32_t *found, size_t forms, uint64_t cases,
                       uint64_t part)
{
    bool good = true;
    if (cases < SHARES_LEAST * part)
        printf("# %" PRIu64 " cases are too few to look for every form\n", cases);
    else
        for (size_t i = 0; i < forms; i++)
            good = found[i] >= cases / part && good;
    tap_report(number, good, "every form has its share of the cases");
    return good;
}

/* Lists the options of all random tests that this test has, and those of its own. */
static void list_options(struct test_option known[OPTIONS_MAX], struct tap_options *options,
                         uint64_t *cases, const struct test_option *more)
{
    uint32_t count = 0;
    if (options->machine)
        known[count++] = (struct test_option){.name = "machine", .text = &options->machine};
    if (options->cases > 0)
        known[count++] = (struct test_option){.name = "cases", .number = cases};
    known[count++] = (struct test_option){.name = "seed", .number = &options->seed};
    for (; more && more->name; more++) {
        assert(count + 1 < OPTIONS_MAX);
        known[count++] = *more;
    }
    known[count] = (struct test_option){.name = NULL};
}

static void set_cases(struct tap_options *options, uint64_t given)
{
    options->cases_given = given != NOT_GIVEN;
    options->cases = options->cases_given ? given : tap_cases(options->cases);
}

void tap_options_read(int argc, char **argv, struct tap_options *options,
                      const struct test_option *more)
{
    struct test_option known[OPTIONS_MAX];
    uint64_t cases = NOT_GIVEN;
    list_options(known, options, &cases, more);
    options_read(argc, argv, known);
    set_cases(options, cases);
}

int tap_options_read_first(int argc, char **argv, struct tap_options *options,
                           const struct test_option *more)
{
    struct test_option known[OPTIONS_MAX];
    uint64_t cases = NOT_GIVEN;
    list_options(known, options, &cases, more);
    const int first = options_read_first(argc, argv, known);
    set_cases(options, cases);
    return first;
}

bool tap_case(const struct tap_options *options, uint64_t number, bool good)
{
    if (!good)
        printf("# case %" PRIu64 " of seed %" PRIu64 "\n", number, options->seed);
    return good;
}

void die(const char *what)
{
    printf("Bail out! %s\n", what);
    exit(1);
}

void must(enum cm_status status, const struct cm_error *err)
{
    char text[2048];
    if (status == CM_OK)
        return;
    cm_error_format(err, text, sizeof text);
    die(text);
}

void tap_config_read(const struct tap_options *options, struct cm_config *config)
{
    struct cm_error err;
    must(cm_config_read(options->machine, config, &err), &err);
}

void tap_report(uint32_t number, bool good, const char *what)
{
    printf("%sok %" PRIu32 " - %s\n", good ? "" : "not ", number, what);
    fflush(stdout);
}
