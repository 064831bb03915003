/*
 * Lines of a sweep's journal. A line that begins with '{' is added as the sweep adds it, with its
 * checksum. A line of '!', a name and a value sets how the table is made: columns, the values of
 * the figure, whether the table is partial. Any other line is written as it is. The table, its
 * description, its lines of JSON and its figure are made, or refused with a message. Bad data never
 * counts as a lack of memory.
 */
#include "base/json.h"
#include "folder.h"
#include "lines.h"
#include "sweep/sweep.h"
#include "target.h"

#define INPUT_MAX   32768u
#define COLUMNS_MAX 4u
#define ROWS_MAX    6u /* points of the grid */

static char *lengths[] = {"1", "2", "3"}, *nodes[] = {"2", "4"};
static const struct cm_sweep_axis axes[] = {
    {.kind = CM_SWEEP_PARAMETER, .name = "param.L", .values = lengths, .count = 3},
    {.kind = CM_SWEEP_NODES, .name = "option.nodes", .values = nodes, .count = 2},
};
static const char *const over[] = {"param.L=1:3", "option.nodes=2,4"};

/* A sweep, and what an input says about its table. */
struct table {
    struct cm_sweep sweep;
    const char *columns[COLUMNS_MAX];
    bool partial, head; /* head: true if the journal lacks its first line */
};

static struct table make_table(void)
{
    return (struct table){.sweep = {.runs = ROWS_MAX,
                                    .signature = "0",
                                    .settings = {.workload = "w.json",
                                                 .axes = axes,
                                                 .axis_count = 2,
                                                 .over = over,
                                                 .over_count = 2,
                                                 .journal = "j",
                                                 .figure = "f.svg",
                                                 .x = "param.L",
                                                 .y = "cycles"}}};
}

/* Takes a line "!name value". */
static void set(struct table *table, char *line)
{
    struct cm_sweep_settings *settings = &table->sweep.settings;
    char *value = strchr(line, ' ');
    if (value != NULL)
        *value++ = '\0';
    else
        value = line + strlen(line);
    if (strcmp(line, "!x") == 0)
        settings->x = value;
    else if (strcmp(line, "!y") == 0)
        settings->y = value;
    else if (strcmp(line, "!group") == 0)
        settings->group = strcmp(value, axes[1].name) == 0 ? value : axes[0].name;
    else if (strcmp(line, "!log") == 0)
        settings->logarithmic = strchr(value, 'y') != NULL ? "xy" : "x";
    else if (strcmp(line, "!title") == 0)
        settings->title = value;
    else if (strcmp(line, "!columns") == 0 && settings->column_count < COLUMNS_MAX)
        table->columns[settings->column_count++] = value;
    else if (strcmp(line, "!partial") == 0)
        table->partial = true;
    else if (strcmp(line, "!head") == 0)
        table->head = true;
}

static void write_journal(struct table *table, struct lines *lines)
{
    struct cm_error err = {0};
    int journal;
    unlink("j");
    require(cm_sweep_open_journal(&table->sweep, 0, &journal, &err) == CM_OK);
    for (char *line = lines_next(lines); line != NULL; line = lines_next(lines)) {
        size_t length = strlen(line);
        struct cm_buffer json = {.data = line, .length = length};
        if (line[0] == '!')
            set(table, line);
        else if (line[0] == '{')
            require(cm_sweep_add_line(&table->sweep, journal, &json, &err) == CM_OK);
        else
            require(write(journal, line, length) == (ssize_t)length &&
                    write(journal, "\n", 1) == 1);
    }
    if (table->head)
        require(ftruncate(journal, 0) == 0);
    close(journal);
}

/* Requires a refusal to have a message. Returns true if there is none. */
static bool is_good(enum cm_status status, const struct cm_error *err)
{
    if (status == CM_OK)
        return true;
    require(err->status == status && err->message[0] != '\0');
    require(status == CM_BAD_INPUT || status == CM_USAGE || status == CM_IO);
    return false;
}

/* Requires the reader of tables to find as many rows as the journal has runs. */
static void require_rows(const struct cm_buffer *csv, uint32_t count)
{
    struct cm_figure_data data = {0};
    struct cm_error err = {0};
    enum cm_status status = cm_figure_read_text(&data, "t.csv", csv->data, &err);
    require(count == 0 ? status == CM_BAD_INPUT : status == CM_OK && data.count == count);
    cm_figure_data_finish(&data);
}

static void describe(const struct cm_sweep_table *table)
{
    struct cm_json_document *document = NULL;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_sweep_table_made_of(table, &text);
    require(cm_buffer_ok(&text));
    require(cm_json_parse("made_of", text.data, text.length, &document, NULL) == CM_OK);
    cm_json_destroy(document);
    cm_buffer_finish(&text);
}

static void write_lines(const struct cm_sweep_table *table)
{
    struct cm_buffer text;
    uint32_t count = 0;
    cm_buffer_init(&text);
    cm_sweep_table_json_lines(table, &text);
    require(cm_buffer_ok(&text));
    for (size_t i = 0; i < text.length; i++)
        count += text.data[i] == '\n';
    require(count == ROWS_MAX);
    cm_buffer_finish(&text);
}

static void use(const struct table *table)
{
    struct cm_sweep_table *opened;
    struct cm_error err = {0};
    struct cm_buffer csv, figure;
    cm_buffer_init(&csv);
    cm_buffer_init(&figure);
    bool good = is_good(cm_sweep_table_open(&table->sweep, table->partial, &opened, &err), &err);
    bool whole = good && cm_sweep_table_counts(opened).done == ROWS_MAX;
    require(!good || whole || table->partial);
    if (good && is_good(cm_sweep_table_csv(opened, &csv, &err), &err)) {
        require(cm_buffer_ok(&csv));
        require_rows(&csv, cm_sweep_table_counts(opened).done);
        describe(opened);
        if (whole)
            write_lines(opened);
        if (whole && is_good(cm_sweep_table_figure(opened, &figure, &err), &err))
            require(cm_buffer_ok(&figure) && figure.length > 0);
    }
    cm_sweep_table_close(opened);
    cm_buffer_finish(&csv);
    cm_buffer_finish(&figure);
}

FUZZ_TARGET(fuzz_journal)
{
    static bool entered;
    struct table table = make_table();
    struct lines lines;
    if (size > INPUT_MAX)
        return 0;
    if (!entered)
        folder_enter();
    entered = true;
    table.sweep.settings.columns = table.columns;
    lines_begin(&lines, data, size);
    write_journal(&table, &lines);
    use(&table);
    lines_finish(&lines);
    return 0;
}
