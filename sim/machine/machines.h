/* Machine descriptions that the build copies from configs/ into the library (machines.py). This
 * header is not installed. */
#ifndef CM_SIM_MACHINE_MACHINES_H
#define CM_SIM_MACHINE_MACHINES_H

#include <stddef.h>
#include <stdint.h>

struct cm_known_machine {
    const char *name; /* name of the file in configs/ without ".json", such as "cm200" */
    const char *text; /* content of the file, with a NUL that `length` does not count */
    size_t length;
};

extern const struct cm_known_machine cm_known_machines[];
extern const uint32_t cm_known_machine_count;

#endif
