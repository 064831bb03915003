/* Translates SDL events: keys into names that are the same on every keyboard, and mouse positions
 * into pixels. */
#include "events.h"

#include <stdio.h>
#include <string.h>

static const char *key_base_name(SDL_Keycode key)
{
    static const char keypad[] = "Keypad ";
    if (key == SDLK_EQUALS) /* on many keyboards plus is the equals key with Shift */
        return "+";
    if (key == SDLK_KP_ENTER)
        return "Return";
    const char *name = SDL_GetKeyName(key);
    return strncmp(name, keypad, sizeof keypad - 1) == 0 ? name + sizeof keypad - 1 : name;
}

/* Writes the name of a key in the form of keys.h. Returns false if the key has no name, or is
 * pressed with Alt or a system key. */
static bool key_name(const SDL_Keysym *key, char name[CM_VIEW_KEY_NAME_MAX])
{
    if (key->mod & (KMOD_ALT | KMOD_GUI))
        return false;
    const char *base = key_base_name(key->sym);
    bool letter = base[0] >= 'A' && base[0] <= 'Z';
    /* Some keyboards need Shift for signs and digits, so Shift becomes part of the name only for
     * letters and for keys with long names. */
    bool shift = (key->mod & KMOD_SHIFT) != 0 && (letter || base[1] != '\0');
    int length = snprintf(name, CM_VIEW_KEY_NAME_MAX, "%s%s%s", key->mod & KMOD_CTRL ? "Ctrl+" : "",
                          shift ? "Shift+" : "", base);
    return base[0] != '\0' && length > 0 && (size_t)length < CM_VIEW_KEY_NAME_MAX;
}

static bool key_event(const SDL_KeyboardEvent *event, struct cm_view_control *control, char *name,
                      size_t size)
{
    char key[CM_VIEW_KEY_NAME_MAX];
    enum cm_view_action action;
    uint32_t argument;
    if (!key_name(&event->keysym, key))
        return false;
    bool known = cm_view_key_find(key, &action, &argument);
    if (event->repeat != 0 && !control->prompt && !control->commanding &&
        (!known || !cm_view_keys[action].repeats))
        return false;
    if (!cm_view_control_key(control, key))
        return false;
    snprintf(name, size, "key %s", key);
    return true;
}

static bool wheel_event(const SDL_MouseWheelEvent *event, const struct cm_view_target *target,
                        struct cm_view_control *control)
{
    int x, y, up = event->y, right = event->x;
    SDL_GetMouseState(&x, &y);
    if (SDL_GetModState() & KMOD_SHIFT) {
        right -= up;
        up = 0;
    }
    if (event->direction == SDL_MOUSEWHEEL_FLIPPED) {
        up = -up;
        right = -right;
    }
    cm_view_control_wheel(control, target, x, y, up, right);
    return up != 0 || right != 0;
}

static void press_event(const SDL_MouseButtonEvent *event, const struct cm_view_target *target,
                        struct cm_view_control *control)
{
    if (event->clicks == 2)
        cm_view_control_double(control, target, event->x, event->y);
    else if (SDL_GetModState() & KMOD_SHIFT)
        cm_view_control_select(control, target, event->x, event->y);
    else
        cm_view_control_press(control, target, event->x, event->y);
}

static bool window_event(const SDL_WindowEvent *event, struct cm_view_control *control)
{
    if (event->event == SDL_WINDOWEVENT_LEAVE)
        cm_view_control_leave(control);
    else if (event->event == SDL_WINDOWEVENT_FOCUS_LOST)
        cm_view_control_release(control);
    else
        return false;
    return true;
}

bool cm_view_take_event(const SDL_Event *event, const struct cm_view_target *target,
                        struct cm_view_control *control, char *name, size_t size)
{
    switch (event->type) {
    case SDL_QUIT:
        control->quit = true;
        snprintf(name, size, "close");
        return true;
    case SDL_KEYDOWN:
        return key_event(&event->key, control, name, size);
    case SDL_TEXTINPUT:
        cm_view_control_text(control, event->text.text);
        snprintf(name, size, "text");
        return control->commanding;
    case SDL_MOUSEMOTION:
        snprintf(name, size, "motion");
        cm_view_control_motion(control, target, event->motion.x, event->motion.y);
        return true;
    case SDL_MOUSEBUTTONDOWN:
        if (event->button.button != SDL_BUTTON_LEFT)
            return false;
        snprintf(name, size, "press");
        press_event(&event->button, target, control);
        return true;
    case SDL_MOUSEBUTTONUP:
        if (event->button.button != SDL_BUTTON_LEFT)
            return false;
        snprintf(name, size, "release");
        cm_view_control_release(control);
        return true;
    case SDL_MOUSEWHEEL:
        snprintf(name, size, "wheel");
        return wheel_event(&event->wheel, target, control);
    case SDL_WINDOWEVENT:
        snprintf(name, size, "leave");
        return window_event(&event->window, control);
    default:
        return false;
    }
}
