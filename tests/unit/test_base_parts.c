/* Small parts that every room uses: growing arrays, checksums, random numbers. */
#include "base/crc32.h"
#include "base/error.h"
#include "base/list.h"
#include "base/random.h"
#include "base/sha256.h"

#include "suite.h"

#include <string.h>

struct pair {
    uint32_t a;
    uint64_t b;
};

START_TEST(a_list_grows_by_values_and_by_elements_of_zeros)
{
    CM_LIST(struct pair) list = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        ck_assert(cm_list_push(&list, (struct pair){.a = i, .b = i * UINT64_C(3)}));
        struct pair *added = cm_list_add(&list);
        ck_assert_ptr_eq(added, &list.items[2 * i + 1]);
        ck_assert_uint_eq(added->a + added->b, 0);
        added->a = 7; /* must not come back as a new element's */
    }
    ck_assert_uint_eq(list.count, 2000);
    for (uint32_t i = 0; i < 1000; i++) {
        ck_assert_uint_eq(list.items[2 * i].a, i);
        ck_assert_uint_eq(list.items[2 * i].b, i * UINT64_C(3));
    }
    list.count = 1;
    ck_assert(cm_list_extend(&list, 900));
    ck_assert_uint_eq(list.count, 900);
    ck_assert_uint_eq(list.items[1].a, 0);
    ck_assert_uint_eq(list.items[899].a, 0);
    ck_assert(cm_list_extend(&list, 10)); /* has them */
    ck_assert_uint_eq(list.count, 900);
    ck_assert(!list.failed);
    cm_list_finish(&list);
    ck_assert_uint_eq(list.count + list.capacity, 0);
    ck_assert_ptr_null(list.items);
}
END_TEST

START_TEST(a_value_may_be_one_of_the_list_itself)
{
    CM_LIST(uint32_t) list = {0};
    cm_list_push(&list, 5);
    while (list.count < 100)
        cm_list_push(&list, list.items[list.count - 1] + 1);
    ck_assert_uint_eq(list.items[99], 104);
    cm_list_finish(&list);
}
END_TEST

START_TEST(a_failed_allocation_sticks_and_keeps_what_is_there)
{
    CM_LIST(uint64_t) list = {0};
    cm_list_push(&list, 11);
    ck_assert(!cm_list_room(&list, UINT64_C(1) << 33)); /* more than a list counts */
    ck_assert(list.failed);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(list.items[0], 11);
    list.count = list.capacity;
    ck_assert(!cm_list_push(&list, 12));
    ck_assert_ptr_null(cm_list_add(&list));
    ck_assert_uint_eq(list.count, list.capacity);
    cm_list_finish(&list);
    ck_assert(cm_list_push(&list, 13));
    cm_list_finish(&list);

    struct {
        uint64_t *items;
        uint64_t count, capacity;
        bool failed;
    } wide = {0};
    ck_assert(cm_list_push(&wide, 1));
    ck_assert(!cm_list_extend(&wide, UINT64_MAX / 8)); /* its bytes pass the address space */
    ck_assert(wide.failed);
    ck_assert_uint_eq(wide.count, 1);
    cm_list_finish(&wide);
}
END_TEST

START_TEST(separate_variables_of_either_width_grow_alike)
{
    uint32_t *narrow = NULL, narrow_count = 0, narrow_capacity = 0;
    uint64_t *wide = NULL, wide_count = 0, wide_capacity = 0;
    for (uint32_t i = 0; i < 100; i++) {
        ck_assert(cm_array_room(narrow, narrow_count, narrow_capacity));
        narrow[narrow_count++] = i;
        ck_assert(cm_array_room(wide, wide_count, wide_capacity));
        wide[wide_count++] = i;
    }
    ck_assert_uint_eq(narrow_capacity, 128);
    ck_assert_uint_eq(wide_capacity, 128);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert(narrow[i] == i && wide[i] == i);
    ck_assert(!cm_array_room(narrow, UINT32_MAX, narrow_capacity));
    ck_assert_uint_eq(narrow_capacity, 128);
    free(narrow);
    free(wide);
}
END_TEST

START_TEST(out_of_memory_is_one_error)
{
    struct cm_error err;
    ck_assert_int_eq(cm_error_no_memory(&err), CM_NO_MEMORY);
    ck_assert_int_eq(err.status, CM_NO_MEMORY);
    ck_assert_str_eq(err.message, "out of memory");
    ck_assert_int_eq(cm_error_no_memory(NULL), CM_NO_MEMORY);
}
END_TEST

START_TEST(checksums_are_those_of_ieee_802_3)
{
    static const char check[] = "123456789"; /* its checksum stands in every catalogue of CRCs */
    unsigned char bytes[300];
    ck_assert_uint_eq(cm_crc32(0, check, 9), 0xcbf43926);
    ck_assert_uint_eq(cm_crc32(0, check, 0), 0);
    ck_assert_uint_eq(cm_crc32(0, "a", 1), 0xe8b7be43);
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)cm_splitmix64(1, i);
    uint32_t bitwise = UINT32_MAX;
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        ck_assert_uint_eq(cm_crc32(0, bytes, i), ~bitwise);
        ck_assert_uint_eq(cm_crc32(cm_crc32(0, bytes, i), bytes + i, sizeof bytes - i),
                          cm_crc32(0, bytes, sizeof bytes));
        bitwise ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            bitwise = bitwise >> 1 ^ (bitwise & 1 ? UINT32_C(0xedb88320) : 0);
    }
}
END_TEST

/* The examples of FIPS 180-4, and one of a million bytes in pieces. */
START_TEST(hashes_are_sha_256)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    struct cm_sha256 hash;
    char piece[997];
    ck_assert_str_eq(cm_sha256_of("", 0).text,
                     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ck_assert_str_eq(cm_sha256_of("abc", 3).text,
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert_str_eq(cm_sha256_of(two_blocks, 56).text,
                     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(piece, 'a', sizeof piece);
    cm_sha256_begin(&hash);
    for (size_t done = 0; done < 1000000;) {
        size_t length = 1000000 - done < sizeof piece ? 1000000 - done : sizeof piece;
        cm_sha256_add(&hash, piece, length);
        done += length;
    }
    ck_assert_str_eq(cm_sha256_end(&hash).text,
                     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(random_numbers_are_splitmix64s)
{
    /* The outputs for seed 1234567 that test suites of the generator list. */
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    uint64_t state = 1234567;
    for (uint32_t k = 0; k < 5; k++) {
        ck_assert_uint_eq(cm_splitmix64(1234567, k), expected[k]);
        ck_assert_uint_eq(cm_random_next(&state), expected[k]);
    }
}
END_TEST

CM_PROGRAM(test_base_parts)
{
    Suite *suite = suite_create("base_parts");
    TCase *c = tcase_create("parts");
    tcase_add_test(c, a_list_grows_by_values_and_by_elements_of_zeros);
    tcase_add_test(c, a_value_may_be_one_of_the_list_itself);
    tcase_add_test(c, a_failed_allocation_sticks_and_keeps_what_is_there);
    tcase_add_test(c, separate_variables_of_either_width_grow_alike);
    tcase_add_test(c, out_of_memory_is_one_error);
    tcase_add_test(c, checksums_are_those_of_ieee_802_3);
    tcase_add_test(c, hashes_are_sha_256);
    tcase_add_test(c, random_numbers_are_splitmix64s);
    suite_add_tcase(suite, c);
    return cm_run_suite(suite);
}
