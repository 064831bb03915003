/* Shifts of an array onto itself in CM Fortran: they are right, and take node memory for a boundary
 * layer and at most 1,024 words more, at all levels. The array has 40,960 of the 65,536 words of a
 * node, so that a copy does not fit. */
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
} cases[] = {
    {"a = cshift(a, 1, 1)", COLUMNS},
    {"a = cshift(a, dim=2, shift=-3)", 3 * ROWS},
    {"a = eoshift(a, 2, 1.5, 1)", 2 * COLUMNS},
    {"a = eoshift(a, -1, dim=2)", ROWS},
    {"a = 2 * cshift(a, 1, 1) + 1", COLUMNS},
    {"a = s - abs(eoshift(a, -1, dim=2))", ROWS},
    {"a = cshift(cshift(a, 1, 1), -2, 2)", 2 * ROWS},
    {"a = cshift(a, 700, 1)", 60 * COLUMNS},
    {"if (s > 1) then\na = cshift(a, n, 2)\nend if", ROWS},
    {"do n = 1, 3\na = cshift(a, n, 1)\nend do", 3 * COLUMNS},
};
#define CASES  ((int)(sizeof cases / sizeof cases[0]))
#define LEVELS 3

static struct cm_run *prepare(const char *statement, int level, struct folder *folder,
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
    fprintf(file, "program p\nreal a(%u, %u), s\nn = 1\ns = 2\ncall random_number(a)\n%s\nend\n",
            4 * ROWS, 4 * COLUMNS, statement);
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
    const char *statement = cases[_i / LEVELS].statement;
    const int level = _i % LEVELS;
    struct folder folder;
    struct cm_workload *workload = NULL;
    struct cm_error err;
    folder_create(&folder);
    struct cm_run *run = prepare(statement, level, &folder, &workload);
    struct cm_heap *heap = cm_run_system(run)->heap;
    const uint64_t used = cm_heap_measure(heap);
    ck_assert_uint_ge(used, ROWS * COLUMNS);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "-O%d: %s: %s", level, statement,
                  err.message);
    ck_assert_uint_eq(cm_run_result(run)->mismatches, 0);
    ck_assert_msg(cm_heap_most(heap) - used <= cases[_i / LEVELS].layer + MORE,
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
