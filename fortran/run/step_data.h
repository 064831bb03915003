/* Data that a step gives to a program, and takes from it: values of PARAMETERs, and files of
 * arrays. Not installed. */
#ifndef CM_FORTRAN_STEP_DATA_H
#define CM_FORTRAN_STEP_DATA_H

#include "../../programs/workload/step.h"
#include "run.h"

/* An array of the main program and its file. */
struct cm_fortran_step_file {
    const char *array;
    struct cm_json json;
    const struct cm_workload_file *file;
};

struct cm_fortran_step_data {
    struct cm_fortran_parameter *parameters;
    uint32_t parameter_count;
    struct cm_fortran_step_file *loads, *saves;
    uint32_t load_count, save_count;
};

/* Reads the keys "parameters", "load" and "save" of a step. All are optional. */
void cm_fortran_step_data_read(struct cm_workload *workload, struct cm_reader *reader,
                               struct cm_json body, struct cm_fortran_step_data *data);
/* Loads the arrays of "load", and checks that those of "save" exist. An error gets its place in the
 * workload. */
enum cm_status cm_fortran_step_load(const struct cm_fortran_step_data *data,
                                    struct cm_fortran_run *run, struct cm_error *err);
enum cm_status cm_fortran_step_save(const struct cm_fortran_step_data *data,
                                    struct cm_fortran_run *run, struct cm_error *err);

#endif
