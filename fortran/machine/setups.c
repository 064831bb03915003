/*
 * Keeps compiled communication: setups of the communication library are used again for later calls
 * with arrays of the same layout.
 *
 * run->setups owns the setups, in the order of their age. At most SETUPS_MAX setups are kept. A
 * setup that a caller got may be freed when the next setup is made.
 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* limit of the number of setups, because each takes node memory, and a loop may need a new setup in
 * every iteration */
#define SETUPS_MAX 64u

struct cm_fortran_setup {
    enum { COLLECTIVE, GATHER, TRANSPOSE, MATMUL, HALOS } kind;
    union {
        struct cm_collective_task collective;
        struct cm_gather_task gather;
        struct cm_transpose_task transpose;
        struct cm_matmul_task matmul;
        /* layout and pattern of the halos, which the setup owns */
        struct cm_fortran_halo_task *halos;
    } task;
    union {
        struct cm_collective *collective;
        struct cm_gather *gather;
        struct cm_transpose *transpose;
        struct cm_matmul *matmul;
        struct cm_stencil *halos;
    } made;
};

static void finish_halos(struct cm_fortran_run *run, const struct cm_fortran_setup *setup)
{
    cm_stencil_deallocate(run->system, setup->made.halos);
    free(setup->task.halos);
}

static void finish(struct cm_fortran_run *run, const struct cm_fortran_setup *setup)
{
    if (setup->kind == COLLECTIVE)
        cm_collective_deallocate(run->system, setup->made.collective);
    else if (setup->kind == GATHER)
        cm_gather_deallocate(setup->made.gather);
    else if (setup->kind == TRANSPOSE)
        cm_transpose_deallocate(run->system, setup->made.transpose);
    else if (setup->kind == HALOS)
        finish_halos(run, setup);
    else
        cm_matmul_deallocate(run->system, setup->made.matmul);
}

/* Makes room for one more setup. Frees the oldest setup if SETUPS_MAX setups are kept. */
static bool room(struct cm_fortran_run *run)
{
    if (run->setups.count == SETUPS_MAX) {
        finish(run, &run->setups.items[0]);
        run->setups.count--;
        memmove(run->setups.items, run->setups.items + 1,
                run->setups.count * sizeof(*run->setups.items));
    }
    return cm_list_room(&run->setups, (uint64_t)run->setups.count + 1);
}

enum cm_status cm_fortran_find_collective(struct cm_fortran_run *run,
                                          const struct cm_collective_task *task,
                                          struct cm_collective **collective)
{
    for (uint32_t i = 0; i < run->setups.count; i++) {
        const struct cm_fortran_setup *setup = &run->setups.items[i];
        const struct cm_collective_task *other = &setup->task.collective;
        if (setup->kind == COLLECTIVE && other->kind == task->kind && other->op == task->op &&
            other->axis == task->axis && other->place == task->place &&
            other->masked == task->masked && other->exclusive == task->exclusive &&
            other->downward == task->downward && other->segmented == task->segmented &&
            cm_layout_equal(&other->layout, &task->layout)) {
            *collective = setup->made.collective;
            return CM_OK;
        }
    }
    if (!room(run))
        return cm_fortran_no_memory(run);
    enum cm_status status = cm_collective_setup(run->system, task, collective, run->err);
    if (status == CM_OK)
        cm_list_push(&run->setups, (struct cm_fortran_setup){.kind = COLLECTIVE,
                                                             .task.collective = *task,
                                                             .made.collective = *collective});
    return status;
}

static bool is_same_task(const struct cm_fortran_halo_task *a, const struct cm_fortran_halo_task *b)
{
    return cm_layout_equal(&a->layout, &b->layout) &&
           a->pattern.term_count == b->pattern.term_count &&
           memcmp(a->pattern.boundaries, b->pattern.boundaries, sizeof(a->pattern.boundaries)) ==
               0 &&
           memcmp(a->pattern.terms, b->pattern.terms,
                  a->pattern.term_count * sizeof(a->pattern.terms[0])) == 0;
}

static bool is_taken(const struct cm_stencil *halos, struct cm_stencil *const *taken,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (taken[i] == halos)
            return true;
    return false;
}

/* Frees all setups of halos, except those that a statement uses. Returns false if there are no
 * others. */
static bool drop_others(struct cm_fortran_run *run, struct cm_stencil *const *taken, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < run->setups.count; i++) {
        const struct cm_fortran_setup *setup = &run->setups.items[i];
        if (setup->kind == HALOS && !is_taken(setup->made.halos, taken, count))
            finish(run, setup);
        else
            run->setups.items[left++] = *setup;
    }
    const bool dropped = left < run->setups.count;
    run->setups.count = left;
    return dropped;
}

bool cm_fortran_drop_halos(struct cm_fortran_run *run)
{
    return drop_others(run, NULL, 0);
}

enum cm_status cm_fortran_find_halos(struct cm_fortran_run *run,
                                     const struct cm_fortran_halo_task *task,
                                     struct cm_stencil **taken, uint32_t count)
{
    for (uint32_t i = 0; i < run->setups.count; i++) {
        const struct cm_fortran_setup setup = run->setups.items[i];
        if (setup.kind != HALOS || is_taken(setup.made.halos, taken, count) ||
            !is_same_task(setup.task.halos, task))
            continue;
        /* The setup moves to the end of the list, so that other halos of the statement do not
         * displace it. */
        memmove(&run->setups.items[i], &run->setups.items[i + 1],
                (run->setups.count - i - 1) * sizeof(setup));
        run->setups.items[run->setups.count - 1] = setup;
        taken[count] = setup.made.halos;
        return CM_OK;
    }
    struct cm_fortran_halo_task *copy = malloc(sizeof(*copy));
    if (copy == NULL || !room(run)) {
        free(copy);
        return cm_fortran_no_memory(run);
    }
    *copy = *task;
    enum cm_status status =
        cm_stencil_setup_halos(run->system, &task->layout, &task->pattern, &taken[count], run->err);
    /* Halos of other statements may leave no room in node memory. */
    if (status == CM_BAD_INPUT && drop_others(run, taken, count))
        status = cm_stencil_setup_halos(run->system, &task->layout, &task->pattern, &taken[count],
                                        run->err);
    if (status == CM_OK)
        cm_list_push(&run->setups, (struct cm_fortran_setup){.kind = HALOS,
                                                             .task.halos = copy,
                                                             .made.halos = taken[count]});
    else
        free(copy);
    return status;
}

enum cm_status cm_fortran_find_gather(struct cm_fortran_run *run, const struct cm_gather_task *task,
                                      struct cm_gather **gather)
{
    for (uint32_t i = 0; i < run->setups.count; i++) {
        const struct cm_fortran_setup *setup = &run->setups.items[i];
        const struct cm_gather_task *other = &setup->task.gather;
        if (setup->kind == GATHER && other->kind == task->kind && other->op == task->op &&
            other->first == task->first && other->masked == task->masked &&
            cm_layout_equal(&other->dst, &task->dst) && cm_layout_equal(&other->src, &task->src)) {
            *gather = setup->made.gather;
            return CM_OK;
        }
    }
    if (!room(run))
        return cm_fortran_no_memory(run);
    enum cm_status status = cm_gather_setup(run->system, task, gather, run->err);
    if (status == CM_OK)
        cm_list_push(&run->setups, (struct cm_fortran_setup){.kind = GATHER,
                                                             .task.gather = *task,
                                                             .made.gather = *gather});
    return status;
}

enum cm_status cm_fortran_find_transpose(struct cm_fortran_run *run,
                                         const struct cm_transpose_task *task,
                                         struct cm_transpose **transpose)
{
    for (uint32_t i = 0; i < run->setups.count; i++) {
        const struct cm_fortran_setup *setup = &run->setups.items[i];
        const struct cm_transpose_task *other = &setup->task.transpose;
        if (setup->kind == TRANSPOSE && cm_layout_equal(&other->src, &task->src) &&
            /* the order of the axes need not be compared, because it is always the same for a
             * matrix */
            cm_layout_equal(&other->dst, &task->dst)) {
            *transpose = setup->made.transpose;
            return CM_OK;
        }
    }
    if (!room(run))
        return cm_fortran_no_memory(run);
    enum cm_status status = cm_transpose_setup(run->system, task, transpose, run->err);
    if (status == CM_OK)
        cm_list_push(&run->setups, (struct cm_fortran_setup){.kind = TRANSPOSE,
                                                             .task.transpose = *task,
                                                             .made.transpose = *transpose});
    return status;
}

enum cm_status cm_fortran_find_matmul(struct cm_fortran_run *run, const struct cm_matmul_task *task,
                                      struct cm_matmul **matmul)
{
    for (uint32_t i = 0; i < run->setups.count; i++) {
        const struct cm_fortran_setup *setup = &run->setups.items[i];
        const struct cm_matmul_task *other = &setup->task.matmul;
        if (setup->kind == MATMUL && cm_layout_equal(&other->a, &task->a) &&
            cm_layout_equal(&other->b, &task->b) && cm_layout_equal(&other->c, &task->c)) {
            *matmul = setup->made.matmul;
            return CM_OK;
        }
    }
    if (!room(run))
        return cm_fortran_no_memory(run);
    enum cm_status status = cm_matmul_setup(run->system, task, matmul, run->err);
    if (status == CM_OK)
        cm_list_push(&run->setups, (struct cm_fortran_setup){.kind = MATMUL,
                                                             .task.matmul = *task,
                                                             .made.matmul = *matmul});
    return status;
}

void cm_fortran_setups_finish(struct cm_fortran_run *run)
{
    for (uint32_t i = 0; i < run->setups.count; i++)
        finish(run, &run->setups.items[i]);
    cm_list_finish(&run->setups);
}

void cm_fortran_attempt_begin(struct cm_fortran_run *run, struct cm_fortran_attempt *attempt)
{
    *attempt = (struct cm_fortran_attempt){.outer = run->err};
    run->err = &attempt->err;
}

enum cm_status cm_fortran_attempt_end(struct cm_fortran_run *run,
                                      struct cm_fortran_attempt *attempt, enum cm_status status,
                                      bool *done)
{
    char note[CM_FORTRAN_NOTE_BYTES];
    run->err = attempt->outer;
    *done = status == CM_OK;
    if (status == CM_BAD_INPUT) {
        snprintf(note, sizeof(note), "front end: %.*s", (int)sizeof(note) - 12,
                 attempt->err.message);
        cm_fortran_note(run, run->statement, note);
        return CM_OK;
    }
    if (status != CM_OK && run->err != NULL)
        *run->err = attempt->err;
    return status;
}
