/* Makes a trace of a fuzzer's bytes. */
#ifndef CM_TESTS_FUZZ_MEND_H
#define CM_TESTS_FUZZ_MEND_H

#include <stddef.h>
#include <stdint.h>

/* A copy in which the header and the lengths and checksums of all blocks are right, so that the
 * reader looks at what is in them. Free it; NULL when `size` is too small for a trace. */
uint8_t *fuzz_mend_trace(const uint8_t *data, size_t size);

#endif
