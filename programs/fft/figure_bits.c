/*
 * Draws figures 2 and 4 of Mou and Wang's paper: the bits of an index I and their places in J, most
 * significant on the left. A wire goes down from its bit of I, sideways on a track, and down to its
 * bit of J. It ends two places to the right of its column's upper wire, so no two wires overlap.
 */
#include "../../base/buffer.h"
#include "../../report/svg.h"
#include "figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LABEL_BYTES 24u
#define NO_BIT      UINT8_MAX

struct wires {
    const struct cm_fft_mapping *mapping;
    uint32_t bits; /* number of bits of index I */
    /* number of bits of the permuted index J, more than of index I if some nodes have no point */
    uint32_t columns;
    uint32_t width; /* number of characters of a column of text */
    /* bit of I that is at bit y of J. NO_BIT: the bit of J is always 0 */
    uint8_t from[CM_FFT_AXES_MAX];
    uint32_t track[CM_FFT_AXES_MAX], tracks;
};

/* Label of a bit, and the number of its group (array or mesh axis). */
struct bit_name {
    char label[LABEL_BYTES];
    uint32_t group;
};

static struct bit_name index_bit(const struct cm_fft_mapping *mapping, uint32_t x)
{
    struct bit_name name;
    uint32_t p = 0;
    while (x >= mapping->array_bits[p])
        x -= mapping->array_bits[p++];
    snprintf(name.label, sizeof name.label, "%" PRIu32 ":%" PRIu32, p, x);
    name.group = p;
    return name;
}

static struct bit_name mesh_bit(const struct cm_fft_mapping *mapping, uint32_t y)
{
    struct bit_name name;
    bool low = mapping->local == CM_FFT_LOCAL_LOW;
    uint32_t node_bits = cm_fft_node_bits(mapping), i = 0;
    uint32_t local = low ? 0 : node_bits, base = low ? mapping->local_bits : 0;
    if (y - local < mapping->local_bits) {
        snprintf(name.label, sizeof name.label, "l:%" PRIu32, y - local);
        name.group = UINT32_MAX;
        return name;
    }
    for (y -= base; y >= mapping->mesh_bits[i]; i++)
        y -= mapping->mesh_bits[i];
    snprintf(name.label, sizeof name.label, "%" PRIu32 ":%" PRIu32, i, y);
    name.group = i;
    return name;
}

/* These functions return the places of a wire's upper and lower end, and of its left and right end,
 * from the left. The highest bit is in column 0. */
static uint32_t top(const struct wires *wires, uint32_t x)
{
    return (wires->columns - 1 - x) * wires->width + 1;
}

static uint32_t bottom(const struct wires *wires, uint32_t x)
{
    return (wires->columns - 1 - wires->mapping->place[x]) * wires->width + 3;
}

static uint32_t left_end(const struct wires *wires, uint32_t x)
{
    return top(wires, x) < bottom(wires, x) ? top(wires, x) : bottom(wires, x);
}

static uint32_t right_end(const struct wires *wires, uint32_t x)
{
    return top(wires, x) < bottom(wires, x) ? bottom(wires, x) : top(wires, x);
}

/* Assigns each wire to the first free track, in the order of the wires' left ends. */
static void lay_tracks(struct wires *wires)
{
    uint32_t free_from[CM_FFT_AXES_MAX] = {0};
    bool laid[CM_FFT_AXES_MAX] = {false};
    for (uint32_t n = 0; n < wires->bits; n++) {
        uint32_t next = 0, t = 0;
        while (laid[next])
            next++;
        for (uint32_t x = next; x < wires->bits; x++)
            if (!laid[x] && left_end(wires, x) < left_end(wires, next))
                next = x;
        while (free_from[t] > left_end(wires, next))
            t++;
        free_from[t] = right_end(wires, next) + 1;
        laid[next] = true;
        wires->track[next] = t;
        wires->tracks = t >= wires->tracks ? t + 1 : wires->tracks;
    }
}

static struct wires wire(const struct cm_fft_mapping *mapping)
{
    struct wires wires = {.mapping = mapping, .bits = mapping->bits, .width = 5};
    wires.columns = mapping->bits + mapping->idle_bits;
    memset(wires.from, NO_BIT, sizeof wires.from);
    for (uint32_t x = 0; x < wires.bits; x++) {
        wires.from[mapping->place[x]] = (uint8_t)x;
        uint32_t up = (uint32_t)strlen(index_bit(mapping, x).label);
        wires.width = up + 2 > wires.width ? up + 2 : wires.width;
    }
    for (uint32_t y = 0; y < wires.columns; y++) {
        uint32_t down = (uint32_t)strlen(mesh_bit(mapping, y).label);
        wires.width = down + 2 > wires.width ? down + 2 : wires.width;
    }
    lay_tracks(&wires);
    return wires;
}

/* Returns the character of the figure at place `column` of a track. */
static char mark(const struct wires *wires, uint32_t track, uint32_t column)
{
    uint32_t bit = wires->columns - 1 - column / wires->width;
    uint32_t within = column % wires->width;
    bool down = false, along = false;
    if ((within == 1 && bit < wires->bits) || (within == 3 && wires->from[bit] != NO_BIT)) {
        uint32_t x = within == 1 ? bit : wires->from[bit];
        if (wires->track[x] == track)
            return within == 1 ? '\'' : '.';
        down = within == 1 ? track < wires->track[x] : track > wires->track[x];
    }
    for (uint32_t x = 0; x < wires->bits && !along; x++)
        along =
            wires->track[x] == track && column > left_end(wires, x) && column < right_end(wires, x);
    return down ? (along ? '+' : '|') : along ? '-' : ' ';
}

static void append_track(const struct wires *wires, uint32_t track, struct cm_buffer *text)
{
    uint32_t blanks = 0;
    cm_buffer_printf(text, "  ");
    for (uint32_t column = 0; column < wires->columns * wires->width; column++) {
        char seen = mark(wires, track, column);
        if (seen == ' ') {
            blanks++;
            continue;
        }
        cm_buffer_printf(text, "%*s%c", (int)blanks, "", seen);
        blanks = 0;
    }
    cm_buffer_printf(text, "\n");
}

static void append_labels(const struct wires *wires, bool above, struct cm_buffer *text)
{
    uint32_t at = 0, begin = above ? 0 : 2;
    cm_buffer_printf(text, "  ");
    for (uint32_t bit = above ? wires->bits : wires->columns; bit-- > 0;) {
        struct bit_name name =
            above ? index_bit(wires->mapping, bit) : mesh_bit(wires->mapping, bit);
        uint32_t column = (wires->columns - 1 - bit) * wires->width + begin;
        cm_buffer_printf(text, "%*s%s", (int)(column - at), "", name.label);
        at = column + (uint32_t)strlen(name.label);
    }
    cm_buffer_printf(text, "\n");
}

static void append_title(const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    cm_fft_shapes_write(mapping, text);
    cm_buffer_printf(text, ", ");
    cm_fft_permutation_write(mapping, text);
    cm_buffer_printf(text, " mapping");
}

void cm_fft_bits_text(const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    struct wires wires = wire(mapping);
    append_title(mapping, text);
    cm_buffer_printf(text, "\nfrom bit q of coordinate p, p:q, to bit j of mesh axis i, i:j%s\n\n",
                     mapping->local_bits > 0 ? ", or to bit j within a node, l:j" : "");
    if (wires.columns == 0) {
        cm_buffer_printf(text, "  no bits: one point on one node\n");
        return;
    }
    append_labels(&wires, true, text);
    for (uint32_t t = 0; t < wires.tracks; t++)
        append_track(&wires, t, text);
    append_labels(&wires, false, text);
    if (mapping->idle_bits > 0)
        cm_buffer_printf(text,
                         "\nbits of the mesh without a line are 0 wherever there is a point\n");
}

/* ---- The figure as SVG ---- */

#define COLUMN 44.0 /* width of a column in pixels */
#define MARGIN 24.0
#define UPPER  64.0 /* lower edge of the boxes of I, in pixels */
#define LOWER  224.0
#define BOX    24.0
#define LETTER 12.0

/* Colours of the axes p, used cyclically. */
static const char *const colours[] = {"#1b6ca8", "#c1440e", "#2e7d32", "#7b4ea3",
                                      "#9a6700", "#00798c", "#a4133c"};

static double middle_of(const struct wires *wires, uint32_t bit)
{
    return MARGIN + (wires->columns - 1 - bit + 0.5) * COLUMN;
}

static void draw_box(const struct wires *wires, uint32_t bit, double y, const struct bit_name *name,
                     const char *colour, struct cm_buffer *svg)
{
    const struct cm_svg_pen pen = {colour, 1.5, NULL};
    double x = middle_of(wires, bit);
    cm_svg_shape(svg, name->group % 2 == 0 ? "#f4f4f4" : "#ffffff", &pen,
                 "rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x - COLUMN / 2 + 2, y,
                 COLUMN - 4, BOX);
    cm_svg_text(svg, &(struct cm_svg_label){x, y + BOX / 2 + LETTER / 3, LETTER, 0, CM_SVG_MIDDLE,
                                            name->label});
}

void cm_fft_bits_svg(const struct cm_fft_mapping *mapping, struct cm_buffer *svg)
{
    struct wires wires = wire(mapping);
    struct cm_buffer title;
    cm_buffer_init(&title);
    append_title(mapping, &title);
    const char *name = cm_buffer_ok(&title) ? title.data : "";
    double width = 2 * MARGIN + wires.columns * COLUMN, least = 480;
    cm_svg_begin(svg, width > least ? width : least, LOWER + BOX + MARGIN, name);
    cm_svg_text(svg, &(struct cm_svg_label){MARGIN, MARGIN, LETTER, 0, CM_SVG_START, name});
    for (uint32_t x = 0; x < wires.bits; x++) {
        uint32_t y = mapping->place[x];
        struct bit_name from = index_bit(mapping, x), to = mesh_bit(mapping, y);
        const char *colour = colours[from.group % (sizeof colours / sizeof *colours)];
        const struct cm_svg_pen pen = {colour, 1.5, NULL};
        cm_svg_line(svg, middle_of(&wires, x), UPPER, middle_of(&wires, y), LOWER, &pen);
        draw_box(&wires, x, UPPER - BOX, &from, colour, svg);
        draw_box(&wires, y, LOWER, &to, colour, svg);
    }
    for (uint32_t y = 0; y < wires.columns; y++) {
        struct bit_name to = mesh_bit(mapping, y);
        if (wires.from[y] == NO_BIT)
            draw_box(&wires, y, LOWER, &to, "#999999", svg);
    }
    cm_svg_end(svg);
    svg->failed = svg->failed || !cm_buffer_ok(&title);
    cm_buffer_finish(&title);
}
