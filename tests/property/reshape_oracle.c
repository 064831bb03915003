/* Definitions 1 to 3, literally. */
#include "reshape_oracle.h"

/* Definition 1: the upper half is the lower one read backwards, with a 1 in front. */
uint64_t oracle_gray(uint32_t bits, uint64_t index)
{
    if (bits == 0)
        return 0;
    uint64_t half = (uint64_t)1 << (bits - 1);
    if (index < half)
        return oracle_gray(bits - 1, index);
    return half + oracle_gray(bits - 1, 2 * half - 1 - index);
}

/* Each run of neighbouring processor dimensions of an axis is a Gray code of its own. */
static uint64_t mixed(uint32_t first, uint32_t bits, uint64_t processors, uint64_t index)
{
    uint64_t address = 0;
    for (uint32_t b = 0; b < bits;) {
        uint32_t run = 0;
        while (b + run < bits && (processors >> (first + b + run) & 1))
            run++;
        if (run == 0) {
            address |= (index >> b & 1) << b;
            b++;
            continue;
        }
        uint64_t field = (index >> b) % ((uint64_t)1 << run);
        address |= oracle_gray(run, field) << b;
        b += run;
    }
    return address;
}

uint64_t oracle_address(const struct oracle_shape *shape, enum oracle_code code,
                        uint64_t processors, uint64_t index)
{
    uint64_t address = 0;
    uint32_t first = 0;
    for (uint32_t a = 0; a < shape->rank; a++) {
        uint32_t bits = shape->bits[a];
        uint64_t along = index % ((uint64_t)1 << bits);
        index /= (uint64_t)1 << bits;
        uint64_t coded = along;
        if (code == ORACLE_GRAY)
            coded = oracle_gray(bits, along);
        else if (code == ORACLE_MIXED)
            coded = mixed(first, bits, processors, along);
        address += coded << first;
        first += bits;
    }
    return address;
}

uint64_t oracle_gather(uint64_t address, uint64_t mask)
{
    uint64_t gathered = 0;
    uint32_t place = 0;
    for (uint32_t m = 0; m < 64; m++)
        if (mask >> m & 1)
            gathered |= (address >> m & 1) << place++;
    return gathered;
}

void oracle_shape_of_ends(uint32_t bits, uint64_t ends, struct oracle_shape *shape)
{
    *shape = (struct oracle_shape){.rank = 1};
    for (uint32_t m = 0; m < bits; m++) {
        shape->bits[shape->rank - 1]++;
        shape->rank += m + 1 < bits && (ends >> m & 1);
    }
}

uint64_t oracle_ends(const struct oracle_shape *shape)
{
    uint64_t set = 0;
    uint32_t sum = 0, last = 0;
    for (uint32_t a = 0; a < shape->rank; a++)
        if (shape->bits[a] > 0)
            last = a;
    for (uint32_t a = 0; a < last; a++) {
        sum += shape->bits[a];
        if (sum > 0)
            set |= (uint64_t)1 << (sum - 1);
    }
    return set;
}

uint64_t oracle_dimensions(const struct oracle_shape *from, const struct oracle_shape *to)
{
    uint64_t u = oracle_ends(from), v = oracle_ends(to);
    return (u | v) & ~(u & v);
}
