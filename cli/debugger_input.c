/*
 * Reads lines for the debugger: from a terminal with editing and completion by libedit, if the
 * build has libedit, or from the standard input.
 */
#include "debugger_prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROMPT "(cm200) "

/* The line that was read last. It is a global variable, because a program has one standard input.
 */
static char *line_read;

void cli_debugger_input_end(void)
{
    free(line_read);
    line_read = NULL;
}

/* Reads a line of the standard input. Returns NULL at its end, or, with *again true, after a
 * signal. */
static char *read_plain(struct console *debugger, bool *again)
{
    char *line = NULL;
    size_t size = 0;
    errno = 0;
    ssize_t length = getline(&line, &size, stdin);
    if (length < 0) {
        *again = errno == EINTR;
        if (errno == ENOMEM)
            debugger->code = shell_no_memory();
        clearerr(stdin);
        free(line);
        return NULL;
    }
    if (length > 0 && line[length - 1] == '\n')
        line[--length] = '\0';
    return line;
}

#ifdef CM_LIBEDIT

#include <editline/readline.h>

#define CANDIDATES_MAX 256u

/* The debugger whose line is being read, and the candidates for completion. These are global
 * variables, because callbacks of libedit have no context argument. */
static const struct console *completed;
static const char *candidates[CANDIDATES_MAX];
static uint32_t candidate_count;

/* Returns the next candidate for completion that begins with `text`. libedit frees the string. */
static char *next_candidate(const char *text, int state)
{
    static uint32_t at;
    if (state == 0)
        at = 0;
    while (at < candidate_count) {
        const char *name = candidates[at++];
        if (strncmp(name, text, strlen(text)) == 0)
            return strdup(name);
    }
    return NULL;
}

static char **complete(const char *text, int first, int end)
{
    (void)end;
    rl_attempted_completion_over = 1; /* no completion of file names */
    candidate_count =
        console_candidates(completed, rl_line_buffer, (size_t)first, candidates, CANDIDATES_MAX);
    return rl_completion_matches(text, next_candidate);
}

static char *read_edited(const struct console *debugger, bool *again)
{
    completed = debugger;
    rl_attempted_completion_function = complete;
    errno = 0;
    char *line = readline(PROMPT);
    *again = line == NULL && errno == EINTR;
    if (line != NULL && line[0] != '\0')
        add_history(line);
    return line;
}

#else

static char *read_edited(struct console *debugger, bool *again)
{
    fputs(PROMPT, stdout);
    fflush(stdout);
    return read_plain(debugger, again);
}

#endif

const char *cli_debugger_read(struct console *debugger, bool *again)
{
    free(line_read);
    line_read = debugger->interactive ? read_edited(debugger, again) : read_plain(debugger, again);
    if (*again && debugger->interactive)
        fputc('\n', stdout);
    return line_read;
}
