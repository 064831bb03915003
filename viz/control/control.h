/*
 * What the viewer does with keys, the mouse and the passing of time: the state and how it changes,
 * without a window. The window loop translates events into the calls below, and carries out the
 * requests that they leave.
 */
#ifndef CM_VIZ_CONTROL_CONTROL_H
#define CM_VIZ_CONTROL_CONTROL_H

#include "../draw/draw.h"

#define CM_VIEW_COMMAND_MAX 200u
#define CM_VIEW_PAN_PART    0.25 /* of the visible interval, a key or a notch of the wheel */

struct cm_view_control {
    const struct cm_view_model *model;
    struct cm_view_state state;
    double rest;     /* of a cycle, between calls of cm_view_control_advance */
    bool prompt;     /* a cycle is being typed */
    char typed[21];  /* its digits: 20 hold any number of 64 bits */
    bool commanding; /* a command of the debugger is being typed: */
    char line[CM_VIEW_COMMAND_MAX];
    char message[96]; /* about the last key, where the picture does not show its effect; "": none */
    bool dragging;    /* the pointer scrubs */
    struct cm_view_hit drag;
    int drag_y;
    /* The pointer moves the zoomed cube: where it was, and what was pinned when it was pressed. */
    bool moving, moved;
    int move_x, move_y;
    struct cm_view_mark pin_before;
    bool selecting; /* the pointer drags out a range of cycles */
    uint64_t select_from, select_to;
    /* The guided tour: what it shows (tour.h), the time at its station, keys pressed there. */
    const struct cm_view_model *const *tour_models;
    double tour_seconds;
    uint32_t tour_pressed;
    /* Requests to the window loop. */
    bool quit;
    bool save_picture; /* the loop clears it */
    bool recording;
    /* Commands of the debugger, with `;` between; whoever steps the program takes them. */
    char commands[CM_VIEW_COMMAND_MAX];
    int scale_steps; /* of half a pixel a point; the loop takes them */
};

void cm_view_control_begin(struct cm_view_control *control, const struct cm_view_model *model);

/* A key, as keys.h names it. False: it has no meaning now. */
bool cm_view_control_key(struct cm_view_control *control, const char *key);

/*
 * The mouse, in pixels of `target` (whose pixels are not read). The left button pins marks, toggles
 * items of the legend, and goes to times: until it is released the pointer scrubs.
 */
void cm_view_control_motion(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
/* The same in points. */
void cm_view_control_point(struct cm_view_control *control, const struct cm_view_target *target,
                           const uint64_t place[2]);
void cm_view_control_press(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y);
/* With Shift, on a time strip: drags out a range, which the axis shows when it is released.
 * Elsewhere as cm_view_control_press. */
void cm_view_control_select(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
/* The second click of two, where nothing is to be clicked: all of a zoomed cube again; the panel
 * alone, or all panels again.
 * Elsewhere as cm_view_control_press. */
void cm_view_control_double(struct cm_view_control *control, const struct cm_view_target *target,
                            int x, int y);
void cm_view_control_release(struct cm_view_control *control);
/* The wheel zooms the cube about the pointer, when that is on it; elsewhere time, about the cycle
 * under the pointer or the cursor; sideways it moves the axis. */
void cm_view_control_wheel(struct cm_view_control *control, const struct cm_view_target *target,
                           int x, int y, int up, int right);
/* The pointer has left the window. */
void cm_view_control_leave(struct cm_view_control *control);

/* Puts a text into control->message, cut where it is too long. */
void cm_view_control_say(struct cm_view_control *control, const char *format, ...) CM_PRINTF(2, 3);

/* The line over the picture's foot: the prompt, or the message; "": none. */
void cm_view_control_status(const struct cm_view_control *control, char *text, size_t size);

/* Pixels a point on a display of so many dots per inch, in halves: 96 is 1. Not known (0): 1. */
double cm_view_scale_of_dpi(double dpi);
/* The same with large text, if it is on. */
double cm_view_text_scale(const struct cm_view_control *control, double scale);

/* Whether time changes the picture. */
bool cm_view_control_moves(const struct cm_view_control *control);
/* Time goes on while playing, and on the tour. */
void cm_view_control_advance(struct cm_view_control *control, double seconds);

/* program.c: keys about the program that is stepped through. Asks for commands of the debugger. */
void cm_view_control_ask(struct cm_view_control *control, const char *commands);
/* Runs it to the cursor's cycle, from its start if it has gone by. */
void cm_view_program_here(struct cm_view_control *control);
/* A breakpoint on the line pointed at, or else the next one; without it when it is there. */
void cm_view_program_break(struct cm_view_control *control);
void cm_view_program_break_row(struct cm_view_control *control, uint32_t row);
void cm_view_program_type(struct cm_view_control *control);
/* Text that is typed (UTF-8) while a command is; and the keys that end or change it. */
void cm_view_control_text(struct cm_view_control *control, const char *text);
bool cm_view_program_key(struct cm_view_control *control, const char *key);

#endif
