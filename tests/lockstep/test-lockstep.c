/*
 * Lock-step: random IMPs on random machines, the simulator against the slow machine, compared after
 * every run: memory to the word, counters and causes to the cycle, channels to the word. In every
 * second case observers listen, and what they hear is compared, too. Prints TAP, one line a
 * property.
 *
 *     lockstep lockstep [--cases N] [--seed S] [--case K]
 */
#include "../../sim/machine/machine_private.h"
#include "../../sim/machine/observer.h"
#include "../../sim/machine/rehearsal.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "../unit/channel_use.h"
#include "random_imp.h"
#include "slow_machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CASES UINT64_C(800)
#define DEFAULT_SEED  UINT64_C(200)
#define IMPS          2u
#define RUNS          4u
#define PRINT_LIMIT   3u

enum property {
    MEMORY,
    COUNTERS,
    TIMING_ONLY,
    CHANNELS,
    FAULTS,
    OBSERVERS,
    REHEARSALS,
    PROPERTY_COUNT
};

static const char *const property_names[PROPERTY_COUNT] = {
    [MEMORY] = "memory is the same to the word",
    [COUNTERS] = "counters and causes are the same to the cycle",
    [TIMING_ONLY] = "a timing-only machine counts the same",
    [CHANNELS] = "every channel carried the same words",
    [FAULTS] = "both machines fault, or neither",
    [OBSERVERS] = "observers hear the same of all machines",
    [REHEARSALS] = "a rehearsal counts the cycles of the run that follows",
};

/* The machines that go along with the slow one. */
enum { ONE_THREAD, TWO_THREADS, ONE_BY_ONE, SMALL_BLOCKS, AVX2, AVX512, TIMING, MACHINES };
static const char *const machine_names[MACHINES] = {
    [ONE_THREAD] = "one thread",
    [TWO_THREADS] = "two threads",
    [ONE_BY_ONE] = "one instruction after the other",
    [SMALL_BLOCKS] = "small lane blocks",
    [AVX2] = "machine code with AVX2",
    [AVX512] = "machine code with AVX-512",
    [TIMING] = "timing only",
};

/* What an observer has heard: events, and hashes of them, of slots, and of the words on wires. */
struct heard {
    struct cm_machine *machine;
    uint64_t events, hash, wires;
};

struct trial {
    uint64_t held[PROPERTY_COUNT];
    uint64_t failed[PROPERTY_COUNT];
    uint64_t printed;
    uint64_t seed;
    uint64_t number; /* of the case */
    bool bad;        /* the case has failed */
    struct cm_random random;
    struct cm_config config;
    struct cm_slow_machine slow;
    struct cm_machine *machines[MACHINES];
    bool observed;
    struct heard heard[MACHINES];
    struct cm_observer observers[MACHINES];
    struct cm_imp *imps[IMPS];
    const struct cm_imp *imp; /* under way */
    bool tables_move;
};

static void fail(struct trial *t, enum property property, const char *format, ...) CM_PRINTF(3, 4);

static void fail(struct trial *t, enum property property, const char *format, ...)
{
    va_list arguments;
    t->failed[property]++;
    t->bad = true;
    if (t->printed++ >= PRINT_LIMIT)
        return;
    (void)fprintf(stderr,
                  "not held: %s\n  case %" PRIu64 " of seed %" PRIu64 ", %" PRIu32
                  " nodes, %" PRIu32 " slots, pages of %" PRIu64 " words: ",
                  property_names[property], t->number, t->seed, t->slow.node_count,
                  t->config.transposer_slots, t->config.memory_page_words);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputs("\n", stderr);
    if (t->imp == NULL)
        return;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_imp_disassemble(t->imp, &text);
    if (cm_buffer_ok(&text))
        (void)fputs(text.data, stderr);
    cm_buffer_finish(&text);
}

static void compare_memory(struct trial *t, int which)
{
    uint32_t words[64];
    for (uint64_t address = 0; address < t->config.memory_words; address++) {
        if (cm_machine_read_plane(t->machines[which], address, words, NULL) != CM_OK) {
            fail(t, MEMORY, "%s: plane %" PRIu64 " can't be read", machine_names[which], address);
            return;
        }
        for (uint32_t n = 0; n < t->slow.node_count; n++)
            if (words[n] != t->slow.nodes[n].memory[address]) {
                fail(t, MEMORY,
                     "%s: word %" PRIu64 " of node %" PRIu32 ": expected %08" PRIx32
                     ", found %08" PRIx32,
                     machine_names[which], address, n, t->slow.nodes[n].memory[address], words[n]);
                return;
            }
    }
    t->held[MEMORY]++;
}

static bool same(struct trial *t, enum property property, int which, const char *name,
                 uint64_t want, uint64_t got)
{
    if (want == got)
        return true;
    fail(t, property, "%s: %s: expected %" PRIu64 ", found %" PRIu64, machine_names[which], name,
         want, got);
    return false;
}

static void compare_counters(struct trial *t, int which)
{
    const enum property property = which == TIMING ? TIMING_ONLY : COUNTERS;
    const struct cm_counters *want = &t->slow.counters;
    const struct cm_counters got = cm_machine_counters(t->machines[which]);
    bool ok = true;
    for (int cause = 0; cause < CM_CAUSE_COUNT && ok; cause++)
        ok = same(t, property, which, cm_cause_name((enum cm_cause)cause), want->by_cause[cause],
                  got.by_cause[cause]);
    ok = ok && same(t, property, which, "cycles", want->cycles, got.cycles) &&
         same(t, property, which, "instructions", want->instructions, got.instructions) &&
         same(t, property, which, "exchanges", want->exchanges, got.exchanges) &&
         same(t, property, which, "hidden cycles", want->hidden_cycles, got.hidden_cycles) &&
         same(t, property, which, "loads", want->loads, got.loads) &&
         same(t, property, which, "stores", want->stores, got.stores) &&
         same(t, property, which, "page faults", want->page_faults, got.page_faults) &&
         same(t, property, which, "words moved", want->words_moved_locally,
              got.words_moved_locally) &&
         same(t, property, which, "words sent", want->words_sent, got.words_sent) &&
         same(t, property, which, "flops", want->flops, got.flops);
    t->held[property] += ok;
}

static void compare_channels(struct trial *t, int which)
{
    uint64_t words[64 * 6 * 2];
    const uint32_t dimensions = t->slow.dimensions;
    const struct cm_channel_use use = channel_use(t->machines[which]);
    uint64_t total = 0;
    uint64_t most = 0;
    if (cm_machine_channel_words(t->machines[which], words, NULL) != CM_OK)
        abort();
    for (uint32_t i = 0; i < t->slow.node_count * dimensions * 2; i++) {
        const uint32_t node = i / (2 * dimensions);
        const uint32_t dimension = i / 2 % dimensions;
        const uint64_t want = t->slow.nodes[node].sent[dimension][i % 2];
        total += want;
        most = want > most ? want : most;
        if (words[i] != want) {
            fail(t, CHANNELS,
                 "%s: node %" PRIu32 ", dimension %" PRIu32 ", channel %" PRIu32
                 ": expected %" PRIu64 ", found %" PRIu64,
                 machine_names[which], node, dimension, i % 2, want, words[i]);
            return;
        }
    }
    t->held[CHANNELS] += same(t, CHANNELS, which, "total words", total, use.total_words) &&
                         same(t, CHANNELS, which, "most words", most, use.max_load);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    const uint64_t product = (hash ^ value) * UINT64_C(0xff51afd7ed558ccd);
    return product ^ product >> 32;
}

/* The words that an exchange sends: of the slots that each node has loaded. */
static void hear_wires(struct heard *heard, const struct cm_planes *wires, uint32_t nodes,
                       const uint64_t *slots)
{
    for (uint32_t n = 0; n < nodes; n++)
        for (uint64_t rest = slots[n]; rest != 0; rest &= rest - 1)
            heard->wires =
                mix(heard->wires, *cm_planes_word(wires, (uint64_t)__builtin_ctzll(rest), n));
}

static void hear(void *context, const struct cm_observed_issue *issue)
{
    struct heard *heard = context;
    const uint32_t nodes = cm_machine_nodes(heard->machine);
    uint64_t slots[64];
    heard->events++;
    heard->hash = mix(heard->hash, issue->first_cycle);
    heard->hash = mix(heard->hash, issue->counters->cycles);
    heard->hash = mix(heard->hash, issue->pc);
    heard->hash = mix(heard->hash, issue->address);
    heard->hash = mix(heard->hash, issue->other);
    heard->hash = mix(heard->hash, issue->slots);
    if (issue->slots == CM_SLOTS_NONE)
        return;
    cm_machine_observed_slots(heard->machine, issue->slots, issue->number, slots);
    for (uint32_t n = 0; n < nodes; n++)
        heard->hash = mix(heard->hash, slots[n]);
    if (issue->slots == CM_SLOTS_PENDING && issue->wires.words != NULL)
        hear_wires(heard, &issue->wires, nodes, slots);
}

/* The halt, which is not issued. */
static void hear_end(void *context, const struct cm_counters *counters)
{
    struct heard *heard = context;
    heard->events++;
    heard->hash = mix(heard->hash, counters->cycles);
}

/* The slow machine has none: the first one is compared by how many events it heard. */
static void compare_observers(struct trial *t, int which)
{
    const struct heard *want = &t->heard[ONE_THREAD], *got = &t->heard[which];
    t->held[OBSERVERS] +=
        same(t, OBSERVERS, which, "events", t->slow.counters.instructions, got->events) &&
        same(t, OBSERVERS, which, "hash of events", want->hash, got->hash) &&
        (which == TIMING || same(t, OBSERVERS, which, "hash of words", want->wires, got->wires));
}

static void compare_rehearsal(struct trial *t, const struct cm_rehearsal *rehearsal)
{
    const struct cm_counters *want = &t->slow.counters, *got = &rehearsal->clock.counters;
    bool ok = true;
    for (int cause = 0; cause < CM_CAUSE_COUNT && ok; cause++)
        ok = same(t, REHEARSALS, ONE_THREAD, cm_cause_name((enum cm_cause)cause),
                  want->by_cause[cause], got->by_cause[cause]);
    t->held[REHEARSALS] +=
        ok && same(t, REHEARSALS, ONE_THREAD, "cycles", want->cycles, got->cycles) &&
        same(t, REHEARSALS, ONE_THREAD, "page faults", want->page_faults, got->page_faults);
}

/* False when the case ends here: after a fault memory is undefined, after a NaN it is the
 * host's. */
static bool run_all(struct trial *t)
{
    struct cm_actual actuals[CM_RANDOM_ARGUMENTS];
    const enum cm_entry entry = (enum cm_entry)cm_random_below(&t->random, 3);
    cm_random_actuals(&t->random, actuals);
    struct cm_rehearsal rehearsal;
    struct cm_error fault;
    cm_rehearsal_begin(&rehearsal, t->machines[ONE_THREAD]);
    const enum cm_status rehearsed = cm_rehearse(&rehearsal, t->imp, actuals, entry, &fault);
    const enum cm_status want = cm_slow_run(&t->slow, t->imp, actuals, entry);
    if (want == CM_OK && rehearsed == CM_OK)
        compare_rehearsal(t, &rehearsal);
    else if (want == CM_OK)
        fail(t, REHEARSALS, "status %d: %s", (int)rehearsed, fault.message);
    for (int which = 0; which < MACHINES && !t->bad; which++) {
        struct cm_error error;
        if (which == TIMING && (t->tables_move || t->slow.index_faulted))
            continue;
        const enum cm_status got =
            cm_machine_run(t->machines[which], t->imp, actuals, entry, &error);
        if (got != want)
            fail(t, FAULTS, "%s: expected status %d, found %d: %s", machine_names[which], (int)want,
                 (int)got, got == CM_OK ? "" : error.message);
        else
            t->held[FAULTS]++;
        if (t->bad || want != CM_OK)
            continue;
        compare_counters(t, which);
        if (!t->bad)
            compare_channels(t, which);
        if (!t->bad && t->observed)
            compare_observers(t, which);
        if (!t->bad && which != TIMING && !t->slow.nan_seen)
            compare_memory(t, which);
    }
    return !t->bad && want == CM_OK && !t->slow.nan_seen;
}

static bool fill_plane(struct trial *t, uint32_t address)
{
    uint32_t words[64];
    for (uint32_t n = 0; n < t->slow.node_count; n++) {
        words[n] = cm_random_word(&t->random, &t->config, address);
        t->slow.nodes[n].memory[address] = words[n];
    }
    for (int which = 0; which < MACHINES; which++)
        if (cm_machine_write_plane(t->machines[which], address, words, NULL) != CM_OK)
            return false;
    return true;
}

static bool fill_memory(struct trial *t)
{
    bool filled = true;
    for (uint32_t address = 0; filled && address < CM_AREA_END; address++)
        filled = fill_plane(t, address);
    return filled;
}

/* What the front end does between two runs: registers keep what they were loaded with. */
static bool change_memory(struct trial *t)
{
    bool changed = true;
    for (uint64_t left = cm_random_below(&t->random, 2) * 60; changed && left > 0; left--)
        changed = fill_plane(t, (uint32_t)cm_random_below(&t->random, CM_AREA_TABLES));
    return changed;
}

/* Options of a machine that executes code with the given instructions. */
static struct cm_machine_options random_code(struct trial *t, enum cm_executor executor)
{
    return (struct cm_machine_options){
        .threads = 1 + (uint32_t)cm_random_below(&t->random, 2),
        .deferred_max = (uint32_t)cm_random_chance(&t->random, 50) *
                        (1 + (uint32_t)cm_random_below(&t->random, 100)),
        .executor = executor,
        .code_trial = (enum cm_code_trial)cm_random_below(&t->random, 3),
    };
}

/* True if the host can execute a machine's instructions. */
static bool can_execute(int which)
{
    return which == AVX2     ? cm_executor_best() >= CM_EXECUTOR_AVX2
           : which == AVX512 ? cm_executor_best() >= CM_EXECUTOR_AVX512
                             : true;
}

static bool make_machines(struct trial *t, uint32_t nodes, struct cm_error *error)
{
    const struct cm_machine_options options[MACHINES] = {
        [ONE_THREAD] = {.threads = 1},
        [TWO_THREADS] = {.threads = 2},
        [ONE_BY_ONE] = {.threads = 1, .deferred_max = 1, .block_nodes = nodes},
        [SMALL_BLOCKS] = {.threads = 1 + (uint32_t)cm_random_below(&t->random, 2),
                          .deferred_max = 2 + (uint32_t)cm_random_below(&t->random, 140),
                          .block_nodes = UINT32_C(1) << cm_random_below(&t->random, 6)},
        [AVX2] = random_code(t, CM_EXECUTOR_AVX2),
        [AVX512] = random_code(t, CM_EXECUTOR_AVX512),
        [TIMING] = {.threads = 1, .timing_only = true},
    };
    if (!cm_slow_create(&t->slow, &t->config, nodes))
        return false;
    for (int which = 0; which < MACHINES; which++) {
        struct cm_machine_options option = options[which];
        option.nodes = nodes;
        if (!can_execute(which))
            option.executor = CM_EXECUTOR_LOOPS;
        if (cm_machine_create(&t->config, &option, &t->machines[which], error) != CM_OK)
            return false;
        t->heard[which] = (struct heard){.machine = t->machines[which]};
        t->observers[which] =
            (struct cm_observer){.context = &t->heard[which], .issued = hear, .run_ends = hear_end};
        if (t->observed)
            cm_machine_observe(t->machines[which], &t->observers[which]);
        if (cm_random_chance(&t->random, 50)) /* for every second run the first has all nodes */
            cm_pool_alternate(t->machines[which]->pool);
    }
    return true;
}

static bool make_imps(struct trial *t, struct cm_error *error)
{
    t->tables_move = cm_random_chance(&t->random, 25);
    for (uint32_t i = 0; i < IMPS; i++) {
        t->imps[i] = cm_random_imp(&t->random, &t->config, t->tables_move);
        if (t->imps[i] == NULL)
            return false;
        t->imp = t->imps[i];
        for (int which = 0; which < MACHINES; which++)
            if (cm_machine_load_imp(t->machines[which], t->imps[i], error) != CM_OK)
                return false;
    }
    return true;
}

static void run_case(struct trial *t, uint64_t number)
{
    struct cm_error error = {0};
    uint32_t nodes = 1;
    t->number = number;
    t->bad = false;
    t->imp = NULL;
    t->random = cm_random_of_case(t->seed, number);
    t->observed = number % 2 == 1;
    cm_random_config(&t->random, &t->config, &nodes);
    if (cm_config_check(&t->config, &error) != CM_OK || !make_machines(t, nodes, &error) ||
        !make_imps(t, &error) || !fill_memory(t)) {
        fail(t, FAULTS, "the machines or IMPs can't be made: %s", error.message);
    } else {
        bool on = true;
        for (uint32_t r = 0; r < RUNS && on; r++) {
            t->imp = t->imps[cm_random_below(&t->random, IMPS)];
            on = run_all(t) && change_memory(t);
        }
    }
    for (int which = 0; which < MACHINES; which++) {
        cm_machine_destroy(t->machines[which]);
        t->machines[which] = NULL;
    }
    for (uint32_t i = 0; i < IMPS; i++) {
        cm_imp_destroy(t->imps[i]);
        t->imps[i] = NULL;
    }
    cm_slow_finish(&t->slow);
}

static void report(const struct trial *t)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        (void)printf("%s %d - %s (%" PRIu64 " held, %" PRIu64 " not)\n",
                     t->failed[p] == 0 && t->held[p] > 0 ? "ok" : "not ok", p + 1,
                     property_names[p], t->held[p], t->failed[p]);
    int lines = PROPERTY_COUNT;
    for (int which = AVX2; which <= AVX512; which++)
        (void)printf("ok %d - %s is compared%s\n", ++lines, machine_names[which],
                     can_execute(which) ? "" : " # SKIP the host has no such instructions");
    (void)printf("1..%d\n", lines);
}

CM_PROGRAM(lockstep)
{
    struct tap_options options = {.cases = DEFAULT_CASES, .seed = DEFAULT_SEED};
    uint64_t only = UINT64_MAX;
    const struct test_option more[] = {{"case", .number = &only}, {.name = NULL}};
    tap_options_read(argc, argv, &options, more);
    struct trial *t = calloc(1, sizeof(*t));
    if (t == NULL)
        die("out of memory");
    const bool one = only != UINT64_MAX;
    const uint64_t first = one ? only : 0;
    t->seed = options.seed;
    (void)printf("# seed %" PRIu64 "; one case again: --seed %" PRIu64 " --case K\n", t->seed,
                 t->seed);
    for (uint64_t k = first; k < first + (one ? 1 : options.cases); k++)
        run_case(t, k);
    report(t);
    free(t);
    return 0;
}
