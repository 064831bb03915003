/* FORALL on the machine. */
#include "machine_private.h"

enum cm_status cm_fortran_machine_forall(struct cm_fortran_run *run,
                                         const struct cm_fortran_forall *forall, bool *done)
{
    (void)run;
    (void)forall;
    *done = false;
    return CM_OK;
}
