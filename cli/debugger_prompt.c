/* The debugger's prompt: commands of a terminal or a pipe while the program stands. */
#include "debugger_prompt.h"

#include <signal.h>
#include <stdio.h>

static void print_text(struct cli_debugger *debugger)
{
    debugger->code = cli_first_of(debugger->code, cli_write(NULL, &debugger->text));
    cm_buffer_finish(&debugger->text);
    cm_buffer_init(&debugger->text);
}

static void interrupt(void *debug)
{
    cm_debug_interrupt(debug);
}

/* Ctrl-C stops the program that is debugged; other signals end this one. */
static bool is_ended_by_signal(struct cli_debugger *debugger)
{
    int code = cli_interrupt_code();
    if (code != CLI_EXIT_SIGNAL + SIGINT)
        debugger->code = code;
    return debugger->code != 0;
}

void cli_debugger_stopped(void *context, struct cm_debug *debug)
{
    struct cli_debugger *debugger = context;
    debugger->debug = debug;
    debugger->going = false;
    bool interrupted = cm_debug_stop(debug)->reason == CM_DEBUG_INTERRUPTED;
    if (!interrupted || !is_ended_by_signal(debugger))
        cli_debugger_show_stop(debugger);
    print_text(debugger);
    while (!debugger->going && debugger->code == 0) {
        bool again = false;
        cli_interrupt_watch(debug, interrupt);
        const char *text = cli_debugger_read(debugger, &again);
        if (text == NULL && again && !is_ended_by_signal(debugger))
            continue;
        debugger->number++;
        if (text == NULL)
            break;
        cli_debugger_take(debugger, text);
        print_text(debugger);
    }
    if (!debugger->going || debugger->code != 0) {
        cm_debug_leave(debug);
        if (debugger->interactive && debugger->code == 0)
            fputc('\n', stdout);
    }
}
