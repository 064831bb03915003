/* Definitions: strings, IMPs, sets of nodes, patterns, shapes of events, places of arrays, steps.
 * Nothing is trusted. */
#include "read_private.h"

#define ARRAYS_MAX 65536u

static char *copy_text(const unsigned char *raw, uint64_t length)
{
    char *text = malloc(length + 1);
    if (text == NULL)
        return NULL;
    if (length > 0)
        memcpy(text, raw, length);
    text[length] = '\0';
    return text;
}

static char *get_text(struct cm_input_bytes *in)
{
    uint64_t length = cm_get(in);
    const unsigned char *raw = cm_get_raw(in, length);
    return in->bad ? NULL : copy_text(raw, length);
}

static uint32_t find_cause(const char *name)
{
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        if (strcmp(name, cm_cause_name((enum cm_cause)i)) == 0)
            return i;
    return UINT32_MAX;
}

static bool read_cause_names(struct cm_trace *trace, struct cm_input_bytes *in)
{
    trace->cause_count = (uint32_t)cm_get_below(in, 65);
    for (uint32_t i = 0; i < trace->cause_count && !in->bad; i++) {
        char *name = get_text(in);
        trace->causes[i] = name != NULL ? find_cause(name) : UINT32_MAX;
        free(name);
        if (trace->causes[i] == UINT32_MAX)
            return false;
    }
    return !in->bad;
}

static bool plausible(const struct cm_trace_info *info)
{
    return info->nodes == UINT32_C(1) << info->dimensions && info->slots >= 2 &&
           info->slots % 2 == 0 && info->dimensions <= info->machine_dimensions &&
           info->machine_dimensions < info->slots / 2 && info->channels >= 1 && info->clock_hz > 0;
}

bool cm_read_info(struct cm_trace *trace, struct cm_input_bytes in)
{
    struct cm_trace_info *info = &trace->info;
    free(trace->workload);
    free(trace->machine);
    info->workload = trace->workload = get_text(&in);
    info->machine = trace->machine = get_text(&in);
    info->nodes = (uint32_t)cm_get_below(&in, CM_TRACE_NODES_MAX + 1);
    info->dimensions = (uint32_t)cm_get_below(&in, 17);
    info->machine_dimensions = (uint32_t)cm_get_below(&in, CM_TRACE_SLOTS_MAX / 2);
    info->channels = (uint32_t)cm_get_below(&in, 3);
    trace->exchange_channels = info->channels;
    info->slots = (uint32_t)cm_get_below(&in, CM_TRACE_SLOTS_MAX + 1);
    info->clock_hz = cm_get(&in);
    info->exchange_cycles = cm_get_below(&in, UINT64_C(1) << 32);
    info->word_cycles = cm_get_below(&in, UINT64_C(1) << 16);
    info->page_words = cm_get(&in);
    trace->loop_depth = (uint32_t)cm_get_below(&in, UINT64_C(1) << 32);
    info->detail_first = cm_get(&in);
    info->detail_end = cm_get(&in);
    if (in.bad || info->workload == NULL || info->machine == NULL || !plausible(info))
        return false;
    if (!read_cause_names(trace, &in))
        return false;
    trace->set_words = (info->nodes + 63) / 64;
    trace->has_info = true;
    return true;
}

bool cm_read_causes(struct cm_trace *trace, struct cm_input_bytes *in, uint64_t *causes,
                    uint64_t *sum)
{
    memset(causes, 0, CM_CAUSE_COUNT * sizeof *causes);
    *sum = 0;
    uint64_t count = cm_get_below(in, trace->cause_count + 1u);
    for (uint64_t i = 0; i < count && !in->bad; i++) {
        uint64_t cause = cm_get_below(in, trace->cause_count);
        uint64_t cycles = cm_get_below(in, CM_TRACE_CYCLES_MAX);
        if (in->bad || causes[trace->causes[cause]] != 0)
            return false;
        causes[trace->causes[cause]] = cycles;
        *sum += cycles;
        if (*sum >= CM_TRACE_CYCLES_MAX)
            return false;
    }
    return !in->bad;
}

static bool define_string(struct cm_trace *trace, struct cm_input_bytes *in)
{
    char *text = get_text(in);
    char **place = text != NULL ? cm_list_add(&trace->strings, sizeof *place) : NULL;
    if (place == NULL) {
        free(text);
        return false;
    }
    *place = text;
    return true;
}

static enum cm_trace_phase phase_of(enum cm_op op, bool boundary)
{
    switch (cm_op_info(op)->cost) {
    case CM_COST_EXCHANGE:
        return CM_TRACE_EXCHANGE;
    case CM_COST_CONTEXT:
    case CM_COST_CONTEXT_LOAD:
        return CM_TRACE_CONTROL;
    case CM_COST_FPU_ADD:
    case CM_COST_FPU_MULTIPLY:
    case CM_COST_FPU_MULTIPLY_ADD:
        return CM_TRACE_FPU;
    case CM_COST_FPU_LOAD:
    case CM_COST_FPU_STORE:
    case CM_COST_FPU_SCALAR:
        return boundary ? CM_TRACE_BOUNDARY : CM_TRACE_FPU; /* a boundary's value is kept there */
    case CM_COST_LOAD:
    case CM_COST_LOAD_INDIRECT:
    case CM_COST_CONSTANT:
        return boundary ? CM_TRACE_BOUNDARY : CM_TRACE_LOAD;
    case CM_COST_UNLOAD:
    case CM_COST_UNLOAD_INDIRECT:
        return boundary ? CM_TRACE_BOUNDARY : CM_TRACE_UNLOAD;
    case CM_COST_MOVE:
        return boundary ? CM_TRACE_BOUNDARY : CM_TRACE_MOVE;
    default:
        return CM_TRACE_CONTROL;
    }
}

static bool read_lines(struct cm_input_bytes *in, struct cm_imp *imp)
{
    uint32_t line = 0;
    unsigned any = cm_get_byte(in);
    for (uint32_t i = 0; any && i < imp->length && !in->bad; i++) {
        line += (uint32_t)cm_unzigzag(cm_get(in));
        imp->code[i].line = line;
    }
    return !in->bad;
}

static bool define_imp(struct cm_trace *trace, struct cm_input_bytes *in)
{
    const struct cm_imp_limits limits = {.slots = trace->info.slots,
                                         .loop_depth = trace->loop_depth};
    bool boundary = cm_get_byte(in) != 0;
    uint32_t source = (uint32_t)cm_get_below(in, trace->strings.count + 1);
    uint64_t length = cm_get(in);
    const unsigned char *image = cm_get_raw(in, length);
    struct cm_read_imp *made = in->bad ? NULL : cm_list_add(&trace->imps, sizeof *made);
    if (made == NULL)
        return false;
    if (cm_imp_decode("trace", image, length, &limits, &made->imp, NULL) != CM_OK)
        return false;
    made->source = source;
    made->phases = malloc((size_t)made->imp->length + 1);
    if (made->phases == NULL || !cm_path_init(&made->path, made->imp))
        return false;
    for (uint32_t i = 0; i < made->imp->length; i++)
        made->phases[i] = (uint8_t)phase_of(made->imp->code[i].op, boundary);
    return read_lines(in, made->imp);
}

/* Room for one more set of nodes, empty; NULL when there is none. */
static uint64_t *add_set(struct cm_trace *trace)
{
    size_t bytes = trace->set_words * sizeof(uint64_t);
    return (trace->sets.count + 1) * bytes > CM_READ_SETS_MAX ? NULL
                                                              : cm_list_add(&trace->sets, bytes);
}

static void set_nodes(uint64_t *set, uint64_t first, uint64_t end)
{
    for (uint64_t node = first; node < end; node++)
        set[node / 64] |= UINT64_C(1) << node % 64;
}

static bool define_set(struct cm_trace *trace, struct cm_input_bytes *in)
{
    uint64_t nodes = trace->info.nodes, at = 0;
    uint64_t *set = add_set(trace);
    if (set == NULL)
        return false;
    if (cm_get_byte(in) == 0) {
        const unsigned char *raw = cm_get_raw(in, (nodes + 7) / 8);
        for (uint64_t node = 0; raw != NULL && node < nodes; node++)
            set[node / 64] |= (uint64_t)(raw[node / 8] >> node % 8 & 1) << node % 64;
        return !in->bad;
    }
    uint64_t count = cm_get_below(in, nodes + 1);
    for (uint64_t i = 0; i < count && !in->bad; i++) {
        uint64_t next = at + cm_get_below(in, nodes - at + 1);
        if (i % 2 == 1)
            set_nodes(set, at, next);
        at = next;
    }
    if (count % 2 == 1)
        set_nodes(set, at, nodes);
    return !in->bad;
}

static bool define_pattern(struct cm_trace *trace, struct cm_input_bytes *in)
{
    uint64_t count = cm_get_below(in, trace->info.slots + 1u), slots = 0;
    struct cm_read_pattern *pattern = cm_list_add(&trace->patterns, sizeof *pattern);
    if (pattern == NULL || in->bad)
        return false;
    *pattern = (struct cm_read_pattern){(uint32_t)trace->entries.count, (uint32_t)count};
    for (uint64_t i = 0; i < count; i++) {
        struct cm_read_entry *entry = cm_list_add(&trace->entries, sizeof *entry);
        if (entry == NULL)
            return false;
        entry->slot = (uint32_t)cm_get_below(in, trace->info.slots);
        entry->set = (uint32_t)cm_get_below(in, trace->sets.count + 1);
        if (in->bad || slots >> entry->slot & 1)
            return false;
        slots |= UINT64_C(1) << entry->slot;
    }
    return true;
}

static bool define_shape(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_shape *shape = cm_list_add(&trace->shapes, sizeof *shape);
    if (shape == NULL)
        return false;
    shape->page_faults = cm_get_below(in, UINT64_C(1) << 32);
    return cm_read_causes(trace, in, shape->gap, &shape->gap_cycles) &&
           cm_read_causes(trace, in, shape->event, &shape->cycles);
}

static bool read_basis(struct cm_trace *trace, struct cm_input_bytes *in, uint64_t elements)
{
    for (uint64_t half = 1; half < elements; half *= 2) {
        struct cm_read_run *run = cm_list_add(&trace->runs, sizeof *run);
        if (run == NULL)
            return false;
        run->first = half;
        run->node = cm_get(in);
        run->local = cm_get(in);
    }
    return !in->bad && (elements & (elements - 1)) == 0;
}

static bool define_places(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_places *places = cm_list_add(&trace->places, sizeof *places);
    uint64_t node = 0, local = 0, at = 0;
    if (places == NULL)
        return false;
    places->elements = cm_get_below(in, CM_TRACE_PLACES_MAX + 1);
    places->first = (uint32_t)trace->runs.count;
    places->linear = cm_get_byte(in) != 0;
    if (places->linear && !in->bad) {
        uint64_t elements = places->elements;
        uint32_t first = places->first;
        bool ok = elements > 0 && read_basis(trace, in, elements);
        places->count = (uint32_t)trace->runs.count - first;
        return ok;
    }
    while (at < places->elements && !in->bad) {
        uint64_t count = cm_get_below(in, places->elements - at + 1);
        struct cm_read_run run = {.first = at};
        run.node_step = cm_unzigzag(cm_get(in));
        run.local_step = cm_unzigzag(cm_get(in));
        run.node = node + run.node_step;
        run.local = local + run.local_step;
        struct cm_read_run *place = cm_list_add(&trace->runs, sizeof *place);
        if (count == 0 || place == NULL)
            return false;
        *place = run;
        node += run.node_step * count;
        local += run.local_step * count;
        at += count;
    }
    places->count = (uint32_t)(trace->runs.count - places->first);
    return !in->bad;
}

static bool define_array(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_array *made = cm_list_add(&trace->arrays, sizeof *made);
    if (made == NULL)
        return false;
    struct cm_trace_array *array = &made->array;
    made->number = (uint32_t)cm_get_below(in, ARRAYS_MAX);
    uint64_t name = cm_get_below(in, trace->strings.count);
    made->cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX);
    array->rank = (uint32_t)cm_get_below(in, CM_TRACE_RANK_MAX + 1);
    for (uint32_t a = 0; a < array->rank; a++)
        array->shape[a] = cm_get(in);
    array->elements = cm_get(in);
    array->slices = (uint32_t)cm_get_below(in, UINT64_C(1) << 16);
    array->address = cm_get(in);
    array->words = cm_get(in);
    made->places = (uint32_t)cm_get_below(in, trace->places.count + 1);
    if (in->bad)
        return false;
    array->name = CM_ITEMS(trace->strings, char *)[name];
    array->placed = made->places != 0;
    return !array->placed ||
           CM_ITEMS(trace->places, struct cm_read_places)[made->places - 1].elements ==
               array->elements;
}

static struct cm_read_step *last_step(struct cm_trace *trace)
{
    return trace->steps.count == 0
               ? NULL
               : &CM_ITEMS(trace->steps, struct cm_read_step)[trace->steps.count - 1];
}

static bool define_step(struct cm_trace *trace, struct cm_input_bytes *in)
{
    const struct cm_read_step *before = last_step(trace);
    uint64_t earliest = before != NULL ? before->step.end_cycle : 0;
    bool open = before != NULL && !before->ended;
    uint64_t op = cm_get_below(in, trace->strings.count);
    uint64_t where = cm_get_below(in, trace->strings.count);
    uint64_t cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX);
    struct cm_read_step *made = cm_list_add(&trace->steps, sizeof *made);
    if (made == NULL || in->bad || open || cycle < earliest)
        return false;
    made->step.first_cycle = made->step.end_cycle = cycle;
    made->step.op = CM_ITEMS(trace->strings, char *)[op];
    made->step.where = CM_ITEMS(trace->strings, char *)[where];
    return true;
}

static bool define_step_end(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_step *step = last_step(trace);
    uint64_t sum, cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX);
    if (step == NULL || step->ended || in->bad || cycle < step->step.first_cycle)
        return false;
    step->ended = true;
    step->step.end_cycle = cycle;
    return cm_read_causes(trace, in, step->step.by_cause, &sum) &&
           sum == cycle - step->step.first_cycle;
}

static bool define(struct cm_trace *trace, struct cm_input_bytes *in)
{
    switch (cm_get_byte(in)) {
    case CM_DEFINE_STRING:
        return define_string(trace, in);
    case CM_DEFINE_IMP:
        return define_imp(trace, in);
    case CM_DEFINE_SET:
        return define_set(trace, in);
    case CM_DEFINE_PATTERN:
        return define_pattern(trace, in);
    case CM_DEFINE_SHAPE:
        return define_shape(trace, in);
    case CM_DEFINE_PLACES:
        return define_places(trace, in);
    case CM_DEFINE_ARRAY:
        return define_array(trace, in);
    case CM_DEFINE_STEP:
        return define_step(trace, in);
    case CM_DEFINE_STEP_END:
        return define_step_end(trace, in);
    default:
        return false;
    }
}

/* What a damaged definition leaves half made is taken back, so that nothing refers to it. */
static void take_back(const uint64_t *counts, struct cm_list *const *lists, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lists[i]->count = counts[i];
}

bool cm_read_definitions(struct cm_trace *trace, struct cm_input_bytes in)
{
    struct cm_list *const lists[] = {&trace->sets,   &trace->patterns, &trace->shapes,
                                     &trace->places, &trace->arrays,   &trace->steps};
    uint64_t counts[sizeof lists / sizeof *lists];
    while (in.at < in.end) {
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            counts[i] = lists[i]->count;
        uint64_t imps = trace->imps.count;
        if (define(trace, &in))
            continue;
        take_back(counts, lists, sizeof lists / sizeof *lists);
        if (trace->imps.count > imps) {
            struct cm_read_imp *imp =
                &CM_ITEMS(trace->imps, struct cm_read_imp)[--trace->imps.count];
            cm_imp_destroy(imp->imp);
            cm_path_finish(&imp->path);
            free(imp->phases);
        }
        return false;
    }
    return true;
}

void cm_read_free_definitions(struct cm_trace *trace)
{
    for (uint64_t i = 0; i < trace->strings.count; i++)
        free(CM_ITEMS(trace->strings, char *)[i]);
    for (uint64_t i = 0; i < trace->imps.count; i++) {
        struct cm_read_imp *imp = &CM_ITEMS(trace->imps, struct cm_read_imp)[i];
        cm_imp_destroy(imp->imp);
        cm_path_finish(&imp->path);
        free(imp->phases);
    }
}
