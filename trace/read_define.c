/* Reading of definitions: strings, IMPs, sets of nodes, patterns, event templates, array places,
 * steps and lines. The reader checks every number against its bound. It drops a damaged definition,
 * so nothing refers to one. */
#include "../base/text.h"
#include "read_private.h"

#define ARRAYS_MAX 65536u

/* Reads a text and returns a copy as printable UTF-8, whatever the bytes of the text are. Returns
 * NULL if the text is cut short or memory ran out. */
static char *get_text(struct cm_trace *trace, struct cm_input_bytes *in)
{
    uint64_t length = cm_get(in);
    const unsigned char *raw = cm_get_raw(in, length);
    if (raw == NULL)
        return NULL;
    size_t size = 4 * (size_t)length + 4; /* one byte of the text becomes at most four */
    char *text = cm_read_allocate(trace, size, 1);
    if (text != NULL)
        cm_text_clean(text, size, (const char *)raw, (size_t)length);
    return text;
}

static void read_cause_name(struct cm_trace *trace, struct cm_input_bytes *in, uint32_t *cause)
{
    char *name = get_text(trace, in);
    *cause = 0;
    while (name != NULL && *cause < CM_CAUSE_COUNT &&
           strcmp(name, cm_cause_name((enum cm_cause) * cause)) != 0)
        ++*cause;
    cm_expect(in, name != NULL && *cause < CM_CAUSE_COUNT);
    free(name);
}

static bool plausible(const struct cm_trace_info *info)
{
    return info->nodes == UINT32_C(1) << info->dimensions && info->slots >= 2 &&
           info->slots % 2 == 0 && info->dimensions <= info->machine_dimensions &&
           info->machine_dimensions < info->slots / 2 && info->channels >= 1 && info->clock_hz > 0;
}

void cm_read_info(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_trace_info *info = &trace->info;
    info->workload = trace->workload = get_text(trace, in);
    info->machine = trace->machine = get_text(trace, in);
    info->nodes = cm_get_u32_below(in, CM_TRACE_NODES_MAX + 1);
    info->dimensions = cm_get_u32_below(in, 17);
    info->machine_dimensions = cm_get_u32_below(in, CM_TRACE_SLOTS_MAX / 2);
    info->channels = trace->exchange_channels = cm_get_u32_below(in, 3);
    info->slots = cm_get_u32_below(in, CM_TRACE_SLOTS_MAX + 1);
    info->clock_hz = cm_get(in);
    info->exchange_cycles = cm_get_below(in, UINT64_C(1) << 32);
    info->word_cycles = cm_get_below(in, UINT64_C(1) << 16);
    info->page_words = cm_get(in);
    trace->loop_depth = cm_get_u32_below(in, UINT64_C(1) << 32);
    info->detail_first = cm_get(in);
    info->detail_end = cm_get(in);
    cm_expect(in, plausible(info));
    trace->cause_count = cm_get_u32_below(in, 65);
    for (uint32_t i = 0; i < trace->cause_count && !in->bad; i++)
        read_cause_name(trace, in, &trace->causes[i]);
    info->made_of = "";
    if (in->at < in->end) /* traces of older releases end before the member made_of */
        info->made_of = trace->made_of = get_text(trace, in);
    cm_expect(in, info->made_of != NULL);
    trace->set_words = (info->nodes + 63) / 64;
    trace->has_info = !in->bad && trace->workload != NULL && trace->machine != NULL;
}

uint64_t cm_read_causes(struct cm_trace *trace, struct cm_input_bytes *in, uint64_t *causes)
{
    uint64_t sum = 0;
    memset(causes, 0, CM_CAUSE_COUNT * sizeof *causes);
    uint64_t count = cm_get_below(in, trace->cause_count + 1u);
    for (uint64_t i = 0; i < count && !in->bad; i++) {
        uint64_t *cause = &causes[trace->causes[cm_get_below(in, trace->cause_count)]];
        cm_expect(in, *cause == 0);
        *cause = cm_get_below(in, CM_TRACE_CYCLES_MAX);
        sum += *cause;
        cm_expect(in, sum < CM_TRACE_CYCLES_MAX);
    }
    return sum;
}

static void define_string(struct cm_trace *trace, struct cm_input_bytes *in)
{
    char *text = get_text(trace, in);
    if (text != NULL && !cm_list_push(&trace->strings, text))
        free(text);
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
    case CM_COST_FPU_DIVIDE:
    case CM_COST_FPU_DIVIDE64:
    case CM_COST_FPU_SQUARE_ROOT:
    case CM_COST_FPU_SQUARE_ROOT64:
    case CM_COST_FPU_INTEGER_DIVIDE:
    case CM_COST_FPU_MIN_MAX:
    case CM_COST_FPU_COMPARE:
    case CM_COST_FPU_CONVERT:
    case CM_COST_FPU_LOGICAL:
        return CM_TRACE_FPU;
    case CM_COST_FPU_LOAD:
    case CM_COST_FPU_STORE:
    case CM_COST_FPU_LOAD_INDEXED:
    case CM_COST_FPU_STORE_INDEXED:
    case CM_COST_FPU_SCALAR:
        /* An instruction that fills a boundary belongs to that phase, although its operand comes
         * from the FPU. */
        return boundary ? CM_TRACE_BOUNDARY : CM_TRACE_FPU;
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

static void free_imp(struct cm_read_imp *imp)
{
    cm_imp_destroy(imp->imp);
    free(imp->phases);
}

static void define_imp(struct cm_trace *trace, struct cm_input_bytes *in)
{
    const struct cm_imp_limits limits = {.slots = trace->info.slots,
                                         .loop_depth = trace->loop_depth};
    struct cm_read_imp made = {0};
    bool boundary = cm_get_byte(in) != 0;
    made.source = cm_get_u32_below(in, trace->strings.count + UINT64_C(1));
    uint64_t length = cm_get(in);
    const unsigned char *image = cm_get_raw(in, length);
    enum cm_status status = CM_BAD_INPUT;
    if (image != NULL)
        status = cm_imp_decode("trace", image, length, &limits, &made.imp, NULL);
    if (status == CM_OK) {
        made.phases = malloc((size_t)made.imp->length + 1);
        if (made.phases == NULL ||
            !cm_prediction_init(&made.prediction, made.imp, &trace->prediction_memory))
            status = CM_NO_MEMORY;
    }
    bool lines = cm_get_byte(in) != 0;
    uint64_t line = 0;
    for (uint32_t i = 0; status == CM_OK && i < made.imp->length; i++) {
        made.phases[i] = (uint8_t)phase_of(made.imp->code[i].op, boundary);
        line = lines ? cm_get_from(in, line) : 0;
        made.imp->code[i].line = (uint32_t)line;
    }
    trace->cache->no_memory = trace->cache->no_memory || status == CM_NO_MEMORY;
    if (!cm_expect(in, status == CM_OK) || !cm_list_push(&trace->imps, made))
        free_imp(&made);
}

static void set_nodes(uint64_t *set, uint64_t first, uint64_t end)
{
    for (uint64_t node = first; node < end; node++)
        set[node / 64] |= UINT64_C(1) << node % 64;
}

/* Reads a set of nodes, either as a bit for each node or as lengths of runs. Runs of nodes outside
 * and inside the set alternate, and the first run is outside. */
static void define_set(struct cm_trace *trace, struct cm_input_bytes *in)
{
    uint64_t nodes = trace->info.nodes, at = 0, words = trace->set_bits.count;
    if (!cm_expect(in, (words + trace->set_words) * sizeof(uint64_t) <= CM_READ_SETS_MAX) ||
        !cm_list_extend(&trace->set_bits, words + trace->set_words))
        return;
    uint64_t *set = &trace->set_bits.items[words];
    if (cm_get_byte(in) == 0) {
        const unsigned char *raw = cm_get_raw(in, (nodes + 7) / 8);
        for (uint64_t node = 0; raw != NULL && node < nodes; node++)
            set[node / 64] |= (uint64_t)(raw[node / 8] >> node % 8 & 1) << node % 64;
    } else {
        uint64_t count = cm_get_below(in, nodes + 1);
        for (uint64_t i = 0; i <= count && !in->bad; i++) {
            uint64_t next = i < count ? at + cm_get_below(in, nodes - at + 1) : nodes;
            if (i % 2 == 1)
                set_nodes(set, at, next);
            at = next;
        }
    }
    trace->set_count += !in->bad;
}

static void define_pattern(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_pattern pattern = {.first = trace->entries.count};
    uint64_t slots = 0;
    pattern.count = cm_get_u32_below(in, trace->info.slots + 1u);
    for (uint32_t i = 0; i < pattern.count && !in->bad; i++) {
        struct cm_read_entry entry = {.slot = cm_get_u32_below(in, trace->info.slots)};
        entry.set = cm_get_u32_below(in, trace->set_count + UINT64_C(1));
        cm_expect(in, !(slots >> entry.slot & 1));
        slots |= UINT64_C(1) << entry.slot;
        if (!cm_list_push(&trace->entries, entry))
            return;
    }
    if (!in->bad)
        cm_list_push(&trace->patterns, pattern);
}

static void define_template(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_template template = {.page_faults = cm_get_below(in, UINT64_C(1) << 32)};
    template.gap_cycles = cm_read_causes(trace, in, template.gap);
    template.cycles = cm_read_causes(trace, in, template.event);
    if (!in->bad)
        cm_list_push(&trace->templates, template);
}

/* Reads the places of an array whose elements lie linearly: the place (node and address) of element
 * 2^i for each bit i of an element's number. */
static void read_basis(struct cm_trace *trace, struct cm_input_bytes *in, uint64_t elements)
{
    cm_expect(in, elements > 0 && (elements & (elements - 1)) == 0);
    for (uint64_t half = 1; half < elements && !in->bad; half *= 2) {
        uint64_t node = cm_get(in), local = cm_get(in);
        cm_list_push(&trace->runs,
                     (struct cm_read_run){.first = half, .node = node, .local = local});
    }
}

static void read_runs(struct cm_trace *trace, struct cm_input_bytes *in, uint64_t elements)
{
    uint64_t node = 0, local = 0, at = 0;
    while (at < elements && !in->bad) {
        uint64_t count = cm_get_below(in, elements - at + 1);
        struct cm_read_run run = {.first = at};
        run.node_step = cm_get_from(in, 0);
        run.local_step = cm_get_from(in, 0);
        run.node = node + run.node_step;
        run.local = local + run.local_step;
        cm_expect(in, count > 0);
        cm_list_push(&trace->runs, run);
        node += run.node_step * count;
        local += run.local_step * count;
        at += count;
    }
}

static void define_places(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_places places = {.first = trace->runs.count};
    places.elements = cm_get_below(in, CM_TRACE_PLACES_MAX + 1);
    places.linear = cm_get_byte(in) != 0;
    if (places.linear)
        read_basis(trace, in, places.elements);
    else
        read_runs(trace, in, places.elements);
    places.count = trace->runs.count - places.first;
    if (!in->bad && !trace->runs.failed)
        cm_list_push(&trace->places, places);
}

/* Reads a string number and returns the string, or NULL if the bytes are bad. */
static const char *get_string(struct cm_trace *trace, struct cm_input_bytes *in)
{
    uint64_t string = cm_get_below(in, trace->strings.count);
    return in->bad ? NULL : trace->strings.items[string];
}

/* Returns the type of an array's elements if a TYPES block has one, otherwise "". */
static const char *type_of(const struct cm_trace *trace, uint32_t number)
{
    bool known = number < trace->types.count && trace->types.items[number] != NULL;
    return known ? trace->types.items[number] : "";
}

/* Reads a description of an array: a new layout of a known array, or a new array, which gets the
 * next number. */
static void define_array(struct cm_trace *trace, struct cm_input_bytes *in)
{
    uint32_t known = trace->info.arrays;
    struct cm_read_array made = {.number = cm_get_u32_below(in, known + UINT64_C(1))};
    struct cm_trace_array *array = &made.array;
    array->name = get_string(trace, in);
    made.cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX);
    array->rank = cm_get_u32_below(in, CM_TRACE_RANK_MAX + 1);
    uint64_t elements = 1;
    for (uint32_t a = 0; a < array->rank && !in->bad; a++) {
        array->shape[a] = cm_get(in);
        cm_expect(in, array->shape[a] > 0 && elements <= UINT64_MAX / array->shape[a]);
        elements *= array->shape[a];
    }
    array->elements = cm_get(in);
    cm_expect(in, array->elements == elements);
    array->slices = cm_get_u32_below(in, UINT64_C(1) << 16);
    array->address = cm_get(in);
    array->words = cm_get(in);
    made.places = cm_get_u32_below(in, trace->places.count + UINT64_C(1));
    array->type = type_of(trace, made.number);
    array->placed = made.places != 0;
    if (array->placed)
        cm_expect(in, trace->places.items[made.places - 1].elements == array->elements);
    cm_expect(in, made.number < ARRAYS_MAX);
    if (!in->bad && cm_list_push(&trace->arrays, made) && made.number == known)
        trace->info.arrays++;
}

static struct cm_read_step *last_step(struct cm_trace *trace)
{
    return trace->steps.count > 0 ? &trace->steps.items[trace->steps.count - 1] : NULL;
}

static void define_step(struct cm_trace *trace, struct cm_input_bytes *in)
{
    const struct cm_read_step *before = last_step(trace);
    struct cm_read_step made = {0};
    made.step.op = get_string(trace, in);
    made.step.where = get_string(trace, in);
    made.step.first_cycle = made.step.end_cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX);
    if (before != NULL)
        cm_expect(in, before->ended && made.step.first_cycle >= before->step.end_cycle);
    if (!in->bad)
        cm_list_push(&trace->steps, made);
}

/* Ends the interval of the last source line at a cycle, where the next line begins or the step
 * ends. */
static void end_line(struct cm_trace *trace, uint64_t cycle)
{
    struct cm_trace_line *line =
        trace->lines.count > 0 ? &trace->lines.items[trace->lines.count - 1] : NULL;
    if (line != NULL && line->end_cycle == UINT64_MAX)
        line->end_cycle = cycle;
}

static void define_line(struct cm_trace *trace, struct cm_input_bytes *in)
{
    const struct cm_read_step *step = last_step(trace);
    struct cm_trace_line made = {.end_cycle = UINT64_MAX};
    made.file = get_string(trace, in);
    made.line = cm_get_u32_below(in, UINT32_MAX);
    made.text = get_string(trace, in);
    made.first_cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX);
    cm_expect(in, step != NULL && !step->ended && made.first_cycle >= step->step.first_cycle);
    if (trace->lines.count > 0)
        cm_expect(in, made.first_cycle >= trace->lines.items[trace->lines.count - 1].first_cycle);
    end_line(trace, made.first_cycle);
    if (!in->bad)
        cm_list_push(&trace->lines, made);
}

static void define_step_end(struct cm_trace *trace, struct cm_input_bytes *in)
{
    struct cm_read_step *step = last_step(trace);
    uint64_t causes[CM_CAUSE_COUNT], cycle = cm_get_below(in, CM_TRACE_CYCLES_MAX);
    uint64_t sum = cm_read_causes(trace, in, causes);
    if (!cm_expect(in, step != NULL && !step->ended && cycle >= step->step.first_cycle &&
                           sum == cycle - step->step.first_cycle))
        return;
    step->ended = true;
    step->step.end_cycle = cycle;
    end_line(trace, cycle);
    memcpy(step->step.by_cause, causes, sizeof causes);
}

/* Reads the element types of some arrays: pairs of an array's number and a string. */
void cm_read_types(struct cm_trace *trace, struct cm_input_bytes *in)
{
    while (in->at < in->end) {
        uint32_t number = cm_get_u32_below(in, trace->info.arrays);
        const char *type = get_string(trace, in);
        if (in->bad || !cm_list_extend(&trace->types, (uint64_t)number + 1))
            return;
        trace->types.items[number] = type;
    }
    for (uint32_t i = 0; i < trace->arrays.count; i++)
        trace->arrays.items[i].array.type = type_of(trace, trace->arrays.items[i].number);
}

void cm_read_definitions(struct cm_trace *trace, struct cm_input_bytes *in)
{
    static void (*const readers[])(struct cm_trace *, struct cm_input_bytes *) = {
        [CM_DEFINE_STRING] = define_string,     [CM_DEFINE_IMP] = define_imp,
        [CM_DEFINE_SET] = define_set,           [CM_DEFINE_PATTERN] = define_pattern,
        [CM_DEFINE_TEMPLATE] = define_template, [CM_DEFINE_PLACES] = define_places,
        [CM_DEFINE_ARRAY] = define_array,       [CM_DEFINE_STEP] = define_step,
        [CM_DEFINE_STEP_END] = define_step_end, [CM_DEFINE_LINE] = define_line,
    };
    while (in->at < in->end) {
        unsigned kind = cm_get_byte(in);
        if (cm_expect(in, kind > 0 && kind < sizeof readers / sizeof *readers))
            readers[kind](trace, in);
    }
}

void cm_read_free_definitions(struct cm_trace *trace)
{
    for (uint32_t i = 0; i < trace->strings.count; i++)
        free(trace->strings.items[i]);
    for (uint32_t i = 0; i < trace->imps.count; i++)
        free_imp(&trace->imps.items[i]);
    cm_prediction_memory_finish(&trace->prediction_memory);
}
