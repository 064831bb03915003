/*
 * Judges a solution of a lesson's task, for cm200 lesson N --check FILE. The reference and the
 * solution run on the lesson's machine, and are compared by their data and their output. The limits
 * of the task, such as a largest number of exchanges, are checked last.
 */
#include "../base/text.h"
#include "../fortran/run/step.h"
#include "../fortran/source/parse.h"
#include "../programs/workload/result.h"
#include "../report/json_writer.h"
#include "lesson.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASONS_MAX      8u
#define REASON_BYTES     256u
#define LIMITS_MAX       8u
#define NAME_BYTES       64u
#define OUTPUT_MAX_BYTES (UINT64_C(1) << 20) /* largest number of bytes that a solution may print */

/* Largest difference between solution and reference, relative to the largest value. The solution
 * may add numbers in another order than the reference, and so round differently. */
#define NEAR_32      1e-5
#define NEAR_64      1e-10
#define NEAR_PRINTED 1e-4

struct limit {
    char what[CM_LESSON_VALUE_BYTES];
    double at_most, is;
    bool kept;
};

struct judged {
    const struct cm_lesson_host *host;
    const struct cm_lesson *lesson;
    const struct cm_lesson_part *task;
    const char *file;
    char reasons[REASONS_MAX][REASON_BYTES];
    uint32_t reason_count;
    struct limit limits[LIMITS_MAX];
    uint32_t limit_count;
};

/* One of the two runs that are compared: the reference or the solution, prepared to run. */
struct side {
    bool program;
    struct cm_workload *workload;
    struct cm_run *run;
};

static void finish_side(struct side *side)
{
    cm_run_destroy(side->run);
    cm_workload_destroy(side->workload);
}

CM_PRINTF(2, 3) static void reason(struct judged *judged, const char *format, ...)
{
    va_list arguments;
    if (judged->reason_count == REASONS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(judged->reasons[judged->reason_count++], REASON_BYTES, format, arguments);
    va_end(arguments);
}

static enum cm_status ended_by_host(struct cm_error *err)
{
    return cm_error_set(err, CM_INTERRUPTED, "interrupted");
}

/* Reads the reference or the solution, and prepares its run on the machine and the nodes of the
 * task. */
static enum cm_status prepare(const struct judged *judged, const char *path, struct side *side,
                              struct cm_error *err)
{
    char machine[CM_LESSON_VALUE_BYTES], nodes[CM_LESSON_VALUE_BYTES], level[CM_LESSON_VALUE_BYTES];
    char whole[2 * CM_LESSON_PATH_BYTES], set[CM_LESSON_VALUE_BYTES];
    const struct cm_lesson_host *host = judged->host;
    enum cm_status status = CM_OK;
    cm_lesson_value(judged->task, "machine", 0, machine);
    cm_lesson_value(judged->task, "nodes", 0, nodes);
    cm_lesson_value(judged->task, "level", 0, level);
    snprintf(whole, sizeof whole, "%s%s", judged->lesson->root, machine);
    const char *const sets[] = {set};
    const struct cm_run_options options = {.machine = whole,
                                           .sets = sets,
                                           .set_count =
                                               cm_lesson_value(judged->task, "set", 0, set),
                                           .nodes = (uint32_t)strtoul(nodes, NULL, 10),
                                           .max_output = OUTPUT_MAX_BYTES,
                                           /* solutions of others lie in the same folder */
                                           .no_files = true};
    side->program = cm_fortran_is_source_name(path);
    if (!side->program)
        status = cm_workload_read(path, &side->workload, err);
    else if (!host->read_program(host->context, path, strtoul(level, NULL, 10), &side->workload))
        status = ended_by_host(err);
    return status == CM_OK ? cm_run_create(side->workload, &options, &side->run, err) : status;
}

static enum cm_status execute(const struct judged *judged, struct side *side, struct cm_error *err)
{
    const struct cm_lesson_host *host = judged->host;
    enum cm_status status = cm_run_execute_watched(side->run, host->watch, host->context, err);
    return status == CM_INTERRUPTED ? ended_by_host(err) : status;
}

/* Returns all elements of an array in memory of the host. NULL: memory is too short, or the array
 * could not be read. */
static void *elements_of(struct side *side, const struct cm_array *array)
{
    size_t bytes = (size_t)array->layout.elements * cm_type_host_bytes(array->layout.type);
    void *elements = malloc(bytes > 0 ? bytes : 1);
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

/* Compares the elements that an array has in both runs at the end. A difference becomes a reason of
 * the judgement. */
static enum cm_status compare_array(struct judged *judged, struct side *reference,
                                    struct side *student, const char *name, const char *when,
                                    struct cm_error *err)
{
    const struct cm_array *want = cm_run_array(reference->run, name);
    const struct cm_array *have = cm_run_array(student->run, name);
    if (have == NULL || want == NULL) {
        reason(judged, "there is no array \"%s\"", name);
        return CM_OK;
    }
    if (!same_shape(&want->layout, &have->layout)) {
        reason(judged, "array \"%s\" has another shape or type than the task's", name);
        return CM_OK;
    }
    void *a = elements_of(reference, want), *b = elements_of(student, have);
    enum cm_status status = a == NULL || b == NULL ? cm_error_no_memory(err) : CM_OK;
    size_t first = status == CM_OK ? first_difference(&want->layout, a, b) : SIZE_MAX;
    if (first != SIZE_MAX)
        reason(judged, "array \"%s\" %s: element %zu of %" PRIu64 " is not what it should be", name,
               when, first + 1, want->layout.elements);
    free(a);
    free(b);
    return status;
}

/* Compares between both runs each array that the task names. */
static enum cm_status compare_arrays(struct judged *judged, struct side *reference,
                                     struct side *student, const char *key, const char *when,
                                     struct cm_error *err)
{
    char names[CM_LESSON_VALUE_BYTES], *state = NULL;
    enum cm_status status = CM_OK;
    cm_lesson_value(judged->task, key, 0, names);
    for (char *name = strtok_r(names, " ", &state); name != NULL && status == CM_OK;
         name = strtok_r(NULL, " ", &state))
        status = compare_array(judged, reference, student, name, when, err);
    return status;
}

/* Returns true if `name` is one of the words in the value of a key of the task. */
static bool is_named(const struct judged *judged, const char *key, const char *name)
{
    char names[CM_LESSON_VALUE_BYTES], *state = NULL;
    cm_lesson_value(judged->task, key, 0, names);
    for (char *word = strtok_r(names, " ", &state); word != NULL;
         word = strtok_r(NULL, " ", &state))
        if (strcmp(word, name) == 0)
            return true;
    return false;
}

/* Requires that all arrays of the solution are zeros at the start, except the inputs, so that the
 * solution must compute its results. */
static enum cm_status check_zeros(struct judged *judged, struct side *student, struct cm_error *err)
{
    for (uint32_t i = 0; i < cm_run_array_count(student->run); i++) {
        const struct cm_array *array = cm_run_array_at(student->run, i);
        if (is_named(judged, "inputs", array->name))
            continue;
        void *elements = elements_of(student, array);
        if (elements == NULL)
            return cm_error_no_memory(err);
        if (!all_zero(&array->layout, elements))
            reason(judged, "array \"%s\" has initial values; only the inputs of the task may",
                   array->name);
        free(elements);
    }
    return CM_OK;
}

/* Returns the output that a program printed, or "" for a workload. */
static const char *printed(const struct side *side)
{
    const struct cm_result *result = cm_run_result(side->run);
    const struct cm_buffer *output =
        result->step_count > 0 ? cm_fortran_step_output(&result->steps[0]) : NULL;
    return output != NULL && output->length > 0 ? output->data : "";
}

/* Copies the next word of a text. Returns false at the end of the text. */
static bool next_word(const char **at, char word[NAME_BYTES])
{
    *at += strspn(*at, " \n\t");
    size_t length = strcspn(*at, " \n\t");
    snprintf(word, NAME_BYTES, "%.*s", (int)length, *at);
    *at += length;
    return length > 0;
}

/* Compares the outputs of both programs word by word. Numbers may differ in their last digits. */
static void compare_printed(struct judged *judged, const struct side *reference,
                            const struct side *student)
{
    const char *want = printed(reference), *have = printed(student);
    char a[NAME_BYTES], b[NAME_BYTES], *end_a, *end_b;
    for (uint32_t i = 1;; i++) {
        bool more = next_word(&want, a), too = next_word(&have, b);
        if (!more && !too)
            return;
        double x = strtod(a, &end_a), y = strtod(b, &end_b);
        bool numbers = *end_a == '\0' && *end_b == '\0' && more && too;
        if (numbers ? near_values(x, y, NEAR_PRINTED * fabs(x)) : strcmp(a, b) == 0)
            continue;
        reason(judged, "word %" PRIu32 " that it prints is \"%s\", expected \"%s\"", i, b, a);
        return;
    }
}

/* Judges one limit of the task, such as "/exchanges <= 8", by the JSON result of the solution. */
static void judge_limit(struct judged *judged, struct cm_json root, const char *text)
{
    struct limit *limit = &judged->limits[judged->limit_count];
    struct cm_json found;
    struct cm_lesson_number number;
    const char *sign = strstr(text, " <= ");
    if (sign == NULL || judged->limit_count == LIMITS_MAX)
        return;
    snprintf(limit->what, sizeof limit->what, "%.*s", (int)(sign - text), text);
    limit->at_most = strtod(sign + 4, NULL);
    judged->limit_count++;
    if (!cm_lesson_at_pointer(root, limit->what, &found) ||
        !cm_lesson_read_number(found, &number)) {
        reason(judged, "its result has no %s", limit->what);
        return;
    }
    limit->is = number.number;
    limit->kept = number.number <= limit->at_most;
    if (!limit->kept)
        reason(judged, "%s: %.10g, and the task allows at most %.10g", limit->what + 1, limit->is,
               limit->at_most);
}

static enum cm_status judge_limits(struct judged *judged, const struct side *student,
                                   struct cm_error *err)
{
    char value[CM_LESSON_VALUE_BYTES];
    struct cm_buffer text;
    struct cm_json_document *document = NULL;
    cm_buffer_init(&text);
    enum cm_status status = cm_result_json(cm_run_result(student->run), &text, err);
    if (status == CM_OK && !cm_buffer_ok(&text))
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_json_parse("result", text.data, text.length, &document, err);
    for (uint32_t i = 0; status == CM_OK && cm_lesson_value(judged->task, "limit", i, value); i++)
        judge_limit(judged, cm_json_root(document), value);
    cm_json_destroy(document);
    cm_buffer_finish(&text);
    return status;
}

static enum cm_status compare(struct judged *judged, struct side *reference, struct side *student,
                              struct cm_error *err)
{
    if (reference->program != student->program) {
        reason(judged, "the task asks for a %s",
               reference->program ? "CM Fortran program" : "workload");
        return CM_OK;
    }
    enum cm_status status =
        compare_arrays(judged, reference, student, "inputs", "before the run", err);
    if (status == CM_OK && !student->program)
        status = check_zeros(judged, student, err);
    if (status != CM_OK || judged->reason_count > 0)
        return status;
    status = execute(judged, reference, err);
    if (status == CM_OK)
        status = execute(judged, student, err);
    if (status == CM_OK)
        status = compare_arrays(judged, reference, student, "outputs", "after the run", err);
    if (status == CM_OK && student->program)
        compare_printed(judged, reference, student);
    return status == CM_OK ? judge_limits(judged, student, err) : status;
}

static void write_text(const struct judged *judged, struct cm_buffer *text)
{
    char shown[2048];
    bool passed = judged->reason_count == 0;
    cm_text_clean(shown, sizeof shown, judged->file, strlen(judged->file));
    cm_buffer_printf(text, "lesson %" PRIu32 ", %s: %s\n", judged->lesson->number, shown,
                     passed ? "passed" : "not passed");
    for (uint32_t i = 0; i < judged->reason_count; i++) {
        cm_text_clean(shown, sizeof shown, judged->reasons[i], strlen(judged->reasons[i]));
        cm_buffer_printf(text, "  %s\n", shown);
    }
    for (uint32_t i = 0; i < judged->limit_count && passed; i++)
        cm_buffer_printf(text, "  %s: %.10g, at most %.10g\n", judged->limits[i].what + 1,
                         judged->limits[i].is, judged->limits[i].at_most);
}

static void write_json(const struct judged *judged, struct cm_buffer *text)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-lesson/1");
    cm_json_write_u64(&json, "lesson", judged->lesson->number);
    cm_json_write_string(&json, "file", judged->file);
    cm_json_write_bool(&json, "passed", judged->reason_count == 0);
    cm_json_write_list(&json, "reasons");
    for (uint32_t i = 0; i < judged->reason_count; i++)
        cm_json_write_string(&json, NULL, judged->reasons[i]);
    cm_json_write_end(&json);
    cm_json_write_list(&json, "limits");
    for (uint32_t i = 0; i < judged->limit_count; i++) {
        const struct limit *limit = &judged->limits[i];
        cm_json_write_record(&json, NULL, {"what", cm_text(limit->what)},
                             {"at_most", cm_f64(limit->at_most)}, {"is", cm_f64(limit->is)},
                             {"kept", cm_bool(limit->kept)});
    }
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

enum cm_status cm_lesson_judge(const struct cm_lesson *lesson, const char *file,
                               const struct cm_lesson_host *host,
                               struct cm_lesson_judgement *judgement, struct cm_error *err)
{
    char reference[CM_LESSON_VALUE_BYTES], path[2 * CM_LESSON_PATH_BYTES];
    struct side sides[2] = {0};
    const struct cm_lesson_part *task = cm_lesson_task(lesson);
    judgement->passed = false;
    if (task == NULL)
        return cm_error_set(err, CM_USAGE, "lesson %" PRIu32 " has no task", lesson->number);
    struct judged *judged = calloc(1, sizeof *judged);
    if (judged == NULL)
        return cm_error_no_memory(err);
    *judged = (struct judged){.host = host, .lesson = lesson, .task = task, .file = file};
    cm_lesson_value(task, "reference", 0, reference);
    snprintf(path, sizeof path, "%s%s", lesson->root, reference);
    enum cm_status status = prepare(judged, file, &sides[1], err);
    if (status == CM_OK)
        status = prepare(judged, path, &sides[0], err);
    if (status == CM_OK)
        status = compare(judged, &sides[0], &sides[1], err);
    if (status == CM_OK) {
        (judgement->json ? write_json : write_text)(judged, &judgement->text);
        judgement->passed = judged->reason_count == 0;
    }
    finish_side(&sides[0]);
    finish_side(&sides[1]);
    free(judged);
    return status;
}
