/*
 * This header declares level 1 of optimization: groups of statements. Section 5 of the PSHIFT paper
 * says that an optimizing compiler would make such groups.
 *
 * Neighbouring assignments of whole arrays with one shape and layout become one IMP, if no
 * statement shifts an array that an earlier statement of the group assigns. The shifts of the group
 * become one PSHIFT, and equal shifts are made once. A group is formed when its first statement is
 * executed, from the arrays that the names are bound to at that time. So the group knows which
 * names in COMMON or among dummy arguments are the same array. This header is not installed.
 */
#ifndef CM_FORTRAN_GROUP_H
#define CM_FORTRAN_GROUP_H

#include "machine.h"

/* Executes the assignments from statement `first` of the current unit on as one group. Sets
 * *executed to their number, or to 0 if no group begins here and the caller must execute the
 * statement. */
enum cm_status cm_fortran_group_execute(struct cm_fortran_run *run, uint32_t first,
                                        uint32_t *executed);

#endif
