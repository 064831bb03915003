/*
 * What a command prints, caught in memory, and what must hold of it.
 */
#ifndef CM_TESTS_FUZZ_CAUGHT_H
#define CM_TESTS_FUZZ_CAUGHT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

#define require(what) ((what) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #what))

/* What the program would print on descriptors 1 and 2. */
struct caught {
    int kept[2]; /* what they are otherwise */
    char *text[2];
    size_t length[2];
};

static inline void catch_output(struct caught *caught)
{
    for (int i = 0; i < 2; i++) {
        int made = memfd_create("caught", 0);
        fflush(i == 0 ? stdout : stderr);
        caught->kept[i] = dup(i + 1);
        require(made >= 0 && caught->kept[i] >= 0 && dup2(made, i + 1) >= 0);
        close(made);
    }
}

/* The texts are the caller's, to free. */
static inline void release_output(struct caught *caught)
{
    for (int i = 0; i < 2; i++) {
        fflush(i == 0 ? stdout : stderr);
        off_t length = lseek(i + 1, 0, SEEK_END);
        caught->length[i] = (size_t)length;
        caught->text[i] = calloc(1, (size_t)length + 1);
        require(length >= 0 && caught->text[i] != NULL &&
                pread(i + 1, caught->text[i], (size_t)length, 0) == length);
        require(dup2(caught->kept[i], i + 1) >= 0);
        close(caught->kept[i]);
    }
}

#endif
