/*
 * Compiler of plans of reshapes to IMPs. It emits local exchanges, then streams, then the second
 * phase, and computes the control words last.
 */
#include "reshape_emit.h"

/*
 * Emits an exchange in a memory dimension as moves within the nodes, first for local parity 0, then
 * for local parity 1. The array is divided into blocks at the lowest local bit of the exchange's
 * control. Within such a block all elements have the same control, because the control's local bits
 * are above the dimension's bit.
 */
static void emit_local_exchange(struct cm_reshape_compiler *c,
                                const struct cm_reshape_exchange *exchange)
{
    uint32_t bit = cm_allocation_rank(&c->plan->from, exchange->dimension);
    uint64_t half = c->slices * (UINT64_C(1) << bit);
    const struct cm_reshape_control *control = &exchange->control;
    uint64_t chunk = c->words;
    if (control->locals)
        chunk = c->slices * (control->locals & (~control->locals + 1));
    for (uint32_t turned = 0; turned < 2; turned++) {
        bool value = turned == 0;
        if (control->nodes == 0 && value)
            /* A control without node address bits has parity 0 in every node, so no node has the
             * parity 1. */
            continue;
        for (uint64_t at = 0; at < c->words; at += chunk) {
            uint64_t element = at / c->slices;
            if ((uint32_t)__builtin_parityll(element & control->locals) == turned)
                cm_reshape_emit_block_swaps(c,
                                            &(struct cm_reshape_blocks){.nodes = control->nodes,
                                                                        .value = value,
                                                                        .first = at,
                                                                        .second = at + half,
                                                                        .words = half,
                                                                        .count = chunk / (2 * half),
                                                                        .stride = 2 * half});
        }
    }
    cm_reshape_emit_context_all(c);
}

static void fill_controls(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_reshape_compiler *c = context;
    for (uint32_t i = 0; i < c->controls.count; i++)
        for (uint32_t node = 0; node < nodes; node++)
            planes[(size_t)(i / 32) * nodes + node] |=
                (uint32_t)cm_reshape_nodes_have(&c->controls.items[i], node) << i % 32;
}

enum cm_status cm_reshape_compile(struct cm_system *system, uint32_t slices,
                                  const struct cm_reshape_plan *plan, struct cm_compiled *compiled,
                                  struct cm_error *err)
{
    uint64_t words = (UINT64_C(1) << (plan->from.dimensions - plan->from.node_bits)) * slices;
    struct cm_reshape_compiler c = {.config = cm_machine_config(system->machine),
                                    .plan = plan,
                                    .compiled = compiled,
                                    .slices = slices,
                                    .unit_words = (uint32_t)(words / plan->elements)};
    uint64_t buffers = (uint64_t)plan->buffer_count + plan->swap_buffer_count;
    /* Scratch memory has one place more than there are buffers. Steps combine the words of several
     * streams in this place. */
    compiled->scratch = (struct cm_scratch){(buffers + 1) * c.unit_words, CM_RESHAPE_REG_SCRATCH,
                                            "the scratch memory of a reshape"};
    c.words = plan->elements * c.unit_words;
    if (!cm_reshape_begin(&c))
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < plan->local_count; i++)
        emit_local_exchange(&c, &plan->exchanges[i]);
    cm_reshape_emit_streams(&c, plan->streams, plan->stream_count);
    cm_reshape_emit_rounds(&c);
    enum cm_status status =
        !cm_reshape_end(&c) || c.controls.failed
            ? cm_error_no_memory(err)
            : cm_compiled_table(system, compiled,
                                &(struct cm_table_request){(c.controls.count + 31) / 32,
                                                           "the table of control words",
                                                           fill_controls, &c},
                                err);
    cm_list_finish(&c.controls);
    return status;
}
