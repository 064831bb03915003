/* The inspector panel: numbers about the node or channel that is pinned or under the pointer, the
 * instruction at the cursor, and the open memory page. */
#include "../model/holds.h"
#include "draw_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct scene {
    const struct cm_frame *frame;
    const struct cm_view_run *run;
    struct cm_view_rect inside;
    double y; /* y coordinate of the middle of the next line */
    /* Result of a search for the object whose row is under the pointer. NULL: the rows are
     * drawn. */
    struct cm_view_hit *hit;
    double at_x, at_y;
};

/* Makes a row, or a part of a row, stand for a channel: a click on it pins the channel. */
static void row_of_channel(const struct scene *scene, double x, double w, double h, uint32_t index)
{
    if (scene->hit == NULL || scene->at_x < x || scene->at_x >= x + w ||
        scene->at_y < scene->y - h / 2 || scene->at_y >= scene->y + h / 2)
        return;
    cm_frame_mark(scene->frame, CM_VIEW_MARK_CHANNEL, index, scene->hit);
    scene->hit->kind = CM_VIEW_HIT_ROW;
}

#define NAMES_WIDTH 76
#define ROW_MAX     28  /* height in points of a row with the channels of a dimension, at most */
#define BARS_ROOM   640 /* width in points of a panel in which the busiest channels have bars */
#define BARS_LEFT   190 /* room in points left and right of these bars */
#define BARS_RIGHT  150
#define ROOMY       460 /* height of the panel in points above which slots are drawn taller */

static bool is_full(const struct scene *scene)
{
    return scene->y + 7 > scene->inside.y + scene->inside.h;
}

static void draw_name(const struct scene *scene, const char *name)
{
    cm_text(scene->frame,
            (struct cm_text_place){CM_LEFT, scene->inside.x, scene->y, NAMES_WIDTH - 4},
            CM_VIEW_QUIET, "%s", name);
}

/* Writes a line that begins with a name, if there is room. */
static void CM_PRINTF(4, 5)
    line(struct scene *scene, const char *name, uint32_t colour, const char *format, ...)
{
    char value[200];
    va_list arguments;
    if (is_full(scene))
        return;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    draw_name(scene, name);
    cm_text(scene->frame,
            (struct cm_text_place){CM_LEFT, scene->inside.x + NAMES_WIDTH, scene->y,
                                   scene->inside.w - NAMES_WIDTH},
            colour, "%s", value);
    scene->y += 16;
}

/* Shows the text of the instruction at the cursor, and its IMP and source line. */
static void show_instruction(struct scene *scene, const struct cm_trace_event *event)
{
    const struct cm_trace *trace = scene->run->trace;
    char text[200];
    cm_trace_instruction(trace, event->imp, event->pc, text, sizeof text);
    line(scene, "instruction", CM_VIEW_SLOT_A, "%s", text);
    const char *name = cm_trace_imp_name(trace, event->imp);
    const char *file = cm_trace_imp_source(trace, event->imp);
    uint32_t source = cm_trace_imp_line(trace, event->imp, event->pc);
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (file != NULL && source > 0)
        line(scene, "of", CM_VIEW_TEXT, "%s, %s:%u", name, slash != NULL ? slash + 1 : file,
             source);
    else
        line(scene, "of", CM_VIEW_TEXT, "%s (compiled), instruction %u", name, event->pc);
}

/* Shows the source line of the program that runs at a cycle. */
static void show_source(struct scene *scene, uint64_t cycle)
{
    const struct cm_trace_line *source = cm_trace_find_line(scene->run->trace, cycle);
    if (source == NULL)
        return;
    const char *slash = strrchr(source->file, '/');
    line(scene, "line", CM_VIEW_TEXT, "%s:%" PRIu32, slash != NULL ? slash + 1 : source->file,
         source->line);
    line(scene, "", CM_VIEW_TEXT, "%s", source->text);
}

static void show_event(struct scene *scene)
{
    struct cm_trace_event event;
    uint64_t cycle = scene->frame->state->cycle;
    if (!cm_view_event(scene->run, cycle, &event) || event.first_cycle > cycle) {
        line(scene, "sequencer", CM_VIEW_TEXT, "control flow");
        return;
    }
    line(scene, "sequencer", CM_VIEW_TEXT, "%s, cycles %s\xe2\x80\x93%s",
         cm_trace_phase_name(event.phase), cm_format_count(event.first_cycle).text,
         cm_format_count(event.end_cycle).text);
    if (event.imp != CM_TRACE_NONE && event.pc != CM_TRACE_NONE)
        show_instruction(scene, &event);
    if (event.step < scene->run->info->steps) {
        const struct cm_trace_step *step = cm_trace_step_at(scene->run->trace, event.step);
        line(scene, "step", CM_VIEW_TEXT, "%s at %s", step->op, step->where);
    }
    show_source(scene, cycle);
}

static void show_page(struct scene *scene)
{
    uint64_t page = cm_trace_open_page(scene->run->trace, scene->frame->state->cycle);
    if (page == UINT64_MAX)
        line(scene, "open page", CM_VIEW_TEXT, "none");
    else if (page == CM_TRACE_MANY_PAGES)
        line(scene, "open page", CM_VIEW_TEXT, "differs between nodes");
    else
        line(scene, "open page", CM_VIEW_TEXT, "%s (words from %s)", cm_format_count(page).text,
             cm_format_count(page * scene->run->info->page_words).text);
}

static void draw_slots(struct scene *scene, const char *name, uint64_t used, uint32_t colour)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    double tall = scene->inside.h >= ROOMY ? 16 : 10;
    double x = scene->inside.x + NAMES_WIDTH, y = scene->y - 5;
    uint32_t slots = scene->run->info->slots;
    double each = floor((scene->inside.w - NAMES_WIDTH) / (slots > 0 ? slots : 1.0));
    if (is_full(scene) || each < 2)
        return;
    draw_name(scene, name);
    for (uint32_t s = 0; s < slots; s++, x += each)
        if (used >> s & 1)
            cm_canvas_fill(canvas, x, y, each - 1, tall, colour);
        else
            cm_canvas_frame(canvas, (struct cm_area){x, y, each - 1, tall}, 1, CM_VIEW_OUTLINE);
    scene->y += tall + 6;
}

/* Position of a channel's bar and of the number next to it. */
struct channel_place {
    int x, w;
    double middle, height;
};

/* Draws a bar for a channel's busy fraction, and next to it its busy cycles. */
static void draw_channel(const struct scene *scene, const struct cm_shares *shares, uint32_t index,
                         struct channel_place place)
{
    const int x = place.x, w = place.w;
    double middle = place.middle, tall = place.height > 18 ? place.height - 8 : 10;
    const struct cm_frame *frame = scene->frame;
    double share = cm_share(shares, index), bar = w - 62;
    uint32_t colour = cm_frame_colour(frame, share);
    cm_canvas_frame(&frame->canvas, (struct cm_area){x, middle - tall / 2, bar, tall}, 1,
                    CM_VIEW_OUTLINE);
    if (colour != 0)
        cm_canvas_fill(&frame->canvas, x + 1, middle - tall / 2 + 1, fmax(1, (bar - 2) * share),
                       tall - 2, colour);
    if (cm_frame_is_subject(frame, CM_VIEW_MARK_CHANNEL, index))
        cm_canvas_frame(&frame->canvas,
                        (struct cm_area){x - 2, middle - tall / 2 - 2, bar + 4, tall + 4}, 2,
                        CM_VIEW_PIN);
    cm_text(frame, (struct cm_text_place){CM_RIGHT, x + w - 60, middle, 52},
            share > 0 ? CM_VIEW_TEXT : CM_VIEW_QUIET, "%s",
            share > 0 ? cm_format_count(shares->busy[index]).text : "\xe2\x80\x93");
}

/* Draws all channels of a node: a row for each dimension, with the neighbour's number and the busy
 * cycles of each channel. */
static void draw_channels(struct scene *scene, uint32_t node)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_trace_info *info = scene->run->info;
    struct cm_shares shares = cm_frame_channels(frame);
    double x = scene->inside.x, room = scene->inside.y + scene->inside.h - scene->y - 4;
    double height = info->dimensions > 0 ? floor(room / (info->dimensions + 1)) : 0;
    height = height > ROW_MAX ? ROW_MAX : height;
    if (height < 11)
        return;
    double width = (scene->inside.w - 64.0) / info->channels;
    cm_text(frame, (struct cm_text_place){CM_LEFT, x, scene->y, 60}, CM_VIEW_QUIET, "to node");
    for (uint32_t c = 0; c < info->channels; c++)
        cm_text(frame, (struct cm_text_place){CM_LEFT, x + 64 + c * width, scene->y, width - 8},
                CM_VIEW_QUIET, "ch %u: busy cycles", c);
    scene->y += height;
    for (uint32_t d = 0; d < info->dimensions; d++, scene->y += height) {
        double middle = (int)(scene->y - height / 2) + (int)height / 2.0;
        cm_text(frame, (struct cm_text_place){CM_LEFT, x, scene->y, 28}, CM_VIEW_QUIET, "d%u", d);
        cm_text(frame, (struct cm_text_place){CM_LEFT, x + 26, scene->y, 38}, CM_VIEW_TEXT, "%u",
                node ^ 1u << d);
        for (uint32_t c = 0; c < info->channels; c++) {
            uint32_t index = cm_view_channel_index(frame->run, node, d, c);
            row_of_channel(scene, x + 64 + c * width, width, height, index);
            draw_channel(
                scene, &shares, index,
                (struct channel_place){(int)(x + 64 + c * width), (int)width, middle, height});
        }
    }
}

#define HOPS_SHOWN 3u

static void show_packet(struct scene *scene, const struct cm_trace_hop *hop, bool waits)
{
    struct cm_formatted waited = cm_format_count(hop->first_cycle - hop->asked_cycle);
    if (!waits)
        line(scene, "packet", CM_VIEW_TEXT, "%" PRIu64 ", cycles %s\xe2\x80\x93%s", hop->packet,
             cm_format_count(hop->first_cycle).text, cm_format_count(hop->end_cycle).text);
    else if (hop->blocked_by != UINT64_MAX)
        line(scene, "packet", CM_VIEW_WARNING, "%" PRIu64 ", waits %s cycles for packet %" PRIu64,
             hop->packet, waited.text, hop->blocked_by);
    else
        line(scene, "packet", CM_VIEW_WARNING, "%" PRIu64 ", waits %s cycles", hop->packet,
             waited.text);
}

/* Lists the packets that wait for a channel within the interval, then those that cross it without
 * waiting. */
static void show_packets(struct scene *scene, uint32_t channel)
{
    struct cm_trace_hop hops[64];
    const struct cm_frame *frame = scene->frame;
    unsigned shown = 0;
    uint64_t count =
        cm_trace_hops_of_channel(scene->run->trace, channel, frame->first, frame->end, hops, 64);
    count = count < 64 ? count : 64;
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t i = 0; i < count && shown < HOPS_SHOWN; i++) {
            bool waits =
                hops[i].first_cycle > frame->first && hops[i].first_cycle > hops[i].asked_cycle;
            if (waits == (turn > 0))
                continue;
            show_packet(scene, &hops[i], waits);
            shown++;
        }
}

static bool has_wide_elements(const struct cm_view_run *run)
{
    bool wide = false;
    for (uint32_t i = 0; i < run->info->arrays; i++)
        wide = wide || cm_trace_array_at(run->trace, i)->slices > 1;
    return wide;
}

/* Shows the word on a channel in the type of its array. Returns false if the trace does not have
 * the type. */
static bool show_value(struct scene *scene, uint32_t channel, uint32_t word)
{
    char text[80];
    cm_view_print_word(scene->run, scene->frame->state->cycle, channel, word, text, sizeof text);
    if (text[0] != '\0')
        line(scene, "word", CM_VIEW_TEXT, "0x%08" PRIx32 ": %s", word, text);
    return text[0] != '\0';
}

/* Shows a word in every type that it may have, for traces that do not have the types of arrays. The
 * upper half of a real64 gives six digits of the number. The lower half alone gives no number. */
static void show_numbers(struct scene *scene, uint32_t word)
{
    float narrow;
    double wide;
    uint64_t upper = (uint64_t)word << 32;
    memcpy(&narrow, &word, sizeof narrow);
    memcpy(&wide, &upper, sizeof wide);
    line(scene, "word", CM_VIEW_TEXT, "0x%08" PRIx32 ": %.7g (real32), %" PRId32, word,
         (double)narrow, (int32_t)word);
    if (has_wide_elements(scene->run))
        line(scene, "", CM_VIEW_TEXT, "%.6g (real64), if its upper half", wide);
}

/* Shows the word on a channel. Returns false if the trace does not have the words of the exchange
 * at the cursor. */
static bool show_word(struct scene *scene, uint32_t channel)
{
    uint32_t word;
    bool sent;
    if (!cm_view_word(scene->run, scene->frame->state->cycle, channel, &word, &sent))
        return false;
    if (sent && !show_value(scene, channel, word))
        show_numbers(scene, word);
    else if (!sent)
        line(scene, "word", CM_VIEW_TEXT, "none");
    return true;
}

static void print_channel(const struct cm_view_run *run, uint32_t index, char text[80])
{
    struct cm_view_channel parts = cm_view_channel_parts(run, index);
    snprintf(text, 80, "node %u \xe2\x86\x92 %u, dimension %u, channel %u", parts.node,
             parts.node ^ 1u << parts.dimension, parts.dimension, parts.channel);
}

static void show_channel(struct scene *scene, uint32_t index)
{
    const struct cm_frame *frame = scene->frame;
    struct cm_shares shares = cm_frame_channels(frame);
    char text[80];
    print_channel(scene->run, index, text);
    line(scene, "channel", CM_VIEW_PIN, "%s", text);
    line(scene, "busy", CM_VIEW_TEXT, "%s of %s cycles, %s",
         cm_format_count(shares.busy[index]).text, cm_format_count(frame->end - frame->first).text,
         cm_percent_of(cm_share(&shares, index)).text);
    show_packets(scene, index);
}

static void show_node(struct scene *scene, uint32_t node)
{
    uint32_t bits = scene->run->info->dimensions;
    char binary[33] = "";
    for (uint32_t i = 0; i < bits; i++)
        binary[i] = node >> (bits - 1 - i) & 1 ? '1' : '0';
    struct cm_shares loads = cm_frame_nodes(scene->frame);
    /* the legend says what the load is */
    line(scene, "node", CM_VIEW_PIN, "%u = %s, load %s", node, binary,
         cm_frame_load_text(scene->frame, &loads, cm_share(&loads, node)).text);
}

static void show_place(struct scene *scene, uint32_t node)
{
    uint32_t column, row;
    cm_view_grid_place(scene->run, node, &column, &row);
    line(scene, "place", CM_VIEW_TEXT, "column %u, row %u of the grid", column, row);
}

/* Draws the row of one of the busiest channels: name, busy cycles, share, and a bar whose length is
 * a part of the room. */
static void draw_busiest(const struct scene *scene, const struct cm_shares *shares,
                         uint32_t channel, double part)
{
    const struct cm_frame *frame = scene->frame;
    struct cm_view_rect in = scene->inside;
    struct cm_view_channel parts = cm_view_channel_parts(scene->run, channel);
    double share = cm_share(shares, channel), right = in.x + in.w;
    uint32_t colour = cm_frame_colour(frame, share);
    cm_canvas_fill(&frame->canvas, in.x, scene->y - 5, 10, 10, colour);
    cm_text(frame, (struct cm_text_place){CM_LEFT, in.x + 16, scene->y, in.w - 146}, CM_VIEW_TEXT,
            "%u \xe2\x86\x92 %u, dim %u, ch %u", parts.node, parts.node ^ 1u << parts.dimension,
            parts.dimension, parts.channel);
    cm_canvas_fill(&frame->canvas, in.x + BARS_LEFT, scene->y - 6,
                   part * (in.w - BARS_LEFT - BARS_RIGHT), 12, colour);
    cm_text(frame, (struct cm_text_place){CM_RIGHT, right - 130, scene->y, 76}, CM_VIEW_TEXT, "%s",
            cm_format_count(shares->busy[channel]).text);
    cm_text(frame, (struct cm_text_place){CM_RIGHT, right - 54, scene->y, 54}, CM_VIEW_QUIET, "%s",
            cm_percent_of(share).text);
}

/* Lists the busiest channels, because no node or channel is pinned or under the pointer. */
static void list_busiest(struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    struct cm_view_rect in = scene->inside;
    const uint32_t *channels;
    uint32_t count = cm_view_busiest(scene->run, frame->first, frame->end,
                                     frame->state->hidden_dimensions, &channels);
    struct cm_shares shares = cm_frame_channels(frame);
    cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, scene->y, in.w}, CM_VIEW_QUIET, "%s",
            count > 0 ? "busiest channels of the interval" : "no channel is busy in the interval");
    cm_text(frame, (struct cm_text_place){CM_RIGHT, in.x, scene->y, in.w}, CM_VIEW_QUIET, "%s",
            count > 0 ? "busy cycles" : "");
    scene->y += 17;
    bool wide = in.w >= BARS_ROOM;
    double left = (in.y + in.h - scene->y) / (count > 0 ? count : 1);
    double high = wide ? fmax(16, fmin(ROW_MAX, floor(left))) : 16;
    for (uint32_t i = 0; i < count && scene->y + 7 < in.y + in.h; i++, scene->y += high) {
        row_of_channel(scene, in.x, in.w, high, channels[i]);
        draw_busiest(scene, &shares, channels[i],
                     wide ? cm_share(&shares, channels[i]) / cm_share(&shares, channels[0]) : 0);
    }
}

/* Lists the array elements whose words the slots hold, with the node to which each goes, such as
 * "src(1,5)->4 (2,5)->4". An element of two words is listed once. */
static void show_held(struct scene *scene, const struct cm_view_held *held, uint32_t count,
                      bool arrived)
{
    char text[200] = "";
    size_t length = 0;
    const struct cm_view_held *last = NULL;
    for (uint32_t i = 0; i < count && length + 80 < sizeof text; i++) {
        char word[64];
        if (held[i].arrived != arrived ||
            (last != NULL && last->array != CM_TRACE_NONE && last->array == held[i].array &&
             last->element == held[i].element && last->peer == held[i].peer))
            continue;
        cm_view_print_held(scene->run, scene->frame->cursor, &held[i], word, sizeof word);
        const char *indices = strchr(word, '(');
        bool again = last != NULL && last->array == held[i].array && indices != NULL;
        int more = snprintf(text + length, sizeof text - length, "%s%s%s%u",
                            last != NULL ? " " : "", again ? indices : word,
                            arrived ? "\xe2\x86\x90" : "\xe2\x86\x92", held[i].peer);
        length += more > 0 ? (size_t)more : 0;
        last = &held[i];
    }
    if (last != NULL)
        line(scene, arrived ? "came in B" : "goes, of A", CM_VIEW_TEXT, "%s", text);
}

static void show_subject(struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    struct cm_view_mark subject = cm_view_subject(frame->state);
    uint32_t node = cm_frame_node(frame);
    if (node == CM_TRACE_NONE) {
        list_busiest(scene);
        return;
    }
    if (subject.kind == CM_VIEW_MARK_CHANNEL)
        show_channel(scene, subject.index);
    show_node(scene, node);
    /* Only one of these two lines is shown, so that the channels of the node have room. */
    if (subject.kind != CM_VIEW_MARK_CHANNEL || !show_word(scene, subject.index))
        show_place(scene, node);
    uint32_t base = node / CM_VIEW_CUBE_NODES * CM_VIEW_CUBE_NODES;
    const struct cm_view_slots *slots =
        &cm_view_slots(scene->run, frame->first, frame->end, base)[node - base];
    draw_slots(scene, "slots of A", slots->a, CM_VIEW_SLOT_A);
    draw_slots(scene, "slots of B", slots->b, CM_VIEW_SLOT_B);
    struct cm_view_held held[CM_VIEW_HELD_MAX];
    uint32_t count = cm_view_holds(scene->run, frame->cursor, node, held);
    show_held(scene, held, count, false);
    show_held(scene, held, count, true);
    draw_channels(scene, node);
}

/* Shows the load of the pinned or pointed node or channel in two lines, if two runs are
 * compared. */
static void draw_brief(const struct cm_frame *frame)
{
    struct cm_view_mark subject = cm_view_subject(frame->state);
    struct cm_view_rect in = frame->inside;
    bool channel = subject.kind == CM_VIEW_MARK_CHANNEL;
    uint32_t limit = channel ? frame->run->channel_count : frame->run->info->nodes;
    char text[96];
    cm_frame_panel(frame, "%s%s", cm_frame_column_name(frame), frame->panel->title);
    if (subject.kind == CM_VIEW_MARK_NONE || subject.index >= limit ||
        (frame->difference && !cm_frame_comparable(frame))) {
        cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, in.y + 7, in.w}, CM_VIEW_QUIET,
                "point at a node or channel, or pin one");
        return;
    }
    struct cm_shares shares = channel ? cm_frame_channels(frame) : cm_frame_nodes(frame);
    double share = cm_share(&shares, subject.index);
    if (channel)
        print_channel(frame->run, subject.index, text);
    else
        snprintf(text, sizeof text, "node %u: %s", subject.index, cm_frame_load_title(frame).text);
    cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, in.y + 7, in.w}, CM_VIEW_QUIET, "%s",
            text);
    if (!channel) {
        cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, in.y + 23, in.w}, CM_VIEW_TEXT, "%s",
                cm_frame_load_text(frame, &shares, share).text);
        return;
    }
    const char *sign = !frame->difference || share == 0 ? "" : share < 0 ? "\xe2\x88\x92" : "+";
    cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, in.y + 23, in.w}, CM_VIEW_TEXT,
            "%s%s busy cycles, %s", sign,
            cm_format_count((uint64_t)(fabs(share) * shares.length + 0.5)).text,
            cm_percent_of(fabs(share)).text);
}

static void show_all(struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    scene->y = scene->inside.y + 6;
    show_event(scene);
    show_page(scene);
    cm_canvas_fill(&frame->canvas, scene->inside.x, scene->y - 6, scene->inside.w, 1, CM_VIEW_RULE);
    scene->y += 6;
    show_subject(scene);
}

static void draw_inspector(const struct cm_frame *frame)
{
    struct scene scene = {.frame = frame, .run = frame->run, .inside = frame->inside};
    if (frame->layout.columns == 3) {
        draw_brief(frame);
        return;
    }
    cm_frame_panel(frame, "%s", frame->panel->title);
    show_all(&scene);
}

/* Finds the object under the pointer. Goes through the rows in the same way as drawing, on a canvas
 * without pixels. */
static void hit_inspector(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    struct cm_frame unseen = *frame;
    struct scene scene = {.frame = &unseen, .run = frame->run, .inside = frame->inside};
    if (frame->layout.columns == 3)
        return;
    unseen.canvas.right = unseen.canvas.left;
    unseen.label.canvas = &unseen.canvas;
    scene.hit = hit;
    scene.at_x = x;
    scene.at_y = y;
    show_all(&scene);
}

/* Returns the panel's height in points, which has room for a line for each dimension. */
static int height_in(const struct cm_room *room)
{
    return room->compare ? 58 : 190 + 15 * room->dimensions;
}

const struct cm_panel cm_panel_inspector = {
    .title = "Inspector",
    .about = "What is pinned or pointed at, in numbers; a click on a row pins it.",
    .keys = "P N T Tab Return",
    .region = CM_REGION_SIDE,
    .compared = CM_REGION_BRIEF,
    .height_in = height_in,
    .fills = true,
    .yields = 3,
    .describes_pin = true,
    .draw = draw_inspector,
    .hit = hit_inspector,
};
