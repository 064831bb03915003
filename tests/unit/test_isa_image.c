/* The SRAM image: its bytes, every fault it may have, and round trips of random IMPs through image
 * and text. */
#include "base/file.h"
#include "folder.h"
#include "isa_support.h"
#include "suite.h"

/* CRC-32 by the definition, a bit at a time: not the library's way of computing it. */
static uint32_t slow_crc32(const char *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8 * length; i++) {
        uint32_t bit = (uint32_t)((unsigned char)bytes[i / 8] >> i % 8 & 1);
        crc = crc >> 1 ^ (((crc ^ bit) & 1u) ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/* Makes the checksum right again after a change. */
static void seal(struct cm_buffer *image)
{
    uint32_t crc = slow_crc32(image->data, image->length - 4);
    for (unsigned i = 0; i < 4; i++)
        image->data[image->length - 4 + i] = (char)(crc >> 8 * i & 255u);
}

static struct cm_buffer sample(void)
{
    struct cm_imp *imp = must_assemble(".imp t\n.address a\n.scalar s\naarg r1, a\nL: loop 2\n"
                                       "fma32 f1, f2, f3, f4\nload A.1, [r1-1]\nnext L\nhalt\n");
    struct cm_buffer image = must_encode(imp);
    cm_imp_destroy(imp);
    return image;
}

START_TEST(image_is_the_golden_one)
{
    static const unsigned char expected[] = {
        'C',  'M', '2', '0', '0',  'I',  'M',  'P',  /* magic */
        1,    0,   0,   0,   0,    0,    0,    0,    /* version, flags */
        1,    't',                                   /* name */
        2,    0,   0,   0,                           /* arguments */
        0,    1,   'a', 1,   1,    's',              /* address a, scalar s */
        10,   0,   0,   0,                           /* code words */
        0x06, 1,   0,   0,                           /* aarg r1, a */
        0x01, 0,   0,   0,   2,    0,    0,    0,    /* loop 2 */
        0x1b, 1,   2,   3,   4,    0,    0,    0,    /* fma32 */
        0x07, 1,   0,   0,   0xc1, 0xff, 0xff, 0xff, /* load */
        0x02, 0,   0,   0,   1,    0,    0,    0,    /* next L */
        0x00, 0,   0,   0,                           /* halt */
    };
    struct cm_buffer image = sample();
    ck_assert_uint_eq(image.length, sizeof expected + 4);
    ck_assert_mem_eq(image.data, expected, sizeof expected);
    /* The check value that the CRC's catalogue gives, for the oracle's own sake. */
    ck_assert_uint_eq(slow_crc32("123456789", 9), 0xcbf43926);
    struct cm_buffer sealed = sample();
    seal(&sealed);
    assert_same_bytes(&image, &sealed);
    cm_buffer_finish(&sealed);
    cm_buffer_finish(&image);
}
END_TEST

static void refuse(const char *bytes, size_t length, const char *message)
{
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    ck_assert_int_eq(cm_imp_decode("t.img", bytes, length, NULL, &imp, &err), CM_BAD_INPUT);
    ck_assert_ptr_null(imp);
    ck_assert_str_eq(err.file, "t.img");
    ck_assert_msg(strstr(err.message, message) != NULL, "message \"%s\", expected \"%s\"",
                  err.message, message);
    ck_assert_int_eq(cm_imp_decode(NULL, bytes, length, NULL, &imp, NULL), CM_BAD_INPUT);
}

START_TEST(every_truncation_is_refused)
{
    struct cm_buffer image = sample();
    for (size_t length = 0; length < image.length; length++) {
        char *copy = malloc(length + 1); /* so that a sanitizer sees a read past the end */
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, image.data, length);
        refuse(copy, length, "IMP image: ");
        free(copy);
    }
    cm_buffer_finish(&image);
}
END_TEST

START_TEST(every_sealed_truncation_is_refused)
{
    struct cm_buffer image = sample();
    while (image.length > 5) {
        image.length--;
        seal(&image);
        struct cm_imp *imp = NULL;
        ck_assert_int_eq(cm_imp_decode("t", image.data, image.length, NULL, &imp, NULL),
                         CM_BAD_INPUT);
    }
    cm_buffer_finish(&image);
}
END_TEST

START_TEST(every_bit_flip_is_refused)
{
    struct cm_buffer image = sample();
    for (size_t bit = 0; bit < 8 * image.length; bit++) {
        image.data[bit / 8] = (char)(image.data[bit / 8] ^ 1 << bit % 8);
        refuse(image.data, image.length, "IMP image: ");
        image.data[bit / 8] = (char)(image.data[bit / 8] ^ 1 << bit % 8);
    }
    cm_buffer_finish(&image);
}
END_TEST

/* Offsets into the sample image, see image_is_the_golden_one. */
static const struct change {
    size_t at;
    unsigned char byte;
    const char *message;
} changes[] = {
    {0, 'c', "it does not begin with CM200IMP"},
    {8, 2, "it has version 2, expected 1"},
    {12, 1, "its flags are 0x00000001, expected 0"},
    {16, 0, "the IMP's name at byte 17 is not a name"},
    {16, 200, "the IMP's name at byte 17 needs 200 bytes, but"},
    {17, ' ', "the IMP's name at byte 17 is not a name"},
    {17, 0, "the IMP's name at byte 17 is not a name"},
    {18, 1, "needs"}, /* the second argument's bytes are read as the number of code words */
    {19, 1, "it declares 258 arguments, at most 255 are possible"},
    {21, 0x80, "it declares 2147483650 arguments"},
    {22, 2, "argument 0 is of kind 2, expected 0 (address) or 1 (scalar)"},
    {22, 1, "aarg takes an address argument, but \"a\" is a scalar argument"},
    {24, '1', "an argument's name at byte 24 is not a name"},
    {27, 'a', "IMP t declares argument \"a\" twice"},
    {28, 9, "4 bytes follow the code"},
    {28, 11, "the code at byte 32 needs 44 bytes, but 40 are left"},
    {31, 0xff, "the code at byte 32 needs 17"},
    {32, 200, "code word 0 has opcode 200, which is not an instruction"},
    {35, 1, "aarg at code word 0 has unused bits set"},
    {33, 64, "there is no address register r64"},
    {34, 7, "argument 7 is not declared"},
    {40, 0, "COUNT 0 is out of range"},
    {49, 1, "fma32 at code word 3 has unused bits set"},
    {53, 0x41, "load cannot write transposer B"},
    {53, 0xc1, "there is no transposer 3"},
    {53, 33, "there is no slot 33"},
    {64, 2, "next must name the innermost open loop"},
    {68, 0x0e, "move at code word 9 takes 6 words, but 1 are left"},
    {68, 0x0d, "the last instruction is not halt"},
};

START_TEST(change_under_a_right_checksum_is_refused)
{
    struct cm_buffer image = sample();
    const struct change *change = &changes[_i];
    image.data[change->at] = (char)change->byte;
    seal(&image);
    refuse(image.data, image.length, change->message);
    cm_buffer_finish(&image);
}
END_TEST

START_TEST(trailing_bytes_are_refused)
{
    struct cm_buffer image = sample();
    cm_buffer_append(&image, "", 1);
    seal(&image);
    refuse(image.data, image.length, "1 bytes follow the code");
    cm_buffer_finish(&image);
}
END_TEST

START_TEST(an_imp_that_does_not_verify_has_no_image)
{
    struct cm_imp *imp = cm_imp_create("t");
    struct cm_buffer image;
    struct cm_error err = {.status = CM_OK};
    cm_buffer_init(&image);
    ck_assert_int_eq(cm_imp_encode(imp, &image, &err), CM_BAD_INPUT);
    ck_assert_uint_eq(image.length, 0);
    cm_buffer_finish(&image);
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(read_tells_the_forms_apart)
{
    struct folder folder;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "x.imp");
    struct cm_buffer image = sample();
    struct cm_imp *imp = NULL;
    struct cm_error err = {.status = CM_OK};
    ck_assert_int_eq(cm_file_write(path, image.data, image.length, &err), CM_OK);
    ck_assert_int_eq(cm_imp_read(path, NULL, &imp, &err), CM_OK);
    ck_assert_str_eq(imp->source_name, path);
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_imp_disassemble(imp, &text);
    cm_imp_destroy(imp);
    ck_assert_int_eq(cm_file_write(path, text.data, text.length, &err), CM_OK);
    ck_assert_int_eq(cm_imp_read(path, NULL, &imp, &err), CM_OK);
    struct cm_buffer again = must_encode(imp);
    assert_same_bytes(&image, &again);
    cm_imp_destroy(imp);
    folder_remove(&folder);
    ck_assert_int_eq(cm_imp_read(path, NULL, &imp, &err), CM_IO);
    ck_assert_ptr_null(imp);
    cm_buffer_finish(&again);
    cm_buffer_finish(&text);
    cm_buffer_finish(&image);
}
END_TEST

/* splitmix64: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators". */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* From the range, its ends more often. */
static int64_t pick(uint64_t *state, int64_t min, int64_t max)
{
    uint64_t random = next_random(state);
    if (random % 8 == 0)
        return min;
    if (random % 8 == 1)
        return max;
    return min + (int64_t)(next_random(state) % (uint64_t)(max - min + 1));
}

/* `imp` has at least one argument of each kind: the first two. */
static int64_t pick_argument(uint64_t *state, const struct cm_imp *imp, enum cm_argument_kind kind)
{
    int64_t i = pick(state, 0, (int64_t)imp->argument_count - 1);
    return imp->arguments[i].kind == kind ? i : (int64_t)kind;
}

static struct cm_operand random_operand(uint64_t *state, const struct cm_imp *imp,
                                        enum cm_operand_kind kind, bool destination)
{
    static const unsigned writable[] = {CM_TRANSPOSER_A, CM_TRANSPOSER_C};
    const struct cm_kind_info *info = cm_kind_info(kind);
    unsigned transposer = destination ? writable[pick(state, 0, 1)] : (unsigned)pick(state, 0, 2);
    switch (kind) {
    case CM_OPERAND_REG:
        return cm_reg((unsigned)pick(state, 0, CM_ADDRESS_REGISTERS - 1));
    case CM_OPERAND_FREG:
        return cm_reg((unsigned)pick(state, 0, CM_FPU_REGISTERS - 1));
    case CM_OPERAND_TRANS:
        return cm_reg(transposer);
    case CM_OPERAND_SLOT:
        return cm_slot((enum cm_transposer)transposer, (unsigned)pick(state, 0, 31));
    case CM_OPERAND_MEM:
        return cm_mem((unsigned)pick(state, 0, CM_ADDRESS_REGISTERS - 1),
                      pick(state, info->min, info->max));
    case CM_OPERAND_ARG:
        return cm_value(pick_argument(state, imp, CM_ARGUMENT_ADDRESS));
    case CM_OPERAND_SARG:
        return cm_value(pick_argument(state, imp, CM_ARGUMENT_SCALAR));
    default:
        return cm_value(pick(state, info->min, info->max));
    }
}

static void random_plain(uint64_t *state, struct cm_imp *imp)
{
    enum cm_op op = (enum cm_op)pick(state, CM_OP_NEXT + 1, CM_OP_COUNT - 1);
    const struct cm_op_info *info = cm_op_info(op);
    struct cm_operand operands[CM_OPERANDS_MAX] = {{0}};
    for (unsigned i = 0; i < info->operand_count; i++)
        operands[i] = random_operand(state, imp, info->operands[i], i == 0);
    if ((op == CM_OP_FLOADX64 || op == CM_OP_FSTOREX64) && operands[3].value < 2)
        operands[3].value = 2; /* two words */
    cm_imp_emit(imp, op, operands, info->operand_count);
}

/* A block of instructions and loops, at most `depth` deep. */
static void random_block(uint64_t *state, struct cm_imp *imp, unsigned depth)
{
    uint32_t loops[CM_IMP_ARGUMENTS_MAX];
    unsigned open = 0;
    int64_t length = pick(state, 0, 60);
    for (int64_t i = 0; i < length; i++) {
        uint64_t choice = next_random(state) % 8;
        if (choice == 0 && open < depth)
            loops[open++] = CM_EMIT(imp, CM_OP_LOOP, cm_value(pick(state, 1, CM_IMM_MAX)));
        else if (choice == 1 && open > 0 && loops[open - 1] + 1 < imp->length)
            CM_EMIT(imp, CM_OP_NEXT, cm_value(loops[--open]));
        else
            random_plain(state, imp);
    }
    while (open > 0) {
        random_plain(state, imp);
        CM_EMIT(imp, CM_OP_NEXT, cm_value(loops[--open]));
    }
}

static struct cm_imp *random_imp(uint64_t *state)
{
    static const char *const odd[] = {"L1", "L_2", "A", "r3", "f0", "halt", "imp", "M7"};
    struct cm_imp *imp = cm_imp_create(next_random(state) % 2 ? "random" : "a.b-c_9");
    ck_assert_ptr_nonnull(imp);
    cm_imp_argument(imp, "first", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "second", CM_ARGUMENT_SCALAR);
    int64_t count = pick(state, 0, 40);
    for (int64_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "argument_%u", (unsigned)i);
        bool is_odd = (size_t)i < sizeof odd / sizeof odd[0];
        cm_imp_argument(imp, is_odd ? odd[i] : name,
                        next_random(state) % 4 ? CM_ARGUMENT_ADDRESS : CM_ARGUMENT_SCALAR);
    }
    random_block(state, imp, 16);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    ck_assert(!imp->failed);
    return imp;
}

static uint64_t seed(void)
{
    const char *given = getenv("CM_TEST_SEED");
    return given ? strtoull(given, NULL, 0) : 200;
}

static void assert_round_trip(const struct cm_imp *imp, uint64_t state)
{
    struct cm_error err = {.status = CM_OK};
    ck_assert_msg(cm_imp_verify(imp, NULL, &err) == CM_OK, "CM_TEST_SEED=%llu: %s",
                  (unsigned long long)state, err.message);
    struct cm_buffer image = must_encode(imp);
    struct cm_imp *decoded = must_decode(&image, NULL);
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_imp_disassemble(decoded, &text);
    struct cm_imp *assembled = must_assemble(text.data);
    struct cm_buffer again = must_encode(assembled);
    ck_assert_msg(again.length == image.length && memcmp(again.data, image.data, image.length) == 0,
                  "CM_TEST_SEED=%llu: the image changed; the text was\n%s",
                  (unsigned long long)state, text.data);
    ck_assert_uint_eq(assembled->length, imp->length);
    cm_imp_destroy(assembled);
    cm_imp_destroy(decoded);
    cm_buffer_finish(&again);
    cm_buffer_finish(&text);
    cm_buffer_finish(&image);
}

/* A hundred IMPs each; case i begins with the seed plus 1000 i, and a failure names its own. */
START_TEST(random_imps_survive_image_and_text)
{
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t first = seed() + 1000 * (uint64_t)_i + i;
        uint64_t state = first;
        struct cm_imp *imp = random_imp(&state);
        assert_round_trip(imp, first);
        cm_imp_destroy(imp);
    }
}
END_TEST

/* Under a right checksum a changed image is refused, or it is another IMP's image, byte for
 * byte. */
START_TEST(changed_random_images_are_refused_or_canonical)
{
    uint64_t state = seed() + 7000 * (uint64_t)_i;
    struct cm_imp *imp = random_imp(&state);
    struct cm_buffer image = must_encode(imp);
    for (unsigned i = 0; i < 500; i++) {
        size_t at = (size_t)(next_random(&state) % (image.length - 4));
        char old = image.data[at];
        image.data[at] = (char)(old ^ (1 << next_random(&state) % 8));
        seal(&image);
        struct cm_imp *decoded = NULL;
        if (cm_imp_decode("t", image.data, image.length, NULL, &decoded, NULL) == CM_OK) {
            struct cm_buffer again = must_encode(decoded);
            assert_same_bytes(&image, &again);
            cm_buffer_finish(&again);
        }
        cm_imp_destroy(decoded);
        image.data[at] = old;
    }
    cm_buffer_finish(&image);
    cm_imp_destroy(imp);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("isa image");
    TCase *faults = tcase_create("faults");
    tcase_add_test(faults, image_is_the_golden_one);
    tcase_add_test(faults, every_truncation_is_refused);
    tcase_add_test(faults, every_sealed_truncation_is_refused);
    tcase_add_test(faults, every_bit_flip_is_refused);
    tcase_add_loop_test(faults, change_under_a_right_checksum_is_refused, 0,
                        (int)(sizeof changes / sizeof changes[0]));
    tcase_add_test(faults, trailing_bytes_are_refused);
    tcase_add_test(faults, an_imp_that_does_not_verify_has_no_image);
    tcase_add_test(faults, read_tells_the_forms_apart);
    suite_add_tcase(s, faults);
    TCase *random = tcase_create("random");
    tcase_add_loop_test(random, random_imps_survive_image_and_text, 0, 20);
    tcase_add_loop_test(random, changed_random_images_are_refused_or_canonical, 0, 20);
    suite_add_tcase(s, random);
    return s;
}

CM_PROGRAM(test_isa_image)
{
    return cm_run_suite(suite());
}
