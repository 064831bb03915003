/*
 * Random lattice kernels on the machine, judged by an oracle of their own: full spinors, 4 x 4
 * matrices gamma and SU(3) matrices in long double; within a bound of rounding, or exactly where
 * nothing rounds. All three ways give the same bits; halos make the exchanges and send the words
 * that the grid says; no channel carries more words than there are exchanges; and without data the
 * counters are the same. Prints TAP.
 *
 *   property qcd [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/qcd/qcd.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#define AXES 4u

typedef long double complex number;

struct scene {
    struct cm_config config;
    enum cm_qcd_kernel kernel;
    enum cm_type type;
    uint64_t lengths[AXES], sites;
    struct cm_layout field, link;
    uint32_t nodes, threads;
    bool exact;    /* small integers, which nothing rounds */
    bool in_place; /* dst is src */
};

/* Numbers, and the host's arrays of them. */
struct data {
    number *field, *links[AXES];
    void *field_host, *link_hosts[AXES], *found[CM_QCD_WAYS];
    size_t field_bytes;
};

struct tally {
    uint32_t cases, wilson, halos, refused, exact, wrapped;
};

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        die("out of memory");
    return memory;
}

static void lay(struct scene *scene, const struct cm_layout_request *lattice, uint32_t head,
                const uint64_t *lengths, struct cm_layout *layout)
{
    struct cm_layout_request request = {.type = scene->type, .rank = head + AXES};
    struct cm_error err;
    for (uint32_t a = 0; a < request.rank; a++) {
        request.shape[a] = a < head ? lengths[a] : lattice->shape[a - head];
        request.orders[a] = a < head ? CM_ORDER_SERIAL : lattice->orders[a - head];
        request.weights[a] = a < head ? 1 : lattice->weights[a - head];
    }
    must(cm_layout_create(&request, scene->nodes, layout, &err), &err);
}

static void draw_scene(struct cm_random *random, const struct cm_config *config,
                       struct scene *scene)
{
    static const enum cm_type types[CM_QCD_KERNELS][2] = {{CM_TYPE_REAL32, CM_TYPE_REAL64},
                                                          {CM_TYPE_COMPLEX64, CM_TYPE_COMPLEX128}};
    static const uint64_t vector[] = {3, 2}, spinor[] = {3, 4}, matrix[] = {3, 3, 2};
    const bool even = cm_random_chance(random, 70); /* lengths of powers of two */
    struct cm_layout_request lattice = {.rank = AXES};
    memset(scene, 0, sizeof *scene);
    scene->config = *config;
    if (cm_random_chance(random, 20))
        scene->config.network_channels_per_dimension = 1;
    scene->kernel = (enum cm_qcd_kernel)cm_random_below(random, CM_QCD_KERNELS);
    scene->type = types[scene->kernel][cm_random_below(random, 2)];
    scene->nodes = UINT32_C(1) << cm_random_below(random, 12);
    scene->threads = 1 + cm_random_below(random, 2);
    scene->exact = cm_random_chance(random, 40);
    scene->in_place = cm_random_chance(random, 30);
    scene->sites = 1;
    for (uint32_t mu = 0; mu < AXES; mu++) {
        uint64_t length = 1 + cm_random_below(random, 7);
        if (even)
            length = UINT64_C(1) << cm_random_below(random, 4);
        while (scene->sites * length > 512)
            length = (length + 1) / 2;
        scene->lengths[mu] = lattice.shape[mu] = length;
        scene->sites *= length;
        lattice.orders[mu] = cm_random_chance(random, 85)
                                 ? CM_ORDER_NEWS
                                 : (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
        lattice.weights[mu] = 1 + cm_random_below(random, 3);
    }
    const bool wilson = scene->kernel == CM_QCD_WILSON;
    lay(scene, &lattice, 2, wilson ? spinor : vector, &scene->field);
    lay(scene, &lattice, wilson ? 2 : 3, matrix, &scene->link);
}

static bool is_single(const struct scene *scene)
{
    return scene->type == CM_TYPE_REAL32 || scene->type == CM_TYPE_COMPLEX64;
}

static uint64_t spins_of(const struct scene *scene)
{
    return scene->kernel == CM_QCD_WILSON ? 4 : 1;
}

/* Where part `part` of number `e` of a site of `count` numbers is on the host. */
static uint64_t place(const struct scene *scene, uint64_t site, uint64_t count, uint64_t e,
                      uint32_t part)
{
    return site * count * 2 + (scene->kernel == CM_QCD_WILSON ? 2 * e + part : part * count + e);
}

static void put(const struct scene *scene, void *host, uint64_t at, long double x)
{
    if (is_single(scene))
        ((float *)host)[at] = (float)x;
    else
        ((double *)host)[at] = (double)x;
}

static long double get(const struct scene *scene, const void *host, uint64_t at)
{
    return is_single(scene) ? (long double)((const float *)host)[at]
                            : (long double)((const double *)host)[at];
}

/* Numbers to the host's array, and as the array rounds them. */
static void store(const struct scene *scene, void *host, uint64_t count, number *numbers)
{
    for (uint64_t site = 0; site < scene->sites; site++)
        for (uint64_t e = 0; e < count; e++) {
            const uint64_t re = place(scene, site, count, e, 0);
            const uint64_t im = place(scene, site, count, e, 1);
            number *x = &numbers[site * count + e];
            put(scene, host, re, creall(*x));
            put(scene, host, im, cimagl(*x));
            *x = get(scene, host, re) + get(scene, host, im) * I;
        }
}

static number draw_number(struct cm_random *random, const struct scene *scene)
{
    if (scene->exact)
        return (long double)cm_random_range(random, -4, 4) +
               (long double)cm_random_range(random, -4, 4) * I;
    return (long double)cm_random_range(random, -1000000, 1000000) / 1000000 +
           (long double)cm_random_range(random, -1000000, 1000000) / 1000000 * I;
}

static long double norm_of(const number *v)
{
    long double sum = 0;
    for (uint32_t i = 0; i < 3; i++)
        sum += creall(v[i] * conjl(v[i]));
    return sqrtl(sum);
}

/* An SU(3) matrix (element (a, b) at a + 3 b): two random columns made orthonormal, and their
 * conjugate cross product. */
static void draw_matrix(struct cm_random *random, const struct scene *scene, number u[9])
{
    number inner = 0;
    for (uint32_t i = 0; i < 9; i++)
        u[i] = draw_number(random, scene);
    if (scene->exact)
        return;
    u[0] += 2; /* neither column is 0, nor a multiple of the other */
    u[4] += 4;
    const long double first = norm_of(u);
    for (uint32_t i = 0; i < 3; i++)
        u[i] /= first;
    for (uint32_t i = 0; i < 3; i++)
        inner += conjl(u[i]) * u[3 + i];
    for (uint32_t i = 0; i < 3; i++)
        u[3 + i] -= inner * u[i];
    const long double second = norm_of(u + 3);
    for (uint32_t i = 0; i < 3; i++)
        u[3 + i] /= second;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        u[6 + i] = conjl(u[j] * u[3 + k] - u[k] * u[3 + j]);
    }
}

static void make_data(struct cm_random *random, const struct scene *scene, struct data *data)
{
    const uint64_t count = 3 * spins_of(scene);
    data->field = room(scene->sites * count, sizeof *data->field);
    data->field_bytes = scene->sites * count * 2 * (is_single(scene) ? 4 : 8);
    data->field_host = room(data->field_bytes, 1);
    for (uint64_t e = 0; e < scene->sites * count; e++)
        data->field[e] = draw_number(random, scene);
    store(scene, data->field_host, count, data->field);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        data->links[mu] = room(scene->sites * 9, sizeof *data->links[mu]);
        data->link_hosts[mu] = room(scene->sites * 18, is_single(scene) ? 4 : 8);
        for (uint64_t site = 0; site < scene->sites; site++)
            draw_matrix(random, scene, data->links[mu] + 9 * site);
        store(scene, data->link_hosts[mu], 9, data->links[mu]);
    }
    for (uint32_t way = 0; way < CM_QCD_WAYS; way++)
        data->found[way] = room(data->field_bytes, 1);
}

static void free_data(struct data *data)
{
    free(data->field);
    free(data->field_host);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        free(data->links[mu]);
        free(data->link_hosts[mu]);
    }
    for (uint32_t way = 0; way < CM_QCD_WAYS; way++)
        free(data->found[way]);
}

/* gamma_mu = (0, A; adjoint A, 0) with A = i sigma_1, -i sigma_2, i sigma_3, 1. */
static number gamma_of(uint32_t mu, uint32_t row, uint32_t column)
{
    static const number blocks[AXES][2][2] = {
        {{0, I}, {I, 0}}, {{0, -1}, {1, 0}}, {{I, 0}, {0, -I}}, {{1, 0}, {0, 1}}};
    const uint32_t r = row & 1, c = column & 1;
    const number upper = blocks[mu][r][c], lower = conjl(blocks[mu][c][r]);
    if (row / 2 == column / 2)
        return 0;
    return row < 2 ? upper : lower;
}

/* gamma_mu gamma_nu + gamma_nu gamma_mu = 2 delta: the oracle's matrices are right. */
static bool gammas_anticommute(void)
{
    bool good = true;
    for (uint32_t i = 0; i < AXES * AXES * 16; i++) {
        const uint32_t mu = i / 64, nu = i / 16 % 4, row = i / 4 % 4, column = i % 4;
        number sum = 0;
        for (uint32_t k = 0; k < 4; k++)
            sum += gamma_of(mu, row, k) * gamma_of(nu, k, column) +
                   gamma_of(nu, row, k) * gamma_of(mu, k, column);
        good = good && sum == (mu == nu && row == column ? 2 : 0);
    }
    return good;
}

static uint64_t neighbour(const struct scene *scene, uint64_t site, uint32_t mu, bool up)
{
    uint64_t x[AXES], number_of = 0, rest = site;
    for (uint32_t a = 0; a < AXES; a++) {
        x[a] = rest % scene->lengths[a];
        rest /= scene->lengths[a];
    }
    x[mu] = (x[mu] + (up ? 1 : scene->lengths[mu] - 1)) % scene->lengths[mu];
    for (uint32_t a = AXES; a-- > 0;)
        number_of = number_of * scene->lengths[a] + x[a];
    return number_of;
}

/* U or its adjoint times the spins of a site; *size adds the absolute values. */
static void multiply(const struct scene *scene, const struct data *data, uint64_t site, uint32_t mu,
                     bool up, number result[12], long double size[12])
{
    const uint64_t spins = spins_of(scene), from = neighbour(scene, site, mu, up);
    const number *u = data->links[mu] + 9 * (up ? site : from);
    for (uint64_t s = 0; s < spins; s++)
        for (uint32_t a = 0; a < 3; a++) {
            result[3 * s + a] = 0;
            size[3 * s + a] = 0;
            for (uint32_t b = 0; b < 3; b++) {
                const number element = up ? u[a + 3 * b] : conjl(u[b + 3 * a]);
                const number v = data->field[from * 3 * spins + 3 * s + b];
                result[3 * s + a] += element * v;
                size[3 * s + a] += (fabsl(creall(element)) + fabsl(cimagl(element))) *
                                   (fabsl(creall(v)) + fabsl(cimagl(v)));
            }
        }
}

/* The kernel at a site, and the sum of the absolute values that are added. */
static void evaluate(const struct scene *scene, const struct data *data, uint64_t site,
                     number result[12], long double size[12])
{
    const uint32_t spins = (uint32_t)spins_of(scene);
    memset(result, 0, 12 * sizeof *result);
    memset(size, 0, 12 * sizeof *size);
    for (uint32_t i = 0; i < 2 * AXES; i++) {
        const uint32_t mu = i % AXES;
        const bool up = i < AXES;
        number product[12];
        long double sizes[12];
        multiply(scene, data, site, mu, up, product, sizes);
        for (uint32_t e = 0; e < 3 * spins; e++) {
            result[e] += spins == 1 && !up ? -product[e] : product[e];
            size[e] += sizes[e];
            for (uint32_t s = 0; spins == 4 && s < 4; s++) {
                const number gamma = gamma_of(mu, e / 3, s);
                result[e] += (up ? -gamma : gamma) * product[3 * s + e % 3];
                size[e] += cabsl(gamma) * sizes[3 * s + e % 3];
            }
        }
    }
}

/* Each part passes through fewer than 40 roundings, each of a number no larger than the sum of the
 * absolute values. */
static bool judge(const struct scene *scene, const struct data *data, const void *found)
{
    const long double unit = is_single(scene) ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    const uint64_t count = 3 * spins_of(scene);
    for (uint64_t site = 0; site < scene->sites; site++) {
        number wanted[12];
        long double size[12];
        evaluate(scene, data, site, wanted, size);
        for (uint64_t e = 0; e < count; e++) {
            const long double re = get(scene, found, place(scene, site, count, e, 0));
            const long double im = get(scene, found, place(scene, site, count, e, 1));
            const long double bound = scene->exact ? 0 : 40 * unit * size[e];
            if (fabsl(re - creall(wanted[e])) <= bound && fabsl(im - cimagl(wanted[e])) <= bound)
                continue;
            printf("# site %" PRIu64 ", number %" PRIu64 ": %.17Lg %.17Lg, expected %.17Lg %.17Lg "
                   "within %Lg\n",
                   site, e, re, im, creall(wanted[e]), cimagl(wanted[e]), bound);
            return false;
        }
    }
    return true;
}

/* Exchanges of halos, and the words that all nodes send, from the grid alone. */
static uint64_t halo_exchanges(const struct scene *scene, uint64_t *words)
{
    const uint64_t channels = scene->config.network_channels_per_dimension;
    const uint64_t crossing =
        (scene->kernel == CM_QCD_WILSON ? 12 : 6) * (is_single(scene) ? 1u : 2u);
    const struct cm_axis *axes = &scene->field.axes[2];
    uint64_t most = 0, volume = 1;
    *words = 0;
    for (uint32_t mu = 0; mu < AXES; mu++)
        volume *= axes[mu].local_length;
    for (uint32_t mu = 0; mu < AXES; mu++) {
        const uint64_t layer = volume / axes[mu].local_length * crossing;
        const uint64_t exchanges = layer / channels * (axes[mu].node_bits == 1 ? 2 : 1);
        if (axes[mu].node_bits == 0)
            continue;
        most = exchanges > most ? exchanges : most;
        *words += 2 * layer * scene->nodes;
    }
    return most;
}

static bool halo_is_refused(const struct scene *scene)
{
    bool refused = false;
    for (uint32_t mu = 0; mu < AXES; mu++) {
        const struct cm_axis *axis = &scene->field.axes[2 + mu];
        const uint64_t held = axis->local_length << axis->node_bits;
        refused = refused || held != axis->length ||
                  (axis->order == CM_ORDER_SEND && axis->node_bits > 0);
    }
    return refused;
}

static bool judge_counts(const struct scene *scene, struct cm_system *system,
                         const struct cm_qcd_info *info, enum cm_qcd_way way)
{
    struct cm_machine *machine = cm_system_machine(system);
    const struct cm_counters counters = cm_machine_counters(machine);
    const uint64_t channels =
        (uint64_t)cm_machine_nodes(machine) * cm_machine_dimensions(machine) * 2;
    uint64_t *words = room(channels + 1, sizeof *words);
    uint64_t sent = 0, wanted;
    struct cm_error err;
    bool good = true;
    must(cm_machine_channel_words(machine, words, &err), &err);
    for (uint64_t i = 0; i < channels; i++) {
        good = good && words[i] <= counters.exchanges;
        sent += words[i];
    }
    free(words);
    if (info->exchanges > 0)
        good = good && info->exchanges == counters.exchanges;
    if (way == CM_QCD_HALO) {
        const uint64_t exchanges = halo_exchanges(scene, &wanted);
        good = good && counters.exchanges == exchanges && sent == wanted;
        if (!good)
            printf("# %" PRIu64 " exchanges of %" PRIu64 " words, expected %" PRIu64 " of %" PRIu64
                   "\n",
                   counters.exchanges, sent, exchanges, wanted);
    }
    good = good && info->sites == scene->sites &&
           info->site_operations == (scene->kernel == CM_QCD_WILSON ? 1320 : 570);
    return good;
}

/* Runs the kernel; `found` gets the result, unless it is NULL: then without data. Returns whether
 * the counts are right. */
static bool run(const struct scene *scene, const struct data *data, enum cm_qcd_way way,
                void *found, struct cm_counters *counters, bool *refused)
{
    const struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = scene->threads, .timing_only = found == NULL};
    const struct cm_qcd_task task = {scene->kernel, way, scene->field, scene->link};
    struct cm_array *src, *dst = NULL, *links[AXES];
    struct cm_system *system;
    struct cm_qcd *qcd;
    struct cm_error err;
    bool good = true;
    must(cm_system_create(&scene->config, &options, &system, &err), &err);
    must(cm_array_create(system, "src", &scene->field, &src, &err), &err);
    must(cm_array_scatter(system, src, data->field_host, &err), &err);
    if (!scene->in_place)
        must(cm_array_create(system, "dst", &scene->field, &dst, &err), &err);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        must(cm_array_create(system, "u", &scene->link, &links[mu], &err), &err);
        must(cm_array_scatter(system, links[mu], data->link_hosts[mu], &err), &err);
    }
    const enum cm_status status = cm_qcd_setup(system, &task, &qcd, &err);
    *refused = status == CM_BAD_INPUT;
    if (!*refused) {
        must(status, &err);
        must(cm_qcd_call(system, qcd, dst ? dst : src, src, (const struct cm_array *const *)links,
                         &err),
             &err);
        const struct cm_qcd_info info = cm_qcd_info(system, qcd);
        if (found != NULL)
            must(cm_array_gather(system, dst ? dst : src, found, &err), &err);
        good = judge_counts(scene, system, &info, way);
        *counters = cm_machine_counters(cm_system_machine(system));
    }
    cm_qcd_deallocate(system, qcd);
    for (uint32_t mu = 0; mu < AXES; mu++)
        cm_array_destroy(system, links[mu]);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_system_destroy(system);
    return good;
}

static void print_scene(const struct scene *scene, enum cm_qcd_way way)
{
    printf("# %s, %s by %s on %" PRIu32 " nodes%s%s:", cm_qcd_kernel_name(scene->kernel),
           cm_type_name(scene->type), cm_qcd_way_name(way), scene->nodes,
           scene->exact ? ", exact" : "", scene->in_place ? ", in place" : "");
    for (uint32_t mu = 0; mu < AXES; mu++) {
        const struct cm_axis *axis = &scene->field.axes[2 + mu];
        printf(" %" PRIu64 " %s (%" PRIu64 " x 2^%" PRIu32 ")", axis->length,
               cm_order_name(axis->order), axis->local_length, axis->node_bits);
    }
    printf("\n");
}

static bool run_way(const struct scene *scene, const struct data *data, enum cm_qcd_way way,
                    struct tally *tally)
{
    struct cm_counters counters = {0}, dry = {0};
    bool refused, also;
    bool good = run(scene, data, way, data->found[way], &counters, &refused);
    good = run(scene, data, way, NULL, &dry, &also) && good;
    good = good && refused == also && refused == (way == CM_QCD_HALO && halo_is_refused(scene));
    tally->refused += refused;
    if (refused)
        return good;
    tally->halos += way == CM_QCD_HALO;
    if (memcmp(&counters, &dry, sizeof counters) != 0) {
        printf("# without data: %" PRIu64 " cycles instead of %" PRIu64 "\n", dry.cycles,
               counters.cycles);
        good = false;
    }
    good = judge(scene, data, data->found[way]) && good;
    if (way != CM_QCD_CSHIFT && good &&
        memcmp(data->found[way], data->found[CM_QCD_CSHIFT], data->field_bytes) != 0) {
        printf("# the bits differ from those with CSHIFTs\n");
        good = false;
    }
    return good;
}

static bool run_case(struct cm_random *random, const struct cm_config *config, struct tally *tally)
{
    struct scene scene;
    struct data data;
    bool good = true, within = false, across = false;
    draw_scene(random, config, &scene);
    make_data(random, &scene, &data);
    for (uint32_t way = CM_QCD_WAYS; good && way-- > 0;) { /* CSHIFT first */
        good = run_way(&scene, &data, (enum cm_qcd_way)way, tally);
        if (!good)
            print_scene(&scene, (enum cm_qcd_way)way);
    }
    for (uint32_t mu = 0; mu < AXES; mu++) {
        within = within || scene.field.axes[2 + mu].node_bits == 0;
        across = across || scene.field.axes[2 + mu].node_bits > 0;
    }
    tally->cases++;
    tally->wilson += scene.kernel == CM_QCD_WILSON;
    tally->exact += scene.exact;
    tally->wrapped += within && across;
    free_data(&data);
    return good;
}

CM_PROGRAM(qcd)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 300, .seed = 1};
    struct cm_config config;
    struct tally tally = {0};
    uint64_t failures = 0;
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..3\n");
    tap_report(1, gammas_anticommute(), "the oracle's matrices gamma anticommute");
    for (uint64_t i = 0; i < options.cases && failures < 5; i++) {
        struct cm_random random = cm_random_of_case(options.seed, i);
        if (!tap_case(&options, i, run_case(&random, &config, &tally)))
            failures++;
    }
    tap_report(2, failures == 0, "lattice kernels are those of the oracle");
    printf("# %" PRIu32 " cases: %" PRIu32 " of Wilson fermions, %" PRIu32 " with halos, %" PRIu32
           " halos refused, %" PRIu32 " exact, %" PRIu32 " with axes in one node and others\n",
           tally.cases, tally.wilson, tally.halos, tally.refused, tally.exact, tally.wrapped);
    const uint32_t found[] = {tally.wilson, tally.halos, tally.refused, tally.exact, tally.wrapped};
    const bool covered =
        tap_report_shares(3, found, sizeof found / sizeof *found, options.cases, 20);
    return failures > 0 || !covered;
}
