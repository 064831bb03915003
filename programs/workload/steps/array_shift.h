/* Code that the steps pshift, cshift and eoshift share for one shift of an array: keys, checks,
 * preparation, execution and the direct evaluation. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_ARRAY_SHIFT_H
#define CM_PROGRAMS_WORKLOAD_STEPS_ARRAY_SHIFT_H

#include "../step.h"

#include "../../pshift/shift.h"

/* A shift of an array, as the workload writes it. */
struct cm_step_array_shift {
    struct cm_array_reference dst, src;
    uint64_t dim; /* dimension to shift along, from 1 */
    int64_t distance;
    enum cm_shift_type type;
    /* how data move: by exchanges or through the router. For cshift and eoshift only */
    enum cm_shift_path path;
    struct cm_workload_value boundary;
};

/* Entries of a key table for the members of struct cm_step_array_shift. */
#define CM_SHIFT_KEY(kind, key, member, text, ...)                                                 \
    CM_KEY(kind, key, struct cm_step_array_shift, member, text, __VA_ARGS__)
#define CM_SHIFT_KEYS                                                                              \
    CM_SHIFT_KEY(ARRAY, "dst", dst, "the array that gets the result", .required = true),           \
        CM_SHIFT_KEY(ARRAY, "src", src, "the array to shift; may be dst", .required = true),       \
        CM_SHIFT_KEY(INTEGER, "dim", dim, "the dimension to shift along", .required = true,        \
                     .min = 1, .max = CM_RANK_MAX, .form = "integer from 1 to the array's rank",   \
                     .hint = "dims count from 1"),                                                 \
        CM_SHIFT_KEY(SIGNED, "distance", distance, "dst(i) = src(i + distance)", .required = true)
#define CM_SHIFT_KEY_PATH                                                                          \
    CM_SHIFT_KEY(NAME, "path", path, "by exchanges, or through the router",                        \
                 .name_of = cm_step_array_shift_path_name, .max = CM_PATH_COUNT - 1)
/* Key "type", which only pshift has: its shifts name their type. */
#define CM_SHIFT_KEY_TYPE                                                                          \
    CM_SHIFT_KEY(NAME, "type", type, "circular, or end-off with the boundary in its name",         \
                 .required = true, .max = CM_SHIFT_TYPE_COUNT - 1,                                 \
                 .name_of = cm_step_array_shift_type_name)
#define CM_SHIFT_KEY_BOUNDARY                                                                      \
    CM_SHIFT_KEY(VALUE, "boundary", boundary, "what comes in at the end",                          \
                 .otherwise = "an error for eoshift_scalar and eoshift_array; others take none")
const char *cm_step_array_shift_path_name(uint32_t index);
const char *cm_step_array_shift_type_name(uint32_t index);

/* Checks dimension and shapes of a shift against its arrays. `object` is the place for error
 * messages. */
void cm_step_array_shift_read(const struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json object, struct cm_step_array_shift *shift);
/* Checks the type and shape of a boundary against the source array. */
void cm_step_array_shift_check_boundary(const struct cm_workload *workload,
                                        struct cm_reader *reader,
                                        const struct cm_step_array_shift *shift);

/* Refuses "eoshift" as the type of a shift, with a hint: people write the name of the step and mean
 * eoshift_scalar or eoshift_array. */
void cm_step_array_shift_refuse_eoshift(struct cm_reader *reader, struct cm_json object);
/* Refuses a missing or superfluous boundary. A shift of type eoshift_scalar takes a number or
 * scalar, eoshift_array takes an array, and other types do not take a boundary. */
void cm_step_array_shift_expect_boundary(const struct cm_workload *workload,
                                         struct cm_reader *reader, struct cm_json object,
                                         const struct cm_step_array_shift *shift);

/* Makes a struct cm_shift for each shift of laid-out arrays, and sets *made to the structs. They
 * live as long as the run. */
enum cm_status cm_step_array_shift_make(struct cm_run *run,
                                        const struct cm_step_array_shift *shifts, uint32_t count,
                                        struct cm_shift **made, struct cm_error *err);

/* Evaluates the shifts of one simultaneous call directly, and compares their destinations with the
 * machine's arrays. */
enum cm_status cm_step_array_shift_check(struct cm_run *run, const struct cm_run_step *step,
                                         const struct cm_step_array_shift *shifts, uint32_t count,
                                         struct cm_step_result *result, struct cm_error *err);

/* Functions for kinds whose state begins with a struct cm_shift *, and whose single shift the
 * run-time library executes. */
enum cm_status cm_step_array_shift_prepare(struct cm_run *run, struct cm_run_step *step,
                                           struct cm_error *err);
enum cm_status cm_step_array_shift_run(struct cm_run *run, struct cm_run_step *step,
                                       struct cm_error *err);
/* Returns true if each element of the results comes from a place of the source or is a constant, so
 * that a formula exists. A boundary array rules this out. The second function is for the step's
 * only shift. */
bool cm_step_array_shift_has_formula(const struct cm_step_array_shift *shifts, uint32_t count);
bool cm_step_array_shift_has_formula_one(const struct cm_workload_step *step);
enum cm_status cm_step_array_shift_check_one(struct cm_run *run, const struct cm_run_step *step,
                                             struct cm_step_result *result, struct cm_error *err);

#endif
