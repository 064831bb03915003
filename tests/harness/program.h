/* A program that holds many tests or benchmarks: PROGRAM NAME [ARGUMENT...] runs one
 * (programs.c.in). */
#ifndef CM_TESTS_HARNESS_PROGRAM_H
#define CM_TESTS_HARNESS_PROGRAM_H

/* Begins the definition of a test's main function. The folder's meson.build lists the name. */
#define CM_PROGRAM(name)                                                                           \
    int name##_program(int argc, char **argv);                                                     \
    int name##_program(int argc __attribute__((unused)), char **argv __attribute__((unused)))

#endif
