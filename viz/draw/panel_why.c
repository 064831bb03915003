/* The panel of the pinned packet with its path and waits, and of the chain of blocking packets. In
 * a large panel, bars next to the rows show when packets cross channels and when they wait. */
#include "packets.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LINE       15
#define LINE_MOST  60  /* height in points of a row in a large panel, at most */
#define CHART_W    640 /* width and height in points of a panel from which it has bars */
#define CHART_H    200
#define TEXT_W     360 /* width in points of the rows' text next to bars */
#define HOPS       64  /* number of hops of a packet that are shown, at most */
#define CHART_FOOT 40  /* height in points of the axis and the legend below bars */

static bool is_wanted(const struct cm_view_model *model, const struct cm_view_state *state)
{
    bool packets = model->runs[state->run].info->packets > 0;
    /* Stepping through a program needs the panel's room, unless the user asks for a packet. */
    bool asked = state->walk.shown || state->packet > 0;
    return (asked || (packets && model->program == NULL)) && !state->compare;
}

struct list {
    const struct cm_frame *frame;
    double y, line;        /* middle of the next row, and height of a row */
    double bottom;         /* end of the room for rows */
    struct cm_strip chart; /* place and cycles of the bars. Its width is 0 if there are no bars */
    /* Result of a search for the object whose row is under the pointer. NULL: the rows are
     * drawn. */
    struct cm_view_hit *hit;
    double at_y;
};

/* Returns true if the pointer is on the next row. */
static bool is_at(const struct list *list)
{
    return list->hit != NULL && list->at_y >= list->y - list->line / 2 &&
           list->at_y < list->y + list->line / 2;
}

static bool is_full(const struct list *list)
{
    return list->y + list->line / 2 > list->bottom;
}

/* Draws a bar in the next row, from cycle `first` to `end`. A bar that is not `bold` is thin. */
static void draw_bar(const struct list *list, uint64_t first, uint64_t end, uint32_t colour,
                     bool bold)
{
    const struct cm_strip *chart = &list->chart;
    if (!(chart->w > 0) || is_full(list) || end <= chart->first || first >= chart->end)
        return;
    double left = fmax(cm_strip_x(chart, first), chart->x);
    double right = fmin(cm_strip_x(chart, end), chart->x + chart->w);
    double high = bold ? fmin(list->line - 3, 18) : 2;
    cm_canvas_fill(&list->frame->canvas, left, list->y - high / 2, fmax(right - left, 1), high,
                   colour);
}

static uint32_t crossing_colour(const struct list *list)
{
    return cm_view_theme_colour(list->frame->state->theme, CM_VIEW_SLOT_A);
}

/* Draws the bars of a hop: the wait for the channel, then the crossing. */
static void draw_hop(const struct list *list, const struct cm_trace_hop *hop)
{
    draw_bar(list, hop->asked_cycle, hop->first_cycle, CM_VIEW_WARNING, true);
    draw_bar(list, hop->first_cycle, hop->end_cycle, crossing_colour(list), true);
}

/* Draws the bars of all hops of a packet in one row. */
static void draw_hops(const struct list *list, uint64_t number,
                      const struct cm_trace_packet *packet)
{
    struct cm_trace_hop hops[HOPS];
    if (!(list->chart.w > 0))
        return;
    uint64_t count = cm_trace_hops_of_packet(list->frame->run->trace, number, hops, HOPS);
    draw_bar(list, packet->created_cycle, packet->arrived_cycle, CM_VIEW_QUIET, false);
    for (uint64_t i = 0; i < count && i < HOPS; i++)
        draw_hop(list, &hops[i]);
}

static void print(struct list *list, bool here, uint32_t colour, const char *text)
{
    const struct cm_frame *frame = list->frame;
    struct cm_view_rect in = frame->inside;
    double w = list->chart.w > 0 ? TEXT_W : in.w;
    if (is_full(list))
        return;
    if (here && !frame->state->plain)
        cm_canvas_fill(&frame->canvas, in.x - 4, list->y - list->line / 2 + 0.5,
                       list->chart.w > 0 ? w : w + 8, list->line, CM_VIEW_RAISED);
    cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, list->y, w}, colour, "%s", text);
    list->y += list->line;
}

/* Writes a row for a hop of a packet. `there` is the cycle at which the packet's last word had
 * arrived at the node. */
static void show_hop(struct list *list, const struct cm_trace_hop *hop, uint64_t there)
{
    const struct cm_frame *frame = list->frame;
    struct cm_view_channel at = cm_view_channel_parts(frame->run, hop->channel);
    bool here = frame->cursor >= hop->asked_cycle && frame->cursor < hop->end_cycle;
    if (is_at(list)) {
        cm_frame_mark(frame, CM_VIEW_MARK_CHANNEL, hop->channel, list->hit);
        list->hit->kind = CM_VIEW_HIT_HOP;
        list->hit->cycle = hop->asked_cycle;
    }
    uint64_t waited = hop->first_cycle - hop->asked_cycle;
    char text[160], wait[80] = "";
    if (waited > 0 && hop->blocked_by != UINT64_MAX)
        snprintf(wait, sizeof wait, ", waited %s for packet %" PRIu64, cm_format_count(waited).text,
                 hop->blocked_by);
    else if (hop->asked_cycle > there)
        snprintf(wait, sizeof wait, ", %s in the queue",
                 cm_format_count(hop->asked_cycle - there).text);
    else if (waited > 0)
        snprintf(wait, sizeof wait, ", waited %s for room", cm_format_count(waited).text);
    snprintf(text, sizeof text, "%s: %u \xe2\x86\x92 %u%s", cm_format_count(hop->first_cycle).text,
             at.node, at.node ^ 1u << at.dimension, wait);
    draw_hop(list, hop);
    print(list, here, wait[0] != '\0' ? CM_VIEW_WARNING : CM_VIEW_TEXT, text);
}

static void show_packet(struct list *list, uint64_t number)
{
    const struct cm_frame *frame = list->frame;
    const struct cm_trace_packet *packet = cm_trace_packet_at(frame->run->trace, number);
    struct cm_trace_hop hops[HOPS];
    char text[160];
    if (packet == NULL)
        return;
    uint64_t count = cm_trace_hops_of_packet(frame->run->trace, number, hops, HOPS);
    snprintf(text, sizeof text, "packet %" PRIu64 ": node %u to %u, sent at %s", number,
             packet->source, packet->destination, cm_format_count(packet->created_cycle).text);
    draw_hops(list, number, packet);
    print(list, false, CM_VIEW_PIN, text);
    for (uint64_t i = 0; i < count && i < HOPS; i++)
        show_hop(list, &hops[i], i > 0 ? hops[i - 1].end_cycle : packet->created_cycle);
    if (packet->arrived_cycle == UINT64_MAX)
        snprintf(text, sizeof text, "it never arrives");
    else
        snprintf(text, sizeof text, "arrives at %s; waited %s of %s cycles",
                 cm_format_count(packet->arrived_cycle).text,
                 cm_format_count(packet->queueing_cycles).text,
                 cm_format_count(packet->arrived_cycle - packet->created_cycle).text);
    print(list, false, CM_VIEW_TEXT, text);
}

/* Writes the phase of the sequencer at the end of a link of the chain, and the page faults of its
 * event. */
static void print_work(const struct cm_frame *frame, const struct cm_why_link *link, char *text,
                       size_t size)
{
    struct cm_trace_event event;
    bool found = cm_view_event(frame->run, link->end_cycle - 1, &event) &&
                 event.first_cycle < link->end_cycle;
    char faults[40] = "";
    if (found && event.page_faults > 0)
        snprintf(faults, sizeof faults, ", %u page fault%s", event.page_faults,
                 event.page_faults > 1 ? "s" : "");
    snprintf(text, size, "%s%s", found ? cm_trace_phase_name(event.phase) : "control flow", faults);
}

static void show_link(struct list *list, const struct cm_why_link *link, bool here)
{
    char text[200], what[120];
    struct cm_view_channel at = {0, 0, 0};
    if (link->channel != CM_TRACE_NONE)
        at = cm_view_channel_parts(list->frame->run, link->channel);
    if (link->kind == CM_WHY_STEP || link->kind == CM_WHY_ROUTER)
        print_work(list->frame, link, what, sizeof what);
    else if (link->kind == CM_WHY_SENDING)
        snprintf(what, sizeof what, "until packet %" PRIu64 " is sent", link->packet);
    else
        snprintf(what, sizeof what, "packet %" PRIu64 ": %u \xe2\x86\x92 %u", link->packet, at.node,
                 at.node ^ 1u << at.dimension);
    int length =
        snprintf(text, sizeof text, "%s %s", cm_format_count(link->first_cycle).text, what);
    if (link->waiter != UINT64_MAX && length > 0 && (size_t)length < sizeof text)
        snprintf(text + length, sizeof text - (size_t)length, "; packet %" PRIu64 " waits %s",
                 link->waiter, cm_format_count(link->end_cycle - link->waited_from).text);
    bool packet =
        link->kind != CM_WHY_STEP && link->kind != CM_WHY_ROUTER && link->kind != CM_WHY_SENDING;
    draw_bar(list, link->first_cycle, link->end_cycle,
             packet ? crossing_colour(list) : CM_VIEW_QUIET, true);
    if (link->waiter != UINT64_MAX)
        draw_bar(list, link->waited_from, link->end_cycle, CM_VIEW_WARNING, false);
    print(list, here,
          here                         ? CM_VIEW_TEXT
          : link->waiter != UINT64_MAX ? CM_VIEW_WARNING
                                       : CM_VIEW_QUIET,
          text);
}

/* Lists the links of the chain of blocking packets, beginning with the last link, in the order in
 * which the key `U` visits them. Begins so far down that the current link is visible. */
static void show_chain(struct list *list, const struct cm_why *chain)
{
    const struct cm_frame *frame = list->frame;
    uint32_t count = chain->links.count, at = frame->state->walk.link;
    double room = list->bottom - list->y;
    uint32_t rows = room > list->line ? (uint32_t)(room / list->line) : 1;
    uint32_t first = at > rows ? at - rows : 0;
    for (uint32_t i = first; i < count; i++) {
        if (is_at(list)) {
            list->hit->kind = CM_VIEW_HIT_LINK;
            list->hit->link = i + 1;
        }
        show_link(list, &chain->links.items[count - 1 - i], i + 1 == at && !frame->state->plain);
    }
}

/* Lists the packets that waited longest within the time axis. Shown while no packet is pinned. */
static void show_longest(struct list *list)
{
    const struct cm_frame *frame = list->frame;
    const uint64_t *packets;
    char text[160];
    uint32_t count =
        cm_view_longest_waits(frame->run, frame->axis_first, frame->axis_end, &packets);
    print(list, false, CM_VIEW_QUIET,
          count > 0 ? "the packets that waited longest, on the time axis"
                    : "no packet waited, on the time axis");
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_trace_packet *packet = cm_trace_packet_at(frame->run->trace, packets[i]);
        snprintf(text, sizeof text, "packet %" PRIu64 ", node %u to %u: %s of %s cycles",
                 packets[i], packet->source, packet->destination,
                 cm_format_count(packet->queueing_cycles).text,
                 cm_format_count(packet->arrived_cycle - packet->created_cycle).text);
        if (is_at(list)) {
            list->hit->kind = CM_VIEW_HIT_PACKET;
            list->hit->packet = packets[i];
        }
        draw_hops(list, packets[i], packet);
        print(list, false, CM_VIEW_TEXT, text);
    }
    if (!frame->state->plain)
        print(list, false, CM_VIEW_QUIET, "O pins a packet, U goes back along what was in the way");
}

static void show_rows(struct list *list)
{
    const struct cm_frame *frame = list->frame;
    const struct cm_why *chain = cm_frame_chain(frame);
    if (chain != NULL)
        show_chain(list, chain);
    else if (frame->state->packet > 0)
        show_packet(list, frame->state->packet - 1);
    else
        show_longest(list);
}

/* Rows of the panel, and the cycles that they are about. */
struct content {
    uint32_t rows;
    uint64_t first, end;
};

static void include(struct content *content, uint64_t first, uint64_t end)
{
    content->first = first < content->first ? first : content->first;
    content->end = end != UINT64_MAX && end > content->end ? end : content->end;
}

static void include_packet(struct content *content, const struct cm_frame *frame, uint64_t number)
{
    const struct cm_trace_packet *packet = cm_trace_packet_at(frame->run->trace, number);
    if (packet != NULL)
        include(content, packet->created_cycle, packet->arrived_cycle);
}

static struct content content_of(const struct cm_frame *frame)
{
    const struct cm_why *chain = cm_frame_chain(frame);
    struct content content = {.first = UINT64_MAX};
    const uint64_t *packets;
    if (chain != NULL) {
        content.rows = chain->links.count;
        for (uint32_t i = 0; i < chain->links.count; i++)
            include(&content, chain->links.items[i].first_cycle, chain->links.items[i].end_cycle);
    } else if (frame->state->packet > 0) {
        struct cm_trace_hop hop;
        uint64_t hops =
            cm_trace_hops_of_packet(frame->run->trace, frame->state->packet - 1, &hop, 1);
        content.rows = 2 + (uint32_t)(hops < HOPS ? hops : HOPS);
        include_packet(&content, frame, frame->state->packet - 1);
    } else {
        content.rows =
            2 + cm_view_longest_waits(frame->run, frame->axis_first, frame->axis_end, &packets);
        for (uint32_t i = 0; i + 2 < content.rows; i++)
            include_packet(&content, frame, packets[i]);
    }
    return content;
}

/* Returns an empty list, with room for bars if the panel is large. */
static struct list list_of(const struct cm_frame *frame)
{
    struct cm_view_rect in = frame->inside;
    struct list list = {.frame = frame, .y = in.y + 6, .line = LINE, .bottom = in.y + (double)in.h};
    if (in.w < CHART_W || in.h < CHART_H)
        return list;
    struct content content = content_of(frame);
    if (content.rows == 0 || content.end <= content.first)
        return list;
    list.bottom -= CHART_FOOT;
    list.line = fmax(LINE, fmin(LINE_MOST, floor((list.bottom - in.y) / content.rows)));
    list.y = in.y + list.line / 2;
    list.chart =
        (struct cm_strip){in.x + TEXT_W + 8.0, in.w - TEXT_W - 8.0, content.first, content.end};
    return list;
}

static void draw_key(const struct cm_frame *frame, double *x, double y, uint32_t colour,
                     const char *text)
{
    cm_canvas_fill(&frame->canvas, *x, y - 5, 10, 10, colour);
    *x +=
        16 +
        cm_text(frame, (struct cm_text_place){CM_LEFT, *x + 15, y, 200}, CM_VIEW_TEXT, "%s", text) +
        16;
}

/* Draws the axis of the bars with lines through the rows, and what their colours mean. */
static void draw_chart(const struct list *list)
{
    const struct cm_frame *frame = list->frame;
    const struct cm_strip *chart = &list->chart;
    double top = frame->inside.y, y = list->bottom, x = chart->x;
    uint64_t step = cm_tick_step(chart->end - chart->first, (uint64_t)(chart->w / 90) + 1);
    for (uint64_t at = (chart->first + step - 1) / step * step; at < chart->end; at += step) {
        double tick = cm_strip_x(chart, at);
        bool fits = tick + 30 <= chart->x + chart->w;
        cm_canvas_fill(&frame->canvas, tick, top, 1, y - top + 4, CM_VIEW_RULE);
        if (fits)
            cm_text(frame, (struct cm_text_place){CM_CENTRE, tick - 40, y + 11, 80}, CM_VIEW_QUIET,
                    "%s", cm_format_count(at).text);
    }
    cm_text(frame, (struct cm_text_place){CM_RIGHT, chart->x - 70, y + 11, 46}, CM_VIEW_QUIET,
            "cycle");
    draw_key(frame, &x, y + 30, crossing_colour(list), "crosses a channel");
    draw_key(frame, &x, y + 30, CM_VIEW_WARNING, "waits");
    draw_key(frame, &x, y + 30, CM_VIEW_QUIET, "in a queue, or other work");
}

static void draw_why(const struct cm_frame *frame)
{
    const struct cm_why *chain = cm_frame_chain(frame);
    struct list list = list_of(frame);
    if (chain != NULL && !frame->state->plain)
        cm_frame_panel(frame, "%s: %u of %u links back", frame->panel->title,
                       frame->state->walk.link, chain->links.count);
    else
        cm_frame_panel(frame, "%s", frame->panel->title);
    if (list.chart.w > 0)
        draw_chart(&list);
    show_rows(&list);
}

/* Finds the object under the pointer. Goes through the rows in the same way as drawing, on a canvas
 * without pixels. */
static void hit_why(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    struct cm_frame unseen = *frame;
    struct list list = list_of(frame);
    list.frame = &unseen;
    list.hit = hit;
    list.at_y = y;
    unseen.canvas.right = unseen.canvas.left;
    unseen.label.canvas = &unseen.canvas;
    if (cm_rect_has(frame->inside, x, y))
        show_rows(&list);
}

static int height_in(const struct cm_room *room)
{
    return room->column == 0 ? 100 : room->column * 30 / 100 > 100 ? room->column * 30 / 100 : 100;
}

const struct cm_panel cm_panel_why = {
    .title = "What was in the way",
    .about = "Waits of the pinned packet, or the chain of what was in the way; rows are clickable.",
    .keys = "O U B Tab Return",
    .region = CM_REGION_SIDE,
    .compared = CM_REGION_NONE,
    .height_in = height_in,
    .yields = 4,
    .is_wanted = is_wanted,
    .draw = draw_why,
    .hit = hit_why,
};
