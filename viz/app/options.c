/* The command line of cm200-view: table, help, and the values with a form of their own. */
#include "options.h"

#include "../model/names.h"

#include "../../base/suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION(member) offsetof(struct cm_view_options, member)

static const struct cli_option picture_options[] = {
    {"screenshot", 'o', CLI_STRING, "FILE.png", "draw one picture to a file; open no window",
     OPTION(screenshot), 0, 0},
    {"frames", 0, CLI_STRING, "FOLDER",
     "draw many, as FOLDER/frame-000000.png, ...; the folder is made\nif it is missing",
     OPTION(frames), 0, 0},
    {"from", 0, CLI_NUMBER, "CYCLE", "the frames' first cycle (0)", OPTION(from), 0, UINT64_MAX},
    {"to", 0, CLI_NUMBER, "CYCLE", "the cycle before which they end (the end of the run)",
     OPTION(to), 1, UINT64_MAX},
    {"every", 0, CLI_NUMBER, "CYCLES", "cycles from one frame to the next (1)", OPTION(every), 1,
     UINT64_MAX},
    {"size", 0, CLI_STRING, "WxH", "of the picture or the window, in points (1280x800)",
     OPTION(size), 0, 0},
    {"scale", 0, CLI_STRING, "N", "pixels a point: 1, 1.5, 2, ... 4 (1)", OPTION(scale), 0, 0},
};

static const struct cli_option view_options[] = {
    {"at-cycle", 'c', CLI_NUMBER, "CYCLE", "the cycle to show (the first one)", OPTION(at_cycle), 0,
     CM_VIEW_NO_CYCLE - 1},
    {"show", 0, CLI_STRING, "FIRST:END", "the cycles on the time axis (all)", OPTION(show), 0, 0},
    {"span", 0, CLI_STRING, "NAME",
     "what loads are summed over: now (the instruction), window, visible\n(the time axis); now",
     OPTION(span), 0, 0},
    {"panel", 'p', CLI_STRING, "NAME",
     "show one alone: "
#define CM_VIEW_PANEL(symbol, name) #name ", "
#include "../model/panels.def"
     "or all",
     OPTION(panel), 0, 0},
    {"layout", 0, CLI_STRING, "NAME", "of the machine: grid, heat, lamps; grid", OPTION(layout), 0,
     0},
    {"palette", 0, CLI_STRING, "NAME", "cividis, viridis, grey; cividis", OPTION(palette), 0, 0},
    {"pin", 0, CLI_STRING, "NODE", "inspect a node, or a channel: NODE:DIMENSION:CHANNEL",
     OPTION(pin), 0, 0},
    {"press", 0, CLI_STRING, "KEYS", "press keys at first, blanks between them: \"Space T P\"",
     OPTION(press), 0, 0},
    {"log-state", 0, CLI_STRING, "FILE",
     "write what is shown after each event, a line of JSON each", OPTION(log_state), 0, 0},
    {"keys", 0, CLI_FLAG, NULL, "print what the keys do", OPTION(keys), 0, 0},
    {"version", 0, CLI_FLAG, NULL, "print the version", OPTION(version), 0, 0},
};

static const struct cli_option run_options[] = {
    {"compare", 0, CLI_STRING, "FILE",
     "a second trace or workload: both side by side, and their difference", OPTION(compare), 0, 0},
    {"machine", 'm', CLI_STRING, "FILE", "the machine to run a workload on, instead of its own",
     OPTION(machine), 0, 0},
    {"set", 's', CLI_LIST, "PATH=VALUE",
     "change a number of the machine, as in memory.page_words=512;\nmay be given several times",
     OPTION(sets), 0, 0},
    {"nodes", 'n', CLI_NODES, "N", "nodes to use, a power of two", OPTION(nodes), 1, UINT32_MAX},
    {"threads", 't', CLI_NUMBER, "N", "threads of this host, all by default", OPTION(threads), 1,
     CM_THREADS_MAX},
    {"trace", 0, CLI_STRING, "FILE", "keep the trace of the workload that is run", OPTION(trace), 0,
     0},
    {"trace-window", 0, CLI_STRING, "A:B",
     "record every word on the wires, too, from cycle A until B of the\nworkload that is run",
     OPTION(trace_window), 0, 0},
};

#define SET_OF(table)                                                                              \
    {                                                                                              \
        table, sizeof(table) / sizeof *(table)                                                     \
    }
static const struct cli_option_set sets[] = {SET_OF(run_options), SET_OF(view_options),
                                             SET_OF(picture_options)};

static const struct cli_syntax syntax = {
    .command = NULL,
    .operands = "TRACE|WORKLOAD.json",
    .operands_min = 0, /* --keys and --version take none */
    .operands_max = 1,
    .sets = {&sets[0], &sets[1], &sets[2], NULL},
    .operands_offset = OPTION(operands),
    .help_offset = OPTION(help),
};

void cm_view_options_help(struct cm_buffer *text)
{
    cm_buffer_printf(
        text,
        "usage: cm200-view [OPTIONS] TRACE|WORKLOAD.json\n\n"
        "Shows what a run did, cycle by cycle: the cube and its channels, the machine, each "
        "dimension over\n"
        "time, what the sequencer does, where arrays lie. Opens a trace that cm200 run --trace "
        "wrote, or\n"
        "runs a workload first (- is standard input). In the window, h shows what the keys do.\n\n"
        "options:\n");
    cli_help_options(syntax.sets, text);
    cm_buffer_printf(
        text,
        "\nexamples:\n"
        "  cm200-view programs/examples/five-point-pshift.json\n"
        "  cm200-view five-point.trace\n"
        "  cm200-view pshift.trace --compare cshift.trace\n"
        "  cm200-view five-point.trace --screenshot out.png --at-cycle 1200 --panel cube\n"
        "  cm200-view five-point.trace --frames out --from 0 --to 2000 --every 20 --span window\n"
        "\nexit codes: 0 done; 1 a check of the workload failed; 2 wrong usage; 3 a bad trace or "
        "workload;\n4 input or output failed, or no display; 5 a fault of cm200-view; 130 "
        "interrupted\n");
}

/* Each reader returns 0, or prints the mistake and returns its exit code. */
static int read_choice(const char *option, const char *value, const char *const *names,
                       uint32_t *number)
{
    char list[128] = "";
    size_t count = 0, length = 0;
    if (value == NULL || cm_view_name_find(names, value, number))
        return 0;
    for (; names[count] != NULL && length < sizeof list; count++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                   count > 0 ? ", " : "", names[count]);
    const char *near = cm_suggest(value, names, count);
    if (near != NULL)
        return cli_usage(NULL, "--%s is \"%s\", expected one of %s; did you mean \"%s\"?", option,
                         value, list, near);
    return cli_usage(NULL, "--%s is \"%s\", expected one of %s", option, value, list);
}

static int read_choices(struct cm_view_options *options)
{
    options->panel_number = CM_VIEW_ALL;
    int code = read_choice("panel", options->panel, cm_view_panel_names, &options->panel_number);
    if (code == 0)
        code = read_choice("palette", options->palette, cm_view_colours_names,
                           &options->palette_number);
    if (code == 0)
        code =
            read_choice("layout", options->layout, cm_view_machine_names, &options->layout_number);
    if (code == 0)
        code = read_choice("span", options->span, cm_view_span_names, &options->span_number);
    return code;
}

/* Up to `most` integers with `separator` between them; returns how many, 0 for any other text. */
static uint32_t read_numbers(const char *text, char separator, uint64_t *numbers, uint32_t most)
{
    for (uint32_t count = 0; count < most; text++) {
        char *end;
        errno = 0;
        unsigned long long number = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || errno != 0)
            return 0;
        numbers[count++] = number;
        if (*end == '\0')
            return count;
        if (*end != separator)
            return 0;
        text = end;
    }
    return 0;
}

static bool is_size(uint64_t points)
{
    return points >= CM_VIEW_SIZE_MIN && points <= CM_VIEW_SIZE_MAX;
}

static int read_size(struct cm_view_options *options)
{
    uint64_t size[2] = {1280, 800};
    if (options->size != NULL &&
        (read_numbers(options->size, 'x', size, 2) != 2 || !is_size(size[0]) || !is_size(size[1])))
        return cli_usage(NULL, "--size is \"%s\", expected WIDTHxHEIGHT from %ux%u to %ux%u",
                         options->size, CM_VIEW_SIZE_MIN, CM_VIEW_SIZE_MIN, CM_VIEW_SIZE_MAX,
                         CM_VIEW_SIZE_MAX);
    options->width = (uint32_t)size[0];
    options->height = (uint32_t)size[1];
    return 0;
}

static int read_scale(struct cm_view_options *options)
{
    char *end = NULL;
    double scale = options->scale != NULL ? strtod(options->scale, &end) : 1;
    if (!(scale >= 1 && scale <= 4) || scale * 2 != (double)(int)(scale * 2) ||
        (end != NULL && *end != '\0'))
        return cli_usage(NULL, "--scale is \"%s\", expected 1, 1.5, 2, 2.5, 3, 3.5 or 4",
                         options->scale);
    options->points_scale = scale;
    double pixels = options->width * scale * options->height * scale;
    if (pixels > (double)CM_VIEW_PIXELS_MAX)
        return cli_usage(NULL, "the picture would have %.0f pixels, more than %" PRIu64, pixels,
                         CM_VIEW_PIXELS_MAX);
    return 0;
}

/* Two cycles, the first before the second; both 0 when the option is missing. */
static int read_interval(const char *option, const char *text, uint64_t *first, uint64_t *end)
{
    uint64_t cycles[2] = {0, 0};
    if (text != NULL && (read_numbers(text, ':', cycles, 2) != 2 || cycles[0] >= cycles[1]))
        return cli_usage(NULL, "--%s is \"%s\", expected FIRST:END, two cycles", option, text);
    *first = cycles[0];
    *end = cycles[1];
    return 0;
}

static int read_pin(struct cm_view_options *options)
{
    if (options->pin == NULL)
        return 0;
    options->pinned_count = read_numbers(options->pin, ':', options->pinned, 3);
    if (options->pinned_count == 1 || options->pinned_count == 3)
        return 0;
    return cli_usage(NULL, "--pin is \"%s\", expected NODE or NODE:DIMENSION:CHANNEL",
                     options->pin);
}

/* Options that need or exclude each other. */
static int check_together(const struct cm_view_options *options)
{
    if (options->operands.count == 0)
        return cli_usage(NULL, "TRACE|WORKLOAD.json is missing");
    if (options->screenshot != NULL && options->frames != NULL)
        return cli_usage(NULL, "--screenshot and --frames exclude each other");
    if (options->frames == NULL && (options->from != 0 || options->to != 0 || options->every != 0))
        return cli_usage(NULL, "--from, --to and --every are for --frames");
    if (options->frames != NULL && options->at_cycle != CM_VIEW_NO_CYCLE)
        return cli_usage(NULL, "--at-cycle is for one picture; frames begin at --from");
    if (options->to != 0 && options->to <= options->from)
        return cli_usage(NULL, "--to is not after --from");
    return 0;
}

enum cm_status cm_view_options_read(int argc, char **argv, struct cm_view_options *options)
{
    memset(options, 0, sizeof *options);
    options->at_cycle = CM_VIEW_NO_CYCLE;
    enum cm_status status = cli_parse_options(&syntax, argc, argv, options);
    if (status != CM_OK || options->help || options->version || options->keys)
        return status;
    bool good =
        check_together(options) == 0 && read_choices(options) == 0 && read_size(options) == 0 &&
        read_scale(options) == 0 &&
        read_interval("show", options->show, &options->show_first, &options->show_end) == 0 &&
        read_interval("trace-window", options->trace_window, &options->detail_first,
                      &options->detail_end) == 0 &&
        read_pin(options) == 0;
    return good ? CM_OK : CM_USAGE;
}

void cm_view_options_finish(struct cm_view_options *options)
{
    free(options->sets.items);
    free(options->operands.items);
}
