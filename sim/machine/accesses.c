/* Table of the properties of instructions that the sequencer needs (accesses.h), made from
 * isa.def. */
#include "accesses.h"

#define IS_MEMORY(kind)   (CM_OPERAND_##kind == CM_OPERAND_MEM)
#define IS_COST(cost, is) (CM_COST_##cost == CM_COST_##is)

const struct cm_op_accesses cm_op_accesses[CM_OP_COUNT] = {
#define CM_OP(symbol, mnemonic, class, k1, k2, k3, k4, k5, effect, source)                         \
    [CM_OP_##symbol] = {                                                                           \
        .cost = CM_COST_##class,                                                                   \
        .memory_count = IS_MEMORY(k1) + IS_MEMORY(k2) + IS_MEMORY(k3),                             \
        .memory = {IS_MEMORY(k1) ? 0 : 1, IS_MEMORY(k1) && IS_MEMORY(k2) ? 1 : 2},                 \
        .uses_slots = IS_COST(class, LOAD) || IS_COST(class, CONSTANT) ||                          \
                      IS_COST(class, LOAD_INDIRECT) || IS_COST(class, UNLOAD_INDIRECT),            \
        .writes = IS_COST(class, UNLOAD) || IS_COST(class, UNLOAD_INDIRECT) ||                     \
                  IS_COST(class, FPU_STORE) || IS_COST(class, FPU_STORE_INDEXED) ||                \
                  IS_COST(class, MOVE),                                                            \
        .indexed = IS_COST(class, FPU_LOAD_INDEXED) || IS_COST(class, FPU_STORE_INDEXED),          \
        .controls = IS_COST(class, LOOP) || IS_COST(class, NEXT) || IS_COST(class, ADDRESS),       \
    },
#include "../../isa/isa.def"
#undef CM_OP
};
