/* Makes statements of lines (lines.h): joins continuation lines, removes comments at line ends,
 * replaces macros, and reads labels. */
#include "lines.h"

#include "source.h"

#include <ctype.h>
#include <string.h>

/* number of columns of a punched card. Columns 73 to 80 have a sequence number. */
#define CARD_COLUMNS  80u
#define LABEL_COLUMNS 5u
#define LABEL_MAX     99999u

/* State while the lines of a statement are joined. */
struct joiner {
    struct cm_lines *lines;
    struct cm_joined_line *line;
    const struct cm_physical_line *from;
    char quote;       /* quote of the open character constant, or 0 */
    bool continues;   /* true if `&` ended the line in free form */
    bool has_comment; /* true if a comment ended the line */
};

struct cm_source_place cm_line_place(const struct cm_joined_line *line, uint32_t offset)
{
    uint32_t low = 0, high = line->segments.count; /* The index of the segment is in [low, high). */
    if (high == 0)
        return line->place;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (line->segments.items[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    const struct cm_line_segment *segment = &line->segments.items[low];
    struct cm_source_place place = segment->place;
    if (!segment->is_macro)
        place.column += offset - segment->offset;
    return place;
}

void cm_line_finish(struct cm_joined_line *line)
{
    cm_buffer_finish(&line->text);
    cm_list_finish(&line->segments);
}

static struct cm_source_place place_at(const struct cm_physical_line *line, uint32_t at)
{
    struct cm_source_place place = line->place;
    place.column += at;
    return place;
}

static bool is_blank_from(const struct cm_physical_line *line, uint32_t at)
{
    for (; at < line->length; at++)
        if (!isspace((unsigned char)line->text[at]))
            return line->text[at] == '!';
    return true;
}

/* Begins a segment: the next characters of the statement come from offset `at` of the current
 * line. */
static void begin_segment(struct joiner *j, uint32_t at, bool is_macro)
{
    struct cm_line_segment segment = {(uint32_t)j->line->text.length, place_at(j->from, at),
                                      is_macro};
    if (!cm_list_push(&j->line->segments, segment))
        j->lines->failed = true;
}

/* Appends the name at offset `at` of the line, or the text of the macro of this name. Returns the
 * offset behind the name. */
static uint32_t append_word(struct joiner *j, uint32_t at, uint32_t end)
{
    uint32_t stop = at;
    const char *text = j->from->text;
    while (stop < end && (isalnum((unsigned char)text[stop]) || text[stop] == '_'))
        stop++;
    struct cm_macro *macro =
        j->lines->macros.count > 0 ? cm_macro_find(j->lines, text + at, stop - at) : NULL;
    if (!macro) {
        cm_buffer_append(&j->line->text, text + at, stop - at);
        return stop;
    }
    begin_segment(j, at, true);
    cm_macro_expand(j->lines, macro, place_at(j->from, at), &j->line->text);
    begin_segment(j, stop, false);
    return stop;
}

/* Returns whether the `&` at offset `at` ends the line in free form, because only blanks or a
 * comment follow. */
static bool is_continuation_mark(const struct joiner *j, uint32_t at, uint32_t end)
{
    if (j->from->is_fixed && j->line->kind != CM_LINE_DIRECTIVE)
        return false;
    for (uint32_t i = at + 1; i < end; i++)
        if (!isspace((unsigned char)j->from->text[i]))
            return j->from->text[i] == '!' && !j->quote;
    return true;
}

/* Appends the characters from offset `at` to `end` of the line, or up to a comment or `&` that ends
 * the line. */
static void append(struct joiner *j, uint32_t at, uint32_t end)
{
    const char *text = j->from->text;
    j->continues = j->has_comment = false;
    begin_segment(j, at, false);
    while (at < end && !j->lines->failed) {
        char c = text[at];
        if (c == '&' && is_continuation_mark(j, at, end)) {
            j->continues = true;
            return;
        }
        if (!j->quote && c == '!') {
            j->has_comment = true;
            return;
        }
        if (!j->quote && (isalpha((unsigned char)c) || c == '_')) {
            at = append_word(j, at, end);
            continue;
        }
        if (c == j->quote || (!j->quote && (c == '\'' || c == '"')))
            j->quote = j->quote ? '\0' : c;
        cm_buffer_append(&j->line->text, &c, 1);
        at++;
    }
}

/* Returns the last column of a statement in fixed form. */
static uint32_t last_column(const struct cm_lines *lines)
{
    return lines->source->reader.line_length;
}

/* Returns whether the text from column 73 on is a sequence number: at most eight letters or
 * digits. Longer lines have none. */
static bool is_sequence_number(const struct cm_physical_line *line, uint32_t last)
{
    for (uint32_t at = last; at < line->length; at++)
        if (!isspace((unsigned char)line->text[at]) &&
            (at >= CARD_COLUMNS || !isalnum((unsigned char)line->text[at])))
            return false;
    return isspace((unsigned char)line->text[last - 1]) != 0;
}

/* Returns whether the text behind the last column is a single `&`. Authors write it there so that
 * the statement also continues when the text is read in free form. */
static bool is_mark_of_free_form(const struct cm_physical_line *line, uint32_t last)
{
    return line->text[last] == '&' && is_blank_from(line, last + 1);
}

/* Appends a line of fixed form to the statement. Reports text behind the last column that may be
 * meant as code. */
static void append_fixed(struct joiner *j)
{
    uint32_t length = j->from->length, last = last_column(j->lines);
    bool has_tab = memchr(j->from->text, '\t', length) != NULL;
    append(j, j->from->body, has_tab || length <= last ? length : last);
    if (has_tab || j->has_comment || length <= last || is_blank_from(j->from, last) ||
        is_sequence_number(j->from, last) || is_mark_of_free_form(j->from, last))
        return;
    j->line->is_cut = true;
    cm_messages_add(j->lines->messages, place_at(j->from, last),
                    "the line continues after column %u, where fixed form ends", (unsigned)last);
    cm_messages_hint(j->lines->messages,
                     "continue the statement in the next line, with a & in column 6; --line-length "
                     "takes longer lines");
}

static bool next_physical(struct cm_lines *lines, struct cm_physical_line *line)
{
    if (lines->has_held) {
        *line = lines->held;
        lines->has_held = false;
        return true;
    }
    return cm_physical_next(lines, line);
}

/* Appends the first line and the continuation lines of a statement in fixed form. If a character
 * constant is open at the end of a line, the line counts as filled with blanks up to the last
 * column. */
static void join_fixed(struct joiner *j, struct cm_physical_line *from)
{
    append_fixed(j);
    for (uint32_t before = from->length; !j->lines->failed; before = from->length) {
        if (!cm_physical_next(j->lines, from))
            return;
        if (!from->is_fixed || from->is_directive || !from->is_continuation) {
            j->lines->held = *from;
            j->lines->has_held = true;
            return;
        }
        for (uint32_t i = before; j->quote && i < last_column(j->lines); i++)
            cm_buffer_append(&j->line->text, " ", 1);
        append_fixed(j);
    }
}

/* Returns the offset at which the text of a continuation line in free form begins, which is behind
 * a leading `&` if it has one. */
static uint32_t free_body(struct joiner *j, const struct cm_physical_line *from)
{
    uint32_t at = 0;
    while (at < from->length && isspace((unsigned char)from->text[at]))
        at++;
    if (at < from->length && from->text[at] == '&')
        return at + 1;
    if (j->quote)
        return 0;
    cm_buffer_append(&j->line->text, " ", 1);
    return at;
}

static void join_free(struct joiner *j, struct cm_physical_line *from)
{
    append(j, 0, from->length);
    while (j->continues && !j->lines->failed) {
        struct cm_source_place place = place_at(from, from->length > 0 ? from->length - 1 : 0);
        j->lines->is_joining = true;
        bool more = cm_physical_next(j->lines, from);
        j->lines->is_joining = false;
        if (!more || from->is_directive) {
            cm_messages_add(j->lines->messages, place, "no line continues this statement");
            j->lines->held = *from;
            j->lines->has_held = more;
            return;
        }
        append(j, free_body(j, from), from->length);
    }
}

/* Joins the lines of a directive. After a final `&` the directive continues behind the letters CMF
 * of the next line. */
static void join_directive(struct joiner *j, struct cm_physical_line *from)
{
    append(j, from->body, from->length);
    while (j->continues && !j->lines->failed) {
        struct cm_source_place place = place_at(from, from->length > 0 ? from->length - 1 : 0);
        j->lines->is_directing = true;
        bool more = cm_physical_next(j->lines, from);
        j->lines->is_directing = false;
        if (!more || !from->is_directive) {
            cm_messages_add(j->lines->messages, place, "no line continues this directive");
            cm_messages_hint(j->lines->messages, "the next line must begin with CMF$");
            j->lines->held = *from;
            j->lines->has_held = more;
            return;
        }
        cm_buffer_append(&j->line->text, " ", 1);
        append(j, from->body, from->length);
    }
}

static void check_label(struct cm_lines *lines, struct cm_joined_line *line, uint64_t label,
                        bool has_digit, struct cm_source_place place)
{
    if (has_digit && (label == 0 || label > LABEL_MAX)) {
        cm_messages_add(lines->messages, place, "a label is a number from 1 to %u", LABEL_MAX);
        label = 0;
    }
    line->label = (uint32_t)label;
}

/* Reads the label in columns 1 to 5 of the first line of a statement. */
static void read_fixed_label(struct cm_lines *lines, const struct cm_physical_line *from,
                             struct cm_joined_line *line)
{
    uint64_t label = 0;
    bool has_digit = false;
    for (uint32_t at = 0; at < from->length && at < LABEL_COLUMNS && from->text[at] != '\t'; at++) {
        char c = from->text[at];
        if (c == ' ')
            continue;
        if (!isdigit((unsigned char)c)) {
            cm_messages_add(lines->messages, place_at(from, at),
                            "columns 1 to 5 of a statement hold its label and nothing else");
            cm_messages_hint(lines->messages, "statements begin in column 7 of fixed form; files "
                                              "named .f90 are in free form");
            return;
        }
        label = label * 10 + (uint64_t)(c - '0');
        has_digit = true;
    }
    check_label(lines, line, label, has_digit, place_at(from, 0));
}

/* Reads the label in front of a statement in free form. */
static void read_free_label(struct cm_lines *lines, struct cm_joined_line *line)
{
    const char *text = line->text.data ? line->text.data : "";
    uint64_t label = 0;
    uint32_t at = (uint32_t)strspn(text, " \t"), first = at;
    for (; isdigit((unsigned char)text[at]); at++)
        label = label > LABEL_MAX ? label : label * 10 + (uint64_t)(text[at] - '0');
    check_label(lines, line, label, at > first, cm_line_place(line, first));
    line->start = at;
}

/* Joins the lines of the statement or directive whose first line is `from`. */
static void join(struct joiner *j, struct cm_physical_line *from)
{
    if (from->is_directive) {
        j->line->kind = CM_LINE_DIRECTIVE;
        join_directive(j, from);
    } else if (from->is_fixed) {
        if (from->is_continuation) {
            cm_messages_add(j->lines->messages, place_at(from, LABEL_COLUMNS),
                            "this line continues no statement");
            cm_messages_hint(j->lines->messages,
                             "a character in column 6 of fixed form marks a continuation line");
        } else {
            read_fixed_label(j->lines, from, j->line);
        }
        join_fixed(j, from);
    } else {
        join_free(j, from);
        read_free_label(j->lines, j->line);
    }
}

bool cm_lines_next(struct cm_lines *lines, struct cm_joined_line *line)
{
    struct cm_physical_line from;
    struct joiner j = {.lines = lines, .line = line, .from = &from};
    line->kind = CM_LINE_END;
    line->label = line->start = 0;
    line->is_cut = false;
    line->text.length = 0;
    line->segments.count = 0;
    lines->expansions = 0;
    if (next_physical(lines, &from)) {
        line->kind = CM_LINE_STATEMENT;
        line->is_fixed = from.is_fixed;
        line->place = from.place;
        join(&j, &from);
        cm_buffer_append(&line->text, "", 0);
    }
    lines->failed |= line->text.failed || line->segments.failed;
    return !lines->failed;
}
