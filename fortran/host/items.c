/* Walks through the items of READ and WRITE: evaluates the expressions of the list, and passes each
 * value to a function. The same walk serves both directions. */
#include "io.h"

#include <stdlib.h>

static enum cm_status each_of_loop(struct cm_fortran_transfer *t,
                                   const struct cm_fortran_expression *loop, cm_fortran_visit visit)
{
    struct cm_fortran_run *run = t->run;
    int64_t first, last, step = 1;
    enum cm_status status = cm_fortran_integer(run, loop->args[0], &first);
    if (status == CM_OK)
        status = cm_fortran_integer(run, loop->args[1], &last);
    if (status == CM_OK && loop->args[2] != NULL)
        status = cm_fortran_integer(run, loop->args[2], &step);
    if (status == CM_OK && step == 0)
        status = cm_fortran_fail(run, loop->place, "the step of the implied DO is 0");
    union cm_fortran_value *variable = NULL;
    if (status == CM_OK)
        status = cm_fortran_scalar_of(run, loop->variable, loop->place, &variable);
    if (status != CM_OK)
        return status;
    variable->integer = (int32_t)first;
    for (int64_t i = first; status == CM_OK && (step > 0 ? i <= last : i >= last); i += step) {
        variable->integer = (int32_t)i;
        status = cm_fortran_go_on(run);
        for (uint32_t k = 3; k < loop->count && status == CM_OK; k++)
            status = cm_fortran_each_item(t, loop->args[k], visit);
        if (status == CM_OK)
            variable->integer = (int32_t)(i + step);
    }
    return status;
}

/* Passes the elements of a CHARACTER array or section. Their characters are those of the
 * variable. */
static enum cm_status each_text(struct cm_fortran_transfer *t,
                                const struct cm_fortran_expression *expression,
                                cm_fortran_visit visit)
{
    const struct cm_fortran_binding *binding = cm_fortran_binding_of(t->run, expression->variable);
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(t->run, expression, &section);
    for (uint64_t i = 0; status == CM_OK && i < section.elements; i++) {
        union cm_fortran_value value = {.text = binding->scalar->text};
        cm_fortran_text_element(expression->variable, binding->array,
                                cm_fortran_section_index(&section, i), &value.text);
        status = visit(t, CM_FORTRAN_CHARACTER, &value);
    }
    cm_fortran_section_finish(&section);
    return status;
}

/* Reads values into an array or a section. The values that were read before a failure are stored,
 * too. */
static enum cm_status read_elements(struct cm_fortran_transfer *t,
                                    const struct cm_fortran_expression *expression,
                                    cm_fortran_visit visit)
{
    struct cm_fortran_run *run = t->run;
    struct cm_fortran_array *copy = NULL;
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(run, expression, &section);
    bool uncharged = run->uncharged;
    if (status == CM_OK)
        status = cm_fortran_array_host(run, (enum cm_type)expression->type, section.rank,
                                       section.extent, &copy);
    if (status == CM_OK) {
        run->uncharged = true;
        status = cm_fortran_section_get(run, &section, copy->host);
        run->uncharged = uncharged;
    }
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, copy);
        cm_fortran_section_finish(&section);
        return status;
    }
    for (uint64_t i = 0; status == CM_OK && i < section.elements; i++) {
        union cm_fortran_value value;
        cm_fortran_load(copy->type, copy->host, i, &value);
        status = visit(t, expression->type, &value);
        if (status == CM_OK)
            cm_fortran_store(copy->type, copy->host, i, &value);
    }
    enum cm_status stored = cm_fortran_section_put(run, &section, copy, NULL);
    cm_fortran_array_destroy(run, copy);
    cm_fortran_section_finish(&section);
    return stored != CM_OK ? stored : status;
}

static enum cm_status write_elements(struct cm_fortran_transfer *t,
                                     const struct cm_fortran_expression *expression,
                                     cm_fortran_visit visit)
{
    struct cm_fortran_array *array;
    enum cm_status status = cm_fortran_host_value(t->run, expression, &array);
    for (uint64_t e = 0; status == CM_OK && e < array->elements; e++) {
        union cm_fortran_value value;
        cm_fortran_load(array->type, array->host, e, &value);
        status = visit(t, (uint8_t)array->type, &value);
        if (status == CM_OK)
            status = cm_fortran_go_on(t->run);
    }
    cm_fortran_array_destroy(t->run, array);
    return status;
}

static enum cm_status one_text(struct cm_fortran_transfer *t,
                               const struct cm_fortran_expression *expression,
                               cm_fortran_visit visit)
{
    union cm_fortran_value value = {0};
    if (t->reads) {
        enum cm_status status = cm_fortran_text_place(t->run, expression, &value.text);
        return status == CM_OK ? visit(t, CM_FORTRAN_CHARACTER, &value) : status;
    }
    enum cm_status status = cm_fortran_text_copy(t->run, expression, &value.text);
    if (status == CM_OK)
        status = visit(t, CM_FORTRAN_CHARACTER, &value);
    free(value.text.bytes);
    return status;
}

static enum cm_status one_value(struct cm_fortran_transfer *t,
                                const struct cm_fortran_expression *expression,
                                cm_fortran_visit visit)
{
    struct cm_fortran_run *run = t->run;
    union cm_fortran_value value;
    bool uncharged = run->uncharged;
    run->uncharged = uncharged || t->reads;
    enum cm_status status = cm_fortran_scalar(run, expression, &value);
    run->uncharged = uncharged;
    if (status == CM_OK)
        status = visit(t, expression->type, &value);
    return status == CM_OK && t->reads ? cm_fortran_assign_scalar(run, expression, &value) : status;
}

enum cm_status cm_fortran_each_item(struct cm_fortran_transfer *t,
                                    const struct cm_fortran_expression *expression,
                                    cm_fortran_visit visit)
{
    if (expression->kind == CM_FORTRAN_IMPLIED_DO)
        return each_of_loop(t, expression, visit);
    if (expression->rank > 0 && expression->type == CM_FORTRAN_CHARACTER)
        return each_text(t, expression, visit);
    if (expression->rank > 0)
        return t->reads ? read_elements(t, expression, visit)
                        : write_elements(t, expression, visit);
    if (expression->type == CM_FORTRAN_CHARACTER)
        return one_text(t, expression, visit);
    return one_value(t, expression, visit);
}
