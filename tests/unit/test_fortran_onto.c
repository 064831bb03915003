/* Shifts of an array onto itself in CM Fortran: they are right, and take node memory for a boundary
 * layer and at most 1,024 words more, at all levels. The array has 40,960 of the 65,536 words of a
 * node, so that a copy does not fit. Under a WHERE it has fewer, because the masks take memory. */
#include "folder.h"
#include "fortran/run/step.h"
#include "machines.h"
#include "suite.h"

#include "programs/workload/workload.h"

#include <inttypes.h>

#define NODES   16u   /* 4 x 4 */
#define ROWS    160u  /* elements of a node along the first axis */
#define COLUMNS 256u  /* and along the second axis */
#define MORE    1024u /* most words besides the boundary layer */

static const struct {
    const char *statement;
    uint32_t layer; /* words that cross to another node, most at a time */
    const char *declaration;
    uint32_t masks; /* words of the masks of WHERE */
} cases[] = {
    {"a = cshift(a, 1, 1)", COLUMNS, NULL, 0},
    {"a = cshift(a, dim=2, shift=-3)", 3 * ROWS, NULL, 0},
    {"a = eoshift(a, 2, 1.5, 1)", 2 * COLUMNS, NULL, 0},
    {"a = eoshift(a, -1, dim=2)", ROWS, NULL, 0},
    {"a = 2 * cshift(a, 1, 1) + 1", COLUMNS, NULL, 0},
    {"a = s - abs(eoshift(a, -1, dim=2))", ROWS, NULL, 0},
    {"a = cshift(cshift(a, 1, 1), -2, 2)", 2 * ROWS, NULL, 0},
    {"a = cshift(a, 700, 1)", 60 * COLUMNS, NULL, 0},
    {"if (s > 1) then\na = cshift(a, n, 2)\nend if", ROWS, NULL, 0},
    {"do n = 1, 3\na = cshift(a, n, 1)\nend do", 3 * COLUMNS, NULL, 0},
    /* through several shifts */
    {"a = cshift(a, 1, 1) + cshift(a, -1, 1)", 2 * COLUMNS, NULL, 0},
    {"a = a + cshift(a, 1, 1)", COLUMNS, NULL, 0},
    {"a = a + cshift(a, 1, 1) + cshift(a, 1, 2)", COLUMNS + ROWS, NULL, 0},
    {"a = cshift(a, 1, 1) + cshift(a, -1, 1) + cshift(a, 1, 2) + cshift(a, -1, 2) - s * a",
     2 * COLUMNS + 2 * ROWS, NULL, 0},
    {"a = a - eoshift(a, 1, s, 1) * eoshift(a, -1, dim=2)", COLUMNS + ROWS, NULL, 0},
    {"a = cshift(a, 1, 2) - eoshift(a, -1, 0.5, 2)", 2 * ROWS, NULL, 0},
    {"a = cshift(a, n + 4, 2) - cshift(a, -n, 2)", 6 * ROWS, NULL, 0},
    {"a = max(cshift(a, 20, 2), cshift(a, -20, 2))", 40 * ROWS, NULL, 0},
    {"a = cshift(cshift(a, 1, 1), 1, 2) - cshift(cshift(a, -1, 1), -1, 2)",
     2 * (COLUMNS + ROWS + 2), NULL, 0},
    {"a = merge(cshift(a, 1, 1), a, eoshift(a, 1, dim=2) > 0.5)", COLUMNS + ROWS, NULL, 0},
    {"a = eoshift(eoshift(a, 1, dim=2), 1, dim=1) + a", COLUMNS + ROWS + 1, NULL, 0},
    {"a = cshift(a, 1) - cshift(a, -2)", 3, "real a(655360)", 0},
    {"a = a + eoshift(a, -300, s)", 300, "real a(655360)", 0},
    {"a = cshift(a, 1) - cshift(a, -1)", 4, "double precision a(327680)", 0},
    {"a = cshift(a, 1, 1) + cshift(a, -1, 1) + cshift(a, 1, 2) - cshift(a, 1, 3) * "
     "cshift(a, -1, 3)",
     2 * 20 * 50 + 32 * 50 + 2 * 32 * 20, "real a(64, 40, 200)", 0},
    {"a = cshift(a, 1, 1) + cshift(a, -2, 1) + cshift(a, 1, 2)", 160,
     "real a(160, 4096)\n!cmf$ layout a(:serial, :news)", 0},
    /* of expressions */
    {"a = cshift(a + 1.5, 1, 1)", COLUMNS, NULL, 0},
    {"a = cshift(s * a - cshift(abs(a), shift=1, dim=2), shift=-1, dim=1)", COLUMNS + 2 * ROWS,
     NULL, 0},
    {"a = eoshift(a, 2, s, 2) + cshift(max(a, 0.5), 30, 2)", 32 * ROWS, NULL, 0},
    /* in padded layouts */
    {"a = cshift(a, 1, 1) + cshift(a, -1, 1)", 2 * 250, "real a(650, 1000)", 0},
    {"a = a + cshift(a, 1, 1) - eoshift(a, -1, s, 2)", 250 + 163, "real a(650, 1000)", 0},
    {"a = eoshift(a, 1, s, 1) - eoshift(a, -1, s, 1) * cshift(a, 2, 2)", 2 * 250 + 2 * 163,
     "real a(650, 1000)", 0},
    {"a = cshift(cshift(a, 1, 1), -1, 2) - a", 252 + 163, "real a(650, 998)", 0},
    {"a = cshift(a, 3) - cshift(a, -5) * s", 8, "real a(655350)", 0},
    {"where (a > 0.5) a = cshift(a, 1, 1) - eoshift(a, -1, dim=1)", 2 * 176, "real a(382, 704)",
     2 * 96 * 176},
    /* of sections, which need a table of indices along each axis that they cut */
    {"a(2:639, :) = a(1:638, :) + a(3:640, :)", 2 * COLUMNS + ROWS, NULL, 0},
    {"a(2:639, 2:1023) = a(1:638, 2:1023) - s * a(2:639, 3:1024)", COLUMNS + ROWS, NULL, 0},
    {"a(1:600, 5:1000) = a(1:600, 4:999)", ROWS, NULL, 0},
    {"a(3:600:2, :) = 1", 0, NULL, 0},
    /* under a WHERE */
    {"where (a > 0.5) a = cshift(a, 1, 1)", 176, "real a(384, 704)", 2 * 96 * 176},
    {"where (cshift(a, 1, 1) > a) a = a - cshift(a, -1, 1) + eoshift(a, 1, s, 2)", 2 * 176 + 96,
     "real a(384, 704)", 2 * 96 * 176},
    {"where (a > 0.5)\na = cshift(a, 1, 1) + cshift(a, -1, 1)\nelsewhere\n"
     "a = eoshift(a, 1, dim=2)\nend where",
     2 * 176 + 96, "real a(384, 704)", 2 * 96 * 176},
};
#define CASES  ((int)(sizeof cases / sizeof cases[0]))
#define LEVELS 3

static struct cm_run *prepare(int number, int level, struct folder *folder,
                              struct cm_workload **workload)
{
    struct cm_run *run = NULL;
    struct cm_error err;
    char json[320];
    static const char *const sets[] = {"memory.words=65536"};
    const struct cm_run_options options = {.machine = "configs/cm200.json",
                                           .sets = sets,
                                           .set_count = 1,
                                           .nodes = NODES,
                                           .threads = 1};
    FILE *file = fopen(folder_path(folder, 0, "p.f90"), "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "program p\nreal s\n%s\nn = 1\ns = 2\ncall random_number(a)\n%s\nend\n",
            cases[number].declaration != NULL ? cases[number].declaration : "real a(640, 1024)",
            cases[number].statement);
    fclose(file);
    snprintf(json, sizeof json,
             "{\"format\": \"cm200-workload/1\", \"name\": \"t\", \"arrays\": {}, \"steps\": "
             "[{\"program\": {\"file\": \"p.f90\", \"level\": %d, \"cshift_order\": \"f90\"}}], "
             "\"check\": true}",
             level);
    ck_assert_msg(cm_workload_parse(folder_path(folder, 1, "w.json"), json, strlen(json), workload,
                                    &err) == CM_OK &&
                      cm_run_create(*workload, &options, &run, &err) == CM_OK,
                  "%s", err.message);
    return run;
}

START_TEST(it_is_right_and_takes_a_boundary_layer)
{
    const int number = _i / LEVELS;
    const char *statement = cases[number].statement;
    const int level = _i % LEVELS;
    struct folder folder;
    struct cm_workload *workload = NULL;
    struct cm_error err;
    folder_create(&folder);
    struct cm_run *run = prepare(number, level, &folder, &workload);
    struct cm_heap *heap = cm_run_system(run)->heap;
    const uint64_t used = cm_heap_measure(heap);
    ck_assert_uint_ge(used, cases[number].declaration != NULL ? 16000 : ROWS * COLUMNS);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "-O%d: %s: %s", level, statement,
                  err.message);
    ck_assert_uint_eq(cm_run_result(run)->mismatches, 0);
    ck_assert_msg(cm_heap_most(heap) - used <= cases[number].layer + cases[number].masks + MORE,
                  "-O%d: %s: %" PRIu64 " words", level, statement, cm_heap_most(heap) - used);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

CM_PROGRAM(test_fortran_onto)
{
    Suite *suite = suite_create("shifts onto themselves");
    TCase *tests = tcase_create("onto");
    ck_assert(cm_fortran_register());
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, it_is_right_and_takes_a_boundary_layer, 0, CASES * LEVELS);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
