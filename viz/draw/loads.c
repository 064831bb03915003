/* Loads of nodes: the values by which grid and cube colour the nodes, their colour scale, and their
 * texts. */
#include "draw_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t *loads_of(const struct cm_frame *frame, uint32_t run, uint64_t first,
                                uint64_t end)
{
    const struct cm_view_state *state = frame->state;
    return cm_view_node_loads(&frame->model->runs[run], first, end, state->hidden_dimensions,
                              state->load, state->load_dimension);
}

static uint64_t most_of(const struct cm_frame *frame, uint32_t run, uint64_t first, uint64_t end)
{
    const uint64_t *loads = loads_of(frame, run, first, end);
    uint64_t most = 0;
    for (uint32_t node = 0; node < frame->model->runs[run].info->nodes; node++)
        most = loads[node] > most ? loads[node] : most;
    return most;
}

/* Returns the top of the colour scale for counts: the largest count of the interval, rounded up.
 * Two runs share one scale. */
static double top_of(const struct cm_frame *frame)
{
    uint32_t run = (uint32_t)(frame->run - frame->model->runs);
    uint64_t most = 0;
    if (frame->layout.columns < 3)
        return (double)cm_view_round_top(most_of(frame, run, frame->first, frame->end));
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t here = most_of(frame, i, frame->times[i].first, frame->times[i].end);
        most = here > most ? here : most;
    }
    return (double)cm_view_round_top(most);
}

struct cm_shares cm_frame_nodes(const struct cm_frame *frame)
{
    const struct cm_view_state *state = frame->state;
    uint32_t hidden = state->hidden_dimensions;
    double whole = cm_view_load_whole(frame->run, frame->first, frame->end, hidden, state->load);
    struct cm_shares shares = {.length = 1, .minus_length = 1, .counts = !(whole > 0)};
    if (!shares.counts) {
        shares.length = whole;
        shares.minus_length = cm_view_load_whole(&frame->model->runs[0], frame->times[0].first,
                                                 frame->times[0].end, hidden, state->load);
    }
    shares.top = shares.counts ? top_of(frame) : frame->top;
    shares.busy =
        loads_of(frame, (uint32_t)(frame->run - frame->model->runs), frame->first, frame->end);
    if (frame->difference)
        shares.minus = loads_of(frame, 0, frame->times[0].first, frame->times[0].end);
    return shares;
}

struct cm_formatted cm_frame_load_text(const struct cm_frame *frame, const struct cm_shares *shares,
                                       double share)
{
    struct cm_formatted text;
    const char *sign = !frame->difference || share == 0 ? "" : share < 0 ? "\xe2\x88\x92" : "+";
    double size = fabs(share);
    snprintf(text.text, sizeof text.text, "%s%.20s", sign,
             shares->counts ? cm_format_count((uint64_t)(size + 0.5)).text
                            : cm_percent_of(size).text);
    return text;
}

struct cm_load_title cm_frame_load_title(const struct cm_frame *frame)
{
    const struct cm_view_state *state = frame->state;
    struct cm_load_title title;
    if (state->load == CM_VIEW_LOAD_DIMENSION)
        snprintf(title.text, sizeof title.text, "dimension %u, %s", state->load_dimension,
                 cm_view_load_titles[state->load]);
    else
        snprintf(title.text, sizeof title.text, "%s", cm_view_load_titles[state->load]);
    return title;
}
