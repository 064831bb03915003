/* Writes CSV, field by field. */
#include "csv.h"

#include <string.h>

void cm_csv_begin(struct cm_csv *csv, struct cm_buffer *text, const char *headings)
{
    *csv = (struct cm_csv){.text = text};
    if (headings != NULL)
        cm_buffer_printf(text, "%s\n", headings);
}

static void put_quoted(struct cm_buffer *text, const char *value)
{
    cm_buffer_append(text, "\"", 1);
    for (const char *c = value; *c != '\0'; c++)
        cm_buffer_append(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    cm_buffer_append(text, "\"", 1);
}

void cm_csv_value(struct cm_csv *csv, struct cm_value value)
{
    char field[1 + CM_NUMBER_BYTES] = ",";
    size_t length = 1 + cm_value_print(value, field + 1);
    cm_buffer_append(csv->text, field + !csv->open, length - !csv->open);
    csv->open = true;
    if (value.type != CM_VALUE_TEXT)
        return;
    if (strpbrk(value.as.text, ",\"\r\n") != NULL)
        put_quoted(csv->text, value.as.text);
    else
        cm_buffer_append(csv->text, value.as.text, strlen(value.as.text));
}

void cm_csv_numbers(struct cm_csv *csv, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cm_csv_u64(csv, values[i]);
}

void cm_csv_empty(struct cm_csv *csv, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        cm_csv_value(csv, cm_text(NULL));
}

void cm_csv_end_row(struct cm_csv *csv)
{
    cm_buffer_append(csv->text, "\n", 1);
    csv->open = false;
}
