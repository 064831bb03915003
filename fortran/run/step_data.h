/* This header declares the data that a step "program" gives to the program and takes from it:
 * values of PARAMETERs, and files of arrays. It is not installed. */
#ifndef CM_FORTRAN_STEP_DATA_H
#define CM_FORTRAN_STEP_DATA_H

#include "../../programs/workload/step.h"
#include "run.h"

/* An array of the main program, and the file that it is loaded from or saved to. */
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

/* Reads the keys "parameters", "load" and "save" of a step, which are all optional. */
void cm_fortran_step_data_read(struct cm_workload *workload, struct cm_reader *reader,
                               struct cm_json body, struct cm_fortran_step_data *data);
/* These functions load the arrays that the key "load" names, and save those of the key "save". The
 * first also checks that arrays to be saved exist. An error gets its place in the workload. */
enum cm_status cm_fortran_step_load(const struct cm_fortran_step_data *data,
                                    struct cm_fortran_run *run, struct cm_error *err);
enum cm_status cm_fortran_step_save(const struct cm_fortran_step_data *data,
                                    struct cm_fortran_run *run, struct cm_error *err);

#endif
