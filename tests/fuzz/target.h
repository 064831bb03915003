/* A fuzz target: what it does with one input. Its name is in the list of meson.build. */
#ifndef CM_TESTS_FUZZ_TARGET_H
#define CM_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Aborts if the product does something wrong with the input, and otherwise returns 0. */
typedef int fuzz_target(const uint8_t *data, size_t size);

#define FUZZ_TARGET(name)                                                                          \
    fuzz_target name;                                                                              \
    int name(const uint8_t *data, size_t size)

/* Chooses the target of the argument --target=NAME. Prints the names and exits with 2 for another
 * one. */
void fuzz_choose(int argc, char **argv);
/* Hands an input to the chosen target. */
void fuzz_call(const uint8_t *data, size_t size);

#endif
