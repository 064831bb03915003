/*
 * The sequencer: issues one instruction after the other to all nodes.
 *
 *   address registers   64 of them, holding addresses of 32-bit words in node memory
 *   loop stack          sequencer.loop_depth entries. A `loop` instruction pushes an entry, and the
 *                       `next` instruction of the loop pops it when the count runs out.
 *   order               For each instruction, addresses are resolved and checked, the clock is
 *                       charged, and channels are accounted for. Data then move, at the latest
 *                       before the next barrier.
 *   faults              an address outside node memory, an index outside its array, a table that
 *                       names no slot, two words for one channel
 *
 * Every worker runs this code with the same address registers and loop counts. So all workers reach
 * each barrier at the same instruction.
 *
 * The model leaves out pipelines in the node, and branches that depend on data (the CM's global-OR
 * line).
 */
#include "accesses.h"
#include "remote.h"

#define REPORT_ITERATIONS                                                                          \
    4096u /* iterations between two calls of cm_machine_set_progress's function */

static bool fail(struct cm_worker *worker, enum cm_fault_kind kind, int64_t detail0,
                 int64_t detail1)
{
    worker->fault = kind;
    worker->fault_pc = worker->pc;
    worker->fault_detail[0] = detail0;
    worker->fault_detail[1] = detail1;
    return false;
}

static bool is_interrupted(const struct cm_worker *worker)
{
    return atomic_load_explicit(&worker->machine->interrupted, memory_order_relaxed);
}

static bool interrupt(struct cm_worker *worker)
{
    return fail(worker, CM_FAULT_INTERRUPT, 0, 0);
}

/* Executes this worker's deferred operations, then waits until all workers have executed theirs.
 * Returns false when a worker gave up the run. */
static bool barrier(struct cm_worker *worker)
{
    cm_execute_deferred(worker);
    return cm_pool_barrier(worker->machine->pool) || interrupt(worker);
}

/* True if the worker has deferred moves. The program in a browser page has to be small, so it never
 * defers moves. */
static bool has_moves(const struct cm_worker *worker)
{
    return !CM_FOR_A_PAGE && worker->moves.count > 0;
}

/* Executes deferred moves. All workers reach this function at the same instruction. */
static bool finish_moves(struct cm_worker *worker)
{
    if (!cm_moves_are_shared(worker)) {
        cm_execute_deferred(worker);
        cm_moves_execute_own(worker);
        return true;
    }
    if (!barrier(worker))
        return false;
    cm_moves_execute_share(worker);
    return barrier(worker);
}

/* True if this instruction can be executed while earlier moves stay deferred. */
static bool leaves_moves(const struct cm_worker *worker, const struct cm_instruction *instruction)
{
    if (instruction->op == CM_OP_MOVE)
        return worker->moves.count < worker->moves.capacity &&
               cm_moves_may_defer(worker, instruction);
    return cm_executes_nothing(instruction->op);
}

/* Publishes to all workers whether a process was lost. Must be called between two barriers: other
 * workers read `lost` after the second barrier, and `joined` may change from then on. */
static void publish_lost(const struct cm_worker *worker)
{
    if (worker->clock)
        worker->machine->lost = worker->machine->joined != CM_OK;
}

/* Replaces a finding by the combined finding of all processes. All workers reach this function at
 * the same instruction, with the same finding about this process's nodes. */
bool cm_worker_agree(void *context, struct cm_channels_finding *finding)
{
    struct cm_worker *worker = context;
    struct cm_machine *machine = worker->machine;
    if (worker->clock)
        cm_remote_agree(machine, finding);
    if (!barrier(worker))
        return false;
    *finding = machine->finding;
    publish_lost(worker);
    return barrier(worker) && !machine->lost;
}

/* Reserves the planes of an instruction's memory words, where no array, table or temporary has
 * reserved them. All workers reach this function at the same instruction. Worker 0 reserves while
 * the others wait. */
static bool reserve(struct cm_worker *worker, uint64_t address, uint64_t words)
{
    struct cm_machine *machine = worker->machine;
    if (machine->timing_only)
        return true;
    if (!barrier(worker))
        return false;
    if (worker->clock)
        machine->reserved = cm_memory_reserve(&machine->memory, address, words, NULL);
    return barrier(worker) && (machine->reserved == CM_OK || fail(worker, CM_FAULT_MEMORY, 0, 0));
}

static bool in_range(struct cm_worker *worker, int64_t address, uint64_t words)
{
    if (address >= 0 && cm_memory_has(&worker->machine->memory, (uint64_t)address, words))
        return true;
    return fail(worker, CM_FAULT_ADDRESS, address, (int64_t)words);
}

static bool in_memory(struct cm_worker *worker, int64_t address, uint64_t words)
{
    if (address >= 0 && cm_memory_reserved(&worker->machine->memory, (uint64_t)address, words))
        return true;
    return in_range(worker, address, words) && reserve(worker, (uint64_t)address, words);
}

static int64_t operand_address(const struct cm_worker *worker, struct cm_operand operand)
{
    return cm_address_add(worker->address[operand.reg], operand.value);
}

/* Checks that the words of a move are in node memory, and reserves them: `count` words from
 * `address` on, `stride` apart. Returns false after a fault. */
static bool walk_in_memory(struct cm_worker *worker, int64_t address, int64_t count, int64_t stride)
{
    int64_t last = cm_address_add(address, stride * (count - 1));
    if (!in_range(worker, address, 1) || !in_range(worker, last, 1))
        return false;
    uint64_t first = (uint64_t)(address < last ? address : last);
    uint64_t words = (uint64_t)(address < last ? last - address : address - last) + 1;
    return cm_memory_reserved(&worker->machine->memory, first, words) ||
           reserve(worker, first, words);
}

static bool resolve_move(struct cm_worker *worker, struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    int64_t dst = operand_address(worker, operands[0]);
    int64_t src = operand_address(worker, operands[1]);
    int64_t count = operands[2].value;
    issue->at = (struct cm_effective){.data = (uint64_t)dst, .other = (uint64_t)src};
    return walk_in_memory(worker, dst, count, operands[3].value) &&
           walk_in_memory(worker, src, count, operands[4].value);
}

/* Computes and checks the addresses that an instruction accesses. */
static bool resolve(struct cm_worker *worker, struct cm_issue *issue)
{
    const struct cm_instruction *instruction = issue->instruction;
    const struct cm_op_accesses *accesses = &cm_op_accesses[instruction->op];
    if (instruction->op == CM_OP_MOVE)
        return resolve_move(worker, issue);
    for (uint32_t i = 0; i < accesses->memory_count; i++) {
        int64_t address = operand_address(worker, instruction->operands[accesses->memory[i]]);
        if (!in_memory(worker, address, i == 0 ? cm_reach_words(instruction) : 1))
            return false;
        *(i == 0 ? &issue->at.data : &issue->at.other) = (uint64_t)address;
    }
    return true;
}

static bool channels_ok(struct cm_worker *worker, enum cm_channels_status status)
{
    static const enum cm_fault_kind faults[] = {
        [CM_CHANNELS_OK] = CM_FAULT_NONE,           [CM_CHANNELS_BAD_SLOT] = CM_FAULT_SLOT,
        [CM_CHANNELS_CONFLICT] = CM_FAULT_CONFLICT, [CM_CHANNELS_NO_MEMORY] = CM_FAULT_MEMORY,
        [CM_CHANNELS_LOST] = CM_FAULT_LOST,
    };
    return status == CM_CHANNELS_OK ||
           fail(worker, faults[status], worker->channels.fault_slot, worker->channels.fault_node);
}

/* Finds the key of a communication table. A new table is read while no worker writes memory. */
static bool find_table(struct cm_worker *worker, struct cm_issue *issue)
{
    uint32_t field = (uint32_t)issue->instruction->operands[3].value;
    uint32_t half = (uint32_t)issue->instruction->operands[4].value;
    uint64_t table = issue->at.other;
    struct cm_channels *channels = &worker->channels;
    bool known = cm_channels_known(channels, table, field, half);
    if (!known && !barrier(worker))
        return false;
    enum cm_channels_status status = cm_channels_find(channels, table, field, half, &issue->key);
    if (!known && !barrier(worker))
        return false;
    return channels_ok(worker, status);
}

/* Accounts for words that go into transposer A. Other transposers drive no channels. */
static bool account_load(struct cm_worker *worker, struct cm_operand transposer, uint32_t key)
{
    return transposer.reg != CM_TRANSPOSER_A ||
           channels_ok(worker, cm_channels_load(&worker->channels, key));
}

static bool account_direct(struct cm_worker *worker, struct cm_operand slot)
{
    uint32_t key = 0;
    if (slot.reg != CM_TRANSPOSER_A)
        return true;
    return channels_ok(worker,
                       cm_channels_find_slot(&worker->channels, (uint32_t)slot.value, &key)) &&
           account_load(worker, slot, key);
}

static bool account_loads(struct cm_worker *worker, struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    enum cm_cost_class cost = (enum cm_cost_class)cm_op_accesses[issue->instruction->op].cost;
    if (cost == CM_COST_LOAD || cost == CM_COST_CONSTANT)
        return account_direct(worker, operands[0]);
    if (cost != CM_COST_LOAD_INDIRECT && cost != CM_COST_UNLOAD_INDIRECT)
        return true;
    if (!find_table(worker, issue) ||
        (cost == CM_COST_LOAD_INDIRECT && !account_load(worker, operands[0], issue->key)))
        return false;
    issue->choice = cm_channels_indirect(&worker->channels, issue->key);
    return true;
}

/* Forgets communication tables that an instruction may have overwritten. They are read again at
 * their next use. */
static bool account_write(struct cm_worker *worker, uint64_t address, uint64_t words)
{
    return channels_ok(worker, cm_channels_touch(&worker->channels, address, words));
}

static bool account_move(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    uint64_t dst = issue->at.data;
    int64_t span = (int64_t)operands[3].value * (operands[2].value - 1);
    uint64_t first = span < 0 ? dst - (uint64_t)-span : dst;
    return account_write(worker, first, (uint64_t)(span < 0 ? -span : span) + 1);
}

static bool account_writes(struct cm_worker *worker, const struct cm_issue *issue)
{
    return issue->instruction->op == CM_OP_MOVE
               ? account_move(worker, issue)
               : account_write(worker, issue->at.data, cm_reach_words(issue->instruction));
}

static void begin_loop(struct cm_worker *worker, int32_t count)
{
    worker->loops[worker->loop_depth].start = worker->pc;
    worker->loops[worker->loop_depth].left = count;
    worker->loop_depth++;
}

/* True if the end of a loop iteration should execute the deferred operations, because there are
 * enough of them in the queue or in the recorded block. */
static bool is_enough(const struct cm_worker *worker)
{
    const struct cm_lane_queue *queue = &worker->deferred.queue;
    const struct cm_block_cache *cache = CM_FOR_A_PAGE ? NULL : worker->block_cache;
    if (cache && cache->count > 0)
        return cache->operations >= queue->enough || cache->planes >= queue->enough_planes;
    return queue->count >= queue->enough || queue->planes >= queue->enough_planes;
}

/* Ends an iteration of a loop. If enough operations are deferred, they are executed here, because
 * queues that end with an iteration often differ only in addresses, and then share generated
 * code. */
static void end_iteration(struct cm_worker *worker)
{
    uint32_t innermost = worker->loop_depth - 1;
    if (is_enough(worker))
        cm_execute_deferred(worker);
    if (--worker->loops[innermost].left > 0)
        worker->pc = worker->loops[innermost].start;
    else
        worker->loop_depth--;
}

/* Reports progress (cm_machine_set_progress). */
static void report_progress(const struct cm_machine *machine)
{
    if (machine->report_progress != NULL)
        machine->report_progress(machine->progress_context);
}

static void count_iteration(struct cm_worker *worker)
{
    if (worker->clock != NULL && ++worker->iterations % REPORT_ITERATIONS == 0)
        report_progress(worker->machine);
}

/* Executes a loop or address-register instruction. The verifier has checked that loops nest and fit
 * the stack. */
static void control(struct cm_worker *worker, const struct cm_instruction *instruction)
{
    const struct cm_operand *operands = instruction->operands;
    switch (instruction->op) {
    case CM_OP_LOOP:
        begin_loop(worker, operands[0].value);
        break;
    case CM_OP_NEXT:
        end_iteration(worker);
        count_iteration(worker);
        break;
    default:
        cm_address_control(worker->address, instruction, worker->machine->actuals);
        break;
    }
}

/* Describes the slots that an instruction uses, for observers. */
static void describe_slots(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_observed_issue *observed = &worker->observed;
    const struct cm_operand *operands = issue->instruction->operands;
    observed->slots = CM_SLOTS_NONE;
    switch ((enum cm_cost_class)cm_op_accesses[issue->instruction->op].cost) {
    case CM_COST_LOAD:
    case CM_COST_CONSTANT:
        observed->slots = CM_SLOTS_ONE;
        observed->number = (uint32_t)operands[0].value;
        break;
    case CM_COST_UNLOAD:
        observed->slots = CM_SLOTS_ONE;
        observed->number = (uint32_t)operands[1].value;
        break;
    case CM_COST_LOAD_INDIRECT:
    case CM_COST_UNLOAD_INDIRECT:
        observed->slots = CM_SLOTS_TABLE;
        observed->number = issue->key;
        observed->generation = worker->channels.generation;
        break;
    default:
        break;
    }
}

static void notify(struct cm_worker *worker)
{
    const struct cm_observer *observer = worker->machine->observer;
    struct cm_observed_issue *observed = &worker->observed;
    observed->charged = worker->clock->charged;
    worker->clock->charged = 0;
    observed->pc = worker->pc;
    if (observer->issued != NULL)
        observer->issued(observer->context, observed);
}

/* Fetches the words of transposer A that nodes of other processes send, for the observer. */
static void gather_wires(struct cm_machine *machine, uint64_t slots)
{
    for (; slots && machine->link && machine->joined == CM_OK; slots &= slots - 1)
        machine->joined = cm_remote_gather(machine,
                                           machine->transposers[CM_TRANSPOSER_A] +
                                               (size_t)__builtin_ctzll(slots) * machine->nodes,
                                           1, NULL);
}

/* Notifies the observer of an exchange. No worker loads meanwhile, so transposer A still holds the
 * words that go over the channels. */
static void notify_exchange(struct cm_worker *worker)
{
    struct cm_machine *machine = worker->machine;
    gather_wires(machine, cm_channels_loaded_slots(&worker->channels));
    worker->observed.slots = CM_SLOTS_PENDING;
    worker->observed.number = cm_channels_pending(&worker->channels);
    worker->observed.generation = worker->channels.generation;
    worker->observed.wires = cm_state_planes(machine, machine->transposers[CM_TRANSPOSER_A]);
    notify(worker);
    worker->observed.wires = (struct cm_planes){0};
}

/* Charges an instruction that will be reported to the observer. If it is an exchange, the end of a
 * running exchange is charged first, so that the report begins after it. */
static void charge_observed(struct cm_worker *worker, const struct cm_issue *issue)
{
    worker->observed.address = issue->at.data;
    worker->observed.other = issue->at.other;
    if (issue->instruction->op == CM_OP_EXCHANGE)
        cm_clock_wait_for(worker->clock, issue->instruction);
    worker->observed.first_cycle = worker->clock->counters.cycles;
    cm_clock_issue(worker->clock, issue->instruction, &issue->at);
}

/* Notifies the observer of an instruction other than an exchange. */
static inline void notify_issue(struct cm_worker *worker, const struct cm_issue *issue)
{
    describe_slots(worker, issue);
    notify(worker);
}

/* Synchronises workers before or after an exchange. If no word crosses from worker to worker,
 * workers need not wait for each other. */
static bool exchange_barrier(struct cm_worker *worker, bool crosses)
{
    if (crosses)
        return barrier(worker);
    cm_execute_deferred(worker);
    return true;
}

/* Executes an exchange. If words cross between workers, all workers finish their loads into
 * transposer A before any worker exchanges, and all workers exchange before any worker loads again.
 * The same holds with an observer, and with several processes, which agree on each exchange. */
static bool exchange(struct cm_worker *worker, const struct cm_issue *issue, bool observed)
{
    const uint64_t slots = cm_channels_loaded_slots(&worker->channels);
    const struct cm_machine *machine = worker->machine;
    const bool crosses = machine->observer != NULL || machine->link != NULL ||
                         (slots & machine->crossing_slots) != 0;
    if (!exchange_barrier(worker, crosses))
        return false;
    if (!machine->timing_only)
        cm_execute(worker, issue);
    if (observed)
        notify_exchange(worker);
    if (crosses)
        publish_lost(worker);
    if (!exchange_barrier(worker, crosses))
        return false;
    if (machine->lost)
        return fail(worker, CM_FAULT_LOST, 0, 0);
    return channels_ok(worker, cm_channels_exchange(&worker->channels, &worker->words_sent));
}

/* Checks the indices of an indexed load or store, which nodes have in a register, while no worker
 * changes the register. Each worker checks the nodes of all workers, so all workers find the same
 * fault. */
static bool check_indices(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_channels_finding finding = {.fault = CM_CHANNELS_NO_FAULT};
    if (worker->machine->timing_only)
        return true;
    cm_execute_need_index(worker, issue);
    if (!barrier(worker))
        return false;
    cm_execute_find_index(worker, issue, &finding.fault);
    if (worker->machine->link != NULL && !cm_worker_agree(worker, &finding))
        return worker->machine->lost ? fail(worker, CM_FAULT_LOST, 0, 0) : false;
    if (!barrier(worker))
        return false;
    return finding.fault == CM_CHANNELS_NO_FAULT ||
           fail(worker, CM_FAULT_INDEX, (int32_t)finding.fault, (int64_t)(finding.fault >> 32));
}

/* Executes one instruction. `observed` is a constant at each call, so a run without an observer
 * does not test it. */
static inline bool step(struct cm_worker *worker, const struct cm_instruction *instruction,
                        bool observed)
{
    const struct cm_op_accesses *accesses = &cm_op_accesses[instruction->op];
    struct cm_issue issue = {.instruction = instruction};
    if (has_moves(worker) && !leaves_moves(worker, instruction) && !finish_moves(worker))
        return false;
    if (!resolve(worker, &issue) || (accesses->uses_slots && !account_loads(worker, &issue)) ||
        (accesses->indexed && !check_indices(worker, &issue)))
        return false;
    if (observed)
        charge_observed(worker, &issue);
    else if (worker->clock)
        cm_clock_issue(worker->clock, instruction, &issue.at);
    if (accesses->controls) {
        if (observed && !worker->machine->observer->without_control)
            notify_issue(worker, &issue);
        control(worker, instruction);
        return true;
    }
    if (instruction->op == CM_OP_EXCHANGE)
        return exchange(worker, &issue, observed);
    if (observed)
        notify_issue(worker, &issue);
    if (!worker->machine->timing_only)
        cm_execute(worker, &issue);
    return !accesses->writes || account_writes(worker, &issue);
}

/* Executes the moves that are still deferred when the IMP halts. Fails if an interrupt may have
 * ended the moves early. */
static bool finish_run(struct cm_worker *worker)
{
    if (!has_moves(worker))
        return true;
    return finish_moves(worker) && (!is_interrupted(worker) || interrupt(worker));
}

/* Executes the instructions of the IMP until a halt or a fault. */
static inline void run(struct cm_worker *worker, bool observed)
{
    const struct cm_instruction *code = worker->machine->imp->code;
    const struct cm_observer *observer = worker->machine->observer;
    const bool fetched = observed && observer->fetched != NULL;
    for (worker->pc = 0;; worker->pc++) {
        if (fetched)
            observer->fetched(observer->context, worker->pc, &worker->clock->counters);
        if (is_interrupted(worker))
            interrupt(worker);
        else if (code[worker->pc].op == CM_OP_HALT && finish_run(worker))
            return;
        else if (code[worker->pc].op != CM_OP_HALT && step(worker, &code[worker->pc], observed))
            continue;
        cm_pool_give_up(worker->machine->pool);
        return;
    }
}

static void run_worker(void *context, uint32_t index)
{
    struct cm_machine *machine = context;
    struct cm_worker *worker = &machine->workers[index];
    const bool observed = worker->clock != NULL && machine->observer != NULL;
    worker->loop_depth = 0;
    worker->context_full = true;
    worker->fault = CM_FAULT_NONE;
    worker->deferred.queue.crowded = false;
    if (observed)
        worker->observed.counters = &worker->clock->counters;
    if (observed)
        run(worker, true);
    else
        run(worker, false);
    cm_execute_deferred(worker);
    if (has_moves(worker)) /* moves are left only if the run ended early */
        cm_moves_execute_own(worker);
    if (worker->clock != NULL && worker->fault == CM_FAULT_NONE)
        cm_clock_issue(worker->clock, &machine->imp->code[worker->pc], &(struct cm_effective){0});
}

/* Returns the worker whose fault is reported. A real fault takes precedence over an interrupt that
 * follows from it. */
static const struct cm_worker *faulted_worker(const struct cm_machine *machine)
{
    const struct cm_worker *found = NULL;
    for (uint32_t i = 0; i < machine->active_workers; i++) {
        const struct cm_worker *worker = &machine->workers[i];
        if (worker->fault == CM_FAULT_NONE)
            continue;
        if (!found || found->fault == CM_FAULT_INTERRUPT)
            found = worker;
    }
    return found;
}

/* Chooses for a run whether moves and stores bypass the host's caches, and how long queues may
 * become. */
static void choose_stores(struct cm_machine *machine, const struct cm_loaded_imp *loaded)
{
    const double bytes = (double)machine->own_nodes * sizeof(uint32_t);
    machine->nontemporal =
        machine->always_streams || cm_nontemporal_pays(loaded->moved_words * bytes);
    machine->streams =
        machine->always_streams || cm_nontemporal_pays(loaded->streamed_words * bytes);
    cm_machine_limit_queues(machine, loaded->crowded);
}

enum cm_status cm_machine_run(struct cm_machine *machine, const struct cm_imp *imp,
                              const struct cm_actual *actuals, enum cm_entry entry,
                              struct cm_error *err)
{
    struct cm_loaded_imp *loaded = cm_machine_find_loaded(machine, imp);
    if (!loaded)
        return cm_error_set(err, CM_INTERNAL, "IMP \"%s\" is not loaded", imp->name);
    if (!cm_workers_activate(machine, cm_pool_workers(machine->pool)))
        return cm_error_no_memory(err);
    choose_stores(machine, loaded);
    machine->clock.second_buffer = !loaded->names_c;
    machine->imp = imp;
    machine->load = loaded->load;
    machine->actuals = actuals;
    struct cm_counters *counters = &machine->clock.counters;
    struct cm_observed_start start = {.imp = imp,
                                      .load = loaded->load,
                                      .entry = entry,
                                      .first_cycle = counters->cycles,
                                      .counters = counters};
    cm_machine_enter(machine, entry);
    CM_OBSERVE(machine->observer, run_begins, &start);
    cm_pool_run(machine->pool, run_worker, machine, imp);
    loaded->crowded = loaded->crowded || machine->workers[0].deferred.queue.crowded;
    counters->words_sent += machine->workers[0].words_sent;
    for (uint32_t i = 0; i < machine->active_workers; i++)
        machine->workers[i].words_sent = 0;
    CM_OBSERVE(machine->observer, run_ends, counters);
    report_progress(machine);
    const struct cm_worker *faulted = faulted_worker(machine);
    if (!faulted)
        return CM_OK;
    /* Workers may have stopped at different instructions, which must not affect the next run. */
    for (uint32_t i = 0; i < machine->active_workers; i++)
        (void)cm_channels_abandon(&machine->workers[i].channels);
    return cm_fault_report(faulted, err);
}
