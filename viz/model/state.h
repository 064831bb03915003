/*
 * What the viewer shows: a plain value, and functions that change it, which neither draw nor know a
 * window. Copy it to keep it, compare it to see whether a new frame is due.
 */
#ifndef CM_VIZ_MODEL_STATE_H
#define CM_VIZ_MODEL_STATE_H

#include "../../trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct cm_view_model;

enum cm_view_panel {
#define CM_VIEW_PANEL(symbol, name) CM_VIEW_##symbol,
#include "panels.def"
    CM_VIEW_PANEL_COUNT,
    CM_VIEW_ALL = CM_VIEW_PANEL_COUNT,
};

/* How the panel "machine" shows the nodes. */
enum cm_view_machine {
    CM_VIEW_GRID,  /* a cell a node, in Gray order: cells side by side are neighbours in the cube */
    CM_VIEW_HEAT,  /* a row a channel, a column a node */
    CM_VIEW_LAMPS, /* the front panel of red lamps */
    CM_VIEW_MACHINE_COUNT,
};

enum cm_view_colours {
    CM_VIEW_CIVIDIS,
    CM_VIEW_VIRIDIS,
    CM_VIEW_GREY,
    CM_VIEW_COLOURS_COUNT,
};

/* Light is for projectors and print. */
enum cm_view_theme {
    CM_VIEW_DARK,
    CM_VIEW_LIGHT,
    CM_VIEW_THEME_COUNT,
};

/* Which cycles maps, causes, and the array's moves are summed over. */
enum cm_view_span {
    CM_VIEW_SPAN_NOW,     /* the instruction at the cycle */
    CM_VIEW_SPAN_WINDOW,  /* the recorded window at the cycle */
    CM_VIEW_SPAN_VISIBLE, /* all that the time axis shows */
    CM_VIEW_SPAN_COUNT,
};

/* Steps through time. */
enum cm_view_step {
    CM_VIEW_STEP_CYCLE,
    CM_VIEW_STEP_INSTRUCTION,
    CM_VIEW_STEP_EXCHANGE,
    CM_VIEW_STEP_WINDOW,
};

/* Where a run-until stops. */
enum cm_view_until {
    CM_VIEW_UNTIL_BLOCKED,   /* a packet waits for a channel */
    CM_VIEW_UNTIL_PHASE_END, /* the sequencer goes on to another phase */
};

enum cm_view_mark_kind { CM_VIEW_MARK_NONE, CM_VIEW_MARK_NODE, CM_VIEW_MARK_CHANNEL };

/* What the colour of a packet tells. */
enum cm_view_tint {
    CM_VIEW_TINT_SOURCE,
    CM_VIEW_TINT_DESTINATION,
    CM_VIEW_TINT_DISTANCE, /* channels that are left */
    CM_VIEW_TINT_AGE,
    CM_VIEW_TINT_COUNT,
};

/* What a cell of the matrix of sources and destinations tells. */
enum cm_view_quantity {
    CM_VIEW_QUANTITY_WORDS,
    CM_VIEW_QUANTITY_PACKETS,
    CM_VIEW_QUANTITY_TIME,  /* mean, from being created to arriving */
    CM_VIEW_QUANTITY_WAITS, /* of that, cycles that a packet waits, mean */
    CM_VIEW_QUANTITY_COUNT,
};

/* What the colour of a node tells, in the machine's grid and the cube. */
enum cm_view_load {
    CM_VIEW_LOAD_BUSIEST, /* of its channels: hot spots stay visible */
    CM_VIEW_LOAD_MEAN,  /* of its channels: how many are used, where in an exchange each is busy */
    CM_VIEW_LOAD_TOTAL, /* busy cycles of all of them */
    CM_VIEW_LOAD_WAITS, /* cycles that packets wait there */
    CM_VIEW_LOAD_SENT,  /* words, by source ... */
    CM_VIEW_LOAD_RECEIVED,  /* ... and by destination */
    CM_VIEW_LOAD_DIMENSION, /* the busiest channel of one dimension */
    CM_VIEW_LOAD_COUNT,
};

/* The walk up a chain of what was in the way. */
struct cm_view_walk {
    uint64_t packet; /* it begins with this one, + 1; 0: with the instruction ... */
    uint64_t cycle;  /* ... at this cycle; UINT64_MAX: when the packet arrives */
    uint32_t shown;  /* 0: none */
    uint32_t link;   /* where it is, from the chain's end; 0: before its first step */
};

/* A node or a channel of one of the runs. */
struct cm_view_mark {
    enum cm_view_mark_kind kind;
    uint32_t run;   /* 0 or 1 */
    uint32_t index; /* node, or channel as in trace.h */
};

/* What the pointer is over on a time strip. */
struct cm_view_pointed {
    uint64_t cycle;
    uint32_t part, column; /* as in layout.h */
    uint32_t dimension;    /* of the row, on dimensions over time */
    uint32_t shown;        /* 0: it is on no time strip */
};

/* What has a tip under the pointer. */
struct cm_view_tip {
    uint32_t part; /* as in layout.h, + 1; 0: nothing */
    uint32_t column;
    uint32_t button; /* + 1; 0: the panel's title */
};

/* Where the guided tour is (tour.h). */
struct cm_view_tour {
    uint32_t station; /* from 1; 0: there is no tour */
    uint32_t paused;
    uint32_t seconds; /* at the station */
};

struct cm_view_state {
    uint64_t cycle;      /* the cursor */
    uint64_t first, end; /* what the time axis shows; first < end */
    enum cm_view_span span;
    bool playing;
    double speed; /* see cm_view_set_speed */
    /* While playing, the panels show the mean of so many cycles (a third of a second), so that
     * nothing blinks above 3 Hz. */
    uint64_t average_cycles;

    enum cm_view_panel panel; /* the only one shown, or CM_VIEW_ALL */
    enum cm_view_panel focus; /* the one that the keys act on */
    enum cm_view_machine machine;
    enum cm_view_colours colours;
    enum cm_view_theme theme;
    bool large_text; /* and larger panels: half as many pixels a point again */
    /* The colour scale: linear, or by the square root (the default, which shows small loads). */
    bool linear;
    bool compare; /* both runs and their difference; needs two */
    uint32_t run; /* the run shown when not comparing */
    uint32_t array;
    uint64_t slice; /* of an array of three axes or more: this one, + 1; 0: all of it */
    bool by_step;   /* two runs: side by side are the same steps, not the same cycles */
    bool help;      /* the list of keys is shown over the picture */

    struct cm_view_mark hover, pin;
    uint64_t packet; /* the pinned one, + 1; 0: none */
    struct cm_view_walk walk;
    enum cm_view_tint tint;
    enum cm_view_quantity quantity;
    enum cm_view_load load;
    uint32_t load_dimension;
    /* The cube's part that is shown: 1 is all of it; its middle, parts of the whole. */
    double cube_zoom, cube_x, cube_y;
    struct cm_view_pointed pointed;
    struct cm_view_tour tour;
    struct cm_view_tip tip;
    uint32_t program_row;       /* the line of the program that is pointed at, + 1; 0: none */
    uint32_t program_stop;      /* counts what its panel has shown */
    uint32_t hidden_phases;     /* a bit each: left out of time strips and maps */
    uint32_t hidden_dimensions; /* likewise */
};

#define CM_VIEW_SPEED_MIN         0.25
#define CM_VIEW_SPEED_MAX         64.0
#define CM_VIEW_CYCLES_PER_SECOND 100.0 /* at speed 1: about an exchange a second */

#define CM_VIEW_CUBE_ZOOM_MAX 8.0

/* How a run opens: all of it on the axis, the cursor at its start. */
struct cm_view_state cm_view_state_first(const struct cm_view_model *model);

/* Cycles of the longest run shown. */
uint64_t cm_view_cycles(const struct cm_view_model *model, const struct cm_view_state *state);
/* Dimensions of the run shown, or of the larger machine of two. */
uint32_t cm_view_dimensions(const struct cm_view_model *model, const struct cm_view_state *state);
/* The cycles [first, end) that maps, causes and moves are summed over now. */
void cm_view_interval(const struct cm_view_model *model, const struct cm_view_state *state,
                      uint64_t *first, uint64_t *end);
/* The mark that is shown in numbers: the pin, or else what the pointer is over. */
struct cm_view_mark cm_view_subject(const struct cm_view_state *state);

/*
 * All of the following keep the cursor within the run. Going and stepping also keep it on the time
 * axis; zooming and moving the axis leave it where it is.
 */
void cm_view_go(const struct cm_view_model *model, struct cm_view_state *state, uint64_t cycle);
void cm_view_step(const struct cm_view_model *model, struct cm_view_state *state,
                  enum cm_view_step step, int direction);
/* False, with nothing changed, when that does not happen any more. */
bool cm_view_run_until(const struct cm_view_model *model, struct cm_view_state *state,
                       enum cm_view_until until);
/* Halves (steps > 0) or doubles the visible interval so many times; `about` stays in its place. */
void cm_view_zoom(const struct cm_view_model *model, struct cm_view_state *state, int steps,
                  uint64_t about);
void cm_view_zoom_all(const struct cm_view_model *model, struct cm_view_state *state);
/* Shows [first, end), at least 16 cycles of it, with the cursor on it. */
void cm_view_zoom_to(const struct cm_view_model *model, struct cm_view_state *state, uint64_t first,
                     uint64_t end);
/* Moves the visible interval by a part of its length. */
void cm_view_pan(const struct cm_view_model *model, struct cm_view_state *state, double part);

void cm_view_play(const struct cm_view_model *model, struct cm_view_state *state, bool playing);
/* At least CM_VIEW_SPEED_MIN, at most CM_VIEW_SPEED_MAX, or the whole run in a second. */
void cm_view_set_speed(const struct cm_view_model *model, struct cm_view_state *state,
                       double speed);
/* How long the whole run plays at the speed set. */
double cm_view_run_seconds(const struct cm_view_model *model, const struct cm_view_state *state);
/*
 * Time goes on: `seconds` of play. `rest` keeps the part of a cycle that is left over between
 * calls. Stops at the end.
 */
void cm_view_advance(const struct cm_view_model *model, struct cm_view_state *state, double seconds,
                     double *rest);

void cm_view_next_array(const struct cm_view_model *model, struct cm_view_state *state);
/* Of the array, if it has three axes or more: the next slice of the first two, or the one before;
 * all of it lies between the last and the first. False: the array has no slices. */
bool cm_view_next_slice(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction);
/* How many slices the array has; 0: none. */
uint64_t cm_view_slices(const struct cm_view_model *model, const struct cm_view_state *state);
/* One run, the other, both compared. */
void cm_view_next_run(const struct cm_view_model *model, struct cm_view_state *state);
/* Two runs: aligned by cycle, by step. */
void cm_view_next_alignment(const struct cm_view_model *model, struct cm_view_state *state);
void cm_view_next_focus(struct cm_view_state *state, int direction);

/* state_cube.c: shows a part of the cube, about a point of the whole (0 to 1 each way). */
void cm_view_look_at_cube(struct cm_view_state *state, double zoom, double x, double y);
/* In, steps > 0, or out, by half a doubling each; what is at a point of the view (0 to 1 each way)
 * stays there. */
void cm_view_zoom_cube(struct cm_view_state *state, int steps, double x, double y);
/* Moves what is seen by parts of the view. */
void cm_view_pan_cube(struct cm_view_state *state, double right, double down);

/* What the colour of a node tells: the next quantity; that of one dimension, of the next one. */
void cm_view_next_load(struct cm_view_state *state);
void cm_view_next_load_dimension(const struct cm_view_model *model, struct cm_view_state *state);

/* Pins a mark; a mark that is pinned already is released. */
void cm_view_pin(struct cm_view_state *state, struct cm_view_mark mark);
/*
 * The keyboard's way to a mark: moves the pin over the focused map by columns and rows (a node at
 * first), or through the channels of its node.
 */
void cm_view_move_pin(const struct cm_view_model *model, struct cm_view_state *state, int columns,
                      int rows);
void cm_view_next_channel(const struct cm_view_model *model, struct cm_view_state *state,
                          int direction);
/* Pins the busiest channel of the interval; again: the next busiest. */
void cm_view_pin_busiest(const struct cm_view_model *model, struct cm_view_state *state);

/* state_packets.c */
/* Pins the packet that waits longest at the cursor (for the pinned channel, if one waits for it),
 * and the channel that it waits for; without one that waits, a packet on the pinned channel, or the
 * one that waited longest on the time axis, and goes there; again: the next packet under way.
 * False: there are no packets. */
bool cm_view_pin_packet(const struct cm_view_model *model, struct cm_view_state *state);
/* Pins what waits longest at the cursor. */
bool cm_view_pin_wait(const struct cm_view_model *model, struct cm_view_state *state);
/* Goes up the chain of what was in the way (direction > 0), or back down: the cursor and the pin
 * go along. It begins with the pinned packet, or what waits longest, or the last packet that
 * arrives, or the instruction at the cursor. False: there is nothing more. */
bool cm_view_walk_chain(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction);

/* Pins a packet, at its longest wait. False: it crosses no channel. */
bool cm_view_go_packet(const struct cm_view_model *model, struct cm_view_state *state,
                       uint64_t packet);
/* To a link of the chain that is shown, from its end. */
void cm_view_go_link(const struct cm_view_model *model, struct cm_view_state *state, uint32_t link);

bool cm_view_mark_equal(struct cm_view_mark a, struct cm_view_mark b);

/* names.c: names of choices on the command line and in logs; arrays end with NULL. */
extern const char *const cm_view_panel_names[]; /* with "all" */
extern const char *const cm_view_machine_names[];
extern const char *const cm_view_colours_names[];
extern const char *const cm_view_theme_names[];
extern const char *const cm_view_text_names[];
extern const char *const cm_view_span_names[];
extern const char *const cm_view_tint_names[];
extern const char *const cm_view_quantity_names[];
extern const char *const cm_view_load_names[];
/* What the legend calls them, with their units. */
extern const char *const cm_view_load_titles[];
/* The place of `name` in an array; false: it is not there. */
bool cm_view_name_find(const char *const *names, const char *name, uint32_t *place);

#endif
