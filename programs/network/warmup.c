/* Searches for the end of the warm-up by the rule MSER (warmup.h). */
#include "warmup.h"

#include <string.h>

#define LEFT_LEAST 5u /* least number of values of which MSER takes a mean */

uint32_t cm_mser(const double *values, uint32_t count)
{
    double sum = 0, squares = 0, least = 0;
    uint32_t best = 0;
    bool any = false;
    for (uint32_t left = 1; left <= count; left++) {
        const double value = values[count - left], n = left;
        sum += value;
        squares += value * value;
        const double spread = squares - sum * sum / n;
        const double error = (spread > 1e-12 * squares ? spread : 0) / (n * n);
        if (left < LEFT_LEAST || (any && error > least))
            continue;
        any = true;
        least = error;
        best = count - left;
    }
    return best;
}

void cm_warmup_begin(struct cm_warmup *warmup, uint64_t end, uint64_t most)
{
    *warmup = (struct cm_warmup){
        .end = end,
        .most = most,
        .width = end / CM_WARMUP_SAMPLES + 1,
        .over = end >= most,
    };
}

void cm_warmup_decide(struct cm_warmup *warmup)
{
    double in_flight[CM_WARMUP_SAMPLES] = {0};
    const uint32_t count = (uint32_t)(warmup->end / warmup->width);
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += warmup->changes[i];
        in_flight[i] = (double)sum;
    }
    warmup->over = warmup->end > warmup->most / 2 || cm_mser(in_flight, count) <= count / 2;
    if (warmup->over)
        return;
    for (uint32_t i = 0; i < CM_WARMUP_SAMPLES; i++)
        warmup->changes[i] = warmup->changes[2 * i] + warmup->changes[2 * i + 1];
    memset(warmup->changes + CM_WARMUP_SAMPLES, 0, sizeof warmup->changes / 2);
    warmup->end *= 2;
    warmup->width *= 2;
}
