/*
 * -O1: what P 5 says an optimized compiler would do. Neighbouring assignments of whole arrays that
 * do not depend on each other become one IMP, and their shifts one PSHIFT; equal shifts are made
 * once. Statements are grouped when they are played, with the arrays that they then name, so COMMON
 * and dummy arguments are seen through. Not installed.
 */
#ifndef CM_FORTRAN_GROUP_H
#define CM_FORTRAN_GROUP_H

#include "machine.h"

/* Statements of a group, at most. */
#define CM_FORTRAN_GROUP_MAX 16u

/*
 * Plays the assignments from statement `first` on as one group, if there is a group: *executed is how
 * many they are, 0 if the statement must be played by itself.
 */
enum cm_status cm_fortran_group_execute(struct cm_fortran_run *run, uint32_t first,
                                        uint32_t *executed);

#endif
