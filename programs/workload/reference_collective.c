/*
 * Direct evaluation of reductions and scans. A reduction shortens each axis: first the places of
 * each block are folded in order, then the number of blocks is halved until one block is left. A
 * scan goes over the places of each block, and then combines the blocks with the totals of earlier
 * blocks at distances of growing powers of two.
 */
#include "reference_collective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct item {
    union {
        float f[2];
        double d[2];
        uint32_t i;
    } value;
    /* place of the item's element, from 1, for an operation that finds a location. 0: no element */
    uint64_t at;
};

struct reduction {
    const struct cm_reference_reduction *asked;
    enum cm_type type;
    struct item identity;
    uint64_t shape[CM_RANK_MAX]; /* lengths of the axes at this point of the reduction */
};

static bool is_single(enum cm_type type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
}

static bool is_integer(enum cm_type type)
{
    return type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL;
}

/* Defines a function for a = a o b, where o is the operation, for numbers with one part or two
 * (complex). */
#define DEFINE_FLOATING(name, type, member)                                                        \
    static void name(enum cm_collective_op op, bool complex, struct item *a, const struct item *b) \
    {                                                                                              \
        type *x = a->value.member;                                                                 \
        const type *y = b->value.member;                                                           \
        if (op == CM_COLLECTIVE_SUM) {                                                             \
            x[0] = x[0] + y[0];                                                                    \
            x[1] = x[1] + y[1];                                                                    \
        } else if (op == CM_COLLECTIVE_MIN) {                                                      \
            x[0] = y[0] < x[0] ? y[0] : x[0];                                                      \
        } else if (op == CM_COLLECTIVE_MAX) {                                                      \
            x[0] = y[0] > x[0] ? y[0] : x[0];                                                      \
        } else if (!complex) {                                                                     \
            x[0] = x[0] * y[0];                                                                    \
        } else {                                                                                   \
            const type ac = x[0] * y[0], bd = x[1] * y[1], ad = x[0] * y[1], bc = x[1] * y[0];     \
            x[0] = ac - bd;                                                                        \
            x[1] = bc + ad;                                                                        \
        }                                                                                          \
    }
DEFINE_FLOATING(operate_single, float, f)
DEFINE_FLOATING(operate_double, double, d)

static void operate_integer(enum cm_collective_op op, struct item *a, const struct item *b)
{
    uint32_t *x = &a->value.i;
    const uint32_t y = b->value.i;
    if (op == CM_COLLECTIVE_SUM || op == CM_COLLECTIVE_COUNT)
        *x += y;
    else if (op == CM_COLLECTIVE_PRODUCT)
        *x *= y;
    else if (op == CM_COLLECTIVE_MIN)
        *x = (int32_t)*x < (int32_t)y ? *x : y;
    else if (op == CM_COLLECTIVE_MAX)
        *x = (int32_t)*x > (int32_t)y ? *x : y;
    else if (op == CM_COLLECTIVE_AND)
        *x &= y;
    else if (op == CM_COLLECTIVE_OR)
        *x |= y;
    else
        *x ^= y;
}

static double number_of(enum cm_type type, const struct item *item)
{
    if (is_integer(type))
        return (int32_t)item->value.i;
    return is_single(type) ? (double)item->value.f[0] : item->value.d[0];
}

static bool is_location(enum cm_collective_op op)
{
    return op == CM_COLLECTIVE_MINLOC || op == CM_COLLECTIVE_MAXLOC;
}

/* Keeps the better of two items for an operation that finds a location. Between equal items the
 * first in the array is kept. */
static void locate(const struct reduction *r, struct item *a, const struct item *b)
{
    const double sign = r->asked->op == CM_COLLECTIVE_MINLOC ? 1 : -1;
    const double x = sign * number_of(r->type, a), y = sign * number_of(r->type, b);
    if (b->at == 0 || isnan(y))
        return;
    if (a->at == 0 || y < x || (y == x && b->at < a->at))
        *a = *b;
}

static void operate(const struct reduction *r, struct item *a, const struct item *b)
{
    const bool complex = cm_type_components(r->type) == 2;
    if (is_location(r->asked->op))
        locate(r, a, b);
    else if (is_integer(r->type))
        operate_integer(r->asked->op, a, b);
    else if (is_single(r->type))
        operate_single(r->asked->op, complex, a, b);
    else
        operate_double(r->asked->op, complex, a, b);
}

static void set_number(enum cm_type type, double number, struct item *item)
{
    memset(item, 0, sizeof *item);
    if (is_integer(type))
        item->value.i = (uint32_t)(int32_t)number;
    else if (is_single(type))
        item->value.f[0] = (float)number;
    else
        item->value.d[0] = number;
}

static void set_identity(struct reduction *r)
{
    const bool integer = is_integer(r->type);
    double number = 0;
    if (r->asked->op == CM_COLLECTIVE_PRODUCT)
        number = 1;
    else if (r->asked->op == CM_COLLECTIVE_MIN)
        number = integer ? INT32_MAX : (double)INFINITY;
    else if (r->asked->op == CM_COLLECTIVE_MAX)
        number = integer ? INT32_MIN : -(double)INFINITY;
    else if (r->asked->op == CM_COLLECTIVE_AND)
        number = r->type == CM_TYPE_LOGICAL ? 1 : -1;
    set_number(r->type, number, &r->identity);
}

/* Makes an item of element e. Returns false if the element does not take part. `place` is the
 * element's index along the axis. */
static bool take_element(const struct reduction *r, uint64_t e, uint64_t place, struct item *item)
{
    const struct cm_reference_array *src = r->asked->src;
    const size_t bytes = cm_type_host_bytes(r->type);
    if (r->asked->mask != NULL && r->asked->mask[e] == 0)
        return false;
    memset(item, 0, sizeof *item);
    memcpy(&item->value, (const char *)src->elements + e * bytes, bytes);
    item->at = 1 + (r->asked->axis == CM_COLLECTIVE_WHOLE ? e : place);
    return true;
}

/* Loop bounds along an axis whose neighbours are `below` elements apart. The axis has `length`
 * places before a step of the reduction and `shortened` places after it. */
struct walk {
    uint64_t below, length, shortened, above;
};

static struct walk shorten(struct reduction *r, uint32_t a, uint64_t shortened)
{
    struct walk walk = {1, r->shape[a], shortened, 1};
    for (uint32_t i = 0; i < r->asked->src->rank; i++)
        *(i < a ? &walk.below : &walk.above) *= i == a ? 1 : r->shape[i];
    r->shape[a] = shortened;
    return walk;
}

/* Folds each block of places along axis `a` to one item. Reads the array's elements if `items` is
 * NULL. Frees `items`. Returns NULL if memory runs out. A short axis may have more blocks than
 * places. */
static struct item *fold(struct reduction *r, uint32_t a, struct item *items)
{
    const uint64_t segment = r->asked->segment[a];
    const struct walk walk = shorten(r, a, r->asked->blocks[a]);
    const uint64_t count = walk.below * walk.shortened * walk.above;
    struct item *folded = calloc(count, sizeof *folded);
    for (uint64_t n = 0; folded != NULL && n < count; n++) {
        const uint64_t low = n % walk.below, block = n / walk.below % walk.shortened;
        const uint64_t high = n / walk.below / walk.shortened;
        struct item next;
        folded[n] = r->identity;
        for (uint64_t i = block * segment; i < (block + 1) * segment && i < walk.length; i++) {
            const uint64_t from = (high * walk.length + i) * walk.below + low;
            if (items != NULL)
                operate(r, &folded[n], &items[from]);
            else if (take_element(r, from, i, &next))
                operate(r, &folded[n], &next);
        }
    }
    free(items);
    return folded;
}

/* Combines pairs of neighbouring items along an axis until one item is left. */
static void halve(struct reduction *r, uint32_t a, struct item *items)
{
    while (r->shape[a] > 1) {
        const struct walk walk = shorten(r, a, r->shape[a] / 2);
        for (uint64_t n = 0; n < walk.below * walk.shortened * walk.above; n++) {
            const uint64_t low = n % walk.below, row = n / walk.below;
            struct item lower = items[2 * row * walk.below + low];
            operate(r, &lower, &items[(2 * row + 1) * walk.below + low]);
            items[n] = lower;
        }
    }
}

static void write_result(const struct reduction *r, const struct item *item, void *to)
{
    const int32_t at = (int32_t)item->at;
    const uint8_t truth = item->value.i != 0;
    if (is_location(r->asked->op))
        memcpy(to, &at, sizeof at);
    else if (r->type == CM_TYPE_LOGICAL && r->asked->op != CM_COLLECTIVE_COUNT)
        memcpy(to, &truth, sizeof truth);
    else
        memcpy(to, &item->value,
               r->type == CM_TYPE_LOGICAL ? sizeof(uint32_t) : cm_type_host_bytes(r->type));
}

static struct item *work(struct reduction *r)
{
    const bool whole = r->asked->axis == CM_COLLECTIVE_WHOLE;
    const uint32_t begin = whole ? 0 : r->asked->axis;
    const uint32_t end = whole ? r->asked->src->rank : begin + 1;
    struct item *items = fold(r, begin, NULL);
    for (uint32_t a = begin + 1; items != NULL && a < end; a++)
        items = fold(r, a, items);
    for (uint32_t a = begin; items != NULL && a < end; a++)
        halve(r, a, items);
    return items;
}

enum cm_status cm_reference_reduce(const struct cm_reference_reduction *reduction, void **results,
                                   void *extreme, struct cm_error *err)
{
    struct reduction r = {.asked = reduction, .type = reduction->src->type};
    const size_t bytes =
        cm_type_host_bytes(cm_collective_result_type(reduction->op, reduction->src->type));
    uint64_t count = 1;
    memcpy(r.shape, reduction->src->shape, sizeof r.shape);
    set_identity(&r);
    struct item *items = work(&r);
    for (uint32_t a = 0; a < reduction->src->rank; a++)
        count *= r.shape[a];
    *results = items != NULL ? malloc(count * bytes) : NULL;
    for (uint64_t n = 0; *results != NULL && n < count; n++)
        write_result(&r, &items[n], (char *)*results + n * bytes);
    if (*results != NULL && extreme != NULL)
        memcpy(extreme, &items[0].value, sizeof items[0].value);
    free(items);
    return *results != NULL ? CM_OK
                            : cm_error_set(err, CM_NO_MEMORY, "out of memory for the check");
}

/* Total of a block, or of the elements before it (prefix). `begins` is true if a segment begins
 * among them. */
struct part {
    struct item item;
    bool begins;
};

struct scan {
    const struct cm_reference_scan *asked;
    struct reduction r;
    struct walk walk;
    /* totals and prefixes of the blocks of a column, in the order of the scan */
    struct part *totals, *prefixes;
    /* position of the column: its numbers within the axes before the axis (low) and after the axis
     * (high) */
    uint64_t low, high;
    void *results;
};

/* Computes b = a o b, where o is the operation, unless a segment begins in b. */
static void precede(const struct scan *scan, const struct part *a, struct part *b)
{
    struct item joint = a->item;
    operate(&scan->r, &joint, &b->item);
    if (!b->begins)
        b->item = joint;
    b->begins = b->begins || a->begins;
}

/* Finds the element at place number `p` in the order of the scan. Returns false past the end of the
 * axis. */
static bool visit(const struct scan *scan, uint64_t p, uint64_t *e, uint64_t *place)
{
    const struct cm_reference_reduction *asked = &scan->asked->reduction;
    const uint64_t places = asked->segment[asked->axis] * asked->blocks[asked->axis];
    *place = scan->asked->downward ? places - 1 - p : p;
    *e = (scan->high * scan->walk.length + *place) * scan->walk.below + scan->low;
    return *place < scan->walk.length;
}

static size_t result_bytes(const struct scan *scan)
{
    return cm_type_host_bytes(cm_collective_result_type(scan->asked->reduction.op, scan->r.type));
}

/* Scans the places of block number `c` and adds their elements to *sum. Writes results if `prefix`,
 * the combined elements of the blocks before it, is not NULL. */
static void scan_block(const struct scan *scan, uint64_t c, struct part *sum,
                       const struct part *prefix)
{
    const struct cm_reference_scan *asked = scan->asked;
    const uint64_t segment = asked->reduction.segment[asked->reduction.axis];
    for (uint64_t p = c * segment; p < (c + 1) * segment; p++) {
        uint64_t e, place;
        struct item next;
        if (!visit(scan, p, &e, &place))
            continue;
        if (asked->segments != NULL && asked->segments[e] != 0)
            *sum = (struct part){scan->r.identity, true};
        struct part here = *sum;
        if (take_element(&scan->r, e, place, &next))
            operate(&scan->r, &sum->item, &next);
        if (prefix == NULL)
            continue;
        if (!asked->exclusive)
            here = *sum;
        if (asked->reduction.blocks[asked->reduction.axis] > 1)
            precede(scan, prefix, &here);
        write_result(&scan->r, &here.item, (char *)scan->results + e * result_bytes(scan));
    }
}

static void scan_column(const struct scan *scan)
{
    const struct cm_reference_reduction *asked = &scan->asked->reduction;
    const uint64_t blocks = asked->blocks[asked->axis];
    const struct part nothing = {scan->r.identity, false};
    for (uint64_t c = 0; c < blocks; c++) {
        scan->totals[c] = scan->prefixes[c] = nothing;
        scan_block(scan, c, &scan->totals[c], NULL);
    }
    for (uint64_t half = 1; half < blocks; half *= 2)
        for (uint64_t first = 0; first < blocks; first += 2 * half) {
            for (uint64_t c = first + half; c < first + 2 * half; c++)
                precede(scan, &scan->totals[first], &scan->prefixes[c]);
            precede(scan, &scan->totals[first], &scan->totals[first + half]);
            scan->totals[first] = scan->totals[first + half];
        }
    for (uint64_t c = 0; c < blocks; c++) {
        struct part sum = nothing;
        scan_block(scan, c, &sum, &scan->prefixes[c]);
    }
}

enum cm_status cm_reference_scan(const struct cm_reference_scan *asked, void **results,
                                 struct cm_error *err)
{
    const struct cm_reference_array *src = asked->reduction.src;
    const uint64_t blocks = asked->reduction.blocks[asked->reduction.axis];
    struct scan scan = {.asked = asked, .r = {.asked = &asked->reduction, .type = src->type}};
    memcpy(scan.r.shape, src->shape, sizeof scan.r.shape);
    set_identity(&scan.r);
    scan.walk = shorten(&scan.r, asked->reduction.axis, 1);
    scan.totals = calloc(blocks, sizeof *scan.totals);
    scan.prefixes = calloc(blocks, sizeof *scan.prefixes);
    scan.results = malloc(src->elements_count * result_bytes(&scan));
    const bool ready = scan.totals != NULL && scan.prefixes != NULL && scan.results != NULL;
    for (scan.high = 0; ready && scan.high < scan.walk.above; scan.high++)
        for (scan.low = 0; scan.low < scan.walk.below; scan.low++)
            scan_column(&scan);
    free(scan.totals);
    free(scan.prefixes);
    if (!ready)
        free(scan.results);
    *results = ready ? scan.results : NULL;
    return ready ? CM_OK : cm_error_set(err, CM_NO_MEMORY, "out of memory for the check");
}
