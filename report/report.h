/*
 * Target of a report: JSON for programs, text for people, or both. A reporting function names each
 * field once. A field that only one of the two targets needs is written to that target alone.
 * Internal to the library.
 *
 * The room report/ makes tables, bars, charts, JSON and CSV from values (value.h). It never
 * accesses a simulated machine.
 */
#ifndef CM_REPORT_REPORT_H
#define CM_REPORT_REPORT_H

#include "json_writer.h"
#include "table.h"

struct cm_report {
    struct cm_json_writer *json; /* JSON target. NULL: no JSON is written */
    struct cm_buffer *text;      /* text target. NULL: no text is written */
    unsigned style;              /* style of the text: enum cm_style */
};

/* These functions write fields of the JSON target only. */
void cm_report(struct cm_report *report, const char *name, struct cm_value value);
#define cm_report_u64(report, name, value)    cm_report(report, name, cm_u64(value))
#define cm_report_f64(report, name, value)    cm_report(report, name, cm_f64(value))
#define cm_report_bool(report, name, value)   cm_report(report, name, cm_bool(value))
#define cm_report_string(report, name, value) cm_report(report, name, cm_text(value))
/* Writes an object on one line: cm_report_record(report, name, {"node", cm_u64(node)}). */
void cm_report_object_of(struct cm_report *report, const char *name,
                         const struct cm_json_member *members, size_t count);
#define cm_report_record(report, name, ...)                                                        \
    cm_report_object_of(report, name, (const struct cm_json_member[]){__VA_ARGS__},                \
                        sizeof((const struct cm_json_member[]){__VA_ARGS__}) /                     \
                            sizeof(struct cm_json_member))
void cm_report_object(struct cm_report *report, const char *name);
void cm_report_list(struct cm_report *report, const char *name);
void cm_report_end(struct cm_report *report);

/* These functions write only to the text target: cm_report_text the text as it is, and
 * cm_report_line a line. */
void cm_report_text(struct cm_report *report, const char *format, ...) CM_PRINTF(2, 3);
void cm_report_line(struct cm_report *report, const char *format, ...) CM_PRINTF(2, 3);

/* Writes a table to both targets: as a list of objects in JSON, and as lines of text. */
void cm_report_table(struct cm_report *report, const char *name, const struct cm_table *table);

#endif
