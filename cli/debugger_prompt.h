/* The prompt of cm200 debug, which reads commands from a terminal or from the standard input. */
#ifndef CM_CLI_DEBUGGER_PROMPT_H
#define CM_CLI_DEBUGGER_PROMPT_H

#include "../console/debugger.h"

/* Reads and executes commands until the debugged program continues. A function of struct
 * cm_debug_program. */
void cli_debugger_stopped(void *context, struct cm_debug *debug);

/* debugger_input.c: reads a line from the terminal or the standard input, without its newline.
 * Returns NULL at the end of the input. Also returns NULL, with *again true, if only a signal came.
 * The line is valid until the next call. */
const char *cli_debugger_read(struct console *debugger, bool *again);
void cli_debugger_input_end(void);

#endif
