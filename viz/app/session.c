/*
 * Session of --debug: a program that the user steps through. The program runs on a thread of its
 * own, which waits while the program is stopped. Only then does the window's thread access the
 * program, so the two threads never use it at the same time.
 */
#include "program.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Time for which the window's thread waits for a running program, before it handles events
 * again. */
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
    bool started; /* true if the program's thread exists */
    /* The next four members are protected by the mutex. */
    /* true if the program's thread waits until the window's thread clears this member */
    bool stopped;
    bool ended; /* true if the program has ended */
    enum cm_status status;
    struct cm_error error;
    /* The next members are used by the window's thread only. */
    bool runs; /* true if the panel shows that the program runs */
    uint32_t node;
    char output[2048]; /* output of the last debugger commands */
};

static enum cm_status make_run(void *context, struct cm_run **run, struct cm_error *err)
{
    const struct cm_view_session *session = context;
    return cm_run_create(session->workload, &session->settings, run, err);
}

/* Waits, on the program's thread, until the window's thread lets the program continue. The debugger
 * calls this function at every stop. */
static void on_stop(void *context, struct cm_debug *debug)
{
    struct cm_view_session *session = context;
    (void)debug;
    pthread_mutex_lock(&session->mutex);
    session->stopped = true;
    pthread_cond_broadcast(&session->changed);
    while (session->stopped)
        pthread_cond_wait(&session->changed, &session->mutex);
    pthread_mutex_unlock(&session->mutex);
}

static void *run_program(void *context)
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

static void resume(struct cm_view_session *session)
{
    pthread_mutex_lock(&session->mutex);
    session->stopped = false;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->mutex);
}

/* Waits until the program is stopped or has ended. If `wait` is false, waits for a short time only.
 * Returns true if the program is stopped. */
static bool wait_until_stopped(struct cm_view_session *session, bool wait)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int late = 0;
    pthread_mutex_lock(&session->mutex);
    while (!session->stopped && !session->ended && late == 0)
        late = wait ? pthread_cond_wait(&session->changed, &session->mutex)
                    : pthread_cond_timedwait(&session->changed, &session->mutex, &until);
    bool stopped = session->stopped;
    pthread_mutex_unlock(&session->mutex);
    return stopped;
}

static bool is_over(struct cm_view_session *session)
{
    pthread_mutex_lock(&session->mutex);
    bool ended = session->ended;
    pthread_mutex_unlock(&session->mutex);
    return ended;
}

/* Moves the console's output to the text that the panel shows, as far as there is room. */
static void take_text(struct cm_view_session *session)
{
    struct cm_buffer *text = &session->console.text;
    size_t length = strlen(session->output), room = sizeof session->output - 1 - length;
    size_t more = cm_buffer_ok(text) ? text->length : 0;
    if (more > room)
        more = room;
    if (more > 0)
        memcpy(session->output + length, text->data, more);
    session->output[length + more] = '\0';
    cm_buffer_finish(text);
    cm_buffer_init(text);
}

static void show(struct cm_view_session *session, struct cm_view_control *control)
{
    session->console.node = session->node;
    cm_view_program_rows(&session->console, session->output, &session->program);
    session->program.cycle = console_cycle(&session->console);
    control->state.program_stop++;
}

/* Updates panel and cursor after the program has stopped. */
static void arrive(struct cm_view_session *session, struct cm_view_control *control)
{
    session->runs = session->program.runs = false;
    session->console.going = false;
    console_show_stop(&session->console);
    take_text(session);
    cm_view_go(control->model, &control->state, console_cycle(&session->console));
}

/* Removes the first of the requested commands, which are separated by `;`, and copies it to
 * `command`. */
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
    session->output[0] = '\0';
    console_take(console, command);
    take_text(session);
    /* the debugger command `node` has selected another node */
    if (console->node != session->node) {
        session->node = console->node;
        control->state.pin = (struct cm_view_mark){CM_VIEW_MARK_NODE, 0, session->node};
    }
    if (console->refused != refused) {
        control->commands[0] = '\0';
        cm_view_control_say(control, "%s%s%s", console->error.message,
                            console->error.hint[0] != '\0' ? "; " : "", console->error.hint);
    }
}

/* Selects the pinned node in the debugger, if the program's machine has this node. Returns true if
 * the selected node changed. */
static bool follow_pin(struct cm_view_session *session, const struct cm_view_control *control)
{
    uint32_t node = cm_view_mark_node(&control->model->runs[0], control->state.pin);
    if (node >= cm_machine_nodes(cm_debug_machine(session->debug)) || node == session->node)
        return false;
    session->node = session->console.node = node;
    return true;
}

/* Waits for a running program to stop. If commands are requested in the meantime, interrupts the
 * program. Returns true if the program is stopped. */
static bool wait_for_stop(struct cm_view_session *session, struct cm_view_control *control,
                          bool wait)
{
    if (!wait && control->commands[0] != '\0') {
        control->commands[0] = '\0';
        cm_debug_interrupt(session->debug);
    }
    if (wait_until_stopped(session, wait)) {
        arrive(session, control);
        return true;
    }
    if (is_over(session))
        /* the program's thread has ended with an error, which cm_view_session_status returns */
        control->quit = true;
    return false;
}

bool cm_view_session_serve(struct cm_view_session *session, struct cm_view_control *control,
                           bool wait)
{
    bool changed = false;
    if (session->runs && !wait_for_stop(session, control, wait))
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
        resume(session);
        if (wait_for_stop(session, control, wait))
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
    const struct cm_debug_program program = {session, make_run, on_stop};
    session->debug = cm_debug_create(&program);
    if (session->debug == NULL)
        return cm_error_no_memory(err);
    session->console.debug = session->debug;
    session->started = pthread_create(&session->thread, NULL, run_program, session) == 0;
    if (!session->started)
        return cm_error_no_memory(err);
    if (wait_until_stopped(session, true))
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
    session->settings.no_files = true; /* going back executes the program again */
    session->settings.threads = 1;
    session->settings.trusted = true; /* the wrapping workload saves no files */
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
        if (wait_until_stopped(session, true)) {
            cm_debug_leave(session->debug);
            resume(session);
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
