/* Access of the front end to planes of node memory: writing, reading, and direct access in the
 * host's memory. */
#include "machine_private.h"
#include "remote.h"

#include <inttypes.h>
#include <string.h>

static enum cm_status check_planes(const struct cm_machine *machine, uint64_t address,
                                   uint64_t count, struct cm_error *err)
{
    if (cm_memory_has(&machine->memory, address, count))
        return CM_OK;
    return cm_error_set(err, CM_BAD_INPUT,
                        "address %" PRIu64 " is beyond node memory (%" PRIu64 " words)",
                        count ? address + count - 1 : address, machine->memory.words);
}

/* Checks and reserves planes that the front end is about to write. Forgets communication tables
 * that were read from these planes, and loads registers that alias the planes. */
static enum cm_status open_planes(struct cm_machine *machine, uint64_t address, uint64_t count,
                                  struct cm_error *err)
{
    enum cm_status status = check_planes(machine, address, count, err);
    if (status == CM_OK)
        status = cm_memory_reserve(&machine->memory, address, count, err);
    for (uint32_t i = 0; status == CM_OK && i < machine->active_workers; i++) {
        struct cm_worker *worker = &machine->workers[i];
        cm_execute_load_aliases(worker, address, count);
        if (cm_channels_touch(&worker->channels, address, count) != CM_CHANNELS_OK)
            status = cm_error_no_memory(err);
    }
    return status;
}

enum cm_status cm_machine_reserve(struct cm_machine *machine, uint64_t address, uint64_t count,
                                  struct cm_error *err)
{
    enum cm_status status = check_planes(machine, address, count, err);
    if (status == CM_OK && !machine->timing_only)
        status = cm_memory_reserve(&machine->memory, address, count, err);
    return status;
}

/* Copies the words of this process's nodes from a plane to the array `to`, or from the array `from`
 * to the plane. The other array is NULL. An array has a word for each node of the machine. */
static void copy_plane(const struct cm_machine *machine, uint64_t address, uint32_t *to,
                       const uint32_t *from)
{
    const uint32_t nodes = machine->own_nodes / machine->partition_count;
    for (uint32_t partition = 0; partition < machine->partition_count; partition++) {
        const uint32_t first = machine->first_node + partition * nodes;
        uint32_t *plane = cm_memory_word(&machine->memory, first, address);
        memcpy(to ? to + first : plane, from ? from + first : plane, nodes * sizeof *plane);
    }
}

enum cm_status cm_machine_write_plane(struct cm_machine *machine, uint64_t address,
                                      const uint32_t *words, struct cm_error *err)
{
    enum cm_status status = open_planes(machine, address, 1, err);
    if (status == CM_OK)
        copy_plane(machine, address, NULL, words);
    return status;
}

enum cm_status cm_machine_read_plane(const struct cm_machine *machine, uint64_t address,
                                     uint32_t *words, struct cm_error *err)
{
    enum cm_status status = check_planes(machine, address, 1, err);
    if (status != CM_OK)
        return status;
    if (!cm_memory_reserved(&machine->memory, address, 1)) {
        memset(words, 0, machine->nodes * sizeof *words);
        return CM_OK;
    }
    copy_plane(machine, address, words, NULL);
    return cm_remote_gather(machine, words, 1, err);
}

enum cm_status cm_machine_planes(struct cm_machine *machine, uint64_t address, uint64_t count,
                                 struct cm_planes *planes, struct cm_error *err)
{
    enum cm_status status = cm_machine_own_planes(machine, address, count, planes, err);
    return status == CM_OK ? cm_remote_gather(machine, planes->words, count, err) : status;
}

enum cm_status cm_machine_own_planes(struct cm_machine *machine, uint64_t address, uint64_t count,
                                     struct cm_planes *planes, struct cm_error *err)
{
    enum cm_status status = open_planes(machine, address, count, err);
    *planes = (struct cm_planes){.partition_nodes = machine->partition_nodes};
    if (status == CM_OK && count > 0) {
        planes->words = cm_memory_plane(&machine->memory, 0, address);
        planes->partition_words = cm_memory_partition_words(&machine->memory, address);
    }
    return status;
}

enum cm_status cm_machine_clear_planes(struct cm_machine *machine, uint64_t address, uint64_t count,
                                       struct cm_error *err)
{
    enum cm_status status = open_planes(machine, address, count, err);
    if (status == CM_OK && machine->link != NULL)
        cm_memory_clear_nodes(&machine->memory, address, count, machine->first_node,
                              machine->own_nodes);
    else if (status == CM_OK)
        cm_memory_clear(&machine->memory, address, count);
    return status;
}
