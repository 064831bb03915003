/*
 * Level 1 of optimization: grouping, as P 5 says that an optimizing compiler would do it.
 *
 * Neighbouring assignments of whole arrays with one shape and layout become one IMP, if no
 * statement shifts an array that an earlier one assigns. Their shifts become one PSHIFT, and equal
 * shifts are made once. A group is formed when its first statement is executed, from the arrays
 * that the names are bound to at that time. So names in COMMON and dummy arguments hide nothing.
 * Not installed.
 */
#ifndef CM_FORTRAN_GROUP_H
#define CM_FORTRAN_GROUP_H

#include "machine.h"

/* Executes the assignments from statement `first` of run->frame on as one group. Stores their
 * number in *executed, or 0 if no group begins here and the statement must be executed by
 * itself. */
enum cm_status cm_fortran_group_execute(struct cm_fortran_run *run, uint32_t first,
                                        uint32_t *executed);

#endif
