/* Words that cross the channels of the cube, which the steps shift and route share. */
#include "network_step.h"

#include "network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void cm_step_network_read_units(struct cm_reader *reader, struct cm_json object,
                                struct cm_network_step *step)
{
    static const char *const names[] = {"ts", "tw", "th"};
    const double values[] = {step->ts, step->tw, step->th};
    for (uint32_t i = 0; i < CM_COUNT_OF(names); i++) {
        struct cm_json json;
        if (!cm_read_optional(reader, object, names[i], &json))
            continue;
        step->timed = true;
        if (values[i] < 0)
            cm_reader_fail(reader, json, "%s is negative, expected a time", names[i]);
    }
}

/* Creates the step's state, a pointer to a struct cm_network. */
enum cm_status cm_step_network_prepare(struct cm_run *run, struct cm_run_step *step,
                                       struct cm_error *err)
{
    const struct cm_step_network_keys *own = step->step->own;
    struct cm_network **network = step->state;
    struct cm_network_place place = {
        .file = cm_json_name(run->workload->document),
        .verify = run->check,
    };
    if (own->network.has_array) {
        enum cm_status status = cm_run_expect_layout(run, own->dst, own->array, err);
        if (status != CM_OK)
            return status;
        place.src_array = cm_run_array_of(run, own->array);
        place.dst_array = cm_run_array_of(run, own->dst);
    }
    enum cm_status status = cm_network_create(run->system, &own->network, &place, network, err);
    if (status != CM_OK && own->network.list_json.document != NULL && err != NULL &&
        err->file[0] != '\0')
        cm_workload_hint_place(own->network.list_json, err);
    if (status != CM_OK)
        return status;
    step->path = (*network)->imp != NULL ? "imp" : "router";
    return CM_OK;
}

static bool is_interrupted(void *context)
{
    const struct cm_run *run = context;
    return atomic_load(&run->interrupted);
}

static void report_part(void *context, const char *unit, uint64_t done, uint64_t total)
{
    cm_run_report_progress(context, unit, done, total);
}

enum cm_status cm_step_network_run(struct cm_run *run, struct cm_run_step *step,
                                   struct cm_error *err)
{
    struct cm_network **network = step->state;
    return cm_network_run(run->system, *network,
                          &(struct cm_network_watch){is_interrupted, report_part, run}, err);
}

#define NOBODY UINT32_MAX

/* Returns the node to which each node's block goes, or NOBODY if a list of packets leaves the node
 * out. Returns NULL if memory runs out. */
static uint32_t *block_destinations(const struct cm_network *network, uint32_t node_bits)
{
    const struct cm_traffic_task *task = &network->task;
    uint32_t nodes = UINT32_C(1) << node_bits;
    uint32_t *to = malloc(nodes * sizeof *to);
    if (to == NULL)
        return NULL;
    for (uint32_t node = 0; node < nodes; node++)
        to[node] = task->pattern == CM_PATTERN_LIST
                       ? NOBODY
                       : cm_pattern_destination(task->pattern, node_bits, node, task->by);
    for (uint64_t i = 0; i < task->list_count; i++)
        to[task->list[i].source] = task->list[i].destination;
    return to;
}

/* Evaluates the step directly: each node's block of the array goes to the same local places of the
 * node that the pattern chooses. */
static enum cm_status evaluate_blocks(struct cm_run *run, const struct cm_step_network_keys *own,
                                      const struct cm_network *network, struct cm_error *err)
{
    const struct cm_layout *layout = &cm_run_array_of(run, own->array)->layout;
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    size_t bytes = cm_type_host_bytes(dst->type);
    uint64_t index[CM_RANK_MAX], place;
    uint32_t node;
    /* number of the element at node * V + local */
    uint64_t *places = calloc(layout->elements, sizeof *places);
    void *copy = cm_run_copy_elements(&run->reference[own->array.number], err);
    enum cm_status status = copy == NULL ? CM_NO_MEMORY : CM_OK;
    uint32_t *to = block_destinations(network, layout->node_bits);
    if (places == NULL || to == NULL)
        status = cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a step");
    for (int pass = 0; status == CM_OK && pass < 2; pass++) {
        for (uint64_t e = 0; e < layout->elements; e++) {
            uint64_t rest = e;
            for (uint32_t a = 0; a < layout->rank; a++) {
                index[a] = rest % layout->axes[a].length;
                rest /= layout->axes[a].length;
            }
            cm_layout_place(layout, index, &node, &place);
            if (pass == 0) {
                places[node * layout->local_elements + place] = e;
                continue;
            }
            if (to[node] == NOBODY)
                continue;
            memcpy((char *)dst->elements +
                       places[to[node] * layout->local_elements + place] * bytes,
                   (const char *)copy + e * bytes, bytes);
        }
    }
    free(places);
    free(to);
    free(copy);
    return status;
}

/* Checks the step. Messages that do not come from an array carry data that show whether they
 * arrived correctly. */
enum cm_status cm_step_network_check(struct cm_run *run, const struct cm_run_step *step,
                                     struct cm_step_result *result, struct cm_error *err)
{
    const struct cm_step_network_keys *own = step->step->own;
    struct cm_network **network = step->state;
    uint64_t mismatches;
    enum cm_status status;
    if (own->network.has_array) {
        status = evaluate_blocks(run, own, *network, err);
        return status == CM_OK ? cm_run_check_array(run, step, own->dst.number, 0, result, err)
                               : status;
    }
    status = cm_network_check(run->system, *network, &mismatches, err);
    if (status == CM_OK)
        cm_run_count_mismatches(run, step, mismatches,
                                "words of the messages arrived at the wrong place", result, err);
    return status;
}

const struct cm_network_report *cm_step_network_report(const struct cm_step_result *step)
{
    struct cm_network *const *network = step->state;
    return step->kind->report == cm_step_network_write_report ? &(*network)->report : NULL;
}

void cm_step_network_write_report(const struct cm_step_result *result, struct cm_report *report)
{
    struct cm_report out = *report;
    if (result->times == 0)
        out.text = NULL; /* not executed: no text */
    cm_report_text(&out, "\n  %s %s:", result->op, result->where);
    cm_network_report_write(cm_step_network_report(result), &out);
}

enum cm_status cm_step_network_words(struct cm_run *run, struct cm_run_step *step,
                                     const uint64_t *words, struct cm_error *err)
{
    struct cm_network **network = step->state;
    if ((*network)->imp == NULL)
        return CM_OK;
    return cm_network_take_words(*network, words,
                                 cm_machine_dimensions(cm_system_machine(run->system)),
                                 run->config.network_channels_per_dimension, err);
}

void cm_step_network_finish(struct cm_run *run, struct cm_run_step *step)
{
    struct cm_network **network = step->state;
    cm_network_destroy(run->system, *network);
}
