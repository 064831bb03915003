/* Deferred moves: their queue, and two ways to execute it. The idea is in moves.h. */
#include "moves.h"

#include "../machine/machine_private.h"

#include <stdlib.h>

#define MOVES_MOST 4096u
/* size of a piece: about a quarter of the caches of one core */
#define PIECE_BYTES UINT64_C(0x40000)
/* fewest bytes of moves that are sorted or shared: a smaller copy costs less than two barriers */
#define LEAST_BYTES UINT64_C(0x100000)
#define MOVES_FEW   3u
#define PIECE_FEW   2u

static uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool cm_moves_init(struct cm_moves *moves, uint32_t nodes, bool few)
{
    const uint64_t plane_bytes = nodes * sizeof(uint32_t);
    moves->capacity = few ? MOVES_FEW : MOVES_MOST;
    moves->piece = few ? PIECE_FEW : max(1, PIECE_BYTES / plane_bytes);
    moves->least_words = few ? 1 : max(1, LEAST_BYTES / plane_bytes);
    moves->deferred = calloc(moves->capacity, sizeof *moves->deferred);
    moves->sorted = calloc(moves->capacity, sizeof *moves->sorted);
    moves->active = calloc(moves->capacity, sizeof *moves->active);
    return moves->deferred && moves->sorted && moves->active;
}

void cm_moves_finish(struct cm_moves *moves)
{
    free(moves->deferred);
    free(moves->sorted);
    free(moves->active);
}

bool cm_moves_may_defer(const struct cm_worker *worker, const struct cm_instruction *instruction)
{
    const struct cm_machine *machine = worker->machine;
    const struct cm_operand *operands = instruction->operands;
    const bool stopped = machine->observer != NULL && machine->observer->fetched != NULL;
    return !CM_FOR_A_PAGE && machine->nontemporal && worker->context_full && !stopped &&
           operands[3].value == 1 && operands[4].value == 1;
}

void cm_moves_add(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_moves *moves = &worker->moves;
    moves->deferred[moves->count++] =
        (struct cm_move){.dst = issue->at.data,
                         .src = issue->at.other,
                         .count = (uint64_t)issue->instruction->operands[2].value};
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_destination(const void *a, const void *b)
{
    const struct cm_move *x = a, *y = b;
    return compare(x->dst, y->dst);
}

static int by_source(const void *a, const void *b)
{
    const struct cm_move *x = a, *y = b;
    const int order = compare(x->src, y->src);
    return order ? order : compare(x->dst, y->dst);
}

static void sort(struct cm_moves *moves, int (*order)(const void *, const void *))
{
    for (uint32_t i = 0; i < moves->count; i++)
        moves->sorted[i] = moves->deferred[i];
    qsort(moves->sorted, moves->count, sizeof *moves->sorted, order);
}

/* True if a move reads a word that another move writes. `sorted` is ordered by destination and its
 * destinations do not overlap. */
static bool reads_result(const struct cm_moves *moves, const struct cm_move *move)
{
    /* binary search for the first destination that ends behind the first source word */
    uint32_t low = 0, high = moves->count;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (moves->sorted[mid].dst + moves->sorted[mid].count > move->src)
            high = mid;
        else
            low = mid + 1;
    }
    return low < moves->count && moves->sorted[low].dst < move->src + move->count;
}

static bool are_independent(struct cm_moves *moves)
{
    sort(moves, by_destination);
    for (uint32_t i = 1; i < moves->count; i++)
        if (moves->sorted[i - 1].dst + moves->sorted[i - 1].count > moves->sorted[i].dst)
            return false;
    for (uint32_t i = 0; i < moves->count; i++)
        if (reads_result(moves, &moves->deferred[i]))
            return false;
    return true;
}

static uint64_t word_count(const struct cm_moves *moves)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < moves->count; i++)
        words += moves->deferred[i].count;
    return words;
}

/* True if the moves give the same result in any order and copy enough words to be sorted. */
static bool are_reordered(struct cm_moves *moves)
{
    return word_count(moves) >= moves->least_words && are_independent(moves);
}

bool cm_moves_are_shared(struct cm_worker *worker)
{
    return worker->machine->partition_count == 1 && are_reordered(&worker->moves);
}

static bool is_interrupted(const struct cm_worker *worker)
{
    return atomic_load_explicit(&worker->machine->interrupted, memory_order_relaxed);
}

static void copy(struct cm_worker *worker, struct cm_lanes lanes, uint64_t dst, uint64_t src,
                 uint64_t count)
{
    cm_kernel_move(lanes, &(struct cm_plane_move){cm_worker_plane(worker, dst),
                                                  cm_worker_plane(worker, src), count, 1, 1,
                                                  worker->machine->nontemporal});
}

/* Walk over all sources, piece by piece. Copied words are counted in the order of the walk, so a
 * share is a range of counts. */
struct walk {
    struct cm_worker *worker;
    struct cm_lanes lanes;
    uint64_t from, to; /* range of counted words that this worker copies */
    uint64_t done;     /* number of words counted so far */
};

/* Copies those words of one move whose sources are in [begin, end) and which are in the worker's
 * share. */
static void copy_piece(struct walk *walk, const struct cm_move *move, uint64_t begin, uint64_t end)
{
    const uint64_t first = max(move->src, begin), last = min(move->src + move->count, end);
    const uint64_t low = max(walk->from, walk->done);
    const uint64_t high = min(walk->to, walk->done + (last - first));
    const uint64_t src = first + (low - walk->done);
    if (low < high)
        copy(walk->worker, walk->lanes, move->dst + (src - move->src), src, high - low);
    walk->done += last - first;
}

static void copy_pieces(struct walk *walk, struct cm_moves *moves)
{
    uint32_t next = 0, active = 0;
    uint64_t end = 0;
    while ((next < moves->count || active > 0) && walk->done < walk->to &&
           !is_interrupted(walk->worker)) {
        const uint64_t begin = active > 0 ? end : moves->sorted[next].src;
        end = begin + moves->piece;
        while (next < moves->count && moves->sorted[next].src < end)
            moves->active[active++] = next++;
        for (uint32_t i = 0; i < active;) {
            const struct cm_move *move = &moves->sorted[moves->active[i]];
            copy_piece(walk, move, begin, end);
            if (move->src + move->count <= end)
                moves->active[i] = moves->active[--active];
            else
                i++;
        }
    }
}

void cm_moves_execute_share(struct cm_worker *worker)
{
    const struct cm_machine *machine = worker->machine;
    struct cm_moves *moves = &worker->moves;
    const uint64_t words = word_count(moves), workers = machine->active_workers;
    const uint64_t index = (uint64_t)(worker - machine->workers);
    struct walk walk = {.worker = worker,
                        .lanes = {.first = machine->first_node,
                                  .last = machine->first_node + machine->own_nodes,
                                  .nodes = machine->partition_nodes},
                        .from = words * index / workers,
                        .to = words * (index + 1) / workers};
    sort(moves, by_source);
    copy_pieces(&walk, moves);
    moves->count = 0;
}

static void execute_in_order(struct cm_worker *worker)
{
    const struct cm_moves *moves = &worker->moves;
    for (uint32_t i = 0; i < moves->count && !is_interrupted(worker); i++)
        copy(worker, worker->lanes, moves->deferred[i].dst, moves->deferred[i].src,
             moves->deferred[i].count);
}

static void execute_by_source(struct cm_worker *worker)
{
    struct cm_moves *moves = &worker->moves;
    struct walk walk = {.worker = worker, .lanes = worker->lanes, .to = word_count(moves)};
    copy_pieces(&walk, moves);
}

void cm_moves_execute_own(struct cm_worker *worker)
{
    struct cm_moves *moves = &worker->moves;
    const bool reordered = worker->machine->partition_count > 1 && are_reordered(moves);
    if (reordered)
        sort(moves, by_source);
    for (uint32_t i = 0; i < worker->partition_count; i++) {
        cm_worker_select_partition(worker, worker->first_partition + i);
        (reordered ? execute_by_source : execute_in_order)(worker);
    }
    cm_worker_select_partition(worker, worker->first_partition);
    moves->count = 0;
}
