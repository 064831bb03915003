/*
 * Control of the viewer, and the main header of viz/control/.
 *
 * The control changes the state of the view when a key is pressed, the mouse moves or time passes.
 * It knows no window. The window loop (app/window.c) or the web page (web/page.c) translates events
 * into the calls below. It also performs the requests that the control leaves for it: quit, save a
 * picture, record, execute a debugger command.
 *
 * Invariants: equal sequences of calls give equal states, because the control reads neither a clock
 * nor a file. The state of the view is changed only by the functions of state.h.
 *
 * Files:
 *   keys.def, keys.c   table of keys: names, help, statement
 *   control.c          keys
 *   mouse.c            pointer and wheel
 *   program.c          keys of the program of --debug
 *   tour.c             the guided tour: presses keys at its stations
 */
#ifndef CM_VIZ_CONTROL_CONTROL_H
#define CM_VIZ_CONTROL_CONTROL_H

#include "../draw/draw.h"

#define CM_VIEW_COMMAND_MAX 200u
/* fraction of the visible interval, for a key or a notch of the wheel */
#define CM_VIEW_PAN_PART 0.25

struct cm_view_control {
    const struct cm_view_model *model;
    struct cm_view_state state;
    double rest;     /* fraction of a cycle between calls of cm_view_control_advance */
    bool prompt;     /* true while a cycle number is typed */
    char typed[21];  /* digits typed so far. 20 digits hold any 64-bit number */
    bool commanding; /* true while a debugger command is typed in `line` */
    char line[CM_VIEW_COMMAND_MAX];
    /* message about the last key, if the picture does not show its effect. "": none */
    char message[96];
    bool dragging; /* true while the pointer moves the cursor */
    struct cm_view_hit drag;
    int drag_y;
    /* The pointer moves the zoomed cube: its last place, and the mark that was pinned before the
     * press. */
    bool moving, moved;
    int move_x, move_y;
    struct cm_view_mark pin_before;
    bool selecting; /* true while the pointer selects a range of cycles */
    uint64_t select_from, select_to;
    /* The guided tour: its models (tour.h), the seconds at its station, and the number of keys
     * pressed there. */
    const struct cm_view_model *const *tour_models;
    double tour_seconds;
    uint32_t tour_pressed;
    /* Requests to the caller. */
    bool quit;
    bool save_picture; /* the caller clears it */
    bool recording;
    /* Debugger commands, separated by `;`. The caller executes and clears them. */
    char commands[CM_VIEW_COMMAND_MAX];
    int scale_steps; /* number of steps of half a pixel per point. The caller clears it */
};

void cm_view_control_begin(struct cm_view_control *control, const struct cm_view_model *model);

/* Handles a key, which is named as in keys.h. Returns false if the key has no meaning now. */
bool cm_view_control_key(struct cm_view_control *control, const char *key);

/* Handle the mouse, in pixels of `target`. The pixels are not read. The left button pins marks,
 * toggles items of the legend, and moves the cursor. While it is held on a time strip, the cursor
 * follows the pointer. */
void cm_view_control_motion(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
/* Moves the pointer to a place in points. */
void cm_view_control_point(struct cm_view_control *control, const struct cm_view_target *target,
                           const uint64_t place[2]);
void cm_view_control_press(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y);
/* Presses the button with Shift. On a time strip, begins to select a range, which the axis shows
 * after the release. Elsewhere the same as cm_view_control_press. */
void cm_view_control_select(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
/* Handles a double click. On a zoomed cube, shows the whole cube. On the background of a panel,
 * shows the panel alone, or all panels. Elsewhere the same as cm_view_control_press. */
void cm_view_control_double(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
void cm_view_control_release(struct cm_view_control *control);
/* Handles the wheel. `up` zooms the cube if the pointer is on it, else the time axis about the
 * cycle under the pointer or the cursor. `right` moves the axis. */
void cm_view_control_wheel(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y, int up, int right);
/* Handles a pointer that has left the window. */
void cm_view_control_leave(struct cm_view_control *control);

/* Sets control->message, cut to its size. */
void cm_view_control_say(struct cm_view_control *control, const char *format, ...) CM_PRINTF(2, 3);

/* Writes the line at the bottom of the picture: the prompt, or the message, or "". */
void cm_view_control_status(const struct cm_view_control *control, char *text, size_t size);

/* Returns the pixels per point for a display of `dpi` dots per inch, in steps of one half. 96 dpi
 * have 1 pixel per point. Returns 1 if dpi is 0. */
double cm_view_scale_of_dpi(double dpi);
/* Returns the pixels per point with large text taken into account. */
double cm_view_text_scale(const struct cm_view_control *control, double scale);

/* Returns true if the picture changes with time. */
bool cm_view_control_moves(const struct cm_view_control *control);
/* Advances playing, or the guided tour, by some seconds. */
void cm_view_control_advance(struct cm_view_control *control, double seconds);

/* Functions of program.c for the program of --debug. Requests debugger commands. */
void cm_view_control_ask(struct cm_view_control *control, const char *commands);
/* Requests to run the program to the cycle of the cursor, from its start if the program is beyond
 * that cycle. */
void cm_view_program_here(struct cm_view_control *control);
/* Requests a breakpoint on the line under the pointer, or else on the next line. Requests its
 * removal if the breakpoint exists. */
void cm_view_program_break(struct cm_view_control *control);
void cm_view_program_break_row(struct cm_view_control *control, uint32_t row);
void cm_view_program_type(struct cm_view_control *control);
/* Appends typed text (UTF-8) to the command, and handles the keys that change or end the typing. */
void cm_view_control_text(struct cm_view_control *control, const char *text);
bool cm_view_program_key(struct cm_view_control *control, const char *key);

#endif
