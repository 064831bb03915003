/* Loading arrays of the main program from .npy files before it runs, and saving them afterwards.
 * Not installed. */
#ifndef CM_FORTRAN_DATA_H
#define CM_FORTRAN_DATA_H

#include "run.h"

/*
 * Copies all elements of the array `name`: _load from a file, _save to a file. The name's case does
 * not matter, nor does the array's home. Nothing is charged. Returns CM_BAD_INPUT, without a place
 * in the source, if there is no such array, if it is not allocated, or if the file has another
 * shape or type. On a machine without data (timing only) a load only checks the file.
 */
enum cm_status cm_fortran_run_load(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err);
enum cm_status cm_fortran_run_save(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err);
/* Fails, like cm_fortran_run_load, if the main program has no array of this name. */
enum cm_status cm_fortran_run_check_array(struct cm_fortran_run *run, const char *name,
                                          struct cm_error *err);

#endif
