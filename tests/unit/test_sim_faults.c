/* Faults of simulated programs: found where they are, in every kind of instruction, told with
 * instruction and text; and interrupts. */
#include "channel_use.h"
#include "imps.h"
#include "suite.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#define WORDS 1000

static struct cm_config small_config(void)
{
    struct cm_config config = cm200_config();
    config.memory_words = WORDS;
    return config;
}

/* ---- addresses ---- */

static bool is_wide(enum cm_op op)
{
    return op == CM_OP_FLOAD64 || op == CM_OP_FSTORE64 || op == CM_OP_FLOADX64 ||
           op == CM_OP_FSTOREX64;
}

/* An operand that suits any place: r0 is a good address, f0, slot 1 of A and so on. */
static struct cm_operand usual_operand(enum cm_op op, enum cm_operand_kind kind)
{
    switch (kind) {
    case CM_OPERAND_SLOT:
        return cm_slot(CM_TRANSPOSER_A, 1);
    case CM_OPERAND_COUNT:
        return cm_value(is_wide(op) ? 2 : 1);
    case CM_OPERAND_STRIDE:
        return cm_value(1);
    default:
        return cm_value(0);
    }
}

/* Sets r0 to a good address and r1 to `address`; then `op` with its memory operand number `which`
 * at r1. */
static struct cm_imp *imp_with_address(enum cm_op op, uint32_t which, int64_t address)
{
    const struct cm_op_info *info = cm_op_info(op);
    struct cm_operand operands[CM_OPERANDS_MAX];
    struct cm_imp *imp = cm_imp_create("faulty");
    uint32_t seen = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        operands[i] = usual_operand(op, info->operands[i]);
        if (info->operands[i] == CM_OPERAND_MEM && seen++ == which)
            operands[i] = cm_mem(1, 0);
    }
    CM_EMIT(imp, CM_OP_ASET, cm_reg(0), cm_value(100));
    CM_EMIT(imp, CM_OP_ASET, cm_reg(1), cm_value(address));
    cm_imp_emit(imp, op, operands, info->operand_count);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    return imp;
}

static void check_address_fault(struct cm_machine *machine, enum cm_op op, uint32_t which,
                                int64_t address)
{
    struct cm_imp *imp = imp_with_address(op, which, address);
    char text[128], expected[400];
    struct cm_error err = {.status = CM_OK};
    cm_instruction_format(imp, 2, text, sizeof text);
    snprintf(expected, sizeof expected,
             "IMP \"faulty\" faulted at instruction 2 (%s): address %" PRId64
             " is outside node memory (0 to 999)",
             text, address);
    ck_assert_msg(run_once(machine, imp, NULL, &err) == CM_FAULT, "%s at %" PRId64 " did not fault",
                  text, address);
    ck_assert_int_eq(err.status, CM_FAULT);
    ck_assert_str_eq(err.message, expected);
    ck_assert_ptr_nonnull(strstr(text, cm_op_info(op)->mnemonic));
    cm_imp_destroy(imp);
}

START_TEST(an_address_outside_memory_faults_in_every_instruction)
{
    struct cm_config config = small_config();
    uint32_t tried = 0;
    for (int op = 0; op < CM_OP_COUNT; op++) {
        const struct cm_op_info *info = cm_op_info((enum cm_op)op);
        uint32_t memory_operands = 0;
        for (uint32_t i = 0; i < info->operand_count; i++)
            memory_operands += info->operands[i] == CM_OPERAND_MEM;
        for (uint32_t which = 0; which < memory_operands; which++) {
            struct cm_machine *machine = machine_of(&config, 4, 1);
            struct cm_imp *good =
                imp_with_address((enum cm_op)op, which, is_wide((enum cm_op)op) ? 998 : 999);
            struct cm_error err;
            ck_assert_msg(run_once(machine, good, NULL, &err) == CM_OK, "%s", err.message);
            cm_imp_destroy(good);
            check_address_fault(machine, (enum cm_op)op, which, WORDS);
            check_address_fault(machine, (enum cm_op)op, which, -1);
            check_address_fault(machine, (enum cm_op)op, which, CM_IMM_MAX);
            check_address_fault(machine, (enum cm_op)op, which, CM_IMM_MIN);
            if (is_wide((enum cm_op)op))
                check_address_fault(machine, (enum cm_op)op, which, 999);
            cm_machine_destroy(machine);
            tried++;
        }
    }
    /* load unload loadi 2 unloadi 2 move 2 fload fstore 2 each ctx 2 floadx fstorex 2 each */
    ck_assert_uint_eq(tried, 18);
}
END_TEST

static void check_fault(struct cm_machine *machine, const char *text, uint32_t line,
                        const char *message)
{
    struct cm_imp *imp = assembled(text);
    struct cm_error err = {.status = CM_OK};
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_FAULT);
    ck_assert_str_eq(err.message, message);
    ck_assert_str_eq(err.file, "test.imp");
    ck_assert_uint_eq(err.line, line + 1); /* behind the name */
    cm_imp_destroy(imp);
}

START_TEST(every_word_of_a_move_must_lie_in_memory)
{
    static const struct {
        const char *move;
        int64_t address; /* that is outside, or WORDS / 2 when none is */
    } cases[] = {
        {"move [r1-10], [r0], 10, 1, 1", WORDS / 2},
        {"move [r1-10], [r0], 11, 1, 1", WORDS},
        {"move [r0], [r1-10], 10, 1, 1", WORDS / 2},
        {"move [r0], [r1-10], 11, 1, 1", WORDS},
        {"move [r0], [r1-1], 4, 1, 5", 1014},
        {"move [r0+9], [r1-1], 10, -1, 1", 1008},
        {"move [r0+9], [r1-9], 9, -1, 1", WORDS / 2},
        {"move [r0+2], [r0], 4, -1, 0", -1},
        {"move [r0], [r0+2], 4, 0, -1", -1},
        {"move [r0], [r0+3], 4, 0, -1", WORDS / 2},
        {"move [r0], [r0+3], 2147483647, 2147483647, 0", INT64_C(4611686011984936962)},
        {"move [r0], [r0+3], 2147483647, 0, -2147483648", INT64_C(-4611686014132420605)},
    };
    struct cm_config config = small_config();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_machine *machine = machine_of(&config, 4, 1);
        char text[200], message[400];
        snprintf(text, sizeof text, "aset r0, 0\naset r1, 1000\n%s\nhalt\n", cases[i].move);
        snprintf(message, sizeof message,
                 "IMP \"test\" faulted at instruction 2 (%s): address %" PRId64
                 " is outside node memory (0 to 999)",
                 cases[i].move, cases[i].address);
        if (cases[i].address == WORDS / 2)
            must_run(machine, text);
        else
            check_fault(machine, text, 3, message);
        cm_machine_destroy(machine);
    }
}
END_TEST

/* Address registers wrap like any counter; what matters is where the access goes. */
START_TEST(an_argument_beyond_every_address_faults)
{
    static const struct {
        uint64_t argument;
        const char *body;
        bool good;
    } cases[] = {{INT64_MAX, "load A.1, [r0+1]", false},
                 {INT64_MAX, "aadd r0, 1\nload A.1, [r0]", false},
                 {INT64_MAX, "acopy r1, r0, 7\nload A.1, [r1]", false},
                 {(uint64_t)INT64_MIN, "move [r0-1], [r0], 2, 1, 1", false},
                 {UINT64_MAX, "load A.1, [r0]", false},
                 {UINT64_MAX, "load A.1, [r0+1]", true},
                 {WORDS, "load A.1, [r0]", false}};
    struct cm_config config = small_config();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_machine *machine = machine_of(&config, 4, 1);
        char text[200];
        snprintf(text, sizeof text, ".address a\naarg r0, a\n%s\nhalt\n", cases[i].body);
        struct cm_imp *imp = assembled(text);
        struct cm_actual actual = {.address = cases[i].argument};
        struct cm_error err;
        ck_assert_int_eq(run_once(machine, imp, &actual, &err), cases[i].good ? CM_OK : CM_FAULT);
        cm_imp_destroy(imp);
        cm_machine_destroy(machine);
    }
}
END_TEST

/* ---- indices of nodes ---- */

/* Node 2 of 4 has another index. */
static struct cm_machine *machine_with_index(uint32_t others, uint32_t index, uint32_t threads)
{
    struct cm_config config = small_config();
    struct cm_machine *machine = machine_of(&config, 4, threads);
    uint32_t indices[4] = {others, others, index, index + 1};
    ck_assert_int_eq(cm_machine_write_plane(machine, 0, indices, NULL), CM_OK);
    return machine;
}

START_TEST(an_index_outside_the_array_faults)
{
    static const struct {
        const char *access;
        uint32_t index;
        const char *fault; /* of the first node with a wrong index, or NULL */
    } cases[] = {
        {"floadx32 f1, [r0+990], f0, 9", 9, "node 2 has index 9, address 999; indices are 0 to 8"},
        {"floadx32 f0, [r0+990], f0, 9", 8, "node 3 has index 9, address 999; indices are 0 to 8"},
        {"floadx32 f1, [r0+990], f0, 10", 8, NULL},
        {"fstorex32 [r0+990], f1, f0, 5", 0xffffffff,
         "node 2 has index -1, address 989; indices are 0 to 4"},
        {"floadx64 f1, [r0+990], f0, 9", 8, "node 2 has index 8, address 998; indices are 0 to 7"},
        {"fstorex64 [r0+990], f1, f0, 9", 7, "node 3 has index 8, address 998; indices are 0 to 7"},
        {"fstorex64 [r0+990], f0, f0, 10", 7, NULL},
        {"fstorex32 [r0+990], f1, f0, 1", 0x80000000,
         "node 2 has index -2147483648, address -2147482658; indices are 0 to 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cm_machine *machine = machine_with_index(0, cases[i].index, (uint32_t)_i);
        char text[200], message[300];
        snprintf(text, sizeof text, "aset r0, 0\nfload32 f0, [r0]\n%s\nhalt\n", cases[i].access);
        snprintf(message, sizeof message, "IMP \"test\" faulted at instruction 2 (%s): %s",
                 cases[i].access, cases[i].fault ? cases[i].fault : "");
        if (cases[i].fault)
            check_fault(machine, text, 3, message);
        else
            must_run(machine, text);
        cm_machine_destroy(machine);
    }
}
END_TEST

START_TEST(an_index_of_a_node_with_a_clear_context_is_no_fault)
{
    struct cm_machine *machine = machine_with_index(1, 77, (uint32_t)_i);
    uint32_t flags[4] = {1, 1, 0, 0};
    ck_assert_int_eq(cm_machine_write_plane(machine, 1, flags, NULL), CM_OK);
    write_ramp(machine, 11, 500, 1);
    must_run(machine, "aset r0, 0\nfload32 f0, [r0]\nfconst f1, 9\nctxload [r0+1], 0\n"
                      "floadx32 f1, [r0+10], f0, 2\nfstorex32 [r0+20], f1, f0, 2\n"
                      "ctxall\nfstore32 [r0+2], f1\nhalt\n");
    for (uint32_t node = 0; node < 4; node++) {
        ck_assert_uint_eq(word_at(machine, 2, node), node < 2 ? 500 + node : 0);
        ck_assert_uint_eq(word_at(machine, 21, node), node < 2 ? 500 + node : 0);
    }
    cm_machine_destroy(machine);
}
END_TEST

/* ---- slots and channels ---- */

START_TEST(a_table_that_names_no_slot_faults)
{
    struct cm_config config = small_config();
    struct cm_machine *machine = machine_of(&config, 4, 1);
    uint32_t table[4] = {1, 1, 0x2001, 1};
    ck_assert_int_eq(cm_machine_write_plane(machine, 0, table, NULL), CM_OK);
    check_fault(machine, "aset r0, 0\n\nloadi C, [r0+1], [r0], 1, 0\nhalt\n", 3,
                "IMP \"test\" faulted at instruction 1 (loadi C, [r0+1], [r0], 1, 0): the "
                "communication table of node 2 names slot 32; a transposer has slots 0 to 31");
    check_fault(machine, "aset r0, 0\nunloadi [r0+1], B, [r0], 1, 1\nhalt\n", 2,
                "IMP \"test\" faulted at instruction 1 (unloadi [r0+1], B, [r0], 1, 1): the "
                "communication table of node 2 names slot 48; a transposer has slots 0 to 31");
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(two_words_on_one_channel_in_one_exchange_fault)
{
    struct cm_config config = small_config();
    struct cm_machine *machine = machine_of(&config, 4, 1);
    uint32_t table[4] = {1, 2, 1, 1};
    ck_assert_int_eq(cm_machine_write_plane(machine, 0, table, NULL), CM_OK);
    check_fault(machine,
                "aset r0, 0\nload A.2, [r0]\nloadi A, [r0+1], [r0], 0, 0\nexchange\nhalt\n", 3,
                "IMP \"test\" faulted at instruction 2 (loadi A, [r0+1], [r0], 0, 0): node 1 loads "
                "slot 2 of transposer A twice before an exchange: two words for one channel");
    check_fault(machine, "const A.5, 1\nconst A.5, 1\nhalt\n", 2,
                "IMP \"test\" faulted at instruction 1 (const A.5, 0x00000001): node 0 loads "
                "slot 5 of transposer A twice before an exchange: two words for one channel");
    must_run(machine, "const C.5, 1\nconst C.5, 2\nhalt\n");
    cm_machine_destroy(machine);
}
END_TEST

/* ---- what a fault leaves ---- */

START_TEST(a_fault_keeps_what_was_charged_before_it)
{
    struct cm_config config = small_config();
    struct cm_machine *machine = machine_of(&config, 4, 1);
    struct cm_imp *imp = assembled("aset r0, 999\nload A.1, [r0]\nload A.2, [r0+1]\nhalt\n");
    struct cm_error err;
    uint64_t sum = 0;
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_FAULT);
    struct cm_counters counters = cm_machine_counters(machine);
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        sum += counters.by_cause[cause];
    ck_assert_uint_eq(counters.instructions, 2);
    ck_assert_uint_eq(counters.loads, 1);
    ck_assert_uint_eq(counters.by_cause[CM_CAUSE_START], config.front_end_imp_start_cycles);
    ck_assert_uint_eq(sum, counters.cycles);
    ck_assert_int_eq(cm_machine_run(machine, imp, NULL, CM_ENTRY_IMP, NULL), CM_INTERNAL);
    cm_imp_destroy(imp);
    cm_machine_destroy(machine);
}
END_TEST

START_TEST(a_fault_leaves_no_words_pending_for_the_next_run)
{
    struct cm_config config = small_config();
    struct cm_machine *machine = machine_of(&config, 64, (uint32_t)_i);
    struct cm_imp *faulty = assembled("aset r0, 0\nload A.1, [r0]\nexchange\n"
                                      "load A.1, [r0]\nload A.3, [r0]\nload A.1, [r0]\nhalt\n");
    struct cm_error err;
    write_ramp(machine, 10, 40, 1);
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(run_once(machine, faulty, NULL, &err), CM_FAULT);
        must_run(machine, "aset r0, 10\nload A.1, [r0]\nexchange\nunload [r0+1], B.1\nhalt\n");
        for (uint32_t node = 0; node < 64; node++)
            ck_assert_uint_eq(word_at(machine, 11, node), 40 + (node ^ 1));
        ck_assert_uint_eq(cm_machine_counters(machine).words_sent,
                          64u * 2u * (uint32_t)(round + 1));
        ck_assert_uint_eq(channel_use(machine).total_words, 64u * 2u * (uint32_t)(round + 1));
    }
    cm_imp_destroy(faulty);
    cm_machine_destroy(machine);
}
END_TEST

/* ---- interrupts ---- */

START_TEST(an_interrupted_machine_stops_before_its_next_instruction)
{
    struct cm_config config = small_config();
    struct cm_machine *machine = machine_of(&config, 64, (uint32_t)_i);
    struct cm_imp *imp = assembled("aset r0, 0\nload A.1, [r0]\nexchange\nhalt\n");
    struct cm_error err;
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_OK);
    cm_machine_interrupt(machine);
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_INTERRUPTED);
    ck_assert_str_eq(err.message, "interrupted");
    ck_assert_uint_eq(cm_machine_counters(machine).instructions, 4);
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_INTERRUPTED); /* and it stays so */
    ck_assert(cm_machine_interrupted(machine));
    cm_machine_resume(machine);
    ck_assert(!cm_machine_interrupted(machine));
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_OK);
    ck_assert_uint_eq(cm_machine_counters(machine).instructions, 8);
    cm_imp_destroy(imp);
    cm_machine_destroy(machine);
}
END_TEST

#define MOVED 200000u /* words that the last instruction moves */
#define SEEN  997u    /* one in so many words is looked at */
#define TRIES 40

static struct cm_machine *volatile timed; /* that the timer interrupts */

static void interrupt_timed(int number)
{
    (void)number;
    cm_machine_interrupt(timed);
}

static void set_timer(long microseconds)
{
    const struct itimerval timer = {.it_value = {.tv_usec = microseconds}};
    ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static long microseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Requires the words of the moved planes to be those of their sources. */
static void require_moved(const struct cm_machine *machine, uint32_t value)
{
    uint32_t words[64];
    struct cm_error err;
    for (uint64_t address = MOVED; address < 2 * MOVED; address += SEEN) {
        ck_assert_int_eq(cm_machine_read_plane(machine, address, words, &err), CM_OK);
        for (uint32_t node = 0; node < 8; node++)
            ck_assert_uint_eq(words[node], value);
    }
}

/* A run that ends well while it is interrupted has moved every word, though the moves were deferred
 * until its halt. */
START_TEST(an_interrupted_move_at_the_halt_is_no_good_end)
{
    const struct cm_config config = cm200_config();
    const struct cm_machine_options options = {.nodes = 8,
                                               .threads = (uint32_t)_i,
                                               .executor = CM_EXECUTOR_CODE,
                                               .code_trial = CM_CODE_STREAMS};
    struct cm_machine *machine = NULL;
    struct cm_imp *imp = assembled("aset r0, 0\naset r1, 200000\n"
                                   "move [r1], [r0], 200000, 1, 1\nhalt\n");
    struct cm_error err;
    uint32_t words[8];
    signal(SIGALRM, interrupt_timed);
    ck_assert_int_eq(cm_machine_create(&config, &options, &machine, &err), CM_OK);
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_OK);
    long begun = microseconds_now();
    ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_OK);
    long length = microseconds_now() - begun;
    timed = machine;
    for (uint32_t i = 1; i <= TRIES; i++) {
        for (uint32_t node = 0; node < 8; node++)
            words[node] = i;
        for (uint64_t address = 0; address < MOVED; address += SEEN)
            require(cm_machine_write_plane(machine, address, words, &err) == CM_OK);
        set_timer(1 + length * i / TRIES);
        enum cm_status status = run_once(machine, imp, NULL, &err);
        set_timer(0);
        ck_assert(status == CM_OK || status == CM_INTERRUPTED);
        if (status == CM_OK)
            require_moved(machine, i);
        cm_machine_resume(machine);
    }
    cm_imp_destroy(imp);
    cm_machine_destroy(machine);
}
END_TEST

/* The loops that a fault breaks off would fill the stack after some runs. */
START_TEST(a_fault_within_loops_leaves_none_for_the_next_run)
{
    struct cm_config config = small_config();
    struct cm_machine *machine = machine_of(&config, 4, 1);
    struct cm_imp *imp = assembled("aset r0, 1000\na: loop 2\nb: loop 3\nfload32 f0, [r0]\nnext b\n"
                                   "next a\nhalt\n");
    struct cm_error err;
    ck_assert_int_eq(cm_machine_load_imp(machine, imp, &err), CM_OK);
    for (int i = 0; i < 100000; i++)
        require(cm_machine_run(machine, imp, NULL, CM_ENTRY_IMP, &err) == CM_FAULT);
    uint64_t before = cm_machine_counters(machine).instructions;
    must_run(machine,
             "aset r0, 10\na: loop 2\nb: loop 3\nfload32 f0, [r0]\nnext b\nnext a\nhalt\n");
    /* aset, loop; twice loop, next; six times fload, next; halt */
    ck_assert_uint_eq(cm_machine_counters(machine).instructions - before, 2 + 4 + 12 + 1);
    cm_imp_destroy(imp);
    cm_machine_destroy(machine);
}
END_TEST

CM_PROGRAM(test_sim_faults)
{
    Suite *suite = suite_create("faults");
    TCase *tests = tcase_create("faults");
    tcase_add_test(tests, an_address_outside_memory_faults_in_every_instruction);
    tcase_add_test(tests, every_word_of_a_move_must_lie_in_memory);
    tcase_add_test(tests, an_argument_beyond_every_address_faults);
    tcase_add_loop_test(tests, an_index_outside_the_array_faults, 1, 3);
    tcase_add_loop_test(tests, an_index_of_a_node_with_a_clear_context_is_no_fault, 1, 3);
    tcase_add_test(tests, a_table_that_names_no_slot_faults);
    tcase_add_test(tests, two_words_on_one_channel_in_one_exchange_fault);
    tcase_add_test(tests, a_fault_keeps_what_was_charged_before_it);
    tcase_add_loop_test(tests, a_fault_leaves_no_words_pending_for_the_next_run, 1, 3);
    tcase_add_test(tests, a_fault_within_loops_leaves_none_for_the_next_run);
    tcase_add_loop_test(tests, an_interrupted_machine_stops_before_its_next_instruction, 1, 3);
    tcase_add_loop_test(tests, an_interrupted_move_at_the_halt_is_no_good_end, 1, 3);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
