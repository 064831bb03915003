/* Reads the words of a debugger command: numbers, addresses, nodes, types and names. */
#include "debugger.h"

#include "../base/suggest.h"
#include "../fortran/run/step.h"
#include "../sim/machine/inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const console_types[4] = {"hex", "int", "real32", "real64"};

/* ---- errors ---- */

void console_refuse(struct console *debugger, uint32_t i, const char *hint, const char *format, ...)
{
    struct cm_error err = {0};
    char message[sizeof err.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    uint32_t column =
        i < debugger->word_count ? debugger->words[i].column : (uint32_t)strlen(debugger->line) + 1;
    cm_error_at(&err, CM_BAD_INPUT, "command", debugger->number, column, "%s", message);
    if (hint != NULL)
        cm_error_hint(&err, "%s", hint);
    /* cm_error_source needs the line's number within the text, which is a single line */
    err.line = 1;
    cm_error_source(&err, debugger->line, strlen(debugger->line));
    err.line = debugger->number;
    debugger->refused++;
    if (debugger->keeps_errors) {
        debugger->error = err;
        return;
    }
    shell_write(NULL, &debugger->text); /* the output of the command is printed before its error */
    debugger->text.length = 0;
    shell_error(&err);
}

void console_refuse_name(struct console *debugger, uint32_t i, const char *what,
                         const char *const *names, uint32_t count)
{
    struct cm_buffer hint;
    cm_buffer_init(&hint);
    const char *near =
        i < debugger->word_count ? cm_suggest(debugger->words[i].text, names, count) : NULL;
    if (near != NULL)
        cm_buffer_printf(&hint, "did you mean \"%s\"?", near);
    for (uint32_t k = 0; near == NULL && k < count; k++)
        cm_buffer_printf(&hint, "%s%s", k > 0 ? ", " : "one of: ", names[k]);
    const char *text = cm_buffer_ok(&hint) ? hint.data : NULL;
    if (i < debugger->word_count)
        console_refuse(debugger, i, text, "unknown %s \"%s\"", what, debugger->words[i].text);
    else
        console_refuse(debugger, i, text, "expected a %s", what);
    cm_buffer_finish(&hint);
}

/* ---- words ---- */

static const char *word(const struct console *debugger, uint32_t i)
{
    return debugger->words[i].text;
}

/* Reads a decimal number, or a hexadecimal number that begins with 0x. */
static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    const char *allowed = hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits[0] == '\0' || digits[strspn(digits, allowed)] != '\0')
        return false;
    errno = 0;
    *number = strtoull(digits, &end, hex ? 16 : 10);
    return errno == 0 && *end == '\0';
}

bool console_number(struct console *debugger, uint32_t i, const char *what, uint64_t most,
                    uint64_t *number)
{
    if (i >= debugger->word_count) {
        console_refuse(debugger, i, NULL, "expected %s", what);
        return false;
    }
    if (!read_number(word(debugger, i), number)) {
        console_refuse(debugger, i, NULL, "\"%s\" is not a number; expected %s", word(debugger, i),
                       what);
        return false;
    }
    if (*number <= most)
        return true;
    console_refuse(debugger, i, NULL, "%s is at most %" PRIu64, what, most);
    return false;
}

bool console_node(struct console *debugger, uint32_t i, uint32_t *node)
{
    uint64_t number;
    uint32_t nodes = cm_machine_nodes(cm_debug_machine(debugger->debug));
    if (!console_number(debugger, i, "the number of a node", nodes - 1, &number))
        return false;
    *node = (uint32_t)number;
    return true;
}

bool console_at_most(struct console *debugger, uint32_t count)
{
    if (debugger->word_count <= count)
        return true;
    console_refuse(debugger, count, NULL, "\"%s\" is one word too many", word(debugger, count));
    return false;
}

bool console_choose(struct console *debugger, uint32_t i, const char *what,
                    const char *const *names, uint32_t count, uint32_t *index)
{
    for (*index = 0; i < debugger->word_count && *index < count; ++*index)
        if (strcmp(word(debugger, i), names[*index]) == 0)
            return true;
    console_refuse_name(debugger, i, what, names, count);
    return false;
}

bool console_type(struct console *debugger, const char **type)
{
    uint32_t index;
    if (debugger->word_count < 3 || strcmp(word(debugger, debugger->word_count - 2), "as") != 0)
        return true;
    if (!console_choose(debugger, debugger->word_count - 1, "type", console_types,
                        (uint32_t)CM_COUNT_OF(console_types), &index))
        return false;
    *type = console_types[index];
    debugger->word_count -= 2;
    return true;
}

/* ---- addresses ---- */

const char *console_array_type(const struct cm_array *array)
{
    switch (array->layout.type) {
    case CM_TYPE_REAL32:
    case CM_TYPE_COMPLEX64:
        return "real32";
    case CM_TYPE_REAL64:
    case CM_TYPE_COMPLEX128:
        return "real64";
    default:
        return "int";
    }
}

const struct cm_array *console_array(const struct console *debugger, uint32_t i, const char **name)
{
    struct cm_run *run = cm_debug_run(debugger->debug);
    const struct cm_result *result = cm_run_result(run);
    const struct cm_array *array = NULL;
    if (i < cm_run_array_count(run)) {
        array = cm_run_array_at(run, i);
        *name = array->name;
        return array;
    }
    i -= cm_run_array_count(run);
    for (uint32_t step = 0; step < result->step_count; step++) {
        uint32_t skipped = 0;
        array = cm_fortran_step_array(&result->steps[step], i, name);
        while (array == NULL && skipped < i &&
               cm_fortran_step_array(&result->steps[step], skipped, name) != NULL)
            skipped++;
        if (array != NULL)
            return array;
        i -= skipped;
    }
    return NULL;
}

const struct cm_array *console_array_named(const struct console *debugger, const char *wanted)
{
    const char *name;
    const struct cm_array *array;
    for (uint32_t i = 0; (array = console_array(debugger, i, &name)) != NULL; i++)
        if (i < cm_run_array_count(cm_debug_run(debugger->debug)) ? strcmp(name, wanted) == 0
                                                                  : strcasecmp(name, wanted) == 0)
            return array;
    return NULL;
}

/* Reads an address without +NUMBER: an array, an address register or a number. */
static bool read_base(const struct console *debugger, const char *name, uint64_t *address,
                      const char **type)
{
    uint64_t number;
    const struct cm_array *array = console_array_named(debugger, name);
    if (array != NULL) {
        *address = array->address;
        *type = console_array_type(array);
        return true;
    }
    if (name[0] == 'r' && read_number(name + 1, &number) && number < CM_ADDRESS_REGISTERS) {
        *address = (uint64_t)cm_machine_address_register(cm_debug_machine(debugger->debug),
                                                         (uint32_t)number);
        return true;
    }
    return read_number(name, address);
}

bool console_address(struct console *debugger, uint32_t i, uint64_t *address, const char **type)
{
    static const char what[] = "an address: a number, an array or an address register, as in 4096, "
                               "u, u+3, r5";
    char base[CONSOLE_LINE_MAX];
    uint64_t more = 0;
    *type = console_types[0];
    if (i >= debugger->word_count) {
        console_refuse(debugger, i, NULL, "expected %s", what);
        return false;
    }
    snprintf(base, sizeof base, "%s", word(debugger, i));
    char *plus = strrchr(base, '+');
    if (plus != NULL)
        *plus = '\0';
    if (read_base(debugger, base, address, type) &&
        (plus == NULL || read_number(plus + 1, &more))) {
        *address += more;
        return true;
    }
    console_refuse(debugger, i, "info arrays lists the arrays", "\"%s\" is not %s",
                   word(debugger, i), what);
    return false;
}
