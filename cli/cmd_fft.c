/* cm200 fft: FFT communication, a broadcast or a transform from options, as a workload of one step;
 * or its table. */
#include "../base/json_text.h"
#include "../programs/fft/fft_result.h"
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct job {
    struct cli_shape array, mesh;
    struct cm_fft_request request;
    struct cm_fft_mapping mapping;
    uint32_t type, order, local, code, transform, input, output, decimation; /* indices of names */
    uint64_t axes;                                                           /* a bit each */
    uint64_t source; /* index of a broadcast */
    uint64_t nodes;  /* 0: the whole machine */
};

static const char *const order_names[] = {"post", "pre"};
static const char *const local_names[] = {"low", "high"};
static const char *const code_names[] = {"gray", "binary"};
static const char *const direction_names[] = {"forward", "inverse"};
static const char *const ordering_names[] = {"natural", "bit-reversed"};
static const char *const decimation_names[] = {"auto", "time", "frequency"};

static enum cm_status read_names(const struct cli_values *values, struct job *job,
                                 struct cm_error *err)
{
    const char *types[CM_TYPE_COUNT];
    const struct {
        const char *option, *text;
        const char *const *names;
        uint32_t count, *index;
    } options[] = {
        {"type", values->type, types, CM_TYPE_COUNT, &job->type},
        {"order", values->order, order_names, 2, &job->order},
        {"local", values->local, local_names, 2, &job->local},
        {"code", values->code, code_names, 2, &job->code},
        {"transform", values->transform, direction_names, 2, &job->transform},
        {"input", values->fft_input, ordering_names, 2, &job->input},
        {"output", values->fft_output, ordering_names, 2, &job->output},
        {"decimation", values->decimation, decimation_names, 3, &job->decimation},
    };
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < CM_TYPE_COUNT; i++)
        types[i] = cm_type_name((enum cm_type)i);
    job->type = CM_TYPE_COMPLEX64;
    for (size_t i = 0; status == CM_OK && i < sizeof options / sizeof *options; i++)
        status = cli_read_name(options[i].option, options[i].text, options[i].names,
                               options[i].count, options[i].index, err);
    return status;
}

static enum cm_status read_axes(const char *text, struct job *job, struct cm_error *err)
{
    uint64_t numbers[CM_FFT_AXES_MAX];
    uint32_t count;
    if (text == NULL)
        return CM_OK;
    bool good = cli_read_numbers(text, ',', numbers, CM_FFT_AXES_MAX, &count);
    job->axes = 0;
    for (uint32_t i = 0; good && i < count; i++) {
        good = numbers[i] < job->array.rank && !(job->axes >> numbers[i] & 1);
        if (good)
            job->axes |= UINT64_C(1) << numbers[i];
    }
    if (good)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "--axes is \"%.100s\", expected different axes of the array, 0 to %" PRIu32, text,
                 job->array.rank - 1);
    cm_error_hint(err, "as in 0,1; axis 0 is the last, least significant one of --array");
    return CM_BAD_INPUT;
}

/* Coordinates, the most significant axis first, or the number of an index. */
static enum cm_status read_source(const char *text, struct job *job, struct cm_error *err)
{
    uint64_t numbers[CM_FFT_AXES_MAX];
    uint32_t count, rank = job->array.rank;
    if (text == NULL)
        return CM_OK;
    bool good = cli_read_numbers(text, ',', numbers, CM_FFT_AXES_MAX, &count);
    if (good && count == 1) {
        job->source = numbers[0];
        good = job->source < cli_shape_size(&job->array);
    } else if (good && count == rank) {
        for (uint32_t i = 0; good && i < rank; i++) {
            uint64_t length = job->array.lengths[rank - 1 - i];
            good = numbers[i] < length;
            job->source = job->source * length + numbers[i];
        }
    } else {
        good = false;
    }
    if (good)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT, "--broadcast is \"%.100s\", expected an index of the array",
                 text);
    cm_error_hint(err, "its coordinates from 0, the most significant axis first, as in 3,5; or its "
                       "number, as in 0");
    return CM_BAD_INPUT;
}

/* The mapping, for what it refuses and for --table; a canonical layout's needs the machine. */
static enum cm_status make_mapping(const struct cli_values *values, struct job *job,
                                   struct cm_error *err)
{
    struct cm_fft_request *request = &job->request;
    enum cm_status status = CM_OK;
    request->rank = job->array.rank;
    memcpy(request->shape, job->array.lengths, job->array.rank * sizeof *request->shape);
    request->local = (enum cm_fft_local)job->local;
    request->code = (enum cm_fft_code)job->code;
    if (values->mesh == NULL)
        return CM_OK;
    if (values->mapping != NULL)
        status = cm_fft_permutation_read(values->mapping, request, err);
    if (status == CM_OK)
        status = cli_read_shape("mesh", values->mesh, &job->mesh, err);
    if (status != CM_OK)
        return status;
    request->mesh_rank = job->mesh.rank;
    memcpy(request->mesh_shape, job->mesh.lengths, job->mesh.rank * sizeof *request->mesh_shape);
    if (values->nodes == 0)
        job->nodes = cli_shape_size(&job->mesh);
    return cm_fft_mapping_create(request, &job->mapping, err);
}

static enum cm_status read_job(const struct cli_values *values, struct job *job,
                               struct cm_error *err)
{
    memset(job, 0, sizeof *job);
    job->nodes = values->nodes;
    job->axes = CM_FFT_ALL_AXES;
    enum cm_status status = cli_read_shape("array", values->array, &job->array, err);
    if (status == CM_OK && job->array.rank > CM_FFT_AXES_MAX) {
        cm_error_set(err, CM_BAD_INPUT, "--array has %" PRIu32 " axes, expected at most %u",
                     job->array.rank, CM_FFT_AXES_MAX);
        cm_error_hint(err, "use a smaller shape");
        status = CM_BAD_INPUT;
    }
    if (status == CM_OK)
        status = read_names(values, job, err);
    if (status == CM_OK)
        status = make_mapping(values, job, err);
    if (status == CM_OK)
        status = read_axes(values->axes, job, err);
    return status == CM_OK ? read_source(values->broadcast, job, err) : status;
}

static void append_array(struct cm_buffer *text, const struct cli_values *values,
                         const struct job *job)
{
    cm_buffer_printf(text, ",\n  \"arrays\": {\n    \"a\": { \"shape\": [");
    cli_append_shape(text, &job->array);
    cm_buffer_printf(text, "], \"type\": \"%s\",", cm_type_name((enum cm_type)job->type));
    if (values->mesh != NULL) {
        cm_buffer_printf(text, "\n      \"mesh\": { \"shape\": [");
        cli_append_shape(text, &job->mesh);
        cm_buffer_printf(text, "], \"mapping\": ");
        cm_json_append_string(text, values->mapping != NULL ? values->mapping : "identical");
        cm_buffer_printf(text, ", \"local\": \"%s\", \"code\": \"%s\" },\n     ",
                         local_names[job->local], code_names[job->code]);
    }
    cm_buffer_printf(text, " \"init\": { \"random\": 1 } }\n  },\n");
}

static void append_step(struct cm_buffer *text, const struct cli_values *values,
                        const struct job *job)
{
    const char *comma = "";
    uint64_t rest = job->source;
    cm_buffer_printf(text, "  \"steps\": [\n    { \"%s\": { \"array\": \"a\", \"order\": \"%s\"",
                     values->broadcast != NULL ? "broadcast" : "fft", order_names[job->order]);
    if (values->axes != NULL) {
        cm_buffer_printf(text, ", \"dims\": [");
        for (uint32_t p = 0; p < job->array.rank; p++) {
            if (!(job->axes >> p & 1))
                continue;
            cm_buffer_printf(text, "%s%" PRIu32, comma, p + 1);
            comma = ", ";
        }
        cm_buffer_printf(text, "]");
    }
    for (uint32_t a = 0; values->broadcast != NULL && a < job->array.rank; a++) {
        cm_buffer_printf(text, "%s%" PRIu64, a > 0 ? ", " : ", \"from\": [",
                         rest % job->array.lengths[a] + 1);
        rest /= job->array.lengths[a];
    }
    cm_buffer_printf(text, "%s", values->broadcast != NULL ? "]" : "");
    if (values->transform != NULL)
        cm_buffer_printf(text, ",\n      \"transform\": \"%s\"", direction_names[job->transform]);
    if (values->fft_input != NULL)
        cm_buffer_printf(text, ", \"input\": \"%s\"", ordering_names[job->input]);
    if (values->fft_output != NULL)
        cm_buffer_printf(text, ", \"output\": \"%s\"", ordering_names[job->output]);
    if (values->decimation != NULL)
        cm_buffer_printf(text, ", \"decimation\": \"%s\"", decimation_names[job->decimation]);
    cm_buffer_printf(text, "%s } }\n  ],\n", values->stepwise ? ", \"stepwise\": true" : "");
}

/* The workload that the options stand for. */
static void append_workload(struct cm_buffer *text, const struct cli_values *values,
                            const struct job *job, const char *machine)
{
    char name[256];
    snprintf(name, sizeof name, "%s %.80s%s%.80s", values->broadcast != NULL ? "broadcast" : "fft",
             values->array, values->mesh != NULL ? " on " : "",
             values->mesh != NULL ? values->mesh : "");
    cm_buffer_printf(text, "{\n  \"format\": \"cm200-workload/1\",\n  \"name\": ");
    cm_json_append_string(text, name);
    if (machine != NULL) {
        cm_buffer_printf(text, ",\n  \"machine\": ");
        cm_json_append_string(text, machine);
    }
    if (job->nodes > 0)
        cm_buffer_printf(text, ",\n  \"nodes\": %" PRIu64, job->nodes);
    append_array(text, values, job);
    append_step(text, values, job);
    cm_buffer_printf(text, "  \"check\": true\n}\n");
}

static int run_job(const struct cli_values *values, const struct job *job, struct cm_buffer *text)
{
    char buffer[1024];
    struct cm_error err;
    struct cm_workload *workload = NULL;
    memset(&err, 0, sizeof err);
    const char *machine = cli_machine_path(values, buffer, sizeof buffer);
    append_workload(text, values, job, machine);
    if (!cm_buffer_ok(text)) {
        cm_error_set(&err, CM_NO_MEMORY, "out of memory for the workload");
        return cli_error(&err);
    }
    if (values->emit)
        return cli_write(text);
    enum cm_status status =
        cm_workload_parse("cm200 fft", text->data, text->length, &workload, &err);
    const struct cli_job task = {.workload = workload, .builtin = machine == NULL};
    int code = status == CM_OK ? cli_run_workload(values, &task) : cli_error(&err);
    cm_workload_destroy(workload);
    return code;
}

static int print_table(const struct job *job, struct cm_buffer *text)
{
    const struct cm_fft_task task = {
        .mapping = job->mapping,
        .order = job->order == 0 ? CM_FFT_POSTMORPHISM : CM_FFT_PREMORPHISM,
        .axes = job->axes,
    };
    cm_fft_table(&task, text);
    return cli_write(text);
}

/* An option that asks for something of a run; NULL: none is given. */
static const char *run_option(const struct cli_values *values)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {{"json", values->json},
                   {"stats", values->stats != NULL},
                   {"save", values->saves.count > 0},
                   {"trace", values->trace != NULL},
                   {"explain", values->explain},
                   {"emit", values->emit}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

static int fft(const struct cli_values *values)
{
    struct job job;
    struct cm_error err;
    struct cm_buffer text;
    memset(&err, 0, sizeof err);
    if (values->array == NULL)
        return cli_usage("fft", "--array is missing");
    if (values->mesh == NULL && (values->mapping != NULL || values->local != NULL ||
                                 values->code != NULL || values->fft_table))
        return cli_usage("fft", "--mesh is missing: %s",
                         values->fft_table ? "a table is of a mapping"
                                           : "without it the layout is canonical");
    if (values->broadcast != NULL && values->transform != NULL)
        return cli_usage("fft", "--broadcast and --transform are two things");
    const char *other = run_option(values);
    if (values->fft_table && other != NULL)
        return cli_usage("fft", "--table runs nothing: it cannot go with --%s", other);
    cm_buffer_init(&text);
    int code = 0;
    if (read_job(values, &job, &err) != CM_OK)
        code = cli_error(&err);
    else
        code = values->fft_table ? print_table(&job, &text) : run_job(values, &job, &text);
    cm_buffer_finish(&text);
    return code;
}

static const struct cli_option options[] = {
    {"array", 0, CLI_STRING, "SHAPE", "the array, most significant axis first: 64x64",
     CLI_OPTION(array), 0, 0},
    {"mesh", 0, CLI_STRING, "SHAPE",
     "the mesh of nodes, most significant axis first: 16x16x16;\nthe canonical layout when missing",
     CLI_OPTION(mesh), 0, 0},
    {"mapping", 0, CLI_STRING, "HOW",
     "identical (default), shuffle, random:SEED or bits:LIST, where\nnumber x of the list says on "
     "which bit of the permuted index\nbit x lies: bits:0,2,1,3",
     CLI_OPTION(mapping), 0, 0},
    {"local", 0, CLI_STRING, "SIDE",
     "which bits of the permuted index number the points of a\nnode: low (default) or high",
     CLI_OPTION(local), 0, 0},
    {"code", 0, CLI_STRING, "CODE", "of mesh axes on the cube: gray (default) or binary",
     CLI_OPTION(code), 0, 0},
    {"order", 0, CLI_STRING, "NAME", "of each axis's steps: post (default) or pre",
     CLI_OPTION(order), 0, 0},
    {"axes", 0, CLI_STRING, "LIST", "only along these axes p: 0 (the last of --array), 1, ...",
     CLI_OPTION(axes), 0, 0},
    {"broadcast", 0, CLI_STRING, "INDEX",
     "broadcast from an index: coordinates from 0, most significant\naxis first, as in 3,5; or its "
     "number",
     CLI_OPTION(broadcast), 0, 0},
    {"transform", 0, CLI_STRING, "WAY", "forward or inverse; when missing, the communication alone",
     CLI_OPTION(transform), 0, 0},
    {"input", 0, CLI_STRING, "ORDER", "of a transform: natural (default) or bit-reversed",
     CLI_OPTION(fft_input), 0, 0},
    {"output", 0, CLI_STRING, "ORDER", "of a transform: natural (default) or bit-reversed",
     CLI_OPTION(fft_output), 0, 0},
    {"decimation", 0, CLI_STRING, "IN", "of a transform: auto (default), time or frequency",
     CLI_OPTION(decimation), 0, 0},
    {"stepwise", 0, CLI_FLAG, NULL, "a transform without a pipeline over the steps between nodes",
     CLI_OPTION(stepwise), 0, 0},
    {"type", 0, CLI_STRING, "TYPE", "of a point; complex64 by default", CLI_OPTION(type), 0, 0},
    {"table", 0, CLI_FLAG, NULL, "print sd(i, distance) for each step (p, q); run nothing",
     CLI_OPTION(fft_table), 0, 0},
    {"emit", 0, CLI_FLAG, NULL, "print the workload that the options stand for; run nothing",
     CLI_OPTION(emit), 0, 0},
};
static const struct cli_option_set option_set = {options, sizeof options / sizeof *options};

const struct cli_command cli_command_fft = {
    .name = "fft",
    .summary = "FFTs, their communication, and broadcasts, on meshes",
    .operands = "--array SHAPE",
    .operands_min = 0,
    .operands_max = 0,
    .about =
        "Lays an array of random points on a mesh of nodes by a permutation of its index bits (Mou "
        "and\n"
        "Wang), and exchanges every point with its partner in each step (p, q) of an FFT. With "
        "--transform\n"
        "it computes the transform, with --broadcast it sends one point, or one row, to all. "
        "Shapes are\n"
        "written as in the paper and as in cm200 reshape, the most significant axis first.",
    .examples = "  cm200 fft --array 64x64 --mesh 16x16x16 --mapping shuffle --table\n"
                "  cm200 fft --array 64x64 --mesh 8x16x16 --mapping shuffle\n"
                "  cm200 fft --array 64x64 --mesh 8x16x16 --axes 0 --code binary --json\n"
                "  cm200 fft --array 64x64 --mesh 8x16x16 --broadcast 3,5\n"
                "  cm200 fft --array 1048576 --mesh 2048 --transform forward\n"
                "  cm200 fft --array 128x128 --nodes 64 --transform forward --order pre \\\n"
                "    --output bit-reversed --type complex128\n",
    .sets = {&cli_machine_options, &cli_run_options, &option_set},
    .run = fft,
};
