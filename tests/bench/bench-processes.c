/*
 * Exchanges between processes: bytes a second that the exchange over the highest dimension moves to
 * the partner, next to those of the link alone, and, under mpirun, of plain MPI_Sendrecv.
 *
 *     bench-processes [PROCESSES]                 of this host, without MPI (2)
 *     mpirun -n PROCESSES bench-processes         where the program has MPI
 */
#include "../../base/processes.h"
#include "../../isa/imp.h"
#include "../../processes/local.h"
#include "../../processes/mpirun.h"
#include "../../programs/validation/published.h"
#include "../../sim/machine/machine.h"
#include "bench.h"

#include <string.h>
#ifdef CM_BENCH_MPI
#include <mpi.h>
#endif

#define BYTES_EACH (UINT64_C(1) << 26) /* moved by each measurement */
#define ROUNDS     3

/* Exchanges over a slot, each of a plane that is loaded before. */
static struct cm_imp *assemble(const struct cm_config *config, uint32_t slot, uint64_t times)
{
    char text[256];
    struct cm_imp *imp;
    struct cm_error err = {0};
    struct cm_imp_limits limits = cm_config_imp_limits(config);
    int length = snprintf(text, sizeof text,
                          ".imp bench\n    aset r0, 0\nagain: loop %llu\n    load A.%u, [r0]\n"
                          "    exchange\n    next again\n    halt\n",
                          (unsigned long long)times, slot);
    stop(cm_imp_assemble("bench.imp", text, (size_t)length, &limits, &imp, &err), &err);
    return imp;
}

static double run(struct cm_machine *machine, struct cm_imp *imp)
{
    struct cm_error err = {0};
    double best = 1e9;
    stop(cm_machine_load_imp(machine, imp, &err), &err);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_seconds();
        stop(cm_machine_run(machine, imp, NULL, CM_ENTRY_IMP, &err), &err);
        double seconds = now_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    cm_machine_unload_imp(machine, imp);
    cm_imp_destroy(imp);
    return best;
}

/* With a load before each exchange, as every exchange has one. */
static double exchange_seconds(uint32_t nodes, uint64_t times)
{
    static const char *const sets[] = {"network.dimensions=26", "transposer.slots=64"};
    struct cm_config config;
    struct cm_machine *machine;
    struct cm_error err = {0};
    const struct cm_machine_options options = {.nodes = nodes, .threads = 1};
    stop(cm_config_read("cm200", &config, &err), &err);
    stop(cm_config_set(&config, sets, 2, &err), &err);
    stop(cm_machine_create(&config, &options, &machine, &err), &err);
    stop(cm_machine_clear_planes(machine, 0, 2, &err), &err);
    uint32_t slot = cm_slot_of_channel(64, cm_machine_dimensions(machine) - 1, 0);
    double seconds = run(machine, assemble(&config, slot, times));
    cm_machine_destroy(machine);
    return seconds;
}

static double link_seconds(const struct cm_process_link *link, char *from, char *to, size_t bytes,
                           uint64_t times)
{
    struct cm_error err = {0};
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_seconds();
        for (uint64_t i = 0; i < times; i++)
            if (!link->begin(link->context, link->rank ^ link->count / 2, from, to, bytes) ||
                !link->finish(link->context))
                stop(cm_processes_lost(link, &err), &err);
        double seconds = now_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    return best;
}

#ifdef CM_BENCH_MPI
static double plain_seconds(const struct cm_process_link *link, char *from, char *to, size_t bytes,
                            uint64_t times)
{
    int partner = (int)(link->rank ^ link->count / 2);
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_seconds();
        for (uint64_t i = 0; i < times; i++)
            MPI_Sendrecv(from, (int)bytes, MPI_BYTE, partner, 1, to, (int)bytes, MPI_BYTE, partner,
                         1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double seconds = now_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    return best;
}
#endif

/* One line of the table: a message of so many bytes. */
static void measure(const struct cm_process_link *link, size_t bytes)
{
    uint64_t times = BYTES_EACH / bytes < 1024 ? BYTES_EACH / bytes : 1024;
    uint32_t nodes = (uint32_t)(bytes / sizeof(uint32_t)) * link->count;
    char *from = calloc(1, bytes), *to = calloc(1, bytes);
    if (from == NULL || to == NULL)
        exit(cm_status_exit_code(CM_NO_MEMORY));
    double moved = (double)bytes * (double)times * 1e-9;
    double exchange = exchange_seconds(nodes, times);
    double bare = link_seconds(link, from, to, bytes, times), plain = bare;
#ifdef CM_BENCH_MPI
    if (cm_mpi_link() != NULL)
        plain = plain_seconds(link, from, to, bytes, times);
#endif
    if (link->rank == 0)
        printf("%9zu %13.2f %13.2f %13.2f %8.2f\n", bytes, moved / exchange, moved / bare,
               moved / plain, plain / exchange);
    fflush(stdout);
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    uint32_t rank, count = cm_mpi_launched(&rank);
    struct cm_local_processes *local = NULL;
    struct cm_error err = {0};
    if (count > 1)
        stop(cm_mpi_start(&err), &err);
    else
        stop(cm_local_start(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 2, &local, &err),
             &err);
    const struct cm_process_link *link = local != NULL ? cm_local_link(local) : cm_mpi_link();
    cm_processes_join(link);
    if (link->rank == 0)
        printf("GB a second to the partner, %s, %u processes\n"
               "  message  load+exchange     link alone  plain message    share\n"
               "    bytes      of planes\n",
               local != NULL ? "sockets of one host" : cm_mpi_library(), link->count);
    for (size_t bytes = 1024; bytes <= (size_t)16 << 20; bytes *= 4)
        measure(link, bytes);
    if (local == NULL)
        return cm_mpi_end(0, false);
    stop(cm_local_end(local, 0, &err), &err);
    return 0;
}
