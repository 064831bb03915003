/*
 * The state of the view: a plain value that determines the picture, and the functions that change
 * it.
 *
 * The functions neither draw nor know a window. A caller stores a state by copying it, and compares
 * two states byte by byte to find out whether a new frame must be drawn. Therefore all bytes of a
 * state are set, even its padding.
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
    /* one cell for each node, in Gray order, so that the nodes of neighbouring cells are neighbours
     * in the cube */
    CM_VIEW_GRID,
    CM_VIEW_HEAT,  /* a row for each channel of a node, a column for each node */
    CM_VIEW_LAMPS, /* red lamps, as on the machine's front panel */
    CM_VIEW_MACHINE_COUNT,
};

enum cm_view_colours {
    CM_VIEW_CIVIDIS,
    CM_VIEW_VIRIDIS,
    CM_VIEW_GREY,
    CM_VIEW_COLOURS_COUNT,
};

/* End of the colour scale for loads that are busy fractions. */
enum cm_view_range {
    CM_VIEW_RANGE_BUSIEST,  /* the load of the run's busiest channel */
    CM_VIEW_RANGE_ABSOLUTE, /* 1: busy in all cycles */
    CM_VIEW_RANGE_COUNT,
};

/* Theme of the picture. The light theme is for projectors and print. */
enum cm_view_theme {
    CM_VIEW_DARK,
    CM_VIEW_LIGHT,
    CM_VIEW_THEME_COUNT,
};

/* Cycles over which the maps, the list of causes and the moves of array elements are summed. */
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

/* Quantity that a cell shows in the matrix of source and destination nodes. */
enum cm_view_quantity {
    CM_VIEW_QUANTITY_WORDS,
    CM_VIEW_QUANTITY_PACKETS,
    CM_VIEW_QUANTITY_TIME,  /* mean cycles of a packet from creation to arrival */
    CM_VIEW_QUANTITY_WAITS, /* mean cycles that a packet waits on its way */
    CM_VIEW_QUANTITY_COUNT,
};

/* Meaning of a node's colour, in the grid of the machine and in the cube. */
enum cm_view_load {
    /* busy cycles of the node's busiest channel. Makes hot spots visible */
    CM_VIEW_LOAD_BUSIEST,
    /* mean busy cycles of the node's channels. Shows how many channels an exchange uses */
    CM_VIEW_LOAD_MEAN,
    CM_VIEW_LOAD_TOTAL,     /* busy cycles of all channels of the node */
    CM_VIEW_LOAD_WAITS,     /* cycles that packets wait at the node */
    CM_VIEW_LOAD_SENT,      /* words that the node sends */
    CM_VIEW_LOAD_RECEIVED,  /* words that the node receives */
    CM_VIEW_LOAD_DIMENSION, /* busy cycles of the node's busiest channel in the chosen dimension */
    CM_VIEW_LOAD_COUNT,
};

/* Position of the user on a chain of blocking packets (trace/why.h). Each step leads from a wait to
 * its cause. */
struct cm_view_walk {
    /* number + 1 of the packet at the end of the chain. 0: the chain ends with the instruction at
     * `cycle` */
    uint64_t packet;
    uint64_t cycle; /* cycle at which the chain ends. UINT64_MAX: the arrival of the packet */
    uint32_t shown; /* 1 if a chain is shown, otherwise 0 */
    /* number of the current link, counted from the end of the chain. 0: before the first step */
    uint32_t link;
};

/* Mark: a node or a channel of one of the runs, pinned by the user or under the pointer. */
struct cm_view_mark {
    enum cm_view_mark_kind kind;
    uint32_t run;   /* number of the run, 0 or 1 */
    uint32_t index; /* number of the node, or index of the channel as in trace.h */
};

/* Position of the mouse pointer on a time strip. */
struct cm_view_pointed {
    uint64_t cycle;
    /* panel or part of the picture (layout.h) that has the strip, and column of the layout */
    uint32_t part, column;
    uint32_t dimension; /* dimension of the row, in the panel of dimensions over time */
    uint32_t shown;     /* 1 if the pointer is on a time strip, otherwise 0 */
};

/* Object under the pointer for which a tip is shown. */
struct cm_view_tip {
    uint32_t part; /* number + 1 of the panel or part of the picture (layout.h). 0: no tip */
    uint32_t column;
    uint32_t button; /* number of the button + 1. 0: the tip belongs to the panel's title */
};

/* Position of the user in the guided tour (tour.h). */
struct cm_view_tour {
    uint32_t station; /* number of the station, from 1. 0: there is no tour */
    uint32_t paused;
    uint32_t seconds; /* number of seconds since the station was reached */
};

struct cm_view_state {
    uint64_t cycle;      /* the cursor */
    uint64_t first, end; /* interval of the time axis [first, end) */
    enum cm_view_span span;
    bool playing;
    double speed; /* speed of playing, as for cm_view_set_speed */
    /* Number of cycles over which panels average while the run plays: as many as play in a third of
     * a second, so that cells flash at most three times a second. 0: the run does not play. */
    uint64_t average_cycles;

    enum cm_view_panel panel; /* the only panel shown, or CM_VIEW_ALL for all panels */
    enum cm_view_panel focus; /* the panel on which keys act */
    enum cm_view_machine machine;
    enum cm_view_colours colours;
    enum cm_view_theme theme;
    /* True if the picture is for print: a panel with its axis or colour scale, without what only a
     * window needs. */
    bool plain;
    bool large_text; /* true if text and panels have 1.5 times the normal size */
    /* True if the colour scale is linear. By default the scale follows the square root, which makes
     * small loads visible. */
    bool linear;
    enum cm_view_range range;
    bool compare; /* true if the picture shows both runs and their difference */
    uint32_t run; /* run that is shown if `compare` is false */
    uint32_t array;
    /* number + 1 of the slice that is shown of an array of three axes or more. 0: the whole
     * array */
    uint64_t slice;
    bool by_step; /* true if two runs are aligned by steps, false if they are aligned by cycles */
    bool help;    /* true if the list of keys covers the picture */
    uint32_t help_page; /* page of the list, counted on beyond the last page to the first */

    struct cm_view_mark hover, pin;
    uint64_t packet; /* number + 1 of the pinned packet. 0: no packet is pinned */
    struct cm_view_walk walk;
    enum cm_view_tint tint;
    enum cm_view_quantity quantity;
    enum cm_view_load load;
    uint32_t load_dimension;
    /* Visible part of the cube: its magnification, at least 1, and its centre as fractions of the
     * whole cube. */
    double cube_zoom, cube_x, cube_y;
    struct cm_view_pointed pointed;
    struct cm_view_tour tour;
    struct cm_view_tip tip;
    /* number + 1 of the row under the pointer in the panel "program". 0: no row */
    uint32_t program_row;
    /* number of updates of the panel "program" so far. Counted so that each update changes the
     * state */
    uint32_t program_stop;
    uint32_t hidden_phases;     /* bit set of the phases that time strips and maps hide */
    uint32_t hidden_dimensions; /* bit set of the dimensions that time strips and maps hide */
};

#define CM_VIEW_SPEED_MIN 0.25
#define CM_VIEW_SPEED_MAX 64.0
/* cycles that play in a second at speed 1: about one exchange */
#define CM_VIEW_CYCLES_PER_SECOND 100.0

#define CM_VIEW_CUBE_ZOOM_MAX 8.0

/* Returns the first state of a model: the whole run on the time axis, and the cursor where the
 * first word or packet crosses a channel. */
struct cm_view_state cm_view_state_first(const struct cm_view_model *model);

/* Returns the first cycle in [first, end) at which an exchange begins or a packet crosses a
 * channel, in the run that is shown or in either of two runs. Returns `first` if there is no such
 * cycle. */
uint64_t cm_view_first_movement(const struct cm_view_model *model,
                                const struct cm_view_state *state, uint64_t first, uint64_t end);

/* Returns the number of cycles of the run that is shown, or of the longer of two runs. */
uint64_t cm_view_cycles(const struct cm_view_model *model, const struct cm_view_state *state);
/* Returns the number of cube dimensions of the run that is shown, or of the larger of two
 * machines. */
uint32_t cm_view_dimensions(const struct cm_view_model *model, const struct cm_view_state *state);
/* Computes the interval [first, end) over which maps, the list of causes and moves of array
 * elements are summed. */
void cm_view_interval(const struct cm_view_model *model, const struct cm_view_state *state,
                      uint64_t *first, uint64_t *end);
/* Returns the mark whose numbers the viewer shows: the pinned mark, otherwise the mark under the
 * pointer. */
struct cm_view_mark cm_view_subject(const struct cm_view_state *state);

/* These functions keep the cursor within the run. Going and stepping also move the time axis so
 * that it contains the cursor. */
void cm_view_go(const struct cm_view_model *model, struct cm_view_state *state, uint64_t cycle);
void cm_view_step(const struct cm_view_model *model, struct cm_view_state *state,
                  enum cm_view_step step, int direction);
/* Moves the cursor to the next cycle of the kind `until`, and stops playing. Returns false and
 * changes nothing if there is no such cycle. */
bool cm_view_run_until(const struct cm_view_model *model, struct cm_view_state *state,
                       enum cm_view_until until);
/* Halves the interval on the time axis `steps` times, or doubles it -steps times. The cycle `about`
 * keeps its position on the axis. */
void cm_view_zoom(const struct cm_view_model *model, struct cm_view_state *state, int steps,
                  uint64_t about);
void cm_view_zoom_all(const struct cm_view_model *model, struct cm_view_state *state);
/* Makes the time axis show the interval [first, end), extended to at least 16 cycles. A cursor
 * outside the interval moves into it. */
void cm_view_zoom_to(const struct cm_view_model *model, struct cm_view_state *state, uint64_t first,
                     uint64_t end);
/* Moves the interval on the time axis by a fraction of its length. */
void cm_view_pan(const struct cm_view_model *model, struct cm_view_state *state, double part);

void cm_view_play(const struct cm_view_model *model, struct cm_view_state *state, bool playing);
/* Sets the speed of playing, in units of CM_VIEW_CYCLES_PER_SECOND. The speed is at least
 * CM_VIEW_SPEED_MIN, and at most CM_VIEW_SPEED_MAX or the speed that plays the whole run in a
 * second, whichever is larger. */
void cm_view_set_speed(const struct cm_view_model *model, struct cm_view_state *state,
                       double speed);
/* Returns the seconds that playing the whole run takes at the current speed. */
double cm_view_run_seconds(const struct cm_view_model *model, const struct cm_view_state *state);
/* Advances a playing run by `seconds`. *rest is the fraction of a cycle that is carried from call
 * to call. Playing stops at the end of the run. */
void cm_view_advance(const struct cm_view_model *model, struct cm_view_state *state, double seconds,
                     double *rest);

void cm_view_next_array(const struct cm_view_model *model, struct cm_view_state *state);
/* Selects the next slice of an array (direction > 0) or the previous one. A slice has the first two
 * axes. The whole array comes between the last slice and the first. Returns false if the array has
 * fewer than three axes. */
bool cm_view_next_slice(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction);
/* Returns the number of slices of the selected array, or 0 if the array has fewer than three
 * axes. */
uint64_t cm_view_slices(const struct cm_view_model *model, const struct cm_view_state *state);
/* Switches from the first run to the second, then to the comparison of both, then to the first
 * again. */
void cm_view_next_run(const struct cm_view_model *model, struct cm_view_state *state);
/* Switches between the alignment of two runs by cycles and by steps. */
void cm_view_next_alignment(const struct cm_view_model *model, struct cm_view_state *state);
void cm_view_next_focus(struct cm_view_state *state, int direction);

/* Shows a part of the cube around the centre (x, y), given as fractions of the whole cube. Defined
 * in state_cube.c like the next two functions. */
void cm_view_look_at_cube(struct cm_view_state *state, double zoom, double x, double y);
/* Magnifies the cube by the square root of 2 for each step, or reduces it if steps < 0. The point
 * (x, y), given as fractions of the view, keeps its position. */
void cm_view_zoom_cube(struct cm_view_state *state, int steps, double x, double y);
/* Moves the visible part of the cube by fractions of its size. */
void cm_view_pan_cube(struct cm_view_state *state, double right, double down);

/* These functions select the next meaning of the nodes' colours, and the next dimension for the
 * load of one dimension. */
void cm_view_next_load(struct cm_view_state *state);
void cm_view_next_load_dimension(const struct cm_view_model *model, struct cm_view_state *state);

/* Pins a mark, or unpins it if it is pinned already. */
void cm_view_pin(struct cm_view_state *state, struct cm_view_mark mark);
/* These functions move the pin: by columns and rows of the grid of nodes, and to the next channel
 * of the pinned node. If nothing is pinned, they begin with node 0. */
void cm_view_move_pin(const struct cm_view_model *model, struct cm_view_state *state, int columns,
                      int rows);
void cm_view_next_channel(const struct cm_view_model *model, struct cm_view_state *state,
                          int direction);
/* Pins the busiest channel of the interval. If a channel is pinned, pins the next one in falling
 * order of busy cycles. */
void cm_view_pin_busiest(const struct cm_view_model *model, struct cm_view_state *state);

/* Functions of state_packets.c. */
/*
 * Pins a packet and a channel. Returns false if the run has no packets.
 *
 * If a packet is pinned, the next packet in flight is pinned. Otherwise the function tries in this
 * order: the packet that waits longest for the pinned channel, a packet on the pinned channel, the
 * packet that waits longest at the cursor, and the packet that waits longest on the time axis.
 * Pinning the last of these moves the cursor to its wait.
 */
bool cm_view_pin_packet(const struct cm_view_model *model, struct cm_view_state *state);
/* Pins the packet that waits longest at the cursor, and the channel for which it waits. Returns
 * false if no packet waits. */
bool cm_view_pin_wait(const struct cm_view_model *model, struct cm_view_state *state);
/*
 * Moves one link along the chain of blocking packets: to the cause (direction > 0), or back. Cursor
 * and pin move to the link. Returns false at an end of the chain.
 *
 * A new chain begins with the pinned packet. Without one, it begins with the packet that waits
 * longest at the cursor, otherwise with the last packet that arrives in the router's run. Outside
 * the router's runs it begins with the instruction at the cursor.
 */
bool cm_view_walk_chain(const struct cm_view_model *model, struct cm_view_state *state,
                        int direction);

/* Pins a packet and moves the cursor to its longest wait. Returns false if the packet crosses no
 * channel. */
bool cm_view_go_packet(const struct cm_view_model *model, struct cm_view_state *state,
                       uint64_t packet);
/* Moves cursor and pin to a wait in the chain of waiting packets (trace/why.h) that is shown. The
 * waits are counted from the end of the chain. */
void cm_view_go_link(const struct cm_view_model *model, struct cm_view_state *state, uint32_t link);

bool cm_view_mark_equal(struct cm_view_mark a, struct cm_view_mark b);

/* Names of the enumerations' values on the command line and in logs, in names.c. Each array ends
 * with NULL. */
extern const char *const cm_view_panel_names[]; /* the last name is "all" */
extern const char *const cm_view_machine_names[];
extern const char *const cm_view_colours_names[];
extern const char *const cm_view_theme_names[];
extern const char *const cm_view_text_names[];
extern const char *const cm_view_range_names[];
extern const char *const cm_view_span_names[];
extern const char *const cm_view_tint_names[];
extern const char *const cm_view_quantity_names[];
extern const char *const cm_view_load_names[];
/* Meanings of the nodes' colours with their units, as the legend shows them. */
extern const char *const cm_view_load_titles[];
/* Finds `name` in an array of names and sets *place to its index. Returns false if the array lacks
 * the name. */
bool cm_view_name_find(const char *const *names, const char *name, uint32_t *place);

#endif
