/*
 * Kinds of host processor, by their SIMD units. Hot loops are compiled once for each kind, and the
 * program chooses one at run time.
 */
#ifndef CM_SIM_HOST_H
#define CM_SIM_HOST_H

#include "../../base/page.h"

enum cm_host { CM_HOST_PLAIN, CM_HOST_AVX2, CM_HOST_AVX512, CM_HOST_COUNT };

#if defined(__x86_64__) && defined(__GNUC__)
#define CM_HOST_X86   1
#define CM_FOR_AVX2   __attribute__((target("avx2")))
#define CM_FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#endif

/* Returns the best kind of SIMD unit that this host has. */
static inline enum cm_host cm_host(void)
{
#ifdef CM_HOST_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return CM_HOST_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return CM_HOST_AVX2;
#endif
    return CM_HOST_PLAIN;
}

#endif
