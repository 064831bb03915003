/* Partners of a reshape: pairs of elements of a node that can share a channel, and sequences of
 * partners as streams (reshape_pairs.h). */
#include "reshape_pairs.h"

bool cm_reshape_bits_add(struct cm_reshape_bits *bits, uint64_t row, bool right)
{
    for (uint32_t i = 0; i < bits->count; i++)
        if (row >> (63 - __builtin_clzll(bits->rows[i])) & 1) {
            row ^= bits->rows[i];
            right = right != bits->right[i];
        }
    if (row == 0)
        return !right;
    uint32_t pivot = 63 - (uint32_t)__builtin_clzll(row);
    for (uint32_t i = 0; i < bits->count; i++)
        if (bits->rows[i] >> pivot & 1) {
            bits->rows[i] ^= row;
            bits->right[i] = bits->right[i] != right;
        }
    bits->rows[bits->count] = row;
    bits->right[bits->count++] = right;
    return true;
}

uint64_t cm_reshape_bits_solve(const struct cm_reshape_bits *bits)
{
    uint64_t solution = 0;
    for (uint32_t i = 0; i < bits->count; i++)
        solution |= (uint64_t)bits->right[i] << (63 - __builtin_clzll(bits->rows[i]));
    return solution;
}

uint64_t cm_reshape_deposit(uint64_t number, uint64_t mask)
{
    uint64_t bits = 0;
    for (; mask != 0; mask &= mask - 1, number >>= 1)
        bits |= number & 1 ? mask & (~mask + 1) : 0;
    return bits;
}

bool cm_reshape_run_extend(struct cm_reshape_run *run, const struct cm_reshape_run *more)
{
    bool on = run->step + run->count == more->step && run->element + run->count == more->element &&
              run->with == more->with &&
              (run->element ^ run->with) + run->count == (more->element ^ more->with);
    if (on)
        run->count += more->count;
    return on;
}

static enum cm_status add_run(const struct cm_reshape_work *work, const struct cm_reshape_run *run,
                              uint64_t element, struct cm_error *err)
{
    struct cm_reshape_stream stream = {
        .first_step = run->step,
        .count = run->count,
        .first_element = element,
        .nodes = run->control.nodes,
        .dimension = cm_allocation_rank(&work->plan->from, run->dimension),
        .source = CM_RESHAPE_ARRAY,
        .target = CM_RESHAPE_ARRAY,
        .sender = true,
        .receiver = true,
    };
    return cm_reshape_add_cut(work, stream, run->control.locals, err);
}

enum cm_status cm_reshape_add_elements(const struct cm_reshape_work *work,
                                       const struct cm_reshape_run *run, struct cm_error *err)
{
    enum cm_status status = add_run(work, run, run->element, err);
    if (status == CM_OK && run->with != 0)
        status = add_run(work, run, run->element ^ run->with, err);
    return status;
}
