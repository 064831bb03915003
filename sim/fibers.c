/* Workers that take turns on one host thread, by the stacks of ucontext.h. */
#include "fibers.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__EMSCRIPTEN__)
#define CM_HAS_FIBERS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define CM_HAS_FIBERS 0
#endif
#endif
#ifndef CM_HAS_FIBERS
#define CM_HAS_FIBERS 1
#endif

#if CM_HAS_FIBERS

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)1 << 20)

struct fiber {
    struct cm_fibers *fibers;
    ucontext_t state;
    char *stack; /* with a page in front of it that nothing may touch */
    uint32_t index;
    bool at_barrier, ended;
};

struct cm_fibers {
    uint32_t count;
    uint32_t now; /* the worker whose turn it is */
    bool passed;  /* all were at the barrier last */
    cm_pool_function function;
    void *context;
    ucontext_t first; /* the thread itself: worker 0 */
    struct fiber *others;
};

void cm_fibers_destroy(struct cm_fibers *fibers)
{
    if (fibers == NULL)
        return;
    for (uint32_t i = 0; fibers->others != NULL && i + 1 < fibers->count; i++)
        if (fibers->others[i].stack != NULL)
            (void)munmap(fibers->others[i].stack, STACK_BYTES);
    free(fibers->others);
    free(fibers);
}

struct cm_fibers *cm_fibers_create(uint32_t count)
{
    struct cm_fibers *fibers = calloc(1, sizeof *fibers);
    if (fibers == NULL)
        return NULL;
    fibers->count = count;
    fibers->others = calloc(count, sizeof *fibers->others);
    for (uint32_t i = 0; fibers->others != NULL && i + 1 < count; i++) {
        void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED)
            break;
        (void)mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
        fibers->others[i] = (struct fiber){.fibers = fibers, .stack = stack, .index = i + 1};
    }
    if (fibers->others != NULL && (count < 2 || fibers->others[count - 2].stack != NULL))
        return fibers;
    cm_fibers_destroy(fibers);
    return NULL;
}

/* makecontext passes ints alone: a pointer goes in two halves. */
static void begin(unsigned high, unsigned low)
{
    struct fiber *fiber = (struct fiber *)(uintptr_t)((uint64_t)high << 32 | low);
    fiber->fibers->function(fiber->fibers->context, fiber->index);
    fiber->ended = true;
    (void)setcontext(&fiber->fibers->first);
}

static void prepare(struct cm_fibers *fibers, struct fiber *fiber)
{
    const uint64_t address = (uintptr_t)fiber;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)getcontext(&fiber->state);
    fiber->state.uc_stack.ss_sp = fiber->stack + page;
    fiber->state.uc_stack.ss_size = STACK_BYTES - page;
    fiber->state.uc_link = &fibers->first;
    fiber->at_barrier = false;
    fiber->ended = false;
    makecontext(&fiber->state, (void (*)(void))begin, 2, (unsigned)(address >> 32),
                (unsigned)address);
}

/* Each other worker, until it comes to a barrier or ends; how many have come to one. */
static uint32_t turn(struct cm_fibers *fibers)
{
    uint32_t arrived = 0;
    for (uint32_t i = 0; i + 1 < fibers->count; i++) {
        struct fiber *fiber = &fibers->others[i];
        fiber->at_barrier = false;
        fibers->now = fiber->index;
        if (!fiber->ended)
            (void)swapcontext(&fibers->first, &fiber->state);
        arrived += fiber->at_barrier;
    }
    fibers->now = 0;
    return arrived;
}

bool cm_fibers_barrier(struct cm_fibers *fibers)
{
    if (fibers->now == 0) {
        fibers->passed = turn(fibers) + 1 == fibers->count;
    } else {
        struct fiber *fiber = &fibers->others[fibers->now - 1];
        fiber->at_barrier = true;
        (void)swapcontext(&fiber->state, &fibers->first);
    }
    return fibers->passed;
}

void cm_fibers_run(struct cm_fibers *fibers, cm_pool_function function, void *context)
{
    fibers->function = function;
    fibers->context = context;
    fibers->passed = true;
    for (uint32_t i = 0; i + 1 < fibers->count; i++)
        prepare(fibers, &fibers->others[i]);
    function(context, 0);
    while (turn(fibers) > 0) /* the first one has given up: none of them will pass */
        fibers->passed = false;
}

#else

struct cm_fibers *cm_fibers_create(uint32_t count)
{
    (void)count;
    return NULL;
}

void cm_fibers_destroy(struct cm_fibers *fibers)
{
    (void)fibers;
}

void cm_fibers_run(struct cm_fibers *fibers, cm_pool_function function, void *context)
{
    (void)fibers, (void)function, (void)context;
}

bool cm_fibers_barrier(struct cm_fibers *fibers)
{
    (void)fibers;
    return false;
}

#endif
