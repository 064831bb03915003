/* The summary of a run that people read: at most 100 columns, for a terminal or a file. */
#include "result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAR_CELLS  40u
#define ROWS_MAX   48u /* steps shown; --json has all */
#define CELL_BYTES 48u
#define CELL_EXACT                                                                                 \
    UINT64_C(10000000000) /* larger numbers of the table are rounded, so that lines fit */

enum column { STEP, OP, PATH, TIMES, CYCLES, EXCHANGES, FAULTS, LOADS, STORES, COLUMNS };

struct row {
    char cells[COLUMNS][CELL_BYTES];
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* 1234567 as "1,234,567". */
static void format_count(uint64_t value, char *out, size_t size)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t used = 0;
    for (size_t i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

static void format_seconds(double seconds, char *out, size_t size)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t i = 0;
    while (i < 3 && seconds < units[i].scale)
        i++;
    snprintf(out, size, "%.4g %s", seconds / units[i].scale, units[i].unit);
}

static void format_hz(uint64_t hz, char *out, size_t size)
{
    if (hz >= 1000000)
        snprintf(out, size, "%.10g MHz", (double)hz / 1e6);
    else if (hz >= 1000)
        snprintf(out, size, "%.6g kHz", (double)hz / 1e3);
    else
        snprintf(out, size, "%" PRIu64 " Hz", hz);
}

/* "/steps/2/repeat/steps/0" as "3.1": people count from 1. */
static void format_where(const char *where, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *c = where; *c != '\0' && used + 24 < size; c++) {
        if (*c != '/' || c[1] < '0' || c[1] > '9')
            continue;
        unsigned long index = strtoul(c + 1, NULL, 10);
        used += (size_t)snprintf(out + used, size - used, "%s%lu", used ? "." : "", index + 1);
    }
}

static const char *escape(unsigned style, const char *code)
{
    return (style & CM_SUMMARY_COLOUR) != 0 ? code : "";
}

static void append_header(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    char clock[40];
    format_hz(result->clock_hz, clock, sizeof clock);
    cm_buffer_printf(text, "%s%s%s on %s: %" PRIu32 " node%s at %s, %" PRIu32 " thread%s%s\n",
                     escape(style, "\033[1m"), result->workload, escape(style, "\033[0m"),
                     result->machine, result->nodes, result->nodes == 1 ? "" : "s", clock,
                     result->threads, result->threads == 1 ? "" : "s",
                     result->timing_only ? ", timing only" : "");
}

static void fill_row(struct row *row, const struct cm_step_result *step)
{
    const struct cm_counters *c = &step->counters;
    const uint64_t values[COLUMNS] = {
        [TIMES] = step->times,     [CYCLES] = c->cycles, [EXCHANGES] = c->exchanges,
        [FAULTS] = c->page_faults, [LOADS] = c->loads,   [STORES] = c->stores,
    };
    format_where(step->where, row->cells[STEP], CELL_BYTES);
    snprintf(row->cells[OP], CELL_BYTES, "%s", step->op);
    snprintf(row->cells[PATH], CELL_BYTES, "%s", step->path);
    for (int i = TIMES; i < COLUMNS; i++) {
        if (values[i] < CELL_EXACT)
            format_count(values[i], row->cells[i], CELL_BYTES);
        else
            snprintf(row->cells[i], CELL_BYTES, "%.5e", (double)values[i]);
    }
}

/* Text columns to the left, numbers to the right; `times` only where a step ran more than once. */
static void append_row(struct cm_buffer *text, const struct row *row, const int *widths)
{
    cm_buffer_printf(text, " ");
    for (int i = 0; i < COLUMNS; i++) {
        if (widths[i] > 0)
            cm_buffer_printf(text, " %*s", i < TIMES ? -widths[i] : widths[i] + 1, row->cells[i]);
    }
    cm_buffer_printf(text, "\n");
}

static void append_table(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    struct row head = {
        {"step", "op", "path", "times", "cycles", "exchanges", "page faults", "loads", "stores"}};
    uint32_t shown = result->step_count < ROWS_MAX ? result->step_count : ROWS_MAX;
    int widths[COLUMNS];
    bool repeats = false;
    struct row *rows = calloc(shown + 1u, sizeof *rows);
    if (rows == NULL) {
        text->failed = true;
        return;
    }
    for (int k = 0; k < COLUMNS; k++)
        widths[k] = (int)strlen(head.cells[k]);
    for (uint32_t i = 0; i < shown; i++) {
        fill_row(&rows[i], &result->steps[i]);
        repeats = repeats || result->steps[i].times > 1;
        for (int k = 0; k < COLUMNS; k++) {
            int length = (int)strlen(rows[i].cells[k]);
            widths[k] = length > widths[k] ? length : widths[k];
        }
    }
    if (!repeats)
        widths[TIMES] = 0;
    cm_buffer_printf(text, "\n%s", escape(style, "\033[2m"));
    append_row(text, &head, widths);
    cm_buffer_printf(text, "%s", escape(style, "\033[0m"));
    for (uint32_t i = 0; i < shown; i++)
        append_row(text, &rows[i], widths);
    if (shown < result->step_count)
        cm_buffer_printf(text, "  and %" PRIu32 " more steps (--json shows all)\n",
                         result->step_count - shown);
    free(rows);
}

static void append_bar(struct cm_buffer *text, double share, unsigned style)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    unsigned parts = (unsigned)(share * BAR_CELLS * 8 + 0.5);
    unsigned cells = parts / 8, used;
    bool utf8 = (style & CM_SUMMARY_UTF8) != 0;
    if (!utf8)
        cells = (unsigned)(share * BAR_CELLS + 0.5);
    for (used = 0; used < cells; used++)
        cm_buffer_printf(text, "%s", utf8 ? "\u2588" : "#");
    if (utf8 && parts % 8 != 0) {
        cm_buffer_printf(text, "%s", eighths[parts % 8]);
        used++;
    }
    for (; used < BAR_CELLS; used++)
        cm_buffer_printf(text, " ");
}

static void append_causes(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    bool shown[CM_CAUSE_COUNT] = {false};
    char cycles[40];
    uint64_t total = result->total.cycles;
    for (;;) {
        int most = -1;
        for (int i = 0; i < CM_CAUSE_COUNT; i++) {
            uint64_t value = result->total.by_cause[i];
            if (!shown[i] && value > 0 && (most < 0 || value > result->total.by_cause[most]))
                most = i;
        }
        if (most < 0)
            break;
        shown[most] = true;
        double share = (double)result->total.by_cause[most] / (double)total;
        format_count(result->total.by_cause[most], cycles, sizeof cycles);
        cm_buffer_printf(text, "  %-17s%s", cm_cause_name((enum cm_cause)most),
                         escape(style, "\033[36m"));
        append_bar(text, share, style);
        cm_buffer_printf(text, "%s %14s %5.1f %%\n", escape(style, "\033[0m"), cycles, share * 100);
    }
}

static void append_dimensions(struct cm_buffer *text, uint64_t dimensions)
{
    const char *comma = "";
    cm_buffer_printf(text, "{");
    for (uint32_t d = 64; d-- > 0;) {
        if (!(dimensions >> d & 1))
            continue;
        cm_buffer_printf(text, "%s%" PRIu32, comma, d);
        comma = ", ";
    }
    cm_buffer_printf(text, "}");
}

/* What each reshape planned: its steps beside the theorem's number and the lower bound. */
static void append_reshapes(struct cm_buffer *text, const struct cm_result *result)
{
    static const char *const sources[CM_RESHAPE_ALGORITHM_COUNT] = {
        "none", "theorem 2", "theorem 3", "theorem 4", "theorem 5"};
    for (uint32_t i = 0; i < result->step_count; i++) {
        const struct cm_reshape_summary *reshape = result->steps[i].reshape;
        if (reshape == NULL)
            continue;
        cm_buffer_printf(text, "\n  reshape %s: D = ", result->steps[i].where);
        append_dimensions(text, reshape->dimensions);
        cm_buffer_printf(text, ", of processors ");
        append_dimensions(text, reshape->processor_dimensions);
        cm_buffer_printf(text, "; K = %" PRIu64 "\n    %s", reshape->elements_per_node,
                         cm_reshape_algorithm_name(reshape->algorithm));
        if (reshape->has_start)
            cm_buffer_printf(text, " from %" PRIu32, reshape->start);
        cm_buffer_printf(text,
                         ": %" PRIu64 " element transfers in sequence (%s: %" PRIu64
                         ", lower bound %" PRIu64 ")",
                         reshape->steps,
                         reshape->has_start ? "section 4" : sources[reshape->algorithm],
                         reshape->bound, reshape->lower_bound);
        if (reshape->permutation_steps > 0)
            cm_buffer_printf(text, ", %" PRIu64 " of them to permute dimensions",
                             reshape->permutation_steps);
        for (int a = 0; a < CM_RESHAPE_ALGORITHM_COUNT; a++)
            if (reshape->reasons[a][0] != '\0')
                cm_buffer_printf(text, "\n    not %s: %s",
                                 cm_reshape_algorithm_name((enum cm_reshape_algorithm)a),
                                 reshape->reasons[a]);
        cm_buffer_printf(text, "\n");
    }
}

/* What each step of FFT communication cost: on the mesh, on the cube, on the machine. */
static void append_ffts(struct cm_buffer *text, const struct cm_result *result)
{
    for (uint32_t i = 0; i < result->step_count; i++) {
        if (result->steps[i].fft == NULL)
            continue;
        cm_buffer_printf(text, "\n  %s %s: ", result->steps[i].op, result->steps[i].where);
        cm_fft_summary(result->steps[i].fft, text);
    }
}

/* What each shift and route step did in the network, in short. */
static void append_networks(struct cm_buffer *text, const struct cm_result *result)
{
    for (uint32_t i = 0; i < result->step_count; i++) {
        const struct cm_step_result *step = &result->steps[i];
        if (step->network == NULL || step->times == 0)
            continue;
        cm_buffer_printf(text, "\n  %s %s:", step->op, step->where);
        cm_network_brief(step->network, text);
    }
}

static void append_total(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    char cycles[40], time[40], clock[40];
    double seconds = (double)result->total.cycles / (double)result->clock_hz;
    format_count(result->total.cycles, cycles, sizeof cycles);
    format_seconds(seconds, time, sizeof time);
    format_hz(result->clock_hz, clock, sizeof clock);
    cm_buffer_printf(text, "\n  %s%s cycle%s%s = %s%s%s at %s\n\n", escape(style, "\033[1m"),
                     cycles, plural(result->total.cycles), escape(style, "\033[0m"),
                     escape(style, "\033[1m"), time, escape(style, "\033[0m"), clock);
}

static void append_channels(struct cm_buffer *text, const struct cm_result *result)
{
    const struct cm_channel_use *use = &result->channels;
    char words[40], busy[40];
    cm_buffer_printf(text, "\n  busiest channel  ");
    if (use->max_load == 0) {
        cm_buffer_printf(text, "none: nothing was sent between nodes\n");
        return;
    }
    format_count(use->max_load, words, sizeof words);
    format_count(use->max_busy_cycles, busy, sizeof busy);
    cm_buffer_printf(text,
                     "node %" PRIu32 ", dimension %" PRIu32 ", channel %" PRIu32
                     ": %s word%s, %s cycle%s (mean %.1f)\n",
                     use->max_node, use->max_dimension, use->max_channel, words,
                     plural(use->max_load), busy, plural(use->max_busy_cycles),
                     use->mean_busy_cycles);
}

static bool has_transform(const struct cm_result *result)
{
    for (uint32_t i = 0; i < result->step_count; i++)
        if (result->steps[i].fft != NULL && result->steps[i].fft->transformed)
            return true;
    return false;
}

static void append_check(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    uint32_t checked = 0;
    char count[40];
    for (uint32_t i = 0; i < result->step_count; i++)
        checked += result->steps[i].checked;
    cm_buffer_printf(text, "  checked          ");
    if (result->mismatches > 0) {
        format_count(result->mismatches, count, sizeof count);
        cm_buffer_printf(text, "%sWRONG: %s element%s from the direct evaluation%s\n",
                         escape(style, "\033[1;31m"), count,
                         result->mismatches == 1 ? " differs" : "s differ",
                         escape(style, "\033[0m"));
    } else if (result->checked && result->step_count > 0) {
        cm_buffer_printf(text,
                         "%syes%s, every element of every step equals the direct evaluation%s\n",
                         escape(style, "\033[32m"), escape(style, "\033[0m"),
                         has_transform(result) ? "; transforms, up to rounding" : "");
    } else if (checked > 0) {
        cm_buffer_printf(
            text, "%" PRIu32 " of %" PRIu32 " steps; hand-written IMPs have no direct evaluation\n",
            checked, result->step_count);
    } else {
        cm_buffer_printf(text, "no%s\n", result->timing_only ? ": timing only, no data" : "");
    }
}

void cm_result_summary(const struct cm_result *result, unsigned style, struct cm_buffer *text)
{
    char wall[40];
    double seconds = (double)result->total.cycles / (double)result->clock_hz;
    append_header(text, result, style);
    append_table(text, result, style);
    append_reshapes(text, result);
    append_ffts(text, result);
    if ((style & CM_SUMMARY_NO_NETWORK) == 0)
        append_networks(text, result);
    append_total(text, result, style);
    append_causes(text, result, style);
    append_channels(text, result);
    append_check(text, result, style);
    format_seconds(result->wall_seconds, wall, sizeof wall);
    cm_buffer_printf(text, "  real-time factor %.3g (%s on this host)\n",
                     result->wall_seconds > 0 ? seconds / result->wall_seconds : 0.0, wall);
}
