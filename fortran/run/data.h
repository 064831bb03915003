/* This header declares how arrays of the main program are loaded from .npy files before the program
 * runs, and saved to .npy files afterwards. It is not installed. */
#ifndef CM_FORTRAN_DATA_H
#define CM_FORTRAN_DATA_H

#include "run.h"

/*
 * These functions copy all elements of the array `name`: cm_fortran_run_load() from a file,
 * cm_fortran_run_save() to a file. The case of the name does not matter. The array may be in the
 * front end or on the machine. No cycles are charged. The functions return CM_BAD_INPUT, without a
 * place in the source, if there is no array of this name, if it is not allocated, or if the file
 * has another shape or type. On a machine without data (timing only) a load only checks the file.
 */
enum cm_status cm_fortran_run_load(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err);
enum cm_status cm_fortran_run_save(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err);
/* Fails with the error of cm_fortran_run_load() if the main program has no array of this name. */
enum cm_status cm_fortran_run_check_array(struct cm_fortran_run *run, const char *name,
                                          struct cm_error *err);

/* Describes array number `i`, from 0, of those arrays of the main program that exist now. Returns
 * false past the last array. */
struct cm_fortran_values;
bool cm_fortran_run_values_at(const struct cm_fortran_run *run, uint32_t i,
                              struct cm_fortran_values *values);
/* These functions copy all elements of array number `i`, in Fortran order: to the caller's memory,
 * or from it. No cycles are charged. */
enum cm_status cm_fortran_run_values_read(struct cm_fortran_run *run, uint32_t i, void *elements,
                                          struct cm_error *err);
enum cm_status cm_fortran_run_values_write(struct cm_fortran_run *run, uint32_t i,
                                           const void *elements, struct cm_error *err);

#endif
