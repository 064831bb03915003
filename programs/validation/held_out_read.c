/* Reader of a file of measurements (held_out.h). Every key is checked, and error messages have the
 * place in the file. */
#include "../../base/reader.h"
#include "held_out_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MAX UINT64_C(1000000000000)
#define STEPS_MAX 1000000u

const char *const cm_held_out_units[] = {"cycles", "s", "ms", "us", "Mflop/s", "Gflop/s"};

static bool is_rate(enum cm_held_out_unit unit)
{
    return unit == CM_HELD_OUT_MFLOPS || unit == CM_HELD_OUT_GFLOPS;
}

static double read_positive(struct cm_reader *reader, struct cm_json value, const char *what)
{
    double number = cm_read_f64(reader, value, what);
    if (cm_reader_ok(reader) && !(number > 0))
        cm_reader_fail(reader, value, "%s is %g, expected more than 0", what, number);
    return number;
}

/* Reads the path of a measurement's workload or program. */
static void read_file(struct cm_reader *reader, struct cm_held_out_measurement *measurement)
{
    struct cm_json workload, program;
    bool has_workload = cm_read_optional(reader, measurement->json, "workload", &workload);
    measurement->is_program = cm_read_optional(reader, measurement->json, "program", &program);
    if (cm_reader_ok(reader) && has_workload == measurement->is_program) {
        cm_reader_fail(reader, measurement->json, "a measurement has %s",
                       has_workload ? "both a \"workload\" and a \"program\""
                                    : "neither a \"workload\" nor a \"program\"");
        cm_reader_hint(reader, "\"workload\": \"FILE.json\", or \"program\": \"FILE.fcm\" for a CM "
                               "Fortran program");
        return;
    }
    measurement->file = cm_read_string(reader, has_workload ? workload : program,
                                       has_workload ? "workload" : "program");
}

/* Reads the keys that only a workload or only a program may have. */
static void read_kind(struct cm_reader *reader, struct cm_held_out_measurement *measurement)
{
    struct cm_json member;
    if (cm_read_optional(reader, measurement->json, "level", &member)) {
        measurement->level = (uint32_t)cm_read_u64(reader, member, "level", 0, 2);
        if (cm_reader_ok(reader) && !measurement->is_program)
            cm_reader_fail(reader, member, "\"level\" is for a \"program\"");
    }
    if (cm_read_optional(reader, measurement->json, "data", &member)) {
        measurement->data = cm_read_bool(reader, member, "data");
        if (cm_reader_ok(reader) && measurement->is_program)
            cm_reader_fail(reader, member,
                           "\"data\" is for a \"workload\"; a program always moves its data");
    }
    if (!cm_read_optional(reader, measurement->json, "steps", &member))
        return;
    measurement->step_count = cm_read_list(reader, member, "steps", 1, CM_HELD_OUT_STEPS_MAX);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < measurement->step_count; i++) {
        struct cm_json entry = cm_json_at(member, i, NULL);
        measurement->steps[i] = (uint32_t)cm_read_u64(reader, entry, "step", 0, STEPS_MAX);
        for (uint32_t k = 0; cm_reader_ok(reader) && k < i; k++)
            if (measurement->steps[k] == measurement->steps[i])
                cm_reader_fail(reader, entry, "step %" PRIu32 " is given twice",
                               measurement->steps[i]);
    }
}

/* Reads what was measured: quantity, value and unit. */
static void read_value(struct cm_reader *reader, struct cm_held_out_measurement *measurement)
{
    static const char *const quantities[] = {"cm", "elapsed"};
    const struct cm_json json = measurement->json;
    struct cm_json member, unit = cm_read_member(reader, json, "unit");
    measurement->published =
        read_positive(reader, cm_read_member(reader, json, "published"), "published");
    measurement->unit = (enum cm_held_out_unit)cm_read_name(reader, unit, "unit", cm_held_out_units,
                                                            CM_HELD_OUT_UNITS);
    if (cm_read_optional(reader, json, "quantity", &member))
        measurement->elapsed = cm_read_name(reader, member, "quantity", quantities, 2) == 1;
    measurement->calls = 1;
    if (cm_read_optional(reader, json, "calls", &member))
        measurement->calls = cm_read_u64(reader, member, "calls", 1, CALLS_MAX);
    bool has_operations = cm_read_optional(reader, json, "operations", &member);
    if (has_operations)
        measurement->operations = read_positive(reader, member, "operations");
    if (cm_reader_ok(reader) && has_operations != is_rate(measurement->unit)) {
        cm_reader_fail(reader, has_operations ? member : unit,
                       has_operations ? "\"operations\" is for the units Mflop/s and Gflop/s"
                                      : "a rate needs \"operations\"");
        cm_reader_hint(reader, "\"operations\" is the number of operations that the published rate "
                               "counts in the whole run");
    }
}

static void read_measurement(struct cm_reader *reader, struct cm_json json,
                             struct cm_held_out_measurement *measurement)
{
    static const char *const keys[] = {
        "name",  "source",     "workload",  "program",  "machine", "nodes", "level",     "data",
        "steps", "parameters", "published", "quantity", "unit",    "calls", "operations"};
    struct cm_json member;
    measurement->json = json;
    cm_read_keys(reader, json, "a measurement", keys, sizeof keys / sizeof *keys);
    measurement->name = cm_read_title(reader, cm_read_member(reader, json, "name"), "name");
    if (cm_read_optional(reader, json, "source", &member))
        measurement->source = cm_read_title(reader, member, "source");
    if (cm_read_optional(reader, json, "machine", &member))
        measurement->machine = cm_read_string(reader, member, "machine");
    if (cm_read_optional(reader, json, "nodes", &member))
        measurement->nodes = (uint32_t)cm_read_u64(reader, member, "nodes", 1, UINT32_C(1) << 30);
    measurement->has_parameters =
        cm_read_optional(reader, json, "parameters", &measurement->parameters);
    if (measurement->has_parameters)
        cm_read_kind(reader, measurement->parameters, CM_JSON_OBJECT, "parameters");
    read_file(reader, measurement);
    read_kind(reader, measurement);
    read_value(reader, measurement);
}

static void read_root(struct cm_reader *reader, struct cm_json root, struct cm_held_out *held_out)
{
    static const char *const keys[] = {"format", "about", "bound", "measurements"};
    static const char *const formats[] = {"cm200-held-out/1"};
    struct cm_json member;
    cm_read_kind(reader, root, CM_JSON_OBJECT, "a file of measurements");
    cm_read_name(reader, cm_read_member(reader, root, "format"), "format", formats, 1);
    cm_read_keys(reader, root, "a file of measurements", keys, sizeof keys / sizeof *keys);
    if (cm_read_optional(reader, root, "about", &member))
        cm_read_title(reader, member, "about");
    if (cm_read_optional(reader, root, "bound", &member))
        held_out->bound = read_positive(reader, member, "bound");
    member = cm_read_member(reader, root, "measurements");
    held_out->count = cm_read_list(reader, member, "measurements", 1, CM_HELD_OUT_MAX);
    if (!cm_reader_ok(reader))
        return;
    held_out->measurements =
        cm_reader_allocate(reader, held_out->count, sizeof *held_out->measurements);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < held_out->count; i++)
        read_measurement(reader, cm_json_at(member, i, NULL), &held_out->measurements[i]);
}

enum cm_status cm_held_out_read(const char *path, struct cm_held_out **out, struct cm_error *err)
{
    struct cm_held_out *held_out = calloc(1, sizeof *held_out);
    struct cm_reader reader = cm_reader_make(err);
    *out = NULL;
    if (held_out == NULL)
        return cm_error_no_memory(err);
    cm_reader_take(&reader, cm_json_read(path, &held_out->document, err));
    if (cm_reader_ok(&reader))
        read_root(&reader, cm_json_root(held_out->document), held_out);
    if (!cm_reader_ok(&reader)) {
        cm_held_out_destroy(held_out);
        return reader.status;
    }
    *out = held_out;
    return CM_OK;
}

enum cm_status cm_held_out_check(struct cm_json root, uint32_t *count, struct cm_error *err)
{
    struct cm_held_out held_out = {.document = NULL};
    struct cm_reader reader = cm_reader_make(err);
    read_root(&reader, root, &held_out);
    *count = held_out.count;
    free(held_out.measurements);
    return reader.status;
}

void cm_held_out_destroy(struct cm_held_out *held_out)
{
    if (held_out == NULL)
        return;
    free(held_out->measurements);
    cm_json_destroy(held_out->document);
    free(held_out);
}
