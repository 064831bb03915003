/* Writes a case as the text of a workload file. */
#include "case.h"

#include <inttypes.h>

static void emit_number(struct cm_buffer *text, struct cm_case_number number)
{
    if (number.im == 0)
        cm_buffer_printf(text, "%.17g", number.re);
    else
        cm_buffer_printf(text, "[%.17g, %.17g]", number.re, number.im);
}

static void emit_layout(const struct cm_layout_request *request, struct cm_buffer *text)
{
    cm_buffer_printf(text, "\"shape\": [");
    for (uint32_t a = 0; a < request->rank; a++)
        cm_buffer_printf(text, "%s%" PRIu64, a == 0 ? "" : ", ", request->shape[a]);
    cm_buffer_printf(text, "], \"type\": \"%s\", \"axes\": [", cm_type_name(request->type));
    for (uint32_t a = 0; a < request->rank; a++)
        cm_buffer_printf(text, "%s\"%s\"", a == 0 ? "" : ", ", cm_order_name(request->orders[a]));
    cm_buffer_printf(text, "], \"weights\": [");
    for (uint32_t a = 0; a < request->rank; a++)
        cm_buffer_printf(text, "%s%" PRIu32, a == 0 ? "" : ", ", request->weights[a]);
    cm_buffer_printf(text, "]");
}

static void emit_array(const struct cm_case *c, uint32_t a, struct cm_buffer *text)
{
    const struct cm_case_array *array = &c->arrays[a];
    cm_buffer_printf(text, "    \"%s\": {", array->name);
    if (array->like == a)
        emit_layout(&array->request, text);
    else
        cm_buffer_printf(text, "\"like\": \"%s\"", c->arrays[array->like].name);
    if (array->init == CM_CASE_INDEX)
        cm_buffer_printf(text, ", \"init\": {\"index\": true}");
    else if (array->init == CM_CASE_CONSTANT)
        cm_buffer_printf(text, ", \"init\": {\"constant\": %.17g}", array->constant);
    else if (array->init == CM_CASE_RANDOM)
        cm_buffer_printf(text, ", \"init\": {\"random\": %" PRIu64 "}", array->seed);
    cm_buffer_printf(text, "}%s\n", a + 1 < c->array_count ? "," : "");
}

static void emit_shift(const struct cm_case *c, const struct cm_case_shift *shift, bool with_type,
                       struct cm_buffer *text)
{
    cm_buffer_printf(text, "{");
    if (with_type)
        cm_buffer_printf(text, "\"type\": \"%s\", ", cm_shift_type_name(shift->type));
    cm_buffer_printf(
        text, "\"dst\": \"%s\", \"src\": \"%s\", \"dim\": %" PRIu32 ", \"distance\": %" PRId64,
        c->arrays[shift->dst].name, c->arrays[shift->src].name, shift->axis + 1, shift->distance);
    if (shift->path == CM_PATH_ROUTER)
        cm_buffer_printf(text, ", \"path\": \"router\"");
    if (shift->boundary == CM_CASE_NUMBER) {
        cm_buffer_printf(text, ", \"boundary\": ");
        emit_number(text, shift->boundary_number);
    } else if (shift->boundary == CM_CASE_SCALAR) {
        cm_buffer_printf(text, ", \"boundary\": \"s%" PRIu32 "\"", shift->boundary_index);
    } else if (shift->boundary == CM_CASE_ARRAY) {
        cm_buffer_printf(text, ", \"boundary\": \"%s\"", c->arrays[shift->boundary_index].name);
    } else if (!with_type && shift->type == CM_SHIFT_EOSHIFT_1) {
        cm_buffer_printf(text, ", \"boundary\": 1"); /* without a type the boundary says all */
    }
    cm_buffer_printf(text, "}");
}

static void emit_pshift(const struct cm_case *c, const struct cm_case_step *step,
                        struct cm_buffer *text)
{
    static const char *const setups[] = {
        [CM_SETUP_AUTO] = "auto", [CM_SETUP_UNROLLED] = "unrolled", [CM_SETUP_LOOPED] = "looped"};
    cm_buffer_printf(text, "{\"pshift\": [");
    for (uint32_t i = 0; i < step->shift_count; i++) {
        cm_buffer_printf(text, "%s\n        ", i == 0 ? "" : ",");
        emit_shift(c, &step->shifts[i], true, text);
    }
    cm_buffer_printf(text, "], \"setup\": \"%s\"}", setups[step->setup]);
}

static void emit_combine(const struct cm_case *c, const struct cm_case_step *step,
                         struct cm_buffer *text)
{
    cm_buffer_printf(text, "{\"combine\": {\"dst\": \"%s\", \"terms\": [",
                     c->arrays[step->dst].name);
    for (uint32_t i = 0; i < step->term_count; i++) {
        const struct cm_case_term *term = &step->terms[i];
        cm_buffer_printf(text, "%s[", i == 0 ? "" : ", ");
        if (term->coefficient == CM_CASE_ARRAY)
            cm_buffer_printf(text, "\"%s\"", c->arrays[term->index].name);
        else if (term->coefficient == CM_CASE_SCALAR)
            cm_buffer_printf(text, "\"s%" PRIu32 "\"", term->index);
        else
            emit_number(text, term->number);
        cm_buffer_printf(text, ", \"%s\"]", c->arrays[term->array].name);
    }
    cm_buffer_printf(text, "]}}");
}

static void emit_step(const struct cm_case *c, const struct cm_case_step *step,
                      struct cm_buffer *text)
{
    const struct cm_case_shift *shift = &step->shifts[0];
    if (step->op == CM_CASE_PSHIFT) {
        emit_pshift(c, step, text);
    } else if (step->op == CM_CASE_COMBINE) {
        emit_combine(c, step, text);
    } else if (step->op == CM_CASE_COPY) {
        cm_buffer_printf(text, "{\"copy\": {\"dst\": \"%s\", \"src\": \"%s\"}}",
                         c->arrays[shift->dst].name, c->arrays[shift->src].name);
    } else {
        cm_buffer_printf(text, "{\"%s\": ", step->op == CM_CASE_EOSHIFT ? "eoshift" : "cshift");
        emit_shift(c, shift, false, text);
        cm_buffer_printf(text, "}");
    }
}

static void emit_steps(const struct cm_case *c, uint32_t first, uint32_t count,
                       struct cm_buffer *text)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct cm_case_step *step = &c->steps[i];
        cm_buffer_printf(text, "%s\n    ", i == first ? "" : ",");
        if (step->op == CM_CASE_REPEAT) {
            cm_buffer_printf(text, "{\"repeat\": {\"times\": %" PRIu32 ", \"steps\": [",
                             step->times);
            emit_steps(c, i + 1, step->body, text);
            cm_buffer_printf(text, "]}}");
            i += step->body;
        } else {
            emit_step(c, step, text);
        }
    }
}

void cm_case_emit(const struct cm_case *c, const char *machine, struct cm_buffer *text)
{
    cm_buffer_printf(text, "{\n  \"format\": \"cm200-workload/1\",\n");
    cm_buffer_printf(text, "  \"name\": \"property case %" PRIu64 " of seed %" PRIu64 "\",\n",
                     c->number, c->seed);
    cm_buffer_printf(text, "  \"machine\": \"%s\",\n  \"nodes\": %" PRIu32 ",\n  \"arrays\": {\n",
                     machine, c->nodes);
    for (uint32_t a = 0; a < c->array_count; a++)
        emit_array(c, a, text);
    cm_buffer_printf(text, "  },\n  \"scalars\": {");
    for (uint32_t s = 0; s < c->scalar_count; s++) {
        cm_buffer_printf(text, "%s\"s%" PRIu32 "\": ", s == 0 ? "" : ", ", s);
        emit_number(text, c->scalars[s]);
    }
    cm_buffer_printf(text, "},\n  \"steps\": [");
    emit_steps(c, 0, c->step_count, text);
    cm_buffer_printf(text, "],\n  \"check\": true\n}\n");
}
