/*
 * The functions that allocate, defined so that each asks first whether it must fail, and else calls
 * the one that would have been called: of libc, or of a sanitizer. For a library to preload and for
 * a program that links it; neither is sanitized itself.
 */
#ifndef CM_TESTS_FAULTS_ALLOCATE_H
#define CM_TESTS_FAULTS_ALLOCATE_H

#include <stdbool.h>

/* Defined by whoever links allocate.c: whether this allocation fails; then errno is set. Called by
 * malloc, calloc, realloc, aligned_alloc and posix_memalign. */
bool allocation_fails(void);

#endif
