/*
 * The viewer as a module of a page: traces in, pictures out, keys and mouse as in the program.
 * web/viewer.js calls these functions; there is one viewer in an instance of the module. Cycles are
 * doubles, for JavaScript's numbers are: exact up to 2^53.
 */
#ifndef CM_VIZ_WEB_PAGE_H
#define CM_VIZ_WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table of glyphs, made by malloc, which is freed; tables of other scales may follow. */
void cm_web_glyphs(uint8_t *table, size_t length);
/*
 * Shows a trace, or two to compare (`second` not NULL), made by malloc; they belong to the viewer
 * from here on. False: cm_web_text says why, and what was shown is gone.
 */
bool cm_web_open(uint8_t *first, size_t first_length, uint8_t *second, size_t second_length);
/* What went wrong, or what is missing in a trace; "": nothing. */
const char *cm_web_text(void);

/* Options of cm200-view: panel, layout, palette, theme, load, span (a name), at-cycle (a number),
 * pin (a node); and what the runs are called: file, second-file. False: there is no such thing. */
bool cm_web_set(const char *option, const char *value);

/* A key as viz/control/keys.h names it; `again`: it is held down. False: no meaning now. */
bool cm_web_key(const char *key, bool again);
void cm_web_motion(int x, int y);
void cm_web_press(int x, int y);
void cm_web_release(void);
void cm_web_wheel(int x, int y, int up, int right);
void cm_web_leave(void);
void cm_web_go(double cycle);
void cm_web_advance(double seconds);

/*
 * The picture in w x h pixels, as bytes R, G, B, A; `scale` pixels a point, of the table of glyphs.
 * NULL: nothing is open, or it failed (cm_web_text). Valid until the next call.
 */
const uint8_t *cm_web_draw(int w, int h, double scale);
/* Whether anything that is shown has changed since it was drawn. */
bool cm_web_changed(void);

enum cm_web_value {
    CM_WEB_CYCLE,
    CM_WEB_CYCLES,
    CM_WEB_PLAYING,
    CM_WEB_SPEED,
    CM_WEB_RUNS,
    CM_WEB_PROMPT,       /* a cycle is being typed */
    CM_WEB_SAVE_PICTURE, /* was asked for; asking here clears it, and so with the next */
    CM_WEB_QUIT,
};
double cm_web_value(enum cm_web_value which);
/* What a run is of, as JSON. */
const char *cm_web_made_of(uint32_t run);

#endif
