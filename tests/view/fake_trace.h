/* A trace made up for tests of the viewer: every number of it follows from a few parameters, and no
 * simulator is needed. */
#ifndef CM_TESTS_FAKE_TRACE_H
#define CM_TESTS_FAKE_TRACE_H

#include "../../trace/trace.h"

struct cm_fake {
    const char *name;
    uint32_t dimensions;
    uint32_t exchanges;
    uint32_t scatter;     /* how many of 256 channels take part in an exchange of their pattern */
    bool truncated;       /* has a notice */
    uint32_t array_depth; /* of a third axis; 0: two axes */
    uint32_t array_side;  /* 0: no array; its elements move in the middle of the run */
    bool words;           /* on the wires, of all of the run */
    bool lines;           /* of a program: a first one until CM_FAKE_START, then a second */
};
/* NULL when out of memory. Closed by cm_trace_close. */
struct cm_trace *cm_fake_open(const struct cm_fake *fake);

/* Layout of its time, in cycles. */
#define CM_FAKE_START    80u
#define CM_FAKE_LOAD     30u
#define CM_FAKE_GAP      5u /* control flow: no event */
#define CM_FAKE_EXCHANGE 60u
#define CM_FAKE_UNLOAD   25u
#define CM_FAKE_MOVE     20u
#define CM_FAKE_ROUND                                                                              \
    (CM_FAKE_LOAD + CM_FAKE_GAP + CM_FAKE_EXCHANGE + CM_FAKE_UNLOAD + CM_FAKE_MOVE)
#define CM_FAKE_PATTERNS 4u
#define CM_FAKE_WINDOW   100u

#endif
