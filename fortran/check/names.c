/* Returns the names of intrinsic functions, of library routines, and of types. */
#include "program.h"

static const char *const intrinsics[] = {
#define CM_INTRINSIC(symbol, name, class, arguments, summary) name,
#include "intrinsics.def"
#undef CM_INTRINSIC
};

static const char *const libraries[] = {
#define CM_LIBRARY(symbol, name, arguments) name,
#include "library.def"
#undef CM_LIBRARY
};

const char *cm_fortran_intrinsic_name(enum cm_fortran_intrinsic intrinsic)
{
    return intrinsics[intrinsic];
}

const char *cm_fortran_library_name(enum cm_fortran_library library)
{
    return libraries[library];
}

const char *cm_fortran_type_text(uint32_t type)
{
    static const char *const texts[] = {
        [CM_TYPE_REAL32] = "REAL",
        [CM_TYPE_REAL64] = "DOUBLE PRECISION",
        [CM_TYPE_COMPLEX64] = "COMPLEX",
        [CM_TYPE_COMPLEX128] = "COMPLEX*16",
        [CM_TYPE_INT32] = "INTEGER",
        [CM_TYPE_LOGICAL] = "LOGICAL",
        [CM_FORTRAN_CHARACTER] = "CHARACTER",
        [CM_FORTRAN_NO_TYPE] = "no type",
    };
    return texts[type <= CM_FORTRAN_NO_TYPE ? type : CM_FORTRAN_NO_TYPE];
}
