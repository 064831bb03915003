/*
 * libFuzzer target: bytes as a command of cm200 with files. They choose a command, then its options
 * by their tables, with values that fit, almost fit, or are any text; and they change bytes of
 * small files: a machine, workloads, a microprogram, its image, an array, a list and a trace. The
 * command runs as in the program, in a folder of its own, and must end with a documented exit code,
 * one message when it fails, no temporary file, and its inputs as they were.
 *
 * Names in the command line have no slash, so that nothing is written elsewhere; --allow-anywhere
 * is left out for the same reason. What would only take long is not run. CM_FUZZ_PRINT=1 prints the
 * command line.
 */
#include "caught.h"
#include "cli/cli.h"
#include "folder.h"
#include "report/json_writer.h"
#include "run_workload.h"
#include "target.h"

#include <inttypes.h>

#define WORDS_MAX      48u
#define WORD_MAX       64u
#define TEXT_MAX       12u /* of a word that is any text */
#define FILES_MAX      12u
#define FILE_MAX_BYTES 16384u
#define CHANGES_MAX    8u /* of bytes in files */

struct bytes {
    const uint8_t *at, *end;
};

static unsigned take(struct bytes *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* ---- files ---- */

static struct file {
    const char *name;
    char bytes[FILE_MAX_BYTES]; /* before changes */
    size_t length;
    char changed[FILE_MAX_BYTES];
    size_t changed_length;
    bool read; /* by the command */
} files[FILES_MAX];

static uint32_t file_count;

static const char run_text[] =
    "{\"format\": \"cm200-workload/1\", \"machine\": \"m.json\", \"nodes\": 4, \"check\": true,\n"
    "\"arrays\": {\"a\": {\"shape\": [8, 4], \"type\": \"real64\", \"init\": {\"npy\": "
    "\"a.npy\"}}, "
    "\"b\": {\"like\": \"a\"}},\n"
    "\"scalars\": {\"s\": 0.5},\n"
    "\"steps\": [{\"repeat\": {\"times\": 2, \"steps\": [{\"cshift\": {\"dst\": \"b\", \"src\": "
    "\"a\", \"dim\": 1, \"distance\": 1}}]}},\n"
    "{\"pshift\": [{\"type\": \"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 2, "
    "\"distance\": "
    "-1}], \"setup\": \"auto\"},\n"
    "{\"combine\": {\"dst\": \"b\", \"terms\": [[\"s\", \"a\"], [1, \"b\"]]}}],\n"
    "\"save\": {\"b\": \"b.npy\"}}\n";
static const char sent_text[] =
    "{\"format\": \"cm200-workload/1\", \"machine\": \"m.json\", \"nodes\": 8,\n"
    "\"arrays\": {\"a\": {\"shape\": [8, 2], \"type\": \"real32\"}, \"c\": {\"shape\": [8], "
    "\"type\": "
    "\"int32\"}},\n"
    "\"steps\": [{\"route\": {\"pattern\": \"list\", \"list\": \"l.csv\", \"words\": 2}},\n"
    "{\"imp\": {\"file\": \"k.imp\", \"arguments\": {\"a\": \"a\"}}},\n"
    "{\"fill\": {\"array\": \"c\", \"value\": 7, \"section\": [[1, 4]]}}]}\n";
static const char imp_text[] = ".imp swap\n.address a\n    aarg r0, a\n    load A.1, [r0]\n"
                               "    exchange\n    unload [r0], B.1\n    halt\n";
static const char list_text[] = "source,destination,time\n0,3,0\n1,2,0\n2,1,4\n";
static const char array_head[] =
    "{'descr': '<f8', 'fortran_order': True, 'shape': (8, 4), }                          \n";

static struct file *add_file(const char *name, const void *bytes, size_t length)
{
    struct file *file = &files[file_count++];
    require(length <= FILE_MAX_BYTES);
    *file = (struct file){.name = name, .length = length};
    memcpy(file->bytes, bytes, length);
    return file;
}

static int run_words(int count, char **words, struct caught *caught);

/* A file that a command makes of the others. */
static void add_made(const char *name, int count, char **words)
{
    struct caught caught;
    char bytes[FILE_MAX_BYTES];
    require(run_words(count, words, &caught) == 0);
    free(caught.text[0]);
    free(caught.text[1]);
    add_file(name, bytes, read_whole(name, bytes, sizeof bytes));
    require(files[file_count - 1].length > 0);
}

/* The small machine as text: one object for each section, with its keys. */
static void add_machine(void)
{
    const struct cm_config config = small_machine();
    const struct {
        const char *section, *key;
        uint64_t value;
    } keys[] = {
#define CM_CONFIG(section, key, type, min, max, what) {#section, #key, config.section##_##key},
#include "sim/machine/config.def"
#undef CM_CONFIG
    };
    const size_t count = sizeof keys / sizeof *keys;
    struct cm_json_writer json;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_json_writer_begin(&json, &text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-machine/1");
    cm_json_write_string(&json, "name", "small");
    cm_json_write_u64(&json, "clock_hz", config.clock_hz);
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(keys[first].section, keys[i].section) != 0)
            first++;
        if (first < i)
            continue; /* is written already */
        cm_json_write_object(&json, keys[i].section);
        for (size_t k = i; k < count; k++)
            if (strcmp(keys[k].section, keys[i].section) == 0)
                cm_json_write_u64(&json, keys[k].key, keys[k].value);
        cm_json_write_end(&json);
    }
    cm_json_write_end(&json);
    require(cm_buffer_ok(&text));
    add_file("m.json", text.data, text.length);
    cm_buffer_finish(&text);
}

static void add_array(void)
{
    char bytes[10 + sizeof array_head - 1 + 8 * 32] = "\x93NUMPY\x01";
    bytes[8] = (char)(sizeof array_head - 1);
    memcpy(bytes + 10, array_head, sizeof array_head - 1);
    add_file("a.npy", bytes, sizeof bytes);
}

static void prepare(void)
{
    static char *asm_words[] = {"asm", "k.imp", "-o", "k.img"};
    static char *trace_words[] = {"shift", "-m", "m.json",  "-n",      "4",  "--by",
                                  "1",     "-q", "--trace", "t.trace", "-t", "1"};
    folder_enter();
    add_machine();
    add_array();
    add_file("w.json", run_text, sizeof run_text - 1);
    add_file("r.json", sent_text, sizeof sent_text - 1);
    add_file("k.imp", imp_text, sizeof imp_text - 1);
    add_file("l.csv", list_text, sizeof list_text - 1);
    for (uint32_t i = 0; i < file_count; i++)
        write_whole(files[i].name, files[i].bytes, files[i].length);
    add_made("k.img", 4, asm_words);
    add_made("t.trace", 12, trace_words);
}

static void write_files(struct bytes *in)
{
    folder_empty(".");
    for (uint32_t i = 0; i < file_count; i++) {
        memcpy(files[i].changed, files[i].bytes, files[i].length);
        files[i].changed_length = files[i].length;
        files[i].read = false;
    }
    for (unsigned left = take(in) % (CHANGES_MAX + 1); left > 0; left--) {
        struct file *file = &files[take(in) % file_count];
        size_t at = (take(in) << 8 | take(in)) % file->length;
        unsigned value = take(in);
        if (value == 0)
            file->changed_length = at < file->changed_length ? at : file->changed_length;
        else
            file->changed[at] = (char)value;
    }
    for (uint32_t i = 0; i < file_count; i++)
        write_whole(files[i].name, files[i].changed, files[i].changed_length);
}

/* ---- words ---- */

struct line {
    char words[WORDS_MAX][WORD_MAX];
    char *given[WORDS_MAX];
    uint32_t count;
};

static void put(struct line *line, const char *prefix, const char *word)
{
    if (line->count == WORDS_MAX)
        return;
    snprintf(line->words[line->count], WORD_MAX, "%.40s%.20s", prefix, word);
    line->given[line->count] = line->words[line->count];
    line->count++;
}

static const char *const numbers[] = {
    "0",  "1",  "2",   "3",  "4",  "5",          "7",
    "8",  "16", "31",  "64", "04", "4294967296", "99999999999999999999",
    "-1", "+1", "0x4", "1x", " 2", "1.5"};
static const char *const outputs[] = {"out", "out2",  "out",    "b.npy", "w.json", "a.npy",
                                      "-",   "k.imp", "m.json", "dir",   "./out",  "out.part"};
static const char *const saves[] = {
    "a=s.npy", "b=s.npy", "a=a.npy", "a=", "=x", "c=c.npy", "b=w.json"};
static const char *const sets[] = {"memory.page_words=16",
                                   "network.dimensions=2",
                                   "clock_hz=1",
                                   "network.dimensions=04",
                                   "memory.words=1",
                                   "no.such=1",
                                   "="};
static const char *const texts[] = {
    "ring",        "mesh",
    "hypercube",   "phases",
    "signed",      "e-cube",
    "valiant",     "adaptive",
    "ascending",   "descending",
    "wormhole",    "cut-through",
    "shift",       "bit-reversal",
    "transpose",   "random",
    "hot-spot",    "all-to-all",
    "list",        "neighbour",
    "butterfly",   "store-and-forward",
    "gray",        "binary",
    "mixed",       "high",
    "canonical",   "rotate",
    "two-path",    "pipeline",
    "gray-binary", "auto",
    "2x2",         "4x4",
    "8",           "16",
    "2x4x2",       "4x4x4",
    "16x4",        "0,1",
    "2,1,0",       "1,0",
    "0.1",         "0.5",
    "0.1:0.9:0.4", "1",
    "forward",     "inverse",
    "natural",     "bit-reversed",
    "pre",         "post",
    "shuffle",     "identical",
    "random:7",    "bits:1,0,3,2",
    "low",         "real32",
    "complex64",   "int32",
    "complex128",  "chrome",
    "vcd",         "csv",
    "channels",    "windows",
    "packets",     "0:50",
    "10:5",        "0:99",
    "time",        "frequency",
    "04x4",        "4x",
    "x4",          "",
};

#define ONE_OF(list, in) (list)[take(in) % (sizeof(list) / sizeof *(list))]

/* Any text of at most TEXT_MAX bytes: no slash, and no more than two digits one after the other, so
 * that a number is small. */
static const char *any_text(struct bytes *in, char text[TEXT_MAX + 1])
{
    unsigned length = take(in) % (TEXT_MAX + 1), digits = 0, used = 0;
    while (used < length) {
        char c = (char)take(in);
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        text[used++] = (char)(c == '/' || c == '\0' ? '_' : digits > 2 ? 'x' : c);
    }
    text[used] = '\0';
    return text;
}

static const char *value_of_kind(const struct shell_option *option, struct bytes *in,
                                 char text[TEXT_MAX + 1])
{
    unsigned how = take(in);
    if (how % 16 == 15 && option->kind != SHELL_LIST)
        return any_text(in, text);
    switch (option->kind) {
    case SHELL_NUMBER:
    case SHELL_NODES:
        return ONE_OF(numbers, in);
    case SHELL_INPUT:
        return how % 8 == 7 ? "none" : files[take(in) % file_count].name;
    case SHELL_OUTPUT:
        return ONE_OF(outputs, in);
    case SHELL_LIST:
        return strcmp(option->name, "save") == 0 ? ONE_OF(saves, in) : ONE_OF(sets, in);
    default:
        if (strcmp(option->name, "list") == 0)
            return files[take(in) % file_count].name;
        return how % 2 == 0 ? ONE_OF(texts, in) : ONE_OF(numbers, in);
    }
}

static void put_option(struct line *line, const struct shell_option *option, struct bytes *in)
{
    char text[TEXT_MAX + 1], word[WORD_MAX];
    if (strcmp(option->name, "allow-anywhere") == 0)
        return;
    snprintf(word, sizeof word, "--%s", option->name);
    if (option->kind == SHELL_FLAG) {
        put(line, "", word);
        return;
    }
    const char *value = value_of_kind(option, in, text);
    unsigned form = take(in);
    if (form % 4 == 3) {
        strncat(word, "=", sizeof word - strlen(word) - 1);
        put(line, word, value);
    } else if (form % 4 == 2 && option->letter != 0) {
        snprintf(word, sizeof word, "-%c", option->letter);
        put(line, word, value);
    } else {
        put(line, "", word);
        put(line, "", value);
    }
}

static const struct cli_command *make_line(struct bytes *in, struct line *line)
{
    const struct cli_command *command = cli_commands[take(in) % cli_command_count];
    const struct shell_syntax *syntax = &command->syntax;
    char text[TEXT_MAX + 1];
    uint32_t options = 0;
    size_t offset;
    while (shell_option_at(syntax, options, &offset) != NULL)
        options++;
    unsigned given = take(in);
    line->count = 0;
    put(line, "", syntax->command);
    if (given % 8 != 7 && shell_option_named(syntax, "machine", &offset) != NULL) {
        put(line, "", "--machine");
        put(line, "", "m.json");
    }
    if (given / 8 % 2 != 0 && shell_option_named(syntax, "warmup", &offset) != NULL) {
        put(line, "", "--warmup=4");
        put(line, "", "--measure=16");
    }
    for (unsigned left = take(in) % 12; left > 0; left--) {
        unsigned what = take(in);
        if (what % 8 < 5)
            put_option(line, shell_option_at(syntax, take(in) % options, &offset), in);
        else if (what % 8 < 7)
            put(line, "", files[take(in) % file_count].name);
        else
            put(line, "", any_text(in, text));
    }
    return command;
}

/* ---- running ---- */

static const struct cli_command *find_command(const char *name)
{
    const struct cli_command *found = NULL;
    for (uint32_t i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i]->syntax.command, name) == 0)
            found = cli_commands[i];
    return found;
}

static void *value_at(const struct cli_command *command, struct shell_values *values,
                      const char *name)
{
    size_t offset;
    if (shell_option_named(&command->syntax, name, &offset) == NULL)
        return NULL;
    return (char *)values + offset;
}

/* A machine of a few nodes with little memory. */
static bool is_small(const char *path)
{
    struct cm_config config;
    return cm_config_read(path, &config, NULL) != CM_OK ||
           (config.network_dimensions <= 4 && config.memory_words <= 65536);
}

/* Whether the workload of a file has few steps. */
static bool is_short(const char *path)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_config config = small_machine();
    struct cm_run_options options = {.config = &config, .threads = 1, .nodes = 8};
    bool small = true;
    if (cm_workload_read(path, &workload, NULL) == CM_OK &&
        cm_run_create(workload, &options, &run, NULL) == CM_OK)
        small = run->total <= STEPS_MAX;
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return small;
}

/* Whether it ends soon: on a small machine that is named, with a short workload, and without the
 * long default times of traffic at a rate. */
static bool ends_soon(const struct cli_command *command, struct shell_values *values)
{
    const char *const *machine = value_at(command, values, "machine");
    const char *const *rate = value_at(command, values, "rate");
    const char *const *measure = value_at(command, values, "measure");
    const char *const *warmup = value_at(command, values, "warmup");
    bool soon = strcmp(command->syntax.command, "validate") != 0;
    if (machine != NULL)
        soon = soon && *machine != NULL && is_small(*machine) && is_small("m.json");
    if (rate != NULL && *rate != NULL)
        soon = soon && measure != NULL && *measure != NULL && warmup != NULL && *warmup != NULL;
    for (uint32_t i = 0; soon && i < values->operands.count; i++)
        soon = is_short(values->operands.items[i]);
    return soon;
}

static void note_input(const char *path)
{
    for (uint32_t i = 0; path != NULL && i < file_count; i++)
        files[i].read = files[i].read || strcmp(files[i].name, path) == 0;
}

static void note_inputs(const struct cli_command *command, struct shell_values *values)
{
    const struct shell_option *option;
    size_t offset;
    for (uint32_t i = 0; i < values->operands.count; i++)
        note_input(values->operands.items[i]);
    for (uint32_t i = 0; (option = shell_option_at(&command->syntax, i, &offset)) != NULL; i++)
        if (option->kind == SHELL_INPUT)
            note_input(*(const char *const *)(const void *)((const char *)values + offset));
}

static int run_words(int count, char **words, struct caught *caught)
{
    const struct cli_command *command = find_command(words[0]);
    struct shell_values *values = calloc(1, command->values_size);
    require(values != NULL);
    catch_output(caught);
    int code = shell_parse_options(&command->syntax, count - 1, words + 1, values);
    note_inputs(command, values);
    if (code == 0 && !values->help)
        code = shell_check_files(&command->syntax, values);
    if (code == 0 && !values->help && ends_soon(command, values))
        code = command->run(values);
    shell_values_finish(&command->syntax, values);
    free(values);
    release_output(caught);
    return code;
}

/* No temporary file is left, and inputs are as before, but arrays, which may be saved to where they
 * came from. */
static void check_folder(void)
{
    static char bytes[FILE_MAX_BYTES];
    DIR *dir = opendir(".");
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        require(strncmp(entry->d_name, ".cm200-", 7) != 0);
    closedir(dir);
    for (uint32_t i = 0; i < file_count; i++) {
        const struct file *file = &files[i];
        size_t length = read_whole(file->name, bytes, sizeof bytes);
        bool same = length == file->changed_length && memcmp(bytes, file->changed, length) == 0;
        require(same || !file->read || strcmp(file->name, "a.npy") == 0);
    }
}

FUZZ_TARGET(fuzz_args)
{
    static struct line line;
    struct bytes in = {data, data + size};
    struct caught caught;
    if (file_count == 0)
        prepare();
    make_line(&in, &line);
    write_files(&in);
    for (uint32_t i = 0; getenv("CM_FUZZ_PRINT") != NULL && i < line.count; i++)
        fprintf(stderr, "%s%c", line.given[i], i + 1 < line.count ? ' ' : '\n');
    int code = run_words((int)line.count, line.given, &caught);
    require(code >= 0 && code <= cm_status_exit_code(CM_NO_MEMORY));
    if (code != 0 && code != cm_status_exit_code(CM_CHECK_FAILED))
        require(caught.length[1] > 0 && caught.text[1][caught.length[1] - 1] == '\n');
    free(caught.text[0]);
    free(caught.text[1]);
    check_folder();
    return 0;
}
