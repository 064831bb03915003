/*
 * The oracle: evaluates a case's steps on whole arrays, element by element, from the definitions of
 * CSHIFT, EOSHIFT and of a sum of products alone. It knows no nodes, no layout and no IMPs, and
 * shares no code with the library.
 */
#ifndef CM_TESTS_PROPERTY_ORACLE_H
#define CM_TESTS_PROPERTY_ORACLE_H

#include "case.h"

struct cm_oracle {
    void *data[CM_CASE_ARRAYS]; /* elements on the host, first index fastest; owned */
};

/* The arrays as the case initialises them; false when out of memory. */
bool cm_oracle_init(struct cm_oracle *oracle, const struct cm_case *c);
void cm_oracle_finish(struct cm_oracle *oracle);

/* Evaluates every step; false when out of memory. */
bool cm_oracle_run(struct cm_oracle *oracle, const struct cm_case *c);

/*
 * Evaluates the shifts of one call on `data`, an entry an array: every shift reads its source, and
 * its boundary, as they were before the call.
 */
bool cm_oracle_call(const struct cm_case *c, const struct cm_case_step *step, void *const *data);

/* The first element in which two arrays of `type` differ, or `count`. Any two NaNs are equal. */
uint64_t cm_oracle_difference(enum cm_type type, const void *a, const void *b, uint64_t count);

/* An element as text. */
void cm_oracle_element(enum cm_type type, const void *data, uint64_t element, char *text,
                       size_t size);

#endif
