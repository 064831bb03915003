/* cm200 shift: makes a workload of a circular q-shift by a method of a textbook on parallel
 * computing, and runs it, or makes a table of shifts. */
#include "../programs/network/network.h"
#include "shift_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct shift_values {
    struct cli_step_values step;
    struct cli_network_values network;
    const char *by, *topology, *shape, *method, *labels, *words, *ts, *tw, *th, *figure;
};

#define OPTION(member) offsetof(struct shift_values, member)
#define STEP(...)      CLI_STEP_OPTION(struct shift_values, __VA_ARGS__)

static const struct shell_option options[] = {
    STEP(by, "Q", .required = true,
         .help = "label i sends to (i + Q) mod nodes; FIRST:LAST[:STEP] with both ends, or "
                 "all: a table of these shifts"),
    STEP(topology, "NAME"),
    {"shape", SHELL_STRING, OPTION(shape), .argument = "RxC",
     CLI_MEMBER("shape", CLI_IN_STEP, .form = CLI_ROWS),
     .help = "rows and columns of the mesh; default: a square mesh"},
    STEP(method, "NAME",
         .help = "on the hypercube: phases forward only (default), signed phases, or e-cube "
                 "through the router; on a mesh: forward only, or in the shorter "
                 "direction (default). In a table: all (default), or some of ring, "
                 "mesh-forward, mesh, linear, phases, signed, e-cube, e-cube-gray"),
    STEP(labels, "NAME"),
    STEP(words, "M"),
    STEP(ts, "T"),
    STEP(tw, "T"),
    STEP(th, "T"),
    {"table", SHELL_FLAG, OPTION(network.table),
     .help = "print which messages each node holds after each step, or the paths of e-cube"},
    {"heatmap", SHELL_FLAG, OPTION(network.heatmap), .help = "print words by node and dimension"},
    {"csv", SHELL_OUTPUT, OPTION(network.csv), .argument = "FILE",
     .help = "write the counts of each channel; of a table its rows"},
    {"figure", SHELL_OUTPUT, OPTION(figure), .argument = "FILE",
     .help = "draw a table's cycles by q, a line for each method, as .svg or .pdf"},
    {"packets", SHELL_OUTPUT, OPTION(network.packets), .argument = "FILE",
     .help = "e-cube: write each packet's latency, split into queueing, header and body"},
    {"emit", SHELL_FLAG, OPTION(step.emit),
     .help = "print the workload that the options make; run nothing"},
};

static uint64_t power_of_two_for(uint64_t count)
{
    uint64_t power = 1;
    while (power < count && power < UINT64_C(1) << 32)
        power *= 2;
    return power;
}

/* Returns the number of nodes of the hypercube that holds a ring or a mesh: each side is rounded up
 * to a power of two. Stores in *nodes the number of nodes of the ring or mesh. 0: neither --nodes
 * nor --shape is given. */
static uint64_t choose_cube(const struct shift_values *values, uint64_t *nodes)
{
    uint64_t sides[2] = {0, 0};
    bool mesh = values->topology != NULL && strcmp(values->topology, "mesh") == 0;
    *nodes = values->step.machine.nodes;
    if (values->shape == NULL)
        while (mesh && sides[0] * sides[0] < *nodes)
            sides[1] = ++sides[0];
    else if (shell_read_numbers(values->shape, 'x', sides, 2) != 2)
        mesh = false; /* the reader of the workload refuses the text */
    if (!mesh || sides[0] == 0)
        return *nodes == 0 ? 0 : power_of_two_for(*nodes);
    uint64_t rows = power_of_two_for(sides[0]), columns = power_of_two_for(sides[1]);
    if (*nodes == 0)
        *nodes = sides[0] * sides[1];
    return rows < UINT32_MAX / columns ? rows * columns : UINT32_MAX;
}

/* Refuses options that a table of shifts does not use, and options of a table if no table is made.
 */
static int check_table(const struct shift_values *values, bool table)
{
    const char *idle = values->topology != NULL          ? "topology"
                       : values->labels != NULL          ? "labels"
                       : values->network.heatmap         ? "heatmap"
                       : values->network.packets != NULL ? "packets"
                                                         : NULL;
    if (!table && values->figure != NULL)
        return shell_usage("shift", "--figure is for a table: --by all or FIRST:LAST");
    if (table && idle != NULL && (values->topology != NULL || values->labels != NULL))
        return shell_usage("shift",
                           "--%s is for one shift; a table takes --method all, or names as "
                           "in --method ring,mesh,e-cube-gray",
                           idle);
    if (table && idle != NULL)
        return shell_usage("shift", "--%s is for one shift, not for a table of them", idle);
    return 0;
}

static int run_table(const struct shift_values *values)
{
    const struct cli_shift_values table = {
        .step = &values->step,
        .by = values->by,
        .method = values->method,
        .shape = values->shape,
        .words = values->words,
        .ts = values->ts,
        .tw = values->tw,
        .th = values->th,
        .csv = values->network.csv,
        .figure = values->figure,
        .paths = values->network.table,
    };
    return cli_shift_table(&table);
}

static int run(const void *all)
{
    const struct shift_values *values = all;
    bool table = !CM_FOR_A_PAGE && cli_shift_is_table(values->by, values->method);
    int code = check_table(values, table);
    if (code != 0 || table)
        return code == 0 ? run_table(values) : code;
    char name[80], cube[120];
    uint64_t nodes;
    struct cli_step step = {
        .command = &cli_command_shift,
        .values = &values->step,
        .kind = &cm_step_shift,
        .name = name,
        .nodes = choose_cube(values, &nodes),
        .step_nodes = values->step.machine.nodes,
        .job = {.text = cli_network_text, .files = cli_network_files, .context = &values->network},
    };
    if (values->network.packets != NULL &&
        (values->method == NULL || strcmp(values->method, "e-cube") != 0))
        return shell_usage("shift", "--packets needs --method e-cube: the others send no packets");
    if (values->network.table && (nodes == 0 || nodes > CM_NETWORK_TABLE_NODES_MAX))
        return shell_usage("shift", "--table is for at most %u nodes: give --nodes",
                           CM_NETWORK_TABLE_NODES_MAX);
    snprintf(name, sizeof name, "circular %.20s-shift", values->by);
    if (values->shape != NULL)
        snprintf(cube, sizeof cube, "--shape %.30s needs a cube of %" PRIu64 " nodes",
                 values->shape, step.nodes);
    else
        snprintf(cube, sizeof cube, "--nodes %" PRIu64 " needs a cube of %" PRIu64 " nodes", nodes,
                 step.nodes);
    step.cube = values->step.machine.nodes != step.nodes ? cube : NULL;
    return cli_step_run(&step);
}

const struct cli_command cli_command_shift = {
    .syntax = {.command = "shift",
               .operands = "",
               .sets = {SHELL_SET(cli_machine_options, OPTION(step.machine)), SHELL_SET(options, 0),
                        SHELL_SET(cli_run_options, OPTION(step.run))}},
    .summary = "run a circular q-shift on a ring, mesh or hypercube",
    .about =
        "Each of p nodes sends a message to the node q labels further on, by a method of the "
        "textbook (Grama et al., 4.6). Rings and meshes are mapped to the hypercube by Gray code; "
        "they may have any even size, or a side of 1, that fits the cube. Messages are real "
        "and checked. Prints the steps, the time, and the channels' load. --by all, or "
        "FIRST:LAST, prints a table of these shifts by all methods or some, next to the textbook's "
        "formulas; no data move for it.",
    .examples = "  cm200 shift --nodes 16 --by 5 --topology mesh --table\n"
                "  cm200 shift --nodes 16 --by 5 --topology ring --words 32\n"
                "  cm200 shift --nodes 8 --by 6 --method signed --ts 10 --tw 1\n"
                "  cm200 shift --nodes 64 --by 21 --method e-cube --labels gray --heatmap\n"
                "  cm200 shift --nodes 64 --by all --method all --csv shifts.csv --figure s.svg\n"
                "  cm200 shift --nodes 8 --by all --method e-cube --table\n",
    .values_size = sizeof(struct shift_values),
    .run = run,
    .kinds = {&cm_step_shift},
};
