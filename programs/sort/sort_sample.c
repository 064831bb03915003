/* Runs sorts by samples: checks whether a sort permits samples, computes sizes, compiles the
 * stages, and executes calls. */
#include "sort_sample.h"

#include <stdlib.h>

/* Limit on the records of an axis. Ties are at most twice this number plus one, and must fit in 31
 * bits. */
#define RECORDS_MAX (UINT64_C(1) << 30)
/* limit: a node takes more than the fewest samples only if so many of its records come to each
 * sample */
#define SAMPLED 32u
/* more samples are not taken if the error of splitters is 1 / ERROR_MAX of a node's records */
#define ERROR_MAX 8u

uint32_t cm_sort_pick_bits(const struct cm_sort *own, uint32_t code, uint32_t coordinate)
{
    /* neighbouring nodes, and nodes a power of two apart, take their samples at different places */
    uint32_t phase = 0;
    for (uint32_t rest = coordinate; rest > 0; rest /= CM_SORT_PHASES)
        phase += rest;
    const uint32_t last = code == (UINT32_C(1) << own->dimensions) - 1;
    return UINT32_C(1) << phase % CM_SORT_PHASES | last << CM_SORT_LAST_BIT;
}

/*
 * Returns by how many gaps a node's range of records may be too large. A gap is the records between
 * two samples of a node. Between two splitters are s samples. The records between the splitters are
 * at most the records of s gaps, and of one more gap in each of n nodes. With random keys these n
 * errors have either sign. Their sum is of the order of sqrt(n / 6) gaps, and the bound of 2
 * sqrt(n) gaps is five times as large.
 */
static uint64_t error_of(uint32_t dimensions)
{
    const uint64_t nodes = UINT64_C(1) << dimensions, random = UINT64_C(2) << (dimensions + 1) / 2;
    return nodes < random ? nodes : random;
}

/* Returns the number of samples of a node. More samples make the error of ranges smaller, but take
 * longer to sort. */
static uint64_t samples_of(const struct cm_sort *own)
{
    const uint64_t error = error_of(own->dimensions);
    uint64_t samples = error;
    while (samples < ERROR_MAX * error && 2 * samples * SAMPLED <= own->length)
        samples *= 2;
    return samples;
}

/* Returns the number of records that a node has room for. */
static uint64_t room_of(const struct cm_sort *own)
{
    const uint64_t samples = samples_of(own);
    return (samples + error_of(own->dimensions)) * ((own->length + samples - 1) / samples);
}

/* Returns the reason why a sort by samples is not possible, or NULL if it is possible. */
static const char *reason_of(const struct cm_config *config, const struct cm_sort *own)
{
    if (own->dimensions == 0)
        return "the axis is in one node";
    if (own->values != own->length)
        return "a node has parts of several columns";
    if (own->length < 2 * samples_of(own))
        return "a node has too few records for its samples";
    if (own->length << own->dimensions > RECORDS_MAX)
        return "the axis has more than 2^30 records";
    if (own->record.words > config->router_buffer_words)
        return "a record does not fit the router's buffers";
    return NULL;
}

/* Returns the description of records that have only a key and a tie. */
static struct cm_sort_record tagged_record(const struct cm_sort *own)
{
    const uint32_t keys = own->task.layout.slices;
    struct cm_sort_record record = {
        .keys = keys + 1, .index = keys, .parts = keys + 1, .words = keys + 1};
    for (uint32_t part = 0; part < record.parts; part++)
        record.offsets[part] = part;
    return record;
}

/* Returns the description of one of the sorts of which a sort by samples consists, with `length`
 * records in each node. */
static struct cm_sort part_of(const struct cm_sort *own, struct cm_sampling *sampling,
                              const struct cm_sort_record *record, uint64_t length)
{
    struct cm_sort part = *own;
    part.record = *record;
    part.length = part.values = length;
    part.dimensions = 0;
    part.keeps_index = true;
    part.doubled = true;
    part.by_address = true;
    part.sampling = sampling;
    return part;
}

static uint64_t even_length(const struct cm_sort *part, uint64_t length)
{
    const struct cm_sorter c = {.own = part, .record = &part->record};
    return cm_sort_local_even(&c, length);
}

/* Returns the arguments of the broadcast of the splitters. */
static struct cm_alltoall_task broadcast_of(const struct cm_sampling *s)
{
    return (struct cm_alltoall_task){.kind = CM_ALLTOALL_BROADCAST,
                                     .algorithm = CM_ALLTOALL_GRAY,
                                     .order = CM_ALLTOALL_BY_SOURCE,
                                     .words = s->samples.record.words,
                                     .first_dimension = s->samples.first_dimension,
                                     .dimensions = s->samples.dimensions};
}

/* Returns the number of exchanges for the sort of the samples, the broadcast of splitters, and the
 * scan of record counts. */
static uint64_t exchanges_of(const struct cm_sampling *s, uint32_t dimensions, uint32_t channels)
{
    const struct cm_alltoall_task broadcast = broadcast_of(s);
    return s->samples.exchanges + cm_alltoall_exchanges(&broadcast, channels) +
           (uint64_t)(2 + channels - 1) / channels * dimensions;
}

static void make_parts(const struct cm_machine *machine, const struct cm_sort *own,
                       struct cm_sampling *s)
{
    const struct cm_config *config = cm_machine_config(machine);
    const struct cm_sort_record tagged = tagged_record(own);
    s->key_words = own->task.layout.slices;
    s->stable = own->record.index > 0;
    s->local = part_of(own, s, &own->record, own->length);
    s->samples = part_of(own, s, &tagged, samples_of(own));
    s->samples.dimensions = own->dimensions;
    cm_sort_measure(config, &s->samples);
    s->merged = part_of(own, s, s->stable ? &own->record : &tagged, 1);
    s->merged.length = s->merged.values =
        even_length(&s->merged, own->length + (UINT64_C(1) << own->dimensions));
    s->bucket = part_of(own, s, &own->record, 1);
    s->bucket.length = s->bucket.values = even_length(&s->bucket, room_of(own));
    s->exchanges =
        exchanges_of(s, cm_machine_dimensions(machine), config->network_channels_per_dimension);
}

/* Computes the offsets of the areas in node memory, and returns the number of their words. If
 * records hold their index, records and splitters are merged in place. */
static uint64_t place_areas(struct cm_sampling *s)
{
    const uint64_t merged = s->merged.length * s->merged.record.words;
    const uint64_t splitter = s->samples.record.words;
    s->merged_at = s->stable ? 0 : s->local.length * s->local.record.words;
    s->numbers_at = s->merged_at + merged;
    s->bucket_at = s->numbers_at + s->merged.length;
    s->samples_at = s->bucket_at + s->bucket.length * s->bucket.record.words;
    s->splitter_at = s->samples_at + s->samples.work_words;
    s->blocks_at = s->splitter_at + splitter;
    s->scan_at = s->blocks_at + (splitter << s->samples.dimensions);
    return s->scan_at + SCAN_WORDS;
}

static enum cm_status add_stage(const struct cm_config *config, struct cm_sampling *s,
                                enum cm_sort_stage stage, uint32_t dimensions, struct cm_error *err)
{
    struct cm_compiled *to = s->stages[stage];
    const struct cm_sort *part = &s->local;
    enum cm_status status;
    switch (stage) {
    case STAGE_BEGIN:
        status = cm_sort_add_begin(config, part, to, err);
        return status == CM_OK
                   ? cm_sort_add(config, part, to,
                                 &(struct cm_sort_imp){"samples", cm_sort_pick, 0, false}, err)
                   : status;
    case STAGE_SPLIT:
        part = &s->merged;
        status = cm_sort_add(config, part, to,
                             &(struct cm_sort_imp){"split", cm_sort_tag, 0, false}, err);
        if (status == CM_OK)
            status = cm_sort_add(config, part, to,
                                 &(struct cm_sort_imp){"split", cm_sort_mix, 1, false}, err);
        return status == CM_OK
                   ? cm_sort_add(config, part, to,
                                 &(struct cm_sort_imp){"split", cm_sort_number, 2, false}, err)
                   : status;
    case STAGE_SCAN:
        return cm_sort_add(config, part, to,
                           &(struct cm_sort_imp){"scan", cm_sort_scan, dimensions, false}, err);
    case STAGE_END:
        return cm_sort_add_end(config, part, to, err);
    default:
        part = stage == STAGE_SAMPLES ? &s->samples : &s->bucket;
        status = cm_sort_add(config, part, to,
                             &(struct cm_sort_imp){"sort", cm_sort_local_level, 0, false}, err);
        if (status == CM_OK)
            status = cm_sort_add_levels(config, part, to, err);
        if (status == CM_OK && stage == STAGE_SAMPLES)
            status = cm_sort_add_phases(config, part, to, err);
        return status == CM_OK && stage == STAGE_SAMPLES
                   ? cm_sort_add(config, part, to,
                                 &(struct cm_sort_imp){"splitter", cm_sort_splitter, 0, false}, err)
                   : status;
    }
}

static enum cm_status make_stages(struct cm_system *system, struct cm_sampling *s,
                                  struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const uint32_t dimensions = cm_machine_dimensions(system->machine);
    enum cm_status status = CM_OK;
    for (enum cm_sort_stage stage = STAGE_BEGIN; status == CM_OK && stage <= STAGE_END; stage++) {
        s->stages[stage] = calloc(1, sizeof *s->stages[stage]);
        status = s->stages[stage] ? add_stage(config, s, stage, dimensions, err)
                                  : cm_error_no_memory(err);
        if (status == CM_OK)
            status = cm_compiled_try(system, s->stages[stage], err);
    }
    return status;
}

static enum cm_status make(struct cm_system *system, struct cm_sampling *s, struct cm_error *err)
{
    const struct cm_alltoall_task broadcast = broadcast_of(s);
    const uint64_t words = place_areas(s);
    enum cm_status status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words,
                                             "the work area of a sort", &s->address, err);
    if (status != CM_OK)
        return status;
    s->words = words;
    status = cm_alltoall_setup(system, &broadcast, &s->broadcast, err);
    return status == CM_OK ? make_stages(system, s, err) : status;
}

enum cm_status cm_sort_choose(struct cm_system *system, struct cm_sort *own, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    if (own->task.method == CM_SORT_BITONIC)
        return CM_OK;
    if (cm_machine_timing_only(system->machine))
        return cm_error_refuse(err, "without data, sort by the method bitonic",
                               "the cycles of a sort by samples depend on the keys");
    own->reason = reason_of(config, own);
    if (own->reason)
        return CM_OK;
    own->sampling = calloc(1, sizeof *own->sampling);
    if (!own->sampling)
        return cm_error_no_memory(err);
    enum cm_status status = CM_OK;
    make_parts(system->machine, own, own->sampling);
    if (own->task.method == CM_SORT_AUTO && !cm_sort_samples_pay(config, own))
        own->reason = "the bitonic sort is estimated to be faster";
    else
        status = make(system, own->sampling, err);
    if (status == CM_BAD_INPUT)
        own->reason = "its work areas do not fit the memory of a node";
    if (!own->reason)
        return status;
    cm_sampling_drop(system, own->sampling);
    own->sampling = NULL;
    return CM_OK;
}

void cm_sampling_drop(struct cm_system *system, struct cm_sampling *sampling)
{
    if (!sampling)
        return;
    for (uint32_t i = 0; i < CM_SORT_STAGES; i++)
        cm_compiled_drop(system, sampling->stages[i]);
    cm_alltoall_deallocate(system, sampling->broadcast);
    if (sampling->words > 0)
        cm_heap_free(system->heap, sampling->address);
    free(sampling);
}

void cm_sampling_describe(const struct cm_sampling *sampling, struct cm_sort_info *info)
{
    info->method = CM_SORT_SAMPLE;
    info->exchanges = sampling->exchanges;
    info->work_words += sampling->words;
    info->samples = sampling->samples.length;
    info->capacity = sampling->bucket.length;
    info->most = sampling->most;
    info->overflowed = sampling->overflowed;
    for (uint32_t i = 0; i < CM_SORT_STAGES; i++) {
        const uint64_t words = cm_compiled_words(sampling->stages[i]);
        info->sram_words = words > info->sram_words ? words : info->sram_words;
    }
}

static enum cm_status run_stage(struct cm_system *system, const struct cm_sampling *s,
                                enum cm_sort_stage stage, uint64_t at,
                                const struct cm_actual *arguments, struct cm_error *err)
{
    struct cm_actual actuals[ARGUMENTS];
    for (uint32_t i = 0; i < ARGUMENTS; i++)
        actuals[i] = arguments[i];
    actuals[ADDRESS_WORK].address = s->address + at;
    return cm_compiled_run(system, s->stages[stage], actuals, CM_ENTRY_IMP, err);
}

/* Executes the stages of a sort by samples until each node has the records of its range. */
static enum cm_status distribute(struct cm_system *system, const struct cm_sort *own,
                                 const struct cm_actual *actuals, struct cm_error *err)
{
    struct cm_sampling *s = own->sampling;
    enum cm_status status = run_stage(system, s, STAGE_BEGIN, 0, actuals, err);
    if (status == CM_OK)
        status = run_stage(system, s, STAGE_SAMPLES, s->samples_at, actuals, err);
    if (status == CM_OK)
        status = cm_alltoall_call_at(system, s->broadcast, s->address + s->blocks_at,
                                     s->address + s->splitter_at, err);
    if (status == CM_OK)
        status = run_stage(system, s, STAGE_SPLIT, s->merged_at, actuals, err);
    if (status == CM_OK)
        status = cm_sort_route_ranges(system, own, err);
    return status == CM_OK ? run_stage(system, s, STAGE_SCAN, 0, actuals, err) : status;
}

/* Reads the largest number of records that came to a node. The front end does this. */
static enum cm_status read_most(struct cm_system *system, struct cm_sampling *s,
                                struct cm_error *err)
{
    struct cm_planes words;
    const enum cm_status status =
        cm_machine_planes(system->machine, s->address + s->scan_at + SCAN_MOST, 1, &words, err);
    if (status != CM_OK)
        return status;
    s->most = *cm_planes_word(&words, 0, 0);
    s->overflowed = s->most > s->bucket.length;
    cm_machine_access(system->machine, 1);
    cm_machine_wait(system->machine);
    return CM_OK;
}

enum cm_status cm_sampling_run(struct cm_system *system, const struct cm_sort *own,
                               struct cm_actual *actuals, bool *sorted, struct cm_error *err)
{
    struct cm_sampling *s = own->sampling;
    enum cm_status status = distribute(system, own, actuals, err);
    if (status == CM_OK)
        status = read_most(system, s, err);
    *sorted = status == CM_OK && !s->overflowed;
    if (!*sorted)
        return status;
    status = run_stage(system, s, STAGE_SORT, s->bucket_at, actuals, err);
    if (status == CM_OK)
        status = cm_sort_route_places(system, own, err);
    return status == CM_OK ? run_stage(system, s, STAGE_END, 0, actuals, err) : status;
}
