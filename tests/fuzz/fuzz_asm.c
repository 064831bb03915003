/*
 * Assembly text of any kind: the assembler refuses it with a place, or makes an IMP whose text and
 * image lead back to the same image.
 */
#include "isa/imp.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_image(const struct cm_imp *imp, struct cm_buffer *image)
{
    struct cm_error err;
    require(cm_imp_encode(imp, image, &err) == CM_OK);
}

/* Text, image and text again agree. */
static void check_round_trip(const struct cm_imp *imp)
{
    struct cm_buffer image;
    struct cm_buffer again;
    struct cm_buffer text;
    struct cm_imp *decoded = NULL;
    struct cm_imp *assembled = NULL;
    struct cm_error err;
    cm_buffer_init(&image);
    cm_buffer_init(&again);
    cm_buffer_init(&text);
    check_image(imp, &image);
    require(cm_imp_decode("image", image.data, image.length, NULL, &decoded, &err) == CM_OK);
    cm_imp_disassemble(decoded, &text);
    require(cm_buffer_ok(&text));
    require(cm_imp_assemble("text", text.data, text.length, NULL, &assembled, &err) == CM_OK);
    check_image(assembled, &again);
    require(image.length == again.length && memcmp(image.data, again.data, again.length) == 0);
    cm_imp_destroy(assembled);
    cm_imp_destroy(decoded);
    cm_buffer_finish(&text);
    cm_buffer_finish(&again);
    cm_buffer_finish(&image);
}

FUZZ_TARGET(fuzz_asm)
{
    struct cm_imp *imp = NULL;
    struct cm_error err = {.status = CM_OK};
    char shown[4096];
    enum cm_status status = cm_imp_assemble("fuzz", (const char *)data, size, NULL, &imp, &err);
    if (status == CM_OK) {
        check_round_trip(imp);
    } else {
        require(!imp && err.status == status && err.line > 0 && err.column > 0);
        require(cm_error_format(&err, shown, sizeof shown) > 0);
    }
    cm_imp_destroy(imp);
    return 0;
}
