/* Lists for cm200 compile PROGRAM.fcm the IMPs that each source line started, and its calls of the
 * run-time library. The code of a line depends on shapes and layouts, which are known at run time.
 * The program is therefore run once, and an observer notes which IMPs its statements start. */
#include "../../base/list.h"
#include "../../fortran/run/run.h"
#include "../../fortran/run/step.h"
#include "../../isa/imp.h"
#include "../../report/numbers.h"
#include "../job.h"
#include "program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An IMP in the listing. IMPs with the same text are the same IMP. */
struct listed_imp {
    char *text;
    bool shown;
};

/* Record of the number of times that a source line started an IMP. */
struct use {
    uint32_t file, line, imp;
    uint64_t times;
};

struct listing {
    const struct cm_step_result *step;
    CM_LIST(struct listed_imp) imps;
    CM_LIST(struct use) uses;
    bool failed;
};

/* Returns the number of an IMP in the list of different IMPs. UINT32_MAX: memory is too short. */
static uint32_t number_of(struct listing *listing, const struct cm_imp *imp)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_imp_disassemble(imp, &text);
    if (!cm_buffer_ok(&text)) {
        cm_buffer_finish(&text);
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < listing->imps.count; i++)
        if (strcmp(listing->imps.items[i].text, text.data) == 0) {
            cm_buffer_finish(&text);
            return i;
        }
    struct listed_imp *made = cm_list_add(&listing->imps);
    if (made == NULL) {
        cm_buffer_finish(&text);
        return UINT32_MAX;
    }
    made->text = text.data; /* the list owns the memory of the buffer from here on */
    return listing->imps.count - 1;
}

static void run_begins(void *context, const struct cm_observed_start *start)
{
    struct listing *listing = context;
    struct use use = {.times = 1};
    if (listing->failed || !cm_fortran_step_statement(listing->step, &use.file, &use.line))
        return;
    use.imp = number_of(listing, start->imp);
    listing->failed = use.imp == UINT32_MAX;
    for (uint32_t i = 0; i < listing->uses.count; i++) {
        struct use *other = &listing->uses.items[i];
        if (other->imp == use.imp && other->line == use.line && other->file == use.file) {
            other->times++;
            return;
        }
    }
    if (!cm_list_push(&listing->uses, use))
        listing->failed = true;
}

static void append_imp(struct listing *listing, const struct use *use, struct cm_buffer *text)
{
    struct listed_imp *imp = &listing->imps.items[use->imp];
    cm_buffer_printf(text, "; IMP %" PRIu32 ", started %" PRIu64 " time%s%s\n", use->imp + 1,
                     use->times, cm_plural(use->times), imp->shown ? ", shown above" : "");
    if (!imp->shown)
        cm_buffer_append(text, imp->text, strlen(imp->text));
    imp->shown = true;
}

static void append_source(const struct cm_source *source, const struct cm_fortran_line *line,
                          struct cm_buffer *text)
{
    size_t length;
    const char *at = cm_source_text(source, line->file, &length), *end = at + length;
    for (uint32_t number = 1; number < line->line && at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    size_t columns = newline != NULL ? (size_t)(newline - at) : (size_t)(end - at);
    while (columns > 0 && (*at == ' ' || *at == '\t')) {
        at++;
        columns--;
    }
    cm_buffer_printf(text, "%s; %s:%" PRIu32 ": %.*s\n", text->length > 0 ? "\n" : "",
                     cm_source_name(source, line->file), line->line, (int)columns, at);
}

/* Appends a source line, with the IMPs that it started and its calls of the run-time library. */
static void append_line(struct listing *listing, const struct cm_source *source,
                        const struct cm_fortran_line *line, struct cm_buffer *text)
{
    uint64_t calls = line->counters.by_cause[CM_CAUSE_RUNTIME_CALL];
    append_source(source, line, text);
    if (line->note[0] != '\0')
        cm_buffer_printf(text, "; %s\n", line->note);
    if (calls > 0)
        cm_buffer_printf(text, "; calls of the run-time library: %" PRIu64 " cycles\n", calls);
    for (uint32_t i = 0; i < listing->uses.count; i++)
        if (listing->uses.items[i].line == line->line && listing->uses.items[i].file == line->file)
            append_imp(listing, &listing->uses.items[i], text);
}

static void append_all(struct listing *listing, struct cm_buffer *text)
{
    const struct cm_source *source;
    uint32_t count;
    const struct cm_fortran_line *lines = cm_fortran_step_lines(listing->step, &count, &source);
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].counters.cycles > 0)
            append_line(listing, source, &lines[i], text);
    if (text->length == 0)
        cm_buffer_printf(text, "; no line of this program starts anything on the machine\n");
}

static void finish(struct listing *listing)
{
    for (uint32_t i = 0; i < listing->imps.count; i++)
        free(listing->imps.items[i].text);
    cm_list_finish(&listing->imps);
    cm_list_finish(&listing->uses);
}

static int print_listing(struct cm_run *run, const char *output)
{
    struct listing listing = {.step = &cm_run_result(run)->steps[0]};
    const struct cm_observer observer = {.context = &listing, .run_begins = run_begins};
    struct cm_buffer text;
    struct cm_error err = {0};
    cm_run_observe(run, &observer);
    cli_watch_run(run);
    enum cm_status status = cm_run_execute(run, &err);
    cli_watch_run(NULL);
    if (status == CM_INTERRUPTED)
        cm_error_set(&err, CM_INTERRUPTED, "interrupted");
    if (status == CM_OK && listing.failed)
        status = cm_error_no_memory(&err);
    cm_buffer_init(&text);
    if (status == CM_OK)
        append_all(&listing, &text);
    finish(&listing);
    if (status == CM_OK)
        return shell_deliver(output, &text, status, &err);
    cm_buffer_finish(&text);
    return console_program_error(NULL, &err);
}

int cli_list_program(const struct shell_values *common, const struct cli_machine_values *machine,
                     const struct cli_param_values *param, const struct cli_program_values *program,
                     const char *output)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    int code = cli_program_workload("compile", common, param, NULL, program, &workload);
    if (code == 0)
        code = cli_program_prepare(common, machine, workload, false, &run);
    if (code == 0)
        code = print_listing(run, output);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return code;
}
