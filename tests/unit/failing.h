/*
 * Allocations that fail: a program that links failing.c has malloc, calloc, realloc and
 * aligned_alloc of its own, which the library uses too.
 */
#ifndef CM_TESTS_UNIT_FAILING_H
#define CM_TESTS_UNIT_FAILING_H

#include <stdbool.h>

/* From now on the call of this number in this thread fails, from 1, and with `stays` all that
 * follow; 0: none. */
void failing_begin(unsigned long call, bool stays);
/* From now on all calls in other threads fail, and none in this one. */
void failing_elsewhere(void);
/* No call fails any more. Returns the number of calls since failing_begin. */
unsigned long failing_end(void);

#endif
