/*
 * Published numbers of the CM-200 and CM-2. The timings are tables 1 to 4 in section 6.1 of the
 * PSHIFT paper: George, Brickner, Johnsson, "POLYSHIFT communications software for the Connection
 * Machine system CM-200", Scientific Programming 3, 1994. They come from
 * programs/validation/pshift-timings.csv, which notes damage in the scan. The build writes them
 * into the library.
 */
#ifndef CM_PROGRAMS_VALIDATION_PUBLISHED_H
#define CM_PROGRAMS_VALIDATION_PUBLISHED_H

#include "../../sim/machine/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Library that was timed: one PSHIFT call, or the CSHIFT calls that do the same work. */
enum cm_library { CM_LIBRARY_PSHIFT, CM_LIBRARY_CSHIFT, CM_LIBRARY_COUNT };

/* Returns "PSHIFT" or "CSHIFT". */
CM_API const char *cm_library_name(enum cm_library library);

/* Times of one call in milliseconds. */
struct cm_published_time {
    double elapsed_ms; /* elapsed time, which includes time of the front end alone */
    double cm_ms;      /* time that the CM is busy */
};

/* Row of a table of timings. The row has the times of shifts of REAL*8 elements by +1 and -1 along
 * every axis. Each node has a subgrid of length^rank elements. */
struct cm_published_row {
    uint32_t rank;   /* rank of the array, which is also the number of the table */
    uint64_t length; /* length of each axis in one node */
    struct cm_published_time times[CM_LIBRARY_COUNT]; /* times by library */
    const char *note; /* doubts about the printed numbers. "": no doubts */
};

/* Return row number `i` in the order of the tables, and the number of rows. */
CM_API const struct cm_published_row *cm_published_row(uint32_t i);
CM_API uint32_t cm_published_count(void);

/* Published time or rate of a whole kernel, from programs/validation/applications.csv, which names
 * the sources. Nothing was fitted to these facts. */
struct cm_published_fact {
    const char *id;      /* name of the fact, such as "fft-1d-32" */
    const char *machine; /* "CM-200" or "CM-2" */
    uint32_t nodes;      /* number of nodes. 0: the source does not say */
    /* In words: kernel, type of its elements, measured quantity. */
    const char *kernel, *type, *quantity;
    const char *value;         /* published value: a number, a formula, or a range in words */
    const char *unit, *source; /* unit of the value, and the paper and page where it is printed */
    const char *remark;        /* remark about the fact. "": no remark */
};

/* Returns fact number `i` in the order of the file, or NULL past the last fact. */
CM_API const struct cm_published_fact *cm_published_fact_at(uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
