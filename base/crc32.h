/* The checksum that our binary files end their parts with. Internal to the library. */
#ifndef CM_BASE_CRC32_H
#define CM_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32 of IEEE 802.3 (polynomial 0xedb88320 reflected, all ones first and last), as zlib's: of
 * bytes that follow others whose checksum is `before`; 0 at the start.
 */
uint32_t cm_crc32(uint32_t before, const void *bytes, size_t length);

#endif
