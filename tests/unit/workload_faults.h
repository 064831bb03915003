/*
 * Faults of workloads: a text with an @ at the place that the message must name, and what message
 * and hint must say.
 */
#ifndef CM_TESTS_UNIT_WORKLOAD_FAULTS_H
#define CM_TESTS_UNIT_WORKLOAD_FAULTS_H

#include "machines.h"
#include "suite.h"

#include "programs/workload/workload.h"

#include <stdio.h>
#include <string.h>

#define HEAD "{ \"format\": \"cm200-workload/1\", \"nodes\": 4,\n  \"arrays\": {\n"
#define ARRAYS                                                                                     \
    "    \"a\": {\"shape\": [8, 4], \"type\": \"real64\", \"init\": {\"random\": 1}},\n"           \
    "    \"b\": {\"like\": \"a\"},\n"                                                              \
    "    \"row\": {\"shape\": [4], \"type\": \"real64\"},\n"                                       \
    "    \"n\": {\"shape\": [8, 4], \"type\": \"int32\"},\n"                                       \
    "    \"t\": {\"shape\": [4, 8], \"type\": \"logical\"}\n"
#define MIDDLE "  },\n  \"scalars\": {\"half\": 0.5, \"i\": [0, 1]},\n  \"steps\": [\n"
#define TAIL   "\n  ]\n}\n"

/* An @ in the text marks the place that the message must name; it is taken out before the text is
 * read. */
struct fault {
    const char *text;    /* stands in for the arrays or the steps */
    const char *message; /* part of it */
    const char *hint;    /* part of it, or NULL */
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

struct mark {
    uint32_t line, column;
};

/* Takes the @ out of `text` and says where it was. */
static inline struct mark take_mark(char *text)
{
    struct mark mark = {1, 1};
    char *at = strchr(text, '@');
    ck_assert_msg(at != NULL, "no mark in %s", text);
    for (const char *c = text; c < at; c++) {
        mark.line += *c == '\n';
        mark.column = *c == '\n' ? 1 : mark.column + 1;
    }
    memmove(at, at + 1, strlen(at));
    return mark;
}

/* Asserts on the place and the words; what is found is shown whole. */
static inline void expect_error(const struct cm_error *err, struct mark mark,
                                const struct fault *fault)
{
    char shown[3000];
    cm_error_format(err, shown, sizeof shown);
    ck_assert_msg(err->status == CM_BAD_INPUT && err->line == mark.line &&
                      err->column == mark.column && strstr(err->message, fault->message) != NULL &&
                      (fault->hint == NULL || strstr(err->hint, fault->hint) != NULL),
                  "expected %u:%u ...%s...\nfound %s", mark.line, mark.column, fault->message,
                  shown);
    ck_assert(err->source[0] != '\0');
}

static inline void expect_fault(char *text, const struct fault *fault)
{
    struct cm_workload *workload = NULL;
    struct cm_error err;
    struct mark mark = take_mark(text);
    memset(&err, 0, sizeof err);
    ck_assert_msg(cm_workload_parse("w.json", text, strlen(text), &workload, &err) != CM_OK,
                  "accepted: %s", text);
    ck_assert_ptr_null(workload);
    ck_assert_str_eq(err.file, "w.json");
    expect_error(&err, mark, fault);
}

/* Parses a workload of these arrays and steps and prepares it on the CM-200; `mark` NULL: there is
 * no @ in it. */
static inline enum cm_status prepare(const char *arrays, const char *steps, const char *check,
                                     struct cm_run_options *options, struct mark *mark,
                                     struct cm_workload **workload, struct cm_run **run,
                                     struct cm_error *err)
{
    static const char *const form = "{ \"format\": \"cm200-workload/1\", \"nodes\": 4, \"check\": "
                                    "%s,\n  \"arrays\": {\n%s\n  },\n"
                                    "  \"scalars\": {\"half\": 0.5},\n  \"steps\": [\n%s" TAIL;
    char text[4096];
    struct cm_config config = cm200_config();
    snprintf(text, sizeof text, form, check, arrays, steps);
    if (mark != NULL)
        *mark = take_mark(text);
    options->config = &config;
    options->threads = 1;
    memset(err, 0, sizeof *err);
    *run = NULL;
    ck_assert_msg(cm_workload_parse("w.json", text, strlen(text), workload, err) == CM_OK, "%s",
                  err->message);
    return cm_run_create(*workload, options, run, err);
}

#endif
