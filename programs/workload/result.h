/* Result of a run as JSON (format "cm200-result/1", docs/workload.md) and as a summary for
 * people. */
#ifndef CM_PROGRAMS_WORKLOAD_RESULT_H
#define CM_PROGRAMS_WORKLOAD_RESULT_H

#include "../../report/style.h"
#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends to the text the result as JSON with exact integers, ended by a newline. */
CM_API enum cm_status cm_result_json(const struct cm_result *result, struct cm_buffer *text,
                                     struct cm_error *err);
/* Appends to the text the provenance of the result as a JSON object on one line, for traces, tables
 * and pictures. The provenance is known before execution. */
CM_API void cm_result_made_of(const struct cm_result *result, struct cm_buffer *text);

/* Flag that can be added to the styles of report/style.h: omit the parts that only some kinds of
 * steps report. */
#define CM_SUMMARY_COMMON 4u

/* Appends to the text the summary: steps, cycles, time, cycles by cause as bars, busiest channel,
 * check. `style` is a sum of flags. */
CM_API void cm_result_summary(const struct cm_result *result, unsigned style,
                              struct cm_buffer *text);

#ifdef __cplusplus
}
#endif

#endif
