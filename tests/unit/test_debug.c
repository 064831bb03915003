/* The debugger's core: each kind of breakpoint, ways to go on, and going back. */
#include "../../debug/debug.h"
#include "../../fortran/run/step.h"
#include "../../sim/machine/inspect.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HAND  "programs/examples/hand-written.json"
#define ROUTE "programs/examples/route-bit-reversal.json"
#define STOPS 64u
#define ANY   CM_DEBUG_ANY
#define A     176u /* where hand-written.json has its arrays: 4 words each in a node */
#define MEAN  180u
#define NODES 8u

/* A run, what it does at each stop, and the stops. */
struct session {
    const char *path, *text; /* a workload's file, or its text */
    uint32_t nodes;
    struct cm_workload *workload;
    void (*at_stop)(struct session *session, struct cm_debug *debug, uint32_t stop);
    struct cm_break set; /* at the first stop, if its kind is wanted */
    bool sets;
    struct cm_debug_stop stops[STOPS];
    struct cm_debug_at at[STOPS];
    uint64_t cycles[STOPS];
    char where[STOPS][32]; /* texts end with the run */
    uint32_t count;
};

static enum cm_status make(void *context, struct cm_run **run, struct cm_error *err)
{
    const struct session *session = context;
    const struct cm_run_options options = {
        .nodes = session->nodes, .threads = 1, .trusted = true, .no_check = true};
    return cm_run_create(session->workload, &options, run, err);
}

static void stopped(void *context, struct cm_debug *debug)
{
    struct session *session = context;
    uint32_t stop = session->count;
    ck_assert_uint_lt(stop, STOPS);
    session->stops[stop] = *cm_debug_stop(debug);
    session->at[stop] = *cm_debug_at(debug);
    session->cycles[stop] = cm_machine_counters(cm_debug_machine(debug)).cycles;
    if (session->at[stop].where != NULL)
        snprintf(session->where[stop], sizeof session->where[stop], "%s", session->at[stop].where);
    session->count++;
    if (stop == 0 && session->sets)
        ck_assert_uint_eq(cm_debug_add_break(debug, &session->set), 1);
    if (session->at_stop != NULL)
        session->at_stop(session, debug, stop);
    else if (cm_debug_at(debug)->place == CM_DEBUG_END)
        cm_debug_leave(debug);
}

static void play(struct session *session)
{
    struct cm_error err = {0};
    const struct cm_debug_program program = {session, make, stopped};
    enum cm_status status =
        session->text != NULL
            ? cm_workload_parse("", session->text, strlen(session->text), &session->workload, &err)
            : cm_workload_read(session->path, &session->workload, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    struct cm_debug *debug = cm_debug_create(&program);
    ck_assert_ptr_nonnull(debug);
    status = cm_debug_execute(debug, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    cm_debug_destroy(debug);
    cm_workload_destroy(session->workload);
}

/* ---- every kind of breakpoint ---- */

/* A breakpoint in hand-written.json, and the instructions that are next where it stops; the file
 * has line numbers, the IMP 29 instructions, 4 to 27 of them in a loop of 2. */
static const struct {
    const char *what;
    struct cm_break set;
    uint32_t count;
    uint32_t pcs[8];
} breaks[] = {
    {"an operation", {.kind = CM_BREAK_OP, .op = CM_OP_EXCHANGE}, 2, {6, 6}},
    {"its second hit", {.kind = CM_BREAK_OP, .op = CM_OP_EXCHANGE, .count = 2}, 1, {6}},
    {"one that is not there", {.kind = CM_BREAK_OP, .op = CM_OP_FDIV32}, 0, {0}},
    {"an instruction",
     {.kind = CM_BREAK_INSTRUCTION, .name = "swap-and-mean", .value = 8},
     2,
     {8, 8}},
    {"of another IMP", {.kind = CM_BREAK_INSTRUCTION, .name = "swap", .value = 8}, 0, {0}},
    {"a line", {.kind = CM_BREAK_LINE, .name = "hand-written.imp", .value = 23}, 2, {6, 6}},
    {"a line by its path",
     {.kind = CM_BREAK_LINE, .name = "examples/hand-written.imp", .value = 16},
     1,
     {0}},
    {"a line of part of a name",
     {.kind = CM_BREAK_LINE, .name = "written.imp", .value = 23},
     0,
     {0}},
    {"a cycle", {.kind = CM_BREAK_CYCLE, .value = 154}, 1, {7}},
    {"instructions issued", {.kind = CM_BREAK_INSTRUCTIONS, .value = 5}, 1, {5}},
    {"a cause", {.kind = CM_BREAK_CAUSE, .cause = CM_CAUSE_EXCHANGE}, 2, {7, 7}},
    {"a cause of no instruction", {.kind = CM_BREAK_CAUSE, .cause = CM_CAUSE_START}, 1, {0}},
    {"a cause that takes nothing", {.kind = CM_BREAK_CAUSE, .cause = CM_CAUSE_ROUTER}, 0, {0}},
    {"a channel", {.kind = CM_BREAK_CHANNEL, .node = 5, .dimension = 0, .channel = 1}, 2, {7, 7}},
    {"either channel of any node",
     {.kind = CM_BREAK_CHANNEL, .node = ANY, .dimension = 0, .channel = ANY},
     2,
     {7, 7}},
    {"a channel without words",
     {.kind = CM_BREAK_CHANNEL, .node = 5, .dimension = 1, .channel = ANY},
     0,
     {0}},
    /* a(2): loaded into A.17 by instruction 5, into an FPU register by 14 */
    {"a read", {.kind = CM_BREAK_READ, .node = 3, .value = A + 1}, 2, {6, 15}},
    {"a write to what is read", {.kind = CM_BREAK_WRITE, .node = 3, .value = A + 1}, 0, {0}},
    /* mean(1): unloaded by 7, read by 10, stored by 13 */
    {"a write", {.kind = CM_BREAK_WRITE, .node = ANY, .value = MEAN}, 2, {8, 14}},
    {"an access", {.kind = CM_BREAK_ACCESS, .node = 0, .value = MEAN}, 3, {8, 11, 14}},
};

START_TEST(a_breakpoint_stops_where_it_says)
{
    struct session session = {.path = HAND, .sets = true, .set = breaks[_i].set};
    play(&session);
    ck_assert_int_eq(session.stops[0].reason, CM_DEBUG_BEGUN);
    ck_assert_msg(session.count == breaks[_i].count + 2, "%s: %u stops", breaks[_i].what,
                  session.count - 2);
    for (uint32_t i = 0; i < breaks[_i].count; i++) {
        ck_assert_int_eq(session.stops[i + 1].reason, CM_DEBUG_BROKEN);
        ck_assert_uint_eq(session.stops[i + 1].hit.number, 1);
        ck_assert_msg(session.at[i + 1].pc == breaks[_i].pcs[i], "%s: at %u", breaks[_i].what,
                      session.at[i + 1].pc);
    }
    ck_assert_int_eq(session.stops[session.count - 1].reason, CM_DEBUG_ENDED);
    ck_assert_uint_eq(session.cycles[session.count - 1], 449); /* the figure of cm200 run */
}
END_TEST

START_TEST(an_effect_is_described)
{
    struct session session = {.path = HAND, .sets = true};
    session.set =
        (struct cm_break){.kind = CM_BREAK_CHANNEL, .node = 5, .dimension = 0, .channel = 1};
    play(&session);
    const struct cm_debug_effect *effect = &session.stops[1].effect;
    ck_assert_uint_eq(effect->run, 1);
    ck_assert_uint_eq(effect->pc, 6);
    ck_assert_uint_eq(effect->node, 5);
    ck_assert_uint_eq(effect->channel, 1);
    ck_assert_uint_eq(effect->word,
                      0x41c80000); /* in Gray code node 5 is the seventh: a(26) = 25.0 */

    struct session cause = {.path = HAND, .sets = true};
    cause.set = (struct cm_break){.kind = CM_BREAK_CAUSE, .cause = CM_CAUSE_START};
    play(&cause);
    ck_assert_uint_eq(cause.stops[1].effect.cycles, 139);
    ck_assert_uint_eq(cause.stops[1].effect.run, 0);
}
END_TEST

/* ---- context, moves, wide words ---- */

static const char special[] =
    ".imp special\n"
    ".address a\n"
    "aarg r0, a\n"
    "ctxload [r0], 0\n" /* where a(1) is odd: nodes 1 and 2, by Gray code */
    "const A.5, 7\n"
    "unload [r0+1], A.5\n" /* 3 */
    "ctxall\n"
    "move [r0+40], [r0+2], 3, 10, -1\n" /* 5 */
    "fload64 f0, [r0+20]\n"             /* 6 */
    "fstore64 [r0+22], f0\n"            /* 7 */
    "halt\n";

static const struct {
    enum cm_break_kind kind;
    uint32_t node;
    uint64_t word; /* of the array */
    uint32_t next; /* where it stops; 0: nowhere */
} accesses[] = {
    {CM_BREAK_WRITE, 1, 1, 4},  {CM_BREAK_WRITE, 3, 1, 0},   {CM_BREAK_WRITE, ANY, 1, 4},
    {CM_BREAK_WRITE, 0, 40, 6}, {CM_BREAK_WRITE, 0, 50, 6},  {CM_BREAK_WRITE, 0, 60, 6},
    {CM_BREAK_WRITE, 0, 70, 0}, {CM_BREAK_WRITE, 0, 41, 0},  {CM_BREAK_READ, 0, 2, 6},
    {CM_BREAK_READ, 0, 0, 2},   {CM_BREAK_READ, 0, 3, 0},    {CM_BREAK_READ, 0, 20, 7},
    {CM_BREAK_READ, 0, 21, 7},  {CM_BREAK_WRITE, 0, 23, 8},  {CM_BREAK_WRITE, 0, 21, 0},
    {CM_BREAK_READ, 0, 23, 0},  {CM_BREAK_ACCESS, 0, 22, 8},
};

START_TEST(writes_count_where_the_context_is_set)
{
    char path[] = "/tmp/cm200-test-debug-XXXXXX", text[1024];
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    ck_assert_ptr_nonnull(file);
    fputs(special, file);
    fclose(file);
    snprintf(text, sizeof text,
             "{\"format\": \"cm200-workload/1\", \"machine\": \"configs/cm200.json\", \"nodes\": 4,"
             "\"arrays\": {\"a\": {\"shape\": [4, 100], \"type\": \"int32\", \"axes\": [\"news\", "
             "\"serial\"], \"init\": {\"index\": true}}},"
             "\"steps\": [{\"imp\": {\"file\": \"%s\", \"arguments\": {\"a\": \"a\"}}}]}",
             path);
    struct session session = {.text = text, .sets = true};
    session.set.kind = accesses[_i].kind;
    session.set.node = accesses[_i].node;
    session.set.value = A + accesses[_i].word;
    play(&session);
    remove(path);
    if (accesses[_i].next == 0) {
        ck_assert_uint_eq(session.count, 2);
        return;
    }
    ck_assert_int_eq(session.stops[1].reason, CM_DEBUG_BROKEN);
    ck_assert_uint_eq(session.at[1].pc, accesses[_i].next);
}
END_TEST

/* ---- steps and the router ---- */

START_TEST(steps_are_named_by_number_and_pointer)
{
    struct session session = {.path = ROUTE, .sets = true};
    session.set = (struct cm_break){.kind = CM_BREAK_STEP, .value = 3};
    play(&session);
    ck_assert_uint_eq(session.count, 3);
    ck_assert_uint_eq(session.at[1].step, 3);
    ck_assert_str_eq(session.where[1], "/steps/2");
    struct session named = {.path = ROUTE, .sets = true};
    named.set = (struct cm_break){.kind = CM_BREAK_STEP, .name = "/steps/1"};
    play(&named);
    ck_assert_uint_eq(named.count, 3);
    ck_assert_uint_eq(named.at[1].step, 2);
}
END_TEST

START_TEST(a_packet_on_a_channel_stops_the_router)
{
    /* With e-cube routing and bit reversal of 8 bits, a word leaves node 1 over dimension 0 alone:
     * its own to 128, which goes over dimensions 0 and 7. */
    struct session session = {.path = ROUTE, .sets = true, .nodes = 256};
    session.set = (struct cm_break){
        .kind = CM_BREAK_CHANNEL, .node = 1, .dimension = 0, .channel = ANY, .count = 1};
    play(&session);
    ck_assert_int_eq(session.stops[1].reason, CM_DEBUG_BROKEN);
    ck_assert_uint_eq(session.at[1].step, 1);
    ck_assert(session.at[1].routing || session.at[1].place == CM_DEBUG_ROUTED);
    ck_assert_uint_eq(session.stops[1].effect.run, 0);
    ck_assert_uint_eq(session.stops[1].effect.node, 1);
}
END_TEST

/* ---- ways to go on ---- */

static const struct pace_stop {
    enum cm_debug_pace pace;
    uint64_t times;
    enum cm_debug_place place;
    uint32_t pc;
} paces[] = {
    {CM_DEBUG_EACH, 1, CM_DEBUG_INSTRUCTION, 0},
    {CM_DEBUG_EACH, 3, CM_DEBUG_INSTRUCTION, 3},
    {CM_DEBUG_EACH, 1, CM_DEBUG_INSTRUCTION, 4},
    {CM_DEBUG_ITERATE, 1, CM_DEBUG_INSTRUCTION, 4},
    {CM_DEBUG_OVER, 2, CM_DEBUG_INSTRUCTION, 6},
    {CM_DEBUG_NEW_LINE, 1, CM_DEBUG_INSTRUCTION, 7},
    {CM_DEBUG_ITERATE, 1, CM_DEBUG_INSTRUCTION, 22},
    {CM_DEBUG_FINISH, 1, CM_DEBUG_END, 0},
};

static void go_by_table(struct session *session, struct cm_debug *debug, uint32_t stop)
{
    (void)session;
    if (stop < sizeof paces / sizeof *paces)
        cm_debug_resume(debug, paces[stop].pace, paces[stop].times);
    else
        cm_debug_leave(debug);
}

START_TEST(it_goes_on_by_instruction_iteration_and_line)
{
    struct session session = {.path = HAND, .at_stop = go_by_table};
    play(&session);
    for (uint32_t i = 0; i < sizeof paces / sizeof *paces; i++) {
        ck_assert_int_eq(session.at[i + 1].place, paces[i].place);
        if (paces[i].place == CM_DEBUG_INSTRUCTION)
            ck_assert_msg(session.at[i + 1].pc == paces[i].pc, "stop %u: at %u", i + 1,
                          session.at[i + 1].pc);
    }
}
END_TEST

static void over_the_loop(struct session *session, struct cm_debug *debug, uint32_t stop)
{
    (void)session;
    if (stop == 0)
        cm_debug_resume(debug, CM_DEBUG_EACH, 4); /* to the loop instruction */
    else if (stop == 1)
        cm_debug_resume(debug, CM_DEBUG_OVER, 1);
    else
        cm_debug_leave(debug);
}

START_TEST(a_loop_is_stepped_over)
{
    struct session session = {.path = HAND, .at_stop = over_the_loop};
    play(&session);
    ck_assert_uint_eq(session.at[1].pc, 3);
    ck_assert_uint_eq(session.at[2].pc, 22); /* the halt, behind the loop */
}
END_TEST

/* ---- back ---- */

static void there_and_back(struct session *session, struct cm_debug *debug, uint32_t stop)
{
    if (stop == 1 || stop == 0)
        return; /* to the breaks */
    if (stop == 2)
        cm_debug_back_to(debug, session->at[2].point - 1);
    else if (stop == 3)
        cm_debug_back_to_break(debug);
    else if (stop == 4)
        cm_debug_back_to_break(debug);
    else if (stop > 6)
        cm_debug_leave(debug);
}

START_TEST(it_goes_back_by_instructions_and_breaks)
{
    struct session session = {.path = HAND, .at_stop = there_and_back, .sets = true};
    session.set = (struct cm_break){.kind = CM_BREAK_OP, .op = CM_OP_EXCHANGE};
    play(&session);
    ck_assert_uint_eq(session.at[2].pc, 6); /* the second exchange */
    ck_assert_int_eq(session.stops[3].reason, CM_DEBUG_RETURNED);
    ck_assert_uint_eq(session.at[3].pc, 5);
    ck_assert_int_eq(session.stops[4].reason, CM_DEBUG_BROKEN); /* the first one */
    ck_assert_uint_eq(session.at[4].point, session.at[1].point);
    ck_assert_uint_eq(session.cycles[4], session.cycles[1]);
    ck_assert_uint_eq(session.stops[4].hit.hits, 1);
    ck_assert_int_eq(session.stops[5].reason, CM_DEBUG_FIRST);
    ck_assert_uint_eq(session.at[5].point, 1);
    ck_assert_int_eq(session.stops[6].reason, CM_DEBUG_BROKEN); /* on from there, again */
    ck_assert_uint_eq(session.at[6].point, session.at[1].point);
    ck_assert_uint_eq(session.stops[6].hit.hits, 1);
}
END_TEST

static void past_the_end(struct session *session, struct cm_debug *debug, uint32_t stop)
{
    (void)session;
    if (stop == 1) /* ended: it stays there */
        cm_debug_resume(debug, CM_DEBUG_EACH, 1);
    else if (stop == 2)
        cm_debug_back_to(debug, cm_debug_at(debug)->point - 1);
    else if (stop > 3)
        cm_debug_leave(debug);
}

START_TEST(it_goes_back_from_the_end)
{
    struct session session = {.path = HAND, .at_stop = past_the_end};
    play(&session);
    ck_assert_int_eq(session.stops[1].reason, CM_DEBUG_ENDED);
    ck_assert_int_eq(session.stops[2].reason, CM_DEBUG_ENDED);
    ck_assert_uint_eq(session.at[3].pc, 22); /* the halt */
    ck_assert_int_eq(session.stops[4].reason, CM_DEBUG_ENDED);
    ck_assert_uint_eq(session.cycles[4], session.cycles[1]);
}
END_TEST

static void interrupted_once(struct session *session, struct cm_debug *debug, uint32_t stop)
{
    if (stop == 0)
        cm_debug_interrupt(debug);
    else if (session->at[stop].place == CM_DEBUG_END)
        cm_debug_leave(debug);
}

START_TEST(an_interrupt_stops_at_the_next_point)
{
    struct session session = {.path = HAND, .at_stop = interrupted_once};
    play(&session);
    ck_assert_int_eq(session.stops[1].reason, CM_DEBUG_INTERRUPTED);
    ck_assert_uint_eq(session.at[1].point, 2);
    ck_assert_int_eq(session.stops[2].reason, CM_DEBUG_ENDED);
}
END_TEST

/* ---- breakpoints as a list ---- */

static void with_a_list(struct session *session, struct cm_debug *debug, uint32_t stop)
{
    const struct cm_break exchange = {.kind = CM_BREAK_OP, .op = CM_OP_EXCHANGE};
    const struct cm_break once = {.kind = CM_BREAK_OP, .op = CM_OP_UNLOAD, .temporary = true};
    if (stop == 0) {
        ck_assert_uint_eq(cm_debug_add_break(debug, &exchange), 1);
        ck_assert_uint_eq(cm_debug_add_break(debug, &once), 2);
    } else if (stop == 2) {
        ck_assert_uint_eq(cm_debug_break_count(debug), 1); /* the temporary one is gone */
        ck_assert(!cm_debug_delete_break(debug, 2));
        ck_assert(cm_debug_delete_break(debug, 1));
        ck_assert_uint_eq(cm_debug_break_count(debug), 0);
    } else if (session->at[stop].place == CM_DEBUG_END) {
        cm_debug_leave(debug);
    }
}

START_TEST(breakpoints_are_listed_and_deleted)
{
    struct session session = {.path = HAND, .at_stop = with_a_list};
    play(&session);
    ck_assert_uint_eq(session.at[1].pc, 6);
    ck_assert_uint_eq(session.at[2].pc, 7);
    ck_assert_int_eq(session.stops[3].reason, CM_DEBUG_ENDED);
}
END_TEST

/* ---- Fortran ---- */

static const char fortran[] =
    "{\"format\": \"cm200-workload/1\", \"machine\": \"configs/cm200.json\", \"nodes\": 8,"
    "\"arrays\": {}, \"steps\": [{\"program\": {\"file\": "
    "\"programs/examples/fortran/jacobi.fcm\"}}]}";

static void two_lines(struct session *session, struct cm_debug *debug, uint32_t stop)
{
    const char *name = NULL;
    (void)session;
    if (stop == 1) {
        const struct cm_result *result = cm_run_result(cm_debug_run(debug));
        ck_assert_ptr_nonnull(cm_fortran_step_array(&result->steps[0], 0, &name));
        ck_assert_str_eq(name, "u");
        ck_assert_ptr_null(cm_fortran_step_array(&result->steps[0], 3, &name));
        cm_debug_resume(debug, CM_DEBUG_OVER, 1);
    } else if (stop > 1) {
        cm_debug_leave(debug);
    }
}

START_TEST(lines_of_a_fortran_program_are_places)
{
    struct session session = {.text = fortran, .at_stop = two_lines, .sets = true};
    session.set = (struct cm_break){.kind = CM_BREAK_LINE, .name = "jacobi.fcm", .value = 25};
    play(&session);
    ck_assert_int_eq(session.at[1].place, CM_DEBUG_LINE);
    ck_assert_uint_eq(session.at[1].line, 25);
    ck_assert_int_eq(session.at[2].place, CM_DEBUG_LINE);
    ck_assert_uint_eq(session.at[2].line, 26);
    ck_assert_uint_gt(session.cycles[2], session.cycles[1]);
}
END_TEST

CM_PROGRAM(test_debug)
{
    if (!cm_fortran_register())
        return 1;
    Suite *suite = suite_create("debug");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, a_breakpoint_stops_where_it_says, 0, sizeof breaks / sizeof *breaks);
    tcase_add_test(tests, an_effect_is_described);
    tcase_add_loop_test(tests, writes_count_where_the_context_is_set, 0,
                        sizeof accesses / sizeof *accesses);
    tcase_add_test(tests, steps_are_named_by_number_and_pointer);
    tcase_add_test(tests, a_packet_on_a_channel_stops_the_router);
    tcase_add_test(tests, it_goes_on_by_instruction_iteration_and_line);
    tcase_add_test(tests, a_loop_is_stepped_over);
    tcase_add_test(tests, it_goes_back_by_instructions_and_breaks);
    tcase_add_test(tests, it_goes_back_from_the_end);
    tcase_add_test(tests, an_interrupt_stops_at_the_next_point);
    tcase_add_test(tests, breakpoints_are_listed_and_deleted);
    tcase_add_test(tests, lines_of_a_fortran_program_are_places);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
