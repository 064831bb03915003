/*
 * Simulated against published: every row of tables 1 to 4 (published.h) as a workload of one PSHIFT
 * step and as one of 2 * rank CSHIFT steps, on 2,048 nodes, run as every workload is; errors, their
 * statistics, and the bounds that the machine description is to keep.
 */
#ifndef CM_PROGRAMS_VALIDATION_VALIDATE_H
#define CM_PROGRAMS_VALIDATION_VALIDATE_H

#include "../workload/workload.h"
#include "published.h"
#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes of the published runs; rows and tables of the paper, at most. */
#define CM_VALIDATE_NODES    2048u
#define CM_VALIDATE_ROWS_MAX 32u
#define CM_VALIDATE_TABLES   4u

/* What is simulated, and how. */
struct cm_validate_options {
    const struct cm_config *config; /* the machine; it must have 2,048 nodes */
    uint32_t table;                 /* 1 to 4: that table alone; 0: all */
    uint32_t threads;               /* 0: what the host has */
    bool data;                      /* move data and check them, instead of timing alone */
    /* Rows whose arrays take more bytes on the host than this stay without data; 0: none do. */
    uint64_t data_limit_bytes;
    /* Called with each run before it begins and with NULL after it, so that it can be stopped;
     * false ends the whole with CM_INTERRUPTED. May be NULL. */
    bool (*watch)(void *context, struct cm_run *run);
    void (*progress)(void *context, uint64_t done, uint64_t total); /* cells; may be NULL */
    void *context;                                                  /* of both */
};

/* One time of a row, simulated. */
struct cm_validated_time {
    struct cm_counters counters; /* of the call */
    double cm_ms;                /* milliseconds that the CM is busy */
    double elapsed_ms;           /* with the front end: cm_front_end_elapsed_ms */
    bool checked;                /* data moved, and every element was right */
};

/* A published row with its simulated times. */
struct cm_validated_row {
    const struct cm_published_row *published;         /* the row */
    struct cm_validated_time times[CM_LIBRARY_COUNT]; /* simulated, by library */
};

/* The published rows, simulated on one machine. */
struct cm_validation {
    struct cm_config config;                            /* the machine */
    uint32_t table;                                     /* as asked for */
    struct cm_validated_row rows[CM_VALIDATE_ROWS_MAX]; /* in the order of the tables */
    uint32_t row_count;                                 /* how many */
    double wall_seconds;                                /* of the host, for the whole */
};

/*
 * Runs the rows. CM_BAD_INPUT when the table is not one of 1 to 4 or the machine can't hold a row;
 * CM_CHECK_FAILED when data came out wrong.
 */
CM_API enum cm_status cm_validate(const struct cm_validate_options *options,
                                  struct cm_validation *validation, struct cm_error *err);

/* Bytes that the arrays of a row take in the node memory of all 2,048 nodes. */
CM_API uint64_t cm_validate_row_bytes(const struct cm_published_row *row);

/*
 * Elapsed time of `shifts` shifts that keep the CM busy for `cm_ms`: the front end prepares the
 * next call while the CM runs, so the longer of the two counts. One call does all shifts of PSHIFT;
 * each CSHIFT is a call.
 */
CM_API double cm_front_end_elapsed_ms(const struct cm_config *config, enum cm_library library,
                                      uint32_t shifts, double cm_ms);

/* What an error is of; errors are simulated / published - 1. */
enum cm_quantity {
    CM_QUANTITY_CM_TIME,
    CM_QUANTITY_ELAPSED_TIME,
    /* the elapsed time that the published CM time gives, so the front-end model alone */
    CM_QUANTITY_FRONT_END,
    CM_QUANTITY_CM_SPEEDUP, /* CSHIFT time / PSHIFT time */
    CM_QUANTITY_ELAPSED_SPEEDUP,
};

/* Which cells: of each table and library whose bit is set (bit t - 1 for table t). Speedups are of
 * both libraries. */
struct cm_selection {
    enum cm_quantity quantity; /* what is compared */
    uint32_t tables;           /* bit t - 1 for table t */
    uint32_t libraries;        /* bit l for enum cm_library l */
};
#define CM_TABLES_ALL    15u
#define CM_TABLES_ODD    5u  /* 1 and 3 */
#define CM_TABLES_EVEN   10u /* 2 and 4 */
#define CM_LIBRARIES_ALL 3u

/* The relative error of a cell: simulated by published, less 1. */
struct cm_cell_error {
    const struct cm_validated_row *row; /* the row that it is of */
    enum cm_library library;            /* of speedups: PSHIFT */
    double error;                       /* 0.02: 2 % too long */
};

/* A row's value of a quantity, published and simulated: milliseconds, or a ratio. */
CM_API void cm_validated_values(const struct cm_config *config, const struct cm_validated_row *row,
                                enum cm_quantity quantity, enum cm_library library,
                                double *published, double *simulated);

/* The errors of the selected cells, in the order of the tables; returns how many, at most
 * CM_STATISTICS_MAX. */
CM_API uint32_t cm_validation_errors(const struct cm_validation *validation,
                                     const struct cm_selection *selection,
                                     struct cm_cell_error *errors);
/* Their statistics; `worst` (may be NULL) gets the cell of the worst error. */
CM_API struct cm_statistics cm_validation_statistics(const struct cm_validation *validation,
                                                     const struct cm_selection *selection,
                                                     struct cm_cell_error *worst);

/* What the machine description is to keep, over all four tables. */
struct cm_bound {
    const char *what; /* in words */
    double limit;     /* of the size of a relative error */
    double value;     /* what it is now */
    bool met;         /* the size of value is at most limit */
};
#define CM_BOUNDS_MAX 8u

/* The bounds with their values; returns how many: none when not all tables were run. */
CM_API uint32_t cm_validation_bounds(const struct cm_validation *validation,
                                     struct cm_bound *bounds);

/*
 * Equation 1 of P 6.2 for shifts by one, in the terms that the paper's method can measure: rank one
 * shows start-up, transfers and exchange as one sum.
 */
struct cm_shift_model {
    double exchange_ms; /* start-up, transfers to and from the transposers, and one exchange */
    double move_ms;     /* of one slice in memory */
};

/*
 * The two constants from the rank-one times at a small and a large subgrid length (P 6.2 takes 4
 * and 16,384), REAL*8: the difference is moves alone. False when the lengths don't differ.
 */
CM_API bool cm_shift_model_measure(uint64_t small_length, double small_ms, uint64_t large_length,
                                   double large_ms, struct cm_shift_model *model);
/* The model's time of a PSHIFT call. */
CM_API double cm_shift_model_ms(const struct cm_shift_model *model, uint32_t rank, uint64_t length);

/* The model measured on table 1, on the published or the simulated times; false when table 1 was
 * not run. */
CM_API bool cm_validation_model(const struct cm_validation *validation, bool published,
                                struct cm_shift_model *model);

/* The tables and statistics that people read, in a style of report/style.h; with a section on
 * equation 1 when `model`. */
CM_API void cm_validation_text(const struct cm_validation *validation, unsigned style, bool model,
                               struct cm_buffer *text);
/* The same as JSON (format "cm200-validation/1"); with equation 1 when `model`. */
CM_API enum cm_status cm_validation_json(const struct cm_validation *validation, bool model,
                                         struct cm_buffer *text, struct cm_error *err);

/* The figures of P that can be redrawn: 8 (speedups), 9, 10 and 11 (PSHIFT in rank one, two and
 * three). */
#define CM_FIGURE_COUNT 4u
/* "figure-08", ...: the stem of its file; NULL beyond the last. */
CM_API const char *cm_figure_name(uint32_t i);
/* The figure as SVG: published points, simulated points, and the paper's curves. */
CM_API void cm_figure_svg(const struct cm_validation *validation, uint32_t i,
                          struct cm_buffer *svg);

#ifdef __cplusplus
}
#endif

#endif
