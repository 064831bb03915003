/*
 * How long a CM Fortran program takes to compile: reading and checking, for programs of 100 to
 * 10,000 lines. Issue: 1,000 lines in 50 ms. A benchmark: it prints the best of ten, and fails only
 * when a program is wrong. What statements are compiled to on the machine is made when they are
 * first played (docs/programs/elementwise.md), and is not part of it.
 */
#include "../../base/buffer.h"
#include "../../fortran/check/program.h"
#include "../../fortran/source/parse.h"
#include "../harness/program.h"
#include "bench.h"

#include <inttypes.h>

#define TIMES 10

/* Units of 50 lines: declarations, array statements with shifts, masks, a loop, calls. */
static void write_unit(struct cm_buffer *text, unsigned unit)
{
    static const char *const body[] = {
        "      A = B + 0.25 * (CSHIFT(A, 1, 1) + CSHIFT(A, 1, -1))",
        "      WHERE (A > B) C = SQRT(ABS(A - B)) + X",
        "      C(2:31, 2:31) = A(1:30, 2:31) + A(3:32, 2:31) * 2.0",
        "      FORALL (I = 1:32, J = 1:32) D(I, J) = A(J, I) + I * 32 + J",
        "      X = SUM(A * C) / MAXVAL(ABS(D) + 1.0)",
        "      IF (X .GT. 1.0E3 .AND. N .LT. 100) N = MOD(N * 7 + 3, 101)",
        "      B = MERGE(A, EOSHIFT(D, 2, 1, 0.0), C > 0.5) ** 2",
        "      A(1, :) = B(:, 3) + (X - 1.0) * C(:, N)",
    };
    cm_buffer_printf(
        text,
        "      SUBROUTINE UNIT%u(A, B, N)\n      INTEGER N\n"
        "      REAL, ARRAY(32,32) :: A, B, C, D\n      REAL X\n"
        "CMF$  LAYOUT A(:NEWS, :NEWS)\n      X = N\n      C = 0.0\n      DO I = 1, 3\n",
        unit);
    for (unsigned line = 0; line < 40; line++)
        cm_buffer_printf(text, "%s\n", body[line % (sizeof body / sizeof *body)]);
    cm_buffer_printf(text, "      END DO\n      END\n");
}

static double compile(const struct cm_buffer *text)
{
    struct cm_source *source = NULL;
    struct cm_messages messages;
    struct cm_syntax *tree = NULL;
    double begin = now_seconds();
    enum cm_status status =
        cm_syntax_parse(&(struct cm_file_text){"bench.fcm", text->data, text->length}, NULL,
                        &source, &messages, &tree);
    struct cm_fortran_program *program =
        status == CM_OK ? cm_fortran_check(tree, source, NULL, &messages) : NULL;
    double seconds = now_seconds() - begin;
    if (program == NULL)
        stop(CM_BAD_INPUT, &messages.items[0]);
    cm_fortran_program_destroy(program);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    return seconds;
}

CM_PROGRAM(fortran)
{
    printf("| Lines | Bytes | Reading and checking, ms |\n|---:|---:|---:|\n");
    for (unsigned units = 2; units <= 200; units *= 10) {
        struct cm_buffer text;
        double best = 1e9;
        cm_buffer_init(&text);
        for (unsigned unit = 0; unit < units; unit++)
            write_unit(&text, unit);
        if (!cm_buffer_ok(&text))
            return cm_status_exit_code(CM_NO_MEMORY);
        for (int i = 0; i < TIMES; i++) {
            double seconds = compile(&text);
            best = seconds < best ? seconds : best;
        }
        printf("| %u | %zu | %.2f |\n", units * 50, text.length, 1e3 * best);
        cm_buffer_finish(&text);
    }
    return 0;
}
