/* The verifier: each of its rules, on IMPs that no assembler would let pass. */
#include "isa_support.h"
#include "suite.h"

static struct cm_imp *create(void)
{
    struct cm_imp *imp = cm_imp_create("t");
    ck_assert_ptr_nonnull(imp);
    ck_assert_uint_eq(cm_imp_argument(imp, "src", CM_ARGUMENT_ADDRESS), 0);
    ck_assert_uint_eq(cm_imp_argument(imp, "s", CM_ARGUMENT_SCALAR), 1);
    return imp;
}

/* The IMP is refused, and the message says so; it is destroyed. */
static void refuse(struct cm_imp *imp, const struct cm_imp_limits *limits, const char *message)
{
    struct cm_error err = {.status = CM_OK};
    ck_assert_msg(cm_imp_verify(imp, limits, &err) == CM_BAD_INPUT, "passed, expected: %s",
                  message);
    ck_assert_int_eq(err.status, CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "message \"%s\", expected \"%s\"",
                  err.message, message);
    ck_assert_int_eq(cm_imp_verify(imp, limits, NULL), CM_BAD_INPUT);
    cm_imp_destroy(imp);
}

/* One instruction and a halt. */
static struct cm_imp *single(enum cm_op op, const struct cm_operand *operands, unsigned count)
{
    struct cm_imp *imp = create();
    cm_imp_emit(imp, op, operands, count);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    return imp;
}
#define SINGLE(op, ...)                                                                            \
    single((op), (const struct cm_operand[]){__VA_ARGS__}, cm_op_info(op)->operand_count)

static void accept(struct cm_imp *imp)
{
    struct cm_error err = {.status = CM_OK};
    ck_assert_msg(cm_imp_verify(imp, NULL, &err) == CM_OK, "%s", err.message);
    cm_imp_destroy(imp);
}

START_TEST(registers_stay_in_range)
{
    accept(SINGLE(CM_OP_ASET, cm_reg(63), cm_value(CM_IMM_MIN)));
    refuse(SINGLE(CM_OP_ASET, cm_reg(64), cm_value(0)), NULL,
           "IMP t, instruction 0 (aset r64, 0): there is no address register r64; they are r0 to "
           "r63");
    refuse(SINGLE(CM_OP_LOAD, cm_slot(CM_TRANSPOSER_A, 0), cm_mem(64, 0)), NULL,
           "no address register r64");
    accept(SINGLE(CM_OP_FADD32, cm_reg(31), cm_reg(0), cm_reg(31)));
    refuse(SINGLE(CM_OP_FADD32, cm_reg(0), cm_reg(1), cm_reg(32)), NULL,
           "there is no FPU register f32; they are f0 to f31");
}
END_TEST

START_TEST(numbers_stay_in_range)
{
    const struct cm_operand a = cm_slot(CM_TRANSPOSER_A, 0);
    accept(SINGLE(CM_OP_LOAD, a, cm_mem(0, CM_OFFSET_MIN)));
    accept(SINGLE(CM_OP_LOAD, a, cm_mem(0, CM_OFFSET_MAX)));
    refuse(SINGLE(CM_OP_LOAD, a, cm_mem(0, CM_OFFSET_MAX + 1)), NULL,
           "offset 33554432 is out of range, expected -33554432 to 33554431");
    refuse(SINGLE(CM_OP_LOAD, a, cm_mem(0, CM_OFFSET_MIN - 1)), NULL, "offset -33554433");
    refuse(SINGLE(CM_OP_MOVE, cm_mem(0, 0), cm_mem(0, 0), cm_value(0), cm_value(1), cm_value(1)),
           NULL, "COUNT 0 is out of range, expected 1 to 2147483647");
    refuse(SINGLE(CM_OP_CTXLOAD, cm_mem(0, 0), cm_value(32)), NULL, "BIT 32 is out of range");
    refuse(SINGLE(CM_OP_CTXLOAD, cm_mem(0, 0), cm_value(-1)), NULL, "BIT -1 is out of range");
    refuse(SINGLE(CM_OP_BCAST, a, cm_value(1), cm_value(2)), NULL, "SLICE 2 is out of range");
    refuse(SINGLE(CM_OP_LOADI, cm_reg(0), cm_mem(0, 0), cm_mem(0, 0), cm_value(4), cm_value(0)),
           NULL, "FIELD 4 is out of range, expected 0 to 3");
    refuse(SINGLE(CM_OP_LOADI, cm_reg(0), cm_mem(0, 0), cm_mem(0, 0), cm_value(3), cm_value(2)),
           NULL, "HALF 2 is out of range, expected 0 to 1");
    accept(SINGLE(CM_OP_FLOADX32, cm_reg(0), cm_mem(0, 0), cm_reg(1), cm_value(1)));
    accept(SINGLE(CM_OP_FSTOREX64, cm_mem(0, 0), cm_reg(0), cm_reg(1), cm_value(2)));
    refuse(SINGLE(CM_OP_FLOADX64, cm_reg(0), cm_mem(0, 0), cm_reg(1), cm_value(1)), NULL,
           "floadx64 accesses two words, among COUNT 1");
    refuse(SINGLE(CM_OP_FSTOREX64, cm_mem(0, 0), cm_reg(0), cm_reg(1), cm_value(1)), NULL,
           "fstorex64 accesses two words, among COUNT 1");
}
END_TEST

START_TEST(arguments_are_declared_and_of_their_kind)
{
    accept(SINGLE(CM_OP_AARG, cm_reg(0), cm_value(0)));
    accept(SINGLE(CM_OP_FSCAL64, cm_reg(0), cm_value(1)));
    refuse(SINGLE(CM_OP_AARG, cm_reg(0), cm_value(2)), NULL,
           "argument 2 is not declared; the IMP has 2 arguments");
    refuse(SINGLE(CM_OP_AARG, cm_reg(0), cm_value(-1)), NULL, "argument -1 is not declared");
    refuse(SINGLE(CM_OP_AARG, cm_reg(0), cm_value(1)), NULL,
           "aarg takes an address argument, but \"s\" is a scalar argument");
    refuse(SINGLE(CM_OP_FSCAL32, cm_reg(0), cm_value(0)), NULL,
           "fscal32 takes a scalar argument, but \"src\" is an address argument");
}
END_TEST

START_TEST(slots_stay_below_the_limit)
{
    const struct cm_imp_limits narrow = {.slots = 8, .loop_depth = 16};
    const struct cm_imp_limits wide = {.slots = 1000, .loop_depth = 16};
    accept(SINGLE(CM_OP_UNLOAD, cm_mem(0, 0), cm_slot(CM_TRANSPOSER_B, 31)));
    refuse(SINGLE(CM_OP_UNLOAD, cm_mem(0, 0), cm_slot(CM_TRANSPOSER_B, 32)), NULL,
           "there is no slot 32; a transposer of this machine has 32 slots, from 0");
    refuse(SINGLE(CM_OP_UNLOAD, cm_mem(0, 0), cm_slot(CM_TRANSPOSER_B, 8)), &narrow,
           "there is no slot 8");
    refuse(SINGLE(CM_OP_UNLOAD, cm_mem(0, 0), (struct cm_operand){.value = -1, .reg = 0}), NULL,
           "there is no slot -1");
    /* No machine may have more than the encoding can name. */
    refuse(SINGLE(CM_OP_UNLOAD, cm_mem(0, 0), cm_slot(CM_TRANSPOSER_B, 64)), &wide,
           "there is no slot 64");
}
END_TEST

START_TEST(transposer_b_is_only_read)
{
    const struct cm_operand b = cm_slot(CM_TRANSPOSER_B, 1);
    const struct cm_operand m = cm_mem(0, 0);
    refuse(SINGLE(CM_OP_LOAD, b, m), NULL, "load cannot write transposer B");
    refuse(SINGLE(CM_OP_LOADI, cm_reg(CM_TRANSPOSER_B), m, m, cm_value(0), cm_value(0)), NULL,
           "loadi cannot write transposer B");
    refuse(SINGLE(CM_OP_CONST, b, cm_word(0)), NULL, "const cannot write transposer B");
    refuse(SINGLE(CM_OP_BCAST, b, cm_value(1), cm_value(0)), NULL, "bcast cannot write");
    for (unsigned t = 0; t < CM_TRANSPOSER_COUNT; t++) {
        accept(SINGLE(CM_OP_UNLOAD, m, cm_slot((enum cm_transposer)t, 1)));
        accept(SINGLE(CM_OP_UNLOADI, m, cm_reg(t), m, cm_value(0), cm_value(0)));
    }
    refuse(SINGLE(CM_OP_UNLOADI, m, cm_reg(3), m, cm_value(0), cm_value(0)), NULL,
           "there is no transposer 3");
    refuse(SINGLE(CM_OP_LOAD, cm_slot((enum cm_transposer)3, 0), m), NULL,
           "there is no transposer 3");
}
END_TEST

static void loop(struct cm_imp *imp)
{
    const struct cm_operand count = cm_value(2);
    cm_imp_emit(imp, CM_OP_LOOP, &count, 1);
}

static void next(struct cm_imp *imp, int64_t label)
{
    const struct cm_operand operand = cm_value(label);
    cm_imp_emit(imp, CM_OP_NEXT, &operand, 1);
}

static void plain(struct cm_imp *imp, enum cm_op op)
{
    cm_imp_emit(imp, op, NULL, 0);
}

START_TEST(next_names_the_innermost_open_loop)
{
    struct cm_imp *imp = create();
    loop(imp);
    loop(imp);
    plain(imp, CM_OP_EXCHANGE);
    next(imp, 0);
    next(imp, 1);
    plain(imp, CM_OP_HALT);
    refuse(imp, NULL, "next must name the innermost open loop, that of instruction 1");
    imp = create();
    loop(imp);
    plain(imp, CM_OP_EXCHANGE);
    next(imp, 7);
    plain(imp, CM_OP_HALT);
    refuse(imp, NULL, "instruction 2 (next ?7): next must name the innermost open loop");
    imp = create();
    plain(imp, CM_OP_EXCHANGE);
    next(imp, 0);
    plain(imp, CM_OP_HALT);
    refuse(imp, NULL, "next without an open loop");
}
END_TEST

START_TEST(loops_are_closed_and_not_empty)
{
    struct cm_imp *imp = create();
    loop(imp);
    next(imp, 0);
    plain(imp, CM_OP_HALT);
    refuse(imp, NULL, "the loop of instruction 0 is empty");
    imp = create();
    loop(imp);
    plain(imp, CM_OP_EXCHANGE);
    refuse(imp, NULL, "instruction 0 (loop 2): the loop is never closed");
    imp = create();
    loop(imp);
    plain(imp, CM_OP_HALT);
    refuse(imp, NULL, "halt inside the loop of instruction 0");
}
END_TEST

static struct cm_imp *nest(uint32_t depth)
{
    struct cm_imp *imp = create();
    for (uint32_t i = 0; i < depth; i++)
        loop(imp);
    plain(imp, CM_OP_EXCHANGE);
    for (uint32_t i = depth; i > 0; i--)
        next(imp, i - 1);
    plain(imp, CM_OP_HALT);
    return imp;
}

START_TEST(loops_nest_as_deep_as_the_stack)
{
    const struct cm_imp_limits none = {.slots = 32, .loop_depth = 0};
    const struct cm_imp_limits deep = {.slots = 32, .loop_depth = 5000};
    accept(nest(16));
    refuse(nest(17), NULL, "loops nest 17 deep, but the sequencer's loop stack has 16 entries");
    refuse(nest(1), &none, "loops nest 1 deep");
    refuse(nest(5001), &deep, "loops nest 5001 deep");
    struct cm_imp *imp = nest(5000);
    ck_assert_int_eq(cm_imp_verify(imp, &deep, NULL), CM_OK);
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(halt_is_once_and_last)
{
    refuse(create(), NULL, "the IMP has no instructions");
    struct cm_imp *imp = create();
    plain(imp, CM_OP_EXCHANGE);
    refuse(imp, NULL, "instruction 0 (exchange): the last instruction is not halt");
    imp = create();
    plain(imp, CM_OP_HALT);
    plain(imp, CM_OP_EXCHANGE);
    refuse(imp, NULL, "exchange after halt, which must be the last");
    imp = create();
    plain(imp, CM_OP_HALT);
    plain(imp, CM_OP_HALT);
    refuse(imp, NULL, "halt after halt");
}
END_TEST

START_TEST(unknown_opcodes_are_refused)
{
    struct cm_imp *imp = create();
    plain(imp, CM_OP_HALT);
    imp->code[0].op = (enum cm_op)CM_OP_COUNT;
    refuse(imp, NULL, "there is no instruction with opcode");
}
END_TEST

START_TEST(arguments_have_names_of_their_own)
{
    char longest[CM_IMP_NAME_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[CM_IMP_NAME_MAX + 1] = '\0';
    struct cm_imp *imp = create();
    cm_imp_argument(imp, "src", CM_ARGUMENT_SCALAR);
    refuse(imp, NULL, "IMP t declares argument \"src\" twice");
    imp = create();
    cm_imp_argument(imp, longest, CM_ARGUMENT_SCALAR);
    refuse(imp, NULL, "argument 2 of IMP t has no valid name");
    imp = create();
    cm_imp_argument(imp, longest + 1, CM_ARGUMENT_SCALAR);
    cm_imp_argument(imp, "_9", CM_ARGUMENT_SCALAR);
    plain(imp, CM_OP_HALT);
    accept(imp);
    static const char *const bad[] = {"", "9a", "a-b", "a b", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        imp = create();
        cm_imp_argument(imp, bad[i], CM_ARGUMENT_ADDRESS);
        refuse(imp, NULL, "has no valid name");
    }
    imp = create();
    imp->arguments[0].kind = (enum cm_argument_kind)2;
    refuse(imp, NULL, "argument \"src\" of IMP t is of an unknown kind");
}
END_TEST

START_TEST(there_are_at_most_255_arguments)
{
    struct cm_imp *imp = cm_imp_create("t");
    for (unsigned i = 0; i < CM_IMP_ARGUMENTS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%u", i);
        cm_imp_argument(imp, name, CM_ARGUMENT_ADDRESS);
    }
    ck_assert_int_eq(cm_imp_find_argument(imp, "a254"), 254);
    ck_assert_int_eq(cm_imp_find_argument(imp, "a255"), -1);
    plain(imp, CM_OP_HALT);
    ck_assert_int_eq(cm_imp_verify(imp, NULL, NULL), CM_OK);
    cm_imp_argument(imp, "more", CM_ARGUMENT_ADDRESS);
    refuse(imp, NULL, "declares 256 arguments, at most 255 are possible");
}
END_TEST

START_TEST(a_failed_build_is_no_imp)
{
    struct cm_imp *imp = nest(1);
    struct cm_error err;
    imp->failed = true;
    ck_assert_int_eq(cm_imp_verify(imp, NULL, &err), CM_NO_MEMORY);
    cm_imp_destroy(imp);
    cm_imp_destroy(NULL);
}
END_TEST

START_TEST(any_text_makes_an_imp_name)
{
    static const struct {
        const char *given, *made;
    } cases[] = {{"pshift-1.a", "pshift-1.a"}, {"five point", "five_point"}, {"", "_"}, {"9", "_"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_imp *imp = cm_imp_create(cases[i].given);
        ck_assert_str_eq(imp->name, cases[i].made);
        plain(imp, CM_OP_HALT);
        accept(imp);
    }
    struct cm_imp *imp = cm_imp_create("t");
    imp->name[0] = '9';
    plain(imp, CM_OP_HALT);
    refuse(imp, NULL, "the IMP has no valid name");
}
END_TEST

START_TEST(faults_of_text_tell_the_line)
{
    static const char text[] = ".imp t\n\nload A.20, [r0]\nhalt\n";
    const struct cm_imp_limits narrow = {.slots = 16, .loop_depth = 16};
    struct cm_imp *imp = must_assemble(text);
    struct cm_error err = {.status = CM_OK};
    ck_assert_int_eq(cm_imp_verify(imp, &narrow, &err), CM_BAD_INPUT);
    ck_assert_uint_eq(err.line, 3);
    ck_assert_str_eq(err.file, "test.imp");
    ck_assert_ptr_nonnull(strstr(err.message, "(load A.20, [r0]): there is no slot 20"));
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(builder_grows_and_counts)
{
    struct cm_imp *imp = create();
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(CM_EMIT(imp, CM_OP_AADD, cm_reg(i % 64), cm_value(i)), i);
    plain(imp, CM_OP_HALT);
    ck_assert_uint_eq(imp->length, 1001);
    ck_assert_uint_eq(cm_imp_words(imp), 2001);
    ck_assert_int_eq(imp->code[999].operands[1].value, 999);
    accept(imp);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("isa verify");
    TCase *c = tcase_create("rules");
    tcase_add_test(c, registers_stay_in_range);
    tcase_add_test(c, numbers_stay_in_range);
    tcase_add_test(c, arguments_are_declared_and_of_their_kind);
    tcase_add_test(c, slots_stay_below_the_limit);
    tcase_add_test(c, transposer_b_is_only_read);
    tcase_add_test(c, next_names_the_innermost_open_loop);
    tcase_add_test(c, loops_are_closed_and_not_empty);
    tcase_add_test(c, loops_nest_as_deep_as_the_stack);
    tcase_add_test(c, halt_is_once_and_last);
    tcase_add_test(c, unknown_opcodes_are_refused);
    tcase_add_test(c, arguments_have_names_of_their_own);
    tcase_add_test(c, there_are_at_most_255_arguments);
    tcase_add_test(c, a_failed_build_is_no_imp);
    tcase_add_test(c, any_text_makes_an_imp_name);
    tcase_add_test(c, faults_of_text_tell_the_line);
    tcase_add_test(c, builder_grows_and_counts);
    suite_add_tcase(s, c);
    return s;
}

CM_PROGRAM(test_isa_verify)
{
    return cm_run_suite(suite());
}
