/* The result of a run as JSON (format "cm200-result/1") and as the summary that people read. */
#ifndef CM_PROGRAMS_WORKLOAD_RESULT_H
#define CM_PROGRAMS_WORKLOAD_RESULT_H

#include "../../report/style.h"
#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the JSON text, integers exact, ends with a newline. docs/workload.md lists the keys. */
CM_API enum cm_status cm_result_json(const struct cm_result *result, struct cm_buffer *text,
                                     struct cm_error *err);
/* Appends what the result is of, as an object of JSON on one line: what traces, tables and pictures
 * of it say. It is known before the run. */
CM_API void cm_result_made_of(const struct cm_result *result, struct cm_buffer *text);

/* A style of report/style.h, and possibly this: without what the steps' kinds report more. */
#define CM_SUMMARY_COMMON 4u

/* Appends the summary table: steps, cycles, time, cycles by cause as bars, busiest channel, check.
 * `style` is a sum. */
CM_API void cm_result_summary(const struct cm_result *result, unsigned style,
                              struct cm_buffer *text);

#ifdef __cplusplus
}
#endif

#endif
