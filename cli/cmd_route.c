/* cm200 route: sends a pattern of traffic through the router. */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATES_MAX 1000u /* most rates of a step */

struct route_values {
    struct cli_step_values step;
    struct cli_network_values network;
    const char *pattern, *routing, *order, *switching, *words, *channels, *buffer, *rate, *warmup;
    const char *measure, *limit, *seed, *by, *hot, *list, *array, *type, *ts, *tw, *th;
    bool past_saturation;
};

/* Writes the rates FIRST:LAST:STEP, as "0.05:0.95:0.05". */
static int write_rates(struct cli_step *step, const struct shell_option *option, const char *text)
{
    static const char hint[] = "FIRST:LAST:STEP with at most 1000 rates, as in 0.1:1:0.1";
    double first, last, between;
    char end;
    if (strspn(text, "0123456789.:-") != strlen(text) ||
        /* The numbers are bounded below. NOLINTNEXTLINE(cert-err34-c) */
        sscanf(text, "%lf:%lf:%lf%c", &first, &last, &between, &end) != 3)
        return cli_step_expected(step, option, text, "a number, or FIRST:LAST:STEP", NULL);
    if (between <= 0)
        return cli_step_expected(step, option, text, "a step above 0", hint);
    if (last < first)
        return cli_step_expected(step, option, text, "a last rate that is not below the first",
                                 hint);
    if ((last - first) / between > RATES_MAX - 1)
        return cli_step_expected(step, option, text, "at most 1000 rates", hint);
    cm_json_write_compact(&step->json, true);
    cm_json_write_list(&step->json, "rates");
    /* Sums of steps may exceed the last rate a little, which is still taken. */
    for (uint32_t i = 0; first + i * between <= last + between * 1e-6; i++)
        cm_json_write_rounded(&step->json, NULL, first + i * between, 10);
    cm_json_write_end(&step->json);
    cm_json_write_compact(&step->json, false);
    return 0;
}

static int write_rate(struct cli_step *step, const struct shell_option *option, const char *text)
{
    char *end;
    double rate = strtod(text, &end);
    if (*end != '\0' || strspn(text, "0123456789.-+eE") != strlen(text))
        return write_rates(step, option, text);
    cm_json_write_f64(&step->json, option->member->key, rate);
    return 0;
}

#define OPTION(member) offsetof(struct route_values, member)
#define STEP(...)      CLI_STEP_OPTION(struct route_values, __VA_ARGS__)

static const struct shell_option options[] = {
    STEP(pattern, "NAME", .letter = 'p', .required = true),
    STEP(routing, "NAME", .letter = 'r'),
    STEP(order, "NAME"),
    STEP(switching, "NAME"),
    STEP(words, "M"),
    STEP(channels, "N"),
    STEP(buffer, "WORDS"),
    {"rate", SHELL_STRING, OPTION(rate), .argument = "R",
     CLI_MEMBER("rate", CLI_IN_STEP, .write = write_rate),
     .help = "open loop: words that a node sends in a word time, 0 < R <= 1;\n"
             "FIRST:LAST:STEP: one rate after the other, up to saturation;\nwithout it, one batch"},
    {"past-saturation", SHELL_FLAG, OPTION(past_saturation),
     CLI_MEMBER("past_saturation", .place = CLI_IN_STEP)},
    STEP(warmup, "N"),
    STEP(measure, "N"),
    STEP(limit, "N"),
    STEP(seed, "N"),
    STEP(by, "Q"),
    STEP(hot, "NODE"),
    {"list", SHELL_INPUT, OPTION(list), .argument = "FILE.csv",
     CLI_MEMBER("list", .place = CLI_IN_STEP)},
    {"array", SHELL_STRING, OPTION(array), .argument = "SHAPE",
     CLI_MEMBER("shape", CLI_IN_ARRAY, .form = CLI_SHAPE),
     .help = "send each node's block of an array, most significant axis first: 64x64;\n"
             "the pattern must be a permutation"},
    {"type", SHELL_STRING, OPTION(type), .argument = "TYPE",
     CLI_MEMBER("type", CLI_IN_ARRAY, .fallback = "real64"),
     .help = "of the array's elements; real64 by default"},
    STEP(ts, "T"),
    STEP(tw, "T"),
    STEP(th, "T"),
    {"heatmap", SHELL_FLAG, OPTION(network.heatmap), .help = "print words by node and dimension"},
    {"csv", SHELL_OUTPUT, OPTION(network.csv), .argument = "FILE",
     .help = "write the counts of each channel, or the results of each rate"},
    {"packets", SHELL_OUTPUT, OPTION(network.packets), .argument = "FILE",
     .help = "write each packet's latency, split into queueing, header and body"},
    {"emit", SHELL_FLAG, OPTION(step.emit),
     .help = "print the workload that the options make; run nothing"},
};

static int run(const void *all)
{
    const struct route_values *values = all;
    struct cli_step step = {
        .command = &cli_command_route,
        .values = &values->step,
        .kind = &cm_step_route,
        .name = values->pattern,
        .nodes = values->step.machine.nodes,
        .moves = true,
        .job = {.text = cli_network_text, .files = cli_network_files, .context = &values->network},
    };
    return cli_step_run(&step);
}

const struct cli_command cli_command_route = {
    .syntax = {.command = "route",
               .operands = "",
               .sets = {SHELL_SET(cli_machine_options, OPTION(step.machine)), SHELL_SET(options, 0),
                        SHELL_SET(cli_run_options, OPTION(step.run))}},
    .summary = "send traffic through the router: latency, load, congestion",
    .about = "Sends packets between the nodes over the one-bit channels: one batch of a pattern, "
             "or, with --rate, packets at random times (open loop), which gives latency against "
             "load. Prints how long they took and where channels are congested. A word time is the "
             "time that one word takes over a channel.",
    .examples = "  cm200 route --nodes 2048 --pattern bit-reversal --words 8 --channels 1\n"
                "  cm200 route --nodes 2048 --pattern bit-reversal --words 8 --routing valiant\n"
                "  cm200 route --nodes 256 --pattern random --rate 0.3 --words 8 \\\n"
                "      --switching wormhole\n"
                "  cm200 route --nodes 256 --pattern random --rate 0.1:1:0.1 --words 8 \\\n"
                "      --csv load.csv\n"
                "  cm200 route --nodes 64 --pattern transpose --heatmap --csv channels.csv\n"
                "  cm200 route --nodes 64 --pattern bit-reversal --array 64x64 --words 2\n",
    .values_size = sizeof(struct route_values),
    .run = run,
    .kinds = {&cm_step_route},
};
