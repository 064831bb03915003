/* Draws packets over the cube and over the grid of nodes. */
#include "packets.h"

#include <math.h>

uint32_t cm_tint_colour(const struct cm_frame *frame, uint32_t source, uint32_t destination,
                        uint32_t left, double age)
{
    enum cm_view_theme theme = frame->state->theme;
    uint32_t dimensions = frame->run->info->dimensions;
    switch (frame->state->tint) {
    case CM_VIEW_TINT_DESTINATION:
        return cm_view_node_colour(theme, destination);
    case CM_VIEW_TINT_DISTANCE:
        return cm_view_colour(theme, frame->state->colours,
                              dimensions > 0 ? (double)left / dimensions : 0);
    case CM_VIEW_TINT_AGE:
        return cm_view_colour(theme, frame->state->colours, age < 0.01 ? 0.01 : age > 1 ? 1 : age);
    default:
        return cm_view_node_colour(theme, source);
    }
}

uint32_t cm_packet_colour(const struct cm_frame *frame, const struct cm_view_message *message)
{
    const struct cm_trace_info *info = frame->run->info;
    const struct cm_trace_packet *packet = message->recorded;
    uint64_t age = frame->cursor - packet->created_cycle;
    uint32_t left = (uint32_t)__builtin_popcount(message->node ^ packet->destination);
    double word = info->word_cycles > 0 ? (double)info->word_cycles : 1;
    double old = (double)age / ((packet->words + 4.0 * info->dimensions) * word);
    return cm_tint_colour(frame, packet->source, packet->destination, left, old);
}

const struct cm_why *cm_frame_chain(const struct cm_frame *frame)
{
    const struct cm_view_walk *walk = &frame->state->walk;
    return walk->shown && frame->layout.columns < 3
               ? cm_view_chain(frame->run, walk->packet - 1, walk->cycle)
               : NULL;
}

/* Returns the point on a path at a fraction of the path's length. */
struct cm_point cm_point_along(const struct cm_point *line, uint32_t points, double part)
{
    double length = 0, at;
    for (uint32_t i = 0; i + 1 < points; i++)
        length += hypot(line[i + 1].x - line[i].x, line[i + 1].y - line[i].y);
    at = length * part;
    for (uint32_t i = 0; i + 1 < points; i++) {
        double dx = line[i + 1].x - line[i].x, dy = line[i + 1].y - line[i].y,
               piece = hypot(dx, dy);
        if (at <= piece && piece > 0)
            return (struct cm_point){line[i].x + dx * at / piece, line[i].y + dy * at / piece};
        at -= piece;
    }
    return line[points - 1];
}

static uint32_t line_of(const struct cm_frame *frame, const struct cm_cube *cube, uint32_t channel,
                        struct cm_point line[4])
{
    struct cm_view_channel at = cm_view_channel_parts(frame->run, channel);
    if (!cm_cube_joins(cube, at.node, at.dimension) ||
        frame->state->hidden_dimensions >> at.dimension & 1)
        return 0;
    return cm_cube_lane(cube, at.node, at.dimension, at.channel, line);
}

static void stroke(const struct cm_frame *frame, const struct cm_cube *cube, uint32_t channel,
                   double width, uint32_t colour)
{
    struct cm_point line[4];
    uint32_t points = line_of(frame, cube, channel, line);
    for (uint32_t i = 0; i + 1 < points; i++)
        cm_canvas_line(&frame->canvas, line[i], line[i + 1], width, 0, colour);
}

/* Draws the whole path of the pinned packet, and the channels of the chain of blocking packets. */
static void draw_paths(const struct cm_frame *frame, const struct cm_cube *cube)
{
    const struct cm_why *chain = cm_frame_chain(frame);
    struct cm_trace_hop hops[64];
    for (uint32_t i = 0; chain != NULL && i < chain->links.count; i++)
        if (chain->links.items[i].channel != CM_TRACE_NONE)
            stroke(frame, cube, chain->links.items[i].channel, 5, CM_VIEW_WARNING);
    uint64_t packet = frame->state->packet;
    uint64_t count =
        packet > 0 ? cm_trace_hops_of_packet(frame->run->trace, packet - 1, hops, 64) : 0;
    for (uint64_t i = 0; i < count && i < 64; i++)
        stroke(frame, cube, hops[i].channel, 2.5, CM_VIEW_PIN);
}

static void draw_dot(const struct cm_frame *frame, const struct cm_view_message *message,
                     struct cm_point at, double radius)
{
    bool pinned = message->packet + 1 == frame->state->packet;
    if (pinned)
        cm_canvas_disc(&frame->canvas, at, radius + 2.5, CM_VIEW_PIN);
    cm_canvas_disc(&frame->canvas, at, radius + 1, CM_VIEW_BACK);
    cm_canvas_disc(&frame->canvas, at, radius, cm_packet_colour(frame, message));
}

/* Draws a packet on the line of a channel: a waiting packet as a ring at the beginning of the line,
 * a moving packet as a disc on the line. */
static void draw_on_lane(const struct cm_frame *frame, const struct cm_cube *cube,
                         const struct cm_view_message *message, double radius)
{
    struct cm_point line[4];
    uint32_t channel =
        message->channel != CM_TRACE_NONE ? message->channel : message->wanted_channel;
    if (channel == CM_TRACE_NONE)
        return;
    uint32_t points = line_of(frame, cube, channel, line);
    if (points == 0)
        return;
    if (message->channel != CM_TRACE_NONE)
        draw_dot(frame, message, cm_point_along(line, points, message->part), radius);
    else
        cm_canvas_ring(&frame->canvas, line[0], radius,
                       message->packet + 1 == frame->state->packet ? 3 : 1.5,
                       cm_packet_colour(frame, message));
}

/* Writes the number of packets that wait at a node at a corner of the node's box. */
static void draw_queue(const struct cm_frame *frame, struct cm_point corner, uint32_t length)
{
    double w = length < 10 ? 13 : length < 100 ? 19 : 25;
    cm_canvas_fill(&frame->canvas, corner.x - w / 2, corner.y - 6, w, 12, CM_VIEW_WARNING);
    cm_text(frame, (struct cm_text_place){CM_CENTRE, corner.x - w / 2, corner.y, w}, CM_VIEW_BACK,
            "%u", length);
}

void cm_draw_packets_on_cube(const struct cm_frame *frame, const struct cm_cube *cube)
{
    const struct cm_view_traffic *traffic =
        frame->difference ? NULL : cm_view_traffic(frame->run, frame->cursor);
    if (traffic == NULL)
        return;
    draw_paths(frame, cube);
    double radius = fmin(fmax(cube->lane * 0.8, 2.5), 5);
    for (uint32_t i = 0; i < traffic->messages.count; i++)
        draw_on_lane(frame, cube, &traffic->messages.items[i], radius);
    for (uint32_t i = 0; i < cube->count; i++) {
        uint32_t node = cm_cube_member(cube, i);
        struct cm_point at = cm_cube_node(cube, node);
        at = (struct cm_point){at.x + cube->box_w / 2, at.y - cm_cube_height(cube, node) / 2};
        if (traffic->queue[node] > 0)
            draw_queue(frame, at, traffic->queue[node]);
    }
}

static struct cm_point centre_of(const struct cm_frame *frame, const struct cm_cells *cells,
                                 uint32_t node)
{
    uint32_t column, row;
    cm_view_grid_place(frame->run, node, &column, &row);
    return (struct cm_point){cells->x + (column + 0.5) * cells->w / cells->columns,
                             cells->y + (row + 0.5) * cells->h / cells->rows};
}

static void join(const struct cm_frame *frame, const struct cm_cells *cells, uint32_t channel,
                 double width, uint32_t colour)
{
    struct cm_view_channel at = cm_view_channel_parts(frame->run, channel);
    cm_canvas_line(&frame->canvas, centre_of(frame, cells, at.node),
                   centre_of(frame, cells, at.node ^ 1u << at.dimension), width, 0, colour);
}

static void draw_grid_paths(const struct cm_frame *frame, const struct cm_cells *cells)
{
    const struct cm_why *chain = cm_frame_chain(frame);
    struct cm_trace_hop hops[64];
    for (uint32_t i = 0; chain != NULL && i < chain->links.count; i++)
        if (chain->links.items[i].channel != CM_TRACE_NONE)
            join(frame, cells, chain->links.items[i].channel, 3, CM_VIEW_WARNING);
    uint64_t packet = frame->state->packet;
    uint64_t count =
        packet > 0 ? cm_trace_hops_of_packet(frame->run->trace, packet - 1, hops, 64) : 0;
    for (uint64_t i = 0; i < count && i < 64; i++)
        join(frame, cells, hops[i].channel, 2, CM_VIEW_PIN);
}

/* Draws each moving packet between the cells of the two nodes, and each waiting packet in its
 * node's cell. */
void cm_draw_packets_on_grid(const struct cm_frame *frame, const struct cm_cells *cells)
{
    const struct cm_view_traffic *traffic =
        frame->difference ? NULL : cm_view_traffic(frame->run, frame->cursor);
    double each = cells->columns > 0 ? cells->w / cells->columns : 0;
    if (traffic == NULL)
        return;
    double size = fmin(fmax(each * 0.3, 2), 6);
    for (uint32_t i = 0; i < traffic->messages.count; i++) {
        const struct cm_view_message *message = &traffic->messages.items[i];
        struct cm_point at = centre_of(frame, cells, message->node);
        if (message->channel != CM_TRACE_NONE) {
            struct cm_view_channel on = cm_view_channel_parts(frame->run, message->channel);
            struct cm_point from = centre_of(frame, cells, on.node);
            struct cm_point to = centre_of(frame, cells, on.node ^ 1u << on.dimension);
            at = (struct cm_point){from.x + (to.x - from.x) * message->part,
                                   from.y + (to.y - from.y) * message->part};
        }
        cm_canvas_fill(&frame->canvas, at.x - size / 2, at.y - size / 2, size, size,
                       cm_packet_colour(frame, message));
    }
    draw_grid_paths(frame, cells);
    for (uint32_t node = 0; each >= 22 && node < frame->run->info->nodes; node++) {
        struct cm_point at = centre_of(frame, cells, node);
        if (traffic->queue[node] > 0)
            draw_queue(frame, (struct cm_point){at.x + each / 2 - 6, at.y - each / 2 + 5},
                       traffic->queue[node]);
    }
}
