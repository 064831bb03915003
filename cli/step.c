/* Makes workloads of one step from options, and runs them. */
#include "step.h"

#include "../base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096u /* size that realpath requires for a path, in bytes */

uint32_t cli_read_shape(const char *text, uint64_t lengths[CLI_NUMBERS_MAX])
{
    uint64_t numbers[CLI_NUMBERS_MAX];
    uint32_t rank = shell_read_numbers(text, 'x', numbers, CLI_NUMBERS_MAX);
    for (uint32_t a = 0; a < rank; a++)
        lengths[a] = numbers[rank - 1 - a];
    return rank;
}

/* Returns true if a text has a whole number that is too large or has leading zeros. */
static bool has_bad_number(const char *text)
{
    uint64_t number;
    if (strchr(text, '.') != NULL) /* real numbers */
        return false;
    for (text += strcspn(text, "0123456789"); *text != '\0'; text += strcspn(text, "0123456789")) {
        if (cm_text_number(text, &number) == NULL)
            return true;
        text += strspn(text, "0123456789");
    }
    return false;
}

int cli_step_expected(const struct cli_step *step, const struct shell_option *option,
                      const char *text, const char *what, const char *hint)
{
    struct cm_error err;
    cm_error_set(&err, CM_USAGE, "--%s is \"%.100s\", expected %s", option->name, text, what);
    if (has_bad_number(text))
        hint = "a number has no leading zeros, and is less than 2^64";
    if (hint != NULL)
        cm_error_hint(&err, "%s", hint);
    return shell_refuse(step->command->syntax.command, &err);
}

/* Returns the text of an option whose value is at `offset` in the struct of values. NULL: the
 * option is not given. */
static const char *find_given(const struct cli_step *step, const struct shell_option *option,
                              size_t offset)
{
    const void *value = (const char *)step->values + offset;
    if (option->kind == SHELL_FLAG)
        return *(const bool *)value ? "true" : NULL;
    return *(const char *const *)value;
}

static const struct cm_key *find_key(const struct cm_key *keys, uint32_t count, const char *name)
{
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(keys[k].name, name) == 0)
            return &keys[k];
    return NULL;
}

const struct cm_key *cli_step_key(const struct cli_command *command,
                                  const struct shell_option *option)
{
    const struct cli_member *member = option->member;
    const struct cm_key *key = NULL;
    if (member->place == CLI_IN_ARRAY)
        return find_key(cm_workload_array_keys, cm_workload_array_key_count, member->key);
    if (member->place == CLI_IN_MESH)
        return find_key(cm_workload_mesh_keys, cm_workload_mesh_key_count, member->key);
    for (uint32_t i = 0; key == NULL && i < 2 && command->kinds[i] != NULL; i++)
        key = find_key(command->kinds[i]->keys, command->kinds[i]->key_count, member->key);
    return key;
}

static int write_number(struct cli_step *step, const struct shell_option *option, const char *text,
                        bool whole)
{
    struct cm_json_writer *json = &step->json;
    const char *key = option->member->key;
    bool negative = text[0] == '-';
    uint64_t number = 0;
    char *real_end;
    double real = strtod(text, &real_end);
    const char *end = whole ? cm_text_number(text + negative, &number) : real_end;
    if ((!whole && strspn(text, "+-.0123456789eE") != strlen(text)) || end == NULL ||
        *end != '\0' || !isfinite(real) || (negative && number > INT64_MAX))
        return cli_step_expected(step, option, text, whole ? "a whole number" : "a number", NULL);
    if (!whole)
        cm_json_write_f64(json, key, real);
    else if (negative)
        cm_json_write_i64(json, key, -(int64_t)number);
    else
        cm_json_write_u64(json, key, number);
    return 0;
}

static int write_list(struct cli_step *step, const struct shell_option *option, const char *text)
{
    static const struct {
        const char *what, *hint;
    } wanted[] = {
        [CLI_NUMBERS] = {"numbers with commas between them", "as in 10,6,4,2"},
        [CLI_NAME_OR_NUMBERS] = {"numbers with commas between them", "as in 10,6,4,2"},
        [CLI_ROWS] = {"rows and columns", "as in 4x8"},
        [CLI_SHAPE] = {"lengths with x between them",
                       "as in 32x4x16x8, the most significant axis first"},
    };
    uint64_t numbers[CLI_NUMBERS_MAX];
    enum cli_form form = option->member->form;
    uint32_t count = form == CLI_SHAPE ? cli_read_shape(text, numbers)
                                       : shell_read_numbers(text, form == CLI_ROWS ? 'x' : ',',
                                                            numbers, CLI_NUMBERS_MAX);
    if (count == 0)
        return cli_step_expected(step, option, text, wanted[form].what, wanted[form].hint);
    cm_json_write_numbers(&step->json, option->member->key, numbers, count);
    return 0;
}

static int write_value(struct cli_step *step, const struct shell_option *option, const char *text)
{
    const struct cli_member *member = option->member;
    bool digit = text[0] >= '0' && text[0] <= '9';
    if (member->write != NULL)
        return member->write(step, option, text);
    if (member->form != CLI_BY_KEY && (digit || member->form != CLI_NAME_OR_NUMBERS))
        return write_list(step, option, text);
    enum cm_key_type type = cli_step_key(step->command, option)->type;
    if (type == CM_KEY_INTEGER || type == CM_KEY_NUMBER)
        return write_number(step, option, text, type == CM_KEY_INTEGER);
    if (type == CM_KEY_FLAG)
        cm_json_write_bool(&step->json, member->key, strcmp(text, "true") == 0);
    else
        cm_json_write_string(&step->json, member->key, text);
    return 0;
}

/* Records that an option made the workload's text from byte `first` on. */
static void note_part(struct cli_step *step, const struct shell_option *option, const char *given,
                      size_t first)
{
    if (step->part_count < sizeof step->parts / sizeof *step->parts)
        step->parts[step->part_count++] =
            (struct cli_part){option, given, first, step->workload.length};
}

static int write_members(struct cli_step *step, enum cli_place place)
{
    const struct shell_option *option;
    size_t offset;
    int code = 0;
    for (uint32_t i = 0;
         code == 0 && (option = shell_option_at(&step->command->syntax, i, &offset)) != NULL; i++) {
        size_t first = step->workload.length;
        if (option->member == NULL || option->member->place != place)
            continue;
        const char *given = find_given(step, option, offset);
        const char *text = given != NULL ? given : option->member->fallback;
        if (text != NULL)
            code = write_value(step, option, text);
        note_part(step, option, given, first);
    }
    return code;
}

/* Finds the options for the shapes of the array and of its mesh. Refuses other options about an
 * array or a mesh whose shape is not given, because they would have no effect. */
static int find_shapes(struct cli_step *step)
{
    const struct shell_option *option;
    const char *command = step->command->syntax.command;
    size_t offset;
    for (uint32_t i = 0; (option = shell_option_at(&step->command->syntax, i, &offset)) != NULL;
         i++) {
        enum cli_place place = option->member != NULL ? option->member->place : CLI_IN_ROOT;
        struct cli_part *shape = &step->shapes[place];
        if (place != CLI_IN_ARRAY && place != CLI_IN_MESH)
            continue;
        const char *given = find_given(step, option, offset);
        if (shape->option == NULL)
            *shape = (struct cli_part){.option = option, .given = given};
        else if (given != NULL && shape->given == NULL)
            return shell_usage(command, "--%s needs --%s", option->name, shape->option->name);
    }
    return 0;
}

static int write_array(struct cli_step *step)
{
    struct cm_json_writer *json = &step->json;
    cm_json_write_object(json, "a");
    int code = write_members(step, CLI_IN_ARRAY);
    if (code == 0 && step->shapes[CLI_IN_MESH].given != NULL) {
        cm_json_write_object(json, "mesh");
        code = write_members(step, CLI_IN_MESH);
        cm_json_write_end(json);
    }
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "init");
    cm_json_write_u64(json, "random", 1);
    cm_json_write_end(json);
    cm_json_write_end(json);
    if (step->moves) {
        cm_json_write_object(json, "b");
        cm_json_write_string(json, "like", "a");
        cm_json_write_end(json);
    }
    cm_json_write_compact(json, false);
    return code;
}

static void write_nodes(struct cli_step *step, uint64_t nodes)
{
    size_t offset, first = step->workload.length;
    if (nodes != 0)
        cm_json_write_u64(&step->json, "nodes", nodes);
    note_part(step, shell_option_named(&step->command->syntax, "nodes", &offset), NULL, first);
}

static int write_steps(struct cli_step *step)
{
    struct cm_json_writer *json = &step->json;
    const struct cli_part *array = &step->shapes[CLI_IN_ARRAY];
    cm_json_write_list(json, "steps");
    cm_json_write_object(json, NULL);
    cm_json_write_object(json, step->kind->name);
    size_t first = step->workload.length;
    if (array->given != NULL)
        cm_json_write_string(json, "array", "a");
    note_part(step, array->option, array->given, first);
    if (array->given != NULL && step->moves)
        cm_json_write_string(json, "dst", "b");
    write_nodes(step, step->step_nodes);
    int code = write_members(step, CLI_IN_STEP);
    cm_json_write_end(json);
    cm_json_write_end(json);
    cm_json_write_end(json);
    return code;
}

/* Writes the workload. A workload that runs names no machine, because the run gets the file of the
 * machine from its options. The hash of the workload therefore does not depend on the path of the
 * machine's file. */
static int write_workload(struct cli_step *step, const char *machine)
{
    struct cm_json_writer *json = &step->json;
    int code = find_shapes(step);
    cm_json_writer_begin(json, &step->workload);
    cm_json_write_object(json, NULL);
    cm_json_write_string(json, "format", "cm200-workload/1");
    cm_json_write_string(json, "name", step->name);
    if (machine != NULL)
        cm_json_write_string(json, "machine", machine);
    write_nodes(step, step->nodes);
    cm_json_write_object(json, "arrays");
    if (code == 0 && step->shapes[CLI_IN_ARRAY].given != NULL)
        code = write_array(step);
    cm_json_write_end(json);
    if (code == 0)
        code = write_steps(step);
    cm_json_write_bool(json, "check", true);
    cm_json_write_end(json);
    return code;
}

static int run_workload(struct cli_step *step, const struct cm_workload *workload,
                        const char *machine)
{
    struct cli_run_values run = step->values->run;
    run.timing_only = run.timing_only || step->plan_only;
    step->job.workload = workload;
    step->job.common = &step->values->common;
    step->job.machine.machine = machine;
    step->job.machine.sets = step->values->machine.sets; /* --nodes is in the workload already */
    step->job.run = &run;
    step->job.trusted = true; /* the user has typed all file names */
    step->job.error = cli_step_error;
    step->job.error_context = step;
    return cli_run_workload(&step->job);
}

/* Returns the name of a given option that has no effect with --table. NULL: no such option is
 * given. */
static const char *idle_option(const struct cli_step_values *values)
{
    return values->run.json              ? "json"
           : values->run.saves.count > 0 ? "save"
           : values->run.trace != NULL   ? "trace"
           : values->run.explain         ? "explain"
           : values->emit                ? "emit"
                                         : NULL;
}

/* Replaces for --emit the path of the machine by an absolute one, so that the workload can be kept
 * in any folder. Names of built-in machines and of files that do not exist are not changed. Returns
 * an exit code. */
static int name_machine(const struct cli_step *step, const char **machine, char *whole)
{
    struct cm_error err;
    if (!step->values->emit || cm_config_is_known(*machine))
        return 0;
    if (realpath(*machine, whole) != NULL) {
        *machine = whole;
    } else if (errno == ENOMEM) {
        cm_error_no_memory(&err);
        return shell_error(&err);
    }
    return 0;
}

int cli_step_run(struct cli_step *step)
{
    const char *command = step->command->syntax.command;
    bool table = step->plan_only || step->print != NULL;
    const char *idle = table ? idle_option(step->values) : NULL;
    char whole[PATH_BYTES];
    struct cm_workload *workload = NULL;
    struct cm_error err = {0};
    if (idle != NULL)
        return shell_usage(command, "--%s runs nothing, so --%s has no effect",
                           step->instead != NULL ? step->instead : "table", idle);
    const char *given = step->values->machine.machine, *machine = given != NULL ? given : "cm200";
    snprintf(step->file, sizeof step->file, "cm200 %s", command);
    cm_buffer_init(&step->workload);
    int code = cli_trace_check(&step->values->run, command);
    if (code == 0)
        code = name_machine(step, &machine, whole);
    if (code == 0)
        code = write_workload(step, step->values->emit ? machine : NULL);
    if (code == 0 && !cm_buffer_ok(&step->workload))
        code = shell_write(NULL, &step->workload); /* prints that memory is too short */
    else if (code == 0 && cm_workload_parse(step->file, step->workload.data, step->workload.length,
                                            &workload, &err) != CM_OK)
        code = cli_step_error(step, &err);
    else if (code == 0 && step->print != NULL)
        code = step->print(step, workload);
    else if (code == 0)
        code = step->values->emit ? shell_write(NULL, &step->workload)
                                  : run_workload(step, workload, machine);
    cm_workload_destroy(workload);
    cm_buffer_finish(&step->workload);
    return code;
}
