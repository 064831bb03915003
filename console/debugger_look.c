/* Commands of the debugger that show the state of the machine: registers, transposers, memory,
 * arrays and channels. */
#include "../sim/machine/inspect.h"
#include "debugger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX   4096u /* largest number of words of memory that one command shows */
#define WORDS_USUAL 8u
#define IN_A_ROW    8u

const char *const console_topics[6] = {"arrays", "causes",    "channels",
                                       "node",   "registers", "result"};

static struct cm_machine *machine_of(const struct console *debugger)
{
    return cm_debug_machine(debugger->debug);
}

/* ---- values ---- */

static float as_real32(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double as_real64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void show_word(uint32_t word, const char *type, struct cm_buffer *text)
{
    if (strcmp(type, "int") == 0)
        cm_buffer_printf(text, "%" PRId32, (int32_t)word);
    else if (strcmp(type, "real32") == 0)
        cm_buffer_printf(text, "%.9g", (double)as_real32(word));
    else
        cm_buffer_printf(text, "0x%08" PRIx32, word);
}

/* Appends the value of a 64-bit register in the given type, or in all types if `type` is NULL. */
static void show_register(uint64_t bits, const char *type, struct cm_buffer *text)
{
    if (type == NULL)
        cm_buffer_printf(text, "0x%016" PRIx64 "  int %-11" PRId32 "  real32 %-15.9g  real64 %.17g",
                         bits, (int32_t)(uint32_t)bits, (double)as_real32((uint32_t)bits),
                         as_real64(bits));
    else if (strcmp(type, "real64") == 0)
        cm_buffer_printf(text, "%.17g", as_real64(bits));
    else if (strcmp(type, "hex") == 0)
        cm_buffer_printf(text, "0x%016" PRIx64, bits);
    else
        show_word((uint32_t)bits, type, text);
}

/* ---- print ---- */

static void print_address(struct console *debugger, uint32_t reg)
{
    cm_buffer_printf(&debugger->text, "r%" PRIu32 " = %" PRId64 "\n", reg,
                     cm_machine_address_register(machine_of(debugger), reg));
}

/* Prints the address registers in rows of eight. Rows that hold only 0 are left out. */
static void print_addresses(struct console *debugger)
{
    bool shown = false;
    for (uint32_t first = 0; first < CM_ADDRESS_REGISTERS; first += IN_A_ROW) {
        bool some = false;
        for (uint32_t i = 0; i < IN_A_ROW; i++)
            some = some || cm_machine_address_register(machine_of(debugger), first + i) != 0;
        if (!some)
            continue;
        cm_buffer_printf(&debugger->text, "r%-2" PRIu32, first);
        for (uint32_t i = 0; i < IN_A_ROW; i++)
            cm_buffer_printf(&debugger->text, " %10" PRId64,
                             cm_machine_address_register(machine_of(debugger), first + i));
        cm_buffer_printf(&debugger->text, "\n");
        shown = true;
    }
    cm_buffer_printf(&debugger->text, shown ? "" : "all address registers hold 0\n");
}

static void print_register(struct console *debugger, uint32_t reg, const char *type)
{
    cm_buffer_printf(&debugger->text, "f%-2" PRIu32 " = ", reg);
    show_register(cm_machine_fpu_register(machine_of(debugger), debugger->node, reg), type,
                  &debugger->text);
    cm_buffer_printf(&debugger->text, "\n");
}

static void print_registers(struct console *debugger, const char *type)
{
    bool shown = false;
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++) {
        if (cm_machine_fpu_register(machine_of(debugger), debugger->node, reg) == 0)
            continue;
        print_register(debugger, reg, type);
        shown = true;
    }
    cm_buffer_printf(&debugger->text, "%s\n",
                     shown ? "other FPU registers hold 0" : "all FPU registers hold 0");
}

/* Appends the name of the wire that a transposer slot drives: the other chip of the node, or a
 * channel. */
static void show_slot_use(const struct console *debugger, uint32_t slot, struct cm_buffer *text)
{
    const struct cm_config *config = cm_machine_config(machine_of(debugger));
    uint32_t half = (uint32_t)config->transposer_slots / 2;
    uint32_t dimension = slot % half;
    if (dimension == 0)
        cm_buffer_printf(text, "  the other chip");
    else if (dimension <= cm_machine_dimensions(machine_of(debugger)))
        cm_buffer_printf(text, "  dimension %" PRIu32 ", channel %" PRIu32, dimension - 1,
                         slot / half);
}

static void print_slot(struct console *debugger, enum cm_transposer t, uint32_t slot,
                       uint64_t loaded, const char *type)
{
    struct cm_buffer *text = &debugger->text;
    uint32_t word = cm_machine_transposer_word(machine_of(debugger), debugger->node, t, slot);
    cm_buffer_printf(text, "%c.%-2" PRIu32 " = ", "ABC"[t], slot);
    if (type != NULL)
        show_word(word, type, text);
    else
        cm_buffer_printf(text, "0x%08" PRIx32 "  int %-11" PRId32 "  real32 %-15.9g", word,
                         (int32_t)word, (double)as_real32(word));
    show_slot_use(debugger, slot, text);
    if (loaded >> slot & 1)
        cm_buffer_printf(text, ", loaded");
    cm_buffer_printf(text, "\n");
}

/* Finds the slots of a transposer that the shown node has loaded since the last exchange. Only
 * transposer A has such slots. `loaded` has a bit for each slot. */
static bool find_loaded(struct console *debugger, enum cm_transposer t, uint64_t *loaded)
{
    *loaded = 0;
    if (t != CM_TRANSPOSER_A)
        return true;
    uint64_t *slots = calloc(cm_machine_nodes(machine_of(debugger)), sizeof *slots);
    if (slots == NULL) {
        debugger->code = shell_no_memory();
        return false;
    }
    cm_machine_slots_pending(machine_of(debugger), slots);
    *loaded = slots[debugger->node];
    free(slots);
    return true;
}

static void print_transposer(struct console *debugger, enum cm_transposer t, const char *type)
{
    uint32_t slots = (uint32_t)cm_machine_config(machine_of(debugger))->transposer_slots;
    uint64_t only, loaded;
    bool shown = false;
    if (!find_loaded(debugger, t, &loaded))
        return;
    if (debugger->word_count > 2) {
        if (console_number(debugger, 2, "a slot", slots - 1, &only) && console_at_most(debugger, 3))
            print_slot(debugger, t, (uint32_t)only, loaded, type);
        return;
    }
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t word = cm_machine_transposer_word(machine_of(debugger), debugger->node, t, slot);
        if (word == 0 && (loaded >> slot & 1) == 0)
            continue;
        print_slot(debugger, t, slot, loaded, type);
        shown = true;
    }
    cm_buffer_printf(&debugger->text, "%s hold 0\n", shown ? "other slots" : "all slots");
}

static void print_context(struct console *debugger)
{
    uint32_t set = 0, nodes = cm_machine_nodes(machine_of(debugger));
    for (uint32_t node = 0; node < nodes; node++)
        set += cm_machine_context_flag(machine_of(debugger), node);
    cm_buffer_printf(&debugger->text,
                     "the context flag is %s in node %" PRIu32 "; it is set in %" PRIu32
                     " of %" PRIu32 " nodes\n",
                     cm_machine_context_flag(machine_of(debugger), debugger->node) ? "set"
                                                                                   : "clear",
                     debugger->node, set, nodes);
}

static void print_sequencer(struct console *debugger)
{
    struct cm_buffer *text = &debugger->text;
    struct cm_counters counters = cm_machine_counters(machine_of(debugger));
    struct cm_machine_state state = cm_machine_state(machine_of(debugger));
    cm_buffer_printf(text, "cycles         %" PRIu64 "\n", counters.cycles);
    cm_buffer_printf(text, "instructions   %" PRIu64 " issued\n", counters.instructions);
    cm_buffer_printf(
        text, "exchanges      %" PRIu64 "; the one under way takes %" PRIu64 " cycles more\n",
        counters.exchanges, cm_machine_exchange_left(machine_of(debugger)));
    if (state.open_page == UINT64_MAX)
        cm_buffer_printf(text, "DRAM           no page is open");
    else if (state.open_page == UINT64_MAX - 1)
        cm_buffer_printf(text, "DRAM           nodes may have different pages open");
    else
        cm_buffer_printf(text, "DRAM           page %" PRIu64 " is open", state.open_page);
    if (cm_machine_config(machine_of(debugger))->memory_refresh_interval_cycles > 0)
        cm_buffer_printf(text, "; refresh after %" PRIu64 " cycles of work", state.until_refresh);
    cm_buffer_printf(text, "\npage faults    %" PRIu64 "\n", counters.page_faults);
    cm_buffer_printf(text, "SRAM           %" PRIu64 " words in use\n", state.sram_used);
    const struct cm_debug_at *at = cm_debug_at(debugger->debug);
    if (at->imp != NULL)
        cm_buffer_printf(text, "next           %s+%" PRIu32 ", in %" PRIu32 " loops\n",
                         at->imp->name, at->pc, cm_machine_loop_count(machine_of(debugger)));
}

/* Returns the number in the name of a register, such as 3 for r3. UINT32_MAX: the name is not that
 * of a register. */
static uint32_t register_number(const char *name, char letter, uint32_t count)
{
    uint32_t number = 0;
    size_t digits = strspn(name + 1, "0123456789");
    if (name[0] != letter || digits == 0 || digits > 2 || name[1 + digits] != '\0')
        return UINT32_MAX;
    for (size_t i = 1; i <= digits; i++)
        number = 10 * number + (uint32_t)(name[i] - '0');
    return number < count ? number : UINT32_MAX;
}

static void print_named(struct console *debugger, const char *name, const char *type)
{
    static const char *const names[] = {"r", "f", "A", "B", "C", "context", "sequencer"};
    uint32_t index, r = register_number(name, 'r', CM_ADDRESS_REGISTERS);
    uint32_t f = register_number(name, 'f', CM_FPU_REGISTERS);
    if (r == UINT32_MAX && f == UINT32_MAX &&
        !console_choose(debugger, 1, "thing to print", names, CM_COUNT_OF(names), &index))
        return;
    bool slots = strchr("ABC", name[0]) != NULL;
    if (!slots && !console_at_most(debugger, 2))
        return;
    if (r != UINT32_MAX)
        print_address(debugger, r);
    else if (f != UINT32_MAX)
        print_register(debugger, f, type);
    else if (index == 0)
        print_addresses(debugger);
    else if (index == 1)
        print_registers(debugger, type);
    else if (slots)
        print_transposer(debugger, (enum cm_transposer)(name[0] - 'A'), type);
    else if (index == 5)
        print_context(debugger);
    else
        print_sequencer(debugger);
}

/* Returns true if a name is an array's, and not also the name of a register or transposer. */
static bool is_array(const struct console *debugger, const char *text)
{
    bool other = register_number(text, 'r', CM_ADDRESS_REGISTERS) != UINT32_MAX ||
                 register_number(text, 'f', CM_FPU_REGISTERS) != UINT32_MAX ||
                 (strchr("rfABC", text[0]) != NULL && text[1] == '\0');
    return !other && console_array_named(debugger, text) != NULL;
}

void console_print(struct console *debugger)
{
    const char *type = NULL;
    if (debugger->word_count < 2) {
        console_refuse(debugger, 1, "as in print f3, print r, print A, print sequencer",
                       "expected what to print");
        return;
    }
    if (is_array(debugger, debugger->words[1].text))
        console_memory(debugger);
    else if (console_type(debugger, &type))
        print_named(debugger, debugger->words[1].text, type);
}

/* ---- memory ---- */

/* Reads a memory word of the node that is shown. `words` is work memory for a word of every node.
 */
static bool read_word(struct console *debugger, uint64_t address, uint32_t *words, uint32_t *word)
{
    struct cm_error err = {0};
    if (cm_machine_read_plane(machine_of(debugger), address, words, &err) != CM_OK) {
        console_refuse(debugger, 1, NULL, "%s", err.message);
        return false;
    }
    *word = words[debugger->node];
    return true;
}

/* Shows a value in memory. It has one word, or two words if the type is real64. */
static bool show_value(struct console *debugger, uint64_t address, const char *type,
                       uint32_t *words)
{
    uint32_t low, high;
    if (!read_word(debugger, address, words, &low))
        return false;
    if (strcmp(type, "real64") != 0) {
        show_word(low, type, &debugger->text);
        return true;
    }
    if (!read_word(debugger, address + 1, words, &high))
        return false;
    cm_buffer_printf(&debugger->text, "%.17g", as_real64(low | (uint64_t)high << 32));
    return true;
}

void console_memory(struct console *debugger)
{
    uint64_t address, count = WORDS_USUAL;
    const char *type, *wanted = NULL;
    if (!console_type(debugger, &wanted) || !console_address(debugger, 1, &address, &type))
        return;
    if (debugger->word_count > 2 &&
        !console_number(debugger, 2, "a number of values", WORDS_MAX, &count))
        return;
    if (!console_at_most(debugger, 3))
        return;
    type = wanted != NULL ? wanted : type;
    uint64_t step = strcmp(type, "real64") == 0 ? 2 : 1;
    uint32_t *words = malloc(cm_machine_nodes(machine_of(debugger)) * sizeof *words);
    if (words == NULL) {
        debugger->code = shell_no_memory();
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (i % IN_A_ROW == 0)
            cm_buffer_printf(&debugger->text, "%s%6" PRIu64 ":", i > 0 ? "\n" : "",
                             address + i * step);
        cm_buffer_printf(&debugger->text, " ");
        if (!show_value(debugger, address + i * step, type, words))
            break;
    }
    cm_buffer_printf(&debugger->text, "\n");
    free(words);
}

/* ---- nodes, arrays, counts ---- */

void console_pin(struct console *debugger)
{
    if (debugger->word_count > 1 &&
        (!console_node(debugger, 1, &debugger->node) || !console_at_most(debugger, 2)))
        return;
    cm_buffer_printf(&debugger->text, "node %" PRIu32 " of %" PRIu32 " is looked at\n",
                     debugger->node, cm_machine_nodes(machine_of(debugger)));
}

/* Shows the number of words sent over channels until now, by one node or by all nodes, in a line
 * for each dimension of the cube. */
static void show_channels(struct console *debugger, bool all)
{
    uint32_t nodes = cm_machine_nodes(machine_of(debugger));
    uint32_t dimensions = cm_machine_dimensions(machine_of(debugger));
    const uint64_t *routed = cm_system_routed_words(cm_run_system(cm_debug_run(debugger->debug)));
    uint64_t *words = calloc((size_t)nodes * dimensions * 2 + 1, sizeof *words);
    if (words == NULL || cm_machine_channel_words(machine_of(debugger), words, NULL) != CM_OK) {
        free(words);
        debugger->code = shell_no_memory();
        return;
    }
    for (uint32_t d = 0; d < dimensions; d++) {
        uint64_t sums[2] = {0}, by_router = 0;
        for (uint32_t n = all ? 0 : debugger->node; n < (all ? nodes : debugger->node + 1); n++)
            for (uint32_t c = 0; c < 2; c++) {
                size_t at = ((size_t)n * dimensions + d) * 2 + c;
                sums[c] += words[at];
                by_router += routed != NULL ? routed[at] : 0;
            }
        cm_buffer_printf(&debugger->text,
                         "  dimension %" PRIu32 ": %" PRIu64 " and %" PRIu64
                         " words by exchanges, %" PRIu64 " by the router\n",
                         d, sums[0], sums[1], by_router);
    }
    free(words);
}

static void info_node(struct console *debugger)
{
    uint32_t before = debugger->node, node = debugger->node;
    if (debugger->word_count > 2 && !console_node(debugger, 2, &node))
        return;
    debugger->node = node;
    cm_buffer_printf(&debugger->text, "node %" PRIu32 "; its neighbours:", node);
    for (uint32_t d = 0; d < cm_machine_dimensions(machine_of(debugger)); d++)
        cm_buffer_printf(&debugger->text, " %" PRIu32, node ^ UINT32_C(1) << d);
    cm_buffer_printf(&debugger->text, "\nwords sent over its channels until now:\n");
    show_channels(debugger, false);
    if (debugger->code == 0) {
        print_context(debugger);
        print_registers(debugger, NULL);
    }
    debugger->node = before;
}

static void info_arrays(struct console *debugger)
{
    const char *name;
    const struct cm_array *array;
    uint32_t i = 0;
    for (; (array = console_array(debugger, i, &name)) != NULL; i++)
        cm_buffer_printf(
            &debugger->text, "%-16s at %" PRIu64 ", %" PRIu64 " words in each node, %s\n", name,
            array->address, array->layout.local_words, cm_type_name(array->layout.type));
    if (i == 0)
        cm_buffer_printf(&debugger->text, "there are no arrays on the machine here\n");
}

static void info_causes(struct console *debugger)
{
    struct cm_counters counters = cm_machine_counters(machine_of(debugger));
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        if (counters.by_cause[i] > 0)
            cm_buffer_printf(&debugger->text, "%14" PRIu64 "  %s\n", counters.by_cause[i],
                             cm_cause_name((enum cm_cause)i));
    cm_buffer_printf(&debugger->text, "%14" PRIu64 "  cycles\n", counters.cycles);
}

static void info_result(struct console *debugger)
{
    if (cm_debug_at(debugger->debug)->place == CM_DEBUG_END)
        cm_result_summary(cm_run_result(cm_debug_run(debugger->debug)), 0, &debugger->text);
    else
        console_refuse(debugger, 1, "continue to its end",
                       "the program has not ended, so it has no result");
}

void console_info(struct console *debugger)
{
    uint32_t topic;
    if (!console_choose(debugger, 1, "topic", console_topics, CM_COUNT_OF(console_topics),
                        &topic) ||
        !console_at_most(debugger, topic == 3 ? 3 : 2))
        return;
    if (topic == 0)
        info_arrays(debugger);
    else if (topic == 1)
        info_causes(debugger);
    else if (topic == 2)
        show_channels(debugger, true);
    else if (topic == 3)
        info_node(debugger);
    else if (topic == 4)
        print_addresses(debugger);
    else
        info_result(debugger);
}
