/* CSV, field by field. */
#include "csv.h"

#include "numbers.h"

#include <string.h>

/* The longest field that is written with its comma at once. */
#define FIELD_BYTES (1 + CM_NUMBER_BYTES)

void cm_csv_begin(struct cm_csv *csv, struct cm_buffer *text, const char *headings)
{
    *csv = (struct cm_csv){.text = text};
    if (headings != NULL)
        cm_buffer_printf(text, "%s\n", headings);
}

static void begin_field(struct cm_csv *csv)
{
    if (csv->open)
        cm_buffer_append(csv->text, ",", 1);
    csv->open = true;
}

void cm_csv_string(struct cm_csv *csv, const char *value)
{
    begin_field(csv);
    if (strpbrk(value, ",\"\r\n") == NULL) {
        cm_buffer_append(csv->text, value, strlen(value));
        return;
    }
    cm_buffer_append(csv->text, "\"", 1);
    for (const char *c = value; *c != '\0'; c++)
        cm_buffer_append(csv->text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    cm_buffer_append(csv->text, "\"", 1);
}

void cm_csv_u64(struct cm_csv *csv, uint64_t value)
{
    char field[FIELD_BYTES] = ",";
    size_t length = 1 + cm_number_u64(field + 1, value);
    cm_buffer_append(csv->text, field + !csv->open, length - !csv->open);
    csv->open = true;
}

void cm_csv_numbers(struct cm_csv *csv, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cm_csv_u64(csv, values[i]);
}

void cm_csv_f64(struct cm_csv *csv, double value, int digits)
{
    char number[CM_NUMBER_BYTES];
    size_t length = cm_number_rounded(number, value, digits);
    begin_field(csv);
    cm_buffer_append(csv->text, number, length);
}

void cm_csv_empty(struct cm_csv *csv, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        begin_field(csv);
}

void cm_csv_end_row(struct cm_csv *csv)
{
    cm_buffer_append(csv->text, "\n", 1);
    csv->open = false;
}
