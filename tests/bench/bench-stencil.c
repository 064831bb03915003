/*
 * Stencils: cycles a point next to the lower bound and to the same statement by PSHIFT and by
 * CSHIFT, as docs/stencil.md has them, and how fast the simulator runs them. Prints a table; it is
 * a benchmark and fails only when something cannot be run.
 *
 *   bench-stencil [--machine FILE] [--nodes N] [--only NAME] [--data]
 *
 * --data moves data and adds the real-time factor; without it only cycles are counted.
 */
#include "../../programs/stencil/stencil.h"
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    const char *name;
    uint32_t rank;
    int64_t reach;    /* along an axis */
    int64_t distance; /* sum of the offsets' sizes, at most */
    uint64_t length;  /* of the subgrid along each axis */
};

static const struct shape shapes[] = {
    {"5", 2, 1, 1, 64},          {"5", 2, 1, 1, 256},  {"7", 3, 1, 1, 16},
    {"7", 3, 1, 1, 32},          {"9 box", 2, 1, 2, 64}, {"9 box", 2, 1, 2, 256},
    {"9 star", 2, 2, 0, 64},     {"13 diamond", 2, 2, 2, 64}, {"13 star", 3, 2, 0, 16},
    {"27", 3, 1, 3, 16},
};

struct options {
    const char *machine, *only;
    uint32_t nodes;
    bool data;
};

/* Whether the offset belongs to the shape; a distance of 0 stands for a star. */
static bool belongs(const struct shape *shape, const int64_t *offset)
{
    int64_t sum = 0;
    uint32_t axes = 0;
    for (uint32_t a = 0; a < shape->rank; a++) {
        sum += llabs(offset[a]);
        axes += offset[a] != 0;
    }
    return shape->distance == 0 ? axes <= 1 : sum <= shape->distance;
}

/* Coefficients: one for each distance from the centre, or all different. */
static void make_pattern(const struct shape *shape, bool distinct,
                         struct cm_stencil_pattern *pattern)
{
    int64_t offset[CM_STENCIL_RANK_MAX] = {0};
    memset(pattern, 0, sizeof *pattern);
    for (uint32_t a = 0; a < shape->rank; a++)
        offset[a] = -shape->reach;
    for (;;) {
        if (belongs(shape, offset)) {
            struct cm_stencil_term *term = &pattern->terms[pattern->term_count];
            memcpy(term->offset, offset, sizeof offset);
            for (uint32_t a = 0; a < shape->rank; a++)
                term->coefficient += (uint32_t)(offset[a] * offset[a]);
            if (distinct)
                term->coefficient = pattern->term_count;
            pattern->term_count++;
        }
        uint32_t a = 0;
        while (a < shape->rank && ++offset[a] > shape->reach)
            offset[a++] = -shape->reach;
        if (a == shape->rank)
            return;
    }
}

static void bench(const struct cm_config *config, const struct shape *shape, enum cm_type type,
                  bool distinct, const struct options *options)
{
    struct cm_error err;
    struct cm_system *system;
    struct cm_layout layout;
    struct cm_stencil_pattern pattern;
    struct cm_stencil *stencil;
    struct cm_stencil_info info;
    struct cm_stencil_arguments arguments = {0};
    struct cm_array *arrays[2];
    struct cm_machine_options machine = {.nodes = options->nodes, .timing_only = !options->data};
    struct cm_layout_request request = {.type = type, .rank = shape->rank};
    uint32_t bits = (uint32_t)__builtin_ctz(options->nodes);
    for (uint32_t a = 0; a < shape->rank; a++) {
        uint32_t share = (bits + shape->rank - a - 1) / (shape->rank - a);
        request.shape[a] = shape->length << share;
        request.weights[a] = 1;
        bits -= share;
    }
    make_pattern(shape, distinct, &pattern);
    stop(cm_system_create(config, &machine, &system, &err), &err);
    stop(cm_layout_create(&request, options->nodes, &layout, &err), &err);
    for (uint32_t i = 0; i < 2; i++)
        stop(cm_array_create(system, i ? "b" : "a", &layout, &arrays[i], &err), &err);
    double begin = now_seconds();
    stop(cm_stencil_setup(system, &layout, &pattern, &stencil, &err), &err);
    double setup = now_seconds() - begin;
    arguments.dst = arrays[1];
    arguments.sources[0] = arrays[0];
    cm_stencil_info(stencil, &info);
    struct cm_machine *m = cm_system_machine(system);
    uint64_t c0 = cm_machine_counters(m).cycles;
    stop(cm_stencil_exchange(system, stencil, &arguments, &err), &err);
    uint64_t c1 = cm_machine_counters(m).cycles;
    stop(cm_stencil_sweep(system, stencil, &arguments, &err), &err);
    uint64_t c2 = cm_machine_counters(m).cycles;
    stop(cm_stencil_call(system, stencil, &arguments, &err), &err);
    uint64_t c3 = cm_machine_counters(m).cycles;
    double points = (double)layout.local_elements;
    printf("%-11s %-7s %-8s L%-4llu bound %6.2f sweep %6.2f %5.3f  all %6.2f %5.3f ex %llu (%llu) call %llu words %llu+%llu tile %llu,%llu,%llu loads %.2f setup %.2f\n",
           shape->name, cm_type_name(type), distinct ? "distinct" : "", (unsigned long long)shape->length,
           (double)info.bound_cycles / points, (double)(c2 - c1) / points,
           (double)(c2 - c1) / (double)info.bound_cycles, (double)(c3 - c2) / points,
           (double)(c3 - c2) / (double)info.bound_cycles, (unsigned long long)(c1 - c0),
           (unsigned long long)info.exchanges, (unsigned long long)(c3 - c2),
           (unsigned long long)info.exchange_words, (unsigned long long)info.sweep_words,
           (unsigned long long)info.tile[0], (unsigned long long)info.tile[1], (unsigned long long)info.tile[2],
           (double)info.loads / points, setup);
    cm_stencil_deallocate(system, stencil);
    for (uint32_t i = 0; i < 2; i++)
        cm_array_destroy(system, arrays[i]);
    cm_system_destroy(system);
}

int main(int argc, char **argv)
{
    struct options options = {.machine = "configs/cm200.json", .nodes = 2048};
    struct cm_config config;
    struct cm_error err;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--data") == 0)
            options.data = true;
        else if (i + 1 < argc && strcmp(argv[i], "--machine") == 0)
            options.machine = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--nodes") == 0)
            options.nodes = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--only") == 0)
            options.only = argv[++i];
        else
            return 2;
    }
    stop(cm_config_read(options.machine, &config, &err), &err);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int distinct = 0; distinct < 2; distinct++)
            for (int wide = 0; wide < 2; wide++)
                if (!options.only || strcmp(options.only, shapes[i].name) == 0)
                    bench(&config, &shapes[i], wide ? CM_TYPE_REAL64 : CM_TYPE_REAL32, distinct,
                          &options);
    return 0;
}
