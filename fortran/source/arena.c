/* Allocates the memory of syntax trees, and stores the names of a program in a hash table whose
 * slots are linked lists (arena.h). */
#include "arena.h"

#include "../../base/random.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (64u * 1024u)
#define FIRST_SLOTS 256u

struct cm_arena_block {
    struct cm_arena_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

struct cm_arena *cm_arena_create(void)
{
    return calloc(1, sizeof(struct cm_arena));
}

void cm_arena_destroy(struct cm_arena *arena)
{
    if (!arena)
        return;
    for (struct cm_arena_block *block = arena->blocks; block;) {
        struct cm_arena_block *next = block->next;
        free(block);
        block = next;
    }
    free(arena->slots);
    free(arena);
}

static struct cm_arena_block *add_block(struct cm_arena *arena, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct cm_arena_block *block = calloc(1, sizeof *block + size);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *cm_arena_take(struct cm_arena *arena, size_t bytes)
{
    size_t rounded = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct cm_arena_block *block = arena->blocks;
    if (arena->failed)
        return NULL;
    if (!block || block->size - block->used < rounded)
        block = add_block(arena, rounded);
    if (!block)
        return NULL;
    void *taken = block->bytes + block->used;
    block->used += rounded;
    return taken;
}

const char *cm_arena_copy(struct cm_arena *arena, const char *bytes, size_t length)
{
    char *copy = cm_arena_take(arena, length + 1);
    if (copy && length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint64_t hash_of(const char *bytes, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)fold(bytes[i])) * CM_GOLDEN_RATIO;
    return hash >> 32;
}

static bool grow(struct cm_arena *arena)
{
    uint32_t count = arena->slot_count > 0 ? arena->slot_count * 2 : FIRST_SLOTS;
    struct cm_name **slots = calloc(count, sizeof(struct cm_name *));
    if (!slots) {
        arena->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < arena->slot_count; i++)
        for (struct cm_name *name = arena->slots[i]; name;) {
            struct cm_name *next = name->next;
            struct cm_name **slot = &slots[hash_of(name->text, name->length) & (count - 1)];
            name->next = *slot;
            *slot = name;
            name = next;
        }
    free(arena->slots);
    arena->slots = slots;
    arena->slot_count = count;
    return true;
}

static bool is_name(const struct cm_name *name, const char *bytes, size_t length)
{
    if (name->length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name->text[i] != fold(bytes[i]))
            return false;
    return true;
}

const char *cm_arena_name(struct cm_arena *arena, const char *bytes, size_t length)
{
    if (arena->name_count >= arena->slot_count / 2 && !grow(arena))
        return "";
    struct cm_name **slot = &arena->slots[hash_of(bytes, length) & (arena->slot_count - 1)];
    for (struct cm_name *name = *slot; name; name = name->next)
        if (is_name(name, bytes, length))
            return name->text;
    struct cm_name *name = cm_arena_take(arena, sizeof *name + length + 1);
    if (!name)
        return "";
    name->length = (uint32_t)length;
    for (size_t i = 0; i < length; i++)
        name->text[i] = fold(bytes[i]);
    name->next = *slot;
    *slot = name;
    arena->name_count++;
    return name->text;
}

struct cm_name *cm_name_of(const char *text)
{
    return text[0] != '\0' ? (struct cm_name *)(text - offsetof(struct cm_name, text)) : NULL;
}
