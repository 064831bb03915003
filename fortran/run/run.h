/*
 * Running a checked CM Fortran program on a system: the front end plays it, its array statements
 * run on the machine.
 */
#ifndef CM_FORTRAN_RUN_H
#define CM_FORTRAN_RUN_H

#include "../check/program.h"

struct cm_buffer;

struct cm_fortran_run_options {
    /* of optimization: 0, as the CM-200's compilers; 1, as P 5 says (machine/group.h); 2, what is
     * shifted is read in place (machine/halo.c) */
    uint32_t level;
    bool check; /* every array statement is compared with its evaluation in the front end */
    uint64_t max_cycles;                /* a program that takes more is stopped; 0: no limit */
    const struct cm_fortran_unit *unit; /* the run is of calls of this unit (entry.h), not of the
                                           main program; or NULL */
};

#define CM_FORTRAN_NOTE_BYTES 240u

/* What a source line took. */
struct cm_fortran_line {
    uint32_t file, line;
    uint64_t times; /* statements of the line that were played */
    struct cm_counters counters;
    uint32_t with; /* the line, of the same file, whose IMP does this line's work too; 0: none */
    /* what was done about its shifts and with its neighbours, or why not; "" for nothing */
    char note[CM_FORTRAN_NOTE_BYTES];
};

struct cm_fortran_run;

/* A run of the main program, or of a unit. CM_BAD_INPUT without a main program. */
enum cm_status cm_fortran_run_create(const struct cm_fortran_program *program,
                                     struct cm_system *system,
                                     const struct cm_fortran_run_options *options,
                                     struct cm_fortran_run **run, struct cm_error *err);
void cm_fortran_run_destroy(struct cm_fortran_run *run);
/* Plays it to its end. CM_BAD_INPUT, with the place in the source, when a statement cannot be done:
 * subscripts out of bounds, shapes that do not conform, an integer division by zero. */
enum cm_status cm_fortran_run_play(struct cm_fortran_run *run, struct cm_error *err);
/* What it printed; what each line took, by file and line. */
const struct cm_buffer *cm_fortran_run_output(const struct cm_fortran_run *run);
const struct cm_fortran_line *cm_fortran_run_lines(struct cm_fortran_run *run, uint32_t *count);

/* What all lines took together. */
struct cm_counters cm_fortran_run_counted(const struct cm_fortran_run *run);

/* The statement that is being played; false before and after. */
bool cm_fortran_run_statement(const struct cm_fortran_run *run, struct cm_source_place *place);
/* Line `i`, from 0, of those on which statements begin, in no order; also while it is played. NULL
 * past the last. */
const struct cm_fortran_line *cm_fortran_run_line(const struct cm_fortran_run *run, uint32_t i);
/* Array `i`, from 0, of the unit under way that is on the machine, and its name; of the main
 * program when none is under way. NULL past the last. */
const struct cm_array *cm_fortran_run_array(struct cm_fortran_run *run, uint32_t i,
                                            const char **name);
/* What the check found; NULL unless options.check was set. */
struct cm_fortran_checker;
const struct cm_fortran_checker *cm_fortran_run_checked(const struct cm_fortran_run *run);

#endif
