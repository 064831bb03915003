/* Recording of IMPs. Each IMP is written once. The machine numbers the loads of IMPs into the
 * sequencer's SRAM. An IMP with a known load number has not changed. */
#include "record_private.h"

static void put_lines(struct cm_buffer *content, const struct cm_imp *imp)
{
    uint32_t before = 0, any = 0;
    for (uint32_t i = 0; i < imp->length; i++)
        any |= imp->code[i].line;
    cm_put_byte(content, any != 0);
    for (uint32_t i = 0; any && i < imp->length; i++) {
        cm_put(content, cm_zigzag((uint64_t)imp->code[i].line - before));
        before = imp->code[i].line;
    }
}

/* Encodes the definition of an IMP, which the machine has verified. */
static void put_imp(struct cm_recorder *r, const struct cm_imp *imp)
{
    struct cm_buffer *image = &r->image, *content = &r->payload;
    bool boundary = imp->source_name == NULL && strncmp(imp->name, "boundary", 8) == 0;
    uint32_t source = imp->source_name != NULL ? cm_recorder_string(r, imp->source_name) + 1 : 0;
    image->length = content->length = 0;
    cm_imp_put_image(imp, &r->layouts, image);
    cm_put(content, boundary, source, image->length);
    cm_buffer_append(content, image->data, image->length);
    put_lines(content, imp);
    content->failed = content->failed || image->failed;
}

/* Returns the number of an IMP, or UINT32_MAX when out of memory. */
static uint32_t number_of(struct cm_recorder *r, const struct cm_imp *imp)
{
    put_imp(r, imp);
    uint32_t number = cm_recorder_number(r, &r->imp_numbers, CM_DEFINE_IMP, &r->payload);
    if (r->failed)
        return UINT32_MAX;
    if (number < r->imps.count)
        return number;
    struct cm_recorded_imp made = {.length = imp->length};
    if (!cm_prediction_init(&made.prediction, imp, &r->prediction_memory) ||
        !cm_list_push(&r->imps, made))
        return UINT32_MAX;
    return number;
}

struct cm_recorded_imp *cm_recorder_imp(struct cm_recorder *r,
                                        const struct cm_observed_start *start)
{
    const size_t place = start->load % CM_RECORDER_CACHE;
    if (r->imp_loads[place] != start->load) {
        uint32_t number = number_of(r, start->imp);
        if (number == UINT32_MAX)
            return NULL;
        r->imp_loads[place] = start->load;
        r->imps_of_loads[place] = number;
    }
    return &r->imps.items[r->imps_of_loads[place]];
}
