/* Makes the first state of the view from the options. Checks that the trace has the cycles, nodes,
 * channels and slices that the options name. */
#include "../control/keys.h"
#include "options.h"

#include <inttypes.h>
#include <string.h>

/* Returns the cycle of the cursor at the beginning: the one of --at-cycle, otherwise the first
 * cycle on the time axis at which a word or packet crosses a channel. */
static uint64_t first_cycle(const struct cm_view_options *options,
                            const struct cm_view_control *control)
{
    const struct cm_view_state *state = &control->state;
    if (options->frames != NULL)
        return options->from;
    if (options->at_cycle != CM_VIEW_NO_CYCLE)
        return options->at_cycle;
    return cm_view_first_movement(control->model, state, state->first, state->end);
}

/* Checks that the cycle of an option is within the run. Prints a mistake and returns its exit code,
 * or returns 0. The other checks of this file do the same. */
static int check_cycle(const char *option, uint64_t cycle, uint64_t cycles)
{
    if (cycle < cycles || cycle == 0)
        return 0;
    return shell_usage(NULL, "%s is %" PRIu64 ", but the run has cycles 0 to %" PRIu64, option,
                       cycle, cycles > 0 ? cycles - 1 : 0);
}

static int check_cycles(const struct cm_view_options *options, uint64_t cycles)
{
    uint64_t at_cycle = options->at_cycle != CM_VIEW_NO_CYCLE ? options->at_cycle : 0;
    int code = check_cycle("--at-cycle", at_cycle, cycles);
    if (code == 0)
        code = check_cycle("--from", options->from, cycles);
    if (code == 0 && options->to > cycles)
        code = shell_usage(NULL, "--to is %" PRIu64 ", but the run ends at cycle %" PRIu64,
                           options->to, cycles);
    return code != 0 ? code : check_cycle("the first cycle of --show", options->show_first, cycles);
}

static int pin(const struct cm_view_options *options, struct cm_view_control *control)
{
    const struct cm_trace_info *info = control->model->runs[0].info;
    const uint64_t *pinned = options->pinned;
    struct cm_view_mark mark = {.kind = CM_VIEW_MARK_NODE, .index = (uint32_t)pinned[0]};
    if (options->pinned_count == 0)
        return 0;
    if (pinned[0] >= info->nodes)
        return shell_usage(NULL,
                           "--pin names node %" PRIu64 ", but the run has nodes 0 to %" PRIu32,
                           pinned[0], info->nodes - 1);
    if (options->pinned_count == 3) {
        if (pinned[1] >= info->dimensions || pinned[2] >= info->channels)
            return shell_usage(
                NULL, "--pin is %s, but the run has %" PRIu32 " dimensions of %" PRIu32 " channels",
                options->pin, info->dimensions, info->channels);
        mark.kind = CM_VIEW_MARK_CHANNEL;
        mark.index = cm_view_channel_index(&control->model->runs[0], (uint32_t)pinned[0],
                                           (uint32_t)pinned[1], (uint32_t)pinned[2]);
    }
    cm_view_pin(&control->state, mark);
    return 0;
}

static int choose_load(const struct cm_view_options *options, struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    if (options->load_number == CM_VIEW_LOAD_COUNT)
        return 0;
    if (options->load_dimension >= cm_view_dimensions(control->model, state) &&
        options->load_number == CM_VIEW_LOAD_DIMENSION)
        return shell_usage(NULL, "--load is %s, but the run has %" PRIu32 " dimensions",
                           options->load, cm_view_dimensions(control->model, state));
    state->load = (enum cm_view_load)options->load_number;
    state->load_dimension = (uint32_t)options->load_dimension;
    return 0;
}

static int choose_slice(const struct cm_view_options *options, struct cm_view_control *control)
{
    uint64_t slices = cm_view_slices(control->model, &control->state);
    if (options->slice > slices && slices == 0)
        return shell_usage(NULL, "--slice is for an array of three axes or more");
    if (options->slice > slices)
        return shell_usage(NULL, "--slice is %" PRIu64 ", but the array has %" PRIu64 " slices",
                           options->slice, slices);
    control->state.slice = options->slice;
    return 0;
}

/* Checks all keys of --press before the first is pressed. The keys with which a cycle is typed are
 * not in the key table. */
static int check_keys(const char *keys)
{
    static const char *const typing[] = {"0", "1", "2", "3", "4",         "5",
                                         "6", "7", "8", "9", "Backspace", NULL};
    enum cm_view_action action;
    uint32_t place;
    char word[CM_VIEW_KEY_NAME_MAX];
    while (keys != NULL && cm_view_key_word(&keys, word, sizeof word))
        if (!cm_view_key_find(word, &action, &place) && !cm_view_name_find(typing, word, &place))
            return shell_usage(NULL, "--press has the unknown key \"%s\"; --keys lists the keys",
                               word);
    if (keys != NULL && keys[strspn(keys, " ")] != '\0')
        return shell_usage(NULL, "--press has a word that is not a key; --keys lists the keys");
    return 0;
}

enum cm_status cm_view_options_apply(const struct cm_view_options *options,
                                     struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    state->panel = (enum cm_view_panel)options->panel_number;
    if (state->panel != CM_VIEW_ALL)
        state->focus = state->panel;
    state->colours = (enum cm_view_colours)options->palette_number;
    state->theme = (enum cm_view_theme)options->theme_number;
    state->range = (enum cm_view_range)options->range_number;
    if (options->cube != NULL)
        cm_view_look_at_cube(state, (double)options->cube_part[0] / 100,
                             (double)options->cube_part[1] / 100,
                             (double)options->cube_part[2] / 100);
    state->plain = options->plain;
    state->large_text = options->text_number > 0;
    state->machine = (enum cm_view_machine)options->layout_number;
    if (options->span != NULL)
        state->span = (enum cm_view_span)options->span_number;
    if (check_cycles(options, cm_view_cycles(control->model, state)) != 0 ||
        pin(options, control) != 0 || choose_load(options, control) != 0 ||
        choose_slice(options, control) != 0 || check_keys(options->press) != 0)
        return CM_USAGE;
    if (options->show != NULL)
        cm_view_zoom_to(control->model, state, options->show_first, options->show_end);
    cm_view_go(control->model, state, first_cycle(options, control));
    return CM_OK;
}
