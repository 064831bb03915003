/* Emits the pieces of IMP that several compilers need. */
#include "emit.h"

#include <string.h>

const struct cm_fpu_ops *cm_fpu_ops(enum cm_type type)
{
    static const struct cm_fpu_ops single = {CM_OP_FLOAD32, CM_OP_FSTORE32, CM_OP_FSCAL32,
                                             CM_OP_FADD32,  CM_OP_FSUB32,   CM_OP_FMUL32,
                                             CM_OP_FMA32};
    static const struct cm_fpu_ops wide = {CM_OP_FLOAD64, CM_OP_FSTORE64, CM_OP_FSCAL64,
                                           CM_OP_FADD64,  CM_OP_FSUB64,   CM_OP_FMUL64,
                                           CM_OP_FMA64};
    return cm_type_slices(type) > cm_type_components(type) ? &wide : &single;
}

struct cm_imp *cm_emit_begin(const char *name, const char *addresses)
{
    struct cm_imp *imp = cm_imp_create(name);
    uint32_t count = 0;
    for (; imp && *addresses; count++) {
        char argument[CM_IMP_NAME_MAX + 1] = "";
        size_t length = strcspn(addresses, " ");
        memcpy(argument, addresses, length);
        cm_imp_argument(imp, argument, CM_ARGUMENT_ADDRESS);
        addresses += length + (addresses[length] == ' ');
    }
    for (uint32_t i = 0; i < count; i++)
        cm_emit_argument(imp, i, i, 0);
    return imp;
}

struct cm_imp *cm_emit_end(struct cm_imp *imp)
{
    if (imp)
        cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    if (!imp || !imp->failed)
        return imp;
    cm_imp_destroy(imp);
    return NULL;
}

void cm_emit_next(struct cm_imp *imp, uint32_t start)
{
    CM_EMIT(imp, CM_OP_NEXT, cm_value(start));
}

void cm_emit_point(struct cm_imp *imp, unsigned reg, unsigned from, int64_t offset)
{
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(reg), cm_reg(from), cm_value(offset));
}

void cm_emit_advance(struct cm_imp *imp, unsigned reg, int64_t words)
{
    if (words != 0)
        CM_EMIT(imp, CM_OP_AADD, cm_reg(reg), cm_value(words));
}

void cm_emit_argument(struct cm_imp *imp, unsigned reg, uint32_t argument, int64_t offset)
{
    CM_EMIT(imp, CM_OP_AARG, cm_reg(reg), cm_value(argument));
    cm_emit_advance(imp, reg, offset);
}

void cm_emit_move(struct cm_imp *imp, struct cm_place dst, struct cm_place src, uint64_t words)
{
    CM_EMIT(imp, CM_OP_MOVE, cm_mem(dst.reg, dst.offset), cm_mem(src.reg, src.offset),
            cm_value((int64_t)words), cm_value(1), cm_value(1));
}

void cm_emit_moves(struct cm_imp *imp, const struct cm_runs *dst, struct cm_place dst_place,
                   const struct cm_runs *src, struct cm_place src_place, uint32_t slices,
                   const unsigned scratch[2])
{
    uint64_t words = dst->run * slices;
    dst_place.offset += (int64_t)(dst->offset * slices);
    src_place.offset += (int64_t)(src->offset * slices);
    if (dst->rows == 1) {
        cm_emit_move(imp, dst_place, src_place, words);
        return;
    }
    cm_emit_point(imp, scratch[0], dst_place.reg, dst_place.offset);
    cm_emit_point(imp, scratch[1], src_place.reg, src_place.offset);
    uint32_t start = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)dst->rows));
    cm_emit_move(imp, (struct cm_place){scratch[0], 0}, (struct cm_place){scratch[1], 0}, words);
    cm_emit_advance(imp, scratch[0], (int64_t)(dst->stride * slices));
    cm_emit_advance(imp, scratch[1], (int64_t)(src->stride * slices));
    cm_emit_next(imp, start);
}

static struct cm_operand slot(const struct cm_config *config, enum cm_transposer transposer,
                              uint32_t dimension, uint32_t channel)
{
    return cm_slot(transposer, cm_slot_of_channel(config->transposer_slots, dimension, channel));
}

void cm_emit_send(struct cm_imp *imp, const struct cm_config *config, uint32_t dimension,
                  struct cm_place from, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_LOAD, slot(config, CM_TRANSPOSER_A, dimension, w),
                cm_mem(from.reg, from.offset + w));
}

void cm_emit_receive(struct cm_imp *imp, const struct cm_config *config, uint32_t dimension,
                     struct cm_place to, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_UNLOAD, cm_mem(to.reg, to.offset + w),
                slot(config, CM_TRANSPOSER_B, dimension, w));
}

void cm_emit_send_by(struct cm_imp *imp, struct cm_place table, struct cm_place from,
                     uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_LOADI, cm_reg(CM_TRANSPOSER_A), cm_mem(from.reg, from.offset + w),
                cm_mem(table.reg, table.offset), cm_value(0), cm_value(w));
}

void cm_emit_receive_by(struct cm_imp *imp, struct cm_place table, struct cm_place to,
                        uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        CM_EMIT(imp, CM_OP_UNLOADI, cm_mem(to.reg, to.offset + w), cm_reg(CM_TRANSPOSER_B),
                cm_mem(table.reg, table.offset), cm_value(1 + w), cm_value(0));
}

void cm_emit_exchange(struct cm_imp *imp)
{
    cm_imp_emit(imp, CM_OP_EXCHANGE, NULL, 0);
}

uint32_t cm_hop_stays(const struct cm_config *config)
{
    return config->transposer_slots / 2 << 8;
}

uint32_t cm_hop_sends(const struct cm_config *config, uint32_t dimension)
{
    return cm_slot_of_channel(config->transposer_slots, dimension, 0);
}

uint32_t cm_hop_receives(const struct cm_config *config, uint32_t dimension)
{
    return cm_slot_of_channel(config->transposer_slots, dimension, 0) << 8 |
           cm_slot_of_channel(config->transposer_slots, dimension, 1) << 16;
}
