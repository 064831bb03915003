/*
 * Random array statements: expressions of all types over arrays of random shape and layout, masks,
 * several assignments in one IMP, on 1 to 2,048 nodes, against an evaluation on the host, to the
 * last bit; the same cycles without data. Prints TAP.
 *
 *   property elementwise [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/elementwise/elementwise.h"
#include "../../programs/workload/reference_elementwise.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include <math.h>

#define ARRAYS_MAX     6u
#define SCALARS_MAX    3u
#define STATEMENTS_MAX 5u
#define TREES_MAX      4096u

struct statement {
    uint32_t to;
    const struct cm_reference_tree *value;
    const struct cm_reference_tree *mask; /* or NULL */
};

struct scene {
    struct cm_random random;
    struct cm_layout_request request;
    struct cm_layout layout; /* of the first array */
    uint32_t nodes;
    uint32_t array_count, scalar_count, statement_count;
    enum cm_type types[ARRAYS_MAX];
    struct cm_reference_number *elements[ARRAYS_MAX]; /* on the host */
    struct cm_reference_number scalars[SCALARS_MAX];
    struct statement statements[STATEMENTS_MAX];
    struct cm_reference_tree trees[TREES_MAX];
    uint32_t tree_count;
};

struct tally {
    uint64_t cases, elements, padded, masked, lists, spills, several_imps, refused, nodes_made;
};

/* ---- random values and trees ---- */

static double random_real(struct cm_random *r)
{
    const double value = (double)(int64_t)cm_random_next(r) / 9223372036854775808.0;
    switch (cm_random_below(r, 24)) {
    case 0:
        return 0.0;
    case 1:
        return -0.0;
    case 2:
        return INFINITY;
    case 3:
        return NAN;
    case 4:
        return value * 1e30;
    case 5:
        return value * 1e-30;
    case 6:
        return (double)cm_random_range(r, -8, 8) / 2;
    default:
        return value * 16;
    }
}

static int32_t random_whole(struct cm_random *r)
{
    switch (cm_random_below(r, 8)) {
    case 0:
        return (int32_t)cm_random_next(r);
    case 1:
        return INT32_MIN;
    case 2:
        return 0;
    default:
        return (int32_t)cm_random_range(r, -40, 40);
    }
}

static struct cm_reference_number random_number(struct cm_random *r, enum cm_type type)
{
    const bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    struct cm_reference_number number = {.type = type};
    if (type == CM_TYPE_INT32) {
        number.whole = random_whole(r);
    } else if (type == CM_TYPE_LOGICAL) {
        number.whole = (int32_t)cm_random_below(r, 2);
    } else {
        number.re = single ? (double)(float)random_real(r) : random_real(r);
        if (cm_type_components(type) == 2)
            number.im = single ? (double)(float)random_real(r) : random_real(r);
    }
    return number;
}

static struct cm_reference_tree *new_tree(struct scene *s, int op, enum cm_type type)
{
    struct cm_reference_tree *tree = &s->trees[s->tree_count++];
    *tree = (struct cm_reference_tree){.op = op, .type = type};
    return tree;
}

static const struct cm_reference_tree *constant(struct scene *s, enum cm_type type, double value)
{
    struct cm_reference_tree *tree = new_tree(s, CM_REFERENCE_CONSTANT, type);
    tree->value = (struct cm_reference_number){.type = type, .re = value};
    if (type == CM_TYPE_INT32)
        tree->value = (struct cm_reference_number){.type = type, .whole = (int32_t)value};
    if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64)
        tree->value.re = (float)value;
    return tree;
}

static const struct cm_reference_tree *node(struct scene *s, int op, enum cm_type type,
                                            const struct cm_reference_tree *x,
                                            const struct cm_reference_tree *y,
                                            const struct cm_reference_tree *z)
{
    struct cm_reference_tree *tree = new_tree(s, op, type);
    tree->operands[0] = x;
    tree->operands[1] = y;
    tree->operands[2] = z;
    return tree;
}

static const struct cm_reference_tree *leaf(struct scene *s, enum cm_type type)
{
    struct cm_random *r = &s->random;
    const uint32_t first = cm_random_below(r, s->array_count);
    for (uint32_t i = 0; cm_random_below(r, 8) != 0 && i < s->array_count; i++) {
        const uint32_t k = (first + i) % s->array_count;
        if (s->types[k] != type)
            continue;
        struct cm_reference_tree *tree = new_tree(s, CM_REFERENCE_ARRAY, type);
        tree->leaf = k;
        return tree;
    }
    for (uint32_t k = 0; cm_random_below(r, 2) && k < s->scalar_count; k++)
        if (s->scalars[k].type == type) {
            struct cm_reference_tree *tree = new_tree(s, CM_REFERENCE_SCALAR, type);
            tree->leaf = k;
            return tree;
        }
    if (type == CM_TYPE_INT32 && cm_random_below(r, 2)) {
        struct cm_reference_tree *tree = new_tree(s, CM_REFERENCE_INDEX, type);
        tree->leaf = cm_random_below(r, s->request.rank);
        return tree;
    }
    struct cm_reference_tree *tree = new_tree(s, CM_REFERENCE_CONSTANT, type);
    tree->value = random_number(r, type);
    return tree;
}

static const struct cm_reference_tree *grow(struct scene *s, enum cm_type type, uint32_t depth);

/* x between two numbers, so that what it becomes is defined. */
static const struct cm_reference_tree *bounded(struct scene *s, enum cm_type type, uint32_t depth,
                                               double low, double high)
{
    const struct cm_reference_tree *x = grow(s, type, depth);
    x = node(s, CM_EXPRESSION_MAX, type, x, constant(s, type, low), NULL);
    return node(s, CM_EXPRESSION_MIN, type, x, constant(s, type, high), NULL);
}

static enum cm_type random_number_type(struct cm_random *r)
{
    return (enum cm_type)cm_random_below(r, CM_TYPE_INT32 + 1);
}

static const struct cm_reference_tree *converted(struct scene *s, enum cm_type type, uint32_t depth)
{
    const enum cm_type from = random_number_type(&s->random);
    if (from == type)
        return grow(s, type, depth);
    return node(s, CM_REFERENCE_CONVERT, type, grow(s, from, depth), NULL, NULL);
}

static const struct cm_reference_tree *grow_logical(struct scene *s, uint32_t depth)
{
    struct cm_random *r = &s->random;
    const int op = (int)cm_random_range(r, CM_EXPRESSION_EQUAL, CM_EXPRESSION_NEQV);
    enum cm_type type = random_number_type(r);
    if (cm_random_below(r, 12) == 0)
        return node(s, CM_EXPRESSION_BTEST, CM_TYPE_LOGICAL, grow(s, CM_TYPE_INT32, depth),
                    bounded(s, CM_TYPE_INT32, depth, 0, 31), NULL);
    if (op >= CM_EXPRESSION_AND)
        return node(s, op, CM_TYPE_LOGICAL, grow(s, CM_TYPE_LOGICAL, depth),
                    op == CM_EXPRESSION_NOT ? NULL : grow(s, CM_TYPE_LOGICAL, depth), NULL);
    while (op > CM_EXPRESSION_NOT_EQUAL && cm_type_components(type) == 2)
        type = random_number_type(r);
    return node(s, op, CM_TYPE_LOGICAL, grow(s, type, depth), grow(s, type, depth), NULL);
}

static const struct cm_reference_tree *grow_power(struct scene *s, enum cm_type type,
                                                  uint32_t depth)
{
    static const int exponents[] = {-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 15, 23, 31, 63, 259};
    struct cm_random *r = &s->random;
    const struct cm_reference_tree *x = grow(s, type, depth);
    if (cm_random_below(r, 4) == 0)
        return node(s, CM_EXPRESSION_POWER, type, x, bounded(s, CM_TYPE_INT32, 0, -50, 50), NULL);
    const int n = exponents[cm_random_below(r, sizeof exponents / sizeof exponents[0])];
    return node(s, CM_EXPRESSION_POWER, type, x, constant(s, CM_TYPE_INT32, n), NULL);
}

static const struct cm_reference_tree *grow_integer(struct scene *s, uint32_t depth)
{
    static const int ops[] = {CM_EXPRESSION_MOD,   CM_EXPRESSION_MODULO, CM_EXPRESSION_MIN,
                              CM_EXPRESSION_MAX,   CM_EXPRESSION_SIGN,   CM_EXPRESSION_DIM,
                              CM_EXPRESSION_IAND,  CM_EXPRESSION_IOR,    CM_EXPRESSION_IEOR,
                              CM_EXPRESSION_ISHFT, CM_EXPRESSION_IBSET,  CM_EXPRESSION_IBCLR};
    static const int to_integer[] = {CM_EXPRESSION_NINT, CM_EXPRESSION_FLOOR,
                                     CM_EXPRESSION_CEILING};
    struct cm_random *r = &s->random;
    const enum cm_type real = cm_random_below(r, 2) ? CM_TYPE_REAL32 : CM_TYPE_REAL64;
    const struct cm_reference_tree *x, *y;
    if (cm_random_below(r, 5) == 0)
        return node(s, to_integer[cm_random_below(r, 3)], CM_TYPE_INT32,
                    bounded(s, real, depth, -1e6, 1e6), NULL, NULL);
    x = grow(s, CM_TYPE_INT32, depth);
    if (cm_random_below(r, 8) == 0)
        return node(s, cm_random_below(r, 2) ? CM_EXPRESSION_INOT : CM_EXPRESSION_ABS,
                    CM_TYPE_INT32, x, NULL, NULL);
    const int op = ops[cm_random_below(r, sizeof ops / sizeof ops[0])];
    if (op == CM_EXPRESSION_IBSET || op == CM_EXPRESSION_IBCLR)
        y = bounded(s, CM_TYPE_INT32, depth, 0, 31);
    else
        y = grow(s, CM_TYPE_INT32, depth);
    return node(s, op, CM_TYPE_INT32, x, y, NULL);
}

static const struct cm_reference_tree *grow_real(struct scene *s, enum cm_type type, uint32_t depth)
{
    static const int ops[] = {CM_EXPRESSION_ABS,   CM_EXPRESSION_SQRT, CM_EXPRESSION_AINT,
                              CM_EXPRESSION_ANINT, CM_EXPRESSION_MIN,  CM_EXPRESSION_MAX,
                              CM_EXPRESSION_SIGN,  CM_EXPRESSION_DIM};
    struct cm_random *r = &s->random;
    const enum cm_type complex = type == CM_TYPE_REAL32 ? CM_TYPE_COMPLEX64 : CM_TYPE_COMPLEX128;
    const uint32_t which = cm_random_below(r, 12);
    if (which == 8)
        return node(s, CM_EXPRESSION_AIMAG, type, grow(s, complex, depth), NULL, NULL);
    if (which >= 9) {
        const struct cm_reference_tree *y = grow(s, type, depth);
        y = node(s, CM_EXPRESSION_MAX, type, node(s, CM_EXPRESSION_ABS, type, y, NULL, NULL),
                 constant(s, type, 1e-3), NULL);
        y = node(s, CM_EXPRESSION_SIGN, type, y, leaf(s, type), NULL);
        return node(s, which == 9 ? CM_EXPRESSION_MOD : CM_EXPRESSION_MODULO, type,
                    bounded(s, type, depth, -1e6, 1e6), y, NULL);
    }
    return node(s, ops[which], type, grow(s, type, depth), which < 4 ? NULL : grow(s, type, depth),
                NULL);
}

static const struct cm_reference_tree *grow_complex(struct scene *s, enum cm_type type,
                                                    uint32_t depth)
{
    const enum cm_type part = type == CM_TYPE_COMPLEX64 ? CM_TYPE_REAL32 : CM_TYPE_REAL64;
    if (cm_random_below(&s->random, 2))
        return node(s, CM_EXPRESSION_CONJG, type, grow(s, type, depth), NULL, NULL);
    return node(s, CM_EXPRESSION_CMPLX, type, grow(s, part, depth), grow(s, part, depth), NULL);
}

static const struct cm_reference_tree *grow(struct scene *s, enum cm_type type, uint32_t depth)
{
    struct cm_random *r = &s->random;
    const uint32_t which = cm_random_below(r, 16);
    if (depth == 0 || s->tree_count > TREES_MAX - 256)
        return leaf(s, type);
    depth--;
    if (which == 0)
        return node(s, CM_EXPRESSION_MERGE, type, grow(s, type, depth), grow(s, type, depth),
                    grow(s, CM_TYPE_LOGICAL, depth));
    if (type == CM_TYPE_LOGICAL)
        return which < 3 ? leaf(s, type) : grow_logical(s, depth);
    if (which == 1)
        return converted(s, type, depth);
    if (which == 2)
        return grow_power(s, type, depth);
    if (which == 3)
        return node(s, CM_EXPRESSION_NEGATE, type, grow(s, type, depth), NULL, NULL);
    if (which < 10)
        return node(s, (int)cm_random_range(r, CM_EXPRESSION_ADD, CM_EXPRESSION_DIVIDE), type,
                    grow(s, type, depth), grow(s, type, depth), NULL);
    if (which < 12)
        return leaf(s, type);
    if (type == CM_TYPE_INT32)
        return grow_integer(s, depth);
    return cm_type_components(type) == 2 ? grow_complex(s, type, depth) : grow_real(s, type, depth);
}

/* ---- a case ---- */

static void random_request(struct scene *s)
{
    struct cm_random *r = &s->random;
    uint64_t left = 6000;
    s->request = (struct cm_layout_request){.rank = 1 + cm_random_below(r, 4)};
    for (uint32_t a = 0; a < s->request.rank; a++) {
        uint32_t length = 1 + cm_random_below(r, a == 0 ? 300 : 24);
        while (cm_random_below(r, 2) && (length & (length - 1)))
            length &= length - 1;
        if (length > left)
            length = (uint32_t)left;
        s->request.shape[a] = length;
        s->request.orders[a] = (enum cm_order)cm_random_below(r, CM_ORDER_COUNT);
        s->request.weights[a] = 1 + cm_random_below(r, 3);
        left /= length;
    }
    s->nodes = UINT32_C(1) << cm_random_below(r, 12);
}

static bool scene_init(struct scene *s, uint64_t seed, uint64_t number)
{
    struct cm_error err;
    memset(s, 0, sizeof *s);
    s->random = cm_random_of_case(seed, number);
    random_request(s);
    s->array_count = 1 + cm_random_below(&s->random, ARRAYS_MAX);
    s->scalar_count = cm_random_below(&s->random, SCALARS_MAX + 1);
    for (uint32_t k = 0; k < s->array_count; k++)
        s->types[k] = (enum cm_type)cm_random_below(&s->random, CM_TYPE_COUNT);
    for (uint32_t k = 0; k < s->scalar_count; k++)
        s->scalars[k] =
            random_number(&s->random, (enum cm_type)cm_random_below(&s->random, CM_TYPE_COUNT));
    if (cm_layout_create(&s->request, s->nodes, &s->layout, &err) != CM_OK)
        return false;
    for (uint32_t k = 0; k < s->array_count; k++) {
        s->elements[k] = malloc(s->layout.elements * sizeof *s->elements[k]);
        for (uint64_t e = 0; e < s->layout.elements; e++)
            s->elements[k][e] = random_number(&s->random, s->types[k]);
    }
    s->statement_count = 1 + cm_random_below(&s->random, STATEMENTS_MAX);
    for (uint32_t i = 0; i < s->statement_count; i++) {
        struct statement *statement = &s->statements[i];
        const uint32_t depth = cm_random_below(&s->random, 6);
        statement->to = cm_random_below(&s->random, s->array_count);
        statement->value = grow(s, s->types[statement->to], depth);
        if (cm_random_below(&s->random, 2))
            statement->mask = grow(s, CM_TYPE_LOGICAL, cm_random_below(&s->random, 3));
        if (i > 0 && s->statements[i - 1].mask && cm_random_below(&s->random, 3) == 0)
            statement->mask =
                node(s, CM_EXPRESSION_NOT, CM_TYPE_LOGICAL, s->statements[i - 1].mask, NULL, NULL);
    }
    return true;
}

static void scene_finish(struct scene *s)
{
    for (uint32_t k = 0; k < s->array_count; k++)
        free(s->elements[k]);
}

static struct cm_scalar scalar_of(const struct cm_reference_number *number)
{
    return cm_scalar_make(number->type,
                          number->type == CM_TYPE_INT32 || number->type == CM_TYPE_LOGICAL
                              ? (double)number->whole
                              : number->re,
                          number->im);
}

static uint32_t build(struct cm_expression *e, const struct cm_reference_tree *tree)
{
    uint32_t operands[3] = {0};
    switch (tree->op) {
    case CM_REFERENCE_ARRAY:
        return cm_expression_array(e, tree->leaf, tree->type);
    case CM_REFERENCE_SCALAR:
        return cm_expression_scalar(e, tree->leaf, tree->type);
    case CM_REFERENCE_CONSTANT:
        return cm_expression_constant(e, tree->type, scalar_of(&tree->value));
    case CM_REFERENCE_INDEX:
        return cm_expression_index(e, tree->leaf);
    default:
        break;
    }
    for (int i = 0; i < 3; i++)
        if (tree->operands[i])
            operands[i] = build(e, tree->operands[i]);
    if (tree->op == CM_REFERENCE_CONVERT)
        return cm_expression_convert(e, operands[0], tree->type);
    return cm_expression_node(e, (enum cm_expression_op)tree->op, operands[0], operands[1],
                              operands[2]);
}

static struct cm_expression *build_all(const struct scene *s)
{
    struct cm_expression *e = cm_expression_create();
    for (uint32_t i = 0; i < s->statement_count; i++) {
        const struct statement *statement = &s->statements[i];
        const uint32_t mask = statement->mask ? build(e, statement->mask) : 0;
        cm_expression_assign(e, statement->to, build(e, statement->value), mask);
    }
    return e;
}

/* The statements on the host, one after the other. */
static void play(struct scene *s)
{
    struct cm_reference_number arrays[ARRAYS_MAX];
    for (uint64_t e = 0; e < s->layout.elements; e++) {
        int32_t indices[CM_RANK_MAX];
        uint64_t rest = e;
        for (uint32_t a = 0; a < s->request.rank; a++) {
            indices[a] = (int32_t)(rest % s->request.shape[a]) + 1;
            rest /= s->request.shape[a];
        }
        for (uint32_t k = 0; k < s->array_count; k++)
            arrays[k] = s->elements[k][e];
        const struct cm_reference_leaves scene = {arrays, s->scalars, indices};
        for (uint32_t i = 0; i < s->statement_count; i++) {
            const struct statement *statement = &s->statements[i];
            if (!statement->mask || cm_reference_evaluate(statement->mask, &scene).whole)
                arrays[statement->to] = cm_reference_evaluate(statement->value, &scene);
        }
        for (uint32_t k = 0; k < s->array_count; k++)
            s->elements[k][e] = arrays[k];
    }
}

static enum cm_status make_arrays(const struct scene *s, struct cm_system *system,
                                  struct cm_array **arrays, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t k = 0; status == CM_OK && k < s->array_count; k++) {
        struct cm_layout_request request = s->request;
        struct cm_layout layout;
        char name[16];
        snprintf(name, sizeof name, "a%u", (unsigned)k);
        request.type = s->types[k];
        status = cm_layout_create(&request, s->nodes, &layout, err);
        if (status == CM_OK)
            status = cm_array_create(system, name, &layout, &arrays[k], err);
        const size_t bytes = cm_type_host_bytes(s->types[k]);
        unsigned char *elements = malloc(bytes * s->layout.elements);
        for (uint64_t e = 0; e < s->layout.elements; e++)
            cm_reference_write(&s->elements[k][e], elements + e * bytes);
        if (status == CM_OK)
            status = cm_array_scatter(system, arrays[k], elements, err);
        free(elements);
    }
    return status;
}

static bool compare(const struct scene *s, struct cm_system *system, struct cm_array *const *arrays)
{
    struct cm_error err;
    bool good = true;
    for (uint32_t k = 0; good && k < s->array_count; k++) {
        const size_t bytes = cm_type_host_bytes(s->types[k]);
        unsigned char *elements = malloc(bytes * s->layout.elements);
        good = cm_array_gather(system, arrays[k], elements, &err) == CM_OK;
        for (uint64_t e = 0; good && e < s->layout.elements; e++) {
            const struct cm_reference_number found =
                cm_reference_read(s->types[k], elements + e * bytes);
            const struct cm_reference_number *expected = &s->elements[k][e];
            good = cm_reference_same(&found, expected);
            if (!good)
                printf("# array %u (%s), element %" PRIu64 ": %d %.17g %.17g, expected %d %.17g "
                       "%.17g\n",
                       (unsigned)k, cm_type_name(s->types[k]), e, found.whole, found.re, found.im,
                       expected->whole, expected->re, expected->im);
        }
        free(elements);
    }
    return good;
}

/* Whether it was refused because one element alone takes more code than there is room. */
static bool is_too_long(const struct cm_config *config, const struct cm_error *err)
{
    uint64_t words = 0;
    return sscanf(err->message, "elementwise: the IMP takes %" SCNu64, &words) == 1 &&
           words > config->sequencer_sram_words;
}

/* Runs the statements; *cycles are those they took. */
static bool run(struct scene *s, const struct cm_config *config, bool timing_only, uint64_t *cycles,
                struct tally *tally)
{
    const struct cm_machine_options options = {
        .nodes = s->nodes, .threads = 1, .timing_only = timing_only};
    struct cm_array *arrays[ARRAYS_MAX] = {NULL};
    struct cm_scalar scalars[SCALARS_MAX];
    struct cm_elementwise_info info;
    struct cm_system *system = NULL;
    struct cm_error err = {.message = ""};
    struct cm_expression *e = build_all(s);
    enum cm_status status = cm_system_create(config, &options, &system, &err);
    if (status == CM_OK)
        status = make_arrays(s, system, arrays, &err);
    for (uint32_t k = 0; k < s->scalar_count; k++)
        scalars[k] = scalar_of(&s->scalars[k]);
    if (status == CM_OK)
        status = cm_elementwise_explain(
            system, e, &(struct cm_elementwise_arguments){arrays, s->array_count, NULL, 0}, &info,
            &err);
    if (status == CM_OK)
        status = cm_elementwise_call(
            system, e,
            &(struct cm_elementwise_arguments){arrays, s->array_count, scalars, s->scalar_count},
            &err);
    const bool ran = status == CM_OK;
    bool good = ran || is_too_long(config, &err);
    tally->refused += good && !ran;
    if (!good)
        printf("# %s\n", err.message);
    if (ran) {
        *cycles = cm_machine_counters(cm_system_machine(system)).cycles;
        tally->spills += info.spills > 0;
        tally->several_imps += info.imps > 1;
    }
    if (ran && !timing_only) {
        play(s);
        good = compare(s, system, arrays);
    }
    for (uint32_t k = 0; k < s->array_count; k++)
        cm_array_destroy(system, arrays[k]);
    cm_system_destroy(system);
    cm_expression_destroy(e);
    return good;
}

static bool is_padded(const struct cm_layout *layout)
{
    bool padded = false;
    for (uint32_t a = 0; a < layout->rank; a++)
        padded = padded || layout->axes[a].padded;
    return padded;
}

/* A statement's tree as text, to find what is wrong. */
static void print_tree(const struct cm_reference_tree *tree)
{
    static const char *const leaves[] = {"array", "scalar", "constant", "index", "convert"};
    printf("%s:%s",
           tree->op < CM_REFERENCE_ARRAY ? cm_expression_op_name((enum cm_expression_op)tree->op)
                                         : leaves[tree->op - CM_REFERENCE_ARRAY],
           cm_type_name(tree->type));
    if (tree->op == CM_REFERENCE_CONSTANT)
        printf("=%d %.9g %.9g", tree->value.whole, tree->value.re, tree->value.im);
    else if (tree->op >= CM_REFERENCE_ARRAY && tree->op < CM_REFERENCE_CONVERT)
        printf(" %u", (unsigned)tree->leaf);
    for (int i = 0; i < 3 && tree->operands[i]; i++) {
        printf(i == 0 ? "(" : ", ");
        print_tree(tree->operands[i]);
    }
    printf(tree->operands[0] ? ")" : "");
}

static void print_statements(const struct scene *s)
{
    for (uint32_t i = 0; i < s->statement_count; i++) {
        printf("# array %u = ", (unsigned)s->statements[i].to);
        print_tree(s->statements[i].value);
        if (s->statements[i].mask) {
            printf(" where ");
            print_tree(s->statements[i].mask);
        }
        printf("\n");
    }
}

static bool test_random(const struct cm_config *config, uint64_t cases, uint64_t seed,
                        struct tally *tally)
{
    static struct scene scene;
    for (uint64_t i = 0; i < cases; i++) {
        uint64_t cycles = 0, timed = 0;
        bool masked = false;
        if (!scene_init(&scene, seed, i))
            return false;
        tally->cases++;
        tally->elements += scene.layout.elements;
        tally->padded += is_padded(&scene.layout);
        tally->lists += scene.statement_count > 1;
        tally->nodes_made += scene.tree_count;
        for (uint32_t k = 0; k < scene.statement_count; k++)
            masked = masked || scene.statements[k].mask;
        tally->masked += masked;
        bool good =
            run(&scene, config, true, &timed, tally) && run(&scene, config, false, &cycles, tally);
        if (good && cycles != timed)
            printf("# %" PRIu64 " cycles with data, %" PRIu64 " without\n", cycles, timed);
        good = good && cycles == timed;
        scene_finish(&scene);
        if (!good) {
            print_statements(&scene);
            printf("# case %" PRIu64 " of seed %" PRIu64 ", %u nodes\n", i, seed, scene.nodes);
            return false;
        }
    }
    return true;
}

static void print_tally(const struct tally *tally)
{
    printf("# %" PRIu64 " cases, %" PRIu64 " elements, %" PRIu64 " operations and leaves; %" PRIu64
           " padded, %" PRIu64 " masked, %" PRIu64 " lists, %" PRIu64 " runs with spills, %" PRIu64
           " with several IMPs, %" PRIu64 " refused\n",
           tally->cases, tally->elements, tally->nodes_made, tally->padded, tally->masked,
           tally->lists, tally->spills, tally->several_imps, tally->refused);
}

CM_PROGRAM(elementwise)
{
    struct cm_config config;
    struct tally tally = {0}, lesser_tally = {0};
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 400, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..2\n");
    tap_report(1, test_random(&config, options.cases, options.seed, &tally),
               "random statements: every bit of every array, the same cycles without data");
    print_tally(&tally);
    struct cm_config lesser = config;
    lesser.sequencer_sram_words = 3000;
    tap_report(2, test_random(&lesser, options.cases / 5, options.seed + 1, &lesser_tally),
               "an SRAM that makes bodies short, and some statements several IMPs");
    print_tally(&lesser_tally);
    return 0; /* TAP reports failures */
}
