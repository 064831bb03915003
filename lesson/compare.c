/* Fills the inputs of a reference and a solution with the same random values, and compares the
 * arrays of both after their runs. */
#include "../programs/workload/init.h"
#include "judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest difference between solution and reference, relative to the largest value. The solution
 * may add numbers in another order than the reference, and so round differently. */
#define NEAR_32 1e-5
#define NEAR_64 1e-10

/* number of inputs that get seeds of their own in each case */
#define INPUTS_MAX 64u

/* Allocates memory for all elements of an array. NULL: memory is too short. */
static void *allocate(const struct cm_layout *layout)
{
    size_t bytes = (size_t)layout->elements * cm_type_host_bytes(layout->type);
    return malloc(bytes > 0 ? bytes : 1);
}

/* Returns all elements of an array in memory of the host. NULL: memory is too short, or the array
 * could not be read. */
static void *elements_of(struct cm_judge_side *side, const struct cm_array *array)
{
    void *elements = allocate(&array->layout);
    if (elements != NULL &&
        cm_array_gather(cm_run_system(side->run), array, elements, NULL) != CM_OK) {
        free(elements);
        return NULL;
    }
    return elements;
}

static bool near_values(double a, double b, double allowed)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowed;
}

/* Returns component number `i` of a list of real or complex elements. A complex element has two
 * components. */
static double part_at(enum cm_type type, const void *elements, size_t i)
{
    bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    return single ? (double)((const float *)elements)[i] : ((const double *)elements)[i];
}

/* Returns the first component at which two lists differ by more than rounding can explain. Sums of
 * numbers as large as the largest component may differ by so much. Returns `count` if there is no
 * such component. */
static size_t first_far(enum cm_type type, const void *a, const void *b, size_t count)
{
    bool single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    double largest = 0;
    size_t i = 0;
    for (size_t k = 0; k < count; k++)
        if (isfinite(part_at(type, a, k)))
            largest = fmax(largest, fabs(part_at(type, a, k)));
    while (i < count && near_values(part_at(type, a, i), part_at(type, b, i),
                                    (single ? NEAR_32 : NEAR_64) * largest))
        i++;
    return i;
}

/* Returns the number of the first element at which two arrays differ. SIZE_MAX: the arrays are
 * equal. */
static size_t first_difference(const struct cm_layout *layout, const void *a, const void *b)
{
    size_t parts = cm_type_components(layout->type), bytes = cm_type_host_bytes(layout->type);
    size_t elements = (size_t)layout->elements, i = 0;
    if (layout->type != CM_TYPE_INT32 && layout->type != CM_TYPE_LOGICAL)
        i = first_far(layout->type, a, b, elements * parts) / parts;
    else
        while (i < elements &&
               memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes) == 0)
            i++;
    return i < elements ? i : SIZE_MAX;
}

static bool all_zero(const struct cm_layout *layout, const void *elements)
{
    const char *bytes = elements;
    size_t count = (size_t)layout->elements * cm_type_host_bytes(layout->type);
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static bool same_shape(const struct cm_layout *a, const struct cm_layout *b)
{
    bool same = a->type == b->type && a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = a->axes[i].length == b->axes[i].length;
    return same;
}

/* Copies the next name in a list of words. Returns false at the end of the list. */
static bool next_name(char **state, char **name)
{
    *name = strtok_r(*name, " ", state);
    return *name != NULL;
}

/* Returns true if `name` is one of the words in the value of a key of the task. */
static bool is_named(const struct cm_judged *judged, const char *key, const char *name)
{
    char names[CM_LESSON_VALUE_BYTES], *state = NULL;
    cm_lesson_value(judged->task, key, 0, names);
    for (char *word = names; next_name(&state, &word); word = NULL)
        if (strcmp(word, name) == 0)
            return true;
    return false;
}

/* Requires of an array of the task that both runs have it in one shape and type. The solution may
 * place it differently, but on no fewer nodes: a node that holds everything has nothing to send. */
static void check_array(struct cm_judged *judged, const struct cm_array *want,
                        const struct cm_array *have, const char *name)
{
    if (have == NULL || want == NULL)
        cm_judge_reason(judged, "there is no array \"%s\"", name);
    else if (!same_shape(&want->layout, &have->layout))
        cm_judge_reason(judged, "array \"%s\" has another shape or type than the task's", name);
    else if (!cm_array_is_allocated(have) && have->layout.used_bits < want->layout.used_bits)
        cm_judge_reason(judged, "array \"%s\" is on %u nodes, and the task's is on %u", name,
                        1u << have->layout.used_bits, 1u << want->layout.used_bits);
}

/* Requires that all arrays of the solution are zeros at the start, except the inputs, so that the
 * solution must compute its results. */
static enum cm_status check_zeros(struct cm_judged *judged, struct cm_judge_side *student,
                                  struct cm_error *err)
{
    for (uint32_t i = 0; i < cm_run_array_count(student->run); i++) {
        const struct cm_array *array = cm_run_array_at(student->run, i);
        if (is_named(judged, "inputs", array->name))
            continue;
        void *elements = elements_of(student, array);
        if (elements == NULL)
            return cm_error_no_memory(err);
        if (!all_zero(&array->layout, elements))
            cm_judge_reason(judged,
                            "array \"%s\" has initial values; only the inputs of the task may",
                            array->name);
        free(elements);
    }
    return CM_OK;
}

enum cm_status cm_judge_check_arrays(struct cm_judged *judged, struct cm_judge_side *reference,
                                     struct cm_judge_side *student, struct cm_error *err)
{
    static const char *const keys[] = {"inputs", "outputs"};
    for (size_t i = 0; i < 2; i++) {
        char names[CM_LESSON_VALUE_BYTES], *state = NULL;
        cm_lesson_value(judged->task, keys[i], 0, names);
        for (char *name = names; next_name(&state, &name); name = NULL)
            if (i == 0 || !is_named(judged, keys[0], name))
                check_array(judged, cm_run_array(reference->run, name),
                            cm_run_array(student->run, name), name);
    }
    return judged->reason_count == 0 ? check_zeros(judged, student, err) : CM_OK;
}

static enum cm_status fill_input(struct cm_judge_side *side, const char *name, uint64_t seed,
                                 struct cm_error *err)
{
    const struct cm_init init = {.kind = CM_INIT_RANDOM, .seed = seed};
    const struct cm_array *array = cm_run_array(side->run, name);
    if (array == NULL)
        return cm_error_set(err, CM_BAD_INPUT, "the workload has no array \"%s\"", name);
    void *elements = allocate(&array->layout);
    if (elements == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_init_fill(&init, &array->layout, elements, err);
    if (status == CM_OK)
        status = cm_run_give(side->run, name, elements, err);
    free(elements);
    return status;
}

enum cm_status cm_judge_fill_inputs(struct cm_judged *judged, struct cm_judge_side *side,
                                    struct cm_error *err)
{
    char names[CM_LESSON_VALUE_BYTES], *state = NULL;
    uint64_t number = (uint64_t)judged->present.number * INPUTS_MAX;
    enum cm_status status = CM_OK;
    cm_lesson_value(judged->task, "inputs", 0, names);
    for (char *name = names; status == CM_OK && next_name(&state, &name); name = NULL)
        status = fill_input(side, name, cm_splitmix64(judged->judging->seed, number++), err);
    return status;
}

/* Compares the elements that an array has in both runs at the end. A step may have changed the
 * shape of the array. */
static enum cm_status compare_array(struct cm_judged *judged, struct cm_judge_side *reference,
                                    struct cm_judge_side *student, const char *name,
                                    struct cm_error *err)
{
    const struct cm_array *want = cm_run_array(reference->run, name);
    const struct cm_array *have = cm_run_array(student->run, name);
    if (!same_shape(&want->layout, &have->layout)) {
        cm_judge_reason(judged, "array \"%s\" has another shape than it should have after the run",
                        name);
        return CM_OK;
    }
    void *a = elements_of(reference, want), *b = elements_of(student, have);
    enum cm_status status = a == NULL || b == NULL ? cm_error_no_memory(err) : CM_OK;
    size_t first = a != NULL && b != NULL ? first_difference(&want->layout, a, b) : SIZE_MAX;
    if (first != SIZE_MAX)
        cm_judge_reason(judged,
                        "array \"%s\" after the run: element %zu of %" PRIu64
                        " is not what it should be",
                        name, first + 1, want->layout.elements);
    free(a);
    free(b);
    return status;
}

enum cm_status cm_judge_compare(struct cm_judged *judged, struct cm_judge_side *reference,
                                struct cm_judge_side *student, struct cm_error *err)
{
    char names[CM_LESSON_VALUE_BYTES], *state = NULL;
    enum cm_status status = CM_OK;
    cm_lesson_value(judged->task, "outputs", 0, names);
    for (char *name = names; status == CM_OK && next_name(&state, &name); name = NULL)
        status = compare_array(judged, reference, student, name, err);
    return status;
}
