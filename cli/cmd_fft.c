/* cm200 fft: makes a workload of the communication of an FFT, a broadcast or a transform, and runs
 * it, or prints its table or diagram. */
#include "../programs/fft/figure.h"
#include "../programs/workload/steps/mesh_steps.h"
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct fft_values {
    struct cli_step_values step;
    const char *array, *mesh, *mapping, *local, *code, *order, *axes, *broadcast, *transform;
    const char *input, *output, *decimation, *wires, *type;
    const char *svg;
    bool stepwise, table, diagram;
};

/* Writes a list of axes into the workload. The option counts axes from 0, and a workload counts
 * dimensions from 1. */
static int write_axes(struct cli_step *step, const struct shell_option *option, const char *text)
{
    const struct fft_values *values = (const void *)step->values;
    uint64_t lengths[CLI_NUMBERS_MAX], dims[CLI_NUMBERS_MAX], seen = 0;
    uint32_t rank = cli_read_shape(values->array, lengths);
    uint32_t count = shell_read_numbers(text, ',', dims, CLI_NUMBERS_MAX);
    bool good = count > 0;
    for (uint32_t i = 0; good && i < count; i++) {
        good = dims[i] < rank && !(seen >> dims[i] & 1);
        seen |= good ? UINT64_C(1) << dims[i]++ : 0;
    }
    if (!good)
        return cli_step_expected(step, option, text, "different axes of the array, from 0",
                                 "as in 0,1; axis 0 is the last, least significant one of --array");
    cm_json_write_numbers(&step->json, option->member->key, dims, count);
    return 0;
}

/* Writes the source of a broadcast into the workload. The option has its coordinates, the most
 * significant axis first, or a single index. */
static int write_source(struct cli_step *step, const struct shell_option *option, const char *text)
{
    const struct fft_values *values = (const void *)step->values;
    uint64_t lengths[CLI_NUMBERS_MAX], numbers[CLI_NUMBERS_MAX], from[CLI_NUMBERS_MAX];
    uint32_t rank = cli_read_shape(values->array, lengths);
    uint32_t count = shell_read_numbers(text, ',', numbers, CLI_NUMBERS_MAX);
    uint64_t rest = count > 0 ? numbers[0] : 0;
    bool good = count == 1 || (count > 0 && count == rank);
    for (uint32_t a = 0; good && a < rank; a++) {
        uint64_t length = lengths[a] > 0 ? lengths[a] : 1;
        uint64_t index = count > 1 ? numbers[rank - 1 - a] : rest % length;
        good = index < length;
        from[a] = index + 1;
        rest /= length;
    }
    if (!good || (count == 1 && rest > 0))
        return cli_step_expected(step, option, text, "an index of the array",
                                 "its coordinates from 0, the most significant axis first, as in "
                                 "3,5; or its number, as in 0");
    cm_json_write_numbers(&step->json, option->member->key, from, rank);
    return 0;
}

#define OPTION(member) offsetof(struct fft_values, member)
#define STEP(...)      CLI_STEP_OPTION(struct fft_values, __VA_ARGS__)

static const struct shell_option options[] = {
    {"array", SHELL_STRING, OPTION(array), .required = true, .argument = "SHAPE",
     CLI_MEMBER("shape", CLI_IN_ARRAY, .form = CLI_SHAPE),
     .help = "the array, most significant axis first: 64x64"},
    {"mesh", SHELL_STRING, OPTION(mesh), .argument = "SHAPE",
     CLI_MEMBER("shape", CLI_IN_MESH, .form = CLI_SHAPE),
     .help = "the mesh of nodes, most significant axis first: 16x16x16; without it, the canonical "
             "layout"},
    {"mapping", SHELL_STRING, OPTION(mapping), .argument = "HOW",
     CLI_MEMBER("mapping", .place = CLI_IN_MESH),
     .help = "identical (default), shuffle, random:SEED or bits:LIST, where number x of the list "
             "is the bit of the permuted index that bit x becomes: bits:0,2,1,3"},
    {"local", SHELL_STRING, OPTION(local), .argument = "SIDE",
     CLI_MEMBER("local", .place = CLI_IN_MESH),
     .help = "which bits of the permuted index number the points of a "
             "node: low (default) or high"},
    {"code", SHELL_STRING, OPTION(code), .argument = "CODE",
     CLI_MEMBER("code", .place = CLI_IN_MESH),
     .help = "of mesh axes on the cube: gray (default) or binary"},
    STEP(order, "NAME"),
    {"axes", SHELL_STRING, OPTION(axes), .argument = "LIST",
     CLI_MEMBER("dims", CLI_IN_STEP, .write = write_axes),
     .help = "only along these axes p: 0 (the last of --array), 1, ..."},
    {"broadcast", SHELL_STRING, OPTION(broadcast), .argument = "INDEX",
     CLI_MEMBER("from", CLI_IN_STEP, .write = write_source),
     .help = "broadcast from an index: coordinates from 0, most significant "
             "axis first, as in 3,5; or its number"},
    STEP(wires, "WHICH"),
    STEP(transform, "WAY"),
    STEP(input, "ORDER"),
    STEP(output, "ORDER"),
    STEP(decimation, "IN"),
    {"stepwise", SHELL_FLAG, OPTION(stepwise), CLI_MEMBER("stepwise", .place = CLI_IN_STEP)},
    {"type", SHELL_STRING, OPTION(type), .argument = "TYPE",
     CLI_MEMBER("type", CLI_IN_ARRAY, .fallback = "complex64"),
     .help = "of a point; complex64 by default"},
    {"table", SHELL_FLAG, OPTION(table),
     .help = "print sd(i, distance) for each step (p, q), or of a broadcast who holds the value "
             "after each step; run nothing"},
    {"diagram", SHELL_FLAG, OPTION(diagram),
     .help = "draw where the bits of an index go, or of a broadcast the way of the value from "
             "point to point; run nothing"},
    {"svg", SHELL_STRING, OPTION(svg), .argument = "FILE",
     .help = "write the diagram as SVG; run nothing"},
    {"emit", SHELL_FLAG, OPTION(step.emit),
     .help = "print the workload that the options make; run nothing"},
};

/* Returns the FFT, its array and its mapping to nodes that the options describe. */
static struct cm_fft_task task_of(const struct cli_step *step, const struct cm_workload *workload)
{
    struct cm_fft_task task = {.slices = 0};
    if (step->kind == &cm_step_broadcast)
        cm_step_broadcast_task(workload, &workload->steps[0], &task);
    else
        cm_step_mesh_task(workload, &workload->steps[0], &task);
    return task;
}

static int print_table(const struct cli_step *step, const struct cm_workload *workload)
{
    struct cm_fft_task task = task_of(step, workload);
    struct cm_buffer text;
    cm_buffer_init(&text);
    if (task.broadcast)
        cm_fft_holders_table(&task, &text);
    else
        cm_fft_table(&task, &text);
    return shell_deliver(NULL, &text, CM_OK, NULL);
}

static int print_figure(const struct cli_step *step, const struct cm_workload *workload)
{
    typedef void draw_broadcast(const struct cm_fft_task *task, struct cm_buffer *text);
    typedef void draw_bits(const struct cm_fft_mapping *mapping, struct cm_buffer *text);
    static draw_broadcast *const of_broadcast[] = {cm_fft_broadcast_text, cm_fft_broadcast_svg};
    static draw_bits *const of_bits[] = {cm_fft_bits_text, cm_fft_bits_svg};
    const struct fft_values *values = (const void *)step->values;
    struct cm_fft_task task = task_of(step, workload);
    uint64_t points = UINT64_C(1) << task.mapping.bits;
    uint64_t most = values->svg != NULL ? CM_FFT_SVG_POINTS_MAX : CM_FFT_TEXT_POINTS_MAX;
    int code = 0;
    if (task.broadcast && points > most)
        return shell_usage("fft",
                           "--%s of a broadcast is for at most %" PRIu64 " points, not for %" PRIu64
                           ": --table shows any number",
                           step->instead, most, points);
    for (int svg = 1; code == 0 && svg >= 0; svg--) {
        struct cm_buffer figure;
        if (svg ? values->svg == NULL : !values->diagram)
            continue;
        cm_buffer_init(&figure);
        if (task.broadcast)
            of_broadcast[svg](&task, &figure);
        else
            of_bits[svg](&task.mapping, &figure);
        code = shell_deliver(svg ? values->svg : NULL, &figure, CM_OK, NULL);
    }
    return code;
}

/* Returns the number of nodes of a mesh given as text, or UINT64_MAX if it is too large. A text
 * that is not a shape is refused later. */
static uint64_t mesh_nodes(const char *mesh)
{
    uint64_t lengths[CLI_NUMBERS_MAX], nodes = 1;
    uint32_t rank = cli_read_shape(mesh, lengths);
    for (uint32_t a = 0; a < rank; a++)
        if (__builtin_mul_overflow(nodes, lengths[a], &nodes))
            return UINT64_MAX;
    return nodes;
}

/* Chooses the table or diagram that is printed instead of a run. Returns false if this output needs
 * a mesh and the user gave none. */
static bool choose_print(const struct fft_values *values, struct cli_step *step)
{
    bool figure = !CM_FOR_A_PAGE && (values->diagram || values->svg != NULL);
    step->print = figure ? print_figure : values->table ? print_table : NULL;
    step->instead = values->svg != NULL ? "svg" : values->diagram ? "diagram" : "table";
    return step->print == NULL || values->mesh != NULL;
}

static int fft(const void *all)
{
    const struct fft_values *values = all;
    char name[256], cube[120];
    bool mesh = values->mesh != NULL;
    snprintf(name, sizeof name, "%s %.80s%s%.80s", values->broadcast != NULL ? "broadcast" : "fft",
             values->array, mesh ? " on " : "", mesh ? values->mesh : "");
    struct cli_step step = {
        .command = &cli_command_fft,
        .values = &values->step,
        .kind = values->broadcast != NULL ? &cm_step_broadcast : &cm_step_fft,
        .name = name,
        .nodes = values->step.machine.nodes,
    };
    if (CM_FOR_A_PAGE && (values->diagram || values->svg != NULL))
        return shell_usage("fft", "the program in a web page cannot draw diagrams");
    if (values->table && (values->diagram || values->svg != NULL))
        return shell_usage("fft", "--table and --%s exclude each other",
                           values->diagram ? "diagram" : "svg");
    if (!choose_print(values, &step))
        return shell_usage("fft", "--%s needs --mesh: it shows a mapping", step.instead);
    if (values->broadcast != NULL && values->transform != NULL)
        return shell_usage("fft", "--broadcast and --transform exclude each other");
    if (mesh && step.nodes == 0) {
        step.nodes = mesh_nodes(values->mesh);
        snprintf(cube, sizeof cube, "--mesh %.60s", values->mesh);
        step.cube = cube;
    }
    return cli_step_run(&step);
}

const struct cli_command cli_command_fft = {
    .syntax = {.command = "fft",
               .operands = "--array SHAPE",
               .sets = {SHELL_SET(cli_machine_options, OPTION(step.machine)),
                        SHELL_SET(cli_run_options, OPTION(step.run)), SHELL_SET(options, 0)}},
    .summary = "run FFTs, their communication, and broadcasts on meshes",
    .about = "Maps an array of random points to a mesh of nodes by a permutation of its index bits "
             "(Mou and Wang), and exchanges every point with its partner in each step (p, q) of an "
             "FFT. With --transform it computes the transform, with --broadcast it sends one "
             "point, or one row, to all. Shapes are written as in the paper and as in cm200 "
             "reshape, the most significant axis first.",
    .examples = "  cm200 fft --array 64x64 --mesh 16x16x16 --mapping shuffle --table\n"
                "  cm200 fft --array 64x64 --mesh 8x16x16 --mapping shuffle\n"
                "  cm200 fft --array 64x64 --mesh 8x16x16 --axes 0 --code binary --json\n"
                "  cm200 fft --array 64x64 --mesh 8x16x16 --broadcast 3,5\n"
                "  cm200 fft --array 8 --mesh 8 --broadcast 0 --diagram --svg figure-1.svg\n"
                "  cm200 fft --array 64x32 --mesh 8x16x16 --wires mesh\n"
                "  cm200 fft --array 1048576 --mesh 2048 --transform forward\n"
                "  cm200 fft --array 128x128 --nodes 64 --transform forward --order pre \\\n"
                "    --output bit-reversed --type complex128\n",
    .values_size = sizeof(struct fft_values),
    .run = fft,
    .kinds = {&cm_step_fft, &cm_step_broadcast},
};
