/* The command line of cm200-view: the table of options, the help, and the options whose values are
 * not plain numbers or names. */
#include "options.h"

#include "../../base/wrap.h"
#include "../model/tour.h"
#include "picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OPTION(member) offsetof(struct cm_view_options, member)

static const struct shell_option picture_options[] = {
    {"screenshot", SHELL_OUTPUT, OPTION(screenshot), 'o', .argument = "FILE",
     .help = "draw one picture, FILE.png, FILE.svg or FILE.pdf; open no window"},
    {"frames", SHELL_STRING, OPTION(frames), .argument = "FOLDER",
     .help = "draw many pictures, FOLDER/frame-000000.png and so on; makes the folder if it is "
             "missing"},
    {"from", SHELL_NUMBER, OPTION(from), .argument = "CYCLE", .max = UINT64_MAX,
     .help = "the first cycle of the frames (0)"},
    {"to", SHELL_NUMBER, OPTION(to), .argument = "CYCLE", .min = 1, .max = UINT64_MAX,
     .help = "the cycle to stop before (the end of the run)"},
    {"every", SHELL_NUMBER, OPTION(every), .argument = "CYCLES", .min = 1, .max = UINT64_MAX,
     .help = "cycles from one frame to the next (1)"},
    {"film", SHELL_OUTPUT, OPTION(film), .argument = "FILE",
     .help = "make a film of the run, FILE.mp4 or FILE.gif, with captions; needs the program "
             "ffmpeg"},
    {"film-seconds", SHELL_NUMBER, OPTION(film_seconds), .argument = "SECONDS", .min = 1,
     .max = 600, .help = "how long the film of the whole run takes (30)"},
    {"size", SHELL_STRING, OPTION(size), .argument = "WxH",
     .help = "size of the picture or the window, in points (1280x800)"},
    {"scale", SHELL_STRING, OPTION(scale), .argument = "N",
     .help = "pixels per point: 1, 1.5, 2, ... 4 (1 for pictures, by the display's DPI for "
             "windows)"},
    {"plain", SHELL_FLAG, OPTION(plain),
     .help = "for print: without header, buttons, cursor and hints"},
    {"text", SHELL_STRING, OPTION(text), .argument = "NAME",
     .help = "normal, or large: text and panels 1.5 times as large (normal)"},
};

static const struct shell_option view_options[] = {
    {"at-cycle", SHELL_NUMBER, OPTION(at_cycle), 'c', .argument = "CYCLE",
     .max = CM_VIEW_NO_CYCLE - 1,
     .help = "the cycle to show, instead of the first exchange or packet"},
    {"show", SHELL_STRING, OPTION(show), .argument = "FIRST:END",
     .help = "the cycles on the time axis (all)"},
    {"span", SHELL_STRING, OPTION(span), .argument = "NAME",
     .help = "cycles over which loads are summed: now (the instruction), window, "
             "or visible (the time axis) (visible with packets, otherwise now)"},
    {"panel", SHELL_STRING, OPTION(panel), 'p', .argument = "NAME",
     .help = "show one panel alone: "
#define CM_VIEW_PANEL(symbol, name) #name ", "
#include "../model/panels.def"
             "or all"},
    {"layout", SHELL_STRING, OPTION(layout), .argument = "NAME",
     .help = "layout of the panel machine: grid, heat or lamps (grid)"},
    {"palette", SHELL_STRING, OPTION(palette), .argument = "NAME",
     .help = "colours of loads: cividis, viridis or grey (cividis)"},
    {"range", SHELL_STRING, OPTION(range), .argument = "NAME",
     .help = "where the colours of loads end: busiest (the load of the run's busiest channel) or "
             "absolute (100 %) (busiest)"},
    {"cube", SHELL_STRING, OPTION(cube), .argument = "ZOOM:X:Y",
     .help = "zoom the cube to ZOOM percent, 100 to 800, about the point X:Y, in percent of its "
             "width and height, as in 400:25:25"},
    {"load", SHELL_STRING, OPTION(load), .argument = "NAME",
     .help =
         "meaning of a node's colour: busiest, mean, total, waits, sent, received, or the number "
         "of a dimension (busiest with packets, otherwise mean)"},
    {"slice", SHELL_NUMBER, OPTION(slice), .argument = "N", .min = 1, .max = UINT64_MAX,
     .help = "the slice to show of an array of three axes or more"},
    {"theme", SHELL_STRING, OPTION(theme), .argument = "NAME",
     .help = "dark, or light for projectors and print (dark)"},
    {"pin", SHELL_STRING, OPTION(pin), .argument = "NODE",
     .help = "describe a node, or a channel: NODE:DIMENSION:CHANNEL"},
    {"press", SHELL_STRING, OPTION(press), .argument = "KEYS",
     .help = "press these keys first, with blanks between them: \"Space T P\""},
    {"point", SHELL_STRING, OPTION(point), .argument = "X:Y",
     .help = "begin with the pointer there, in points: shows tips and readouts"},
    {"log-state", SHELL_OUTPUT, OPTION(log_state), .argument = "FILE",
     .help = "write the state after each event, as one line of JSON"},
    {"demo", SHELL_FLAG, OPTION(demo),
     .help = "a guided tour of five minutes, which needs no trace: why one PSHIFT "
             "beats four CSHIFTs. Begins at STATION, a number or a name"},
    {"keys", SHELL_FLAG, OPTION(keys), .help = "print what the keys do"},
    {"version", SHELL_FLAG, OPTION(version), .help = "print the version"},
};

static const struct shell_option run_options[] = {
    {"compare", SHELL_INPUT, OPTION(compare), .argument = "FILE",
     .help = "show a second trace or workload next to the first, and the difference"},
    {"machine", SHELL_INPUT, OPTION(machine), 'm', .argument = "FILE",
     .help = "the machine to run a workload on, instead of its own"},
    {"set", SHELL_LIST, OPTION(sets), 's', .argument = "PATH=VALUE",
     .help = "change a number of the machine, as in memory.page_words=512; "
             "may be given several times"},
    {"nodes", SHELL_NODES, OPTION(nodes), 'n', .argument = "N", .min = 1, .max = UINT32_MAX,
     .help = "nodes to use, a power of two"},
    {"threads", SHELL_NUMBER, OPTION(threads), 't', .argument = "N", .min = 1,
     .max = CM_THREADS_MAX, .help = "threads of this host, all by default"},
    {"debug", SHELL_FLAG, OPTION(debug),
     .help = "step through the program next to the picture of its run: source, registers, memory, "
             "breakpoints; its keys are the last ones of --keys"},
    {"do", SHELL_STRING, OPTION(commands), .argument = "COMMANDS",
     .help = "with --debug: commands of cm200 debug to execute first, with ; between"},
    {"param", SHELL_LIST, OPTION(params), .argument = "NAME=VALUE",
     .help = "a parameter of the workload or the Fortran program, or a scalar of the IMP; may be "
             "given several times"},
    {"optimize", SHELL_NUMBER, OPTION(level), .letter = 'O', .argument = "LEVEL", .max = 2,
     .help = "optimization of a Fortran program, as for cm200 run"},
    {"allow-anywhere", SHELL_FLAG, OPTION(allow_anywhere),
     .help = "let a workload that you trust read and write any file"},
    {"trace", SHELL_OUTPUT, OPTION(trace), .part = true, .argument = "FILE",
     .help = "save the trace of the workload"},
    {"trace-window", SHELL_STRING, OPTION(trace_window), .argument = "A:B",
     .help = "also record every word on the wires, from cycle A until B of the workload"},
};

static const struct shell_syntax syntax = {
    .command = NULL,
    .operands = "TRACE|PROGRAM",
    .operands_min = 0, /* the options --keys and --version need no file */
    .operands_max = 1,
    .sets = {SHELL_SET(run_options, 0), SHELL_SET(view_options, 0), SHELL_SET(picture_options, 0)},
};

void cm_view_options_help(struct cm_buffer *text)
{
    const struct shell_option *option;
    size_t offset;
    cm_buffer_printf(text, "usage: cm200-view [OPTIONS] TRACE|PROGRAM\n"
                           "       cm200-view [OPTIONS] --demo [STATION]\n\n");
    cm_text_wrap(
        text,
        "Shows what a run did, cycle by cycle: the cube and its channels, the machine, each "
        "dimension over time, what the sequencer does, where arrays are. Opens a trace "
        "that cm200 run --trace wrote, or runs a program first: a workload (.json; - is "
        "standard input), a CM Fortran program or an IMP (.imp). In the window, h shows "
        "what the keys do.",
        0, shell_columns());
    cm_buffer_printf(text, "\noptions:\n");
    for (uint32_t i = 0; (option = shell_option_at(&syntax, i, &offset)) != NULL; i++)
        shell_help_option(text, option, option->help);
    cm_buffer_printf(
        text, "\nexamples:\n"
              "  cm200-view --demo\n"
              "  cm200-view programs/examples/five-point-pshift.json\n"
              "  cm200-view five-point.trace\n"
              "  cm200-view --debug programs/examples/hand-written.json\n"
              "  cm200-view pshift.trace --compare cshift.trace\n"
              "  cm200-view five-point.trace --screenshot out.png --at-cycle 1200 --panel cube\n"
              "  cm200-view five-point.trace --screenshot out.svg --span visible\n"
              "  cm200-view five-point.trace --film out.mp4 --film-seconds 20\n"
              "  cm200-view five-point.trace --frames out --to 2000 --every 20 --span window\n"
              "\nexit codes: 0 done; 1 a check of the workload failed; 2 wrong usage;\n"
              "3 a bad trace or workload; 4 input or output failed, or no display;\n"
              "5 out of memory, or a fault of cm200-view; 128 + N ended by signal N\n");
}

static int read_choices(struct cm_view_options *options)
{
    const struct {
        const char *option, *value;
        const char *const *names;
        uint32_t *number;
    } choices[] = {
        {"panel", options->panel, cm_view_panel_names, &options->panel_number},
        {"palette", options->palette, cm_view_colours_names, &options->palette_number},
        {"range", options->range, cm_view_range_names, &options->range_number},
        {"theme", options->theme, cm_view_theme_names, &options->theme_number},
        {"text", options->text, cm_view_text_names, &options->text_number},
        {"layout", options->layout, cm_view_machine_names, &options->layout_number},
        {"span", options->span, cm_view_span_names, &options->span_number},
    };
    int code = 0;
    options->panel_number = CM_VIEW_ALL;
    for (uint32_t i = 0; i < sizeof choices / sizeof *choices && code == 0; i++) {
        uint32_t count = 0;
        while (choices[i].names[count] != NULL)
            count++;
        if (choices[i].value != NULL)
            code = shell_choose(NULL, choices[i].option, choices[i].value, choices[i].names, count,
                                choices[i].number);
    }
    return code;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

/* Sets the formats of picture and film according to the endings of the file names. */
static int read_formats(struct cm_view_options *options)
{
    const char *picture = options->screenshot, *film = options->film;
    options->format = CM_VIEW_PNG;
    if (picture != NULL && ends_in(picture, ".svg"))
        options->format = CM_VIEW_SVG;
    else if (picture != NULL && ends_in(picture, ".pdf"))
        options->format = CM_VIEW_PDF;
    else if (picture != NULL && strcmp(picture, "-") != 0 && !ends_in(picture, ".png"))
        return shell_usage(NULL, "--screenshot is \"%s\", expected FILE.png, FILE.svg or FILE.pdf",
                           shell_shown(picture).text);
    if (options->format == CM_VIEW_PDF && !cm_view_has_pdf())
        return shell_usage(NULL, "this build of cm200-view has no cairo, which PDF needs");
    options->gif = film != NULL && ends_in(film, ".gif");
    if (film != NULL && !options->gif && !ends_in(film, ".mp4"))
        return shell_usage(NULL, "--film is \"%s\", expected FILE.mp4 or FILE.gif",
                           shell_shown(film).text);
    return 0;
}

static bool is_size(uint64_t points)
{
    return points >= CM_VIEW_SIZE_MIN && points <= CM_VIEW_SIZE_MAX;
}

static int read_size(struct cm_view_options *options)
{
    uint64_t size[2] = {1280, 800};
    if (options->size != NULL && (shell_read_numbers(options->size, 'x', size, 2) != 2 ||
                                  !is_size(size[0]) || !is_size(size[1])))
        return shell_usage(NULL, "--size is \"%s\", expected WIDTHxHEIGHT from %ux%u to %ux%u",
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
        return shell_usage(NULL, "--scale is \"%s\", expected 1, 1.5, 2, 2.5, 3, 3.5 or 4",
                           options->scale);
    options->points_scale = scale;
    double pixels = options->width * scale * options->height * scale;
    if (pixels > (double)CM_VIEW_PIXELS_MAX)
        return shell_usage(NULL, "the picture would have %.0f pixels, more than %" PRIu64, pixels,
                           CM_VIEW_PIXELS_MAX);
    return 0;
}

/* Reads --load: the name of a load, or the number of a dimension. first_state.c checks that the run
 * has the dimension. */
static int read_load(struct cm_view_options *options)
{
    options->load_number = CM_VIEW_LOAD_COUNT;
    if (options->load == NULL)
        return 0;
    if (shell_read_numbers(options->load, ':', &options->load_dimension, 1) == 1) {
        options->load_number = CM_VIEW_LOAD_DIMENSION;
        return 0;
    }
    return shell_choose(NULL, "load", options->load, cm_view_load_names, CM_VIEW_LOAD_DIMENSION,
                        &options->load_number);
}

static int read_cube(struct cm_view_options *options)
{
    uint64_t *part = options->cube_part;
    if (options->cube == NULL)
        return 0;
    if (shell_read_numbers(options->cube, ':', part, 3) == 3 && part[0] >= 100 && part[0] <= 800 &&
        part[1] <= 100 && part[2] <= 100)
        return 0;
    return shell_usage(NULL, "--cube is \"%s\", expected ZOOM:X:Y, 100 to 800 and twice 0 to 100",
                       shell_shown(options->cube).text);
}

/* Reads the two cycles of an option, the first before the second. Sets both to 0 if the option is
 * missing. */
static int read_interval(const char *option, const char *text, uint64_t *first, uint64_t *end)
{
    uint64_t cycles[2] = {0, 0};
    if (text != NULL && (shell_read_numbers(text, ':', cycles, 2) != 2 || cycles[0] >= cycles[1]))
        return shell_usage(NULL, "--%s is \"%s\", expected FIRST:END, two cycles", option, text);
    *first = cycles[0];
    *end = cycles[1];
    return 0;
}

static int read_point(struct cm_view_options *options)
{
    if (options->point == NULL || shell_read_numbers(options->point, ':', options->pointer, 2) == 2)
        return 0;
    return shell_usage(NULL, "--point is \"%s\", expected X:Y, in points", options->point);
}

static int read_pin(struct cm_view_options *options)
{
    if (options->pin == NULL)
        return 0;
    options->pinned_count = shell_read_numbers(options->pin, ':', options->pinned, 3);
    if (options->pinned_count == 1 || options->pinned_count == 3)
        return 0;
    return shell_usage(NULL, "--pin is \"%s\", expected NODE or NODE:DIMENSION:CHANNEL",
                       options->pin);
}

/* Reads the station of --demo. Fails if there are options about the view, which the tour sets
 * itself. */
static int read_station(struct cm_view_options *options)
{
    const char *name = options->common.operands.count > 0 ? options->common.operands.items[0] : "1";
    bool chooses = options->at_cycle != CM_VIEW_NO_CYCLE || options->show != NULL ||
                   options->span != NULL || options->panel != NULL || options->pin != NULL;
    if (!options->demo)
        return 0;
    if (options->frames != NULL || options->film != NULL || options->compare != NULL ||
        options->trace != NULL || options->trace_window != NULL || options->machine != NULL ||
        options->sets.count > 0 || options->nodes != 0 || chooses)
        return shell_usage(NULL, "--demo has its own runs and its own view; it allows "
                                 "--press, --screenshot, --size, --scale, --palette and --layout");
    if (!cm_tour_find(name, &options->station))
        return shell_usage(NULL, "--demo has no station \"%s\"; they are 1 to %u, %s to %s",
                           shell_shown(name).text, cm_tour_station_count, cm_tour_stations[0].name,
                           cm_tour_stations[cm_tour_station_count - 1].name);
    return 0;
}

/* Fails if options exclude each other, or if an option lacks another one that it needs. */
static int check_together(const struct cm_view_options *options)
{
    if (options->common.operands.count == 0 && !options->demo)
        return shell_usage(NULL, "TRACE|PROGRAM is missing");
    if ((options->screenshot != NULL) + (options->frames != NULL) + (options->film != NULL) > 1)
        return shell_usage(NULL, "--screenshot, --frames and --film exclude each other");
    if (options->commands != NULL && !options->debug)
        return shell_usage(NULL, "--do is for --debug");
    if (options->debug && (options->demo || options->compare != NULL))
        return shell_usage(NULL,
                           "--debug steps through one program, and excludes --demo and --compare");
    if (options->film == NULL && options->film_seconds != 0)
        return shell_usage(NULL, "--film-seconds is for --film");
    if (options->film != NULL && options->at_cycle != CM_VIEW_NO_CYCLE)
        return shell_usage(NULL, "--at-cycle is for one picture; a film is of the whole run");
    if (options->frames == NULL && (options->from != 0 || options->to != 0 || options->every != 0))
        return shell_usage(NULL, "--from, --to and --every are for --frames");
    if (options->frames != NULL && options->at_cycle != CM_VIEW_NO_CYCLE)
        return shell_usage(NULL, "--at-cycle is for one picture; frames begin at --from");
    if (options->to != 0 && options->to <= options->from)
        return shell_usage(NULL, "--to is not after --from");
    return 0;
}

int cm_view_options_read(int argc, char **argv, struct cm_view_options *options)
{
    memset(options, 0, sizeof *options);
    options->at_cycle = CM_VIEW_NO_CYCLE;
    int code = shell_parse_options(&syntax, argc, argv, options);
    if (code != 0 || options->common.help || options->version || options->keys)
        return code;
    bool good =
        check_together(options) == 0 && read_station(options) == 0 && read_formats(options) == 0 &&
        read_choices(options) == 0 && read_size(options) == 0 && read_scale(options) == 0 &&
        read_interval("show", options->show, &options->show_first, &options->show_end) == 0 &&
        read_interval("trace-window", options->trace_window, &options->detail_first,
                      &options->detail_end) == 0 &&
        read_load(options) == 0 && read_cube(options) == 0 && read_pin(options) == 0 &&
        read_point(options) == 0;
    return good ? 0 : cm_status_exit_code(CM_USAGE);
}

int cm_view_check_outputs(struct cm_view_options *options)
{
    if (options->screenshot != NULL && strcmp(options->screenshot, "-") == 0)
        return shell_usage(NULL, "--screenshot - : pictures are not written to standard output");
    return shell_check_files(&syntax, options);
}

void cm_view_options_finish(struct cm_view_options *options)
{
    shell_values_finish(&syntax, options);
}
