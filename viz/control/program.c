/* Keys for stepping through the program of --debug. Each key requests commands of the debugger. */
#include "../model/program.h"

#include "control.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A web page cannot step through a program. */
#ifndef __EMSCRIPTEN__

static bool has_program(struct cm_view_control *control)
{
    if (control->model->program == NULL)
        cm_view_control_say(control, "no program is stepped through; --debug opens one");
    return control->model->program != NULL;
}

void cm_view_control_ask(struct cm_view_control *control, const char *commands)
{
    if (has_program(control))
        snprintf(control->commands, sizeof control->commands, "%s", commands);
}

void cm_view_program_here(struct cm_view_control *control)
{
    const struct cm_view_program *program = control->model->program;
    uint64_t cycle = control->state.cycle;
    char text[64];
    if (!has_program(control))
        return;
    snprintf(text, sizeof text, "%suntil cycle %" PRIu64,
             cycle < program->cycle ? "back start;" : "", cycle);
    if (cycle == 0)
        snprintf(text, sizeof text, "back start");
    cm_view_control_ask(control, text);
}

void cm_view_program_break_row(struct cm_view_control *control, uint32_t i)
{
    const struct cm_view_program_row *row = &control->model->program->rows[i];
    char text[80];
    if (row->broken > 0)
        snprintf(text, sizeof text, "delete %" PRIu32, row->broken);
    else
        snprintf(text, sizeof text, "break %s", row->place);
    cm_view_control_ask(control, text);
}

void cm_view_program_break(struct cm_view_control *control)
{
    const struct cm_view_program *program = control->model->program;
    uint32_t i = 0;
    if (!has_program(control))
        return;
    while (i < program->count && !program->rows[i].next)
        i++;
    if (control->state.program_row > 0)
        i = control->state.program_row - 1;
    if (i < program->count && program->rows[i].place[0] != '\0')
        cm_view_program_break_row(control, i);
    else
        cm_view_control_say(control, "no line is shown here; Shift+S steps into one");
}

void cm_view_program_type(struct cm_view_control *control)
{
    control->commanding = has_program(control);
    control->line[0] = '\0';
}

void cm_view_control_text(struct cm_view_control *control, const char *text)
{
    size_t length = strlen(control->line), more = strlen(text);
    if (control->commanding && length + more < sizeof control->line)
        memcpy(control->line + length, text, more + 1);
}

bool cm_view_program_key(struct cm_view_control *control, const char *key)
{
    size_t length = strlen(control->line);
    if (strcasecmp(key, "Backspace") == 0) {
        while (length > 0 && (control->line[length - 1] & 0xc0) == 0x80)
            length--;
        control->line[length > 0 ? length - 1 : 0] = '\0';
        return true;
    }
    bool enter = strcasecmp(key, "Return") == 0;
    if (!enter && strcasecmp(key, "Escape") != 0)
        return false;
    control->commanding = false;
    if (enter)
        cm_view_control_ask(control, control->line);
    return true;
}

#endif
