/* Emits code for records in FPU registers: loads, stores, comparisons, and comparators that
 * exchange two records. */
#include "sort_private.h"

void cm_sort_op(struct cm_sorter *c, enum cm_op op, unsigned to, unsigned a, unsigned b)
{
    CM_EMIT(c->imp, op, cm_reg(to), cm_reg(a), cm_reg(b));
}

void cm_sort_constant(struct cm_sorter *c, unsigned to, uint32_t word)
{
    CM_EMIT(c->imp, CM_OP_FCONST, cm_reg(to), cm_word(word));
}

void cm_sort_registers_init(struct cm_sort_registers *registers, unsigned first)
{
    registers->spare = FPU_SPARE;
    for (unsigned i = 0; i + first < CM_FPU_REGISTERS; i++)
        registers->of[i] = (uint8_t)(first + i);
}

static uint8_t *part_of(const struct cm_sorter *c, struct cm_sort_registers *registers,
                        uint32_t record, uint32_t part)
{
    return &registers->of[record * c->record->parts + part];
}

unsigned cm_sort_part(const struct cm_sorter *c, const struct cm_sort_registers *registers,
                      uint32_t record, uint32_t part)
{
    return registers->of[record * c->record->parts + part];
}

void cm_sort_record_load(struct cm_sorter *c, const struct cm_sort_registers *registers,
                         uint32_t record, struct cm_place from)
{
    for (uint32_t part = 0; part < c->record->parts; part++)
        CM_EMIT(c->imp, c->record->wide[part] ? CM_OP_FLOAD64 : CM_OP_FLOAD32,
                cm_reg(cm_sort_part(c, registers, record, part)),
                cm_mem(from.reg, from.offset + c->record->offsets[part]));
}

void cm_sort_record_store(struct cm_sorter *c, const struct cm_sort_registers *registers,
                          uint32_t record, struct cm_place to)
{
    for (uint32_t part = 0; part < c->record->parts; part++)
        CM_EMIT(c->imp, c->record->wide[part] ? CM_OP_FSTORE64 : CM_OP_FSTORE32,
                cm_mem(to.reg, to.offset + c->record->offsets[part]),
                cm_reg(cm_sort_part(c, registers, record, part)));
}

/* Emits the comparison of two records. Where words are equal, they are replaced by the next words,
 * so that a single comparison is left at the end. */
void cm_sort_before(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                    uint32_t b)
{
    unsigned left = cm_sort_part(c, registers, a, 0), right = cm_sort_part(c, registers, b, 0);
    for (uint32_t part = 1; part < c->record->keys; part++) {
        CM_EMIT(c->imp, CM_OP_IEQ, cm_reg(left), cm_reg(right));
        cm_sort_op(c, CM_OP_FSEL32, FPU_LEFT, cm_sort_part(c, registers, a, part), left);
        cm_sort_op(c, CM_OP_FSEL32, FPU_RIGHT, cm_sort_part(c, registers, b, part), right);
        left = FPU_LEFT;
        right = FPU_RIGHT;
    }
    CM_EMIT(c->imp, CM_OP_ILT, cm_reg(left), cm_reg(right));
}

static enum cm_op select_of(const struct cm_sorter *c, uint32_t part)
{
    return c->record->wide[part] ? CM_OP_FSEL64 : CM_OP_FSEL32;
}

void cm_sort_comparator(struct cm_sorter *c, struct cm_sort_registers *registers, uint32_t a,
                        uint32_t b)
{
    const bool alone = c->record->parts == 1;
    if (!alone)
        cm_sort_before(c, registers, b, a);
    for (uint32_t part = 0; part < c->record->parts; part++) {
        uint8_t *first = part_of(c, registers, a, part);
        const uint8_t second = *part_of(c, registers, b, part), old = *first;
        cm_sort_op(c, alone ? CM_OP_IMIN : select_of(c, part), registers->spare, second, old);
        cm_sort_op(c, alone ? CM_OP_IMAX : select_of(c, part), second, old, second);
        *first = registers->spare;
        registers->spare = old;
    }
}

void cm_sort_take(struct cm_sorter *c, const struct cm_sort_registers *registers, uint32_t a,
                  uint32_t b)
{
    for (uint32_t part = 0; part < c->record->parts; part++) {
        const unsigned own = cm_sort_part(c, registers, a, part);
        cm_sort_op(c, select_of(c, part), own, cm_sort_part(c, registers, b, part), own);
    }
}

void cm_sort_all_nodes(struct cm_sorter *c)
{
    if (c->record->parts > 1)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

uint32_t cm_sort_begin_loop(struct cm_sorter *c, uint64_t count)
{
    return count > 1 ? CM_EMIT(c->imp, CM_OP_LOOP, cm_value((int64_t)count)) : 0;
}

void cm_sort_end_loop(struct cm_sorter *c, uint64_t count, uint32_t start)
{
    if (count > 1)
        cm_emit_next(c->imp, start);
}
