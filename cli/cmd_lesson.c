/* cm200 lesson: lists lessons, goes through one, or judges a solution of its task. */
#include "../base/text.h"
#include "../lesson/lesson.h"

#include <string.h>

struct lesson_values {
    struct shell_values common;
    const char *check;
    bool json;
};

static const struct shell_option options[] = {
    {"check", SHELL_INPUT, offsetof(struct lesson_values, check), .argument = "FILE",
     .help = "judge a workload or a CM Fortran program that is meant to solve the\n"
             "lesson's task: exit code 0 if it does, 1 if not"},
    {"json", SHELL_FLAG, offsetof(struct lesson_values, json),
     .help = "with --check: print the judgement as JSON"},
};

static int list(void)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    cm_buffer_init(&text);
    enum cm_status status = cm_lesson_list(&text, &err);
    return shell_deliver(NULL, &text, status, &err);
}

static int run(const void *all)
{
    const struct lesson_values *values = all;
    const struct shell_list *operands = &values->common.operands;
    struct cm_lesson lesson;
    struct cm_error err = {0};
    uint64_t number = 0;
    if (operands->count == 0 && values->check == NULL && !values->json)
        return list();
    if (operands->count == 0)
        return shell_usage("lesson", "--%s needs the number of a lesson",
                           values->check != NULL ? "check" : "json");
    if (values->json && values->check == NULL)
        return shell_usage("lesson", "--json needs --check FILE");
    const char *end = cm_text_number(operands->items[0], &number);
    if (end == NULL || *end != '\0' || number == 0 || number > 99)
        return shell_usage("lesson",
                           "\"%s\" is not the number of a lesson; cm200 lesson lists them",
                           operands->items[0]);
    enum cm_status status = cm_lesson_read((uint32_t)number, &lesson, &err);
    int code = status != CM_OK         ? shell_error(&err)
               : values->check != NULL ? cm_lesson_judge(&lesson, values->check, values->json)
                                       : cm_lesson_play(&lesson);
    cm_lesson_finish(&lesson);
    return code;
}

const struct cli_command cli_command_lesson = {
    .syntax = {.command = "lesson",
               .operands = "[N]",
               .operands_max = 1,
               .sets = {SHELL_SET(options, 0)}},
    .summary = "learn: lessons of 10 to 15 minutes, with questions, runs and tasks",
    .about =
        "Without a number, lists the lessons. With one, goes through that lesson, page by page on "
        "a terminal: asks what you expect, runs the commands, and shows what you expected and "
        "what it is. Enter goes on, v opens the viewer on the page's picture, q leaves. --check "
        "judges your solution of the lesson's task on the lesson's machine: the right data, and "
        "no more cycles or exchanges than the task allows. The lessons are in docs/lessons, to "
        "read and to change.",
    .examples = "  cm200 lesson\n"
                "  cm200 lesson 3\n"
                "  cm200 lesson 3 --check mine.json\n"
                "  for f in class/*.json; do cm200 lesson 3 --check \"$f\" --json; done\n",
    .values_size = sizeof(struct lesson_values),
    .run = run,
};
