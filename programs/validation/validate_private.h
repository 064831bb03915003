/* Runs of workloads that the validation generates. This header is not installed. */
#ifndef CM_PROGRAMS_VALIDATION_VALIDATE_PRIVATE_H
#define CM_PROGRAMS_VALIDATION_VALIDATE_PRIVATE_H

#include "validate.h"

struct cm_validate_job {
    struct cm_workload *workload;
    struct cm_run *run;
};

/* Parses the text of a workload and creates a run of it. The caller calls cm_validate_job_end
 * afterwards, also after a failure. */
enum cm_status cm_validate_job_begin(const struct cm_buffer *text, const struct cm_run_options *how,
                                     struct cm_validate_job *job, struct cm_error *err);
/* Executes the run of a job, with options->watch as the callback. */
enum cm_status cm_validate_job_execute(const struct cm_validate_options *options,
                                       struct cm_validate_job *job, struct cm_error *err);
void cm_validate_job_end(struct cm_validate_job *job);

/* Fails if the machine has fewer nodes than the machine of the published timings. */
enum cm_status cm_validate_check_nodes(const struct cm_config *config, struct cm_error *err);

double cm_validate_now_seconds(void);

#endif
