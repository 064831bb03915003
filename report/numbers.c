/* Formats numbers for people, such as "1,234,567" and "1.234 ms". */
#include "numbers.h"

#include "value.h"

#include <inttypes.h>
#include <stdio.h>

struct cm_formatted cm_format_count(uint64_t value)
{
    struct cm_formatted count;
    char digits[CM_NUMBER_BYTES];
    size_t length = cm_value_print(cm_u64(value), digits), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            count.text[used++] = ',';
        count.text[used++] = digits[i];
    }
    count.text[used] = '\0';
    return count;
}

struct cm_formatted cm_format_seconds(double seconds)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    struct cm_formatted time;
    size_t i = 0;
    while (i < 3 && seconds < units[i].scale)
        i++;
    snprintf(time.text, sizeof time.text, "%.4g %s", seconds / units[i].scale, units[i].unit);
    return time;
}

struct cm_formatted cm_format_hz(uint64_t hz)
{
    struct cm_formatted clock;
    if (hz >= 1000000)
        snprintf(clock.text, sizeof clock.text, "%.10g MHz", (double)hz / 1e6);
    else if (hz >= 1000)
        snprintf(clock.text, sizeof clock.text, "%.6g kHz", (double)hz / 1e3);
    else
        snprintf(clock.text, sizeof clock.text, "%" PRIu64 " Hz", hz);
    return clock;
}
