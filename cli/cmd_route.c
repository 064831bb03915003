/* cm200 route: a pattern of traffic through the router. */
#include "network.h"

static const struct cli_option options[] = {
    {"pattern", 'p', CLI_STRING, "NAME",
     "shift, bit-reversal, transpose, complement, shuffle, tornado, butterfly,\nneighbour, random, "
     "hot-spot, all-to-all, list",
     CLI_OPTION(pattern), 0, 0},
    {"routing", 'r', CLI_STRING, "NAME", "e-cube (the default), valiant or adaptive",
     CLI_OPTION(routing), 0, 0},
    {"order", 0, CLI_STRING, "NAME",
     "of e-cube's dimensions: ascending (the default) or descending", CLI_OPTION(order), 0, 0},
    {"switching", 0, CLI_STRING, "NAME", "store-and-forward, cut-through (the default) or wormhole",
     CLI_OPTION(switching), 0, 0},
    {"words", 0, CLI_STRING, "M", "32-bit words of a packet, 1 by default", CLI_OPTION(words), 0,
     0},
    {"channels", 0, CLI_STRING, "N", "of a dimension: 1 or 2; the machine's when missing",
     CLI_OPTION(channels), 0, 0},
    {"buffer", 0, CLI_STRING, "WORDS", "at the end of each channel; the machine's when missing",
     CLI_OPTION(buffer), 0, 0},
    {"rate", 0, CLI_STRING, "R",
     "open loop: words that a node sends in a word time, 0 < R <= 1;\nFIRST:LAST:STEP: one rate "
     "after the other, as far as saturation;\none batch when missing",
     CLI_OPTION(rate), 0, 0},
    {"past-saturation", 0, CLI_FLAG, NULL, "go on with rates beyond saturation",
     CLI_OPTION(past_saturation), 0, 0},
    {"warmup", 0, CLI_STRING, "N", "open loop: word times before it is measured, 1000 by default",
     CLI_OPTION(warmup), 0, 0},
    {"measure", 0, CLI_STRING, "N", "open loop: word times measured, 4000 by default",
     CLI_OPTION(measure), 0, 0},
    {"limit", 0, CLI_STRING, "N", "word times after which the run is given up", CLI_OPTION(limit),
     0, 0},
    {"seed", 0, CLI_STRING, "N", "of random destinations and of Valiant's nodes, 0 by default",
     CLI_OPTION(seed), 0, 0},
    {"by", 0, CLI_STRING, "Q", "of the pattern shift", CLI_OPTION(by), 0, 0},
    {"hot", 0, CLI_STRING, "NODE", "of the pattern hot-spot, 0 by default", CLI_OPTION(hot), 0, 0},
    {"list", 0, CLI_STRING, "FILE.csv", "of the pattern list: lines source,destination[,time]",
     CLI_OPTION(list), 0, 0},
    {"ts", 0, CLI_STRING, "T", "start-up time, for the textbook's units", CLI_OPTION(ts), 0, 0},
    {"tw", 0, CLI_STRING, "T", "time of a word", CLI_OPTION(tw), 0, 0},
    {"th", 0, CLI_STRING, "T", "time of a hop", CLI_OPTION(th), 0, 0},
    {"heatmap", 0, CLI_FLAG, NULL, "print words by node and dimension", CLI_OPTION(heatmap), 0, 0},
    {"csv", 0, CLI_STRING, "FILE", "write what each channel did, or what each rate came to",
     CLI_OPTION(csv), 0, 0},
    {"packets", 0, CLI_STRING, "FILE",
     "write each packet's latency, split into queueing, header and body", CLI_OPTION(packets), 0,
     0},
    {"emit", 0, CLI_FLAG, NULL, "print the workload that this stands for, run nothing",
     CLI_OPTION(emit), 0, 0},
};
static const struct cli_option_set option_set = {options, sizeof options / sizeof *options};

static const struct cli_member members[] = {
    {"pattern", CLI_MEMBER_NAME, CLI_OPTION(pattern)},
    {"by", CLI_MEMBER_INTEGER, CLI_OPTION(by)},
    {"hot", CLI_MEMBER_INTEGER, CLI_OPTION(hot)},
    {"list", CLI_MEMBER_NAME, CLI_OPTION(list)},
    {"words", CLI_MEMBER_INTEGER, CLI_OPTION(words)},
    {"routing", CLI_MEMBER_NAME, CLI_OPTION(routing)},
    {"order", CLI_MEMBER_NAME, CLI_OPTION(order)},
    {"switching", CLI_MEMBER_NAME, CLI_OPTION(switching)},
    {"channels", CLI_MEMBER_INTEGER, CLI_OPTION(channels)},
    {"buffer", CLI_MEMBER_INTEGER, CLI_OPTION(buffer)},
    {"seed", CLI_MEMBER_INTEGER, CLI_OPTION(seed)},
    {"warmup", CLI_MEMBER_INTEGER, CLI_OPTION(warmup)},
    {"measure", CLI_MEMBER_INTEGER, CLI_OPTION(measure)},
    {"limit", CLI_MEMBER_INTEGER, CLI_OPTION(limit)},
    {"ts", CLI_MEMBER_REAL, CLI_OPTION(ts)},
    {"tw", CLI_MEMBER_REAL, CLI_OPTION(tw)},
    {"th", CLI_MEMBER_REAL, CLI_OPTION(th)},
};

static int run(const struct cli_values *values)
{
    struct cm_buffer text;
    if (values->pattern == NULL)
        return cli_usage("route", "--pattern is missing");
    cli_network_begin(values, "route", values->pattern, values->nodes, &text);
    if (cli_network_members(values, "route", members, sizeof members / sizeof *members, &text) !=
            CM_OK ||
        cli_network_rate(values, "route", &text) != CM_OK) {
        cm_buffer_finish(&text);
        return cm_status_exit_code(CM_USAGE);
    }
    if (values->past_saturation)
        cm_buffer_printf(&text, ", \"past_saturation\": true");
    return cli_network_finish(values, "route", &text);
}

const struct cli_command cli_command_route = {
    .name = "route",
    .summary = "traffic through the router: latency, load, congestion",
    .operands = "",
    .about =
        "Sends packets between the nodes over the one-bit channels: one batch of a pattern, or, "
        "with --rate,\npackets at random times (open loop), which gives latency against load. "
        "Prints how long they took and\nwhere the channels congest. A word time is what one word "
        "takes over a channel.",
    .examples =
        "  cm200 route --nodes 2048 --pattern bit-reversal --words 8 --channels 1\n"
        "  cm200 route --nodes 2048 --pattern bit-reversal --words 8 --routing valiant\n"
        "  cm200 route --nodes 256 --pattern random --rate 0.3 --words 8 --switching wormhole\n"
        "  cm200 route --nodes 256 --pattern random --rate 0.1:1:0.1 --words 8 --csv load.csv\n"
        "  cm200 route --nodes 64 --pattern transpose --heatmap --csv channels.csv\n",
    .sets = {&cli_machine_options, &option_set, &cli_run_options},
    .run = run,
};
