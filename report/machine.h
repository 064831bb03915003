/* Writes the numbers of a machine description as JSON, for results, traces and tables. Internal to
 * the library. */
#ifndef CM_REPORT_MACHINE_H
#define CM_REPORT_MACHINE_H

#include "../sim/machine/config.h"
#include "json_writer.h"

/* Writes two members: "overrides", the numbers that the user set, and "machine_values", all numbers
 * that the run uses. */
void cm_json_write_machine(struct cm_json_writer *json, const struct cm_config *config);

#endif
