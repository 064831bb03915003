/*
 * Validation: simulated times compared with published times (published.h). `cm200 validate` prints
 * the comparison.
 *
 * Every row of tables 1 to 4 of the PSHIFT paper runs as two workloads on 2,048 nodes: one PSHIFT
 * step, and 2 * rank CSHIFT steps. Each workload goes through the same code as a user's.
 * cm_validate runs the rows into a struct cm_validation. All other functions compute errors,
 * statistics, bounds and figures from it. A cell is a row with one of the two libraries.
 *
 * Invariants: an error is simulated / published - 1. Nothing here changes the machine description.
 * Only scripts/fit and research/refit do.
 *
 * Files: published.c and generate.py hold the published numbers, validate.c runs the rows,
 * validate_errors.c and statistics.c compute errors, validate_report.c and validate_plot.c print
 * and draw. applications*.c compare whole kernels in the same way, and held_out*.c compare the
 * measurements of a reader.
 */
#ifndef CM_PROGRAMS_VALIDATION_VALIDATE_H
#define CM_PROGRAMS_VALIDATION_VALIDATE_H

#include "../workload/workload.h"
#include "published.h"
#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of nodes of the published runs, and largest numbers of rows and of tables. */
#define CM_VALIDATE_NODES    2048u
#define CM_VALIDATE_ROWS_MAX 32u
#define CM_VALIDATE_TABLES   4u

/* Options of the validation: which rows to simulate, and how. */
struct cm_validate_options {
    /* description of the machine, which must have at least 2,048 nodes */
    const struct cm_config *config;
    uint32_t table;   /* number of the table to run, 1 to 4. 0: all tables */
    uint32_t threads; /* number of host threads. 0: as many as the host offers */
    bool data;        /* true to move and check data, false for timing only */
    /* Number of bytes of a row's arrays on the host above which the row runs without data. 0: no
     * limit. */
    uint64_t data_limit_bytes;
    /* Callback that lets the caller interrupt a run. It is called before each run, with the run,
     * and after the run, with NULL. If it returns false, the validation ends with CM_INTERRUPTED.
     * May be NULL. */
    bool (*watch)(void *context, struct cm_run *run);
    /* Reports how many cells (row and library) are finished. May be NULL. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context; /* first argument of both callbacks */
};

/* Simulated time of a row with one library. */
struct cm_validated_time {
    struct cm_counters counters; /* counters of the call */
    double cm_ms;                /* milliseconds that the CM is busy */
    double elapsed_ms; /* elapsed milliseconds, which include time of the front end alone */
    bool checked;      /* true if data moved and every element was right */
};

/* A published row with its simulated times. */
struct cm_validated_row {
    const struct cm_published_row *published;         /* the published row */
    struct cm_validated_time times[CM_LIBRARY_COUNT]; /* simulated times by library */
};

/* All published rows, simulated on one machine. */
struct cm_validation {
    struct cm_config config; /* description of the machine */
    uint32_t table;          /* number of the selected table. 0: all tables */
    struct cm_validated_row rows[CM_VALIDATE_ROWS_MAX]; /* rows in the order of the tables */
    uint32_t row_count;                                 /* number of entries in `rows` */
    double wall_seconds;                                /* host seconds for all rows */
};

/*
 * Runs the selected rows. Fails with CM_BAD_INPUT for a table above 4 or a machine that cannot hold
 * a row, and with CM_CHECK_FAILED if data are wrong.
 */
CM_API enum cm_status cm_validate(const struct cm_validate_options *options,
                                  struct cm_validation *validation, struct cm_error *err);

/* Returns the number of bytes that the arrays of a row take in the memories of all 2,048 nodes. */
CM_API uint64_t cm_validate_row_bytes(const struct cm_published_row *row);

/*
 * Returns the elapsed milliseconds of `shifts` shifts that keep the CM busy for `cm_ms`
 * milliseconds. The rule is that of every run (sim/machine/front_end.h). The shifts count as one
 * call, so the result is the longer of the times of CM and front end.
 */
CM_API double cm_front_end_elapsed_ms(const struct cm_config *config, enum cm_library library,
                                      uint32_t shifts, double cm_ms);

/* Quantity whose published and simulated values are compared. */
enum cm_quantity {
    CM_QUANTITY_CM_TIME,
    CM_QUANTITY_ELAPSED_TIME,
    /* elapsed time that is computed from the published CM time. Its error is that of the front-end
     * model alone */
    CM_QUANTITY_FRONT_END,
    CM_QUANTITY_CM_SPEEDUP, /* ratio of CSHIFT time to PSHIFT time */
    CM_QUANTITY_ELAPSED_SPEEDUP,
};

/* Selection of cells: by quantity, tables and libraries. Speedups always use both libraries. */
struct cm_selection {
    enum cm_quantity quantity; /* quantity to compare */
    uint32_t tables;           /* set of tables: bit t - 1 for table t */
    uint32_t libraries;        /* set of libraries: bit l for enum cm_library l */
};
#define CM_TABLES_ALL    15u
#define CM_TABLES_ODD    5u  /* tables 1 and 3 */
#define CM_TABLES_EVEN   10u /* tables 2 and 4 */
#define CM_LIBRARIES_ALL 3u

/* Relative error of a cell (row and library): simulated / published - 1. */
struct cm_cell_error {
    const struct cm_validated_row *row; /* row of the cell */
    enum cm_library library;            /* library of the cell. For speedups it is PSHIFT */
    double error;                       /* relative error: 0.02 means 2 % too long */
};

/* Computes the published value and the simulated value of a quantity in a row: milliseconds, or a
 * ratio. */
CM_API void cm_validated_values(const struct cm_config *config, const struct cm_validated_row *row,
                                enum cm_quantity quantity, enum cm_library library,
                                double *published, double *simulated);

/* Computes the errors of the selected cells in the order of the tables. Returns the number of
 * errors, at most CM_STATISTICS_MAX. */
CM_API uint32_t cm_validation_errors(const struct cm_validation *validation,
                                     const struct cm_selection *selection,
                                     struct cm_cell_error *errors);
/* Computes the statistics of the errors of the selected cells. Sets *worst (may be NULL) to the
 * cell with the worst error. */
CM_API struct cm_statistics cm_validation_statistics(const struct cm_validation *validation,
                                                     const struct cm_selection *selection,
                                                     struct cm_cell_error *worst);

/* Bound on the errors over all four tables, which the machine description must keep. */
struct cm_bound {
    const char *what; /* what is bounded, in words */
    double limit;     /* largest allowed value */
    double value;     /* present value: median, mean or largest size of the relative errors */
    bool met;         /* true if `value` is at most `limit` */
};
#define CM_BOUNDS_MAX 8u

/* Computes the bounds and their present values. Returns the number of bounds, which is 0 unless all
 * tables were run. */
CM_API uint32_t cm_validation_bounds(const struct cm_validation *validation,
                                     struct cm_bound *bounds);

/*
 * Constants of equation 1 in section 6.2 of the PSHIFT paper, for shifts by one. They are the
 * constants that the paper's method can measure. Times of rank one give start-up, transfers and
 * exchange only as a sum.
 */
struct cm_shift_model {
    /* milliseconds of start-up, transfers to and from the transposers, and one exchange together */
    double exchange_ms;
    double move_ms; /* milliseconds that the move of one slice within node memory takes */
};

/*
 * Computes the constants of the model from the times of rank one for REAL*8 elements, at a small
 * and a large subgrid length. Section 6.2 of the PSHIFT paper uses 4 and 16,384. The times differ
 * only in the number of moves. Returns false if the lengths do not allow this.
 */
CM_API bool cm_shift_model_measure(uint64_t small_length, double small_ms, uint64_t large_length,
                                   double large_ms, struct cm_shift_model *model);
/* Returns the milliseconds of a PSHIFT call by the model. */
CM_API double cm_shift_model_ms(const struct cm_shift_model *model, uint32_t rank, uint64_t length);

/* Computes the constants of the model from table 1, from its published or its simulated times.
 * Returns false if table 1 was not run. */
CM_API bool cm_validation_model(const struct cm_validation *validation, bool published,
                                struct cm_shift_model *model);

/* Appends the tables and statistics as text in a style of report/style.h. If `model` is true, the
 * text has a section on equation 1. */
CM_API void cm_validation_text(const struct cm_validation *validation, unsigned style, bool model,
                               struct cm_buffer *text);
/* Appends the tables and statistics as JSON (format "cm200-validation/1"). If `model` is true, the
 * JSON has equation 1. */
CM_API enum cm_status cm_validation_json(const struct cm_validation *validation, bool model,
                                         struct cm_buffer *text, struct cm_error *err);

/* Number of figures of the PSHIFT paper that can be redrawn: 8 (speedups), 9, 10 and 11 (PSHIFT of
 * rank one, two and three). */
#define CM_FIGURE_COUNT 4u
/* Returns the stem of the name of a figure's file, such as "figure-08", or NULL past the last
 * figure. */
CM_API const char *cm_figure_name(uint32_t i);
/* Appends a figure as SVG: published points, simulated points, and the curves of the paper. */
CM_API void cm_figure_svg(const struct cm_validation *validation, uint32_t i,
                          struct cm_buffer *svg);

#ifdef __cplusplus
}
#endif

#endif
