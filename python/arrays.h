/* Arrays of a run for the Python module: those of a workload, or those of the main program of a CM
 * Fortran program. Arrays count from 0. */
#ifndef CM_PYTHON_ARRAYS_H
#define CM_PYTHON_ARRAYS_H

#include "../programs/workload/workload.h"

struct cm_python_array {
    const char *name; /* name, in lower case for an array of a Fortran program */
    enum cm_type type;
    uint32_t rank;
    uint64_t shape[CM_RANK_MAX];
};
/* Describes array number `i`. Returns false past the last array. The arrays of a program are there
 * if the program is the only step. */
bool cm_python_array_at(struct cm_run *run, uint32_t i, struct cm_python_array *array);
/* Copies all elements of array number `i` to the caller's memory, in Fortran order. */
enum cm_status cm_python_array_read(struct cm_run *run, uint32_t i, void *elements,
                                    struct cm_error *err);
/* Sets all elements of array number `i` before the run begins. */
enum cm_status cm_python_array_give(struct cm_run *run, uint32_t i, const void *elements,
                                    struct cm_error *err);

#endif
