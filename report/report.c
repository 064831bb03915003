/* Writes the fields of a report to JSON, and its text to the text target. */
#include "report.h"

#include <stdarg.h>

void cm_report(struct cm_report *report, const char *name, struct cm_value value)
{
    if (report->json != NULL)
        cm_json_write(report->json, name, value);
}

void cm_report_object_of(struct cm_report *report, const char *name,
                         const struct cm_json_member *members, size_t count)
{
    if (report->json != NULL)
        cm_json_write_object_of(report->json, name, members, count);
}

void cm_report_object(struct cm_report *report, const char *name)
{
    if (report->json != NULL)
        cm_json_write_object(report->json, name);
}

void cm_report_list(struct cm_report *report, const char *name)
{
    if (report->json != NULL)
        cm_json_write_list(report->json, name);
}

void cm_report_end(struct cm_report *report)
{
    if (report->json != NULL)
        cm_json_write_end(report->json);
}

void cm_report_text(struct cm_report *report, const char *format, ...)
{
    va_list arguments;
    if (report->text == NULL)
        return;
    va_start(arguments, format);
    cm_buffer_vprintf(report->text, format, arguments);
    va_end(arguments);
}

void cm_report_line(struct cm_report *report, const char *format, ...)
{
    va_list arguments;
    if (report->text == NULL)
        return;
    va_start(arguments, format);
    cm_buffer_vprintf(report->text, format, arguments);
    va_end(arguments);
    cm_buffer_append(report->text, "\n", 1);
}

void cm_report_table(struct cm_report *report, const char *name, const struct cm_table *table)
{
    if (report->json != NULL)
        cm_table_json(table, report->json, name);
    if (report->text != NULL)
        cm_table_text(table, report->style, report->text);
}
