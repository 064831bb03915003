/* Errors of the simulated times against the published times, bounds on the errors, and equation 1
 * in section 6.2 of the PSHIFT paper. */
#include "validate.h"

#include <string.h>

#define SLICES 2.0 /* number of slices of a REAL*8 element */

static double time_of(const struct cm_validated_row *row, enum cm_library library, bool elapsed,
                      bool published)
{
    const struct cm_published_time *print = &row->published->times[library];
    const struct cm_validated_time *time = &row->times[library];
    if (published)
        return elapsed ? print->elapsed_ms : print->cm_ms;
    return elapsed ? time->elapsed_ms : time->cm_ms;
}

static double speedup_of(const struct cm_validated_row *row, bool elapsed, bool published)
{
    return time_of(row, CM_LIBRARY_CSHIFT, elapsed, published) /
           time_of(row, CM_LIBRARY_PSHIFT, elapsed, published);
}

void cm_validated_values(const struct cm_config *config, const struct cm_validated_row *row,
                         enum cm_quantity quantity, enum cm_library library, double *published,
                         double *simulated)
{
    bool elapsed = quantity != CM_QUANTITY_CM_TIME && quantity != CM_QUANTITY_CM_SPEEDUP;
    if (quantity == CM_QUANTITY_CM_SPEEDUP || quantity == CM_QUANTITY_ELAPSED_SPEEDUP) {
        *published = speedup_of(row, elapsed, true);
        *simulated = speedup_of(row, elapsed, false);
        return;
    }
    *published = time_of(row, library, elapsed, true);
    *simulated = time_of(row, library, elapsed, false);
    if (quantity == CM_QUANTITY_FRONT_END)
        *simulated = cm_front_end_elapsed_ms(config, library, 2 * row->published->rank,
                                             time_of(row, library, false, true));
}

uint32_t cm_validation_errors(const struct cm_validation *validation,
                              const struct cm_selection *selection, struct cm_cell_error *errors)
{
    uint32_t count = 0;
    bool speedup = selection->quantity == CM_QUANTITY_CM_SPEEDUP ||
                   selection->quantity == CM_QUANTITY_ELAPSED_SPEEDUP;
    uint32_t libraries = speedup ? 1u << CM_LIBRARY_PSHIFT : selection->libraries;
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_validated_row *row = &validation->rows[i];
        if ((selection->tables >> (row->published->rank - 1) & 1) == 0)
            continue;
        for (uint32_t l = 0; l < CM_LIBRARY_COUNT && count < CM_STATISTICS_MAX; l++) {
            double published, simulated;
            if ((libraries >> l & 1) == 0)
                continue;
            cm_validated_values(&validation->config, row, selection->quantity, (enum cm_library)l,
                                &published, &simulated);
            errors[count++] = (struct cm_cell_error){
                .row = row, .library = (enum cm_library)l, .error = simulated / published - 1};
        }
    }
    return count;
}

struct cm_statistics cm_validation_statistics(const struct cm_validation *validation,
                                              const struct cm_selection *selection,
                                              struct cm_cell_error *worst)
{
    struct cm_cell_error cells[CM_STATISTICS_MAX];
    double errors[CM_STATISTICS_MAX];
    uint32_t count = cm_validation_errors(validation, selection, cells);
    for (uint32_t i = 0; i < count; i++)
        errors[i] = cells[i].error;
    struct cm_statistics found = cm_statistics_of(errors, count);
    if (worst != NULL && count > 0)
        *worst = cells[found.worst_index];
    else if (worst != NULL)
        memset(worst, 0, sizeof *worst);
    return found;
}

enum measure { MEDIAN, MEAN, WORST };

#define OF(quantity, tables)                                                                       \
    {                                                                                              \
        CM_QUANTITY_##quantity, CM_TABLES_##tables, CM_LIBRARIES_ALL                               \
    }

/*
 * Bounds on the errors of the cells to which the machine was fitted. research/refit
 * --cross-validate judges predictions of cells that were held out, by fitting again without them.
 */
static const struct {
    const char *what;
    struct cm_selection selection;
    enum measure measure;
    double limit;
} aims[] = {
    {"median, all cells", OF(CM_TIME, ALL), MEDIAN, 0.025},
    {"mean, all cells", OF(CM_TIME, ALL), MEAN, 0.04},
    {"worst, all cells", OF(CM_TIME, ALL), WORST, 0.15},
    {"median, CM speedups", OF(CM_SPEEDUP, ALL), MEDIAN, 0.04},
    {"median, elapsed speedups", OF(ELAPSED_SPEEDUP, ALL), MEDIAN, 0.04},
};
#define AIM_COUNT (sizeof aims / sizeof *aims)

_Static_assert(AIM_COUNT <= CM_BOUNDS_MAX, "callers have room for CM_BOUNDS_MAX bounds");

uint32_t cm_validation_bounds(const struct cm_validation *validation, struct cm_bound *bounds)
{
    if (validation->row_count != cm_published_count())
        return 0;
    for (uint32_t i = 0; i < AIM_COUNT; i++) {
        struct cm_statistics found = cm_validation_statistics(validation, &aims[i].selection, NULL);
        double worst = found.worst < 0 ? -found.worst : found.worst;
        double value = aims[i].measure == MEDIAN ? found.median
                       : aims[i].measure == MEAN ? found.mean
                                                 : worst;
        bounds[i] = (struct cm_bound){
            .what = aims[i].what,
            .limit = aims[i].limit,
            .value = value,
            .met = value <= aims[i].limit,
        };
    }
    return (uint32_t)AIM_COUNT;
}

bool cm_shift_model_measure(uint64_t small_length, double small_ms, uint64_t large_length,
                            double large_ms, struct cm_shift_model *model)
{
    if (large_length <= small_length || small_length == 0)
        return false;
    double more = 2 * SLICES * (double)(large_length - small_length);
    model->move_ms = (large_ms - small_ms) / more;
    model->exchange_ms = small_ms - 2 * SLICES * (double)(small_length - 1) * model->move_ms;
    return true;
}

double cm_shift_model_ms(const struct cm_shift_model *model, uint32_t rank, uint64_t length)
{
    double face = 1; /* number of elements on a face of the subgrid: V / L */
    for (uint32_t a = 1; a < rank; a++)
        face *= (double)length;
    double moved = SLICES * 2 * rank * face * (double)(length - 1);
    return moved * model->move_ms + face * model->exchange_ms;
}

bool cm_validation_model(const struct cm_validation *validation, bool published,
                         struct cm_shift_model *model)
{
    const struct cm_validated_row *small = NULL, *large = NULL;
    double times[2], ignored;
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_validated_row *row = &validation->rows[i];
        if (row->published->rank != 1)
            continue;
        small = small == NULL || row->published->length < small->published->length ? row : small;
        large = large == NULL || row->published->length > large->published->length ? row : large;
    }
    if (small == NULL)
        return false;
    const struct cm_validated_row *ends[2] = {small, large};
    for (int i = 0; i < 2; i++)
        cm_validated_values(&validation->config, ends[i], CM_QUANTITY_CM_TIME, CM_LIBRARY_PSHIFT,
                            published ? &times[i] : &ignored, published ? &ignored : &times[i]);
    return cm_shift_model_measure(small->published->length, times[0], large->published->length,
                                  times[1], model);
}
