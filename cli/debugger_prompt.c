/* The prompt of the debugger: reads and executes commands from a terminal or a pipe while the
 * debugged program is stopped. */
#include "debugger_prompt.h"

#include <signal.h>
#include <stdio.h>

static void print_text(struct console *debugger)
{
    debugger->code = shell_first_of(debugger->code, shell_write(NULL, &debugger->text));
    cm_buffer_finish(&debugger->text);
    cm_buffer_init(&debugger->text);
}

static void interrupt(void *debug)
{
    cm_debug_interrupt(debug);
}

/* Returns true if a signal has ended the debugger itself. Ctrl-C only stops the debugged program.
 */
static bool is_ended_by_signal(struct console *debugger)
{
    int code = shell_interrupt_code();
    if (code != SHELL_EXIT_SIGNAL + SIGINT)
        debugger->code = code;
    return debugger->code != 0;
}

void cli_debugger_stopped(void *context, struct cm_debug *debug)
{
    struct console *debugger = context;
    debugger->debug = debug;
    debugger->going = false;
    bool interrupted = cm_debug_stop(debug)->reason == CM_DEBUG_INTERRUPTED;
    if (!interrupted || !is_ended_by_signal(debugger))
        console_show_stop(debugger);
    print_text(debugger);
    while (!debugger->going && debugger->code == 0) {
        bool again = false;
        shell_interrupt_watch(debug, interrupt);
        const char *text = cli_debugger_read(debugger, &again);
        if (text == NULL && again && !is_ended_by_signal(debugger))
            continue;
        debugger->number++;
        if (text == NULL)
            break;
        console_take(debugger, text);
        print_text(debugger);
    }
    if (!debugger->going || debugger->code != 0) {
        cm_debug_leave(debug);
        if (debugger->interactive && debugger->code == 0)
            fputc('\n', stdout);
    }
}
