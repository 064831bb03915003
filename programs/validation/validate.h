/*
 * Validation: simulated times compared with published ones (published.h). `cm200 validate` prints
 * the comparison.
 *
 * Every row of tables 1 to 4 runs as two workloads on 2,048 nodes: one PSHIFT step, and 2 * rank
 * CSHIFT steps. Each workload goes through the same code as a user's. cm_validate runs the rows
 * into a struct cm_validation. All other functions compute errors, statistics, bounds and figures
 * from it.
 *
 * Invariants: an error is simulated / published - 1. Nothing here changes the machine description.
 * scripts/fit and research/refit do.
 *
 * Files: published.c and generate.py hold the published numbers, validate.c runs the rows,
 * validate_errors.c and statistics.c compute errors, validate_report.c and validate_plot.c print
 * and draw. applications*.c compare whole kernels in the same way.
 */
#ifndef CM_PROGRAMS_VALIDATION_VALIDATE_H
#define CM_PROGRAMS_VALIDATION_VALIDATE_H

#include "../workload/workload.h"
#include "published.h"
#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes of the published runs, and the largest number of rows and of tables. */
#define CM_VALIDATE_NODES    2048u
#define CM_VALIDATE_ROWS_MAX 32u
#define CM_VALIDATE_TABLES   4u

/* Rows to simulate, and how. */
struct cm_validate_options {
    const struct cm_config *config; /* machine, which must have 2,048 nodes */
    uint32_t table;                 /* 1 to 4: that table only. 0: all tables */
    uint32_t threads;               /* threads of the host. 0: as many as the host offers */
    bool data;                      /* true to move and check data, false for timing only */
    /* Size of a row's arrays on the host above which the row runs without data. 0: no limit. */
    uint64_t data_limit_bytes;
    /* Callback before each run, with the run, and after it, with NULL, so that the run can be
     * interrupted. If it returns false, the validation ends with CM_INTERRUPTED. May be NULL. */
    bool (*watch)(void *context, struct cm_run *run);
    /* reports finished cells. May be NULL */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context; /* first argument of both callbacks */
};

/* Simulated time of a row, by one library. */
struct cm_validated_time {
    struct cm_counters counters; /* counters of the call */
    double cm_ms;                /* milliseconds that the CM is busy */
    double elapsed_ms;           /* milliseconds with the front end (cm_front_end_elapsed_ms) */
    bool checked;                /* true if data moved and every element was right */
};

/* Published row with its simulated times. */
struct cm_validated_row {
    const struct cm_published_row *published;         /* the published row */
    struct cm_validated_time times[CM_LIBRARY_COUNT]; /* simulated times by library */
};

/* Published rows, simulated on one machine. */
struct cm_validation {
    struct cm_config config;                            /* the machine */
    uint32_t table;                                     /* selected table. 0: all */
    struct cm_validated_row rows[CM_VALIDATE_ROWS_MAX]; /* in the order of the tables */
    uint32_t row_count;                                 /* number of entries in `rows` */
    double wall_seconds;                                /* host seconds for all rows */
};

/*
 * Runs the rows. Fails with CM_BAD_INPUT for a table above 4 or a machine that cannot hold a row,
 * and with CM_CHECK_FAILED if data are wrong.
 */
CM_API enum cm_status cm_validate(const struct cm_validate_options *options,
                                  struct cm_validation *validation, struct cm_error *err);

/* Returns the bytes that the arrays of a row take in the memories of all 2,048 nodes. */
CM_API uint64_t cm_validate_row_bytes(const struct cm_published_row *row);

/*
 * Returns the elapsed milliseconds of `shifts` shifts that keep the CM busy for `cm_ms`. The front
 * end prepares the next call while the CM runs, so the longer of both times counts. PSHIFT does all
 * shifts in one call, CSHIFT takes a call for each.
 */
CM_API double cm_front_end_elapsed_ms(const struct cm_config *config, enum cm_library library,
                                      uint32_t shifts, double cm_ms);

/* Quantity that an error compares. */
enum cm_quantity {
    CM_QUANTITY_CM_TIME,
    CM_QUANTITY_ELAPSED_TIME,
    /* elapsed time computed from the published CM time, which isolates the front-end model */
    CM_QUANTITY_FRONT_END,
    CM_QUANTITY_CM_SPEEDUP, /* CSHIFT time / PSHIFT time */
    CM_QUANTITY_ELAPSED_SPEEDUP,
};

/* Selection of cells: by quantity, tables and libraries. Speedups use both libraries. */
struct cm_selection {
    enum cm_quantity quantity; /* quantity to compare */
    uint32_t tables;           /* bit t - 1 for table t */
    uint32_t libraries;        /* bit l for enum cm_library l */
};
#define CM_TABLES_ALL    15u
#define CM_TABLES_ODD    5u  /* tables 1 and 3 */
#define CM_TABLES_EVEN   10u /* tables 2 and 4 */
#define CM_LIBRARIES_ALL 3u

/* Relative error of a cell: simulated / published - 1. */
struct cm_cell_error {
    const struct cm_validated_row *row; /* row of the cell */
    enum cm_library library;            /* library of the cell. PSHIFT for speedups */
    double error;                       /* 0.02: 2 % too long */
};

/* Computes a row's published and simulated value of a quantity: milliseconds, or a ratio. */
CM_API void cm_validated_values(const struct cm_config *config, const struct cm_validated_row *row,
                                enum cm_quantity quantity, enum cm_library library,
                                double *published, double *simulated);

/* Computes the errors of the selected cells in the order of the tables. Returns their number, at
 * most CM_STATISTICS_MAX. */
CM_API uint32_t cm_validation_errors(const struct cm_validation *validation,
                                     const struct cm_selection *selection,
                                     struct cm_cell_error *errors);
/* Computes the statistics of the selected errors. Sets *worst (may be NULL) to the cell of the
 * worst one. */
CM_API struct cm_statistics cm_validation_statistics(const struct cm_validation *validation,
                                                     const struct cm_selection *selection,
                                                     struct cm_cell_error *worst);

/* Bound on the errors over all four tables that the machine description must keep. */
struct cm_bound {
    const char *what; /* bound in words */
    double limit;     /* largest allowed size of the relative error */
    double value;     /* present relative error */
    bool met;         /* true if the size of `value` is at most `limit` */
};
#define CM_BOUNDS_MAX 8u

/* Computes the bounds. Returns their number, which is 0 unless all tables were run. */
CM_API uint32_t cm_validation_bounds(const struct cm_validation *validation,
                                     struct cm_bound *bounds);

/*
 * Equation 1 of P 6.2 for shifts by one, with the constants that the paper's method can measure.
 * Rank one shows start-up, transfers and exchange only as a sum.
 */
struct cm_shift_model {
    double exchange_ms; /* start-up, transfers to and from the transposers, and one exchange */
    double move_ms;     /* move of one slice in memory */
};

/*
 * Computes both constants from the rank-one times at a small and a large subgrid length, REAL*8. P
 * 6.2 uses 4 and 16,384. The difference of the times is moves only. Returns false if the lengths
 * are equal.
 */
CM_API bool cm_shift_model_measure(uint64_t small_length, double small_ms, uint64_t large_length,
                                   double large_ms, struct cm_shift_model *model);
/* Returns the model's milliseconds of a PSHIFT call. */
CM_API double cm_shift_model_ms(const struct cm_shift_model *model, uint32_t rank, uint64_t length);

/* Fits the model to table 1, to published or simulated times. Returns false if table 1 was not
 * run. */
CM_API bool cm_validation_model(const struct cm_validation *validation, bool published,
                                struct cm_shift_model *model);

/* Appends tables and statistics as text in a style of report/style.h, with a section on equation 1
 * if `model`. */
CM_API void cm_validation_text(const struct cm_validation *validation, unsigned style, bool model,
                               struct cm_buffer *text);
/* Appends tables and statistics as JSON (format "cm200-validation/1"), with equation 1 if
 * `model`. */
CM_API enum cm_status cm_validation_json(const struct cm_validation *validation, bool model,
                                         struct cm_buffer *text, struct cm_error *err);

/* Number of figures of P that can be redrawn: 8 (speedups), 9, 10 and 11 (PSHIFT of rank one, two
 * and three). */
#define CM_FIGURE_COUNT 4u
/* Returns the stem of a figure's file, as "figure-08", or NULL past the last. */
CM_API const char *cm_figure_name(uint32_t i);
/* Appends a figure as SVG: published points, simulated points, and the paper's curves. */
CM_API void cm_figure_svg(const struct cm_validation *validation, uint32_t i,
                          struct cm_buffer *svg);

#ifdef __cplusplus
}
#endif

#endif
