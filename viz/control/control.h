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
/* fraction of the interval on the time axis by which a key or a notch of the wheel moves it */
#define CM_VIEW_PAN_PART 0.25

struct cm_view_control {
    const struct cm_view_model *model;
    struct cm_view_state state;
    /* fraction of a cycle that is carried from one call of cm_view_control_advance to the next */
    double rest;
    bool prompt;     /* true while a cycle number is typed */
    char typed[21];  /* digits typed so far. 20 digits hold any 64-bit number */
    bool commanding; /* true while a debugger command is typed in `line` */
    char line[CM_VIEW_COMMAND_MAX];
    /* message about the last key, for keys whose effect the picture does not show. "": no
     * message */
    char message[96];
    bool dragging; /* true while the mouse pointer moves the cursor */
    struct cm_view_hit drag;
    int drag_y;
    /* State of a mouse pointer that moves the cube: whether its button is held, whether the cube
     * has moved, the pointer's last place in pixels, and the mark that was pinned before the
     * press. */
    bool moving, moved;
    int move_x, move_y;
    struct cm_view_mark pin_before;
    bool selecting; /* true while the mouse pointer selects a range of cycles */
    uint64_t select_from, select_to;
    /* State of the guided tour: a model for each run (tour.h), the seconds spent at the current
     * station, and how often its keys were pressed. */
    const struct cm_view_model *const *tour_models;
    double tour_seconds;
    uint32_t tour_pressed;
    /* Requests to the caller, which performs them. */
    bool quit;
    bool save_picture; /* request to save the picture. The caller clears it */
    bool recording;
    /* Requested debugger commands, separated by `;`. The caller executes and clears them. */
    char commands[CM_VIEW_COMMAND_MAX];
    /* requested change of the scale, in steps of half a pixel per point. The caller clears it */
    int scale_steps;
};

void cm_view_control_begin(struct cm_view_control *control, const struct cm_view_model *model);

/* Handles a key, which has a name as in keys.h. Returns false if the key has no meaning now. */
bool cm_view_control_key(struct cm_view_control *control, const char *key);

/* These functions handle the mouse at a position in pixels of `target`, whose pixels they do not
 * read. The left button pins marks, toggles items of the legend, and moves the cursor. While it is
 * held on a time strip, the cursor follows the pointer. */
void cm_view_control_motion(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
/* Moves the mouse pointer to a place that is given in points. */
void cm_view_control_point(struct cm_view_control *control, const struct cm_view_target *target,
                           const uint64_t place[2]);
void cm_view_control_press(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y);
/* Handles the left button with the Shift key. On a time strip, begins to select a range of cycles,
 * which the time axis shows after the release. Elsewhere the same as cm_view_control_press. */
void cm_view_control_select(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
/* Handles a double click. On a cube that is shown in part, shows the whole cube. On the background
 * of a panel, shows the panel alone, or all panels if it is alone. Elsewhere the same as
 * cm_view_control_press. */
void cm_view_control_double(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
void cm_view_control_release(struct cm_view_control *control);
/* Handles the wheel. `up` magnifies the cube if the pointer is on it. Elsewhere it magnifies the
 * time axis around the cycle under the pointer, or around the cursor. `right` moves the time
 * axis. */
void cm_view_control_wheel(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y, int up, int right);
/* Handles the event that the pointer has left the window. */
void cm_view_control_leave(struct cm_view_control *control);

/* Sets the message in the control, cut to the size of its member. */
void cm_view_control_say(struct cm_view_control *control, const char *format, ...) CM_PRINTF(2, 3);

/* Writes the line for the bottom of the picture: the text that is being typed, the message, or
 * "". */
void cm_view_control_status(const struct cm_view_control *control, char *text, size_t size);

/* Returns the pixels per point for a display of `dpi` dots per inch, rounded to a multiple of one
 * half. At 96 dpi a point is one pixel. Returns 1 if dpi is 0. */
double cm_view_scale_of_dpi(double dpi);
/* Returns the pixels per point for a display of `scale` pixels per point: more if large text is
 * on. */
double cm_view_text_scale(const struct cm_view_control *control, double scale);

/* Returns true if the picture changes as time passes: a run plays, or the guided tour goes on. */
bool cm_view_control_moves(const struct cm_view_control *control);
/* Advances playing and the guided tour by `seconds`. */
void cm_view_control_advance(struct cm_view_control *control, double seconds);

/* Requests debugger commands, separated by `;`. This function and the next ones are in program.c
 * and serve the program of --debug. */
void cm_view_control_ask(struct cm_view_control *control, const char *commands);
/* Requests to run the program to the cycle of the cursor, from its start if the program is beyond
 * that cycle. */
void cm_view_program_here(struct cm_view_control *control);
/* Requests a breakpoint on the source line under the pointer, otherwise on the line that is
 * executed next. If the breakpoint exists, requests its removal. */
void cm_view_program_break(struct cm_view_control *control);
void cm_view_program_break_row(struct cm_view_control *control, uint32_t row);
void cm_view_program_type(struct cm_view_control *control);
/* Appends typed text (UTF-8) to the debugger command that is being typed. cm_view_program_key
 * handles the keys that change or end the typing. */
void cm_view_control_text(struct cm_view_control *control, const char *text);
bool cm_view_program_key(struct cm_view_control *control, const char *key);

#endif
