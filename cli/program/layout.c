/* Shows for cm200 layout PROGRAM.fcm where each array lives, on the machine or in the front end,
 * and its layout. */
#include "../layout.h"
#include "../../fortran/run/placement.h"
#include "../../fortran/run/step.h"
#include "../../report/json_writer.h"
#include "../../report/numbers.h"
#include "program.h"

#include <inttypes.h>

static const char *const kinds[] = {
    [CM_FORTRAN_HOME_MACHINE] = "on the CM",
    [CM_FORTRAN_HOME_FRONT_END] = "in the front end",
    [CM_FORTRAN_HOME_LATER] = "on the CM, once it has a shape",
    [CM_FORTRAN_HOME_ARGUMENT] = "where the actual argument is",
};

/* Appends the shape of an array, as far as it is known: (64, 64) or (:, :). */
static void append_shape(const struct cm_fortran_home *home, struct cm_buffer *text)
{
    for (uint32_t i = 0; i < home->variable->rank; i++) {
        cm_buffer_printf(text, "%s", i == 0 ? " (" : ", ");
        if (home->extent != NULL)
            cm_buffer_printf(text, "%" PRIu64, home->extent[i]);
        else
            cm_buffer_printf(text, ":");
    }
    cm_buffer_printf(text, ")");
}

/* Appends the orders of the axes (such as NEWS) that a directive of the program gives. */
static void append_orders(const struct cm_fortran_variable *variable, struct cm_buffer *text)
{
    for (uint32_t i = 0; i < variable->rank; i++)
        cm_buffer_printf(text, "%s%s", i == 0 ? "; axes " : ", ",
                         cm_order_name(variable->orders[i]));
}

static void append_home(const struct cm_fortran_home *home, struct cm_buffer *text)
{
    const struct cm_fortran_variable *variable = home->variable;
    cm_buffer_printf(text, "\n%s of %s: %s", variable->name, home->unit,
                     cm_fortran_type_text(variable->type));
    append_shape(home, text);
    cm_buffer_printf(text, ", %s", kinds[home->kind]);
    if (home->kind == CM_FORTRAN_HOME_LATER)
        append_orders(variable, text);
    if (home->array != NULL)
        cli_append_layout(text, home->array);
    else
        cm_buffer_printf(text, "\n");
}

static void append_text(const struct cm_result *result, struct cm_buffer *text)
{
    struct cm_fortran_home home;
    cm_buffer_printf(text, "%s on %s: %" PRIu32 " node%s\n", result->workload, result->machine,
                     result->nodes, cm_plural(result->nodes));
    for (uint32_t i = 0; cm_fortran_step_home(&result->steps[0], i, &home); i++)
        append_home(&home, text);
}

static void write_home(const struct cm_fortran_home *home, struct cm_json_writer *json)
{
    const struct cm_fortran_variable *variable = home->variable;
    cm_json_write_object(json, NULL);
    cm_json_write_members(json, {"unit", cm_text(home->unit)}, {"name", cm_text(variable->name)},
                          {"type", cm_text(cm_fortran_type_text(variable->type))},
                          {"home", cm_text(kinds[home->kind])});
    if (home->extent != NULL)
        cm_json_write_numbers(json, "shape", home->extent, variable->rank);
    if (home->array != NULL)
        cli_write_layout(json, home->array);
    cm_json_write_end(json);
}

static void append_json(const struct cm_result *result, struct cm_buffer *text)
{
    struct cm_json_writer json;
    struct cm_fortran_home home;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-layout/1");
    cm_json_write_u64(&json, "nodes", result->nodes);
    cm_json_write_list(&json, "arrays");
    for (uint32_t i = 0; cm_fortran_step_home(&result->steps[0], i, &home); i++)
        write_home(&home, &json);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

int cli_layout_program(const struct shell_values *common, const struct cli_machine_values *machine,
                       const struct cli_param_values *param,
                       const struct cli_program_values *program, bool json)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_buffer text;
    int code = cli_program_workload("layout", common, param, NULL, program, &workload);
    if (code == 0)
        code = cli_program_prepare(common, machine, workload, true, &run);
    if (code == 0) {
        cm_buffer_init(&text);
        (json ? append_json : append_text)(cm_run_result(run), &text);
        code = shell_deliver(NULL, &text, CM_OK, NULL);
    }
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return code;
}
