/*
 * Shows errors of workloads that were made from options. The library names a place and keys in a
 * text that the user has never seen. This file replaces both by options, as in this example:
 *
 *     cm200 route:8:93: limit is 399 word times, but the measurement ends after 400
 *     hint: raise the limit, or measure less: "warmup" and "measure"
 *
 *     cm200 route: --limit is 399 word times, but the measurement ends after 400
 *     hint: raise the limit, or measure less: --warmup and --measure
 */
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text of the library that is being rewritten, with options in place of keys of the workload. */
struct wording {
    const struct cli_step *step;
    /* option that wrote the place of the error. NULL: no option did. */
    const struct shell_option *at;
    struct cm_buffer *out;
};

static bool has_key(const struct shell_option *option, const char *text, size_t length)
{
    const char *key = option != NULL && option->member != NULL ? option->member->key : "";
    return length > 0 && strlen(key) == length && memcmp(key, text, length) == 0;
}

/* Finds the option of a key. If several options set a key of this name, the option at the place of
 * the error is preferred, then an option of the step. The key "a" is the array, which the option of
 * its shape makes. */
static const struct shell_option *find_key(const struct wording *wording, const char *key,
                                           size_t length)
{
    const struct shell_option *option, *found = NULL;
    size_t offset;
    bool array = length == 1 && *key == 'a';
    if (has_key(wording->at, key, length))
        return wording->at;
    for (uint32_t i = 0;
         (option = shell_option_at(&wording->step->command->syntax, i, &offset)) != NULL; i++) {
        bool shape = array && option->member != NULL && option->member->place == CLI_IN_ARRAY;
        if ((shape || has_key(option, key, length)) &&
            (found == NULL || option->member->place == CLI_IN_STEP))
            found = option;
    }
    return found;
}

/* Appends a list of numbers "[64, 32]" or "(64, 32)" in the form of an option: "32x64". Returns the
 * text after the list. NULL: the text is something else. */
static const char *put_numbers(const struct wording *wording, const char *text, enum cli_form form)
{
    uint64_t numbers[CLI_NUMBERS_MAX];
    const char *end = text + strcspn(text, "])"), *comma = form >= CLI_ROWS ? "x" : ",";
    uint32_t count = 0;
    if (form == CLI_BY_KEY || *end == '\0' || end == text + 1 ||
        strspn(text + 1, "0123456789, ") != (size_t)(end - text - 1))
        return NULL;
    for (const char *at = text + 1; at < end && count < CLI_NUMBERS_MAX; count++) {
        char *rest;
        numbers[count] = strtoull(at, &rest, 10);
        at = rest + strspn(rest, ", ");
    }
    for (uint32_t i = 0; i < count; i++)
        cm_buffer_printf(wording->out, "%s%" PRIu64, i > 0 ? comma : "",
                         numbers[form == CLI_SHAPE ? count - 1 - i : i]);
    return end + 1;
}

/* Appends the values after a key, as `: "forward" or "inverse"`, like values of its option. Returns
 * the text after the values. */
static const char *put_value(const struct wording *wording, const char *text,
                             const struct shell_option *option)
{
    const char *end = text;
    if (strncmp(text, ": ", 2) != 0)
        return text;
    text += 2;
    if (option->kind == SHELL_FLAG) /* a flag has no value */
        return text + (strncmp(text, "true", 4) == 0 ? 4 : 0);
    cm_buffer_printf(wording->out, " ");
    const char *after = *text == '[' ? put_numbers(wording, text, option->member->form) : NULL;
    while (*text == '"' && (end = strchr(text + 1, '"')) != NULL) {
        cm_buffer_append(wording->out, text + 1, (size_t)(end - text - 1));
        text = end + 1;
        if (strncmp(text, " or \"", 5) != 0)
            break;
        cm_buffer_printf(wording->out, " or ");
        text += 4;
    }
    return after != NULL ? after : text;
}

/* Appends the option in place of a key in quotes. Returns the text after the key. NULL: the text
 * does not begin with such a key. */
static const char *put_quoted(const struct wording *wording, const char *text)
{
    static const char noun[] = "array "; /* the word "array" before the name "a" is left out */
    const size_t noun_length = sizeof noun - 1;
    struct cm_buffer *out = wording->out;
    size_t length = strcspn(text + 1, "\"");
    const struct shell_option *option = find_key(wording, text + 1, length);
    if (option == NULL || text[1 + length] == '\0')
        return NULL;
    if (length == 1 && out->length >= noun_length &&
        memcmp(out->data + out->length - noun_length, noun, noun_length) == 0)
        out->length -= noun_length;
    cm_buffer_printf(out, "--%s", option->name);
    return put_value(wording, text + length + 2, option);
}

static void put_words(const struct wording *wording, const char *text)
{
    while (*text != '\0') {
        const char *after = NULL;
        if (*text == '"')
            after = put_quoted(wording, text);
        else if (*text == '(')
            after = put_numbers(wording, text, CLI_SHAPE);
        else if (*text == '[' && wording->at != NULL)
            after = put_numbers(wording, text, wording->at->member->form);
        if (after == NULL)
            cm_buffer_append(wording->out, text, 1);
        text = after != NULL ? after : text + 1;
    }
}

/* Appends a message of the library. A key at its beginning is replaced by the option. */
static void put_message(const struct wording *wording, const char *message)
{
    const char *word = message + (strncmp(message, "the ", 4) == 0 ? 4 : 0);
    size_t length = strcspn(word, " ");
    const struct shell_option *option = find_key(wording, word, length);
    if (option != NULL && (option == wording->at || strncmp(word + length, " is ", 4) == 0)) {
        cm_buffer_printf(wording->out, "--%s", option->name);
        message = word + length;
    }
    put_words(wording, message);
}

/* Returns the place of an error in the text of the workload. */
static const char *find_place(const struct cli_step *step, const struct cm_error *err)
{
    const char *text = step->workload.data;
    for (uint32_t line = 1; line < err->line && *text != '\0'; text++)
        line += *text == '\n';
    return text + (err->column > 0 ? err->column - 1 : 0);
}

static const struct cli_part *find_part(const struct cli_step *step, const char *place)
{
    static const struct cli_part none = {.option = NULL};
    size_t offset = (size_t)(place - step->workload.data);
    for (uint32_t i = 0; i < step->part_count; i++)
        if (offset >= step->parts[i].first && offset < step->parts[i].end)
            return &step->parts[i];
    return &none;
}

/* Returns true if a message must begin with the option and its text. False if the message names an
 * option itself, is about a whole list, or is about an unknown name. */
static bool needs_option(const char *place, const char *words)
{
    return *place != '[' && strncmp(words, "--", 2) != 0 && strncmp(words, "unknown ", 8) != 0;
}

/* Prints an error in a file that the workload names. The hint that the workload names this file is
 * dropped, because the user has not seen the workload. */
static int show_other(const struct cli_step *step, const struct cm_error *err)
{
    struct cm_error shown = *err;
    if (strstr(shown.hint, step->file) != NULL)
        shown.hint[0] = '\0';
    return shell_error(&shown);
}

int cli_step_error(const void *context, const struct cm_error *err)
{
    const struct cli_step *step = context;
    struct cm_buffer message, hint;
    struct cm_error shown;
    char begin[160] = "";
    if (strcmp(err->file, step->file) != 0)
        return show_other(step, err);
    const char *place = find_place(step, err);
    const struct cli_part *part = find_part(step, place);
    const struct shell_option *at = part->option;
    bool cube = at != NULL && at->member->place == CLI_IN_ROOT && step->cube != NULL;
    bool flag = part->given == NULL || (at != NULL && at->kind == SHELL_FLAG);
    cm_buffer_init(&message);
    cm_buffer_init(&hint);
    (cube ? put_words : put_message)(&(struct wording){step, at, &message}, err->message);
    put_words(&(struct wording){step, at, &hint}, err->hint);
    const char *words = message.data != NULL ? message.data : err->message;
    bool made = cm_buffer_ok(&message) && cm_buffer_ok(&hint);
    if (cube)
        snprintf(begin, sizeof begin, "%s: ", step->cube);
    else if (at != NULL && needs_option(place, words))
        snprintf(begin, sizeof begin, "--%s%s%.100s: ", at->name, flag ? "" : " ",
                 flag ? "" : part->given);
    /* A bad value of an option is reported as a mistake in the command line. */
    cm_error_set(&shown, err->status == CM_BAD_INPUT ? CM_USAGE : err->status, "%s%s", begin,
                 words);
    if (hint.length > 0)
        cm_error_hint(&shown, "%s", hint.data);
    cm_buffer_finish(&message);
    cm_buffer_finish(&hint);
    return made ? shell_refuse(step->command->syntax.command, &shown) : shell_no_memory();
}
