/* The prompt of cm200 debug: where commands come from. */
#ifndef CM_CLI_DEBUGGER_PROMPT_H
#define CM_CLI_DEBUGGER_PROMPT_H

#include "../console/debugger.h"

/* Takes commands until the program continues. A function of struct cm_debug_program. */
void cli_debugger_stopped(void *context, struct cm_debug *debug);

/* debugger_input.c: reads a line of the terminal or of the standard input, without its newline.
 * NULL at the end, or, with *again true, if only a signal came. The line is valid until the next
 * call. */
const char *cli_debugger_read(struct console *debugger, bool *again);
void cli_debugger_input_end(void);

#endif
