/* What a workload is once read: names resolved, places kept for messages; shared by its reader and
 * its runner. */
#ifndef CM_PROGRAMS_WORKLOAD_WORKLOAD_PRIVATE_H
#define CM_PROGRAMS_WORKLOAD_WORKLOAD_PRIVATE_H

#include "../../base/json.h"
#include "../combine/combine.h"
#include "../fft/fft_result.h"
#include "../network/network_private.h"
#include "../pshift/pshift.h"
#include "../pshift/shift.h"
#include "../reshape/reshape.h"
#include "init.h"
#include "workload.h"

#define CM_WORKLOAD_FORMAT      "cm200-workload/1"
#define CM_WORKLOAD_ARRAYS_MAX  1024u /* names are looked up one by one */
#define CM_WORKLOAD_SCALARS_MAX 1024u
#define CM_WORKLOAD_STEPS_MAX                                                                      \
    65536u /* steps written in the file; a repeat may run them more often */
#define CM_NO_ARRAY UINT32_MAX

struct cm_workload_array {
    const char *name;
    struct cm_json json;  /* its description */
    struct cm_json shape; /* where a message about its size points */
    struct cm_layout_request request;
    struct cm_init init;
    /* An allocation of its own, instead of the canonical layout. */
    bool allocated;
    enum cm_encoding encoding;
    enum cm_processor_rule processor_rule;
    uint64_t processor_list;
    bool meshed; /* allocated on a mesh */
    struct cm_json mesh_json;
    struct cm_fft_mapping mapping;
    /* While steps are read: what reshapes have made of it so far. */
    struct cm_layout_request now;
    bool displaced; /* canonical once, but no longer */
};

struct cm_workload_scalar {
    const char *name;
    struct cm_json json;
    struct cm_number number;
};

/* A number written out, a scalar by name, or an array by name. */
struct cm_workload_value {
    struct cm_json json;
    uint32_t array; /* CM_NO_ARRAY: a number */
    struct cm_number number;
};

enum cm_step_kind {
    CM_STEP_PSHIFT,
    CM_STEP_CSHIFT,
    CM_STEP_EOSHIFT,
    CM_STEP_COMBINE,
    CM_STEP_COPY,
    CM_STEP_REPEAT,
    CM_STEP_IMP,
    CM_STEP_SHIFT,
    CM_STEP_ROUTE,
    CM_STEP_RESHAPE,
    CM_STEP_FFT,
    CM_STEP_BROADCAST,
    CM_STEP_KIND_COUNT
};

/* Names of the kinds, as in workloads. */
extern const char *const cm_step_kind_names[CM_STEP_KIND_COUNT];

struct cm_workload_shift {
    struct cm_json json; /* of the shift itself */
    struct cm_json dst_json;
    struct cm_json src_json;
    enum cm_shift_type type;
    uint32_t dst;
    uint32_t src;
    uint32_t axis; /* from 0 */
    int64_t distance;
    enum cm_shift_path path; /* of cshift and eoshift */
    struct cm_workload_value boundary;
};

struct cm_workload_term {
    struct cm_workload_value coefficient;
    struct cm_json array_json;
    uint32_t array;
};

/* How the bits of a scalar argument are written: by what the IMP does with it, or as the workload
 * says. */
enum cm_argument_type {
    CM_ARGUMENT_BY_USE,
    CM_ARGUMENT_REAL32,
    CM_ARGUMENT_REAL64,
    CM_ARGUMENT_INT32
};

struct cm_workload_argument {
    const char *name;
    enum cm_argument_type type;
    struct cm_workload_value value;
};

struct cm_workload_reshape {
    struct cm_json shape_json;
    struct cm_layout_request to;
    enum cm_reshape_algorithm algorithm;
    bool consistent;
    bool has_encoding; /* afterwards; else as before */
    enum cm_encoding encoding;
    uint32_t order[64];
    uint32_t order_count;
    bool has_start; /* of gray-binary: all elements begin in dimension `start` */
    uint32_t start;
};

/* fft and broadcast, of the array `dst` */
struct cm_workload_fft {
    enum cm_fft_order order;
    uint64_t axes;                /* bit p: axis p takes part */
    uint64_t source[CM_RANK_MAX]; /* of a broadcast, coordinates from 0 */
    bool transform;               /* else the communication alone */
    bool inverse;
    bool input_reversed; /* bit-reversed along the axes */
    bool output_reversed;
    bool stepwise;
    enum cm_fft_decimation decimation;
};

struct cm_workload_step {
    enum cm_step_kind kind;
    struct cm_json json;
    char *where;   /* JSON pointer */
    uint32_t leaf; /* its number among the steps that do something */
    /* pshift, cshift, eoshift */
    struct cm_workload_shift *shifts;
    uint32_t shift_count;
    enum cm_setup_kind setup;
    /* combine, copy (its one term has no coefficient) */
    struct cm_json dst_json;
    uint32_t dst;
    struct cm_workload_term *terms;
    uint32_t term_count;
    /* imp */
    const char *imp_file;
    struct cm_json imp_file_json;
    struct cm_json arguments_json; /* of the step when it has none */
    struct cm_workload_argument *arguments;
    uint32_t argument_count;
    /* shift, route */
    struct cm_network_step *network;
    /* reshape, of the array `dst` */
    struct cm_workload_reshape *reshape;
    /* fft, broadcast, of the array `dst` */
    struct cm_workload_fft *fft;
    /* repeat */
    uint64_t times;
    struct cm_workload_step *steps;
    uint32_t step_count;
};

struct cm_workload_save {
    uint32_t array;
    const char *path; /* as written */
};

struct cm_workload {
    struct cm_json_document *document;
    const char *name;
    const char *machine; /* as written; NULL when it names none */
    struct cm_json machine_json;
    struct cm_json nodes_json; /* the root when not named */
    uint32_t nodes;            /* 0: not named */
    struct cm_workload_array *arrays;
    uint32_t array_count;
    struct cm_workload_scalar *scalars;
    uint32_t scalar_count;
    struct cm_workload_step *steps; /* the outermost */
    uint32_t step_count;
    uint32_t leaf_count;  /* steps that do something: all but the repeats */
    uint32_t steps_total; /* leaves and repeats */
    struct cm_workload_save *saves;
    uint32_t save_count;
    bool check;
};

/* workload_arrays.c */
enum cm_status cm_workload_read_arrays(struct cm_workload *workload, struct cm_json arrays,
                                       struct cm_error *err);
enum cm_status cm_workload_read_scalars(struct cm_workload *workload, struct cm_json scalars,
                                        struct cm_error *err);
/* A number, or [re, im]. */
enum cm_status cm_workload_read_number(struct cm_json json, const char *what,
                                       struct cm_number *number, struct cm_error *err);
/* The array that a string names; did-you-mean when there is none. */
enum cm_status cm_workload_read_array_name(const struct cm_workload *workload, struct cm_json json,
                                           const char *what, uint32_t *array, struct cm_error *err);
/* A number, a scalar's name or an array's name. */
enum cm_status cm_workload_read_value(const struct cm_workload *workload, struct cm_json json,
                                      const char *what, struct cm_workload_value *value,
                                      struct cm_error *err);
/* CM_BAD_INPUT at `json` when the type cannot hold the number. */
enum cm_status cm_workload_check_number(struct cm_json json, const struct cm_number *number,
                                        enum cm_type type, const char *what, struct cm_error *err);
uint32_t cm_workload_find_array(const struct cm_workload *workload, const char *name);
/* The array whose name is nearest to `name`, for a hint; NULL when none is near. */
const char *cm_workload_suggest_array(const struct cm_workload *workload, const char *name);
/* "(64, 32)": a shape as messages show it. Returns `buffer`. */
const char *cm_shape_text(const uint64_t *shape, uint32_t rank, char *buffer, size_t size);

/* workload_steps.c */
enum cm_status cm_workload_read_steps(struct cm_workload *workload, struct cm_json steps,
                                      struct cm_error *err);
void cm_workload_steps_destroy(struct cm_workload_step *steps, uint32_t count);

/* workload_reshape.c: "encoding" and "processor_dimensions" of an array; a reshape step. */
enum cm_status cm_workload_read_allocation(struct cm_workload_array *array, struct cm_error *err);
enum cm_status cm_workload_read_reshape(struct cm_workload *workload, struct cm_json object,
                                        struct cm_workload_step *step, struct cm_error *err);
/* workload_fft.c: "mesh" of an array; fft and broadcast steps. */
enum cm_status cm_workload_read_mesh(struct cm_workload_array *array, struct cm_json json,
                                     struct cm_error *err);
enum cm_status cm_workload_read_fft(struct cm_workload *workload, struct cm_json object,
                                    struct cm_workload_step *step, struct cm_error *err);
/* Shapes before the steps of a repeat, and the demand that they are the same afterwards. */
struct cm_workload_shapes;
enum cm_status cm_workload_shapes_note(const struct cm_workload *workload,
                                       struct cm_workload_shapes **shapes, struct cm_error *err);
enum cm_status cm_workload_shapes_expect(const struct cm_workload *workload,
                                         const struct cm_workload_shapes *shapes,
                                         struct cm_json json, struct cm_error *err);
/* workload_arrays.c: shape and, left as they are, orders and weights of 1. */
enum cm_status cm_workload_read_shape(struct cm_layout_request *request, struct cm_json json,
                                      struct cm_error *err);

/* Gives an error of a lower layer, which knows no place, the place of `json`; one with a place
 * keeps it. */
enum cm_status cm_workload_place(struct cm_json json, struct cm_error *err);

/* Adds, where no hint is given yet, where in the workload the faulty file was named. */
void cm_workload_named_at(struct cm_json json, struct cm_error *err);

/* Whether running the workload would read other files than the machine: data or IMPs. */
bool cm_workload_reads_files(const struct cm_workload *workload);

#endif
