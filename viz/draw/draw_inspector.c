/* The inspector: the pinned or hovered node or channel in numbers, what the sequencer does at the
 * cursor, the open page. */
#include "draw_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct scene {
    const struct cm_frame *frame;
    const struct cm_view_run *run;
    struct cm_view_rect inside;
    uint32_t column;
    double y; /* the middle of the next line */
};

#define NAMES_WIDTH 76

static void line(struct scene *scene, const char *name, uint32_t colour, const char *value)
{
    const struct cm_view_rect *in = &scene->inside;
    if (scene->y + 7 > in->y + in->h)
        return;
    cm_label_draw(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, in->x, scene->y,
                  NAMES_WIDTH - 4, CM_VIEW_QUIET, name);
    cm_label_draw(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, in->x + NAMES_WIDTH,
                  scene->y, in->w - NAMES_WIDTH, colour, value);
    scene->y += 16;
}

static void print_binary(uint32_t value, uint32_t bits, char *text)
{
    for (uint32_t i = 0; i < bits; i++)
        text[i] = value >> (bits - 1 - i) & 1 ? '1' : '0';
    text[bits] = '\0';
}

static void tell_event(struct scene *scene)
{
    struct cm_trace_event event;
    char text[200];
    uint64_t cycle = scene->frame->state->cycle;
    if (!cm_view_event(scene->run, cycle, &event) || event.first_cycle > cycle) {
        line(scene, "sequencer", CM_VIEW_TEXT, "control flow");
        return;
    }
    snprintf(text, sizeof text, "%s, cycles %s\xe2\x80\x93%s", cm_trace_phase_name(event.phase),
             cm_number_of(event.first_cycle).text, cm_number_of(event.end_cycle).text);
    line(scene, "sequencer", CM_VIEW_TEXT, text);
    if (event.imp != CM_TRACE_NONE && event.pc != CM_TRACE_NONE) {
        cm_trace_instruction(scene->run->trace, event.imp, event.pc, text, sizeof text);
        line(scene, "instruction", CM_VIEW_SLOT_A, text);
        const char *name = cm_trace_imp_name(scene->run->trace, event.imp);
        const char *file = cm_trace_imp_source(scene->run->trace, event.imp);
        uint32_t source = cm_trace_imp_line(scene->run->trace, event.imp, event.pc);
        const char *slash = file != NULL ? strrchr(file, '/') : NULL;
        if (file != NULL && source > 0)
            snprintf(text, sizeof text, "%s, %s:%u", name, slash != NULL ? slash + 1 : file,
                     source);
        else
            snprintf(text, sizeof text, "%s (compiled), instruction %u", name, event.pc);
        line(scene, "of", CM_VIEW_TEXT, text);
    }
    if (event.step < scene->run->info->steps) {
        const struct cm_trace_step *step = cm_trace_step_at(scene->run->trace, event.step);
        snprintf(text, sizeof text, "%s at %s", step->op, step->where);
        line(scene, "step", CM_VIEW_TEXT, text);
    }
}

static void tell_page(struct scene *scene)
{
    char text[96] = "none";
    uint64_t page = cm_trace_open_page(scene->run->trace, scene->frame->state->cycle);
    if (page != UINT64_MAX)
        snprintf(text, sizeof text, "%s (words from %s)", cm_number_of(page).text,
                 cm_number_of(page * scene->run->info->page_words).text);
    line(scene, "open page", CM_VIEW_TEXT, text);
}

static void draw_slots(struct scene *scene, const char *name, uint64_t used, uint32_t colour)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    double x = scene->inside.x + NAMES_WIDTH;
    uint32_t slots = scene->run->info->slots;
    double each = floor((scene->inside.w - NAMES_WIDTH) / (slots > 0 ? slots : 1.0));
    if (scene->y + 7 > scene->inside.y + scene->inside.h || each < 2)
        return;
    cm_label_draw(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, scene->inside.x, scene->y,
                  NAMES_WIDTH - 4, CM_VIEW_QUIET, name);
    for (uint32_t s = 0; s < slots; s++)
        if (used >> s & 1)
            cm_canvas_fill(canvas, x + s * each, scene->y - 5, each - 1, 10, colour);
        else
            cm_canvas_frame(canvas, x + s * each, scene->y - 5, each - 1, 10, 1, CM_VIEW_OUTLINE);
    scene->y += 16;
}

/* A channel's bar with cycles and part. */
static void draw_channel(const struct scene *scene, const struct cm_shares *shares, uint32_t index,
                         struct cm_view_rect place)
{
    const struct cm_frame *frame = scene->frame;
    double share = cm_share(shares, index), middle = place.y + place.h / 2.0;
    uint32_t colour = cm_frame_colour(frame, scene->column, share);
    struct cm_view_mark subject = cm_view_subject(frame->state);
    double bar = place.w - 62;
    cm_canvas_frame(&frame->canvas, place.x, middle - 5, bar, 10, 1, CM_VIEW_OUTLINE);
    if (colour != 0)
        cm_canvas_fill(&frame->canvas, place.x + 1, middle - 4, fmax(1, (bar - 2) * share), 8,
                       colour);
    if (subject.kind == CM_VIEW_MARK_CHANNEL && subject.index == index)
        cm_canvas_frame(&frame->canvas, place.x - 2, middle - 7, bar + 4, 14, 2, CM_VIEW_PIN);
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, place.x + place.w - 60, middle, 52,
                  share > 0 ? CM_VIEW_TEXT : CM_VIEW_QUIET,
                  share > 0 ? cm_number_of(shares->busy[index]).text : "\xe2\x80\x93");
}

/* All channels of a node: a row a dimension, the neighbour in it, and the busy cycles of each
 * channel. */
static void draw_channels(struct scene *scene, uint32_t node)
{
    const struct cm_trace_info *info = scene->run->info;
    struct cm_shares shares = cm_frame_channels(scene->frame, scene->column);
    double room = scene->inside.y + scene->inside.h - scene->y - 4;
    double height = info->dimensions > 0 ? floor(room / (info->dimensions + 1)) : 0;
    height = height > 18 ? 18 : height;
    if (height < 11)
        return;
    double width = (scene->inside.w - 64.0) / info->channels;
    cm_label_draw(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, scene->inside.x, scene->y,
                  60, CM_VIEW_QUIET, "to node");
    for (uint32_t c = 0; c < info->channels; c++)
        cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT,
                       scene->inside.x + 64 + c * width, scene->y, width - 8, CM_VIEW_QUIET,
                       "ch %u: cycles busy", c);
    scene->y += height;
    for (uint32_t d = 0; d < info->dimensions; d++) {
        cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, scene->inside.x,
                       scene->y, 28, CM_VIEW_QUIET, "d%u", d);
        cm_label_print(&scene->frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, scene->inside.x + 26,
                       scene->y, 38, CM_VIEW_TEXT, "%u", node ^ 1u << d);
        for (uint32_t c = 0; c < info->channels; c++)
            draw_channel(scene, &shares, (node * info->dimensions + d) * info->channels + c,
                         (struct cm_view_rect){(int)(scene->inside.x + 64 + c * width),
                                               (int)(scene->y - height / 2), (int)width,
                                               (int)height});
        scene->y += height;
    }
}

/* Packets that use or wait for the channel within the interval. */
static void tell_packets(struct scene *scene, uint32_t channel)
{
    struct cm_trace_hop hops[64];
    char text[160];
    unsigned shown = 0;
    if (scene->run->info->packets == 0)
        return;
    uint64_t count =
        cm_trace_hops(scene->run->trace, scene->frame->first, scene->frame->end, hops, 64);
    for (uint64_t i = 0; i < count && i < 64 && shown < 3; i++) {
        if (hops[i].channel != channel)
            continue;
        if (hops[i].blocked_by != UINT64_MAX)
            snprintf(text, sizeof text, "%" PRIu64 ", waited %s cycles for packet %" PRIu64,
                     hops[i].packet, cm_number_of(hops[i].first_cycle - hops[i].asked_cycle).text,
                     hops[i].blocked_by);
        else
            snprintf(text, sizeof text, "%" PRIu64 ", cycles %s\xe2\x80\x93%s", hops[i].packet,
                     cm_number_of(hops[i].first_cycle).text, cm_number_of(hops[i].end_cycle).text);
        line(scene, "packet", CM_VIEW_TEXT, text);
        shown++;
    }
}

/* The word on the channel, when the trace has the bits of the exchange at the cursor; false: it has
 * not. */
static bool tell_word(struct scene *scene, uint32_t channel)
{
    char text[16] = "none";
    uint32_t word;
    bool sent;
    if (!cm_view_word(scene->run, scene->frame->state->cycle, channel, &word, &sent))
        return false;
    if (sent)
        snprintf(text, sizeof text, "0x%08" PRIx32, word);
    line(scene, "word", CM_VIEW_TEXT, text);
    return true;
}

static void tell_channel(struct scene *scene, uint32_t index)
{
    struct cm_view_channel parts = cm_view_channel_parts(scene->run, index);
    struct cm_shares shares = cm_frame_channels(scene->frame, scene->column);
    char text[160];
    snprintf(text, sizeof text, "node %u \xe2\x86\x92 %u, dimension %u, channel %u", parts.node,
             parts.node ^ 1u << parts.dimension, parts.dimension, parts.channel);
    line(scene, "channel", CM_VIEW_PIN, text);
    snprintf(text, sizeof text, "%s of %s cycles, %s", cm_number_of(shares.busy[index]).text,
             cm_number_of(scene->frame->end - scene->frame->first).text,
             cm_percent_of(cm_share(&shares, index)).text);
    line(scene, "busy", CM_VIEW_TEXT, text);
    tell_packets(scene, index);
}

static void tell_node(struct scene *scene, uint32_t node)
{
    char text[160], binary[33];
    print_binary(node, scene->run->info->dimensions, binary);
    snprintf(text, sizeof text, "%u = %s", node, binary);
    line(scene, "node", CM_VIEW_PIN, text);
}

static void tell_place(struct scene *scene, uint32_t node)
{
    char text[64];
    uint32_t column, row;
    cm_view_grid_place(scene->run, node, &column, &row);
    snprintf(text, sizeof text, "column %u, row %u of the grid", column, row);
    line(scene, "place", CM_VIEW_TEXT, text);
}

/* Nothing is pointed at: the busiest channels, which are what one looks for. */
static void list_busiest(struct scene *scene)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_view_rect *in = &scene->inside;
    const uint32_t *channels;
    uint32_t count = cm_view_busiest(scene->run, frame->first, frame->end,
                                     frame->state->hidden_dimensions, &channels);
    struct cm_shares shares = cm_frame_channels(frame, scene->column);
    cm_label_draw(
        &frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, in->x, scene->y, in->w, CM_VIEW_QUIET,
        count > 0 ? "busiest channels of the interval" : "no channel is busy in the interval");
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, in->x, scene->y, in->w,
                  CM_VIEW_QUIET, count > 0 ? "cycles busy" : "");
    scene->y += 17;
    for (uint32_t i = 0; i < count && scene->y + 7 < in->y + in->h; i++, scene->y += 16) {
        struct cm_view_channel parts = cm_view_channel_parts(scene->run, channels[i]);
        double share = cm_share(&shares, channels[i]);
        cm_canvas_fill(&frame->canvas, in->x, scene->y - 5, 10, 10,
                       cm_frame_colour(frame, scene->column, share));
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, in->x + 16, scene->y,
                       in->w - 146, CM_VIEW_TEXT, "%u \xe2\x86\x92 %u, dim %u, ch %u", parts.node,
                       parts.node ^ 1u << parts.dimension, parts.dimension, parts.channel);
        cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, in->x + in->w - 130, scene->y,
                      76, CM_VIEW_TEXT, cm_number_of(shares.busy[channels[i]]).text);
        cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, in->x + in->w - 54, scene->y,
                      54, CM_VIEW_QUIET, cm_percent_of(share).text);
    }
}

static void tell_subject(struct scene *scene, struct cm_view_mark subject)
{
    uint32_t node = subject.kind == CM_VIEW_MARK_CHANNEL
                        ? cm_view_channel_parts(scene->run, subject.index).node
                        : subject.index;
    if (subject.kind == CM_VIEW_MARK_NONE || node >= scene->run->info->nodes) {
        list_busiest(scene);
        return;
    }
    if (subject.kind == CM_VIEW_MARK_CHANNEL)
        tell_channel(scene, subject.index);
    tell_node(scene, node);
    /* A line for either: the channels of the node shall keep their room. */
    if (subject.kind != CM_VIEW_MARK_CHANNEL || !tell_word(scene, subject.index))
        tell_place(scene, node);
    uint32_t base = node / CM_VIEW_CUBE_NODES * CM_VIEW_CUBE_NODES;
    const struct cm_view_slots *slots =
        &cm_view_slots(scene->run, scene->frame->first, scene->frame->end, base)[node - base];
    draw_slots(scene, "slots of A", slots->a, CM_VIEW_SLOT_A);
    draw_slots(scene, "slots of B", slots->b, CM_VIEW_SLOT_B);
    draw_channels(scene, node);
}

void cm_draw_inspector(const struct cm_frame *frame, uint32_t column)
{
    struct scene scene = {.frame = frame, .run = cm_frame_run(frame, column), .column = column};
    if (frame->layout.columns == 3) {
        cm_draw_brief(frame, column);
        return;
    }
    scene.inside = cm_frame_panel(frame, frame->layout.place[column][CM_VIEW_INSPECTOR],
                                  CM_VIEW_INSPECTOR, cm_view_panel_title(CM_VIEW_INSPECTOR));
    scene.y = scene.inside.y + 6;
    tell_event(&scene);
    tell_page(&scene);
    cm_canvas_fill(&frame->canvas, scene.inside.x, scene.y - 6, scene.inside.w, 1, CM_VIEW_RULE);
    scene.y += 6;
    tell_subject(&scene, cm_view_subject(frame->state));
}

/* What the subject carries, in one line, when two runs stand side by side. */
void cm_draw_brief(const struct cm_frame *frame, uint32_t column)
{
    const struct cm_view_run *run = cm_frame_run(frame, column);
    struct cm_view_mark subject = cm_view_subject(frame->state);
    bool difference = cm_frame_is_difference(frame, column);
    char title[160], what[100] = "point at a node or channel, or pin one", value[100] = "";
    snprintf(title, sizeof title, "%s%s", cm_frame_column_name(frame, column),
             cm_view_panel_title(CM_VIEW_INSPECTOR));
    struct cm_view_rect inside = cm_frame_panel(
        frame, frame->layout.place[column][CM_VIEW_INSPECTOR], CM_VIEW_INSPECTOR, title);
    bool channel = subject.kind == CM_VIEW_MARK_CHANNEL;
    uint32_t limit = channel ? run->channel_count : run->info->nodes;
    if (subject.kind != CM_VIEW_MARK_NONE && subject.index < limit &&
        (!difference || cm_frame_comparable(frame))) {
        struct cm_shares shares =
            channel ? cm_frame_channels(frame, column) : cm_frame_nodes(frame, column);
        double share = cm_share(&shares, subject.index);
        struct cm_view_channel parts = cm_view_channel_parts(run, subject.index);
        if (channel)
            snprintf(what, sizeof what, "node %u \xe2\x86\x92 %u, dimension %u, channel %u",
                     parts.node, parts.node ^ 1u << parts.dimension, parts.dimension,
                     parts.channel);
        else
            snprintf(what, sizeof what, "node %u, its busiest channel", subject.index);
        snprintf(value, sizeof value, "%s%s busy cycles, %s",
                 !difference || share == 0 ? ""
                 : share < 0               ? "\xe2\x88\x92"
                                           : "+",
                 cm_number_of((uint64_t)(fabs(share) * shares.length + 0.5)).text,
                 cm_percent_of(fabs(share)).text);
    }
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, inside.y + 7, inside.w,
                  CM_VIEW_QUIET, what);
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, inside.y + 23, inside.w,
                  CM_VIEW_TEXT, value);
}
