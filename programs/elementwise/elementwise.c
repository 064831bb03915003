/* Calls of array statements: checks the arrays, compiles the IMPs or finds them in the system's
 * cache, and runs them. */
#include "elementwise.h"

#include "../system/compiled_imps.h"
#include "compile.h"
#include "index.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct call {
    const struct cm_expression *expression;
    struct cm_array *const *arrays;
    uint32_t array_count;
    /* first array that the expression uses. All arrays must have its layout */
    const struct cm_array *first;
    bool padded;
    const struct cm_near_arguments *given;
    const struct cm_halo_reference *nears; /* offsets of the operands (near.h), or NULL */
    const struct cm_band *band;            /* elements that are computed, or NULL for all */
    bool nested; /* true if a view has several distances between its elements, or for a band */
    bool short_tables; /* as in struct cm_near_arguments */
    bool pitched;      /* true if each view has one distance, stored in `pitches` */
    int64_t pitches[CM_EXPRESSION_ARRAYS_MAX];
    /* description of the operands, valid if `nears` is not NULL or `nested` is true */
    struct cm_near_form near;
};

/*
 * Attempts to make IMPs that fit the SRAM, the best attempt first: long loop bodies, short ones,
 * then one element at a time. Under the garbage mask loop bodies have at least 32 elements, one for
 * each bit of a word. Further attempts then make several IMPs, each for `piece` of the 32 elements.
 * With operands at long offsets the last attempts loop over the elements at the ends of axes.
 */
static const struct {
    uint32_t vector, words, piece;
    bool finely_cut;
} attempts[] = {{CM_VECTOR_MAX, 1024, CM_ELEMENTWISE_GROUP, false},
                {CM_VECTOR_MAX, 0, CM_ELEMENTWISE_GROUP, false},
                {1, 0, CM_ELEMENTWISE_GROUP, false},
                {1, 0, 8, false},
                {1, 0, 1, false},
                {CM_VECTOR_MAX, 1024, CM_ELEMENTWISE_GROUP, true},
                {CM_VECTOR_MAX, 0, CM_ELEMENTWISE_GROUP, true},
                {1, 0, CM_ELEMENTWISE_GROUP, true}};
#define ATTEMPTS (sizeof attempts / sizeof attempts[0])

static enum cm_status check_type(const struct call *call, uint32_t number, struct cm_error *err)
{
    const struct cm_array *array = call->arrays[number];
    const enum cm_type type = call->expression->arrays[number].type;
    if (array->layout.type == type)
        return CM_OK;
    return cm_error_refuse(err, "an array of the call has the type that the expression gives it",
                           "elementwise: \"%s\" is %s, and %s in the expression", array->name,
                           cm_type_name(array->layout.type), cm_type_name(type));
}

static bool same_placement(const struct cm_array *a, const struct cm_array *b)
{
    struct cm_layout layout = b->layout;
    layout.type = a->layout.type;
    if (!cm_layout_equal(&a->layout, &layout) ||
        cm_array_is_allocated(a) != cm_array_is_allocated(b))
        return false;
    return !cm_array_is_allocated(a) || cm_allocation_equal(&a->allocation, &b->allocation);
}

static enum cm_status check_placement(const struct call *call, uint32_t number,
                                      struct cm_error *err)
{
    const struct cm_array *array = call->arrays[number];
    if (same_placement(call->first, array))
        return CM_OK;
    return cm_error_refuse(err,
                           "all arrays of a statement need the same shape, order and layout; "
                           "declare them with \"like\"",
                           "elementwise: \"%s\" is not laid out as \"%s\"", array->name,
                           call->first->name);
}

/* Returns true if operand `k` may be read at its offset while its array is assigned to, because
 * each element is read before it is assigned. */
static bool is_in_order(const struct call *call, uint32_t k)
{
    const struct cm_halo_reference *near = &call->nears[k];
    for (uint32_t a = 0; a < call->first->layout.rank; a++) {
        const bool down = (call->given->down >> a & 1) != 0;
        if (near->offset[a] == 0)
            continue;
        if (near->halos->wraps[a] || (down ? near->offset[a] > 0 : near->offset[a] < 0))
            return false;
    }
    return true;
}

/* Fails if an array that is assigned to is passed as two arguments. */
static enum cm_status check_once(const struct call *call, uint32_t number, struct cm_error *err)
{
    const struct cm_expression_array *arrays = call->expression->arrays;
    for (uint32_t k = 0; arrays[number].assigned && k < call->array_count; k++)
        if (k != number && arrays[k].used &&
            call->arrays[k]->address == call->arrays[number]->address &&
            !(call->given->ordered && call->nears && call->nears[k].halos && is_in_order(call, k)))
            return cm_error_refuse(err, "use one array argument for it",
                                   "elementwise: \"%s\" is assigned to, and passed twice",
                                   call->arrays[number]->name);
    return CM_OK;
}

static enum cm_status check_arrays(struct call *call, struct cm_error *err)
{
    const struct cm_expression *expression = call->expression;
    enum cm_status status = CM_OK;
    for (uint32_t k = 0; status == CM_OK && k < CM_EXPRESSION_ARRAYS_MAX; k++) {
        if (!expression->arrays[k].used)
            continue;
        if (k >= call->array_count || !call->arrays[k])
            return cm_error_refuse(err, "pass as many arrays as the expression uses",
                                   "elementwise: array argument %" PRIu32 " is missing", k);
        if (!call->first)
            call->first = call->arrays[k];
        status = check_type(call, k, err);
        if (status == CM_OK)
            status = check_placement(call, k, err);
        if (status == CM_OK)
            status = check_once(call, k, err);
    }
    return status;
}

static enum cm_status check_indices(const struct call *call, struct cm_error *err)
{
    for (uint32_t axis = 0; axis < CM_RANK_MAX; axis++) {
        if (!call->expression->indices[axis])
            continue;
        if (axis >= call->first->layout.rank)
            return cm_error_refuse(err, "axes count from 0",
                                   "elementwise: an index along axis %" PRIu32
                                   "; \"%s\" has %" PRIu32,
                                   axis, call->first->name, call->first->layout.rank);
        if (cm_array_is_allocated(call->first))
            return cm_error_refuse(err, "reshape it to the canonical layout first",
                                   "elementwise: \"%s\" has an allocation of its own, and its "
                                   "elements do not know their indices",
                                   call->first->name);
    }
    return CM_OK;
}

/* Returns the number of an array's halos in the list of the form, and adds the halos if they are
 * new. */
static uint32_t find_halo(struct cm_near_form *form, const struct cm_halos *halos)
{
    uint32_t h = 0;
    while (h < form->halo_count && form->halos[h] != halos)
        h++;
    if (h == form->halo_count)
        form->halos[form->halo_count++] = halos;
    return h;
}

static void widen(struct cm_near_form *form, const int64_t *offset)
{
    for (uint32_t a = 0; a < form->rank; a++) {
        const bool high = offset[a] > 0;
        const int64_t magnitude = high ? offset[a] : -offset[a];
        if (form->reach[a][high] < magnitude)
            form->reach[a][high] = magnitude;
    }
}

/* Returns true if two arrays of one placement have their elements in the same words of node
 * memory. */
static bool same_elements(const struct cm_array *a, const struct cm_array *b)
{
    return a->address == b->address && a->stepped == b->stepped &&
           (!a->stepped || memcmp(a->steps, b->steps, sizeof a->steps) == 0);
}

static void describe_view(struct cm_near_operand *operand, const struct cm_array *array)
{
    operand->stepped = array->stepped;
    for (uint32_t a = 0; array->stepped && a < array->layout.rank; a++) {
        operand->box.high[a] = (int64_t)array->layout.axes[a].local_length;
        operand->box.stride[a] = array->steps[a];
    }
}

/* Sets *pitch to the distance between consecutive local elements of a view, in elements. Returns
 * false if there are several distances. */
static bool find_pitch(const struct cm_array *array, int64_t *pitch)
{
    bool found = false;
    *pitch = 1;
    for (uint32_t a = 0; array->stepped && a < array->layout.rank; a++) {
        const struct cm_axis *axis = &array->layout.axes[a];
        if (axis->local_length == 1)
            continue;
        if (!found) /* the stride of this axis is 1 */
            *pitch = array->steps[a];
        else if (array->steps[a] != *pitch * (int64_t)axis->stride)
            return false;
        found = true;
    }
    return true;
}

/* Describes an array that has only the elements of a band. */
static void describe_held(struct cm_near_operand *operand, const struct cm_layout *layout,
                          const struct cm_band *band)
{
    int64_t stride = 1;
    operand->stepped = true;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const bool cut = a == band->axis;
        operand->box.low[a] = cut ? band->from : 0;
        operand->box.high[a] = cut ? band->to : (int64_t)layout->axes[a].local_length;
        operand->box.stride[a] = stride;
        stride *= operand->box.high[a] - operand->box.low[a];
    }
}

bool cm_elementwise_is_nested(const struct cm_array *view)
{
    int64_t pitch;
    return !find_pitch(view, &pitch);
}

static void find_pitches(struct call *call)
{
    for (uint32_t k = 0; k < call->array_count && k < CM_EXPRESSION_ARRAYS_MAX; k++) {
        call->pitches[k] = 1;
        if (!call->expression->arrays[k].used)
            continue;
        call->nested = !find_pitch(call->arrays[k], &call->pitches[k]) || call->nested;
        call->pitched = call->pitched || call->pitches[k] != 1;
    }
}

static void describe_operand(struct call *call, uint32_t number)
{
    struct cm_near_form *form = &call->near;
    struct cm_near_operand *operand = &form->operands[number];
    const struct cm_halo_reference *near = call->nears ? &call->nears[number] : NULL;
    const struct cm_array *array = call->arrays[number];
    operand->array = number;
    for (uint32_t k = number; k-- > 0;)
        if (call->expression->arrays[k].used && same_elements(call->arrays[k], array))
            operand->array = k;
    operand->halo = near && near->halos ? find_halo(form, near->halos) : CM_NO_HALO;
    if (operand->halo == CM_NO_HALO && call->band && call->band->held[number])
        describe_held(operand, &array->layout, call->band);
    else if (operand->halo == CM_NO_HALO)
        describe_view(operand, array);
    if (operand->halo == CM_NO_HALO)
        return;
    memcpy(operand->offset, near->offset, sizeof operand->offset);
    widen(form, near->offset);
}

static void describe_near(struct call *call)
{
    const struct cm_layout *layout = &call->first->layout;
    call->near.rank = layout->rank;
    call->near.down = call->given->ordered ? call->given->down : 0;
    call->near.short_tables = call->short_tables;
    for (uint32_t a = 0; a < layout->rank; a++) {
        call->near.own.high[a] = (int64_t)layout->axes[a].local_length;
        call->near.own.stride[a] = (int64_t)layout->axes[a].stride;
        call->near.to[a] = call->near.own.high[a];
        memcpy(call->near.lines[a].high, call->near.own.high, sizeof call->near.own.high);
        call->near.lines[a].stride[a] = 1;
    }
    if (call->band) {
        call->near.from[call->band->axis] = call->band->from;
        call->near.to[call->band->axis] = call->band->to;
    }
    if (call->band && call->band->own_indices) {
        struct cm_box *line = &call->near.lines[call->band->axis];
        line->low[call->band->axis] = call->band->from;
        line->high[call->band->axis] = call->band->to;
    }
    for (uint32_t k = 0; k < call->array_count && k < CM_EXPRESSION_ARRAYS_MAX; k++)
        if (call->expression->arrays[k].used)
            describe_operand(call, k);
}

/* Returns whether the expression uses an operand at an offset. */
static bool has_offsets(const struct cm_expression *expression, uint32_t array_count,
                        const struct cm_halo_reference *nears)
{
    for (uint32_t k = 0; k < array_count && k < CM_EXPRESSION_ARRAYS_MAX; k++)
        if (expression->arrays[k].used && nears[k].halos)
            return true;
    return false;
}

static enum cm_status call_init(struct call *call, const struct cm_expression *expression,
                                const struct cm_near_arguments *given, struct cm_error *err)
{
    const struct cm_elementwise_arguments *arguments = &given->given;
    const struct cm_halo_reference *nears = given->nears;
    enum cm_status status = cm_expression_status(expression, err);
    if (nears && !has_offsets(expression, arguments->array_count, nears))
        nears = NULL;
    *call = (struct call){.expression = expression,
                          .arrays = arguments->arrays,
                          .array_count = arguments->array_count,
                          .given = given,
                          .nears = nears,
                          .band = given->band,
                          .nested = given->band != NULL};
    if (status == CM_OK && expression->assigned_count + expression->places.count == 0)
        return cm_error_refuse(err, "use cm_expression_assign",
                               "elementwise: the expression assigns to no array");
    if (status == CM_OK)
        status = check_arrays(call, err);
    if (status == CM_OK)
        status = check_indices(call, err);
    if (status == CM_OK)
        call->padded = cm_layout_is_padded(&call->first->layout) && !given->ignores_padding;
    if (status == CM_OK && (nears || call->band) && call->padded)
        return cm_error_refuse(err, "shift the operands",
                               "elementwise: operands at offsets in a padded layout");
    call->short_tables = given->short_tables && !call->padded;
    call->nested = call->nested || call->short_tables;
    if (status == CM_OK)
        find_pitches(call);
    if (call->nested) /* The loops for such views do not use the words of the garbage mask. */
        call->padded = false;
    if (status == CM_OK && (nears || call->nested))
        describe_near(call);
    return status;
}

static struct cm_elementwise_form form_of(const struct call *call, uint32_t attempt)
{
    return (struct cm_elementwise_form){.local_elements = call->first->layout.local_elements,
                                        .padded = call->padded,
                                        .vector = attempts[attempt].vector,
                                        .words = attempts[attempt].words,
                                        .near = call->nears || call->nested ? &call->near : NULL,
                                        .finely_cut = attempts[attempt].finely_cut,
                                        .pitches = call->pitched ? call->pitches : NULL};
}

static enum cm_status check_limits(const struct cm_elementwise_code *code, struct cm_error *err)
{
    const uint32_t arguments = CM_ELEMENTWISE_ARRAYS + code->array_count + code->lower.slots.count;
    const char *hint = "split the statement";
    if (CM_ELEMENTWISE_ARRAYS + code->array_count > CM_ADDRESS_REGISTERS)
        return cm_error_refuse(err, hint,
                               "elementwise: %" PRIu32
                               " arrays and tables of indices are more than "
                               "the address registers",
                               code->array_count);
    if (arguments > CM_IMP_ARGUMENTS_MAX)
        return cm_error_refuse(err, hint,
                               "elementwise: %" PRIu32
                               " arrays, scalars and constants are more than "
                               "an IMP has arguments, %u",
                               arguments, CM_IMP_ARGUMENTS_MAX);
    return CM_OK;
}

static enum cm_status emit_near(const struct cm_elementwise_code *code,
                                struct cm_compiled *compiled, struct cm_error *err)
{
    bool fits;
    enum cm_status status = cm_compiled_add(compiled, cm_elementwise_emit_near(code, &fits), err);
    if (status == CM_OK && !fits)
        status = cm_error_refuse(err, "split the statement",
                                 "elementwise: operands at offsets need more than the address "
                                 "registers");
    return status;
}

static enum cm_status emit(const struct cm_elementwise_code *code, uint32_t piece,
                           struct cm_compiled *compiled, struct cm_error *err)
{
    if (code->form.near)
        return emit_near(code, compiled, err);
    const uint32_t step = piece < CM_ELEMENTWISE_GROUP ? piece : code->group;
    enum cm_status status = CM_OK;
    for (uint32_t begin = 0;
         status == CM_OK && begin < code->group && begin < code->form.local_elements; begin += step)
        status = cm_compiled_add(compiled, cm_elementwise_emit(code, begin, begin + step), err);
    return status;
}

/* Makes the IMPs of one attempt, and sets *fits to whether they fit the SRAM. */
static enum cm_status try_attempt(struct cm_system *system, const struct call *call,
                                  uint32_t attempt, struct cm_compiled *compiled, bool *fits,
                                  struct cm_error *err)
{
    const struct cm_elementwise_form form = form_of(call, attempt);
    struct cm_elementwise_code code;
    enum cm_status status = CM_OK;
    *fits = true;
    if (!cm_elementwise_code_init(&code, call->expression, &form))
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = check_limits(&code, err);
    if (status == CM_OK)
        status = emit(&code, attempts[attempt].piece, compiled, err);
    if (status == CM_OK) {
        compiled->variant = (int)attempt;
        compiled->scratch =
            (struct cm_scratch){.words = 2 * (uint64_t)code.schedule.spill_places,
                                .argument = CM_ELEMENTWISE_SCRATCH,
                                .name = "elementwise: room for values that registers don't hold"};
        compiled->constants.count = 0;
        for (uint32_t slot = 0; slot < code.lower.slots.count; slot++)
            if (code.lower.slots.items[slot].is_constant)
                cm_list_push(&compiled->constants, code.lower.slots.items[slot].bits);
        if (compiled->constants.failed)
            status = cm_error_no_memory(err);
        *fits =
            cm_compiled_words(compiled) <= cm_machine_config(system->machine)->sequencer_sram_words;
    }
    cm_elementwise_code_finish(&code);
    return status;
}

static enum cm_status too_long(const struct cm_system *system, const struct cm_compiled *compiled,
                               struct cm_error *err)
{
    return cm_error_refuse(
        err, "split the statement",
        "elementwise: the IMP takes %" PRIu64
        " words of the sequencer's SRAM, one element at a time; the SRAM has %" PRIu64,
        cm_compiled_words(compiled), cm_machine_config(system->machine)->sequencer_sram_words);
}

/* Serves as a cm_compiled_make for the cache: compiles the IMPs of a call. */
static enum cm_status make(struct cm_system *system, const void *context,
                           struct cm_compiled *compiled, struct cm_error *err)
{
    const struct call *call = context;
    enum cm_status status = CM_OK;
    bool fits = false;
    for (uint32_t attempt = 0; status == CM_OK && !fits && attempt < ATTEMPTS; attempt++) {
        if (attempts[attempt].finely_cut && !call->nears)
            break;
        cm_compiled_drop_imps(system, compiled);
        status = try_attempt(system, call, attempt, compiled, &fits, err);
    }
    return status == CM_OK && !fits ? too_long(system, compiled, err) : status;
}

/* Adds the form of the operands to the cache key. The addresses of halos are left out, because they
 * are arguments. */
static void key_near(struct cm_buffer *key, const struct cm_near_form *form)
{
    const size_t halo_bytes = offsetof(struct cm_halos, address);
    CM_CACHE_KEY(key, form->rank, form->halo_count, form->down, form->short_tables);
    cm_buffer_append(key, form->lines, sizeof form->lines);
    cm_buffer_append(key, &form->own, sizeof form->own);
    cm_buffer_append(key, form->from, sizeof form->from);
    cm_buffer_append(key, form->to, sizeof form->to);
    for (uint32_t k = 0; k < CM_EXPRESSION_ARRAYS_MAX; k++) {
        const struct cm_near_operand *operand = &form->operands[k];
        CM_CACHE_KEY(key, operand->array, operand->halo, operand->stepped);
        cm_buffer_append(key, operand->offset, sizeof operand->offset);
        if (operand->stepped)
            cm_buffer_append(key, &operand->box, sizeof operand->box);
    }
    for (uint32_t h = 0; h < form->halo_count; h++)
        cm_buffer_append(key, form->halos[h], halo_bytes);
}

static enum cm_status find(struct cm_system *system, const struct call *call,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    const struct cm_expression *expression = call->expression;
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_ELEMENTWISE);
    CM_CACHE_KEY(&key, call->first->layout.local_elements, call->padded, expression->assigned_count,
                 call->nears != NULL || call->nested, call->pitched);
    if (call->nears || call->nested)
        key_near(&key, &call->near);
    else if (call->pitched)
        cm_buffer_append(&key, call->pitches, sizeof call->pitches);
    for (uint32_t i = 0; i < expression->assigned_count; i++)
        CM_CACHE_KEY(&key, expression->assigned[i],
                     expression->arrays[expression->assigned[i]].now);
    for (uint32_t i = 0; i < expression->places.count; i++) {
        const struct cm_expression_place *place = &expression->places.items[i];
        CM_CACHE_KEY(&key, place->table.number, place->table.count, place->table.stride,
                     place->index, place->value, place->mask);
    }
    CM_CACHE_KEY(&key, expression->places.count);
    cm_buffer_append(&key, expression->nodes.items,
                     expression->nodes.count * sizeof *expression->nodes.items);
    return cm_compiled_get(system, &key, make, call, compiled, err);
}

static enum cm_status check_scalars(const struct call *call,
                                    const struct cm_elementwise_arguments *arguments,
                                    struct cm_error *err)
{
    const uint32_t count = arguments->scalars != NULL ? arguments->scalar_count : 0;
    for (uint32_t k = 0; k < CM_EXPRESSION_SCALARS_MAX; k++)
        if (call->expression->scalars[k].used && k >= count)
            return cm_error_refuse(err, "pass as many scalars as the expression uses",
                                   "elementwise: scalar argument %" PRIu32 " is missing", k);
    return CM_OK;
}

/* Finds the table of indices along an axis, as short as the call wants it. */
static enum cm_status find_indices(struct cm_system *system, const struct call *call, uint32_t axis,
                                   uint64_t *address, struct cm_error *err)
{
    struct cm_index_range range = {.axis = axis};
    if (call->short_tables) {
        const struct cm_box *line = &call->near.lines[axis];
        range.first = (uint64_t)line->low[axis];
        range.places = (uint64_t)(line->high[axis] - line->low[axis]);
    }
    return cm_index_table(system, &call->first->layout, &range, address, err);
}

/* Fills in the actual arguments in the order that compile.h gives, except the mask. */
static enum cm_status fill_actuals(struct cm_system *system, const struct call *call,
                                   const struct cm_compiled *compiled,
                                   const struct cm_scalar *scalars, struct cm_actual *actuals,
                                   struct cm_error *err)
{
    const struct cm_expression *expression = call->expression;
    uint32_t next = CM_ELEMENTWISE_ARRAYS;
    enum cm_status status = CM_OK;
    for (uint32_t k = 0; k < CM_EXPRESSION_ARRAYS_MAX; k++)
        if (expression->arrays[k].used)
            actuals[next++].address = call->arrays[k]->address;
    for (uint32_t axis = 0; status == CM_OK && axis < CM_RANK_MAX; axis++)
        if (expression->indices[axis])
            status = find_indices(system, call, axis, &actuals[next++].address, err);
    for (uint32_t h = 0; call->nears && h < call->near.halo_count; h++)
        actuals[next++].address = call->near.halos[h]->address;
    for (uint32_t k = 0; k < CM_EXPRESSION_SCALARS_MAX; k++) {
        const struct cm_expression_scalar *scalar = &expression->scalars[k];
        for (uint32_t c = 0; scalar->used && c < cm_type_components(scalar->type); c++)
            actuals[next++].scalar = cm_scalar_bits(scalar->type, &scalars[k], c);
    }
    for (uint32_t i = 0; i < compiled->constants.count; i++)
        actuals[next++].scalar = compiled->constants.items[i];
    return status;
}

enum cm_status cm_elementwise_start(struct cm_system *system,
                                    const struct cm_expression *expression,
                                    const struct cm_near_arguments *arguments, enum cm_entry entry,
                                    struct cm_rehearsal *rehearsal, struct cm_error *err)
{
    struct cm_actual actuals[CM_IMP_ARGUMENTS_MAX] = {0};
    const struct cm_compiled *compiled;
    struct call call;
    bool masked;
    enum cm_status status = call_init(&call, expression, arguments, err);
    if (status == CM_OK)
        status = check_scalars(&call, &arguments->given, err);
    if (status == CM_OK && !arguments->ignores_padding)
        status = cm_system_garbage_mask(system, &call.first->layout, &masked,
                                        &actuals[CM_ELEMENTWISE_MASK].address, err);
    if (status == CM_OK)
        status = find(system, &call, &compiled, err);
    if (status == CM_OK)
        status = fill_actuals(system, &call, compiled, arguments->given.scalars, actuals, err);
    if (status != CM_OK)
        return status;
    return cm_compiled_rehearse(system, compiled, actuals, entry, rehearsal, err);
}

enum cm_status cm_elementwise_call(struct cm_system *system, const struct cm_expression *expression,
                                   const struct cm_elementwise_arguments *arguments,
                                   struct cm_error *err)
{
    const struct cm_near_arguments near = {.given = *arguments};
    return cm_elementwise_start(system, expression, &near, CM_ENTRY_IMP, NULL, err);
}

enum cm_status cm_elementwise_prepare_near(struct cm_system *system,
                                           const struct cm_expression *expression,
                                           const struct cm_near_arguments *arguments,
                                           struct cm_error *err)
{
    const struct cm_compiled *compiled;
    struct call call;
    uint64_t address;
    bool masked;
    enum cm_status status = call_init(&call, expression, arguments, err);
    if (status == CM_OK && !arguments->ignores_padding)
        status = cm_system_garbage_mask(system, &call.first->layout, &masked, &address, err);
    for (uint32_t axis = 0; status == CM_OK && axis < CM_RANK_MAX; axis++)
        if (expression->indices[axis])
            status = find_indices(system, &call, axis, &address, err);
    if (status == CM_OK)
        status = find(system, &call, &compiled, err);
    return status == CM_OK ? cm_compiled_try(system, compiled, err) : status;
}

enum cm_status cm_elementwise_prepare(struct cm_system *system,
                                      const struct cm_expression *expression,
                                      const struct cm_elementwise_arguments *arguments,
                                      struct cm_error *err)
{
    const struct cm_near_arguments given = {.given = *arguments};
    return cm_elementwise_prepare_near(system, expression, &given, err);
}

static void fill_info(const struct cm_elementwise_code *code, const struct cm_compiled *compiled,
                      struct cm_elementwise_info *info)
{
    info->imps = compiled->imps.count;
    info->sram_words = cm_compiled_words(compiled);
    info->vector = code->schedule.vector;
    info->unrolled = code->group;
    info->constants = code->lower.slots.count;
    info->resident = code->schedule.resident_count;
    info->registers = code->schedule.registers;
    info->scratch_words = compiled->scratch.words;
    for (uint32_t i = 0; i < code->schedule.steps.count; i++)
        info->spills += code->schedule.steps.items[i].kind == CM_STEP_SPILL;
}

enum cm_status cm_elementwise_explain(struct cm_system *system,
                                      const struct cm_expression *expression,
                                      const struct cm_elementwise_arguments *arguments,
                                      struct cm_elementwise_info *info, struct cm_error *err)
{
    const struct cm_compiled *compiled;
    struct cm_elementwise_code code;
    struct call call;
    const struct cm_near_arguments given = {.given = *arguments};
    memset(info, 0, sizeof *info);
    enum cm_status status = cm_elementwise_prepare(system, expression, arguments, err);
    if (status == CM_OK)
        status = call_init(&call, expression, &given, err);
    if (status == CM_OK)
        status = find(system, &call, &compiled, err);
    if (status != CM_OK)
        return status;
    const struct cm_elementwise_form form = form_of(&call, (uint32_t)compiled->variant);
    if (cm_elementwise_code_init(&code, expression, &form)) {
        fill_info(&code, compiled, info);
        status = cm_elementwise_count(&code, cm_machine_config(system->machine), info, err);
    } else {
        status = cm_error_no_memory(err);
    }
    cm_elementwise_code_finish(&code);
    return status;
}
