/* Provenance of a result: SHA-256 of the workload and of the files that it reads, seeds of its
 * arrays, and the machine's numbers. Two results with equal provenance are comparable. This header
 * is internal to the library. */
#ifndef CM_PROGRAMS_WORKLOAD_PROVENANCE_H
#define CM_PROGRAMS_WORKLOAD_PROVENANCE_H

#include "../../report/json_writer.h"
#include "workload.h"

struct cm_run;

/* Fails with CM_BAD_INPUT if the processes that simulate one machine read different workloads. */
enum cm_status cm_run_compare_workloads(const struct cm_run *run, struct cm_error *err);

/* Fills in the provenance of the run's result. Hashes every file that the run reads, except first
 * values of arrays in a timing-only run. Fails with CM_IO, CM_NO_MEMORY, or CM_BAD_INPUT if the
 * processes that simulate the machine have different files. */
enum cm_status cm_run_find_provenance(struct cm_run *run, struct cm_error *err);

/* Writes the provenance as JSON members "version", "workload_sha256", "files", "seed", "given",
 * "overrides" and "machine_values". */
void cm_provenance_write(struct cm_json_writer *json, const struct cm_result *result);

/* Returns how many numbers of the machine the option --set has changed. `config` may be NULL. */
uint32_t cm_provenance_override_count(const struct cm_config *config);
/* Appends the numbers that --set has changed, to stand after a machine's name: " with
 * exchange.cycles = 100", or " with 3 numbers set". */
void cm_provenance_title(const struct cm_config *config, struct cm_buffer *text);

#endif
