/* Tables of the figures in the paper on reshapes: the element at each address after each exchange.
 */
#include "../../base/buffer.h"
#include "reshape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Table under construction. An address is written dimension by dimension: its bit m belongs to
 * logic dimension m. */
struct table {
    const struct cm_allocation *from;
    uint64_t count;
    uint64_t *held;
    /* Number of the element at each address, at columns[column * count + address]. There is a
     * column for each exchange of each sequence, with the state after the exchange. */
    uint64_t *columns;
    bool *controls;
};

static uint64_t code_of(const struct cm_allocation *allocation, uint64_t index)
{
    return index ^ (index >> 1 & allocation->coupled);
}

/* Returns the control of an exchange at an address. Bit m of `address` belongs to logic dimension
 * m. */
static bool control_at(const struct cm_allocation *from, uint64_t coupled, uint32_t dimension,
                       uint64_t address)
{
    bool value = false;
    for (uint32_t m = dimension + 1; m < from->dimensions; m++) {
        value = value != ((address >> m & 1) != 0);
        if (!(coupled >> m & 1))
            break;
    }
    return value;
}

/* Lists the exchanges of the data set that starts with processor dimension number `first`, memory
 * dimensions first. */
static void list_sequence(const struct cm_reshape_plan *plan, uint32_t first, uint32_t *order)
{
    for (uint32_t i = 0; i < plan->exchange_count; i++) {
        uint32_t from = i;
        if (i >= plan->local_count)
            from = plan->local_count + (i - plan->local_count + first) % plan->delta;
        order[i] = plan->exchanges[from].dimension;
    }
}

static void run_sequence(struct table *table, const uint32_t *order, uint32_t count,
                         uint64_t *columns, bool *controls)
{
    uint64_t coupled = table->from->coupled;
    for (uint64_t i = 0; i < table->count; i++)
        table->held[code_of(table->from, i)] = i;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t d = order[k];
        uint64_t *column = columns + k * table->count;
        for (uint64_t a = 0; a < table->count; a++) {
            bool control = control_at(table->from, coupled, d, a);
            controls[k * table->count + a] = control;
            column[a] = table->held[control ? a ^ UINT64_C(1) << d : a];
        }
        for (uint64_t a = 0; a < table->count; a++)
            table->held[a] = column[a];
        coupled ^= UINT64_C(1) << d;
    }
}

static void append_address(struct cm_buffer *text, uint64_t address, uint32_t dimensions)
{
    for (uint32_t m = dimensions; m-- > 0;)
        cm_buffer_printf(text, "%c", address >> m & 1 ? '1' : '0');
}

static int width_of(uint64_t count)
{
    return snprintf(NULL, 0, "%" PRIu64, count - 1);
}

/* Appends the table of a single sequence of exchanges. A column is as wide as its heading, such as
 * "exch. dim. 10" above control and element. */
static void append_single(struct cm_buffer *text, const struct table *table, const uint32_t *order,
                          uint32_t count)
{
    int width = width_of(table->count);
    int address = (int)table->from->dimensions > 5 ? (int)table->from->dimensions : 5;
    cm_buffer_printf(text, "%*s  %-*s", width > 4 ? width : 4, "data", address, "paddr");
    for (uint32_t k = 0; k < count; k++)
        cm_buffer_printf(text, "  | dim %2" PRIu32 ": b%-2" PRIu32 " data", order[k], order[k] + 1);
    cm_buffer_printf(text, "\n");
    for (uint64_t i = 0; i < table->count; i++) {
        uint64_t at = code_of(table->from, i);
        cm_buffer_printf(text, "%*s%0*" PRIu64 "  ", width < 4 ? 4 - width : 0, "", width, i);
        append_address(text, at, table->from->dimensions);
        cm_buffer_printf(text, "%*s", address - (int)table->from->dimensions, "");
        for (uint32_t k = 0; k < count; k++) {
            bool control = table->controls[k * table->count + at];
            cm_buffer_printf(text, "  |           %d  %*s%0*" PRIu64 "%s", control,
                             width < 3 ? 3 - width : 0, "", width,
                             table->columns[k * table->count + at], control ? "*" : " ");
        }
        cm_buffer_printf(text, "\n");
    }
}

static void append_concurrent(struct cm_buffer *text, const struct table *table,
                              const struct cm_reshape_plan *plan)
{
    uint32_t count = plan->exchange_count, order[64];
    int width = width_of(table->count);
    int address = (int)table->from->dimensions > 5 ? (int)table->from->dimensions : 5;
    width = width > 4 ? width : 4;
    cm_buffer_printf(text, "%*s  %-*s", width, "", address, "");
    for (uint32_t s = 0; s < plan->delta; s++)
        cm_buffer_printf(text, "  | seq %-*" PRIu32, (int)count * (width + 1) - 5,
                         plan->exchanges[plan->local_count + s].dimension);
    cm_buffer_printf(text, "\n%*s  %-*s", width, "data", address, "paddr");
    for (uint32_t s = 0; s < plan->delta; s++) {
        list_sequence(plan, s, order);
        cm_buffer_printf(text, "  |");
        for (uint32_t k = 0; k < count; k++)
            cm_buffer_printf(text, " %*" PRIu32, width, order[k]);
    }
    cm_buffer_printf(text, "\n");
    for (uint64_t i = 0; i < table->count; i++) {
        uint64_t at = code_of(table->from, i);
        cm_buffer_printf(text, "%*" PRIu64 "  ", width, i);
        append_address(text, at, table->from->dimensions);
        cm_buffer_printf(text, "%*s", address - (int)table->from->dimensions, "");
        for (uint32_t column = 0; column < count * plan->delta; column++)
            cm_buffer_printf(text, "%s %*" PRIu64, column % count == 0 ? "  |" : "", width,
                             table->columns[column * table->count + at]);
        cm_buffer_printf(text, "\n");
    }
}

void cm_reshape_table(const struct cm_reshape_plan *plan, struct cm_buffer *text)
{
    struct table table = {.from = &plan->from, .count = UINT64_C(1) << plan->from.dimensions};
    uint32_t count = plan->exchange_count, order[64];
    bool concurrent =
        plan->algorithm == CM_RESHAPE_GRAY_BINARY && !plan->has_start && plan->delta > 0;
    uint32_t sequences = concurrent ? plan->delta : 1;
    uint64_t columns = (uint64_t)count * sequences;
    table.held = calloc(table.count, sizeof *table.held);
    table.columns = calloc(columns * table.count + 1, sizeof *table.columns);
    table.controls = calloc(columns * table.count + 1, sizeof *table.controls);
    if (!table.held || !table.columns || !table.controls) {
        text->failed = true;
    } else {
        for (uint32_t s = 0; s < sequences; s++) {
            uint64_t at = (uint64_t)s * count * table.count;
            list_sequence(plan, s, order);
            run_sequence(&table, order, count, table.columns + at, table.controls + at);
        }
        if (concurrent) {
            append_concurrent(text, &table, plan);
        } else {
            list_sequence(plan, 0, order);
            append_single(text, &table, order, count);
        }
    }
    free(table.held);
    free(table.columns);
    free(table.controls);
}
