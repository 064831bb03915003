/* Arrays of the main program from .npy files, before it runs, and to them afterwards. Not
 * installed. */
#ifndef CM_FORTRAN_DATA_H
#define CM_FORTRAN_DATA_H

#include "run.h"

/*
 * The elements of the array `name`, in either case, wherever its home is; nothing is charged.
 * CM_BAD_INPUT, without a place, when there is no such array, when it is not allocated, and when
 * the file has another shape or type. A machine without data (timing only) checks the file alone.
 */
enum cm_status cm_fortran_run_load(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err);
enum cm_status cm_fortran_run_save(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err);
/* Refuses a name that no array of the main program has, as these two do. */
enum cm_status cm_fortran_run_check_array(struct cm_fortran_run *run, const char *name,
                                          struct cm_error *err);

#endif
