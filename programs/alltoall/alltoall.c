/* All-to-all communication: checks its arguments, compiles it ahead of calls, and executes calls.
 */
#include "alltoall_private.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const kind_names[] = {"broadcast", "personalised", "one-to-all", "one-to-each"};
static const char *const algorithm_names[] = {"gray", "rotated", "butterfly", "hamiltonian",
                                              "router"};
static const char *const order_names[] = {"source", "arrival", "departure"};

const char *cm_alltoall_kind_name(enum cm_alltoall_kind kind)
{
    return (unsigned)kind < CM_ALLTOALL_KINDS ? kind_names[kind] : NULL;
}

const char *cm_alltoall_algorithm_name(enum cm_alltoall_algorithm algorithm)
{
    return (unsigned)algorithm < CM_ALLTOALL_ALGORITHMS ? algorithm_names[algorithm] : NULL;
}

const char *cm_alltoall_order_name(enum cm_alltoall_order order)
{
    return (unsigned)order < CM_ALLTOALL_ORDERS ? order_names[order] : NULL;
}

static uint64_t quotient(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Returns the number of parts into which the algorithm cuts a block. */
static uint32_t parts_of(const struct cm_alltoall_task *task)
{
    if (task->algorithm == CM_ALLTOALL_HAMILTONIAN)
        return task->dimensions / 2 * 2; /* two directions around each cycle */
    return task->algorithm == CM_ALLTOALL_BUTTERFLY || task->dimensions == 0 ? 1 : task->dimensions;
}

uint64_t cm_alltoall_source_blocks(const struct cm_alltoall_task *task)
{
    const bool many =
        task->kind == CM_ALLTOALL_PERSONALISED || task->kind == CM_ALLTOALL_ONE_TO_EACH;
    return many ? UINT64_C(1) << task->dimensions : 1;
}

uint64_t cm_alltoall_result_blocks(const struct cm_alltoall_task *task)
{
    const bool one = task->kind == CM_ALLTOALL_ONE_TO_ALL || task->kind == CM_ALLTOALL_ONE_TO_EACH;
    return one ? 1 : UINT64_C(1) << task->dimensions;
}

/* Counts the exchanges of the algorithm that uses one dimension at a time. */
static uint64_t butterfly_exchanges(const struct cm_alltoall_task *task, uint32_t channels)
{
    uint64_t exchanges = 0;
    for (uint32_t k = 0; k < task->dimensions; k++) {
        const uint64_t run = quotient(task->words << k, channels);
        const uint64_t runs = UINT64_C(1) << (task->dimensions - k - 1);
        exchanges += task->kind == CM_ALLTOALL_BROADCAST ? run : run * runs;
    }
    return exchanges;
}

uint64_t cm_alltoall_exchanges(const struct cm_alltoall_task *task, uint32_t channels)
{
    const uint32_t d = task->dimensions;
    const uint64_t n = UINT64_C(1) << d;
    if (d == 0 || task->algorithm == CM_ALLTOALL_ROUTER)
        return 0;
    if (task->algorithm == CM_ALLTOALL_BUTTERFLY)
        return butterfly_exchanges(task, channels);
    const uint64_t chunks = quotient(task->words, (uint64_t)parts_of(task) * channels);
    if (task->kind == CM_ALLTOALL_ONE_TO_ALL)
        return chunks + cm_alltoall_tree_height(d) - 1;
    return task->kind == CM_ALLTOALL_PERSONALISED ? n / 2 * d * chunks : (n - 1) * chunks;
}

uint64_t cm_alltoall_bound(const struct cm_alltoall_task *task, uint32_t channels)
{
    const uint32_t d = task->dimensions;
    const uint64_t n = UINT64_C(1) << d, width = (uint64_t)channels * d;
    if (d == 0)
        return 0;
    if (task->kind == CM_ALLTOALL_ONE_TO_ALL)
        return quotient(task->words, width) + d - 1;
    return task->kind == CM_ALLTOALL_PERSONALISED
               ? quotient(n * task->words, 2 * (uint64_t)channels)
               : quotient((n - 1) * task->words, width);
}

uint64_t cm_alltoall_arrival_word(const struct cm_alltoall *alltoall, uint32_t address,
                                  uint64_t word)
{
    const uint64_t at = word % alltoall->chunk, channels = alltoall->channels;
    if (!cm_alltoall_departs(alltoall) || word >= cm_alltoall_departure_words(alltoall))
        return word;
    return word - at + at % channels +
           cm_alltoall_part_at(alltoall, address, (uint32_t)(at / channels)) * channels;
}

uint32_t cm_alltoall_arrival(const struct cm_alltoall *alltoall, uint32_t address, uint64_t block,
                             uint64_t word)
{
    const uint32_t d = alltoall->task.dimensions;
    const uint64_t own_word = cm_alltoall_arrival_word(alltoall, address, word);
    const uint32_t part = (uint32_t)(own_word / alltoall->channels % alltoall->parts);
    const uint32_t position = (uint32_t)block;
    if (alltoall->task.algorithm == CM_ALLTOALL_HAMILTONIAN) {
        for (uint64_t t = 0; t < block; t++)
            address ^= UINT32_C(1) << cm_alltoall_turn(alltoall, part, address).in;
        return address;
    }
    const uint32_t number =
        alltoall->task.algorithm == CM_ALLTOALL_GRAY ? cm_gray_encode(position) : position;
    const uint32_t mask = (UINT32_C(1) << d) - 1;
    return address ^ ((number << part | number >> (d - part)) & mask);
}

static enum cm_status check_algorithm(const struct cm_alltoall_task *task, struct cm_error *err)
{
    const bool hamiltonian = task->algorithm == CM_ALLTOALL_HAMILTONIAN;
    const bool one = task->kind > CM_ALLTOALL_PERSONALISED;
    if (task->kind == CM_ALLTOALL_PERSONALISED &&
        (hamiltonian || task->algorithm == CM_ALLTOALL_GRAY))
        return cm_error_refuse(err, "rotated, butterfly and router do both kinds",
                               "the algorithm %s is for broadcasts",
                               cm_alltoall_algorithm_name(task->algorithm));
    if (one && task->algorithm != CM_ALLTOALL_ROTATED)
        return cm_error_refuse(err, "use the algorithm rotated",
                               "the algorithm %s is not for what one node sends",
                               cm_alltoall_algorithm_name(task->algorithm));
    if (task->order == CM_ALLTOALL_BY_DEPARTURE && !hamiltonian)
        return cm_error_refuse(err, "use the order arrival",
                               "the order of departure is for Hamiltonian cycles, not for the "
                               "algorithm %s",
                               cm_alltoall_algorithm_name(task->algorithm));
    if (one && task->root >> task->dimensions != 0)
        return cm_error_set(err, CM_BAD_INPUT,
                            "node %" PRIu32 " does not exist; there are %" PRIu32, task->root,
                            UINT32_C(1) << task->dimensions);
    if (hamiltonian && task->dimensions < 2)
        return cm_error_refuse(err, "use another algorithm",
                               "Hamiltonian cycles need two cube dimensions, the task has %" PRIu32,
                               task->dimensions);
    return CM_OK;
}

static enum cm_status check_task(struct cm_system *system, const struct cm_alltoall_task *task,
                                 struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const uint32_t most = cm_machine_dimensions(system->machine);
    if (task->dimensions > most || task->first_dimension > most - task->dimensions)
        return cm_error_set(err, CM_BAD_INPUT,
                            "%" PRIu32 " cube dimensions from %" PRIu32
                            " on do not exist; the system has %" PRIu32,
                            task->dimensions, task->first_dimension, most);
    if (task->words == 0)
        return cm_error_set(err, CM_BAD_INPUT, "a block has no words");
    const bool one = cm_alltoall_source_blocks(task) == 1 && cm_alltoall_result_blocks(task) == 1;
    const uint64_t blocks = one ? 1 : UINT64_C(1) << task->dimensions;
    if (task->words > config->memory_words / blocks)
        return cm_error_refuse(err, "use smaller blocks or fewer nodes",
                               "%" PRIu64 " blocks of %" PRIu64
                               " words are more than the memory of a node, %" PRIu64 " words",
                               blocks, task->words, config->memory_words);
    return check_algorithm(task, err);
}

/* Returns the largest number of words of an IMP: half of the SRAM, which leaves room for other
 * code. */
static uint64_t code_words(const struct cm_config *config)
{
    return config->sequencer_sram_words / 2;
}

/* Returns the number of words of the work area: room for blocks by position, or for words that
 * arrive over the trees. */
static uint64_t work_words(const struct cm_alltoall *own)
{
    if (own->task.kind == CM_ALLTOALL_ONE_TO_ALL)
        return own->task.dimensions > 0 ? cm_alltoall_tree_words(own) : 0;
    if (cm_alltoall_departs(own))
        return own->channels;
    const bool works = cm_alltoall_reorders(own) || own->task.kind == CM_ALLTOALL_ONE_TO_EACH;
    return works ? own->task.words << own->task.dimensions : 0;
}

static struct cm_imp *compile(const struct cm_config *config, const struct cm_alltoall *own)
{
    if (own->task.kind == CM_ALLTOALL_ONE_TO_EACH)
        return cm_alltoall_compile_halves(config, own);
    if (own->task.kind == CM_ALLTOALL_ONE_TO_ALL && own->task.dimensions > 0)
        return cm_alltoall_compile_trees(config, own);
    return cm_alltoall_compile_exchanges(config, own);
}

static enum cm_status add_imps(const struct cm_config *config, struct cm_alltoall *own,
                               struct cm_error *err)
{
    const bool reorders = cm_alltoall_reorders(own);
    enum cm_status status = CM_OK;
    if (cm_alltoall_uses_router(own))
        return CM_OK;
    if (reorders && cm_alltoall_source_blocks(&own->task) > 1)
        status = cm_compiled_add(own->compiled, cm_alltoall_compile_distribute(config, own), err);
    if (status == CM_OK)
        status = cm_compiled_add(own->compiled, compile(config, own), err);
    if (status == CM_OK && reorders && own->task.algorithm == CM_ALLTOALL_HAMILTONIAN)
        return cm_alltoall_add_unwind(config, own, code_words(config), err);
    if (status == CM_OK && reorders && cm_alltoall_result_blocks(&own->task) > 1)
        status = cm_compiled_add(own->compiled, cm_alltoall_compile_reorder(config, own), err);
    return status;
}

static enum cm_status make(struct cm_system *system, struct cm_alltoall *own, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_alltoall_table table = {own, config};
    enum cm_status status = CM_OK;
    if (own->task.algorithm == CM_ALLTOALL_HAMILTONIAN)
        status = cm_hamiltonian_cycles(own->task.dimensions, &own->cycles, err);
    if (status != CM_OK)
        return status;
    own->channels = config->network_channels_per_dimension;
    own->parts = parts_of(&own->task);
    own->chunk = (uint64_t)own->parts * own->channels;
    own->direct = cm_alltoall_direct_steps(own, code_words(config));
    own->table_words = cm_alltoall_step_table(own);
    const uint64_t words = work_words(own);
    if (words > 0)
        status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words,
                                  "the work area of all-to-all communication", &own->work, err);
    if (status == CM_OK)
        own->work_words = words;
    if (status == CM_OK)
        status = cm_compiled_table(
            system, own->compiled,
            &(struct cm_table_request){own->table_words, "the table of all-to-all communication",
                                       cm_alltoall_fill_table, &table},
            err);
    if (status == CM_OK)
        status = add_imps(config, own, err);
    return status == CM_OK ? cm_compiled_try(system, own->compiled, err) : status;
}

enum cm_status cm_alltoall_setup(struct cm_system *system, const struct cm_alltoall_task *task,
                                 struct cm_alltoall **alltoall, struct cm_error *err)
{
    *alltoall = NULL;
    enum cm_status status = check_task(system, task, err);
    if (status != CM_OK)
        return status;
    struct cm_alltoall *own = calloc(1, sizeof *own);
    struct cm_compiled *compiled = calloc(1, sizeof *compiled);
    if (!own || !compiled) {
        free(own);
        free(compiled);
        return cm_error_no_memory(err);
    }
    own->task = *task;
    own->compiled = compiled;
    status = make(system, own, err);
    if (status == CM_OK)
        *alltoall = own;
    else
        cm_alltoall_deallocate(system, own);
    return status;
}

void cm_alltoall_deallocate(struct cm_system *system, struct cm_alltoall *alltoall)
{
    if (!alltoall)
        return;
    if (alltoall->work_words > 0)
        cm_heap_free(system->heap, alltoall->work);
    cm_compiled_drop(system, alltoall->compiled);
    free(alltoall->cycles);
    free(alltoall);
}

enum cm_status cm_alltoall_call_at(struct cm_system *system, const struct cm_alltoall *alltoall,
                                   uint64_t dst, uint64_t src, struct cm_error *err)
{
    if (cm_alltoall_uses_router(alltoall))
        return cm_alltoall_route(system, alltoall, dst, src, err);
    struct cm_actual actuals[ARGUMENTS] = {
        [ADDRESS_SRC] = {.address = src},
        [ADDRESS_DST] = {.address = dst},
        [ADDRESS_TABLES] = {.address = alltoall->compiled->table},
        [ADDRESS_WORK] = {.address = alltoall->work},
    };
    return cm_compiled_run(system, alltoall->compiled, actuals, CM_ENTRY_IMP, err);
}

static enum cm_status expect_words(const struct cm_array *array, uint64_t words,
                                   struct cm_error *err)
{
    if (array->layout.local_words == words)
        return CM_OK;
    return cm_error_set(err, CM_BAD_INPUT,
                        "\"%s\" has %" PRIu64 " words in a node, the blocks of an all-to-all "
                        "communication have %" PRIu64,
                        array->name, array->layout.local_words, words);
}

enum cm_status cm_alltoall_call(struct cm_system *system, const struct cm_alltoall *alltoall,
                                struct cm_array *dst, const struct cm_array *src,
                                struct cm_error *err)
{
    const struct cm_alltoall_task *task = &alltoall->task;
    enum cm_status status = expect_words(src, task->words * cm_alltoall_source_blocks(task), err);
    if (status == CM_OK)
        status = expect_words(dst, task->words * cm_alltoall_result_blocks(task), err);
    if (status == CM_OK && dst->address == src->address)
        return cm_error_set(err, CM_BAD_INPUT,
                            "\"%s\" is source and destination of an all-to-all communication",
                            dst->name);
    return status == CM_OK ? cm_alltoall_call_at(system, alltoall, dst->address, src->address, err)
                           : status;
}

struct cm_alltoall_info cm_alltoall_info(const struct cm_alltoall *alltoall)
{
    const struct cm_alltoall_task *task = &alltoall->task;
    const uint64_t n = cm_alltoall_blocks(alltoall);
    return (struct cm_alltoall_info){
        .words = task->words,
        .blocks = n,
        .exchanges = cm_alltoall_exchanges(task, alltoall->channels),
        .bound = cm_alltoall_bound(task, alltoall->channels),
        .words_received = (n - 1) * task->words * (task->kind > CM_ALLTOALL_PERSONALISED ? 1 : n),
        .sram_words = cm_compiled_words(alltoall->compiled),
        .table_words = alltoall->compiled->table_words,
        .work_words = alltoall->work_words,
    };
}
