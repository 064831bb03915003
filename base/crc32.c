/* Computes the CRC-32 of bytes, eight or sixteen bytes at a time. */
#include "crc32.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_PRODUCTS 1
#include <immintrin.h>
#endif

/*
 * Table of the checksum. Entry n of row k is what a byte of value n contributes if k more bytes
 * follow: the exclusive or of the contributions of its bits, which are a to h from the lowest bit
 * on.
 */
#define ENTRY(n, a, b, c, d, e, f, g, h)                                                           \
    ((n & 1 ? a : 0u) ^ (n & 2 ? b : 0u) ^ (n & 4 ? c : 0u) ^ (n & 8 ? d : 0u) ^                   \
     (n & 16 ? e : 0u) ^ (n & 32 ? f : 0u) ^ (n & 64 ? g : 0u) ^ (n & 128 ? h : 0u))
#define ENTRIES_4(n, ...)                                                                          \
    ENTRY((n), __VA_ARGS__), ENTRY((n + 1), __VA_ARGS__), ENTRY((n + 2), __VA_ARGS__),             \
        ENTRY((n + 3), __VA_ARGS__)
#define ENTRIES_16(n, ...)                                                                         \
    ENTRIES_4(n, __VA_ARGS__), ENTRIES_4(n + 4, __VA_ARGS__), ENTRIES_4(n + 8, __VA_ARGS__),       \
        ENTRIES_4(n + 12, __VA_ARGS__)
#define ENTRIES_64(n, ...)                                                                         \
    ENTRIES_16(n, __VA_ARGS__), ENTRIES_16(n + 16, __VA_ARGS__), ENTRIES_16(n + 32, __VA_ARGS__),  \
        ENTRIES_16(n + 48, __VA_ARGS__)
#define ENTRIES_256(...)                                                                           \
    {                                                                                              \
        ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__),     \
            ENTRIES_64(192, __VA_ARGS__)                                                           \
    }
static const uint32_t table[8][256] = {
    ENTRIES_256(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190,
                0xedb88320),
    ENTRIES_256(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05,
                0x3b83984b),
    ENTRIES_256(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0,
                0xe1351b80),
    ENTRIES_256(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d,
                0xed59b63b),
    ENTRIES_256(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849,
                0xb1e6b092),
    ENTRIES_256(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c,
                0x1eb014d8),
    ENTRIES_256(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579,
                0x8816eaf2),
    ENTRIES_256(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed,
                0x533b85da),
};

static uint32_t load_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* Returns the checksum `crc`, without the final complement, continued over `length` bytes by table
 * look-up. */
static uint32_t by_table(uint32_t crc, const unsigned char *at, size_t length)
{
    for (; length >= 8; length -= 8, at += 8) {
        uint32_t low = crc ^ load_u32(at), high = load_u32(at + 4);
        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^
              table[4][low >> 24] ^ table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^
              table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
    }
    for (; length > 0; length--)
        crc = crc >> 8 ^ table[0][(crc ^ *at++) & 0xff];
    return crc;
}

#ifdef HAVE_PRODUCTS
#define PIECE 16u /* bytes of one step of by_products */

/*
 * Returns the checksum continued over whole pieces of 16 bytes. `length` is at least one piece, and
 * the caller handles the bytes after the last whole piece. Method: V. Gopal et al., Fast CRC
 * computation for generic polynomials using the PCLMULQDQ instruction, Intel 2009. The 128 bits of
 * state are multiplied by a power of x modulo the polynomial and added to the next 16 bytes. The
 * checksum of the remaining 128 bits is the checksum of all bytes.
 */
__attribute__((target("pclmul"))) static uint32_t by_products(uint32_t crc, const unsigned char *at,
                                                              size_t length)
{
    const __m128i powers = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0); /* x^96, x^160 */
    __m128i left = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)at),
                                 _mm_cvtsi32_si128((int)crc));
    unsigned char bytes[PIECE];
    while (length >= 2 * PIECE) {
        length -= PIECE;
        at += PIECE;
        left = _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(left, powers, 0x00),
                                           _mm_clmulepi64_si128(left, powers, 0x11)),
                             _mm_loadu_si128((const __m128i *)(const void *)at));
    }
    _mm_storeu_si128((__m128i *)(void *)bytes, left);
    return by_table(0, bytes, sizeof bytes);
}
#endif

uint32_t cm_crc32(uint32_t before, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint32_t crc = ~before;
#ifdef HAVE_PRODUCTS
    if (length >= 4 * PIECE && __builtin_cpu_supports("pclmul")) {
        size_t pieces = length - length % PIECE;
        crc = by_products(crc, at, pieces);
        at += pieces;
        length -= pieces;
    }
#endif
    return ~by_table(crc, at, length);
}
