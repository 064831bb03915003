/* Chooses the bands of a statement that assigns an array which it reads at offsets, and runs the
 * statement band by band (bands.h). */
#include "bands.h"

#include "../system/system_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t band_count(const struct cm_layout *layout, const struct cm_bands_plan *plan)
{
    const int64_t length = (int64_t)layout->axes[plan->axis].local_length;
    return (length + plan->height - 1) / plan->height;
}

/* What the choice of bands depends on. */
struct choice {
    const struct cm_layout *layout;
    const struct cm_bands_reads *reads;
    uint64_t words; /* words that the buffers may take */
};

/* Makes the plan for one axis and one order of the bands. */
static void plan_along(const struct choice *choice, uint32_t axis, bool down,
                       struct cm_bands_plan *plan)
{
    const struct cm_layout *layout = choice->layout;
    const struct cm_bands_reads *reads = choice->reads;
    const int64_t length = (int64_t)layout->axes[axis].local_length;
    const uint64_t layer = layout->local_elements / (uint64_t)length;
    const int64_t behind = reads->reach[axis][down];
    const int64_t ahead = reads->wraps[axis] ? reads->reach[axis][!down] : 0;
    const int64_t least = most(most(behind, ahead), 1);
    *plan = (struct cm_bands_plan){
        .axis = axis, .down = down, .rolling = behind > 0 ? 2 : 1, .keeps = ahead > 0};
    const uint64_t buffers = plan->rolling + plan->keeps;
    const int64_t fitting = (int64_t)(choice->words / (layer * layout->slices * buffers));
    plan->height = fitting < length ? most(fitting, least) : length;
    plan->borrows = fitting < least && behind > 0 && !reads->wraps[axis];
    plan->elements = (buffers - plan->borrows) * (uint64_t)plan->height * layer;
}

/* Returns true if plan `a` is better than plan `b`. */
static bool is_better(const struct choice *choice, const struct cm_bands_plan *a,
                      const struct cm_bands_plan *b)
{
    const struct cm_layout *layout = choice->layout;
    const bool fits = a->elements * layout->slices <= choice->words;
    if (fits != (b->elements * layout->slices <= choice->words))
        return fits;
    return fits ? band_count(layout, a) < band_count(layout, b) : a->elements < b->elements;
}

void cm_bands_choose(const struct cm_layout *layout, const struct cm_bands_reads *reads,
                     uint64_t words, struct cm_bands_plan *plan)
{
    const struct choice choice = {layout, reads, words};
    /* Bands along a later axis are in one piece in node memory, so later axes are tried first. */
    plan_along(&choice, layout->rank - 1, false, plan);
    for (uint32_t a = layout->rank; a-- > 0;)
        for (uint32_t down = 0; down < 2; down++) {
            struct cm_bands_plan other;
            plan_along(&choice, a, down > 0, &other);
            if (is_better(&choice, &other, plan))
                *plan = other;
        }
}

/* ---- the buffers ---- */

enum cm_status cm_bands_create(struct cm_system *system, struct cm_array *array,
                               const struct cm_bands_reads *reads, struct cm_bands **bands,
                               struct cm_error *err)
{
    struct cm_bands *made = calloc(1, sizeof(*made));
    uint64_t address;
    *bands = NULL;
    if (!made)
        return cm_error_no_memory(err);
    struct cm_bands_plan *plan = &made->plan;
    enum cm_status status = CM_BAD_INPUT;
    for (uint64_t most = CM_BANDS_WORDS; status == CM_BAD_INPUT && most > 0; most /= 2) {
        cm_bands_choose(&array->layout, reads, most, plan);
        status =
            cm_heap_allocate(system->heap, CM_HEAP_TABLES, plan->elements * array->layout.slices,
                             "a buffer for the results of a statement", &address, err);
    }
    const uint64_t words = plan->elements * array->layout.slices;
    const uint32_t own = plan->rolling + plan->keeps - plan->borrows;
    if (status != CM_OK) {
        free(made);
        return status;
    }
    made->array = array;
    for (uint32_t i = 0; i < plan->rolling + plan->keeps; i++) {
        made->buffers[i] = *array;
        made->buffers[i].address = address + i * (words / own);
    }
    *bands = made;
    return CM_OK;
}

void cm_bands_destroy(struct cm_system *system, struct cm_bands *bands)
{
    if (!bands)
        return;
    cm_heap_free(system->heap, bands->buffers[0].address);
    free(bands);
}

/* ---- the run ---- */

/* A run of the bands. */
struct run {
    struct cm_system *system;
    const struct cm_bands *bands;
    const struct cm_expression *expression;
    struct cm_expression *copy; /* stores a buffer in the array */
    const struct cm_near_arguments *given;
    struct cm_array buffers[CM_BANDS_BUFFERS_MAX];
    enum cm_entry entry;
    struct cm_error *err;
};

static struct cm_band find_band(const struct run *run, int64_t number)
{
    const struct cm_bands_plan *plan = &run->bands->plan;
    const int64_t length = (int64_t)run->bands->array->layout.axes[plan->axis].local_length;
    const int64_t near = number * plan->height;
    const int64_t far = near + plan->height < length ? near + plan->height : length;
    return (struct cm_band){.axis = plan->axis,
                            .from = plan->down ? length - far : near,
                            .to = plan->down ? length - near : far};
}

static struct cm_array *buffer_of(struct run *run, int64_t number)
{
    const struct cm_bands_plan *plan = &run->bands->plan;
    if (number == 0 && plan->keeps)
        return &run->buffers[plan->rolling];
    return &run->buffers[number % plan->rolling];
}

/* Computes the results of a band, into its buffer. */
static enum cm_status compute(struct run *run, int64_t number)
{
    struct cm_array *arrays[CM_EXPRESSION_ARRAYS_MAX];
    struct cm_near_arguments arguments = *run->given;
    struct cm_band band = find_band(run, number);
    memcpy(arrays, arguments.given.arrays, arguments.given.array_count * sizeof(arrays[0]));
    arrays[run->bands->target] = buffer_of(run, number);
    band.held[run->bands->target] = true;
    arguments.given.arrays = arrays;
    arguments.band = &band;
    enum cm_status status =
        cm_elementwise_start(run->system, run->expression, &arguments, run->entry, NULL, run->err);
    run->entry = CM_ENTRY_CHAINED;
    return status;
}

/* Stores the results of a band in the array. */
static enum cm_status store(struct run *run, int64_t number)
{
    struct cm_array *arrays[] = {buffer_of(run, number), run->bands->array};
    struct cm_band band = find_band(run, number);
    const struct cm_near_arguments arguments = {.given = {arrays, 2, NULL, 0},
                                                .band = &band,
                                                .ignores_padding = run->given->ignores_padding};
    band.held[0] = true;
    return cm_elementwise_start(run->system, run->copy, &arguments, CM_ENTRY_CHAINED, NULL,
                                run->err);
}

/* Computes and stores all bands. */
static enum cm_status run_all(struct run *run)
{
    const struct cm_bands_plan *plan = &run->bands->plan;
    const int64_t count = band_count(&run->bands->array->layout, plan);
    const int64_t later = plan->rolling - 1;
    enum cm_status status = CM_OK;
    for (int64_t i = 0; i < count + later && status == CM_OK; i++) {
        if (i < count)
            status = compute(run, i);
        if (status == CM_OK && i >= later && !(plan->keeps && i == later))
            status = store(run, i - later);
    }
    return status == CM_OK && plan->keeps ? store(run, 0) : status;
}

/* Makes the memory of a halo the second buffer: the halo on the side where the bands begin. Returns
 * false if no halo of the array is large enough. */
static bool borrow(struct run *run)
{
    const struct cm_bands_plan *plan = &run->bands->plan;
    const struct cm_layout *layout = &run->bands->array->layout;
    for (uint32_t k = 0; k < run->given->given.array_count; k++) {
        const struct cm_halos *halos = run->given->nears[k].halos;
        if (!halos || run->given->given.arrays[k] != run->bands->array)
            continue;
        const struct cm_box *box = &halos->boxes[plan->axis][plan->down];
        if (cm_box_elements(box, layout->rank) < plan->elements)
            continue;
        run->buffers[1].address = halos->address + (uint64_t)box->offset * layout->slices;
        return true;
    }
    return false;
}

enum cm_status cm_bands_run(struct cm_system *system, const struct cm_bands *bands,
                            const struct cm_expression *expression,
                            const struct cm_near_arguments *arguments, enum cm_entry entry,
                            struct cm_error *err)
{
    struct run run = {.system = system,
                      .bands = bands,
                      .expression = expression,
                      .copy = cm_expression_create(),
                      .given = arguments,
                      .entry = entry,
                      .err = err};
    if (!run.copy)
        return cm_error_no_memory(err);
    memcpy(run.buffers, bands->buffers, sizeof(run.buffers));
    if (bands->plan.borrows && !borrow(&run)) {
        cm_expression_destroy(run.copy);
        return cm_error_set(err, CM_INTERNAL, "no halo is as large as a band");
    }
    cm_expression_assign(run.copy, 1, cm_expression_array(run.copy, 0, bands->array->layout.type),
                         0);
    enum cm_status status = run_all(&run);
    cm_expression_destroy(run.copy);
    return status;
}
