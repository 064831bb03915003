/* The oracle of mappings: cards, digits, reflected codes. */
#include "mapping_oracle.h"

#include <string.h>

static int power(int digits)
{
    int value = 1;
    while (digits-- > 0)
        value *= 2;
    return value;
}

/* The code of `value` on `digits` digits, built by reflection: the upper half of the list is the
 * lower one backwards, with a 1. */
static int reflected(int value, int digits)
{
    if (digits == 0)
        return 0;
    int half = power(digits - 1);
    return value < half ? reflected(value, digits - 1)
                        : half + reflected(2 * half - 1 - value, digits - 1);
}

/* Cards of dealers given out to piles, one each in turn. */
static void deal_cards(struct oracle_mapping *mapping)
{
    int deck[ORACLE_AXES_MAX][ORACLE_BITS_MAX], left[ORACLE_AXES_MAX] = {0};
    int pile[ORACLE_AXES_MAX][ORACLE_BITS_MAX], height[ORACLE_AXES_MAX] = {0};
    int cards = mapping->digits - mapping->local_digits, card = 0, dealt = 0;
    for (int p = 0; p < mapping->rank; p++) {
        for (int q = 0; q < mapping->array_digits[p]; q++, card++) {
            bool stays = mapping->local_first ? card < mapping->local_digits : card >= cards;
            if (stays)
                mapping->seat[card] = card;
            else
                deck[p][left[p]++] = card;
        }
    }
    int given[ORACLE_AXES_MAX] = {0};
    for (int turn = 0; dealt < cards; turn++) {
        int p = turn % mapping->rank;
        for (int i = 0; i < mapping->mesh_rank; i++) {
            if (given[p] == left[p] || height[i] == mapping->mesh_digits[i])
                continue;
            pile[i][height[i]++] = deck[p][given[p]++];
            dealt++;
        }
    }
    int seat = mapping->local_first ? mapping->local_digits : 0;
    for (int i = 0; i < mapping->mesh_rank; i++) {
        for (int h = 0; h < height[i]; h++)
            mapping->seat[pile[i][h]] = seat + h;
        seat += mapping->mesh_digits[i];
    }
}

/* splitmix64, its state advanced one output after the other. */
static uint64_t next_output(uint64_t *state)
{
    uint64_t z = *state += 11400714819323198485u;
    z = (z ^ z >> 30) * 13787848793156543929u;
    z = (z ^ z >> 27) * 10723151780598845931u;
    return z ^ z >> 31;
}

void oracle_mapping_finish(struct oracle_mapping *mapping)
{
    uint64_t state = mapping->seed;
    mapping->digits = 0;
    for (int p = 0; p < mapping->rank; p++)
        mapping->digits += mapping->array_digits[p];
    for (int x = 0; x < mapping->digits + mapping->idle_digits; x++)
        mapping->seat[x] = mapping->deal == ORACLE_LIST ? mapping->list[x] : x;
    if (mapping->deal == ORACLE_SHUFFLE)
        deal_cards(mapping);
    for (int n = mapping->digits + mapping->idle_digits; mapping->deal == ORACLE_RANDOM && n > 1;
         n--) {
        int drawn = (int)(next_output(&state) % (uint64_t)n), kept = mapping->seat[n - 1];
        mapping->seat[n - 1] = mapping->seat[drawn];
        mapping->seat[drawn] = kept;
    }
}

void oracle_place(const struct oracle_mapping *mapping, int index, struct oracle_point *point)
{
    int digit[ORACLE_BITS_MAX] = {0}, at = 0, weight = 1;
    for (int x = 0; x < mapping->digits; x++, index /= 2)
        digit[mapping->seat[x]] = index % 2;
    memset(point, 0, sizeof *point);
    if (!mapping->local_first)
        at = 0;
    for (int b = 0; mapping->local_first && b < mapping->local_digits; b++)
        point->local += digit[at++] * power(b);
    for (int i = 0; i < mapping->mesh_rank; i++) {
        int digits = mapping->mesh_digits[i];
        for (int j = 0; j < digits; j++)
            point->coordinate[i] += digit[at++] * power(j);
        int code = mapping->gray ? reflected(point->coordinate[i], digits) : point->coordinate[i];
        point->node += code * weight;
        weight *= power(digits);
    }
    for (int b = 0; !mapping->local_first && b < mapping->local_digits; b++)
        point->local += digit[at++] * power(b);
}

void oracle_coordinates(const struct oracle_mapping *mapping, int node, int *coordinate)
{
    for (int i = 0; i < mapping->mesh_rank; i++) {
        int digits = mapping->mesh_digits[i], code = node % power(digits), c = 0;
        while ((mapping->gray ? reflected(c, digits) : c) != code)
            c++;
        coordinate[i] = c;
        node /= power(digits);
    }
}
