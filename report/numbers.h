/*
 * Numbers for people. They are returned by value, for argument lists: cm_buffer_printf(text, "%s
 * cycles", cm_format_count(cycles).text). Internal to the library.
 */
#ifndef CM_REPORT_NUMBERS_H
#define CM_REPORT_NUMBERS_H

#include "../base/text.h" /* cm_plural */

#include <stdint.h>

struct cm_formatted {
    char text[32];
};

/* "1,234,567" */
struct cm_formatted cm_format_count(uint64_t value);
/* Returns "1.234 ms", "15 s": four significant digits, from ns to s. */
struct cm_formatted cm_format_seconds(double seconds);
/* "10 MHz", "32.5 kHz" */
struct cm_formatted cm_format_hz(uint64_t hz);

#endif
