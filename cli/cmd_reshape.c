/* cm200 reshape: makes a workload of one reshape from options, and runs it, or prints the table of
 * its exchanges. */
#include "../programs/workload/steps/reshape.h"
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TABLE_ELEMENTS_MAX 1024u

struct reshape_values {
    struct cli_step_values step;
    const char *from, *to, *algorithm, *processor_dimensions, *encoding, *order, *start, *type;
    bool consistent, table;
};

/* Lengths of the axes of an array. The first axis varies fastest, as in workloads. */
struct shape {
    uint64_t lengths[CLI_NUMBERS_MAX];
    uint32_t rank;
};

static bool read_shape(const char *text, struct shape *shape)
{
    shape->rank = cli_read_shape(text, shape->lengths);
    return shape->rank > 0;
}

static uint64_t size_of(const struct shape *shape)
{
    uint64_t size = 1;
    for (uint32_t a = 0; a < shape->rank; a++) {
        if (__builtin_mul_overflow(size, shape->lengths[a], &size))
            return UINT64_MAX;
    }
    return size;
}

static bool is_gray(const struct reshape_values *values)
{
    return values->encoding == NULL || strcmp(values->encoding, "gray") == 0;
}

/* Reduces a shape to the CM_RANK_MAX axes that a workload can have. Axes of length 1 are dropped.
 * If all axes have length 2 in Gray code and are still too many, they become a single axis in
 * binary code, which is the same, and the function returns true. */
static bool fit_rank(const struct reshape_values *values, struct shape *shape)
{
    bool twos = is_gray(values);
    uint32_t kept = 0;
    if (shape->rank <= CM_RANK_MAX)
        return false;
    for (uint32_t a = 0; a < shape->rank; a++) {
        twos = twos && shape->lengths[a] <= 2;
        if (shape->lengths[a] != 1)
            shape->lengths[kept++] = shape->lengths[a];
    }
    shape->rank = kept;
    twos = twos && kept > CM_RANK_MAX;
    if (twos || kept == 0)
        *shape = (struct shape){.lengths = {size_of(shape)}, .rank = 1};
    return twos;
}

static int write_shape(struct cli_step *step, const struct shell_option *option, const char *text)
{
    struct shape shape;
    if (!read_shape(text, &shape))
        return cli_step_expected(step, option, text, "lengths with x between them",
                                 "as in 32x4x16x8, the most significant axis first");
    fit_rank((const void *)step->values, &shape);
    cm_json_write_numbers(&step->json, option->member->key, shape.lengths, shape.rank);
    return 0;
}

/* Returns the encoding of a shape: that of --encoding, or "binary" if many axes of length 2 became
 * a single axis. */
static const char *encoding_of(const struct reshape_values *values, const char *text)
{
    struct shape shape;
    if (read_shape(text, &shape) && fit_rank(values, &shape))
        return "binary";
    return values->encoding != NULL ? values->encoding : "gray";
}

/* Writes the encoding of the array, which belongs to the shape of --from. If the shape of --to has
 * another encoding, the step gets its own. */
static int write_encoding(struct cli_step *step, const struct shell_option *option,
                          const char *text)
{
    const struct reshape_values *values = (const void *)step->values;
    (void)text;
    cm_json_write_string(&step->json, option->member->key, encoding_of(values, values->from));
    return 0;
}

static int write_to(struct cli_step *step, const struct shell_option *option, const char *text)
{
    const struct reshape_values *values = (const void *)step->values;
    const char *from = encoding_of(values, values->from), *to = encoding_of(values, text);
    if (strcmp(from, to) != 0)
        cm_json_write_string(&step->json, "encoding", to);
    return write_shape(step, option, text);
}

/* Writes the algorithm. A table always shows the algorithm "rotate", unless it is gray-binary. The
 * other algorithms make the same exchanges as the first data set of "rotate", at different times.
 */
static int write_algorithm(struct cli_step *step, const struct shell_option *option,
                           const char *text)
{
    const struct reshape_values *values = (const void *)step->values;
    bool same = strcmp(text, "gray-binary") != 0;
    cm_json_write_string(&step->json, option->member->key, values->table && same ? "rotate" : text);
    return 0;
}

static void append_table(const void *context, const struct cm_result *result,
                         struct cm_buffer *text)
{
    struct cm_reshape_plan plan;
    (void)context;
    if (cm_reshape_plan_elements(cm_step_reshape_task(&result->steps[0]), &plan, NULL) == CM_OK)
        cm_reshape_table(&plan, text);
    cm_reshape_plan_finish(&plan);
}

/* Returns the number of nodes for a table: one for each element, as in the figures of the reshape
 * paper, unless --nodes or the list of processor dimensions gives another number. 0: the workload
 * decides. */
static uint64_t table_nodes(const struct reshape_values *values, uint64_t size)
{
    uint64_t numbers[CLI_NUMBERS_MAX];
    const char *list = values->processor_dimensions != NULL ? values->processor_dimensions : "";
    uint32_t count = shell_read_numbers(list, ',', numbers, CLI_NUMBERS_MAX);
    if (values->step.machine.nodes != 0)
        return values->step.machine.nodes;
    if (count > 0)
        return UINT64_C(1) << (count < 31 ? count : 31);
    /* The reader of the workload refuses a size that is not a power of two. */
    return (size & (size - 1)) == 0 ? size : 0;
}

#define OPTION(member) offsetof(struct reshape_values, member)

static const struct shell_option options[] = {
    {"from", SHELL_STRING, OPTION(from), .required = true, .argument = "SHAPE",
     CLI_MEMBER("shape", CLI_IN_ARRAY, CLI_SHAPE, .write = write_shape),
     .help = "the shape before, most significant axis first: 32x4x16x8"},
    {"to", SHELL_STRING, OPTION(to), .required = true, .argument = "SHAPE",
     CLI_MEMBER("shape", CLI_IN_STEP, CLI_SHAPE, .write = write_to), .help = "the shape after"},
    {"algorithm", SHELL_STRING, OPTION(algorithm), .argument = "NAME",
     CLI_MEMBER("algorithm", CLI_IN_STEP, .fallback = "auto", .write = write_algorithm)},
    {"processor-dimensions", SHELL_STRING, OPTION(processor_dimensions), .argument = "WHICH",
     CLI_MEMBER("processor_dimensions", CLI_IN_ARRAY, .form = CLI_NAME_OR_NUMBERS),
     .help = "high (default), canonical, or a list as in 14,13,12; the others are in memory"},
    {"encoding", SHELL_STRING, OPTION(encoding), .argument = "CODE",
     CLI_MEMBER("encoding", CLI_IN_ARRAY, .fallback = "gray", .write = write_encoding),
     .help = "gray (default): whole axes; binary; or mixed: Gray on the "
             "processor part of an axis"},
    {"order", SHELL_STRING, OPTION(order), .argument = "LIST",
     CLI_MEMBER("order", CLI_IN_STEP, .form = CLI_NUMBERS),
     .help = "the dimensions to exchange, in this order: 10,6,4,2"},
    {"start", SHELL_STRING, OPTION(start), .argument = "DIMENSION",
     CLI_MEMBER("start", .place = CLI_IN_STEP),
     .help = "gray-binary: the dimension where all elements begin; without it one data set begins "
             "in each dimension"},
    {"consistent", SHELL_FLAG, OPTION(consistent),
     CLI_MEMBER("consistent", CLI_IN_STEP, .fallback = "false"),
     .help = "lay out the new shape by the same rule as the old one; without it the dimensions "
             "stay where they are"},
    {"type", SHELL_STRING, OPTION(type), .argument = "TYPE",
     CLI_MEMBER("type", CLI_IN_ARRAY, .fallback = "real64"),
     .help = "of an element; real64 by default"},
    {"table", SHELL_FLAG, OPTION(table),
     .help = "print which element each address holds after each exchange"},
    {"emit", SHELL_FLAG, OPTION(step.emit),
     .help = "print the workload that the options make; run nothing"},
};

/* Runs one algorithm of reshape and shows its result with `text`. A function of type
 * cli_reshape_run. */
static int run_one(const void *all, const char *algorithm,
                   void (*text)(const void *context, const struct cm_result *result,
                                struct cm_buffer *text),
                   const void *context)
{
    struct reshape_values values = *(const struct reshape_values *)all;
    values.algorithm = algorithm;
    values.step.run.json = false;
    struct cli_step step = {
        .command = &cli_command_reshape,
        .values = &values.step,
        .kind = &cm_step_reshape,
        .name = "reshape",
        .nodes = values.step.machine.nodes,
        .job = {.text = text, .context = context},
    };
    return cli_step_run(&step);
}

static int reshape_all(const struct reshape_values *values)
{
    const struct cli_run_values *run = &values->step.run;
    const char *idle = values->table          ? "table"
                       : values->step.emit    ? "emit"
                       : values->start        ? "start"
                       : run->saves.count > 0 ? "save"
                       : run->trace != NULL   ? "trace"
                       : run->explain         ? "explain"
                       : run->output != NULL  ? "result"
                                              : NULL;
    if (idle != NULL)
        return shell_usage("reshape", "--%s is for one algorithm, not for all", idle);
    return cli_reshape_all(values, run->json, run_one);
}

static int reshape(const void *all)
{
    const struct reshape_values *values = all;
    struct shape from;
    char name[256];
    snprintf(name, sizeof name, "reshape %.100s to %.100s", values->from, values->to);
    if (values->algorithm != NULL && strcmp(values->algorithm, "all") == 0)
        return reshape_all(values);
    struct cli_step step = {
        .command = &cli_command_reshape,
        .values = &values->step,
        .kind = &cm_step_reshape,
        .name = name,
        .nodes = values->step.machine.nodes,
    };
    if (!values->table)
        return cli_step_run(&step);
    uint64_t size = read_shape(values->from, &from) ? size_of(&from) : 1;
    if (size > TABLE_ELEMENTS_MAX)
        return shell_usage("reshape", "--table is for at most %u elements, not for %" PRIu64,
                           TABLE_ELEMENTS_MAX, size);
    step.nodes = table_nodes(values, size);
    step.cube = "a table has a node for each element";
    step.plan_only = true;
    step.job.text = append_table;
    return cli_step_run(&step);
}

const struct cli_command cli_command_reshape = {
    .syntax = {.command = "reshape",
               .operands = "--from SHAPE --to SHAPE",
               .sets = {SHELL_SET(cli_machine_options, OPTION(step.machine)),
                        SHELL_SET(cli_run_options, OPTION(step.run)), SHELL_SET(options, 0)}},
    .summary = "reshape an array on the cube; count its steps",
    .about =
        "Moves an array of random elements from one shape to another by the algorithms of Johnsson "
        "and Ho (1990), and checks where every element is afterwards. Shapes are written as in the "
        "paper, the most significant axis first; every axis is a power of two. --algorithm all "
        "prints the steps, bounds and cycles of every algorithm side by side.",
    .examples = "  cm200 reshape --from 32x4x16x8 --to 8x4x16x32 --nodes 512\n"
                "  cm200 reshape --from 32x4x16x8 --to 8x4x16x32 --nodes 512 \\\n"
                "      --algorithm two-path --json\n"
                "  cm200 reshape --from 1024x64 --to 65536 --nodes 64 --algorithm open-shop \\\n"
                "      --processor-dimensions 15,14,13,9,8,5\n"
                "  cm200 reshape --from 512 --to 2x2x2x2x2x2x2x2x2 --nodes 8 --algorithm all\n"
                "  cm200 reshape --from 16 --to 2x2x2x2 --order 2,1,0 --table\n"
                "  cm200 reshape --from 16 --to 2x2x2x2 --algorithm gray-binary --table\n"
                "  cm200 reshape --from 64 --to 2x2x2x2x2x2 --nodes 16 \\\n"
                "      --algorithm gray-binary --start 3\n"
                "  cm200 reshape --from 64x64 --to 4096 --nodes 16 \\\n"
                "      --processor-dimensions canonical --encoding mixed --consistent --emit\n",
    .values_size = sizeof(struct reshape_values),
    .run = reshape,
    .kinds = {&cm_step_reshape},
};
