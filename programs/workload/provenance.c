/* Provenance of a result (provenance.h): collects it in the run and writes it as JSON. Its content
 * must not depend on who ran the workload or where. */
#include "provenance.h"

#include "../../base/input.h"
#include "../../base/processes.h"
#include "../../base/sha256.h"
#include "../../base/version.h"
#include "../../report/machine.h"
#include "step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PIECE_BYTES 65536u

static enum cm_status hash_file(const char *path, char *digits, struct cm_error *err)
{
    struct cm_input input;
    struct cm_sha256 hash;
    size_t got = PIECE_BYTES;
    unsigned char *piece = malloc(PIECE_BYTES);
    if (piece == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_input_open(&input, path, err);
    cm_sha256_begin(&hash);
    while (status == CM_OK && got == PIECE_BYTES) {
        status = cm_input_read(&input, piece, PIECE_BYTES, &got, err);
        if (status == CM_OK)
            cm_sha256_add(&hash, piece, got);
    }
    cm_input_close(&input);
    free(piece);
    struct cm_sha256_text text = cm_sha256_end(&hash);
    memcpy(digits, text.text, sizeof text.text);
    return status;
}

/* Returns false for files whose content is not hashed: standard input, devices and pipes, which
 * cannot be read twice, and first values in a run without data. */
static bool can_be_hashed(const struct cm_run *run, const struct cm_workload_file *file)
{
    bool values = file->kind == CM_WORKLOAD_VALUES && !run->result.timing_only;
    struct stat about;
    return (file->kind == CM_WORKLOAD_DATA || values) && stat(file->path, &about) == 0 &&
           S_ISREG(about.st_mode);
}

static enum cm_status hash_files(struct cm_run *run, struct cm_error *err)
{
    struct cm_result *result = &run->result;
    uint32_t count = 0;
    enum cm_status status = CM_OK;
    for (const struct cm_workload_file *f = cm_workload_files(run->workload); f; f = f->next)
        count += can_be_hashed(run, f);
    struct cm_result_file *files = cm_run_allocate(run, count + 1u, sizeof *files, err);
    if (files == NULL)
        return CM_NO_MEMORY;
    result->files = files;
    for (const struct cm_workload_file *f = cm_workload_files(run->workload);
         f != NULL && status == CM_OK; f = f->next) {
        if (!can_be_hashed(run, f) || result->file_count == count)
            continue;
        files->file = f->written;
        status = hash_file(f->path, files->sha256, err);
        files++;
        result->file_count++;
    }
    return status;
}

static enum cm_status list_seeds(struct cm_run *run, struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    struct cm_result_seed *seeds =
        cm_run_allocate(run, workload->array_count + 1u, sizeof *seeds, err);
    if (seeds == NULL)
        return CM_NO_MEMORY;
    run->result.seeds = seeds;
    for (uint32_t i = 0; i < workload->array_count; i++) {
        const struct cm_workload_array *array = &workload->arrays[i];
        if (array->init.kind == CM_INIT_RANDOM)
            seeds[run->result.seed_count++] =
                (struct cm_result_seed){.array = array->name, .seed = array->init.seed};
    }
    return CM_OK;
}

/* Fails with CM_BAD_INPUT if the processes that simulate the machine have different files. The
 * machine descriptions are compared elsewhere. */
static enum cm_status compare_processes(const char *what, const void *bytes, size_t length,
                                        struct cm_error *err)
{
    bool same = true;
    enum cm_status status = cm_processes_agree(cm_processes(), bytes, length, &same, err);
    if (status != CM_OK || same)
        return status;
    cm_error_set(err, CM_BAD_INPUT, "the processes have different %s", what);
    return cm_error_hint(err, "give all hosts the same files");
}

enum cm_status cm_run_compare_workloads(const struct cm_run *run, struct cm_error *err)
{
    return compare_processes("workloads", &run->workload->sha256, sizeof run->workload->sha256,
                             err);
}

enum cm_status cm_run_find_provenance(struct cm_run *run, struct cm_error *err)
{
    run->result.config = &run->config;
    run->result.workload_sha256 = run->workload->sha256.text;
    enum cm_status status = list_seeds(run, err);
    if (status == CM_OK)
        status = hash_files(run, err);
    for (uint32_t i = 0; i < run->result.file_count && status == CM_OK; i++)
        status = compare_processes("files of first values", run->result.files[i].sha256,
                                   sizeof run->result.files[i].sha256, err);
    return status;
}

static void write_files(struct cm_json_writer *json, const struct cm_result *result)
{
    if (result->file_count == 0)
        return;
    cm_json_write_list(json, "files");
    for (uint32_t i = 0; i < result->file_count; i++)
        cm_json_write_record(json, NULL, {"file", cm_text(result->files[i].file)},
                             {"sha256", cm_text(result->files[i].sha256)});
    cm_json_write_end(json);
}

/* Writes the names of the arrays that cm_run_give set, and the SHA-256 of their elements. */
static void write_given(struct cm_json_writer *json, const struct cm_result *result)
{
    if (result->given_count == 0)
        return;
    cm_json_write_object(json, "given");
    for (uint32_t i = 0; i < result->given_count; i++)
        cm_json_write_string(json, result->given[i].file, result->given[i].sha256);
    cm_json_write_end(json);
}

static bool is_given(const struct cm_result *result, const char *array)
{
    uint32_t i = 0;
    while (i < result->given_count && strcmp(result->given[i].file, array) != 0)
        i++;
    return i < result->given_count;
}

static void write_seeds(struct cm_json_writer *json, const struct cm_result *result)
{
    bool compact = json->compact, begun = false;
    for (uint32_t i = 0; i < result->seed_count; i++) {
        if (is_given(result, result->seeds[i].array))
            continue;
        if (!begun) {
            cm_json_write_compact(json, true);
            cm_json_write_object(json, "seed");
        }
        begun = true;
        cm_json_write_u64(json, result->seeds[i].array, result->seeds[i].seed);
    }
    if (begun) {
        cm_json_write_end(json);
        cm_json_write_compact(json, compact);
    }
}

void cm_provenance_write(struct cm_json_writer *json, const struct cm_result *result)
{
    cm_json_write_string(json, "version", cm_version());
    if (result->workload_sha256 != NULL)
        cm_json_write_string(json, "workload_sha256", result->workload_sha256);
    write_files(json, result);
    write_seeds(json, result);
    write_given(json, result);
    if (result->config != NULL)
        cm_json_write_machine(json, result->config);
}

uint32_t cm_provenance_override_count(const struct cm_config *config)
{
    uint32_t count = 0;
    for (uint32_t i = 0; config != NULL && i < cm_config_count(); i++)
        count += cm_config_at(config, i).status == CM_NUMBER_SET;
    return count;
}

void cm_provenance_title(const struct cm_config *config, struct cm_buffer *text)
{
    uint32_t count = cm_provenance_override_count(config);
    if (count > 1)
        cm_buffer_printf(text, " with %" PRIu32 " numbers set", count);
    for (uint32_t i = 0; count == 1 && i < cm_config_count(); i++) {
        struct cm_config_number number = cm_config_at(config, i);
        if (number.status == CM_NUMBER_SET)
            cm_buffer_printf(text, " with %s = %" PRIu64, number.path, number.value);
    }
}
