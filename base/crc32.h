/* CRC-32 checksum, by which our binary files (traces, images, journals) detect damaged sections.
 * Internal to the library. */
#ifndef CM_BASE_CRC32_H
#define CM_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the CRC-32 of IEEE 802.3 (reflected polynomial 0xedb88320, all ones as initial value and
 * for the final complement), the same as zlib's. `before` is the checksum of the bytes before, from
 * an earlier call, or 0 for the first bytes.
 */
uint32_t cm_crc32(uint32_t before, const void *bytes, size_t length);

#endif
