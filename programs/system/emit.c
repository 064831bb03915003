/* Pieces of IMP that several compilers emit. */
#include "emit.h"

void cm_emit_next(struct cm_imp *imp, uint32_t start)
{
    CM_EMIT(imp, CM_OP_NEXT, cm_value(start));
}

void cm_emit_argument(struct cm_imp *imp, unsigned reg, uint32_t argument, int64_t offset)
{
    CM_EMIT(imp, CM_OP_AARG, cm_reg(reg), cm_value(argument));
    if (offset != 0)
        CM_EMIT(imp, CM_OP_AADD, cm_reg(reg), cm_value(offset));
}

static void emit_move(struct cm_imp *imp, struct cm_place dst, struct cm_place src, uint64_t words)
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
        emit_move(imp, dst_place, src_place, words);
        return;
    }
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(scratch[0]), cm_reg(dst_place.reg),
            cm_value(dst_place.offset));
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(scratch[1]), cm_reg(src_place.reg),
            cm_value(src_place.offset));
    uint32_t start = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)dst->rows));
    emit_move(imp, (struct cm_place){scratch[0], 0}, (struct cm_place){scratch[1], 0}, words);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(scratch[0]), cm_value((int64_t)(dst->stride * slices)));
    CM_EMIT(imp, CM_OP_AADD, cm_reg(scratch[1]), cm_value((int64_t)(src->stride * slices)));
    cm_emit_next(imp, start);
}
