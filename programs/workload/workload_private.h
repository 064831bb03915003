/* A workload after it was read. Names are resolved to numbers, and each object keeps its place in
 * the JSON text for error messages. The readers (read*.c) fill these structs, and the kinds of
 * steps and the run use them. Nothing changes a workload once it is read. */
#ifndef CM_PROGRAMS_WORKLOAD_WORKLOAD_PRIVATE_H
#define CM_PROGRAMS_WORKLOAD_WORKLOAD_PRIVATE_H

#include "../../base/reader.h"
#include "../../base/sha256.h"
#include "../fft/mapping.h"
#include "files.h"
#include "init.h"
#include "keys.h"
#include "workload.h"

#include <stdatomic.h>

#define CM_WORKLOAD_FORMAT      "cm200-workload/1"
#define CM_WORKLOAD_ARRAYS_MAX  1024u /* limited because names are searched linearly */
#define CM_WORKLOAD_SCALARS_MAX 1024u
/* most steps in the file. A repeat may execute a step more often */
#define CM_WORKLOAD_STEPS_MAX      65536u
#define CM_WORKLOAD_PARAMETERS_MAX 256u /* limited because names are searched linearly */
#define CM_NO_ARRAY                UINT32_MAX

/* List of memory blocks that are freed together. */
struct cm_block {
    struct cm_block *next;
    max_align_t memory[];
};
/* Returns zeroed memory that lives as long as the list, or NULL if out of memory. */
void *cm_blocks_allocate(struct cm_block **list, size_t bytes);
void cm_blocks_free(struct cm_block *list);

struct cm_workload_array {
    const char *name;
    struct cm_json json;  /* JSON object that describes the array */
    struct cm_json shape; /* place for error messages about the array's size */
    struct cm_layout_request request;
    struct cm_init init;
    /* True if the array has an allocation of its own instead of the canonical layout. */
    bool allocated;
    enum cm_encoding encoding;
    enum cm_processor_rule processor_rule;
    uint64_t processor_list;
    bool meshed; /* true if the array is placed on a mesh, for FFTs */
    struct cm_json mesh_json;
    struct cm_fft_mapping mapping;
    /* Shape and layout after the reshapes that have been read so far. This member is used only
     * while steps are read. */
    struct cm_layout_request now;
    bool displaced; /* true once a reshape has moved the array out of its canonical layout */
};

struct cm_workload_scalar {
    const char *name;
    struct cm_json json;
    struct cm_number number;
    /* Set of the element types that steps compute for the scalar, one bit each. It is complete once
     * all steps are read. */
    uint32_t computed;
};

/* Name of an array in the workload, resolved to the array's number. */
struct cm_array_reference {
    struct cm_json json;
    uint32_t number;
};

/* Value of a key: a literal number, the name of a scalar, or the name of an array. */
struct cm_workload_value {
    struct cm_json json;
    uint32_t array; /* number of the array. CM_NO_ARRAY: the value is not an array but a number */
    /* number of the scalar, from 1. Its first value is `number`. 0: not a scalar */
    uint32_t scalar;
    struct cm_number number;
};

struct cm_step_kind; /* struct in step.h */

struct cm_workload_step {
    const struct cm_step_kind *kind;
    struct cm_json json; /* the step's JSON object */
    struct cm_json body; /* JSON value of the kind's key */
    const char *where;   /* JSON pointer of the step */
    void *own;           /* struct that the kind defines, filled by its table of keys */
    uint32_t leaf;       /* number among the steps that do not contain other steps, from 0 */
    /* Steps inside a repeat, which are executed `times` times. NULL for steps of other kinds. */
    struct cm_workload_step *steps;
    uint32_t step_count;
    uint64_t times;
};

struct cm_workload_save {
    uint32_t array;
    const struct cm_workload_file *file;
};

struct cm_workload {
    struct cm_json_document *document;
    atomic_int runs; /* number of runs that use the workload and are not destroyed */
    const char *name;
    struct cm_sha256_text sha256; /* SHA-256 of the workload's text */
    struct cm_parameter *parameters;
    uint32_t parameter_count;
    /* file of the machine. NULL if the workload does not name a file */
    const struct cm_workload_file *machine;
    const char *machine_name; /* name of a known machine, if `machine` is NULL */
    struct cm_workload_file *files, **files_end;
    /* place of the key "nodes" in the JSON text, or the root if the key is missing */
    struct cm_json nodes_json;
    uint32_t nodes; /* number of nodes. 0 if the workload does not say */
    struct cm_workload_array *arrays;
    uint32_t array_count;
    struct cm_workload_scalar *scalars;
    uint32_t scalar_count;
    struct cm_workload_step *steps; /* outermost steps: a repeat counts as one step */
    uint32_t step_count;
    uint32_t leaf_count;  /* number of steps that do not contain other steps */
    uint32_t steps_total; /* number of all steps in the file, repeats included */
    struct cm_workload_save *saves;
    uint32_t save_count;
    bool check;
    struct cm_block *blocks; /* memory that is freed with the workload */
};

/* Reads "parameters" with the changes in `set` (each "NAME=INTEGER"), and replaces every expression
 * of parameters in the workload by its number (parameters.c). */
void cm_workload_read_parameters(struct cm_workload *workload, struct cm_reader *reader,
                                 struct cm_json root, const char *const *set, uint32_t set_count);

/* These functions (read_arrays.c) read the arrays and the scalars of a workload. */
void cm_workload_read_arrays(struct cm_workload *workload, struct cm_reader *reader,
                             struct cm_json arrays);
void cm_workload_read_scalars(struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json scalars);
/* Reads the lengths of a shape. Sets the orders of all axes to NEWS and their weights to 1. */
void cm_workload_read_shape(struct cm_reader *reader, struct cm_json json,
                            struct cm_layout_request *request);
/* Reads the number of a logic dimension, which is a bit of the element number, from 0. `what` names
 * the value in error messages. */
uint32_t cm_workload_read_dimension(struct cm_reader *reader, struct cm_json json,
                                    const char *what);
extern const char *const cm_workload_encoding_names[];
extern const struct cm_key cm_workload_array_keys[], cm_workload_mesh_keys[];
extern const uint32_t cm_workload_array_key_count, cm_workload_mesh_key_count;

/* The functions from here to cm_workload_expect_same_shape are in read_common.c. */

/* Returns zeroed memory that lives as long as the workload, or NULL once the reader has failed. */
void *cm_workload_allocate(struct cm_workload *workload, struct cm_reader *reader, size_t count,
                           size_t size);

/* Adds the place of `json` to an error that the place is missing from, as errors of lower layers
 * are. Returns the error's status. */
enum cm_status cm_workload_place(struct cm_json json, struct cm_error *err);
/* Passes the status of a function of a lower layer to the reader. An error gets the place of
 * `json`. */
void cm_workload_take(struct cm_reader *reader, struct cm_json json, enum cm_status status);

/* Adds a hint with the place where the workload names the faulty file, unless the error already has
 * a hint. */
void cm_workload_hint_place(struct cm_json json, struct cm_error *err);

uint32_t cm_workload_find_array(const struct cm_workload *workload, const char *name);
/* Returns the number of a scalar, from 1, or 0 if it does not exist. */
uint32_t cm_workload_find_scalar(const struct cm_workload *workload, const char *name);
/* Returns the array name most similar to `name`, for a hint, or NULL if none is similar. */
const char *cm_workload_suggest_array(const struct cm_workload *workload, const char *name);
/* Reads the name of an array and returns the array's number. The error for an unknown name suggests
 * a similar name. Returns 0 once the reader has failed. */
uint32_t cm_workload_read_array_name(const struct cm_workload *workload, struct cm_reader *reader,
                                     struct cm_json json, const char *what);
/* Reads a number, or a complex number [re, im]. */
struct cm_number cm_workload_read_number(struct cm_reader *reader, struct cm_json json,
                                         const char *what);
/* Reads a number, the name of a scalar, or the name of an array. */
void cm_workload_read_value(const struct cm_workload *workload, struct cm_reader *reader,
                            struct cm_json json, const char *what, struct cm_workload_value *value);
/* Product of a coefficient and an array. */
struct cm_workload_product {
    struct cm_workload_value coefficient;
    struct cm_array_reference array;
};

/* Reads the first two entries of a term, a coefficient and an array, as a product. Refuses a
 * coefficient or array that does not fit the type and shape of `dst`. `form` shows in error
 * messages how a term is written. */
void cm_workload_read_product(const struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json term, const char *form, struct cm_array_reference dst,
                              struct cm_workload_product *product);
/* Refuses a number that the type cannot hold. */
void cm_workload_check_number(struct cm_reader *reader, struct cm_json json,
                              const struct cm_number *number, enum cm_type type, const char *what);
/* Writes a shape as in error messages, such as "(64, 32)". Returns `buffer`. */
const char *cm_shape_text(const uint64_t *shape, uint32_t rank, char *buffer, size_t size);
/* Returns the shape and layout that the array has at the step that is being read. */
const struct cm_layout_request *cm_workload_array_now(const struct cm_workload *workload,
                                                      struct cm_array_reference array);
/* Refuses an array whose shape or type differs from that of the array `model`, or that is not in
 * the canonical layout. cm_run_expect_layout compares layouts once the arrays are laid out. */
void cm_workload_expect_same_type(const struct cm_workload *workload, struct cm_reader *reader,
                                  struct cm_array_reference array, struct cm_array_reference model);

/* Refuses an array whose shape differs from that of the array `model`, or whose type is not
 * `type`. */
void cm_workload_expect_same_shape(const struct cm_workload *workload, struct cm_reader *reader,
                                   struct cm_array_reference array, struct cm_array_reference model,
                                   enum cm_type type);

/* Reads a list of steps to *steps, and its length to *count (read_steps.c). */
void cm_workload_read_steps(struct cm_workload *workload, struct cm_reader *reader,
                            struct cm_json list, struct cm_workload_step **steps, uint32_t *count);

#endif
