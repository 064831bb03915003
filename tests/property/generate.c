/* Draws random cases: shapes, layouts, shift sets, distances, boundaries, sums, repeats. */
#include "case.h"

#include <stdio.h>
#include <string.h>

/* Words of all arrays together: far below one node's memory, so that a single node can hold any
 * case. */
#define WORDS_MAX UINT64_C(160000)

static const double plain_numbers[] = {0.0, 1.0, -1.0, 2.0, -4.0, 0.5, 0.1, -0.3, 3.25, 1e-3, 7.0};

uint32_t cm_case_draw_nodes(struct cm_random *random)
{
    return UINT32_C(1) << cm_random_below(random, 12);
}

static uint64_t product(const struct cm_layout_request *request)
{
    uint64_t elements = 1;
    for (uint32_t a = 0; a < request->rank; a++)
        elements *= request->shape[a];
    return elements;
}

/* Halves the longest axes until the array has at most `limit` elements. */
static void limit_shape(struct cm_layout_request *request, uint64_t limit)
{
    while (product(request) > limit) {
        uint32_t longest = 0;
        for (uint32_t a = 1; a < request->rank; a++)
            if (request->shape[a] > request->shape[longest])
                longest = a;
        request->shape[longest] = (request->shape[longest] + 1) / 2;
    }
}

/* A power of two times something small splits without padding over many nodes; any other length is
 * usually padded. */
static uint64_t draw_length(struct cm_random *random, uint32_t rank)
{
    static const uint8_t bits_of_rank[CM_RANK_MAX + 1] = {0, 13, 8, 6, 5, 4, 3, 3};
    const uint32_t bits = cm_random_below(random, bits_of_rank[rank] + 1u);
    if (cm_random_chance(random, 25))
        return 1 + cm_random_below(random, UINT32_C(1) << bits);
    return (uint64_t)(1 + cm_random_below(random, 4)) << bits;
}

/* Lengths of which the nodes divide some without padding: each bit of the node count doubles an
 * axis. */
static void draw_even_shape(struct cm_random *random, uint32_t nodes,
                            struct cm_layout_request *request)
{
    static const uint8_t local_of_rank[CM_RANK_MAX + 1] = {0, 24, 8, 5, 4, 3, 2, 2};
    for (uint32_t a = 0; a < request->rank; a++)
        request->shape[a] = 1 + cm_random_below(random, local_of_rank[request->rank]);
    for (; nodes > 1; nodes /= 2)
        request->shape[cm_random_below(random, request->rank)] *= 2;
}

void cm_case_draw_request(struct cm_random *random, uint32_t nodes, uint64_t limit_elements,
                          struct cm_layout_request *request)
{
    static const uint8_t ranks[] = {1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7};
    memset(request, 0, sizeof(*request));
    request->type = (enum cm_type)cm_random_below(random, CM_TYPE_COUNT);
    request->rank = ranks[cm_random_below(random, (uint32_t)sizeof(ranks))];
    const bool even = cm_random_chance(random, 55);
    const bool all_news = cm_random_chance(random, even ? 80 : 40);
    const bool weighted = cm_random_chance(random, 30);
    for (uint32_t a = 0; a < request->rank; a++) {
        request->shape[a] = draw_length(random, request->rank);
        request->weights[a] = weighted ? 1 + cm_random_below(random, 5) : 1;
        const uint32_t kind = all_news ? 0 : cm_random_below(random, 10);
        request->orders[a] = kind < 6 ? CM_ORDER_NEWS : kind < 8 ? CM_ORDER_SEND : CM_ORDER_SERIAL;
    }
    if (even)
        draw_even_shape(random, nodes, request);
    limit_shape(request, limit_elements);
}

int64_t cm_case_draw_distance(struct cm_random *random, const struct cm_axis *axis)
{
    const int64_t n = (int64_t)axis->length;
    const int64_t l = (int64_t)axis->local_length;
    int64_t d = 0;
    switch (cm_random_below(random, 12)) {
    case 0:
        d = cm_random_range(random, 0, 1);
        break;
    case 1:
    case 2:
        d = 1;
        break;
    case 3:
        d = cm_random_range(random, 1, 4);
        break;
    case 4:
        d = cm_random_range(random, 1, l);
        break;
    case 5:
        d = l;
        break;
    case 6:
        d = cm_random_range(random, l, 2 * l);
        break;
    case 7:
        d = l << cm_random_below(random, axis->node_bits + 2);
        break;
    case 8:
        d = n + cm_random_range(random, -1, 1);
        break;
    case 9:
    case 10:
        d = cm_random_range(random, 0, n);
        break;
    default:
        d = cm_random_chance(random, 20) ? cm_random_range(random, 0, INT64_C(1) << 31)
                                         : cm_random_range(random, 0, 4 * n);
        break;
    }
    return cm_random_chance(random, 50) ? d : -d;
}

static struct cm_case_number draw_number(struct cm_random *random, enum cm_type type)
{
    const uint32_t count = (uint32_t)(sizeof(plain_numbers) / sizeof(plain_numbers[0]));
    struct cm_case_number number = {.re = plain_numbers[cm_random_below(random, count)], .im = 0};
    if (type == CM_TYPE_LOGICAL)
        number.re = (double)cm_random_below(random, 2);
    else if (type == CM_TYPE_INT32)
        number.re = (double)cm_random_range(random, -100, 100);
    else if (type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128)
        number.im =
            cm_random_chance(random, 60) ? plain_numbers[cm_random_below(random, count)] : 0;
    return number;
}

static void draw_init(struct cm_random *random, struct cm_case_array *array)
{
    const uint32_t kind = cm_random_below(random, 20);
    array->init = kind < 13   ? CM_CASE_RANDOM
                  : kind < 18 ? CM_CASE_INDEX
                  : kind < 19 ? CM_CASE_CONSTANT
                              : CM_CASE_ZERO;
    array->constant = draw_number(random, array->request.type).re;
    array->seed =
        cm_random_chance(random, 80) ? cm_random_below(random, 1000) : cm_random_next(random);
}

static uint32_t add_array(struct cm_case *c, struct cm_random *random,
                          const struct cm_layout_request *request, uint32_t group)
{
    const uint32_t a = c->array_count++;
    struct cm_case_array *array = &c->arrays[a];
    memset(array, 0, sizeof(*array));
    (void)snprintf(array->name, sizeof(array->name), "a%u", a);
    array->request = *request;
    array->group = group;
    array->elements = product(request);
    array->like = a;
    for (uint32_t b = 0; b < a && array->like == a; b++)
        if (c->arrays[b].group == group && c->arrays[b].like == b)
            array->like = b;
    draw_init(random, array);
    return a;
}

static uint64_t words_so_far(const struct cm_case *c)
{
    uint64_t words = 0;
    for (uint32_t a = 0; a < c->array_count; a++)
        words += c->arrays[a].elements * cm_type_slices(c->arrays[a].request.type);
    return words;
}

/* Two layouts at most: the second one catches what is kept for one layout and wrongly used for
 * another. */
static void draw_arrays(struct cm_case *c, struct cm_random *random)
{
    const uint64_t limit = cm_random_chance(random, 3)    ? 60000
                           : cm_random_chance(random, 50) ? 600 + 2 * (uint64_t)c->nodes
                                                          : 10000;
    const uint32_t groups = cm_random_chance(random, 20) ? 2 : 1;
    struct cm_layout_request request;
    for (uint32_t g = 0; g < groups; g++) {
        if (g == 0 || cm_random_chance(random, 40))
            cm_case_draw_request(random, c->nodes, limit / groups, &request);
        else
            request.type = (enum cm_type)cm_random_below(random, CM_TYPE_COUNT);
        const uint64_t each = product(&request) * cm_type_slices(request.type);
        const uint32_t wanted = 2 + cm_random_below(random, 12);
        for (uint32_t i = 0; i < wanted; i++)
            if (i < 2 || words_so_far(c) + each <= WORDS_MAX / 2 * (g + 1))
                add_array(c, random, &request, g);
    }
}

static void layout_of(const struct cm_case *c, uint32_t a, struct cm_layout *layout)
{
    if (cm_layout_create(&c->arrays[a].request, c->nodes, layout, NULL) == CM_OK)
        return;
    /* The properties report the refusal; distances are then drawn as on one node. */
    memset(layout, 0, sizeof(*layout));
    for (uint32_t i = 0; i < c->arrays[a].request.rank; i++)
        layout->axes[i] = (struct cm_axis){.length = c->arrays[a].request.shape[i],
                                           .local_length = c->arrays[a].request.shape[i]};
}

/* An array of the shape that is left without `axis`; an old one or a new one. CM_CASE_ARRAYS when
 * there is no room. */
static uint32_t boundary_array(struct cm_case *c, struct cm_random *random, uint32_t src,
                               uint32_t axis)
{
    const uint32_t group = 100 + c->arrays[src].group * 8 + axis;
    for (uint32_t a = 0; a < c->array_count; a++)
        if (c->arrays[a].group == group && cm_random_chance(random, 70))
            return a;
    if (c->array_count == CM_CASE_ARRAYS)
        return CM_CASE_ARRAYS;
    struct cm_layout_request request = c->arrays[src].request;
    const uint32_t known = c->array_count;
    for (uint32_t a = axis; a + 1 < request.rank; a++) {
        request.shape[a] = request.shape[a + 1];
        request.orders[a] = request.orders[a + 1];
        request.weights[a] = request.weights[a + 1];
    }
    request.rank--;
    if (cm_random_chance(random, 30))
        for (uint32_t a = 0; a < request.rank; a++)
            request.orders[a] = (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
    for (uint32_t a = 0; a < known; a++)
        if (c->arrays[a].group == group)
            request = c->arrays[a].request;
    return add_array(c, random, &request, group);
}

static uint32_t add_scalar(struct cm_case *c, struct cm_case_number number)
{
    c->scalars[c->scalar_count] = number;
    return c->scalar_count++;
}

static void draw_boundary(struct cm_case *c, struct cm_random *random, struct cm_case_shift *shift)
{
    const struct cm_layout_request *request = &c->arrays[shift->src].request;
    shift->boundary = CM_CASE_NO_BOUNDARY;
    if (shift->type == CM_SHIFT_EOSHIFT_ARRAY && request->rank > 1) {
        shift->boundary_index = boundary_array(c, random, shift->src, shift->axis);
        if (shift->boundary_index < CM_CASE_ARRAYS) {
            shift->boundary = CM_CASE_ARRAY;
            return;
        }
        shift->type = CM_SHIFT_EOSHIFT_SCALAR;
    }
    if (shift->type != CM_SHIFT_EOSHIFT_SCALAR && shift->type != CM_SHIFT_EOSHIFT_ARRAY)
        return; /* of rank one, the boundary "array" is one element, written as a scalar */
    shift->boundary = CM_CASE_NUMBER;
    shift->boundary_number = draw_number(random, request->type);
    if (cm_random_chance(random, 50) && c->scalar_count < CM_CASE_SCALARS) {
        shift->boundary = CM_CASE_SCALAR;
        shift->boundary_index = add_scalar(c, shift->boundary_number);
    }
}

enum role { ROLE_FREE, ROLE_SOURCE, ROLE_TAKEN };

/* An array of the group that may play a role: any one of those below `limit`. CM_CASE_ARRAYS when
 * there is none. */
static uint32_t pick(const struct cm_case *c, struct cm_random *random, uint32_t group,
                     const enum role *roles, enum role limit)
{
    uint32_t found = CM_CASE_ARRAYS;
    uint32_t seen = 0;
    for (uint32_t a = 0; a < c->array_count; a++)
        if (c->arrays[a].group == group && roles[a] < limit && cm_random_below(random, ++seen) == 0)
            found = a;
    return found;
}

/* Destinations are distinct; a destination is a source only of its own shift. */
static bool draw_ends(const struct cm_case *c, struct cm_random *random, uint32_t group,
                      enum role *roles, struct cm_case_shift *shift)
{
    shift->dst = pick(c, random, group, roles, ROLE_SOURCE);
    if (shift->dst == CM_CASE_ARRAYS)
        return false;
    roles[shift->dst] = ROLE_TAKEN;
    shift->src = shift->dst;
    if (cm_random_chance(random, 15))
        return true;
    const uint32_t src = pick(c, random, group, roles, ROLE_TAKEN);
    if (src != CM_CASE_ARRAYS) {
        shift->src = src;
        roles[src] = ROLE_SOURCE;
    }
    return true;
}

static void draw_shift(struct cm_case *c, struct cm_random *random, const struct cm_layout *layout,
                       bool circular, struct cm_case_shift *shift)
{
    shift->type = circular ? CM_SHIFT_CSHIFT
                           : (enum cm_shift_type)cm_random_below(random, CM_SHIFT_TYPE_COUNT);
    shift->distance = cm_case_draw_distance(random, &layout->axes[shift->axis]);
    draw_boundary(c, random, shift);
}

static uint32_t first_of_group(const struct cm_case *c, uint32_t group)
{
    for (uint32_t a = 0; a < c->array_count; a++)
        if (c->arrays[a].group == group)
            return a;
    return CM_CASE_ARRAYS;
}

/* Half of the sets are stencils: every distance within L, at most one shift in each direction of an
 * axis. */
static void draw_pshift(struct cm_case *c, struct cm_random *random, uint32_t group,
                        struct cm_case_step *step)
{
    enum role roles[CM_CASE_ARRAYS] = {ROLE_FREE};
    struct cm_layout layout;
    layout_of(c, first_of_group(c, group), &layout);
    const bool stencil = cm_random_chance(random, 60);
    const bool circular = cm_random_chance(random, 40);
    const uint32_t density = 20 + cm_random_below(random, 81);
    step->setup = (enum cm_setup_kind)cm_random_below(random, 3);
    for (uint32_t i = 0; i < 2 * layout.rank; i++) {
        struct cm_case_shift *shift = &step->shifts[step->shift_count];
        if (!cm_random_chance(random, density) &&
            !(step->shift_count == 0 && i + 1 == 2 * layout.rank))
            continue;
        if (!draw_ends(c, random, group, roles, shift))
            return;
        shift->axis = i / 2;
        draw_shift(c, random, &layout, circular, shift);
        if (stencil) {
            const int64_t l = (int64_t)layout.axes[shift->axis].local_length;
            const int64_t d = cm_random_range(random, 1, cm_random_chance(random, 50) ? 1 : l);
            shift->distance = i % 2 == 0 ? d : -d;
        }
        step->shift_count++;
    }
    for (uint32_t i = step->shift_count; i > 1; i--) { /* the order of a call is free */
        const uint32_t j = cm_random_below(random, i);
        const struct cm_case_shift swap = step->shifts[j];
        step->shifts[j] = step->shifts[i - 1];
        step->shifts[i - 1] = swap;
    }
}

static void draw_single(struct cm_case *c, struct cm_random *random, uint32_t group,
                        struct cm_case_step *step)
{
    enum role roles[CM_CASE_ARRAYS] = {ROLE_FREE};
    struct cm_case_shift *shift = &step->shifts[0];
    struct cm_layout layout;
    step->shift_count = 1;
    (void)draw_ends(c, random, group, roles, shift);
    if (step->op == CM_CASE_COPY)
        return;
    layout_of(c, shift->src, &layout);
    shift->axis = cm_random_below(random, c->arrays[shift->src].request.rank);
    draw_shift(c, random, &layout, step->op == CM_CASE_CSHIFT, shift);
    if (step->op == CM_CASE_EOSHIFT && shift->type == CM_SHIFT_CSHIFT) {
        shift->type = CM_SHIFT_EOSHIFT_0;
        draw_boundary(c, random, shift);
    }
    if (cm_random_chance(random, 40))
        shift->path = CM_PATH_ROUTER;
}

static void draw_combine(struct cm_case *c, struct cm_random *random, uint32_t group,
                         struct cm_case_step *step)
{
    const enum role roles[CM_CASE_ARRAYS] = {ROLE_FREE};
    step->dst = pick(c, random, group, roles, ROLE_TAKEN);
    step->term_count = 1 + cm_random_below(random, CM_CASE_TERMS);
    for (uint32_t i = 0; i < step->term_count; i++) {
        struct cm_case_term *term = &step->terms[i];
        const enum cm_type type = c->arrays[step->dst].request.type;
        term->array = pick(c, random, group, roles, ROLE_TAKEN);
        term->number = draw_number(random, type);
        term->coefficient = CM_CASE_NUMBER;
        if (cm_random_chance(random, 40)) {
            term->coefficient = CM_CASE_ARRAY;
            term->index = pick(c, random, group, roles, ROLE_TAKEN);
        } else if (c->scalar_count < CM_CASE_SCALARS && cm_random_chance(random, 60)) {
            term->coefficient = CM_CASE_SCALAR;
            term->index = add_scalar(c, term->number);
        }
    }
}

static void draw_step(struct cm_case *c, struct cm_random *random, struct cm_case_step *step)
{
    const uint32_t kind = cm_random_below(random, 20);
    uint32_t group = cm_random_below(random, 2);
    if (first_of_group(c, group) == CM_CASE_ARRAYS)
        group = 0;
    const uint32_t first = first_of_group(c, group);
    const bool logical = c->arrays[first].request.type == CM_TYPE_LOGICAL;
    step->op = kind < 11   ? CM_CASE_PSHIFT
               : kind < 13 ? CM_CASE_CSHIFT
               : kind < 16 ? CM_CASE_EOSHIFT
               : kind < 17 ? CM_CASE_COPY
                           : CM_CASE_COMBINE;
    if (step->op == CM_CASE_COMBINE && logical)
        step->op = CM_CASE_PSHIFT;
    if (step->op == CM_CASE_PSHIFT)
        draw_pshift(c, random, group, step);
    else if (step->op == CM_CASE_COMBINE)
        draw_combine(c, random, group, step);
    else
        draw_single(c, random, group, step);
}

void cm_case_generate(struct cm_case *c, uint64_t seed, uint64_t number)
{
    struct cm_random random = cm_random_of_case(seed, number);
    memset(c, 0, sizeof(*c));
    c->seed = seed;
    c->number = number;
    c->nodes = cm_case_draw_nodes(&random);
    draw_arrays(c, &random);
    const uint32_t wanted = 1 + cm_random_below(&random, 3);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t body = 1;
        if (cm_random_chance(&random, 8)) {
            body = 1 + cm_random_below(&random, 3);
            c->steps[c->step_count].op = CM_CASE_REPEAT;
            c->steps[c->step_count].times =
                1 + cm_random_below(&random, cm_random_below(&random, 4) ? 3 : 12);
            c->steps[c->step_count++].body = body;
        }
        for (uint32_t j = 0; j < body; j++)
            draw_step(c, &random, &c->steps[c->step_count++]);
    }
}

int cm_case_find_pshift(const struct cm_case *c)
{
    for (uint32_t i = 0; i < c->step_count; i++)
        if (c->steps[i].op == CM_CASE_PSHIFT)
            return (int)i;
    return -1;
}

size_t cm_case_array_bytes(const struct cm_case *c, uint32_t a)
{
    return (size_t)c->arrays[a].elements * cm_type_host_bytes(c->arrays[a].request.type);
}

/* Two sets of arrays and one list of shifts for both: step 0 takes the first set, step 1 the
 * second. */
void cm_case_generate_sets(struct cm_case *c, uint64_t seed, uint64_t number)
{
    struct cm_random random = cm_random_of_case(seed ^ UINT64_C(0x5E75), number);
    struct cm_layout_request request;
    struct cm_layout layout;
    memset(c, 0, sizeof(*c));
    c->seed = seed;
    c->number = number;
    c->nodes = cm_case_draw_nodes(&random);
    c->step_count = 2;
    cm_case_draw_request(&random, c->nodes, 3000, &request);
    const uint32_t sources[2] = {add_array(c, &random, &request, 0),
                                 add_array(c, &random, &request, 0)};
    layout_of(c, 0, &layout);
    for (uint32_t i = 0; i < 2 * request.rank && c->steps[0].shift_count < 8; i++) {
        const uint32_t n = c->steps[0].shift_count;
        struct cm_case_shift *one = &c->steps[0].shifts[n];
        struct cm_case_shift *two = &c->steps[1].shifts[n];
        if (cm_random_chance(&random, 30) && n > 0)
            continue;
        one->axis = i / 2;
        one->dst = add_array(c, &random, &request, 0);
        one->src = sources[0];
        draw_shift(c, &random, &layout, false, one);
        *two = *one;
        two->dst = add_array(c, &random, &request, 0);
        two->src = sources[1];
        draw_boundary(c, &random, two);
        /* Its own destination, or another shift's: what counts is the source as it was before the
         * call. */
        if (cm_random_chance(&random, 30)) {
            const uint32_t other = cm_random_below(&random, n + 1);
            one->src = c->steps[0].shifts[other].dst;
            two->src = c->steps[1].shifts[other].dst;
        }
        c->steps[0].shift_count = c->steps[1].shift_count = n + 1;
    }
}

/* A step that makes dst = src shifted, by PSHIFT or by the run-time library. */
static void add_shift_step(struct cm_case *c, struct cm_random *random, enum cm_shift_type type,
                           uint32_t dst, uint32_t src, uint32_t axis, int64_t distance)
{
    struct cm_case_step *step = &c->steps[c->step_count++];
    step->op = cm_random_chance(random, 60) ? CM_CASE_PSHIFT
               : type == CM_SHIFT_CSHIFT    ? CM_CASE_CSHIFT
                                            : CM_CASE_EOSHIFT;
    step->shift_count = 1;
    step->shifts[0] = (struct cm_case_shift){
        .type = type, .dst = dst, .src = src, .axis = axis, .distance = distance};
    if (step->op != CM_CASE_PSHIFT && cm_random_chance(random, 40))
        step->shifts[0].path = CM_PATH_ROUTER;
}

enum cm_case_law cm_case_generate_law(struct cm_case *c, uint64_t seed, uint64_t number)
{
    struct cm_random random = cm_random_of_case(seed ^ UINT64_C(0xA19E), number);
    const enum cm_case_law law = (enum cm_case_law)cm_random_below(&random, CM_CASE_LAW_COUNT);
    struct cm_layout_request request;
    struct cm_layout layout;
    memset(c, 0, sizeof(*c));
    c->seed = seed;
    c->number = number;
    c->nodes = cm_case_draw_nodes(&random);
    cm_case_draw_request(&random, c->nodes, 4000, &request);
    for (uint32_t i = 0; i < 4; i++)
        (void)add_array(c, &random, &request, 0);
    layout_of(c, 0, &layout);
    const uint32_t axis = cm_random_below(&random, request.rank);
    const int64_t n = (int64_t)request.shape[axis];
    int64_t s = cm_case_draw_distance(&random, &layout.axes[axis]);
    int64_t t = cm_case_draw_distance(&random, &layout.axes[axis]);
    const enum cm_shift_type type =
        law == CM_CASE_LAW_END_OFF ? CM_SHIFT_EOSHIFT_0 : CM_SHIFT_CSHIFT;
    if (law == CM_CASE_LAW_INVERSE)
        t = -s;
    if (law == CM_CASE_LAW_WHOLE) {
        s = n * cm_random_range(&random, -2, 2);
        t = n;
    }
    if (law == CM_CASE_LAW_END_OFF && (s < 0) != (t < 0))
        t = -t;
    add_shift_step(c, &random, type, 1, 0, axis, s);
    add_shift_step(c, &random, type, 2, 1, axis, t);
    if (law == CM_CASE_LAW_SUM || law == CM_CASE_LAW_END_OFF)
        add_shift_step(c, &random, type, 3, 0, axis, s + t);
    else
        add_shift_step(c, &random, type, 3, 0, axis, 0);
    return law;
}
