/* Checksum of the parts of our binary files. Internal to the library. */
#ifndef CM_BASE_CRC32_H
#define CM_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the CRC-32 of IEEE 802.3 (polynomial 0xedb88320 reflected, all ones first and last), as
 * zlib's, continued from the checksum `before` of the preceding bytes, which is 0 at the start.
 */
uint32_t cm_crc32(uint32_t before, const void *bytes, size_t length);

#endif
