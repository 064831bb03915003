/* Runs the rows of the published tables. validate_errors.c computes the errors of the results. */
#include "validate_private.h"

#include "../../report/json_writer.h"
#include "../../sim/machine/front_end.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define SLICES     2u /* number of slices (32-bit words) of a REAL*8 element */
#define CELL_BYTES 4u /* number of bytes of a slice */

/* Names of the arrays that the shifts of a row write, two for each axis. */
static const char *const destinations[2 * CM_VALIDATE_TABLES] = {"dst1", "dst2", "dst3", "dst4",
                                                                 "dst5", "dst6", "dst7", "dst8"};

double cm_validate_now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint32_t shifts_of(const struct cm_published_row *row)
{
    return 2 * row->rank;
}

static uint64_t local_elements(const struct cm_published_row *row)
{
    uint64_t elements = 1;
    for (uint32_t a = 0; a < row->rank; a++)
        elements *= row->length;
    return elements;
}

/* Returns the bytes of all arrays of a row: a source, and a destination for each shift. */
uint64_t cm_validate_row_bytes(const struct cm_published_row *row)
{
    return local_elements(row) * SLICES * CELL_BYTES * CM_VALIDATE_NODES * (1 + shifts_of(row));
}

double cm_front_end_elapsed_ms(const struct cm_config *config, enum cm_library library,
                               uint32_t shifts, double cm_ms)
{
    struct cm_front_end front_end = {0};
    uint64_t each = library == CM_LIBRARY_PSHIFT ? cm_front_end_pshift_cycles(config)
                                                 : cm_front_end_runtime_cycles(config);
    cm_front_end_begin(&front_end, each * shifts, 0);
    cm_front_end_end(&front_end, (uint64_t)llround(cm_ms * 1e-3 * (double)config->clock_hz));
    return 1e3 * (double)front_end.elapsed / (double)config->clock_hz;
}

/*
 * Writes the source array of a row's workload. The lengths are chosen so that each node holds
 * length^rank elements. The node bits are distributed evenly, and the first axes get what is left
 * over.
 */
static void write_source(struct cm_json_writer *json, const struct cm_published_row *row)
{
    uint32_t bits = 0;
    while ((1u << bits) < CM_VALIDATE_NODES)
        bits++;
    cm_json_write_object(json, "src");
    cm_json_write_string(json, "type", "real64");
    cm_json_write_record(json, "init", {"index", cm_bool(true)});
    cm_json_write_list(json, "shape");
    for (uint32_t a = 0; a < row->rank; a++) {
        uint32_t left = row->rank - a, share = (bits + left - 1) / left;
        cm_json_write_u64(json, NULL, row->length << share);
        bits -= share;
    }
    cm_json_write_end(json);
    cm_json_write_end(json);
}

/* Writes shift number `i` of a row's workload. The tables have shifts by 1 and -1 along every axis.
 * The order is our choice: dimension 1 by 1, then by -1, dimension 2 by 1, ... A PSHIFT makes all
 * shifts in one step. */
static void write_shift(struct cm_json_writer *json, uint32_t i, bool pshift)
{
    cm_json_write_object(json, NULL);
    if (pshift)
        cm_json_write_string(json, "type", "cshift");
    else
        cm_json_write_object(json, "cshift");
    cm_json_write_string(json, "dst", destinations[i]);
    cm_json_write_string(json, "src", "src");
    cm_json_write_u64(json, "dim", i / 2 + 1);
    cm_json_write_i64(json, "distance", i % 2 ? -1 : 1);
    if (!pshift)
        cm_json_write_end(json);
    cm_json_write_end(json);
}

static void write_workload(const struct cm_published_row *row, bool pshift, struct cm_buffer *text)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-workload/1");
    cm_json_write_u64(&json, "nodes", CM_VALIDATE_NODES);
    cm_json_write_bool(&json, "check", true);
    cm_json_write_object(&json, "arrays");
    write_source(&json, row);
    for (uint32_t i = 0; i < shifts_of(row); i++)
        cm_json_write_record(&json, destinations[i], {"like", cm_text("src")});
    cm_json_write_end(&json);
    cm_json_write_list(&json, "steps");
    if (pshift) {
        cm_json_write_object(&json, NULL);
        cm_json_write_list(&json, "pshift");
    }
    for (uint32_t i = 0; i < shifts_of(row); i++)
        write_shift(&json, i, pshift);
    for (uint32_t open = pshift ? 4 : 2; open > 0; open--)
        cm_json_write_end(&json);
}

/* Fails unless the local axes of the source have the length of the published row. The geometry
 * manager chooses the layout, and the tables have subgrids with equal axes. */
static enum cm_status check_subgrid(struct cm_run *run, const struct cm_published_row *row,
                                    struct cm_error *err)
{
    const struct cm_layout *layout = &cm_run_array_at(run, 0)->layout;
    for (uint32_t a = 0; a < row->rank; a++) {
        if (layout->axes[a].local_length != row->length)
            return cm_error_set(err, CM_INTERNAL,
                                "axis %" PRIu32 " has %" PRIu64
                                " elements in a node, expected %" PRIu64,
                                a + 1, layout->axes[a].local_length, row->length);
    }
    return CM_OK;
}

static void take_result(struct cm_run *run, struct cm_validated_time *time)
{
    const struct cm_result *result = cm_run_result(run);
    time->counters = result->total;
    time->cm_ms = 1e3 * (double)result->total.cycles / (double)result->clock_hz;
    time->elapsed_ms = 1e3 * (double)result->total.elapsed_cycles / (double)result->clock_hz;
    time->checked = result->checked && result->mismatches == 0;
}

enum cm_status cm_validate_job_begin(const struct cm_buffer *text, const struct cm_run_options *how,
                                     struct cm_validate_job *job, struct cm_error *err)
{
    *job = (struct cm_validate_job){NULL, NULL};
    if (!cm_buffer_ok(text))
        return cm_error_no_memory(err);
    enum cm_status status =
        cm_workload_parse("validate", text->data, text->length, &job->workload, err);
    return status == CM_OK ? cm_run_create(job->workload, how, &job->run, err) : status;
}

enum cm_status cm_validate_job_execute(const struct cm_validate_options *options,
                                       struct cm_validate_job *job, struct cm_error *err)
{
    return cm_run_execute_watched(job->run, options->watch, options->context, err);
}

void cm_validate_job_end(struct cm_validate_job *job)
{
    cm_run_destroy(job->run);
    cm_workload_destroy(job->workload);
}

static enum cm_status run_cell(const struct cm_validate_options *options,
                               const struct cm_published_row *row, enum cm_library library,
                               struct cm_validated_time *time, struct cm_error *err)
{
    struct cm_validate_job job;
    struct cm_buffer text;
    bool data = options->data && (options->data_limit_bytes == 0 ||
                                  cm_validate_row_bytes(row) <= options->data_limit_bytes);
    struct cm_run_options how = {
        .config = options->config,
        .threads = options->threads,
        .timing_only = !data,
    };
    cm_buffer_init(&text);
    write_workload(row, library == CM_LIBRARY_PSHIFT, &text);
    enum cm_status status = cm_validate_job_begin(&text, &how, &job, err);
    if (status == CM_OK)
        status = check_subgrid(job.run, row, err);
    if (status == CM_OK)
        status = cm_validate_job_execute(options, &job, err);
    if (status == CM_OK)
        take_result(job.run, time);
    cm_validate_job_end(&job);
    cm_buffer_finish(&text);
    return status;
}

/* Puts the name of the failed row first in the error message, and drops the place and the hints,
 * which are about a generated workload. */
static void name_row(const struct cm_published_row *row, enum cm_library library,
                     struct cm_error *err)
{
    struct cm_error inner;
    if (err == NULL || err->status == CM_INTERRUPTED)
        return;
    inner = *err;
    cm_error_set(err, inner.status, "%s, rank %" PRIu32 ", length %" PRIu64 ": %s",
                 cm_library_name(library), row->rank, row->length, inner.message);
    if (inner.status == CM_BAD_INPUT)
        cm_error_hint(err, "the rows are as published; the machine must hold them: see "
                           "memory.words and sequencer.sram_words");
}

enum cm_status cm_validate_check_nodes(const struct cm_config *config, struct cm_error *err)
{
    uint64_t nodes = UINT64_C(1) << config->network_dimensions;
    if (nodes >= CM_VALIDATE_NODES)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "the machine %s has %" PRIu64 " nodes; the published timings are of %u",
                 config->name, nodes, CM_VALIDATE_NODES);
    return cm_error_hint(err, "a machine with network.dimensions of 11 or more");
}

static enum cm_status check_options(const struct cm_validate_options *options, struct cm_error *err)
{
    if (options->table > CM_VALIDATE_TABLES)
        return cm_error_set(err, CM_BAD_INPUT, "table %" PRIu32 ": expected 1 to %u",
                            options->table, CM_VALIDATE_TABLES);
    if (cm_published_count() > CM_VALIDATE_ROWS_MAX)
        return cm_error_set(err, CM_INTERNAL, "%" PRIu32 " published rows, room for %u",
                            cm_published_count(), CM_VALIDATE_ROWS_MAX);
    return cm_validate_check_nodes(options->config, err);
}

static enum cm_status run_row(const struct cm_validate_options *options,
                              struct cm_validated_row *row, struct cm_error *err)
{
    for (int library = 0; library < CM_LIBRARY_COUNT; library++) {
        enum cm_status status =
            run_cell(options, row->published, (enum cm_library)library, &row->times[library], err);
        if (status != CM_OK) {
            name_row(row->published, (enum cm_library)library, err);
            return status;
        }
    }
    return CM_OK;
}

enum cm_status cm_validate(const struct cm_validate_options *options,
                           struct cm_validation *validation, struct cm_error *err)
{
    struct cm_error local; /* error for name_row, even if `err` is NULL */
    double began = cm_validate_now_seconds();
    memset(&local, 0, sizeof local);
    memset(validation, 0, sizeof *validation);
    enum cm_status status = check_options(options, &local);
    validation->config = *options->config;
    validation->table = options->table;
    for (uint32_t i = 0; status == CM_OK && i < cm_published_count(); i++) {
        const struct cm_published_row *published = cm_published_row(i);
        if (options->table != 0 && published->rank != options->table)
            continue;
        struct cm_validated_row *row = &validation->rows[validation->row_count++];
        row->published = published;
        status = run_row(options, row, &local);
        if (options->progress != NULL)
            options->progress(options->context, i + 1, cm_published_count());
    }
    validation->wall_seconds = cm_validate_now_seconds() - began;
    if (status != CM_OK && err != NULL)
        *err = local;
    return status;
}
