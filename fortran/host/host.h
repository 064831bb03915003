/*
 * The front end of a running CM Fortran program: values, and the evaluation of expressions.
 *
 * The room evaluates scalar expressions (scalar.c), CHARACTER values (text.c) and array expressions
 * (evaluate.c), one operation after the other, in plain loops that know nothing of nodes, layouts
 * or IMPs. So its results serve two purposes: they are the value of everything that the machine
 * does not compute, and the check of a program (run/direct.h) compares the machine with them.
 * Arithmetic is that of gfortran on x86-64.
 *
 * Data: struct cm_fortran_run (state.h) is the state of the program. An array (value.h) lives in
 * the front end or on the machine.
 *
 * Cost: elements that the front end reads from the machine, or writes there, are charged to the
 * machine's clock. Functions say how many elements they charge. While run->uncharged is true
 * nothing is charged. Work within the front end costs no cycles.
 *
 * Invariants: a value that an evaluation returns is a new array in the front end, which the caller
 * destroys. After a failure the caller gets NULL. The room calls no function of machine/ or run/
 * except through run->hooks (state.h).
 *
 * Files:
 * - state.c: errors, variables and masks. lines.c: records of source lines.
 * - arrays.c: arrays in both homes. section.c: sections of arrays.
 * - scalar.c, text.c, evaluate.c: expressions of rank 0, CHARACTER values, array expressions.
 * - intrinsic.c, reduce.c, inquiry.c: functions of arrays. division.c: integer division by zero.
 * - print.c, print_format.c, print_number.c: output.
 *
 * Not installed.
 */
#ifndef CM_FORTRAN_HOST_H
#define CM_FORTRAN_HOST_H

#include "../check/compute.h"
#include "state.h"

/* ---- arrays: arrays.c ---- */

/* Makes an array of zeros in the front end. */
enum cm_status cm_fortran_array_host(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                     const uint64_t *extent, struct cm_fortran_array **array);
/* Makes an array of zeros on the machine, with the layout that the variable declares. */
enum cm_status cm_fortran_array_machine(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        const uint64_t *extent, struct cm_fortran_array **array);
/* Makes an array of zeros on the machine, with the layout of an array without a directive. */
enum cm_status cm_fortran_array_plain(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                      const uint64_t *extent, struct cm_fortran_array **array);
/* Makes an array on the machine with the shape and layout of `model`, and another type. */
enum cm_status cm_fortran_array_like(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *model, enum cm_type type,
                                     struct cm_fortran_array **array);
/* Frees an array. NULL is allowed. */
void cm_fortran_array_destroy(struct cm_fortran_run *run, struct cm_fortran_array *array);
/* Copies an array to a new one in the front end. Charges `charged` elements if the array is on the
 * machine. */
enum cm_status cm_fortran_array_copy(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *array, uint64_t charged,
                                     struct cm_fortran_array **copy);
/* Writes all elements of an array on the machine, and charges `charged` of them. */
enum cm_status cm_fortran_array_replace(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                        const void *elements, uint64_t charged);
/* Reads or writes one element, whose index counts in Fortran order from 0. Charges one element if
 * the array is on the machine. */
enum cm_status cm_fortran_element_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_array *array, uint64_t index,
                                      union cm_fortran_value *value);
enum cm_status cm_fortran_element_put(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                      uint64_t index, const union cm_fortran_value *value);
/* Reads or writes one element without a charge. */
enum cm_status cm_fortran_element_peek(struct cm_fortran_run *run,
                                       const struct cm_fortran_array *array, uint64_t index,
                                       union cm_fortran_value *value);
enum cm_status cm_fortran_element_poke(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                       uint64_t index, const union cm_fortran_value *value);
/* Charges the transfer of `elements` elements of an array between the machine and the front end,
 * unless run->uncharged. */
void cm_fortran_charge(struct cm_fortran_run *run, const struct cm_fortran_array *array,
                       uint64_t elements);
/* Returns true if the machine has elements of the array. */
static inline bool cm_fortran_on_machine(const struct cm_fortran_array *array)
{
    return array->machine != NULL;
}
/* Reads or writes one element of a vector in the host's representation. */
void cm_fortran_load(enum cm_type type, const void *elements, uint64_t index,
                     union cm_fortran_value *value);
void cm_fortran_store(enum cm_type type, void *elements, uint64_t index,
                      const union cm_fortran_value *value);

/* ---- scalar expressions: scalar.c ---- */

/* Evaluates an expression of rank 0. */
enum cm_status cm_fortran_scalar(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression,
                                 union cm_fortran_value *value);
/* Evaluates an INTEGER expression of rank 0. */
enum cm_status cm_fortran_integer(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression, int64_t *value);
/* Evaluates a LOGICAL expression of rank 0. */
enum cm_status cm_fortran_logical(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression, bool *value);
/* Finds the index, in Fortran order from 0, of the element that subscripts name. Fails for a
 * subscript out of bounds. */
enum cm_status cm_fortran_offset(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *element,
                                 const struct cm_fortran_array *array, uint64_t *index);
/* Assigns to a scalar variable or an array element. */
enum cm_status cm_fortran_assign_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *target,
                                        const union cm_fortran_value *value);

/* ---- CHARACTER values: text.c ---- */

/* Evaluates a CHARACTER expression and appends its characters to `out`. */
enum cm_status cm_fortran_text(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression,
                               struct cm_buffer *out);
/* Evaluates a CHARACTER expression into a new text, whose bytes the caller frees. */
enum cm_status cm_fortran_text_copy(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *expression,
                                    struct cm_fortran_text *copy);
/* Finds the characters of a variable, an array element or a substring. The variable keeps them. */
enum cm_status cm_fortran_text_place(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_text *text);
/* Copies characters as an assignment does: cuts off those beyond the target's length, and fills the
 * rest of the target with blanks. */
void cm_fortran_text_fill(const struct cm_fortran_text *to, const struct cm_fortran_text *from);
/* Makes the characters of a variable, all blanks, for each element if `array` is not NULL. The
 * caller frees the bytes. */
enum cm_status cm_fortran_text_make(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    const struct cm_fortran_array *array,
                                    struct cm_fortran_text *text);
/* Returns the number of characters of an element. `text` has those of the whole array. */
uint32_t cm_fortran_text_length(const struct cm_fortran_variable *variable,
                                const struct cm_fortran_array *array,
                                const struct cm_fortran_text *text);
/* Narrows `text` from the characters of an array to those of its element `index`. */
void cm_fortran_text_element(const struct cm_fortran_variable *variable,
                             const struct cm_fortran_array *array, uint64_t index,
                             struct cm_fortran_text *text);
/* Copies the characters of a section to new bytes, and makes an array with the section's bounds.
 * The caller frees both. */
enum cm_status cm_fortran_text_section(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *section,
                                       struct cm_fortran_text *text,
                                       struct cm_fortran_array **array);
/* Copies characters that cm_fortran_text_section has made back to the section. */
enum cm_status cm_fortran_text_section_put(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *section,
                                           const char *bytes);
enum cm_status cm_fortran_text_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value);
/* Evaluates a comparison of texts, or a function of texts with an INTEGER value. */
enum cm_status cm_fortran_text_number(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      union cm_fortran_value *value);

/* ---- sections of arrays: section.c ---- */

/* Elements that a section names: for each dimension of the array a scalar subscript, a triplet or
 * a vector of subscripts. */
struct cm_fortran_section {
    struct cm_fortran_array *array;
    uint32_t rank; /* of the section */
    struct cm_fortran_range {
        bool dropped; /* true for a scalar subscript: the section does not have this dimension */
        uint64_t count;
        int64_t first, stride; /* offsets from 0 in the array's dimension */
        int32_t *vector;       /* owned offsets of a vector of subscripts, else NULL */
    } ranges[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX]; /* of the section */
    uint64_t elements;
    /* View whose array `array` is, if the machine has narrowed the section (machine/view.c), else
     * NULL. Owned. */
    struct cm_fortran_view *view;
};

/* Evaluates the subscripts of a section. A whole array is a section too. Fails for a subscript out
 * of bounds. The caller finishes the section. */
enum cm_status cm_fortran_section_find(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_section *section);
void cm_fortran_section_finish(struct cm_fortran_section *section);
/* Returns the index in the array of the section's element `number`, both in Fortran order. */
uint64_t cm_fortran_section_index(const struct cm_fortran_section *section, uint64_t number);
/* Copies the elements of a section to packed memory. Charges them if they are on the machine. */
enum cm_status cm_fortran_section_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section, void *elements);
/* Stores elements of `value` in a section, where the mask (or NULL) is true. A `value` of rank 0
 * goes to every element. Charges all elements of a section on the machine. */
enum cm_status cm_fortran_section_put(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section,
                                      const struct cm_fortran_array *value, const uint8_t *mask);

/* ---- array expressions: evaluate.c, intrinsic.c ---- */

/* Classes of intrinsic functions, as program.h explains. */
enum cm_fortran_class {
    CM_FORTRAN_CLASS_ELEMENTAL,
    CM_FORTRAN_CLASS_REDUCTION,
    CM_FORTRAN_CLASS_TRANSFORMATION,
    CM_FORTRAN_CLASS_INQUIRY,
    CM_FORTRAN_CLASS_TEXT,
};
enum cm_fortran_class cm_fortran_intrinsic_class(enum cm_fortran_intrinsic intrinsic);

/* Evaluates an expression of any rank into a new array in the front end. An expression of rank 0
 * gives an array of rank 0 with one element. */
enum cm_status cm_fortran_host_value(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **value);
/* Fails if two shapes differ. */
enum cm_status cm_fortran_conform(struct cm_fortran_run *run, struct cm_source_place place,
                                  const struct cm_fortran_array *a,
                                  const struct cm_fortran_array *b);
/* Assigns a value in the front end to an array or a section, where the mask (or NULL) is true. */
enum cm_status cm_fortran_host_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_array *value,
                                      const struct cm_fortran_array *mask);
/* Computes a reduction or another function of arrays. `args` are in the front end, NULL where an
 * argument is absent. */
enum cm_status cm_fortran_host_intrinsic(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         struct cm_fortran_array **args,
                                         struct cm_fortran_array **value);

/* ---- integer division by zero: division.c ---- */

/* Returns true if an expression divides integers by something that may be 0. Its operands are not
 * looked into. */
bool cm_fortran_divides(const struct cm_fortran_expression *expression);
/* Puts the selection of an argument's used elements in force, while the argument is evaluated. A
 * call of cm_fortran_selection_end must follow, also after a failure. */
enum cm_status cm_fortran_selection_begin(struct cm_fortran_run *run,
                                          const struct cm_fortran_expression *call,
                                          uint32_t argument,
                                          struct cm_fortran_selection *selection);
void cm_fortran_selection_end(struct cm_fortran_run *run, struct cm_fortran_selection *selection);
/* Fails if the divisor of an expression, an array, is 0 in an element that is used. Charges
 * nothing. A divisor with calls of functions is not checked. */
enum cm_status cm_fortran_check_divisor(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression);
/* Fails if an elemental function is undefined for the values of its arguments: ISHFTC with a size
 * that is not 1 to 32. */
enum cm_status cm_fortran_check_arguments(struct cm_fortran_run *run,
                                          const struct cm_fortran_expression *call,
                                          const union cm_fortran_value *args, uint32_t count);
/* Fails if `divisor`, in the front end, is 0 in an element that is used. `shape` is the quotient's
 * shape. */
enum cm_status cm_fortran_check_quotient(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *expression,
                                         const struct cm_fortran_array *shape,
                                         const struct cm_fortran_array *divisor);

/* ---- output: print.c ---- */

/* Executes PRINT or WRITE: appends text to run->output. */
enum cm_status cm_fortran_print(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement);

#endif
