/* The options of cm200-view: the table, and what is read from them before any file is opened. */
#ifndef CM_VIZ_APP_OPTIONS_H
#define CM_VIZ_APP_OPTIONS_H

#include "../control/control.h"

#include "../../shell/shell.h"

#define CM_VIEW_SIZE_MIN     64u
#define CM_VIEW_SIZE_MAX     16384u
#define CM_VIEW_PIXELS_MAX   (UINT64_C(1) << 26) /* a quarter of a GiB of memory */
#define CM_VIEW_FRAMES_MAX   100000u
#define CM_VIEW_FILM_SECONDS 30u
#define CM_VIEW_NO_CYCLE     UINT64_MAX /* --at-cycle is not given */

struct cm_view_options {
    struct shell_values common;
    /* As written. */
    const char *machine;
    struct shell_list sets;
    uint64_t nodes, threads;
    const char *trace, *trace_window;
    const char *compare;
    const char *screenshot, *frames, *film;
    uint64_t film_seconds;              /* 0: not given */
    uint64_t at_cycle, from, to, every; /* to, every: 0: not given */
    const char *panel, *size, *scale, *palette, *layout, *span, *show, *pin;
    const char *theme, *text, *load, *cube;
    const char *press, *log_state, *point;
    bool keys, version, allow_anywhere, demo, debug;
    const char *commands; /* --do */
    struct shell_list params;
    uint64_t level; /* of a Fortran program */
    /* As meant. */
    uint32_t panel_number, palette_number, layout_number, span_number;
    uint32_t theme_number, text_number;
    uint32_t load_number; /* CM_VIEW_LOAD_COUNT: not given */
    uint64_t slice;
    uint64_t load_dimension;
    uint64_t cube_part[3];  /* of --cube, in percent: zoom, middle */
    uint32_t width, height; /* points */
    double points_scale;    /* pixels a point */
    enum cm_view_format { CM_VIEW_PNG, CM_VIEW_SVG, CM_VIEW_PDF } format; /* of the screenshot */
    bool gif;                                                             /* the film is one */
    uint64_t show_first, show_end;
    uint64_t detail_first, detail_end; /* of --trace-window; empty: none */
    uint64_t pinned[3];                /* node, dimension, channel */
    uint32_t pinned_count;
    uint64_t pointer[2]; /* x, y; of --point */
    uint32_t station;    /* of --demo, from 1 */
};

/* Reads the command line; prints a mistake and returns its exit code. Free with
 * cm_view_options_finish in either case. */
int cm_view_options_read(int argc, char **argv, struct cm_view_options *options);
void cm_view_options_finish(struct cm_view_options *options);

/*
 * Refuses a file to be written that is one of those read, or that cannot be written; prints the
 * mistake. Returns an exit code.
 */
int cm_view_check_outputs(struct cm_view_options *options);

/* The text of --help. */
void cm_view_options_help(struct cm_buffer *text);

/*
 * Makes the state that the options ask for. On what the trace does not have (a cycle beyond its
 * end, a node) prints the mistake and returns CM_USAGE.
 */
enum cm_status cm_view_options_apply(const struct cm_view_options *options,
                                     struct cm_view_control *control);

#endif
