/*
 * The debugger's core on random IMPs and random machines: walked through by steps of all kinds, a
 * program leaves the slow machine's memory and takes its cycles; gone back to, a point has the
 * state that it had. Prints TAP, one line a property.
 *
 *     lockstep debug [--cases N] [--seed S]
 */
#include "../../debug/debug.h"
#include "../../sim/machine/inspect.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random_imp.h"
#include "slow_machine.h"

#include <unistd.h>

#define SAMPLES 6u

enum property { MEMORY, REGISTERS, CYCLES, STEPS, STATES, PROPERTY_COUNT };

static const char *const property_names[PROPERTY_COUNT] = {
    [MEMORY] = "memory is that of the slow machine",
    [REGISTERS] = "registers, transposers and context are those of the slow machine",
    [CYCLES] = "cycles and causes are those of the slow machine",
    [STEPS] = "every instruction is a point",
    [STATES] = "a point that the run returns to has the state that it had",
};

struct trial {
    uint64_t held[PROPERTY_COUNT], failed[PROPERTY_COUNT];
    uint64_t seed, number;
    struct cm_random random;
    struct cm_config config;
    struct cm_slow_machine slow;
    struct cm_workload *workload;
    struct cm_error error;
    /* the walk */
    bool random_walk;      /* with paces of all kinds; else point by point */
    uint64_t instructions; /* points that are instructions */
    uint64_t points[SAMPLES], states[SAMPLES];
    uint32_t samples, returned;
};

static void check(struct trial *t, enum property property, bool good)
{
    if (good) {
        t->held[property]++;
        return;
    }
    if (t->failed[property]++ < 3)
        (void)fprintf(stderr, "not held: %s, case %" PRIu64 " of seed %" PRIu64 "\n",
                      property_names[property], t->number, t->seed);
}

/* ---- the state of a machine ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3) ^ hash >> 29;
}

static uint64_t hash_node(struct cm_machine *machine, uint32_t node, uint64_t hash)
{
    uint32_t slots = (uint32_t)cm_machine_config(machine)->transposer_slots;
    hash = mix(hash, cm_machine_context_flag(machine, node));
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++)
        hash = mix(hash, cm_machine_fpu_register(machine, node, reg));
    for (int which = 0; which < CM_TRANSPOSER_COUNT; which++)
        for (uint32_t slot = 0; slot < slots; slot++)
            hash = mix(hash,
                       cm_machine_transposer_word(machine, node, (enum cm_transposer)which, slot));
    return hash;
}

/* Registers, transposers, context, memory, counters. */
static uint64_t hash_state(struct cm_machine *machine)
{
    struct cm_counters counters = cm_machine_counters(machine);
    uint32_t words[64], nodes = cm_machine_nodes(machine);
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), counters.cycles);
    hash = mix(mix(hash, counters.instructions), cm_machine_exchange_left(machine));
    for (uint32_t i = 0; i < cm_machine_loop_count(machine); i++) {
        struct cm_inspected_loop loop = cm_machine_loop(machine, i);
        hash = mix(mix(hash, loop.start), (uint64_t)loop.left);
    }
    for (uint32_t reg = 0; reg < CM_ADDRESS_REGISTERS; reg++)
        hash = mix(hash, (uint64_t)cm_machine_address_register(machine, reg));
    for (uint32_t node = 0; node < nodes; node++)
        hash = hash_node(machine, node, hash);
    for (uint64_t address = 0; address < CM_AREA_END; address++) {
        if (cm_machine_read_plane(machine, address, words, NULL) != CM_OK)
            abort();
        for (uint32_t node = 0; node < nodes; node++)
            hash = mix(hash, words[node]);
    }
    return hash;
}

/* ---- a case ---- */

/* Memory is filled from a seed of its own, the same way whenever the run is made. */
static enum cm_status fill(struct trial *t, struct cm_machine *machine, bool slow)
{
    struct cm_random random = cm_random_of_case(t->seed ^ 1, t->number);
    uint32_t words[64];
    enum cm_status status = CM_OK;
    for (uint32_t address = 0; address < CM_AREA_END && status == CM_OK; address++) {
        for (uint32_t n = 0; n < t->slow.node_count; n++) {
            words[n] = cm_random_word(&random, &t->config, address);
            if (slow)
                t->slow.nodes[n].memory[address] = words[n];
        }
        if (!slow)
            status = cm_machine_write_plane(machine, address, words, NULL);
    }
    return status;
}

static enum cm_status make(void *context, struct cm_run **run, struct cm_error *err)
{
    struct trial *t = context;
    const struct cm_run_options options = {.config = &t->config,
                                           .nodes = t->slow.node_count,
                                           .threads = 1,
                                           .trusted = true,
                                           .no_check = true};
    enum cm_status status = cm_run_create(t->workload, &options, run, err);
    return status == CM_OK ? fill(t, cm_system_machine(cm_run_system(*run)), false) : status;
}

/* What sim/machine/inspect.h shows of a node. */
static bool is_same_node(const struct trial *t, struct cm_machine *machine, uint32_t node)
{
    const struct cm_slow_node *slow = &t->slow.nodes[node];
    bool same = cm_machine_context_flag(machine, node) == slow->context;
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++)
        same = same && cm_machine_fpu_register(machine, node, reg) == slow->fpu[reg];
    for (int which = 0; which < CM_TRANSPOSER_COUNT; which++)
        for (uint32_t slot = 0; slot < t->config.transposer_slots; slot++)
            same = same && cm_machine_transposer_word(machine, node, (enum cm_transposer)which,
                                                      slot) == slow->slots[which][slot];
    return same;
}

static void compare_registers(struct trial *t, struct cm_machine *machine)
{
    bool same = true;
    for (uint32_t reg = 0; reg < CM_ADDRESS_REGISTERS; reg++)
        same = same && cm_machine_address_register(machine, reg) == t->slow.address[reg];
    for (uint32_t node = 0; node < t->slow.node_count; node++)
        same = same && is_same_node(t, machine, node);
    check(t, REGISTERS, same);
}

static void compare_end(struct trial *t, struct cm_debug *debug)
{
    const struct cm_error *error;
    struct cm_machine *machine = cm_debug_machine(debug);
    struct cm_counters counters = cm_machine_counters(machine);
    uint32_t words[64];
    bool same = cm_debug_result(debug, &error) == CM_OK;
    for (uint64_t address = 0; address < CM_AREA_END; address++) {
        same = same && cm_machine_read_plane(machine, address, words, NULL) == CM_OK;
        for (uint32_t n = 0; n < t->slow.node_count; n++)
            same = same && words[n] == t->slow.nodes[n].memory[address];
    }
    check(t, MEMORY, same);
    compare_registers(t, machine);
    check(t, CYCLES,
          counters.cycles == t->slow.counters.cycles &&
              memcmp(counters.by_cause, t->slow.counters.by_cause, sizeof counters.by_cause) == 0);
    if (!t->random_walk)
        check(t, STEPS, t->instructions == t->slow.counters.instructions);
}

/* At the end: back to each of the points that were sampled. */
static void go_back(struct trial *t, struct cm_debug *debug)
{
    if (t->returned == t->samples)
        cm_debug_leave(debug);
    else
        cm_debug_back_to(debug, t->points[t->returned]);
}

static void stopped(void *context, struct cm_debug *debug)
{
    static const enum cm_debug_pace paces[] = {CM_DEBUG_EACH, CM_DEBUG_OVER, CM_DEBUG_ITERATE,
                                               CM_DEBUG_NEW_LINE};
    struct trial *t = context;
    const struct cm_debug_at *at = cm_debug_at(debug);
    if (cm_debug_stop(debug)->reason == CM_DEBUG_RETURNED) {
        check(t, STATES,
              at->point == t->points[t->returned] &&
                  hash_state(cm_debug_machine(debug)) == t->states[t->returned]);
        t->returned++;
        go_back(t, debug);
        return;
    }
    if (at->place == CM_DEBUG_END) {
        compare_end(t, debug);
        go_back(t, debug);
        return;
    }
    t->instructions += at->place == CM_DEBUG_INSTRUCTION;
    if (t->samples < SAMPLES && cm_random_chance(&t->random, 3)) {
        t->points[t->samples] = at->point;
        t->states[t->samples++] = hash_state(cm_debug_machine(debug));
    }
    if (t->random_walk)
        cm_debug_resume(debug, paces[cm_random_below(&t->random, 4)],
                        cm_random_below(&t->random, 4));
    else
        cm_debug_resume(debug, CM_DEBUG_EACH, 1);
}

static void walk(struct trial *t, bool random_walk)
{
    struct cm_error error = {0};
    const struct cm_debug_program program = {t, make, stopped};
    struct cm_debug *debug = cm_debug_create(&program);
    t->random_walk = random_walk;
    t->instructions = t->samples = t->returned = 0;
    if (debug == NULL || cm_debug_execute(debug, &error) != CM_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
        check(t, MEMORY, false);
    }
    cm_debug_destroy(debug);
}

static bool write_imp(const struct cm_imp *imp, const char *path)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_imp_disassemble(imp, &text);
    FILE *file = fopen(path, "w");
    bool good = file != NULL && cm_buffer_ok(&text) &&
                fwrite(text.data, 1, text.length, file) == text.length;
    good = file != NULL && fclose(file) == 0 && good;
    cm_buffer_finish(&text);
    return good;
}

/* Arrays lie one after the other from word 0, so that the arguments have the random IMP's
 * addresses. */
static bool read_workload(struct trial *t, const struct cm_imp *imp, const char *path)
{
    struct cm_buffer text;
    uint32_t nodes = t->slow.node_count;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "{\"format\": \"cm200-workload/1\", \"arrays\": {");
    cm_buffer_printf(&text, "\"any\": {\"shape\": [%" PRIu32 "], \"type\": \"int32\"},",
                     CM_AREA_SINGLES * nodes);
    cm_buffer_printf(&text, "\"singles\": {\"shape\": [%" PRIu32 "], \"type\": \"int32\"},",
                     (CM_AREA_DOUBLES - CM_AREA_SINGLES) * nodes);
    cm_buffer_printf(&text, "\"doubles\": {\"shape\": [%" PRIu32 "], \"type\": \"int32\"}},",
                     (CM_AREA_TABLES - CM_AREA_DOUBLES) * nodes);
    cm_buffer_printf(&text, "\"steps\": [{\"imp\": {\"file\": \"%s\", \"arguments\": {", path);
    cm_buffer_printf(&text, "\"%s\": \"singles\", \"%s\": \"doubles\",",
                     imp->arguments[CM_RANDOM_SINGLES].name,
                     imp->arguments[CM_RANDOM_DOUBLES].name);
    cm_buffer_printf(&text, "\"%s\": {\"real32\": 1.5}, \"%s\": {\"real64\": -2.25}}}}]}",
                     imp->arguments[CM_RANDOM_SCALAR32].name,
                     imp->arguments[CM_RANDOM_SCALAR64].name);
    bool good = cm_buffer_ok(&text) &&
                cm_workload_parse("", text.data, text.length, &t->workload, &t->error) == CM_OK;
    cm_buffer_finish(&text);
    return good;
}

static void run_case(struct trial *t, uint64_t number, const char *path)
{
    const struct cm_actual actuals[CM_RANDOM_ARGUMENTS] = {
        [CM_RANDOM_SINGLES] = {.address = CM_AREA_SINGLES},
        [CM_RANDOM_DOUBLES] = {.address = CM_AREA_DOUBLES},
        [CM_RANDOM_SCALAR32] = {.scalar = 0x3fc00000},
        [CM_RANDOM_SCALAR64] = {.scalar = UINT64_C(0xc002000000000000)},
    };
    uint32_t nodes = 1;
    t->number = number;
    t->workload = NULL;
    t->random = cm_random_of_case(t->seed, number);
    cm_random_config(&t->random, &t->config, &nodes);
    struct cm_imp *imp = cm_random_imp(&t->random, &t->config, cm_random_chance(&t->random, 25));
    if (imp == NULL || !cm_slow_create(&t->slow, &t->config, nodes) ||
        fill(t, NULL, true) != CM_OK || !write_imp(imp, path) || !read_workload(t, imp, path)) {
        (void)fprintf(stderr, "case %" PRIu64 " can't be made: %s\n", number, t->error.message);
        check(t, MEMORY, false);
    } else if (cm_slow_run(&t->slow, imp, actuals, CM_ENTRY_IMP) == CM_OK && !t->slow.nan_seen) {
        /* After a fault memory is undefined; the bits of a NaN are the host's. */
        walk(t, false);
        walk(t, true);
    }
    cm_workload_destroy(t->workload);
    cm_imp_destroy(imp);
    cm_slow_finish(&t->slow);
}

CM_PROGRAM(debug)
{
    struct tap_options options = {.cases = 300, .seed = 17};
    struct trial *t = calloc(1, sizeof *t);
    char path[] = "/tmp/cm200-test-debug-XXXXXX";
    int file = mkstemp(path);
    if (t == NULL || file < 0)
        return 1;
    (void)close(file);
    tap_options_read(argc, argv, &options, NULL);
    t->seed = options.seed;
    printf("# seed %" PRIu64 "\n", options.seed);
    for (uint64_t k = 0; k < options.cases; k++)
        run_case(t, k, path);
    (void)remove(path);
    for (uint32_t p = 0; p < PROPERTY_COUNT; p++) {
        printf("# %" PRIu64 " held, %" PRIu64 " not\n", t->held[p], t->failed[p]);
        tap_report(p + 1, t->failed[p] == 0 && t->held[p] > 0, property_names[p]);
    }
    printf("1..%d\n", PROPERTY_COUNT);
    free(t);
    return 0;
}
