/* cm200 shift: a circular q-shift by a method of the textbook. */
#include "network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"by", 0, CLI_STRING, "Q", "label i sends to (i + Q) mod p; 0 < Q < p", CLI_OPTION(by), 0, 0},
    {"topology", 0, CLI_STRING, "NAME", "ring, mesh or hypercube (the default)",
     CLI_OPTION(topology), 0, 0},
    {"shape", 0, CLI_STRING, "RxC", "rows and columns of the mesh; square when missing",
     CLI_OPTION(shape), 0, 0},
    {"method", 0, CLI_STRING, "NAME",
     "on the hypercube: phases (forward only, the default), signed\n(forward and backward), e-cube "
     "(through the router)",
     CLI_OPTION(method), 0, 0},
    {"labels", 0, CLI_STRING, "NAME", "of e-cube: binary (the default) or gray", CLI_OPTION(labels),
     0, 0},
    {"words", 0, CLI_STRING, "M", "32-bit words of a message, 1 by default", CLI_OPTION(words), 0,
     0},
    {"ts", 0, CLI_STRING, "T", "start-up time of a message, for the textbook's units",
     CLI_OPTION(ts), 0, 0},
    {"tw", 0, CLI_STRING, "T", "time of a word", CLI_OPTION(tw), 0, 0},
    {"th", 0, CLI_STRING, "T", "time of a hop, for e-cube", CLI_OPTION(th), 0, 0},
    {"table", 0, CLI_FLAG, NULL, "print who holds whose message after each step, or e-cube's paths",
     CLI_OPTION(shift_table), 0, 0},
    {"heatmap", 0, CLI_FLAG, NULL, "print words by node and dimension", CLI_OPTION(heatmap), 0, 0},
    {"csv", 0, CLI_STRING, "FILE", "write what each channel did", CLI_OPTION(csv), 0, 0},
    {"packets", 0, CLI_STRING, "FILE",
     "e-cube: write each packet's latency, split into queueing, header and body",
     CLI_OPTION(packets), 0, 0},
    {"emit", 0, CLI_FLAG, NULL, "print the workload that this stands for, run nothing",
     CLI_OPTION(emit), 0, 0},
};
static const struct cli_option_set option_set = {options, sizeof options / sizeof *options};

static const struct cli_member members[] = {
    {"by", CLI_MEMBER_INTEGER, CLI_OPTION(by)},
    {"topology", CLI_MEMBER_NAME, CLI_OPTION(topology)},
    {"words", CLI_MEMBER_INTEGER, CLI_OPTION(words)},
    {"method", CLI_MEMBER_NAME, CLI_OPTION(method)},
    {"labels", CLI_MEMBER_NAME, CLI_OPTION(labels)},
    {"ts", CLI_MEMBER_REAL, CLI_OPTION(ts)},
    {"tw", CLI_MEMBER_REAL, CLI_OPTION(tw)},
    {"th", CLI_MEMBER_REAL, CLI_OPTION(th)},
};

static uint64_t power_of_two_for(uint64_t count)
{
    uint64_t power = 1;
    while (power < count && power < UINT64_C(1) << 32)
        power *= 2;
    return power;
}

/* "4x8"; zeros, which the workload refuses, when it is something else. */
static bool read_shape(const char *text, unsigned *rows, unsigned *columns)
{
    char end;
    return sscanf(text, "%5u%*1[xX]%5u%c", rows, columns, &end) == 2;
}

/* Rings and meshes that are no power of two lie on a larger cube than they have nodes; it must fit
 * the machine. */
static enum cm_status check_cube(const struct cli_values *values, uint64_t cube,
                                 struct cm_error *err)
{
    char path[1024];
    struct cm_config config;
    if (values->emit || cube == values->nodes)
        return CM_OK;
    enum cm_status status =
        cli_machine_config(cli_machine_path(values, path, sizeof path), &config, err);
    for (uint32_t i = 0; status == CM_OK && i < values->sets.count; i++)
        status = cm_config_set(&config, values->sets.items[i], err);
    uint64_t most = status == CM_OK ? UINT64_C(1) << config.network_dimensions : 0;
    if (status != CM_OK || cube <= most)
        return status;
    cm_error_set(err, CM_BAD_INPUT,
                 "%" PRIu64 " nodes lie on a cube of %" PRIu64
                 ", but the machine %s has at most %" PRIu64,
                 values->nodes, cube, config.name, most);
    return cm_error_hint(err, "each side of a ring or mesh takes a power of two of the cube");
}

/* What cannot be printed or written for this shift on so many nodes (0: the whole machine). */
static enum cm_status check_outputs(const struct cli_values *values, uint64_t nodes,
                                    struct cm_error *err)
{
    bool routed = values->method != NULL && strcmp(values->method, "e-cube") == 0;
    if (values->shift_table && (nodes == 0 || nodes > CM_NETWORK_TABLE_NODES_MAX)) {
        cm_error_set(err, CM_BAD_INPUT, "--table is for at most %u nodes",
                     CM_NETWORK_TABLE_NODES_MAX);
        return cm_error_hint(err, "give --nodes: a longer table is not for reading");
    }
    if (values->packets == NULL || routed)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT, "--packets is for packets of the router; here are none");
    return cm_error_hint(err, "take --method e-cube");
}

static int run(const struct cli_values *values)
{
    struct cm_buffer text;
    struct cm_error err;
    char name[80];
    unsigned rows = 0, columns = 0;
    uint64_t cube = power_of_two_for(values->nodes);
    bool mesh = values->topology != NULL && strcmp(values->topology, "mesh") == 0;
    if (values->by == NULL)
        return cli_usage("shift", "--by is missing");
    if (values->packets != NULL &&
        (values->method == NULL || strcmp(values->method, "e-cube") != 0))
        return cli_usage("shift", "--packets needs --method e-cube: the others send no packets");
    if (values->shape != NULL && !read_shape(values->shape, &rows, &columns))
        return cli_usage("shift", "--shape is \"%s\", expected rows and columns, as in 4x8",
                         values->shape);
    while (mesh && values->shape == NULL && (uint64_t)rows * rows < values->nodes)
        columns = ++rows;
    if (mesh && rows > 0)
        cube = power_of_two_for(rows) * power_of_two_for(columns);
    memset(&err, 0, sizeof err);
    if (check_outputs(values, values->nodes != 0 ? values->nodes : (uint64_t)rows * columns,
                      &err) != CM_OK ||
        check_cube(values, cube, &err) != CM_OK)
        return cli_error(&err);
    snprintf(name, sizeof name, "circular %.20s-shift", values->by);
    cli_network_begin(values, "shift", name, values->nodes == 0 && !mesh ? 0 : cube, "", &text);
    if (cli_network_members(values, "shift", members, sizeof members / sizeof *members, &text) !=
        CM_OK) {
        cm_buffer_finish(&text);
        return cm_status_exit_code(CM_USAGE);
    }
    if (values->nodes != 0)
        cm_buffer_printf(&text, ", \"nodes\": %" PRIu64, values->nodes);
    if (values->shape != NULL)
        cm_buffer_printf(&text, ", \"shape\": [%u, %u]", rows, columns);
    return cli_network_finish(values, "shift", &text);
}

const struct cli_command cli_command_shift = {
    .name = "shift",
    .summary = "a circular q-shift on ring, mesh or hypercube",
    .operands = "",
    .about =
        "Every node of p sends a message to the node q labels further on, by a method of the "
        "textbook\n(Grama et al., 4.6). Rings and meshes lie on the hypercube by Gray code, and "
        "may have any\neven size, or a side of 1, that fits the cube. Messages are real and "
        "checked. Prints the steps,\nthe time, and the channels' load.",
    .examples = "  cm200 shift --nodes 16 --by 5 --topology mesh --table\n"
                "  cm200 shift --nodes 16 --by 5 --topology ring --words 32\n"
                "  cm200 shift --nodes 8 --by 6 --method signed --ts 10 --tw 1\n"
                "  cm200 shift --nodes 64 --by 21 --method e-cube --labels gray --heatmap\n",
    .sets = {&cli_machine_options, &option_set, &cli_run_options},
    .run = run,
};
