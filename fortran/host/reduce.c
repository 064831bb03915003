/* Computes reductions of arrays in the front end. Elements are combined in Fortran order. The
 * machine combines them in another order, so that sums of reals may differ (run/approximate.h). */
#include "evaluate.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Intermediate result of a reduction, over the elements that were read so far. */
struct state {
    enum cm_fortran_intrinsic intrinsic;
    enum cm_type type; /* type of the elements */
    union cm_fortran_value value;
    /* number of the largest or smallest element so far, from 1. 0 before the first element */
    uint64_t place;
    uint64_t nan; /* number of the first NaN, from 1. 0 before the first NaN */
};

static void begin(struct state *state)
{
    static const union cm_fortran_value one = {.integer = 1};
    bool least = state->intrinsic == CM_FORTRAN_MINVAL;
    memset(&state->value, 0, sizeof(state->value));
    state->place = state->nan = 0;
    switch (state->intrinsic) {
    case CM_FORTRAN_PRODUCT:
        cm_fortran_convert(CM_TYPE_INT32, state->type, &one, &state->value);
        break;
    case CM_FORTRAN_ALL:
        state->value.logical = 1;
        break;
    case CM_FORTRAN_MINVAL:
    case CM_FORTRAN_MAXVAL:
        if (state->type == CM_TYPE_INT32)
            state->value.integer = least ? INT32_MAX : INT32_MIN;
        else if (state->type == CM_TYPE_REAL32)
            state->value.real = least ? FLT_MAX : -FLT_MAX;
        else
            state->value.real64 = least ? DBL_MAX : -DBL_MAX;
        break;
    default:
        break;
    }
}

static bool is_better(const struct state *state, const union cm_fortran_value *element)
{
    bool least = state->intrinsic == CM_FORTRAN_MINVAL || state->intrinsic == CM_FORTRAN_MINLOC;
    union cm_fortran_value better;
    cm_fortran_operate(least ? CM_FORTRAN_LT : CM_FORTRAN_GT, state->type, false, element,
                       &state->value, &better);
    return better.logical;
}

static void add(struct state *state, const union cm_fortran_value *element, uint64_t place)
{
    switch (state->intrinsic) {
    case CM_FORTRAN_SUM:
        cm_fortran_operate(CM_FORTRAN_ADD, state->type, false, &state->value, element,
                           &state->value);
        break;
    case CM_FORTRAN_PRODUCT:
        cm_fortran_operate(CM_FORTRAN_MULTIPLY, state->type, false, &state->value, element,
                           &state->value);
        break;
    case CM_FORTRAN_ANY:
        state->value.logical = state->value.logical || element->logical;
        break;
    case CM_FORTRAN_ALL:
        state->value.logical = state->value.logical && element->logical;
        break;
    case CM_FORTRAN_COUNT:
        state->value.integer += element->logical;
        break;
    default:
        if (isnan(cm_fortran_magnitude(state->type, element))) {
            state->nan = state->nan > 0 ? state->nan : place;
        } else if (state->place == 0 || is_better(state, element)) {
            state->value = *element;
            state->place = place;
        }
        break;
    }
}

/* Ends a reduction. If all elements are NaN, the first NaN is the largest or smallest element. */
static void end(struct state *state)
{
    if (state->place > 0 || state->nan == 0)
        return;
    state->place = state->nan;
    if (state->type == CM_TYPE_REAL32)
        state->value.real = NAN;
    else
        state->value.real64 = NAN;
}

double cm_fortran_magnitude(enum cm_type type, const union cm_fortran_value *value)
{
    union cm_fortran_value wide;
    cm_fortran_convert(type, CM_TYPE_REAL64, value, &wide);
    return fabs(wide.real64);
}

static bool takes_part(const struct cm_fortran_array *mask, uint64_t number)
{
    return mask == NULL || ((const uint8_t *)mask->host)[mask->rank > 0 ? number : 0] != 0;
}

/* Computes MAXLOC or MINLOC of a whole array: the subscripts, from 1, of the element, or zeros if
 * no element is selected. */
static enum cm_status locate(struct cm_fortran_run *run, struct state *state,
                             const struct cm_fortran_array *array,
                             const struct cm_fortran_array *mask, struct cm_fortran_array **value)
{
    union cm_fortran_value element;
    enum cm_status status = CM_OK;
    begin(state);
    for (uint64_t e = 0; e < array->elements && status == CM_OK; e++) {
        status = cm_fortran_go_on(run);
        if (!takes_part(mask, e))
            continue;
        cm_fortran_load(array->type, array->host, e, &element);
        add(state, &element, e + 1);
    }
    end(state);
    uint64_t rank = array->rank, left = state->place;
    if (status == CM_OK)
        status = cm_fortran_array_host(run, CM_TYPE_INT32, 1, &rank, value);
    for (uint32_t i = 0; i < array->rank && status == CM_OK && left > 0; i++) {
        ((int32_t *)(*value)->host)[i] = (int32_t)((left - 1) % array->extent[i]) + 1;
        left = (left - 1) / array->extent[i] + 1;
    }
    return status;
}

enum cm_status
cm_fortran_host_reduce(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                       const struct cm_fortran_array *array, const struct cm_fortran_array *dim,
                       const struct cm_fortran_array *mask, struct cm_fortran_array **value)
{
    struct state state = {.intrinsic = call->intrinsic, .type = array->type};
    struct cm_fortran_array_lines lines;
    enum cm_status status = CM_OK;
    if (mask != NULL && mask->rank > 0)
        status = cm_fortran_conform(run, call->place, array, mask);
    if (status != CM_OK)
        return status;
    if (call->intrinsic == CM_FORTRAN_MAXLOC || call->intrinsic == CM_FORTRAN_MINLOC)
        return locate(run, &state, array, mask, value);
    status = cm_fortran_array_lines_find(run, call, array, dim, &lines);
    if (status == CM_OK)
        status =
            cm_fortran_array_host(run, (enum cm_type)call->type, lines.rank, lines.extent, value);
    for (uint64_t line = 0; line < lines.count && status == CM_OK; line++) {
        begin(&state);
        for (uint64_t i = 0; i < lines.length && status == CM_OK; i++) {
            status = cm_fortran_go_on(run);
            union cm_fortran_value element;
            uint64_t at = cm_fortran_array_line_element(&lines, line, i);
            if (!takes_part(mask, at))
                continue;
            cm_fortran_load(array->type, array->host, at, &element);
            add(&state, &element, i + 1);
        }
        end(&state);
        cm_fortran_store((enum cm_type)call->type, (*value)->host, line, &state.value);
    }
    return status;
}
