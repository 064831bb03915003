/*
 * libFuzzer target: any bytes as a trace that is exported in every format and explained. What is
 * written is text in UTF-8, whatever names the trace has; Chrome's is JSON.
 */
#include "base/json.h"
#include "cli/cli.h"
#include "explain/explain.h"
#include "mend.h"
#include "target.h"
#include "trace/export.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

#define INPUT_MAX    (256u * 1024u)
#define CYCLES_MAX   (UINT64_C(1) << 20) /* of the part for VCD, which writes every change */
#define CHANNELS_MAX (UINT32_C(1) << 12)
#define EVENTS       500u
#define WINDOWS      20u

static void fail(const char *what)
{
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

#define require(what) ((what) ? (void)0 : fail(#what))

/* Length of the character at `at` in UTF-8 (RFC 3629), 0 for anything else. */
static unsigned character_length(const uint8_t *at, size_t left)
{
    unsigned length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || at[0] > 0xf4)
        return 0;
    for (unsigned i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Text without control characters but line ends and tabs, so that a terminal takes no orders. */
static void require_text(const struct cm_buffer *text)
{
    const uint8_t *at = (const uint8_t *)text->data;
    size_t left = text->length;
    while (left > 0) {
        unsigned length = character_length(at, left);
        require(length > 0 && (at[0] >= ' ' || at[0] == '\n' || at[0] == '\t') && at[0] != 0x7f);
        require(length != 2 || at[0] != 0xc2 || at[1] >= 0xa0); /* C1 controls */
        at += length;
        left -= length;
    }
}

static void finish(enum cm_status status, struct cm_buffer *text)
{
    require(status == CM_OK || status == CM_BAD_INPUT || status == CM_NO_MEMORY);
    if (status == CM_OK)
        require_text(text);
    cm_buffer_finish(text);
}

static void export_chrome(const struct cm_trace *trace, struct cm_export_range range)
{
    struct cm_buffer text;
    struct cm_json_document *document = NULL;
    struct cm_error err = {0};
    cm_buffer_init(&text);
    enum cm_status status = cm_export_chrome(trace, range, EVENTS, &text, &err);
    if (status == CM_OK)
        require(cm_json_parse("out.json", text.data, text.length, &document, &err) == CM_OK);
    cm_json_destroy(document);
    finish(status, &text);
}

static void export_vcd(const struct cm_trace *trace, struct cm_export_range range)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_buffer text;
    struct cm_error err = {0};
    if ((uint64_t)info->nodes * info->dimensions * info->channels > CHANNELS_MAX)
        return;
    if (range.end_cycle > CYCLES_MAX)
        range.end_cycle = CYCLES_MAX;
    cm_buffer_init(&text);
    finish(cm_export_vcd(trace, range, &text, &err), &text);
    cm_buffer_init(&text);
    finish(cm_export_gtkw(trace, "out.vcd", 16, &text, &err), &text);
}

static void export_all(const struct cm_trace *trace)
{
    struct cm_export_range range = cm_export_all(trace);
    struct cm_buffer text;
    struct cm_error err = {0};
    export_chrome(trace, range);
    export_vcd(trace, range);
    for (int table = 0; table < CM_EXPORT_TABLE_COUNT; table++) {
        cm_buffer_init(&text);
        finish(cm_export_csv(trace, range, (enum cm_export_table)table, WINDOWS, &text, &err),
               &text);
    }
    cm_buffer_init(&text);
    cm_explain_trace(trace, 0, &text);
    finish(CM_OK, &text);
}

static void try_trace(const uint8_t *data, size_t size)
{
    struct cm_trace *trace = NULL;
    struct cm_error err = {0};
    if (cm_trace_open_memory(data, size, "fuzz", &trace, &err) == CM_OK)
        export_all(trace);
    cm_trace_close(trace);
}

FUZZ_TARGET(fuzz_export)
{
    if (size > INPUT_MAX)
        return 0;
    uint8_t *mended = fuzz_mend_trace(data, size);
    try_trace(data, size);
    if (mended != NULL)
        try_trace(mended, size);
    free(mended);
    return 0;
}
