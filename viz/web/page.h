/*
 * The viewer as a WebAssembly module, and the main header of viz/web/.
 *
 * A web page gives traces to the module and gets pictures. Keys and mouse work as in the program
 * cm200-view. web/viewer.js calls these functions. A module has one viewer. JavaScript's numbers
 * are doubles, so cycles are passed as doubles, which are exact up to 2^53.
 *
 * Invariants: a picture equals that of cm200-view for the same trace, state and size. The module
 * neither reads files nor starts runs.
 *
 * Files: page.c has the functions below, glyph_table.c reads the glyphs, and make_glyphs.c is the
 * program that writes them.
 */
#ifndef CM_VIZ_WEB_PAGE_H
#define CM_VIZ_WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds a table of glyphs for one or more scales. Copies the table, which malloc allocated, and
 * frees it. */
void cm_web_glyphs(uint8_t *table, size_t length);
/* Shows one trace, or two if `second` is not NULL. malloc allocated their bytes, and from this call
 * on the viewer owns them. Returns false if a trace cannot be read. In this case cm_web_text gives
 * the reason, and nothing is shown. */
bool cm_web_open(uint8_t *first, size_t first_length, uint8_t *second, size_t second_length);
/* Returns the last error, the notice about an incomplete trace, or "". */
const char *cm_web_text(void);

/* Sets an option of cm200-view by its name: panel, layout, palette, theme, load, span, range
 * (values are names), at-cycle (a number), pin (NODE or NODE:DIMENSION:CHANNEL), file and
 * second-file (names of the runs). Returns false if the option or the value does not exist. */
bool cm_web_set(const char *option, const char *value);
/* Returns the present values of these options, as the query string of an address:
 * "at-cycle=512&pin=3&panel=cube&...". They show the present picture, but for the zoom of the time
 * axis and of the cube, what is hidden, and the load of one dimension. Returns "" if no trace is
 * open. The text is valid until the next call. */
const char *cm_web_options(void);

/* Handles a key, which has a name as in viz/control/keys.h. `again` is true if the key repeats
 * because it is held down. Returns false if the key has no meaning now. */
bool cm_web_key(const char *key, bool again);
void cm_web_motion(int x, int y);
void cm_web_press(int x, int y);
void cm_web_release(void);
void cm_web_wheel(int x, int y, int up, int right);
void cm_web_leave(void);
void cm_web_go(double cycle);
void cm_web_advance(double seconds);

/* Draws the picture and returns its w x h pixels as bytes R, G, B, A, which are valid until the
 * next call. The glyph tables must have the scale. Returns NULL if no trace is open, or after an
 * error, which cm_web_text describes. */
const uint8_t *cm_web_draw(int w, int h, double scale);
/* Returns true if a picture drawn now would differ from the last one. */
bool cm_web_changed(void);

enum cm_web_value {
    CM_WEB_CYCLE,
    CM_WEB_CYCLES,
    CM_WEB_PLAYING,
    CM_WEB_SPEED,
    CM_WEB_RUNS,
    CM_WEB_PROMPT, /* 1 while a cycle number is typed */
    /* 1 if a picture is to be saved. Asking for this value or for CM_WEB_QUIT clears the request */
    CM_WEB_SAVE_PICTURE,
    CM_WEB_QUIT,
};
double cm_web_value(enum cm_web_value which);
/* Returns the description of a run as JSON, or "" if there is no such run. */
const char *cm_web_made_of(uint32_t run);

#endif
