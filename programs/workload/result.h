/* The result of a run as JSON (format "cm200-result/1") and as the summary that people read. */
#ifndef CM_PROGRAMS_WORKLOAD_RESULT_H
#define CM_PROGRAMS_WORKLOAD_RESULT_H

#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the JSON text, integers exact, ends with a newline. docs/workload.md lists the keys. */
CM_API enum cm_status cm_result_json(const struct cm_result *result, struct cm_buffer *text,
                                     struct cm_error *err);
/* How the summary may look. */
enum cm_summary_style {
    CM_SUMMARY_PLAIN = 0,
    CM_SUMMARY_COLOUR = 1,     /* terminal escapes */
    CM_SUMMARY_UTF8 = 2,       /* bars of block characters; '#' otherwise */
    CM_SUMMARY_NO_NETWORK = 4, /* leaves out what went on in the network in shift and route steps */
};

/* Appends the summary table: steps, cycles, time, cycles by cause as bars, busiest channel, check.
 * `style` is a sum. */
CM_API void cm_result_summary(const struct cm_result *result, unsigned style,
                              struct cm_buffer *text);

#ifdef __cplusplus
}
#endif

#endif
