/*
 * Writes and reads SRAM images of IMPs as files, and reads IMPs from files that are an image or
 * assembly text. All numbers of an image are little-endian.
 *
 *     8 bytes      "CM200IMP"
 *     u32          version, 1
 *     u32          flags, 0
 *     u8, bytes    length of the IMP's name, the name
 *     u32          number of arguments, then for each:
 *     u8               kind (0 address, 1 scalar)
 *     u8, bytes        length of its name, the name
 *     u32          number of code words
 *     u32 ...      the code words (encoding.c)
 *     u32          CRC-32 (base/crc32.h) of all bytes before
 *
 * The version changes whenever the opcodes or the encoding of existing instructions do. Decoding
 * trusts no length: each length is checked against the bytes present before memory is allocated.
 */
#include "image.h"
#include "../base/crc32.h"
#include "../base/file.h"
#include "isa_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_VERSION 1u
#define MAGIC_BYTES   8u
#define WORD_BYTES    CM_CODE_WORD_BYTES

static const char magic[MAGIC_BYTES + 1] = "CM200IMP";

static char *write_u32(char *at, uint32_t value)
{
    cm_write_u32(at, value);
    return at + WORD_BYTES;
}

static char *write_name(char *at, const char *name)
{
    const size_t length = strlen(name);
    *at = (char)length;
    memcpy(at + 1, name, length);
    return at + 1 + length;
}

/* Returns an upper bound of the number of bytes of an IMP's image. */
static size_t bytes_at_most(const struct cm_imp *imp)
{
    const size_t name = 1 + CM_IMP_NAME_MAX, words = (size_t)imp->length * CM_CODE_WORDS_MAX + 5;
    return MAGIC_BYTES + name + imp->argument_count * (1 + name) + words * WORD_BYTES;
}

void cm_imp_put_image(const struct cm_imp *imp, struct cm_code_layouts *layouts,
                      struct cm_buffer *image)
{
    if (!cm_buffer_room(image, bytes_at_most(imp)))
        return;
    char *const start = image->data + image->length, *at = start + MAGIC_BYTES;
    memcpy(start, magic, MAGIC_BYTES);
    at = write_u32(at, IMAGE_VERSION);
    at = write_u32(at, 0);
    at = write_name(at, imp->name);
    at = write_u32(at, imp->argument_count);
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        *at++ = (char)imp->arguments[i].kind;
        at = write_name(at, imp->arguments[i].name);
    }
    char *const code = at + WORD_BYTES;
    const uint64_t words = cm_code_encode(imp->code, imp->length, layouts, code);
    write_u32(at, (uint32_t)words);
    at = code + words * WORD_BYTES;
    at = write_u32(at, cm_crc32(0, start, (size_t)(at - start)));
    image->length += (size_t)(at - start);
    image->data[image->length] = '\0';
}

enum cm_status cm_imp_encode(const struct cm_imp *imp, struct cm_buffer *image,
                             struct cm_error *err)
{
    /* The widest limits that the encoding can hold. A machine checks its own limits when it loads
     * the IMP. */
    const struct cm_imp_limits widest = {.slots = CM_SLOTS_MAX, .loop_depth = UINT32_MAX};
    enum cm_status status = cm_imp_verify(imp, &widest, err);
    if (status != CM_OK)
        return status;
    uint64_t words = cm_imp_words(imp);
    if (words > UINT32_MAX)
        return cm_error_set(err, CM_BAD_INPUT, "IMP %s takes %llu words, an image holds at most %u",
                            imp->name, (unsigned long long)words, UINT32_MAX);
    struct cm_code_layouts layouts = {0};
    cm_imp_put_image(imp, &layouts, image);
    return cm_buffer_ok(image) ? CM_OK : cm_error_no_memory(err);
}

/* Reader of an SRAM image. After its first error it returns only zeros and empty names. */
struct reader {
    const char *name;
    const unsigned char *bytes;
    size_t length; /* number of bytes without the checksum */
    size_t at;
    enum cm_status status;
    struct cm_error *err;
};

CM_PRINTF(2, 3)
static void fail(struct reader *reader, const char *format, ...)
{
    char message[512];
    if (reader->status != CM_OK)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    reader->status =
        cm_error_at(reader->err, CM_BAD_INPUT, reader->name, 0, 0, "IMP image: %s", message);
}

/* Fails if fewer bytes than needed are left. `what` names these bytes in the message. */
static bool need(struct reader *reader, uint64_t bytes, const char *what)
{
    if (bytes > reader->length - reader->at)
        fail(reader, "%s at byte %zu needs %llu bytes, but %zu are left", what, reader->at,
             (unsigned long long)bytes, reader->length - reader->at);
    return reader->status == CM_OK;
}

static uint32_t get_u32(struct reader *reader, const char *what)
{
    if (!need(reader, 4, what))
        return 0;
    reader->at += 4;
    return cm_read_u32(reader->bytes + reader->at - 4);
}

static uint32_t get_u8(struct reader *reader, const char *what)
{
    return need(reader, 1, what) ? reader->bytes[reader->at++] : 0;
}

static void get_name(struct reader *reader, const char *what, bool imp_name,
                     char name[CM_IMP_NAME_MAX + 1])
{
    uint32_t length = get_u8(reader, what);
    name[0] = '\0';
    if (!need(reader, length, what))
        return;
    const char *bytes = (const char *)reader->bytes + reader->at;
    if (!(imp_name ? cm_imp_name_valid(bytes, length) : cm_name_valid(bytes, length))) {
        fail(reader, "%s at byte %zu is not a name of 1 to %u letters, digits and '_'%s", what,
             reader->at, CM_IMP_NAME_MAX, imp_name ? ", '-' and '.'" : "");
        return;
    }
    memcpy(name, bytes, length);
    name[length] = '\0';
    reader->at += length;
}

static void open_image(struct reader *reader)
{
    if (reader->length < MAGIC_BYTES || memcmp(reader->bytes, magic, MAGIC_BYTES) != 0) {
        fail(reader, "it does not begin with %s", magic);
        return;
    }
    if (reader->length < MAGIC_BYTES + 12) {
        fail(reader, "it ends after %zu bytes", reader->length);
        return;
    }
    uint32_t version = cm_read_u32(reader->bytes + MAGIC_BYTES);
    uint32_t flags = cm_read_u32(reader->bytes + MAGIC_BYTES + 4);
    reader->length -= 4;
    uint32_t stored = cm_read_u32(reader->bytes + reader->length);
    uint32_t computed = cm_crc32(0, reader->bytes, reader->length);
    if (version != IMAGE_VERSION) {
        fail(reader, "it has version %u, expected %u", version, IMAGE_VERSION);
        cm_error_hint(reader->err, "assemble it again from its text");
    } else if (stored != computed) {
        fail(reader, "its checksum is 0x%08x, but its contents give 0x%08x", stored, computed);
        cm_error_hint(reader->err, "the file is damaged or cut short; assemble it again");
    } else if (flags != 0) {
        fail(reader, "its flags are 0x%08x, expected 0", flags);
    }
    reader->at = MAGIC_BYTES + 8;
}

static void get_arguments(struct reader *reader, struct cm_imp *imp)
{
    uint32_t count = get_u32(reader, "the number of arguments");
    if (count > CM_IMP_ARGUMENTS_MAX)
        fail(reader, "it declares %u arguments, at most %u are possible", count,
             CM_IMP_ARGUMENTS_MAX);
    for (uint32_t i = 0; i < count && reader->status == CM_OK; i++) {
        char name[CM_IMP_NAME_MAX + 1];
        uint32_t kind = get_u8(reader, "an argument's kind");
        if (kind > CM_ARGUMENT_SCALAR)
            fail(reader, "argument %u is of kind %u, expected 0 (address) or 1 (scalar)", i, kind);
        get_name(reader, "an argument's name", false, name);
        if (reader->status == CM_OK)
            cm_imp_argument(imp, name, (enum cm_argument_kind)kind);
    }
}

/* Reads the instruction at code word `word`, where `left` words remain. Returns its number of
 * words. */
static uint32_t get_instruction(struct reader *reader, uint32_t word, uint32_t left,
                                struct cm_imp *imp)
{
    uint32_t words[CM_CODE_WORDS_MAX];
    struct cm_instruction instruction;
    words[0] = cm_read_u32(reader->bytes + reader->at);
    uint32_t opcode = words[0] & 255u;
    if (opcode >= CM_OP_COUNT) {
        fail(reader, "code word %u has opcode %u, which is not an instruction", word, opcode);
        return 0;
    }
    const struct cm_op_info *info = cm_op_info((enum cm_op)opcode);
    uint32_t used = cm_op_words((enum cm_op)opcode);
    if (used > left) {
        fail(reader, "%s at code word %u takes %u words, but %u are left", info->mnemonic, word,
             used, left);
        return 0;
    }
    for (uint32_t i = 1; i < used; i++)
        words[i] = cm_read_u32(reader->bytes + reader->at + 4 * (size_t)i);
    if (!cm_instruction_decode(words, &instruction))
        fail(reader, "%s at code word %u has unused bits set", info->mnemonic, word);
    reader->at += 4 * (size_t)used;
    cm_imp_emit(imp, instruction.op, instruction.operands, info->operand_count);
    return used;
}

static void get_code(struct reader *reader, struct cm_imp *imp)
{
    uint32_t count = get_u32(reader, "the number of code words");
    need(reader, 4 * (uint64_t)count, "the code");
    for (uint32_t i = 0; i < count && reader->status == CM_OK && !imp->failed;)
        i += get_instruction(reader, i, count - i, imp);
    if (reader->at != reader->length && !imp->failed)
        fail(reader, "%zu bytes follow the code", reader->length - reader->at);
}

enum cm_status cm_imp_decode(const char *name, const void *bytes, size_t length,
                             const struct cm_imp_limits *limits, struct cm_imp **imp,
                             struct cm_error *err)
{
    struct reader reader = {.name = name ? name : "", .bytes = bytes, .length = length, .err = err};
    char imp_name[CM_IMP_NAME_MAX + 1];
    *imp = NULL;
    open_image(&reader);
    get_name(&reader, "the IMP's name", true, imp_name);
    if (reader.status != CM_OK)
        return reader.status;
    struct cm_imp *made = cm_imp_create(imp_name);
    if (!made || !cm_imp_set_source(made, name)) {
        cm_imp_destroy(made);
        return cm_error_no_memory(err);
    }
    get_arguments(&reader, made);
    get_code(&reader, made);
    if (reader.status == CM_OK)
        reader.status = cm_imp_verify(made, limits, err);
    if (reader.status == CM_OK)
        *imp = made;
    else
        cm_imp_destroy(made);
    return reader.status;
}

enum cm_status cm_imp_read(const char *path, const struct cm_imp_limits *limits,
                           struct cm_imp **imp, struct cm_error *err)
{
    *imp = NULL;
    char *data = NULL;
    size_t length = 0;
    enum cm_status status = cm_file_read(path, CM_IMP_MAX_BYTES, &data, &length, err);
    if (status != CM_OK)
        return status;
    if (length >= MAGIC_BYTES && memcmp(data, magic, MAGIC_BYTES) == 0)
        status = cm_imp_decode(path, data, length, limits, imp, err);
    else
        status = cm_imp_assemble(path, data, length, limits, imp, err);
    free(data);
    return status;
}
