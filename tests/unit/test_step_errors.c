/* Steps of workloads: every fault that reading or preparing them finds, with its exact place. */
#include "programs/workload/workload_private.h"

#include "folder.h"
#include "workload_faults.h"

#define SHIFT_HEAD "{\"pshift\": [{\"type\": "
static const struct fault step_faults[] = {
    {"@5", "a step", NULL},
    {"@{}", "the step has no kind", "pshift"},
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
     "the scalar \"i\" is complex", NULL},
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
    {"{\"combine\": {\"dst\": \"n\", \"terms\": [[@\"half\", \"n\"]]}}",
     "the scalar \"half\" is 0.5, but int32 holds integers", NULL},
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
    {"{\"imp\": {\"file\": \"x\", \"arguments\": {\"p\": @{\"real32\": 1, \"int32\": 2}}}}",
     "an argument has 2 keys, expected one", NULL},
    {"{\"imp\": {\"file\": \"x\", \"arguments\": {\"p\": @{}}}}",
     "an argument has 0 keys, expected one", NULL},
    {"{\"imp\": {\"file\": \"x\", \"arguments\": {\"p\": {\"real32\": @\"a\"}}}}",
     "\"a\" is an array, expected a number or a scalar", NULL},
    {"{\"imp\": {\"file\": \"x\", \"arguments\": {\"p\": @true}}}",
     "an argument is true or false, expected a number, [re, im]", NULL},
    {"{\"imp\": {\"file\": \"x\", \"arguments\": @[1]}}", "arguments must be an object", NULL},
    {"{\"reshape\": {\"array\": \"a\", \"shape\": [32], \"order\": @[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}}",
     "order lists 63 dimensions, expected at most 62", NULL},
    {"{\"reshape\": {\"array\": \"a\", \"shape\": [32], \"order\": @1}}",
     "order must be an array, found", NULL},
    {"{\"route\": {\"pattern\": @\"list\"}}", "the pattern list needs a \"list\"", "FILE.csv"},
    {"{\"route\": {\"pattern\": @\"random\", \"list\": \"x.csv\"}}",
     "\"list\" is for the patterns list and flows", "FILE.csv"},
    {"{\"route\": @{\"pattern\": \"shift\"}}", "the pattern shift needs \"by\"", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"by\": @1}}", "\"by\" is for the pattern shift", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rate\": 0.1, \"rates\": @[0.1]}}",
     "rate and rates exclude each other", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rate\": @1.5}}",
     "rate is 1.5, expected more than 0 and at most 1", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rate\": 0.5, \"past_saturation\": @true}}",
     "past_saturation goes with rates", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"warmup\": @5}}", "warmup goes with a rate", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"measure\": @5}}", "measure goes with a rate", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"until\": @0.1}}", "until goes with a rate", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"seeds\": @5}}", "seeds goes with a rate", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rate\": 0.5, \"until\": @1.5}}",
     "until is 1.5, expected more than 0 and at most 1", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"hot\": @3}}", "\"hot\" is for the pattern hot-spot",
     "\"pattern\": \"hot-spot\", or leave \"hot\" out"},
    {"{\"route\": {\"pattern\": \"list\", \"list\": \"x.csv\", \"rate\": @0.5}}",
     "a list has its own times, and takes no rate", NULL},
    {"{\"route\": {\"pattern\": \"list\", \"list\": \"x.csv\", \"rates\": @[0.5]}}",
     "a list has its own times, and takes no rate", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rates\": @[]}}", "rates has 0 numbers, expected 1 to",
     NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rates\": @0.5}}", "rates must be an array, found",
     NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rates\": [0.5, @0.5]}}",
     "the rate 0.5 follows 0.5, expected a higher one", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rates\": [0.5, @0]}}",
     "a rate is 0, expected more than 0", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"rate\": 0.5, \"warmup\": 10, \"measure\": 10, "
     "\"limit\": @19}}",
     "limit is 19 word times, but the measurement ends after 20", "raise the limit"},
    {"{\"route\": {\"pattern\": \"transpose\", \"array\": @\"a\"}}", "array and dst go together",
     NULL},
    {"{\"route\": {\"pattern\": \"transpose\", \"dst\": @\"a\"}}", "array and dst go together",
     NULL},
    {"{\"route\": {\"pattern\": \"transpose\", \"array\": @\"a\", \"dst\": \"b\", \"rate\": 0.5}}",
     "sent once, in one batch", NULL},
    {"{\"route\": {\"pattern\": \"transpose\", \"array\": @\"a\", \"dst\": \"b\", \"rates\": "
     "[0.5]}}",
     "sent once, in one batch", NULL},
    {"{\"route\": {\"pattern\": \"random\", \"array\": @\"a\", \"dst\": \"b\"}}",
     "the pattern random is not a permutation of the nodes", NULL},
    {"{\"route\": {\"pattern\": \"hot-spot\", \"array\": @\"a\", \"dst\": \"b\"}}",
     "the pattern hot-spot is not a permutation of the nodes", NULL},
    {"{\"route\": {\"pattern\": \"all-to-all\", \"array\": @\"a\", \"dst\": \"b\"}}",
     "the pattern all-to-all is not a permutation of the nodes", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"ring\", \"shape\": @[2, 2]}}",
     "shape is for a mesh, but the topology is ring", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": @[2]}}",
     "shape has 1 numbers, expected rows, columns", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": @2}}",
     "shape must be an array, found", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": [@0, 2]}}",
     "rows must be from 1 to 65536", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": [2, @0]}}",
     "columns must be from 1 to 65536", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": @[65536, 2]}}",
     "the mesh has 131072 nodes, expected at most 65536", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"ring\", \"method\": @\"signed\"}}",
     "method is for the hypercube or a mesh, not for a ring", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"linear\", \"method\": @\"forward\"}}",
     "method is for the hypercube or a mesh, not for a linear array", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"method\": @\"signed\"}}",
     "the method signed is not for a mesh", "forward and shorter for a mesh"},
    {"{\"shift\": {\"by\": 1, \"method\": @\"forward\"}}",
     "the method forward is not for the hypercube", "forward and shorter for a mesh"},
    {"{\"shift\": {\"by\": 1, \"topology\": \"linear\", \"labels\": @\"gray\"}}",
     "labels are for the hypercube, not for a linear array", NULL},
    {"{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"labels\": @\"gray\"}}",
     "labels are for the hypercube, not for a mesh", NULL},
    {"{\"shift\": {\"by\": 1, \"labels\": @\"binary\"}}", "phases works on Gray labels only",
     "e-cube"},
    {"{\"fill\": {\"array\": \"a\", \"value\": @\"b\"}}",
     "value \"b\" is an array, expected a number or a scalar", "copy takes an array"},
    {"{\"fill\": {\"array\": \"a\", \"value\": 1, \"section\": @[[1, 8]]}}",
     "section is a list of 1, expected a range for each dimension: 2", NULL},
    {"{\"fill\": {\"array\": \"a\", \"value\": 1, \"section\": @1}}",
     "section must be an array, found", NULL},
    {"{\"fill\": {\"array\": \"a\", \"value\": 1, \"section\": [[@9, 8], [1, 1]]}}", "from 1 to 8",
     NULL},
    {"{\"fill\": {\"array\": \"a\", \"value\": 1, \"section\": [@[5, 4], [1, 1]]}}",
     "the range from 5 to 4 is empty", NULL},
    {"{\"fill\": {\"array\": \"a\", \"value\": @\"nothing\"}}", "no such scalar or array",
     "declare it under"},
    {"{\"fill\": {\"array\": \"a\", \"value\": @[1, 2, 3]}}",
     "is a list of 3, expected a number or [re, im]", NULL},
    {"{\"fill\": {\"array\": \"a\", \"value\": @1e999}}", "the number 1e999 is too large", NULL},
    {"{\"reduce\": {\"op\": \"and\", \"src\": @\"a\"}}",
     "\"a\" is real64, which \"and\" does not take", "and, or and xor int32 and logical"},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": @3, \"dst\": \"b\"}}",
     "dim is 3, but \"a\" has 2 dimensions", "dims count from 1"},
    {"{\"reduce\": @{\"op\": \"sum\", \"src\": \"a\", \"dim\": 1}}", "missing key \"dst\" in",
     NULL},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"to\": @1}}",
     "to is an index along dim, and dim is missing", "has no place"},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": 1, \"to\": @9, \"dst\": \"b\"}}",
     "to must be from 1 to 8", NULL},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dst\": @\"b\"}}",
     "\"b\" is not one element of type real64", "add \"dim\""},
    {"{\"reduce\": {\"op\": \"maxloc\", \"src\": \"a\", \"dim\": 1, \"dst\": @\"b\"}}",
     "\"b\" is real64, expected int32", "the shape and layout of \"a\""},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"mask\": @\"b\"}}",
     "\"b\" is real64, expected logical", NULL},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"scalar\": @\"a\"}}",
     "scalar names \"a\", but there is no such scalar", "\"a\" is an array, expected a scalar"},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"scalar\": @\"nothing\"}}",
     "scalar names \"nothing\", but there is no such scalar", "declare it under"},
    {"{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": 1, \"dst\": \"b\", \"scalar\": "
     "@\"s\"}}",
     "a result for each column, not a scalar", "leave dim out"},
    {"{\"scan\": {\"op\": @\"minloc\", \"src\": \"a\", \"dim\": 1, \"dst\": \"b\"}}",
     "minloc is not for scans", "reduce finds locations"},
    {"{\"scan\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": 1, \"dst\": \"b\", \"segments\": "
     "@\"b\"}}",
     "\"b\" is real64, expected logical", NULL},
    {"{\"spread\": {\"src\": \"a\", \"dst\": @\"row\", \"dim\": 1}}", "\"row\" has shape", NULL},
    {"{\"combine\": {\"dst\": \"a\", \"terms\": [@[1, \"a\", 2]]}}",
     "a term is a list of another length, expected [coefficient, \"array\"]", NULL},
    {"{\"combine\": {\"dst\": \"a\", \"terms\": @1}}", "terms must be an array, found", NULL},
    {"{\"pshift\": [{\"type\": \"eoshift_array\", \"dst\": \"row\", \"src\": \"row\", \"dim\": 1, "
     "\"distance\": 1, \"boundary\": @\"row\"}]}",
     "one element, but \"row\" is an array", "a number or the name of a scalar"},
    {"{\"pshift\": [{\"type\": \"eoshift_array\", \"dst\": \"n\", \"src\": \"n\", \"dim\": 1, "
     "\"distance\": 1, \"boundary\": @\"row\"}]}",
     "boundary \"row\" is real64, but \"n\" is int32", NULL},
    {"{\"pshift\": [@5]}", "must be an object", NULL},
    {"{\"broadcast\": {\"array\": \"a\", \"from\": @[1]}}", "an index for each dimension", NULL},
    {"{\"repeat\": {\"times\": 2, \"steps\": @5}}", "steps must be an array, found", NULL},
    {"{\"copy\": {\"dst\": \"a\", \"src\": \"b\"}, @\"sutep\": 1}", "unknown step \"sutep\"", NULL},
};

START_TEST(faults_of_steps_have_their_place)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD ARRAYS MIDDLE "%s" TAIL, step_faults[_i].text);
    expect_fault(text, &step_faults[_i]);
}
END_TEST

/* Writes a workload whose step compute has `count` groups, nested or one after the other. */
static void write_groups(char *text, size_t size, unsigned count, bool nested)
{
    size_t used = (size_t)snprintf(
        text, size, HEAD ARRAYS MIDDLE "{\"compute\": {\"dst\": \"a\", \"value\": \"");
    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, nested ? "(" : "(b)+");
    used += (size_t)snprintf(text + used, size - used, "b");
    for (unsigned i = 0; nested && i < count; i++)
        used += (size_t)snprintf(text + used, size - used, ")");
    snprintf(text + used, size - used, "\"}}" TAIL);
}

START_TEST(groups_may_follow_each_other_more_often_than_they_nest)
{
    struct cm_workload *workload;
    struct cm_error err;
    char text[4096];
    write_groups(text, sizeof text, 150, false);
    ck_assert_msg(cm_workload_parse("w.json", text, strlen(text), &workload, &err) == CM_OK, "%s",
                  err.message);
    cm_workload_destroy(workload);
    write_groups(text, sizeof text, 150, true);
    ck_assert_int_eq(cm_workload_parse("w.json", text, strlen(text), &workload, &err),
                     CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "nested too deeply"));
}
END_TEST

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
     {NULL, "different layouts", "like"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"},\n\"b\": {\"shape\": [8], \"type\": "
     "\"real64\", "
     "\"axes\": [\"serial\"]}",
     SHIFT_HEAD "\"cshift\", \"dst\": @\"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1}]}",
     {NULL, "different layouts", NULL}},
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
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 4}}",
     {NULL, "by is 4, expected 1 to 3", "0 < q < p"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 1, \"nodes\": 3}}",
     {NULL, "nodes is 3, expected a power of two", "any even number"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 1, \"nodes\": 3, \"topology\": \"ring\"}}",
     {NULL, "nodes of the ring is 3, expected an even number", "odd length"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 1, \"nodes\": 4, \"topology\": \"mesh\", \"shape\": [2, 3]}}",
     {NULL, "a mesh of 2 x 3 does not have 4 nodes", "rows times columns"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": [3, 2]}}",
     {NULL, "rows of the mesh is 3, expected an even number", NULL}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 1, \"topology\": \"mesh\", \"shape\": [2, 3]}}",
     {NULL, "columns of the mesh is 3, expected an even number", NULL}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 1, \"nodes\": 6, \"topology\": \"mesh\"}}",
     {NULL, "6 nodes do not make a square mesh", "\"shape\": [2, 4]"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"shift\": {\"by\": 1, \"nodes\": 8}}",
     {NULL, "the shift needs a cube of 8 nodes, but only 4 are used", "--nodes"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"route\": {\"pattern\": \"hot-spot\", \"hot\": 4}}",
     {NULL, "hot is node 4, but the nodes are 0 to 3", NULL}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"route\": {\"pattern\": \"shift\", \"by\": 4}}",
     {NULL, "by is 4, expected 1 to 3", NULL}},
    {"\"a\": {\"shape\": [6], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"route\": {\"pattern\": \"transpose\", \"array\": \"a\", \"dst\": \"b\"}}",
     {NULL, "not all of its nodes are full", "without padding"}},
    {"\"a\": {\"shape\": [2], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "@{\"route\": {\"pattern\": \"transpose\", \"array\": \"a\", \"dst\": \"b\"}}",
     {NULL, "not all of its nodes are full", "without padding"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\"}, \"b\": {\"like\": \"a\"}",
     "{\"reshape\": {\"array\": \"a\", \"shape\": @[2, 4], \"algorithm\": \"rotate\", \"order\": "
     "[60]}}",
     {NULL, "the order is not a permutation of the dimensions to exchange: it has 60",
      "the dimensions to exchange are 1"}},
    {"\"a\": {\"shape\": [8], \"type\": \"real64\", \"axes\": [\"send\"]}",
     "{\"reshape\": {\"array\": \"a\", \"shape\": @[2, 4]}}",
     {NULL, "axis 0 (dim 1 in a workload) is send; a reshape needs news axes", "powers of two"}},
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

static const struct fault imp_faults[] = {
    {"@{}", "argument \"p\" of IMP t is missing", "name of an array"},
    {"@{\"p\": \"a\"}", "argument \"val\" of IMP t is missing", NULL},
    {"{\"p\": @1, \"val\": 2}", "is a number, expected an array", "address"},
    {"{\"p\": \"a\", \"val\": @\"a\"}", "is an array, expected a number", "scalar"},
    {"{\"p\": \"a\", \"val\": @1e300}", "too large for real32", NULL},
    {"{\"p\": \"a\", \"val\": 1, \"y\": @2}", "has no argument \"y\"", NULL},
    {"{\"p\": \"a\", \"vall\": @2}", "has no argument \"vall\"", "did you mean \"val\"?"},
    {"{\"p\": \"a\", \"val\": {\"int32\": @1.5}}", "int32", NULL},
};

/* A workload beside t.imp that runs it with these arguments. */
static struct cm_workload *parse_imp_workload(struct folder *folder, const char *type,
                                              const char *arguments)
{
    char text[1000];
    struct cm_workload *workload = NULL;
    struct cm_error err;
    snprintf(text, sizeof text,
             "{ \"format\": \"cm200-workload/1\", \"nodes\": 4, \"check\": true,\n\"arrays\": {\n"
             "\"a\": {\"shape\": [4], \"type\": \"%s\"}\n},\n"
             "\"steps\": [ {\"imp\": {\"file\": \"t.imp\", \"arguments\":\n%s}} ] }",
             type, arguments);
    ck_assert_msg(cm_workload_parse(folder_path(folder, 1, "w.json"), text, strlen(text), &workload,
                                    &err) == CM_OK,
                  "%s", err.message);
    return workload;
}

#define IMP_HEAD ".imp t\n.address p\n.scalar val\naarg r0, p\n"
#define IMP      IMP_HEAD "fscal32 f0, val\nfstore32 [r0], f0\nhalt\n"

static void write_imp(struct folder *folder, const char *text)
{
    FILE *file = fopen(folder_path(folder, 0, "t.imp"), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
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
    write_imp(&folder, IMP);
    snprintf(arguments, sizeof arguments, "%s", imp_faults[_i].text);
    struct mark mark = take_mark(arguments);
    mark.line += 5;
    struct cm_workload *workload = parse_imp_workload(&folder, "real32", arguments);
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
    char arguments[] = "{\"p\": \"a\", \"val\": 1.5}";
    float found[4];
    folder_create(&folder);
    write_imp(&folder, IMP);
    struct cm_workload *workload = parse_imp_workload(&folder, "real32", arguments);
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

/* The bits that an IMP gets for an argument: by the instructions that use it, or as it is said. */
static uint64_t bits_stored(const char *imp, const char *type, const char *arguments,
                            enum cm_status expected, struct cm_error *err)
{
    struct folder folder;
    struct cm_run *run;
    struct cm_config config = cm200_config();
    struct cm_run_options options = {.config = &config, .threads = 1};
    uint64_t wide[4] = {0};
    uint32_t narrow[4] = {0};
    folder_create(&folder);
    write_imp(&folder, imp);
    struct cm_workload *workload = parse_imp_workload(&folder, type, arguments);
    ck_assert_msg(cm_run_create(workload, &options, &run, err) == expected, "%s", err->message);
    if (expected == CM_OK) {
        bool is_wide = strcmp(type, "real64") == 0;
        ck_assert_int_eq(cm_run_execute(run, err), CM_OK);
        cm_array_gather(cm_run_system(run), cm_run_array(run, "a"),
                        is_wide ? (void *)wide : (void *)narrow, err);
        wide[0] = is_wide ? wide[0] : narrow[0];
    }
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
    return wide[0];
}

START_TEST(a_scalar_has_the_width_of_its_use)
{
    static const char wide[] = IMP_HEAD "fscal64 f2, val\nfstore64 [r0], f2\nhalt\n";
    static const char both[] = IMP_HEAD "fscal32 f0, val\nfscal64 f2, val\nhalt\n";
    struct cm_error err;
    ck_assert_uint_eq(bits_stored(IMP, "real32", "{\"p\": \"a\", \"val\": 1.5}", CM_OK, &err),
                      0x3fc00000);
    ck_assert_uint_eq(
        bits_stored(IMP, "int32", "{\"p\": \"a\", \"val\": {\"int32\": -2}}", CM_OK, &err),
        0xfffffffe);
    ck_assert_uint_eq(bits_stored(wide, "real64", "{\"p\": \"a\", \"val\": 1.5}", CM_OK, &err),
                      UINT64_C(0x3ff8000000000000));
    ck_assert_uint_eq(
        bits_stored(wide, "real64", "{\"p\": \"a\", \"val\": {\"real32\": 1.5}}", CM_OK, &err),
        0x3fc00000);
    bits_stored(both, "real32", "{\"p\": \"a\", \"val\": 1.5}", CM_BAD_INPUT, &err);
    ck_assert_str_eq(err.message,
                     "IMP t uses \"val\" both as 32 and as 64 bits, so its type must be given");
    ck_assert_str_eq(err.hint, "write {\"real32\": x}, {\"real64\": x} or {\"int32\": n}");
    bits_stored(both, "real32", "{\"p\": \"a\", \"val\": {\"real64\": 1.5}}", CM_OK, &err);
}
END_TEST

START_TEST(an_imp_that_two_steps_use_is_loaded_once)
{
    struct folder folder;
    struct cm_error err;
    struct cm_run *run;
    struct cm_workload *workload;
    struct cm_config config = cm200_config();
    struct cm_run_options options = {.config = &config, .threads = 1};
    const char *small = "sequencer.sram_words=6";
    char text[2000];
    float found[4];
    folder_create(&folder);
    write_imp(&folder, IMP);
    /* room for one of it, not for two */
    ck_assert_int_eq(cm_config_set(&config, &small, 1, &err), CM_OK);
    snprintf(
        text, sizeof text,
        "{\"format\": \"cm200-workload/1\", \"nodes\": 4, \"arrays\": {\"a\": {\"shape\": [4], "
        "\"type\": \"real32\"}, \"b\": {\"like\": \"a\"}}, \"steps\": [");
    for (int i = 0; i < 3; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "%s{\"imp\": {\"file\": \"t.imp\", \"arguments\": {\"p\": \"%s\", \"val\": %d}}}",
                 i > 0 ? ", " : "", i == 1 ? "b" : "a", i + 1);
    }
    strcat(text, "]}");
    ck_assert_msg(cm_workload_parse(folder_path(&folder, 1, "w.json"), text, strlen(text),
                                    &workload, &err) == CM_OK,
                  "%s", err.message);
    ck_assert_msg(cm_run_create(workload, &options, &run, &err) == CM_OK, "%s", err.message);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s", err.message);
    ck_assert_uint_gt(2 * cm_run_result(run)->steps[0].sram_words, 6);
    cm_array_gather(cm_run_system(run), cm_run_array(run, "a"), found, &err);
    ck_assert(found[0] == 3);
    cm_array_gather(cm_run_system(run), cm_run_array(run, "b"), found, &err);
    ck_assert(found[3] == 2);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

CM_PROGRAM(test_step_errors)
{
    Suite *suite = suite_create("steps");
    TCase *faults = tcase_create("faults");
    tcase_add_loop_test(faults, faults_of_steps_have_their_place, 0, COUNT(step_faults));
    tcase_add_loop_test(faults, faults_of_preparing_have_their_place, 0, COUNT(run_faults));
    tcase_add_loop_test(faults, arguments_of_an_imp_are_checked_by_name_and_kind, 0,
                        COUNT(imp_faults));
    tcase_add_test(faults, an_imp_runs_and_is_not_said_to_be_checked);
    tcase_add_test(faults, a_scalar_has_the_width_of_its_use);
    tcase_add_test(faults, groups_may_follow_each_other_more_often_than_they_nest);
    tcase_add_test(faults, an_imp_that_two_steps_use_is_loaded_once);
    suite_add_tcase(suite, faults);
    return cm_run_suite(suite);
}
