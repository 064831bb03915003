/* What guessing needs of an IMP, and the checksum of blocks. */
#include "format.h"

#include <stdlib.h>

bool cm_path_init(struct cm_path *path, const struct cm_imp *imp)
{
    *path = (struct cm_path){.length = imp->length};
    path->next = calloc((size_t)imp->length + 1, sizeof *path->next);
    path->history = calloc((size_t)imp->length + 1, sizeof *path->history);
    if (path->next == NULL || path->history == NULL) {
        cm_path_finish(path);
        return false;
    }
    path->next[imp->length] = imp->length;
    for (uint32_t pc = imp->length; pc-- > 0;)
        path->next[pc] = cm_trace_is_control(imp->code[pc].op) ? path->next[pc + 1] : pc;
    return true;
}

void cm_path_finish(struct cm_path *path)
{
    free(path->next);
    free(path->history);
    *path = (struct cm_path){0};
}

void cm_crc_init(struct cm_crc *crc)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? UINT32_C(0xedb88320) : 0);
        crc->table[0][i] = value;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++)
            crc->table[k][i] =
                crc->table[k - 1][i] >> 8 ^ crc->table[0][crc->table[k - 1][i] & 0xff];
}

static uint32_t load_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

uint32_t cm_crc_of(const struct cm_crc *crc, uint32_t value, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    const uint32_t(*t)[256] = crc->table;
    value = ~value;
    for (; length >= 8; length -= 8, at += 8) {
        uint32_t low = value ^ load_u32(at), high = load_u32(at + 4);
        value = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^ t[5][low >> 16 & 0xff] ^
                t[4][low >> 24] ^ t[3][high & 0xff] ^ t[2][high >> 8 & 0xff] ^
                t[1][high >> 16 & 0xff] ^ t[0][high >> 24];
    }
    for (; length > 0; length--)
        value = value >> 8 ^ t[0][(value ^ *at++) & 0xff];
    return ~value;
}
