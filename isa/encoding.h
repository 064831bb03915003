/* One instruction to and from its words in the sequencer's SRAM. */
#ifndef CM_ISA_ENCODING_H
#define CM_ISA_ENCODING_H

#include "imp.h"

#define CM_CODE_WORDS_MAX (2u + CM_OPERANDS_MAX) /* bounds cm_op_words */

void cm_instruction_encode(const struct cm_instruction *instruction,
                           uint32_t words[CM_CODE_WORDS_MAX]);
/* `words` holds cm_op_words(op) words, op being words[0] & 255. False when an unused bit is set. */
bool cm_instruction_decode(const uint32_t *words, struct cm_instruction *instruction);

#endif
