/*
 * Sums of coefficient times array: checks a call, finds or makes the IMPs for its form, and runs
 * them. The body for a padded layout is long (32 stores, each under its bit of the mask), so it is
 * cut into more IMPs, each for fewer of the 32 positions, until they fit the SRAM.
 */
#include "../system/compiled_imps.h"
#include "combine_compile.h"

#include <inttypes.h>
#include <string.h>

/* What a call passes, each array and each scalar once. */
struct call {
    struct cm_combine_form form;
    const struct cm_array *arrays[2 * CM_TERMS_MAX];
    struct cm_scalar scalars[CM_TERMS_MAX];
    uint32_t names[CM_TERMS_MAX]; /* of the scalars */
};

/* What is compiled: IMPs that make `piece` positions of a group each. */
struct task {
    const struct cm_combine_form *form;
    uint32_t piece;
};

static enum cm_status check_array(const struct cm_array *dst, const struct cm_array *array,
                                  uint32_t term, const char *role, struct cm_error *err)
{
    if (array == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "combine: term %" PRIu32 " has no %s", term + 1,
                            role);
    if (cm_layout_equal(&dst->layout, &array->layout))
        return CM_OK;
    return cm_error_refuse(err,
                           "all arrays of a combine need the same shape, type, order and layout; "
                           "declare them with \"like\"",
                           "combine: %s \"%s\" of term %" PRIu32
                           " is not laid out as the destination \"%s\"",
                           role, array->name, term + 1, dst->name);
}

static enum cm_status check_call(const struct cm_array *dst, const struct cm_term *terms,
                                 uint32_t count, struct cm_error *err)
{
    if (dst == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "combine: there is no destination");
    if (dst->layout.type == CM_TYPE_LOGICAL)
        return cm_error_refuse(err, "combine takes real, complex and int32 arrays",
                               "combine: \"%s\" is logical, and cannot be added", dst->name);
    if (count == 0 || count > CM_TERMS_MAX) {
        cm_error_set(err, CM_BAD_INPUT, "combine: %" PRIu32 " terms", count);
        cm_error_hint(err, "one combine takes 1 to %u terms; split a longer sum into several",
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

static uint8_t number_of_scalar(struct call *call, const struct cm_scalar *scalar, uint32_t name)
{
    const size_t bytes = cm_type_slices(call->form.type) * sizeof(scalar->words[0]);
    uint32_t i = 0;
    while (i < call->form.scalar_count &&
           (call->names[i] != name || (name == 0 && memcmp(&call->scalars[i], scalar, bytes) != 0)))
        i++;
    if (i == call->form.scalar_count) {
        call->names[i] = name;
        call->scalars[call->form.scalar_count++] = *scalar;
    }
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
        term->coefficient = term->by_array
                                ? number_of_array(call, terms[i].coefficients)
                                : number_of_scalar(call, &terms[i].scalar, terms[i].name);
    }
}

/* A cm_compiled_make. */
static enum cm_status make(struct cm_system *system, const void *context,
                           struct cm_compiled *compiled, struct cm_error *err)
{
    const struct task *task = context;
    const struct cm_combine_form *form = task->form;
    const uint32_t group = form->padded ? CM_COMBINE_GROUP : CM_COMBINE_VECTOR;
    enum cm_status status = CM_OK;
    (void)system;
    for (uint32_t begin = 0; status == CM_OK && begin < group && begin < form->local_elements;
         begin += task->piece)
        status =
            cm_compiled_add(compiled, cm_combine_compile(form, begin, begin + task->piece), err);
    return status;
}

static enum cm_status find(struct cm_system *system, const struct task *task,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    const struct cm_combine_form *form = task->form;
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_COMBINE);
    CM_CACHE_KEY(&key, form->type, form->padded, task->piece, form->local_elements);
    cm_buffer_append(&key, form->terms, form->term_count * sizeof *form->terms);
    return cm_compiled_get(system, &key, make, task, compiled, err);
}

/* The fewest IMPs that fit the SRAM; when none do, the most, which the machine then refuses. */
static enum cm_status choose(struct cm_system *system, const struct cm_combine_form *form,
                             const struct cm_compiled **compiled, struct cm_error *err)
{
    struct task task = {form, form->padded ? CM_COMBINE_GROUP : CM_COMBINE_VECTOR};
    for (;; task.piece /= 2) {
        enum cm_status status = find(system, &task, compiled, err);
        if (status != CM_OK || task.piece == CM_COMBINE_VECTOR ||
            cm_compiled_words(*compiled) <=
                cm_machine_config(system->machine)->sequencer_sram_words)
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

static void fill_actuals(const struct call *call, const struct cm_array *dst, uint64_t partial,
                         uint64_t mask, struct cm_actual *actuals)
{
    const struct cm_combine_form *form = &call->form;
    uint32_t next = CM_COMBINE_ARRAYS;
    actuals[CM_COMBINE_DST].address = dst->address;
    actuals[CM_COMBINE_PARTIAL].address = partial;
    actuals[CM_COMBINE_MASK].address = mask;
    for (uint32_t i = 0; i < form->array_count; i++)
        actuals[next++].address = call->arrays[i]->address;
    for (uint32_t i = 0; i < form->scalar_count; i++)
        for (uint32_t c = 0; c < cm_type_components(form->type); c++)
            actuals[next++].scalar = cm_scalar_bits(form->type, &call->scalars[i], c);
}

static enum cm_status combine(struct cm_system *system, struct cm_array *dst,
                              const struct cm_term *terms, uint32_t count, bool run,
                              struct cm_error *err)
{
    struct cm_actual actuals[CM_COMBINE_ARRAYS + 4 * CM_TERMS_MAX] = {0};
    struct call call;
    const struct cm_compiled *compiled;
    bool masked;
    uint64_t mask;
    uint64_t partial;
    enum cm_status status = check_call(dst, terms, count, err);
    if (status != CM_OK)
        return status;
    call_init(&call, &dst->layout, terms, count);
    status = cm_system_garbage_mask(system, &dst->layout, &masked, &mask, err);
    if (status == CM_OK)
        status = choose(system, &call.form, &compiled, err);
    if (status == CM_OK)
        status = partial_allocate(system, &call, dst, &partial, err);
    if (status != CM_OK)
        return status;
    fill_actuals(&call, dst, partial, mask, actuals);
    status = run ? cm_compiled_run(system, compiled, actuals, CM_ENTRY_IMP, err)
                 : cm_compiled_try(system, compiled, err);
    if (partial != dst->address)
        cm_heap_free(system->heap, partial);
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
