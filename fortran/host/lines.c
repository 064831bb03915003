/* Makes the records of source lines: which lines have statements, their notes for --explain, and
 * which statements are targets of jumps. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find_line(struct cm_fortran_run *run, struct cm_source_place place)
{
    for (uint32_t i = run->line_count; i-- > 0;)
        if (run->lines[i].file == place.file && run->lines[i].line == place.line)
            return i;
    if (!cm_array_room(run->lines, run->line_count, run->line_capacity))
        return UINT32_MAX;
    run->lines[run->line_count] = (struct cm_fortran_line){.file = place.file, .line = place.line};
    return run->line_count++;
}

static void mark_targets(const struct cm_fortran_unit *unit, uint8_t *targets)
{
    for (uint32_t i = 0; i < unit->statement_count; i++) {
        const struct cm_fortran_statement *statement = &unit->statements[i];
        bool jumps = statement->kind == CM_FORTRAN_JUMP || statement->kind == CM_FORTRAN_UNLESS ||
                     statement->kind == CM_FORTRAN_DO || statement->kind == CM_FORTRAN_DO_NEXT;
        if (jumps && statement->to < unit->statement_count)
            targets[statement->to] = 1;
        for (uint32_t k = 0; k < statement->target_count; k++)
            if (statement->targets[k] < unit->statement_count)
                targets[statement->targets[k]] = 1;
    }
}

static enum cm_status number_unit(struct cm_fortran_run *run, uint32_t u)
{
    const struct cm_fortran_unit *unit = run->program->units[u];
    run->unit_lines[u] = calloc((size_t)unit->statement_count + 1, sizeof(uint32_t));
    run->unit_targets[u] = calloc((size_t)unit->statement_count + 1, sizeof(uint8_t));
    if (run->unit_lines[u] == NULL || run->unit_targets[u] == NULL)
        return cm_fortran_no_memory(run);
    mark_targets(unit, run->unit_targets[u]);
    for (uint32_t i = 0; i < unit->statement_count; i++) {
        run->unit_lines[u][i] = find_line(run, unit->statements[i].place);
        if (run->unit_lines[u][i] == UINT32_MAX)
            return cm_fortran_no_memory(run);
    }
    return CM_OK;
}

enum cm_status cm_fortran_line_records_make(struct cm_fortran_run *run)
{
    const struct cm_fortran_program *program = run->program;
    run->unit_lines = calloc((size_t)program->unit_count + 1, sizeof(*run->unit_lines));
    run->unit_targets = calloc((size_t)program->unit_count + 1, sizeof(*run->unit_targets));
    if (run->unit_lines == NULL || run->unit_targets == NULL)
        return cm_fortran_no_memory(run);
    enum cm_status status = CM_OK;
    for (uint32_t u = 0; u < program->unit_count && status == CM_OK; u++)
        status = number_unit(run, u);
    return status;
}

void cm_fortran_line_records_finish(struct cm_fortran_run *run)
{
    for (uint32_t u = 0; u < run->program->unit_count; u++) {
        if (run->unit_lines != NULL)
            free(run->unit_lines[u]);
        if (run->unit_targets != NULL)
            free(run->unit_targets[u]);
    }
    free(run->unit_lines);
    free(run->unit_targets);
    free(run->lines);
}

static uint32_t unit_number(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit)
{
    uint32_t u = 0;
    while (run->program->units[u] != unit)
        u++;
    return u;
}

const uint8_t *cm_fortran_jump_targets(const struct cm_fortran_run *run,
                                       const struct cm_fortran_unit *unit)
{
    return run->unit_targets[unit_number(run, unit)];
}

void cm_fortran_note(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                     const char *text)
{
    struct cm_fortran_line *line = &run->lines[find_line(run, statement->place)];
    snprintf(line->note, sizeof(line->note), "%s", text);
}

void cm_fortran_note_shared_imp(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement,
                                const struct cm_fortran_statement *first)
{
    struct cm_fortran_line *line = &run->lines[find_line(run, statement->place)];
    if (first->place.line == statement->place.line || first->place.file != statement->place.file)
        return;
    line->imp_line = first->place.line;
    snprintf(line->note, sizeof(line->note), "in one group with line %u, which has its cycles",
             first->place.line);
}

void cm_fortran_note_shifts(struct cm_fortran_run *run,
                            const struct cm_fortran_statement *statement, uint32_t count)
{
    char text[CM_FORTRAN_NOTE_BYTES];
    const struct cm_fortran_line *line = &run->lines[find_line(run, statement->place)];
    if (count == 1)
        snprintf(text, sizeof(text), "1 shift, made by itself");
    else
        snprintf(text, sizeof(text), "%u shifts, one after the other", count);
    if (strncmp(line->note, text, strlen(text)) == 0)
        return;
    if (line->note[0] != '\0') {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof(text) - length, "; %.180s", line->note);
    }
    cm_fortran_note(run, statement, text);
}

uint32_t *cm_fortran_lines_of(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit)
{
    return run->unit_lines[unit_number(run, unit)];
}
