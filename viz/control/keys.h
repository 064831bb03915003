/* The keys of cm200-view, as a table expanded from keys.def. Keys are known by their names, so no
 * file here needs SDL. */
#ifndef CM_VIZ_CONTROL_KEYS_H
#define CM_VIZ_CONTROL_KEYS_H

#include "../draw/draw.h"

#include "../../base/buffer.h"

enum cm_view_action {
#define CM_KEY(action, keys, shown, what, repeats, does) CM_VIEW_KEY_##action,
#include "keys.def"
#undef CM_KEY
    CM_VIEW_KEY_COUNT
};

/* First action that concerns the program of --debug. All later actions concern this program as
 * well. */
#ifndef __EMSCRIPTEN__
#define CM_VIEW_KEY_PROGRAM CM_VIEW_KEY_PROGRAM_STEP
#else
#define CM_VIEW_KEY_PROGRAM CM_VIEW_KEY_COUNT
#endif

/* Table of keys, with a row for each action. */
extern const struct cm_view_key cm_view_keys[CM_VIEW_KEY_COUNT];

/* Finds the action of a key by the key's name. Before the name there may be "Ctrl+" and "Shift+",
 * in this order. Letters are in either case. Sets *place to the index of the key among the keys of
 * the action. Returns false if the key has no action. */
bool cm_view_key_find(const char *key, enum cm_view_action *action, uint32_t *place);

/* Copies the next word of *text and advances *text behind it. Returns false if there is no word, or
 * if the word does not fit `size`. */
bool cm_view_key_word(const char **text, char *word, size_t size);

/* Writes the table of keys as text for people, one line for each row. */
void cm_view_keys_text(struct cm_buffer *text);

#define CM_VIEW_KEY_NAME_MAX 32u

#endif
