/* Workloads: every fault that reading or preparing finds, with its exact place; initial values,
 * checks, saves. */
#include "programs/workload/init.h"
#include "programs/workload/reference.h"
#include "programs/workload/workload_private.h"

#include "base/file.h"
#include "base/npy.h"
#include "folder.h"
#include "machines.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define HEAD "{ \"format\": \"cm200-workload/1\", \"nodes\": 4,\n  \"arrays\": {\n"
#define ARRAYS                                                                                     \
    "    \"a\": {\"shape\": [8, 4], \"type\": \"real64\", \"init\": {\"random\": 1}},\n"           \
    "    \"b\": {\"like\": \"a\"},\n"                                                              \
    "    \"row\": {\"shape\": [4], \"type\": \"real64\"},\n"                                       \
    "    \"n\": {\"shape\": [8, 4], \"type\": \"int32\"},\n"                                       \
    "    \"t\": {\"shape\": [4, 8], \"type\": \"logical\"}\n"
#define MIDDLE "  },\n  \"scalars\": {\"half\": 0.5, \"i\": [0, 1]},\n  \"steps\": [\n"
#define TAIL   "\n  ]\n}\n"

/* An @ in the text marks the place that the message must name; it is taken out before the text is
 * read. */
struct fault {
    const char *text;    /* stands in for the arrays or the steps */
    const char *message; /* part of it */
    const char *hint;    /* part of it, or NULL */
};

static const struct fault root_faults[] = {
    {"@{}", "missing key \"format\"", NULL},
    {"@[]", "must be an object", NULL},
    {"{\"format\": @\"cm200-workload/2\"}", "expected \"cm200-workload/1\"", NULL},
    {"{\"format\": @\"cm200-machine/1\"}", "cm200-machine/1", "--machine"},
    {"{\"format\": \"cm200-workload/1\",\n @\"stepz\": []}", "stepz", NULL},
    {"@{\"format\": \"cm200-workload/1\", \"steps\": []}", "missing key \"arrays\"", NULL},
    {"@{\"format\": \"cm200-workload/1\", \"arrays\": {}}", "missing key \"steps\"", NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"nodes\": @3, \"arrays\": {}, \"steps\": []}",
     "nodes is 3, expected a power of two", "2 or 4"},
    {"{\"format\": \"cm200-workload/1\",\n \"nodes\": @0, \"arrays\": {}, \"steps\": []}", "nodes",
     NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"name\": @\"a\\u001b[2Jb\", \"arrays\": {}, \"steps\": "
     "[]}",
     "name must not contain control characters", NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"machine\": @5, \"arrays\": {}, \"steps\": []}",
     "machine", NULL},
    {"{\"format\": \"cm200-workload/1\",\n \"check\": @1, \"arrays\": {}, \"steps\": []}", "check",
     NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {}, \"steps\": [],\n \"save\": {\"x\": "
     "@\"f\"}}",
     "no such array", NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {}, \"steps\": [],\n"
     " \"scalars\": {\"x\": @true}}",
     "expected a number or [re, im]", NULL},
    {"{\"format\": \"cm200-workload/1\", \"arrays\": {}, \"steps\": [],\n"
     " \"scalars\": {\"x\": @[1]}}",
     "expected a number or [re, im]", NULL},
};

static const struct fault array_faults[] = {
    {"\"9x\": @{}", "cannot be the name of an array", "letters"},
    {"\"a\": @5", "an array", NULL},
    {"\"a\": @{\"type\": \"real64\"}", "missing key \"shape\"", NULL},
    {"\"a\": @{\"shape\": [4]}", "missing key \"type\"", NULL},
    {"\"a\": {\"shape\": @[], \"type\": \"real64\"}", "0 axes, expected 1 to 7", NULL},
    {"\"a\": {\"shape\": @[1,1,1,1,1,1,1,1], \"type\": \"real64\"}", "8 axes", NULL},
    {"\"a\": {\"shape\": [4, @-1], \"type\": \"real64\"}", "length of an axis", NULL},
    {"\"a\": {\"shape\": [@0], \"type\": \"real64\"}", "length of an axis", NULL},
    {"\"a\": {\"shape\": [@1.5], \"type\": \"real64\"}", "length of an axis", NULL},
    {"\"a\": {\"shape\": @[4294967296, 4294967296], \"type\": \"real64\"}", "too large", NULL},
    {"\"a\": {\"shape\": [4], \"type\": @\"real46\"}", "real46", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"axes\": [@\"new\"]}", "new", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"axes\": @[\"news\", \"news\"]}",
     "a list of 2, expected one entry for each axis: 1", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"weights\": [@0]}", "weight", NULL},
    {"\"a\": {\"shape\": [4], @\"typ\": \"real64\"}", "typ", NULL},
    {"\"a\": {\"like\": @\"b\"}", "no such array", NULL},
    {"\"a\": {\"like\": @\"b\"}, \"b\": {\"like\": \"a\"}", "in a circle", NULL},
    {"\"a\": {\"like\": @\"a\"}", "in a circle", NULL},
    {"\"a\": {\"like\": \"b\", \"type\": @\"real64\"}, \"b\": {\"shape\": [1], \"type\": "
     "\"real32\"}",
     "both like and type", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": @{}}", "0 keys, expected one", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {\"index\": @false}}", "false", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {@\"randon\": 1}}", "randon", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {\"random\": @-1}}", "seed", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real64\", \"init\": {\"constant\": @[1, 2]}}",
     "complex, but the array's type is real64", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"int32\", \"init\": {\"constant\": @0.5}}", "int32", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"real32\", \"init\": {\"constant\": @1e300}}",
     "too large for real32", NULL},
    {"\"a\": {\"shape\": [4], \"type\": \"logical\", \"init\": {\"constant\": @2}}", "logical",
     NULL},
};

#define SHIFT_HEAD "{\"pshift\": [{\"type\": "
static const struct fault step_faults[] = {
    {"@5", "a step", NULL},
    {"@{}", "nothing to do", "pshift"},
    {"{@\"dft\": {}}", "unknown step \"dft\"", "pshift, cshift, eoshift, "},
    {"{\"fft\": @{}}", "missing key \"array\"", NULL},
    {"{\"fft\": {\"array\": \"a\", \"dims\": @[]}}", "dims is empty", "all dimensions"},
    {"{\"fft\": {\"array\": \"a\", \"dims\": [1, @1]}}", "listed twice", NULL},
    {"{\"fft\": {\"array\": \"a\", \"order\": @\"up\"}}", "order", NULL},
    {"{\"fft\": {\"array\": \"a\", \"transform\": @\"forward\"}}", "expected a complex array",
     "complex64 or complex128"},
    {"{\"fft\": {\"array\": \"a\", \"output\": @\"natural\"}}", "the communication alone",
     "\"transform\""},
    {"{\"broadcast\": {\"array\": \"a\", \"from\": @[]}}", "an index for each dimension", NULL},
    {"{@\"shft\": {}}", "unknown step \"shft\"; did you mean", "this version knows"},
    {"{\"shift\": @{}}", "missing key \"by\"", ""},
    {"{\"shift\": {\"by\": @0}}", "by must be from 1", ""},
    {"{\"shift\": {\"by\": 1, \"topology\": @\"torus\"}}", "unknown topology \"torus\"", ""},
    {"{\"route\": @{}}", "missing key \"pattern\"", ""},
    {"{\"route\": {\"pattern\": \"random\", \"rate\": @0}}", "rate is 0",
     "words that a node sends"},
    {"{\"reshape\": @{}}", "missing key \"array\"", NULL},
    {"{\"reshape\": {\"array\": \"a\", \"shape\": @[3]}}", "elements, but \"a\" is",
     "keeps the number"},
    {"{\"reshape\": {\"array\": \"a\", \"shape\": [1], \"algorithm\": @\"rotat\"}}",
     "did you mean \"rotate\"", NULL},
    {"@{\"copy\": {}, \"imp\": {}}", "both copy and imp", "two steps"},
    {"{\"copy\": {\"dst\": \"a\", \"src\": \"b\"}, \"setup\": @\"auto\"}", "copy takes no setup",
     NULL},
    {"{\"copy\": @{\"dst\": \"a\"}}", "missing key \"src\"", NULL},
    {"{\"copy\": {\"dst\": \"a\", \"src\": @\"n\"}}", "\"n\" is int32, but \"a\" is real64",
     "like"},
    {"{\"copy\": {\"dst\": \"a\", \"src\": @\"t\"}}",
     "\"t\" has shape (4, 8), but \"a\" has (8, 4)", NULL},
    {"{\"copy\": {\"dst\": \"a\", \"src\": @\"roww\"}}", "no such array", "did you mean \"row\"?"},
    {"{\"copy\": {\"dst\": \"a\", \"src\": @\"half\"}}", "no such array", NULL},
    {"{\"pshift\": @[]}", "0 shifts, expected 1 to 64", NULL},
    {"{\"pshift\": @{}}", "pshift", NULL},
    {SHIFT_HEAD "@\"cshft\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1}]}",
     "cshft", NULL},
    {SHIFT_HEAD "@\"eoshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1}]}",
     "did you mean \"eoshift_scalar\"?",
     "cshift, eoshift_scalar, eoshift_array, eoshift_0, eoshift_1"},
    {SHIFT_HEAD "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": @3, \"distance\": 1}]}",
     "dim is 3, but \"a\" has 2 dimensions", "from 1"},
    {SHIFT_HEAD "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": @0, \"distance\": 1}]}",
     "dim must be from 1 to 7", NULL},
    {SHIFT_HEAD "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": @1.5}]}",
     "distance", NULL},
    {"{\"pshift\": [@{\"type\": "
     "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1}]}",
     "missing key \"distance\"", NULL},
    {SHIFT_HEAD
     "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, \"boundary\": @0}]}",
     "cshift takes no boundary", NULL},
    {"{\"pshift\": [@{\"type\": "
     "\"eoshift_scalar\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1}]}",
     "missing key \"boundary\"", NULL},
    {SHIFT_HEAD "\"eoshift_scalar\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, "
                "\"boundary\": @\"row\"}]}",
     "is an array, expected a number or a scalar", "eoshift_array"},
    {SHIFT_HEAD "\"eoshift_scalar\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, "
                "\"boundary\": @\"i\"}]}",
     "boundary is complex", NULL},
    {SHIFT_HEAD "\"eoshift_array\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, "
                "\"boundary\": @4}]}",
     "expected the name of an array", NULL},
    {SHIFT_HEAD "\"eoshift_array\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 2, \"distance\": 1, "
                "\"boundary\": @\"row\"}]}",
     "boundary \"row\" has shape (4), expected (8)", "with dim 2 left out"},
    {SHIFT_HEAD
     "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1},\n"
     "{\"type\": \"cshift\", \"dst\": @\"b\", \"src\": \"a\", \"dim\": 2, \"distance\": 1}]}",
     "destination of two shifts", NULL},
    {SHIFT_HEAD
     "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1},\n"
     "{\"type\": \"cshift\", \"dst\": \"n\", \"src\": @\"n\", \"dim\": 2, \"distance\": 1}]}",
     "\"n\" is int32, but \"a\" is real64", NULL},
    {"{\"cshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": "
     "@9223372036854775808}}",
     "distance", NULL},
    {"{\"cshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, @\"boundary\": "
     "0}}",
     "boundary", NULL},
    {"{\"eoshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, \"boundary\": "
     "@\"n\"}}",
     "boundary \"n\" has shape (8, 4), expected (4)", NULL},
    {"{\"eoshift\": {\"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1, \"boundary\": "
     "@\"hal\"}}",
     "no such scalar or array", "did you mean \"half\"?"},
    {"{\"combine\": {\"dst\": \"a\", \"terms\": @[]}}", "0 terms, expected 1 to 64", NULL},
    {"{\"combine\": {\"dst\": @\"t\", \"terms\": [[1, \"t\"]]}}", "is logical", NULL},
    {"{\"combine\": {\"dst\": \"a\", \"terms\": [@\"a\"]}}", "expected [coefficient", NULL},
    {"{\"combine\": {\"dst\": \"a\", \"terms\": [[\"a\", @1]]}}",
     "second entry of a term is a number, expected the name of an array",
     "[coefficient, \"array\"]"},
    {"{\"combine\": {\"dst\": \"a\", \"terms\": [[@\"row\", \"a\"]]}}", "\"row\" has shape (4)",
     NULL},
    {"{\"combine\": {\"dst\": \"n\", \"terms\": [[@\"half\", \"n\"]]}}", "int32", NULL},
    {"{\"combine\": {\"dst\": \"a\", \"terms\": [[1, @\"n\"]]}}", "\"n\" is int32", NULL},
    {"{\"repeat\": {\"times\": @0, \"steps\": []}}", "times must be from 1 to",
     "leave the repeat out"},
    {"{\"repeat\": {\"times\": @1000000000001, \"steps\": []}}", "times", NULL},
    {"{\"repeat\": {\"times\": 2, \"steps\": @[]}}", "nothing to repeat", NULL},
    {"{\"repeat\": {\"times\": 2, \"steps\": [{\"copy\": @{}}]}}", "missing key \"dst\"", NULL},
    {"{\"imp\": @{}}", "missing key \"file\"", NULL},
    {"{\"imp\": {\"file\": @\"\"}}", "empty", NULL},
    {"{\"imp\": {\"file\": \"x\", \"arguments\": {\"p\": @\"i\"}}}", "one number", NULL},
    {"{\"imp\": {\"file\": \"x\", \"arguments\": {\"p\": {@\"real\": 1}}}}", "real", NULL},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

struct mark {
    uint32_t line, column;
};

/* Takes the @ out of `text` and says where it was. */
static struct mark take_mark(char *text)
{
    struct mark mark = {1, 1};
    char *at = strchr(text, '@');
    ck_assert_msg(at != NULL, "no mark in %s", text);
    for (const char *c = text; c < at; c++) {
        mark.line += *c == '\n';
        mark.column = *c == '\n' ? 1 : mark.column + 1;
    }
    memmove(at, at + 1, strlen(at));
    return mark;
}

/* Asserts on the place and the words; what is found is shown whole. */
static void expect_error(const struct cm_error *err, struct mark mark, const struct fault *fault)
{
    char shown[3000];
    cm_error_format(err, shown, sizeof shown);
    ck_assert_msg(err->status == CM_BAD_INPUT && err->line == mark.line &&
                      err->column == mark.column && strstr(err->message, fault->message) != NULL &&
                      (fault->hint == NULL || strstr(err->hint, fault->hint) != NULL),
                  "expected %u:%u ...%s...\nfound %s", mark.line, mark.column, fault->message,
                  shown);
    ck_assert(err->source[0] != '\0');
}

static void expect_fault(char *text, const struct fault *fault)
{
    struct cm_workload *workload = NULL;
    struct cm_error err;
    struct mark mark = take_mark(text);
    memset(&err, 0, sizeof err);
    ck_assert_msg(cm_workload_parse("w.json", text, strlen(text), &workload, &err) != CM_OK,
                  "accepted: %s", text);
    ck_assert_ptr_null(workload);
    ck_assert_str_eq(err.file, "w.json");
    expect_error(&err, mark, fault);
}

START_TEST(faults_of_the_root_have_their_place)
{
    char text[2048];
    snprintf(text, sizeof text, "%s", root_faults[_i].text);
    expect_fault(text, &root_faults[_i]);
}
END_TEST

START_TEST(faults_of_arrays_have_their_place)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD "%s\n" MIDDLE TAIL, array_faults[_i].text);
    expect_fault(text, &array_faults[_i]);
}
END_TEST

START_TEST(faults_of_steps_have_their_place)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD ARRAYS MIDDLE "%s" TAIL, step_faults[_i].text);
    expect_fault(text, &step_faults[_i]);
}
END_TEST

/* Parses a workload of these arrays and steps and prepares it on the CM-200; `mark` NULL: there is
 * no @ in it. */
static enum cm_status prepare(const char *arrays, const char *steps, const char *check,
                              struct cm_run_options *options, struct mark *mark,
                              struct cm_workload **workload, struct cm_run **run,
                              struct cm_error *err)
{
    static const char *const form = "{ \"format\": \"cm200-workload/1\", \"nodes\": 4, \"check\": "
                                    "%s,\n  \"arrays\": {\n%s\n  },\n"
                                    "  \"scalars\": {\"half\": 0.5},\n  \"steps\": [\n%s" TAIL;
    char text[4096];
    struct cm_config config = cm200_config();
    snprintf(text, sizeof text, form, check, arrays, steps);
    if (mark != NULL)
        *mark = take_mark(text);
    options->config = &config;
    options->threads = 1;
    memset(err, 0, sizeof *err);
    *run = NULL;
    ck_assert_msg(cm_workload_parse("w.json", text, strlen(text), workload, err) == CM_OK, "%s",
                  err->message);
    return cm_run_create(*workload, options, run, err);
}

struct run_fault {
    const char *arrays, *steps;
    struct fault fault;
};

static const struct run_fault run_faults[] = {
    {"\"a\": {\"shape\": @[67108864], \"type\": \"real64\"}", "", {NULL, "words", NULL}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"},\n\"b\": {\"shape\": [8], \"type\": "
     "\"real64\", "
     "\"axes\": [\"send\"]}",
     "{\"copy\": {\"dst\": \"a\", \"src\": @\"b\"}}",
     {NULL, "lie differently on the nodes", "like"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"},\n\"b\": {\"shape\": [8], \"type\": "
     "\"real64\", "
     "\"axes\": [\"serial\"]}",
     SHIFT_HEAD "\"cshift\", \"dst\": @\"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1}]}",
     {NULL, "lie differently on the nodes", NULL}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}, \"c\": {\"like\": "
     "\"a\"}, \"d\": {\"like\": \"a\"}",
     "@" SHIFT_HEAD "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1},\n"
     "{\"type\": \"cshift\", \"dst\": \"c\", \"src\": \"a\", \"dim\": 1, \"distance\": 2},\n"
     "{\"type\": \"cshift\", \"dst\": \"d\", \"src\": \"a\", \"dim\": 1, \"distance\": 3}]}",
     {NULL, "third along", "two calls"}},
    /* setups come before the arrays' values: the missing file is not looked for */
    {"\"a\": {\"shape\": [8], \"type\": \"real64\", \"init\": {\"npy\": \"no such file\"}}, \"b\": "
     "{\"like\": \"a\"}, \"c\": {\"like\": \"a\"}, \"d\": {\"like\": \"a\"}",
     "@" SHIFT_HEAD "\"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1},\n"
     "{\"type\": \"cshift\", \"dst\": \"c\", \"src\": \"a\", \"dim\": 1, \"distance\": 2},\n"
     "{\"type\": \"cshift\", \"dst\": \"d\", \"src\": \"a\", \"dim\": 1, \"distance\": 3}]}",
     {NULL, "third along", "two calls"}},
};

START_TEST(faults_of_preparing_have_their_place)
{
    struct cm_run_options options = {.timing_only = true};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    struct mark mark;
    const struct run_fault *fault = &run_faults[_i];
    ck_assert_int_ne(
        prepare(fault->arrays, fault->steps, "false", &options, &mark, &workload, &run, &err),
        CM_OK);
    ck_assert_ptr_null(run);
    expect_error(&err, mark, &fault->fault);
    cm_workload_destroy(workload);
}
END_TEST

START_TEST(splitmix64_is_the_published_generator)
{
    /* The first outputs for seed 1234567, as published with the reference implementation. */
    ck_assert_uint_eq(cm_splitmix64(1234567, 0), UINT64_C(6457827717110365317));
    ck_assert_uint_eq(cm_splitmix64(1234567, 1), UINT64_C(3203168211198807973));
    ck_assert_uint_eq(cm_splitmix64(1234567, 2), UINT64_C(9817491932198370423));
}
END_TEST

static void fill(enum cm_type type, enum cm_init_kind kind, void *elements)
{
    struct cm_layout layout = {.type = type, .elements = 4};
    struct cm_init init = {.kind = kind, .seed = 9, .constant = {.re = 1, .im = -2}};
    struct cm_error err;
    ck_assert_int_eq(cm_init_fill(&init, &layout, elements, &err), CM_OK);
}

START_TEST(initial_values_are_as_documented)
{
    float f[8];
    double d[8];
    int32_t n[4];
    uint8_t b[4];
    fill(CM_TYPE_COMPLEX64, CM_INIT_RANDOM, f);
    fill(CM_TYPE_REAL64, CM_INIT_RANDOM, d);
    ck_assert(d[3] == (double)(cm_splitmix64(9, 3) >> 11) / 9007199254740992.0);
    ck_assert(f[3] == (float)d[3]); /* imaginary part of element 1 */
    fill(CM_TYPE_INT32, CM_INIT_RANDOM, n);
    ck_assert_int_eq(n[2], (int32_t)(uint32_t)(cm_splitmix64(9, 2) >> 32));
    fill(CM_TYPE_LOGICAL, CM_INIT_RANDOM, b);
    ck_assert_uint_eq(b[1], cm_splitmix64(9, 1) >> 63);
    fill(CM_TYPE_COMPLEX128, CM_INIT_INDEX, d);
    ck_assert(d[6] == 3 && d[7] == 0);
    fill(CM_TYPE_COMPLEX128, CM_INIT_CONSTANT, d);
    ck_assert(d[6] == 1 && d[7] == -2);
    fill(CM_TYPE_LOGICAL, CM_INIT_INDEX, b);
    ck_assert_uint_eq(b[3], 1);
    fill(CM_TYPE_INT32, CM_INIT_ZERO, n);
    ck_assert_int_eq(n[3], 0);
}
END_TEST

START_TEST(comparison_is_bit_for_bit_but_any_nan_equals_any)
{
    double a[4] = {0.0, NAN, 1, 2}, b[4] = {-0.0, -NAN, 1, 3};
    float c[4] = {1, NAN, 0.0f, 5}, e[4] = {1, -NAN, 0.0f, 5};
    uint8_t p[3] = {1, 0, 1}, q[3] = {1, 1, 1};
    uint64_t first = 99;
    ck_assert_uint_eq(cm_reference_compare(CM_TYPE_REAL64, 4, a, b, &first), 2);
    ck_assert_uint_eq(first, 0);
    ck_assert_uint_eq(cm_reference_compare(CM_TYPE_COMPLEX64, 2, c, e, &first), 0);
    ck_assert_uint_eq(cm_reference_compare(CM_TYPE_LOGICAL, 3, p, q, &first), 1);
    ck_assert_uint_eq(first, 1);
}
END_TEST

START_TEST(reference_shifts_take_src_at_i_plus_distance)
{
    int32_t src[6] = {0, 1, 2, 3, 4, 5}, dst[6], edge[3] = {70, 80, 90}, seven = 7;
    struct cm_reference_array from = {CM_TYPE_INT32, 2, {3, 2}, 6, src}, to = from;
    struct cm_reference_boundary circular = {.circular = true};
    struct cm_reference_boundary scalar = {.bytes = &seven},
                                 array = {.bytes = edge, .is_array = true};
    struct cm_error err;
    to.elements = dst;
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, 1, &circular, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){1, 2, 0, 4, 5, 3}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, -4, &circular, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){2, 0, 1, 5, 3, 4}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, INT64_MIN, &scalar, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){7, 7, 7, 7, 7, 7}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 0, 2, &scalar, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){2, 7, 7, 5, 7, 7}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&to, &from, 1, 1, &array, &err), CM_OK);
    ck_assert_mem_eq(dst, ((int32_t[]){3, 4, 5, 70, 80, 90}), sizeof dst);
    ck_assert_int_eq(cm_reference_shift(&from, &from, 1, -1, &array, &err), CM_OK);
    ck_assert_mem_eq(src, ((int32_t[]){70, 80, 90, 0, 1, 2}), sizeof src);
}
END_TEST

START_TEST(a_run_is_checked_and_finds_a_wrong_element)
{
    static const char *const arrays =
        "\"a\": {\"shape\": [8], \"type\": \"real32\", \"init\": {\"index\": true}},\n"
        "\"b\": {\"like\": \"a\"}";
    static const char *const steps =
        "{\"combine\": {\"dst\": \"b\", \"terms\": [[\"half\", \"a\"]]}}";
    uint32_t wrong[4] = {0x40000000, 0x40000000, 0x40000000, 0x40000000};
    for (int corrupt = 0; corrupt < 2; corrupt++) {
        struct cm_run_options options = {0};
        struct cm_workload *workload;
        struct cm_run *run;
        struct cm_error err;
        ck_assert_int_eq(prepare(arrays, steps, "true", &options, NULL, &workload, &run, &err),
                         CM_OK);
        const struct cm_result *result = cm_run_result(run);
        if (corrupt) {
            struct cm_machine *machine = cm_system_machine(cm_run_system(run));
            cm_machine_write_plane(machine, cm_run_array(run, "a")->address, wrong, &err);
            ck_assert_int_eq(cm_run_execute(run, &err), CM_CHECK_FAILED);
            ck_assert_uint_eq(result->mismatches, 3); /* element 3 (2.0) of 1, 3, 5, 7 is right */
            ck_assert_ptr_nonnull(strstr(err.message, "b(1) is 1 on the machine, but 0"));
            ck_assert_uint_eq(err.line, 8);
        } else {
            ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
            ck_assert_uint_eq(result->mismatches, 0);
        }
        ck_assert(result->checked && result->steps[0].checked);
        uint64_t sum = 0;
        for (int i = 0; i < CM_CAUSE_COUNT; i++)
            sum += result->total.by_cause[i];
        ck_assert_uint_eq(sum, result->total.cycles);
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
}
END_TEST

START_TEST(a_repeat_sums_its_steps)
{
    struct cm_run_options options = {0};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(
        prepare("\"a\": {\"shape\": [8], \"type\": \"int32\", \"init\": {\"constant\": 3}}",
                "{\"repeat\": {\"times\": 5, \"steps\": [{\"combine\": {\"dst\": \"a\", \"terms\": "
                "[[2, \"a\"]]}}]}}",
                "true", &options, NULL, &workload, &run, &err),
        CM_OK);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
    const struct cm_result *result = cm_run_result(run);
    int32_t values[8];
    ck_assert_int_eq(cm_array_gather(cm_run_system(run), cm_run_array(run, "a"), values, &err),
                     CM_OK);
    ck_assert_int_eq(values[7], 96);
    ck_assert_uint_eq(result->step_count, 1);
    ck_assert_uint_eq(result->steps[0].times, 5);
    ck_assert_str_eq(result->steps[0].where, "/steps/0/repeat/steps/0");
    ck_assert_uint_eq(result->steps[0].counters.cycles, result->total.cycles);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

START_TEST(timing_only_gives_the_same_cycles_and_checks_nothing)
{
    uint64_t cycles[2];
    for (int timing = 0; timing < 2; timing++) {
        struct cm_run_options options = {.timing_only = timing};
        struct cm_workload *workload;
        struct cm_run *run;
        struct cm_error err;
        ck_assert_int_eq(prepare("\"a\": {\"shape\": [30], \"type\": \"complex64\", \"init\": "
                                 "{\"random\": 3}}",
                                 "{\"combine\": {\"dst\": \"a\", \"terms\": [[[1, 2], \"a\"]]}}",
                                 "true", &options, NULL, &workload, &run, &err),
                         CM_OK);
        ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
        cycles[timing] = cm_run_result(run)->total.cycles;
        ck_assert_int_eq(cm_run_result(run)->checked, !timing);
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
    ck_assert_uint_eq(cycles[0], cycles[1]);
}
END_TEST

START_TEST(an_interrupted_run_stops)
{
    struct cm_run_options options = {0};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(prepare("\"a\": {\"shape\": [8], \"type\": \"int32\"}",
                             "{\"repeat\": {\"times\": 1000000000000, \"steps\": [{\"combine\": "
                             "{\"dst\": \"a\", \"terms\": [[1, \"a\"]]}}]}}",
                             "false", &options, NULL, &workload, &run, &err),
                     CM_OK);
    cm_run_interrupt(run);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_INTERRUPTED);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

START_TEST(saves_are_checked_before_the_run_and_readable_after_it)
{
    static const char *const arrays =
        "\"abc\": {\"shape\": [3, 2], \"type\": \"int32\", \"init\": {\"index\": true}}";
    struct folder folder;
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    struct cm_npy npy;
    char save[500];
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    const char *bad[] = {"abd=x.npy", "abc", "=x", "abc=", "abc=-"};
    for (int i = 0; i < 5; i++) {
        struct cm_run_options options = {.saves = &bad[i], .save_count = 1};
        ck_assert_int_eq(prepare(arrays, "", "false", &options, NULL, &workload, &run, &err),
                         i == 0 ? CM_BAD_INPUT : CM_USAGE);
        ck_assert_str_eq(err.hint, i == 0   ? "did you mean \"abc\"?"
                                   : i == 4 ? "name a file: --save abc=FILE.npy"
                                            : "");
        cm_workload_destroy(workload);
    }
    snprintf(save, sizeof save, "abc=%s", path);
    const char *const good = save;
    struct cm_run_options options = {.saves = &good, .save_count = 1};
    ck_assert_int_eq(prepare(arrays, "", "false", &options, NULL, &workload, &run, &err), CM_OK);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
    ck_assert_int_eq(cm_run_save(run, &err), CM_OK);
    ck_assert_int_eq(cm_npy_read(path, &npy, &err), CM_OK);
    ck_assert(npy.fortran_order && npy.rank == 2 && npy.shape[0] == 3 && npy.type == CM_NPY_I4);
    ck_assert_int_eq(((const int32_t *)npy.data)[5], 5);
    cm_npy_finish(&npy);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

START_TEST(outputs_that_exclude_each_other_are_refused_before_the_run)
{
    static const char *const array = "\"abc\": {\"shape\": [3, 2], \"type\": \"int32\"}";
    struct folder folder;
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    char save[500];
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    const char *roundabout = folder_path(&folder, 1, "./a.npy");
    snprintf(save, sizeof save, "abc=%s", path);
    const char *const saves[] = {save, save};
    struct cm_run_options options[] = {
        {.saves = saves, .save_count = 2},
        {.saves = saves, .save_count = 1, .outputs = &roundabout, .output_count = 1},
        {.saves = saves, .save_count = 1},
    };
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(prepare(array, "", "false", &options[i], NULL, &workload, &run, &err),
                         i < 2 ? CM_USAGE : CM_OK);
        ck_assert_uint_eq(folder_entries(&folder, 0), 0); /* the probe leaves nothing behind */
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
    snprintf(save, sizeof save, "abc=%s", folder_path(&folder, 2, "none/a.npy"));
    ck_assert_int_eq(prepare(array, "", "false", &options[2], NULL, &workload, &run, &err), CM_IO);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

START_TEST(files_are_the_same_however_their_paths_are_written)
{
    struct folder folder;
    struct cm_error err;
    folder_create(&folder);
    const char *a = folder_path(&folder, 0, "a"), *b = folder_path(&folder, 1, "b");
    const char *a_again = folder_path(&folder, 2, ".//a");
    ck_assert(cm_file_same(a, a_again) && !cm_file_same(a, b)); /* neither exists */
    ck_assert_int_eq(cm_file_write(a, "x", 1, &err), CM_OK);
    ck_assert(cm_file_same(a, a_again) && !cm_file_same(a, b) && !cm_file_same(b, a));
    ck_assert_int_eq(link(a, b), 0);
    ck_assert(cm_file_same(a, b));
    ck_assert(!cm_file_same("/dev/null", "/dev/null"));
    ck_assert_int_eq(cm_file_probe(a, &err), CM_OK);
    ck_assert_int_eq(cm_file_probe("/dev/full", &err), CM_OK);
    ck_assert_int_eq(cm_file_probe(folder.path, &err), CM_IO);
    ck_assert_int_eq(cm_file_probe(folder_path(&folder, 3, "no/a"), &err), CM_IO);
    ck_assert_uint_eq(folder_entries(&folder, 0), 2);
    folder_remove(&folder);
}
END_TEST

static const struct fault npy_faults[] = {
    {"[3, 2], \"type\": \"real64\"", "holds \"<i4\", but real64 needs \"<f8\"", "astype"},
    {"[2, 3], \"type\": \"int32\"", "has shape (3, 2), but the array has (2, 3)", NULL},
};

START_TEST(a_npy_file_must_fit_its_array)
{
    struct folder folder;
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    struct mark mark;
    int32_t data[6] = {1, 2, 3, 4, 5, 6};
    struct cm_npy npy = {CM_NPY_I4, false, 2, {3, 2}, 6, data}; /* C order */
    char arrays[600];
    folder_create(&folder);
    const char *path = folder_path(&folder, 0, "a.npy");
    ck_assert_int_eq(cm_npy_write(path, &npy, &err), CM_OK);
    for (int i = 0; i < 3; i++) {
        struct cm_run_options options = {0};
        snprintf(arrays, sizeof arrays, "\"a\": {\"shape\": %s, \"init\": {\"npy\": @\"%s\"}}",
                 i == 2 ? "[3, 2], \"type\": \"int32\"" : npy_faults[i].text, path);
        enum cm_status status =
            prepare(arrays, "", "false", &options, &mark, &workload, &run, &err);
        if (i < 2) {
            expect_error(&err, mark, &npy_faults[i]);
        } else {
            int32_t found[6];
            ck_assert_int_eq(status, CM_OK);
            cm_array_gather(cm_run_system(run), cm_run_array(run, "a"), found, &err);
            ck_assert_mem_eq(found, ((int32_t[]){1, 3, 5, 2, 4, 6}), sizeof found);
        }
        cm_run_destroy(run);
        cm_workload_destroy(workload);
    }
    folder_remove(&folder);
}
END_TEST

static const struct fault imp_faults[] = {
    {"@{}", "argument \"p\" of IMP t is missing", "name of an array"},
    {"@{\"p\": \"a\"}", "argument \"x\" of IMP t is missing", NULL},
    {"{\"p\": @1, \"x\": 2}", "is a number, expected an array", "address"},
    {"{\"p\": \"a\", \"x\": @\"a\"}", "is an array, expected a number", "scalar"},
    {"{\"p\": \"a\", \"x\": @1e300}", "too large for real32", NULL},
    {"{\"p\": \"a\", \"x\": 1, \"y\": @2}", "has no argument \"y\"", NULL},
    {"{\"p\": \"a\", \"x\": {\"int32\": @1.5}}", "int32", NULL},
};

/* A workload beside t.imp that runs it with these arguments. */
static struct cm_workload *parse_imp_workload(struct folder *folder, char *arguments)
{
    char text[1000];
    struct cm_workload *workload = NULL;
    struct cm_error err;
    snprintf(text, sizeof text,
             "{ \"format\": \"cm200-workload/1\", \"nodes\": 4, \"check\": true,\n\"arrays\": {\n"
             "\"a\": {\"shape\": [4], \"type\": \"real32\"}\n},\n"
             "\"steps\": [ {\"imp\": {\"file\": \"t.imp\", \"arguments\":\n%s}} ] }",
             arguments);
    ck_assert_msg(cm_workload_parse(folder_path(folder, 1, "w.json"), text, strlen(text), &workload,
                                    &err) == CM_OK,
                  "%s", err.message);
    return workload;
}

static void write_imp(struct folder *folder)
{
    FILE *file = fopen(folder_path(folder, 0, "t.imp"), "w");
    ck_assert_ptr_nonnull(file);
    fputs(".imp t\n.address p\n.scalar x\naarg r0, p\nfscal32 f0, x\nfstore32 [r0], f0\nhalt\n",
          file);
    fclose(file);
}

START_TEST(arguments_of_an_imp_are_checked_by_name_and_kind)
{
    struct folder folder;
    struct cm_error err;
    struct cm_run *run;
    struct cm_config config = cm200_config();
    struct cm_run_options options = {.config = &config, .threads = 1};
    char arguments[200];
    folder_create(&folder);
    write_imp(&folder);
    snprintf(arguments, sizeof arguments, "%s", imp_faults[_i].text);
    struct mark mark = take_mark(arguments);
    mark.line += 5;
    struct cm_workload *workload = parse_imp_workload(&folder, arguments);
    ck_assert_int_ne(cm_run_create(workload, &options, &run, &err), CM_OK);
    expect_error(&err, mark, &imp_faults[_i]);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

START_TEST(an_imp_runs_and_is_not_said_to_be_checked)
{
    struct folder folder;
    struct cm_error err;
    struct cm_run *run;
    struct cm_config config = cm200_config();
    struct cm_run_options options = {.config = &config, .threads = 1};
    char arguments[] = "{\"p\": \"a\", \"x\": 1.5}";
    float found[4];
    folder_create(&folder);
    write_imp(&folder);
    struct cm_workload *workload = parse_imp_workload(&folder, arguments);
    ck_assert_msg(cm_run_create(workload, &options, &run, &err) == CM_OK, "%s", err.message);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
    ck_assert(!cm_run_result(run)->checked);
    cm_array_gather(cm_run_system(run), cm_run_array(run, "a"), found, &err);
    ck_assert(found[0] == 1.5f && found[3] == 1.5f);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workload");
    TCase *faults = tcase_create("faults"), *runs = tcase_create("runs");
    tcase_add_loop_test(faults, faults_of_the_root_have_their_place, 0, COUNT(root_faults));
    tcase_add_loop_test(faults, faults_of_arrays_have_their_place, 0, COUNT(array_faults));
    tcase_add_loop_test(faults, faults_of_steps_have_their_place, 0, COUNT(step_faults));
    tcase_add_loop_test(faults, faults_of_preparing_have_their_place, 0, COUNT(run_faults));
    tcase_add_test(faults, a_npy_file_must_fit_its_array);
    tcase_add_loop_test(faults, arguments_of_an_imp_are_checked_by_name_and_kind, 0,
                        COUNT(imp_faults));
    tcase_add_test(runs, an_imp_runs_and_is_not_said_to_be_checked);
    tcase_add_test(runs, splitmix64_is_the_published_generator);
    tcase_add_test(runs, initial_values_are_as_documented);
    tcase_add_test(runs, comparison_is_bit_for_bit_but_any_nan_equals_any);
    tcase_add_test(runs, reference_shifts_take_src_at_i_plus_distance);
    tcase_add_test(runs, a_run_is_checked_and_finds_a_wrong_element);
    tcase_add_test(runs, a_repeat_sums_its_steps);
    tcase_add_test(runs, timing_only_gives_the_same_cycles_and_checks_nothing);
    tcase_add_test(runs, an_interrupted_run_stops);
    tcase_add_test(runs, outputs_that_exclude_each_other_are_refused_before_the_run);
    tcase_add_test(runs, files_are_the_same_however_their_paths_are_written);
    tcase_add_test(runs, saves_are_checked_before_the_run_and_readable_after_it);
    suite_add_tcase(suite, faults);
    suite_add_tcase(suite, runs);
    return cm_run_suite(suite);
}
