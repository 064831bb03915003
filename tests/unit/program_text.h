/* A checked program as text, with a line for each variable and statement. */
#ifndef CM_TESTS_UNIT_PROGRAM_TEXT_H
#define CM_TESTS_UNIT_PROGRAM_TEXT_H

#include "fortran/check/program.h"

struct cm_buffer;

void write_program(const struct cm_fortran_program *program, struct cm_buffer *text);

#endif
