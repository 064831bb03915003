/*
 * Levels 1 and 2 of optimization: which neighbouring statements of a group become one IMP.
 *
 * An IMP for several statements is started once and keeps values in registers, but it alternates
 * between the memory pages of all its arrays. So a group is divided into sequences of statements,
 * each an IMP, that take the fewest cycles together. The search counts cycles by rehearsals
 * (sim/machine/rehearsal.h), with the arrays' real addresses. Invariant of the search: `best[i]` is
 * the cheapest division of the statements before statement i.
 *
 * A run of the program stores its latest choices, so that the statements of a loop are rehearsed
 * only once while the addresses of their arrays do not change. A choice depends on the statements,
 * the addresses of their arrays, and the page that was open when it was made.
 */
#include "../../sim/machine/rehearsal.h"
#include "machine.h"

#include <stdlib.h>

#define FUSINGS 256u /* number of choices that a run of the program stores, a power of two */

/* A stored choice for a group of statements: which of them begin an IMP. */
struct cm_fortran_fusing {
    uint64_t key;    /* hash of the statements and the addresses of their arrays, 0 if unused */
    uint32_t begins; /* statements that begin an IMP, a bit each */
};

/* The cheapest division found for the statements before one statement. */
struct division {
    bool found;
    struct cm_rehearsal clock; /* rehearsal clock after these statements */
    uint32_t begins;           /* statements that begin an IMP, a bit each */
};

/* The search for the division of a lowering's statements. */
struct choice {
    struct cm_fortran_lowering *lowering;
    struct cm_near_arguments arguments;
    enum cm_entry entry; /* how the front end starts the group's first IMP */
    struct division best[CM_FORTRAN_GROUP_MAX + 1];
};

/* ---- stored choices ---- */

/* Adds a 64-bit word to a hash, in the manner of FNV-1a. */
static uint64_t hash(uint64_t before, uint64_t word)
{
    return (before ^ word) * UINT64_C(0x100000001b3);
}

static uint64_t key_of(const struct choice *choice)
{
    const struct cm_fortran_lowering *lowering = choice->lowering;
    const struct cm_source_place place = lowering->run->statement->place;
    uint64_t key = UINT64_C(0xcbf29ce484222325);
    key = hash(hash(hash(key, place.file), place.line), place.column);
    key = hash(hash(key, lowering->imp_count), choice->arguments.nears != NULL);
    key = hash(hash(key, lowering->ordered), lowering->down);
    for (uint32_t i = 0; i < lowering->array_count; i++) {
        key = hash(key, lowering->arrays[i]->address);
        if (choice->arguments.nears == NULL || choice->arguments.nears[i].halos == NULL)
            continue;
        key = hash(key, choice->arguments.nears[i].halos->address);
        for (uint32_t a = 0; a < CM_RANK_MAX; a++)
            key = hash(key, (uint64_t)choice->arguments.nears[i].offset[a]);
    }
    return key == 0 ? 1 : key;
}

/* Returns the slot of the table of choices for a key, or NULL if memory is exhausted. */
static struct cm_fortran_fusing *slot_of(struct cm_fortran_run *run, uint64_t key)
{
    if (run->fusings == NULL)
        run->fusings = calloc(FUSINGS, sizeof(*run->fusings));
    return run->fusings == NULL ? NULL : &run->fusings[(key ^ key >> 32) & (FUSINGS - 1)];
}

void cm_fortran_fusing_finish(struct cm_fortran_run *run)
{
    free(run->fusings);
    run->fusings = NULL;
}

/* ---- the search ---- */

/* Extends the best division of the statements before `first` by one IMP, `graph`, which has the
 * statements from `first` up to but not including `end`. Stores the division if it is the cheapest
 * before `end`. Sets *fits to false if the machine cannot take the IMP. */
static enum cm_status extend(struct choice *choice, uint32_t first, uint32_t end,
                             const struct cm_expression *graph, bool *fits)
{
    struct cm_fortran_run *run = choice->lowering->run;
    struct division made = choice->best[first], *best = &choice->best[end];
    struct cm_error refusal = {0};
    enum cm_status status =
        cm_elementwise_start(run->system, graph, &choice->arguments,
                             first == 0 ? choice->entry : CM_ENTRY_IMP, &made.clock, &refusal);
    *fits = status == CM_OK;
    if (status == CM_BAD_INPUT && end - first > 1)
        return CM_OK;
    if (status != CM_OK) {
        if (run->err != NULL)
            *run->err = refusal;
        return status;
    }
    made.begins |= UINT32_C(1) << first;
    if (!best->found || cm_rehearsal_cycles(&made.clock) <= cm_rehearsal_cycles(&best->clock))
        *best = made;
    return CM_OK;
}

/* Extends the best division of the statements before `first` by an IMP of one statement, of two
 * statements, and so on. */
static enum cm_status extend_all(struct choice *choice, uint32_t first)
{
    const struct cm_fortran_lowering *lowering = choice->lowering;
    struct cm_expression *graph = cm_expression_create();
    enum cm_status status = graph != NULL ? CM_OK : cm_fortran_no_memory(lowering->run);
    bool fits = true;
    for (uint32_t end = first + 1; end <= lowering->imp_count && status == CM_OK && fits; end++) {
        if (lowering->after[end - 1] > first)
            break;
        cm_expression_append(graph, lowering->imps[end - 1]);
        status = extend(choice, first, end, graph, &fits);
    }
    cm_expression_destroy(graph);
    return status;
}

/* Chooses which statements begin an IMP, as a bit mask. */
static enum cm_status choose(struct choice *choice, uint32_t *begins)
{
    const uint32_t count = choice->lowering->imp_count;
    enum cm_status status = CM_OK;
    for (uint32_t i = 1; i <= count; i++)
        choice->best[i].found = false;
    choice->best[0] = (struct division){.found = true};
    cm_rehearsal_begin(&choice->best[0].clock, cm_system_machine(choice->lowering->run->system));
    for (uint32_t first = 0; first < count && status == CM_OK; first++)
        status = extend_all(choice, first);
    *begins = choice->best[count].begins;
    return status;
}

/* Finds the stored choice for the lowering's graphs, or makes and stores it. */
static enum cm_status find(struct choice *choice, uint32_t *begins)
{
    const uint64_t key = key_of(choice);
    struct cm_fortran_fusing *kept = slot_of(choice->lowering->run, key);
    if (kept == NULL)
        return cm_fortran_no_memory(choice->lowering->run);
    if (kept->key == key) {
        *begins = kept->begins;
        return CM_OK;
    }
    enum cm_status status = choose(choice, begins);
    if (status == CM_OK)
        *kept = (struct cm_fortran_fusing){.key = key, .begins = *begins};
    return status;
}

/* Joins graphs of the lowering: each statement whose bit in `begins` is 0 is appended to the graph
 * before it. */
static void join(struct cm_fortran_lowering *lowering, uint32_t begins)
{
    const uint32_t count = lowering->imp_count;
    lowering->imp_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct cm_expression *graph = lowering->imps[i];
        if (begins >> i & 1) {
            lowering->imps[lowering->imp_count++] = graph;
            continue;
        }
        cm_expression_append(lowering->imps[lowering->imp_count - 1], graph);
        cm_expression_destroy(graph);
    }
    lowering->graph = lowering->imps[lowering->imp_count - 1];
}

enum cm_status cm_fortran_fuse(struct cm_fortran_lowering *lowering,
                               const struct cm_halo_reference *nears, enum cm_entry entry)
{
    struct cm_fortran_run *run = lowering->run;
    struct choice choice;
    choice.lowering = lowering;
    choice.arguments =
        (struct cm_near_arguments){.given = {lowering->arrays, lowering->array_count,
                                             lowering->scalars, lowering->scalar_count},
                                   .nears = nears,
                                   .short_tables = lowering->in_bands,
                                   .ignores_padding = lowering->in_bands && nears != NULL,
                                   .ordered = lowering->ordered,
                                   .down = lowering->down};
    choice.entry = entry;
    /* Each statement stays an IMP if there are look-ups, because they read memory in which earlier
     * statements must have stored their results. */
    uint32_t begins = lowering->looks_up ? UINT32_MAX : 1;
    enum cm_status status = CM_OK;
    if (lowering->imp_count > 1 && !lowering->looks_up)
        status = find(&choice, &begins);
    if (status == CM_OK)
        join(lowering, begins);
    for (uint32_t i = 0; i < lowering->imp_count && status == CM_OK; i++)
        status = cm_elementwise_start(run->system, lowering->imps[i], &choice.arguments,
                                      i == 0 ? entry : CM_ENTRY_IMP, NULL, run->err);
    return status;
}
