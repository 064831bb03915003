/*
 * libFuzzer target: any bytes as a list of packets for the router. The reader refuses it with a
 * place, or every packet is between nodes and no time decreases.
 */
#include "programs/network/pattern.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODES 64u

static void require(bool holds)
{
    if (!holds)
        abort();
}

FUZZ_TARGET(fuzz_list)
{
    struct cm_router_packet *packets = NULL;
    struct cm_error err = {0};
    uint64_t count = 0;
    char path[64];
    int fd = memfd_create("list.csv", 0);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    enum cm_status status = cm_pattern_read(path, NODES, false, &packets, &count, &err);
    if (status != CM_OK)
        require((status == CM_BAD_INPUT || status == CM_NO_MEMORY) && err.message[0] != '\0');
    for (uint64_t i = 0; status == CM_OK && i < count; i++) {
        require(packets[i].source < NODES && packets[i].destination < NODES);
        require(i == 0 || packets[i].created >= packets[i - 1].created);
    }
    free(packets);
    close(fd);
    return 0;
}
