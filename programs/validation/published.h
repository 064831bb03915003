/*
 * Published numbers of the CM-200 and CM-2. The timings are tables 1 to 4 of George, Brickner,
 * Johnsson, "POLYSHIFT communications software for the Connection Machine system CM-200",
 * Scientific Programming 3, 1994 (P), section 6.1. They come from
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
    double elapsed_ms; /* elapsed time, with time of the front end alone */
    double cm_ms;      /* time that the CM is busy */
};

/* Row of a table: REAL*8, shifts by +1 and -1 along every axis of a subgrid of length^rank elements
 * in each node. */
struct cm_published_row {
    uint32_t rank;                                    /* rank, which is also the table's number */
    uint64_t length;                                  /* length of each axis in one node */
    struct cm_published_time times[CM_LIBRARY_COUNT]; /* times by library */
    const char *note;                                 /* doubts about the print. "": none */
};

/* Returns row `i` in the order of the tables. cm_published_count returns the number of rows. */
CM_API const struct cm_published_row *cm_published_row(uint32_t i);
CM_API uint32_t cm_published_count(void);

/* Published time or rate of a whole kernel, from programs/validation/applications.csv, which names
 * the sources. Nothing was fitted to these facts. */
struct cm_published_fact {
    const char *id;      /* "fft-1d-32" */
    const char *machine; /* "CM-200" or "CM-2" */
    uint32_t nodes;      /* 0: the source does not say */
    /* In words: kernel, type of its elements, measured quantity. */
    const char *kernel, *type, *quantity;
    const char *value;         /* number, formula, or range in words */
    const char *unit, *source; /* unit of the value. Paper and page */
    const char *remark;        /* remark. "": none */
};

/* Returns fact `i` in the file's order, or NULL past the last. */
CM_API const struct cm_published_fact *cm_published_fact_at(uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
