/* Numbers from their JSON tokens: exact where they are integers, and the same in every locale.
 * Internal to the library. */
#ifndef CM_BASE_JSON_NUMBER_H
#define CM_BASE_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cm_number_result {
    CM_NUMBER_OK,
    CM_NUMBER_NOT_INTEGER,
    CM_NUMBER_TOO_LARGE, /* an integer whose magnitude does not fit 64 bits */
};

/* Sign and magnitude of a valid JSON number that is an integer in any notation (12, 1e3, 2.50e1; -0
 * is not negative). */
enum cm_number_result cm_number_integer(const char *token, size_t length, bool *negative,
                                        uint64_t *magnitude);

/* The nearest double, infinite beyond their range. The byte behind the token must not continue a
 * number. */
double cm_number_double(const char *token);

#endif
