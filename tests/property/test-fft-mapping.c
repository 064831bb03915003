/*
 * Random mappings of random shapes on random meshes: each step of FFT communication is run on the
 * machine, and what it was - which pairs, along which mesh axis, how far - is read from where the
 * points came from, by an oracle of its own. Broadcasts likewise. Prints TAP.
 *
 *   property fft-mapping [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/fft/exchange.h"
#include "../../programs/fft/exchange_compile.h"
#include "../../programs/system/system_private.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "../unit/schedule_walk.h"
#include "mapping_oracle.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
    struct oracle_mapping oracle;
    struct cm_fft_task task;
    enum cm_type type;
    struct cm_system *system;
    struct cm_array *array;
    uint32_t nodes;
    int points;
    struct oracle_point *place; /* of each index */
    const char *wrong;
};

struct tally {
    uint32_t cases, steps, within, two_hops, shuffles, idle, over_wires;
};

static void deal_digits(struct cm_random *random, int digits, int axes, int *to)
{
    memset(to, 0, ORACLE_AXES_MAX * sizeof *to);
    while (digits-- > 0)
        to[cm_random_below(random, (uint32_t)axes)]++;
}

static void draw_scene(struct cm_random *random, struct scene *s)
{
    static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_COMPLEX64, CM_TYPE_COMPLEX128};
    struct oracle_mapping *o = &s->oracle;
    memset(s, 0, sizeof *s);
    int digits = (int)cm_random_below(random, 12);
    int mesh = (int)cm_random_below(random, (uint32_t)digits + 1);
    mesh = mesh > 8 ? 8 : mesh;
    if (digits < 8 && cm_random_below(random, 4) == 0) { /* fewer points than nodes */
        mesh = digits + 1 + (int)cm_random_below(random, 8 - (uint32_t)digits);
        o->idle_digits = mesh - digits;
    }
    o->rank = 1 + (int)cm_random_below(random, 6);
    o->mesh_rank = 1 + (int)cm_random_below(random, 6);
    o->local_digits = digits + o->idle_digits - mesh;
    deal_digits(random, digits, o->rank, o->array_digits);
    deal_digits(random, mesh, o->mesh_rank, o->mesh_digits);
    o->local_first = cm_random_below(random, 2);
    o->gray = cm_random_below(random, 2);
    o->deal = (enum oracle_deal)cm_random_below(random, 4);
    o->seed = cm_random_below(random, 1000);
    for (int x = 0; x < digits + o->idle_digits; x++) { /* a list by insertion */
        int at = (int)cm_random_below(random, (uint32_t)x + 1);
        o->list[x] = o->list[at];
        o->list[at] = x;
    }
    oracle_mapping_finish(o);
    s->type = types[cm_random_below(random, 3)];
    s->task.order = cm_random_below(random, 2) ? CM_FFT_POSTMORPHISM : CM_FFT_PREMORPHISM;
    s->task.axes = CM_FFT_ALL_AXES;
    s->task.slices = cm_type_slices(s->type);
}

static void describe(const struct scene *s)
{
    const struct oracle_mapping *o = &s->oracle;
    printf("# %s: array", s->wrong != NULL ? s->wrong : "");
    for (int p = 0; p < o->rank; p++)
        printf(" %d", o->array_digits[p]);
    printf(", mesh");
    for (int i = 0; i < o->mesh_rank; i++)
        printf(" %d", o->mesh_digits[i]);
    printf(" (bits), %s, %s, deal %d, seed %" PRIu64 ", %s, axes %" PRIx64 "\n",
           o->local_first ? "low" : "high", o->gray ? "gray" : "binary", (int)o->deal, o->seed,
           cm_type_name(s->type), s->task.axes);
}

static bool fail(struct scene *s, const char *wrong)
{
    s->wrong = wrong;
    return false;
}

static bool make_mapping(struct scene *s)
{
    static const enum cm_fft_permutation permutations[] = {CM_FFT_IDENTICAL, CM_FFT_SHUFFLE,
                                                           CM_FFT_LIST, CM_FFT_RANDOM};
    const struct oracle_mapping *o = &s->oracle;
    struct cm_fft_request request = {.rank = (uint32_t)o->rank,
                                     .mesh_rank = (uint32_t)o->mesh_rank,
                                     .permutation = permutations[o->deal],
                                     .list_count = (uint32_t)o->digits,
                                     .seed = o->seed,
                                     .local = o->local_first ? CM_FFT_LOCAL_LOW : CM_FFT_LOCAL_HIGH,
                                     .code = o->gray ? CM_FFT_GRAY : CM_FFT_BINARY};
    for (int p = 0; p < o->rank; p++)
        request.shape[p] = UINT64_C(1) << o->array_digits[p];
    for (int i = 0; i < o->mesh_rank; i++)
        request.mesh_shape[i] = UINT64_C(1) << o->mesh_digits[i];
    for (int x = 0; x < o->digits; x++)
        request.list[x] = (uint32_t)o->list[x];
    return cm_fft_mapping_create(&request, &s->task.mapping, NULL) == CM_OK;
}

static bool begin(struct scene *s, const struct cm_config *config)
{
    const struct oracle_mapping *o = &s->oracle;
    struct cm_layout layout;
    struct cm_layout_request request = {.type = s->type, .rank = (uint32_t)o->rank};
    if (!make_mapping(s))
        return fail(s, "the mapping is refused");
    s->nodes = UINT32_C(1) << (o->digits + o->idle_digits - o->local_digits);
    s->points = 1 << o->digits;
    for (uint32_t a = 0; a < request.rank; a++) {
        request.shape[a] = UINT64_C(1) << o->array_digits[a];
        request.weights[a] = 1;
    }
    struct cm_machine_options options = {.nodes = s->nodes, .threads = 1};
    s->place = calloc((size_t)s->points, sizeof *s->place);
    if (s->place == NULL || cm_system_create(config, &options, &s->system, NULL) != CM_OK ||
        cm_layout_create(&request, s->nodes, &layout, NULL) != CM_OK ||
        cm_array_create(s->system, "a", &layout, &s->array, NULL) != CM_OK)
        return fail(s, "no machine");
    for (int x = 0; x < s->points; x++)
        oracle_place(o, x, &s->place[x]);
    return true;
}

static void end(struct scene *s)
{
    cm_array_destroy(s->system, s->array);
    cm_system_destroy(s->system);
    free(s->place);
}

/* Words that tell index and slice. */
static uint32_t word_of(int index, uint32_t slice)
{
    return ((uint32_t)index << 2 | slice) ^ 0x5ca1ab1eu;
}

static uint32_t *word_at(const struct scene *s, int node, int local, uint32_t slice)
{
    struct cm_planes planes;
    if (cm_machine_planes(cm_system_machine(s->system), s->array->address,
                          s->array->layout.local_words, &planes, NULL) != CM_OK)
        abort();
    return cm_planes_word(&planes, (uint32_t)local * s->task.slices + slice, (uint32_t)node);
}

static void fill(const struct scene *s)
{
    for (int x = 0; x < s->points; x++)
        for (uint32_t w = 0; w < s->task.slices; w++)
            *word_at(s, s->place[x].node, s->place[x].local, w) = word_of(x, w);
}

/* The index whose words lie at the place of index `x`; -1 when they are not of one. */
static int held_at(const struct scene *s, int x)
{
    int found = -1;
    for (uint32_t w = 0; w < s->task.slices; w++) {
        uint32_t word = *word_at(s, s->place[x].node, s->place[x].local, w) ^ 0x5ca1ab1eu;
        if ((word & 3) != w || (w > 0 && (int)(word >> 2) != found))
            return -1;
        found = (int)(word >> 2);
    }
    return found < s->points ? found : -1;
}

static int coordinate_of(const struct oracle_mapping *o, int index, int axis)
{
    for (int p = 0; p < axis; p++)
        index >>= o->array_digits[p];
    return index % (1 << o->array_digits[axis]);
}

/* What one step was, as its data tell. */
struct seen {
    int axis, distance; /* of the array: which coordinate differs, and by how much */
    int mesh_axis, mesh_distance;
    bool within;
};

/* The step that took `from` to the place of `to`; false when it is none. */
static bool see(const struct scene *s, int from, int to, struct seen *seen)
{
    const struct oracle_mapping *o = &s->oracle;
    int moved_from[ORACLE_AXES_MAX], moved_to[ORACLE_AXES_MAX], axes = 0, mesh_axes = 0;
    memset(seen, 0, sizeof *seen);
    for (int p = 0; p < o->rank; p++) {
        int by = abs(coordinate_of(o, from, p) - coordinate_of(o, to, p));
        if (by == 0)
            continue;
        axes++;
        seen->axis = p;
        seen->distance = by;
    }
    oracle_coordinates(o, s->place[from].node, moved_from);
    oracle_coordinates(o, s->place[to].node, moved_to);
    for (int i = 0; i < o->mesh_rank; i++) {
        int by = abs(moved_from[i] - moved_to[i]);
        if (by == 0)
            continue;
        mesh_axes++;
        seen->mesh_axis = i;
        seen->mesh_distance = by;
    }
    seen->within = mesh_axes == 0;
    return axes == 1 && mesh_axes <= 1 &&
           (seen->within || s->place[from].local == s->place[to].local);
}

/* Channels: none carried more than its share of the words that a node sends in this step. */
static bool channels_shared(const struct scene *s, uint64_t *words)
{
    uint32_t dimensions = cm_machine_dimensions(cm_system_machine(s->system));
    uint64_t sent = s->array->layout.local_words, most = 0;
    if (cm_machine_channel_words(cm_system_machine(s->system), words, NULL) != CM_OK)
        return false;
    cm_machine_reset_channels(cm_system_machine(s->system));
    for (uint32_t i = 0; i < s->nodes * dimensions * 2; i++)
        most = words[i] > most ? words[i] : most;
    return most <= (sent + 1) / 2;
}

/* Runs step n and says what it was; false when it was not uniform, or not what the schedule
 * says. */
static bool check_step(struct scene *s, const struct cm_fft_step *step, uint32_t n,
                       struct seen *first, uint64_t *words)
{
    const struct oracle_mapping *o = &s->oracle;
    struct cm_error err;
    struct seen seen;
    fill(s);
    cm_machine_reset_channels(cm_system_machine(s->system));
    if (cm_fft_communicate_step(s->system, &s->task, n, s->array, &err) != CM_OK) {
        printf("# %s\n", err.message);
        return fail(s, "a step does not run");
    }
    for (int x = 0; x < s->points; x++) {
        int from = held_at(s, x);
        if (from < 0 || !see(s, from, x, &seen))
            return fail(s, "a point is not its partner's");
        if (x == 0)
            *first = seen;
        if (memcmp(&seen, first, sizeof seen) != 0)
            return fail(s, "the step is not uniform");
        /* The pair of bit q: apart by 2^q, in one group of 2^(q + 1). */
        int c = coordinate_of(o, x, seen.axis), d = coordinate_of(o, from, seen.axis);
        if (c / (2 * seen.distance) != d / (2 * seen.distance))
            return fail(s, "the partners are not in one group");
    }
    if (first->axis != (int)step->axis || first->distance != 1 << step->bit ||
        first->within != step->local || (uint64_t)first->mesh_distance != step->distance ||
        (!first->within && first->mesh_axis != (int)step->mesh_axis))
        return fail(s, "the schedule says another thing than the data");
    return channels_shared(s, words) || fail(s, "a channel carried more than its share");
}

static bool same_schedule(struct scene *s, const struct cm_fft_schedule *direct)
{
    struct cm_fft_schedule walked;
    if (s->oracle.idle_digits > 0) /* the incremental forms know of no idle nodes */
        return true;
    if (!schedule_incremental(&s->task.mapping, s->task.order, s->task.axes, &walked))
        return s->oracle.deal != ORACLE_IDENTICAL || fail(s, "there is no incremental form");
    if (walked.count != direct->count || walked.mesh_cost != direct->mesh_cost ||
        walked.hops != direct->hops ||
        memcmp(walked.steps, direct->steps, direct->count * sizeof *direct->steps) != 0 ||
        memcmp(walked.axis_loads, direct->axis_loads, sizeof walked.axis_loads) != 0)
        return fail(s, "the incremental form differs");
    return true;
}

/* Postmorphism and premorphism: bits up, or down, axis by axis. */
static bool in_order(struct scene *s, const struct cm_fft_schedule *schedule)
{
    uint32_t n = 0;
    for (int p = 0; p < s->oracle.rank; p++) {
        int bits = s->oracle.array_digits[p];
        for (int t = 0; t < bits; t++, n++) {
            int q = s->task.order == CM_FFT_POSTMORPHISM ? t : bits - 1 - t;
            if (schedule->steps[n].axis != (uint32_t)p || schedule->steps[n].bit != (uint32_t)q)
                return fail(s, "the steps are out of order");
        }
    }
    return n == schedule->count || fail(s, "there are too many steps");
}

static bool check_places(struct scene *s)
{
    for (int x = 0; x < s->points; x++) {
        uint32_t node, coordinates[CM_FFT_AXES_MAX];
        uint64_t local;
        cm_fft_mapping_place(&s->task.mapping, (uint64_t)x, &node, &local);
        cm_fft_mapping_coordinates(&s->task.mapping, (uint64_t)x, coordinates);
        if ((int)node != s->place[x].node || (int)local != s->place[x].local)
            return fail(s, "a point lies elsewhere");
        for (int i = 0; i < s->oracle.mesh_rank; i++)
            if ((int)coordinates[i] != s->place[x].coordinate[i])
                return fail(s, "a coordinate is another");
    }
    return true;
}

/* The largest distance of two nodes with points, whose coordinates are independent. */
static int measure_spread(const struct scene *s)
{
    int spread = 0;
    for (int i = 0; i < s->oracle.mesh_rank; i++) {
        int least = s->place[0].coordinate[i], most = least;
        for (int x = 0; x < s->points; x++) {
            int at = s->place[x].coordinate[i];
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
        spread += most - least;
    }
    return spread;
}

/* All steps, and theorem 18: the distances that the data went add up to the diameter, of the part
 * of the mesh that has points. */
static bool check_steps(struct scene *s, struct tally *tally)
{
    struct cm_fft_schedule schedule;
    uint32_t dimensions = cm_machine_dimensions(cm_system_machine(s->system));
    uint64_t *words = calloc((size_t)s->nodes * dimensions * 2 + 1, sizeof *words);
    int cost = 0, diameter = 0;
    cm_fft_schedule(&s->task.mapping, s->task.order, s->task.axes, &schedule);
    bool good = words != NULL && in_order(s, &schedule) && same_schedule(s, &schedule);
    for (uint32_t n = 0; good && n < schedule.count; n++) {
        struct seen seen = {0};
        good = check_step(s, &schedule.steps[n], n, &seen, words);
        cost += seen.mesh_distance;
        tally->steps++;
        tally->within += schedule.steps[n].local;
        tally->two_hops += schedule.steps[n].hops == 2;
    }
    free(words);
    for (int i = 0; i < s->oracle.mesh_rank; i++)
        diameter += (1 << s->oracle.mesh_digits[i]) - 1;
    int spread = measure_spread(s);
    if (good && ((s->oracle.idle_digits == 0 && spread != diameter) ||
                 cm_fft_spread(&s->task.mapping) != (uint64_t)spread))
        return fail(s, "the nodes with points are spread otherwise");
    if (good && (cost != spread || schedule.mesh_cost != (uint64_t)cost ||
                 cm_fft_mesh_diameter(&s->task.mapping) != (uint64_t)diameter))
        return fail(s, "the cost is not the diameter");
    return good;
}

/* All steps in one call: every point has gone to where all bits of its axes are complemented. */
static bool check_whole(struct scene *s, struct cm_random *random)
{
    static struct cm_error err; /* what went wrong is printed later */
    s->task.axes = cm_random_below(random, 2) ? CM_FFT_ALL_AXES : cm_random_below(random, 64);
    fill(s);
    if (cm_fft_communicate(s->system, &s->task, s->array, NULL, &err) != CM_OK)
        return fail(s, err.message);
    for (int x = 0; x < s->points; x++) {
        int wanted = 0, stride = 1;
        for (int p = 0; p < s->oracle.rank; p++) {
            int length = 1 << s->oracle.array_digits[p], c = coordinate_of(&s->oracle, x, p);
            wanted += stride * (s->task.axes >> p & 1 ? length - 1 - c : c);
            stride *= length;
        }
        if (held_at(s, x) != wanted)
            return fail(s, "a point is not where all steps take it");
    }
    return true;
}

/* Neighbours on the mesh alone have carried words. */
static bool only_wires(const struct scene *s, uint64_t *words)
{
    struct cm_machine *machine = cm_system_machine(s->system);
    int dimensions = (int)cm_machine_dimensions(machine);
    if (cm_machine_channel_words(machine, words, NULL) != CM_OK)
        return false;
    for (int k = 0; k < (int)s->nodes * dimensions; k++) {
        int node = k / dimensions, here[ORACLE_AXES_MAX], there[ORACLE_AXES_MAX], apart = 0;
        if (words[2 * k] + words[2 * k + 1] == 0)
            continue;
        oracle_coordinates(&s->oracle, node, here);
        oracle_coordinates(&s->oracle, node ^ 1 << k % dimensions, there);
        for (int i = 0; i < s->oracle.mesh_rank; i++)
            apart += abs(here[i] - there[i]);
        if (apart != 1)
            return false;
    }
    return true;
}

/* Hop by hop: the same partners, and an exchange a hop for each unit of two words. */
static bool check_wires(struct scene *s, struct cm_random *random, struct tally *tally)
{
    struct cm_machine *machine = cm_system_machine(s->system);
    struct cm_fft_cost costs[CM_FFT_AXES_MAX];
    struct cm_fft_schedule schedule;
    bool wired = true;
    uint64_t units = ((uint64_t)s->array->layout.local_words + 1) / 2;
    for (int i = 0; i < s->oracle.mesh_rank; i++)
        wired = wired && (s->oracle.gray || s->oracle.mesh_digits[i] <= 1);
    s->task.mesh_wires = true;
    cm_machine_reset_channels(machine);
    if (!wired) {
        bool refused = cm_fft_communicate_prepare(s->system, &s->task, NULL) == CM_BAD_INPUT;
        s->task.mesh_wires = false;
        return refused || fail(s, "wires that are not there are used");
    }
    if (!check_whole(s, random))
        return false;
    uint64_t *words =
        calloc((size_t)s->nodes * cm_machine_dimensions(machine) * 2 + 1, sizeof *words);
    bool kept = words != NULL && only_wires(s, words);
    free(words);
    s->task.axes = CM_FFT_ALL_AXES;
    if (!kept || cm_fft_communicate(s->system, &s->task, s->array, costs, NULL) != CM_OK)
        return fail(s, "words went over wires that the mesh has not");
    cm_fft_task_schedule(&s->task, &schedule);
    for (uint32_t n = 0; n < schedule.count; n++)
        if (costs[n].exchanges != units * schedule.steps[n].distance)
            return fail(s, "a step takes other exchanges than hops");
    tally->over_wires++;
    return true;
}

/* The largest distance, and number of differing cube dimensions, from the source to where its value
 * goes. */
static struct cm_fft_bound measure_bound(const struct scene *s, int source)
{
    struct cm_fft_bound bound = {0};
    for (int x = 0; x < s->points; x++) {
        int distance = 0;
        bool reached = true;
        for (int p = 0; p < s->oracle.rank; p++)
            reached = reached &&
                      (s->task.axes >> p & 1 ||
                       coordinate_of(&s->oracle, x, p) == coordinate_of(&s->oracle, source, p));
        for (int i = 0; reached && i < s->oracle.mesh_rank; i++)
            distance += abs(s->place[x].coordinate[i] - s->place[source].coordinate[i]);
        uint32_t hops =
            reached
                ? (uint32_t)__builtin_popcount((uint32_t)(s->place[x].node ^ s->place[source].node))
                : 0;
        bound.distance = (uint64_t)distance > bound.distance ? (uint64_t)distance : bound.distance;
        bound.hops = hops > bound.hops ? hops : bound.hops;
    }
    return bound;
}

/* The local places that a value is in when its points cross the mesh: those that no later step
 * within nodes fills. */
static bool costs_are_hops(const struct scene *s, const struct cm_fft_cost *costs)
{
    struct cm_fft_schedule schedule;
    uint64_t points = UINT64_C(1) << s->oracle.local_digits;
    cm_fft_task_schedule(&s->task, &schedule);
    for (uint32_t n = 0; n < schedule.count; n++)
        points /= schedule.steps[n].local ? 2 : 1;
    for (uint32_t n = 0; n < schedule.count; n++) {
        const struct cm_fft_step *step = &schedule.steps[n];
        /* Neighbouring points of one word may cross in pairs. */
        uint64_t least = (points * s->task.slices + 1) / 2 * step->distance;
        uint64_t most = points * ((s->task.slices + 1) / 2) * step->distance;
        if (costs[n].exchanges < least || costs[n].exchanges > most)
            return false;
    }
    return true;
}

static bool check_broadcast(struct scene *s, struct cm_random *random, bool over_wires)
{
    struct cm_fft_cost costs[CM_FFT_AXES_MAX];
    static struct cm_error err; /* what went wrong is printed later */
    int source = (int)cm_random_below(random, (uint32_t)s->points);
    s->task.broadcast = true;
    s->task.source = (uint64_t)source;
    s->task.axes = cm_random_below(random, 2) ? CM_FFT_ALL_AXES : cm_random_below(random, 64);
    fill(s);
    if (cm_fft_communicate(s->system, &s->task, s->array, costs, &err) != CM_OK)
        return fail(s, err.message);
    if (over_wires && !costs_are_hops(s, costs))
        return fail(s, "a broadcast takes other exchanges than hops");
    for (int x = 0; x < s->points; x++) {
        int wanted = 0, stride = 1;
        for (int p = 0; p < s->oracle.rank; p++) {
            int from = s->task.axes >> p & 1 ? source : x;
            wanted += stride * coordinate_of(&s->oracle, from, p);
            stride *= 1 << s->oracle.array_digits[p];
        }
        if (held_at(s, x) != wanted)
            return fail(s, "the broadcast has not come");
    }
    struct cm_fft_bound bound = cm_fft_broadcast_bound(&s->task),
                        measured = measure_bound(s, source);
    if (bound.distance != measured.distance || bound.hops != measured.hops)
        return fail(s, "the lower bound is another");
    return true;
}

static bool test_random(const struct cm_config *config, uint32_t cases, uint64_t seed)
{
    struct tally tally = {0};
    struct cm_random random = {seed};
    printf("# seed %" PRIu64 "\n", seed);
    for (; tally.cases < cases; tally.cases++) {
        struct scene scene;
        draw_scene(&random, &scene);
        bool good = begin(&scene, config) && check_places(&scene) && check_steps(&scene, &tally) &&
                    check_whole(&scene, &random) && check_broadcast(&scene, &random, false);
        scene.task.broadcast = false;
        good = good && check_wires(&scene, &random, &tally) &&
               (!scene.task.mesh_wires || check_broadcast(&scene, &random, true));
        if (!good)
            describe(&scene);
        end(&scene);
        if (!good) {
            printf("# case %" PRIu32 "\n", tally.cases);
            return false;
        }
        tally.shuffles += scene.oracle.deal == ORACLE_SHUFFLE;
        tally.idle += scene.oracle.idle_digits > 0;
    }
    printf("# %" PRIu32 " mappings, %" PRIu32 " shuffles; %" PRIu32 " steps, %" PRIu32
           " within nodes, %" PRIu32 " of two hops; %" PRIu32 " with idle nodes, %" PRIu32
           " over the mesh's wires\n",
           tally.cases, tally.shuffles, tally.steps, tally.within, tally.two_hops, tally.idle,
           tally.over_wires);
    return true;
}

/* Canonical layouts as mappings place elements where the geometry manager does. */
static bool test_canonical(uint64_t seed)
{
    struct cm_random random = {seed};
    for (uint32_t i = 0; i < 500; i++) {
        struct cm_layout_request request = {.type = CM_TYPE_COMPLEX64};
        struct cm_layout layout;
        struct cm_fft_mapping mapping;
        uint32_t bits = cm_random_below(&random, 11);
        int digits[ORACLE_AXES_MAX];
        request.rank = 1 + cm_random_below(&random, 6);
        deal_digits(&random, (int)bits, (int)request.rank, digits);
        for (uint32_t a = 0; a < request.rank; a++) {
            request.shape[a] = UINT64_C(1) << digits[a];
            request.orders[a] = (enum cm_order)cm_random_below(&random, CM_ORDER_COUNT);
            request.weights[a] = 1 + cm_random_below(&random, 3);
        }
        if (cm_layout_create(&request, UINT32_C(1) << cm_random_below(&random, bits + 1), &layout,
                             NULL) != CM_OK)
            return false;
        bool padded = false;
        for (uint32_t a = 0; a < request.rank; a++)
            padded = padded || layout.axes[a].padded;
        if ((cm_fft_mapping_canonical(&layout, &mapping, NULL) == CM_OK) == padded)
            return false;
        for (uint64_t e = 0; !padded && e < UINT64_C(1) << bits; e++) {
            uint64_t index[CM_RANK_MAX], rest = e, local, place;
            uint32_t node, wanted;
            for (uint32_t a = 0; a < request.rank; a++) {
                index[a] = rest % request.shape[a];
                rest /= request.shape[a];
            }
            cm_layout_place(&layout, index, &wanted, &place);
            cm_fft_mapping_place(&mapping, e, &node, &local);
            if (node != wanted || local != place)
                return false;
        }
    }
    return true;
}

/* A step whose two hops go over one dimension puts two words on one channel. */
static bool test_fault(const struct cm_config *config)
{
    struct cm_fft_request request = {.rank = 1,
                                     .shape = {64},
                                     .mesh_rank = 1,
                                     .mesh_shape = {8},
                                     .permutation = CM_FFT_IDENTICAL};
    struct cm_fft_task task = {.axes = CM_FFT_ALL_AXES, .slices = 2};
    struct cm_machine_options options = {.nodes = 8, .threads = 1};
    const struct cm_actual actuals[] = {{0}, {.address = 1024}, {.address = 2048}};
    const struct cm_fft_hops right = {{2, 1}, 2}, wrong = {{2, 2}, 2};
    struct cm_system *system = NULL;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    bool good = cm_fft_mapping_create(&request, &task.mapping, NULL) == CM_OK &&
                cm_system_create(config, &options, &system, NULL) == CM_OK;
    struct cm_imp *imp = cm_fft_exchange_compile(config, &task, 5, &right);
    good = good && imp != NULL &&
           cm_system_run_overlay(system, imp, actuals, CM_ENTRY_IMP, NULL) == CM_OK;
    cm_imp_destroy(imp);
    imp = cm_fft_exchange_compile(config, &task, 5, &wrong);
    good = good && imp != NULL &&
           cm_system_run_overlay(system, imp, actuals, CM_ENTRY_IMP, &err) == CM_FAULT &&
           strstr(err.message, "two words for one channel") != NULL;
    cm_imp_destroy(imp);
    cm_system_destroy(system);
    return good;
}

CM_PROGRAM(fft_mapping)
{
    struct cm_config config;
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 2500, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    uint32_t cases = (uint32_t)options.cases;
    uint64_t seed = options.seed;
    tap_config_read(&options, &config);
    printf("1..3\n");
    tap_report(
        1, test_random(&config, cases, seed),
        "steps and broadcasts on the machine: single-dimensional, uniform, as far as the diameter");
    tap_report(2, test_canonical(seed + 1), "canonical layouts are mappings");
    tap_report(3, test_fault(&config), "two words for one channel are a fault");
    return 0;
}
