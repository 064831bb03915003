/* A program that holds many tests or benchmarks: PROGRAM NAME [ARGUMENT...] runs one
 * (programs.c.in). */
#ifndef CM_TESTS_HARNESS_PROGRAM_H
#define CM_TESTS_HARNESS_PROGRAM_H

/* Stands where main() would. The name is in the list of names in the folder's meson.build. */
#define CM_PROGRAM(name)                                                                           \
    int name##_program(int argc, char **argv);                                                     \
    int name##_program(int argc __attribute__((unused)), char **argv __attribute__((unused)))

#endif
