/* cm200 reshape: one reshape from options, as a workload of one step; or the table of what it
 * moves. */
#include "../base/json_text.h"
#include "../base/suggest.h"
#include "../programs/reshape/reshape.h"
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_DIMENSIONS_MAX 10u

struct job {
    struct cli_shape from, to;
    enum cm_encoding from_encoding, to_encoding;
    enum cm_processor_rule rule;
    uint64_t processor_list;
    uint32_t order[64];
    uint32_t order_count;
    bool has_start;
    uint32_t start;
    enum cm_reshape_algorithm algorithm;
    enum cm_type type;
    uint32_t nodes; /* 0: the whole machine */
    bool consistent;
};

static enum cm_status read_processors(const char *text, struct job *job, struct cm_error *err)
{
    static const char *const rules[] = {"high", "canonical"};
    uint64_t numbers[64];
    uint32_t count;
    if (text == NULL || strcmp(text, "high") == 0)
        return CM_OK;
    job->rule = CM_PROCESSOR_CANONICAL;
    if (strcmp(text, "canonical") == 0)
        return CM_OK;
    job->rule = CM_PROCESSOR_LIST;
    bool good = cli_read_numbers(text, ',', numbers, 64, &count);
    for (uint32_t i = 0; good && i < count; i++) {
        good = numbers[i] < CM_LOGIC_DIMENSIONS_MAX && !(job->processor_list >> numbers[i] & 1);
        if (good)
            job->processor_list |= UINT64_C(1) << numbers[i];
    }
    if (good)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "--processor-dimensions is \"%.100s\", expected high, canonical or a list of "
                 "different dimensions",
                 text);
    const char *near = cm_suggest(text, rules, sizeof rules / sizeof *rules);
    if (near != NULL)
        return cm_error_hint(err, "did you mean \"%s\"?", near);
    return cm_error_hint(err, "as in 14,13,12,11; dimension 0 is the least significant");
}

static enum cm_status read_order(const char *text, struct job *job, struct cm_error *err)
{
    uint64_t numbers[64];
    bool good = text == NULL || cli_read_numbers(text, ',', numbers, 62, &job->order_count);
    for (uint32_t i = 0; good && i < job->order_count; i++) {
        good = numbers[i] < CM_LOGIC_DIMENSIONS_MAX;
        job->order[i] = good ? (uint32_t)numbers[i] : 0;
    }
    if (good)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "--order is \"%.100s\", expected dimensions with commas between them", text);
    return cm_error_hint(err, "as in 10,6,4,2");
}

static enum cm_status read_start(const char *text, struct job *job, struct cm_error *err)
{
    uint64_t number;
    uint32_t count;
    if (text == NULL)
        return CM_OK;
    if (!cli_read_numbers(text, ',', &number, 1, &count) || number >= CM_LOGIC_DIMENSIONS_MAX) {
        cm_error_set(err, CM_BAD_INPUT, "--start is \"%.100s\", expected a dimension", text);
        return cm_error_hint(err, "as in 6; dimension 0 is the least significant");
    }
    job->has_start = true;
    job->start = (uint32_t)number;
    return CM_OK;
}

static enum cm_status read_names(const struct cli_values *values, struct job *job,
                                 struct cm_error *err)
{
    const char *algorithms[CM_RESHAPE_ALGORITHM_COUNT];
    const char *encodings[CM_ENCODING_COUNT];
    const char *types[CM_TYPE_COUNT];
    uint32_t algorithm = CM_RESHAPE_AUTO, encoding = CM_ENCODING_GRAY, type = CM_TYPE_REAL64;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < CM_RESHAPE_ALGORITHM_COUNT; i++)
        algorithms[i] = cm_reshape_algorithm_name((enum cm_reshape_algorithm)i);
    for (uint32_t i = 0; i < CM_ENCODING_COUNT; i++)
        encodings[i] = cm_encoding_name((enum cm_encoding)i);
    for (uint32_t i = 0; i < CM_TYPE_COUNT; i++)
        types[i] = cm_type_name((enum cm_type)i);
    if (values->algorithm != NULL)
        status = cli_read_name("algorithm", values->algorithm, algorithms,
                               CM_RESHAPE_ALGORITHM_COUNT, &algorithm, err);
    if (status == CM_OK && values->encoding != NULL)
        status = cli_read_name("encoding", values->encoding, encodings, CM_ENCODING_COUNT,
                               &encoding, err);
    if (status == CM_OK && values->type != NULL)
        status = cli_read_name("type", values->type, types, CM_TYPE_COUNT, &type, err);
    job->algorithm = (enum cm_reshape_algorithm)algorithm;
    job->from_encoding = job->to_encoding = (enum cm_encoding)encoding;
    job->type = (enum cm_type)type;
    return status;
}

/* Workloads have at most seven axes. Axes of length 1 are nothing, and Gray-coded axes of length 2
 * are binary code. */
static enum cm_status fit_rank(const char *option, struct cli_shape *shape,
                               enum cm_encoding *encoding, struct cm_error *err)
{
    bool twos = *encoding == CM_ENCODING_GRAY;
    uint32_t kept = 0;
    if (shape->rank <= CM_RANK_MAX)
        return CM_OK;
    for (uint32_t a = 0; a < shape->rank; a++) {
        twos = twos && shape->lengths[a] <= 2;
        if (shape->lengths[a] > 1)
            shape->lengths[kept++] = shape->lengths[a];
    }
    if (kept <= CM_RANK_MAX) {
        shape->lengths[0] = kept > 0 ? shape->lengths[0] : 1;
        shape->rank = kept > 0 ? kept : 1;
        return CM_OK;
    }
    if (twos) {
        uint64_t size = 1;
        for (uint32_t a = 0; a < shape->rank; a++)
            size *= shape->lengths[a];
        *shape = (struct cli_shape){.lengths = {size}, .rank = 1};
        *encoding = CM_ENCODING_BINARY;
        return CM_OK;
    }
    cm_error_set(err, CM_BAD_INPUT, "--%s has %" PRIu32 " axes, expected at most %u", option, kept,
                 CM_RANK_MAX);
    return cm_error_hint(err, "more only if all are of length 2, in Gray code");
}

static enum cm_status check_sizes(const struct cli_values *values, const struct job *job,
                                  struct cm_error *err)
{
    if (cli_shape_size(&job->from) == cli_shape_size(&job->to))
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "the sizes differ: %.100s has %" PRIu64 " elements, %.100s has %" PRIu64,
                 values->from, cli_shape_size(&job->from), values->to, cli_shape_size(&job->to));
    return cm_error_hint(err, "a reshape keeps the number of elements");
}

static enum cm_status read_job(const struct cli_values *values, struct job *job,
                               struct cm_error *err)
{
    memset(job, 0, sizeof *job);
    job->nodes = (uint32_t)values->nodes;
    job->consistent = values->consistent;
    enum cm_status status = cli_read_shape("from", values->from, &job->from, err);
    if (status == CM_OK)
        status = cli_read_shape("to", values->to, &job->to, err);
    if (status == CM_OK)
        status = read_names(values, job, err);
    if (status == CM_OK)
        status = read_processors(values->processor_dimensions, job, err);
    if (status == CM_OK)
        status = read_order(values->order, job, err);
    if (status == CM_OK)
        status = read_start(values->start, job, err);
    return status == CM_OK ? check_sizes(values, job, err) : status;
}

static void append_processors(struct cm_buffer *text, const struct job *job)
{
    const char *comma = "";
    if (job->rule != CM_PROCESSOR_LIST) {
        cm_buffer_printf(text, "\"%s\"", job->rule == CM_PROCESSOR_HIGH ? "high" : "canonical");
        return;
    }
    cm_buffer_printf(text, "[");
    for (uint32_t d = 64; d-- > 0;) {
        if (!(job->processor_list >> d & 1))
            continue;
        cm_buffer_printf(text, "%s%" PRIu32, comma, d);
        comma = ", ";
    }
    cm_buffer_printf(text, "]");
}

/* The workload that the options stand for. */
static void append_workload(struct cm_buffer *text, const struct cli_values *values,
                            const struct job *job, const char *machine)
{
    cm_buffer_printf(text, "{\n  \"format\": \"cm200-workload/1\",\n  \"name\": ");
    char name[256];
    snprintf(name, sizeof name, "reshape %.100s to %.100s", values->from, values->to);
    cm_json_append_string(text, name);
    if (machine != NULL) {
        cm_buffer_printf(text, ",\n  \"machine\": ");
        cm_json_append_string(text, machine);
    }
    if (job->nodes > 0)
        cm_buffer_printf(text, ",\n  \"nodes\": %" PRIu32, job->nodes);
    cm_buffer_printf(text, ",\n  \"arrays\": {\n    \"a\": { \"shape\": [");
    cli_append_shape(text, &job->from);
    cm_buffer_printf(text, "], \"type\": \"%s\", \"encoding\": \"%s\", \"processor_dimensions\": ",
                     cm_type_name(job->type), cm_encoding_name(job->from_encoding));
    append_processors(text, job);
    cm_buffer_printf(text,
                     ", \"init\": { \"random\": 1 } }\n  },\n  \"steps\": [\n    { \"reshape\": { "
                     "\"array\": \"a\", \"shape\": [");
    cli_append_shape(text, &job->to);
    cm_buffer_printf(text, "], \"algorithm\": \"%s\", \"consistent\": %s",
                     cm_reshape_algorithm_name(job->algorithm), job->consistent ? "true" : "false");
    if (job->to_encoding != job->from_encoding)
        cm_buffer_printf(text, ", \"encoding\": \"%s\"", cm_encoding_name(job->to_encoding));
    for (uint32_t i = 0; i < job->order_count; i++)
        cm_buffer_printf(text, "%s%" PRIu32, i ? ", " : ", \"order\": [", job->order[i]);
    cm_buffer_printf(text, "%s", job->order_count ? "]" : "");
    if (job->has_start)
        cm_buffer_printf(text, ", \"start\": %" PRIu32, job->start);
    cm_buffer_printf(text, " } }\n  ],\n  \"check\": true\n}\n");
}

/* Nodes of a table: as the figures have it, a node an element, unless a number or a list says
 * otherwise. */
static uint32_t table_nodes(const struct job *job)
{
    if (job->nodes > 0)
        return job->nodes;
    uint64_t size = cli_shape_size(&job->from);
    int listed = __builtin_popcountll(job->processor_list);
    if (job->rule == CM_PROCESSOR_LIST)
        return UINT32_C(1) << (listed < 31 ? listed : 31);
    return (size & (size - 1)) == 0 ? (uint32_t)size : 1; /* the axes are refused later */
}

/* Other algorithms than gray-binary make the same exchanges as rotate's first data set, if each in
 * its own time. */
static enum cm_status append_table(struct cm_buffer *text, const struct job *job,
                                   struct cm_error *err)
{
    struct cm_reshape_request request = {
        .algorithm =
            job->algorithm == CM_RESHAPE_GRAY_BINARY ? CM_RESHAPE_GRAY_BINARY : CM_RESHAPE_ROTATE,
        .order = job->order_count ? job->order : NULL,
        .order_count = job->order_count,
        .has_start = job->has_start,
        .start = job->start,
    };
    struct cm_reshape_plan plan;
    if (cli_shape_size(&job->from) > UINT64_C(1) << TABLE_DIMENSIONS_MAX) {
        cm_error_set(err, CM_BAD_INPUT, "a table of %" PRIu64 " elements is too long to read",
                     cli_shape_size(&job->from));
        return cm_error_hint(err, "--table is for at most %u elements", 1u << TABLE_DIMENSIONS_MAX);
    }
    enum cm_status status = cm_allocation_create(job->from.lengths, job->from.rank,
                                                 table_nodes(job), job->from_encoding, job->rule,
                                                 job->processor_list, &request.from, err);
    if (status == CM_OK)
        status = cm_allocation_create(
            job->to.lengths, job->to.rank, table_nodes(job), job->to_encoding,
            job->consistent ? job->rule : CM_PROCESSOR_LIST,
            job->consistent ? job->processor_list : request.from.processor, &request.to, err);
    if (status != CM_OK)
        return status;
    status = cm_reshape_plan_make(&request, &plan, err);
    if (status == CM_OK)
        cm_reshape_table(&plan, text);
    cm_reshape_plan_finish(&plan);
    return status;
}

static enum cm_status read_config(const struct cli_values *values, const char *machine,
                                  struct cm_config *config, struct cm_error *err)
{
    enum cm_status status = cli_machine_config(machine, config, err);
    for (uint32_t i = 0; status == CM_OK && i < values->sets.count; i++)
        status = cm_config_set(config, values->sets.items[i], err);
    return status;
}

/* The machine has so many nodes, and memory for the array. */
static enum cm_status check_fit(const struct job *job, const struct cm_config *config,
                                uint32_t nodes, struct cm_error *err)
{
    uint64_t most = UINT64_C(1) << config->network_dimensions;
    uint64_t elements = cli_shape_size(&job->from) / nodes, slices = cm_type_slices(job->type);
    if (nodes > most || (nodes & (nodes - 1)) != 0) {
        if (nodes > most)
            cm_error_set(err, CM_BAD_INPUT,
                         "--nodes is %" PRIu32 ", but the machine %s has at most %" PRIu64, nodes,
                         config->name, most);
        else
            cm_error_set(err, CM_BAD_INPUT, "--nodes is %" PRIu32 ", expected a power of two",
                         nodes);
        return cm_error_hint(err, "a power of two from 1 to %" PRIu64, most);
    }
    if (elements <= config->memory_words / slices)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "%" PRIu64 " elements of %" PRIu64 " words a node; its memory has %" PRIu64
                 " words",
                 elements, slices, config->memory_words);
    return cm_error_hint(err, "use more nodes or a smaller shape");
}

/* What can be refused without a workload is refused here, where the options are what the message is
 * about. */
static enum cm_status check_job(const struct cli_values *values, const struct job *job,
                                const char *machine, struct cm_error *err)
{
    struct cm_config config;
    struct cm_reshape_plan plan;
    struct cm_reshape_task task = {.algorithm = job->algorithm,
                                   .order_count = job->order_count,
                                   .has_start = job->has_start,
                                   .start = job->start,
                                   .slices = cm_type_slices(job->type)};
    uint32_t nodes = job->nodes;
    memcpy(task.order, job->order, sizeof task.order);
    enum cm_status status = read_config(values, machine, &config, err);
    if (status == CM_OK && nodes == 0)
        nodes = UINT32_C(1) << config.network_dimensions;
    if (status == CM_OK)
        status = check_fit(job, &config, nodes, err);
    if (status == CM_OK)
        status = cm_allocation_create(job->from.lengths, job->from.rank, nodes, job->from_encoding,
                                      job->rule, job->processor_list, &task.from, err);
    if (status == CM_OK)
        status = cm_allocation_create(job->to.lengths, job->to.rank, nodes, job->to_encoding,
                                      job->consistent ? job->rule : CM_PROCESSOR_LIST,
                                      job->consistent ? job->processor_list : task.from.processor,
                                      &task.to, err);
    if (status == CM_OK) {
        status = cm_reshape_plan_elements(&task, &plan, err);
        cm_reshape_plan_finish(&plan);
    }
    return status;
}

static int run_job(const struct cli_values *values, struct job *job, struct cm_buffer *text)
{
    char buffer[1024];
    struct cm_error err;
    struct cm_workload *workload = NULL;
    memset(&err, 0, sizeof err);
    const char *machine = cli_machine_path(values, buffer, sizeof buffer);
    enum cm_status status = fit_rank("from", &job->from, &job->from_encoding, &err);
    if (status == CM_OK)
        status = fit_rank("to", &job->to, &job->to_encoding, &err);
    if (status != CM_OK)
        return cli_error(&err);
    if (check_job(values, job, machine, &err) != CM_OK)
        return cli_error(&err);
    append_workload(text, values, job, machine);
    if (values->emit)
        return cli_write(text);
    if (!cm_buffer_ok(text))
        return cli_usage("reshape", "out of memory");
    status = cm_workload_parse("reshape", text->data, text->length, &workload, &err);
    const struct cli_job task = {.workload = workload, .builtin = machine == NULL};
    int code = status == CM_OK ? cli_run_workload(values, &task) : cli_error(&err);
    cm_workload_destroy(workload);
    return code;
}

static int reshape(const struct cli_values *values)
{
    struct job job;
    struct cm_error err;
    struct cm_buffer text;
    memset(&err, 0, sizeof err);
    if (values->from == NULL || values->to == NULL)
        return cli_usage("reshape", "--%s is missing", values->from == NULL ? "from" : "to");
    const char *other = values->json            ? "json"
                        : values->stats != NULL ? "stats"
                        : values->saves.count   ? "save"
                        : values->emit          ? "emit"
                                                : NULL;
    if (values->reshape_table && other != NULL)
        return cli_usage("reshape", "--table runs nothing: it cannot go with --%s", other);
    cm_buffer_init(&text);
    int code = 0;
    if (read_job(values, &job, &err) != CM_OK)
        code = cli_error(&err);
    else if (!values->reshape_table)
        code = run_job(values, &job, &text);
    else if (append_table(&text, &job, &err) != CM_OK)
        code = cli_error(&err);
    else
        code = cli_write(&text);
    cm_buffer_finish(&text);
    return code;
}

static const struct cli_option options[] = {
    {"from", 0, CLI_STRING, "SHAPE", "the shape before, most significant axis first: 32x4x16x8",
     CLI_OPTION(from), 0, 0},
    {"to", 0, CLI_STRING, "SHAPE", "the shape after", CLI_OPTION(to), 0, 0},
    {"algorithm", 0, CLI_STRING, "NAME",
     "auto (default), rotate, two-path, pipeline or gray-binary", CLI_OPTION(algorithm), 0, 0},
    {"processor-dimensions", 0, CLI_STRING, "WHICH",
     "high (default), canonical, or a list as in 14,13,12;\nthe others lie in memory",
     CLI_OPTION(processor_dimensions), 0, 0},
    {"encoding", 0, CLI_STRING, "CODE",
     "gray (default): whole axes; binary; or mixed: Gray on the\nprocessor part of an axis",
     CLI_OPTION(encoding), 0, 0},
    {"order", 0, CLI_STRING, "LIST", "the dimensions to exchange, in this order: 10,6,4,2",
     CLI_OPTION(order), 0, 0},
    {"start", 0, CLI_STRING, "DIMENSION",
     "gray-binary: all elements go through the dimensions from this\none on; without it a data set "
     "begins in each",
     CLI_OPTION(start), 0, 0},
    {"consistent", 0, CLI_FLAG, NULL,
     "afterwards lay the new shape out by the same rule as the old;\nelse its dimensions stay "
     "where they are",
     CLI_OPTION(consistent), 0, 0},
    {"type", 0, CLI_STRING, "TYPE", "of an element; real64 by default", CLI_OPTION(type), 0, 0},
    {"table", 0, CLI_FLAG, NULL, "print which element each address holds after each exchange",
     CLI_OPTION(reshape_table), 0, 0},
    {"emit", 0, CLI_FLAG, NULL, "print the workload that the options stand for; run nothing",
     CLI_OPTION(emit), 0, 0},
};
static const struct cli_option_set option_set = {options, sizeof options / sizeof *options};

const struct cli_command cli_command_reshape = {
    .name = "reshape",
    .summary = "reshape an array on the cube; count its steps",
    .operands = "--from SHAPE --to SHAPE",
    .operands_min = 0,
    .operands_max = 0,
    .about =
        "Moves an array of random elements from one shape to another by the algorithms of "
        "Johnsson\n"
        "and Ho (1990), and checks where every element came to lie. Shapes are written as in the\n"
        "paper, the most significant axis first; every axis is a power of two.",
    .examples =
        "  cm200 reshape --from 32x4x16x8 --to 8x4x16x32 --nodes 512\n"
        "  cm200 reshape --from 32x4x16x8 --to 8x4x16x32 --nodes 512 --algorithm two-path --json\n"
        "  cm200 reshape --from 16 --to 2x2x2x2 --order 2,1,0 --table\n"
        "  cm200 reshape --from 16 --to 2x2x2x2 --algorithm gray-binary --table\n"
        "  cm200 reshape --from 64 --to 2x2x2x2x2x2 --nodes 16 --algorithm gray-binary --start 3\n"
        "  cm200 reshape --from 64x64 --to 4096 --nodes 16 --processor-dimensions canonical\\\n"
        "    --encoding mixed --consistent --emit\n",
    .sets = {&cli_machine_options, &cli_run_options, &option_set},
    .run = reshape,
};
