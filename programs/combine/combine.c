/*
 * Sums of coefficient times array: checks a call, finds or makes the IMPs for its form, and runs
 * them. Of a padded layout the body is long (32 stores, each under its bit of the mask), so it is
 * cut into more IMPs, each for fewer of the 32 positions, until they fit the SRAM that setups have
 * left free.
 */
#include "../system/system_private.h"
#include "combine_compile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IMPS_MAX (CM_COMBINE_GROUP / CM_COMBINE_VECTOR)

/* What a call passes, each array and each scalar once. */
struct call {
    struct cm_combine_form form;
    const struct cm_array *arrays[2 * CM_TERMS_MAX];
    struct cm_scalar scalars[CM_TERMS_MAX];
};

/* The IMPs of a form, run one after the other. */
struct plan {
    uint32_t count;
    struct cm_imp *imps[IMPS_MAX];
    uint64_t max_words; /* of SRAM, of the longest */
};

static void plan_drop(struct cm_system *system, void *value)
{
    struct plan *plan = value;
    (void)system; /* its IMPs are loaded only while they run */
    for (uint32_t i = 0; i < plan->count; i++)
        cm_imp_destroy(plan->imps[i]);
    free(plan);
}

static enum cm_status check_array(const struct cm_array *dst, const struct cm_array *array,
                                  uint32_t term, const char *role, struct cm_error *err)
{
    if (cm_layout_equal(&dst->layout, &array->layout))
        return CM_OK;
    return cm_error_refuse(err,
                           "all arrays of a combine need one shape, type, order and layout; "
                           "declare them with \"like\"",
                           "combine: %s \"%s\" of term %" PRIu32
                           " is not laid out as the destination \"%s\"",
                           role, array->name, term + 1, dst->name);
}

static enum cm_status check_call(const struct cm_array *dst, const struct cm_term *terms,
                                 uint32_t count, struct cm_error *err)
{
    if (dst->layout.type == CM_TYPE_LOGICAL)
        return cm_error_refuse(err, "combine takes real, complex and int32 arrays",
                               "combine: \"%s\" is logical, which has no sums", dst->name);
    if (count == 0 || count > CM_TERMS_MAX) {
        cm_error_set(err, CM_BAD_INPUT, "combine: %" PRIu32 " terms", count);
        cm_error_hint(err, "one combine takes 1 to %u terms; split a longer sum in several",
                      CM_TERMS_MAX);
        return CM_BAD_INPUT;
    }
    for (uint32_t i = 0; i < count; i++) {
        enum cm_status status = check_array(dst, terms[i].array, i, "array", err);
        if (status == CM_OK && terms[i].coefficients)
            status = check_array(dst, terms[i].coefficients, i, "coefficient array", err);
        if (status != CM_OK)
            return status;
    }
    return CM_OK;
}

static uint8_t number_of_array(struct call *call, const struct cm_array *array)
{
    uint32_t i = 0;
    while (i < call->form.array_count && call->arrays[i]->address != array->address)
        i++;
    if (i == call->form.array_count)
        call->arrays[call->form.array_count++] = array;
    return (uint8_t)i;
}

static uint8_t number_of_scalar(struct call *call, const struct cm_scalar *scalar)
{
    const size_t bytes = cm_type_slices(call->form.type) * sizeof(scalar->words[0]);
    uint32_t i = 0;
    while (i < call->form.scalar_count && memcmp(&call->scalars[i], scalar, bytes) != 0)
        i++;
    if (i == call->form.scalar_count)
        call->scalars[call->form.scalar_count++] = *scalar;
    return (uint8_t)i;
}

static void call_init(struct call *call, const struct cm_layout *layout,
                      const struct cm_term *terms, uint32_t count)
{
    struct cm_combine_form *form = &call->form;
    memset(call, 0, sizeof(*call));
    form->type = layout->type;
    form->local_elements = layout->local_elements;
    form->term_count = count;
    for (uint32_t a = 0; a < layout->rank; a++)
        form->padded = form->padded || layout->axes[a].padded;
    for (uint32_t i = 0; i < count; i++) {
        struct cm_combine_term *term = &form->terms[i];
        term->array = number_of_array(call, terms[i].array);
        term->by_array = terms[i].coefficients != NULL;
        term->coefficient = term->by_array ? number_of_array(call, terms[i].coefficients)
                                           : number_of_scalar(call, &terms[i].scalar);
    }
}

#define KEY_BYTES (12 + 3 * CM_TERMS_MAX)
static size_t plan_key(const struct cm_combine_form *form, uint32_t piece,
                       unsigned char key[KEY_BYTES])
{
    size_t length = 0;
    key[length++] = CM_CACHE_COMBINE;
    key[length++] = (unsigned char)form->type;
    key[length++] = form->padded;
    key[length++] = (unsigned char)piece;
    memcpy(key + length, &form->local_elements, sizeof(form->local_elements));
    length += sizeof(form->local_elements);
    for (uint32_t i = 0; i < form->term_count; i++) {
        key[length++] = form->terms[i].array;
        key[length++] = form->terms[i].by_array;
        key[length++] = form->terms[i].coefficient;
    }
    return length;
}

static enum cm_status plan_compile(struct plan *plan, const struct cm_combine_form *form,
                                   uint32_t piece, struct cm_error *err)
{
    const uint32_t group = form->padded ? CM_COMBINE_GROUP : CM_COMBINE_VECTOR;
    for (uint32_t begin = 0; begin < group && begin < form->local_elements; begin += piece) {
        struct cm_imp *imp = cm_combine_compile(form, begin, begin + piece);
        if (!imp)
            return cm_error_no_memory(err);
        plan->imps[plan->count++] = imp;
        if (cm_imp_words(imp) > plan->max_words)
            plan->max_words = cm_imp_words(imp);
    }
    return CM_OK;
}

/* The plan whose IMPs make `piece` positions of a group each. */
static enum cm_status plan_get(struct cm_system *system, const struct cm_combine_form *form,
                               uint32_t piece, struct plan **plan, struct cm_error *err)
{
    unsigned char key[KEY_BYTES];
    const size_t length = plan_key(form, piece, key);
    *plan = cm_cache_find(system->cache, key, length);
    if (*plan)
        return CM_OK;
    struct plan *made = calloc(1, sizeof(*made));
    if (!made)
        return cm_error_no_memory(err);
    enum cm_status status = plan_compile(made, form, piece, err);
    if (status == CM_OK)
        status = cm_cache_insert(system->cache, key, length, made, plan_drop, err);
    if (status != CM_OK) {
        plan_drop(system, made);
        return status;
    }
    *plan = made;
    return CM_OK;
}

/* The plan of fewest IMPs that fit the SRAM; when none does, the one of most, which the machine
 * then refuses. */
static enum cm_status plan_choose(struct cm_system *system, const struct cm_combine_form *form,
                                  struct plan **plan, struct cm_error *err)
{
    uint32_t piece = form->padded ? CM_COMBINE_GROUP : CM_COMBINE_VECTOR;
    for (;; piece /= 2) {
        enum cm_status status = plan_get(system, form, piece, plan, err);
        if (status != CM_OK || piece == CM_COMBINE_VECTOR ||
            (*plan)->max_words <= cm_machine_config(system->machine)->sequencer_sram_words)
            return status;
    }
}

/*
 * With several passes, sums wait in the destination between them; not when a later pass still reads
 * it as an operand. Then *address is a temporary that the caller frees; else it is the
 * destination's.
 */
static enum cm_status partial_allocate(struct cm_system *system, const struct call *call,
                                       const struct cm_array *dst, uint64_t *address,
                                       struct cm_error *err)
{
    const struct cm_combine_form *form = &call->form;
    bool read_later = false;
    for (uint32_t i = cm_combine_pass_end(form, 0); i < form->term_count; i++) {
        const struct cm_combine_term *term = &form->terms[i];
        read_later = read_later || call->arrays[term->array]->address == dst->address;
        if (term->by_array)
            read_later = read_later || call->arrays[term->coefficient]->address == dst->address;
    }
    *address = dst->address;
    if (!read_later)
        return CM_OK;
    return cm_heap_allocate(system->heap, CM_HEAP_TABLES, dst->layout.local_words,
                            "combine: the temporary for sums", address, err);
}

static void partial_free(struct cm_system *system, const struct cm_array *dst, uint64_t address)
{
    if (address != dst->address)
        cm_heap_free(system->heap, address);
}

static void fill_actuals(const struct call *call, const struct cm_array *dst, uint64_t partial,
                         uint64_t mask, struct cm_actual *actuals)
{
    const struct cm_combine_form *form = &call->form;
    const uint32_t slices = cm_type_slices(form->type);
    const bool complex_type = form->type == CM_TYPE_COMPLEX64 || form->type == CM_TYPE_COMPLEX128;
    const uint32_t part_words = complex_type ? slices / 2 : slices;
    uint32_t next = CM_COMBINE_ARRAYS;
    actuals[CM_COMBINE_DST].address = dst->address;
    actuals[CM_COMBINE_PARTIAL].address = partial;
    actuals[CM_COMBINE_MASK].address = mask;
    for (uint32_t i = 0; i < form->array_count; i++)
        actuals[next++].address = call->arrays[i]->address;
    for (uint32_t i = 0; i < form->scalar_count; i++)
        for (uint32_t w = 0; w < slices; w += part_words) {
            const uint32_t *words = call->scalars[i].words + w;
            const uint64_t high = part_words == 2 ? words[1] : 0;
            actuals[next++].scalar = high << 32 | words[0];
        }
}

static enum cm_status plan_run(struct cm_system *system, const struct plan *plan,
                               const struct cm_actual *actuals, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < plan->count; i++)
        status = cm_system_run_overlay(system, plan->imps[i], actuals,
                                       i == 0 ? CM_ENTRY_IMP : CM_ENTRY_CHAINED, err);
    return status;
}

/* Loads each IMP without running it, so that what would be refused later is refused now. */
static enum cm_status plan_try(struct cm_system *system, const struct plan *plan,
                               struct cm_error *err)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        enum cm_status status = cm_machine_load_imp(system->machine, plan->imps[i], err);
        if (status != CM_OK)
            return status;
        cm_machine_unload_imp(system->machine, plan->imps[i]);
    }
    return CM_OK;
}

static enum cm_status combine(struct cm_system *system, struct cm_array *dst,
                              const struct cm_term *terms, uint32_t count, bool run,
                              struct cm_error *err)
{
    struct cm_actual actuals[CM_COMBINE_ARRAYS + 4 * CM_TERMS_MAX] = {0};
    struct call call;
    struct plan *plan;
    bool masked;
    uint64_t mask;
    uint64_t partial;
    enum cm_status status = check_call(dst, terms, count, err);
    if (status != CM_OK)
        return status;
    call_init(&call, &dst->layout, terms, count);
    status = cm_system_garbage_mask(system, &dst->layout, &masked, &mask, err);
    if (status == CM_OK)
        status = plan_choose(system, &call.form, &plan, err);
    if (status == CM_OK)
        status = partial_allocate(system, &call, dst, &partial, err);
    if (status != CM_OK)
        return status;
    fill_actuals(&call, dst, partial, mask, actuals);
    status = run ? plan_run(system, plan, actuals, err) : plan_try(system, plan, err);
    partial_free(system, dst, partial);
    return status;
}

enum cm_status cm_combine(struct cm_system *system, struct cm_array *dst,
                          const struct cm_term *terms, uint32_t count, struct cm_error *err)
{
    return combine(system, dst, terms, count, true, err);
}

enum cm_status cm_combine_prepare(struct cm_system *system, struct cm_array *dst,
                                  const struct cm_term *terms, uint32_t count, struct cm_error *err)
{
    return combine(system, dst, terms, count, false, err);
}
