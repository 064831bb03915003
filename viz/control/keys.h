/* The keys of cm200-view: the table made of keys.def. No SDL: keys are known by their names. */
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

/* Keys from this one on are about a program that is stepped through. */
#ifndef __EMSCRIPTEN__
#define CM_VIEW_KEY_PROGRAM CM_VIEW_KEY_PROGRAM_STEP
#else
#define CM_VIEW_KEY_PROGRAM CM_VIEW_KEY_COUNT
#endif

/* By action. */
extern const struct cm_view_key cm_view_keys[CM_VIEW_KEY_COUNT];

/*
 * The action of a key, by its name with "Ctrl+" and "Shift+" in front of it, in this order; letters
 * in either case. `place` is the key's among those of the action. False: the key has no action.
 */
bool cm_view_key_find(const char *key, enum cm_view_action *action, uint32_t *place);

/* Moves the next word of *text to `word`; false: there is no word, or none that fits `size`. */
bool cm_view_key_word(const char **text, char *word, size_t size);

/* The table as text for people, a line a row. */
void cm_view_keys_text(struct cm_buffer *text);

#define CM_VIEW_KEY_NAME_MAX 32u

#endif
