/* The step fft: a fast Fourier transform along the chosen dimensions, or its communication only. */
#include "mesh_steps.h"

struct fft {
    struct cm_step_mesh mesh;
    bool transform; /* false: the communication only */
    uint32_t inverse;
    uint32_t input_reversed; /* true if the elements are in bit-reversed order along the axes */
    uint32_t output_reversed;
    bool stepwise;
    enum cm_fft_decimation decimation;
};

static const char *const direction_names[] = {"forward", "inverse", NULL};
static const char *const ordering_names[] = {"natural", "bit-reversed", NULL};

CM_NAMES_OF(decimation_name, cm_fft_decimation_name, enum cm_fft_decimation)

static const struct cm_key keys[] = {
    CM_MESH_KEYS,
    CM_KEY(NAME, "transform", struct fft, inverse,
           "transforms a complex array; inverse divides by the number of points",
           .names = direction_names,
           .otherwise = "the communication alone, each element exchanged with its partners"),
    CM_KEY(NAME, "input", struct fft, input_reversed,
           "of a transform: the order of the elements before", .names = ordering_names),
    CM_KEY(NAME, "output", struct fft, output_reversed,
           "of a transform: the order of the elements after", .names = ordering_names),
    CM_KEY(NAME, "decimation", struct fft, decimation, "of a transform: in time or in frequency",
           .max = CM_FFT_DECIMATION_COUNT - 1, .name_of = decimation_name),
    CM_KEY(FLAG, "stepwise", struct fft, stepwise,
           "of a transform: one step after the other, instead of a pipeline of all steps"),
};

/* Refuses an ordering of input and output that a transform in place cannot have. If one of them is
 * natural, the other must be bit-reversed, and the key `order` decides which. */
static void check_orderings(struct cm_reader *reader, struct cm_json object, const struct fft *own)
{
    bool post = own->mesh.order == CM_FFT_POSTMORPHISM;
    const char *side = post ? "output" : "input";
    if (!cm_reader_ok(reader) || (post ? !own->output_reversed : !own->input_reversed))
        return;
    cm_reader_fail(reader, cm_read_member(reader, object, side),
                   "a %smorphism has its %s in natural order", post ? "post" : "pre", side);
    cm_reader_hint(reader, "bit-reversed %s: \"order\": \"%s\"", side, post ? "pre" : "post");
}

/* Refuses keys that only a transform has. */
static void refuse_arithmetic(struct cm_reader *reader, struct cm_json object)
{
    static const char *const words[] = {"input", "output", "decimation", "stepwise"};
    struct cm_json json;
    for (uint32_t i = 0; i < CM_COUNT_OF(words); i++) {
        if (!cm_read_optional(reader, object, words[i], &json))
            continue;
        cm_reader_fail(reader, json,
                       "%s is for transforms, and this step is the communication alone", words[i]);
        cm_reader_hint(reader, "add \"transform\": \"forward\" or \"inverse\"");
    }
}

static void read_fft(struct cm_workload *workload, struct cm_workload_step *step,
                     struct cm_reader *reader)
{
    struct fft *own = step->own;
    const struct cm_workload_array *array = &workload->arrays[own->mesh.array.number];
    enum cm_type type = array->request.type;
    struct cm_json transform;
    cm_step_mesh_read(workload, step, reader);
    own->transform = cm_read_optional(reader, step->body, "transform", &transform);
    if (!own->transform) {
        refuse_arithmetic(reader, step->body);
        return;
    }
    if (type != CM_TYPE_COMPLEX64 && type != CM_TYPE_COMPLEX128) {
        cm_reader_fail(reader, transform, "\"%s\" is %s, expected a complex array to transform",
                       array->name, cm_type_name(type));
        cm_reader_hint(reader, "complex64 or complex128; without \"transform\", for the "
                               "communication alone, any type");
    }
    check_orderings(reader, step->body, own);
    if (cm_reader_ok(reader) && own->mesh.mesh_wires != 0) {
        cm_reader_fail(reader, cm_read_member(reader, step->body, "wires"),
                       "a transform goes over the cube's wires");
        cm_reader_hint(reader, "without \"transform\" the communication alone takes the mesh's");
    }
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct fft *own = step->step->own;
    struct cm_fft_result *result = step->state;
    struct cm_fft_task task = {.broadcast = false};
    enum cm_status status = cm_step_mesh_begin(run, step, &task, err);
    if (status != CM_OK)
        return status;
    if (!own->transform)
        return cm_fft_communicate_prepare(run->system, &result->task, err);
    result->transformed = true;
    result->transform = (struct cm_fft_transform_task){
        .mapping = task.mapping,
        .type = cm_run_array_of(run, own->mesh.array)->layout.type,
        .order = task.order,
        .decimation = own->decimation,
        .axes = task.axes,
        .inverse = own->inverse != 0,
        .natural = !own->input_reversed && !own->output_reversed,
        .stepwise = own->stepwise,
    };
    return cm_fft_transform_prepare(run->system, &result->transform, err);
}

static enum cm_status run_fft(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct fft *own = step->step->own;
    struct cm_fft_result *result = step->state;
    if (!own->transform)
        return cm_step_mesh_run(run, step, err);
    return cm_fft_transform(run->system, &result->transform, cm_run_array_of(run, own->mesh.array),
                            &result->report, err);
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct fft *own = step->step->own;
    const struct cm_fft_result *state = step->state;
    uint32_t array = own->mesh.array.number;
    struct cm_reference_array *reference = &run->reference[array];
    const struct cm_reference_dft dft = {.axes = own->mesh.axes,
                                         .inverse = own->inverse != 0,
                                         .input_reversed = own->input_reversed != 0,
                                         .output_reversed = own->output_reversed != 0};
    enum cm_status status = own->transform
                                ? cm_reference_transform(reference, &dft, err)
                                : cm_reference_pick(reference, own->mesh.axes, NULL, err);
    uint32_t steps = state->schedule.count, bits = !own->transform ? 0 : steps > 0 ? steps : 1;
    return status == CM_OK ? cm_run_check_array(run, step, array, bits, result, err) : status;
}

const struct cm_step_kind cm_step_fft = {
    .name = "fft",
    .summary = "a fast Fourier transform along dimensions, or its communication alone",
    .example = "{\"fft\": {\"array\": \"a\", \"transform\": \"forward\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct fft),
    .state_bytes = sizeof(struct cm_fft_result),
    .path = "imp",
    .read = read_fft,
    .prepare = prepare,
    .run = run_fft,
    .check = check,
    .report = cm_step_mesh_report,
};
