/*
 * Formats numbers for people. The functions return texts by value, for argument lists:
 * cm_buffer_printf(text, "%s cycles", cm_format_count(cycles).text). Internal to the library.
 */
#ifndef CM_REPORT_NUMBERS_H
#define CM_REPORT_NUMBERS_H

#include "../base/text.h" /* cm_plural */

#include <stdint.h>

struct cm_formatted {
    char text[32];
};

/* Returns a count as text with separators, such as "1,234,567". */
struct cm_formatted cm_format_count(uint64_t value);
/* Returns a time as text with four significant digits, from ns to s, such as "1.234 ms" or "15 s".
 */
struct cm_formatted cm_format_seconds(double seconds);
/* Returns a frequency as text, such as "10 MHz" or "32.5 kHz". */
struct cm_formatted cm_format_hz(uint64_t hz);

#endif
