/* The step stencil: a sum of neighbouring elements times coefficients. It runs compiled code, or
 * shifts if it cannot be compiled. */
#include "array_shift.h"

#include "../../../report/numbers.h"
#include "../../stencil/stencil_shifts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct term {
    struct cm_workload_product product;
    int64_t offset[CM_STENCIL_RANK_MAX];
};

enum by { BY_CODE, BY_PSHIFT, BY_CSHIFT };

struct stencil {
    struct cm_array_reference dst;
    struct term *terms;
    uint32_t count;
    struct cm_step_array_shift boundaries[CM_STENCIL_RANK_MAX]; /* boundary of each dimension */
    enum by by;
};

struct state {
    struct cm_stencil *stencil;       /* compiled stencil, or NULL */
    bool borrowed;                    /* true if an earlier step owns the compiled stencil */
    struct cm_stencil_shifts *shifts; /* stencil made of shifts, or NULL */
    struct cm_stencil_pattern *pattern;
    struct cm_stencil_arguments *arguments;
    uint32_t sources, arrays, scalars;
    /* numbers of computed scalars. 0: the scalar is a constant */
    uint32_t names[CM_STENCIL_SCALARS_MAX];
    char reason[200]; /* why the stencil is not compiled, or "" without a reason */
    struct cm_stencil_info info;
    struct cm_stencil_shifts_info shifts_info;
};

static const char *const by_names[] = {"code", "pshift", "cshift", NULL};

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct stencil, dst, "the array that gets the sum", .required = true),
    CM_KEY_FORM("terms", "list of [coefficient, array, offsets]", "stencil_terms",
                "coefficient times array(index + offsets); a coefficient is a number, a scalar or "
                "an array, offsets are a list of an integer for each dimension; added by ascending "
                "offset, the last dimension first",
                .required = true),
    CM_KEY_FORM("boundaries", "list of {\"type\", \"boundary\"}, one for each dimension",
                "stencil_boundaries",
                "what is beyond the ends; types and boundaries are those of pshift",
                .otherwise = "circular"),
    CM_KEY(NAME, "by", struct stencil, by,
           "code: compiled, without moves within a node, or else by PSHIFT; pshift, cshift: by "
           "shifted copies",
           .names = by_names),
};

static const struct cm_key boundary_keys[] = {CM_SHIFT_KEY_TYPE, CM_SHIFT_KEY_BOUNDARY};

static void read_offsets(struct cm_reader *reader, struct cm_json json, uint32_t rank,
                         int64_t *offset)
{
    cm_read_kind(reader, json, CM_JSON_ARRAY, "the offsets");
    if (cm_reader_ok(reader) && cm_json_count(json) != rank)
        cm_reader_fail(reader, json,
                       "%" PRIu32 " offset%s, but the array has %" PRIu32 " dimension%s",
                       cm_json_count(json), cm_plural(cm_json_count(json)), rank, cm_plural(rank));
    for (uint32_t a = 0; cm_reader_ok(reader) && a < rank; a++)
        offset[a] = cm_read_i64(reader, cm_json_at(json, a, NULL), "an offset", -(INT64_C(1) << 40),
                                INT64_C(1) << 40);
}

static void read_term(const struct cm_workload *workload, struct cm_reader *reader,
                      const struct stencil *own, struct cm_json json, struct term *term)
{
    uint32_t rank = cm_workload_array_now(workload, own->dst)->rank;
    if (cm_json_kind(json) != CM_JSON_ARRAY || cm_json_count(json) != 3) {
        cm_reader_fail(reader, json,
                       "a term is %s, expected [coefficient, \"array\", [offset, ...]]",
                       cm_json_kind(json) == CM_JSON_ARRAY ? "a list of another length"
                                                           : cm_json_kind_name(cm_json_kind(json)));
        return;
    }
    cm_workload_read_product(workload, reader, json, "[coefficient, \"array\", [offsets]]",
                             own->dst, &term->product);
    if (cm_reader_ok(reader))
        read_offsets(reader, cm_json_at(json, 2, NULL), rank, term->offset);
}

static void read_boundary(struct cm_workload *workload, struct cm_reader *reader,
                          struct cm_json json, struct cm_step_array_shift *boundary)
{
    cm_step_array_shift_refuse_eoshift(reader, json);
    cm_keys_read(workload, reader, json,
                 &(struct cm_key_table){"a boundary", boundary_keys, CM_COUNT_OF(boundary_keys)},
                 boundary);
    cm_step_array_shift_expect_boundary(workload, reader, json, boundary);
}

static void read_boundaries(struct cm_workload *workload, struct cm_reader *reader,
                            struct stencil *own, struct cm_json body)
{
    uint32_t rank = cm_workload_array_now(workload, own->dst)->rank;
    struct cm_json list;
    for (uint32_t a = 0; a < rank; a++)
        own->boundaries[a] = (struct cm_step_array_shift){
            .src = own->dst, .dim = a + 1, .type = CM_SHIFT_CSHIFT, .boundary.array = CM_NO_ARRAY};
    if (!cm_reader_ok(reader) || !cm_read_optional(reader, body, "boundaries", &list))
        return;
    cm_read_kind(reader, list, CM_JSON_ARRAY, "boundaries");
    if (cm_reader_ok(reader) && cm_json_count(list) != rank)
        cm_reader_fail(
            reader, list, "%" PRIu32 " boundar%s, but the array has %" PRIu32 " dimension%s",
            cm_json_count(list), cm_json_count(list) == 1 ? "y" : "ies", rank, cm_plural(rank));
    for (uint32_t a = 0; cm_reader_ok(reader) && a < rank; a++)
        read_boundary(workload, reader, cm_json_at(list, a, NULL), &own->boundaries[a]);
}

/* Replaces offsets along circular dimensions by equivalent offsets of smallest size. */
static void reduce_offsets(const struct cm_layout_request *array, struct stencil *own)
{
    for (uint32_t i = 0; i < own->count; i++)
        for (uint32_t a = 0; a < array->rank; a++) {
            int64_t *offset = &own->terms[i].offset[a], length = (int64_t)array->shape[a];
            if (own->boundaries[a].type != CM_SHIFT_CSHIFT ||
                (*offset<length && * offset> - length))
                continue;
            *offset %= length;
            if (*offset > length / 2)
                *offset -= length;
            else if (*offset < -(length / 2))
                *offset += length;
        }
}

static void read_stencil(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader)
{
    struct stencil *own = step->own;
    struct cm_json terms = cm_read_member(reader, step->body, "terms");
    const struct cm_layout_request *dst = cm_workload_array_now(workload, own->dst);
    if (dst->type == CM_TYPE_LOGICAL)
        cm_reader_fail(reader, own->dst.json,
                       "\"%s\" is logical, and a stencil adds and multiplies numbers",
                       workload->arrays[own->dst.number].name);
    if (dst->rank > CM_STENCIL_RANK_MAX)
        cm_reader_fail(reader, own->dst.json,
                       "\"%s\" has %" PRIu32 " dimensions, and a stencil at most %u",
                       workload->arrays[own->dst.number].name, dst->rank, CM_STENCIL_RANK_MAX);
    cm_workload_expect_same_type(workload, reader, own->dst, own->dst);
    cm_read_kind(reader, terms, CM_JSON_ARRAY, "terms");
    own->count = cm_reader_ok(reader) ? cm_json_count(terms) : 0;
    if (own->count == 0 || own->count > CM_STENCIL_TERMS_MAX)
        cm_reader_fail(reader, terms, "a stencil has %" PRIu32 " terms, expected 1 to %u",
                       own->count, CM_STENCIL_TERMS_MAX);
    own->terms = cm_workload_allocate(workload, reader, own->count, sizeof *own->terms);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < own->count; i++)
        read_term(workload, reader, own, cm_json_at(terms, i, NULL), &own->terms[i]);
    read_boundaries(workload, reader, own, step->body);
    if (cm_reader_ok(reader))
        reduce_offsets(dst, own);
}

/* Finds the number of an array in a list of a call's arrays, and adds the array if it is new.
 * Returns false if the list is full. */
static bool number_array(const struct cm_array **list, uint32_t *count, uint32_t limit,
                         const struct cm_array *array, uint32_t *number)
{
    uint32_t i = 0;
    while (i < *count && list[i] != array)
        i++;
    *number = i;
    if (i == limit)
        return false;
    list[i] = array;
    *count += i == *count;
    return true;
}

/* Returns the number of a scalar in the list of a call's scalars. Equal constants share a number. A
 * computed scalar is identified by its name. */
static uint32_t number_scalar(const struct cm_run *run, struct state *state,
                              const struct cm_scalar *scalar, const struct cm_workload_value *value)
{
    struct cm_scalar *list = state->arguments->scalars;
    uint32_t name = cm_run_computed(run, value) ? value->scalar : 0, i = 0;
    while (i < state->scalars && (state->names[i] != name ||
                                  (name == 0 && memcmp(&list[i], scalar, sizeof *scalar) != 0)))
        i++;
    list[i] = *scalar;
    state->names[i] = name;
    state->scalars += i == state->scalars;
    return i;
}

static enum cm_status too_many(struct cm_json json, uint32_t limit, const char *what,
                               struct cm_error *err)
{
    cm_json_error(json, err, "this stencil has more than %" PRIu32 " %s", limit, what);
    return cm_error_hint(err,
                         "a stencil can have at most %" PRIu32
                         " %s; use two stencils, and add their results with combine",
                         limit, what);
}

static enum cm_status add_term(struct cm_run *run, struct cm_run_step *step, uint32_t i,
                               struct cm_error *err)
{
    const struct stencil *own = step->step->own;
    const struct term *from = &own->terms[i];
    const struct cm_workload_value *coefficient = &from->product.coefficient;
    struct state *state = step->state;
    struct cm_stencil_arguments *arguments = state->arguments;
    struct cm_stencil_term *term = &state->pattern->terms[i];
    enum cm_status status = cm_run_expect_layout(run, from->product.array, own->dst, err);
    term->by_array = coefficient->array != CM_NO_ARRAY;
    memcpy(term->offset, from->offset, sizeof term->offset);
    if (status == CM_OK && term->by_array)
        status = cm_run_expect_layout(
            run, (struct cm_array_reference){coefficient->json, coefficient->array}, own->dst, err);
    if (status == CM_OK)
        status = cm_run_expect_number(run, coefficient, arguments->dst->layout.type, err);
    if (status != CM_OK)
        return status;
    if (!number_array(arguments->sources, &state->sources, CM_STENCIL_SOURCES_MAX,
                      cm_run_array_of(run, from->product.array), &term->source))
        return too_many(from->product.array.json, CM_STENCIL_SOURCES_MAX, "source arrays", err);
    if (!term->by_array) {
        struct cm_scalar scalar = cm_scalar_make(arguments->dst->layout.type,
                                                 coefficient->number.re, coefficient->number.im);
        term->coefficient = number_scalar(run, state, &scalar, coefficient);
    } else if (!number_array(arguments->coefficients, &state->arrays, CM_STENCIL_ARRAYS_MAX,
                             run->arrays[coefficient->array], &term->coefficient)) {
        return too_many(coefficient->json, CM_STENCIL_ARRAYS_MAX, "arrays of coefficients", err);
    }
    return CM_OK;
}

static enum cm_status fill_state(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct stencil *own = step->step->own;
    struct state *state = step->state;
    enum cm_status status = CM_OK;
    state->pattern = cm_run_allocate(run, 1, sizeof *state->pattern, err);
    state->arguments = cm_run_allocate(run, 1, sizeof *state->arguments, err);
    if (state->pattern == NULL || state->arguments == NULL)
        return CM_NO_MEMORY;
    state->arguments->dst = cm_run_array_of(run, own->dst);
    state->pattern->term_count = own->count;
    for (uint32_t a = 0; a < state->arguments->dst->layout.rank; a++) {
        const struct cm_workload_value *value = &own->boundaries[a].boundary;
        state->pattern->boundaries[a] = own->boundaries[a].type;
        state->arguments->boundaries[a] =
            cm_scalar_make(state->arguments->dst->layout.type, value->number.re, value->number.im);
        state->arguments->boundary_arrays[a] =
            value->array == CM_NO_ARRAY ? NULL : run->arrays[value->array];
        if (status == CM_OK)
            status = cm_run_expect_constant(run, value, "a boundary", err);
    }
    for (uint32_t i = 0; status == CM_OK && i < own->count; i++)
        status = add_term(run, step, i, err);
    return status;
}

/* Returns true if a result, written at once, could overwrite source elements that other results
 * need. */
static bool overwrites_source(const struct state *state)
{
    static const int64_t zeros[CM_STENCIL_RANK_MAX];
    for (uint32_t i = 0; i < state->pattern->term_count; i++) {
        const struct cm_stencil_term *term = &state->pattern->terms[i];
        if (state->arguments->sources[term->source] == state->arguments->dst &&
            memcmp(term->offset, zeros, sizeof zeros) != 0)
            return true;
    }
    return false;
}

static bool same_term(const struct cm_stencil_term *a, const struct cm_stencil_term *b)
{
    return a->source == b->source && memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
           a->by_array == b->by_array && a->coefficient == b->coefficient;
}

static bool same_pattern(const struct cm_stencil_pattern *a, const struct cm_stencil_pattern *b)
{
    bool same = a->term_count == b->term_count &&
                memcmp(a->boundaries, b->boundaries, sizeof a->boundaries) == 0;
    for (uint32_t i = 0; same && i < a->term_count; i++)
        same = same_term(&a->terms[i], &b->terms[i]);
    return same;
}

/* Returns the compiled stencil of an earlier step with the same terms and layout, or NULL. */
static struct cm_stencil *find_stencil(const struct cm_run *run, const struct state *state)
{
    for (uint32_t i = 0; i < run->step_count; i++) {
        const struct cm_run_step *step = &run->steps[i];
        const struct state *other = step->state;
        if (step->step == NULL || step->step->kind != &cm_step_stencil || other == NULL ||
            other == state || other->stencil == NULL)
            continue;
        if (cm_layout_equal(&other->arguments->dst->layout, &state->arguments->dst->layout) &&
            same_pattern(other->pattern, state->pattern))
            return other->stencil;
    }
    return NULL;
}

/* Compiles the stencil if possible. */
static enum cm_status try_code(struct cm_run *run, struct state *state, struct cm_error *err)
{
    const struct cm_layout *layout = &state->arguments->dst->layout;
    const char *refusal = cm_stencil_refusal(layout, state->pattern);
    struct cm_error why = {0};
    enum cm_status status = CM_OK;
    if (refusal == NULL && overwrites_source(state))
        refusal = "the destination is a source with offsets";
    if (refusal == NULL)
        state->stencil = find_stencil(run, state);
    state->borrowed = state->stencil != NULL;
    if (refusal == NULL && !state->borrowed)
        status = cm_stencil_setup(run->system, layout, state->pattern, &state->stencil, &why);
    if (status == CM_BAD_INPUT)
        refusal = why.message;
    if (refusal != NULL)
        snprintf(state->reason, sizeof state->reason, "%.199s", refusal);
    if (status != CM_OK && status != CM_BAD_INPUT) {
        *err = why;
        return status;
    }
    if (state->stencil == NULL)
        return CM_OK;
    cm_stencil_info(state->stencil, &state->info);
    return cm_stencil_prepare(run->system, state->stencil, state->arguments, err);
}

static enum cm_status use_shifts(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct stencil *own = step->step->own;
    struct state *state = step->state;
    enum cm_stencil_by by = own->by == BY_CSHIFT ? CM_STENCIL_BY_CSHIFT : CM_STENCIL_BY_PSHIFT;
    enum cm_status status = cm_stencil_shifts_setup(run->system, &state->arguments->dst->layout,
                                                    state->pattern, by, &state->shifts, err);
    if (status == CM_OK)
        status = cm_stencil_shifts_prepare(run->system, state->shifts, state->arguments, err);
    if (status == CM_BAD_INPUT && own->by == BY_CODE && state->reason[0] != '\0')
        cm_error_hint(err, "it is left to shifts because of this: %s", state->reason);
    if (status != CM_OK)
        return status;
    cm_stencil_shifts_info(run->system, state->shifts, &state->shifts_info);
    if (state->shifts_info.by_runtime > 0)
        step->path = state->shifts_info.by_imp > 0 ? "imp+runtime" : "runtime";
    return CM_OK;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct stencil *own = step->step->own;
    struct state *state = step->state;
    enum cm_status status = fill_state(run, step, err);
    if (status == CM_OK && own->by == BY_CODE)
        status = try_code(run, state, err);
    if (status == CM_OK && state->stencil == NULL)
        status = use_shifts(run, step, err);
    return status;
}

static enum cm_status run_stencil(struct cm_run *run, struct cm_run_step *step,
                                  struct cm_error *err)
{
    struct state *state = step->state;
    const struct stencil *own = step->step->own;
    for (uint32_t i = 0; i < own->count; i++) {
        const struct cm_number *number = cm_run_number(run, &own->terms[i].product.coefficient);
        const struct cm_stencil_term *term = &state->pattern->terms[i];
        if (!term->by_array)
            state->arguments->scalars[term->coefficient] =
                cm_scalar_make(state->arguments->dst->layout.type, number->re, number->im);
    }
    if (state->stencil != NULL)
        return cm_stencil_call(run->system, state->stencil, state->arguments, err);
    return cm_stencil_shifts_call(run->system, state->shifts, state->arguments, err);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    struct state *state = step->state;
    if (state == NULL || run->system == NULL)
        return;
    if (!state->borrowed)
        cm_stencil_deallocate(run->system, state->stencil);
    cm_stencil_shifts_deallocate(run->system, state->shifts);
    state->stencil = NULL;
    state->shifts = NULL;
}

/* Makes the terms for the direct evaluation. `elements` gets the coefficients that are scalars. */
static void reference_terms(const struct cm_run *run, const struct stencil *own,
                            struct cm_reference_stencil_term *terms, unsigned char (*elements)[16])
{
    for (uint32_t i = 0; i < own->count; i++) {
        const struct cm_workload_value *coefficient = &own->terms[i].product.coefficient;
        terms[i] = (struct cm_reference_stencil_term){
            .coefficients = elements[i],
            .coefficients_are_array = coefficient->array != CM_NO_ARRAY,
            .elements = run->reference[own->terms[i].product.array.number].elements};
        memcpy(terms[i].offset, own->terms[i].offset, sizeof own->terms[i].offset);
        if (terms[i].coefficients_are_array)
            terms[i].coefficients = run->reference[coefficient->array].elements;
        else
            cm_init_element(run->reference[own->dst.number].type, cm_run_number(run, coefficient),
                            elements[i]);
    }
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    static const struct cm_number one = {.re = 1};
    const struct stencil *own = step->step->own;
    struct cm_reference_array *dst = &run->reference[own->dst.number];
    struct cm_reference_stencil_term terms[CM_STENCIL_TERMS_MAX];
    unsigned char elements[CM_STENCIL_TERMS_MAX][16], edges[CM_STENCIL_RANK_MAX][16];
    struct cm_reference_boundary boundaries[CM_STENCIL_RANK_MAX];
    reference_terms(run, own, terms, elements);
    for (uint32_t a = 0; a < dst->rank; a++) {
        const struct cm_step_array_shift *boundary = &own->boundaries[a];
        boundaries[a] =
            (struct cm_reference_boundary){.circular = boundary->type == CM_SHIFT_CSHIFT,
                                           .bytes = edges[a],
                                           .is_array = boundary->boundary.array != CM_NO_ARRAY};
        if (boundaries[a].is_array)
            boundaries[a].bytes = run->reference[boundary->boundary.array].elements;
        else
            cm_init_element(
                dst->type, boundary->type == CM_SHIFT_EOSHIFT_1 ? &one : &boundary->boundary.number,
                edges[a]);
    }
    enum cm_status status = cm_reference_stencil(dst, terms, own->count, boundaries, err);
    return status == CM_OK ? cm_run_check_array(run, step, own->dst.number, 0, result, err)
                           : status;
}

/* Formats the size of a tile as "8 x 16". */
static const char *tile_text(const struct state *state, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t a = 0; a < state->arguments->dst->layout.rank; a++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64, a > 0 ? " x " : "",
                                 state->info.tile[a]);
    return text;
}

static void report_code(const struct cm_step_result *result, const struct state *state,
                        struct cm_report *report)
{
    const struct cm_stencil_info *info = &state->info;
    double results = (double)info->results;
    uint32_t terms = state->pattern->term_count;
    char tile[100];
    cm_report_string(report, "tile", tile_text(state, tile, sizeof tile));
    cm_report_u64(report, "exchanges", info->exchanges);
    cm_report_u64(report, "halo_words", info->halo_words);
    cm_report_u64(report, "sweep_loads", info->loads);
    cm_report_u64(report, "results", info->results);
    cm_report_u64(report, "bound_cycles", info->bound_cycles);
    cm_report_line(report,
                   "\n  stencil %s: %" PRIu32 " term%s, tiles of %s results; %s exchange%s for %s "
                   "word%s of halo",
                   result->where, terms, cm_plural(terms), tile,
                   cm_format_count(info->exchanges).text, cm_plural(info->exchanges),
                   cm_format_count(info->halo_words).text, cm_plural(info->halo_words));
    cm_report_line(report,
                   "    the sweep loads %.2f elements a result; its bound is %.2f cycles a result",
                   (double)info->loads / results, (double)info->bound_cycles / results);
}

static void report_shifts(const struct cm_step_result *result, const struct state *state,
                          struct cm_report *report)
{
    const struct cm_stencil_shifts_info *info = &state->shifts_info;
    uint32_t terms = state->pattern->term_count;
    cm_report_u64(report, "copies", info->copies);
    cm_report_u64(report, "calls", info->calls);
    cm_report_line(report,
                   "\n  stencil %s: %" PRIu32 " term%s by %" PRIu32 " shifted %s in %" PRIu32
                   " call%s%s%s",
                   result->where, terms, cm_plural(terms), info->copies,
                   info->copies == 1 ? "copy" : "copies", info->calls, cm_plural(info->calls),
                   state->reason[0] != '\0' ? ", because " : "", state->reason);
}

static void report_stencil(const struct cm_step_result *result, struct cm_report *report)
{
    const struct state *state = result->state;
    cm_report_object(report, "stencil");
    cm_report_string(report, "by", state->stencil != NULL ? "code" : "shifts");
    if (state->reason[0] != '\0')
        cm_report_string(report, "reason", state->reason);
    if (state->stencil != NULL)
        report_code(result, state, report);
    else
        report_shifts(result, state, report);
    cm_report_end(report);
}

/* Returns IMP number `i` of the stencil, or NULL. The IMPs of a shared stencil are listed for the
 * step that owns it. */
static const struct cm_imp *imp_of(const struct cm_run_step *step, uint32_t i)
{
    const struct state *state = step->state;
    if (state == NULL || state->stencil == NULL || state->borrowed)
        return NULL;
    return cm_stencil_imp(state->stencil, i);
}

const struct cm_step_kind cm_step_stencil = {
    .name = "stencil",
    .summary = "a sum of neighbouring elements, each times a coefficient",
    .example = "{\"stencil\": {\"dst\": \"b\", \"terms\": [[0.5, \"a\", [-1, 0]], "
               "[0.5, \"a\", [1, 0]]]}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct stencil),
    .state_bytes = sizeof(struct state),
    .stateless = true,
    .path = "imp",
    .read = read_stencil,
    .prepare = prepare,
    .run = run_stencil,
    .check = check,
    .report = report_stencil,
    .imp = imp_of,
    .finish = finish,
};
