/*
 * Options of cm200-view, and the main header of viz/app/.
 *
 * The application is the program cm200-view. It reads the options, opens traces or runs programs,
 * and shows them in files or in a window. The command line, windows, picture files and films appear
 * only in this room.
 *
 * Data: struct cm_view_options has each option as the user wrote it, then as a checked number. A
 * cm_view_source is a trace and the result of the run that made it.
 *
 * Invariants: the form of every option is checked before a file is opened. Output files are written
 * completely or not at all. The picture of a state is the same in a window, in a PNG file and on a
 * web page.
 *
 * Files:
 *   main.c                          main program: options, then files or a window
 *   options.c, first_state.c        options, and the first state of the view
 *   source.c, demo.c                traces, from files or from runs
 *   program.c                       workloads that wrap a program
 *   session.c, program_rows.c       the program of --debug, and the rows of its panel
 *   headless.c, picture*.c, film.c  pictures and films without a window
 *   window.c, events.c              the window
 *   state_log.c                     the log of states, for scripts
 */
#ifndef CM_VIZ_APP_OPTIONS_H
#define CM_VIZ_APP_OPTIONS_H

#include "../control/control.h"

#include "../../shell/shell.h"

#define CM_VIEW_SIZE_MIN 64u
#define CM_VIEW_SIZE_MAX 16384u
/* number of pixels of a picture, at most. They take a quarter of a GiB */
#define CM_VIEW_PIXELS_MAX   (UINT64_C(1) << 26)
#define CM_VIEW_FRAMES_MAX   100000u
#define CM_VIEW_FILM_SECONDS 30u
#define CM_VIEW_NO_CYCLE     UINT64_MAX /* value of `at_cycle` if --at-cycle is missing */

struct cm_view_options {
    struct shell_values common;
    /* Options as the user wrote them. */
    const char *machine;
    struct shell_list sets;
    uint64_t nodes, threads;
    const char *trace, *trace_window;
    const char *compare;
    const char *screenshot, *frames, *film;
    uint64_t film_seconds; /* value of --film-seconds. 0: the option is missing */
    /* numbers of --at-cycle and others. `to` and `every` are 0 if their option is missing */
    uint64_t at_cycle, from, to, every;
    const char *panel, *size, *scale, *palette, *layout, *span, *show, *pin;
    const char *theme, *text, *load, *cube, *range;
    const char *press, *log_state, *point;
    bool keys, version, allow_anywhere, demo, debug, plain;
    const char *commands; /* value of --do */
    struct shell_list params;
    uint64_t level; /* value of --optimize, for Fortran programs */
    /* Options as checked numbers. */
    uint32_t panel_number, palette_number, layout_number, span_number;
    uint32_t theme_number, text_number, range_number;
    uint32_t load_number; /* value of --load. CM_VIEW_LOAD_COUNT: the option is missing */
    uint64_t slice;
    uint64_t load_dimension;
    uint64_t cube_part[3];  /* --cube in percent: magnification, then x and y of the centre */
    uint32_t width, height; /* size of the picture in points */
    double points_scale;    /* pixels per point */
    /* format of the picture file */
    enum cm_view_format { CM_VIEW_PNG, CM_VIEW_SVG, CM_VIEW_PDF } format;
    /* true if the film is a GIF */
    bool gif;
    uint64_t show_first, show_end;
    /* interval of --trace-window in cycles. Empty: the option is missing */
    uint64_t detail_first, detail_end;
    uint64_t pinned[3]; /* numbers of --pin: node, dimension, channel */
    uint32_t pinned_count;
    uint64_t pointer[2]; /* x and y of --point */
    uint32_t station;    /* station of --demo, from 1 */
};

/* Reads the command line. If it has a mistake, prints the mistake and returns the exit code.
 * Otherwise returns 0. In both cases the caller frees the options with cm_view_options_finish. */
int cm_view_options_read(int argc, char **argv, struct cm_view_options *options);
void cm_view_options_finish(struct cm_view_options *options);

/* Checks the output files: fails if one is an input as well or cannot be written. Prints the
 * mistake. Returns the exit code, or 0. */
int cm_view_check_outputs(struct cm_view_options *options);

/* Writes the text of --help. */
void cm_view_options_help(struct cm_buffer *text);

/* Sets the first state of the view from the options. If the trace lacks the cycle, node, channel,
 * dimension or slice that an option names, prints the mistake and returns CM_USAGE. */
enum cm_status cm_view_options_apply(const struct cm_view_options *options,
                                     struct cm_view_control *control);

#endif
