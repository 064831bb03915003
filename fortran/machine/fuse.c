/*
 * Levels 1 and 2 of optimization: which neighbouring statements of a group become one IMP.
 *
 * One IMP is started once and keeps values in registers, but it alternates between the pages of all
 * its arrays. So a group is divided into runs of statements, one IMP each, that take the fewest
 * cycles together. Rehearsals count the cycles, with the arrays where they are. Invariant of the
 * search: `best[i]` is the cheapest division of the statements before statement i.
 *
 * A run keeps its latest choices, because the statements of a loop are rehearsed once as long as
 * their arrays stay where they are. A choice depends on the statements, the addresses of their
 * arrays, and the page that was open when it was made.
 */
#include "../../sim/machine/rehearsal.h"
#include "machine.h"

#include <stdlib.h>

#define FUSINGS 256u /* choices that a run keeps, a power of two */

/* A choice for a group of statements. */
struct cm_fortran_fusing {
    uint64_t key;    /* hash of the statements and of where their arrays are, 0 if unused */
    uint32_t begins; /* statements that begin an IMP, a bit each */
};

/* The cheapest IMPs found for the statements before one statement. */
struct division {
    bool found;
    struct cm_rehearsal clock; /* behind these IMPs */
    uint32_t begins;           /* statements that begin an IMP, a bit each */
};

/* The graphs of a lowering, while IMPs are chosen for them. */
struct choice {
    struct cm_fortran_lowering *lowering;
    struct cm_near_arguments arguments;
    enum cm_entry entry; /* of the group's first IMP */
    struct division best[CM_FORTRAN_GROUP_MAX + 1];
};

/* ---- choices that are kept ---- */

/* Adds a word to a hash (FNV-1a, by words). */
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

/* Returns the slot of a key, or NULL when out of memory. */
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

/* ---- a choice ---- */

/* Extends the division before statement `first` by an IMP of `graph`, which has the statements
 * before statement `end` too. Keeps the division if it is the best one. Sets *fits to false if the
 * IMP does not fit the machine. */
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

/* Extends the division before statement `first` by IMPs of one, two and more statements. */
static enum cm_status extend_all(struct choice *choice, uint32_t first)
{
    const struct cm_fortran_lowering *lowering = choice->lowering;
    struct cm_expression *graph = cm_expression_create();
    enum cm_status status = graph != NULL ? CM_OK : cm_fortran_no_memory(lowering->run);
    bool fits = true;
    for (uint32_t end = first + 1; end <= lowering->imp_count && status == CM_OK && fits; end++) {
        cm_expression_append(graph, lowering->imps[end - 1]);
        status = extend(choice, first, end, graph, &fits);
    }
    cm_expression_destroy(graph);
    return status;
}

/* Chooses which statements begin an IMP. */
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

/* Finds the choice for the lowering's graphs, or makes and keeps it. */
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

/* Joins the graphs of the lowering. */
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
                                   .nears = nears};
    choice.entry = entry;
    /* A table is read in memory, so a statement before it must have stored its results. */
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
