/* Lattice kernels: checks shapes, allocates boxes or arrays, compiles the IMPs, and executes calls.
 */
#include "../pshift/pshift.h"
#include "../pshift/runtime.h"
#include "qcd_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* divisor: the sites of an iteration take at most 1 / UNROLL_SHARE of the SRAM */
#define UNROLL_SHARE 8u

const char *cm_qcd_kernel_name(enum cm_qcd_kernel kernel)
{
    static const char *const names[CM_QCD_KERNELS] = {"staggered", "wilson"};
    return names[kernel];
}

const char *cm_qcd_way_name(enum cm_qcd_way way)
{
    static const char *const names[CM_QCD_WAYS] = {"halo", "pshift", "cshift"};
    return names[way];
}

/* Returns true if the axes before those of the lattice have these lengths and are in one node. */
static bool has_head(const struct cm_layout *layout, uint32_t count, const uint64_t *lengths)
{
    bool good = layout->rank == count + AXES;
    for (uint32_t a = 0; good && a < count; a++)
        good = layout->axes[a].length == lengths[a] && layout->axes[a].node_bits == 0;
    return good;
}

static bool same_lattice(const struct cm_layout *a, const struct cm_layout *b)
{
    bool good = a->nodes == b->nodes;
    for (uint32_t i = 1; good && i <= AXES; i++) {
        const struct cm_axis *x = &a->axes[a->rank - i], *y = &b->axes[b->rank - i];
        good = x->length == y->length && x->order == y->order && x->node_bits == y->node_bits &&
               x->first_dimension == y->first_dimension;
    }
    return good;
}

static enum cm_status check_shapes(const struct cm_qcd_task *task, struct cm_error *err)
{
    static const uint64_t field[CM_QCD_KERNELS][2] = {{3, 2}, {3, 4}}, link[3] = {3, 3, 2};
    const bool wilson = task->kernel == CM_QCD_WILSON;
    const enum cm_type type = task->field.type;
    const bool type_fits = wilson ? type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128
                                  : type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
    const char *hint = wilson ? "Wilson fermions take complex fields [3, 4, nx, ny, nz, nt] and "
                                "links [3, 3, nx, ny, nz, nt], the first axes serial"
                              : "staggered fermions take real fields [3, 2, nx, ny, nz, nt] and "
                                "links [3, 3, 2, nx, ny, nz, nt], the first axes serial";
    if (!type_fits || task->link.type != type)
        return cm_error_refuse(err, hint, "a %s field of %s with links of %s",
                               cm_qcd_kernel_name(task->kernel), cm_type_name(type),
                               cm_type_name(task->link.type));
    if (!has_head(&task->field, 2, field[task->kernel]))
        return cm_error_refuse(err, hint, "the field has not the shape of a %s field",
                               cm_qcd_kernel_name(task->kernel));
    if (!has_head(&task->link, wilson ? 2 : 3, link))
        return cm_error_refuse(err, hint, "the links have not the shape of %s links",
                               cm_qcd_kernel_name(task->kernel));
    if (!same_lattice(&task->field, &task->link))
        return cm_error_refuse(err,
                               "give field and links the same lengths, orders and weights of "
                               "the last four axes",
                               "the lattices of field and links are not laid out alike");
    return CM_OK;
}

static enum cm_status check_halo(const struct cm_qcd *own, struct cm_error *err)
{
    const uint32_t channels = own->config->network_channels_per_dimension;
    for (uint32_t mu = 0; own->task.way == CM_QCD_HALO && mu < AXES; mu++) {
        const struct cm_axis *axis = &own->axes[mu];
        const bool send = axis->order == CM_ORDER_SEND && axis->node_bits > 0;
        if (axis->padded || send)
            return cm_error_refuse(err, "use pshift or cshift",
                                   "lattice axis %c %s, which halos do not take", "xyzt"[mu],
                                   send ? "has the order send" : "is padded");
    }
    if (channels > 2)
        return cm_error_set(err, CM_BAD_INPUT, "halos need one or two channels a dimension");
    return CM_OK;
}

/* Returns a box of sites with more[a] further layers along axis a, of which before[a] come before
 * the first site. */
static struct cm_qcd_box box_of(const struct cm_qcd *own, uint64_t site_words,
                                const uint64_t more[AXES], const uint64_t before[AXES])
{
    struct cm_qcd_box box = {.words = site_words};
    for (uint32_t a = 0; a < AXES; a++) {
        box.stride[a] = box.words;
        box.origin += before[a] * box.stride[a];
        box.words *= own->axes[a].local_length + more[a];
    }
    return box;
}

static void place_boxes(struct cm_qcd *own)
{
    static const uint64_t none[AXES] = {0}, all[AXES] = {1, 1, 1, 1};
    const bool halo = own->task.way == CM_QCD_HALO, wilson = own->task.kernel == CM_QCD_WILSON;
    const uint64_t words = (uint64_t)own->spins * 2 * COLOURS * own->part_words;
    own->field = box_of(own, (wilson ? 4u : 1u) * 2 * COLOURS * own->part_words, none, none);
    own->link = box_of(own, (uint64_t)2 * COLOURS * COLOURS * own->part_words, none, none);
    own->copied = halo && !wilson;
    for (uint32_t mu = 0; mu < AXES; mu++) {
        uint64_t layer[AXES] = {0};
        layer[mu] = 1;
        own->up[mu] = box_of(own, words, !halo ? none : wilson ? layer : all, none);
        own->down[mu] = box_of(own, words, halo ? layer : none, halo ? layer : none);
    }
}

/* Chooses the largest number of sites in an iteration that divides the length of the first axis and
 * whose code fits the SRAM. */
static void choose_unrolled(struct cm_qcd *own)
{
    const uint64_t most = own->config->sequencer_sram_words / UNROLL_SHARE / cm_qcd_site_words(own);
    own->unrolled = 1;
    for (uint64_t n = 2; n <= most && n <= own->axes[0].local_length; n++)
        if (own->axes[0].local_length % n == 0)
            own->unrolled = n;
}

static enum cm_status plan(struct cm_qcd *own, struct cm_error *err)
{
    const struct cm_layout *field = &own->task.field;
    struct cm_layout_request request = {.type = field->type, .rank = field->rank};
    for (uint32_t a = 0; a < field->rank; a++) {
        request.shape[a] = field->axes[a].length;
        request.orders[a] = field->axes[a].order;
        request.weights[a] = field->axes[a].weight;
    }
    request.shape[1] = 2;
    memcpy(own->axes, &field->axes[2], sizeof own->axes);
    own->spins = own->task.kernel == CM_QCD_WILSON ? 2 : 1;
    own->part_words = cm_type_slices(field->type) / cm_type_components(field->type);
    place_boxes(own);
    choose_unrolled(own);
    enum cm_status status = check_halo(own, err);
    return status == CM_OK ? cm_layout_create(&request, field->nodes, &own->crossing, err) : status;
}

/* Allocates the boxes that receive halos. The four up boxes of staggered fermions are one box. */
static enum cm_status allocate_boxes(struct cm_system *system, struct cm_qcd *own,
                                     struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < CROSSING; i++) {
        const uint64_t words = i < AXES ? own->up[i].words : own->down[i - AXES].words;
        if (own->copied && i > 0 && i < AXES) {
            own->work[i] = own->work[0];
            continue;
        }
        status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words, "a halo of a lattice",
                                  &own->work[i], err);
        if (status == CM_OK)
            own->work_words[i] = words;
    }
    return status;
}

/* Creates the sources and destinations of the shifts. The up shifts of staggered fermions read src
 * itself. */
static enum cm_status create_arrays(struct cm_system *system, struct cm_qcd *own,
                                    struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < CROSSING; i++)
        for (uint32_t end = 0; status == CM_OK && end < 2; end++)
            if (own->task.kernel == CM_QCD_WILSON || i >= AXES || end == 1)
                status = cm_array_create(system, "a shifted array of a lattice", &own->crossing,
                                         &own->arrays[end][i], err);
    return status;
}

static void list_shifts(const struct cm_qcd *own, const struct cm_array *src,
                        struct cm_shift shifts[CROSSING])
{
    for (uint32_t i = 0; i < CROSSING; i++)
        shifts[i] = (struct cm_shift){.type = CM_SHIFT_CSHIFT,
                                      .axis = 2 + i % AXES,
                                      .distance = i < AXES ? 1 : -1,
                                      .dst = own->arrays[1][i],
                                      .src = own->arrays[0][i] ? own->arrays[0][i] : src};
}

static enum cm_status set_up_shifts(struct cm_system *system, struct cm_qcd *own,
                                    struct cm_error *err)
{
    struct cm_pshift_pattern patterns[CROSSING];
    struct cm_shift shifts[CROSSING];
    enum cm_status status = create_arrays(system, own, err);
    if (status != CM_OK)
        return status;
    list_shifts(own, own->arrays[0][AXES], shifts); /* any array with the layout will do */
    for (uint32_t i = 0; i < CROSSING; i++) {
        patterns[i] =
            (struct cm_pshift_pattern){shifts[i].type, shifts[i].axis, shifts[i].distance};
        if (status == CM_OK && own->task.way == CM_QCD_CSHIFT)
            status = cm_runtime_prepare(system, &shifts[i], err);
    }
    if (status != CM_OK || own->task.way == CM_QCD_CSHIFT)
        return status;
    status = cm_pshift_setup(
        system, &(struct cm_pshift_request){CM_SETUP_AUTO, &own->crossing, patterns, CROSSING},
        &own->pshift, err);
    own->shifted = status == CM_OK;
    return status == CM_OK ? cm_pshift_prepare(system, own->pshift, shifts, CROSSING, err) : status;
}

static enum cm_status make(struct cm_system *system, struct cm_qcd *own, struct cm_error *err)
{
    const bool halo = own->task.way == CM_QCD_HALO;
    struct cm_compiled *last = halo ? own->before : own->after;
    enum cm_status status = plan(own, err);
    if (status == CM_OK)
        status = halo ? allocate_boxes(system, own, err) : set_up_shifts(system, own, err);
    if (status == CM_OK && halo)
        status = cm_compiled_table(system, own->before,
                                   &(struct cm_table_request){CM_QCD_TABLE_WORDS,
                                                              "the tables of a lattice",
                                                              cm_qcd_fill_tables, own},
                                   err);
    if (status == CM_OK)
        status = cm_compiled_add(own->before, cm_qcd_compile_before(own), err);
    if (status == CM_OK && halo)
        status = cm_qcd_compile_halo(own, own->before, err);
    if (status == CM_OK)
        status = cm_compiled_add(last, cm_qcd_compile_after(own), err);
    if (status == CM_OK)
        status = cm_compiled_try(system, own->before, err);
    return status == CM_OK ? cm_compiled_try(system, own->after, err) : status;
}

enum cm_status cm_qcd_setup(struct cm_system *system, const struct cm_qcd_task *task,
                            struct cm_qcd **qcd, struct cm_error *err)
{
    *qcd = NULL;
    enum cm_status status = check_shapes(task, err);
    if (status != CM_OK)
        return status;
    struct cm_qcd *own = calloc(1, sizeof *own);
    if (!own)
        return cm_error_no_memory(err);
    own->task = *task;
    own->config = cm_machine_config(system->machine);
    own->before = calloc(1, sizeof *own->before);
    own->after = calloc(1, sizeof *own->after);
    status = own->before && own->after ? make(system, own, err) : cm_error_no_memory(err);
    if (status == CM_OK)
        *qcd = own;
    else
        cm_qcd_deallocate(system, own);
    return status;
}

void cm_qcd_deallocate(struct cm_system *system, struct cm_qcd *qcd)
{
    if (!qcd)
        return;
    if (qcd->shifted)
        cm_pshift_deallocate(system, qcd->pshift, NULL);
    for (uint32_t i = 0; i < CROSSING; i++) {
        cm_array_destroy(system, qcd->arrays[0][i]);
        cm_array_destroy(system, qcd->arrays[1][i]);
        if (qcd->work_words[i] > 0)
            cm_heap_free(system->heap, qcd->work[i]);
    }
    cm_compiled_drop(system, qcd->before);
    cm_compiled_drop(system, qcd->after);
    free(qcd);
}

static enum cm_status check_array(const struct cm_layout *wanted, const struct cm_array *array,
                                  const char *role, struct cm_error *err)
{
    if (cm_layout_equal(wanted, &array->layout) && !cm_array_is_allocated(array))
        return CM_OK;
    return cm_error_refuse(err, "use arrays of the layouts that the setup was made for",
                           "the %s \"%s\" of a lattice is not laid out as its setup says", role,
                           array->name);
}

static enum cm_status shift(struct cm_system *system, const struct cm_qcd *own,
                            const struct cm_array *src, struct cm_error *err)
{
    struct cm_shift shifts[CROSSING];
    enum cm_status status = CM_OK;
    list_shifts(own, src, shifts);
    if (own->task.way == CM_QCD_PSHIFT)
        return cm_pshift_call(system, own->pshift, shifts, CROSSING, err);
    for (uint32_t i = 0; status == CM_OK && i < CROSSING; i++)
        status = cm_runtime_shift(system, &shifts[i], err);
    return status;
}

/* Sets the arguments up and down of the IMPs. They are boxes, or the arrays at one end of the
 * shifts: sources or destinations. */
static void point(const struct cm_qcd *own, uint32_t end, struct cm_actual actuals[ARGUMENTS])
{
    for (uint32_t i = 0; i < CROSSING; i++) {
        const struct cm_array *array = own->arrays[end][i];
        actuals[ARGUMENT_UP + i].address = array ? array->address : own->work[i];
    }
}

enum cm_status cm_qcd_call(struct cm_system *system, const struct cm_qcd *qcd, struct cm_array *dst,
                           const struct cm_array *src,
                           const struct cm_array *const links[CM_QCD_AXES], struct cm_error *err)
{
    struct cm_actual actuals[ARGUMENTS] = {0};
    enum cm_status status = check_array(&qcd->task.field, dst, "result", err);
    if (status == CM_OK)
        status = check_array(&qcd->task.field, src, "source", err);
    for (uint32_t mu = 0; mu < AXES; mu++) {
        if (status == CM_OK)
            status = check_array(&qcd->task.link, links[mu], "link", err);
        actuals[ARGUMENT_LINK + mu].address = links[mu]->address;
    }
    actuals[ARGUMENT_DST].address = dst->address;
    actuals[ARGUMENT_SRC].address = src->address;
    actuals[ARGUMENT_TABLES].address = qcd->before->table;
    point(qcd, 0, actuals);
    if (status == CM_OK)
        status = cm_compiled_run(system, qcd->before, actuals, CM_ENTRY_IMP, err);
    if (status != CM_OK || qcd->task.way == CM_QCD_HALO)
        return status;
    status = shift(system, qcd, src, err);
    point(qcd, 1, actuals);
    return status == CM_OK ? cm_compiled_run(system, qcd->after, actuals, CM_ENTRY_IMP, err)
                           : status;
}

/* Returns the number of exchanges of a call, or 0 if the run-time library performs some shifts. */
static uint64_t exchanges_of(const struct cm_system *system, const struct cm_qcd *own)
{
    struct cm_pshift_info info;
    if (!own->shifted)
        return own->halo_exchanges;
    if (cm_pshift_info(system, own->pshift, &info, NULL) != CM_OK || info.by_runtime > 0)
        return 0;
    return info.exchanges;
}

struct cm_qcd_info cm_qcd_info(const struct cm_system *system, const struct cm_qcd *qcd)
{
    const uint64_t before = cm_compiled_words(qcd->before), after = cm_compiled_words(qcd->after);
    struct cm_qcd_info info = {
        .sites =
            qcd->axes[0].length * qcd->axes[1].length * qcd->axes[2].length * qcd->axes[3].length,
        .site_operations = qcd->task.kernel == CM_QCD_WILSON ? 1320 : 570,
        .exchanges = exchanges_of(system, qcd),
        .sram_words = before > after ? before : after,
        .table_words = qcd->before->table_words,
        .unrolled = qcd->unrolled,
    };
    for (uint32_t i = 0; i < CROSSING; i++)
        info.work_words += qcd->work_words[i] +
                           (qcd->arrays[0][i] ? qcd->crossing.local_words : 0) +
                           (qcd->arrays[1][i] ? qcd->crossing.local_words : 0);
    return info;
}
