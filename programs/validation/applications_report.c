/* Report of the published and simulated rates of whole kernels, as text and as JSON. */
#include "applications.h"

#include "../../report/report.h"
#include "../../report/style.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define GIVEN     CM_APPLICATION_GIVEN
#define FIRST_FIT CM_APPLICATION_FIRST_FIT

static double ratio(const struct cm_application_point *point, uint32_t machine)
{
    return point->simulated[machine] / point->published;
}

static void range(const struct cm_application_form *form, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (uint32_t i = 0; i < form->point_count; i++) {
        *least = fmin(*least, form->points[i].simulated[GIVEN]);
        *most = fmax(*most, form->points[i].simulated[GIVEN]);
    }
}

static void report_points(struct cm_report *report, const struct cm_application_form *form)
{
    static const struct cm_column columns[] = {
        {"size", .heading = "", .width = 24},
        {"published", .kind = CM_COLUMN_FIXED, .digits = 2, .width = 10},
        {"simulated", .kind = CM_COLUMN_FIXED, .digits = 2, .width = 10},
        {"ratio", .kind = CM_COLUMN_FIXED, .digits = 2, .width = 6},
        {"first_fit", "first fit", CM_COLUMN_FIXED, .digits = 2, .width = 10},
        {"first_fit_ratio", "ratio", CM_COLUMN_FIXED, .digits = 2, .width = 6},
    };
    struct cm_table table;
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 4;
    for (uint32_t i = 0; i < form->point_count; i++) {
        const struct cm_application_point *point = &form->points[i];
        cm_table_row(&table, cm_text(point->size), cm_f64(point->published),
                     cm_f64(point->simulated[GIVEN]), cm_f64(ratio(point, GIVEN)),
                     cm_f64(point->simulated[FIRST_FIT]), cm_f64(ratio(point, FIRST_FIT)));
    }
    cm_report_table(report, "points", &table);
    cm_table_finish(&table);
}

static void report_form(struct cm_report *report, const struct cm_application_form *form)
{
    const struct cm_application_point *chosen = &form->points[form->chosen];
    cm_report_object(report, NULL);
    cm_report_string(report, "form", form->name);
    cm_report_bool(report, "bound", form->bound);
    cm_report_bool(report, "judged", form->judged);
    cm_report_string(report, "remark", form->remark);
    cm_report_record(report, "chosen", {"size", cm_text(chosen->size)},
                     {"for", cm_text(form->chosen_for)}, {"published", cm_f64(chosen->published)},
                     {"simulated", cm_f64(chosen->simulated[GIVEN])},
                     {"ratio", cm_f64(ratio(chosen, GIVEN))},
                     {"first_fit", cm_f64(chosen->simulated[FIRST_FIT])},
                     {"first_fit_ratio", cm_f64(ratio(chosen, FIRST_FIT))});
    cm_report_line(report, "\n  %s, %s, %s", form->fact->id, form->name, form->fact->unit);
    report_points(report, form);
    cm_report_end(report);
}

static void report_fact(struct cm_report *report, const struct cm_applications *applications,
                        const struct cm_published_fact *fact)
{
    cm_report_object(report, NULL);
    cm_report_string(report, "id", fact->id);
    cm_report_string(report, "machine", fact->machine);
    cm_report(report, "nodes", fact->nodes != 0 ? cm_u64(fact->nodes) : cm_text(NULL));
    cm_report_string(report, "kernel", fact->kernel);
    cm_report_string(report, "type", fact->type);
    cm_report_string(report, "quantity", fact->quantity);
    cm_report_string(report, "published", fact->value);
    cm_report_string(report, "unit", fact->unit);
    cm_report_string(report, "source", fact->source);
    cm_report_string(report, "remark", fact->remark);
    cm_report_string(report, "not_simulated", cm_application_missing(fact));
    cm_report_list(report, "simulated");
    for (uint32_t i = 0; i < applications->form_count; i++)
        if (applications->forms[i].fact == fact)
            report_form(report, &applications->forms[i]);
    cm_report_end(report);
    cm_report_end(report);
}

static void add_form(struct cm_table *table, const struct cm_application_form *form)
{
    const struct cm_application_point *chosen = &form->points[form->chosen];
    char sizes[64];
    double least, most;
    range(form, &least, &most);
    snprintf(sizes, sizeof sizes, "%.2f to %.2f", least, most);
    cm_table_row(table, cm_text(form->fact->id), cm_text(form->name), cm_f64(chosen->published),
                 cm_text(form->fact->unit), cm_f64(chosen->simulated[GIVEN]),
                 cm_f64(ratio(chosen, GIVEN)), cm_f64(chosen->simulated[FIRST_FIT]),
                 cm_f64(ratio(chosen, FIRST_FIT)), cm_bool(form->bound), cm_text(chosen->size),
                 cm_text(sizes));
}

static void print_summary(struct cm_report *report, const struct cm_applications *applications)
{
    static const struct cm_column columns[] = {
        {"fact", .kind = CM_COLUMN_TEXT},
        {"form", .kind = CM_COLUMN_TEXT},
        {"published", .kind = CM_COLUMN_FIXED, .digits = 1},
        {"unit", .heading = "", .before = " "},
        {"simulated", .kind = CM_COLUMN_FIXED, .digits = 2},
        {"ratio", .kind = CM_COLUMN_FIXED, .digits = 2},
        {"first fit", .kind = CM_COLUMN_FIXED, .digits = 2},
        {"ratio", .kind = CM_COLUMN_FIXED, .digits = 2},
        {"upper bound", .before = "  "},
        {"at", .before = "  "},
        {"over all sizes", .before = "  "},
    };
    const struct cm_published_fact *fact;
    struct cm_table table;
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.heading = CM_CODE_BOLD;
    for (uint32_t f = 0; (fact = cm_published_fact_at(f)) != NULL; f++)
        for (uint32_t i = 0; i < applications->form_count; i++)
            if (applications->forms[i].fact == fact)
                add_form(&table, &applications->forms[i]);
    cm_table_text(&table, report->style, report->text);
    cm_table_finish(&table);
}

/* Prints the forms by which the facts are judged. */
static void print_judged(struct cm_report *report, const struct cm_applications *applications)
{
    static const struct cm_column columns[] = {
        {.name = "fact"},
        {.name = "form"},
        {"ratio", .kind = CM_COLUMN_FIXED, .digits = 2},
        {"verdict", .before = "  "},
    };
    struct cm_table table;
    uint32_t hits = 0, count = 0;
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < applications->form_count; i++) {
        const struct cm_application_form *form = &applications->forms[i];
        double found = ratio(&form->points[form->chosen], GIVEN);
        bool hit = fabs(found - 1) <= CM_APPLICATION_HIT;
        if (!form->judged)
            continue;
        count++;
        hits += hit;
        cm_table_row(&table, cm_text(form->fact->id), cm_text(form->name), cm_f64(found),
                     cm_text(hit ? "hit" : "missed"));
    }
    cm_report_line(report, "\nJudged by one form each: %" PRIu32 " of %" PRIu32 " within %.0f %%",
                   hits, count, CM_APPLICATION_HIT * 100);
    cm_table_text(&table, report->style, report->text);
    cm_table_finish(&table);
}

/* Prints remarks: what the sources leave open, what a form omits, and which facts are not
 * simulated. */
static void print_remarks(struct cm_report *report, const struct cm_applications *applications)
{
    const struct cm_published_fact *fact;
    cm_report_line(report, "\nReservations");
    for (uint32_t f = 0; (fact = cm_published_fact_at(f)) != NULL; f++) {
        const char *reason = cm_application_missing(fact);
        if (fact->remark[0] != '\0')
            cm_report_line(report, "  %-22s %s: %s", fact->id, fact->source, fact->remark);
        if (fact->nodes == 0)
            cm_report_line(report, "  %-22s the number of nodes is not known", fact->id);
        for (uint32_t i = 0; i < applications->form_count; i++)
            if (applications->forms[i].fact == fact && applications->forms[i].remark != NULL)
                cm_report_line(report, "  %-22s %s", fact->id, applications->forms[i].remark);
        if (reason != NULL)
            cm_report_line(report, "  %-22s not simulated (published: %s %s): %s", fact->id,
                           fact->value, fact->unit, reason);
    }
    cm_report_line(report,
                   "  FFT rates count nominal operations, 5 N log2 N, on both sides. Facts of "
                   "the CM-2 are simulated at its clock.");
    cm_report_line(report, "  Sources: programs/validation/applications.csv.");
}

static void report_all(struct cm_report *report, const struct cm_applications *applications)
{
    const struct cm_published_fact *fact;
    cm_report_object(report, NULL);
    cm_report_string(report, "format", "cm200-applications/1");
    cm_report_string(report, "machine", applications->machines[GIVEN].name);
    cm_report_string(report, "first_fit", applications->machines[FIRST_FIT].name);
    cm_report_line(report,
                   "%s against published rates of whole kernels, to which nothing was fitted\n"
                   "%u nodes; timing only; \"first fit\" is configs/cm200-first-fit.json\n",
                   applications->machines[GIVEN].name, CM_VALIDATE_NODES);
    if (report->text != NULL) {
        print_summary(report, applications);
        print_judged(report, applications);
        print_remarks(report, applications);
    }
    cm_report_line(report, "\nBy size");
    cm_report_list(report, "facts");
    for (uint32_t f = 0; (fact = cm_published_fact_at(f)) != NULL; f++)
        report_fact(report, applications, fact);
    cm_report_end(report);
    cm_report_record(report, "host", {"wall_seconds", cm_f64(applications->wall_seconds)});
    cm_report_end(report);
}

void cm_applications_text(const struct cm_applications *applications, unsigned style,
                          struct cm_buffer *text)
{
    report_all(&(struct cm_report){.text = text, .style = style}, applications);
}

enum cm_status cm_applications_json(const struct cm_applications *applications,
                                    struct cm_buffer *text, struct cm_error *err)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    report_all(&(struct cm_report){.json = &json}, applications);
    return cm_buffer_ok(text) ? CM_OK : cm_error_no_memory(err);
}
