/* Writes the differences of two results or traces, for people and as JSON. */
#include "../base/text.h"
#include "../report/numbers.h"
#include "../report/style.h"
#include "../report/table.h"
#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* number of differences of a group that are printed for people, at most */
#define SHOWN_MAX 40u

static const struct {
    const char *heading; /* heading of the group in the text for people */
    const char *name;    /* key of the group in the JSON output */
} groups[CM_DIFF_GROUPS] = {
    [CM_DIFF_MADE_OF] = {"Made of", "made_of"},       [CM_DIFF_TOTALS] = {"Totals", "totals"},
    [CM_DIFF_CAUSES] = {"Cycles by cause", "causes"}, [CM_DIFF_STEPS] = {"Steps", "steps"},
    [CM_DIFF_CHANNELS] = {"Channels", "channels"},    [CM_DIFF_OTHER] = {"Other", "other"},
};

static const struct cm_column columns[] = {
    {.heading = "", .width = 16}, /* column of the differences' names */
    {.heading = "A", .kind = CM_COLUMN_NUMBER},
    {.heading = "B", .kind = CM_COLUMN_NUMBER},
    {.heading = "change", .kind = CM_COLUMN_NUMBER},
    {.heading = "%", .kind = CM_COLUMN_CHANGE, .digits = 1},
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

/* Formats a number, such as "1,234". If `plus` is true, numbers that are not negative have a sign,
 * such as "+1,234". */
static struct cm_quote number_text(struct cm_value value, bool plus)
{
    struct cm_quote shown;
    char digits[CM_NUMBER_BYTES];
    bool negative = value.type == CM_VALUE_I64   ? value.as.i64 < 0
                    : value.type == CM_VALUE_F64 ? value.as.f64 < 0
                                                 : false;
    const char *sign = negative ? "-" : plus ? "+" : "";
    if (value.type == CM_VALUE_F64) {
        cm_value_print(cm_rounded(fabs(value.as.f64), 6), digits);
        snprintf(shown.text, sizeof shown.text, "%s%s", sign, digits);
        return shown;
    }
    uint64_t size = negative ? (uint64_t) - (value.as.i64 + 1) + 1 : value.as.u64;
    snprintf(shown.text, sizeof shown.text, "%s%s", sign, cm_format_count(size).text);
    return shown;
}

/* Shortens a SHA-256 to twelve digits, which are enough to see that two differ. Returns other texts
 * unchanged. */
static struct cm_quote shorten(const char *text)
{
    size_t length = strlen(text);
    bool hash = length == 64 && strspn(text, "0123456789abcdef") == length;
    return cm_text_clip(text, hash ? 12 : length);
}

static struct cm_quote side_text(const struct cm_diff_side *side)
{
    struct cm_value value = cm_diff_value(side);
    struct cm_quote shown = {"-"};
    if (value.type == CM_VALUE_BOOL)
        snprintf(shown.text, sizeof shown.text, "%s", value.as.u64 ? "true" : "false");
    else if (value.type == CM_VALUE_TEXT)
        shown = shorten(value.as.text);
    else if (value.type != CM_VALUE_NONE)
        shown = number_text(value, false);
    return shown;
}

static void add_row(struct cm_table *table, const struct cm_diff *diff,
                    const struct cm_diff_item *difference)
{
    const char *name = cm_diff_text_at(diff, difference->name);
    char label[128];
    int indent = difference->group == CM_DIFF_STEPS ? 2 : 0;
    snprintf(label, sizeof label, "%*s%s", indent, "", cm_text_clip(name, strlen(name)).text);
    cm_table_string(table, label);
    cm_table_string(table, side_text(&difference->sides[0]).text);
    cm_table_string(table, side_text(&difference->sides[1]).text);
    if (difference->has_change)
        cm_table_string(table, number_text(difference->change, true).text);
    if (difference->has_ratio)
        cm_table_f64(table, difference->ratio);
    cm_table_end_row(table);
}

/* Adds a row with the JSON pointer of the step to which the next rows belong. */
static void add_step(struct cm_table *table, const struct cm_diff *diff,
                     const struct cm_diff_item *difference)
{
    const char *path = cm_diff_text_at(diff, difference->path);
    cm_table_string(table, cm_text_clip(path, difference->name - difference->path - 1).text);
    cm_table_end_row(table);
}

/* Prints the group of differences that begins with difference `first`. Returns the number of the
 * first difference in the next group. */
static uint32_t print_group(const struct cm_diff *diff, uint32_t first, unsigned style,
                            struct cm_buffer *text)
{
    enum cm_diff_group group = cm_diff_at(diff, first)->group;
    uint32_t step = CM_DIFF_NO_STEP, i;
    struct cm_table table;
    cm_table_init(&table, columns, COLUMN_COUNT);
    table.title = groups[group].heading;
    table.heading = CM_CODE_BOLD;
    for (i = first; i < cm_diff_count(diff); i++) {
        const struct cm_diff_item *difference = cm_diff_at(diff, i);
        if (difference->group != group)
            break;
        if (i - first >= SHOWN_MAX)
            continue;
        if (difference->step != step)
            add_step(&table, diff, difference);
        step = difference->step;
        add_row(&table, diff, difference);
    }
    cm_buffer_append(text, "\n", 1);
    cm_table_text(&table, style, text);
    cm_table_finish(&table);
    if (i - first > SHOWN_MAX)
        cm_buffer_printf(text, "  and %" PRIu32 " more; --json prints all\n",
                         i - first - SHOWN_MAX);
    return i;
}

/* Prints the first event that differs, as trace `side` has it. */
static void print_event(const struct cm_diff *diff, int side, struct cm_buffer *text)
{
    const struct cm_diff_first *first = &diff->first;
    const struct cm_trace_event *event = &first->events[side];
    char instruction[CM_DIFF_INSTRUCTION_BYTES];
    cm_buffer_printf(text, "  %c  ", "AB"[side]);
    if (!first->present[side]) {
        cm_buffer_printf(text, "no more events\n");
        return;
    }
    cm_diff_instruction(diff->traces[side], event, instruction, sizeof instruction);
    cm_buffer_printf(text, "cycles %s to %s, %s", cm_format_count(event->first_cycle).text,
                     cm_format_count(event->end_cycle).text, cm_trace_phase_name(event->phase));
    if (instruction[0] != '\0')
        cm_buffer_printf(text, ", %s", instruction);
    if (first->present[1 - side] && event->address != first->events[1 - side].address)
        cm_buffer_printf(text, ", word %s", cm_format_count(event->address).text);
    if (first->present[1 - side] && event->other != first->events[1 - side].other)
        cm_buffer_printf(text, ", second word %s", cm_format_count(event->other).text);
    cm_buffer_printf(text, "\n");
}

static void print_packet(const struct cm_diff *diff, int side, struct cm_buffer *text)
{
    const struct cm_trace *trace = diff->traces[side];
    if (diff->first.packet >= cm_trace_information(trace)->packets) {
        cm_buffer_printf(text, "  %c  no such packet\n", "AB"[side]);
        return;
    }
    const struct cm_trace_packet *packet = cm_trace_packet_at(trace, diff->first.packet);
    cm_buffer_printf(text, "  %c  node %" PRIu32 " to node %" PRIu32 ", %" PRIu32 " words, ",
                     "AB"[side], packet -> source, packet -> destination, packet -> words);
    cm_buffer_printf(text, "created at %s", cm_format_count(packet->created_cycle).text);
    if (packet->arrived_cycle != UINT64_MAX)
        cm_buffer_printf(text, ", there at %s", cm_format_count(packet->arrived_cycle).text);
    cm_buffer_printf(text, "\n");
}

static void print_first(const struct cm_diff *diff, unsigned style, struct cm_buffer *text)
{
    const struct cm_diff_first *first = &diff->first;
    if (first->what == NULL)
        return;
    cm_buffer_printf(text, "\n%sFirst difference%s\n", cm_style_code(style, CM_CODE_BOLD),
                     cm_style_code(style, CM_CODE_RESET));
    cm_buffer_printf(text, "  cycle %s", cm_format_count(first->cycle).text);
    for (int s = 0; s < 2; s++)
        if (first->where[s][0] != '\0' && (s == 0 || strcmp(first->where[0], first->where[1]) != 0))
            cm_buffer_printf(text, ", %s%s",
                             cm_text_clip(first->where[s], strlen(first->where[s])).text,
                             s == 1 ? " in B" : "");
    if (first->node != CM_TRACE_NONE)
        cm_buffer_printf(text, ", node %" PRIu32, first->node);
    if (first->is_packet)
        cm_buffer_printf(text, ", packet %s", cm_format_count(first->packet).text);
    cm_buffer_printf(text, ": %s\n", first->what);
    for (int s = 0; s < 2; s++)
        (first->is_packet ? print_packet : print_event)(diff, s, text);
}

void cm_diff_text(const struct cm_diff *diff, const char *const paths[2], unsigned style,
                  struct cm_buffer *text)
{
    uint32_t count = cm_diff_count(diff);
    for (int s = 0; s < 2; s++)
        cm_buffer_printf(text, "%s  %s\n", s == 0 ? "A" : "B",
                         cm_text_clip(paths[s], strlen(paths[s])).text);
    const char *kind = diff->traces[0] != NULL ? "traces" : "results";
    if (cm_diff_same(diff))
        cm_buffer_printf(text, "The %s are the same.\n", kind);
    else if (count == 0 || cm_diff_at(diff, 0)->group != CM_DIFF_MADE_OF)
        cm_buffer_printf(text,
                         "Both name the same workload, machine and options; "
                         "the %s do not say why they differ.\n",
                         kind);
    for (uint32_t i = 0; i < count;)
        i = print_group(diff, i, style, text);
    print_first(diff, style, text);
}

static void write_difference(struct cm_json_writer *json, const struct cm_diff *diff,
                             const struct cm_diff_item *difference)
{
    struct cm_value none = cm_text(NULL);
    cm_json_write_record(json, NULL, {"path", cm_text(cm_diff_text_at(diff, difference->path))},
                         {"a", cm_diff_value(&difference->sides[0])},
                         {"b", cm_diff_value(&difference->sides[1])},
                         {"change", difference->has_change ? difference->change : none},
                         {"ratio", difference->has_ratio ? cm_f64(difference->ratio) : none});
}

static void write_event(struct cm_json_writer *json, const struct cm_diff *diff, int side)
{
    const struct cm_diff_first *first = &diff->first;
    const struct cm_trace_event *event = &first->events[side];
    const char *key = side == 0 ? "a" : "b";
    char instruction[CM_DIFF_INSTRUCTION_BYTES];
    if (!first->present[side]) {
        cm_json_write_null(json, key);
        return;
    }
    cm_diff_instruction(diff->traces[side], event, instruction, sizeof instruction);
    cm_json_write_record(json, key, {"event", cm_u64(event->number)},
                         {"first_cycle", cm_u64(event->first_cycle)},
                         {"end_cycle", cm_u64(event->end_cycle)},
                         {"step", cm_text(first->where[side][0] ? first->where[side] : NULL)},
                         {"phase", cm_text(cm_trace_phase_name(event->phase))},
                         {"instruction", cm_text(instruction[0] ? instruction : NULL)});
}

static void write_first(struct cm_json_writer *json, const struct cm_diff *diff)
{
    const struct cm_diff_first *first = &diff->first;
    if (diff->traces[0] == NULL)
        return;
    if (first->what == NULL) {
        cm_json_write_null(json, "first_difference");
        return;
    }
    cm_json_write_object(json, "first_difference");
    cm_json_write_members(
        json, {"cycle", cm_u64(first->cycle)},
        {"step", cm_text(first->where[0][0] != '\0'   ? first->where[0]
                         : first->where[1][0] != '\0' ? first->where[1]
                                                      : NULL)},
        {"node", first->node != CM_TRACE_NONE ? cm_u64(first->node) : cm_text(NULL)},
        {"packet", first->is_packet ? cm_u64(first->packet) : cm_text(NULL)},
        {"what", cm_text(first->what)});
    write_event(json, diff, 0);
    write_event(json, diff, 1);
    cm_json_write_end(json);
}

void cm_diff_json(const struct cm_diff *diff, const char *const paths[2], struct cm_buffer *text)
{
    struct cm_json_writer json;
    uint32_t count = cm_diff_count(diff), i = 0;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_members(&json, {"format", cm_text("cm200-diff/1")}, {"a", cm_text(paths[0])},
                          {"b", cm_text(paths[1])}, {"same", cm_bool(cm_diff_same(diff))});
    write_first(&json, diff);
    for (uint32_t group = 0; group < CM_DIFF_GROUPS; group++) {
        cm_json_write_list(&json, groups[group].name);
        for (; i < count && cm_diff_at(diff, i)->group == group; i++)
            write_difference(&json, diff, cm_diff_at(diff, i));
        cm_json_write_end(&json);
    }
    cm_json_write_end(&json);
}
