/*
 * Passes the text that a program prints to the caller. Text gathers in run->output while a
 * statement prints, and is passed to options.print at ends of statements and of lines. Text that
 * was passed is then removed, unless the caller wants to keep it, so that memory does not grow with
 * the length of the output.
 *
 * Invariant: no byte beyond options.max_output is passed on or kept.
 */
#include "host.h"

#include <inttypes.h>

/* Number of bytes that gather within a statement before they are passed on. */
#define GATHERED_BYTES ((size_t)1 << 16)

static uint64_t most_bytes(const struct cm_fortran_run *run)
{
    return run->options.max_output > 0 ? run->options.max_output : CM_OUTPUT_BYTES;
}

bool cm_fortran_prints_too_much(const struct cm_fortran_run *run, uint64_t more)
{
    return run->output.length + run->errors.length + more > most_bytes(run) - run->forgotten;
}

enum cm_status cm_fortran_pass_output(struct cm_fortran_run *run)
{
    const struct cm_fortran_run_options *options = &run->options;
    struct cm_buffer *output = &run->output;
    enum cm_status status = CM_OK;
    if (!cm_buffer_ok(output))
        return cm_fortran_no_memory(run);
    const uint64_t left = most_bytes(run) - run->forgotten - run->errors.length;
    if (output->length > left)
        output->length = (size_t)left;
    if (options->print == NULL || output->length == run->passed)
        return CM_OK;
    status = options->print(options->print_context, output->data + run->passed,
                            output->length - run->passed, run->err);
    run->passed = output->length;
    if (!options->keep_output) {
        run->forgotten += output->length;
        run->passed = output->length = 0;
    }
    return status;
}

/* Passes the text for the standard error output, behind all text that was printed before. */
static enum cm_status pass_errors(struct cm_fortran_run *run)
{
    const struct cm_fortran_run_options *options = &run->options;
    struct cm_buffer *errors = &run->errors;
    if (!cm_buffer_ok(errors))
        return cm_fortran_no_memory(run);
    const uint64_t left = most_bytes(run) - run->forgotten;
    if (errors->length > left)
        errors->length = (size_t)left;
    if (options->print_error == NULL || errors->length == run->errors_passed)
        return CM_OK;
    enum cm_status status =
        options->print_error(options->print_context, errors->data + run->errors_passed,
                             errors->length - run->errors_passed, run->err);
    run->errors_passed = errors->length;
    if (!options->keep_output) {
        run->forgotten += errors->length;
        run->errors_passed = errors->length = 0;
    }
    return status;
}

enum cm_status cm_fortran_pass_lines(struct cm_fortran_run *run)
{
    return run->output.length - run->passed > GATHERED_BYTES ? cm_fortran_pass_output(run) : CM_OK;
}

enum cm_status cm_fortran_end_print(struct cm_fortran_run *run, struct cm_source_place place)
{
    bool too_much = cm_fortran_prints_too_much(run, 0);
    enum cm_status status = cm_fortran_pass_output(run);
    if (status == CM_OK)
        status = pass_errors(run);
    return status == CM_OK && too_much ? cm_fortran_refuse_output(run, place) : status;
}

void cm_fortran_report_stop(struct cm_fortran_run *run, const char *word,
                            const struct cm_fortran_expression *value)
{
    if (value == NULL)
        cm_buffer_printf(&run->errors, "%s\n", word);
    else if (value->kind == CM_FORTRAN_TEXT)
        cm_buffer_printf(&run->errors, "%s %.*s\n", word, (int)value->text_length, value->text);
    else
        cm_buffer_printf(&run->errors, "%s %" PRId32 "\n", word, value->value.integer);
}

enum cm_status cm_fortran_refuse_output(struct cm_fortran_run *run, struct cm_source_place place)
{
    enum cm_status status = cm_fortran_fail(
        run, place, "the program prints more than %" PRIu64 " bytes", most_bytes(run));
    if (run->options.max_output == 0)
        cm_error_hint(run->err, "--max-output SIZE allows more, as in --max-output 1G");
    return status;
}
