/* What the tests of isa/ share: texts to IMPs and images, errors as text, files of the source
 * tree. */
#ifndef CM_TESTS_ISA_SUPPORT_H
#define CM_TESTS_ISA_SUPPORT_H

#include "isa/isa_private.h"

#include "quick_check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline struct cm_imp *must_assemble(const char *text)
{
    struct cm_imp *imp = NULL;
    struct cm_error err = {.status = CM_OK};
    enum cm_status status = cm_imp_assemble("test.imp", text, strlen(text), NULL, &imp, &err);
    ck_assert_msg(status == CM_OK, "%u:%u: %s\n%s", err.line, err.column, err.message, text);
    ck_assert_ptr_nonnull(imp);
    return imp;
}

static inline struct cm_buffer must_encode(const struct cm_imp *imp)
{
    struct cm_buffer image;
    struct cm_error err = {.status = CM_OK};
    cm_buffer_init(&image);
    ck_assert_msg(cm_imp_encode(imp, &image, &err) == CM_OK, "%s", err.message);
    return image;
}

static inline struct cm_imp *must_decode(const struct cm_buffer *image,
                                         const struct cm_imp_limits *limits)
{
    struct cm_imp *imp = NULL;
    struct cm_error err = {.status = CM_OK};
    enum cm_status status =
        cm_imp_decode("test.img", image->data, image->length, limits, &imp, &err);
    ck_assert_msg(status == CM_OK, "%s", err.message);
    return imp;
}

static inline void assert_same_bytes(const struct cm_buffer *a, const struct cm_buffer *b)
{
    ck_assert_uint_eq(a->length, b->length);
    ck_assert_mem_eq(a->data, b->data, a->length);
}

#endif
