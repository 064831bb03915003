/* .npy files: every fault of a header or a length is told, every type and order survives, and NumPy
 * agrees. */
#include "base/file.h"
#include "base/npy_parts.h"

#include "folder.h"
#include "suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define SHAPE_2_3 "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"

/* A file of version `major` with this dictionary and `data_bytes` bytes of data, each its own
 * number. */
static size_t build(unsigned char *out, unsigned char major, const char *header, size_t data_bytes)
{
    size_t length = strlen(header), at = major == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY\0\0\0\0\0", 12);
    out[6] = major;
    out[8] = (unsigned char)(length & 0xff);
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + at, header, length);
    for (size_t i = 0; i < data_bytes; i++)
        out[at + length + i] = (unsigned char)i;
    return at + length + data_bytes;
}

static enum cm_status parse(const char *header, size_t data_bytes, struct cm_npy *npy,
                            struct cm_error *err)
{
    unsigned char bytes[4096];
    size_t length = build(bytes, 1, header, data_bytes);
    return cm_npy_parse("a.npy", bytes, length, npy, err);
}

static void expect_fault(const char *header, size_t data_bytes, const char *message)
{
    struct cm_npy npy;
    struct cm_error err = {0};
    ck_assert_msg(parse(header, data_bytes, &npy, &err) == CM_BAD_INPUT, "%s is read", header);
    ck_assert_str_eq(err.message, message);
    ck_assert_str_eq(err.file, "a.npy");
    ck_assert_ptr_null(npy.data);
    ck_assert_int_eq(parse(header, data_bytes, &npy, NULL), CM_BAD_INPUT);
}

START_TEST(headers_in_every_spelling_of_python_are_read)
{
    static const char *const headers[] = {
        SHAPE_2_3,
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'shape': (2,3,), \"descr\": \"<i4\", 'fortran_order': False}       \n",
        " {\t'descr':'<i4','fortran_order':False,'shape':( 2 , 3 ),\n}\n",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 3L), }",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct cm_npy npy;
        struct cm_error err = {0};
        enum cm_status status = parse(headers[i], 24, &npy, &err);
        ck_assert_msg(status == CM_OK, "%s: %s", headers[i], err.message);
        ck_assert_int_eq(npy.type, CM_NPY_I4);
        ck_assert(!npy.fortran_order);
        ck_assert_uint_eq(npy.rank, 2);
        ck_assert_uint_eq(npy.shape[0], 2);
        ck_assert_uint_eq(npy.shape[1], 3);
        ck_assert_uint_eq(npy.count, 6);
        ck_assert_int_eq(((int32_t *)npy.data)[1], 0x07060504);
        cm_npy_finish(&npy);
    }
}
END_TEST

START_TEST(scalars_empty_arrays_and_later_versions_are_read)
{
    struct cm_npy npy;
    unsigned char bytes[256];
    ck_assert_int_eq(parse("{'descr': '<f8', 'fortran_order': True, 'shape': ()}", 8, &npy, NULL),
                     CM_OK);
    ck_assert_uint_eq(npy.rank, 0);
    ck_assert_uint_eq(npy.count, 1);
    cm_npy_finish(&npy);
    ck_assert_int_eq(
        parse("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 5)}", 0, &npy, NULL), CM_OK);
    ck_assert_uint_eq(npy.count, 0);
    ck_assert_int_eq(cm_npy_to_fortran(&npy, NULL), CM_OK);
    cm_npy_finish(&npy);
    for (unsigned char major = 2; major <= 3; major++) {
        size_t length = build(bytes, major, SHAPE_2_3, 24);
        ck_assert_int_eq(cm_npy_parse("a", bytes, length, &npy, NULL), CM_OK);
        ck_assert_uint_eq(npy.count, 6);
        cm_npy_finish(&npy);
    }
}
END_TEST

START_TEST(every_fault_of_the_dictionary_is_told)
{
#define INVALID "not a valid .npy header: "
    static const struct {
        const char *header, *message;
    } cases[] = {
        {"", INVALID "expected '{', found its end"},
        {"[]", INVALID "expected '{', found \"[]\""},
        {"{", INVALID "expected a key in quotes, found its end"},
        {"{}", INVALID "the key 'descr' is missing"},
        {"{'descr': '<i4', 'shape': (1,)}", INVALID "the key 'fortran_order' is missing"},
        {"{'descr': '<i4', 'fortran_order': False}", INVALID "the key 'shape' is missing"},
        {"{'descr': '<i4', 'descr': '<i4'}", INVALID "the key 'descr' is there twice"},
        {"{'descr': '<i4', 'color': 1}",
         INVALID "unknown key 'color'; expected 'descr', 'fortran_order' and 'shape'"},
        {"{'descr' '<i4'}", INVALID "expected ':' behind a key, found \"'<i4'}\""},
        {"{'descr': '<i4' 'shape': (1,)}", INVALID "expected ',' or '}', found \"'shape': (1,)}\""},
        {"{'descr': <i4}", INVALID "expected an element type such as '<f8', found \"<i4}\""},
        {"{'descr': '<i4", INVALID "a string that is not closed, or has an escape in it"},
        {"{'descr': '<\\x694'}", INVALID "a string that is not closed, or has an escape in it"},
        {"{'fortran_order': true}",
         INVALID "expected True or False after 'fortran_order', found \"true}\""},
        {"{'shape': 3}", INVALID "expected a tuple such as (3, 4) after 'shape', found \"3}\""},
        {"{'shape': (3)}",
         INVALID "the shape is a number, not a tuple; one extent is written (3,)"},
        {"{'shape': (3 4)}", INVALID "expected ',' or ')' in the shape, found \"4)}\""},
        {"{'shape': (,)}",
         INVALID "expected an extent of the shape (a whole number, not negative), found \",)}\""},
        {"{'shape': (-1,)}",
         INVALID "expected an extent of the shape (a whole number, not negative), found \"-1,)}\""},
        {"{'shape': (03,)}", INVALID "an extent of the shape begins with a zero"},
        {"{'shape': (18446744073709551616,)}", INVALID "an extent of the shape is beyond 64 bits"},
        {SHAPE_2_3 " x", INVALID "expected nothing behind '}', found \"x\""},
        {"{'descr': [('x', '<f4')]}", "structured elements cannot be read"},
        {"{'descr': '>f8'}", "elements of type '>f8' are big-endian; expected little-endian ones"},
        {"{'descr': '<i8'}", "elements of type '<i8' cannot be read"},
        {"{'descr': '|O'}", "elements of type '|O' cannot be read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_fault(cases[i].header, 0, cases[i].message);
    struct cm_npy npy;
    struct cm_error err;
    parse("{'descr': '>f8'}", 0, &npy, &err);
    ck_assert_str_eq(err.hint, "types that can: <f4, <f8, <c8, <c16, <i4, |b1; "
                               "convert in NumPy, for example with a.astype('<f8')");
}
END_TEST

START_TEST(shapes_that_overflow_or_have_too_many_dimensions_are_refused)
{
    static const char overflow[] = "the array's shape has more elements than 63 bits can address";
    expect_fault("{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 0,
                 overflow);
    expect_fault("{'descr': '<c16', 'fortran_order': False, 'shape': (576460752303423488,)}", 0,
                 overflow);
    expect_fault("{'descr': '<i4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}",
                 0, overflow);
    char header[256] = "{'descr': '<i4', 'fortran_order': False, 'shape': (";
    for (int i = 0; i < 33; i++)
        strcat(header, "1,");
    strcat(header, ")}");
    expect_fault(header, 4, "the array has more than 32 dimensions");
}
END_TEST

START_TEST(short_and_long_files_are_refused)
{
    expect_fault(SHAPE_2_3, 23, "6 elements of type <i4 need 24 bytes of data, the file has 23");
    expect_fault(SHAPE_2_3, 25, "6 elements of type <i4 need 24 bytes of data, the file has 25");
    expect_fault(SHAPE_2_3, 0, "6 elements of type <i4 need 24 bytes of data, the file has 0");
    unsigned char bytes[256];
    size_t length = build(bytes, 1, SHAPE_2_3, 24);
    struct cm_npy npy;
    for (size_t cut = 0; cut < length; cut++) {
        struct cm_error err = {0};
        ck_assert_int_eq(cm_npy_parse("a", bytes, cut, &npy, &err), CM_BAD_INPUT);
        ck_assert_str_ne(err.message, "");
    }
}
END_TEST

START_TEST(what_is_no_npy_file_is_told_by_its_first_bytes)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *message;
    } cases[] = {
        {"", 0, "not a .npy file: it is empty"},
        {"PK\3\4", 4, "not a .npy file: it does not begin with \"\\x93NUMPY\""},
        {"\x93NUMPX\1\0\0\0", 10, "not a .npy file: it does not begin with \"\\x93NUMPY\""},
        {"\x93NUMPY\1\0", 8, "the file ends within its first ten bytes"},
        {"\x93NUMPY\2\0\0\0\0", 11, "the file ends within its first twelve bytes"},
        {"\x93NUMPY\4\0\0\0\0\0", 12, ".npy version 4.0 cannot be read; expected 1.0, 2.0 or 3.0"},
        {"\x93NUMPY\1\1\0\0\0\0", 12, ".npy version 1.1 cannot be read; expected 1.0, 2.0 or 3.0"},
        {"\x93NUMPY\1\0\x10\0{}", 12, "the file ends within its header: it has 2 of 16 bytes"},
        {"\x93NUMPY\2\0\xff\xff\xff\xff{}", 14,
         "the header claims 4294967295 bytes; at most 65536 can be read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_npy npy;
        struct cm_error err = {0};
        ck_assert_int_eq(cm_npy_parse("a", cases[i].bytes, cases[i].length, &npy, &err),
                         CM_BAD_INPUT);
        ck_assert_str_eq(err.message, cases[i].message);
    }
}
END_TEST

START_TEST(logicals_other_than_0_and_1_are_refused)
{
    struct cm_npy npy;
    ck_assert_int_eq(
        parse("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", 2, &npy, NULL), CM_OK);
    cm_npy_finish(&npy);
    expect_fault("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}", 4,
                 "element 2 of type |b1 is 2; expected 0 or 1");
}
END_TEST

/* An array of the given shape whose element bytes count up (0 and 1 for logicals). */
static struct cm_npy make(enum cm_npy_type type, bool fortran_order, uint32_t rank,
                          const uint64_t *shape)
{
    struct cm_npy npy = {.type = type, .fortran_order = fortran_order, .rank = rank, .count = 1};
    for (uint32_t d = 0; d < rank; d++) {
        npy.shape[d] = shape[d];
        npy.count *= shape[d];
    }
    size_t bytes = (size_t)npy.count * cm_npy_type_size(type);
    npy.data = malloc(bytes + 1);
    ck_assert_ptr_nonnull(npy.data);
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)npy.data)[i] = (unsigned char)(type == CM_NPY_B1 ? i & 1 : i % 101);
    return npy;
}

START_TEST(every_type_rank_and_order_survives_a_file)
{
    static const uint64_t shape[] = {3, 1, 4, 2};
    struct folder folder;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    for (int i = 0; i < 6 * 5 * 2; i++) {
        struct cm_npy read,
            npy = make((enum cm_npy_type)(i % 6), i >= 30, (uint32_t)(i / 6 % 5), shape);
        struct cm_error err = {0};
        ck_assert_int_eq(cm_npy_write(path, &npy, &err), CM_OK);
        ck_assert_msg(cm_npy_read(path, &read, &err) == CM_OK, "%s", err.message);
        size_t bytes = (size_t)npy.count * cm_npy_type_size(npy.type);
        ck_assert_int_eq(read.type, npy.type);
        ck_assert_int_eq(read.fortran_order, npy.fortran_order);
        ck_assert_uint_eq(read.rank, npy.rank);
        ck_assert_uint_eq(read.count, npy.count);
        ck_assert_int_eq(memcmp(read.shape, npy.shape, sizeof npy.shape), 0);
        ck_assert_int_eq(memcmp(read.data, npy.data, bytes), 0);
        cm_npy_finish(&read);
        cm_npy_finish(&npy);
    }
    ck_assert_uint_eq(folder_entries(&folder, 0), 1);
    folder_remove(&folder);
}
END_TEST

START_TEST(data_begin_at_a_multiple_of_64_bytes)
{
    struct folder folder;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    uint64_t shape[32];
    for (uint32_t rank = 0; rank <= 32; rank++) {
        char *bytes;
        size_t length;
        if (rank > 0)
            shape[rank - 1] = rank < 8 ? 2 : 1;
        struct cm_npy npy = make(CM_NPY_F4, rank % 2 == 0, rank, shape);
        ck_assert_int_eq(cm_npy_write(path, &npy, NULL), CM_OK);
        ck_assert_int_eq(cm_file_read(path, 1 << 20, &bytes, &length, NULL), CM_OK);
        size_t start = length - (size_t)npy.count * 4;
        ck_assert_uint_eq(start % 64, 0);
        ck_assert_uint_eq((size_t)(unsigned char)bytes[8] + 256 * (size_t)(unsigned char)bytes[9],
                          start - 10);
        ck_assert_int_eq(bytes[start - 1], '\n');
        free(bytes);
        cm_npy_finish(&npy);
    }
    folder_remove(&folder);
}
END_TEST

START_TEST(reordering_to_fortran_moves_every_element_to_its_place)
{
    static const uint64_t shape[] = {3, 4, 1, 5};
    for (int type = CM_NPY_F4; type <= CM_NPY_B1; type++) {
        struct cm_npy c = make((enum cm_npy_type)type, false, 4, shape);
        struct cm_npy f = make((enum cm_npy_type)type, false, 4, shape);
        size_t size = cm_npy_type_size((enum cm_npy_type)type);
        ck_assert_int_eq(cm_npy_to_fortran(&f, NULL), CM_OK);
        ck_assert(f.fortran_order);
        for (size_t i = 0; i < 60; i++) {
            size_t i3 = i % 5, i1 = i / 5 % 4, i0 = i / 20;
            size_t to = i0 + 3 * i1 + 12 * i3;
            ck_assert_int_eq(memcmp((char *)c.data + i * size, (char *)f.data + to * size, size),
                             0);
        }
        ck_assert_int_eq(cm_npy_to_fortran(&f, NULL), CM_OK);
        cm_npy_finish(&c);
        cm_npy_finish(&f);
    }
}
END_TEST

START_TEST(a_mapped_file_has_the_elements_of_a_file_that_was_read)
{
    static const uint64_t shape[] = {3, 4, 1, 5};
    struct folder folder;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    for (int i = 0; i < 12; i++) {
        struct cm_npy npy = make((enum cm_npy_type)(i % 6), i >= 6, 4, shape);
        const size_t size = cm_npy_type_size(npy.type);
        struct cm_npy_map map;
        ck_assert_int_eq(cm_npy_write(path, &npy, NULL), CM_OK);
        ck_assert_int_eq(cm_npy_map(path, &map, NULL), CM_OK);
        ck_assert_ptr_nonnull(map.memory);
        ck_assert_int_eq(cm_npy_to_fortran(&npy, NULL), CM_OK);
        for (uint64_t e = 0; e < npy.count; e++) {
            char element[16];
            cm_npy_map_element(&map, e, element);
            ck_assert_int_eq(memcmp(element, (char *)npy.data + e * size, size), 0);
        }
        cm_npy_unmap(&map);
        cm_npy_finish(&npy);
    }
    folder_remove(&folder);
}
END_TEST

static void repair(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!cm_npy_repair(info->si_addr))
        signal(number, SIG_DFL);
}

START_TEST(a_file_that_changes_while_it_is_mapped_is_noticed)
{
    const struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
    const uint64_t shape[] = {20000};
    struct sigaction before;
    struct folder folder;
    struct cm_npy_map map, other;
    struct cm_error err;
    int32_t element = 1;
    char outside;
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy"), *new = folder_path(&folder, 1, "new.npy");
    sigaction(SIGBUS, &action, &before);
    for (int i = 0; i < 3; i++) {
        struct cm_npy npy = make(CM_NPY_I4, true, 1, shape);
        ck_assert_int_eq(cm_npy_write(path, &npy, NULL), CM_OK);
        ck_assert_int_eq(cm_npy_write(new, &npy, NULL), CM_OK);
        ck_assert_int_eq(cm_npy_map(path, &map, NULL), CM_OK);
        ck_assert_int_eq(cm_npy_map(new, &other, NULL), CM_OK);
        ck_assert_int_eq(cm_npy_map_check(&map, path, &err), CM_OK);
        if (i == 0)
            ck_assert_int_eq(truncate(path, 4096), 0);
        else if (i == 1)
            ck_assert_int_eq(utimensat(AT_FDCWD, path, (struct timespec[2]){0}, 0), 0);
        else
            ck_assert_int_eq(rename(new, path), 0); /* the mapped file itself stays */
        cm_npy_map_element(&map, 19999, &element);  /* no signal ends the program */
        ck_assert_int_eq(element == 0 && ((int32_t *)npy.data)[19999] != 0, i == 0);
        ck_assert_int_eq(cm_npy_map_check(&map, path, &err), i < 2 ? CM_IO : CM_OK);
        if (i < 2)
            ck_assert_str_eq(err.message, "the file changed while it was read");
        ck_assert(!cm_npy_repair(&outside));
        cm_npy_unmap(&map);
        cm_npy_unmap(&other);
        cm_npy_finish(&npy);
    }
    sigaction(SIGBUS, &before, NULL);
    folder_remove(&folder);
}
END_TEST

/* A writer waits in open(2) until somebody reads. */
static pid_t start_writer(const char *fifo)
{
    pid_t writer = fork();
    if (writer == 0)
        _exit(open(fifo, O_WRONLY) < 0);
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    return writer;
}

START_TEST(what_cannot_be_mapped_is_left_alone)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    struct folder folder;
    struct cm_npy_map map;
    struct cm_error err;
    int end;
    folder_create(&folder);
    const char *fifo = folder_path(&folder, 0, "pipe"), *bad = folder_path(&folder, 1, "bad.npy");
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    pid_t writer = start_writer(fifo);
    const char *const paths[] = {"-", "/tmp", "no-such-folder/a.npy", "/dev/zero", fifo};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ck_assert_int_eq(cm_npy_map(paths[i], &map, NULL), CM_OK);
        ck_assert_ptr_null(map.memory);
    }
    nanosleep(&pause, NULL);
    ck_assert_int_eq(waitpid(writer, &end, WNOHANG), 0); /* nobody has opened the pipe */
    kill(writer, SIGKILL);
    ck_assert_int_eq(waitpid(writer, &end, 0), writer);
    ck_assert_int_eq(cm_file_write(bad, "no", 2, NULL), CM_OK);
    ck_assert_int_eq(cm_npy_map(bad, &map, &err), CM_BAD_INPUT);
    ck_assert_ptr_null(map.memory);
    folder_remove(&folder);
}
END_TEST

START_TEST(files_that_cannot_be_read_or_written_are_io_errors)
{
    struct cm_npy read, npy = make(CM_NPY_F4, false, 0, NULL);
    struct cm_error err;
    ck_assert_int_eq(cm_npy_read("no-such-folder/a.npy", &read, &err), CM_IO);
    ck_assert_int_eq(cm_npy_read("/tmp", &read, &err), CM_IO);
    ck_assert_int_eq(cm_npy_read("/dev/zero", &read, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_npy_write("no-such-folder/a.npy", &npy, &err), CM_IO);
    ck_assert_int_eq(cm_npy_write("/dev/full", &npy, &err), CM_IO);
    ck_assert_str_eq(err.message, "cannot write: No space left on device");
    npy.count = 2;
    ck_assert_int_eq(cm_npy_write("/dev/null", &npy, &err), CM_INTERNAL);
    cm_npy_finish(&npy);
    cm_npy_finish(&npy);
    cm_npy_finish(NULL);
}
END_TEST

/* NumPy reads what we wrote, and would have written the same bytes; NumPy's own files are read back
 * by us. */
static const char numpy_script[] =
    "import sys, numpy as np\n"
    "folder = sys.argv[1]\n"
    "a = np.load(folder + '/ours.npy', allow_pickle=False)\n"
    "assert a.shape == (3, 1, 4) and a.dtype == np.dtype('<i4') and np.isfortran(a), a\n"
    "raw = np.arange(48, dtype=np.uint8).view('<i4').reshape((3, 1, 4), order='F')\n"
    "assert (a == raw).all(), a\n"
    "np.save(folder + '/theirs.npy', a)\n"
    "if tuple(map(int, np.__version__.split('.')[:2])) >= (1, 23):\n"
    "    ours, theirs = (open(folder + n, 'rb').read() for n in ('/ours.npy', '/theirs.npy'))\n"
    "    assert ours == theirs, (ours, theirs)\n"
    "np.save(folder + '/c.npy', np.arange(6).reshape(2, 3).astype('<c16'))\n";

static int run_python(const char *script, const char *argument)
{
    pid_t child = fork();
    if (child == 0) {
        execl("/usr/bin/python3", "python3", "-c", script, argument, (char *)NULL);
        _exit(127);
    }
    int result = -1;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    return result;
}

START_TEST(numpy_reads_our_files_and_writes_the_same_bytes)
{
    static const uint64_t shape[] = {3, 1, 4};
    if (run_python("import importlib.util, sys; sys.exit(not importlib.util.find_spec('numpy'))",
                   "") != 0)
        return; /* no NumPy on this machine: nothing to compare with */
    struct folder folder;
    folder_create(&folder);
    struct cm_npy read, npy = make(CM_NPY_I4, true, 3, shape);
    ck_assert_int_eq(cm_npy_write(folder_path(&folder, 0, "ours.npy"), &npy, NULL), CM_OK);
    ck_assert_int_eq(run_python(numpy_script, folder.path), 0);
    ck_assert_int_eq(cm_npy_read(folder_path(&folder, 1, "c.npy"), &read, NULL), CM_OK);
    ck_assert_int_eq(read.type, CM_NPY_C16);
    ck_assert(((double *)read.data)[10] == 5.0);
    ck_assert(((double *)read.data)[11] == 0.0);
    cm_npy_finish(&read);
    cm_npy_finish(&npy);
    folder_remove(&folder);
}
END_TEST

CM_PROGRAM(test_base_npy)
{
    Suite *suite = suite_create("base_npy");
    TCase *c = tcase_create("npy");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, headers_in_every_spelling_of_python_are_read);
    tcase_add_test(c, scalars_empty_arrays_and_later_versions_are_read);
    tcase_add_test(c, every_fault_of_the_dictionary_is_told);
    tcase_add_test(c, shapes_that_overflow_or_have_too_many_dimensions_are_refused);
    tcase_add_test(c, short_and_long_files_are_refused);
    tcase_add_test(c, what_is_no_npy_file_is_told_by_its_first_bytes);
    tcase_add_test(c, logicals_other_than_0_and_1_are_refused);
    tcase_add_test(c, every_type_rank_and_order_survives_a_file);
    tcase_add_test(c, data_begin_at_a_multiple_of_64_bytes);
    tcase_add_test(c, reordering_to_fortran_moves_every_element_to_its_place);
    tcase_add_test(c, a_mapped_file_has_the_elements_of_a_file_that_was_read);
    tcase_add_test(c, a_file_that_changes_while_it_is_mapped_is_noticed);
    tcase_add_test(c, what_cannot_be_mapped_is_left_alone);
    tcase_add_test(c, files_that_cannot_be_read_or_written_are_io_errors);
    tcase_add_test(c, numpy_reads_our_files_and_writes_the_same_bytes);
    suite_add_tcase(suite, c);
    return cm_run_suite(suite);
}
