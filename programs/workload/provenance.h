/* What made a result: the workload and the files that it reads, by their SHA-256, the seeds of its
 * arrays, and the machine's numbers. Internal to the library. */
#ifndef CM_PROGRAMS_WORKLOAD_PROVENANCE_H
#define CM_PROGRAMS_WORKLOAD_PROVENANCE_H

#include "../../report/json_writer.h"
#include "workload.h"

struct cm_run;

/* Of a run that several processes play: CM_BAD_INPUT when they read different workloads. */
enum cm_status cm_run_compare_workloads(const struct cm_run *run, struct cm_error *err);

/* Fills what the run's result says of it. The files are read for their hashes, but for the values
 * of arrays where the run moves no data. CM_IO, CM_NO_MEMORY; CM_BAD_INPUT when processes that play
 * it together have different files. */
enum cm_status cm_run_find_provenance(struct cm_run *run, struct cm_error *err);

/* "version", "workload_sha256", "files", "seed", "overrides", "machine_values". */
void cm_provenance_write(struct cm_json_writer *json, const struct cm_result *result);

/* How many numbers of the machine were changed by --set; `config` may be NULL. */
uint32_t cm_provenance_override_count(const struct cm_config *config);
/* " with exchange.cycles = 100", " with 3 numbers set": what follows a machine's name. */
void cm_provenance_title(const struct cm_config *config, struct cm_buffer *text);

#endif
