/*
 * A program that is stepped through. It runs on a thread of its own, which waits while the program
 * is stopped. Only then the window's thread looks at the program, so the two threads never work on
 * it at the same time.
 */
#include "program.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Time that the window's thread waits for a running program before it handles events. */
#define WAIT_NANOSECONDS 20000000L

struct cm_view_session {
    struct cm_config config;
    struct cm_run_options settings;
    struct cm_workload *workload;
    struct cm_debug *debug;
    struct console console;
    struct cm_view_program program;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool started; /* True if the thread exists */
    /* Members under the mutex: */
    bool stands; /* True if the program's thread waits for `go` */
    bool ended;  /* True if the program has ended */
    enum cm_status status;
    struct cm_error error;
    /* Members of the window's thread: */
    bool runs; /* True if the panel shows the program as running */
    uint32_t node;
    char said[2048]; /* output of the last commands */
};

static enum cm_status make_run(void *context, struct cm_run **run, struct cm_error *err)
{
    const struct cm_view_session *session = context;
    return cm_run_create(session->workload, &session->settings, run, err);
}

/* Stops the program's thread until the window's thread lets it continue. The debugger calls it. */
static void stopped(void *context, struct cm_debug *debug)
{
    struct cm_view_session *session = context;
    (void)debug;
    pthread_mutex_lock(&session->mutex);
    session->stands = true;
    pthread_cond_broadcast(&session->changed);
    while (session->stands)
        pthread_cond_wait(&session->changed, &session->mutex);
    pthread_mutex_unlock(&session->mutex);
}

static void *play(void *context)
{
    struct cm_view_session *session = context;
    struct cm_error err = {0};
    enum cm_status status = cm_debug_execute(session->debug, &err);
    pthread_mutex_lock(&session->mutex);
    session->ended = true;
    session->status = status;
    session->error = err;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->mutex);
    return NULL;
}

static void let_go(struct cm_view_session *session)
{
    pthread_mutex_lock(&session->mutex);
    session->stands = false;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->mutex);
}

/* Waits until the program is stopped or has ended, or for a short time unless `wait`. Returns
 * whether it is stopped. */
static bool wait_until_it_stands(struct cm_view_session *session, bool wait)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int late = 0;
    pthread_mutex_lock(&session->mutex);
    while (!session->stands && !session->ended && late == 0)
        late = wait ? pthread_cond_wait(&session->changed, &session->mutex)
                    : pthread_cond_timedwait(&session->changed, &session->mutex, &until);
    bool stands = session->stands;
    pthread_mutex_unlock(&session->mutex);
    return stands;
}

static bool is_over(struct cm_view_session *session)
{
    pthread_mutex_lock(&session->mutex);
    bool ended = session->ended;
    pthread_mutex_unlock(&session->mutex);
    return ended;
}

/* Appends the output of the console to the shown text, as far as there is room. */
static void take_text(struct cm_view_session *session)
{
    struct cm_buffer *text = &session->console.text;
    size_t length = strlen(session->said), room = sizeof session->said - 1 - length;
    size_t more = cm_buffer_ok(text) ? text->length : 0;
    if (more > room)
        more = room;
    if (more > 0)
        memcpy(session->said + length, text->data, more);
    session->said[length + more] = '\0';
    cm_buffer_finish(text);
    cm_buffer_init(text);
}

static void show(struct cm_view_session *session, struct cm_view_control *control)
{
    session->console.node = session->node;
    cm_view_program_rows(&session->console, session->said, &session->program);
    session->program.cycle = console_cycle(&session->console);
    control->state.program_stop++;
}

/* Updates the panel after the program has stopped. */
static void arrive(struct cm_view_session *session, struct cm_view_control *control)
{
    session->runs = session->program.runs = false;
    session->console.going = false;
    console_show_stop(&session->console);
    take_text(session);
    cm_view_go(control->model, &control->state, console_cycle(&session->console));
}

/* Takes the next of the commands asked for, which are separated by `;`. */
static void cut_command(struct cm_view_control *control, char command[CM_VIEW_COMMAND_MAX])
{
    size_t length = strcspn(control->commands, ";");
    const char *rest = control->commands + length;
    memcpy(command, control->commands, length);
    command[length] = '\0';
    rest += *rest == ';';
    memmove(control->commands, rest, strlen(rest) + 1);
}

static void take_command(struct cm_view_session *session, struct cm_view_control *control)
{
    char command[CM_VIEW_COMMAND_MAX];
    struct console *console = &session->console;
    uint32_t refused = console->refused;
    cut_command(control, command);
    session->said[0] = '\0';
    console_take(console, command);
    take_text(session);
    if (console->node != session->node) { /* the command `node` has changed it */
        session->node = console->node;
        control->state.pin = (struct cm_view_mark){CM_VIEW_MARK_NODE, 0, session->node};
    }
    if (console->refused != refused) {
        control->commands[0] = '\0';
        cm_view_control_say(control, "%s%s%s", console->error.message,
                            console->error.hint[0] != '\0' ? "; " : "", console->error.hint);
    }
}

/* Makes the pinned node the debugger's node, if the program's machine has it. Returns whether the
 * node changed. */
static bool follow_pin(struct cm_view_session *session, const struct cm_view_control *control)
{
    uint32_t node = cm_view_mark_node(&control->model->runs[0], control->state.pin);
    if (node >= cm_machine_nodes(cm_debug_machine(session->debug)) || node == session->node)
        return false;
    session->node = session->console.node = node;
    return true;
}

/* Interrupts a running program if commands are asked of it. Returns whether it is stopped. */
static bool wait_for_it(struct cm_view_session *session, struct cm_view_control *control, bool wait)
{
    if (!wait && control->commands[0] != '\0') {
        control->commands[0] = '\0';
        cm_debug_interrupt(session->debug);
    }
    if (wait_until_it_stands(session, wait)) {
        arrive(session, control);
        return true;
    }
    if (is_over(session))
        control->quit = true; /* the program's thread failed, and cm_view_session_status says how */
    return false;
}

bool cm_view_session_serve(struct cm_view_session *session, struct cm_view_control *control,
                           bool wait)
{
    bool changed = false;
    if (session->runs && !wait_for_it(session, control, wait))
        return false;
    changed = follow_pin(session, control);
    if (session->program.count == 0) {
        arrive(session, control);
        changed = true;
    }
    while (control->commands[0] != '\0' && !control->quit) {
        take_command(session, control);
        changed = true;
        if (!session->console.going)
            continue;
        session->runs = session->program.runs = true;
        let_go(session);
        if (wait_for_it(session, control, wait))
            continue;
        control->state.program_stop++;
        return false;
    }
    if (control->quit)
        return false;
    if (changed || session->console.going)
        show(session, control);
    return changed;
}

bool cm_view_session_do(struct cm_view_session *session, struct cm_view_control *control,
                        const char *commands)
{
    uint32_t refused = session->console.refused;
    while (commands != NULL && *commands != '\0' && session->console.refused == refused &&
           !control->quit) {
        size_t length = strcspn(commands, ";");
        snprintf(control->commands, sizeof control->commands, "%.*s", (int)length, commands);
        cm_view_session_serve(session, control, true);
        commands += length + (commands[length] == ';');
    }
    return session->console.refused == refused;
}

bool cm_view_session_runs(const struct cm_view_session *session)
{
    return session->runs;
}

const struct cm_view_program *cm_view_session_program(const struct cm_view_session *session)
{
    return &session->program;
}

enum cm_status cm_view_session_status(const struct cm_view_session *session, struct cm_error *err)
{
    if (session->status != CM_OK)
        *err = session->error;
    return session->status;
}

static enum cm_status start(struct cm_view_session *session, struct cm_error *err)
{
    const struct cm_debug_program program = {session, make_run, stopped};
    session->debug = cm_debug_create(&program);
    if (session->debug == NULL)
        return cm_error_no_memory(err);
    session->console.debug = session->debug;
    session->started = pthread_create(&session->thread, NULL, play, session) == 0;
    if (!session->started)
        return cm_error_no_memory(err);
    if (wait_until_it_stands(session, true))
        return CM_OK;
    return cm_view_session_status(session, err);
}

enum cm_status cm_view_session_open(const struct cm_view_options *options,
                                    struct cm_view_session **opened, struct cm_error *err)
{
    struct cm_view_session *session = calloc(1, sizeof *session);
    *opened = session;
    if (session == NULL)
        return cm_error_no_memory(err);
    pthread_mutex_init(&session->mutex, NULL);
    pthread_cond_init(&session->changed, NULL);
    cm_buffer_init(&session->console.text);
    session->console.interactive = session->console.keeps_errors = true;
    session->settings = cm_view_run_settings(options);
    session->settings.threads = 1;
    session->settings.trusted = true; /* the wrapping workload saves nothing */
    session->settings.no_check = true;
    enum cm_status status =
        cm_view_read_workload(options, options->common.operands.items[0], &session->settings,
                              &session->config, &session->workload, err);
    return status == CM_OK ? start(session, err) : status;
}

void cm_view_session_close(struct cm_view_session *session)
{
    if (session == NULL)
        return;
    if (session->started) {
        if (session->runs)
            cm_debug_interrupt(session->debug);
        if (wait_until_it_stands(session, true)) {
            cm_debug_leave(session->debug);
            let_go(session);
        }
        pthread_join(session->thread, NULL);
    }
    cm_debug_destroy(session->debug);
    cm_workload_destroy(session->workload);
    cm_buffer_finish(&session->console.text);
    pthread_cond_destroy(&session->changed);
    pthread_mutex_destroy(&session->mutex);
    free(session);
}
