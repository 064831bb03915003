/*
 * System calls on files that fail: a program that links failing_calls.c has open, read, write and
 * the other calls of base/file_read.c and base/file_write.c of its own, which the library uses too.
 */
#ifndef CM_TESTS_UNIT_FAILING_CALLS_H
#define CM_TESTS_UNIT_FAILING_CALLS_H

#include <stdbool.h>

/* From now on the call of this number, from 1, fails with this errno; 0: it moves one byte only, if
 * it moves bytes. No call fails if the number is 0. EINTR fails only calls that a signal can
 * interrupt. */
void failing_calls_begin(unsigned long call, int number);
/* From now on every call of this name fails with this errno. */
void failing_calls_named(const char *name, int number);
/* No call fails any more. Returns the number of calls since failing_calls_begin. */
unsigned long failing_calls_end(void);

#endif
