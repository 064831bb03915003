/* Reads the rank and the number of processes from the environment variables that launchers of MPI
 * programs set. */
#include "mpirun.h"

#include <stdlib.h>

#define PROCESSES_MAX 1000000L

static uint32_t number_of(const char *name)
{
    const char *text = getenv(name);
    long number = text != NULL ? strtol(text, NULL, 10) : 0;
    return number > 0 && number <= PROCESSES_MAX ? (uint32_t)number : 0;
}

uint32_t cm_mpi_launched(uint32_t *rank)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI */
        {"PMI_SIZE", "PMI_RANK"},                         /* MPICH and compatible launchers */
    };
    *rank = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i][0]) != NULL && getenv(names[i][1]) != NULL) {
            *rank = number_of(names[i][1]);
            return number_of(names[i][0]) > 0 ? number_of(names[i][0]) : 1;
        }
    return 1;
}
