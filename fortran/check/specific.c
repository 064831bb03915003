/* Lists the specific names of intrinsic functions, which take one type, such as DSQRT and AMAX1,
 * and the names of conversions. */
#include "check.h"

#include "../../base/suggest.h"

#include <string.h>

#define ANY    CM_FORTRAN_NO_TYPE
#define I4     CM_TYPE_INT32
#define R4     CM_TYPE_REAL32
#define R8     CM_TYPE_REAL64
#define C4     CM_TYPE_COMPLEX64
#define C8     CM_TYPE_COMPLEX128
#define OF(op) CM_FORTRAN_##op

/* Specific names with their functions and types. CM_FORTRAN_INTRINSICS in place of a function
 * stands for a conversion. */
static const struct cm_specific_name names[] = {
    {"int", CM_FORTRAN_INTRINSICS, ANY, I4},
    {"ifix", CM_FORTRAN_INTRINSICS, R4, I4},
    {"idint", CM_FORTRAN_INTRINSICS, R8, I4},
    {"float", CM_FORTRAN_INTRINSICS, I4, R4},
    {"sngl", CM_FORTRAN_INTRINSICS, R8, R4},
    {"dble", CM_FORTRAN_INTRINSICS, ANY, R8},
    {"dfloat", CM_FORTRAN_INTRINSICS, I4, R8},
    {"dreal", OF(REAL), C8, ANY},
    {"dimag", OF(AIMAG), C8, ANY},
    {"dconjg", OF(CONJG), C8, ANY},
    {"dcmplx", OF(CMPLX), ANY, C8},
    {"iabs", OF(ABS), I4, ANY},
    {"dabs", OF(ABS), R8, ANY},
    {"cabs", OF(ABS), C4, ANY},
    {"cdabs", OF(ABS), C8, ANY},
    {"zabs", OF(ABS), C8, ANY},
    {"dacos", OF(ACOS), R8, ANY},
    {"dasin", OF(ASIN), R8, ANY},
    {"datan", OF(ATAN), R8, ANY},
    {"datan2", OF(ATAN2), R8, ANY},
    {"dint", OF(AINT), R8, ANY},
    {"dnint", OF(ANINT), R8, ANY},
    {"idnint", OF(NINT), R8, I4},
    {"dcos", OF(COS), R8, ANY},
    {"ccos", OF(COS), C4, ANY},
    {"cdcos", OF(COS), C8, ANY},
    {"dcosh", OF(COSH), R8, ANY},
    {"idim", OF(DIM), I4, ANY},
    {"ddim", OF(DIM), R8, ANY},
    {"dexp", OF(EXP), R8, ANY},
    {"cexp", OF(EXP), C4, ANY},
    {"cdexp", OF(EXP), C8, ANY},
    {"alog", OF(LOG), R4, ANY},
    {"dlog", OF(LOG), R8, ANY},
    {"clog", OF(LOG), C4, ANY},
    {"cdlog", OF(LOG), C8, ANY},
    {"alog10", OF(LOG10), R4, ANY},
    {"dlog10", OF(LOG10), R8, ANY},
    {"max0", OF(MAX), I4, ANY},
    {"amax0", OF(MAX), I4, R4},
    {"amax1", OF(MAX), R4, ANY},
    {"max1", OF(MAX), R4, I4},
    {"dmax1", OF(MAX), R8, ANY},
    {"min0", OF(MIN), I4, ANY},
    {"amin0", OF(MIN), I4, R4},
    {"amin1", OF(MIN), R4, ANY},
    {"min1", OF(MIN), R4, I4},
    {"dmin1", OF(MIN), R8, ANY},
    {"amod", OF(MOD), R4, ANY},
    {"dmod", OF(MOD), R8, ANY},
    {"isign", OF(SIGN), I4, ANY},
    {"dsign", OF(SIGN), R8, ANY},
    {"dsin", OF(SIN), R8, ANY},
    {"csin", OF(SIN), C4, ANY},
    {"cdsin", OF(SIN), C8, ANY},
    {"dsinh", OF(SINH), R8, ANY},
    {"dsqrt", OF(SQRT), R8, ANY},
    {"csqrt", OF(SQRT), C4, ANY},
    {"cdsqrt", OF(SQRT), C8, ANY},
    {"dtan", OF(TAN), R8, ANY},
    {"dtanh", OF(TANH), R8, ANY},
    {"dotproduct", OF(DOT_PRODUCT), ANY, ANY},
};

const struct cm_specific_name *cm_specific_find(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

const char *cm_intrinsic_suggest(const char *name)
{
    const char
        *all[CM_FORTRAN_INTRINSICS + CM_FORTRAN_LIBRARY_COUNT + sizeof names / sizeof names[0]] = {
#define CM_INTRINSIC(symbol, text, class, arguments, summary) text,
#include "intrinsics.def"
#undef CM_INTRINSIC
#define CM_LIBRARY(symbol, text, arguments) text,
#include "library.def"
#undef CM_LIBRARY
        };
    size_t count = CM_FORTRAN_INTRINSICS + CM_FORTRAN_LIBRARY_COUNT;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        all[count++] = names[i].name;
    return cm_suggest(name, all, count);
}
