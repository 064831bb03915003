/* Options, scale and results of random tests. */
#include "tap.h"

#include "../../base/error.h"

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

/* Prints what is wrong with the command line, and ends the program. */
static _Noreturn void refuse(const char *word, const struct tap_number *more)
{
    fprintf(stderr, "'%s' is not understood; options: [--machine FILE] [--cases N] [--seed N]",
            word);
    for (; more && more->name; more++)
        fprintf(stderr, " [--%s N]", more->name);
    fprintf(stderr, "\n");
    exit(2);
}

static uint64_t *number_named(const char *name, struct tap_options *options,
                              const struct tap_number *more)
{
    if (strcmp(name, "cases") == 0) {
        options->cases_given = true;
        return &options->cases;
    }
    if (strcmp(name, "seed") == 0)
        return &options->seed;
    for (; more && more->name; more++)
        if (strcmp(more->name, name) == 0)
            return more->value;
    return NULL;
}

void tap_options_read(int argc, char **argv, struct tap_options *options,
                      const struct tap_number *more)
{
    for (int i = 1; i < argc; i += 2) {
        if (strncmp(argv[i], "--", 2) != 0 || i + 1 == argc)
            refuse(argv[i], more);
        if (strcmp(argv[i], "--machine") == 0) {
            options->machine = argv[i + 1];
            continue;
        }
        uint64_t *value = number_named(argv[i] + 2, options, more);
        char *end = argv[i + 1];
        if (value)
            *value = strtoull(argv[i + 1], &end, 0);
        if (!value || end == argv[i + 1] || *end)
            refuse(value ? argv[i + 1] : argv[i], more);
    }
    if (!options->cases_given)
        options->cases = tap_cases(options->cases);
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
