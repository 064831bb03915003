/* cm200 route: makes a workload that sends a pattern of traffic through the router, and runs it. */
#include "../base/range.h"
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATES_MAX 1000u /* largest number of rates in a step */
/* tolerance of a search for saturation, unless the user gives another one */
#define TOLERANCE "1%"

struct route_values {
    struct cli_step_values step;
    struct cli_network_values network;
    const char *pattern, *routing, *order, *switching, *words, *channels, *buffer, *rate, *warmup;
    const char *until, *seeds;
    const char *measure, *limit, *seed, *by, *hot, *list, *array, *type, *ts, *tw, *th;
    const char *find_saturation, *without, *fail_random;
    const char *hot_nodes, *hot_share, *sizes, *burst;
    bool past_saturation;
};

/* Writes rates of traffic, given with commas between them, into the workload as a list of numbers.
 */
static void write_list(struct cli_step *step, const char *list)
{
    cm_json_write_compact(&step->json, true);
    cm_json_write_list(&step->json, "rates");
    for (const char *at = list; *at != '\0'; at += strspn(at, ",")) {
        char *end;
        cm_json_write_rounded(&step->json, NULL, strtod(at, &end), 15);
        at = end;
    }
    cm_json_write_end(&step->json);
    cm_json_write_compact(&step->json, false);
}

/* Writes the rates of traffic of a range FIRST:LAST:STEP, such as "0.05:0.95:0.05", into the
 * workload. */
static int write_rates(struct cli_step *step, const struct shell_option *option, const char *text)
{
    static const char hint[] =
        "FIRST:LAST:STEP with at most 1000 rates, both ends in, as in 0.1:1:0.1";
    struct cm_range range;
    struct cm_buffer list;
    struct cm_error err;
    enum cm_range_fault fault = cm_range_read(text, &range);
    if (fault == CM_RANGE_OTHER)
        return cli_step_expected(step, option, text, "a number, or FIRST:LAST:STEP", NULL);
    cm_buffer_init(&list);
    if (fault == CM_RANGE_GOOD)
        fault = cm_range_expand(&range, RATES_MAX, &list);
    if (fault == CM_RANGE_GOOD && cm_buffer_ok(&list))
        write_list(step, list.data);
    step->workload.failed = step->workload.failed || !cm_buffer_ok(&list);
    cm_buffer_finish(&list);
    if (fault == CM_RANGE_GOOD)
        return 0;
    cm_error_set(&err, CM_USAGE, "--rate %.100s: %s", text, cm_range_explain(fault));
    cm_error_hint(&err, "%s", hint);
    return shell_refuse("route", &err);
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

/* Writes a share, given as "2%" or 0.02, into the workload. */
static int write_share(struct cli_step *step, const struct shell_option *option, const char *text)
{
    char *end;
    double share = strtod(text, &end);
    const bool percent = end != text && strcmp(end, "%") == 0;
    if (end == text || (*end != '\0' && !percent) ||
        strspn(text, "0123456789.-+eE%") != strlen(text))
        return cli_step_expected(step, option, text, "a share, as in 1% or 0.01", NULL);
    cm_json_write_rounded(&step->json, option->member->key, percent ? share / 100 : share, 10);
    return 0;
}

/* Writes the tolerance of a search for saturation into the workload. If the option has no text, it
 * is 1 %. */
static int write_tolerance(struct cli_step *step, const struct shell_option *option,
                           const char *text)
{
    return write_share(step, option, text[0] != '\0' ? text : TOLERANCE);
}

/* Writes a text of one to three whole numbers, such as "3:1", into the workload as a list. Adds
 * *last to the list if `last` is not NULL. Returns false if the text has another form. */
static bool write_numbers(struct cli_step *step, const char *text, const double *last)
{
    uint64_t numbers[3];
    const uint32_t count = shell_read_numbers(text, ':', numbers, 3);
    cm_json_write_list(&step->json, NULL);
    for (uint32_t i = 0; i < count; i++)
        cm_json_write_u64(&step->json, NULL, numbers[i]);
    if (last != NULL)
        cm_json_write_rounded(&step->json, NULL, *last, 10);
    cm_json_write_end(&step->json);
    return count > 0;
}

/* Writes one element of an option's list into the workload: whole numbers such as "3:1" or, if
 * `has_share` is true, numbers and a share such as "2:0.5". Returns false for any other text. */
static bool write_element(struct cli_step *step, char *text, bool has_share)
{
    char *colon = strrchr(text, ':'), *end;
    if (!has_share)
        return write_numbers(step, text, NULL);
    if (colon == NULL)
        return false;
    *colon = '\0';
    const double share = strtod(colon + 1, &end);
    return *end == '\0' && end != colon + 1 && write_numbers(step, text, &share);
}

/* Writes an option's list, whose elements have commas between them, into the workload as a list of
 * lists. `wanted` describes an element for the error message. */
static int write_elements(struct cli_step *step, const struct shell_option *option,
                          const char *text, bool have_shares, const char *wanted)
{
    cm_json_write_compact(&step->json, true);
    cm_json_write_list(&step->json, option->member->key);
    for (const char *at = text;;) {
        char one[64];
        const size_t length = strcspn(at, ",");
        snprintf(one, sizeof one, "%.*s", length < sizeof one ? (int)length : 0, at);
        if (!write_element(step, one, have_shares))
            return cli_step_expected(step, option, text, wanted, "with commas between several");
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    cm_json_write_end(&step->json);
    cm_json_write_compact(&step->json, false);
    return 0;
}

/* Writes the option --without, which lists failed nodes, wires and channels, into the workload. */
static int write_without(struct cli_step *step, const struct shell_option *option, const char *text)
{
    return write_elements(step, option, text, false,
                          "NODE, NODE:DIMENSION or NODE:DIMENSION:CHANNEL, as in 3:1,5:0:1");
}

/* Writes the option --sizes, which lists sizes of messages and their shares, into the workload. */
static int write_sizes(struct cli_step *step, const struct shell_option *option, const char *text)
{
    return write_elements(step, option, text, true, "WORDS:SHARE, as in 2:0.5,16:0.5");
}

/* Writes the option --burst, the mean lengths of bursts and pauses such as "20:80", into the
 * workload. */
static int write_burst(struct cli_step *step, const struct shell_option *option, const char *text)
{
    uint64_t numbers[2];
    if (shell_read_numbers(text, ':', numbers, 2) != 2)
        return cli_step_expected(step, option, text, "ON:OFF, in word times, as in 20:80", NULL);
    cm_json_write_numbers(&step->json, option->member->key, numbers, 2);
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
     .help = "open loop: words that a node sends in a word time, 0 < R <= 1; "
             "FIRST:LAST:STEP: one rate after the other, up to saturation; without it, one batch"},
    {"past-saturation", SHELL_FLAG, OPTION(past_saturation),
     CLI_MEMBER("past_saturation", .place = CLI_IN_STEP)},
    {"find-saturation", SHELL_STRING, OPTION(find_saturation), .optional = true,
     .argument = "PERCENT", CLI_MEMBER("find_saturation", CLI_IN_STEP, .write = write_tolerance),
     .help = "find the rate at which the network saturates, by bisection, to "
             "PERCENT of it (1%)"},
    STEP(warmup, "N"),
    STEP(measure, "N"),
    {"until", SHELL_STRING, OPTION(until), .argument = "PERCENT",
     CLI_MEMBER("until", CLI_IN_STEP, .write = write_share),
     .help = "measure longer until half the 95 % interval of the mean latency is at most "
             "PERCENT of it, as in 2%"},
    STEP(seeds, "N"),
    STEP(limit, "N"),
    STEP(seed, "N"),
    STEP(by, "Q"),
    STEP(hot, "NODE"),
    {"hot-nodes", SHELL_STRING, OPTION(hot_nodes), .argument = "LIST",
     CLI_MEMBER("hot_nodes", CLI_IN_STEP, .form = CLI_NUMBERS),
     .help = "of the pattern hot-spot: several such nodes, with commas between them"},
    {"hot-share", SHELL_STRING, OPTION(hot_share), .argument = "PERCENT",
     CLI_MEMBER("hot_share", CLI_IN_STEP, .write = write_share),
     .help = "of the pattern hot-spot: share of packets that goes to hot nodes, as in 40%; 25% by "
             "default"},
    {"list", SHELL_INPUT, OPTION(list), .argument = "FILE.csv",
     CLI_MEMBER("list", .place = CLI_IN_STEP)},
    {"sizes", SHELL_STRING, OPTION(sizes), .argument = "LIST",
     CLI_MEMBER("sizes", CLI_IN_STEP, .write = write_sizes),
     .help = "sizes of messages, which are sent as packets of --words, and their shares: "
             "WORDS:SHARE, with commas between several"},
    {"burst", SHELL_STRING, OPTION(burst), .argument = "ON:OFF",
     CLI_MEMBER("burst", CLI_IN_STEP, .write = write_burst),
     .help = "mean word times in which a node creates messages, and of pauses between them"},
    {"without", SHELL_STRING, OPTION(without), .argument = "LIST",
     CLI_MEMBER("without", CLI_IN_STEP, .write = write_without),
     .help = "what has failed: NODE, NODE:DIMENSION (a wire out of it) or "
             "NODE:DIMENSION:CHANNEL, with commas between several"},
    {"fail-random", SHELL_STRING, OPTION(fail_random), .argument = "N",
     CLI_MEMBER("fail_random", .place = CLI_IN_STEP)},
    {"array", SHELL_STRING, OPTION(array), .argument = "SHAPE",
     CLI_MEMBER("shape", CLI_IN_ARRAY, .form = CLI_SHAPE),
     .help = "send each node's block of an array, most significant axis first: 64x64; "
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
    {"figure", SHELL_OUTPUT, OPTION(network.figure), .argument = "FILE",
     .help = "draw latency against load, of several rates, as .svg or .pdf"},
    {"title", SHELL_STRING, OPTION(network.title), .argument = "TEXT",
     .help = "above the figure, instead of pattern and nodes"},
    {"x-title", SHELL_STRING, OPTION(network.x_title), .argument = "TEXT",
     .help = "below its x axis, instead of the rate and its unit"},
    {"y-title", SHELL_STRING, OPTION(network.y_title), .argument = "TEXT",
     .help = "next to its y axis, instead of the latency and its unit"},
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
    bool several = values->find_saturation != NULL ||
                   (values->rate != NULL && strchr(values->rate, ':') != NULL);
    if (several && values->network.packets != NULL)
        return shell_usage("route", "--packets is for one batch or one rate: of several rates no "
                                    "packets are kept");
    int code = cli_network_figure_check(&values->network, several);
    return code != 0 ? code : cli_step_run(&step);
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
                "  cm200 route --nodes 64 --pattern transpose --rate 0.05:1:0.05 \\\n"
                "      --words 8 --figure load.svg\n"
                "  cm200 route --nodes 64 --pattern transpose --words 8 --find-saturation\n"
                "  cm200 route --nodes 64 --pattern complement --rate 0.7 --words 8 \\\n"
                "      --until 2% --seeds 5\n"
                "  cm200 route --nodes 64 --pattern transpose --words 8 \\\n"
                "      --without 3:1,5:0:1,9 --routing adaptive\n"
                "  cm200 route --nodes 64 --pattern transpose --heatmap --csv channels.csv\n"
                "  cm200 route --nodes 64 --pattern bit-reversal --array 64x64 --words 2\n",
    .values_size = sizeof(struct route_values),
    .run = run,
    .kinds = {&cm_step_route},
};
