/* From options to the first state, where the trace must have what they name. */
#include "../control/keys.h"
#include "../model/names.h"
#include "options.h"

#include <inttypes.h>
#include <string.h>

/* The cycle to begin at: what is asked for, else the first one on the time axis. */
static uint64_t first_cycle(const struct cm_view_options *options)
{
    if (options->frames != NULL)
        return options->from;
    return options->at_cycle != CM_VIEW_NO_CYCLE ? options->at_cycle : options->show_first;
}

static enum cm_status check_cycle(const char *option, uint64_t cycle, uint64_t cycles)
{
    if (cycle < cycles || cycle == 0)
        return CM_OK;
    cli_usage(NULL, "%s is %" PRIu64 ", but the run has cycles 0 to %" PRIu64, option, cycle,
              cycles > 0 ? cycles - 1 : 0);
    return CM_USAGE;
}

static enum cm_status check_cycles(const struct cm_view_options *options, uint64_t cycles)
{
    enum cm_status status = CM_OK;
    if (options->at_cycle != CM_VIEW_NO_CYCLE)
        status = check_cycle("--at-cycle", options->at_cycle, cycles);
    if (status == CM_OK)
        status = check_cycle("--from", options->from, cycles);
    if (status == CM_OK && options->to > cycles) {
        cli_usage(NULL, "--to is %" PRIu64 ", but the run ends at cycle %" PRIu64, options->to,
                  cycles);
        return CM_USAGE;
    }
    if (status == CM_OK && options->show != NULL)
        status = check_cycle("the first cycle of --show", options->show_first, cycles);
    return status;
}

static enum cm_status pin(const struct cm_view_options *options, struct cm_view_control *control)
{
    const struct cm_trace_info *info = control->model->runs[0].info;
    const uint64_t *pinned = options->pinned;
    if (options->pinned_count == 0)
        return CM_OK;
    if (pinned[0] >= info->nodes) {
        cli_usage(NULL, "--pin names node %" PRIu64 ", but the run has nodes 0 to %" PRIu32,
                  pinned[0], info->nodes - 1);
        return CM_USAGE;
    }
    struct cm_view_mark mark = {.kind = CM_VIEW_MARK_NODE, .index = (uint32_t)pinned[0]};
    if (options->pinned_count == 3) {
        if (pinned[1] >= info->dimensions || pinned[2] >= info->channels) {
            cli_usage(NULL,
                      "--pin is %s, but the run has %" PRIu32 " dimensions of %" PRIu32 " channels",
                      options->pin, info->dimensions, info->channels);
            return CM_USAGE;
        }
        mark.kind = CM_VIEW_MARK_CHANNEL;
        mark.index =
            (uint32_t)((pinned[0] * info->dimensions + pinned[1]) * info->channels + pinned[2]);
    }
    cm_view_pin(&control->state, mark);
    return CM_OK;
}

/* Keys are checked before any is pressed; words that are typed into a prompt are none of the
 * table's. */
static enum cm_status check_keys(const char *keys)
{
    static const char *const typing[] = {"0", "1", "2", "3", "4",         "5",
                                         "6", "7", "8", "9", "Backspace", NULL};
    enum cm_view_action action;
    uint32_t argument, place;
    char word[CM_VIEW_KEY_NAME_MAX];
    const char *rest = keys;
    while (cm_view_key_word(&rest, word, sizeof word)) {
        if (!cm_view_key_find(word, &action, &argument) &&
            !cm_view_name_find(typing, word, &place)) {
            cli_usage(NULL, "--press has the key \"%s\", which means nothing; --keys lists them",
                      word);
            return CM_USAGE;
        }
    }
    if (rest[strspn(rest, " ")] == '\0')
        return CM_OK;
    cli_usage(NULL, "--press has a word that is no key; --keys lists them");
    return CM_USAGE;
}

enum cm_status cm_view_options_apply(const struct cm_view_options *options,
                                     struct cm_view_control *control)
{
    struct cm_view_state *state = &control->state;
    state->panel = (enum cm_view_panel)options->panel_number;
    if (state->panel != CM_VIEW_ALL)
        state->focus = state->panel;
    state->colours = (enum cm_view_colours)options->palette_number;
    state->machine = (enum cm_view_machine)options->layout_number;
    state->span = (enum cm_view_span)options->span_number;
    enum cm_status status = check_cycles(options, cm_view_cycles(control->model, state));
    if (status == CM_OK)
        status = pin(options, control);
    if (status == CM_OK && options->press != NULL)
        status = check_keys(options->press);
    if (status != CM_OK)
        return status;
    if (options->show != NULL)
        cm_view_zoom_to(control->model, state, options->show_first, options->show_end);
    cm_view_go(control->model, state, first_cycle(options));
    return CM_OK;
}
