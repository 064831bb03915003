/*
 * Numbers as people and files read them. What is returned by value can stand in an argument list:
 * cm_buffer_printf(text, "%s cycles", cm_format_count(cycles).text). Internal to the library.
 */
#ifndef CM_REPORT_NUMBERS_H
#define CM_REPORT_NUMBERS_H

#include "../base/text.h" /* cm_plural */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cm_formatted {
    char text[32];
};

/* "1,234,567" */
struct cm_formatted cm_format_count(uint64_t value);
/* "1.234 ms", "15 s": four significant digits, from ns to s. */
struct cm_formatted cm_format_seconds(double seconds);
/* "10 MHz", "32.5 kHz" */
struct cm_formatted cm_format_hz(uint64_t hz);

/* Room for any number that the functions below write, with the terminator. */
#define CM_NUMBER_BYTES 32u

/* The decimal digits, faster than printf writes them; returns their number. */
size_t cm_number_u64(char out[CM_NUMBER_BYTES], uint64_t value);
/* The shortest form that reads back as the same double, and that shows that it is not an integer;
 * the same in every locale. The value is finite. Returns the length. */
size_t cm_number_f64(char out[CM_NUMBER_BYTES], double value);
/* The value with `digits` significant digits (at most 17), as printf's %g; the same in every
 * locale. */
size_t cm_number_rounded(char out[CM_NUMBER_BYTES], double value, int digits);
/* The value with `decimals` (at most 12), as printf's %f; beyond 1e15 as %.17g. */
size_t cm_number_fixed(char out[CM_NUMBER_BYTES], double value, int decimals);

#endif
