/* What a workload is once read: names resolved, places kept for messages; shared by its readers,
 * the kinds of steps and the run. */
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
#define CM_WORKLOAD_ARRAYS_MAX  1024u /* names are looked up one by one */
#define CM_WORKLOAD_SCALARS_MAX 1024u
/* steps written in the file; a repeat may run them more often */
#define CM_WORKLOAD_STEPS_MAX      65536u
#define CM_WORKLOAD_PARAMETERS_MAX 256u /* names are looked up one by one */
#define CM_NO_ARRAY                UINT32_MAX

/* Memory in a list, to be freed at once. */
struct cm_block {
    struct cm_block *next;
    max_align_t memory[];
};
/* Zeroed memory that lives as long as the list; NULL when there is not enough. */
void *cm_blocks_allocate(struct cm_block **list, size_t bytes);
void cm_blocks_free(struct cm_block *list);

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
    /* A bit for each type that steps compute for it; known once all steps are read. */
    uint32_t computed;
};

/* An array by name. */
struct cm_array_reference {
    struct cm_json json;
    uint32_t number;
};

/* A number written out, a scalar by name, or an array by name. */
struct cm_workload_value {
    struct cm_json json;
    uint32_t array;  /* CM_NO_ARRAY: a number */
    uint32_t scalar; /* that it names, from 1; `number` is what it begins with; 0: none */
    struct cm_number number;
};

struct cm_step_kind; /* step.h */

struct cm_workload_step {
    const struct cm_step_kind *kind;
    struct cm_json json; /* the step */
    struct cm_json body; /* the value of its kind's key */
    const char *where;   /* JSON pointer */
    void *own;           /* the kind's struct, as its table of keys fills it */
    uint32_t leaf;       /* its number among the steps that do something */
    /* Steps inside it, to run `times` times; NULL when it does something itself. */
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
    struct cm_sha256_text sha256; /* of the text */
    struct cm_parameter *parameters;
    uint32_t parameter_count;
    const struct cm_workload_file *machine; /* NULL when it names none */
    struct cm_workload_file *files, **files_end;
    struct cm_json nodes_json; /* the root when not named */
    uint32_t nodes;            /* 0: not named */
    struct cm_workload_array *arrays;
    uint32_t array_count;
    struct cm_workload_scalar *scalars;
    uint32_t scalar_count;
    struct cm_workload_step *steps; /* the outermost */
    uint32_t step_count;
    uint32_t leaf_count;  /* steps that do something themselves */
    uint32_t steps_total; /* and those that hold others */
    struct cm_workload_save *saves;
    uint32_t save_count;
    bool check;
    struct cm_block *blocks; /* memory that is freed with the workload */
};

/* parameters.c: reads "parameters", of which `set` ("NAME=INTEGER") changes some, and makes numbers
 * of all expressions of them in the workload. */
void cm_workload_read_parameters(struct cm_workload *workload, struct cm_reader *reader,
                                 struct cm_json root, const char *const *set, uint32_t set_count);

/* read_arrays.c */
void cm_workload_read_arrays(struct cm_workload *workload, struct cm_reader *reader,
                             struct cm_json arrays);
void cm_workload_read_scalars(struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json scalars);
/* Lengths and, left as they are, orders and weights of 1. */
void cm_workload_read_shape(struct cm_reader *reader, struct cm_json json,
                            struct cm_layout_request *request);
/* A dimension of an element's number. */
uint32_t cm_workload_read_dimension(struct cm_reader *reader, struct cm_json json,
                                    const char *what);
extern const char *const cm_workload_encoding_names[];
extern const struct cm_key cm_workload_array_keys[], cm_workload_mesh_keys[];
extern const uint32_t cm_workload_array_key_count, cm_workload_mesh_key_count;

/* read_common.c */

/* Zeroed memory that lives as long as the workload; NULL once the reader has failed. */
void *cm_workload_allocate(struct cm_workload *workload, struct cm_reader *reader, size_t count,
                           size_t size);

/* Gives an error of a lower layer, which knows no place, the place of `json`; one with a place
 * keeps it. */
enum cm_status cm_workload_place(struct cm_json json, struct cm_error *err);
/* The same for a reader: takes over what the lower layer returned. */
void cm_workload_take(struct cm_reader *reader, struct cm_json json, enum cm_status status);

/* Adds, where no hint is given yet, where in the workload the faulty file was named. */
void cm_workload_named_at(struct cm_json json, struct cm_error *err);

uint32_t cm_workload_find_array(const struct cm_workload *workload, const char *name);
/* From 1; 0 when it is missing. */
uint32_t cm_workload_find_scalar(const struct cm_workload *workload, const char *name);
/* The array whose name is nearest to `name`, for a hint; NULL when none is near. */
const char *cm_workload_suggest_array(const struct cm_workload *workload, const char *name);
/* The array that a string names; did-you-mean for an unknown one. 0 once the reader has failed. */
uint32_t cm_workload_read_array_name(const struct cm_workload *workload, struct cm_reader *reader,
                                     struct cm_json json, const char *what);
/* A number, or [re, im]. */
struct cm_number cm_workload_read_number(struct cm_reader *reader, struct cm_json json,
                                         const char *what);
/* A number, a scalar's name or an array's name. */
void cm_workload_read_value(const struct cm_workload *workload, struct cm_reader *reader,
                            struct cm_json json, const char *what, struct cm_workload_value *value);
/* The first two entries of a term, a coefficient and the name of an array, both alike `dst`; `form`
 * is how a term is written. */
void cm_workload_read_product(const struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json term, const char *form, struct cm_array_reference dst,
                              struct cm_workload_value *coefficient,
                              struct cm_array_reference *array);
/* Refuses a number that the type cannot hold. */
void cm_workload_check_number(struct cm_reader *reader, struct cm_json json,
                              const struct cm_number *number, enum cm_type type, const char *what);
/* "(64, 32)": a shape as messages show it. Returns `buffer`. */
const char *cm_shape_text(const uint64_t *shape, uint32_t rank, char *buffer, size_t size);
/* How the array lies when the step is reached that is being read. */
const struct cm_layout_request *cm_workload_array_now(const struct cm_workload *workload,
                                                      struct cm_array_reference array);
/* Arrays that one step works on have one shape and one type, and lie canonically; that their
 * layouts agree is checked once they are laid. */
void cm_workload_expect_alike(const struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_array_reference array, struct cm_array_reference model);

/* The same for an array of another type than the model's. */
void cm_workload_expect_shaped(const struct cm_workload *workload, struct cm_reader *reader,
                               struct cm_array_reference array, struct cm_array_reference model,
                               enum cm_type type);

/* read_steps.c: a list of steps, at `*steps`. */
void cm_workload_read_steps(struct cm_workload *workload, struct cm_reader *reader,
                            struct cm_json list, struct cm_workload_step **steps, uint32_t *count);

#endif
