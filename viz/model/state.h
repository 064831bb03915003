/*
 * The state of the view: a plain value that determines the picture, and the functions that change
 * it.
 *
 * The functions neither draw nor know a window. A caller copies the state to store it. A caller
 * compares two states byte by byte to find out whether a new frame is due. Therefore all bytes are
 * set, padding included.
 *
 * Invariants: the cursor `cycle` is within the run, and first < end.
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

/* Layout of the nodes in the panel "machine". */
enum cm_view_machine {
    /* a cell for each node, in Gray order, so that neighbouring cells are neighbours in the cube */
    CM_VIEW_GRID,
    CM_VIEW_HEAT,  /* a row for each channel, a column for each node */
    CM_VIEW_LAMPS, /* red lamps, as on the machine's front panel */
    CM_VIEW_MACHINE_COUNT,
};

enum cm_view_colours {
    CM_VIEW_CIVIDIS,
    CM_VIEW_VIRIDIS,
    CM_VIEW_GREY,
    CM_VIEW_COLOURS_COUNT,
};

/* Theme of the picture. The light theme is for projectors and print. */
enum cm_view_theme {
    CM_VIEW_DARK,
    CM_VIEW_LIGHT,
    CM_VIEW_THEME_COUNT,
};

/* Cycles over which the maps, the causes and the moves of the array are summed. */
enum cm_view_span {
    CM_VIEW_SPAN_NOW,     /* instruction at the cursor */
    CM_VIEW_SPAN_WINDOW,  /* recorded window at the cursor */
    CM_VIEW_SPAN_VISIBLE, /* everything that the time axis shows */
    CM_VIEW_SPAN_COUNT,
};

/* Length of a step of the cursor through time. */
enum cm_view_step {
    CM_VIEW_STEP_CYCLE,
    CM_VIEW_STEP_INSTRUCTION,
    CM_VIEW_STEP_EXCHANGE,
    CM_VIEW_STEP_WINDOW,
};

/* Event at which "run until" stops. */
enum cm_view_until {
    CM_VIEW_UNTIL_BLOCKED,   /* the next cycle at which a packet waits for a channel */
    CM_VIEW_UNTIL_PHASE_END, /* the next cycle of another phase */
};

enum cm_view_mark_kind { CM_VIEW_MARK_NONE, CM_VIEW_MARK_NODE, CM_VIEW_MARK_CHANNEL };

/* Meaning of a packet's colour. */
enum cm_view_tint {
    CM_VIEW_TINT_SOURCE,
    CM_VIEW_TINT_DESTINATION,
    CM_VIEW_TINT_DISTANCE, /* number of channels that the packet still has to cross */
    CM_VIEW_TINT_AGE,
    CM_VIEW_TINT_COUNT,
};

/* Meaning of a cell in the matrix of sources and destinations. */
enum cm_view_quantity {
    CM_VIEW_QUANTITY_WORDS,
    CM_VIEW_QUANTITY_PACKETS,
    CM_VIEW_QUANTITY_TIME,  /* mean cycles from creation to arrival */
    CM_VIEW_QUANTITY_WAITS, /* mean cycles that a packet waits */
    CM_VIEW_QUANTITY_COUNT,
};

/* Meaning of a node's colour, in the grid of the machine and in the cube. */
enum cm_view_load {
    /* busy cycles of the node's busiest channel, so that hot spots stay visible */
    CM_VIEW_LOAD_BUSIEST,
    /* mean over the node's channels, which shows how many channels an exchange uses */
    CM_VIEW_LOAD_MEAN,
    CM_VIEW_LOAD_TOTAL,     /* busy cycles of all channels of the node */
    CM_VIEW_LOAD_WAITS,     /* cycles that packets wait at the node */
    CM_VIEW_LOAD_SENT,      /* words sent */
    CM_VIEW_LOAD_RECEIVED,  /* words received */
    CM_VIEW_LOAD_DIMENSION, /* busy cycles of the node's busiest channel in one dimension */
    CM_VIEW_LOAD_COUNT,
};

/* Position of a walk along a chain of blocking packets. Each step leads to the cause of a wait. */
struct cm_view_walk {
    /* packet at the end of the chain + 1. 0: the chain ends at the instruction at `cycle` */
    uint64_t packet;
    uint64_t cycle; /* cycle at the end of the chain. UINT64_MAX: the arrival of the packet */
    uint32_t shown; /* 1 if a chain is shown, else 0 */
    /* number of the current link, counted from the end of the chain. 0: before the first step */
    uint32_t link;
};

/* Mark: a node or a channel of one of the runs. */
struct cm_view_mark {
    enum cm_view_mark_kind kind;
    uint32_t run;   /* number of the run, 0 or 1 */
    uint32_t index; /* number of the node, or index of the channel as in trace.h */
};

/* Position of the pointer on a time strip. */
struct cm_view_pointed {
    uint64_t cycle;
    uint32_t part, column; /* panel or part of the picture (layout.h), and column of the layout */
    uint32_t dimension;    /* dimension of the row, in the panel of dimensions over time */
    uint32_t shown;        /* 1 if the pointer is on a time strip, else 0 */
};

/* Object under the pointer that has a tip. */
struct cm_view_tip {
    uint32_t part; /* panel or part of the picture (layout.h) + 1. 0: there is no tip */
    uint32_t column;
    uint32_t button; /* number of the button + 1. 0: the tip belongs to the panel's title */
};

/* Position in the guided tour (tour.h). */
struct cm_view_tour {
    uint32_t station; /* number of the station, from 1. 0: there is no tour */
    uint32_t paused;
    uint32_t seconds; /* seconds that the station has been shown */
};

struct cm_view_state {
    uint64_t cycle;      /* the cursor */
    uint64_t first, end; /* interval of the time axis [first, end) */
    enum cm_view_span span;
    bool playing;
    double speed; /* speed of playing, as for cm_view_set_speed */
    /* Number of cycles over which panels average while the run plays: a third of a second. So cells
     * flash at most three times a second. 0: the run does not play. */
    uint64_t average_cycles;

    enum cm_view_panel panel; /* the only panel shown, or CM_VIEW_ALL */
    enum cm_view_panel focus; /* the panel that keys act on */
    enum cm_view_machine machine;
    enum cm_view_colours colours;
    enum cm_view_theme theme;
    bool large_text; /* true if text and panels have 1.5 times the normal size */
    /* True if the colour scale is linear. By default the scale goes by the square root, which shows
     * small loads. */
    bool linear;
    bool compare; /* true if both runs and their difference are shown */
    uint32_t run; /* run that is shown if `compare` is false */
    uint32_t array;
    /* number of the slice + 1 for arrays of three axes or more. 0: the whole array */
    uint64_t slice;
    bool by_step; /* true if two runs are aligned by steps, false if they are aligned by cycles */
    bool help;    /* true if the list of keys covers the picture */

    struct cm_view_mark hover, pin;
    uint64_t packet; /* pinned packet + 1. 0: no packet is pinned */
    struct cm_view_walk walk;
    enum cm_view_tint tint;
    enum cm_view_quantity quantity;
    enum cm_view_load load;
    uint32_t load_dimension;
    /* Visible part of the cube: the magnification from 1 on, and the centre as fractions of the
     * whole cube. */
    double cube_zoom, cube_x, cube_y;
    struct cm_view_pointed pointed;
    struct cm_view_tour tour;
    struct cm_view_tip tip;
    uint32_t program_row; /* row of the program's panel under the pointer + 1. 0: none */
    /* number of updates of the program's panel, so that an update changes the state */
    uint32_t program_stop;
    uint32_t hidden_phases;     /* bit set of phases that time strips and maps leave out */
    uint32_t hidden_dimensions; /* bit set of dimensions that time strips and maps leave out */
};

#define CM_VIEW_SPEED_MIN 0.25
#define CM_VIEW_SPEED_MAX 64.0
/* cycles per second at speed 1, which is about one exchange a second */
#define CM_VIEW_CYCLES_PER_SECOND 100.0

#define CM_VIEW_CUBE_ZOOM_MAX 8.0

/* Returns the first state of a model: the whole run on the time axis and the cursor at its start.
 */
struct cm_view_state cm_view_state_first(const struct cm_view_model *model);

/* Returns the cycles of the longest run that is shown. */
uint64_t cm_view_cycles(const struct cm_view_model *model, const struct cm_view_state *state);
/* Returns the dimensions of the run that is shown, or of the larger machine of two. */
uint32_t cm_view_dimensions(const struct cm_view_model *model, const struct cm_view_state *state);
/* Computes the interval [first, end) over which maps, causes and moves are summed. */
void cm_view_interval(const struct cm_view_model *model, const struct cm_view_state *state,
                      uint64_t *first, uint64_t *end);
/* Returns the mark whose numbers are shown: the pinned mark, or else the mark under the pointer. */
struct cm_view_mark cm_view_subject(const struct cm_view_state *state);

/* All functions below keep the cursor within the run. Going and stepping also move the time axis so
 * that it contains the cursor. Zooming and moving the axis leave the cursor where it is. */
void cm_view_go(const struct cm_view_model *model, struct cm_view_state *state, uint64_t cycle);
void cm_view_step(const struct cm_view_model *model, struct cm_view_state *state,
                  enum cm_view_step step, int direction);
/* Moves the cursor to the next cycle that `until` describes, and stops playing. Returns false and
 * changes nothing if there is no such cycle. */
bool cm_view_run_until(const struct cm_view_model *model, struct cm_view_state *state,
                       enum cm_view_until until);
/* Halves the visible interval `steps` times, or doubles it if steps < 0. The cycle `about` keeps
 * its position on the axis. */
void cm_view_zoom(const struct cm_view_model *model, struct cm_view_state *state, int steps,
                  uint64_t about);
void cm_view_zoom_all(const struct cm_view_model *model, struct cm_view_state *state);
/* Shows the interval [first, end), extended to at least 16 cycles. The cursor moves into the
 * interval. */
void cm_view_zoom_to(const struct cm_view_model *model, struct cm_view_state *state, uint64_t first,
                     uint64_t end);
/* Moves the visible interval by a fraction of its length. */
void cm_view_pan(const struct cm_view_model *model, struct cm_view_state *state, double part);

void cm_view_play(const struct cm_view_model *model, struct cm_view_state *state, bool playing);
/* Sets the speed of playing, in units of CM_VIEW_CYCLES_PER_SECOND. Speeds are limited to
 * CM_VIEW_SPEED_MIN at least, and at most to CM_VIEW_SPEED_MAX or the whole run in a second. */
void cm_view_set_speed(const struct cm_view_model *model, struct cm_view_state *state,
                       double speed);
/* Returns the seconds that the whole run takes at the current speed. */
double cm_view_run_seconds(const struct cm_view_model *model, const struct cm_view_state *state);
/* Advances a playing run by `seconds`. `rest` holds the fraction of a cycle that is left over
 * between calls. Playing stops at the end of the run. */
void cm_view_advance(const struct cm_view_model *model, struct cm_view_state *state, double seconds,
                     double *rest);

void cm_view_next_array(const struct cm_view_model *model, struct cm_view_state *state);
/* Selects the next slice (direction > 0) or the previous slice of the first two axes. The whole
 * array comes between the last slice and the first. Returns false if the array has fewer than three
 * axes. */
bool cm_view_next_slice(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction);
/* Returns the number of slices of the array, or 0 if it has fewer than three axes. */
uint64_t cm_view_slices(const struct cm_view_model *model, const struct cm_view_state *state);
/* Switches from the first run to the second, then to the comparison of both, then to the first
 * again. */
void cm_view_next_run(const struct cm_view_model *model, struct cm_view_state *state);
/* Switches between the alignment of two runs by cycles and by steps. */
void cm_view_next_alignment(const struct cm_view_model *model, struct cm_view_state *state);
void cm_view_next_focus(struct cm_view_state *state, int direction);

/* Shows a part of the cube around a centre, which is given as fractions of the whole cube. Defined
 * in state_cube.c, as are the two functions below. */
void cm_view_look_at_cube(struct cm_view_state *state, double zoom, double x, double y);
/* Zooms the cube by half a doubling for each step: in if steps > 0, else out. The point (x, y),
 * given as fractions of the view, keeps its position. */
void cm_view_zoom_cube(struct cm_view_state *state, int steps, double x, double y);
/* Moves the visible part of the cube by fractions of the view. */
void cm_view_pan_cube(struct cm_view_state *state, double right, double down);

/* Select the next meaning of the nodes' colours, and the load of the next dimension. */
void cm_view_next_load(struct cm_view_state *state);
void cm_view_next_load_dimension(const struct cm_view_model *model, struct cm_view_state *state);

/* Pins a mark, or releases it if it is pinned already. */
void cm_view_pin(struct cm_view_state *state, struct cm_view_mark mark);
/* Moves the pin over the focused map by columns and rows, and through the channels of its node. If
 * nothing is pinned, node 0 is pinned first. */
void cm_view_move_pin(const struct cm_view_model *model, struct cm_view_state *state, int columns,
                      int rows);
void cm_view_next_channel(const struct cm_view_model *model, struct cm_view_state *state,
                          int direction);
/* Pins the busiest channel of the interval, or the next one in falling order if a channel is
 * pinned. */
void cm_view_pin_busiest(const struct cm_view_model *model, struct cm_view_state *state);

/* Functions of state_packets.c. */
/*
 * Pins a packet and a channel. Returns false if the run has no packets.
 *
 * If a packet is pinned, the next packet in flight is pinned. Otherwise the packet is the first
 * that exists of: the packet that waits longest for the pinned channel, a packet on the pinned
 * channel, the packet that waits longest at the cursor, and the packet that waits longest on the
 * time axis. In the last case the cursor moves to its wait.
 */
bool cm_view_pin_packet(const struct cm_view_model *model, struct cm_view_state *state);
/* Pins the packet that waits longest at the cursor, and the channel that it waits for. */
bool cm_view_pin_wait(const struct cm_view_model *model, struct cm_view_state *state);
/*
 * Moves one link along the chain of blocking packets: to the cause (direction > 0), or back. Cursor
 * and pin move to the link. Returns false at an end of the chain.
 *
 * A new chain begins with the pinned packet, else with the packet that waits longest, else with the
 * last packet that arrives, else with the instruction at the cursor.
 */
bool cm_view_walk_chain(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction);

/* Pins a packet and moves the cursor to its longest wait. Returns false if the packet crosses no
 * channel. */
bool cm_view_go_packet(const struct cm_view_model *model, struct cm_view_state *state,
                       uint64_t packet);
/* Moves to a link of the chain that is shown. Links are counted from the end of the chain. */
void cm_view_go_link(const struct cm_view_model *model, struct cm_view_state *state, uint32_t link);

bool cm_view_mark_equal(struct cm_view_mark a, struct cm_view_mark b);

/* Names of choices on the command line and in logs, in names.c. The arrays end with NULL. */
extern const char *const cm_view_panel_names[]; /* the last name is "all" */
extern const char *const cm_view_machine_names[];
extern const char *const cm_view_colours_names[];
extern const char *const cm_view_theme_names[];
extern const char *const cm_view_text_names[];
extern const char *const cm_view_span_names[];
extern const char *const cm_view_tint_names[];
extern const char *const cm_view_quantity_names[];
extern const char *const cm_view_load_names[];
/* Descriptions of the loads in the legend, with units. */
extern const char *const cm_view_load_titles[];
/* Finds the index of `name` in an array of names. Returns false if the array lacks the name. */
bool cm_view_name_find(const char *const *names, const char *name, uint32_t *place);

#endif
