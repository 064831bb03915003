/* Checks the values of a SELECT CASE: no value may be in two of its CASEs. */
#include "flow.h"

#include <stdlib.h>

/* Compares two constants of the same type. Returns a negative number, 0 or a positive number. */
static int compare(const struct cm_fortran_expression *a, const struct cm_fortran_expression *b)
{
    if (a->kind == CM_FORTRAN_TEXT) {
        const struct cm_fortran_text texts[2] = {{(char *)a->text, a->text_length},
                                                 {(char *)b->text, b->text_length}};
        return cm_fortran_text_compare(&texts[0], &texts[1]);
    }
    int32_t x = a->type == CM_TYPE_LOGICAL ? a->value.logical : a->value.integer;
    int32_t y = b->type == CM_TYPE_LOGICAL ? b->value.logical : b->value.integer;
    return x < y ? -1 : x > y;
}

static bool is_empty(const struct cm_check_range *range)
{
    return range->low && range->high && compare(range->low, range->high) > 0;
}

/* Compares two ranges by their lower bounds, for qsort(). A range without a lower bound comes
 * first. */
static int by_low(const void *left, const void *right)
{
    const struct cm_check_range *a = left, *b = right;
    if (!a->low || !b->low)
        return a->low ? 1 : b->low ? -1 : 0;
    return compare(a->low, b->low);
}

static bool reaches(const struct cm_check_range *range, const struct cm_check_range *next)
{
    return !range->high || !next->low || compare(range->high, next->low) >= 0;
}

static bool is_later(const struct cm_source_place *a, const struct cm_source_place *b)
{
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

void cm_check_ranges(struct cm_check *check, const struct cm_check_ranges *ranges)
{
    const struct cm_check_range *farthest = NULL;
    if (ranges->count > 1)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, by_low);
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct cm_check_range *range = &ranges->items[i];
        if (is_empty(range))
            continue;
        if (farthest && reaches(farthest, range)) {
            bool later = is_later(&range->place, &farthest->place);
            cm_check_fail(check, later ? range->place : farthest->place,
                          "values of this CASE are also in that of line %u",
                          later ? farthest->place.line : range->place.line);
        }
        bool farther = !farthest || (farthest->high &&
                                     (!range->high || compare(range->high, farthest->high) > 0));
        if (farther)
            farthest = range;
    }
}
