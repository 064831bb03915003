/* Nontemporal copies: AVX2 on x86-64 hosts that have it, the C library elsewhere. */
#include "kernels.h"

#include "../host/host.h"

#include <string.h>

/* Fewest moved bytes for which nontemporal stores pay, as measured. It is well beyond the caches of
 * a core, because the sources of the moves take room in the caches, too. */
#define MIN_BYTES ((double)(8u << 20))
#define ROW_BYTES 256u /* bytes copied by one step of the loop */

#ifdef CM_HOST_X86
#include <immintrin.h>

CM_FOR_AVX2 static void copy_row(char *dst, const char *src, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += ROW_BYTES) {
        __m256i w[8];
        for (int k = 0; k < 8; k++)
            w[k] = _mm256_loadu_si256((const __m256i *)(const void *)(src + at + 32 * k));
        for (int k = 0; k < 8; k++)
            _mm256_stream_si256((__m256i *)(void *)(dst + at + 32 * k), w[k]);
    }
}
#else
static void copy_row(char *dst, const char *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}
#endif

bool cm_nontemporal_pays(double moved_bytes)
{
    return moved_bytes > MIN_BYTES;
}

bool cm_nontemporal_can(size_t row_bytes)
{
    return row_bytes % ROW_BYTES == 0 && row_bytes > 0 && cm_host() != CM_HOST_PLAIN;
}

void cm_nontemporal_rows(uint32_t *dst, const uint32_t *src, uint64_t count, size_t row_bytes,
                         int64_t dst_stride_words, int64_t src_stride_words)
{
    for (uint64_t k = 0; k < count; k++) {
        copy_row((char *)dst, (const char *)src, row_bytes);
        dst += dst_stride_words;
        src += src_stride_words;
    }
#ifdef CM_HOST_X86
    _mm_sfence();
#endif
}
