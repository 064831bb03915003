/*
 * SRAM images of any kind, as they come and with their checksum made right: decoding refuses them,
 * or gives an IMP whose image is the very same.
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

/* CRC-32 (IEEE 802.3), a bit at a time. */
static uint32_t slow_crc32(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1u) ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static void decode(const uint8_t *bytes, size_t size)
{
    struct cm_imp *imp = NULL;
    struct cm_error err = {.status = CM_OK};
    enum cm_status status = cm_imp_decode("fuzz", bytes, size, NULL, &imp, &err);
    if (status != CM_OK) {
        require(!imp && err.status == status);
        return;
    }
    struct cm_buffer image;
    cm_buffer_init(&image);
    require(cm_imp_encode(imp, &image, &err) == CM_OK);
    require(image.length == size && memcmp(image.data, bytes, size) == 0);
    cm_buffer_finish(&image);
    cm_imp_destroy(imp);
}

FUZZ_TARGET(fuzz_image)
{
    decode(data, size);
    if (size < 4)
        return 0;
    uint8_t *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size - 4);
    uint32_t crc = slow_crc32(data, size - 4);
    for (unsigned i = 0; i < 4; i++)
        copy[size - 4 + i] = (uint8_t)(crc >> 8 * i);
    decode(copy, size);
    free(copy);
    return 0;
}
