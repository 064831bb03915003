/* Labels of axes: the names of values, with units and powers of ten. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE_UNIT "words per node and word time"

/* Titles of the columns that cm200 route --csv writes. */
static const struct title {
    const char *name, *title, *unit;
} titles[] = {
    {"offered", "offered rate", RATE_UNIT},
    {"accepted", "accepted rate", RATE_UNIT},
    {"mean", "mean latency", "word times"},
    {"p50", "median latency", "word times"},
    {"p99", "99th percentile of latency", "word times"},
    {"max", "largest latency", "word times"},
    {"queueing", "mean queueing", "word times"},
    {"header", "mean time of headers", "word times"},
    {"body", "mean time of bodies", "word times"},
};

static const struct title *title_of(const char *name)
{
    for (uint32_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(name, titles[i].name) == 0)
            return &titles[i];
    return NULL;
}

/* Returns the unit of a value, which the end of the value's name implies. "": the value is a plain
 * number, or its name already contains the unit. */
static const char *unit_of(const char *name)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"_words", "words"},
                 {"words_sent", "words"},
                 {"clock_hz", "Hz"},
                 {"_bits", "bits"},
                 {"seconds", "s"},
                 {"_cycles", "cycles"},
                 {"load_fault", "cycles"},
                 {"/cycles", "cycles"},
                 {"/rate", RATE_UNIT},
                 {"/offered", RATE_UNIT},
                 {"/accepted", RATE_UNIT},
                 {"/throughput_bound", RATE_UNIT},
                 {"throughput_words_per_node_cycle", RATE_UNIT},
                 {"latency/mean", "word times"},
                 {"latency/p50", "word times"},
                 {"latency/p99", "word times"},
                 {"latency/max", "word times"},
                 {"latency/queueing", "word times"}};
    for (uint32_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(name), end = strlen(units[i].end);
        if (length >= end && strcmp(name + length - end, units[i].end) == 0)
            return units[i].unit;
    }
    return strncmp(name, "cycles_by_", 10) == 0 ? "cycles" : "";
}

/* Writes the label of an axis. A power of ten, such as "10⁶", becomes part of the label, so that
 * the numbers at the ticks need not repeat zeros. */
void cm_figure_label(struct cm_chart_axis *axis, const char *name, char *label, size_t size)
{
    static const char *const powers[] = {"", "10³", "10⁶", "10⁹", "10¹²", "10¹⁵", "10¹⁸"};
    const struct title *title = title_of(name);
    const char *unit = title != NULL ? title->unit : unit_of(name), *power = "";
    double most = fmax(fabs(axis->first), fabs(axis->last));
    axis->unit = 1;
    for (uint32_t i = 1; i < sizeof powers / sizeof *powers && axis->base == 0; i++)
        if (most >= 100 * pow(1000, i)) {
            axis->unit = pow(1000, i);
            power = powers[i];
        }
    bool both = power[0] != '\0' && unit[0] != '\0', any = power[0] != '\0' || unit[0] != '\0';
    snprintf(label, size, "%s%s%s%s%s%s", title != NULL ? title->title : name, any ? " (" : "",
             power, both ? " " : "", unit, any ? ")" : "");
    axis->label = label;
}
