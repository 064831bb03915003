/* Keeps the reasons of a judgement, judges the limits of a task, and writes the judgement as text
 * or as JSON. */
#include "../base/text.h"
#include "../report/json_writer.h"
#include "judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cm_judge_reason(struct cm_judged *judged, const char *format, ...)
{
    char text[CM_JUDGE_REASON_BYTES], sizes[CM_JUDGE_PARAMETERS_MAX * CM_JUDGE_NAME_BYTES] = "";
    va_list arguments;
    if (judged->reason_count == CM_JUDGE_REASONS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (uint32_t i = 0, length = 0; i < judged->present.parameter_count; i++)
        length += (uint32_t)snprintf(sizes + length, sizeof sizes - length, "%s%s",
                                     i == 0 ? "" : " ", judged->present.parameters[i]);
    snprintf(judged->reasons[judged->reason_count++], CM_JUDGE_REASON_BYTES, "%.400s%s%.100s", text,
             sizes[0] != '\0' ? ", with " : "", sizes);
}

void cm_judge_reason_error(struct cm_judged *judged, const struct cm_error *err)
{
    if (err->file[0] == '\0' || err->line == 0)
        cm_judge_reason(judged, "%.400s", err->message);
    else
        cm_judge_reason(judged, "%.100s:%" PRIu32 ":%" PRIu32 ": %.300s", err->file, err->line,
                        err->column, err->message);
}

/* ---- limits ---- */

/* Parses the JSON result of a run. The caller destroys the document. */
static enum cm_status parse_result(const struct cm_run *run, struct cm_json_document **document,
                                   struct cm_error *err)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    enum cm_status status = cm_result_json(cm_run_result(run), &text, err);
    if (status == CM_OK && !cm_buffer_ok(&text))
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_json_parse("result", text.data, text.length, document, err);
    cm_buffer_finish(&text);
    return status;
}

static bool find_number(struct cm_json root, const char *pointer, double *number)
{
    struct cm_json found;
    struct cm_lesson_number value;
    bool is_found =
        cm_lesson_at_pointer(root, pointer, &found) && cm_lesson_read_number(found, &value);
    *number = is_found ? value.number : 0;
    return is_found;
}

bool cm_judge_number(const struct cm_run *run, const char *pointer, double *number)
{
    struct cm_json_document *document = NULL;
    bool is_found = parse_result(run, &document, NULL) == CM_OK &&
                    find_number(cm_json_root(document), pointer, number);
    cm_json_destroy(document);
    return is_found;
}

/* Judges one limit, such as "/exchanges <= 8" or "/words_sent >= 20". Text of another form is not a
 * limit. */
static void judge_limit(struct cm_judged *judged, struct cm_json root, const char *text)
{
    struct cm_judge_limit *limit = &judged->limits[judged->limit_count];
    const char *most = strstr(text, " <= "), *least = strstr(text, " >= ");
    const char *sign = most != NULL ? most : least;
    if (sign == NULL || judged->limit_count == CM_JUDGE_LIMITS_MAX)
        return;
    judged->limit_count++;
    snprintf(limit->what, sizeof limit->what, "%.*s", (int)(sign - text), text);
    limit->at_least = most == NULL;
    limit->bound = strtod(sign + 4, NULL);
    limit->of_case = judged->present.number;
    if (!find_number(root, limit->what, &limit->is)) {
        judged->broken_count++;
        cm_judge_reason(judged, "its result has no %s", limit->what);
        return;
    }
    limit->kept = limit->at_least ? limit->is >= limit->bound : limit->is <= limit->bound;
    judged->broken_count += !limit->kept;
    if (limit->kept)
        return;
    if (limit->at_least)
        cm_judge_reason(judged, "%s: %.10g, and the work needs at least %.10g", limit->what + 1,
                        limit->is, limit->bound);
    else
        cm_judge_reason(judged, "%s: %.10g, and the task allows at most %.10g", limit->what + 1,
                        limit->is, limit->bound);
}

/* Judges the limits of a line "case", which have commas between them. */
static void judge_list(struct cm_judged *judged, struct cm_json root, const char *list)
{
    while (*list != '\0') {
        char text[CM_LESSON_VALUE_BYTES];
        size_t length = strcspn(list, ",");
        snprintf(text, sizeof text, "%.*s", (int)length, list);
        judge_limit(judged, root, text);
        list += length + strspn(list + length, ", ");
    }
}

enum cm_status cm_judge_limits(struct cm_judged *judged, const struct cm_judge_side *student,
                               struct cm_error *err)
{
    char value[CM_LESSON_VALUE_BYTES];
    struct cm_json_document *document = NULL;
    enum cm_status status = parse_result(student->run, &document, err);
    if (status != CM_OK)
        return status;
    if (judged->present.number > 0)
        judge_list(judged, cm_json_root(document), judged->present.limits);
    else
        for (uint32_t i = 0; cm_lesson_value(judged->task, "limit", i, value); i++)
            judge_limit(judged, cm_json_root(document), value);
    cm_json_destroy(document);
    return CM_OK;
}

/* ---- the judgement ---- */

static void write_text(const struct cm_judged *judged, struct cm_lesson_judgement *judgement)
{
    char shown[2048];
    struct cm_buffer *text = &judgement->text;
    cm_text_clean(shown, sizeof shown, judged->file, strlen(judged->file));
    cm_buffer_printf(text, "lesson %s, %s: %s, %.10g of %.10g points, seed %" PRIu64 "\n",
                     judged->lesson->words, shown, judgement->passed ? "passed" : "not passed",
                     judgement->points, judgement->points_of, judged->judging->seed);
    for (uint32_t i = 0; i < judged->reason_count; i++) {
        cm_text_clean(shown, sizeof shown, judged->reasons[i], strlen(judged->reasons[i]));
        cm_buffer_printf(text, "  %s\n", shown);
    }
    for (uint32_t i = 0; i < judged->limit_count && judgement->passed; i++) {
        const struct cm_judge_limit *limit = &judged->limits[i];
        if (limit->of_case == 0)
            cm_buffer_printf(text, "  %s: %.10g, at %s %.10g\n", limit->what + 1, limit->is,
                             limit->at_least ? "least" : "most", limit->bound);
    }
}

static void write_json(const struct cm_judged *judged, struct cm_lesson_judgement *judgement)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, &judgement->text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-lesson/1");
    cm_json_write_u64(&json, "lesson", judged->lesson->number);
    cm_json_write_string(&json, "file", judged->file);
    cm_json_write_u64(&json, "seed", judged->judging->seed);
    cm_json_write_bool(&json, "passed", judgement->passed);
    cm_json_write_f64(&json, "points", judgement->points);
    cm_json_write_f64(&json, "points_of", judgement->points_of);
    cm_json_write_list(&json, "reasons");
    for (uint32_t i = 0; i < judged->reason_count; i++)
        cm_json_write_string(&json, NULL, judged->reasons[i]);
    cm_json_write_end(&json);
    cm_json_write_list(&json, "limits");
    for (uint32_t i = 0; i < judged->limit_count; i++) {
        const struct cm_judge_limit *limit = &judged->limits[i];
        cm_json_write_record(&json, NULL, {"what", cm_text(limit->what)},
                             {limit->at_least ? "at_least" : "at_most", cm_f64(limit->bound)},
                             {"is", cm_f64(limit->is)}, {"kept", cm_bool(limit->kept)},
                             {"case", cm_u64(limit->of_case)});
    }
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

void cm_judge_write(const struct cm_judged *judged, struct cm_lesson_judgement *judgement)
{
    (judgement->json ? write_json : write_text)(judged, judgement);
}
