/* The files that a workload names; the golden case files-from-others shows which are refused. */
#include "programs/workload/files.h"
#include "programs/workload/workload.h"
#include "suite.h"

/* Relative to the workload's folder, in the order of the file. */
START_TEST(every_file_that_a_workload_names_is_in_one_list)
{
    static const char text[] =
        "{\"format\": \"cm200-workload/1\", \"machine\": \"../m.json\", \"arrays\": {"
        "\"a\": {\"shape\": [8], \"type\": \"int32\", \"init\": {\"npy\": \"in.npy\"}}},"
        "\"steps\": [{\"repeat\": {\"times\": 2, \"steps\": [{\"imp\": {\"file\": \"k.imp\"}}]}},"
        "{\"route\": {\"pattern\": \"list\", \"list\": \"/l.csv\"}}], \"save\": {\"a\": "
        "\"in.npy\"}}";
    static const struct {
        enum cm_workload_file_kind kind;
        const char *path;
    } expected[] = {
        {CM_WORKLOAD_MACHINE, "far/../m.json"}, {CM_WORKLOAD_VALUES, "far/in.npy"},
        {CM_WORKLOAD_DATA, "far/k.imp"},        {CM_WORKLOAD_DATA, "/l.csv"},
        {CM_WORKLOAD_SAVE, "far/in.npy"},
    };
    struct cm_workload *workload;
    struct cm_error err;
    ck_assert_int_eq(cm_workload_parse("far/w.json", text, sizeof text - 1, &workload, &err),
                     CM_OK);
    const struct cm_workload_file *file = cm_workload_files(workload);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, file = file->next) {
        ck_assert_ptr_nonnull(file);
        ck_assert_int_eq(file->kind, expected[i].kind);
        ck_assert_str_eq(file->path, expected[i].path);
    }
    ck_assert_ptr_null(file);
    cm_workload_destroy(workload);
}
END_TEST

CM_PROGRAM(test_workload_files)
{
    Suite *s = suite_create("workload files");
    TCase *files = tcase_create("files");
    tcase_add_test(files, every_file_that_a_workload_names_is_in_one_list);
    suite_add_tcase(s, files);
    return cm_run_suite(s);
}
