/*
 * This header declares the front end of a running CM Fortran program: its values, and the
 * evaluation of expressions.
 *
 * This room evaluates scalar expressions (scalar.c), CHARACTER values (text.c) and array
 * expressions (evaluate.c), one operation after the other, in plain loops that know nothing of
 * nodes, layouts or IMPs. So its results serve two purposes. They are the values of all expressions
 * that the machine does not compute, and the check of a program (run/direct.h) compares the
 * machine's results with them. Arithmetic is that of gfortran on x86-64.
 *
 * Data: struct cm_fortran_run (state.h) is the state of the program. An array (value.h) lives in
 * the front end or on the machine.
 *
 * Cost: elements that the front end reads from the machine, or writes there, are charged to the
 * machine's clock. Functions say how many elements they charge. While run->uncharged is true, they
 * charge nothing. Computation within the front end costs no cycles.
 *
 * Invariants: a value that an evaluation returns is a new array in the front end, which the caller
 * destroys. After a failure the caller gets NULL. The room calls no function of machine/ or run/
 * except through run->hooks (state.h).
 *
 * Files:
 * - state.c: errors, variables and masks. lines.c: records of source lines.
 * - arrays.c: arrays in the front end and on the machine. section.c: sections of arrays.
 * - scalar.c, text.c, evaluate.c: expressions of rank 0, CHARACTER values, array expressions.
 * - intrinsic.c, reduce.c, inquiry.c: functions of arrays. division.c: integer division by zero.
 * - io.h: input and output. output.c: passing the output to the caller.
 *
 * This header is not installed.
 */
#ifndef CM_FORTRAN_HOST_H
#define CM_FORTRAN_HOST_H

#include "../check/compute.h"
#include "state.h"

/* ---- arrays: arrays.c ---- */

/* Makes an array of zeros in the front end. */
enum cm_status cm_fortran_array_host(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                     const uint64_t *extent, struct cm_fortran_array **array);
/* Makes an array of zeros on the machine, with the layout that `variable` declares. */
enum cm_status cm_fortran_array_machine(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        const uint64_t *extent, struct cm_fortran_array **array);
/* Makes an array of zeros on the machine, with the layout of an array that has no LAYOUT
 * directive. */
enum cm_status cm_fortran_array_plain(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                      const uint64_t *extent, struct cm_fortran_array **array);
/* Makes an array on the machine with the shape and layout of `model`, and with another type. */
enum cm_status cm_fortran_array_like(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *model, enum cm_type type,
                                     struct cm_fortran_array **array);
/* Makes an array with the type and layout of `other`, whose accesses cost what accesses to `other`
 * do (cm_array_create_twin). */
enum cm_status cm_fortran_array_twin(struct cm_fortran_run *run, const struct cm_array *other,
                                     struct cm_fortran_array **array);
/* Frees an array. `array` may be NULL. */
void cm_fortran_array_destroy(struct cm_fortran_run *run, struct cm_fortran_array *array);
/* Copies an array into a new array in the front end. Charges the transfer of `charged` elements if
 * the array is on the machine. */
enum cm_status cm_fortran_array_copy(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *array, uint64_t charged,
                                     struct cm_fortran_array **copy);
/* Writes all elements of an array on the machine, and charges the transfer of `charged`
 * elements. */
enum cm_status cm_fortran_array_replace(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                        const void *elements, uint64_t charged);
/* Reads or writes one element of an array, whose index counts in Fortran order (the first subscript
 * varies fastest) from 0. Charges the transfer of one element if the array is on the machine. */
enum cm_status cm_fortran_element_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_array *array, uint64_t index,
                                      union cm_fortran_value *value);
enum cm_status cm_fortran_element_put(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                      uint64_t index, const union cm_fortran_value *value);
/* Reads or writes one element of an array, and charges no cycles. */
enum cm_status cm_fortran_element_peek(struct cm_fortran_run *run,
                                       const struct cm_fortran_array *array, uint64_t index,
                                       union cm_fortran_value *value);
enum cm_status cm_fortran_element_poke(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                       uint64_t index, const union cm_fortran_value *value);
/* Charges the cycles of a transfer of `elements` elements of an array between the machine and the
 * front end, unless run->uncharged is true. */
void cm_fortran_charge(struct cm_fortran_run *run, const struct cm_fortran_array *array,
                       uint64_t elements);
/* Charges the cycles of a transfer of elements to the front end, and makes the front end wait for
 * the end of the transfer. */
void cm_fortran_charge_read(struct cm_fortran_run *run, const struct cm_fortran_array *array,
                            uint64_t elements);
/* Returns true if the array's elements are on the machine. */
static inline bool cm_fortran_on_machine(const struct cm_fortran_array *array)
{
    return array->machine != NULL;
}
/* Reads or writes one element of a vector in the host's memory, as a value of its type. */
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
/* Finds the index, in Fortran order from 0, of the array element that the expression `element`
 * names by its subscripts. Fails for a subscript out of bounds. */
enum cm_status cm_fortran_offset(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *element,
                                 const struct cm_fortran_array *array, uint64_t *index);
/* Assigns a value to a scalar variable or an array element. */
enum cm_status cm_fortran_assign_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *target,
                                        const union cm_fortran_value *value);

/* ---- CHARACTER values: text.c ---- */

/* Evaluates a CHARACTER expression, and appends its characters to `out`. */
enum cm_status cm_fortran_text(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression,
                               struct cm_buffer *out);
/* Evaluates a CHARACTER expression into new memory, which the caller frees (copy->bytes). */
enum cm_status cm_fortran_text_copy(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *expression,
                                    struct cm_fortran_text *copy);
/* Finds the characters of a variable, an array element or a substring. `text` points into the
 * variable's own characters. */
enum cm_status cm_fortran_text_place(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_text *text);
/* Copies characters in the way of an assignment: cuts off characters beyond the target's length, or
 * fills the rest of the target with blanks. */
void cm_fortran_text_fill(const struct cm_fortran_text *to, const struct cm_fortran_text *from);
/* Makes the characters of a CHARACTER variable, or of all elements if `array` is not NULL. They are
 * blanks. The caller frees the bytes. */
enum cm_status cm_fortran_text_make(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    const struct cm_fortran_array *array,
                                    struct cm_fortran_text *text);
/* Returns the number of characters of one element. `text` has the characters of the whole array. */
uint32_t cm_fortran_text_length(const struct cm_fortran_variable *variable,
                                const struct cm_fortran_array *array,
                                const struct cm_fortran_text *text);
/* Narrows `text` from the characters of an array to those of its element `index`. */
void cm_fortran_text_element(const struct cm_fortran_variable *variable,
                             const struct cm_fortran_array *array, uint64_t index,
                             struct cm_fortran_text *text);
/* Copies the characters of an array section to new memory, and makes an array with the section's
 * shape. The caller frees both the characters and the array. */
enum cm_status cm_fortran_text_section(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *section,
                                       struct cm_fortran_text *text,
                                       struct cm_fortran_array **array);
/* Copies characters back to an array section, from a copy that cm_fortran_text_section() made. */
enum cm_status cm_fortran_text_section_put(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *section,
                                           const char *bytes);
enum cm_status cm_fortran_text_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value);
/* Evaluates a comparison of CHARACTER values, or a function such as LEN or INDEX, whose value is an
 * INTEGER. */
enum cm_status cm_fortran_text_number(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      union cm_fortran_value *value);

/* ---- sections of arrays: section.c ---- */

/* The elements that an array section names. Each dimension of the array has a scalar subscript, a
 * triplet (first:last:stride) or a vector of subscripts. */
struct cm_fortran_section {
    struct cm_fortran_array *array;
    uint32_t rank; /* of the section */
    struct cm_fortran_range {
        bool dropped; /* true for a scalar subscript. The section lacks this dimension */
        uint64_t count;
        int64_t first, stride; /* subscripts, which count from 0 */
        /* subscripts of a vector of subscripts, from 0, which the section owns, or NULL */
        int32_t *vector;
    } ranges[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX]; /* of the section */
    uint64_t elements;
    /* View that made `array`, if the section was narrowed for the machine (machine/view.c), or
     * NULL. The section owns the view. */
    struct cm_fortran_view *view;
};

/* Evaluates the subscripts of a section. The expression may also be a whole array. Fails for a
 * subscript out of bounds. The caller calls cm_fortran_section_finish(). */
enum cm_status cm_fortran_section_find(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_section *section);
void cm_fortran_section_finish(struct cm_fortran_section *section);
/* Returns the index in the whole array of element `number` of the section. Both count in Fortran
 * order from 0. */
uint64_t cm_fortran_section_index(const struct cm_fortran_section *section, uint64_t number);
/* Copies the elements of a section to contiguous memory. Charges their transfer if they are on the
 * machine. */
enum cm_status cm_fortran_section_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section, void *elements);
/* Stores elements of `value` in a section, where the mask is true, or everywhere if the mask is
 * NULL. A `value` of rank 0 is stored in every element. Charges the transfer of all elements if the
 * section is on the machine. */
enum cm_status cm_fortran_section_put(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section,
                                      const struct cm_fortran_array *value, const uint8_t *mask);

/* ---- array expressions: evaluate.c, intrinsic.c ---- */

/* Classes of intrinsic functions, which check/program.h explains. */
enum cm_fortran_class {
    CM_FORTRAN_CLASS_ELEMENTAL,
    CM_FORTRAN_CLASS_REDUCTION,
    CM_FORTRAN_CLASS_TRANSFORMATION,
    CM_FORTRAN_CLASS_INQUIRY,
    CM_FORTRAN_CLASS_TEXT,
};
enum cm_fortran_class cm_fortran_intrinsic_class(enum cm_fortran_intrinsic intrinsic);

/* Evaluates an expression of any rank into a new array in the front end. The array of an expression
 * of rank 0 has rank 0 and one element. */
enum cm_status cm_fortran_host_value(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_array **value);
/* Fails if two arrays have different shapes. */
enum cm_status cm_fortran_conform(struct cm_fortran_run *run, struct cm_source_place place,
                                  const struct cm_fortran_array *a,
                                  const struct cm_fortran_array *b);
/* Assigns a value in the front end to an array or a section, where the mask is true, or everywhere
 * if the mask is NULL. */
enum cm_status cm_fortran_host_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_array *value,
                                      const struct cm_fortran_array *mask);
/* Computes a reduction or another function of arrays. The values of the arguments are in the front
 * end. `args` has NULL for an absent argument. */
enum cm_status cm_fortran_host_intrinsic(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         struct cm_fortran_array **args,
                                         struct cm_fortran_array **value);

/* ---- integer division by zero: division.c ---- */

/* Returns true if the outermost operation of an expression divides integers by a value that may be
 * 0. Operations within its operands do not count. */
bool cm_fortran_divides(const struct cm_fortran_expression *expression);
/* Makes the selection of those elements of an argument whose values are used. It is in force while
 * the argument is evaluated. A call of cm_fortran_selection_end() must follow, also after a
 * failure. */
enum cm_status cm_fortran_selection_begin(struct cm_fortran_run *run,
                                          const struct cm_fortran_expression *call,
                                          uint32_t argument,
                                          struct cm_fortran_selection *selection);
void cm_fortran_selection_end(struct cm_fortran_run *run, struct cm_fortran_selection *selection);
/* Fails if a division's divisor, which is an array, is 0 in an element whose quotient is used.
 * Charges no cycles. Does not check a divisor that calls functions of the program. */
enum cm_status cm_fortran_check_divisor(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression);
/* Fails if an elemental function is undefined for the values of its arguments, such as ISHFTC with
 * a size that is not 1 to 32. */
enum cm_status cm_fortran_check_arguments(struct cm_fortran_run *run,
                                          const struct cm_fortran_expression *call,
                                          const union cm_fortran_value *args, uint32_t count);
/* Fails if the array `divisor`, which is in the front end, is 0 in an element whose quotient is
 * used. `shape` is an array with the shape of the quotient. */
enum cm_status cm_fortran_check_quotient(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *expression,
                                         const struct cm_fortran_array *shape,
                                         const struct cm_fortran_array *divisor);

/* ---- output: output.c ---- */

/* Returns true if the text that was printed so far and `more` bytes exceed the number of bytes that
 * the program may print. */
bool cm_fortran_prints_too_much(const struct cm_fortran_run *run, uint64_t more);
/* Passes the text that has gathered in run->output to options.print. Drops text beyond the limit.
 * Fails with the error of options.print, or with CM_NO_MEMORY. */
enum cm_status cm_fortran_pass_output(struct cm_fortran_run *run);
/* Passes the lines that a long PRINT statement has finished to options.print, once many bytes have
 * gathered. */
enum cm_status cm_fortran_pass_lines(struct cm_fortran_run *run);
/* Passes the rest of a statement's text to options.print. Fails with CM_BAD_INPUT if the program
 * prints too much. */
enum cm_status cm_fortran_end_print(struct cm_fortran_run *run, struct cm_source_place place);
/* Appends the message of a STOP or PAUSE to the text for the standard error output. `value` is its
 * constant, or NULL. */
void cm_fortran_report_stop(struct cm_fortran_run *run, const char *word,
                            const struct cm_fortran_expression *value);
/* Fails with CM_BAD_INPUT and the message that the program prints too much. */
enum cm_status cm_fortran_refuse_output(struct cm_fortran_run *run, struct cm_source_place place);

/* ---- input and output: transfer.c, units.c ---- */

/* Executes a statement of input or output. Sets *next to the statement that a label such as ERR=
 * names, if its condition arises. */
enum cm_status cm_fortran_io(struct cm_fortran_run *run,
                             const struct cm_fortran_statement *statement, uint32_t *next);
/* Writes what the units of a program still hold to their files. Fails with CM_IO. */
enum cm_status cm_fortran_units_flush(struct cm_fortran_run *run);
/* Closes all units. */
void cm_fortran_units_finish(struct cm_fortran_run *run);

#endif
