/* The functions of mpirun.h in a build without MPI. They never make a link. */
#include "mpirun.h"

bool cm_mpi_is_there(void)
{
    return false;
}

const char *cm_mpi_library(void)
{
    return "";
}

enum cm_status cm_mpi_start(struct cm_error *err)
{
    return cm_error_set(err, CM_INTERNAL, "compiled without MPI");
}

const struct cm_process_link *cm_mpi_link(void)
{
    return NULL;
}

int cm_mpi_end(int code, bool alone)
{
    (void)alone;
    return code;
}
