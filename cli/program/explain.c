/* Writes the text of --explain for a CM Fortran program, which compares what -O0, -O1 and -O2 do
 * with each line. Which statements share an IMP depends on arrays that are known at run time. The
 * program is therefore run at each level, and the cycles are those of the machine. */
#include "../../fortran/run/run.h"
#include "../../fortran/run/step.h"
#include "../../report/numbers.h"
#include "../job.h"
#include "program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS         3u
#define SOURCE_COLUMNS 72 /* columns of a source line that are shown */

/* Counters of the program's run at one level of -O. */
struct level {
    /* why the program cannot run at this level. An empty message: it can run. */
    struct cm_error err;
    struct cm_counters total;
    const struct cm_fortran_line *lines;
    struct cm_fortran_line *owned;
    uint32_t count;
};

struct cli_levels {
    struct level levels[LEVELS];
};

/* ---- the runs ---- */

static bool copy_level(struct level *level, const struct cm_step_result *step)
{
    const struct cm_source *source;
    const struct cm_fortran_line *lines = cm_fortran_step_lines(step, &level->count, &source);
    level->total = step->counters;
    level->owned = calloc((size_t)level->count + 1, sizeof(*level->owned));
    level->lines = level->owned;
    if (level->owned != NULL && level->count > 0)
        memcpy(level->owned, lines, level->count * sizeof(*lines));
    return level->owned != NULL;
}

static int execute(struct cm_run *run, struct level *level)
{
    cli_watch_run(run);
    enum cm_status status = cm_run_execute(run, &level->err);
    cli_watch_run(NULL);
    if (status == CM_INTERRUPTED) {
        cm_error_set(&level->err, CM_INTERRUPTED, "interrupted");
        return shell_error(&level->err);
    }
    if (status == CM_OK && !copy_level(level, &cm_run_result(run)->steps[0]))
        return shell_no_memory();
    return 0;
}

int cli_levels_make(const struct shell_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_program_values *program,
                    struct cli_levels **levels)
{
    int code = 0;
    *levels = calloc(1, sizeof **levels);
    if (*levels == NULL)
        return shell_no_memory();
    for (uint32_t i = 0; i < LEVELS && code == 0; i++) {
        struct cli_program_values values = *program;
        struct cm_workload *workload = NULL;
        struct cm_run *other = NULL;
        values.level = i;
        values.check = false;
        if (i == program->level)
            continue;
        code = cli_program_workload("run", common, param, NULL, &values, &workload);
        if (code == 0)
            code = cli_program_prepare(common, machine, workload, false, &other);
        if (code == 0)
            code = execute(other, &(*levels)->levels[i]);
        cm_run_destroy(other);
        cm_workload_destroy(workload);
    }
    return code;
}

void cli_levels_destroy(struct cli_levels *levels)
{
    for (uint32_t i = 0; levels != NULL && i < LEVELS; i++)
        free(levels->levels[i].owned);
    free(levels);
}

/* ---- in words ---- */

struct page {
    struct level levels[LEVELS];
    uint32_t own; /* level of -O of the run that the text explains */
    const struct cm_source *source;
    /* index: number of a line. First line that shares an IMP with this line, at any level */
    uint32_t *first;
    struct cm_buffer *text;
};

static bool is_known(const struct level *level)
{
    return level->err.message[0] == '\0';
}

/* Appends the change of a count: "12 % fewer", "as many", "3 % more". */
static void append_change(struct cm_buffer *text, uint64_t before, uint64_t now)
{
    const double change = before > 0 ? 100.0 * ((double)now - (double)before) / (double)before : 0;
    if (now == before)
        cm_buffer_printf(text, "as many");
    else if (change > -0.5 && change < 0.5)
        cm_buffer_printf(text, "almost as many");
    else
        cm_buffer_printf(text, "%.0f %% %s", change < 0 ? -change : change,
                         change < 0 ? "fewer" : "more");
}

/* Appends a sentence that compares the cycles of the other levels of -O, such as "-O1 would take 50
 * % fewer cycles, -O2 68 % fewer." */
static void append_others(const struct page *page, const struct cm_counters sums[LEVELS])
{
    bool first = true;
    for (uint32_t i = 0; i < LEVELS; i++) {
        if (i == page->own || !is_known(&page->levels[i]))
            continue;
        cm_buffer_printf(page->text, "%s-O%" PRIu32 " %s", first ? "  " : ", ", i,
                         first ? "would take " : "");
        append_change(page->text, sums[page->own].cycles, sums[i].cycles);
        cm_buffer_printf(page->text, "%s", first ? " cycles" : "");
        first = false;
    }
    cm_buffer_printf(page->text, "%s", first ? "" : ".\n");
}

static void append_counts(struct cm_buffer *text, uint32_t level,
                          const struct cm_counters *counters)
{
    cm_buffer_printf(text, "  -O%" PRIu32 "  %s cycles, %s exchange%s", level,
                     cm_format_count(counters->cycles).text,
                     cm_format_count(counters->exchanges).text, cm_plural(counters->exchanges));
}

static void explain_program(const struct page *page)
{
    struct cm_counters sums[LEVELS];
    cm_buffer_printf(page->text,
                     "what each level does with the program; this run is -O%" PRIu32 "\n",
                     page->own);
    for (uint32_t i = 0; i < LEVELS; i++)
        sums[i] = page->levels[i].total;
    append_others(page, sums);
    for (uint32_t i = 0; i < LEVELS; i++) {
        if (is_known(&page->levels[i]))
            append_counts(page->text, i, &sums[i]);
        else
            cm_buffer_printf(page->text, "  -O%" PRIu32 "  does not run: %s", i,
                             page->levels[i].err.message);
        cm_buffer_printf(page->text, "\n");
    }
}

/* Appends the beginning of a source line, without its leading blanks. */
static void append_source(const struct page *page, const struct cm_fortran_line *line)
{
    size_t length;
    const char *at = cm_source_text(page->source, line->file, &length), *end = at + length;
    for (uint32_t number = 1; number < line->line && at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    int columns = (int)((newline != NULL ? newline : end) - at);
    for (; columns > 0 && (*at == ' ' || *at == '\t'); columns--)
        at++;
    while (columns > 0 && (at[columns - 1] == ' ' || at[columns - 1] == '\r'))
        columns--;
    cm_buffer_printf(page->text, "%s:%" PRIu32 ": %.*s%s\n",
                     cm_source_name(page->source, line->file), line->line,
                     columns > SOURCE_COLUMNS ? SOURCE_COLUMNS : columns, at,
                     columns > SOURCE_COLUMNS ? " ..." : "");
}

/* Returns the counters of a source line at a level of -O. The runs at all levels have the same
 * lines in the same order. */
static const struct cm_fortran_line *line_at(const struct page *page, uint32_t level,
                                             uint32_t number)
{
    static const struct cm_fortran_line none;
    return number < page->levels[level].count ? &page->levels[level].lines[number] : &none;
}

/* ---- lines that share an IMP at some level are compared together ---- */

static void join(struct page *page, uint32_t number, const struct cm_fortran_line *line)
{
    uint32_t other = number;
    for (uint32_t k = 0; k < page->levels[page->own].count; k++) {
        const struct cm_fortran_line *each = line_at(page, page->own, k);
        if (each->file == line->file && each->line == line->imp_line)
            other = k;
    }
    const uint32_t from = page->first[number], to = page->first[other];
    for (uint32_t k = 0; k < page->levels[page->own].count; k++)
        if (page->first[k] == from || page->first[k] == to)
            page->first[k] = from < to ? from : to;
}

static bool find_blocks(struct page *page)
{
    const uint32_t count = page->levels[page->own].count;
    page->first = calloc((size_t)count + 1, sizeof(*page->first));
    for (uint32_t i = 0; page->first != NULL && i < count; i++)
        page->first[i] = i;
    for (uint32_t level = 0; page->first != NULL && level < LEVELS; level++)
        for (uint32_t i = 0; i < count; i++)
            if (line_at(page, level, i)->imp_line != 0)
                join(page, i, line_at(page, level, i));
    return page->first != NULL;
}

/* Adds up the counters of a block (lines that share an IMP) for each level of -O. Returns true if
 * the levels differ or the compiler has a note, so that the block is worth showing. */
static bool sum_block(const struct page *page, uint32_t block, struct cm_counters sums[LEVELS])
{
    bool noted = false;
    const struct cm_fortran_line *own = line_at(page, page->own, block);
    memset(sums, 0, LEVELS * sizeof(*sums));
    if (page->first[block] != block || cm_source_is_builtin(page->source, own->file))
        return false;
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t i = block; i < page->levels[page->own].count; i++) {
            const struct cm_fortran_line *line = line_at(page, level, i);
            if (page->first[i] != block)
                continue;
            noted |= line->note[0] != '\0';
            sums[level].cycles += line->counters.cycles;
            sums[level].exchanges += line->counters.exchanges;
        }
    for (uint32_t level = 0; level < LEVELS; level++)
        noted |= is_known(&page->levels[level]) && sums[level].cycles != sums[page->own].cycles;
    return noted && sums[page->own].cycles > 0;
}

/* Appends the compiler's notes about a block of lines at a level of -O. If the block is a single
 * line, the note is appended to the same line of output. */
static void append_notes(const struct page *page, uint32_t level, uint32_t block)
{
    bool single = true;
    for (uint32_t i = block + 1; i < page->levels[page->own].count; i++)
        single &= page->first[i] != block;
    for (uint32_t i = block; i < page->levels[page->own].count; i++) {
        const struct cm_fortran_line *line = line_at(page, level, i);
        if (page->first[i] != block || line->note[0] == '\0' || line->imp_line != 0)
            continue;
        if (single)
            cm_buffer_printf(page->text, ": %s", line->note);
        else
            cm_buffer_printf(page->text, "\n       line %" PRIu32 ": %s", line->line, line->note);
    }
    cm_buffer_printf(page->text, "\n");
}

static void explain_block(const struct page *page, uint32_t block)
{
    struct cm_counters sums[LEVELS];
    bool same = true;
    if (!sum_block(page, block, sums))
        return;
    cm_buffer_printf(page->text, "\n");
    for (uint32_t i = block; i < page->levels[page->own].count; i++)
        if (page->first[i] == block)
            append_source(page, line_at(page, page->own, i));
    for (uint32_t i = 0; i < LEVELS; i++)
        same &= is_known(&page->levels[i]) && sums[i].cycles == sums[page->own].cycles;
    if (same)
        cm_buffer_printf(page->text, "  The levels take the same cycles.\n");
    else
        append_others(page, sums);
    for (uint32_t i = same ? LEVELS - 1 : 0; i < LEVELS; i++)
        if (is_known(&page->levels[i])) {
            append_counts(page->text, i, &sums[i]);
            append_notes(page, i, block);
        }
}

void cli_levels_explain(const void *context, const struct cm_result *result, struct cm_buffer *text)
{
    const struct cli_program_values *values = context;
    struct page page = {.own = (uint32_t)values->level, .text = text};
    if (values->levels == NULL || result->step_count == 0)
        return;
    memcpy(page.levels, values->levels->levels, sizeof(page.levels));
    struct level *own = &page.levels[page.own];
    own->lines = cm_fortran_step_lines(&result->steps[0], &own->count, &page.source);
    own->total = result->steps[0].counters;
    explain_program(&page);
    text->failed = text->failed || !find_blocks(&page);
    for (uint32_t i = 0; page.first != NULL && i < own->count; i++)
        explain_block(&page, i);
    cm_buffer_printf(text, "\n");
    free(page.first);
}
