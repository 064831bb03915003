/*
 * The machine's public interface: making a machine from a description, destroying it, reading its
 * counters.
 *
 *   node        FPU, DRAM as planes, transposers A, B, C, context flag. All nodes are in lockstep.
 *   network     binary cube. Slot 1 + d drives the first channel of dimension d, and slot
 *               1 + d + slots / 2 the second channel (PSHIFT paper, section 2.3 and figure 3). The
 *               scan of the paper has "17 through 26", but eleven channels need 17 to 27. With
 *               network.channels_per_dimension 1 the second set of slots drives nothing.
 *   wire        connects the two CM chips of a node: slot 0 of A goes to slot slots / 2 of B, and
 *               slot slots / 2 of A to slot 0 of B (PSHIFT paper, section 4)
 *   sequencer   one for any number of nodes. A CM-200 has one for each 512, in lockstep.
 */
#include "../lanes/code.h"
#include "remote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fewest bytes of data for several threads. With less data, one thread finishes before two threads
 * have met at a barrier. */
#define MIN_BYTES_AUTO (UINT64_C(512) << 10)
/* Fewest nodes of a thread: if the caller gives the number of threads, and if the number is chosen
 * here. A barrier costs about as much as the work on 512 nodes. */
#define MIN_LANES_ASKED 16u
#define MIN_LANES_AUTO  512u
/* Number of nodes in a lane block, and largest number of deferred operations, for execution by
 * compiled loops (docs/speed.md has the measurements). */
#define BLOCK_NODES  512u
#define DEFERRED_MAX 128u
/* Largest number of deferred operations for execution by generated code, and fewest nodes for which
 * generated code pays (docs/speed.md). */
#define DEFERRED_MAX_CODE 1024u
#define MIN_NODES_CODE    512u
/* Limits of the queue of deferred operations with generated code, in accesses to planes. A queue
 * that reaches its limit is executed. The first limit holds at the end of a loop iteration, the
 * second one anywhere. The third one replaces the second one after code was generated whose loops
 * access too many planes (docs/speed.md). */
#define PLANES_CODE_LOOP    24u
#define PLANES_CODE         512u
#define PLANES_CODE_CROWDED 48u
/* Gap between partitions in words, because hosts prefetch lines ahead of what a thread accesses. */
#define PARTITION_GAP_WORDS 1024u
/* Number of nodes whose channels are sorted together, so that the result stays in the first-level
 * cache. */
#define NODES_SORTED 32u

const char *cm_cause_name(enum cm_cause cause)
{
    static const char *const names[CM_CAUSE_COUNT] = {
#define CM_CAUSE(symbol, name, what) [CM_CAUSE_##symbol] = name,
#include "cause.def"
#undef CM_CAUSE
    };
    return names[cause];
}

struct cm_imp_limits cm_config_imp_limits(const struct cm_config *config)
{
    return (struct cm_imp_limits){.slots = config->transposer_slots,
                                  .loop_depth = config->sequencer_loop_depth};
}

static enum cm_status check_nodes(const struct cm_config *config, uint32_t nodes,
                                  struct cm_error *err)
{
    if (nodes == 0 || (nodes & (nodes - 1)) != 0) {
        cm_error_set(err, CM_BAD_INPUT,
                     "%" PRIu32 " nodes: the number of nodes must be a power of two", nodes);
        if (nodes)
            cm_error_hint(err, "try %" PRIu32, UINT32_C(1) << (31 - __builtin_clz(nodes)));
        return CM_BAD_INPUT;
    }
    if (nodes > UINT32_C(1) << config->network_dimensions) {
        cm_error_set(err, CM_BAD_INPUT,
                     "%" PRIu32 " nodes: machine \"%s\" has %" PRIu32 " (%" PRIu32 " dimensions)",
                     nodes, config->name, UINT32_C(1) << config->network_dimensions,
                     config->network_dimensions);
        cm_error_hint(err, "use fewer nodes, or --set network.dimensions");
        return CM_BAD_INPUT;
    }
    return CM_OK;
}

/* Returns the number of threads to use: a power of two, so that ranges of nodes stay aligned. */
static uint32_t choose_threads(const struct cm_machine_options *options, uint32_t nodes)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t wanted = options->threads ? options->threads : (uint32_t)(online > 1 ? online : 1);
    uint32_t min_lanes = options->threads ? MIN_LANES_ASKED : MIN_LANES_AUTO;
    uint32_t threads = 1;
    bool little = options->working_words > 0 &&
                  options->working_words < MIN_BYTES_AUTO / sizeof(uint32_t) / nodes;
    if (options->timing_only || (options->threads == 0 && little))
        return 1;
    while (threads * 2 <= wanted && threads * 2 <= CM_THREADS_MAX &&
           nodes / (threads * 2) >= min_lanes)
        threads *= 2;
    return threads;
}

/* Allocates FPU registers. Blocks begin at cache lines. */
static bool allocate_registers(struct cm_machine *machine)
{
    struct cm_fpu *fpu = &machine->fpu;
    const size_t blocks = machine->nodes / fpu->block_nodes;
    fpu->allocated = calloc(blocks * cm_fpu_block_words(fpu) + 16, sizeof(uint32_t));
    fpu->words = (uint32_t *)(((uintptr_t)fpu->allocated + 63) / 64 * 64);
    return fpu->allocated != NULL;
}

/* Allocates transposers and context flags, partition by partition. */
static bool allocate_node_state(struct cm_machine *machine)
{
    const size_t nodes = machine->partition_nodes, slots = machine->config.transposer_slots;
    const size_t words = (CM_TRANSPOSER_COUNT * slots + 1) * nodes, apart = CM_APART;
    machine->partition_state_words = (words + PARTITION_GAP_WORDS + apart - 1) / apart * apart;
    machine->node_state =
        calloc(machine->partition_count * machine->partition_state_words + apart, sizeof(uint32_t));
    if (!machine->node_state || !allocate_registers(machine))
        return false;
    uintptr_t first = ((uintptr_t)machine->node_state + CM_APART - 1) / CM_APART * CM_APART;
    for (unsigned i = 0; i < CM_TRANSPOSER_COUNT; i++)
        machine->transposers[i] = (uint32_t *)first + i * slots * nodes;
    machine->context = (uint32_t *)first + CM_TRANSPOSER_COUNT * slots * nodes;
    return true;
}

/* Allocates memory of zeros that begins at a multiple of CM_APART bytes. Returns NULL when out of
 * memory. */
static void *allocate_apart(size_t bytes)
{
    void *memory = aligned_alloc(CM_APART, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

/* Returns the number of nodes in a lane block, for execution by compiled loops. */
static uint32_t choose_block(const struct cm_machine *machine,
                             const struct cm_machine_options *options)
{
    uint32_t lanes = machine->own_nodes / machine->worker_count;
    uint32_t block = options->block_nodes ? options->block_nodes : BLOCK_NODES;
    block = block < CM_FPU_BLOCK_NODES_MAX ? block : CM_FPU_BLOCK_NODES_MAX;
    return block < lanes ? block : lanes;
}

/* True if the machine should execute generated code. */
static bool wants_code(const struct cm_machine *machine, const struct cm_machine_options *options)
{
    if (CM_FOR_A_PAGE || machine->timing_only ||
        machine->own_nodes / machine->worker_count < CM_LANE_CODE_NODES)
        return false;
    if (options->executor != CM_EXECUTOR_CHOSEN)
        return options->executor != CM_EXECUTOR_LOOPS;
    return machine->nodes >= MIN_NODES_CODE && !options->block_nodes && !options->deferred_max;
}

/* Returns the vector unit for the code of an executor. */
static enum cm_host vectors_of(enum cm_executor executor)
{
    return executor == CM_EXECUTOR_AVX2     ? CM_HOST_AVX2
           : executor == CM_EXECUTOR_AVX512 ? CM_HOST_AVX512
                                            : cm_host();
}

static const char *const executor_names[CM_EXECUTOR_COUNT] = {
    [CM_EXECUTOR_CHOSEN] = "auto", [CM_EXECUTOR_LOOPS] = "loops",   [CM_EXECUTOR_CODE] = "code",
    [CM_EXECUTOR_AVX2] = "avx2",   [CM_EXECUTOR_AVX512] = "avx512",
};

const char *cm_executor_name(enum cm_executor executor)
{
    return (unsigned)executor < CM_EXECUTOR_COUNT ? executor_names[executor] : "?";
}

enum cm_status cm_executor_find(const char *name, enum cm_executor *executor, struct cm_error *err)
{
    *executor = CM_EXECUTOR_CHOSEN;
    for (int i = 0; name && i < CM_EXECUTOR_COUNT; i++)
        if (strcmp(name, executor_names[i]) == 0) {
            *executor = (enum cm_executor)i;
            return CM_OK;
        }
    if (!name)
        return CM_OK;
    (void)cm_error_set(err, CM_USAGE, "there is no executor \"%s\"", name);
    return cm_error_hint(err, "choose auto, loops, code, avx2 or avx512");
}

enum cm_executor cm_executor_best(void)
{
    static const enum cm_executor best[CM_HOST_COUNT] = {[CM_HOST_PLAIN] = CM_EXECUTOR_LOOPS,
                                                         [CM_HOST_AVX2] = CM_EXECUTOR_AVX2,
                                                         [CM_HOST_AVX512] = CM_EXECUTOR_AVX512};
    return CM_FOR_A_PAGE ? CM_EXECUTOR_LOOPS : best[cm_host()];
}

enum cm_executor cm_machine_executor(const struct cm_machine *machine)
{
    for (uint32_t i = 0; machine->executor != CM_EXECUTOR_LOOPS && i < machine->worker_count; i++)
        if (cm_lane_code_refused(machine->workers[i].deferred.queue.code))
            return CM_EXECUTOR_LOOPS;
    return machine->executor;
}

/* Checks that the host has the instructions of an executor. */
static enum cm_status check_executor(enum cm_executor executor, struct cm_error *err)
{
    if ((unsigned)executor >= CM_EXECUTOR_COUNT)
        return cm_error_set(err, CM_USAGE, "there is no executor %d", (int)executor);
    if (executor > CM_EXECUTOR_CODE && vectors_of(executor) > cm_host()) {
        (void)cm_error_set(err, CM_USAGE, "this host has no %s instructions",
                           executor == CM_EXECUTOR_AVX2 ? "AVX2" : "AVX-512");
        return cm_error_hint(err, "the executor `code` takes the best ones that the host has");
    }
    return CM_OK;
}

void cm_machine_limit_queues(struct cm_machine *machine, bool crowded)
{
    for (uint32_t i = 0; i < machine->worker_count; i++)
        if (cm_lane_queue_code(&machine->workers[i].deferred.queue))
            machine->workers[i].deferred.queue.most_planes =
                crowded ? PLANES_CODE_CROWDED : PLANES_CODE;
}

/* Gives all workers a code generator and a block cache, or none of them. */
static void choose_executor(struct cm_machine *machine, const struct cm_machine_options *options)
{
    bool all = wants_code(machine, options);
    for (uint32_t i = 0; all && i < machine->worker_count; i++) {
        struct cm_lane_queue *queue = &machine->workers[i].deferred.queue;
        queue->code = cm_lane_code_create(queue->capacity, machine->partition_nodes,
                                          vectors_of(options->executor),
                                          options->code_trial == CM_CODE_REFUSED);
        queue->enough = queue->capacity / 2;
        queue->enough_planes = PLANES_CODE_LOOP;
        machine->workers[i].block_cache = cm_block_cache_create();
        all = queue->code != NULL && machine->workers[i].block_cache != NULL;
        if (!all)
            break;
        queue->plane_numbers = cm_lane_code_planes(queue->code);
        cm_worker_select_partition(&machine->workers[i], machine->workers[i].first_partition);
    }
    machine->executor = !all                                    ? CM_EXECUTOR_LOOPS
                        : options->executor <= CM_EXECUTOR_CODE ? cm_executor_best()
                                                                : options->executor;
    if (all)
        return;
    machine->fpu.block_nodes = choose_block(machine, options);
    for (uint32_t i = 0; i < machine->worker_count; i++) {
        struct cm_lane_queue *queue = &machine->workers[i].deferred.queue;
        cm_lane_code_destroy(queue->code);
        queue->code = NULL;
        if (!CM_FOR_A_PAGE)
            cm_block_cache_destroy(machine->workers[i].block_cache);
        machine->workers[i].block_cache = NULL;
        queue->plane_numbers = NULL;
        queue->enough = queue->capacity;
        queue->enough_planes = UINT32_MAX;
        queue->most_planes = UINT32_MAX;
    }
}

static void choose_kernels(struct cm_machine *machine)
{
    machine->indirect_kernels = cm_indirect_kernels_choose();
    machine->memory_kernels = cm_fpu_memory_kernels();
    for (int op = 0; op < CM_OP_COUNT; op++)
        machine->kernels[op] = cm_fpu_kernel((enum cm_op)op);
}

static enum cm_status init_worker(struct cm_machine *machine, uint32_t index, struct cm_error *err)
{
    struct cm_worker *worker = &machine->workers[index];
    worker->machine = machine;
    worker->clock = index == 0 ? &machine->clock : NULL;
    worker->loops = calloc(machine->config.sequencer_loop_depth, sizeof *worker->loops);
    if (!worker->loops || !cm_deferred_init(&worker->deferred, machine->deferred_max) ||
        !cm_moves_init(&worker->moves, machine->own_nodes, machine->always_streams))
        return cm_error_no_memory(err);
    enum cm_status status =
        cm_channels_init(&worker->channels, &machine->memory, machine->config.transposer_slots,
                         machine->channel_slots, err);
    worker->channels.first = machine->first_node;
    worker->channels.last = machine->first_node + machine->own_nodes;
    worker->channels.agree = machine->link ? cm_worker_agree : NULL;
    worker->channels.agree_context = worker;
    return status;
}

/* Allocates memory and threads of a machine whose numbers of nodes and workers are set. */
static enum cm_status equip(struct cm_machine *machine, struct cm_error *err)
{
    machine->workers = allocate_apart(machine->worker_count * sizeof *machine->workers);
    if (!machine->workers || (!machine->timing_only && !allocate_node_state(machine)))
        return cm_error_no_memory(err);
    cm_memory_init(&machine->memory, machine->config.memory_words, machine->nodes,
                   machine->partition_count);
    enum cm_status status = cm_pool_create(machine->worker_count, &machine->pool, err);
    if (status == CM_OK)
        cm_pool_measure(machine->pool, &machine->clock.counters.cycles);
    for (uint32_t i = 0; status == CM_OK && i < machine->worker_count; i++)
        status = init_worker(machine, i, err);
    if (status == CM_OK)
        /* cannot fail, because the first call copies no state between workers */
        (void)cm_workers_activate(machine, machine->worker_count);
    return status;
}

enum cm_status cm_machine_create(const struct cm_config *config,
                                 const struct cm_machine_options *options, struct cm_machine **out,
                                 struct cm_error *err)
{
    enum cm_status status = check_nodes(config, options->nodes, err);
    if (status != CM_OK)
        return status;
    if (options->threads > CM_THREADS_MAX)
        return cm_error_set(err, CM_USAGE, "%" PRIu32 " threads: at most %u", options->threads,
                            CM_THREADS_MAX);
    if (options->block_nodes & (options->block_nodes - 1))
        return cm_error_set(err, CM_USAGE, "lane blocks of %" PRIu32 " nodes: not a power of two",
                            options->block_nodes);
    status = check_executor(options->executor, err);
    if (status != CM_OK)
        return status;
    struct cm_machine *machine = allocate_apart(sizeof *machine);
    if (!machine)
        return cm_error_no_memory(err);
    machine->config = *config;
    machine->nodes = options->nodes;
    machine->dimensions = (uint32_t)__builtin_ctz(options->nodes);
    machine->timing_only = options->timing_only;
    machine->always_streams = options->code_trial == CM_CODE_STREAMS;
    status = cm_remote_join(machine, err);
    if (status != CM_OK) {
        cm_machine_destroy(machine);
        return status;
    }
    machine->worker_count = choose_threads(options, machine->own_nodes);
    machine->channel_slots = cm_channel_slots(config->transposer_slots, machine->dimensions,
                                              config->network_channels_per_dimension);
    const bool code = wants_code(machine, options);
    machine->partition_count = code && machine->link == NULL ? machine->worker_count : 1;
    machine->partition_nodes = machine->nodes / machine->partition_count;
    machine->fpu.block_nodes = code ? CM_LANE_CODE_NODES : choose_block(machine, options);
    machine->deferred_max = options->deferred_max ? options->deferred_max
                            : code                ? DEFERRED_MAX_CODE
                                                  : DEFERRED_MAX;
    choose_kernels(machine);
    cm_clock_init(&machine->clock, &machine->config);
    status = equip(machine, err);
    if (status != CM_OK) {
        cm_machine_destroy(machine);
        return status;
    }
    choose_executor(machine, options);
    *out = machine;
    return CM_OK;
}

void cm_machine_destroy(struct cm_machine *machine)
{
    if (!machine)
        return;
    cm_pool_destroy(machine->pool);
    for (uint32_t i = 0; machine->workers && i < machine->worker_count; i++) {
        free(machine->workers[i].loops);
        cm_deferred_finish(&machine->workers[i].deferred);
        if (!CM_FOR_A_PAGE)
            cm_block_cache_destroy(machine->workers[i].block_cache);
        cm_moves_finish(&machine->workers[i].moves);
        cm_channels_finish(&machine->workers[i].channels);
    }
    free(machine->workers);
    free(machine->node_state);
    free(machine->fpu.allocated);
    free(machine->loaded);
    cm_memory_finish(&machine->memory);
    free(machine);
}

const struct cm_config *cm_machine_config(const struct cm_machine *machine)
{
    return &machine->config;
}

uint32_t cm_machine_nodes(const struct cm_machine *machine)
{
    return machine->nodes;
}

uint32_t cm_machine_first_node(const struct cm_machine *machine)
{
    return machine->first_node;
}

uint32_t cm_machine_own_nodes(const struct cm_machine *machine)
{
    return machine->own_nodes;
}

uint32_t cm_machine_dimensions(const struct cm_machine *machine)
{
    return machine->dimensions;
}

uint32_t cm_machine_threads(const struct cm_machine *machine)
{
    return machine->worker_count;
}

bool cm_machine_timing_only(const struct cm_machine *machine)
{
    return machine->timing_only;
}

void cm_machine_set_progress(struct cm_machine *machine, void (*report_progress)(void *context),
                             void *context)
{
    machine->report_progress = report_progress;
    machine->progress_context = context;
}

void cm_machine_interrupt(struct cm_machine *machine)
{
    atomic_store_explicit(&machine->interrupted, true, memory_order_relaxed);
}

void cm_machine_resume(struct cm_machine *machine)
{
    atomic_store_explicit(&machine->interrupted, false, memory_order_relaxed);
}

bool cm_machine_interrupted(const struct cm_machine *machine)
{
    return atomic_load_explicit(&machine->interrupted, memory_order_relaxed);
}

struct cm_machine_state cm_machine_state(const struct cm_machine *machine)
{
    const struct cm_clock *clock = &machine->clock;
    const struct cm_front_end *front_end = &machine->front_end;
    const struct cm_channels *channels = &machine->workers[0].channels;
    const struct cm_place_in_dram open = cm_clock_open(clock);
    return (struct cm_machine_state){
        .open_page = open.page,
        .open_block = open.block,
        .until_refresh = clock->until_refresh,
        .sram_used = machine->sram_used,
        .loads_pending = (uint64_t)channels->generation << 32 | cm_channels_pending(channels),
        .since_free = front_end->elapsed - front_end->free,
        .since_begun = front_end->elapsed - front_end->begun,
        .own_cycles = front_end->own_cycles,
        .call_cycles = clock->counters.cycles - front_end->first_cycle,
    };
}

struct cm_counters cm_machine_counters(const struct cm_machine *machine)
{
    struct cm_counters counters = machine->clock.counters;
    struct cm_front_end front_end = machine->front_end;
    cm_front_end_end(&front_end, counters.cycles);
    counters.calls += front_end.calls;
    counters.front_end_cycles += front_end.worked;
    counters.elapsed_cycles += front_end.elapsed;
    return counters;
}

#define COUNTERS (sizeof(struct cm_counters) / sizeof(uint64_t))
_Static_assert(sizeof(struct cm_counters) % sizeof(uint64_t) == 0, "counters have 64 bits each");

void cm_counters_add(struct cm_counters *sum, const struct cm_counters *more)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)more;
    for (size_t i = 0; i < COUNTERS; i++)
        to[i] += from[i];
}

struct cm_counters cm_counters_difference(const struct cm_counters *later,
                                          const struct cm_counters *earlier)
{
    struct cm_counters difference;
    const uint64_t *a = (const uint64_t *)later;
    const uint64_t *b = (const uint64_t *)earlier;
    uint64_t *d = (uint64_t *)&difference;
    for (size_t i = 0; i < COUNTERS; i++)
        d[i] = a[i] - b[i];
    return difference;
}

/* Copies the words carried by the channels of some nodes, stored slot by slot, to an array that is
 * ordered by node. */
static void sort_by_node(const struct cm_machine *machine, const uint64_t *words, size_t first,
                         size_t end, uint64_t *out)
{
    for (uint32_t dimension = 0; dimension < machine->dimensions; dimension++)
        for (uint32_t channel = 0; channel < 2; channel++) {
            size_t slot = cm_slot_of_channel(machine->config.transposer_slots, dimension, channel);
            for (size_t node = first; node < end; node++)
                out[(node * machine->dimensions + dimension) * 2 + channel] =
                    machine->channel_slots >> slot & 1 ? words[slot * machine->nodes + node] : 0;
        }
}

enum cm_status cm_machine_own_channel_words(struct cm_machine *machine, uint64_t *out,
                                            struct cm_error *err)
{
    const uint64_t *words = cm_channels_channel_words(&machine->workers[0].channels);
    if (!words)
        return cm_error_no_memory(err);
    size_t first = machine->first_node, last = first + machine->own_nodes;
    for (; first < last; first += NODES_SORTED)
        sort_by_node(machine, words, first,
                     last - first < NODES_SORTED ? last : first + NODES_SORTED, out);
    return CM_OK;
}

enum cm_status cm_machine_channel_words(struct cm_machine *machine, uint64_t *out,
                                        struct cm_error *err)
{
    enum cm_status status = cm_machine_own_channel_words(machine, out, err);
    if (status != CM_OK)
        return status;
    return cm_processes_gather(machine->link, out,
                               machine->own_nodes * sizeof *out * machine->dimensions * 2, 1, err);
}

enum cm_status cm_machine_count_again(struct cm_machine *machine, uint64_t times,
                                      const struct cm_counters *counters, const uint64_t *words,
                                      struct cm_error *err)
{
    uint64_t *sums = cm_channels_channel_words(&machine->workers[0].channels);
    uint64_t *counts = (uint64_t *)&machine->clock.counters;
    if (!sums)
        return cm_error_no_memory(err);
    for (uint32_t dimension = 0; dimension < machine->dimensions; dimension++)
        for (uint32_t channel = 0; channel < 2; channel++) {
            size_t slot = cm_slot_of_channel(machine->config.transposer_slots, dimension, channel);
            for (size_t node = 0; node < machine->nodes; node++)
                sums[slot * machine->nodes + node] +=
                    times * words[(node * machine->dimensions + dimension) * 2 + channel];
        }
    for (size_t i = 0; i < sizeof *counters / sizeof *counts; i++)
        counts[i] += times * ((const uint64_t *)counters)[i];
    machine->front_end.first_cycle += times * counters->cycles;
    return CM_OK;
}

static void begin_call(struct cm_machine *machine, uint64_t own_cycles)
{
    cm_front_end_begin(&machine->front_end, own_cycles, machine->clock.counters.cycles);
}

void cm_machine_enter(struct cm_machine *machine, enum cm_entry entry)
{
    if (entry == CM_ENTRY_IMP)
        begin_call(machine, cm_front_end_imp_cycles(&machine->config));
    else if (entry == CM_ENTRY_RUNTIME)
        begin_call(machine, cm_front_end_runtime_cycles(&machine->config));
    cm_clock_enter(&machine->clock, entry);
}

void cm_machine_begin_pshift(struct cm_machine *machine, uint32_t shifts)
{
    begin_call(machine, shifts * cm_front_end_pshift_cycles(&machine->config));
}

void cm_machine_count_statements(struct cm_machine *machine, uint64_t statements)
{
    if (statements == 0)
        return;
    uint64_t each = cm_front_end_cycles(&machine->config, machine->config.front_end_statement_ns);
    cm_front_end_work(&machine->front_end, statements * each, machine->clock.counters.cycles);
}

void cm_machine_wait(struct cm_machine *machine)
{
    cm_front_end_wait(&machine->front_end, machine->clock.counters.cycles);
}

void cm_machine_access(struct cm_machine *machine, uint64_t words)
{
    const struct cm_config *config = &machine->config;
    begin_call(machine, cm_front_end_runtime_cycles(config));
    cm_clock_charge(&machine->clock, CM_CAUSE_RUNTIME_CALL, config->front_end_runtime_call_cycles);
    cm_clock_charge(&machine->clock, CM_CAUSE_SCALAR, words * config->front_end_scalar_cycles);
}

void cm_machine_route(struct cm_machine *machine, uint64_t word_times, uint64_t words_sent)
{
    const struct cm_config *config = &machine->config;
    uint64_t first_cycle = machine->clock.counters.cycles;
    begin_call(machine, cm_front_end_runtime_cycles(config));
    cm_clock_charge(&machine->clock, CM_CAUSE_ROUTER,
                    config->router_start_cycles + word_times * config->router_word_cycles);
    machine->clock.counters.words_sent += words_sent;
    CM_OBSERVE(machine->observer, router_ends, first_cycle, &machine->clock.counters);
}
