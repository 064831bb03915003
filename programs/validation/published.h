/*
 * Published timings of the CM-200: tables 1 to 4 of George, Brickner, Johnsson, "POLYSHIFT
 * communications software for the Connection Machine system CM-200", Scientific Programming 3, 1994
 * (P), section 6.1. The numbers, with notes on what is damaged in the scan, are in
 * programs/validation/pshift-timings.csv and built into the library.
 */
#ifndef CM_PROGRAMS_VALIDATION_PUBLISHED_H
#define CM_PROGRAMS_VALIDATION_PUBLISHED_H

#include "../../sim/machine/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was timed: one PSHIFT call, or the CSHIFT calls that do the same work. */
enum cm_library { CM_LIBRARY_PSHIFT, CM_LIBRARY_CSHIFT, CM_LIBRARY_COUNT };

/* "PSHIFT", "CSHIFT". */
CM_API const char *cm_library_name(enum cm_library library);

/* Times of one call in milliseconds. */
struct cm_published_time {
    double elapsed_ms; /* with the time that the front end took alone */
    double cm_ms;      /* the CM busy */
};

/* A line of a table: REAL*8, shifts by +1 and -1 along every axis of a subgrid of length^rank
 * elements a node. */
struct cm_published_row {
    uint32_t rank;                                    /* the table's number too */
    uint64_t length;                                  /* of each axis, in one node */
    struct cm_published_time times[CM_LIBRARY_COUNT]; /* CSHIFT and PSHIFT */
    const char *note; /* what is uncertain in the print; "" when nothing is */
};

/* The rows in the order of the tables, and how many there are. */
CM_API const struct cm_published_row *cm_published_row(uint32_t i);
CM_API uint32_t cm_published_count(void);

/* A time or rate of a whole kernel, as published (programs/validation/applications.csv, which names
 * the sources); nothing was fitted to it. */
struct cm_published_fact {
    const char *id;                       /* "fft-1d-32" */
    const char *machine;                  /* "CM-200" or "CM-2" */
    uint32_t nodes;                       /* 0: the source does not say */
    const char *kernel, *type, *quantity; /* in words: of what, of which type, what was measured */
    const char *value;                    /* a number; or a formula or a range in words */
    const char *unit, *source;            /* of the value; the paper and its page */
    const char *remark;                   /* "": nothing */
};

/* The facts in the file's order; NULL beyond the last. */
CM_API const struct cm_published_fact *cm_published_fact_at(uint32_t i);

/* The machines in configs/ as their files described them when the library was built. */
enum cm_builtin {
    CM_BUILTIN_CM200,
    CM_BUILTIN_FIRST_FIT, /* cm200-first-fit.json: the CM-200 before the second fit */
    CM_BUILTIN_CM2,
};
CM_API enum cm_status cm_config_builtin(enum cm_builtin machine, struct cm_config *config,
                                        struct cm_error *err);

#ifdef __cplusplus
}
#endif

#endif
