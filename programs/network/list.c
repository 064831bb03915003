/*
 * Reads lists of packets or flows from CSV files. `cm200 route --packets` and `cm200 export --what
 * packets` write such lists. The times that `export` writes are cycles. They are converted to word
 * times since the first packet of the list.
 */
#include "list.h"

#include "../../base/file.h"
#include "../../base/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)256 << 20)
#define TIME_MAX       UINT64_C(1000000000000)
#define COLUMNS_MAX    64u
#define RATE_CHARS_MAX 40u
#define MARK           "\xef\xbb\xbf" /* byte-order mark of UTF-8 */

enum column { IGNORED, SOURCE, DESTINATION, TIME, CYCLE, WORDS, RATE };

static const struct {
    const char *name;
    enum column column;
} names[] = {
    {"source", SOURCE}, {"source_node", SOURCE}, {"destination", DESTINATION},
    {"words", WORDS},   {"rate", RATE},          {"destination_node", DESTINATION},
    {"time", TIME},     {"created", TIME},       {"created_cycle", CYCLE},
};

/* State of reading a list of packets or flows. */
struct reader {
    const struct cm_list_options *options;
    const char *file;
    const char *text;
    size_t length;
    const char *at;
    uint32_t line;
    const char *line_start;
    enum column columns[COLUMNS_MAX];
    uint32_t column_count, required;
    uint64_t before; /* time on the line before, in word times or in cycles as the list has them */
    uint64_t first_cycle; /* time on the first line, from which cycles are counted */
    uint64_t line_count;  /* number of packets or flows read so far */
    /* for a permutation: for each node the number of the line where it is a source, and then for
     * each node the line where it is a destination. 0: no line so far. NULL: not a permutation */
    uint32_t *lines;
};

struct lines {
    struct cm_list_line *items;
    uint64_t count, capacity;
    bool failed;
};

static enum cm_status hint(const struct reader *reader, struct cm_error *err)
{
    if (err != NULL)
        cm_error_source(err, reader->text, reader->length);
    return cm_error_hint(err, reader->options->flows
                                  ? "a line is source,destination,rate[,words]"
                                  : "a line is source,destination[,time[,words]]");
}

static uint32_t column_at(const struct reader *reader, const char *at)
{
    return (uint32_t)(at - reader->line_start) + 1;
}

static enum cm_status refuse(const struct reader *reader, const char *at, const char *what,
                             uint64_t most, struct cm_error *err)
{
    cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line, column_at(reader, at),
                "expected %s 0 to %" PRIu64, what, most);
    return hint(reader, err);
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r')
        reader->at++;
}

static bool at_end_of_line(const struct reader *reader)
{
    return *reader->at == '\n' || *reader->at == '\0';
}

static void skip_field(struct reader *reader)
{
    while (!at_end_of_line(reader) && *reader->at != ',')
        reader->at++;
}

/* ---- header ---- */

/* Returns true if the first line is a header, which names columns instead of nodes. */
static bool is_header(const char *line)
{
    return (*line >= 'a' && *line <= 'z') || (*line >= 'A' && *line <= 'Z');
}

static enum column column_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0)
            return names[i].column;
    return IGNORED;
}

static bool has_column(const struct reader *reader, enum column column)
{
    for (uint32_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i] == column)
            return true;
    return false;
}

/* Sets the columns of a list that has no header: source, destination, time or rate, words. */
static void use_places(struct reader *reader)
{
    const enum column third = reader->options->flows ? RATE : TIME;
    const enum column columns[] = {SOURCE, DESTINATION, third, WORDS};
    memcpy(reader->columns, columns, sizeof columns);
    reader->column_count = 4;
    reader->required = reader->options->flows ? 3 : 2;
}

/* Reads which columns a header names. If it does not name source and destination, the list has the
 * columns of a list without a header. */
static void read_header(struct reader *reader)
{
    const enum column unwanted = reader->options->flows ? TIME : RATE;
    reader->column_count = reader->required = 0;
    while (reader->column_count < COLUMNS_MAX) {
        skip_blanks(reader);
        const char *name = reader->at;
        size_t length;
        skip_field(reader);
        for (length = (size_t)(reader->at - name); length > 0 && name[length - 1] <= ' ';)
            length--;
        enum column column = column_named(name, length);
        if (column == unwanted || (column == CYCLE && unwanted == TIME) ||
            has_column(reader, column))
            column = IGNORED;
        reader->columns[reader->column_count++] = column;
        if (column == SOURCE || column == DESTINATION || column == RATE)
            reader->required = reader->column_count;
        if (at_end_of_line(reader))
            break;
        reader->at++;
    }
    if (!has_column(reader, SOURCE) || !has_column(reader, DESTINATION))
        use_places(reader);
}

/* ---- fields ---- */

static const char *const expectations[] = {
    [IGNORED] = "a comma and more, from",
    [SOURCE] = "a source, a node from",
    [DESTINATION] = "a comma and a destination, a node from",
    [TIME] = "the end of the line, or a comma and a word time from",
    [CYCLE] = "a comma and a cycle from",
    [WORDS] = "the end of the line, or a comma and words from",
};

static uint64_t most_of(const struct reader *reader, enum column column)
{
    switch (column) {
    case SOURCE:
    case DESTINATION:
        return reader->options->nodes - 1;
    case TIME:
        return TIME_MAX;
    case CYCLE:
        return UINT64_MAX / 16;
    case WORDS:
        return CM_ROUTER_WORDS_MAX;
    default:
        return 1;
    }
}

static enum cm_status refuse_field(const struct reader *reader, const char *at, enum column column,
                                   struct cm_error *err)
{
    if (column != RATE)
        return refuse(reader, at, expectations[column], most_of(reader, column), err);
    cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line, column_at(reader, at),
                "expected a comma and a rate above 0, at most 1");
    return hint(reader, err);
}

/* Moves to the beginning of field `i` of a line. Fails if there is no comma before the field. */
static enum cm_status begin_field(struct reader *reader, uint32_t i, struct cm_error *err)
{
    skip_blanks(reader);
    if (i == 0)
        return CM_OK;
    if (*reader->at != ',')
        return refuse_field(reader, reader->at, reader->columns[i], err);
    reader->at++;
    skip_blanks(reader);
    return CM_OK;
}

static enum cm_status read_number(struct reader *reader, enum column column, uint64_t *value,
                                  struct cm_error *err)
{
    const uint64_t most = most_of(reader, column);
    const char *start = reader->at;
    *value = 0;
    while (*reader->at >= '0' && *reader->at <= '9' && *value <= most)
        *value = *value * 10 + (uint64_t)(*reader->at++ - '0');
    if (reader->at == start || *value > most)
        return refuse_field(reader, start, column, err);
    return CM_OK;
}

static enum cm_status read_rate(struct reader *reader, double *rate, struct cm_error *err)
{
    char digits[RATE_CHARS_MAX], *end;
    const char *start = reader->at;
    const size_t length = strspn(start, "0123456789.eE+-");
    snprintf(digits, sizeof digits, "%.*s", length < sizeof digits ? (int)length : 0, start);
    *rate = strtod(digits, &end);
    reader->at += length;
    if (end != digits && *end == '\0' && *rate > 0 && *rate <= 1)
        return CM_OK;
    return refuse_field(reader, start, RATE, err);
}

/* Stores the time of a line. Fails if the line before has a later time, because packets are sent in
 * the order of the list. */
static enum cm_status take_time(struct reader *reader, const char *start, enum column column,
                                uint64_t value, struct cm_list_line *line, struct cm_error *err)
{
    if (value < reader->before) {
        cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line, column_at(reader, start),
                    "the time is %" PRIu64 ", but a line before has %" PRIu64, value,
                    reader->before);
        hint(reader, err);
        return cm_error_hint(err, "lines are in order of time; sort them by their times");
    }
    if (reader->line_count == 0)
        reader->first_cycle = value;
    reader->before = value;
    line->time =
        column == CYCLE ? (value - reader->first_cycle) / reader->options->word_cycles : value;
    return CM_OK;
}

static enum cm_status read_field(struct reader *reader, enum column column,
                                 struct cm_list_line *line, struct cm_error *err)
{
    const char *start = reader->at;
    uint64_t value;
    if (column == RATE)
        return read_rate(reader, &line->rate, err);
    if (column == IGNORED) {
        skip_field(reader);
        return CM_OK;
    }
    enum cm_status status = read_number(reader, column, &value, err);
    if (status != CM_OK)
        return status;
    if (column == SOURCE)
        line->source = (uint32_t)value;
    else if (column == DESTINATION)
        line->destination = (uint32_t)value;
    else if (column == WORDS)
        line->words = (uint32_t)value;
    else
        status = take_time(reader, start, column, value, line, err);
    return status;
}

/* Reads the fields of a line into `line`, which has the time of the line before. A line without a
 * time keeps this time. */
static enum cm_status read_line(struct reader *reader, struct cm_list_line *line,
                                struct cm_error *err)
{
    enum cm_status status = CM_OK;
    line->words = 0;
    for (uint32_t i = 0; status == CM_OK && i < reader->column_count; i++) {
        skip_blanks(reader);
        if (i >= reader->required && at_end_of_line(reader))
            break;
        status = begin_field(reader, i, err);
        if (status == CM_OK)
            status = read_field(reader, reader->columns[i], line, err);
    }
    skip_blanks(reader);
    if (status != CM_OK || at_end_of_line(reader))
        return status;
    cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line, column_at(reader, reader->at),
                "expected the end of the line");
    return hint(reader, err);
}

/* ---- permutations ---- */

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

/* Refuses a line that a permutation must not have: a source or destination of an earlier line, or a
 * time other than 0. */
static enum cm_status judge(struct reader *reader, const struct cm_list_line *of,
                            struct cm_error *err)
{
    if (reader->lines == NULL)
        return CM_OK;
    uint32_t *source = &reader->lines[of->source];
    uint32_t *destination = &reader->lines[reader->options->nodes + of->destination];
    if (*source != 0)
        return refuse_repeated(reader, "source", of->source, *source, err);
    if (*destination != 0)
        return refuse_repeated(reader, "destination", of->destination, *destination, err);
    *source = *destination = reader->line;
    if (of->time == 0)
        return CM_OK;
    cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line, 1,
                "the time is %" PRIu64 ", but the blocks of an array are sent in one batch",
                of->time);
    if (err != NULL)
        cm_error_source(err, reader->text, reader->length);
    return cm_error_hint(err, "leave the times out");
}

/* ---- lists ---- */

static enum cm_status read_lines(struct reader *reader, struct lines *lines, struct cm_error *err)
{
    struct cm_list_line line = {0};
    enum cm_status status = CM_OK;
    bool header = true; /* true while the next line may be a header */
    while (status == CM_OK && *reader->at != '\0') {
        reader->line++;
        reader->line_start = reader->at;
        skip_blanks(reader);
        if (!at_end_of_line(reader) && *reader->at != '#') {
            if (header && is_header(reader->at)) {
                read_header(reader);
            } else {
                status = read_line(reader, &line, err);
                if (status == CM_OK)
                    status = judge(reader, &line, err);
                if (status == CM_OK && !cm_list_push(lines, line))
                    status = cm_error_no_memory(err);
                reader->line_count++;
            }
            header = false;
        }
        while (status == CM_OK && !at_end_of_line(reader))
            reader->at++;
        reader->at += *reader->at == '\n';
    }
    return status;
}

static enum cm_status check_end(const struct reader *reader, const struct lines *lines,
                                struct cm_error *err)
{
    if (reader->at != reader->text + reader->length)
        return cm_error_at(err, CM_BAD_INPUT, reader->file, reader->line + 1, 0,
                           "a NUL byte, not text");
    if (lines->count == 0)
        return cm_error_at(err, CM_BAD_INPUT, reader->file, 0, 0,
                           reader->options->flows
                               ? "lists no flows; expected lines of source,destination,rate[,words]"
                               : "lists no packets; expected lines of source,destination[,time]");
    return CM_OK;
}

enum cm_status cm_list_read(const char *file, const struct cm_list_options *options,
                            struct cm_list_line **items, uint64_t *count, struct cm_error *err)
{
    char *text = NULL;
    size_t length = 0;
    struct lines lines = {0};
    *items = NULL;
    *count = 0;
    enum cm_status status = cm_file_read(file, FILE_BYTES_MAX, &text, &length, err);
    if (status != CM_OK)
        return status;
    struct reader reader = {
        .options = options, .file = file, .text = text, .length = length, .at = text};
    if (strncmp(text, MARK, strlen(MARK)) == 0)
        reader.at += strlen(MARK);
    use_places(&reader);
    if (options->permutation)
        reader.lines = calloc((size_t)options->nodes * 2, sizeof *reader.lines);
    if (options->permutation && reader.lines == NULL)
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = read_lines(&reader, &lines, err);
    if (status == CM_OK)
        status = check_end(&reader, &lines, err);
    if (status != CM_OK)
        cm_list_finish(&lines);
    *items = lines.items;
    *count = lines.count;
    free(reader.lines);
    free(text);
    return status;
}

enum cm_status cm_pattern_read(const char *file, uint32_t nodes, bool permutation,
                               struct cm_router_packet **packets, uint64_t *count,
                               struct cm_error *err)
{
    const struct cm_list_options options = {
        .nodes = nodes, .word_cycles = 1, .permutation = permutation};
    struct cm_list_line *lines;
    *packets = NULL;
    enum cm_status status = cm_list_read(file, &options, &lines, count, err);
    if (status != CM_OK)
        return status;
    *packets = calloc(*count, sizeof **packets);
    for (uint64_t i = 0; *packets != NULL && i < *count; i++)
        (*packets)[i] = (struct cm_router_packet){.source = lines[i].source,
                                                  .destination = lines[i].destination,
                                                  .created = lines[i].time};
    free(lines);
    return *packets != NULL ? CM_OK : cm_error_no_memory(err);
}
