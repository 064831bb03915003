/* The table of keys with their actions, and functions that search it. */
#include "keys.h"

#include <string.h>
#include <strings.h>

enum { ONCE, REPEATS };

const struct cm_view_key cm_view_keys[CM_VIEW_KEY_COUNT] = {
#define CM_KEY(action, keys, shown, what, repeats, does) {keys, shown, what, (repeats) == REPEATS},
#include "keys.def"
#undef CM_KEY
};

bool cm_view_key_word(const char **text, char *word, size_t size)
{
    const char *start = *text + strspn(*text, " ");
    size_t length = strcspn(start, " ");
    if (length == 0 || length >= size)
        return false;
    memcpy(word, start, length);
    word[length] = '\0';
    *text = start + length;
    return true;
}

bool cm_view_key_find(const char *key, enum cm_view_action *action, uint32_t *place)
{
    char word[CM_VIEW_KEY_NAME_MAX];
    for (uint32_t a = 0; a < CM_VIEW_KEY_COUNT; a++) {
        const char *rest = cm_view_keys[a].keys;
        for (uint32_t i = 0; cm_view_key_word(&rest, word, sizeof word); i++) {
            if (strcasecmp(word, key) != 0)
                continue;
            *action = (enum cm_view_action)a;
            *place = i;
            return true;
        }
    }
    return false;
}

void cm_view_keys_text(struct cm_buffer *text)
{
    size_t width = 0;
    for (uint32_t a = 0; a < CM_VIEW_KEY_COUNT; a++) {
        size_t length = strlen(cm_view_keys[a].shown);
        width = length > width ? length : width;
    }
    for (uint32_t a = 0; a < CM_VIEW_KEY_COUNT; a++)
        cm_buffer_printf(text, "%-*s  %s\n", (int)width, cm_view_keys[a].shown,
                         cm_view_keys[a].what);
}
