/* The C interface of PSHIFT, as figure 4 of the paper uses it: one setup, calls on several sets of
 * arrays, deallocation. */
#include "oracle.h"
#include "properties.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    const struct cm_bench *bench;
    const struct cm_case *c;
    struct cm_session session;
    void *data[CM_CASE_ARRAYS]; /* what every array must hold */
    struct cm_error error;
    bool bad;
};

static void complain(struct trial *trial, const char *what, enum cm_status status)
{
    char text[2048] = "";
    if (status != CM_OK)
        (void)cm_error_format(&trial->error, text, sizeof(text));
    cm_report_fail(trial->bench->report, CM_PROPERTY_INTERFACE, trial->c, "%s (status %d)\n%s",
                   what, (int)status, text);
    trial->bad = true;
}

/* Random bits of every kind: not-a-numbers must travel unchanged too. */
static void fill(struct trial *trial, struct cm_random *random)
{
    for (uint32_t a = 0; a < trial->c->array_count && !trial->bad; a++) {
        const size_t bytes = cm_case_array_bytes(trial->c, a);
        const bool logical = trial->c->arrays[a].request.type == CM_TYPE_LOGICAL;
        uint8_t *data = trial->data[a] = malloc(bytes);
        if (data == NULL) {
            complain(trial, "out of memory", CM_OK);
            return;
        }
        for (size_t i = 0; i < bytes; i++)
            data[i] = (uint8_t)(cm_random_next(random) >> (logical ? 63 : 56));
        const enum cm_status status =
            cm_array_scatter(trial->session.system, trial->session.arrays[a], data, &trial->error);
        if (status != CM_OK)
            complain(trial, "scatter", status);
    }
}

static void compare(struct trial *trial, const char *when)
{
    for (uint32_t a = 0; a < trial->c->array_count && !trial->bad; a++) {
        const size_t bytes = cm_case_array_bytes(trial->c, a);
        void *found = calloc(1, bytes);
        const enum cm_status status =
            found == NULL ? CM_NO_MEMORY
                          : cm_array_gather(trial->session.system, trial->session.arrays[a], found,
                                            &trial->error);
        if (status != CM_OK)
            complain(trial, "gather", status);
        else if (memcmp(found, trial->data[a], bytes) != 0) {
            cm_report_fail(trial->bench->report, CM_PROPERTY_INTERFACE, trial->c,
                           "%s: array %s is wrong", when, trial->c->arrays[a].name);
            trial->bad = true;
        }
        free(found);
    }
}

static uint32_t collect(const struct trial *trial, const struct cm_case_step *step,
                        struct cm_pshift_pattern *patterns, struct cm_shift *shifts)
{
    for (uint32_t i = 0; i < step->shift_count; i++) {
        patterns[i] = cm_pattern_of(&step->shifts[i]);
        shifts[i] = cm_session_shift(&trial->session, trial->c, &step->shifts[i]);
    }
    return step->shift_count;
}

/* Calls setup `id` on the arrays of step `s` and compares all arrays with the oracle's. */
static void call(struct trial *trial, int id, uint32_t s, const char *when)
{
    const struct cm_case_step *step = &trial->c->steps[s];
    struct cm_pshift_pattern patterns[CM_CASE_SHIFTS];
    struct cm_shift shifts[CM_CASE_SHIFTS];
    const uint32_t count = collect(trial, step, patterns, shifts);
    const enum cm_status status =
        cm_pshift_call(trial->session.system, id, shifts, count, &trial->error);
    if (status != CM_OK) {
        complain(trial, when, status);
        return;
    }
    if (!cm_oracle_call(trial->c, step, trial->data))
        complain(trial, "out of memory", CM_OK);
    compare(trial, when);
}

static void expect_refusal(struct trial *trial, enum cm_status status, const char *what)
{
    if (status == CM_BAD_INPUT)
        return;
    cm_report_fail(trial->bench->report, CM_PROPERTY_INTERFACE, trial->c,
                   "%s: expected a refusal with CM_BAD_INPUT, found status %d", what, (int)status);
    trial->bad = true;
}

/* Every call here must be refused and change nothing. `other` is an array of another type. */
static void refuse_calls(struct trial *trial, int id, struct cm_array *other)
{
    struct cm_system *system = trial->session.system;
    struct cm_error *error = &trial->error;
    struct cm_pshift_pattern patterns[CM_CASE_SHIFTS];
    struct cm_shift shifts[CM_CASE_SHIFTS];
    const uint32_t n = collect(trial, &trial->c->steps[0], patterns, shifts);
    const struct cm_shift right = shifts[n - 1];
    struct cm_shift *last = &shifts[n - 1];
    last->distance++;
    expect_refusal(trial, cm_pshift_call(system, id, shifts, n, error), "another distance");
    *last = right;
    last->axis = last->axis > 0 ? 0 : 1;
    expect_refusal(trial, cm_pshift_call(system, id, shifts, n, error), "another axis");
    *last = right;
    last->type = last->type == CM_SHIFT_CSHIFT ? CM_SHIFT_EOSHIFT_0 : CM_SHIFT_CSHIFT;
    expect_refusal(trial, cm_pshift_call(system, id, shifts, n, error), "another type");
    *last = right;
    last->src = other;
    expect_refusal(trial, cm_pshift_call(system, id, shifts, n, error), "a source of another type");
    *last = right;
    last->dst = other;
    expect_refusal(trial, cm_pshift_call(system, id, shifts, n, error),
                   "a destination of another type");
    *last = right;
    expect_refusal(trial, cm_pshift_call(system, id, shifts, n - 1, error), "a shift too few");
    expect_refusal(trial, cm_pshift_call(system, id + 1000, shifts, n, error), "an unknown setup");
    if (n > 1) {
        last->dst = shifts[0].dst;
        expect_refusal(trial, cm_pshift_call(system, id, shifts, n, error),
                       "one destination of two shifts");
        *last = right;
    }
    patterns[n - 1].axis = trial->c->arrays[0].request.rank;
    int none = -1;
    expect_refusal(
        trial,
        cm_pshift_setup(system,
                        &(struct cm_pshift_request){CM_SETUP_AUTO, &right.src->layout, patterns, n},
                        &none, error),
        "a setup with an axis beyond the rank");
    compare(trial, "after refusals");
}

static void make_other(struct trial *trial, struct cm_array **other)
{
    struct cm_layout_request request = trial->c->arrays[0].request;
    struct cm_layout layout;
    request.type = request.type == CM_TYPE_REAL64 ? CM_TYPE_INT32 : CM_TYPE_REAL64;
    enum cm_status status = cm_layout_create(&request, trial->c->nodes, &layout, &trial->error);
    if (status == CM_OK)
        status = cm_array_create(trial->session.system, "other", &layout, other, &trial->error);
    if (status != CM_OK)
        complain(trial, "an array of another type", status);
}

/* Deallocates and looks whether the SRAM is as free as before the setups. */
static void deallocate(struct trial *trial, const int *ids, uint64_t sram_free)
{
    struct cm_system *system = trial->session.system;
    struct cm_pshift_pattern patterns[CM_CASE_SHIFTS];
    struct cm_shift shifts[CM_CASE_SHIFTS];
    const uint32_t count = collect(trial, &trial->c->steps[0], patterns, shifts);
    enum cm_status status = cm_pshift_deallocate(system, ids[0], &trial->error);
    if (status != CM_OK)
        complain(trial, "deallocation", status);
    expect_refusal(trial, cm_pshift_deallocate(system, ids[0], &trial->error),
                   "deallocating a second time");
    expect_refusal(trial, cm_pshift_call(system, ids[0], shifts, count, &trial->error),
                   "a call after deallocation");
    call(trial, ids[1], 1, "the other setup, after the first is gone");
    status = cm_pshift_deallocate(system, ids[1], &trial->error);
    if (status != CM_OK)
        complain(trial, "deallocation of the second", status);
    if (cm_machine_sram_free(cm_system_machine(system)) != sram_free) {
        cm_report_fail(trial->bench->report, CM_PROPERTY_INTERFACE, trial->c,
                       "SRAM: %" PRIu64 " words were free before the setups, %" PRIu64
                       " are after their deallocation",
                       sram_free, cm_machine_sram_free(cm_system_machine(system)));
        trial->bad = true;
    }
}

static void try_interface(struct trial *trial)
{
    struct cm_system *system = trial->session.system;
    struct cm_array *other = NULL;
    struct cm_pshift_pattern patterns[CM_CASE_SHIFTS];
    struct cm_shift shifts[CM_CASE_SHIFTS];
    int ids[2] = {0, 0};
    const uint32_t count = collect(trial, &trial->c->steps[0], patterns, shifts);
    const uint64_t sram_free = cm_machine_sram_free(cm_system_machine(system));
    make_other(trial, &other);
    for (int i = 0; i < 2 && !trial->bad; i++) {
        const enum cm_status status =
            cm_pshift_setup(system,
                            &(struct cm_pshift_request){i == 0 ? CM_SETUP_LOOPED : CM_SETUP_AUTO,
                                                        &shifts[0].src->layout, patterns, count},
                            &ids[i], &trial->error);
        if (status != CM_OK)
            complain(trial, "setup", status);
    }
    if (!trial->bad && ids[0] == ids[1])
        complain(trial, "two setups have one id", CM_OK);
    if (!trial->bad)
        call(trial, ids[0], 0, "the first call");
    if (!trial->bad)
        call(trial, ids[0], 1, "the same setup on other arrays");
    if (!trial->bad)
        call(trial, ids[1], 0, "another setup of the same shifts");
    if (!trial->bad)
        refuse_calls(trial, ids[0], other);
    if (!trial->bad)
        call(trial, ids[0], 0, "a call after refused ones");
    if (!trial->bad)
        deallocate(trial, ids, sram_free);
    if (!trial->bad)
        cm_report_hold(trial->bench->report, CM_PROPERTY_INTERFACE);
    cm_array_destroy(system, other);
}

void cm_check_interface(const struct cm_bench *bench, uint64_t seed, uint64_t number)
{
    struct cm_random random = cm_random_of_case(seed ^ UINT64_C(0xF111), number);
    struct cm_case *c = malloc(sizeof(*c));
    struct trial *trial = calloc(1, sizeof(*trial));
    if (c == NULL || trial == NULL)
        goto done;
    cm_case_generate_sets(c, seed, number);
    trial->bench = bench;
    trial->c = c;
    const enum cm_status status =
        cm_session_open(&trial->session, c, &bench->config, false, &trial->error);
    if (status != CM_OK)
        complain(trial, "arrays", status);
    if (!trial->bad)
        fill(trial, &random);
    if (!trial->bad)
        try_interface(trial);
    for (uint32_t a = 0; a < CM_CASE_ARRAYS; a++)
        free(trial->data[a]);
    cm_session_close(&trial->session);
done:
    free(trial);
    free(c);
}
