/* Runs a workload and prints its cycles by cause.
 * Build: cc run-workload.c $(pkg-config --cflags --libs cm200) -o run-workload */
#include <cm200/cm200.h>

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const struct cm_run_options options = {0};
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_error err = {0};
    enum cm_status status = cm_workload_read(argc > 1 ? argv[1] : "workload.json", &workload, &err);
    if (status == CM_OK)
        status = cm_run_create(workload, &options, &run, &err);
    if (status == CM_OK)
        status = cm_run_execute(run, &err);
    if (status == CM_OK) {
        const struct cm_counters *total = &cm_run_result(run)->total;
        printf("%s: %" PRIu64 " cycles\n", cm_workload_name(workload), total->cycles);
        for (unsigned i = 0; i < CM_CAUSE_COUNT; i++)
            if (total->by_cause[i] > 0)
                printf("%8" PRIu64 "  %s\n", total->by_cause[i], cm_cause_name((enum cm_cause)i));
    } else {
        char text[4096];
        cm_error_format(&err, text, sizeof text);
        fputs(text, stderr);
    }
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return cm_status_exit_code(status);
}
