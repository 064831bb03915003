/*
 * Lines as commands of the debugger, on small programs: shifts and the router, an IMP, or CM
 * Fortran, as the first line says. Every command prints something or is refused with a message,
 * candidates exist for every line, and the debugger always leaves.
 */
#include "console/debugger.h"
#include "folder.h"
#include "fortran/run/step.h"
#include "lines.h"
#include "run_workload.h"
#include "target.h"

#define INPUT_MAX      4096u
#define COMMANDS_MAX   48u /* of an input, as each may execute the program again */
#define CANDIDATES_MAX 256u

static const char shifts[] =
    "{\"format\": \"cm200-workload/1\", \"nodes\": 8, \"arrays\": {\"a\": {\"shape\": [8, 4], "
    "\"type\": \"real32\", \"init\": {\"index\": true}}, \"b\": {\"like\": \"a\"}, "
    "\"c\": {\"like\": \"a\"}},\n"
    "\"steps\": [{\"pshift\": [{\"type\": \"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, "
    "\"distance\": 1}, {\"type\": \"eoshift_1\", \"dst\": \"c\", \"src\": \"a\", \"dim\": 2, "
    "\"distance\": -1}], \"setup\": \"auto\"},\n"
    "{\"repeat\": {\"times\": 2, \"steps\": [{\"cshift\": {\"dst\": \"a\", \"src\": \"b\", "
    "\"dim\": 1, \"distance\": 2}}]}},\n"
    "{\"route\": {\"pattern\": \"bit-reversal\", \"words\": 2}}]}";
static const char imp[] =
    "{\"format\": \"cm200-workload/1\", \"nodes\": 8, \"arrays\": {\"a\": {\"shape\": [32], "
    "\"type\": \"real32\", \"init\": {\"index\": true}}},\n"
    "\"steps\": [{\"imp\": {\"file\": \"k.imp\", \"arguments\": {\"a\": \"a\"}}}]}";
static const char imp_text[] = ".imp swap\n.address a\n    aarg r0, a\n    aset r1, 2\n"
                               "    load A.1, [r0]\n    exchange\n    unload [r0], B.1\n    halt\n";
static const char program[] = "{\"format\": \"cm200-workload/1\", \"nodes\": 8, \"arrays\": {}, "
                              "\"steps\": [{\"program\": {\"file\": "
                              "\"p.f90\"}}]}";
static const char program_text[] =
    "program p\nreal, dimension(16) :: u, v\ninteger i\nu = 1.0\ndo i = 1, 3\n"
    "v = cshift(u, 1) + u\ncall more(u)\nend do\nprint *, sum(v)\nend\n"
    "subroutine more(x)\nreal x(16)\nx = x + 1.0\nend\n";

static struct cm_workload *workloads[3];

static void prepare(void)
{
    const char *const texts[3] = {shifts, imp, program};
    struct cm_error err = {0};
    folder_enter();
    require(cm_fortran_register());
    write_whole("k.imp", imp_text, sizeof imp_text - 1);
    write_whole("p.f90", program_text, sizeof program_text - 1);
    for (int i = 0; i < 3; i++)
        require(cm_workload_parse("w.json", texts[i], strlen(texts[i]), &workloads[i], &err) ==
                CM_OK);
}

static void destroy(void)
{
    for (int i = 0; i < 3; i++)
        cm_workload_destroy(workloads[i]);
}

struct session {
    const struct cm_workload *workload;
    struct lines lines;
    struct console debugger;
    uint32_t commands;
};

static enum cm_status make_run(void *context, struct cm_run **run, struct cm_error *err)
{
    const struct session *session = context;
    const struct cm_config config = small_machine();
    const struct cm_run_options options = {
        .config = &config, .threads = 1, .trusted = true, .no_check = true};
    return cm_run_create(session->workload, &options, run, err);
}

static void complete(const struct session *session, const char *line)
{
    const char *names[CANDIDATES_MAX];
    size_t length = strlen(line);
    for (size_t column = 0; column <= length; column += 1 + length / 4) {
        uint32_t count =
            console_candidates(&session->debugger, line, column, names, CANDIDATES_MAX);
        require(count <= CANDIDATES_MAX);
        for (uint32_t i = 0; i < count; i++)
            require(names[i] != NULL && names[i][0] != '\0');
    }
}

/* Requires the text of a command to be printable, and begins the next. */
static void take_text(struct console *debugger)
{
    require(cm_buffer_ok(&debugger->text));
    cm_buffer_finish(&debugger->text);
    cm_buffer_init(&debugger->text);
}

static void stopped(void *context, struct cm_debug *debug)
{
    struct session *session = context;
    struct console *debugger = &session->debugger;
    debugger->debug = debug;
    debugger->going = false;
    console_show_stop(debugger);
    take_text(debugger);
    while (!debugger->going) {
        const char *line = session->commands++ < COMMANDS_MAX ? lines_next(&session->lines) : NULL;
        uint32_t refused = debugger->refused;
        debugger->number++;
        if (line == NULL)
            break;
        complete(session, line);
        debugger->error = (struct cm_error){0};
        console_take(debugger, line);
        require((debugger->refused > refused) == (debugger->error.message[0] != '\0'));
        take_text(debugger);
    }
    if (!debugger->going)
        cm_debug_leave(debug);
}

FUZZ_TARGET(fuzz_console)
{
    static struct session session;
    struct cm_error err = {0};
    if (size > INPUT_MAX)
        return 0;
    if (workloads[0] == NULL) {
        prepare();
        atexit(destroy);
    }
    session = (struct session){.debugger = {.keeps_errors = true}};
    lines_begin(&session.lines, data, size);
    bool is_imp = strncmp(session.lines.text, "#imp", 4) == 0;
    bool is_program = strncmp(session.lines.text, "#program", 8) == 0;
    session.workload = workloads[is_imp ? 1 : is_program ? 2 : 0];
    struct cm_debug *debug =
        cm_debug_create(&(struct cm_debug_program){&session, make_run, stopped});
    require(debug != NULL);
    cm_buffer_init(&session.debugger.text);
    enum cm_status status = cm_debug_execute(debug, &err);
    require(status == CM_OK);
    cm_buffer_finish(&session.debugger.text);
    cm_debug_destroy(debug);
    lines_finish(&session.lines);
    return 0;
}
