/* IMPs, each written once. The machine's loads tell whether an IMP seen before may have changed
 * since. */
#include "record_private.h"

#include "../isa/image.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

/* Of what the instructions say; the bytes between their fields say nothing. */
static uint64_t hash_of(const struct cm_imp *imp)
{
    uint64_t hash = cm_hash_bytes(imp->name, strlen(imp->name), imp->length);
    for (uint32_t i = 0; i < imp->length; i++) {
        const struct cm_instruction *in = &imp->code[i];
        hash = mix(hash, (uint64_t)in->op << 32 | in->line);
        for (uint32_t k = 0; k < CM_OPERANDS_MAX; k++)
            hash = mix(hash, (uint64_t)(uint32_t)in->operands[k].value << 8 | in->operands[k].reg);
    }
    return hash;
}

static void define_lines(struct cm_recorder *r, const struct cm_imp *imp)
{
    uint32_t before = 0;
    bool any = false;
    for (uint32_t i = 0; i < imp->length; i++)
        any = any || imp->code[i].line != 0;
    cm_put_byte(&r->definitions, any);
    for (uint32_t i = 0; any && i < imp->length; i++) {
        cm_put(&r->definitions, cm_zigzag((uint64_t)imp->code[i].line - before));
        before = imp->code[i].line;
    }
}

static bool define(struct cm_recorder *r, const struct cm_imp *imp)
{
    struct cm_buffer image;
    bool boundary = imp->source_name == NULL && strncmp(imp->name, "boundary", 8) == 0;
    uint32_t source = imp->source_name != NULL ? cm_recorder_string(r, imp->source_name) + 1 : 0;
    cm_buffer_init(&image);
    cm_imp_put_image(imp, &image); /* the machine has verified it */
    bool ok = cm_buffer_ok(&image);
    if (ok) {
        cm_put(&r->definitions, CM_DEFINE_IMP, boundary, source, image.length);
        cm_buffer_append(&r->definitions, image.data, image.length);
        define_lines(r, imp);
    }
    cm_buffer_finish(&image);
    return ok;
}

/* The number of an IMP; UINT32_MAX: out of memory. */
static uint32_t number_of(struct cm_recorder *r, const struct cm_imp *imp)
{
    uint64_t hash = hash_of(imp);
    for (uint32_t i = 0; i < r->imps.count; i++)
        if (r->imps.items[i].hash == hash && r->imps.items[i].length == imp->length)
            return i;
    struct cm_recorded_imp made = {.length = imp->length, .hash = hash};
    if (!cm_path_init(&made.path, imp))
        return UINT32_MAX;
    if (!cm_list_push(&r->imps, made)) {
        cm_path_finish(&made.path);
        return UINT32_MAX;
    }
    return define(r, imp) ? r->imps.count - 1 : UINT32_MAX;
}

struct cm_recorded_imp *cm_recorder_imp(struct cm_recorder *r,
                                        const struct cm_observed_start *start)
{
    size_t place = ((uintptr_t)start->imp >> 5) % CM_RECORDER_CACHE;
    if (r->cache[place].imp != start->imp || r->cache[place].load != start->load) {
        uint32_t number = number_of(r, start->imp);
        if (number == UINT32_MAX)
            return NULL;
        r->cache[place].imp = start->imp;
        r->cache[place].load = start->load;
        r->cache[place].number = number;
    }
    return &r->imps.items[r->cache[place].number];
}
