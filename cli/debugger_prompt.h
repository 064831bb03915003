/* Where cm200 debug gets its commands from. */
#ifndef CM_CLI_DEBUGGER_PROMPT_H
#define CM_CLI_DEBUGGER_PROMPT_H

#include "../console/debugger.h"

/* Commands until the program goes on; a function of struct cm_debug_program. */
void cli_debugger_stopped(void *context, struct cm_debug *debug);

/* debugger_input.c: a line of the terminal or of the standard input, without its newline; NULL at
 * the end, or with `*again` when only a signal came. Valid until the next call. */
const char *cli_debugger_read(struct console *debugger, bool *again);
void cli_debugger_input_end(void);

#endif
