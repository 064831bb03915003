/* SHA-256 of FIPS 180-4. The code is simple rather than fast, because a run hashes only a few
 * files. */
#include "sha256.h"

#include <stdio.h>
#include <string.h>

/* First 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static void spread_words(const unsigned char *block, uint32_t words[64])
{
    for (unsigned i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void add_block(struct cm_sha256 *hash, const unsigned char *block)
{
    uint32_t words[64], s[8];
    spread_words(block, words);
    memcpy(s, hash->state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + words[i];
        uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        hash->state[i] += s[i];
}

void cm_sha256_begin(struct cm_sha256 *hash)
{
    /* First 32 bits of the fractions of the square roots of the first 8 primes. */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(hash, 0, sizeof *hash);
    memcpy(hash->state, start, sizeof start);
}

void cm_sha256_add(struct cm_sha256 *hash, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    while (length > 0) {
        size_t at = (size_t)(hash->bytes % 64), room = 64 - at;
        size_t taken = length < room ? length : room;
        memcpy(hash->block + at, from, taken);
        hash->bytes += taken;
        from += taken;
        length -= taken;
        if (taken == room)
            add_block(hash, hash->block);
    }
}

struct cm_sha256_text cm_sha256_end(struct cm_sha256 *hash)
{
    static const unsigned char padding[64] = {0x80};
    struct cm_sha256_text made;
    unsigned char bits[8];
    for (unsigned i = 0; i < 8; i++)
        bits[i] = (unsigned char)(hash->bytes * 8 >> (56 - 8 * i));
    size_t at = (size_t)(hash->bytes % 64);
    cm_sha256_add(hash, padding, at < 56 ? 56 - at : 120 - at);
    cm_sha256_add(hash, bits, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        snprintf(made.text + 8 * i, 9, "%08x", (unsigned)hash->state[i]);
    return made;
}

struct cm_sha256_text cm_sha256_of(const void *bytes, size_t length)
{
    struct cm_sha256 hash;
    cm_sha256_begin(&hash);
    if (length > 0)
        cm_sha256_add(&hash, bytes, length);
    return cm_sha256_end(&hash);
}
