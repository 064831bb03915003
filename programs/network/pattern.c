/* Computes the destinations of patterns, and reads lists of packets from files. */
#include "pattern.h"

#include "../../base/file.h"
#include "../../base/list.h"

#include <inttypes.h>

#define FILE_BYTES_MAX ((size_t)256 << 20)
#define TIME_MAX       UINT64_C(1000000000000)

static const char *const names[CM_PATTERN_COUNT] = {
    "shift",     "bit-reversal", "transpose", "complement", "shuffle",    "tornado",
    "butterfly", "neighbour",    "random",    "hot-spot",   "all-to-all", "list",
};

const char *cm_pattern_name(enum cm_pattern pattern)
{
    return (unsigned)pattern < CM_PATTERN_COUNT ? names[pattern] : NULL;
}

static uint32_t reverse(uint32_t bits, uint32_t count)
{
    uint32_t reversed = 0;
    for (uint32_t b = 0; b < count; b++)
        reversed |= (bits >> b & 1) << (count - 1 - b);
    return reversed;
}

/* Rotates the lowest `count` bits to the left by `by` places. */
static uint32_t rotate(uint32_t bits, uint32_t count, uint32_t by)
{
    if (count == 0 || by % count == 0)
        return bits;
    return (bits << by | bits >> (count - by)) & ((1u << count) - 1);
}

uint32_t cm_pattern_destination(enum cm_pattern pattern, uint32_t dimensions, uint32_t source,
                                uint32_t by)
{
    uint32_t last = (1u << dimensions) - 1;
    uint32_t ends = dimensions > 1 ? 1u | 1u << (dimensions - 1) : 0;
    switch (pattern) {
    case CM_PATTERN_SHIFT:
        return (source + by) & last;
    case CM_PATTERN_BIT_REVERSAL:
        return reverse(source, dimensions);
    case CM_PATTERN_TRANSPOSE:
        return rotate(source, dimensions, dimensions / 2);
    case CM_PATTERN_COMPLEMENT:
        return source ^ last;
    case CM_PATTERN_SHUFFLE:
        return rotate(source, dimensions, 1);
    case CM_PATTERN_TORNADO:
        return dimensions == 0 ? source : (source + last / 2) & last;
    case CM_PATTERN_BUTTERFLY: {
        bool same = (source & ends) == 0 || (source & ends) == ends;
        return same ? source : source ^ ends;
    }
    case CM_PATTERN_NEIGHBOUR:
        return (source + 1) & last;
    default:
        return source;
    }
}

/* State of reading a list of packets. */
struct reader {
    const char *file;
    const char *text;
    size_t length;
    const char *at;
    uint32_t line;
    const char *line_start;
    uint32_t nodes;
    /* for a permutation: the line where each node is a source, then where it is a destination. 0:
     * not seen yet */
    uint32_t *lines;
};

static enum cm_status refuse(const struct reader *reader, const char *at, const char *what,
                             uint64_t most, struct cm_error *err)
{
    cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line,
                (uint32_t)(at - reader->line_start) + 1, "expected %s 0 to %" PRIu64, what, most);
    if (err != NULL)
        cm_error_source(err, reader->text, reader->length);
    return cm_error_hint(err, "a line is source,destination or source,destination,time");
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r')
        reader->at++;
}

/* Reads a number, and before it a comma unless the number is the first of its line. */
static enum cm_status read_number(struct reader *reader, bool first, const char *what,
                                  uint64_t most, uint64_t *value, struct cm_error *err)
{
    skip_blanks(reader);
    if (!first && *reader->at != ',')
        return refuse(reader, reader->at, what, most, err);
    reader->at += !first;
    skip_blanks(reader);
    const char *start = reader->at;
    *value = 0;
    while (*reader->at >= '0' && *reader->at <= '9' && *value <= most)
        *value = *value * 10 + (uint64_t)(*reader->at++ - '0');
    if (reader->at == start || *value > most)
        return refuse(reader, start, what, most, err);
    skip_blanks(reader);
    return CM_OK;
}

/* Returns whether a line names columns instead of nodes. */
static bool is_header(const char *line)
{
    return (*line >= 'a' && *line <= 'z') || (*line >= 'A' && *line <= 'Z');
}

static bool at_end_of_line(const struct reader *reader)
{
    return *reader->at == '\n' || *reader->at == '\0';
}

static enum cm_status read_line(struct reader *reader, uint32_t nodes, uint64_t earliest,
                                struct cm_router_packet *packet, struct cm_error *err)
{
    uint64_t source, destination, time = earliest;
    enum cm_status status =
        read_number(reader, true, "a source, a node from", nodes - 1, &source, err);
    if (status == CM_OK)
        status = read_number(reader, false, "a comma and a destination, a node from", nodes - 1,
                             &destination, err);
    if (status != CM_OK)
        return status;
    const char *start = reader->at;
    if (!at_end_of_line(reader))
        status = read_number(reader, false, "the end of the line, or a comma and a word time from",
                             TIME_MAX, &time, err);
    if (status == CM_OK && (!at_end_of_line(reader) || time < earliest)) {
        refuse(reader, at_end_of_line(reader) ? start : reader->at, "a time from", TIME_MAX, err);
        return cm_error_hint(err, "lines are in order of time, and nothing follows the time");
    }
    if (status == CM_OK)
        *packet = (struct cm_router_packet){
            .source = (uint32_t)source, .destination = (uint32_t)destination, .created = time};
    return status;
}

static enum cm_status refuse_repeated(const struct reader *reader, const char *role, uint32_t node,
                                      uint32_t line, struct cm_error *err)
{
    cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line, 1,
                "%s %" PRIu32 " is already on line %" PRIu32, role, node, line);
    if (err != NULL)
        cm_error_source(err, reader->text, reader->length);
    return cm_error_hint(err, "blocks of an array need a permutation: each node sends at most one "
                              "block and receives at most one");
}

/* Refuses a packet that a permutation must not have: with a source or destination that occurred
 * before, or with a time. */
static enum cm_status judge(struct reader *reader, const struct cm_router_packet *packet,
                            struct cm_error *err)
{
    if (reader->lines == NULL)
        return CM_OK;
    uint32_t *source = &reader->lines[packet->source];
    uint32_t *destination = &reader->lines[reader->nodes + packet->destination];
    if (*source != 0)
        return refuse_repeated(reader, "source", packet->source, *source, err);
    if (*destination != 0)
        return refuse_repeated(reader, "destination", packet->destination, *destination, err);
    *source = *destination = reader->line;
    if (packet->created == 0)
        return CM_OK;
    cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line, 1,
                "the time is %" PRIu64 ", but the blocks of an array are sent in one batch",
                packet->created);
    if (err != NULL)
        cm_error_source(err, reader->text, reader->length);
    return cm_error_hint(err, "leave the times out");
}

struct packets {
    struct cm_router_packet *items;
    uint64_t count, capacity;
    bool failed;
};

static enum cm_status read_lines(struct reader *reader, struct packets *packets,
                                 struct cm_error *err)
{
    struct cm_router_packet packet = {0};
    while (*reader->at != '\0') {
        reader->line++;
        reader->line_start = reader->at;
        skip_blanks(reader);
        bool empty = at_end_of_line(reader) || *reader->at == '#';
        if (!empty && !(packets->count == 0 && is_header(reader->at))) {
            enum cm_status status = read_line(reader, reader->nodes, packet.created, &packet, err);
            if (status == CM_OK)
                status = judge(reader, &packet, err);
            if (status != CM_OK)
                return status;
            if (!cm_list_push(packets, packet))
                return cm_error_no_memory(err);
        }
        while (!at_end_of_line(reader))
            reader->at++;
        reader->at += *reader->at == '\n';
    }
    return CM_OK;
}

enum cm_status cm_pattern_read(const char *file, uint32_t nodes, bool permutation,
                               struct cm_router_packet **packets, uint64_t *count,
                               struct cm_error *err)
{
    char *text = NULL;
    size_t length = 0;
    struct packets list = {0};
    *packets = NULL;
    *count = 0;
    enum cm_status status = cm_file_read(file, FILE_BYTES_MAX, &text, &length, err);
    if (status != CM_OK)
        return status;
    struct reader reader = {
        .file = file, .text = text, .length = length, .at = text, .nodes = nodes};
    if (permutation)
        reader.lines = calloc((size_t)nodes * 2, sizeof *reader.lines);
    status = permutation && reader.lines == NULL ? cm_error_no_memory(err)
                                                 : read_lines(&reader, &list, err);
    if (status == CM_OK && reader.at != text + length)
        status = cm_error_at(err, CM_BAD_INPUT, file, reader.line + 1, 0, "a NUL byte, not text");
    if (status == CM_OK && list.count == 0)
        status = cm_error_at(err, CM_BAD_INPUT, file, 0, 0,
                             "lists no packets; expected lines of source,destination[,time]");
    if (status != CM_OK)
        cm_list_finish(&list);
    *packets = list.items;
    *count = list.count;
    free(reader.lines);
    free(text);
    return status;
}
