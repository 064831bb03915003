/* SHA-256 checksums, by which results identify the files that they were made from. Internal to the
 * library. */
#ifndef CM_BASE_SHA256_H
#define CM_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* State of SHA-256 (FIPS 180-4), computed piece by piece. */
struct cm_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64]; /* incomplete block. Its first bytes % 64 bytes are filled */
};

/* A checksum in lower-case hexadecimal digits. */
struct cm_sha256_text {
    char text[65];
};

void cm_sha256_begin(struct cm_sha256 *hash);
void cm_sha256_add(struct cm_sha256 *hash, const void *bytes, size_t length);
struct cm_sha256_text cm_sha256_end(struct cm_sha256 *hash);

/* Returns the checksum of bytes that are all in memory. */
struct cm_sha256_text cm_sha256_of(const void *bytes, size_t length);

#endif
