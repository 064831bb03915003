/*
 * This header declares elemental operations, conversions and functions on single values. Their
 * results equal, bit for bit, those of gfortran on x86-64 with -ffp-contract=off -fwrapv
 * -fcx-fortran-rules. The checker folds constants with them, and the front end evaluates scalar and
 * array expressions with them. They never read a variable and never report a fault.
 */
#ifndef CM_FORTRAN_COMPUTE_H
#define CM_FORTRAN_COMPUTE_H

#include "program.h"

/* Returns the set of types that consists of one type (CM_TYPES_I, ...). */
uint32_t cm_fortran_types_of(uint8_t type);

/* Applies an operation to values of `type`. An operation with one operand does not read `b`. For
 * POWER, `integer_exponent` is true if `b` is an integer. Returns false for an integer division by
 * zero. */
bool cm_fortran_operate(enum cm_fortran_op op, enum cm_type type, bool integer_exponent,
                        const union cm_fortran_value *a, const union cm_fortran_value *b,
                        union cm_fortran_value *out);
/* Converts a value to another type. A real value that does not fit into an INTEGER, and a NaN,
 * become -2^31, as on the machine. */
void cm_fortran_convert(enum cm_type from, enum cm_type to, const union cm_fortran_value *a,
                        union cm_fortran_value *out);
/* Applies an elemental intrinsic function to `count` arguments. `type` is the type of the first
 * argument, and `result` the type of the value. Returns false for an integer division by zero. */
bool cm_fortran_elemental(enum cm_fortran_intrinsic intrinsic, enum cm_type type,
                          enum cm_type result, const union cm_fortran_value *args, uint32_t count,
                          union cm_fortran_value *out);

#endif
