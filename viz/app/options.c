/* The command line of cm200-view: table, help, and the values with a form of their own. */
#include "options.h"

#include "../draw/colours.h"
#include "../draw/panels.h"
#include "../model/names.h"

#include "../../base/suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION(member) offsetof(struct cm_view_options, member)
#define CHOICES_MAX    16u

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
     "show one alone: cube, machine, time, phases, array, inspector; all", OPTION(panel), 0, 0},
    {"layout", 0, CLI_STRING, "NAME", "of the machine: grid, heat, lamps; grid", OPTION(layout), 0,
     0},
    {"palette", 0, CLI_STRING, "NAME", "cividis, viridis, grey; cividis", OPTION(palette), 0, 0},
    {"pin", 0, CLI_STRING, "NODE", "tell of a node, or of a channel: NODE:DIMENSION:CHANNEL",
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

static enum cm_status refuse_choice(const char *option, const char *value, const char *const *names)
{
    char list[128];
    size_t count = 0, length = 0;
    for (; names[count] != NULL; count++) {
        int more =
            snprintf(list + length, sizeof list - length, "%s%s", count ? ", " : "", names[count]);
        length += more > 0 ? (size_t)more : 0;
    }
    const char *near = cm_suggest(value, names, count);
    if (near != NULL)
        cli_usage(NULL, "--%s is \"%s\", expected one of %s; did you mean \"%s\"?", option, value,
                  list, near);
    else
        cli_usage(NULL, "--%s is \"%s\", expected one of %s", option, value, list);
    return CM_USAGE;
}

static enum cm_status read_choice(const char *option, const char *value, const char *const *names,
                                  uint32_t *number)
{
    if (value == NULL || cm_view_name_find(names, value, number))
        return CM_OK;
    return refuse_choice(option, value, names);
}

static enum cm_status read_panel(struct cm_view_options *options)
{
    const char *names[CHOICES_MAX + 1] = {NULL};
    for (uint32_t i = 0; i <= CM_VIEW_PANEL_COUNT && i < CHOICES_MAX; i++)
        names[i] = cm_view_panel_name((enum cm_view_panel)i);
    options->panel_number = CM_VIEW_ALL;
    return read_choice("panel", options->panel, names, &options->panel_number);
}

static enum cm_status read_palette(struct cm_view_options *options)
{
    const char *names[CHOICES_MAX + 1] = {NULL};
    for (uint32_t i = 0; i < CM_VIEW_COLOURS_COUNT && i < CHOICES_MAX; i++)
        names[i] = cm_view_colours_name((enum cm_view_colours)i);
    return read_choice("palette", options->palette, names, &options->palette_number);
}

/* Integers with `separator` between them, at most `most`; returns how many, 0 when something else
 * stands there. */
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

static enum cm_status read_size(struct cm_view_options *options)
{
    uint64_t size[2] = {1280, 800};
    if (options->size != NULL && (read_numbers(options->size, 'x', size, 2) != 2 ||
                                  !is_size(size[0]) || !is_size(size[1]))) {
        cli_usage(NULL, "--size is \"%s\", expected WIDTHxHEIGHT from %ux%u to %ux%u",
                  options->size, CM_VIEW_SIZE_MIN, CM_VIEW_SIZE_MIN, CM_VIEW_SIZE_MAX,
                  CM_VIEW_SIZE_MAX);
        return CM_USAGE;
    }
    options->width = (uint32_t)size[0];
    options->height = (uint32_t)size[1];
    return CM_OK;
}

static enum cm_status read_scale(struct cm_view_options *options)
{
    char *end = NULL;
    options->points_scale = options->scale != NULL ? strtod(options->scale, &end) : 1;
    double halves = options->points_scale * 2;
    bool good = options->points_scale >= 1 && options->points_scale <= 4 &&
                halves == (double)(int)halves && (end == NULL || *end == '\0');
    if (!good) {
        cli_usage(NULL, "--scale is \"%s\", expected 1, 1.5, 2, 2.5, 3, 3.5 or 4", options->scale);
        return CM_USAGE;
    }
    double pixels =
        options->width * options->points_scale * options->height * options->points_scale;
    if (pixels > (double)CM_VIEW_PIXELS_MAX) {
        cli_usage(NULL, "the picture would have %.0f pixels, more than %" PRIu64, pixels,
                  CM_VIEW_PIXELS_MAX);
        return CM_USAGE;
    }
    return CM_OK;
}

/* Two cycles, the first before the second; both 0 when the option is missing. */
static enum cm_status read_interval(const char *option, const char *text, uint64_t *first,
                                    uint64_t *end)
{
    uint64_t cycles[2] = {0, 0};
    if (text != NULL && (read_numbers(text, ':', cycles, 2) != 2 || cycles[0] >= cycles[1])) {
        cli_usage(NULL, "--%s is \"%s\", expected FIRST:END, two cycles", option, text);
        return CM_USAGE;
    }
    *first = cycles[0];
    *end = cycles[1];
    return CM_OK;
}

static enum cm_status read_places(struct cm_view_options *options)
{
    if (read_interval("show", options->show, &options->show_first, &options->show_end) != CM_OK ||
        read_interval("trace-window", options->trace_window, &options->detail_first,
                      &options->detail_end) != CM_OK)
        return CM_USAGE;
    if (options->pin != NULL)
        options->pinned_count = read_numbers(options->pin, ':', options->pinned, 3);
    if (options->pin != NULL && options->pinned_count != 1 && options->pinned_count != 3) {
        cli_usage(NULL, "--pin is \"%s\", expected NODE or NODE:DIMENSION:CHANNEL", options->pin);
        return CM_USAGE;
    }
    return CM_OK;
}

/* Options that need or exclude each other. */
static enum cm_status check_together(const struct cm_view_options *options)
{
    const char *wrong = NULL;
    if (options->operands.count == 0)
        wrong = "TRACE|WORKLOAD.json is missing";
    else if (options->screenshot != NULL && options->frames != NULL)
        wrong = "--screenshot and --frames exclude each other";
    else if (options->frames == NULL &&
             (options->from != 0 || options->to != 0 || options->every != 0))
        wrong = "--from, --to and --every are for --frames";
    else if (options->frames != NULL && options->at_cycle != CM_VIEW_NO_CYCLE)
        wrong = "--at-cycle is for one picture; frames begin at --from";
    else if (options->to != 0 && options->to <= options->from)
        wrong = "--to is not after --from";
    if (wrong != NULL)
        cli_usage(NULL, "%s", wrong);
    return wrong != NULL ? CM_USAGE : CM_OK;
}

enum cm_status cm_view_options_read(int argc, char **argv, struct cm_view_options *options)
{
    memset(options, 0, sizeof *options);
    options->at_cycle = CM_VIEW_NO_CYCLE;
    enum cm_status status = cli_parse_options(&syntax, argc, argv, options);
    if (status != CM_OK || options->help || options->version || options->keys)
        return status;
    status = check_together(options);
    if (status == CM_OK)
        status = read_panel(options);
    if (status == CM_OK)
        status = read_palette(options);
    if (status == CM_OK)
        status =
            read_choice("layout", options->layout, cm_view_machine_names, &options->layout_number);
    if (status == CM_OK)
        status = read_choice("span", options->span, cm_view_span_names, &options->span_number);
    if (status == CM_OK)
        status = read_size(options);
    if (status == CM_OK)
        status = read_scale(options);
    return status == CM_OK ? read_places(options) : status;
}

void cm_view_options_finish(struct cm_view_options *options)
{
    free(options->sets.items);
    free(options->operands.items);
}
