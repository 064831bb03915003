/* Runs the measurements of a file (held_out.h). A CM Fortran program becomes a workload with one
 * step "program", so workloads and programs run in the same way. */
#include "../../base/file.h"
#include "../../base/reader.h"
#include "../../report/json_writer.h"
#include "../workload/workload_private.h"
#include "held_out_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS_MAX  64u
#define PARAMETER_BYTES 160u /* most bytes of a parameter "NAME=INTEGER" */

/* Copies a parameter of a program, which is a number, true or false, with its name. */
static void write_parameter(struct cm_json_writer *json, struct cm_reader *reader, const char *name,
                            struct cm_json value)
{
    if (cm_json_kind(value) == CM_JSON_BOOL)
        cm_json_write(json, name, cm_bool(cm_read_bool(reader, value, name)));
    else
        cm_json_write(json, name, cm_f64(cm_read_f64(reader, value, name)));
}

/* Makes the workload of a program. File names are relative to the file of measurements. */
static enum cm_status read_program(const struct cm_held_out *held_out,
                                   const struct cm_held_out_measurement *measurement,
                                   struct cm_workload **workload, struct cm_error *err)
{
    struct cm_buffer text;
    struct cm_json_writer json;
    struct cm_reader reader = cm_reader_make(err);
    uint32_t count = measurement->has_parameters ? cm_json_count(measurement->parameters) : 0;
    cm_buffer_init(&text);
    cm_json_writer_begin(&json, &text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-workload/1");
    cm_json_write_string(&json, "name", measurement->name);
    cm_json_write_object(&json, "arrays");
    cm_json_write_end(&json);
    cm_json_write_list(&json, "steps");
    cm_json_write_object(&json, NULL);
    cm_json_write_object(&json, "program");
    cm_json_write_string(&json, "file", measurement->file);
    cm_json_write_u64(&json, "level", measurement->level);
    cm_json_write_object(&json, "parameters");
    for (uint32_t i = 0; i < count; i++) {
        const char *name;
        struct cm_json value = cm_json_at(measurement->parameters, i, &name);
        write_parameter(&json, &reader, name, value);
    }
    for (uint32_t open = 5; open > 0; open--)
        cm_json_write_end(&json);
    if (cm_reader_ok(&reader) && !cm_buffer_ok(&text))
        reader.status = cm_error_no_memory(err);
    if (cm_reader_ok(&reader))
        reader.status = cm_workload_parse(cm_json_name(held_out->document), text.data, text.length,
                                          workload, err);
    cm_buffer_finish(&text);
    return reader.status;
}

/* Reads the workload of a measurement, with the measurement's parameters. */
static enum cm_status read_workload(const char *path,
                                    const struct cm_held_out_measurement *measurement,
                                    struct cm_workload **workload, struct cm_error *err)
{
    char texts[PARAMETERS_MAX][PARAMETER_BYTES];
    const char *parameters[PARAMETERS_MAX];
    struct cm_reader reader = cm_reader_make(err);
    uint32_t count = measurement->has_parameters ? cm_json_count(measurement->parameters) : 0;
    if (count > PARAMETERS_MAX)
        cm_reader_fail(&reader, measurement->parameters, "%" PRIu32 " parameters, at most %u",
                       count, PARAMETERS_MAX);
    for (uint32_t i = 0; cm_reader_ok(&reader) && i < count; i++) {
        const char *name;
        struct cm_json value = cm_json_at(measurement->parameters, i, &name);
        int64_t number = cm_read_i64(&reader, value, name, INT64_MIN, INT64_MAX);
        int length = snprintf(texts[i], PARAMETER_BYTES, "%s=%" PRId64, name, number);
        parameters[i] = texts[i];
        if (length < 0 || (size_t)length >= PARAMETER_BYTES)
            cm_reader_fail(&reader, value, "the parameter's name is too long");
    }
    if (!cm_reader_ok(&reader))
        return reader.status;
    return cm_workload_read_with(path, parameters, count, workload, err);
}

/* Sets *cycles to the sum of the cycles of the measurement's steps. */
static enum cm_status sum_cycles(const struct cm_held_out_measurement *measurement,
                                 const struct cm_result *result, double *cycles,
                                 struct cm_error *err)
{
    const struct cm_counters *total = &result->total;
    *cycles = (double)(measurement->elapsed ? total->elapsed_cycles : total->cycles);
    if (measurement->step_count == 0)
        return CM_OK;
    *cycles = 0;
    for (uint32_t i = 0; i < measurement->step_count; i++) {
        uint32_t step = measurement->steps[i];
        if (step >= result->step_count) {
            cm_json_error(measurement->json, err, "step %" PRIu32 " is not in %s", step,
                          measurement->file);
            return cm_error_hint(err, "steps count from 0, without repeats; there are %" PRIu32,
                                 result->step_count);
        }
        const struct cm_counters *counters = &result->steps[step].counters;
        *cycles += (double)(measurement->elapsed ? counters->elapsed_cycles : counters->cycles);
    }
    return CM_OK;
}

/* Converts the cycles of a run to the measurement's unit, for one call of the kernel. */
static enum cm_status take_result(struct cm_held_out_measurement *measurement,
                                  const struct cm_result *result, struct cm_error *err)
{
    double cycles;
    enum cm_status status = sum_cycles(measurement, result, &cycles, err);
    double calls = (double)measurement->calls, seconds = cycles / (double)result->clock_hz;
    if (status == CM_OK && !(cycles > 0))
        return cm_json_error(measurement->json, err, "%s takes no cycles", measurement->file);
    switch (measurement->unit) {
    case CM_HELD_OUT_CYCLES:
        measurement->simulated = cycles / calls;
        break;
    case CM_HELD_OUT_MS:
        measurement->simulated = 1e3 * seconds / calls;
        break;
    case CM_HELD_OUT_US:
        measurement->simulated = 1e6 * seconds / calls;
        break;
    case CM_HELD_OUT_MFLOPS:
        measurement->simulated = 1e-6 * measurement->operations / seconds;
        break;
    case CM_HELD_OUT_GFLOPS:
        measurement->simulated = 1e-9 * measurement->operations / seconds;
        break;
    default:
        measurement->simulated = seconds / calls;
        break;
    }
    return status;
}

static enum cm_status execute(const struct cm_held_out_options *options,
                              struct cm_held_out_measurement *measurement,
                              const struct cm_workload *workload, const struct cm_run_options *how,
                              struct cm_error *err)
{
    struct cm_run *run = NULL;
    enum cm_status status = cm_run_create(workload, how, &run, err);
    if (status == CM_OK)
        status = cm_run_execute_watched(run, options->watch, options->context, err);
    if (status == CM_OK)
        status = take_result(measurement, cm_run_result(run), err);
    cm_run_destroy(run);
    return status;
}

/* Returns a new string: the name of a known machine, or the path of the machine's file, relative to
 * the file of measurements. */
static char *find_machine(const char *name, const char *machine)
{
    return cm_config_is_known(machine) ? strdup(machine) : cm_path_beside(name, machine);
}

/* Runs a measurement. Uses the machine that the options name, or else the machine that the
 * measurement names, or else the machine of the workload. */
static enum cm_status run_measurement(const struct cm_held_out_options *options,
                                      const struct cm_held_out *held_out,
                                      struct cm_held_out_measurement *measurement,
                                      struct cm_error *err)
{
    const char *name = cm_json_name(held_out->document);
    char *path = cm_path_beside(name, measurement->file);
    char *machine = measurement->machine != NULL ? find_machine(name, measurement->machine) : NULL;
    struct cm_workload *workload = NULL;
    struct cm_run_options how = {
        .machine = options->machine != NULL ? options->machine : machine,
        .sets = options->sets,
        .set_count = options->set_count,
        .nodes = measurement->nodes,
        .threads = options->threads,
        .timing_only = !measurement->is_program && !measurement->data,
    };
    enum cm_status status = CM_OK;
    if (path == NULL || (measurement->machine != NULL && machine == NULL))
        status = cm_error_no_memory(err);
    else if (measurement->is_program)
        status = read_program(held_out, measurement, &workload, err);
    else
        status = read_workload(path, measurement, &workload, err);
    if (status == CM_OK)
        status = execute(options, measurement, workload, &how, err);
    cm_workload_destroy(workload);
    free(machine);
    free(path);
    return status;
}

enum cm_status cm_held_out_run(const struct cm_held_out_options *options, struct cm_held_out **out,
                               struct cm_error *err)
{
    struct cm_held_out *held_out;
    enum cm_status status = cm_held_out_read(options->path, &held_out, err);
    *out = NULL;
    if (status != CM_OK)
        return status;
    for (uint32_t i = 0; status == CM_OK && i < held_out->count; i++) {
        status = run_measurement(options, held_out, &held_out->measurements[i], err);
        if (options->progress != NULL)
            options->progress(options->context, i + 1, held_out->count);
        if (status != CM_OK && err != NULL)
            cm_workload_place(held_out->measurements[i].json, err);
        if (status != CM_OK && err != NULL && err->hint[0] == '\0')
            cm_error_hint(err, "in the measurement \"%s\" of %s", held_out->measurements[i].name,
                          options->path);
    }
    if (status != CM_OK) {
        cm_held_out_destroy(held_out);
        return status;
    }
    *out = held_out;
    return CM_OK;
}

const struct cm_held_out_measurement *cm_held_out_measurement(const struct cm_held_out *held_out,
                                                              uint32_t i)
{
    return i < held_out->count ? &held_out->measurements[i] : NULL;
}

struct cm_statistics cm_held_out_statistics(const struct cm_held_out *held_out)
{
    double errors[CM_HELD_OUT_MAX];
    for (uint32_t i = 0; i < held_out->count; i++)
        errors[i] = cm_held_out_error(&held_out->measurements[i]);
    return cm_statistics_of(errors, held_out->count);
}

bool cm_held_out_met(const struct cm_held_out *held_out)
{
    double worst = cm_held_out_statistics(held_out).worst;
    return held_out->bound <= 0 || (worst < 0 ? -worst : worst) <= held_out->bound;
}
