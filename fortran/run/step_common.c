/* Functions that the steps "program" and "call" share: they compile the program that the workload
 * names, and free it. */
#include "step_private.h"

#include "../../base/file.h"
#include "../source/parse.h"

#include <stdlib.h>

const char *const cm_fortran_step_orders[] = {
    [CM_SHIFT_ORDER_BY_SUFFIX] = "suffix",
    [CM_SHIFT_ORDER_CM] = "cm",
    [CM_SHIFT_ORDER_F90] = "f90",
    [CM_SHIFT_ORDER_F90 + 1] = NULL,
};

/* Stores the first message of the compiler in `err`. If it gave no message, memory was
 * exhausted. */
static enum cm_status first_message(const struct cm_messages *messages, struct cm_error *err)
{
    if (messages->count == 0)
        return cm_error_no_memory(err);
    if (err != NULL)
        *err = messages->items[0];
    return messages->status;
}

static enum cm_status check_program(const struct cm_fortran_options *options,
                                    const struct cm_syntax_reader *reader,
                                    const struct cm_file_text *text,
                                    struct cm_fortran_step_state *state, struct cm_error *err)
{
    struct cm_messages messages = {0};
    struct cm_syntax *tree = NULL;
    enum cm_status status = cm_syntax_parse(text, reader, &state->source, &messages, &tree);
    if (tree != NULL) {
        state->program = cm_fortran_check(tree, state->source, options, &messages);
        status = state->program != NULL ? CM_OK : CM_BAD_INPUT;
        state->has_warning = messages.has_warning;
        state->warning = messages.warning;
    }
    if (status != CM_OK)
        status = first_message(&messages, err);
    cm_messages_finish(&messages);
    cm_syntax_destroy(tree);
    return status;
}

enum cm_status cm_fortran_step_compile(struct cm_run *run, const struct cm_fortran_step_own *own,
                                       const struct cm_fortran_step_data *data,
                                       struct cm_fortran_step_state *state, struct cm_error *err)
{
    char *path = cm_path_beside(cm_json_name(run->workload->document), own->file), *text = NULL;
    size_t length;
    const struct cm_fortran_options options = {.shift_order = (enum cm_shift_order)own->order,
                                               .parameters = data != NULL ? data->parameters : NULL,
                                               .parameter_count =
                                                   data != NULL ? data->parameter_count : 0};
    const struct cm_syntax_reader reader = {.line_length = own->line_length};
    if (path == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_file_read(path, CM_FORTRAN_MAX_BYTES, &text, &length, err);
    if (status == CM_OK)
        status = check_program(&options, &reader, &(struct cm_file_text){path, text, length}, state,
                               err);
    free(text);
    free(path);
    return status;
}

struct cm_fortran_run_options cm_fortran_step_options(const struct cm_run *run,
                                                      const struct cm_fortran_step_own *own)
{
    return (struct cm_fortran_run_options){
        .level = own->level,
        .check = run->check,
        .max_cycles = own->max_cycles,
        .print = run->options.print,
        .print_error = run->options.print_error,
        .print_context = run->options.print_context,
        .keep_output = run->options.keep_output,
        .max_output = run->options.max_output,
        .input = run->options.input,
        .input_context = run->options.print_context,
        .files_anywhere = run->options.files_anywhere,
        .no_files = run->options.no_files,
    };
}

void cm_fortran_step_stopped(struct cm_run *run, const struct cm_run_step *step)
{
    const struct cm_fortran_step_state *state = step->state;
    if (run->result.stop_code == 0)
        run->result.stop_code = cm_fortran_run_stop_code(state->run);
}

enum cm_status cm_fortran_step_needs_data(const struct cm_run *run, struct cm_error *err)
{
    if (!cm_machine_timing_only(cm_system_machine(run->system)))
        return CM_OK;
    return cm_error_refuse(
        err, "leave out --timing-only",
        "a Fortran program needs data, because its control flow depends on them");
}

void cm_fortran_step_finish(struct cm_run *run, struct cm_run_step *step)
{
    struct cm_fortran_step_state *state = step->state;
    (void)run;
    cm_fortran_run_destroy(state->run);
    cm_fortran_program_destroy(state->program);
    cm_source_destroy(state->source);
}
